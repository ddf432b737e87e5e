/* Tones that depend on several coordinates: all but their own become phases, row by row. */
#include <math.h>

#include "internal.h"

/* A number as two doubles: docs/numerics.md, section 4, counts their errors. */
typedef struct pair {
    double high, low;
} pair;

static pair two_sum(double a, double b)
{
    const double s = a + b, part = s - a;
    return (pair){s, (a - (s - part)) + (b - part)};
}

static pair fast_sum(double a, double b)
{
    const double s = a + b;
    return (pair){s, b - (s - a)};
}

static pair add(pair a, pair b)
{
    const pair s = two_sum(a.high, b.high);
    return fast_sum(s.high, s.low + (a.low + b.low));
}

/* The multiple of 4 nearest to x, |x| < 2^53. */
static double whole_turns(double x)
{
    const double magic = 0x1.8p54;
    return (x + magic) - magic;
}

/* p u modulo 4 for |p u| < 2^41. */
static pair product(double p, const double u[3])
{
    const double high = p * u[0], middle = p * u[1];
    const pair inner = two_sum(fma(p, u[0], -high), middle), outer = two_sum(high - whole_turns(high), inner.high);
    return fast_sum(outer.high, outer.low + (inner.low + fma(p, u[2], fma(p, u[1], -middle))));
}

/* The same for any position. */
static pair long_product(position p, const exact_turns *f)
{
    wide turns, number;
    exact_turns product_of;
    double parts[2];
    turns_to_wide(f, 0, &turns);
    wide_position(EXACT_LIMBS, p, &number);
    wide_mul(EXACT_LIMBS, &turns, &turns, &number);
    turns_from_wide(&product_of, &turns);
    plan_quarters(&product_of, 0, parts, 2);
    return (pair){parts[0], parts[1]};
}

static pair angle_of(const further *f, position p)
{
    const double at = p.is_real ? p.real : (double)p.integer;
    const double *u = p.is_real ? f->u : f->r;
    const bool brief = p.is_real ? fabs(at * u[0]) < REDUCED_LIMIT : fabs(at) < ONE_PART_LIMIT;
    return brief ? product(at, u) : long_product(p, &f->turns);
}

bool listens_further(const sinpos_plan *plan, size_t first, size_t n)
{
    return plan->more != NULL && plan->more->further_of[first] != plan->more->further_of[first + n];
}

void further_phases(const sinpos_plan *plan, size_t first, size_t n, position p, double *const phase[2], double *rest,
                    double *eighths)
{
    for (size_t i = 0; i < n; i++) {
        pair sum = {0, 0};
        if (plan->has_phase)
            sum = (pair){plan->phase[0][first + i], plan->phase[1][first + i]};
        const size_t end = plan->more->further_of[first + i + 1];
        for (size_t k = plan->more->further_of[first + i]; k < end; k++) {
            const further *f = &plan->more->further[k];
            sum = add(sum, angle_of(f, position_on(p.integers, p.reals, f->axis)));
            sum.high -= whole_turns(sum.high);
        }
        phase[0][i] = sum.high;
        phase[1][i] = sum.low;
        eighths[i] = MAGIC_EIGHTHS + sum.high;
        rest[i] = sum.high - (eighths[i] - MAGIC_EIGHTHS) + sum.low;
    }
}
