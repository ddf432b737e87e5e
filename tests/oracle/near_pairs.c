/*
 * near_pairs - rotated pairs (sinpos_rotate) whose results lie within about one bound of a tie, on both sides, made so
 * on purpose: every type and direction, positions by themselves, reals and blocks, with and without phases and
 * amplitudes, near every limit of the rounding tests. As in near_ties the kernels err by nearly all that
 * docs/numerics.md, section 7, admits.
 *
 *   --count N       rows of each kind, type, direction and path (default 20)
 *   --seed S        (default 1)
 *   --case K        that row alone
 *
 * Exit: 0 as expected, 1 not, 2 usage.   Covers [P1] [P2].
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <mpfr.h>

#include "erring.h"
#include "near_values.h"
#include "oracle.h"
#include "support.h"
#include "tap.h"

/* One target in as many pairs: those of a vector are tried again together where one is in doubt. */
enum { PAIRS = 64, APART = 16, PRECISION = 500, ISAS = 5 };

/* What the kernels err by at most: docs/numerics.md, [B1], [B5], [B8], [B9]. */
#define E_DOUBLE 0x1p-50
#define E_DD 0x1p-72
#define E_SHIFT 0x1p-73
#define E_FLOAT (1.07 * 0x1p-22)
#define LOST_PRODUCTS 0x1p-149 /* of two products below the normal floats, half a place each */
#define TURNED_DOUBLES 1.25
#define LIMIT_OF_DOUBLES (3 * E_DOUBLE)
#define NEARLY_ALL 0.97

typedef enum row_kind { UNIT, SMALL_ANGLES, PHASES, AMPLITUDES, AMPLITUDE_SUMS, KINDS } row_kind;
typedef enum row_path { DIRECT, TWO_PARTS, REAL_POSITION, IN_BLOCK, PATHS } row_path;

static const char *const kind_names[KINDS] = {"unit", "small angles", "phases", "amplitudes", "amplitude sums"};
static const char *const path_names[PATHS] = {"direct", "two parts", "real position", "in blocks"};
static const char *const direction_names[] = {"forward", "inverse", "transposed"};

/* The two elements of a pair, and which of its results lies near a tie. */
typedef struct pair {
    double u, v;
    bool near;
    uint64_t want;
} pair;

typedef struct row {
    row_kind kind;
    row_path path;
    sinpos_type type;
    sinpos_direction direction;
    position p;
    int64_t centre;
    sinpos_tone tones[PAIRS];
    sinpos_tone_more more[PAIRS];
    aim aims[PAIRS];
    pair pairs[PAIRS];
    sinpos_plan *plan;
} row;

static mpfr_t angle, value, factor, shift, scratch;

/* ------------------------------------------------------------------------------------------------ The row */

static double size_of_position(const row *w)
{
    return fabs(w->p.is_real ? w->p.real : (double)w->p.integer);
}

static void choose_position(row *w, random_state *r)
{
    const int bits = w->path == TWO_PARTS ? 40 + (int)random_below(r, 22) : 7 + (int)random_below(r, 32);
    const int64_t p = (int64_t)ldexp(1 + random_unit(r), bits), most = random_chance(r, 30) ? REACH : 2;
    w->p = (position){.integer = random_chance(r, 50) ? p : -p};
    w->centre = w->p.integer + (int64_t)random_below(r, (size_t)(2 * most + 1)) - most;
    if (w->path == REAL_POSITION)
        w->p = (position){.is_real = true, .real = random_sign(r) * (random_spread(r, -6, 30) + 0x1p-20)};
}

/* An element of the type, of the size of activations or of any. */
static double random_element_near(random_state *r, sinpos_type type, int exponent)
{
    const int digits = type == SINPOS_F64 ? 53 : type == SINPOS_F32 ? 24 : type == SINPOS_F16 ? 11 : 8;
    const double significand = random_chance(r, 20) ? 2 - ldexp(1, 1 - digits) : 1 + random_unit(r);
    const double x = random_sign(r) * ldexp(floor(ldexp(significand, digits - 1)), exponent - digits + 1);
    return oracle_to_double(type, oracle_round_double(type, x)); /* subnormal numbers have fewer digits */
}

