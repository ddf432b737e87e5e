/*
 * resumed.h - an output that outlives a kill: its data lie in FILE.part, the blocks that are done in FILE.journal.
 *
 * A block is written before its line of the journal, and no sync lies between: a listed block is believed only where its
 * checksum is that of what FILE.part holds.
 */
#pragma once

#include "journal.h"
#include "options.h"

struct resumed {
    const char *path;           /* as it was given */
    char *target, *part, *list; /* the file behind links, FILE.part and FILE.journal */
    struct journal journal;
    sinpos_writer *writer; /* of FILE.part */
    sinpos_reader *whole;  /* of FILE, where all was done but the journal's removal; writer is NULL then */
    sinpos_array array;
    size_t n_elements, block_elements;
    size_t n_kept; /* blocks that were done when it began */
};

/* Fails without -o. */
void resumed_check(const struct options *options);
/*
 * Opens both, finds the blocks that are done, and prints how many they are unless is_quiet. input: a file that may be the
 * output itself, or NULL.
 */
void resumed_begin(struct resumed *resumed, const char *path, const sinpos_array *array, const char *tensor,
                   size_t block_elements, const struct request_text *request, const char *input, bool is_quiet);
/* Is the block that begins with this element done? */
bool resumed_has(const struct resumed *resumed, size_t first);
/* The elements of a block that is done. */
void resumed_read(struct resumed *resumed, size_t first, void *data, size_t n);
/* Writes a block, and that it is done. */
void resumed_write(struct resumed *resumed, size_t first, const void *data, size_t n);
/* Syncs FILE.part. */
void resumed_prepare(struct resumed *resumed);
/* Gives it its name and removes the journal. */
void resumed_end(struct resumed *resumed);
