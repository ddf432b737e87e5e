/* matrix_file.h - matrices of any floating-point type, read as doubles, whole or by rows. */
#pragma once

#include "options.h"

#define MATRIX_PATH_BYTES 4096

struct matrix_file {
    char path[MATRIX_PATH_BYTES]; /* as errors show it */
    sinpos_reader *reader;        /* NULL: not given */
    sinpos_array array;
    size_t n, dim; /* leading dimensions are rows too */
    size_t n_read;
};

/* Opens the value of an option, FILE or FILE.safetensors:TENSOR; does nothing where it was not given. */
void matrix_open(struct matrix_file *matrix, const struct options *options, enum option_id id);
/* The next n rows. Fails about the first element that is not finite, or beyond 2^100 in size. */
void matrix_read(struct matrix_file *matrix, size_t n, double *rows);
/* All of it, in memory that the caller frees. */
double *matrix_load(struct matrix_file *matrix);

/* Rows i n_all / n, evenly spread, of a matrix that passes by in pieces. */
struct sample {
    double *rows; /* (n, dim) */
    size_t n, dim, n_all, n_taken;
};

/* Takes those of a piece of n rows. */
void sample_rows(struct sample *sample, const double *piece, size_t first, size_t n);

void matrix_close(struct matrix_file *matrix);
