/*
 * Elements that are rational numbers: only they can lie on a rounding boundary, and no precision would decide.
 * docs/numerics.md, section 6, says which they are.
 */
#include "ladder.h"

#include <math.h>

/* -------------------------------------------------------------------------------------- Rational numbers */

enum { MOST_DIVISORS = 4 };

/* numerator / (divisor[0] divisor[1] ...), all exact in n limbs. The divisors differ and are within [1/2, 1). */
typedef struct rational {
    size_t n, n_divisors;
    double divisor[MOST_DIVISORS];
    wide numerator;
} rational;

/* r += term / divisor, the term being lost; false if there are too many divisors. */
static bool add_quotient(rational *r, wide *term, double divisor)
{
    if (term->sign == 0)
        return true;
    int exponent;
    const double own = frexp(fabs(divisor), &exponent);
    bool shared = own == 0.5;
    wide factor;
    term->exponent -= shared ? exponent - 1 : exponent;
    term->sign = divisor < 0 ? -term->sign : term->sign;
    for (size_t i = 0; i < r->n_divisors; i++) {
        if (r->divisor[i] == own) {
            shared = true;
            continue;
        }
        wide_set_double(r->n, &factor, r->divisor[i]);
        wide_mul(r->n, term, term, &factor);
    }
    if (!shared && r->n_divisors == MOST_DIVISORS)
        return false;
    if (!shared) {
        r->divisor[r->n_divisors++] = own;
        wide_set_double(r->n, &factor, own);
        wide_mul(r->n, &r->numerator, &r->numerator, &factor);
    }
    wide_add(r->n, &r->numerator, &r->numerator, term);
    return true;
}

/* a /= d if that is exact. */
static bool divide_exactly(size_t n, wide *a, double d)
{
    wide divisor, quotient, product;
    wide_set_double(n, &divisor, d);
    wide_div(n, &quotient, a, &divisor);
    wide_mul(n, &product, &quotient, &divisor);
    if (wide_compare_size(n, &product, a) != 0)
        return false;
    wide_copy(n, a, &quotient);
    return true;
}

/* numerator / d modulo 12 if that quotient is an integer, else -1. The numerator is exact in n limbs. */
static int quotient_mod_12(size_t n, const wide *numerator, double d)
{
    if (numerator->sign == 0)
        return 0;
    int d_exponent;
    uint64_t d_odd = (uint64_t)ldexp(frexp(fabs(d), &d_exponent), 53);
    const int d_zeros = __builtin_ctzll(d_odd);
    d_odd >>= d_zeros;
    size_t used = n;
    while (numerator->limb[used - 1] == 0)
        used--;
    /* numerator = I 2^(exponent - 64 used), I an integer of `used` limbs; 2-adic valuation of the quotient: */
    const int64_t scale = numerator->exponent - 64 * (int64_t)used - (d_exponent - 53 + d_zeros);
    const int zeros = __builtin_ctzll(numerator->limb[used - 1]);
    if (scale + zeros < 0)
        return -1;
    /* q = I / d_odd must be whole; then quotient = q 2^scale. q mod 12 and, for scale < 0, q / 2^-scale mod 12. */
    uint64_t rest = 0, mod3 = 0;
    uint128 low = 0; /* q mod 2^128 */
    for (size_t i = 0; i < used; i++) {
        const uint128 t = (uint128)rest << 64 | numerator->limb[i];
        const uint64_t digit = (uint64_t)(t / d_odd);
        rest = (uint64_t)(t % d_odd);
        mod3 = (mod3 + digit % 3) % 3; /* 2^64 = 1 mod 3 */
        low = low << 64 | digit;
    }
    if (rest != 0)
        return -1;
    mod3 = scale % 2 == 0 ? mod3 : mod3 * 2 % 3; /* 2^-1 = 2 mod 3 */
    const uint64_t mod4 = scale >= 2 ? 0 : (uint64_t)(scale >= 0 ? low << scale : low >> -scale) & 3;
    int k = 0;
    while (k % 3 != (int)mod3 || k % 4 != (int)mod4)
        k++;
    const int sign = numerator->sign * (d < 0 ? -1 : 1);
    return sign < 0 ? (12 - k) % 12 : k;
}

/* 12 r modulo 12 if it is an integer, else -1. */
static int twelfths_of(rational *r)
{
    wide twelve;
    wide_set_integer(r->n, &twelve, 12);
    wide_mul(r->n, &r->numerator, &r->numerator, &twelve);
    while (r->n_divisors > 1)
        if (!divide_exactly(r->n, &r->numerator, r->divisor[--r->n_divisors]))
            return -1;
    return quotient_mod_12(r->n, &r->numerator, r->n_divisors == 1 ? r->divisor[0] : 1);
}

/* ---------------------------------------------------------------------------------------------- The angle */

/* Can the angle be a whole number of twelfths, as far as 320 bits show? */
static bool near_twelfth(const sinpos_plan *plan, size_t padded, position p, bool with_phase)
{
    wide f, turns, twelve, rest;
    int64_t error;
    angle_turns(plan, padded, EXACT_LIMBS, p, with_phase, &f, &turns, &error);
    wide_set_integer(EXACT_LIMBS, &twelve, 12);
    wide_mul(EXACT_LIMBS, &turns, &turns, &twelve);
    wide_reduce_mod_4(EXACT_LIMBS, &turns);
    wide_round_to_integer(EXACT_LIMBS, &rest, &turns);
    return rest.sign == 0 || rest.exponent <= error + 6;
}

