/* separation.h - the nearest positions, and rows that are equal. Part of sinpos_analysis.h. */
#ifndef SINPOS_ANALYSIS_SEPARATION_H
#define SINPOS_ANALYSIS_SEPARATION_H

#include "progress.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Two positions that are near each other. */
typedef struct sinpos_near {
    double distance; /* Euclidean distance of their rows */
    int64_t offset;  /* later - earlier > 0 */
    int64_t earlier, later;
} sinpos_near;

/*
 * sinpos_separation() - the smallest distances between two rows of n consecutive positions.
 *
 *     D(m, k) = |p_m - p_(m-k)|,   0 < k < n;   of complete tones alone D(k) = sqrt(4 sum A_i^2 sin^2(k theta_i / 2))
 *
 *   plan       one coordinate; exact rows, no type's rounding.
 *   first, n   positions first .. first + n - 1, all below 2^63 in size (2^62 where a tone lacks a column).
 *   near       (n_near) receives one pair for each of the offsets with the smallest distances, nearest first, at equal
 *              distances the smaller offset first. Where all tones are complete the pair is first, first + k.
 *   n_near     in: room, 1 .. 4096; out: how many there are, at most n - 1.
 *   n_threads  1 .. 1024; 0 stands for the number of processors. The results do not depend on it.
 *   progress   NULL, or called now and then with context.
 * Returns SINPOS_OK; SINPOS_E_NULL; SINPOS_E_AXES; SINPOS_E_VALUE for more than 1024 threads; SINPOS_E_RANGE;
 * SINPOS_E_VALUE for n_near; SINPOS_E_MEMORY; SINPOS_E_STOPPED; SINPOS_E_UNSUPPORTED where a tone lacks a column and
 * more than 2^36 sines would have to be compared (an odd width is well below; sines alone reach n = 2^15 or so).
 * Relative error of a distance at most 1e-14, and 0 exactly where the rows are equal.
 * Cost   O(n * some tones): offsets that a few tones keep apart are not looked at further.  Source docs/mathematics.md.
 * Since 0.1.
 */
SINPOS_API SINPOS_MUST_CHECK sinpos_status sinpos_separation(const sinpos_plan *plan, int64_t first, size_t n,
                                                             sinpos_near *near, size_t *n_near, size_t n_threads,
                                                             sinpos_progress *progress, void *context);

/*
 * sinpos_separation_part() - the same for some offsets alone, so that processes can share them: what sinpos_separation()
 * finds is the nearest of what the parts find.
 *   from, to   offsets from <= k < to, 1 <= from <= to <= n.
 *   Other arguments as sinpos_separation().
 * Returns as sinpos_separation(); SINPOS_E_VALUE for from or to; SINPOS_E_UNSUPPORTED where a tone lacks a column, unless the
 * part is all offsets.  Cost as for to - from positions.  Source docs/mathematics.md.  Since 0.1.
 */
SINPOS_API SINPOS_MUST_CHECK sinpos_status sinpos_separation_part(const sinpos_plan *plan, int64_t first, size_t n,
                                                                  uint64_t from, uint64_t to, sinpos_near *near,
                                                                  size_t *n_near, size_t n_threads,
                                                                  sinpos_progress *progress, void *context);

/*
 * sinpos_separation_lengths() - the smallest distance among the first n positions, for several n in one go.
 *   lengths    (n_lengths), each at least 2, in any order.
 *   near       (n_lengths) receives the nearest pair of positions first .. first + lengths[i] - 1.
 *   Other arguments as sinpos_separation().
 * Returns as sinpos_separation(); SINPOS_E_VALUE for a length below 2.  Cost as for the largest length, where all
 * tones are complete.  Source docs/mathematics.md.  Since 0.1.
 */
SINPOS_API SINPOS_MUST_CHECK sinpos_status sinpos_separation_lengths(const sinpos_plan *plan, int64_t first,
                                                                     const size_t *lengths, size_t n_lengths,
                                                                     sinpos_near *near, size_t n_threads,
                                                                     sinpos_progress *progress, void *context);

/*
 * sinpos_separation_rounded() - the smallest distance between two rows as a type holds them.
 *
 *     min over m and k of |round(p_m) - round(p_(m-k))|
 *
 *   type       of the plan's set.
 *   near       receives the nearest pair; of equally near ones that with the smallest offset, then the smallest
 *              earlier position.
 *   Other arguments as sinpos_separation().
 * Returns as sinpos_separation(); SINPOS_E_TYPE, SINPOS_E_OVERFLOW as sinpos_fill(); SINPOS_E_UNSUPPORTED where too
 * many offsets lie within the rounding of the smallest distance: more than 2^40 elements to be compared.
 * Relative error at most 1e-14.  Cost O(n * dim) for each offset whose distance is within the type's rounding,
 * 2^-p sqrt(dim), of the smallest: nearly always one.  Source docs/mathematics.md.  Since 0.1.
 */
SINPOS_API SINPOS_MUST_CHECK sinpos_status sinpos_separation_rounded(const sinpos_plan *plan, int64_t first, size_t n,
                                                                     sinpos_type type, sinpos_near *near,
                                                                     size_t n_threads, sinpos_progress *progress,
                                                                     void *context);

/* How to look for equal rows. */
typedef enum sinpos_distinct_method {
    SINPOS_DISTINCT_AUTO = 0,    /* whichever is faster */
    SINPOS_DISTINCT_OFFSETS = 1, /* which offsets could make rows equal? Then those pairs. Little memory */
    SINPOS_DISTINCT_HASHES = 2   /* a hash of every row, sorted, on disk where memory does not suffice */
} sinpos_distinct_method;

