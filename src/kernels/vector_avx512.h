/* Eight doubles in a 512-bit register. What each function does is said in vector_scalar.h. */
#pragma once

#if !defined(__AVX512F__) || !defined(__AVX512DQ__) || !defined(__AVX512BW__) || !defined(__AVX512VL__)
#error "build this file with -mavx512f -mavx512dq -mavx512bw -mavx512vl"
#endif

#include <immintrin.h>

#include "../compiler.h"
#include "ties.h"

enum { VL = 8, GROUP = 4, GROUP_DD = 2 };
typedef __m512d vd;
typedef __m256 vf;
typedef __m512 vp;

#define WIDE(operation) _mm512_##operation
#define NARROW(operation) _mm256_##operation
#include "vector_x86.h"

ALWAYS_INLINE vd vd_lookup(const double table[16], vd index)
{
    return _mm512_permutex2var_pd(vd_load(table), _mm512_castpd_si512(index), vd_load(table + 8));
}

ALWAYS_INLINE void vd_turn(vd quarters, vd *s, vd *c)
{
    const __m512i k = _mm512_castpd_si512(quarters);
    const __m512i top = _mm512_set1_epi64((long long)0x8000000000000000u);
    const __mmask8 odd = _mm512_test_epi64_mask(k, _mm512_set1_epi64(1));
    const vd sine = _mm512_mask_blend_pd(odd, *s, *c), cosine = _mm512_mask_blend_pd(odd, *c, *s);
    const __m512i minus_s = _mm512_and_si512(_mm512_slli_epi64(k, 62), top);
    const __m512i minus_c = _mm512_and_si512(_mm512_slli_epi64(_mm512_add_epi64(k, _mm512_set1_epi64(1)), 62), top);
    *s = _mm512_castsi512_pd(_mm512_xor_si512(_mm512_castpd_si512(sine), minus_s));
    *c = _mm512_castsi512_pd(_mm512_xor_si512(_mm512_castpd_si512(cosine), minus_c));
}

ALWAYS_INLINE unsigned vd_differ(vd a, vd b)
{
    return _mm512_cmpneq_epi64_mask(_mm512_castpd_si512(a), _mm512_castpd_si512(b));
}

ALWAYS_INLINE unsigned vf_differ(vf a, vf b)
{
    return _mm256_cmpneq_epi32_mask(_mm256_castps_si256(a), _mm256_castps_si256(b));
}

ALWAYS_INLINE bool vd_any_differ(vd a, vd b, vd c, vd d)
{
    const __m512i first = _mm512_castpd_si512(_mm512_xor_pd(a, b));
    const __m512i both = _mm512_ternarylogic_epi64(first, _mm512_castpd_si512(c), _mm512_castpd_si512(d), 0xf6);
    return _mm512_test_epi64_mask(both, both) != 0;
}

ALWAYS_INLINE unsigned vd_outside(vd a, double low, double high)
{
    const __mmask8 above = _mm512_cmp_pd_mask(a, vd_set1(low), _CMP_NGE_UQ);
    return above | _mm512_cmp_pd_mask(a, vd_set1(high), _CMP_NLE_UQ);
}

ALWAYS_INLINE unsigned vf_unsure(vf a, vf b)
{
    return vf_differ(a, b) | _mm256_cmp_ps_mask(a, a, _CMP_UNORD_Q);
}

ALWAYS_INLINE vf vf_larger_size(vf a, vf b)
{
    return _mm256_range_ps(a, b, 11);
}

ALWAYS_INLINE vf vf_smaller_size(vf a, vf b)
{
    return _mm256_range_ps(a, b, 10);
}

ALWAYS_INLINE bool vf_all_above(vf a, vf b)
{
    return _mm256_cmp_ps_mask(a, b, _CMP_GT_OQ) == 0xff;
}

ALWAYS_INLINE vp vp_pairs(vf a, vf b, bool second_first)
{
    const __m512i order = _mm512_setr_epi32(0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
    const __m512i swapped = _mm512_xor_si512(order, _mm512_set1_epi32(second_first ? 16 : 0));
    return _mm512_permutex2var_ps(_mm512_castps256_ps512(a), swapped, _mm512_castps256_ps512(b));
}

ALWAYS_INLINE vp vp_joined(vf a, vf b)
{
    return _mm512_insertf32x8(_mm512_castps256_ps512(a), b, 1);
}

ALWAYS_INLINE vf vp_first(vp a)
{
    return _mm512_castps512_ps256(a);
}

ALWAYS_INLINE vf vp_second(vp a)
{
    return _mm512_extractf32x8_ps(a, 1);
}

ALWAYS_INLINE vf vp_evens(vp a)
{
    const __m512i order = _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 0, 0, 0, 0, 0, 0, 0, 0);
    return _mm512_castps512_ps256(_mm512_permutexvar_ps(order, a));
}

