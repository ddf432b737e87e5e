/* g(k) and distances, by offset: sums over tones, each term rounded once, the sum compensated. */
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "analysis.h"

enum { LANES = 8, BUFFER = 1 << 15 };

/* sum of w[i] f(x[i]) with f(x) = x or x^2: Neumaier's sum in LANES lanes; error below 2^-51 of the sum of the sizes. */
static double weighted_sum(const double *w, const double *x, size_t n, bool squared)
{
    double sum[LANES] = {0}, rest[LANES] = {0};
    for (size_t first = 0; first < n; first += LANES) {
        const size_t m = n - first < LANES ? n - first : LANES;
        for (size_t j = 0; j < m; j++) {
            const double value = x[first + j];
            const double term = w[first + j] * (squared ? value * value : value);
            const double total = sum[j] + term;
            const double kept = total - sum[j];
            rest[j] += (sum[j] - (total - kept)) + (term - kept);
            sum[j] = total;
        }
    }
    double high = 0, low = 0;
    for (size_t j = 0; j < LANES; j++) {
        const double total = high + sum[j];
        const double kept = total - high;
        low += (high - (total - kept)) + (sum[j] - kept) + rest[j];
        high = total;
    }
    return high + low;
}

typedef struct curve {
    const tones *t;
    const sinpos_plan *plan;
    const sinpos_rows *offsets;
    double *out;
    double *buffers; /* one of BUFFER or so doubles for each thread's range */
    size_t rows;     /* that fit into one */
    size_t per_thread;
    bool distance;
} curve;

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
    const curve *c = context;
    const size_t n = c->t->n, dim = 2 * n;
    double *buffer = c->buffers + first / c->per_thread * c->rows * dim;
    for (size_t done = 0; done < count; done += c->rows) {
        const size_t rows = count - done < c->rows ? count - done : c->rows;
        const sinpos_rows part = part_of(c->offsets, first + done, rows);
        const sinpos_status status = sinpos_run(c->plan, SINPOS_FILL, &part, SINPOS_F64, buffer, dim, 1);
        for (size_t i = 0; i < rows; i++) {
            const double *row = buffer + i * dim;
            double *out = &c->out[first + done + i];
            if (status != SINPOS_OK)
                *out = NAN;
            else if (c->distance)
                *out = 2 * sqrt(weighted_sum(c->t->weight, row, n, true));
            else
                *out = weighted_sum(c->t->weight, row + n, n, false);
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

static sinpos_status curve_of_tones(const tones *t, const sinpos_rows *offsets, double *out, bool distance,
                                    size_t n_threads)
{
    curve c = {.t = t, .offsets = offsets, .out = out, .distance = distance};
    sinpos_plan *plan;
    const sinpos_status status = tones_plan(&plan, t, distance ? 0.5 : 1);
    if (status != SINPOS_OK)
        return status;
    if (t->n == 0) {
        memset(out, 0, offsets->n * sizeof *out);
        sinpos_plan_destroy(plan);
        return SINPOS_OK;
    }
    c.plan = plan;
    const size_t dim = 2 * t->n, wanted = n_threads == 0 ? threads_available() : n_threads;
    c.rows = BUFFER / dim < 33 ? 33 : BUFFER / dim;
    c.rows = c.rows > offsets->n ? offsets->n : c.rows;
    c.per_thread = offsets->n / wanted + (offsets->n % wanted != 0);
    const size_t used = offsets->n / c.per_thread + 1;
    c.buffers = c.rows > SIZE_MAX / sizeof(double) / dim / used ? NULL : malloc(used * c.rows * dim * sizeof(double));
    if (c.buffers != NULL)
        threads_run(wanted, offsets->n, c.per_thread, curve_range, &c);
    free(c.buffers);
    sinpos_plan_destroy(plan);
    return c.buffers == NULL ? SINPOS_E_MEMORY : SINPOS_OK;
}

static sinpos_status curve_values(const sinpos_plan *plan, const sinpos_rows *offsets, double *out, bool distance,
                                  size_t n_threads)
{
    tones t;
    if (plan == NULL || offsets == NULL || (out == NULL && offsets->n > 0))
        return SINPOS_E_NULL;
    if (n_threads > 1024 || (offsets->integers != NULL && offsets->reals != NULL))
        return SINPOS_E_SHAPE;
    if (!offsets_fit(offsets))
        return SINPOS_E_RANGE;
    sinpos_status status = tones_of_plan(&t, plan);
    if (status == SINPOS_OK && offsets->n > 0)
        status = curve_of_tones(&t, offsets, out, distance, n_threads);
    tones_free(&t);
    return status;
}

sinpos_status sinpos_kernel_values(const sinpos_plan *plan, const sinpos_rows *offsets, double *g, size_t n_threads)
{
    return curve_values(plan, offsets, g, false, n_threads);
}

sinpos_status sinpos_distance_values(const sinpos_plan *plan, const sinpos_rows *offsets, double *distance,
                                     size_t n_threads)
{
    return curve_values(plan, offsets, distance, true, n_threads);
}