static void random_pair(pair *x, random_state *r, sinpos_type type)
{
    /* products with amplitudes stay finite; float64: also where low halves vanish */
    const int least = type == SINPOS_F16 ? -11 : type == SINPOS_F64 ? -1021 : -124;
    const int most = type == SINPOS_F16 ? 6 : type == SINPOS_F64 ? 1000 : 40;
    const int least_normal = type == SINPOS_F16 ? -14 : type == SINPOS_F64 ? -1021 : -126;
    const int exponent = random_chance(r, 55)   ? 0
                         : random_chance(r, 40) ? least_normal + 2 + (int)random_below(r, 12)
                                                : least + (int)random_below(r, (size_t)(most - least));
    x->u = random_element_near(r, type, exponent);
    x->v = random_chance(r, 40)   ? x->u * random_sign(r)
           : random_chance(r, 30) ? random_element_near(r, type, exponent - 1 - (int)random_below(r, 7))
                                  : random_element_near(r, type, exponent);
}

static void plain_tone(row *w, random_state *r, size_t i, bool split)
{
    w->tones[i] = (sinpos_tone){.schedule = SINPOS_EXPLICIT,
                                .scale = 1,
                                .factor = 1,
                                .value = random_unit(r),
                                .amplitude = 1,
                                .sin_column = (ptrdiff_t)(split ? i : 2 * i),
                                .cos_column = (ptrdiff_t)(split ? PAIRS + i : 2 * i + 1)};
    if (w->kind == SMALL_ANGLES)
        w->tones[i].value = (0.1 + 0.2 * random_unit(r)) / (size_of_position(w) + REACH);
    if (w->kind == PHASES)
        w->tones[i].phase = random_unit(r);
    w->more[i] = (sinpos_tone_more){.struct_size = sizeof(sinpos_tone_more), .phase_divisor = 1};
    memset(&w->aims[i], 0, sizeof w->aims[i]);
    w->pairs[i] = (pair){.u = random_element_near(r, w->type, 0), .v = random_element_near(r, w->type, 0)};
}

static void sum_of(mpfr_t to, double first, const double *parts)
{
    mpfr_set_d(to, first, MPFR_RNDN);
    for (int k = 0; k < SINPOS_PARTS; k++)
        mpfr_add_d(to, to, parts[k], MPFR_RNDN);
}

static void set_position(mpfr_t to, const row *w)
{
    if (w->p.is_real)
        mpfr_set_d(to, w->p.real, MPFR_RNDN);
    else
        mpfr_set_si(to, (long)w->p.integer, MPFR_RNDN);
}

/* factor = the amplitude or its reciprocal; shift = the angle of the pair */
static void set_factor(const row *w, size_t i)
{
    sum_of(factor, w->tones[i].amplitude, w->more[i].amplitude);
    if (w->direction == SINPOS_INVERSE)
        mpfr_ui_div(factor, 1, factor, MPFR_RNDN);
    mpfr_set_d(scratch, w->pairs[i].u, MPFR_RNDN);
    mpfr_set_d(shift, w->pairs[i].v, MPFR_RNDN);
    mpfr_atan2(shift, shift, scratch, MPFR_RNDN);
}

static double length_of(const pair *x)
{
    return hypot(x->u, x->v);
}

/* value = the result in the column, from the angle p theta + phase: factor |pair| cos(angle +- shift), or the sine */
static void set_value(const row *w, size_t i, bool cosine)
{
    const bool forward = w->direction == SINPOS_FORWARD;
    const double own = cosine ? w->pairs[i].u : w->pairs[i].v, other = cosine ? w->pairs[i].v : w->pairs[i].u;
    sum_of(angle, w->tones[i].value, w->more[i].value);
    set_position(scratch, w);
    mpfr_mul(angle, angle, scratch, MPFR_RNDN);
    mpfr_add_d(angle, angle, w->tones[i].phase, MPFR_RNDN);
    mpfr_sin_cos(scratch, value, angle, MPFR_RNDN);
    mpfr_mul_d(value, value, own, MPFR_RNDN);
    mpfr_mul_d(scratch, scratch, cosine == forward ? -other : other, MPFR_RNDN);
    mpfr_add(value, value, scratch, MPFR_RNDN);
    mpfr_mul(value, value, factor, MPFR_RNDN);
}

