/* Frequencies as real numbers: a tone's theta and phase to any precision. */
#include <math.h>

#include "internal.h"

static sinpos_status refuse(const char **why, const char *reason)
{
    *why = reason;
    return SINPOS_E_SPEC;
}

/* log2 (base / base_divisor) to a few bits relative, also where the two are near each other. */
static double log2_ratio(const sinpos_tone *t)
{
    const double ratio = t->base / t->base_divisor;
    if (ratio > 0.5 && ratio < 2)
        return log1p((t->base - t->base_divisor) / t->base_divisor) * 0x1.71547652b82fep0;
    return log2(t->base) - log2(t->base_divisor);
}

/* log2 |theta|, roughly, for theta that is not zero. */
static double log2_theta(const sinpos_tone *t)
{
    const double size = log2(fabs(t->scale)) - log2(fabs(t->factor));
    if (t->schedule == SINPOS_EXPLICIT)
        return size + log2(fabs(t->value));
    const double e = (t->index + t->shift) / t->divisor;
    if (t->schedule == SINPOS_GEOMETRIC)
        return size - e * log2_ratio(t);
    return t->exponent == 0 ? size : size + t->exponent * log1p(-e) * 0x1.71547652b82fep0;
}

static bool all_finite(const sinpos_tone *t)
{
    return isfinite(t->base) && isfinite(t->base_divisor) && isfinite(t->exponent) && isfinite(t->index) &&
           isfinite(t->shift) && isfinite(t->divisor) && isfinite(t->scale) && isfinite(t->factor) &&
           isfinite(t->value) && isfinite(t->phase) && isfinite(t->phase_turns) && isfinite(t->amplitude);
}

/* 1 - (index + shift) / divisor, exactly as far as its sign goes: -1, 0, 1. */
static int power_step_sign(const sinpos_tone *t)
{
    wide sum, part, divisor;
    wide_set_double(WIDE_LIMBS, &sum, t->index);
    wide_set_double(WIDE_LIMBS, &part, t->shift);
    wide_add(WIDE_LIMBS, &sum, &sum, &part);
    wide_set_double(WIDE_LIMBS, &divisor, t->divisor);
    wide_sub(WIDE_LIMBS, &sum, &divisor, &sum);
    return sum.sign * divisor.sign;
}

sinpos_status tone_check(const sinpos_tone *t, const char **why)
{
    if (!all_finite(t))
        return refuse(why, "every number of a tone must be finite");
    if (t->more != NULL)
        return refuse(why, "tones with more are not supported yet");
    if (t->factor == 0)
        return refuse(why, "factor must not be zero");
    if ((t->schedule == SINPOS_GEOMETRIC || t->schedule == SINPOS_POWER) && t->divisor == 0)
        return refuse(why, "divisor must not be zero (dim/2 is zero, or a tone gives none)");
    if (t->schedule == SINPOS_GEOMETRIC && (!(t->base > 0) || !(t->base_divisor > 0)))
        return refuse(why, "base and base_divisor must be positive");
    if (t->schedule == SINPOS_POWER) {
        const int sign = power_step_sign(t);
        if (sign < 0 || (sign == 0 && t->exponent < 0))
            return refuse(why, "a power schedule needs 1 - (i + shift)/divisor >= 0, and > 0 where exponent < 0");
        if (t->exponent != 0 && fabs(t->exponent) < 0x1p-60)
            return refuse(why, "exponent must be zero or at least 2^-60 in size");
    } else if (t->schedule != SINPOS_GEOMETRIC && t->schedule != SINPOS_EXPLICIT) {
        return refuse(why, "a tone's schedule must be geometric, power or explicit");
    }
    const double size = log2_theta(t);
    const bool is_zero = t->scale == 0 || (t->schedule == SINPOS_EXPLICIT && t->value == 0) ||
                         (t->schedule == SINPOS_POWER && t->exponent > 0 && power_step_sign(t) == 0);
    if (!is_zero && !(size >= -1074.5 && size <= 600))
        return refuse(why, "every frequency must be zero or between 2^-1074 and 2^600");
    return SINPOS_OK;
}

/* r = (index + shift) / divisor. The sum is exact: its two terms span less than n limbs, or truncation is harmless. */
static void tone_exponent(size_t n, const sinpos_tone *t, wide *r)
{
    wide part;
    wide_set_double(n, r, t->index);
    wide_set_double(n, &part, t->shift);
    wide_add(n, r, r, &part);
    wide_set_double(n, &part, t->divisor);
    wide_div(n, r, r, &part);
}

/* r = base^-e as exp(-e ln base). */
static void geometric_step(size_t n, const sinpos_tone *t, const wide *e, wide *r)
{
    wide base, divisor;
    if (e->sign == 0) {
        wide_set_integer(n, r, 1);
        return;
    }
    wide_set_double(n, &base, t->base);
    wide_set_double(n, &divisor, t->base_divisor);
    if (t->base_divisor != 1)
        wide_div(n, &base, &base, &divisor);
    wide_log(n, &base, &base);
    wide_mul(n, r, &base, e);
    r->sign = -r->sign;
    wide_exp(n, r, r);
}

static void power_step(size_t n, const sinpos_tone *t, const wide *e, wide *r)
{
    wide one, step, exponent;
    if (t->exponent == 0) {
        wide_set_integer(n, r, 1);
        return;
    }
    wide_set_integer(n, &one, 1);
    wide_sub(n, &step, &one, e);
    if (power_step_sign(t) == 0) {
        wide_zero(r);
    } else if (t->exponent == 1) {
        wide_copy(n, r, &step);
    } else {
        wide_set_double(n, &exponent, t->exponent);
        wide_log(n, &step, &step);
        wide_mul(n, &step, &step, &exponent);
        wide_exp(n, r, &step);
    }
}

void tone_turns(size_t n, const sinpos_tone *t, wide *turns)
{
    const size_t m = n + 1; /* one limb more than asked: what log, exp and cancellation cost stays in it */
    wide r, number;
    if (t->scale == 0) { /* the other numbers may be anything: no bound on the exponent follows from the domain */
        wide_zero(turns);
        return;
    }
    if (t->schedule == SINPOS_EXPLICIT) {
        wide_set_double(m, &r, t->value);
    } else {
        wide e;
        tone_exponent(m, t, &e);
        if (t->schedule == SINPOS_GEOMETRIC)
            geometric_step(m, t, &e, &r);
        else
            power_step(m, t, &e, &r);
    }
    wide_set_double(m, &number, t->scale);
    wide_mul(m, &r, &r, &number);
    wide_set_double(m, &number, t->factor);
    if (t->factor != 1)
        wide_div(m, &r, &r, &number);
    if (!t->in_turns) {
        wide_inverse_two_pi(m, &number);
        wide_mul(m, &r, &r, &number);
    }
    wide_copy(n, turns, &r);
}

void tone_phase(size_t n, const sinpos_tone *t, wide *turns)
{
    wide radians, inverse;
    wide_set_double(n, turns, t->phase_turns);
    if (t->phase == 0)
        return;
    wide_set_double(n, &radians, t->phase);
    wide_inverse_two_pi(n, &inverse);
    wide_mul(n, &radians, &radians, &inverse);
    wide_add(n, turns, turns, &radians);
}
