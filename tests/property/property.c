/* What must hold between the values and between the functions, whatever the specification. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cases.h"

#include "random.h"
#include "support.h"

#define MOST 200000

static double a64[MOST], b64[MOST];
static unsigned char *const a = (unsigned char *)a64, *const b = (unsigned char *)b64;

static sinpos_plan *plan_of(const sinpos_spec *s)
{
    sinpos_plan *plan = NULL;
    assert_int_equal(sinpos_plan_create(&plan, s), SINPOS_OK);
    return plan;
}

static sinpos_spec some_spec(unsigned k, size_t dim)
{
    sinpos_spec s = SINPOS_SPEC_INIT;
    s.dim = dim;
    s.layout = (sinpos_layout)(k & 1);
    s.order = (sinpos_order)(k >> 1 & 1);
    s.odd = (sinpos_odd)(k >> 2 & 1);
    s.schedule = k % 5 == 3 ? SINPOS_POWER : k % 5 == 4 ? SINPOS_OCTAVE : SINPOS_GEOMETRIC;
    s.base = k % 3 ? 10000 : 0.3;
    s.phase = k % 7 == 5 ? 0.4 : 0;
    s.amplitude = k % 6 == 4 ? -0.75 : 1;
    return s;
}

/*
 * M_k p(t) = p(t + k). Elements of both sides are within 2^-54 of the real values, M_k spreads the two errors of a pair
 * by at most sqrt 2, and the left side is rounded once more: together below (2 + sqrt 2) 2^-54.
 */
static void shift_moves_positions(void **state)
{
    (void)state;
    static const int64_t shifts[] = {0, 1, -1, 17, 4096, -123456789, INT64_C(1) << 40};
    const size_t dim = 128, n = 100;
    const sinpos_spec s = {
        .struct_size = sizeof s, .dim = dim, .base = 10000, .base_divisor = 1, .scale = 1, .amplitude = 1};
    sinpos_plan *plan = plan_of(&s);
    for (size_t k = 0; k < sizeof shifts / sizeof *shifts; k++)
        for (int64_t first = -50; first < 1000000; first += 333333) {
            assert_int_equal(sinpos_fill(plan, first, n, SINPOS_F64, a64, dim), SINPOS_OK);
            assert_int_equal(sinpos_shift(plan, shifts[k], n, SINPOS_F64, a64, dim), SINPOS_OK);
            assert_int_equal(sinpos_fill(plan, first + shifts[k], n, SINPOS_F64, b64, dim), SINPOS_OK);
            for (size_t i = 0; i < n * dim; i++)
                assert_true(fabs(a64[i] - b64[i]) <= 3.4143 * 0x1p-54);
        }
    sinpos_plan_destroy(plan);
}

/* The matrix applied by hand does what sinpos_shift() does, up to the rounding of its elements and of the sums. */
static void matrix_is_the_shift(void **state)
{
    (void)state;
    enum { DIM = 20 };
    double m[DIM * DIM], x[DIM], y[DIM];
    random_state r = random_seed(4, 4);
    for (unsigned k = 0; k < 4; k++) {
        sinpos_spec s = some_spec(k & 3, DIM);
        sinpos_plan *plan = plan_of(&s);
        const int64_t shift = random_int64_bits(&r);
        for (int i = 0; i < DIM; i++)
            y[i] = x[i] = 2 * random_unit(&r) - 1;
        assert_int_equal(sinpos_shift_matrix(plan, shift, SINPOS_F64, m, DIM), SINPOS_OK);
        assert_int_equal(sinpos_shift(plan, shift, 1, SINPOS_F64, y, DIM), SINPOS_OK);
        for (int i = 0; i < DIM; i++) {
            double sum = 0;
            for (int j = 0; j < DIM; j++)
                sum += m[DIM * i + j] * x[j];
            assert_true(fabs(sum - y[i]) < 8 * 0x1p-53);
        }
        sinpos_plan_destroy(plan);
    }
}

