/* Does a table hold what it should? So that no time is reported for the wrong work. */
#pragma once

#include <stddef.h>

#include "sinpos.h"

enum { BENCH_DIM = 1024, BENCH_TONES = BENCH_DIM / 2 };
#define BENCH_BASE 10000.0

/* theta_k = base^(-2k/dim), rounded to double. */
void bench_theta(double *theta);

/* Position of row i. */
double row_position(const sinpos_rows *rows, size_t i);

/*
 * Largest difference of some of the rows, the first 64 and 64 more, from the C library's sine and cosine
 * of position * theta in double precision; rows of positions beyond 2^21 are left out, since that angle
 * is too coarse there. Infinite if an element is not a number. table is (rows->n, BENCH_DIM).
 */
double largest_error(const void *table, sinpos_type type, const sinpos_rows *rows);

/* Number of rows, of the same, that differ in a byte from what sinpos_fill() makes of the position alone. */
size_t rows_unlike_fill(const sinpos_plan *plan, const void *table, sinpos_type type, const sinpos_rows *rows);

/* Rotary: heads of this width, and element i of what is rotated, which is not a number's neighbour in any type. */
enum { ROTARY_DIM = 128 };
double rotary_element(size_t i);
void fill_rotary(void *x, sinpos_type type, size_t n);

/*
 * Largest difference of some heads of rotary_element(), rotated, from the C library's sine and cosine; x is
 * (n, heads, ROTARY_DIM) and row i has position i.
 */
double rotary_error(const void *x, sinpos_type type, size_t n, size_t heads, sinpos_layout layout);

/* Half a unit in the last place of the type near 1, and something for the double angle. */
double tolerance_of(sinpos_type type);
