/* array_file.h - small files that are read whole: positions, frequencies, factors. */
#ifndef ARRAY_FILE_H
#define ARRAY_FILE_H

#include "complain.h"

/* Exactly one of the two lists is not NULL; the caller frees it. */
struct loaded_array {
    sinpos_array array;
    size_t n;
    int64_t *integers;
    double *reals;
};

/* Reads an array of float64, float32 or integers. Returns EXIT_DONE, or complains. */
int array_file_load(struct loaded_array *loaded, const char *path);

/* Reads a text of at most 1 GiB without zero bytes; the caller frees it. Returns EXIT_DONE, or complains. */
int text_file_load(const char *path, char **text);

#endif
