/* from_config.h - a rotary encoding from the config.json of a model on Hugging Face. */
#pragma once

#include "model_config.h"
#include "options.h"
#include "sinpos_conventions.h"

struct config_file;

/* Reads the file that --from-config names. */
struct config_file *from_config_open(const struct options *options);
/* NULL is fine. */
void from_config_close(struct config_file *file);

/* The convention: that of --convention, or else that of the model by its model_type. */
const char *from_config_convention(struct config_file *file, const struct options *options);

/*
 * What the file states of the parameters that the convention has: from rope_parameters, rope_scaling and the fields
 * beside them, in text_config if there is one.
 */
void from_config_parameters(sinpos_parameters *parameters, struct config_file *file, const struct options *options,
                            const sinpos_convention *convention);

/* How many positions the file says the model takes; 0 where there is no file, or it does not say. */
size_t from_config_context(const struct config_file *file);

/* What was read, whose names may be changed for a while; the path of the file; what was found in it. */
config_value *from_config_tree(struct config_file *file);
const char *from_config_path(const struct config_file *file);
const struct model_config *from_config_model(const struct config_file *file);
/* Fails where the rules refuse: with CONFIG_USAGE or CONFIG_FILE, as they return it. */
void from_config_check(const struct config_file *file, int outcome);
