#include "parameters_json.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "array_file.h"
#include "no_memory.h"

#ifdef SINPOS_HAVE_JANSSON
#include <jansson.h>

enum { NAME_BYTES = 200, LIST_DIMS = 8 };

static int complain_value(const char *name, const char *why)
{
    return complain(EXIT_USAGE, "values are null, true, false, numbers, texts, lists of numbers and objects of these",
                    name, "%s", why);
}

static int check_status(const char *name, sinpos_status status)
{
    return status == SINPOS_OK         ? EXIT_DONE
           : status == SINPOS_E_MEMORY ? complain_memory()
                                       : complain_value(name, sinpos_strerror(status));
}

/* ----------------------------------------------------------------------------------------------------------- lists */

struct numbers {
    double *values;
    size_t n, room, n_dims;
    size_t shape[LIST_DIMS];
    const char *why;
};

static bool list_shape(const json_t *json, struct numbers *list)
{
    for (; json_is_array(json); json = json_array_get(json, 0)) {
        if (list->n_dims == LIST_DIMS) {
            list->why = "is nested too deep";
            return false;
        }
        list->shape[list->n_dims++] = json_array_size(json);
    }
    return true;
}

static void add_number(struct numbers *list, double x)
{
    list->values = memory_grow(list->values, list->n, &list->room, sizeof *list->values);
    list->values[list->n++] = x;
}

static const char no_double[] = "holds a whole number beyond 2^53 that a double cannot hold";

/* A double holds it; else the number would be another, and nobody would know. */
static bool is_double(json_int_t x)
{
    const double d = (double)x;
    return fabs(d) < 0x1p63 && (json_int_t)d == x;
}

static bool list_items(const json_t *json, struct numbers *list, size_t depth)
{
    size_t i;
    json_t *item;
    if (!json_is_array(json)) {
        if (depth != list->n_dims || !(json_is_number(json) || json_is_boolean(json))) {
            list->why =
                depth != list->n_dims ? "is a list of rows that differ in length" : "holds what is not a number";
            return false;
        }
        if (json_is_integer(json) && !is_double(json_integer_value(json))) {
            list->why = no_double;
            return false;
        }
        add_number(list, json_is_number(json) ? json_number_value(json) : json_is_true(json));
        return true;
    }
    if (depth >= list->n_dims || json_array_size(json) != list->shape[depth]) {
        list->why = "is a list of rows that differ in length";
        return false;
    }
    json_array_foreach(json, i, item)
    {
        if (!list_items(item, list, depth + 1))
            return false;
    }
    return true;
}

static int set_list(sinpos_parameters *parameters, const char *name, const json_t *json)
{
    struct numbers list = {0};
    int code = EXIT_DONE;
    if (list_shape(json, &list) && list_items(json, &list, 0))
        code = check_status(name, sinpos_parameters_set_list(parameters, name, list.values, list.n_dims, list.shape));
    else
        code = complain_value(name, list.why);
    free(list.values);
    return code;
}

/* ---------------------------------------------------------------------------------------------------------- values */

static int set_object(sinpos_parameters *parameters, const char *prefix, json_t *object);

static int set_whole(sinpos_parameters *parameters, const char *name, json_int_t x)
{
    return is_double(x) ? check_status(name, sinpos_parameters_set_number(parameters, name, (double)x))
                        : complain(EXIT_USAGE, "conventions take whole numbers up to 2^53", name,
                                   "%lld is beyond 2^53, and a double cannot hold it", (long long)x);
}

static int set_value(sinpos_parameters *parameters, const char *name, json_t *json)
{
    switch (json_typeof(json)) {
    case JSON_NULL: return check_status(name, sinpos_parameters_set_null(parameters, name));
    case JSON_TRUE:
    case JSON_FALSE: return check_status(name, sinpos_parameters_set_flag(parameters, name, json_is_true(json)));
    case JSON_INTEGER: return set_whole(parameters, name, json_integer_value(json));
    case JSON_REAL: return check_status(name, sinpos_parameters_set_number(parameters, name, json_number_value(json)));
    case JSON_STRING: return check_status(name, sinpos_parameters_set_text(parameters, name, json_string_value(json)));
    case JSON_ARRAY: return set_list(parameters, name, json);
    case JSON_OBJECT: return set_object(parameters, name, json);
    }
    return EXIT_DONE;
}

static int set_object(sinpos_parameters *parameters, const char *prefix, json_t *object)
{
    const char *key;
    json_t *item;
    int code = EXIT_DONE;
    if (prefix[0] != '\0' && json_object_size(object) == 0)
        return complain_value(prefix, "is an empty object");
    json_object_foreach(object, key, item)
    {
        char name[NAME_BYTES];
        const int n = snprintf(name, sizeof name, "%s%s%s", prefix, prefix[0] == '\0' ? "" : ".", key);
        if (n < 0 || (size_t)n >= sizeof name)
            return complain_value(prefix[0] == '\0' ? "parameters" : prefix, "has a name that is too long");
        code = set_value(parameters, name, item);
        if (code != EXIT_DONE)
            return code;
    }
    return code;
}

