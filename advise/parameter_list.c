#include "parameter_list.h"

#include <stdint.h>
#include <stdlib.h>

static bool make_room(struct parameter_list *list)
{
    const size_t room = list->room == 0 ? 32 : 2 * list->room;
    if (list->object.n < list->room)
        return true;
    if (room > SIZE_MAX / sizeof *list->object.items)
        return false;
    config_value *items = realloc(list->object.items, room * sizeof *items);
    list->object.items = items != NULL ? items : list->object.items;
    char **names = items != NULL ? realloc(list->object.names, room * sizeof *names) : NULL;
    list->object.names = names != NULL ? names : list->object.names;
    list->room = names != NULL ? room : list->room;
    return names != NULL;
}

bool parameter_list_add(struct parameter_list *list, const char *name, config_value value)
{
    list->object.kind = CONFIG_OBJECT;
    if (value.kind == CONFIG_NONE)
        return true;
    if (!make_room(list))
        return false;
    list->object.names[list->object.n] = (char *)name;
    list->object.items[list->object.n++] = value;
    return true;
}

void parameter_list_free(struct parameter_list *list)
{
    free(list->object.items);
    free(list->object.names);
    *list = (struct parameter_list){.room = 0};
}

int parameter_list_config(struct parameter_list *list, const struct model_config *config,
                          const sinpos_convention *convention, bool has_width)
{
    int code = CONFIG_DONE;
    for (size_t k = 0; k < sinpos_convention_parameters(convention) && code == CONFIG_DONE; k++) {
        const char *name = sinpos_convention_parameter(convention, k, "name");
        config_value value = {.kind = CONFIG_NONE};
        if (!model_config_is_second_base(convention, k))
            code = model_config_parameter(config, name, has_width, &value);
        if (code == CONFIG_DONE && !parameter_list_add(list, name, value))
            code = -1;
    }
    return code;
}