ALWAYS_INLINE vf vp_odds(vp a)
{
    const __m512i order = _mm512_setr_epi32(1, 3, 5, 7, 9, 11, 13, 15, 0, 0, 0, 0, 0, 0, 0, 0);
    return _mm512_castps512_ps256(_mm512_permutexvar_ps(order, a));
}

ALWAYS_INLINE vp vp_evens_of(vp a, vp b)
{
    const __m512i order = _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
    return _mm512_permutex2var_ps(a, order, b);
}

ALWAYS_INLINE vp vp_odds_of(vp a, vp b)
{
    const __m512i order = _mm512_setr_epi32(1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31);
    return _mm512_permutex2var_ps(a, order, b);
}

ALWAYS_INLINE vp vp_turns_low(vp a, vp b)
{
    const __m512i order = _mm512_setr_epi32(0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
    return _mm512_permutex2var_ps(a, order, b);
}

ALWAYS_INLINE vp vp_turns_high(vp a, vp b)
{
    const __m512i order = _mm512_setr_epi32(8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
    return _mm512_permutex2var_ps(a, order, b);
}

ALWAYS_INLINE vp vp_tie_beside(vp a, int dropped)
{
    const int half = 1 << (dropped - 1);
    const __m512i kept = _mm512_set1_epi32(-2 * half), last = _mm512_set1_epi32(half);
    return _mm512_castsi512_ps(
        _mm512_ternarylogic_epi32(_mm512_castps_si512(a), kept, last, 0xea)); /* (a & kept) | last */
}

ALWAYS_INLINE vp vp_max_size(vp a, vp b)
{
    return _mm512_range_ps(a, b, 11);
}

ALWAYS_INLINE vp vp_min_size(vp a, vp b)
{
    return _mm512_range_ps(a, b, 10);
}

typedef __mmask16 sure;
ALWAYS_INLINE sure sure_of_all(void)
{
    return 0xffff;
}

ALWAYS_INLINE bool all_sure(sure a)
{
    return _kortestc_mask16_u8(a, a);
}

ALWAYS_INLINE sure far_from_tie(sure before, vd a, vd b, int window_log2)
{
    const __m512i low = _mm512_castps_si512(_mm512_shuffle_ps(_mm512_castpd_ps(a), _mm512_castpd_ps(b), 0x88));
    const __m512i shifted = _mm512_add_epi32(low, _mm512_set1_epi32(TIE_SHIFT(window_log2)));
    return _mm512_mask_test_epi32_mask(before, shifted, _mm512_set1_epi32(TIE_MASK(window_log2)));
}

ALWAYS_INLINE sure no_half_bits(sure before, vp a, int dropped)
{
    const __m512i shifted = _mm512_add_epi32(_mm512_castps_si512(a), _mm512_set1_epi32(1 << (dropped - 1)));
    return _mm512_mask_test_epi32_mask(before, shifted, _mm512_set1_epi32((1 << dropped) - 1));
}

ALWAYS_INLINE sure not_below(sure before, vp size, vp limit)
{
    return _mm512_mask_cmp_ps_mask(before, size, limit, _CMP_GE_OQ);
}

ALWAYS_INLINE sure above(sure before, vp size, vp limit)
{
    return _mm512_mask_cmp_ps_mask(before, size, limit, _CMP_GT_OQ);
}

ALWAYS_INLINE void put_pairs_f64(double *p, vd a, vd b, bool stream)
{
    const __m512i low = _mm512_setr_epi64(0, 8, 1, 9, 2, 10, 3, 11),
                  high = _mm512_setr_epi64(4, 12, 5, 13, 6, 14, 7, 15);
    put_f64(p, _mm512_permutex2var_pd(a, low, b), stream);
    put_f64(p + VL, _mm512_permutex2var_pd(a, high, b), stream);
}

ALWAYS_INLINE void get_pairs_f64(const double *p, vd *evens, vd *odds)
{
    const __m512i even = _mm512_setr_epi64(0, 2, 4, 6, 8, 10, 12, 14),
                  odd = _mm512_setr_epi64(1, 3, 5, 7, 9, 11, 13, 15);
    *evens = _mm512_permutex2var_pd(vd_load(p), even, vd_load(p + VL));
    *odds = _mm512_permutex2var_pd(vd_load(p), odd, vd_load(p + VL));
}

ALWAYS_INLINE void put_256(void *p, __m256i v, bool stream)
{
    if (stream)
        _mm256_stream_si256((__m256i *)p, v);
    else
        _mm256_storeu_si256((__m256i *)p, v);
}

ALWAYS_INLINE __m256i bf16_of(vp a)
{
    const __m512i rounded = _mm512_add_epi32(_mm512_castps_si512(a), _mm512_set1_epi32(0x8000));
    return _mm512_cvtepi32_epi16(_mm512_srli_epi32(rounded, 16));
}

ALWAYS_INLINE __m256i f16_of(vp a)
{
    return _mm512_cvtps_ph(a, _MM_FROUND_TO_NEAREST_INT);
}

ALWAYS_INLINE void put_pairs_bf16(uint16_t *p, vp a, bool stream)
{
    put_256(p, bf16_of(a), stream);
}

ALWAYS_INLINE void put_pairs_f16(uint16_t *p, vp a, bool stream)
{
    put_256(p, f16_of(a), stream);
}

ALWAYS_INLINE void put_bf16(uint16_t *p, vf a, bool stream)
{
    const __m256i rounded = _mm256_add_epi32(_mm256_castps_si256(a), _mm256_set1_epi32(0x8000));
    put_128(p, _mm256_cvtepi32_epi16(_mm256_srli_epi32(rounded, 16)), stream);
}

ALWAYS_INLINE void put_f16(uint16_t *p, vf a, bool stream)
{
    put_128(p, _mm256_cvtps_ph(a, _MM_FROUND_TO_NEAREST_INT), stream);
}

ALWAYS_INLINE vf get_f16(const uint16_t *p)
{
    return _mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)p));
}

