/* wrapped.h - memory, threads and locks of what is linked statically: counted, and made to fail. */
#ifndef WRAPPED_H
#define WRAPPED_H

/* Counted from 1; 0: none fails. */
extern long failing_allocation, failing_thread;
extern int all_threads_fail;

extern long allocations, threads_asked, locks; /* since reset() */
extern long live;                              /* blocks that are not freed yet */

/* Nothing fails, nothing was counted. */
void reset(void);

#endif
