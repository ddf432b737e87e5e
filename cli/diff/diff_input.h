/* diff_input.h - the arrays that sinpos diff compares: files, or a convention in the shape of the other one. */
#pragma once

#include "input_array.h"
#include "row_source.h"
#include "sinpos_analysis.h"

struct diff_input {
    const char *name; /* as typed */
    bool is_file;
    char *words;            /* of a convention, cut */
    struct request request; /* of it */
    struct encoding encoding;
    struct input_array input; /* of a file, or the shape of the other one */
    size_t n_rows;            /* of one table of the convention, which repeats */
    size_t threads;
    struct row_source source; /* of a file */
    size_t n_dims, shape[SINPOS_MAX_FILE_DIMS];
    sinpos_table table;
};

/* Both arrays; at least one is a file. tensors: names of their tensors, NULL where there is one. */
void diff_input_open(struct diff_input input[2], const struct options *options);
/* A file of the same shape as another. */
void diff_input_open_file(struct diff_input *input, const char *path, const struct options *options,
                          const char *tensor);
void diff_input_close(struct diff_input *input);
