/*
 * What the header promises of all functions, one case for each function: the caller's rounding mode and flush-to-zero
 * flags change nothing and are left as they were [P6]; on error the output is untouched [P5]; work functions ask for no
 * memory and no lock [P4], do not write to the plan, and share it with other threads [P3].
 * tests/api/promises.py compares the cases with the headers: a new function needs a row here.
 */
#define _DEFAULT_SOURCE
#include <fenv.h>
#include <math.h>
#include <pthread.h>
#include <string.h>

#include "cases.h"
#include "environment.h"
#include "sinpos.h"
#include "sinpos_conventions.h"
#include "size.h"
#include "support.h"

enum { DIM = 34, ROWS = 40, OUT_BYTES = 1 << 18, HEAD = 32 };

/* ------------------------------------------------------------------------------- What is asked of the C library */

void *__real_malloc(size_t n);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *p, size_t n);
void *__real_aligned_alloc(size_t alignment, size_t n);
int __real_pthread_mutex_lock(pthread_mutex_t *mutex);
void *__wrap_malloc(size_t n);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *p, size_t n);
void *__wrap_aligned_alloc(size_t alignment, size_t n);
int __wrap_pthread_mutex_lock(pthread_mutex_t *mutex);

/* The linker sends calls of the library here (--wrap in meson.build). */
static unsigned long asked;

void *__wrap_malloc(size_t n)
{
    asked++;
    return __real_malloc(n);
}

void *__wrap_calloc(size_t n, size_t size)
{
    asked++;
    return __real_calloc(n, size);
}

void *__wrap_realloc(void *p, size_t n)
{
    asked++;
    return __real_realloc(p, n);
}

void *__wrap_aligned_alloc(size_t alignment, size_t n)
{
    asked++;
    return __real_aligned_alloc(alignment, n);
}

int __wrap_pthread_mutex_lock(pthread_mutex_t *mutex)
{
    asked++;
    return __real_pthread_mutex_lock(mutex);
}

/* -------------------------------------------------------------------------------------------------- What is called */

static sinpos_plan *plain, *phased, *other, *tiny[N_TYPES], *pairs, *other_pairs, *plane;
static sinpos_encoding *table, *rotary, *raw, *transposed;
static sinpos_replay *replay;
static sinpos_factors *made_factors[N_TYPES];                   /* of pairs */
static void *bytes_of_plain, *bytes_of_phased, *bytes_of_pairs; /* as they were made */
static int64_t integers[2 * ROWS];
static double reals[2 * ROWS];

static sinpos_spec spec_of(double amplitude, double phase)
{
    sinpos_spec s = SINPOS_SPEC_INIT;
    s.dim = DIM;
    s.base = 1e6;
    s.amplitude = amplitude;
    s.phase = phase;
    return s;
}

static sinpos_plan *plan_of(const sinpos_spec *s)
{
    sinpos_plan *plan = NULL;
    assert_int_equal(sinpos_plan_create(&plan, s), SINPOS_OK);
    return plan;
}

/* Two coordinates, sums of doubles, a third of a turn. */
static sinpos_status create_plane(sinpos_plan **plan)
{
    const sinpos_listen listen = {.axis = 1, .coefficient = {0.7, 0x1p-60}, .divisor = 3};
    const sinpos_tone_more more = {.struct_size = sizeof more,
                                   .phase_divisor = 3,
                                   .amplitude = {0x1p-60},
                                   .phase = {0.1},
                                   .listens = &listen,
                                   .n_listens = 1};
    sinpos_tone tones[DIM / 2];
    for (size_t i = 0; i < DIM / 2; i++)
        tones[i] = (sinpos_tone){.schedule = SINPOS_GEOMETRIC,
                                 .base = 10000,
                                 .base_divisor = 1,
                                 .index = (double)i,
                                 .divisor = DIM / 2,
                                 .scale = 1,
                                 .factor = 1,
                                 .phase_turns = 1,
                                 .amplitude = 1,
                                 .sin_column = (ptrdiff_t)i,
                                 .cos_column = (ptrdiff_t)(DIM / 2 + i),
                                 .more = i % 4 == 3 ? &more : NULL};
    return sinpos_plan_create_tones(plan, DIM, 2, tones, DIM / 2, 0, NULL);
}

typedef struct named_case {
    const char *name, *parameter;
    double number;
    const char *list;
    const char *arithmetic, *output; /* or NULL */
} named_case;

/* every = 0: by sinpos_encoding_create(). */
static sinpos_status create_encoding(sinpos_encoding **e, const named_case *c, size_t every)
{
    static const double points[6] = {0.1, 0.5, 1, 2.7, 3, 5};
    static const size_t shape[2] = {2, 3};
    sinpos_parameters *p = NULL;
    sinpos_status status = sinpos_parameters_create(&p);
    if (status == SINPOS_OK && c->parameter != NULL)
        status = sinpos_parameters_set_number(p, c->parameter, c->number);
    if (status == SINPOS_OK && c->list != NULL)
        status = sinpos_parameters_set_list(p, c->list, points, strcmp(c->list, "x") == 0 ? 2 : 1,
                                            strcmp(c->list, "x") == 0 ? shape : &shape[1]);
    if (status == SINPOS_OK && c->arithmetic != NULL)
        status = sinpos_parameters_set_text(p, "arithmetic", c->arithmetic);
    if (status == SINPOS_OK && c->output != NULL)
        status = sinpos_parameters_set_text(p, "output", c->output);
    if (status == SINPOS_OK)
        status = every == 0 ? sinpos_encoding_create(e, c->name, p, 0, NULL)
                            : sinpos_encoding_create_sparse(e, c->name, p, 0, every, NULL);
    sinpos_parameters_destroy(p);
    return status;
}

static const named_case named[] = {{"whisper_sinusoids", "channels", 38, NULL, NULL, NULL},
                                   {"hf_rope", "head_dim", HEAD, "positions", NULL, NULL},
                                   {"nerf_tf", NULL, 0, "x", NULL, NULL},
                                   {"detr_sine", NULL, 0, NULL, NULL, NULL}};

static void *copy_of(const sinpos_plan *plan)
{
    void *copy = malloc(sinpos_plan_bytes(plan));
    assert_non_null(copy);
    return memcpy(copy, plan, sinpos_plan_bytes(plan));
}

