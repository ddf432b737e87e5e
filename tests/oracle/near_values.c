#include "near_values.h"

#include <math.h>
#include <stdlib.h>

#include "support.h"

typedef struct tie_format {
    int digits, least, least_normal; /* the last bit of the smallest number; the smallest normal one */
    double limit;                    /* docs/numerics.md, section 3 */
} tie_format;

static const tie_format *format_of(sinpos_type type)
{
    static const tie_format formats[N_TYPES] = {
        {53, -1074, -1022, 0}, {24, -149, -126, 0x1p39}, {11, -24, -14, 0x1p27}, {8, -133, -126, 0x1p27}};
    for (int t = 0; t < N_TYPES; t++)
        if (all_types[t] == type)
            return &formats[t];
    exit(2);
}

double near_limit(sinpos_type type)
{
    return format_of(type)->limit;
}

double near_tie(random_state *r, sinpos_type type, double size, double *half)
{
    const tie_format *f = format_of(type);
    const int exponent = ilogb(size), last = exponent - f->digits + 1 < f->least ? f->least : exponent - f->digits + 1;
    double units = floor(ldexp(size, -last));
    if (random_chance(r, 5) && last > f->least)
        units = ldexp(1, f->digits) - 1; /* the last tie below a power of two, or the first above it */
    else if (random_chance(r, 5) && last > f->least)
        units = ldexp(1, f->digits - 1);
    *half = ldexp(1, last - 1);
    return ldexp(units, last);
}

double near_size(random_state *r, sinpos_type type, double most, double limit)
{
    const tie_format *f = format_of(type);
    const size_t which = random_below(r, 10);
    double size = most * ldexp(1 + random_unit(r), -1 - (int)random_below(r, 60));
    if (which < 4 && limit != 0)
        size = limit * exp2(5.5 * random_unit(r) - 4.5);
    else if (which == 4)
        size = ldexp(exp2(3 * random_unit(r) - 2), f->least_normal);
    else if (which == 5)
        size = ldexp(exp2(5 * random_unit(r) - 1.5), f->least);
    return size < 0.95 * most && size > 0x1p-1040 ? size : most * (0.05 + 0.9 * random_unit(r));
}

double near_offset(random_state *r)
{
    const double all = 2.4 * random_unit(r) - 1.2;
    return random_chance(r, 75) ? all : all * ldexp(1, -(int)random_below(r, 12));
}

void near_parts(const mpfr_t exact, double *first, double *parts, int n)
{
    mpfr_t rest;
    mpfr_init2(rest, mpfr_get_prec(exact));
    *first = mpfr_get_d(exact, MPFR_RNDN);
    mpfr_sub_d(rest, exact, *first, MPFR_RNDN);
    for (int k = 0; k < n; k++) {
        parts[k] = mpfr_get_d(rest, MPFR_RNDN);
        if (fabs(parts[k]) < fabs(*first) * 0x1p-500)
            parts[k] = 0;
        mpfr_sub_d(rest, rest, parts[k], MPFR_RNDN);
    }
    mpfr_clear(rest);
}
