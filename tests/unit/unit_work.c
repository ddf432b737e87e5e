/* What every work function promises about its arguments and about memory: work.c, factors.c, redo.c, shift.c, kernels. */
#define _DEFAULT_SOURCE
#include <fenv.h>
#include <math.h>
#include <pthread.h>

#include "environment.h"
#include "size.h"
#include "unit.h"

#define DIM 10
#define ROWS 7

static int64_t integers[64];
static double reals[64];

static int make_positions(void **state)
{
    (void)state;
    for (int i = 0; i < 64; i++) {
        integers[i] = (int64_t)i * i * 1000003 - 5;
        reals[i] = i * 0.37 - 3;
    }
    return 0;
}

static work_call usual_call(const sinpos_plan *plan, void *out)
{
    return (work_call){.plan = plan,
                       .first = 3,
                       .integers = integers,
                       .reals = reals,
                       .n = ROWS,
                       .type = SINPOS_F32,
                       .out = out,
                       .ld = DIM};
}

/* The call must be refused with this status, and must not have written. */
static void refused(int work, const work_call *c, sinpos_status want)
{
    unsigned char *buffer = c->out;
    if (buffer != NULL)
        set_pattern(buffer, 4096);
    const sinpos_status got = work_do(work, c);
    assert_or_say(got == want, "%s returned \"%s\", want \"%s\"", work_name(work), sinpos_strerror(got),
                  sinpos_strerror(want));
    assert_or_say(buffer == NULL || is_pattern(buffer, 4096), "%s wrote although it refused", work_name(work));
}

static bool is_at(int work)
{
    return work == WORK_FILL_AT || work == WORK_ADD_AT;
}

static bool is_real(int work)
{
    return work == WORK_FILL_REAL || work == WORK_ADD_REAL;
}

static bool is_consecutive(int work)
{
    return !is_at(work) && !is_real(work) && work < WORK_SHIFT;
}

/* [P5] */
static void null_arguments(void **state)
{
    (void)state;
    static unsigned char out[4096];
    sinpos_plan *plan = usual_plan(DIM, 0);
    for (int work = 0; work < N_WORK; work++) {
        work_call c = usual_call(NULL, out);
        refused(work, &c, SINPOS_E_NULL);
        c = usual_call(plan, NULL);
        refused(work, &c, SINPOS_E_NULL);
        c = usual_call(plan, out);
        c.integers = NULL;
        c.reals = NULL;
        if (is_at(work) || is_real(work))
            refused(work, &c, SINPOS_E_NULL);
    }
    const sinpos_rows rows = {sizeof(sinpos_rows), ROWS, NULL, NULL, 0};
    set_pattern(out, sizeof out);
    assert_int_equal(sinpos_run(plan, SINPOS_FILL, NULL, SINPOS_F32, out, DIM, 1), SINPOS_E_NULL);
    assert_int_equal(sinpos_gradient_theta(plan, NULL, SINPOS_F32, out, DIM), SINPOS_E_NULL);
    assert_int_equal(sinpos_gradient_position(plan, NULL, SINPOS_F32, out, DIM), SINPOS_E_NULL);
    assert_int_equal(sinpos_run(NULL, SINPOS_FILL, &rows, SINPOS_F32, out, DIM, 1), SINPOS_E_NULL);
    assert_true(is_pattern(out, sizeof out));
    sinpos_plan_destroy(plan);
}

static void wrong_types(void **state)
{
    (void)state;
    static unsigned char out[4096];
    static const int bad[] = {0, 3, 5, 15, 16, -1};
    sinpos_plan *plan = usual_plan(DIM, 0);
    for (int work = 0; work < N_WORK; work++)
        for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
            work_call c = usual_call(plan, out);
            memcpy(&c.type, &bad[i], sizeof c.type);
            refused(work, &c, SINPOS_E_TYPE);
        }
    sinpos_plan_destroy(plan);
}

/* Every set of types: those in it work and the others are refused. */
static void types_of_the_plan(void **state)
{
    (void)state;
    static unsigned char out[4096];
    for (unsigned set = 1; set < 16; set++) {
        sinpos_plan *plan = usual_plan(DIM, set);
        for (int work = 0; work < N_WORK; work++)
            for (int t = 0; t < N_TYPES; t++) {
                work_call c = usual_call(plan, out);
                c.type = all_types[t];
                if (!(set & all_types[t]))
                    refused(work, &c, SINPOS_E_TYPE);
                else
                    assert_int_equal(work_do(work, &c), SINPOS_OK);
            }
        sinpos_plan_destroy(plan);
    }
}

