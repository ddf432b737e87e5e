/*
 * unit_arrays - batches, heads, arrays out of place, factors that are kept, and the caller's threads: the bytes of one row
 * after the other in place, and nothing beside them.
 */
#include <fenv.h>
#include <math.h>
#include <pthread.h>

#include "unit.h"

#include <cmocka.h>

#include "internal.h"
#include "random.h"

enum { ROWS = 45, BATCHES = 3, HEADS = 2, WIDTH = 40, GAP = 3, MOST = ROWS * BATCHES * HEADS * (WIDTH + GAP) * 2 };

/* In elements of any type: operands, results, and results as they should be. */
static double in_memory[MOST], got_memory[MOST], wanted_memory[MOST], kept_memory[MOST];
static char *const in = (char *)in_memory, *const got = (char *)got_memory, *const wanted = (char *)wanted_memory;

static int64_t integers[2 * ROWS];
static double reals[2 * ROWS];

static void make_lists(random_state *r)
{
    static const int64_t places[] = {0, -4, 77, ((int64_t)1 << 40) - 3, INT64_MAX - 60};
    for (size_t i = 0; i < 2 * ROWS; i++) {
        integers[i] = i % 5 == 0 ? places[random_below(r, 5)] : integers[i - 1] + 1;
        reals[i] = 0.25 * (double)random_below(r, 100000);
    }
    reals[25] = 0x1p45 + 0.25; /* beyond the kernels: element by element */
}

/* ------------------------------------------------------------------------------------------------- Plans, rows */

enum { N_PLANS = 5 };

/* Pairs, halves, columns in any order with some that no tone names, amplitudes, and two coordinates. */
static sinpos_plan *plan_number(int kind)
{
    sinpos_spec s = SINPOS_SPEC_INIT;
    sinpos_tone tones[WIDTH / 2];
    sinpos_plan *plan = NULL;
    s.dim = WIDTH - 6;
    s.layout = kind == 1 ? SINPOS_HALVES : SINPOS_INTERLEAVED;
    s.order = kind == 1 ? SINPOS_COS_SIN : SINPOS_SIN_COS;
    s.amplitude = kind == 3 ? 1.25 : 1;
    const size_t n = s.dim / 2 - (kind == 2);
    assert_int_equal(sinpos_spec_tones(&s, tones, WIDTH / 2), SINPOS_OK);
    for (size_t k = 0; k < n; k++) {
        if (kind == 2) {
            tones[k].sin_column = (ptrdiff_t)(k * 7 % s.dim);
            tones[k].cos_column = (ptrdiff_t)((k * 7 + 7 * n) % s.dim);
        }
        tones[k].axis = kind == 4 ? k % 2 : 0;
    }
    assert_int_equal(sinpos_plan_create_tones(&plan, s.dim, kind == 4 ? 2 : 1, tones, n, 0, NULL), SINPOS_OK);
    return plan;
}

static sinpos_rows rows_number(const sinpos_plan *plan, int kind)
{
    sinpos_rows rows = SINPOS_ROWS_INIT;
    rows.n = ROWS;
    rows.first = -5;
    rows.integers = kind == 1 || (kind == 0 && sinpos_plan_axes(plan) > 1) ? integers : NULL;
    rows.reals = kind == 2 ? reals : NULL;
    return rows;
}

static sinpos_rows row_of_rows(const sinpos_plan *plan, sinpos_rows rows, size_t i)
{
    const size_t axes = sinpos_plan_axes(plan);
    rows.n = 1;
    rows.integers = rows.integers == NULL ? NULL : rows.integers + i * axes;
    rows.reals = rows.reals == NULL ? NULL : rows.reals + i * axes;
    rows.first += (int64_t)i;
    return rows;
}

/* ------------------------------------------------------------------------------------------------------ Arrays */

/* Rows, heads and batches in some order of size, with gaps. */
static void set_strides(random_state *r, const sinpos_arrays *a, size_t ld[3])
{
    const size_t counts[3] = {ROWS, a->n_heads, a->n_batches};
    size_t order[3] = {0, 1, 2}, span = WIDTH;
    for (size_t i = 2; i > 0; i--) {
        const size_t k = random_below(r, i + 1), other = order[i];
        order[i] = order[k];
        order[k] = other;
    }
    for (size_t i = 0; i < 3; i++) {
        ld[order[i]] = span + GAP;
        span += (counts[order[i]] - 1) * ld[order[i]];
    }
}

