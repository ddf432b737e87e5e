#define _POSIX_C_SOURCE 200809L

#include "batches.h"

#include <stdlib.h>
#include <string.h>

#include "measure.h"
#include "verify.h"

double batch_seconds(void *argument)
{
    const struct batch_job *job = argument;
    const sinpos_rows rows = {.struct_size = sizeof rows, .n = job->n};
    sinpos_arrays arrays = SINPOS_ARRAYS_INIT;
    arrays.out = job->x;
    arrays.n_batches = BATCHES;
    arrays.ld_batch = job->n * BENCH_DIM;
    arrays.ld_row = BENCH_DIM;
    arrays.n_threads = job->threads;
    const double start = bench_clock();
    arrays.workspace_bytes = sinpos_workspace_bytes(job->plan, job->type, job->threads);
    arrays.workspace = malloc(arrays.workspace_bytes);
    const sinpos_status status = sinpos_run_arrays(job->plan, SINPOS_ADD, &rows, job->type, &arrays);
    free(arrays.workspace);
    __asm__ volatile("" : : "r"(job->x) : "memory");
    return status == SINPOS_OK ? bench_clock() - start : -1.0;
}

double layers_seconds(void *argument)
{
    struct layers_job *job = argument;
    const sinpos_rows rows = {.struct_size = sizeof rows, .n = 1, .first = job->token++};
    sinpos_arrays arrays = SINPOS_ARRAYS_INIT;
    sinpos_factors *factors;
    arrays.n_heads = LAYER_HEADS;
    arrays.ld_head = ROTARY_DIM;
    const double start = bench_clock();
    sinpos_status status = sinpos_factors_create(&factors, job->plan, &rows, SINPOS_FORWARD, job->type);
    for (size_t layer = 0; layer < LAYERS && status == SINPOS_OK; layer++) {
        arrays.out = (char *)job->x + layer * LAYER_HEADS * ROTARY_DIM * sinpos_type_bytes(job->type);
        status = sinpos_factors_rotate(factors, 0, 1, &arrays);
    }
    sinpos_factors_destroy(factors);
    __asm__ volatile("" : : "r"(job->x) : "memory");
    return status == SINPOS_OK ? bench_clock() - start : -1.0;
}

const char *batch_is_wrong(struct batch_job *job)
{
    const size_t row = BENCH_DIM * sinpos_type_bytes(job->type), batch = job->n * row;
    memset(job->x, 0, BATCHES * batch);
    if (batch_seconds(job) < 0.0)
        return "the library refused the call";
    const sinpos_rows rows = {.struct_size = sizeof rows, .n = job->n};
    if (largest_error(job->x, job->type, &rows) > tolerance_of(job->type))
        return "the sums are not the encoding";
    for (size_t b = 1; b < BATCHES; b++)
        if (memcmp(job->x, (const char *)job->x + b * batch, batch) != 0)
            return "sequences of a batch differ";
    return NULL;
}

/* Against single rows in place. */
const char *layers_are_wrong(struct layers_job *job)
{
    const size_t n = (size_t)LAYERS * LAYER_HEADS * ROTARY_DIM, bytes = n * sinpos_type_bytes(job->type);
    void *expected = malloc(bytes);
    if (expected == NULL)
        return "memory is short";
    fill_rotary(expected, job->type, n);
    fill_rotary(job->x, job->type, n);
    const sinpos_rows rows = {.struct_size = sizeof rows, .n = 1, .first = job->token};
    const sinpos_status status = sinpos_rotate(job->plan, &rows, SINPOS_FORWARD, (size_t)LAYERS * LAYER_HEADS,
                                               job->type, expected, n, ROTARY_DIM, 1);
    const bool agree = status == SINPOS_OK && layers_seconds(job) >= 0.0 && memcmp(expected, job->x, bytes) == 0;
    free(expected);
    return agree ? NULL : "layers are not rotated as rows are";
}
