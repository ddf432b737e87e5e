/* Tables made by the core, then treated badly: what is said of them must be what was put in. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cases.h"

#include "identify_table.h"
#include "random.h"
#include "size.h"

/* The exact rows of what was found are the table. */
static void assert_same_rows(const sinpos_identity *found, const void *data)
{
    const size_t bytes = found->n * found->dim * sinpos_type_bytes(found->type);
    void *again = malloc(bytes);
    assert_non_null(again);
    assert_int_equal(sinpos_identity_rows(found, 0, found->n, found->type, again, 1), SINPOS_OK);
    assert_memory_equal(again, data, bytes);
    free(again);
}

static void all_types(void **state)
{
    (void)state;
    static const sinpos_type types[] = {SINPOS_F64, SINPOS_F32, SINPOS_F16, SINPOS_BF16};
    static const double bases[] = {10000, 500000, 100};
    static const int64_t starts[] = {0, 1, 1000, 123456};
    for (size_t t = 0; t < 4; t++) {
        for (size_t b = 0; b < 3; b++) {
            for (size_t s = small_size() ? (b + t) % 3 : 0; s < (t < 2 ? 4 : 3);
                 s += small_size() ? 3 : 1) { /* far away 16 bits do not tell positions apart */
                sinpos_spec spec = SINPOS_SPEC_INIT;
                spec.dim = 16 << b;
                spec.base = bases[b];
                spec.layout = b == 1 ? SINPOS_HALVES : SINPOS_INTERLEAVED;
                spec.order = s == 1 ? SINPOS_COS_SIN : SINPOS_SIN_COS;
                void *data = make_table(&spec, starts[s], 40, types[t]);
                sinpos_identity *found = identify(data, 40, spec.dim, types[t]);
                if (!found->is_sinusoidal || found->axis[0].base != bases[b] ||
                    found->axis[0].start != (double)starts[s]) {
                    printf("type %d, base %g, start %lld: found %d, base %g, start %g\n", (int)types[t], bases[b],
                           (long long)starts[s], found->is_sinusoidal, found->axis[0].base, found->axis[0].start);
                }
                assert_true(found->is_sinusoidal);
                assert_true(found->axis[0].base == bases[b]);
                assert_true(found->axis[0].start == (double)starts[s] && found->axis[0].step == 1);
                assert_true(found->total.wrong == 0);
                assert_same_rows(found, data);
                sinpos_identity_destroy(found);
                free(data);
            }
        }
    }
}

/* The slowest tone has turned thousands of times; in few columns all tones turn together again and again. */
static void far_starts(void **state)
{
    (void)state;
    static const struct far {
        size_t dim;
        int64_t start;
    } cases[] = {{4, 900},         {4, 20000},       {8, 1000000},     {64, 123456789},
                 {64, 2000000000}, {512, 123456789}, {2560, 123456789}};
    for (size_t i = 0; i < (small_size() ? 4 : sizeof cases / sizeof cases[0]); i++) {
        for (int t = 0; t < 2; t++) {
            const sinpos_type type = t == 0 ? SINPOS_F64 : SINPOS_F32;
            sinpos_spec spec = SINPOS_SPEC_INIT;
            spec.dim = cases[i].dim;
            void *data = make_table(&spec, cases[i].start, 80, type);
            sinpos_identity *found = identify(data, 80, spec.dim, type);
            if (!found->is_sinusoidal || found->axis[0].start != (double)cases[i].start) {
                printf("dim %zu, start %lld: found %d, start %.17g\n", spec.dim, (long long)cases[i].start,
                       found->is_sinusoidal, found->axis[0].start);
            }
            assert_true(found->is_sinusoidal && found->axis[0].base == 10000);
            assert_true(found->axis[0].start == (double)cases[i].start && found->axis[0].step == 1);
            assert_true(found->total.wrong == 0);
            sinpos_identity_destroy(found);
            free(data);
        }
    }
}

/*
 * A sine or a cosine without its partner tells its frequency by itself, where no formula does: the elements of an exact
 * table tell all frequencies well enough to make them again.
 */
