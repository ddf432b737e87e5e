/* Elements as doubles, and the precision of their types. */
#include "elements.h"

#include <math.h>

#include "boundary.h"
#include "half.h"
#include "sinpos_analysis.h"

type_facts type_facts_of(sinpos_type type)
{
    switch (type) {
    case SINPOS_F64: return (type_facts){53, -1074};
    case SINPOS_F32: return (type_facts){24, -149};
    case SINPOS_F16: return (type_facts){11, -24};
    default: return (type_facts){8, -133};
    }
}

const char *type_words(sinpos_type type)
{
    return type == SINPOS_F64   ? "float64"
           : type == SINPOS_F32 ? "float32"
           : type == SINPOS_F16 ? "float16"
                                : "bfloat16";
}

double type_unit(sinpos_type type)
{
    return ldexp(1, -type_facts_of(type).precision);
}

double round_to(double x, sinpos_type type)
{
    const type_facts facts = type_facts_of(type);
    int exponent;
    if (type == SINPOS_F64 || x == 0 || !isfinite(x))
        return x;
    if (type == SINPOS_F32)
        return (double)(float)x;
    frexp(x, &exponent);
    const int least =
        exponent - facts.precision > facts.least_exponent ? exponent - facts.precision : facts.least_exponent;
    const double rounded = ldexp(nearbyint(ldexp(x, -least)), least);
    return type == SINPOS_F16 && fabs(rounded) >= 65520 ? copysign(INFINITY, x) : rounded;
}

/* Numbers below 2^e in size, e = ceil(log2 amplitude), are spaced by at most 2^(e - precision). */
double rounding_width(sinpos_type type, double amplitude)
{
    const type_facts facts = type_facts_of(type);
    int exponent;
    const double fraction = frexp(fabs(amplitude), &exponent);
    if (fraction == 0)
        return 0;
    exponent -= fraction == 0.5;
    return ldexp(1,
                 exponent - facts.precision > facts.least_exponent ? exponent - facts.precision : facts.least_exponent);
}

void widen(double *out, const void *in, sinpos_type type, size_t n)
{
    switch (type) {
    case SINPOS_F64:
        if (n > 0)
            memmove(out, in, n * sizeof *out);
        break;
    case SINPOS_F32:
        for (size_t i = 0; i < n; i++)
            out[i] = (double)((const float *)in)[i];
        break;
    case SINPOS_F16:
        for (size_t i = 0; i < n; i++)
            out[i] = f16_value(((const uint16_t *)in)[i]);
        break;
    case SINPOS_BF16:
        for (size_t i = 0; i < n; i++)
            out[i] = bf16_value(((const uint16_t *)in)[i]);
    }
}

/* x is a number of the type. */
static uint16_t half_bits(double x)
{
    const uint16_t sign = signbit(x) ? 0x8000 : 0;
    const double size = fabs(x);
    if (!isfinite(x))
        return (uint16_t)(sign | 0x7c00 | (isnan(x) ? 0x200 : 0));
    if (size < 0x1p-14)
        return (uint16_t)(sign | (uint16_t)(size * 0x1p24));
    const int exponent = ilogb(size); /* ldexp() has the bit that the exponent's field counts on by one */
    return (uint16_t)(sign | (((exponent + 14) << 10) + (int)ldexp(size, 10 - exponent)));
}

void narrow(void *out, const double *x, sinpos_type type, size_t n)
{
    uint16_t *elements = out;
    for (size_t i = 0; i < n; i++) {
        const double rounded = round_to(x[i], type);
        const float single = (float)rounded;
        uint32_t bits;
        memcpy(&bits, &single, sizeof bits);
        elements[i] = type == SINPOS_F16 ? half_bits(rounded) : (uint16_t)(bits >> 16);
    }
}

unsigned types_that_hold(const double *x, size_t n, unsigned types)
{
    static const sinpos_type narrow[] = {SINPOS_F32, SINPOS_F16, SINPOS_BF16};
    for (size_t k = 0; k < 3; k++)
        for (size_t i = 0; i < n && (types & (unsigned)narrow[k]) != 0; i++)
            if (x[i] == x[i] && round_to(x[i], narrow[k]) != x[i])
                types &= ~(unsigned)narrow[k];
    return types;
}

sinpos_type narrowest_type(sinpos_type type, unsigned types)
{
    static const sinpos_type order[] = {SINPOS_BF16, SINPOS_F16, SINPOS_F32};
    for (size_t k = 0; k < 3; k++)
        if ((types & (unsigned)order[k]) != 0 && sinpos_type_bytes(order[k]) <= sinpos_type_bytes(type))
            return order[k] == SINPOS_F32 || type != SINPOS_F16 ? order[k] : type;
    return type;
}

sinpos_status sinpos_widen(sinpos_type type, const void *from, size_t n, double *to)
{
    BOUNDARY;
    if ((from == NULL || to == NULL) && n > 0)
        return SINPOS_E_NULL;
    if (sinpos_type_bytes(type) == 0)
        return SINPOS_E_TYPE;
    widen(to, from, type, n);
    return SINPOS_OK;
}
