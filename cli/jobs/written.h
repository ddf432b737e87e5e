/* written.h - the array that a command writes: whole and on the disk, then the report, and only then its name.
 *
 * What fails before ends the program: the unfinished file is removed, and the target stays what it was.
 */
#pragma once

#include "resumed.h"
#include "sha256.h"

/* To the file of --output; where there is none, only the bar and the clock go. */
struct output {
    const struct options *options;
    sinpos_array array;
    const char *tensor; /* its name; NULL: the usual one */
    uint64_t bytes;
    sinpos_writer *writer; /* NULL: not open */
    double began, seconds; /* from output_begin() to output_end() */
    /* For output_make(): */
    size_t block_elements; /* of each block but the last, which may be shorter */
    const char *input;     /* a large file that the output depends on; NULL: there is none */
    void *context;
    void (*make)(void *context, size_t first, size_t n, void *data); /* elements first .. first + n - 1 */
    uint64_t (*count)(void *context, const void *data, size_t n);    /* NULL, or something to be counted in them */
    uint64_t n_counted;
    struct sha256 *hash; /* NULL, or receives all elements */
    struct request_text request;
    struct resumed *resumed; /* NULL: not open */
    uint64_t kept_bytes;
    /* inside */
    size_t n_blocks, next;
    void *data;
    uint64_t first_byte;
    const char *what;
    bool is_whole, is_look;
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
/* The next n elements, in the first process alone. */
void output_write(struct output *output, const void *elements, size_t n);
/*
 * Or all of them, block by block, by make(): at their places where a team shares them or --resume keeps them, without those
 * that are kept; else one after another.
 */
void output_make(struct output *output);

/* In the first process; the others return from both. All elements were written: completes the file and syncs it. */
void output_end(struct output *output);
/*
 * The report was printed: sees that it is out, gives the file its name, and prints
 * "table.npy: 4096 x 512 float32, 8.4 MB in 0.01 s, 0.8 GB/s" on standard error, unless --quiet.
 */
void output_finish(struct output *output);
