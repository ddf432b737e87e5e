/*
 * g(k) and distances, by offset: sums over tones. Integer offsets of g go through kernel_product.c; everything else is
 * summed here, each term rounded once and the sum compensated.
 */
#include "curve.h"
#include "boundary.h"
#include "compensated.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BUFFER = 1 << 15 };

typedef struct curve_call {
    const curve *c;
    const sinpos_rows *offsets;
    double *out;
    double *buffers; /* one of BUFFER or so doubles for each thread's range */
    size_t rows;     /* that fit into one */
    size_t per_thread;
} curve_call;

static sinpos_rows part_of(const sinpos_rows *all, size_t first, size_t n)
{
    sinpos_rows part = *all;
    part.n = n;
    part.integers = all->integers == NULL ? NULL : all->integers + first;
    part.reals = all->reals == NULL ? NULL : all->reals + first;
    part.first = all->first + (int64_t)first;
    return part;
}

/* The rows were checked before, so that nothing can fail here but by a mistake of this library. */
static void curve_range(void *context, size_t first, size_t count)
{
    const curve_call *j = context;
    const curve *c = j->c;
    const size_t n = c->t.n, dim = 2 * n;
    double *buffer = j->buffers + first / j->per_thread * j->rows * dim;
    for (size_t done = 0; done < count; done += j->rows) {
        const size_t rows = count - done < j->rows ? count - done : j->rows;
        const sinpos_rows part = part_of(j->offsets, first + done, rows);
        const sinpos_status status = sinpos_run(c->plan, SINPOS_FILL, &part, SINPOS_F64, buffer, dim, 1);
        for (size_t i = 0; i < rows; i++) {
            const double *row = buffer + i * dim;
            double *out = &j->out[first + done + i];
            if (status != SINPOS_OK)
                *out = NAN;
            else if (c->distance)
                *out = 2 * sqrt(compensated_squares(c->t.weight, row, n));
            else
                *out = compensated_dot(c->t.weight, row + n, n);
        }
    }
}

static bool offsets_fit(const sinpos_rows *offsets)
{
    if (offsets->integers == NULL && offsets->reals == NULL)
        return offsets->first > INT64_MIN && (offsets->n == 0 || offsets->n - 1 <= (uint64_t)INT64_MAX) &&
               (offsets->first <= 0 || (uint64_t)INT64_MAX - (uint64_t)offsets->first >= offsets->n - 1);
    for (size_t i = 0; i < offsets->n; i++) {
        if (offsets->integers != NULL && offsets->integers[i] == INT64_MIN)
            return false;
        if (offsets->reals != NULL && !(fabs(offsets->reals[i]) < 0x1p63))
            return false;
    }
    return true;
}

sinpos_status curve_make(curve *c, const sinpos_plan *plan, bool distance)
{
    *c = (curve){.distance = distance};
    sinpos_status status = tones_of_plan(&c->t, plan);
    if (status == SINPOS_OK)
        status = tones_plan(&c->plan, c->t.tone, NULL, c->t.n, distance ? 0.5 : 1, SINPOS_F64);
    for (size_t i = 0; status == SINPOS_OK && i < c->t.n; i++)
        c->total += c->t.weight[i];
    if (status == SINPOS_OK && !isfinite(4 * c->total))
        status = SINPOS_E_OVERFLOW;
    if (status == SINPOS_OK && !distance && product_takes(&c->t))
        status = product_make(&c->product, &c->t, c->plan);
    if (status != SINPOS_OK)
        curve_free(c);
    return status;
}

void curve_free(curve *c)
{
    product_free(&c->product);
    sinpos_plan_destroy(c->plan);
    tones_free(&c->t);
    c->plan = NULL;
}

static sinpos_status direct_values(const curve *c, const sinpos_rows *offsets, double *out, size_t n_threads)
{
    curve_call j = {.c = c, .offsets = offsets, .out = out};
    const size_t dim = 2 * c->t.n, wanted = n_threads == 0 ? threads_available() : n_threads;
    j.rows = BUFFER / dim < 33 ? 33 : BUFFER / dim;
    j.rows = j.rows > offsets->n ? offsets->n : j.rows;
    j.per_thread = offsets->n / wanted + (offsets->n % wanted != 0);
    const size_t used = offsets->n / j.per_thread + 1;
    j.buffers = j.rows > SIZE_MAX / sizeof(double) / dim / used ? NULL : malloc(used * j.rows * dim * sizeof(double));
    if (j.buffers == NULL)
        return SINPOS_E_MEMORY;
    threads_run(wanted, offsets->n, j.per_thread, curve_range, &j);
    free(j.buffers);
    return SINPOS_OK;
}

/* ------------------------------------------------------------------------------------- g at integer offsets */

static bool is_near(int64_t k)
{
    return k >= -PRODUCT_MOST && k <= PRODUCT_MOST;
}

