/* Separation and collisions: brute force in long double and over whole tables, planted collisions, exact periods. */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cases.h"

#include "sinpos_analysis.h"

static const sinpos_type all_types[] = {SINPOS_F64, SINPOS_F32, SINPOS_F16, SINPOS_BF16};

static sinpos_plan *plan_of(const sinpos_spec *spec)
{
    sinpos_plan *plan = NULL;
    assert_int_equal(sinpos_plan_create(&plan, spec), SINPOS_OK);
    return plan;
}

static sinpos_plan *geometric(size_t dim, double base)
{
    sinpos_spec spec = SINPOS_SPEC_INIT;
    spec.dim = dim;
    spec.base = base;
    return plan_of(&spec);
}

/* ------------------------------------------------------------------------------------------------ distances */

/* From the definition, all columns of both rows, in long double. */
static long double plain_distance(size_t dim, double base, int64_t a, int64_t b)
{
    long double sum = 0;
    for (size_t j = 0; j < dim; j++) {
        const long double theta = powl(base, -(long double)(j / 2) / (dim / 2.0L));
        const long double x = j % 2 == 0 ? sinl(a * theta) - sinl(b * theta) : cosl(a * theta) - cosl(b * theta);
        sum += x * x;
    }
    return sqrtl(sum);
}

/* The nearest pair of each offset, those first that are nearest. */
static size_t plain_nearest(size_t dim, double base, int64_t first, int64_t n, sinpos_near *out, size_t room)
{
    size_t found = 0;
    for (int64_t k = 1; k < n; k++) {
        sinpos_near best = {INFINITY, k, 0, 0};
        for (int64_t m = first + k; m < first + n; m++) {
            const double d = (double)plain_distance(dim, base, m, m - k);
            if (d < best.distance * (1 - 1e-13))
                best = (sinpos_near){d, k, m - k, m};
        }
        size_t i = found < room ? found++ : room;
        for (; i > 0 && best.distance < out[i - 1].distance; i--)
            if (i < room)
                out[i] = out[i - 1];
        if (i < room)
            out[i] = best;
    }
    return found;
}

/* Complete tones, and odd widths, whose last tone lacks its cosine. */
static void against_all_pairs(void **state)
{
    (void)state;
    static const struct {
        size_t dim;
        double base;
        int64_t first, n;
    } cases[] = {{2, 10000, 0, 60}, {4, 7, 0, 50},      {6, 10000, 5, 40}, {1, 3, 0, 50},    {3, 10000, 0, 50},
                 {5, 50, -20, 40},  {7, 100, 1000, 30}, {16, 1e4, 0, 40},  {9, 1.5, -3, 30}, {33, 1e4, 0, 24}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        sinpos_near want[6], got[6], again;
        size_t n = 6;
        sinpos_plan *plan = geometric(cases[i].dim, cases[i].base);
        const size_t length = (size_t)cases[i].n;
        const size_t found = plain_nearest(cases[i].dim, cases[i].base, cases[i].first, cases[i].n, want, 6);
        assert_int_equal(sinpos_separation(plan, cases[i].first, length, got, &n, 1 + i % 5, NULL, NULL), SINPOS_OK);
        assert_int_equal(n, found);
        for (size_t j = 0; j < n; j++) {
            assert_true(fabs(got[j].distance - want[j].distance) <= 1e-13 * want[j].distance + 1e-16);
            assert_int_equal(got[j].offset, want[j].offset);
            assert_int_equal(got[j].later - got[j].earlier, got[j].offset);
            assert_true(got[j].earlier >= cases[i].first && got[j].later < cases[i].first + cases[i].n);
            const double there = (double)plain_distance(cases[i].dim, cases[i].base, got[j].later, got[j].earlier);
            assert_true(fabs(there - got[j].distance) <= 1e-13 * there + 1e-16);
        }
        assert_int_equal(sinpos_separation_lengths(plan, cases[i].first, &length, 1, &again, 2, NULL, NULL), SINPOS_OK);
        assert_memory_equal(&again, &got[0], sizeof again);
        sinpos_plan_destroy(plan);
    }
}

