#include "oracle.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <gmp.h>
#include <mpfr.h>

/* theta at working precision w has a relative error below 2^-(w - LOST_BITS); see theta_refine(). */
#define LOST_BITS 40
#define FIRST_WANT 110
#define LAST_WANT (1L << 17)
#define HARDNESS_WANT 400
#define LARGEST_ROOT 5000
#define LARGEST_POWER_BITS (1L << 21)

struct oracle_tone {
    bool in_turns, rational, root2;
    mpq_t phase, phase_turns, amplitude;
    size_t n_further;                 /* coordinates beside the tone's own: */
    mpq_t *coefficient;               /* their frequencies, radians or turns as in_turns says, */
    const oracle_position *position;  /* and where the row is on each */
    mpq_t base, exponent, multiplier; /* T = multiplier * base^exponent; theta = T or 2 pi T */
    mpq_t value;                      /* T, if rational */
    mpq_t value_root2;                /* T sqrt 2, if root2 */
    mpfr_t theta;                     /* T */
    mpfr_prec_t precision;
};

typedef struct format {
    int digits;   /* of the significand */
    int smallest; /* exponent of the smallest subnormal */
    int exponents;
} format;

static format format_of(sinpos_type type)
{
    switch (type) {
    case SINPOS_F64: return (format){53, -1074, 2047};
    case SINPOS_F32: return (format){24, -149, 255};
    case SINPOS_F16: return (format){11, -24, 31};
    case SINPOS_BF16: return (format){8, -133, 255};
    }
    abort();
}

void (*oracle_on_failure)(void);

static void die(const char *what)
{
    fprintf(stderr, "oracle: %s\n", what);
    if (oracle_on_failure)
        oracle_on_failure();
    exit(3);
}

/* ------------------------------------------------------------------------------------------------ Rounding */

static uint64_t infinity_bits(format f, bool negative)
{
    uint64_t magnitude = (uint64_t)f.exponents << (f.digits - 1);
    uint64_t sign = f.digits == 53 ? UINT64_C(1) << 63 : f.digits == 24 ? UINT64_C(1) << 31 : UINT64_C(1) << 15;
    return negative ? magnitude | sign : magnitude;
}

/* bits of  +-significand * 2^exponent,  significand <= 2^digits, exponent >= smallest */
static uint64_t encode(format f, bool negative, uint64_t significand, long exponent)
{
    uint64_t sign = infinity_bits(f, true) ^ infinity_bits(f, false);
    uint64_t half = UINT64_C(1) << (f.digits - 1);
    uint64_t bits = significand;
    if (significand >= half) {
        long biased = exponent - f.smallest + 1;
        if (biased >= f.exponents)
            return infinity_bits(f, negative);
        bits = ((uint64_t)biased << (f.digits - 1)) + (significand - half);
        if (bits > infinity_bits(f, false))
            bits = infinity_bits(f, false);
    }
    return negative ? bits | sign : bits;
}

static uint64_t round_mpfr(sinpos_type type, const mpfr_t value)
{
    static mpfr_t scaled;
    static bool ready;
    if (!ready) {
        mpfr_init2(scaled, 64);
        ready = true;
    }
    const format f = format_of(type);
    const bool negative = mpfr_signbit(value) != 0;
    if (mpfr_zero_p(value))
        return encode(f, negative, 0, f.smallest);
    long exponent = (long)mpfr_get_exp(value) - f.digits;
    if (exponent < f.smallest)
        exponent = f.smallest;
    mpfr_set_prec(scaled, mpfr_get_prec(value));
    mpfr_mul_2si(scaled, value, -exponent, MPFR_RNDN);
    mpfr_abs(scaled, scaled, MPFR_RNDN);
    return encode(f, negative, mpfr_get_ui(scaled, MPFR_RNDN), exponent);
}

/* floor(log2 |q|) */
static long floor_log2(const mpq_t q)
{
    long e = (long)mpz_sizeinbase(mpq_numref(q), 2) - (long)mpz_sizeinbase(mpq_denref(q), 2);
    mpz_t a, b;
    mpz_init_set(a, mpq_numref(q));
    mpz_init_set(b, mpq_denref(q));
    mpz_abs(a, a);
    if (e > 0)
        mpz_mul_2exp(b, b, (mp_bitcnt_t)e);
    else
        mpz_mul_2exp(a, a, (mp_bitcnt_t)-e);
    if (mpz_cmp(a, b) < 0)
        e--;
    mpz_clears(a, b, NULL);
    return e;
}

