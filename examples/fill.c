/* A table of 4096 positions by 768 columns, as a transformer adds it, and what its last row looks like. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "sinpos.h"

/* How many elements of the usual line, in float arithmetic throughout, are not the exact value rounded once. */
static size_t count_usual_errors(const float *table, size_t n, size_t dim)
{
    size_t wrong = 0;
    for (size_t row = 0; row < n; row++) {
        for (size_t j = 0; j < dim; j++) {
            const float theta = powf(10000.0f, -(float)(j & ~(size_t)1) / (float)dim);
            const float angle = (float)row * theta;
            wrong += table[row * dim + j] != ((j & 1) ? cosf(angle) : sinf(angle));
        }
    }
    return wrong;
}

int main(void)
{
    enum { N = 4096, DIM = 768 };
    sinpos_spec spec = SINPOS_SPEC_INIT;
    spec.dim = DIM;
    spec.types = SINPOS_F32;

    sinpos_plan *plan;
    sinpos_status status = sinpos_plan_create(&plan, &spec);
    float *table = malloc(sizeof *table * N * DIM);
    if (status == SINPOS_OK && table == NULL)
        status = SINPOS_E_MEMORY;
    if (status == SINPOS_OK)
        status = sinpos_fill(plan, 0, N, SINPOS_F32, table, DIM);
    sinpos_plan_destroy(plan);
    if (status != SINPOS_OK) {
        fprintf(stderr, "fill: %s\n", sinpos_strerror(status));
        free(table);
        return 1;
    }

    printf("%d rows of %d columns\n", N, DIM);
    for (int row = 0; row < N; row += N - 1) {
        const float *e = table + (size_t)row * DIM;
        printf("row %4d: %12.9f %12.9f %12.9f %12.9f ... %12.9f %12.9f\n", row, e[0], e[1], e[2], e[3], e[DIM - 2],
               e[DIM - 1]);
    }
    const size_t wrong = count_usual_errors(table, N, DIM);
    printf("the usual line in float arithmetic gets more than half of the elements wrong: %s\n",
           wrong > (size_t)N * DIM / 2 ? "yes" : "no");
    free(table);
    return 0;
}
