/*
 * float32 exp and pow as PyTorch has them on processors that fuse multiply and add: SLEEF's of 1.0 ulp (Shibata and
 * Petrogalli, arXiv:2001.09258), operation by operation. Numbers are floats held in doubles.
 */
#include <math.h>

#include "step_program.h"

#define LN2_HIGH 0x1.62e400p-1
#define LN2_LOW 0x1.7f7d1cp-20
#define INVERSE_LN2 0x1.715476p+0

typedef struct pair {
    double high, low;
} pair;

static double rounded(double x)
{
    return (double)(float)x;
}

/* a b + c rounded once: the product of two floats is a double. */
static double fused(double a, double b, double c)
{
    return round_sum(a * b, c, SINPOS_F32);
}

static double polynomial(double x, const double *coefficients, size_t n)
{
    double sum = coefficients[0];
    for (size_t k = 1; k < n; k++)
        sum = fused(sum, x, coefficients[k]);
    return sum;
}

double torch_exp(double x)
{
    static const double c[] = {0x1.a057b4p-13, 0x1.6d2d92p-10, 0x1.11114cp-7, 0x1.5554f4p-5, 0x1.555556p-3, 0.5};
    if (!(x >= -104 && x <= 104))
        return isnan(x) ? x : x < 0 ? 0 : INFINITY;
    const double q = nearbyint(rounded(x * INVERSE_LN2));
    const double s = fused(q, -LN2_LOW, fused(q, -LN2_HIGH, x));
    const double u = rounded(1 + fused(rounded(s * s), polynomial(s, c, sizeof c / sizeof c[0]), s));
    return rounded(ldexp(u, (int)q));
}

/* ------------------------------------------------------------------------------------------------ pairs of floats */

/* Any two. */
static pair add(pair a, pair b)
{
    const double sum = rounded(a.high + b.high), part = rounded(sum - a.high);
    const double lost = rounded(rounded(a.high - rounded(sum - part)) + rounded(b.high - part));
    return (pair){sum, rounded(lost + rounded(a.low + b.low))};
}

/* The first is the larger. */
static pair add_smaller(pair a, pair b)
{
    const double sum = rounded(a.high + b.high);
    return (pair){sum, rounded(rounded(rounded(rounded(a.high - sum) + b.high) + a.low) + b.low)};
}

static pair multiply(pair a, pair b)
{
    const double product = rounded(a.high * b.high);
    return (pair){product, fused(a.high, b.low, fused(a.low, b.high, fused(a.high, b.high, -product)))};
}

static pair scale(pair a, double b)
{
    const double product = rounded(a.high * b);
    return (pair){product, fused(a.low, b, fused(a.high, b, -product))};
}

static pair square(pair a)
{
    const double product = rounded(a.high * a.high);
    return (pair){product, fused(rounded(a.high + a.high), a.low, fused(a.high, a.high, -product))};
}

static pair divide(pair a, pair b)
{
    const double inverse = rounded(1 / b.high), q = rounded(a.high * inverse);
    const double rest = fused(inverse, a.high, -q), error = fused(-b.low, inverse, fused(-b.high, inverse, 1));
    return (pair){q, fused(q, error, fused(a.low, inverse, rest))};
}

/* ------------------------------------------------------------------------------------------------------------ power */

/* Of a normal float: e ln 2 + 2 artanh((m - 1) / (m + 1)), m in [3/4, 3/2). */
static pair logarithm(double x)
{
    static const double c[] = {0x1.ec2d14p-3, 0x1.23f494p-2, 0x1.999bb2p-2};
    static const pair two_thirds = {0x1.555554p-1, 0x1.fb6706p-29}, ln2 = {0x1.62e430p-1, -0x1.05c610p-29};
    int e;
    frexp(rounded(x * 0x1.555556p+0), &e);
    const double m = ldexp(x, 1 - e);
    const pair z = divide(add((pair){-1, 0}, (pair){m, 0}), add((pair){1, 0}, (pair){m, 0})), z2 = square(z);
    const double t = polynomial(z2.high, c, sizeof c / sizeof c[0]);
    const pair sum = add_smaller(scale(ln2, e - 1), (pair){2 * z.high, 2 * z.low});
    return add_smaller(sum, multiply(multiply(z2, z), add(scale(z2, t), two_thirds)));
}

static double exponential(pair x)
{
    static const double c[] = {0x1.655decp-10, 0x1.1222d6p-7, 0x1.555e98p-5, 0x1.5554bcp-3, 0x1.fffff6p-2};
    const double q = nearbyint(rounded(rounded(x.high + x.low) * INVERSE_LN2));
    pair s = add(x, (pair){rounded(q * -LN2_HIGH), 0});
    s = add(s, (pair){rounded(q * -LN2_LOW), 0});
    const double high = rounded(s.high + s.low);
    s = (pair){high, rounded(rounded(s.high - high) + s.low)};
    pair t = add_smaller(s, scale(square(s), polynomial(s.high, c, sizeof c / sizeof c[0])));
    t = add_smaller((pair){1, 0}, t);
    return rounded(ldexp(rounded(t.high + t.low), (int)q));
}

double torch_pow(double x, double y)
{
    const pair power = scale(logarithm(x), y);
    return power.high < -104 ? 0 : power.high > 104 ? INFINITY : exponential(power);
}
