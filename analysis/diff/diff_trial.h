/* diff_trial.h - how a definition was rounded. */
#pragma once

#include "diff.h"

typedef struct diff_rounding {
    sinpos_type positions;  /* 0: exact */
    const char *arithmetic; /* NULL: exact */
} diff_rounding;

/* Fewer elements that are far off, or as many and fewer that are wrong. */
bool diff_is_better(const diff_score *one, const diff_score *other);

/*
 * The rounding that makes most of the sample with these columns; of equals `first`, then exact, then the order of
 * sinpos_arithmetic_at().
 */
sinpos_status diff_find_rounding(const diff_job *job, const diff_match *match, const diff_definition *definition,
                                 const diff_rounding *first, diff_rounding *best, diff_score *score);
