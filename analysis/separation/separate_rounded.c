/* The smallest distance between rows as a type holds them. */
#include <math.h>
#include <stdlib.h>

#include "boundary.h"
#include "elements.h"
#include "row_distance.h"
#include "separate_offsets.h"

enum { BUFFER_DOUBLES = 4096, OFFSETS_MOST = 1 << 20, WAVE_ELEMENTS = 1 << 23 };
#define ELEMENTS_MOST 0x1p40

/* --------------------------------------------------------------------------------------------- one offset */

/* The nearest of the pairs m, m - offset, for m = later, later + 1, ... */
typedef struct shifted {
    const sinpos_plan *plan;
    sinpos_type type;
    size_t dim, n_rows;
    int64_t later, offset;
    double factor;
    double *buffers; /* (threads, 4, n_rows, dim): two blocks as they are, two as doubles */
    double *best;    /* (threads) least square, and the later position */
    int64_t *at;
    size_t share;
    blocks memory;
} shifted;

static sinpos_status shifted_open(shifted *s, const sinpos_plan *plan, sinpos_type type, double unit, const crew *c)
{
    const size_t dim = sinpos_plan_dim(plan);
    *s = (shifted){.plan = plan, .type = type, .dim = dim, .factor = scale_to_one(unit)};
    s->n_rows = BUFFER_DOUBLES / dim == 0 ? 1 : BUFFER_DOUBLES / dim;
    s->buffers = blocks_take(&s->memory, c->n_threads, 4 * s->n_rows * dim * sizeof *s->buffers);
    s->best = blocks_take(&s->memory, c->n_threads, sizeof *s->best);
    s->at = blocks_take(&s->memory, c->n_threads, sizeof *s->at);
    return blocks_status(&s->memory);
}

static sinpos_status fill_wide(const shifted *s, int64_t first, size_t n, double *raw, double *wide)
{
    const sinpos_status status = sinpos_fill(s->plan, first, n, s->type, raw, s->dim);
    widen(wide, raw, s->type, n * s->dim);
    return status;
}

static void shifted_range(void *context, size_t first, size_t count)
{
    shifted *s = context;
    const size_t slot = first / s->share, block = s->n_rows * s->dim;
    double *raw = s->buffers + slot * 4 * block, *a = raw + 2 * block, *b = raw + 3 * block;
    s->best[slot] = INFINITY;
    for (size_t done = 0; done < count; done += s->n_rows) {
        const size_t n = count - done < s->n_rows ? count - done : s->n_rows;
        const int64_t later = s->later + (int64_t)(first + done);
        if (fill_wide(s, later, n, raw, a) != SINPOS_OK ||
            fill_wide(s, later - s->offset, n, raw + block, b) != SINPOS_OK)
            return; /* cannot be: type and range were checked */
        for (size_t i = 0; i < n; i++) {
            const double square = square_distance(a + i * s->dim, b + i * s->dim, s->dim, s->factor);
            if (square < s->best[slot]) {
                s->best[slot] = square;
                s->at[slot] = later + (int64_t)i;
            }
        }
    }
}

/* Of equally near pairs the first; in waves, so that the caller may stop it. */
static sinpos_status nearest_shifted(shifted *s, int64_t offset, int64_t first, size_t n, const crew *c,
                                     sinpos_near *pair)
{
    const size_t n_pairs = n - (size_t)offset, wave = WAVE_ELEMENTS / s->dim + s->n_rows;
    double best = INFINITY;
    int64_t at = first + offset;
    s->offset = offset;
    for (size_t done = 0; done < n_pairs; done += wave) {
        const size_t now = n_pairs - done < wave ? n_pairs - done : wave;
        s->later = first + offset + (int64_t)done;
        s->share = crew_share(c, now, s->n_rows);
        threads_run(c->n_threads, now, s->share, shifted_range, s);
        for (size_t slot = 0; slot * s->share < now; slot++) {
            at = s->best[slot] < best ? s->at[slot] : at;
            best = fmin(best, s->best[slot]);
        }
        const sinpos_status status = crew_report(c, (double)done / (double)n_pairs);
        if (status != SINPOS_OK)
            return status;
    }
    double *raw = s->buffers, *a = raw + s->n_rows * s->dim, *b = a + s->n_rows * s->dim;
    sinpos_status status = fill_wide(s, at, 1, raw, a);
    status = status == SINPOS_OK ? fill_wide(s, at - offset, 1, raw, b) : status;
    *pair = (sinpos_near){row_distance(a, b, s->dim), offset, at - offset, at};
    return status;
}

