/* generated_source.c - the table before anything is done to it: a formula with drawn numbers, or a drawn convention. */
#include "cases.h"
#include "generated.h"
#include "identify_table.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Elements of a table, few enough for hundreds of them. */
enum { MOST_ELEMENTS = 1 << 16, LEAST_ELEMENTS = 48, LEAST_ROWS = 8, FEW_ROWS = 24, MOST_TRIES = 400 };

double draw_number(random_state *r, double low, double high)
{
    char text[40];
    const double x = exp(log(low) + random_unit(r) * (log(high) - log(low)));
    snprintf(text, sizeof text, "%.*g", 1 + (int)random_below(r, 17), x);
    return strtod(text, NULL);
}

static double draw_base(random_state *r)
{
    static const double usual[] = {10000, 500000, 1e6, 1000, 20000, 100, 1500, 5e6, 10, 220};
    return random_chance(r, 50) ? usual[random_below(r, 10)] : draw_number(r, 30, 1e7);
}

static sinpos_type draw_type(random_state *r)
{
    static const sinpos_type types[] = {SINPOS_F64, SINPOS_F64, SINPOS_F32, SINPOS_F32,
                                        SINPOS_F32, SINPOS_F32, SINPOS_F16, SINPOS_BF16};
    return types[random_below(r, 8)];
}

static size_t draw_size(random_state *r, size_t least, size_t most)
{
    return (size_t)((double)least * exp(random_unit(r) * log((double)(most + 1) / (double)least)));
}

/* One table in ten is so small that columns are not matched one by one. */
static size_t draw_rows(random_state *r, size_t most)
{
    return draw_size(r, random_chance(r, 10) ? LEAST_ROWS : FEW_ROWS, most);
}

static int64_t draw_start(random_state *r)
{
    static const int64_t usual[] = {1, 1, 2, 100, 1000, 8192};
    return random_chance(r, 50)   ? 0
           : random_chance(r, 60) ? usual[random_below(r, 6)]
                                  : (int64_t)random_below(r, 20000);
}

source draw_formula(random_state *r)
{
    source s = {.spec = SINPOS_SPEC_INIT, .type = draw_type(r)};
    s.spec.dim = random_chance(r, 70) ? (size_t)16 << random_below(r, 4) : draw_size(r, 8, 200);
    s.n = draw_rows(r, 512);
    s.n = s.n * s.spec.dim > MOST_ELEMENTS ? MOST_ELEMENTS / s.spec.dim : s.n;
    s.start = draw_start(r);
    s.spec.base = draw_base(r);
    s.spec.layout = random_chance(r, 50) ? SINPOS_HALVES : SINPOS_INTERLEAVED;
    s.spec.order = random_chance(r, 30) ? SINPOS_COS_SIN : SINPOS_SIN_COS;
    return s;
}

/* ------------------------------------------------------------------------------------------------ parameters */

static setting *add(source *s, const char *name)
{
    assert_true(s->n_settings < MOST_SETTINGS);
    setting *own = &s->settings[s->n_settings++];
    *own = (setting){.name = name};
    return own;
}

static void add_number(source *s, const char *name, double x)
{
    add(s, name)->number = x;
}

static double *add_list(source *s, const char *name, size_t n, size_t columns)
{
    setting *own = add(s, name);
    own->kind = SET_LIST;
    own->n_dims = columns > 0 ? 2 : 1;
    own->shape[0] = n;
    own->shape[1] = columns;
    own->list = calloc(n * (columns > 0 ? columns : 1) + 1, sizeof *own->list);
    assert_non_null(own->list);
    return own->list;
}

/* Whole numbers in order or at random, or real ones; of several coordinates each its own. */
static void draw_positions(source *s, const char *name, random_state *r)
{
    const size_t axes = random_chance(r, 40) ? 0 : 1 + random_below(r, 4), n = draw_rows(r, 200);
    const size_t columns = axes > 0 ? axes : 1, kind = random_below(r, 5);
    double *list = add_list(s, name, n, axes);
    const double start = (double)draw_start(r), most = random_chance(r, 50) ? 1 : 1000;
    for (size_t i = 0; i < n * columns; i++)
        list[i] = kind < 3    ? start + (double)(i / columns) + 3 * (double)(i % columns)
                  : kind == 3 ? (double)random_below(r, 10000)
                              : most * random_unit(r);
}

