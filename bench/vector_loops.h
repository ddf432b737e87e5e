/* Loops that set a limit or call SLEEF, written once and built per instruction set by the loops_*.c. */
#pragma once

#include <stddef.h>

#include "symbols.h"

struct vector_loops {
    const char *isa;

    /* x[i] += constant, x[i] *= factor and x[i] += table[i]; n is a multiple of 1024, x and table are page-aligned. */
    void (*add_constant)(float *x, size_t n, float constant);
    void (*scale)(float *x, size_t n, float factor);
    void (*add_table)(float *x, const float *table, size_t n);

    /*
     * Names in SLEEF of sine and cosine together, and the loops that call them: row i of out is sine
     * and cosine of positions[i] * theta[k], interleaved. n_theta is a multiple of 16; theta and out
     * are page-aligned.
     */
    const char *sincosf_u35_name, *sincos_u10_name;
    void (*sleef_f32)(any_function *sincosf_u35, const float *positions, size_t n, const float *theta, size_t n_theta,
                      float *out);
    void (*sleef_f64)(any_function *sincos_u10, const double *positions, size_t n, const double *theta, size_t n_theta,
                      float *out);
};

extern const struct vector_loops loops_baseline;
#if defined(__x86_64__)
extern const struct vector_loops loops_avx2, loops_avx512;
#endif
