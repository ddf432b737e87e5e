/* rotate.c: rotary in place, its arguments, layouts and ways. */
#include <math.h>

#include "internal.h"
#include "random.h"
#include "size.h"
#include "unit.h"

enum { MOST = 1 << 16 };
static double wanted_memory[MOST], got_memory[MOST];
static unsigned char *const wanted = (unsigned char *)wanted_memory, *const got = (unsigned char *)got_memory;

typedef struct request {
    const sinpos_plan *plan;
    sinpos_rows rows;
    sinpos_direction direction;
    size_t n_heads, ld_row, ld_head, n_threads;
    sinpos_type type;
} request;

static sinpos_status perform(const request *q, void *x)
{
    return sinpos_rotate(q->plan, &q->rows, q->direction, q->n_heads, q->type, x, q->ld_row, q->ld_head, q->n_threads);
}

static sinpos_plan *rotary_plan(size_t dim, sinpos_layout layout, double amplitude, unsigned types)
{
    sinpos_spec s = SINPOS_SPEC_INIT;
    sinpos_plan *plan = NULL;
    s.dim = dim;
    s.layout = layout;
    s.order = SINPOS_COS_SIN;
    s.amplitude = amplitude;
    s.types = types;
    assert_int_equal(sinpos_plan_create(&plan, &s), SINPOS_OK);
    return plan;
}

/* ------------------------------------------------------------------------------------------------- Definition */

static void definition(void **state)
{
    (void)state;
    enum { DIM = 8, HEADS = 2, ROWS = 3 };
    double x[ROWS][HEADS][DIM], theta[DIM / 2];
    size_t n;
    for (int layout = 0; layout < 2; layout++)
        for (int direction = 0; direction < 3; direction++) {
            const double amplitude = 1.5, sign = direction == SINPOS_FORWARD ? 1 : -1;
            const double scale = direction == SINPOS_INVERSE ? 1 / amplitude : amplitude;
            sinpos_plan *plan = rotary_plan(DIM, (sinpos_layout)layout, amplitude, 0);
            assert_int_equal(sinpos_plan_theta(plan, theta, DIM / 2, &n), SINPOS_OK);
            for (int i = 0; i < ROWS * HEADS * DIM; i++)
                (&x[0][0][0])[i] = 1 + i % 7;
            const sinpos_rows rows = {.struct_size = sizeof rows, .n = ROWS, .first = 5};
            assert_int_equal(
                sinpos_rotate(plan, &rows, (sinpos_direction)direction, HEADS, SINPOS_F64, x, HEADS * DIM, DIM, 1),
                SINPOS_OK);
            for (int i = 0; i < ROWS * HEADS * DIM / 2; i++) {
                const int k = i % 4, head = i / 4, c = layout ? k : 2 * k, s = layout ? k + 4 : 2 * k + 1;
                const double t = (5 + head / HEADS) * theta[k];
                const double u = 1 + (head * DIM + c) % 7, v = 1 + (head * DIM + s) % 7;
                const double *row = &x[0][0][0] + head * DIM;
                assert_true(fabs(row[c] - scale * (u * cos(t) - sign * v * sin(t))) < 1e-14);
                assert_true(fabs(row[s] - scale * (v * cos(t) + sign * u * sin(t))) < 1e-14);
            }
            sinpos_plan_destroy(plan);
        }
}

/* ---------------------------------------------------------------------------- Every way against single elements */

/* What `wanted` holds, turned on every instruction set. */
static void same_of_these(request *q, size_t elements)
{
    const size_t bytes = elements * type_size(q->type);
    assert_true(bytes <= sizeof wanted_memory / 2);
    memcpy(got, wanted, bytes);
    sinpos_internal_force_rung(2);
    assert_int_equal(perform(q, wanted), SINPOS_OK);
    sinpos_internal_force_rung(0);
    memcpy(got_memory + MOST / 2, got, bytes);
    for (const char *const *isa = isa_names; *isa != NULL; isa++) {
        if (isa_cap(*isa) != SINPOS_OK)
            continue;
        memcpy(got, got_memory + MOST / 2, bytes);
        assert_int_equal(perform(q, got), SINPOS_OK);
        for (size_t i = 0; i < elements; i++)
            assert_or_say(load_bits(wanted, q->type, i) == load_bits(got, q->type, i),
                          "%s %s direction %d dim %zu: element %zu is %llx, want %llx", *isa, type_name(q->type),
                          (int)q->direction, sinpos_plan_dim(q->plan), i,
                          (unsigned long long)load_bits(got, q->type, i),
                          (unsigned long long)load_bits(wanted, q->type, i));
    }
    assert_int_equal(isa_cap(NULL), SINPOS_OK);
}

