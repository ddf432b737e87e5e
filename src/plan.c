/* Making a plan: its arguments, its one block of memory, and what can be asked of it. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "internal.h"

/* ---------------------------------------------------------------------------------------------- Checking */

static sinpos_status take_column(ptrdiff_t column, const char *name, size_t dim, unsigned char *used,
                                 sinpos_error *error)
{
    if (column == SINPOS_NO_COLUMN)
        return SINPOS_OK;
    if (column < 0 || (size_t)column >= dim)
        return error_set(error, name, "a column must be below dim, or SINPOS_NO_COLUMN");
    if (used[column])
        return error_set(error, name, "another sine or cosine has this column");
    used[column] = 1;
    return SINPOS_OK;
}

static sinpos_status check_axes(const sinpos_tone *t, size_t n_axes, sinpos_error *error)
{
    if (t->axis >= n_axes)
        return error_set(error, "axis", "axis must be below n_axes");
    for (size_t i = 0; t->more != NULL && i < t->more->n_listens; i++)
        if (t->more->listens[i].axis >= n_axes)
            return error_set(error, "more.listens", "the axis of a further coordinate must be below n_axes");
    return SINPOS_OK;
}

/* *t is the caller's, and becomes the library's own where it points to more. */
static sinpos_status read_tone(sinpos_tone *own, sinpos_tone_more *more, const sinpos_tone **t, sinpos_error *error)
{
    if ((*t)->more == NULL)
        return SINPOS_OK;
    const sinpos_tone_more *given = (*t)->more;
    *own = **t;
    own->more = more;
    *t = own;
    if (SIZED_READ(more, given, n_listens))
        return SINPOS_OK;
    error_set(error, "more.struct_size",
              "struct_size must be sizeof(sinpos_tone_more), and unknown fields 0: "
              "start from SINPOS_TONE_MORE_INIT");
    return error->status = SINPOS_E_STRUCT;
}

/* known: the tone comes from a specification that was checked. */
static sinpos_status check_tone(const sinpos_tone *t, size_t dim, size_t n_axes, unsigned types, bool known,
                                unsigned char *used, sinpos_error *error)
{
    if (t->more != NULL && t->more->n_listens >= n_axes)
        return error_set(error, "more.n_listens", "n_listens must be less than the number of coordinates");
    sinpos_status status = known ? SINPOS_OK : tone_check(t, error);
    status = status != SINPOS_OK ? status : check_axes(t, n_axes, error);
    status = status != SINPOS_OK ? status : take_column(t->sin_column, "sin_column", dim, used, error);
    status = status != SINPOS_OK ? status : take_column(t->cos_column, "cos_column", dim, used, error);
    if (status != SINPOS_OK || known)
        return status;
    return amplitude_check(t->more == NULL ? fabs(t->amplitude) : tone_amplitude_size(t), types, error);
}

/* -------------------------------------------------------------------------------------------- Allocation */

/* A part of the plan's one block: taken (base not NULL) or only counted. */
static void *part(char *base, size_t *at, size_t n, size_t bytes)
{
    void *here = base == NULL ? NULL : base + *at;
    *at += (n * bytes + 63) / 64 * 64;
    return here;
}

static void partition_more(sinpos_plan *plan, char *base, size_t *at)
{
    plan_more *more = part(base, at, 1, sizeof *plan->more), counted;
    plan->more = more;
    more = more == NULL ? &counted : more;
    more->tones = part(base, at, plan->n_more, sizeof *more->tones);
    more->listens = part(base, at, plan->n_further, sizeof *more->listens);
    more->further = part(base, at, plan->n_further, sizeof *more->further);
    more->further_of = part(base, at, plan->n_padded + 1, sizeof *more->further_of);
    more->amplitude_low = part(base, at, plan->n_padded, sizeof(double));
}

