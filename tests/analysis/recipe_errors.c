/* Errors of common arithmetics: measured tables, a naive loop in plain C, arguments. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "cases.h"

#include "sinpos_analysis.h"

static sinpos_spec spec_of(size_t dim, double base)
{
    sinpos_spec spec = SINPOS_SPEC_INIT;
    spec.dim = dim;
    spec.base = base;
    return spec;
}

/* Two digits, as they were measured with NumPy and PyTorch in float32, d = 128. */
static void measured(void **state)
{
    (void)state;
    static const uint64_t below[] = {4096, 32768, 131072};
    static const struct {
        sinpos_recipe recipe;
        double base;
        double want[3];
    } rows[] = {
        {SINPOS_RECIPE_F32_POW, 1e4, {2.3e-4, 1.9e-3, 7.7e-3}},
        {SINPOS_RECIPE_F32_EXP, 1e4, {2.2e-4, 1.9e-3, 7.7e-3}},
        {SINPOS_RECIPE_F32_RATIO_POW, 1e4, {4.6e-4, 3.7e-3, 1.5e-2}},
        {SINPOS_RECIPE_F32_REPEATED, 1e4, {6.3e-4, 5.3e-3, 2.1e-2}},
        {SINPOS_RECIPE_F16_THETA, 1e4, {0.95, 2.0, 2.0}},
        {SINPOS_RECIPE_BF16_THETA, 1e4, {2.0, 2.0, 2.0}},
        {SINPOS_RECIPE_F32_POW, 5e5, {2.8e-4, 2.3e-3, 9.3e-3}},
        {SINPOS_RECIPE_F32_REPEATED, 5e5, {3.4e-4, 3.2e-3, 1.3e-2}},
        {SINPOS_RECIPE_F32_RATIO_POW, 5e5, {2.4e-4, 2.0e-3, 8.1e-3}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const sinpos_spec spec = spec_of(128, rows[i].base);
        double error[3];
        assert_int_equal(sinpos_recipe_errors(&spec, rows[i].recipe, below, 3, error, 0, NULL, NULL), SINPOS_OK);
        for (size_t j = 0; j < 3; j++) {
            const double want = rows[i].want[j], unit = pow(10, floor(log10(want)) - 1);
            if (fabs(error[j] - want) > 0.51 * unit)
                printf("%s, base %g, below %llu: got %.3g, want %.2g\n", sinpos_recipe_name(rows[i].recipe),
                       rows[i].base, (unsigned long long)below[j], error[j], want);
            assert_true(fabs(error[j] - want) <= 0.51 * unit);
        }
    }
}

static float bf16(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    bits = (bits + 0x7FFF + (bits >> 16 & 1)) & 0xFFFF0000;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* The recipes again, one product after the other, with the cosines of long double. */
static float plain_angle(sinpos_recipe recipe, float p, size_t i, double base, double divisor, double exact)
{
    const float b = (float)base, x = (float)divisor, ratio = powf(b, -1 / x);
    volatile float angle = p;
    switch (recipe) {
    case SINPOS_RECIPE_F32_POW: return p * (1 / powf(b, (float)i / x));
    case SINPOS_RECIPE_F32_EXP: return p * expf((float)i * (float)(-log(base) / divisor));
    case SINPOS_RECIPE_F32_RATIO_POW: return p * powf(ratio, (float)i);
    case SINPOS_RECIPE_F32_REPEATED:
        for (size_t k = 0; k < i; k++)
            angle *= ratio;
        return angle;
    case SINPOS_RECIPE_BF16_THETA: return p * bf16((float)exact);
    case SINPOS_RECIPE_BF16_POSITIONS: return bf16(p) * (float)exact;
    default: return p * (float)exact;
    }
}

static void plain(void **state)
{
    (void)state;
    static const sinpos_recipe which[] = {
        SINPOS_RECIPE_F32_POW,   SINPOS_RECIPE_F32_EXP,    SINPOS_RECIPE_F32_RATIO_POW, SINPOS_RECIPE_F32_REPEATED,
        SINPOS_RECIPE_F32_THETA, SINPOS_RECIPE_BF16_THETA, SINPOS_RECIPE_BF16_POSITIONS};
    static const uint64_t below[] = {2, 300, 3000};
    for (size_t r = 0; r < sizeof which / sizeof which[0]; r++) {
        sinpos_spec spec = spec_of(13, 777); /* odd: seven frequencies, 777^(-i/6.5) */
        double error[3];
        long double largest = 0;
        spec.layout = SINPOS_HALVES;
        assert_int_equal(sinpos_recipe_errors(&spec, which[r], below, 3, error, 3, NULL, NULL), SINPOS_OK);
        for (int p = 0; p < 3000; p++) {
            for (size_t i = 0; i < 7; i++) {
                const long double theta = powl(777, -(long double)i / 6.5L);
                const float angle = plain_angle(which[r], (float)p, i, 777, 6.5, (double)theta);
                largest = fmaxl(largest, fabsl((float)cosl(angle) - cosl(p * theta)));
            }
            if (p == 1 || p == 299 || p == 2999)
                assert_true(fabsl(largest - error[p == 1 ? 0 : p == 299 ? 1 : 2]) < 1e-11L);
        }
    }
}

/* Every thread count gives the same bytes. What is made for one schedule is refused for others. */
static void same_bytes(void **state)
{
    (void)state;
    static const uint64_t below[] = {1, 10, 100, 5000};
    const sinpos_spec spec = spec_of(64, 10000);
    double one[4], other[4];
    assert_int_equal(sinpos_recipe_errors(&spec, SINPOS_RECIPE_F32_POW, below, 4, one, 1, NULL, NULL), SINPOS_OK);
    for (size_t threads = 0; threads < 6; threads++) {
        assert_int_equal(sinpos_recipe_errors(&spec, SINPOS_RECIPE_F32_POW, below, 4, other, threads, NULL, NULL),
                         SINPOS_OK);
        assert_memory_equal(one, other, sizeof one);
    }
    assert_true(one[0] == 0 && one[1] > 0 && one[1] <= one[2] && one[2] <= one[3]);
    sinpos_spec octave = spec_of(8, 10000);
    octave.schedule = SINPOS_OCTAVE;
    assert_int_equal(sinpos_recipe_errors(&octave, SINPOS_RECIPE_F32_THETA, below, 4, other, 2, NULL, NULL), SINPOS_OK);
    assert_true(other[3] > 1e-5 && other[3] < 5000 * 8 * 3.1416 * 0x1p-23); /* two roundings of the largest angle */
    assert_int_equal(sinpos_recipe_errors(&octave, SINPOS_RECIPE_F32_POW, below, 4, other, 2, NULL, NULL),
                     SINPOS_E_UNSUPPORTED);
}

static int stop_work(void *context, double done)
{
    (void)done;
    return ++*(int *)context == 2;
}

static void arguments(void **state)
{
    (void)state;
    static const uint64_t good[] = {1, 2, 3}, zero[] = {0}, falling[] = {5, 5}, far[] = {SINPOS_RECIPE_MOST + 1};
    sinpos_spec spec = spec_of(16, 10000);
    double error[3];
    int calls = 0;
    const sinpos_recipe recipe = SINPOS_RECIPE_F32_EXP;
    assert_int_equal(sinpos_recipe_errors(NULL, recipe, good, 3, error, 1, NULL, NULL), SINPOS_E_NULL);
    assert_int_equal(sinpos_recipe_errors(&spec, recipe, NULL, 3, error, 1, NULL, NULL), SINPOS_E_NULL);
    assert_int_equal(sinpos_recipe_errors(&spec, recipe, good, 3, NULL, 1, NULL, NULL), SINPOS_E_NULL);
    assert_int_equal(sinpos_recipe_errors(&spec, recipe, NULL, 0, NULL, 1, NULL, NULL), SINPOS_OK);
    assert_int_equal(sinpos_recipe_errors(&spec, recipe, zero, 1, error, 1, NULL, NULL), SINPOS_E_VALUE);
    assert_int_equal(sinpos_recipe_errors(&spec, recipe, falling, 2, error, 1, NULL, NULL), SINPOS_E_VALUE);
    assert_int_equal(sinpos_recipe_errors(&spec, recipe, far, 1, error, 1, NULL, NULL), SINPOS_E_VALUE);
    assert_int_equal(sinpos_recipe_errors(&spec, recipe, good, 3, error, 1025, NULL, NULL), SINPOS_E_VALUE);
    assert_int_equal(sinpos_recipe_errors(&spec, (sinpos_recipe)99, good, 3, error, 1, NULL, NULL), SINPOS_E_VALUE);
    assert_int_equal(sinpos_recipe_errors(&spec, recipe, good, 3, error, 1, stop_work, &calls), SINPOS_E_STOPPED);
    spec.base = -1;
    assert_int_equal(sinpos_recipe_errors(&spec, recipe, good, 3, error, 1, NULL, NULL), SINPOS_E_SPEC);
    assert_string_equal(sinpos_recipe_name(recipe), "float32-exp");
    assert_string_equal(sinpos_recipe_name((sinpos_recipe)-1), "unknown recipe");
    assert_true(strlen(sinpos_recipe_who(recipe)) > 10 && strlen(sinpos_recipe_who((sinpos_recipe)8)) == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(measured),
        cmocka_unit_test(plain),
        cmocka_unit_test(same_bytes),
        cmocka_unit_test(arguments),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