/* 0.1 is not a float: the sum of two floats is not the sum with 0.1, rounded. */
static void constants_as_code_adds_them(void **state)
{
    (void)state;
    enum { N = 200, DIM = 32 };
    sinpos_spec spec = SINPOS_SPEC_INIT;
    spec.dim = DIM;
    float *data = make_table(&spec, 0, N, SINPOS_F32), again[N * DIM];
    for (size_t i = 0; i < N * DIM; i++)
        data[i] += 0.1f;
    sinpos_identity *found = identify(data, N, DIM, SINPOS_F32);
    assert_true(found->is_sinusoidal && found->total.wrong == 0);
    assert_int_equal(sinpos_identity_rows_as_found(found, 0, N, SINPOS_F32, again, 1), SINPOS_OK);
    assert_memory_equal(again, data, sizeof again);
    sinpos_identity_destroy(found);
    free(data);
}

static void odd_widths(void **state)
{
    (void)state;
    static const size_t dims[] = {3, 5, 7, 9, 33, 257}, rows[] = {9, 20, 300};
    random_state random = random_seed(7, 1);
    for (size_t i = 0; i < 6 * 3 * 2 * 4; i += small_size() ? 7 : 1) {
        sinpos_spec spec = SINPOS_SPEC_INIT;
        const size_t n = rows[i / 6 % 3];
        const bool is_power = i / 18 % 2 == 0;
        double theta[129];
        spec.dim = dims[i % 6];
        spec.layout = i / 36 % 2 == 0 ? SINPOS_INTERLEAVED : SINPOS_HALVES;
        spec.order = i / 72 == 0 ? SINPOS_SIN_COS : SINPOS_COS_SIN;
        spec.schedule = is_power ? SINPOS_POWER : SINPOS_EXPLICIT;
        for (size_t k = 0; k < (spec.dim + 1) / 2; k++) /* in no order */
            theta[k] = 0.125 + (double)random_below(&random, 1 << 20) * 0x1p-20;
        spec.theta = is_power ? NULL : theta;
        spec.n_theta = is_power ? 0 : (spec.dim + 1) / 2;
        void *data = make_table(&spec, 0, n, SINPOS_F32);
        sinpos_identity *found = identify(data, n, spec.dim, SINPOS_F32);
        if (!found->is_sinusoidal || found->total.wrong > 0) {
            printf("case %zu, dim %zu, %zu rows, %s: found %d, %zu wrong\n", i, spec.dim, n,
                   is_power ? "power" : "explicit", found->is_sinusoidal, (size_t)found->total.wrong);
        }
        assert_true(found->is_sinusoidal && found->total.wrong == 0);
        sinpos_identity_destroy(found);
        free(data);
    }
}

static void add_noise(float *x, size_t n, double deviation, random_state *random)
{
    for (size_t i = 0; i < n; i++) {
        double sum = -6;
        for (int k = 0; k < 12; k++)
            sum += (double)random_below(random, 1 << 20) * 0x1p-20;
        x[i] += (float)(deviation * sum);
    }
}

/* Positions and amplitude are still told, not a list of what each row seems to have. */
static void much_noise(void **state)
{
    (void)state;
    random_state random = random_seed(8, 0);
    static const double deviations[] = {0.05, 0.1, 0.2};
    for (size_t i = 0; i < 3; i++) {
        sinpos_spec spec = SINPOS_SPEC_INIT;
        spec.dim = 128;
        spec.layout = i == 1 ? SINPOS_HALVES : SINPOS_INTERLEAVED;
        float *x = make_table(&spec, (int64_t)i, 300, SINPOS_F32);
        add_noise(x, (size_t)300 * 128, deviations[i], &random);
        sinpos_identity *found = identify(x, 300, 128, SINPOS_F32);
        assert_true(found->is_sinusoidal && found->axis[0].base == 10000 && found->axis[0].divisor == 64);
        assert_true(found->positions == NULL && found->axis[0].start == (double)i && found->axis[0].step == 1);
        assert_true(found->amplitude == 1 && found->n_altered == 0);
        assert_true(fabs(found->noise - deviations[i]) < 0.05 * deviations[i]);
        sinpos_identity_destroy(found);
        free(x);
    }
}

