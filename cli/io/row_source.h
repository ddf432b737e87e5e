/* row_source.h - rows of an array, read where they lie in the file; what comes through a pipe is copied before. */
#pragma once

#include "sinpos.h"
#include "sinpos_formats.h"

struct row_source {
    const char *path;
    sinpos_reader *reader;
    sinpos_model *model; /* in place of it, with the number of a tensor */
    size_t tensor;
    size_t dim;
    size_t row_bytes;
    char *copy; /* of a pipe */
};

/* All n rows of the array that a reader has open. */
struct row_source row_source_open(const char *path, sinpos_reader *reader, size_t n, size_t dim, sinpos_type type);
/* As sinpos_table.read: context is the source. */
sinpos_status row_source_read(void *context, size_t first, size_t n, void *rows);
