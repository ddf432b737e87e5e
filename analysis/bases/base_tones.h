/* What the files about bases share: the tones at one base, and g over blocks of offsets. */
#pragma once

#include <stdbool.h>

#include "blocks.h"
#include "crew.h"

/* Offsets of a block, and blocks of a stretch; rotations within either are kept in tables. */
enum { BASE_BLOCK = 128, BASE_STRETCH = 128, BASE_CHUNK = 16 };

/* The tones of a query at one base. */
typedef struct base_tones {
    size_t n;
    size_t context;
    const sinpos_base_query *query;
    double *exponent; /* (n) theta_i = scale * base^-exponent_i; here rounded */
    double *theta;    /* (n) */
    double *near;     /* (BASE_BLOCK / BASE_CHUNK, n, 2, BASE_CHUNK) cosines, sines of r theta_i, r < BASE_BLOCK */
    double *far;      /* (BASE_STRETCH, 2, n) of r BASE_BLOCK theta_i */
    double theta_sum; /* of the sizes */
    double base;
} base_tones;

/*
 * g and its first derivative by ln base at one offset, a bound on the second within a radius of ln base, and a bound on
 * the error of g.
 */
typedef struct base_point {
    double g, slope, curvature, error;
} base_point;

sinpos_status base_tones_make(base_tones *t, const sinpos_base_query *query);
void base_tones_free(base_tones *t);
void base_tones_set(base_tones *t, double base);
/* The tables for blocks; far ones too where whole stretches are to be read. */
void base_tones_tabulate(base_tones *t, bool far);

base_point base_point_at(const base_tones *t, int64_t k, double radius);
/* A bound on the rounding errors of g at k in blocks. */
double base_error(const base_tones *t, int64_t k);
/* g with long double, and the bound that goes with it. */
double base_exact_g(const base_tones *t, int64_t k, double *error);

/* g at k .. k + BASE_BLOCK - 1. anchor has room for 2 n. */
void base_block(const base_tones *t, int64_t k, double *anchor, double g[BASE_BLOCK]);

typedef struct base_candidate {
    int64_t k;
    double g, score;
} base_candidate;

/* The best of the negative minima, one of a block at most, best first. */
typedef struct base_scan {
    base_candidate best[SINPOS_BASE_POOL];
    size_t n;
    base_candidate least; /* the smallest g */
} base_scan;

/* g at all offsets 1 .. context - 1. */
sinpos_status base_scan_all(base_scan *scan, base_tones *t, const crew *c);

/* Is a query within its ranges? */
sinpos_status base_query_check(const sinpos_base_query *query);