static void noise_and_altered_elements(void **state)
{
    (void)state;
    random_state random = random_seed(7, 0);
    sinpos_spec spec = SINPOS_SPEC_INIT;
    spec.dim = 64;
    float *x = make_table(&spec, 0, 200, SINPOS_F32);
    x[20 * 64 + 3] += 0.25f;
    x[150 * 64 + 60] = NAN;
    sinpos_identity *found = identify(x, 200, 64, SINPOS_F32);
    assert_true(found->is_sinusoidal && found->n_altered == 2 && found->noise == 0);
    assert_true(found->altered[0].row == 20 && found->altered[0].column == 3);
    assert_true(found->altered[1].row == 150 && found->altered[1].column == 60);
    assert_int_equal(found->total.wrong, 2);
    sinpos_identity_destroy(found);
    x[150 * 64 + 60] = 0;
    add_noise(x, (size_t)200 * 64, 0.01, &random);
    found = identify(x, 200, 64, SINPOS_F32);
    assert_true(found->is_sinusoidal && found->axis[0].base == 10000);
    assert_true(found->noise > 0.009 && found->noise < 0.011);
    sinpos_identity_destroy(found);
    free(x);
}

static void permuted_columns(void **state)
{
    (void)state;
    enum { DIM = 32, N = 100 };
    random_state random = random_seed(11, 0);
    size_t to[DIM];
    sinpos_spec spec = SINPOS_SPEC_INIT;
    spec.dim = DIM;
    float *x = make_table(&spec, 0, N, SINPOS_F32), *y = calloc(N * DIM, sizeof *y);
    assert_non_null(y);
    for (size_t j = 0; j < DIM; j++) {
        const size_t k = random_below(&random, j + 1);
        to[j] = to[k];
        to[k] = j;
    }
    for (size_t i = 0; i < (size_t)N * DIM; i++)
        y[i / DIM * DIM + to[i % DIM]] = x[i];
    sinpos_identity *found = identify(y, N, DIM, SINPOS_F32);
    assert_true(found->is_sinusoidal && found->nest == SINPOS_NEST_PERMUTED && found->total.wrong == 0);
    for (size_t k = 0; k < DIM / 2; k++) {
        assert_int_equal(found->sin_column[k], to[2 * k]);
        assert_int_equal(found->cos_column[k], to[2 * k + 1]);
    }
    assert_same_rows(found, y);
    sinpos_identity_destroy(found);
    free(x);
    free(y);
}

/* Rows at positions that are in no steps: integers and reals. */
static void *make_listed(const sinpos_spec *spec, const double *positions, size_t n, sinpos_type type)
{
    sinpos_plan *plan;
    const sinpos_rows rows = {.struct_size = sizeof rows, .n = n, .reals = positions};
    void *data = calloc(n * spec->dim, sinpos_type_bytes(type));
    assert_non_null(data);
    assert_int_equal(sinpos_plan_create(&plan, spec), SINPOS_OK);
    assert_int_equal(sinpos_run(plan, SINPOS_FILL, &rows, type, data, spec->dim, 1), SINPOS_OK);
    sinpos_plan_destroy(plan);
    return data;
}

enum { LISTED = 160 };

static sinpos_identity *identify_listed(const sinpos_spec *spec, const double *positions, sinpos_type type)
{
    void *data = make_listed(spec, positions, LISTED, type);
    sinpos_identity *found = identify(data, LISTED, spec->dim, type);
    assert_true(found->is_sinusoidal && found->n_axes == 1 && found->positions != NULL);
    assert_true(found->axis[0].base == spec->base && found->axis[0].divisor == (double)spec->dim / 2);
    assert_true(found->axis[0].scale == 1);
    free(data);
    return found;
}

/* Integers are told from float32 up to 10^5, reals from float64; reals from float32 as nearly as the elements tell. */
static void listed_positions(void **state)
{
    (void)state;
    random_state random = random_seed(11, 0);
    static const double scales[] = {1, 99, 5000};
    for (size_t dim = 32; dim <= 128; dim *= 4) {
        sinpos_spec spec = SINPOS_SPEC_INIT;
        spec.dim = dim;
        double integers[LISTED], reals[LISTED];
        for (size_t i = 0; i < LISTED; i++)
            integers[i] = (double)random_below(&random, 100000);
        sinpos_identity *found = identify_listed(&spec, integers, SINPOS_F32);
        assert_true(found->total.wrong == 0);
        assert_memory_equal(found->positions, integers, sizeof integers);
        sinpos_identity_destroy(found);
        for (size_t s = 0; s < sizeof scales / sizeof scales[0]; s++) {
            for (size_t i = 0; i < LISTED; i++)
                reals[i] = scales[s] * sqrt((double)random_below(&random, 1000) + 0.25);
            found = identify_listed(&spec, reals, SINPOS_F64);
            assert_true(found->total.max_abs_error <= 1e-15);
            for (size_t i = 0; i < LISTED; i++)
                assert_true(fabs(found->positions[i] - reals[i]) <= 0x1p-51 + 0x1p-52 * reals[i]);
            sinpos_identity_destroy(found);
            found = identify_listed(&spec, reals, SINPOS_F32);
            assert_true(found->total.wrong == 0 && strstr(found->arithmetic, "exact") != NULL);
            sinpos_identity_destroy(found);
        }
    }
}

