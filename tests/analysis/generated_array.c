/* generated_array.c - arrays of any type, element by element. */
#include "cases.h"
#include "generated.h"

#include <math.h>
#include <string.h>

array array_make(size_t n, size_t dim, sinpos_type type)
{
    array a = {.n = n, .dim = dim, .size = sinpos_type_bytes(type), .type = type, .n_dims = 2, .shape = {n, dim}};
    a.data = calloc(n * dim + 1, a.size);
    a.is_other = calloc(n * dim + 1, sizeof *a.is_other);
    assert_non_null(a.data);
    assert_non_null(a.is_other);
    return a;
}

void array_free(array *a)
{
    free(a->data);
    free(a->is_other);
    *a = (array){0};
}

double array_get(const array *a, size_t row, size_t column)
{
    double x;
    assert_int_equal(sinpos_widen(a->type, a->data + (row * a->dim + column) * a->size, 1, &x), SINPOS_OK);
    return x;
}

/* Of float16: its unit is 2^-10 of the power of two, at least 2^-24. */
static uint64_t half_bits(double x)
{
    int exponent;
    if (isnan(x))
        return 0x7E00;
    (void)frexp(x, &exponent);
    const double unit = ldexp(1, exponent < -13 ? -24 : exponent - 11), size = fabs(nearbyint(x / unit) * unit);
    (void)frexp(size, &exponent);
    const double code = size < 0x1p-14 ? size * 0x1p24 : (exponent + 13) * 1024 + ldexp(size, 11 - exponent);
    return (size < 65520 ? (uint64_t)code : 0x7C00) | (signbit(x) ? 0x8000 : 0);
}

/* The nearest element of the type; of bfloat16 from the nearest float32. */
uint64_t bits_of(double x, sinpos_type type)
{
    const float narrow = (float)x;
    uint64_t bits;
    uint32_t word;
    memcpy(&bits, &x, sizeof bits);
    memcpy(&word, &narrow, sizeof word);
    switch (type) {
    case SINPOS_F64: return bits;
    case SINPOS_F32: return word;
    case SINPOS_BF16: return (word + 0x7FFF + (word >> 16 & 1)) >> 16;
    case SINPOS_F16: break;
    }
    return half_bits(x);
}

void array_put(const array *a, size_t row, size_t column, double x)
{
    const uint64_t bits = bits_of(x, a->type);
    memcpy(a->data + (row * a->dim + column) * a->size, &bits, a->size); /* little-endian machines alone are served */
}

bool array_is_same(const array *a, const array *b)
{
    return a->n == b->n && a->dim == b->dim && a->type == b->type &&
           memcmp(a->data, b->data, a->n * a->dim * a->size) == 0;
}
