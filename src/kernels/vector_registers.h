/* What is the same for registers of every size, whose types vd, vf and vp are: see vector_scalar.h. */
#pragma once

#include <stdint.h>
#include <string.h>

/*
 * kernels_float_rows.inc takes from every such header, besides: vp_apart(), the lanes where a and b, or c and d, differ in
 * the bits that are not dropped; lane_bits(), a bit for each of these; vp_where(), a in these lanes and b in the others;
 * bytes_in_use(), a bit for each of 64 bytes that is not 0; put_upper_bf16(), put_upper_f16(), which store 2 VL elements that
 * are the upper bits of floats, of normal size in float16; put_upper_turns_*(), 4 VL of them, of a and b taking turns;
 * bf16_turns(), which rounds a and b to nearest, ties to even, their elements taking turns: above half, or at half beside an
 * odd upper half, the lower half less 1, or less 0, has its top bit, and of infinity or a NaN it must be 0; and vp_lookup(),
 * table[lowest four bits of index].
 */
#define ROWS_IN_FLOAT 1

typedef __attribute__((vector_size(sizeof(vd)))) uint64_t vd_bits;
typedef __attribute__((vector_size(sizeof(vp)))) uint32_t vp_bits;

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

/* The last `dropped` bits become zeros; what is left is nearest, ties away from zero. */
ALWAYS_INLINE vd vd_half_up(vd a, int dropped)
{
    return (vd)(((vd_bits)a + ((uint64_t)1 << (dropped - 1))) & -((uint64_t)1 << dropped));
}

/* The same, but the last bits are left for others to drop. */
ALWAYS_INLINE vp vp_half_up(vp a, int dropped)
{
    return (vp)((vp_bits)a + (1u << (dropped - 1)));
}

ALWAYS_INLINE vp vp_negate_by_bit_4(vp a, vp bits)
{
    return (vp)((vp_bits)a ^ ((vp_bits)bits << 27 & 1u << 31));
}

/* What differs between a and b or between c and d. */
ALWAYS_INLINE vp_bits vp_difference(vp a, vp b, vp c, vp d)
{
    return ((vp_bits)a ^ (vp_bits)b) | ((vp_bits)c ^ (vp_bits)d);
}