static void same_as_single_elements(random_state *r, request *q, size_t elements)
{
    assert_true(elements * type_size(q->type) <= sizeof wanted_memory / 2);
    make_activations(r, wanted, q->type, elements, (unsigned)random_below(r, 40));
    same_of_these(q, elements);
}

/* Numbers near the largest or the least of a type, zeros of both signs, what is not finite beside a number, or all of these. */
typedef enum range_end { TOP, BOTTOM, ZEROS, NOT_FINITE, ALL, RANGE_ENDS } range_end;

static uint64_t bits_near(random_state *r, sinpos_type type, range_end end)
{
    static const unsigned exponent_bits[] = {11, 8, 5, 8};
    const unsigned bits = (unsigned)(8 * type_size(type)), t = type == SINPOS_F64   ? 0
                                                               : type == SINPOS_F32 ? 1
                                                               : type == SINPOS_F16 ? 2
                                                                                    : 3;
    const unsigned mantissa = bits - 1 - exponent_bits[t];
    const uint64_t sign = random_below(r, 2) << (bits - 1), infinity = (((uint64_t)1 << exponent_bits[t]) - 1)
                                                                       << mantissa;
    const uint64_t offset = random_u64(r) >> (62 - mantissa); /* four exponents */
    switch (end) {
    case TOP: return sign | (infinity - 1 - offset % ((uint64_t)3 << mantissa));
    case BOTTOM: return sign | offset;
    case ZEROS: return sign;
    case NOT_FINITE:
        return sign | (random_chance(r, 50) ? infinity / 2 + offset % 16 : infinity | (random_chance(r, 30) ? 1 : 0));
    default: return bits_near(r, type, (range_end)random_below(r, 4));
    }
}

/* [P1] at both ends of the range of a type, where products may leave it; [P7] zeros. */
static void ends_of_the_range(void **state)
{
    (void)state;
    static const double amplitudes[] = {1, 1.4, 0.3, -1.99, 0x1p-10};
    random_state r = random_seed(29, 1);
    int64_t integers[5];
    double reals[5];
    for (unsigned v = 0; v < 1800; v += small_size() ? 47 : 1) {
        const sinpos_type type = all_types[v % 4];
        const range_end end = (range_end)(v / 4 % RANGE_ENDS);
        sinpos_plan *plan = rotary_plan(70, (sinpos_layout)(v & 1), amplitudes[v / 20 % 5], 0);
        request q = {.plan = plan,
                     .rows = {.struct_size = sizeof(sinpos_rows), .n = 5, .first = 1000},
                     .direction = (sinpos_direction)(v / 100 % 3),
                     .n_heads = 2,
                     .ld_head = 70,
                     .ld_row = 140,
                     .type = type,
                     .n_threads = 1};
        for (size_t i = 0; i < 5; i++) {
            integers[i] = random_int64_bits(&r);
            reals[i] = random_sign(&r) * random_spread(&r, -20, 30);
        }
        q.rows.integers = v / 300 % 3 == 1 ? integers : NULL;
        q.rows.reals = v / 300 % 3 == 2 ? reals : NULL;
        for (size_t i = 0; i < 700; i++)
            store_bits(wanted, type, i, bits_near(&r, type, end));
        same_of_these(&q, 700);
        for (size_t i = 0; i < 700 && end == ZEROS; i++)
            assert_int_equal(load_bits(got, type, i), 0);
        sinpos_plan_destroy(plan);
    }
}

