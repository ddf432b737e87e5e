/* Long work: the threads that do it, and the caller, who learns which part is done and may stop it. */
#pragma once

#include "sinpos_analysis.h"
#include "threads.h"

typedef struct crew {
    size_t n_threads; /* 1 .. 1024 */
    sinpos_progress *progress;
    void *context;
    double begin, span; /* the part of the whole that is being done */
} crew;

/* The whole of some work; n_threads 0 for all processors, progress may be NULL. */
crew crew_of(size_t n_threads, sinpos_progress *progress, void *context);
/* The part of c's work from begin to begin + span. */
crew crew_part(const crew *c, double begin, double span);
/* Reports how much of its part is done, 0 .. 1. SINPOS_E_STOPPED where the caller wants no more. */
sinpos_status crew_report(const crew *c, double done);
/* Rows of each thread where n rows are dealt out in whole grains: first / share is then the thread's number. */
size_t crew_share(const crew *c, size_t n, size_t grain);
