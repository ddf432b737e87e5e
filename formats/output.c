/*
 * output.c - files that appear whole or not at all.
 *
 * The data go to ".sinpos-PID-N" and the target's ending, in its folder, so that rename() stays within one file system;
 * or to a part, a file of that folder which the caller names.
 */
#define _GNU_SOURCE
#include "format.h"
#include "is_missing.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

/* The other names would else be followed to the file behind them, and that replaced while it is written to. */
static bool is_standard_output(const char *path)
{
    return strcmp(path, "-") == 0 || strcmp(path, "/dev/stdout") == 0 || strcmp(path, "/dev/fd/1") == 0 ||
           strcmp(path, "/proc/self/fd/1") == 0;
}

/* After stat() or lstat(). What cannot be looked at is not taken for missing: it would be replaced. */
static sinpos_file_status looked(int result, bool *exists, sinpos_file_error *error)
{
    *exists = result == 0;
    return result == 0 || is_missing(errno) ? SINPOS_FILE_OK : problem_system(error, errno);
}

sinpos_file_status output_in_place(const char *path, bool *is_in_place, sinpos_file_error *error)
{
    struct stat there;
    bool exists = true;
    *is_in_place = is_standard_output(path);
    const sinpos_file_status status = *is_in_place ? SINPOS_FILE_OK : looked(stat(path, &there), &exists, error);
    *is_in_place = *is_in_place || (exists && !S_ISREG(there.st_mode) && !S_ISDIR(there.st_mode));
    return status;
}

/* Bytes of path up to and with its last slash. */
static size_t folder_length(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash == NULL ? 0 : (size_t)(slash - path) + 1;
}

/* One step along a symbolic link: the link's text, in the link's folder unless absolute. NULL: errno says why. */
static char *follow_link(const char *path)
{
    char text[4096];
    const ssize_t length = readlink(path, text, sizeof text - 1);
    if (length < 0)
        return NULL;
    text[length] = '\0';
    const size_t folder = text[0] == '/' ? 0 : folder_length(path);
    char *next = malloc(folder + (size_t)length + 1);
    if (next != NULL) {
        memcpy(next, path, folder);
        memcpy(next + folder, text, (size_t)length + 1);
    }
    return next;
}

/* The path behind all symbolic links; the last link may dangle. NULL: errno says why. */
static char *resolve(const char *path)
{
    char *current = strdup(path);
    for (int steps = 0; current != NULL; steps++) {
        struct stat there;
        const bool is_known = lstat(current, &there) == 0;
        if (is_known ? !S_ISLNK(there.st_mode) : is_missing(errno))
            return current;
        errno = is_known && steps == 40 ? ELOOP : errno;
        char *next = is_known && steps < 40 ? follow_link(current) : NULL;
        const int number = errno;
        free(current);
        errno = number;
        current = next;
    }
    return NULL;
}

/* ".npy"; nothing where the last point of the name begins no ending of a format. */
static const char *ending_of(const char *target)
{
    const char *point = strrchr(target + folder_length(target), '.');
    return point == NULL || strlen(point) > 15 ? "" : point;
}