/* Every distance by its formula, with no sieve, over more offsets than a wave's first pieces. */
static void against_all_offsets(void **state)
{
    (void)state;
    enum { N = 200000 };
    static double distance[N];
    static const size_t lengths[] = {N, 2, 3000, 64, 65, 20000, 3};
    for (size_t dim = 2; dim <= 128; dim *= 4) {
        sinpos_plan *plan = geometric(dim, 10000);
        const sinpos_rows rows = {.struct_size = sizeof rows, .n = N};
        sinpos_near near[7], lists[2][5];
        assert_int_equal(sinpos_distance_values(plan, &rows, distance, 2), SINPOS_OK);
        assert_int_equal(sinpos_separation_lengths(plan, 0, lengths, 7, near, 2, NULL, NULL), SINPOS_OK);
        for (size_t i = 0; i < 7; i++) {
            size_t best = 1;
            for (size_t k = 2; k < lengths[i]; k++)
                best = distance[k] < distance[best] ? k : best;
            assert_true(fabs(near[i].distance - distance[best]) <= 1e-14 * distance[best]);
            assert_int_equal(near[i].offset, best);
        }
        for (size_t i = 0; i < 3; i++) { /* parts: the nearest of their offsets alone */
            const uint64_t from[] = {1, 2, 777}, to[] = {2, 777, N};
            size_t n = 1, best = from[i];
            for (size_t k = best; k < to[i]; k++)
                best = distance[k] < distance[best] ? k : best;
            assert_int_equal(sinpos_separation_part(plan, 0, N, from[i], to[i], near, &n, 2, NULL, NULL), SINPOS_OK);
            assert_int_equal(n, 1);
            assert_int_equal(near[0].offset, best);
        }
        for (size_t threads = 1; threads <= 1024; threads *= 4) {
            size_t n = 5;
            memset(lists, 0, sizeof lists);
            assert_int_equal(sinpos_separation(plan, 0, N, lists[threads > 1], &n, threads, NULL, NULL), SINPOS_OK);
            assert_int_equal(n, 5);
            if (threads > 1) {
                n = 5;
                assert_int_equal(sinpos_separation(plan, 0, N, lists[0], &n, 1, NULL, NULL), SINPOS_OK);
                assert_memory_equal(lists[0], lists[1], sizeof lists[0]);
            }
        }
        sinpos_plan_destroy(plan);
    }
}

/* Tones of different amplitudes, and tones of which only one column is there. */
static void odd_tones(void **state)
{
    (void)state;
    enum { TONES = 5, N = 60, DIM = 8 };
    sinpos_spec spec = SINPOS_SPEC_INIT;
    sinpos_tone tones[TONES];
    sinpos_plan *plan;
    double table[N][DIM];
    sinpos_near near[N - 1];
    size_t n = N - 1;
    spec.dim = 2 * TONES;
    spec.base = 30;
    spec.phase = 0.3;
    assert_int_equal(sinpos_spec_tones(&spec, tones, TONES), SINPOS_OK);
    tones[0].cos_column = SINPOS_NO_COLUMN;
    tones[2].sin_column = SINPOS_NO_COLUMN;
    for (ptrdiff_t i = 0, column = 0; i < TONES; i++) {
        tones[i].amplitude = 1 + 0.5 * (double)i;
        tones[i].sin_column = tones[i].sin_column == SINPOS_NO_COLUMN ? SINPOS_NO_COLUMN : column++;
        tones[i].cos_column = tones[i].cos_column == SINPOS_NO_COLUMN ? SINPOS_NO_COLUMN : column++;
    }
    assert_int_equal(sinpos_plan_create_tones(&plan, DIM, 1, tones, TONES, 0, NULL), SINPOS_OK);
    assert_int_equal(sinpos_fill(plan, -7, N, SINPOS_F64, table, DIM), SINPOS_OK);
    assert_int_equal(sinpos_separation(plan, -7, N, near, &n, 3, NULL, NULL), SINPOS_OK);
    assert_int_equal(n, N - 1);
    for (size_t i = 0; i < n; i++) {
        double least = INFINITY;
        for (int64_t m = near[i].offset; m < N; m++) {
            long double sum = 0;
            for (size_t j = 0; j < DIM; j++)
                sum += powl((long double)table[m][j] - table[m - near[i].offset][j], 2);
            least = fmin(least, (double)sqrtl(sum));
        }
        assert_true(fabs(near[i].distance - least) < 1e-13);
        assert_true(i == 0 || near[i].distance >= near[i - 1].distance);
    }
    sinpos_plan_destroy(plan);
}

