/*
 * error_budget - the bounds of docs/numerics.md, computed again: from the coefficients and tables of the kernels, from
 * the rules of rounding, and from what the running code says. Each constant of src/bounds.h must be at least what is
 * needed, and by the room that the page names: not less, lest the proof's margin be used up unseen, and not more.
 *
 * Units are 2^-54, as there. Exit: 0 as expected, 1 not.   Covers [P1] [P2].
 */
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <mpfr.h>

#include "exact/ladder.h"
#include "internal.h"
#include "kernel_error.h"
#include "kernels/polynomials.h"
#include "support.h"
#include "tap.h"

enum { PRECISION = 400 };

/* The constant is `room` times what is needed, to within a fifth. */
static void holds(const char *what, double constant, double needed, double room)
{
    const double ratio = constant / needed;
    (void)tap_ok(ratio >= 1 && ratio >= room / 1.2 && ratio <= room * 1.2, "%s: %.4g of %.4g needed, room %.4g (%.4g)",
                 what, constant, needed, ratio, room);
}

/* ------------------------------------------------------------------------------- Section 2: sine and cosine */

/* |f| <= 1/16 + |p u1| and a phase's rest; the polynomials were made for this. */
#define MOST_F 0.064

static double unit(double x)
{
    return x * 0x1p54;
}

/* Half the last bit of doubles of this size. */
static double rounding(double size)
{
    return ldexp(1, ilogb(size) - 53);
}

static void polynomial(mpfr_t r, const double c[4], const mpfr_t z)
{
    mpfr_set_d(r, c[3], MPFR_RNDN);
    for (int k = 2; k >= 0; k--) {
        mpfr_mul(r, r, z, MPFR_RNDN);
        mpfr_add_d(r, r, c[k], MPFR_RNDN);
    }
}

/* The suprema of |S - sin(pi/2 f) / f| and |C - (cos(pi/2 f) - 1) / f^2| over |f| <= MOST_F. */
static void polynomial_errors(double *of_s, double *of_c)
{
    enum { POINTS = 8000 };
    mpfr_t f, z, angle, sine, cosine, approximate;
    mpfr_inits2(PRECISION, f, z, angle, sine, cosine, approximate, (mpfr_ptr)NULL);
    *of_s = *of_c = 0;
    for (int i = 1; i <= POINTS; i++) {
        mpfr_set_d(f, MOST_F * i / POINTS, MPFR_RNDN);
        mpfr_sqr(z, f, MPFR_RNDN);
        mpfr_const_pi(angle, MPFR_RNDN);
        mpfr_mul(angle, angle, f, MPFR_RNDN);
        mpfr_div_2ui(angle, angle, 1, MPFR_RNDN);
        mpfr_sin_cos(sine, cosine, angle, MPFR_RNDN);
        mpfr_div(sine, sine, f, MPFR_RNDN);
        mpfr_sub_ui(cosine, cosine, 1, MPFR_RNDN);
        mpfr_div(cosine, cosine, z, MPFR_RNDN);
        polynomial(approximate, sin_quarter, z);
        mpfr_sub(approximate, approximate, sine, MPFR_RNDN);
        *of_s = fmax(*of_s, fabs(mpfr_get_d(approximate, MPFR_RNDA)));
        polynomial(approximate, cos_quarter, z);
        mpfr_sub(approximate, approximate, cosine, MPFR_RNDN);
        *of_c = fmax(*of_c, fabs(mpfr_get_d(approximate, MPFR_RNDA)));
    }
    mpfr_clears(f, z, angle, sine, cosine, approximate, (mpfr_ptr)NULL);
}

/* Horner's scheme without fused operations: a product and a sum round in each step. */
static double evaluating(const double c[4], double z)
{
    double error = 0, size = fabs(c[3]);
    for (int k = 2; k >= 0; k--) {
        const double product = size * z;
        error = error * z + rounding(product);
        size = fabs(c[k]) + product;
        error += rounding(size);
    }
    return error;
}