static void wrong_shapes(void **state)
{
    (void)state;
    static unsigned char out[4096];
    sinpos_plan *plan = usual_plan(DIM, 0);
    for (int work = 0; work < N_WORK; work++) {
        work_call c = usual_call(plan, out);
        c.ld = DIM - 1;
        refused(work, &c, SINPOS_E_SHAPE);
        c.ld = 0;
        refused(work, &c, SINPOS_E_SHAPE);
        c.ld = SIZE_MAX / 2;
        refused(work, &c, SINPOS_E_SHAPE);
        c.ld = DIM;
        c.n = SIZE_MAX / 4;
        if (work != WORK_SHIFT_MATRIX)
            refused(work, &c, SINPOS_E_SHAPE);
    }
    sinpos_plan_destroy(plan);
}

static void wrong_positions(void **state)
{
    (void)state;
    static unsigned char out[4096];
    static const double bad[] = {INFINITY, -INFINITY, NAN, 0x1p63, -0x1p63, 1e300};
    sinpos_plan *plan = usual_plan(DIM, 0);
    for (int work = 0; work < N_WORK; work++) {
        work_call c = usual_call(plan, out);
        int64_t some_integers[ROWS] = {1, 2, 3, 4, 5, 6, INT64_MIN};
        double some_reals[ROWS] = {1, 2, 3, 4, 5, 6, 7};
        c.integers = some_integers;
        c.reals = some_reals;
        if (is_at(work))
            refused(work, &c, SINPOS_E_RANGE);
        for (size_t i = 0; is_real(work) && i < sizeof bad / sizeof *bad; i++) {
            some_reals[i] = bad[i];
            refused(work, &c, SINPOS_E_RANGE);
            some_reals[i] = 0;
        }
        if (!is_at(work) && !is_real(work)) {
            c.first = INT64_MIN;
            refused(work, &c, SINPOS_E_RANGE);
        }
        if (is_consecutive(work)) {
            c.first = INT64_MAX - ROWS + 2;
            refused(work, &c, SINPOS_E_RANGE);
        }
    }
    sinpos_plan_destroy(plan);
}

static void limits_of_positions(void **state)
{
    (void)state;
    static unsigned char out[8192];
    sinpos_plan *plan = usual_plan(DIM, 0);
    for (int work = 0; work < N_WORK; work++) {
        int64_t some_integers[ROWS] = {INT64_MAX, -INT64_MAX, 0, 1, -1, INT64_MAX - 1, 5};
        double some_reals[ROWS] = {0x1.fffffffffffffp62, -0x1.fffffffffffffp62, 0x1p-1074, -0.0, 0, 1, -1};
        work_call c = usual_call(plan, out);
        c.integers = some_integers;
        c.reals = some_reals;
        c.first = is_consecutive(work) ? INT64_MAX - ROWS + 1 : INT64_MAX;
        assert_int_equal(work_do(work, &c), SINPOS_OK);
        c.first = -INT64_MAX;
        assert_int_equal(work_do(work, &c), SINPOS_OK);
    }
    sinpos_plan_destroy(plan);
}

static void no_rows(void **state)
{
    (void)state;
    static unsigned char out[4096];
    sinpos_plan *plan = usual_plan(DIM, 0);
    for (int work = 0; work < WORK_SHIFT_MATRIX; work++) {
        work_call c = usual_call(plan, out);
        c.n = 0;
        refused(work, &c, SINPOS_OK); /* done, and nothing written */
        c.out = NULL;
        c.integers = NULL;
        c.reals = NULL;
        assert_int_equal(work_do(work, &c), SINPOS_OK);
        c.first = INT64_MAX;
        assert_int_equal(work_do(work, &c), SINPOS_OK);
    }
    sinpos_plan_destroy(plan);
}

/* An amplitude that a type cannot hold: refused for that type only. */
static void amplitude_beyond_a_type(void **state)
{
    (void)state;
    static unsigned char out[8192];
    sinpos_spec s = SINPOS_SPEC_INIT;
    sinpos_plan *plan = NULL;
    s.dim = DIM;
    s.amplitude = 1e6;
    assert_int_equal(sinpos_plan_create(&plan, &s), SINPOS_OK);
    for (int work = 0; work < WORK_SHIFT; work++)
        for (int t = 0; t < N_TYPES; t++) {
            work_call c = usual_call(plan, out);
            c.type = all_types[t];
            if (c.type == SINPOS_F16)
                refused(work, &c, SINPOS_E_OVERFLOW);
            else
                assert_int_equal(work_do(work, &c), SINPOS_OK);
        }
    sinpos_plan_destroy(plan);
}

