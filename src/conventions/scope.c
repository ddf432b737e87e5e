/* Names that formulas know, the lists they make, what went wrong with one, and the trees of their texts. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formula_tree.h"

struct list_block {
    list_block *next;
    double items[];
};

void scope_init(scope *s)
{
    memset(s, 0, sizeof *s);
    s->generation = 1;
    s->error = (sinpos_error)SINPOS_ERROR_INIT;
}

void formula_trees_free(formula_tree *trees)
{
    while (trees != NULL) {
        formula_tree *next = trees->next;
        for (int k = 1; k < trees->n_nodes; k++)
            free(trees->nodes[k].kept);
        free(trees->nodes);
        free(trees->copy);
        free(trees);
        trees = next;
    }
}

void scope_free(scope *s)
{
    while (s->lists != NULL) {
        list_block *next = s->lists->next;
        free(s->lists);
        s->lists = next;
    }
    formula_trees_free(s->trees);
    free(s->bindings);
    memset(s, 0, sizeof *s);
    s->error = (sinpos_error)SINPOS_ERROR_INIT;
}

__attribute__((format(printf, 4, 0))) static void put_error(scope *s, sinpos_status status, const char *name,
                                                            const char *format, va_list arguments)
{
    s->error = (sinpos_error)SINPOS_ERROR_INIT;
    s->error.status = status;
    snprintf(s->error.name, sizeof s->error.name, "%s", name);
    vsnprintf(s->error.message, sizeof s->error.message, format, arguments);
}

bool scope_fail(scope *s, sinpos_status status, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    put_error(s, status, "", format, arguments);
    va_end(arguments);
    return false;
}

bool scope_fail_about(scope *s, sinpos_status status, const char *name, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    put_error(s, status, name, format, arguments);
    va_end(arguments);
    return false;
}

bool scope_fail_axes(scope *s, size_t n_axes, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    put_error(s, SINPOS_E_AXES, "", format, arguments);
    va_end(arguments);
    s->error.n_axes = n_axes;
    return false;
}

double *scope_list(scope *s, size_t n)
{
    if (n > (SIZE_MAX - sizeof(list_block)) / sizeof(double))
        return NULL;
    list_block *block = malloc(sizeof *block + n * sizeof(double) + 1);
    if (block == NULL)
        return NULL;
    block->next = s->lists;
    s->lists = block;
    return block->items;
}

void value_number(value *v, double x)
{
    v->kind = VALUE_NUMBER;
    v->g = -1;
    v->type = v->reg = 0;
    real_set(&v->number, x);
}

size_t value_items(const value *list)
{
    size_t n = 1;
    for (size_t k = 0; k < list->n_dims; k++)
        n *= list->shape[k];
    return n;
}

binding *scope_binding(const scope *s, const char *name, size_t n_name)
{
    for (size_t k = s->n_bindings; k-- > 0;) {
        const binding *one = &s->bindings[k];
        if (one->n_name == n_name && one->name[0] == name[0] && memcmp(one->name, name, n_name) == 0)
            return &s->bindings[k];
    }
    return NULL;
}

const value *scope_find(const scope *s, const char *name, size_t n_name)
{
    const binding *found = scope_binding(s, name, n_name);
    return found == NULL ? NULL : &found->v;
}

void scope_mark(scope *s, const char *name, size_t n_name)
{
    binding *found = scope_binding(s, name, n_name);
    if (found == NULL)
        return;
    found->is_of_rows = true;
    s->generation++;
}

bool scope_bind(scope *s, const char *name, size_t n_name, const value *v)
{
    binding *place = scope_binding(s, name, n_name);
    if (place == NULL) {
        if (s->n_bindings == s->n_room) {
            const size_t room = s->n_room == 0 ? 32 : 2 * s->n_room;
            binding *more = realloc(s->bindings, room * sizeof *more);
            if (more == NULL)
                return scope_fail(s, SINPOS_E_MEMORY, "out of memory");
            s->bindings = more;
            s->n_room = room;
        }
        place = &s->bindings[s->n_bindings++];
    }
    *place = (binding){.name = name, .n_name = n_name, .v = *v};
    s->generation++;
    return true;
}