/* The bounds of the factors, of 2^-50 or 2^-72 times their size: sections 2 and 3. */
static void factor_bounds(const row *w, size_t i, double *sine, double *cosine)
{
    const double reach = w->path == IN_BLOCK ? fabs((double)w->centre) + REACH : size_of_position(w);
    const bool best = w->kind == UNIT || w->kind == SMALL_ANGLES;
    *cosine = w->path == IN_BLOCK && !best ? 2 : 1;
    *sine = *cosine;
    if (w->kind != PHASES && w->path != TWO_PARTS)
        *sine *= fmin(1, 4 * fabs(w->tones[i].value) * 2 / 3.141592653589793 * reach);
}

static void aim_at(row *w, size_t i, bool cosine)
{
    aim *a = &w->aims[i];
    const pair *x = &w->pairs[i];
    double sine_bound, cosine_bound;
    factor_bounds(w, i, &sine_bound, &cosine_bound);
    const double own = fabs(cosine ? x->u : x->v), other = fabs(cosine ? x->v : x->u);
    const double size = fabs(mpfr_get_d(factor, MPFR_RNDN)), e = size * (own * cosine_bound + other * sine_bound);
    set_value(w, i, cosine);
    near_parts(value, &a->high, &a->low, 1);
    a->cosine = cosine;
    a->bound[ERROR_TURNED] = TURNED_DOUBLES * E_DOUBLE * e;
    if (E_DD * e > 0x1p-570 && own + other < 0x1p490) /* others are single elements */
        a->bound[ERROR_TURNED_DD] = E_DD * e;
    a->bound[ERROR_SHIFT_DD] = E_SHIFT * (own + other);
    a->bound[ERROR_TURNED_FLOATS] = E_FLOAT * size * fmax(own, other) + LOST_PRODUCTS;
    w->pairs[i].near = true;
}

/* Where results stop being judged by their bits: in double and in float, of the larger element times the factor. */
static double some_limit(const row *w, random_state *r)
{
    if (w->type == SINPOS_F64)
        return 0;
    if (w->type == SINPOS_F32)
        return LIMIT_OF_DOUBLES * 0x1p37;
    if (random_chance(r, 50))
        return LIMIT_OF_DOUBLES * 0x1p27;
    return E_FLOAT * (w->type == SINPOS_F16 ? 0x1p12 : 0x1p9);
}

/* The angle at which the result in the column is value times factor |pair|. */
static bool solve_angle(const row *w, random_state *r, bool cosine)
{
    const bool forward = w->direction == SINPOS_FORWARD;
    if (mpfr_cmpabs_ui(value, 1) >= 0)
        return false;
    if (cosine)
        mpfr_acos(angle, value, MPFR_RNDN);
    else
        mpfr_asin(angle, value, MPFR_RNDN);
    mpfr_const_pi(scratch, MPFR_RNDN);
    if (random_chance(r, 50)) {
        mpfr_neg(angle, angle, MPFR_RNDN);
        if (!cosine)
            mpfr_add(angle, angle, scratch, MPFR_RNDN);
    }
    if (cosine && forward) {
        mpfr_sub(angle, angle, shift, MPFR_RNDN);
    } else if (cosine) {
        mpfr_add(angle, angle, shift, MPFR_RNDN);
    } else {
        mpfr_sub(angle, angle, shift, MPFR_RNDN);
        if (!forward)
            mpfr_neg(angle, angle, MPFR_RNDN);
    }
    return true;
}

static double rounded(const row *w, double x)
{
    return oracle_to_double(w->type, oracle_round_double(w->type, x));
}

/* A small angle; half of the time what it adds is about as large as what was there, where the sine's bound counts. */
static void make_small(row *w, random_state *r, size_t i, bool cosine)
{
    pair *x = &w->pairs[i];
    const double turn = 0.3 * ldexp(0.5 + random_unit(r), -(int)random_below(r, 20));
    const double ratio = ldexp(turn, -(int)random_below(r, 5));
    w->tones[i].value = turn / (size_of_position(w) + REACH);
    if (random_chance(r, 50))
        *(cosine ? &x->u : &x->v) = rounded(w, (cosine ? x->v : x->u) * ratio);
    else if (random_chance(r, 50))
        *(cosine ? &x->v : &x->u) = rounded(w, (cosine ? x->u : x->v) * ratio);
}

