/* Every claim is refuted by an encoding or a table of which it is false, and holds for the default encoding. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cases.h"

#include "random.h"
#include "sinpos_analysis.h"

enum { N = 512, DIM = 64, SEED = 5 };

static size_t index_of(const char *id)
{
    for (size_t i = 0; sinpos_claim_at(i) != NULL; i++)
        if (strcmp(sinpos_claim_at(i)->id, id) == 0)
            return i;
    fail_msg("no claim %s", id);
    return 0;
}

static sinpos_plan *plan_of(const sinpos_spec *spec)
{
    sinpos_plan *plan = NULL;
    assert_int_equal(sinpos_plan_create(&plan, spec), SINPOS_OK);
    return plan;
}

/* Decides one claim for a table; NULL: the exact rows. Where a library is lacking, there is nothing to compare. */
static sinpos_verdict decide(const sinpos_spec *spec, const char *id, size_t n, const float *table,
                             sinpos_verdict expected)
{
    sinpos_plan *plan = plan_of(spec);
    const sinpos_check_input input = {
        .plan = plan, .n = n, .type = SINPOS_F32, .table = table, .ld_table = spec->dim, .seed = SEED};
    const size_t which = index_of(id);
    sinpos_claim_result result;
    assert_int_equal(sinpos_check(&input, &which, 1, &result, NULL, NULL, NULL), SINPOS_OK);
    print_message("  %-16s %-14s %.3g (%.3g) %s\n", id, sinpos_verdict_name(result.verdict), result.value,
                  result.threshold, result.why);
    sinpos_plan_destroy(plan);
    return strstr(result.why, "lacks") != NULL ? expected : result.verdict;
}

/* -------------------------------------------------------------------------------------------- damaged tables */

typedef void damage(float *table, size_t n, size_t dim);

static void nothing(float *table, size_t n, size_t dim)
{
    (void)table, (void)n, (void)dim;
}

static void one_element(float *table, size_t n, size_t dim)
{
    table[(n / 3) * dim + 1] += 0.25F;
}

static void one_nan(float *table, size_t n, size_t dim)
{
    table[(n / 3) * dim + 1] = NAN;
}

static void one_row(float *table, size_t n, size_t dim)
{
    memcpy(table + (n / 2) * dim, table + (n / 2 + 3) * dim, dim * sizeof *table);
}

static void one_column(float *table, size_t n, size_t dim)
{
    for (size_t i = 0; i < n; i++)
        table[i * dim + 2] = table[i * dim + 3];
}

static void swapped_columns(float *table, size_t n, size_t dim)
{
    for (size_t i = 0; i < n; i++) {
        const float kept = table[i * dim];
        table[i * dim] = table[i * dim + 4];
        table[i * dim + 4] = kept;
    }
}

static void exchanged_columns(float *table, size_t n, size_t dim)
{
    for (size_t i = 0; i < n; i++) {
        const float kept = table[i * dim + 4];
        table[i * dim + 4] = table[i * dim + 5];
        table[i * dim + 5] = kept;
    }
}

static void backwards(float *table, size_t n, size_t dim)
{
    for (size_t i = 0; i < n / 2; i++)
        for (size_t j = 0; j < dim; j++) {
            const float kept = table[i * dim + j];
            table[i * dim + j] = table[(n - 1 - i) * dim + j];
            table[(n - 1 - i) * dim + j] = kept;
        }
}

static void doubled(float *table, size_t n, size_t dim)
{
    for (size_t i = 0; i < n * dim; i++)
        table[i] *= 2;
}

static void one_hundredth(float *table, size_t n, size_t dim)
{
    for (size_t i = 0; i < n * dim; i++)
        table[i] *= 0x1p-7F;
}

static void half_of_it_doubled(float *table, size_t n, size_t dim)
{
    doubled(table + n / 2 * dim, n - n / 2, dim);
}

static void doubled_and_damaged(float *table, size_t n, size_t dim)
{
    doubled(table, n, dim);
    table[(n / 3) * dim + 1] += 0x1p-10F;
}

static void swapped_in_half_the_rows(float *table, size_t n, size_t dim)
{
    swapped_columns(table, n / 2, dim);
}

static void sines_only(float *table, size_t n, size_t dim)
{
    for (size_t i = 0; i < n; i++)
        for (size_t j = 1; j < dim; j += 2)
            table[i * dim + j] = 0;
}

static void random_rows(float *table, size_t n, size_t dim)
{
    random_state r = random_seed(SEED, 1);
    for (size_t i = 0; i < n * dim; i++)
        table[i] = (float)(2 * random_unit(&r) - 1);
}

static void large_and_random(float *table, size_t n, size_t dim)
{
    random_rows(table, n, dim);
    for (size_t i = 0; i < n * dim; i++)
        table[i] *= 10;
}

static void equal_rows(float *table, size_t n, size_t dim)
{
    for (size_t i = 1; i < n; i++)
        memcpy(table + i * dim, table, dim * sizeof *table);
}

static void next_float(float *table, size_t n, size_t dim)
{
    table[(n - 1) * dim + 5] = nextafterf(table[(n - 1) * dim + 5], 2);
}

static void other_layout(float *table, size_t n, size_t dim)
{
    sinpos_spec spec = SINPOS_SPEC_INIT;
    spec.dim = dim;
    spec.layout = SINPOS_HALVES;
    sinpos_plan *plan = plan_of(&spec);
    assert_int_equal(sinpos_fill(plan, 0, n, SINPOS_F32, table, dim), SINPOS_OK);
    sinpos_plan_destroy(plan);
}

static void same_tone_twice(float *table, size_t n, size_t dim)
{
    for (size_t i = 0; i < n; i++)
        memcpy(table + i * dim + 2, table + i * dim, 2 * sizeof *table);
}

static void first_nan(float *table, size_t n, size_t dim)
{
    (void)n, (void)dim;
    table[1] = NAN;
}

static void zeros(float *table, size_t n, size_t dim)
{
    memset(table, 0, n * dim * sizeof *table);
}

static void same_columns(float *table, size_t n, size_t dim)
{
    for (size_t i = 0; i < n; i++)
        for (size_t j = 2; j < dim; j++)
            table[i * dim + j] = table[i * dim + j % 2];
}

static void reversed_columns(float *table, size_t n, size_t dim)
{
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < dim / 2; j++) {
            const float kept = table[i * dim + j];
            table[i * dim + j] = table[i * dim + dim - 2 - j + 2 * (j % 2)];
            table[i * dim + dim - 2 - j + 2 * (j % 2)] = kept;
        }
}

static void huge(float *table, size_t n, size_t dim)
{
    for (size_t i = 0; i < n * dim; i++)
        table[i] *= 0x1p120F;
}

static void minute(float *table, size_t n, size_t dim)
{
    for (size_t i = 0; i < n * dim; i++)
        table[i] *= 0x1p-130F;
}

