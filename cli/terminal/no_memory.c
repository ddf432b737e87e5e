#include "no_memory.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "error_line.h"
#include "sinpos_analysis.h"

#ifdef SINPOS_HAVE_JANSSON
#include <jansson.h>
#endif

static bool is_done;

void *memory_take(size_t n, size_t size)
{
    void *items = calloc(n == 0 ? 1 : n, size);
    if (items == NULL)
        fail_memory();
    return items;
}

void *memory_grow(void *list, size_t n, size_t *room, size_t size)
{
    if (n < *room)
        return list;
    *room = *room == 0 ? 64 : 2 * *room;
    void *larger = *room > SIZE_MAX / 2 / size ? NULL : realloc(list, *room * size);
    if (larger == NULL)
        fail_memory();
    return larger;
}

void *memory_copy(const void *items, size_t n, size_t size)
{
    void *copy = memory_take(n, size);
    return n == 0 ? copy : memcpy(copy, items, n * size);
}

/* OpenBLAS calls exit(1) where it gets no memory. */
static void look_at_exit(void)
{
    if (!is_done)
        fail_memory();
}

#ifdef SINPOS_HAVE_JANSSON
/* Jansson takes no notice of some failures, and would read or write something else. */
static void *json_room(size_t n)
{
    return memory_take(n, 1);
}
#endif

void memory_prepare(void)
{
#ifdef SINPOS_HAVE_JANSSON
    json_set_alloc_funcs(json_room, free);
#endif
    sinpos_memory_handler_set(fail_memory);
    if (atexit(look_at_exit) != 0)
        fail_memory();
}

void memory_done(void)
{
    is_done = true;
}
