/*
 * kernel_bounds - the largest error of the fast kernels and of the multi-precision functions, in units of the bound
 * that each claims. What the rounding tests rest on; a wrong element shows a broken bound only where a tie is near.
 *
 *   --shrink X      divide every bound by X, and expect that no kernel of doubles keeps it: the check can fail
 *   --count N       random plans of each kind for the kernels (default 400)
 *   --seed S        (default 1)
 *
 * Exit: 0 as expected, 1 not, 2 usage.   Covers [P1] [P2].
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <mpfr.h>

#include "internal.h"
#include "kernels/polynomials.h"
#include "kernels/vector_scalar.h"
#include "subject.h"
#include "tap.h"

enum { TONES = LANES, PRECISION = 900, ISAS = 5 };

static double shrink = 1;

/* ------------------------------------------------------------------------------------------------- Meters */

typedef struct meter {
    const char *name, *bound;
    double worst;
    uint64_t samples;
} meter;

/*
 * The test that settles a float adds E to a value and takes E from it. E is at least 4 units in the last place of the
 * value, so that rounding those sums takes an eighth of E away.
 */
#define ROOM_DOUBLE 0.875

enum {
    ANCHOR_ONE,
    ANCHOR_TWO,
    ANCHOR_PHASE,
    ANCHOR_AMPLITUDE,
    ANCHOR_REAL,
    ANCHOR_GRADIENT,
    ROTATED_ONE,
    ROTATED_TWO,
    ROTATED_PHASE,
    ROTATED_AMPLITUDE,
    TURNED,
    TURNED_BLOCK,
    TURNED_BACK,
    TURNED_FLOATS,
    ROTATED_FLOATS,
    ROTATED_FLOATS_WIDTH,
    DIRECT_FLOATS,
    DOUBLE_METERS,
    DD_ONE = DOUBLE_METERS,
    DD_TWO,
    DD_PHASE,
    DD_AMPLITUDE,
    DD_REAL,
    DD_GRADIENT,
    ROTATED_DD_ONE,
    ROTATED_DD_TWO,
    ROTATED_DD_PHASE,
    ROTATED_DD_AMPLITUDE,
    TURNED_DD,
    TURNED_DD_BACK,
    SCALAR_DD,
    LOG,
    EXP,
    SINCOS,
    ARITHMETIC,
    ADDITION,
    SUM,
    MOD_4,
    TURNS,
    PHASE,
    KEPT,
    KEPT_PHASE,
    AMPLITUDE,
    FURTHER,
    FURTHER_REST,
    METERS
};

#define E_DOUBLE "2^-50 |A|, sine <= slope * reach"
#define E_PAIR "2^-72 |A|, sine likewise"
#define E_TURNED "1.25 (|u| b + |v| bs)"

static meter meters[METERS] = {
    [ANCHOR_ONE] = {"anchor, one part", E_DOUBLE, 0, 0},
    [ANCHOR_TWO] = {"anchor, two parts", "2^-50", 0, 0},
    [ANCHOR_PHASE] = {"anchor, phase", "2^-50 |A|", 0, 0},
    [ANCHOR_AMPLITUDE] = {"anchor, amplitude", E_DOUBLE, 0, 0},
    [ANCHOR_REAL] = {"anchor, real position", E_DOUBLE, 0, 0},
    [ANCHOR_GRADIENT] = {"anchor, gradients", "2^-49 |A w|", 0, 0},
    [DD_ONE] = {"anchor_dd, one part", E_PAIR, 0, 0},
    [DD_TWO] = {"anchor_dd, two parts", "2^-72", 0, 0},
    [DD_PHASE] = {"anchor_dd, phase", "2^-72 |A|", 0, 0},
    [DD_AMPLITUDE] = {"anchor_dd, amplitude", E_PAIR, 0, 0},
    [DD_REAL] = {"anchor_dd, real position", E_PAIR, 0, 0},
    [DD_GRADIENT] = {"anchor_dd, gradients", "2^-71 |A w|", 0, 0},
    [ROTATED_ONE] = {"rotated, one part", E_DOUBLE, 0, 0},
    [ROTATED_TWO] = {"rotated, two parts", "2^-49", 0, 0},
    [ROTATED_PHASE] = {"rotated, phase", "2^-49 |A|", 0, 0},
    [ROTATED_AMPLITUDE] = {"rotated, amplitude", "2^-49 |A|, sine <= 2 slope * reach", 0, 0},
    [ROTATED_DD_ONE] = {"rotated dd, one part", E_PAIR, 0, 0},
    [ROTATED_DD_TWO] = {"rotated dd, two parts", "2^-72", 0, 0},
    [ROTATED_DD_PHASE] = {"rotated dd, phase", "2^-72 |A|", 0, 0},
    [ROTATED_DD_AMPLITUDE] = {"rotated dd, amplitude", E_PAIR, 0, 0},
    [TURNED] = {"pairs turned", E_TURNED, 0, 0},
    [TURNED_BLOCK] = {"pairs turned, in blocks", E_TURNED, 0, 0},
    [TURNED_BACK] = {"pairs turned back, by 1/A", E_TURNED, 0, 0},
    [TURNED_FLOATS] = {"pairs turned in float", "1.09375 2^-22 A m + 2^-120", 0, 0},
    [ROTATED_FLOATS] = {"rotated in float, the lower end", "2.4375 2^-24, sine <= 9.75 2^-24 |U| reach", 0, 0},
    [ROTATED_FLOATS_WIDTH] = {"rotated in float, from the lower end", "what lies between the ends", 0, 0},
    [DIRECT_FLOATS] = {"direct in float", "2.4375 2^-24", 0, 0},
    [TURNED_DD] = {"pairs turned, dd", "|u| b + |v| bs", 0, 0},
    [TURNED_DD_BACK] = {"pairs turned back, dd", "|u| b + |v| bs", 0, 0},
    [SCALAR_DD] = {"element_sincos", "2^-74, relative", 0, 0},
    [LOG] = {"wide_log", "2^(16 - 64 n), relative", 0, 0},
    [EXP] = {"wide_exp", "2^(38 - 64 n), relative", 0, 0},
    [SINCOS] = {"wide_sincos_turns", "2^(40 - 64 n), the one near zero relative", 0, 0},
    [ARITHMETIC] = {"wide_mul, wide_div", "2^(5 - 64 n), relative", 0, 0},
    [ADDITION] = {"wide_add, wide_sub", "2^(2 - 64 n) of the larger", 0, 0},
    [SUM] = {"wide_set_sum", "0: exact", 0, 0},
    [MOD_4] = {"wide_nearest_to_zero_mod_4", "0: exact, 2 at most", 0, 0},
    [TURNS] = {"tone_turns", "2^(4 - 64 n), relative", 0, 0},
    [PHASE] = {"tone_phase", "2^(8 - 64 n) of the larger", 0, 0},
    [KEPT] = {"the plan's turns", "2^-298, relative", 0, 0},
    [KEPT_PHASE] = {"the plan's phases, eighths and rest", "2^-57 quarter turns", 0, 0},
    [AMPLITUDE] = {"tone_amplitude_pair", "2^-104, relative", 0, 0},
    [FURTHER] = {"further_phases", "2^-90 quarter turns", 0, 0},
    [FURTHER_REST] = {"further_phases, eighths and rest", "2^-57 quarter turns", 0, 0},
};

static void measure(int which, double ratio)
{
    meter *m = &meters[which];
    m->samples++;
    if (!(ratio <= m->worst)) /* NaN too */
        m->worst = ratio;
}

/* |difference| / bound, shrunk; for a bound of zero the difference must be zero. */
static double ratio_of(mpfr_t difference, double bound)
{
    if (mpfr_zero_p(difference))
        return 0;
    mpfr_abs(difference, difference, MPFR_RNDN);
    mpfr_div_d(difference, difference, bound / shrink, MPFR_RNDN);
    return mpfr_get_d(difference, MPFR_RNDU);
}

/* |difference| / (2^exponent |size|), shrunk */
static double ratio_of_power(mpfr_t difference, const mpfr_t size, long exponent)
{
    if (mpfr_zero_p(difference))
        return 0;
    mpfr_div(difference, difference, size, MPFR_RNDN);
    mpfr_mul_2si(difference, difference, -exponent, MPFR_RNDN);
    mpfr_abs(difference, difference, MPFR_RNDN);
    return mpfr_get_d(difference, MPFR_RNDU) * shrink;
}

