/*
 * Real numbers of formulas: exact where they are rational or a rational times a rational power of a rational, all in
 * doubles; else REAL_LIMBS words of wide arithmetic, whose error stays below 2^-450 of the number but for cancellation.
 */
#pragma once

#include <stdbool.h>

#include "../exact/wide.h"
#include "sinpos.h"

enum { REAL_LIMBS = 8 };

/* The limbs of a wide that count. */
typedef struct real_limbs {
    int sign;
    int64_t exponent;
    uint64_t limb[REAL_LIMBS];
} real_limbs;

typedef struct real {
    bool is_wide, is_power;
    double num, den;           /* not wide: num / den, den > 0, times ... */
    double base_num, base_den; /* ... (base_num / base_den)^(exp_num / exp_den) for a power */
    double exp_num, exp_den;
    real_limbs w;
} real;

/*
 * The logarithm of the base of the last power, that power, and the power of the step between the last two exponents:
 * frequencies are powers of one base, whose exponents are evenly spaced.
 */
typedef struct kept_log {
    bool is_set, has_last, has_step, has_step_power;
    real of;
    real_limbs log, last, step_power;
    double last_num, last_den, step_num, step_den; /* exponents */
    size_t n_products;                             /* since the last power that was an exponential */
} kept_log;

void real_set(real *r, double x);
void real_set_wide(real *r, const wide *w);
void real_pi(real *r);
void real_set_ratio(real *r, double num, double den); /* in lowest terms */
void real_set_quotient(real *r, double a, double b);  /* of any doubles, b not 0 */
bool real_is_rational(const real *a);
bool real_is_double(const real *a, double *x); /* exactly */
double real_to_double(const real *a);          /* nearest, or nearly */
void real_to_wide(const real *a, wide *w);
/* Doubles that add up to a, to more than 300 bits; true if the first alone is a. */
bool real_to_parts(const real *a, double parts[SINPOS_PARTS]);

/* r may be an operand. False where there is no such number: division by zero, logarithm of what is not positive. */
void real_negate(real *r);
void real_add(real *r, const real *a, const real *b);
void real_subtract(real *r, const real *a, const real *b);
void real_multiply(real *r, const real *a, const real *b);
void real_turns_to_radians(real *r, const real *turns); /* 0 stays exact */
bool real_divide(real *r, const real *a, const real *b);
bool real_power(real *r, const real *a, const real *b, kept_log *kept); /* kept: NULL, or of powers of one base */
bool real_sqrt(real *r, const real *a);
bool real_exp(real *r, const real *a);
bool real_log(real *r, const real *a);
bool real_log2(real *r, const real *a);
void real_floor(real *r, const real *a);
int real_sign(const real *a);
int real_compare(const real *a, const real *b); /* equal: nearer than 2^-400 of their size */

/* *s = a + b, rounded; false where that is not exact. */
bool exact_sum(double a, double b, double *s);
/* sum += x * (the sum of the parts, which end with the first 0) */
void wide_add_product(wide *sum, double x, const double parts[SINPOS_PARTS]);