static sinpos_arrays some_arrays(random_state *r, bool in_place)
{
    sinpos_arrays a = SINPOS_ARRAYS_INIT;
    size_t ld[3];
    a.out = got;
    a.n_heads = 1 + random_below(r, HEADS);
    a.n_batches = 1 + random_below(r, BATCHES);
    set_strides(r, &a, ld);
    a.ld_row = ld[0];
    a.ld_head = ld[1];
    a.ld_batch = ld[2];
    a.width = random_chance(r, 50) ? WIDTH : 0;
    a.n_threads = 1 + random_below(r, 2);
    if (!in_place) {
        a.in = in;
        set_strides(r, &a, ld);
        a.in_ld_row = ld[0];
        a.in_ld_head = ld[1];
        a.in_ld_batch = random_chance(r, 25) ? 0 : ld[2]; /* one for all batches */
    }
    return a;
}

/* None, what is asked for at any address, or too little, which is not used. */
static unsigned char workspace[40000];

static void give_workspace(random_state *r, const sinpos_plan *plan, sinpos_type type, sinpos_arrays *a)
{
    const size_t bytes = sinpos_workspace_bytes(plan, type, a->n_threads), at = 1 + random_below(r, 70);
    assert_in_range(bytes, 33 * a->n_threads * sinpos_plan_dim(plan) * sinpos_type_bytes(type), sizeof workspace - 80);
    set_pattern(workspace, sizeof workspace);
    a->workspace = random_chance(r, 75) ? workspace + at : NULL;
    a->workspace_bytes = random_chance(r, 75) ? bytes : bytes - 1;
}

/* Is all beside it as it was; and all of it, where it was too small? */
static bool workspace_kept(const sinpos_plan *plan, sinpos_type type, const sinpos_arrays *a, bool is_sum)
{
    if (a->workspace == NULL)
        return is_pattern(workspace, sizeof workspace);
    static unsigned char pattern[sizeof workspace];
    set_pattern(pattern, sizeof pattern);
    const size_t bytes = sinpos_workspace_bytes(plan, type, a->n_threads);
    const bool is_used = is_sum && a->workspace_bytes >= bytes && a->n_batches * a->n_heads > 1;
    const size_t begin = (size_t)((unsigned char *)a->workspace - workspace), end = begin + (is_used ? bytes : 0);
    return memcmp(workspace, pattern, begin) == 0 && memcmp(workspace + end, pattern + end, sizeof pattern - end) == 0;
}

/* One row of one head: rotation where direction is not negative, else addition. */
static void row_alone(const sinpos_plan *plan, const sinpos_rows *one, int direction, sinpos_type type, void *x)
{
    const size_t dim = sinpos_plan_dim(plan);
    if (direction < 0)
        assert_int_equal(sinpos_run(plan, SINPOS_ADD, one, type, x, dim, 1), SINPOS_OK);
    else
        assert_int_equal(sinpos_rotate(plan, one, (sinpos_direction)direction, 1, type, x, dim, dim, 1), SINPOS_OK);
}

/* What `wanted` should be, out of `in` or itself. */
static void make_wanted(const sinpos_plan *plan, const sinpos_rows *rows, int direction, sinpos_type type,
                        const sinpos_arrays *a)
{
    const size_t bytes = type_size(type), width = a->width == 0 ? sinpos_plan_dim(plan) : a->width;
    for (size_t i = 0; i < ROWS; i++) {
        const sinpos_rows one = row_of_rows(plan, *rows, i);
        for (size_t b = 0; b < a->n_batches; b++) {
            for (size_t h = 0; h < a->n_heads; h++) {
                char *to = wanted + (b * a->ld_batch + i * a->ld_row + h * a->ld_head) * bytes;
                const size_t from = b * a->in_ld_batch + i * a->in_ld_row + h * a->in_ld_head;
                if (a->in != NULL)
                    memcpy(to, in + from * bytes, width * bytes);
                row_alone(plan, &one, direction, type, to);
            }
        }
    }
}

static void start_memory(random_state *r, sinpos_type type)
{
    make_activations(r, (unsigned char *)in, type, MOST, 20);
    make_activations(r, (unsigned char *)got, type, MOST, 20);
    memcpy(wanted, got, sizeof wanted_memory);
    memcpy(kept_memory, got, sizeof kept_memory);
}

/* ------------------------------------------------------------------------------------------------------- Tests */

typedef sinpos_status perform(const sinpos_plan *plan, const sinpos_rows *rows, int direction, sinpos_type type,
                              const sinpos_arrays *a);

