/* Built with the flags of AVX2 and FMA. */
#define KERNELS product_avx2
#define ISA "avx2"
#include "kernels/vector_avx2.h"

ALWAYS_INLINE vd exact_fma(vd a, vd b, vd c)
{
    return vd_fma(a, b, c);
}

ALWAYS_INLINE vd reversed(vd a)
{
    return _mm256_permute4x64_pd(a, 0x1b);
}

#include "product.inc"
