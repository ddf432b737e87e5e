/*
 * small_stack - every function of the core on a thread with a small stack, below which lies a page that nobody may touch.
 *
 * The stack is painted beforehand; what is no longer paint was used. What include/sinpos.h says is the limit, of the library
 * alone: the thread itself, with the C library's own data, takes some more. With SINPOS_RUNGS (tests/meson.build) every rung
 * of the ladder is gone through too. It needs nothing but the library and POSIX: tests/install runs it on musl.
 */
#define _DEFAULT_SOURCE
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "sinpos.h"
#ifndef SINPOS_CORE_ALONE /* the amalgamation */
#include "sinpos_conventions.h"
#endif
#include "size.h"
#include "tap.h"

#ifdef SINPOS_RUNGS
#include "internal.h"
#endif

enum { KIB = 1024, STACK = 64 * KIB, MOST = 48 * KIB, PAINT = 0xA5, WIDE = 600, ROWS = 70, HEADS = 3 };

static const sinpos_type types[] = {SINPOS_F64, SINPOS_F32, SINPOS_F16, SINPOS_BF16};

/* --------------------------------------------------------------------------------------------------- Stacks */

typedef struct stack {
    unsigned char *map, *low;
    size_t page, bytes;
} stack;

static stack stack_new(size_t bytes)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    unsigned char *map = mmap(NULL, page + bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (map == MAP_FAILED || mprotect(map, page, PROT_NONE) != 0)
        abort();
    memset(map + page, PAINT, bytes);
    return (stack){map, map + page, page, bytes};
}

/* Bytes from the deepest that was touched to the top. */
static size_t stack_used(const stack *s)
{
    size_t left = 0;
    while (left < s->bytes && s->low[left] == PAINT)
        left++;
    return s->bytes - left;
}

/* Some processors do not start a thread on less. */
static size_t stack_bytes(void)
{
    const long least = sysconf(_SC_THREAD_STACK_MIN);
    return least > STACK ? (size_t)least : STACK;
}

static void *run_on(void *(*body)(void *), void *argument, size_t bytes, size_t *used)
{
    pthread_attr_t attributes;
    pthread_t thread;
    void *result = NULL;
    stack s = stack_new(bytes);
    pthread_attr_init(&attributes);
    if (pthread_attr_setstack(&attributes, s.low, s.bytes) != 0 ||
        pthread_create(&thread, &attributes, body, argument) != 0)
        abort();
    pthread_join(thread, &result);
    pthread_attr_destroy(&attributes);
    *used = stack_used(&s);
    munmap(s.map, s.page + s.bytes);
    return result;
}

static void *nothing(void *argument)
{
    return argument;
}

/* ---------------------------------------------------------------------------------------------------- Calls */

static sinpos_plan *pairs, *split, *phased, *several, *odd;
static int64_t integers[2 * ROWS];
static double reals[2 * ROWS];
static char *out; /* ROWS rows of HEADS heads */
static size_t n_rows;

static sinpos_status spec_plan(sinpos_plan **plan, int k)
{
    sinpos_spec s = SINPOS_SPEC_INIT;
    s.dim = WIDE;
    s.order = SINPOS_COS_SIN;
    s.layout = k == 1 ? SINPOS_HALVES : SINPOS_INTERLEAVED;
    s.phase = k == 2 ? 0.3 : 0;
    s.amplitude = k == 2 ? 0.7 : 1;
    s.schedule = k == 3 ? SINPOS_POWER : SINPOS_GEOMETRIC;
    s.exponent = 1.5;
    return sinpos_plan_create(plan, &s);
}

