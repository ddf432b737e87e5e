/*
 * An element in double-double arithmetic, for builds without ball arithmetic.
 *
 * Numbers are sums of two doubles with a relative error below 2^-100 in each operation (Joldes, Muller, Popescu 2017,
 * doi 10.1145/3121432); functions are Taylor series. An angle comes out within |angle| (64 + |exponent|) 2^-102 and the
 * element within that and 2^-98 of itself; what is nearer to the middle of two numbers of the type is undecided.
 */
#include <math.h>

#include "claims_element.h"

typedef struct dd {
    double hi, lo;
} dd;

static dd dd_of(double x)
{
    return (dd){x, 0};
}

static dd dd_fast(double a, double b)
{
    const double sum = a + b;
    return (dd){sum, b - (sum - a)};
}

static dd dd_two_sum(double a, double b)
{
    const double sum = a + b, part = sum - a;
    return (dd){sum, (a - (sum - part)) + (b - part)};
}

static dd dd_two_product(double a, double b)
{
    const double product = a * b;
    return (dd){product, fma(a, b, -product)};
}

static dd dd_add(dd a, dd b)
{
    const dd high = dd_two_sum(a.hi, b.hi), low = dd_two_sum(a.lo, b.lo);
    const dd sum = dd_fast(high.hi, high.lo + low.hi);
    return dd_fast(sum.hi, sum.lo + low.lo);
}

static dd dd_scale(dd a, double b)
{
    const dd product = dd_two_product(a.hi, b);
    return dd_fast(product.hi, fma(a.lo, b, product.lo));
}

static dd dd_mul(dd a, dd b)
{
    const dd product = dd_two_product(a.hi, b.hi);
    return dd_fast(product.hi, product.lo + (a.hi * b.lo + a.lo * b.hi));
}

static dd dd_div(dd a, double b)
{
    const double first = a.hi / b;
    const dd left = dd_add(a, dd_scale(dd_of(first), -b));
    return dd_fast(first, (left.hi + left.lo) / b);
}

static const dd LN2 = {0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56};
static const dd TWO_PI = {0x1.921fb54442d18p2, 0x1.1a62633145c07p-52};
/* pi / 2 in three doubles */
static const double HALF_PI[3] = {0x1.921fb54442d18p0, 0x1.1a62633145c07p-54, -0x1.f1976b7ed8fbcp-110};

/* sum x^i / i! over i = first, first + step, ..., with alternating signs for step 2 */
static dd dd_series(dd x, int first, int step)
{
    dd term = first == 0 ? dd_of(1) : x, sum = term;
    for (int i = first; i < 30; i += step) {
        for (int j = 1; j <= step; j++)
            term = dd_div(dd_mul(term, x), i + j);
        if (step == 2)
            term = (dd){-term.hi, -term.lo};
        sum = dd_add(sum, term);
    }
    return sum;
}

static dd dd_exp(dd x)
{
    const double k = rint(x.hi / LN2.hi);
    const dd e = dd_series(dd_add(x, dd_scale(LN2, -k)), 0, 1);
    return (dd){ldexp(e.hi, (int)k), ldexp(e.lo, (int)k)};
}

static dd dd_log(dd x)
{
    const double near = log(x.hi);
    const dd ratio = dd_mul(x, dd_exp(dd_of(-near)));
    const dd off = dd_add(ratio, dd_of(-1));
    return dd_add(dd_of(near), dd_add(off, dd_of(-off.hi * off.hi / 2)));
}

/* Sine or cosine of an angle below 2^53 quarter turns. */
static dd dd_wave(dd angle, bool is_cosine)
{
    const double k = rint(angle.hi / HALF_PI[0]);
    dd r = angle;
    for (int i = 0; i < 3; i++)
        r = dd_add(r, dd_two_product(-k, HALF_PI[i]));
    const int quarter = ((int)fmod(k, 4) + 4 + (is_cosine ? 1 : 0)) % 4;
    const dd wave = dd_series(r, quarter % 2 == 0 ? 1 : 0, 2);
    return quarter < 2 ? wave : (dd){-wave.hi, -wave.lo};
}

/* Frequency in the tone's own unit; the size of the exponent of e in *power. */
static dd frequency(const sinpos_tone *t, double *power)
{
    dd theta = dd_of(t->value);
    const dd at = dd_two_sum(t->index, t->shift);
    if (t->schedule == SINPOS_GEOMETRIC) {
        const dd exponent = dd_mul(dd_div(at, -t->divisor), dd_log(dd_div(dd_of(t->base), t->base_divisor)));
        *power = fabs(exponent.hi);
        theta = dd_exp(exponent);
    } else if (t->schedule == SINPOS_POWER) {
        const dd step = dd_div(dd_add(dd_of(t->divisor), (dd){-at.hi, -at.lo}), t->divisor);
        const dd exponent = t->exponent == 0 ? dd_of(0) : dd_scale(dd_log(step), t->exponent);
        *power = fabs(exponent.hi);
        theta = step.hi == 0 && t->exponent != 0 ? dd_of(0) : dd_exp(exponent);
    }
    return dd_div(dd_scale(theta, t->scale), t->factor);
}

/* The angle in radians, whole turns taken off where they are known. */
static dd angle_of(const element *e, double *size, double *power)
{
    const sinpos_tone *t = e->tone;
    const double high = (double)(e->position / 1048576) * 1048576, low = (double)(e->position % 1048576);
    const dd theta = frequency(t, power);
    dd angle = dd_add(dd_scale(theta, high), dd_scale(theta, low));
    *size = fabs(angle.hi) * (t->in_turns ? TWO_PI.hi : 1) + fabs(t->phase) + TWO_PI.hi * fabs(t->phase_turns);
    if (t->in_turns) {
        angle = dd_add(angle, dd_of(-rint(angle.hi)));
        angle = dd_mul(angle, TWO_PI);
    }
    angle = dd_add(angle, dd_of(t->phase));
    return dd_add(angle, dd_scale(TWO_PI, t->phase_turns - rint(t->phase_turns)));
}

static bool fits(double size, double power)
{
    return size < 0x1p40 && (size == 0 || size > 0x1p-800) && power < 600;
}

element_verdict element_by_double_double(const element *e)
{
    double below, above, size, power = 0;
    bool is_even;
    if (!element_gaps(e->type, e->got, &below, &above, &is_even))
        return ELEMENT_WRONG;
    const dd angle = angle_of(e, &size, &power);
    if (!fits(size, power))
        return ELEMENT_UNDECIDED;
    const dd value = dd_scale(dd_wave(angle, e->is_cosine), e->tone->amplitude);
    const double error = fabs(e->tone->amplitude) * size * (64 + power) * 0x1p-102 + fabs(value.hi) * 0x1p-98;
    const dd off = dd_scale(dd_add(value, dd_of(-e->got)), 2);
    const dd over = dd_add(off, dd_of(-above)), under = dd_add(off, dd_of(below));
    if (over.hi < -2 * error && under.hi > 2 * error)
        return ELEMENT_RIGHT;
    return over.hi > 2 * error || under.hi < -2 * error ? ELEMENT_WRONG : ELEMENT_UNDECIDED;
}
