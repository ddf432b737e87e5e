#include "bars.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "sinpos_analysis.h"

/* RUN: positions that follow each other in a list. DISTANCE_ROWS: positions, and columns, of the third document's listing 4. */
enum {
    ROWS = 65536,
    ROWS_F64 = 32768,
    ROWS_BF16 = 131072,
    ROWS_REAL = 8192,
    ROWS_LAYERS = LAYERS * LAYER_HEADS * ROTARY_DIM / BENCH_DIM,
    DISTANCE_ROWS = 1000,
    HEADS = 32,
    RUN = 8
};

const struct bar bars[] = {
    {"fill_f32_vs_memset", 1.05, FILL, SINPOS_F32, ROWS, MEMSET, 0},
    {"fill_f32_2threads_vs_memset_2threads", 0.95, FILL, SINPOS_F32, ROWS, MEMSET, 2},
    {"fill_f32_cached_vs_sleef_u35", 2.0, FILL, SINPOS_F32, CACHED, SLEEF_U35, 1},
    {"fill_f32_vs_torch", 28.0, FILL, SINPOS_F32, ROWS, TORCH, 1},
    {"fill_f32_vs_numpy32", 6.0, FILL, SINPOS_F32, ROWS, NUMPY, 1},
    {"fill_bf16_vs_memset", 0.75, FILL, SINPOS_BF16, ROWS, MEMSET, 0},
    {"fill_f16_vs_memset", 0.75, FILL, SINPOS_F16, ROWS, MEMSET, 0},
    {"fill_f64_vs_memset", 0.5, FILL, SINPOS_F64, ROWS_F64, MEMSET, 0},
    {"add_f32_vs_add_constant", 0.9, ADD, SINPOS_F32, ROWS, ADD_CONSTANT, 0},
    {"add_f32_vs_add_table", 1.5, ADD, SINPOS_F32, ROWS, ADD_TABLE, 0},
    {"add_batch8_vs_add_constant", 0.9, ADD_BATCH, SINPOS_F32, ROWS, ADD_CONSTANT, 0},
    {"fill_bf16_cached_vs_double", 1.6, FILL, SINPOS_BF16, CACHED, DOUBLES, 1},
    {"fill_f16_cached_vs_double", 1.2, FILL, SINPOS_F16, CACHED, DOUBLES, 1},
    {"scattered_bf16_cached_vs_double", 1.8, SCATTERED, SINPOS_BF16, CACHED, DOUBLES, 1},
    {"add_bf16_cached_vs_double", 1.8, ADD, SINPOS_BF16, CACHED, DOUBLES, 1},
    {"rotate_f32_vs_scale", 0.75, ROTATE, SINPOS_F32, ROWS, SCALE, 1},
    {"rotate_bf16_vs_scale", 0.5, ROTATE, SINPOS_BF16, ROWS_BF16, SCALE, 1},
    {"rotate_f32_vs_torch", 8.0, ROTATE, SINPOS_F32, ROWS, TORCH_ROTATE, 1},
    {"rotate_f32_vs_ggml", 0.0, ROTATE, SINPOS_F32, ROWS, GGML, 1},
    {"rotate_pairs_f32_vs_scale", 0.0, ROTATE_PAIRS, SINPOS_F32, ROWS, SCALE, 1},
    {"rotate_one_head_f32_vs_scale", 0.0, ROTATE_ONE, SINPOS_F32, ROWS, SCALE, 1},
    {"rotate_decode_layers32_vs_scale", 0.0, ROTATE_LAYERS, SINPOS_F32, ROWS_LAYERS, SCALE, 1},
    {"scattered_f32_vs_memset", 0.6, SCATTERED, SINPOS_F32, ROWS, MEMSET, 0},
    {"scattered_any_f32_vs_memset", 0.35, SCATTERED_ANY, SINPOS_F32, ROWS, MEMSET, 0},
    {"fill_runs_vs_fill", 0.5, RUNS, SINPOS_F32, ROWS, CONSECUTIVE, 0},
    {"real_f32_vs_sleef_u10_f64", 1.5, REAL, SINPOS_F32, ROWS_REAL, SLEEF_U10_F64, 1},
    {"scattered_f64_vs_sleef_u10", 0.5, SCATTERED, SINPOS_F64, ROWS_REAL, SLEEF_U10_F64, 1},
    {"plan_rows", 256.0, MAKE_PLAN, SINPOS_F32, CACHED, CACHED_ROWS, 1},
    {"fill_f32_cached_vs_libm_sincosf", 0.0, FILL, SINPOS_F32, CACHED, LIBM, 1},
    {"fill_f32_vs_torch_in_place", 0.0, FILL, SINPOS_F32, ROWS, TORCH_IN_PLACE, 1},
    {"fill_f32_vs_numpy32_in_place", 0.0, FILL, SINPOS_F32, ROWS, NUMPY_IN_PLACE, 1},
    {"distance_vs_listing4", 100.0, DISTANCES, SINPOS_F64, DISTANCE_ROWS, TORCH_LISTING_4, 1},
    {"stream_store_vs_memset", 0.0, STREAM_STORE, SINPOS_F32, ROWS, MEMSET, 0},
    {"memcpy_vs_memset", 0.0, MEMCPY, SINPOS_F32, ROWS, MEMSET, 0},
};
const size_t n_bars = sizeof bars / sizeof *bars;
_Static_assert(sizeof bars / sizeof *bars <= BENCH_MOST_RESULTS, "a report has room for the result of each bar");

