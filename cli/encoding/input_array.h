/* input_array.h - arrays of embeddings or encodings, (..., n, dim), that add and audit read. */
#pragma once

#include "request_encoding.h"

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

/* Opens the array and checks it against the options; a row alone is one where may_be_row. */
void input_open(struct input_array *input, const char *path, const struct options *options, bool may_be_row);
void input_close(struct input_array *input);
/* Fails where --length is not the number of rows. */
void input_check_length(const struct input_array *input, const struct options *options);

/* Sines and cosines at positions for the rows of an array, planned. */
void input_sines(const struct input_array *input, const struct request *request, unsigned types,
                 struct encoding *encoding);
/*
 * Any encoding, planned. That of a convention has the shape of the array where the options and its defaults allow one;
 * dim, n and n_blocks become those of its table.
 */
void input_encoding(struct input_array *input, const struct request *request, unsigned types,
                    struct encoding *encoding);

/* Rows to read at a time; all of a block where columns come first, which cannot be made in pieces. */
size_t input_piece_rows(const struct input_array *input, const struct encoding *encoding, size_t row_bytes);
