/* Offsets in waves: what a sieve of few tones keeps is measured with all. */
#pragma once

#include "crew.h"
#include "separate_tones.h"

typedef struct offset_found {
    int64_t offset;
    double value;
} offset_found;

/*
 * Which offsets may have sum (ratio_i sin(k theta_i / 2))^2 <= bound^2 over some tones? Sines of a block of offsets come
 * from those of its first by float32 rotations, so that an offset costs some nanoseconds.
 */
enum { SIEVE_ROWS = 256, SIEVE_MOST = 1024 };

typedef struct sieve {
    sinpos_plan *plan;
    size_t n;             /* tones, at most SIEVE_MOST */
    float *weight;        /* (n) ratio^2 */
    float *sine, *cosine; /* (n, SIEVE_ROWS) of r theta / 2, r = 0, 1, ... */
    float limit;
    blocks memory;
} sieve;

/* The tones which[0 .. n-1] of the set, with its ratios, which must not exceed 1. */
sinpos_status sieve_make(sieve *s, const tone_set *set, const size_t *which, size_t n);
void sieve_free(sieve *s);
void sieve_bound(sieve *s, double bound);

typedef struct scan_buffers {
    float *anchors;
    double *full;
    uint32_t *kept;
    int64_t *offsets;
    sinpos_status status;
} scan_buffers;

/* Looks at consecutive offsets: what the sieve keeps is measured with all tones in float64. */
typedef struct offset_scan {
    const sieve *sieve;                                        /* NULL where everything is to be measured */
    const sinpos_plan *full;                                   /* of tones_plan(), scale 0.5 */
    size_t n_full;                                             /* its tones */
    double (*measure)(const void *context, const double *row); /* below 0: not kept */
    const void *context;
    const crew *crew;
    /* results */
    offset_found *found;
    size_t n_found;
    /* inside */
    size_t room, full_rows, n_buffers;
    scan_buffers *buffers;
    size_t *n_in_chunk;
    int64_t first;
    size_t n, share;
    blocks memory;
} offset_scan;

enum { SCAN_WAVE = 1 << 20 };

/* Makes room for waves of up to n offsets, with sieves of up to n_sieve_most tones; blocks_free(&scan->memory) frees it. */
sinpos_status scan_open(offset_scan *scan, size_t n, size_t n_sieve_most);
/* Offsets first .. first + n - 1, n at most SCAN_WAVE and what scan_open() made room for; found is in order of offsets. */
sinpos_status scan_wave(offset_scan *scan, int64_t first, size_t n);

/* A list of offsets that grows. */
typedef struct offset_list {
    offset_found *at;
    size_t n, room;
} offset_list;

sinpos_status offset_list_add(offset_list *list, const offset_found *found, size_t n);
