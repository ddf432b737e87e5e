/* Single elements judged by ball and by double-double arithmetic: what the library makes is right, its neighbours are not. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cases.h"

#include "claims_element.h"
#include "random.h"
#include "support.h"

enum { DIM = 24, SEED = 9 };

static double value_of(const void *table, sinpos_type type, size_t i)
{
    const uint64_t bits = load_bits(table, type, i);
    const uint32_t wide = (uint32_t)(type == SINPOS_BF16 ? bits << 16 : bits);
    double value;
    float single;
    if (type == SINPOS_F64) {
        memcpy(&value, &bits, sizeof value);
        return value;
    }
    if (type == SINPOS_F16) {
        const int exponent = bits >> 10 & 31, fraction = bits & 1023;
        value = exponent == 0 ? ldexp(fraction, -24) : ldexp(fraction + 1024, exponent - 25);
        return bits >> 15 ? -value : value;
    }
    memcpy(&single, &wide, sizeof single);
    return single;
}

typedef struct tally {
    size_t right, wrong, undecided;
} tally;

static void count(tally *t, element_verdict verdict)
{
    t->right += verdict == ELEMENT_RIGHT;
    t->wrong += verdict == ELEMENT_WRONG;
    t->undecided += verdict == ELEMENT_UNDECIDED;
}

/* Judges a value that the library made, and its two neighbours. */
static void judge(element_judge *judge_one, element e, tally *made, tally *beside)
{
    double below, above;
    bool is_even;
    assert_true(element_gaps(e.type, e.got, &below, &above, &is_even));
    count(made, judge_one(&e));
    const double got = e.got;
    e.got = got - below;
    count(beside, judge_one(&e));
    e.got = got + above;
    count(beside, judge_one(&e));
}

static void judge_row(element_judge *judge_one, const sinpos_spec *spec, int64_t position, sinpos_type type,
                      tally *made, tally *beside)
{
    uint64_t row[DIM];
    sinpos_tone tones[DIM];
    sinpos_plan *plan = NULL;
    assert_int_equal(sinpos_plan_create(&plan, spec), SINPOS_OK);
    assert_int_equal(sinpos_fill(plan, position, 1, type, row, spec->dim), SINPOS_OK);
    const size_t n = expand_spec(spec, tones);
    for (size_t i = 0; i < n; i++) {
        const sinpos_tone *t = &tones[i];
        if (t->sin_column >= 0)
            judge(judge_one, (element){t, false, position, type, value_of(row, type, (size_t)t->sin_column)}, made,
                  beside);
        if (t->cos_column >= 0)
            judge(judge_one, (element){t, true, position, type, value_of(row, type, (size_t)t->cos_column)}, made,
                  beside);
    }
    sinpos_plan_destroy(plan);
}

static sinpos_spec random_spec(random_state *r)
{
    sinpos_spec spec = SINPOS_SPEC_INIT;
    spec.dim = 2 + random_below(r, DIM - 1);
    spec.schedule = random_chance(r, 60) ? SINPOS_GEOMETRIC : random_chance(r, 50) ? SINPOS_POWER : SINPOS_OCTAVE;
    spec.base = random_spread(r, 1, 20);
    spec.shift = random_chance(r, 30) ? 0.5 : 0;
    spec.divisor = random_chance(r, 30) ? (double)spec.dim + 1.25 : 0;
    spec.exponent = random_chance(r, 50) ? 1.75 : 1;
    spec.scale = random_chance(r, 30) ? random_spread(r, -8, 3) : 1;
    spec.amplitude = random_chance(r, 30) ? random_spread(r, -2, 2) : 1;
    spec.phase = random_chance(r, 20) ? random_unit(r) : 0;
    spec.phase_turns = random_chance(r, 20) ? random_unit(r) : 0;
    spec.odd = random_chance(r, 50) ? SINPOS_ZERO : SINPOS_TRUNCATE;
    if (spec.schedule == SINPOS_POWER && spec.shift > 0 && spec.divisor == 0)
        spec.divisor = (double)spec.dim;
    return spec;
}

static void compare(element_judge *judge_one, const char *name, int position_bits, double most_undecided)
{
    random_state r = random_seed(SEED, 1);
    tally made = {0, 0, 0}, beside = {0, 0, 0};
    print_message("seed %d\n", SEED);
    for (int i = 0; i < 60; i++) {
        const sinpos_spec spec = random_spec(&r);
        for (size_t t = 0; t < N_TYPES; t++) {
            const int64_t position = random_int64_bits(&r) >> (63 - position_bits);
            tally before = made;
            judge_row(judge_one, &spec, i == 0 ? 0 : position, all_types[t], &made, &beside);
            if (made.wrong != before.wrong) {
                print_spec(stderr, &spec);
                fail_msg("position %lld, type %s", (long long)position, type_name(all_types[t]));
            }
        }
    }
    print_message("%s: made %zu right, %zu undecided; beside %zu wrong, %zu undecided\n", name, made.right,
                  made.undecided, beside.wrong, beside.undecided);
    assert_int_equal(beside.right, 0);
    assert_true((double)made.undecided <= most_undecided * (double)(made.right + made.undecided));
    assert_true((double)beside.undecided <= most_undecided * (double)(beside.wrong + beside.undecided));
}

static void balls(void **state)
{
    (void)state;
    if (element_judge_best == element_by_double_double)
        skip();
    compare(element_judge_best, "balls", 63, 0);
}

static void double_double(void **state)
{
    (void)state;
    compare(element_by_double_double, "double-double", 20, 0.02); /* exact zeros of octaves are beyond it */
}

static void gaps(void **state)
{
    (void)state;
    double below, above;
    bool is_even;
    assert_true(element_gaps(SINPOS_F32, 1, &below, &above, &is_even));
    assert_true(below == 0x1p-24 && above == 0x1p-23 && is_even);
    assert_true(element_gaps(SINPOS_F32, -1, &below, &above, &is_even));
    assert_true(below == 0x1p-23 && above == 0x1p-24);
    assert_true(element_gaps(SINPOS_F16, 0, &below, &above, &is_even));
    assert_true(below == 0x1p-24 && above == 0x1p-24 && is_even);
    assert_true(element_gaps(SINPOS_F64, 0x1p-1074, &below, &above, &is_even));
    assert_true(below == 0x1p-1074 && above == 0x1p-1074 && !is_even);
    assert_false(element_gaps(SINPOS_BF16, 1 + 0x1p-8, &below, &above, &is_even));
    assert_false(element_gaps(SINPOS_F64, NAN, &below, &above, &is_even));
    assert_false(element_gaps(SINPOS_F64, INFINITY, &below, &above, &is_even));
}

/* Ties: an amplitude half way between two floats, at a cosine of 1. */
static void ties(void **state)
{
    (void)state;
    if (element_judge_best == element_by_double_double)
        skip();
    const sinpos_tone tone = {.schedule = SINPOS_EXPLICIT,
                              .scale = 1,
                              .factor = 1,
                              .value = 1,
                              .amplitude = 1 + 0x1p-24,
                              .sin_column = 0,
                              .cos_column = 1};
    const element even = {&tone, true, 0, SINPOS_F32, 1}, odd = {&tone, true, 0, SINPOS_F32, 1 + 0x1p-23};
    assert_int_equal(element_judge_best(&even), ELEMENT_RIGHT);
    assert_int_equal(element_judge_best(&odd), ELEMENT_WRONG);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gaps),
        cmocka_unit_test(ties),
        cmocka_unit_test(balls),
        cmocka_unit_test(double_double),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
