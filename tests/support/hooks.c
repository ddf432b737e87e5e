/* What src/test_hooks.h declares. */
#include "test_hooks.h"

#include <stdatomic.h>

static atomic_int rung_forced, stores_forced;
static _Atomic uint64_t rung_counts[4];

void sinpos_internal_force_rung(int rung)
{
    atomic_store(&rung_forced, rung);
}

int forced_rung(void)
{
    return atomic_load_explicit(&rung_forced, memory_order_relaxed);
}

void sinpos_internal_counters(uint64_t counts[4])
{
    for (int i = 0; i < 4; i++)
        counts[i] = atomic_exchange(&rung_counts[i], 0);
}

void count_rung(int rung)
{
    atomic_fetch_add_explicit(&rung_counts[rung], 1, memory_order_relaxed);
}

void sinpos_internal_force_stores(int way)
{
    atomic_store(&stores_forced, way);
}

int forced_stores(void)
{
    return atomic_load_explicit(&stores_forced, memory_order_relaxed);
}
