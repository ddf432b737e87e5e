/* parameter_value.h - a value of JSON as that of a convention's parameter. */
#pragma once

#include "config_value.h"
#include "sinpos_conventions.h"

/* Sets a value that is no object. *why: what is wrong with a list; NULL where the status says all. */
sinpos_status parameters_set_value(sinpos_parameters *parameters, const char *name, const config_value *value,
                                   const char **why);

/* Why whole numbers beyond 2^53 are refused in a list. */
extern const char parameter_no_double[];
