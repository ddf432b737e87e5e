#define LOOPS loops_avx2
#define ISA "avx2"
#define VECTOR_BYTES 32
#define LOW 0, 8, 1, 9, 2, 10, 3, 11
#define HIGH 4, 12, 5, 13, 6, 14, 7, 15
#define NARROW 0, 4, 1, 5, 2, 6, 3, 7
#define SINCOSF_U35 "Sleef_sincosf8_u35avx2"
#define SINCOS_U10 "Sleef_sincosd4_u10avx2"
#include "vector_loops_body.h"
