/*
 * failing_memory.c - a library for LD_PRELOAD under which the n-th request for memory fails, or all from the n-th on.
 *
 * Requests of the program and of every shared library count, from main() on: malloc and its relatives, mmap, and
 * threads, which need a stack. What the loader and the C library ask for before main() no program can report.
 *
 * OpenBLAS and libgfortran break off in ways of their own while they are loaded: loading them is one request. Where
 * OpenBLAS gets no memory at all it asks for ever, so that what it asks for itself fails once only.
 *
 * With n_runs the program forks before main() for each run k, which is cheaper than to start it again: in the folder k,
 * with its output in the files k.out and k.err.
 * SINPOS_FAULT names a file that holds a struct fault; it is mapped, so that the counts outlive the process.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <link.h>
#include <malloc.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST_PLACES = 8000, MOST_RUNS = 1000, LONGEST_RUN_S = 60, PLACE_FRAMES = 8, OWN_FRAMES = 3, SLOTS = 1 << 16 };

/* As allocations.py packs it. */
struct fault {
    atomic_long n_requests; /* so far */
    long first;             /* number of the request that fails, from 1; 0: none */
    long last;
    long largest; /* what is larger fails too; 0: no limit */
    long is_traced;
    atomic_long n_failed;
    long is_listed; /* write to places what asked first from each place of the program */
    atomic_long n_places;
    long n_runs; /* 0: the program runs once, as it is */
    long places[MOST_PLACES];
    struct run {
        long first, last, status; /* as waitpid() has it */
    } runs[MOST_RUNS];
};

void *__libc_malloc(size_t n);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *p, size_t n);
void *__libc_memalign(size_t alignment, size_t n);

typedef int main_function(int, char **, char **);
typedef int start_function(main_function *, int, char **, void (*)(void), void (*)(void), void (*)(void), void *);
typedef void *open_function(const char *, int);
typedef int create_function(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);

int __libc_start_main(main_function *program, int argc, char **argv, void (*init)(void), void (*fini)(void),
                      void (*rtld_fini)(void), void *stack_end);

static struct fault none;
static struct fault *fault = &none;
static atomic_bool is_counting;
static main_function *real_main;
static create_function *real_create;
static open_function *real_open;

/* Where OpenBLAS and what it needs lie in memory. */
static struct {
    uintptr_t from, to;
} foreign[8];
static size_t n_foreign;

static int is_foreign(const void *caller)
{
    const uintptr_t at = (uintptr_t)caller;
    for (size_t i = 0; i < n_foreign; i++)
        if (at >= foreign[i].from && at < foreign[i].to)
            return 1;
    return 0;
}

static int find_foreign(struct dl_phdr_info *info, size_t size, void *context)
{
    (void)size, (void)context;
    if (strstr(info->dlpi_name, "blas") == NULL && strstr(info->dlpi_name, "gfortran") == NULL)
        return 0;
    for (size_t i = 0; i < info->dlpi_phnum && n_foreign < sizeof foreign / sizeof *foreign; i++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];
        if (part->p_type == PT_LOAD && (part->p_flags & PF_X) != 0) {
            foreign[n_foreign].from = info->dlpi_addr + part->p_vaddr;
            foreign[n_foreign].to = foreign[n_foreign].from + part->p_memsz;
            n_foreign++;
        }
    }
    return 0;
}

static void trace(long number, size_t bytes)
{
    void *frames[40];
    is_counting = false;
    const int n = backtrace(frames, 40);
    char line[64] = "request ";
    size_t used = strlen(line), digits = 0;
    const size_t numbers[2] = {(size_t)number, bytes};
    for (int i = 0; i < 2; i++) {
        char reversed[24];
        size_t rest = numbers[i];
        for (digits = 0; digits == 0 || rest > 0; rest /= 10)
            reversed[digits++] = (char)('0' + rest % 10);
        while (digits > 0)
            line[used++] = reversed[--digits];
        line[used++] = i == 0 ? ':' : '\n';
    }
    const ssize_t written = write(STDERR_FILENO, line, used);
    (void)written;
    backtrace_symbols_fd(frames, n, STDERR_FILENO);
    is_counting = true;
}

/* A place is known by who called whom there. */
static void list_place(long number)
{
    static atomic_ulong seen[SLOTS];
    static _Thread_local bool is_inside;
    void *frames[PLACE_FRAMES + OWN_FRAMES];
    unsigned long hash = 14695981039346656037u;
    if (is_inside)
        return;
    is_inside = true;
    const int n = backtrace(frames, PLACE_FRAMES + OWN_FRAMES);
    is_inside = false;
    for (int i = OWN_FRAMES; i < n; i++)
        hash = (hash ^ (uintptr_t)frames[i]) * 1099511628211u;
    for (unsigned long slot = hash % SLOTS;; slot = (slot + 1) % SLOTS) {
        unsigned long none_yet = 0;
        if (atomic_compare_exchange_strong(&seen[slot], &none_yet, hash)) {
            const long k = atomic_fetch_add(&fault->n_places, 1);
            if (k < MOST_PLACES)
                fault->places[k] = number;
            return;
        }
        if (none_yet == hash || fault->n_places >= MOST_PLACES)
            return;
    }
}

