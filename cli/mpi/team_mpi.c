/*
 * team_mpi.c - the ranks of an MPI program. Rank 0 is the first process; its main thread is the clerk: it hands out blocks
 * and takes in what was found, while a second thread makes blocks as the other ranks do.
 *
 * Ranks talk to rank 0 alone. Whatever a rank comes to (a block, a value to be shared, the end), it asks, and waits for the
 * reply; a rank that fails says so instead. So the first of all errors is found wherever rank 0 is, and is printed once.
 */
#define _GNU_SOURCE /* sched_getaffinity() */
#include <errno.h>
#include <mpi.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "interrupt.h"
#include "no_memory.h"
#include "progress.h"
#include "team.h"

enum { TAG_BLOCKS = 1, TAG_COMES, TAG_FAILED, TAG_REPLY }; /* the first three to rank 0 */
enum { ASKS, FOUND, KEEPS };                               /* with TAG_BLOCKS */
enum { WAIT_LEAST_NS = 20000, WAIT_MOST_NS = 1000000 };
#define NO_BLOCK UINT64_MAX

/* What every message begins with. */
struct head {
    uint64_t kind, block; /* or the code of an exit */
};

static struct {
    int rank, n;
    bool is_threaded; /* a second thread may talk to MPI */
    pthread_t main;
    MPI_File file;
} team;

/* ------------------------------------------------------------------------------------------------- messages */

static struct timespec wait_begin(void)
{
    return (struct timespec){0, WAIT_LEAST_NS};
}

/* Longer each time: MPI itself would wait in a loop, and take a processor from one that works. */
static void wait_more(struct timespec *pause)
{
    nanosleep(pause, NULL);
    if (pause->tv_nsec < WAIT_MOST_NS)
        pause->tv_nsec *= 2;
}

static void send_to(int rank, int tag, struct head head, const void *bytes, size_t n)
{
    RELEASED_BY(record_free) struct record message = {0};
    record_bytes(&message, &head, sizeof head);
    record_bytes(&message, bytes, n);
    if (message.n > (1u << 30))
        fail(EXIT_FILE, "use sinpos", "a block", "found more than a message can hold");
    MPI_Send(message.bytes, (int)message.n, MPI_BYTE, rank, tag, MPI_COMM_WORLD);
}