/* ---------------------------------------------------------------------------------------------- References */

static mpfr_t angle, part, sine_value, cosine_value, error_value;

static void from_wide(mpfr_t r, size_t n, const wide *a)
{
    mpfr_set_zero(r, 1);
    if (a->sign == 0)
        return;
    for (size_t i = n; i-- > 0;) {
        mpfr_add_ui(r, r, a->limb[i], MPFR_RNDN);
        mpfr_div_2ui(r, r, 64, MPFR_RNDN);
    }
    mpfr_mul_2si(r, r, (long)a->exponent, MPFR_RNDN);
    if (a->sign < 0)
        mpfr_neg(r, r, MPFR_RNDN);
}

static void from_kept(mpfr_t r, const exact_turns *kept)
{
    wide w = {.sign = kept->sign, .exponent = kept->exponent};
    memcpy(w.limb, kept->limb, sizeof kept->limb);
    from_wide(r, EXACT_LIMBS, &w);
}

static void two_pi(mpfr_t r)
{
    mpfr_const_pi(r, MPFR_RNDN);
    mpfr_mul_2ui(r, r, 1, MPFR_RNDN);
}

static void set_position(mpfr_t r, position p)
{
    if (p.is_real)
        mpfr_set_d(r, p.real, MPFR_RNDN);
    else
        mpfr_set_si(r, (long)p.integer, MPFR_RNDN);
}

/* r = first + the parts */
static void sum_parts(mpfr_t r, double first, const double *parts)
{
    mpfr_set_d(r, first, MPFR_RNDN);
    for (int k = 0; k < SINPOS_PARTS && parts != NULL; k++)
        mpfr_add_d(r, r, parts[k], MPFR_RNDN);
}

/* sine_value, cosine_value = A w (sin, cos)(2 pi (p F + phase_turns) + phase), or the gradient's pair */
static void refer(const sinpos_plan *plan, size_t i, position p, sinpos_operation operation)
{
    const sinpos_tone *t = &plan->tones[plan->tone_of[i]];
    from_kept(angle, &plan->turns[i]);
    set_position(part, p);
    mpfr_mul(angle, angle, part, MPFR_RNDN);
    mpfr_add_d(angle, angle, t->phase_turns, MPFR_RNDN);
    two_pi(part);
    mpfr_mul(angle, angle, part, MPFR_RNDN);
    mpfr_add_d(angle, angle, t->phase, MPFR_RNDN);
    mpfr_sin_cos(sine_value, cosine_value, angle, MPFR_RNDN);
    sum_parts(error_value, t->amplitude, t->more != NULL ? t->more->amplitude : NULL);
    mpfr_mul(sine_value, sine_value, error_value, MPFR_RNDN);
    mpfr_mul(cosine_value, cosine_value, error_value, MPFR_RNDN);
    if (operation == SINPOS_FILL)
        return;
    if (operation == SINPOS_GRADIENT_THETA) {
        set_position(part, p);
    } else {
        from_kept(angle, &plan->turns[i]);
        mpfr_mul(part, part, angle, MPFR_RNDN);
    }
    mpfr_neg(sine_value, sine_value, MPFR_RNDN);
    mpfr_swap(sine_value, cosine_value);
    mpfr_mul(sine_value, sine_value, part, MPFR_RNDN);
    mpfr_mul(cosine_value, cosine_value, part, MPFR_RNDN);
}

/* The reference of one position for all tones, kept while every instruction set is tried. */
typedef struct truth {
    mpfr_t sine[TONES], cosine[TONES];
} truth;

static void truth_init(truth *t)
{
    for (int i = 0; i < TONES; i++)
        mpfr_inits2(PRECISION, t->sine[i], t->cosine[i], (mpfr_ptr)NULL);
}

static void truth_set(truth *t, const sinpos_plan *plan, position p, sinpos_operation operation)
{
    for (size_t i = 0; i < TONES; i++) {
        refer(plan, i, p, operation);
        mpfr_set(t->sine[i], sine_value, MPFR_RNDN);
        mpfr_set(t->cosine[i], cosine_value, MPFR_RNDN);
    }
}

static void truth_clear(truth *t)
{
    for (int i = 0; i < TONES; i++)
        mpfr_clears(t->sine[i], t->cosine[i], (mpfr_ptr)NULL);
}

static void compare(int which, const mpfr_t exact, double high, double low, double bound)
{
    mpfr_sub_d(error_value, exact, high, MPFR_RNDN);
    mpfr_sub_d(error_value, error_value, low, MPFR_RNDN);
    measure(which, ratio_of(error_value, bound));
}

/* ------------------------------------------------------------------------------------------------ Subjects */

enum { ONE, TWO, PHASED, SCALED, REAL, GRADIENT, KINDS };

static double random_frequency(random_state *r)
{
    static const double hard[] = {1, 0.25, 1.0 / 3, 0x1p-56, 3.14159265358979312, 0x1.fffffffffffffp-4, 0x1p40};
    const size_t kind = random_below(r, 10);
    if (kind == 0)
        return hard[random_below(r, sizeof hard / sizeof *hard)];
    if (kind < 5)
        return random_sign(r) * random_spread(r, -55, 20);
    return random_sign(r) * random_spread(r, -8, 0);
}

/* Just below two quarter turns the plan's double of a phase and the sum with an angle lose most. */
static double random_radians(random_state *r)
{
    const size_t kind = random_below(r, 4);
    if (kind == 0)
        return 0;
    if (kind == 1)
        return random_sign(r) * random_spread(r, -30, 60);
    return random_sign(r) * (kind == 2 ? 3.14159 - 0.2 * random_unit(r) : 7 * random_unit(r));
}

/* Half way between two doubles, where the nearest one is furthest away. */
static void random_amplitude(sinpos_tone *t, sinpos_tone_more *more, random_state *r)
{
    t->amplitude = random_sign(r) * (random_chance(r, 70) ? 1 + random_unit(r) : random_spread(r, -299, 298));
    if (random_chance(r, 50))
        return;
    *more = (sinpos_tone_more){.struct_size = sizeof(sinpos_tone_more), .phase_divisor = 1};
    more->amplitude[0] = random_sign(r) * ldexp(1 - 0x1p-40 - random_unit(r) / 8, ilogb(t->amplitude) - 53);
    more->amplitude[1] = more->amplitude[0] * 0x1p-53;
    t->more = more;
}

static void random_tones(sinpos_tone *tones, random_state *r, int kind)
{
    static sinpos_tone_more more[TONES];
    const bool phased = kind == PHASED || ((kind == GRADIENT || kind == REAL) && random_chance(r, 50));
    for (ptrdiff_t i = 0; i < TONES; i++) {
        tones[i] = (sinpos_tone){.schedule = SINPOS_EXPLICIT,
                                 .in_turns = random_chance(r, 30),
                                 .scale = 1,
                                 .factor = 1,
                                 .value = random_frequency(r),
                                 .amplitude = 1,
                                 .sin_column = 2 * i,
                                 .cos_column = 2 * i + 1};
        if (random_chance(r, 50))
            tones[i].factor = 3;
        if (phased) {
            tones[i].phase = random_radians(r);
            tones[i].phase_turns = random_chance(r, 50) ? 0 : random_sign(r) * random_spread(r, -40, 3);
        }
        if ((kind == PHASED || kind == SCALED || kind == GRADIENT) && random_chance(r, 80))
            random_amplitude(&tones[i], &more[i], r);
    }
}

static int64_t random_integer(random_state *r, int kind)
{
    const int bits = kind == TWO ? 40 + (int)random_below(r, 23) : 1 + (int)random_below(r, 39);
    const int64_t p = (int64_t)ldexp(1 + random_unit(r), bits);
    return random_chance(r, 50) ? p : -p;
}

static double random_real(const sinpos_plan *plan, random_state *r)
{
    const double most = 0x1p43 / plan->largest_u;
    if (random_chance(r, 50))
        return random_sign(r) * most * (1 - random_unit(r) / 16) * (1 - 0x1p-40);
    return random_sign(r) * most * random_spread(r, random_chance(r, 90) ? -60 : -300, -1);
}

/* ------------------------------------------------------------------------------------------------- Kernels */

typedef struct results {
    double sine[TONES], sine_low[TONES], cosine[TONES], cosine_low[TONES], bound_sin[TONES], bound_cos[TONES];
} results;

