/*
 * One element, rounded right whatever it takes: exact cases, then double-double, then 320-bit frequencies, then as
 * many bits as decide. docs/numerics.md, section 6, proves each bound used here.
 */
#include "ladder.h"

#include <math.h>
#include <string.h>

#ifdef SINPOS_KERNEL_ERROR
static void err_ladder(const sinpos_plan *plan, size_t padded, position p, bool cosine, double *high, double *low)
{
    const kernel_result r = {ERROR_LADDER_DD, plan, padded, p, cosine, fabs(*high) * LADDER_DD_BOUND, *high, low};
    if (sinpos_internal_kernel_error != NULL)
        *high = sinpos_internal_kernel_error(&r);
}
#endif

/* theta in radians from F in turns. */
static OWN_FRAME void radians_from_turns(size_t n, const wide *turns, wide *radians)
{
    wide pi;
    wide_pi_quarter(n, &pi);
    wide_mul(n, radians, turns, &pi);
    if (radians->sign != 0)
        radians->exponent += 3;
}

static void power_of_two(size_t n, wide *r, int64_t exponent)
{
    wide_set_integer(n, r, 1);
    r->exponent += exponent;
}

/*
 * With all the precision there is, a value that cannot be distinguished from a tie or from zero is taken as that tie or zero:
 * see docs/numerics.md, section 6. Rounding to half the limbs first makes it exactly so.
 */
static OWN_FRAME double settle(const wide *value, int64_t error, sinpos_type type)
{
    enum { N = LAST_LIMBS, HALF = N / 2 };
    if (value->sign == 0 || value->exponent <= error)
        return 0.0;
    wide nearest, last_bit;
    wide_set_integer(N, &last_bit, 1);
    last_bit.exponent = value->exponent - 64 * HALF; /* half of the last bit that stays */
    last_bit.sign = value->sign;
    wide_add(N, &nearest, value, &last_bit);
    return round_wide(HALF, &nearest, type);
}

OWN_FRAME bool decides(size_t n, const wide *value, int64_t error, sinpos_type type, double *result)
{
    wide e, low, high;
    power_of_two(n, &e, error);
    wide_sub(n, &low, value, &e);
    wide_add(n, &high, value, &e);
    const double a = round_wide(n, &low, type), b = round_wide(n, &high, type);
    if (memcmp(&a, &b, sizeof a) == 0) {
        *result = a;
        return true;
    }
    if (n < LAST_LIMBS)
        return false;
    *result = settle(value, error, type);
    return true;
}

size_t next_limbs(size_t n)
{
    return n < 8 ? 8 : 2 * n < LAST_LIMBS ? 2 * n : LAST_LIMBS;
}

/* amplitude * weight * sine or cosine of an angle whose error is below 2^angle_error: decided? */
static OWN_FRAME bool decide_wave(const sinpos_plan *plan, size_t padded, size_t n, position p, element e,
                                  sinpos_type type, const wide *f, const wide *turns, int64_t angle_error,
                                  double *result)
{
    wide eighth, sine, cosine;
    const int64_t quarters = split_quarters(n, turns, &eighth);
    wide_sincos_turns(n, quarters, &eighth, &sine, &cosine);
    wide *const value = e.cosine ? &cosine : &sine, *const factor = e.cosine ? &sine : &cosine;
    tone_amplitude(n, &plan->tones[plan->tone_of[padded]], factor);
    if (e.operation != SINPOS_FILL) {
        if (e.operation == SINPOS_GRADIENT_THETA)
            wide_position(n, p, &eighth);
        else
            radians_from_turns(n, f, &eighth);
        wide_mul(n, factor, factor, &eighth);
    }
    wide_mul(n, value, value, factor);
    value->sign = e.negated ? -value->sign : value->sign;
    const int64_t relative = larger(relative_error_exponent(n), 44 - 64 * (int64_t)n) + 2;
    const int64_t from_angle = factor->exponent + angle_error + 4;
    const int64_t from_value = value->sign ? value->exponent + relative : INT64_MIN / 2;
    const int64_t error = larger(from_angle, from_value) + 1;
    ERR(look_at(n, value, error));
    return decides(n, value, error, type, result);
}

/* One rung in wide arithmetic. */
static OWN_FRAME bool rung_wide(const sinpos_plan *plan, size_t padded, size_t n, position p, element e,
                                sinpos_type type, double *result)
{
    wide f, turns;
    int64_t angle_error;
    angle_turns(plan, padded, n, p, true, &f, &turns, &angle_error);
    return decide_wave(plan, padded, n, p, e, type, &f, &turns, angle_error, result);
}

/* quarter turn rotation of a double-double pair. */
static void turn_quarters(int64_t quarters, double sine[2], double cosine[2])
{
    const unsigned q = (unsigned)(quarters & 3);
    for (int i = 0; i < 2; i++) {
        const double s = sine[i], c = cosine[i];
        sine[i] = q == 0 ? s : q == 1 ? c : q == 2 ? -s : -c;
        cosine[i] = q == 0 ? c : q == 1 ? -s : q == 2 ? -c : s;
    }
}