static void partition(sinpos_plan *plan, char *base, size_t *at)
{
    const size_t n = plan->n_padded;
    *at = (sizeof *plan + 63) / 64 * 64;
    plan->tones = part(base, at, plan->n_tones, sizeof *plan->tones);
    plan->tone_of = part(base, at, n, sizeof *plan->tone_of);
    plan->turns = part(base, at, n, sizeof *plan->turns);
    plan->segments = part(base, at, plan->n_segments, sizeof *plan->segments);
    plan->zero_columns = part(base, at, plan->n_zero_columns, sizeof *plan->zero_columns);
    for (int k = 0; k < 3; k++)
        plan->u[k] = part(base, at, n, sizeof(double));
    for (int k = 0; k < 3; k++)
        plan->r[k] = part(base, at, n, sizeof(double));
    for (int k = 0; k < 2; k++)
        plan->phase[k] = plan->has_phase ? part(base, at, n, sizeof(double)) : NULL;
    plan->phase_rest = plan->has_phase ? part(base, at, n, sizeof(double)) : NULL;
    plan->phase_eighths = plan->has_phase ? part(base, at, n, sizeof(double)) : NULL;
    plan->amplitude = part(base, at, n, sizeof(double));
    plan->bound = part(base, at, n, sizeof(double));
    plan->slope = part(base, at, n, sizeof(double));
    plan->u_after = part(base, at, n / LANES, sizeof(double));
    plan->rotation_sin = part(base, at, (REACH + 1) * n, sizeof(double));
    plan->rotation_cos = part(base, at, (REACH + 1) * n, sizeof(double));
    if (plan->types & SINPOS_F64) {
        plan->rotation_sin_low = part(base, at, (REACH + 1) * n, sizeof(float));
        plan->rotation_cos_low = part(base, at, (REACH + 1) * n, sizeof(float));
    }
    if (plan->types & (SINPOS_F16 | SINPOS_BF16)) {
        plan->rotation_sin_floats = part(base, at, (REACH + 1) * n, sizeof(float));
        plan->rotation_cos_floats = part(base, at, (REACH + 1) * n, sizeof(float));
    }
    plan->turn_bits = plan->types & SINPOS_BF16 ? part(base, at, n, sizeof(uint64_t)) : NULL;
    plan->more = NULL;
    if (plan->n_more > 0)
        partition_more(plan, base, at);
}

static sinpos_plan *allocate(const sinpos_plan *shape)
{
    sinpos_plan counted = *shape;
    size_t bytes;
    partition(&counted, NULL, &bytes);
    char *base = ALIGNED_ALLOC(bytes);
    if (base == NULL)
        return NULL;
    sinpos_plan *plan = (sinpos_plan *)base;
    *plan = *shape;
    partition(plan, base, &plan->bytes);
    return plan;
}

/* ---------------------------------------------------------------------------------------------- Creation */

static void set_tone_of(sinpos_plan *plan, const uint32_t *list)
{
    memset(plan->tone_of, 0xff, plan->n_padded * sizeof *plan->tone_of);
    for (size_t s = 0; s < plan->n_segments; s++) {
        memcpy(plan->tone_of + plan->segments[s].first, list, plan->segments[s].count * sizeof *list);
        list += plan->segments[s].count;
    }
}

static void set_zero_columns(sinpos_plan *plan, const unsigned char *used)
{
    size_t n = 0;
    for (size_t j = 0; n < plan->n_zero_columns; j++)
        if (!used[j])
            plan->zero_columns[n++] = (uint32_t)j;
}

/* The plan's tones point to the plan's own copies. */
static void copy_more(sinpos_plan *plan)
{
    size_t n = 0, n_listens = 0;
    for (size_t i = 0; i < plan->n_tones && plan->more != NULL; i++) {
        if (plan->tones[i].more == NULL)
            continue;
        sinpos_tone_more *own = &plan->more->tones[n++];
        if (!SIZED_READ(own, plan->tones[i].more, n_listens)) /* it was read before */
            continue;
        sinpos_listen *listens = plan->more->listens + n_listens;
        for (size_t k = 0; k < own->n_listens; k++)
            listens[k] = own->listens[k];
        n_listens += own->n_listens;
        own->listens = own->n_listens > 0 ? listens : NULL;
        plan->tones[i].more = own;
    }
}

