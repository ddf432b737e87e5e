#include "report.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "folder.h"
#include "interrupt.h"
#include "resumed.h"

#define HINT "TMPDIR names a folder with room"
enum { MOST_TRIES = 1000 };

static struct {
    int standard, file;
    char path[1000];
} capture;

static noreturn void fail_capture(void)
{
    fail_errno(capture.path, errno, HINT);
}

/* A file without a name. */
static int open_nameless(void)
{
    const char *folder = getenv("TMPDIR");
    folder = folder == NULL || folder[0] == '\0' ? "/tmp" : folder;
    for (int i = 0; i < MOST_TRIES; i++) {
        snprintf(capture.path, sizeof capture.path, "%.900s/sinpos-%ld-%d", folder, (long)getpid(), i);
        const int fd = open(capture.path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
        if (fd >= 0) {
            unlink(capture.path);
            return fd;
        }
        if (errno != EEXIST)
            break;
    }
    fail_capture();
}

void capture_begin(void)
{
    finish_output();
    capture.file = open_nameless();
    capture.standard = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    if (capture.standard < 0 || dup2(capture.file, STDOUT_FILENO) < 0)
        fail_capture();
}

void capture_end(struct record *text)
{
    char bytes[1 << 14];
    ssize_t n = 1;
    const bool is_whole = fflush(stdout) == 0 && !ferror(stdout) && lseek(capture.file, 0, SEEK_SET) == 0;
    const int number = errno;
    if (dup2(capture.standard, STDOUT_FILENO) < 0)
        fail_capture();
    errno = number;
    while (is_whole && n != 0) {
        n = read(capture.file, bytes, sizeof bytes);
        if (n < 0 && errno != EINTR)
            break;
        record_bytes(text, bytes, n > 0 ? (size_t)n : 0);
    }
    if (n != 0)
        fail_capture();
    close(capture.standard);
    close(capture.file);
}

/* ------------------------------------------------------------------------------------------------------- files */

static noreturn void fail_part(const char *path, int number)
{
    const bool is_full = number == ENOSPC || number == EDQUOT || number == EFBIG;
    fail_errno(path, number,
               is_full ? "make room; the same command with --resume goes on"
                       : "check the device; the same command with --resume goes on");
}

static void sync_file(const char *path, int fd)
{
    while (fsync(fd) != 0)
        if (errno != EINTR)
            fail_part(path, errno);
}

static void write_all(const char *path, int fd, const char *bytes, size_t n)
{
    while (n > 0) {
        const ssize_t some = write(fd, bytes, n);
        if (some < 0 && errno != EINTR)
            fail_part(path, errno);
        bytes += some > 0 ? some : 0;
        n -= some > 0 ? (size_t)some : 0;
    }
}

/* Not every file system can sync a folder. */
static void sync_folder(const char *path, char *target)
{
    char *slash = strrchr(target, '/');
    if (slash != NULL)
        slash[slash == target ? 1 : 0] = '\0';
    const int fd = open(slash == NULL ? "." : target, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    const int number = fd >= 0 && fsync(fd) != 0 ? errno : 0;
    if (fd >= 0)
        close(fd);
    if (number == EIO || number == ENOSPC || number == EDQUOT) {
        fail(EXIT_FILE, "the file is whole; check the device, and sync it", path, "its folder cannot be synced: %s",
             strerror(number));
    }
}

static void write_part(const char *path, const void *bytes, size_t n)
{
    OWNED char *target = resumed_name(path, ""), *part = resumed_name(path, ".part");
    struct stat old;
    const bool is_there = file_is_there(target, &old);
    const int fd = open(part, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, is_there ? 0600 : 0666);
    if (fd < 0 || (is_there && fchmod(fd, old.st_mode & 0777) != 0))
        fail_part(path, errno);
    write_all(path, fd, bytes, n);
    sync_file(path, fd);
    if ((close(fd) != 0 && errno != EINTR) || rename(part, target) != 0)
        fail_part(path, errno);
    sync_folder(path, target);
}

void report_write(const struct options *options, const void *bytes, size_t n)
{
    sinpos_file_error error = SINPOS_FILE_ERROR_INIT;
    const char *path = options->given[OPTION_OUTPUT];
    if (options->given[OPTION_RESUME] != NULL)
        write_part(path, bytes, n);
    else if (interrupt_bytes_write(path, bytes, n, &error) != SINPOS_FILE_OK)
        fail_write(path, &error);
}

void report_begin(const struct options *options)
{
    if (options->given[OPTION_OUTPUT] != NULL)
        capture_begin();
}

void report_end(const struct options *options)
{
    RELEASED_BY(record_free) struct record text = {0};
    if (options->given[OPTION_OUTPUT] == NULL) {
        finish_output();
        return;
    }
    capture_end(&text);
    report_write(options, text.bytes == NULL ? "" : text.bytes, text.n);
}
