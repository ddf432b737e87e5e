/* Positions in any order: tokens of a key-value cache in bfloat16, and time steps of a diffusion model in float32. */
#include <stdint.h>
#include <stdio.h>

#include "sinpos.h"

enum { TOKENS = 4, STEPS = 3, DIM = 8 };

static const int64_t tokens[TOKENS] = {131071, 7, 1000000007, INT64_MAX};
static const double steps[STEPS] = {0.0, 0.25, 999.5};
static uint16_t token_rows[TOKENS][DIM];
static float step_rows[STEPS][DIM];

static sinpos_status fill_both(const sinpos_plan *plan)
{
    const sinpos_status status = sinpos_fill_at(plan, tokens, TOKENS, SINPOS_BF16, token_rows, DIM);
    return status != SINPOS_OK ? status : sinpos_fill_real(plan, steps, STEPS, SINPOS_F32, step_rows, DIM);
}

int main(void)
{
    sinpos_spec spec = SINPOS_SPEC_INIT;
    spec.dim = DIM;
    spec.layout = SINPOS_HALVES;
    spec.order = SINPOS_COS_SIN;
    sinpos_plan *plan;
    sinpos_status status = sinpos_plan_create(&plan, &spec);
    if (status == SINPOS_OK)
        status = fill_both(plan);
    sinpos_plan_destroy(plan);
    if (status != SINPOS_OK) {
        fprintf(stderr, "scattered: %s\n", sinpos_strerror(status));
        return 1;
    }

    for (size_t i = 0; i < TOKENS; i++) {
        printf("token %19lld:", (long long)tokens[i]);
        for (size_t j = 0; j < DIM; j++)
            printf(" %04x", token_rows[i][j]);
        printf("\n");
    }
    for (size_t i = 0; i < STEPS; i++) {
        printf("step  %19.2f: cos %.9f %.9f ... sin %.9f %.9f ...\n", steps[i], step_rows[i][0], step_rows[i][1],
               step_rows[i][DIM / 2], step_rows[i][DIM / 2 + 1]);
    }
    return 0;
}
