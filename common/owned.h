/*
 * owned.h - what a function takes for itself is given back when the function returns, wherever it does.
 *
 *     OWNED double *rows = malloc(n * sizeof *rows);
 *     OWNED_PLAN sinpos_plan *plan = NULL;
 *     RELEASED_BY(curve_free) curve c = {0};
 *
 * Such a variable has a value from its declaration on: NULL, or one that its function takes. What is handed to the caller
 * is none.
 */
#pragma once

#include <stdlib.h>
#include <string.h>

#include "sinpos.h"

#define RELEASED_BY(release) __attribute__((cleanup(release), unused))
#define OWNED RELEASED_BY(owned_free)
#define OWNED_PLAN RELEASED_BY(owned_plan_destroy)

/* Of a pointer to anything. */
static inline void owned_free(const void *pointer)
{
    void *memory;
    memcpy(&memory, pointer, sizeof memory);
    free(memory);
}

static inline void owned_plan_destroy(sinpos_plan *const *plan)
{
    sinpos_plan_destroy(*plan);
}
