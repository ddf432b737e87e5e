/* Shares of the work: all done, once; signals and cancellation meanwhile; how many processors there are. */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cases.h"
#include "size.h"
#include "temporary.h"
#include "threads.h"

enum { MOST = 5000 };

static _Atomic unsigned done[MOST], calls;

static void count(void *context, size_t first, size_t n)
{
    (void)context;
    calls++;
    for (size_t i = 0; i < n; i++)
        done[first + i]++;
}

static void every_item_once(void **state)
{
    (void)state;
    static const size_t sizes[] = {0, 1, 2, 32, 33, 34, 1000, 4999}, grains[] = {1, 3, 33, 6000},
                        crews[] = {0, 1, 2, 7, 64, 2000};
    for (size_t k = 0; k < 8 * 4 * 6; k++) {
        const size_t n = sizes[k % 8], grain = grains[k / 8 % 4], n_threads = crews[k / 32];
        if (small_size() && n_threads > 64 && k % 32 != 7) /* valgrind needs 5 ms for a thread */
            continue;
        memset(done, 0, sizeof done);
        calls = 0;
        threads_run(n_threads, n, grain, count, NULL);
        size_t wrong = 0; /* one assertion: under valgrind a million of them take two minutes */
        for (size_t i = 0; i < MOST; i++)
            wrong += done[i] != (i < n);
        assert_int_equal(wrong, 0);
        assert_true(calls <= (n_threads < 1 ? 1 : n_threads));
    }
}

/* ------------------------------------------------------------------------------------------------------ Signals */

static _Atomic unsigned n_blocked, n_open;

static void look_at_signals(void *context, size_t first, size_t n)
{
    const pthread_t caller = *(pthread_t *)context;
    sigset_t now;
    (void)first;
    (void)n;
    pthread_sigmask(SIG_SETMASK, NULL, &now);
    if (!pthread_equal(caller, pthread_self())) {
        n_blocked += sigismember(&now, SIGTERM) && sigismember(&now, SIGINT) && sigismember(&now, SIGUSR1);
        n_open += !sigismember(&now, SIGSEGV) && !sigismember(&now, SIGBUS) && !sigismember(&now, SIGFPE);
    } else if (sigismember(&now, SIGTERM) || !sigismember(&now, SIGUSR2)) {
        n_blocked = 1000;
    }
    nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL); /* so that each thread has a share */
}

static void signals_go_to_the_caller(void **state)
{
    (void)state;
    pthread_t self = pthread_self();
    sigset_t set, after;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR2);
    pthread_sigmask(SIG_SETMASK, &set, NULL);
    threads_run(4, 4, 1, look_at_signals, &self);
    assert_int_equal(n_blocked, 3);
    assert_int_equal(n_open, 3);
    pthread_sigmask(SIG_SETMASK, NULL, &after);
    assert_true(sigismember(&after, SIGUSR2) && !sigismember(&after, SIGUSR1) && !sigismember(&after, SIGTERM));
    sigemptyset(&set);
    pthread_sigmask(SIG_SETMASK, &set, NULL);
}

/* ------------------------------------------------------------------------------------------------- Cancellation */

static _Atomic unsigned n_begun, n_ended, past_the_work;

static void sleep_a_while(void *context, size_t first, size_t n)
{
    (void)context;
    (void)first;
    (void)n;
    n_begun++;
    for (int i = 0; i < 20; i++)
        nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
    n_ended++;
}

static void *cancelled(void *context)
{
    threads_run(3, 3, 1, sleep_a_while, context);
    past_the_work = 1;
    pthread_testcancel();
    past_the_work = 2;
    return NULL;
}

/* The caller is cancelled only when no thread uses its stack any more. */
static void cancellation_waits(void **state)
{
    (void)state;
    pthread_t caller;
    void *result;
    assert_int_equal(pthread_create(&caller, NULL, cancelled, NULL), 0);
    while (n_begun < 3)
        sched_yield();
    assert_int_equal(pthread_cancel(caller), 0);
    assert_int_equal(pthread_join(caller, &result), 0);
    assert_int_equal(n_ended, 3);
    assert_int_equal(past_the_work, 1);
    assert_true(result == PTHREAD_CANCELED);
}

