/* Learns a frequency: Newton's method on theta, with the exact derivative, until the encoding fits the data. */
#include <math.h>
#include <stdio.h>

#include "sinpos.h"

enum { N = 16, DIM = 2 };

/* Encoding and its derivative by theta for one frequency in radians per position. */
static sinpos_status evaluate(double theta, double encoding[N][DIM], double slope[N][DIM])
{
    sinpos_spec spec = SINPOS_SPEC_INIT;
    spec.dim = DIM;
    spec.types = SINPOS_F64;
    spec.schedule = SINPOS_EXPLICIT;
    spec.theta = &theta;
    spec.n_theta = 1;

    sinpos_rows rows = SINPOS_ROWS_INIT;
    rows.n = N;
    sinpos_plan *plan;
    sinpos_status status = sinpos_plan_create(&plan, &spec);
    if (status == SINPOS_OK)
        status = sinpos_fill(plan, 0, N, SINPOS_F64, encoding, DIM);
    if (status == SINPOS_OK && slope != NULL)
        status = sinpos_gradient_theta(plan, &rows, SINPOS_F64, slope, DIM);
    sinpos_plan_destroy(plan);
    return status;
}

int main(void)
{
    const double truth = 0.37;
    double theta = 0.4, target[N][DIM], encoding[N][DIM], slope[N][DIM];
    sinpos_status status = evaluate(truth, target, NULL);
    for (int step = 0; step < 6 && status == SINPOS_OK; step++) {
        status = evaluate(theta, encoding, slope);
        double loss = 0.0, descent = 0.0, curvature = 0.0;
        for (size_t i = 0; i < N && status == SINPOS_OK; i++) {
            for (size_t j = 0; j < DIM; j++) {
                const double error = encoding[i][j] - target[i][j];
                loss += error * error;
                descent += error * slope[i][j];
                curvature += slope[i][j] * slope[i][j];
            }
        }
        if (status == SINPOS_OK) {
            printf("step %d: theta %.12f  loss %.3e\n", step, theta, loss);
            theta -= descent / curvature;
        }
    }
    if (status != SINPOS_OK) {
        fprintf(stderr, "gradient: %s\n", sinpos_strerror(status));
        return 1;
    }
    printf("found the frequency to 12 digits: %s\n", fabs(theta - truth) < 1e-12 ? "yes" : "no");
    return fabs(theta - truth) >= 1e-12;
}