static bool near_some_tie(row *w, random_state *r, size_t i, bool cosine, double most, double bound)
{
    double half, size = 0;
    if (w->kind == SMALL_ANGLES) {
        w->aims[i].high = 0;
        set_value(w, i, cosine);
        size = fabs(mpfr_get_d(value, MPFR_RNDN));
        if (size < 0x1p-1000 || size < most * 0x1p-30)
            return false;
    } else {
        size = near_size(r, w->type, most, some_limit(w, r) * most);
    }
    const double below = near_tie(r, w->type, size, &half);
    const bool minus = w->kind == SMALL_ANGLES ? mpfr_signbit(value) : random_chance(r, 50);
    mpfr_set_d(value, below, MPFR_RNDN);
    mpfr_add_d(value, value, half, MPFR_RNDN);
    mpfr_add_d(value, value, near_offset(r) * fmin(bound, half / 4), MPFR_RNDN);
    if (w->kind != SMALL_ANGLES && random_chance(r, 8))
        mpfr_set_d(value, near_offset(r) * bound, MPFR_RNDN); /* the sign is in doubt */
    if (minus)
        mpfr_neg(value, value, MPFR_RNDN);
    return true;
}

/* Newton's method from where the angle is: small angles must stay small. */
static void solve_small(row *w, size_t i, bool cosine)
{
    mpfr_t target, theta;
    mpfr_inits2(PRECISION, target, theta, (mpfr_ptr)NULL);
    mpfr_set(target, value, MPFR_RNDN);
    for (int step = 0; step < 6; step++) {
        const double at = w->p.is_real ? w->p.real : (double)w->p.integer, turn = at * w->tones[i].value;
        const bool minus = cosine == (w->direction == SINPOS_FORWARD);
        const double own = cosine ? w->pairs[i].u : w->pairs[i].v, other = cosine ? w->pairs[i].v : w->pairs[i].u;
        const double of_turn = (minus ? -other : other) * cos(turn) - own * sin(turn);
        const double slope = of_turn * mpfr_get_d(factor, MPFR_RNDN) * at;
        sum_of(theta, w->tones[i].value, w->more[i].value);
        set_value(w, i, cosine);
        mpfr_sub(value, target, value, MPFR_RNDN);
        mpfr_div_d(value, value, slope, MPFR_RNDN);
        mpfr_add(theta, theta, value, MPFR_RNDN);
        near_parts(theta, &w->tones[i].value, w->more[i].value, 3);
    }
    mpfr_clears(target, theta, (mpfr_ptr)NULL);
}

/* Is the rotation that of sinpos_shift()? */
static bool is_shift(const row *w)
{
    return w->type == SINPOS_F64 && w->direction == SINPOS_FORWARD && !w->p.is_real && w->path != IN_BLOCK &&
           (w->kind == UNIT || w->kind == SMALL_ANGLES);
}