/* Exact rationals, ties to even; exact zeros are +0. */
static uint64_t round_mpq(sinpos_type type, const mpq_t q)
{
    const format f = format_of(type);
    if (mpq_sgn(q) == 0)
        return 0;
    long exponent = floor_log2(q) + 1 - f.digits;
    if (exponent < f.smallest)
        exponent = f.smallest;
    mpz_t a, b, n, rest;
    mpz_init_set(a, mpq_numref(q));
    mpz_init_set(b, mpq_denref(q));
    mpz_inits(n, rest, NULL);
    mpz_abs(a, a);
    if (exponent > 0)
        mpz_mul_2exp(b, b, (mp_bitcnt_t)exponent);
    else
        mpz_mul_2exp(a, a, (mp_bitcnt_t)-exponent);
    mpz_fdiv_qr(n, rest, a, b);
    mpz_mul_2exp(rest, rest, 1);
    const int order = mpz_cmp(rest, b);
    if (order > 0 || (order == 0 && mpz_odd_p(n)))
        mpz_add_ui(n, n, 1);
    const uint64_t bits = encode(f, mpq_sgn(q) < 0, mpz_get_ui(n), exponent);
    mpz_clears(a, b, n, rest, NULL);
    return bits;
}

uint64_t oracle_round_double(sinpos_type type, double value)
{
    if (isinf(value))
        return infinity_bits(format_of(type), value < 0);
    if (value == 0)
        return encode(format_of(type), signbit(value) != 0, 0, format_of(type).smallest);
    mpq_t q;
    mpq_init(q);
    mpq_set_d(q, value);
    const uint64_t bits = round_mpq(type, q);
    mpq_clear(q);
    return bits;
}

bool oracle_is_nan(sinpos_type type, uint64_t bits)
{
    const format f = format_of(type);
    const uint64_t sign = infinity_bits(f, true) ^ infinity_bits(f, false);
    return (bits & ~sign) > infinity_bits(f, false);
}

bool oracle_is_infinite(sinpos_type type, uint64_t bits)
{
    const format f = format_of(type);
    return bits == infinity_bits(f, true) || bits == infinity_bits(f, false);
}

double oracle_to_double(sinpos_type type, uint64_t bits)
{
    const format f = format_of(type);
    const uint64_t sign = infinity_bits(f, true) ^ infinity_bits(f, false);
    const uint64_t magnitude = bits & ~sign;
    const double s = (bits & sign) ? -1.0 : 1.0;
    if (magnitude >= infinity_bits(f, false))
        return magnitude == infinity_bits(f, false) ? s * INFINITY : (double)NAN;
    const uint64_t half = UINT64_C(1) << (f.digits - 1);
    const uint64_t biased = magnitude >> (f.digits - 1);
    uint64_t significand = magnitude & (half - 1);
    if (biased > 0)
        significand += half;
    return s * ldexp((double)significand, f.smallest + (biased > 0 ? (int)biased - 1 : 0));
}

uint64_t oracle_add(sinpos_type type, uint64_t x, uint64_t e)
{
    mpfr_t a, b, sum;
    mpfr_init2(a, 53);
    mpfr_init2(b, 53);
    mpfr_init2(sum, 4300); /* exact for any two doubles */
    mpfr_set_d(a, oracle_to_double(type, x), MPFR_RNDN);
    mpfr_set_d(b, oracle_to_double(type, e), MPFR_RNDN);
    uint64_t bits;
    if (mpfr_inf_p(a)) {
        bits = x;
    } else {
        mpfr_add(sum, a, b, MPFR_RNDN);
        bits = round_mpfr(type, sum);
    }
    mpfr_clears(a, b, sum, (mpfr_ptr)NULL);
    return bits;
}

/* ---------------------------------------------------------------------------------------------- Frequencies */

/* q^(1/n), if that is a rational number */
static bool rational_root(mpq_t root, const mpq_t q, unsigned long n)
{
    return mpz_root(mpq_numref(root), mpq_numref(q), n) != 0 && mpz_root(mpq_denref(root), mpq_denref(q), n) != 0;
}

static void integer_power(mpq_t r, const mpq_t q, long u)
{
    const unsigned long n = (unsigned long)labs(u);
    const size_t size = mpz_sizeinbase(mpq_numref(q), 2) + mpz_sizeinbase(mpq_denref(q), 2);
    if ((double)n * (double)size > (double)LARGEST_POWER_BITS)
        die("a rational frequency is beyond the oracle's range");
    mpz_pow_ui(mpq_numref(r), mpq_numref(q), n);
    mpz_pow_ui(mpq_denref(r), mpq_denref(q), n);
    if (u < 0)
        mpq_inv(r, r);
}

/* r = base^x if that is a rational number. base != 0; base < 0 only with x an integer. */
static bool rational_power(mpq_t r, const mpq_t base, const mpq_t x)
{
    mpq_set_ui(r, 1, 1);
    if (mpq_sgn(x) == 0 || mpq_cmp(base, r) == 0)
        return true;
    if (!mpz_fits_ulong_p(mpq_denref(x)) || mpz_get_ui(mpq_denref(x)) > LARGEST_ROOT)
        return false; /* numerator and denominator of base are below 2^LARGEST_ROOT and not both 1 */
    mpq_t root;
    mpq_init(root);
    const unsigned long n = mpz_get_ui(mpq_denref(x));
    bool is_rational = true;
    if (n == 1)
        mpq_set(root, base);
    else
        is_rational = rational_root(root, base, n);
    if (is_rational) {
        if (!mpz_fits_slong_p(mpq_numref(x)))
            die("a rational frequency is beyond the oracle's range");
        integer_power(r, root, mpz_get_si(mpq_numref(x)));
    }
    mpq_clear(root);
    return is_rational;
}

