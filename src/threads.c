/* Rows over threads. Which thread does which rows changes no byte. */
#if !defined(_GNU_SOURCE)
#define _GNU_SOURCE /* pthread_sigmask() */
#endif
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>

#include "boundary.h"
#include "compiler.h"
#include "threads.h"

/* Shares 0 .. n_shares - 1 of the work: who is free takes the next. */
typedef struct crew {
    thread_job *job;
    void *context;
    size_t n, grain, n_shares;
    _Atomic size_t next;
} crew;

static void *run_shares(void *argument)
{
    crew *c = argument;
    const size_t grains = c->n / c->grain + (c->n % c->grain != 0);
    const size_t each = grains / c->n_shares, more = grains % c->n_shares;
    for (size_t i; (i = atomic_fetch_add_explicit(&c->next, 1, memory_order_relaxed)) < c->n_shares;) {
        const size_t first = (i * each + (i < more ? i : more)) * c->grain, left = c->n - first;
        const size_t count = (each + (i < more)) * c->grain;
        c->job(c->context, first, count < left ? count : left);
    }
    return NULL;
}

/* Signals that people send are for the threads of the caller; what a fault raises is for the thread that made it. */
#if defined(_WIN32)
typedef int signals; /* Windows sends none to a thread */

static void block_signals(signals *before)
{
    *before = 0;
}

static void restore_signals(const signals *before)
{
    (void)before;
}
#else
typedef sigset_t signals;

static void block_signals(signals *before)
{
    static const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS, SIGABRT};
    sigset_t set;
    sigfillset(&set);
    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++)
        sigdelset(&set, faults[i]);
    pthread_sigmask(SIG_SETMASK, &set, before);
}

static void restore_signals(const signals *before)
{
    pthread_sigmask(SIG_SETMASK, before, NULL);
}
#endif

/* Begins n threads, some at a time so that few take little of the stack, works beside them, and waits for all. */
static void work_beside(crew *c, size_t n, const signals *before)
{
    enum { SOME = 64 };
    pthread_t threads[SOME];
    size_t started = 0;
    while (started < n && started < SOME && pthread_create(&threads[started], NULL, run_shares, c) == 0)
        started++;
    if (started == SOME && n > SOME) {
        work_beside(c, n - SOME, before);
    } else {
        restore_signals(before);
        run_shares(c);
    }
    for (size_t i = 0; i < started; i++)
        pthread_join(threads[i], NULL);
}

/* Threads use the stack of the caller, which must not end before them: it cannot be cancelled meanwhile. */
static COLD void run_together(crew *c)
{
    signals before;
    int cancellable;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancellable);
    block_signals(&before);
    work_beside(c, c->n_shares - 1, &before);
    pthread_setcancelstate(cancellable, NULL);
}

/* On a thread of the caller's, whose floating-point environment may be any. */
static void run_shares_of_pool(void *context)
{
    BOUNDARY;
    run_shares(context);
}

void threads_run_in(const sinpos_pool *pool, size_t n_threads, size_t n, size_t grain, thread_job *job, void *context)
{
    const size_t grains = n / grain + (n % grain != 0), most = n_threads < MAX_THREADS ? n_threads : MAX_THREADS;
    crew c = {.job = job, .context = context, .n = n, .grain = grain, .n_shares = most < grains ? most : grains};
    if (c.n_shares <= 1) {
        job(context, 0, n);
    } else if (pool != NULL) {
        pool->run(pool->pool, run_shares_of_pool, &c, c.n_shares);
        run_shares(&c);
    } else {
        run_together(&c);
    }
}

void threads_run(size_t n_threads, size_t n, size_t grain, thread_job *job, void *context)
{
    threads_run_in(NULL, n_threads, n, grain, job, context);
}
