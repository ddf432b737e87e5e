/* pthread.h - one thread: none can be started, and a lock is always free. Callers work alone then. */
#pragma once

#include <errno.h>
#include <sys/types.h>

#define PTHREAD_MUTEX_INITIALIZER                                                                                      \
    {                                                                                                                  \
        {                                                                                                              \
            {                                                                                                          \
                0                                                                                                      \
            }                                                                                                          \
        }                                                                                                              \
    }
#define PTHREAD_ONCE_INIT 0
#define PTHREAD_CANCEL_DISABLE 1

static inline int pthread_create(pthread_t *thread, const void *attributes, void *(*run)(void *), void *argument)
{
    (void)thread, (void)attributes, (void)run, (void)argument;
    return EAGAIN;
}

static inline int pthread_join(pthread_t thread, void **result)
{
    (void)thread, (void)result;
    return EINVAL;
}

static inline pthread_t pthread_self(void)
{
    return (pthread_t)1;
}

static inline int pthread_equal(pthread_t a, pthread_t b)
{
    return a == b;
}

static inline int pthread_kill(pthread_t thread, int number)
{
    (void)thread, (void)number;
    return EINVAL;
}

static inline int pthread_setcancelstate(int state, int *before)
{
    *before = state;
    return 0;
}

static inline int pthread_once(pthread_once_t *once, void (*run)(void))
{
    if (*once == 0)
        run();
    *once = 1;
    return 0;
}

static inline int pthread_mutex_lock(pthread_mutex_t *lock)
{
    (void)lock;
    return 0;
}

static inline int pthread_mutex_unlock(pthread_mutex_t *lock)
{
    (void)lock;
    return 0;
}