static int set_up(void **state)
{
    (void)state;
    static const double least[N_TYPES] = {0x1p-1030, 0x1p-127, 0x1p-16, 0x1p-127};
    for (int i = 0; i < 2 * ROWS; i++) {
        integers[i] = (int64_t)i * i * 1000003 - 5;
        reals[i] = i * 0.37 - 3;
    }
    const sinpos_spec plain_spec = spec_of(1, 0), phased_spec = spec_of(0.7, 0.3);
    sinpos_spec pairs_spec = spec_of(1, 0);
    pairs_spec.dim = HEAD;
    pairs_spec.order = SINPOS_COS_SIN;
    plain = plan_of(&plain_spec);
    phased = plan_of(&phased_spec);
    pairs = plan_of(&pairs_spec);
    pairs_spec.base = 300;
    other_pairs = plan_of(&pairs_spec);
    pairs_spec.dim = DIM;
    other = plan_of(&pairs_spec);
    for (int t = 0; t < N_TYPES; t++) {
        const sinpos_spec s = spec_of(least[t], 0);
        tiny[t] = plan_of(&s);
    }
    bytes_of_plain = copy_of(plain);
    bytes_of_phased = copy_of(phased);
    bytes_of_pairs = copy_of(pairs);
    assert_int_equal(create_plane(&plane), SINPOS_OK);
    sinpos_encoding **const encodings[] = {&table, &rotary, &raw, &transposed};
    for (size_t k = 0; k < 4; k++)
        assert_int_equal(create_encoding(encodings[k], &named[k], 1), SINPOS_OK);
    assert_int_equal(sinpos_replay_create(&replay, pairs, "float32-exp"), SINPOS_OK);
    const sinpos_rows rows = {.struct_size = sizeof rows, .n = ROWS, .reals = reals};
    for (int t = 0; t < N_TYPES; t++)
        assert_int_equal(sinpos_factors_create(&made_factors[t], pairs, &rows, SINPOS_TRANSPOSE, all_types[t]),
                         SINPOS_OK);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    sinpos_plan *const plans[] = {plain, phased, other, pairs, other_pairs, plane, tiny[0], tiny[1], tiny[2], tiny[3]};
    for (size_t k = 0; k < sizeof plans / sizeof *plans; k++)
        sinpos_plan_destroy(plans[k]);
    free(bytes_of_plain);
    free(bytes_of_phased);
    free(bytes_of_pairs);
    sinpos_encoding_destroy(table);
    sinpos_encoding_destroy(rotary);
    sinpos_encoding_destroy(raw);
    sinpos_encoding_destroy(transposed);
    sinpos_replay_destroy(replay);
    for (int t = 0; t < N_TYPES; t++)
        sinpos_factors_destroy(made_factors[t]);
    return 0;
}

/* ------------------------------------------------------------------------------------------------------- The calls */

/* Where a call puts what it makes. */
static unsigned char *place;
static size_t used;

static void *room(size_t bytes)
{
    used = (used + 63) / 64 * 64;
    assert_true(bytes <= OUT_BYTES - used);
    used += bytes;
    return place + used - bytes;
}

static void keep(const void *from, size_t bytes)
{
    memcpy(room(bytes), from, bytes);
}

static void keep_status(sinpos_status status)
{
    keep(&status, sizeof status);
}

static void keep_bytes_of(const sinpos_plan *plan)
{
    keep_status(sinpos_fill_real(plan, reals, ROWS, SINPOS_F64, room(ROWS * DIM * 8), DIM));
    if (sinpos_plan_axes(plan) == 1) /* rows that are rotated */
        for (int t = 0; t < N_TYPES; t++)
            keep_status(sinpos_fill(plan, 5, ROWS, all_types[t], room(ROWS * DIM * type_size(all_types[t])), DIM));
}

typedef sinpos_status worker(const sinpos_plan *plan, sinpos_type type, void *out, size_t ld);

static void every_type(worker *work, bool takes_pairs)
{
    for (int t = 0; t < N_TYPES; t++) {
        const sinpos_plan *const plans[] = {takes_pairs ? pairs : plain, takes_pairs ? pairs : phased,
                                            takes_pairs ? pairs : tiny[t]};
        for (size_t k = 0; k < (takes_pairs ? 1 : 3); k++)
            keep_status(work(plans[k], all_types[t], room((size_t)ROWS * DIM * type_size(all_types[t])),
                             takes_pairs ? HEAD : DIM));
    }
}

static sinpos_rows rows_at(int kind)
{
    return (sinpos_rows){
        .struct_size = sizeof(sinpos_rows), ROWS, kind == 1 ? integers : NULL, kind == 2 ? reals : NULL, -9};
}

static sinpos_status do_fill(const sinpos_plan *p, sinpos_type t, void *out, size_t ld)
{
    return sinpos_fill(p, 1000003, ROWS, t, out, ld);
}

static sinpos_status do_fill_at(const sinpos_plan *p, sinpos_type t, void *out, size_t ld)
{
    return sinpos_fill_at(p, integers, ROWS, t, out, ld);
}

static sinpos_status do_fill_real(const sinpos_plan *p, sinpos_type t, void *out, size_t ld)
{
    return sinpos_fill_real(p, reals, ROWS, t, out, ld);
}

static sinpos_status do_add(const sinpos_plan *p, sinpos_type t, void *out, size_t ld)
{
    return sinpos_add(p, 5, ROWS, t, out, ld);
}

static sinpos_status do_add_at(const sinpos_plan *p, sinpos_type t, void *out, size_t ld)
{
    return sinpos_add_at(p, integers, ROWS, t, out, ld);
}

static sinpos_status do_add_real(const sinpos_plan *p, sinpos_type t, void *out, size_t ld)
{
    return sinpos_add_real(p, reals, ROWS, t, out, ld);
}

static sinpos_status do_run(const sinpos_plan *p, sinpos_type t, void *out, size_t ld)
{
    const sinpos_rows rows = rows_at(0);
    return sinpos_run(p, SINPOS_FILL, &rows, t, out, ld, 2);
}

static sinpos_status do_gradient_position(const sinpos_plan *p, sinpos_type t, void *out, size_t ld)
{
    const sinpos_rows rows = rows_at(2);
    return sinpos_gradient_position(p, &rows, t, out, ld);
}

static sinpos_status do_gradient_theta(const sinpos_plan *p, sinpos_type t, void *out, size_t ld)
{
    const sinpos_rows rows = rows_at(1);
    return sinpos_gradient_theta(p, &rows, t, out, ld);
}

static sinpos_status do_shift(const sinpos_plan *p, sinpos_type t, void *out, size_t ld)
{
    return sinpos_shift(p, 77, ROWS, t, out, ld);
}

static sinpos_status do_shift_matrix(const sinpos_plan *p, sinpos_type t, void *out, size_t ld)
{
    return sinpos_shift_matrix(p, -1234567, t, out, ld);
}

static sinpos_status do_rotate(const sinpos_plan *p, sinpos_type t, void *out, size_t ld)
{
    const sinpos_rows rows = rows_at(0);
    return sinpos_rotate(p, &rows, SINPOS_INVERSE, 1, t, out, ld, HEAD, 2);
}

static sinpos_arrays one_array(void *out, size_t ld)
{
    sinpos_arrays a = SINPOS_ARRAYS_INIT;
    a.out = out;
    a.ld_row = ld;
    a.n_threads = 2;
    return a;
}

static sinpos_status do_run_arrays(const sinpos_plan *p, sinpos_type t, void *out, size_t ld)
{
    const sinpos_rows rows = rows_at(0);
    const sinpos_arrays a = one_array(out, ld);
    return sinpos_run_arrays(p, SINPOS_ADD, &rows, t, &a);
}

static sinpos_status do_rotate_arrays(const sinpos_plan *p, sinpos_type t, void *out, size_t ld)
{
    const sinpos_rows rows = rows_at(1);
    const sinpos_arrays a = one_array(out, ld);
    return sinpos_rotate_arrays(p, &rows, SINPOS_FORWARD, t, &a);
}