ALWAYS_INLINE vp get_pairs_f16(const uint16_t *p)
{
    return _mm512_cvtph_ps(_mm256_loadu_si256((const __m256i *)p));
}

ALWAYS_INLINE vp get_pairs_bf16(const uint16_t *p)
{
    const __m512i wide = _mm512_cvtepu16_epi32(_mm256_loadu_si256((const __m256i *)p));
    return _mm512_castsi512_ps(_mm512_slli_epi32(wide, 16));
}

ALWAYS_INLINE vf get_bf16(const uint16_t *p)
{
    const __m256i wide = _mm256_cvtepu16_epi32(_mm_loadu_si128((const __m128i *)p));
    return _mm256_castsi256_ps(_mm256_slli_epi32(wide, 16));
}

typedef __mmask16 vp_lanes;

ALWAYS_INLINE vp_lanes vp_apart(vp a, vp b, vp c, vp d, int dropped)
{
    return _mm512_test_epi32_mask((__m512i)vp_difference(a, b, c, d), _mm512_set1_epi32(-(1 << dropped)));
}

ALWAYS_INLINE unsigned lane_bits(vp_lanes of)
{
    return of;
}

ALWAYS_INLINE vp vp_where(vp_lanes in, vp a, vp b)
{
    return _mm512_mask_blend_ps(in, b, a);
}

ALWAYS_INLINE uint64_t bytes_in_use(const uint8_t *bytes)
{
    const __m512i all = _mm512_loadu_si512(bytes);
    return _mm512_test_epi8_mask(all, all);
}

ALWAYS_INLINE __m256i f16_below(vp a)
{
    return _mm512_cvtps_ph(a, _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC);
}

ALWAYS_INLINE void put_upper_bf16(uint16_t *p, vp a)
{
    put_256(p, _mm512_cvtepi32_epi16(_mm512_srli_epi32(_mm512_castps_si512(a), 16)), false);
}

ALWAYS_INLINE void put_upper_f16(uint16_t *p, vp a)
{
    put_256(p, f16_below(a), false);
}

/* The upper halves of a and b, taking turns. */
ALWAYS_INLINE __m512i upper_turns(vp a, vp b)
{
    const __m512i low = _mm512_srli_epi32(_mm512_castps_si512(a), 16);
    return _mm512_mask_blend_epi16(0xaaaaaaaau, low, _mm512_castps_si512(b));
}

ALWAYS_INLINE void put_upper_turns_bf16(uint16_t *p, vp a, vp b)
{
    _mm512_storeu_si512(p, upper_turns(a, b));
}

