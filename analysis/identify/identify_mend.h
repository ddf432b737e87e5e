/* identify_mend.h - encodings that something was done to, or that are part of an array. */
#pragma once

#include "identify_match.h"

/* Angles that may be looked at for parts and what is undone. */
#define ID_MOST_WORK ((size_t)1 << 25)

/* How a table is looked at. */
typedef struct id_way {
    const id_match *match; /* NULL, or what is done to its columns */
    bool all_rows;
    size_t n_threads;
    size_t depth; /* 0: the whole array; 1, 2: part of it */
    size_t *left; /* how many parts may yet be looked at */
    size_t *work; /* angles that may yet be looked at for parts and what is undone */
    /* id_mend(), for parts of parts */
    sinpos_status (*mend)(sinpos_identity **identity, const sinpos_table *table, const struct id_way *way);
} id_way;

/* One table as one encoding. */
sinpos_status id_identify(sinpos_identity **out, const sinpos_table *table, const id_way *way);
/* Where no encoding was found: the table that a convention makes by default, if it is that. */
sinpos_status id_try_sources(sinpos_identity **identity, const sinpos_table *table, const id_way *way);
/* Columns as they were matched, in place of the fit of a layout. */
sinpos_status id_fit_match(id_fit *fit, const id_sample *sample, const id_match *match);
/* Another explanation in place of *identity, where that is better: columns changed, or parts of the table. */
sinpos_status id_mend(sinpos_identity **identity, const sinpos_table *table, const id_way *way);
/* What was done to the columns: column_factor, column_offset and dropped. */
sinpos_status id_name_changes(sinpos_identity *identity, const id_match *match);
/* Rows first .. last and columns of which at least half is near what the explanation has there. */
sinpos_status id_find_off(const sinpos_identity *identity, const id_view *view, size_t *first, size_t *last,
                          bool *is_own);
/*
 * Columns that lie on one circle with another one, and the rows from first to last of which most pairs do; are_moved: on
 * circles that a constant has moved, all of them alike.
 */
sinpos_status id_find_circles(const id_view *view, bool are_moved, size_t *first, size_t *last, bool *is_own);
/* A constant that was added, by circles of any pairs; 0 where they show none. */
sinpos_status id_find_centre(const id_view *view, double *centre);
/* Columns before which another table may begin: pairs are further apart, or fast after slow ones, and none crosses. */
sinpos_status id_find_cuts(const id_view *view, size_t most, size_t *cut, size_t *n_cuts);
/* What of the elements nothing that was named makes; which elements are altered. */
sinpos_status id_prove(sinpos_identity *identity, const sinpos_table *table, bool all_rows);
/* The findings, of the whole array. */
sinpos_status id_name_defects(sinpos_identity *identity, const sinpos_table *table);

/* ------------------------------------------------------------------------------------------- parts of an array */

/* Parts of parts, and rows and columns that may be a table of their own. */
#define ID_MOST_DEPTH 3
#define ID_LEAST_ROWS 8
#define ID_LEAST_COLUMNS 3

/* Rows first .. first + n - 1 of some columns of a view. */
typedef struct id_part {
    const id_view *view;
    size_t first, n;
    size_t *columns, n_columns; /* (n_columns) */
    size_t shape[2];
    sinpos_table table;
} id_part;

/* *out stays NULL where too many parts were looked at. */
sinpos_status id_identify_part(sinpos_identity **out, id_part *p, const id_way *way);
/* Some columns and rows as one table; then the other columns, and the rows before and after. columns: (2 dim) */
sinpos_status id_mend_part(sinpos_identity **out, const bool *is_own, const id_view *view, size_t first, size_t last,
                           size_t *columns, const id_way *way);
/* Takes what is an encoding in. */
sinpos_status id_join(sinpos_identity *identity, sinpos_identity *other);
/* Neither lists nor exceptions, and all elements explained. */
bool id_is_plain(const sinpos_identity *identity);
/* The same, of elements that were dropped, columns that were negated, and a constant. */
bool id_is_undone(const sinpos_identity *identity);
/* Every element of it and its parts, to the last bit. */
bool id_is_made(const sinpos_identity *identity);
/* Are its numbers near at best, for most elements differ? */
bool id_is_near(const sinpos_identity *identity);
/* Is nearly all of the array explained, with its other parts? */
bool id_is_covered(const sinpos_identity *identity, const id_view *view);
/* Lists and exceptions that the explanation needs. */
size_t id_complexity(const sinpos_identity *identity);
/* Every element, by one formula, of positions that may be listed: nothing is to be mended. */
bool id_is_exact(const sinpos_identity *identity);
/* The slowest frequency, or the fastest. */
double id_theta_of(const sinpos_identity *identity, bool slowest);
/* Keeps the better one, of so many elements, and frees the other. */
void id_choose(sinpos_identity **identity, sinpos_identity *other, double all);
/* The same, unless there is no other one or something failed. */
sinpos_status id_choose_if(sinpos_identity **identity, sinpos_identity *other, const id_view *view,
                           sinpos_status status);
/* The same, of a small part too where all elements of a formula's sines and cosines are made. */
sinpos_status id_choose_if_sure(sinpos_identity **identity, sinpos_identity *other, const id_view *view,
                                sinpos_status status);
/* Are half of the columns copies of the others? Those come first in columns, then the copies. */
sinpos_status id_find_copies(const id_view *view, size_t *columns, bool *are_copies);
/* Has each frequency two pairs, or some of them? */
bool id_knows_copies(const sinpos_identity *identity);
/* Half of the columns as copies of the others. */
sinpos_status id_try_copies(sinpos_identity **identity, const id_view *view, size_t *columns, const id_way *way);
/* Is it about all rows and columns of the view, in their places? */
static inline bool id_is_whole(const sinpos_identity *identity, const id_view *view)
{
    return identity->view == SINPOS_VIEW_ROWS && identity->columns == NULL && identity->dim == view->dim &&
           identity->n == view->n;
}

/* Slow frequencies first, as no convention has them: columns may be in reverse order. */
sinpos_status id_is_rising(const sinpos_identity *identity, bool *is_rising);
/* Columns in reverse order; neighbours that were halves, and halves that were neighbours. */
sinpos_status id_try_orders(sinpos_identity **identity, const id_view *view, size_t *columns, const id_way *way);
/* The first or last rows as a table, as far as it goes; then the others. */
sinpos_status id_try_rows(sinpos_identity **identity, const id_view *view, size_t *columns, const id_way *way);
/* What no part holds: columns of rows alone, and together with a part beside them. */
sinpos_status id_try_left(sinpos_identity **identity, const id_view *view, size_t *columns, const id_way *way);