static void draw_grid(source *s, const char *name, const char *fallback, random_state *r)
{
    if (fallback == NULL || fallback[0] != '[') {
        add_number(s, name, (double)(3 + random_below(r, 12)));
        return;
    }
    size_t n = 1;
    for (const char *at = fallback; *at != '\0'; at++)
        n += *at == ',';
    double *list = add_list(s, name, n, 0);
    for (size_t i = 0; i < n; i++)
        list[i] = (double)(3 + random_below(r, n > 2 ? 5 : 12));
}

static bool has_word(const char *name, const char *words)
{
    const size_t length = strlen(name);
    for (const char *at = strstr(words, name); at != NULL; at = strstr(at + 1, name))
        if ((at == words || at[-1] == ' ') && (at[length] == ' ' || at[length] == '\0'))
            return true;
    return false;
}

/* Parameters without a role: most keep their default. */
static void draw_other(source *s, const char *name, const char *fallback, random_state *r)
{
    static const char *const scalings[] = {"default", "linear", "dynamic", "yarn", "llama3"};
    static const double factors[] = {2, 4, 8, 16, 40, 1.5}, contexts[] = {128, 512, 2048, 4096, 8192};
    const bool is_flag = fallback != NULL && (strcmp(fallback, "true") == 0 || strcmp(fallback, "false") == 0);
    if (has_word(name, "rope_type scaling") && random_chance(r, 60)) {
        setting *own = add(s, name);
        own->kind = SET_WORD;
        own->word = scalings[random_below(r, 5)];
    } else if (has_word(name, "factor scaling_factor scale_factor rope_factor") && random_chance(r, 70)) {
        add_number(s, name, factors[random_below(r, 6)]);
    } else if (has_word(name, "original_max_position_embeddings orig_max_position old_context_len original_seq_len "
                              "initial_context_length") &&
               random_chance(r, 70)) {
        add_number(s, name, contexts[random_below(r, 5)]);
    } else if (is_flag && random_chance(r, 30)) {
        setting *own = add(s, name);
        own->kind = SET_FLAG;
        own->number = strcmp(fallback, "false") == 0;
    } else if (fallback != NULL && random_chance(r, 15)) {
        char *end;
        const double x = strtod(fallback, &end);
        static const double times[] = {0.5, 2, 3, 4};
        if (end != fallback && *end == '\0' && x != 0)
            add_number(s, name, x * times[random_below(r, 4)]);
    }
}

static void draw_parameter(source *s, const sinpos_convention *c, size_t i, random_state *r)
{
    static const double dims[] = {16, 24, 32, 48, 64, 64, 96, 128, 6, 12, 40, 33};
    const char *name = sinpos_convention_parameter(c, i, "name"), *role = sinpos_convention_parameter(c, i, "role");
    const char *fallback = sinpos_convention_parameter(c, i, "default");
    const bool is_optional = fallback != NULL && strcmp(fallback, "null") == 0;
    if (strcmp(role, "dim") == 0) {
        add_number(s, name,
                   has_word(name, "num_freqs num_frequencies n_frequencies num_bands max_deg multires")
                       ? (double)(3 + random_below(r, 10))
                       : dims[random_below(r, 12)]);
    } else if (strcmp(role, "base") == 0) {
        if (random_chance(r, 70))
            add_number(s, name, draw_base(r));
    } else if (strcmp(role, "length") == 0) {
        add_number(s, name, (double)draw_rows(r, 300));
    } else if (strcmp(role, "start") == 0) {
        add_number(s, name, (double)draw_start(r));
    } else if (strcmp(role, "positions") == 0) {
        if (!is_optional || random_chance(r, 30))
            draw_positions(s, name, r);
    } else if (strcmp(role, "grid") == 0 || strcmp(name, "shape") == 0) {
        if (!is_optional || random_chance(r, 50))
            draw_grid(s, name, fallback, r);
    } else if (strcmp(role, "frequencies") == 0) {
        const bool is_matrix = strcmp(name, "positional_encoding_gaussian_matrix") == 0;
        const size_t m = 4 + random_below(r, 12);
        double *list = add_list(s, name, is_matrix ? 2 : m, is_matrix ? m : 0);
        for (size_t k = 0; k < m * (is_matrix ? 2 : 1); k++)
            list[k] = draw_number(r, 0.001, 0.4);
    } else if (strcmp(role, "amplitude") == 0) {
        if (random_chance(r, 30))
            add_number(s, name, draw_number(r, 0.1, 10));
    } else {
        draw_other(s, name, fallback, r);
    }
}

