/*
 * diff_generated - seeded pairs of tables: B is A with one or two changes, and exactly these must come out.
 *
 *   --count N   pairs (default 600, or 24 of the small size)
 *   --seed S    (default 1)
 *   --case K    that pair alone, and what is said of it
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

/* Kinds that are drawn. */
static const sinpos_diff_kind drawn_kinds[] = {
    SINPOS_DIFF_LAYOUT,   SINPOS_DIFF_ORDER,       SINPOS_DIFF_BASE,    SINPOS_DIFF_DIVISOR,
    SINPOS_DIFF_START,    SINPOS_DIFF_STEP,        SINPOS_DIFF_SCALE,   SINPOS_DIFF_SIGN,
    SINPOS_DIFF_CONSTANT, SINPOS_DIFF_DROPOUT,     SINPOS_DIFF_ANGLES,  SINPOS_DIFF_POSITIONS,
    SINPOS_DIFF_TYPE,     SINPOS_DIFF_PERMUTATION, SINPOS_DIFF_STACKED, SINPOS_DIFF_COLUMNS};
enum { N_KINDS = sizeof drawn_kinds / sizeof drawn_kinds[0] };

typedef struct table {
    sinpos_spec spec;
    const char *arithmetic; /* NULL: exact */
    double start, step;
    size_t n;
    sinpos_type type;
    void *data;
} table;

typedef struct pair {
    table a, b;
    sinpos_diff_kind kinds[2];
    size_t n_kinds;
} pair;

static struct {
    size_t count;
    uint64_t seed;
    size_t only;
} asked = {200, 1, SIZE_MAX};

/* ------------------------------------------------------------------------------------------------- drawing */

static double draw_number(random_state *r, double low, double high)
{
    char text[40];
    const double x = exp(log(low) + random_unit(r) * (log(high) - log(low)));
    snprintf(text, sizeof text, "%.*g", 1 + (int)random_below(r, 6), x);
    return strtod(text, NULL);
}

static bool has(const pair *p, sinpos_diff_kind kind)
{
    return (p->n_kinds > 0 && p->kinds[0] == kind) || (p->n_kinds > 1 && p->kinds[1] == kind);
}

/* Changes that hide each other, or that one array cannot show. */
static bool is_possible(const pair *p, sinpos_diff_kind kind)
{
    static const struct {
        const char *one, *others;
    } apart[] = {{"permutation", "layout order columns sign"},
                 {"columns", "layout order sign constant dropout start step base stacked"},
                 {"angles", "positions type stacked step"},
                 {"positions", "type stacked step start"},
                 {"constant", "scale dropout type stacked"},
                 {"stacked", "start step base divisor type"},
                 {"type", "scale"}};
    for (size_t k = 0; k < sizeof apart / sizeof apart[0]; k++)
        for (size_t i = 0; i < p->n_kinds; i++) {
            const char *one = sinpos_diff_kind_name(kind), *other = sinpos_diff_kind_name(p->kinds[i]);
            if ((strcmp(one, apart[k].one) == 0 && strstr(apart[k].others, other) != NULL) ||
                (strcmp(other, apart[k].one) == 0 && strstr(apart[k].others, one) != NULL))
                return false;
        }
    return !has(p, kind);
}

static void draw_a(random_state *r, table *a)
{
    static const size_t dims[] = {16, 32, 64, 128}, lengths[] = {64, 300, 512, 1500};
    static const sinpos_type types[] = {SINPOS_F32, SINPOS_F32, SINPOS_F64};
    *a = (table){
        .spec = SINPOS_SPEC_INIT, .step = 1, .n = lengths[random_below(r, 4)], .type = types[random_below(r, 3)]};
    a->spec.dim = dims[random_below(r, 4)];
    a->spec.base = random_chance(r, 50) ? 10000 : draw_number(r, 100, 1e7);
    a->spec.layout = random_chance(r, 50) ? SINPOS_HALVES : SINPOS_INTERLEAVED;
    a->spec.order = random_chance(r, 30) ? SINPOS_COS_SIN : SINPOS_SIN_COS;
    a->start = random_chance(r, 70) ? 0 : (double)random_below(r, 100);
}