static void all_nan(float *table, size_t n, size_t dim)
{
    for (size_t i = 0; i < n * dim; i++)
        table[i] = NAN;
}

static void straight(float *table, size_t n, size_t dim)
{
    for (size_t i = 0; i < n * dim; i++)
        table[i] = (float)(i / dim) * 0.001F;
}

typedef struct table_case {
    const char *id;
    damage *damage;
    sinpos_verdict verdict;
} table_case;

static void damaged(void **state)
{
    (void)state;
    static const table_case cases[] = {
        {"symmetry", nothing, SINPOS_HOLDS},
        {"symmetry", equal_rows, SINPOS_DOES_NOT_HOLD},
        {"symmetry", first_nan, SINPOS_DOES_NOT_HOLD},
        {"taylor", nothing, SINPOS_HOLDS},
        {"taylor", zeros, SINPOS_DOES_NOT_HOLD},
        {"taylor", first_nan, SINPOS_DOES_NOT_HOLD},
        {"schedules", nothing, SINPOS_HOLDS_ONLY_IF},
        {"schedules", equal_rows, SINPOS_DOES_NOT_HOLD},
        {"schedules", one_nan, SINPOS_DOES_NOT_HOLD},
        {"additive", nothing, SINPOS_HOLDS},
        {"additive", large_and_random, SINPOS_DOES_NOT_HOLD},
        {"additive", equal_rows, SINPOS_DOES_NOT_HOLD},
        {"additive", zeros, SINPOS_DOES_NOT_HOLD},
        {"additive", one_nan, SINPOS_DOES_NOT_HOLD},
        {"decay", nothing, SINPOS_HOLDS_ONLY_IF},
        {"decay", equal_rows, SINPOS_DOES_NOT_HOLD},
        {"decay", one_nan, SINPOS_DOES_NOT_HOLD},
        {"diagonal", nothing, SINPOS_HOLDS},
        {"diagonal", one_element, SINPOS_DOES_NOT_HOLD},
        {"diagonal", one_nan, SINPOS_DOES_NOT_HOLD},
        {"diagonal", one_row, SINPOS_DOES_NOT_HOLD},
        {"diagonal", swapped_columns, SINPOS_DOES_NOT_HOLD},
        {"diagonal", sines_only, SINPOS_DOES_NOT_HOLD},
        {"diagonal", other_layout, SINPOS_DOES_NOT_HOLD},
        {"general-H", nothing, SINPOS_HOLDS_ONLY_IF},
        {"general-H", random_rows, SINPOS_DOES_NOT_HOLD},
        {"general-H", sines_only, SINPOS_DOES_NOT_HOLD},
        {"general-H", other_layout, SINPOS_DOES_NOT_HOLD},
        {"general-H", first_nan, SINPOS_DOES_NOT_HOLD},
        {"covariance", nothing, SINPOS_HOLDS_ONLY_IF},
        {"covariance", same_columns, SINPOS_DOES_NOT_HOLD},
        {"covariance", one_nan, SINPOS_DOES_NOT_HOLD},
        {"periodic", nothing, SINPOS_HOLDS_ONLY_IF},
        {"periodic", random_rows, SINPOS_DOES_NOT_HOLD},
        {"periodic", one_element, SINPOS_DOES_NOT_HOLD},
        {"periodic", swapped_columns, SINPOS_DOES_NOT_HOLD},
        {"periodic", one_nan, SINPOS_DOES_NOT_HOLD},
        {"heatmap", nothing, SINPOS_HOLDS},
        {"heatmap", random_rows, SINPOS_DOES_NOT_HOLD},
        {"heatmap", reversed_columns, SINPOS_DOES_NOT_HOLD},
        {"heatmap", same_columns, SINPOS_DOES_NOT_HOLD},
        {"heatmap", one_nan, SINPOS_DOES_NOT_HOLD},
        {"distance", nothing, SINPOS_DOES_NOT_HOLD},
        {"distance", straight, SINPOS_HOLDS},
        {"distance", equal_rows, SINPOS_DOES_NOT_HOLD},
        {"near-far", nothing, SINPOS_HOLDS_ONLY_IF},
        {"near-far", same_columns, SINPOS_DOES_NOT_HOLD},
        {"near-far", reversed_columns, SINPOS_DOES_NOT_HOLD},
        {"near-far", equal_rows, SINPOS_DOES_NOT_HOLD},
        {"more-dims", nothing, SINPOS_HOLDS_ONLY_IF},
        {"more-dims", same_columns, SINPOS_DOES_NOT_HOLD},
        {"more-dims", equal_rows, SINPOS_DOES_NOT_HOLD},
        {"orthogonal", nothing, SINPOS_HOLDS_ONLY_IF},
        {"orthogonal", same_columns, SINPOS_DOES_NOT_HOLD},
        {"orthogonal", equal_rows, SINPOS_DOES_NOT_HOLD},
        {"orthogonal", one_nan, SINPOS_DOES_NOT_HOLD},
        {"attention", nothing, SINPOS_HOLDS},
        {"attention", zeros, SINPOS_DOES_NOT_HOLD},
        {"attention", first_nan, SINPOS_DOES_NOT_HOLD},
        {"definition", nothing, SINPOS_HOLDS},
        {"definition", next_float, SINPOS_DOES_NOT_HOLD},
        {"definition", one_nan, SINPOS_DOES_NOT_HOLD},
        {"definition", other_layout, SINPOS_DOES_NOT_HOLD},
        {"definition", swapped_columns, SINPOS_DOES_NOT_HOLD},
        {"relative", nothing, SINPOS_HOLDS},
        {"relative", one_element, SINPOS_DOES_NOT_HOLD},
        {"relative", one_nan, SINPOS_DOES_NOT_HOLD},
        {"relative", one_row, SINPOS_DOES_NOT_HOLD},
        {"relative", one_column, SINPOS_DOES_NOT_HOLD},
        {"relative", sines_only, SINPOS_DOES_NOT_HOLD},
        {"relative", equal_rows, SINPOS_DOES_NOT_HOLD},
        {"relative", random_rows, SINPOS_DOES_NOT_HOLD},
        {"relative", swapped_columns, SINPOS_HOLDS},
        {"relative", swapped_in_half_the_rows, SINPOS_DOES_NOT_HOLD},
        {"order-free", nothing, SINPOS_HOLDS},
        {"order-free", swapped_columns, SINPOS_HOLDS},
        {"order-free", other_layout, SINPOS_HOLDS},
        {"order-free", swapped_in_half_the_rows, SINPOS_DOES_NOT_HOLD},
        {"order-free", one_element, SINPOS_DOES_NOT_HOLD},
        {"order-free", random_rows, SINPOS_DOES_NOT_HOLD},
        {"both", nothing, SINPOS_HOLDS},
        {"both", sines_only, SINPOS_DOES_NOT_HOLD},
        {"both", one_nan, SINPOS_DOES_NOT_HOLD},
        {"both", random_rows, SINPOS_DOES_NOT_HOLD},
        {"injective", nothing, SINPOS_HOLDS},
        {"injective", one_nan, SINPOS_DOES_NOT_HOLD},
        {"injective", one_row, SINPOS_DOES_NOT_HOLD},
        {"injective", equal_rows, SINPOS_DOES_NOT_HOLD},
        {"injective", zeros, SINPOS_DOES_NOT_HOLD},
        {"scale-invariant", nothing, SINPOS_HOLDS},
        {"scale-invariant", one_element, SINPOS_DOES_NOT_HOLD},
        {"scale-invariant", one_nan, SINPOS_DOES_NOT_HOLD},
        {"scale-invariant", one_row, SINPOS_DOES_NOT_HOLD},
        {"scale-invariant", sines_only, SINPOS_DOES_NOT_HOLD},
        {"scale-invariant", equal_rows, SINPOS_DOES_NOT_HOLD},
        {"linear", nothing, SINPOS_HOLDS},
        {"linear", one_element, SINPOS_DOES_NOT_HOLD},
        {"linear", one_nan, SINPOS_DOES_NOT_HOLD},
        {"linear", one_column, SINPOS_DOES_NOT_HOLD},
        {"linear", swapped_columns, SINPOS_DOES_NOT_HOLD},
        {"linear", other_layout, SINPOS_DOES_NOT_HOLD},
        {"linear", sines_only, SINPOS_DOES_NOT_HOLD},
        {"waves", nothing, SINPOS_HOLDS},
        {"waves", one_element, SINPOS_DOES_NOT_HOLD},
        {"waves", one_nan, SINPOS_DOES_NOT_HOLD},
        {"waves", one_row, SINPOS_DOES_NOT_HOLD},
        {"waves", swapped_columns, SINPOS_DOES_NOT_HOLD},
        {"waves", random_rows, SINPOS_DOES_NOT_HOLD},
        {"fourier", nothing, SINPOS_HOLDS},
        {"fourier", one_column, SINPOS_DOES_NOT_HOLD},
        {"fourier", one_nan, SINPOS_DOES_NOT_HOLD},
        {"fourier", swapped_columns, SINPOS_DOES_NOT_HOLD},
        {"fourier", same_tone_twice, SINPOS_DOES_NOT_HOLD},
        {"fourier", sines_only, SINPOS_DOES_NOT_HOLD},
        {"fourier", random_rows, SINPOS_DOES_NOT_HOLD},
        {"definition", exchanged_columns, SINPOS_DOES_NOT_HOLD},
        {"linear", exchanged_columns, SINPOS_DOES_NOT_HOLD},
        {"diagonal", exchanged_columns, SINPOS_DOES_NOT_HOLD},
        {"relative", exchanged_columns, SINPOS_HOLDS},
        {"waves", exchanged_columns, SINPOS_HOLDS},
        {"periodic", exchanged_columns, SINPOS_HOLDS_ONLY_IF},
        {"fourier", exchanged_columns, SINPOS_HOLDS},
        {"definition", backwards, SINPOS_DOES_NOT_HOLD},
        {"linear", backwards, SINPOS_DOES_NOT_HOLD},
        {"waves", backwards, SINPOS_HOLDS},
        {"periodic", backwards, SINPOS_HOLDS_ONLY_IF},
        {"fourier", backwards, SINPOS_HOLDS},
        {"definition", doubled, SINPOS_DOES_NOT_HOLD},
        {"linear", doubled, SINPOS_HOLDS},
        {"both", doubled, SINPOS_HOLDS},
        {"relative", doubled, SINPOS_HOLDS},
        {"scale-invariant", doubled, SINPOS_HOLDS},
        {"linear", one_hundredth, SINPOS_HOLDS},
        {"both", one_hundredth, SINPOS_HOLDS},
        {"relative", one_hundredth, SINPOS_HOLDS},
        {"scale-invariant", one_hundredth, SINPOS_HOLDS},
        {"linear", half_of_it_doubled, SINPOS_DOES_NOT_HOLD},
        {"both", half_of_it_doubled, SINPOS_DOES_NOT_HOLD},
        {"relative", half_of_it_doubled, SINPOS_DOES_NOT_HOLD},
        {"scale-invariant", half_of_it_doubled, SINPOS_DOES_NOT_HOLD},
        {"linear", doubled_and_damaged, SINPOS_DOES_NOT_HOLD},
        {"both", doubled_and_damaged, SINPOS_DOES_NOT_HOLD},
        {"relative", doubled_and_damaged, SINPOS_DOES_NOT_HOLD},
        {"scale-invariant", doubled_and_damaged, SINPOS_DOES_NOT_HOLD},
        {"both", zeros, SINPOS_DOES_NOT_HOLD},
        {"linear", zeros, SINPOS_DOES_NOT_APPLY},
        {"order-free", doubled, SINPOS_HOLDS},
        {"order-free", doubled_and_damaged, SINPOS_DOES_NOT_HOLD},
        {"order-free", half_of_it_doubled, SINPOS_DOES_NOT_HOLD},
        {"waves", minute, SINPOS_HOLDS},
        {"waves", zeros, SINPOS_DOES_NOT_HOLD},
        {"periodic", zeros, SINPOS_DOES_NOT_HOLD},
        {"scale-invariant", zeros, SINPOS_DOES_NOT_HOLD},
        {"relative", zeros, SINPOS_DOES_NOT_HOLD},
        {"both", equal_rows, SINPOS_DOES_NOT_HOLD},
    };
    sinpos_spec spec = SINPOS_SPEC_INIT;
    spec.dim = DIM;
    sinpos_plan *plan = plan_of(&spec);
    float *table = malloc(sizeof(float) * N * DIM);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(sinpos_fill(plan, 0, N, SINPOS_F32, table, DIM), SINPOS_OK);
        cases[i].damage(table, N, DIM);
        const sinpos_verdict verdict = decide(&spec, cases[i].id, N, table, cases[i].verdict);
        if (verdict != cases[i].verdict)
            fail_msg("case %zu: %s %s", i, cases[i].id, sinpos_verdict_name(verdict));
    }
    free(table);
    sinpos_plan_destroy(plan);
}

