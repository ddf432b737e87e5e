/* input_array.h - arrays of embeddings or encodings, (..., n, dim), that add and audit read. */
#ifndef INPUT_ARRAY_H
#define INPUT_ARRAY_H

#include "encoding.h"

struct input_array {
    const char *path;
    sinpos_reader *reader;
    const sinpos_array *array;
    sinpos_type type;
    size_t n_blocks; /* product of the leading dimensions */
    size_t n;        /* rows of a block */
    size_t dim;
    size_t row_bytes;
};

/* Opens and checks the array against the options. Returns EXIT_DONE, or complains. */
int input_open(struct input_array *input, const char *path, const struct options *options);
void input_close(struct input_array *input);

/* Positions and encoding for the rows of an input; the plan is made for the types given. */
int input_encoding(const struct input_array *input, const struct options *options, unsigned types,
                   struct positions *positions, struct encoding *encoding);

/*
 * The convention that the options name, for the array: where they leave its width, rows or grid open the array tells them.
 * Rows and columns of input become those of the encoding.
 */
int input_named(struct input_array *input, const struct options *options, unsigned types, sinpos_encoding **named);

/* Rows to take at a time: whole blocks where columns stand before the grid. */
size_t input_piece_rows(const struct input_array *input, const sinpos_encoding *named, size_t row_bytes);

#endif
