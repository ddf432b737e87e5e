/*
 * team_order.c - jobs that follow each other, on several ranks: a rank that is sent away early does not come back before the
 * last block of the job is made. Each block must be made once, by its own job.
 */
#include <stdio.h>
#include <time.h>

#include "team.h"

enum { N_BLOCKS = 6, N_JOBS = 3 };

struct counts {
    uint64_t job;
    size_t next, n_taken[N_BLOCKS], n_wrong;
};

static bool next_block(void *context, size_t *block, struct record *state)
{
    struct counts *counts = context;
    record_word(state, counts->job);
    *block = counts->next++;
    return *block < N_BLOCKS;
}

/* The last block takes far longer than the others. */
static void make_block(void *context, size_t block, struct record *state, struct record *found)
{
    const struct counts *counts = context;
    const struct timespec pause = {0, block == N_BLOCKS - 1 ? 200000000 : 1000000};
    nanosleep(&pause, NULL);
    record_word(found, record_next_word(state) == counts->job ? counts->job * N_BLOCKS + block : UINT64_MAX);
}

static void take_block(void *context, size_t block, struct record *found)
{
    struct counts *counts = context;
    counts->n_taken[block]++;
    counts->n_wrong += record_next_word(found) != counts->job * N_BLOCKS + block;
}

int main(int argc, char **argv)
{
    size_t n_wrong = 0;
    team_begin(&argc, &argv);
    for (uint64_t i = 0; i < N_JOBS; i++) {
        struct counts counts = {.job = i};
        const struct job job = {.context = &counts, .next = next_block, .make = make_block, .take = take_block};
        team_run(&job);
        for (size_t block = 0; team_is_first() && block < N_BLOCKS; block++)
            n_wrong += counts.n_wrong + (counts.n_taken[block] != 1);
    }
    if (team_is_first())
        printf("%s - %d jobs of %d blocks, %zu wrong\n", n_wrong == 0 ? "ok" : "not ok", N_JOBS, N_BLOCKS, n_wrong);
    return team_end(n_wrong == 0 ? 0 : 1);
}