static double table_error(void)
{
    mpfr_t angle, sine, cosine;
    double worst = 0;
    mpfr_inits2(PRECISION, angle, sine, cosine, (mpfr_ptr)NULL);
    for (int k = 0; k < 16; k++) {
        mpfr_const_pi(angle, MPFR_RNDN);
        mpfr_mul_ui(angle, angle, (unsigned long)k, MPFR_RNDN);
        mpfr_div_2ui(angle, angle, 4, MPFR_RNDN);
        mpfr_sin_cos(sine, cosine, angle, MPFR_RNDN);
        mpfr_sub_d(sine, sine, sin_sixteenths[k], MPFR_RNDN);
        mpfr_sub_d(cosine, cosine, cos_sixteenths[k], MPFR_RNDN);
        worst = fmax(worst, fabs(mpfr_get_d(sine, MPFR_RNDA)));
        if (k != 8) /* the cosine of a quarter turn is 0 */
            worst = fmax(worst, fabs(mpfr_get_d(cosine, MPFR_RNDA)));
    }
    mpfr_clears(angle, sine, cosine, (mpfr_ptr)NULL);
    return worst;
}

/* What one direct evaluation errs by, in units. */
typedef struct direct_errors {
    double one_part, two_parts; /* or a phase */
    double relative_s, first_sixteenth;
} direct_errors;

static direct_errors section_2(void)
{
    const double half_pi = 1.5707963267948966, z = MOST_F * MOST_F, pu1 = REDUCED_LIMIT * 0x1p-52;
    double of_s, of_c;
    polynomial_errors(&of_s, &of_c);
    holds("the polynomial of the sine, 2^-51.06", 0x1p-51 * exp2(-0.06), of_s, 1.002);
    holds("the polynomial of the cosine, 2^-53.49", 0x1p-53 * exp2(-0.49), of_c, 1.002);
    holds("the table of sixteenths, 1 unit", 0x1p-54, table_error(), 1.05);
    holds("|f|, which the polynomials are good for", MOST_F - 0x1p-4, pu1, 3.1);
    holds("integers of one part", REDUCED_LIMIT, 2 * ONE_PART_LIMIT, 1);

    const double reduced = rounding(0x1p-4 * (1 - 0x1p-53)) + rounding(0x1p-4 + pu1) + REDUCED_LIMIT * 0x1p-105;
    holds("the reduction, 2^-56.4", exp2(-56.4), reduced, 1);
    const double two = 2 * reduced + rounding(0.127), phase = reduced + 0x1p-57 + rounding(0.127);
    holds("two parts or a phase, 2^-54.6", exp2(-54.6), fmax(two, phase), 1.05);

    const double s_error = of_s + evaluating(sin_quarter, z), c_error = of_c + evaluating(cos_quarter, z);
    const double most_s = MOST_F * half_pi;
    const double s = MOST_F * s_error + rounding(most_s);
    const double c = rounding(1 - 0x1p-53) + z * c_error + rounding(z * fabs(cos_quarter[0]));
    /* C s' + S c' by a table that errs by a unit: Cauchy, and what a product and a sum round */
    const double products = unit(sqrt(s * s + c * c)) + most_s + 1 + 1 + 1;
    const double angle = half_pi * unit(1);
    direct_errors e = {.one_part = products + angle * reduced, .two_parts = products + angle * fmax(two, phase)};
    e.relative_s = unit(0x1p-52 + 0x1p-104 + s_error / sin_quarter[0] + 0x1p-53);
    /* the sine's error beside an eighth: of S_1 < 1/4 and its product and of C_1 s' the smaller half */
    e.first_sixteenth = unit(s) + sin_sixteenths[1] * unit(c) + most_s + 0.25 + 0.25 + 0.5 + angle * reduced * 0.3;
    holds("sine and cosine, one part: 4.8 units", 4.8, e.one_part, 1);
    holds("two parts or a phase: 5.5 units", 5.5, e.two_parts, 1);
    return e;
}

