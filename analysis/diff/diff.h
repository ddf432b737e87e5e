/*
 * diff.h - what the files of sinpos_diff share.
 *
 * diff_side.c reads rows of an array. diff_rows.c finds which row of A each row of B is, by numbers that columns do not
 * change; diff_match.c which column, with which sign, factor and constant, from rows of B and their partners. Partners
 * are rows of A, or what diff_definition.c makes of A's definition with other numbers and roundings; diff_search.c
 * proposes those. diff_verify.c compares all rows, diff_causes.c says what was found, diff_words.c in a sentence;
 * diff_trial.c knows roundings, diff_numbers.c how factors are written.
 * diff.c is the order of all this, diff_rotated.c and diff_turns.c do the same of rotated queries.
 */
#pragma once

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "blocks.h"
#include "elements.h"
#include "sinpos_analysis.h"
#include "sinpos_conventions.h"

/* ------------------------------------------------------------------------------------------------- sides */

/* One of the two arrays, as n rows of dim columns. */
typedef struct diff_side {
    const sinpos_table *table;
    size_t n, dim;
    sinpos_type type;
    sinpos_type holds;         /* the narrowest type that holds all its values */
    sinpos_identity *identity; /* NULL: not asked for yet */
} diff_side;

sinpos_status diff_side_make(diff_side *side, const sinpos_table *table);
/* Rows first .. first + n - 1 as doubles. */
sinpos_status diff_side_read(const diff_side *side, size_t first, size_t n, double *out);
/* Rows of one pass: about 2^18 elements. */
size_t diff_piece(size_t dim);

/* Some rows of B. */
typedef struct diff_sample {
    size_t n;
    size_t *row; /* (n) ascending */
    double *x;   /* (n, dim) */
} diff_sample;

typedef struct diff_job {
    diff_side a, b;
    diff_sample sample;
    double *partner; /* (sample.n, a.dim) what is compared with the sample; NaN where there is nothing */
    size_t n_threads;
    blocks memory;
} diff_job;

sinpos_status diff_sample_take(diff_job *job);
/* Equal elements: type, shape and values. Also finds which types hold the values. */
sinpos_status diff_compare(diff_job *job, bool *is_same);
/* Makes side->identity, once. */
sinpos_status diff_identify(diff_side *side, size_t n_threads);

/* -------------------------------------------------------------------------------------------------- rows */

/* Rows begin .. begin + n - 1 of B are rows first, first + step, ... of A, or, where first is SINPOS_NONE, none of A's. */
typedef struct diff_run {
    size_t begin, n, first;
    ptrdiff_t step;
} diff_run;

#define DIFF_RUNS 8

typedef struct diff_runs {
    size_t n;
    diff_run run[DIFF_RUNS];
} diff_runs;

/* The first that A has; runs->n, which is not 0, if there is none. */
size_t diff_first_known(const diff_runs *runs);
/* Rows of B that are none of A's. */
size_t diff_foreign_rows(const diff_runs *runs);
/* Which row of A; SINPOS_NONE where A has none. */
size_t diff_row_of(const diff_runs *runs, size_t row, size_t n_a);
/* Every row of B is the row of A with the same number. */
diff_runs diff_same_rows(const diff_job *job);
/* runs->n is 0 where rows of B are not recognized. */
sinpos_status diff_find_runs(const diff_job *job, diff_runs *runs);

/* -------------------------------------------------------------------------------------------- definitions */

/* An identity with other numbers: rows of any position. */
typedef struct diff_definition {
    const sinpos_identity *identity;
    bool has_law, has_rows;            /* base, divisor, scale are one formula's; start and step are one range's */
    bool is_rounded;                   /* of frequencies that are listed, each of them rounded to float32 */
    double base, divisor, start, step; /* in place of the identity's */
    double amplitude;
    diff_runs runs;         /* which row of A; none: the same */
    sinpos_type positions;  /* they are rounded to this type; 0: not */
    const char *arithmetic; /* NULL: exact */
    sinpos_type type;       /* of the elements */
    sinpos_plan *plan;
    sinpos_replay *replay;
} diff_definition;

/* False where the identity has what tones do not say: raw coordinates, padding, another view. */
bool diff_definition_of(diff_definition *definition, const sinpos_identity *identity, sinpos_type type);
/* Its numbers alone, whatever was done to the columns; false where it has none. */
bool diff_numbers_of(diff_definition *definition, const sinpos_identity *identity, sinpos_type type);
/* Those of the formula. */
double diff_base_of(const sinpos_identity *identity);
double diff_divisor_of(const sinpos_identity *identity);
/* Makes plan and replay anew. */
sinpos_status diff_definition_plan(diff_definition *definition);
void diff_definition_free(diff_definition *definition);
/* Position of a row, rounded. */
double diff_position(const diff_definition *definition, size_t row, size_t axis);
sinpos_status diff_definition_rows(const diff_definition *definition, const size_t *rows, size_t n, double *out,
                                   size_t n_threads);