/* ---------------------------------------------------------------------------------------- other encodings */

static void base_one(sinpos_spec *spec)
{
    spec->base = 1;
}

static void octave(sinpos_spec *spec)
{
    spec->schedule = SINPOS_OCTAVE;
    spec->dim = 16;
}

static void octave_of_8(sinpos_spec *spec)
{
    octave(spec);
    spec->dim = 8;
}

static void base_one_of_4(sinpos_spec *spec)
{
    base_one(spec);
    spec->dim = 4;
}

static void two_columns(sinpos_spec *spec)
{
    spec->dim = 2;
}

static void three_columns(sinpos_spec *spec)
{
    spec->dim = 3;
}

static void one_cosine(sinpos_spec *spec)
{
    spec->dim = 1;
    spec->order = SINPOS_COS_SIN;
}

static void cosine_by_phase(sinpos_spec *spec)
{
    spec->dim = 1;
    spec->phase_turns = 0.25;
}

static void sine_of_eighth_turns(sinpos_spec *spec)
{
    octave(spec);
    spec->dim = 1;
}

static void plain(sinpos_spec *spec)
{
    (void)spec;
}

static void odd_width(sinpos_spec *spec)
{
    spec->dim = 63;
}

static void odd_zero(sinpos_spec *spec)
{
    spec->dim = 63;
    spec->odd = SINPOS_ZERO;
}