static void fill_in(sinpos_plan *plan, const sinpos_tone *tones, const uint32_t *list, const segment *segments,
                    const unsigned char *used)
{
    if (plan->n_tones > 0) { /* else tones may be NULL, which memcpy must not see */
        memcpy(plan->tones, tones, plan->n_tones * sizeof *tones);
        memcpy(plan->segments, segments, plan->n_segments * sizeof *segments);
    }
    copy_more(plan);
    set_tone_of(plan, list);
    set_zero_columns(plan, used);
    plan_set_numbers(plan);
}

/* Everything after the checks; used[j]: a tone names column j. */
static sinpos_status create_checked(sinpos_plan **out, sinpos_plan *shape, const sinpos_tone *tones,
                                    const unsigned char *used)
{
    uint32_t *list = malloc((shape->n_tones + 1) * sizeof *list);
    segment *segments = malloc((shape->n_tones + 1) * sizeof *segments);
    sinpos_plan *plan = NULL;
    if (list != NULL && segments != NULL && tones_sort(tones, shape->n_tones, shape->n_axes, list)) {
        segments_lay_out(tones, list, shape->n_tones, segments, &shape->n_segments, &shape->n_padded);
        plan = allocate(shape);
    }
    if (plan != NULL)
        fill_in(plan, tones, list, segments, used);
    free(list);
    free(segments);
    *out = plan;
    return plan != NULL ? SINPOS_OK : SINPOS_E_MEMORY;
}

/* What a checked tone adds to the shape of its plan. */
static void count_tone(sinpos_plan *shape, const sinpos_tone *t)
{
    const double amplitude = t->more == NULL ? fabs(t->amplitude) : tone_amplitude_size(t);
    if (amplitude > shape->largest_amplitude)
        shape->largest_amplitude = amplitude;
    shape->n_zero_columns -= (size_t)((t->sin_column != SINPOS_NO_COLUMN) + (t->cos_column != SINPOS_NO_COLUMN));
    shape->has_phase = shape->has_phase || tone_has_phase(t);
    shape->n_more += t->more != NULL;
    shape->n_further += t->more != NULL ? t->more->n_listens : 0;
}

static sinpos_status check_sizes(size_t dim, size_t n_axes, size_t n_tones, unsigned types, sinpos_error *error)
{
    if (dim == 0 || dim > SINPOS_MAX_DIM)
        return error_set(error, "dim", "dim must be between 1 and 2^31");
    if (n_axes == 0 || n_axes > SINPOS_MAX_AXES)
        return error_set(error, "n_axes", "n_axes must be between 1 and 1024");
    if (n_tones > dim)
        return error_set(error, "n_tones", "there must not be more tones than columns");
    if (types & ~(unsigned)ALL_TYPES)
        return error_set(error, "types", "types must be a set of element types");
    return SINPOS_OK;
}

static sinpos_status create(sinpos_plan **out, size_t dim, size_t n_axes, const sinpos_tone *tones, size_t n_tones,
                            unsigned types, bool known, sinpos_error *error)
{
    if (tones == NULL && n_tones > 0)
        return SINPOS_E_NULL;
    sinpos_status status = check_sizes(dim, n_axes, n_tones, types, error);
    if (status != SINPOS_OK)
        return status;
    unsigned char *used = calloc(dim, 1);
    if (used == NULL)
        return SINPOS_E_MEMORY;
    sinpos_plan shape = {
        .dim = dim, .n_axes = n_axes, .n_tones = n_tones, .types = types ? types : ALL_TYPES, .n_zero_columns = dim};
    for (size_t i = 0; i < n_tones && status == SINPOS_OK; i++) {
        const sinpos_tone *tone = &tones[i];
        sinpos_tone own;
        sinpos_tone_more more;
        error->tone = i;
        status = read_tone(&own, &more, &tone, error);
        status = status != SINPOS_OK ? status : check_tone(tone, dim, n_axes, types, known, used, error);
        if (status == SINPOS_OK)
            count_tone(&shape, tone);
    }
    if (status == SINPOS_OK)
        status = create_checked(out, &shape, tones, used);
    free(used);
    return status;
}

