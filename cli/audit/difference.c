#include "difference.h"

#include <string.h>

struct element {
    int64_t place; /* on the number line of the type: neighbours differ by 1, zero is 0 */
    double value;
};

static struct element from_bits(uint64_t magnitude, bool is_negative, double value)
{
    const int64_t place = (int64_t)magnitude;
    return (struct element){is_negative ? -place : place, value};
}

static double half_value(uint16_t bits)
{
    const int exponent = bits >> 10 & 31;
    const double fraction = bits & 1023;
    double value;
    if (exponent == 31) {
        value = fraction > 0 ? NAN : INFINITY;
    } else {
        value = exponent == 0 ? ldexp(fraction, -24) : ldexp(1024 + fraction, exponent - 25);
    }
    return bits >> 15 ? -value : value;
}

static struct element load(sinpos_type type, const void *data, size_t i)
{
    uint64_t b64;
    uint32_t b32;
    uint16_t b16;
    double f64;
    float f32;
    switch (type) {
    case SINPOS_F64:
        memcpy(&b64, (const char *)data + 8 * i, 8);
        memcpy(&f64, &b64, 8);
        return from_bits(b64 & INT64_MAX, b64 >> 63, f64);
    case SINPOS_F32:
        memcpy(&b32, (const char *)data + 4 * i, 4);
        memcpy(&f32, &b32, 4);
        return from_bits(b32 & INT32_MAX, b32 >> 31, (double)f32);
    case SINPOS_F16:
        memcpy(&b16, (const char *)data + 2 * i, 2);
        return from_bits(b16 & INT16_MAX, b16 >> 15, half_value(b16));
    case SINPOS_BF16: break;
    }
    memcpy(&b16, (const char *)data + 2 * i, 2);
    b32 = (uint32_t)b16 << 16;
    memcpy(&f32, &b32, 4);
    return from_bits(b16 & INT16_MAX, b16 >> 15, (double)f32);
}

uint64_t difference_take(struct difference *difference, sinpos_type type, const void *got, const void *want,
                         const double *exact, size_t i)
{
    const struct element a = load(type, got, i), b = load(type, want, i);
    uint64_t ulp = a.place > b.place ? (uint64_t)a.place - (uint64_t)b.place : (uint64_t)b.place - (uint64_t)a.place;
    double error = fabs(a.value - exact[i]);
    if (isnan(a.value)) {
        ulp = ULP_INFINITE;
        error = INFINITY;
    }
    difference->elements++;
    difference->wrong += ulp > 0;
    difference->max_ulp = ulp > difference->max_ulp ? ulp : difference->max_ulp;
    difference->max_abs_error = error > difference->max_abs_error ? error : difference->max_abs_error;
    return ulp;
}

void difference_join(struct difference *difference, const struct difference *other)
{
    difference->elements += other->elements;
    difference->wrong += other->wrong;
    difference->max_ulp = other->max_ulp > difference->max_ulp ? other->max_ulp : difference->max_ulp;
    difference->max_abs_error =
        other->max_abs_error > difference->max_abs_error ? other->max_abs_error : difference->max_abs_error;
}
