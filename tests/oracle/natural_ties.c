/*
 * natural_ties - elements of ordinary tables and rotated heads that lie within about one bound of a tie, from
 * near_ties.txt: right as they are and where all kernels err by half of their bounds, on every instruction set; wrong
 * where they err by twice their bounds in one direction or the other, else the case is too easy. All other elements of
 * their rows and blocks must stay as they are, too.
 *
 *   natural_ties FILE
 *   natural_ties find fill|rotate TYPE direct|block BASE DIM MOST   looks for up to MOST more and prints their lines
 *
 * Exit: 0 as expected, 1 not, 2 usage.   Covers [P1] [P2].
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <mpfr.h>

#include "erring.h"
#include "oracle.h"
#include "support.h"
#include "tap.h"

enum { MOST_DIM = 4096, ROWS = 2 * REACH + 1 };

/* A block is that of 33 rows around its centre; a row by itself is its own. */
typedef struct natural_tie {
    bool rotary, block, cosine;
    sinpos_type type;
    double base;
    size_t dim, tone;
    int64_t position, centre;
    uint64_t u, v, bits; /* the pair's elements, in the columns of the cosine and the sine */
} natural_tie;

/* --------------------------------------------------------------------------------------------------- Runs */

static sinpos_plan *plan_of(const natural_tie *t)
{
    sinpos_plan *plan;
    sinpos_spec spec = SINPOS_SPEC_INIT;
    spec.dim = t->dim;
    spec.base = t->base;
    spec.types = t->type;
    if (sinpos_plan_create(&plan, &spec) != SINPOS_OK)
        exit(2);
    return plan;
}

/* The rows of a case, as they are asked for; pairs are those of `pairs`, or all the case's. */
static void run(const natural_tie *t, const sinpos_plan *plan, double share, const void *pairs, void *out)
{
    const sinpos_rows rows =
        t->block ? (sinpos_rows){.struct_size = sizeof(sinpos_rows), .n = ROWS, .first = t->centre - REACH}
                 : (sinpos_rows){.struct_size = sizeof(sinpos_rows), .n = 1, .integers = &t->position};
    const size_t bytes = rows.n * t->dim * type_size(t->type);
    sinpos_status status;
    erring_everywhere(share);
    if (t->rotary && pairs != NULL)
        memcpy(out, pairs, bytes);
    for (size_t i = 0; i < rows.n * t->dim && t->rotary && pairs == NULL; i++)
        store_bits(out, t->type, i, i % 2 ? t->u : t->v);
    if (t->rotary)
        status = sinpos_rotate(plan, &rows, SINPOS_FORWARD, 1, t->type, out, t->dim, t->dim, 1);
    else
        status = sinpos_run(plan, SINPOS_FILL, &rows, t->type, out, t->dim, 1);
    erring_everywhere(0);
    if (status != SINPOS_OK)
        exit(2);
}

static uint64_t element_of(const natural_tie *t, const void *out)
{
    const size_t row = t->block ? (size_t)(t->position - t->centre + REACH) : 0;
    return load_bits(out, t->type, row * t->dim + 2 * t->tone + t->cosine);
}

static uint64_t from_oracle(const natural_tie *t)
{
    const sinpos_tone tone = {.schedule = SINPOS_GEOMETRIC,
                              .base = t->base,
                              .base_divisor = 1,
                              .index = (double)t->tone,
                              .divisor = (double)t->dim / 2,
                              .scale = 1,
                              .factor = 1,
                              .amplitude = 1};
    const oracle_position p = {false, t->position, 0};
    oracle_tone *o = oracle_tone_create(&tone);
    uint64_t bits = 0;
    if (t->rotary) {
        const uint64_t in[2] = {t->v, t->u};
        uint64_t pair[2];
        oracle_rotate(o, p, SINPOS_FORWARD, t->type, in, pair);
        bits = pair[t->cosine];
    } else {
        oracle_pair pair;
        oracle_evaluate(o, p, SINPOS_FILL, t->type, &pair);
        for (int k = 0; k < ORACLE_TYPES; k++)
            if (oracle_types[k] == t->type)
                bits = t->cosine ? pair.cos_bits[k] : pair.sin_bits[k];
    }
    oracle_tone_destroy(o);
    return bits;
}

