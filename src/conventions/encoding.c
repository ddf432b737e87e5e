/* A convention with values for its parameters becomes an encoding. */
#include <stdlib.h>
#include <string.h>

#include "build.h"

static const char *const output_names[] = {"table",  "cos_sin", "sin_cos",  "cis",
                                           "matrix", "angles",  "inv_freq", "rotated"};

const char *sinpos_output_name(sinpos_output output)
{
    BOUNDARY;
    return (unsigned)output < sizeof output_names / sizeof output_names[0] ? output_names[output] : NULL;
}

int sinpos_output_find(const char *name, sinpos_output *output)
{
    BOUNDARY;
    for (size_t k = 0; name != NULL && output != NULL && k < sizeof output_names / sizeof output_names[0]; k++) {
        if (strcmp(output_names[k], name) == 0) {
            *output = (sinpos_output)k;
            return 1;
        }
    }
    return 0;
}

/* ---------------------------------------------------------------------------------------------------- names, refusals */

static bool bind_lets(build *b)
{
    for (const convention_let *let = b->convention->lets; let != NULL && let->name != NULL; let++) {
        value v;
        b->s.reads_rows = false;
        if (!formula_value(&b->s, let->formula, strlen(let->formula), &v) ||
            !scope_bind(&b->s, let->name, strlen(let->name), &v))
            return false;
        if (b->s.reads_rows)
            scope_mark(&b->s, let->name, strlen(let->name));
    }
    return true;
}

static bool refused(build *b)
{
    for (const convention_refusal *r = b->convention->refusals; r != NULL && r->condition != NULL; r++) {
        bool holds;
        if (!formula_true(&b->s, r->condition, &holds))
            return false;
        if (holds)
            return scope_fail(&b->s, SINPOS_E_VALUE, "%s", r->message);
    }
    return true;
}

static bool choose_output(build *b, sinpos_encoding *e, const sinpos_parameters *given)
{
    char word[16];
    const parameter *wanted = parameters_find(given, "output");
    if (wanted != NULL && scope_find(&b->s, "output", strlen("output")) == NULL && wanted->v.kind == VALUE_TEXT) {
        if (!sinpos_output_find(wanted->v.text, &e->info.output)) {
            return scope_fail_about(&b->s, SINPOS_E_VALUE, "output",
                                    "output must be table, cos_sin, sin_cos, cis, matrix, angles, "
                                    "inv_freq or rotated, not '%.40s'",
                                    wanted->v.text);
        }
    } else if (!build_word(b, b->convention->output, "table", word, sizeof word) ||
               !sinpos_output_find(word, &e->info.output)) {
        return false;
    }
    if (b->convention->pairing == NULL && e->info.output != SINPOS_OUTPUT_TABLE) {
        return scope_fail_about(&b->s, SINPOS_E_VALUE, "output", "%s is not rotary: its output is table only",
                                b->convention->name);
    }
    return true;
}

/* ------------------------------------------------------------------------------------------------------------- shape */

static bool push(build *b, sinpos_encoding *e, size_t size)
{
    if (e->info.n_dims == SINPOS_MAX_ENCODING_DIMS)
        return scope_fail(&b->s, SINPOS_E_SHAPE, "the result has too many dimensions");
    e->info.shape[e->info.n_dims++] = size;
    return true;
}

static bool lead_by_formula(build *b, size_t *lead, size_t *n_lead)
{
    const char *const *sizes = b->convention->shape_sizes;
    for (*n_lead = 0; sizes[*n_lead] != NULL && *n_lead < MAX_LEAD_DIMS; ++*n_lead)
        if (!formula_size(&b->s, sizes[*n_lead], &lead[*n_lead]))
            return false;
    return true;
}

static bool lead_dims(build *b, const sinpos_encoding *e, size_t *lead, size_t *n_lead)
{
    const row_set *r = &b->rows;
    const bool has_sizes = b->convention->shape_sizes != NULL;
    const bool natural = !has_sizes && !is_blank(b->convention->shape); /* "*", "grid" */
    *n_lead = 1;
    lead[0] = e->info.n_positions;
    if (natural || r->is_foreign || r->keeps_shape) {
        *n_lead = r->n_lead;
        memcpy(lead, r->lead, r->n_lead * sizeof *lead);
    } else if (has_sizes && !lead_by_formula(b, lead, n_lead)) {
        return false;
    }
    size_t product = 1;
    for (size_t k = 0; k < *n_lead; k++)
        product *= lead[k];
    return product == e->info.n_positions ||
           scope_fail(&b->s, SINPOS_E_SHAPE, "%zu rows do not fit the shape of the result", e->info.n_positions);
}

