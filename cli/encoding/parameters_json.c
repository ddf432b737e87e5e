#include "parameters_json.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "array_file.h"
#include "json_in.h"
#include "no_memory.h"
#include "parameter_value.h"

enum { NAME_BYTES = 200 };

static noreturn void fail_value(const char *name, const char *why)
{
    fail(EXIT_USAGE, "values are null, true, false, numbers, texts, lists of numbers and objects of these", name, "%s",
         why);
}

static void check_status(const char *name, sinpos_status status)
{
    if (status == SINPOS_E_MEMORY)
        fail_memory();
    if (status != SINPOS_OK)
        fail_value(name, sinpos_strerror(status));
}

/* ---------------------------------------------------------------------------------------------------------- values */

/* A double holds it; else the number would be another, and nobody would know. */
static bool is_double(int64_t x)
{
    const double d = (double)x;
    return fabs(d) < 0x1p63 && (int64_t)d == x;
}

static void set_object(sinpos_parameters *parameters, const char *prefix, const config_value *object);

static void set_value(sinpos_parameters *parameters, const char *name, const config_value *value)
{
    const char *why;
    if (value->kind == CONFIG_OBJECT) {
        set_object(parameters, name, value);
        return;
    }
    if (value->is_rounded) {
        fail(EXIT_USAGE, "conventions take whole numbers up to 2^53", name,
             "%lld is beyond 2^53, and a double cannot hold it", value->whole);
    }
    const sinpos_status status = parameters_set_value(parameters, name, value, &why);
    if (why != NULL)
        fail_value(name, why);
    check_status(name, status);
}

static void set_object(sinpos_parameters *parameters, const char *prefix, const config_value *object)
{
    if (prefix[0] != '\0' && object->n == 0)
        fail_value(prefix, "is an empty object");
    for (size_t i = 0; i < object->n; i++) {
        char name[NAME_BYTES];
        const int n = snprintf(name, sizeof name, "%s%s%s", prefix, prefix[0] == '\0' ? "" : ".", object->names[i]);
        if (n < 0 || (size_t)n >= sizeof name)
            fail_value(prefix[0] == '\0' ? "parameters" : prefix, "has a name that is too long");
        set_value(parameters, name, &object->items[i]);
    }
}

/* -------------------------------------------------------------------------------------------------------- settings */

struct setting {
    char name[NAME_BYTES];
    config_value json; /* CONFIG_NONE: an array */
    double *values;    /* of an array */
    sinpos_array array;
};

/* A word that is not JSON is a text: attn_type=uni. */
static bool word_or_json(config_value *value, const char *text)
{
    const size_t n = strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-");
    if (json_read(value, text))
        return true;
    if (!isalpha((unsigned char)text[0]) || text[n] != '\0')
        return false;
    if (!config_put_text(value, text))
        fail_memory();
    return true;
}

/* KEY=@FILE: an array of numbers. */
static void read_array(struct setting *setting, const char *path)
{
    struct loaded_array loaded;
    array_file_load(&loaded, path);
    setting->array = loaded.array;
    setting->values = loaded.reals != NULL ? loaded.reals : memory_take(loaded.n, sizeof *setting->values);
    for (size_t i = 0; loaded.integers != NULL && i < loaded.n; i++) {
        if (!is_double(loaded.integers[i]))
            fail_value(setting->name, parameter_no_double);
        setting->values[i] = (double)loaded.integers[i];
    }
    free(loaded.integers);
}

static void read_setting(struct setting *setting, const char *text)
{
    const size_t n = strcspn(text, "=");
    *setting = (struct setting){.values = NULL};
    if (n >= sizeof setting->name || text[n] == '\0')
        fail_value("--set", text[n] == '\0' ? "must be KEY=VALUE" : "the name is too long");
    memcpy(setting->name, text, n);
    if (text[n + 1] == '@')
        read_array(setting, text + n + 2);
    else if (!word_or_json(&setting->json, text + n + 1))
        fail(EXIT_USAGE, "write the value as JSON: --set scale=0.5, --set sizes=[2,3]", text, "the value is not JSON");
}

static void set_setting(sinpos_parameters *parameters, const struct setting *setting)
{
    if (setting->json.kind != CONFIG_NONE) {
        set_value(parameters, setting->name, &setting->json);
    } else {
        check_status(setting->name, sinpos_parameters_set_list(parameters, setting->name, setting->values,
                                                               setting->array.n_dims, setting->array.shape));
    }
}

/* --------------------------------------------------------------------------------------------------- all of them */

static config_value *read_object(const char *path)
{
    static const char hint[] = "it must hold one JSON object";
    json_check("--set, --parameters");
    config_value *object = memory_take(1, sizeof *object);
    json_file_read(object, path, true, hint);
    if (object->kind != CONFIG_OBJECT)
        fail(EXIT_FILE, hint, path, "is not a JSON object");
    return object;
}

void parameters_read(struct parameters_json *all, const struct options *options)
{
    const char *path = options->given[OPTION_PARAMETERS];
    if (path != NULL && all->object == NULL)
        all->object = read_object(path);
    for (size_t k = 0; k < options->n_sets; k++)
        parameters_add(all, options->sets[k]);
}

void parameters_add(struct parameters_json *all, const char *text)
{
    json_check("--set, --parameters");
    all->settings = memory_grow(all->settings, all->n, &all->room, sizeof *all->settings);
    read_setting(&all->settings[all->n++], text);
}

void parameters_free(struct parameters_json *all)
{
    if (all->object != NULL)
        config_free(all->object);
    free(all->object);
    for (size_t k = 0; k < all->n; k++) {
        config_free(&all->settings[k].json);
        free(all->settings[k].values);
    }
    free(all->settings);
}

void parameters_set_object(sinpos_parameters *parameters, const struct parameters_json *all)
{
    if (all->object != NULL)
        set_object(parameters, "", all->object);
}

void parameters_set_settings(sinpos_parameters *parameters, const struct parameters_json *all)
{
    for (size_t k = 0; k < all->n; k++)
        set_setting(parameters, &all->settings[k]);
}

bool parameters_setting(const struct parameters_json *all, size_t k, const char **name, const config_value **value)
{
    if (k >= all->n)
        return false;
    *name = all->settings[k].name;
    *value = all->settings[k].json.kind == CONFIG_NONE ? NULL : &all->settings[k].json;
    return true;
}