/* Two coordinates, columns anywhere, sums of doubles. */
static sinpos_status tones_plan(sinpos_plan **plan)
{
    static sinpos_tone tones[WIDE / 2];
    const sinpos_listen listen = {.axis = 1, .coefficient = {0.7, 0x1p-60}, .divisor = 3};
    const sinpos_tone_more more = {.struct_size = sizeof more,
                                   .phase_divisor = 3,
                                   .amplitude = {0x1p-60},
                                   .phase = {0.1},
                                   .listens = &listen,
                                   .n_listens = 1};
    sinpos_spec s = SINPOS_SPEC_INIT;
    s.dim = WIDE;
    sinpos_status status = sinpos_spec_tones(&s, tones, WIDE / 2);
    for (size_t i = 0; i < WIDE / 2; i++) {
        tones[i].cos_column = (ptrdiff_t)(WIDE - 1 - i);
        tones[i].sin_column = (ptrdiff_t)i;
        tones[i].more = i % 4 == 3 ? &more : NULL;
    }
    return status == SINPOS_OK ? sinpos_plan_create_tones(plan, WIDE, 2, tones, WIDE / 2, 0, NULL) : status;
}

#ifndef SINPOS_CORE_ALONE
static sinpos_encoding *table, *rotary, *transposed;
static sinpos_replay *replay;

static sinpos_status encoding(sinpos_encoding **e, const char *name, const char *parameter, double value,
                              const char *arithmetic)
{
    sinpos_parameters *p = NULL;
    sinpos_status status = sinpos_parameters_create(&p);
    if (status == SINPOS_OK && parameter != NULL)
        status = sinpos_parameters_set_number(p, parameter, value);
    if (status == SINPOS_OK && arithmetic != NULL)
        status = sinpos_parameters_set_text(p, "arithmetic", arithmetic);
    if (status == SINPOS_OK && strcmp(name, "hf_rope") == 0)
        status = sinpos_parameters_set_number(p, "length", ROWS);
    if (status == SINPOS_OK)
        status = sinpos_encoding_create(e, name, p, 0, NULL);
    sinpos_parameters_destroy(p);
    return status;
}
#endif

typedef struct call {
    const sinpos_plan *plan;
    sinpos_type type;
    size_t n_threads;
} call;

static sinpos_rows rows_of(int kind)
{
    sinpos_rows rows = {.struct_size = sizeof rows, .n = n_rows, .first = kind == 3 ? INT64_C(1) << 50 : 1003};
    rows.integers = kind == 1 ? integers : NULL;
    rows.reals = kind == 2 ? reals : NULL;
    return rows;
}

static sinpos_status run(const call *c, sinpos_operation operation, int kind)
{
    const sinpos_rows rows = rows_of(kind);
    return sinpos_run(c->plan, operation, &rows, c->type, out, WIDE, c->n_threads);
}

static bool has_one_axis(const call *c)
{
    return sinpos_plan_axes(c->plan) == 1;
}

static sinpos_status do_fill(const call *c)
{
    return has_one_axis(c) ? run(c, SINPOS_FILL, 0) : SINPOS_OK;
}

static sinpos_status do_fill_far(const call *c)
{
    return has_one_axis(c) ? run(c, SINPOS_FILL, 3) : SINPOS_OK;
}

static sinpos_status do_fill_at(const call *c)
{
    return run(c, SINPOS_FILL, 1);
}

static sinpos_status do_fill_real(const call *c)
{
    return run(c, SINPOS_FILL, 2);
}

static sinpos_status do_add(const call *c)
{
    return has_one_axis(c) ? run(c, SINPOS_ADD, 0) : SINPOS_OK;
}

static sinpos_status do_add_at(const call *c)
{
    return run(c, SINPOS_ADD, 1);
}

static sinpos_status do_gradient_position(const call *c)
{
    return run(c, SINPOS_GRADIENT_POSITION, 2);
}

static sinpos_status do_gradient_theta(const call *c)
{
    return run(c, SINPOS_GRADIENT_THETA, 1);
}

static sinpos_status do_shift(const call *c)
{
    return has_one_axis(c) ? sinpos_shift(c->plan, 77, 3, c->type, out, WIDE) : SINPOS_OK;
}

static sinpos_status do_shift_matrix(const call *c)
{
    return c->plan == pairs ? sinpos_shift_matrix(c->plan, INT64_C(1) << 60, c->type, out, WIDE) : SINPOS_OK;
}

static sinpos_status do_rotate(const call *c)
{
    const sinpos_rows rows = rows_of(has_one_axis(c) ? 0 : 1);
    return sinpos_rotate(c->plan, &rows, SINPOS_FORWARD, HEADS, c->type, out, HEADS * WIDE, WIDE, c->n_threads);
}

