/*
 * The limit of g(x) / g(0) for ever more tones, the integral of cos(x theta(t)) over t from 0 to 1, in ball arithmetic:
 * by special functions where theta is an exponential or a power, else by rigorous integration.
 */
#include <math.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "boundary.h"
#include "expression.h"
#include "threads.h"

#ifdef SINPOS_HAVE_FLINT

#include "balls.h"

enum { FIRST_PRECISION = 96, LAST_PRECISION = 6144, GOAL = -60 /* log2 of the radius wanted */ };

/* ---------------------------------------------------------------------------------------------- The shape */

/* What theta is, as far as that leads to a closed form. */
typedef enum form {
    CONSTANT,         /* c */
    LINEAR,           /* p + k t */
    EXPONENTIAL_FORM, /* c exp(k t) */
    POWER_FORM,       /* c (p + k t)^a */
    OTHER
} form;

typedef struct shape {
    form form;
    arb_t c, k, p, a;
} shape;

static void shape_init(shape *s)
{
    s->form = OTHER;
    arb_init(s->c);
    arb_init(s->k);
    arb_init(s->p);
    arb_init(s->a);
}

static void shape_clear(shape *s)
{
    arb_clear(s->c);
    arb_clear(s->k);
    arb_clear(s->p);
    arb_clear(s->a);
}

/* A constant is linear too. */
static bool make_linear(shape *s)
{
    if (s->form == CONSTANT) {
        arb_set(s->p, s->c);
        arb_zero(s->k);
        s->form = LINEAR;
    }
    return s->form == LINEAR;
}

static void shape_scale(shape *s, const arb_t factor, slong precision)
{
    if (s->form == LINEAR) {
        arb_mul(s->p, s->p, factor, precision);
        arb_mul(s->k, s->k, factor, precision);
    } else {
        arb_mul(s->c, s->c, factor, precision);
    }
}

static void shape_add(shape *x, shape *y, slong precision)
{
    if (x->form == CONSTANT && y->form == CONSTANT) {
        arb_add(x->c, x->c, y->c, precision);
    } else if (make_linear(x) && make_linear(y)) {
        arb_add(x->p, x->p, y->p, precision);
        arb_add(x->k, x->k, y->k, precision);
    } else {
        x->form = OTHER;
    }
}

static void shape_multiply(shape *x, shape *y, slong precision)
{
    if (y->form == CONSTANT && x->form != OTHER) {
        shape_scale(x, y->c, precision);
    } else if (x->form == CONSTANT && y->form != OTHER) {
        shape_scale(y, x->c, precision);
        const shape swapped = *x;
        *x = *y;
        *y = swapped;
    } else if (x->form == EXPONENTIAL_FORM && y->form == EXPONENTIAL_FORM) {
        arb_mul(x->c, x->c, y->c, precision);
        arb_add(x->k, x->k, y->k, precision);
    } else {
        x->form = OTHER;
    }
}

/* 1 / s */
static void shape_invert(shape *s, slong precision)
{
    switch (s->form) {
    case CONSTANT: arb_inv(s->c, s->c, precision); break;
    case LINEAR:
        s->form = POWER_FORM;
        arb_one(s->c);
        arb_set_si(s->a, -1);
        break;
    case EXPONENTIAL_FORM:
        arb_inv(s->c, s->c, precision);
        arb_neg(s->k, s->k);
        break;
    case POWER_FORM:
        arb_inv(s->c, s->c, precision);
        arb_neg(s->a, s->a);
        break;
    case OTHER: break;
    }
}

static void raise_to_constant(shape *x, const arb_t power, slong precision)
{
    switch (x->form) {
    case CONSTANT: arb_pow(x->c, x->c, power, precision); break;
    case LINEAR:
        x->form = POWER_FORM;
        arb_one(x->c);
        arb_set(x->a, power);
        break;
    case EXPONENTIAL_FORM:
    case POWER_FORM:
        if (arb_is_positive(x->c)) {
            arb_pow(x->c, x->c, power, precision);
            arb_mul(x->form == POWER_FORM ? x->a : x->k, x->form == POWER_FORM ? x->a : x->k, power, precision);
        } else {
            x->form = OTHER;
        }
        break;
    case OTHER: break;
    }
}

/* exp(s) */
static void shape_exponential(shape *s, slong precision)
{
    if (s->form == CONSTANT) {
        arb_exp(s->c, s->c, precision);
    } else if (s->form == LINEAR) {
        arb_exp(s->c, s->p, precision);
        s->form = EXPONENTIAL_FORM;
    } else {
        s->form = OTHER;
    }
}

