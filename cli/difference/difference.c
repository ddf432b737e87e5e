#include "difference.h"

#include <string.h>

/* On the number line of the type: neighbours differ by 1, zero is 0. */
static int64_t place_of(sinpos_type type, const void *data, size_t i)
{
    uint64_t b64;
    uint32_t b32;
    uint16_t b16;
    switch (type) {
    case SINPOS_F64:
        memcpy(&b64, (const char *)data + 8 * i, 8);
        return b64 >> 63 ? -(int64_t)(b64 & INT64_MAX) : (int64_t)b64;
    case SINPOS_F32:
        memcpy(&b32, (const char *)data + 4 * i, 4);
        return b32 >> 31 ? -(int64_t)(b32 & INT32_MAX) : (int64_t)b32;
    default: memcpy(&b16, (const char *)data + 2 * i, 2); return b16 >> 15 ? -(int64_t)(b16 & INT16_MAX) : (int64_t)b16;
    }
}

uint64_t difference_take(struct difference *difference, sinpos_type type, const void *got, const void *want, size_t i,
                         double value, double exact)
{
    const int64_t a = place_of(type, got, i), b = place_of(type, want, i);
    uint64_t ulp = a > b ? (uint64_t)a - (uint64_t)b : (uint64_t)b - (uint64_t)a;
    double error = fabs(value - exact);
    if (isnan(value)) {
        ulp = ULP_INFINITE;
        error = INFINITY;
    }
    difference->elements++;
    difference->wrong += ulp > 0;
    difference->max_ulp = ulp > difference->max_ulp ? ulp : difference->max_ulp;
    difference->max_abs_error = error > difference->max_abs_error ? error : difference->max_abs_error;
    return ulp;
}

static double size_of(const struct scale *scale)
{
    return scale->amplitude == 0 ? 1 : fabs(scale->amplitude);
}

double scale_unit(const struct scale *scale)
{
    static const struct {
        sinpos_type type;
        int digits, least; /* bits behind the first; exponent of the smallest number */
    } types[] = {{SINPOS_F64, 52, -1074}, {SINPOS_F32, 23, -149}, {SINPOS_F16, 10, -24}, {SINPOS_BF16, 7, -133}};
    size_t i = 0;
    if (isnan(scale->amplitude))
        return NAN;
    while (types[i].type != scale->type)
        i++;
    const int exponent = ilogb(size_of(scale)) - types[i].digits;
    return ldexp(1, exponent > types[i].least ? exponent : types[i].least);
}

void difference_scale(struct difference *difference, const struct scale *scale)
{
    difference->max_relative_error = difference->max_abs_error / size_of(scale);
    difference->max_amplitude_ulp = difference->max_abs_error / scale_unit(scale);
}

void difference_join(struct difference *difference, const struct difference *other)
{
    difference->elements += other->elements;
    difference->wrong += other->wrong;
    difference->max_ulp = other->max_ulp > difference->max_ulp ? other->max_ulp : difference->max_ulp;
    difference->max_abs_error =
        other->max_abs_error > difference->max_abs_error ? other->max_abs_error : difference->max_abs_error;
}

bool difference_is_beyond(const struct difference *difference, double tolerance)
{
    return difference->max_ulp == ULP_INFINITE || (double)difference->max_ulp > tolerance;
}