/* ------------------------------------------------------------------------------------------- all of them */

/* How far rounding can move the difference of two rows: sqrt(sum width^2) over the columns. */
static double rounding_reach(const tone_set *set, sinpos_type type)
{
    double sum = 0;
    const double factor = scale_to_one(set->unit);
    for (size_t i = 0; i < set->n; i++) {
        const double width = factor * rounding_width(type, set->tone[i].amplitude);
        sum += width * width * (i < set->n_complete ? 2 : 1);
    }
    return sqrt(sum) / factor * (1 + 0x1p-30);
}

/* Tries the offsets, those first whose exact rows are nearest, until no other can be nearer. */
static sinpos_status try_offsets(shifted *s, const offset_list *list, double unit, double reach, int64_t first,
                                 size_t n, sinpos_near *near, const crew *c)
{
    sinpos_status status = SINPOS_OK;
    for (size_t i = 0; i < list->n && status == SINPOS_OK && near->distance > 0; i++) {
        const crew part = crew_part(c, (double)i / (double)list->n, 1 / (double)list->n);
        sinpos_near pair;
        if (list->at[i].offset == near->offset || 2 * unit * list->at[i].value - reach > near->distance)
            continue;
        status = nearest_shifted(s, list->at[i].offset, first, n, &part, &pair);
        const bool is_nearer =
            pair.distance < near->distance || (pair.distance == near->distance && pair.offset < near->offset);
        if (status == SINPOS_OK && is_nearer)
            *near = pair;
    }
    return status;
}

static size_t offsets_most(size_t n, size_t dim)
{
    const double most = ELEMENTS_MOST / ((double)n * (double)dim);
    return most < 1 ? 1 : most > OFFSETS_MOST ? OFFSETS_MOST : (size_t)most;
}

static sinpos_status nearest_rounded(const sinpos_plan *plan, const tone_set *set, int64_t first, size_t n,
                                     sinpos_type type, sinpos_near *near, const crew *c)
{
    const crew exact = crew_part(c, 0, 0.2), once = crew_part(c, 0.2, 0.3), close = crew_part(c, 0.5, 0.2),
               rest = crew_part(c, 0.7, 0.3);
    const double reach = rounding_reach(set, type);
    nearest found = {.at = near, .room = 1};
    offset_list list = {.at = NULL};
    shifted s;
    sinpos_status status = shifted_open(&s, plan, type, set->unit, c);
    if (status == SINPOS_OK)
        status = nearest_offsets(set, set->n_complete, 1, n, &found, &exact);
    if (status == SINPOS_OK)
        status = nearest_shifted(&s, near->offset, first, n, &once, near);
    const double limit = (near->distance + reach) / (2 * set->unit) * (1 + 0x1p-40);
    if (status == SINPOS_OK && near->distance > 0)
        status = close_offsets(set, set->n_complete, 1, n, limit, offsets_most(n, s.dim), &list, &close);
    if (status == SINPOS_OK)
        status = try_offsets(&s, &list, set->unit, reach, first, n, near, &rest);
    blocks_free(&s.memory);
    free(list.at);
    return status;
}

sinpos_status sinpos_separation_rounded(const sinpos_plan *plan, int64_t first, size_t n, sinpos_type type,
                                        sinpos_near *near, size_t n_threads, sinpos_progress *progress, void *context)
{
    BOUNDARY;
    RELEASED_BY(tone_set_free) tone_set set = {0};
    sinpos_near found = {.distance = INFINITY};
    if (plan == NULL || near == NULL)
        return SINPOS_E_NULL;
    sinpos_status status = range_check(plan, first, n, n_threads);
    if (status == SINPOS_OK)
        status = n < 2 ? SINPOS_E_VALUE : sinpos_fill(plan, first, 0, type, NULL, sinpos_plan_dim(plan));
    if (status != SINPOS_OK || (status = tone_set_make(&set, plan)) != SINPOS_OK)
        return status;
    const crew c = crew_of(n_threads, progress, context);
    status = nearest_rounded(plan, &set, first, n, type, &found, &c);
    if (status == SINPOS_OK)
        *near = found;
    return status;
}
