/* Four doubles in a 256-bit register. What each function does is said in vector_scalar.h. */
#pragma once

#if !defined(__AVX2__) || !defined(__FMA__) || !defined(__F16C__)
#error "build this file with -mavx2 -mfma -mf16c"
#endif

#include <immintrin.h>

#include "../compiler.h"
#include "ties.h"

enum { VL = 4, GROUP = 2, GROUP_DD = 2 };
typedef __m256d vd;
typedef __m128 vf;
typedef __m256 vp;

#define WIDE(operation) _mm256_##operation
#define NARROW(operation) _mm_##operation
#include "vector_x86.h"

ALWAYS_INLINE vd vd_lookup(const double table[16], vd index)
{
    const __m256i k = _mm256_and_si256(_mm256_castpd_si256(index), _mm256_set1_epi64x(15));
    return _mm256_i64gather_pd(table, k, 8);
}

ALWAYS_INLINE void vd_turn(vd quarters, vd *s, vd *c)
{
    const __m256i k = _mm256_castpd_si256(quarters);
    const vd top = _mm256_set1_pd(-0.0);
    const vd odd = _mm256_castsi256_pd(_mm256_slli_epi64(k, 63));
    const vd sine = _mm256_blendv_pd(*s, *c, odd), cosine = _mm256_blendv_pd(*c, *s, odd);
    const __m256i next = _mm256_add_epi64(k, _mm256_set1_epi64x(1));
    *s = _mm256_xor_pd(sine, _mm256_and_pd(_mm256_castsi256_pd(_mm256_slli_epi64(k, 62)), top));
    *c = _mm256_xor_pd(cosine, _mm256_and_pd(_mm256_castsi256_pd(_mm256_slli_epi64(next, 62)), top));
}

ALWAYS_INLINE unsigned vd_differ(vd a, vd b)
{
    const __m256i same = _mm256_cmpeq_epi64(_mm256_castpd_si256(a), _mm256_castpd_si256(b));
    return (unsigned)_mm256_movemask_pd(_mm256_castsi256_pd(same)) ^ 15;
}

ALWAYS_INLINE unsigned vf_differ(vf a, vf b)
{
    const __m128i same = _mm_cmpeq_epi32(_mm_castps_si128(a), _mm_castps_si128(b));
    return (unsigned)_mm_movemask_ps(_mm_castsi128_ps(same)) ^ 15;
}

ALWAYS_INLINE bool vd_any_differ(vd a, vd b, vd c, vd d)
{
    const __m256i both = _mm256_castpd_si256(_mm256_or_pd(_mm256_xor_pd(a, b), _mm256_xor_pd(c, d)));
    return !_mm256_testz_si256(both, both);
}

ALWAYS_INLINE unsigned vd_outside(vd a, double low, double high)
{
    const vd below = _mm256_cmp_pd(a, vd_set1(low), _CMP_NGE_UQ), above = _mm256_cmp_pd(a, vd_set1(high), _CMP_NLE_UQ);
    return (unsigned)_mm256_movemask_pd(_mm256_or_pd(below, above));
}

ALWAYS_INLINE unsigned vf_unsure(vf a, vf b)
{
    return vf_differ(a, b) | (unsigned)_mm_movemask_ps(_mm_cmpunord_ps(a, a));
}

ALWAYS_INLINE vf vf_larger_size(vf a, vf b)
{
    const vf minus = _mm_set1_ps(-0.0f);
    return _mm_max_ps(_mm_andnot_ps(minus, a), _mm_andnot_ps(minus, b));
}

ALWAYS_INLINE vf vf_smaller_size(vf a, vf b)
{
    const vf minus = _mm_set1_ps(-0.0f);
    return _mm_min_ps(_mm_andnot_ps(minus, a), _mm_andnot_ps(minus, b));
}

ALWAYS_INLINE bool vf_all_above(vf a, vf b)
{
    return _mm_movemask_ps(_mm_cmpgt_ps(a, b)) == 15;
}

