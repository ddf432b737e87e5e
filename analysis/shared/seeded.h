/* Numbers that look random and are the same everywhere: a function of seed, stream and index, after SplitMix64. */
#pragma once

#include <stdint.h>

static inline uint64_t seeded_bits(uint64_t seed, uint64_t stream, uint64_t index)
{
    uint64_t z = seed + stream * UINT64_C(0xd1342543de82ef95);
    for (int round = 0; round < 2; round++) {
        z += (round == 0 ? 1 : index + 1) * UINT64_C(0x9e3779b97f4a7c15);
        z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
        z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
        z ^= z >> 31;
    }
    return z;
}

/* Uniform with mean 0 and variance 1: in -sqrt(3) .. sqrt(3). */
static inline double seeded_uniform(uint64_t seed, uint64_t stream, uint64_t index)
{
    return ((double)(seeded_bits(seed, stream, index) >> 11) * 0x1p-52 - 1) * 1.7320508075688772;
}