void sincos_dd(const sinpos_plan *plan, size_t padded, position p, bool with_phase, double sine[2], double cosine[2],
               int64_t *angle_error)
{
    wide f, turns, eighth;
    angle_turns(plan, padded, EXACT_LIMBS, p, with_phase, &f, &turns, angle_error);
    const int64_t quarters = split_quarters(EXACT_LIMBS, &turns, &eighth);
    if (eighth.sign != 0)
        eighth.exponent += 2;
    double part[3], s[LANES], sl[LANES], c[LANES], cl[LANES], bound[LANES], parts[3][LANES];
    double ones[LANES], zeros[LANES];
    wide_to_doubles(EXACT_LIMBS, &eighth, part, 3);
    for (int i = 0; i < LANES; i++) {
        ones[i] = 1;
        zeros[i] = 0;
        for (int k = 0; k < 3; k++)
            parts[k][i] = part[k];
    }
    const angles one = {.low_position = 1,
                        .low = {parts[0], parts[1], parts[2]},
                        .amplitude = ones,
                        .bound = zeros,
                        .slope = zeros,
                        .u = {zeros, zeros},
                        .unit_amplitude = true,
                        .n = LANES};
    kernels_active()->anchor_dd(&one, s, sl, c, cl, bound);
    sine[0] = s[0];
    sine[1] = sl[0];
    cosine[0] = c[0];
    cosine[1] = cl[0];
    turn_quarters(quarters, sine, cosine);
}

static void two_product(double a, double b, double *high, double *low)
{
    *high = a * b;
    *low = fma(a, b, -*high);
}

/* Do both ends of high + low +- error round to the same element? */
static bool decides_dd(double high, double low, double error, sinpos_type type, double *result)
{
    const double a = round_sum(high, low - error, type), b = round_sum(high, low + error, type);
    *result = b;
    return memcmp(&a, &b, sizeof a) == 0;
}

static bool within_dd(double x)
{
    return fabs(x) > 0x1p-300 && fabs(x) < 0x1p300;
}

/* The amplitude as two doubles; false where they are too large or too small for a product of pairs. */
static bool amplitude_dd(const sinpos_plan *plan, size_t padded, double amplitude[2])
{
    if (isfinite(plan->bound[padded])) {
        amplitude[0] = plan->amplitude[padded];
        amplitude[1] = plan->more != NULL ? plan->more->amplitude_low[padded] : 0;
    } else {
        tone_amplitude_pair(&plan->tones[plan->tone_of[padded]], amplitude);
    }
    return within_dd(amplitude[0]);
}

static bool rung_dd(const sinpos_plan *plan, size_t padded, position p, element e, sinpos_type type, double *result)
{
    double amplitude[2];
    if (e.operation != SINPOS_FILL || !amplitude_dd(plan, padded, amplitude))
        return false;
    double sine[2], cosine[2];
    int64_t angle_error;
    sincos_dd(plan, padded, p, true, sine, cosine, &angle_error);
    const double *const trig = e.cosine ? cosine : sine;
    /* the angle's own error must vanish beside 2^-80 of the value */
    if (!within_dd(trig[0]) || angle_error > -100 ||
        fabs(trig[0]) * LADDER_DD_ANGLE < ldexp(1.0, (int)larger(angle_error, -900)))
        return false;
    double high, low;
    two_product(amplitude[0], trig[0], &high, &low);
    low = fma(amplitude[0], trig[1], low) + amplitude[1] * trig[0];
    if (e.negated) {
        high = -high;
        low = -low;
    }
    ERR(err_ladder(plan, padded, p, e.cosine, &high, &low));
    return decides_dd(high, low, fabs(high) * LADDER_DD_BOUND, type, result);
}

double element_theta(const sinpos_tone *tone)
{
    if (tone->schedule == SINPOS_EXPLICIT && !tone->in_turns && tone->scale == 1 && tone->factor == 1 &&
        tone->more == NULL)
        return tone->value;
    double theta;
    for (size_t n = EXACT_LIMBS;; n = next_limbs(n)) {
        wide turns, radians;
        tone_turns(n, tone, &turns);
        if (turns.sign == 0)
            return 0.0;
        radians_from_turns(n, &turns, &radians);
        if (decides(n, &radians, radians.exponent + 8 - 64 * (int64_t)n, SINPOS_F64, &theta))
            return theta;
    }
}

double element_round(const sinpos_plan *plan, size_t padded, position p, element e, sinpos_type type)
{
    double result;
    if (element_exact(plan, padded, p, e, type, &result)) {
        count_rung(0);
        return result;
    }
    const int least = forced_rung();
    if (least <= 1 && rung_dd(plan, padded, p, e, type, &result)) {
        count_rung(1);
        return result;
    }
    if (least <= 2 && rung_wide(plan, padded, EXACT_LIMBS, p, e, type, &result)) {
        count_rung(2);
        return result;
    }
    count_rung(3);
    for (size_t n = 8;; n = next_limbs(n))
        if (rung_wide(plan, padded, n, p, e, type, &result))
            return result;
}
