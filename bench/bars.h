/* The comparisons: what they are called, what is wanted of them, and how each is set up. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "batches.h"
#include "ggml_peer.h"
#include "limits.h"
#include "measure.h"
#include "python_peer.h"
#include "sinpos.h"
#include "sleef_peer.h"
#include "verify.h"

/* What the side named first does. */
enum work {
    FILL,
    SCATTERED,
    SCATTERED_ANY,
    RUNS,
    REAL,
    ADD,
    MAKE_PLAN,
    STREAM_STORE,
    MEMCPY,
    DISTANCES,
    ROTATE,
    ROTATE_PAIRS,
    ROTATE_ONE,
    ADD_BATCH,
    ROTATE_LAYERS
};

enum against {
    MEMSET,
    ADD_CONSTANT,
    ADD_TABLE,
    SCALE,
    SLEEF_U35,
    SLEEF_U10_F64,
    LIBM,
    GGML,
    TORCH,
    TORCH_IN_PLACE,
    TORCH_ROTATE,
    NUMPY,
    NUMPY_IN_PLACE,
    TORCH_LISTING_4,
    CACHED_ROWS,
    DOUBLES,
    CONSECUTIVE
};

struct bar {
    const char *key;
    double wanted; /* 0: only printed */
    enum work work;
    sinpos_type type;
    size_t rows;
    enum against against;
    size_t threads; /* of both sides; 0 for as many as were asked for */
};

extern const struct bar bars[];
extern const size_t n_bars;

/* bar->wanted, or less where the other side is faster than most machines. */
double bar_wanted(const struct bar *bar, double theirs_gb_per_s);

enum { BUFFER_BYTES = 1 << 28, CACHED = 64 };

/* What all comparisons share. */
struct workbench {
    size_t threads;
    bool quick;
    unsigned char *buffer, *second; /* page-aligned, touched; BUFFER_BYTES, a quarter if quick */
    int64_t *near_positions;        /* below 2^20 */
    int64_t *any_positions, *runs;
    double *real_positions; /* in [0, 1e6) */
    float *theta_f32, *cached_positions;
    double *theta_f64;
    struct sleef sleef;
    bool has_sleef;
    struct ggml *ggml;            /* NULL where there is none */
    struct python *torch, *numpy; /* NULL where there is none */
};

struct library_job {
    sinpos_plan *plan;
    sinpos_operation operation;
    sinpos_rows rows;
    sinpos_type type;
    void *out;
    size_t threads;
    const char *isa;     /* NULL: the one in use */
    const int64_t *list; /* of ROWS positions, from which each call takes others; NULL: consecutive ones */
    size_t calls;
};

/* The matrix of distances between rows consecutive positions, of as many columns, from a specification on. */
struct distance_job {
    size_t rows;
    double *out;
};

/* Rotary over n rows of heads, ROTARY_DIM wide. */
struct rotary_job {
    sinpos_plan *plan;
    size_t n, heads;
    sinpos_type type;
    sinpos_layout layout;
    void *x;
    size_t threads;
};

struct contest {
    struct library_job library, second; /* second: theirs, where it is ours too */
    struct rotary_job rotary;
    struct batch_job batch;
    struct layers_job layers;
    sinpos_spec spec;
    struct distance_job distances;
    struct limit_job limit, first_limit;
    struct sleef_job sleef;
    struct ggml_job ggml;
    struct python_job python;
    struct side ours, theirs;
};

/* Makes all but the Python peers, after threads and quick were set; false if memory is short. */
bool workbench_make(struct workbench *bench);
void workbench_free(struct workbench *bench);

/* What has to be installed before the bar can be measured; NULL if nothing. */
const char *bar_needs(const struct workbench *bench, const struct bar *bar);

/* Sets up both sides. contest_end() frees, also after a failure. */
bool contest_begin(struct contest *contest, const struct workbench *bench, const struct bar *bar);
void contest_end(struct contest *contest);

/* Does the library write encodings? The clause that says what is wrong, or NULL. */
const char *library_is_wrong(struct contest *contest, const struct bar *bar);

/* The same of the other side. */
const char *other_side_is_wrong(struct contest *contest, const struct workbench *bench, const struct bar *bar);