static void change_spec(random_state *r, pair *p, sinpos_diff_kind kind)
{
    static const char *const recipes[] = {"float32-exp", "float32-pow", "float32-ratio-pow", "bfloat16-theta", "ggml"};
    static const double steps[] = {2, 3, 0.5};
    static const sinpos_type types[] = {SINPOS_F16, SINPOS_BF16};
    table *b = &p->b;
    switch (kind) {
    case SINPOS_DIFF_LAYOUT:
        b->spec.layout = b->spec.layout == SINPOS_HALVES ? SINPOS_INTERLEAVED : SINPOS_HALVES;
        break;
    case SINPOS_DIFF_ORDER: b->spec.order = b->spec.order == SINPOS_SIN_COS ? SINPOS_COS_SIN : SINPOS_SIN_COS; break;
    case SINPOS_DIFF_BASE: b->spec.base = b->spec.base * (double)(2 + random_below(r, 50)); break;
    case SINPOS_DIFF_DIVISOR: b->spec.divisor = (double)b->spec.dim / 2 - 1; break;
    case SINPOS_DIFF_START: b->start += (double)(1 + random_below(r, random_chance(r, 50) ? 3 : 2000)); break;
    case SINPOS_DIFF_STEP: b->step = steps[random_below(r, 3)]; break;
    case SINPOS_DIFF_SCALE:
        b->spec.amplitude = random_chance(r, 50) ? sqrt((double)b->spec.dim) : draw_number(r, 1.5, 100);
        break;
    case SINPOS_DIFF_ANGLES:
        p->a.type = b->type = SINPOS_F32;
        b->arithmetic = recipes[random_below(r, 5)];
        break;
    case SINPOS_DIFF_POSITIONS:
        p->a.n = b->n = 1500;
        b->arithmetic = "bfloat16-positions";
        p->a.type = b->type = SINPOS_F32;
        break;
    case SINPOS_DIFF_TYPE: b->type = types[random_below(r, 2)]; break;
    default: break;
    }
}

static void fill(table *t)
{
    double *at = calloc(t->n, sizeof *at);
    const sinpos_rows rows = {.struct_size = sizeof rows, .n = t->n, .reals = at};
    sinpos_plan *plan = NULL;
    sinpos_replay *replay = NULL;
    t->data = calloc(2 * t->n * t->spec.dim, sinpos_type_bytes(t->type));
    assert_true(at != NULL && t->data != NULL);
    for (size_t i = 0; i < t->n; i++)
        at[i] = t->start + t->step * (double)i;
    assert_int_equal(sinpos_plan_create(&plan, &t->spec), SINPOS_OK);
    if (t->arithmetic != NULL) {
        assert_int_equal(sinpos_replay_create(&replay, plan, t->arithmetic), SINPOS_OK);
        assert_int_equal(sinpos_replay_run(replay, SINPOS_FILL, &rows, t->type, t->data, t->spec.dim, 1), SINPOS_OK);
    } else {
        assert_int_equal(sinpos_run(plan, SINPOS_FILL, &rows, t->type, t->data, t->spec.dim, 1), SINPOS_OK);
    }
    sinpos_replay_destroy(replay);
    sinpos_plan_destroy(plan);
    free(at);
}

/* ---------------------------------------------------------------------------------------- changes of elements */

static void negate(table *t, size_t column)
{
    const size_t size = sinpos_type_bytes(t->type);
    for (size_t i = 0; i < t->n; i++)
        ((unsigned char *)t->data)[(i * t->spec.dim + column) * size + size - 1] ^= 0x80;
}

static void move_columns(table *t, const size_t *column, size_t n)
{
    const size_t size = sinpos_type_bytes(t->type), dim = t->spec.dim;
    char *out = calloc(2 * t->n * n, size);
    assert_non_null(out);
    for (size_t i = 0; i < t->n; i++)
        for (size_t j = 0; j < n; j++)
            memcpy(out + (i * n + j) * size, (char *)t->data + (i * dim + column[j]) * size, size);
    free(t->data);
    t->data = out;
    t->spec.dim = n;
}