static void shape_logarithm(shape *s, slong precision)
{
    if (s->form == CONSTANT) {
        arb_log(s->c, s->c, precision);
    } else if (s->form == EXPONENTIAL_FORM && arb_is_positive(s->c)) {
        arb_log(s->p, s->c, precision);
        s->form = LINEAR;
    } else {
        s->form = OTHER;
    }
}

static void shape_raise(shape *x, shape *y, slong precision)
{
    if (y->form == CONSTANT) {
        raise_to_constant(x, y->c, precision);
    } else if (x->form == CONSTANT && y->form == LINEAR && arb_is_positive(x->c)) {
        arb_log(x->a, x->c, precision);
        shape_scale(y, x->a, precision);
        shape_exponential(y, precision);
        arb_set(x->c, y->c);
        arb_set(x->k, y->k);
        x->form = EXPONENTIAL_FORM;
    } else {
        x->form = OTHER;
    }
}

static void number_ball(arb_t ball, const sinpos_theta *theta, const step *s, slong precision)
{
    if (s->decimal < 0)
        arb_set_d(ball, s->number);
    else if (arb_set_str(ball, theta->decimals + s->decimal, precision) != 0)
        arb_indeterminate(ball);
}

static void shape_of_one(shape *x, operator_code code, slong precision)
{
    arb_t factor;
    arb_init(factor);
    switch (code) {
    case NEGATE:
        arb_set_si(factor, -1);
        shape_scale(x, factor, precision);
        break;
    case EXPONENTIAL: shape_exponential(x, precision); break;
    case LOGARITHM: shape_logarithm(x, precision); break;
    case SQUARE_ROOT:
        arb_set_d(factor, 0.5);
        raise_to_constant(x, factor, precision);
        break;
    case SINE:
    case COSINE:
        if (x->form != CONSTANT)
            x->form = OTHER;
        else if (code == SINE)
            arb_sin(x->c, x->c, precision);
        else
            arb_cos(x->c, x->c, precision);
        break;
    default: x->form = OTHER;
    }
    arb_clear(factor);
}

static void shape_of_two(shape *x, shape *y, operator_code code, slong precision)
{
    if (code == SUBTRACT)
        shape_of_one(y, NEGATE, precision);
    if (code == DIVIDE)
        shape_invert(y, precision);
    switch (code) {
    case ADD:
    case SUBTRACT: shape_add(x, y, precision); break;
    case MULTIPLY:
    case DIVIDE: shape_multiply(x, y, precision); break;
    default: shape_raise(x, y, precision);
    }
}

static void shape_push(shape *x, const sinpos_theta *theta, const step *s, slong precision)
{
    x->form = CONSTANT;
    switch (s->code) {
    case PUSH_NUMBER: number_ball(x->c, theta, s, precision); break;
    case PUSH_PI: arb_const_pi(x->c, precision); break;
    case PUSH_E: arb_const_e(x->c, precision); break;
    default:
        x->form = LINEAR;
        arb_zero(x->p);
        arb_one(x->k);
    }
}

/* stack: theta->depth shapes; the result is the first. */
static void shape_of(shape *stack, const sinpos_theta *theta, slong precision)
{
    size_t n = 0;
    for (size_t i = 0; i < theta->n; i++) {
        const step *s = &theta->steps[i];
        if (s->code <= PUSH_E) {
            shape_push(&stack[n++], theta, s, precision);
        } else if (s->code < ADD) {
            shape_of_one(&stack[n - 1], s->code, precision);
        } else {
            n--;
            shape_of_two(&stack[n - 1], &stack[n], s->code, precision);
        }
    }
}

/* ------------------------------------------------------------------------------------------- The integrand */

typedef struct integrand {
    const sinpos_theta *theta;
    acb_ptr stack; /* (theta->depth) */
    arb_t x;
    size_t n_calls;
    bool not_real; /* theta was found to be no real number somewhere in [0, 1] */
} integrand;

static void apply_one(acb_t x, operator_code code, int analytic, slong precision)
{
    switch (code) {
    case NEGATE: acb_neg(x, x); break;
    case EXPONENTIAL: acb_exp(x, x, precision); break;
    case LOGARITHM: acb_log_analytic(x, x, analytic, precision); break;
    case SQUARE_ROOT: acb_sqrt_analytic(x, x, analytic, precision); break;
    case SINE: acb_sin(x, x, precision); break;
    default: acb_cos(x, x, precision);
    }
}

