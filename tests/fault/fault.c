/*
 * Memory and threads that fail, and memory that work functions must not ask for.  [P4] [P5]
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cases.h"

#include "internal.h"
#include "sinpos_conventions.h"
#include "size.h"
#include "support.h"
#include "wrapped.h"

/* -------------------------------------------------------------------------------------------------- Memory */

static const double list[40] = {1, 0.5, 0.25, 0, 3, 1e-9};

static sinpos_spec spec_of(unsigned k)
{
    sinpos_spec s = SINPOS_SPEC_INIT;
    s.schedule = (sinpos_schedule)(k % 5);
    s.dim = k < 5 ? 80 : 1024;
    s.layout = (sinpos_layout)(k & 1);
    s.odd = (sinpos_odd)(k >> 1 & 1);
    if (s.schedule >= SINPOS_TURNS) {
        s.dim = 80;
        s.theta = list;
        s.n_theta = 40;
    }
    return s;
}

static sinpos_status make(unsigned k, sinpos_plan **plan)
{
    const sinpos_spec s = spec_of(k);
    if (k < 10)
        return sinpos_plan_create(plan, &s);
    static sinpos_tone tones[40];
    for (size_t i = 0; i < 40; i++)
        tones[i] = (sinpos_tone){.schedule = SINPOS_EXPLICIT,
                                 .value = 0.01 * (double)(i + 1),
                                 .scale = 1,
                                 .factor = 1,
                                 .amplitude = 1,
                                 .axis = i % 3,
                                 .sin_column = (ptrdiff_t)(i * 37 % 80),
                                 .cos_column = i % 5 ? (ptrdiff_t)((i + 40) * 37 % 80) : SINPOS_NO_COLUMN};
    return sinpos_plan_create_tones(plan, 80, 3, tones, 40, 0, NULL);
}

static void every_allocation_fails(void **state)
{
    (void)state;
    for (unsigned k = 0; k < 11; k++) {
        sinpos_plan *plan = NULL;
        long n = 0;
        for (sinpos_status status = SINPOS_E_MEMORY; status != SINPOS_OK;) {
            plan = (sinpos_plan *)(uintptr_t)0x10;
            reset();
            failing_allocation = ++n;
            const long before = live;
            status = make(k, &plan);
            if (status == SINPOS_OK)
                break;
            assert_int_equal(status, SINPOS_E_MEMORY);
            assert_null(plan);
            assert_int_equal(live, before); /* nothing leaked */
            assert_true(n < 1000);
        }
        assert_true(n > 1); /* at least one allocation was made to fail */
        const long with_plan = live;
        sinpos_plan_destroy(plan);
        assert_true(live < with_plan);
        reset();
    }
}

/* Of several kinds: rows that follow each other, in a grid, listed, of zeros; coordinates as columns; as published. */
static sinpos_status name_parameters(unsigned k, sinpos_parameters **p)
{
    static const double points[6] = {0, 0.5, 1, 2, 3, 5};
    static const size_t shape[2] = {2, 3};
    sinpos_status status = sinpos_parameters_create(p);
    if (status == SINPOS_OK && k == 1)
        status = sinpos_parameters_set_list(*p, "x", points, 2, shape);
    if (status == SINPOS_OK && (k == 0 || k == 5))
        status = sinpos_parameters_set_number(*p, "length", 5);
    if (status == SINPOS_OK && (k == 0 || k == 5))
        status = sinpos_parameters_set_number(*p, "channels", 8);
    if (status == SINPOS_OK && k >= 4)
        status = sinpos_parameters_set_text(*p, "arithmetic", "published");
    return status;
}

static const char *const named[] = {"whisper_sinusoids",   "nerf_tf",          "detr_sine", "llama_reference_cis",
                                    "diffusers_sincos_2d", "whisper_sinusoids"};
enum { N_NAMED = sizeof named / sizeof *named };

static sinpos_status make_named(unsigned k, sinpos_encoding **e)
{
    sinpos_error error = SINPOS_ERROR_INIT;
    sinpos_parameters *p = NULL;
    *e = NULL;
    sinpos_status status = name_parameters(k, &p);
    if (status == SINPOS_OK)
        status = sinpos_encoding_create(e, named[k], p, 0, &error);
    sinpos_parameters_destroy(p);
    return status;
}