static void several_coordinates(void **state)
{
    (void)state;
    static unsigned char out[4096];
    sinpos_tone tones[2];
    memset(tones, 0, sizeof tones);
    for (size_t i = 0; i < 2; i++) {
        tones[i] = (sinpos_tone){.schedule = SINPOS_EXPLICIT,
                                 .value = 0.5,
                                 .scale = 1,
                                 .factor = 1,
                                 .amplitude = 1,
                                 .axis = i,
                                 .sin_column = (ptrdiff_t)(2 * i),
                                 .cos_column = (ptrdiff_t)(2 * i + 1)};
    }
    sinpos_plan *plan = NULL;
    assert_int_equal(sinpos_plan_create_tones(&plan, DIM, 2, tones, 2, 0, NULL), SINPOS_OK);
    assert_int_equal(sinpos_plan_axes(plan), 2);
    for (int work = 0; work < N_WORK; work++) {
        const work_call c = usual_call(plan, out);
        if (is_at(work) || is_real(work))
            assert_int_equal(work_do(work, &c), SINPOS_OK);
        else
            refused(work, &c, SINPOS_E_AXES);
    }
    sinpos_plan_destroy(plan);
}

/* Walls on both sides of the output, for every function, type and odd size: nothing outside is read or written. */
static void guard_pages(void **state)
{
    (void)state;
    static const size_t dims[] = {1, 2, 3, 7, 8, 9, 15, 16, 17, 31, 33, 64, 65, 129, 257, 513, 1025};
    for (size_t d = 0; d < sizeof dims / sizeof *dims; d++) {
        sinpos_plan *plan = usual_plan(dims[d], 0);
        for (int work = 0; work < N_WORK; work++)
            for (int t = 0; t < N_TYPES; t++) {
                if (work >= WORK_SHIFT && (dims[d] % 2 || dims[d] > 300))
                    continue;
                work_call c = {.plan = plan,
                               .first = -3,
                               .integers = integers,
                               .reals = reals,
                               .n = 1 + (d + (size_t)work) % 9,
                               .type = all_types[t],
                               .ld = dims[d]};
                const size_t bytes = work_rows(work, &c) * dims[d] * type_size(c.type);
                guarded g;
                assert_true(guarded_create(&g, bytes));
                for (int end = 0; end < 2; end++) {
                    c.out = end ? g.at_end : g.at_start;
                    set_pattern(c.out, bytes);
                    assert_int_equal(work_do(work, &c), SINPOS_OK);
                }
                guarded_destroy(&g);
            }
        sinpos_plan_destroy(plan);
    }
}

/* Positions that end at a wall. */
static void guarded_positions(void **state)
{
    (void)state;
    static unsigned char out[65536];
    sinpos_plan *plan = usual_plan(DIM, 0);
    for (size_t n = 1; n < 60; n++) {
        guarded g;
        assert_true(guarded_create(&g, n * 8));
        memcpy(g.at_end, integers, n * 8);
        work_call c = {.plan = plan,
                       .integers = (const int64_t *)(const void *)g.at_end,
                       .n = n,
                       .type = SINPOS_F32,
                       .out = out,
                       .ld = DIM};
        assert_int_equal(work_do(WORK_FILL_AT, &c), SINPOS_OK);
        memcpy(g.at_end, reals, n * 8);
        c.reals = (const double *)(const void *)g.at_end;
        assert_int_equal(work_do(WORK_FILL_REAL, &c), SINPOS_OK);
        guarded_destroy(&g);
    }
    sinpos_plan_destroy(plan);
}

/* [P5] columns dim .. ld-1 */
static void padding_columns(void **state)
{
    (void)state;
    static unsigned char out[200 * 200 * 8];
    static const size_t dims[] = {2, 8, 18, 64, 130};
    for (size_t d = 0; d < 5; d++) {
        sinpos_plan *plan = usual_plan(dims[d], 0);
        for (int work = 0; work < N_WORK; work++)
            for (int t = 0; t < N_TYPES; t++)
                for (size_t more = 1; more < 20; more += 6) {
                    const size_t size = type_size(all_types[t]);
                    work_call c = {.plan = plan,
                                   .first = 3,
                                   .integers = integers,
                                   .reals = reals,
                                   .n = ROWS,
                                   .type = all_types[t],
                                   .out = out,
                                   .ld = dims[d] + more};
                    set_pattern(out, sizeof out);
                    assert_int_equal(work_do(work, &c), SINPOS_OK);
                    for (size_t i = 0; i < work_rows(work, &c); i++)
                        assert_true(is_pattern(out + (i * c.ld + dims[d]) * size, more * size));
                }
        sinpos_plan_destroy(plan);
    }
}

/* --------------------------------------------------------------------------------------------- Environment */