/* Where memory takes this, bfloat16 is bounded by the making of elements, two to a float's bytes. */
static const double fast_gb_per_s = 20.0, wanted_of_fast = 0.45;

double bar_wanted(const struct bar *bar, double theirs_gb_per_s)
{
    const bool is_fast = bar->against == MEMSET && bar->type == SINPOS_BF16 && theirs_gb_per_s > fast_gb_per_s;
    return is_fast ? wanted_of_fast : bar->wanted;
}

/* ------------------------------------------------------------------------------------- the bench */

static uint64_t next_random(uint64_t *state) /* splitmix64 */
{
    uint64_t z = *state += 0x9e3779b97f4a7c15U;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9U;
    z = (z ^ z >> 27) * 0x94d049bb133111ebU;
    return z ^ z >> 31;
}

static int64_t any_position(uint64_t bits)
{
    const int64_t position = (int64_t)(bits >> 1);
    return bits & 1 ? -position : position;
}

static void *pages(size_t bytes)
{
    void *memory = aligned_alloc(4096, (bytes + 4095) / 4096 * 4096);
    if (memory)
        memset(memory, 1, bytes);
    return memory;
}

bool workbench_make(struct workbench *bench)
{
    const size_t buffer_bytes = bench->quick ? BUFFER_BYTES / 4 : BUFFER_BYTES;
    uint64_t state = 1;

    bench->buffer = pages(buffer_bytes);
    bench->second = pages(buffer_bytes);
    bench->near_positions = pages(ROWS * sizeof *bench->near_positions);
    bench->any_positions = pages(ROWS * sizeof *bench->any_positions);
    bench->runs = pages(ROWS * sizeof *bench->runs);
    bench->real_positions = pages(ROWS_REAL * sizeof *bench->real_positions);
    bench->theta_f64 = pages(BENCH_TONES * sizeof *bench->theta_f64);
    bench->theta_f32 = pages(BENCH_TONES * sizeof *bench->theta_f32);
    bench->cached_positions = pages(CACHED * sizeof *bench->cached_positions);
    if (!bench->buffer || !bench->second || !bench->near_positions || !bench->any_positions || !bench->runs ||
        !bench->real_positions || !bench->theta_f64 || !bench->theta_f32 || !bench->cached_positions)
        return false;

    for (size_t i = 0; i < ROWS; i++) {
        bench->near_positions[i] = (int64_t)(next_random(&state) >> 44);
        bench->any_positions[i] = any_position(next_random(&state));
        bench->runs[i] = bench->near_positions[i / RUN * RUN] + (int64_t)(i % RUN);
    }
    for (size_t i = 0; i < ROWS_REAL; i++)
        bench->real_positions[i] = 1e6 * 0x1p-53 * (double)(next_random(&state) >> 11);
    for (size_t i = 0; i < CACHED; i++)
        bench->cached_positions[i] = (float)i;
    bench_theta(bench->theta_f64);
    for (size_t k = 0; k < BENCH_TONES; k++)
        bench->theta_f32[k] = (float)bench->theta_f64[k];
    bench->has_sleef = sleef_open(&bench->sleef);
    bench->ggml = ggml_open();
    return true;
}

