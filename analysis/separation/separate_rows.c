/* Nearest and equal rows of an array, whatever made it: all pairs, each left as soon as it is too far apart. */
#include <math.h>
#include <stdlib.h>

#include "boundary.h"
#include "elements.h"
#include "equal_rows.h"
#include "row_distance.h"

enum { BLOCK_DOUBLES = 16384, BLOCK_MOST = 64, STRIDE = 64 };

typedef struct row_pair {
    double square;
    size_t earlier, later;
} row_pair;

typedef struct pair_scan {
    const row_source *source;
    double factor;
    size_t block, n_blocks; /* rows in a block */
    double *buffers;        /* (threads, 2, block, dim) */
    row_pair *best;         /* (threads) */
    row_pair least;         /* of all before this wave */
    size_t first, share;
    double *largest; /* (threads) size of any element; NaN where one is not finite */
    blocks memory;
} pair_scan;

static bool is_less(const row_pair *a, const row_pair *b)
{
    return a->square != b->square     ? a->square < b->square
           : a->earlier != b->earlier ? a->earlier < b->earlier
                                      : a->later < b->later;
}

static void load_rows(const pair_scan *s, size_t first, size_t n, double *out)
{
    const row_source *r = s->source;
    for (size_t i = 0; i < n; i++)
        widen(out + i * r->dim, (const unsigned char *)r->rows + (first + i) * r->ld_bytes, r->type, r->dim);
}

static void try_pair(const pair_scan *s, const double *a, const double *b, size_t earlier, size_t later, row_pair *best)
{
    row_pair pair = {0, earlier, later};
    for (size_t i = 0; i < s->source->dim; i += STRIDE) {
        const size_t n = s->source->dim - i < STRIDE ? s->source->dim - i : STRIDE;
        pair.square += square_distance(a + i, b + i, n, s->factor);
        if (pair.square > best->square)
            return;
    }
    if (is_less(&pair, best))
        *best = pair;
}

/* ------------------------------------------------------------------------------------------------ one pass */

static void size_range(void *context, size_t first, size_t count)
{
    pair_scan *s = context;
    const size_t slot = first / s->share, dim = s->source->dim;
    double *row = s->buffers + slot * 2 * s->block * dim, largest = 0;
    bool all_finite = true;
    for (size_t i = first; i < first + count; i++) {
        load_rows(s, i, 1, row);
        for (size_t j = 0; j < dim; j++) {
            all_finite = all_finite && isfinite(row[j]);
            largest = fmax(largest, fabs(row[j]));
        }
    }
    s->largest[slot] = all_finite ? largest : NAN;
}

/* Each row against the next, for a first bound. */
static void neighbour_range(void *context, size_t first, size_t count)
{
    pair_scan *s = context;
    const size_t slot = first / s->share, dim = s->source->dim;
    double *a = s->buffers + slot * 2 * s->block * dim, *b = a + dim;
    load_rows(s, first, 1, a);
    for (size_t i = first; i < first + count && i + 1 < s->source->n; i++) {
        load_rows(s, i + 1, 1, b);
        try_pair(s, a, b, i, i + 1, &s->best[slot]);
        double *swap = a;
        a = b;
        b = swap;
    }
}

/* ------------------------------------------------------------------------------------------------ all pairs */

/* Rows of block i against their own and all later ones. */
static void scan_block(const pair_scan *s, size_t i, double *a, double *b, row_pair *best)
{
    const size_t n = s->source->n, dim = s->source->dim, first = i * s->block;
    const size_t rows = n - first < s->block ? n - first : s->block;
    load_rows(s, first, rows, a);
    for (size_t other = first; other < n; other += s->block) {
        const size_t more = n - other < s->block ? n - other : s->block;
        load_rows(s, other, more, b);
        for (size_t r = 0; r < rows; r++)
            for (size_t q = other == first ? r + 1 : 0; q < more; q++)
                try_pair(s, a + r * dim, b + q * dim, first + r, other + q, best);
    }
}

/* Block t and its counterpart from the end: every t is as much work. */
static void block_range(void *context, size_t first, size_t count)
{
    pair_scan *s = context;
    const size_t slot = first / s->share;
    double *a = s->buffers + slot * 2 * s->block * s->source->dim, *b = a + s->block * s->source->dim;
    for (size_t i = 0; i < count; i++) {
        const size_t t = s->first + first + i, counterpart = s->n_blocks - 1 - t;
        scan_block(s, t, a, b, &s->best[slot]);
        if (counterpart != t)
            scan_block(s, counterpart, a, b, &s->best[slot]);
    }
}

static sinpos_status pair_scan_open(pair_scan *s, const row_source *source, const crew *c)
{
    const size_t dim = source->dim, rows = BLOCK_DOUBLES / dim;
    *s = (pair_scan){.source = source, .least = {INFINITY, 0, 0}};
    s->block = rows < 2 ? 2 : rows > BLOCK_MOST ? BLOCK_MOST : rows;
    s->n_blocks = source->n / s->block + (source->n % s->block != 0);
    s->buffers = dim > SIZE_MAX / sizeof(double) / 2 / s->block
                     ? NULL
                     : blocks_take(&s->memory, c->n_threads, 2 * s->block * dim * sizeof(double));
    s->best = blocks_take(&s->memory, c->n_threads, sizeof *s->best);
    s->largest = blocks_take(&s->memory, c->n_threads, sizeof *s->largest);
    return s->buffers == NULL ? SINPOS_E_MEMORY : blocks_status(&s->memory);
}

