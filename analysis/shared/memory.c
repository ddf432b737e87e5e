/* Memory that fails in FLINT, GMP and MPFR. MPFR takes GMP's functions. */
#include "boundary.h"
#include "libraries_found.h"
#include "sinpos_analysis.h"

#include <stdlib.h>

#ifdef SINPOS_HAVE_FLINT

#include "balls.h"

static void (*end)(void);

FLINT_NORETURN static void give_up(void)
{
    for (;;)
        end();
}

static void *sure(void *room)
{
    if (room == NULL)
        give_up();
    return room;
}

static void *allocate(size_t n)
{
    return sure(malloc(n > 0 ? n : 1));
}

static void *allocate_zeros(size_t n, size_t size)
{
    return sure(calloc(n > 0 ? n : 1, size > 0 ? size : 1));
}

static void *resize(void *room, size_t n)
{
    return sure(realloc(room, n > 0 ? n : 1));
}

static void *resize_sized(void *room, size_t old, size_t n)
{
    (void)old;
    return resize(room, n);
}

static void give_back(void *room, size_t n)
{
    (void)n;
    free(room);
}

#endif

void sinpos_memory_handler_set(void (*handler)(void))
{
    BOUNDARY;
    if (handler == NULL)
        return;
#ifdef SINPOS_HAVE_FLINT
    end = handler;
    __flint_set_memory_functions(allocate, allocate_zeros, resize, free);
    flint_set_abort(give_up);
    mp_set_memory_functions(allocate, resize_sized, give_back);
#endif
}
