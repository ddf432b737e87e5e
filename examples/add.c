/* Adds the encoding to embeddings in place, with two threads and no table: the same bytes as adding a table. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "sinpos.h"

enum { N = 1500, DIM = 384 };

static float embeddings[N][DIM], sums[N][DIM], table[N][DIM];

/* Numbers between -1 and 1 from a fixed linear congruence, in place of a trained embedding. */
static void make_embeddings(void)
{
    uint32_t state = 12345;
    for (size_t i = 0; i < N; i++) {
        for (size_t j = 0; j < DIM; j++) {
            state = state * 1664525u + 1013904223u;
            embeddings[i][j] = sums[i][j] = (float)(state >> 8) / 8388608.0f - 1.0f;
        }
    }
}

static sinpos_status add_and_fill(const sinpos_plan *plan)
{
    sinpos_rows rows = SINPOS_ROWS_INIT;
    rows.n = N;
    const sinpos_status status = sinpos_run(plan, SINPOS_ADD, &rows, SINPOS_F32, sums, DIM, 2);
    return status != SINPOS_OK ? status : sinpos_fill(plan, 0, N, SINPOS_F32, table, DIM);
}

int main(void)
{
    make_embeddings();

    /* Whisper's table: sines in the first half, cosines in the second, the divisor h - 1. */
    sinpos_spec spec = SINPOS_SPEC_INIT;
    spec.dim = DIM;
    spec.layout = SINPOS_HALVES;
    spec.divisor = DIM / 2 - 1;
    sinpos_plan *plan;
    sinpos_status status = sinpos_plan_create(&plan, &spec);
    status = status == SINPOS_OK ? add_and_fill(plan) : status;
    sinpos_plan_destroy(plan);
    if (status != SINPOS_OK) {
        fprintf(stderr, "add: %s\n", sinpos_strerror(status));
        return 1;
    }

    size_t different = 0;
    for (size_t i = 0; i < N; i++) {
        for (size_t j = 0; j < DIM; j++) {
            const float sum = embeddings[i][j] + table[i][j];
            different += memcmp(&sum, &sums[i][j], sizeof sum) != 0;
        }
    }
    printf("%d x %d embeddings, row 1499 before %.9g, encoding %.9g, after %.9g\n", N, DIM, embeddings[N - 1][0],
           table[N - 1][0], sums[N - 1][0]);
    printf("%zu elements differ from adding a table\n", different);
    return different != 0;
}