void workbench_free(struct workbench *bench)
{
    free(bench->buffer);
    free(bench->second);
    free(bench->near_positions);
    free(bench->any_positions);
    free(bench->runs);
    free(bench->real_positions);
    free(bench->theta_f64);
    free(bench->theta_f32);
    free(bench->cached_positions);
    if (bench->has_sleef)
        sleef_close(&bench->sleef);
    ggml_close(bench->ggml);
}

/* The instruction set in use, but with rows in double alone; NULL where there is none. */
static const char *without_floats(void)
{
    static char name[32];
    const char *here = sinpos_isa();
    (void)snprintf(name, sizeof name, "%s-double", here);
    const bool exists = sinpos_isa_cap(name) == SINPOS_OK;
    return exists && sinpos_isa_cap(here) == SINPOS_OK ? name : NULL;
}

/* What Linux says may still be allocated; 0 where it does not say. */
static double memory_gb(void)
{
    char line[256];
    double kb = 0;
    FILE *info = fopen("/proc/meminfo", "r");
    while (info && fgets(line, sizeof line, info))
        if (sscanf(line, "MemAvailable: %lf", &kb) == 1)
            break;
    if (info)
        fclose(info);
    return 1024e-9 * kb;
}

/* The differences of listing 4 are 4 GB, and torch.norm() wants as much again. */
static const double listing_4_gb = 9;

const char *bar_needs(const struct workbench *bench, const struct bar *bar)
{
    switch (bar->against) {
    case TORCH_LISTING_4:
        if (memory_gb() < listing_4_gb)
            return "9 GB of free memory";
        return bench->torch ? NULL : "PyTorch for python3 (apt-get install python3-torch)";
    case SLEEF_U35:
    case SLEEF_U10_F64: return bench->has_sleef ? NULL : "libsleef.so.3 (apt-get install libsleef3)";
    case GGML: return bench->ggml ? NULL : "libggml.so (https://github.com/ggml-org/ggml, built as shared libraries)";
    case TORCH:
    case TORCH_ROTATE:
    case TORCH_IN_PLACE: return bench->torch ? NULL : "PyTorch for python3 (apt-get install python3-torch)";
    case NUMPY:
    case NUMPY_IN_PLACE: return bench->numpy ? NULL : "NumPy for python3 (apt-get install python3-numpy)";
    case DOUBLES: return without_floats() ? NULL : "a processor with vectors, on which rows are made in float";
    default: break;
    }
    if (bar->work == STREAM_STORE && !limit_exists(LIMIT_STREAM_STORE))
        return "a processor with streaming stores";
    return NULL;
}

/* ----------------------------------------------------------------------------------------- sides */

static double library_seconds(void *argument)
{
    const struct library_job *job = argument;
    const double start = bench_clock();
    if (sinpos_run(job->plan, job->operation, &job->rows, job->type, job->out, BENCH_DIM, job->threads) != SINPOS_OK)
        return -1.0;
    __asm__ volatile("" : : "r"(job->out) : "memory");
    return bench_clock() - start;
}

