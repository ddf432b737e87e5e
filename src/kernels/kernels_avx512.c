#define KERNELS_TABLE kernels_avx512
#define KERNELS_WITH_BF16
#include "vector_avx512.h"

#include "kernels.inc"
