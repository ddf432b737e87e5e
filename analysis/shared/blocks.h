/* Blocks of memory that are freed together. */
#pragma once

#include <stdbool.h>

#include "owned.h"
#include "sinpos.h"

typedef struct blocks {
    struct block *last;
    bool has_failed;
} blocks;

/* n elements of so many bytes, all 0; NULL without memory. */
void *blocks_take(blocks *b, size_t n, size_t bytes);
/* SINPOS_E_MEMORY once one could not be had. */
sinpos_status blocks_status(const blocks *b);
/* The same, and then frees the others. */
sinpos_status blocks_all(blocks *b);
void blocks_free(blocks *b);