/* Two batches, from one place: through a workspace. */
static sinpos_status do_add_arrays(const call *c)
{
    static char workspace[1 << 20];
    const sinpos_rows rows = rows_of(has_one_axis(c) ? 0 : 1);
    const sinpos_arrays a = {.struct_size = sizeof a,
                             .out = out,
                             .n_batches = 2,
                             .n_heads = 1,
                             .ld_batch = WIDE,
                             .ld_row = HEADS * WIDE,
                             .n_threads = c->n_threads,
                             .workspace = workspace,
                             .workspace_bytes = sizeof workspace};
    return sinpos_run_arrays(c->plan, SINPOS_ADD, &rows, c->type, &a);
}

static sinpos_status do_rotate_arrays(const call *c)
{
    const sinpos_rows rows = rows_of(1);
    const sinpos_arrays a = {.struct_size = sizeof a,
                             .out = out,
                             .n_batches = HEADS,
                             .n_heads = 1,
                             .ld_batch = WIDE,
                             .ld_row = HEADS * WIDE,
                             .n_threads = c->n_threads};
    sinpos_factors *f = NULL;
    sinpos_status status = sinpos_factors_create(&f, c->plan, &rows, SINPOS_FORWARD, c->type);
    status = status == SINPOS_OK ? sinpos_factors_rotate(f, 0, rows.n, &a) : status;
    sinpos_factors_destroy(f);
    return status == SINPOS_OK ? sinpos_rotate_arrays(c->plan, &rows, SINPOS_INVERSE, c->type, &a) : status;
}

static sinpos_status do_unrotate(const call *c)
{
    const sinpos_rows rows = rows_of(2);
    return sinpos_rotate(c->plan, &rows, SINPOS_INVERSE, HEADS, c->type, out, HEADS * WIDE, WIDE, c->n_threads);
}

#ifndef SINPOS_CORE_ALONE
static sinpos_status do_replay(const call *c)
{
    const sinpos_rows rows = rows_of(1);
    return sinpos_replay_run(replay, SINPOS_ADD, &rows, c->type, out, WIDE, c->n_threads);
}

static sinpos_status do_replay_rotate(const call *c)
{
    const sinpos_rows rows = rows_of(0);
    return sinpos_replay_rotate(replay, &rows, SINPOS_FORWARD, HEADS, c->type, out, HEADS * WIDE, WIDE, c->n_threads);
}

static sinpos_status do_encoding_fill(const call *c)
{
    const sinpos_encoding *const all[] = {table, rotary, transposed};
    sinpos_status status = SINPOS_OK;
    for (size_t k = 0; k < 3 && status == SINPOS_OK; k++)
        status = sinpos_encoding_fill(all[k], 0, 10, c->type, out, sinpos_encoding_info_get(all[k])->n_columns,
                                      c->n_threads);
    return status;
}

static sinpos_status do_encoding_add(const call *c)
{
    return sinpos_encoding_add(table, 0, 10, c->type, out, sinpos_encoding_info_get(table)->n_columns, c->n_threads);
}

static sinpos_status do_encoding_rotate(const call *c)
{
    return sinpos_encoding_rotate(rotary, 0, 10, SINPOS_FORWARD, 2, c->type, out, 512, 256, c->n_threads);
}
#endif

static sinpos_status make_plans(const call *c)
{
    sinpos_plan *plan = NULL;
    sinpos_status status = SINPOS_OK;
    (void)c;
    for (int k = 0; k < 5 && status == SINPOS_OK; k++) {
        status = k < 4 ? spec_plan(&plan, k) : tones_plan(&plan);
        sinpos_plan_destroy(plan);
    }
    return status;
}

#ifndef SINPOS_CORE_ALONE
/* Every convention, some refused: what matters is how deep its formulas go. */
static sinpos_status make_encodings(const call *c)
{
    size_t n_made = 0;
    (void)c;
    for (size_t k = 0; k < 2 * sinpos_conventions_count(); k++) {
        sinpos_encoding *e = NULL;
        const char *name = sinpos_convention_name(sinpos_convention_at(k / 2));
        n_made += encoding(&e, name, NULL, 0, k % 2 ? "published" : NULL) == SINPOS_OK;
        sinpos_encoding_destroy(e);
    }
    return n_made > 100 ? SINPOS_OK : SINPOS_E_SPEC;
}

