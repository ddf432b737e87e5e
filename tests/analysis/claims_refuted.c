/* Every claim is refuted by an encoding or a table of which it is false, and holds for the default encoding. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

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

/* Decides one claim for a table; NULL: the exact rows. */
static sinpos_verdict decide(const sinpos_spec *spec, const char *id, size_t n, const float *table)
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
    return result.verdict;
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

typedef struct table_case {
    const char *id;
    damage *damage;
    sinpos_verdict verdict;
} table_case;

static void damaged(void **state)
{
    (void)state;
    static const table_case cases[] = {
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
    };
    sinpos_spec spec = SINPOS_SPEC_INIT;
    spec.dim = DIM;
    sinpos_plan *plan = plan_of(&spec);
    float *table = malloc(sizeof(float) * N * DIM);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(sinpos_fill(plan, 0, N, SINPOS_F32, table, DIM), SINPOS_OK);
        cases[i].damage(table, N, DIM);
        const sinpos_verdict verdict = decide(&spec, cases[i].id, N, table);
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

typedef struct spec_case {
    const char *id;
    void (*change)(sinpos_spec *spec);
    sinpos_verdict verdict;
} spec_case;

static void encodings(void **state)
{
    (void)state;
    static const spec_case cases[] = {
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
        const sinpos_verdict verdict = decide(&spec, cases[i].id, N, NULL);
        if (verdict != cases[i].verdict)
            fail_msg("case %zu: %s %s", i, cases[i].id, sinpos_verdict_name(verdict));
    }
}

/* ------------------------------------------------------------------------------------------------ arguments */

static int stop(void *context, double done)
{
    *(double *)context = done;
    return 1;
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
    assert_int_equal(sinpos_check(&good, &past, 1, results, NULL, NULL, NULL), SINPOS_E_SHAPE);
    assert_int_equal(sinpos_check(&good, NULL, 1, results, NULL, NULL, NULL), SINPOS_E_SHAPE);
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
    assert_int_equal(sinpos_check(&input, &which, 1, results, NULL, NULL, NULL), SINPOS_E_SHAPE);
    assert_int_equal(sinpos_check(&good, NULL, 64, results, NULL, stop, &done), SINPOS_E_STOPPED);
    assert_true(done > 0 && done < 0.5);
    assert_int_equal(sinpos_check(&good, NULL, 64, results, NULL, NULL, NULL), SINPOS_OK);
    sinpos_plan_destroy(plan);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(damaged),
        cmocka_unit_test(encodings),
        cmocka_unit_test(arguments),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
