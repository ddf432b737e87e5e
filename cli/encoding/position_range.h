/* position_range.h - positions of a range with a real step. */
#pragma once

#include "number.h"

/* The double nearest to start + row * step, a real number; row is a whole number below 2^53. */
double range_position(const struct number *start, const struct number *step, double row);