static sinpos_status make_replays(const call *c)
{
    sinpos_status status = SINPOS_OK;
    (void)c;
    for (size_t k = 0; k < sinpos_arithmetics_count() && status == SINPOS_OK; k++) {
        sinpos_replay *r = NULL;
        status = sinpos_replay_create(&r, phased, sinpos_arithmetic_text(sinpos_arithmetic_at(k), "name"));
        sinpos_replay_destroy(r);
    }
    return status;
}
#endif

static sinpos_status look_at_plans(const call *c)
{
    static double theta[WIDE];
    static sinpos_tone tones[WIDE];
    size_t n;
    sinpos_spec s = SINPOS_SPEC_INIT;
    sinpos_error error = SINPOS_ERROR_INIT;
    (void)c;
    if (sinpos_spec_check(&s, &error) != SINPOS_OK || sinpos_plan_tones(several, tones, WIDE, &n) != SINPOS_OK)
        return SINPOS_E_SPEC;
    return sinpos_plan_theta(several, theta, WIDE, &n);
}

typedef struct function {
    const char *name;
    sinpos_status (*call)(const call *c);
    bool of_plans; /* for every plan and instruction set */
    bool of_types; /* for every element type */
} function;

static const function functions[] = {
    {"sinpos_fill, near", do_fill, true, true},
    {"sinpos_fill, far", do_fill_far, true, true},
    {"sinpos_fill_at", do_fill_at, true, true},
    {"sinpos_fill_real", do_fill_real, true, true},
    {"sinpos_add", do_add, true, true},
    {"sinpos_add_at", do_add_at, true, true},
    {"sinpos_run_arrays", do_add_arrays, true, true},
    {"sinpos_gradient_position", do_gradient_position, true, true},
    {"sinpos_gradient_theta", do_gradient_theta, true, true},
    {"sinpos_shift", do_shift, true, true},
    {"sinpos_shift_matrix", do_shift_matrix, true, true},
    {"sinpos_rotate, forward", do_rotate, true, true},
    {"sinpos_rotate, inverse", do_unrotate, true, true},
    {"sinpos_rotate_arrays, sinpos_factors_rotate", do_rotate_arrays, true, true},
    {"sinpos_plan_create", make_plans, false, false},
    {"sinpos_plan_tones, sinpos_plan_theta", look_at_plans, false, false},
#ifndef SINPOS_CORE_ALONE
    {"sinpos_replay_run", do_replay, false, true},
    {"sinpos_replay_rotate", do_replay_rotate, false, true},
    {"sinpos_encoding_fill", do_encoding_fill, false, true},
    {"sinpos_encoding_add", do_encoding_add, false, true},
    {"sinpos_encoding_rotate", do_encoding_rotate, false, true},
    {"sinpos_encoding_create", make_encodings, false, false},
    {"sinpos_replay_create", make_replays, false, false},
#endif
};

typedef struct task {
    const function *function;
    call call;
    sinpos_status status;
} task;

static void *body(void *argument)
{
    task *t = argument;
    t->status = t->function->call(&t->call);
    return NULL;
}

/* ----------------------------------------------------------------------------------------------------- Runs */

static bool brief;
static size_t of_the_thread; /* what a thread uses that does nothing */

/* Returns the bytes used, 0 where the call failed. */
static size_t measure(const function *f, const sinpos_plan *plan, sinpos_type type, size_t n_threads)
{
    size_t used;
    task t = {.function = f, .call = {plan, type, n_threads}};
    n_rows = n_threads > 1 ? ROWS : brief ? 1 : 12;
    memset(out, 0, (size_t)ROWS * HEADS * WIDE * 8);
    (void)run_on(body, &t, stack_bytes(), &used);
    if (t.status != SINPOS_OK)
        printf("# %s: %s\n", f->name, sinpos_strerror(t.status));
    return t.status != SINPOS_OK ? 0 : used > of_the_thread ? used - of_the_thread : 1;
}

