#include "checksum.h"

#include <string.h>

/* Odd, so that products are one-to-one; half of their bits are set, in no pattern: the first 64 of the fractions of the
 * square roots of 2, 3, 5 and 7, the last bit set. */
#define ROOT_2 UINT64_C(0x6a09e667f3bcc909)
#define ROOT_3 UINT64_C(0xbb67ae8584caa73b)
#define ROOT_5 UINT64_C(0x3c6ef372fe94f82b)
#define ROOT_7 UINT64_C(0xa54ff53a5f1d36f1)
enum { LANES = 4, WORD = 8, STRIPE = LANES * WORD };

static uint64_t turned(uint64_t word, unsigned bits)
{
    return word << bits | word >> (64 - bits);
}

static uint64_t step(uint64_t lane, uint64_t word)
{
    return turned(lane + word * ROOT_3, 31) * ROOT_2;
}

static uint64_t little_endian(const unsigned char *p)
{
    uint64_t word = 0;
    for (int i = WORD; i-- > 0;)
        word = word << 8 | p[i];
    return word;
}

static void add_stripe(uint64_t lanes[LANES], const unsigned char *p)
{
    for (size_t k = 0; k < LANES; k++)
        lanes[k] = step(lanes[k], little_endian(p + k * WORD));
}

uint64_t checksum(const void *bytes, size_t n, uint64_t seed)
{
    uint64_t lanes[LANES] = {seed + ROOT_2, seed ^ ROOT_3, seed + ROOT_5, seed ^ ROOT_7};
    const unsigned char *p = bytes, *end = p + n / STRIPE * STRIPE;
    unsigned char last[STRIPE] = {0};
    for (; p < end; p += STRIPE)
        add_stripe(lanes, p);
    if (n % STRIPE > 0) {
        memcpy(last, p, n % STRIPE);
        add_stripe(lanes, last);
    }
    uint64_t sum = n;
    for (size_t k = 0; k < LANES; k++)
        sum = step(sum, lanes[k]);
    sum = (sum ^ sum >> 32) * ROOT_5;
    return sum ^ sum >> 29;
}