/* Sines of one tone alone, as far as it is feasible, and no further. */
static void too_many_pairs(void **state)
{
    (void)state;
    sinpos_near near;
    size_t n = 1;
    sinpos_plan *plan = geometric(1, 10000);
    assert_int_equal(sinpos_separation(plan, 0, 2000, &near, &n, 0, NULL, NULL), SINPOS_OK);
    assert_true(near.distance > 0 && near.distance < 1e-4);
    assert_int_equal(sinpos_separation(plan, 0, 10000000, &near, &n, 0, NULL, NULL), SINPOS_E_UNSUPPORTED);
    sinpos_plan_destroy(plan);
}

/* Rows as types hold them: all pairs of the table. */
static void rounded(void **state)
{
    (void)state;
    enum { N = 150, DIM = 6 };
    static double table[N * DIM];
    for (size_t dim = 3; dim <= DIM; dim++) {
        sinpos_plan *plan = geometric(dim, 100);
        for (size_t t = 0; t < 4; t++) {
            sinpos_near near, rows;
            sinpos_distinct distinct;
            assert_int_equal(sinpos_fill(plan, 40, N, all_types[t], table, dim), SINPOS_OK);
            assert_int_equal(sinpos_rows_separation(table, N, dim, dim, all_types[t], &rows, &distinct, 3, NULL, NULL),
                             SINPOS_OK);
            assert_int_equal(sinpos_separation_rounded(plan, 40, N, all_types[t], &near, 1 + t, NULL, NULL), SINPOS_OK);
            assert_true(near.distance == rows.distance);
            assert_int_equal(rows.distance == 0, distinct.has_collision);
            assert_true(near.earlier >= 40 && near.later < 40 + N && near.later - near.earlier == near.offset);
        }
        sinpos_plan_destroy(plan);
    }
}

/* ------------------------------------------------------------------------------------------------ collisions */

/* Every row against every earlier one. */
static sinpos_distinct plain_distinct(const unsigned char *table, size_t n, size_t row_bytes, int64_t first)
{
    sinpos_distinct d = {.n_distinct = 0};
    for (size_t m = 0; m < n; m++) {
        size_t e = 0;
        while (e < m && memcmp(table + e * row_bytes, table + m * row_bytes, row_bytes) != 0)
            e++;
        d.n_distinct += e == m;
        if (e < m && !d.has_collision) {
            d.has_collision = 1;
            d.earlier = first + (int64_t)e;
            d.later = first + (int64_t)m;
        }
    }
    return d;
}

static void check_distinct(const sinpos_distinct *got, const sinpos_distinct *want)
{
    assert_int_equal(got->n_distinct, want->n_distinct);
    assert_int_equal(got->has_collision, want->has_collision);
    assert_int_equal(got->earlier, want->earlier);
    assert_int_equal(got->later, want->later);
}

static int count_calls(void *context, double done)
{
    assert_true(done >= 0 && done <= 1);
    ++*(int *)context;
    return 0;
}

