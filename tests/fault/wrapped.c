/* The linker calls these in place of the functions named in ../meson.build (--wrap). */
#define _DEFAULT_SOURCE
#include "wrapped.h"

#include <errno.h>
#include <pthread.h>
#include <stddef.h>

void *__real_malloc(size_t n);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *p, size_t n);
void *__real_aligned_alloc(size_t alignment, size_t n);
int __real_posix_memalign(void **p, size_t alignment, size_t n);
char *__real_strdup(const char *text);
char *__real_strndup(const char *text, size_t n);
void __real_free(void *p);
int __real_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *), void *argument);
int __real_pthread_mutex_lock(pthread_mutex_t *mutex);

void *__wrap_malloc(size_t n);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *p, size_t n);
void *__wrap_aligned_alloc(size_t alignment, size_t n);
int __wrap_posix_memalign(void **p, size_t alignment, size_t n);
char *__wrap_strdup(const char *text);
char *__wrap_strndup(const char *text, size_t n);
void __wrap_free(void *p);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *), void *argument);
int __wrap_pthread_mutex_lock(pthread_mutex_t *mutex);

long allocations, failing_allocation, live, threads_asked, failing_thread, locks;
int all_threads_fail;

static int must_fail(void)
{
    const int fails = ++allocations == failing_allocation;
    if (fails)
        errno = ENOMEM;
    return fails;
}

static void *counted(void *p)
{
    live += p != NULL;
    return p;
}

void *__wrap_malloc(size_t n)
{
    return must_fail() ? NULL : counted(__real_malloc(n));
}

void *__wrap_calloc(size_t n, size_t size)
{
    return must_fail() ? NULL : counted(__real_calloc(n, size));
}

void *__wrap_realloc(void *p, size_t n)
{
    if (must_fail())
        return NULL;
    live -= p != NULL;
    return counted(__real_realloc(p, n));
}

void *__wrap_aligned_alloc(size_t alignment, size_t n)
{
    return must_fail() ? NULL : counted(__real_aligned_alloc(alignment, n));
}

int __wrap_posix_memalign(void **p, size_t alignment, size_t n)
{
    if (must_fail())
        return ENOMEM;
    const int status = __real_posix_memalign(p, alignment, n);
    live += status == 0;
    return status;
}

char *__wrap_strdup(const char *text)
{
    return must_fail() ? NULL : counted(__real_strdup(text));
}

char *__wrap_strndup(const char *text, size_t n)
{
    return must_fail() ? NULL : counted(__real_strndup(text, n));
}

void __wrap_free(void *p)
{
    live -= p != NULL;
    __real_free(p);
}

int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *), void *argument)
{
    if (++threads_asked == failing_thread || all_threads_fail)
        return EAGAIN;
    return __real_pthread_create(thread, attributes, run, argument);
}

int __wrap_pthread_mutex_lock(pthread_mutex_t *mutex)
{
    locks++;
    return __real_pthread_mutex_lock(mutex);
}

void reset(void)
{
    allocations = failing_allocation = threads_asked = failing_thread = locks = 0;
    all_threads_fail = 0;
}
