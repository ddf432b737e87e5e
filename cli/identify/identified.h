/* identified.h - what the files of sinpos identify share. */
#pragma once

#include "commands.h"
#include "sinpos_analysis.h"
#include "text_buffer.h"

/* One array and what was found. */
struct identified {
    const char *path;
    const char *tensor; /* NULL where there is only one */
    size_t n_dims;
    size_t shape[SINPOS_MAX_FILE_DIMS];
    sinpos_identity *identity;
    struct text_buffer command;      /* that makes the exact array; empty where there is none */
    const char *no_command;          /* why there is none; NULL where there is one */
    struct text_buffer as_published; /* that makes it with the roundings of its source, likewise */
};

/* Writes the commands. */
void identify_make_command(struct identified *found);
void identify_free_commands(struct identified *found);
/* " --set 'KEY=VALUE'" for every line of settings; " --type TYPE" where it is not the default. */
void identify_add_settings(struct text_buffer *out, const char *settings);
void identify_add_type(struct text_buffer *out, sinpos_type type);

/* Findings, which part of the array is meant, and the other parts. */
void identify_json_findings(const sinpos_identity *identity);
void identify_print_findings(const sinpos_identity *identity);
void identify_print_part(const sinpos_identity *identity);
void identify_print_others(const sinpos_identity *identity);

/* Do two coordinates have as many frequencies by one formula? */
bool identify_same_law(const sinpos_identity_axis *one, const sinpos_identity_axis *other);

/* "scaling": null, or what slows frequencies down. */
void identify_json_scaling(sinpos_scaling scaling, double factor, double context);

/* Reports a list of frequencies: is there a formula? tensor is NULL where there is only one. */
void identify_report_list(const char *path, const char *tensor, const sinpos_frequency_list *found, bool is_json);

void identify_print(const struct identified *found);
void identify_json(const struct identified *found);
