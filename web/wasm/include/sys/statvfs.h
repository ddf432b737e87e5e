/* statvfs.h - the room in memory is not known beforehand. */
#pragma once

#include <errno.h>

struct statvfs {
    unsigned long long f_blocks, f_bavail;
    unsigned long f_frsize;
};

static inline int fstatvfs(int fd, struct statvfs *volume)
{
    (void)fd, (void)volume;
    errno = ENOSYS;
    return -1;
}
