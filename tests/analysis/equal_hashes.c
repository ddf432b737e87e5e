/*
 * Rows of equal hash that differ: the hash of analysis/separation/separate_hash.c can be undone, so that such rows are easily made,
 * and "rows are counted as equal after all their elements were compared" can be put to the test.
 */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <stddef.h>

#include "../../analysis/separation/separate_hash.c"
#include "cases.h"
#include "random.h"

enum { DIM = 4, PAIRS = 8 };

/* Where the hash stands after 16 bytes. */
static void after_first(const uint64_t word[2], uint64_t *a, uint64_t *b)
{
    *a = (UINT64_C(0x243f6a8885a308d3) ^ word[0]) * 0xa4093822299f31d1;
    *b = (UINT64_C(0x13198a2e03707345) ^ word[1]) * 0x082efa98ec4e6c89;
    *a = (*a ^ *a >> 32) + rotate(*b, 25);
    *b ^= *b >> 29 ^ *a;
}

/* Two rows of finite numbers, of one hash. */
static void make_pair(random_state *random, uint64_t one[DIM], uint64_t other[DIM])
{
    bool are_finite = false;
    while (!are_finite) {
        uint64_t a, b, c, d;
        for (size_t i = 0; i < DIM; i++)
            one[i] = other[i] = random_u64(random);
        other[0] = random_u64(random);
        after_first(one, &a, &b);
        after_first(other, &c, &d);
        other[2] = one[2] ^ a ^ c;
        other[3] = one[3] ^ b ^ d;
        are_finite = true;
        for (size_t i = 0; i < DIM; i++) {
            double x, y;
            memcpy(&x, &one[i], 8);
            memcpy(&y, &other[i], 8);
            are_finite = are_finite && isfinite(x) && isfinite(y);
        }
    }
    const record first = hash_row((const unsigned char *)one, 8 * DIM, 0);
    const record second = hash_row((const unsigned char *)other, 8 * DIM, 1);
    assert_true(same_hash(&first, &second));
}

static void different_rows(void **state)
{
    (void)state;
    static uint64_t rows[2 * PAIRS + 2][DIM];
    random_state random = random_seed(5, 0);
    sinpos_distinct d;
    for (size_t i = 0; i < PAIRS; i++)
        make_pair(&random, rows[2 * i], rows[2 * i + 1]);
    assert_int_equal(sinpos_rows_separation(rows, 2 * PAIRS, DIM, DIM, SINPOS_F64, NULL, &d, 1, NULL, NULL), SINPOS_OK);
    assert_true(d.n_distinct == 2 * PAIRS && !d.has_collision);
    /* of three rows of one hash two are equal */
    memcpy(rows[2 * PAIRS], rows[1], sizeof rows[0]);
    memcpy(rows[2 * PAIRS + 1], rows[0], sizeof rows[0]);
    for (size_t threads = 1; threads <= 16; threads *= 4) {
        assert_int_equal(
            sinpos_rows_separation(rows, 2 * PAIRS + 2, DIM, DIM, SINPOS_F64, NULL, &d, threads, NULL, NULL),
            SINPOS_OK);
        assert_true(d.n_distinct == 2 * PAIRS && d.earlier == 1 && d.later == 2 * PAIRS);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(different_rows)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
