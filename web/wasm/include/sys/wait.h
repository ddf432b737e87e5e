/* wait.h - no other process is ever waited for. */
#pragma once

#include <errno.h>
#include <sys/types.h>

#define WIFEXITED(status) ((status) == 0)
#define WEXITSTATUS(status) (status)
#define WIFSIGNALED(status) ((status) != 0)
#define WTERMSIG(status) (status)

static inline pid_t waitpid(pid_t pid, int *status, int options)
{
    (void)pid, (void)status, (void)options;
    errno = ECHILD;
    return -1;
}
