/* Which rows are equal in a type: by offsets where few could make rows equal, else by hashes. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "boundary.h"
#include "elements.h"
#include "equal_rows.h"
#include "separate_offsets.h"

enum { N_TYPES = 4, OFFSETS_MOST = 4096 };

typedef struct collisions {
    const sinpos_plan *plan;
    int64_t first;
    size_t n; /* rows to be looked at: not more than a period */
    size_t n_asked;
    const sinpos_collisions_options *options;
    tone_set set;
    crew crew;
    sinpos_type type[N_TYPES];
    double *limit[N_TYPES]; /* (set.n_complete) on |sin(k theta_i / 2)| */
    double reach[N_TYPES];  /* the largest */
    bool by_offsets[N_TYPES];
    size_t n_types;
    offset_list offsets; /* the value is the set of types that cannot exclude it, by their place among those asked */
    sinpos_distinct *distinct;
    blocks memory;
} collisions;

/* Rounded alike, sine and cosine differ by at most a width each: 4 A^2 sin^2(k theta / 2) <= 2 width^2. */
static sinpos_status make_limits(collisions *c)
{
    for (size_t t = 0; t < c->n_types; t++) {
        c->limit[t] = blocks_take(&c->memory, c->set.n_complete, sizeof *c->limit[t]);
        if (c->limit[t] == NULL)
            return SINPOS_E_MEMORY;
        for (size_t i = 0; i < c->set.n_complete; i++) {
            const double amplitude = fabs(c->set.tone[i].amplitude);
            c->limit[t][i] = amplitude == 0
                                 ? INFINITY
                                 : rounding_width(c->type[t], amplitude) / amplitude * sqrt(0.5) * (1 + 0x1p-40);
            c->reach[t] = fmax(c->reach[t], c->limit[t][i]);
        }
    }
    return SINPOS_OK;
}

/* By offsets a row costs some 8 ns for each; by hashes some 100 ns and what its columns take. */
static size_t offsets_worth(const collisions *c)
{
    const size_t dim = sinpos_plan_dim(c->plan), most = 8 + dim / 32;
    return c->options->method == SINPOS_DISTINCT_OFFSETS ? OFFSETS_MOST : most < 64 ? most : 64;
}

/* The offsets for all types that go by offsets; SINPOS_E_UNSUPPORTED if there are too many. */
static sinpos_status screen(collisions *c, const crew *part)
{
    tight_limits limits = {0};
    size_t place[N_TYPES];
    c->offsets.n = 0;
    for (size_t t = 0; t < c->n_types; t++) {
        if (c->by_offsets[t]) {
            place[limits.n_types] = t;
            limits.limit[limits.n_types++] = c->limit[t];
        }
    }
    if (limits.n_types == 0)
        return SINPOS_OK;
    const sinpos_status status = tight_offsets(&c->set, &limits, 1, c->n, offsets_worth(c), &c->offsets, part);
    for (size_t i = 0; i < c->offsets.n; i++) {
        const unsigned found = (unsigned)c->offsets.at[i].value;
        unsigned types = 0;
        for (size_t t = 0; t < limits.n_types; t++)
            types |= (found >> t & 1) << place[t];
        c->offsets.at[i].value = types;
    }
    return status;
}

/* Types for which too many offsets remain go by hashes, that with the coarsest rounding first. */
static sinpos_status choose_methods(collisions *c, const crew *part)
{
    if (c->options->method == SINPOS_DISTINCT_OFFSETS && c->set.n_complete == 0)
        return SINPOS_E_UNSUPPORTED;
    for (size_t t = 0; t < c->n_types; t++)
        c->by_offsets[t] = c->options->method != SINPOS_DISTINCT_HASHES && c->set.n_complete > 0;
    for (;;) {
        const sinpos_status status = screen(c, part);
        if (status != SINPOS_E_UNSUPPORTED || c->options->method == SINPOS_DISTINCT_OFFSETS)
            return status;
        size_t coarsest = N_TYPES;
        for (size_t t = 0; t < c->n_types; t++)
            if (c->by_offsets[t] && (coarsest == N_TYPES || c->reach[t] > c->reach[coarsest]))
                coarsest = t;
        c->by_offsets[coarsest] = false;
    }
}

/*
 * Where all frequencies are rational turns, rows may repeat exactly: with a period below n the first period decides.
 * Sines of other schedules are never zero; frequencies so small that float64 could take them for zero are left alone.
 */
static bool may_repeat(const collisions *c, double *theta, size_t capacity)
{
    size_t n;
    bool may = sinpos_plan_theta(c->plan, theta, capacity, &n) == SINPOS_OK;
    for (size_t i = 0; i < n; i++)
        may = may && (theta[i] == 0 || fabs(theta[i]) > 0x1p-600);
    for (size_t i = 0; i < c->set.n; i++)
        may = may && c->set.tone[i].in_turns && (c->set.ratio[i] == 0 || c->set.ratio[i] > 0x1p-300);
    return may;
}

static sinpos_status cut_to_period(collisions *c, const crew *part)
{
    size_t n;
    sinpos_near pair;
    nearest found = {.at = &pair, .room = 1};
    sinpos_status status = sinpos_plan_theta(c->plan, NULL, 0, &n);
    double *theta = blocks_take(&c->memory, n, sizeof *theta);
    status = status == SINPOS_OK ? blocks_status(&c->memory) : status;
    if (status == SINPOS_OK && may_repeat(c, theta, n))
        status = nearest_offsets(&c->set, c->set.n, 1, c->n, &found, part);
    if (status == SINPOS_OK && found.n == 1 && pair.distance == 0)
        c->n = (size_t)pair.offset;
    return status;
}

