/* The continuum: published values, the midpoint rule in long double, closed forms against integration, bad input. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cases.h"

#include "sinpos_analysis.h"

static sinpos_theta *parsed(const char *text)
{
    sinpos_theta *theta;
    assert_int_equal(sinpos_theta_parse(&theta, text, NULL, NULL), SINPOS_OK);
    assert_string_equal(sinpos_theta_text(theta), text);
    return theta;
}

static double value_at(const char *text, double x, double *radius)
{
    sinpos_theta *theta = parsed(text);
    double value = 7;
    assert_int_equal(sinpos_continuum_values(theta, &x, 1, &value, radius, 1, NULL, NULL), SINPOS_OK);
    sinpos_theta_destroy(theta);
    return value;
}

static void skip_without_flint(void)
{
    sinpos_theta *theta = parsed("t");
    double x = 1, value, radius;
    const sinpos_status status = sinpos_continuum_values(theta, &x, 1, &value, &radius, 1, NULL, NULL);
    sinpos_theta_destroy(theta);
    if (status == SINPOS_E_UNSUPPORTED)
        skip();
    assert_int_equal(status, SINPOS_OK);
}

static void published(void **state)
{
    (void)state;
    skip_without_flint();
    static const struct {
        const char *theta;
        double at_8, at_128;
    } known[] = {{"10000^-t", 0.724850215985, 0.411147682437},
                 {"1000^-t", 0.633135914383, 0.215450199144},
                 {"t", 0.123669780828, 0.00563310711329}};
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        double radius;
        assert_true(fabs(value_at(known[i].theta, 8, &radius) - known[i].at_8) < 1e-12 && radius < 1e-16);
        assert_true(fabs(value_at(known[i].theta, -128, &radius) - known[i].at_128) < 1e-12 && radius < 1e-16);
    }
}

/* The midpoint rule in s, with t = s^3 (10 - 15 s + 6 s^2), which is flat at both ends. */
static long double quadrature(const sinpos_theta *theta, double x)
{
    enum { N = 20000 };
    long double sum = 0;
    for (int i = 0; i < N; i++) {
        const long double s = (i + 0.5L) / N, t = s * s * s * (10 + s * (6 * s - 15));
        sum += 30 * s * s * (1 - s) * (1 - s) * cosl(x * (long double)sinpos_theta_value(theta, (double)t));
    }
    return sum / N;
}

static void against_quadrature(void **state)
{
    (void)state;
    skip_without_flint();
    static const char *const texts[] = {
        "10000^-t",  "exp(-9.21*t)", "2*100^(-t/3)",      "t^2",      "sqrt(t)",           "(1-t)^1.5", "t*t",
        "1/(1+t)",   "0.5",          "pi*2^-t",           "t^.5",     "exp(-t)*exp(-2*t)", "log(2+t)",  "sin(t)+cos(t)",
        "t^2+0.1*t", "1-t",          "2^(3*t)/pow(10,2)", "e^-(4*t)",
    };
    static const double x[] = {0.25, 1, 8, 31.5, 200};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        sinpos_theta *theta = parsed(texts[i]);
        for (size_t j = 0; j < sizeof x / sizeof x[0]; j++) {
            double radius, value = value_at(texts[i], x[j], &radius);
            const long double want = quadrature(theta, x[j]);
            if (!(fabsl(value - want) < 1e-9L) || !(radius < 1e-15))
                printf("%s at %g: %.17g +- %g, quadrature %.17Lg\n", texts[i], x[j], value, radius, want);
            assert_true(fabsl(value - want) < 1e-9L && radius < 1e-15);
        }
        sinpos_theta_destroy(theta);
    }
}

/* The closed forms and the integral of the same theta, written so that no closed form is seen. */
static void closed_against_integral(void **state)
{
    (void)state;
    skip_without_flint();
    static const char *const pairs[][2] = {
        {"1000^-t", "1000^-t+0*sin(t)"},    {"t^3", "t*t*t"},
        {"sqrt(t)", "sqrt(t)+0*sin(t)"},    {"(0.25+0.5*t)^2", "(0.25+0.5*t)*(0.25+0.5*t)"},
        {"3-2*t", "3-2*t+0*sin(t)"},        {"(0.25-t)^3", "(0.25-t)*(0.25-t)*(0.25-t)"},
        {"1-64/63*t", "1-64/63*t+0*sin(t)"}};
    static const double x[] = {0.001, 3, 77.25, 1000, 12345.678};
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        for (size_t j = 0; j < sizeof x / sizeof x[0]; j++) {
            double one, two;
            const double closed = value_at(pairs[i][0], x[j], &one), integral = value_at(pairs[i][1], x[j], &two);
            assert_true(one < 2e-16 && two < 1e-15 && fabs(closed - integral) <= one + two);
        }
    }
    double radius;
    const double far = value_at("10000^-t", 1e15, &radius), power = value_at("t^2", 1e12, &radius);
    assert_true(fabs(far) < 1e-10 && radius < 1e-17);
    assert_true(fabs(power - sqrt(acos(-1.0) / 8) / 1e6) < 1e-12 && radius < 1e-17); /* Fresnel */
}

