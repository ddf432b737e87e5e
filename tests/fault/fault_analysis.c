/* libsinpos-analysis without memory: each allocation of its functions fails in turn. FLINT and OpenBLAS keep theirs. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "analysis_calls.h"
#include "cases.h"
#include "wrapped.h"

static const uint8_t UNTOUCHED = 0xa5;

static long some; /* allocations of a function that fail */
static uint8_t wanted[ANALYSIS_OUT], got[ANALYSIS_OUT], untouched[ANALYSIS_OUT];

/* One allocation fails; false: there were fewer. */
static bool fails(const analysis_call *f, long n)
{
    memset(got, UNTOUCHED, ANALYSIS_OUT);
    const long before = live;
    reset();
    failing_allocation = n;
    const sinpos_status status = f->call(got);
    failing_allocation = 0;
    const bool was_reached = allocations >= n;
    if (live != before)
        fail_msg("%s: allocation %ld fails: %ld blocks are left", f->name, n, live - before);
    if (status != (was_reached ? SINPOS_E_MEMORY : SINPOS_OK))
        fail_msg("%s: allocation %ld fails: %s", f->name, n, sinpos_strerror(status));
    if (status == SINPOS_OK && memcmp(got, wanted, ANALYSIS_OUT) != 0)
        fail_msg("%s: another result, the second time", f->name);
    if (status != SINPOS_OK && f->keeps_out && memcmp(got, untouched, ANALYSIS_OUT) != 0)
        fail_msg("%s: allocation %ld fails, and the result was written to", f->name, n);
    return was_reached;
}

static void every_allocation_fails(void **state)
{
    (void)state;
    memset(untouched, UNTOUCHED, ANALYSIS_OUT);
    for (size_t i = 0; i < n_analysis_calls; i++) {
        const analysis_call *f = &analysis_calls[i];
        long n = 1;
        if (!f->has_memory)
            continue;
        memset(wanted, UNTOUCHED, ANALYSIS_OUT);
        reset();
        const sinpos_status status = f->call(wanted);
        if (f->needs_flint && status == SINPOS_E_UNSUPPORTED)
            continue;
        if (status != SINPOS_OK)
            fail_msg("%s: %s", f->name, sinpos_strerror(status));
        assert_true(allocations > 0);
        /* Searches allocate for each of the many that they try: some are enough. */
        for (const long all = allocations; fails(f, n);)
            n += n < some ? 1 : 1 + all / some;
    }
}

int main(int argc, char **argv)
{
    some = argc > 1 && strcmp(argv[1], "--brief") == 0 ? 30 : 150;
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_allocation_fails)};
    return cmocka_run_group_tests_name("fault_analysis", tests, analysis_calls_set_up, analysis_calls_tear_down);
}
