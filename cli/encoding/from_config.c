#include "from_config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "array_file.h"
#include "command.h"

#ifdef SINPOS_HAVE_JANSSON
#include <jansson.h>
#include <math.h>
#include <sys/stat.h>

#include "model_config.h"
#include "no_memory.h"

#define PATH_BYTES 4096

/* -------------------------------------------------------------------------------------------------------- the file */

struct config_file {
    char path[PATH_BYTES];
    config_value all;
    struct config_report report;
    struct model_config config;
};

static bool put_number(config_value *value, const json_t *json)
{
    value->kind = CONFIG_NUMBER;
    value->number = json_number_value(json);
    value->is_rounded = json_is_integer(json) &&
                        (fabs(value->number) >= 0x1p63 || (json_int_t)value->number != json_integer_value(json));
    return true;
}

static bool put_value(config_value *value, json_t *json);

static bool put_list(config_value *value, const json_t *json)
{
    bool ok = config_put_items(value, CONFIG_LIST, json_array_size(json));
    for (size_t i = 0; i < value->n && ok; i++)
        ok = put_value(&value->items[i], json_array_get(json, i));
    return ok;
}

static bool put_object(config_value *value, json_t *json)
{
    const char *name;
    json_t *item;
    size_t i = 0;
    bool ok = config_put_items(value, CONFIG_OBJECT, json_object_size(json));
    json_object_foreach(json, name, item)
    {
        ok = ok && config_put_name(value, i, name) && put_value(&value->items[i], item);
        i++;
    }
    return ok;
}

/* False: no memory. */
static bool put_value(config_value *value, json_t *json)
{
    switch (json_typeof(json)) {
    case JSON_NULL: value->kind = CONFIG_NULL; return true;
    case JSON_TRUE: value->kind = CONFIG_TRUE; return true;
    case JSON_FALSE: value->kind = CONFIG_FALSE; return true;
    case JSON_INTEGER:
    case JSON_REAL: return put_number(value, json);
    case JSON_STRING: return config_put_text(value, json_string_value(json));
    case JSON_ARRAY: return put_list(value, json);
    case JSON_OBJECT: return put_object(value, json);
    }
    return true;
}

/* The folder of a model stands for its config.json. */
static void set_path(struct config_file *file, const char *given)
{
    const size_t n = strlen(given);
    struct stat there;
    const bool is_folder = stat(given, &there) == 0 && S_ISDIR(there.st_mode);
    snprintf(file->path, sizeof file->path, "%.4000s%s%s", given, is_folder && n > 0 && given[n - 1] != '/' ? "/" : "",
             is_folder ? "config.json" : "");
}

/* What the rules refuse. */
static int complain_report(const struct config_file *file, int outcome)
{
    const struct config_report *report = &file->report;
    return outcome == CONFIG_DONE ? EXIT_DONE
                                  : complain(outcome == CONFIG_USAGE ? EXIT_USAGE : EXIT_FILE, report->hint,
                                             report->about[0] != '\0' ? report->about : file->path, "%s", report->why);
}

static int config_load(struct config_file *file, const struct options *options)
{
    char *text;
    json_error_t error;
    set_path(file, options->given[OPTION_FROM_CONFIG]);
    int code = text_file_load(file->path, &text);
    if (code != EXIT_DONE)
        return code;
    json_t *json = json_loads(text, JSON_DECODE_ANY, &error);
    free(text);
    if (json == NULL) {
        return complain(EXIT_FILE, "--from-config reads the config.json of a model", file->path, "line %d: %s",
                        error.line, error.text);
    }
    const bool ok = put_value(&file->all, json);
    json_decref(json);
    return !ok ? complain_memory()
               : complain_report(
                     file, model_config_open(&file->config, &file->all, options->given[OPTION_LAYERS], &file->report));
}

int from_config_open(struct config_file **file, const struct options *options)
{
    *file = memory_take(1, sizeof **file);
    return config_load(*file, options);
}