/* Small amplitudes, so that subnormal numbers occur in every type. */
static sinpos_plan *subnormal_plan(int work, sinpos_type type)
{
    sinpos_spec s = SINPOS_SPEC_INIT;
    sinpos_plan *plan = NULL;
    s.dim = 66;
    s.base = 1e6;
    s.amplitude = work >= WORK_SHIFT ? 1 : type == SINPOS_F64 ? 0x1p-1030 : type == SINPOS_F16 ? 0x1p-16 : 0x1p-127;
    assert_int_equal(sinpos_plan_create(&plan, &s), SINPOS_OK);
    return plan;
}

/* [P6]: a copy of the output in each of the caller's modes. */
static void rounding_modes(void **state)
{
    (void)state;
    static const int modes[] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
    static unsigned char out[66 * 66 * 8], reference[66 * 66 * 8];
    for (int work = 0; work < N_WORK; work++)
        for (int t = 0; t < N_TYPES; t++) {
            sinpos_plan *plan = subnormal_plan(work, all_types[t]);
            work_call c = {.plan = plan,
                           .first = 5,
                           .integers = integers,
                           .reals = reals,
                           .n = 20,
                           .type = all_types[t],
                           .ld = 66};
            for (int m = 0; m < 8; m += small_size() && m > 0 ? 4 : 1) {
                fenv_t kept;
                assert_int_equal(fegetenv(&kept), 0);
                c.out = m == 0 ? reference : out;
                set_pattern(c.out, sizeof out);
                if (m >= 4)
                    set_flush_to_zero();
                (void)fesetround(modes[m % 4]);
                const unsigned long before = get_control();
                const sinpos_status status = work_do(work, &c);
                const unsigned long after = get_control();
                const int mode = fegetround();
                (void)fesetenv(&kept);
                assert_int_equal(status, SINPOS_OK);
                assert_int_equal(mode, modes[m % 4]);
                assert_int_equal(control_only(before), control_only(after));
                assert_or_say(m == 0 || memcmp(out, reference, sizeof out) == 0,
                              "%s %s: other bytes in rounding mode %d%s, isa %s", work_name(work),
                              type_name(all_types[t]), m % 4, m >= 4 ? " with flush to zero" : "", sinpos_isa());
            }
            sinpos_plan_destroy(plan);
        }
}

/* A plan made in another mode is the same plan. */
static void rounding_modes_of_plans(void **state)
{
    (void)state;
    static const int modes[] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
    static double out[5 * 96], reference[5 * 96];
    for (int m = 0; m < 8; m++) {
        fenv_t kept;
        (void)fegetenv(&kept);
        sinpos_spec s = SINPOS_SPEC_INIT;
        sinpos_plan *plan = NULL;
        s.dim = 96;
        s.amplitude = 0x1p-1030;
        s.phase = 0.3;
        if (m >= 4)
            set_flush_to_zero();
        (void)fesetround(modes[m % 4]);
        const unsigned long before = get_control();
        const sinpos_status status = sinpos_plan_create(&plan, &s);
        const unsigned long after = get_control();
        (void)fesetenv(&kept);
        assert_int_equal(status, SINPOS_OK);
        assert_int_equal(control_only(before), control_only(after));
        assert_int_equal(sinpos_fill(plan, 1000003, 5, SINPOS_F64, m == 0 ? reference : out, 96), SINPOS_OK);
        if (m > 0)
            assert_memory_equal(out, reference, sizeof out);
        sinpos_plan_destroy(plan);
    }
}

/* [P7] */
static void zeros(void **state)
{
    (void)state;
    sinpos_spec s = SINPOS_SPEC_INIT;
    sinpos_plan *plan = NULL;
    s.dim = 4;
    s.amplitude = -1;
    assert_int_equal(sinpos_plan_create(&plan, &s), SINPOS_OK);
    float out[8];
    assert_int_equal(sinpos_fill(plan, 0, 1, SINPOS_F32, out, 4), SINPOS_OK);
    assert_true(out[0] == 0 && !signbit(out[0])); /* -1 * sin 0 is +0 */
    assert_true(out[1] == -1);
    const double tiny[2] = {1e-300, -1e-300};
    assert_int_equal(sinpos_fill_real(plan, tiny, 2, SINPOS_F32, out, 4), SINPOS_OK);
    assert_true(out[0] == 0 && signbit(out[0])); /* underflow keeps its sign */
    assert_true(out[4] == 0 && !signbit(out[4]));
    sinpos_plan_destroy(plan);
    s.amplitude = -0.0;
    assert_int_equal(sinpos_plan_create(&plan, &s), SINPOS_OK);
    assert_int_equal(sinpos_fill(plan, 1, 2, SINPOS_F32, out, 4), SINPOS_OK);
    for (int i = 0; i < 8; i++)
        assert_true(out[i] == 0 && !signbit(out[i]));
    sinpos_plan_destroy(plan);
}