static void set_exponent(oracle_tone *t, const sinpos_tone *tone)
{
    mpq_t a, b;
    mpq_inits(a, b, NULL);
    mpq_set_d(a, tone->index);
    mpq_set_d(b, tone->shift);
    mpq_add(a, a, b);
    mpq_set_d(b, tone->divisor);
    if (tone->schedule != SINPOS_EXPLICIT)
        mpq_div(a, a, b);
    if (tone->schedule == SINPOS_GEOMETRIC) {
        mpq_neg(t->exponent, a);
        mpq_set_d(a, tone->base);
        mpq_set_d(b, tone->base_divisor);
        mpq_div(t->base, a, b);
    } else if (tone->schedule == SINPOS_POWER) {
        mpq_set_ui(b, 1, 1);
        mpq_sub(t->base, b, a);
        mpq_set_d(t->exponent, tone->exponent);
    } else {
        mpq_set_ui(t->base, 1, 1);
    }
    mpq_clears(a, b, NULL);
}

static void find_rational_values(oracle_tone *t)
{
    if (mpq_sgn(t->multiplier) == 0 || (mpq_sgn(t->base) == 0 && mpq_sgn(t->exponent) > 0)) {
        t->rational = true; /* T = 0 */
        return;
    }
    t->rational =
        mpq_sgn(t->exponent) == 0 ? (mpq_set_ui(t->value, 1, 1), true) : rational_power(t->value, t->base, t->exponent);
    if (t->rational) {
        mpq_mul(t->value, t->value, t->multiplier);
        return;
    }
    /* T^2 * 2 a square?  Then T sqrt 2 is rational: matters where the derivative meets sin(pi/4). */
    mpq_t square, twice;
    mpq_inits(square, twice, NULL);
    mpq_mul_2exp(twice, t->exponent, 1);
    if (rational_power(square, t->base, twice)) {
        mpq_mul_2exp(square, square, 1);
        t->root2 = rational_root(t->value_root2, square, 2);
        if (t->root2)
            mpq_mul(t->value_root2, t->value_root2, t->multiplier);
    }
    mpq_clears(square, twice, NULL);
}

/* r = first + the parts */
static void sum_doubles(mpq_t r, double first, const double *parts)
{
    mpq_t part;
    mpq_init(part);
    mpq_set_d(r, first);
    for (int k = 0; k < SINPOS_PARTS && parts != NULL; k++) {
        mpq_set_d(part, parts[k]);
        mpq_add(r, r, part);
    }
    mpq_clear(part);
}

static void divide(mpq_t r, double divisor)
{
    mpq_t d;
    mpq_init(d);
    mpq_set_d(d, divisor);
    mpq_div(r, r, d);
    mpq_clear(d);
}

static void set_further(oracle_tone *t, const sinpos_tone_more *more)
{
    t->n_further = more->n_listens;
    t->coefficient = calloc(t->n_further + 1, sizeof *t->coefficient);
    if (t->coefficient == NULL)
        die("out of memory");
    for (size_t i = 0; i < t->n_further; i++) {
        mpq_init(t->coefficient[i]);
        sum_doubles(t->coefficient[i], 0, more->listens[i].coefficient);
        divide(t->coefficient[i], more->listens[i].divisor);
    }
}

/* What stands beside the frequency. */
static void set_phase_and_amplitude(oracle_tone *t, const sinpos_tone *tone)
{
    const sinpos_tone_more *more = tone->more;
    mpq_inits(t->phase, t->phase_turns, t->amplitude, NULL);
    sum_doubles(t->phase, tone->phase, more != NULL && !tone->in_turns ? more->phase : NULL);
    sum_doubles(t->phase_turns, tone->phase_turns, NULL);
    sum_doubles(t->amplitude, tone->amplitude, more != NULL ? more->amplitude : NULL);
    if (more == NULL)
        return;
    divide(t->phase_turns, more->phase_divisor);
    if (tone->in_turns) {
        mpq_t turns;
        mpq_init(turns);
        sum_doubles(turns, 0, more->phase);
        mpq_add(t->phase_turns, t->phase_turns, turns);
        mpq_clear(turns);
    }
    set_further(t, more);
}

void oracle_tone_place(oracle_tone *t, const oracle_position *further)
{
    t->position = further;
}

static uint64_t amplitude_bits(const sinpos_tone *tone, sinpos_type type)
{
    mpq_t amplitude;
    mpq_init(amplitude);
    sum_doubles(amplitude, tone->amplitude, tone->more != NULL ? tone->more->amplitude : NULL);
    const uint64_t bits = round_mpq(type, amplitude);
    mpq_clear(amplitude);
    return bits;
}

