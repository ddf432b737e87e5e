/* progress.h - how far long work is: a bar on standard error if that is a terminal, else a line now and then. */
#pragma once

#include <stdint.h>

double seconds_now(void);

/* None from now on. */
void progress_silence(void);
void progress_begin(const char *what, uint64_t total_bytes);
void progress_advance(uint64_t bytes);
void progress_clear(void);

/* The same bar for work that is not bytes: the part done, 0 .. 1. */
void progress_begin_part(const char *what);
void progress_reach(double done);
/* For the library's progress, whose context is not used: reaches that part, and never stops the work. */
int progress_watch(void *context, double done);

/* "128.0 MB" in text, which is returned. */
#define AMOUNT_BYTES 32
const char *amount_text(char text[AMOUNT_BYTES], double bytes);