/* The bytes of a plan are never written: it may lie in memory that cannot be. [P3] */
typedef struct shared_work {
    const sinpos_plan *plan;
    size_t index;
    float out[64 * 130];
} shared_work;

static void *fill_shared(void *argument)
{
    shared_work *w = argument;
    for (int round = 0; round < 20; round++)
        if (sinpos_fill(w->plan, 1000 * (int64_t)(w->index % 2), 64, SINPOS_F32, w->out, 130) != SINPOS_OK)
            return w;
    return NULL;
}

static void shared_by_threads(void **state)
{
    (void)state;
    static shared_work work[8];
    pthread_t threads[8];
    sinpos_plan *plan = usual_plan(130, 0);
    for (size_t i = 0; i < 8; i++) {
        work[i].plan = plan;
        work[i].index = i;
        assert_int_equal(pthread_create(&threads[i], NULL, fill_shared, &work[i]), 0);
    }
    for (size_t i = 0; i < 8; i++) {
        void *bad;
        assert_int_equal(pthread_join(threads[i], &bad), 0);
        assert_null(bad);
        assert_memory_equal(work[i].out, work[i % 2].out, sizeof work[i].out);
    }
    sinpos_plan_destroy(plan);
}

static sinpos_tone third_tone(const sinpos_tone_more *more)
{
    return (sinpos_tone){.schedule = SINPOS_EXPLICIT,
                         .in_turns = 1,
                         .scale = 1,
                         .factor = 3,
                         .amplitude = 1,
                         .sin_column = 0,
                         .cos_column = 1,
                         .more = more};
}

/* Thirds of a turn: 0, 1/2 and 1 are met exactly. [P7] */
static void thirds_of_a_turn(void **state)
{
    (void)state;
    const sinpos_listen listen = {.axis = 1, .coefficient = {1}, .divisor = 12};
    const sinpos_tone_more more = {.struct_size = sizeof more, .phase_divisor = 3, .listens = &listen, .n_listens = 1};
    sinpos_tone t = third_tone(&more);
    t.value = 2;
    t.phase_turns = -1;
    sinpos_plan *plan = NULL;
    static const int64_t whole[][2] = {{2, 0}, {2, 1}, {2, 3}, {0, 4}, {5, 6}, {-1, 12}};
    static const double want[][2] = {{0, 1}, {0.5, 9}, {1, 0}, {0, 1}, {0, -1}, {0, 1}};
    double same[6][2], out[2][6][2];
    for (int i = 0; i < 6; i++)
        for (int k = 0; k < 2; k++)
            same[i][k] = (double)whole[i][k];
    assert_int_equal(sinpos_plan_create_tones(&plan, 2, 2, &t, 1, 0, NULL), SINPOS_OK);
    assert_int_equal(sinpos_fill_at(plan, &whole[0][0], 6, SINPOS_F64, out[0], 2), SINPOS_OK);
    assert_int_equal(sinpos_fill_real(plan, &same[0][0], 6, SINPOS_F64, out[1], 2), SINPOS_OK);
    for (int i = 0; i < 6; i++)
        for (int k = 0; k < 2; k++) {
            const double a = out[0][i][k];
            assert_true(a == out[1][i][k]);
            assert_true(want[i][k] == 9 || (a == want[i][k] && !(a == 0 && signbit(a))));
        }
    sinpos_plan_destroy(plan);
}

/* A frequency and an amplitude of more bits than a double has, against the same number in fewer parts. */
static void sums_are_exact(void **state)
{
    (void)state;
    sinpos_tone_more more = {.struct_size = sizeof more,
                             .phase_divisor = 1,
                             .value = {1, 0x1p-60, -1, 0x1p-120, -0x1p-60, -0x1p-120},
                             .amplitude = {0x1p70, 0.5, -0x1p70}};
    sinpos_tone t[2] = {third_tone(&more), third_tone(NULL)};
    static double out[64][4];
    sinpos_plan *plan = NULL;
    for (int i = 0; i < 2; i++) {
        t[i].in_turns = 0;
        t[i].value = 0.7;
        t[i].sin_column = 2 * i;
        t[i].cos_column = 2 * i + 1;
    }
    t[1].amplitude = 1.5;
    assert_int_equal(sinpos_plan_create_tones(&plan, 4, 1, t, 2, 0, NULL), SINPOS_OK);
    assert_int_equal(sinpos_fill(plan, -20, 64, SINPOS_F64, out, 4), SINPOS_OK);
    for (int i = 0; i < 64; i++)
        assert_memory_equal(out[i], out[i] + 2, 2 * sizeof(double));
    double theta[2];
    size_t n;
    assert_int_equal(sinpos_plan_theta(plan, theta, 2, &n), SINPOS_OK);
    assert_true(theta[0] == theta[1]);
    sinpos_plan_destroy(plan);
}