/* Sized; start from SINPOS_COLLISIONS_OPTIONS_INIT. */
typedef struct sinpos_collisions_options {
    size_t struct_size;
    sinpos_distinct_method method;
    size_t n_threads;          /* 1 .. 1024; 0: the number of processors */
    size_t memory_bytes;       /* for hashes, 16 bytes each; what is beyond goes to a file */
    const char *folder;        /* where that file is made; it has no name, and is gone with the process */
    sinpos_progress *progress; /* NULL, or called with context */
    void *context;
} sinpos_collisions_options;

#define SINPOS_COLLISIONS_OPTIONS_INIT                                                                                 \
    {                                                                                                                  \
        sizeof(sinpos_collisions_options), SINPOS_DISTINCT_AUTO, 0, (size_t)1 << 30, "/tmp", NULL, NULL                \
    }

/* How many rows differ. Equal means the same bits in every column. */
typedef struct sinpos_distinct {
    sinpos_type type;
    int has_collision;        /* are any two rows equal? Then: */
    int64_t earlier, later;   /* later is the first position whose row stood before, at the position earlier */
    uint64_t n_distinct;      /* different rows */
    uint64_t n_offsets;       /* by offsets: how many could not be excluded without looking at the rows */
    uint64_t temporary_bytes; /* by hashes: written to a file */
    sinpos_distinct_method method;
} sinpos_distinct;

/*
 * sinpos_collisions() - which rows of n consecutive positions are equal once rounded to a type?
 *   plan       one coordinate.
 *   first, n   positions first .. first + n - 1; by hashes n is at most 2^40.
 *   types      set of sinpos_type, of the plan's set.
 *   options    NULL for SINPOS_COLLISIONS_OPTIONS_INIT.
 *   distinct   receives one result for each type, in the order float64, float32, float16, bfloat16.
 * The results are proved, not probable: rows are counted as equal after all their elements were compared, and as
 * different only if their hashes differ or a tone's angle proves it. No result but method, n_offsets and
 * temporary_bytes depends on the options.
 * Returns SINPOS_OK; SINPOS_E_NULL; SINPOS_E_SHAPE; SINPOS_E_TYPE, SINPOS_E_OVERFLOW as sinpos_fill(); SINPOS_E_RANGE;
 * SINPOS_E_STRUCT; SINPOS_E_VALUE for an unknown method or n_threads; SINPOS_E_UNSUPPORTED where by offsets was asked for and
 * more than 4096 offsets remain; SINPOS_E_MEMORY; SINPOS_E_FILE, with errno set; SINPOS_E_STOPPED.
 * Cost   O(n) by offsets, of which few remain; O(n * dim) by hashes.  Source docs/mathematics.md.  Since 0.1.
 */
SINPOS_API SINPOS_MUST_CHECK sinpos_status sinpos_collisions(const sinpos_plan *plan, int64_t first, size_t n,
                                                             unsigned types, const sinpos_collisions_options *options,
                                                             sinpos_distinct *distinct);

/*
 * sinpos_dim_needed() - the smallest even number of columns with which n positions are well apart.
 *
 *     least dim in 2, 4, 6, ... dim_most with  D(k) >= wanted for 0 < k < n,  and all rows different in the types
 *
 *   spec       everything but its dim; geometric, power or octave, without factors: these have any number of tones.
 *   n          positions 0 .. n - 1.
 *   wanted     not negative. 0 asks for nothing but different rows.
 *   types      set of sinpos_type, 0 for none.
 *   dim_most   at least 2.
 *   dim        receives the answer; 0 if dim_most columns are not enough, or as many octaves as there can be.
 *   near       NULL, or receives the nearest pair at that dim.
 *   Larger dims need not all be good, as their frequencies are others; near dims nearly always are.
 * Returns SINPOS_OK; SINPOS_E_NULL; SINPOS_E_SPEC; SINPOS_E_VALUE; else as sinpos_separation() and sinpos_collisions().
 * Cost   O(n) for each dim that passes its smallest offsets.  Source docs/mathematics.md.  Since 0.1.
 */
SINPOS_API SINPOS_MUST_CHECK sinpos_status sinpos_dim_needed(const sinpos_spec *spec, size_t n, double wanted,
                                                             unsigned types, size_t dim_most, size_t *dim,
                                                             sinpos_near *near, size_t n_threads,
                                                             sinpos_progress *progress, void *context);

/*
 * sinpos_rows_separation() - nearest and equal rows of any array in memory.
 *   rows       (n, dim) row-major, finite.
 *   ld         row stride in elements, >= dim.
 *   near       NULL, or receives the nearest pair of rows, counted from 0; of equally near ones that with the smallest
 *              earlier row, then the smallest later one. Zeros of either sign are the same number here.
 *   distinct   NULL, or receives how many rows differ in their bits, by hashes in memory: 16 bytes for each row.
 *   Other arguments as sinpos_separation().
 * Returns SINPOS_OK; SINPOS_E_NULL; SINPOS_E_TYPE; SINPOS_E_SHAPE for n < 2, dim = 0, ld < dim, n * ld beyond size_t,
 * n beyond 2^40; SINPOS_E_VALUE for elements that are not finite; SINPOS_E_MEMORY; SINPOS_E_STOPPED. Relative error at most 1e-14.
 * Cost   near: O(n^2 * dim), though most pairs are left after some columns; distinct: O(n * dim).
 * Source: the definition.  Since 0.1.
 */
SINPOS_API SINPOS_MUST_CHECK sinpos_status sinpos_rows_separation(const void *rows, size_t n, size_t dim, size_t ld,
                                                                  sinpos_type type, sinpos_near *near,
                                                                  sinpos_distinct *distinct, size_t n_threads,
                                                                  sinpos_progress *progress, void *context);

#ifdef __cplusplus
}
#endif

#endif
