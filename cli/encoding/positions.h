/* positions.h - which positions the rows have, handed out in pieces. */
#pragma once

#include "options.h"

enum positions_kind {
    POSITIONS_RANGE,         /* first, first + 1, ... */
    POSITIONS_INTEGER_STEPS, /* first + r * step in integers */
    POSITIONS_REAL_STEPS,    /* the double nearest to start + r * step */
    POSITIONS_GRID,
    POSITIONS_INTEGERS, /* a list */
    POSITIONS_REALS
};

#define POSITION_TEXT_BYTES 96

struct positions {
    enum positions_kind kind;
    size_t n;
    size_t n_axes;
    struct number start, step;
    size_t grid[3];
    int64_t *integers; /* lists: (n, n_axes) */
    double *reals;
    int64_t *some_integers; /* room for one piece of what is computed */
    double *some_reals;
    size_t n_some;
};

/* How many coordinates do the options ask for, before any array is read? Loads lists. The others have one row. */
void positions_make(struct positions *positions, const struct options *options);
/* Sets n where it comes from an array or --length, and checks that every position is in range. */
void positions_set_length(struct positions *positions, const struct options *options, size_t n);
/* Becomes a copy of another's positions. */
void positions_copy(struct positions *positions, const struct positions *from);
/* Offsets between two positions, all of them: "A:B" without B, or a list as --positions takes it. */
void positions_offsets(struct positions *positions, const struct options *options, const char *value);
/* Becomes a copy of rows, of n_axes coordinates. */
void positions_take(struct positions *positions, const sinpos_rows *rows, size_t n_axes);
/* Becomes the list of reals, (n, n_axes), which is then owned; as integers where all are. */
void positions_take_reals(struct positions *positions, double *reals, size_t n, size_t n_axes);
/* Are they whole numbers, one after the other, of one coordinate? */
bool positions_are_range(const struct positions *positions);
/* Of such, the first. */
int64_t positions_first(const struct positions *positions);
/* Makes room for pieces of up to n rows. */
void positions_prepare(struct positions *positions, size_t n);
/* Positions of rows row .. row + n - 1; valid until the next call. */
sinpos_rows positions_rows(struct positions *positions, size_t row, size_t n);
/* Number i of those positions. */
double rows_number(const sinpos_rows *rows, size_t i);
/* "1496" or "(0, 2.5)" in text, which is returned. */
const char *positions_text(const struct positions *positions, size_t row, char text[POSITION_TEXT_BYTES]);
/* "position 5" or "positions 0 to 4095" in text, which is returned. */
#define POSITIONS_SPAN_BYTES (2 * POSITION_TEXT_BYTES + 20)
const char *positions_span(const struct positions *positions, char text[POSITIONS_SPAN_BYTES]);
void positions_free(struct positions *positions);
