#include "narrow_exactly.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

static bool to_bfloat16(double x, uint16_t *half)
{
    const float single = (float)x;
    uint32_t bits;
    memcpy(&bits, &single, sizeof bits);
    *half = (uint16_t)(bits >> 16 | (isnan(x) ? 0x40 : 0));
    return isnan(x) || ((double)single == x && (bits & 0xffff) == 0);
}

static bool to_float16(double x, uint16_t *half)
{
    const double size = fabs(x);
    const int exponent = size == 0 || !isfinite(x) ? -15 : ilogb(size) < -14 ? -15 : ilogb(size);
    const double units = isfinite(x) ? ldexp(size, exponent == -15 ? 24 : 10 - exponent) : 0;
    const unsigned sign = signbit(x) ? 0x8000 : 0, whole = exponent <= 15 ? (unsigned)units : 0;
    *half = (uint16_t)(sign | (isnan(x)          ? 0x7e00
                               : isinf(x)        ? 0x7c00
                               : exponent == -15 ? whole
                                                 : (unsigned)(exponent + 14) * 1024 + whole));
    return !isfinite(x) || (exponent <= 15 && (double)whole == units);
}

bool narrow_exactly(sinpos_type type, double x, unsigned char *to)
{
    const float single = (float)x;
    uint16_t half = 0;
    bool is_held = true;
    switch (type) {
    case SINPOS_F64: memcpy(to, &x, sizeof x); return true;
    case SINPOS_F32: memcpy(to, &single, sizeof single); return (double)single == x || isnan(x);
    case SINPOS_BF16: is_held = to_bfloat16(x, &half); break;
    case SINPOS_F16: is_held = to_float16(x, &half); break;
    default: return false;
    }
    memcpy(to, &half, sizeof half);
    return is_held;
}
