#include "figure.h"

#include <ctype.h>
#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void begin(struct figure *figure, enum figure_kind kind, size_t n_rows, size_t n_columns)
{
    memset(figure, 0, sizeof *figure);
    figure->kind = kind;
    figure->n_rows = n_rows;
    figure->n_columns = n_columns;
    figure->x.low = figure->x.high = figure->y.low = figure->y.high = NAN;
}

sinpos_status figure_lines(struct figure *figure, size_t n_rows, size_t n_columns)
{
    begin(figure, FIGURE_LINES, n_rows, n_columns);
    figure->columns = calloc(n_columns, sizeof *figure->columns);
    for (size_t i = 0; figure->columns != NULL && i < n_columns; i++) {
        figure->columns[i].values = calloc(n_rows + 1, sizeof(double));
        if (figure->columns[i].values == NULL)
            figure_free(figure);
    }
    return figure->columns == NULL ? SINPOS_E_MEMORY : SINPOS_OK;
}

sinpos_status figure_matrix(struct figure *figure, size_t n_rows, size_t n_columns)
{
    begin(figure, FIGURE_MATRIX, n_rows, n_columns);
    if (n_rows > SIZE_MAX / sizeof(double) / n_columns)
        return SINPOS_E_MEMORY;
    figure->row_at = calloc(n_rows, sizeof(double));
    figure->column_at = calloc(n_columns, sizeof(double));
    figure->cells = calloc(n_rows * n_columns, sizeof(double));
    if (figure->row_at == NULL || figure->column_at == NULL || figure->cells == NULL) {
        figure_free(figure);
        return SINPOS_E_MEMORY;
    }
    return SINPOS_OK;
}

void figure_free(struct figure *figure)
{
    for (size_t i = 0; figure->columns != NULL && i < figure->n_columns; i++)
        free(figure->columns[i].values);
    free(figure->columns);
    free(figure->row_at);
    free(figure->column_at);
    free(figure->cells);
    figure->columns = NULL;
    figure->row_at = figure->column_at = figure->cells = NULL;
    figure->n_rows = figure->n_columns = 0;
}

void figure_axes(struct figure *figure, const char *x, const char *y)
{
    FIGURE_TEXT(figure->x.label, "%s", x);
    FIGURE_TEXT(figure->y.label, "%s", y);
}

sinpos_status figure_refuse(struct figure *figure, const char *why, ...)
{
    va_list arguments;
    va_start(arguments, why);
    vsnprintf(figure->why, sizeof figure->why, why, arguments);
    va_end(arguments);
    return SINPOS_E_VALUE;
}

void figure_text(char *text, size_t room, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, room, format, arguments);
    va_end(arguments);
}

void figure_column_name(struct figure *figure, size_t column, const char *name, ...)
{
    va_list arguments;
    if (figure->columns == NULL) /* there was no memory for them */
        return;
    va_start(arguments, name);
    vsnprintf(figure->columns[column].name, FIGURE_LABEL, name, arguments);
    va_end(arguments);
}

struct figure_series *figure_series_add(struct figure *figure, size_t column, const char *label, ...)
{
    if (figure->n_series == FIGURE_SERIES)
        return NULL;
    struct figure_series *series = &figure->series[figure->n_series];
    va_list arguments;
    va_start(arguments, label);
    vsnprintf(series->label, sizeof series->label, label, arguments);
    va_end(arguments);
    series->column = column;
    series->colour = figure->n_series++;
    return series;
}

void figure_mark_add(struct figure *figure, enum mark_kind kind, double x, double y, const char *label, ...)
{
    if (figure->n_marks == FIGURE_MARKS)
        return;
    struct figure_mark *mark = &figure->marks[figure->n_marks++];
    va_list arguments;
    va_start(arguments, label);
    vsnprintf(mark->label, sizeof mark->label, label, arguments);
    va_end(arguments);
    mark->kind = kind;
    mark->x = x;
    mark->y = y;
}

/* Bytes of the UTF-8 letter that text begins with; 0 where it begins with none. */
static size_t letter_bytes(const char *text)
{
    const unsigned char first = (unsigned char)text[0];
    size_t n = 0;
    if (first < 0x80)
        n = 1;
    else if (first >= 0xC2 && first < 0xF5)
        n = first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
    for (size_t i = 1; i < n; i++)
        if (((unsigned char)text[i] & 0xC0) != 0x80)
            return 0;
    return n;
}

