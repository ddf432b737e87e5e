/* diff_definition.c - rows of a definition: an identity with other numbers, any positions and any rounding. */
#include "diff.h"
#include "identify.h"

/* Does the plan alone make the array? */
static bool is_plain(const sinpos_identity *identity)
{
    return identity->n_raw_first + identity->n_raw_last == 0 && (identity->n_pad == 0 || identity->pad_value == 0) &&
           identity->column_factor == NULL && identity->column_offset == NULL && identity->dropped == 0 &&
           identity->columns == NULL && identity->first_row == 0;
}

bool diff_definition_of(diff_definition *definition, const sinpos_identity *identity, sinpos_type type)
{
    return diff_numbers_of(definition, identity, type) && is_plain(identity);
}

/* Frequencies that float32 code rounded are still those of the formula. */
double diff_base_of(const sinpos_identity *identity)
{
    const sinpos_identity_axis *axis = &identity->axis[0];
    return identity->n_axes == 1 && axis->rounded_to == 24 ? axis->rounded_base : axis->base;
}

double diff_divisor_of(const sinpos_identity *identity)
{
    const sinpos_identity_axis *axis = &identity->axis[0];
    return identity->n_axes == 1 && axis->rounded_to == 24 ? axis->rounded_divisor : axis->divisor;
}

bool diff_numbers_of(diff_definition *definition, const sinpos_identity *identity, sinpos_type type)
{
    *definition = (diff_definition){.identity = identity, .type = type, .arithmetic = NULL};
    if (!identity->is_sinusoidal || identity->view != SINPOS_VIEW_ROWS || identity->plan == NULL ||
        identity->n_others > 0)
        return false;
    const sinpos_identity_axis *axis = &identity->axis[0];
    definition->has_law = axis->law == SINPOS_LAW_GEOMETRIC;
    for (size_t k = 1; k < identity->n_axes; k++) {
        const sinpos_identity_axis *other = &identity->axis[k];
        definition->has_law = definition->has_law && other->law == axis->law && other->base == axis->base &&
                              other->divisor == axis->divisor && other->scale == axis->scale;
    }
    definition->has_rows = identity->n_axes == 1 && identity->positions == NULL && axis->size == 0;
    definition->is_rounded = identity->n_axes == 1 && axis->rounded_to == 24;
    definition->has_law = definition->has_law || definition->is_rounded;
    definition->base = diff_base_of(identity);
    definition->divisor = diff_divisor_of(identity);
    definition->start = axis->start;
    definition->step = axis->step;
    definition->amplitude = identity->amplitude;
    return true;
}

static void change(const diff_definition *definition, sinpos_tone *tone, size_t k)
{
    if (definition->is_rounded) {
        tone->schedule = SINPOS_GEOMETRIC;
        tone->in_turns = 0;
        tone->index = (double)definition->identity->tone_index[k];
        tone->scale = definition->identity->axis[0].rounded_scale;
    }
    if (definition->has_law && tone->schedule == SINPOS_GEOMETRIC) {
        tone->base = definition->base;
        tone->divisor = definition->divisor;
    }
    tone->amplitude = definition->amplitude;
}

sinpos_status diff_definition_plan(diff_definition *definition)
{
    const sinpos_identity *identity = definition->identity;
    size_t n = identity->n_tones;
    sinpos_tone *list = calloc(n + 1, sizeof *list);
    diff_definition_free(definition);
    if (list == NULL)
        return SINPOS_E_MEMORY;
    sinpos_status status = sinpos_plan_tones(identity->plan, list, n, &n);
    for (size_t k = 0; k < n && status == SINPOS_OK; k++)
        change(definition, &list[k], k);
    if (status == SINPOS_OK) {
        const unsigned types = (unsigned)definition->type | SINPOS_F64;
        status = sinpos_plan_create_tones(&definition->plan, identity->dim, identity->n_axes, list, n, types, NULL);
    }
    free(list);
    if (status == SINPOS_OK && definition->arithmetic != NULL)
        status = sinpos_replay_create(&definition->replay, definition->plan, definition->arithmetic);
    return status;
}