static void section_2_and_3(const direct_errors *e)
{
    const double amplitude = 2, sum = 2, weight = unit(0x1p-52 + exp2(-54.5) + 0x1p-53), root = sqrt(2);
    const double unit_bound = unit(UNIT_BOUND), direct = e->two_parts + amplitude + sum;
    holds("[B1] direct, with an amplitude that is a sum: 9.5 of 16 units", unit_bound, direct, 1.7);
    holds("derivatives: 18 of 32 units", unit_bound * DERIVATIVE_FACTOR, e->two_parts + weight + 2 * amplitude + sum,
          1.7);
    holds("[B3] rows of blocks, at their best: 15.6 of 16 units", unit_bound, 2 * root * e->one_part + 2, 1.03);
    holds("[B3] any other row: 23.4 of 32 units", unit_bound * ROTATED_FACTOR,
          root * (e->two_parts + amplitude) + sum + root * e->one_part + 4, 1.4);
    /* [B2], of |Up| units: nothing taken away, and one eighth, from |Up| = 1/16 on */
    const double slope = unit_bound * SLOPE_FACTOR, none = e->relative_s * 1.5707963267948966;
    holds("[B2] small angles, nothing taken away: 19 of 64", slope, none, 3.3);
    holds("[B2] small angles, an eighth taken away: 2.3 of 4 units", slope / 16, e->first_sixteenth, 1.7);
    holds("[B4] small angles of blocks: 27 of 64", slope, none + 1.571 * (1.1 + 4), 2.3);
}

/* ------------------------------------------------------------------------------------------ Rounding tests */

static void rounding_tests(void)
{
    const double ulp = 0x1p-53; /* of a double, beside it, at least */
    holds("float32: the window of ties at the limit", exp2(TIE_WINDOW_LOG2) * ulp * LIMIT_F32, 1, 1);
    holds("float16, bfloat16: half the spacing of floats at the limit", 0x1p-25 * LIMIT_16, 1, 4);
    /* a smaller window refuses more values for being small, a larger one more for being near a tie */
    holds("float32: judged by bits from 2^-11 on", 0x1p-11, LIMIT_F32 * UNIT_BOUND, 1);
    holds("float32: near a tie, one in 2^14", 0x1p-14, exp2(TIE_WINDOW_LOG2 + 1 - 29), 1);
    holds("pairs, float32: judged by bits from 3 2^-13 on", 3 * 0x1p-13, TURN_LIMIT_F32 * UNIT_BOUND, 1);
    holds("pairs, float32: near a tie, one in 2^12", 0x1p-12, exp2(TURN_WINDOW_LOG2 + 1 - 29), 1);
    holds("value +- E, rounded", SUM_ROOM, 1 + 0x1p-53 / UNIT_BOUND, 1);
    holds("subnormal float16: the bound in units, rounded", SUBNORMAL_ROOM, 1 + 0x1p-52, 1);
    holds("[B8] pairs in double: 2.5 of 3 bounds", TURNED_FACTOR, 2.5, 1.2);
    holds("pairs, float32: the window of ties at the limit", exp2(TURN_WINDOW_LOG2) * ulp * TURN_LIMIT_F32, 2.5, 1.2);
    holds("pairs, float16 and bfloat16: half the spacing of floats at the limit", 0x1p-25 * TURN_LIMIT_16, 2.5, 4.8);
    holds("[B8] pairs in double: 1.25 of 1.5", TURNED_ROOM, (1 + 2 * 0x1p-53 / UNIT_BOUND) + 0x1p-53 / UNIT_BOUND,
          1.09);
    holds("[B9] pairs in float: 1.07 of 1.09 2^-22", FLOAT_TURN_BOUND, 0x1p-24 * 3 * sqrt(2) * (1 + 0x1p-20), 1.03);
    holds("float16: ties below a power of two", (double)TIE_QUARTERS(13), 0x1p12, 1);
    holds("bfloat16: ties below a power of two", (double)TIE_QUARTERS(16), 0x1p9, 1);
    holds("bfloat16: results in float are normal", (double)LEAST_TIE_DISTANCE * (double)TIE_QUARTERS(16), 0x1p-126,
          0x1p15);
    holds("results in float: what products below 2^-126 lose", (double)LEAST_TIE_DISTANCE, 3 * 0x1p-150, 0x1p30 / 3);
    holds("results in float: what factors below 2^-126 lose", LEAST_FLOAT_BOUND / UNIT_BOUND * 0x1p-22, 0x1p-150,
          0x1p28);
}