static sinpos_status do_factors_rotate(const sinpos_plan *p, sinpos_type t, void *out, size_t ld)
{
    const sinpos_arrays a = one_array(out, ld);
    (void)p;
    for (int k = 0; k < N_TYPES; k++)
        if (all_types[k] == t)
            return sinpos_factors_rotate(made_factors[k], 0, ROWS, &a);
    return SINPOS_E_TYPE;
}

static sinpos_status do_replay_run(const sinpos_plan *p, sinpos_type t, void *out, size_t ld)
{
    const sinpos_rows rows = rows_at(2);
    (void)p;
    return sinpos_replay_run(replay, SINPOS_ADD, &rows, t, out, ld, 1);
}

static sinpos_status do_replay_rotate(const sinpos_plan *p, sinpos_type t, void *out, size_t ld)
{
    const sinpos_rows rows = rows_at(1);
    (void)p;
    return sinpos_replay_rotate(replay, &rows, SINPOS_FORWARD, 1, t, out, ld, HEAD, 1);
}

static void call_fill(void)
{
    every_type(do_fill, false);
}

static void call_fill_at(void)
{
    every_type(do_fill_at, false);
    keep_status(sinpos_fill_at(plane, integers, ROWS, SINPOS_F64, room(ROWS * DIM * 8), DIM));
}

static void call_fill_real(void)
{
    every_type(do_fill_real, false);
    keep_status(sinpos_fill_real(plane, reals, ROWS, SINPOS_F64, room(ROWS * DIM * 8), DIM));
}

static void call_add(void)
{
    every_type(do_add, false);
}

static void call_add_at(void)
{
    every_type(do_add_at, false);
}

static void call_add_real(void)
{
    every_type(do_add_real, false);
}

static void call_run(void)
{
    every_type(do_run, false);
}

static void call_gradient_position(void)
{
    every_type(do_gradient_position, false);
}

static void call_gradient_theta(void)
{
    every_type(do_gradient_theta, false);
}

static void call_shift(void)
{
    every_type(do_shift, false);
}

static void call_shift_matrix(void)
{
    every_type(do_shift_matrix, false);
}

static void call_rotate(void)
{
    every_type(do_rotate, true);
}

static void call_run_arrays(void)
{
    every_type(do_run_arrays, false);
}

static void call_rotate_arrays(void)
{
    every_type(do_rotate_arrays, true);
}

static void call_factors_rotate(void)
{
    every_type(do_factors_rotate, true);
}

static void call_factors_create(void)
{
    const sinpos_rows rows = rows_at(1);
    for (int t = 0; t < N_TYPES; t++) {
        sinpos_factors *f = NULL;
        keep_status(sinpos_factors_create(&f, pairs, &rows, SINPOS_INVERSE, all_types[t]));
        assert_true(sinpos_factors_bytes(f) > 0);
        const sinpos_arrays a = one_array(room(ROWS * HEAD * 8), HEAD);
        keep_status(sinpos_factors_rotate(f, 0, ROWS, &a));
        sinpos_factors_destroy(f);
    }
}

static void call_replay_run(void)
{
    every_type(do_replay_run, true);
}

static void call_replay_rotate(void)
{
    every_type(do_replay_rotate, true);
}

static void call_plan_create(void)
{
    for (int k = 0; k < 3; k++) {
        const sinpos_spec s = spec_of(k == 0 ? 0x1p-1030 : 1, k == 2 ? 0 : 0.3);
        sinpos_plan *plan = NULL;
        keep_status(sinpos_plan_create(&plan, &s));
        keep_bytes_of(plan);
        sinpos_plan_destroy(plan);
    }
}

static void call_plan_create_tones(void)
{
    sinpos_plan *plan = NULL;
    keep_status(create_plane(&plan));
    keep_bytes_of(plan);
    sinpos_plan_destroy(plan);
}

static void call_plan_theta(void)
{
    const sinpos_plan *const plans[] = {plain, phased, plane};
    for (size_t k = 0; k < 3; k++) {
        size_t n = 0;
        keep_status(sinpos_plan_theta(plans[k], room(DIM * 8), DIM, &n));
        keep(&n, sizeof n);
    }
}

static void call_plan_tones(void)
{
    sinpos_tone tones[DIM];
    size_t n = 0;
    memset(tones, 0, sizeof tones);
    keep_status(sinpos_plan_tones(plane, tones, DIM, &n));
    keep(tones, sizeof tones);
}

static void call_plan_sizes(void)
{
    const size_t sizes[] = {sinpos_plan_dim(plane), sinpos_plan_axes(plane), sinpos_plan_bytes(plane),
                            sinpos_workspace_bytes(plane, SINPOS_F32, 2)};
    keep(sizes, sizeof sizes);
}

static void call_spec_check(void)
{
    sinpos_error error = SINPOS_ERROR_INIT;
    for (int k = 0; k < 5; k++) { /* near the edges of what is allowed */
        sinpos_spec s = spec_of(1, 0);
        s.scale = k == 0 ? 0x1p590 : k == 1 ? 0x1p601 : k == 2 ? 0x1p-1060 : 1;
        s.amplitude = k == 3 ? 65519.999 : k == 4 ? 65520.001 : 1;
        s.types = SINPOS_F16;
        keep_status(sinpos_spec_check(&s, &error));
        keep(&error, sizeof error);
    }
}

static void call_spec_tones(void)
{
    sinpos_tone tones[DIM / 2];
    sinpos_spec s = spec_of(1, 0);
    s.schedule = SINPOS_OCTAVE;
    s.shift = 0.1;
    memset(tones, 0, sizeof tones);
    const size_t n = sinpos_spec_frequencies(&s);
    keep_status(sinpos_spec_tones(&s, tones, n));
    keep(tones, n * sizeof *tones);
}

static void call_words(void)
{
    keep(sinpos_version(), 5);
    const unsigned number = sinpos_version_number();
    keep(&number, sizeof number);
    keep(sinpos_isa(), 4);
    keep(sinpos_strerror(SINPOS_E_SHAPE), 20);
    const size_t bytes = sinpos_type_bytes(SINPOS_F32);
    keep(&bytes, sizeof bytes);
    keep_status(sinpos_isa_cap("scalar"));
    keep_status(sinpos_isa_cap(NULL));
}

static void call_catalogue(void)
{
    const size_t n = sinpos_conventions_count(), m = sinpos_arithmetics_count();
    const void *const found[] = {sinpos_convention_at(n - 1), sinpos_convention_find("whisper"),
                                 sinpos_arithmetic_at(m - 1), sinpos_arithmetic_find("ggml")};
    sinpos_output output = SINPOS_OUTPUT_TABLE;
    keep(found, sizeof found);
    const size_t n_parameters = sinpos_convention_parameters(found[1]);
    const sinpos_rows_kind rows = sinpos_convention_rows(found[1]);
    keep(&n_parameters, sizeof n_parameters);
    keep(&rows, sizeof rows);
    keep(sinpos_convention_name(found[1]), 8);
    keep(sinpos_convention_field(3), 8);
    keep(sinpos_convention_text(found[1], "theta"), 4);
    keep(sinpos_convention_parameter(found[1], n_parameters - 1, "role"), 5);
    keep(sinpos_arithmetic_text(found[3], "theta"), 4);
    keep(sinpos_output_name(SINPOS_OUTPUT_CIS), 3);
    assert_int_equal(sinpos_output_find("matrix", &output), 1);
    keep(&output, sizeof output);
}

