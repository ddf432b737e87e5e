/* from_config.h - a rotary encoding from the config.json of a model on Hugging Face. */
#ifndef FROM_CONFIG_H
#define FROM_CONFIG_H

#include "options.h"
#include "sinpos_conventions.h"

/*
 * The convention of the model that --from-config names, by its model_type; --convention has precedence. Returns
 * EXIT_DONE, or complains.
 */
int from_config_convention(struct options *options);

/*
 * What the file states of the parameters that the convention has: from rope_parameters, rope_scaling and the fields
 * beside them, in text_config if there is one. Returns EXIT_DONE, or complains.
 */
int from_config_parameters(sinpos_parameters *parameters, const struct options *options);

/* How many positions the file says the model takes; 0 where there is no file, or it does not say. */
size_t from_config_context(const struct options *options);

#endif
