#define KERNELS_TABLE kernels_avx512
#define KERNELS_NAME "avx512"
#include "vector_avx512.h"

#include "kernels.inc"
