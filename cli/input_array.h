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

#endif
