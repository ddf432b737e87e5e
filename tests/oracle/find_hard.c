/*
 * find_hard - looks for elements that lie close to a rounding boundary, and prints lines for hard_cases.txt.
 *
 *   find_hard convergents BASE DIM MIN   for every tone of the geometric schedule: positions q < 2^63 from the continued
 *                                        fraction of 2 theta / pi (convergents, intermediate fractions and small
 *                                        multiples), where the sine or the cosine is tiny; binary64 elements within
 *                                        2^-MIN of a tie
 *   find_hard reals MIN                  the same for theta = 1 and real positions m 2^e < 2^63, m < 2^53
 *   find_hard walk BASE DIM I FIRST N TYPE MIN   N consecutive positions, by rotation in binary128
 */
#define _DEFAULT_SOURCE
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <mpfr.h>

#include "oracle.h"
#include "support.h"

#define PRECISION 512

static sinpos_tone geometric_tone(double base, size_t dim, size_t i)
{
    return (sinpos_tone){.schedule = SINPOS_GEOMETRIC,
                         .base = base,
                         .base_divisor = 1,
                         .index = (double)i,
                         .divisor = (double)dim / 2,
                         .scale = 1,
                         .factor = 1,
                         .amplitude = 1};
}

static void theta_mpfr(mpfr_t theta, const sinpos_tone *t)
{
    mpfr_t e;
    mpfr_init2(e, PRECISION);
    mpfr_set_d(e, -t->index, MPFR_RNDN);
    mpfr_div_d(e, e, t->divisor, MPFR_RNDN);
    mpfr_set_d(theta, t->base, MPFR_RNDN);
    mpfr_pow(theta, theta, e, MPFR_RNDN);
    mpfr_clear(e);
}

static void print_line(const char *what, oracle_tone *tone, oracle_position p, bool cosine, sinpos_type type,
                       double hardness)
{
    oracle_pair pair;
    oracle_evaluate(tone, p, SINPOS_FILL, type, &pair);
    uint64_t bits = 0;
    for (int k = 0; k < ORACLE_TYPES; k++)
        if (oracle_types[k] == type)
            bits = cosine ? pair.cos_bits[k] : pair.sin_bits[k];
    printf("%s ", what);
    if (p.is_real)
        printf("%a", p.real);
    else
        printf("%" PRId64, p.integer);
    printf(" %s %s 0x%0*" PRIx64 " %.1f\n", type_name(type), cosine ? "cos" : "sin", 2 * (int)type_size(type), bits,
           hardness);
}

static void consider(const char *what, oracle_tone *tone, oracle_position p, double least)
{
    for (int cosine = 0; cosine < 2; cosine++) {
        const double h = oracle_hardness(tone, p, cosine, SINPOS_F64);
        if (h >= least)
            print_line(what, tone, p, cosine, SINPOS_F64, h);
    }
}

/* Denominators below limit of good approximations to x > 0. */
static void walk_fraction(const mpfr_t x, double limit, void (*use)(uint64_t q, void *context), void *context)
{
    mpfr_t rest, whole;
    mpfr_inits2(PRECISION, rest, whole, (mpfr_ptr)NULL);
    mpfr_set(rest, x, MPFR_RNDN);
    uint64_t before = 1, q = 0; /* q_-2, q_-1 */
    for (int step = 0; step < 60 && !mpfr_zero_p(rest); step++) {
        mpfr_floor(whole, rest);
        const double a = mpfr_get_d(whole, MPFR_RNDN);
        for (double m = a > 6 ? a - 3 : 1; m <= a; m++)
            if (m * (double)q + (double)before < limit)
                use((uint64_t)m * q + before, context);
        if (!(a * (double)q + (double)before < limit))
            break;
        const uint64_t next = (uint64_t)a * q + before;
        before = q;
        q = next;
        for (uint64_t k = 2; k <= 16 && (double)q * (double)k < limit; k++)
            use(q * k, context);
        mpfr_sub(rest, rest, whole, MPFR_RNDN);
        mpfr_ui_div(rest, 1, rest, MPFR_RNDN);
    }
    mpfr_clears(rest, whole, (mpfr_ptr)NULL);
}

typedef struct search {
    char what[80];
    oracle_tone *tone;
    double least;
    int exponent; /* of real positions */
    bool real;
} search;

static void use(uint64_t q, void *context)
{
    const search *s = context;
    if (s->real)
        consider(s->what, s->tone, (oracle_position){true, 0, ldexp((double)q, s->exponent)}, s->least);
    else
        consider(s->what, s->tone, (oracle_position){false, (int64_t)q, 0}, s->least);
}

static void convergents(double base, size_t dim, double least)
{
    mpfr_t x, pi;
    mpfr_inits2(PRECISION, x, pi, (mpfr_ptr)NULL);
    mpfr_const_pi(pi, MPFR_RNDN);
    for (size_t i = 0; i < dim / 2; i++) {
        const sinpos_tone t = geometric_tone(base, dim, i);
        search s = {.tone = oracle_tone_create(&t), .least = least};
        (void)snprintf(s.what, sizeof s.what, "geometric %g %zu %zu", base, dim, i);
        theta_mpfr(x, &t);
        mpfr_mul_2ui(x, x, 1, MPFR_RNDN);
        mpfr_div(x, x, pi, MPFR_RNDN);
        walk_fraction(x, 0x1p63, use, &s);
        oracle_tone_destroy(s.tone);
    }
    mpfr_clears(x, pi, (mpfr_ptr)NULL);
}

