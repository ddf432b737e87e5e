/*
 * near_ties - elements within about one bound E of a tie, on both sides, made so on purpose: in every type, on every
 * instruction set, on every path by which an encoding is made, and near every limit of the rounding tests. The kernels are
 * let err by nearly all that docs/numerics.md admits, towards the tie and away from it: no element may change. When
 * they err by twice that, on each path some must. What they err by of their own is measured as well.
 *
 *   --count N       sheets of each kind, type and path (default 40)
 *   --seed S        (default 1)
 *   --case K        that sheet alone
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

/* One target in as many tones: of a vector with other tones in doubt all are looked at closely. */
enum { TONES = 64, APART = 16, PRECISION = 500, ISAS = 5 };

/* What the kernels err by at most: docs/numerics.md, [B1] to [B5] and [B10]. */
#define E_DOUBLE 0x1p-50
#define E_FLOAT (2.4142 * 0x1p-24)
#define E_PAIR 0x1p-72
#define E_LADDER 0x1p-74 /* relative */
#define NEARLY_ALL 0.97

typedef enum sheet_kind {
    ONE_PART,
    SMALL_ANGLES,
    TWO_PARTS,
    REAL_POSITION,
    PHASES,
    AMPLITUDES,
    AMPLITUDE_SUMS,
    FURTHER,
    GRADIENT_POSITION,
    GRADIENT_THETA,
    KINDS
} sheet_kind;

static const char *const kind_names[KINDS] = {
    "one part",   "small angles",   "two parts",           "real position",     "phases",
    "amplitudes", "amplitude sums", "further coordinates", "gradient_position", "gradient_theta"};

typedef enum sheet_path { DIRECT, ROTATED, LADDER, PATHS } sheet_path;
static const char *const path_names[PATHS] = {"direct", "rotated", "by the ladder"};

/* One row, of which some elements lie near a tie. */
typedef struct sheet {
    sheet_kind kind;
    sinpos_type type;
    sheet_path path;
    position p;
    int64_t centre;
    int64_t integers[2];
    double reals[2];
    sinpos_operation operation;
    size_t n; /* tones */
    sinpos_tone tones[TONES];
    sinpos_tone_more more[TONES];
    sinpos_listen listens[TONES];
    aim aims[TONES];
    uint64_t want[TONES];
    sinpos_plan *plan;
} sheet;

static mpfr_t angle, value, turn, scratch;

/* ---------------------------------------------------------------------------------------------- The sheet */

static bool is_gradient(const sheet *s)
{
    return s->operation != SINPOS_FILL;
}

static bool has_phase(const sheet *s)
{
    return s->kind == PHASES || s->kind == FURTHER;
}

static void set_position(mpfr_t to, const sheet *s)
{
    if (s->p.is_real)
        mpfr_set_d(to, s->p.real, MPFR_RNDN);
    else
        mpfr_set_si(to, (long)s->p.integer, MPFR_RNDN);
}

static double size_of_position(const sheet *s)
{
    return fabs(s->p.is_real ? s->p.real : (double)s->p.integer);
}

static void choose_position(sheet *s, random_state *r)
{
    const int bits = s->kind == TWO_PARTS ? 40 + (int)random_below(r, 22) : 7 + (int)random_below(r, 32);
    const int64_t p = (int64_t)ldexp(1 + random_unit(r), bits);
    s->p = (position){.integer = random_chance(r, 50) ? p : -p};
    if (s->path == DIRECT && s->kind == ONE_PART && random_chance(r, 30)) {
        static const double limits[] = {FIXED_LIMIT, ONE_PART_LIMIT};
        s->p.integer = (int64_t)limits[random_below(r, 2)] - 1 - (int64_t)random_below(r, 1000);
    }
    if (s->kind == REAL_POSITION || (is_gradient(s) && random_chance(r, 30)))
        s->p = (position){.is_real = true, .real = random_sign(r) * (random_spread(r, -6, 30) + 0x1p-20)};
    const int64_t most = random_chance(r, 30) ? REACH : 4;
    s->centre = s->p.integer + (int64_t)random_below(r, (size_t)(2 * most + 1)) - most;
    s->integers[0] = s->p.integer;
    s->integers[1] = (int64_t)random_below(r, 1000) - 500;
    s->reals[0] = s->p.real;
    s->reals[1] = 0;
}

