#include "request.h"

#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "from_config.h"
#include "number_list.h"

/* A list of doubles from a file. */
static double *load_doubles(size_t *n, const char *path)
{
    struct loaded_array loaded;
    array_file_load(&loaded, path);
    if (loaded.reals == NULL) {
        fail(EXIT_FILE, "save it as float64", path, "holds %s, not float64 or float32",
             sinpos_element_name(loaded.array.element));
    }
    if (loaded.array.n_dims != 1 || loaded.n == 0)
        fail(EXIT_FILE, "its shape must be (n)", path, "is not a list of numbers");
    *n = loaded.n;
    return loaded.reals;
}

/* What only a definition by the general options can have. */
static void load_lists(struct request *request)
{
    const struct options *options = request->options;
    const char *theta = options->given[OPTION_THETA], *factor = options->given[OPTION_FACTOR];
    sinpos_spec *spec = &request->spec;
    if (spec->theta == NULL && theta != NULL) {
        spec->theta = is_real_list(theta) ? real_list_make(&spec->n_theta, options, OPTION_THETA)
                                          : load_doubles(&spec->n_theta, theta);
    }
    if (spec->factor == NULL && factor != NULL)
        spec->factor = load_doubles(&spec->n_factor, factor);
    index_list_load(&request->columns, options, OPTION_COLUMNS);
}

/* Does the other name the same? */
static bool is_common(const struct request *request, enum option_id id)
{
    return request->common->options->given[id] == request->options->given[id];
}

static void share(struct request *request)
{
    const struct request *common = request->common;
    if (is_common(request, OPTION_FROM_CONFIG) && is_common(request, OPTION_LAYERS))
        request->config = common->config;
    if (is_common(request, OPTION_PARAMETERS))
        request->parameters.object = common->parameters.object;
    if (is_common(request, OPTION_THETA)) {
        request->spec.theta = common->spec.theta;
        request->spec.n_theta = common->spec.n_theta;
    }
    if (is_common(request, OPTION_FACTOR)) {
        request->spec.factor = common->spec.factor;
        request->spec.n_factor = common->spec.n_factor;
    }
}

/* Pairs half a head apart unless --layout says neighbours. */
static void state_rotation(sinpos_spec *spec, const struct options *options)
{
    spec->order = SINPOS_COS_SIN;
    spec->odd = SINPOS_ZERO;
    spec->layout = options->given[OPTION_LAYOUT] == NULL ? SINPOS_HALVES : spec->layout;
}

static void take_config(struct request *request)
{
    const struct options *options = request->options;
    if (request->config != NULL && is_common(request, OPTION_CONVENTION)) {
        request->convention = request->common->convention;
        return;
    }
    if (request->config == NULL)
        request->config = from_config_open(options);
    request->convention = from_config_convention(request->config, options);
}

static void choose_convention(struct request *request)
{
    const struct options *options = request->options;
    const char *name = options->given[OPTION_CONVENTION];
    const bool is_rotary = options->command->bit == COMMAND_ROTATE;
    if (options->given[OPTION_FROM_CONFIG] != NULL) {
        take_config(request);
        return;
    }
    if (options->given[OPTION_LAYERS] != NULL || options->given[OPTION_STRICT] != NULL) {
        fail_option(options, options->given[OPTION_LAYERS] != NULL ? OPTION_LAYERS : OPTION_STRICT,
                    "name the config.json of a model with --from-config", "belongs to --from-config");
    }
    const bool has_parameters = options->n_sets > 0 || options->given[OPTION_PARAMETERS] != NULL;
    const bool is_other =
        name != NULL && (is_rotary || sinpos_convention_find(name) != sinpos_convention_find("vaswani"));
    if (has_parameters || is_other)
        request->convention = name != NULL ? name : is_rotary ? "hf_rope" : "vaswani";
}

void request_make(struct request *request, const struct options *options, const struct request *common)
{
    *request = (struct request){.options = options,
                                .common = common,
                                .spec = options->spec,
                                .has_list = options->given[OPTION_POSITIONS] != NULL,
                                .has_grid = options->given[OPTION_GRID] != NULL};
    if (options->command->bit == COMMAND_ROTATE)
        state_rotation(&request->spec, options);
    if (common != NULL)
        share(request);
    choose_convention(request);
    positions_make(&request->positions, options);
    if (request->convention == NULL)
        load_lists(request);
    index_list_load(&request->negated, options, OPTION_NEGATE);
    parameters_read(&request->parameters, options);
}

void request_make_convention(struct request *request, const struct options *options, char *text, size_t n)
{
    char *rest;
    *request = (struct request){.options = options, .convention = strtok_r(text, ":", &rest)};
    for (const char *setting; (setting = strtok_r(NULL, ",", &rest)) != NULL;)
        parameters_add(&request->parameters, setting);
    request->has_list = parameter_with(request_convention(request), "role", "positions", 0) != SINPOS_NONE;
    request->positions = (struct positions){.kind = POSITIONS_RANGE, .n = n, .n_axes = 1, .step = {true, 1, 1}};
}

void request_free(struct request *request)
{
    static const struct request none;
    const struct request *common = request->common == NULL ? &none : request->common;
    positions_free(&request->positions);
    from_config_close(request->config == common->config ? NULL : request->config);
    request->parameters.object =
        request->parameters.object == common->parameters.object ? NULL : request->parameters.object;
    parameters_free(&request->parameters);
    free(request->spec.theta == common->spec.theta ? NULL : (void *)request->spec.theta);
    free(request->spec.factor == common->spec.factor ? NULL : (void *)request->spec.factor);
    loaded_array_free(&request->columns);
    loaded_array_free(&request->negated);
}

const sinpos_convention *request_convention(const struct request *request)
{
    return sinpos_convention_find(request->convention);
}

const char *request_text(const struct request *request, enum option_id id)
{
    return id == OPTION_CONVENTION && request->config != NULL ? request->convention : request->options->given[id];
}

size_t parameter_with(const sinpos_convention *convention, const char *field, const char *value, size_t k)
{
    const size_t n = sinpos_convention_parameters(convention);
    for (size_t i = 0; i < n; i++)
        if (strcmp(sinpos_convention_parameter(convention, i, field), value) == 0 && k-- == 0)
            return i;
    return SINPOS_NONE;
}
