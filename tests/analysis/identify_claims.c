/*
 * What identify may claim: nothing for few bits of evidence, nothing of a table of which most is something else; and of an
 * exact table with one element that is off, that element alone.
 */
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cases.h"
#include "identify_table.h"
#include "random.h"
#include "size.h"
#include "support.h"

enum { SEED = 31 };

static const sinpos_type types[] = {SINPOS_F64, SINPOS_F32, SINPOS_F16, SINPOS_BF16};

static void *make(size_t dim, int64_t first, size_t n, sinpos_type type)
{
    sinpos_spec spec = SINPOS_SPEC_INIT;
    spec.dim = dim;
    return make_table(&spec, first, n, type);
}

/* Twenty bits are asked for beyond what was chosen to fit; small and coarse tables have fewer. */
static void few_bits(void **state)
{
    (void)state;
    random_state random = random_seed(SEED, 1);
    size_t n_below = 0, n_above = 0;
    for (int trial = 0; trial < 600; trial++) {
        const size_t dim = 1 + random_below(&random, 6), n = 1 + random_below(&random, 6);
        const sinpos_type type = types[trial % 4];
        void *data = make(dim, (int64_t)random_below(&random, 40), n, type);
        sinpos_identity *found = identify(data, n, dim, type);
        if (found->is_sinusoidal && !(found->bits > 20))
            printf("trial %d, %zu x %zu, type %d: claimed by %g bits\n", trial, n, dim, (int)type, found->bits);
        assert_true(!found->is_sinusoidal || found->bits > 20);
        n_below += found->bits > 2 && found->bits <= 20;
        n_above += found->is_sinusoidal != 0;
        sinpos_identity_destroy(found);
        free(data);
    }
    assert_true(n_below > 20 && n_above > 20); /* there are such tables, and others */
}

/* The first rows, which tell the frequencies, and then others: noise, or the rows in some other order. */
static void mostly_something_else(void **state)
{
    (void)state;
    enum { N = 12000, DIM = 16, GOOD = 4200 };
    random_state random = random_seed(SEED, 2);
    for (int shuffled = 0; shuffled < 2; shuffled++) {
        float *x = make(DIM, 0, N, SINPOS_F32);
        sinpos_identity *found = identify(x, N, DIM, SINPOS_F32);
        assert_true(found->is_sinusoidal && found->total.wrong == 0);
        sinpos_identity_destroy(found);
        for (size_t i = (size_t)GOOD * DIM; i < (size_t)N * DIM; i++) {
            const size_t other = i + random_below(&random, (size_t)N * DIM - i);
            const float kept = x[i];
            x[i] = shuffled ? x[other] : (float)(2 * random_unit(&random) - 1);
            x[other] = shuffled ? kept : x[other];
        }
        found = identify(x, N, DIM, SINPOS_F32);
        assert_false(found->is_sinusoidal);
        sinpos_identity_destroy(found);
        free(x);
    }
}

/* An element moved by so many numbers of its type, away from zero. */
static void move(void *data, sinpos_type type, size_t i, uint64_t steps)
{
    store_bits(data, type, i, load_bits(data, type, i) + steps);
}

static uint64_t bits_of_infinity(sinpos_type type)
{
    return type == SINPOS_F64   ? UINT64_C(0x7ff0000000000000)
           : type == SINPOS_F32 ? 0x7f800000
           : type == SINPOS_F16 ? 0x7c00
                                : 0x7f80;
}

