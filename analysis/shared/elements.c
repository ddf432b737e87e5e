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
