/*
 * Separation where it is nearly a tie: offsets whose distance differs in the tenth digit, so that the later one stands at
 * the sieve's bound; rows that are nearly too far apart to be equal in a type; rounded rows against all pairs.
 */
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cases.h"
#include "random.h"
#include "sinpos_analysis.h"

enum { SEED = 20, MOST_TONES = 8, MOST_LENGTH = 9000, MOST_ROUNDED = 2000 };

static const long double pi = 3.14159265358979323846264338327950288L;

static sinpos_plan *plan_of(const double *theta, size_t n, sinpos_schedule schedule, double amplitude, double phase)
{
    sinpos_spec spec = SINPOS_SPEC_INIT;
    sinpos_plan *plan = NULL;
    spec.dim = 2 * n;
    spec.schedule = schedule;
    spec.theta = theta;
    spec.n_theta = n;
    spec.amplitude = amplitude;
    spec.phase_turns = phase;
    assert_int_equal(sinpos_plan_create(&plan, &spec), SINPOS_OK);
    return plan;
}

/* ------------------------------------------------------------------------------------------------ the sieve */

typedef struct found {
    long double distance;
    size_t offset;
} found;

static int by_distance(const void *a, const void *b)
{
    const found *x = a, *y = b;
    return x->distance != y->distance ? (x->distance > y->distance) - (x->distance < y->distance)
                                      : (x->offset > y->offset) - (x->offset < y->offset);
}

/*
 * Turns p / q, rounded to 2^-48: offsets k and q - k are as far apart as each other but for some 1e-10, which decides.
 * Products with an offset fit a long double, so that brute force is exact to its last digits.
 */
static void nearly_tied(void **state)
{
    (void)state;
    static found all[MOST_LENGTH];
    random_state random = random_seed(SEED, 1);
    size_t n_later = 0;
    for (int trial = 0; trial < 40; trial++) {
        const size_t q = 5000 + random_below(&random, 4000), n_tones = 1 + random_below(&random, MOST_TONES);
        const size_t room = trial % 3 == 0 ? 1 : 1 + random_below(&random, 9);
        double turns[MOST_TONES];
        for (size_t i = 0; i < n_tones; i++)
            turns[i] = nearbyint((double)(1 + random_below(&random, q - 1)) / (double)q * 0x1p48) * 0x1p-48;
        for (size_t k = 1; k < q; k++) {
            long double sum = 0;
            for (size_t i = 0; i < n_tones; i++) {
                const long double sine = sinl(pi * remainderl((long double)k * turns[i], 1));
                sum += sine * sine;
            }
            all[k - 1] = (found){2 * sqrtl(sum), k};
        }
        qsort(all, q - 1, sizeof *all, by_distance);
        sinpos_near near[9];
        size_t n = room;
        sinpos_plan *plan = plan_of(turns, n_tones, SINPOS_TURNS, 1, 0);
        assert_int_equal(sinpos_separation(plan, 0, q, near, &n, 1 + (size_t)trial % 3, NULL, NULL), SINPOS_OK);
        assert_int_equal(n, room);
        for (size_t i = 0; i < n; i++) {
            const long double off = fabsl(near[i].distance / all[i].distance - 1);
            if (!(off <= 1e-14L) || (size_t)near[i].offset != all[i].offset)
                printf("trial %d, %zu tones, q %zu, place %zu: offset %lld at %.17g, wanted %zu at %.17Lg\n", trial,
                       n_tones, q, i, (long long)near[i].offset, near[i].distance, all[i].offset, all[i].distance);
            assert_true(off <= 1e-14L);
            assert_int_equal(near[i].offset, all[i].offset);
        }
        n_later += all[0].offset > q / 2;
        sinpos_plan_destroy(plan);
    }
    assert_true(n_later > 10); /* those whose winner stands at the bound that the loser set */
}

/* ------------------------------------------------------------------------------------------------ equal rows */

