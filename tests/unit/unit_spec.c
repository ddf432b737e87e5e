/* spec.c, status.c: which specifications are allowed and why not; the tones they stand for; words and numbers. */
#include <math.h>

#include "unit.h"

static const double four[4] = {1, 2, 3, 4};
static const double with_nan[4] = {1, 2, NAN, 4};
static const double with_zero[4] = {1, 2, 0, 4};

static void refuse(const char *field, const sinpos_spec *s, sinpos_status want)
{
    sinpos_error error = SINPOS_ERROR_INIT;
    const sinpos_status got = sinpos_spec_check(s, &error);
    assert_or_say(got == want, "%s: got \"%s\" (%s), want \"%s\"", field, sinpos_strerror(got), error.message,
                  sinpos_strerror(want));
    assert_int_equal(error.status, want);
    assert_or_say(strstr(error.message, field) != NULL, "the reason \"%s\" does not name %s", error.message, field);
    assert_true(strlen(error.message) > strlen(field) + 5);
    assert_or_say(error.name[0] == '\0' || strstr(error.message, error.name) == error.message,
                  "\"%s\" does not begin with the field %s", error.message, error.name);
    sinpos_plan *plan = (sinpos_plan *)(uintptr_t)0x10;
    assert_int_equal(sinpos_plan_create(&plan, s), want);
    assert_null(plan);
    sinpos_tone tones[4];
    assert_int_equal(sinpos_spec_tones(s, tones, sinpos_spec_frequencies(s)), want);
}

static sinpos_spec usual(void)
{
    sinpos_spec s = SINPOS_SPEC_INIT;
    s.dim = 8;
    return s;
}

static void defaults_are_fine(void **state)
{
    (void)state;
    const sinpos_spec s = SINPOS_SPEC_INIT;
    sinpos_error error = SINPOS_ERROR_INIT;
    assert_int_equal(s.dim, 512);
    assert_true(s.base == 10000);
    assert_int_equal(s.struct_size, sizeof s);
    strcpy(error.message, "of before");
    assert_int_equal(sinpos_spec_check(&s, &error), SINPOS_OK);
    assert_string_equal(error.message, "");
    assert_int_equal(sinpos_spec_check(&s, NULL), SINPOS_OK);
    assert_int_equal(sinpos_spec_check(NULL, &error), SINPOS_E_NULL);
    assert_int_equal(error.status, SINPOS_E_NULL);
    assert_string_equal(error.message, sinpos_strerror(SINPOS_E_NULL));
    assert_int_equal(sinpos_spec_check(NULL, NULL), SINPOS_E_NULL);
}

static void sizes_and_choices(void **state)
{
    (void)state;
    sinpos_spec s = usual();
    s.struct_size = 0;
    refuse("struct_size", &s, SINPOS_E_STRUCT);
    s = usual();
    s.dim = 0;
    refuse("dim", &s, SINPOS_E_SPEC);
    s.dim = SINPOS_MAX_DIM + 1;
    refuse("dim", &s, SINPOS_E_SPEC);
    s.dim = SIZE_MAX;
    refuse("dim", &s, SINPOS_E_SPEC);
    const int bad = 77;
    s = usual();
    memcpy(&s.schedule, &bad, sizeof s.schedule);
    refuse("schedule", &s, SINPOS_E_SPEC);
    s = usual();
    memcpy(&s.layout, &bad, sizeof s.layout);
    refuse("layout", &s, SINPOS_E_SPEC);
    s = usual();
    memcpy(&s.order, &bad, sizeof s.order);
    refuse("order", &s, SINPOS_E_SPEC);
    s = usual();
    memcpy(&s.odd, &bad, sizeof s.odd);
    refuse("odd", &s, SINPOS_E_SPEC);
    s = usual();
    s.types = 16;
    refuse("types", &s, SINPOS_E_SPEC);
}