/* The angles as factors.c makes them; high is room for the second part. */
static angles angles_of(const sinpos_plan *plan, position p, sinpos_operation operation, double high[3][TONES])
{
    const bool two = !p.is_real && (p.integer >= (int64_t)1 << 40 || p.integer <= -((int64_t)1 << 40));
    angles a = {.low_position = p.is_real ? p.real : (double)p.integer,
                .low = {p.is_real ? plan->u[0] : plan->r[0], p.is_real ? plan->u[1] : plan->r[1],
                        p.is_real ? plan->u[2] : plan->r[2]},
                .amplitude = plan->amplitude,
                .bound = plan->bound,
                .slope = plan->slope,
                .u = {plan->u[0], plan->u[1]},
                .amplitude_low = plan->more != NULL ? plan->more->amplitude_low : NULL,
                .unit_amplitude = plan->unit_amplitude,
                .operation = operation,
                .bound_is_absolute = plan->has_phase || plan->has_slow || two,
                .n = plan->n_padded};
    a.reach = fabs(a.low_position);
    a.weight[0] = a.low_position;
    a.weight[1] = p.is_real ? 0 : (double)(int64_t)((int128)p.integer - (int128)a.weight[0]);
    if (plan->has_phase) {
        a.phase[0] = plan->phase[0];
        a.phase[1] = plan->phase[1];
        a.phase_rest = plan->phase_rest;
        a.phase_eighths = plan->phase_eighths;
    }
    if (!two)
        return a;
    for (size_t i = 0; i < TONES; i++) {
        double parts[3];
        plan_quarters(&plan->turns[i], 32, parts, 3);
        for (int k = 0; k < 3; k++)
            high[k][i] = parts[k];
    }
    const int64_t lower = (int32_t)(uint32_t)(uint64_t)p.integer;
    for (int k = 0; k < 3; k++)
        a.high[k] = high[k];
    a.low_position = (double)lower;
    a.high_position = (double)(int64_t)(((int128)p.integer - lower) >> 32);
    return a;
}

/* The bound of the cosines, which the kernels do not give back. */
static void cosine_bounds(const sinpos_plan *plan, const angles *a, double factor, double *bound)
{
    for (size_t i = 0; i < TONES; i++) {
        bound[i] = plan->bound[i] * factor;
        if (a->operation == SINPOS_GRADIENT_THETA)
            bound[i] *= 2 * fabs(a->weight[0]);
        else if (a->operation == SINPOS_GRADIENT_POSITION)
            bound[i] *= 2 * fabs(plan->u[0][i] * 1.5707963267948966);
    }
}

static void run_anchor(const sinpos_plan *plan, const angles *a, bool pairs, results *out)
{
    memset(out, 0, sizeof *out);
    if (pairs)
        kernels_active()->anchor_dd(a, out->sine, out->sine_low, out->cosine, out->cosine_low, out->bound_sin);
    else
        kernels_active()->anchor(a, out->sine, out->cosine, out->bound_sin);
    cosine_bounds(plan, a, pairs ? 0x1p-22 : 1, out->bound_cos);
}

static void check_anchor(int which, const results *got, const truth *want)
{
    for (int i = 0; i < TONES; i++) {
        compare(which, want->sine[i], got->sine[i], got->sine_low[i], got->bound_sin[i]);
        compare(which, want->cosine[i], got->cosine[i], got->cosine_low[i], got->bound_cos[i]);
    }
}

/* ----------------------------------------------------------------------------------------------- Rotations */

typedef struct pair {
    double high, low;
} pair;

static double fused(bool fma_here, double a, double b, double c)
{
    return fma_here ? fma(a, b, c) : vd_fma(a, b, c);
}

/* As in kernels_angles.inc, with a fused multiply-add or what stands for one. */
static pair multiplied(bool fma_here, pair a, pair b)
{
    pair p = {a.high * b.high, 0};
    p.low = fused(fma_here, a.high, b.high, 0 - p.high);
    p.low = fused(fma_here, a.high, b.low, p.low);
    p.low = fused(fma_here, a.low, b.high, p.low);
    return p;
}

static pair summed(pair a, pair b, double sign)
{
    const pair c = {sign * b.high, sign * b.low};
    const double s = a.high + c.high, of_c = s - a.high;
    const double lost = (a.high - (s - of_c)) + (c.high - of_c);
    return (pair){s, lost + (a.low + c.low)};
}

static double plus_product(bool fma_here, double a, double b, double c)
{
    return fma_here ? fma(a, b, c) : vd_muladd(a, b, c);
}

/* Sine and cosine of row centre + r from an anchor and the plan's table, as the kernels multiply them. */
static void rotate_double(const sinpos_plan *plan, const results *a, size_t i, int64_t r, bool fma_here, double *s,
                          double *c)
{
    const size_t at = (size_t)(r < 0 ? -r : r) * plan->n_padded + i;
    const double cr = plan->rotation_cos[at], sr = r < 0 ? -plan->rotation_sin[at] : plan->rotation_sin[at];
    *s = plus_product(fma_here, a->cosine[i], sr, a->sine[i] * cr);
    *c = plus_product(fma_here, -a->sine[i], sr, a->cosine[i] * cr);
}

static void rotate_pair(const sinpos_plan *plan, const results *a, size_t i, int64_t r, bool fma_here, pair *s, pair *c)
{
    const size_t at = (size_t)(r < 0 ? -r : r) * plan->n_padded + i;
    const pair cr = {plan->rotation_cos[at], (double)plan->rotation_cos_low[at]};
    const pair sr = {plan->rotation_sin[at], (double)plan->rotation_sin_low[at]};
    const pair sa = {a->sine[i], a->sine_low[i]}, ca = {a->cosine[i], a->cosine_low[i]};
    const double sign = r < 0 ? -1 : 1;
    *s = summed(multiplied(fma_here, sa, cr), multiplied(fma_here, ca, sr), sign);
    *c = summed(multiplied(fma_here, ca, cr), multiplied(fma_here, sa, sr), -sign);
}

static void check_rotation(int which, const sinpos_plan *plan, const results *a, int64_t r, bool pairs,
                           const truth *want)
{
    const double scale = pairs || which == ROTATED_ONE ? 1 : 2; /* as factors.c judges them */
    for (size_t i = 0; i < TONES; i++)
        for (int fma_here = 0; fma_here < 2; fma_here++) {
            pair s = {0, 0}, c = {0, 0};
            if (pairs)
                rotate_pair(plan, a, i, r, fma_here, &s, &c);
            else
                rotate_double(plan, a, i, r, fma_here, &s.high, &c.high);
            compare(which, want->sine[i], s.high, s.low, scale * a->bound_sin[i]);
            compare(which, want->cosine[i], c.high, c.low, scale * a->bound_cos[i]);
        }
}

/* ------------------------------------------------------------------------------------------ The fast kernels */

/* One plan of each instruction set, of types with and without float64: the rotation tables differ. */
typedef struct plans {
    size_t n;
    const char *isa[ISAS];
    sinpos_plan *floats[ISAS], *doubles[ISAS];
} plans;

static void make_plans(plans *p, const sinpos_tone *tones)
{
    p->n = 0;
    for (int i = 0; isa_names[i] != NULL; i++) {
        if (sinpos_isa_cap(isa_names[i]) != SINPOS_OK)
            continue;
        p->isa[p->n] = isa_names[i];
        if (sinpos_plan_create_tones(&p->floats[p->n], 2 * TONES, 1, tones, TONES, SINPOS_BF16, NULL) != SINPOS_OK &&
            sinpos_plan_create_tones(&p->floats[p->n], 2 * TONES, 1, tones, TONES, 0, NULL) != SINPOS_OK)
            exit(2);
        if (sinpos_plan_create_tones(&p->doubles[p->n], 2 * TONES, 1, tones, TONES, SINPOS_F64, NULL) != SINPOS_OK)
            exit(2);
        p->n++;
    }
}

static void free_plans(plans *p)
{
    for (size_t i = 0; i < p->n; i++) {
        sinpos_plan_destroy(p->floats[i]);
        sinpos_plan_destroy(p->doubles[i]);
    }
}

static void try_anchors(const plans *all, int kind, position p, sinpos_operation operation, truth *want)
{
    truth_set(want, all->doubles[0], p, operation);
    for (size_t i = 0; i < all->n; i++) {
        if (sinpos_isa_cap(all->isa[i]) != SINPOS_OK)
            exit(2);
        double high[3][TONES];
        results got;
        const angles a = angles_of(all->doubles[i], p, operation, high);
        run_anchor(all->doubles[i], &a, false, &got);
        check_anchor(ANCHOR_ONE + kind, &got, want);
        run_anchor(all->doubles[i], &a, true, &got);
        check_anchor(DD_ONE + kind, &got, want);
    }
}

