/* identify_numbers.c - order statistics, and numbers that people write. */
#include <stdio.h>
#include <stdlib.h>

#include "identify.h"

/* Of ratios that are looked for. */
#define MOST_DIVISOR 64

/* Of parts of a turn that are decimals. */
#define MOST_DECIMALS 1e6

/* Moves by insertion, on average; what takes more is sorted otherwise. */
#define MOST_MOVES 16

/* Those that are below the pivot, or as small, come first: where they end. Without branches, which nobody can predict. */
static size_t put_first(double *x, size_t low, size_t high, double pivot, bool or_equal)
{
    size_t end = low;
    for (size_t i = low; i < high; i++) {
        const double own = x[i];
        const bool is_first = (own < pivot) | (or_equal & (own == pivot));
        x[i] = x[end];
        x[end] = own;
        end += is_first;
    }
    return end;
}

double id_select(double *x, size_t n, size_t k)
{
    size_t low = 0, high = n;
    while (high - low > 1) {
        const size_t middle = low + (high - 1 - low) / 2;
        const double pivot = x[middle];
        if (isnan(pivot)) { /* larger than all */
            x[middle] = x[--high];
            x[high] = pivot;
            if (k == high)
                return pivot;
            continue;
        }
        const size_t below = put_first(x, low, high, pivot, false);
        if (k < below) {
            high = below;
            continue;
        }
        low = put_first(x, below, high, pivot, true);
        if (k < low)
            return pivot;
    }
    return x[k];
}

/* Element `at` down to its place in a heap, the largest of which is on top. */
static void sift(const double *x, size_t n, size_t *order, size_t at)
{
    const size_t own = order[at];
    for (size_t child = 2 * at + 1; child < n; child = 2 * at + 1) {
        child += child + 1 < n && fabs(x[order[child + 1]]) > fabs(x[order[child]]);
        if (!(fabs(x[order[child]]) > fabs(x[own])))
            break;
        order[at] = order[child];
        at = child;
    }
    order[at] = own;
}

static void sort_by_heap(const double *x, size_t n, size_t *order)
{
    for (size_t at = n / 2; at-- > 0;)
        sift(x, n, order, at);
    for (size_t last = n; last-- > 1;) {
        const size_t largest = order[0];
        order[0] = order[last];
        order[last] = largest;
        sift(x, last, order, 0);
    }
}

void id_order(const double *x, size_t n, size_t *order)
{
    const bool is_rising = n > 0 && fabs(x[0]) <= fabs(x[n - 1]);
    size_t left = MOST_MOVES * n;
    for (size_t k = 0; k < n; k++) {
        const size_t i = is_rising ? k : n - 1 - k;
        size_t at = k;
        for (; at > 0 && left > 0 && fabs(x[order[at - 1]]) > fabs(x[i]); at--, left--)
            order[at] = order[at - 1];
        order[at] = i;
    }
    if (left == 0)
        sort_by_heap(x, n, order);
}

double id_median(double *x, size_t n)
{
    return n == 0 ? NAN : id_select(x, n, n / 2);
}

double id_largest(const double *x, size_t n)
{
    double most = 0;
    for (size_t i = 0; i < n; i++)
        most = fmax(most, fabs(x[i]));
    return most;
}

/* x to so many decimals, negative for tens: one division or product of numbers that are exact. */
static double with_decimals(double x, int decimals)
{
    static const double powers[] = {1,    1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                    1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    return decimals >= 0 ? nearbyint(x * powers[decimals]) / powers[decimals]
                         : nearbyint(x / powers[-decimals]) * powers[-decimals];
}

/* Of the first digit. */
static int exponent_of(double x)
{
    return x == 0 || !isfinite(x) ? 0 : (int)floor(log10(fabs(x)));
}

static double rounded(double x, int digits, int exponent)
{
    char text[40];
    if (x == 0 || !isfinite(x))
        return x;
    const int decimals = digits - 1 - exponent;
    if (digits <= 15 && abs(decimals) <= 22)
        return with_decimals(x, decimals);
    snprintf(text, sizeof text, "%.*e", digits - 1, x);
    return strtod(text, NULL);
}

double id_rounded(double x, int digits)
{
    return rounded(x, digits, exponent_of(x));
}

double id_to_bits(double x, int bits)
{
    int exponent;
    (void)frexp(x, &exponent);
    const double unit = ldexp(1, exponent - bits);
    return x == 0 ? 0 : nearbyint(x / unit) * unit;
}

double id_nice(double x, double error)
{
    const int exponent = exponent_of(x);
    for (int digits = 1; digits <= 16; digits++) {
        const double y = rounded(x, digits, exponent);
        if (fabs(y - x) <= error)
            return y;
    }
    return x;
}

/* Digits of the shortest decimal of x, or most + 1. */
static size_t digits_up_to(double x, size_t most)
{
    const int exponent = exponent_of(x);
    for (size_t digits = 1; digits <= most; digits++)
        if (rounded(x, (int)digits, exponent) == x)
            return digits;
    return most + 1;
}

size_t id_digits(double x)
{
    return digits_up_to(x, 16);
}

bool id_has_digits(double x, size_t most)
{
    return digits_up_to(x, most) <= most;
}

size_t id_ratio_digits(double x)
{
    for (int divisor = 1; divisor <= MOST_DIVISOR; divisor++) {
        const double whole = nearbyint(x * divisor);
        if (fabs(x * divisor - whole) <= 1e-14 * fabs(whole))
            return id_digits(whole) + (divisor > 1 ? id_digits(divisor) : 0);
    }
    return SIZE_MAX;
}

double id_simple(double x, double error)
{
    if (fabs(x - nearbyint(x)) <= error && error < 0.3)
        return nearbyint(x) + 0.0; /* no -0 */
    const double decimal = id_nice(x, error) + 0.0;
    if (id_has_digits(decimal, 4))
        return decimal;
    for (int divisor = 3; divisor <= MOST_DIVISOR; divisor++) {
        const double ratio = nearbyint(x * divisor) / divisor;
        const bool is_near = fabs(x - ratio) <= error || fabs(x - (double)(float)ratio) <= error; /* or was float32 */
        if (ratio != 0 && is_near && error * divisor * divisor < 0.01 * fabs(x))
            return ratio;
    }
    return decimal;
}

bool id_is_turn(double x, size_t most, double *turns, double *factor)
{
    const double ratio = x / (TWO_PI / 2), simple = id_simple(ratio, 0x1p-50 * fabs(ratio));
    double by = 1;
    while (by <= MOST_DECIMALS && simple * by != nearbyint(simple * by))
        by *= 10;
    if (x == 0 || (id_digits(simple) > most && id_ratio_digits(simple) > most))
        return false;
    for (int divisor = 3; by > MOST_DECIMALS && divisor <= MOST_DIVISOR; divisor++)
        if (fabs(simple * divisor - nearbyint(simple * divisor)) <= 1e-14 * fabs(simple * divisor))
            by = divisor < by ? divisor : by;
    *turns = nearbyint(simple * by);
    *factor = 2 * by;
    return by <= MOST_DECIMALS;
}

double id_simple_angle(double x, double error)
{
    const double half = TWO_PI / 2, decimal = id_simple(x, error), ratio = id_simple(x / half, error / half);
    const size_t own = id_ratio_digits(ratio), digits = id_digits(ratio) < own ? id_digits(ratio) : own;
    const double turned = ratio * half;
    return digits + 2 <= id_digits(decimal) && fabs(turned - x) <= error + 0x1p-50 * fabs(x) ? turned : decimal;
}