static void permute(random_state *r, table *t)
{
    size_t order[128];
    for (size_t j = 0; j < t->spec.dim; j++)
        order[j] = j;
    for (size_t j = t->spec.dim - 1; j > 0; j--) {
        const size_t k = random_below(r, j + 1), other = order[k];
        order[k] = order[j];
        order[j] = other;
    }
    move_columns(t, order, t->spec.dim);
}

static void take_cosines(table *t)
{
    size_t column[64], n = t->spec.dim / 2;
    for (size_t k = 0; k < n; k++) {
        const size_t second = t->spec.order == SINPOS_SIN_COS;
        column[k] = t->spec.layout == SINPOS_HALVES ? second * n + k : 2 * k + second;
    }
    move_columns(t, column, n);
}

static void change_elements(random_state *r, pair *p, sinpos_diff_kind kind)
{
    table *b = &p->b;
    const size_t size = sinpos_type_bytes(b->type), n = b->n * b->spec.dim;
    const double constant = draw_number(r, 0.01, 1);
    switch (kind) {
    case SINPOS_DIFF_SIGN: negate(b, random_below(r, b->spec.dim)); break;
    case SINPOS_DIFF_PERMUTATION: permute(r, b); break;
    case SINPOS_DIFF_COLUMNS: take_cosines(b); break;
    case SINPOS_DIFF_CONSTANT:
        for (size_t i = 0; i < n; i++)
            if (b->type == SINPOS_F32)
                ((float *)b->data)[i] += (float)constant;
            else
                ((double *)b->data)[i] += constant;
        break;
    case SINPOS_DIFF_DROPOUT:
        for (size_t i = 0; i < n; i++)
            if (random_chance(r, 10))
                memset((char *)b->data + i * size, 0, size);
        break;
    case SINPOS_DIFF_STACKED:
        memcpy((char *)b->data + n * size, b->data, n * size);
        b->n *= 2;
        break;
    default: break;
    }
}

static pair draw_pair(size_t k)
{
    random_state r = random_seed(asked.seed, k);
    pair p = {.n_kinds = 0};
    const size_t wanted = 1 + random_below(&r, 2);
    draw_a(&r, &p.a);
    for (size_t tries = 0; p.n_kinds < wanted && tries < 20; tries++) {
        const sinpos_diff_kind kind = drawn_kinds[random_below(&r, N_KINDS)];
        if (is_possible(&p, kind))
            p.kinds[p.n_kinds++] = kind;
    }
    p.b = p.a;
    for (size_t i = 0; i < p.n_kinds; i++)
        change_spec(&r, &p, p.kinds[i]);
    p.b.n = p.a.n;
    fill(&p.a);
    fill(&p.b);
    if (has(&p, SINPOS_DIFF_SIGN)) /* before a constant is added, which keeps its sign */
        change_elements(&r, &p, SINPOS_DIFF_SIGN);
    for (size_t i = 0; i < p.n_kinds; i++)
        if (p.kinds[i] != SINPOS_DIFF_SIGN)
            change_elements(&r, &p, p.kinds[i]);
    return p;
}

/* ------------------------------------------------------------------------------------------------ judging */

static const sinpos_diff_cause *cause_of(const sinpos_difference *found, sinpos_diff_kind kind)
{
    for (size_t k = 0; k < found->n_causes; k++)
        if (found->causes[k].kind == kind)
            return &found->causes[k];
    return NULL;
}

static bool has_numbers(const pair *p, const sinpos_diff_cause *cause)
{
    const double divisors[] = {p->a.spec.divisor, p->b.spec.divisor};
    switch (cause->kind) {
    case SINPOS_DIFF_BASE: return cause->a == p->a.spec.base && fabs(cause->b / p->b.spec.base - 1) < 1e-14;
    case SINPOS_DIFF_DIVISOR: return divisors[0] == 0 && cause->b == divisors[1];
    case SINPOS_DIFF_START: return cause->a == p->a.start && cause->b == p->b.start;
    case SINPOS_DIFF_STEP: return cause->a == 1 && cause->b == p->b.step;
    case SINPOS_DIFF_SCALE: return fabs(cause->b / cause->a / p->b.spec.amplitude - 1) < 1e-6;
    case SINPOS_DIFF_SIGN: return cause->n_columns == 1;
    default: return true;
    }
}