/* -------------------------------------------------------------------------------------------------- Processors */

static void affinity_is_kept(void **state)
{
    (void)state;
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        cpu_set_t set;
        CPU_ZERO(&set);
        CPU_SET((unsigned)sched_getcpu(), &set);
        _exit(sched_setaffinity(0, sizeof set, &set) != 0 || threads_available() != 1);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    assert_true(threads_available() >= 1 && threads_available() <= MAX_THREADS);
}

static void write_text(const char *folder, const char *name, const char *text)
{
    char path[300];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    for (char *p = path + strlen(folder) + 1; (p = strchr(p, '/')) != NULL; *p++ = '/') {
        *p = '\0';
        (void)mkdir(path, 0700);
    }
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    assert_true(fputs(text, f) >= 0);
    assert_int_equal(fclose(f), 0);
}

static size_t limit_of(const char *folder, const char *groups)
{
    char path[300];
    write_text(folder, "cgroup", groups);
    snprintf(path, sizeof path, "%s/cgroup", folder);
    return processors_in_groups(path, folder);
}

static void control_groups(void **state)
{
    (void)state;
    char folder[TEMPORARY_SIZE], command[TEMPORARY_SIZE + 20];
    const size_t none = INT16_MAX;
    assert_non_null(mkdtemp(temporary_name(folder, "")));
    assert_int_equal(processors_in_groups("/nonexistent", folder), none);
    assert_int_equal(limit_of(folder, "0::/a/b/c\n"), none);
    write_text(folder, "a/b/c/cpu.max", "max 100000\n");
    assert_int_equal(limit_of(folder, "0::/a/b/c\n"), none);
    write_text(folder, "a/cpu.max", "250000 100000\n");
    assert_int_equal(limit_of(folder, "0::/a/b/c\n"), 3);
    write_text(folder, "a/b/cpu.max", "400000 100000\n");
    assert_int_equal(limit_of(folder, "0::/a/b/c\n"), 3);
    write_text(folder, "a/b/c/cpu.max", "50000 100000\n");
    assert_int_equal(limit_of(folder, "0::/a/b/c\n"), 1);
    assert_int_equal(limit_of(folder, "0::/a/b\n"), 3);
    assert_int_equal(limit_of(folder, "0::/elsewhere\n"), none);
    write_text(folder, "cpu.max", "700000 100000\n"); /* in a container, the folder of the group itself */
    assert_int_equal(limit_of(folder, "0::/elsewhere\n"), 7);
    assert_int_equal(limit_of(folder, "0::/\n"), 7);
    write_text(folder, "cpu.max", "max 100000\n");
    write_text(folder, "cpu,cpuacct/d/cpu.cfs_quota_us", "150000\n");
    write_text(folder, "cpu,cpuacct/d/cpu.cfs_period_us", "50000\n");
    write_text(folder, "cpu,cpuacct/cpu.cfs_quota_us", "-1\n");
    write_text(folder, "cpu,cpuacct/cpu.cfs_period_us", "100000\n");
    assert_int_equal(limit_of(folder, "12:memory:/d\n4:cpu,cpuacct:/d\n0::/a/b\n"), 3);
    assert_int_equal(limit_of(folder, "12:cpuset:/d\n4:cpu,cpuacct:/e\n"), none);
    for (size_t i = 0; i < 2; i++) { /* neither numbers nor lines */
        static const char *const odd[] = {"x y\n", "0 0\n"};
        write_text(folder, "a/cpu.max", odd[i]);
        write_text(folder, "a/b/cpu.max", odd[i]);
        assert_int_equal(limit_of(folder, "0::/a/b"), none);
        assert_int_equal(limit_of(folder, i == 0 ? "::::\n\n:\n0" : ""), none);
    }
    snprintf(command, sizeof command, "rm -r %s", folder);
    assert_int_equal(system(command), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_item_once),    cmocka_unit_test(signals_go_to_the_caller),
        cmocka_unit_test(cancellation_waits), cmocka_unit_test(affinity_is_kept),
        cmocka_unit_test(control_groups),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