static bool is_usable(const source *s)
{
    array a;
    if (!source_make(&a, s, true, 1))
        return false;
    const bool fits = a.n * a.dim >= LEAST_ELEMENTS;
    array_free(&a);
    return fits;
}

static source try_convention(random_state *r, const sinpos_convention *c)
{
    source s = {.convention = sinpos_convention_name(c), .type = draw_type(r)};
    for (size_t i = 0; i < sinpos_convention_parameters(c) && s.n_settings + 6 < MOST_SETTINGS; i++)
        draw_parameter(&s, c, i, r);
    if (sinpos_convention_rows(c) == SINPOS_ROWS_GIVEN) {
        add_number(&s, "length", (double)draw_rows(r, 300));
        if (random_chance(r, 50))
            add_number(&s, "start", (double)draw_start(r));
    }
    if (sinpos_convention_text(c, "pairing") != NULL && random_chance(r, 60)) {
        static const char *const outputs[] = {"table", "cos_sin", "cis"};
        setting *own = add(&s, "output");
        own->kind = SET_WORD;
        own->word = outputs[random_below(r, 3)];
    }
    return s;
}

source draw_convention(random_state *r, size_t which)
{
    const size_t n = sinpos_conventions_count();
    for (size_t i = 0; i < n; i++) {
        const sinpos_convention *c = sinpos_convention_at((which + i) % n);
        for (size_t k = 0; k < MOST_TRIES / (i + 1) && sinpos_convention_text(c, "apart") == NULL; k++) {
            source s = try_convention(r, c);
            if (is_usable(&s))
                return s;
            source_free(&s);
        }
    }
    fail_msg("no convention takes what is drawn");
    return (source){0};
}

void source_free(source *s)
{
    for (size_t i = 0; i < s->n_settings; i++)
        free(s->settings[i].list);
    free(s->theta);
    *s = (source){0};
}

/* ---------------------------------------------------------------------------------------------------- making */

static sinpos_status set(sinpos_parameters *p, const setting *own, double nudge)
{
    switch (own->kind) {
    case SET_NUMBER: return sinpos_parameters_set_number(p, own->name, own->number * nudge);
    case SET_FLAG: return sinpos_parameters_set_flag(p, own->name, own->number != 0);
    case SET_WORD: return sinpos_parameters_set_text(p, own->name, own->word);
    case SET_LIST: break;
    }
    return sinpos_parameters_set_list(p, own->name, own->list, own->n_dims, own->shape);
}

static const char *base_parameter(const source *s)
{
    const sinpos_convention *c = sinpos_convention_find(s->convention);
    for (size_t i = 0; i < sinpos_convention_parameters(c); i++)
        if (strcmp(sinpos_convention_parameter(c, i, "role"), "base") == 0)
            return sinpos_convention_parameter(c, i, "name");
    return NULL;
}

bool source_has_base(const source *s)
{
    return s->convention == NULL ? s->theta == NULL : base_parameter(s) != NULL;
}

static sinpos_status set_all(sinpos_parameters *p, const source *s, bool meant, double nudge)
{
    const char *base = base_parameter(s);
    sinpos_status status = SINPOS_OK;
    if (base != NULL && nudge != 1) {
        const sinpos_convention *c = sinpos_convention_find(s->convention);
        for (size_t i = 0; i < sinpos_convention_parameters(c); i++) {
            const char *fallback = sinpos_convention_parameter(c, i, "default");
            if (strcmp(sinpos_convention_parameter(c, i, "name"), base) == 0 && fallback != NULL)
                status = sinpos_parameters_set_number(p, base, nudge * strtod(fallback, NULL));
        }
    }
    for (size_t i = 0; i < s->n_settings && status == SINPOS_OK; i++)
        status = set(p, &s->settings[i], base != NULL && strcmp(base, s->settings[i].name) == 0 ? nudge : 1);
    if (status == SINPOS_OK && s->arithmetic != NULL && !meant)
        status = sinpos_parameters_set_text(p, "arithmetic", s->arithmetic);
    return status;
}

