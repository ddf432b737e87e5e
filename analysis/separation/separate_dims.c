/* How many columns keep positions apart. */
#include <math.h>
#include <stdlib.h>

#include "boundary.h"
#include "separate_offsets.h"

typedef struct dim_search {
    size_t n;
    double wanted;
    unsigned types;
    const crew *crew;
    sinpos_near near;
} dim_search;

/* Is not a distance below wanted? The search ends with the first that is. */
static sinpos_status apart(dim_search *d, const sinpos_plan *plan, bool *good)
{
    RELEASED_BY(tone_set_free) tone_set set = {0};
    sinpos_status status = tone_set_make(&set, plan);
    if (status != SINPOS_OK)
        return status;
    nearest found = {.at = &d->near, .room = 1, .enough = d->wanted / (2 * set.unit)};
    status = nearest_offsets(&set, set.n, 1, d->n, &found, d->crew);
    *good = found.n == 0 || d->near.distance >= found.enough;
    d->near.distance *= 2 * set.unit;
    d->near.earlier = 0;
    d->near.later = d->near.offset;
    return status;
}

static sinpos_status all_distinct(const dim_search *d, const sinpos_plan *plan, bool *good)
{
    sinpos_distinct distinct[4] = {{.has_collision = 0}};
    sinpos_collisions_options options = SINPOS_COLLISIONS_OPTIONS_INIT;
    options.n_threads = d->crew->n_threads;
    const sinpos_status status = sinpos_collisions(plan, 0, d->n, d->types, &options, distinct);
    for (int t = 0; t < 4; t++)
        *good = *good && !distinct[t].has_collision;
    return status;
}

static sinpos_status try_dim(dim_search *d, const sinpos_spec *spec, size_t dim, bool *good)
{
    sinpos_spec own = *spec;
    OWNED_PLAN sinpos_plan *plan = NULL;
    own.dim = dim;
    own.types = d->types | SINPOS_F64;
    sinpos_status status = sinpos_plan_create(&plan, &own);
    if (status != SINPOS_OK)
        return status;
    status = apart(d, plan, good);
    if (status == SINPOS_OK && *good && d->types != 0)
        status = all_distinct(d, plan, good);
    return status;
}

static bool has_any_width(const sinpos_spec *spec)
{
    const sinpos_schedule s = spec->schedule;
    return (s == SINPOS_GEOMETRIC || s == SINPOS_POWER || s == SINPOS_OCTAVE) && spec->factor == NULL;
}

static sinpos_status check_search(const sinpos_spec *spec, size_t n, double wanted, unsigned types, size_t dim_most,
                                  size_t n_threads)
{
    sinpos_spec own = *spec;
    own.dim = 2;
    own.types = types | SINPOS_F64;
    const sinpos_status status = has_any_width(spec) ? sinpos_spec_check(&own, NULL) : SINPOS_E_SPEC;
    if (status != SINPOS_OK)
        return status;
    if (n_threads > 1024)
        return SINPOS_E_VALUE;
    return n >= 2 && n <= (uint64_t)INT64_MAX && wanted >= 0 && isfinite(wanted) && dim_most >= 2 &&
                   dim_most <= SINPOS_MAX_DIM
               ? SINPOS_OK
               : SINPOS_E_VALUE;
}

sinpos_status sinpos_dim_needed(const sinpos_spec *given, size_t n, double wanted, unsigned types, size_t dim_most,
                                size_t *dim, sinpos_near *near, size_t n_threads, sinpos_progress *progress,
                                void *context)
{
    BOUNDARY;
    sinpos_spec own;
    const sinpos_spec *spec = &own;
    if (given == NULL || dim == NULL)
        return SINPOS_E_NULL;
    if (!SIZED_READ(&own, given, n_factor))
        return SINPOS_E_STRUCT;
    sinpos_status status = check_search(spec, n, wanted, types, dim_most, n_threads);
    const crew c = crew_of(n_threads, progress, context);
    const crew silent = crew_of(n_threads, NULL, NULL);
    dim_search d = {.n = n, .wanted = wanted, .types = types, .crew = &silent};
    bool good = false;
    size_t tried = 2;
    for (; status == SINPOS_OK && tried <= dim_most; tried += 2) {
        status = try_dim(&d, spec, tried, &good);
        if (status == SINPOS_E_SPEC && tried > 2) { /* octaves beyond what a frequency may be */
            status = SINPOS_OK;
            break;
        }
        if (status != SINPOS_OK || good)
            break;
        status = crew_report(&c, (double)tried / (double)dim_most);
    }
    if (status != SINPOS_OK)
        return status;
    *dim = good ? tried : 0;
    if (near != NULL && good)
        *near = d.near;
    return SINPOS_OK;
}
