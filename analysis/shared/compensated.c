/* Sums in lanes, each with the roundings that it lost (Neumaier). */
#include "compensated.h"

#include <math.h>

#include "two_sum.h"

enum { LANES = 8 };

static double join_lanes(const double *sum, const double *rest)
{
    double high = 0, low = 0, lost;
    for (size_t j = 0; j < LANES; j++) {
        high = two_sum(high, sum[j], &lost);
        low += lost + rest[j];
    }
    return high + low;
}

double compensated_dot(const double *x, const double *y, size_t n)
{
    double sum[LANES] = {0}, rest[LANES] = {0};
    for (size_t first = 0; first < n; first += LANES) {
        const size_t m = n - first < LANES ? n - first : LANES;
        for (size_t j = 0; j < m; j++) {
            double lost;
            sum[j] = two_sum(sum[j], x[first + j] * y[first + j], &lost);
            rest[j] += lost;
        }
    }
    return join_lanes(sum, rest);
}

double compensated_squares(const double *w, const double *x, size_t n)
{
    double sum[LANES] = {0}, rest[LANES] = {0};
    for (size_t first = 0; first < n; first += LANES) {
        const size_t m = n - first < LANES ? n - first : LANES;
        for (size_t j = 0; j < m; j++) {
            double lost;
            sum[j] = two_sum(sum[j], w[first + j] * (x[first + j] * x[first + j]), &lost);
            rest[j] += lost;
        }
    }
    return join_lanes(sum, rest);
}

double compensated_distance(const double *x, const double *y, size_t n)
{
    double sum[LANES] = {0}, rest[LANES] = {0};
    for (size_t first = 0; first < n; first += LANES) {
        const size_t m = n - first < LANES ? n - first : LANES;
        for (size_t j = 0; j < m; j++) {
            const double difference = x[first + j] - y[first + j];
            double lost;
            sum[j] = two_sum(sum[j], difference * difference, &lost);
            rest[j] += lost;
        }
    }
    return sqrt(join_lanes(sum, rest));
}