static bool make_encoding(array *out, const source *s, bool meant, double nudge)
{
    sinpos_parameters *p = NULL;
    sinpos_encoding *e = NULL;
    assert_int_equal(sinpos_parameters_create(&p), SINPOS_OK);
    sinpos_status status = set_all(p, s, meant, nudge);
    if (status == SINPOS_OK)
        status = sinpos_encoding_create(&e, s->convention, p, (unsigned)s->type, NULL);
    const sinpos_encoding_info *info = sinpos_encoding_info_get(e);
    const bool is_array = status == SINPOS_OK && info->output <= SINPOS_OUTPUT_MATRIX && info->n_dims >= 2 &&
                          info->n_rows >= LEAST_ROWS && info->n_columns > 0 &&
                          info->n_rows <= MOST_ELEMENTS / info->n_columns;
    if (is_array) {
        const size_t columns = info->shape[info->n_dims - 1];
        *out = array_make(info->n_rows * info->n_columns / columns, columns, s->type);
        out->n_dims = info->n_dims;
        memcpy(out->shape, info->shape, info->n_dims * sizeof out->shape[0]);
        status = sinpos_encoding_fill(e, 0, info->n_rows, s->type, out->data, info->n_columns, 1);
        if (status != SINPOS_OK)
            array_free(out);
    }
    sinpos_encoding_destroy(e);
    sinpos_parameters_destroy(p);
    return is_array && status == SINPOS_OK;
}

static bool make_formula(array *out, const source *s, bool meant, double nudge)
{
    const sinpos_rows rows = {.struct_size = sizeof rows, .n = s->n, .first = s->start};
    sinpos_plan *plan = NULL;
    sinpos_replay *replay = NULL;
    sinpos_spec spec = s->spec;
    spec.base *= nudge;
    spec.theta = s->theta;
    if (sinpos_plan_create(&plan, &spec) != SINPOS_OK)
        return false;
    *out = array_make(s->n, spec.dim, s->type);
    sinpos_status status = SINPOS_OK;
    if (s->arithmetic == NULL || meant) {
        status = sinpos_run(plan, SINPOS_FILL, &rows, s->type, out->data, spec.dim, 1);
    } else {
        status = sinpos_replay_create(&replay, plan, s->arithmetic);
        if (status == SINPOS_OK)
            status = sinpos_replay_run(replay, SINPOS_FILL, &rows, s->type, out->data, spec.dim, 1);
        sinpos_replay_destroy(replay);
    }
    sinpos_plan_destroy(plan);
    if (status != SINPOS_OK)
        array_free(out);
    return status == SINPOS_OK;
}

bool source_make(array *out, const source *s, bool meant, double nudge)
{
    return s->convention == NULL ? make_formula(out, s, meant, nudge) : make_encoding(out, s, meant, nudge);
}

void source_print(const source *s, char *text, size_t room)
{
    size_t used = 0;
    if (s->convention == NULL) {
        snprintf(text, room,
                 "formula dim %zu base %.17g %s %s divisor %g amplitude %.17g scale %.17g start %lld rows %zu",
                 s->spec.dim, s->spec.base, s->spec.layout == SINPOS_HALVES ? "halves" : "interleaved",
                 s->spec.order == SINPOS_COS_SIN ? "cos-sin" : "sin-cos", s->spec.divisor, s->spec.amplitude,
                 s->spec.scale, (long long)s->start, s->n);
        return;
    }
    used += (size_t)snprintf(text, room, "%s", s->convention);
    for (size_t i = 0; i < s->n_settings && used + 80 < room; i++) {
        const setting *own = &s->settings[i];
        if (own->kind == SET_LIST)
            used += (size_t)snprintf(text + used, room - used, " %s=list of %zu x %zu, %g %g ...", own->name,
                                     own->shape[0], own->n_dims > 1 ? own->shape[1] : 1, own->list[0], own->list[1]);
        else if (own->kind == SET_WORD)
            used += (size_t)snprintf(text + used, room - used, " %s=%s", own->name, own->word);
        else
            used += (size_t)snprintf(text + used, room - used, " %s=%.17g", own->name, own->number);
    }
}