void diff_definition_free(diff_definition *definition)
{
    sinpos_plan_destroy(definition->plan);
    sinpos_replay_destroy(definition->replay);
    definition->plan = NULL;
    definition->replay = NULL;
}

double diff_position(const diff_definition *definition, size_t row, size_t axis)
{
    const sinpos_identity *identity = definition->identity;
    if (row == SINPOS_NONE)
        return NAN;
    const double p = definition->has_rows ? definition->start + definition->step * (double)row
                     : row < identity->n  ? id_position(identity, row, axis)
                                          : NAN;
    return definition->positions != 0 ? round_to(p, definition->positions) : p;
}

/* Rows of which the definition knows no position are NaN. */
static sinpos_status make_rows(const diff_definition *definition, const size_t *rows, size_t n, double *out,
                               size_t n_threads)
{
    const sinpos_identity *identity = definition->identity;
    const size_t n_axes = identity->n_axes, dim = identity->dim;
    double *p = malloc((n * n_axes + 1) * sizeof *p);
    void *raw = malloc(n * dim * sinpos_type_bytes(definition->type) + 1);
    const sinpos_rows at = {.struct_size = sizeof at, .n = n, .reals = p};
    sinpos_status status = p == NULL || raw == NULL ? SINPOS_E_MEMORY : SINPOS_OK;
    for (size_t i = 0; i < n * n_axes && status == SINPOS_OK; i++) {
        const double position = diff_position(definition, rows[i / n_axes], i % n_axes);
        p[i] = isnan(position) ? 0 : position;
    }
    if (status == SINPOS_OK)
        status = definition->replay != NULL
                     ? sinpos_replay_run(definition->replay, SINPOS_FILL, &at, definition->type, raw, dim, n_threads)
                     : sinpos_run(definition->plan, SINPOS_FILL, &at, definition->type, raw, dim, n_threads);
    if (status == SINPOS_OK)
        widen(out, raw, definition->type, n * dim);
    for (size_t i = 0; i < n && status == SINPOS_OK; i++) {
        const bool is_zero = rows[i] < identity->n && id_is_zero_row(identity, rows[i]);
        for (size_t j = 0; j < dim && (is_zero || isnan(diff_position(definition, rows[i], 0))); j++)
            out[i * dim + j] = is_zero ? 0 : NAN;
    }
    free(raw);
    free(p);
    return status;
}

sinpos_status diff_definition_rows(const diff_definition *definition, const size_t *rows, size_t n, double *out,
                                   size_t n_threads)
{
    if (definition->runs.n == 0)
        return make_rows(definition, rows, n, out, n_threads);
    size_t *own = malloc((n + 1) * sizeof *own);
    if (own == NULL)
        return SINPOS_E_MEMORY;
    for (size_t i = 0; i < n; i++)
        own[i] = diff_row_of(&definition->runs, rows[i], SIZE_MAX - 1);
    const sinpos_status status = make_rows(definition, own, n, out, n_threads);
    free(own);
    return status;
}

/* ------------------------------------------------------------------------------------------------ sources */

/* Rows of A, those that follow each other at once. */
static sinpos_status take_rows(const diff_source *source, const size_t *rows, size_t n, double *out)
{
    const diff_side *side = source->side;
    const size_t dim = side->dim;
    sinpos_status status = SINPOS_OK;
    for (size_t i = 0, some = 1; i < n && status == SINPOS_OK; i += some, some = 1) {
        const size_t first = diff_row_of(&source->runs, rows[i], side->n);
        if (first == SINPOS_NONE) {
            for (size_t j = 0; j < dim; j++)
                out[i * dim + j] = NAN;
            continue;
        }
        while (i + some < n && diff_row_of(&source->runs, rows[i + some], side->n) == first + some)
            some++;
        status = diff_side_read(side, first, some, out + i * dim);
    }
    return status;
}

sinpos_status diff_source_rows(const diff_source *source, const size_t *rows, size_t n, double *out, size_t n_threads)
{
    return source->side != NULL ? take_rows(source, rows, n, out)
                                : diff_definition_rows(&source->definition, rows, n, out, n_threads);
}

sinpos_status diff_take_partners(diff_job *job, const diff_source *source)
{
    return diff_source_rows(source, job->sample.row, job->sample.n, job->partner, job->n_threads);
}
