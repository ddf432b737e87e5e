/* The sum of two doubles and what rounding it loses, exactly (Knuth). */
#ifndef SINPOS_TWO_SUM_H
#define SINPOS_TWO_SUM_H

static inline double two_sum(double a, double b, double *lost)
{
    const double sum = a + b, part = sum - a;
    *lost = (a - (sum - part)) + (b - part);
    return sum;
}

#endif