/* By offsets as by hashes. Returns whether rows were equal; false too where by offsets it cannot be told. */
static bool check_methods(const sinpos_plan *plan, size_t n, sinpos_type type)
{
    sinpos_collisions_options options = SINPOS_COLLISIONS_OPTIONS_INIT;
    sinpos_distinct by_hashes, by_offsets;
    options.method = SINPOS_DISTINCT_HASHES;
    options.n_threads = 2;
    assert_int_equal(sinpos_collisions(plan, -500, n, (unsigned)type, &options, &by_hashes), SINPOS_OK);
    options.method = SINPOS_DISTINCT_OFFSETS;
    const sinpos_status status = sinpos_collisions(plan, -500, n, (unsigned)type, &options, &by_offsets);
    if (status == SINPOS_E_UNSUPPORTED)
        return false;
    assert_int_equal(status, SINPOS_OK);
    if (by_hashes.n_distinct != by_offsets.n_distinct)
        printf("%zu rows, type %d: %llu differ by hashes, %llu by offsets\n", n, (int)type,
               (unsigned long long)by_hashes.n_distinct, (unsigned long long)by_offsets.n_distinct);
    assert_int_equal(by_hashes.n_distinct, by_offsets.n_distinct);
    assert_int_equal(by_hashes.has_collision, by_offsets.has_collision);
    assert_int_equal(by_hashes.earlier, by_offsets.earlier);
    assert_int_equal(by_hashes.later, by_offsets.later);
    return by_offsets.has_collision != 0;
}

/*
 * Slow tones that reach their limits within the rows, at an eighth of a turn, where sine and cosine change alike;
 * two times in three beside a fast one, which few offsets keep.
 */
static void at_the_limits(void **state)
{
    (void)state;
    static const double amplitudes[] = {1, 0.75, 3e-5, 0x1p-20};
    random_state random = random_seed(SEED, 2);
    size_t n_equal = 0;
    for (int trial = 0; trial < 24; trial++) {
        const bool has_fast = trial % 6 < 4;
        const size_t n_tones = 1 + random_below(&random, 4);
        const size_t n = has_fast ? 3000 + random_below(&random, 9000) : 2100 + random_below(&random, 200);
        const sinpos_type type = trial % 2 == 0 ? SINPOS_BF16 : SINPOS_F16;
        const double limit = type == SINPOS_BF16 ? 0x1p-8 : 0x1p-11;
        double theta[4] = {0.5 + random_unit(&random)};
        for (size_t i = has_fast ? 1 : 0; i < n_tones; i++)
            theta[i] = limit * (1 + random_unit(&random)) / (double)n;
        sinpos_plan *plan = plan_of(theta, n_tones, SINPOS_EXPLICIT, amplitudes[trial / 2 % 4], 0.125);
        n_equal += check_methods(plan, n, type);
        sinpos_plan_destroy(plan);
    }
    assert_true(n_equal > 8);
}

/*
 * Two tones that come back together at one offset alone, each so far off that its limit is nearly reached: together they
 * are beyond the limit of one.
 */
static void one_return(void **state)
{
    (void)state;
    random_state random = random_seed(SEED, 5);
    size_t n_equal = 0;
    for (int trial = 0; trial < 12; trial++) {
        const size_t back = 2300 + random_below(&random, 500), n = 3 * back;
        double theta[2];
        for (size_t i = 0; i < 2; i++) {
            const double turns = (double)(back / 7 + random_below(&random, back / 3));
            theta[i] =
                (2 * (double)pi * turns + (0.72 + 0.1 * random_unit(&random)) * 2 * 0x1p-8 * sqrt(0.5)) / (double)back;
        }
        sinpos_plan *plan = plan_of(theta, 2, SINPOS_EXPLICIT, 1, 0);
        n_equal += check_methods(plan, n, SINPOS_BF16);
        sinpos_plan_destroy(plan);
    }
    assert_true(n_equal > 6);
}

/* ---------------------------------------------------------------------------------------------- rounded rows */

