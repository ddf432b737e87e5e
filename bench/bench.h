/* The whole benchmark behind one call: the library against the machine's limits and installed peers. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct bench_request {
    const char *only; /* NULL for all, or keys separated by commas */
    size_t threads;   /* of both sides, where a comparison is with memory alone; 1 .. 1024 */
    bool quick;       /* a quarter of the rows and five pairs: a look, not a figure to quote */
};

struct bench_result {
    const char *key;
    double wanted; /* 0: only printed */
    bool lower_is_better;
    bool measured;
    const char *needs;   /* not measured: what it needs, and how to install it; else NULL */
    const char *suspect; /* NULL, or why the other side's figure is missing or not to be believed */
    double ratio, lowest, highest;
    double ours_gb_per_s, theirs_gb_per_s; /* 0 where there is no such rate */
    double ours_seconds;
};

enum { BENCH_MOST_RESULTS = 40 };

struct bench_report {
    struct bench_result results[BENCH_MOST_RESULTS];
    size_t n_results;
    size_t n_pairs;
    size_t plan_bytes, plan_bytes_f32; /* of dim 1024 for all types, and for float32 alone */
    char cpu[128];
    size_t processors, threads;
    char sleef[64], ggml[64], torch[64], numpy[64]; /* "" where missing */
};

enum bench_outcome {
    BENCH_DONE,
    BENCH_WRONG,   /* the library wrote something else than encodings */
    BENCH_BAD_KEY, /* `only` names no comparison: trouble->what */
    BENCH_MEMORY,
    BENCH_FAILED /* no plan could be made */
};

struct bench_trouble {
    char what[64];
    char why[120];
};

/*
 * Measures. each() receives every result as it comes. trouble is filled in for BENCH_WRONG,
 * BENCH_BAD_KEY and BENCH_FAILED.
 */
enum bench_outcome bench_run(const struct bench_request *request, struct bench_report *report,
                             void (*each)(const struct bench_result *result), struct bench_trouble *trouble);

/* The i-th key that `only` may name; NULL past the last one. */
const char *bench_key(size_t i);
