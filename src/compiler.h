/* Everything that depends on the compiler, in one place. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if !defined(__GNUC__) || !defined(__SIZEOF_INT128__)
#error "sinpos needs gcc or clang on a 64-bit target (unsigned __int128)"
#endif

#if defined(__OPTIMIZE__) && !defined(SINPOS_NO_FORCED_INLINING)
#define ALWAYS_INLINE static inline __attribute__((always_inline))
#else
#define ALWAYS_INLINE static inline __attribute__((unused))
#endif
#define COLD __attribute__((cold, noinline))
#define OWN_FRAME __attribute__((noinline)) /* large locals, which callers need not carry */
#define LIKELY(x) __builtin_expect(!!(x), 1)
#define UNLIKELY(x) __builtin_expect(!!(x), 0)
#define ALIGNED(n) __attribute__((aligned(n)))

/* Memory for plans: what is given back is not what free() takes everywhere. */
#if defined(_WIN32)
#include <malloc.h>
#define ALIGNED_ALLOC(bytes) _aligned_malloc(bytes, 64)
#define ALIGNED_FREE(memory) _aligned_free(memory)
#else
#include <stdlib.h>
#define ALIGNED_ALLOC(bytes) aligned_alloc(64, bytes)
#define ALIGNED_FREE(memory) free(memory)
#endif

/* Before a loop with few, constant turns; clang sees them by itself. */
#if defined(__clang__)
#define UNROLL
#else
#define UNROLL _Pragma("GCC unroll 8")
#endif

__extension__ typedef unsigned __int128 uint128;
__extension__ typedef __int128 int128;