ALWAYS_INLINE vp vp_pairs(vf a, vf b, bool second_first)
{
    const vf first = second_first ? b : a, second = second_first ? a : b;
    return _mm256_set_m128(_mm_unpackhi_ps(first, second), _mm_unpacklo_ps(first, second));
}

ALWAYS_INLINE vp vp_joined(vf a, vf b)
{
    return _mm256_set_m128(b, a);
}

ALWAYS_INLINE vf vp_first(vp a)
{
    return _mm256_castps256_ps128(a);
}

ALWAYS_INLINE vf vp_second(vp a)
{
    return _mm256_extractf128_ps(a, 1);
}

ALWAYS_INLINE vf vp_evens(vp a)
{
    return _mm_shuffle_ps(vp_first(a), vp_second(a), 0x88);
}

ALWAYS_INLINE vf vp_odds(vp a)
{
    return _mm_shuffle_ps(vp_first(a), vp_second(a), 0xdd);
}

ALWAYS_INLINE vp vp_middle_swapped(vp a)
{
    return _mm256_castpd_ps(_mm256_permute4x64_pd(_mm256_castps_pd(a), 0xd8));
}

ALWAYS_INLINE vp vp_evens_of(vp a, vp b)
{
    return vp_middle_swapped(_mm256_shuffle_ps(a, b, 0x88));
}

ALWAYS_INLINE vp vp_odds_of(vp a, vp b)
{
    return vp_middle_swapped(_mm256_shuffle_ps(a, b, 0xdd));
}

ALWAYS_INLINE vp vp_turns_low(vp a, vp b)
{
    return _mm256_permute2f128_ps(_mm256_unpacklo_ps(a, b), _mm256_unpackhi_ps(a, b), 0x20);
}

ALWAYS_INLINE vp vp_turns_high(vp a, vp b)
{
    return _mm256_permute2f128_ps(_mm256_unpacklo_ps(a, b), _mm256_unpackhi_ps(a, b), 0x31);
}

ALWAYS_INLINE vp vp_tie_beside(vp a, int dropped)
{
    const int half = 1 << (dropped - 1);
    const __m256i kept = _mm256_and_si256(_mm256_castps_si256(a), _mm256_set1_epi32(-2 * half));
    return _mm256_castsi256_ps(_mm256_or_si256(kept, _mm256_set1_epi32(half)));
}

ALWAYS_INLINE vp vp_max_size(vp a, vp b)
{
    const vp minus = _mm256_set1_ps(-0.0f);
    return _mm256_max_ps(_mm256_andnot_ps(minus, a), _mm256_andnot_ps(minus, b));
}

ALWAYS_INLINE vp vp_min_size(vp a, vp b)
{
    const vp minus = _mm256_set1_ps(-0.0f);
    return _mm256_min_ps(_mm256_andnot_ps(minus, a), _mm256_andnot_ps(minus, b));
}

typedef __m256 sure; /* the lanes in doubt */
ALWAYS_INLINE sure sure_of_all(void)
{
    return _mm256_setzero_ps();
}

ALWAYS_INLINE bool all_sure(sure a)
{
    return _mm256_movemask_ps(a) == 0;
}

ALWAYS_INLINE sure far_from_tie(sure before, vd a, vd b, int window_log2)
{
    const __m256i low = _mm256_castps_si256(_mm256_shuffle_ps(_mm256_castpd_ps(a), _mm256_castpd_ps(b), 0x88));
    const __m256i shifted = _mm256_add_epi32(low, _mm256_set1_epi32(TIE_SHIFT(window_log2)));
    const __m256i rest = _mm256_and_si256(shifted, _mm256_set1_epi32(TIE_MASK(window_log2)));
    return _mm256_or_ps(before, _mm256_castsi256_ps(_mm256_cmpeq_epi32(rest, _mm256_setzero_si256())));
}