/* Where long double knows better than the double in the middle: how far that is off is part of the radius. */
static void within_the_radius(void **state)
{
    (void)state;
    skip_without_flint();
    double radius;
    for (int i = 1; i <= 200; i++) {
        const double x = i * 0.40625; /* products with it are exact */
        const long double constant = cosl(2.5L * x), linear = sinl(x) / x;
        assert_true(fabsl(value_at("2.5", x, &radius) - constant) <= radius + 1e-18L && radius < 0x1p-52);
        assert_true(fabsl(value_at("t", x, &radius) - linear) <= radius + 1e-18L && radius < 0x1p-52);
    }
}

/* f does not know the sign of theta. */
static void negative_theta(void **state)
{
    (void)state;
    skip_without_flint();
    static const char *const pairs[][2] = {
        {"3*10^-t", "-3*10^-t"}, {"exp(t)", "-exp(t)"}, {"2*t^1.5", "-2*t^1.5"}, {"7", "-7"}, {"sin(t)", "-sin(t)"}};
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        for (double x = 0.75; x < 1e3; x *= 7) {
            double radius[2];
            const double off = value_at(pairs[i][0], x, &radius[0]) - value_at(pairs[i][1], x, &radius[1]);
            assert_true(fabs(off) <= radius[0] + radius[1] && radius[0] < 1e-15 && radius[1] < 1e-15);
        }
    }
}

static void crossings(void **state)
{
    (void)state;
    skip_without_flint();
    sinpos_theta *theta = parsed("10000^-t");
    sinpos_crossing found;
    assert_int_equal(sinpos_continuum_crossing(theta, 1e6, &found, NULL, NULL), SINPOS_OK);
    assert_true(fabs(found.x - 6166.03) < 0.005 && found.radius < 1e-6);
    assert_int_equal(sinpos_continuum_crossing(theta, 6166, &found, NULL, NULL), SINPOS_OK);
    assert_true(isnan(found.x) && found.searched == 6166);
    sinpos_theta_destroy(theta);

    theta = parsed("t"); /* sin(x) / x */
    assert_int_equal(sinpos_continuum_crossing(theta, 100, &found, NULL, NULL), SINPOS_OK);
    assert_true(fabs(found.x - acos(-1.0)) <= found.radius && found.radius < 1e-11);
    sinpos_theta_destroy(theta);

    theta = parsed("t^2"); /* a Fresnel integral, which is positive */
    assert_int_equal(sinpos_continuum_crossing(theta, 1e4, &found, NULL, NULL), SINPOS_OK);
    assert_true(isnan(found.x) && found.searched == 1e4);
    sinpos_theta_destroy(theta);

    theta = parsed("0.5"); /* cos(x / 2) */
    assert_int_equal(sinpos_continuum_crossing(theta, 100, &found, NULL, NULL), SINPOS_OK);
    assert_true(fabs(found.x - acos(-1.0)) <= found.radius);
    sinpos_theta_destroy(theta);

    theta = parsed("t*(1+0.5*sin(t))");
    assert_int_equal(sinpos_continuum_crossing(theta, 100, &found, NULL, NULL), SINPOS_OK);
    assert_true(quadrature(theta, found.x - 1e-6) > 0 && quadrature(theta, found.x + 1e-6) < 0);
    sinpos_theta_destroy(theta);
}