/* An infinity of the products on the way to a number that bfloat16 holds. */
static void beyond_floats_and_back(void **state)
{
    (void)state;
    enum { DIM = 256 };
    sinpos_plan *plan = rotary_plan(DIM, SINPOS_HALVES, 1.4, 0);
    const uint16_t u = 0xff43, v = 0xff04; /* -2.592e38, -1.7546e38 */
    uint16_t x[DIM];
    size_t n_finite = 0, n_infinite = 0;
    for (const char *const *isa = isa_names; *isa != NULL; isa++) {
        if (isa_cap(*isa) != SINPOS_OK)
            continue;
        for (int64_t p = 0; p < 50; p++) {
            const sinpos_rows rows = {.struct_size = sizeof rows, .n = 1, .first = p};
            for (size_t i = 0; i < DIM; i++)
                x[i] = i < DIM / 2 ? u : v;
            assert_int_equal(sinpos_rotate(plan, &rows, SINPOS_FORWARD, 1, SINPOS_BF16, x, DIM, DIM, 1), SINPOS_OK);
            for (size_t i = 0; i < DIM / 2; i++) {
                const double t = (double)p * pow(10000, -2.0 * (double)i / DIM), a = -0x1.86p127, b = -0x1.08p127;
                const double want = 1.4 * (a * cos(t) - b * sin(t));
                if (fabs(want) < 0x1.fep127) {
                    double got_value = ldexp(1.0 + (x[i] & 0x7f) / 128.0, (x[i] >> 7 & 0xff) - 127);
                    got_value = x[i] >> 15 ? -got_value : got_value;
                    assert_true((x[i] & 0x7f80) != 0x7f80 && fabs(got_value - want) <= 0x1p119);
                    n_finite++;
                } else if (fabs(want) > 0x1.ff8p127) {
                    assert_int_equal(x[i] & 0x7fff, 0x7f80);
                    n_infinite++;
                }
            }
        }
    }
    assert_true(n_finite > 1000 && n_infinite > 100);
    assert_int_equal(isa_cap(NULL), SINPOS_OK);
    sinpos_plan_destroy(plan);
}

/* [P1] All bytes, those of NaNs too. */
static void every_way(void **state)
{
    (void)state;
    static const double amplitudes[] = {1, 1.25, -0x1p-40, 1};
    static const int64_t firsts[] = {-3, 1000, INT64_C(1) << 45, -(INT64_C(1) << 20)};
    random_state r = random_seed(3, 1);
    int64_t integers[6];
    double reals[6];
    for (size_t dim = 2; dim <= 70; dim += dim < 34 ? 2 : 12) {
        for (unsigned v = 0; v < 12; v++) {
            sinpos_plan *plan = rotary_plan(dim, (sinpos_layout)(v & 1), amplitudes[v % 4], 0);
            for (size_t i = 0; i < 6; i++) {
                integers[i] = random_int64_bits(&r);
                reals[i] = random_sign(&r) * random_spread(&r, -20, 30);
            }
            request q = {.plan = plan,
                         .rows = {.struct_size = sizeof(sinpos_rows), .n = 6, .first = firsts[v % 4]},
                         .direction = (sinpos_direction)(v % 3),
                         .n_heads = 1 + v % 3,
                         .type = all_types[(v + dim / 2) % 4],
                         .n_threads = 1};
            q.rows.integers = v % 3 == 1 ? integers : NULL;
            q.rows.reals = v % 3 == 2 ? reals : NULL;
            q.ld_head = dim + v % 2;
            q.ld_row = q.n_heads * q.ld_head;
            same_as_single_elements(&r, &q, q.rows.n * q.ld_row);
            sinpos_plan_destroy(plan);
        }
    }
}