bool oracle_amplitude_overflows(const sinpos_tone *tone, sinpos_type type)
{
    return oracle_is_infinite(type, amplitude_bits(tone, type));
}

bool oracle_amplitude_is_zero(const sinpos_tone *tone)
{
    return amplitude_bits(tone, SINPOS_F64) == 0; /* a sum of doubles is a multiple of 2^-1074 */
}

oracle_tone *oracle_tone_create(const sinpos_tone *tone)
{
    oracle_tone *t = calloc(1, sizeof *t);
    if (t == NULL)
        die("out of memory");
    set_phase_and_amplitude(t, tone);
    t->in_turns = tone->in_turns != 0;
    mpq_inits(t->base, t->exponent, t->multiplier, t->value, t->value_root2, NULL);
    mpfr_init2(t->theta, 64);
    mpq_t a;
    mpq_init(a);
    mpq_set_d(t->multiplier, tone->scale);
    mpq_set_ui(a, 1, 1);
    if (tone->schedule == SINPOS_EXPLICIT)
        sum_doubles(a, tone->value, tone->more != NULL ? tone->more->value : NULL);
    mpq_mul(t->multiplier, t->multiplier, a);
    mpq_set_d(a, tone->factor);
    mpq_div(t->multiplier, t->multiplier, a);
    mpq_clear(a);
    set_exponent(t, tone);
    find_rational_values(t);
    return t;
}

void oracle_tone_destroy(oracle_tone *t)
{
    if (t == NULL)
        return;
    mpq_clears(t->base, t->exponent, t->multiplier, t->value, t->value_root2, NULL);
    mpq_clears(t->phase, t->phase_turns, t->amplitude, NULL);
    for (size_t i = 0; i < t->n_further; i++)
        mpq_clear(t->coefficient[i]);
    free(t->coefficient);
    mpfr_clear(t->theta);
    free(t);
}

/* log(base), relative error below 2^(3 - precision): log1p where base is near 1 */
static void log_rational(mpfr_t y, const mpq_t base)
{
    if (mpq_cmp_ui(base, 1, 2) > 0 && mpq_cmp_ui(base, 2, 1) < 0) {
        mpq_t less_one;
        mpq_init(less_one);
        mpq_set_ui(less_one, 1, 1);
        mpq_sub(less_one, base, less_one);
        mpfr_set_q(y, less_one, MPFR_RNDN);
        mpfr_log1p(y, y, MPFR_RNDN);
        mpq_clear(less_one);
    } else {
        mpfr_set_q(y, base, MPFR_RNDN);
        mpfr_log(y, y, MPFR_RNDN);
    }
}

/*
 * T to a relative error below 2^-(precision - LOST_BITS): the exponent of exp() is below 2^24 and has a relative
 * error below 2^(4 - precision), which makes 2^(28 - precision); exp, product and conversion add a few units.
 */
static void theta_refine(oracle_tone *t, mpfr_prec_t precision)
{
    if (t->precision >= precision)
        return;
    precision = (precision + 127) / 64 * 64;
    t->precision = precision;
    mpfr_set_prec(t->theta, precision);
    if (t->rational) {
        mpfr_set_q(t->theta, t->value, MPFR_RNDN);
        return;
    }
    log_rational(t->theta, t->base);
    mpfr_mul_q(t->theta, t->theta, t->exponent, MPFR_RNDN);
    if (mpfr_get_exp(t->theta) > 24)
        die("a frequency is beyond the oracle's range");
    mpfr_exp(t->theta, t->theta, MPFR_RNDN);
    mpfr_mul_q(t->theta, t->theta, t->multiplier, MPFR_RNDN);
}

/* --------------------------------------------------------------------------------------------------- Angle */

typedef struct angle {
    bool exact;       /* the angle is 2 pi turns, turns rational */
    bool turns_known; /* the part in turns is rational: in .turns, -1/2 < turns <= 1/2 */
    mpq_t turns;
    mpq_t radians; /* without the tone's own coordinate */
} angle;

static struct {
    bool ready;
    mpq_t p, q;
    angle angle;
    mpfr_t a, term, pi, sine, cosine, value, low, high, p_float;
} work;

static void work_init(void)
{
    if (work.ready)
        return;
    mpq_inits(work.p, work.q, work.angle.turns, work.angle.radians, NULL);
    mpfr_inits2(64, work.a, work.term, work.sine, work.cosine, work.value, work.low, work.high, work.p_float, work.pi,
                (mpfr_ptr)NULL);
    mpfr_const_pi(work.pi, MPFR_RNDN);
    work.ready = true;
}

void oracle_cleanup(void)
{
    if (work.ready) {
        mpq_clears(work.p, work.q, work.angle.turns, work.angle.radians, NULL);
        mpfr_clears(work.a, work.term, work.sine, work.cosine, work.value, work.low, work.high, work.p_float, work.pi,
                    (mpfr_ptr)NULL);
        work.ready = false;
    }
    mpfr_free_cache();
}

