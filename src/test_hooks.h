/*
 * Where tests intervene: which rung of the ladder decides, and how rows are stored. Only with -DSINPOS_TEST_HOOKS, and then
 * tests/support/hooks.c; without it nothing of this is compiled.
 */
#pragma once

#include <stdint.h>

#ifdef SINPOS_TEST_HOOKS
/* 0 normal; 1, 2, 3: every element is decided by the double-double, 320-bit or doubling rung or above. */
void sinpos_internal_force_rung(int rung);
/* Elements decided by each rung [1..3] since the last call; [0] counts exact cases. */
void sinpos_internal_counters(uint64_t counts[4]);
/* 0 as the processor likes, 1 past the cache whatever their number, 2 through it. */
void sinpos_internal_force_stores(int way);

int forced_rung(void);
void count_rung(int rung);
int forced_stores(void);
#else
static inline int forced_rung(void)
{
    return 0;
}

static inline void count_rung(int rung)
{
    (void)rung;
}

static inline int forced_stores(void)
{
    return 0;
}
#endif
