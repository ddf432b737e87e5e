/* Ranges of rows over threads; also used by libsinpos-analysis. */
#ifndef SINPOS_THREADS_H
#define SINPOS_THREADS_H

#include <stddef.h>

typedef void thread_job(void *context, size_t first, size_t count);
/* Calls job on ranges that cover 0 .. n-1, on n_threads threads or as many as there are. */
void threads_run(size_t n_threads, size_t n, size_t grain, thread_job *job, void *context);
size_t threads_available(void);

#endif