static void every_allocation_of_encodings_fails(void **state)
{
    (void)state;
    for (unsigned k = 0; k < N_NAMED; k++) {
        sinpos_encoding *e = NULL;
        long n = 0;
        for (;;) {
            reset();
            failing_allocation = ++n;
            const long before = live;
            const sinpos_status status = make_named(k, &e);
            if (status == SINPOS_OK && allocations < n)
                break;
            assert_or_say(status == SINPOS_E_MEMORY && e == NULL && live == before,
                          "%s: allocation %ld fails: %s, %ld blocks are left", named[k], n, sinpos_strerror(status),
                          live - before);
            if (n >= (small_size() ? 10 : 100))
                n += n / (small_size() ? 5 : 20); /* formulas allocate for every call: some of the many are enough */
        }
        assert_true(n > 4);
        const long with_encoding = live;
        sinpos_encoding_destroy(e);
        assert_true(live < with_encoding);
        reset();
    }
}

/* What works with memory of its own takes it before it writes [P5]. */
enum { OWN_MEMORY_BYTES = 1 << 17 };

typedef struct own_memory {
    const char *name, *output, *arithmetic;
    double zero_row; /* token_ids of which this is the padding */
} own_memory;

static sinpos_status make_own(const own_memory *c, sinpos_encoding **e)
{
    static const double tokens[40] = {5, 1, 7, 9, 1, 3};
    static const size_t shape[2] = {1, 40};
    sinpos_parameters *p = NULL;
    sinpos_status status = sinpos_parameters_create(&p);
    if (status == SINPOS_OK && c->output != NULL)
        status = sinpos_parameters_set_text(p, "output", c->output);
    if (status == SINPOS_OK && c->output != NULL && c->zero_row == 0)
        status = sinpos_parameters_set_number(p, "length", 40);
    if (status == SINPOS_OK && c->arithmetic != NULL)
        status = sinpos_parameters_set_text(p, "arithmetic", c->arithmetic);
    if (status == SINPOS_OK && c->zero_row != 0)
        status = sinpos_parameters_set_list(p, "tokens", tokens, 2, shape);
    if (status == SINPOS_OK && c->zero_row != 0)
        status = sinpos_parameters_set_number(p, "padding_idx", c->zero_row);
    status = status == SINPOS_OK ? sinpos_encoding_create(e, c->name, p, 0, NULL) : status;
    sinpos_parameters_destroy(p);
    return status;
}

typedef sinpos_status own_work(const sinpos_encoding *e, sinpos_type type, void *out, size_t n_threads);

static sinpos_status own_fill(const sinpos_encoding *e, sinpos_type type, void *out, size_t n_threads)
{
    const sinpos_encoding_info *info = sinpos_encoding_info_get(e);
    const size_t n = info->n_rows < 50 ? info->n_rows : 50;
    return sinpos_encoding_fill(e, 0, n, type, out, info->n_columns, n_threads);
}

static sinpos_status own_add(const sinpos_encoding *e, sinpos_type type, void *out, size_t n_threads)
{
    const sinpos_encoding_info *info = sinpos_encoding_info_get(e);
    const size_t n = info->n_rows < 50 ? info->n_rows : 50;
    return sinpos_encoding_add(e, 0, n, type, out, info->n_columns, n_threads);
}

static sinpos_status own_rotate(const sinpos_encoding *e, sinpos_type type, void *out, size_t n_threads)
{
    const size_t width = sinpos_encoding_info_get(e)->head_width;
    return sinpos_encoding_rotate(e, 0, 40, SINPOS_FORWARD, 1, type, out, width, width, n_threads);
}

static sinpos_replay *own_replay;

static sinpos_status own_replay_run(const sinpos_encoding *e, sinpos_type type, void *out, size_t n_threads)
{
    const sinpos_rows rows = {.struct_size = sizeof rows, .n = 50, .first = 7};
    (void)e;
    return sinpos_replay_run(own_replay, SINPOS_FILL, &rows, type, out, 80, n_threads);
}

