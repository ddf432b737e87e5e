/* Built with the flags of AVX-512. */
#define KERNELS product_avx512
#define ISA "avx512"
#include "product.inc"
