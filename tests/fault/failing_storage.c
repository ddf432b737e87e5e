/*
 * failing_storage.c - for LD_PRELOAD: the calls by which sinpos reaches files, counted, and made to fail or to be the last.
 *
 *     SINPOS_STORAGE="MODE N" SINPOS_STORAGE_ROOT=FOLDER [SINPOS_STORAGE_LOG=FILE] LD_PRELOAD=failing_storage.so sinpos ...
 *
 * Files are those below FOLDER and those of a relative path; the program is sinpos, not a child. MODE says what becomes of
 * call N, counted from 1. A file of tmpfile() counts wherever it lies.
 *     log      nothing; each call is a line of FILE, "pwrite out.npy.part"
 *     kill     kill -9 before it, of a write after half of its bytes;  after: behind it
 *     E        it fails with error number E, after closing where it closes;  E+: so do all writes behind it
 *     short    a read or write takes half of the bytes, at least one
 *     vanish   before it FOLDER is moved to FOLDER.gone
 */
#undef _FILE_OFFSET_BITS /* each call has its two names */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

enum { MOST_FILES = 1024, NAME = 256 };
enum action { GO, FAIL, HALF, HALF_AND_DIE, DIE_AFTER };

static struct {
    bool is_on, fails_on;
    char mode[16];
    int number;
    long at;
    const char *root;
    int log;
} fault;
static atomic_long n_calls;
static char names[MOST_FILES][NAME]; /* by descriptor; empty: not a file that counts */

#define REAL(name) (__extension__(__typeof__(&name)) dlsym(RTLD_NEXT, #name))

__attribute__((constructor)) static void begin(void)
{
    const char *what = getenv("SINPOS_STORAGE"), *log = getenv("SINPOS_STORAGE_LOG");
    fault.root = getenv("SINPOS_STORAGE_ROOT");
    fault.is_on = what != NULL && fault.root != NULL && strcmp(program_invocation_short_name, "sinpos") == 0 &&
                  sscanf(what, "%15s %ld", fault.mode, &fault.at) == 2;
    fault.number = atoi(fault.mode);
    fault.fails_on = strchr(fault.mode, '+') != NULL;
    fault.log = log == NULL ? -1 : (int)syscall(SYS_openat, AT_FDCWD, log, O_WRONLY | O_CREAT | O_APPEND, 0666);
}

static void die(void)
{
    (void)syscall(SYS_kill, getpid(), SIGKILL);
}

static bool is_ours(const char *path)
{
    return fault.is_on && (path[0] != '/' || strncmp(path, fault.root, strlen(fault.root)) == 0);
}

static const char *name_of(int fd)
{
    return fault.is_on && fd >= 0 && fd < MOST_FILES && names[fd][0] != '\0' ? names[fd] : NULL;
}

static void note(int fd, const char *path)
{
    if (fd >= 0 && fd < MOST_FILES)
        (void)snprintf(names[fd], NAME, "%s", path);
}

static void move_folder(void)
{
    char gone[4096];
    (void)snprintf(gone, sizeof gone, "%s.gone", fault.root);
    (void)syscall(SYS_renameat2, AT_FDCWD, fault.root, AT_FDCWD, gone, 0);
}

/* What becomes of the next call; moves_bytes: it reads or writes. */
static enum action next(const char *call, const char *path, bool moves_bytes)
{
    char line[NAME + 32];
    const long n = atomic_fetch_add(&n_calls, 1) + 1;
    const bool writes = moves_bytes && strstr(call, "write") != NULL;
    const int length = snprintf(line, sizeof line, "%s %s\n", call, path);
    if (fault.log >= 0)
        (void)syscall(SYS_write, fault.log, line, (size_t)length);
    if (n != fault.at)
        return fault.fails_on && n > fault.at && writes ? FAIL : GO;
    if (strcmp(fault.mode, "vanish") == 0)
        move_folder();
    if (strcmp(fault.mode, "kill") == 0) {
        if (writes)
            return HALF_AND_DIE;
        die();
    }
    if (strcmp(fault.mode, "short") == 0)
        return moves_bytes ? HALF : GO;
    return strcmp(fault.mode, "after") == 0 ? DIE_AFTER : fault.number > 0 ? FAIL : GO;
}