/* Rows that no run has made before, since processors learn which branches repeat; processor time. */
static double new_rows_seconds(void *argument)
{
    enum { CALLS = 4 };
    struct library_job *job = argument;
    const char *here = sinpos_isa();
    sinpos_status status = job->isa == NULL ? SINPOS_OK : sinpos_isa_cap(job->isa);
    const double start = bench_processor_clock();
    for (int i = 0; i < CALLS && status == SINPOS_OK; i++) {
        job->calls++;
        if (job->list != NULL)
            job->rows.integers = job->list + job->calls * job->rows.n % ROWS;
        else
            job->rows.first += (int64_t)job->rows.n;
        status = sinpos_run(job->plan, job->operation, &job->rows, job->type, job->out, BENCH_DIM, job->threads);
    }
    __asm__ volatile("" : : "r"(job->out) : "memory");
    const double seconds = (bench_processor_clock() - start) / CALLS;
    if (sinpos_isa_cap(here) != SINPOS_OK || status != SINPOS_OK)
        return -1.0;
    return seconds;
}

static double rotary_seconds(void *argument)
{
    const struct rotary_job *job = argument;
    const sinpos_rows rows = {.struct_size = sizeof rows, .n = job->n};
    const size_t ld_row = job->heads * ROTARY_DIM;
    const double start = bench_clock();
    if (sinpos_rotate(job->plan, &rows, SINPOS_FORWARD, job->heads, job->type, job->x, ld_row, ROTARY_DIM,
                      job->threads) != SINPOS_OK)
        return -1.0;
    __asm__ volatile("" : : "r"(job->x) : "memory");
    return bench_clock() - start;
}

/* Only the making counts, not the freeing. */
static double plan_seconds(void *spec)
{
    sinpos_plan *plan;
    const double start = bench_clock();
    if (sinpos_plan_create(&plan, spec) != SINPOS_OK)
        return -1.0;
    const double seconds = bench_clock() - start;
    sinpos_plan_destroy(plan);
    return seconds;
}

/* All of it: the plan too. */
static double distance_seconds(void *argument)
{
    const struct distance_job *job = argument;
    sinpos_spec spec = SINPOS_SPEC_INIT;
    sinpos_plan *plan;
    spec.dim = job->rows;
    spec.types = SINPOS_F64;
    const double start = bench_clock();
    if (sinpos_plan_create(&plan, &spec) != SINPOS_OK)
        return -1.0;
    const sinpos_status status = sinpos_distance_matrix(plan, 0, job->rows, job->rows, job->out, job->rows, 1);
    const double seconds = bench_clock() - start;
    sinpos_plan_destroy(plan);
    return status == SINPOS_OK ? seconds : -1.0;
}

static size_t bar_rows(const struct workbench *bench, const struct bar *bar)
{
    if (bar->work == DISTANCES)
        return bench->quick ? bar->rows / 2 : bar->rows;
    return bench->quick && bar->rows > CACHED && bar->rows != ROWS_LAYERS ? bar->rows / 4 : bar->rows;
}

static size_t bar_bytes(const struct workbench *bench, const struct bar *bar)
{
    return bar_rows(bench, bar) * BENCH_DIM * sinpos_type_bytes(bar->type);
}

static struct side library_side(struct contest *contest, const struct workbench *bench, const struct bar *bar,
                                size_t threads)
{
    const double bytes = (double)bar_bytes(bench, bar);
    contest->library = (struct library_job){
        .plan = contest->library.plan,
        .operation = bar->work == ADD ? SINPOS_ADD : SINPOS_FILL,
        .rows = {.struct_size = sizeof(sinpos_rows),
                 .n = bar_rows(bench, bar),
                 .integers = bar->work == SCATTERED       ? bench->near_positions
                             : bar->work == SCATTERED_ANY ? bench->any_positions
                             : bar->work == RUNS          ? bench->runs
                                                          : NULL,
                 .reals = bar->work == REAL ? bench->real_positions : NULL},
        .type = bar->type,
        .out = bench->buffer,
        .threads = threads,
        .list = bar->work == SCATTERED ? bench->near_positions : NULL,
    };
    return (struct side){bar->against == DOUBLES ? new_rows_seconds : library_seconds, &contest->library, bytes, bytes,
                         bar->rows == CACHED ? MAX_TIMES : 1};
}

static struct side consecutive_side(struct contest *contest, const struct side *ours)
{
    contest->second = contest->library;
    contest->second.rows.integers = NULL;
    return (struct side){library_seconds, &contest->second, ours->bytes, ours->bytes, ours->repeat};
}

