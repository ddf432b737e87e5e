/* One element of a pair that is rotated: u cosine + v sine, times the amplitude or over it, rounded right. */
#include "ladder.h"

bool element_sincos(const sinpos_plan *plan, size_t padded, int64_t k, double sine[2], double cosine[2])
{
    int64_t angle_error;
    sincos_dd(plan, padded, (position){.integer = k}, false, sine, cosine, &angle_error);
    return angle_error < -100;
}

static bool amplitude_is_one(const sinpos_tone *t)
{
    return t->amplitude == 1 && !tone_amplitude_is_sum(t);
}

/* value *= amplitude^power; error becomes that of the product. */
static OWN_FRAME void scale_wide(size_t n, const sinpos_tone *t, amplitude_power power, wide *value, int64_t *error)
{
    wide amplitude;
    if (power == AMPLITUDE_NONE || amplitude_is_one(t))
        return;
    tone_amplitude(n, t, &amplitude);
    if (power == AMPLITUDE_ONCE)
        wide_mul(n, value, value, &amplitude);
    else
        wide_div(n, value, value, &amplitude);
    *error += power == AMPLITUDE_ONCE ? amplitude.exponent : 1 - amplitude.exponent;
    if (value->sign != 0)
        *error = larger(*error, value->exponent + 7 - 64 * (int64_t)n);
    *error += 1;
}

/* amplitude^power (u cosine + v sine) of an angle whose error is below 2^angle_error: decided? */
static OWN_FRAME bool decide_turn(const sinpos_tone *t, size_t n, const wide *turns, int64_t angle_error,
                                  amplitude_power power, double u, double v, sinpos_type type, double *result)
{
    wide sine, cosine, x;
    const int64_t quarters = split_quarters(n, turns, &x);
    wide_sincos_turns(n, quarters, &x, &sine, &cosine);
    wide_set_double(n, &x, u);
    int64_t size = x.sign ? x.exponent : INT32_MIN;
    wide_mul(n, &cosine, &cosine, &x);
    wide_set_double(n, &x, v);
    size = larger(size, x.sign ? x.exponent : INT32_MIN);
    wide_mul(n, &sine, &sine, &x);
    wide_add(n, &x, &cosine, &sine);
    int64_t error = size + larger(angle_error + 4, 46 - 64 * (int64_t)n) + 2;
    scale_wide(n, t, power, &x, &error);
    ERR(look_at(n, &x, error));
    return decides(n, &x, error, type, result);
}

static OWN_FRAME bool turn_wide(const sinpos_plan *plan, size_t padded, size_t n, position p, amplitude_power power,
                                double u, double v, sinpos_type type, double *result)
{
    wide f, turns;
    int64_t angle_error;
    angle_turns(plan, padded, n, p, power != AMPLITUDE_NONE, &f, &turns, &angle_error);
    return decide_turn(&plan->tones[plan->tone_of[padded]], n, &turns, angle_error, power, u, v, type, result);
}

/* The nearest to x amplitude^power. */
static double round_scaled(const sinpos_tone *t, amplitude_power power, double x, sinpos_type type)
{
    double result;
    if (x == 0 || power == AMPLITUDE_NONE || amplitude_is_one(t))
        return round_double(x, type) + 0.0;
    for (size_t n = EXACT_LIMBS;; n = next_limbs(n)) {
        wide value;
        int64_t error = INT32_MIN;
        wide_set_double(n, &value, x);
        scale_wide(n, t, power, &value, &error);
        ERR(look_at(n, &value, error));
        if (decides(n, &value, error, type, &result))
            return result;
    }
}

/* Sine and cosine of the angle, where they are 0 or +-1: the sum is then one of its terms. */
static bool turn_exact(const sinpos_plan *plan, size_t padded, position p, amplitude_power power, double u, double v,
                       sinpos_type type, double *result)
{
    const sinpos_tone *t = &plan->tones[plan->tone_of[padded]];
    if ((u == 0 && v == 0) || (power == AMPLITUDE_ONCE && tone_amplitude_size(t) == 0)) {
        *result = 0.0;
        return true;
    }
    const int twelfths = exact_twelfths(plan, padded, p, power != AMPLITUDE_NONE);
    if (twelfths < 0 || twelfths % 3 != 0)
        return false;
    const double cosine = twice_sine((twelfths + 3) % 12) / 2, sine = twice_sine(twelfths) / 2;
    *result = round_scaled(t, power, cosine != 0 ? cosine * u : sine * v, type);
    return true;
}

double element_turn(const sinpos_plan *plan, size_t padded, position p, amplitude_power power, double u, double v,
                    sinpos_type type)
{
    double result;
    if (turn_exact(plan, padded, p, power, u, v, type, &result)) {
        count_rung(0);
        return result;
    }
    for (size_t n = forced_rung() > 2 ? 8 : EXACT_LIMBS;; n = next_limbs(n)) {
        if (turn_wide(plan, padded, n, p, power, u, v, type, &result)) {
            count_rung(n == EXACT_LIMBS ? 2 : 3);
            return result;
        }
    }
}

double element_rotate(const sinpos_plan *plan, size_t padded, int64_t k, double u, double v, sinpos_type type)
{
    return element_turn(plan, padded, (position){.integer = k}, AMPLITUDE_NONE, u, v, type);
}
