/*
 * kept.h - a job whose blocks find little. With --resume what each found, and what those that are being made have come to,
 * is kept in FILE.journal beside the output.
 */
#pragma once

#include "journal.h"
#include "team.h"

struct kept {
    const struct options *options;
    size_t n_blocks;
    const size_t *order;       /* (n_blocks) in which they are begun; NULL: as they are numbered */
    const char *const *inputs; /* (n_inputs) large files that they read */
    size_t n_inputs;
    void *context;
    /* As in struct job: */
    void (*make)(void *context, size_t block, struct record *state, struct record *found);
    void (*take)(void *context, size_t block, struct record *found);
    bool (*is_finished)(struct record *found); /* NULL: always; else only a finished block is done */
    /* inside */
    struct job job;
    struct request_text request;
    struct journal journal;
    struct record *states; /* (n_blocks) */
    size_t next;
};

/* Are the options fit for --resume? */
void kept_check(const struct options *options);
/* Makes all blocks but those that the journal holds. */
void kept_run(struct kept *kept);
/* In make(): more of the state of the block. Nothing without --resume. */
void kept_state(struct kept *kept, size_t block, struct record *state);
/* The output is written. In the first process. */
void kept_end(struct kept *kept);
/* The journal stays, for the same command to go on. */
void kept_pause(struct kept *kept);
