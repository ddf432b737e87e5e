/* request_parameters.h - the encoding that --convention, --set and --parameters name. */
#ifndef REQUEST_PARAMETERS_H
#define REQUEST_PARAMETERS_H

#include "options.h"
#include "sinpos_conventions.h"

/* Do the options name a convention that the general options alone do not state? */
bool named_is_asked(const struct options *options);

/* What an array at hand tells, where the options leave it open. */
struct named_array {
    size_t dim;       /* columns; 0: there is no array */
    size_t n_rows;    /* of one block; 0: not known */
    size_t sizes[3];  /* the dimensions before the columns, the last of them last; 0: there are fewer */
    bool forces_rows; /* n_rows also for a convention that has rows of its own, one after the other */
    size_t n_default; /* rows of a convention that has none of its own, without an array; 0: those must be stated */
    size_t sequence;  /* its length, where frequencies depend on it; 0: it ends behind the last row */
};

/* Sizes that a grid has which an array may tell: 2 or 3, or 0 where there is no such grid or the options tell it. */
size_t named_grid_axes(const struct options *options);

/*
 * Makes the encoding. array: NULL for none. output: as --set output, or NULL. error: NULL, or receives in silence what
 * the library refuses. Returns EXIT_DONE, or complains.
 */
int named_make(sinpos_encoding **encoding, const struct options *options, const struct named_array *array,
               unsigned types, const char *output, sinpos_error *error);
/* Complains about what named_make() was silent on. */
int complain_named(const struct options *options, const sinpos_error *error);

/*
 * "1496" or "(0, 2.5)" in text: what the frequencies multiply in that row. False where rows are no positions alone. text has
 * room for POSITION_TEXT_BYTES.
 */
bool named_position_text(const sinpos_encoding *encoding, size_t row, char *text);

/* "3 x 4 x 16" in text, which is returned. */
#define NAMED_SHAPE_BYTES 240
const char *named_shape_text(const sinpos_encoding_info *info, char text[NAMED_SHAPE_BYTES]);

#endif