static void apply_two(acb_t x, const acb_t y, operator_code code, int analytic, slong precision)
{
    switch (code) {
    case ADD: acb_add(x, x, y, precision); break;
    case SUBTRACT: acb_sub(x, x, y, precision); break;
    case MULTIPLY: acb_mul(x, x, y, precision); break;
    case DIVIDE: acb_div(x, x, y, precision); break;
    default: acb_pow_analytic(x, x, y, analytic, precision);
    }
}

static void push_ball(acb_t x, const sinpos_theta *theta, const step *s, const acb_t t, slong precision)
{
    switch (s->code) {
    case PUSH_NUMBER:
        arb_zero(acb_imagref(x));
        number_ball(acb_realref(x), theta, s, precision);
        break;
    case PUSH_PI: acb_const_pi(x, precision); break;
    case PUSH_E:
        acb_one(x);
        acb_exp(x, x, precision);
        break;
    default: acb_set(x, t);
    }
}

/* theta(t), into stack[0]. With analytic it is finite only where theta is analytic on all of t. */
static void theta_ball(acb_ptr stack, const sinpos_theta *theta, const acb_t t, int analytic, slong precision)
{
    slong n = 0;
    for (size_t i = 0; i < theta->n; i++) {
        const step *s = &theta->steps[i];
        if (s->code <= PUSH_E) {
            push_ball(stack + n, theta, s, t, precision);
            n++;
        } else if (s->code < ADD) {
            apply_one(stack + n - 1, s->code, analytic, precision);
        } else {
            n--;
            apply_two(stack + n - 1, stack + n, s->code, analytic, precision);
        }
    }
}

/* cos(x theta(t)). On a piece of the real line it is between -1 and 1 whatever theta does there. */
static int integrand_ball(acb_ptr out, const acb_t t, void *param, slong order, slong precision)
{
    integrand *f = param;
    f->n_calls++;
    theta_ball(f->stack, f->theta, t, order != 0, precision);
    const bool on_line = arb_is_zero(acb_imagref(t)), is_finite = acb_is_finite(f->stack);
    if (on_line && is_finite && !arb_contains_zero(acb_imagref(f->stack)))
        f->not_real = true;
    acb_mul_arb(out, f->stack, f->x, precision);
    acb_cos(out, out, precision);
    if (order == 0 && on_line && (!acb_is_finite(out) || mag_cmp_2exp_si(arb_radref(acb_realref(out)), 0) > 0)) {
        acb_zero(out);
        mag_one(arb_radref(acb_realref(out)));
    }
    return 0;
}

/* ------------------------------------------------------------------------------------------- Closed forms */

/* c exp(k t): (Ci(x c e^k) - Ci(x c)) / k, with Ci even */
static bool closed_exponential(arb_t value, const shape *s, const arb_t x, slong precision)
{
    if (arb_contains_zero(s->k))
        return false;
    arb_t near, far;
    arb_init(near);
    arb_init(far);
    arb_mul(near, x, s->c, precision);
    arb_abs(near, near);
    arb_exp(far, s->k, precision);
    arb_mul(far, far, near, precision);
    arb_hypgeom_ci(value, far, precision);
    arb_hypgeom_ci(near, near, precision);
    arb_sub(value, value, near, precision);
    arb_div(value, value, s->k, precision);
    arb_clear(near);
    arb_clear(far);
    return true;
}

/* The integral of cos(z u^a) over u from 0 to w >= 0: w Re 1F1(1/a; 1 + 1/a; i z w^a) */
static void power_integral(arb_t value, const arb_t z, const arb_t a, const arb_t w, slong precision)
{
    acb_t first, second, at, sum;
    if (arb_is_zero(w)) {
        arb_zero(value);
        return;
    }
    acb_init(first);
    acb_init(second);
    acb_init(at);
    acb_init(sum);
    arb_inv(acb_realref(first), a, precision);
    acb_add_ui(second, first, 1, precision);
    arb_pow(acb_imagref(at), w, a, precision);
    arb_mul(acb_imagref(at), acb_imagref(at), z, precision);
    acb_hypgeom_m(sum, first, second, at, 0, precision);
    arb_mul(value, w, acb_realref(sum), precision);
    acb_clear(first);
    acb_clear(second);
    acb_clear(at);
    acb_clear(sum);
}

