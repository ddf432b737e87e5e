/* request.h - which encoding is asked for: what the options state, and the files that they name, read once. */
#pragma once

#include "array_file.h"
#include "parameters_json.h"
#include "positions.h"
#include "sinpos_conventions.h"

struct request {
    const struct options *options;
    const struct request *common; /* whose files are used where both name the same; NULL: none */
    const char *convention;       /* its name; NULL: the general options state the encoding */
    sinpos_spec spec;             /* as the general options state it; theta and factor belong to the request */
    struct positions positions;   /* n is that of a list or a grid */
    bool has_list, has_grid;
    struct config_file *config; /* of --from-config; NULL: none */
    struct parameters_json parameters;
    struct parameters_json more; /* as --set, after all others */
    struct loaded_array columns; /* of a file that --columns names; empty: none */
    struct loaded_array negated; /* likewise --negate */
};

/*
 * Reads what the options name and common, if not NULL, has not read for the same options; it must live longer.
 */
void request_make(struct request *request, const struct options *options, const struct request *common);
/* Only the convention NAME, at positions 0 .. n - 1. "NAME:KEY=VALUE,KEY=VALUE" is cut in place, and must live as long. */
void request_make_convention(struct request *request, const struct options *options, char *text, size_t n);
void request_free(struct request *request);

/* The convention, which must be asked for. */
const sinpos_convention *request_convention(const struct request *request);
/* What was given for an option that says which encoding, or what a configuration gives instead; NULL: nothing. */
const char *request_text(const struct request *request, enum option_id id);

/* Number of the k-th parameter whose field, such as "role", has that value; SINPOS_NONE if there is none. */
size_t parameter_with(const sinpos_convention *convention, const char *field, const char *value, size_t k);
