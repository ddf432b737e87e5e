/*
 * journal.h - which blocks of an unfinished file are done, in a text beside it.
 *
 *     sinpos journal 1
 *     option --dim 512                  the request, a line for each part
 *     ...
 *     blocks 12
 *     end 5f0c9d2e88a1b3f4              the checksum of the lines above
 *     0 9be1720d1f7c03aa                number and checksum of a block that is done, whose data lie elsewhere
 *     1 77cd0123beef4567 34             of one whose record of 34 bytes follows, and a line break
 *     +2 0123456789abcdef 102           of a part of the state of one that is being made
 *
 * A line is added, with its record, when its block is written. What a kill cut short at the end is cut off; what no
 * journal would hold is ignored, and its block done again.
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
    bool is_new;      /* there was none */
    bool has_records; /* of its blocks, in it */
    size_t n_blocks;
    bool *is_done;
    uint64_t *sums;
    char *head;                    /* what the file begins with, if it is that of another request; NULL: it is ours */
    struct request_text text;      /* what it held */
    struct journal_entry *entries; /* (n_entries) records in it, in order */
    size_t n_entries, entries_room, n_damaged;
};

/* A record, or a part of a state. */
struct journal_entry {
    size_t block, at, n; /* n bytes of the text */
    bool is_state;
};

/*
 * Opens the journal at path and keeps others from it, or makes one. Fails where another sinpos has it open, and where the
 * file is no journal, or a damaged one. The journal of another request is left as it is: journal_refuse() says what differs.
 * has_records: every block has a record; without, none has one. Lines of the other kind say nothing.
 */
void journal_open(struct journal *journal, const char *path, const struct request_text *request, size_t n_blocks,
                  bool has_records);
/* A list of blocks that no file keeps. */
void journal_none(struct journal *journal, size_t n_blocks);
/* Is it of this request, lines of that kind aside? NULL: no such lines. */
bool journal_is_ours(const struct journal *journal, const struct request_text *request, const char *kind);
/* part: the unfinished file beside it; NULL: there is none. */
noreturn void journal_refuse(const struct journal *journal, const struct request_text *request, const char *part);
/* How many blocks are listed. */
size_t journal_count(const struct journal *journal);
/* Writes that a block is done. */
void journal_add(struct journal *journal, size_t block, uint64_t sum);
/* Likewise with what it found; or what it has come to. */
void journal_add_record(struct journal *journal, size_t block, bool is_state, const char *bytes, size_t n);
/* The file is whole, or nothing of it was begun. */
void journal_remove(struct journal *journal);
/* What it holds is gone on with another time. */
void journal_close(struct journal *journal);