/* What partners are made of: rows of A, or a definition. */
typedef struct diff_source {
    const diff_side *side; /* NULL: the definition */
    diff_runs runs;
    diff_definition definition;
} diff_source;

sinpos_status diff_source_rows(const diff_source *source, const size_t *rows, size_t n, double *out, size_t n_threads);
/* job->partner. */
sinpos_status diff_take_partners(diff_job *job, const diff_source *source);

/* ------------------------------------------------------------------------------------------------ columns */

typedef struct diff_form {
    bool is_halves, is_cos_first;
} diff_form;

/* How columns of the partners become those of B: B = sign factor partner[column] + constant. */
typedef struct diff_match {
    ptrdiff_t *column; /* (b.dim) -1 where there is none */
    signed char *sign; /* (b.dim) */
    double factor, constant;
    double dropped;     /* part of the elements that is 0 and should not be; below LEAST_DROPPED it does not count */
    double near, rough; /* parts of the others that are made to some units, to 5 percent */
    enum { DIFF_SAME_COLUMNS, DIFF_NAMED, DIFF_PERMUTED, DIFF_CHOSEN } how;
    diff_form from, to; /* DIFF_NAMED */
} diff_match;

/* Part of the elements that must be near, and be 0. */
#define DIFF_NEAR 0.9
#define DIFF_LEAST_DROPPED 0.01

sinpos_status diff_match_make(diff_job *job, diff_match *match);
/* Finds the simplest match of the sample with its partners, or the one that is least far off. */
sinpos_status diff_match_find(diff_job *job, diff_match *match);
static inline double diff_made(const diff_match *match, const double *partner, size_t j)
{
    return match->sign[j] * match->factor * partner[match->column[j]] + match->constant;
}

/* -------------------------------------------------------------------------------------------- comparisons */

typedef struct diff_score {
    uint64_t all, wrong, far; /* far: by more than 2.5 units */
    double max_abs_error;
} diff_score;

/* One element; want is rounded. */
void diff_score_add(diff_score *score, double got, double want, double unit);
/* Type in which elements are compared. */
sinpos_type diff_common_type(const diff_job *job, const diff_source *source, const diff_match *match);
/* Numbers that may be meant by x, which is known so well: those that are easily written come first. */
#define DIFF_LIKELY 64
size_t diff_likely_numbers(double x, double error, double out[DIFF_LIKELY]);
double diff_to_digits(double x, int digits);
/* Factor and constant of a match: the likely ones that make most elements. */
void diff_settle_numbers(const diff_job *job, const diff_source *source, diff_match *match);
/* Of the sample and its partners. */
diff_score diff_score_sample(const diff_job *job, const diff_source *source, const diff_match *match);
/* Of all rows; apart: NULL, or receives the first row that is more than a unit from that source. */
sinpos_status diff_verify(const diff_job *job, const diff_source *source, const diff_match *match,
                          const diff_source *plain, diff_score *score, size_t *apart);

/* A proposal that was compared. */
typedef struct diff_proposal {
    bool is_set;
    diff_source source;
    diff_match match;
    diff_score score;     /* of the sample, or in part of it */
    const char *rounding; /* of A itself, in words of sinpos_arithmetic_find(); NULL: exact */
    sinpos_type a_positions;
    size_t apart; /* first row that is more than a unit off with the rounding of A */
} diff_proposal;

/* Definitions that make B. */
/* runs: NULL, or which rows of A those of B repeat. */
sinpos_status diff_search(diff_job *job, const diff_runs *runs, diff_proposal *best);
void diff_proposal_free(diff_proposal *proposal);

/* Writes the causes of a proposal down; is_swapped: A was explained by B. */
sinpos_status diff_say(diff_job *job, const diff_proposal *proposal, bool is_swapped, sinpos_difference *out);
sinpos_diff_cause *diff_cause_add(sinpos_difference *out, sinpos_diff_kind kind, double a, double b, size_t n_rows);
void diff_cause_words(sinpos_diff_cause *cause, const char *a, const char *b);
/* text of every cause that has none yet. */
void diff_write_texts(sinpos_difference *out);