void figure_set_title(struct figure *figure, const char *title)
{
    size_t used = 0;
    while (*title != '\0') {
        const size_t n = letter_bytes(title);
        if (used + (n == 0 ? 1 : n) >= sizeof figure->title)
            break;
        if (n > 1)
            memcpy(figure->title + used, title, n);
        else
            figure->title[used] = n == 0 ? '?' : iscntrl((unsigned char)*title) ? ' ' : *title;
        used += n == 0 ? 1 : n;
        title += n == 0 ? 1 : n;
    }
    figure->title[used] = '\0';
}

/* ------------------------------------------------------------------------------------------------- ranges */

static void include(const struct figure *figure, size_t column, bool is_log, double *low, double *high)
{
    for (size_t i = 0; i < figure->n_rows; i++) {
        const double value = figure->columns[column].values[i];
        if (isfinite(value) && (!is_log || value > 0)) {
            *low = value < *low ? value : *low;
            *high = value > *high ? value : *high;
        }
    }
}

/* An axis of no length is none. */
static void settle(const struct figure_axis *axis, double *low, double *high)
{
    if (*low > *high) {
        *low = axis->is_log ? 1 : 0;
        *high = axis->is_log ? 10 : 1;
    }
    if (*low == *high)
        *high = axis->is_log ? 10 * *low : *low + (fabs(*low) < 1 ? 1 : fabs(*low));
    *low = isnan(axis->low) ? *low : axis->low;
    *high = isnan(axis->high) ? *high : axis->high;
}

static double cell_size(const double *at, size_t n)
{
    return n > 1 ? at[1] - at[0] : 1;
}

double figure_cell_width(const struct figure *figure)
{
    return cell_size(figure->column_at, figure->n_columns);
}

double figure_cell_height(const struct figure *figure)
{
    return cell_size(figure->row_at, figure->n_rows);
}

static void matrix_range(const double *at, size_t n, double *low, double *high)
{
    const double half = cell_size(at, n) / 2;
    *low = at[0] - half;
    *high = at[n - 1] + half;
}

void figure_range_x(const struct figure *figure, double *low, double *high)
{
    if (figure->kind == FIGURE_MATRIX) {
        matrix_range(figure->column_at, figure->n_columns, low, high);
        return;
    }
    *low = INFINITY;
    *high = -INFINITY;
    include(figure, 0, figure->x.is_log, low, high);
    settle(&figure->x, low, high);
}

void figure_range_y(const struct figure *figure, double *low, double *high)
{
    if (figure->kind == FIGURE_MATRIX) {
        matrix_range(figure->row_at, figure->n_rows, low, high);
        return;
    }
    const bool is_log = figure->y.is_log;
    *low = INFINITY;
    *high = -INFINITY;
    for (size_t i = 0; i < figure->n_series; i++) {
        include(figure, figure->series[i].column, is_log, low, high);
        if (figure->series[i].style == SERIES_BAND)
            include(figure, figure->series[i].column + 1, is_log, low, high);
    }
    settle(&figure->y, low, high);
    const double margin = is_log ? pow(*high / *low, 0.04) : 0.05 * (*high - *low);
    *low = !isnan(figure->y.low) ? *low : is_log ? *low / margin : *low - margin;
    *high = !isnan(figure->y.high) ? *high : is_log ? *high * margin : *high + margin;
}

double axis_part(double value, double low, double high, bool is_log)
{
    return is_log ? log(value / low) / log(high / low) : (value - low) / (high - low);
}

/* --------------------------------------------------------------------------------------------------- tics */

static const char *const superscripts[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};

static void power_text(int exponent, char text[TIC_TEXT])
{
    if (exponent >= -3 && exponent <= 3) {
        snprintf(text, TIC_TEXT, "%g", pow(10, exponent));
        return;
    }
    char digits[12];
    size_t used = (size_t)snprintf(text, TIC_TEXT, "10%s", exponent < 0 ? "⁻" : "");
    snprintf(digits, sizeof digits, "%d", exponent < 0 ? -exponent : exponent);
    for (const char *digit = digits; *digit != '\0'; digit++)
        used += (size_t)snprintf(text + used, TIC_TEXT - used, "%s", superscripts[*digit - '0']);
}

static size_t add_minor(double decade, double low, double high, struct tic *tics, size_t n)
{
    for (int i = 2; i < 10 && n < FIGURE_TICS; i++) {
        if (i * decade >= low && i * decade <= high) {
            tics[n].at = i * decade;
            tics[n++].text[0] = '\0';
        }
    }
    return n;
}

