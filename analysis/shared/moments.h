/* Sums over rows x: of x - shift, of (x - shift)(x - shift)', and of |x|. */
#pragma once

#include <stdbool.h>

#include "blocks.h"
#include "sinpos_analysis.h"

/* Products of six such numbers, and sums of very many, stay finite. */
#define MOMENTS_LARGEST 0x1p100

struct sinpos_moments {
    size_t dim, n, n_threads;
    double *shift; /* (dim) */
    double *sum;   /* (dim) */
    double *gram;  /* (dim, dim) upper triangle */
    double *piece;
    double norm_sum, largest_norm;
    blocks memory;
};

/* Is every number at most `most` in size, or MOMENTS_LARGEST? NaN is not. */
bool rows_are_below(const double *rows, size_t n, size_t dim, size_t ld, double most);
bool rows_are_within(const double *rows, size_t n, size_t dim, size_t ld);

/* mean (dim) and mean of x x' (dim, dim) */
sinpos_status moments_second(const sinpos_moments *m, double *mean, double *second);
