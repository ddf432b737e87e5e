/* What the evaluations of one element share: docs/numerics.md, section 6, proves each bound used here. */
#pragma once

#include "../internal.h"
#include "../kernel_error.h"

static inline int64_t larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* ------------------------------------------------------------------------------- The angle: exact_angle.c */

/* Of frequencies and phases to n limbs: 2^this is above the relative error. */
static inline int64_t relative_error_exponent(size_t n)
{
    return n == EXACT_LIMBS ? -KEPT_BITS : 28 - 64 * (int64_t)n;
}

/* The angle p F, of all coordinates, (+ phase), in turns, to n limbs, and F; the absolute error is below 2^*error. */
void angle_turns(const sinpos_plan *plan, size_t padded, size_t n, position p, bool with_phase, wide *f, wide *turns,
                 int64_t *error);
/* quarters, which is returned, + 4 eighth = 4 turns modulo 4, |eighth| <= 1/8. */
int64_t split_quarters(size_t n, const wide *turns, wide *eighth);

/* ------------------------------------------------------------------------------- Rational numbers: exact.c */

/* The angle as twelfths of a turn, 0 .. 11, where it is a whole number of them; else -1. */
int exact_twelfths(const sinpos_plan *plan, size_t padded, position p, bool with_phase);
/* Twice the sine of k twelfths of a turn where that is a whole number; else 9. */
int twice_sine(int k);
/* The element, if it is a rational number known in full. */
bool element_exact(const sinpos_plan *plan, size_t padded, position p, element e, sinpos_type type, double *result);

/* ------------------------------------------------------------------------------------- The rungs: ladder.c */

/* How many limbs the rung above takes. */
size_t next_limbs(size_t n);
/* Do both ends of value +- 2^error round to the same element? LAST_LIMBS always decide. */
bool decides(size_t n, const wide *value, int64_t error, sinpos_type type, double *result);
/* Sine and cosine of the angle, amplitude left out, as double-doubles. */
void sincos_dd(const sinpos_plan *plan, size_t padded, position p, bool with_phase, double sine[2], double cosine[2],
               int64_t *angle_error);

#ifdef SINPOS_KERNEL_ERROR
static inline void look_at(size_t n, const wide *value, int64_t error)
{
    if (sinpos_internal_wide_interval != NULL)
        sinpos_internal_wide_interval(n, value, error);
}
#endif