static void check(const function *f, const char *isa)
{
    const sinpos_plan *const plans[] = {pairs, split, phased, several, odd};
    size_t most = 0, n = 0, n_failed = 0;
    for (size_t k = 0; k < (f->of_plans ? 5 : 1); k++)
        for (size_t t = 0; t < (f->of_types ? 4 : 1); t++)
            for (size_t n_threads = 1; n_threads <= (t == 1 && !brief && (k == 0 || !small_size()) ? 3 : 1);
                 n_threads += 2) {
                const size_t used = measure(f, plans[k], types[t], n_threads);
                most = used > most ? used : most;
                n_failed += used == 0;
                n++;
            }
    tap_none_wrong(n_failed + (most > MOST), n, "%s, %s: %zu bytes of stack", f->name, isa, most);
}

#ifdef SINPOS_CORE_ALONE
static bool set_up_named(void)
{
    return true;
}

static void tear_down_named(void)
{
}
#else
static bool set_up_named(void)
{
    return encoding(&table, "whisper_sinusoids", "channels", 520, NULL) == SINPOS_OK &&
           encoding(&rotary, "hf_rope", "head_dim", 256, "published") == SINPOS_OK &&
           encoding(&transposed, "detr_sine", NULL, 0, NULL) == SINPOS_OK &&
           sinpos_replay_create(&replay, pairs, "float32-exp") == SINPOS_OK;
}

static void tear_down_named(void)
{
    sinpos_encoding_destroy(table);
    sinpos_encoding_destroy(rotary);
    sinpos_encoding_destroy(transposed);
    sinpos_replay_destroy(replay);
}
#endif

static bool set_up(void)
{
    for (size_t i = 0; i < 2 * ROWS; i++) {
        integers[i] = i % 3 == 0 ? (int64_t)i * 1000003 : (int64_t)((UINT64_C(1) << 61) + i * 77777);
        reals[i] = i % 3 == 0 ? 0.37 * (double)i : 0x1p55 / (double)(i + 1);
    }
    out = calloc((size_t)ROWS * HEADS * WIDE, 8);
    size_t matrix = (size_t)WIDE * WIDE * 8;
    if (matrix > (size_t)ROWS * HEADS * WIDE * 8) {
        free(out);
        out = calloc(matrix, 1);
    }
    return out != NULL && spec_plan(&pairs, 0) == SINPOS_OK && spec_plan(&split, 1) == SINPOS_OK &&
           spec_plan(&phased, 2) == SINPOS_OK && spec_plan(&odd, 3) == SINPOS_OK && tones_plan(&several) == SINPOS_OK &&
           set_up_named();
}

int main(void)
{
    static const char *const isas[] = {"scalar", "neon", "avx2", "avx512"};
    if (!tap_ok(set_up(), "plans and encodings are made"))
        return tap_done();
    (void)run_on(nothing, NULL, stack_bytes(), &of_the_thread);
    printf("# a thread by itself uses %zu bytes of %d\n", of_the_thread, (int)stack_bytes());
    for (size_t k = 0; k < sizeof isas / sizeof isas[0]; k++) {
        if (sinpos_isa_cap(isas[k]) != SINPOS_OK)
            continue;
        for (size_t f = 0; f < sizeof functions / sizeof functions[0]; f++)
            if (functions[f].of_plans || k == 0)
                check(&functions[f], isas[k]);
    }
#ifdef SINPOS_RUNGS
    static const char *const rungs[] = {"", "rung 1", "rung 2", "rung 3"};
    for (int rung = 1; rung <= 3; rung++) {
        sinpos_internal_force_rung(rung);
        brief = true;
        for (size_t f = 0; f < sizeof functions / sizeof functions[0]; f++)
            if (functions[f].of_plans && functions[f].call != do_shift_matrix)
                check(&functions[f], rungs[rung]);
        sinpos_internal_force_rung(0);
    }
#endif
    sinpos_plan *const plans[] = {pairs, split, phased, several, odd};
    for (size_t k = 0; k < 5; k++)
        sinpos_plan_destroy(plans[k]);
    tear_down_named();
    free(out);
    return tap_done();
}