/* Columns in no order, several coordinates, phases, and one column of each head that nobody names. */
static void listed_columns(void **state)
{
    (void)state;
    enum { TONES = 20, DIM = 2 * TONES + 1 };
    random_state r = random_seed(4, 1);
    double reals[5 * 2];
    for (unsigned round = 0; round < 24; round++) {
        sinpos_tone tones[TONES];
        sinpos_spec s = SINPOS_SPEC_INIT;
        sinpos_plan *plan;
        s.dim = 2 * TONES;
        assert_int_equal(sinpos_spec_tones(&s, tones, TONES), SINPOS_OK);
        for (ptrdiff_t k = 0; k < TONES; k++) {
            tones[k].axis = (size_t)k % 2;
            tones[k].sin_column = (7 * (2 * k)) % DIM;
            tones[k].cos_column = (7 * (2 * k + 1)) % DIM;
            tones[k].phase_turns = round % 2 ? 0.125 * (double)k : 0;
            tones[k].amplitude = round % 3 ? 1 : 1 + (double)k;
        }
        assert_int_equal(sinpos_plan_create_tones(&plan, DIM, 2, tones, TONES, 0, NULL), SINPOS_OK);
        for (size_t i = 0; i < 10; i++)
            reals[i] = random_unit(&r) * 1e4;
        request q = {.plan = plan,
                     .rows = {.struct_size = sizeof(sinpos_rows), .n = 5, .reals = reals},
                     .direction = (sinpos_direction)(round % 3),
                     .n_heads = 2,
                     .ld_row = DIM,
                     .ld_head = 5 * DIM,
                     .n_threads = 2,
                     .type = all_types[round / 3 % 4]};
        same_as_single_elements(&r, &q, (size_t)2 * 5 * DIM);
        sinpos_plan_destroy(plan);
    }
}

/* ------------------------------------------------------------------------------------------------------ Layouts */

/* (n, heads, dim) and (heads, n, dim), with room between: the same numbers, and nothing else is touched. */
static void strides(void **state)
{
    (void)state;
    enum { ROWS = 40, HEADS = 3, DIM = 34, GAP = 5 };
    static float rows_first[ROWS][HEADS][DIM + GAP], heads_first[HEADS][ROWS][DIM + GAP];
    random_state r = random_seed(5, 1);
    sinpos_plan *plan = rotary_plan(DIM, SINPOS_HALVES, 1, SINPOS_F32);
    make_activations(&r, rows_first, SINPOS_F32, sizeof rows_first / 4, 0);
    for (size_t i = 0; i < ROWS; i++)
        for (size_t h = 0; h < HEADS; h++)
            for (size_t j = 0; j < DIM + GAP; j++) {
                if (j >= DIM)
                    rows_first[i][h][j] = 77;
                heads_first[h][i][j] = rows_first[i][h][j];
            }
    request q = {.plan = plan,
                 .rows = {.struct_size = sizeof(sinpos_rows), .n = ROWS, .first = 9},
                 .n_heads = HEADS,
                 .type = SINPOS_F32,
                 .n_threads = 1};
    q.ld_row = (size_t)HEADS * (DIM + GAP);
    q.ld_head = DIM + GAP;
    assert_int_equal(perform(&q, rows_first), SINPOS_OK);
    q.ld_row = DIM + GAP;
    q.ld_head = (size_t)ROWS * (DIM + GAP);
    assert_int_equal(perform(&q, heads_first), SINPOS_OK);
    for (size_t i = 0; i < ROWS; i++)
        for (size_t h = 0; h < HEADS; h++) {
            assert_memory_equal(rows_first[i][h], heads_first[h][i], sizeof rows_first[i][h]);
            for (size_t j = DIM; j < DIM + GAP; j++)
                assert_true(rows_first[i][h][j] == 77);
        }
    sinpos_plan_destroy(plan);
}

/* Partial rotary: the tones name only some columns. */
static void partial(void **state)
{
    (void)state;
    enum { DIM = 24, ROTATED = 16 };
    float x[4][DIM], whole[4][ROTATED];
    sinpos_tone tones[ROTATED / 2];
    sinpos_spec s = SINPOS_SPEC_INIT;
    sinpos_plan *plan, *small = rotary_plan(ROTATED, SINPOS_HALVES, 1, 0);
    s.dim = ROTATED;
    s.layout = SINPOS_HALVES;
    s.order = SINPOS_COS_SIN;
    assert_int_equal(sinpos_spec_tones(&s, tones, ROTATED / 2), SINPOS_OK);
    for (size_t k = 0; k < ROTATED / 2; k++) {
        tones[k].sin_column += 4;
        tones[k].cos_column += 4;
    }
    assert_int_equal(sinpos_plan_create_tones(&plan, DIM, 1, tones, ROTATED / 2, 0, NULL), SINPOS_OK);
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < DIM; j++) {
            x[i][j] = (float)(i + j) - 7.5f;
            if (j >= 4 && j < 4 + ROTATED)
                whole[i][j - 4] = x[i][j];
        }
    const sinpos_rows rows = {.struct_size = sizeof rows, .n = 4, .first = 100};
    assert_int_equal(sinpos_rotate(plan, &rows, SINPOS_FORWARD, 1, SINPOS_F32, x, DIM, 0, 1), SINPOS_OK);
    assert_int_equal(sinpos_rotate(small, &rows, SINPOS_FORWARD, 1, SINPOS_F32, whole, ROTATED, 0, 1), SINPOS_OK);
    for (int i = 0; i < 4; i++) {
        assert_memory_equal(x[i] + 4, whole[i], sizeof whole[i]);
        for (int j = 0; j < DIM; j++)
            assert_true((j >= 4 && j < 4 + ROTATED) || x[i][j] == (float)(i + j) - 7.5f);
    }
    sinpos_plan_destroy(plan);
    sinpos_plan_destroy(small);
}

