/* near_ties.h - where ties lie in each type, and values near them. */
#ifndef SINPOS_TESTS_NEAR_TIES_H
#define SINPOS_TESTS_NEAR_TIES_H

#include <mpfr.h>

#include "random.h"
#include "sinpos.h"

typedef struct tie_format {
    int digits, least, least_normal; /* the last bit of the smallest number; the smallest normal one */
    double limit;                    /* values below so many bounds are too small for the tests on bits */
} tie_format;

double near_ties_least_normal(sinpos_type type);
double near_ties_limit(sinpos_type type);
/* The tie next to `size` is what comes back plus *half. */
double near_ties_tie(random_state *r, sinpos_type type, double size, double *half);
/* Sizes up to `most`: of all orders, near the limit of the tests on bits for a bound, and where numbers end. */
double near_ties_size(random_state *r, sinpos_type type, double most, double bound);
/* In bounds, from a tie: -1.2 .. 1.2, denser near 0. */
double near_ties_offset(random_state *r);
/* exact as a double and n more */
void near_ties_parts(const mpfr_t exact, double *first, double *parts, int n);

#endif
