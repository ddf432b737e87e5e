/* unfinished.c - removes a file or folder that did not get its name, wherever the program stands: it takes no memory. */
#define _GNU_SOURCE
#include "boundary.h"
#include "format.h"

#include <fcntl.h>
#include <stdalign.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/syscall.h>
#else
#include <dirent.h>
#endif

#ifdef __linux__
/* An entry, as the kernel writes it. readdir() would need memory, which opendir() takes. */
struct entry {
    uint64_t inode;
    int64_t offset;
    unsigned short length;
    unsigned char type;
    char name[];
};

static void empty_folder(const char *path)
{
    alignas(struct entry) char entries[4096];
    const int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    bool removes = fd >= 0;
    while (removes) {
        const long n = syscall(SYS_getdents64, fd, entries, sizeof entries);
        removes = false;
        for (long at = 0; at < n; at += ((const struct entry *)(entries + at))->length)
            removes |= unlinkat(fd, ((const struct entry *)(entries + at))->name, 0) == 0;
        (void)lseek(fd, 0, SEEK_SET);
    }
    if (fd >= 0)
        close(fd);
}
#else
static void empty_folder(const char *path)
{
    DIR *folder = opendir(path);
    const struct dirent *entry;
    while (folder != NULL && (entry = readdir(folder)) != NULL)
        (void)unlinkat(dirfd(folder), entry->d_name, 0);
    if (folder != NULL)
        closedir(folder);
}
#endif

void sinpos_unfinished_remove(const char *path)
{
    BOUNDARY;
    if (path == NULL || unlink(path) == 0 || rmdir(path) == 0)
        return;
    empty_folder(path);
    (void)rmdir(path);
}