/* Both methods, any threads and memory, against all pairs of the table. */
static void check_methods(const sinpos_plan *plan, int64_t first, size_t n)
{
    const size_t dim = sinpos_plan_dim(plan);
    sinpos_distinct want[4], got[4];
    unsigned char *table = malloc(n * dim * 8);
    assert_non_null(table);
    for (size_t t = 0; t < 4; t++) {
        assert_int_equal(sinpos_fill(plan, first, n, all_types[t], table, dim), SINPOS_OK);
        want[t] = plain_distinct(table, n, dim * sinpos_type_bytes(all_types[t]), first);
        assert_int_equal(sinpos_rows_separation(table, n, dim, dim, all_types[t], NULL, &got[0], 2, NULL, NULL),
                         SINPOS_OK);
        got[0].earlier += got[0].has_collision ? first : 0;
        got[0].later += got[0].has_collision ? first : 0;
        check_distinct(&got[0], &want[t]);
    }
    for (int trial = 0; trial < 10; trial++) {
        int calls = 0;
        sinpos_collisions_options options = SINPOS_COLLISIONS_OPTIONS_INIT;
        options.method = (sinpos_distinct_method)(trial % 3);
        options.n_threads = (size_t)1 << trial;
        options.memory_bytes = trial % 2 == 0 ? 1 : (size_t)1 << 20;
        options.progress = count_calls;
        options.context = &calls;
        const sinpos_status status = sinpos_collisions(plan, first, n, 15, &options, got);
        if (status == SINPOS_E_UNSUPPORTED && options.method == SINPOS_DISTINCT_OFFSETS)
            continue;
        assert_int_equal(status, SINPOS_OK);
        assert_true(calls > 0);
        for (size_t t = 0; t < 4; t++) {
            check_distinct(&got[t], &want[t]);
            assert_int_equal(got[t].type, all_types[t]);
            assert_int_equal(got[t].method, options.method == SINPOS_DISTINCT_AUTO ? got[t].method : options.method);
        }
    }
    free(table);
}

static void collisions(void **state)
{
    (void)state;
    static const struct {
        size_t dim;
        double base, scale;
        size_t n;
    } cases[] = {{2, 10000, 1, 3000}, {4, 10000, 0.01, 800},   {1, 10000, 1, 2000}, {6, 1, 1, 1500},
                 {3, 50, 1e-5, 300},  {40, 10000, 1e-3, 1500}, {12, 4, 1e-9, 150}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        sinpos_spec spec = SINPOS_SPEC_INIT;
        spec.dim = cases[i].dim;
        spec.base = cases[i].base;
        spec.scale = cases[i].scale;
        spec.phase = i % 2 == 0 ? 0 : 0.1;
        sinpos_plan *plan = plan_of(&spec);
        check_methods(plan, (int64_t)i * 1000 - 2000, cases[i].n);
        sinpos_plan_destroy(plan);
    }
}

/* Records beyond memory, in many segments: as many threads as there are rows to deal out, and next to no memory. */
static void out_of_memory(void **state)
{
    (void)state;
    sinpos_distinct want, got;
    sinpos_plan *plan = geometric(4, 10000);
    sinpos_collisions_options options = SINPOS_COLLISIONS_OPTIONS_INIT;
    options.method = SINPOS_DISTINCT_HASHES;
    assert_int_equal(sinpos_collisions(plan, 0, 100000, SINPOS_BF16, &options, &want), SINPOS_OK);
    assert_int_equal(want.temporary_bytes, 0);
    assert_int_equal(want.n_distinct, 96875);
    for (size_t threads = 1; threads <= 1024; threads *= 4) {
        options.n_threads = threads;
        options.memory_bytes = 100000;
        assert_int_equal(sinpos_collisions(plan, 0, 100000, SINPOS_BF16, &options, &got), SINPOS_OK);
        assert_true(got.temporary_bytes >= 16 * 96875);
        check_distinct(&got, &want);
    }
    options.folder = "/nonexistent/folder";
    errno = 0;
    assert_int_equal(sinpos_collisions(plan, 0, 100000, SINPOS_BF16, &options, &got), SINPOS_E_FILE);
    assert_int_equal(errno, ENOENT);
    options.method = SINPOS_DISTINCT_OFFSETS;
    assert_int_equal(sinpos_collisions(plan, 0, 100000, SINPOS_BF16, &options, &got), SINPOS_OK);
    check_distinct(&got, &want);
    sinpos_plan_destroy(plan);
}

