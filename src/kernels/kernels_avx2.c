#define KERNELS_TABLE kernels_avx2
#define KERNELS_NAME "avx2"
#include "vector_avx2.h"

#include "kernels.inc"