/* s^2 + c^2 = 1: both within 2^-54, so the sum is off by at most 2 sqrt 2 2^-54, and by 2^-52 for computing it. */
static void circle(void **state)
{
    (void)state;
    random_state r = random_seed(1, 1);
    for (unsigned k = 0; k < 30; k++) {
        sinpos_spec s = some_spec(k, 64);
        s.amplitude = 1;
        s.layout = SINPOS_INTERLEAVED;
        sinpos_plan *plan = plan_of(&s);
        assert_int_equal(sinpos_fill(plan, random_int64_bits(&r) / 2, 50, SINPOS_F64, a64, 64), SINPOS_OK);
        for (size_t i = 0; i < 50 * 64; i += 2)
            assert_true(fabs(fma(a64[i], a64[i], a64[i + 1] * a64[i + 1]) - 1) <= 2.83 * 0x1p-54 + 0x1p-52);
        sinpos_plan_destroy(plan);
    }
}

/* sin(-x) = -sin x and cos(-x) = cos x, bit for bit; an exact zero is +0 on both sides. */
static void parity(void **state)
{
    (void)state;
    random_state r = random_seed(2, 2);
    enum { N = 40, DIM = 30 };
    for (unsigned k = 0; k < 40; k++) {
        sinpos_spec s = some_spec(k, DIM);
        s.layout = SINPOS_INTERLEAVED;
        s.order = SINPOS_SIN_COS;
        s.phase = 0;
        sinpos_plan *plan = plan_of(&s);
        int64_t there[N], back[N];
        for (int i = 0; i < N; i++) {
            there[i] = i < 5 ? i : random_int64_bits(&r);
            back[i] = -there[i];
        }
        const sinpos_type type = all_types[k % N_TYPES];
        assert_int_equal(sinpos_fill_at(plan, there, N, type, a, DIM), SINPOS_OK);
        assert_int_equal(sinpos_fill_at(plan, back, N, type, b, DIM), SINPOS_OK);
        const uint64_t sign = UINT64_C(1) << (8 * type_size(type) - 1);
        for (size_t i = 0; i < N * DIM; i++) {
            const uint64_t x = load_bits(a, type, i), y = load_bits(b, type, i);
            assert_true(x == (i % 2 == 0 && (x & ~sign) != 0 ? y ^ sign : y));
        }
        sinpos_plan_destroy(plan);
    }
}

/* One call, any split, any number of threads, any order, any stride, any alignment: the same bytes. [P1] */
static void any_split(void **state)
{
    (void)state;
    random_state r = random_seed(3, 3);
    for (unsigned k = 0; k < 60; k++) {
        const sinpos_spec s = some_spec(k, 1 + random_below(&r, 90));
        const size_t n = 1 + random_below(&r, 500), row = s.dim;
        const sinpos_type type = all_types[k % N_TYPES];
        const size_t size = type_size(type);
        const int64_t first = random_chance(&r, 50) ? -(int64_t)random_below(&r, 400) : random_int64_bits(&r) / 2;
        sinpos_plan *plan = plan_of(&s);
        assert_int_equal(sinpos_fill(plan, first, n, type, a, row), SINPOS_OK);
        for (size_t at = 0; at < n;) {
            size_t rows = 1 + random_below(&r, random_chance(&r, 50) ? 3 : 120);
            rows = rows > n - at ? n - at : rows;
            assert_int_equal(sinpos_fill(plan, first + (int64_t)at, rows, type, b + at * row * size, row), SINPOS_OK);
            at += rows;
        }
        assert_memory_equal(a, b, n * row * size);
        const sinpos_rows rows = {sizeof(sinpos_rows), n, NULL, NULL, first};
        for (size_t threads = 0; threads <= 17; threads = threads < 4 ? threads + 1 : threads + 13) {
            memset(b, 0xff, n * row * size);
            assert_int_equal(sinpos_run(plan, SINPOS_FILL, &rows, type, b, row, threads), SINPOS_OK);
            assert_memory_equal(a, b, n * row * size);
        }
        const size_t ld = row + random_below(&r, 20), offset = random_below(&r, 20);
        assert_int_equal(sinpos_fill(plan, first, n, type, b + offset * size, ld), SINPOS_OK);
        for (size_t i = 0; i < n; i++)
            assert_memory_equal(a + i * row * size, b + (offset + i * ld) * size, row * size);
        sinpos_plan_destroy(plan);
    }
}

