/* json.h - JSON by Jansson; inside formats/ only, and only where SINPOS_HAVE_JANSSON. */
#pragma once

#include <jansson.h>

#include "format.h"

/* SINPOS_FILE_E_MEMORY wherever memory failed, else "WHOSEis not good JSON". root is NULL on error. */
sinpos_file_status json_read(const char *text, size_t length, json_t **root, const char *whose,
                             sinpos_file_error *error);