static struct side doubles_side(struct contest *contest, const struct side *ours)
{
    contest->second = contest->library;
    contest->second.isa = without_floats();
    return (struct side){new_rows_seconds, &contest->second, ours->bytes, ours->bytes, ours->repeat};
}

static bool is_rotary(const struct bar *bar)
{
    return bar->work == ROTATE || bar->work == ROTATE_PAIRS || bar->work == ROTATE_ONE || bar->work == ROTATE_LAYERS;
}

static struct side rotary_side(struct contest *contest, const struct workbench *bench, const struct bar *bar,
                               size_t threads)
{
    const double bytes = (double)bar_bytes(bench, bar);
    const size_t heads = bar->work == ROTATE_ONE ? 1 : HEADS;
    contest->rotary = (struct rotary_job){
        .plan = contest->library.plan,
        .n = bar_rows(bench, bar) * BENCH_DIM / ROTARY_DIM / heads,
        .heads = heads,
        .type = bar->type,
        .layout = contest->spec.layout,
        .x = bench->buffer,
        .threads = threads,
    };
    return (struct side){rotary_seconds, &contest->rotary, bytes, bytes, 1};
}

static struct side batch_side(struct contest *contest, const struct workbench *bench, const struct bar *bar,
                              size_t threads)
{
    const double bytes = (double)bar_bytes(bench, bar);
    contest->batch =
        (struct batch_job){contest->library.plan, bar_rows(bench, bar) / BATCHES, bar->type, bench->buffer, threads};
    return (struct side){batch_seconds, &contest->batch, bytes, bytes, 1};
}

static struct side layers_side(struct contest *contest, const struct workbench *bench, const struct bar *bar)
{
    const double bytes = (double)bar_bytes(bench, bar);
    contest->layers = (struct layers_job){contest->library.plan, bar->type, bench->buffer, 1};
    return (struct side){layers_seconds, &contest->layers, bytes, bytes, MAX_TIMES};
}

static struct side limit_side(struct limit_job *job, enum limit limit, const struct workbench *bench,
                              const struct bar *bar, size_t threads)
{
    const size_t bytes = bar_bytes(bench, bar);
    *job = (struct limit_job){limit, bench->buffer, bench->second, bytes, threads, widest_loops()};
    const unsigned repeat = bar->work == ROTATE_LAYERS ? MAX_TIMES : 1;
    return (struct side){limit_seconds, job, (double)bytes, (double)bytes, repeat};
}

static struct side sleef_side(struct contest *contest, double (*seconds)(void *), const struct workbench *bench,
                              const struct bar *bar)
{
    const double bytes = (double)bar_bytes(bench, bar);
    contest->sleef = (struct sleef_job){
        .sleef = &bench->sleef,
        .positions_f32 = bench->cached_positions,
        .theta_f32 = bench->theta_f32,
        .positions_f64 = bench->real_positions,
        .theta_f64 = bench->theta_f64,
        .n = bar_rows(bench, bar),
        .n_theta = BENCH_TONES,
        .out = (float *)(void *)bench->buffer,
    };
    const unsigned repeat = bar->against == SLEEF_U35 ? 20 : bar->against == LIBM ? 4 : 1;
    return (struct side){seconds, &contest->sleef, bytes, bytes, repeat};
}

/* The same rows on the same memory. */
static struct side ggml_side(struct contest *contest, const struct workbench *bench, const struct side *ours)
{
    const struct rotary_job *rotary = &contest->rotary;
    contest->ggml = (struct ggml_job){bench->ggml, rotary->x, rotary->n, rotary->heads};
    return (struct side){ggml_seconds, &contest->ggml, ours->bytes, ours->bytes, ours->repeat};
}