static sinpos_status find_sizes(pair_scan *s, const crew *c)
{
    double largest = 0;
    s->share = crew_share(c, s->source->n, 1);
    threads_run(c->n_threads, s->source->n, s->share, size_range, s);
    for (size_t slot = 0; slot * s->share < s->source->n; slot++) {
        if (isnan(s->largest[slot]))
            return SINPOS_E_VALUE;
        largest = fmax(largest, s->largest[slot]);
    }
    s->factor = scale_to_one(largest);
    return SINPOS_OK;
}

/* Runs a job over n pieces, from the best pair so far to the best after it. */
static void scan_with(pair_scan *s, thread_job *job, size_t n, const crew *c)
{
    s->share = crew_share(c, n, 1);
    for (size_t slot = 0; slot < c->n_threads; slot++)
        s->best[slot] = s->least;
    threads_run(c->n_threads, n, s->share, job, s);
    for (size_t slot = 0; slot < c->n_threads; slot++)
        s->least = is_less(&s->best[slot], &s->least) ? s->best[slot] : s->least;
}

static sinpos_status nearest_rows(const row_source *source, sinpos_near *near, const crew *c)
{
    pair_scan s;
    sinpos_status status = pair_scan_open(&s, source, c);
    status = status == SINPOS_OK ? find_sizes(&s, c) : status;
    if (status == SINPOS_OK && near != NULL) {
        const size_t n = s.n_blocks / 2 + s.n_blocks % 2, wave = 4 * c->n_threads;
        scan_with(&s, neighbour_range, source->n, c);
        for (s.first = 0; s.first < n && status == SINPOS_OK; s.first += wave) {
            scan_with(&s, block_range, n - s.first < wave ? n - s.first : wave, c);
            status = crew_report(c, (double)s.first / (double)n);
        }
        const size_t earlier = s.least.earlier, later = s.least.later;
        load_rows(&s, earlier, 1, s.buffers);
        load_rows(&s, later, 1, s.buffers + source->dim);
        if (status == SINPOS_OK)
            *near = (sinpos_near){row_distance(s.buffers, s.buffers + source->dim, source->dim),
                                  (int64_t)(later - earlier), (int64_t)earlier, (int64_t)later};
    }
    blocks_free(&s.memory);
    return status;
}

static sinpos_status distinct_rows(const row_source *source, sinpos_distinct *distinct, const crew *c)
{
    equal_rows equal;
    sinpos_distinct found = {.type = source->type, .method = SINPOS_DISTINCT_HASHES};
    const sinpos_status status = equal_by_hashes(source, (source->n + 1) * 16, "", &equal, &found.temporary_bytes, c);
    if (status != SINPOS_OK)
        return status;
    found.n_distinct = source->n - equal.n_again;
    found.has_collision = equal.n_again > 0;
    found.earlier = found.has_collision ? (int64_t)equal.earlier : 0;
    found.later = found.has_collision ? (int64_t)equal.later : 0;
    *distinct = found;
    return SINPOS_OK;
}

static sinpos_status check_rows(const void *rows, size_t n, size_t dim, size_t ld, sinpos_type type, size_t n_threads)
{
    const size_t bytes = sinpos_type_bytes(type);
    if (rows == NULL)
        return SINPOS_E_NULL;
    if (bytes == 0)
        return SINPOS_E_TYPE;
    const bool fits = (uint64_t)n >> INDEX_BITS == 0 && ld <= SIZE_MAX / bytes / n;
    if (n_threads > 1024)
        return SINPOS_E_VALUE;
    return n < 2 || dim == 0 || ld < dim || !fits ? SINPOS_E_SHAPE : SINPOS_OK;
}

sinpos_status sinpos_rows_separation(const void *rows, size_t n, size_t dim, size_t ld, sinpos_type type,
                                     sinpos_near *near, sinpos_distinct *distinct, size_t n_threads,
                                     sinpos_progress *progress, void *context)
{
    BOUNDARY;
    sinpos_near pair = {0};
    sinpos_status status = n == 0 ? SINPOS_E_SHAPE : check_rows(rows, n, dim, ld, type, n_threads);
    if (status != SINPOS_OK)
        return status;
    const size_t bytes = sinpos_type_bytes(type);
    const row_source source = {
        .rows = rows, .ld_bytes = ld * bytes, .type = type, .n = n, .dim = dim, .row_bytes = dim * bytes};
    const crew c = crew_of(n_threads, progress, context);
    const crew pairs = crew_part(&c, 0, 0.8), hashes = crew_part(&c, 0.8, 0.2);
    status = nearest_rows(&source, near == NULL ? NULL : &pair, &pairs);
    if (status == SINPOS_OK && distinct != NULL)
        status = distinct_rows(&source, distinct, &hashes);
    if (status == SINPOS_OK && near != NULL)
        *near = pair;
    return status;
}
