/* Two doubles in a 128-bit register (AArch64). What each function does is said in vector_scalar.h. */
#pragma once

#if !defined(__aarch64__)
#error "this file is for AArch64"
#endif

#include <arm_neon.h>

#include "../compiler.h"
#include "ties.h"

enum { VL = 2, GROUP = 4, GROUP_DD = 2 };
typedef float64x2_t vd;
typedef float32x2_t vf;
typedef float32x4_t vp;

#include "vector_registers.h"

ALWAYS_INLINE vd vd_set1(double x)
{
    return vdupq_n_f64(x);
}

ALWAYS_INLINE vd vd_fma(vd a, vd b, vd c)
{
    return vfmaq_f64(c, a, b);
}

ALWAYS_INLINE vd vd_fms(vd a, vd b, vd c)
{
    return vfmaq_f64(vnegq_f64(c), a, b);
}

ALWAYS_INLINE vd vd_negmuladd(vd a, vd b, vd c)
{
    return vfmsq_f64(c, a, b);
}

ALWAYS_INLINE vd vd_min(vd a, vd b)
{
    return vminq_f64(a, b);
}

ALWAYS_INLINE vd vd_max(vd a, vd b)
{
    return vmaxq_f64(a, b);
}

ALWAYS_INLINE vf vd_to_floats(vd a)
{
    return vcvt_f32_f64(a);
}

ALWAYS_INLINE vd vd_from_floats(vf a)
{
    return vcvt_f64_f32(a);
}

ALWAYS_INLINE vd vd_lookup(const double table[16], vd index)
{
    const uint64x2_t k = vreinterpretq_u64_f64(index);
    const vd r = {table[vgetq_lane_u64(k, 0) & 15], table[vgetq_lane_u64(k, 1) & 15]};
    return r;
}

ALWAYS_INLINE void vd_turn(vd quarters, vd *s, vd *c)
{
    const uint64x2_t k = vreinterpretq_u64_f64(quarters), one = vdupq_n_u64(1);
    const uint64x2_t top = vdupq_n_u64((uint64_t)1 << 63), odd = vtstq_u64(k, one);
    const vd sine = vbslq_f64(odd, *c, *s), cosine = vbslq_f64(odd, *s, *c);
    const uint64x2_t minus_s = vandq_u64(vshlq_n_u64(k, 62), top);
    const uint64x2_t minus_c = vandq_u64(vshlq_n_u64(vaddq_u64(k, one), 62), top);
    *s = vreinterpretq_f64_u64(veorq_u64(vreinterpretq_u64_f64(sine), minus_s));
    *c = vreinterpretq_f64_u64(veorq_u64(vreinterpretq_u64_f64(cosine), minus_c));
}

ALWAYS_INLINE unsigned vd_differ(vd a, vd b)
{
    const uint64x2_t x = veorq_u64(vreinterpretq_u64_f64(a), vreinterpretq_u64_f64(b));
    return (unsigned)(vgetq_lane_u64(x, 0) != 0) | (unsigned)(vgetq_lane_u64(x, 1) != 0) << 1;
}

ALWAYS_INLINE unsigned vf_differ(vf a, vf b)
{
    const uint32x2_t x = veor_u32(vreinterpret_u32_f32(a), vreinterpret_u32_f32(b));
    return (unsigned)(vget_lane_u32(x, 0) != 0) | (unsigned)(vget_lane_u32(x, 1) != 0) << 1;
}

ALWAYS_INLINE bool vd_any_differ(vd a, vd b, vd c, vd d)
{
    return (vd_differ(a, b) | vd_differ(c, d)) != 0;
}

ALWAYS_INLINE unsigned vd_outside(vd a, double low, double high)
{
    const uint64x2_t within = vandq_u64(vcgeq_f64(a, vd_set1(low)), vcleq_f64(a, vd_set1(high)));
    return (unsigned)(vgetq_lane_u64(within, 0) == 0) | (unsigned)(vgetq_lane_u64(within, 1) == 0) << 1;
}

