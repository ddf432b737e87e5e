/*
 * tap.h - for test programs without cmocka (it is not there for every processor): "ok" and "not ok" lines.
 *
 * What compares many things says how many: tap_none_wrong() fails where there were none, and "# N comparisons" at the end
 * is what tests/api/promises.py asks of a test that covers a promise.
 */
#ifndef SINPOS_TESTS_TAP_H
#define SINPOS_TESTS_TAP_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>

static int tap_failures;
static int tap_count;
static unsigned long long tap_comparisons;

static inline bool tap_line(bool fine, const char *format, va_list list)
{
    printf(fine ? "ok %d - " : "not ok %d - ", ++tap_count);
    vprintf(format, list);
    printf("\n");
    fflush(stdout);
    tap_failures += !fine;
    return fine;
}

__attribute__((format(printf, 2, 3))) static inline bool tap_ok(bool fine, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    (void)tap_line(fine, format, list);
    va_end(list);
    return fine;
}

/* Fine if something was compared and nothing was wrong. */
__attribute__((format(printf, 3, 4))) static inline bool
tap_none_wrong(unsigned long long wrong, unsigned long long compared, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    const bool fine = tap_line(wrong == 0 && compared > 0, format, list);
    va_end(list);
    tap_comparisons += compared;
    return fine;
}

static inline void tap_skip(const char *name, const char *why)
{
    printf("ok %d - %s # SKIP %s\n", ++tap_count, name, why);
    fflush(stdout);
}

static inline int tap_done(void)
{
    if (tap_count == 0)
        (void)tap_ok(false, "something is tested");
    if (tap_comparisons > 0)
        printf("# %llu comparisons\n", tap_comparisons);
    printf("1..%d\n", tap_count);
    return tap_failures ? 1 : 0;
}

#endif
