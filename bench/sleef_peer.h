/* SLEEF, found at run time, and the C library's own sincosf. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "vector_loops.h"

struct sleef {
    void *library;
    const struct vector_loops *f32, *f64; /* the fastest loop of each kind, found by trying */
    any_function *sincosf_u35, *sincos_u10;
};

struct sleef_job {
    const struct sleef *sleef;
    const float *positions_f32, *theta_f32; /* of sleef_f32_seconds() */
    const double *positions_f64, *theta_f64;
    size_t n, n_theta;
    float *out; /* (n, 2 n_theta) */
};

/* False if there is no SLEEF with functions for this processor. */
bool sleef_open(struct sleef *sleef);
void sleef_close(struct sleef *sleef);

/* The loops for memory that suit the widest vectors of this processor. */
const struct vector_loops *widest_loops(void);

/* The `seconds` of a side: job is a struct sleef_job. libm_f32_seconds() calls sincosf. */
double sleef_f32_seconds(void *job);
double sleef_f64_seconds(void *job);
double libm_f32_seconds(void *job);
