/* shift.c: M_k as a matrix and applied to an array. */
#include <math.h>

#include "unit.h"

static void matrix_against_definition(void **state)
{
    (void)state;
    double m[9 * 8], theta[4], probe[8];
    size_t n;
    sinpos_plan *plan = usual_plan(8, 0);
    assert_int_equal(sinpos_plan_theta(plan, theta, 4, &n), SINPOS_OK);
    memset(m, 0xff, sizeof m);
    assert_int_equal(sinpos_shift_matrix(plan, 5, SINPOS_F64, m, 9), SINPOS_OK);
    for (size_t i = 0; i < 8; i++)
        for (size_t j = 0; j < 8; j++) {
            const double s = sin(5 * theta[i / 2]), c = cos(5 * theta[i / 2]);
            const double want = i / 2 != j / 2 ? 0 : i == j ? c : i % 2 == 0 ? s : -s;
            assert_true(fabs(m[9 * i + j] - want) < 1e-15);
            assert_true(want != 0 || !signbit(m[9 * i + j]));
        }
    /* the entries are elements of an encoding: sin and cos of 5 theta, rounded once */
    assert_int_equal(sinpos_fill(plan, 5, 1, SINPOS_F64, probe, 8), SINPOS_OK);
    for (size_t i = 0; i < 4; i++) {
        assert_true(m[9 * (2 * i) + 2 * i + 1] == probe[2 * i]);
        assert_true(m[9 * (2 * i + 1) + 2 * i] == -probe[2 * i]);
        assert_true(m[9 * (2 * i) + 2 * i] == probe[2 * i + 1]);
    }
    sinpos_plan_destroy(plan);
}

/* Phase and amplitude are no part of M_k. */
static void matrix_without_phase(void **state)
{
    (void)state;
    float a[36], b[36];
    sinpos_spec s = SINPOS_SPEC_INIT;
    sinpos_plan *plain = NULL, *other = NULL;
    s.dim = 6;
    assert_int_equal(sinpos_plan_create(&plain, &s), SINPOS_OK);
    s.phase = 0.7;
    s.phase_turns = 0.1;
    s.amplitude = -5;
    assert_int_equal(sinpos_plan_create(&other, &s), SINPOS_OK);
    assert_int_equal(sinpos_shift_matrix(plain, -12345, SINPOS_F32, a, 6), SINPOS_OK);
    assert_int_equal(sinpos_shift_matrix(other, -12345, SINPOS_F32, b, 6), SINPOS_OK);
    assert_memory_equal(a, b, sizeof a);
    sinpos_plan_destroy(plain);
    sinpos_plan_destroy(other);
}

/* Columns that no tone names: zero rows and columns of the matrix, untouched elements of an array. */
static void unnamed_columns(void **state)
{
    (void)state;
    sinpos_spec s = SINPOS_SPEC_INIT;
    sinpos_plan *plan = NULL;
    s.dim = 5;
    s.odd = SINPOS_ZERO;
    assert_int_equal(sinpos_plan_create(&plan, &s), SINPOS_OK);
    double m[25], x[10];
    memset(m, 0xff, sizeof m);
    assert_int_equal(sinpos_shift_matrix(plan, 3, SINPOS_F64, m, 5), SINPOS_OK);
    for (size_t i = 0; i < 5; i++)
        assert_true(m[20 + i] == 0 && m[5 * i + 4] == 0);
    for (size_t i = 0; i < 10; i++)
        x[i] = NAN;
    x[4] = 42;
    assert_int_equal(sinpos_shift(plan, 3, 2, SINPOS_F64, x, 5), SINPOS_OK);
    assert_true(x[4] == 42 && isnan(x[9]));
    sinpos_plan_destroy(plan);
}

static void a_missing_column(void **state)
{
    (void)state;
    sinpos_plan *plan = usual_plan(5, 0); /* truncate: the last tone lacks its cosine */
    unsigned char out[25 * 8];
    set_pattern(out, sizeof out);
    for (int work = WORK_SHIFT; work <= WORK_SHIFT_MATRIX; work++) {
        const work_call c = {.plan = plan, .first = 1, .n = 2, .type = SINPOS_F64, .out = out, .ld = 5};
        assert_int_equal(work_do(work, &c), SINPOS_E_COLUMNS);
        assert_true(is_pattern(out, sizeof out));
    }
    sinpos_plan_destroy(plan);
}

/* k = 0 changes nothing, but that a negative zero of a sum x cos 0 + y sin 0 is an exact zero, +0. */
static void no_shift(void **state)
{
    (void)state;
    for (int t = 0; t < N_TYPES; t++) {
        unsigned char x[64 * 12 * 8], y[sizeof x];
        sinpos_plan *plan = usual_plan(12, 0);
        assert_int_equal(sinpos_fill(plan, 17, 64, all_types[t], x, 12), SINPOS_OK);
        memcpy(y, x, sizeof x);
        assert_int_equal(sinpos_shift(plan, 0, 64, all_types[t], y, 12), SINPOS_OK);
        assert_memory_equal(x, y, 64 * 12 * type_size(all_types[t]));
        sinpos_plan_destroy(plan);
    }
}

