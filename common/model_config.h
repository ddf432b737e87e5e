/* model_config.h - the rotary encoding that the configuration of a model on Hugging Face states. */
#pragma once

#include "config_value.h"
#include "model_types.h"
#include "sinpos_conventions.h"

enum { CONFIG_DONE = 0, CONFIG_USAGE = 2, CONFIG_FILE = 3 }; /* exit codes of the command line */

/* What went wrong, in the words of the command line; about is empty where the configuration is meant. */
struct config_report {
    char about[100], why[300], hint[240];
    char assumed[240]; /* a warning: what the configuration does not say; empty: nothing */
};

struct model_config {
    const config_value *all;
    const config_value *text; /* the language model's part of it, or all of it */
    const config_value *rope; /* rope_parameters or rope_scaling of the layers asked for; NULL if there is none */
    bool by_kind;             /* the file has such a block for each kind of layers */
    const char *type;
    const struct model_type *model; /* NULL: unknown */
    const char *layers;             /* their kind */
    bool is_sliding;                /* layers that see a window only */
    struct config_report *report;
};

/*
 * layers is a kind of layers or the number of one; NULL: those that have rotary positions. The tree must outlive c. The
 * functions return CONFIG_DONE, or another of the three with the report filled.
 */
int model_config_open(struct model_config *c, const config_value *all, const char *layers,
                      struct config_report *report);

/* The convention: given unless NULL, else by the type of the model; is_strict refuses a type that is not known. */
int model_config_convention(const struct model_config *c, const char *given, bool is_strict, const char **convention);

/*
 * What the configuration states of a parameter: from rope_parameters, rope_scaling and the fields beside them. CONFIG_NONE:
 * nothing. has_width: the caller states it. The value borrows from the tree.
 */
int model_config_parameter(const struct model_config *c, const char *name, bool has_width, config_value *value);

/* Is parameter k of the convention another name of the base? It would win over the one that a caller sets. */
bool model_config_is_second_base(const sinpos_convention *convention, size_t k);

/* How many positions the model is made for; 0: it is not stated. */
size_t model_config_context(const struct model_config *c);

/* A table is of the cosines and sines that the source holds: the output that makes it, NULL where it is the usual one. */
const char *model_config_output(const sinpos_convention *convention);
