/* Rounding to an element type, once, and the bits of elements. */
#include <math.h>
#include <string.h>

#include "../half.h"
#include "../internal.h"

typedef struct format {
    int precision;      /* significant bits, the hidden one included */
    int least_exponent; /* of the last bit of a subnormal: the spacing is 2^least_exponent */
    int top_exponent;   /* finite numbers are below 2^top_exponent */
} format;

static format format_of(sinpos_type type)
{
    switch (type) {
    case SINPOS_F32: return (format){24, -149, 128};
    case SINPOS_F16: return (format){11, -24, 16};
    case SINPOS_BF16: return (format){8, -133, 128};
    case SINPOS_F64: break;
    }
    return (format){53, -1074, 1024};
}

static double with_sign(double size, bool negative)
{
    return negative ? -size : size;
}

/*
 * RN of (top + sticky) * 2^exponent, top a 64-bit integer whose top bit is set, 0 <= sticky < 1 (only whether it is
 * zero matters).
 */
static double round_bits(bool negative, uint64_t top, bool sticky, int64_t exponent, sinpos_type type)
{
    const format f = format_of(type);
    int64_t keep = f.precision; /* bits of top that the result keeps */
    if (exponent + 64 - keep < f.least_exponent)
        keep = exponent + 64 - f.least_exponent;
    if (keep < 0)
        return with_sign(0.0, negative);
    const unsigned drop = (unsigned)(64 - keep); /* 11 .. 64 */
    uint64_t kept = drop == 64 ? 0 : top >> drop;
    const uint64_t half = (uint64_t)1 << (drop - 1);
    const uint64_t rest = drop == 64 ? top : top & ((half << 1) - 1);
    if (rest > half || (rest == half && (sticky || (kept & 1))))
        kept++;
    if (kept == 0)
        return with_sign(0.0, negative);
    const double size = ldexp((double)kept, (int)(exponent + drop));
    return with_sign(size >= ldexp(1.0, f.top_exponent - 1) * 2 ? INFINITY : size, negative);
}

double round_wide(size_t n, const wide *a, sinpos_type type)
{
    if (a->sign == 0)
        return 0.0;
    if (a->exponent > 2000)
        return with_sign(INFINITY, a->sign < 0);
    bool sticky = false;
    for (size_t i = 1; i < n; i++)
        sticky = sticky || a->limb[i] != 0;
    return round_bits(a->sign < 0, a->limb[0], sticky, a->exponent - 64, type);
}

double round_double(double x, sinpos_type type)
{
    if (type == SINPOS_F64 || x == 0 || !isfinite(x))
        return x;
    if (type == SINPOS_F32)
        return (double)(float)x;
    int exponent;
    const double significand = frexp(fabs(x), &exponent);
    return round_bits(signbit(x), (uint64_t)ldexp(significand, 64), false, exponent - 64, type);
}

double round_sum(double high, double low, sinpos_type type)
{
    const double sum = high + low, part = sum - high;
    if (type == SINPOS_F64)
        return sum;
    /* Round to odd first: 53 bits and a sticky last one lose nothing that 24 bits could need. */
    const double lost = (high - (sum - part)) + (low - part);
    uint64_t bits;
    memcpy(&bits, &sum, sizeof bits);
    if (lost != 0 && !(bits & 1)) {
        const bool away = (lost > 0) == (sum > 0);
        bits += away ? 1 : (uint64_t)-1;
    }
    double odd;
    memcpy(&odd, &bits, sizeof odd);
    return round_double(odd, type);
}

void store_element(void *out, size_t index, double value, sinpos_type type)
{
    char *place = (char *)out + index * sinpos_type_bytes(type);
    uint32_t bits;
    const float single = (float)value;
    memcpy(&bits, &single, sizeof bits);
    if (type == SINPOS_F64) {
        memcpy(place, &value, sizeof value);
    } else if (type == SINPOS_F32) {
        memcpy(place, &bits, sizeof bits);
    } else if (type == SINPOS_BF16) {
        uint16_t half = (uint16_t)(bits >> 16);
        if (isnan(value))
            half |= 0x40;
        memcpy(place, &half, sizeof half);
    } else {
        const uint16_t sign = (uint16_t)(bits >> 16 & 0x8000);
        uint16_t half;
        if (isnan(value))
            half = (uint16_t)(0x7e00 | (bits >> 13 & 0x3ff));
        else if (isinf(value))
            half = 0x7c00;
        else if (fabs(value) < 0x1p-14)
            half = (uint16_t)(fabs(value) * 0x1p24);
        else
            half = (uint16_t)((bits >> 13 & 0x3ffff) - (112 << 10));
        half |= sign;
        memcpy(place, &half, sizeof half);
    }
}

double load_element(const void *in, size_t index, sinpos_type type)
{
    const char *place = (const char *)in + index * sinpos_type_bytes(type);
    double value;
    float single;
    uint16_t half;
    if (type == SINPOS_F64) {
        memcpy(&value, place, sizeof value);
        return value;
    }
    if (type == SINPOS_F32) {
        memcpy(&single, place, sizeof single);
        return (double)single;
    }
    memcpy(&half, place, sizeof half);
    return type == SINPOS_BF16 ? bf16_value(half) : f16_value(half);
}
