/*
 * g at many offsets as a matrix product: with a = 511 m and r from 0 to 255,
 *
 *     g(a + r) = P - Q,  g(a - r) = P + Q,   P = sum of cos(a theta) cos(r theta),  Q = sum of sin(a theta) sin(r theta)
 *
 * The order of every sum is the same whatever the instruction set, so that the bytes are.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

enum {
    REACH = 255, /* of r */
    PERIOD = 2 * REACH + 1,
    COLUMNS = REACH + 1,
    LEAF = 16,                     /* tones whose sum is made in registers: four chains, added in pairs */
    CHAIN = 4,                     /* tones added one after the other, before sums are added in pairs */
    SEGMENT = 64,                  /* this many tones are added in double, segments in two doubles */
    GROUP_ROWS = 4,                /* anchors side by side */
    TILE_COLUMNS = 16,             /* offsets r side by side */
    GROUP_STRIDE = 2 * GROUP_ROWS, /* of one tone: the cosines, then the sines */
    TILE_STRIDE = 2 * TILE_COLUMNS
};

typedef struct product_shape {
    size_t n_tones;            /* padded with zeros to a multiple of LEAF */
    double weight, weight_low; /* of every tone, as two doubles */
} product_shape;

typedef struct product_kernels {
    const char *isa;
    /* All aligned to 64 bytes. anchors (n_tones, GROUP_STRIDE), columns (n_tones, TILE_STRIDE); plus and minus
       (GROUP_ROWS, TILE_COLUMNS) receive g(a + r) and g(a - r), minus with its columns from last to first. */
    void (*tile)(const product_shape *shape, const double *anchors, const double *columns, double *plus, double *minus);
    /* g(a + r) of row `row` and column `column`, the same bytes; g(a - r) if `below`. */
    double (*single)(const product_shape *shape, const double *anchors, size_t row, const double *columns,
                     size_t column, bool below);
} product_kernels;

extern const product_kernels product_portable;
#if defined(__x86_64__)
extern const product_kernels product_avx2, product_avx512;
#endif