/* Rational turns: all integers of one parity share a row, at any length. */
static void octave(void **state)
{
    (void)state;
    sinpos_spec spec = SINPOS_SPEC_INIT;
    sinpos_distinct d[4];
    sinpos_near near;
    size_t n = 1;
    spec.schedule = SINPOS_OCTAVE;
    spec.dim = 10;
    sinpos_plan *plan = plan_of(&spec);
    assert_int_equal(sinpos_separation(plan, 3, 1000000000, &near, &n, 2, NULL, NULL), SINPOS_OK);
    assert_true(near.distance == 0 && near.offset == 2 && near.earlier == 3 && near.later == 5);
    assert_int_equal(sinpos_collisions(plan, 3, 1000000000, 15, NULL, d), SINPOS_OK);
    for (int t = 0; t < 4; t++)
        assert_true(d[t].n_distinct == 2 && d[t].has_collision && d[t].earlier == 3 && d[t].later == 5);
    check_methods(plan, 0, 100);
    sinpos_plan_destroy(plan);

    spec.scale = 0x1p-10; /* a period of 2048, in which coarse types merge rows of their own */
    plan = plan_of(&spec);
    check_methods(plan, -5, 2500);
    n = 1;
    assert_int_equal(sinpos_separation(plan, 0, 2048, &near, &n, 2, NULL, NULL), SINPOS_OK);
    assert_true(near.distance > 0);
    n = 1;
    assert_int_equal(sinpos_separation(plan, 0, 2049, &near, &n, 2, NULL, NULL), SINPOS_OK);
    assert_true(near.distance == 0 && near.offset == 2048);
    assert_int_equal(sinpos_collisions(plan, 0, 2049, SINPOS_F64, NULL, d), SINPOS_OK);
    assert_true(d[0].n_distinct == 2048 && d[0].earlier == 0 && d[0].later == 2048);
    sinpos_plan_destroy(plan);
}

/* ------------------------------------------------------------------------------------------------ other rows */

static void planted(void **state)
{
    (void)state;
    enum { N = 700, DIM = 37, LD = 40 };
    static float rows[N * LD];
    sinpos_near near;
    sinpos_distinct d;
    uint32_t x = 2463534242;
    for (size_t i = 0; i < N * LD; i++) {
        x ^= x << 13;
        x ^= x >> 17;
        x ^= x << 5;
        rows[i] = (float)x / 4294967296.0f;
    }
    for (size_t i = 0; i < N; i++)
        rows[i * LD + DIM] = NAN; /* beyond dim: not looked at */
    assert_int_equal(sinpos_rows_separation(rows, N, DIM, LD, SINPOS_F32, &near, &d, 4, NULL, NULL), SINPOS_OK);
    assert_true(near.distance > 0 && !d.has_collision && d.n_distinct == N);
    memcpy(rows + 500 * LD, rows + 20 * LD, DIM * sizeof *rows);
    rows[500 * LD + 36] += 0.25f;
    assert_int_equal(sinpos_rows_separation(rows, N, DIM, LD, SINPOS_F32, &near, &d, 3, NULL, NULL), SINPOS_OK);
    assert_true(near.distance == 0.25 && near.earlier == 20 && near.later == 500 && near.offset == 480);
    memcpy(rows + 600 * LD, rows + 599 * LD, DIM * sizeof *rows);
    memcpy(rows + 650 * LD, rows + 599 * LD, DIM * sizeof *rows);
    memcpy(rows + 610 * LD, rows + 3 * LD, DIM * sizeof *rows);
    for (size_t threads = 1; threads <= 16; threads *= 2) {
        assert_int_equal(sinpos_rows_separation(rows, N, DIM, LD, SINPOS_F32, &near, &d, threads, NULL, NULL),
                         SINPOS_OK);
        assert_true(near.distance == 0 && near.earlier == 3 && near.later == 610);
        assert_true(d.n_distinct == N - 3 && d.earlier == 599 && d.later == 600);
    }
    rows[5 * LD + 4] = INFINITY;
    assert_int_equal(sinpos_rows_separation(rows, N, DIM, LD, SINPOS_F32, &near, &d, 2, NULL, NULL), SINPOS_E_VALUE);
}

/* Elements of every size: no square may overflow or vanish. */
static void extreme_rows(void **state)
{
    (void)state;
    const double large[3][2] = {{1e308, 0}, {-1e308, 1e300}, {1e308, 1e292}};
    const double small[3][2] = {{0, 5e-324}, {-0.0, 5e-324}, {1e-310, 0}};
    const uint16_t halves[3] = {0x0001, 0x0003, 0x7bff}; /* 2^-24, 3 2^-24, 65504 */
    sinpos_near near;
    sinpos_distinct d;
    assert_int_equal(sinpos_rows_separation(large, 3, 2, 2, SINPOS_F64, &near, &d, 1, NULL, NULL), SINPOS_OK);
    assert_true(near.distance == 1e292 && near.earlier == 0 && near.later == 2);
    assert_int_equal(sinpos_rows_separation(small, 3, 2, 2, SINPOS_F64, &near, &d, 1, NULL, NULL), SINPOS_OK);
    assert_true(near.distance == 0 && near.later == 1 && d.n_distinct == 3 && !d.has_collision);
    assert_int_equal(sinpos_rows_separation(halves, 3, 1, 1, SINPOS_F16, &near, &d, 1, NULL, NULL), SINPOS_OK);
    assert_true(near.distance == 0x1p-23 && near.later == 1);
}

