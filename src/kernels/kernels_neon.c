#define KERNELS_TABLE kernels_neon
#define KERNELS_NAME "neon"
#include "vector_neon.h"

#include "kernels.inc"
