/* Which kernels run here, and in which floating-point environment. */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "internal.h"

#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>
#endif

/* SINPOS_PORTABLE leaves out every set that needs compiler flags of its own, so that one bare line builds the rest. */
#if defined(__x86_64__) && !defined(SINPOS_PORTABLE)
static bool has_f16c(void)
{
    unsigned a, b, c, d;
    return __get_cpuid(1, &a, &b, &c, &d) && (c & bit_F16C);
}

static bool has_avx2(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && has_f16c();
}

static bool has_avx512(void)
{
    return has_avx2() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl");
}

static bool has_avx512_bf16(void)
{
    return has_avx512() && __builtin_cpu_supports("avx512bf16");
}
#endif

static bool always(void)
{
    return true;
}

typedef struct choice {
    const char *name;
    const kernels *table;
    bool (*runs_here)(void);
} choice;

/* Best first. What ends in -base leaves out what only some processors with the set have. */
static const choice choices[] = {
#if defined(__x86_64__) && !defined(SINPOS_PORTABLE)
    {"avx512", &kernels_avx512[2], has_avx512_bf16},
    {"avx512", &kernels_avx512[0], has_avx512},
    {"avx512-base", &kernels_avx512[0], has_avx512},
    {"avx512-double", &kernels_avx512[1], has_avx512},
    {"avx2", &kernels_avx2[0], has_avx2},
    {"avx2-double", &kernels_avx2[1], has_avx2},
#elif defined(__aarch64__) && !defined(SINPOS_PORTABLE)
    {"neon", &kernels_neon[0], always},
    {"neon-double", &kernels_neon[1], always},
#endif
    {"scalar", &kernels_scalar[0], always},
};

enum { N_CHOICES = sizeof choices / sizeof choices[0] };

static _Atomic(const choice *) active;

/* The best set, or the best of the name; NULL if none of that name runs here. */
static const choice *choose(const char *name)
{
    for (size_t i = 0; i < N_CHOICES; i++)
        if ((name == NULL || strcmp(choices[i].name, name) == 0) && choices[i].runs_here())
            return &choices[i];
    return NULL;
}

static const choice *chosen(void)
{
    const choice *own = atomic_load_explicit(&active, memory_order_acquire);
    if (own == NULL) {
        own = choose(getenv("SINPOS_ISA"));
        if (own == NULL)
            own = choose(NULL);
        atomic_store_explicit(&active, own, memory_order_release);
    }
    return own;
}

const kernels *kernels_active(void)
{
    return chosen()->table;
}

const char *sinpos_isa(void)
{
    BOUNDARY;
    return chosen()->name;
}

/* A matter of speed alone, measured on both (docs/decisions.md): an x86-64 of AMD writes large tables faster past the
 * cache, one of Intel through it. */
bool stores_pass_cache(bool large)
{
    const int way = forced_stores();
#if defined(__x86_64__)
    return way == 0 ? large && __builtin_cpu_is("amd") : way == 1;
#else
    (void)large;
    return way == 1;
#endif
}

sinpos_status sinpos_isa_cap(const char *name)
{
    BOUNDARY;
    const choice *own = choose(name);
    if (own == NULL)
        return SINPOS_E_UNSUPPORTED;
    atomic_store_explicit(&active, own, memory_order_release);
    return SINPOS_OK;
}

/* ---------------------------------------------------------------------------------------------------- Stores */

void stream_fence(void)
{
#if defined(__x86_64__)
    _mm_sfence();
#endif
}
