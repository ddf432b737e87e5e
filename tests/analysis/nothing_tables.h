/* nothing_tables.h - tables that no sinusoidal encoding made, of many kinds. */
#ifndef SINPOS_TESTS_NOTHING_TABLES_H
#define SINPOS_TESTS_NOTHING_TABLES_H

#include <stddef.h>
#include <stdint.h>

#include "random.h"
#include "sinpos_analysis.h"

typedef struct nothing_kind {
    const char *name;
    size_t least; /* rows and columns; fewer may be a true encoding */
    void (*make)(double *x, size_t n, size_t dim, random_state *state); /* (n, dim) */
} nothing_kind;

/* A table of (n, dim) elements, in two dimensions or three. */
typedef struct nothing_table {
    char *data;
    size_t n, dim, n_dims, shape[3];
    sinpos_type type;
} nothing_table;

/* One of a kind; the caller frees its data. */
void nothing_draw(nothing_table *table, size_t kind, uint64_t seed);

/* Waves that are no sinusoids, and noise of other laws: nothing_waves.c. */
void make_laplace(double *x, size_t n, size_t dim, random_state *state);
void make_cauchy(double *x, size_t n, size_t dim, random_state *state);
void make_exponential(double *x, size_t n, size_t dim, random_state *state);
void make_hashes(double *x, size_t n, size_t dim, random_state *state);
void make_integers(double *x, size_t n, size_t dim, random_state *state);
void make_chirps(double *x, size_t n, size_t dim, random_state *state);
void make_many_sines(double *x, size_t n, size_t dim, random_state *state);
void make_bessel(double *x, size_t n, size_t dim, random_state *state);
void make_wavelets(double *x, size_t n, size_t dim, random_state *state);
void make_triangles(double *x, size_t n, size_t dim, random_state *state);
void make_squares(double *x, size_t n, size_t dim, random_state *state);
void make_trained(double *x, size_t n, size_t dim, random_state *state);
void make_gradient(double *x, size_t n, size_t dim, random_state *state);
void make_saturated(double *x, size_t n, size_t dim, random_state *state);

extern const nothing_kind nothing_kinds[];
extern const size_t n_nothing_kinds;

#endif
