/* Built with the flags of AVX-512. */
#define KERNELS product_avx512
#define ISA "avx512"
#include "kernels/vector_avx512.h"

ALWAYS_INLINE vd exact_fma(vd a, vd b, vd c)
{
    return vd_fma(a, b, c);
}

ALWAYS_INLINE vd reversed(vd a)
{
    return _mm512_permutexvar_pd(_mm512_set_epi64(0, 1, 2, 3, 4, 5, 6, 7), a);
}

#include "product.inc"
