/*
 * g(k) against MPFR, to 1e-15 g(0), whatever k and however it is asked for: in ranges, in lists, as reals, with amplitudes
 * that differ; and the same bytes from every instruction set, thread count and split.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cases.h"
#include <mpfr.h>

#include "random.h"
#include "sinpos_analysis.h"

enum { BITS = 400, SEED = 7151 };

typedef struct subject {
    size_t n; /* tones */
    double base;
    double amplitude; /* 0: they differ */
    sinpos_plan *plan;
    mpfr_t *theta;
    double *amplitudes;
} subject;

static subject subject_make(size_t n, double base, double amplitude)
{
    subject s = {n, base, amplitude, NULL, calloc(n, sizeof(mpfr_t)), calloc(n, sizeof(double))};
    sinpos_spec spec = SINPOS_SPEC_INIT;
    sinpos_tone *tones = calloc(n, sizeof *tones);
    random_state random = random_seed(SEED, n);
    mpfr_t exponent;
    mpfr_init2(exponent, BITS);
    assert_true(s.theta != NULL && s.amplitudes != NULL && tones != NULL);
    spec.dim = 2 * n;
    spec.base = base;
    assert_int_equal(sinpos_spec_tones(&spec, tones, n), SINPOS_OK);
    for (size_t i = 0; i < n; i++) {
        s.amplitudes[i] = amplitude != 0 ? amplitude : (double)(1 + random_below(&random, 1000)) / 7;
        tones[i].amplitude = s.amplitudes[i];
        mpfr_init2(s.theta[i], BITS);
        mpfr_set_si(exponent, -(long)i, MPFR_RNDN);
        mpfr_div_ui(exponent, exponent, (unsigned long)n, MPFR_RNDN);
        mpfr_set_d(s.theta[i], base, MPFR_RNDN);
        mpfr_pow(s.theta[i], s.theta[i], exponent, MPFR_RNDN);
    }
    assert_int_equal(sinpos_plan_create_tones(&s.plan, 2 * n, 1, tones, n, 0, NULL), SINPOS_OK);
    mpfr_clear(exponent);
    free(tones);
    return s;
}

static void subject_free(subject *s)
{
    for (size_t i = 0; i < s->n; i++)
        mpfr_clear(s->theta[i]);
    free(s->theta);
    free(s->amplitudes);
    sinpos_plan_destroy(s->plan);
}

/* (g - sum) / g(0) */
static double error_of(const subject *s, int64_t k, double rest, double g)
{
    mpfr_t sum, zero, term, at;
    mpfr_inits2(BITS, sum, zero, term, at, (mpfr_ptr)0);
    mpfr_set_d(sum, -g, MPFR_RNDN);
    mpfr_set_zero(zero, 1);
    mpfr_set_sj(at, k, MPFR_RNDN);
    mpfr_add_d(at, at, rest, MPFR_RNDN);
    for (size_t i = 0; i < s->n; i++) {
        mpfr_mul(term, at, s->theta[i], MPFR_RNDN);
        mpfr_cos(term, term, MPFR_RNDN);
        mpfr_mul_d(term, term, s->amplitudes[i], MPFR_RNDN);
        mpfr_mul_d(term, term, s->amplitudes[i], MPFR_RNDN);
        mpfr_add(sum, sum, term, MPFR_RNDN);
        mpfr_set_d(term, s->amplitudes[i], MPFR_RNDN);
        mpfr_sqr(term, term, MPFR_RNDN);
        mpfr_add(zero, zero, term, MPFR_RNDN);
    }
    mpfr_div(sum, sum, zero, MPFR_RNDN);
    const double error = fabs(mpfr_get_d(sum, MPFR_RNDN));
    mpfr_clears(sum, zero, term, at, (mpfr_ptr)0);
    return error;
}

static int64_t any_offset(random_state *random)
{
    const unsigned bits = (unsigned)random_below(random, 62) + 1;
    const int64_t k = (int64_t)(random_u64(random) >> (64 - bits));
    return random_chance(random, 50) ? -k : k;
}

