/* First negative offset, zeros, envelope: published values, plain searches in long double, arguments. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "cases.h"

#include "sinpos_analysis.h"

static sinpos_plan *plan_of(size_t dim, double base)
{
    sinpos_spec spec = SINPOS_SPEC_INIT;
    sinpos_plan *plan = NULL;
    spec.dim = dim;
    spec.base = base;
    assert_int_equal(sinpos_plan_create(&plan, &spec), SINPOS_OK);
    return plan;
}

static long double kernel_at(size_t dim, double base, long double k)
{
    long double sum = 0;
    for (size_t i = 0; i < dim / 2; i++)
        sum += cosl(k * powl((long double)base, -2.0L * (long double)i / (long double)dim));
    return sum;
}

static void first_negative(void **state)
{
    (void)state;
    static const struct {
        size_t dim;
        double base;
    } cases[] = {{128, 10000}, {64, 500}, {32, 1000}, {8, 10}, {2, 10000}, {256, 10000}};
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        sinpos_plan *plan = plan_of(cases[c].dim, cases[c].base);
        int64_t want = 1, offset;
        double g;
        while (kernel_at(cases[c].dim, cases[c].base, want) >= 0)
            want++;
        assert_int_equal(sinpos_kernel_first_negative(plan, 1 << 24, &offset, &g, 2, NULL, NULL), SINPOS_OK);
        assert_int_equal(offset, want);
        assert_true(fabsl(g - kernel_at(cases[c].dim, cases[c].base, want)) < 1e-15L * (long double)cases[c].dim);
        assert_int_equal(sinpos_kernel_first_negative(plan, want + 1, &offset, &g, 1, NULL, NULL), SINPOS_OK);
        assert_int_equal(offset, want);
        assert_int_equal(sinpos_kernel_first_negative(plan, want, &offset, &g, 3, NULL, NULL), SINPOS_OK);
        assert_int_equal(offset, 0);
        assert_true(isnan(g));
        if (cases[c].dim == 128)
            assert_int_equal(want, 1707);
        sinpos_plan_destroy(plan);
    }
}

/* Quarter turns: g(1) is exactly zero, which is not negative. */
static void exact_zero(void **state)
{
    (void)state;
    const double quarter = 0.25;
    sinpos_spec spec = SINPOS_SPEC_INIT;
    sinpos_plan *plan;
    int64_t offset;
    double g, zero;
    size_t n;
    spec.dim = 2;
    spec.schedule = SINPOS_TURNS;
    spec.theta = &quarter;
    spec.n_theta = 1;
    assert_int_equal(sinpos_plan_create(&plan, &spec), SINPOS_OK);
    assert_int_equal(sinpos_kernel_first_negative(plan, 100, &offset, &g, 1, NULL, NULL), SINPOS_OK);
    assert_int_equal(offset, 2);
    assert_true(g == -1);
    assert_int_equal(sinpos_kernel_zeros(plan, 0, 100, &zero, 1, &n, 1, NULL, NULL), SINPOS_OK);
    assert_true(n == 1 && fabs(zero - 1) < 1e-14);
    /* |g| is 1 at every even offset: the first of them is the peak. */
    static const int64_t from[] = {0, 1, 3, 6};
    sinpos_peak peaks[4];
    assert_int_equal(sinpos_kernel_envelope(plan, from, 4, 5000, peaks, 1, NULL, NULL), SINPOS_OK);
    for (int i = 0; i < 4; i++)
        assert_true(peaks[i].offset == from[i] + from[i] % 2 && fabs(peaks[i].g) == 1);
    sinpos_plan_destroy(plan);
}

