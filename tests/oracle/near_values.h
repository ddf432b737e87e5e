/* near_values.h - where ties lie in each type, and values near them. */
#ifndef SINPOS_TESTS_NEAR_VALUES_H
#define SINPOS_TESTS_NEAR_VALUES_H

#include <mpfr.h>

#include "random.h"
#include "sinpos.h"

enum { MOST_ROUNDS = 8 }; /* of a path whose near ties do not show an error that is too large */

/* Values below so many bounds are too small to be judged by their bits; 0 for float64. */
double near_limit(sinpos_type type);
/* The tie next to `size` is what comes back plus *half. */
double near_tie(random_state *r, sinpos_type type, double size, double *half);
/* Sizes up to `most`: of all orders, near a limit of the rounding tests, and where the numbers of the type end. */
double near_size(random_state *r, sinpos_type type, double most, double limit);
/* In bounds, from a tie: -1.2 .. 1.2, denser near 0. */
double near_offset(random_state *r);
/* exact as a double and n more */
void near_parts(const mpfr_t exact, double *first, double *parts, int n);

#endif