static void call_parameters(void)
{
    static const double list[3] = {0.1, 5e-324, -7};
    static const size_t shape[1] = {3};
    sinpos_parameters *p = NULL;
    sinpos_encoding *e = NULL;
    keep_status(sinpos_parameters_create(&p));
    keep_status(sinpos_parameters_set_number(p, "channels", 38));
    keep_status(sinpos_parameters_set_text(p, "arithmetic", "published"));
    keep_status(sinpos_parameters_set_flag(p, "unused", 1));
    keep_status(sinpos_parameters_set_null(p, "unused"));
    keep_status(sinpos_parameters_set_list(p, "positions", list, 1, shape));
    keep_status(sinpos_encoding_create(&e, "whisper_sinusoids", p, 0, NULL)); /* refused: `unused` is not a parameter */
    sinpos_encoding_destroy(e);
    sinpos_parameters_destroy(p);
}

static void keep_table(const sinpos_encoding *e, bool adds)
{
    const sinpos_encoding_info *info = sinpos_encoding_info_get(e);
    const size_t ld = info->n_columns, most = ld > 40 ? 2 : 10, n = info->n_rows < most ? info->n_rows : most;
    for (int t = 0; t < N_TYPES && ld <= 600; t++) {
        void *out = room(n * ld * type_size(all_types[t]));
        keep_status(adds ? sinpos_encoding_add(e, 0, n, all_types[t], out, ld, 1)
                         : sinpos_encoding_fill(e, 0, n, all_types[t], out, ld, 1));
    }
}

static void call_encoding_fill(void)
{
    keep_table(table, false);
    keep_table(rotary, false);
    keep_table(raw, false);
}

static void call_encoding_add(void)
{
    keep_table(table, true);
    keep_table(raw, true);
}

static void call_encoding_rotate(void)
{
    for (int t = 0; t < N_TYPES; t++)
        keep_status(sinpos_encoding_rotate(rotary, 0, 3, SINPOS_FORWARD, 2, all_types[t],
                                           room((size_t)6 * HEAD * type_size(all_types[t])), 2 * HEAD, HEAD, 1));
}

static void call_encoding_coordinates(void)
{
    keep_status(sinpos_encoding_coordinates(raw, 0, 2, room(2 * 3 * 8)));
    keep_status(sinpos_encoding_coordinates(transposed, 0, 20, room(20 * 2 * 8)));
}

static void call_encoding_looks(void)
{
    sinpos_rows rows = SINPOS_ROWS_INIT;
    keep_status(sinpos_encoding_positions(table, 3, 2, &rows));
    keep(&rows.n, sizeof rows.n);
    keep(&rows.first, sizeof rows.first);
    const void *const found[] = {sinpos_encoding_info_get(table), sinpos_encoding_plan(table)};
    keep(found, sizeof found);
}

/* Conventions with logarithms, thirds, decimals and stretched grids: their numbers are made while the mode is set. */
static void create_more(size_t every)
{
    static const named_case more[] = {{"t2t_timing_1d", "channels", 38, NULL, NULL, NULL},
                                      {"hf_marian", NULL, 0, NULL, NULL, NULL},
                                      {"detr_sine", NULL, 0, NULL, NULL, NULL},
                                      {"nerf_tf", NULL, 0, "x", NULL, NULL},
                                      {"mae_2d", NULL, 0, NULL, NULL, NULL},
                                      {"hf_speecht5_scaled", "alpha", 0.1, NULL, NULL, NULL},
                                      {"timm_fourier", NULL, 0, NULL, NULL, NULL},
                                      {"mlx_lm_rope", NULL, 0, NULL, NULL, NULL},
                                      {"rotary_embedding_torch", NULL, 0, "t", NULL, NULL},
                                      {"hf_rope", "length", 40, NULL, NULL, "inv_freq"},
                                      {"hf_rope", "length", 40, NULL, NULL, "angles"},
                                      {"hf_rope", "length", 40, NULL, "published", "cos_sin"},
                                      {"t2t_timing_1d", "length", 40, NULL, "published", NULL},
                                      {"vaswani", "length", 40, NULL, "float64", NULL}};
    for (size_t k = 0; k < sizeof more / sizeof *more; k++) {
        sinpos_encoding *e = NULL;
        const sinpos_status status = create_encoding(&e, &more[k], every);
        size_t n = 0;
        keep_status(status);
        if (status != SINPOS_OK)
            continue;
        keep_status(sinpos_plan_theta(sinpos_encoding_plan(e), NULL, 0, &n));
        if (n <= 400)
            keep_status(sinpos_plan_theta(sinpos_encoding_plan(e), room(n * 8), n, &n));
        keep_table(e, false);
        sinpos_encoding_destroy(e);
    }
}

static void call_encoding_create(void)
{
    create_more(0);
}

static void call_encoding_create_sparse(void)
{
    create_more(1);
    sinpos_encoding *e = NULL;
    keep_status(create_encoding(&e, &named[0], 4));
    keep_table(e, false);
    sinpos_encoding_destroy(e);
}

static void call_replay_create(void)
{
    static const char *const names[] = {"float32-exp", "float32-pow", "ggml", "float64-cast"};
    for (size_t k = 0; k < 4; k++) {
        sinpos_replay *r = NULL;
        const sinpos_rows rows = {sizeof(sinpos_rows), 5, NULL, NULL, 1000};
        keep_status(sinpos_replay_create(&r, plain, names[k]));
        keep_status(sinpos_replay_run(r, SINPOS_FILL, &rows, SINPOS_F64, room(5 * DIM * 8), DIM, 1));
        sinpos_replay_destroy(r);
    }
}

static void call_replay_theta(void)
{
    size_t n = 0;
    keep_status(sinpos_replay_theta(replay, room(DIM * 8), DIM, &n));
}

/* ------------------------------------------------------------------------------------------------------ Refusals */

static bool is_untouched(size_t from, size_t bytes)
{
    for (size_t i = from; i < from + bytes; i++)
        if (place[i] != 0x3c)
            return false;
    return true;
}

static void expect(sinpos_status got, sinpos_status want)
{
    assert_int_equal(got, want);
    assert_true(is_untouched(0, OUT_BYTES));
}

/* What is refused of every function; and the columns behind dim of a call that succeeds. */
static void refuse_usual(worker *work, const sinpos_plan *plan, size_t n, size_t dim)
{
    expect(work(plan, SINPOS_F32, NULL, dim), SINPOS_E_NULL);
    for (unsigned type = 0; type < 17; type += type == 0 ? 3 : 13)
        expect(work(plan, (sinpos_type)type, place, dim), SINPOS_E_TYPE);
    expect(work(plan, SINPOS_F32, place, dim - 1), SINPOS_E_SHAPE);
    expect(work(plan, SINPOS_F32, place, 0), SINPOS_E_SHAPE);
    expect(work(plan, SINPOS_F64, place, SIZE_MAX / 2), SINPOS_E_SHAPE);
    for (int t = 0; t < N_TYPES; t++) {
        const size_t bytes = type_size(all_types[t]), ld = dim + 5;
        assert_int_equal(work(plan, all_types[t], place, ld), SINPOS_OK);
        for (size_t i = 0; i < n; i++)
            assert_true(is_untouched((i * ld + dim) * bytes, 5 * bytes));
        assert_true(!is_untouched(0, n * ld * bytes));
        assert_true(is_untouched(n * ld * bytes, OUT_BYTES - n * ld * bytes));
        memset(place, 0x3c, OUT_BYTES);
    }
}