/* The frequencies of all but the targets; small angles stay below an eighth of a quarter turn. */
static double plain_frequency(const sheet *s, random_state *r)
{
    return s->kind == SMALL_ANGLES ? (0.1 + 0.2 * random_unit(r)) / (size_of_position(s) + REACH) : random_unit(r);
}

static void plain_tone(sheet *s, random_state *r, size_t i, bool split)
{
    s->tones[i] = (sinpos_tone){.schedule = SINPOS_EXPLICIT,
                                .scale = 1,
                                .factor = 1,
                                .value = plain_frequency(s, r),
                                .amplitude = 1,
                                .sin_column = (ptrdiff_t)(split ? i : 2 * i),
                                .cos_column = (ptrdiff_t)(split ? TONES + i : 2 * i + 1)};
    if (s->kind == PHASES)
        s->tones[i].phase = random_unit(r);
    s->more[i] = (sinpos_tone_more){.struct_size = sizeof(sinpos_tone_more), .phase_divisor = 1};
    if (s->kind == FURTHER) {
        s->listens[i] = (sinpos_listen){.axis = 1, .divisor = 1, .coefficient = {random_unit(r)}};
        s->more[i].listens = &s->listens[i];
        s->more[i].n_listens = 1;
        s->tones[i].more = &s->more[i];
    }
    memset(&s->aims[i], 0, sizeof s->aims[i]);
}

static void sum_of(mpfr_t to, double first, const double *parts)
{
    mpfr_set_d(to, first, MPFR_RNDN);
    for (int k = 0; k < SINPOS_PARTS; k++)
        mpfr_add_d(to, to, parts[k], MPFR_RNDN);
}

/* turn = phase and further coordinates */
static void set_turn(const sheet *s, size_t i)
{
    mpfr_set_d(turn, s->tones[i].phase, MPFR_RNDN);
    if (s->kind != FURTHER)
        return;
    mpfr_set_d(scratch, s->listens[i].coefficient[0], MPFR_RNDN);
    mpfr_mul_si(scratch, scratch, (long)s->integers[1], MPFR_RNDN);
    mpfr_add(turn, turn, scratch, MPFR_RNDN);
}

/* value = sine or cosine of the tone's angle, negated and weighted; the amplitude left out. */
static void weighted_value(const sheet *s, size_t i, bool cosine_column)
{
    const bool cosine = cosine_column != is_gradient(s);
    set_turn(s, i);
    sum_of(value, s->tones[i].value, s->more[i].value);
    set_position(scratch, s);
    mpfr_mul(angle, value, scratch, MPFR_RNDN);
    mpfr_add(angle, angle, turn, MPFR_RNDN);
    if (s->operation == SINPOS_GRADIENT_POSITION)
        mpfr_swap(scratch, value);
    if (cosine)
        mpfr_cos(value, angle, MPFR_RNDN);
    else
        mpfr_sin(value, angle, MPFR_RNDN);
    if (is_gradient(s)) {
        mpfr_mul(value, value, scratch, MPFR_RNDN);
        mpfr_setsign(value, value, mpfr_signbit(value) != cosine_column, MPFR_RNDN);
    }
}

/* The largest error of the tone's sine or cosine: docs/numerics.md, the table of section 2 and [B1] to [B5]. */
static double admitted(const sheet *s, const sinpos_tone *t, bool cosine, double amplitude, double weight, double size)
{
    const bool best = s->kind == ONE_PART || s->kind == SMALL_ANGLES;
    const double reach = s->path == ROTATED ? fabs((double)s->centre) + REACH : size_of_position(s);
    double e = amplitude * (s->type == SINPOS_F64 ? E_PAIR : E_DOUBLE);
    if (s->path == LADDER)
        return E_LADDER * size;
    if (is_gradient(s))
        return 2 * e * weight;
    if (s->path == ROTATED && s->type != SINPOS_F64 && !best)
        e *= 2;
    if (!cosine && !has_phase(s) && s->kind != TWO_PARTS)
        e *= fmin(1, 4 * fabs(t->value) * 2 / 3.141592653589793 * reach);
    return e;
}

