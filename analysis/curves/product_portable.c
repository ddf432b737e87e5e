/* For any processor: NEON where it is, else one double at a time. */
#define KERNELS product_portable
#define ISA "portable"
#if defined(__aarch64__)
#include "kernels/vector_neon.h"

ALWAYS_INLINE vd exact_fma(vd a, vd b, vd c)
{
    return vd_fma(a, b, c);
}

ALWAYS_INLINE vd reversed(vd a)
{
    return vextq_f64(a, a, 1);
}
#else
#include "kernels/vector_scalar.h"

/* The C library's, not the split product of vd_fma(): right without the instruction, and slow. */
ALWAYS_INLINE vd exact_fma(vd a, vd b, vd c)
{
    return fma(a, b, c);
}

ALWAYS_INLINE vd reversed(vd a)
{
    return a;
}
#endif

#include "product.inc"
