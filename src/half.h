/* Elements of 16 bits as doubles, exactly. */
#pragma once

#include <stdint.h>
#include <string.h>

static inline double double_of_bits(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return (double)value;
}

/* The exponent of a float16 is 112 less than a float's; a factor of 2^112 puts that right, for subnormal numbers too. */
static inline double f16_value(uint16_t half)
{
    const uint32_t size = (uint32_t)(half & 0x7fff) << 13, sign = (uint32_t)(half & 0x8000) << 16;
    return (half & 0x7c00) == 0x7c00 ? double_of_bits(sign | 0x7f800000 | size) : double_of_bits(sign | size) * 0x1p112;
}

static inline double bf16_value(uint16_t half)
{
    return double_of_bits((uint32_t)half << 16);
}