/* Bits of 2^exponent in a type, exponent 0 or less. */
static uint64_t power_bits(sinpos_type type, int exponent)
{
    const int fraction = type == SINPOS_F64 ? 52 : type == SINPOS_F32 ? 23 : type == SINPOS_F16 ? 10 : 7;
    const int bias = type == SINPOS_F64 ? 1023 : type == SINPOS_F16 ? 15 : 127;
    return (uint64_t)(bias + exponent) << fraction;
}

/*
 * An amplitude that is a tie of the type, and what lies far behind it, at angles whose sine is 1, 1/2 or minus that: the
 * element is the amplitude, or half of it, rounded once.
 */
static void ties_of_sums(void **state)
{
    (void)state;
    static const int precision[N_TYPES] = {53, 24, 11, 8};
    static const struct {
        double value, factor;
        int64_t position;
        int twice_sine;
    } angles[] = {
        {1, 4, 1, 2},   {1, -4, 1, -2},  {1, 12, 1, 1},   {1, -12, 1, -1},
        {1, 24, 2, 1},  {1, -24, -2, 1}, {1, 48, 4, 1},   {0.25, 1, 3, -2},
        {0.5, 1, 1, 0}, {1, 4, -4, 0},   {1, -12, -5, 1}, {0x1.fffffffffffffp52, 12, INT64_MAX, 1}, /* 7 * 7 = 1 */
    };
    for (size_t k = 0; k < sizeof angles / sizeof *angles; k++)
        for (int t = 0; t < N_TYPES; t++)
            for (int side = -1; side <= 1; side++)
                for (int far = 70; far <= 500; far += 86) { /* in several limbs of the sum */
                    const double unit = ldexp(1, -precision[t]);
                    const sinpos_tone_more more = {
                        .struct_size = sizeof more, .phase_divisor = 1, .amplitude = {unit, side * ldexp(1, -far)}};
                    sinpos_tone tone = third_tone(&more);
                    sinpos_plan *plan = NULL;
                    unsigned char out[16];
                    tone.factor = angles[k].factor;
                    tone.value = angles[k].value;
                    assert_int_equal(sinpos_plan_create_tones(&plan, 2, 1, &tone, 1, 0, NULL), SINPOS_OK);
                    assert_int_equal(sinpos_fill(plan, angles[k].position, 1, all_types[t], out, 2), SINPOS_OK);
                    const uint64_t sign = UINT64_C(1) << (8 * type_size(all_types[t]) - 1);
                    const uint64_t size = power_bits(all_types[t], abs(angles[k].twice_sine) - 2) + (side > 0);
                    const uint64_t want = angles[k].twice_sine == 0 ? 0 : angles[k].twice_sine < 0 ? size | sign : size;
                    assert_or_say(load_bits(out, all_types[t], 0) == want, "%s: 1/%g turn of %lld, 1 + 2^-%d %+d 2^-%d",
                                  type_name(all_types[t]), angles[k].factor, (long long)angles[k].position,
                                  precision[t], side, far);
                    sinpos_plan_destroy(plan);
                }
}

/* Half a turn and 2^-900 of one, in one angle: the sine is minus 2 pi 2^-900. */
static void far_apart_terms(void **state)
{
    (void)state;
    sinpos_tone tone = third_tone(NULL);
    sinpos_plan *plan = NULL;
    double out[2];
    float small[2];
    tone.factor = 1;
    tone.value = 0x1p-900;
    tone.phase_turns = 0.5;
    assert_int_equal(sinpos_plan_create_tones(&plan, 2, 1, &tone, 1, 0, NULL), SINPOS_OK);
    assert_int_equal(sinpos_fill(plan, 1, 1, SINPOS_F64, out, 2), SINPOS_OK);
    assert_true(out[0] == -0x1.921fb54442d18p-898 && out[1] == -1);
    assert_int_equal(sinpos_fill(plan, 1, 1, SINPOS_F32, small, 2), SINPOS_OK);
    assert_true(small[0] == 0 && signbit(small[0]) && small[1] == -1);
    sinpos_plan_destroy(plan);
    tone.phase_turns = 0x1p1000 + 0x1p950; /* whole turns */
    tone.value = 0x1p-1074;
    assert_int_equal(sinpos_plan_create_tones(&plan, 2, 1, &tone, 1, 0, NULL), SINPOS_OK);
    static const double least[1] = {-0x1p-1074};
    assert_int_equal(sinpos_fill_real(plan, least, 1, SINPOS_F64, out, 2), SINPOS_OK);
    assert_true(out[0] == 0 && signbit(out[0]) && out[1] == 1);
    sinpos_plan_destroy(plan);
}

