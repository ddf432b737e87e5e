/* fuzz.h - numbers out of a fuzzer's bytes. */
#ifndef SINPOS_TESTS_FUZZ_H
#define SINPOS_TESTS_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "sinpos.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

typedef struct bytes {
    const uint8_t *at;
    size_t left;
} bytes;

/* The next n bytes, zeros where there are none left. */
static inline void take(bytes *b, void *out, size_t n)
{
    const size_t have = n < b->left ? n : b->left;
    memset(out, 0, n);
    if (have > 0)
        memcpy(out, b->at, have);
    b->at += have;
    b->left -= have;
}

static inline uint8_t take_u8(bytes *b)
{
    uint8_t x;
    take(b, &x, sizeof x);
    return x;
}

static inline int64_t take_i64(bytes *b)
{
    int64_t x;
    take(b, &x, sizeof x);
    return x;
}

/* Any double, or one of the usual ones. */
static inline double take_double(bytes *b)
{
    static const double usual[] = {0,         1,     -1, 0.5,   10000, 2,      1e-300, 0x1p62,
                                   0x1p-1074, 1e300, 64, 0.125, 3,     500000, -0.0,   0.1};
    const uint8_t kind = take_u8(b);
    double x;
    if (kind < 128)
        return usual[kind % 16];
    take(b, &x, sizeof x);
    return x;
}

#endif
