#include "difference_words.h"

#include <stdio.h>

#include "json_out.h"

/*
 * Units up to which an error is rounding: sines of float32 and float64 libraries are within 2.4 of their own ulp, 1.2
 * units, and a factor rounds once more; 16-bit elements are rounded once from float32, within half a unit.
 */
#define HARMLESS_WIDE 2.0
#define HARMLESS_NARROW 0.51

/* The ulp says something of an element that is not smaller than this part of the amplitude, and off by less than half. */
#define LARGE_PART 0x1p-4

static bool has_unit(const struct difference *difference)
{
    return !isnan(difference->max_amplitude_ulp);
}

static const char *error_text(char text[NUMBER_TEXT_BYTES], double error)
{
    snprintf(text, NUMBER_TEXT_BYTES, isfinite(error) ? "%.2e" : "infinite", error);
    return text;
}

static const char *ulp_text(char text[NUMBER_TEXT_BYTES], uint64_t ulp)
{
    snprintf(text, NUMBER_TEXT_BYTES, "%llu ulp", (unsigned long long)ulp);
    return text;
}

static const char *units_text(char text[NUMBER_TEXT_BYTES], double units)
{
    const char *format = !isfinite(units) ? "infinite" : units < 10 ? "%.2f" : units < 1e7 ? "%.0f" : "%.2e";
    snprintf(text, NUMBER_TEXT_BYTES, format, units);
    return text;
}

const char *difference_text(const struct difference *difference, const char *which, char text[DIFFERENCE_TEXT_BYTES])
{
    char error[NUMBER_TEXT_BYTES], number[NUMBER_TEXT_BYTES];
    const double share = 100.0 * (double)difference->wrong / (double)difference->elements;
    const int n = snprintf(text, DIFFERENCE_TEXT_BYTES, "%llu of %llu elements%s %s wrong (%.2f %%), ",
                           (unsigned long long)difference->wrong, (unsigned long long)difference->elements, which,
                           difference->wrong == 1 ? "is" : "are", share);
    char *rest = text + n;
    const size_t room = DIFFERENCE_TEXT_BYTES - (size_t)n;
    if (difference->max_ulp == ULP_INFINITE)
        snprintf(rest, room, "some are not numbers");
    else if (!isfinite(difference->max_abs_error))
        snprintf(rest, room, "some are infinite");
    else if (has_unit(difference))
        snprintf(rest, room, "by up to %s, %s units of the amplitude's last place",
                 error_text(error, difference->max_abs_error), units_text(number, difference->max_amplitude_ulp));
    else
        snprintf(rest, room, "by up to %s, %s", error_text(error, difference->max_abs_error),
                 ulp_text(number, difference->max_ulp));
    return text;
}

const char *harmless_text(const struct difference *difference, const struct scale *scale)
{
    const bool is_narrow = scale->type == SINPOS_F16 || scale->type == SINPOS_BF16;
    if (!(difference->max_amplitude_ulp <= (is_narrow ? HARMLESS_NARROW : HARMLESS_WIDE)))
        return NULL;
    return is_narrow ? "harmless rounding: no error is above 0.51 units of the amplitude's last place"
                     : "harmless rounding: no error is above 2 units of the amplitude's last place";
}

const char *element_error_text(const struct scale *scale, double want, double error, uint64_t ulp,
                               char text[DIFFERENCE_TEXT_BYTES])
{
    char number[NUMBER_TEXT_BYTES], units[NUMBER_TEXT_BYTES], steps[NUMBER_TEXT_BYTES];
    error_text(number, error);
    units_text(units, error / scale_unit(scale));
    ulp_text(steps, ulp);
    if (isnan(scale->amplitude))
        snprintf(text, DIFFERENCE_TEXT_BYTES, "off by %s, %s", number, steps);
    else if (fabs(want) >= LARGE_PART * fabs(scale->amplitude) && error <= fabs(want) / 2)
        snprintf(text, DIFFERENCE_TEXT_BYTES, "off by %s, %s units (%s)", number, units, steps);
    else
        snprintf(text, DIFFERENCE_TEXT_BYTES, "off by %s, %s units", number, units);
    return text;
}

void print_difference_head(const char *name, int width, const struct scale *scale)
{
    printf("\n  %-*s %12s %9s %12s %16s\n", width, name, "wrong", "", "worst abs",
           isnan(scale->amplitude) ? "worst ulp" : "worst units");
}

void print_difference(const char *name, int width, const struct difference *difference)
{
    char error[NUMBER_TEXT_BYTES], number[NUMBER_TEXT_BYTES] = "NaN";
    if (difference->max_ulp != ULP_INFINITE && has_unit(difference))
        units_text(number, difference->max_amplitude_ulp);
    else if (difference->max_ulp != ULP_INFINITE)
        snprintf(number, sizeof number, "%llu", (unsigned long long)difference->max_ulp);
    printf("  %-*s %12llu %7.2f %% %12s %16s\n", width, name, (unsigned long long)difference->wrong,
           100.0 * (double)difference->wrong / (double)difference->elements,
           error_text(error, difference->max_abs_error), number);
}

void emit_difference(const struct difference *difference)
{
    emit_unsigned("elements", difference->elements);
    emit_unsigned("wrong", difference->wrong);
    emit_unless_infinite("max_ulp", difference->max_ulp);
    emit_real("max_abs_error", difference->max_abs_error);
    emit_real("max_relative_error", difference->max_relative_error);
    emit_real("max_amplitude_ulp", difference->max_amplitude_ulp);
}