/* The same for w of any sign where a is an integer, so that the integrand is even in u. */
static void signed_power_integral(arb_t value, const arb_t z, const arb_t a, arb_t w, slong precision)
{
    const bool is_negative = arb_is_negative(w);
    arb_abs(w, w);
    power_integral(value, z, a, w, precision);
    if (is_negative)
        arb_neg(value, value);
}

/* c (p + k t)^a with a > 0, and p + k t >= 0 from end to end or a an integer */
static bool closed_power(arb_t value, const shape *s, const arb_t x, slong precision)
{
    arb_t z, begin, end, other;
    arb_init(z);
    arb_init(begin);
    arb_init(end);
    arb_init(other);
    arb_set(begin, s->p);
    arb_add(end, s->p, s->k, precision);
    const bool good = arb_is_positive(s->a) && !arb_contains_zero(s->k) &&
                      (arb_is_int(s->a) || (arb_is_nonnegative(begin) && arb_is_nonnegative(end)));
    if (good) {
        arb_mul(z, x, s->c, precision);
        signed_power_integral(value, z, s->a, end, precision);
        signed_power_integral(other, z, s->a, begin, precision);
        arb_sub(value, value, other, precision);
        arb_div(value, value, s->k, precision);
    }
    arb_clear(z);
    arb_clear(begin);
    arb_clear(end);
    arb_clear(other);
    return good;
}

static bool closed_form(arb_t value, shape *s, const arb_t x, slong precision)
{
    switch (s->form) {
    case CONSTANT:
        arb_mul(value, s->c, x, precision);
        arb_cos(value, value, precision);
        return true;
    case LINEAR:
        arb_one(s->c);
        arb_one(s->a);
        return closed_power(value, s, x, precision);
    case EXPONENTIAL_FORM: return closed_exponential(value, s, x, precision);
    case POWER_FORM: return closed_power(value, s, x, precision);
    case OTHER: break;
    }
    return false;
}

/* ------------------------------------------------------------------------------------------------- Values */

/* Work is counted in units of about a third of a microsecond; one value of the integrand can do for MOST_RADIANS. */
#define MOST_WORK_OF_VALUE 0x1p24
#define MOST_WORK_OF_CALL 0x1p28
#define MOST_WORK_OF_SEARCH 0x1p24
#define MOST_RADIANS 4

/* Room for one thread to evaluate theta. */
typedef struct evaluator {
    const sinpos_theta *theta;
    shape *shapes;
    integrand f;
    arb_t value;
    double variation; /* of theta from 0 to 1, about */
    double work;      /* of one value of the integrand */
    double most;      /* work in one integral */
} evaluator;

/* How far theta goes up and down, seen at POINTS of them: a number from below, where it does so often. */
static double variation_of(const sinpos_theta *theta)
{
    enum { POINTS = 1 << 15 };
    double sum = 0, last = NAN;
    for (int i = 0; i < POINTS; i++) {
        const double value = sinpos_theta_value(theta, (i + 0.5) / POINTS);
        sum += isfinite(value - last) ? fabs(value - last) : 0;
        last = value;
    }
    return sum;
}

static double work_of(const sinpos_theta *theta)
{
    double work = 1;
    for (size_t i = 0; i < theta->n; i++) {
        const operator_code code = theta->steps[i].code;
        work += code == RAISE ? 16 : code >= EXPONENTIAL && code <= COSINE ? 4 : 1;
    }
    return work;
}

static bool evaluator_make(evaluator *e, const sinpos_theta *theta, double variation, double most)
{
    e->theta = theta;
    e->variation = variation;
    e->work = work_of(theta);
    e->most = most;
    e->shapes = calloc(theta->depth, sizeof *e->shapes);
    if (e->shapes == NULL)
        return false;
    for (size_t i = 0; i < theta->depth; i++)
        shape_init(&e->shapes[i]);
    e->f = (integrand){.theta = theta, .stack = _acb_vec_init((slong)theta->depth)};
    arb_init(e->f.x);
    arb_init(e->value);
    return true;
}

static void evaluator_free(evaluator *e)
{
    for (size_t i = 0; i < e->theta->depth; i++)
        shape_clear(&e->shapes[i]);
    free(e->shapes);
    _acb_vec_clear(e->f.stack, (slong)e->theta->depth);
    arb_clear(e->f.x);
    arb_clear(e->value);
}