static void refuse_plan(worker *work, bool takes_pairs)
{
    sinpos_spec s = spec_of(1, 0);
    s.types = SINPOS_F16;
    sinpos_plan *narrow = plan_of(&s), *loud;
    s = spec_of(1e6, 0);
    loud = plan_of(&s);
    expect(work(NULL, SINPOS_F32, place, DIM), SINPOS_E_NULL);
    expect(work(narrow, SINPOS_F32, place, DIM), SINPOS_E_TYPE);
    if (work != do_shift && work != do_shift_matrix)
        expect(work(loud, SINPOS_F16, place, DIM), SINPOS_E_OVERFLOW);
    sinpos_plan_destroy(narrow);
    sinpos_plan_destroy(loud);
    refuse_usual(work, takes_pairs ? pairs : plain, work == do_shift_matrix ? DIM : ROWS, takes_pairs ? HEAD : DIM);
}

/* Rows that cannot be: of functions that take sinpos_rows. */
typedef sinpos_status rows_worker(const sinpos_rows *rows);

static void refuse_rows(rows_worker *work)
{
    static const int64_t least[2] = {3, INT64_MIN};
    static const double bad[4] = {NAN, INFINITY, 0x1p63, -0x1p63};
    expect(work(NULL), SINPOS_E_NULL);
    expect(work(&(sinpos_rows){.struct_size = sizeof(sinpos_rows), .n = 2, .integers = least}), SINPOS_E_RANGE);
    for (size_t k = 0; k < 4; k++)
        expect(work(&(sinpos_rows){.struct_size = sizeof(sinpos_rows), .n = 1, .reals = bad + k}), SINPOS_E_RANGE);
    expect(work(&(sinpos_rows){.struct_size = sizeof(sinpos_rows), .n = 1, .integers = least, .reals = bad}),
           SINPOS_E_VALUE);
    expect(work(&(sinpos_rows){.struct_size = sizeof(sinpos_rows), .n = 2, .first = INT64_MAX}), SINPOS_E_RANGE);
    expect(work(&(sinpos_rows){.struct_size = sizeof(sinpos_rows), .n = 2, .first = INT64_MIN}), SINPOS_E_RANGE);
}

static sinpos_status rows_run(const sinpos_rows *rows)
{
    return sinpos_run(plain, SINPOS_ADD, rows, SINPOS_F32, place, DIM, 1);
}

static sinpos_status rows_gradient_position(const sinpos_rows *rows)
{
    return sinpos_gradient_position(plain, rows, SINPOS_F32, place, DIM);
}

static sinpos_status rows_gradient_theta(const sinpos_rows *rows)
{
    return sinpos_gradient_theta(plain, rows, SINPOS_F32, place, DIM);
}

static sinpos_status rows_rotate(const sinpos_rows *rows)
{
    return sinpos_rotate(pairs, rows, SINPOS_TRANSPOSE, 1, SINPOS_F32, place, HEAD, HEAD, 1);
}

static sinpos_status rows_replay_run(const sinpos_rows *rows)
{
    return sinpos_replay_run(replay, SINPOS_FILL, rows, SINPOS_F32, place, HEAD, 1);
}

static sinpos_status rows_replay_rotate(const sinpos_rows *rows)
{
    return sinpos_replay_rotate(replay, rows, SINPOS_FORWARD, 1, SINPOS_F32, place, HEAD, HEAD, 1);
}

static void refuse_fill(void)
{
    refuse_plan(do_fill, false);
    expect(sinpos_fill(plain, INT64_MIN, 1, SINPOS_F32, place, DIM), SINPOS_E_RANGE);
    expect(sinpos_fill(plain, INT64_MAX, 2, SINPOS_F32, place, DIM), SINPOS_E_RANGE);
    expect(sinpos_fill(plane, 0, 1, SINPOS_F32, place, DIM), SINPOS_E_AXES);
    expect(sinpos_fill(plain, 0, SIZE_MAX / 8, SINPOS_F32, place, DIM), SINPOS_E_SHAPE);
    expect(sinpos_fill(plain, 0, 0, SINPOS_F32, place, DIM), SINPOS_OK);
}

static void refuse_add(void)
{
    refuse_plan(do_add, false);
    expect(sinpos_add(plain, INT64_MIN, 1, SINPOS_F32, place, DIM), SINPOS_E_RANGE);
    expect(sinpos_add(plain, INT64_MAX, 2, SINPOS_F32, place, DIM), SINPOS_E_RANGE);
    expect(sinpos_add(plane, 0, 1, SINPOS_F32, place, DIM), SINPOS_E_AXES);
    expect(sinpos_add(plain, 0, SIZE_MAX / 8, SINPOS_F32, place, DIM), SINPOS_E_SHAPE);
    expect(sinpos_add(plain, 0, 0, SINPOS_F32, place, DIM), SINPOS_OK);
}

static void refuse_fill_at(void)
{
    static const int64_t bad[3] = {1, 2, INT64_MIN};
    refuse_plan(do_fill_at, false);
    expect(sinpos_fill_at(plain, bad, 3, SINPOS_F32, place, DIM), SINPOS_E_RANGE);
    expect(sinpos_fill_at(plain, NULL, 3, SINPOS_F32, place, DIM), SINPOS_E_NULL);
}

static void refuse_add_at(void)
{
    static const int64_t bad[3] = {1, 2, INT64_MIN};
    refuse_plan(do_add_at, false);
    expect(sinpos_add_at(plain, bad, 3, SINPOS_F32, place, DIM), SINPOS_E_RANGE);
    expect(sinpos_add_at(plain, NULL, 3, SINPOS_F32, place, DIM), SINPOS_E_NULL);
}

static void refuse_fill_real(void)
{
    static const double bad[3] = {1, 2, NAN};
    refuse_plan(do_fill_real, false);
    expect(sinpos_fill_real(plain, bad, 3, SINPOS_F32, place, DIM), SINPOS_E_RANGE);
    expect(sinpos_fill_real(plain, NULL, 3, SINPOS_F32, place, DIM), SINPOS_E_NULL);
}

static void refuse_add_real(void)
{
    static const double bad[3] = {1, 2, INFINITY};
    refuse_plan(do_add_real, false);
    expect(sinpos_add_real(plain, bad, 3, SINPOS_F32, place, DIM), SINPOS_E_RANGE);
    expect(sinpos_add_real(plain, NULL, 3, SINPOS_F32, place, DIM), SINPOS_E_NULL);
}