static void everything(sinpos_spec *spec)
{
    spec->layout = SINPOS_HALVES;
    spec->order = SINPOS_COS_SIN;
    spec->schedule = SINPOS_POWER;
    spec->exponent = 1.5;
    spec->amplitude = 3;
    spec->phase = 0.7;
    spec->phase_turns = 0.2;
}

static void one_sine(sinpos_spec *spec)
{
    spec->dim = 1;
}

static void nothing_at_all(sinpos_spec *spec)
{
    spec->amplitude = 0;
}

static void beyond_squares(sinpos_spec *spec)
{
    spec->amplitude = 1e-100;
}

static void standing_still(sinpos_spec *spec)
{
    spec->scale = 0;
}

static void slow(sinpos_spec *spec)
{
    spec->scale = 1e-5;
}

static double turns[DIM / 2];

/* The frequencies of the discrete Fourier transform of N rows. */
static void fourier_series(sinpos_spec *spec)
{
    spec->schedule = SINPOS_TURNS;
    for (size_t i = 0; i < DIM / 2; i++)
        turns[i] = (double)(i + 1) / N;
    spec->theta = turns;
    spec->n_theta = DIM / 2;
}

/* The first half makes whole turns in 100 positions, the second 1/4 turn. */
static void near_and_far(sinpos_spec *spec)
{
    fourier_series(spec);
    for (size_t i = 0; i < DIM / 2; i++)
        turns[i] = i < DIM / 4 ? 0.25 : 0.25 / 128;
}

typedef struct spec_case {
    const char *id;
    void (*change)(sinpos_spec *spec);
    sinpos_verdict verdict;
} spec_case;

static void encodings(void **state)
{
    (void)state;
    static const spec_case cases[] = {
        {"symmetry", octave, SINPOS_DOES_NOT_HOLD},
        {"symmetry", everything, SINPOS_HOLDS},
        {"taylor", nothing_at_all, SINPOS_DOES_NOT_HOLD},
        {"decay", base_one, SINPOS_DOES_NOT_HOLD},
        {"decay", slow, SINPOS_DOES_NOT_HOLD},
        {"decay", octave, SINPOS_DOES_NOT_HOLD},
        {"schedules", base_one, SINPOS_DOES_NOT_HOLD},
        {"diagonal", everything, SINPOS_HOLDS},
        {"diagonal", odd_width, SINPOS_HOLDS},
        {"diagonal", one_sine, SINPOS_DOES_NOT_APPLY},
        {"general-H", everything, SINPOS_HOLDS_ONLY_IF},
        {"covariance", fourier_series, SINPOS_HOLDS},
        {"covariance", base_one, SINPOS_DOES_NOT_HOLD},
        {"periodic", octave, SINPOS_HOLDS},
        {"periodic", everything, SINPOS_HOLDS_ONLY_IF},
        {"heatmap", base_one, SINPOS_DOES_NOT_HOLD},
        {"heatmap", fourier_series, SINPOS_DOES_NOT_HOLD},
        {"distance", slow, SINPOS_HOLDS},
        {"near-far", base_one, SINPOS_DOES_NOT_HOLD},
        {"near-far", near_and_far, SINPOS_HOLDS},
        {"more-dims", base_one, SINPOS_DOES_NOT_HOLD},
        {"orthogonal", fourier_series, SINPOS_HOLDS},
        {"orthogonal", base_one, SINPOS_DOES_NOT_HOLD},
        {"attention", nothing_at_all, SINPOS_DOES_NOT_HOLD},
        {"trainable", base_one, SINPOS_DOES_NOT_APPLY},
        {"trainable", octave, SINPOS_DOES_NOT_APPLY},
        {"learned", base_one, SINPOS_DOES_NOT_APPLY},
        {"learned", everything, SINPOS_DOES_NOT_APPLY},
        {"relative", beyond_squares, SINPOS_DOES_NOT_APPLY},
        {"attention", beyond_squares, SINPOS_DOES_NOT_APPLY},
        {"definition", everything, SINPOS_HOLDS},
        {"definition", octave, SINPOS_HOLDS},
        {"definition", odd_zero, SINPOS_HOLDS},
        {"relative", base_one, SINPOS_HOLDS},
        {"relative", everything, SINPOS_HOLDS},
        {"relative", odd_width, SINPOS_HOLDS_ONLY_IF},
        {"relative", odd_zero, SINPOS_HOLDS},
        {"relative", one_sine, SINPOS_DOES_NOT_HOLD},
        {"order-free", everything, SINPOS_HOLDS},
        {"order-free", one_sine, SINPOS_DOES_NOT_APPLY},
        {"injective", plain, SINPOS_HOLDS},
        {"injective", octave, SINPOS_DOES_NOT_HOLD},
        {"injective", one_sine, SINPOS_HOLDS},
        {"injective", one_cosine, SINPOS_HOLDS},
        {"injective", cosine_by_phase, SINPOS_HOLDS},
        {"injective", sine_of_eighth_turns, SINPOS_DOES_NOT_HOLD},
        {"near-far", octave_of_8, SINPOS_DOES_NOT_APPLY},
        {"general-H", standing_still, SINPOS_DOES_NOT_APPLY},
        {"diagonal", nothing_at_all, SINPOS_DOES_NOT_APPLY},
        {"injective", standing_still, SINPOS_DOES_NOT_HOLD},
        {"injective", fourier_series, SINPOS_HOLDS_ONLY_IF},
        {"injective", near_and_far, SINPOS_HOLDS_ONLY_IF},
        {"both", plain, SINPOS_HOLDS},
        {"both", octave, SINPOS_DOES_NOT_HOLD},
        {"both", one_sine, SINPOS_DOES_NOT_HOLD},
        {"scale-invariant", odd_width, SINPOS_HOLDS_ONLY_IF},
        {"scale-invariant", one_sine, SINPOS_DOES_NOT_HOLD},
        {"linear", odd_width, SINPOS_HOLDS_ONLY_IF},
        {"linear", one_sine, SINPOS_DOES_NOT_HOLD},
        {"linear", everything, SINPOS_HOLDS},
        {"waves", everything, SINPOS_HOLDS},
        {"waves", octave, SINPOS_HOLDS},
        {"waves", one_sine, SINPOS_DOES_NOT_APPLY},
        {"fourier", everything, SINPOS_HOLDS},
        {"fourier", base_one, SINPOS_DOES_NOT_HOLD},
        {"fourier", octave, SINPOS_DOES_NOT_HOLD},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        sinpos_spec spec = SINPOS_SPEC_INIT;
        spec.dim = DIM;
        cases[i].change(&spec);
        const sinpos_verdict verdict = decide(&spec, cases[i].id, N, NULL, cases[i].verdict);
        if (verdict != cases[i].verdict)
            fail_msg("case %zu: %s %s", i, cases[i].id, sinpos_verdict_name(verdict));
    }
}

