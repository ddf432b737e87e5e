/* position_range.h - positions of a range with a real step. */
#ifndef POSITION_RANGE_H
#define POSITION_RANGE_H

#include "number.h"

/* The double nearest to start + row * step, a real number; row is a whole number below 2^53. */
double range_position(const struct number *start, const struct number *step, double row);

#endif
