/*
 * One element, rounded right whatever it takes: exact cases, then double-double, then 320-bit frequencies, then as
 * many bits as decide. docs/numerics.md, section 6, proves each bound used here.
 */
#include <math.h>
#include <stdatomic.h>
#include <string.h>

#include "internal.h"
#include "kernel_error.h"

/* ------------------------------------------------------------------------------------- Types and bits */

typedef struct format {
    int precision;      /* significant bits, the hidden one included */
    int least_exponent; /* of the last bit of a subnormal: the spacing is 2^least_exponent */
    int top_exponent;   /* finite numbers are below 2^top_exponent */
} format;

static format format_of(sinpos_type type)
{
    switch (type) {
    case SINPOS_F32: return (format){24, -149, 128};
    case SINPOS_F16: return (format){11, -24, 16};
    case SINPOS_BF16: return (format){8, -133, 128};
    case SINPOS_F64: break;
    }
    return (format){53, -1074, 1024};
}

static double with_sign(double size, bool negative)
{
    return negative ? -size : size;
}

/*
 * RN of (top + sticky) * 2^exponent, top a 64-bit integer whose top bit is set, 0 <= sticky < 1 (only whether it is
 * zero matters).
 */
static double round_bits(bool negative, uint64_t top, bool sticky, int64_t exponent, sinpos_type type)
{
    const format f = format_of(type);
    int64_t keep = f.precision; /* bits of top that the result keeps */
    if (exponent + 64 - keep < f.least_exponent)
        keep = exponent + 64 - f.least_exponent;
    if (keep < 0)
        return with_sign(0.0, negative);
    const unsigned drop = (unsigned)(64 - keep); /* 11 .. 64 */
    uint64_t kept = drop == 64 ? 0 : top >> drop;
    const uint64_t half = (uint64_t)1 << (drop - 1);
    const uint64_t rest = drop == 64 ? top : top & ((half << 1) - 1);
    if (rest > half || (rest == half && (sticky || (kept & 1))))
        kept++;
    if (kept == 0)
        return with_sign(0.0, negative);
    const double size = ldexp((double)kept, (int)(exponent + drop));
    return with_sign(size >= ldexp(1.0, f.top_exponent - 1) * 2 ? INFINITY : size, negative);
}

double round_wide(size_t n, const wide *a, sinpos_type type)
{
    if (a->sign == 0)
        return 0.0;
    if (a->exponent > 2000)
        return with_sign(INFINITY, a->sign < 0);
    bool sticky = false;
    for (size_t i = 1; i < n; i++)
        sticky = sticky || a->limb[i] != 0;
    return round_bits(a->sign < 0, a->limb[0], sticky, a->exponent - 64, type);
}

double round_double(double x, sinpos_type type)
{
    if (type == SINPOS_F64 || x == 0 || !isfinite(x))
        return x;
    if (type == SINPOS_F32)
        return (double)(float)x;
    int exponent;
    const double significand = frexp(fabs(x), &exponent);
    return round_bits(signbit(x), (uint64_t)ldexp(significand, 64), false, exponent - 64, type);
}

double round_sum(double high, double low, sinpos_type type)
{
    const double sum = high + low, part = sum - high;
    if (type == SINPOS_F64)
        return sum;
    /* Round to odd first: 53 bits and a sticky last one lose nothing that 24 bits could need. */
    const double lost = (high - (sum - part)) + (low - part);
    uint64_t bits;
    memcpy(&bits, &sum, sizeof bits);
    if (lost != 0 && !(bits & 1)) {
        const bool away = (lost > 0) == (sum > 0);
        bits += away ? 1 : (uint64_t)-1;
    }
    double odd;
    memcpy(&odd, &bits, sizeof odd);
    return round_double(odd, type);
}