sinpos_status sinpos_plan_create_tones(sinpos_plan **out, size_t dim, size_t n_axes, const sinpos_tone *tones,
                                       size_t n_tones, unsigned types, sinpos_error *error)
{
    BOUNDARY;
    sinpos_error found = SINPOS_ERROR_INIT;
    if (out == NULL)
        return SINPOS_E_NULL;
    *out = NULL;
    if (!error_is_fit(error))
        return SINPOS_E_STRUCT;
    return error_give(error, &found, create(out, dim, n_axes, tones, n_tones, types, false, &found));
}

sinpos_status sinpos_spec_tones(const sinpos_spec *spec, sinpos_tone *tones, size_t capacity)
{
    BOUNDARY;
    sinpos_spec own;
    sinpos_error found;
    const sinpos_status status = spec_read(&own, spec, &found);
    if (status != SINPOS_OK)
        return status;
    const size_t n = spec_frequencies(&own);
    if (capacity < n)
        return SINPOS_E_CAPACITY;
    if (tones == NULL && n > 0)
        return SINPOS_E_NULL;
    spec_tones(&own, tones, n);
    return SINPOS_OK;
}

sinpos_status sinpos_plan_create(sinpos_plan **out, const sinpos_spec *given)
{
    BOUNDARY;
    sinpos_spec spec;
    sinpos_error found;
    if (out == NULL)
        return SINPOS_E_NULL;
    *out = NULL;
    sinpos_status status = spec_read(&spec, given, &found);
    if (status != SINPOS_OK)
        return status;
    const size_t n = spec_frequencies(&spec);
    sinpos_tone *tones = malloc((n + 1) * sizeof *tones);
    if (tones == NULL)
        return SINPOS_E_MEMORY;
    spec_tones(&spec, tones, n);
    /* a schedule between two ends that were checked is within range; lists are not that regular */
    const bool known = spec.factor == NULL && spec.theta == NULL;
    status = create(out, spec.dim, 1, tones, n, spec.types, known, &found);
    free(tones);
    return status;
}

void sinpos_plan_destroy(sinpos_plan *plan)
{
    BOUNDARY;
    ALIGNED_FREE(plan);
}

size_t sinpos_plan_dim(const sinpos_plan *plan)
{
    BOUNDARY;
    return plan == NULL ? 0 : plan->dim;
}

size_t sinpos_plan_axes(const sinpos_plan *plan)
{
    BOUNDARY;
    return plan == NULL ? 0 : plan->n_axes;
}

size_t sinpos_plan_bytes(const sinpos_plan *plan)
{
    BOUNDARY;
    return plan == NULL ? 0 : plan->bytes;
}

/* What is asked of a list of the plan's tones: how many there are, and is there room for them? */
static sinpos_status count_tones(const sinpos_plan *plan, const void *list, size_t capacity, size_t *n_tones)
{
    if (plan == NULL || n_tones == NULL)
        return SINPOS_E_NULL;
    *n_tones = plan->n_tones;
    return list != NULL && capacity < plan->n_tones ? SINPOS_E_CAPACITY : SINPOS_OK;
}

sinpos_status sinpos_plan_theta(const sinpos_plan *plan, double *theta_rad, size_t capacity, size_t *n_tones)
{
    BOUNDARY;
    const sinpos_status status = count_tones(plan, theta_rad, capacity, n_tones);
    if (status != SINPOS_OK || theta_rad == NULL)
        return status;
    for (size_t i = 0; i < plan->n_padded; i++)
        if (plan->tone_of[i] != UINT32_MAX)
            theta_rad[plan->tone_of[i]] = element_theta(&plan->tones[plan->tone_of[i]]);
    return SINPOS_OK;
}

sinpos_status sinpos_plan_tones(const sinpos_plan *plan, sinpos_tone *tones, size_t capacity, size_t *n_tones)
{
    BOUNDARY;
    const sinpos_status status = count_tones(plan, tones, capacity, n_tones);
    if (status == SINPOS_OK && tones != NULL && plan->n_tones > 0)
        memcpy(tones, plan->tones, plan->n_tones * sizeof *tones);
    return status;
}
