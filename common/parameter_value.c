#include "parameter_value.h"

#include <stdint.h>
#include <stdlib.h>

enum { LIST_DIMS = 8 };

const char parameter_no_double[] = "holds a whole number beyond 2^53 that a double cannot hold";

static const char uneven[] = "is a list of rows that differ in length";

struct numbers {
    double *values;
    size_t n, room, n_dims;
    size_t shape[LIST_DIMS];
    const char *why;
    bool has_memory;
};

static bool list_shape(const config_value *value, struct numbers *list)
{
    for (; value->kind == CONFIG_LIST; value = &value->items[0]) { /* behind the items there is one that is nothing */
        if (list->n_dims == LIST_DIMS) {
            list->why = "is nested too deep";
            return false;
        }
        list->shape[list->n_dims++] = value->n;
    }
    return true;
}

static bool add_number(struct numbers *list, double x)
{
    if (list->n == list->room) {
        const size_t room = list->room == 0 ? 16 : 2 * list->room;
        double *values = room > SIZE_MAX / sizeof *values ? NULL : realloc(list->values, room * sizeof *values);
        list->has_memory = values != NULL;
        if (values == NULL)
            return false;
        list->values = values;
        list->room = room;
    }
    list->values[list->n++] = x;
    return true;
}

static const char *item_mistake(const config_value *value, bool is_deep_enough)
{
    const bool is_number = value->kind == CONFIG_NUMBER || value->kind == CONFIG_TRUE || value->kind == CONFIG_FALSE;
    return !is_deep_enough     ? uneven
           : !is_number        ? "holds what is not a number"
           : value->is_rounded ? parameter_no_double
                               : NULL;
}

static bool list_items(const config_value *value, struct numbers *list, size_t depth)
{
    if (value->kind != CONFIG_LIST) {
        list->why = item_mistake(value, depth == list->n_dims);
        return list->why == NULL &&
               add_number(list, value->kind == CONFIG_NUMBER ? value->number : value->kind == CONFIG_TRUE);
    }
    if (depth >= list->n_dims || value->n != list->shape[depth]) {
        list->why = uneven;
        return false;
    }
    for (size_t i = 0; i < value->n; i++)
        if (!list_items(&value->items[i], list, depth + 1))
            return false;
    return true;
}

static sinpos_status set_list(sinpos_parameters *parameters, const char *name, const config_value *value,
                              const char **why)
{
    struct numbers list = {.has_memory = true};
    const bool good = list_shape(value, &list) && list_items(value, &list, 0);
    const sinpos_status status =
        good              ? sinpos_parameters_set_list(parameters, name, list.values, list.n_dims, list.shape)
        : list.has_memory ? SINPOS_E_VALUE
                          : SINPOS_E_MEMORY;
    *why = good || !list.has_memory ? NULL : list.why;
    free(list.values);
    return status;
}

sinpos_status parameters_set_value(sinpos_parameters *parameters, const char *name, const config_value *value,
                                   const char **why)
{
    *why = NULL;
    switch (value->kind) {
    case CONFIG_NULL: return sinpos_parameters_set_null(parameters, name);
    case CONFIG_FALSE:
    case CONFIG_TRUE: return sinpos_parameters_set_flag(parameters, name, value->kind == CONFIG_TRUE);
    case CONFIG_NUMBER: return sinpos_parameters_set_number(parameters, name, value->number);
    case CONFIG_TEXT: return sinpos_parameters_set_text(parameters, name, value->text);
    case CONFIG_LIST: return set_list(parameters, name, value, why);
    case CONFIG_NONE:
    case CONFIG_OBJECT:
    case CONFIG_OTHER: break;
    }
    return SINPOS_OK;
}