static void refuse_run(void)
{
    const sinpos_rows rows = rows_at(0);
    refuse_plan(do_run, false);
    refuse_rows(rows_run);
    expect(sinpos_run(plain, (sinpos_operation)4, &rows, SINPOS_F32, place, DIM, 1), SINPOS_E_VALUE);
    expect(sinpos_run(plane, SINPOS_FILL, &rows, SINPOS_F32, place, DIM, 1), SINPOS_E_AXES);
}

static void refuse_gradient_position(void)
{
    refuse_plan(do_gradient_position, false);
    refuse_rows(rows_gradient_position);
}

static void refuse_gradient_theta(void)
{
    refuse_plan(do_gradient_theta, false);
    refuse_rows(rows_gradient_theta);
}

static void refuse_shift(void)
{
    refuse_plan(do_shift, false);
    expect(sinpos_shift(plain, INT64_MIN, 1, SINPOS_F32, place, DIM), SINPOS_E_RANGE);
    expect(sinpos_shift(plane, 1, 1, SINPOS_F32, place, DIM), SINPOS_E_AXES);
}

static void refuse_shift_matrix(void)
{
    refuse_plan(do_shift_matrix, false);
    expect(sinpos_shift_matrix(plain, INT64_MIN, SINPOS_F32, place, DIM), SINPOS_E_RANGE);
    expect(sinpos_shift_matrix(plane, 1, SINPOS_F32, place, DIM), SINPOS_E_AXES);
}

static void refuse_rotate(void)
{
    const sinpos_rows rows = rows_at(0);
    refuse_plan(do_rotate, true);
    refuse_rows(rows_rotate);
    expect(sinpos_rotate(pairs, &rows, (sinpos_direction)3, 1, SINPOS_F32, place, HEAD, HEAD, 1), SINPOS_E_VALUE);
    expect(sinpos_rotate(pairs, &rows, SINPOS_FORWARD, 2, SINPOS_F32, place, HEAD, HEAD - 1, 1), SINPOS_E_SHAPE);
    expect(sinpos_rotate(pairs, &rows, SINPOS_FORWARD, 2, SINPOS_F32, place, HEAD, HEAD, 1), SINPOS_E_SHAPE);
    expect(sinpos_rotate(pairs, &rows, SINPOS_FORWARD, 0, SINPOS_F32, place, HEAD, HEAD, 1), SINPOS_OK);
}

static void refuse_replay_run(void)
{
    const sinpos_rows rows = rows_at(0);
    refuse_usual(do_replay_run, NULL, ROWS, HEAD);
    refuse_rows(rows_replay_run);
    expect(sinpos_replay_run(NULL, SINPOS_FILL, &rows, SINPOS_F32, place, HEAD, 1), SINPOS_E_NULL);
    expect(sinpos_replay_run(replay, SINPOS_GRADIENT_THETA, &rows, SINPOS_F32, place, HEAD, 1), SINPOS_E_VALUE);
}

static void refuse_replay_rotate(void)
{
    const sinpos_rows rows = rows_at(0);
    refuse_usual(do_replay_rotate, NULL, ROWS, HEAD);
    refuse_rows(rows_replay_rotate);
    expect(sinpos_replay_rotate(NULL, &rows, SINPOS_FORWARD, 1, SINPOS_F32, place, HEAD, HEAD, 1), SINPOS_E_NULL);
    expect(sinpos_replay_rotate(replay, &rows, SINPOS_INVERSE, 1, SINPOS_F32, place, HEAD, HEAD, 1),
           SINPOS_E_UNSUPPORTED);
}

static sinpos_status do_encoding_fill(const sinpos_plan *p, sinpos_type t, void *out, size_t ld)
{
    (void)p;
    return sinpos_encoding_fill(table, 7, ROWS, t, out, ld, 1);
}

static sinpos_status do_encoding_add(const sinpos_plan *p, sinpos_type t, void *out, size_t ld)
{
    (void)p;
    return sinpos_encoding_add(table, 7, ROWS, t, out, ld, 1);
}

static sinpos_status do_encoding_rotate(const sinpos_plan *p, sinpos_type t, void *out, size_t ld)
{
    (void)p;
    return sinpos_encoding_rotate(rotary, 0, 3, SINPOS_FORWARD, 1, t, out, ld, HEAD, 1);
}

static void refuse_encoding_fill(void)
{
    const sinpos_encoding_info *info = sinpos_encoding_info_get(table);
    const size_t ld = info->n_columns;
    refuse_usual(do_encoding_fill, NULL, ROWS, ld);
    expect(sinpos_encoding_fill(NULL, 0, 1, SINPOS_F32, place, ld, 1), SINPOS_E_NULL);
    expect(sinpos_encoding_fill(table, info->n_rows, 1, SINPOS_F32, place, ld, 1), SINPOS_E_RANGE);
    expect(sinpos_encoding_fill(table, SIZE_MAX, 2, SINPOS_F32, place, ld, 1), SINPOS_E_RANGE);
}

static void refuse_encoding_add(void)
{
    const sinpos_encoding_info *info = sinpos_encoding_info_get(table);
    const size_t ld = info->n_columns;
    refuse_usual(do_encoding_add, NULL, ROWS, ld);
    expect(sinpos_encoding_add(NULL, 0, 1, SINPOS_F32, place, ld, 1), SINPOS_E_NULL);
    expect(sinpos_encoding_add(table, info->n_rows - 1, 2, SINPOS_F32, place, ld, 1), SINPOS_E_RANGE);
}

static sinpos_status rows_run_arrays(const sinpos_rows *rows)
{
    const sinpos_arrays a = one_array(place, DIM);
    return sinpos_run_arrays(plain, SINPOS_ADD, rows, SINPOS_F32, &a);
}

static sinpos_status rows_rotate_arrays(const sinpos_rows *rows)
{
    const sinpos_arrays a = one_array(place, HEAD);
    return sinpos_rotate_arrays(pairs, rows, SINPOS_INVERSE, SINPOS_F32, &a);
}

static void refuse_run_arrays(void)
{
    refuse_plan(do_run_arrays, false);
    refuse_rows(rows_run_arrays);
}

static void refuse_rotate_arrays(void)
{
    refuse_plan(do_rotate_arrays, true);
    refuse_rows(rows_rotate_arrays);
}

static void refuse_factors_rotate(void)
{
    const sinpos_arrays a = one_array(place, HEAD), narrow = one_array(place, HEAD - 1), none = one_array(NULL, HEAD);
    expect(sinpos_factors_rotate(NULL, 0, 1, &a), SINPOS_E_NULL);
    expect(sinpos_factors_rotate(made_factors[0], 0, 1, NULL), SINPOS_E_NULL);
    expect(sinpos_factors_rotate(made_factors[0], 0, 1, &none), SINPOS_E_NULL);
    expect(sinpos_factors_rotate(made_factors[0], 1, ROWS, &a), SINPOS_E_RANGE);
    expect(sinpos_factors_rotate(made_factors[0], 0, 2, &narrow), SINPOS_E_SHAPE);
}