static bool is_right(const pair *p, const sinpos_difference *found)
{
    bool right = !found->same && found->n_causes == p->n_kinds && found->wrong * 1000 <= found->elements;
    for (size_t i = 0; i < p->n_kinds && right; i++) {
        const sinpos_diff_cause *cause = cause_of(found, p->kinds[i]);
        right = cause != NULL && has_numbers(p, cause);
    }
    return right;
}

static void tell(size_t k, const pair *p, const sinpos_difference *found)
{
    printf("%zu: %zu x %zu, type %d, base %.17g, %s, %s, start %g:", k, p->a.n, p->a.spec.dim, (int)p->a.type,
           p->a.spec.base, p->a.spec.layout == SINPOS_HALVES ? "halves" : "interleaved",
           p->a.spec.order == SINPOS_COS_SIN ? "cos-sin" : "sin-cos", p->a.start);
    for (size_t i = 0; i < p->n_kinds; i++)
        printf(" %s", sinpos_diff_kind_name(p->kinds[i]));
    printf(" (base %.17g, start %g, step %g, amplitude %.17g, %s); found", p->b.spec.base, p->b.start, p->b.step,
           p->b.spec.amplitude, p->b.arithmetic == NULL ? "exact" : p->b.arithmetic);
    for (size_t i = 0; i < found->n_causes; i++)
        printf(" [%s]", found->causes[i].text);
    printf(" %llu of %llu wrong\n", (unsigned long long)found->wrong, (unsigned long long)found->elements);
}

static sinpos_difference *compare(const pair *p)
{
    const size_t shapes[2][2] = {{p->a.n, p->a.spec.dim}, {p->b.n, p->b.spec.dim}};
    struct memory a = {p->a.data, p->a.spec.dim * sinpos_type_bytes(p->a.type)};
    struct memory b = {p->b.data, p->b.spec.dim * sinpos_type_bytes(p->b.type)};
    const sinpos_table one = {2, shapes[0], p->a.type, read_rows, &a}, other = {2, shapes[1], p->b.type, read_rows, &b};
    sinpos_difference *found = NULL;
    assert_int_equal(sinpos_diff(&found, &one, &other, 1), SINPOS_OK);
    return found;
}

static void exactly_these_causes(void **state)
{
    size_t drawn[N_KINDS] = {0}, right[N_KINDS] = {0}, n_right = 0, n = 0;
    (void)state;
    for (size_t k = 0; k < asked.count; k++) {
        if (asked.only != SIZE_MAX && k != asked.only)
            continue;
        pair p = draw_pair(k);
        sinpos_difference *found = compare(&p);
        const bool is_one = is_right(&p, found);
        n++;
        n_right += is_one;
        for (size_t i = 0; i < N_KINDS; i++) {
            drawn[i] += has(&p, drawn_kinds[i]);
            right[i] += is_one && has(&p, drawn_kinds[i]);
        }
        if (!is_one || asked.only != SIZE_MAX)
            tell(k, &p, found);
        sinpos_difference_destroy(found);
        free(p.a.data);
        free(p.b.data);
    }
    for (size_t i = 0; i < N_KINDS; i++)
        printf("%-12s %zu of %zu right\n", sinpos_diff_kind_name(drawn_kinds[i]), right[i], drawn[i]);
    printf("%zu of %zu right, seed %llu\n", n_right, n, (unsigned long long)asked.seed);
    assert_true(asked.only != SIZE_MAX || 100 * n_right >= 97 * n);
}

