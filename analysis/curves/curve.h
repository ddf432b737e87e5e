/* A curve over the offset, made ready once and evaluated often. */
#pragma once

#include <stdbool.h>

#include "kernel_product.h"

typedef struct curve {
    tones t;
    sinpos_plan *plan; /* of the tones; of half their frequencies for distances */
    double total;      /* g(0) */
    bool distance;
    product product; /* columns NULL where it is not used */
} curve;

/* Bound on the error of a value of g, as a part of g(0). */
#define KERNEL_ERROR 1e-15

sinpos_status curve_make(curve *c, const sinpos_plan *plan, bool distance);
void curve_free(curve *c);
/* offsets were checked; n_threads may be 0. */
sinpos_status curve_values(const curve *c, const sinpos_rows *offsets, double *out, size_t n_threads);