static row_source source_of(const collisions *c, sinpos_type type)
{
    const size_t dim = sinpos_plan_dim(c->plan);
    return (row_source){.plan = c->plan,
                        .type = type,
                        .first = c->first,
                        .n = c->n,
                        .dim = dim,
                        .row_bytes = dim * sinpos_type_bytes(type)};
}

static sinpos_status pairs_of_type(collisions *c, size_t t, equal_rows *equal, const crew *part)
{
    const row_source source = source_of(c, c->type[t]);
    int64_t *offsets = blocks_take(&c->memory, c->offsets.n, sizeof *offsets);
    size_t n = 0;
    if (offsets == NULL)
        return SINPOS_E_MEMORY;
    for (size_t i = 0; i < c->offsets.n; i++)
        if ((unsigned)c->offsets.at[i].value >> t & 1)
            offsets[n++] = c->offsets.at[i].offset;
    const sinpos_status status = equal_by_offsets(&source, &c->set, c->limit[t], offsets, n, equal, part);
    c->distinct[t].n_offsets = n;
    return status;
}

static sinpos_status look_at_type(collisions *c, size_t t, const crew *part)
{
    sinpos_distinct *d = &c->distinct[t];
    equal_rows equal = {0, NOWHERE, NOWHERE};
    sinpos_status status;
    d->type = c->type[t];
    if (c->by_offsets[t]) {
        d->method = SINPOS_DISTINCT_OFFSETS;
        status = pairs_of_type(c, t, &equal, part);
    } else {
        const row_source source = source_of(c, c->type[t]);
        d->method = SINPOS_DISTINCT_HASHES;
        status =
            equal_by_hashes(&source, c->options->memory_bytes, c->options->folder, &equal, &d->temporary_bytes, part);
    }
    if (equal.n_again == 0 && c->n < c->n_asked) { /* the second period begins */
        equal.earlier = 0;
        equal.later = c->n;
    }
    d->n_distinct = c->n - equal.n_again;
    d->has_collision = d->n_distinct < c->n_asked;
    d->earlier = d->has_collision ? c->first + (int64_t)equal.earlier : 0;
    d->later = d->has_collision ? c->first + (int64_t)equal.later : 0;
    return status;
}

static sinpos_status look(collisions *c)
{
    const crew period = crew_part(&c->crew, 0, 0.1), screening = crew_part(&c->crew, 0.1, 0.1);
    sinpos_status status = make_limits(c);
    if (status == SINPOS_OK)
        status = cut_to_period(c, &period);
    if (status == SINPOS_OK)
        status = choose_methods(c, &screening);
    for (size_t t = 0; t < c->n_types && status == SINPOS_OK; t++) {
        const double span = 0.8 / (double)c->n_types;
        const crew part = crew_part(&c->crew, 0.2 + span * (double)t, span);
        status = look_at_type(c, t, &part);
    }
    return status;
}

static sinpos_status take_types(collisions *c, unsigned types)
{
    static const sinpos_type all[N_TYPES] = {SINPOS_F64, SINPOS_F32, SINPOS_F16, SINPOS_BF16};
    const unsigned known = SINPOS_F64 | SINPOS_F32 | SINPOS_F16 | SINPOS_BF16;
    if (types == 0 || (types & ~known) != 0)
        return SINPOS_E_TYPE;
    for (size_t t = 0; t < N_TYPES; t++) {
        if ((types & (unsigned)all[t]) == 0)
            continue;
        const sinpos_status status = sinpos_fill(c->plan, c->first, 0, all[t], NULL, sinpos_plan_dim(c->plan));
        if (status != SINPOS_OK)
            return status;
        c->type[c->n_types++] = all[t];
    }
    return SINPOS_OK;
}

static sinpos_status read_options(sinpos_collisions_options *own, const sinpos_collisions_options *options)
{
    if (options != NULL && !SIZED_READ(own, options, context))
        return SINPOS_E_STRUCT;
    if ((unsigned)own->method > SINPOS_DISTINCT_HASHES)
        return SINPOS_E_VALUE;
    return own->folder == NULL ? SINPOS_E_NULL : SINPOS_OK;
}

sinpos_status sinpos_collisions(const sinpos_plan *plan, int64_t first, size_t n, unsigned types,
                                const sinpos_collisions_options *options, sinpos_distinct *distinct)
{
    BOUNDARY;
    sinpos_collisions_options given = SINPOS_COLLISIONS_OPTIONS_INIT;
    sinpos_distinct found[N_TYPES] = {{.has_collision = 0}};
    collisions c = {.plan = plan, .first = first, .n = n, .n_asked = n, .options = &given, .distinct = found};
    if (plan == NULL || distinct == NULL)
        return SINPOS_E_NULL;
    sinpos_status status = read_options(&given, options);
    status = status == SINPOS_OK ? range_check(plan, first, n, given.n_threads) : status;
    status = status == SINPOS_OK ? take_types(&c, types) : status;
    if (status != SINPOS_OK || (status = tone_set_make(&c.set, plan)) != SINPOS_OK)
        return status;
    c.crew = crew_of(given.n_threads, given.progress, given.context);
    status = look(&c);
    if (status == SINPOS_OK)
        memcpy(distinct, found, c.n_types * sizeof *distinct);
    const int error = errno;
    blocks_free(&c.memory);
    free(c.offsets.at);
    tone_set_free(&c.set);
    errno = error;
    return status;
}