int from_config_convention(struct config_file *file, const struct options *options, const char **convention)
{
    const int code = complain_report(file, model_config_convention(&file->config, options->given[OPTION_CONVENTION],
                                                                   options->given[OPTION_STRICT] != NULL, convention));
    if (code == EXIT_DONE && file->report.assumed[0] != '\0')
        warn(file->path, "%s", file->report.assumed);
    return code;
}

void from_config_close(struct config_file *file)
{
    if (file != NULL) {
        config_free(&file->all);
        free(file);
    }
}

/* ------------------------------------------------------------------------------------------------------- parameters */

static sinpos_status set_list(sinpos_parameters *parameters, const char *name, const config_value *list)
{
    double *values = memory_take(list->n, sizeof *values);
    for (size_t i = 0; i < list->n; i++)
        values[i] = config_number(&list->items[i]);
    const sinpos_status status = sinpos_parameters_set_list(parameters, name, values, 1, &list->n);
    free(values);
    return status;
}

static sinpos_status set_value(sinpos_parameters *parameters, const char *name, const config_value *value)
{
    switch (value->kind) {
    case CONFIG_NULL: return sinpos_parameters_set_null(parameters, name);
    case CONFIG_FALSE:
    case CONFIG_TRUE: return sinpos_parameters_set_flag(parameters, name, value->kind == CONFIG_TRUE);
    case CONFIG_NUMBER: return sinpos_parameters_set_number(parameters, name, value->number);
    case CONFIG_TEXT: return sinpos_parameters_set_text(parameters, name, value->text);
    case CONFIG_LIST: return set_list(parameters, name, value);
    case CONFIG_NONE:
    case CONFIG_OBJECT:
    case CONFIG_OTHER: break;
    }
    return SINPOS_OK;
}

static int set_parameter(sinpos_parameters *parameters, struct config_file *file, const struct options *options,
                         const char *name)
{
    config_value value;
    int code =
        complain_report(file, model_config_parameter(&file->config, name, options->given[OPTION_DIM] != NULL, &value));
    const sinpos_status status = code == EXIT_DONE ? set_value(parameters, name, &value) : SINPOS_OK;
    if (status != SINPOS_OK && status != SINPOS_E_MEMORY) {
        return complain(EXIT_FILE, "it must be as the model's code takes it", file->path, "%s: %s", name,
                        sinpos_strerror(status));
    }
    return status == SINPOS_OK ? code : complain_memory();
}

int from_config_parameters(sinpos_parameters *parameters, struct config_file *file, const struct options *options,
                           const sinpos_convention *convention)
{
    const char *output = model_config_output(convention);
    int code = EXIT_DONE;
    if (output != NULL && (options->command->bit & (COMMAND_TABLE | COMMAND_AUDIT)) != 0) {
        const sinpos_status status = sinpos_parameters_set_text(parameters, "output", output);
        code = status == SINPOS_OK ? EXIT_DONE : complain_status(status);
    }
    for (size_t k = 0; k < sinpos_convention_parameters(convention) && code == EXIT_DONE; k++) {
        const char *name = sinpos_convention_parameter(convention, k, "name");
        code = model_config_is_second_base(convention, k) ? EXIT_DONE : set_parameter(parameters, file, options, name);
    }
    return code;
}

size_t from_config_context(const struct config_file *file)
{
    return file == NULL ? 0 : model_config_context(&file->config);
}

#else

int from_config_open(struct config_file **file, const struct options *options)
{
    (void)options;
    *file = NULL;
    return complain(EXIT_USAGE, "build it with Jansson", "--from-config", "this build reads no JSON");
}

int from_config_convention(struct config_file *file, const struct options *options, const char **convention)
{
    (void)convention;
    return from_config_open(&file, options);
}

void from_config_close(struct config_file *file)
{
    (void)file;
}

int from_config_parameters(sinpos_parameters *parameters, struct config_file *file, const struct options *options,
                           const sinpos_convention *convention)
{
    (void)parameters;
    (void)file;
    (void)options;
    (void)convention;
    return EXIT_DONE;
}

size_t from_config_context(const struct config_file *file)
{
    (void)file;
    return 0;
}

#endif