static int must_fail(size_t bytes, const void *caller)
{
    if (!is_counting)
        return 0;
    if (fault->last != fault->first && is_foreign(caller))
        return 0;
    const long number = atomic_fetch_add(&fault->n_requests, 1) + 1;
    if (fault->is_listed)
        list_place(number);
    const int fails = (fault->first > 0 && number >= fault->first && number <= fault->last) ||
                      (fault->largest > 0 && bytes > (size_t)fault->largest);
    if (!fails)
        return 0;
    if (atomic_fetch_add(&fault->n_failed, 1) == 0 && fault->is_traced)
        trace(number, bytes);
    errno = ENOMEM;
    return 1;
}

void *malloc(size_t n)
{
    return must_fail(n, __builtin_return_address(0)) ? NULL : __libc_malloc(n);
}

void *calloc(size_t n, size_t size)
{
    return must_fail(n * size, __builtin_return_address(0)) ? NULL : __libc_calloc(n, size);
}

void *realloc(void *p, size_t n)
{
    return n > 0 && must_fail(n, __builtin_return_address(0)) ? NULL : __libc_realloc(p, n);
}

void *aligned_alloc(size_t alignment, size_t n)
{
    return must_fail(n, __builtin_return_address(0)) ? NULL : __libc_memalign(alignment, n);
}

void *memalign(size_t alignment, size_t n)
{
    return must_fail(n, __builtin_return_address(0)) ? NULL : __libc_memalign(alignment, n);
}

int posix_memalign(void **p, size_t alignment, size_t n)
{
    void *got = must_fail(n, __builtin_return_address(0)) ? NULL : __libc_memalign(alignment, n);
    if (got == NULL)
        return ENOMEM;
    *p = got;
    return 0;
}

void *mmap(void *at, size_t n, int protection, int flags, int fd, off_t offset)
{
    return must_fail(n, __builtin_return_address(0)) ? MAP_FAILED
                                                     : (void *)syscall(SYS_mmap, at, n, protection, flags, fd, offset);
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *), void *argument)
{
    return must_fail(0, __builtin_return_address(0)) ? EAGAIN : real_create(thread, attributes, run, argument);
}

void *dlopen(const char *name, int flags)
{
    if (must_fail(0, __builtin_return_address(0)))
        return NULL;
    const bool was_counting = is_counting;
    is_counting = false;
    void *library = real_open(name, flags);
    n_foreign = 0;
    dl_iterate_phdr(find_foreign, NULL);
    is_counting = was_counting;
    return library;
}

static void attach(const char *path)
{
    const int fd = open(path, O_RDWR | O_CLOEXEC);
    void *at =
        fd < 0 ? MAP_FAILED : (void *)syscall(SYS_mmap, NULL, sizeof *fault, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (at == MAP_FAILED)
        _exit(125);
    close(fd);
    fault = at;
}

static void redirect(long k, const char *ending, int fd)
{
    char name[40];
    (void)snprintf(name, sizeof name, "%ld.%s", k, ending);
    const int file = open(name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (file < 0 || dup2(file, fd) < 0)
        _exit(125);
    close(file);
}

static void enter(long k)
{
    char folder[40];
    redirect(k, "out", STDOUT_FILENO);
    redirect(k, "err", STDERR_FILENO);
    (void)snprintf(folder, sizeof folder, "%ld", k);
    if (chdir(folder) != 0)
        _exit(125);
    alarm(LONGEST_RUN_S);
}

/* Returns in the child of each run. */
static void fork_runs(void)
{
    for (long k = 0; k < fault->n_runs && k < MOST_RUNS; k++) {
        int status = 0;
        fault->n_requests = 0;
        fault->n_failed = 0;
        fault->first = fault->runs[k].first;
        fault->last = fault->runs[k].last;
        const pid_t child = fork();
        if (child == 0) {
            enter(k);
            return;
        }
        if (child < 0 || waitpid(child, &status, 0) != child)
            _exit(125);
        fault->runs[k].status = status;
    }
    _exit(0);
}

static int counted_main(int argc, char **argv, char **environment)
{
    void *frame;
    const char *path = getenv("SINPOS_FAULT");
    if (path == NULL)
        _exit(125);
    attach(path);
    unsetenv("LD_PRELOAD"); /* programs that it starts have memory */
    if (fault->is_traced || fault->is_listed)
        backtrace(&frame, 1); /* the first call loads a library */
    if (fault->n_runs > 0)
        fork_runs();
    is_counting = true;
    return real_main(argc, argv, environment);
}

int __libc_start_main(main_function *program, int argc, char **argv, void (*init)(void), void (*fini)(void),
                      void (*rtld_fini)(void), void *stack_end)
{
    start_function *start = NULL;
    void *symbol = dlsym(RTLD_NEXT, "__libc_start_main");
    memcpy(&start, &symbol, sizeof start);
    symbol = dlsym(RTLD_NEXT, "pthread_create");
    memcpy(&real_create, &symbol, sizeof real_create);
    symbol = dlsym(RTLD_NEXT, "dlopen");
    memcpy(&real_open, &symbol, sizeof real_open);
    real_main = program;
    return start(counted_main, argc, argv, init, fini, rtld_fini, stack_end);
}
