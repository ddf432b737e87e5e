/* identify_match.h - columns, one by one, as waves of one encoding. */
#pragma once

#include "identify.h"

/* What a column holds: offset + factor * amplitude * the sine or cosine of frequency `index`. */
typedef struct id_column {
    ptrdiff_t index; /* SINPOS_NO_COLUMN: it is no wave of this encoding */
    bool is_sine;
    bool is_zero; /* everywhere: of such a column nothing was dropped */
    double factor, offset;
    double residual;
} id_column;

typedef struct id_match {
    size_t dim, n_matched;
    size_t n_waves;           /* columns whose frequency is known */
    double *wave_theta;       /* (dim) that frequency, in radians per row; 0: not known */
    size_t first_row, n_rows; /* that were looked at */
    size_t n_tones;
    double *theta; /* (n_tones) radians per row */
    bool is_formula;
    double slope, slope_error; /* theta_i = theta_0 exp(-slope i) */
    double theta_error;        /* of theta_0, relative */
    double start;              /* position of row 0, in rows */
    double amplitude;
    double residual; /* typical, per amplitude */
    double dropped;  /* part of the elements that are 0 in place of what they should be */
    bool is_layout;  /* proposed for all columns at once: what each holds is for layouts to say */
    bool has_levels; /* each column has an amplitude and an offset of its own */
    id_column *column;
    blocks memory;
} id_match;

/* n_matched stays 0 where fewer than three columns are waves that have one start. */
sinpos_status id_match_columns(id_match *match, const id_view *view);
/* Nothing is done to the columns; what `before` has dropped stays so. */
sinpos_status id_undo_make(id_match *undo, const id_match *before, const id_view *view);
/* Some rows of the view, from the first to the last; what `before` has dropped is NaN. */
sinpos_status id_read_some(const id_view *view, const id_match *before, size_t n, double *x);
/*
 * Elements that were dropped; a constant that was added to all columns, from their circles; columns that an explanation
 * has negated. before: NULL, or what was dropped.
 */
sinpos_status id_undo_dropout(id_match *undo, const id_view *view, bool *is_proposed);
sinpos_status id_undo_constant(id_match *undo, const id_match *before, const id_view *view, bool *is_proposed);
sinpos_status id_undo_first_signs(id_match *undo, const id_view *view, bool *is_proposed);
/* By slow tones, whatever the positions: of the layouts that show signs the one of that number. */
sinpos_status id_undo_slow_signs(id_match *undo, const id_view *view, size_t which, bool *is_proposed);
sinpos_status id_undo_signs(id_match *undo, const id_match *before, const sinpos_identity *identity,
                            const id_view *view, bool *is_proposed);
/* What the column should hold in a row. */
double id_match_element(const id_match *match, size_t row, size_t column);
/* Undoes what was done to the columns of a row of that type; of NULL nothing. Elements that were dropped become NaN. */
void id_repair(const id_match *match, sinpos_type type, double *x);
/* Part of the matched elements of a row that are near to what they should be. */
double id_match_row(const id_match *match, const double *x, size_t row);