void store_element(void *out, size_t index, double value, sinpos_type type)
{
    char *place = (char *)out + index * sinpos_type_bytes(type);
    uint32_t bits;
    const float single = (float)value;
    memcpy(&bits, &single, sizeof bits);
    if (type == SINPOS_F64) {
        memcpy(place, &value, sizeof value);
    } else if (type == SINPOS_F32) {
        memcpy(place, &bits, sizeof bits);
    } else if (type == SINPOS_BF16) {
        uint16_t half = (uint16_t)(bits >> 16);
        if (isnan(value))
            half |= 0x40;
        memcpy(place, &half, sizeof half);
    } else {
        const uint16_t sign = (uint16_t)(bits >> 16 & 0x8000);
        uint16_t half;
        if (isnan(value))
            half = (uint16_t)(0x7e00 | (bits >> 13 & 0x3ff));
        else if (isinf(value))
            half = 0x7c00;
        else if (fabs(value) < 0x1p-14)
            half = (uint16_t)(fabs(value) * 0x1p24);
        else
            half = (uint16_t)((bits >> 13 & 0x3ffff) - (112 << 10));
        half |= sign;
        memcpy(place, &half, sizeof half);
    }
}

double load_element(const void *in, size_t index, sinpos_type type)
{
    const char *place = (const char *)in + index * sinpos_type_bytes(type);
    double value;
    float single;
    uint16_t half;
    if (type == SINPOS_F64) {
        memcpy(&value, place, sizeof value);
        return value;
    }
    if (type == SINPOS_F32) {
        memcpy(&single, place, sizeof single);
        return (double)single;
    }
    memcpy(&half, place, sizeof half);
    if (type == SINPOS_BF16) {
        const uint32_t bits = (uint32_t)half << 16;
        memcpy(&single, &bits, sizeof single);
        return (double)single;
    }
    const int exponent = half >> 10 & 31, fraction = half & 0x3ff;
    if (exponent == 31) {
        const uint32_t bits = (uint32_t)(half & 0x8000) << 16 | 0x7f800000 | (uint32_t)fraction << 13;
        memcpy(&single, &bits, sizeof single);
        return (double)single;
    }
    value = exponent == 0 ? fraction * 0x1p-24 : ldexp(1024 + fraction, exponent - 25);
    return with_sign(value, half >> 15);
}

/* ------------------------------------------------------------------------------------------ Test hooks */

#ifdef SINPOS_KERNEL_ERROR
kernel_error *sinpos_internal_kernel_error;
wide_interval *sinpos_internal_wide_interval;

static void err_ladder(const sinpos_plan *plan, size_t padded, position p, bool cosine, double *high, double *low)
{
    const kernel_result r = {ERROR_LADDER_DD, plan, padded, p, cosine, fabs(*high) * LADDER_DD_BOUND, *high, low};
    if (sinpos_internal_kernel_error != NULL)
        *high = sinpos_internal_kernel_error(&r);
}

static void look_at(size_t n, const wide *value, int64_t error)
{
    if (sinpos_internal_wide_interval != NULL)
        sinpos_internal_wide_interval(n, value, error);
}
#endif

static atomic_int rung_forced;
static _Atomic uint64_t rung_counts[4];

void sinpos_internal_force_rung(int rung)
{
    atomic_store(&rung_forced, rung);
}

int forced_rung(void)
{
    return atomic_load_explicit(&rung_forced, memory_order_relaxed);
}

void sinpos_internal_counters(uint64_t counts[4])
{
    for (int i = 0; i < 4; i++)
        counts[i] = atomic_exchange(&rung_counts[i], 0);
}

static void count_rung(int rung)
{
    atomic_fetch_add_explicit(&rung_counts[rung], 1, memory_order_relaxed);
}

/* --------------------------------------------------------------------------------------------- The angle */

void wide_position(size_t n, position p, wide *r)
{
    if (p.is_real)
        wide_set_double(n, r, p.real);
    else
        wide_set_integer(n, r, p.integer);
}

bool position_is_zero(position p)
{
    return p.is_real ? p.real == 0 : p.integer == 0;
}

