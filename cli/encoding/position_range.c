/*
 * position_range.c - start + row * step, rounded once.
 *
 * fma() is that rounding where both numbers are doubles. An integer beyond 2^53 need not be one: it is the sum of
 * two, and the whole is then a sum of up to six doubles, kept exactly as numbers that do not overlap.
 */
#include "position_range.h"

#include <math.h>

#define N_PARTS 8

struct exact {
    double part[N_PARTS]; /* increasing in size, no two overlapping */
    int n;
};

static void exact_add(struct exact *sum, double x)
{
    int kept = 0;
    for (int i = 0; i < sum->n; i++) {
        double large = x, small = sum->part[i];
        if (fabs(large) < fabs(small)) {
            large = sum->part[i];
            small = x;
        }
        const double high = large + small;
        const double low = small - (high - large);
        if (low != 0)
            sum->part[kept++] = low;
        x = high;
    }
    sum->part[kept++] = x;
    sum->n = kept;
}

/* Rounds to nearest, ties to even, looking below the last place where the two largest parts make a tie. */
static double exact_round(const struct exact *sum)
{
    int n = sum->n;
    double high = sum->part[--n];
    double low = 0;
    while (n > 0) {
        const double x = high;
        const double y = sum->part[--n];
        high = x + y;
        low = y - (high - x);
        if (low != 0)
            break;
    }
    if (n > 0 && ((low < 0 && sum->part[n - 1] < 0) || (low > 0 && sum->part[n - 1] > 0))) {
        const double twice = 2 * low;
        const double moved = high + twice;
        if (twice == moved - high)
            high = moved;
    }
    return high;
}

/* What the nearest double leaves of an integer. */
static double low_part(const struct number *number)
{
    if (!number->is_integer)
        return 0;
    if (number->real >= 0x1p63)
        return (double)(number->integer - INT64_MAX) - 1;
    return (double)(number->integer - (int64_t)number->real);
}

static void exact_add_product(struct exact *sum, double row, double step)
{
    const double high = row * step;
    exact_add(sum, fma(row, step, -high));
    exact_add(sum, high);
}

double range_position(const struct number *start, const struct number *step, double row)
{
    if (number_is_double(start) && number_is_double(step))
        return fma(row, step->real, start->real);
    struct exact sum = {.n = 0};
    exact_add(&sum, low_part(start));
    exact_add(&sum, start->real);
    exact_add_product(&sum, row, low_part(step));
    exact_add_product(&sum, row, step->real);
    return exact_round(&sum);
}