static double check_window(const subject *s, int64_t first, size_t n)
{
    double *range = calloc(n, sizeof *range), *list = calloc(n, sizeof *list), worst = 0;
    int64_t *offsets = calloc(n, sizeof *offsets);
    const sinpos_rows rows = {.struct_size = sizeof rows, .n = n, .first = first},
                      listed = {.struct_size = sizeof listed, .n = n, .integers = offsets};
    assert_true(range != NULL && list != NULL && offsets != NULL);
    for (size_t i = 0; i < n; i++)
        offsets[i] = first + (int64_t)i;
    assert_int_equal(sinpos_kernel_values(s->plan, &rows, range, 2), SINPOS_OK);
    assert_int_equal(sinpos_kernel_values(s->plan, &listed, list, 1), SINPOS_OK);
    assert_memory_equal(range, list, n * sizeof *range);
    for (size_t i = 0; i < n; i++) {
        const double error = error_of(s, offsets[i], 0, range[i]);
        if (!(error <= 1e-15))
            printf("seed %d, %zu tones, base %g, offset %lld: %a is off by %g g(0)\n", SEED, s->n, s->base,
                   (long long)offsets[i], range[i], error);
        assert_true(error <= 1e-15);
        worst = error > worst ? error : worst;
    }
    free(range);
    free(list);
    free(offsets);
    return worst;
}

static void to_the_bound(void **state)
{
    (void)state;
    static const struct {
        size_t n;
        double base, amplitude;
    } cases[] = {{1, 10000, 1},    {3, 10, 1},     {64, 10000, 1}, {65, 1e6, 1},  {200, 500, 1},
                 {64, 10000, 0.3}, {70, 10000, 0}, {16, 100, 0},   {17, 7.5, -3}, {129, 1.01, 1}};
    random_state random = random_seed(SEED, 0);
    double worst = 0;
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        subject s = subject_make(cases[c].n, cases[c].base, cases[c].amplitude);
        const int64_t windows[] = {-3,
                                   250,
                                   505,
                                   1000000000,
                                   INT64_C(1) << 53,
                                   INT64_MAX - 520,
                                   -INT64_MAX,
                                   any_offset(&random),
                                   any_offset(&random)};
        for (size_t w = 0; w < sizeof windows / sizeof windows[0]; w++) {
            const double error = check_window(&s, windows[w], 9);
            worst = error > worst ? error : worst;
        }
        subject_free(&s);
    }
    printf("largest error %.3g g(0)\n", worst);
}

/* Reals, integers among them. */
static void at_reals(void **state)
{
    (void)state;
    enum { N = 40 };
    double at[N], g[N], same;
    subject s = subject_make(64, 10000, 1);
    random_state random = random_seed(SEED, 1);
    for (size_t i = 0; i < N; i++) {
        const int64_t k = any_offset(&random);
        at[i] = i % 4 == 0 ? (double)k : ldexp((double)k, -(int)random_below(&random, 70));
    }
    const sinpos_rows rows = {.struct_size = sizeof rows, .n = N, .reals = at};
    assert_int_equal(sinpos_kernel_values(s.plan, &rows, g, 2), SINPOS_OK);
    for (size_t i = 0; i < N; i++) {
        assert_true(error_of(&s, 0, at[i], g[i]) <= 1e-15);
        if (at[i] == floor(at[i])) {
            const sinpos_rows alone = {.struct_size = sizeof alone, .n = 1, .first = (int64_t)at[i]};
            assert_int_equal(sinpos_kernel_values(s.plan, &alone, &same, 1), SINPOS_OK);
            assert_memory_equal(&same, &g[i], sizeof same);
        }
    }
    subject_free(&s);
}

