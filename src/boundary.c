/* The floating-point environment of the library, and the caller's; sized structs. */
#include "boundary.h"

#include <string.h>

enum { MOST_BYTES = 4096 }; /* no sized struct will be larger: such a number is memory that was never set */

static bool take_size(const void *given, size_t first_bytes, size_t *bytes)
{
    memcpy(bytes, given, sizeof *bytes);
    return *bytes >= first_bytes && *bytes <= MOST_BYTES;
}

bool sized_fits(const void *given, size_t first_bytes)
{
    size_t bytes;
    return take_size(given, first_bytes, &bytes);
}

bool sized_read(void *own, size_t own_bytes, size_t first_bytes, const void *given)
{
    const unsigned char *from = given;
    size_t bytes;
    if (!take_size(given, first_bytes, &bytes))
        return false;
    for (size_t i = own_bytes; i < bytes; i++)
        if (from[i] != 0)
            return false;
    const size_t known = bytes < own_bytes ? bytes : own_bytes;
    memcpy(own, given, known);
    memset((char *)own + known, 0, own_bytes - known);
    memcpy(own, &own_bytes, sizeof own_bytes);
    return true;
}

bool sized_write(void *given, const void *own, size_t own_bytes, size_t first_bytes)
{
    size_t bytes;
    if (!take_size(given, first_bytes, &bytes))
        return false;
    const size_t known = bytes < own_bytes ? bytes : own_bytes;
    memcpy((char *)given + sizeof bytes, (const char *)own + sizeof bytes, known - sizeof bytes);
    return true;
}

#if defined(__x86_64__)
#include <xmmintrin.h>

enum { SSE = 0x1f80, STICKY = 0x3f }; /* nearest, no flush to zero, every exception masked; the flags raised so far */
enum { X87 = 0x37f };                 /* nearest, extended, every exception masked: strtod() and printf() look here */

fp_state fp_enter(void)
{
    uint16_t x87 = 0; /* which analysers do not see written */
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
