/* g(k) and distances by offset: published values, the plain sums in long double, arguments. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

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

static void published(void **state)
{
    (void)state;
    static const int64_t k[] = {0, 1, 1000, 4096, -1000};
    static const double want[] = {64, 62.0936838057676, 10.1777281322106, -3.38261392448236, 10.1777281322106};
    const sinpos_rows rows = {.struct_size = sizeof rows, .n = 5, .integers = k};
    double g[5];
    sinpos_plan *plan = plan_of(128, 10000);
    assert_int_equal(sinpos_kernel_values(plan, &rows, g, 2), SINPOS_OK);
    for (int i = 0; i < 5; i++)
        assert_true(fabs(g[i] - want[i]) < 64e-15);
    sinpos_plan_destroy(plan);

    static const int64_t far[] = {1, 10, 100, 500, 999};
    static const double distance[] = {5.1478, 17.8726, 23.7318, 27.0645, 28.3428};
    const sinpos_rows at = {.struct_size = sizeof at, .n = 5, .integers = far};
    plan = plan_of(1000, 10000);
    assert_int_equal(sinpos_distance_values(plan, &at, g, 1), SINPOS_OK);
    for (int i = 0; i < 5; i++)
        assert_true(fabs(g[i] - distance[i]) < 5e-5);
    sinpos_plan_destroy(plan);
}

/* Every thread count, and consecutive, listed and real offsets, give the same bytes. */
static void same_bytes(void **state)
{
    (void)state;
    enum { N = 1001 };
    static double one[N], other[N], real[N];
    static int64_t list[N];
    sinpos_plan *plan = plan_of(512, 10000);
    const sinpos_rows rows = {.struct_size = sizeof rows, .n = N, .first = -500},
                      listed = {.struct_size = sizeof listed, .n = N, .integers = list},
                      reals = {.struct_size = sizeof reals, .n = N, .reals = real};
    for (int i = 0; i < N; i++) {
        list[i] = i - 500;
        real[i] = i - 500;
    }
    assert_int_equal(sinpos_kernel_values(plan, &rows, one, 1), SINPOS_OK);
    for (size_t threads = 0; threads < 9; threads++) {
        assert_int_equal(sinpos_kernel_values(plan, &rows, other, threads), SINPOS_OK);
        assert_memory_equal(one, other, sizeof one);
    }
    assert_int_equal(sinpos_kernel_values(plan, &listed, other, 3), SINPOS_OK);
    assert_memory_equal(one, other, sizeof one);
    assert_int_equal(sinpos_kernel_values(plan, &reals, other, 3), SINPOS_OK);
    assert_memory_equal(one, other, sizeof one);
    for (int i = 0; i < N; i++) {
        long double sum = 0;
        for (int j = 0; j < 256; j++)
            sum += cosl((i - 500) * powl(10000, -j / 256.0L));
        assert_true(fabsl(sum - one[i]) < 256e-15L);
    }
    sinpos_plan_destroy(plan);
}