/* Pairs turned in float err by up to 0.67 of their bound themselves. */
static double admitted_share(const natural_tie *t)
{
    return t->rotary && (t->type == SINPOS_F16 || t->type == SINPOS_BF16) ? 0.25 : 0.5;
}

static bool holds(const natural_tie *t, const char *line)
{
    static _Alignas(64) char out[ROWS * MOST_DIM * sizeof(double)], plain[sizeof out];
    const size_t bytes = (t->block ? ROWS : 1) * t->dim * type_size(t->type);
    const double shares[] = {0, admitted_share(t), -admitted_share(t), 2, -2};
    sinpos_plan *plan = plan_of(t);
    bool fine = true;
    for (int i = 0; isa_names[i] != NULL; i++) {
        unsigned exposed = 0;
        if (sinpos_isa_cap(isa_names[i]) != SINPOS_OK)
            continue;
        for (int k = 0; k < 5; k++) {
            run(t, plan, shares[k], NULL, k == 0 ? plain : out);
            const uint64_t got = element_of(t, k == 0 ? plain : out);
            if ((k == 1 || k == 2) && memcmp(out, plain, bytes) != 0) {
                fine = false;
                if (line != NULL)
                    printf("# %s# isa %s, share %g: elements changed\n", line, isa_names[i], shares[k]);
            }
            exposed += k > 2 && got != t->bits;
            if (k < 3 && got != t->bits) {
                fine = false;
                if (line != NULL)
                    printf("# %s# isa %s, share %g: 0x%" PRIx64 "\n", line, isa_names[i], shares[k], got);
            }
        }
        if (exposed == 0 && line != NULL)
            printf("# %s# isa %s: too easy\n", line, isa_names[i]);
        fine = fine && exposed > 0;
    }
    sinpos_plan_destroy(plan);
    return fine;
}

/* --------------------------------------------------------------------------------------------------- Lines */

static bool parse_type(const char *name, sinpos_type *type)
{
    for (int k = 0; k < N_TYPES; k++)
        if (strcmp(name, type_name(all_types[k])) == 0) {
            *type = all_types[k];
            return true;
        }
    return false;
}

static void print_line(const natural_tie *t)
{
    printf("%s %s %s %g %zu %zu %" PRId64 " %" PRId64 " %s 0x%" PRIx64 " 0x%" PRIx64 " 0x%" PRIx64 "\n",
           t->rotary ? "rotate" : "fill", type_name(t->type), t->block ? "block" : "direct", t->base, t->dim, t->tone,
           t->position, t->centre, t->cosine ? "cos" : "sin", t->u, t->v, t->bits);
    fflush(stdout);
}

static bool parse(const char *line, natural_tie *t)
{
    char work[8], type[8], path[8], column[8], bits[3][24];
    if (sscanf(line, "%7s %7s %7s %lf %zu %zu %" SCNd64 " %" SCNd64 " %7s %23s %23s %23s", work, type, path, &t->base,
               &t->dim, &t->tone, &t->position, &t->centre, column, bits[0], bits[1], bits[2]) != 12)
        return false;
    t->rotary = strcmp(work, "rotate") == 0;
    t->block = strcmp(path, "block") == 0;
    t->cosine = strcmp(column, "cos") == 0;
    t->u = strtoull(bits[0], NULL, 16);
    t->v = strtoull(bits[1], NULL, 16);
    t->bits = strtoull(bits[2], NULL, 16);
    return parse_type(type, &t->type) && t->dim <= MOST_DIM && 2 * t->tone < t->dim;
}

