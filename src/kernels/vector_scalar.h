/*
 * The vector of one lane: plain C, and the description of what every vector_*.h gives.
 *
 * vd holds VL doubles, vf the VL floats they convert to; + - * are those of the language. Where the processor has no
 * fused multiply-add the product is split by Dekker's algorithm: vd_fma is then exact to 2^-52 of the result plus 2^-104
 * of the product, and exact where the exact result is a double. The proofs in docs/numerics.md use no more than that.
 */
#pragma once

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "../compiler.h"
#include "ties.h"

enum { VL = 1, GROUP = 1, GROUP_DD = 1 };
#define ROWS_IN_FLOAT 0 /* slower here than those in double */
typedef double vd;
typedef float vf;

ALWAYS_INLINE vd vd_set1(double x)
{
    return x;
}

ALWAYS_INLINE vd vd_load(const double *p)
{
    return *p;
}

ALWAYS_INLINE void vd_store(double *p, vd a)
{
    *p = a;
}

#if defined(__FMA__) || defined(__aarch64__) || defined(FP_FAST_FMA)
ALWAYS_INLINE vd vd_fma(vd a, vd b, vd c)
{
    return fma(a, b, c);
}
#else
ALWAYS_INLINE void split(double a, double *high, double *low)
{
    const double t = 0x1.0000002p27 * a;
    *high = t - (t - a);
    *low = a - *high;
}

/* a * b + c */
ALWAYS_INLINE vd vd_fma(vd a, vd b, vd c)
{
    double ah, al, bh, bl;
    split(a, &ah, &al);
    split(b, &bh, &bl);
    const double p = a * b, lost_p = ((ah * bh - p) + ah * bl + al * bh) + al * bl;
    const double s = p + c, c_part = s - p, lost_s = (p - (s - c_part)) + (c - c_part);
    return s + (lost_s + lost_p);
}
#endif

/* a * b - c, likewise. */
ALWAYS_INLINE vd vd_fms(vd a, vd b, vd c)
{
    return vd_fma(a, b, -c);
}

/* c + a * b and c - a * b where one rounding more does not matter: fused where that is faster. */
#if defined(__FMA__) || defined(__aarch64__) || defined(FP_FAST_FMA)
ALWAYS_INLINE vd vd_muladd(vd a, vd b, vd c)
{
    return fma(a, b, c);
}

ALWAYS_INLINE vd vd_negmuladd(vd a, vd b, vd c)
{
    return fma(-a, b, c);
}
#else
ALWAYS_INLINE vd vd_muladd(vd a, vd b, vd c)
{
    return c + a * b;
}

ALWAYS_INLINE vd vd_negmuladd(vd a, vd b, vd c)
{
    return c - a * b;
}
#endif
ALWAYS_INLINE vd vd_abs(vd a)
{
    return fabs(a);
}

ALWAYS_INLINE vd vd_min(vd a, vd b)
{
    return a < b ? a : b;
}

ALWAYS_INLINE vd vd_max(vd a, vd b)
{
    return a > b ? a : b;
}

ALWAYS_INLINE vf vd_to_floats(vd a)
{
    return (float)a;
}

ALWAYS_INLINE vd vd_from_floats(vf a)
{
    return (double)a;
}

ALWAYS_INLINE uint64_t bits_of(vd a)
{
    uint64_t bits;
    memcpy(&bits, &a, sizeof bits);
    return bits;
}

ALWAYS_INLINE uint32_t bits_of_float(vf a)
{
    uint32_t bits;
    memcpy(&bits, &a, sizeof bits);
    return bits;
}

/* The sum of the two as 64-bit integers. */
ALWAYS_INLINE vd vd_add_bits(vd a, vd b)
{
    const uint64_t sum = bits_of(a) + bits_of(b);
    vd r;
    memcpy(&r, &sum, sizeof r);
    return r;
}