static int create(const char *name, bool is_folder, mode_t mode)
{
    if (!is_folder)
        return open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    if (mkdir(name, mode) != 0)
        return -1;
    const int fd = open(name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    const int number = errno;
    if (fd < 0)
        rmdir(name);
    errno = number;
    return fd;
}

/* Creates a file, or a folder, with a new name in the folder of the target. */
static int create_temporary(const char *target, bool is_folder, mode_t mode, char **temporary)
{
    const size_t folder = folder_length(target);
    const size_t room = folder + 80;
    char *name = malloc(room);
    if (name == NULL) {
        errno = ENOMEM;
        return -1;
    }
    memcpy(name, target, folder);
    for (unsigned n = 0; n < 1000; n++) {
        snprintf(name + folder, room - folder, ".sinpos-%ld-%u%s", (long)getpid(), n, ending_of(target));
        const int fd = create(name, is_folder, mode);
        if (fd >= 0 || errno != EEXIST) {
            *temporary = fd >= 0 ? name : NULL;
            if (fd < 0) {
                const int number = errno;
                free(name);
                errno = number;
            }
            return fd;
        }
    }
    free(name);
    errno = EEXIST;
    return -1;
}

/* A file that is replaced hands down its permissions and, where the system allows it, its owner. */
static sinpos_file_status inherit(int fd, const struct stat *old, sinpos_file_error *error)
{
    if (old->st_uid != geteuid() || old->st_gid != getegid()) {
        if (fchown(fd, old->st_uid, old->st_gid) != 0)
            errno = 0;
    }
    const bool has_modes =
        fchmod(fd, old->st_mode & 0777) == 0 || errno == EPERM || errno == ENOTSUP || errno == ENOSYS;
    return has_modes ? SINPOS_FILE_OK : problem_system(error, errno);
}

/* "512 bytes", "1.5 MB": three digits or more, in the unit that fits. */
static const char *size_text(double bytes, char text[32])
{
    static const char *const units[] = {"kB", "MB", "GB", "TB", "PB", "EB"};
    size_t unit = 0;
    if (bytes < 1000) {
        snprintf(text, 32, "%.0f bytes", bytes);
        return text;
    }
    for (bytes /= 1000; bytes >= 999.5 && unit < 5; unit++)
        bytes /= 1000;
    snprintf(text, 32, "%.3g %s", bytes, units[unit]);
    return text;
}

static sinpos_file_status check_room(int fd, uint64_t bytes, sinpos_file_error *error)
{
    struct statvfs volume;
    struct stat file;
    char needed[32], there[32];
    const uint64_t taken = fstat(fd, &file) == 0 ? (uint64_t)file.st_blocks * 512 : 0;
    bytes = bytes > taken ? bytes - taken : 0;
    if (fstatvfs(fd, &volume) != 0 || volume.f_blocks == 0 || volume.f_frsize == 0 ||
        volume.f_bavail >= bytes / volume.f_frsize)
        return SINPOS_FILE_OK;
    problem_set(error, SINPOS_FILE_E_SYSTEM, "make room or choose another place; nothing was left behind",
                "needs %s, and the file system has %s free", size_text((double)bytes, needed),
                size_text((double)volume.f_bavail * (double)volume.f_frsize, there));
    if (error != NULL)
        error->system_errno = ENOSPC;
    return SINPOS_FILE_E_SYSTEM;
}

/* Finds the target, which may not exist yet. */
static sinpos_file_status find_target(struct output *output, const char *path, struct stat *old, bool *exists,
                                      sinpos_file_error *error)
{
    output->target = resolve(path);
    if (output->target == NULL)
        return problem_system(error, errno);
    const sinpos_file_status status = looked(stat(output->target, old), exists, error);
    if (status != SINPOS_FILE_OK)
        return status;
    if (*exists && S_ISDIR(old->st_mode))
        return problem_system(error, EISDIR);
    if (*exists && faccessat(AT_FDCWD, output->target, W_OK, AT_EACCESS) != 0)
        return problem_system(error, errno);
    return SINPOS_FILE_OK;
}

static sinpos_file_status open_beside(struct output *output, const char *path, uint64_t bytes, mode_t mode,
                                      sinpos_file_error *error)
{
    struct stat old;
    bool exists;
    const sinpos_file_status status = find_target(output, path, &old, &exists, error);
    if (status != SINPOS_FILE_OK)
        return status;
    /* What replaces a file is nobody else's to read until it has that file's permissions. */
    output->fd = create_temporary(output->target, false, exists ? 0600 : mode, &output->temporary);
    if (output->fd < 0)
        return problem_system(error, errno);
    const sinpos_file_status inherited = exists ? inherit(output->fd, &old, error) : SINPOS_FILE_OK;
    return inherited == SINPOS_FILE_OK ? check_room(output->fd, bytes, error) : inherited;
}

sinpos_file_status output_open(struct output *output, const char *path, uint64_t bytes, mode_t mode,
                               sinpos_file_error *error)
{
    *output = (struct output){.fd = -1};
    if (is_standard_output(path)) {
        output->fd = STDOUT_FILENO;
        output->is_standard = true;
        return SINPOS_FILE_OK;
    }
    bool is_in_place;
    sinpos_file_status status = output_in_place(path, &is_in_place, error);
    if (status == SINPOS_FILE_OK && is_in_place) {
        output->fd = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
        return output->fd < 0 ? problem_system(error, errno) : SINPOS_FILE_OK;
    }
    status = status == SINPOS_FILE_OK ? open_beside(output, path, bytes, mode, error) : status;
    if (status != SINPOS_FILE_OK)
        output_abandon(output);
    return status;
}

static sinpos_file_status open_folder(struct output *output, const char *path, uint64_t bytes, sinpos_file_error *error)
{
    struct stat there;
    bool exists;
    output->target = resolve(path);
    if (output->target == NULL)
        return problem_system(error, errno);
    const sinpos_file_status status = looked(lstat(output->target, &there), &exists, error);
    if (status != SINPOS_FILE_OK)
        return status;
    if (exists)
        return problem_of_system(error, EEXIST, "remove it, or choose another name", "");
    output->fd = create_temporary(output->target, true, FOLDER_MODE, &output->temporary);
    return output->fd < 0 ? problem_system(error, errno) : check_room(output->fd, bytes, error);
}

sinpos_file_status output_open_folder(struct output *output, const char *path, uint64_t bytes, sinpos_file_error *error)
{
    *output = (struct output){.fd = -1, .is_folder = true};
    const sinpos_file_status status = open_folder(output, path, bytes, error);
    if (status != SINPOS_FILE_OK)
        output_abandon(output);
    return status;
}

sinpos_file_status output_open_in(struct output *output, const struct output *folder, const char *name,
                                  sinpos_file_error *error)
{
    *output =
        (struct output){.fd = -1, .temporary = joined_path(folder->temporary, strlen(folder->temporary), "/", name)};
    if (output->temporary == NULL)
        return problem_memory(error);
    output->fd = create(output->temporary, false, ORDINARY_MODE);
    return output->fd < 0 ? problem_system(error, errno) : SINPOS_FILE_OK;
}

static sinpos_file_status open_part(struct output *output, const char *path, const char *part, uint64_t bytes,
                                    sinpos_file_error *error)
{
    const int flags = O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;
    struct stat old, there;
    bool exists;
    sinpos_file_status status = find_target(output, path, &old, &exists, error);
    if (status != SINPOS_FILE_OK)
        return status;
    output->temporary = strdup(part);
    if (output->temporary == NULL)
        return problem_memory(error);
    status = looked(lstat(part, &there), &output->is_kept, error);
    if (status != SINPOS_FILE_OK)
        return status;
    output->fd = open(part, output->is_kept ? flags : flags | O_CREAT | O_EXCL, exists ? 0600 : ORDINARY_MODE);
    if (output->fd < 0 || fstat(output->fd, &there) != 0)
        return problem_system(error, errno);
    if (!S_ISREG(there.st_mode)) {
        return problem_set(error, SINPOS_FILE_E_SYSTEM, "move away what has the name of the unfinished file",
                           "its unfinished file would replace what is not a regular file");
    }
    const sinpos_file_status inherited = exists ? inherit(output->fd, &old, error) : SINPOS_FILE_OK;
    return inherited == SINPOS_FILE_OK ? check_room(output->fd, bytes, error) : inherited;
}

sinpos_file_status output_open_part(struct output *output, const char *path, const char *part, uint64_t bytes,
                                    sinpos_file_error *error)
{
    *output = (struct output){.fd = -1, .is_part = true};
    const sinpos_file_status status = open_part(output, path, part, bytes, error);
    if (status != SINPOS_FILE_OK)
        output_abandon(output);
    return status;
}

sinpos_file_status output_resize(const struct output *output, uint64_t bytes, sinpos_file_error *error)
{
    int failed;
    do
        failed = ftruncate(output->fd, (off_t)bytes);
    while (failed != 0 && errno == EINTR);
    return failed == 0 ? SINPOS_FILE_OK : problem_system(error, errno);
}

/* Lets the disk begin while the rest is still being made, so that the sync at the end is short. */
static void start_writeback(const struct output *output, uint64_t bytes)
{
#ifdef __linux__
    if (output->temporary != NULL && bytes >= (uint64_t)1 << 20) {
        if (sync_file_range(output->fd, (off_t)output->written, (off_t)bytes, SYNC_FILE_RANGE_WRITE) != 0)
            errno = 0;
    }
#else
    (void)output;
    (void)bytes;
#endif
}

sinpos_file_status output_write(struct output *output, const void *data, size_t bytes, sinpos_file_error *error)
{
    const size_t most = (size_t)1 << 30; /* Linux writes at most 2^31 - 4096 bytes at once */
    const char *p = data;
    size_t left = bytes;
    while (left > 0) {
        const size_t some = left < most ? left : most;
        const ssize_t n = output->is_part ? pwrite(output->fd, p, some, (off_t)(output->written + (bytes - left)))
                                          : write(output->fd, p, some);
        if (n < 0 && errno != EINTR)
            return problem_system(error, errno);
        if (n > 0) {
            p += n;
            left -= (size_t)n;
        }
    }
    start_writeback(output, bytes);
    output->written += bytes;
    return SINPOS_FILE_OK;
}

sinpos_file_status output_copy(struct output *output, int fd, uint64_t end, sinpos_file_error *read_error,
                               sinpos_file_error *error)
{
    const size_t most = (size_t)1 << 20;
    sinpos_file_status status = SINPOS_FILE_OK;
    OWNED char *piece = malloc(most);
    if (piece == NULL)
        return problem_memory(error);
    while (output->written < end && status == SINPOS_FILE_OK) {
        const uint64_t left = end - output->written;
        const size_t some = left < most ? (size_t)left : most;
        status = read_at(fd, output->written, piece, some, read_error);
        status = status == SINPOS_FILE_OK ? output_write(output, piece, some, error) : status;
    }
    return status;
}

static int sync_whole(int fd)
{
    int failed;
    do
        failed = fsync(fd);
    while (failed != 0 && errno == EINTR);
    return failed;
}

/* The new name must reach the disk too. Not every file system can sync a folder: only what a disk refuses is an error. */
static sinpos_file_status sync_folder(const char *target, sinpos_file_error *error)
{
    const size_t length = folder_length(target);
    OWNED char *folder = length == 0 ? strdup(".") : strndup(target, length);
    const int fd = folder == NULL ? -1 : open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    const int number = fd >= 0 && sync_whole(fd) != 0 ? errno : 0;
    if (fd >= 0)
        close(fd);
    if (number != EIO && number != ENOSPC && number != EDQUOT)
        return SINPOS_FILE_OK;
    return problem_of_system(error, number, "the file is whole; check the device, and sync it",
                             "its folder cannot be synced: ");
}

static void forget(struct output *output)
{
    free(output->target);
    free(output->temporary);
    *output = (struct output){.fd = -1};
}

sinpos_file_status output_prepare(struct output *output, sinpos_file_error *error)
{
    if (output->temporary != NULL && !output->is_synced && sync_whole(output->fd) != 0) {
        const int number = errno;
#ifdef POSIX_FADV_DONTNEED
        if (output->is_part) /* what the disk did not take shall not be read from memory as if it had */
            (void)posix_fadvise(output->fd, 0, 0, POSIX_FADV_DONTNEED);
#endif
        return problem_system(error, number);
    }
    output->is_synced = true;
    return SINPOS_FILE_OK;
}

/* Not interrupted: then it is closed, and was synced. */
static int close_whole(struct output *output)
{
    const int number = close(output->fd) != 0 && errno != EINTR ? errno : 0;
    output->fd = -1;
    return number;
}

sinpos_file_status output_end_in(struct output *output, sinpos_file_error *error)
{
    const sinpos_file_status status = output_prepare(output, error);
    const int number = status == SINPOS_FILE_OK ? close_whole(output) : 0;
    if (number != 0)
        return problem_system(error, number);
    if (status == SINPOS_FILE_OK)
        forget(output);
    return status;
}

sinpos_file_status output_commit(struct output *output, sinpos_file_status status, sinpos_file_error *error)
{
    status = status == SINPOS_FILE_OK ? output_prepare(output, error) : status;
    if (status != SINPOS_FILE_OK) {
        output_abandon(output);
        return status;
    }
    int number = output->is_standard ? 0 : close_whole(output);
    if (number == 0 && output->temporary != NULL && rename(output->temporary, output->target) != 0)
        number = errno;
    if (number != 0) {
        output_abandon(output);
        return problem_system(error, number);
    }
    status = output->target == NULL ? SINPOS_FILE_OK : sync_folder(output->target, error);
    forget(output);
    return status;
}

void output_abandon(struct output *output)
{
    if (output->fd >= 0 && !output->is_standard)
        close(output->fd);
    if (output->temporary != NULL && !output->is_kept)
        sinpos_unfinished_remove(output->temporary);
    forget(output);
}