/* The lower end of an interval is E below the real value, which the upper one is above. */
static void check_ends(const mpfr_t exact, float low, float minus_e)
{
    const float high = low + minus_e * -2.203125F;
    compare(ROTATED_FLOATS, exact, (double)low, -(double)minus_e, -(double)minus_e);
    compare(ROTATED_FLOATS_WIDTH, exact, (double)low, 0, (double)high - (double)low);
}

/* As in kernels_float_rows.inc. */
static void try_floats(const sinpos_plan *plan, const angles *a, int64_t r, const truth *want)
{
    float sine[TONES], cosine[TONES], minus_e[TONES];
    double s[TONES], c[TONES], bound[TONES];
    const bool best = a->high[0] == NULL && a->phase[0] == NULL;
    const anchor_floats floats = {.sine = sine, .cosine = cosine, .minus_e = minus_e, .scale = best ? 1 : 2};
    if (!kernels_active()->rows_in_float || !plan->unit_amplitude)
        return;
    kernels_active()->anchor_floats(a, s, c, bound, &floats);
    for (size_t i = 0; i < TONES; i++) {
        const size_t at = (size_t)(r < 0 ? -r : r) * plan->n_padded + i;
        const float cr = plan->rotation_cos_floats[at], sr = (r < 0 ? -1 : 1) * plan->rotation_sin_floats[at];
        check_ends(want->sine[i], fmaf(cosine[i], sr, fmaf(sine[i], cr, minus_e[i])), minus_e[i]);
        check_ends(want->cosine[i], fmaf(-sine[i], sr, fmaf(cosine[i], cr, -2.4375F * 0x1p-24F)), -2.4375F * 0x1p-24F);
    }
}

/* Row centre + r of a block all of whose rows lie on one side of zero. */
static void try_rotations(const plans *all, int kind, int64_t centre, int64_t r, truth *want)
{
    truth_set(want, all->doubles[0], (position){.integer = centre + r}, SINPOS_FILL);
    for (size_t i = 0; i < all->n; i++) {
        if (sinpos_isa_cap(all->isa[i]) != SINPOS_OK)
            exit(2);
        double high[3][TONES];
        results got;
        angles a = angles_of(all->floats[i], (position){.integer = centre}, SINPOS_FILL, high);
        a.reach += REACH;
        run_anchor(all->floats[i], &a, false, &got);
        check_rotation(ROTATED_ONE + kind, all->floats[i], &got, r, false, want);
        try_floats(all->floats[i], &a, r, want);
        a = angles_of(all->doubles[i], (position){.integer = centre}, SINPOS_FILL, high);
        a.reach += REACH;
        run_anchor(all->doubles[i], &a, true, &got);
        check_rotation(ROTATED_DD_ONE + kind, all->doubles[i], &got, r, true, want);
    }
}

/* As in kernels_float_rows.inc, of one tone at one position. */
static void direct_floats(const sinpos_plan *plan, size_t i, position p, float *s, float *c)
{
    const double at = p.is_real ? p.real : (double)p.integer, magic = 0x1.8p49;
    const double *const *parts = p.is_real ? (const double *const *)plan->u : (const double *const *)plan->r;
    const double eighths = fma(at, parts[0][i], magic), rest = fma(at, parts[0][i], magic - eighths);
    const float f = (float)fma(at, parts[1][i], rest), z = f * f;
    uint64_t k;
    memcpy(&k, &eighths, sizeof k);
    const float sign = k & 16 ? -1 : 1, e = -2.4375F * 0x1p-24F;
    const float table_s = sign * sin_sixteenths_floats[k & 15], table_c = sign * cos_sixteenths_floats[k & 15];
    const float ps = fmaf(fmaf((float)sin_quarter[2], z, (float)sin_quarter[1]), z, (float)sin_quarter[0]) * f;
    const float q = fmaf(fmaf((float)cos_quarter[1], z, (float)cos_quarter[0]), z, 1);
    *s = fmaf(table_c, ps, fmaf(table_s, q, e));
    *c = fmaf(-table_s, ps, fmaf(table_c, q, e));
}

/* ONE and REAL: one part, no phase, amplitude 1. */
static void try_direct_floats(const sinpos_plan *plan, position p, truth *want)
{
    if (!plan->unit_amplitude || plan->has_phase)
        return;
    truth_set(want, plan, p, SINPOS_FILL);
    for (size_t i = 0; i < TONES; i++) {
        float s, c;
        direct_floats(plan, i, p, &s, &c);
        compare(DIRECT_FLOATS, want->sine[i], (double)s, 2.4375 * 0x1p-24, 2.4375 * 0x1p-24);
        compare(DIRECT_FLOATS, want->cosine[i], (double)c, 2.4375 * 0x1p-24, 2.4375 * 0x1p-24);
    }
}

static void try_kernels(random_state *r, int kind, truth *want)
{
    sinpos_tone tones[TONES];
    plans all;
    random_tones(tones, r, kind);
    make_plans(&all, tones);
    position p = {.integer = random_integer(r, kind == GRADIENT && random_chance(r, 50) ? TWO : kind)};
    const int64_t centre = p.integer;
    if (kind == REAL || (kind == GRADIENT && random_chance(r, 50)))
        p = (position){.is_real = true, .real = random_real(all.doubles[0], r)};
    const sinpos_operation operation = kind != GRADIENT       ? SINPOS_FILL
                                       : random_chance(r, 50) ? SINPOS_GRADIENT_THETA
                                                              : SINPOS_GRADIENT_POSITION;
    try_anchors(&all, kind, p, operation, want);
    if (kind == ONE || kind == REAL)
        try_direct_floats(all.floats[0], p, want);
    if (kind != REAL && kind != GRADIENT) {
        const int64_t size = centre < 0 ? -centre : centre, most = size - 1 < REACH ? size - 1 : REACH;
        const int64_t up = (int64_t)random_below(r, (size_t)most + 1);
        try_rotations(&all, kind, centre, random_chance(r, 30) ? most : up, want);
        try_rotations(&all, kind, centre, random_chance(r, 30) ? -most : -up, want);
    }
    free_plans(&all);
}

/* Phases just below two quarter turns, found by a search: what their doubles lose adds to what the sum loses. */
static void try_hard_phases(truth *want)
{
    static const struct {
        double phase, value, amplitude;
        int64_t centre, r;
    } hard[] = {
        {0x1.912e05e3181aep+1, 0x1.9bdea4a9cc2dep-5, 0x1.d9e3bc499143p+0, 459629, 13},
        {0x1.90bb4472cd464p+1, 0x1.45721ae5e077fp-4, 0x1.96480a1d307d6p+0, 945716, 7},
        {0x1.89aac60e80e8ap+1, 0x1.8131fb3c452cp-4, 0x1.da3b936bf6e25p+0, 83074, 7},
    };
    for (size_t k = 0; k < sizeof hard / sizeof *hard; k++) {
        sinpos_tone tones[TONES];
        plans all;
        for (ptrdiff_t i = 0; i < TONES; i++)
            tones[i] = (sinpos_tone){.schedule = SINPOS_EXPLICIT,
                                     .scale = 1,
                                     .factor = 1,
                                     .value = hard[k].value,
                                     .phase = hard[k].phase,
                                     .amplitude = hard[k].amplitude,
                                     .sin_column = 2 * i,
                                     .cos_column = 2 * i + 1};
        make_plans(&all, tones);
        try_anchors(&all, PHASED, (position){.integer = hard[k].centre}, SINPOS_FILL, want);
        try_rotations(&all, PHASED, hard[k].centre, hard[k].r, want);
        free_plans(&all);
    }
}

/* element_sincos(): relative to the value, where the frequency's 320 bits leave it any digits: as rung_dd() uses it. */
static void compare_relative(const mpfr_t exact, const double got[2])
{
    if (fabs(got[0]) >= 0x1p-120)
        compare(SCALAR_DD, exact, got[0], got[1], fabs(got[0]) * 0x1p-74);
}