/* Makes pair i one of whose results is near a tie; leaves it as it is where that cannot be. */
static void place_target(row *w, random_state *r, size_t i)
{
    const bool cosine = random_chance(r, 50), split = w->tones[i].cos_column - w->tones[i].sin_column == PAIRS;
    random_pair(&w->pairs[i], r, w->type);
    if (w->kind == AMPLITUDES || w->kind == AMPLITUDE_SUMS)
        w->tones[i].amplitude =
            random_chance(r, 40) ? 0x1.fffp0 : ldexp(1 + random_unit(r), (int)random_below(r, 9) - 4);
    if (w->kind == AMPLITUDE_SUMS)
        w->more[i].amplitude[0] = w->tones[i].amplitude * random_unit(r) * 0x1p-53;
    if (w->kind == SMALL_ANGLES)
        make_small(w, r, i, cosine);
    w->tones[i].more = &w->more[i];
    set_factor(w, i);
    const pair *x = &w->pairs[i];
    const double size = fabs(mpfr_get_d(factor, MPFR_RNDN)), most = size * length_of(x);
    double sine_bound, cosine_bound;
    factor_bounds(w, i, &sine_bound, &cosine_bound);
    const double larger = size * fmax(fabs(x->u), fabs(x->v));
    const double own = fabs(cosine ? x->u : x->v), other = fabs(cosine ? x->v : x->u);
    const double of_factors = size * (own * cosine_bound + other * sine_bound);
    const double bounds[3] = {larger * E_FLOAT, of_factors * TURNED_DOUBLES * E_DOUBLE, of_factors * E_DD};
    double bound = bounds[w->type == SINPOS_F64 ? 2 : w->type == SINPOS_F32 ? 1 : (int)random_below(r, 2)];
    if (is_shift(w) && random_chance(r, 50))
        bound = (fabs(x->u) + fabs(x->v)) * E_SHIFT;
    bool placed = false;
    if (2 * most < sinpos_type_limit(w->type) && near_some_tie(w, r, i, cosine, most, bound)) {
        if (w->kind == SMALL_ANGLES) {
            solve_small(w, i, cosine);
            placed =
                fabs(w->tones[i].value) * (size_of_position(w) + REACH) < 0.38 && fabs(w->tones[i].value) > 0x1p-55;
        } else {
            mpfr_div(value, value, factor, MPFR_RNDN);
            mpfr_set_d(scratch, x->u, MPFR_RNDN);
            mpfr_set_d(angle, x->v, MPFR_RNDN);
            mpfr_hypot(scratch, scratch, angle, MPFR_RNDN);
            mpfr_div(value, value, scratch, MPFR_RNDN);
            placed = solve_angle(w, r, cosine);
        }
        if (placed && w->kind != SMALL_ANGLES) {
            mpfr_const_pi(scratch, MPFR_RNDN);
            mpfr_mul_ui(scratch, scratch, 2, MPFR_RNDN);
            mpfr_mul_d(scratch, scratch, floor((0.1 + random_unit(r)) * size_of_position(w) / 6.28), MPFR_RNDN);
            mpfr_add(angle, angle, scratch, MPFR_RNDN);
            mpfr_sub_d(angle, angle, w->tones[i].phase, MPFR_RNDN);
            set_position(scratch, w);
            mpfr_div(angle, angle, scratch, MPFR_RNDN);
            near_parts(angle, &w->tones[i].value, w->more[i].value, 3);
        }
    }
    if (placed)
        aim_at(w, i, cosine);
    else
        plain_tone(w, r, i, split);
}

static void make_row(row *w, random_state *r)
{
    choose_position(w, r);
    const bool split = random_chance(r, 50);
    for (size_t i = 0; i < PAIRS; i++)
        plain_tone(w, r, i, split);
    for (size_t i = random_below(r, APART); i < PAIRS; i += APART)
        place_target(w, r, i);
    w->plan = NULL;
    const sinpos_status status = sinpos_plan_create_tones(&w->plan, 2 * PAIRS, 1, w->tones, PAIRS, w->type, NULL);
    if (status != SINPOS_OK) {
        printf("# %s: %s\n", kind_names[w->kind], sinpos_strerror(status));
        for (size_t i = 0; i < PAIRS; i++)
            print_tone(stdout, &w->tones[i]);
        exit(1);
    }
}

static void ask_oracle(row *w)
{
    const oracle_position p = {w->p.is_real, w->p.integer, w->p.real};
    for (size_t i = 0; i < PAIRS; i++) {
        if (!w->pairs[i].near)
            continue;
        oracle_tone *t = oracle_tone_create(&w->tones[i]);
        const uint64_t in[2] = {oracle_round_double(w->type, w->pairs[i].v),
                                oracle_round_double(w->type, w->pairs[i].u)};
        uint64_t out[2];
        oracle_rotate(t, p, w->direction, w->type, in, out);
        w->pairs[i].want = out[w->aims[i].cosine];
        oracle_tone_destroy(t);
    }
}

/* --------------------------------------------------------------------------------------------------- Runs */

typedef struct tally {
    uint64_t targets, wrong, met[ERROR_PLACES], exposed[ERROR_PLACES][ISAS];
} tally;