/* ------------------------------------------------------------------------------------------------ dimensions */

static void dims(void **state)
{
    (void)state;
    sinpos_spec spec = SINPOS_SPEC_INIT;
    for (int octaves = 0; octaves < 2; octaves++) {
        size_t dim = 99;
        sinpos_near near;
        spec.schedule = octaves == 0 ? SINPOS_GEOMETRIC : SINPOS_OCTAVE;
        assert_int_equal(
            sinpos_dim_needed(&spec, 5000, 1, SINPOS_BF16, octaves == 0 ? 64 : 2100, &dim, &near, 2, NULL, NULL),
            SINPOS_OK);
        if (octaves != 0) {
            assert_int_equal(dim, 0);
            continue;
        }
        for (size_t other = 2; other <= dim; other += 2) {
            sinpos_near at;
            size_t n = 1;
            sinpos_plan *plan = geometric(other, 10000);
            assert_int_equal(sinpos_separation(plan, 0, 5000, &at, &n, 2, NULL, NULL), SINPOS_OK);
            assert_int_equal(at.distance >= 1, other == dim);
            if (other == dim)
                assert_memory_equal(&at, &near, sizeof at);
            sinpos_plan_destroy(plan);
        }
    }
    spec.schedule = SINPOS_GEOMETRIC; /* rows that differ in bfloat16, however near */
    size_t dim = 0;
    sinpos_distinct d;
    assert_int_equal(sinpos_dim_needed(&spec, 100000, 0, SINPOS_BF16, 64, &dim, NULL, 2, NULL, NULL), SINPOS_OK);
    assert_true(dim == 6); /* of 4 columns 96875 rows differ */
    sinpos_plan *plan = geometric(6, 10000);
    assert_int_equal(sinpos_collisions(plan, 0, 100000, SINPOS_BF16, NULL, &d), SINPOS_OK);
    assert_int_equal(d.has_collision, 0);
    sinpos_plan_destroy(plan);
}

/* ------------------------------------------------------------------------------------------------ arguments */

static int stop_work(void *context, double done)
{
    (void)context;
    return done <= 1;
}