/* table[lowest four bits of index]; a, or -a where bit 4 of bits is set. */
ALWAYS_INLINE vd vd_lookup(const double table[16], vd index)
{
    return table[bits_of(index) & 15];
}

ALWAYS_INLINE vd vd_negate_by_bit_4(vd a, vd bits)
{
    return bits_of(bits) & 16 ? -a : a;
}

/* s, c = sine and cosine of an angle; now of that angle plus k quarter turns, k the two lowest bits of quarters. */
ALWAYS_INLINE void vd_turn(vd quarters, vd *s, vd *c)
{
    const uint64_t k = bits_of(quarters);
    const vd sine = k & 1 ? *c : *s, cosine = k & 1 ? *s : *c;
    *s = k & 2 ? -sine : sine;
    *c = (k + 1) & 2 ? -cosine : cosine;
}

/* Two vectors of floats in one: a and b (or b and a) taking turns, or one behind the other. */
typedef struct vp {
    float first, second;
} vp;

ALWAYS_INLINE vp vp_pairs(vf a, vf b, bool second_first)
{
    return second_first ? (vp){b, a} : (vp){a, b};
}

ALWAYS_INLINE vp vp_joined(vf a, vf b)
{
    return (vp){a, b};
}

ALWAYS_INLINE vf vp_first(vp a)
{
    return a.first;
}

ALWAYS_INLINE vf vp_second(vp a)
{
    return a.second;
}

/* What takes turns in a. */
ALWAYS_INLINE vf vp_evens(vp a)
{
    return a.first;
}

ALWAYS_INLINE vf vp_odds(vp a)
{
    return a.second;
}

ALWAYS_INLINE vp vp_load(const float *p)
{
    return (vp){p[0], p[1]};
}

ALWAYS_INLINE void vp_store(float *p, vp a)
{
    p[0] = a.first;
    p[1] = a.second;
}

ALWAYS_INLINE vp vp_add(vp a, vp b)
{
    return (vp){a.first + b.first, a.second + b.second};
}

ALWAYS_INLINE vp vp_set1(float x)
{
    return (vp){x, x};
}

ALWAYS_INLINE vp vp_sub(vp a, vp b)
{
    return (vp){a.first - b.first, a.second - b.second};
}

ALWAYS_INLINE vp vp_mul(vp a, vp b)
{
    return (vp){a.first * b.first, a.second * b.second};
}

/* c + a * b and c - a * b, fused or not. */
ALWAYS_INLINE vp vp_muladd(vp a, vp b, vp c)
{
    return vp_add(c, vp_mul(a, b));
}

ALWAYS_INLINE vp vp_negmuladd(vp a, vp b, vp c)
{
    return vp_sub(c, vp_mul(a, b));
}

/* Of two vectors one behind the other: what takes turns there; and two vectors taking turns, the lower half of that. */
ALWAYS_INLINE vp vp_evens_of(vp a, vp b)
{
    return (vp){a.first, b.first};
}

ALWAYS_INLINE vp vp_odds_of(vp a, vp b)
{
    return (vp){a.second, b.second};
}

ALWAYS_INLINE vp vp_turns_low(vp a, vp b)
{
    return (vp){a.first, b.first};
}

ALWAYS_INLINE vp vp_turns_high(vp a, vp b)
{
    return (vp){a.second, b.second};
}

/* The last `dropped` bits become 1 followed by zeros: the tie next to a in a type that has so many bits less. */
ALWAYS_INLINE vp vp_tie_beside(vp a, int dropped)
{
    const uint32_t half = 1u << (dropped - 1), kept = ~(2 * half - 1);
    const uint32_t bits[2] = {(bits_of_float(a.first) & kept) | half, (bits_of_float(a.second) & kept) | half};
    memcpy(&a.first, &bits[0], sizeof bits[0]);
    memcpy(&a.second, &bits[1], sizeof bits[1]);
    return a;
}

