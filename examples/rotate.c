/* Rotary encoding: the product of a rotated query and a rotated key depends on the distance of their positions alone. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>

#include "sinpos.h"

enum { HEADS = 4, DIM = 64 };

/* The same vectors in every head, rotated by two positions; the product of those of head 0. */
static sinpos_status score(const sinpos_plan *plan, int64_t query_position, int64_t key_position, double *product)
{
    double query[HEADS][DIM], key[HEADS][DIM];
    for (int i = 0; i < HEADS * DIM; i++) {
        query[i / DIM][i % DIM] = sin(1.0 + i % DIM);
        key[i / DIM][i % DIM] = cos(2.0 + 3 * (i % DIM));
    }
    sinpos_rows at_query = SINPOS_ROWS_INIT, at_key = SINPOS_ROWS_INIT;
    at_query.n = at_key.n = 1;
    at_query.first = query_position;
    at_key.first = key_position;
    sinpos_status status =
        sinpos_rotate(plan, &at_query, SINPOS_FORWARD, HEADS, SINPOS_F64, query, HEADS * DIM, DIM, 1);
    if (status == SINPOS_OK)
        status = sinpos_rotate(plan, &at_key, SINPOS_FORWARD, HEADS, SINPOS_F64, key, HEADS * DIM, DIM, 1);
    *product = 0.0;
    for (int j = 0; j < DIM; j++)
        *product += query[0][j] * key[0][j];
    return status;
}

int main(void)
{
    static const int64_t starts[] = {0, 1000, 1000000000};
    sinpos_spec spec = SINPOS_SPEC_INIT;
    spec.dim = DIM;
    spec.layout = SINPOS_HALVES; /* pairs half a head apart, as in LLaMA; SINPOS_INTERLEAVED: neighbours, as in GPT-J */
    spec.order = SINPOS_COS_SIN;
    spec.types = SINPOS_F64;
    sinpos_plan *plan;
    sinpos_status status = sinpos_plan_create(&plan, &spec);
    double product = 0.0;
    for (int i = 0; i < 3 && status == SINPOS_OK; i++) {
        status = score(plan, starts[i] + 5, starts[i], &product);
        if (status == SINPOS_OK)
            printf("positions %lld and %lld: %.12f\n", (long long)starts[i] + 5, (long long)starts[i], product);
    }
    sinpos_plan_destroy(plan);
    if (status != SINPOS_OK) {
        fprintf(stderr, "rotate: %s\n", sinpos_strerror(status));
        return 1;
    }
    return 0;
}