static void try_scalar_dd(random_state *r)
{
    sinpos_tone tones[TONES];
    plans all;
    random_tones(tones, r, ONE);
    make_plans(&all, tones);
    const int64_t p = random_integer(r, random_chance(r, 50) ? ONE : TWO);
    for (size_t k = 0; k < all.n; k++)
        for (size_t i = 0; i < TONES; i++) {
            double s[2], c[2];
            if (sinpos_isa_cap(all.isa[k]) != SINPOS_OK || !element_sincos(all.doubles[k], i, p, s, c))
                exit(2);
            refer(all.doubles[k], i, (position){.integer = p}, SINPOS_FILL);
            compare_relative(sine_value, s);
            compare_relative(cosine_value, c);
        }
    free_plans(&all);
}

/* ------------------------------------------------------------------------------------------------ Wide numbers */

static mpfr_t x_value, y_value, exact_value;

static void set_precision(size_t n)
{
    const mpfr_prec_t bits = (mpfr_prec_t)(64 * n + 256);
    mpfr_set_prec(x_value, bits);
    mpfr_set_prec(y_value, bits);
    mpfr_set_prec(exact_value, bits);
    mpfr_set_prec(error_value, bits);
}

/* n limbs, dense or with few bits, 2^low <= |a| < 2^(high + 1) */
/* Limbs next to 0, 1/2 and 1 are where carries go far, and where a digit of a quotient is guessed one too large. */
static uint64_t random_limb(random_state *r, unsigned percent_at_edges)
{
    static const uint64_t edges[] = {0, 1, UINT64_MAX >> 1, (UINT64_MAX >> 1) + 1, UINT64_MAX - 1, UINT64_MAX};
    return random_chance(r, percent_at_edges) ? edges[random_below(r, 6)] : random_u64(r);
}

static void random_wide(random_state *r, size_t n, wide *a, int low, int high)
{
    const size_t dense = random_chance(r, 70) ? n : 1 + random_below(r, n);
    const uint64_t rest = random_chance(r, 20) ? UINT64_MAX : 0;
    const unsigned percent_at_edges = random_chance(r, 50) ? 90 : 0;
    for (size_t i = 0; i < n; i++)
        a->limb[i] = i < dense ? random_limb(r, percent_at_edges) : rest;
    a->limb[0] |= (uint64_t)1 << 63;
    a->sign = random_chance(r, 50) ? 1 : -1;
    a->exponent = low + 1 + (int)random_below(r, (size_t)(high - low + 1));
}

static void check_wide(int which, size_t n, const wide *got, long bits)
{
    from_wide(y_value, n, got);
    mpfr_sub(error_value, y_value, exact_value, MPFR_RNDN);
    measure(which, ratio_of_power(error_value, exact_value, bits - 64 * (long)n));
}

static void try_log_exp(random_state *r, size_t n)
{
    wide a, got;
    if (random_chance(r, 40)) { /* near 1, where the logarithm is small */
        wide one;
        random_wide(r, n, &a, -80, -2);
        wide_set_integer(n, &one, 1);
        wide_add(n, &a, &a, &one);
    } else {
        random_wide(r, n, &a, -1100, 1100);
        a.sign = 1;
    }
    from_wide(x_value, n, &a);
    mpfr_log(exact_value, x_value, MPFR_RNDN);
    wide_log(n, &got, &a);
    if (!mpfr_zero_p(exact_value))
        check_wide(LOG, n, &got, 16);
    random_wide(r, n, &a, random_chance(r, 20) ? -2200 : -30, 19);
    from_wide(x_value, n, &a);
    mpfr_exp(exact_value, x_value, MPFR_RNDN);
    wide_exp(n, &got, &a);
    check_wide(EXP, n, &got, 38);
}

static void try_sincos(random_state *r, size_t n)
{
    wide eighth, s, c;
    random_wide(r, n, &eighth, random_chance(r, 30) ? -700 : -20, -4);
    if (random_chance(r, 5))
        wide_zero(&eighth);
    const int64_t quarters = (int64_t)random_below(r, 4);
    wide_sincos_turns(n, quarters, &eighth, &s, &c);
    from_wide(x_value, n, &eighth);
    two_pi(y_value);
    mpfr_mul(x_value, x_value, y_value, MPFR_RNDN);
    /* of the small angle: the quarters only change places and signs */
    const wide *small = quarters & 1 ? &c : &s, *near_one = quarters & 1 ? &s : &c;
    const bool minus_small = quarters == 1 || quarters == 2, minus_one = quarters >= 2;
    mpfr_sin(exact_value, x_value, MPFR_RNDN);
    mpfr_setsign(exact_value, exact_value, mpfr_signbit(exact_value) != minus_small, MPFR_RNDN);
    if (!mpfr_zero_p(exact_value))
        check_wide(SINCOS, n, small, 40);
    mpfr_cos(exact_value, x_value, MPFR_RNDN);
    mpfr_setsign(exact_value, exact_value, minus_one, MPFR_RNDN);
    check_wide(SINCOS, n, near_one, 40);
}

static void try_arithmetic(random_state *r, size_t n)
{
    wide a, b, got;
    random_wide(r, n, &a, -200, 200);
    random_wide(r, n, &b, random_chance(r, 50) ? -200 : (int)a.exponent - 2,
                random_chance(r, 50) ? 200 : (int)a.exponent);
    from_wide(x_value, n, &a);
    from_wide(y_value, n, &b);
    mpfr_mul(exact_value, x_value, y_value, MPFR_RNDN);
    wide_mul(n, &got, &a, &b);
    check_wide(ARITHMETIC, n, &got, 5);
    from_wide(y_value, n, &b);
    mpfr_div(exact_value, x_value, y_value, MPFR_RNDN);
    wide_div(n, &got, &a, &b);
    check_wide(ARITHMETIC, n, &got, 5);
    for (int minus = 0; minus < 2; minus++) {
        if (minus)
            wide_sub(n, &got, &a, &b);
        else
            wide_add(n, &got, &a, &b);
        from_wide(y_value, n, &b);
        if (minus)
            mpfr_sub(exact_value, x_value, y_value, MPFR_RNDN);
        else
            mpfr_add(exact_value, x_value, y_value, MPFR_RNDN);
        from_wide(error_value, n, &got);
        mpfr_sub(error_value, error_value, exact_value, MPFR_RNDN);
        const bool first = mpfr_cmpabs(x_value, y_value) > 0;
        measure(ADDITION, ratio_of_power(error_value, first ? x_value : y_value, 2 - 64 * (long)n));
    }
}

/* Terms of every sign and size within the span, some of them zero or the first one's opposite. */
static void try_sum(random_state *r)
{
    enum { MOST = 40 };
    double x[MOST];
    wide got;
    const size_t count = random_below(r, MOST);
    const int span = random_chance(r, 50) ? 60 : SUM_SPAN, low = (int)random_below(r, 300) - 900;
    for (size_t k = 0; k <= count; k++) {
        const double size =
            ldexp((double)(random_u64(r) >> 11 | (uint64_t)1 << 52), low + (int)random_below(r, (size_t)span));
        x[k] = random_chance(r, 10) ? 0 : k > 0 && random_chance(r, 10) ? -x[0] : random_chance(r, 50) ? -size : size;
    }
    set_precision(SUM_LIMBS + 1);
    mpfr_set_zero(exact_value, 1);
    for (size_t k = 0; k <= count; k++)
        mpfr_add_d(exact_value, exact_value, x[k], MPFR_RNDN);
    wide_set_sum(SUM_LIMBS, &got, x[0], x + 1, count);
    from_wide(x_value, SUM_LIMBS, &got);
    measure(SUM, mpfr_equal_p(x_value, exact_value) ? 0 : INFINITY);
}

/* Few limbs in use, too: carries then go far. Multiples of 4 and what lies just beside them; halves of 4. */
static void try_mod_4(random_state *r)
{
    const size_t n = EXACT_LIMBS;
    wide a;
    random_wide(r, n, &a, -10, random_chance(r, 50) ? 70 : 400);
    for (size_t i = 1 + random_below(r, n); i < n; i++)
        a.limb[i] = random_chance(r, 90) ? 0 : 1;
    if (random_chance(r, 20))
        a.limb[0] = (uint64_t)(2 + random_below(r, 2)) << 62;
    set_precision(2 * n);
    from_wide(x_value, n, &a);
    mpfr_div_2ui(y_value, x_value, 2, MPFR_RNDN);
    mpfr_round(y_value, y_value); /* ties away from zero */
    mpfr_mul_2ui(y_value, y_value, 2, MPFR_RNDN);
    mpfr_sub(exact_value, x_value, y_value, MPFR_RNDN);
    wide_nearest_to_zero_mod_4(n, &a);
    from_wide(x_value, n, &a);
    measure(MOD_4, mpfr_equal_p(x_value, exact_value) ? 0 : INFINITY);
}