static sinpos_status own_replay_rotate(const sinpos_encoding *e, sinpos_type type, void *out, size_t n_threads)
{
    const sinpos_rows rows = {.struct_size = sizeof rows, .n = 50, .first = 7};
    (void)e;
    return sinpos_replay_rotate(own_replay, &rows, SINPOS_FORWARD, 1, type, out, 80, 80, n_threads);
}

static void fails_untouched(own_work *work, const sinpos_encoding *e, bool must_allocate)
{
    static unsigned char out[OWN_MEMORY_BYTES], before[OWN_MEMORY_BYTES];
    memset(before, 0x3c, sizeof before);
    for (size_t n_threads = 1; n_threads <= 3; n_threads += 2) {
        for (long n = 1;; n++) {
            memset(out, 0x3c, sizeof out);
            reset();
            failing_allocation = n;
            const long held = live;
            const sinpos_status status = work(e, SINPOS_F32, out, n_threads);
            failing_allocation = 0;
            assert_int_equal(live, held);
            if (status == SINPOS_OK) { /* threads that cannot be started do not matter */
                assert_true(n > 1 || !must_allocate);
                break;
            }
            assert_int_equal(status, SINPOS_E_MEMORY);
            assert_memory_equal(out, before, sizeof out);
            assert_true(n < 100);
        }
    }
    reset();
}

static void work_with_memory_of_its_own(void **state)
{
    (void)state;
    static const own_memory cases[] = {
        {"hf_rope", "cos_sin", "published", 0},
        {"hf_rope", "rotated", "published", 0},
        {"hf_deepseek_v3_rope", "rotated", NULL, 0},
        {"hf_deepseek_v3_rope", "rotated", "published", 0},
        {"fairseq_sinusoidal", "table", "published", 1},
        {"detr_sine", NULL, NULL, 0},
        {"detr_sine", NULL, "published", 0},
    };
    size_t n_rotated = 0;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        sinpos_encoding *e = NULL;
        const sinpos_status status = make_own(&cases[k], &e);
        if (status != SINPOS_OK)
            print_message("%s: %s\n", cases[k].name, sinpos_strerror(status));
        assert_int_equal(status, SINPOS_OK);
        const sinpos_encoding_info *info = sinpos_encoding_info_get(e);
        assert_true(info->n_columns * (info->n_rows < 50 ? info->n_rows : 50) * sizeof(float) <= OWN_MEMORY_BYTES);
        const bool is_rotated = info->output == SINPOS_OUTPUT_ROTATED;
        fails_untouched(own_fill, e, cases[k].arithmetic != NULL);
        if (!is_rotated)
            fails_untouched(own_add, e, cases[k].arithmetic != NULL);
        if (is_rotated)
            fails_untouched(own_rotate, e, cases[k].arithmetic != NULL);
        n_rotated += is_rotated;
        sinpos_encoding_destroy(e);
    }
    assert_true(n_rotated > 1);
    sinpos_plan *plan = NULL;
    sinpos_spec s = SINPOS_SPEC_INIT;
    s.dim = 80;
    s.order = SINPOS_COS_SIN;
    assert_int_equal(sinpos_plan_create(&plan, &s), SINPOS_OK);
    assert_int_equal(sinpos_replay_create(&own_replay, plan, "float32"), SINPOS_OK);
    fails_untouched(own_replay_run, NULL, true);
    fails_untouched(own_replay_rotate, NULL, true);
    sinpos_replay_destroy(own_replay);
    sinpos_plan_destroy(plan);
}