static int replay(const char *path)
{
    char line[256];
    unsigned count[2][N_TYPES][2] = {0}, wrong = 0;
    FILE *f = fopen(path, "r");
    if (f == NULL)
        return 2;
    while (fgets(line, sizeof line, f)) {
        natural_tie t;
        if (line[0] == '#' || line[0] == '\n')
            continue;
        if (!parse(line, &t) || from_oracle(&t) != t.bits) {
            printf("# cannot be read, or not what the oracle says: %s", line);
            wrong++;
            continue;
        }
        wrong += !holds(&t, line);
        for (int k = 0; k < N_TYPES; k++)
            count[t.rotary][k][t.block] += all_types[k] == t.type;
    }
    fclose(f);
    (void)tap_ok(wrong == 0, "natural near ties: %u lines wrong or too easy", wrong);
    for (int k = 0; k < N_TYPES; k++)
        for (int rotary = 0; rotary < 2; rotary++)
            for (int block = 0; block < 2; block++)
                if (!(rotary && block && all_types[k] == SINPOS_F64))
                    (void)tap_ok(count[rotary][k][block] >= 10, "%s %s %s: %u cases", rotary ? "rotate" : "fill",
                                 type_name(all_types[k]), block ? "in blocks" : "direct", count[rotary][k][block]);
    return tap_done();
}

/* -------------------------------------------------------------------------------------------------- The search */

static unsigned found;

static void consider(natural_tie t)
{
    t.bits = from_oracle(&t);
    if (!holds(&t, NULL))
        return;
    print_line(&t);
    found++;
}

/* All rows of a run that change when the kernels err by twice their bounds. */
static void search_table(natural_tie t, unsigned most)
{
    static _Alignas(64) char out[3][ROWS * MOST_DIM * sizeof(double)], pairs[ROWS * MOST_DIM * sizeof(double)];
    const size_t rows = t.block ? ROWS : 1;
    sinpos_plan *plan = plan_of(&t);
    random_state r = random_seed((uint64_t)t.dim, (uint64_t)t.base);
    while (found < most) {
        t.position = t.centre = (int64_t)random_below(&r, random_chance(&r, 70) ? 1 << 20 : (size_t)1 << 36) + ROWS;
        for (size_t i = 0; i < rows * t.dim && t.rotary; i++)
            store_bits(pairs, t.type, i, oracle_round_double(t.type, random_sign(&r) * random_spread(&r, -3, 0)));
        for (int k = 0; k < 3; k++)
            run(&t, plan, k == 0 ? 0 : k == 1 ? 2 : -2, pairs, out[k]);
        for (size_t i = 0; i < rows * t.dim && found < most; i++) {
            const uint64_t bits = load_bits(out[0], t.type, i);
            if (bits == load_bits(out[1], t.type, i) && bits == load_bits(out[2], t.type, i))
                continue;
            natural_tie one = t;
            one.position = t.block ? t.centre - REACH + (int64_t)(i / t.dim) : t.position;
            one.tone = i % t.dim / 2;
            one.cosine = i % 2;
            if (t.rotary) {
                one.v = load_bits(pairs, t.type, i / 2 * 2);
                one.u = load_bits(pairs, t.type, i / 2 * 2 + 1);
            }
            consider(one);
        }
    }
    sinpos_plan_destroy(plan);
}

/* theta / 2 pi = p_k / q_k + error_k: convergents with denominators below 2^36. */
typedef struct convergents {
    int n;
    int64_t q[80];
    long double error[80]; /* q theta / 2 pi - p */
} convergents;