/* In units of 2^-24: what floats of sizes below 1 lose, half a unit each, or a unit of what is small. */
static void float_rows(void)
{
    const double e = FLOAT_ROW_BOUND * 0x1p24, width = e * FLOAT_ROW_WIDTH, half_pi = 1.5707963267948966;
    const double absolute = sqrt(2) * 0.5 + sqrt(2) * 0.5 + 0.5 + 0.5, relative = (1 + 0.5 + 1 + 1) * half_pi;
    holds("[B10] rows in float: 2.42 of 2.43 2^-24", e, absolute, 1.01);
    holds("[B10] small angles: 5.5 of 9.75 2^-24", e * SLOPE_FACTOR, relative, 1.77);
    holds("[B10] the upper end: 5.36 of 5.37 2^-24", width, e + absolute + 0.5, 1.003);
    holds("[B10] the upper end of small angles", width * SLOPE_FACTOR, e * SLOPE_FACTOR + relative + half_pi, 1.28);
    /* direct: table, polynomials of |f| <= 1/16 by Cauchy, two operations; f and its product lose 2^-28 each */
    const double f = 0x1p-4, s = f * half_pi, z = f * f, halves = (half_pi * 0x1p-28 + 0x1p-28) * 0x1p24;
    const double of_p = halves + 2 * f + pow(s, 7) / 5040 * 0x1p24, of_q = 0.5 + 2 * z + pow(s, 6) / 720 * 0x1p24;
    holds("[B11] direct rows in float: 2.16 of 2.43 2^-24", e,
          0.5 * (1 + s) + sqrt(of_p * of_p + of_q * of_q) + 0.5 + 0.5, 1.13);
    /* in fixed point: 64 bits of a frequency at 2^31, and 32 bits of the angle */
    const double lost = 4 * half_pi * (FIXED_LIMIT * 0x1.00001p-65 + 0x1p-32) * 0x1p24;
    holds("[B11] the same in fixed point: 2.19 of 2.43 2^-24", e,
          0.5 * (1 + s) + sqrt(of_p * of_p + of_q * of_q) + 0.5 + 0.5 + lost, 1.12);
    holds("float16: intervals below 2^-14", FLOAT_ROW_LEAST_F16 * FLOAT_ROW_WIDTH, 0x1p-25, 1.1);
}

/* ----------------------------------------------------------------------- Sections 4 to 6: double-double, ladder */

static double factorial(int n)
{
    return tgamma(n + 1.0);
}

static void double_double(void)
{
    const double x = 1.5707963267948966 * (0.5 + 0x1p-11), z = x * x, pair = 0x1p-100;
    const double remainder = pow(x, 25) / factorial(25) / x + pow(x, 24) / factorial(24);
    const double tail = 0x1p-53 * (pow(z, 6) / factorial(12) + pow(z, 6) / factorial(13));
    const double reduced = 0x1p-104 * (1 + 1) * 1.5708, direct = remainder + tail + 16 * pair + reduced;
    holds("double-double: 2^-84 of a sine", 0x1p-84, direct, 2.7);
    holds("[B5] 2^-72 of the amplitude", UNIT_BOUND * DD_BOUND, sqrt(2) * (0x1p-78 + 0x1p-84) + pair, 44.6);
    holds("the ladder's first rung: 2^-80 of a value", LADDER_DD_BOUND, 0x1p-80, 64);
    holds("the ladder's first rung: 2^-80 of a value from its angle", 0x1p-80, LADDER_DD_ANGLE * 2 * 3.14159265358979,
          163);
    holds("M_k: both factors err by 2^-74", SHIFT_DD_BOUND, 0x1p-74, 2);
    holds("double-doubles divided", RECIPROCAL_ROOM, 1 + 0x1p-28, 1.125);
    /* a chain of products, begun and ended by a quotient: 2^(5 - 64 n) and 2^(4 - 64 n) each, n = 5 */
    const double chain = CHAIN_STEPS * (0x1p-315 + 0x1p-316) + 0x1p-316 + 0x1p-315;
    holds("[B6] the frequencies of a plan", exp2(-KEPT_BITS), chain, 85);
}

/* ------------------------------------------------------------------------------------------- The running code */

static sinpos_tone tone_of(double value, double amplitude)
{
    return (sinpos_tone){.schedule = SINPOS_EXPLICIT,
                         .in_turns = 1,
                         .scale = 1,
                         .factor = 1,
                         .value = value,
                         .amplitude = amplitude,
                         .cos_column = 1};
}

