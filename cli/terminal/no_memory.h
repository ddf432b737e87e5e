/* no_memory.h - how the program ends where memory fails and no caller can hear of it. */
#ifndef NO_MEMORY_H
#define NO_MEMORY_H

#include <stdnoreturn.h>

/* FLINT, GMP, MPFR and Jansson end by memory_end() from now on; so do OpenBLAS and signals that they raise. last: called before the end. */
void memory_prepare(void (*last)(void));

/* Complains, removes the unfinished file, and ends with 3. Nothing that standard output holds back is printed. */
noreturn void memory_end(void);

/* Before the program returns from main(): an exit() that somebody else calls is a failure of memory. */
void memory_done(void);

#endif
