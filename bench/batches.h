/* Sums of whole batches, and one token rotated in all layers. */
#pragma once

#include <stddef.h>

#include "sinpos.h"

enum { BATCHES = 8, LAYERS = 32, LAYER_HEADS = 32 };

/* x += encoding for BATCHES of n rows, BENCH_DIM wide. */
struct batch_job {
    const sinpos_plan *plan;
    size_t n;
    sinpos_type type;
    void *x;
    size_t threads;
};

/* LAYERS of LAYER_HEADS heads, ROTARY_DIM wide, of one token, the next with each call. */
struct layers_job {
    const sinpos_plan *plan;
    sinpos_type type;
    void *x;
    int64_t token;
};

/* The `seconds` of sides. */
double batch_seconds(void *job);
double layers_seconds(void *job);

/* Is it the right work? The clause that says what is wrong, or NULL. */
const char *batch_is_wrong(struct batch_job *job);
const char *layers_are_wrong(struct layers_job *job);
