/* diff.h - are two arrays the same encoding, and if not, why. Part of sinpos_analysis.h. */
#ifndef SINPOS_ANALYSIS_DIFF_H
#define SINPOS_ANALYSIS_DIFF_H

#include "identify.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What differs between A and B. a and b are what A and B have. */
typedef enum sinpos_diff_kind {
    SINPOS_DIFF_LAYOUT = 0,       /* words: interleaved, halves */
    SINPOS_DIFF_ORDER = 1,        /* words: sin-cos, cos-sin */
    SINPOS_DIFF_BASE = 2,
    SINPOS_DIFF_DIVISOR = 3,
    SINPOS_DIFF_FREQUENCIES = 4,  /* no one formula with other numbers */
    SINPOS_DIFF_START = 5,        /* position of the first row; its number where positions are not known */
    SINPOS_DIFF_STEP = 6,
    SINPOS_DIFF_SCALE = 7,        /* factor on elements */
    SINPOS_DIFF_SIGN = 8,         /* these columns are negated */
    SINPOS_DIFF_CONSTANT = 9,     /* added to every element */
    SINPOS_DIFF_DROPOUT = 10,     /* part of the elements that is 0 */
    SINPOS_DIFF_ANGLES = 11,      /* words: exact, or a name of sinpos_arithmetic_find(); rows: from where they part */
    SINPOS_DIFF_POSITIONS = 12,   /* words: exact, or the type that positions were rounded to */
    SINPOS_DIFF_TYPE = 13,        /* words: of the elements' values; of the arrays, where these agree */
    SINPOS_DIFF_PERMUTATION = 14, /* columns[j]: which column of A is column j of B */
    SINPOS_DIFF_COLUMNS = 15,     /* numbers of columns; columns as above, SINPOS_NONE where A has none */
    SINPOS_DIFF_STACKED = 16,     /* rows of B that repeat others; a, b: row of A that belongs there, and that is there */
    SINPOS_DIFF_LENGTH = 17,      /* numbers of rows */
    SINPOS_DIFF_UNRELATED = 18,
    SINPOS_DIFF_NOISE = 19        /* standard deviations of what was added to the elements of A, and of B */
} sinpos_diff_kind;

/* One cause. */
typedef struct sinpos_diff_cause {
    sinpos_diff_kind kind;
    double a, b;                /* NaN where words say it, or there is no such number */
    char a_word[40], b_word[40]; /* "" where numbers do */
    size_t first_row, last_row; /* of B: those that it concerns */
    size_t n_columns;           /* of columns; 0: all columns are concerned */
    size_t *columns;
    char text[160];             /* one sentence */
} sinpos_diff_cause;

#define SINPOS_DIFF_MOST 16

/* What was found. */
typedef struct sinpos_difference {
    int same;                   /* not 0: type, shape and all elements are equal; -0 equals 0, and NaN equals NaN */
    size_t n_causes;
    sinpos_diff_cause causes[SINPOS_DIFF_MOST];
    uint64_t elements;          /* of B that were compared with what A and the causes make; of A with what B and they make,
                                   where only that is found; all, but rows that the other lacks */
    uint64_t wrong;             /* those that the causes do not explain ... */
    double max_abs_error;       /* ... and how far off they are */
    sinpos_identity *a, *b;     /* what sinpos_identify() found of A and B; NULL where that was not needed */
} sinpos_difference;

/*
 * sinpos_diff() - compare two arrays, and explain the difference.
 *
 * Elements are compared as they stand; then with rows shifted, strided or repeated, columns permuted, negated, scaled
 * or moved by a constant; then with the definition that sinpos_identify() finds, changed in single numbers and rounded
 * as published recipes round. Every proposal is compared with rows of B, and a cause without which B is made as well is
 * dropped. The last comparison is of all rows.
 *
 *   out        receives what was found; NULL on error.
 *   a, b       only read, in any order and several times; as sinpos_identify() has it.
 *   n_threads  1 .. 1024; 0 stands for the number of processors.
 * Returns as sinpos_identify().  Cost two passes over both arrays, and twice sinpos_identify().
 * Source docs/decisions.md, "Two arrays".  Since 0.1.  Example: cli/diff/command_diff.c
 */
SINPOS_API SINPOS_MUST_CHECK sinpos_status sinpos_diff(sinpos_difference **out, const sinpos_table *a,
                                                       const sinpos_table *b, size_t n_threads);

/*
 * sinpos_diff_rotated() - the same of two arrays of queries or keys that were rotated.
 *   a, b, input  (..., n, n_heads, d), or (..., n, d) with n_heads 1, of one shape; every block of n positions begins at
 *                the same one. input is what both were made of, or NULL: then B is compared with A, which shows what one
 *                more rotation explains.
 * Angles are averages over blocks and heads; an element is wrong where it is more than 16 units of its pair's length
 * from the pair, turned by them.
 * Returns as sinpos_diff(); SINPOS_E_SHAPE where the shapes differ, d is odd, or there are other rows.
 * Cost   as sinpos_diff().  Source docs/decisions.md, "Two arrays".  Since 0.1.  Example: cli/diff/command_diff.c
 */
SINPOS_API SINPOS_MUST_CHECK sinpos_status sinpos_diff_rotated(sinpos_difference **out, const sinpos_table *a,
                                                               const sinpos_table *b, const sinpos_table *input,
                                                               size_t n, size_t n_heads, size_t n_threads);

/*
 * sinpos_diff_kind_name() - "layout", "order", ...
 * Returns a constant string; NULL for a number that is not a kind.  Cost O(1).  Source: the list above.  Since 0.1.
 */
SINPOS_API const char *sinpos_diff_kind_name(sinpos_diff_kind kind);

/*
 * sinpos_difference_destroy() - free it; NULL is fine.
 * Returns nothing.  Cost O(1).  Source: none needed.  Since 0.1.
 */
SINPOS_API void sinpos_difference_destroy(sinpos_difference *difference);

#ifdef __cplusplus
}
#endif

#endif