/* What has come, if anything has. */
static bool look_for(int rank, int tag, int *from, struct head *head, struct record *rest)
{
    int is_there = 0, n = 0;
    MPI_Status status;
    MPI_Iprobe(rank, tag, MPI_COMM_WORLD, &is_there, &status);
    if (!is_there)
        return false;
    MPI_Get_count(&status, MPI_BYTE, &n);
    OWNED char *bytes = memory_take((size_t)n, 1);
    MPI_Recv(bytes, n, MPI_BYTE, status.MPI_SOURCE, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    memcpy(head, bytes, sizeof *head);
    record_clear(rest);
    record_bytes(rest, bytes + sizeof *head, (size_t)n - sizeof *head);
    *from = status.MPI_SOURCE;
    return true;
}

/* Of a rank that is not the first: the reply to a question. */
static struct head ask(int tag, struct head question, const struct record *found, struct record *reply)
{
    struct timespec pause = wait_begin();
    struct head head;
    int from;
    send_to(0, tag, question, found == NULL ? NULL : found->bytes, found == NULL ? 0 : found->n);
    while (!look_for(0, TAG_REPLY, &from, &head, reply))
        wait_more(&pause);
    return head;
}

/* --------------------------------------------------------------------------------------------------- errors */

static noreturn void end_all(int code, const char *lines)
{
    fputs(lines, stderr);
    fflush(stderr);
    fflush(stdout);
    fail_elsewhere(NULL);
    interrupt_remove();
    MPI_Abort(MPI_COMM_WORLD, code);
    _exit(code);
}

/* What a rank other than the first could not do; or the second thread of the first. */
static struct {
    pthread_mutex_t lock;
    bool is_set;
    int code;
    char lines[4096];
} failure = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void hand_over(enum exit_code code, const char *lines)
{
    if (team.rank == 0 && pthread_equal(pthread_self(), team.main))
        end_all((int)code, lines);
    if (team.rank == 0) {
        pthread_mutex_lock(&failure.lock);
        failure.is_set = true;
        failure.code = (int)code;
        snprintf(failure.lines, sizeof failure.lines, "%s", lines);
        pthread_mutex_unlock(&failure.lock);
    } else {
        send_to(0, TAG_FAILED, (struct head){0, (uint64_t)code}, lines, strlen(lines));
    }
    while (true) /* rank 0 ends all */
        pause();
}

/* In the first: ends where a rank, or the second thread, says that it has failed. */
static void look_at_failures(void)
{
    RELEASED_BY(record_free) struct record lines = {0};
    struct head head;
    int from;
    if (look_for(MPI_ANY_SOURCE, TAG_FAILED, &from, &head, &lines))
        end_all((int)head.block, lines.n == 0 ? "" : lines.bytes);
    pthread_mutex_lock(&failure.lock);
    if (failure.is_set)
        end_all(failure.code, failure.lines);
    pthread_mutex_unlock(&failure.lock);
}

/* In the first: waits until every other rank has come here. */
static void await_all(void)
{
    RELEASED_BY(record_free) struct record rest = {0};
    struct timespec pause = wait_begin();
    struct head head;
    int from;
    for (int n = 1; n < team.n;) {
        look_at_failures();
        if (look_for(MPI_ANY_SOURCE, TAG_COMES, &from, &head, &rest))
            n++;
        else
            wait_more(&pause);
    }
}

static void reply_all(struct head head, const void *bytes, size_t n)
{
    for (int rank = 1; rank < team.n; rank++)
        send_to(rank, TAG_REPLY, head, bytes, n);
}

/* --------------------------------------------------------------------------------------------------- the team */

void team_begin(int *argc, char ***argv)
{
    int provided = 0;
    MPI_Init_thread(argc, argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &team.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &team.n);
    team.is_threaded = provided == MPI_THREAD_MULTIPLE;
    team.main = pthread_self();
    fail_elsewhere(hand_over);
    progress_silence();
    if (team.rank != 0 && freopen("/dev/null", "w", stdout) == NULL)
        fail_errno("/dev/null", errno, "the others would print the report too");
}

int team_end(int code)
{
    uint64_t shared = (uint64_t)code;
    team_share(&shared, sizeof shared);
    fail_elsewhere(NULL);
    MPI_Finalize();
    return (int)shared;
}

bool team_is_first(void)
{
    return team.rank == 0;
}

bool team_is_many(void)
{
    return true;
}

bool team_runs(const struct command *command)
{
    const unsigned shared =
        COMMAND_TABLE | COMMAND_ADD | COMMAND_AUDIT | COMMAND_SEPARATE | COMMAND_BASE | COMMAND_IDENTIFY;
    return ((unsigned)command->bit & shared) != 0;
}

const char *team_version(void)
{
    static char line[MPI_MAX_LIBRARY_VERSION_STRING + 20];
    char version[MPI_MAX_LIBRARY_VERSION_STRING];
    int n;
    MPI_Get_library_version(version, &n);
    snprintf(line, sizeof line, "MPI: %.*s\n", (int)strcspn(version, ",\n"), version);
    return line;
}

static long processors_of_this(void)
{
    cpu_set_t set;
    return sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
}

/* A rank that was given processors of its own takes all of them; else those of the machine are shared by its ranks. */
size_t team_threads(size_t asked)
{
    MPI_Comm machine;
    int n_here = 1;
    if (asked > 0)
        return asked;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &machine);
    MPI_Comm_size(machine, &n_here);
    MPI_Comm_free(&machine);
    const long n_all = sysconf(_SC_NPROCESSORS_ONLN), n_own = processors_of_this();
    const long n = n_own < n_all ? n_own : n_all / n_here;
    return n < 1 ? 1 : (size_t)n;
}