static double random_size(random_state *r, sinpos_type type)
{
    static const double below_two = 0x1.fffp0;
    const int least = type == SINPOS_F64 ? -290 : type == SINPOS_F16 ? -20 : -120;
    const double significand = random_chance(r, 30) ? below_two : random_chance(r, 30) ? 1 : 1 + random_unit(r);
    return ldexp(significand, random_chance(r, 70) ? -1 - (int)random_below(r, 3) : -(int)random_below(r, -least));
}

/* An angle whose sine or cosine is `value`, some turns away from 0. */
static bool solve_angle(const sheet *s, random_state *r, bool cosine, double frequency)
{
    if (mpfr_cmpabs_ui(value, 1) >= 0)
        return false;
    if (cosine)
        mpfr_acos(angle, value, MPFR_RNDN);
    else
        mpfr_asin(angle, value, MPFR_RNDN);
    if (s->kind == SMALL_ANGLES)
        return true;
    mpfr_const_pi(scratch, MPFR_RNDN);
    if (random_chance(r, 50)) {
        mpfr_neg(angle, angle, MPFR_RNDN);
        if (!cosine)
            mpfr_add(angle, angle, scratch, MPFR_RNDN);
    }
    if (!cosine && mpfr_cmp_d(angle, 0x1p-20) < 0 && random_chance(r, 50))
        return true; /* a small angle among large ones */
    mpfr_mul_ui(scratch, scratch, 2, MPFR_RNDN);
    mpfr_mul_d(scratch, scratch, floor(frequency * size_of_position(s) / 6.28), MPFR_RNDN);
    mpfr_add(angle, angle, scratch, MPFR_RNDN);
    return true;
}

static void aim_at(sheet *s, size_t i, bool cosine)
{
    const sinpos_tone *t = &s->tones[i];
    aim *a = &s->aims[i];
    weighted_value(s, i, cosine);
    sum_of(scratch, t->amplitude, s->more[i].amplitude);
    const double amplitude = fabs(mpfr_get_d(scratch, MPFR_RNDN));
    mpfr_mul(value, value, scratch, MPFR_RNDN);
    near_parts(value, &a->high, &a->low, 1);
    const double weight = s->operation == SINPOS_GRADIENT_POSITION ? fabs(t->value) : size_of_position(s);
    const double bound = admitted(s, t, cosine, amplitude, weight, fabs(a->high));
    a->cosine = cosine;
    if (s->path == LADDER)
        a->bound[ERROR_LADDER_DD] = bound;
    else
        a->bound[ERROR_DIRECT] = a->bound[ERROR_ROTATED] = a->bound[ERROR_DD] = bound;
    if (s->path == DIRECT && (s->kind == ONE_PART || s->kind == REAL_POSITION))
        a->bound[ERROR_DIRECT_FLOATS] = E_FLOAT;
    if (s->path == ROTATED && s->kind != AMPLITUDES && s->kind != AMPLITUDE_SUMS)
        a->bound[ERROR_ROTATED_FLOATS] = bound / admitted(s, t, true, 1, weight, 1) * E_FLOAT;
}

