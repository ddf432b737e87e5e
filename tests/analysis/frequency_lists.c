/* frequency_lists - lists of frequencies: the formula is found, and what is none is not. */
#include <math.h>

#include <string.h>

#include "cases.h"
#include "random.h"
#include "sinpos_analysis.h"

enum { MOST = 128 };

static sinpos_frequency_list *find(const void *list, size_t n, sinpos_type type)
{
    sinpos_frequency_list *found;
    assert_int_equal(sinpos_identify_frequencies(&found, list, n, type), SINPOS_OK);
    assert_int_equal(found->n, n);
    assert_int_equal(found->type, type);
    return found;
}

/* scale base^(-i / divisor), or with a divisor below 0 rising. */
static void make(float *list, size_t n, long double scale, long double base, long double divisor)
{
    for (size_t i = 0; i < n; i++)
        list[i] = (float)(scale * powl(base, -(long double)i / divisor));
}

static void formulas_are_found(void **state)
{
    static const struct {
        size_t n;
        double scale, base, divisor;
        bool is_rope;
    } cases[] = {{64, 1, 10000, 64, true},     {64, 1, 500000, 64, true},   {32, 1, 10000, 31, false},
                 {48, 1, 26453.7, 48, true},   {40, 1, 1234567, 40, true},  {64, 0.25, 1e6, 64, true},
                 {10, 1, 2, 1, false},         {8, 0.5, 2, 1, false},       {20, 3.14159265358979323846, 10, 20, false},
                 {128, 1, 1000003, 128, true}, {16, 1000, 10000, 16, false}};
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        float list[MOST];
        make(list, cases[k].n, cases[k].scale, cases[k].base, cases[k].divisor);
        sinpos_frequency_list *found = find(list, cases[k].n, SINPOS_F32);
        if (!found->is_schedule || found->base != cases[k].base || found->divisor != cases[k].divisor)
            fail_msg("case %zu: %d, base %.17g, divisor %g", k, found->is_schedule, found->base, found->divisor);
        assert_true(found->scale == cases[k].scale);
        assert_int_equal(found->errors.wrong, 0);
        assert_int_equal(found->settings[0] != '\0', cases[k].is_rope);
        assert_true(found->scaling == SINPOS_SCALING_NONE && found->ntk_factor == 0 && !found->is_ascending);
        for (size_t i = 0; i < cases[k].n; i++)
            assert_true(found->exact[i] == list[i]);
        sinpos_frequency_list_destroy(found);
    }
}

static void lists_may_rise(void **state)
{
    float list[10];
    (void)state;
    make(list, 10, 3.14159265358979323846L, 2, -1);
    sinpos_frequency_list *found = find(list, 10, SINPOS_F32);
    assert_true(found->is_schedule && found->is_ascending && found->base == 2 && found->divisor == 1);
    assert_int_equal(found->errors.wrong, 0);
    assert_string_equal(found->settings, "");
    sinpos_frequency_list_destroy(found);
}

/* The nearest number of bfloat16, as its bits. */
static uint16_t to_bfloat16(double x)
{
    int exponent;
    const double part = frexp(x, &exponent);
    const float value = (float)ldexp(nearbyint(ldexp(part, 8)), exponent - 8);
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return (uint16_t)(bits >> 16);
}

static void expect(const void *list, sinpos_type type, int rounded_to)
{
    sinpos_frequency_list *found = find(list, 64, type);
    assert_true(found->is_schedule && found->base == 10000 && found->divisor == 64);
    assert_int_equal(found->rounded_to, rounded_to);
    assert_int_equal(found->errors.wrong, 0);
    sinpos_frequency_list_destroy(found);
}

