/*
 * identify_generated - tables of seeded draws: what is found must make every element of 99 in 100 again.
 *
 *   --count N    tables of each kind (default 12)
 *   --seed S     (default 1)
 *   --kind NAME  of this kind alone
 *   --case K     that table alone, and what is said of it
 */
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
#include "sinpos_conventions.h"
#include "size.h"

typedef struct drawn {
    sinpos_spec spec;
    const char *arithmetic; /* NULL: exact */
    int64_t first;
    size_t n;
    sinpos_type type;
} drawn;

/* As somebody writes it: few digits, or as many as a double has. */
static double draw_number(random_state *r, double low, double high)
{
    char text[40];
    const double x = exp(log(low) + random_unit(r) * (log(high) - log(low)));
    snprintf(text, sizeof text, "%.*g", 1 + (int)random_below(r, 17), x);
    return strtod(text, NULL);
}

static drawn draw_base(random_state *r)
{
    static const size_t dims[] = {16, 64, 128, 512}, lengths[] = {64, 512, 2048};
    static const sinpos_type types[] = {SINPOS_F64, SINPOS_F64, SINPOS_F32, SINPOS_F32, SINPOS_F16, SINPOS_BF16};
    static const int64_t starts[] = {0, 0, 1, 1000, 8192};
    drawn d = {.spec = SINPOS_SPEC_INIT, .n = lengths[random_below(r, 3)], .type = types[random_below(r, 6)]};
    d.spec.dim = dims[random_below(r, 4)];
    d.spec.base = draw_number(r, 30, 1e7);
    d.spec.layout = random_chance(r, 50) ? SINPOS_HALVES : SINPOS_INTERLEAVED;
    d.spec.order = random_chance(r, 30) ? SINPOS_COS_SIN : SINPOS_SIN_COS;
    d.spec.divisor = random_chance(r, 30) ? (double)d.spec.dim / 2 - 1 : 0;
    /* Far from 0 sixteen bits leave too much in doubt. */
    d.first = starts[random_below(r, d.type == SINPOS_F16 || d.type == SINPOS_BF16 ? 3 : 5)];
    return d;
}

static drawn draw_amplitude(random_state *r)
{
    drawn d = draw_base(r);
    const double usual[] = {sqrt(2 / (double)d.spec.dim), 1 / sqrt((double)d.spec.dim), sqrt((double)d.spec.dim)};
    d.spec.amplitude = random_chance(r, 50) ? usual[random_below(r, 3)] : draw_number(r, 0.01, 100);
    return d;
}

static drawn draw_scale(random_state *r)
{
    static const double usual[] = {0.5, 0.25, 0.125, 2};
    drawn d = draw_base(r);
    d.first = 0;
    d.type = random_chance(r, 50) ? SINPOS_F32 : SINPOS_F64;
    d.spec.scale = random_chance(r, 50) ? usual[random_below(r, 4)] : draw_number(r, 0.01, 1);
    return d;
}

static drawn draw_arithmetic(random_state *r)
{
    static const double usual[] = {10000, 500000, 1e6, 1000, 20000, 100, 1500, 5e6};
    drawn d = draw_base(r);
    d.spec.base = usual[random_below(r, 8)];
    d.type = SINPOS_F32;
    d.arithmetic = sinpos_arithmetic_text(sinpos_arithmetic_at(random_below(r, sinpos_arithmetics_count())), "name");
    return d;
}

static const struct kind {
    const char *name;
    drawn (*draw)(random_state *r);
} kinds[] = {
    {"base", draw_base}, {"amplitude", draw_amplitude}, {"scale", draw_scale}, {"arithmetic", draw_arithmetic}};

static struct {
    size_t count;
    uint64_t seed;
    const char *kind;
    size_t only;
} asked = {12, 1, NULL, SIZE_MAX};

static void replay_table(const sinpos_plan *plan, const drawn *d, const char *arithmetic, void *out)
{
    const sinpos_rows rows = {.struct_size = sizeof rows, .n = d->n, .first = d->first};
    sinpos_replay *replay = NULL;
    assert_int_equal(sinpos_replay_create(&replay, plan, arithmetic), SINPOS_OK);
    assert_int_equal(sinpos_replay_run(replay, SINPOS_FILL, &rows, d->type, out, d->spec.dim, 1), SINPOS_OK);
    sinpos_replay_destroy(replay);
}