ALWAYS_INLINE sure no_half_bits(sure before, vp a, int dropped)
{
    const __m256i rest = _mm256_and_si256(_mm256_castps_si256(a), _mm256_set1_epi32((1 << dropped) - 1));
    return _mm256_or_ps(before, _mm256_castsi256_ps(_mm256_cmpeq_epi32(rest, _mm256_set1_epi32(1 << (dropped - 1)))));
}

ALWAYS_INLINE sure not_below(sure before, vp size, vp limit)
{
    return _mm256_or_ps(before, _mm256_cmp_ps(size, limit, _CMP_NGE_UQ));
}

ALWAYS_INLINE sure above(sure before, vp size, vp limit)
{
    return _mm256_or_ps(before, _mm256_cmp_ps(size, limit, _CMP_NGT_UQ));
}

ALWAYS_INLINE void put_pairs_f64(double *p, vd a, vd b, bool stream)
{
    const vd low = _mm256_unpacklo_pd(a, b), high = _mm256_unpackhi_pd(a, b);
    put_f64(p, _mm256_permute2f128_pd(low, high, 0x20), stream);
    put_f64(p + VL, _mm256_permute2f128_pd(low, high, 0x31), stream);
}

ALWAYS_INLINE void get_pairs_f64(const double *p, vd *evens, vd *odds)
{
    const vd a = vd_load(p), b = vd_load(p + VL);
    const vd low = _mm256_permute2f128_pd(a, b, 0x20), high = _mm256_permute2f128_pd(a, b, 0x31);
    *evens = _mm256_unpacklo_pd(low, high);
    *odds = _mm256_unpackhi_pd(low, high);
}

/* The four 16-bit numbers in the lower halves of four 32-bit lanes. */
ALWAYS_INLINE void put_64(void *p, __m128i packed)
{
    _mm_storel_epi64((__m128i *)p, packed);
}

ALWAYS_INLINE __m128i bf16_of(vp a)
{
    const __m256i rounded = _mm256_add_epi32(_mm256_castps_si256(a), _mm256_set1_epi32(0x8000));
    const __m256i halves = _mm256_srli_epi32(rounded, 16);
    return _mm_packus_epi32(_mm256_castsi256_si128(halves), _mm256_extracti128_si256(halves, 1));
}

ALWAYS_INLINE void put_pairs_bf16(uint16_t *p, vp a, bool stream)
{
    put_128(p, bf16_of(a), stream);
}

ALWAYS_INLINE void put_pairs_f16(uint16_t *p, vp a, bool stream)
{
    put_128(p, _mm256_cvtps_ph(a, _MM_FROUND_TO_NEAREST_INT), stream);
}

ALWAYS_INLINE void put_bf16(uint16_t *p, vf a, bool stream)
{
    const __m128i rounded = _mm_add_epi32(_mm_castps_si128(a), _mm_set1_epi32(0x8000));
    const __m128i halves = _mm_srli_epi32(rounded, 16);
    (void)stream;
    put_64(p, _mm_packus_epi32(halves, halves));
}

ALWAYS_INLINE void put_f16(uint16_t *p, vf a, bool stream)
{
    (void)stream;
    put_64(p, _mm_cvtps_ph(a, _MM_FROUND_TO_NEAREST_INT));
}

ALWAYS_INLINE vf get_f16(const uint16_t *p)
{
    return _mm_cvtph_ps(_mm_loadl_epi64((const __m128i *)p));
}

ALWAYS_INLINE vp get_pairs_f16(const uint16_t *p)
{
    return _mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)p));
}

ALWAYS_INLINE vp get_pairs_bf16(const uint16_t *p)
{
    const __m256i wide = _mm256_cvtepu16_epi32(_mm_loadu_si128((const __m128i *)p));
    return _mm256_castsi256_ps(_mm256_slli_epi32(wide, 16));
}

ALWAYS_INLINE vf get_bf16(const uint16_t *p)
{
    return _mm_castsi128_ps(_mm_unpacklo_epi16(_mm_setzero_si128(), _mm_loadl_epi64((const __m128i *)p)));
}

