/*
 * journal.h - which blocks of an unfinished file are done, in a text beside it.
 *
 *     sinpos journal 1
 *     option --dim 512                  the request, a line for each part
 *     ...
 *     blocks 12
 *     end 5f0c9d2e88a1b3f4              the checksum of the lines above
 *     0 9be1720d1f7c03aa                number and checksum of a block that is done
 *
 * A line is added when its block is written. A last line that a kill cut short is cut off; one that no journal would hold
 * is ignored, and its block done again.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdnoreturn.h>

#include "request_text.h"

struct journal {
    char *path;
    int fd;
    bool is_new; /* there was none */
    size_t n_blocks;
    bool *is_done;
    uint64_t *sums;
    char *head; /* what the file begins with, if it is that of another request; NULL: it is ours */
};

/*
 * Opens the journal at path and keeps others from it, or makes one. Fails where another sinpos has it open, and where the
 * file is no journal, or a damaged one. The journal of another request is left as it is: journal_refuse() says what differs.
 */
void journal_open(struct journal *journal, const char *path, const struct request_text *request, size_t n_blocks);
/* Is it of this request, lines of that kind aside? NULL: no such lines. */
bool journal_is_ours(const struct journal *journal, const struct request_text *request, const char *kind);
noreturn void journal_refuse(const struct journal *journal, const struct request_text *request, const char *part);
/* How many blocks are listed. */
size_t journal_count(const struct journal *journal);
/* Writes that a block is done. */
void journal_add(struct journal *journal, size_t block, uint64_t sum);
/* The file is whole, or nothing of it was begun. */
void journal_remove(struct journal *journal);
