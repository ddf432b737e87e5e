/* no_memory.h - memory for the command line, which ends where there is none. */
#pragma once

#include <stddef.h>

#include "owned.h"

/* FLINT, GMP, MPFR and Jansson end with fail_memory() from now on; so do OpenBLAS and signals that they raise. */
void memory_prepare(void);

/* Zeros for n items; to be freed. These three return no NULL: they end the program. */
void *memory_take(size_t n, size_t size);
/* The list of n items, which has that room, with room for one more. */
void *memory_grow(void *list, size_t n, size_t *room, size_t size);
/* A copy of n items. */
void *memory_copy(const void *items, size_t n, size_t size);

/* Before the program returns from main(): an exit() that somebody else calls is a failure of memory. */
void memory_done(void);