ALWAYS_INLINE unsigned vf_unsure(vf a, vf b)
{
    const uint32x2_t number = vceq_f32(a, a);
    return vf_differ(a, b) | (unsigned)(vget_lane_u32(number, 0) == 0) | (unsigned)(vget_lane_u32(number, 1) == 0) << 1;
}

ALWAYS_INLINE vf vf_set1(float x)
{
    return vdup_n_f32(x);
}

ALWAYS_INLINE vf vf_max(vf a, vf b)
{
    return vmax_f32(a, b);
}

ALWAYS_INLINE vf vf_larger_size(vf a, vf b)
{
    return vmax_f32(vabs_f32(a), vabs_f32(b));
}

ALWAYS_INLINE vf vf_smaller_size(vf a, vf b)
{
    return vmin_f32(vabs_f32(a), vabs_f32(b));
}

ALWAYS_INLINE bool vf_all_above(vf a, vf b)
{
    return vminv_u32(vcgt_f32(a, b)) != 0;
}

ALWAYS_INLINE vp vp_pairs(vf a, vf b, bool second_first)
{
    const vf first = second_first ? b : a, second = second_first ? a : b;
    return vcombine_f32(vzip1_f32(first, second), vzip2_f32(first, second));
}

ALWAYS_INLINE vp vp_joined(vf a, vf b)
{
    return vcombine_f32(a, b);
}

ALWAYS_INLINE vf vp_first(vp a)
{
    return vget_low_f32(a);
}

ALWAYS_INLINE vf vp_second(vp a)
{
    return vget_high_f32(a);
}

ALWAYS_INLINE vf vp_evens(vp a)
{
    return vuzp1_f32(vget_low_f32(a), vget_high_f32(a));
}

ALWAYS_INLINE vf vp_odds(vp a)
{
    return vuzp2_f32(vget_low_f32(a), vget_high_f32(a));
}

ALWAYS_INLINE vp vp_set1(float x)
{
    return vdupq_n_f32(x);
}

ALWAYS_INLINE vp vp_muladd(vp a, vp b, vp c)
{
    return vfmaq_f32(c, a, b);
}

ALWAYS_INLINE vp vp_negmuladd(vp a, vp b, vp c)
{
    return vfmsq_f32(c, a, b);
}

ALWAYS_INLINE vp vp_evens_of(vp a, vp b)
{
    return vuzp1q_f32(a, b);
}

ALWAYS_INLINE vp vp_odds_of(vp a, vp b)
{
    return vuzp2q_f32(a, b);
}

ALWAYS_INLINE vp vp_turns_low(vp a, vp b)
{
    return vzip1q_f32(a, b);
}

ALWAYS_INLINE vp vp_turns_high(vp a, vp b)
{
    return vzip2q_f32(a, b);
}

ALWAYS_INLINE vp vp_tie_beside(vp a, int dropped)
{
    const uint32_t half = 1u << (dropped - 1);
    const uint32x4_t kept = vandq_u32(vreinterpretq_u32_f32(a), vdupq_n_u32(~(2 * half - 1)));
    return vreinterpretq_f32_u32(vorrq_u32(kept, vdupq_n_u32(half)));
}

ALWAYS_INLINE vp vp_max_size(vp a, vp b)
{
    return vmaxq_f32(vabsq_f32(a), vabsq_f32(b));
}

ALWAYS_INLINE vp vp_min_size(vp a, vp b)
{
    return vminq_f32(vabsq_f32(a), vabsq_f32(b));
}

typedef uint32x4_t sure; /* the lanes in doubt */
ALWAYS_INLINE sure sure_of_all(void)
{
    return vdupq_n_u32(0);
}

ALWAYS_INLINE bool all_sure(sure a)
{
    return vmaxvq_u32(a) == 0;
}

