/* Sums in lanes, each with the roundings that it lost (Neumaier). */
#include "compensated.h"

#include <math.h>

#include "compiler.h"
#include "two_sum.h"

enum { LANES = 8 };

/* sum of term(x[i], y[i]) */
ALWAYS_INLINE double sum_of(double term(double, double), const double *x, const double *y, size_t n)
{
    double sum[LANES] = {0}, rest[LANES] = {0}, high = 0, low = 0, lost;
    for (size_t first = 0; first < n; first += LANES) {
        const size_t m = n - first < LANES ? n - first : LANES;
        for (size_t j = 0; j < m; j++) {
            double own;
            sum[j] = two_sum(sum[j], term(x[first + j], y[first + j]), &own);
            rest[j] += own;
        }
    }
    for (size_t j = 0; j < LANES; j++) {
        high = two_sum(high, sum[j], &lost);
        low += lost + rest[j];
    }
    return high + low;
}

ALWAYS_INLINE double product(double x, double y)
{
    return x * y;
}

ALWAYS_INLINE double weighted_square(double w, double x)
{
    return w * (x * x);
}

ALWAYS_INLINE double squared_difference(double x, double y)
{
    return (x - y) * (x - y);
}

double compensated_dot(const double *x, const double *y, size_t n)
{
    return sum_of(product, x, y, n);
}

double compensated_squares(const double *w, const double *x, size_t n)
{
    return sum_of(weighted_square, w, x, n);
}

double compensated_distance(const double *x, const double *y, size_t n)
{
    return sqrt(sum_of(squared_difference, x, y, n));
}
