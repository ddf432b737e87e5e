/* Means, second moments and covariances of rows that come in pieces. */
#include "moments.h"

#include <math.h>
#include <stdlib.h>

#include "boundary.h"
#include "linear.h"

enum { PIECE = 1024 };

sinpos_status sinpos_moments_create(sinpos_moments **out, size_t dim, size_t n_threads)
{
    BOUNDARY;
    if (out == NULL)
        return SINPOS_E_NULL;
    *out = NULL;
    if (n_threads > 1024)
        return SINPOS_E_VALUE;
    if (dim == 0 || dim >= LINEAR_MOST || dim > SIZE_MAX / 8 / dim)
        return SINPOS_E_SHAPE;
    sinpos_moments *m = calloc(1, sizeof *m);
    if (m == NULL)
        return SINPOS_E_MEMORY;
    m->dim = dim;
    m->n_threads = n_threads;
    m->shift = blocks_take(&m->memory, dim, sizeof *m->shift);
    m->sum = blocks_take(&m->memory, dim, sizeof *m->sum);
    m->gram = blocks_take(&m->memory, dim, dim * sizeof *m->gram);
    m->piece = blocks_take(&m->memory, PIECE, dim * sizeof *m->piece);
    if (m->memory.has_failed) {
        sinpos_moments_destroy(m);
        return SINPOS_E_MEMORY;
    }
    *out = m;
    return SINPOS_OK;
}

void sinpos_moments_destroy(sinpos_moments *m)
{
    BOUNDARY;
    if (m == NULL)
        return;
    blocks_free(&m->memory);
    free(m);
}

size_t sinpos_moments_rows(const sinpos_moments *m)
{
    BOUNDARY;
    return m == NULL ? 0 : m->n;
}

bool rows_are_below(const double *rows, size_t n, size_t dim, size_t ld, double most)
{
    for (size_t i = 0; i < n; i++)
        for (size_t c = 0; c < dim; c++)
            if (!(fabs(rows[i * ld + c]) <= most))
                return false;
    return true;
}

bool rows_are_within(const double *rows, size_t n, size_t dim, size_t ld)
{
    return rows_are_below(rows, n, dim, ld, MOMENTS_LARGEST);
}

static void take_norms(sinpos_moments *m, size_t n)
{
    for (size_t r = 0; r < n; r++) {
        const double *row = m->piece + r * m->dim, length = sqrt(linear_dot(row, row, m->dim));
        m->norm_sum += length;
        m->largest_norm = fmax(m->largest_norm, length);
    }
}

/* The mean of the first piece is taken from all rows, so that the covariance does not cancel. */
static void set_shift(sinpos_moments *m, size_t n)
{
    for (size_t r = 0; r < n; r++)
        for (size_t c = 0; c < m->dim; c++)
            m->shift[c] += m->piece[r * m->dim + c];
    for (size_t c = 0; c < m->dim; c++)
        m->shift[c] /= (double)n;
}

static sinpos_status take_piece(sinpos_moments *m, size_t n)
{
    const size_t dim = m->dim;
    if (!rows_are_within(m->piece, n, dim, dim))
        return SINPOS_E_VALUE;
    take_norms(m, n);
    if (m->n == 0)
        set_shift(m, n);
    for (size_t r = 0; r < n; r++) {
        double *row = m->piece + r * dim;
        for (size_t c = 0; c < dim; c++) {
            row[c] -= m->shift[c];
            m->sum[c] += row[c];
        }
    }
    linear_gram(m->piece, n, dim, dim, m->gram);
    m->n += n;
    return SINPOS_OK;
}

sinpos_status sinpos_moments_add(sinpos_moments *m, size_t n, sinpos_type type, const void *rows, size_t ld)
{
    BOUNDARY;
    if (m == NULL || (rows == NULL && n > 0))
        return SINPOS_E_NULL;
    const size_t size = sinpos_type_bytes(type);
    if (size == 0)
        return SINPOS_E_TYPE;
    if (ld < m->dim || (n > 0 && ld > SIZE_MAX / 8 / n) || n > SIZE_MAX - m->n)
        return SINPOS_E_SHAPE;
    RELEASED_BY(linear_end) const int kept = linear_begin(m->n_threads);
    sinpos_status status = SINPOS_OK;
    for (size_t first = 0; first < n && status == SINPOS_OK; first += PIECE) {
        const size_t count = n - first < PIECE ? n - first : PIECE;
        for (size_t r = 0; r < count && status == SINPOS_OK; r++)
            status = sinpos_widen(type, (const char *)rows + (first + r) * ld * size, m->dim, m->piece + r * m->dim);
        status = status == SINPOS_OK ? take_piece(m, count) : status;
    }
    return status;
}

sinpos_status sinpos_moments_read(const sinpos_moments *m, double *mean, double *covariance)
{
    BOUNDARY;
    if (m == NULL)
        return SINPOS_E_NULL;
    if (m->n == 0)
        return SINPOS_E_VALUE;
    const double n = (double)m->n;
    for (size_t i = 0; i < m->dim && mean != NULL; i++)
        mean[i] = m->shift[i] + m->sum[i] / n;
    for (size_t i = 0; i < m->dim && covariance != NULL; i++)
        for (size_t j = i; j < m->dim; j++)
            covariance[i * m->dim + j] = m->gram[i * m->dim + j] / n - m->sum[i] / n * (m->sum[j] / n);
    if (covariance != NULL)
        linear_mirror(covariance, m->dim);
    return SINPOS_OK;
}

sinpos_status moments_second(const sinpos_moments *m, double *mean, double *second)
{
    const sinpos_status status = sinpos_moments_read(m, mean, second);
    for (size_t i = 0; i < m->dim && status == SINPOS_OK; i++)
        for (size_t j = 0; j < m->dim; j++)
            second[i * m->dim + j] += mean[i] * mean[j];
    return status;
}