static void arguments(void **state)
{
    (void)state;
    sinpos_near near[2];
    sinpos_distinct d[4];
    size_t n = 1, none = 0, dim = 7;
    const size_t short_length = 1;
    sinpos_collisions_options options = SINPOS_COLLISIONS_OPTIONS_INIT;
    sinpos_spec spec = SINPOS_SPEC_INIT;
    spec.dim = 4;
    spec.types = SINPOS_F64;
    sinpos_plan *plan = geometric(4, 10000), *narrow = plan_of(&spec);
    assert_int_equal(sinpos_separation(NULL, 0, 9, near, &n, 1, NULL, NULL), SINPOS_E_NULL);
    assert_int_equal(sinpos_separation(plan, 0, 9, NULL, &n, 1, NULL, NULL), SINPOS_E_NULL);
    assert_int_equal(sinpos_separation(plan, 0, 9, near, &none, 1, NULL, NULL), SINPOS_E_VALUE);
    assert_int_equal(sinpos_separation(plan, 0, 9, near, &n, 1025, NULL, NULL), SINPOS_E_VALUE);
    assert_int_equal(sinpos_separation(plan, INT64_MAX, 2, near, &n, 1, NULL, NULL), SINPOS_E_RANGE);
    assert_int_equal(sinpos_separation(plan, INT64_MAX, 1, near, &n, 1, NULL, NULL), SINPOS_OK);
    assert_int_equal(n, 0);
    n = 1;
    assert_int_equal(sinpos_separation(plan, 0, (size_t)1 << 40, near, &n, 1, stop_work, NULL), SINPOS_E_STOPPED);
    n = 1;
    assert_int_equal(sinpos_separation_part(plan, 0, 9, 0, 9, near, &n, 1, NULL, NULL), SINPOS_E_VALUE);
    assert_int_equal(sinpos_separation_part(plan, 0, 9, 1, 10, near, &n, 1, NULL, NULL), SINPOS_E_VALUE);
    assert_int_equal(sinpos_separation_part(plan, 0, 9, 5, 4, near, &n, 1, NULL, NULL), SINPOS_E_VALUE);
    assert_int_equal(sinpos_separation_part(plan, 0, 9, 4, 4, near, &n, 1, NULL, NULL), SINPOS_OK);
    assert_int_equal(n, 0);
    n = 1;
    assert_int_equal(sinpos_separation_lengths(plan, 0, &short_length, 1, near, 1, NULL, NULL), SINPOS_E_VALUE);
    assert_int_equal(sinpos_separation_rounded(plan, 0, 1, SINPOS_F32, near, 1, NULL, NULL), SINPOS_E_VALUE);
    assert_int_equal(sinpos_separation_rounded(narrow, 0, 9, SINPOS_F32, near, 1, NULL, NULL), SINPOS_E_TYPE);
    assert_int_equal(sinpos_collisions(narrow, 0, 9, SINPOS_F32, NULL, d), SINPOS_E_TYPE);
    assert_int_equal(sinpos_collisions(plan, 0, 9, 16, NULL, d), SINPOS_E_TYPE);
    assert_int_equal(sinpos_collisions(plan, 0, 9, 0, NULL, d), SINPOS_E_TYPE);
    assert_int_equal(sinpos_collisions(plan, 0, 9, 15, NULL, NULL), SINPOS_E_NULL);
    assert_int_equal(sinpos_collisions(plan, INT64_MIN, 9, 15, NULL, d), SINPOS_E_RANGE);
    options.progress = stop_work;
    options.method = SINPOS_DISTINCT_HASHES;
    assert_int_equal(sinpos_collisions(plan, 0, (size_t)1 << 38, 15, &options, d), SINPOS_E_STOPPED);
    assert_int_equal(sinpos_collisions(plan, 0, ((size_t)1 << 40) + 1, 15, &options, d), SINPOS_E_RANGE);
    options.method = (sinpos_distinct_method)3;
    assert_int_equal(sinpos_collisions(plan, 0, 9, 15, &options, d), SINPOS_E_VALUE);
    options.method = SINPOS_DISTINCT_AUTO;
    options.struct_size = 1;
    assert_int_equal(sinpos_collisions(plan, 0, 9, 15, &options, d), SINPOS_E_STRUCT);
    for (size_t rows = 0; rows < 2; rows++) {
        assert_int_equal(sinpos_collisions(plan, 5, rows, 15, NULL, d), SINPOS_OK);
        assert_true(d[3].n_distinct == rows && !d[3].has_collision);
    }
    assert_int_equal(sinpos_dim_needed(&spec, 1, 1, 0, 8, &dim, NULL, 1, NULL, NULL), SINPOS_E_VALUE);
    assert_int_equal(sinpos_dim_needed(&spec, 9, NAN, 0, 8, &dim, NULL, 1, NULL, NULL), SINPOS_E_VALUE);
    spec.schedule = SINPOS_EXPLICIT;
    assert_int_equal(sinpos_dim_needed(&spec, 9, 1, 0, 8, &dim, NULL, 1, NULL, NULL), SINPOS_E_SPEC);
    assert_int_equal(dim, 7);
    sinpos_plan_destroy(plan);
    sinpos_plan_destroy(narrow);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(against_all_pairs),
        cmocka_unit_test(against_all_offsets),
        cmocka_unit_test(odd_tones),
        cmocka_unit_test(too_many_pairs),
        cmocka_unit_test(rounded),
        cmocka_unit_test(collisions),
        cmocka_unit_test(out_of_memory),
        cmocka_unit_test(octave),
        cmocka_unit_test(planted),
        cmocka_unit_test(extreme_rows),
        cmocka_unit_test(dims),
        cmocka_unit_test(arguments),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