static void same_bytes(void **state)
{
    (void)state;
    enum { N = 12345 };
    static const char *const sets[] = {"scalar", "avx2", "avx512", "neon"};
    static double want[N], got[N];
    for (int differing = 0; differing < 2; differing++) {
        subject s = subject_make(150, 10000, differing ? 0 : 1);
        const sinpos_rows rows = {.struct_size = sizeof rows, .n = N, .first = -1000};
        assert_int_equal(sinpos_kernel_values(s.plan, &rows, want, 1), SINPOS_OK);
        for (size_t i = 0; i < sizeof sets / sizeof sets[0]; i++) {
            if (sinpos_isa_cap(sets[i]) != SINPOS_OK)
                continue;
            memset(got, 0, sizeof got);
            assert_int_equal(sinpos_kernel_values(s.plan, &rows, got, 1 + i), SINPOS_OK);
            assert_memory_equal(want, got, sizeof want);
        }
        assert_int_equal(sinpos_isa_cap(NULL), SINPOS_OK);
        random_state random = random_seed(SEED, 2);
        for (size_t done = 0, n; done < N; done += n) {
            n = 1 + random_below(&random, 900);
            n = n < N - done ? n : N - done;
            const sinpos_rows part = {.struct_size = sizeof part, .n = n, .first = -1000 + (int64_t)done};
            assert_int_equal(sinpos_kernel_values(s.plan, &part, got + done, random_below(&random, 5)), SINPOS_OK);
        }
        assert_memory_equal(want, got, sizeof want);
        for (size_t i = 0; i < 1000; i++)
            assert_true(want[1000 + i] == want[1000 - i]);
        subject_free(&s);
    }
}

/* Rational turns: sums that are zero are +0, on every way. */
static void exact_zeros(void **state)
{
    (void)state;
    enum { N = 4000 };
    static double g[N];
    static int64_t k[N];
    const double quarter = 0.25;
    sinpos_spec spec = SINPOS_SPEC_INIT;
    sinpos_plan *plan;
    spec.dim = 2;
    spec.schedule = SINPOS_TURNS;
    spec.theta = &quarter;
    spec.n_theta = 1;
    assert_int_equal(sinpos_plan_create(&plan, &spec), SINPOS_OK);
    for (int i = 0; i < N; i++)
        k[i] = i - N / 2;
    const sinpos_rows range = {.struct_size = sizeof range, .n = N, .first = -N / 2},
                      list = {.struct_size = sizeof list, .n = N, .integers = k};
    for (int way = 0; way < 2; way++) {
        assert_int_equal(sinpos_kernel_values(plan, way == 0 ? &range : &list, g, 1), SINPOS_OK);
        for (int i = 0; i < N; i++) {
            const double want = k[i] % 2 != 0 ? 0 : k[i] % 4 == 0 ? 1 : -1;
            assert_memory_equal(&g[i], &want, sizeof want);
        }
    }
    sinpos_plan_destroy(plan);
}

/* More tones than the product has tables for. */
static void very_many_tones(void **state)
{
    (void)state;
    enum { N = 3 };
    double g[N];
    sinpos_spec spec = SINPOS_SPEC_INIT;
    sinpos_plan *plan;
    const sinpos_rows rows = {.struct_size = sizeof rows, .n = N, .first = 0};
    spec.dim = 2 * 9000;
    assert_int_equal(sinpos_plan_create(&plan, &spec), SINPOS_OK);
    assert_int_equal(sinpos_kernel_values(plan, &rows, g, 1), SINPOS_OK);
    assert_true(g[0] == 9000);
    for (int k = 1; k < N; k++) {
        long double sum = 0;
        for (int i = 0; i < 9000; i++)
            sum += cosl(k * powl(10000, -i / 9000.0L));
        assert_true(fabsl(sum - g[k]) < 9000e-15L);
    }
    sinpos_plan_destroy(plan);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(to_the_bound), cmocka_unit_test(at_reals),        cmocka_unit_test(same_bytes),
        cmocka_unit_test(exact_zeros),  cmocka_unit_test(very_many_tones),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    mpfr_free_cache();
    return failed;
}