static void set_convergents(convergents *c, double base, size_t dim, size_t tone)
{
    mpfr_t x, rest, whole, error;
    mpfr_inits2(400, x, rest, whole, error, (mpfr_ptr)NULL);
    mpfr_set_d(x, -2.0 * (double)tone / (double)dim, MPFR_RNDN); /* dim is a power of two */
    mpfr_set_d(rest, base, MPFR_RNDN);
    mpfr_pow(x, rest, x, MPFR_RNDN);
    mpfr_const_pi(rest, MPFR_RNDN);
    mpfr_div(x, x, rest, MPFR_RNDN);
    mpfr_div_2ui(x, x, 1, MPFR_RNDN);
    mpfr_set(rest, x, MPFR_RNDN);
    int64_t before = 1, q = 0;
    for (c->n = 0; c->n < 80;) {
        mpfr_floor(whole, rest);
        if (mpfr_cmp_d(whole, 0x1p36) > 0)
            break;
        const int64_t next = mpfr_get_si(whole, MPFR_RNDN) * q + before;
        if (next > (int64_t)1 << 36)
            break;
        before = q;
        q = next;
        mpfr_mul_si(error, x, (long)q, MPFR_RNDN);
        mpfr_round(whole, error);
        mpfr_sub(error, error, whole, MPFR_RNDN);
        c->q[c->n] = q;
        c->error[c->n++] = mpfr_get_ld(error, MPFR_RNDN);
        mpfr_floor(whole, rest);
        mpfr_sub(rest, rest, whole, MPFR_RNDN);
        mpfr_ui_div(rest, 1, rest, MPFR_RNDN);
    }
    mpfr_clears(x, rest, whole, error, (mpfr_ptr)NULL);
}

/* A position whose angle is so many turns, nearly (Ostrowski); the turns that are left. */
static int64_t position_near(const convergents *c, long double turns, long double *left)
{
    int64_t p = 0;
    for (int k = 0; k < c->n; k++) {
        if ((turns > 0) != (c->error[k] > 0))
            continue;
        long double times = floorl(turns / c->error[k]);
        if (times * (long double)c->q[k] > 0x1p37L)
            continue;
        p += (int64_t)times * c->q[k];
        turns -= times * c->error[k];
    }
    *left = turns;
    return p;
}

/* float16 and bfloat16: elements near ties are too rare to be met in tables; positions are solved for. */
static void search_positions(natural_tie t, unsigned most)
{
    static convergents c;
    const int digits = t.type == SINPOS_F16 ? 11 : 8;
    for (t.tone = 3; t.tone < t.dim / 2 && found < most; t.tone++) {
        set_convergents(&c, t.base, t.dim, t.tone);
        for (int exponent = -4; exponent < 0; exponent++)
            for (int units = 1 << (digits - 1); units < 1 << digits && found < most; units++)
                for (int turn = 0; turn < 4; turn++) {
                    const long double tie = ldexpl(units + 0.5L, exponent - digits + 1);
                    const long double pi = 3.14159265358979323846L, a = asinl(tie) / (2 * pi);
                    const long double turns[] = {a, 0.5L - a, 0.25L - a, a - 0.25L};
                    long double left;
                    t.position = position_near(&c, turns[turn], &left);
                    t.cosine = turn > 1;
                    t.centre = t.position + (t.block ? (int64_t)(units % (2 * REACH)) - REACH : 0);
                    if (fabsl(left) * 2 * pi < 0x1p-50L && t.position > ROWS && t.position < (int64_t)1 << 39)
                        consider(t);
                }
    }
}

int main(int argc, char **argv)
{
    natural_tie t = {0};
    int status = 2;
    if (argc == 2) {
        status = replay(argv[1]);
    } else if (argc == 8 && strcmp(argv[1], "find") == 0 && parse_type(argv[3], &t.type)) {
        const unsigned most = (unsigned)strtoul(argv[7], NULL, 0);
        t.rotary = strcmp(argv[2], "rotate") == 0;
        t.block = strcmp(argv[4], "block") == 0;
        t.base = strtod(argv[5], NULL);
        t.dim = strtoul(argv[6], NULL, 0);
        if (!t.rotary && (t.type == SINPOS_F16 || t.type == SINPOS_BF16))
            search_positions(t, most);
        else
            search_table(t, most);
        status = 0;
    }
    mpfr_free_cache();
    oracle_cleanup();
    return status;
}