/* fill, fill_at and fill_real agree on integers; rows in any order. */
static void three_ways(void **state)
{
    (void)state;
    random_state r = random_seed(5, 5);
    static int64_t integers[300];
    static double reals[300];
    static unsigned char c[300 * 64 * 8];
    for (unsigned k = 0; k < 40; k++) {
        const sinpos_spec s = some_spec(k, 1 + random_below(&r, 60));
        const size_t n = 1 + random_below(&r, 300), row = s.dim;
        const sinpos_type type = all_types[k % N_TYPES];
        const size_t bytes = row * type_size(type);
        const int64_t first = random_int64_bits(&r) >> 11; /* exact as doubles */
        for (size_t i = 0; i < n; i++) {
            integers[i] = first + (int64_t)((i * 7 + 3) % n);
            reals[i] = (double)integers[i];
        }
        sinpos_plan *plan = plan_of(&s);
        assert_int_equal(sinpos_fill(plan, first, n, type, a, row), SINPOS_OK);
        assert_int_equal(sinpos_fill_at(plan, integers, n, type, b, row), SINPOS_OK);
        assert_int_equal(sinpos_fill_real(plan, reals, n, type, c, row), SINPOS_OK);
        for (size_t i = 0; i < n; i++) {
            assert_memory_equal(b + i * bytes, a + (i * 7 + 3) % n * bytes, bytes);
            assert_memory_equal(c + i * bytes, b + i * bytes, bytes);
        }
        sinpos_plan_destroy(plan);
    }
}

/* The bits of x in the type: x is a multiple of its last place there, or is rounded, ties to even. */
static double value_of(sinpos_type type, uint64_t bits)
{
    double d;
    float f;
    uint32_t b32 = (uint32_t)(type == SINPOS_BF16 ? bits << 16 : bits);
    switch (type) {
    case SINPOS_F64: memcpy(&d, &bits, 8); return d;
    case SINPOS_F16: {
        const int e = (int)(bits >> 10 & 31);
        const double m = (double)(bits & 1023);
        d = e ? ldexp(1024 + m, e - 25) : ldexp(m, -24);
        return bits >> 15 ? -d : d;
    }
    default: memcpy(&f, &b32, 4); return f;
    }
}

static double round_to(sinpos_type type, double x)
{
    static const int digits[] = {53, 24, 11, 8}, smallest[] = {-1074, -149, -24, -133};
    int t = 0, e;
    while (all_types[t] != type)
        t++;
    (void)frexp(x, &e);
    int last = e - digits[t];
    if (last < smallest[t])
        last = smallest[t];
    return ldexp(nearbyint(ldexp(x, -last)), last);
}

/* x += encoding is x + table, rounded once. x has moderate exponents, so that the sum is exact in a double. */
static void add_is_adding_a_table(void **state)
{
    (void)state;
    random_state r = random_seed(6, 6);
    for (unsigned k = 0; k < 60; k++) {
        const sinpos_spec s = some_spec(k, 1 + random_below(&r, 60));
        const size_t n = 1 + random_below(&r, 200), cells = n * s.dim;
        const sinpos_type type = all_types[k % N_TYPES];
        const int64_t first = k % 2 ? 0 : random_int64_bits(&r) / 2;
        sinpos_plan *plan = plan_of(&s);
        assert_int_equal(sinpos_fill(plan, first, n, type, a, s.dim), SINPOS_OK);
        double *x = malloc(cells * sizeof *x);
        for (size_t i = 0; i < cells; i++) {
            const double raw = random_sign(&r) * random_spread(&r, -6, 3);
            const int q = type == SINPOS_F64 ? 40 : type == SINPOS_F32 ? 12 : 4;
            x[i] = nearbyint(ldexp(raw, q)) / ldexp(1, q); /* few digits */
            x[i] = round_to(type, x[i]);
            const float f = (float)x[i];
            uint64_t bits = 0;
            uint32_t b32;
            memcpy(&b32, &f, 4);
            if (type == SINPOS_F64)
                memcpy(&bits, &x[i], 8);
            else if (type == SINPOS_F16)
                bits = x[i] == 0 ? (b32 >> 16) : (b32 >> 31) << 15 | (((b32 >> 13) & 0x3ffff) - (112u << 10));
            else
                bits = type == SINPOS_F32 ? b32 : b32 >> 16;
            store_bits(b, type, i, bits);
            assert_true(value_of(type, bits) == x[i]);
        }
        assert_int_equal(sinpos_add(plan, first, n, type, b, s.dim), SINPOS_OK);
        for (size_t i = 0; i < cells; i++) {
            const double e = value_of(type, load_bits(a, type, i)), got = value_of(type, load_bits(b, type, i));
            assert_true(got == round_to(type, x[i] + e));
        }
        free(x);
        sinpos_plan_destroy(plan);
    }
}