/* Float64 rows whose squares leave the range of doubles: only single elements are judged, and those are wrong. */
static void beyond_range(void **state)
{
    (void)state;
    static const double scales[] = {1e300, 1e-200};
    static sinpos_claim_result results[64];
    static double table[64 * 8];
    sinpos_spec spec = SINPOS_SPEC_INIT;
    spec.dim = 8;
    sinpos_plan *plan = plan_of(&spec);
    const sinpos_check_input input = {
        .plan = plan, .n = 64, .type = SINPOS_F64, .table = table, .ld_table = 8, .seed = SEED};
    for (size_t s = 0; s < 2; s++) {
        assert_int_equal(sinpos_fill(plan, 0, 64, SINPOS_F64, table, 8), SINPOS_OK);
        for (size_t i = 0; i < 64 * 8; i++)
            table[i] *= scales[s];
        assert_int_equal(sinpos_check(&input, NULL, 64, results, NULL, NULL, NULL), SINPOS_OK);
        for (size_t i = 0; sinpos_claim_at(i) != NULL; i++)
            assert_int_equal(results[i].verdict,
                             i == index_of("definition") ? SINPOS_DOES_NOT_HOLD : SINPOS_DOES_NOT_APPLY);
    }
    sinpos_plan_destroy(plan);
}

/* Does a sentence show what is not a number, or 100 as a power of ten? */
static bool is_unreadable(const char *why)
{
    for (const char *at = why; *at != '\0'; at += strcspn(at, " (") + (at[strcspn(at, " (")] != '\0')) {
        const char *word = at + (*at == '-');
        if (strncmp(word, "nan", 3) == 0 || strncmp(word, "inf", 3) == 0)
            return true;
    }
    return strstr(why, "1e+02 %") != NULL || strstr(why, " 1 tones") != NULL || strncmp(why, "1 tones", 7) == 0;
}

static void read_all(const sinpos_spec *spec, size_t n, const float *table, size_t number)
{
    static sinpos_claim_result results[64];
    sinpos_plan *plan = plan_of(spec);
    const sinpos_check_input input = {
        .plan = plan, .n = n, .type = SINPOS_F32, .table = table, .ld_table = spec->dim, .seed = SEED};
    assert_int_equal(sinpos_check(&input, NULL, 64, results, NULL, NULL, NULL), SINPOS_OK);
    for (size_t i = 0; sinpos_claim_at(i) != NULL; i++)
        if (is_unreadable(results[i].why))
            fail_msg("%s %zu: %s: %s", table != NULL ? "table" : "encoding", number, results[i].claim->id,
                     results[i].why);
    sinpos_plan_destroy(plan);
}

static void sentences(void **state)
{
    (void)state;
    static damage *const tables[] = {zeros,     equal_rows, huge,         minute, all_nan,
                                     first_nan, one_nan,    same_columns, doubled};
    static void (*const changes[])(sinpos_spec *) = {octave_of_8,   standing_still, nothing_at_all,
                                                     one_sine,      beyond_squares, base_one,
                                                     base_one_of_4, two_columns,    three_columns};
    sinpos_spec spec = SINPOS_SPEC_INIT;
    float *table = malloc(sizeof(float) * 64 * 8);
    spec.dim = 8;
    sinpos_plan *plan = plan_of(&spec);
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        assert_int_equal(sinpos_fill(plan, 0, 64, SINPOS_F32, table, 8), SINPOS_OK);
        tables[i](table, 64, 8);
        read_all(&spec, 64, table, i);
    }
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        spec = (sinpos_spec)SINPOS_SPEC_INIT;
        spec.dim = 8;
        changes[i](&spec);
        read_all(&spec, 64, NULL, i);
        read_all(&spec, N, NULL, i);
    }
    free(table);
    sinpos_plan_destroy(plan);
}

/* The default encoding in every type and over several lengths: no claim that must hold is refuted. */
static void every_type(void **state)
{
    (void)state;
    static const sinpos_type types[] = {SINPOS_F64, SINPOS_F32, SINPOS_F16, SINPOS_BF16};
    static const size_t lengths[] = {1, 2, 3, 9, 40, 300};
    static sinpos_claim_result results[64];
    sinpos_spec spec = SINPOS_SPEC_INIT;
    spec.dim = 20;
    sinpos_plan *plan = plan_of(&spec);
    for (size_t i = 0; i < 4; i++)
        for (size_t j = 0; j < 6; j++) {
            const sinpos_check_input input = {
                .plan = plan, .first = -7, .n = lengths[j], .type = types[i], .seed = SEED};
            assert_int_equal(sinpos_check(&input, NULL, 64, results, NULL, NULL, NULL), SINPOS_OK);
            for (size_t k = 0; sinpos_claim_at(k) != NULL; k++)
                if (results[k].claim->must_hold && results[k].verdict == SINPOS_DOES_NOT_HOLD)
                    fail_msg("type %d, %zu rows: %s %s", (int)types[i], lengths[j], results[k].claim->id,
                             results[k].why);
        }
    sinpos_plan_destroy(plan);
}

