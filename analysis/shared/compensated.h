/* Sums whose roundings are added up beside them. */
#pragma once

#include <stddef.h>

/* sum x y, within 2^-52 of the sum of the sizes. */
double compensated_dot(const double *x, const double *y, size_t n);
/* sum w x^2, within 2^-51 of the sum of the sizes. */
double compensated_squares(const double *w, const double *x, size_t n);
/* |x - y|, within 2^-51 of itself and of what rounding the differences makes. */
double compensated_distance(const double *x, const double *y, size_t n);
