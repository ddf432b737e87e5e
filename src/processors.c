/* How many processors this process may keep busy. */
#if !defined(_GNU_SOURCE)
#define _GNU_SOURCE /* sched_getaffinity() */
#endif
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#if defined(__linux__)
#include <sched.h>
#elif defined(_WIN32)
#include <pthread.h>
#endif

#include "threads.h"

enum { UNLIMITED = INT16_MAX, PATH_BYTES = 1024, TEXT_BYTES = 2048 };

size_t processors_allowed(void)
{
#if defined(__linux__)
    cpu_set_t set; /* of 1024 processors, which is as many as are used */
    if (sched_getaffinity(0, sizeof set, &set) == 0 && CPU_COUNT(&set) > 0)
        return (size_t)CPU_COUNT(&set);
#endif
#if defined(_WIN32)
    const long n = pthread_num_processors_np();
#else
    const long n = sysconf(_SC_NPROCESSORS_ONLN);
#endif
    return n < 1 ? 1 : (size_t)n;
}

#if defined(__linux__)

/* A small file as text; false where it is not there. */
static bool read_text(const char *path, char text[TEXT_BYTES])
{
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : read(fd, text, TEXT_BYTES - 1);
    if (fd >= 0)
        (void)close(fd);
    text[n > 0 ? n : 0] = '\0';
    return n > 0;
}

/* A quota of microseconds in each period, as processors: rounded up, so that the whole of it can be used. */
static size_t processors_of(long long quota, long long period)
{
    if (quota <= 0 || period <= 0 || quota / period >= UNLIMITED)
        return UNLIMITED;
    return (size_t)((quota + period - 1) / period);
}

/* The limit in one folder; UNLIMITED where there is none. */
static size_t limit_in(const char *folder, bool is_unified)
{
    char path[PATH_BYTES + 32], text[TEXT_BYTES];
    long long quota, period;
    if (is_unified) {
        snprintf(path, sizeof path, "%s/cpu.max", folder);
        const bool is_limit = read_text(path, text) && sscanf(text, "%lld %lld", &quota, &period) == 2;
        return is_limit ? processors_of(quota, period) : UNLIMITED;
    }
    snprintf(path, sizeof path, "%s/cpu.cfs_quota_us", folder);
    if (!read_text(path, text) || sscanf(text, "%lld", &quota) != 1)
        return UNLIMITED;
    snprintf(path, sizeof path, "%s/cpu.cfs_period_us", folder);
    return read_text(path, text) && sscanf(text, "%lld", &period) == 1 ? processors_of(quota, period) : UNLIMITED;
}

/*
 * The smallest limit in a group's folder and those around it, up to where the file system of groups is mounted. Inside a
 * container the path may be that of the host: then only the last of them is there.
 */
static size_t limit_of_group(const char *mounted, const char *group, bool is_unified)
{
    char folder[PATH_BYTES];
    const int n = snprintf(folder, sizeof folder, "%s%s", mounted, group);
    size_t limit = UNLIMITED;
    for (size_t end = n < 0 || n >= PATH_BYTES ? strlen(mounted) : (size_t)n; end >= strlen(mounted); end--) {
        if (end > strlen(mounted) && folder[end] != '/' && folder[end] != '\0')
            continue;
        folder[end] = '\0';
        const size_t own = limit_in(folder, is_unified);
        limit = own < limit ? own : limit;
    }
    return limit;
}

static bool has_controller(const char *list, size_t n, const char *name)
{
    for (size_t at = 0; at < n; at += strcspn(list + at, ",:") + 1)
        if (strcspn(list + at, ",:") == strlen(name) && strncmp(list + at, name, strlen(name)) == 0)
            return true;
    return false;
}

/* Lines "0::/path" of the unified hierarchy, "4:cpu,cpuacct:/path" of older ones. */
size_t processors_in_groups(const char *groups, const char *mounted)
{
    char text[TEXT_BYTES], folder[PATH_BYTES];
    size_t limit = UNLIMITED;
    if (!read_text(groups, text))
        return limit;
    for (char *line = text, *next; line != NULL && *line != '\0'; line = next) {
        next = strchr(line, '\n');
        if (next != NULL)
            *next++ = '\0';
        char *list = strchr(line, ':'), *path = list == NULL ? NULL : strchr(list + 1, ':');
        if (path == NULL)
            continue;
        const size_t n = (size_t)(path - list) - 1;
        size_t own = UNLIMITED;
        if (n == 0) {
            own = limit_of_group(mounted, path + 1, true);
        } else if (has_controller(list + 1, n, "cpu")) {
            snprintf(folder, sizeof folder, "%s/%.*s", mounted, (int)n, list + 1);
            own = limit_of_group(folder, path + 1, false);
        }
        limit = own < limit ? own : limit;
    }
    return limit;
}

#endif

size_t threads_available(void)
{
    size_t n = processors_allowed();
#if defined(__linux__)
    static _Atomic size_t in_groups; /* 0: not asked yet. Limits that change later are not seen */
    size_t limit = atomic_load_explicit(&in_groups, memory_order_relaxed);
    if (limit == 0) {
        limit = processors_in_groups("/proc/self/cgroup", "/sys/fs/cgroup");
        atomic_store_explicit(&in_groups, limit, memory_order_relaxed);
    }
    n = limit < n ? limit : n;
#endif
    return n > MAX_THREADS ? MAX_THREADS : n;
}