static sinpos_status by_arrays(const sinpos_plan *plan, const sinpos_rows *rows, int direction, sinpos_type type,
                               const sinpos_arrays *a)
{
    return direction < 0 ? sinpos_run_arrays(plan, SINPOS_ADD, rows, type, a)
                         : sinpos_rotate_arrays(plan, rows, (sinpos_direction)direction, type, a);
}

/* In two parts, of factors whose positions have been overwritten since. */
static sinpos_status by_factors(const sinpos_plan *plan, const sinpos_rows *rows, int direction, sinpos_type type,
                                const sinpos_arrays *a)
{
    enum { FIRST = 19 };
    int64_t integer_copy[2 * ROWS];
    double real_copy[2 * ROWS];
    sinpos_rows copied = *rows;
    sinpos_factors *f = NULL;
    memcpy(integer_copy, integers, sizeof integers);
    memcpy(real_copy, reals, sizeof reals);
    copied.integers = rows->integers == NULL ? NULL : integer_copy;
    copied.reals = rows->reals == NULL ? NULL : real_copy;
    assert_int_equal(sinpos_factors_create(&f, plan, &copied, (sinpos_direction)direction, type), SINPOS_OK);
    memset(integer_copy, 1, sizeof integer_copy);
    memset(real_copy, 1, sizeof real_copy);
    assert_true(sinpos_factors_bytes(f) > ROWS * (sinpos_plan_dim(plan) / 2 - 1) * 36);
    assert_true(sinpos_factors_bytes(f) < ROWS * (sinpos_plan_dim(plan) / 2 + 15) * 48 + ROWS * 32 + 4096);
    sinpos_arrays rest = *a;
    rest.out = (char *)a->out + FIRST * a->ld_row * type_size(type);
    rest.in = a->in == NULL ? NULL : (const char *)a->in + FIRST * a->in_ld_row * type_size(type);
    sinpos_status status = sinpos_factors_rotate(f, FIRST, ROWS - FIRST, &rest);
    status = status == SINPOS_OK ? sinpos_factors_rotate(f, 0, FIRST, a) : status;
    sinpos_factors_destroy(f);
    return status;
}

static void same_as_alone(random_state *r, perform *work, int direction)
{
    for (int kind = 0; kind < N_PLANS; kind++) {
        sinpos_plan *plan = plan_number(kind);
        for (int t = 0; t < 3 * N_TYPES; t++) {
            const sinpos_type type = all_types[t % N_TYPES];
            const sinpos_rows rows = rows_number(plan, t / N_TYPES);
            sinpos_arrays a = some_arrays(r, random_chance(r, 40));
            give_workspace(r, plan, type, &a);
            start_memory(r, type);
            make_wanted(plan, &rows, direction, type, &a);
            for (const char *const *isa = isa_names; *isa != NULL; isa++) {
                if (isa_cap(*isa) != SINPOS_OK)
                    continue;
                memcpy(got, kept_memory, sizeof got_memory);
                assert_int_equal(work(plan, &rows, direction, type, &a), SINPOS_OK);
                if (memcmp(got, wanted, sizeof got_memory) != 0)
                    fail_msg("plan %d, direction %d, %s, %s, rows %d: other bytes", kind, direction, *isa,
                             type_name(type), t / N_TYPES);
                assert_true(workspace_kept(plan, type, &a, direction < 0));
            }
            assert_int_equal(isa_cap(NULL), SINPOS_OK);
        }
        sinpos_plan_destroy(plan);
    }
}

static void added(void **state)
{
    (void)state;
    random_state r = random_seed(18, 1);
    make_lists(&r);
    for (int turn = 0; turn < 4; turn++)
        same_as_alone(&r, by_arrays, -1);
}

static void rotated(void **state)
{
    (void)state;
    random_state r = random_seed(18, 2);
    make_lists(&r);
    for (int direction = 0; direction < 3; direction++)
        same_as_alone(&r, by_arrays, direction);
}

static void rotated_by_factors(void **state)
{
    (void)state;
    random_state r = random_seed(18, 3);
    make_lists(&r);
    for (int direction = 0; direction < 3; direction++)
        same_as_alone(&r, by_factors, direction);
}

/* ------------------------------------------------------------------------------------------ The caller's threads */

typedef struct some_threads {
    size_t calls, made; /* how many calls this pool makes, and of how many it was asked */
    void (*work)(void *context);
    void *context;
    bool kept_mode;
} some_threads;

