#define KERNELS_TABLE kernels_scalar
#define KERNELS_NAME "scalar"
#include "vector_scalar.h"

#include "kernels.inc"
