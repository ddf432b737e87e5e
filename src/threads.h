/* Ranges of rows over threads; also used by libsinpos-analysis. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sinpos.h"

enum { MAX_THREADS = 1024 };

typedef void thread_job(void *context, size_t first, size_t count);
/* Calls job on ranges that cover 0 .. n-1, as many as n_threads or fewer, on as many threads or fewer. */
void threads_run(size_t n_threads, size_t n, size_t grain, thread_job *job, void *context);
/* The same on threads of the caller's, where there is a pool. */
void threads_run_in(const sinpos_pool *pool, size_t n_threads, size_t n, size_t grain, thread_job *job, void *context);

/* Processors of the affinity mask; and these, or fewer where a control group limits them. */
size_t processors_allowed(void);
size_t threads_available(void);

/* The limit that the groups of a file like /proc/self/cgroup have; `mounted` is where their folders are. */
size_t processors_in_groups(const char *groups, const char *mounted);