/* A thread with a rounding mode of its own. */
static void *downwards(void *argument)
{
    some_threads *s = argument;
    fesetround(FE_DOWNWARD);
    s->work(s->context);
    s->kept_mode = s->kept_mode && fegetround() == FE_DOWNWARD;
    return NULL;
}

static void run_some(void *pool, void (*work)(void *context), void *context, size_t n)
{
    some_threads *s = pool;
    s->made = n;
    s->work = work;
    s->context = context;
    s->kept_mode = true;
    for (size_t i = 0; i < s->calls; i++) {
        pthread_t thread;
        assert_int_equal(pthread_create(&thread, NULL, downwards, s), 0);
        pthread_join(thread, NULL);
    }
}

static void pools(void **state)
{
    (void)state;
    enum { N = 200, DIM = 30 };
    static float table[N * DIM], expected[N * DIM];
    sinpos_plan *plan = usual_plan(DIM, 0);
    const sinpos_rows rows = {.struct_size = sizeof rows, .n = N, .first = 1};
    assert_int_equal(sinpos_fill(plan, 1, N, SINPOS_F32, expected, DIM), SINPOS_OK);
    for (size_t calls = 0; calls < 6; calls++) { /* none: the caller does all; more than were asked for do no harm */
        some_threads threads = {.calls = calls};
        const sinpos_pool pool = {run_some, &threads};
        const sinpos_arrays a = {.struct_size = sizeof a,
                                 .out = table,
                                 .n_batches = 1,
                                 .n_heads = 1,
                                 .ld_row = DIM,
                                 .n_threads = 3,
                                 .pool = &pool};
        memset(table, 0, sizeof table);
        assert_int_equal(sinpos_run_arrays(plan, SINPOS_FILL, &rows, SINPOS_F32, &a), SINPOS_OK);
        assert_memory_equal(table, expected, sizeof table);
        assert_int_equal(threads.made, 3);
        assert_true(threads.kept_mode);
    }
    sinpos_plan_destroy(plan);
}

/* Bytes of a workspace: rows of whole cache lines, none for rows that fill the second-level cache. */
static void workspaces(void **state)
{
    (void)state;
    sinpos_plan *plan = usual_plan(1000, 0), *widest = usual_plan(1984, 0), *beyond = usual_plan(1985, 0);
    assert_int_equal(sinpos_workspace_bytes(plan, SINPOS_F32, 1), 33 * 4032 + 64);
    assert_int_equal(sinpos_workspace_bytes(plan, SINPOS_BF16, 3), 3 * (33 * 2048 + 64));
    assert_true(sinpos_workspace_bytes(plan, SINPOS_BF16, 0) % (33 * 2048 + 64) == 0);
    assert_true(sinpos_workspace_bytes(plan, SINPOS_BF16, 0) > 0);
    assert_int_equal(sinpos_workspace_bytes(widest, SINPOS_F32, 1), 33 * 7936 + 64);
    assert_int_equal(sinpos_workspace_bytes(beyond, SINPOS_F32, 1), 0);
    assert_int_equal(sinpos_workspace_bytes(NULL, SINPOS_F32, 1), 0);
    assert_int_equal(sinpos_workspace_bytes(plan, (sinpos_type)3, 1), 0);
    assert_int_equal(sinpos_workspace_bytes(plan, SINPOS_F32, 1025), 0);
    sinpos_plan_destroy(plan);
    sinpos_plan_destroy(widest);
    sinpos_plan_destroy(beyond);
}

/* ---------------------------------------------------------------------------------------------------- Refusals */