static void guard_pages(void **state)
{
    (void)state;
    for (size_t dim = 2; dim <= 130; dim += 2)
        for (int t = 0; t < N_TYPES; t++) {
            sinpos_plan *plan = rotary_plan(dim, (sinpos_layout)(dim / 2 % 2), 1, all_types[t]);
            request q = {.plan = plan,
                         .rows = {.struct_size = sizeof(sinpos_rows), .n = 1 + dim % 7, .first = -3},
                         .n_heads = 1 + dim % 3,
                         .type = all_types[t],
                         .n_threads = 1};
            q.ld_head = dim;
            q.ld_row = q.n_heads * dim;
            const size_t bytes = q.rows.n * q.ld_row * type_size(q.type);
            guarded g;
            assert_true(guarded_create(&g, bytes));
            for (int end = 0; end < 2; end++) {
                void *x = end ? g.at_end : g.at_start;
                set_pattern(x, bytes);
                assert_int_equal(perform(&q, x), SINPOS_OK);
            }
            guarded_destroy(&g);
            sinpos_plan_destroy(plan);
        }
}

/* [P1] */
static void threads_and_splits(void **state)
{
    (void)state;
    enum { ROWS = 150, HEADS = 2, DIM = 32 };
    random_state r = random_seed(6, 1);
    for (int t = 0; t < N_TYPES; t++) {
        sinpos_plan *plan = rotary_plan(DIM, SINPOS_INTERLEAVED, 1, 0);
        const size_t line = HEADS * DIM * type_size(all_types[t]);
        make_activations(&r, wanted, all_types[t], (size_t)ROWS * HEADS * DIM, 5);
        memcpy(got, wanted, ROWS * line);
        memcpy(got_memory + MOST / 2, wanted, ROWS * line);
        request q = {.plan = plan,
                     .rows = {.struct_size = sizeof(sinpos_rows), .n = ROWS, .first = -20},
                     .n_heads = HEADS,
                     .ld_row = HEADS * DIM};
        q.ld_head = DIM;
        q.type = all_types[t];
        q.n_threads = 1;
        assert_int_equal(perform(&q, wanted), SINPOS_OK);
        q.n_threads = 3;
        assert_int_equal(perform(&q, got), SINPOS_OK);
        assert_memory_equal(wanted, got, ROWS * line);
        memcpy(got, got_memory + MOST / 2, ROWS * line);
        for (size_t done = 0; done < ROWS; done += q.rows.n) {
            q.rows.n = 1 + random_below(&r, 40);
            q.rows.n = q.rows.n < ROWS - done ? q.rows.n : ROWS - done;
            q.rows.first = (int64_t)done - 20;
            assert_int_equal(perform(&q, got + done * line), SINPOS_OK);
        }
        assert_memory_equal(wanted, got, ROWS * line);
        sinpos_plan_destroy(plan);
    }
}

/* ---------------------------------------------------------------------------------------------------- Arguments */

static void refused(const request *q, sinpos_status want)
{
    float x[64];
    set_pattern(x, sizeof x);
    assert_int_equal(perform(q, x), want);
    assert_true(is_pattern(x, sizeof x));
}

