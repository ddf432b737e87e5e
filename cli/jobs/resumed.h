/*
 * resumed.h - an output whose blocks are written at their places, in any order: their data lie in FILE.part, and with --resume
 * the blocks that are done in FILE.journal. In the first process of a team.
 *
 * A block is written before its line of the journal, and no sync lies between: a listed block is believed only where its
 * checksum is that of what FILE.part holds.
 */
#pragma once

#include "journal.h"
#include "options.h"

struct resumed {
    const char *path;           /* as it was given */
    char *target, *part, *list; /* the file behind links, FILE.part and FILE.journal; list is NULL without --resume */
    struct journal journal;
    sinpos_writer *writer; /* of FILE.part */
    sinpos_reader *whole;  /* of FILE, where all was done but the journal's removal; writer is NULL then */
    sinpos_array array;
    size_t n_elements, block_elements, n_blocks;
    size_t n_listed, n_kept; /* blocks that the journal lists, and those of them that are as it says */
};

/* What a report or an array of --resume must have: -o, and inputs that can be read again. */
void resumed_check(const struct options *options);
/* FILE and an ending, behind links; to be freed. */
char *resumed_name(const char *path, const char *ending);
/* Fails where there is a FILE.part of which no journal says what it holds. */
void resumed_refuse_stranger(struct journal *journal, const char *part);
/* A signal says how to go on, from now until interrupt_forget(). */
void resumed_message(const char *path);

/*
 * Opens the files. request: NULL without --resume; then FILE.part has another name, and is removed where the program fails.
 * input: a file that may be the output itself, or NULL.
 */
void resumed_begin(struct resumed *resumed, const char *path, const sinpos_array *array, const char *tensor,
                   size_t block_elements, const struct request_text *request, const char *input);
/* Elements of a block. */
size_t resumed_length(const struct resumed *resumed, size_t block);
/* The elements of a block that is done. False: they cannot be read. */
bool resumed_read(struct resumed *resumed, size_t block, void *data, sinpos_file_error *error);
void resumed_write(struct resumed *resumed, size_t block, const void *data);
/* All listed blocks were looked at: says how many are kept, and removes what the others left, unless is_quiet. */
void resumed_looked(struct resumed *resumed, bool is_quiet);
/* Syncs FILE.part. */
void resumed_prepare(struct resumed *resumed);
/* Gives it its name and removes the journal. */
void resumed_end(struct resumed *resumed);