/* -------------------------------------------------------------------------------------------------- Frequencies */

/* exact_value = F of a tone; the exponents of doubles are why so many bits are carried */
static void refer_turns(const sinpos_tone *t, size_t n)
{
    const mpfr_prec_t bits = (mpfr_prec_t)(64 * n + 2400);
    mpfr_set_prec(x_value, bits);
    mpfr_set_prec(y_value, bits);
    mpfr_set_prec(exact_value, bits);
    mpfr_set_prec(error_value, bits);
    if (t->schedule == SINPOS_EXPLICIT) {
        sum_parts(exact_value, t->value, t->more != NULL ? t->more->value : NULL);
    } else {
        mpfr_set_d(x_value, t->index, MPFR_RNDN);
        mpfr_add_d(x_value, x_value, t->shift, MPFR_RNDN);
        mpfr_div_d(x_value, x_value, t->divisor, MPFR_RNDN);
        mpfr_set_d(y_value, t->base, MPFR_RNDN);
        mpfr_div_d(y_value, y_value, t->base_divisor, MPFR_RNDN);
        if (t->schedule == SINPOS_POWER) {
            mpfr_ui_sub(y_value, 1, x_value, MPFR_RNDN);
            mpfr_set_d(x_value, -t->exponent, MPFR_RNDN);
        }
        mpfr_neg(x_value, x_value, MPFR_RNDN);
        mpfr_pow(exact_value, y_value, x_value, MPFR_RNDN);
    }
    mpfr_mul_d(exact_value, exact_value, t->scale, MPFR_RNDN);
    mpfr_div_d(exact_value, exact_value, t->factor, MPFR_RNDN);
    if (t->in_turns)
        return;
    two_pi(y_value);
    mpfr_div(exact_value, exact_value, y_value, MPFR_RNDN);
}

/* exact_value = the phase in turns, x_value = its largest term */
static void refer_phase(const sinpos_tone *t)
{
    const sinpos_tone_more *more = t->more;
    double largest = fabs(t->phase);
    sum_parts(exact_value, t->phase, more != NULL && !t->in_turns ? more->phase : NULL);
    two_pi(y_value);
    mpfr_div(exact_value, exact_value, y_value, MPFR_RNDN);
    mpfr_set_d(y_value, t->phase_turns, MPFR_RNDN);
    if (more != NULL)
        mpfr_div_d(y_value, y_value, more->phase_divisor, MPFR_RNDN);
    mpfr_add(exact_value, exact_value, y_value, MPFR_RNDN);
    mpfr_abs(x_value, y_value, MPFR_RNDN);
    sum_parts(y_value, 0, more != NULL && t->in_turns ? more->phase : NULL);
    mpfr_add(exact_value, exact_value, y_value, MPFR_RNDN);
    for (int k = 0; k < SINPOS_PARTS && more != NULL; k++)
        largest = fmax(largest, fabs(more->phase[k]));
    if (mpfr_cmp_d(x_value, largest) < 0)
        mpfr_set_d(x_value, largest, MPFR_RNDN);
}

static void try_frequency(random_state *r, const sinpos_plan *plan, size_t i)
{
    static const size_t lengths[] = {5, 8, 16, LAST_LIMBS};
    const sinpos_tone *t = &plan->tones[plan->tone_of[i]];
    const size_t n = lengths[random_below(r, random_chance(r, 5) ? 4 : 3)];
    wide got = {.sign = plan->turns[i].sign, .exponent = plan->turns[i].exponent};
    memcpy(got.limb, plan->turns[i].limb, sizeof plan->turns[i].limb);
    refer_turns(t, n);
    if (mpfr_zero_p(exact_value)) {
        measure(KEPT, got.sign == 0 ? 0 : INFINITY);
        return;
    }
    check_wide(KEPT, EXACT_LIMBS, &got, 64 * EXACT_LIMBS - 298);
    tone_turns(n, t, &got);
    check_wide(TURNS, n, &got, 4);
    tone_phase(n, t, &got);
    from_wide(error_value, n, &got);
    refer_phase(t);
    mpfr_sub(error_value, error_value, exact_value, MPFR_RNDN);
    measure(PHASE, ratio_of_power(error_value, x_value, 8 - 64 * (long)n));
    if (plan->has_phase && isfinite(plan->bound[i])) {
        mpfr_mul_ui(error_value, exact_value, 4, MPFR_RNDN);
        mpfr_sub_d(error_value, error_value, plan->phase_eighths[i] - MAGIC_EIGHTHS, MPFR_RNDN);
        mpfr_sub_d(error_value, error_value, plan->phase_rest[i], MPFR_RNDN);
        mpfr_set_ui(x_value, 4, MPFR_RNDN); /* whole turns do not count */
        mpfr_remainder(error_value, error_value, x_value, MPFR_RNDN);
        measure(KEPT_PHASE, ratio_of(error_value, 0x1p-57));
    }
}

/* exact_value = F of a further coordinate */
static void refer_listen(const sinpos_tone *t, const sinpos_listen *l)
{
    sum_parts(exact_value, 0, l->coefficient);
    mpfr_div_d(exact_value, exact_value, l->divisor, MPFR_RNDN);
    two_pi(y_value);
    if (!t->in_turns)
        mpfr_div(exact_value, exact_value, y_value, MPFR_RNDN);
}

static void try_listen(const sinpos_tone *t, const sinpos_listen *l, const exact_turns *kept)
{
    wide got = {.sign = kept->sign, .exponent = kept->exponent};
    memcpy(got.limb, kept->limb, sizeof kept->limb);
    refer_listen(t, l);
    if (mpfr_zero_p(exact_value))
        return;
    check_wide(KEPT, EXACT_LIMBS, &got, 64 * EXACT_LIMBS - 298);
    listen_turns(16, t, l, &got);
    check_wide(TURNS, 16, &got, 4);
}

static void try_amplitude(const sinpos_tone *t)
{
    double parts[2];
    tone_amplitude_pair(t, parts);
    if (!(fabs(parts[0]) > 0x1p-300 && fabs(parts[0]) < 0x1p300))
        return;
    sum_parts(exact_value, t->amplitude, t->more->amplitude);
    mpfr_sub_d(error_value, exact_value, parts[0], MPFR_RNDN);
    mpfr_sub_d(error_value, error_value, parts[1], MPFR_RNDN);
    measure(AMPLITUDE, ratio_of_power(error_value, exact_value, -104));
}

/* x_value = the phase of a row in quarter turns */
static void refer_further(const sinpos_tone *t, position p)
{
    refer_phase(t);
    mpfr_set(part, exact_value, MPFR_RNDN);
    for (size_t k = 0; k < t->more->n_listens; k++) {
        refer_listen(t, &t->more->listens[k]);
        set_position(y_value, position_on(p.integers, p.reals, t->more->listens[k].axis));
        mpfr_mul(exact_value, exact_value, y_value, MPFR_RNDN);
        mpfr_add(part, part, exact_value, MPFR_RNDN);
    }
    mpfr_mul_2ui(x_value, part, 2, MPFR_RNDN);
}

static void try_further(const subject *s, const segment *g, position p)
{
    enum { MOST = 256 };
    double high[MOST], low[MOST], rest[MOST], eighths[MOST];
    double *const phase[2] = {high, low};
    const size_t padded = (g->count + LANES - 1) / LANES * LANES;
    if (!listens_further(s->plan, g->first, padded) || padded > MOST)
        return;
    further_phases(s->plan, g->first, padded, p, phase, rest, eighths);
    for (size_t i = 0; i < g->count; i++) {
        if (isinf(s->plan->bound[g->first + i]))
            continue;
        const sinpos_tone *t = &s->plan->tones[s->plan->tone_of[g->first + i]];
        if (t->more == NULL)
            continue;
        refer_further(t, p);
        mpfr_sub_d(error_value, x_value, high[i], MPFR_RNDN);
        mpfr_sub_d(error_value, error_value, low[i], MPFR_RNDN);
        mpfr_div_2ui(y_value, error_value, 2, MPFR_RNDN);
        mpfr_rint(y_value, y_value, MPFR_RNDN);
        mpfr_mul_2ui(y_value, y_value, 2, MPFR_RNDN);
        mpfr_sub(error_value, error_value, y_value, MPFR_RNDN);
        measure(FURTHER, ratio_of(error_value, 0x1p-90));
        mpfr_set_d(error_value, high[i], MPFR_RNDN);
        mpfr_add_d(error_value, error_value, low[i], MPFR_RNDN);
        mpfr_sub_d(error_value, error_value, eighths[i] - 0x1.8p49, MPFR_RNDN);
        mpfr_sub_d(error_value, error_value, rest[i], MPFR_RNDN);
        measure(FURTHER_REST, ratio_of(error_value, 0x1p-57));
    }
}