static struct side python_side(struct contest *contest, const char *lines, const struct workbench *bench,
                               const struct bar *bar)
{
    const bool is_table = bar->work != DISTANCES;
    const double bytes = is_table ? (double)bar_bytes(bench, bar) : 0.0;
    contest->python = (struct python_job){
        .python = lines[0] == 't' ? bench->torch : bench->numpy,
        .lines = lines,
        .rows = bar_rows(bench, bar),
        .dim = is_table ? BENCH_DIM : bar_rows(bench, bar),
    };
    if (is_rotary(bar)) {
        contest->python.rows = bar_rows(bench, bar) * BENCH_DIM / ROTARY_DIM;
        contest->python.dim = ROTARY_DIM;
    }
    return (struct side){python_seconds, &contest->python, is_table ? bytes : 1.0, bytes, 1};
}

static struct side their_side(struct contest *contest, const struct workbench *bench, const struct bar *bar,
                              size_t threads)
{
    switch (bar->against) {
    case MEMSET: break;
    case ADD_CONSTANT: return limit_side(&contest->limit, LIMIT_ADD_CONSTANT, bench, bar, threads);
    case ADD_TABLE: return limit_side(&contest->limit, LIMIT_ADD_TABLE, bench, bar, threads);
    case SCALE: return limit_side(&contest->limit, LIMIT_SCALE, bench, bar, threads);
    case TORCH_ROTATE: return python_side(contest, "torch_rotate", bench, bar);
    case SLEEF_U35: return sleef_side(contest, sleef_f32_seconds, bench, bar);
    case SLEEF_U10_F64: return sleef_side(contest, sleef_f64_seconds, bench, bar);
    case LIBM: return sleef_side(contest, libm_f32_seconds, bench, bar);
    case GGML: return ggml_side(contest, bench, &contest->ours);
    case TORCH: return python_side(contest, "torch", bench, bar);
    case TORCH_IN_PLACE: return python_side(contest, "torch_in_place", bench, bar);
    case NUMPY: return python_side(contest, "numpy32", bench, bar);
    case NUMPY_IN_PLACE: return python_side(contest, "numpy32_in_place", bench, bar);
    case TORCH_LISTING_4: return python_side(contest, "torch_distances", bench, bar);
    case DOUBLES: return doubles_side(contest, &contest->ours);
    case CONSECUTIVE: return consecutive_side(contest, &contest->ours);
    case CACHED_ROWS: {
        struct side rows = library_side(contest, bench, bar, 1);
        rows.units = CACHED;
        return rows;
    }
    }
    return limit_side(&contest->limit, LIMIT_MEMSET, bench, bar, threads);
}

static struct side our_side(struct contest *contest, const struct workbench *bench, const struct bar *bar,
                            size_t threads)
{
    switch (bar->work) {
    case MAKE_PLAN: return (struct side){plan_seconds, &contest->spec, 1.0, 0.0, 20};
    case DISTANCES:
        contest->distances = (struct distance_job){bar_rows(bench, bar), (double *)(void *)bench->buffer};
        return (struct side){distance_seconds, &contest->distances, 1.0, 0.0, 20};
    case STREAM_STORE: return limit_side(&contest->first_limit, LIMIT_STREAM_STORE, bench, bar, threads);
    case MEMCPY: return limit_side(&contest->first_limit, LIMIT_MEMCPY, bench, bar, threads);
    case ADD_BATCH: return batch_side(contest, bench, bar, threads);
    case ROTATE_LAYERS: return layers_side(contest, bench, bar);
    case ROTATE:
    case ROTATE_PAIRS:
    case ROTATE_ONE: return rotary_side(contest, bench, bar, threads);
    default: return library_side(contest, bench, bar, threads);
    }
}

bool contest_begin(struct contest *contest, const struct workbench *bench, const struct bar *bar)
{
    const size_t threads = bar->threads ? bar->threads : bench->threads;
    const sinpos_spec usual = SINPOS_SPEC_INIT;

    *contest = (struct contest){.spec = usual};
    contest->spec.dim = BENCH_DIM;
    contest->spec.base = BENCH_BASE;
    contest->spec.types = bar->type;
    if (is_rotary(bar)) {
        contest->spec.dim = ROTARY_DIM;
        contest->spec.layout = bar->work == ROTATE_PAIRS ? SINPOS_INTERLEAVED : SINPOS_HALVES;
        contest->spec.order = SINPOS_COS_SIN;
    }
    if (sinpos_plan_create(&contest->library.plan, &contest->spec) != SINPOS_OK)
        return false;
    contest->ours = our_side(contest, bench, bar, threads);
    contest->theirs = their_side(contest, bench, bar, threads);
    return true;
}