/* The larger of |a| and |b|; where one of the two is NaN, either of them. Likewise for the smaller. */
ALWAYS_INLINE vp vp_max_size(vp a, vp b)
{
    const float x = fabsf(a.first), y = fabsf(b.first), z = fabsf(a.second), w = fabsf(b.second);
    return (vp){x > y ? x : y, z > w ? z : w};
}

/* The smaller of |a| and |b|. */
ALWAYS_INLINE vp vp_min_size(vp a, vp b)
{
    const float x = fabsf(a.first), y = fabsf(b.first), z = fabsf(a.second), w = fabsf(b.second);
    return (vp){x < y ? x : y, z < w ? z : w};
}

/* Of which lanes the rounding is sure, or in doubt, in whatever form the instruction set likes; tests take from it. */
typedef unsigned sure; /* the lanes in doubt; no branches */
ALWAYS_INLINE sure sure_of_all(void)
{
    return 0;
}

ALWAYS_INLINE bool all_sure(sure a)
{
    return a == 0;
}

/* Less those of a and b that, rounded to float, are so near a tie that the dropped bits lie in the window: see ties.h. */
ALWAYS_INLINE sure far_from_tie(sure before, vd a, vd b, int window_log2)
{
    const uint32_t x = (uint32_t)bits_of(a) + TIE_SHIFT(window_log2), y = (uint32_t)bits_of(b) + TIE_SHIFT(window_log2);
    return before | (unsigned)!(x & TIE_MASK(window_log2)) | (unsigned)!(y & TIE_MASK(window_log2));
}

/* Less those whose last `dropped` bits are 1 followed by zeros. */
ALWAYS_INLINE sure no_half_bits(sure before, vp a, int dropped)
{
    const uint32_t mask = (1u << dropped) - 1, half = 1u << (dropped - 1);
    return before | (unsigned)((bits_of_float(a.first) & mask) == half) |
           (unsigned)((bits_of_float(a.second) & mask) == half);
}

/* Less those not >= their limit. */
ALWAYS_INLINE sure not_below(sure before, vp size, vp limit)
{
    return before | (unsigned)!(size.first >= limit.first) | (unsigned)!(size.second >= limit.second);
}

/* Less those not > their limit. */
ALWAYS_INLINE sure above(sure before, vp size, vp limit)
{
    return before | (unsigned)!(size.first > limit.first) | (unsigned)!(size.second > limit.second);
}

/* Mask of the lanes whose bits differ. */
ALWAYS_INLINE unsigned vd_differ(vd a, vd b)
{
    return bits_of(a) != bits_of(b);
}

ALWAYS_INLINE unsigned vf_differ(vf a, vf b)
{
    return bits_of_float(a) != bits_of_float(b);
}

/* Does any lane of the first two or of the second two differ in its bits? */
ALWAYS_INLINE bool vd_any_differ(vd a, vd b, vd c, vd d)
{
    return ((bits_of(a) ^ bits_of(b)) | (bits_of(c) ^ bits_of(d))) != 0;
}

/* Mask of the lanes that are not within low .. high; NaN is not. */
ALWAYS_INLINE unsigned vd_outside(vd a, double low, double high)
{
    return !(a >= low && a <= high);
}

/* Mask of the lanes whose bits differ, or that are NaN in both. */
ALWAYS_INLINE unsigned vf_unsure(vf a, vf b)
{
    return bits_of_float(a) != bits_of_float(b) || a != a;
}

ALWAYS_INLINE vf vf_load(const float *p)
{
    return *p;
}

ALWAYS_INLINE vf vf_set1(float x)
{
    return x;
}

ALWAYS_INLINE vf vf_max(vf a, vf b)
{
    return a > b ? a : b;
}

/* The larger and the smaller of |a| and |b|; where one of the two is NaN, any of them. */
ALWAYS_INLINE vf vf_larger_size(vf a, vf b)
{
    return fabsf(a) > fabsf(b) ? fabsf(a) : fabsf(b);
}

ALWAYS_INLINE vf vf_smaller_size(vf a, vf b)
{
    return fabsf(a) < fabsf(b) ? fabsf(a) : fabsf(b);
}

