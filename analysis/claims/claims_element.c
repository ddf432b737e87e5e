#include "claims_element.h"

#include <math.h>

#include "elements.h"
#include "libraries_found.h"

/* ------------------------------------------------------------------------------------------- number types */

bool element_gaps(sinpos_type type, double x, double *below, double *above, bool *is_even)
{
    const type_facts facts = type_facts_of(type);
    const int digits = facts.precision, least = facts.least_exponent;
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

/* Numbers that the steps below work with. */
enum { VALUE, TURNS, RADIANS, PART, SIZE, EXPONENT, DIVISOR, N_BALLS };

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

/* -(index + shift) / divisor, or 1 - (index + shift) / divisor. */
static void ball_step(arb_ptr x, arb_ptr divisor, const sinpos_tone *t, slong bits)
{
    arb_set_d(x, t->index);
    arb_set_d(divisor, t->shift);
    arb_add(x, x, divisor, bits);
    arb_set_d(divisor, t->divisor);
    if (t->schedule == SINPOS_POWER)
        arb_sub(x, divisor, x, bits);
    else
        arb_neg(x, x);
    arb_div(x, x, divisor, bits);
}

/* Frequency in the tone's own unit. */
static void ball_frequency(arb_ptr theta, arb_ptr balls, const sinpos_tone *t, slong bits)
{
    arb_ptr size = balls + SIZE, exponent = balls + EXPONENT;
    if (t->schedule == SINPOS_EXPLICIT) {
        arb_set_d(theta, t->value);
    } else if (t->schedule == SINPOS_POWER) {
        ball_step(size, balls + DIVISOR, t, bits);
        arb_set_d(exponent, t->exponent);
        ball_power(theta, size, exponent, bits);
    } else {
        arb_set_d(size, t->base);
        arb_set_d(exponent, t->base_divisor);
        arb_div(size, size, exponent, bits);
        ball_step(exponent, balls + DIVISOR, t, bits);
        ball_power(theta, size, exponent, bits);
    }
    arb_set_d(size, t->scale);
    arb_mul(theta, theta, size, bits);
    arb_set_d(size, t->factor);
    arb_div(theta, theta, size, bits);
}

/* amplitude * sine or cosine. Turns and radians are added last, so that rational turns stay exact where they can. */
static void ball_value(arb_ptr balls, const element *e, slong bits)
{
    arb_ptr x = balls + VALUE, turns = balls + TURNS, radians = balls + RADIANS, part = balls + PART;
    ball_frequency(part, balls, e->tone, bits);
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
}

/* The middle between what was got and its neighbour at a distance. */
static void ball_middle(arb_ptr x, arb_ptr half, double got, double distance)
{
    arb_set_d(x, got);
    arb_set_d(half, distance);
    arb_mul_2exp_si(half, half, -1);
    arb_add(x, x, half, ARF_PREC_EXACT);
}

static element_verdict judge_ball(arb_ptr balls, const element *e, double below, double above, bool is_even)
{
    arb_ptr value = balls + VALUE, low = balls + TURNS, high = balls + RADIANS;
    ball_middle(low, balls + PART, e->got, -below);
    ball_middle(high, balls + PART, e->got, above);
    const bool is_tie = arb_equal(value, low) || arb_equal(value, high);
    if ((arb_gt(value, low) && arb_lt(value, high)) || (is_tie && arb_is_exact(value) && is_even))
        return ELEMENT_RIGHT;
    const bool is_out = arb_lt(value, low) || arb_gt(value, high) || (is_tie && arb_is_exact(value));
    return is_out ? ELEMENT_WRONG : ELEMENT_UNDECIDED;
}

element_verdict element_by_balls(const element *e)
{
    double below, above;
    bool is_even;
    if (!element_gaps(e->type, e->got, &below, &above, &is_even))
        return ELEMENT_WRONG;
    element_verdict verdict = ELEMENT_UNDECIDED;
    arb_ptr balls = _arb_vec_init(N_BALLS);
    for (slong bits = FEWEST_BITS; bits <= MOST_BITS && verdict == ELEMENT_UNDECIDED; bits *= 2) {
        ball_value(balls, e, bits);
        verdict = judge_ball(balls, e, below, above, is_even);
    }
    _arb_vec_clear(balls, N_BALLS);
    return verdict;
}

element_judge *const element_judge_best = element_by_balls;
const char *const element_arithmetic = "ball arithmetic";

#else

element_judge *const element_judge_best = element_by_double_double;
const char *const element_arithmetic = "double-double arithmetic";

#endif
