/*
 * Floating-point numbers of any precision up to WIDE_LIMBS words, for frequencies and for the last steps of rounding.
 *
 *     value = sign * 0.limb[0] limb[1] ... limb[n-1] * 2^exponent      top bit of limb[0] set; sign 0 is zero
 *
 * n, the precision in limbs, goes with every call. Each operation truncates: its result r satisfies
 * |r - exact| <= 2^(5 - 64 n) |exact| unless it says otherwise. Nothing here allocates.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WIDE_LIMBS 74 /* the largest n */

typedef struct wide {
    int sign;
    int64_t exponent;
    uint64_t limb[WIDE_LIMBS];
} wide;

void wide_zero(wide *r);
void wide_set_double(size_t n, wide *r, double x);   /* exact */
void wide_set_integer(size_t n, wide *r, int64_t x); /* exact */
void wide_set_sum(size_t n, wide *r, double first, const double *more, size_t count);
/* first and count more: exact where they are zero or within 2^(64 n - 64) of each other; finite, count < 2^9 */
void wide_copy(size_t n, wide *r, const wide *a);
void wide_widen(size_t n, wide *a, size_t n_before);              /* exact: a had n_before limbs, now has n */
void wide_set_fraction(size_t n, wide *r, const uint64_t *limbs); /* most significant first, truncated */

void wide_add(size_t n, wide *r, const wide *a, const wide *b); /* error <= 2^(2 - 64 n) max(|a|, |b|) */
void wide_sub(size_t n, wide *r, const wide *a, const wide *b); /* likewise */
void wide_mul(size_t n, wide *r, const wide *a, const wide *b);
void wide_div(size_t n, wide *r, const wide *a, const wide *b); /* b not zero */
int wide_compare_size(size_t n, const wide *a, const wide *b);  /* sign of |a| - |b| */
int64_t wide_round_to_integer(size_t n, wide *fraction, const wide *a);
/* nearest integer of a, |a| < 2^62; fraction = a - it, in [-1/2, 1/2], exact */

void wide_reduce_mod_4(size_t n, wide *a);          /* exact, keeps the sign; does nothing to |a| < 2^60 */
void wide_nearest_to_zero_mod_4(size_t n, wide *a); /* exact, [-2, 2] */

void wide_pi_quarter(size_t n, wide *r);
void wide_inverse_two_pi(size_t n, wide *r);

/* Relative error <= 2^(16 - 64 n). */
void wide_log(size_t n, wide *r, const wide *a); /* a > 0 */
void wide_exp(size_t n, wide *r, const wide *a); /* |a| < 2^20, else 0; error <= 2^(38 - 64 n) */

/*
 * sin and cos of 2 pi (quarters / 4 + eighth), |eighth| <= 1/8 of a turn given as a wide; quarters mod 4.
 * Absolute error of both <= 2^(40 - 64 n); of the one that is near zero also relative to itself.
 */
void wide_sincos_turns(size_t n, int64_t quarters, const wide *eighth, wide *sine, wide *cosine);

/* The two or three doubles whose sum is nearest to a: r[0] = RN(a), r[1] = RN(a - r[0]), ... */
void wide_to_doubles(size_t n, const wide *a, double *r, size_t count);
