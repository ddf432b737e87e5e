/* random.h - reproducible random numbers: the same on every machine. */
#ifndef SINPOS_TESTS_RANDOM_H
#define SINPOS_TESTS_RANDOM_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef struct random_state {
    uint64_t state;
} random_state;

/* splitmix64 */
static inline uint64_t random_u64(random_state *r)
{
    uint64_t z = (r->state += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

static inline random_state random_seed(uint64_t seed, uint64_t stream)
{
    random_state r = {seed};
    r.state = random_u64(&r) ^ (stream * UINT64_C(0xd1342543de82ef95));
    (void)random_u64(&r);
    return r;
}

/* 0 .. n-1 */
static inline size_t random_below(random_state *r, size_t n)
{
    return (size_t)(random_u64(r) % n);
}

static inline bool random_chance(random_state *r, unsigned percent)
{
    return random_below(r, 100) < percent;
}

/* 0 <= x < 1 */
static inline double random_unit(random_state *r)
{
    return (double)(random_u64(r) >> 11) * 0x1p-53;
}

/* 1 <= |x| < 2 times 2^e, e uniform in low .. high; never zero unless it underflows */
static inline double random_spread(random_state *r, int low, int high)
{
    const int e = low + (int)random_below(r, (size_t)(high - low + 1));
    return ldexp(1 + random_unit(r), e);
}

static inline double random_sign(random_state *r)
{
    return (random_u64(r) & 1) ? -1.0 : 1.0;
}

static inline int64_t random_int64_bits(random_state *r)
{
    const unsigned bits = 1 + (unsigned)random_below(r, 63);
    const int64_t v = (int64_t)(random_u64(r) >> (64 - bits));
    return (random_u64(r) & 1) ? -v : v;
}

#endif