/* A range on one side of 0, and near or far as a whole. */
static sinpos_status even_range(const curve *c, int64_t first, size_t n, double *out, size_t n_threads)
{
    const sinpos_rows rows = {.struct_size = sizeof rows, .n = n, .first = first};
    if (!is_near(first))
        return direct_values(c, &rows, out, n_threads);
    if (first >= 0)
        return product_range(&c->product, c->plan, first, n, out, n_threads);
    const sinpos_status status = product_range(&c->product, c->plan, 1 - first - (int64_t)n, n, out, n_threads);
    for (size_t i = 0; i < n / 2; i++) {
        const double kept = out[i];
        out[i] = out[n - 1 - i];
        out[n - 1 - i] = kept;
    }
    return status;
}

static sinpos_status kernel_range(const curve *c, int64_t first, size_t n, double *out, size_t n_threads)
{
    static const int64_t borders[] = {-PRODUCT_MOST, 0, PRODUCT_MOST + 1};
    sinpos_status status = SINPOS_OK;
    for (size_t i = 0; i < 3 && status == SINPOS_OK; i++) {
        if (first >= borders[i] || n <= (size_t)borders[i] - (size_t)first)
            continue;
        const size_t before = (size_t)borders[i] - (size_t)first;
        status = even_range(c, first, before, out, n_threads);
        out += before;
        n -= before;
        first = borders[i];
    }
    return status == SINPOS_OK ? even_range(c, first, n, out, n_threads) : status;
}

/* Is offset i of a list an integer that the product takes? */
static bool near_integer(const sinpos_rows *offsets, size_t i, int64_t *k)
{
    if (offsets->integers != NULL)
        *k = offsets->integers[i];
    else if (fabs(offsets->reals[i]) < 0x1p62 && offsets->reals[i] == floor(offsets->reals[i]))
        *k = (int64_t)offsets->reals[i];
    else
        return false;
    return is_near(*k);
}

/* Integers have the same bytes wherever they stand, also among reals. */
static sinpos_status kernel_list(const curve *c, const sinpos_rows *offsets, double *out, size_t n_threads)
{
    const size_t n = offsets->n;
    RELEASED_BY(blocks_free) blocks memory = {0};
    int64_t *near = blocks_take(&memory, n, sizeof *near);
    size_t *at = blocks_take(&memory, n, sizeof *at), n_near = 0;
    double *g = blocks_take(&memory, n, sizeof *g);
    sinpos_status status = blocks_status(&memory);
    for (size_t i = 0; i < n && status == SINPOS_OK; i++)
        if (near_integer(offsets, i, &near[n_near]))
            at[n_near++] = i;
    if (status == SINPOS_OK && n_near < n)
        status = direct_values(c, offsets, out, n_threads);
    if (status == SINPOS_OK)
        status = product_list(&c->product, c->plan, near, n_near, g, n_threads);
    for (size_t i = 0; i < n_near && status == SINPOS_OK; i++)
        out[at[i]] = g[i];
    return status;
}

sinpos_status curve_values(const curve *c, const sinpos_rows *offsets, double *out, size_t n_threads)
{
    if (offsets->n == 0)
        return SINPOS_OK;
    if (c->t.n == 0) {
        memset(out, 0, offsets->n * sizeof *out);
        return SINPOS_OK;
    }
    if (c->product.columns == NULL)
        return direct_values(c, offsets, out, n_threads);
    if (offsets->integers != NULL || offsets->reals != NULL)
        return kernel_list(c, offsets, out, n_threads);
    return kernel_range(c, offsets->first, offsets->n, out, n_threads);
}

static sinpos_status values_of_plan(const sinpos_plan *plan, const sinpos_rows *given, double *out, bool distance,
                                    size_t n_threads)
{
    RELEASED_BY(curve_free) curve c = {0};
    sinpos_rows offsets;
    if (plan == NULL || given == NULL)
        return SINPOS_E_NULL;
    if (!SIZED_READ(&offsets, given, first))
        return SINPOS_E_STRUCT;
    if (out == NULL && offsets.n > 0)
        return SINPOS_E_NULL;
    if (n_threads > 1024 || (offsets.integers != NULL && offsets.reals != NULL))
        return SINPOS_E_VALUE;
    if (!offsets_fit(&offsets))
        return SINPOS_E_RANGE;
    sinpos_status status = curve_make(&c, plan, distance);
    if (status == SINPOS_OK)
        status = curve_values(&c, &offsets, out, n_threads);
    return status;
}

sinpos_status sinpos_kernel_values(const sinpos_plan *plan, const sinpos_rows *offsets, double *g, size_t n_threads)
{
    BOUNDARY;
    return values_of_plan(plan, offsets, g, false, n_threads);
}

sinpos_status sinpos_distance_values(const sinpos_plan *plan, const sinpos_rows *offsets, double *distance,
                                     size_t n_threads)
{
    BOUNDARY;
    return values_of_plan(plan, offsets, distance, true, n_threads);
}
