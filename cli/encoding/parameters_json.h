/* parameters_json.h - parameters of a convention from JSON. */
#ifndef PARAMETERS_JSON_H
#define PARAMETERS_JSON_H

#include "options.h"
#include "sinpos_conventions.h"

/* Adds the members of the object in a file; of nested objects as "outer.inner". Returns EXIT_DONE, or complains. */
int parameters_from_file(sinpos_parameters *parameters, const char *path);

/* Adds "KEY=VALUE", VALUE being JSON, a plain word, or @ and the name of a file that holds an array. */
int parameters_from_setting(sinpos_parameters *parameters, const char *setting);

#endif
