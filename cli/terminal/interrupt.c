#include "interrupt.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "error_line.h"
#include "no_memory.h"

static const int fatal[] = {SIGINT, SIGTERM, SIGHUP};
#define N_FATAL (sizeof fatal / sizeof fatal[0])

/* Path of the unfinished file; empty when there is none. Changed, as the others, only while the fatal signals are blocked. */
enum { LONGEST = 8192 };
static char unfinished[LONGEST];
static char folder[LONGEST];
static char message[LONGEST];
static char **files;
static size_t n_files, files_room;

/* The thread that writes files, and blocks the fatal signals where it must not be stopped. */
static pthread_t writer_thread;
static volatile sig_atomic_t is_handed_over;

void interrupt_remove(void)
{
    if (unfinished[0] != '\0')
        sinpos_unfinished_remove(unfinished);
    for (size_t i = 0; i < n_files; i++)
        unlink(files[i]);
    if (folder[0] != '\0')
        rmdir(folder);
}

/* OpenBLAS raises SIGINT where it cannot start its threads. */
static bool is_raised_here(int number, const siginfo_t *from)
{
#ifdef SI_TKILL
    return number == SIGINT && from->si_code == SI_TKILL && from->si_pid == getpid();
#else
    (void)number, (void)from;
    return false;
#endif
}

/* In another thread it would remove what the writer goes on to make. */
static void end_by_signal(int number, siginfo_t *from, void *context)
{
    (void)context;
    if (!is_handed_over && is_raised_here(number, from))
        fail_memory();
    if (!pthread_equal(pthread_self(), writer_thread)) {
        is_handed_over = 1;
        pthread_kill(writer_thread, number);
        return;
    }
    interrupt_remove();
    if (message[0] != '\0' && write(STDERR_FILENO, message, strlen(message)) < 0)
        message[0] = '\0'; /* nobody reads it */
    signal(number, SIG_DFL);
    raise(number);
}

void interrupt_prepare(void)
{
    writer_thread = pthread_self();
    signal(SIGPIPE, SIG_IGN);
#ifdef SIGXFSZ
    signal(SIGXFSZ, SIG_IGN);
#endif
    struct sigaction action = {.sa_sigaction = end_by_signal, .sa_flags = SA_SIGINFO};
    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < N_FATAL; i++) {
        struct sigaction old;
        if (sigaction(fatal[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN)
            sigaction(fatal[i], &action, NULL);
    }
}

static void block(sigset_t *old)
{
    sigset_t set;
    sigemptyset(&set);
    for (size_t i = 0; i < N_FATAL; i++)
        sigaddset(&set, fatal[i]);
    sigprocmask(SIG_BLOCK, &set, old);
}

/* path is NULL where a stream is written to. */
static void remember(char kept[LONGEST], const char *path)
{
    const size_t length = path == NULL ? 0 : strlen(path);
    if (length < LONGEST)
        memcpy(kept, path == NULL ? "" : path, length + 1);
}

/* So that a new entry outlives a power cut; a file system that cannot do it is not an error. */
static void sync_parent(const char *path)
{
    OWNED char *own = strdup(path);
    const int fd = own == NULL ? -1 : open(dirname(own), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd >= 0) {
        (void)fsync(fd);
        close(fd);
    }
}

int interrupt_make_folder(const char *path, mode_t mode)
{
    sigset_t old;
    block(&old);
    const int number = mkdir(path, mode) == 0 ? 0 : errno;
    if (number == 0) {
        remember(folder, path);
        sync_parent(path);
    }
    sigprocmask(SIG_SETMASK, &old, NULL);
    return number;
}

void interrupt_file(const char *path)
{
    sigset_t old;
    block(&old);
    files = memory_grow(files, n_files, &files_room, sizeof *files);
    files[n_files++] = memory_copy(path, strlen(path) + 1, 1);
    sigprocmask(SIG_SETMASK, &old, NULL);
}

void interrupt_keep(void)
{
    sigset_t old;
    block(&old);
    while (n_files > 0)
        free(files[--n_files]);
    free(files);
    files = NULL;
    files_room = 0;
    folder[0] = '\0';
    sigprocmask(SIG_SETMASK, &old, NULL);
}

sinpos_file_status interrupt_open(sinpos_writer **out, const char *path, const sinpos_array *array,
                                  const sinpos_writer_options *options, sinpos_file_error *error)
{
    sigset_t old;
    struct stat target;
    /* Opening a pipe waits for its reader, and a signal must be able to end that. */
    if (stat(path, &target) == 0 && !S_ISREG(target.st_mode))
        return sinpos_writer_open(out, path, array, options, error);
    block(&old);
    const sinpos_file_status status = sinpos_writer_open(out, path, array, options, error);
    if (status == SINPOS_FILE_OK && (options == NULL || options->part == NULL))
        remember(unfinished, sinpos_writer_temporary(*out));
    sigprocmask(SIG_SETMASK, &old, NULL);
    return status;
}

void interrupt_message(const char *lines)
{
    sigset_t old;
    block(&old);
    remember(message, lines);
    sigprocmask(SIG_SETMASK, &old, NULL);
}

void interrupt_forget(void)
{
    sigset_t old;
    block(&old);
    unfinished[0] = message[0] = '\0';
    sigprocmask(SIG_SETMASK, &old, NULL);
}

sinpos_file_status interrupt_rewriter_open(sinpos_rewriter **out, const sinpos_model *model, size_t file,
                                           const char *path, sinpos_file_error *error)
{
    sigset_t old;
    block(&old);
    const sinpos_file_status status = sinpos_rewriter_open(out, model, file, path, error);
    if (status == SINPOS_FILE_OK)
        remember(unfinished, sinpos_rewriter_temporary(*out));
    sigprocmask(SIG_SETMASK, &old, NULL);
    return status;
}

sinpos_file_status interrupt_bytes_write(const char *path, const void *data, size_t n_bytes, sinpos_file_error *error)
{
    struct stat target;
    if (strcmp(path, "-") == 0 || (stat(path, &target) == 0 && !S_ISREG(target.st_mode)))
        return sinpos_bytes_write(path, data, n_bytes, error);
    sigset_t old;
    block(&old);
    const sinpos_file_status status = sinpos_bytes_write(path, data, n_bytes, error);
    sigprocmask(SIG_SETMASK, &old, NULL);
    return status;
}

sinpos_file_status interrupt_file_copy(const char *from, const char *to, sinpos_file_error *error)
{
    sigset_t old;
    block(&old);
    const sinpos_file_status status = sinpos_file_copy(from, to, error);
    sigprocmask(SIG_SETMASK, &old, NULL);
    return status;
}