/* Makes tone i one whose element lies near a tie; leaves it as it is where that cannot be. */
static void place_target(sheet *s, random_state *r, size_t i)
{
    const bool amplitudes = s->kind == AMPLITUDES || s->kind == AMPLITUDE_SUMS || is_gradient(s);
    const bool cosine = random_chance(r, 50), function_is_cosine = cosine != is_gradient(s);
    const bool minus = cosine && is_gradient(s);
    const double frequency = s->kind == SMALL_ANGLES ? 0x1p-20 : ldexp(0.3 + random_unit(r), -(int)random_below(r, 6));
    sinpos_tone t = s->tones[i];
    t.value = frequency;
    if (amplitudes)
        t.amplitude = random_size(r, s->type);
    const double weight = s->operation == SINPOS_GRADIENT_POSITION ? frequency
                          : s->operation == SINPOS_GRADIENT_THETA  ? size_of_position(s)
                                                                   : 1;
    double most = fabs(t.amplitude) * weight;
    const bool small_sine = s->kind == SMALL_ANGLES && !cosine, small_cosine = s->kind == SMALL_ANGLES && cosine;
    if (small_sine)
        most *= 0.3;
    if (most > 0.9 * sinpos_type_limit(s->type))
        return;
    double half, bound = admitted(s, &t, cosine, fabs(t.amplitude), weight, 0);
    const double size =
        small_cosine ? 0.97 + 0.03 * random_unit(r) : near_size(r, s->type, most, near_limit(s->type) * bound);
    const double below = near_tie(r, s->type, size, &half);
    if (small_sine)
        t.value = size / size_of_position(s);
    bound = admitted(s, &t, cosine, fabs(t.amplitude), weight, size);
    mpfr_set_d(value, below, MPFR_RNDN);
    mpfr_add_d(value, value, half, MPFR_RNDN);
    mpfr_add_d(value, value, near_offset(r) * fmin(bound, half / 4), MPFR_RNDN);
    if (s->kind != SMALL_ANGLES && s->path != LADDER && random_chance(r, 8))
        mpfr_set_d(value, near_offset(r) * bound, MPFR_RNDN); /* the sign is in doubt */
    if (!small_cosine && random_chance(r, 50))
        mpfr_neg(value, value, MPFR_RNDN);
    mpfr_set(angle, value, MPFR_RNDN);
    mpfr_div_d(value, value, minus ? -t.amplitude * weight : t.amplitude * weight, MPFR_RNDN);
    mpfr_t target;
    mpfr_init2(target, PRECISION);
    mpfr_set(target, angle, MPFR_RNDN);
    if (solve_angle(s, r, function_is_cosine, frequency)) {
        s->tones[i].amplitude = t.amplitude;
        set_turn(s, i);
        mpfr_sub(angle, angle, turn, MPFR_RNDN);
        set_position(scratch, s);
        mpfr_div(angle, angle, scratch, MPFR_RNDN);
        near_parts(angle, &s->tones[i].value, s->more[i].value, 3);
        if (s->kind == AMPLITUDE_SUMS || is_gradient(s)) {
            weighted_value(s, i, cosine);
            mpfr_div(value, target, value, MPFR_RNDN);
            near_parts(value, &s->tones[i].amplitude, s->more[i].amplitude, 2);
        }
        s->tones[i].more = &s->more[i];
        if (fabs(s->tones[i].amplitude) > 0.9 * sinpos_type_limit(s->type))
            plain_tone(s, r, i, s->tones[i].cos_column - s->tones[i].sin_column == TONES);
        else if (s->kind != SMALL_ANGLES || fabs(s->tones[i].value) > 0x1p-55)
            aim_at(s, i, cosine);
    }
    mpfr_clear(target);
}

static void make_sheet(sheet *s, random_state *r, sheet_kind kind, sinpos_type type, sheet_path path)
{
    s->kind = kind;
    s->type = type;
    s->path = path;
    s->n = path == LADDER ? 4 : TONES; /* the ladder takes elements by themselves */
    s->operation = kind == GRADIENT_POSITION ? SINPOS_GRADIENT_POSITION
                   : kind == GRADIENT_THETA  ? SINPOS_GRADIENT_THETA
                                             : SINPOS_FILL;
    choose_position(s, r);
    const bool split = random_chance(r, 50);
    for (size_t i = 0; i < s->n; i++)
        plain_tone(s, r, i, split);
    const size_t step = path == LADDER ? 1 : APART;
    for (size_t i = random_below(r, step); i < s->n; i += step)
        place_target(s, r, i);
    s->plan = NULL;
    const sinpos_status status =
        sinpos_plan_create_tones(&s->plan, 2 * TONES, s->kind == FURTHER ? 2 : 1, s->tones, s->n, type, NULL);
    if (status != SINPOS_OK) {
        printf("# %s: %s\n", kind_names[kind], sinpos_strerror(status));
        exit(1);
    }
    for (size_t i = 0; i < s->plan->n_padded; i++) /* what is the ladder's from the start */
        if (s->plan->tone_of[i] != UINT32_MAX && isinf(s->plan->bound[i]))
            memset(&s->aims[s->plan->tone_of[i]], 0, sizeof *s->aims);
}

static bool is_target(const sheet *s, size_t i)
{
    return s->aims[i].bound[ERROR_DIRECT] + s->aims[i].bound[ERROR_LADDER_DD] != 0;
}

