/* config_value.h - a configuration as the rules read it: a tree of JSON, whoever parsed it. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

enum config_kind {
    CONFIG_NONE, /* nothing is stated */
    CONFIG_NULL,
    CONFIG_FALSE,
    CONFIG_TRUE,
    CONFIG_NUMBER,
    CONFIG_TEXT,
    CONFIG_LIST,
    CONFIG_OBJECT,
    CONFIG_OTHER /* no JSON; nothing that rules read */
};

typedef struct config_value {
    enum config_kind kind;
    bool is_rounded; /* a whole number that a double cannot hold */
    double number;
    long long whole; /* of the command line, the number where it is whole */
    char *text;
    size_t n; /* of a list or an object */
    struct config_value *items;
    char **names; /* of an object's items */
} config_value;

/* Nesting beyond this is refused by those who make trees. */
enum { CONFIG_DEPTH = 200 };

/* Making: of a value that is all zeros. False: no memory; what was made is freed with the rest. */
bool config_put_text(config_value *value, const char *text);
bool config_put_items(config_value *value, enum config_kind kind, size_t n);
bool config_put_name(config_value *object, size_t i, const char *name);
/* Frees what value owns; a copy by assignment owns nothing. */
void config_free(config_value *value);

/* Reading. NULL stands for what is not there, and may be asked everything. */
bool config_is(const config_value *value, enum config_kind kind);
const config_value *config_get(const config_value *object, const char *name); /* the last of that name; NULL: none */
const config_value *config_at(const config_value *list, size_t i);
size_t config_size(const config_value *list);      /* 0 unless it is a list */
size_t config_members(const config_value *object); /* 0 unless it is an object */
double config_number(const config_value *value);
const char *config_text(const config_value *value); /* NULL: no text */

/* Values that rules make. The text is not copied. */
config_value config_copy(const config_value *value); /* of NULL: CONFIG_NONE */
config_value config_of_number(double number);
config_value config_of_text(const char *text);
config_value config_of_null(void);
