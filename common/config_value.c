#include "config_value.h"

#include <stdlib.h>
#include <string.h>

static char *own_text(const char *text)
{
    const size_t n = strlen(text) + 1;
    char *own = malloc(n);
    if (own != NULL)
        memcpy(own, text, n);
    return own;
}

bool config_put_text(config_value *value, const char *text)
{
    value->kind = CONFIG_TEXT;
    value->text = own_text(text);
    return value->text != NULL;
}

bool config_put_items(config_value *value, enum config_kind kind, size_t n)
{
    value->kind = kind;
    value->items = calloc(n + 1, sizeof *value->items);
    value->names = kind == CONFIG_OBJECT ? calloc(n + 1, sizeof *value->names) : NULL;
    value->n = value->items == NULL ? 0 : n;
    return value->items != NULL && (kind != CONFIG_OBJECT || value->names != NULL);
}

bool config_put_name(config_value *object, size_t i, const char *name)
{
    object->names[i] = own_text(name);
    return object->names[i] != NULL;
}

void config_free(config_value *value)
{
    for (size_t i = 0; i < value->n; i++) {
        config_free(&value->items[i]);
        if (value->names != NULL)
            free(value->names[i]);
    }
    free(value->items);
    free(value->names);
    free(value->text);
    *value = (config_value){.kind = CONFIG_NONE};
}

bool config_is(const config_value *value, enum config_kind kind)
{
    return value != NULL && value->kind == kind;
}

const config_value *config_get(const config_value *object, const char *name)
{
    for (size_t i = config_is(object, CONFIG_OBJECT) ? object->n : 0; i > 0; i--)
        if (strcmp(object->names[i - 1], name) == 0)
            return &object->items[i - 1];
    return NULL;
}

const config_value *config_at(const config_value *list, size_t i)
{
    return config_is(list, CONFIG_LIST) && i < list->n ? &list->items[i] : NULL;
}

size_t config_size(const config_value *list)
{
    return config_is(list, CONFIG_LIST) ? list->n : 0;
}

size_t config_members(const config_value *object)
{
    return config_is(object, CONFIG_OBJECT) ? object->n : 0;
}

double config_number(const config_value *value)
{
    return config_is(value, CONFIG_NUMBER) ? value->number : 0;
}

const char *config_text(const config_value *value)
{
    return config_is(value, CONFIG_TEXT) ? value->text : NULL;
}

config_value config_copy(const config_value *value)
{
    return value == NULL ? (config_value){.kind = CONFIG_NONE} : *value;
}

config_value config_of_number(double number)
{
    return (config_value){.kind = CONFIG_NUMBER, .number = number};
}

config_value config_of_text(const char *text)
{
    return (config_value){.kind = CONFIG_TEXT, .text = (char *)text};
}

config_value config_of_null(void)
{
    return (config_value){.kind = CONFIG_NULL};
}