/* (f(p + h) - f(p - h)) / 2h is f'(p) up to h^2 theta^3 / 6 + 2^-53 / h, theta <= 1, h = 2^-13. */
static void gradient_by_position(void **state)
{
    (void)state;
    enum { N = 50, DIM = 32 };
    double low[N], high[N], at[N];
    static double up[N * DIM], down[N * DIM], slope[N * DIM];
    const double h = 0x1p-13;
    sinpos_spec s = SINPOS_SPEC_INIT;
    s.dim = DIM;
    s.phase = 0.3;
    sinpos_plan *plan = plan_of(&s);
    for (int i = 0; i < N; i++) {
        at[i] = i * 0.75 - 10;
        low[i] = at[i] - h;
        high[i] = at[i] + h;
    }
    const sinpos_rows rows = {sizeof(sinpos_rows), N, NULL, at, 0};
    assert_int_equal(sinpos_fill_real(plan, low, N, SINPOS_F64, down, DIM), SINPOS_OK);
    assert_int_equal(sinpos_fill_real(plan, high, N, SINPOS_F64, up, DIM), SINPOS_OK);
    assert_int_equal(sinpos_gradient_position(plan, &rows, SINPOS_F64, slope, DIM), SINPOS_OK);
    for (int i = 0; i < N * DIM; i++)
        assert_true(fabs((up[i] - down[i]) / (2 * h) - slope[i]) < h * h / 6 + 0x1p-53 / h + 1e-15);
    sinpos_plan_destroy(plan);
}

static void gradient_by_theta(void **state)
{
    (void)state;
    enum { N = 20, F = 6 };
    double theta[F] = {1, 0.5, 0.1, 0.01, 2, 0.75}, moved[F];
    static double up[N * 2 * F], down[N * 2 * F], slope[N * 2 * F];
    const double h = 0x1p-20;
    sinpos_spec s = SINPOS_SPEC_INIT;
    s.dim = 2 * F;
    s.schedule = SINPOS_EXPLICIT;
    s.n_theta = F;
    for (int side = -1; side <= 1; side += 1) {
        for (int i = 0; i < F; i++)
            moved[i] = theta[i] + side * h;
        s.theta = moved;
        sinpos_plan *plan = plan_of(&s);
        const sinpos_rows rows = {sizeof(sinpos_rows), N, NULL, NULL, 1};
        if (side == 0)
            assert_int_equal(sinpos_gradient_theta(plan, &rows, SINPOS_F64, slope, 2 * F), SINPOS_OK);
        else
            assert_int_equal(sinpos_fill(plan, 1, N, SINPOS_F64, side < 0 ? down : up, 2 * F), SINPOS_OK);
        sinpos_plan_destroy(plan);
    }
    for (int i = 0; i < N * 2 * F; i++)
        assert_true(fabs((up[i] - down[i]) / (2 * h) - slope[i]) < 20.0 * 20 * 20 * h * h / 6 + 0x1p-53 / h);
}

/* --------------------------------------------------------------------------------------------------- Rotary */

enum { HEAD = 48, HEADS = 3, LINES = 40 * HEADS };

static void turn(const sinpos_plan *plan, int64_t first, sinpos_direction direction, sinpos_type type, void *x)
{
    const sinpos_rows rows = {.struct_size = sizeof rows, .n = LINES / HEADS, .first = first};
    assert_int_equal(sinpos_rotate(plan, &rows, direction, HEADS, type, x, HEADS * HEAD, HEAD, 1), SINPOS_OK);
}

