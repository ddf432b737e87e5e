/* Distances of rows of doubles: fast, or with care. */
#include "row_distance.h"

#include <math.h>

#include "two_sum.h"

double square_distance(const double *a, const double *b, size_t n, double factor)
{
    double lane[8] = {0};
    size_t i = 0;
    for (; i + 8 <= n; i += 8) {
        for (size_t j = 0; j < 8; j++) {
            const double x = factor * (a[i + j] - b[i + j]);
            lane[j] += x * x;
        }
    }
    for (; i < n; i++) {
        const double x = factor * (a[i] - b[i]);
        lane[0] += x * x;
    }
    return ((lane[0] + lane[4]) + (lane[2] + lane[6])) + ((lane[1] + lane[5]) + (lane[3] + lane[7]));
}

double row_distance(const double *a, const double *b, size_t n)
{
    double largest = 0, sum = 0, rest = 0, lost;
    int exponent;
    for (size_t i = 0; i < n; i++)
        largest = fmax(largest, fabs(a[i] - b[i]));
    if (largest == 0 || !isfinite(largest))
        return largest;
    frexp(largest, &exponent);
    for (size_t i = 0; i < n; i++) {
        const double x = ldexp(a[i] - b[i], -exponent);
        sum = two_sum(sum, x * x, &lost);
        rest += lost;
    }
    return ldexp(sqrt(sum + rest), exponent);
}

double scale_to_one(double unit)
{
    int exponent;
    frexp(unit, &exponent);
    return ldexp(1, exponent > 1000 ? -1000 : exponent < -1000 ? 1000 : -exponent);
}
