/* Single rows of bfloat16 where the processor rounds to it: one function for the table of kernels_avx512.c. */
#pragma GCC diagnostic ignored "-Wunused-function"
#define NATIVE_BF16 1
#include "vector_avx512.h"

#include "kernels.inc"
