/*
 * decimal.c - the shortest decimal that reads back as the same element.
 *
 * A decimal of DIG digits or fewer survives the way through a normal number of its type, so the search begins
 * there: the element to DIG digits, then to one more, until it reads back. Trailing zeros are dropped at the end.
 * Just above a power of two the numbers lie closer below than above, so there the next decimal up is tried as well.
 */
#include "boundary.h"
#include "format.h"
#include "half.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct type_digits {
    int first, last; /* digits to begin and to end with */
    int precision;   /* bits of the significand */
    int lowest;      /* exponent of the last bit of a subnormal */
    double least_normal;
};

static struct type_digits digits_of(sinpos_type type)
{
    switch (type) {
    case SINPOS_F64: return (struct type_digits){15, 17, 53, -1074, 0x1p-1022};
    case SINPOS_F32: return (struct type_digits){6, 9, 24, -149, 0x1p-126};
    case SINPOS_F16: return (struct type_digits){3, 5, 11, -24, 0x1p-14};
    case SINPOS_BF16: return (struct type_digits){2, 4, 8, -133, 0x1p-126};
    }
    return (struct type_digits){0, 0, 0, 0, 0.0};
}

static double decode(sinpos_type type, const void *element)
{
    double f64 = 0.0;
    float f32 = 0.0F;
    uint16_t bits;
    switch (type) {
    case SINPOS_F64: memcpy(&f64, element, sizeof f64); return f64;
    case SINPOS_F32: memcpy(&f32, element, sizeof f32); return (double)f32;
    case SINPOS_F16: memcpy(&bits, element, sizeof bits); return f16_value(bits);
    case SINPOS_BF16: memcpy(&bits, element, sizeof bits); return bf16_value(bits);
    }
    return f64;
}

/* value > 0 rounded to the type, ties to even. */
static double round_to(struct type_digits digits, double value)
{
    int exponent;
    frexp(value, &exponent);
    const int unit = exponent - digits.precision > digits.lowest ? exponent - digits.precision : digits.lowest;
    return ldexp(nearbyint(ldexp(value, -unit)), unit);
}

static bool reads_back(sinpos_type type, uint64_t number, int exponent, double x)
{
    char text[48];
    snprintf(text, sizeof text, "%llue%d", (unsigned long long)number, exponent);
    if (type == SINPOS_F64)
        return strtod(text, NULL) == x;
    if (type == SINPOS_F32)
        return (double)strtof(text, NULL) == x;
    return round_to(digits_of(type), strtod(text, NULL)) == x;
}

static const double power_of_ten[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                      1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

/*
 * Does number * 10^-k read back as x? k is 0 .. 22, so the quotient of two exact doubles is rounded once, and the
 * doubles on both sides of it bracket the decimal: where they round alike, so does the decimal.
 */
static bool reads_back_quickly(sinpos_type type, struct type_digits digits, uint64_t number, int k, double x)
{
    const double quotient = (double)number / power_of_ten[k];
    const bool below = round_to(digits, quotient * (1 - 0x1p-52)) == x;
    const bool above = round_to(digits, quotient * (1 + 0x1p-52)) == x;
    return below == above ? below : reads_back(type, number, -k, x);
}

struct decimal {
    uint64_t number; /* of n_digits digits, or one more after a carry */
    int n_digits;
    int exponent; /* value: number * 10^exponent */
};

/* The decimal of n_digits digits nearest to x. */
static struct decimal to_digits(double x, int n_digits)
{
    char text[48];
    struct decimal decimal = {0, n_digits, 0};
    snprintf(text, sizeof text, "%.*e", n_digits - 1, x);
    const char *p = text;
    for (; *p != 'e'; p++)
        if (*p >= '0' && *p <= '9')
            decimal.number = 10 * decimal.number + (uint64_t)(*p - '0');
    decimal.exponent = atoi(p + 1) - (n_digits - 1);
    return decimal;
}

/* The same for the short types in plain arithmetic, where 10^k is exact; false where it is not. */
static bool to_digits_quickly(double x, int n_digits, int decade, struct decimal *decimal)
{
    const int k = n_digits - 1 - decade;
    if (k < 0 || k > 22)
        return false;
    *decimal = (struct decimal){(uint64_t)nearbyint(x * power_of_ten[k]), n_digits, -k};
    return true;
}

static int decade_of(double x)
{
    int decade = (int)floor(log10(x));
    if (decade >= -22 && decade < 0 && x * power_of_ten[-decade] < 1.0)
        decade--;
    return decade;
}

static struct decimal shortest(sinpos_type type, double x)
{
    const struct type_digits digits = digits_of(type);
    const int decade = type == SINPOS_F64 ? 0 : decade_of(x);
    int exponent;
    const bool is_power_of_two = frexp(x, &exponent) == 0.5;
    struct decimal decimal = {0, 0, 0};
    for (int n = x < digits.least_normal ? 1 : digits.first; n <= digits.last; n++) {
        const bool quick = type != SINPOS_F64 && to_digits_quickly(x, n, decade, &decimal);
        if (!quick)
            decimal = to_digits(x, n);
        for (int up = 0; up <= (is_power_of_two ? 1 : 0); up++, decimal.number++)
            if (quick ? reads_back_quickly(type, digits, decimal.number, -decimal.exponent, x)
                      : reads_back(type, decimal.number, decimal.exponent, x))
                return decimal;
    }
    return decimal;
}

static size_t write_scientific(char *text, const char *digits, int n, int decade)
{
    int used = snprintf(text, SINPOS_DECIMAL_BYTES, "%c%s%s", digits[0], n > 1 ? "." : "", digits + 1);
    used += snprintf(text + used, SINPOS_DECIMAL_BYTES - (size_t)used, "e%c%02d", decade < 0 ? '-' : '+', abs(decade));
    return (size_t)used;
}

/* digits of value d.ddd * 10^decade, as Python writes its floats but without a trailing ".0". */
static size_t write_digits(char *text, const char *digits, int n, int decade)
{
    if (decade < -4 || decade >= 16)
        return write_scientific(text, digits, n, decade);
    char *p = text;
    if (decade < 0) {
        *p++ = '0';
        *p++ = '.';
        for (int i = -1; i > decade; i--)
            *p++ = '0';
    }
    for (int i = 0; i < n || i <= decade; i++) {
        if (i == decade + 1 && decade >= 0)
            *p++ = '.';
        *p++ = i < n ? digits[i] : '0';
    }
    *p = '\0';
    return (size_t)(p - text);
}

size_t sinpos_decimal(char text[SINPOS_DECIMAL_BYTES], sinpos_type type, const void *element)
{
    BOUNDARY;
    if (text == NULL || element == NULL || digits_of(type).precision == 0)
        return 0;
    const double x = decode(type, element);
    if (isnan(x))
        return (size_t)snprintf(text, SINPOS_DECIMAL_BYTES, "nan");
    const size_t sign = signbit(x) ? 1 : 0;
    text[0] = '-';
    if (isinf(x) || x == 0.0)
        return sign + (size_t)snprintf(text + sign, SINPOS_DECIMAL_BYTES - 1, x == 0.0 ? "0" : "inf");
    const struct decimal decimal = shortest(type, fabs(x));
    char digits[24];
    int n = snprintf(digits, sizeof digits, "%llu", (unsigned long long)decimal.number);
    const int decade = decimal.exponent + n - 1;
    while (n > 1 && digits[n - 1] == '0')
        digits[--n] = '\0';
    return sign + write_digits(text + sign, digits, n, decade);
}