static void ask_oracle(sheet *s)
{
    const oracle_position p = {s->p.is_real, s->p.integer, s->p.real}, other = {false, s->integers[1], 0};
    for (size_t i = 0; i < s->n; i++) {
        if (!is_target(s, i))
            continue;
        oracle_tone *t = oracle_tone_create(&s->tones[i]);
        oracle_pair pair;
        oracle_tone_place(t, &other);
        oracle_evaluate(t, p, s->operation, s->type, &pair);
        for (int k = 0; k < ORACLE_TYPES; k++)
            if (oracle_types[k] == s->type)
                s->want[i] = s->aims[i].cosine ? pair.cos_bits[k] : pair.sin_bits[k];
        oracle_tone_destroy(t);
    }
}

/* --------------------------------------------------------------------------------------------------- Runs */

typedef struct tally {
    uint64_t targets, met, wrong, exposed[ISAS]; /* elements; and how often a kernel came by */
} tally;

static void run_sheet(const sheet *s, bool add, void *out)
{
    const bool real = s->p.is_real;
    const int64_t away = s->p.integer - s->centre, size = away < 0 ? -away : away, half = size < 2 ? 2 : size;
    sinpos_rows rows = {
        .struct_size = sizeof rows, .n = 1, .integers = real ? NULL : s->integers, .reals = real ? s->reals : NULL};
    if (s->path == ROTATED)
        rows =
            (sinpos_rows){.struct_size = sizeof(sinpos_rows), .n = (size_t)(2 * half + 1), .first = s->centre - half};
    for (size_t i = 0; i < rows.n * 2 * TONES; i++) /* -0, to which an element is added unchanged */
        store_bits(out, s->type, i, (uint64_t)1 << (8 * type_size(s->type) - 1));
    sinpos_internal_force_rung(s->path == LADDER ? 1 : 0);
    const sinpos_operation operation = add && s->operation == SINPOS_FILL ? SINPOS_ADD : s->operation;
    if (sinpos_run(s->plan, operation, &rows, s->type, out, 2 * TONES, 1) != SINPOS_OK)
        exit(2);
    sinpos_internal_force_rung(0);
    if (s->path == ROTATED)
        memmove(out, (char *)out + (size_t)(half + away) * 2 * TONES * type_size(s->type),
                2 * TONES * type_size(s->type));
}

static unsigned count_wrong(const sheet *s, const void *row, const char *what, uint64_t number)
{
    unsigned wrong = 0;
    for (size_t i = 0; i < s->n; i++) {
        const size_t column = (size_t)(s->aims[i].cosine ? s->tones[i].cos_column : s->tones[i].sin_column);
        const uint64_t got = is_target(s, i) ? load_bits(row, s->type, column) : 0;
        if (!is_target(s, i) || got == s->want[i])
            continue;
        if (wrong++ == 0 && what != NULL) {
            printf("# --case %" PRIu64 ": %s %s, %s, isa %s, position %" PRId64 " %a: 0x%" PRIx64 " want 0x%" PRIx64
                   ", real value %a + %a, bound %a\n",
                   number, kind_names[s->kind], type_name(s->type), what, sinpos_isa(), s->p.integer, s->p.real, got,
                   s->want[i], s->aims[i].high, s->aims[i].low, s->aims[i].bound[ERROR_DIRECT]);
            print_tone(stdout, &s->tones[i]);
        }
    }
    return wrong;
}

static void check_sheet(const sheet *s, uint64_t number, tally *t)
{
    static const double shares[] = {0, NEARLY_ALL, -NEARLY_ALL, 2, -2};
    static _Alignas(64) char out[(2 * REACH + 1) * 2 * TONES * sizeof(double)];
    for (int i = 0; isa_names[i] != NULL; i++) {
        if (sinpos_isa_cap(isa_names[i]) != SINPOS_OK)
            continue;
        for (int k = 0; k < 5; k++) {
            char what[40];
            erring e = {.plan = s->plan, .p = s->p, .aims = s->aims, .share = shares[k]};
            (void)snprintf(what, sizeof what, "%s, share %g", path_names[s->path], shares[k]);
            erring_set(&e);
            run_sheet(s, (number + (uint64_t)k) % 2 == 0, out);
            erring_set(NULL);
            const unsigned wrong = count_wrong(s, out, k < 3 ? what : NULL, number);
            t->wrong += k < 3 ? wrong : 0;
            t->exposed[i] += k < 3 ? 0 : wrong;
            for (int place = 0; place < ERROR_PLACES; place++) {
                t->met += k == 0 ? e.met[place] : 0;
                t->wrong += e.below[place] + e.beyond[place];
                if (e.below[place] + e.beyond[place] > 0)
                    printf("# --case %" PRIu64 ": %s %s, %s, isa %s: %s than the kernels may err\n", number,
                           kind_names[s->kind], type_name(s->type), what, sinpos_isa(),
                           e.below[place] > 0 ? "judged by less" : "errs by more");
            }
        }
    }
}

