/* Distances of rows of doubles. */
#pragma once

#include <stddef.h>

/* Of two rows of n doubles, times a power of two: sum (factor (a - b))^2. */
double square_distance(const double *a, const double *b, size_t n, double factor);
/* A power of two that brings numbers as large as unit to about 1. */
double scale_to_one(double unit);
/* The distance of two rows with more care. */
double row_distance(const double *a, const double *b, size_t n);