/* A threshold is what docs/mathematics.md makes it, for every type, from the rows of the type; not more. */
static void thresholds(void **state)
{
    (void)state;
    static const struct {
        sinpos_type type;
        double unit, tiny;
    } types[] = {{SINPOS_F64, 0x1p-53, 0x1p-1074},
                 {SINPOS_F32, 0x1p-24, 0x1p-150},
                 {SINPOS_F16, 0x1p-11, 0x1p-25},
                 {SINPOS_BF16, 0x1p-8, 0x1p-134}};
    static sinpos_claim_result results[64];
    static const double amplitudes[] = {1, 3, 1e-3};
    for (size_t i = 0; i < 12; i++) {
        const double a = amplitudes[i / 4], u = types[i % 4].unit, e = types[i % 4].tiny;
        sinpos_spec spec = SINPOS_SPEC_INIT;
        spec.dim = 32;
        spec.amplitude = a;
        sinpos_plan *plan = plan_of(&spec);
        const sinpos_check_input input = {.plan = plan, .n = 64, .type = types[i % 4].type, .seed = SEED};
        const double s = 16 * a * a, radius = (a * (1 + u) + 1.5 * e) / (1 - u);
        const struct {
            const char *id;
            double threshold;
        } known[] = {{"relative", (2 * u + u * u) * s + (0x1p-52 + 1e-15) * s + 2 * e * sqrt(32 * s)},
                     {"order-free", (2 * u + u * u) * s + (0x1p-52 + 1e-15) * s + 2 * e * sqrt(32 * s)},
                     {"scale-invariant", (2 * u + 2e-14) * sqrt(s) + 2 * e * sqrt(32)},
                     {"linear", (2 * u + 0x1p-50) * radius + 3 * e}};
        assert_int_equal(sinpos_check(&input, NULL, 64, results, NULL, NULL, NULL), SINPOS_OK);
        for (size_t j = 0; j < sizeof known / sizeof known[0]; j++) {
            size_t k = 0;
            while (strcmp(sinpos_claim_at(k)->id, known[j].id) != 0)
                k++;
            if (!(results[k].threshold <= known[j].threshold * (1 + 1e-9)) ||
                !(results[k].threshold >= known[j].threshold * (1 - 4 * u - 1e-2)))
                fail_msg("type %d, amplitude %g: %s is held against %g, not %g", (int)types[i % 4].type, a, known[j].id,
                         results[k].threshold, known[j].threshold);
        }
        sinpos_plan_destroy(plan);
    }
}

/* One column of one tone around position 0: by its phase it has mirror images there, or none. */
static void mirror_images(void **state)
{
    (void)state;
    static const struct {
        int is_cosine;
        double turns;
        bool is_mirrored;
    } cases[] = {{0, 0, false},     {0, 0.25, true}, {0, 0.75, true}, {0, -0.25, true}, {0, 0.5, false},
                 {0, 0.125, false}, {1, 0, true},    {1, 0.5, true},  {1, 0.25, false}, {1, 0.125, false}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        sinpos_spec spec = SINPOS_SPEC_INIT;
        sinpos_claim_result result;
        size_t which = 0;
        spec.dim = 1;
        spec.order = cases[i].is_cosine ? SINPOS_COS_SIN : SINPOS_SIN_COS;
        spec.phase_turns = cases[i].turns;
        sinpos_plan *plan = plan_of(&spec);
        const sinpos_check_input input = {.plan = plan, .first = -1, .n = 2, .type = SINPOS_F64, .seed = SEED};
        while (strcmp(sinpos_claim_at(which)->id, "injective") != 0)
            which++;
        assert_int_equal(sinpos_check(&input, &which, 1, &result, NULL, NULL, NULL), SINPOS_OK);
        /* the rows are -1 and 0, which differ; beyond them what is proved tells */
        const bool is_proved = result.verdict == SINPOS_HOLDS;
        if (is_proved == cases[i].is_mirrored)
            fail_msg("%s with %g turns: %s, %s", cases[i].is_cosine ? "cosine" : "sine", cases[i].turns,
                     sinpos_verdict_name(result.verdict), result.why);
        sinpos_plan_destroy(plan);
    }
}

static double detail_of(const sinpos_claim_result *r, const char *name)
{
    for (size_t i = 0; i < r->n_details; i++)
        if (strcmp(r->details[i].name, name) == 0)
            return r->details[i].value;
    fail_msg("no detail %s", name);
    return 0;
}

/* Figures of the documents and of independent computations. */
static void known(void **state)
{
    (void)state;
    static const char *const names[] = {"distance_1", "distance_10", "distance_100", "distance_500", "distance_999"};
    static const double distances[] = {5.1478, 17.8726, 23.7318, 27.0645, 28.3428};
    const size_t which[] = {index_of("distance"), index_of("decay"), index_of("near-far"), index_of("periodic")};
    sinpos_claim_result results[4];
    sinpos_spec spec = SINPOS_SPEC_INIT;
    spec.dim = 1000;
    sinpos_plan *plan = plan_of(&spec);
    const sinpos_check_input input = {.plan = plan, .n = 1000, .type = SINPOS_F32, .seed = SEED};
    assert_int_equal(sinpos_check(&input, which, 4, results, NULL, NULL, NULL), SINPOS_OK);
    for (size_t i = 0; i < 5; i++)
        assert_true(fabs(detail_of(&results[0], names[i]) - distances[i]) < 6e-5);
    const double crossing = detail_of(&results[1], "continuum_crosses_zero_at");
    assert_true(crossing != crossing || fabs(crossing - 6166.03) < 0.01); /* NaN without FLINT */
    for (size_t k = 1; k <= 1000; k *= 10) {
        static char name[40];
        double lower = 0, whole = 0;
        snprintf(name, sizeof name, "lower_share_%zu", k);
        for (int i = 0; i < 500; i++) {
            const double s = sin((double)k * pow(10000, -i / 500.0) / 2);
            whole += s * s;
            lower += i < 250 ? s * s : 0;
        }
        assert_true(fabs(detail_of(&results[2], name) - lower / whole) < 1e-4);
    }
    assert_true(fabs(detail_of(&results[3], "shortest_period") - 6.283185307) < 1e-8);
    assert_true(fabs(detail_of(&results[3], "longest_period") - 6.283185307 * pow(10000, 499 / 500.0)) < 1e-3);
    sinpos_plan_destroy(plan);
}

/* One tone in bfloat16: position 711 has the row of position 1, since 710 is nearly 113 turns. */
static void first_collision(void **state)
{
    (void)state;
    sinpos_spec spec = SINPOS_SPEC_INIT;
    sinpos_claim_result result;
    const size_t which = index_of("injective");
    spec.dim = 2;
    sinpos_plan *plan = plan_of(&spec);
    sinpos_check_input input = {.plan = plan, .n = 300, .type = SINPOS_BF16, .seed = SEED};
    assert_int_equal(sinpos_check(&input, &which, 1, &result, NULL, NULL, NULL), SINPOS_OK);
    assert_int_equal(result.verdict, SINPOS_HOLDS_ONLY_IF);
    assert_true(detail_of(&result, "first_position_with_an_earlier_row") == 711);
    input.n = 712;
    assert_int_equal(sinpos_check(&input, &which, 1, &result, NULL, NULL, NULL), SINPOS_OK);
    assert_int_equal(result.verdict, SINPOS_DOES_NOT_HOLD);
    assert_true(detail_of(&result, "first_position_with_an_earlier_row") == 711);
    input.n = 711;
    assert_int_equal(sinpos_check(&input, &which, 1, &result, NULL, NULL, NULL), SINPOS_OK);
    assert_int_equal(result.verdict, SINPOS_HOLDS_ONLY_IF);
    sinpos_plan_destroy(plan);
}

/* ------------------------------------------------------------------------------------------------ arguments */

static int stop_work(void *context, double done)
{
    *(double *)context = done;
    return 1;
}