ALWAYS_INLINE vp_bits bf16_turns(vp a, vp b)
{
    const __m512i upper = upper_turns(a, b), odd = _mm512_set1_epi16(1);
    const __m512i shifted = _mm512_slli_epi32(_mm512_castps_si512(b), 16);
    const __m512i lower = _mm512_mask_blend_epi16(0xaaaaaaaau, _mm512_castps_si512(a), shifted);
    const __m512i below_half = _mm512_subs_epu16(lower, _mm512_andnot_si512(upper, odd));
    return (vp_bits)_mm512_add_epi16(upper, _mm512_srli_epi16(below_half, 15));
}

ALWAYS_INLINE void put_upper_turns_f16(uint16_t *p, vp a, vp b)
{
    const __m512i order = _mm512_set_epi16(47, 15, 46, 14, 45, 13, 44, 12, 43, 11, 42, 10, 41, 9, 40, 8, 39, 7, 38, 6,
                                           37, 5, 36, 4, 35, 3, 34, 2, 33, 1, 32, 0);
    const __m512i first = _mm512_castsi256_si512(f16_below(a)), second = _mm512_castsi256_si512(f16_below(b));
    _mm512_storeu_si512(p, _mm512_permutex2var_epi16(first, order, second));
}

ALWAYS_INLINE vp vp_lookup(const float table[16], vp index)
{
    return _mm512_permutexvar_ps(_mm512_castps_si512(index), vp_load(table));
}

/* ------------------------------------------------------------------------------- Angles in fixed point */

#define FIXED_ANGLES 1

/* position * turns modulo 2^64, the upper 32 bits, for 2 VL tones. */
ALWAYS_INLINE vp vp_fixed_angles(int64_t position, const uint64_t *turns)
{
    const __m512i odd = _mm512_set_epi32(31, 29, 27, 25, 23, 21, 19, 17, 15, 13, 11, 9, 7, 5, 3, 1);
    const __m512i at = _mm512_set1_epi64(position);
    const __m512i a = _mm512_mullo_epi64(at, _mm512_load_si512(turns));
    const __m512i b = _mm512_mullo_epi64(at, _mm512_load_si512(turns + VL));
    return _mm512_castsi512_ps(_mm512_permutex2var_epi32(a, odd, b));
}

/* In which 32nd of 2^32 it lies, and by how much beside the middle of that, as 2^5 times an integer. */
ALWAYS_INLINE vp vp_32nd(vp angle)
{
    return _mm512_castsi512_ps(_mm512_srli_epi32(_mm512_castps_si512(angle), 27));
}

ALWAYS_INLINE vp vp_beside_middle(vp angle)
{
    const __m512i within = _mm512_slli_epi32(_mm512_castps_si512(angle), 5);
    return _mm512_cvtepi32_ps(_mm512_xor_si512(within, _mm512_set1_epi32(INT32_MIN)));
}

ALWAYS_INLINE vp vp_lookup_32(const float table[32], vp index)
{
    return _mm512_permutex2var_ps(vp_load(table), _mm512_castps_si512(index), vp_load(table + 2 * VL));
}

/* ------------------------------------------------------------------------------------- bfloat16 itself */

#if NATIVE_BF16
#if !defined(__AVX512BF16__)
#error "build this file with -mavx512bf16"
#endif

/* 2 VL of a, then 2 VL of b, rounded to nearest; what is below 2^-126 in size becomes 0. */
typedef __m512i bf16_both;

ALWAYS_INLINE bf16_both bf16_both_of(vp a, vp b)
{
    return (bf16_both)_mm512_cvtne2ps_pbh(b, a);
}

/* a[0], b[0], a[1], b[1], ... */
ALWAYS_INLINE void put_bf16_pairs(uint16_t *p, bf16_both v)
{
    const __m512i order = _mm512_set_epi16(31, 15, 30, 14, 29, 13, 28, 12, 27, 11, 26, 10, 25, 9, 24, 8, 23, 7, 22, 6,
                                           21, 5, 20, 4, 19, 3, 18, 2, 17, 1, 16, 0);
    _mm512_storeu_si512(p, _mm512_permutexvar_epi16(order, v));
}

ALWAYS_INLINE void put_bf16_halves(uint16_t *a, uint16_t *b, bf16_both v)
{
    put_256(a, _mm512_castsi512_si256(v), false);
    put_256(b, _mm512_extracti64x4_epi64(v, 1), false);
}

/* Lanes in which the a or the b of both differ. */
ALWAYS_INLINE vp_lanes bf16_apart(bf16_both v, bf16_both w)
{
    const unsigned apart = _mm512_cmpneq_epi16_mask(v, w);
    return (vp_lanes)(apart | apart >> 2 * VL);
}

#endif
