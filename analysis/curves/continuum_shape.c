/* Shapes of theta, term by term, and the closed forms of their continua by special functions. */
#include "continuum_shape.h"

void shape_each(shape *s, void (*act)(arb_t))
{
    act(s->c);
    act(s->k);
    act(s->p);
    act(s->a);
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

void number_ball(arb_t ball, const sinpos_theta *theta, const step *s, slong precision)
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

void shape_of(shape *stack, const sinpos_theta *theta, slong precision)
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

/* ------------------------------------------------------------------------------------------- Closed forms */

/* c exp(k t): (Ci(x c e^k) - Ci(x c)) / k, with Ci even */
static bool closed_exponential(arb_t value, const shape *s, const arb_t x, slong precision)
{
    if (arb_contains_zero(s->k))
        return false;
    arb_ptr near = _arb_vec_init(2), far = near + 1;
    arb_mul(near, x, s->c, precision);
    arb_abs(near, near);
    arb_exp(far, s->k, precision);
    arb_mul(far, far, near, precision);
    arb_hypgeom_ci(value, far, precision);
    arb_hypgeom_ci(near, near, precision);
    arb_sub(value, value, near, precision);
    arb_div(value, value, s->k, precision);
    _arb_vec_clear(near, 2);
    return true;
}

/* The integral of cos(z u^a) over u from 0 to w >= 0: w Re 1F1(1/a; 1 + 1/a; i z w^a) */
static void power_integral(arb_t value, const arb_t z, const arb_t a, const arb_t w, slong precision)
{
    if (arb_is_zero(w)) {
        arb_zero(value);
        return;
    }
    acb_ptr first = _acb_vec_init(4), second = first + 1, at = first + 2, sum = first + 3;
    arb_inv(acb_realref(first), a, precision);
    acb_add_ui(second, first, 1, precision);
    arb_pow(acb_imagref(at), w, a, precision);
    arb_mul(acb_imagref(at), acb_imagref(at), z, precision);
    acb_hypgeom_m(sum, first, second, at, 0, precision);
    arb_mul(value, w, acb_realref(sum), precision);
    _acb_vec_clear(first, 4);
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
    arb_ptr z = _arb_vec_init(4), begin = z + 1, end = z + 2, other = z + 3;
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
    _arb_vec_clear(z, 4);
    return good;
}

bool shape_continuum(arb_t value, shape *s, const arb_t x, slong precision)
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
