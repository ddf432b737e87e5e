/* ggml's rotary encoding on one thread of its CPU backend, found at run time. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct ggml;

/* NULL if there is no libggml.so with all that is called. */
struct ggml *ggml_open(void);
void ggml_close(struct ggml *ggml);

/* Of the library, as it calls itself. */
const char *ggml_version_text(const struct ggml *ggml);

/* Rotates n rows of heads, ROTARY_DIM wide, float32, in place, from position 0 on, columns paired in halves. */
struct ggml_job {
    struct ggml *ggml;
    float *x;
    size_t n, heads;
};

/* Makes the graph of the job, which lasts until the next one; false if ggml refuses it. */
bool ggml_prepare(const struct ggml_job *job);

/* The `seconds` of a side: job is a struct ggml_job whose graph was made. */
double ggml_seconds(void *job);