void team_share(void *data, size_t n_bytes)
{
    RELEASED_BY(record_free) struct record reply = {0};
    if (team.rank == 0) {
        await_all();
        reply_all((struct head){ASKS, NO_BLOCK}, data, n_bytes);
    } else {
        ask(TAG_COMES, (struct head){ASKS, NO_BLOCK}, NULL, &reply);
        if (n_bytes > 0)
            memcpy(data, reply.bytes, n_bytes);
    }
}

/* ---------------------------------------------------------------------------------- blocks, in other ranks */

static void make_for_clerk(const struct job *job)
{
    RELEASED_BY(record_free) struct record state = {0};
    RELEASED_BY(record_free) struct record found = {0};
    struct head head = ask(TAG_BLOCKS, (struct head){ASKS, NO_BLOCK}, NULL, &state);
    while (head.block != NO_BLOCK) {
        record_clear(&found);
        job->make(job->context, (size_t)head.block, &state, &found);
        head = ask(TAG_BLOCKS, (struct head){FOUND, head.block}, &found, &state);
    }
}

/* ------------------------------------------------------------------------------------ blocks, in the first */

/* Between the clerk and the second thread: one block at a time. */
static struct {
    const struct job *job;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    enum { IDLE, GIVEN, MADE, OVER } stage;
    size_t block;
    struct record state, found;
    struct record parts; /* of the state, that are to be kept: each begins with its length */
} second = {.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};

static void *make_here(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&second.lock);
    while (second.stage != OVER) {
        if (second.stage != GIVEN) {
            pthread_cond_wait(&second.changed, &second.lock);
            continue;
        }
        pthread_mutex_unlock(&second.lock);
        second.job->make(second.job->context, second.block, &second.state, &second.found);
        pthread_mutex_lock(&second.lock);
        second.stage = MADE;
    }
    pthread_mutex_unlock(&second.lock);
    return NULL;
}

static void take_parts(const struct job *job)
{
    while (second.parts.n - second.parts.at > 0) {
        RELEASED_BY(record_free) struct record part = {0};
        const size_t n = (size_t)record_next_word(&second.parts);
        record_bytes(&part, second.parts.bytes + second.parts.at, n);
        second.parts.at += n;
        job->keep(job->context, second.block, &part);
    }
    record_clear(&second.parts);
}

/* Takes in what the second thread has made, and gives it the next block. Returns whether it is still at work. */
static bool serve_second(const struct job *job, bool *has_more)
{
    pthread_mutex_lock(&second.lock);
    take_parts(job);
    if (second.stage == MADE) {
        job->take(job->context, second.block, &second.found);
        second.stage = IDLE;
    }
    if (second.stage == IDLE && *has_more) {
        record_clear(&second.state);
        record_clear(&second.found);
        *has_more = job->next(job->context, &second.block, &second.state);
        second.stage = *has_more ? GIVEN : IDLE;
        pthread_cond_signal(&second.changed);
    }
    const bool is_at_work = second.stage != IDLE;
    pthread_mutex_unlock(&second.lock);
    return is_at_work;
}

/* Serves a rank that has come. Returns whether there was one; *n_left: ranks that have not been sent away. */
static bool serve_rank(const struct job *job, bool *has_more, int *n_left, struct record *rest)
{
    RELEASED_BY(record_free) struct record state = {0};
    struct head head;
    size_t block;
    int from;
    if (!look_for(MPI_ANY_SOURCE, TAG_BLOCKS, &from, &head, rest))
        return false;
    if (head.kind == KEEPS) {
        job->keep(job->context, (size_t)head.block, rest);
        return true;
    }
    if (head.kind == FOUND)
        job->take(job->context, (size_t)head.block, rest);
    *has_more = *has_more && job->next(job->context, &block, &state);
    *n_left -= !*has_more;
    send_to(from, TAG_REPLY, (struct head){FOUND, *has_more ? block : NO_BLOCK}, state.bytes, state.n);
    return true;
}