/* ------------------------------------------------------------------------------- widths, thresholds and words */

static sinpos_claim_result one_claim(const sinpos_check_input *input, const char *id)
{
    const size_t which = index_of(id);
    sinpos_claim_result result;
    assert_int_equal(sinpos_check(input, &which, 1, &result, NULL, NULL, NULL), SINPOS_OK);
    print_message("  %-16s %-14s %.3g (%.3g) %s\n", id, sinpos_verdict_name(result.verdict), result.value,
                  result.threshold, result.why);
    return result;
}

/* Found by adding up sin^2(k theta_i / 2) over all offsets in NumPy. */
static void widths(void **state)
{
    static const struct {
        size_t dim, n;
        double columns;
    } known[] = {{512, 512, 12}, {512, 4096, 12}, {768, 4096, 12}, {128, 32768, 16}, {64, 1000000, 18}};
    (void)state;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        sinpos_spec spec = SINPOS_SPEC_INIT;
        spec.dim = known[i].dim;
        spec.types = SINPOS_F32;
        sinpos_plan *plan = plan_of(&spec);
        sinpos_check_input input = {.plan = plan, .n = known[i].n, .type = SINPOS_F32, .seed = SEED};
        sinpos_claim_result result = one_claim(&input, "more-dims");
        assert_int_equal(result.verdict, SINPOS_HOLDS_ONLY_IF);
        assert_true(result.value == known[i].columns);
        assert_int_equal(result.n_rows, known[i].n);
        if (known[i].n <= 32768) {
            float *table = malloc(known[i].n * known[i].dim * sizeof *table);
            assert_non_null(table);
            assert_int_equal(sinpos_fill(plan, 0, known[i].n, SINPOS_F32, table, known[i].dim), SINPOS_OK);
            input.table = table, input.ld_table = known[i].dim;
            result = one_claim(&input, "more-dims");
            assert_true(result.value == known[i].columns);
            free(table);
        }
        sinpos_plan_destroy(plan);
    }
}

enum { ALL_CLAIMS = 26 };

static void set_nothing(double *thresholds)
{
    for (size_t i = 0; i < ALL_CLAIMS; i++)
        thresholds[i] = NAN;
}

/* With a threshold that everything exceeds, and one that nothing does. Those of additive and covariance are lower bounds. */
static void given_thresholds(void **state)
{
    static const struct {
        const char *id;
        double strict, lax;
        sinpos_verdict refused, accepted;
    } known[] = {
        {"taylor", 0, 10, SINPOS_DOES_NOT_HOLD, SINPOS_HOLDS},
        {"decay", 0.01, 0.9, SINPOS_DOES_NOT_HOLD, SINPOS_HOLDS_ONLY_IF},
        {"schedules", 0.01, 0.9, SINPOS_DOES_NOT_HOLD, SINPOS_HOLDS_ONLY_IF},
        {"general-H", 1e-9, 0.5, SINPOS_DOES_NOT_HOLD, SINPOS_HOLDS_ONLY_IF},
        {"covariance", 1, 0.01, SINPOS_HOLDS_ONLY_IF, SINPOS_HOLDS},
        {"distance", 0.001, 0.9, SINPOS_DOES_NOT_HOLD, SINPOS_HOLDS},
        {"near-far", 0.25, 0.6, SINPOS_HOLDS_ONLY_IF, SINPOS_HOLDS},
        {"additive", 0.999, 0.1, SINPOS_DOES_NOT_HOLD, SINPOS_HOLDS},
        {"fourier", 1e-9, 0.01, SINPOS_DOES_NOT_HOLD, SINPOS_HOLDS},
        {"orthogonal", 0.5, 1, SINPOS_HOLDS_ONLY_IF, SINPOS_HOLDS},
    };
    (void)state;
    sinpos_spec spec = SINPOS_SPEC_INIT;
    double thresholds[ALL_CLAIMS];
    spec.dim = 64;
    spec.types = SINPOS_F32;
    sinpos_plan *plan = plan_of(&spec);
    sinpos_check_input input = {.plan = plan,
                                .n = 1024,
                                .type = SINPOS_F32,
                                .seed = SEED,
                                .thresholds = thresholds,
                                .n_thresholds = ALL_CLAIMS};
    size_t n_chosen = 0;
    for (size_t i = 0; i < ALL_CLAIMS; i++)
        n_chosen += !isnan(sinpos_claim_at(i)->threshold);
    assert_int_equal(n_chosen, sizeof known / sizeof *known);
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        const size_t at = index_of(known[i].id);
        set_nothing(thresholds);
        sinpos_claim_result result = one_claim(&input, known[i].id);
        if (strstr(result.why, "lacks") != NULL)
            continue;
        assert_int_equal(result.origin, SINPOS_THRESHOLD_CHOSEN);
        assert_true(fabs(result.threshold - sinpos_claim_at(at)->threshold) <
                    1e-4); /* rounding is added to two of them */
        thresholds[at] = known[i].strict;
        result = one_claim(&input, known[i].id);
        assert_int_equal(result.verdict, known[i].refused);
        assert_int_equal(result.origin, SINPOS_THRESHOLD_GIVEN);
        assert_true(result.threshold == known[i].strict);
        thresholds[at] = known[i].lax;
        assert_int_equal(one_claim(&input, known[i].id).verdict, known[i].accepted);
    }
    sinpos_plan_destroy(plan);
}

/* The seeded tokens, given as words, must give the same numbers; others must not. */
static void given_words(void **state)
{
    static const char *const ids[] = {"covariance", "additive", "attention"};
    enum { WORD_DIM = 64, N_WORDS = 2048 };
    (void)state;
    sinpos_spec spec = SINPOS_SPEC_INIT;
    spec.dim = WORD_DIM;
    spec.types = SINPOS_F32;
    sinpos_plan *plan = plan_of(&spec);
    double *words = malloc(N_WORDS * (WORD_DIM + 1) * sizeof *words);
    assert_non_null(words);
    for (size_t i = 0; i < N_WORDS; i++)
        assert_int_equal(sinpos_random_tokens(i, 1, WORD_DIM, SEED, words + i * (WORD_DIM + 1)), SINPOS_OK);
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++) {
        sinpos_check_input input = {.plan = plan, .n = 512, .type = SINPOS_F32, .seed = SEED};
        const sinpos_claim_result without = one_claim(&input, ids[i]);
        assert_true(without.claim->takes_words);
        input.words = words, input.n_words = N_WORDS, input.ld_words = WORD_DIM + 1;
        sinpos_claim_result with = one_claim(&input, ids[i]);
        if (i == 0) /* the words' own covariance is judged, too */
            assert_true(with.value < without.value && strstr(with.why, "of the words") != NULL);
        else
            assert_true(with.value == without.value || strstr(with.why, "lacks") != NULL);
    }
    for (size_t i = 0; i < N_WORDS; i++) /* one direction, far larger than the positions */
        for (size_t j = 0; j < WORD_DIM; j++)
            words[i * (WORD_DIM + 1) + j] = (double)(i % 7) * 100 + 1e-3 * words[i * (WORD_DIM + 1) + j];
    sinpos_check_input input = {
        .plan = plan, .n = 512, .type = SINPOS_F32, .words = words, .n_words = N_WORDS, .ld_words = WORD_DIM + 1};
    const sinpos_claim_result covariance = one_claim(&input, "covariance");
    assert_true(covariance.value == 0);
    assert_int_equal(covariance.verdict, SINPOS_HOLDS_ONLY_IF); /* the positions' still does */
    const sinpos_claim_result attention = one_claim(&input, "attention");
    assert_true(attention.value < 0.01);
    free(words);
    sinpos_plan_destroy(plan);
}

