/* For any processor: NEON where it is, else one double at a time. */
#define KERNELS product_portable
#define ISA "portable"
#include "product.inc"