static void refuse_encoding_rotate(void)
{
    refuse_usual(do_encoding_rotate, NULL, 3, HEAD);
    expect(sinpos_encoding_rotate(NULL, 0, 1, SINPOS_FORWARD, 1, SINPOS_F32, place, HEAD, HEAD, 1), SINPOS_E_NULL);
    expect(sinpos_encoding_rotate(rotary, 1, 3, SINPOS_FORWARD, 1, SINPOS_F32, place, HEAD, HEAD, 1), SINPOS_E_RANGE);
    expect(sinpos_encoding_rotate(table, 0, 1, SINPOS_FORWARD, 1, SINPOS_F32, place, 64, 64, 1), SINPOS_E_UNSUPPORTED);
}

static void refuse_encoding_coordinates(void)
{
    double *const out = (double *)(void *)place;
    expect(sinpos_encoding_coordinates(NULL, 0, 1, out), SINPOS_E_NULL);
    expect(sinpos_encoding_coordinates(raw, 0, 1, NULL), SINPOS_E_NULL);
    expect(sinpos_encoding_coordinates(raw, 2, 1, out), SINPOS_E_RANGE);
    expect(sinpos_encoding_coordinates(raw, SIZE_MAX, 2, out), SINPOS_E_RANGE);
    assert_int_equal(sinpos_encoding_coordinates(raw, 0, 2, out), SINPOS_OK);
    assert_true(is_untouched(6 * sizeof *out, 1000));
}

/* ------------------------------------------------------------------------------------------------------ The cases */

typedef struct function {
    const char *name;
    void (*call)(void);
    void (*refuse)(void); /* of those that write an array */
} function;

/* Functions that work with a plan. */
typedef struct work_function {
    const char *name;
    worker *work;
    bool takes_pairs;
} work_function;

static const work_function works[] = {
    {"sinpos_add", do_add, false},
    {"sinpos_add_at", do_add_at, false},
    {"sinpos_add_real", do_add_real, false},
    {"sinpos_fill", do_fill, false},
    {"sinpos_fill_at", do_fill_at, false},
    {"sinpos_fill_real", do_fill_real, false},
    {"sinpos_gradient_position", do_gradient_position, false},
    {"sinpos_gradient_theta", do_gradient_theta, false},
    {"sinpos_factors_rotate", do_factors_rotate, true},
    {"sinpos_rotate", do_rotate, true},
    {"sinpos_rotate_arrays", do_rotate_arrays, true},
    {"sinpos_run", do_run, false},
    {"sinpos_run_arrays", do_run_arrays, false},
    {"sinpos_shift", do_shift, false},
    {"sinpos_shift_matrix", do_shift_matrix, false},
};
enum { N_WORKS = sizeof works / sizeof *works };

static const function functions[] = {
    {"sinpos_add", call_add, refuse_add},
    {"sinpos_add_at", call_add_at, refuse_add_at},
    {"sinpos_add_real", call_add_real, refuse_add_real},
    {"sinpos_arithmetic_at", call_catalogue, NULL},
    {"sinpos_arithmetic_find", call_catalogue, NULL},
    {"sinpos_arithmetic_text", call_catalogue, NULL},
    {"sinpos_arithmetics_count", call_catalogue, NULL},
    {"sinpos_convention_at", call_catalogue, NULL},
    {"sinpos_convention_field", call_catalogue, NULL},
    {"sinpos_convention_find", call_catalogue, NULL},
    {"sinpos_convention_name", call_catalogue, NULL},
    {"sinpos_convention_parameter", call_catalogue, NULL},
    {"sinpos_convention_parameters", call_catalogue, NULL},
    {"sinpos_convention_rows", call_catalogue, NULL},
    {"sinpos_convention_text", call_catalogue, NULL},
    {"sinpos_conventions_count", call_catalogue, NULL},
    {"sinpos_encoding_add", call_encoding_add, refuse_encoding_add},
    {"sinpos_encoding_coordinates", call_encoding_coordinates, refuse_encoding_coordinates},
    {"sinpos_encoding_create", call_encoding_create, NULL},
    {"sinpos_encoding_create_sparse", call_encoding_create_sparse, NULL},
    {"sinpos_encoding_destroy", call_encoding_create_sparse, NULL},
    {"sinpos_encoding_fill", call_encoding_fill, refuse_encoding_fill},
    {"sinpos_encoding_info_get", call_encoding_looks, NULL},
    {"sinpos_encoding_plan", call_encoding_looks, NULL},
    {"sinpos_encoding_positions", call_encoding_looks, NULL},
    {"sinpos_encoding_rotate", call_encoding_rotate, refuse_encoding_rotate},
    {"sinpos_factors_bytes", call_factors_create, NULL},
    {"sinpos_factors_create", call_factors_create, NULL},
    {"sinpos_factors_destroy", call_factors_create, NULL},
    {"sinpos_factors_rotate", call_factors_rotate, refuse_factors_rotate},
    {"sinpos_fill", call_fill, refuse_fill},
    {"sinpos_fill_at", call_fill_at, refuse_fill_at},
    {"sinpos_fill_real", call_fill_real, refuse_fill_real},
    {"sinpos_gradient_position", call_gradient_position, refuse_gradient_position},
    {"sinpos_gradient_theta", call_gradient_theta, refuse_gradient_theta},
    {"sinpos_isa", call_words, NULL},
    {"sinpos_isa_cap", call_words, NULL},
    {"sinpos_output_find", call_catalogue, NULL},
    {"sinpos_output_name", call_catalogue, NULL},
    {"sinpos_parameters_create", call_parameters, NULL},
    {"sinpos_parameters_destroy", call_parameters, NULL},
    {"sinpos_parameters_set_flag", call_parameters, NULL},
    {"sinpos_parameters_set_list", call_parameters, NULL},
    {"sinpos_parameters_set_null", call_parameters, NULL},
    {"sinpos_parameters_set_number", call_parameters, NULL},
    {"sinpos_parameters_set_text", call_parameters, NULL},
    {"sinpos_plan_axes", call_plan_sizes, NULL},
    {"sinpos_plan_bytes", call_plan_sizes, NULL},
    {"sinpos_workspace_bytes", call_plan_sizes, NULL},
    {"sinpos_plan_create", call_plan_create, NULL},
    {"sinpos_plan_create_tones", call_plan_create_tones, NULL},
    {"sinpos_plan_destroy", call_plan_create, NULL},
    {"sinpos_plan_dim", call_plan_sizes, NULL},
    {"sinpos_plan_theta", call_plan_theta, NULL},
    {"sinpos_plan_tones", call_plan_tones, NULL},
    {"sinpos_replay_create", call_replay_create, NULL},
    {"sinpos_replay_destroy", call_replay_create, NULL},
    {"sinpos_replay_rotate", call_replay_rotate, refuse_replay_rotate},
    {"sinpos_replay_run", call_replay_run, refuse_replay_run},
    {"sinpos_replay_theta", call_replay_theta, NULL},
    {"sinpos_rotate", call_rotate, refuse_rotate},
    {"sinpos_rotate_arrays", call_rotate_arrays, refuse_rotate_arrays},
    {"sinpos_run", call_run, refuse_run},
    {"sinpos_run_arrays", call_run_arrays, refuse_run_arrays},
    {"sinpos_shift", call_shift, refuse_shift},
    {"sinpos_shift_matrix", call_shift_matrix, refuse_shift_matrix},
    {"sinpos_spec_check", call_spec_check, NULL},
    {"sinpos_spec_frequencies", call_spec_tones, NULL},
    {"sinpos_spec_tones", call_spec_tones, NULL},
    {"sinpos_strerror", call_words, NULL},
    {"sinpos_type_bytes", call_words, NULL},
    {"sinpos_version", call_words, NULL},
    {"sinpos_version_number", call_words, NULL},
};
enum { N_FUNCTIONS = sizeof functions / sizeof *functions };

