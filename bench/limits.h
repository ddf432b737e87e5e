/* What the machine can do at best on the same bytes. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "vector_loops.h"

enum limit { LIMIT_MEMSET, LIMIT_STREAM_STORE, LIMIT_MEMCPY, LIMIT_ADD_CONSTANT, LIMIT_ADD_TABLE, LIMIT_SCALE };

struct limit_job {
    enum limit limit;
    void *to;       /* page-aligned */
    void *from;     /* of memcpy and of the table that is added; only limit_works() writes it */
    size_t bytes;   /* a multiple of 4096 */
    size_t threads; /* the caller and threads - 1 that each run starts */
    const struct vector_loops *loops;
};

/* Is there such a loop for this processor? */
bool limit_exists(enum limit limit);

/* The `seconds` of a side: job is a struct limit_job. */
double limit_seconds(void *job);

/* Runs the limit once on known bytes and looks at what it did. Overwrites to and from. */
bool limit_works(struct limit_job *job);
