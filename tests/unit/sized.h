/* sized.h - a public function with every size that a caller's sized struct may have. */
#ifndef SINPOS_TESTS_SIZED_H
#define SINPOS_TESTS_SIZED_H

#include "unit.h"

/* Calls the function with the struct at `given`; what it writes, if anything, is at `out`. */
typedef sinpos_status sized_call(void *given, unsigned char *out);

enum { SIZED_OUT = 4096, SIZED_MOST = 4096, SIZED_LATER = 24 };

/*
 * good: a struct of `bytes` bytes that the call takes. Its size is that of the first version: a smaller one is refused, a
 * larger one is taken where the rest is zero, and the bytes are the same.
 */
static inline void try_sizes(const char *what, const void *good, size_t bytes, sized_call *call)
{
    static unsigned char out[2][SIZED_OUT], room[2][SIZED_MOST + SIZED_LATER];
    const size_t refused[] = {0, 1, 8, bytes - 1, SIZED_MOST + 1, SIZE_MAX};
    set_pattern(out[0], SIZED_OUT);
    memcpy(room[0], good, bytes);
    assert_or_say(call(room[0], out[0]) == SINPOS_OK, "%s refuses its own size", what);
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
        set_pattern(out[1], SIZED_OUT);
        memset(room[0], 0, sizeof room[0]);
        memcpy(room[0], good, bytes);
        memcpy(room[0], &refused[i], sizeof refused[i]);
        memcpy(room[1], room[0], sizeof room[0]);
        assert_or_say(call(room[0], out[1]) == SINPOS_E_STRUCT, "%s takes a struct of %zu bytes", what, refused[i]);
        assert_true(is_pattern(out[1], SIZED_OUT));
        assert_memory_equal(room[0], room[1], sizeof room[0]);
    }
    for (size_t later = 1; later <= SIZED_LATER; later++) {
        const size_t size = bytes + later;
        set_pattern(out[1], SIZED_OUT);
        memset(room[0], 0, sizeof room[0]);
        memcpy(room[0], good, bytes);
        memcpy(room[0], &size, sizeof size);
        memset(room[0] + size, 0xee, SIZED_LATER); /* beyond it */
        assert_or_say(call(room[0], out[1]) == SINPOS_OK, "%s refuses a struct of %zu bytes", what, size);
        assert_memory_equal(out[0], out[1], SIZED_OUT);
        assert_memory_equal(room[0], &size, sizeof size);
        room[0][size - 1] = 1;
        set_pattern(out[1], SIZED_OUT);
        assert_or_say(call(room[0], out[1]) == SINPOS_E_STRUCT, "%s takes what it does not know", what);
        assert_true(is_pattern(out[1], SIZED_OUT));
    }
}

#endif
