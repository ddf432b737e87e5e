/* The smallest distances between exact rows. */
#include <stdlib.h>
#include <string.h>

#include "boundary.h"
#include "separate_offsets.h"

enum { NEAR_MOST = 4096 };

/* Where a tone lacks a column, sums of two positions are needed. */
static sinpos_status sums_check(const tone_set *set, int64_t first, size_t n)
{
    const int64_t most = (int64_t)1 << 62;
    const bool fits = first > -most && first < most && n < (uint64_t)(most - (first > 0 ? first : 0));
    return set->n == set->n_complete || fits ? SINPOS_OK : SINPOS_E_RANGE;
}

/* Of offsets from .. to - 1. */
static sinpos_status nearest_of(const tone_set *set, int64_t first, size_t n, uint64_t from, uint64_t to, nearest *near,
                                const crew *c)
{
    if (set->n == set->n_complete)
        return nearest_offsets(set, set->n, from, to, near, c);
    return from == 1 && to == n ? nearest_pairs(set, first, n, near, c) : SINPOS_E_UNSUPPORTED;
}

/* From units of the set; a pair that any other of its offset equals is the first. */
static void settle_pair(sinpos_near *pair, const tone_set *set, int64_t first)
{
    pair->distance *= 2 * set->unit;
    if (set->n == set->n_complete) {
        pair->earlier = first;
        pair->later = first + pair->offset;
    }
}

static sinpos_status nearest_in(const sinpos_plan *plan, int64_t first, size_t n, uint64_t from, uint64_t to,
                                sinpos_near *near, size_t *n_near, const crew *c)
{
    RELEASED_BY(tone_set_free) tone_set set = {0};
    sinpos_status status = tone_set_make(&set, plan);
    if (status != SINPOS_OK)
        return status;
    nearest found = {.at = calloc(*n_near, sizeof *near), .room = *n_near};
    status = found.at == NULL ? SINPOS_E_MEMORY : sums_check(&set, first, n);
    if (status == SINPOS_OK)
        status = nearest_of(&set, first, n, from, to, &found, c);
    for (size_t i = 0; i < found.n && status == SINPOS_OK; i++) {
        near[i] = found.at[i];
        settle_pair(&near[i], &set, first);
    }
    *n_near = status == SINPOS_OK ? found.n : *n_near;
    free(found.at);
    return status;
}

static sinpos_status part_check(const sinpos_plan *plan, int64_t first, size_t n, const sinpos_near *near,
                                const size_t *n_near, size_t n_threads)
{
    if (plan == NULL || near == NULL || n_near == NULL)
        return SINPOS_E_NULL;
    const sinpos_status status = range_check(plan, first, n, n_threads);
    if (status != SINPOS_OK)
        return status;
    return *n_near < 1 || *n_near > NEAR_MOST ? SINPOS_E_VALUE : SINPOS_OK;
}

sinpos_status sinpos_separation(const sinpos_plan *plan, int64_t first, size_t n, sinpos_near *near, size_t *n_near,
                                size_t n_threads, sinpos_progress *progress, void *context)
{
    BOUNDARY;
    const sinpos_status status = part_check(plan, first, n, near, n_near, n_threads);
    const crew c = crew_of(n_threads, progress, context);
    return status == SINPOS_OK ? nearest_in(plan, first, n, 1, n, near, n_near, &c) : status;
}

sinpos_status sinpos_separation_part(const sinpos_plan *plan, int64_t first, size_t n, uint64_t from, uint64_t to,
                                     sinpos_near *near, size_t *n_near, size_t n_threads, sinpos_progress *progress,
                                     void *context)
{
    BOUNDARY;
    const sinpos_status status = part_check(plan, first, n, near, n_near, n_threads);
    const crew c = crew_of(n_threads, progress, context);
    if (status == SINPOS_OK && (from < 1 || from > to || to > n))
        return SINPOS_E_VALUE;
    return status == SINPOS_OK ? nearest_in(plan, first, n, from, to, near, n_near, &c) : status;
}

/* ------------------------------------------------------------------------------------------------ lengths */

typedef struct ordered {
    size_t length, place;
} ordered;

static int by_length(const void *a, const void *b)
{
    const ordered *x = a, *y = b;
    return (x->length > y->length) - (x->length < y->length);
}

/* Each length goes on from the nearest pair of the one before; where tones lack a column, each starts again. */
static sinpos_status over_lengths(const tone_set *set, int64_t first, const ordered *order, size_t n, sinpos_near *near,
                                  const crew *c)
{
    sinpos_near best;
    nearest found = {.at = &best, .room = 1};
    const double whole = (double)order[n - 1].length;
    size_t from = 1;
    sinpos_status status = SINPOS_OK;
    for (size_t i = 0; i < n && status == SINPOS_OK; i++) {
        const size_t to = order[i].length;
        const crew part = crew_part(c, (double)from / whole, (double)(to - from) / whole);
        if (set->n == set->n_complete) {
            status = nearest_offsets(set, set->n, from, to, &found, &part);
        } else {
            found.n = 0;
            status = nearest_pairs(set, first, to, &found, &part);
        }
        from = to;
        near[order[i].place] = best;
    }
    for (size_t i = 0; i < n && status == SINPOS_OK; i++)
        settle_pair(&near[i], set, first);
    return status;
}

static sinpos_status sorted_lengths(const size_t *lengths, size_t n, ordered **order)
{
    *order = NULL;
    for (size_t i = 0; i < n; i++)
        if (lengths[i] < 2)
            return SINPOS_E_VALUE;
    *order = n > SIZE_MAX / sizeof **order ? NULL : calloc(n + 1, sizeof **order);
    if (*order == NULL)
        return SINPOS_E_MEMORY;
    for (size_t i = 0; i < n; i++)
        (*order)[i] = (ordered){lengths[i], i};
    qsort(*order, n, sizeof **order, by_length);
    return SINPOS_OK;
}

sinpos_status sinpos_separation_lengths(const sinpos_plan *plan, int64_t first, const size_t *lengths, size_t n_lengths,
                                        sinpos_near *near, size_t n_threads, sinpos_progress *progress, void *context)
{
    BOUNDARY;
    RELEASED_BY(tone_set_free) tone_set set = {0};
    OWNED ordered *order = NULL;
    if (plan == NULL || (n_lengths > 0 && (lengths == NULL || near == NULL)))
        return SINPOS_E_NULL;
    if (n_lengths == 0)
        return range_check(plan, first, 0, n_threads);
    sinpos_status status = sorted_lengths(lengths, n_lengths, &order);
    if (status != SINPOS_OK)
        return status;
    status = range_check(plan, first, order[n_lengths - 1].length, n_threads);
    if (status == SINPOS_OK && (status = tone_set_make(&set, plan)) == SINPOS_OK) {
        const crew c = crew_of(n_threads, progress, context);
        OWNED sinpos_near *found = calloc(n_lengths, sizeof *found);
        status = found == NULL ? SINPOS_E_MEMORY : sums_check(&set, first, order[n_lengths - 1].length);
        if (status == SINPOS_OK)
            status = over_lengths(&set, first, order, n_lengths, found, &c);
        if (status == SINPOS_OK)
            memcpy(near, found, n_lengths * sizeof *near);
    }
    return status;
}
