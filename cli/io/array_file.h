/* array_file.h - small files that are read whole: positions, frequencies, factors. */
#pragma once

#include <stdbool.h>

#include "error_line.h"

/* Exactly one of the two lists is not NULL, once it is loaded. */
struct loaded_array {
    sinpos_array array;
    size_t n;
    int64_t *integers;
    double *reals;
};

bool ends_with(const char *text, const char *ending);

/*
 * Is a value that may be a list or a file a file? By its ending, or because it exists and is none whose name should have
 * one: a pipe, as of <(...), or standard input.
 */
bool is_array_file(const char *value);

/* Reads an array of float64, float32 or integers. */
void array_file_load(struct loaded_array *loaded, const char *path);
void loaded_array_free(struct loaded_array *loaded);

/* Reads a text of at most 1 GiB without zero bytes; the caller frees it. */
char *text_file_load(const char *path);
