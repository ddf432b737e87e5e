#include "from_config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "command.h"
#include "folder.h"
#include "json_in.h"
#include "model_config.h"
#include "no_memory.h"
#include "parameter_value.h"

#define PATH_BYTES 4096

/* -------------------------------------------------------------------------------------------------------- the file */

struct config_file {
    char path[PATH_BYTES];
    config_value all;
    struct config_report report;
    struct model_config config;
};

/* The folder of a model stands for its config.json. */
static void set_path(struct config_file *file, const char *given)
{
    const size_t n = strlen(given);
    struct stat there;
    const bool is_folder = file_is_there(given, &there) && S_ISDIR(there.st_mode);
    snprintf(file->path, sizeof file->path, "%.4000s%s%s", given, is_folder && n > 0 && given[n - 1] != '/' ? "/" : "",
             is_folder ? "config.json" : "");
}

void from_config_check(const struct config_file *file, int outcome)
{
    const struct config_report *report = &file->report;
    if (outcome != CONFIG_DONE) {
        fail(outcome == CONFIG_USAGE ? EXIT_USAGE : EXIT_FILE, report->hint,
             report->about[0] != '\0' ? report->about : file->path, "%s", report->why);
    }
}

struct config_file *from_config_open(const struct options *options)
{
    json_check("--from-config");
    struct config_file *file = memory_take(1, sizeof *file);
    set_path(file, options->given[OPTION_FROM_CONFIG]);
    json_file_read(&file->all, file->path, false, "--from-config reads the config.json of a model");
    from_config_check(file, model_config_open(&file->config, &file->all, options->given[OPTION_LAYERS], &file->report));
    return file;
}

const char *from_config_convention(struct config_file *file, const struct options *options)
{
    const char *convention;
    from_config_check(file, model_config_convention(&file->config, options->given[OPTION_CONVENTION],
                                                    options->given[OPTION_STRICT] != NULL, &convention));
    if (file->report.assumed[0] != '\0')
        warn(file->path, "%s", file->report.assumed);
    return convention;
}

void from_config_close(struct config_file *file)
{
    if (file != NULL) {
        config_free(&file->all);
        free(file);
    }
}

/* ------------------------------------------------------------------------------------------------------- parameters */

static void set_parameter(sinpos_parameters *parameters, struct config_file *file, const struct options *options,
                          const char *name)
{
    config_value value;
    const char *why;
    from_config_check(file, model_config_parameter(&file->config, name, options->given[OPTION_DIM] != NULL, &value));
    const sinpos_status status = parameters_set_value(parameters, name, &value, &why);
    if (status == SINPOS_E_MEMORY)
        fail_memory();
    if (status != SINPOS_OK)
        fail(EXIT_FILE, "it must be as the model's code takes it", file->path, "%s: %s", name, sinpos_strerror(status));
}

void from_config_parameters(sinpos_parameters *parameters, struct config_file *file, const struct options *options,
                            const sinpos_convention *convention)
{
    const char *output = model_config_output(convention);
    if (output != NULL && (options->command->bit & (COMMAND_TABLE | COMMAND_AUDIT)) != 0)
        expect_ok(sinpos_parameters_set_text(parameters, "output", output));
    for (size_t k = 0; k < sinpos_convention_parameters(convention); k++)
        if (!model_config_is_second_base(convention, k))
            set_parameter(parameters, file, options, sinpos_convention_parameter(convention, k, "name"));
}

size_t from_config_context(const struct config_file *file)
{
    return file == NULL ? 0 : model_config_context(&file->config);
}

config_value *from_config_tree(struct config_file *file)
{
    return &file->all;
}

const char *from_config_path(const struct config_file *file)
{
    return file->path;
}

const struct model_config *from_config_model(const struct config_file *file)
{
    return &file->config;
}
