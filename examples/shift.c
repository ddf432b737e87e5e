/* Moving an encoding by k positions is one rotation per frequency, the same for every position: M_k e(p) = e(p + k). */
#include <math.h>
#include <stdio.h>

#include "sinpos.h"

enum { N = 64, DIM = 32, K = 1000 };

static double largest_difference(double a[N][DIM], double b[N][DIM])
{
    double largest = 0.0;
    for (size_t i = 0; i < N; i++)
        for (size_t j = 0; j < DIM; j++)
            largest = fmax(largest, fabs(a[i][j] - b[i][j]));
    return largest;
}

static sinpos_status fill_both(const sinpos_plan *plan, double shifted[N][DIM], double direct[N][DIM])
{
    sinpos_status status = sinpos_fill(plan, 0, N, SINPOS_F64, shifted, DIM);
    if (status == SINPOS_OK)
        status = sinpos_shift(plan, K, N, SINPOS_F64, shifted, DIM);
    return status != SINPOS_OK ? status : sinpos_fill(plan, K, N, SINPOS_F64, direct, DIM);
}

int main(void)
{
    static double shifted[N][DIM], direct[N][DIM], matrix[DIM][DIM];
    sinpos_spec spec = SINPOS_SPEC_INIT;
    spec.dim = DIM;
    sinpos_plan *plan;
    sinpos_status status = sinpos_plan_create(&plan, &spec);
    if (status == SINPOS_OK)
        status = fill_both(plan, shifted, direct);
    if (status == SINPOS_OK)
        status = sinpos_shift_matrix(plan, K, SINPOS_F64, matrix, DIM);
    sinpos_plan_destroy(plan);
    if (status != SINPOS_OK) {
        fprintf(stderr, "shift: %s\n", sinpos_strerror(status));
        return 1;
    }

    printf("the first 4 x 4 of M_%d:\n", K);
    for (size_t i = 0; i < 4; i++)
        printf("  %12.9f %12.9f %12.9f %12.9f\n", matrix[i][0], matrix[i][1], matrix[i][2], matrix[i][3]);
    /* Every number entered rounded once, so the two ways may differ by a few units of 2^-53. */
    const double largest = largest_difference(shifted, direct);
    printf("rows 0..%d moved by %d are rows %d..%d within 2^-51: %s\n", N - 1, K, K, K + N - 1,
           largest < 0x1p-51 ? "yes" : "no");
    return largest >= 0x1p-51;
}
