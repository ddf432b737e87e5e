/* A batch, a cache of keys, all layers of one token, and threads of one's own. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sinpos.h"

enum { BATCH = 4, ROWS = 100, DIM = 64, LAYERS = 6, HEADS = 8, MOST_TOKENS = 32 };

static float x[BATCH][ROWS][DIM], sums[BATCH][ROWS][DIM];
static float key[HEADS][DIM], cache[LAYERS][HEADS][MOST_TOKENS][DIM];

/* A pool that does all in the calling thread; a real one hands work() to n of its threads and waits for them. */
static void run(void *pool, void (*work)(void *context), void *context, size_t n)
{
    (void)pool;
    for (size_t i = 0; i < n; i++)
        work(context);
}

/* sums = x + encoding: a row of sines serves all sequences. Beyond a few MiB a workspace makes it faster. */
static sinpos_status add_batch(const sinpos_plan *plan)
{
    const sinpos_pool pool = {run, NULL};
    sinpos_rows rows = SINPOS_ROWS_INIT;
    sinpos_arrays a = SINPOS_ARRAYS_INIT;
    rows.n = ROWS;
    a.out = sums;
    a.in = x;
    a.n_batches = BATCH;
    a.ld_batch = a.in_ld_batch = ROWS * DIM;
    a.ld_row = a.in_ld_row = DIM;
    a.n_threads = 2;
    a.pool = &pool;
    a.workspace_bytes = sinpos_workspace_bytes(plan, SINPOS_F32, a.n_threads);
    a.workspace = malloc(a.workspace_bytes); /* without it, the same sums */
    const sinpos_status status = sinpos_run_arrays(plan, SINPOS_ADD, &rows, SINPOS_F32, &a);
    free(a.workspace);
    return status;
}

/* The key of a new token, rotated into the caches of all layers. */
static sinpos_status decode(const sinpos_plan *plan, int64_t token)
{
    sinpos_factors *factors;
    sinpos_rows rows = SINPOS_ROWS_INIT;
    sinpos_arrays a = SINPOS_ARRAYS_INIT;
    rows.n = 1;
    rows.first = token;
    a.in = key;
    a.n_heads = HEADS;
    a.in_ld_head = DIM;
    a.ld_head = MOST_TOKENS * DIM;
    sinpos_status status = sinpos_factors_create(&factors, plan, &rows, SINPOS_FORWARD, SINPOS_F32);
    for (int layer = 0; layer < LAYERS && status == SINPOS_OK; layer++) {
        a.out = cache[layer][0][token];
        status = sinpos_factors_rotate(factors, 0, 1, &a);
    }
    sinpos_factors_destroy(factors);
    return status;
}

int main(void)
{
    sinpos_spec spec = SINPOS_SPEC_INIT;
    spec.dim = DIM;
    spec.layout = SINPOS_HALVES;
    spec.order = SINPOS_COS_SIN;
    sinpos_plan *plan;
    memset(x, 0, sizeof x);
    for (int i = 0; i < HEADS * DIM; i++)
        key[i / DIM][i % DIM] = i % DIM < DIM / 2 ? 1.0F : 0.0F;
    sinpos_status status = sinpos_plan_create(&plan, &spec);
    if (status == SINPOS_OK)
        status = add_batch(plan);
    if (status == SINPOS_OK)
        status = decode(plan, 7);
    sinpos_plan_destroy(plan);
    if (status != SINPOS_OK) {
        fprintf(stderr, "batches: %s\n", sinpos_strerror(status));
        return 1;
    }
    printf("sequences 0 and 3, position 7: cos %.6f, %.6f\n", (double)sums[0][7][0], (double)sums[3][7][0]);
    printf("keys of layers 0 and 5:        cos %.6f, %.6f\n", (double)cache[0][2][7][0], (double)cache[5][7][7][0]);
    return 0;
}
