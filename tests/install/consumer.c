/* A program outside the tree, valid C11 and C++11: writes 300 rows of 96 columns in all four types, then a sum. */
#include <sinpos.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 300, DIM = 96 };

static int write_tables(const sinpos_plan *plan, void *table)
{
    static const sinpos_type types[4] = {SINPOS_F64, SINPOS_F32, SINPOS_F16, SINPOS_BF16};
    for (int i = 0; i < 4; i++)
        if (sinpos_fill(plan, -40, ROWS, types[i], table, DIM) != SINPOS_OK ||
            fwrite(table, DIM * sinpos_type_bytes(types[i]), ROWS, stdout) != ROWS)
            return 1;
    memset(table, 0, sizeof(float) * ROWS * DIM);
    return sinpos_add(plan, 1000000007, ROWS, SINPOS_F32, table, DIM) != SINPOS_OK ||
           fwrite(table, DIM * sizeof(float), ROWS, stdout) != ROWS;
}

int main(void)
{
    sinpos_spec spec = SINPOS_SPEC_INIT;
    spec.dim = DIM;
    sinpos_plan *plan;
    if (strcmp(sinpos_version(), SINPOS_VERSION) != 0 || sinpos_plan_create(&plan, &spec) != SINPOS_OK)
        return 1;
    void *table = malloc(sizeof(double) * ROWS * DIM);
    const int failed = table == NULL || write_tables(plan, table) != 0;
    free(table);
    sinpos_plan_destroy(plan);
    return failed;
}