/* [P5] */
static void arguments(void **state)
{
    (void)state;
    enum { DIM = 8 };
    sinpos_plan *plan = rotary_plan(DIM, SINPOS_HALVES, 1, SINPOS_F32);
    const request good = {.plan = plan,
                          .rows = {.struct_size = sizeof(sinpos_rows), .n = 2, .first = 1},
                          .n_heads = 2,
                          .ld_row = 2 * DIM,
                          .ld_head = DIM,
                          .n_threads = 1,
                          .type = SINPOS_F32};
    const int64_t positions[2] = {INT64_MIN, 1};
    const double reals[2] = {0, HUGE_VAL};
    request q = good;
    assert_int_equal(sinpos_rotate(NULL, &q.rows, SINPOS_FORWARD, 1, SINPOS_F32, wanted, 8, 8, 1), SINPOS_E_NULL);
    assert_int_equal(sinpos_rotate(plan, NULL, SINPOS_FORWARD, 1, SINPOS_F32, wanted, 8, 8, 1), SINPOS_E_NULL);
    assert_int_equal(perform(&q, NULL), SINPOS_E_NULL);
    q.type = SINPOS_F64;
    refused(&q, SINPOS_E_TYPE);
    q = good;
    q.direction = (sinpos_direction)3;
    refused(&q, SINPOS_E_VALUE);
    q = good;
    q.n_threads = 1025;
    refused(&q, SINPOS_E_VALUE);
    q = good;
    q.ld_head = DIM - 1; /* heads overlap */
    refused(&q, SINPOS_E_SHAPE);
    q = good;
    q.ld_row = 2 * DIM - 1; /* rows overlap */
    refused(&q, SINPOS_E_SHAPE);
    q = good;
    q.ld_row = SIZE_MAX / 4;
    refused(&q, SINPOS_E_SHAPE);
    q = good;
    q.rows.integers = positions;
    refused(&q, SINPOS_E_RANGE);
    q.rows.reals = reals;
    refused(&q, SINPOS_E_VALUE);
    q.rows.integers = NULL;
    refused(&q, SINPOS_E_RANGE);
    q = good;
    q.rows.first = INT64_MAX;
    refused(&q, SINPOS_E_RANGE);
    q = good;
    q.n_heads = 0;
    refused(&q, SINPOS_OK);
    assert_int_equal(perform(&q, NULL), SINPOS_OK);
    q = good;
    q.rows.n = 0;
    refused(&q, SINPOS_OK);
    q.ld_head = 0; /* as (heads, n, dim) has it */
    refused(&q, SINPOS_OK);
    q = good;
    q.rows.n = 1; /* its stride is ignored */
    q.ld_row = 0;
    float x[2 * DIM] = {0};
    assert_int_equal(perform(&q, x), SINPOS_OK);
    sinpos_plan_destroy(plan);
}

static void plans_refused(void **state)
{
    (void)state;
    request q = {.rows = {.struct_size = sizeof(sinpos_rows), .n = 1, .first = 1},
                 .n_heads = 1,
                 .type = SINPOS_F32,
                 .n_threads = 1};
    sinpos_plan *odd = rotary_plan(7, SINPOS_HALVES, 1, 0), *zero = rotary_plan(8, SINPOS_HALVES, 0, 0);
    q.plan = odd;
    refused(&q, SINPOS_E_COLUMNS);
    q.plan = zero;
    q.direction = SINPOS_INVERSE;
    refused(&q, SINPOS_E_VALUE);
    q.direction = SINPOS_FORWARD;
    float x[8] = {1, 2, 3, 4, 5, 6, 7, -8};
    assert_int_equal(perform(&q, x), SINPOS_OK);
    for (int i = 0; i < 8; i++)
        assert_true(x[i] == 0 && !signbit(x[i]));
    sinpos_plan_destroy(odd);
    sinpos_plan_destroy(zero);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(definition),
        cmocka_unit_test(every_way),
        cmocka_unit_test(listed_columns),
        cmocka_unit_test(strides),
        cmocka_unit_test(partial),
        cmocka_unit_test(guard_pages),
        cmocka_unit_test(arguments),
        cmocka_unit_test(threads_and_splits),
        cmocka_unit_test(plans_refused),
        cmocka_unit_test(ends_of_the_range),
        cmocka_unit_test(beyond_floats_and_back),
    };
    return cmocka_run_group_tests_name("rotate", tests, NULL, NULL);
}