/*
 * Thirds of a turn times 3 m, and twelfths of odd numbers of turns times 3 m, m odd: the derivative of the cosine is zero, and that
 * of the sine, whatever frequency and amplitude they are times.
 */
static void gradients_that_vanish(void **state)
{
    (void)state;
    enum { TONES = 90, N = 12 };
    const sinpos_tone_more odd = {.struct_size = sizeof odd, .value = {1}, .phase_divisor = 1};
    for (unsigned k = 0; k < 2 * N_TYPES; k++) {
        static sinpos_tone tones[TONES];
        static int64_t at[N];
        static double rows[N * 2 * TONES];
        const bool of_sines = k % 2 == 1;
        const sinpos_type type = all_types[k / 2];
        sinpos_plan *plan;
        for (size_t i = 0; i < TONES; i++)
            tones[i] = (sinpos_tone){.schedule = SINPOS_EXPLICIT,
                                     .in_turns = 1,
                                     .value = ldexp(1, (int)i + 9),
                                     .scale = 1,
                                     .factor = of_sines ? 12 : 3,
                                     .amplitude = type == SINPOS_F16 ? 60000 : 0x1.5p127,
                                     .sin_column = (ptrdiff_t)(2 * i),
                                     .cos_column = (ptrdiff_t)(2 * i + 1),
                                     .more = of_sines ? &odd : NULL};
        for (int i = 0; i < N; i++)
            at[i] = (i % 2 ? -3 : 3) * ((INT64_C(2) << (3 * i)) + 1);
        assert_int_equal(sinpos_plan_create_tones(&plan, 2 * TONES, 1, tones, TONES, type, NULL), SINPOS_OK);
        const sinpos_rows listed = {.struct_size = sizeof listed, .n = N, .integers = at};
        for (const char *const *isa = isa_names; *isa != NULL; isa++) {
            if (sinpos_isa_cap(*isa) != SINPOS_OK)
                continue;
            assert_int_equal(sinpos_gradient_position(plan, &listed, type, rows, 2 * TONES), SINPOS_OK);
            for (size_t i = 0; i < (size_t)N * TONES; i++)
                assert_int_equal(load_bits(rows, type, 2 * i + !of_sines), 0);
        }
        assert_int_equal(sinpos_isa_cap(NULL), SINPOS_OK);
        sinpos_plan_destroy(plan);
    }
}

/* Rows of which the elements can be counted, and the coordinates cannot. */
static void coordinates_beyond_size_t(void **state)
{
    (void)state;
    enum { AXES = 1000 };
    const sinpos_tone tone = {.schedule = SINPOS_EXPLICIT,
                              .value = 1,
                              .scale = 1,
                              .factor = 1,
                              .amplitude = 1,
                              .axis = AXES - 1,
                              .cos_column = SINPOS_NO_COLUMN};
    static const int64_t wholes[AXES];
    static const double parts[AXES];
    uint16_t out = 7;
    sinpos_plan *plan;
    assert_int_equal(sinpos_plan_create_tones(&plan, 1, AXES, &tone, 1, 0, NULL), SINPOS_OK);
    for (size_t k = 1; k < 200; k += 13) {
        const size_t n = SIZE_MAX / AXES / 8 * k + 8;
        assert_int_equal(sinpos_fill_at(plan, wholes, n, SINPOS_BF16, &out, 1), SINPOS_E_SHAPE);
        assert_int_equal(sinpos_fill_real(plan, parts, n, SINPOS_BF16, &out, 1), SINPOS_E_SHAPE);
        assert_int_equal(sinpos_add_at(plan, wholes, n, SINPOS_BF16, &out, 1), SINPOS_E_SHAPE);
    }
    assert_int_equal(out, 7);
    sinpos_plan_destroy(plan);
}

/* p theta less next to nothing, rounded once: a tie goes down. */
static double sine_of_tiny(int64_t p, double theta)
{
    const double x = (double)p * theta, rest = fma((double)p, theta, -x), below = nextafter(x, 0);
    return rest < 0 && -2 * rest == x - below ? below : x;
}

