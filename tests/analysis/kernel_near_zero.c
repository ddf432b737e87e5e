/*
 * Signs of g where it comes near to zero: cosines that miss zero by 1e-9 to 1e-14, and minima that just touch it, with
 * the exact sign from MPFR. Within 1e-15 g(0) there is no sign, beyond it there is.
 */
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <mpfr.h>

#include "cases.h"
#include "sinpos_analysis.h"

enum { BITS = 400, MOST = 2 };

static const double pi = 3.14159265358979323846;

typedef struct subject {
    size_t n;
    double theta[MOST], amplitude[MOST];
} subject;

static sinpos_plan *plan_of(const subject *s)
{
    sinpos_spec spec = SINPOS_SPEC_INIT;
    sinpos_tone tones[MOST];
    sinpos_plan *plan;
    spec.dim = 2 * s->n;
    spec.schedule = SINPOS_EXPLICIT;
    spec.theta = s->theta;
    spec.n_theta = s->n;
    assert_int_equal(sinpos_spec_tones(&spec, tones, s->n), SINPOS_OK);
    for (size_t i = 0; i < s->n; i++)
        tones[i].amplitude = s->amplitude[i];
    assert_int_equal(sinpos_plan_create_tones(&plan, 2 * s->n, 1, tones, s->n, 0, NULL), SINPOS_OK);
    return plan;
}

/* g(x + rest) / g(0), rounded once. */
static double exact(const subject *s, double x, double rest)
{
    mpfr_t sum, zero, term, weight;
    mpfr_inits2(BITS, sum, zero, term, weight, (mpfr_ptr)0);
    mpfr_set_zero(sum, 1);
    mpfr_set_zero(zero, 1);
    for (size_t i = 0; i < s->n; i++) {
        mpfr_set_d(weight, s->amplitude[i], MPFR_RNDN);
        mpfr_sqr(weight, weight, MPFR_RNDN);
        mpfr_set_d(term, x, MPFR_RNDN);
        mpfr_add_d(term, term, rest, MPFR_RNDN);
        mpfr_mul_d(term, term, s->theta[i], MPFR_RNDN);
        mpfr_cos(term, term, MPFR_RNDN);
        mpfr_mul(term, term, weight, MPFR_RNDN);
        mpfr_add(sum, sum, term, MPFR_RNDN);
        mpfr_add(zero, zero, weight, MPFR_RNDN);
    }
    mpfr_div(sum, sum, zero, MPFR_RNDN);
    const double value = mpfr_get_d(sum, MPFR_RNDN);
    mpfr_clears(sum, zero, term, weight, (mpfr_ptr)0);
    return value;
}

static double total(const subject *s)
{
    double sum = 0;
    for (size_t i = 0; i < s->n; i++)
        sum += s->amplitude[i] * s->amplitude[i];
    return sum;
}

static double slope(const subject *s, double x)
{
    double sum = 0;
    for (size_t i = 0; i < s->n; i++)
        sum -= s->amplitude[i] * s->amplitude[i] * s->theta[i] * sin(x * s->theta[i]);
    return sum;
}

static void expect_first(const subject *s, const sinpos_plan *plan, int64_t limit, int64_t want)
{
    int64_t offset;
    double g;
    assert_int_equal(sinpos_kernel_first_negative(plan, limit, &offset, &g, 1, NULL, NULL), SINPOS_OK);
    if (offset != want)
        printf("theta %a, amplitude %a: first negative %lld, wanted %lld, where g / g(0) is %g\n", s->theta[0],
               s->amplitude[0], (long long)offset, (long long)want, exact(s, (double)want, 0));
    assert_int_equal(offset, want);
    if (want == 0)
        assert_true(isnan(g));
    else
        assert_true(g < 0 && fabs(g / total(s) - exact(s, (double)want, 0)) <= 1e-15);
}

/* The exact g changes its sign within the error that is promised. */
static void expect_zero(const subject *s, double zero)
{
    const double error = 1e-15 * total(s) / fabs(slope(s, zero)) + 0x1p-52 * fabs(zero);
    assert_true((exact(s, zero, -error) < 0) != (exact(s, zero, error) < 0));
}