/* Of equally near pairs the one with the smallest offset, then the smallest position. */
static sinpos_near nearest_of(const double *rows, size_t n, size_t dim)
{
    sinpos_near best = {INFINITY, 0, 0, 0};
    double least = INFINITY; /* square */
    for (size_t k = 1; k < n; k++) {
        for (size_t m = k; m < n; m++) {
            double square = 0;
            for (size_t j = 0; j < dim; j++) {
                const double x = rows[m * dim + j] - rows[(m - k) * dim + j];
                square += x * x;
            }
            if (square < least * (1 - 1e-14)) {
                least = square;
                best = (sinpos_near){sqrt(square), (int64_t)k, (int64_t)(m - k), (int64_t)m};
            }
        }
    }
    return best;
}

static void check_rounded(const double *theta, size_t n_tones, size_t n, sinpos_type type, double amplitude)
{
    static uint16_t rows[MOST_ROUNDED];
    static double wide[MOST_ROUNDED];
    sinpos_plan *plan = plan_of(theta, n_tones, SINPOS_EXPLICIT, amplitude, 0);
    sinpos_near near;
    assert_true(n * 2 * n_tones <= MOST_ROUNDED);
    assert_int_equal(sinpos_fill(plan, 11, n, type, rows, 2 * n_tones), SINPOS_OK);
    assert_int_equal(sinpos_widen(type, rows, n * 2 * n_tones, wide), SINPOS_OK);
    assert_int_equal(sinpos_separation_rounded(plan, 11, n, type, &near, 1 + n % 2, NULL, NULL), SINPOS_OK);
    const sinpos_near want = nearest_of(wide, n, 2 * n_tones);
    if (!(fabs(near.distance - want.distance) <= 1e-14 * want.distance) || near.offset != want.offset ||
        near.earlier != want.earlier + 11)
        printf("%zu tones, theta %a, %zu rows, type %d, amplitude %g: %.17g at %lld and %lld, wanted %.17g at %lld and "
               "%lld\n",
               n_tones, theta[0], n, (int)type, amplitude, near.distance, (long long)near.earlier,
               (long long)near.later, want.distance, (long long)want.earlier + 11, (long long)want.later + 11);
    assert_true(fabs(near.distance - want.distance) <= 1e-14 * want.distance);
    assert_true(near.offset == want.offset && near.earlier == want.earlier + 11);
    sinpos_plan_destroy(plan);
}

static void rounded_pairs(void **state)
{
    (void)state;
    static const double amplitudes[] = {1, 1.9, 3e-5, 0x1p-14};
    random_state random = random_seed(SEED, 3);
    for (int trial = 0; trial < 600; trial++) {
        const size_t n_tones = 1 + random_below(&random, 3), n = 5 + random_below(&random, 65);
        double theta[3];
        for (size_t i = 0; i < n_tones; i++)
            theta[i] = exp2(-7 * random_unit(&random)) * 3;
        check_rounded(theta, n_tones, n, trial % 2 == 0 ? SINPOS_BF16 : SINPOS_F16, amplitudes[trial / 2 % 4]);
    }
}

/*
 * A turn that takes all rows but a little: the first and the last row, one pair alone, are nearest as real numbers, and of
 * the many pairs of neighbours rounding brings one nearer by nearly all that it can.
 */
static void rounded_neighbours(void **state)
{
    (void)state;
    random_state random = random_seed(SEED, 4);
    for (int trial = 0; trial < 500; trial++) {
        const size_t n = 300 + random_below(&random, 500);
        const double step = 2 * (double)pi / (double)(n - 1);
        const double theta = step + (0.2 + 0.8 * random_unit(&random)) * step / (double)(n - 1);
        check_rounded(&theta, 1, n, SINPOS_BF16, 1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nearly_tied),   cmocka_unit_test(at_the_limits),      cmocka_unit_test(one_return),
        cmocka_unit_test(rounded_pairs), cmocka_unit_test(rounded_neighbours),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