position position_on(const int64_t *integers, const double *reals, size_t axis)
{
    position p = {.integers = integers, .reals = reals};
    if (integers != NULL) {
        p.integer = integers[axis];
    } else if (reals[axis] == trunc(reals[axis])) {
        p.integer = (int64_t)reals[axis];
    } else {
        p.is_real = true;
        p.real = reals[axis];
    }
    return p;
}

/* quarters + 4 eighth = 4 turns modulo 4, |eighth| <= 1/8. */
static OWN_FRAME int64_t split_quarters(size_t n, const wide *turns, wide *eighth)
{
    wide quarters;
    wide_copy(n, &quarters, turns);
    if (quarters.sign != 0)
        quarters.exponent += 2;
    wide_reduce_mod_4(n, &quarters);
    const int64_t k = wide_round_to_integer(n, eighth, &quarters);
    if (eighth->sign != 0)
        eighth->exponent -= 2;
    return k;
}

static void kept_turns(const exact_turns *kept, wide *turns)
{
    turns->sign = kept->sign;
    turns->exponent = kept->exponent;
    memcpy(turns->limb, kept->limb, sizeof kept->limb);
}

/* Frequency of a padded tone to n limbs: the plan's own for n = EXACT_LIMBS, else made anew. */
static void frequency(const sinpos_plan *plan, size_t padded, size_t n, wide *turns)
{
    if (n == EXACT_LIMBS)
        kept_turns(&plan->turns[padded], turns);
    else
        tone_turns(n, &plan->tones[plan->tone_of[padded]], turns);
}

/* theta in radians from F in turns. */
static OWN_FRAME void radians_from_turns(size_t n, const wide *turns, wide *radians)
{
    wide pi;
    wide_pi_quarter(n, &pi);
    wide_mul(n, radians, turns, &pi);
    if (radians->sign != 0)
        radians->exponent += 3;
}

static int64_t relative_error_exponent(size_t n)
{
    return n == EXACT_LIMBS ? -KEPT_BITS : 28 - 64 * (int64_t)n;
}

static int64_t larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* turns += the further coordinates times their frequencies; size: all terms are below 2^*size. */
static OWN_FRAME void add_further(const sinpos_plan *plan, size_t padded, size_t n, position p, wide *turns,
                                  int64_t *size)
{
    const sinpos_tone *t = &plan->tones[plan->tone_of[padded]];
    const further *all = plan->more->further + plan->more->further_of[padded];
    for (size_t k = 0; k < t->more->n_listens; k++) {
        wide f, number;
        if (n == EXACT_LIMBS)
            kept_turns(&all[k].turns, &f);
        else
            listen_turns(n, t, &t->more->listens[k], &f);
        wide_position(n, position_on(p.integers, p.reals, all[k].axis), &number);
        wide_mul(n, &number, &number, &f);
        *size = number.sign == 0 ? *size : larger(*size, number.exponent);
        wide_add(n, turns, turns, &number);
    }
}

void angle_turns(const sinpos_plan *plan, size_t padded, size_t n, position p, bool with_phase, wide *f, wide *turns,
                 int64_t *error)
{
    const sinpos_tone *t = &plan->tones[plan->tone_of[padded]];
    wide number;
    frequency(plan, padded, n, f);
    wide_position(n, p, &number);
    wide_mul(n, turns, f, &number);
    int64_t size = turns->sign ? turns->exponent : INT32_MIN, terms = TERMS_LOG2;
    if (t->more != NULL && t->more->n_listens > 0) {
        add_further(plan, padded, n, p, turns, &size);
        terms = FURTHER_TERMS_LOG2;
    }
    if (with_phase && tone_has_phase(t)) {
        tone_phase(n, t, &number);
        size = larger(size, tone_phase_exponent(t)); /* they may cancel */
        wide_add(n, turns, turns, &number);
    }
    *error = size + terms + relative_error_exponent(n);
}

/* ---------------------------------------------------------------------------------------------- The rungs */

static void power_of_two(size_t n, wide *r, int64_t exponent)
{
    wide_set_integer(n, r, 1);
    r->exponent += exponent;
}

