#include "ggml_peer.h"

#include <stdint.h>
#include <stdlib.h>

#include "measure.h"
#include "symbols.h"
#include "verify.h"

/* ggml's interface as far as it is called; its handles are pointers. */
enum { GGML_F32 = 0, GGML_I32 = 26, GGML_CPU = 0, GGML_HALVES = 2, GGML_SUCCESS = 0 };
struct init_params {
    size_t bytes;
    void *memory;
    bool no_data;
};

struct functions {
    void (*load_all)(void);
    void *(*init_by_type)(int type, const char *params);
    void *(*get_device)(void *backend);
    void *(*dev_reg)(void *device);
    any_function *(*reg_function)(void *reg, const char *name);
    void (*free_backend)(void *backend);
    int (*compute)(void *backend, void *graph);
    void *(*init)(struct init_params params);
    void (*free_context)(void *context);
    void *(*new_1d)(void *context, int type, int64_t n);
    void *(*new_3d)(void *context, int type, int64_t n0, int64_t n1, int64_t n2);
    void *(*buffer_of)(void *memory, size_t bytes);
    void (*free_buffer)(void *buffer);
    int (*place)(void *buffer, void *tensor, void *address);
    void *(*rope)(void *context, void *x, void *positions, void *factors, int n_dims, int mode, int n_ctx_orig,
                  float freq_base, float freq_scale, float ext_factor, float attn_factor, float beta_fast,
                  float beta_slow);
    void *(*new_graph)(void *context);
    void (*expand)(void *graph, void *tensor);
};

/* In the order of struct functions. */
static const char *const names[] = {
    "ggml_backend_load_all",
    "ggml_backend_init_by_type",
    "ggml_backend_get_device",
    "ggml_backend_dev_backend_reg",
    "ggml_backend_reg_get_proc_address",
    "ggml_backend_free",
    "ggml_backend_graph_compute",
    "ggml_init",
    "ggml_free",
    "ggml_new_tensor_1d",
    "ggml_new_tensor_3d",
    "ggml_backend_cpu_buffer_from_ptr",
    "ggml_backend_buffer_free",
    "ggml_backend_tensor_alloc",
    "ggml_rope_ext_inplace",
    "ggml_new_graph",
    "ggml_build_forward_expand",
};
enum { N_NAMES = sizeof names / sizeof *names };
_Static_assert(sizeof(struct functions) == N_NAMES * sizeof(any_function *), "each function has its name");

struct ggml {
    void *library, *backend;
    struct functions call;
    void *context, *graph, *buffers[2]; /* of the last job */
    int32_t *positions;
};

static bool find_all(struct ggml *ggml)
{
    for (size_t i = 0; i < N_NAMES; i++) {
        any_function *function = find_function(ggml->library, names[i]);
        if (function == NULL)
            return false;
        memcpy((char *)&ggml->call + i * sizeof function, &function, sizeof function);
    }
    return true;
}

/* One thread, as sinpos has here. */
static bool make_backend(struct ggml *ggml)
{
    void (*set_threads)(void *backend, int n) = NULL;
    ggml->call.load_all();
    ggml->backend = ggml->call.init_by_type(GGML_CPU, NULL);
    if (ggml->backend == NULL)
        return false;
    void *reg = ggml->call.dev_reg(ggml->call.get_device(ggml->backend));
    any_function *function = ggml->call.reg_function(reg, "ggml_backend_set_n_threads");
    if (function == NULL)
        return false;
    memcpy(&set_threads, &function, sizeof function);
    set_threads(ggml->backend, 1);
    return true;
}

struct ggml *ggml_open(void)
{
    struct ggml *ggml = calloc(1, sizeof *ggml);
    if (ggml == NULL)
        return NULL;
    ggml->library = dlopen("libggml.so.0", RTLD_NOW | RTLD_LOCAL);
    if (ggml->library == NULL)
        ggml->library = dlopen("libggml.so", RTLD_NOW | RTLD_LOCAL);
    if (ggml->library != NULL && find_all(ggml) && make_backend(ggml))
        return ggml;
    ggml_close(ggml);
    return NULL;
}

static void forget_job(struct ggml *ggml)
{
    for (size_t i = 0; i < 2; i++)
        if (ggml->buffers[i] != NULL)
            ggml->call.free_buffer(ggml->buffers[i]);
    if (ggml->context != NULL)
        ggml->call.free_context(ggml->context);
    free(ggml->positions);
    ggml->context = ggml->graph = ggml->buffers[0] = ggml->buffers[1] = ggml->positions = NULL;
}

/* The library stays open: its threads and tables would outlive it. */
void ggml_close(struct ggml *ggml)
{
    if (ggml == NULL)
        return;
    forget_job(ggml);
    if (ggml->backend != NULL)
        ggml->call.free_backend(ggml->backend);
    free(ggml);
}

const char *ggml_version_text(const struct ggml *ggml)
{
    const char *(*version)(void) = NULL;
    any_function *function = find_function(ggml->library, "ggml_version");
    if (function == NULL)
        return "an older one";
    memcpy(&version, &function, sizeof function);
    return version();
}

/* A tensor of the context on memory of ours. */
static bool put(struct ggml *ggml, void *tensor, size_t which, void *memory, size_t bytes)
{
    if (tensor == NULL)
        return false;
    ggml->buffers[which] = ggml->call.buffer_of(memory, bytes);
    return ggml->buffers[which] != NULL && ggml->call.place(ggml->buffers[which], tensor, memory) == GGML_SUCCESS;
}

bool ggml_prepare(const struct ggml_job *job)
{
    enum { ROOM = 1 << 20, ALIGNMENT = 64 };
    struct ggml *ggml = job->ggml;
    const struct functions *call = &ggml->call;
    const size_t n = (job->n + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT, bytes = n * sizeof *ggml->positions;
    const int64_t rows = (int64_t)job->n, heads = (int64_t)job->heads;

    forget_job(ggml);
    ggml->positions = aligned_alloc(ALIGNMENT, bytes);
    ggml->context = call->init((struct init_params){ROOM, NULL, true});
    if (ggml->positions == NULL || ggml->context == NULL)
        return false;
    for (size_t i = 0; i < n; i++)
        ggml->positions[i] = (int32_t)i;
    void *x = call->new_3d(ggml->context, GGML_F32, ROTARY_DIM, heads, rows);
    void *positions = call->new_1d(ggml->context, GGML_I32, rows);
    if (!put(ggml, x, 0, job->x, job->n * job->heads * ROTARY_DIM * sizeof *job->x) ||
        !put(ggml, positions, 1, ggml->positions, bytes))
        return false;
    void *rotated = call->rope(ggml->context, x, positions, NULL, ROTARY_DIM, GGML_HALVES, 0, (float)BENCH_BASE, 1.0F,
                               0.0F, 1.0F, 0.0F, 0.0F);
    ggml->graph = call->new_graph(ggml->context);
    if (ggml->graph == NULL)
        return false;
    call->expand(ggml->graph, rotated);
    return true;
}

double ggml_seconds(void *argument)
{
    const struct ggml_job *job = argument;
    const double start = bench_clock();
    if (job->ggml->call.compute(job->ggml->backend, job->ggml->graph) != GGML_SUCCESS)
        return -1.0;
    __asm__ volatile("" : : "r"(job->x) : "memory");
    return bench_clock() - start;
}
