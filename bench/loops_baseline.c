#define LOOPS loops_baseline
#define VECTOR_BYTES 16
#define LOW 0, 4, 1, 5
#define HIGH 2, 6, 3, 7
#define NARROW 0, 2, 1, 3
#if defined(__aarch64__)
#define ISA "neon"
#define SINCOSF_U35 "Sleef_sincosf4_u35advsimd"
#define SINCOS_U10 "Sleef_sincosd2_u10advsimd"
#else
#define ISA "sse2"
#define SINCOSF_U35 "Sleef_sincosf4_u35sse2"
#define SINCOS_U10 "Sleef_sincosd2_u10sse2"
#endif
#include "vector_loops_body.h"