void contest_end(struct contest *contest)
{
    sinpos_plan_destroy(contest->library.plan);
}

/* ------------------------------------------------------------------------- is it the right work? */

static const char *limit_is_wrong(struct limit_job *job)
{
    const size_t all_bytes = job->bytes;
    job->bytes = (size_t)1 << 20;
    const bool works = limit_works(job);
    job->bytes = all_bytes;
    return works ? NULL : "the loop of the limit does not do what it says";
}

/* Of some pairs of positions, the largest error against sums in long double that know only what a row is. */
static double distance_error(const struct distance_job *job)
{
    double largest = 0;
    for (size_t row = 0; row < job->rows; row += 83) {
        for (size_t column = row % 7; column < job->rows; column += 191) {
            long double sum = 0;
            for (size_t k = 0; k < job->rows / 2; k++) {
                const long double theta = powl(BENCH_BASE, -2.0L * (long double)k / (long double)job->rows);
                const long double s = sinl(row * theta) - sinl(column * theta);
                const long double c = cosl(row * theta) - cosl(column * theta);
                sum += s * s + c * c;
            }
            const double error = (double)fabsl(job->out[row * job->rows + column] - sqrtl(sum));
            largest = error > largest || isnan(error) ? error : largest;
        }
    }
    return largest;
}

static const char *distances_are_wrong(struct distance_job *job)
{
    memset(job->out, 0, job->rows * job->rows * sizeof *job->out);
    if (distance_seconds(job) < 0.0)
        return "the library refused the call";
    return distance_error(job) <= 1e-12 ? NULL : "the library's distances are off by more than 1e-12";
}

/* Numbers up to sqrt 2: twice the tolerance. What is rotated then is what is rotated for the clock. */
static const char *rotary_is_wrong(struct rotary_job *job)
{
    fill_rotary(job->x, job->type, job->n * job->heads * ROTARY_DIM);
    if (rotary_seconds(job) < 0.0)
        return "the library refused the call";
    return rotary_error(job->x, job->type, job->n, job->heads, job->layout) > 2 * tolerance_of(job->type)
               ? "the library's rows are not rotated"
               : NULL;
}

const char *library_is_wrong(struct contest *contest, const struct bar *bar)
{
    struct library_job *job = &contest->library;
    if (bar->work == DISTANCES)
        return distances_are_wrong(&contest->distances);
    if (bar->work == ADD_BATCH)
        return batch_is_wrong(&contest->batch);
    if (bar->work == ROTATE_LAYERS)
        return layers_are_wrong(&contest->layers);
    if (is_rotary(bar))
        return rotary_is_wrong(&contest->rotary);
    if (bar->work == STREAM_STORE || bar->work == MEMCPY)
        return NULL;
    memset(job->out, 0, job->rows.n * BENCH_DIM * sinpos_type_bytes(job->type));
    if (library_seconds(job) < 0.0)
        return "the library refused the call";
    if (largest_error(job->out, job->type, &job->rows) > tolerance_of(job->type))
        return "the library's table is not the encoding";
    if (!job->rows.reals && rows_unlike_fill(job->plan, job->out, job->type, &job->rows) > 0)
        return "a row made alone has other bytes";
    return NULL;
}

/* Angles rounded to float32 are off by an ulp or so of the largest position that is looked at. */
static const double float32_slack = 1e-4;

static const char *python_is_wrong(struct python_job *job, float *room)
{
    const sinpos_rows rows = {.struct_size = sizeof rows, .n = CACHED};
    if (python_seconds(job) < 0.0 || !python_rows(job, CACHED, room))
        return "the Python process gave no answer";
    return largest_error(room, SINPOS_F32, &rows) > float32_slack ? "its table is not the encoding" : NULL;
}

