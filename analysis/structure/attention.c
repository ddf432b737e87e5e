#include "attention.h"

#include <math.h>
#include <string.h>

#include "boundary.h"
#include "linear.h"
#include "seeded.h"
#include "sinpos_analysis.h"

enum { STREAM_TOKENS = 1, STREAM_WEIGHTS = 2, STREAM_READOUT = 3 };

void attention_weights(size_t c, size_t dim, uint64_t seed, double *weights)
{
    const size_t width = 3 * attention_head(dim);
    const double scale = 1 / sqrt((double)dim);
    for (size_t j = 0; j < width; j++)
        weights[j] = scale * seeded_uniform(seed, STREAM_WEIGHTS, c * width + j);
}

void attention_project(const double *rows, size_t n, size_t dim, size_t ld, uint64_t seed, double *out)
{
    const size_t width = 3 * attention_head(dim);
    double weights[3 * ATTENTION_HEAD];
    memset(out, 0, n * width * sizeof *out);
    for (size_t c = 0; c < dim; c++) {
        attention_weights(c, dim, seed, weights);
        for (size_t r = 0; r < n; r++)
            for (size_t j = 0; j < width; j++)
                out[r * width + j] += rows[r * ld + c] * weights[j];
    }
}

static void make_token(uint64_t number, size_t dim, uint64_t seed, double *row)
{
    for (size_t c = 0; c < dim; c++)
        row[c] = seeded_uniform(seed, STREAM_TOKENS, number * dim + c);
}

void attention_tokens(const uint32_t *ids, size_t n, size_t dim, uint64_t seed, double *rows)
{
    for (size_t i = 0; i < n; i++)
        make_token(ids == NULL ? i : ids[i], dim, seed, rows + i * dim);
}

sinpos_status sinpos_random_tokens(uint64_t first, size_t n, size_t dim, uint64_t seed, double *rows)
{
    BOUNDARY;
    if (rows == NULL && n > 0)
        return SINPOS_E_NULL;
    for (size_t i = 0; i < n; i++)
        make_token(first + i, dim, seed, rows + i * dim);
    return SINPOS_OK;
}

void attention_readout(size_t head, uint64_t number, uint64_t seed, double *readout)
{
    for (size_t c = 0; c < head; c++)
        readout[c] = seeded_uniform(seed, STREAM_READOUT, number * ATTENTION_HEAD + c);
}

/* weights[j] = softmax over j of q_i' k_j / sqrt(head) */
static void attend(const attention_layer *l, const size_t *inputs, size_t i)
{
    const double *query = l->projected + inputs[i] * 3 * l->head;
    double most = -INFINITY, total = 0;
    for (size_t j = 0; j < l->n; j++) {
        const double *key = l->projected + inputs[j] * 3 * l->head + l->head;
        l->weights[j] = linear_dot(query, key, l->head) / sqrt((double)l->head);
        most = fmax(most, l->weights[j]);
    }
    for (size_t j = 0; j < l->n; j++)
        total += l->weights[j] = exp(l->weights[j] - most);
    for (size_t j = 0; j < l->n; j++)
        l->weights[j] /= total;
}

void attention_run(const attention_layer *l, const size_t *inputs)
{
    memset(l->rows, 0, l->n * l->head * sizeof *l->rows);
    memset(l->pooled, 0, l->head * sizeof *l->pooled);
    for (size_t i = 0; i < l->n; i++) {
        double *row = l->rows + i * l->head;
        attend(l, inputs, i);
        for (size_t j = 0; j < l->n; j++) {
            const double *value = l->projected + inputs[j] * 3 * l->head + 2 * l->head;
            for (size_t c = 0; c < l->head; c++)
                row[c] += l->weights[j] * value[c];
        }
        for (size_t c = 0; c < l->head; c++)
            l->pooled[c] += row[c] / (double)l->n;
    }
}