static void run_as_clerk(const struct job *job)
{
    RELEASED_BY(record_free) struct record rest = {0};
    struct timespec pause = wait_begin();
    pthread_t thread;
    bool has_more = true, is_at_work = true;
    int n_left = team.n - 1;
    second.job = job;
    second.stage = IDLE;
    const bool has_second = team.is_threaded && pthread_create(&thread, NULL, make_here, NULL) == 0;
    while (n_left > 0 || is_at_work) {
        look_at_failures();
        is_at_work = has_second && serve_second(job, &has_more);
        if (n_left > 0 && serve_rank(job, &has_more, &n_left, &rest))
            pause = wait_begin();
        else if (n_left > 0 || is_at_work)
            wait_more(&pause);
    }
    if (has_second) {
        pthread_mutex_lock(&second.lock);
        second.stage = OVER;
        pthread_cond_signal(&second.changed);
        pthread_mutex_unlock(&second.lock);
        pthread_join(thread, NULL);
    }
}

void team_run(const struct job *job)
{
    if (team.rank != 0)
        make_for_clerk(job);
    else if (team.n == 1)
        team_make_here(job);
    else
        run_as_clerk(job);
    team_share(NULL, 0); /* or a rank would ask for a block of the next job while the clerk still deals out this one */
}

void team_keep(const struct job *job, size_t block, struct record *state)
{
    if (team.rank != 0) {
        send_to(0, TAG_BLOCKS, (struct head){KEEPS, block}, state->bytes, state->n);
    } else if (team.n == 1) {
        job->keep(job->context, block, state);
    } else {
        pthread_mutex_lock(&second.lock);
        record_word(&second.parts, state->n);
        record_bytes(&second.parts, state->bytes, state->n);
        pthread_mutex_unlock(&second.lock);
    }
}

/* ------------------------------------------------------------------------------------------------------ files */

/* The number of errno that says the same. */
static int number_of(int error)
{
    int class = MPI_SUCCESS;
    if (error == MPI_SUCCESS)
        return 0;
    MPI_Error_class(error, &class);
    return class == MPI_ERR_NO_SPACE       ? ENOSPC
           : class == MPI_ERR_QUOTA        ? EDQUOT
           : class == MPI_ERR_NO_SUCH_FILE ? ENOENT
           : class == MPI_ERR_ACCESS       ? EACCES
           : class == MPI_ERR_READ_ONLY    ? EROFS
                                           : EIO;
}

int team_file_open(const char *path)
{
    return number_of(MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_RDWR, MPI_INFO_NULL, &team.file));
}

/* Not more at once than an int can count. */
enum { MOST_AT_ONCE = 1 << 30 };

int team_file_write(uint64_t at, const void *data, size_t n_bytes)
{
    const char *p = data;
    while (n_bytes > 0) {
        const int some = n_bytes < MOST_AT_ONCE ? (int)n_bytes : MOST_AT_ONCE;
        int n = 0;
        MPI_Status status;
        errno = 0;
        const int error = MPI_File_write_at(team.file, (MPI_Offset)at, p, some, MPI_BYTE, &status);
        const int number = errno;
        if (error == MPI_SUCCESS)
            MPI_Get_count(&status, MPI_BYTE, &n);
        if (n <= 0) /* where MPI does not say which, the system may */
            return number_of(error) != 0 && number_of(error) != EIO ? number_of(error) : number != 0 ? number : EIO;
        p += n;
        at += (uint64_t)n;
        n_bytes -= (size_t)n;
    }
    return 0;
}

int team_file_read(uint64_t at, void *data, size_t n_bytes)
{
    char *p = data;
    while (n_bytes > 0) {
        const int some = n_bytes < MOST_AT_ONCE ? (int)n_bytes : MOST_AT_ONCE;
        int n = 0;
        MPI_Status status;
        const int error = MPI_File_read_at(team.file, (MPI_Offset)at, p, some, MPI_BYTE, &status);
        if (error == MPI_SUCCESS)
            MPI_Get_count(&status, MPI_BYTE, &n);
        if (n <= 0)
            return error == MPI_SUCCESS ? ENODATA : number_of(error);
        p += n;
        at += (uint64_t)n;
        n_bytes -= (size_t)n;
    }
    return 0;
}

int team_file_close(void)
{
    const int synced = MPI_File_sync(team.file);
    const int closed = MPI_File_close(&team.file);
    return number_of(synced != MPI_SUCCESS ? synced : closed);
}