/* Work functions neither allocate nor lock, on any rung of the ladder. */
static void work_allocates_nothing(void **state)
{
    (void)state;
    enum { N = 70 };
    static double out[N * 1024];
    static int64_t integers[3 * N];
    static double reals[3 * N];
    for (int i = 0; i < 3 * N; i++) {
        integers[i] = i * INT64_C(1234567890123);
        reals[i] = i * 0.3;
    }
    for (unsigned k = 0; k < 11; k += small_size() ? 5 : 1)
        for (int rung = 0; rung <= (k < 5 || k == 10 ? 3 : 0); rung++) {
            sinpos_plan *plan = NULL;
            assert_int_equal(make(k, &plan), SINPOS_OK);
            const size_t dim = sinpos_plan_dim(plan), n = rung == 0 ? N : 2;
            sinpos_internal_force_rung(rung);
            reset();
            for (int kind = 0; kind < 3; kind++)
                for (int operation = 0; operation < 4; operation++)
                    for (int t = 0; t < N_TYPES; t++) {
                        const sinpos_rows rows = {sizeof(sinpos_rows), n, kind == 1 ? integers : NULL,
                                                  kind == 2 ? reals : NULL, -9};
                        if (kind == 0 && sinpos_plan_axes(plan) > 1)
                            continue;
                        memset(out, 0, n * dim * sizeof *out);
                        assert_int_equal(
                            sinpos_run(plan, (sinpos_operation)operation, &rows, all_types[t], out, dim, 1), SINPOS_OK);
                    }
            if (sinpos_plan_axes(plan) == 1)
                assert_int_equal(sinpos_shift(plan, 12345, n, SINPOS_F32, out, dim), SINPOS_OK);
            assert_int_equal(allocations, 0);
            assert_int_equal(locks, 0);
            assert_int_equal(threads_asked, 0);
            sinpos_internal_force_rung(0);
            sinpos_plan_destroy(plan);
        }
}

static void checks_allocate_nothing(void **state)
{
    (void)state;
    const sinpos_spec s = SINPOS_SPEC_INIT;
    static sinpos_tone tones[256];
    sinpos_error error = SINPOS_ERROR_INIT;
    reset();
    assert_int_equal(sinpos_spec_check(&s, &error), SINPOS_OK);
    assert_int_equal(sinpos_spec_tones(&s, tones, 256), SINPOS_OK);
    (void)sinpos_strerror(SINPOS_E_MEMORY);
    (void)sinpos_isa();
    assert_int_equal(allocations, 0);
}

/* ------------------------------------------------------------------------------------------------- Threads */

static void threads_that_do_not_start(void **state)
{
    (void)state;
    enum { N = 600 };
    static float want[N * 80], got[N * 80];
    sinpos_plan *plan = NULL;
    assert_int_equal(make(0, &plan), SINPOS_OK);
    const sinpos_rows rows = {sizeof(sinpos_rows), N, NULL, NULL, -77};
    assert_int_equal(sinpos_run(plan, SINPOS_FILL, &rows, SINPOS_F32, want, 80, 1), SINPOS_OK);
    for (long n = 0; n <= 9; n++) {
        reset();
        failing_thread = n;
        all_threads_fail = n == 9;
        memset(got, 0xff, sizeof got);
        assert_int_equal(sinpos_run(plan, SINPOS_FILL, &rows, SINPOS_F32, got, 80, 8), SINPOS_OK);
        assert_memory_equal(want, got, sizeof got);
        if (n == 0)
            assert_true(threads_asked >= 7);
    }
    reset();
    sinpos_plan_destroy(plan);
}

/* Where memory for the threads fails, the work is still done. */
static void threads_without_memory(void **state)
{
    (void)state;
    enum { N = 600 };
    static float want[N * 80], got[N * 80];
    sinpos_plan *plan = NULL;
    assert_int_equal(make(0, &plan), SINPOS_OK);
    const sinpos_rows rows = {sizeof(sinpos_rows), N, NULL, NULL, 5};
    assert_int_equal(sinpos_run(plan, SINPOS_FILL, &rows, SINPOS_F32, want, 80, 1), SINPOS_OK);
    for (long n = 1; n <= 4; n++) {
        reset();
        failing_allocation = n;
        memset(got, 0xff, sizeof got);
        assert_int_equal(sinpos_run(plan, SINPOS_FILL, &rows, SINPOS_F32, got, 80, 1024), SINPOS_OK);
        assert_memory_equal(want, got, sizeof got);
    }
    reset();
    sinpos_plan_destroy(plan);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_allocation_fails),      cmocka_unit_test(work_allocates_nothing),
        cmocka_unit_test(checks_allocate_nothing),     cmocka_unit_test(threads_that_do_not_start),
        cmocka_unit_test(threads_without_memory),      cmocka_unit_test(every_allocation_of_encodings_fails),
        cmocka_unit_test(work_with_memory_of_its_own),
    };
    return cmocka_run_group_tests_name("fault", tests, NULL, NULL);
}
