#include "parameters_json.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "array_file.h"
#include "json_in.h"
#include "no_memory.h"

enum { NAME_BYTES = 200, LIST_DIMS = 8 };

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

/* ----------------------------------------------------------------------------------------------------------- lists */

struct numbers {
    double *values;
    size_t n, room, n_dims;
    size_t shape[LIST_DIMS];
    const char *why;
};

static bool list_shape(const config_value *value, struct numbers *list)
{
    for (; value->kind == CONFIG_LIST; value = &value->items[0]) { /* behind the items there is one that is nothing */
        if (list->n_dims == LIST_DIMS) {
            list->why = "is nested too deep";
            return false;
        }
        list->shape[list->n_dims++] = value->n;
    }
    return true;
}

static void add_number(struct numbers *list, double x)
{
    list->values = memory_grow(list->values, list->n, &list->room, sizeof *list->values);
    list->values[list->n++] = x;
}

static const char uneven[] = "is a list of rows that differ in length";
static const char no_double[] = "holds a whole number beyond 2^53 that a double cannot hold";

/* A double holds it; else the number would be another, and nobody would know. */
static bool is_double(int64_t x)
{
    const double d = (double)x;
    return fabs(d) < 0x1p63 && (int64_t)d == x;
}

static const char *item_mistake(const config_value *value, bool is_deep_enough)
{
    const bool is_number = value->kind == CONFIG_NUMBER || value->kind == CONFIG_TRUE || value->kind == CONFIG_FALSE;
    return !is_deep_enough ? uneven : !is_number ? "holds what is not a number" : value->is_rounded ? no_double : NULL;
}

static bool list_items(const config_value *value, struct numbers *list, size_t depth)
{
    if (value->kind != CONFIG_LIST) {
        list->why = item_mistake(value, depth == list->n_dims);
        if (list->why == NULL)
            add_number(list, value->kind == CONFIG_NUMBER ? value->number : value->kind == CONFIG_TRUE);
        return list->why == NULL;
    }
    if (depth >= list->n_dims || value->n != list->shape[depth]) {
        list->why = uneven;
        return false;
    }
    for (size_t i = 0; i < value->n; i++)
        if (!list_items(&value->items[i], list, depth + 1))
            return false;
    return true;
}

static sinpos_status set_list(sinpos_parameters *parameters, const char *name, const config_value *value,
                              const char **why)
{
    struct numbers list = {0};
    const bool good = list_shape(value, &list) && list_items(value, &list, 0);
    const sinpos_status status =
        good ? sinpos_parameters_set_list(parameters, name, list.values, list.n_dims, list.shape) : SINPOS_E_VALUE;
    *why = good ? NULL : list.why;
    free(list.values);
    return status;
}

/* ---------------------------------------------------------------------------------------------------------- values */

sinpos_status parameters_set_value(sinpos_parameters *parameters, const char *name, const config_value *value,
                                   const char **why)
{
    *why = NULL;
    switch (value->kind) {
    case CONFIG_NULL: return sinpos_parameters_set_null(parameters, name);
    case CONFIG_FALSE:
    case CONFIG_TRUE: return sinpos_parameters_set_flag(parameters, name, value->kind == CONFIG_TRUE);
    case CONFIG_NUMBER: return sinpos_parameters_set_number(parameters, name, value->number);
    case CONFIG_TEXT: return sinpos_parameters_set_text(parameters, name, value->text);
    case CONFIG_LIST: return set_list(parameters, name, value, why);
    case CONFIG_NONE:
    case CONFIG_OBJECT:
    case CONFIG_OTHER: break;
    }
    return SINPOS_OK;
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
            fail_value(setting->name, no_double);
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