static void reduce_turns(mpq_t q)
{
    mpz_t n, d;
    mpz_inits(n, d, NULL);
    mpz_mul_2exp(d, mpq_denref(q), 1); /* n = floor(q + 1/2) */
    mpz_mul_2exp(n, mpq_numref(q), 1);
    mpz_add(n, n, mpq_denref(q));
    mpz_fdiv_q(n, n, d);
    mpz_submul(mpq_numref(q), n, mpq_denref(q));
    mpz_clears(n, d, NULL);
}

static void rational_position(mpq_t q, oracle_position p)
{
    if (p.is_real)
        mpq_set_d(q, p.real);
    else
        mpq_set_si(q, (long)p.integer, 1);
}

static void set_position(oracle_position p)
{
    rational_position(work.p, p);
    if (p.is_real)
        mpfr_set_d(work.p_float, p.real, MPFR_RNDN);
    else
        mpfr_set_si(work.p_float, (long)p.integer, MPFR_RNDN);
}

/* Is the part of the angle that carries no pi exactly zero? */
static bool radians_vanish(const oracle_tone *t)
{
    const bool still = mpq_sgn(work.p) == 0 || (t->rational && mpq_sgn(t->value) == 0);
    if (t->in_turns || still)
        return mpq_sgn(work.angle.radians) == 0;
    if (!t->rational)
        return false;
    mpq_mul(work.q, work.p, t->value);
    mpq_add(work.q, work.q, work.angle.radians);
    return mpq_sgn(work.q) == 0;
}

/* The angle except for the tone's own coordinate; the shift knows only that one. */
static void gather(const oracle_tone *t, bool shift)
{
    angle *a = &work.angle;
    mpq_set_ui(a->turns, 0, 1);
    mpq_set_ui(a->radians, 0, 1);
    if (shift)
        return;
    mpq_set(a->turns, t->phase_turns);
    mpq_set(a->radians, t->phase);
    for (size_t i = 0; i < t->n_further; i++) {
        rational_position(work.q, t->position[i]);
        mpq_mul(work.q, work.q, t->coefficient[i]);
        if (t->in_turns)
            mpq_add(a->turns, a->turns, work.q);
        else
            mpq_add(a->radians, a->radians, work.q);
    }
}

static void classify(const oracle_tone *t, bool shift)
{
    angle *a = &work.angle;
    gather(t, shift);
    a->turns_known = !t->in_turns || t->rational || mpq_sgn(work.p) == 0;
    a->exact = a->turns_known && radians_vanish(t);
    if (t->in_turns && a->turns_known && mpq_sgn(work.p) != 0) {
        mpq_mul(work.q, work.p, t->value);
        mpq_add(a->turns, a->turns, work.q);
    }
    reduce_turns(a->turns);
}

static void widen(long *exponent, const mpfr_t x)
{
    if (!mpfr_zero_p(x) && (long)mpfr_get_exp(x) > *exponent)
        *exponent = (long)mpfr_get_exp(x);
}

/* work.a = the angle at precision w, given that theta is; returns the largest exponent among the terms */
static long sum_angle(oracle_tone *t, mpfr_prec_t w)
{
    const angle *a = &work.angle;
    const bool product = !t->in_turns || !a->turns_known;
    long exponent = mpfr_get_emin_min() / 2;
    if (mpfr_get_prec(work.pi) < w) {
        mpfr_set_prec(work.pi, w + 128);
        mpfr_const_pi(work.pi, MPFR_RNDN);
    }
    mpfr_set_prec(work.a, w);
    mpfr_set_prec(work.term, w);
    mpfr_set_q(work.a, a->turns, MPFR_RNDN);
    if (product && t->in_turns) {
        mpfr_mul(work.term, t->theta, work.p_float, MPFR_RNDN);
        widen(&exponent, work.term);
        mpfr_add(work.a, work.a, work.term, MPFR_RNDN);
    }
    mpfr_mul(work.a, work.a, work.pi, MPFR_RNDN);
    mpfr_mul_2ui(work.a, work.a, 1, MPFR_RNDN);
    widen(&exponent, work.a);
    if (product && !t->in_turns) {
        mpfr_mul(work.term, t->theta, work.p_float, MPFR_RNDN);
        widen(&exponent, work.term);
        mpfr_add(work.a, work.a, work.term, MPFR_RNDN);
    }
    if (mpq_sgn(a->radians) != 0) {
        mpfr_set_q(work.term, a->radians, MPFR_RNDN);
        widen(&exponent, work.term);
        mpfr_add(work.a, work.a, work.term, MPFR_RNDN);
    }
    return exponent;
}

/*
 * work.sine, work.cosine: of the angle, |error| <= 2^*error + 2^(exponent of the result - want). The sum of at most
 * four terms below 2^e, each with a relative error below 2^-(w - LOST_BITS) and multiplied by at most 2 pi, is off by
 * less than 2^(e + 6 - w + LOST_BITS).
 */
