/*
 * posix.h - what the sources take from POSIX and WebAssembly does not have; the compiler includes it first.
 *
 * One process, one thread, no signals: what asks for another fails with ENOSYS, as on a system without it, and the
 * callers say so. The sources need no line of their own for the browser.
 */
#pragma once

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

#ifndef O_NOCTTY
#define O_NOCTTY 0
#endif
#ifndef AT_EACCESS
#define AT_EACCESS 0
#endif
#define F_DUPFD_CLOEXEC 1030

static inline int unsupported_here(void)
{
    errno = ENOSYS;
    return -1;
}

static inline uid_t geteuid(void)
{
    return 0;
}

static inline gid_t getegid(void)
{
    return 0;
}

static inline int fchown(int fd, uid_t owner, gid_t group)
{
    (void)fd, (void)owner, (void)group;
    return 0;
}

static inline int fchmod(int fd, mode_t mode)
{
    (void)fd, (void)mode;
    return 0;
}

static inline int pause(void)
{
    __builtin_trap();
}

static inline pid_t fork(void)
{
    return unsupported_here();
}

static inline int pipe(int ends[2])
{
    (void)ends;
    return unsupported_here();
}

static inline int dup2(int from, int to)
{
    (void)from, (void)to;
    return unsupported_here();
}

static inline int execvp(const char *file, char *const arguments[])
{
    (void)file, (void)arguments;
    return unsupported_here();
}

/* Nobody else is there. */
static inline int flock(int fd, int operation)
{
    (void)fd, (void)operation;
    return 0;
}

static inline char *realpath(const char *path, char *out)
{
    return out == NULL ? strdup(path) : strcpy(out, path);
}

static inline int mkstemp(char *name)
{
    (void)name;
    return unsupported_here();
}

static inline FILE *no_temporary_file(void)
{
    errno = ENOSYS;
    return NULL;
}

#define tmpfile no_temporary_file