static sinpos_plan *plan_of(const sinpos_tone *t, size_t n_axes)
{
    sinpos_plan *plan;
    if (sinpos_plan_create_tones(&plan, 2, n_axes, t, 1, 0, NULL) != SINPOS_OK)
        exit(2);
    return plan;
}

static void plan_bounds(void)
{
    double least = INFINITY, most = 0;
    for (int i = 0; i < 400; i++) {
        random_state r = random_seed(1, (uint64_t)i);
        const double amplitude = random_sign(&r) * random_spread(&r, -290, 290);
        sinpos_tone t = tone_of(random_sign(&r) * random_spread(&r, -50, 40), amplitude);
        sinpos_tone_more more = {
            .struct_size = sizeof more, .phase_divisor = 1, .amplitude = {amplitude * 0x1p-54 * random_unit(&r)}};
        t.more = i % 2 ? &more : NULL;
        sinpos_plan *plan = plan_of(&t, 1);
        const double bound = plan->bound[0] / (fabs(amplitude) * 0x1p-50);
        const double slope = plan->slope[0] / (4 * fabs(4 * t.value) * fabs(amplitude) * 0x1p-50);
        least = fmin(least, fmin(bound, slope));
        most = fmax(most, fmax(bound, slope));
        sinpos_plan_destroy(plan);
    }
    (void)tap_ok(least >= 1 - 0x1p-50 && most <= 1 + 0x1p-50, "[B1] [B2] the bounds of plans: %.17g to %.17g", least,
                 most);
}

/* The float below which values are not judged by their bits, of each instruction set. */
static void kernel_limits(void)
{
    static const double factors[] = {0, 0x1p39, 0x1p27, 0x1p27}, ends[] = {0, 0x1p-126, 0x1p-14, 0x1p-126};
    for (int k = 0; isa_names[k] != NULL; k++) {
        if (sinpos_isa_cap(isa_names[k]) != SINPOS_OK)
            continue;
        bool fine = true;
        for (int type = KERNEL_F32; type < KERNEL_TYPES; type++)
            for (int e = -220; e < 60; e++) {
                double bounds[LANES], none[LANES] = {0};
                float limits[2 * LANES];
                for (int i = 0; i < LANES; i++)
                    bounds[i] = ldexp(1 + i / 8.0, e);
                kernels_active()->limits(type, true, false, bounds, none, limits, LANES);
                for (int i = 0; i < LANES; i++) {
                    const double wanted = fmax(bounds[i] * factors[type], ends[type]), got = (double)limits[2 * i];
                    fine = fine && limits[2 * i + 1] == 0 && got >= wanted * (1 - 0x1p-23) &&
                           got <= wanted * (1 + 0x1p-23);
                }
            }
        (void)tap_ok(fine, "%s: the limits of the tests on bits", isa_names[k]);
    }
    if (sinpos_isa_cap(NULL) != SINPOS_OK)
        exit(2);
}

static void angle_guards(void)
{
    static high_parts high;
    bool fine = true;
    for (int i = 0; i < 200; i++) {
        random_state r = random_seed(2, (uint64_t)i);
        const sinpos_tone t = tone_of(random_spread(&r, -20, 20), 1);
        sinpos_plan *plan = plan_of(&t, 1);
        const double limit = 0x1p41 / (4 * t.value);
        for (int side = -1; side <= 1; side += 2) {
            angles a = plan_angles(plan, 0, LANES);
            const position p = {.is_real = true, .real = limit * (1 + side * 0x1p-40)};
            fine = fine && angles_at(plan, 0, p, &high, &a) == (side < 0);
        }
        for (int64_t p = ((int64_t)1 << 40) - 2; p <= ((int64_t)1 << 40) + 1; p++) {
            angles a = plan_angles(plan, 0, LANES);
            high.of = SIZE_MAX;
            angles_at_integer(plan, 0, i % 2 ? p : -p, &high, &a);
            const bool two = p >= (int64_t)1 << 40;
            fine = fine && (a.high[0] != NULL) == two && a.bound_is_absolute == two && fabs(a.low_position) <= 0x1p40;
        }
        sinpos_plan_destroy(plan);
    }
    (void)tap_ok(fine, "one part below 2^40, reals below 2^41 quarter turns");
}

