/* signal.h - there are no signals: handlers are taken and never called. */
#pragma once

#include <sys/select.h>
#include <sys/types.h>

typedef int sig_atomic_t;
typedef struct siginfo_t {
    int si_code;
    pid_t si_pid;
} siginfo_t;

struct sigaction {
    void (*sa_handler)(int number);
    void (*sa_sigaction)(int number, siginfo_t *from, void *context);
    sigset_t sa_mask;
    int sa_flags;
};

enum {
    SIGHUP = 1,
    SIGINT = 2,
    SIGILL = 4,
    SIGTRAP = 5,
    SIGABRT = 6,
    SIGBUS = 7,
    SIGFPE = 8,
    SIGSEGV = 11,
    SIGPIPE = 13,
    SIGTERM = 15,
    SIGSYS = 31
};
enum { SIG_BLOCK = 0, SIG_UNBLOCK = 1, SIG_SETMASK = 2, SA_SIGINFO = 4 };

#define SIG_DFL ((void (*)(int))0)
#define SIG_IGN ((void (*)(int))1)

static inline void (*signal(int number, void (*handler)(int)))(int)
{
    (void)number, (void)handler;
    return SIG_DFL;
}

static inline int raise(int number)
{
    (void)number;
    __builtin_trap();
}

static inline int sigaction(int number, const struct sigaction *action, struct sigaction *old)
{
    (void)number, (void)action;
    if (old != 0)
        old->sa_handler = SIG_DFL;
    return 0;
}

static inline int sigemptyset(sigset_t *set)
{
    *set = 0;
    return 0;
}

static inline int sigfillset(sigset_t *set)
{
    *set = 255;
    return 0;
}

static inline int sigaddset(sigset_t *set, int number)
{
    *set = (sigset_t)(*set | 1u << (number & 7));
    return 0;
}

static inline int sigdelset(sigset_t *set, int number)
{
    *set = (sigset_t)(*set & ~(1u << (number & 7)));
    return 0;
}

static inline int sigprocmask(int how, const sigset_t *set, sigset_t *old)
{
    (void)how, (void)set;
    if (old != 0)
        *old = 0;
    return 0;
}

#define pthread_sigmask sigprocmask