static void numbers(void **state)
{
    (void)state;
    static const double bad[] = {NAN, INFINITY, -INFINITY};
    for (int i = 0; i < 3; i++) {
        sinpos_spec s = usual();
        s.base = bad[i];
        refuse("base", &s, SINPOS_E_SPEC);
        s = usual();
        s.base_divisor = bad[i];
        refuse("base_divisor", &s, SINPOS_E_SPEC);
        s = usual();
        s.exponent = bad[i];
        refuse("exponent", &s, SINPOS_E_SPEC);
        s = usual();
        s.shift = bad[i];
        refuse("shift", &s, SINPOS_E_SPEC);
        s = usual();
        s.divisor = bad[i];
        refuse("divisor", &s, SINPOS_E_SPEC);
        s = usual();
        s.scale = bad[i];
        refuse("scale", &s, SINPOS_E_SPEC);
        s = usual();
        s.amplitude = bad[i];
        refuse("amplitude", &s, SINPOS_E_SPEC);
        s = usual();
        s.phase = bad[i];
        refuse("phase", &s, SINPOS_E_SPEC);
        s = usual();
        s.phase_turns = bad[i];
        refuse("phase", &s, SINPOS_E_SPEC);
    }
    sinpos_spec s = usual();
    s.base = 0;
    refuse("base", &s, SINPOS_E_SPEC);
    s.base = -10000;
    refuse("base", &s, SINPOS_E_SPEC);
    s = usual();
    s.base_divisor = 0;
    refuse("base_divisor", &s, SINPOS_E_SPEC);
    s.base_divisor = -1;
    refuse("base_divisor", &s, SINPOS_E_SPEC);
}

static void lists(void **state)
{
    (void)state;
    sinpos_spec s = usual();
    s.schedule = SINPOS_EXPLICIT;
    refuse("theta", &s, SINPOS_E_SPEC);
    s.theta = four;
    refuse("n_theta", &s, SINPOS_E_SPEC);
    s.n_theta = 3;
    refuse("n_theta", &s, SINPOS_E_SPEC);
    s.n_theta = 4;
    assert_int_equal(sinpos_spec_check(&s, NULL), SINPOS_OK);
    s.theta = with_zero;
    assert_int_equal(sinpos_spec_check(&s, NULL), SINPOS_OK);
    s.theta = with_nan;
    refuse("theta", &s, SINPOS_E_SPEC);
    s.schedule = SINPOS_TURNS;
    refuse("theta", &s, SINPOS_E_SPEC);
    s.theta = NULL;
    refuse("theta", &s, SINPOS_E_SPEC);
    s = usual();
    s.factor = four;
    refuse("n_factor", &s, SINPOS_E_SPEC);
    s.n_factor = 4;
    assert_int_equal(sinpos_spec_check(&s, NULL), SINPOS_OK);
    s.factor = with_zero;
    refuse("factor", &s, SINPOS_E_SPEC);
    s.factor = with_nan;
    refuse("factor", &s, SINPOS_E_SPEC);
}

/* A power of a negative number, or zero to a negative power, is not a frequency. */
static void power_needs_a_positive_argument(void **state)
{
    (void)state;
    sinpos_spec s = usual();
    s.schedule = SINPOS_POWER;
    s.exponent = 0.5;
    assert_int_equal(sinpos_spec_check(&s, NULL), SINPOS_OK);
    s.divisor = 2;
    assert_int_equal(sinpos_spec_check(&s, NULL), SINPOS_E_SPEC);
    s.divisor = 3;
    s.exponent = -1;
    assert_int_equal(sinpos_spec_check(&s, NULL), SINPOS_E_SPEC);
    s.exponent = 1;
    assert_int_equal(sinpos_spec_check(&s, NULL), SINPOS_OK);
}

/* Amplitudes just inside and outside of each type, where the type is asked for by name. */
static void amplitudes(void **state)
{
    (void)state;
    static const struct {
        unsigned types;
        double most; /* the smallest number that rounds to infinity */
    } limits[] = {{SINPOS_F16, 65520}, {SINPOS_BF16, 0x1.ffp127}, {SINPOS_F32, 0x1.ffffffp127}};
    for (size_t i = 0; i < 3; i++)
        for (int sign = -1; sign <= 1; sign += 2) {
            sinpos_spec s = usual();
            s.types = limits[i].types;
            s.amplitude = sign * limits[i].most;
            refuse("amplitude", &s, SINPOS_E_OVERFLOW);
            s.amplitude = sign * nextafter(limits[i].most, 0);
            assert_int_equal(sinpos_spec_check(&s, NULL), SINPOS_OK);
            s.amplitude = sign * limits[i].most;
            s.types = 0;
            assert_int_equal(sinpos_spec_check(&s, NULL), SINPOS_OK);
        }
}