/* (1, width, H, W) from lead dimensions (H, W) or (1, H, W). */
static bool channel_first_shape(build *b, sinpos_encoding *e, size_t kind, const size_t *lead, size_t n_lead)
{
    const size_t width = e->info.n_columns;
    if (kind == 1 && (n_lead < 3 || lead[0] != 1)) {
        if (!push(b, e, 1))
            return false;
    } else if (n_lead >= 3 && lead[0] == 1) {
        lead++;
        n_lead--;
        if (kind == 1 && !push(b, e, 1))
            return false;
    }
    if (!push(b, e, width))
        return false;
    for (size_t k = 0; k < n_lead; k++)
        if (!push(b, e, lead[k]))
            return false;
    e->channel_first = true;
    e->info.is_channel_first = 1;
    e->info.n_rows = width;
    e->info.n_columns = e->info.n_positions;
    return true;
}

static void count_others(sinpos_encoding *e)
{
    e->info.n_raw_columns = e->n_raw;
    e->info.n_zero_rows = e->n_zero_first;
    for (size_t i = 0; e->is_zero != NULL && i < e->n_core; i++)
        e->info.n_zero_rows += e->is_zero[i];
}

static bool settle_shape(build *b, sinpos_encoding *e)
{
    size_t lead[MAX_LEAD_DIMS], n_lead, channel_first;
    const size_t n = b->n_frequencies, d = e->info.n_columns;
    e->info.n_positions = e->n_zero_first + e->n_core + e->n_still;
    e->info.n_axes = b->n_axes;
    e->info.n_rows = e->info.n_positions;
    count_others(e);
    if (!lead_dims(b, e, lead, &n_lead) || !build_size(b, b->convention->channel_first, 0, &channel_first))
        return false;
    if (channel_first && e->info.output == SINPOS_OUTPUT_TABLE && !b->rows.is_foreign)
        return channel_first_shape(b, e, channel_first, lead, n_lead);
    if (e->info.output == SINPOS_OUTPUT_INV_FREQ) {
        e->info.n_rows = 1;
        return push(b, e, n);
    }
    if (e->n_planes == 2) {
        e->info.n_rows = 2 * e->info.n_positions;
        if (!push(b, e, 2))
            return false;
    }
    for (size_t k = 0; k < n_lead; k++)
        if (!push(b, e, lead[k]))
            return false;
    switch (e->info.output) {
    case SINPOS_OUTPUT_CIS: return push(b, e, n) && push(b, e, 2);
    case SINPOS_OUTPUT_MATRIX: return push(b, e, n) && push(b, e, 2) && push(b, e, 2);
    default: return push(b, e, d);
    }
}

/* ---------------------------------------------------------------------------------------------------------- creation */

static bool bind_number(build *b, const char *name, double x)
{
    value v = {0};
    value_number(&v, x);
    return scope_bind(&b->s, name, strlen(name), &v);
}

/* "positions", "length" and what is made of them. */
static bool bind_names(build *b, const sinpos_parameters *given)
{
    const parameter *positions = parameters_find(given, "positions");
    const bool from_outside = positions != NULL && positions->v.kind != VALUE_NULL;
    if (!build_override(b, given) || !parameters_bind(&b->s, b->convention, b->name, given) ||
        !bind_number(b, "given", from_outside && scope_find(&b->s, "positions", strlen("positions")) == NULL))
        return false;
    const size_t n = sinpos_convention_parameters(b->convention);
    for (size_t k = 0; k < n; k++) {
        const convention_parameter *p = &b->convention->parameters[k];
        if (strcmp(p->role, "positions") == 0 || strcmp(p->role, "length") == 0)
            scope_mark(&b->s, p->name, strlen(p->name));
    }
    const bool ok = bind_lets(b);
    b->s.reads_rows = false;
    return ok;
}

/* Which rows there are may depend on the rows. */
static bool rows_alone(build *b, const sinpos_parameters *given)
{
    const bool reads_rows = b->s.reads_rows, ok = build_rows(b, given);
    b->s.reads_rows = reads_rows;
    return ok;
}

/* Is the plan alone what makes the row of any position? */
static bool is_by_position(const build *b, const sinpos_encoding *e)
{
    const sinpos_encoding_info *info = &e->info;
    const bool is_row = info->output == SINPOS_OUTPUT_TABLE ||
                        (info->output == SINPOS_OUTPUT_ROTATED && is_blank(b->convention->result));
    return is_row && e->plan != NULL && e->v == NULL && e->n_raw == 0 && e->constants == NULL && e->n_zero_first == 0 &&
           e->n_still == 0 && is_blank(b->convention->zero_row) && e->n_planes < 2 && b->takes_as_given &&
           !info->depends_on_rows && sinpos_plan_axes(e->plan) == b->n_axes;
}