/* A power of a schedule that is 1: its base or its exponent says so. */
static bool is_one(const sinpos_tone *t)
{
    const bool is_first = t->index == -t->shift;
    return (t->schedule == SINPOS_GEOMETRIC && (is_first || t->base == t->base_divisor)) ||
           (t->schedule == SINPOS_POWER && (is_first || t->exponent == 0));
}

/* The terms that carry no pi (in radians), and the others (in turns). False if they are too many to add. */
static bool add_main(const sinpos_tone *t, position p, rational *sum)
{
    const size_t n = sum->n;
    wide term, x;
    wide_position(n, p, &term);
    wide_set_double(n, &x, t->scale);
    wide_mul(n, &term, &term, &x);
    if (t->schedule == SINPOS_EXPLICIT) {
        tone_value(n, t, &x);
        wide_mul(n, &term, &term, &x);
    }
    return add_quotient(sum, &term, t->factor);
}

static bool add_further(const sinpos_tone *t, position p, rational *sum)
{
    bool fits = true;
    for (size_t k = 0; t->more != NULL && k < t->more->n_listens && fits; k++) {
        const sinpos_listen *l = &t->more->listens[k];
        wide term, x;
        wide_position(sum->n, position_on(p.integers, p.reals, l->axis), &term);
        listen_coefficient(sum->n, l, &x);
        wide_mul(sum->n, &term, &term, &x);
        fits = add_quotient(sum, &term, l->divisor);
    }
    return fits;
}

static bool add_phase(const sinpos_tone *t, rational *radians, rational *turns)
{
    wide term;
    tone_phase_radians(radians->n, t, &term);
    if (!add_quotient(radians, &term, 1))
        return false;
    tone_phase_turns(turns->n, t, &term);
    if (!add_quotient(turns, &term, 1))
        return false;
    wide_set_double(turns->n, &term, t->phase_turns);
    return add_quotient(turns, &term, t->more != NULL ? t->more->phase_divisor : 1);
}

/* Only a rational number of turns can be a whole number of twelfths, and only then is the sine rational (Niven). */
int exact_twelfths(const sinpos_plan *plan, size_t padded, position p, bool with_phase)
{
    const sinpos_tone *t = &plan->tones[plan->tone_of[padded]];
    const bool alone = t->more == NULL || t->more->n_listens == 0, phased = with_phase && tone_has_phase(t);
    const bool still = position_is_zero(p) || plan->turns[padded].sign == 0;
    if (still && alone && !phased)
        return 0;
    if (!still && t->schedule != SINPOS_EXPLICIT && !is_one(t))
        return -1; /* irrational, or decided by the last rung: see docs/numerics.md */
    const bool turning = !still && !t->in_turns;
    if (alone && (!phased || t->more == NULL) && turning != (phased && t->phase != 0))
        return -1; /* one term in radians, an algebraic number that is not zero */
    const bool brief = t->more == NULL && !phased;
    if (!brief && !near_twelfth(plan, padded, p, with_phase))
        return -1;
    const size_t n = brief ? 4 : LAST_LIMBS;
    rational radians = {.n = n}, turns = {.n = n};
    wide_zero(&radians.numerator);
    wide_zero(&turns.numerator);
    rational *const own = t->in_turns ? &turns : &radians;
    if ((!still && !add_main(t, p, own)) || !add_further(t, p, own) || (phased && !add_phase(t, &radians, &turns)))
        return -1;
    return radians.numerator.sign == 0 ? twelfths_of(&turns) : -1;
}

int twice_sine(int k)
{
    static const signed char table[12] = {0, 1, 9, 2, 9, 1, 0, -1, 9, -2, 9, -1};
    return table[k];
}

/* -------------------------------------------------------------------------------------------- The element */

static bool amplitude_is_zero(const sinpos_plan *plan, size_t padded)
{
    const sinpos_tone *t = &plan->tones[plan->tone_of[padded]];
    if (!tone_amplitude_is_sum(t))
        return t->amplitude == 0;
    wide sum;
    if (isfinite(plan->bound[padded]))
        return false;
    tone_amplitude(SUM_LIMBS, t, &sum);
    return sum.sign == 0;
}

bool element_exact(const sinpos_plan *plan, size_t padded, position p, element e, sinpos_type type, double *result)
{
    if (amplitude_is_zero(plan, padded) || (e.operation == SINPOS_GRADIENT_THETA && position_is_zero(p)) ||
        (e.operation == SINPOS_GRADIENT_POSITION && plan->turns[padded].sign == 0)) {
        *result = 0.0;
        return true;
    }
    const int k = exact_twelfths(plan, padded, p, true);
    if (k < 0)
        return false;
    const int twice = twice_sine(e.cosine ? (k + 3) % 12 : k);
    if (twice == 0) {
        *result = 0.0;
        return true;
    }
    if (twice == 9 || e.operation == SINPOS_GRADIENT_POSITION)
        return false; /* irrational */
    wide value, x;
    enum { N = SUM_LIMBS + 2 };
    tone_amplitude(N, &plan->tones[plan->tone_of[padded]], &value);
    wide_set_integer(N, &x, e.negated ? -twice : twice);
    wide_mul(N, &value, &value, &x);
    value.exponent--;
    if (e.operation == SINPOS_GRADIENT_THETA) {
        wide_position(N, p, &x);
        wide_mul(N, &value, &value, &x);
    }
    *result = round_wide(N, &value, type);
    return true;
}
