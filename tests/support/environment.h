/* environment.h - the floating-point control word, which the library must leave as it is. */
#ifndef SINPOS_TESTS_ENVIRONMENT_H
#define SINPOS_TESTS_ENVIRONMENT_H

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

#if defined(__x86_64__)
static inline unsigned long get_control(void)
{
    return _mm_getcsr();
}

static inline void set_control(unsigned long c)
{
    _mm_setcsr((unsigned)c);
}

static inline void set_flush_to_zero(void)
{
    _mm_setcsr(_mm_getcsr() | 0x8040); /* FTZ, DAZ */
}

static inline unsigned long control_only(unsigned long c)
{
    return c & ~0x3ful; /* without the sticky exception bits */
}
#elif defined(__aarch64__)
static inline unsigned long get_control(void)
{
    unsigned long c;
    __asm__ volatile("mrs %0, fpcr" : "=r"(c));
    return c;
}

static inline void set_control(unsigned long c)
{
    __asm__ volatile("msr fpcr, %0" : : "r"(c));
}

static inline void set_flush_to_zero(void)
{
    __asm__ volatile("msr fpcr, %0" : : "r"(get_control() | 1ul << 24));
}

static inline unsigned long control_only(unsigned long c)
{
    return c;
}
#else
static inline unsigned long get_control(void)
{
    return 0;
}

static inline void set_control(unsigned long c)
{
    (void)c;
}

static inline void set_flush_to_zero(void)
{
}

static inline unsigned long control_only(unsigned long c)
{
    return c;
}
#endif

#endif
