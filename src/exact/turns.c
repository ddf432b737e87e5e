/* Frequencies in turns as plans keep them, and positions: to wide numbers and back. */
#include <math.h>
#include <string.h>

#include "../internal.h"

void turns_from_wide(exact_turns *kept, const wide *f)
{
    kept->sign = f->sign;
    kept->exponent = f->sign == 0 ? 0 : f->exponent;
    for (size_t i = 0; i < EXACT_LIMBS; i++)
        kept->limb[i] = f->sign == 0 ? 0 : f->limb[i];
}

void turns_to_wide(const exact_turns *f, int64_t shift, wide *w)
{
    w->sign = f->sign;
    w->exponent = f->exponent + shift;
    memcpy(w->limb, f->limb, sizeof f->limb);
}

void plan_quarters(const exact_turns *f, int64_t shift, double *parts, size_t count)
{
    wide w;
    turns_to_wide(f, 2 + shift, &w);
    wide_nearest_to_zero_mod_4(EXACT_LIMBS, &w);
    wide_to_doubles(EXACT_LIMBS, &w, parts, count);
}

void wide_position(size_t n, position p, wide *r)
{
    if (p.is_real)
        wide_set_double(n, r, p.real);
    else
        wide_set_integer(n, r, p.integer);
}

bool position_is_zero(position p)
{
    return p.is_real ? p.real == 0 : p.integer == 0;
}

position position_on(const int64_t *integers, const double *reals, size_t axis)
{
    position p = {.integers = integers, .reals = reals};
    if (integers != NULL) {
        p.integer = integers[axis];
    } else if (reals[axis] == trunc(reals[axis])) {
        p.integer = (int64_t)reals[axis];
    } else {
        p.is_real = true;
        p.real = reals[axis];
    }
    return p;
}
