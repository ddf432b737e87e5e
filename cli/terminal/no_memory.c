#include "no_memory.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "error_line.h"
#include "sinpos_analysis.h"

#ifdef SINPOS_HAVE_JANSSON
#include <jansson.h>
#endif

static bool is_done;
static void (*clean_up)(void);

noreturn void memory_end(void)
{
    static atomic_flag ended = ATOMIC_FLAG_INIT;
    while (atomic_flag_test_and_set(&ended))
        pause(); /* another thread was first */
    complain_memory();
    if (clean_up != NULL)
        clean_up();
    _exit(EXIT_FILE);
}

void *memory_take(size_t n, size_t size)
{
    void *items = calloc(n == 0 ? 1 : n, size);
    if (items == NULL)
        memory_end();
    return items;
}

void *memory_grow(void *list, size_t n, size_t *room, size_t size)
{
    if (n < *room)
        return list;
    *room = *room == 0 ? 64 : 2 * *room;
    void *larger = *room > SIZE_MAX / 2 / size ? NULL : realloc(list, *room * size);
    if (larger == NULL)
        memory_end();
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
        memory_end();
}

#ifdef SINPOS_HAVE_JANSSON
/* Jansson takes no notice of some failures, and would read or write something else. */
static void *json_room(size_t n)
{
    return memory_take(n, 1);
}
#endif

void memory_prepare(void (*last)(void))
{
    clean_up = last;
#ifdef SINPOS_HAVE_JANSSON
    json_set_alloc_funcs(json_room, free);
#endif
    sinpos_memory_handler_set(memory_end);
    if (atexit(look_at_exit) != 0)
        memory_end();
}

void memory_done(void)
{
    is_done = true;
}
