/* Matrices of distances: of consecutive positions every row is a slice of one curve. */
#include <stdlib.h>
#include <string.h>

#include "boundary.h"
#include "curve.h"

/* D(n - 1), ..., D(1), D(0), D(1), ..., D(n - 1): row i of the matrix begins n - 1 - i numbers in. */
static double *mirrored_curve(const curve *c, size_t n, size_t n_threads, sinpos_status *status)
{
    const sinpos_rows offsets = {.struct_size = sizeof offsets, .n = n};
    double *both = n > SIZE_MAX / (2 * sizeof *both) ? NULL : malloc(2 * n * sizeof *both);
    *status = both == NULL ? SINPOS_E_MEMORY : curve_values(c, &offsets, both + n - 1, n_threads);
    if (*status != SINPOS_OK) {
        free(both);
        return NULL;
    }
    for (size_t i = 0; i + 1 < n; i++)
        both[i] = both[2 * n - 2 - i];
    return both;
}

typedef struct slices {
    const double *both;
    size_t n, row, ld;
    double *out;
} slices;

static void slice_rows(void *context, size_t first, size_t count)
{
    const slices *s = context;
    for (size_t i = first; i < first + count; i++)
        memcpy(s->out + i * s->ld, s->both + (s->n - 1 - s->row - i), s->n * sizeof *s->out);
}

static sinpos_status check_matrix(const sinpos_plan *plan, size_t n_rows, size_t n, const double *out, size_t ld,
                                  size_t n_threads)
{
    if (plan == NULL || (out == NULL && n_rows > 0))
        return SINPOS_E_NULL;
    if (n_threads > 1024)
        return SINPOS_E_VALUE;
    if (ld < n || (n_rows > 0 && ld > SIZE_MAX / sizeof(double) / n_rows))
        return SINPOS_E_SHAPE;
    return n > INT64_MAX ? SINPOS_E_RANGE : SINPOS_OK;
}

sinpos_status sinpos_distance_matrix(const sinpos_plan *plan, size_t first_row, size_t n_rows, size_t n, double *out,
                                     size_t ld_out, size_t n_threads)
{
    BOUNDARY;
    RELEASED_BY(curve_free) curve c = {0};
    sinpos_status status = check_matrix(plan, n_rows, n, out, ld_out, n_threads);
    if (status != SINPOS_OK)
        return status;
    if (first_row > n || n_rows > n - first_row)
        return SINPOS_E_SHAPE;
    status = curve_make(&c, plan, true);
    if (status == SINPOS_OK && n_rows > 0) {
        OWNED double *both = mirrored_curve(&c, n, n_threads, &status);
        slices s = {both, n, first_row, ld_out, out};
        if (both != NULL)
            threads_run(n_threads == 0 ? threads_available() : n_threads, n_rows, 16, slice_rows, &s);
    }
    return status;
}

/* ------------------------------------------------------------------------------------------ Any positions */

/* The smallest position, and how far the largest is from it; false if that is beyond int64. */
static bool span_of(const int64_t *positions, size_t n, int64_t *least, int64_t *span)
{
    int64_t most = positions[0];
    *least = positions[0];
    for (size_t i = 1; i < n; i++) {
        *least = positions[i] < *least ? positions[i] : *least;
        most = positions[i] > most ? positions[i] : most;
    }
    return !__builtin_sub_overflow(most, *least, span);
}

/* Every distance from one curve over all offsets up to the span. */
static sinpos_status matrix_by_curve(const curve *c, const int64_t *positions, size_t n, size_t span, double *out,
                                     size_t ld, size_t n_threads)
{
    const sinpos_rows offsets = {.struct_size = sizeof offsets, .n = span + 1};
    OWNED double *distance = malloc((span + 1) * sizeof *distance);
    if (distance == NULL)
        return SINPOS_E_MEMORY;
    const sinpos_status status = curve_values(c, &offsets, distance, n_threads);
    for (size_t i = 0; i < n && status == SINPOS_OK; i++) {
        for (size_t j = 0; j < n; j++)
            out[i * ld + j] =
                distance[positions[i] > positions[j] ? positions[i] - positions[j] : positions[j] - positions[i]];
    }
    return status;
}

/* Row by row, of each pair only one distance. */
static sinpos_status matrix_by_pairs(const curve *c, const int64_t *positions, size_t n, double *out, size_t ld,
                                     size_t n_threads)
{
    OWNED int64_t *offset = malloc(n * sizeof *offset);
    sinpos_status status = offset == NULL ? SINPOS_E_MEMORY : SINPOS_OK;
    for (size_t i = 0; i < n && status == SINPOS_OK; i++) {
        for (size_t j = 0; j <= i; j++)
            offset[j] = positions[i] > positions[j] ? positions[i] - positions[j] : positions[j] - positions[i];
        const sinpos_rows offsets = {.struct_size = sizeof offsets, .n = i + 1, .integers = offset};
        status = curve_values(c, &offsets, out + i * ld, n_threads);
        for (size_t j = 0; j < i && status == SINPOS_OK; j++)
            out[j * ld + i] = out[i * ld + j];
    }
    return status;
}

sinpos_status sinpos_distance_matrix_at(const sinpos_plan *plan, const int64_t *positions, size_t n, double *out,
                                        size_t ld_out, size_t n_threads)
{
    BOUNDARY;
    RELEASED_BY(curve_free) curve c = {0};
    int64_t least, span = 0;
    sinpos_status status =
        positions == NULL && n > 0 ? SINPOS_E_NULL : check_matrix(plan, n, n, out, ld_out, n_threads);
    if (status != SINPOS_OK)
        return status;
    if (n > 0 && !span_of(positions, n, &least, &span))
        return SINPOS_E_RANGE;
    status = curve_make(&c, plan, true);
    if (status == SINPOS_OK && n > 0) {
        const bool is_dense = (uint64_t)span / n < n / 2 + 1 && (uint64_t)span < SIZE_MAX / sizeof(double) - 1;
        status = is_dense ? matrix_by_curve(&c, positions, n, (size_t)span, out, ld_out, n_threads)
                          : matrix_by_pairs(&c, positions, n, out, ld_out, n_threads);
    }
    return status;
}
