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
#endif

static bool always(void)
{
    return true;
}

typedef struct choice {
    const kernels *table;
    bool (*runs_here)(void);
} choice;

/* Best first. */
static const choice choices[] = {
#if defined(__x86_64__) && !defined(SINPOS_PORTABLE)
    {&kernels_avx512[0], has_avx512}, {&kernels_avx512[1], has_avx512},
    {&kernels_avx2[0], has_avx2},     {&kernels_avx2[1], has_avx2},
#elif defined(__aarch64__) && !defined(SINPOS_PORTABLE)
    {&kernels_neon[0], always},
    {&kernels_neon[1], always},
#endif
    {&kernels_scalar[0], always},
};

enum { N_CHOICES = sizeof choices / sizeof choices[0] };

static _Atomic(const kernels *) active;

/* The best set at or below the one named (NULL: any); NULL if no set has that name. */
static const kernels *choose(const char *cap)
{
    bool below = cap == NULL;
    for (size_t i = 0; i < N_CHOICES; i++) {
        if (!below && strcmp(choices[i].table->name, cap) == 0) {
            if (!choices[i].runs_here())
                return NULL;
            below = true;
        }
        if (below && choices[i].runs_here())
            return choices[i].table;
    }
    return NULL;
}

const kernels *kernels_active(void)
{
    const kernels *table = atomic_load_explicit(&active, memory_order_acquire);
    if (table == NULL) {
        table = choose(getenv("SINPOS_ISA"));
        if (table == NULL)
            table = choose(NULL);
        atomic_store_explicit(&active, table, memory_order_release);
    }
    return table;
}

const char *sinpos_isa(void)
{
    BOUNDARY;
    return kernels_active()->name;
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
    const kernels *table = choose(name);
    if (table == NULL)
        return SINPOS_E_UNSUPPORTED;
    atomic_store_explicit(&active, table, memory_order_release);
    return SINPOS_OK;
}

/* ---------------------------------------------------------------------------------------------------- Stores */

void stream_fence(void)
{
#if defined(__x86_64__)
    _mm_sfence();
#endif
}