static void looked_at(void **state)
{
    (void)state;
    sinpos_spec spec = SINPOS_SPEC_INIT;
    spec.dim = 768;
    spec.types = SINPOS_F32;
    sinpos_plan *plan = plan_of(&spec);
    const sinpos_check_input input = {.plan = plan, .n = 20000, .type = SINPOS_F32, .seed = SEED};
    sinpos_claim_result result = one_claim(&input, "covariance");
    assert_int_equal(result.n_columns, 512);
    assert_true(result.n_rows < 5000);
    result = one_claim(&input, "decay");
    assert_int_equal(result.n_columns, 768);
    assert_true(result.n_rows < 20000);
    sinpos_plan_destroy(plan);
}

static void refused_inputs(void **state)
{
    (void)state;
    sinpos_spec spec = SINPOS_SPEC_INIT;
    spec.dim = 8;
    spec.types = SINPOS_F32;
    sinpos_plan *plan = plan_of(&spec);
    const size_t which = index_of("decay");
    sinpos_claim_result result;
    double thresholds[ALL_CLAIMS + 1], words[2 * 8] = {0};
    sinpos_check_input good = {.plan = plan, .n = 16, .type = SINPOS_F32, .thresholds = thresholds}, input;
    good.n_thresholds = ALL_CLAIMS;
    for (size_t i = 0; i < 4; i++) {
        const size_t at[] = {which, which, index_of("relative"), ALL_CLAIMS};
        const double bad[] = {-1, INFINITY, 0.1, 0.1};
        set_nothing(thresholds);
        thresholds[at[i]] = bad[i];
        input = good, input.n_thresholds = ALL_CLAIMS + (at[i] == ALL_CLAIMS);
        assert_int_equal(sinpos_check(&input, &which, 1, &result, NULL, NULL, NULL), SINPOS_E_VALUE);
    }
    set_nothing(thresholds);
    input = good, input.thresholds = NULL;
    assert_int_equal(sinpos_check(&input, &which, 1, &result, NULL, NULL, NULL), SINPOS_E_NULL);
    input = good, input.words = words, input.n_words = 1, input.ld_words = 8;
    assert_int_equal(sinpos_check(&input, &which, 1, &result, NULL, NULL, NULL), SINPOS_E_SHAPE);
    input.n_words = 2, input.ld_words = 7;
    assert_int_equal(sinpos_check(&input, &which, 1, &result, NULL, NULL, NULL), SINPOS_E_SHAPE);
    input.ld_words = SIZE_MAX / 4;
    assert_int_equal(sinpos_check(&input, &which, 1, &result, NULL, NULL, NULL), SINPOS_E_SHAPE);
    input.ld_words = 8, words[9] = NAN;
    assert_int_equal(sinpos_check(&input, &which, 1, &result, NULL, NULL, NULL), SINPOS_E_VALUE);
    input.words = NULL;
    assert_int_equal(sinpos_check(&input, &which, 1, &result, NULL, NULL, NULL), SINPOS_E_NULL);
    sinpos_plan_destroy(plan);
}

static void arguments(void **state)
{
    (void)state;
    sinpos_spec spec = SINPOS_SPEC_INIT;
    spec.dim = 8;
    spec.types = SINPOS_F32;
    sinpos_plan *plan = plan_of(&spec);
    const size_t which = 1, past = 1000;
    sinpos_claim_result results[64];
    double done = 0;
    sinpos_check_input good = {.plan = plan, .n = 16, .type = SINPOS_F32}, input = good;
    assert_int_equal(sinpos_check(NULL, &which, 1, results, NULL, NULL, NULL), SINPOS_E_NULL);
    assert_int_equal(sinpos_check(&good, &which, 1, NULL, NULL, NULL, NULL), SINPOS_E_NULL);
    assert_int_equal(sinpos_check(&good, &past, 1, results, NULL, NULL, NULL), SINPOS_E_VALUE);
    assert_int_equal(sinpos_check(&good, NULL, 1, results, NULL, NULL, NULL), SINPOS_E_CAPACITY);
    input.n = 0;
    assert_int_equal(sinpos_check(&input, &which, 1, results, NULL, NULL, NULL), SINPOS_E_SHAPE);
    input = good, input.type = 3;
    assert_int_equal(sinpos_check(&input, &which, 1, results, NULL, NULL, NULL), SINPOS_E_TYPE);
    input = good, input.type = SINPOS_F64;
    assert_int_equal(sinpos_check(&input, &which, 1, results, NULL, NULL, NULL), SINPOS_E_TYPE);
    input = good, input.table = &good, input.ld_table = 7;
    assert_int_equal(sinpos_check(&input, &which, 1, results, NULL, NULL, NULL), SINPOS_E_SHAPE);
    input = good, input.first = INT64_MAX - 14;
    assert_int_equal(sinpos_check(&input, &which, 1, results, NULL, NULL, NULL), SINPOS_E_RANGE);
    input = good, input.n_threads = 1025;
    assert_int_equal(sinpos_check(&input, &which, 1, results, NULL, NULL, NULL), SINPOS_E_VALUE);
    assert_int_equal(sinpos_check(&good, NULL, 64, results, NULL, stop_work, &done), SINPOS_E_STOPPED);
    assert_true(done > 0 && done < 0.5);
    assert_int_equal(sinpos_check(&good, NULL, 64, results, NULL, NULL, NULL), SINPOS_OK);
    sinpos_plan_destroy(plan);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(damaged),          cmocka_unit_test(encodings),
        cmocka_unit_test(every_type),       cmocka_unit_test(thresholds),
        cmocka_unit_test(mirror_images),    cmocka_unit_test(sentences),
        cmocka_unit_test(beyond_range),     cmocka_unit_test(known),
        cmocka_unit_test(first_collision),  cmocka_unit_test(widths),
        cmocka_unit_test(given_thresholds), cmocka_unit_test(given_words),
        cmocka_unit_test(looked_at),        cmocka_unit_test(refused_inputs),
        cmocka_unit_test(arguments),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