static void run_row(const row *w, error_place place, void *out)
{
    const int64_t away = w->p.integer - w->centre, size = away < 0 ? -away : away, half = size < 2 ? 2 : size;
    const bool block = w->path == IN_BLOCK;
    sinpos_rows rows = {sizeof(sinpos_rows), .n = 1, .integers = w->p.is_real ? NULL : &w->p.integer,
                        .reals = w->p.is_real ? &w->p.real : NULL};
    if (block)
        rows =
            (sinpos_rows){.struct_size = sizeof(sinpos_rows), .n = (size_t)(2 * half + 1), .first = w->centre - half};
    for (size_t k = 0; k < rows.n; k++)
        for (size_t i = 0; i < PAIRS; i++) {
            const pair *x = &w->pairs[i];
            store_bits(out, w->type, k * 2 * PAIRS + (size_t)w->tones[i].cos_column,
                       oracle_round_double(w->type, x->u));
            store_bits(out, w->type, k * 2 * PAIRS + (size_t)w->tones[i].sin_column,
                       oracle_round_double(w->type, x->v));
        }
    if (place == ERROR_SHIFT_DD) {
        if (sinpos_shift(w->plan, w->p.integer, 1, w->type, out, 2 * PAIRS) != SINPOS_OK)
            exit(2);
        return;
    }
    if (sinpos_rotate(w->plan, &rows, w->direction, 1, w->type, out, 2 * PAIRS, 2 * PAIRS, 1) != SINPOS_OK)
        exit(2);
    if (block)
        memmove(out, (char *)out + (size_t)(half + away) * 2 * PAIRS * type_size(w->type),
                2 * PAIRS * type_size(w->type));
}

static unsigned count_wrong(const row *w, const void *out, const char *what, uint64_t number)
{
    unsigned wrong = 0;
    for (size_t i = 0; i < PAIRS; i++) {
        const size_t column = (size_t)(w->aims[i].cosine ? w->tones[i].cos_column : w->tones[i].sin_column);
        const uint64_t got = w->pairs[i].near ? load_bits(out, w->type, column) : 0;
        if (!w->pairs[i].near || got == w->pairs[i].want)
            continue;
        if (wrong++ > 0 || what == NULL)
            continue;
        printf("# --case %" PRIu64 ": %s %s %s %s, %s, isa %s, position %" PRId64 " %a: %a, %a: 0x%" PRIx64
               " want 0x%" PRIx64 ", real value %a + %a, bounds %a %a\n",
               number, kind_names[w->kind], type_name(w->type), direction_names[w->direction], path_names[w->path],
               what, sinpos_isa(), w->p.integer, w->p.real, w->pairs[i].u, w->pairs[i].v, got, w->pairs[i].want,
               w->aims[i].high, w->aims[i].low, w->aims[i].bound[ERROR_TURNED], w->aims[i].bound[ERROR_TURNED_FLOATS]);
        print_tone(stdout, &w->tones[i]);
    }
    return wrong;
}

/* One place errs at a time: pairs that float refuses are turned in double. */
static void check_place(row *w, uint64_t number, int isa, error_place place, tally *t)
{
    static const double shares[] = {0, NEARLY_ALL, -NEARLY_ALL, 2, -2};
    static _Alignas(64) char out[(2 * REACH + 1) * 2 * PAIRS * sizeof(double)];
    aim aims[PAIRS];
    memcpy(aims, w->aims, sizeof aims);
    for (size_t i = 0; i < PAIRS; i++)
        for (int other = 0; other < ERROR_PLACES; other++)
            if (other != (int)place)
                aims[i].bound[other] = 0;
    for (int k = 0; k < 5; k++) {
        char what[40];
        erring e = {.plan = w->plan, .p = w->p, .aims = aims, .share = shares[k]};
        (void)snprintf(what, sizeof what, "place %d, share %g", (int)place, shares[k]);
        erring_set(&e);
        run_row(w, place, out);
        erring_set(NULL);
        const unsigned wrong = count_wrong(w, out, k < 3 ? what : NULL, number);
        t->wrong += k < 3 ? wrong : 0;
        t->exposed[place][isa] += k < 3 ? 0 : wrong;
        t->met[place] += k == 0 ? e.met[place] : 0;
        t->wrong += e.below[place] + e.beyond[place];
        if (e.below[place] + e.beyond[place] > 0 && k == 0)
            printf("# --case %" PRIu64 ": %s than the kernels may err, place %d\n", number,
                   e.below[place] > 0 ? "judged by less" : "errs by more", (int)place);
    }
}