/* ---------------------------------------------------------------------------------------------------- Environment */

static size_t call_into(const function *f, unsigned char *out)
{
    place = out;
    used = 0;
    memset(out, 0x3c, OUT_BYTES); /* a moderate number in every type, to be added to and turned */
    f->call();
    return used;
}

/* [P6] The bytes that a function makes, in each of the caller's modes; the small size takes two. */
static void same_in_every_mode(void **state)
{
    static const int modes[] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
    static _Alignas(64) unsigned char out[OUT_BYTES], reference[OUT_BYTES];
    const function *f = *state;
    const size_t bytes = call_into(f, reference);
    assert_true(bytes > 0);
    for (int m = small_size() ? 1 : 0; m < 8; m += small_size() ? 5 : 1) {
        fenv_t kept;
        assert_int_equal(fegetenv(&kept), 0);
        if (m >= 4)
            set_flush_to_zero();
        (void)fesetround(modes[m % 4]);
        const unsigned long before = get_control();
        const size_t made = call_into(f, out);
        const unsigned long after = get_control();
        const int mode = fegetround();
        (void)fesetenv(&kept);
        assert_int_equal(made, bytes);
        assert_int_equal(mode, modes[m % 4]);
        assert_int_equal(control_only(before), control_only(after));
        assert_or_say(memcmp(out, reference, bytes) == 0, "%s: other bytes in rounding mode %d%s, isa %s", f->name,
                      m % 4, m >= 4 ? " with flush to zero" : "", sinpos_isa());
    }
}

/* [P5] */
static void refused_untouched(void **state)
{
    static _Alignas(64) unsigned char out[OUT_BYTES];
    const function *f = *state;
    place = out;
    memset(out, 0x3c, OUT_BYTES);
    f->refuse();
}

/* [P3] [P4] The plan has the same bytes afterwards, and nothing was asked for. */
static void works_alone(void **state)
{
    static _Alignas(64) unsigned char out[OUT_BYTES];
    const work_function *f = *state;
    const sinpos_plan *const plans[] = {f->takes_pairs ? pairs : plain, f->takes_pairs ? pairs : phased};
    const void *const made[] = {f->takes_pairs ? bytes_of_pairs : bytes_of_plain,
                                f->takes_pairs ? bytes_of_pairs : bytes_of_phased};
    for (size_t k = 0; k < 2; k++) {
        for (int t = 0; t < N_TYPES; t++) {
            memset(out, 0x3c, sizeof out);
            asked = 0;
            const sinpos_status status = f->work(plans[k], all_types[t], out, f->takes_pairs ? HEAD : DIM);
            assert_int_equal(asked, 0);
            assert_int_equal(status, SINPOS_OK);
        }
        assert_memory_equal(made[k], plans[k], sinpos_plan_bytes(plans[k]));
    }
}

typedef struct shared_work {
    const work_function *f;
    size_t index;
    unsigned char out[ROWS * DIM * 8];
    sinpos_status status;
    pthread_barrier_t *start;
    const unsigned char *want; /* what it made alone, or NULL */
    unsigned wrong;            /* rounds that made something else */
} shared_work;

static void *work_again(void *argument)
{
    shared_work *w = argument;
    const sinpos_plan *const plans[2] = {w->f->takes_pairs ? pairs : plain, w->f->takes_pairs ? other_pairs : other};
    if (w->start != NULL)
        (void)pthread_barrier_wait(w->start);
    for (int round = 0; round < 150 && w->status == SINPOS_OK; round++) {
        memset(w->out, 0x3c, sizeof w->out);
        w->status = w->f->work(plans[w->index % 2], SINPOS_F64, w->out, w->f->takes_pairs ? HEAD : DIM);
        w->wrong += w->want != NULL && memcmp(w->out, w->want, sizeof w->out) != 0;
    }
    return NULL;
}

/* [P3] Threads that share two plans: what one leaves behind another would find. */
static void works_beside_others(void **state)
{
    enum { THREADS = 4 };
    static shared_work shared[THREADS], alone[2];
    pthread_t threads[THREADS];
    const work_function *f = *state;
    pthread_barrier_t start;
    assert_int_equal(pthread_barrier_init(&start, NULL, THREADS), 0);
    for (size_t i = 0; i < 2; i++) {
        alone[i] = (shared_work){.f = f, .index = i};
        (void)work_again(&alone[i]);
        assert_int_equal(alone[i].status, SINPOS_OK);
    }
    for (size_t i = 0; i < THREADS; i++) {
        shared[i] = (shared_work){.f = f, .index = i, .start = &start, .want = alone[i % 2].out};
        assert_int_equal(pthread_create(&threads[i], NULL, work_again, &shared[i]), 0);
    }
    for (size_t i = 0; i < THREADS; i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    assert_int_equal(pthread_barrier_destroy(&start), 0);
    for (size_t i = 0; i < THREADS; i++) {
        assert_int_equal(shared[i].status, SINPOS_OK);
        assert_int_equal(shared[i].wrong, 0);
    }
}

/* The first member of what *state points to is the function's name. */
static int end_of_modes(void **state)
{
    return case_report("modes", *(const char *const *)*state);
}

static int end_of_refusals(void **state)
{
    return case_report("refusals", *(const char *const *)*state);
}

static int end_of_alone(void **state)
{
    return case_report("alone", *(const char *const *)*state);
}

static int end_of_threads(void **state)
{
    return case_report("threads", *(const char *const *)*state);
}

enum { MOST_CASES = 2 * N_FUNCTIONS + 2 * N_WORKS };
static struct CMUnitTest cases[MOST_CASES];
static size_t n_cases;

static void add_case(const char *kind, CMUnitTestFunction test, CMFixtureFunction end, const void *row)
{
    static char names[MOST_CASES][80];
    (void)snprintf(names[n_cases], sizeof names[n_cases], "%s %s", kind, *(const char *const *)row);
    cases[n_cases] = (struct CMUnitTest){names[n_cases], test, case_begin, end, (void *)(uintptr_t)row};
    n_cases++;
}

int main(void)
{
    for (size_t k = 0; k < N_FUNCTIONS; k++)
        add_case("modes", same_in_every_mode, end_of_modes, &functions[k]);
    for (size_t k = 0; k < N_FUNCTIONS; k++)
        if (functions[k].refuse != NULL)
            add_case("refusals", refused_untouched, end_of_refusals, &functions[k]);
    for (size_t k = 0; k < N_WORKS; k++) {
        add_case("alone", works_alone, end_of_alone, &works[k]);
        add_case("threads", works_beside_others, end_of_threads, &works[k]);
    }
    return cases_run("every_function", cases, n_cases, set_up, tear_down);
}