/* Another base or start, and what hides the definition of B until identify has found it. */
static void definition_and_elements(void **state)
{
    static const sinpos_diff_kind kinds[][2] = {
        {SINPOS_DIFF_BASE, SINPOS_DIFF_CONSTANT}, {SINPOS_DIFF_BASE, SINPOS_DIFF_DROPOUT},
        {SINPOS_DIFF_BASE, SINPOS_DIFF_SIGN},     {SINPOS_DIFF_START, SINPOS_DIFF_CONSTANT},
        {SINPOS_DIFF_START, SINPOS_DIFF_DROPOUT}, {SINPOS_DIFF_START, SINPOS_DIFF_SIGN},
        {SINPOS_DIFF_SIGN, SINPOS_DIFF_CONSTANT}};
    (void)state;
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++) {
        random_state r = random_seed(asked.seed, k);
        pair p = {.a = {.spec = SINPOS_SPEC_INIT, .step = 1, .n = 300, .type = SINPOS_F32},
                  .kinds = {kinds[k][0], kinds[k][1]},
                  .n_kinds = 2};
        p.a.spec.dim = 32;
        p.b = p.a;
        change_spec(&r, &p, p.kinds[0]);
        fill(&p.a);
        fill(&p.b);
        change_elements(&r, &p, p.kinds[0]);
        change_elements(&r, &p, p.kinds[1]);
        sinpos_difference *found = compare(&p);
        if (!is_right(&p, found))
            tell(k, &p, found);
        assert_true(is_right(&p, found));
        sinpos_difference_destroy(found);
        free(p.a.data);
        free(p.b.data);
    }
}

/* n rows of noise before row at of B. */
static void insert_rows(table *b, size_t at, size_t n, random_state *r)
{
    float *all = calloc((b->n + n) * b->spec.dim, sizeof *all);
    assert_non_null(all);
    memcpy(all, b->data, at * b->spec.dim * sizeof *all);
    for (size_t i = 0; i < n * b->spec.dim; i++)
        all[at * b->spec.dim + i] = (float)(2 * random_unit(r) - 1);
    memcpy(all + (at + n) * b->spec.dim, (float *)b->data + at * b->spec.dim, (b->n - at) * b->spec.dim * sizeof *all);
    free(b->data);
    b->data = all;
    b->n += n;
}

/* A learned row before the table, or rows within it, with the same definition and with another. */
static void rows_of_something_else(void **state)
{
    static const struct {
        size_t at, n;
        double base;
    } cases[] = {{0, 1, 10000}, {0, 3, 20000}, {100, 20, 10000}, {300, 5, 10000}, {300, 2, 500}};
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        random_state r = random_seed(asked.seed, k);
        pair p = {.a = {.spec = SINPOS_SPEC_INIT, .step = 1, .n = 300, .type = SINPOS_F32}};
        p.a.spec.dim = 32;
        p.b = p.a;
        p.b.spec.base = cases[k].base;
        fill(&p.a);
        fill(&p.b);
        insert_rows(&p.b, cases[k].at, cases[k].n, &r);
        sinpos_difference *found = compare(&p);
        const bool has_base = cases[k].base != 10000;
        const sinpos_diff_cause *rows = cause_of(found, SINPOS_DIFF_STACKED), *base = cause_of(found, SINPOS_DIFF_BASE);
        assert_non_null(rows);
        assert_true(found->n_causes == 1 + (size_t)has_base && (base != NULL) == has_base);
        assert_true(rows->first_row == cases[k].at && rows->last_row == cases[k].at + cases[k].n - 1 && isnan(rows->b));
        assert_true(found->wrong == 0 && found->elements == 300 * 32 && strstr(rows->text, "of B ") != NULL &&
                    strstr(rows->text, "not in A") != NULL);
        sinpos_difference_destroy(found);
        free(p.a.data);
        free(p.b.data);
    }
}

/* Rows of an array that no definition makes. */
static void every_second_row(void **state)
{
    random_state r = random_seed(asked.seed, 0);
    pair p = {.a = {.spec = SINPOS_SPEC_INIT, .n = 300, .type = SINPOS_F32}};
    const size_t dim = p.a.spec.dim = 16, row = dim * sizeof(float), first = 3;
    (void)state;
    p.b = p.a;
    p.b.n = (p.a.n - first) / 2;
    p.a.data = calloc(p.a.n, row);
    p.b.data = calloc(p.b.n, row);
    assert_true(p.a.data != NULL && p.b.data != NULL);
    for (size_t i = 0; i < p.a.n * dim; i++)
        ((float *)p.a.data)[i] = (float)(2 * random_unit(&r) - 1);
    for (size_t i = 0; i < p.b.n; i++)
        memcpy((char *)p.b.data + i * row, (char *)p.a.data + (first + 2 * i) * row, row);
    sinpos_difference *found = compare(&p);
    const sinpos_diff_cause *start = cause_of(found, SINPOS_DIFF_START), *step = cause_of(found, SINPOS_DIFF_STEP);
    assert_true(start != NULL && step != NULL && found->n_causes == 2);
    assert_true(start->b - start->a == (double)first && step->a == 1 && step->b == 2);
    assert_true(found->wrong == 0 && found->elements == p.b.n * dim);
    sinpos_difference_destroy(found);
    free(p.a.data);
    free(p.b.data);
}