static void reals(double least)
{
    const sinpos_tone t = {.schedule = SINPOS_EXPLICIT, .value = 1, .scale = 1, .factor = 1, .amplitude = 1};
    search s = {.tone = oracle_tone_create(&t), .least = least, .real = true, .what = "explicit 0x1p+0"};
    mpfr_t x, pi;
    mpfr_inits2(PRECISION, x, pi, (mpfr_ptr)NULL);
    mpfr_const_pi(pi, MPFR_RNDN);
    for (s.exponent = -52; s.exponent <= 10; s.exponent++) {
        mpfr_set_ui_2exp(x, 2, s.exponent, MPFR_RNDN);
        mpfr_div(x, x, pi, MPFR_RNDN);
        walk_fraction(x, 0x1p53, use, &s);
    }
    oracle_tone_destroy(s.tone);
    mpfr_clears(x, pi, (mpfr_ptr)NULL);
}

/* ------------------------------------------------------------------------------------------ Consecutive positions */

__extension__ typedef __float128 quad;

static quad quad_from(const mpfr_t x)
{
    mpfr_t rest;
    mpfr_init2(rest, PRECISION);
    mpfr_set(rest, x, MPFR_RNDN);
    quad sum = 0;
    for (int i = 0; i < 3; i++) {
        const double d = mpfr_get_d(rest, MPFR_RNDN);
        sum += d;
        mpfr_sub_d(rest, rest, d, MPFR_RNDN);
    }
    mpfr_clear(rest);
    return sum;
}

static void sincos_at(const mpfr_t theta, int64_t p, quad *s, quad *c)
{
    mpfr_t a, f, g;
    mpfr_inits2(PRECISION, a, f, g, (mpfr_ptr)NULL);
    mpfr_mul_si(a, theta, (long)p, MPFR_RNDN);
    mpfr_sin_cos(f, g, a, MPFR_RNDN);
    *s = quad_from(f);
    *c = quad_from(g);
    mpfr_clears(a, f, g, (mpfr_ptr)NULL);
}

static int digits_of(sinpos_type type)
{
    return type == SINPOS_F64 ? 53 : type == SINPOS_F32 ? 24 : type == SINPOS_F16 ? 11 : 8;
}

/* distance of |v| < 1 to the nearest tie of a format with so many digits; subnormals are not looked for */
static double tie_distance(quad v, int digits)
{
    const double d = (double)v;
    if (d == 0)
        return 1;
    int e;
    (void)frexp(d, &e);
    const double half = ldexp(1, e - digits - 1);
    const quad scaled = v / half;
    const quad back = scaled - (quad)(int64_t)(scaled / 2) * 2; /* -2 < back < 2; ties at +-1 */
    return fabs((double)((back < 0 ? -back : back) - 1)) * half;
}

static void walk(double base, size_t dim, size_t i, int64_t first, int64_t n, sinpos_type type, double least)
{
    const sinpos_tone t = geometric_tone(base, dim, i);
    oracle_tone *tone = oracle_tone_create(&t);
    mpfr_t theta;
    mpfr_init2(theta, PRECISION);
    theta_mpfr(theta, &t);
    quad s = 0, c = 0, ds, dc;
    sincos_at(theta, 1, &ds, &dc);
    const double limit = ldexp(1, -(int)least);
    char what[80];
    (void)snprintf(what, sizeof what, "geometric %g %zu %zu", base, dim, i);
    for (int64_t k = 0; k < n; k++) {
        if (k % 65536 == 0)
            sincos_at(theta, first + k, &s, &c);
        const quad pair[2] = {s, c};
        for (int cosine = 0; cosine < 2; cosine++) {
            if (tie_distance(pair[cosine], digits_of(type)) > limit)
                continue;
            const oracle_position p = {false, first + k, 0};
            const double h = oracle_hardness(tone, p, cosine, type);
            if (h >= least)
                print_line(what, tone, p, cosine, type, h);
        }
        const quad next = s * dc + c * ds;
        c = c * dc - s * ds;
        s = next;
    }
    mpfr_clear(theta);
    oracle_tone_destroy(tone);
}

static sinpos_type type_of(const char *name)
{
    for (int k = 0; k < N_TYPES; k++)
        if (strcmp(type_name(all_types[k]), name) == 0)
            return all_types[k];
    fprintf(stderr, "find_hard: no type %s\n", name);
    exit(2);
}

int main(int argc, char **argv)
{
    if (argc == 5 && strcmp(argv[1], "convergents") == 0) {
        convergents(strtod(argv[2], NULL), strtoul(argv[3], NULL, 0), strtod(argv[4], NULL));
    } else if (argc == 3 && strcmp(argv[1], "reals") == 0) {
        reals(strtod(argv[2], NULL));
    } else if (argc == 9 && strcmp(argv[1], "walk") == 0) {
        walk(strtod(argv[2], NULL), strtoul(argv[3], NULL, 0), strtoul(argv[4], NULL, 0), strtoll(argv[5], NULL, 0),
             strtoll(argv[6], NULL, 0), type_of(argv[7]), strtod(argv[8], NULL));
    } else {
        fprintf(stderr, "find_hard: the head of find_hard.c says how\n");
        return 2;
    }
    oracle_cleanup();
    return 0;
}
