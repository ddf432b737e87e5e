#define _POSIX_C_SOURCE 200809L

#include "limits.h"

#include <pthread.h>
#include <string.h>

#if defined(__x86_64__)
#include <emmintrin.h>
#endif

#include "measure.h"

enum { PAGE = 4096, MOST_THREADS = 1024, MEMSET_BYTE = 0x3f };
static const float ADDED_CONSTANT = 0.5F;
static const float FACTOR = 1.0F; /* known at run time only; what is scaled stays what it was */

/* The part of a job that one thread does. */
struct part {
    const struct limit_job *job;
    size_t begin, end; /* in bytes */
};

bool limit_exists(enum limit limit)
{
#if defined(__x86_64__)
    (void)limit;
    return true;
#else
    return limit != LIMIT_STREAM_STORE;
#endif
}

static void stream_store(void *to, size_t bytes)
{
#if defined(__x86_64__)
    const __m128i value = _mm_set1_epi8(MEMSET_BYTE);
    __m128i *v = to;
    for (size_t i = 0; i < bytes / sizeof *v; i += 4) {
        _mm_stream_si128(v + i, value);
        _mm_stream_si128(v + i + 1, value);
        _mm_stream_si128(v + i + 2, value);
        _mm_stream_si128(v + i + 3, value);
    }
    _mm_sfence();
#else
    memset(to, MEMSET_BYTE, bytes);
#endif
}

static void *do_part(void *argument)
{
    const struct part *part = argument;
    const struct limit_job *job = part->job;
    void *to = (char *)job->to + part->begin;
    const void *from = (const char *)job->from + (job->from ? part->begin : 0);
    const size_t bytes = part->end - part->begin;

    switch (job->limit) {
    case LIMIT_MEMSET: memset(to, MEMSET_BYTE, bytes); break;
    case LIMIT_STREAM_STORE: stream_store(to, bytes); break;
    case LIMIT_MEMCPY: memcpy(to, from, bytes); break;
    case LIMIT_ADD_CONSTANT: job->loops->add_constant(to, bytes / sizeof(float), ADDED_CONSTANT); break;
    case LIMIT_SCALE: job->loops->scale(to, bytes / sizeof(float), FACTOR); break;
    case LIMIT_ADD_TABLE: job->loops->add_table(to, from, bytes / sizeof(float)); break;
    }
    __asm__ volatile("" : : "r"(to) : "memory"); /* the bytes count as used */
    return NULL;
}

static void do_all(const struct limit_job *job)
{
    struct part parts[MOST_THREADS];
    pthread_t threads[MOST_THREADS];
    const size_t n = job->threads < MOST_THREADS ? job->threads : MOST_THREADS;
    const size_t pages = job->bytes / PAGE;
    size_t started = 0;

    for (size_t i = 0; i < n; i++) {
        parts[i].job = job;
        parts[i].begin = pages * i / n * PAGE;
        parts[i].end = pages * (i + 1) / n * PAGE;
    }
    while (started + 1 < n && !pthread_create(&threads[started], NULL, do_part, &parts[started]))
        started++;
    for (size_t i = started; i < n; i++)
        do_part(&parts[i]);
    for (size_t i = 0; i < started; i++)
        pthread_join(threads[i], NULL);
}

double limit_seconds(void *job)
{
    const double start = bench_clock();
    do_all(job);
    return bench_clock() - start;
}

static float limit_result(enum limit limit, float to, float from)
{
    float repeated;
    memset(&repeated, MEMSET_BYTE, sizeof repeated);
    switch (limit) {
    case LIMIT_MEMCPY: return from;
    case LIMIT_ADD_CONSTANT: return to + ADDED_CONSTANT;
    case LIMIT_ADD_TABLE: return to + from;
    case LIMIT_SCALE: return to * FACTOR;
    default: return repeated;
    }
}

bool limit_works(struct limit_job *job)
{
    float *to = job->to;
    const size_t n = job->bytes / sizeof *to;

    for (size_t i = 0; i < n; i++)
        to[i] = (float)(i % 7);
    if (job->limit == LIMIT_MEMCPY || job->limit == LIMIT_ADD_TABLE)
        for (size_t i = 0; i < n; i++)
            ((float *)job->from)[i] = (float)(i % 11);
    do_all(job);
    for (size_t i = 0; i < n; i++)
        if (to[i] != limit_result(job->limit, (float)(i % 7), (float)(i % 11)))
            return false;
    return true;
}
