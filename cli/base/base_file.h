/* base_file.h - certificates about bases as JSON: finished ones, and searches to go on with. */
#pragma once

#include "error_line.h"
#include "sinpos_analysis.h"

/* Writes it whole or not at all. */
void base_file_save(const char *path, const sinpos_base_certificate *certificate);

/* The caller frees the certificate with sinpos_base_free(). */
void base_file_load(const char *path, sinpos_base_certificate *certificate);

const char *base_outcome_name(sinpos_base_outcome outcome);