static bool is_sharp(const arb_t value)
{
    return arb_is_finite(value) && mag_cmp_2exp_si(arb_radref(value), GOAL) <= 0;
}

static void integrate(evaluator *e)
{
    acb_t result, from, to;
    mag_t goal;
    acb_calc_integrate_opt_t options;
    const double radians = e->variation * arf_get_d(arb_midref(e->f.x), ARF_RND_NEAR);
    const double limit = e->most / e->work;
    if (!(radians <= MOST_RADIANS * limit)) { /* what all cosines are */
        arb_zero(e->value);
        mag_one(arb_radref(e->value));
        return;
    }
    acb_calc_integrate_opt_init(options);
    options->eval_limit = (slong)limit;
    acb_init(result);
    acb_init(from);
    acb_init(to);
    acb_one(to);
    mag_init(goal);
    mag_set_ui_2exp_si(goal, 1, GOAL - 1);
    acb_calc_integrate(result, integrand_ball, &e->f, from, to, FIRST_PRECISION, goal, options, FIRST_PRECISION);
    arb_set(e->value, acb_realref(result));
    mag_clear(goal);
    acb_clear(result);
    acb_clear(from);
    acb_clear(to);
}

/* Into e->value; false if there is no closed form. */
static bool evaluate(evaluator *e, double x)
{
    arb_set_d(e->f.x, fabs(x));
    if (x == 0) {
        arb_one(e->value);
        return true;
    }
    for (slong precision = FIRST_PRECISION; precision <= LAST_PRECISION; precision *= 2) {
        shape_of(e->shapes, e->theta, precision);
        if (!closed_form(e->value, &e->shapes[0], e->f.x, precision)) {
            integrate(e);
            return false;
        }
        if (is_sharp(e->value))
            break;
    }
    return true;
}

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
    arb_sub(rest, rest, value, FIRST_PRECISION);
    arb_get_mag(most, rest);
    *radius = mag_get_d(most);
    arb_clear(rest);
    mag_clear(most);
}

typedef struct values_job {
    const sinpos_theta *theta;
    double variation, most; /* as in evaluator */
    const double *x;
    double *value, *radius;
    int *failed; /* (n), per offset: 1 out of memory, 2 no real theta */
    pthread_t caller;
} values_job;

static void values_range(void *context, size_t first, size_t count)
{
    const values_job *j = context;
    evaluator e;
    if (!evaluator_make(&e, j->theta, j->variation, j->most)) {
        j->failed[first] = 1;
        return;
    }
    for (size_t i = first; i < first + count; i++) {
        evaluate(&e, j->x[i]);
        settle(e.value, &j->value[i], &j->radius[i]);
        j->failed[i] = e.f.not_real || !arb_is_finite(e.value) ? 2 : 0;
    }
    evaluator_free(&e);
    if (!pthread_equal(pthread_self(), j->caller))
        flint_cleanup(); /* of this thread, which ends; the caller may hold numbers of its own */
}

/* theta at points inside (0, 1) must be a real number; its ends may be limits, as log(t) at 0. */
static bool is_real_inside(const sinpos_theta *theta)
{
    for (int i = 1; i < 64; i++) {
        if (!isfinite(sinpos_theta_value(theta, i / 64.0)))
            return false;
    }
    return true;
}

static sinpos_status check_offsets(const sinpos_theta *theta, const double *x, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (!(fabs(x[i]) <= 0x1p63)) /* what 2^63 - 1 becomes as a double */
            return SINPOS_E_RANGE;
    }
    return is_real_inside(theta) ? SINPOS_OK : SINPOS_E_VALUE;
}

static sinpos_status values_in_pieces(values_job *j, size_t n, size_t n_threads, sinpos_progress *progress,
                                      void *context)
{
    const size_t threads = n_threads == 0 ? threads_available() : n_threads, piece = 4 * threads;
    values_job part = *j;
    for (size_t first = 0; first < n; first += piece) {
        const size_t count = n - first < piece ? n - first : piece;
        part.x = j->x + first;
        part.value = j->value + first;
        part.radius = j->radius + first;
        part.failed = j->failed + first;
        threads_run(threads, count, 1, values_range, &part);
        for (size_t i = 0; i < count; i++) {
            if (part.failed[i] != 0)
                return part.failed[i] == 1 ? SINPOS_E_MEMORY : SINPOS_E_VALUE;
        }
        if (progress != NULL && progress(context, (double)(first + count) / (double)n) != 0)
            return SINPOS_E_STOPPED;
    }
    return SINPOS_OK;
}