static void arguments(void **state)
{
    (void)state;
    double g[2] = {7, 7};
    const double bad[2] = {1, NAN}, far[2] = {1, -0x1p63};
    const int64_t least[2] = {1, INT64_MIN};
    sinpos_plan *plan = plan_of(5, 10000), *two;
    sinpos_tone tone = {.schedule = SINPOS_EXPLICIT,
                        .scale = 1,
                        .factor = 1,
                        .value = 1,
                        .amplitude = 1,
                        .axis = 1,
                        .sin_column = 0,
                        .cos_column = 1};
    const sinpos_rows rows = {.struct_size = sizeof rows, .n = 2},
                      reals = {.struct_size = sizeof reals, .n = 2, .reals = bad},
                      integers = {.struct_size = sizeof integers, .n = 2, .integers = least},
                      both = {.struct_size = sizeof both, .n = 2, .integers = least, .reals = bad},
                      last = {.struct_size = sizeof last, .n = 2, .first = INT64_MAX},
                      beyond = {.struct_size = sizeof beyond, .n = 2, .reals = far};
    assert_int_equal(sinpos_plan_create_tones(&two, 2, 2, &tone, 1, 0, NULL), SINPOS_OK);
    assert_int_equal(sinpos_kernel_values(NULL, &rows, g, 1), SINPOS_E_NULL);
    assert_int_equal(sinpos_kernel_values(plan, NULL, g, 1), SINPOS_E_NULL);
    assert_int_equal(sinpos_kernel_values(plan, &rows, NULL, 1), SINPOS_E_NULL);
    assert_int_equal(sinpos_kernel_values(two, &rows, g, 1), SINPOS_E_AXES);
    assert_int_equal(sinpos_kernel_values(plan, &both, g, 1), SINPOS_E_VALUE);
    assert_int_equal(sinpos_kernel_values(plan, &rows, g, 1025), SINPOS_E_VALUE);
    assert_int_equal(sinpos_distance_values(plan, &reals, g, 1), SINPOS_E_RANGE);
    assert_int_equal(sinpos_distance_values(plan, &integers, g, 1), SINPOS_E_RANGE);
    assert_int_equal(sinpos_distance_values(plan, &last, g, 1), SINPOS_E_RANGE);
    assert_int_equal(sinpos_kernel_values(plan, &beyond, g, 1), SINPOS_E_RANGE);
    assert_true(g[0] == 7 && g[1] == 7);
    assert_int_equal(sinpos_kernel_values(plan, &rows, g, 1), SINPOS_OK);
    assert_true(g[0] == 2); /* the fifth column's tone lacks its cosine */
    sinpos_plan_destroy(plan);
    sinpos_plan_destroy(two);
}

static void sums_of_doubles(void **state)
{
    (void)state;
    double g = 7;
    const sinpos_rows rows = {.struct_size = sizeof rows, .n = 1};
    const sinpos_tone_more more = {.struct_size = sizeof more, .phase_divisor = 1};
    const sinpos_tone tone = {.schedule = SINPOS_EXPLICIT,
                              .scale = 1,
                              .factor = 1,
                              .value = 1,
                              .amplitude = 1,
                              .sin_column = 0,
                              .cos_column = 1,
                              .more = &more};
    sinpos_plan *plan;
    sinpos_coefficients split;
    sinpos_near near;
    size_t n_near = 1;
    assert_int_equal(sinpos_plan_create_tones(&plan, 2, 1, &tone, 1, 0, NULL), SINPOS_OK);
    assert_int_equal(sinpos_kernel_values(plan, &rows, &g, 1), SINPOS_E_UNSUPPORTED);
    assert_int_equal(sinpos_distance_values(plan, &rows, &g, 1), SINPOS_E_UNSUPPORTED);
    assert_int_equal(sinpos_split_coefficients(plan, NULL, 0, &split), SINPOS_E_UNSUPPORTED);
    assert_int_equal(sinpos_separation(plan, 0, 9, &near, &n_near, 1, NULL, NULL), SINPOS_E_UNSUPPORTED);
    assert_true(g == 7);
    sinpos_plan_destroy(plan);
}

static void huge_amplitude(void **state)
{
    (void)state;
    sinpos_spec spec = SINPOS_SPEC_INIT;
    sinpos_plan *plan;
    double g = 7;
    const sinpos_rows rows = {.struct_size = sizeof rows, .n = 1, .first = 3};
    spec.dim = 8;
    spec.amplitude = 1e200;
    spec.types = SINPOS_F64;
    assert_int_equal(sinpos_plan_create(&plan, &spec), SINPOS_OK);
    assert_int_equal(sinpos_kernel_values(plan, &rows, &g, 1), SINPOS_E_OVERFLOW);
    assert_int_equal(sinpos_distance_values(plan, &rows, &g, 1), SINPOS_E_OVERFLOW);
    assert_true(g == 7);
    sinpos_plan_destroy(plan);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(published),       cmocka_unit_test(same_bytes),     cmocka_unit_test(arguments),
        cmocka_unit_test(sums_of_doubles), cmocka_unit_test(huge_amplitude),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
