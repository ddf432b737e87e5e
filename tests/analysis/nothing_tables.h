/* nothing_tables.h - tables that no sinusoidal encoding made, of many kinds. */
#ifndef SINPOS_TESTS_NOTHING_TABLES_H
#define SINPOS_TESTS_NOTHING_TABLES_H

#include <stddef.h>

#include "random.h"

typedef struct nothing_kind {
    const char *name;
    size_t least; /* rows and columns; fewer may be a true encoding */
    void (*make)(double *x, size_t n, size_t dim, random_state *state); /* (n, dim) */
} nothing_kind;

extern const nothing_kind nothing_kinds[];
extern const size_t n_nothing_kinds;

#endif
