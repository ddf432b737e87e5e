/*
 * What every public function does with what comes from its caller.
 *
 * The floating-point environment of the library [P6]: round to nearest, subnormals kept, no traps. BOUNDARY is the first
 * line of every exported function, also of libsinpos-analysis and libsinpos-formats: the caller's environment is put back
 * when the function returns. Threads that a function starts inherit the library's.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct fp_state {
    uint64_t word;
} fp_state;

/* Calls, so that no compiler moves arithmetic across them. */
fp_state fp_enter(void);
void fp_leave(const fp_state *before);

#define BOUNDARY __attribute__((cleanup(fp_leave), unused)) const fp_state environment_of_the_caller = fp_enter()

/*
 * Sized structs: the rule of sinpos.h. `own` is the library's, `given` the caller's, `last` the last field that the struct
 * had in its first version. sized_read() returns false, and sets nothing, where the caller's cannot be taken;
 * sized_write() where it is too small.
 */
bool sized_read(void *own, size_t own_bytes, size_t first_bytes, const void *given);
bool sized_write(void *given, const void *own, size_t own_bytes, size_t first_bytes);
bool sized_fits(const void *given, size_t first_bytes); /* would sized_write() do? */

#define END_OF(pointer, field) ((size_t)((const char *)(&(pointer)->field + 1) - (const char *)(pointer)))
#define SIZED_READ(own, given, last) sized_read(own, sizeof *(own), END_OF(own, last), given)
#define SIZED_WRITE(given, own, last) sized_write(given, own, sizeof *(own), END_OF(own, last))
#define SIZED_FITS(given, last) sized_fits(given, END_OF(given, last))