static void refused(void **state)
{
    (void)state;
    static unsigned char out[4096];
    const sinpos_pool empty = {NULL, NULL};
    sinpos_plan *plan = plan_number(1), *lacking = usual_plan(7, 0);
    const size_t dim = sinpos_plan_dim(plan);
    const sinpos_rows rows = {.struct_size = sizeof rows, .n = 3};
    sinpos_factors *f = NULL;
    sinpos_arrays good = SINPOS_ARRAYS_INIT, a;
    good.out = out;
    good.n_heads = good.n_batches = 2;
    good.ld_head = dim;
    good.ld_row = 2 * dim;
    good.ld_batch = 6 * dim;
    set_pattern(out, sizeof out);

#define REFUSED(change, status)                                                                                        \
    do {                                                                                                               \
        a = good;                                                                                                      \
        change;                                                                                                        \
        assert_int_equal(sinpos_run_arrays(plan, SINPOS_ADD, &rows, SINPOS_F16, &a), status);                          \
        assert_int_equal(sinpos_rotate_arrays(plan, &rows, SINPOS_FORWARD, SINPOS_F16, &a), status);                   \
        assert_int_equal(sinpos_factors_rotate(f, 0, 3, &a), status);                                                  \
    } while (0)

    assert_int_equal(sinpos_factors_create(&f, plan, &rows, SINPOS_FORWARD, SINPOS_F16), SINPOS_OK);
    REFUSED(a.struct_size = 0, SINPOS_E_STRUCT);
    REFUSED(a.out = NULL, SINPOS_E_NULL);
    REFUSED(a.ld_head = dim - 1, SINPOS_E_SHAPE);
    REFUSED(a.ld_row = 2 * dim - 1, SINPOS_E_SHAPE);
    REFUSED(a.ld_batch = 6 * dim - 1, SINPOS_E_SHAPE);
    REFUSED(a.ld_batch = SIZE_MAX / 2, SINPOS_E_SHAPE);
    REFUSED(a.width = dim + 1, SINPOS_E_SHAPE);
    REFUSED(a.width = dim - 1, SINPOS_E_SHAPE);
    REFUSED((a.in = out, a.in_ld_batch = SIZE_MAX / 2), SINPOS_E_SHAPE);
    REFUSED(a.n_threads = 1025, SINPOS_E_VALUE);
    REFUSED(a.pool = &empty, SINPOS_E_VALUE);
    REFUSED((a.n_heads = 0, a.out = NULL), SINPOS_OK);
    REFUSED((a.n_batches = 0, a.out = NULL), SINPOS_OK);

    assert_int_equal(sinpos_run_arrays(plan, SINPOS_FILL, &rows, SINPOS_F16, &good), SINPOS_E_VALUE);
    assert_int_equal(sinpos_run_arrays(plan, (sinpos_operation)4, &rows, SINPOS_F16, &good), SINPOS_E_VALUE);
    assert_int_equal(sinpos_run_arrays(plan, SINPOS_ADD, &rows, SINPOS_F16, NULL), SINPOS_E_NULL);
    assert_int_equal(sinpos_run_arrays(NULL, SINPOS_ADD, &rows, SINPOS_F16, &good), SINPOS_E_NULL);
    assert_int_equal(sinpos_factors_rotate(NULL, 0, 0, &good), SINPOS_E_NULL);
    assert_int_equal(sinpos_factors_rotate(f, 1, 3, &good), SINPOS_E_RANGE);
    assert_int_equal(sinpos_factors_rotate(f, SIZE_MAX, 2, &good), SINPOS_E_RANGE);
    assert_int_equal(sinpos_factors_rotate(f, 3, 0, &good), SINPOS_OK);
    assert_true(is_pattern(out, sizeof out));
    sinpos_factors_destroy(f);

    const double nan = NAN;
    const sinpos_rows bad = {.struct_size = sizeof bad, .n = 1, .reals = &nan}, none = {.struct_size = sizeof none};
    const sinpos_rows many = {.struct_size = sizeof many, .n = SIZE_MAX / 16};
    assert_int_equal(sinpos_factors_create(NULL, plan, &rows, SINPOS_FORWARD, SINPOS_F16), SINPOS_E_NULL);
    assert_int_equal(sinpos_factors_create(&f, lacking, &rows, SINPOS_FORWARD, SINPOS_F16), SINPOS_E_COLUMNS);
    assert_null(f);
    assert_int_equal(sinpos_factors_create(&f, plan, &bad, SINPOS_FORWARD, SINPOS_F16), SINPOS_E_RANGE);
    assert_int_equal(sinpos_factors_create(&f, plan, &many, SINPOS_FORWARD, SINPOS_F16), SINPOS_E_MEMORY);
    assert_int_equal(sinpos_factors_create(&f, plan, &rows, (sinpos_direction)3, SINPOS_F16), SINPOS_E_VALUE);
    assert_int_equal(sinpos_factors_create(&f, plan, &none, SINPOS_FORWARD, SINPOS_F16), SINPOS_OK);
    assert_int_equal(sinpos_factors_rotate(f, 0, 0, &good), SINPOS_OK);
    sinpos_factors_destroy(f);
    sinpos_factors_destroy(NULL);
    assert_int_equal(sinpos_factors_bytes(NULL), 0);
    sinpos_plan_destroy(plan);
    sinpos_plan_destroy(lacking);
}

/* ------------------------------------------------------------------------------- Operands of all bits, 16-bit types */

enum { ALL = 1 << 16, ALL_COLUMNS = 1024, ALL_ROWS = ALL / ALL_COLUMNS };