/* One cosine that falls through zero within 1e-9 .. 1e-14 of an integer, before it or behind it. */
static void falling(void **state)
{
    (void)state;
    static const int64_t at[] = {1, 2, 3, 7, 100, 1000, 4097, 300000};
    for (size_t i = 0; i < sizeof at / sizeof at[0]; i++) {
        for (int decade = -9; decade >= -14; decade--) {
            for (int sign = -1; sign <= 1; sign += 2) {
                const double k = (double)at[i];
                const subject s = {1, {(pi / 2 + sign * pow(10, decade)) / k}, {at[i] % 2 == 0 ? 1 : 0.7}};
                const double value = exact(&s, k, 0);
                double zero[2];
                size_t n;
                sinpos_plan *plan = plan_of(&s);
                assert_true(fabs(value) > 2e-15 && fabs(value) < 2e-9 && exact(&s, k + 1, 0) < -2e-15);
                const int64_t want = value < 0 ? at[i] : at[i] + 1;
                expect_first(&s, plan, at[i] + 2, want);
                expect_first(&s, plan, want, 0);
                assert_int_equal(sinpos_kernel_zeros(plan, 0, at[i] + 2, zero, 2, &n, 1, NULL, NULL), SINPOS_OK);
                assert_int_equal(n, 1);
                assert_true(zero[0] >= (double)(want - 1) && zero[0] <= (double)want);
                expect_zero(&s, zero[0]);
                sinpos_plan_destroy(plan);
            }
        }
    }
}

/* A minimum at one integer, so little below zero, or above: its neighbours are positive. */
static void touching(void **state)
{
    (void)state;
    static const int64_t at[] = {1, 2, 5, 100, 1001, 20000};
    for (size_t i = 0; i < sizeof at / sizeof at[0]; i++) {
        for (int decade = -10; decade >= -14; decade--) {
            for (int way = 0; way < 3; way++) { /* amplitudes that differ, below and above; equal ones */
                const double k = (double)at[i], off = pow(10, decade);
                const subject s = {2,
                                   {way == 2 ? sqrt(2 * off) / k : 0, pi / k},
                                   {way == 2 ? 1 : sqrt(way == 0 ? 1 - off : 1 + off), 1}};
                const double value = exact(&s, k, 0);
                const bool is_below = value < 0;
                double zero[3];
                size_t n;
                sinpos_plan *plan = plan_of(&s);
                assert_true(fabs(value) > 2e-15 && fabs(value) < 1e-10 && is_below == (way != 1));
                assert_true(exact(&s, k - 1, 0) > 1e-10 && exact(&s, k + 1, 0) > 1e-10);
                expect_first(&s, plan, 2 * at[i], is_below ? at[i] : 0);
                assert_int_equal(sinpos_kernel_zeros(plan, 0, 2 * at[i] + 1, zero, 3, &n, 1, NULL, NULL), SINPOS_OK);
                assert_int_equal(n, is_below ? 2 : 0);
                for (size_t j = 0; j < n; j++) {
                    assert_true(zero[j] >= k - 1 + (double)j && zero[j] <= k + (double)j);
                    expect_zero(&s, zero[j]);
                }
                sinpos_plan_destroy(plan);
            }
        }
    }
}

/* Integers within 1e-15 g(0) of a zero have no sign, whichever sign they really have: the zero is there all the same. */
static void without_sign(void **state)
{
    (void)state;
    for (int ulps = -2; ulps <= 2; ulps++) {
        const subject s = {1, {pi / 2 + ulps * 0x1p-52}, {1}};
        sinpos_plan *plan = plan_of(&s);
        double zero[4];
        size_t n;
        assert_true(fabs(exact(&s, 1, 0)) < 1e-15 && exact(&s, 2, 0) < 0);
        expect_first(&s, plan, 3, 2);
        assert_int_equal(sinpos_kernel_zeros(plan, 0, 3, zero, 4, &n, 1, NULL, NULL), SINPOS_OK);
        assert_int_equal(n, 1);
        expect_zero(&s, zero[0]);
        sinpos_plan_destroy(plan);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(falling),
        cmocka_unit_test(touching),
        cmocka_unit_test(without_sign),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    mpfr_free_cache();
    return failed;
}