static void zeros(void **state)
{
    (void)state;
    enum { ROOM = 20 };
    double found[ROOM];
    size_t n, checked = 0;
    sinpos_plan *plan = plan_of(128, 10000);
    assert_int_equal(sinpos_kernel_zeros(plan, 0, 2000, found, ROOM, &n, 2, NULL, NULL), SINPOS_OK);
    for (int64_t k = 0; k < 1999; k++) {
        if ((kernel_at(128, 10000, k) < 0) == (kernel_at(128, 10000, k + 1) < 0))
            continue;
        assert_true(checked < n && found[checked] > (double)k && found[checked] < (double)k + 1);
        const long double left = kernel_at(128, 10000, found[checked] - 1e-11L);
        const long double right = kernel_at(128, 10000, found[checked] + 1e-11L);
        assert_true((left < 0) != (right < 0));
        checked++;
    }
    assert_true(checked > 5 && checked == n);
    assert_int_equal(sinpos_kernel_zeros(plan, 0, 2000, found, 3, &n, 1, NULL, NULL), SINPOS_OK);
    assert_int_equal(n, 3);
    assert_int_equal(sinpos_kernel_zeros(plan, 0, 1707, found, 3, &n, 1, NULL, NULL), SINPOS_OK);
    assert_int_equal(n, 0);
    assert_int_equal(sinpos_kernel_zeros(plan, 0, 1708, NULL, 0, &n, 1, NULL, NULL), SINPOS_OK);
    assert_int_equal(n, 0);
    sinpos_plan_destroy(plan);
}

static void envelope(void **state)
{
    (void)state;
    enum { N = 6, LIMIT = 6000 };
    static const int64_t from[N] = {0, 1, 1, 700, 3000, 5999};
    sinpos_peak peaks[N], again[N];
    sinpos_plan *plan = plan_of(64, 1000);
    assert_int_equal(sinpos_kernel_envelope(plan, from, N, LIMIT, peaks, 1, NULL, NULL), SINPOS_OK);
    for (size_t i = 0; i < N; i++) {
        int64_t best = from[i];
        for (int64_t k = from[i]; k < LIMIT; k++)
            best = fabsl(kernel_at(64, 1000, k)) > fabsl(kernel_at(64, 1000, best)) ? k : best;
        assert_int_equal(peaks[i].offset, best);
        assert_true(fabsl(peaks[i].g - kernel_at(64, 1000, best)) < 64e-15L);
    }
    assert_int_equal(sinpos_kernel_envelope(plan, from, N, LIMIT, again, 7, NULL, NULL), SINPOS_OK);
    assert_memory_equal(peaks, again, sizeof peaks);
    sinpos_plan_destroy(plan);
}

static int stop_at_half(void *context, double done)
{
    ++*(int *)context;
    return done > 0.5;
}

static void arguments(void **state)
{
    (void)state;
    static const int64_t falling[] = {5, 4}, negative[] = {-1, 4}, far[] = {1, 100};
    sinpos_peak peaks[2];
    sinpos_plan *plan = plan_of(4, 1);
    int64_t offset = 7;
    int calls = 0;
    double g = 7;
    size_t n;
    assert_int_equal(sinpos_kernel_first_negative(NULL, 10, &offset, &g, 1, NULL, NULL), SINPOS_E_NULL);
    assert_int_equal(sinpos_kernel_first_negative(plan, 10, NULL, &g, 1, NULL, NULL), SINPOS_E_NULL);
    assert_int_equal(sinpos_kernel_first_negative(plan, 10, &offset, &g, 1025, NULL, NULL), SINPOS_E_VALUE);
    assert_int_equal(offset, 7);
    assert_int_equal(sinpos_kernel_first_negative(plan, -5, &offset, &g, 1, NULL, NULL), SINPOS_OK);
    assert_int_equal(offset, 0);
    assert_int_equal(sinpos_kernel_zeros(plan, 0, INT64_MAX, &g, 1, &n, 1, NULL, NULL), SINPOS_E_RANGE);
    assert_int_equal(sinpos_kernel_zeros(plan, 0, 9, NULL, 1, &n, 1, NULL, NULL), SINPOS_E_NULL);
    assert_int_equal(sinpos_kernel_envelope(plan, falling, 2, 10, peaks, 1, NULL, NULL), SINPOS_E_VALUE);
    assert_int_equal(sinpos_kernel_envelope(plan, negative, 2, 10, peaks, 1, NULL, NULL), SINPOS_E_VALUE);
    assert_int_equal(sinpos_kernel_envelope(plan, far, 2, 100, peaks, 1, NULL, NULL), SINPOS_E_VALUE);
    assert_int_equal(sinpos_kernel_envelope(plan, far, 2, 1 << 22, peaks, 1, stop_at_half, &calls), SINPOS_E_STOPPED);
    assert_true(calls > 1);
    sinpos_plan_destroy(plan);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(first_negative), cmocka_unit_test(exact_zero), cmocka_unit_test(zeros),
        cmocka_unit_test(envelope),       cmocka_unit_test(arguments),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
