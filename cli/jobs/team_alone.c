/* team_alone.c - one process: its blocks, one after another. */
#include <errno.h>

#include "team.h"

void team_begin(int *argc, char ***argv)
{
    (void)argc, (void)argv;
}

int team_end(int code)
{
    return code;
}

bool team_is_first(void)
{
    return true;
}

bool team_is_many(void)
{
    return false;
}

bool team_runs(const struct command *command)
{
    (void)command;
    return true;
}

const char *team_version(void)
{
    return "";
}

size_t team_threads(size_t asked)
{
    return asked;
}

void team_run(const struct job *job)
{
    team_make_here(job);
}

void team_keep(const struct job *job, size_t block, struct record *state)
{
    job->keep(job->context, block, state);
}

void team_share(void *data, size_t n_bytes)
{
    (void)data, (void)n_bytes;
}

int team_file_open(const char *path)
{
    (void)path;
    return ENOSYS;
}

int team_file_write(uint64_t at, const void *data, size_t n_bytes)
{
    (void)at, (void)data, (void)n_bytes;
    return ENOSYS;
}

int team_file_read(uint64_t at, void *data, size_t n_bytes)
{
    (void)at, (void)data, (void)n_bytes;
    return ENOSYS;
}

int team_file_close(void)
{
    return ENOSYS;
}
