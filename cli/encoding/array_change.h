/* array_change.h - an array passes through, piece by piece, and comes out changed. */
#pragma once

#include "input_array.h"
#include "written.h"

struct array_change {
    const struct options *options;
    struct input_array *input; /* opened */
    size_t n_piece;            /* rows read at a time */
    /* Changes rows row .. row + n - 1 of one block in place. */
    void (*work)(void *context, size_t block, size_t row, size_t n, void *data);
    void *context;
    const char *tensor;    /* the name of a tensor that has none; NULL: the usual one */
    const char *from, *to; /* for the report, of a conversion; NULL: it is none */
    struct output output;
    /* inside */
    bool is_at_random;
    size_t next; /* row that the input gives next, where they come in turn */
};

/* Is there an output, "IN -o OUT" being what the command takes? */
void array_change_check(const struct options *options);
/* Reads, changes, writes and reports. */
void array_change_run(struct array_change *change);
