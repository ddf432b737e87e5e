/*
 * The nearest rows where tones lack a column. A sine without its cosine adds
 *
 *     A^2 (sin a - sin b)^2 = 4 A^2 sin^2(k theta / 2) cos^2(phi + (m - k / 2) theta)
 *
 * to the squared distance of m and m - k, a cosine without its sine the same with sin^2: between 0 and what a complete
 * tone adds. So complete tones alone bound the distance below, all tones taken as complete bound it above, and for
 * the few offsets in between every m is looked at.
 */
#include <math.h>
#include <stdlib.h>

#include "complete_tones.h"
#include "separate_offsets.h"

enum { BUFFER_ROWS = 256, CANDIDATES_MOST = 1 << 22 };
#define SINES_MOST 0x1p36

typedef struct lacking {
    const tone_set *set;
    size_t n;            /* tones that lack a column */
    sinpos_plan *means;  /* those alone, at the mean of two positions: half the frequency, their phase */
    sinpos_plan *halves; /* all tones at half the offset */
    double *row;         /* (2 set->n) of halves */
    double *factor;      /* (n) |A sin(k theta / 2)| / unit */
    double *buffers;     /* (threads, BUFFER_ROWS, 2 n + 1) rows of means, and their positions */
    double *best;        /* (threads) least square, and the later position */
    int64_t *later;
    int64_t first; /* the first later position */
    int64_t offset;
    size_t share;
    blocks memory;
} lacking;

static sinpos_status means_plan(lacking *l)
{
    OWNED sinpos_tone *own = calloc(l->n + 1, sizeof *own);
    if (own == NULL)
        return SINPOS_E_MEMORY;
    for (size_t i = 0; i < l->n; i++) {
        own[i] = l->set->tone[l->set->n_complete + i];
        own[i].scale *= 0.5;
        own[i].amplitude = 1;
        own[i].sin_column = (ptrdiff_t)i;
        own[i].cos_column = (ptrdiff_t)(l->n + i);
    }
    return sinpos_plan_create_tones(&l->means, 2 * l->n, 1, own, l->n, SINPOS_F64, NULL);
}

static sinpos_status lacking_open(lacking *l, const tone_set *set, const crew *c)
{
    *l = (lacking){.set = set, .n = set->n - set->n_complete};
    const size_t each = BUFFER_ROWS * (2 * l->n + 1);
    l->row = blocks_take(&l->memory, 2 * set->n, sizeof *l->row);
    l->factor = blocks_take(&l->memory, l->n, sizeof *l->factor);
    l->buffers = blocks_take(&l->memory, c->n_threads, each * sizeof *l->buffers);
    l->best = blocks_take(&l->memory, c->n_threads, sizeof *l->best);
    l->later = blocks_take(&l->memory, c->n_threads, sizeof *l->later);
    if (l->memory.has_failed)
        return SINPOS_E_MEMORY;
    const sinpos_status status = means_plan(l);
    return status == SINPOS_OK ? tones_plan(&l->halves, set->tone, NULL, set->n, 0.5, SINPOS_F64) : status;
}

static void lacking_close(lacking *l)
{
    sinpos_plan_destroy(l->means);
    sinpos_plan_destroy(l->halves);
    blocks_free(&l->memory);
}

/* What the difference of tone i holds of the mean of the positions: a cosine for the column of a sine. */
static double mean_part(const lacking *l, const double *row, size_t i)
{
    const bool has_sine = l->set->tone[l->set->n_complete + i].sin_column != SINPOS_NO_COLUMN;
    return has_sine ? row[l->n + i] : row[i];
}

static double lacking_square(const lacking *l, const double *row)
{
    double sum = 0;
    for (size_t i = 0; i < l->n; i++) {
        const double x = l->factor[i] * mean_part(l, row, i);
        sum += x * x;
    }
    return sum;
}

static void lacking_range(void *context, size_t first, size_t count)
{
    lacking *l = context;
    const size_t slot = first / l->share, ld = 2 * l->n;
    double *rows = l->buffers + slot * BUFFER_ROWS * (ld + 1);
    int64_t *twice = (int64_t *)(rows + BUFFER_ROWS * ld);
    l->best[slot] = INFINITY;
    for (size_t done = 0; done < count; done += BUFFER_ROWS) {
        const size_t n = count - done < BUFFER_ROWS ? count - done : BUFFER_ROWS;
        const int64_t later = l->first + (int64_t)(first + done);
        for (size_t i = 0; i < n; i++)
            twice[i] = 2 * (later + (int64_t)i) - l->offset;
        if (sinpos_fill_at(l->means, twice, n, SINPOS_F64, rows, ld) != SINPOS_OK)
            return; /* cannot be: the range was checked */
        for (size_t i = 0; i < n; i++) {
            const double square = lacking_square(l, rows + i * ld);
            if (square < l->best[slot]) {
                l->best[slot] = square;
                l->later[slot] = later + (int64_t)i;
            }
        }
    }
}

