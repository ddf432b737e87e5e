/* analysis_calls.h - a call of every function of libsinpos-analysis, each of which leaves bytes to compare. */
#ifndef SINPOS_TESTS_ANALYSIS_CALLS_H
#define SINPOS_TESTS_ANALYSIS_CALLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sinpos_analysis.h"

enum { ANALYSIS_OUT = 1 << 16 }; /* bytes */

typedef struct analysis_call {
    const char *name;
    const char *functions; /* that it calls, for it or for another: the names without sinpos_ */
    sinpos_status (*call)(void *out);
    bool keeps_out;   /* the header says that the result is untouched on error */
    bool needs_flint; /* or LAPACK */
    bool has_memory;  /* of its own */
} analysis_call;

extern const analysis_call analysis_calls[];
extern const size_t n_analysis_calls;

int analysis_calls_set_up(void **state);
int analysis_calls_tear_down(void **state);

#endif