/* Blocks hold the integers of one coordinate; the ladder's first rung is none for derivatives. */
static bool has_path(sheet_kind kind, sheet_path path)
{
    const bool gradient = kind == GRADIENT_POSITION || kind == GRADIENT_THETA;
    if (path != ROTATED)
        return path == DIRECT || !gradient;
    return kind != REAL_POSITION && kind != FURTHER && kind != GRADIENT_POSITION && kind != GRADIENT_THETA;
}

/* Did every instruction set go wrong with twice the error? */
static bool all_exposed(const tally *t)
{
    bool exposed = true;
    for (int i = 0; isa_names[i] != NULL; i++)
        exposed = exposed && (t->exposed[i] > 0 || sinpos_isa_cap(isa_names[i]) != SINPOS_OK);
    return exposed;
}

/* `count` sheets, and as many again, up to MOST_ROUNDS times, while twice the error changes nothing. */
static void check_path(uint64_t seed, uint64_t first, uint64_t count, uint64_t only, sheet_kind kind, sinpos_type type,
                       sheet_path path)
{
    static sheet s;
    tally t = {0};
    for (uint64_t n = first; n < first + MOST_ROUNDS * count; n++) {
        if (only == UINT64_MAX && n > first && (n - first) % count == 0 && all_exposed(&t))
            break;
        if (only != UINT64_MAX && n != only)
            continue;
        random_state r = random_seed(seed, n);
        make_sheet(&s, &r, kind, type, path);
        ask_oracle(&s);
        check_sheet(&s, n, &t);
        for (size_t i = 0; i < s.n; i++)
            t.targets += is_target(&s, i);
        sinpos_plan_destroy(s.plan);
    }
    if (only != UINT64_MAX && t.targets == 0)
        return;
    (void)tap_ok(t.met > 0 && t.wrong == 0 && (all_exposed(&t) || only != UINT64_MAX),
                 "%s %s %s: %" PRIu64 " near ties, %" PRIu64 " wrong, %" PRIu64 " with twice the error",
                 kind_names[kind], type_name(type), path_names[path], t.targets, t.wrong,
                 t.exposed[0] + t.exposed[1] + t.exposed[2] + t.exposed[3] + t.exposed[4]);
}

int main(int argc, char **argv)
{
    uint64_t seed = 1, count = 40, only = UINT64_MAX, first = 0;
    for (int i = 1; i + 1 < argc; i += 2)
        if (strcmp(argv[i], "--seed") == 0)
            seed = strtoull(argv[i + 1], NULL, 0);
        else if (strcmp(argv[i], "--count") == 0)
            count = strtoull(argv[i + 1], NULL, 0);
        else if (strcmp(argv[i], "--case") == 0)
            only = strtoull(argv[i + 1], NULL, 0);
        else
            return 2;
    mpfr_inits2(PRECISION, angle, value, turn, scratch, (mpfr_ptr)NULL);
    for (int k = 0; k < KINDS; k++)
        for (int t = 0; t < N_TYPES; t++)
            for (int i = 0; i < PATHS; i++, first += MOST_ROUNDS * count)
                if (has_path((sheet_kind)k, (sheet_path)i))
                    check_path(seed, first, count, only, (sheet_kind)k, all_types[t], (sheet_path)i);
    mpfr_clears(angle, value, turn, scratch, (mpfr_ptr)NULL);
    mpfr_free_cache();
    oracle_cleanup();
    return tap_done();
}
