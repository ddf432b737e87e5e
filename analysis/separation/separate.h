/* separate.h - what the files about separation share. */
#ifndef SEPARATE_H
#define SEPARATE_H

#include <stdbool.h>

#include "analysis.h"
#include "crew.h"

/* The tones of a plan with one coordinate: complete ones first. */
typedef struct tone_set {
    sinpos_tone *tone; /* (n) */
    size_t n, n_complete;
    double *ratio; /* (n) |amplitude| / unit */
    double unit;   /* the largest |amplitude|, or 1 where all are 0 */
} tone_set;

sinpos_status tone_set_make(tone_set *set, const sinpos_plan *plan);
void tone_set_free(tone_set *set);
/* A plan of the tones which[0 .. n-1] (NULL: the first n) at half their frequencies, phase 0 and amplitude 1: sines in
 * columns 0 .. n-1, cosines in n .. 2n-1. */
sinpos_status tone_set_halves(sinpos_plan **plan, const tone_set *set, const size_t *which, size_t n, sinpos_type type);
/* sqrt(sum (ratio[i] x[i])^2), to 1e-15, without underflow. */
double tone_norm(const double *ratio, const double *x, size_t n);

/* ------------------------------------------------------------------------------------------------ offsets */

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
    const sinpos_plan *full;                                   /* of tone_set_halves() */
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
    void *block;
    int64_t first;
    size_t n, share;
} offset_scan;

enum { SCAN_WAVE = 1 << 20 };

/* Makes room for waves of up to n offsets, with sieves of up to n_sieve_most tones. */
sinpos_status scan_open(offset_scan *scan, size_t n, size_t n_sieve_most);
void scan_close(offset_scan *scan);
/* Offsets first .. first + n - 1, n at most SCAN_WAVE and what scan_open() made room for; found is in order of offsets. */
sinpos_status scan_wave(offset_scan *scan, int64_t first, size_t n);

/* A list of offsets that grows. */
typedef struct offset_list {
    offset_found *at;
    size_t n, room;
} offset_list;

sinpos_status offset_list_add(offset_list *list, const offset_found *found, size_t n);

/* The pairs with the smallest distances so far, one for each offset, nearest first. */
typedef struct nearest {
    sinpos_near *at; /* distances in units of 2 unit of the set */
    size_t n, room;
    double enough; /* stop once one is below this */
} nearest;

void nearest_add(nearest *near, sinpos_near pair);

/* Over offsets from .. to - 1, of the first n_used tones of the set. */
sinpos_status nearest_offsets(const tone_set *set, size_t n_used, uint64_t from, uint64_t to, nearest *near,
                              const crew *c);
/* Those with a distance of at most limit; SINPOS_E_UNSUPPORTED if there are more than most. */
sinpos_status close_offsets(const tone_set *set, size_t n_used, uint64_t from, uint64_t to, double limit, size_t most,
                            offset_list *list, const crew *c);

/* Limits on |sin(k theta_i / 2)| of the complete tones, for some types. */
typedef struct tight_limits {
    size_t n_types; /* at most 4 */
    double *limit[4];
} tight_limits;

/* Offsets that keep within the limits of at least one type; the value is the set of them, 1 << their number. */
sinpos_status tight_offsets(const tone_set *set, const tight_limits *limits, uint64_t from, uint64_t to, size_t most,
                            offset_list *list, const crew *c);

/* ------------------------------------------------------------------------------------------------ rounding */

/* Two reals up to amplitude in size that round to one number of the type are at most this far apart. */
double rounding_width(sinpos_type type, double amplitude);
/* Of two rows of n doubles, times a power of two: sum (factor (a - b))^2. */
double square_distance(const double *a, const double *b, size_t n, double factor);
/* A power of two that brings numbers as large as unit to about 1. */
double scale_to_one(double unit);
/* The distance of two rows with more care. */
double row_distance(const double *a, const double *b, size_t n);

/* ---------------------------------------------------------------------------------------------- equal rows */

/* Rows to be compared bit by bit: those of a plan, or of an array. */
typedef struct row_source {
    const sinpos_plan *plan; /* NULL: an array */
    const void *rows;
    size_t ld_bytes;
    sinpos_type type;
    int64_t first;
    size_t n, dim, row_bytes;
} row_source;

/* Rows i .. i + n - 1, at a stride of *stride_bytes: in the buffer (n, dim), or where they are. */
const unsigned char *source_rows(const row_source *source, size_t i, size_t n, void *buffer, size_t *stride_bytes);
const unsigned char *source_row(const row_source *source, size_t i, void *buffer);

/* What is known of equal rows so far. */
typedef struct equal_rows {
    uint64_t n_again;        /* rows that stood before */
    uint64_t earlier, later; /* the first of them, and where it stood; NOWHERE */
} equal_rows;

#define NOWHERE UINT64_MAX
#define INDEX_BITS 40

void equal_rows_add(equal_rows *sum, const equal_rows *more);
sinpos_status equal_by_hashes(const row_source *source, size_t memory_bytes, const char *folder, equal_rows *equal,
                              uint64_t *temporary_bytes, const crew *c);
sinpos_status equal_by_offsets(const row_source *source, const tone_set *set, const double *limit,
                               const int64_t *offsets, size_t n_offsets, equal_rows *equal, const crew *c);

/* ------------------------------------------------------------------------------------------------ arguments */

sinpos_status range_check(const sinpos_plan *plan, int64_t first, size_t n, size_t n_threads);

/* As nearest_offsets() from offset 1, where tones lack a column: over pairs of positions first .. first + n - 1. */
sinpos_status nearest_pairs(const tone_set *set, int64_t first, size_t n, nearest *near, const crew *c);

#endif
