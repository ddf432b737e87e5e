/* claims.h - claims of the literature, decided by the rows of a table. Part of sinpos_analysis.h. */
#ifndef SINPOS_ANALYSIS_CLAIMS_H
#define SINPOS_ANALYSIS_CLAIMS_H

#include "progress.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What the literature says of these encodings, decided by the rows of a table. */
typedef enum sinpos_verdict {
    SINPOS_HOLDS = 0,
    SINPOS_HOLDS_ONLY_IF = 1,   /* under a condition that the reason states with its number */
    SINPOS_DOES_NOT_HOLD = 2,
    SINPOS_DOES_NOT_APPLY = 3   /* there is nothing to decide it by: one row, no complete tone, a library that this
                                   build lacks */
} sinpos_verdict;

/*
 * sinpos_verdict_name() - "holds", "holds only if", "does not hold" or "does not apply".
 * Returns a constant string; "unknown verdict" for another number.  Cost O(1).  Source: the list above.  Since 0.1.
 */
SINPOS_API const char *sinpos_verdict_name(sinpos_verdict verdict);

/* Where the threshold of a verdict comes from. */
typedef enum sinpos_threshold_origin {
    SINPOS_THRESHOLD_DERIVED = 0, /* it follows from the rounding of the type, or is part of the claim */
    SINPOS_THRESHOLD_CHOSEN = 1,  /* sinpos chose it; another choice may change the verdict */
    SINPOS_THRESHOLD_GIVEN = 2    /* the caller chose it */
} sinpos_threshold_origin;

/*
 * sinpos_threshold_origin_name() - "derived", "chosen" or "given".
 * Returns a constant string; "unknown origin" for another number.  Cost O(1).  Source: the list above.  Since 0.1.
 */
SINPOS_API const char *sinpos_threshold_origin_name(sinpos_threshold_origin origin);

typedef struct sinpos_claim {
    const char *id;        /* "relative" */
    int must_hold;         /* 1: an encoding of which it is false is broken, or not the one that was stated */
    const char *statement; /* one clause: what is claimed */
    const char *measure;   /* one clause: what the number is */
    const char *explain;   /* a paragraph: the mathematics, and where the literature is wrong */
    double threshold;      /* the one chosen, for which the caller may give another; NaN where it is derived */
    int takes_words;       /* 1: tokens take part, and the caller's own can replace the random ones */
} sinpos_claim;

/*
 * sinpos_claim_at() - the claims, one after the other.
 *   index    0, 1, ...
 * Returns a constant; NULL past the last.  Cost O(1).  Source docs/mathematics.md, section "Claims".  Since 0.1.
 */
SINPOS_API const sinpos_claim *sinpos_claim_at(size_t index);

/* An encoding that is stated, and the rows that are judged. */
typedef struct sinpos_check_input {
    const sinpos_plan *plan; /* what is stated; one coordinate */
    int64_t first;           /* the rows have positions first, first + 1, ..., first + n - 1 */
    size_t n;                /* rows, at least 1 */
    sinpos_type type;        /* of the rows */
    const void *table;       /* (n, dim) row-major, only read; NULL: the rows that the plan makes */
    size_t ld_table;         /* row stride in elements, >= dim */
    uint64_t seed;           /* of what is drawn at random */
    size_t n_threads;        /* 1 .. 1024; 0 stands for the number of processors */
    const double *thresholds; /* NULL, or (n_thresholds) by the index of the claim, at least 0; NaN: the chosen one */
    size_t n_thresholds;
    const double *words;     /* NULL: random tokens; or (n_words, dim) embeddings, at most 2^100 in size, only read */
    size_t n_words, ld_words; /* 2 rows or more; row stride in elements, >= dim */
} sinpos_check_input;

#define SINPOS_CLAIM_DETAILS 32
#define SINPOS_CLAIM_WHY_BYTES 240

typedef struct sinpos_claim_detail {
    const char *name; /* constant */
    double value;
} sinpos_claim_detail;

typedef struct sinpos_claim_result {
    double value;     /* the measured number; NaN where there is none */
    double threshold; /* what it is held against; NaN where there is nothing to hold it against */
    sinpos_verdict verdict;
    sinpos_threshold_origin origin; /* of the threshold */
    size_t n_rows, n_columns;       /* rows and columns that were looked at */
    char why[SINPOS_CLAIM_WHY_BYTES]; /* one clause */
    size_t n_details;
    sinpos_claim_detail details[SINPOS_CLAIM_DETAILS]; /* more numbers */
    const sinpos_claim *claim;
} sinpos_claim_result;

/* What was looked at. */
typedef struct sinpos_check_rows {
    size_t n_rows;  /* rows that were judged: n, or fewer where n * dim is beyond 2^23 */
    size_t n_runs;  /* they lie in so many runs of consecutive rows, */
    size_t run;     /* each of this length, */
    size_t stride;  /* and this many rows from the beginning of one to that of the next */
} sinpos_check_rows;

/*
 * sinpos_check() - decide claims by the rows of a table.
 *
 * Every number is computed from the rows; the plan only says what they should be. So a table that was computed badly,
 * damaged, or made for another encoding fails where it must. Thresholds follow from the rounding of the type: an element
 * x is right within u |x| + e, with u = 2^-53, 2^-24, 2^-11, 2^-8 for float64, float32, float16, bfloat16 and e half the
 * smallest subnormal number; no threshold is wider than the proof of docs/mathematics.md makes it. Some claims are vague,
 * as "decays": their threshold is chosen, the result says so, and the caller may give another.
 *
 *   input     see above.
 *   which     (n_which) indices of sinpos_claim_at(); NULL for all claims, in order.
 *   n_which   how many; with which = NULL, room in results.
 *   results   receives one result per claim.
 *   rows      NULL, or receives what was looked at.
 *   progress  NULL, or called after each claim, with context.
 * Returns SINPOS_OK, also where claims do not hold; SINPOS_E_NULL; SINPOS_E_AXES for several coordinates; SINPOS_E_SHAPE
 * for n = 0, ld_table, ld_words or fewer than 2 words; SINPOS_E_VALUE for n_threads, an index past the last, a threshold
 * that is negative, infinite, or given for a claim whose threshold is derived, or words that are not finite or beyond
 * 2^100; SINPOS_E_CAPACITY where results has too little room; SINPOS_E_TYPE; SINPOS_E_RANGE as sinpos_fill(); SINPOS_E_OVERFLOW; SINPOS_E_MEMORY; SINPOS_E_STOPPED.
 * Results are then undefined.
 * Cost   all claims of 4096 x 512 elements take about 2 s; more elements hardly take longer, because rows are sampled.
 * Source docs/mathematics.md, section "Claims".  Since 0.1.
 */
SINPOS_API SINPOS_MUST_CHECK sinpos_status sinpos_check(const sinpos_check_input *input, const size_t *which,
                                                        size_t n_which, sinpos_claim_result *results,
                                                        sinpos_check_rows *rows, sinpos_progress *progress,
                                                        void *context);

#ifdef __cplusplus
}
#endif

#endif