/*
 * With all the precision there is, a value that still cannot be told from a tie or from zero is that tie or zero:
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

/* Do both ends of value +- 2^error round to the same element? */
static OWN_FRAME bool decides(size_t n, const wide *value, int64_t error, sinpos_type type, double *result)
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

static size_t next_limbs(size_t n)
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

/* sine and cosine of the angle, amplitude left out, as double-doubles. */
static void sincos_dd(const sinpos_plan *plan, size_t padded, position p, bool with_phase, double sine[2],
                      double cosine[2], int64_t *angle_error)
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

static bool is_derivative(sinpos_operation operation)
{
    return operation == SINPOS_GRADIENT_POSITION || operation == SINPOS_GRADIENT_THETA;
}

double element_in_column(const redo *what, int64_t offset, size_t padded, bool cosine_column)
{
    position p = what->p;
    p.integer += offset;
    const bool derivative = is_derivative(what->operation);
    const element e = {
        .cosine = cosine_column != derivative, .negated = cosine_column && derivative, .operation = what->operation};
    return element_round(what->plan, padded, p, e, what->type);
}

void element_redo(const redo *what, int64_t offset, size_t lane, unsigned mask_sin, unsigned mask_cos, double *sine,
                  double *cosine)
{
    for (size_t i = 0; i < LANES; i++) {
        const size_t padded = what->first + lane + i;
        if (!((mask_sin | mask_cos) >> i & 1) || what->plan->tone_of[padded] == UINT32_MAX)
            continue;
        if (mask_sin >> i & 1)
            sine[i] = element_in_column(what, offset, padded, false);
        if (mask_cos >> i & 1)
            cosine[i] = element_in_column(what, offset, padded, true);
    }
}

/* The subnormal of float16 nearest to the real value, known to be within e of value; false if none is sure. */
static bool settle_subnormal_f16(double value, double e, double *result)
{
    const double units = fabs(value) * 0x1p24, nearest = nearbyint(units); /* both exact, but for the rounding */
    if (!(0.5 - fabs(units - nearest) > e * (SUBNORMAL_ROOM * 0x1p24)) || !(fabs(value) > e))
        return false;
    *result = copysign(nearest * 0x1p-24, value);
    return true;
}

/*
 * A float that rounds to the 16-bit element of the real value, known to be within e of value; false if none is sure.
 * Where RN(value) is a tie of the narrow type the float beside it on the value's side is taken.
 */
static bool settle_16(double value, double e, sinpos_type type, double *result)
{
    const unsigned dropped = type == SINPOS_F16 ? 13 : 16;
    const float nearest = (float)value;
    const double size = fabs(value), lost = value - (double)nearest;
    uint32_t bits;
    memcpy(&bits, &nearest, sizeof bits);
    if (type == SINPOS_F16 && size < 0x1p-14)
        return settle_subnormal_f16(value, e, result);
    if (size < e * LIMIT_16 || size < 0x1p-126)
        return false;
    if ((bits & ((1u << dropped) - 1)) == 1u << (dropped - 1)) {
        if (!(fabs(lost) > e))
            return false;
        bits += (lost > 0) == (value > 0) ? 1 : UINT32_MAX;
    }
    float beside;
    memcpy(&beside, &bits, sizeof beside);
    *result = (double)beside;
    return true;
}

void element_settle(const redo *what, int64_t offset, size_t lane, size_t lanes, double *sine, double *cosine,
                    const double *e_sine, const double *e_cosine)
{
    for (size_t i = 0; i < lanes; i++) {
        const size_t padded = what->first + lane + i;
        if (what->plan->tone_of[padded] == UINT32_MAX)
            continue;
        if (!settle_16(sine[i], e_sine[i], what->type, &sine[i]))
            sine[i] = element_in_column(what, offset, padded, false);
        if (!settle_16(cosine[i], e_cosine[i], what->type, &cosine[i]))
            cosine[i] = element_in_column(what, offset, padded, true);
    }
}

/* ------------------------------------------------------------------------------------------- Rotations */

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
