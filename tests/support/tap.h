/* tap.h - for test programs without cmocka (it is not there for every processor): "ok" and "not ok" lines. */
#ifndef SINPOS_TESTS_TAP_H
#define SINPOS_TESTS_TAP_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>

static int tap_failures;
static int tap_count;

__attribute__((format(printf, 2, 3))) static inline bool tap_ok(bool fine, const char *format, ...)
{
    va_list list;
    printf(fine ? "ok %d - " : "not ok %d - ", ++tap_count);
    va_start(list, format);
    vprintf(format, list);
    va_end(list);
    printf("\n");
    fflush(stdout);
    tap_failures += !fine;
    return fine;
}

static inline void tap_skip(const char *name, const char *why)
{
    printf("ok %d - %s # SKIP %s\n", ++tap_count, name, why);
    fflush(stdout);
}

static inline int tap_done(void)
{
    printf("1..%d\n", tap_count);
    return tap_failures ? 1 : 0;
}

#endif
