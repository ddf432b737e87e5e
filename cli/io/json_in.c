#include "json_in.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "array_file.h"
#include "owned.h"

struct mistake {
    int line;
    char text[160];
};

#ifdef SINPOS_HAVE_JANSSON
#include <jansson.h>

static void need(bool has_memory)
{
    if (!has_memory)
        fail_memory();
}

static void put_number(config_value *value, const json_t *json)
{
    value->kind = CONFIG_NUMBER;
    value->number = json_number_value(json);
    value->whole = json_integer_value(json);
    value->is_rounded =
        json_is_integer(json) && (fabs(value->number) >= 0x1p63 || (json_int_t)value->number != value->whole);
}

static void put_value(config_value *value, json_t *json);

static void put_list(config_value *value, const json_t *json)
{
    need(config_put_items(value, CONFIG_LIST, json_array_size(json)));
    for (size_t i = 0; i < value->n; i++)
        put_value(&value->items[i], json_array_get(json, i));
}

static void put_object(config_value *value, json_t *json)
{
    const char *name;
    json_t *item;
    size_t i = 0;
    need(config_put_items(value, CONFIG_OBJECT, json_object_size(json)));
    json_object_foreach(json, name, item)
    {
        need(config_put_name(value, i, name));
        put_value(&value->items[i++], item);
    }
}

static void put_value(config_value *value, json_t *json)
{
    switch (json_typeof(json)) {
    case JSON_NULL: value->kind = CONFIG_NULL; break;
    case JSON_TRUE: value->kind = CONFIG_TRUE; break;
    case JSON_FALSE: value->kind = CONFIG_FALSE; break;
    case JSON_INTEGER:
    case JSON_REAL: put_number(value, json); break;
    case JSON_STRING: need(config_put_text(value, json_string_value(json))); break;
    case JSON_ARRAY: put_list(value, json); break;
    case JSON_OBJECT: put_object(value, json); break;
    }
}

static bool parse(config_value *value, const char *text, bool is_strict, struct mistake *mistake)
{
    json_error_t error;
    json_t *json = json_loads(text, JSON_DECODE_ANY | (is_strict ? JSON_REJECT_DUPLICATES : 0), &error);
    *value = (config_value){.kind = CONFIG_NONE};
    if (json == NULL) {
        mistake->line = error.line;
        snprintf(mistake->text, sizeof mistake->text, "%s", error.text);
        return false;
    }
    put_value(value, json);
    json_decref(json);
    return true;
}

static const bool reads_json = true;

#else

static bool parse(config_value *value, const char *text, bool is_strict, struct mistake *mistake)
{
    (void)value, (void)text, (void)is_strict, (void)mistake;
    return false;
}

static const bool reads_json = false;

#endif

void json_check(const char *option)
{
    if (!reads_json)
        fail(EXIT_USAGE, "build it with Jansson", option, "this build reads no JSON");
}

bool json_read(config_value *value, const char *text)
{
    struct mistake mistake;
    return parse(value, text, true, &mistake);
}

void json_file_read(config_value *value, const char *path, bool is_strict, const char *hint)
{
    struct mistake mistake = {0, ""};
    OWNED char *text = text_file_load(path);
    if (!parse(value, text, is_strict, &mistake))
        fail(EXIT_FILE, hint, path, "line %d: %s", mistake.line, mistake.text);
}
