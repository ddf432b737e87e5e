/*
 * The floating-point environment of the library [P6]: round to nearest, subnormals kept, no traps. BOUNDARY is the first
 * line of every exported function, also of libsinpos-analysis and libsinpos-formats: the caller's environment is put back
 * when the function returns. Threads that a function starts inherit the library's.
 */
#ifndef SINPOS_BOUNDARY_H
#define SINPOS_BOUNDARY_H

#include <stdint.h>

typedef struct fp_state {
    uint64_t word;
} fp_state;

/* Calls, so that no compiler moves arithmetic across them. */
fp_state fp_enter(void);
void fp_leave(const fp_state *before);

#define BOUNDARY __attribute__((cleanup(fp_leave), unused)) const fp_state environment_of_the_caller = fp_enter()

#endif