ALWAYS_INLINE sure far_from_tie(sure before, vd a, vd b, int window_log2)
{
    const uint32x4_t low = vuzp1q_u32(vreinterpretq_u32_f64(a), vreinterpretq_u32_f64(b));
    const uint32x4_t shifted = vaddq_u32(low, vdupq_n_u32((uint32_t)TIE_SHIFT(window_log2)));
    return vorrq_u32(before, vceqzq_u32(vandq_u32(shifted, vdupq_n_u32(TIE_MASK(window_log2)))));
}

ALWAYS_INLINE sure no_half_bits(sure before, vp a, int dropped)
{
    const uint32x4_t rest = vandq_u32(vreinterpretq_u32_f32(a), vdupq_n_u32((1u << dropped) - 1));
    return vorrq_u32(before, vceqq_u32(rest, vdupq_n_u32(1u << (dropped - 1))));
}

ALWAYS_INLINE sure not_below(sure before, vp size, vp limit)
{
    return vornq_u32(before, vcgeq_f32(size, limit));
}

ALWAYS_INLINE sure above(sure before, vp size, vp limit)
{
    return vornq_u32(before, vcgtq_f32(size, limit));
}

/* AArch64 has no streaming store that intrinsics reach: `stream` asks for nothing here. */
ALWAYS_INLINE void put_f32(float *p, vf a, bool stream)
{
    (void)stream;
    vst1_f32(p, a);
}

ALWAYS_INLINE void put_pairs_f32(float *p, vp v, bool stream)
{
    (void)stream;
    vst1q_f32(p, v);
}

ALWAYS_INLINE void put_f64(double *p, vd a, bool stream)
{
    (void)stream;
    vst1q_f64(p, a);
}

ALWAYS_INLINE void put_pairs_f64(double *p, vd a, vd b, bool stream)
{
    put_f64(p, vzip1q_f64(a, b), stream);
    put_f64(p + VL, vzip2q_f64(a, b), stream);
}

ALWAYS_INLINE void get_pairs_f64(const double *p, vd *evens, vd *odds)
{
    const float64x2x2_t both = vld2q_f64(p);
    *evens = both.val[0];
    *odds = both.val[1];
}

ALWAYS_INLINE void put_two(uint16_t *p, uint32x2_t lower_halves)
{
    p[0] = (uint16_t)vget_lane_u32(lower_halves, 0);
    p[1] = (uint16_t)vget_lane_u32(lower_halves, 1);
}

ALWAYS_INLINE uint32x2_t bf16_in_upper_half(vf a)
{
    return vadd_u32(vreinterpret_u32_f32(a), vdup_n_u32(0x8000));
}

ALWAYS_INLINE void put_bf16(uint16_t *p, vf a, bool stream)
{
    (void)stream;
    put_two(p, vshr_n_u32(bf16_in_upper_half(a), 16));
}

ALWAYS_INLINE uint32x2_t f16_in_lower_half(vf a)
{
    const uint16x4_t h = vreinterpret_u16_f16(vcvt_f16_f32(vcombine_f32(a, a)));
    return vget_low_u32(vmovl_u16(h));
}

ALWAYS_INLINE void put_f16(uint16_t *p, vf a, bool stream)
{
    (void)stream;
    put_two(p, f16_in_lower_half(a));
}

ALWAYS_INLINE void put_pairs_bf16(uint16_t *p, vp a, bool stream)
{
    (void)stream;
    vst1_u16(p, vshrn_n_u32(vaddq_u32(vreinterpretq_u32_f32(a), vdupq_n_u32(0x8000)), 16));
}

ALWAYS_INLINE void put_pairs_f16(uint16_t *p, vp a, bool stream)
{
    (void)stream;
    vst1_u16(p, vreinterpret_u16_f16(vcvt_f16_f32(a)));
}

ALWAYS_INLINE vf get_f16(const uint16_t *p)
{
    const uint16_t bits[4] = {p[0], p[1], 0, 0};
    return vget_low_f32(vcvt_f32_f16(vreinterpret_f16_u16(vld1_u16(bits))));
}

ALWAYS_INLINE vp get_pairs_f16(const uint16_t *p)
{
    return vcvt_f32_f16(vreinterpret_f16_u16(vld1_u16(p)));
}

