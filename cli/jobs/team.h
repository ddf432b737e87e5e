/*
 * team.h - the processes that share the blocks of a job: one alone (team_alone.c), or the ranks of MPI (../mpi/team_mpi.c).
 * Which of the two, the linker decides.
 *
 * All of them run the command, with the same options. The first reads the journal, writes and reports; the others make
 * blocks. All call team_run(), team_share(), team_file_open(), team_file_close() and team_end()
 * in the same order.
 */
#pragma once

#include "command.h"
#include "record.h"

/* A list of independent blocks. */
struct job {
    void *context;
    /* Called in the first: which block is next, and what a process that was stopped left of it. False: none is left. */
    bool (*next)(void *context, size_t *block, struct record *state);
    /* In any: makes it. */
    void (*make)(void *context, size_t block, struct record *state, struct record *found);
    /* In the first, in any order: takes in what was found. */
    void (*take)(void *context, size_t block, struct record *found);
    /* In the first: more of the state of a block that is being made; NULL: there are no states. */
    void (*keep)(void *context, size_t block, struct record *state);
};

void team_begin(int *argc, char ***argv);
/* The last call. Returns what the first gave. */
int team_end(int code);

bool team_is_first(void);
/* May there be others? */
bool team_is_many(void);
/* Can the team share the work of this command? */
bool team_runs(const struct command *command);
/* A line for --version, ended by a line break; empty: nothing to say. */
const char *team_version(void);
/* Threads for each process, where that many, or 0 for all, were asked for. */
size_t team_threads(size_t asked);

/* What team_run() does where there is one process: one block after another (team_blocks.c). */
void team_make_here(const struct job *job);
/* Makes all blocks. */
void team_run(const struct job *job);
/* In make(): keeps what a block has come to, for a process that goes on. */
void team_keep(const struct job *job, size_t block, struct record *state);
/* Gives all what the first has. */
void team_share(void *data, size_t n_bytes);

/* A file that all write to, at places of their own; of one that is many. 0, or a number of errno. */
int team_file_open(const char *path);
int team_file_write(uint64_t at, const void *data, size_t n_bytes);
int team_file_read(uint64_t at, void *data, size_t n_bytes);
/* Returns when all have closed it. */
int team_file_close(void);
