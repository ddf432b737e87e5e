/* Built with the flags of AVX2 and FMA. */
#define KERNELS product_avx2
#define ISA "avx2"
#include "product.inc"