ALWAYS_INLINE vp get_pairs_bf16(const uint16_t *p)
{
    return vreinterpretq_f32_u32(vshll_n_u16(vld1_u16(p), 16));
}

ALWAYS_INLINE vf get_bf16(const uint16_t *p)
{
    const uint32x2_t bits = {(uint32_t)p[0] << 16, (uint32_t)p[1] << 16};
    return vreinterpret_f32_u32(bits);
}

typedef uint32x4_t vp_lanes;

ALWAYS_INLINE vp_lanes vp_apart(vp a, vp b, vp c, vp d, int dropped)
{
    return vtstq_u32((uint32x4_t)vp_difference(a, b, c, d), vdupq_n_u32(-(1u << dropped)));
}

ALWAYS_INLINE unsigned lane_bits(vp_lanes of)
{
    const uint32x4_t bits = {1, 2, 4, 8};
    return vaddvq_u32(vandq_u32(of, bits));
}

ALWAYS_INLINE vp vp_where(vp_lanes in, vp a, vp b)
{
    return vbslq_f32(in, a, b);
}

ALWAYS_INLINE uint64_t bytes_in_use(const uint8_t *bytes)
{
    const uint8x16_t bits = vreinterpretq_u8_u64(vdupq_n_u64(0x8040201008040201));
    uint64_t used = 0;
    for (int i = 0; i < 64; i += 16) {
        const uint8x16_t some = vld1q_u8(bytes + i), of_each = vandq_u8(vtstq_u8(some, some), bits);
        used |= (uint64_t)vaddv_u8(vget_low_u8(of_each)) << i | (uint64_t)vaddv_u8(vget_high_u8(of_each)) << (i + 8);
    }
    return used;
}

/* The bits that a float16 drops become zero: the conversion is exact. */
ALWAYS_INLINE uint16x4_t f16_below(vp a)
{
    const uint32x4_t kept = vandq_u32(vreinterpretq_u32_f32(a), vdupq_n_u32(~0x1fffu));
    return vreinterpret_u16_f16(vcvt_f16_f32(vreinterpretq_f32_u32(kept)));
}

ALWAYS_INLINE void put_upper_bf16(uint16_t *p, vp a)
{
    vst1_u16(p, vshrn_n_u32(vreinterpretq_u32_f32(a), 16));
}

ALWAYS_INLINE void put_upper_f16(uint16_t *p, vp a)
{
    vst1_u16(p, f16_below(a));
}

ALWAYS_INLINE void put_upper_turns_bf16(uint16_t *p, vp a, vp b)
{
    const uint16x8_t first = vreinterpretq_u16_f32(a), second = vreinterpretq_u16_f32(b);
    vst1q_u16(p, vtrn2q_u16(first, second));
}

ALWAYS_INLINE vp_bits bf16_turns(vp a, vp b)
{
    const uint16x8_t first = vreinterpretq_u16_f32(a), second = vreinterpretq_u16_f32(b);
    const uint16x8_t upper = vtrn2q_u16(first, second), lower = vtrn1q_u16(first, second);
    const uint16x8_t below_half = vqsubq_u16(lower, vbicq_u16(vdupq_n_u16(1), upper));
    return (vp_bits)vaddq_u16(upper, vshrq_n_u16(below_half, 15));
}

ALWAYS_INLINE void put_upper_turns_f16(uint16_t *p, vp a, vp b)
{
    const uint16x4_t first = f16_below(a), second = f16_below(b);
    vst1q_u16(p, vcombine_u16(vzip1_u16(first, second), vzip2_u16(first, second)));
}

ALWAYS_INLINE vp vp_lookup(const float table[16], vp index)
{
    const uint32x4_t k = vandq_u32(vreinterpretq_u32_f32(index), vdupq_n_u32(15));
    const vp r = {table[vgetq_lane_u32(k, 0)], table[vgetq_lane_u32(k, 1)], table[vgetq_lane_u32(k, 2)],
                  table[vgetq_lane_u32(k, 3)]};
    return r;
}