/* Of a set of types each must hold the amplitude; of all types, which stand for none by name, any may. */
static void amplitudes_of_sets(void **state)
{
    (void)state;
    static const double sizes[] = {1, 65519, 65520, 1e30, 0x1.feffffp127, 0x1.ffp127, 0x1.ffffffp127, 1e300};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (unsigned types = 0; types < 16; types++) {
            const bool f16 = sizes[i] < 65520, bf16 = sizes[i] < 0x1.ffp127, f32 = sizes[i] < 0x1.ffffffp127;
            const bool fits =
                !((types & SINPOS_F16 && !f16) || (types & SINPOS_BF16 && !bf16) || (types & SINPOS_F32 && !f32));
            sinpos_spec s = usual();
            sinpos_plan *plan = NULL;
            s.types = types;
            s.amplitude = -sizes[i];
            assert_int_equal(sinpos_spec_check(&s, NULL), fits ? SINPOS_OK : SINPOS_E_OVERFLOW);
            assert_int_equal(sinpos_plan_create(&plan, &s), fits ? SINPOS_OK : SINPOS_E_OVERFLOW);
            assert_true((plan != NULL) == fits);
            sinpos_plan_destroy(plan);
            s.amplitude = 1;
            sinpos_tone tones[16];
            const size_t n = sinpos_spec_frequencies(&s);
            assert_int_equal(sinpos_spec_tones(&s, tones, n), SINPOS_OK);
            tones[n - 1].amplitude = sizes[i];
            assert_int_equal(sinpos_plan_create_tones(&plan, s.dim, 1, tones, n, types, NULL),
                             fits ? SINPOS_OK : SINPOS_E_OVERFLOW);
            assert_true((plan != NULL) == fits);
            sinpos_plan_destroy(plan);
        }
}

/* Frequencies are zero or between 2^-1074 and 2^600, whatever schedule makes them. */
static void sizes_of_frequencies(void **state)
{
    (void)state;
    static const int powers[] = {-1200, -1100, -1050, -500, 0, 590, 598, 604, 610, 650, 700, 1000};
    for (unsigned schedule = 0; schedule < 5; schedule++)
        for (size_t i = 0; i < sizeof powers / sizeof *powers; i++) {
            const bool fits = powers[i] >= -1070 && powers[i] < 600;
            const double theta[1] = {ldexp(1, powers[i] / 2)};
            sinpos_spec s = usual();
            s.dim = 2;
            s.schedule = (sinpos_schedule)schedule;
            s.exponent = 1;
            s.scale = ldexp(1, powers[i] - powers[i] / 2);
            s.base = schedule == SINPOS_GEOMETRIC ? theta[0] : 10000; /* base^-(-1) */
            s.shift = schedule == SINPOS_GEOMETRIC ? -1 : schedule == SINPOS_OCTAVE ? powers[i] / 2 : 0;
            s.divisor = 1;
            s.theta = theta;
            s.n_theta = 1;
            if (schedule == SINPOS_POWER)
                s.shift = 1 - theta[0]; /* 1 - shift */
            if (schedule < SINPOS_TURNS) {
                s.theta = NULL;
                s.n_theta = 0;
            }
            const bool is_rounded = schedule == SINPOS_POWER && 1 - (1 - theta[0]) != theta[0];
            if (!is_rounded)
                assert_int_equal(sinpos_spec_check(&s, NULL), fits ? SINPOS_OK : SINPOS_E_SPEC);
        }
}

static void frequencies(void **state)
{
    (void)state;
    assert_int_equal(sinpos_spec_frequencies(NULL), 0);
    for (size_t dim = 1; dim < 20; dim++) {
        sinpos_spec s = SINPOS_SPEC_INIT;
        s.dim = dim;
        assert_int_equal(sinpos_spec_frequencies(&s), (dim + 1) / 2);
        s.odd = SINPOS_ZERO;
        assert_int_equal(sinpos_spec_frequencies(&s), dim / 2);
    }
}

