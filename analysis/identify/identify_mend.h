/* identify_mend.h - encodings that something was done to, or that are part of an array. */
#pragma once

#include "identify_match.h"

/* How a table is looked at. */
typedef struct id_way {
    const id_match *match; /* NULL, or what is done to its columns */
    bool all_rows;
    size_t n_threads;
    size_t depth; /* 0: the whole array; 1, 2: part of it */
    size_t *left; /* how many parts may yet be looked at */
} id_way;

/* One table as one encoding. */
sinpos_status id_identify(sinpos_identity **out, const sinpos_table *table, const id_way *way);
/* Columns as they were matched, in place of the fit of a layout. */
sinpos_status id_fit_match(id_fit *fit, const id_sample *sample, const id_match *match);
/* Another explanation in place of *identity, where that is better: columns changed, or parts of the table. */
sinpos_status id_mend(sinpos_identity **identity, const sinpos_table *table, const id_way *way);
/* What was done to the columns: column_factor, column_offset and dropped. */
sinpos_status id_name_changes(sinpos_identity *identity, const id_match *match);
/* Rows first .. last and columns of which at least half is near what the explanation has there. */
sinpos_status id_find_off(const sinpos_identity *identity, const id_view *view, size_t *first, size_t *last,
                          bool *is_own);
/* What of the elements nothing that was named makes; which elements are altered. */
sinpos_status id_prove(sinpos_identity *identity, const sinpos_table *table, bool all_rows);
/* The findings, of the whole array. */
sinpos_status id_name_defects(sinpos_identity *identity, const sinpos_table *table);
