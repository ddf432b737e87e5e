#include "kernel_product.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BATCH = 16 /* anchors */, GROUPS = BATCH / GROUP_ROWS, TILES = COLUMNS / TILE_COLUMNS };

static const product_kernels *kernels_of_isa(void)
{
#if defined(__x86_64__) && !defined(SINPOS_PORTABLE)
    if (strcmp(sinpos_isa(), "avx512") == 0)
        return &product_avx512;
    if (strcmp(sinpos_isa(), "avx2") == 0)
        return &product_avx2;
#endif
    return &product_portable;
}

/* Zeros, aligned for the widest vector; free() frees them. */
static double *aligned_zeros(size_t n)
{
    const size_t bytes = n > SIZE_MAX / sizeof(double) - 8 ? 0 : (n * sizeof(double) / 64 + 1) * 64;
    double *zeros = bytes == 0 ? NULL : aligned_alloc(64, bytes);
    if (zeros != NULL)
        memset(zeros, 0, bytes);
    return zeros;
}

/* ------------------------------------------------------------------------------------------------- Tables */

bool product_takes(const tones *t)
{
    for (size_t i = 0; i < t->n; i++)
        if (fabs(t->tone[i].amplitude) != fabs(t->tone[0].amplitude))
            return false;
    return t->n > 0 && t->n <= PRODUCT_MOST_TONES;
}

static void choose_shape(product *p, const tones *t)
{
    const double amplitude = t->tone[0].amplitude;
    p->n = t->n;
    p->shape.n_tones = (t->n + LEAF - 1) / LEAF * LEAF;
    p->shape.weight = amplitude * amplitude;
    p->shape.weight_low = fma(amplitude, amplitude, -p->shape.weight);
}

/* rows (COLUMNS, 2 n), sines before cosines */
static void pack_columns(product *p, const double *rows)
{
    for (size_t r = 0; r < COLUMNS; r++) {
        const double *sines = rows + r * 2 * p->n, *cosines = sines + p->n;
        double *tile = p->columns + r / TILE_COLUMNS * p->shape.n_tones * TILE_STRIDE + r % TILE_COLUMNS;
        for (size_t k = 0; k < p->n; k++) {
            tile[k * TILE_STRIDE] = cosines[k];
            tile[k * TILE_STRIDE + TILE_COLUMNS] = sines[k];
        }
    }
}

sinpos_status product_make(product *p, const tones *t, const sinpos_plan *plan)
{
    memset(p, 0, sizeof *p);
    choose_shape(p, t);
    OWNED double *rows = malloc((size_t)COLUMNS * 2 * t->n * sizeof *rows);
    p->columns = aligned_zeros(TILES * p->shape.n_tones * TILE_STRIDE);
    sinpos_status status = rows == NULL || p->columns == NULL ? SINPOS_E_MEMORY : SINPOS_OK;
    if (status == SINPOS_OK)
        status = sinpos_fill(plan, 0, COLUMNS, SINPOS_F64, rows, 2 * t->n);
    if (status == SINPOS_OK)
        pack_columns(p, rows);
    else
        product_free(p);
    return status;
}

void product_free(product *p)
{
    free(p->columns);
    p->columns = NULL;
}

/* ------------------------------------------------------------------------------------------------ Anchors */

/* What one thread works in. */
typedef struct room {
    double *rows;    /* (BATCH, 2 n) */
    double *anchors; /* (GROUPS, n_tones, GROUP_STRIDE) */
} room;

typedef struct product_call {
    const product *p;
    const sinpos_plan *plan;
    const product_kernels *kernels;
    const int64_t *offsets; /* of a list */
    int64_t first;          /* of a range */
    size_t n;
    double *g;
    double *rooms;
    size_t room_size, per_thread;
} product_call;

static room room_of(const product_call *j, size_t first)
{
    double *begin = j->rooms + first / j->per_thread * j->room_size;
    return (room){begin + (size_t)GROUPS * j->p->shape.n_tones * GROUP_STRIDE, begin};
}

/* n <= BATCH anchors; the places of those that are missing hold what they held, or 0. */
static void make_anchors(const product_call *j, const room *here, const int64_t *positions, size_t n)
{
    const product *p = j->p;
    if (sinpos_fill_at(j->plan, positions, n, SINPOS_F64, here->rows, 2 * p->n) != SINPOS_OK)
        for (size_t i = 0; i < n * 2 * p->n; i++)
            here->rows[i] = NAN; /* a mistake of this library: the positions were checked */
    for (size_t i = 0; i < n; i++) {
        const double *sines = here->rows + i * 2 * p->n, *cosines = sines + p->n;
        double *to = here->anchors + i / GROUP_ROWS * p->shape.n_tones * GROUP_STRIDE + i % GROUP_ROWS;
        for (size_t k = 0; k < p->n; k++) {
            to[k * GROUP_STRIDE] = cosines[k];
            to[k * GROUP_STRIDE + GROUP_ROWS] = sines[k];
        }
    }
}