/* n + 1 coordinates and a phase, all of one size: what [B6] admits for each adds up. */
static double angle_room(size_t n)
{
    static sinpos_listen listens[SINPOS_MAX_AXES];
    static int64_t integers[SINPOS_MAX_AXES];
    const double term = 1 - 0x1p-20;
    sinpos_tone t = tone_of(term, 1);
    sinpos_tone_more more = {.struct_size = sizeof more, .phase_divisor = 1, .listens = listens, .n_listens = n};
    t.more = &more;
    t.phase_turns = term;
    for (size_t i = 0; i <= n; i++)
        integers[i] = 1;
    for (size_t i = 0; i < n; i++)
        listens[i] = (sinpos_listen){.axis = i + 1, .divisor = 1, .coefficient = {term}};
    sinpos_plan *plan = plan_of(&t, n + 1);
    const position p = {.integer = 1, .integers = integers};
    wide f, turns;
    int64_t error;
    angle_turns(plan, 0, EXACT_LIMBS, p, true, &f, &turns, &error);
    sinpos_plan_destroy(plan);
    return ldexp(1, (int)error + 298) / (term * (double)(n + 2));
}

static void angle_errors(void)
{
    const double alone = angle_room(0);
    double least = INFINITY;
    for (size_t n = 1; n < SINPOS_MAX_AXES; n += n < 8 ? 1 : n < 900 ? n / 2 : 1)
        least = fmin(least, angle_room(n));
    holds("an angle and its phase, of what [B6] admits for each", alone, 1, 2);
    holds("up to 1023 further coordinates and a phase, of what [B6] admits for each", least, 1, 2);
}

/* ---------------------------------------------------------------------------------------- The wide rungs */

static struct {
    size_t n;
    double needed, least; /* log2 of the error that sections 5 and 6 admit; how much more the code takes */
} interval;

static void look(size_t n, const wide *value, int64_t error)
{
    (void)value;
    if (n == interval.n)
        interval.least = fmin(interval.least, (double)error - interval.needed);
}

/* Relative errors: of a frequency and its product with a position; of sine and cosine; of products and quotients. */
typedef struct wide_errors {
    double angle, trigonometric, product;
} wide_errors;

static wide_errors errors_of(size_t n)
{
    const int bits = 64 * (int)n;
    return (wide_errors){n == EXACT_LIMBS ? exp2(-298) : exp2(4 - bits) + exp2(5 - bits), exp2(40 - bits),
                         exp2(5 - bits)};
}

typedef enum wide_case {
    SMALL,
    LARGE,
    DERIVATIVE,
    PAIR_SMALL,
    PAIR_LARGE,
    PAIR_BACK,
    PAIR_EXACT,
    WIDE_CASES
} wide_case;

/* Numbers just below a power of two, where exponents leave least; the sizes are near 1. */
static void try_interval(wide_case which, size_t n, double near_one)
{
    const bool small = which == SMALL || which == PAIR_SMALL, pair = which >= PAIR_SMALL;
    const wide_errors e = errors_of(n);
    const double p = small || which == PAIR_EXACT ? 3 : 0x1p40 - 1, u = near_one;
    sinpos_tone t = tone_of(which == PAIR_EXACT ? 0 : ldexp(near_one * (1 + 0x1p-40), small ? -30 : 0), near_one);
    t.phase_turns = small || which == PAIR_EXACT ? 0 : ldexp(near_one, 40);
    sinpos_plan *plan = plan_of(&t, 1);
    const position at = {.integer = (int64_t)p};
    const double angle = p * t.value + t.phase_turns, size = pair ? u * sqrt(2) : which == DERIVATIVE ? p : 1;
    double absolute = size * (2 * 3.14159265358979312 * angle * e.angle + e.trigonometric) + 2 * size * e.product;
    if (which == PAIR_EXACT)
        absolute = e.product;
    interval.needed = log2(absolute);
    sinpos_internal_force_rung(n == EXACT_LIMBS ? 2 : 3);
    if (pair) {
        const amplitude_power power = which == PAIR_BACK ? AMPLITUDE_INVERSE : AMPLITUDE_ONCE;
        (void)element_turn(plan, 0, at, power, u, u, SINPOS_F64);
    } else {
        const element cosine = {.cosine = true, .operation = which == DERIVATIVE ? SINPOS_GRADIENT_THETA : SINPOS_FILL};
        (void)element_round(plan, 0, at, cosine, SINPOS_F64);
    }
    sinpos_internal_force_rung(0);
    sinpos_plan_destroy(plan);
}