/* Is every lane a > b? */
ALWAYS_INLINE bool vf_all_above(vf a, vf b)
{
    return a > b;
}

/* put_*: store VL elements; put_pairs_*: 2 VL elements. stream: past the cache, p aligned. */
ALWAYS_INLINE void put_f32(float *p, vf a, bool stream)
{
    (void)stream;
    *p = a;
}

ALWAYS_INLINE void put_f64(double *p, vd a, bool stream)
{
    (void)stream;
    *p = a;
}

ALWAYS_INLINE void put_pairs_f64(double *p, vd a, vd b, bool stream)
{
    put_f64(p, a, stream);
    put_f64(p + 1, b, stream);
}

/* Two vectors of doubles that take turns in memory. */
ALWAYS_INLINE void get_pairs_f64(const double *p, vd *evens, vd *odds)
{
    *evens = p[0];
    *odds = p[1];
}

/* Nearest bfloat16 of a float that is not a tie; exact where a is one. */
ALWAYS_INLINE void put_bf16(uint16_t *p, vf a, bool stream)
{
    (void)stream;
    *p = (uint16_t)((bits_of_float(a) + 0x8000) >> 16);
}

/* Nearest float16, ties to even. */
ALWAYS_INLINE void put_f16(uint16_t *p, vf a, bool stream)
{
    (void)stream;
    const uint32_t bits = bits_of_float(a), size = bits & 0x7fffffff;
    uint32_t half;
    if (size > 0x7f800000)
        half = 0x7e00 | (size >> 13 & 0x3ff);
    else if (size >= 0x47800000)
        half = 0x7c00;          /* 2^16 and more */
    else if (size < 0x38800000) /* below 2^-14: adding 1/2 leaves the sum's last bits in units of 2^-24 */
        half = bits_of_float(fabsf(a) + 0.5f) - 0x3f000000;
    else
        half = (size + 0xfff + (size >> 13 & 1) - 0x38000000) >> 13;
    *p = (uint16_t)((bits >> 16 & 0x8000) | half);
}

ALWAYS_INLINE void put_pairs_f32(float *p, vp a, bool stream)
{
    put_f32(p, a.first, stream);
    put_f32(p + 1, a.second, stream);
}

ALWAYS_INLINE void put_pairs_bf16(uint16_t *p, vp a, bool stream)
{
    put_bf16(p, a.first, stream);
    put_bf16(p + 1, a.second, stream);
}

ALWAYS_INLINE void put_pairs_f16(uint16_t *p, vp a, bool stream)
{
    put_f16(p, a.first, stream);
    put_f16(p + 1, a.second, stream);
}

/* VL elements as floats, exact. */
ALWAYS_INLINE vf get_f16(const uint16_t *p)
{
    const uint32_t sign = (uint32_t)(*p & 0x8000) << 16, size = *p & 0x7fff;
    uint32_t bits;
    vf r;
    if (size >= 0x7c00) {
        bits = sign | 0x7f800000 | (size & 0x3ff) << 13 | (size > 0x7c00 ? 0x400000 : 0);
    } else if (size >= 0x400) {
        bits = sign | ((size << 13) + 0x38000000);
    } else {
        r = (float)size * 0x1p-24f;
        return sign ? -r : r;
    }
    memcpy(&r, &bits, sizeof r);
    return r;
}

ALWAYS_INLINE vf get_bf16(const uint16_t *p)
{
    const uint32_t bits = (uint32_t)*p << 16;
    vf r;
    memcpy(&r, &bits, sizeof r);
    return r;
}

/* 2 VL elements as floats. */
ALWAYS_INLINE vp get_pairs_f16(const uint16_t *p)
{
    return (vp){get_f16(p), get_f16(p + 1)};
}

ALWAYS_INLINE vp get_pairs_bf16(const uint16_t *p)
{
    return (vp){get_bf16(p), get_bf16(p + 1)};
}
