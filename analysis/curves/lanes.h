/* Vectors of doubles, as wide as the flags of the file allow; every operation is IEEE 754's, rounded once. */
#ifndef LANES_H
#define LANES_H

#include <math.h>

#if defined(__AVX512F__)
#include <immintrin.h>
enum { VL = 8 };
typedef __m512d vd;
static inline vd load(const double *x)
{
    return _mm512_loadu_pd(x);
}
static inline void store(double *x, vd a)
{
    _mm512_storeu_pd(x, a);
}
static inline vd all(double a)
{
    return _mm512_set1_pd(a);
}
static inline vd multiply(vd a, vd b)
{
    return _mm512_mul_pd(a, b);
}
static inline vd multiply_add(vd a, vd b, vd c)
{
    return _mm512_fmadd_pd(a, b, c);
}
static inline vd add(vd a, vd b)
{
    return _mm512_add_pd(a, b);
}
static inline vd subtract(vd a, vd b)
{
    return _mm512_sub_pd(a, b);
}
static inline vd reverse(vd a)
{
    return _mm512_permutexvar_pd(_mm512_set_epi64(0, 1, 2, 3, 4, 5, 6, 7), a);
}
#elif defined(__AVX2__)
#include <immintrin.h>
enum { VL = 4 };
typedef __m256d vd;
static inline vd load(const double *x)
{
    return _mm256_loadu_pd(x);
}
static inline void store(double *x, vd a)
{
    _mm256_storeu_pd(x, a);
}
static inline vd all(double a)
{
    return _mm256_set1_pd(a);
}
static inline vd multiply(vd a, vd b)
{
    return _mm256_mul_pd(a, b);
}
static inline vd multiply_add(vd a, vd b, vd c)
{
    return _mm256_fmadd_pd(a, b, c);
}
static inline vd add(vd a, vd b)
{
    return _mm256_add_pd(a, b);
}
static inline vd subtract(vd a, vd b)
{
    return _mm256_sub_pd(a, b);
}
static inline vd reverse(vd a)
{
    return _mm256_permute4x64_pd(a, 0x1b);
}
#elif defined(__aarch64__)
#include <arm_neon.h>
enum { VL = 2 };
typedef float64x2_t vd;
static inline vd load(const double *x)
{
    return vld1q_f64(x);
}
static inline void store(double *x, vd a)
{
    vst1q_f64(x, a);
}
static inline vd all(double a)
{
    return vdupq_n_f64(a);
}
static inline vd multiply(vd a, vd b)
{
    return vmulq_f64(a, b);
}
static inline vd multiply_add(vd a, vd b, vd c)
{
    return vfmaq_f64(c, a, b);
}
static inline vd add(vd a, vd b)
{
    return vaddq_f64(a, b);
}
static inline vd subtract(vd a, vd b)
{
    return vsubq_f64(a, b);
}
static inline vd reverse(vd a)
{
    return vextq_f64(a, a, 1);
}
#else
enum { VL = 1 };
typedef double vd;
static inline vd load(const double *x)
{
    return *x;
}
static inline void store(double *x, vd a)
{
    *x = a;
}
static inline vd all(double a)
{
    return a;
}
static inline vd multiply(vd a, vd b)
{
    return a * b;
}
static inline vd multiply_add(vd a, vd b, vd c)
{
    return fma(a, b, c); /* the C library's: right without the instruction, and slow */
}
static inline vd add(vd a, vd b)
{
    return a + b;
}
static inline vd subtract(vd a, vd b)
{
    return a - b;
}
static inline vd reverse(vd a)
{
    return a;
}
#endif

#endif
