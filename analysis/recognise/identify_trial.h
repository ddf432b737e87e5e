/* identify_trial.h - conventions with values for their parameters, against an array. */
#pragma once

#include "identify_parameters.h"

/* Rows that are compared. */
#define ID_TRIAL_ROWS 24

/* Positions that are listed. */
#define ID_MOST_POSITIONS 65536

/* Elements of an exact table that are compared to the last bit. */
#define ID_EQUAL_ELEMENTS ((size_t)1 << 18)

/* Digits of a position that somebody states. */
#define ID_POSITION_DIGITS 9

/* So many positions are not listed before those of the compared rows have shown that they may fit. */
#define ID_MANY_POSITIONS 128

/* Positions in a unit, (n, n_axes), as they were listed for a convention before. */
typedef struct id_listed {
    double unit, shift;
    bool exchanged, is_brief;
    bool are_short; /* or the unit may have any */
    double list[ID_MANY_POSITIONS * ID_MOST_AXES];
} id_listed;

#define ID_MOST_LISTED 16

/* One convention at a time. The caller sets what is known of the array, the values are those of id_trial_list(). */
typedef struct id_trial {
    const id_facts *facts;
    const sinpos_convention *convention;
    sinpos_identity *identity;
    const sinpos_table *table;
    const id_view *view;
    id_value value[ID_MOST_PARAMETERS][ID_MOST_VALUES];
    size_t n_values[ID_MOST_PARAMETERS], chosen[ID_MOST_PARAMETERS], n_parameters;
    double tolerance, far; /* three quarters of the elements, nearly all of them, must be this near */
    int positions_outside; /* 0: none; 1: positions; 2: positions from 0 */
    bool has_short;        /* positions are short numbers already, as they are */
    bool is_defined;       /* what the array should be is known by a formula */
    bool is_brief;         /* positions are those of the compared rows alone */
    size_t n_replayed;     /* frequencies made as published */
    bool are_rotary;       /* rotary conventions, as a table of their sines and cosines */
    bool are_defaults;     /* parameters but for sizes and positions have no other value */
    bool is_strict;        /* the last that fits makes every element of what was found */
    bool is_alone;         /* nothing was fitted that it could be compared with */
    bool is_at_zero;       /* there is one position, 0 */
    id_listed listed[ID_MOST_LISTED];
    size_t n_listed; /* ever, the latest in place of the oldest; 0 where positions become others */
    double own_unit; /* the first frequency of the convention, with the parameters that are chosen */
} id_trial;

static inline bool id_is_literal(const char *formula, const char *word)
{
    return formula != NULL && strcmp(formula, word) == 0;
}

/* Number i of the rows that are compared, of n. */
size_t id_trial_row(size_t i, size_t rows, size_t n);
/* Values that are worth a try. Of defaults: is there a parameter whose default was none of these? */
bool id_trial_list(id_trial *s);
/* Tries them, likeliest first, until some fit: chosen[]. */
sinpos_status id_trial_run(id_trial *s, bool *fits);
/* The chosen ones. */
sinpos_status id_trial_set(id_trial *s, sinpos_parameters *parameters);
/* What the source returns is asked for as the array is: two tables, pairs, or, NULL, as it stands. */
const char *id_trial_output(const id_trial *s);
/* Positions of the rows in units, (n, n_axes), for free(); NULL without memory. */
double *id_trial_positions(const id_trial *s, const id_value *value);
/* Does the encoding have the rows of the view, or twice as many where two tables lie side by side? */
bool id_trial_has_view(const id_trial *s, const sinpos_encoding *encoding);
/* Elements of some rows that are not those of the array. */
typedef struct id_misses {
    size_t elements, wrong;
    size_t far;    /* no rounding explains them */
    size_t varied; /* neither far, nor about 0 or 1 in size */
    double sum;    /* of the errors of those that are not far */
} id_misses;

sinpos_status id_trial_misses(const id_trial *s, const id_view *view, id_misses *m);
/* Adds the convention with the chosen values to those that make the table. */
sinpos_status id_trial_note(const id_trial *s);
