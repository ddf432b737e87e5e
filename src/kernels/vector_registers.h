/* What is the same for registers of every size, whose types vd, vf and vp are: see vector_scalar.h. */
#pragma once

#include <stdint.h>
#include <string.h>

typedef __attribute__((vector_size(sizeof(vd)))) uint64_t vd_bits;

ALWAYS_INLINE vd vd_load(const double *p)
{
    vd r;
    memcpy(&r, p, sizeof r);
    return r;
}

ALWAYS_INLINE void vd_store(double *p, vd a)
{
    memcpy(p, &a, sizeof a);
}

ALWAYS_INLINE vd vd_fma(vd a, vd b, vd c);

ALWAYS_INLINE vd vd_muladd(vd a, vd b, vd c)
{
    return vd_fma(a, b, c);
}

ALWAYS_INLINE vf vf_load(const float *p)
{
    vf r;
    memcpy(&r, p, sizeof r);
    return r;
}

ALWAYS_INLINE vp vp_load(const float *p)
{
    vp r;
    memcpy(&r, p, sizeof r);
    return r;
}

ALWAYS_INLINE void vp_store(float *p, vp a)
{
    memcpy(p, &a, sizeof a);
}

ALWAYS_INLINE vp vp_add(vp a, vp b)
{
    return a + b;
}

ALWAYS_INLINE vp vp_sub(vp a, vp b)
{
    return a - b;
}

ALWAYS_INLINE vp vp_mul(vp a, vp b)
{
    return a * b;
}

ALWAYS_INLINE vd vd_abs(vd a)
{
    return (vd)((vd_bits)a & (UINT64_MAX >> 1));
}

ALWAYS_INLINE vd vd_add_bits(vd a, vd b)
{
    return (vd)((vd_bits)a + (vd_bits)b);
}

ALWAYS_INLINE vd vd_negate_by_bit_4(vd a, vd bits)
{
    return (vd)((vd_bits)a ^ ((vd_bits)bits << 59 & (uint64_t)1 << 63));
}
