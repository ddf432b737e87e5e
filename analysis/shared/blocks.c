/* Blocks of memory that are freed together: a list, newest first. */
#include "blocks.h"

#include <stdalign.h>
#include <stdlib.h>

typedef struct block {
    alignas(max_align_t) struct block *before;
} block;

void *blocks_take(blocks *b, size_t n, size_t bytes)
{
    size_t size;
    const bool fits = !__builtin_mul_overflow(n, bytes, &size) && !__builtin_add_overflow(size, sizeof(block), &size);
    block *taken = fits ? calloc(1, size) : NULL;
    if (taken == NULL) {
        b->has_failed = true;
        return NULL;
    }
    taken->before = b->last;
    b->last = taken;
    return taken + 1;
}

sinpos_status blocks_status(const blocks *b)
{
    return b->has_failed ? SINPOS_E_MEMORY : SINPOS_OK;
}

sinpos_status blocks_all(blocks *b)
{
    const sinpos_status status = blocks_status(b);
    if (status != SINPOS_OK)
        blocks_free(b);
    return status;
}

void blocks_free(blocks *b)
{
    for (block *at = b->last, *before; at != NULL; at = before) {
        before = at->before;
        free(at);
    }
    *b = (blocks){0};
}