static void of_specifications(void **state)
{
    (void)state;
    sinpos_spec spec = SINPOS_SPEC_INIT;
    sinpos_theta *theta;
    const double one = 1;
    spec.dim = 128;
    assert_int_equal(sinpos_theta_of_spec(&theta, &spec), SINPOS_OK);
    assert_string_equal(sinpos_theta_text(theta), "10000^-t");
    assert_true(fabs(sinpos_theta_value(theta, 0.5) - 0.01) < 1e-17);
    sinpos_theta_destroy(theta);

    spec.divisor = 63;
    spec.shift = 1;
    spec.scale = 2;
    assert_int_equal(sinpos_theta_of_spec(&theta, &spec), SINPOS_OK);
    assert_string_equal(sinpos_theta_text(theta), "2*10000^-((1+64*t)/63)");
    assert_true(fabs(sinpos_theta_value(theta, 0.5) - 2 * pow(10000, -33 / 63.0)) < 1e-16);
    sinpos_theta_destroy(theta);

    const sinpos_spec usual = SINPOS_SPEC_INIT;
    spec = usual;
    spec.dim = 7;
    spec.schedule = SINPOS_POWER;
    spec.exponent = 2;
    assert_int_equal(sinpos_theta_of_spec(&theta, &spec), SINPOS_OK);
    assert_string_equal(sinpos_theta_text(theta), "(1-t)^2");
    sinpos_theta_destroy(theta);

    spec.schedule = SINPOS_OCTAVE;
    spec.dim = 16;
    assert_int_equal(sinpos_theta_of_spec(&theta, &spec), SINPOS_OK);
    assert_true(fabs(sinpos_theta_value(theta, 0.25) - 4 * acos(-1.0)) < 1e-14);
    assert_string_equal(sinpos_theta_text(theta), "pi*2^(8*t)");
    sinpos_theta *again = parsed(sinpos_theta_text(theta));
    assert_true(fabs(sinpos_theta_value(again, 0.25) - 4 * acos(-1.0)) < 1e-14);
    sinpos_theta_destroy(theta);
    sinpos_theta_destroy(again);

    spec.schedule = SINPOS_EXPLICIT;
    spec.theta = &one;
    spec.n_theta = 1;
    spec.dim = 2;
    assert_int_equal(sinpos_theta_of_spec(&theta, &spec), SINPOS_E_VALUE);
    assert_null(theta);
    assert_int_equal(sinpos_theta_of_spec(NULL, &spec), SINPOS_E_NULL);
}

static void compared(void **state)
{
    (void)state;
    skip_without_flint();
    static const char *const texts[] = {"t", "t^2", "sqrt(t)", "10000^-t", "1000^-t"};
    static const double x[] = {8, 1e7};
    const sinpos_theta *theta[5];
    double value[10], size[10];
    size_t rank[10], sum[2] = {0, 0};
    for (size_t i = 0; i < 5; i++)
        theta[i] = parsed(texts[i]);
    assert_int_equal(sinpos_schedules_compare(theta, 5, x, 2, value, size, rank, 2, NULL, NULL), SINPOS_OK);
    for (size_t i = 0; i < 5; i++) {
        sum[0] += rank[2 * i];
        sum[1] += rank[2 * i + 1];
    }
    assert_true(sum[0] == 15 && sum[1] == 15);
    assert_true(fabs(value[6] - 0.724850215985) < 1e-12);
    assert_int_equal(rank[6], 5);                   /* near, base 10000 is the slowest */
    assert_true(rank[7] < rank[3] && rank[3] == 5); /* far, t^2 is */
    assert_true(rank[8] < rank[6] && rank[9] < rank[7]);
    const double bad[] = {0};
    assert_int_equal(sinpos_schedules_compare(theta, 5, bad, 1, value, size, rank, 1, NULL, NULL), SINPOS_E_VALUE);
    assert_int_equal(sinpos_schedules_compare(theta, 5, x, 2, NULL, size, rank, 1, NULL, NULL), SINPOS_E_NULL);
    for (size_t i = 0; i < 5; i++)
        sinpos_theta_destroy((sinpos_theta *)(uintptr_t)theta[i]);
}

/* Too many oscillations for the work that is allowed: the radius says so, and there is no rank. */
static void unreached(void **state)
{
    (void)state;
    skip_without_flint();
    const double x[] = {0.01, 1e7};
    double value[4], size[4], radius[2];
    size_t rank[4];
    const sinpos_theta *theta[] = {parsed("sin(1000*t)"), parsed("t")};
    assert_int_equal(sinpos_continuum_values(theta[0], x, 2, value, radius, 1, NULL, NULL), SINPOS_OK);
    assert_true(value[0] < 1 && radius[0] < 1e-15);
    assert_true(fabs(value[1]) <= 1 && radius[1] >= 0.5 && radius[1] <= 2);
    assert_int_equal(sinpos_schedules_compare(theta, 2, x, 2, value, size, rank, 1, NULL, NULL), SINPOS_OK);
    assert_true(isnan(value[1]) && isnan(size[1]) && rank[1] == 0 && rank[3] == 1);
    assert_true(rank[0] == 1 && rank[2] == 2 && value[3] < 1e-7);
    sinpos_theta_destroy((sinpos_theta *)(uintptr_t)theta[0]);
    sinpos_theta_destroy((sinpos_theta *)(uintptr_t)theta[1]);
}