static void poisoned_pairs(void **state)
{
    (void)state;
    sinpos_plan *plan = usual_plan(4, 0);
    float x[4] = {INFINITY, 1, 0.5f, 0.25f};
    assert_int_equal(sinpos_shift(plan, 7, 1, SINPOS_F32, x, 4), SINPOS_OK);
    assert_true(isnan(x[0]) && isnan(x[1]) && !isnan(x[2]) && !isnan(x[3]));
    double y[4] = {1, NAN, 3, -INFINITY};
    assert_int_equal(sinpos_shift(plan, 0, 1, SINPOS_F64, y, 4), SINPOS_OK);
    for (int i = 0; i < 4; i++)
        assert_true(isnan(y[i]));
    sinpos_plan_destroy(plan);
}

/* The largest numbers of a type may leave its range: an infinity, as IEEE 754 rounds. */
static void overflow(void **state)
{
    (void)state;
    sinpos_plan *plan = usual_plan(2, 0);
    const uint16_t most = 0x7bff;
    uint16_t x[2] = {most, most};
    assert_int_equal(sinpos_shift(plan, 1, 1, SINPOS_F16, x, 2), SINPOS_OK);
    assert_int_equal(x[0], 0x7c00); /* 65504 (cos 1 + sin 1) */
    assert_true((x[1] & 0x7fff) < 0x7c00);
    double y[2] = {0x1.fffffffffffffp1023, 0x1.fffffffffffffp1023};
    assert_int_equal(sinpos_shift(plan, 1, 1, SINPOS_F64, y, 2), SINPOS_OK);
    assert_true(isinf(y[0]) && isfinite(y[1]));
    sinpos_plan_destroy(plan);
}

/* Turns: quarter and eighth turns are exact cases. */
static void exact_rotations(void **state)
{
    (void)state;
    static const double theta[3] = {0.25, 0.125, 1.0 / 16};
    sinpos_spec s = SINPOS_SPEC_INIT;
    sinpos_plan *plan = NULL;
    s.dim = 6;
    s.schedule = SINPOS_TURNS;
    s.theta = theta;
    s.n_theta = 3;
    assert_int_equal(sinpos_plan_create(&plan, &s), SINPOS_OK);
    double x[6] = {3, 5, 1, -1, 2, 7};
    assert_int_equal(sinpos_shift(plan, 1, 1, SINPOS_F64, x, 6), SINPOS_OK);
    assert_true(x[0] == 5 && x[1] == -3);       /* sine, cosine by a quarter */
    assert_true(x[2] == 0 && !signbit(x[2]));   /* (1 - 1) / sqrt 2: exactly zero, +0 */
    assert_true(x[3] == -0x1.6a09e667f3bcdp+0); /* -sqrt 2 */
    double y[6] = {3, 5, 1, -1, 2, 7};
    assert_int_equal(sinpos_shift(plan, INT64_C(1) << 50, 1, SINPOS_F64, y, 6), SINPOS_OK);
    assert_true(y[0] == 3 && y[1] == 5 && y[2] == 1 && y[3] == -1 && y[4] == 2 && y[5] == 7);
    sinpos_plan_destroy(plan);
}

/* M_k turns pairs as sinpos_rotate() does at position k: elements of every size, also those below the normal ones. */
static void as_rotated(void **state)
{
    (void)state;
    enum { WIDTH = 34, N = 40, BYTES = WIDTH * N * 8 };
    static const int64_t shifts[] = {1, -7, 12345, INT64_C(1) << 41, -(INT64_C(1) << 62)};
    static const unsigned digits[N_TYPES] = {52, 23, 10, 7};
    random_state r = random_seed(23, 1);
    for (size_t k = 0; k < sizeof shifts / sizeof *shifts; k++)
        for (unsigned t = 0; t < N_TYPES; t++)
            for (unsigned sizes = 0; sizes < 3; sizes++) {
                static unsigned char shifted[BYTES], rotated[BYTES];
                sinpos_plan *plan = usual_plan(WIDTH, 0);
                int64_t positions[N];
                const sinpos_rows rows = {.struct_size = sizeof rows, .n = N, .integers = positions};
                make_activations(&r, shifted, all_types[t], (size_t)WIDTH * N, sizes == 0 ? 0 : 100);
                for (size_t i = 0; i < (size_t)WIDTH * N && sizes == 2; i++) /* subnormal, or nearly */
                    store_bits(shifted, all_types[t], i,
                               random_u64(&r) >> (63 - digits[t]) | random_below(&r, 2)
                                                                        << (8 * type_size(all_types[t]) - 1));
                for (size_t i = 0; i < N; i++)
                    positions[i] = shifts[k];
                memcpy(rotated, shifted, BYTES);
                assert_int_equal(sinpos_shift(plan, shifts[k], N, all_types[t], shifted, WIDTH), SINPOS_OK);
                assert_int_equal(sinpos_rotate(plan, &rows, SINPOS_FORWARD, 1, all_types[t], rotated, WIDTH, WIDTH, 1),
                                 SINPOS_OK);
                assert_memory_equal(shifted, rotated, (size_t)WIDTH * N * type_size(all_types[t]));
                sinpos_plan_destroy(plan);
            }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(matrix_against_definition),
        cmocka_unit_test(as_rotated),
        cmocka_unit_test(matrix_without_phase),
        cmocka_unit_test(unnamed_columns),
        cmocka_unit_test(a_missing_column),
        cmocka_unit_test(no_shift),
        cmocka_unit_test(poisoned_pairs),
        cmocka_unit_test(overflow),
        cmocka_unit_test(exact_rotations),
    };
    return cmocka_run_group_tests_name("shift", tests, NULL, NULL);
}