static void try_more(uint64_t seed)
{
    mpfr_set_prec(part, 64 * 16 + 4800);
    for (uint64_t k = 0; k < 150; k++) {
        random_state r = random_seed(seed, k);
        subject s;
        subject_more(&s, &r);
        if (subject_plan(&s) == SINPOS_OK) {
            int64_t integers[SUBJECT_AXES];
            double reals[SUBJECT_AXES];
            const sinpos_plan *plan = s.plan;
            for (size_t i = 0; i < SUBJECT_AXES; i++) {
                integers[i] = random_integer_position(&s, &r);
                reals[i] = random_real_position(&s, &r);
            }
            for (size_t i = 0; i < plan->n_padded; i++) {
                const sinpos_tone *t = plan->tone_of[i] == UINT32_MAX ? NULL : &plan->tones[plan->tone_of[i]];
                if (t == NULL)
                    continue;
                try_frequency(&r, plan, i);
                try_amplitude(t);
                for (size_t j = 0; j < t->more->n_listens; j++)
                    try_listen(t, &t->more->listens[j], &plan->more->further[plan->more->further_of[i] + j].turns);
            }
            for (size_t i = 0; i < plan->n_segments; i++) {
                try_further(&s, &plan->segments[i], (position){.integers = integers});
                try_further(&s, &plan->segments[i], (position){.reals = reals});
            }
        }
        subject_destroy(&s);
    }
}

static double largest_error(const sinpos_plan *plan, size_t first, size_t last)
{
    double largest = 0;
    for (size_t i = first; i < last; i++) {
        wide got = {.sign = plan->turns[i].sign, .exponent = plan->turns[i].exponent};
        memcpy(got.limb, plan->turns[i].limb, sizeof plan->turns[i].limb);
        refer_turns(&plan->tones[plan->tone_of[i]], EXACT_LIMBS);
        from_wide(error_value, EXACT_LIMBS, &got);
        mpfr_sub(error_value, error_value, exact_value, MPFR_RNDN);
        largest = fmax(largest, ratio_of_power(error_value, exact_value, -298));
    }
    return largest;
}

/* Errors of a recurrence add up; after 1024 steps it is made again. Without that the last here would err 20 times as much. */
static void recurrences_begin_anew(void)
{
    enum { CHAIN = 1 << 15 };
    sinpos_spec spec = SINPOS_SPEC_INIT;
    sinpos_plan *plan;
    spec.dim = 2 * CHAIN;
    if (sinpos_plan_create(&plan, &spec) != SINPOS_OK)
        exit(2);
    const double first = largest_error(plan, 900, 1024), last = largest_error(plan, CHAIN - 124, CHAIN);
    (void)tap_none_wrong(!(last < 4 * first), 248, "recurrences: %.3g of 2^-298 at their first end, %.3g at the last",
                         first, last);
    sinpos_plan_destroy(plan);
}

static void try_frequencies(uint64_t seed)
{
    for (uint64_t k = 0; k < 300; k++) {
        random_state r = random_seed(seed, k);
        subject s;
        subject_random(&s, &r);
        if (subject_plan(&s) == SINPOS_OK)
            for (size_t i = 0; i < s.plan->n_padded; i += 1 + random_below(&r, 12))
                if (s.plan->tone_of[i] != UINT32_MAX)
                    try_frequency(&r, s.plan, i);
        subject_destroy(&s);
    }
    recurrences_begin_anew();
    random_state r = random_seed(seed, 0);
    sinpos_spec spec = SINPOS_SPEC_INIT; /* a long chain, where errors add up */
    sinpos_plan *plan;
    spec.dim = 6000;
    spec.base = 500000;
    if (sinpos_plan_create(&plan, &spec) != SINPOS_OK)
        exit(2);
    for (size_t i = 1020; i < 3000; i += i % 1024 < 1020 ? 167 : 1)
        try_frequency(&r, plan, i);
    sinpos_plan_destroy(plan);
}

/* ------------------------------------------------------------------------------------------------------- Rotary */

/* What factors.c puts in the place of amplitudes that are divided by. */
typedef struct reciprocals {
    double amplitude[TONES], bound[TONES], slope[TONES];
} reciprocals;

static void divide_by_amplitudes(const sinpos_plan *plan, bool pairs, reciprocals *w, angles *a)
{
    for (size_t i = 0; i < TONES; i++) {
        w->amplitude[i] = pairs ? 1 : 1 / plan->amplitude[i];
        w->bound[i] = fabs(w->amplitude[i]) * 0x1p-50;
        w->slope[i] = 4 * fabs(plan->u[0][i]) * w->bound[i];
    }
    a->amplitude = w->amplitude;
    a->amplitude_low = NULL;
    a->bound = w->bound;
    a->slope = w->slope;
}

/* The quotient of a double-double by the amplitude. */
static pair divided(const sinpos_plan *plan, size_t i, pair x)
{
    const double a = plan->amplitude[i], r = 1 / a, product = x.high * r;
    const double a_low = plan->more != NULL ? plan->more->amplitude_low[i] : 0;
    const double r_low = (fma(-r, a, 1) - r * a_low) / a;
    return (pair){product, fma(x.high, r, -product) + (x.high * r_low + x.low * r)};
}

static void divide_results(const sinpos_plan *plan, results *w)
{
    for (size_t i = 0; i < TONES; i++) {
        const double size = fabs(1 / plan->amplitude[i]) * 1.125;
        const pair s = divided(plan, i, (pair){w->sine[i], w->sine_low[i]});
        const pair c = divided(plan, i, (pair){w->cosine[i], w->cosine_low[i]});
        w->sine[i] = s.high;
        w->sine_low[i] = s.low;
        w->cosine[i] = c.high;
        w->cosine_low[i] = c.low;
        w->bound_sin[i] *= size;
        w->bound_cos[i] *= size;
    }
}

/* exact_value = u C - v S, over A^2 where it is turned back */
static void refer_turned(const sinpos_plan *plan, size_t i, const truth *want, bool back, double u, double v)
{
    const sinpos_tone *t = &plan->tones[plan->tone_of[i]];
    mpfr_mul_d(exact_value, want->cosine[i], u, MPFR_RNDN);
    mpfr_mul_d(part, want->sine[i], v, MPFR_RNDN);
    mpfr_sub(exact_value, exact_value, part, MPFR_RNDN);
    if (!back)
        return;
    sum_parts(part, t->amplitude, t->more != NULL ? t->more->amplitude : NULL);
    mpfr_div(exact_value, exact_value, part, MPFR_RNDN);
    mpfr_div(exact_value, exact_value, part, MPFR_RNDN);
}

/* As in kernels_rotary.inc. */
static pair turned_pair(bool fma_here, double u, double v, pair c, pair s)
{
    const pair p = {u * c.high, fused(fma_here, u, c.high, 0 - u * c.high)};
    const pair q = {v * s.high, fused(fma_here, v, s.high, 0 - v * s.high)};
    pair sum = summed((pair){p.high, 0}, (pair){q.high, 0}, -1);
    const double low = u * c.low - v * s.low;
    sum.low += (p.low - q.low) + low;
    return sum;
}

static float turned_float(bool fma_here, float u, float v, float c, float s)
{
    const float first = u * c, second = v * s;
    return fma_here ? fmaf(-v, s, first) : first - second;
}

static void random_pair(random_state *r, double *u, double *v)
{
    *u = random_sign(r) * random_spread(r, -3, 0);
    *v = random_sign(r) * (random_chance(r, 50) ? fabs(*u) : random_spread(r, -3, 0));
}