static void *make_drawn(const drawn *d)
{
    void *data = make_table(&d->spec, d->first, d->n, d->type);
    sinpos_plan *plan = NULL;
    if (d->arithmetic != NULL) {
        assert_int_equal(sinpos_plan_create(&plan, &d->spec), SINPOS_OK);
        replay_table(plan, d, d->arithmetic, data);
        sinpos_plan_destroy(plan);
    }
    return data;
}

/* Does what is found make the table again, with an arithmetic if one is named? */
static bool makes_again(const sinpos_identity *found, const drawn *d, const void *data)
{
    const size_t bytes = d->n * d->spec.dim * sinpos_type_bytes(d->type);
    void *again = malloc(bytes);
    bool is_same = found->is_sinusoidal && found->total.wrong == 0;
    assert_non_null(again);
    for (size_t k = 0; k < sinpos_arithmetics_count() && !is_same && found->is_sinusoidal && found->positions == NULL &&
                       found->arithmetic[0] != '\0' && found->axis[0].start == (double)d->first;
         k++) {
        replay_table(found->plan, d, sinpos_arithmetic_text(sinpos_arithmetic_at(k), "name"), again);
        is_same = memcmp(again, data, bytes) == 0;
    }
    free(again);
    return is_same;
}

/* Is the table made again? */
static bool is_right(const struct kind *kind, size_t k)
{
    random_state r = random_seed(asked.seed, k);
    const drawn d = kind->draw(&r);
    void *data = make_drawn(&d);
    sinpos_identity *found = identify(data, d.n, d.spec.dim, d.type);
    const sinpos_identity_axis *axis = &found->axis[0];
    const bool is_same = makes_again(found, &d, data);
    if (!is_same || asked.only != SIZE_MAX) {
        printf("%s %zu: %zu x %zu, type %d, base %.17g, divisor %g, start %lld, amplitude %.17g, scale %.17g: ",
               kind->name, k, d.n, d.spec.dim, (int)d.type, d.spec.base, d.spec.divisor, (long long)d.first,
               d.spec.amplitude, d.spec.scale);
        printf("%s: arithmetic %s, ", d.arithmetic == NULL ? "exact" : d.arithmetic, found->arithmetic);
        printf("found %d, %llu wrong, law %d, base %.17g, divisor %g, start %.17g, amplitude %.17g, scale %.17g\n",
               found->is_sinusoidal, (unsigned long long)found->total.wrong, (int)axis->law, axis->base, axis->divisor,
               axis->start, found->amplitude, axis->scale);
    }
    sinpos_identity_destroy(found);
    free(data);
    return is_same;
}

static void made_again(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        size_t wrong = 0;
        if (asked.kind != NULL && strcmp(asked.kind, kinds[i].name) != 0)
            continue;
        for (size_t k = 0; k < asked.count; k++)
            wrong += (asked.only == SIZE_MAX || k == asked.only) && !is_right(&kinds[i], k);
        printf("%s: %zu of %zu are not made again, seed %llu\n", kinds[i].name, wrong, asked.count,
               (unsigned long long)asked.seed);
        assert_true(100 * wrong <= asked.count);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(made_again)};
    asked.count = small_size() ? 3 : 12;
    for (int i = 1; i + 1 < argc; i += 2)
        if (strcmp(argv[i], "--count") == 0)
            asked.count = strtoull(argv[i + 1], NULL, 10);
        else if (strcmp(argv[i], "--seed") == 0)
            asked.seed = strtoull(argv[i + 1], NULL, 10);
        else if (strcmp(argv[i], "--kind") == 0)
            asked.kind = argv[i + 1];
        else if (strcmp(argv[i], "--case") == 0)
            asked.only = strtoull(argv[i + 1], NULL, 10);
    return cmocka_run_group_tests_name("identify_generated", tests, NULL, NULL);
}
