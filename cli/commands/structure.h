/* structure.h - what sinpos structure measures, and how it is printed. */
#pragma once

#include "matrix_file.h"
#include "request_encoding.h"
#include "sinpos_analysis.h"

enum { MOST_COSINES = 4, MOST_GRAMS = 8 };

/* Cosines of random pairs of rows of some width. */
struct cosines {
    const char *what;
    size_t dim;
    sinpos_cosines_result words, words_positions, positions;
};

/* Columns over the first n positions. */
struct gram {
    size_t n;
    double largest, rms;
};

struct structure {
    const struct options *options;
    struct encoding encoding;
    struct matrix_file words, table, h_file, query, key;
    size_t dim, n_positions, n_words, n_split;
    size_t head;    /* rows of W_q */
    double *rows;   /* (n_positions, dim) */
    double *h;      /* (dim, dim); NULL: identity */
    double *sample; /* (n_sample, dim) words */
    size_t n_sample, n_sampled_positions;
    sinpos_moments *word_moments, *position_moments;
    uint64_t seed;
    double seconds;

    sinpos_split_result split, attention_split;
    sinpos_coefficients coefficients;
    bool has_coefficients, has_attention;
    double *curve;                          /* (2 n_split - 1) */
    sinpos_covariance_result covariance[2]; /* words, positions */
    bool has_lapack;
    sinpos_rank_result rank[2];
    bool has_overlap, has_recovery, has_nearest;
    sinpos_overlap_result overlap;
    double *angles;
    sinpos_recovery_result recovery;
    sinpos_nearest_result nearest;
    struct cosines cosines[MOST_COSINES];
    size_t n_cosines;
    sinpos_attention_result attention;
    struct gram grams[MOST_GRAMS];
    size_t n_grams;
};

/* structure_report.c */
void structure_print(struct structure *s);
void structure_json(struct structure *s);
