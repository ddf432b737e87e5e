/* check.h - what sinpos check decides by. */
#pragma once

#include "input_array.h"
#include "sinpos_analysis.h"

struct check {
    const struct options *options;
    const struct request *request;
    struct encoding encoding;
    struct input_array input;
    const char *table; /* NULL: the definition's rows */
    void *data;
    sinpos_type type;
    size_t n;
    double *thresholds; /* (n_claims) NaN: the claim's own */
    size_t n_claims;    /* that there are */
    char words_path[4096];
    double *words; /* (n_words, dim), of n_words_held in the file; NULL: random tokens */
    size_t n_words, n_words_held;
    size_t *which;
    size_t n_which;
    sinpos_claim_result *results;
    sinpos_check_rows rows;
};

/* Claims, thresholds, rows and words, from the options. */
void check_prepare(struct check *check);
void check_free(struct check *check);