static void check_row(row *w, uint64_t number, tally *t)
{
    static const error_place places[] = {ERROR_TURNED_FLOATS, ERROR_TURNED, ERROR_TURNED_DD};
    for (int i = 0; isa_names[i] != NULL; i++) {
        if (sinpos_isa_cap(isa_names[i]) != SINPOS_OK)
            continue;
        for (int k = 0; k < 3; k++) {
            const bool floats = w->type == SINPOS_F16 || w->type == SINPOS_BF16;
            if ((places[k] == ERROR_TURNED_DD) == (w->type == SINPOS_F64) &&
                (places[k] != ERROR_TURNED_FLOATS || floats))
                check_place(w, number, i, places[k], t);
        }
        if (is_shift(w))
            check_place(w, number, i, ERROR_SHIFT_DD, t);
    }
}

typedef struct options {
    uint64_t seed, count, only;
} options;

/* Did every instruction set that came by a place go wrong there with twice the error? */
static bool all_exposed(const tally *t)
{
    bool exposed = true;
    for (int i = 0; isa_names[i] != NULL; i++)
        for (int place = 0; place < ERROR_PLACES; place++)
            exposed = exposed &&
                      (t->met[place] == 0 || t->exposed[place][i] > 0 || sinpos_isa_cap(isa_names[i]) != SINPOS_OK);
    return exposed;
}

/* o->count rows, and as many again, up to MOST_ROUNDS times, while twice the error changes nothing at some place. */
static void check_path(const options *o, uint64_t first, row_kind kind, sinpos_type type, row_path path)
{
    static row w;
    tally t = {0};
    for (uint64_t n = first; n < first + MOST_ROUNDS * o->count; n++) {
        if (o->only == UINT64_MAX && n > first && (n - first) % o->count == 0 && all_exposed(&t))
            break;
        if (o->only != UINT64_MAX && n != o->only)
            continue;
        random_state r = random_seed(o->seed, n);
        w.kind = kind;
        w.type = type;
        w.path = path;
        w.direction = (sinpos_direction)(n % 3);
        make_row(&w, &r);
        ask_oracle(&w);
        check_row(&w, n, &t);
        for (size_t i = 0; i < PAIRS; i++)
            t.targets += w.pairs[i].near;
        sinpos_plan_destroy(w.plan);
    }
    if (o->only != UINT64_MAX && t.targets == 0)
        return;
    uint64_t seen[ERROR_PLACES] = {0};
    for (int i = 0; isa_names[i] != NULL; i++)
        for (int place = 0; place < ERROR_PLACES; place++)
            seen[place] += t.exposed[place][i];
    (void)tap_ok(t.targets > 0 && t.wrong == 0 && (all_exposed(&t) || o->only != UINT64_MAX),
                 "%s %s %s: %" PRIu64 " near ties, %" PRIu64 " wrong; with twice the error %" PRIu64
                 " in double, %" PRIu64 " in float, %" PRIu64 " in double-double, %" PRIu64 " shifted",
                 kind_names[kind], type_name(type), path_names[path], t.targets, t.wrong, seen[ERROR_TURNED],
                 seen[ERROR_TURNED_FLOATS], seen[ERROR_TURNED_DD], seen[ERROR_SHIFT_DD]);
}

int main(int argc, char **argv)
{
    options o = {.seed = 1, .count = 20, .only = UINT64_MAX};
    uint64_t first = 0;
    for (int i = 1; i + 1 < argc; i += 2) {
        uint64_t *const to = strcmp(argv[i], "--seed") == 0    ? &o.seed
                             : strcmp(argv[i], "--count") == 0 ? &o.count
                             : strcmp(argv[i], "--case") == 0  ? &o.only
                                                               : NULL;
        if (to == NULL)
            return 2;
        *to = strtoull(argv[i + 1], NULL, 0);
    }
    mpfr_inits2(PRECISION, angle, value, factor, shift, scratch, (mpfr_ptr)NULL);
    for (int k = 0; k < KINDS; k++)
        for (int t = 0; t < N_TYPES; t++)
            for (int path = 0; path < PATHS; path++, first += MOST_ROUNDS * o.count)
                if ((path != IN_BLOCK || all_types[t] != SINPOS_F64) && (k != SMALL_ANGLES || path != TWO_PARTS))
                    check_path(&o, first, (row_kind)k, all_types[t], (row_path)path);
    mpfr_clears(angle, value, factor, shift, scratch, (mpfr_ptr)NULL);
    mpfr_free_cache();
    oracle_cleanup();
    return tap_done();
}
