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

/* What is done to a table. */
typedef enum change { NONE, SIGN, CONSTANT, DROPOUT, HALF, BESIDE, BEFORE, TWO_SIDES, TWO_ROWS } change;

typedef struct drawn {
    sinpos_spec spec;
    const char *arithmetic; /* NULL: exact */
    int64_t first;
    size_t n;
    sinpos_type type;
    change change;
    uint64_t seed; /* of the change */
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

/* Enough rows and columns for what is done to them, of a type in which the numbers of the formula can be found. */
static drawn draw_changed(random_state *r, change made)
{
    static const size_t dims[] = {16, 64, 128}, lengths[] = {200, 512, 2048};
    static const double usual[] = {10000, 500000, 1000, 100, 620, 12345.678};
    drawn d = draw_base(r);
    d.spec.dim = dims[random_below(r, 3)];
    d.spec.divisor = d.spec.divisor > 0 ? (double)d.spec.dim / 2 - 1 : 0;
    d.n = lengths[random_below(r, 3)];
    d.spec.base = usual[random_below(r, 6)];
    d.type = random_chance(r, 70) ? SINPOS_F32 : SINPOS_F64;
    d.first = random_chance(r, 70) ? 0 : (int64_t)random_below(r, 2000);
    d.change = made;
    d.seed = random_below(r, 1u << 30);
    return d;
}

static drawn draw_sign(random_state *r)
{
    return draw_changed(r, SIGN);
}

static drawn draw_constant(random_state *r)
{
    return draw_changed(r, CONSTANT);
}

static drawn draw_dropout(random_state *r)
{
    static const double usual[] = {10000, 500000, 1000, 100}; /* what is left shows no more digits */
    drawn d = draw_changed(r, DROPOUT);
    d.spec.base = usual[random_below(r, 4)];
    return d;
}

static drawn draw_half(random_state *r)
{
    return draw_changed(r, HALF);
}

static drawn draw_beside(random_state *r)
{
    return draw_changed(r, BESIDE);
}

static drawn draw_before(random_state *r)
{
    return draw_changed(r, BEFORE);
}

static drawn draw_two_sides(random_state *r)
{
    return draw_changed(r, TWO_SIDES);
}

static drawn draw_two_rows(random_state *r)
{
    return draw_changed(r, TWO_ROWS);
}

static const struct kind {
    const char *name;
    drawn (*draw)(random_state *r);
    const char *defect; /* that is found, by its name; NULL: none need be */
} kinds[] = {{"base", draw_base, NULL},
             {"amplitude", draw_amplitude, NULL},
             {"scale", draw_scale, NULL},
             {"arithmetic", draw_arithmetic, NULL},
             {"sign", draw_sign, "sign"},
             {"constant", draw_constant, "constant"},
             {"dropout", draw_dropout, "dropout"},
             {"half", draw_half, "columns"},
             {"beside", draw_beside, "columns"},
             {"before", draw_before, "stacked"},
             {"two_sides", draw_two_sides, "columns"},
             {"two_rows", draw_two_rows, "stacked"}};

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

/* --------------------------------------------------------------------------------------------- what is done */

typedef struct array {
    char *data;
    size_t n, dim, size; /* size: bytes of an element */
    sinpos_type type;
} array;

static array array_make(size_t n, size_t dim, sinpos_type type)
{
    array a = {calloc(n * dim, sinpos_type_bytes(type)), n, dim, sinpos_type_bytes(type), type};
    assert_non_null(a.data);
    return a;
}

static double get(const array *a, size_t row, size_t column)
{
    const char *at = a->data + (row * a->dim + column) * a->size;
    float single;
    double x;
    memcpy(&single, at, sizeof single);
    if (a->type == SINPOS_F64)
        memcpy(&x, at, sizeof x);
    return a->type == SINPOS_F64 ? x : (double)single;
}

static void put(const array *a, size_t row, size_t column, double x)
{
    char *at = a->data + (row * a->dim + column) * a->size;
    const float single = (float)x;
    if (a->type == SINPOS_F64)
        memcpy(at, &x, sizeof x);
    else
        memcpy(at, &single, sizeof single);
}

/* The table, with its first element at a row and a column of the array. */
static void place(const array *a, size_t row, size_t column, const char *table, size_t n, size_t dim)
{
    for (size_t i = 0; i < n; i++)
        memcpy(a->data + ((row + i) * a->dim + column) * a->size, table + i * dim * a->size, dim * a->size);
}

static void put_noise(const array *a, size_t row, size_t n, size_t column, size_t dim, random_state *r)
{
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < dim; j++)
            put(a, row + i, column + j, 2 * random_unit(r) - 1);
}