static void wide_rungs(void)
{
    static const struct {
        const char *what;
        double room[2]; /* with the frequencies of the plan, and made again */
    } cases[WIDE_CASES] = {
        [SMALL] = {"small angles", {128, 128}},
        [LARGE] = {"large angles and phases", {10.19, 0x1.b1dp25}},
        [DERIVATIVE] = {"derivatives", {10.19, 0x1.b1dp25}},
        [PAIR_SMALL] = {"pairs, small angles", {362, 362}},
        [PAIR_LARGE] = {"pairs, large angles", {28.81, 0x1.32dp27}},
        [PAIR_BACK] = {"pairs, turned back", {57.62, 0x1.32dp28}},
        [PAIR_EXACT] = {"pairs, an amplitude alone", {8, 8}},
    };
    sinpos_internal_wide_interval = look;
    for (int k = 0; k < WIDE_CASES; k++)
        for (int rung = 2; rung <= 3; rung++) {
            char what[80];
            interval.n = rung == 2 || k == PAIR_EXACT ? EXACT_LIMBS : 8;
            interval.least = INFINITY;
            for (uint64_t i = 0; i < 10; i++) {
                random_state r = random_seed(3, i);
                try_interval((wide_case)k, interval.n, 1 - 0x1p-30 * (1 + random_unit(&r)));
            }
            (void)snprintf(what, sizeof what, "rung %d: %s", rung, cases[k].what);
            holds(what, exp2(interval.least), 1, cases[k].room[rung - 2]);
        }
    sinpos_internal_wide_interval = NULL;
}

/* Whole turns are whole however the schedule writes 1: nothing is left to the last rung. */
static void powers_of_one(void)
{
    sinpos_tone first = tone_of(7, 1), moved = first, flat = first, power = first, level = first;
    first.schedule = moved.schedule = flat.schedule = SINPOS_GEOMETRIC;
    power.schedule = level.schedule = SINPOS_POWER;
    first.base = moved.base = 1234.5;
    first.base_divisor = moved.base_divisor = 1;
    moved.index = 3;
    moved.shift = -3;
    flat.base = flat.base_divisor = 7;
    flat.index = level.index = 1;
    power.exponent = 0.5;
    power.divisor = level.divisor = flat.divisor = first.divisor = moved.divisor = 5;
    const sinpos_tone *const all[] = {&first, &moved, &flat, &power, &level};
    uint64_t counts[4];
    for (size_t k = 0; k < sizeof all / sizeof all[0]; k++) {
        enum { N = 50 };
        double rows[2 * N];
        bool fine = true;
        sinpos_plan *plan = plan_of(all[k], 1);
        sinpos_internal_counters(counts);
        fine = sinpos_fill(plan, 1, N, SINPOS_F64, rows, 2) == SINPOS_OK && fine;
        sinpos_internal_counters(counts);
        for (int i = 0; i < N; i++)
            fine = fine && rows[2 * i] == 0 && !signbit(rows[2 * i]) && rows[2 * i + 1] == 1;
        (void)tap_ok(fine && counts[3] == 0, "a power that is 1, written in way %zu: %llu elements of the last rung", k,
                     (unsigned long long)counts[3]);
        sinpos_plan_destroy(plan);
    }
    moved.shift = 3;
    sinpos_plan *plan = plan_of(&moved, 1);
    const double other =
        element_round(plan, 0, (position){.integer = 1}, (element){.operation = SINPOS_FILL}, SINPOS_F64);
    (void)tap_ok(other != 0, "another power is not 1");
    sinpos_plan_destroy(plan);
}

int main(void)
{
    const direct_errors e = section_2();
    section_2_and_3(&e);
    rounding_tests();
    float_rows();
    double_double();
    plan_bounds();
    kernel_limits();
    angle_guards();
    angle_errors();
    wide_rungs();
    powers_of_one();
    mpfr_free_cache();
    return tap_done();
}