/* With half of its elements 0 an array shows no base by itself: it is found from the other side, whichever that is. */
static void from_either_side(void **state)
{
    random_state r = random_seed(asked.seed, 0);
    pair p = {.a = {.spec = SINPOS_SPEC_INIT, .step = 1, .n = 300, .type = SINPOS_F32}};
    (void)state;
    p.a.spec.dim = 32;
    p.b = p.a;
    p.a.spec.base = 500000;
    p.b.spec.base = 20000;
    fill(&p.a);
    fill(&p.b);
    for (size_t i = 0; i < p.a.n * p.a.spec.dim; i++)
        if (random_chance(&r, 50))
            ((float *)p.a.data)[i] = 0;
    for (size_t turn = 0; turn < 2; turn++) {
        sinpos_difference *found = compare(&p);
        const sinpos_diff_cause *base = cause_of(found, SINPOS_DIFF_BASE), *zero = cause_of(found, SINPOS_DIFF_DROPOUT);
        assert_true(base != NULL && zero != NULL && found->n_causes == 2 && found->wrong == 0);
        assert_true(base->a == p.a.spec.base && base->b == p.b.spec.base);
        assert_true(fabs((turn == 0 ? zero->a : zero->b) - 0.5) < 0.02 && (turn == 0 ? zero->b : zero->a) == 0);
        assert_true(strstr(zero->text, turn == 0 ? "elements of A are 0" : "elements of B are 0") != NULL);
        sinpos_difference_destroy(found);
        const table other = p.a;
        p.a = p.b;
        p.b = other;
    }
    free(p.a.data);
    free(p.b.data);
}

/* Few bits show the first position to a few digits: it is A's, if that makes every element. */
static void one_start_in_fewer_bits(void **state)
{
    (void)state;
    for (size_t k = 0; k < 4; k++) {
        pair p = {.a = {.spec = SINPOS_SPEC_INIT, .start = 0.3, .step = 0.7, .type = SINPOS_F32}};
        p.a.n = k % 2 == 0 ? 12 : 100;
        p.a.spec.dim = k / 2 == 0 ? 16 : 64;
        p.b = p.a;
        p.b.spec.base = 500000;
        p.b.type = SINPOS_F16;
        fill(&p.a);
        fill(&p.b);
        sinpos_difference *found = compare(&p);
        const sinpos_diff_cause *base = cause_of(found, SINPOS_DIFF_BASE);
        assert_true(base != NULL && base->b == 500000 && found->n_causes == 2 && found->wrong == 0);
        assert_non_null(cause_of(found, SINPOS_DIFF_TYPE));
        sinpos_difference_destroy(found);
        free(p.a.data);
        free(p.b.data);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exactly_these_causes),   cmocka_unit_test(definition_and_elements),
        cmocka_unit_test(rows_of_something_else), cmocka_unit_test(every_second_row),
        cmocka_unit_test(from_either_side),       cmocka_unit_test(one_start_in_fewer_bits)};
    asked.count = small_size() ? 24 : 600;
    for (int i = 1; i + 1 < argc; i += 2)
        if (strcmp(argv[i], "--count") == 0)
            asked.count = strtoull(argv[i + 1], NULL, 10);
        else if (strcmp(argv[i], "--seed") == 0)
            asked.seed = strtoull(argv[i + 1], NULL, 10);
        else if (strcmp(argv[i], "--case") == 0)
            asked.only = strtoull(argv[i + 1], NULL, 10);
    return cmocka_run_group_tests_name("diff_generated", tests, NULL, NULL);
}
