/* Where the continuum first crosses zero: steps over which a bound on its slope keeps its sign, then bisection. */
#include <math.h>

#include "boundary.h"
#include "libraries_found.h"
#include "sinpos_analysis.h"

#ifdef SINPOS_HAVE_FLINT

#include "continuum_evaluate.h"
#include "crew.h"

#define MOST_WORK_OF_SEARCH 0x1p24

/*
 * |f'(x)| <= bound[0] and |f'(x)| <= bound[1] / x for x > 0. By parts, x f'(x) is (cos(x theta(1)) - cos(x theta(0))) / k for
 * c exp(k t), and ([u cos(x c u^a)] / k - f) / a, u from p to p + k, for c (p + k t)^a.
 */
typedef struct slope {
    double flat, falling;
} slope;

static double upper_bound(const arb_t x)
{
    mag_t most;
    mag_init(most);
    arb_get_mag(most, x);
    const double bound = mag_get_d(most);
    mag_clear(most);
    return bound;
}

static double lower_bound(const arb_t x)
{
    mag_t least;
    mag_init(least);
    arb_get_mag_lower(least, x);
    const double bound = mag_get_d(least) * (1 - 0x1p-50);
    mag_clear(least);
    return bound;
}

/* The mean over pieces of the largest |theta| on each. */
static double mean_of_theta(evaluator *e)
{
    enum { PIECES = 256 };
    acb_t t;
    double sum = 0;
    acb_init(t);
    for (int i = 0; i < PIECES; i++) {
        arb_set_d(acb_realref(t), (2 * i + 1) / (2.0 * PIECES));
        mag_set_ui_2exp_si(arb_radref(acb_realref(t)), 1, -9);
        theta_ball(e->f.stack, e->theta, t, 0, CONTINUUM_PRECISION);
        sum += acb_is_finite(e->f.stack) ? upper_bound(acb_realref(e->f.stack)) : INFINITY;
    }
    acb_clear(t);
    return sum / PIECES * (1 + 0x1p-40);
}

static slope slope_of(evaluator *e)
{
    slope bound = {mean_of_theta(e), INFINITY};
    shape *s = &e->shapes[0];
    shape_of(e->shapes, e->theta, CONTINUUM_PRECISION);
    if (s->form == EXPONENTIAL_FORM) {
        bound.falling = 2 / lower_bound(s->k) * (1 + 0x1p-50);
    } else if (s->form == LINEAR || s->form == POWER_FORM) {
        const double a = s->form == LINEAR ? 1 : lower_bound(s->a), k = lower_bound(s->k), p = upper_bound(s->p);
        bound.falling = (1 + (2 * p + upper_bound(s->k)) / k) / a * (1 + 0x1p-50);
    }
    return bound;
}

/* How far f certainly keeps its sign, being at least `size` away from zero at x. */
static double safe_step(const slope *bound, double size, double x)
{
    const double flat = size / bound->flat, falling = x > 0 ? size * x / bound->falling : 0;
    return (flat > falling ? flat : falling) * (1 - 0x1p-40);
}

/* Sign of the continuum, 0 if the ball holds zero; *size is a lower bound of its distance from zero. */
static int sign_at(evaluator *e, double x, double *size)
{
    evaluator_run(e, x);
    *size = arb_contains_zero(e->value) ? 0 : lower_bound(e->value);
    return arb_is_positive(e->value) ? 1 : arb_is_negative(e->value) ? -1 : 0;
}

/* Between a positive and a negative value. */
static void bisect(evaluator *e, double from, double to, double *zero, double *radius)
{
    double size;
    while (to - from > 1e-13 * to) {
        const double middle = from + (to - from) / 2;
        const int sign = sign_at(e, middle, &size);
        if (sign == 0)
            break;
        if (sign > 0)
            from = middle;
        else
            to = middle;
    }
    *zero = from + (to - from) / 2;
    *radius = (to - from) / 2 * (1 + 0x1p-40) + 0x1p-52 * to;
}

enum { MOST_EVALUATIONS = 20000, MOST_INTEGRALS = 2000, UNKNOWN = -20 /* log2 of a radius that hides signs */ };
#define LEAST_STEP 1e-7 /* of x: nearer than that to a zero, what comes next is tried */

static sinpos_status march(evaluator *e, double limit, sinpos_crossing *out, const crew *c)
{
    const slope bound = slope_of(e);
    const size_t most = evaluator_run(e, 0x1p-60) ? MOST_EVALUATIONS : MOST_INTEGRALS;
    double x = 0, size = 1, from = 0, done = 0;
    for (size_t i = 0; done < 1 && x < limit; i++) {
        const double least = LEAST_STEP * (x + 1), safe = safe_step(&bound, size, x);
        from = x;
        x += safe > least ? safe : least;
        x = x < limit ? x : limit;
        const int sign = sign_at(e, x, &size);
        if (!arb_is_finite(e->value) || e->f.not_real)
            return SINPOS_E_VALUE;
        if (sign == 0 && mag_cmp_2exp_si(arb_radref(e->value), UNKNOWN) > 0) {
            x = from;
            break;
        }
        if (sign < 0) {
            bisect(e, from, x, &out->x, &out->radius);
            break;
        }
        done = fmax((double)(i + 1) / (double)most, (double)e->f.n_calls * e->work / MOST_WORK_OF_SEARCH);
        if (i % 16 == 0 && crew_report(c, fmax(done, x / limit)) != SINPOS_OK)
            return SINPOS_E_STOPPED;
    }
    out->searched = x;
    return SINPOS_OK;
}

#endif

sinpos_status sinpos_continuum_crossing(const sinpos_theta *theta, double limit, sinpos_crossing *crossing,
                                        sinpos_progress *progress, void *context)
{
    BOUNDARY;
    if (theta == NULL || crossing == NULL)
        return SINPOS_E_NULL;
#ifdef SINPOS_HAVE_FLINT
    evaluator e;
    if (!(limit > 0 && limit < 0x1p63) || !theta_is_real(theta))
        return SINPOS_E_VALUE;
    if (!evaluator_make(&e, theta, theta_variation(theta), MOST_WORK_OF_VALUE))
        return SINPOS_E_MEMORY;
    const crew c = crew_of(1, progress, context);
    sinpos_crossing found = {NAN, INFINITY, 0};
    const sinpos_status status = march(&e, limit, &found, &c);
    evaluator_free(&e);
    if (status == SINPOS_OK)
        *crossing = found;
    return status;
#else
    (void)limit, (void)progress, (void)context;
    return SINPOS_E_UNSUPPORTED;
#endif
}