/* 1, 2 and 5 times powers of ten, where there are few of these. */
static size_t short_log_tics(double low, double high, struct tic tics[FIGURE_TICS])
{
    size_t n = 0;
    for (int exponent = (int)floor(log10(low)); n < FIGURE_TICS && pow(10, exponent) <= high; exponent++) {
        for (int i = 1; i < 10 && n < FIGURE_TICS; i++) {
            const double at = i * pow(10, exponent);
            if (at >= low * (1 - 1e-9) && at <= high * (1 + 1e-9)) {
                tics[n].at = at;
                snprintf(tics[n].text, TIC_TEXT, "%.10g", at);
                tics[n].text[0] = i == 1 || i == 2 || i == 5 ? tics[n].text[0] : '\0';
                n++;
            }
        }
    }
    return n;
}

static size_t linear_tics(double low, double high, size_t most, struct tic tics[FIGURE_TICS]);

/* Less than two decades; where these have no two such numbers, the tics of a linear axis. */
static size_t few_log_tics(double low, double high, size_t most, struct tic tics[FIGURE_TICS])
{
    const size_t n = short_log_tics(low, high, tics);
    size_t labelled = 0;
    for (size_t i = 0; i < n; i++)
        labelled += tics[i].text[0] != '\0';
    return labelled < 2 ? linear_tics(low, high, most, tics) : n;
}

static size_t log_tics(double low, double high, size_t most, struct tic tics[FIGURE_TICS])
{
    const int first = (int)floor(log10(low) + 1e-9), last = (int)floor(log10(high) + 1e-9);
    if (log10(high) - log10(low) < 2 && low > 1e-4 && high < 1e5)
        return few_log_tics(low, high, most, tics);
    const int step = 1 + (last - first) / (int)(most < 1 ? 1 : most);
    size_t n = 0;
    for (int exponent = first; exponent <= last && n < FIGURE_TICS; exponent++) {
        const double at = pow(10, exponent);
        if (at >= low * (1 - 1e-9) && (exponent % step == 0 || step == 1)) {
            tics[n].at = at;
            power_text(exponent, tics[n++].text);
        }
        n = step == 1 && last - first < 7 ? add_minor(at, low, high, tics, n) : n;
    }
    return n;
}

/* The step 1, 2 or 5 times a power of ten that gives at most so many tics; 0 where doubles hold none. */
static double linear_step(double length, size_t most)
{
    static const double nice[] = {1, 2, 5};
    double decade = pow(10, floor(log10(length / (double)most)));
    for (; decade >= DBL_MIN && decade < DBL_MAX / 100; decade *= 10) {
        for (size_t i = 0; i < 3; i++)
            if (length / (nice[i] * decade) <= (double)most)
                return nice[i] * decade;
    }
    return 0;
}

static size_t linear_tics(double low, double high, size_t most, struct tic tics[FIGURE_TICS])
{
    const double step = linear_step(high - low, most < 2 ? 2 : most);
    size_t n = 0;
    if (step == 0) /* at the ends of what doubles can hold */
        return 0;
    for (double i = ceil(low / step - 1e-9); i * step <= high + 1e-9 * step && n < FIGURE_TICS; i++) {
        tics[n].at = i == 0 ? 0 : i * step;
        snprintf(tics[n].text, TIC_TEXT, "%.10g", tics[n].at);
        if (tics[n].text[0] == '-') {
            char rest[TIC_TEXT];
            snprintf(rest, sizeof rest, "%s", tics[n].text + 1);
            snprintf(tics[n].text, TIC_TEXT, "−%.*s", TIC_TEXT - 5, rest);
        }
        n++;
    }
    return n;
}

size_t figure_tics(double low, double high, bool is_log, size_t most, struct tic tics[FIGURE_TICS])
{
    if (!(low < high) || !isfinite(low) || !isfinite(high) || (is_log && !(low > 0)))
        return 0;
    return is_log ? log_tics(low, high, most, tics) : linear_tics(low, high, most, tics);
}

size_t figure_axis_tics(const struct figure_axis *axis, double low, double high, size_t most,
                        struct tic tics[FIGURE_TICS])
{
    const size_t n = figure_tics(low, high, axis->is_log, most, tics);
    size_t kept = 0;
    for (size_t i = 0; i < n; i++)
        if (!axis->is_whole || tics[i].at == floor(tics[i].at))
            tics[kept++] = tics[i];
    return kept;
}
