/* diff_side.c - rows of the two arrays, as doubles; the first comparison. */
#include "diff.h"
#include "seeded.h"

#define PIECE_ELEMENTS ((size_t)1 << 18)

/* Elements and rows of the sample. */
#define SAMPLE_ELEMENTS ((size_t)1 << 16)
#define SAMPLE_ROWS ((size_t)256)
#define LEAST_ROWS ((size_t)12)

sinpos_status diff_side_make(diff_side *side, const sinpos_table *table)
{
    size_t n = 1;
    if (table == NULL || table->shape == NULL || table->read == NULL)
        return SINPOS_E_NULL;
    if (sinpos_type_bytes(table->type) == 0)
        return SINPOS_E_TYPE;
    if (table->n_dims < 2)
        return SINPOS_E_SHAPE;
    for (size_t k = 0; k < table->n_dims; k++) {
        if (table->shape[k] == 0 || n > SIZE_MAX / 8 / table->shape[k])
            return SINPOS_E_SHAPE;
        n *= table->shape[k];
    }
    *side = (diff_side){.table = table, .dim = table->shape[table->n_dims - 1], .type = table->type};
    side->n = n / side->dim;
    side->holds = table->type;
    return SINPOS_OK;
}

size_t diff_piece(size_t dim)
{
    return dim >= PIECE_ELEMENTS ? 1 : PIECE_ELEMENTS / dim;
}

sinpos_status diff_side_read(const diff_side *side, size_t first, size_t n, double *out)
{
    void *raw = malloc(n * side->dim * sinpos_type_bytes(side->type) + 1);
    sinpos_status status = raw == NULL ? SINPOS_E_MEMORY : side->table->read(side->table->context, first, n, raw);
    if (status == SINPOS_OK)
        widen(out, raw, side->type, n * side->dim);
    free(raw);
    return status;
}

/* ------------------------------------------------------------------------------------------------ sample */

/* One row of each of n equal parts, at random, and the last: powers of two would hide rounded positions. */
sinpos_status diff_sample_take(diff_job *job)
{
    const diff_side *b = &job->b;
    diff_sample *sample = &job->sample;
    const size_t fit = SAMPLE_ELEMENTS / b->dim, some = fit < LEAST_ROWS ? LEAST_ROWS : fit;
    const size_t most = some > SAMPLE_ROWS ? SAMPLE_ROWS : some;
    sample->n = b->n < most ? b->n : most;
    sample->row = blocks_take(&job->memory, sample->n, sizeof *sample->row);
    sample->x = blocks_take(&job->memory, sample->n, b->dim * sizeof *sample->x);
    job->partner = blocks_take(&job->memory, sample->n, job->a.dim * sizeof *job->partner);
    sinpos_status status = blocks_status(&job->memory);
    for (size_t i = 0; i < sample->n && status == SINPOS_OK; i++) {
        const size_t begin = i * b->n / sample->n, end = (i + 1) * b->n / sample->n;
        sample->row[i] = i == 0 ? 0 : i + 1 == sample->n ? b->n - 1 : begin + seeded_bits(1, 0, i) % (end - begin);
        status = diff_side_read(b, sample->row[i], 1, sample->x + i * b->dim);
    }
    return status;
}

/* -------------------------------------------------------------------------------------------- comparison */

static bool are_equal(const double *x, const double *y, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (x[i] != y[i] && (x[i] == x[i] || y[i] == y[i]))
            return false;
    return true;
}

static sinpos_status scan(const diff_side *side, double *x, size_t first, size_t *n, unsigned *types)
{
    *n = first >= side->n ? 0 : side->n - first < *n ? side->n - first : *n;
    const sinpos_status status = *n == 0 ? SINPOS_OK : diff_side_read(side, first, *n, x);
    if (status == SINPOS_OK)
        *types = types_that_hold(x, *n * side->dim, *types);
    return status;
}

sinpos_status diff_compare(diff_job *job, bool *is_same)
{
    diff_side *a = &job->a, *b = &job->b;
    unsigned types_a = 15, types_b = 15;
    const size_t piece = diff_piece(a->dim > b->dim ? a->dim : b->dim), n = a->n > b->n ? a->n : b->n;
    double *x = malloc(piece * a->dim * sizeof *x), *y = malloc(piece * b->dim * sizeof *y);
    sinpos_status status = x == NULL || y == NULL ? SINPOS_E_MEMORY : SINPOS_OK;
    *is_same = a->n == b->n && a->dim == b->dim && a->type == b->type;
    for (size_t first = 0; first < n && status == SINPOS_OK; first += piece) {
        size_t n_a = piece, n_b = piece;
        status = scan(a, x, first, &n_a, &types_a);
        status = status != SINPOS_OK ? status : scan(b, y, first, &n_b, &types_b);
        *is_same = *is_same && status == SINPOS_OK && are_equal(x, y, n_a * a->dim);
    }
    free(x);
    free(y);
    a->holds = narrowest_type(a->type, types_a);
    b->holds = narrowest_type(b->type, types_b);
    return status;
}

sinpos_status diff_identify(diff_side *side, size_t n_threads)
{
    return side->identity != NULL ? SINPOS_OK : sinpos_identify(&side->identity, side->table, n_threads);
}
