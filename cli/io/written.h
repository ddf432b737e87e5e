/* written.h - the array that a command writes: whole and on the disk, then the report, and only then its name.
 *
 * What fails before ends the program: the unfinished file is removed, and the target stays what it was.
 */
#pragma once

#include "resumed.h"

/* To the file of --output; where there is none, only the bar and the clock go. */
struct output {
    const struct options *options;
    sinpos_array array;
    const char *tensor; /* its name; NULL: the usual one */
    uint64_t bytes;
    sinpos_writer *writer; /* NULL: not open */
    double began, seconds; /* from output_begin() to output_end() */
    /* With --resume: */
    size_t block_elements; /* of each output_write() or output_pass() but the last, which is shorter */
    const char *input;     /* a large file that the output depends on; NULL: there is none */
    struct request_text request;
    struct resumed *resumed; /* NULL: not open */
    size_t next;             /* number of the next element */
    uint64_t kept_bytes;
};

/* Of the options, as the usual name of the tensor is. */
struct output output_of(const struct options *options);

/* Bytes per second; 0 where no time went by. */
double output_rate(const struct output *output);

/* Refuses the array and a report of --hash or --json that both go to standard output. */
void written_check(const struct options *options);
/* Can the array be written? */
void output_check(const struct output *output);

/* Opens the file; what: the name of the bar, NULL for none. */
void output_begin(struct output *output, const char *what);
/* Were the next elements written before, by a command that --resume goes on with? */
bool output_is_done(const struct output *output);
/* Passes over the next n, which were; and reads them, unless data is NULL. */
void output_pass(struct output *output, void *data, size_t n);
/* The next n elements. */
void output_write(struct output *output, const void *elements, size_t n);

/* All elements were written: completes the file and syncs it. */
void output_end(struct output *output);
/*
 * The report was printed: sees that it is out, gives the file its name, and prints
 * "table.npy: 4096 x 512 float32, 8.4 MB in 0.01 s, 0.8 GB/s" on standard error, unless --quiet.
 */
void output_finish(struct output *output);
