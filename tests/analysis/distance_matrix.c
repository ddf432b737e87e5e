/* Matrices of distances against sums in long double that know only the definition of a row; arguments. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "cases.h"

#include "random.h"
#include "sinpos_analysis.h"

static sinpos_plan *plan_of(size_t dim)
{
    sinpos_spec spec = SINPOS_SPEC_INIT;
    sinpos_plan *plan = NULL;
    spec.dim = dim;
    assert_int_equal(sinpos_plan_create(&plan, &spec), SINPOS_OK);
    return plan;
}

/* Rows of positions a and b, their difference, its norm. */
static long double distance_of_rows(size_t dim, int64_t a, int64_t b)
{
    long double sum = 0;
    for (size_t i = 0; i < dim / 2; i++) {
        const long double theta = powl(10000, -2.0L * (long double)i / (long double)dim);
        const long double s = sinl(a * theta) - sinl(b * theta), c = cosl(a * theta) - cosl(b * theta);
        sum += s * s + c * c;
    }
    return sqrtl(sum);
}

static void the_documents_own(void **state)
{
    (void)state;
    enum { N = 1000 };
    double *matrix = malloc((size_t)N * N * sizeof *matrix);
    sinpos_plan *plan = plan_of(N);
    assert_non_null(matrix);
    assert_int_equal(sinpos_distance_matrix(plan, 0, N, N, matrix, N, 2), SINPOS_OK);
    for (size_t row = 0; row < N; row += 37) {
        for (size_t column = 0; column < N; column += 111) {
            const long double want = distance_of_rows(N, (int64_t)row, (int64_t)column);
            assert_true(fabsl(matrix[row * N + column] - want) < 1e-12L);
        }
    }
    for (size_t i = 0; i < N; i++) {
        assert_true(matrix[i * N + i] == 0);
        for (size_t j = 0; j < i; j++)
            assert_true(matrix[i * N + j] == matrix[j * N + i] && matrix[i * N + j] == matrix[i - j]);
    }
    sinpos_plan_destroy(plan);
    free(matrix);
}

static void rows_and_threads(void **state)
{
    (void)state;
    enum { N = 77, LD = 80 };
    static double whole[N * LD], part[N * LD];
    sinpos_plan *plan = plan_of(62);
    for (size_t i = 0; i < N * LD; i++)
        whole[i] = part[i] = -1;
    assert_int_equal(sinpos_distance_matrix(plan, 0, N, N, whole, LD, 1), SINPOS_OK);
    for (size_t row = 0; row < N; row += 10) {
        const size_t rows = N - row < 10 ? N - row : 10;
        assert_int_equal(sinpos_distance_matrix(plan, row, rows, N, part + row * LD, LD, row % 4), SINPOS_OK);
    }
    assert_memory_equal(whole, part, sizeof whole);
    for (size_t i = 0; i < N; i++)
        assert_true(whole[i * LD + N] == -1 && whole[i * LD + LD - 1] == -1);
    sinpos_plan_destroy(plan);
}

static void any_positions(void **state)
{
    (void)state;
    enum { N = 23, DIM = 40 };
    static const uint64_t spans[] = {20, 1000, UINT64_C(1) << 20};
    double matrix[N * N];
    int64_t at[N];
    sinpos_plan *plan = plan_of(DIM);
    random_state random = random_seed(20260, 1);
    for (size_t s = 0; s < 3; s++) {
        for (size_t i = 0; i < N; i++)
            at[i] = (int64_t)(random_u64(&random) % spans[s]) - 10;
        assert_int_equal(sinpos_distance_matrix_at(plan, at, N, matrix, N, 3), SINPOS_OK);
        for (size_t i = 0; i < N; i++)
            for (size_t j = 0; j < N; j++)
                assert_true(fabsl(matrix[i * N + j] - distance_of_rows(DIM, at[i], at[j])) < 1e-12L);
    }
    at[0] = INT64_MAX;
    at[1] = 0;
    assert_int_equal(sinpos_distance_matrix_at(plan, at, 2, matrix, 2, 1), SINPOS_OK);
    assert_true(matrix[0] == 0 && matrix[1] > 0 && matrix[1] == matrix[2]);
    at[1] = -1;
    assert_int_equal(sinpos_distance_matrix_at(plan, at, 2, matrix, 2, 1), SINPOS_E_RANGE);
    sinpos_plan_destroy(plan);
}

static void arguments(void **state)
{
    (void)state;
    double out[16];
    const int64_t at[2] = {1, 2};
    sinpos_plan *plan = plan_of(8);
    assert_int_equal(sinpos_distance_matrix(NULL, 0, 1, 1, out, 1, 1), SINPOS_E_NULL);
    assert_int_equal(sinpos_distance_matrix(plan, 0, 1, 1, NULL, 1, 1), SINPOS_E_NULL);
    assert_int_equal(sinpos_distance_matrix(plan, 0, 4, 4, out, 3, 1), SINPOS_E_SHAPE);
    assert_int_equal(sinpos_distance_matrix(plan, 1, 4, 4, out, 4, 1), SINPOS_E_SHAPE);
    assert_int_equal(sinpos_distance_matrix(plan, 0, 4, 4, out, 4, 2000), SINPOS_E_VALUE);
    assert_int_equal(sinpos_distance_matrix(plan, 0, 2, SIZE_MAX / 8, out, SIZE_MAX / 8, 1), SINPOS_E_SHAPE);
    assert_int_equal(sinpos_distance_matrix(plan, 0, 0, 0, NULL, 0, 1), SINPOS_OK);
    assert_int_equal(sinpos_distance_matrix_at(plan, NULL, 2, out, 2, 1), SINPOS_E_NULL);
    assert_int_equal(sinpos_distance_matrix_at(plan, at, 2, out, 1, 1), SINPOS_E_SHAPE);
    assert_int_equal(sinpos_distance_matrix_at(plan, NULL, 0, NULL, 0, 1), SINPOS_OK);
    sinpos_plan_destroy(plan);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_documents_own),
        cmocka_unit_test(rows_and_threads),
        cmocka_unit_test(any_positions),
        cmocka_unit_test(arguments),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
