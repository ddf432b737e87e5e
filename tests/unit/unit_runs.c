/* unit_runs - lists of positions in which integers follow each other: every row has the bytes it has alone. */
#include "unit.h"

#include <cmocka.h>

#include "cases.h"

enum { ROWS = 150, MOST_DIM = 70, SEVERAL_PIECES = 531, HEADS = 2 };

static int64_t positions[ROWS];

/* Runs of up to 40 integers from hard places, each row of the list once. */
static void make_positions(random_state *r)
{
    static const int64_t places[] = {-20, -3, -1, 0, 1, ((int64_t)1 << 40) - 9, 12345};
    size_t left = 0;
    for (size_t i = 0; i < ROWS; i++) {
        if (left-- > 0) {
            positions[i] = positions[i - 1] + 1;
            continue;
        }
        left = random_chance(r, 50) ? random_below(r, 6) : random_below(r, 40);
        positions[i] = places[random_below(r, sizeof places / sizeof *places)];
    }
    for (size_t i = 0; i < 10; i++) /* the ends of the integers */
        positions[40 + i] = INT64_MAX - 9 + (int64_t)i;
    for (size_t i = 0; i < 10; i++)
        positions[60 + i] = INT64_MIN + 1 + (int64_t)i;
}

static sinpos_plan *plan_of(size_t dim, sinpos_layout layout)
{
    sinpos_spec spec = SINPOS_SPEC_INIT;
    sinpos_plan *plan = NULL;
    spec.dim = dim;
    spec.layout = layout;
    assert_int_equal(sinpos_plan_create(&plan, &spec), SINPOS_OK);
    return plan;
}

static void check_rows(const sinpos_plan *plan, sinpos_type type, sinpos_operation operation)
{
    static _Alignas(64) unsigned char all[ROWS * SEVERAL_PIECES * 8], alone[SEVERAL_PIECES * 8];
    const size_t dim = sinpos_plan_dim(plan), bytes = dim * type_size(type);
    const sinpos_rows rows = {.struct_size = sizeof rows, .n = ROWS, .integers = positions};
    memset(all, 0x3c, sizeof all);
    assert_int_equal(sinpos_run(plan, operation, &rows, type, all, dim, dim < SEVERAL_PIECES ? 2 : 1), SINPOS_OK);
    for (size_t i = 0; i < ROWS; i++) {
        const sinpos_rows one = {.struct_size = sizeof one, .n = 1, .integers = positions + i};
        memset(alone, 0x3c, sizeof alone);
        assert_int_equal(sinpos_run(plan, operation, &one, type, alone, dim, 1), SINPOS_OK);
        assert_memory_equal(all + i * bytes, alone, bytes);
    }
}

static void filled_and_added(void **state)
{
    (void)state;
    static const size_t dims[] = {2, 10, MOST_DIM};
    for (uint64_t seed = 0; seed < 6; seed++) {
        random_state r = random_seed(5, seed);
        make_positions(&r);
        sinpos_plan *plan = plan_of(dims[seed % 3], seed < 3 ? SINPOS_INTERLEAVED : SINPOS_HALVES);
        for (int t = 0; t < N_TYPES; t++) {
            check_rows(plan, all_types[t], SINPOS_FILL);
            check_rows(plan, all_types[t], SINPOS_ADD);
        }
        sinpos_plan_destroy(plan);
    }
}

/* What far rows share is made once for many runs and single rows, piece by piece: more of them than are taken together. */
static void far_rows_of_several_pieces(void **state)
{
    (void)state;
    random_state r = random_seed(7, 0);
    for (size_t i = 0; i < ROWS; i++)
        positions[i] = i % 5 < 2 ? (int64_t)(random_u64(&r) >> 1) - ((int64_t)1 << 62) : positions[i - 1] + 1;
    sinpos_plan *plan = plan_of(SEVERAL_PIECES, SINPOS_HALVES);
    for (int t = 0; t < N_TYPES; t++) {
        check_rows(plan, all_types[t], SINPOS_FILL);
        check_rows(plan, all_types[t], SINPOS_ADD);
    }
    sinpos_plan_destroy(plan);
}

static void check_rotated(size_t dim)
{
    static _Alignas(64) unsigned char all[ROWS * HEADS * SEVERAL_PIECES * 8], alone[HEADS * SEVERAL_PIECES * 8];
    sinpos_plan *plan = plan_of(dim, SINPOS_HALVES);
    random_state r = random_seed(6, 0);
    make_positions(&r);
    for (int t = 0; t < N_TYPES; t++) {
        const sinpos_type type = all_types[t];
        const size_t bytes = HEADS * dim * type_size(type);
        const sinpos_rows rows = {.struct_size = sizeof rows, .n = ROWS, .integers = positions};
        memset(all, 0x3c, sizeof all);
        assert_int_equal(sinpos_rotate(plan, &rows, SINPOS_FORWARD, HEADS, type, all, HEADS * dim, dim, 1), SINPOS_OK);
        for (size_t i = 0; i < ROWS; i++) {
            const sinpos_rows one = {.struct_size = sizeof one, .n = 1, .integers = positions + i};
            memset(alone, 0x3c, sizeof alone);
            assert_int_equal(sinpos_rotate(plan, &one, SINPOS_FORWARD, HEADS, type, alone, HEADS * dim, dim, 1),
                             SINPOS_OK);
            assert_memory_equal(all + i * bytes, alone, bytes);
        }
    }
    sinpos_plan_destroy(plan);
}

static void rotated(void **state)
{
    (void)state;
    check_rotated(16);
    check_rotated(SEVERAL_PIECES / 2 * 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(filled_and_added), cmocka_unit_test(far_rows_of_several_pieces),
                                       cmocka_unit_test(rotated)};
    return cmocka_run_group_tests_name("runs", tests, NULL, NULL);
}