/* Columns of one component, once or twice. */
static array take_half(const drawn *d, const char *table, random_state *r)
{
    const bool second = random_chance(r, 50), twice = random_chance(r, 50);
    const size_t m = d->spec.dim / 2, each = d->spec.layout == SINPOS_HALVES ? 1 : 2;
    const size_t first = !second ? 0 : each == 1 ? m : 1;
    array from = array_make(d->n, d->spec.dim, d->type), to = array_make(d->n, twice ? 2 * m : m, d->type);
    place(&from, 0, 0, table, d->n, d->spec.dim);
    for (size_t i = 0; i < d->n; i++)
        for (size_t j = 0; j < to.dim; j++)
            put(&to, i, j, get(&from, i, first + each * (j % m)));
    free(from.data);
    return to;
}

static array take_two(const drawn *d, const char *table, bool beside, random_state *r)
{
    drawn other = *d;
    other.spec.base = d->spec.base * (2 + 3 * random_unit(r));
    other.spec.layout = random_chance(r, 50) ? SINPOS_HALVES : SINPOS_INTERLEAVED;
    char *second = make_table(&other.spec, 0, d->n, d->type);
    const array to = array_make(beside ? d->n : 2 * d->n, beside ? 2 * d->spec.dim : d->spec.dim, d->type);
    place(&to, 0, 0, table, d->n, d->spec.dim);
    place(&to, beside ? 0 : d->n, beside ? d->spec.dim : 0, second, d->n, d->spec.dim);
    free(second);
    return to;
}

static void negate_some(const array *a, random_state *r)
{
    const size_t n = random_chance(r, 20) ? a->dim : 1 + random_below(r, a->dim / 4);
    const size_t first = n == a->dim ? 0 : random_below(r, a->dim - n);
    for (size_t j = first; j < first + n; j++)
        for (size_t i = 0; i < a->n; i++)
            put(a, i, j, -get(a, i, j));
}

static void drop_some(const array *a, random_state *r)
{
    const unsigned percent = 5 + (unsigned)random_below(r, 20);
    for (size_t i = 0; i < a->n; i++)
        for (size_t j = 0; j < a->dim; j++)
            put(a, i, j, random_chance(r, percent) ? 0 : get(a, i, j) / (1 - percent / 100.0));
}

static void add_constant(const array *a, random_state *r)
{
    static const double constants[] = {0.1, 0.5, -0.25, 1, 0.01};
    const double constant = constants[random_below(r, 5)];
    const double added = a->type == SINPOS_F64 ? constant : (double)(float)constant;
    for (size_t i = 0; i < a->n; i++)
        for (size_t j = 0; j < a->dim; j++)
            put(a, i, j, get(a, i, j) + added);
}

static array make_changed(const drawn *d)
{
    random_state r = random_seed(d->seed, 0);
    char *table = make_drawn(d);
    array a = {NULL, d->n, d->spec.dim, sinpos_type_bytes(d->type), d->type};
    const size_t few = 1 + random_below(&r, 6), before = random_chance(&r, 50) ? few : 0;
    switch (d->change) {
    case HALF: a = take_half(d, table, &r); break;
    case TWO_SIDES: a = take_two(d, table, true, &r); break;
    case TWO_ROWS: a = take_two(d, table, false, &r); break;
    case BESIDE:
        a = array_make(d->n, d->spec.dim + few, d->type);
        place(&a, 0, before, table, d->n, d->spec.dim);
        put_noise(&a, 0, d->n, before > 0 ? 0 : d->spec.dim, few, &r);
        break;
    case BEFORE:
        a = array_make(d->n + few, d->spec.dim, d->type);
        place(&a, few, 0, table, d->n, d->spec.dim);
        put_noise(&a, 0, few, 0, d->spec.dim, &r);
        break;
    default: a.data = table;
    }
    if (d->change == SIGN)
        negate_some(&a, &r);
    if (d->change == CONSTANT)
        add_constant(&a, &r);
    if (d->change == DROPOUT)
        drop_some(&a, &r);
    if (a.data != table)
        free(table);
    return a;
}

