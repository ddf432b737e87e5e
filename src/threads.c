/* Rows over threads. Which thread does which rows changes no byte. */
#include <pthread.h>
#include <stdbool.h>
#include <unistd.h>

#include "threads.h"

enum { MAX_THREADS = 1024 };

typedef struct share {
    thread_job *job;
    void *context;
    size_t first, count;
    pthread_t thread;
    bool started;
} share;

static void *run_share(void *argument)
{
    const share *s = argument;
    s->job(s->context, s->first, s->count);
    return NULL;
}

size_t threads_available(void)
{
    const long n = sysconf(_SC_NPROCESSORS_ONLN);
    return n < 1 ? 1 : n > MAX_THREADS ? MAX_THREADS : (size_t)n;
}

void threads_run(size_t n_threads, size_t n, size_t grain, thread_job *job, void *context)
{
    share shares[MAX_THREADS];
    const size_t grains = n / grain + (n % grain != 0);
    size_t used = n_threads < grains ? n_threads : grains;
    used = used < 1 ? 1 : used > MAX_THREADS ? MAX_THREADS : used;
    size_t first = 0;
    for (size_t i = 0; i < used; i++) {
        const size_t mine = grains / used + (i < grains % used);
        const size_t count = mine * grain < n - first ? mine * grain : n - first;
        shares[i] = (share){.job = job, .context = context, .first = first, .count = count};
        first += count;
    }
    for (size_t i = 1; i < used; i++)
        shares[i].started = pthread_create(&shares[i].thread, NULL, run_share, &shares[i]) == 0;
    run_share(&shares[0]);
    for (size_t i = 1; i < used; i++) {
        if (shares[i].started)
            pthread_join(shares[i].thread, NULL);
        else
            run_share(&shares[i]);
    }
}
