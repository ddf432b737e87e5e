/* Values of the continuum as balls: by closed forms, else by rigorous integration. */
#include "continuum_evaluate.h"

#include <math.h>
#include <stdlib.h>

enum { LAST_PRECISION = 6144, GOAL = -60 /* log2 of the radius wanted */ };
#define MOST_RADIANS 4 /* that one value of the integrand can do for */

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

void theta_ball(acb_ptr stack, const sinpos_theta *theta, const acb_t t, int analytic, slong precision)
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

double theta_variation(const sinpos_theta *theta)
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

bool evaluator_make(evaluator *e, const sinpos_theta *theta, double variation, double most)
{
    e->theta = theta;
    e->variation = variation;
    e->work = work_of(theta);
    e->most = most;
    e->shapes = calloc(theta->depth, sizeof *e->shapes);
    if (e->shapes == NULL)
        return false;
    for (size_t i = 0; i < theta->depth; i++)
        shape_each(&e->shapes[i], arb_init);
    e->f = (integrand){.theta = theta, .stack = _acb_vec_init((slong)theta->depth)};
    arb_init(e->f.x);
    arb_init(e->value);
    return true;
}

void evaluator_free(evaluator *e)
{
    for (size_t i = 0; i < e->theta->depth; i++)
        shape_each(&e->shapes[i], arb_clear);
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
    acb_ptr result = _acb_vec_init(3), from = result + 1, to = result + 2;
    acb_one(to);
    mag_init(goal);
    mag_set_ui_2exp_si(goal, 1, GOAL - 1);
    acb_calc_integrate(result, integrand_ball, &e->f, from, to, CONTINUUM_PRECISION, goal, options,
                       CONTINUUM_PRECISION);
    arb_set(e->value, acb_realref(result));
    mag_clear(goal);
    _acb_vec_clear(result, 3);
}

bool evaluator_run(evaluator *e, double x)
{
    arb_set_d(e->f.x, fabs(x));
    if (x == 0) {
        arb_one(e->value);
        return true;
    }
    for (slong precision = CONTINUUM_PRECISION; precision <= LAST_PRECISION; precision *= 2) {
        shape_of(e->shapes, e->theta, precision);
        if (!shape_continuum(e->value, &e->shapes[0], e->f.x, precision)) {
            integrate(e);
            return false;
        }
        if (is_sharp(e->value))
            break;
    }
    return true;
}

bool theta_is_real(const sinpos_theta *theta)
{
    for (int i = 1; i < 64; i++)
        if (!isfinite(sinpos_theta_value(theta, i / 64.0)))
            return false;
    return true;
}
