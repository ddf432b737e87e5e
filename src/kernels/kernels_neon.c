#define KERNELS_TABLE kernels_neon
#include "vector_neon.h"

#include "kernels.inc"