static bool build_all(build *b, sinpos_encoding *e, const sinpos_parameters *given, unsigned types)
{
    if (!bind_names(b, given) || !refused(b) || !choose_output(b, e, given) || !build_arithmetic(b, e, given))
        return false;
    b->needs_angles = e->info.output == SINPOS_OUTPUT_ANGLES || e->info.output == SINPOS_OUTPUT_INV_FREQ;
    if (!rows_alone(b, given) || !build_maps(b, e) || (b->v != NULL && !build_given(b)))
        return false;
    if (b->one_axis_only != NULL && b->n_axes > 1) {
        return scope_fail_about(&b->s, SINPOS_E_VALUE, b->one_axis_only,
                                "%s of several coordinates is the convention's own", b->one_axis_only);
    }
    b->s.is_set[LOOP_A] = true;
    b->s.loop[LOOP_A] = (double)b->n_axes;
    const bool is_table = e->info.output == SINPOS_OUTPUT_TABLE;
    if (!build_frequencies(b) || !(is_table ? build_table(b, e, types) : build_rotary(b, e, types)) ||
        !build_output(b, e, types) || !build_axes(b, e))
        return false;
    e->info.depends_on_rows = b->s.reads_rows;
    if (!settle_shape(b, e))
        return false;
    e->info.is_by_position = !e->info.is_channel_first && is_by_position(b, e);
    return true;
}

static void build_free(build *b)
{
    scope_free(&b->s);
    free(b->rows.is_zero);
    free(b->rows.g);
    free(b->maps);
    free(b->counts);
    free(b->offsets);
    free(b->frequencies);
    free(b->listens);
    free(b->guess);
}

static sinpos_status create(sinpos_encoding **out, build *b, const sinpos_parameters *parameters, unsigned types)
{
    scope *s = &b->s;
    if (b->every == 0) {
        scope_fail_about(s, SINPOS_E_VALUE, "every", "every must be 1 or more; 1 makes all frequencies");
        return s->error.status;
    }
    b->convention = sinpos_convention_find(b->name);
    if (b->convention == NULL) {
        scope_fail_about(s, SINPOS_E_NAME, b->name, "no convention has this name");
        return s->error.status;
    }
    if (b->convention->apart != NULL && is_blank(b->convention->count)) {
        scope_fail(s, SINPOS_E_UNSUPPORTED, "%s", b->convention->apart);
        return s->error.status;
    }
    s->functions = b->convention->functions;
    sinpos_encoding *e = calloc(1, sizeof *e);
    if (e == NULL)
        return SINPOS_E_MEMORY;
    e->info.struct_size = sizeof e->info;
    e->info.convention = b->convention;
    if (build_all(b, e, parameters, types)) {
        *out = e;
        return SINPOS_OK;
    }
    sinpos_encoding_destroy(e);
    return s->error.status == SINPOS_OK ? SINPOS_E_SPEC : s->error.status;
}

sinpos_status sinpos_encoding_create_sparse(sinpos_encoding **out, const char *name,
                                            const sinpos_parameters *parameters, unsigned types, size_t every,
                                            sinpos_error *error)
{
    BOUNDARY;
    if (out == NULL || name == NULL)
        return SINPOS_E_NULL;
    *out = NULL;
    if (!error_is_fit(error))
        return SINPOS_E_STRUCT;
    build b = {.every = every, .name = name};
    scope_init(&b.s);
    const sinpos_status status = create(out, &b, parameters, types);
    error_give(error, &b.s.error, status);
    build_free(&b);
    return status;
}

sinpos_status sinpos_encoding_create(sinpos_encoding **out, const char *name, const sinpos_parameters *parameters,
                                     unsigned types, sinpos_error *error)
{
    BOUNDARY;
    return sinpos_encoding_create_sparse(out, name, parameters, types, 1, error);
}

void sinpos_encoding_destroy(sinpos_encoding *e)
{
    BOUNDARY;
    if (e == NULL)
        return;
    sinpos_plan_destroy(e->plan);
    sinpos_plan_destroy(e->planes[0]);
    sinpos_plan_destroy(e->planes[1]);
    free(e->integers);
    free(e->reals);
    free(e->is_zero);
    free(e->raw);
    free(e->axes);
    free(e->constants);
    sinpos_replay_destroy(e->replay);
    sinpos_replay_destroy(e->replays[0]);
    sinpos_replay_destroy(e->replays[1]);
    if (e->v != NULL) {
        voices_free(e->v);
        free(e->v);
    }
    free(e);
}

const sinpos_encoding_info *sinpos_encoding_info_get(const sinpos_encoding *e)
{
    BOUNDARY;
    return e == NULL ? NULL : &e->info;
}

const sinpos_plan *sinpos_encoding_plan(const sinpos_encoding *e)
{
    BOUNDARY;
    return e == NULL ? NULL : e->plan;
}

sinpos_status sinpos_encoding_positions(const sinpos_encoding *e, size_t first, size_t n, sinpos_rows *rows)
{
    BOUNDARY;
    if (e == NULL || rows == NULL)
        return SINPOS_E_NULL;
    if (first > e->n_core + e->n_still || n > e->n_core + e->n_still - first)
        return SINPOS_E_RANGE;
    sinpos_rows own = SINPOS_ROWS_INIT;
    own.n = n;
    if (e->integers != NULL)
        own.integers = e->integers + first * e->n_x;
    else if (e->reals != NULL)
        own.reals = e->reals + first * e->n_x;
    else
        own.first = e->first + (int64_t)first;
    return SIZED_WRITE(rows, &own, first) ? SINPOS_OK : SINPOS_E_STRUCT;
}
