#define LOOPS loops_avx512
#define ISA "avx512"
#define VECTOR_BYTES 64
#define LOW 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23
#define HIGH 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31
#define NARROW 0, 8, 1, 9, 2, 10, 3, 11, 4, 12, 5, 13, 6, 14, 7, 15
#define SINCOSF_U35 "Sleef_sincosf16_u35avx512f"
#define SINCOS_U10 "Sleef_sincosd8_u10avx512f"
#include "vector_loops_body.h"