/* Elements of single precision in doubles, and of bfloat16 in floats. */
static void rounded_types_are_seen(void **state)
{
    double exact[64], singles[64];
    float list[64];
    uint16_t narrow[64];
    (void)state;
    make(list, 64, 1, 10000, 64);
    for (size_t i = 0; i < 64; i++) {
        exact[i] = (double)powl(10000, -(long double)i / 64);
        singles[i] = list[i];
        narrow[i] = to_bfloat16(exact[i]);
    }
    expect(exact, SINPOS_F64, 53);
    expect(singles, SINPOS_F64, 24);
    expect(narrow, SINPOS_BF16, 8);
    for (size_t i = 0; i < 64; i++) {
        const uint32_t bits = (uint32_t)narrow[i] << 16;
        memcpy(&list[i], &bits, sizeof bits);
    }
    expect(list, SINPOS_F32, 8);
}

/* One element that is off is one wrong element, or no formula. */
static void errors_are_counted(void **state)
{
    float list[64];
    (void)state;
    make(list, 64, 1, 10000, 64);
    list[40] = nextafterf(list[40], 1);
    sinpos_frequency_list *found = find(list, 64, SINPOS_F32);
    assert_true(found->is_schedule && found->base == 10000 && !found->is_published);
    assert_int_equal(found->errors.wrong, 1);
    assert_int_equal(found->errors.max_ulp, 1);
    assert_int_equal(found->worst, 40);
    sinpos_frequency_list_destroy(found);
    list[40] *= 1.01F;
    found = find(list, 64, SINPOS_F32);
    assert_false(found->is_schedule);
    assert_true(found->base == 0 && found->settings[0] == '\0');
    sinpos_frequency_list_destroy(found);
}

static void other_lists_follow_none(void **state)
{
    random_state random = random_seed(7, 0);
    float list[64], bad[] = {1, 0.1F, NAN, 0.001F, 0.0001F}, few[] = {1, 0.1F, 0.01F}, zero[] = {1, 0.1F, 0.01F, 0, -1};
    (void)state;
    for (int k = 0; k < 200; k++) {
        list[0] = 1;
        for (size_t i = 1; i < 64; i++) {
            const double part = 0.5 + 0.5 * random_unit(&random);
            list[i] = k % 2 == 0 ? (float)(list[i - 1] * part) : 1 - (float)i / (64 + (float)k);
        }
        sinpos_frequency_list *found = find(list, 64, SINPOS_F32);
        assert_false(found->is_schedule);
        sinpos_frequency_list_destroy(found);
    }
    const struct {
        const float *list;
        size_t n;
    } lists[] = {{bad, 5}, {few, 3}, {zero, 5}};
    for (size_t k = 0; k < 3; k++) {
        sinpos_frequency_list *found = find(lists[k].list, lists[k].n, SINPOS_F32);
        assert_false(found->is_schedule);
        sinpos_frequency_list_destroy(found);
    }
}

static void bad_arguments_are_refused(void **state)
{
    sinpos_frequency_list *found;
    const float list[4] = {1, 0.1F, 0.01F, 0.001F};
    (void)state;
    assert_int_equal(sinpos_identify_frequencies(NULL, list, 4, SINPOS_F32), SINPOS_E_NULL);
    assert_int_equal(sinpos_identify_frequencies(&found, NULL, 4, SINPOS_F32), SINPOS_E_NULL);
    assert_int_equal(sinpos_identify_frequencies(&found, list, 0, SINPOS_F32), SINPOS_E_SHAPE);
    assert_int_equal(sinpos_identify_frequencies(&found, list, 8193, SINPOS_F32), SINPOS_E_SHAPE);
    assert_int_equal(sinpos_identify_frequencies(&found, list, 4, (sinpos_type)3), SINPOS_E_TYPE);
    assert_null(found);
    sinpos_frequency_list_destroy(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(formulas_are_found),      cmocka_unit_test(lists_may_rise),
        cmocka_unit_test(rounded_types_are_seen),  cmocka_unit_test(errors_are_counted),
        cmocka_unit_test(other_lists_follow_none), cmocka_unit_test(bad_arguments_are_refused),
    };
    return cmocka_run_group_tests_name("frequency_lists", tests, NULL, NULL);
}
