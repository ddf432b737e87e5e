/* The floating-point environment of the library, and the caller's. */
#include "boundary.h"

#if defined(__x86_64__)
#include <xmmintrin.h>

enum { SSE = 0x1f80, STICKY = 0x3f }; /* nearest, no flush to zero, every exception masked; the flags raised so far */
enum { X87 = 0x37f };                 /* nearest, extended, every exception masked: strtod() and printf() look here */

fp_state fp_enter(void)
{
    uint16_t x87;
    const uint16_t own = X87;
    const unsigned sse = _mm_getcsr();
    __asm__ volatile("fnstcw %0" : "=m"(x87));
    if ((sse & ~(unsigned)STICKY) != SSE)
        _mm_setcsr(SSE);
    if (x87 != own)
        __asm__ volatile("fldcw %0" : : "m"(own));
    return (fp_state){(uint64_t)x87 << 32 | sse};
}

void fp_leave(const fp_state *before)
{
    const uint16_t x87 = (uint16_t)(before->word >> 32);
    if (_mm_getcsr() != (unsigned)before->word)
        _mm_setcsr((unsigned)before->word);
    if (x87 != X87)
        __asm__ volatile("fldcw %0" : : "m"(x87));
}

#elif defined(__aarch64__)

fp_state fp_enter(void)
{
    fp_state before;
    __asm__ volatile("mrs %0, fpcr" : "=r"(before.word));
    if (before.word != 0)
        __asm__ volatile("msr fpcr, %0" : : "r"((uint64_t)0));
    return before;
}

void fp_leave(const fp_state *before)
{
    if (before->word != 0)
        __asm__ volatile("msr fpcr, %0" : : "r"(before->word));
}

#else
#include <fenv.h>

fp_state fp_enter(void)
{
    const fp_state before = {(uint64_t)fegetround()};
    fesetround(FE_TONEAREST);
    return before;
}

void fp_leave(const fp_state *before)
{
    fesetround((int)before->word);
}

#endif