/* -------------------------------------------------------------------------------------------------------- settings */

struct setting {
    char name[NAME_BYTES];
    json_t *json;   /* NULL: an array */
    double *values; /* of an array */
    sinpos_array array;
};

/* A word that is not JSON is a text: attn_type=uni. */
static json_t *word_or_json(const char *value)
{
    json_t *json = json_loads(value, JSON_DECODE_ANY | JSON_REJECT_DUPLICATES, NULL);
    const size_t n = strspn(value, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-");
    if (json == NULL && isalpha((unsigned char)value[0]) && value[n] == '\0')
        json = json_string(value);
    return json;
}

/* KEY=@FILE: an array of numbers. */
static int read_array(struct setting *setting, const char *path)
{
    struct loaded_array loaded;
    const int code = array_file_load(&loaded, path);
    if (code != EXIT_DONE)
        return code;
    setting->array = loaded.array;
    setting->values = loaded.reals != NULL ? loaded.reals : memory_take(loaded.n, sizeof *setting->values);
    bool are_doubles = true;
    for (size_t i = 0; loaded.integers != NULL && i < loaded.n; i++) {
        are_doubles = are_doubles && is_double(loaded.integers[i]);
        setting->values[i] = (double)loaded.integers[i];
    }
    free(loaded.integers);
    return are_doubles ? EXIT_DONE : complain_value(setting->name, no_double);
}

static int read_setting(struct setting *setting, const char *text)
{
    const size_t n = strcspn(text, "=");
    *setting = (struct setting){.json = NULL};
    if (n >= sizeof setting->name || text[n] == '\0')
        return complain_value("--set", text[n] == '\0' ? "must be KEY=VALUE" : "the name is too long");
    memcpy(setting->name, text, n);
    if (text[n + 1] == '@')
        return read_array(setting, text + n + 2);
    setting->json = word_or_json(text + n + 1);
    return setting->json != NULL ? EXIT_DONE
                                 : complain(EXIT_USAGE, "write the value as JSON: --set scale=0.5, --set sizes=[2,3]",
                                            text, "the value is not JSON");
}

static int set_setting(sinpos_parameters *parameters, const struct setting *setting)
{
    return setting->json != NULL
               ? set_value(parameters, setting->name, setting->json)
               : check_status(setting->name, sinpos_parameters_set_list(parameters, setting->name, setting->values,
                                                                        setting->array.n_dims, setting->array.shape));
}

/* --------------------------------------------------------------------------------------------------- all of them */

static int read_object(json_t **object, const char *path)
{
    char *text;
    json_error_t error;
    const int code = text_file_load(path, &text);
    if (code != EXIT_DONE)
        return code;
    *object = json_loads(text, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, &error);
    free(text);
    if (*object == NULL)
        return complain(EXIT_FILE, "it must hold one JSON object", path, "line %d: %s", error.line, error.text);
    return json_is_object(*object) ? EXIT_DONE
                                   : complain(EXIT_FILE, "it must hold one JSON object", path, "is not a JSON object");
}

int parameters_read(struct parameters_json *all, const struct options *options)
{
    const char *path = options->given[OPTION_PARAMETERS];
    int code = path == NULL || all->object != NULL ? EXIT_DONE : read_object(&all->object, path);
    for (size_t k = 0; k < options->n_sets && code == EXIT_DONE; k++)
        code = parameters_add(all, options->sets[k]);
    return code;
}

int parameters_add(struct parameters_json *all, const char *text)
{
    all->settings = memory_grow(all->settings, all->n, &all->room, sizeof *all->settings);
    return read_setting(&all->settings[all->n++], text);
}

void parameters_free(struct parameters_json *all)
{
    json_decref(all->object);
    for (size_t k = 0; k < all->n; k++) {
        json_decref(all->settings[k].json);
        free(all->settings[k].values);
    }
    free(all->settings);
}

int parameters_set_object(sinpos_parameters *parameters, const struct parameters_json *all)
{
    return all->object == NULL ? EXIT_DONE : set_object(parameters, "", all->object);
}

int parameters_set_settings(sinpos_parameters *parameters, const struct parameters_json *all)
{
    int code = EXIT_DONE;
    for (size_t k = 0; k < all->n && code == EXIT_DONE; k++)
        code = set_setting(parameters, &all->settings[k]);
    return code;
}

#else

int parameters_read(struct parameters_json *all, const struct options *options)
{
    return options->given[OPTION_PARAMETERS] != NULL || options->n_sets > 0 ? parameters_add(all, NULL) : EXIT_DONE;
}

int parameters_add(struct parameters_json *all, const char *text)
{
    (void)all;
    (void)text;
    return complain(EXIT_USAGE, "build it with Jansson", "--set, --parameters", "this build reads no JSON");
}

void parameters_free(struct parameters_json *all)
{
    (void)all;
}

int parameters_set_object(sinpos_parameters *parameters, const struct parameters_json *all)
{
    (void)parameters;
    (void)all;
    return EXIT_DONE;
}

int parameters_set_settings(sinpos_parameters *parameters, const struct parameters_json *all)
{
    return parameters_set_object(parameters, all);
}

#endif