static void bad_texts(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        size_t at;
    } bad[] = {{"", 0},       {"10000^", 6}, {"t t", 2},   {"(t", 2},   {"t)", 1},         {"pow(t)", 5},  {"exp t", 4},
               {"foo(t)", 0}, {"t^^2", 2},   {"1e999", 0}, {"0x10", 1}, {"1..2", 2},       {"sqrt()", 5},  {".", 0},
               {"nan", 0},    {"inf", 0},    {"t,", 1},    {"-", 1},    {"pow(t,2,3)", 7}, {"\xc3\xa9", 0}};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        sinpos_theta *theta = (sinpos_theta *)(uintptr_t)1;
        const char *why = NULL;
        size_t at = 99;
        assert_int_equal(sinpos_theta_parse(&theta, bad[i].text, &why, &at), SINPOS_E_VALUE);
        assert_true(theta == NULL && why != NULL && why[0] != '\0');
        if (at != bad[i].at)
            printf("%s: at %zu, %s\n", bad[i].text, at, why);
        assert_int_equal(at, bad[i].at);
    }
    char deep[2001], wide[4001];
    sinpos_theta *theta;
    memset(deep, '(', 2000);
    deep[2000] = '\0';
    for (int i = 0; i < 2000; i++)
        memcpy(wide + 2 * i, "t+", 2);
    wide[3999] = '\0';
    assert_int_equal(sinpos_theta_parse(&theta, deep, NULL, NULL), SINPOS_E_VALUE);
    assert_int_equal(sinpos_theta_parse(&theta, wide, NULL, NULL), SINPOS_E_VALUE);
    assert_int_equal(sinpos_theta_parse(NULL, "t", NULL, NULL), SINPOS_E_NULL);
}

static void not_real(void **state)
{
    (void)state;
    skip_without_flint();
    static const char *const texts[] = {"sqrt(t-0.5)", "log(-t)", "1/0", "(t-2)^0.5", "sqrt(t-0.001)"};
    double x = 3, value = 7, radius = 7;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        sinpos_theta *theta = parsed(texts[i]);
        const sinpos_status status = sinpos_continuum_values(theta, &x, 1, &value, &radius, 1, NULL, NULL);
        if (status != SINPOS_E_VALUE)
            printf("%s: status %d, %.17g +- %g\n", texts[i], (int)status, value, radius);
        assert_int_equal(status, SINPOS_E_VALUE);
        sinpos_theta_destroy(theta);
    }
    sinpos_theta *line = parsed("t"); /* sin(x) / x */
    x = -0x1p63;
    assert_int_equal(sinpos_continuum_values(line, &x, 1, &value, &radius, 1, NULL, NULL), SINPOS_OK);
    assert_true(fabs(value) < 0x1p-62);
    sinpos_theta_destroy(line);
    x = 3;
    sinpos_theta *theta = parsed("log(t)"); /* infinite at an end: 1 / (1 + x^2) */
    assert_int_equal(sinpos_continuum_values(theta, &x, 1, &value, &radius, 1, NULL, NULL), SINPOS_OK);
    assert_true(fabs(value - 0.1) < 1e-15 && radius < 1e-14);
    x = NAN;
    assert_int_equal(sinpos_continuum_values(theta, &x, 1, &value, &radius, 1, NULL, NULL), SINPOS_E_RANGE);
    x = nextafter(0x1p63, INFINITY);
    assert_int_equal(sinpos_continuum_values(theta, &x, 1, &value, &radius, 1, NULL, NULL), SINPOS_E_RANGE);
    x = 3;
    assert_int_equal(sinpos_continuum_values(theta, &x, 1, &value, &radius, 1025, NULL, NULL), SINPOS_E_VALUE);
    assert_int_equal(sinpos_continuum_values(NULL, &x, 1, &value, &radius, 1, NULL, NULL), SINPOS_E_NULL);
    sinpos_theta_destroy(theta);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(published),
        cmocka_unit_test(against_quadrature),
        cmocka_unit_test(closed_against_integral),
        cmocka_unit_test(crossings),
        cmocka_unit_test(within_the_radius),
        cmocka_unit_test(negative_theta),

        cmocka_unit_test(of_specifications),
        cmocka_unit_test(compared),
        cmocka_unit_test(unreached),
        cmocka_unit_test(bad_texts),
        cmocka_unit_test(not_real),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
