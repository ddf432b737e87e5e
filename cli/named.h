/* named.h - the encoding that --convention, --set and --parameters name. */
#ifndef NAMED_H
#define NAMED_H

#include "options.h"
#include "sinpos_conventions.h"

/* Do the options name a convention that the general options alone do not state? */
bool named_is_asked(const struct options *options);

/*
 * Makes it. array_dim: columns that an array at hand has, 0 for none; n_rows: its rows, 0 for none. Both serve where
 * the options leave them open. Returns EXIT_DONE, or complains.
 */
int named_make(sinpos_encoding **encoding, const struct options *options, size_t array_dim, size_t n_rows,
               unsigned types, const char *output);

/* "3 x 4 x 16" in text, which is returned. */
#define NAMED_SHAPE_BYTES 240
const char *named_shape_text(const sinpos_encoding_info *info, char text[NAMED_SHAPE_BYTES]);

#endif
