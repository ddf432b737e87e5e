#include "advise_subject.h"

#include <string.h>

#include "from_config.h"
#include "no_memory.h"
#include "progress.h"

/* ----------------------------------------------------------------------------------------------------------- words */

static void add_word(struct text_buffer *out, const char *option, const char *value)
{
    buffer_format(out, "%s--%s", out->n == 0 ? "" : " ", option);
    if (value[0] != '\0') {
        buffer_text(out, " ");
        buffer_shell_word(out, value);
    }
}

/* The options as they were typed, but for the file. */
static void state_more(struct text_buffer *out, const struct options *options)
{
    static const enum option_id stated[] = {OPTION_CONVENTION, OPTION_LAYERS, OPTION_STRICT, OPTION_DIM, OPTION_BASE};
    for (size_t k = 0; k < sizeof stated / sizeof stated[0]; k++)
        if (options->given[stated[k]] != NULL)
            add_word(out, option_types[stated[k]].name, options->given[stated[k]]);
    for (size_t k = 0; k < options->n_sets; k++)
        add_word(out, "set", options->sets[k]);
    buffer_text(out, "");
}

static void state_words(struct advised *advised, const struct options *options)
{
    const char *path = options->given[OPTION_FROM_CONFIG];
    state_more(&advised->more, options);
    if (path != NULL)
        add_word(&advised->words, "from-config", path);
    if (path != NULL && advised->more.n > 0)
        buffer_text(&advised->words, " ");
    buffer_text(&advised->words, buffer_string(&advised->more));
    if (advised->words.is_broken || advised->more.is_broken)
        fail_memory();
    advised->subject.words = buffer_string(&advised->words);
    advised->subject.more = buffer_string(&advised->more);
}

/* ---------------------------------------------------------------------------------------------------------- values */

static void add(struct advised *advised, const char *name, config_value value)
{
    if (!parameter_list_add(&advised->parameters, name, value))
        fail_memory();
}

static void add_role(struct advised *advised, const struct request *request, enum option_id id, double value)
{
    const sinpos_convention *convention = request_convention(request);
    const char *role = option_types[id].name;
    const char *name = sinpos_convention_parameter(convention, parameter_with(convention, "role", role, 0), "name");
    if (request->options->given[id] != NULL)
        add(advised, name != NULL ? name : role, config_of_number(value));
}

static void add_settings(struct advised *advised, const struct request *request)
{
    const char *name;
    const config_value *value;
    for (size_t k = 0; parameters_setting(&request->parameters, k, &name, &value); k++) {
        if (value == NULL || value->kind == CONFIG_OBJECT)
            fail(EXIT_USAGE, "write it as a number, a word or a list", name, "is an array of a file, or an object");
        add(advised, name, *value);
    }
}

static void take_config(struct advised *advised, const struct request *request)
{
    const bool has_width = request->options->given[OPTION_DIM] != NULL;
    const int outcome = parameter_list_config(&advised->parameters, from_config_model(request->config),
                                              request_convention(request), has_width);
    if (outcome < 0)
        fail_memory();
    from_config_check(request->config, outcome);
    advised->subject.config = from_config_tree(request->config);
    advised->subject.path = from_config_path(request->config);
    advised->subject.layers = request->options->given[OPTION_LAYERS];
}

static void take_convention(struct advised *advised, const struct request *request)
{
    const struct options *options = request->options;
    if (request_convention(request) == NULL)
        fail(EXIT_USAGE, "'sinpos conventions' lists all", request->convention, "no convention has this name");
    if (request->config != NULL)
        take_config(advised, request);
    add_role(advised, request, OPTION_DIM, (double)options->spec.dim);
    add_role(advised, request, OPTION_BASE, options->spec.base);
    add_settings(advised, request);
    advised->subject.convention = request->convention;
    advised->subject.parameters = &advised->parameters.object;
}

static void take_general(struct advised *advised, const struct request *request)
{
    const struct known known = {.n_default = 1};
    encoding_make_sines(&advised->encoding, request, &known, 0);
    encoding_plan(&advised->encoding);
    advised->subject.plan = advised->encoding.plan;
}

void advised_make(struct advised *advised, const struct request *request)
{
    const struct options *options = request->options;
    *advised = (struct advised){
        .subject = {.trained = options->train, .n_threads = options->threads, .progress = progress_watch}};
    state_words(advised, options);
    if (request->convention != NULL)
        take_convention(advised, request);
    else
        take_general(advised, request);
}

void advised_free(struct advised *advised)
{
    if (advised->subject.plan != NULL)
        encoding_free(&advised->encoding);
    parameter_list_free(&advised->parameters);
    buffer_free(&advised->words);
    buffer_free(&advised->more);
}