/* What the reader of rows returns ends the work, wherever it is. */
struct stopping {
    struct memory memory;
    long left;
};

static sinpos_status read_some(void *context, size_t first, size_t n, void *rows)
{
    struct stopping *own = context;
    return own->left-- > 0 ? read_rows(&own->memory, first, n, rows) : SINPOS_E_STOPPED;
}

static void stopped(void **state)
{
    (void)state;
    sinpos_spec spec = SINPOS_SPEC_INIT;
    spec.dim = 32;
    double positions[LISTED];
    for (size_t i = 0; i < LISTED; i++)
        positions[i] = sqrt((double)i);
    void *data = make_listed(&spec, positions, LISTED, SINPOS_F32);
    const size_t shape[] = {LISTED, 32};
    sinpos_status status = SINPOS_E_STOPPED;
    for (long calls = 0; status == SINPOS_E_STOPPED; calls = 2 * calls + 1) {
        struct stopping own = {{data, 32 * sizeof(float)}, calls};
        const sinpos_table table = {2, shape, SINPOS_F32, read_some, &own};
        sinpos_identity *found = (sinpos_identity *)data;
        status = sinpos_identify(&found, &table, 1);
        assert_true((status == SINPOS_OK) == (found != NULL));
        assert_true(calls > 0 || status == SINPOS_E_STOPPED);
        assert_true(status == SINPOS_OK || (status == SINPOS_E_STOPPED && own.left < 0));
        sinpos_identity_destroy(found);
    }
    free(data);
}

static void arguments(void **state)
{
    (void)state;
    const float x[4] = {0};
    const size_t shape[] = {2, 2}, empty[] = {2, 0};
    struct memory memory = {(const char *)x, 8};
    sinpos_table table = {2, shape, SINPOS_F32, read_rows, &memory};
    sinpos_identity *found;
    assert_int_equal(sinpos_identify(NULL, &table, 1), SINPOS_E_NULL);
    assert_int_equal(sinpos_identify(&found, NULL, 1), SINPOS_E_NULL);
    assert_int_equal(sinpos_identify(&found, &table, 1025), SINPOS_E_VALUE);
    table.shape = empty;
    assert_int_equal(sinpos_identify(&found, &table, 1), SINPOS_E_SHAPE);
    table.shape = shape;
    table.n_dims = 1;
    assert_int_equal(sinpos_identify(&found, &table, 1), SINPOS_E_SHAPE);
    table.n_dims = 2;
    table.type = (sinpos_type)3;
    assert_int_equal(sinpos_identify(&found, &table, 1), SINPOS_E_TYPE);
    table.type = SINPOS_F32;
    assert_int_equal(sinpos_identify(&found, &table, 1), SINPOS_OK);
    assert_false(found->is_sinusoidal);
    float row[2];
    assert_int_equal(sinpos_identity_rows(found, 0, 1, SINPOS_F32, row, 1), SINPOS_E_VALUE);
    assert_int_equal(sinpos_identity_rows(found, 2, 1, SINPOS_F32, row, 1), SINPOS_E_RANGE);
    assert_int_equal(sinpos_identity_rows(NULL, 0, 1, SINPOS_F32, row, 1), SINPOS_E_NULL);
    sinpos_identity_destroy(found);
    sinpos_identity_destroy(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_types),  cmocka_unit_test(noise_and_altered_elements),
        cmocka_unit_test(much_noise), cmocka_unit_test(permuted_columns),
        cmocka_unit_test(arguments),  cmocka_unit_test(listed_positions),
        cmocka_unit_test(stopped),    cmocka_unit_test(far_starts),
        cmocka_unit_test(odd_widths), cmocka_unit_test(constants_as_code_adds_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
