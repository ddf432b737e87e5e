/*
 * cases.h - cmocka, in place of <cmocka.h>: assertions are counted, and a case that made none fails.
 *
 * Each case prints "# NAME: N assertions". With SINPOS_LIST_CASES in the environment a program prints the names of its
 * cases and runs none: tests/api/promises.py reads both.
 */
#ifndef SINPOS_TESTS_CASES_H
#define SINPOS_TESTS_CASES_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

static unsigned long case_assertions;
static int case_skipped;

/* What the macros of cmocka call; names that a version of it lacks do no harm. */
#define CASE_COUNT(function, ...) (case_assertions++, (function)(__VA_ARGS__))
#define _assert_true(...) CASE_COUNT(_assert_true, __VA_ARGS__)
#define _assert_false(...) CASE_COUNT(_assert_false, __VA_ARGS__)
#define _assert_return_code(...) CASE_COUNT(_assert_return_code, __VA_ARGS__)
#define _assert_float_equal(...) CASE_COUNT(_assert_float_equal, __VA_ARGS__)
#define _assert_float_not_equal(...) CASE_COUNT(_assert_float_not_equal, __VA_ARGS__)
#define _assert_double_equal(...) CASE_COUNT(_assert_double_equal, __VA_ARGS__)
#define _assert_double_not_equal(...) CASE_COUNT(_assert_double_not_equal, __VA_ARGS__)
#define _assert_int_equal(...) CASE_COUNT(_assert_int_equal, __VA_ARGS__)
#define _assert_int_not_equal(...) CASE_COUNT(_assert_int_not_equal, __VA_ARGS__)
#define _assert_uint_equal(...) CASE_COUNT(_assert_uint_equal, __VA_ARGS__)
#define _assert_uint_not_equal(...) CASE_COUNT(_assert_uint_not_equal, __VA_ARGS__)
#define _assert_ptr_equal_msg(...) CASE_COUNT(_assert_ptr_equal_msg, __VA_ARGS__)
#define _assert_ptr_not_equal_msg(...) CASE_COUNT(_assert_ptr_not_equal_msg, __VA_ARGS__)
#define _assert_string_equal(...) CASE_COUNT(_assert_string_equal, __VA_ARGS__)
#define _assert_string_not_equal(...) CASE_COUNT(_assert_string_not_equal, __VA_ARGS__)
#define _assert_memory_equal(...) CASE_COUNT(_assert_memory_equal, __VA_ARGS__)
#define _assert_memory_not_equal(...) CASE_COUNT(_assert_memory_not_equal, __VA_ARGS__)
#define _assert_in_range(...) CASE_COUNT(_assert_in_range, __VA_ARGS__)
#define _assert_not_in_range(...) CASE_COUNT(_assert_not_in_range, __VA_ARGS__)
#define _assert_in_set(...) CASE_COUNT(_assert_in_set, __VA_ARGS__)
#define _assert_not_in_set(...) CASE_COUNT(_assert_not_in_set, __VA_ARGS__)
#define _skip(...) (case_skipped = 1, (_skip)(__VA_ARGS__))

/* An assertion that says more where it fails. */
#define assert_or_say(condition, ...)                                                                                  \
    do {                                                                                                               \
        case_assertions++;                                                                                             \
        if (!(condition))                                                                                              \
            fail_msg(__VA_ARGS__);                                                                                     \
    } while (0)

static inline int case_begin(void **state)
{
    (void)state;
    case_assertions = 0;
    case_skipped = 0;
    return 0;
}

/* Fails a case that asserted nothing. */
static inline int case_report(const char *what, const char *name)
{
    printf("# %s%s%s: %lu assertions%s\n", what, what[0] == '\0' ? "" : " ", name, case_assertions,
           case_skipped ? ", skipped" : "");
    fflush(stdout);
    return case_assertions > 0 || case_skipped ? 0 : -1;
}

/* *state is the name of the case. */
static inline int case_end(void **state)
{
    return case_report("", *state);
}

#undef cmocka_unit_test
#define cmocka_unit_test(f)                                                                                            \
    {                                                                                                                  \
#f, f, case_begin, case_end, (void *)(uintptr_t) #f                                                            \
    }

static inline int cases_run(const char *group, const struct CMUnitTest *cases, size_t n, CMFixtureFunction setup,
                            CMFixtureFunction teardown)
{
    for (size_t i = 0; getenv("SINPOS_LIST_CASES") != NULL && i < n; i++)
        printf("%s\n", cases[i].name);
    return getenv("SINPOS_LIST_CASES") != NULL ? 0 : _cmocka_run_group_tests(group, cases, n, setup, teardown);
}

#undef cmocka_run_group_tests
#undef cmocka_run_group_tests_name
#define cmocka_run_group_tests(cases, setup, teardown) cmocka_run_group_tests_name(#cases, cases, setup, teardown)
#define cmocka_run_group_tests_name(group, cases, setup, teardown)                                                     \
    cases_run(group, cases, sizeof cases / sizeof cases[0], setup, teardown)

#endif