/* Of a tiny angle the sine is the angle. Blocks of rows, and rows by themselves. */
static void tiny_frequencies(void **state)
{
    (void)state;
    enum { N = 70, POWERS = 160 }; /* down to 2^-577 */
    static double rows[N * 2 * POWERS], row[2 * POWERS], theta[POWERS];
    sinpos_spec s = SINPOS_SPEC_INIT;
    sinpos_plan *plan;
    random_state r = random_seed(7, 7);
    s.dim = 2 * POWERS;
    s.schedule = SINPOS_EXPLICIT;
    s.theta = theta;
    s.n_theta = POWERS;
    for (int i = 0; i < POWERS; i++)
        theta[i] = ldexp(1 + random_unit(&r), -100 - 3 * i);
    assert_int_equal(sinpos_plan_create(&plan, &s), SINPOS_OK);
    for (int64_t first = 1; first < 1000000000; first *= 999) {
        assert_int_equal(sinpos_fill(plan, first, N, SINPOS_F64, rows, 2 * POWERS), SINPOS_OK);
        for (int i = 0; i < N; i++) {
            assert_int_equal(sinpos_fill(plan, first + i, 1, SINPOS_F64, row, 2 * POWERS), SINPOS_OK);
            assert_memory_equal(row, rows + i * 2 * POWERS, sizeof row);
            for (int k = 0; k < POWERS; k++)
                assert_true(row[2 * k] == sine_of_tiny(first + i, theta[k]) && row[2 * k + 1] == 1);
        }
    }
    sinpos_plan_destroy(plan);
}

/* 2^40 and its neighbours, each alone in a call: the first integers whose angles are made of two parts. */
static void around_two_parts(void **state)
{
    (void)state;
    enum { WIDTH = 34 };
    sinpos_spec s = SINPOS_SPEC_INIT;
    sinpos_plan *plan;
    s.dim = WIDTH;
    assert_int_equal(sinpos_plan_create(&plan, &s), SINPOS_OK);
    for (int64_t off = -2; off <= 2; off++)
        for (int sign = -1; sign <= 1; sign += 2)
            for (unsigned t = 0; t < N_TYPES; t++) {
                const int64_t p = sign * ((INT64_C(1) << 40) + off), both[2] = {sign * 7, p};
                const double real = (double)p;
                double alone[WIDTH], at[WIDTH], from_real[WIDTH], pair[2 * WIDTH], block[40 * WIDTH];
                const size_t bytes = WIDTH * type_size(all_types[t]);
                assert_int_equal(sinpos_fill(plan, p, 1, all_types[t], alone, WIDTH), SINPOS_OK);
                assert_int_equal(sinpos_fill_at(plan, &p, 1, all_types[t], at, WIDTH), SINPOS_OK);
                assert_int_equal(sinpos_fill_real(plan, &real, 1, all_types[t], from_real, WIDTH), SINPOS_OK);
                assert_int_equal(sinpos_fill_at(plan, both, 2, all_types[t], pair, WIDTH), SINPOS_OK);
                assert_int_equal(sinpos_fill(plan, p - 20, 40, all_types[t], block, WIDTH), SINPOS_OK);
                assert_memory_equal(alone, at, bytes);
                assert_memory_equal(alone, from_real, bytes);
                assert_memory_equal(alone, (char *)pair + bytes, bytes);
                assert_memory_equal(alone, (char *)block + 20 * bytes, bytes);
                memset(at, 0, sizeof at);
                assert_int_equal(sinpos_add_at(plan, &p, 1, all_types[t], at, WIDTH), SINPOS_OK);
                assert_memory_equal(alone, at, bytes);
            }
    sinpos_plan_destroy(plan);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(around_two_parts),
        cmocka_unit_test(tiny_frequencies),
        cmocka_unit_test(gradients_that_vanish),
        cmocka_unit_test(coordinates_beyond_size_t),
        cmocka_unit_test(far_apart_terms),
        cmocka_unit_test(thirds_of_a_turn),
        cmocka_unit_test(ties_of_sums),
        cmocka_unit_test(sums_are_exact),
        cmocka_unit_test(null_arguments),
        cmocka_unit_test(wrong_types),
        cmocka_unit_test(types_of_the_plan),
        cmocka_unit_test(wrong_shapes),
        cmocka_unit_test(wrong_positions),
        cmocka_unit_test(limits_of_positions),
        cmocka_unit_test(no_rows),
        cmocka_unit_test(amplitude_beyond_a_type),
        cmocka_unit_test(several_coordinates),
        cmocka_unit_test(guard_pages),
        cmocka_unit_test(guarded_positions),
        cmocka_unit_test(padding_columns),
        cmocka_unit_test(rounding_modes),
        cmocka_unit_test(rounding_modes_of_plans),
        cmocka_unit_test(zeros),
        cmocka_unit_test(shared_by_threads),
    };
    return cmocka_run_group_tests_name("work", tests, make_positions, NULL);
}