/* Columns against a second writing-out of the rules; bytes of a plan of the tones against the plan of the spec. */
static void tones(void **state)
{
    (void)state;
    static const double theta[8] = {0.5, 0.25, 1, 1.0 / 3, -2, 0, 1e-9, 7};
    for (unsigned k = 0; k < 5 * 8 * 16; k++) {
        sinpos_spec s = SINPOS_SPEC_INIT;
        s.schedule = (sinpos_schedule)(k % 5);
        s.layout = (sinpos_layout)(k / 5 % 2);
        s.order = (sinpos_order)(k / 10 % 2);
        s.odd = (sinpos_odd)(k / 20 % 2);
        s.dim = 1 + k / 40;
        s.scale = k % 3 ? 1 : 0.7;
        s.shift = k % 4 ? 0 : 0.5;
        s.exponent = 1.25;
        s.divisor = k % 4 ? 0 : 40;
        if (s.schedule == SINPOS_TURNS || s.schedule == SINPOS_EXPLICIT) {
            s.theta = theta;
            s.n_theta = sinpos_spec_frequencies(&s);
        }
        sinpos_tone got[16], want[16];
        const size_t n = expand_spec(&s, want);
        assert_int_equal(n, sinpos_spec_frequencies(&s));
        set_pattern(got, sizeof got);
        assert_int_equal(sinpos_spec_tones(&s, got, n - 1), n == 0 ? SINPOS_OK : SINPOS_E_CAPACITY);
        assert_true(is_pattern(got, sizeof got));
        assert_int_equal(sinpos_spec_tones(&s, got, n + k % 2), SINPOS_OK);
        for (size_t i = 0; i < n; i++) {
            assert_int_equal(got[i].sin_column, want[i].sin_column);
            assert_int_equal(got[i].cos_column, want[i].cos_column);
            assert_int_equal(got[i].axis, 0);
        }
        sinpos_plan *a = NULL, *b = NULL;
        double out[2][3 * 16];
        assert_int_equal(sinpos_plan_create(&a, &s), SINPOS_OK);
        assert_int_equal(sinpos_plan_create_tones(&b, s.dim, 1, got, n, 0, NULL), SINPOS_OK);
        assert_int_equal(sinpos_fill(a, 12345, 3, SINPOS_F64, out[0], s.dim), SINPOS_OK);
        assert_int_equal(sinpos_fill(b, 12345, 3, SINPOS_F64, out[1], s.dim), SINPOS_OK);
        assert_memory_equal(out[0], out[1], 3 * s.dim * sizeof(double));
        sinpos_plan_destroy(a);
        sinpos_plan_destroy(b);
    }
    const sinpos_spec s = usual();
    sinpos_tone some[4];
    assert_int_equal(sinpos_spec_tones(NULL, some, 4), SINPOS_E_NULL);
    assert_int_equal(sinpos_spec_tones(&s, NULL, 4), SINPOS_E_NULL);
}

static void words(void **state)
{
    (void)state;
    for (int i = 0; i <= 8; i++) {
        const char *text = sinpos_strerror((sinpos_status)i);
        assert_non_null(text);
        assert_true(strlen(text) > 3 && text[strlen(text) - 1] != '.');
        for (int j = 0; j < i; j++)
            assert_string_not_equal(text, sinpos_strerror((sinpos_status)j));
    }
    assert_string_equal(sinpos_strerror((sinpos_status)999), "unknown status");
    assert_string_equal(sinpos_version(), SINPOS_VERSION);
    assert_int_equal(sinpos_version_number(), 1000);
    assert_int_equal(SINPOS_VERSION_NUMBER, 1000);
    char version[40];
    (void)snprintf(version, sizeof version, "%d.%d.%d", SINPOS_VERSION_MAJOR, SINPOS_VERSION_MINOR,
                   SINPOS_VERSION_PATCH);
    assert_string_equal(version, SINPOS_VERSION);
}

static void type_sizes(void **state)
{
    (void)state;
    for (int t = 0; t < N_TYPES; t++)
        assert_int_equal(sinpos_type_bytes(all_types[t]), type_size(all_types[t]));
    assert_int_equal(sinpos_type_bytes((sinpos_type)0), 0);
    assert_int_equal(sinpos_type_bytes((sinpos_type)3), 0);
    assert_int_equal(sinpos_type_bytes((sinpos_type)16), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defaults_are_fine),
        cmocka_unit_test(sizes_and_choices),
        cmocka_unit_test(numbers),
        cmocka_unit_test(lists),
        cmocka_unit_test(power_needs_a_positive_argument),
        cmocka_unit_test(amplitudes),
        cmocka_unit_test(amplitudes_of_sets),
        cmocka_unit_test(sizes_of_frequencies),
        cmocka_unit_test(frequencies),
        cmocka_unit_test(tones),
        cmocka_unit_test(words),
        cmocka_unit_test(type_sizes),
    };
    return cmocka_run_group_tests_name("spec", tests, NULL, NULL);
}
