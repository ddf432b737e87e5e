/* The tones whose rows are compared, and the positions. */
#pragma once

#include "blocks.h"

/* The tones of a plan with one coordinate: complete ones first. */
typedef struct tone_set {
    sinpos_tone *tone; /* (n) */
    size_t n, n_complete;
    double *ratio; /* (n) |amplitude| / unit */
    double unit;   /* the largest |amplitude|, or 1 where all are 0 */
    blocks memory;
} tone_set;

sinpos_status tone_set_make(tone_set *set, const sinpos_plan *plan);
void tone_set_free(tone_set *set);
/* sqrt(sum (ratio[i] x[i])^2), to 1e-15, without underflow. */
double tone_norm(const double *ratio, const double *x, size_t n);

/* Are these arguments of a search within their ranges? */
sinpos_status range_check(const sinpos_plan *plan, int64_t first, size_t n, size_t n_threads);
