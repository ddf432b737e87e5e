/* The sum of two doubles and what rounding it loses, exactly (Knuth). */
#pragma once

static inline double two_sum(double a, double b, double *lost)
{
    const double sum = a + b, part = sum - a;
    *lost = (a - (sum - part)) + (b - part);
    return sum;
}