static bool trig(oracle_tone *t, mpfr_prec_t want, long *error)
{
    long guess = 0;
    for (;;) {
        const mpfr_prec_t w = want + LOST_BITS + 8 + (mpfr_prec_t)guess;
        theta_refine(t, w);
        const long exponent = sum_angle(t, w);
        *error = exponent + 6 - (long)w + LOST_BITS;
        if (exponent <= guess)
            break;
        guess = exponent;
    }
    if (mpfr_zero_p(work.a) && !work.angle.exact)
        return false;
    mpfr_set_prec(work.sine, want);
    mpfr_set_prec(work.cosine, want);
    mpfr_sin_cos(work.sine, work.cosine, work.a, MPFR_RNDN);
    return true;
}

/* ------------------------------------------------------------------------------------------------ Elements */

/* Does every number within 2^error of work.value round to the same element? */
static bool decided(long error, sinpos_type type, uint64_t *bits)
{
    if (mpfr_zero_p(work.value) || (long)mpfr_get_exp(work.value) <= error + 2)
        return false;
    const mpfr_prec_t precision = mpfr_get_prec(work.value) + 64;
    mpfr_set_prec(work.low, precision);
    mpfr_set_prec(work.high, precision);
    mpfr_set_prec(work.term, 2);
    mpfr_set_ui_2exp(work.term, 1, error, MPFR_RNDN);
    mpfr_sub(work.low, work.value, work.term, MPFR_RNDD);
    mpfr_add(work.high, work.value, work.term, MPFR_RNDU);
    *bits = round_mpfr(type, work.low);
    return *bits == round_mpfr(type, work.high);
}

/* twice sin(2 pi q) where that is an integer */
static bool twice_sine(const mpq_t q, bool cosine, int *twice)
{
    static const int values[12] = {0, 1, 9, 2, 9, 1, 0, -1, 9, -2, 9, -1};
    mpq_t twelfths;
    mpq_init(twelfths);
    mpq_set_ui(twelfths, 12, 1);
    mpq_mul(twelfths, twelfths, q);
    bool found = mpz_cmp_ui(mpq_denref(twelfths), 1) == 0;
    if (found) {
        const unsigned long k = mpz_fdiv_ui(mpq_numref(twelfths), 12);
        *twice = values[(k + (cosine ? 3 : 0)) % 12];
        found = *twice != 9;
    }
    mpq_clear(twelfths);
    return found;
}

/* sign of sin(2 pi q) for q an odd multiple of 1/8; 0 for others */
static int eighth_sign(const mpq_t q, bool cosine)
{
    if (mpz_cmp_ui(mpq_denref(q), 8) != 0)
        return 0;
    const unsigned long k = (mpz_fdiv_ui(mpq_numref(q), 8) + (cosine ? 2 : 0)) % 8;
    return k < 4 ? 1 : -1;
}

typedef struct component {
    bool cosine; /* which function */
    bool negative;
    sinpos_operation operation;
} component;

/* work.q = the element, if it is a rational number that can be found without approximation */
static bool rational_element(const oracle_tone *t, component c)
{
    const bool still = mpq_sgn(work.p) == 0;
    mpq_set(work.q, t->amplitude);
    if (mpq_sgn(t->amplitude) == 0)
        return true;
    if ((c.operation == SINPOS_GRADIENT_THETA && still) ||
        (c.operation == SINPOS_GRADIENT_POSITION && t->rational && mpq_sgn(t->value) == 0)) {
        mpq_set_ui(work.q, 0, 1);
        return true;
    }
    if (!work.angle.exact)
        return false;
    int twice = 0;
    const bool by_position = c.operation == SINPOS_GRADIENT_POSITION;
    if (twice_sine(work.angle.turns, c.cosine, &twice)) {
        if (twice != 0 && by_position && (t->in_turns || !t->rational))
            return false;
        if (by_position && twice != 0)
            mpq_mul(work.q, work.q, t->value);
    } else {
        twice = eighth_sign(work.angle.turns, c.cosine);
        if (twice == 0 || !by_position || t->in_turns || !t->root2)
            return false;
        mpq_mul(work.q, work.q, t->value_root2);
    }
    if (c.operation == SINPOS_GRADIENT_THETA)
        mpq_mul(work.q, work.q, work.p);
    mpq_t h;
    mpq_init(h);
    mpq_set_si(h, c.negative ? -twice : twice, 2);
    mpq_canonicalize(h);
    mpq_mul(work.q, work.q, h);
    mpq_clear(h);
    return true;
}