static uint16_t all_bits[2][ALL], elements[ALL];

static double number_of(sinpos_type type, unsigned bits)
{
    const int digits = type == SINPOS_F16 ? 10 : 7, top = type == SINPOS_F16 ? 31 : 255;
    const int exponent = (int)(bits >> digits) & top;
    const double fraction = (double)(bits & ((1U << digits) - 1)), one = ldexp(1, digits);
    const double size =
        exponent == top ? (fraction == 0 ? (double)INFINITY : (double)NAN)
                        : ldexp(fraction + (exponent > 0 ? one : 0), (exponent > 0 ? exponent : 1) - top / 2 - digits);
    return bits >> 15 ? -size : size;
}

/* Is it the float16 or bfloat16 nearest to x + e, ties to even, by its halves of the way to both neighbours? NaN: any. */
static bool is_sum(sinpos_type type, unsigned x, unsigned e, unsigned got_bits)
{
    const unsigned infinity = type == SINPOS_F16 ? 0x7c00 : 0x7f80, bits = got_bits & 0x7fff;
    const double sum = number_of(type, x) + number_of(type, e), size = fabs(sum);
    if (isnan(sum))
        return bits > infinity;
    if ((got_bits >> 15 != 0) != (signbit(sum) != 0) || bits > infinity)
        return false;
    const double beyond = type == SINPOS_F16 ? 0x1p16 : 0x1p128, here = fmin(number_of(type, bits), beyond);
    const double below = number_of(type, bits - (bits > 0)), above = fmin(number_of(type, bits + 1), beyond);
    const double low = (below + here) / 2, high = bits == infinity ? (double)INFINITY : (here + above) / 2;
    return bits % 2 == 0 ? size >= low && size <= high : size > low && size < high;
}

/* In place within the kernel, and two sequences through a buffer. */
static void sums_of_all_bits(const sinpos_plan *plan, sinpos_type type, int64_t first)
{
    const sinpos_rows rows = {sizeof rows, ALL_ROWS, NULL, NULL, first};
    for (size_t n_batches = 1; n_batches <= 2; n_batches++) {
        sinpos_arrays a = SINPOS_ARRAYS_INIT;
        for (size_t i = 0; i < ALL; i++)
            all_bits[0][i] = all_bits[1][i] = (uint16_t)(i * 40503U); /* odd: each once, neighbours far apart */
        a.out = all_bits;
        a.n_batches = n_batches;
        a.ld_batch = ALL;
        a.ld_row = ALL_COLUMNS;
        assert_int_equal(sinpos_run_arrays(plan, SINPOS_ADD, &rows, type, &a), SINPOS_OK);
        for (size_t i = 0; i < n_batches * ALL; i++)
            if (!is_sum(type, (uint16_t)(i * 40503U), elements[i % ALL], all_bits[i / ALL][i % ALL]))
                fail_msg("%s, %s: %#x + %#x is not %#x", sinpos_isa(), type_name(type), (unsigned)(i * 40503U & 0xffff),
                         elements[i % ALL], all_bits[i / ALL][i % ALL]);
    }
}

static void added_to_all_bits(void **state)
{
    (void)state;
    for (int kind = 0; kind < 4; kind++) {
        const sinpos_type type = kind % 2 == 0 ? SINPOS_BF16 : SINPOS_F16;
        sinpos_spec s = SINPOS_SPEC_INIT;
        sinpos_plan *plan = NULL;
        s.dim = ALL_COLUMNS;
        s.layout = kind < 2 ? SINPOS_INTERLEAVED : SINPOS_HALVES;
        assert_int_equal(sinpos_plan_create(&plan, &s), SINPOS_OK);
        assert_int_equal(sinpos_fill(plan, 77, ALL_ROWS, type, elements, ALL_COLUMNS), SINPOS_OK);
        for (const char *const *isa = isa_names; *isa != NULL; isa++)
            if (isa_cap(*isa) == SINPOS_OK)
                sums_of_all_bits(plan, type, 77);
        sinpos_plan_destroy(plan);
    }
    assert_int_equal(isa_cap(NULL), SINPOS_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(added),      cmocka_unit_test(rotated), cmocka_unit_test(rotated_by_factors),
        cmocka_unit_test(pools),      cmocka_unit_test(refused), cmocka_unit_test(added_to_all_bits),
        cmocka_unit_test(workspaces),
    };
    return cmocka_run_group_tests_name("arrays", tests, NULL, NULL);
}