/* The nearest pair at an offset: of equally near ones the first. */
static sinpos_status nearest_at(lacking *l, int64_t offset, int64_t first, size_t n, const crew *c, sinpos_near *pair)
{
    const size_t complete = l->set->n_complete, n_pairs = n - (size_t)offset;
    sinpos_status status = sinpos_fill(l->halves, offset, 1, SINPOS_F64, l->row, 2 * l->set->n);
    if (status != SINPOS_OK)
        return status;
    for (size_t i = 0; i < l->n; i++)
        l->factor[i] = l->set->ratio[complete + i] * fabs(l->row[complete + i]);
    l->offset = offset;
    l->first = first + offset;
    l->share = crew_share(c, n_pairs, BUFFER_ROWS);
    threads_run(c->n_threads, n_pairs, l->share, lacking_range, l);
    size_t best = 0;
    for (size_t slot = 1; slot * l->share < n_pairs; slot++)
        best = l->best[slot] < l->best[best] ? slot : best;
    const int64_t later = l->later[best], twice = 2 * later - offset;
    status = sinpos_fill(l->means, twice, 1, SINPOS_F64, l->buffers, 2 * l->n);
    for (size_t i = 0; i < l->n; i++)
        l->buffers[i] = mean_part(l, l->buffers, i);
    *pair = (sinpos_near){.distance =
                              hypot(tone_norm(l->set->ratio, l->row, complete), tone_norm(l->factor, l->buffers, l->n)),
                          .offset = offset,
                          .earlier = later - offset,
                          .later = later};
    return status;
}

static int by_value(const void *a, const void *b)
{
    const offset_found *x = a, *y = b;
    return x->value != y->value ? (x->value > y->value) - (x->value < y->value)
                                : (x->offset > y->offset) - (x->offset < y->offset);
}

/* Goes through the candidates, those with the least from complete tones first, until no other can be nearer. */
static sinpos_status try_candidates(lacking *l, offset_list *list, int64_t first, size_t n, nearest *near,
                                    const crew *c)
{
    sinpos_status status = SINPOS_OK;
    if (list->n > 0)
        qsort(list->at, list->n, sizeof *list->at, by_value);
    near->n = 0;
    for (size_t i = 0; i < list->n && status == SINPOS_OK; i++) {
        if (near->n == near->room && list->at[i].value > near->at[near->n - 1].distance)
            break;
        sinpos_near pair;
        status = nearest_at(l, list->at[i].offset, first, n, c, &pair);
        if (status == SINPOS_OK) {
            nearest_add(near, pair);
            status = crew_report(c, (double)i / (double)list->n);
        }
    }
    return status;
}

static size_t candidates_most(size_t n, size_t n_lacking)
{
    const double most = SINES_MOST / ((double)n * (double)n_lacking);
    return most < 16 ? 16 : most > CANDIDATES_MOST ? CANDIDATES_MOST : (size_t)most;
}

sinpos_status nearest_pairs(const tone_set *set, int64_t first, size_t n, nearest *near, const crew *c)
{
    const crew above = crew_part(c, 0, 0.2), below = crew_part(c, 0.2, 0.2), rest = crew_part(c, 0.4, 0.6);
    offset_list list = {.at = NULL};
    lacking l;
    near->enough = 0;
    sinpos_status status = nearest_offsets(set, set->n, 1, n, near, &above);
    if (status != SINPOS_OK || near->n == 0)
        return status;
    const double limit = near->at[near->n - 1].distance * (1 + 0x1p-40);
    status =
        close_offsets(set, set->n_complete, 1, n, limit, candidates_most(n, set->n - set->n_complete), &list, &below);
    if (status == SINPOS_OK) {
        status = lacking_open(&l, set, c);
        if (status == SINPOS_OK)
            status = try_candidates(&l, &list, first, n, near, &rest);
        lacking_close(&l);
    }
    free(list.at);
    return status;
}
