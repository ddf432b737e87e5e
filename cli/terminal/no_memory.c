#include "no_memory.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
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
    void *room = malloc(n);
    if (room == NULL)
        memory_end();
    return room;
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
