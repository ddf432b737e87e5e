/* What x86 says in the same words for 256 and 512 bits: WIDE() of a vd or vp, NARROW() of a vf. */
#pragma once

#include "vector_registers.h"

ALWAYS_INLINE vd vd_set1(double x)
{
    return WIDE(set1_pd)(x);
}

ALWAYS_INLINE vd vd_fma(vd a, vd b, vd c)
{
    return WIDE(fmadd_pd)(a, b, c);
}

ALWAYS_INLINE vd vd_fms(vd a, vd b, vd c)
{
    return WIDE(fmsub_pd)(a, b, c);
}

ALWAYS_INLINE vd vd_negmuladd(vd a, vd b, vd c)
{
    return WIDE(fnmadd_pd)(a, b, c);
}

ALWAYS_INLINE vd vd_min(vd a, vd b)
{
    return WIDE(min_pd)(a, b);
}

ALWAYS_INLINE vd vd_max(vd a, vd b)
{
    return WIDE(max_pd)(a, b);
}

ALWAYS_INLINE vf vd_to_floats(vd a)
{
    return WIDE(cvtpd_ps)(a);
}

ALWAYS_INLINE vd vd_from_floats(vf a)
{
    return WIDE(cvtps_pd)(a);
}

ALWAYS_INLINE vf vf_set1(float x)
{
    return NARROW(set1_ps)(x);
}

ALWAYS_INLINE vf vf_max(vf a, vf b)
{
    return NARROW(max_ps)(a, b);
}

ALWAYS_INLINE vp vp_set1(float x)
{
    return WIDE(set1_ps)(x);
}

ALWAYS_INLINE vp vp_muladd(vp a, vp b, vp c)
{
    return WIDE(fmadd_ps)(a, b, c);
}

ALWAYS_INLINE vp vp_negmuladd(vp a, vp b, vp c)
{
    return WIDE(fnmadd_ps)(a, b, c);
}

ALWAYS_INLINE void put_f32(float *p, vf a, bool stream)
{
    if (stream)
        NARROW(stream_ps)(p, a);
    else
        NARROW(storeu_ps)(p, a);
}

ALWAYS_INLINE void put_pairs_f32(float *p, vp v, bool stream)
{
    if (stream)
        WIDE(stream_ps)(p, v);
    else
        WIDE(storeu_ps)(p, v);
}

ALWAYS_INLINE void put_f64(double *p, vd a, bool stream)
{
    if (stream)
        WIDE(stream_pd)(p, a);
    else
        WIDE(storeu_pd)(p, a);
}

ALWAYS_INLINE void put_128(void *p, __m128i v, bool stream)
{
    if (stream)
        _mm_stream_si128((__m128i *)p, v);
    else
        _mm_storeu_si128((__m128i *)p, v);
}
