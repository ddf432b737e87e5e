/* parameter_list.h - values of a convention's parameters by name, in an object that owns no value. */
#pragma once

#include "model_config.h"

struct parameter_list {
    config_value object; /* the last of a name wins */
    size_t room;
};

/* The name and what the value points to must live as long. False without memory. */
bool parameter_list_add(struct parameter_list *list, const char *name, config_value value);
void parameter_list_free(struct parameter_list *list);

/* What the configuration states. CONFIG_DONE, or another with the report of the configuration filled; -1: no memory. */
int parameter_list_config(struct parameter_list *list, const struct model_config *config,
                          const sinpos_convention *convention, bool has_width);