static const char *torch_rotate_is_wrong(struct python_job *job, float *room)
{
    if (python_seconds(job) < 0.0 || !python_rows(job, (size_t)CACHED * HEADS, room))
        return "the Python process gave no answer";
    return rotary_error(room, SINPOS_F32, CACHED, HEADS, SINPOS_HALVES) > float32_slack ? "its rows are not rotated"
                                                                                        : NULL;
}

/* Its frequencies are products of 64 factors, so late rows are off by more. */
static const char *ggml_is_wrong(struct ggml_job *job)
{
    fill_rotary(job->x, SINPOS_F32, job->n * job->heads * ROTARY_DIM);
    if (!ggml_prepare(job) || ggml_seconds(job) < 0.0)
        return "ggml refused the graph";
    return rotary_error(job->x, SINPOS_F32, CACHED, job->heads, SINPOS_HALVES) > float32_slack
               ? "its rows are not rotated"
               : NULL;
}

/* Its float32 distances are off by some 1e-4. */
static const char *listing_4_is_wrong(struct contest *contest, const struct workbench *bench)
{
    const size_t n = contest->distances.rows;
    float *theirs = (float *)(void *)bench->second;
    struct distance_job *ours = &contest->distances;
    if (python_seconds(&contest->python) < 0.0 || !python_rows(&contest->python, n, theirs))
        return "the Python process gave no answer";
    if (distance_seconds(ours) < 0.0)
        return NULL; /* library_is_wrong() says so */
    for (size_t i = 0; i < n * n; i++)
        if (!(fabs((double)theirs[i] - ours->out[i]) < 1e-2))
            return "its matrix is not that of the distances";
    return NULL;
}

/* Both sides make the same bytes. */
static const char *doubles_are_wrong(struct contest *contest, const struct workbench *bench)
{
    struct library_job floats = contest->library, doubles = contest->second;
    const size_t bytes = floats.rows.n * BENCH_DIM * sinpos_type_bytes(floats.type);
    doubles.out = bench->second;
    memset(floats.out, 0, bytes);
    memset(doubles.out, 0, bytes);
    if (new_rows_seconds(&floats) < 0.0 || new_rows_seconds(&doubles) < 0.0)
        return "the library refused the call";
    return memcmp(floats.out, doubles.out, bytes) == 0 ? NULL : "rows in double have other bytes";
}

const char *other_side_is_wrong(struct contest *contest, const struct workbench *bench, const struct bar *bar)
{
    struct sleef_job *sleef = &contest->sleef;
    const sinpos_rows cached = {.struct_size = sizeof cached, .n = CACHED};
    const sinpos_rows reals = {.struct_size = sizeof reals, .n = sleef->n, .reals = bench->real_positions};
    const char *wrong = NULL;

    if (bar->work == STREAM_STORE || bar->work == MEMCPY)
        wrong = limit_is_wrong(&contest->first_limit);
    if (wrong)
        return wrong;
    switch (bar->against) {
    case MEMSET:
    case ADD_CONSTANT:
    case SCALE:
    case ADD_TABLE: return limit_is_wrong(&contest->limit);
    case GGML: return ggml_is_wrong(&contest->ggml);
    case TORCH_ROTATE: return torch_rotate_is_wrong(&contest->python, (float *)(void *)bench->second);
    case SLEEF_U35:
    case SLEEF_U10_F64:
    case LIBM:
        memset(sleef->out, 0, sleef->n * BENCH_DIM * sizeof *sleef->out);
        contest->theirs.seconds(sleef);
        return largest_error(sleef->out, SINPOS_F32, sleef->n == CACHED ? &cached : &reals) > float32_slack
                   ? "its table is not the encoding"
                   : NULL;
    case TORCH:
    case TORCH_IN_PLACE:
    case NUMPY:
    case NUMPY_IN_PLACE: return python_is_wrong(&contest->python, (float *)(void *)bench->second);
    case TORCH_LISTING_4: return listing_4_is_wrong(contest, bench);
    case DOUBLES: return doubles_are_wrong(contest, bench);
    case CONSECUTIVE:
    case CACHED_ROWS: break;
    }
    return NULL;
}
