/*
 * Dense linear algebra of doubles in row-major order. OpenBLAS is loaded when it is first needed, so that programs which
 * never need it do not start its threads.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "sinpos.h"

/* Is OpenBLAS there, and memory for it? Loads it. Without it the products below are made by plain loops; the rest is unsupported. */
bool linear_available(void);

/*
 * Sets the threads of OpenBLAS; 0: what it was set to (OPENBLAS_NUM_THREADS), at most all processors. linear_end() sets
 * them back:
 * RELEASED_BY(linear_end) const int kept = linear_begin(n_threads);
 */
int linear_begin(size_t n_threads);
void linear_end(const int *kept);

/* Sizes of matrices must be below this; callers check. */
#define LINEAR_MOST ((size_t)1 << 30)

/* c (m, n) = alpha op(a) (m, k) op(b) (k, n) + beta c; op transposes where the flag says so. */
typedef struct linear_matrix {
    const double *data;
    size_t ld;
    bool transposed;
} linear_matrix;

void linear_product(size_t m, size_t n, size_t k, double alpha, linear_matrix a, linear_matrix b, double beta,
                    double *c, size_t ld_c);

/* Upper triangle of gram (dim, dim) += rows' rows, rows (n, dim). */
void linear_gram(const double *rows, size_t n, size_t dim, size_t ld, double *gram);

/* sum a b, in the order of the elements. */
double linear_dot(const double *a, const double *b, size_t n);

/* Lower triangle from the upper one. */
void linear_mirror(double *a, size_t dim);

/*
 * Eigenvalues of the symmetric a (dim, dim), ascending; a is overwritten: row i becomes the unit eigenvector of values[i].
 * Returns SINPOS_E_UNSUPPORTED, SINPOS_E_MEMORY, or SINPOS_E_VALUE where the iteration does not converge.
 */
sinpos_status linear_eigen(double *a, size_t dim, double *values);

/* Singular values of a (m, n), descending, min(m, n) of them; a is overwritten. Returns as linear_eigen(). */
sinpos_status linear_singular(double *a, size_t m, size_t n, double *values);
