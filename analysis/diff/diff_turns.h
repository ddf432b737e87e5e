/* diff_turns.h - by which angles pairs of columns were rotated. */
#pragma once

#include "diff.h"

/* Rows are (..., n, n_heads): n positions, heads of each. */
typedef struct diff_heads {
    size_t n, n_heads;
} diff_heads;

/* e^(i angle) of m pairs at n positions. */
typedef struct diff_turns {
    size_t n, m;
    bool is_halves;   /* the pairing that keeps lengths */
    double share;     /* part of the pairs whose lengths agree then */
    double amplitude; /* of the rotated, where that of the input is 1 */
    double *re, *im;  /* (n, m) */
} diff_turns;

/* From what was before to what is. */
sinpos_status diff_turns_take(diff_turns *turns, const diff_side *before, const diff_side *after, diff_heads heads);
void diff_turns_free(diff_turns *turns);
/* Radians from one position to the next; false where the angles do not grow evenly. */
bool diff_turns_frequencies(const diff_turns *turns, double *theta);

/* Frequencies base^(-i / m), from position 0 on. */
typedef struct diff_turning {
    double base;
    bool is_halves;
} diff_turning;

/* Part of the elements of b that a makes, turned back and turned again in the other pairing. */
sinpos_status diff_turned_share(const diff_side *a, const diff_side *b, diff_heads heads, const diff_turning *turning,
                                double *share);
/* Elements of b that the turns of `before` do not make to some units. */
sinpos_status diff_turned_rest(const diff_turns *a, const diff_turns *b, const diff_side *before,
                               const diff_side *after, diff_heads heads, sinpos_difference *out);