/* ------------------------------------------------------------------------------------------------- verdicts */

static bool has_defect(const sinpos_identity *found, const char *name)
{
    bool has = name == NULL;
    for (size_t i = 0; i < found->n_defects; i++)
        has = has || strcmp(sinpos_defect_name(found->defects[i].kind), name) == 0;
    return has;
}

/* Does this part make its elements of the array again, zeros of dropout aside? */
static bool makes_part(const sinpos_identity *part, const array *a)
{
    const array again = array_make(part->n, part->dim, a->type);
    size_t wrong = 0;
    const double near = part->dropped > 0 ? (a->type == SINPOS_F64 ? 0x1p-51 : 0x1p-22) * part->amplitude : 0;
    assert_int_equal(sinpos_identity_rows_as_found(part, 0, part->n, a->type, again.data, 1), SINPOS_OK);
    for (size_t i = 0; i < part->n; i++) {
        for (size_t j = 0; j < part->dim; j++) {
            const double x = get(a, part->first_row + i, part->columns == NULL ? j : part->columns[j]);
            wrong += !(part->dropped > 0 && x == 0) && !(fabs(get(&again, i, j) - x) <= near);
        }
    }
    free(again.data);
    return wrong == 0;
}

static bool makes_parts(const sinpos_identity *found, const drawn *d, const array *a)
{
    const size_t n_others = d->change == TWO_SIDES || (d->change == TWO_ROWS && found->n < a->n);
    bool are_right = found->is_sinusoidal && found->n_others == n_others && makes_part(found, a);
    for (size_t i = 0; i < found->n_others && are_right; i++)
        are_right = makes_part(found->others[i], a);
    return are_right;
}

/* Is the table made again? */
static bool is_right(const struct kind *kind, size_t k)
{
    random_state r = random_seed(asked.seed, k);
    const drawn d = kind->draw(&r);
    const array a = make_changed(&d);
    sinpos_identity *found = identify(a.data, a.n, a.dim, d.type);
    const sinpos_identity_axis *axis = &found->axis[0];
    const bool is_same = d.change == NONE ? makes_again(found, &d, a.data)
                                          : has_defect(found, kind->defect) && makes_parts(found, &d, &a);
    if (!is_same || asked.only != SIZE_MAX) {
        printf("%s %zu: %zu x %zu, type %d, base %.17g, divisor %g, start %lld, amplitude %.17g, scale %.17g: ",
               kind->name, k, d.n, d.spec.dim, (int)d.type, d.spec.base, d.spec.divisor, (long long)d.first,
               d.spec.amplitude, d.spec.scale);
        printf("%s: arithmetic %s, ", d.arithmetic == NULL ? "exact" : d.arithmetic, found->arithmetic);
        printf("found %d, %llu wrong, law %d, base %.17g, divisor %g, start %.17g, amplitude %.17g, scale %.17g\n",
               found->is_sinusoidal, (unsigned long long)found->total.wrong, (int)axis->law, axis->base, axis->divisor,
               axis->start, found->amplitude, axis->scale);
        for (size_t i = 0; i < found->n_defects; i++)
            printf("  %s: %s\n", sinpos_defect_name(found->defects[i].kind), found->defects[i].sentence);
    }
    sinpos_identity_destroy(found);
    free(a.data);
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

/* Exact tables whose base had been named with too few digits, or whose start was 3e-14. */
static void bases_of_few_digits(void **state)
{
    static const double bases[] = {220, 620, 720, 5000, 12345.678};
    (void)state;
    for (size_t i = 0; i < sizeof bases / sizeof bases[0]; i++) {
        sinpos_spec spec = SINPOS_SPEC_INIT;
        spec.dim = 64;
        spec.base = bases[i];
        void *data = make_table(&spec, 0, 512, SINPOS_F64);
        sinpos_identity *found = identify(data, 512, 64, SINPOS_F64);
        assert_true(found->is_sinusoidal && found->total.wrong == 0 && found->n_defects == 0);
        assert_true(found->axis[0].base == bases[i] && found->axis[0].start == 0);
        sinpos_identity_destroy(found);
        free(data);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(made_again), cmocka_unit_test(bases_of_few_digits)};
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
