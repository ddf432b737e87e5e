/* checksum.h - 64 bits that say whether bytes are still what they were; no protection against somebody who forges them.
 *
 * Four lanes take every fourth word of 8 bytes each, at the speed of memory. Each step is a one-to-one function of the word
 * and of the lane, so a change within one word, or of the seed alone, always changes the sum; other changes escape with a
 * chance of about 2^-64. The sum of the same bytes is the same on every machine.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* seed: what else the sum is to stand for, such as the number of a block. */
uint64_t checksum(const void *bytes, size_t n, uint64_t seed);
