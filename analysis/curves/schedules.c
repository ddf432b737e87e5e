/* Several theta(t) side by side: who decays faster, near and far. */
#include <math.h>

#include "blocks.h"
#include "boundary.h"
#include "crew.h"

enum { WINDOW = 33 };
#define REACHED 1e-9

/* WINDOW offsets from x / sqrt 2 to x sqrt 2, in equal ratios, about each x; x itself is in the middle. */
static void fill_windows(double *at, const double *x, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        for (int j = 0; j < WINDOW; j++)
            at[i * WINDOW + (size_t)j] = x[i] * exp2((j - WINDOW / 2) / (double)(WINDOW - 1));
        at[i * WINDOW + WINDOW / 2] = x[i];
    }
}

static double root_mean_square(const double *values)
{
    double sum = 0;
    for (int j = 0; j < WINDOW; j++)
        sum += values[j] * values[j];
    return sqrt(sum / WINDOW);
}

/* What the work allowed is too far from f. */
static void forget_unreached(double *values, const double *radius, size_t n)
{
    for (size_t i = 0; i < n; i++)
        values[i] = radius[i] <= REACHED ? values[i] : NAN;
}

/* Rank among those of its column: 1 is the smallest; the earlier schedule comes first among equals. 0: unknown. */
static void rank_sizes(const double *size, size_t *rank, size_t n, size_t n_x)
{
    for (size_t i = 0; i < n; i++) {
        for (size_t column = 0; column < n_x; column++) {
            const double own = size[i * n_x + column];
            size_t smaller = 0;
            for (size_t other = 0; other < n; other++) {
                const double that = size[other * n_x + column];
                smaller += that < own || (that == own && other < i) ? 1 : 0;
            }
            rank[i * n_x + column] = isnan(own) ? 0 : smaller + 1;
        }
    }
}

static sinpos_status check(const sinpos_theta *const *theta, size_t n, const double *x, size_t n_x)
{
    for (size_t i = 0; i < n; i++)
        if (theta[i] == NULL)
            return SINPOS_E_NULL;
    for (size_t i = 0; i < n_x; i++)
        if (!(x[i] > 0 && x[i] < 0x1p62))
            return SINPOS_E_VALUE;
    return n_x > SIZE_MAX / (2 * WINDOW * sizeof(double)) || n > SIZE_MAX / sizeof(double) / (n_x + 1) ? SINPOS_E_SHAPE
                                                                                                       : SINPOS_OK;
}

sinpos_status sinpos_schedules_compare(const sinpos_theta *const *theta, size_t n, const double *x, size_t n_x,
                                       double *value, double *size, size_t *rank, size_t n_threads,
                                       sinpos_progress *progress, void *context)
{
    BOUNDARY;
    if ((theta == NULL && n > 0) || (x == NULL && n_x > 0) || ((!value || !size || !rank) && n > 0 && n_x > 0))
        return SINPOS_E_NULL;
    sinpos_status status = check(theta, n, x, n_x);
    if (status != SINPOS_OK)
        return status;
    const crew c = crew_of(1, progress, context);
    RELEASED_BY(blocks_free) blocks memory = {0};
    double *at = blocks_take(&memory, n_x * WINDOW, sizeof *at);
    double *window = blocks_take(&memory, 2 * n_x * WINDOW, sizeof *window);
    status = blocks_status(&memory);
    if (status == SINPOS_OK)
        fill_windows(at, x, n_x);
    for (size_t i = 0; i < n && status == SINPOS_OK; i++) {
        status =
            sinpos_continuum_values(theta[i], at, n_x * WINDOW, window, window + n_x * WINDOW, n_threads, NULL, NULL);
        if (status == SINPOS_OK)
            forget_unreached(window, window + n_x * WINDOW, n_x * WINDOW);
        for (size_t column = 0; column < n_x && status == SINPOS_OK; column++) {
            value[i * n_x + column] = window[column * WINDOW + WINDOW / 2];
            size[i * n_x + column] = root_mean_square(window + column * WINDOW);
        }
        if (status == SINPOS_OK)
            status = crew_report(&c, (double)(i + 1) / (double)n);
    }
    if (status == SINPOS_OK)
        rank_sizes(size, rank, n, n_x);
    return status;
}