static void check_turned(int which, const sinpos_plan *plan, const results *got, const truth *want, random_state *r)
{
    const bool pairs = which >= DOUBLE_METERS, back = which == TURNED_BACK || which == TURNED_DD_BACK;
    for (size_t i = 0; i < TONES; i++) {
        double u, v;
        random_pair(r, &u, &v);
        refer_turned(plan, i, want, back, u, v);
        const double e = fabs(u) * got->bound_cos[i] + fabs(v) * got->bound_sin[i];
        const pair c = {got->cosine[i], got->cosine_low[i]}, s = {got->sine[i], got->sine_low[i]};
        for (int fma_here = 0; fma_here < 2; fma_here++) {
            const pair turn =
                pairs ? turned_pair(fma_here, u, v, c, s) : (pair){plus_product(fma_here, -v, s.high, u * c.high), 0};
            compare(which, exact_value, turn.high, turn.low, pairs ? e : 1.25 * e);
        }
    }
}

/* Elements of 8 and 11 digits; amplitudes whose products floats hold. */
static void check_turned_floats(const sinpos_plan *plan, const results *got, const truth *want, random_state *r)
{
    float sine[TONES], cosine[TONES];
    kernels_active()->narrow(got->sine, TONES, sine);
    kernels_active()->narrow(got->cosine, TONES, cosine);
    for (size_t i = 0; i < TONES; i++) {
        double u, v;
        random_pair(r, &u, &v);
        u = ldexp(rint(ldexp(u, 10)), -10);
        v = ldexp(rint(ldexp(v, 10)), -10);
        if (!(plan->bound[i] > 0x1p-110 && plan->bound[i] < 0x1p50))
            continue;
        refer_turned(plan, i, want, false, u, v);
        const float limit = (float)(plan->bound[i] * 1.09375 * 0x1p28);
        const double m = fmax(fabs(u), fabs(v));
        for (int fma_here = 0; fma_here < 2; fma_here++) {
            const float turn = turned_float(fma_here, (float)u, (float)v, cosine[i], sine[i]);
            compare(TURNED_FLOATS, exact_value, turn, 0, (double)limit * m + 0x1p-120);
        }
    }
}

static void try_turned_back(const sinpos_plan *plan, position p, const truth *want, random_state *r)
{
    double high[3][TONES];
    results got;
    reciprocals w;
    for (int pairs = 0; pairs < 2; pairs++) {
        angles a = angles_of(plan, p, SINPOS_FILL, high);
        divide_by_amplitudes(plan, pairs, &w, &a);
        run_anchor(plan, &a, pairs, &got);
        for (size_t i = 0; i < TONES; i++)
            got.bound_cos[i] = w.bound[i] * (pairs ? 0x1p-22 : 1);
        if (pairs)
            divide_results(plan, &got);
        check_turned(pairs ? TURNED_DD_BACK : TURNED_BACK, plan, &got, want, r);
    }
}

/* Row centre + by of a block. */
static void try_turned_block(const sinpos_plan *plan, int64_t centre, int64_t by, const truth *want, random_state *r)
{
    double high[3][TONES];
    results got, row;
    angles a = angles_of(plan, (position){.integer = centre}, SINPOS_FILL, high);
    a.reach += REACH;
    run_anchor(plan, &a, false, &got);
    const size_t table = (size_t)(by < 0 ? -by : by) * plan->n_padded;
    const anchor middle = {.sine = got.sine, .cosine = got.cosine};
    const rotation step = {.sine = plan->rotation_sin + table, .cosine = plan->rotation_cos + table, .r = by};
    row = got;
    kernels_active()->compose(&middle, &step, TONES, 1, row.sine, row.cosine);
    const double scale = a.unit_amplitude && a.high[0] == NULL && a.phase[0] == NULL ? 1 : 2; /* as factors.c has it */
    for (size_t i = 0; i < TONES; i++) {
        row.bound_sin[i] *= scale;
        row.bound_cos[i] *= scale;
    }
    check_turned(TURNED_BLOCK, plan, &row, want, r);
    check_turned_floats(plan, &row, want, r);
}

static void try_turned(random_state *r, int kind, truth *want)
{
    sinpos_tone tones[TONES];
    plans all;
    random_tones(tones, r, kind);
    make_plans(&all, tones);
    position p = {.integer = random_integer(r, kind)};
    if (kind == REAL)
        p = (position){.is_real = true, .real = random_real(all.doubles[0], r)};
    const int64_t by = (int64_t)random_below(r, 2 * REACH + 1) - REACH;
    const int64_t centre = p.integer > 0 ? p.integer + REACH : p.integer - REACH;
    for (size_t k = 0; k < all.n; k++) {
        double high[3][TONES];
        results got;
        const sinpos_plan *plan = all.floats[k];
        if (sinpos_isa_cap(all.isa[k]) != SINPOS_OK)
            exit(2);
        truth_set(want, plan, p, SINPOS_FILL);
        const angles a = angles_of(plan, p, SINPOS_FILL, high);
        run_anchor(plan, &a, false, &got);
        check_turned(TURNED, plan, &got, want, r);
        check_turned_floats(plan, &got, want, r);
        run_anchor(plan, &a, true, &got);
        check_turned(TURNED_DD, plan, &got, want, r);
        try_turned_back(plan, p, want, r);
        if (kind == REAL)
            continue;
        truth_set(want, plan, (position){.integer = centre + by}, SINPOS_FILL);
        try_turned_block(plan, centre, by, want, r);
    }
    free_plans(&all);
}

/* ------------------------------------------------------------------------------------------------------- Main */

static void run_all(uint64_t seed, unsigned count)
{
    static const size_t lengths[] = {EXACT_LIMBS, EXACT_LIMBS + 1, 7, 8, 9, 16, 17, 33, 65, LAST_LIMBS + 1};
    truth want;
    mpfr_inits2(PRECISION, angle, part, sine_value, cosine_value, error_value, (mpfr_ptr)NULL);
    mpfr_inits2(PRECISION, x_value, y_value, exact_value, (mpfr_ptr)NULL);
    truth_init(&want);
    for (uint64_t k = 0; k < count; k++) {
        random_state r = random_seed(seed, k);
        for (int kind = 0; kind < KINDS; kind++)
            try_kernels(&r, kind, &want);
        for (int kind = 0; kind < GRADIENT; kind++)
            try_turned(&r, kind, &want);
        if (k % 4 == 0)
            try_scalar_dd(&r);
    }
    try_hard_phases(&want);
    truth_clear(&want);
    for (uint64_t k = 0; k < 400; k++) {
        random_state r = random_seed(seed, k);
        const size_t n = lengths[random_below(&r, sizeof lengths / sizeof *lengths)];
        set_precision(n);
        try_log_exp(&r, n);
        try_sincos(&r, n);
        try_arithmetic(&r, n);
        try_sum(&r);
        try_mod_4(&r);
    }
    try_frequencies(seed);
    try_more(seed);
    mpfr_clears(angle, part, sine_value, cosine_value, error_value, x_value, y_value, exact_value, (mpfr_ptr)NULL);
}

static bool keeps_its_bound(int i)
{
    return meters[i].samples > 0 && meters[i].worst <= (i < DOUBLE_METERS ? ROOM_DOUBLE : 1);
}

static void report(void)
{
    for (int i = 0; i < METERS; i++)
        (void)tap_none_wrong(!keeps_its_bound(i), meters[i].samples, "%s: %.3g of %s, %llu samples", meters[i].name,
                             meters[i].worst, meters[i].bound, (unsigned long long)meters[i].samples);
}

static void report_shrunk(void)
{
    for (int i = 0; i < DOUBLE_METERS; i++)
        (void)tap_none_wrong(keeps_its_bound(i), meters[i].samples, "%s: bounds %g times smaller are seen to be broken",
                             meters[i].name, shrink);
}

int main(int argc, char **argv)
{
    uint64_t seed = 1;
    unsigned count = 400;
    for (int i = 1; i < argc; i += 2) {
        const char *value = i + 1 < argc ? argv[i + 1] : "";
        if (strcmp(argv[i], "--shrink") == 0)
            shrink = strtod(value, NULL);
        else if (strcmp(argv[i], "--count") == 0)
            count = (unsigned)strtoul(value, NULL, 0);
        else if (strcmp(argv[i], "--seed") == 0)
            seed = strtoull(value, NULL, 0);
        else
            return 2;
    }
    run_all(seed, count);
    if (shrink == 1)
        report();
    else
        report_shrunk();
    mpfr_free_cache();
    oracle_cleanup();
    return tap_done();
}
