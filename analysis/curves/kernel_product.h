/* g at many offsets by the sums of product.h, in ranges and in lists, over threads. */
#pragma once

#include <stdbool.h>

#include "complete_tones.h"
#include "product.h"

typedef struct product {
    product_shape shape;
    size_t n;        /* tones */
    double *columns; /* (COLUMNS / TILE_COLUMNS, n_tones, TILE_STRIDE) */
} product;

/* Offsets beyond this have an anchor that int64 does not hold. */
#define PRODUCT_MOST (INT64_MAX - PERIOD)
/* More tones than this, and the table of columns would be larger than 32 MiB. */
#define PRODUCT_MOST_TONES ((size_t)8192)

/* Are these tones for it? All of one amplitude, since the bound on the error counts on that, and not too many. */
bool product_takes(const tones *t);
/* plan: of tones_plan(), scale 1. */
sinpos_status product_make(product *p, const tones *t, const sinpos_plan *plan);
void product_free(product *p);

/* g(first), ..., g(first + n - 1), 0 <= first, first + n - 1 <= PRODUCT_MOST. */
sinpos_status product_range(const product *p, const sinpos_plan *plan, int64_t first, size_t n, double *g,
                            size_t n_threads);
/* g(|offset|) for each, none beyond PRODUCT_MOST in size. */
sinpos_status product_list(const product *p, const sinpos_plan *plan, const int64_t *offsets, size_t n, double *g,
                           size_t n_threads);