static void finish(enum action action)
{
    const int number = errno;
    if (action == HALF_AND_DIE || action == DIE_AFTER)
        die();
    errno = number;
}

static size_t part_of(enum action action, size_t n)
{
    return action == HALF ? (n + 1) / 2 : action == HALF_AND_DIE ? n / 2 : n;
}

#define FAILED(action) ((action) == FAIL && (errno = fault.number, true))

/* ----------------------------------------------------------------------------------------------------- calls */

#define MOVE(name, data, n, arguments)                                                                                 \
    const char *path = name_of(fd);                                                                                    \
    const enum action action = path == NULL ? GO : next(#name, path, true);                                            \
    if (FAILED(action))                                                                                                \
        return -1;                                                                                                     \
    n = part_of(action, n);                                                                                            \
    const ssize_t done = REAL(name) arguments;                                                                         \
    finish(action);                                                                                                    \
    return done;

ssize_t read(int fd, void *data, size_t n){MOVE(read, data, n, (fd, data, n))}

ssize_t write(int fd, const void *data, size_t n){MOVE(write, data, n, (fd, data, n))}

ssize_t pread(int fd, void *data, size_t n, off_t at){MOVE(pread, data, n, (fd, data, n, at))}

ssize_t pread64(int fd, void *data, size_t n, off64_t at){MOVE(pread64, data, n, (fd, data, n, at))}

ssize_t pwrite(int fd, const void *data, size_t n, off_t at){MOVE(pwrite, data, n, (fd, data, n, at))}

ssize_t pwrite64(int fd, const void *data, size_t n, off64_t at)
{
    MOVE(pwrite64, data, n, (fd, data, n, at))
}

#define CALL(name, is_counted, path, arguments)                                                                        \
    const enum action action = (is_counted) ? next(#name, path, false) : GO;                                           \
    if (FAILED(action))                                                                                                \
        return -1;                                                                                                     \
    const int status = REAL(name) arguments;                                                                           \
    finish(action);                                                                                                    \
    return status;

int fsync(int fd)
{
    CALL(fsync, name_of(fd) != NULL, name_of(fd), (fd))
}

int flock(int fd, int operation)
{
    CALL(flock, name_of(fd) != NULL, name_of(fd), (fd, operation))
}

int ftruncate(int fd, off_t n)
{
    CALL(ftruncate, name_of(fd) != NULL, name_of(fd), (fd, n))
}

int ftruncate64(int fd, off64_t n)
{
    CALL(ftruncate64, name_of(fd) != NULL, name_of(fd), (fd, n))
}

int fstat(int fd, struct stat *there)
{
    CALL(fstat, name_of(fd) != NULL, name_of(fd), (fd, there))
}

int fstat64(int fd, struct stat64 *there)
{
    CALL(fstat64, name_of(fd) != NULL, name_of(fd), (fd, there))
}

int stat(const char *path, struct stat *there)
{
    CALL(stat, is_ours(path), path, (path, there))
}

int stat64(const char *path, struct stat64 *there)
{
    CALL(stat64, is_ours(path), path, (path, there))
}

int lstat(const char *path, struct stat *there)
{
    CALL(lstat, is_ours(path), path, (path, there))
}

int lstat64(const char *path, struct stat64 *there)
{
    CALL(lstat64, is_ours(path), path, (path, there))
}

int access(const char *path, int mode)
{
    CALL(access, is_ours(path), path, (path, mode))
}

int fchmod(int fd, mode_t mode)
{
    CALL(fchmod, name_of(fd) != NULL, name_of(fd), (fd, mode))
}

int sync_file_range(int fd, off64_t at, off64_t n, unsigned flags)
{
    CALL(sync_file_range, name_of(fd) != NULL, name_of(fd), (fd, at, n, flags))
}

int rmdir(const char *path){CALL(rmdir, is_ours(path), path, (path))}

#define SEEK(name)                                                                                                     \
    const enum action action = name_of(fd) == NULL ? GO : next(#name, name_of(fd), false);                             \
    if (FAILED(action))                                                                                                \
        return -1;                                                                                                     \
    at = REAL(name)(fd, at, whence);                                                                                   \
    finish(action);                                                                                                    \
    return at;

off_t lseek(int fd, off_t at, int whence){SEEK(lseek)}

off64_t lseek64(int fd, off64_t at, int whence)
{
    SEEK(lseek64)
}

int rename(const char *from, const char *to)
{
    CALL(rename, is_ours(to), to, (from, to))
}

int mkdir(const char *path, mode_t mode)
{
    CALL(mkdir, is_ours(path), path, (path, mode))
}

int unlink(const char *path)
{
    CALL(unlink, is_ours(path), path, (path))
}

int close(int fd)
{
    char path[NAME] = "";
    const bool is_counted = name_of(fd) != NULL;
    if (is_counted) {
        memcpy(path, names[fd], NAME);
        names[fd][0] = '\0';
    }
    const enum action action = is_counted ? next("close", path, false) : GO;
    const int status = REAL(close)(fd);
    finish(action);
    return FAILED(action) ? -1 : status;
}

static int open_as(int (*real)(const char *, int, ...), const char *path, int flags, mode_t mode)
{
    const enum action action = is_ours(path) ? next("open", path, false) : GO;
    if (FAILED(action))
        return -1;
    const int fd = real(path, flags, mode);
    if (is_ours(path))
        note(fd, path);
    finish(action);
    return fd;
}

#define MODE_OF(flags)                                                                                                 \
    mode_t mode = 0;                                                                                                   \
    if (((flags)&O_CREAT) != 0) {                                                                                      \
        va_list arguments;                                                                                             \
        va_start(arguments, flags);                                                                                    \
        mode = (mode_t)va_arg(arguments, unsigned);                                                                    \
        va_end(arguments);                                                                                             \
    }

int open(const char *path, int flags, ...)
{
    MODE_OF(flags)
    return open_as(REAL(open), path, flags, mode);
}

int open64(const char *path, int flags, ...)
{
    MODE_OF(flags)
    return open_as(REAL(open64), path, flags, mode);
}

static int make(int (*real)(char *), char *path)
{
    const bool is_counted = is_ours(path);
    const enum action action = is_counted ? next("mkstemp", path, false) : GO;
    if (FAILED(action))
        return -1;
    const int fd = real(path);
    if (is_counted)
        note(fd, path);
    finish(action);
    return fd;
}

int mkstemp(char *path)
{
    return make(REAL(mkstemp), path);
}

int mkstemp64(char *path)
{
    return make(REAL(mkstemp64), path);
}

/* ---------------------------------------------------------------------------------------------------- streams */

/* The C library's streams do not come by here: those of files get calls that do. */
static ssize_t stream_read(void *cookie, char *data, size_t n)
{
    return read((int)(intptr_t)cookie, data, n);
}

static ssize_t stream_write(void *cookie, const char *data, size_t n)
{
    const ssize_t done = write((int)(intptr_t)cookie, data, n);
    return done < 0 ? 0 : done;
}

static int stream_close(void *cookie)
{
    return close((int)(intptr_t)cookie);
}

static FILE *stream_open(FILE *(*real)(const char *, const char *), const char *path, const char *mode)
{
    const cookie_io_functions_t calls = {.read = stream_read, .write = stream_write, .close = stream_close};
    if (!is_ours(path))
        return real(path, mode);
    const int fd =
        open(path, mode[0] == 'r' ? O_RDONLY : O_WRONLY | O_CREAT | (mode[0] == 'a' ? O_APPEND : O_TRUNC), 0666);
    return fd < 0 ? NULL : fopencookie((void *)(intptr_t)fd, mode, calls);
}

char *realpath(const char *path, char *whole)
{
    const enum action action = is_ours(path) ? next("realpath", path, false) : GO;
    if (FAILED(action))
        return NULL;
    whole = REAL(realpath)(path, whole);
    finish(action);
    return whole;
}

FILE *fopen(const char *path, const char *mode)
{
    return stream_open(REAL(fopen), path, mode);
}

FILE *fopen64(const char *path, const char *mode)
{
    return stream_open(REAL(fopen64), path, mode);
}

/* A file of the C library, without a name: what is written to it comes by where it is flushed. */
static FILE *make_nameless(FILE *(*real)(void))
{
    const enum action action = fault.is_on ? next("tmpfile", "nameless", false) : GO;
    if (FAILED(action))
        return NULL;
    FILE *file = real();
    if (file != NULL && fault.is_on)
        note(fileno(file), "nameless");
    finish(action);
    return file;
}

FILE *tmpfile(void)
{
    return make_nameless(REAL(tmpfile));
}

FILE *tmpfile64(void)
{
    return make_nameless(REAL(tmpfile64));
}

static bool is_nameless(FILE *file)
{
    const char *name = file == NULL || !fault.is_on ? NULL : name_of(fileno(file));
    return name != NULL && strcmp(name, "nameless") == 0;
}

int fflush(FILE *file)
{
    const enum action action = is_nameless(file) ? next("fflush", "nameless", false) : GO;
    if (FAILED(action))
        return EOF;
    const int status = REAL(fflush)(file);
    finish(action);
    return status;
}

/* The C library closes the descriptor itself. */
int fclose(FILE *file)
{
    if (is_nameless(file))
        names[fileno(file)][0] = '\0';
    return REAL(fclose)(file);
}

static int copy_descriptor(int (*real)(int, int, ...), int fd, int command, long argument)
{
    const int copy = real(fd, command, argument);
    if ((command == F_DUPFD || command == F_DUPFD_CLOEXEC) && name_of(fd) != NULL && copy >= 0 && copy < MOST_FILES)
        memmove(names[copy], names[fd], NAME);
    return copy;
}

#define ARGUMENT_OF(command)                                                                                           \
    va_list arguments;                                                                                                 \
    va_start(arguments, command);                                                                                      \
    const long argument = va_arg(arguments, long);                                                                     \
    va_end(arguments);

int fcntl(int fd, int command, ...)
{
    ARGUMENT_OF(command)
    return copy_descriptor(REAL(fcntl), fd, command, argument);
}

int fcntl64(int fd, int command, ...)
{
    ARGUMENT_OF(command)
    return copy_descriptor(REAL(fcntl64), fd, command, argument);
}

/* --------------------------------------------------------------------------------------------------- folders */

enum { MOST_FOLDERS = 8 };

static struct {
    DIR *folder;
    char path[NAME];
} folders[MOST_FOLDERS];

static int find_folder(const DIR *folder)
{
    for (int i = 0; fault.is_on && i < MOST_FOLDERS; i++)
        if (folders[i].folder == folder)
            return i;
    return -1;
}

DIR *opendir(const char *path)
{
    const bool is_counted = is_ours(path);
    const enum action action = is_counted ? next("opendir", path, false) : GO;
    if (FAILED(action))
        return NULL;
    DIR *folder = REAL(opendir)(path);
    const int i = is_counted && folder != NULL ? find_folder(NULL) : -1;
    if (i >= 0) {
        folders[i].folder = folder;
        (void)snprintf(folders[i].path, NAME, "%s", path);
    }
    finish(action);
    return folder;
}

#define READ_FOLDER(name, type)                                                                                        \
    const int i = find_folder(folder);                                                                                 \
    const enum action action = i < 0 ? GO : next(#name, folders[i].path, false);                                       \
    if (FAILED(action))                                                                                                \
        return NULL;                                                                                                   \
    struct type *entry = REAL(name)(folder);                                                                           \
    finish(action);                                                                                                    \
    return entry;

struct dirent *readdir(DIR *folder)
{
    READ_FOLDER(readdir, dirent)
}

struct dirent64 *readdir64(DIR *folder)
{
    READ_FOLDER(readdir64, dirent64)
}

int closedir(DIR *folder)
{
    const int i = find_folder(folder);
    if (i >= 0)
        folders[i].folder = NULL;
    return REAL(closedir)(folder);
}
