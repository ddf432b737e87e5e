#include "claims_element.h"

#include <math.h>

/* ------------------------------------------------------------------------------------------- number types */

bool element_gaps(sinpos_type type, double x, double *below, double *above, bool *is_even)
{
    const int digits = type == SINPOS_F64 ? 53 : type == SINPOS_F32 ? 24 : type == SINPOS_F16 ? 11 : 8;
    const int least = type == SINPOS_F64 ? -1074 : type == SINPOS_F32 ? -149 : type == SINPOS_F16 ? -24 : -133;
    if (!isfinite(x))
        return false;
    const int top = x == 0 ? least : ilogb(x);
    const int step = top - digits + 1 < least ? least : top - digits + 1;
    const double units = ldexp(x, step < -1000 ? 1074 : -step) * (step < -1000 ? ldexp(1, -1074 - step) : 1);
    if (units != rint(units))
        return false;
    const bool is_power = fabs(units) == ldexp(1, digits - 1) && step > least;
    const double gap = ldexp(1, step), smaller = is_power ? gap / 2 : gap;
    *is_even = fmod(units, 2) == 0;
    *below = x > 0 ? smaller : gap;
    *above = x < 0 ? smaller : gap;
    return true;
}

/* ------------------------------------------------------------------------------------------ ball arithmetic */

#ifdef SINPOS_HAVE_FLINT

#include "balls.h"

enum { FEWEST_BITS = 128, MOST_BITS = 1 << 14 };

/* size^exponent, where size may be an exact zero. */
static void ball_power(arb_t x, const arb_t size, const arb_t exponent, slong bits)
{
    if (arb_is_zero(exponent))
        arb_one(x);
    else if (arb_is_zero(size))
        arb_zero(x);
    else
        arb_pow(x, size, exponent, bits);
}

static void ball_sum(arb_t x, double a, double b, slong bits)
{
    arb_t y;
    arb_init(y);
    arb_set_d(x, a);
    arb_set_d(y, b);
    arb_add(x, x, y, bits);
    arb_clear(y);
}

/* -(index + shift) / divisor, or 1 - (index + shift) / divisor. */
static void ball_step(arb_t x, const sinpos_tone *t, slong bits)
{
    arb_t divisor;
    arb_init(divisor);
    arb_set_d(divisor, t->divisor);
    ball_sum(x, t->index, t->shift, bits);
    if (t->schedule == SINPOS_POWER) {
        arb_sub(x, divisor, x, bits);
        arb_div(x, x, divisor, bits);
    } else {
        arb_div(x, x, divisor, bits);
        arb_neg(x, x);
    }
    arb_clear(divisor);
}

/* Frequency in the tone's own unit. */
static void ball_frequency(arb_t theta, const sinpos_tone *t, slong bits)
{
    arb_t size, exponent;
    arb_init(size);
    arb_init(exponent);
    if (t->schedule == SINPOS_EXPLICIT) {
        arb_set_d(theta, t->value);
    } else if (t->schedule == SINPOS_POWER) {
        ball_step(size, t, bits);
        arb_set_d(exponent, t->exponent);
        ball_power(theta, size, exponent, bits);
    } else {
        arb_set_d(size, t->base);
        arb_set_d(exponent, t->base_divisor);
        arb_div(size, size, exponent, bits);
        ball_step(exponent, t, bits);
        ball_power(theta, size, exponent, bits);
    }
    arb_set_d(size, t->scale);
    arb_mul(theta, theta, size, bits);
    arb_set_d(size, t->factor);
    arb_div(theta, theta, size, bits);
    arb_clear(size);
    arb_clear(exponent);
}

/* amplitude * sine or cosine. Turns and radians are added last, so that rational turns stay exact where they can. */
static void ball_value(arb_t x, const element *e, slong bits)
{
    arb_t turns, radians, part;
    arb_init(turns);
    arb_init(radians);
    arb_init(part);
    ball_frequency(part, e->tone, bits);
    arb_mul_si(part, part, e->position, bits);
    arb_set_d(turns, 2 * e->tone->phase_turns);
    arb_set_d(radians, e->tone->phase);
    if (e->tone->in_turns)
        arb_addmul_ui(turns, part, 2, bits);
    else
        arb_add(radians, radians, part, bits);
    if (arb_is_zero(radians)) {
        (e->is_cosine ? arb_cos_pi : arb_sin_pi)(x, turns, bits);
    } else {
        arb_const_pi(part, bits);
        arb_addmul(radians, turns, part, bits);
        (e->is_cosine ? arb_cos : arb_sin)(x, radians, bits);
    }
    arb_set_d(part, e->tone->amplitude);
    arb_mul(x, x, part, bits);
    arb_clear(turns);
    arb_clear(radians);
    arb_clear(part);
}

static element_verdict judge_ball(const arb_t value, const element *e, double below, double above, bool is_even)
{
    element_verdict verdict = ELEMENT_UNDECIDED;
    arb_t low, high, half;
    arb_init(low);
    arb_init(high);
    arb_init(half);
    arb_set_d(low, e->got);
    arb_set(high, low);
    arb_set_d(half, below);
    arb_mul_2exp_si(half, half, -1);
    arb_sub(low, low, half, ARF_PREC_EXACT);
    arb_set_d(half, above);
    arb_mul_2exp_si(half, half, -1);
    arb_add(high, high, half, ARF_PREC_EXACT);
    const bool is_tie = arb_equal(value, low) || arb_equal(value, high);
    if ((arb_gt(value, low) && arb_lt(value, high)) || (is_tie && arb_is_exact(value) && is_even))
        verdict = ELEMENT_RIGHT;
    else if (arb_lt(value, low) || arb_gt(value, high) || (is_tie && arb_is_exact(value)))
        verdict = ELEMENT_WRONG;
    arb_clear(low);
    arb_clear(high);
    arb_clear(half);
    return verdict;
}

element_verdict element_by_balls(const element *e)
{
    double below, above;
    bool is_even;
    if (!element_gaps(e->type, e->got, &below, &above, &is_even))
        return ELEMENT_WRONG;
    element_verdict verdict = ELEMENT_UNDECIDED;
    arb_t value;
    arb_init(value);
    for (slong bits = FEWEST_BITS; bits <= MOST_BITS && verdict == ELEMENT_UNDECIDED; bits *= 2) {
        ball_value(value, e, bits);
        verdict = judge_ball(value, e, below, above, is_even);
    }
    arb_clear(value);
    return verdict;
}

element_judge *element_judge_best(void)
{
    return element_by_balls;
}

const char *element_arithmetic(void)
{
    return "ball arithmetic";
}

#else

element_judge *element_judge_best(void)
{
    return element_by_double_double;
}

const char *element_arithmetic(void)
{
    return "double-double arithmetic";
}

#endif