/* Sines between a half and one, so that a unit in the last place is the same for all. */
static void one_element(void **state)
{
    (void)state;
    enum { N = 96, DIM = 32 };
    static const struct {
        size_t row, column;
    } at[] = {{7, 9}, {40, 11}, {95, 31}};
    static const uint64_t steps[] = {1, 2, 100, 1 << 20};
    for (size_t t = 0; t < 4; t++) {
        const sinpos_type type = types[t];
        for (size_t i = 0; i < 3 * 6; i++) {
            if (i % 6 == 3 && type != SINPOS_F32)
                continue;
            if (small_size() && i / 6 != (t + i) % 3)
                continue;
            void *data = make(DIM, 0, N, type);
            const size_t row = at[i / 6].row, column = at[i / 6].column, place = row * DIM + column;
            double want, got;
            assert_int_equal(sinpos_widen(type, (char *)data + place * sinpos_type_bytes(type), 1, &want), SINPOS_OK);
            assert_true(fabs(want) >= 0.5);
            if (i % 6 < 4)
                move(data, type, place, steps[i % 6]);
            else /* infinity, and the NaN next to it */
                store_bits(data, type, place, bits_of_infinity(type) + i % 6 - 4);
            assert_int_equal(sinpos_widen(type, (char *)data + place * sinpos_type_bytes(type), 1, &got), SINPOS_OK);
            sinpos_identity *found = identify(data, N, DIM, type);
            const uint64_t ulp = i % 6 < 4 ? steps[i % 6] : UINT64_MAX;
            if (!found->is_sinusoidal || found->total.wrong != 1 || found->total.max_ulp != ulp)
                printf("type %d, row %zu, column %zu, %" PRIu64 " ulp: found %d, %" PRIu64 " wrong, %" PRIu64 " ulp\n",
                       (int)type, row, column, ulp, found->is_sinusoidal, found->total.wrong, found->total.max_ulp);
            assert_true(found->is_sinusoidal && found->axis[0].base == 10000);
            assert_true(found->total.wrong == 1 && found->total.max_ulp == ulp);
            assert_int_equal(found->total.elements, N * DIM);
            for (size_t r = 0; r < found->n_ranges; r++) {
                const bool is_here = row >= found->range[r].first_row && row <= found->range[r].last_row;
                assert_int_equal(found->range[r].wrong, is_here);
                assert_int_equal(found->range[r].first_row, r == 0 ? 0 : found->range[r - 1].last_row + 1);
            }
            assert_true(found->worst_row == row && found->worst_column == column);
            /* A unit or two are what other code makes, in float32 and float64 a hundred too, since angles round. */
            if (i % 6 != 2 || sinpos_type_bytes(type) == 2)
                assert_int_equal(found->n_altered, i % 6 >= 2);
            if (found->n_altered > 0) {
                const sinpos_identity_element *element = &found->altered[0];
                assert_true(element->row == row && element->column == column && element->want == want);
                assert_true(element->got == got || (isnan(got) && isnan(element->got)));
            }
            sinpos_identity_destroy(found);
            free(data);
        }
    }
}

/* Zeros of either sign are one number. */
static void signs_of_zeros(void **state)
{
    (void)state;
    enum { N = 40, DIM = 16 };
    for (size_t t = 0; t < 4; t++) {
        void *data = make(DIM, 0, N, types[t]);
        for (size_t j = 0; j < DIM; j += 2) {
            assert_int_equal(load_bits(data, types[t], j), 0);
            store_bits(data, types[t], j, (uint64_t)1 << (8 * sinpos_type_bytes(types[t]) - 1));
        }
        sinpos_identity *found = identify(data, N, DIM, types[t]);
        assert_true(found->is_sinusoidal && found->total.wrong == 0 && found->n_altered == 0);
        sinpos_identity_destroy(found);
        free(data);
    }
}

/* Errors over the amplitude, in all and in the range that has it. */
static void relative_errors(void **state)
{
    (void)state;
    enum { N = 40, DIM = 16 };
    static const double amplitudes[] = {1, 4, 0.25};
    for (size_t i = 0; i < 3; i++) {
        sinpos_spec spec = SINPOS_SPEC_INIT;
        spec.dim = DIM;
        spec.amplitude = amplitudes[i];
        double *x = make_table(&spec, 0, N, SINPOS_F64);
        x[20 * DIM + 5] += 1e-6;
        sinpos_identity *found = identify(x, N, DIM, SINPOS_F64);
        const sinpos_identity_errors *range = &found->range[20 * found->n_ranges / N];
        const double relative = found->total.max_relative_error * amplitudes[i];
        assert_true(found->is_sinusoidal && found->total.wrong == 1 && range->wrong == 1);
        assert_true(fabs(relative - 1e-6) < 1e-15 && range->max_relative_error == found->total.max_relative_error);
        sinpos_identity_destroy(found);
        free(x);
    }
}

/* Sines of 1, 2, ... times an angle: of six, those of 1, 2 and 4 are as of an encoding of base 2. */
static void sine_transform(void **state)
{
    (void)state;
    enum { N = 160, DIM = 6 };
    static float data[N * DIM];
    for (size_t i = 0; i < N; i++)
        for (size_t j = 0; j < DIM; j++)
            data[i * DIM + j] = (float)(0.1 * sin(3.14159265358979312 / (N + 1) * (double)((i + 1) * (j + 1))));
    sinpos_identity *found = identify(data, N, DIM, SINPOS_F32);
    assert_false(found->is_sinusoidal);
    sinpos_identity_destroy(found);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(few_bits),       cmocka_unit_test(mostly_something_else), cmocka_unit_test(one_element),
        cmocka_unit_test(signs_of_zeros), cmocka_unit_test(relative_errors),       cmocka_unit_test(sine_transform),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