static void fill_randomly(random_state *r, double *x, size_t n)
{
    for (size_t i = 0; i < n; i++)
        x[i] = 2 * random_unit(r) - 1;
}

static double product(const double *x, const double *y, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += x[i] * y[i];
    return sum;
}

/*
 * Forward, then back. Each component of a pair is below sqrt 2, the rotated ones round to within 2^-53 A, the way back
 * turns two such errors into at most sqrt 2 of one over A, and rounds once more.
 */
static void inverse_undoes(void **state)
{
    (void)state;
    random_state r = random_seed(8, 1);
    for (unsigned k = 0; k < 12; k++) {
        sinpos_spec s = some_spec(k & ~4u, HEAD);
        sinpos_plan *plan = plan_of(&s);
        fill_randomly(&r, a64, LINES * HEAD);
        memcpy(b64, a64, LINES * HEAD * sizeof *a64);
        turn(plan, (int64_t)k * 1000 - 20, SINPOS_FORWARD, SINPOS_F64, b64);
        turn(plan, (int64_t)k * 1000 - 20, SINPOS_INVERSE, SINPOS_F64, b64);
        for (size_t i = 0; i < LINES * HEAD; i++)
            assert_true(fabs(a64[i] - b64[i]) <= (1.4143 + 1) * 0x1p-53);
        sinpos_plan_destroy(plan);
    }
}

/* <R x, y> = <x, R' y>: sums of LINES HEAD products below 2, each rounded, of numbers that were rounded. */
static void transpose_is_adjoint(void **state)
{
    (void)state;
    random_state r = random_seed(8, 2);
    static double x[LINES * HEAD], y[LINES * HEAD];
    for (unsigned k = 0; k < 12; k++) {
        sinpos_spec s = some_spec(k & ~4u, HEAD);
        sinpos_plan *plan = plan_of(&s);
        fill_randomly(&r, x, LINES * HEAD);
        fill_randomly(&r, y, LINES * HEAD);
        memcpy(a64, x, sizeof x);
        memcpy(b64, y, sizeof y);
        turn(plan, 12345, SINPOS_FORWARD, SINPOS_F64, a64);
        turn(plan, 12345, SINPOS_TRANSPOSE, SINPOS_F64, b64);
        const double difference = product(a64, y, LINES * HEAD) - product(x, b64, LINES * HEAD);
        assert_true(fabs(difference) < LINES * HEAD * 4 * 0x1p-53 * 64);
        sinpos_plan_destroy(plan);
    }
}

/* Scores of a query and a key depend on the distance of their positions alone, within what the elements round. */
static void scores_by_offset(void **state)
{
    (void)state;
    random_state r = random_seed(8, 3);
    static double q[LINES * HEAD], k[LINES * HEAD];
    const sinpos_spec s = some_spec(1, HEAD);
    sinpos_plan *plan = plan_of(&s);
    fill_randomly(&r, q, LINES * HEAD);
    fill_randomly(&r, k, LINES * HEAD);
    double first = 0;
    for (int64_t start = 0; start < INT64_C(1) << 50; start = 1000 * start + 7) {
        memcpy(a64, q, sizeof q);
        memcpy(b64, k, sizeof k);
        turn(plan, start + 11, SINPOS_FORWARD, SINPOS_F64, a64);
        turn(plan, start, SINPOS_FORWARD, SINPOS_F64, b64);
        const double score = product(a64, b64, HEAD);
        first = start == 0 ? score : first;
        assert_true(fabs(score - first) < HEAD * 4 * 0x1p-53 * 4);
    }
    sinpos_plan_destroy(plan);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shift_moves_positions),
        cmocka_unit_test(matrix_is_the_shift),
        cmocka_unit_test(circle),
        cmocka_unit_test(parity),
        cmocka_unit_test(any_split),
        cmocka_unit_test(three_ways),
        cmocka_unit_test(add_is_adding_a_table),
        cmocka_unit_test(gradient_by_position),
        cmocka_unit_test(gradient_by_theta),
        cmocka_unit_test(inverse_undoes),
        cmocka_unit_test(transpose_is_adjoint),
        cmocka_unit_test(scores_by_offset),
    };
    return cmocka_run_group_tests_name("property", tests, NULL, NULL);
}