static sinpos_status run(product_call *j, size_t n_items, thread_job *range, size_t n_threads)
{
    const size_t wanted = n_threads == 0 ? threads_available() : n_threads;
    j->kernels = kernels_of_isa();
    j->per_thread = n_items / wanted + (n_items % wanted != 0);
    j->room_size = (size_t)2 * (BATCH + GROUPS * GROUP_ROWS) * j->p->shape.n_tones; /* a multiple of 64 bytes */
    j->rooms = aligned_zeros((n_items / j->per_thread + 1) * j->room_size);
    if (j->rooms == NULL)
        return SINPOS_E_MEMORY;
    threads_run(wanted, n_items, j->per_thread, range, j);
    free(j->rooms);
    return SINPOS_OK;
}

/* ------------------------------------------------------------------------------------------------- Ranges */

/* values of g(k), g(k + 1), ..., TILE_COLUMNS of them, as far as they were asked for. */
static void place(const product_call *j, int64_t k, const double *values)
{
    const int64_t limit = j->first + (int64_t)j->n;
    const int64_t from = k < j->first ? j->first : k, to = k + TILE_COLUMNS < limit ? k + TILE_COLUMNS : limit;
    if (from < to)
        memcpy(j->g + (from - j->first), values + (from - k), (size_t)(to - from) * sizeof *values);
}

static void make_blocks(const product_call *j, const room *here, const int64_t *anchors, size_t n)
{
    double plus[GROUP_ROWS * TILE_COLUMNS], minus[GROUP_ROWS * TILE_COLUMNS];
    const size_t n_tones = j->p->shape.n_tones;
    for (size_t tile = 0; tile < TILES; tile++) {
        const int64_t r = (int64_t)tile * TILE_COLUMNS;
        for (size_t group = 0; group * GROUP_ROWS < n; group++) {
            j->kernels->tile(&j->p->shape, here->anchors + group * n_tones * GROUP_STRIDE,
                             j->p->columns + tile * n_tones * TILE_STRIDE, plus, minus);
            for (size_t i = 0; i < GROUP_ROWS && group * GROUP_ROWS + i < n; i++) {
                const int64_t a = anchors[group * GROUP_ROWS + i];
                place(j, a + r, plus + i * TILE_COLUMNS);
                if (a > 0)
                    place(j, a - r - (TILE_COLUMNS - 1), minus + i * TILE_COLUMNS);
            }
        }
    }
}

static int64_t nearest_anchor(int64_t k)
{
    return (k + REACH) / PERIOD * PERIOD;
}

static void range_job(void *context, size_t first, size_t count)
{
    const product_call *j = context;
    const room here = room_of(j, first);
    const int64_t begin = nearest_anchor(j->first);
    for (size_t done = 0; done < count; done += BATCH) {
        const size_t n = count - done < BATCH ? count - done : BATCH;
        int64_t anchors[BATCH];
        for (size_t i = 0; i < n; i++)
            anchors[i] = begin + (int64_t)(first + done + i) * PERIOD;
        make_anchors(j, &here, anchors, n);
        make_blocks(j, &here, anchors, n);
    }
}

sinpos_status product_range(const product *p, const sinpos_plan *plan, int64_t first, size_t n, double *g,
                            size_t n_threads)
{
    product_call j = {.p = p, .plan = plan, .first = first, .n = n, .g = g};
    if (n == 0)
        return SINPOS_OK;
    const int64_t last = first + (int64_t)(n - 1);
    return run(&j, (size_t)((nearest_anchor(last) - nearest_anchor(first)) / PERIOD + 1), range_job, n_threads);
}

/* -------------------------------------------------------------------------------------------------- Lists */

static void list_job(void *context, size_t first, size_t count)
{
    const product_call *j = context;
    const room here = room_of(j, first);
    const size_t n_tones = j->p->shape.n_tones;
    for (size_t done = 0; done < count; done += BATCH) {
        const size_t n = count - done < BATCH ? count - done : BATCH;
        int64_t anchors[BATCH], r[BATCH];
        for (size_t i = 0; i < n; i++) {
            const int64_t k = j->offsets[first + done + i];
            anchors[i] = nearest_anchor(k < 0 ? -k : k);
            r[i] = (k < 0 ? -k : k) - anchors[i];
        }
        make_anchors(j, &here, anchors, n);
        for (size_t i = 0; i < n; i++) {
            const size_t column = (size_t)(r[i] < 0 ? -r[i] : r[i]);
            j->g[first + done + i] = j->kernels->single(
                &j->p->shape, here.anchors + i / GROUP_ROWS * n_tones * GROUP_STRIDE, i % GROUP_ROWS,
                j->p->columns + column / TILE_COLUMNS * n_tones * TILE_STRIDE, column % TILE_COLUMNS, r[i] < 0);
        }
    }
}

sinpos_status product_list(const product *p, const sinpos_plan *plan, const int64_t *offsets, size_t n, double *g,
                           size_t n_threads)
{
    product_call j = {.p = p, .plan = plan, .offsets = offsets, .n = n, .g = g};
    return n == 0 ? SINPOS_OK : run(&j, n, list_job, n_threads);
}
