/* One self-attention head with seeded random weights. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Widest head; narrower where dim is. */
#define ATTENTION_HEAD ((size_t)64)

static inline size_t attention_head(size_t dim)
{
    return dim < ATTENTION_HEAD ? dim : ATTENTION_HEAD;
}

/* Row c of (W_q, W_k, W_v): 3 head numbers, seeded, uniform, of variance 1 / dim. */
void attention_weights(size_t c, size_t dim, uint64_t seed, double *weights);

/*
 * Queries, keys and values of rows: out[r] = (W_q' row, W_k' row, W_v' row), 3 head numbers.
 *   rows   (n, dim) with row stride ld.
 *   out    (n, 3 head).
 */
void attention_project(const double *rows, size_t n, size_t dim, size_t ld, uint64_t seed, double *out);

/* Rows of tokens with the numbers ids, or 0 .. n-1 for NULL: (n, dim), seeded, uniform, of variance 1. */
void attention_tokens(const uint32_t *ids, size_t n, size_t dim, uint64_t seed, double *rows);

/* Weights of the function with a number: (head), seeded, uniform, of variance 1. */
void attention_readout(size_t head, uint64_t number, uint64_t seed, double *readout);

/* The layer on a sequence: of row inputs[i] of projected, i = 0 .. n-1. */
typedef struct attention_layer {
    size_t n, head;
    const double *projected;
    double *weights; /* (n) scratch: one softmax */
    double *rows;    /* (n, head) out */
    double *pooled;  /* (head) out: the mean of the rows */
} attention_layer;

void attention_run(const attention_layer *layer, const size_t *inputs);