/* work.value = the element; returns the exponent of its error bound */
static long approximate(const oracle_tone *t, component c, mpfr_prec_t want, long error)
{
    mpfr_srcptr f = c.cosine ? work.cosine : work.sine;
    if (mpfr_zero_p(f)) {
        mpfr_set_zero(work.value, 1);
        return 0;
    }
    long relative = error - (long)mpfr_get_exp(f) + 1;
    if (relative < 4 - (long)want)
        relative = 4 - (long)want;
    mpfr_set_prec(work.value, want + 8);
    mpfr_mul_q(work.value, f, t->amplitude, MPFR_RNDN);
    if (c.operation == SINPOS_GRADIENT_THETA)
        mpfr_mul(work.value, work.value, work.p_float, MPFR_RNDN);
    if (c.operation == SINPOS_GRADIENT_POSITION) {
        mpfr_mul(work.value, work.value, t->theta, MPFR_RNDN);
        if (t->in_turns) {
            mpfr_mul(work.value, work.value, work.pi, MPFR_RNDN);
            mpfr_mul_2ui(work.value, work.value, 1, MPFR_RNDN);
        }
    }
    if (c.negative)
        mpfr_neg(work.value, work.value, MPFR_RNDN);
    return (long)mpfr_get_exp(work.value) + relative + 1;
}

static component component_of(sinpos_operation operation, int which)
{
    if (operation == SINPOS_FILL || operation == SINPOS_ADD)
        return (component){which == 1, false, SINPOS_FILL};
    return (component){which == 0, which == 1, operation};
}

/* The types of the set that work.value +- 2^error decides are taken out of it. */
static unsigned settle(long error, unsigned types, uint64_t bits[ORACLE_TYPES])
{
    for (int k = 0; k < ORACLE_TYPES; k++)
        if ((types & oracle_types[k]) && decided(error, oracle_types[k], &bits[k]))
            types &= ~(unsigned)oracle_types[k];
    return types;
}

void oracle_evaluate(oracle_tone *t, oracle_position position, sinpos_operation operation, unsigned types,
                     oracle_pair *pair)
{
    work_init();
    set_position(position);
    classify(t, false);
    uint64_t *const bits[2] = {pair->sin_bits, pair->cos_bits};
    unsigned open[2] = {types, types};
    for (int which = 0; which < 2; which++) {
        if (!rational_element(t, component_of(operation, which)))
            continue;
        for (int k = 0; k < ORACLE_TYPES; k++)
            bits[which][k] = round_mpq(oracle_types[k], work.q);
        open[which] = 0;
    }
    for (mpfr_prec_t want = FIRST_WANT; open[0] | open[1]; want *= 2) {
        long error;
        if (want > LAST_WANT)
            die("an element does not get decided: a rational value was overlooked");
        if (!trig(t, want, &error))
            continue;
        for (int which = 0; which < 2; which++) {
            if (open[which] == 0)
                continue;
            const long e = approximate(t, component_of(operation, which), want, error);
            open[which] = settle(e, open[which], bits[which]);
        }
    }
}

double oracle_hardness(oracle_tone *t, oracle_position position, bool cosine, sinpos_type type)
{
    work_init();
    set_position(position);
    classify(t, false);
    const component c = {cosine, false, SINPOS_FILL};
    long error;
    if (rational_element(t, c) || !trig(t, HARDNESS_WANT, &error))
        return 0;
    (void)approximate(t, c, HARDNESS_WANT, error);
    const format f = format_of(type);
    long exponent = (long)mpfr_get_exp(work.value) - f.digits;
    if (exponent < f.smallest)
        exponent = f.smallest;
    mpfr_mul_2si(work.value, work.value, 1 - exponent, MPFR_RNDN); /* boundaries are the odd integers */
    mpfr_sub_ui(work.value, work.value, 1, MPFR_RNDN);
    mpfr_div_2ui(work.value, work.value, 1, MPFR_RNDN);
    mpfr_set_prec(work.low, HARDNESS_WANT + 64);
    mpfr_rint(work.low, work.value, MPFR_RNDN);
    mpfr_sub(work.value, work.value, work.low, MPFR_RNDN);
    if (mpfr_zero_p(work.value))
        return INFINITY;
    mpfr_abs(work.value, work.value, MPFR_RNDN);
    mpfr_log2(work.value, work.value, MPFR_RNDN);
    return -mpfr_get_d(work.value, MPFR_RNDN) - (double)exponent;
}

double oracle_theta(oracle_tone *t)
{
    work_init();
    uint64_t bits;
    if (t->rational && (!t->in_turns || mpq_sgn(t->value) == 0)) {
        bits = round_mpq(SINPOS_F64, t->value);
        return oracle_to_double(SINPOS_F64, bits);
    }
    for (mpfr_prec_t want = FIRST_WANT;; want *= 2) {
        if (want > LAST_WANT)
            die("a frequency does not get decided");
        theta_refine(t, want + LOST_BITS + 8);
        mpfr_set_prec(work.value, want);
        mpfr_set_prec(work.term, want + 64);
        mpfr_set_ui(work.term, 1, MPFR_RNDN);
        if (t->in_turns) {
            mpfr_const_pi(work.term, MPFR_RNDN);
            mpfr_mul_2ui(work.term, work.term, 1, MPFR_RNDN);
        }
        mpfr_mul(work.value, t->theta, work.term, MPFR_RNDN);
        if (decided((long)mpfr_get_exp(work.value) - (long)want + 4, SINPOS_F64, &bits))
            return oracle_to_double(SINPOS_F64, bits);
    }
}

