/* parameters_json.h - parameters of a convention from JSON. */
#pragma once

#include "config_value.h"
#include "options.h"
#include "sinpos_conventions.h"

struct parameters_json {
    config_value *object; /* of the file; NULL: none */
    struct setting *settings;
    size_t n, room;
};

/* Reads what --parameters and --set give, but for an object that is there. */
void parameters_read(struct parameters_json *all, const struct options *options);
/* Adds "KEY=VALUE", VALUE being JSON, a plain word, or @ and the name of a file that holds an array. */
void parameters_add(struct parameters_json *all, const char *text);
void parameters_free(struct parameters_json *all);

/* Sets the members of the file's object, of nested objects as "outer.inner"; the settings. */
void parameters_set_object(sinpos_parameters *parameters, const struct parameters_json *all);
void parameters_set_settings(sinpos_parameters *parameters, const struct parameters_json *all);

/* Setting k, as --set gave it. *value is NULL for an array of a file. False: there are fewer. */
bool parameters_setting(const struct parameters_json *all, size_t k, const char **name, const config_value **value);
