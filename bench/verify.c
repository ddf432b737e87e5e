#include "verify.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "sinpos_analysis.h"

enum { FIRST_ROWS = 64, MORE_ROWS = 64 };

void bench_theta(double *theta)
{
    for (size_t k = 0; k < BENCH_TONES; k++)
        theta[k] = pow(BENCH_BASE, -2.0 * (double)k / BENCH_DIM);
}

double row_position(const sinpos_rows *rows, size_t i)
{
    if (rows->reals)
        return rows->reals[i];
    return (double)(rows->integers ? rows->integers[i] : rows->first + (int64_t)i);
}

/* The i-th row that is looked at; rows->n or more when there are no more. */
static size_t looked_at(const sinpos_rows *rows, size_t i)
{
    if (i < FIRST_ROWS)
        return i;
    const size_t stride = rows->n / MORE_ROWS;
    return stride ? FIRST_ROWS + (i - FIRST_ROWS) * stride : rows->n;
}

static double element(const void *table, sinpos_type type, size_t i)
{
    double value;
    return sinpos_widen(type, (const char *)table + i * sinpos_type_bytes(type), 1, &value) == SINPOS_OK ? value
                                                                                                         : (double)NAN;
}

static double row_error(const void *table, sinpos_type type, size_t row, double position, const double *theta)
{
    double largest = 0.0;
    for (size_t k = 0; k < BENCH_TONES; k++) {
        const double angle = position * theta[k];
        const size_t i = row * BENCH_DIM + 2 * k;
        const double error =
            fmax(fabs(element(table, type, i) - sin(angle)), fabs(element(table, type, i + 1) - cos(angle)));
        if (!isfinite(element(table, type, i)) || !isfinite(element(table, type, i + 1)))
            return (double)INFINITY;
        largest = fmax(largest, error);
    }
    return largest;
}

double largest_error(const void *table, sinpos_type type, const sinpos_rows *rows)
{
    double theta[BENCH_TONES];
    double largest = 0.0;

    bench_theta(theta);
    for (size_t i = 0; looked_at(rows, i) < rows->n; i++) {
        const size_t row = looked_at(rows, i);
        const double position = row_position(rows, row);
        if (fabs(position) < 0x1p21)
            largest = fmax(largest, row_error(table, type, row, position, theta));
    }
    return largest;
}

size_t rows_unlike_fill(const sinpos_plan *plan, const void *table, sinpos_type type, const sinpos_rows *rows)
{
    double row_alone[BENCH_DIM]; /* room for any type */
    const size_t row_bytes = BENCH_DIM * sinpos_type_bytes(type);
    size_t unlike = 0;

    for (size_t i = 0; looked_at(rows, i) < rows->n; i++) {
        const size_t row = looked_at(rows, i);
        const int64_t position = rows->integers ? rows->integers[row] : rows->first + (int64_t)row;
        if (sinpos_fill(plan, position, 1, type, row_alone, BENCH_DIM) != SINPOS_OK ||
            memcmp(row_alone, (const char *)table + row * row_bytes, row_bytes) != 0)
            unlike++;
    }
    return unlike;
}

double tolerance_of(sinpos_type type)
{
    switch (type) {
    case SINPOS_F64: return 0x1p-30;
    case SINPOS_F32: return 0x1p-25 + 0x1p-30;
    case SINPOS_F16: return 0x1p-12 + 0x1p-30;
    case SINPOS_BF16: return 0x1p-9 + 0x1p-30;
    }
    return 0.0;
}

double rotary_element(size_t i)
{
    return (2.0 * (double)(i * 37 % 101) - 101.0) / 128.0;
}

void fill_rotary(void *x, sinpos_type type, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const float single = (float)rotary_element(i);
        uint32_t bits;
        memcpy(&bits, &single, sizeof bits);
        if (type == SINPOS_F32)
            ((float *)x)[i] = single;
        else /* bfloat16: exact, since 8 bits suffice */
            ((uint16_t *)x)[i] = (uint16_t)(bits >> 16);
    }
}

static double head_error(const void *x, sinpos_type type, size_t head, double position, sinpos_layout layout)
{
    double largest = 0.0;
    for (size_t k = 0; k < ROTARY_DIM / 2; k++) {
        const double angle = position * pow(BENCH_BASE, -2.0 * (double)k / ROTARY_DIM);
        const size_t a = head * ROTARY_DIM + (layout == SINPOS_HALVES ? k : 2 * k);
        const size_t b = head * ROTARY_DIM + (layout == SINPOS_HALVES ? k + ROTARY_DIM / 2 : 2 * k + 1);
        const double u = rotary_element(a), v = rotary_element(b);
        const double error_u = fabs(element(x, type, a) - (u * cos(angle) - v * sin(angle)));
        const double error_v = fabs(element(x, type, b) - (v * cos(angle) + u * sin(angle)));
        if (!isfinite(error_u) || !isfinite(error_v))
            return (double)INFINITY;
        largest = fmax(largest, fmax(error_u, error_v));
    }
    return largest;
}

double rotary_error(const void *x, sinpos_type type, size_t n, size_t heads, sinpos_layout layout)
{
    const sinpos_rows rows = {.struct_size = sizeof rows, .n = n};
    double largest = 0.0;
    for (size_t i = 0; looked_at(&rows, i) < n; i++) {
        const size_t row = looked_at(&rows, i);
        largest = fmax(largest, head_error(x, type, row * heads + i % heads, (double)row, layout));
    }
    return largest;
}
