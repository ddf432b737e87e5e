/* json_in.h - JSON as a tree. A build without Jansson reads none. */
#pragma once

#include "config_value.h"

/* Fails about the option that needs JSON where this build reads none. */
void json_check(const char *option);

/* False where the text is no JSON, or has an object with a name twice. */
bool json_read(config_value *value, const char *text);
/* Of a whole file; is_strict: no object has a name twice. */
void json_file_read(config_value *value, const char *path, bool is_strict, const char *hint);