/* --------------------------------------------------------------------------------------------------- Shift */

/*
 * u cos + v sin of 2 pi q, if rational. With q of denominator n that needs a root of unity of degree at most 2 over
 * Q(i), so n divides 8 or 12: n = 8 only for 0 (u = -+v), else one of the two functions is rational and the other
 * must not occur.
 */
static bool rational_rotation(const mpq_t q, double u, double v, mpq_t result)
{
    int c = 0, s = 0;
    const bool c_known = twice_sine(q, true, &c), s_known = twice_sine(q, false, &s);
    mpq_set_ui(result, 0, 1);
    if (u == 0 && v == 0)
        return true;
    if (mpz_cmp_ui(mpq_denref(q), 8) == 0)
        return u * eighth_sign(q, true) + v * eighth_sign(q, false) == 0;
    if ((u != 0 && !c_known) || (v != 0 && !s_known))
        return false;
    mpq_t term;
    mpq_init(term);
    mpq_set_d(result, u);
    mpq_set_si(term, c, 1);
    mpq_mul(result, result, term);
    mpq_t product;
    mpq_init(product);
    mpq_set_d(product, v);
    mpq_set_si(term, s, 1);
    mpq_mul(product, product, term);
    mpq_add(result, result, product);
    mpq_div_2exp(result, result, 1);
    mpq_clears(term, product, NULL);
    return true;
}

static long exponent_of(double x)
{
    int e = -5000;
    if (x != 0)
        (void)frexp(x, &e);
    return e;
}

/* q *= amplitude^power, power 1, 0 or -1 */
static void scale_rational(mpq_t q, const mpq_t amplitude, int power)
{
    if (power > 0)
        mpq_mul(q, q, amplitude);
    else if (power < 0)
        mpq_div(q, q, amplitude);
}

/* amplitude^power (u cos + v sin) of the angle that classify() left, rounded */
static uint64_t rotate_one(oracle_tone *t, double u, double v, int power, sinpos_type type)
{
    const bool zero = power > 0 && mpq_sgn(t->amplitude) == 0;
    if (work.angle.exact || (u == 0 && v == 0) || zero) {
        mpq_t exact;
        mpq_init(exact);
        const bool known = zero || rational_rotation(work.angle.turns, u, v, exact);
        scale_rational(exact, t->amplitude, known && !zero ? power : 0);
        const uint64_t bits = zero ? 0 : round_mpq(type, exact);
        mpq_clear(exact);
        if (known)
            return bits;
    }
    const long scale = power == 0 ? 0 : power * floor_log2(t->amplitude) + 1;
    for (mpfr_prec_t want = FIRST_WANT;; want *= 2) {
        long error;
        uint64_t bits;
        if (want > LAST_WANT)
            die("a rotated element does not get decided");
        if (!trig(t, want, &error))
            continue;
        if (error < 1 - (long)want)
            error = 1 - (long)want;
        const long size = exponent_of(u) > exponent_of(v) ? exponent_of(u) : exponent_of(v);
        mpfr_set_prec(work.value, want + 64);
        mpfr_set_prec(work.term, want + 64);
        mpfr_mul_d(work.value, work.cosine, u, MPFR_RNDN);
        mpfr_mul_d(work.term, work.sine, v, MPFR_RNDN);
        mpfr_add(work.value, work.value, work.term, MPFR_RNDN);
        if (power > 0)
            mpfr_mul_q(work.value, work.value, t->amplitude, MPFR_RNDN);
        else if (power < 0)
            mpfr_div_q(work.value, work.value, t->amplitude, MPFR_RNDN);
        if (decided(error + size + scale + 3, type, &bits))
            return bits;
    }
}

void oracle_shift(oracle_tone *t, int64_t k, sinpos_type type, const uint64_t in[2], uint64_t out[2])
{
    work_init();
    set_position((oracle_position){false, k, 0});
    classify(t, true);
    const double s = oracle_to_double(type, in[0]), c = oracle_to_double(type, in[1]);
    out[0] = rotate_one(t, s, c, 0, type);
    out[1] = rotate_one(t, c, -s, 0, type);
}

void oracle_rotate(oracle_tone *t, oracle_position position, sinpos_direction direction, sinpos_type type,
                   const uint64_t in[2], uint64_t out[2])
{
    work_init();
    set_position(position);
    classify(t, false);
    const double s = oracle_to_double(type, in[0]), c = oracle_to_double(type, in[1]);
    const double sign = direction == SINPOS_FORWARD ? 1 : -1;
    const int power = direction == SINPOS_INVERSE ? -1 : 1;
    out[0] = rotate_one(t, s, sign * c, power, type);
    out[1] = rotate_one(t, c, -sign * s, power, type);
}
