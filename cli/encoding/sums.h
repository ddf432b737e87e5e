/* sums.h - positions of a range with a real step. */
#ifndef SUMS_H
#define SUMS_H

#include "number.h"

/* The double nearest to start + row * step, a real number; row is a whole number below 2^53. */
double sum_start_step(const struct number *start, const struct number *step, double row);

#endif
