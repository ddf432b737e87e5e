/*
 * The body of loops_*.c, which define before including it
 *   LOOPS, ISA             the object to define and its instruction set
 *   VECTOR_BYTES           vector size
 *   LOW, HIGH              the lanes of (a, b) that make the lower and upper half of a0 b0 a1 b1 ...
 *   NARROW                 the same for two vectors of half the size, whole
 *   SINCOSF_U35, SINCOS_U10
 */
#include "vector_loops.h"

typedef float floats __attribute__((vector_size(VECTOR_BYTES), may_alias));
typedef double doubles __attribute__((vector_size(VECTOR_BYTES), may_alias));
typedef float half_floats __attribute__((vector_size(VECTOR_BYTES / 2)));
/* What SLEEF's headers call Sleef___m512_2, Sleef___m256d_2 and so on. */
struct two_floats {
    floats sine, cosine;
};
struct two_doubles {
    doubles sine, cosine;
};
typedef struct two_floats sincosf_function(floats);
typedef struct two_doubles sincos_function(doubles);

enum { FLOATS = VECTOR_BYTES / sizeof(float), DOUBLES = VECTOR_BYTES / sizeof(double) };

static void add_constant(float *x, size_t n, float constant)
{
    floats *v = (floats *)(void *)x;
    for (size_t i = 0; i < n / FLOATS; i += 4) {
        v[i] += constant;
        v[i + 1] += constant;
        v[i + 2] += constant;
        v[i + 3] += constant;
    }
}

static void scale(float *x, size_t n, float factor)
{
    floats *v = (floats *)(void *)x;
    for (size_t i = 0; i < n / FLOATS; i += 4) {
        v[i] *= factor;
        v[i + 1] *= factor;
        v[i + 2] *= factor;
        v[i + 3] *= factor;
    }
}

static void add_table(float *x, const float *table, size_t n)
{
    floats *v = (floats *)(void *)x;
    const floats *t = (const floats *)(const void *)table;
    for (size_t i = 0; i < n / FLOATS; i += 4) {
        v[i] += t[i];
        v[i + 1] += t[i + 1];
        v[i + 2] += t[i + 2];
        v[i + 3] += t[i + 3];
    }
}

static void sleef_f32(any_function *sincosf_u35, const float *positions, size_t n, const float *theta, size_t n_theta,
                      float *out)
{
    sincosf_function *const sincosf = (sincosf_function *)sincosf_u35;
    const floats *t = (const floats *)(const void *)theta;
    floats *v = (floats *)(void *)out;
    for (size_t row = 0; row < n; row++) {
        for (size_t k = 0; k < n_theta / FLOATS; k++) {
            const struct two_floats both = sincosf(positions[row] * t[k]);
            *v++ = __builtin_shufflevector(both.sine, both.cosine, LOW);
            *v++ = __builtin_shufflevector(both.sine, both.cosine, HIGH);
        }
    }
}

static void sleef_f64(any_function *sincos_u10, const double *positions, size_t n, const double *theta, size_t n_theta,
                      float *out)
{
    sincos_function *const sincos = (sincos_function *)sincos_u10;
    const doubles *t = (const doubles *)(const void *)theta;
    floats *v = (floats *)(void *)out;
    for (size_t row = 0; row < n; row++) {
        for (size_t k = 0; k < n_theta / DOUBLES; k++) {
            const struct two_doubles both = sincos(positions[row] * t[k]);
            const half_floats sine = __builtin_convertvector(both.sine, half_floats);
            const half_floats cosine = __builtin_convertvector(both.cosine, half_floats);
            *v++ = __builtin_shufflevector(sine, cosine, NARROW);
        }
    }
}

const struct vector_loops LOOPS = {
    .isa = ISA,
    .add_constant = add_constant,
    .scale = scale,
    .add_table = add_table,
    .sincosf_u35_name = SINCOSF_U35,
    .sincos_u10_name = SINCOS_U10,
    .sleef_f32 = sleef_f32,
    .sleef_f64 = sleef_f64,
};
