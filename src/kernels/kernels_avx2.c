#define KERNELS_TABLE kernels_avx2
#include "vector_avx2.h"

#include "kernels.inc"
