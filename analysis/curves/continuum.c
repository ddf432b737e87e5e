/*
 * The limit of g(x) / g(0) for ever more tones, the integral of cos(x theta(t)) over t from 0 to 1, in ball arithmetic:
 * by special functions where theta is an exponential or a power, else by rigorous integration.
 */
#include <math.h>
#include <pthread.h>
#include <stdlib.h>

#include "boundary.h"
#include "expression.h"
#include "libraries_found.h"

#ifdef SINPOS_HAVE_FLINT

#include "continuum_evaluate.h"
#include "crew.h"
#include "owned.h"

#define MOST_WORK_OF_CALL 0x1p28

/* The double in the middle, and how far the true value may be from it. */
static void settle(const arb_t value, double *middle, double *radius)
{
    arb_t rest;
    mag_t most;
    if (!arb_is_finite(value)) {
        *middle = NAN;
        *radius = INFINITY;
        return;
    }
    arb_init(rest);
    mag_init(most);
    *middle = arf_get_d(arb_midref(value), ARF_RND_NEAR);
    arb_set_d(rest, *middle);
    arb_sub(rest, rest, value, CONTINUUM_PRECISION);
    arb_get_mag(most, rest);
    *radius = mag_get_d(most);
    arb_clear(rest);
    mag_clear(most);
}

typedef struct continuum_call {
    const sinpos_theta *theta;
    double variation, most; /* as in evaluator */
    const double *x;
    double *value, *radius;
    int *failed; /* (n), per offset: 1 out of memory, 2 no real theta */
    pthread_t caller;
} continuum_call;

static void values_range(void *context, size_t first, size_t count)
{
    const continuum_call *j = context;
    evaluator e;
    if (!evaluator_make(&e, j->theta, j->variation, j->most)) {
        j->failed[first] = 1;
        return;
    }
    for (size_t i = first; i < first + count; i++) {
        evaluator_run(&e, j->x[i]);
        settle(e.value, &j->value[i], &j->radius[i]);
        j->failed[i] = e.f.not_real || !arb_is_finite(e.value) ? 2 : 0;
    }
    evaluator_free(&e);
    if (!pthread_equal(pthread_self(), j->caller))
        flint_cleanup(); /* of this thread, which ends; the caller may hold numbers of its own */
}

static sinpos_status check_offsets(const sinpos_theta *theta, const double *x, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!(fabs(x[i]) <= 0x1p63)) /* what 2^63 - 1 becomes as a double */
            return SINPOS_E_RANGE;
    return theta_is_real(theta) ? SINPOS_OK : SINPOS_E_VALUE;
}

static sinpos_status values_in_pieces(continuum_call *j, size_t n, const crew *c)
{
    const size_t piece = 4 * c->n_threads;
    sinpos_status status = SINPOS_OK;
    continuum_call part = *j;
    for (size_t first = 0; first < n && status == SINPOS_OK; first += piece) {
        const size_t count = n - first < piece ? n - first : piece;
        part.x = j->x + first;
        part.value = j->value + first;
        part.radius = j->radius + first;
        part.failed = j->failed + first;
        threads_run(c->n_threads, count, 1, values_range, &part);
        for (size_t i = 0; i < count; i++)
            if (part.failed[i] != 0)
                return part.failed[i] == 1 ? SINPOS_E_MEMORY : SINPOS_E_VALUE;
        status = crew_report(c, (double)(first + count) / (double)n);
    }
    return status;
}

#endif

sinpos_status sinpos_continuum_values(const sinpos_theta *theta, const double *x, size_t n, double *value,
                                      double *radius, size_t n_threads, sinpos_progress *progress, void *context)
{
    BOUNDARY;
    if (theta == NULL || ((x == NULL || value == NULL || radius == NULL) && n > 0))
        return SINPOS_E_NULL;
    if (n_threads > 1024)
        return SINPOS_E_VALUE;
#ifdef SINPOS_HAVE_FLINT
    sinpos_status status = check_offsets(theta, x, n);
    if (status != SINPOS_OK || n == 0)
        return status;
    OWNED int *failed = calloc(n, sizeof *failed);
    if (failed == NULL)
        return SINPOS_E_MEMORY;
    const double most = fmin(MOST_WORK_OF_VALUE, MOST_WORK_OF_CALL / (double)n);
    continuum_call j = {theta, theta_variation(theta), most, x, value, radius, failed, pthread_self()};
    const crew c = crew_of(n_threads, progress, context);
    return values_in_pieces(&j, n, &c);
#else
    (void)progress, (void)context;
    return SINPOS_E_UNSUPPORTED;
#endif
}
