/*
 * Every convention, output and arithmetic in each of the caller's modes, while it is made and while it is filled [P6]; and
 * specifications with numbers that flushing to zero would lose.
 */
#include <string.h>

#include "cases.h"
#include "modes.h"
#include "sinpos_conventions.h"
#include "size.h"

static size_t step = 1; /* every so many of them */

enum { OUTPUTS = 8, ROWS = 3, MOST = 1 << 16 };

static unsigned char want[MOST], got[MOST];

static sinpos_encoding *create(const char *name, size_t output, bool published)
{
    sinpos_parameters *p = NULL;
    sinpos_encoding *e = NULL;
    assert_int_equal(sinpos_parameters_create(&p), SINPOS_OK);
    assert_int_equal(sinpos_parameters_set_text(p, "output", sinpos_output_name((sinpos_output)output)), SINPOS_OK);
    if (published)
        assert_int_equal(sinpos_parameters_set_text(p, "arithmetic", "published"), SINPOS_OK);
    if (sinpos_encoding_create(&e, name, p, 0, NULL) != SINPOS_OK)
        assert_null(e);
    sinpos_parameters_destroy(p);
    return e;
}

/* Rows in float32 and float64, and frequencies; returns the bytes, 0 where the convention refuses. */
static size_t rows_of(const char *name, size_t output, bool published, unsigned char *out)
{
    sinpos_encoding *e = create(name, output, published);
    const sinpos_encoding_info *info = sinpos_encoding_info_get(e);
    size_t bytes = 0;
    if (e == NULL)
        return 0;
    const size_t n = info->n_rows < ROWS ? info->n_rows : ROWS, elements = n * info->n_columns;
    if (elements * 12 <= MOST && elements > 0) {
        const sinpos_status narrow = sinpos_encoding_fill(e, info->n_rows - n, n, SINPOS_F32, out, info->n_columns, 1);
        const sinpos_status wide =
            sinpos_encoding_fill(e, info->n_rows - n, n, SINPOS_F64, out + 4 * elements, info->n_columns, 1);
        bytes = 4 * elements + (wide == SINPOS_OK ? 8 * elements : 0);
        assert_true(narrow == SINPOS_OK || narrow == SINPOS_E_TYPE);
    }
    sinpos_encoding_destroy(e);
    return bytes;
}

static void conventions_in_every_mode(void **state)
{
    (void)state;
    size_t n_made = 0;
    for (size_t k = 0; k < 2 * OUTPUTS * sinpos_conventions_count(); k += step) {
        const char *name = sinpos_convention_name(sinpos_convention_at(k / 2 / OUTPUTS));
        const size_t bytes = rows_of(name, k / 2 % OUTPUTS, k % 2, want);
        n_made += bytes > 0;
        for (unsigned m = 1; m < N_MODES && bytes > 0; m += m < 4 ? 1 : 2) {
            mode_kept kept;
            mode_set(m, &kept);
            const size_t made = rows_of(name, k / 2 % OUTPUTS, k % 2, got);
            const bool same = mode_end(&kept);
            assert_or_say(made == bytes && memcmp(got, want, bytes) == 0 && same, "%s, %s%s: other bytes %s", name,
                          sinpos_output_name((sinpos_output)(k / 2 % OUTPUTS)), k % 2 ? ", published" : "",
                          mode_name(m));
        }
    }
    assert_true(n_made > 300 / step);
}

/* Numbers below 2^-1022, which DAZ would take for zero. */
static size_t subnormal(unsigned which, unsigned char *out)
{
    static const double tiny[2] = {1e-310, 3e-312};
    sinpos_spec s = SINPOS_SPEC_INIT;
    sinpos_plan *plan = NULL;
    sinpos_error error = SINPOS_ERROR_INIT;
    double theta[2] = {0, 0}, *const rows = (double *)(void *)(out + 64);
    size_t n = 0;
    s.dim = 4;
    switch (which) {
    case 0: s.base = 1e-310; break;
    case 1: s.scale = 1e-310; break;
    case 2: s.amplitude = 1e-310; break;
    case 3: s.shift = 1e-310; break;
    case 4:
        s.schedule = SINPOS_EXPLICIT;
        s.theta = tiny;
        s.n_theta = 2;
        break;
    case 5:
        s.factor = tiny;
        s.n_factor = 2;
        break;
    case 6:
        s.schedule = SINPOS_OCTAVE;
        s.shift = 1e-310;
        break;
    case 7:
        s.schedule = SINPOS_TURNS;
        s.theta = tiny;
        s.n_theta = 2;
        break;
    case 8: s.phase = 1e-310; break;
    case 9: s.base_divisor = 1e-310; break;
    default: return 0;
    }
    s.order = SINPOS_COS_SIN;
    const sinpos_status checked = sinpos_spec_check(&s, &error), created = sinpos_plan_create(&plan, &s);
    const sinpos_status statuses[] = {checked, created};
    memcpy(out, statuses, sizeof statuses);
    memcpy(out + 16, error.message, strlen(error.message) < 48 ? strlen(error.message) : 48);
    if (plan != NULL) {
        const double positions[2] = {1e-308, 3.5e18};
        const sinpos_rows at = {.struct_size = sizeof at, .n = 2, .reals = positions};
        assert_int_equal(sinpos_plan_theta(plan, theta, 2, &n), SINPOS_OK);
        memcpy(rows, theta, sizeof theta);
        assert_int_equal(sinpos_fill_real(plan, positions, 2, SINPOS_F64, rows + 2, 4), SINPOS_OK);
        for (size_t i = 0; i < 8; i++)
            rows[10 + i] = i % 2 == 0 ? 2e-310 : 1.5;
        const sinpos_status turned = sinpos_rotate(plan, &at, SINPOS_INVERSE, 1, SINPOS_F64, rows + 10, 4, 4, 1);
        assert_true(turned == SINPOS_OK || turned == SINPOS_E_VALUE);
    }
    sinpos_plan_destroy(plan);
    return 64 + 18 * sizeof(double);
}

static void subnormal_numbers(void **state)
{
    (void)state;
    for (unsigned which = 0;; which++) {
        memset(want, 0, 1024);
        const size_t bytes = subnormal(which, want);
        for (unsigned m = 0; m < N_MODES && bytes > 0; m++) {
            mode_kept kept;
            memset(got, 0, 1024);
            mode_set(m, &kept);
            (void)subnormal(which, got);
            const bool same = mode_end(&kept);
            assert_or_say(memcmp(got, want, bytes) == 0 && same, "specification %u: other bytes %s", which,
                          mode_name(m));
        }
        if (bytes == 0)
            break;
    }
}

/* every_convention [--brief] */
int main(int argc, char **argv)
{
    step = argc > 1 && strcmp(argv[1], "--brief") == 0 ? (small_size() ? 31 : 7) : 1;
    const struct CMUnitTest tests[] = {cmocka_unit_test(conventions_in_every_mode),
                                       cmocka_unit_test(subnormal_numbers)};
    return cmocka_run_group_tests_name("every_convention", tests, NULL, NULL);
}