sinpos_status sinpos_continuum_values(const sinpos_theta *theta, const double *x, size_t n, double *value,
                                      double *radius, size_t n_threads, sinpos_progress *progress, void *context)
{
    BOUNDARY;
    if (theta == NULL || ((x == NULL || value == NULL || radius == NULL) && n > 0))
        return SINPOS_E_NULL;
    if (n_threads > 1024)
        return SINPOS_E_VALUE;
    sinpos_status status = check_offsets(theta, x, n);
    if (status != SINPOS_OK || n == 0)
        return status;
    int *failed = calloc(n, sizeof *failed);
    if (failed == NULL)
        return SINPOS_E_MEMORY;
    const double most = fmin(MOST_WORK_OF_VALUE, MOST_WORK_OF_CALL / (double)n);
    values_job j = {theta, variation_of(theta), most, x, value, radius, failed, pthread_self()};
    status = values_in_pieces(&j, n, n_threads, progress, context);
    free(failed);
    return status;
}

/* ------------------------------------------------------------------------------------------- First crossing */

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
    arb_t size;
    double sum = 0;
    acb_init(t);
    arb_init(size);
    for (int i = 0; i < PIECES; i++) {
        arb_set_d(acb_realref(t), (2 * i + 1) / (2.0 * PIECES));
        mag_set_ui_2exp_si(arb_radref(acb_realref(t)), 1, -9);
        theta_ball(e->f.stack, e->theta, t, 0, FIRST_PRECISION);
        sum += acb_is_finite(e->f.stack) ? upper_bound(acb_realref(e->f.stack)) : INFINITY;
    }
    acb_clear(t);
    arb_clear(size);
    return sum / PIECES * (1 + 0x1p-40);
}

static slope slope_of(evaluator *e)
{
    slope bound = {mean_of_theta(e), INFINITY};
    shape *s = &e->shapes[0];
    shape_of(e->shapes, e->theta, FIRST_PRECISION);
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
    evaluate(e, x);
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

static sinpos_status march(evaluator *e, double limit, sinpos_crossing *out, sinpos_progress *progress, void *context)
{
    const slope bound = slope_of(e);
    const size_t most = evaluate(e, 0x1p-60) ? MOST_EVALUATIONS : MOST_INTEGRALS;
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
        if (progress != NULL && i % 16 == 0 && progress(context, fmin(fmax(done, x / limit), 1)) != 0)
            return SINPOS_E_STOPPED;
    }
    out->searched = x;
    return SINPOS_OK;
}

sinpos_status sinpos_continuum_crossing(const sinpos_theta *theta, double limit, sinpos_crossing *crossing,
                                        sinpos_progress *progress, void *context)
{
    BOUNDARY;
    evaluator e;
    if (theta == NULL || crossing == NULL)
        return SINPOS_E_NULL;
    if (!(limit > 0 && limit < 0x1p63) || !is_real_inside(theta))
        return SINPOS_E_VALUE;
    if (!evaluator_make(&e, theta, variation_of(theta), MOST_WORK_OF_VALUE))
        return SINPOS_E_MEMORY;
    sinpos_crossing found = {NAN, INFINITY, 0};
    const sinpos_status status = march(&e, limit, &found, progress, context);
    evaluator_free(&e);
    if (status == SINPOS_OK)
        *crossing = found;
    return status;
}

#else

sinpos_status sinpos_continuum_values(const sinpos_theta *theta, const double *x, size_t n, double *value,
                                      double *radius, size_t n_threads, sinpos_progress *progress, void *context)
{
    BOUNDARY;
    (void)progress;
    (void)context;
    if (theta == NULL || ((x == NULL || value == NULL || radius == NULL) && n > 0))
        return SINPOS_E_NULL;
    return n_threads > 1024 ? SINPOS_E_VALUE : SINPOS_E_UNSUPPORTED;
}

sinpos_status sinpos_continuum_crossing(const sinpos_theta *theta, double limit, sinpos_crossing *crossing,
                                        sinpos_progress *progress, void *context)
{
    BOUNDARY;
    (void)limit;
    (void)progress;
    (void)context;
    return theta == NULL || crossing == NULL ? SINPOS_E_NULL : SINPOS_E_UNSUPPORTED;
}

#endif