/* The upper halves of a and b, taking turns. */
ALWAYS_INLINE __m256i upper_turns(vp a, vp b)
{
    return _mm256_blend_epi16(_mm256_srli_epi32(_mm256_castps_si256(a), 16), _mm256_castps_si256(b), 0xaa);
}

ALWAYS_INLINE vp_bits bf16_turns(vp a, vp b)
{
    const __m256i upper = upper_turns(a, b), odd = _mm256_set1_epi16(1);
    const __m256i lower =
        _mm256_blend_epi16(_mm256_castps_si256(a), _mm256_slli_epi32(_mm256_castps_si256(b), 16), 0xaa);
    const __m256i below_half = _mm256_subs_epu16(lower, _mm256_andnot_si256(upper, odd));
    return (vp_bits)_mm256_sub_epi16(upper, _mm256_cmpgt_epi16(_mm256_setzero_si256(), below_half));
}

/* The others are all ones. */
typedef vp vp_lanes;

ALWAYS_INLINE vp_lanes vp_apart(vp a, vp b, vp c, vp d, int dropped)
{
    if (dropped == 16) /* of which the first is what put_upper_turns_bf16() makes as well */
        return _mm256_castsi256_ps(_mm256_cmpeq_epi32(upper_turns(a, c), upper_turns(b, d)));
    const __m256i kept = _mm256_and_si256((__m256i)vp_difference(a, b, c, d), _mm256_set1_epi32(-(1 << dropped)));
    return _mm256_castsi256_ps(_mm256_cmpeq_epi32(kept, _mm256_setzero_si256()));
}

ALWAYS_INLINE unsigned lane_bits(vp_lanes of)
{
    return (unsigned)_mm256_movemask_ps(of) ^ 255;
}

ALWAYS_INLINE vp vp_where(vp_lanes in, vp a, vp b)
{
    return _mm256_blendv_ps(a, b, in);
}

ALWAYS_INLINE uint64_t bytes_in_use(const uint8_t *bytes)
{
    const __m256i zero = _mm256_setzero_si256();
    const __m256i low = _mm256_cmpeq_epi8(_mm256_loadu_si256((const __m256i *)bytes), zero);
    const __m256i high = _mm256_cmpeq_epi8(_mm256_loadu_si256((const __m256i *)(bytes + 32)), zero);
    return ~((uint64_t)(uint32_t)_mm256_movemask_epi8(high) << 32 | (uint32_t)_mm256_movemask_epi8(low));
}

ALWAYS_INLINE __m128i f16_below(vp a)
{
    return _mm256_cvtps_ph(a, _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC);
}

ALWAYS_INLINE void put_upper_bf16(uint16_t *p, vp a)
{
    const __m256i halves = _mm256_srli_epi32(_mm256_castps_si256(a), 16);
    put_128(p, _mm_packus_epi32(_mm256_castsi256_si128(halves), _mm256_extracti128_si256(halves, 1)), false);
}

ALWAYS_INLINE void put_upper_f16(uint16_t *p, vp a)
{
    put_128(p, f16_below(a), false);
}

ALWAYS_INLINE void put_upper_turns_bf16(uint16_t *p, vp a, vp b)
{
    _mm256_storeu_si256((__m256i *)p, upper_turns(a, b));
}

ALWAYS_INLINE void put_upper_turns_f16(uint16_t *p, vp a, vp b)
{
    const __m128i first = f16_below(a), second = f16_below(b);
    put_128(p, _mm_unpacklo_epi16(first, second), false);
    put_128(p + 2 * VL, _mm_unpackhi_epi16(first, second), false);
}

ALWAYS_INLINE vp vp_lookup(const float table[16], vp index)
{
    const __m256i k = _mm256_castps_si256(index);
    const vp low = _mm256_permutevar8x32_ps(vp_load(table), k), high = _mm256_permutevar8x32_ps(vp_load(table + 8), k);
    return _mm256_blendv_ps(low, high, _mm256_castsi256_ps(_mm256_slli_epi32(k, 28)));
}
