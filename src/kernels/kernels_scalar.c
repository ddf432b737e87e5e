#define KERNELS_TABLE kernels_scalar
#include "vector_scalar.h"

#include "kernels.inc"
