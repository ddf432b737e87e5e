/* The catalogue, seen from outside: conventions by name, their fields and parameters as text. */
#include "catalogue.h"

#include <ctype.h>
#include <string.h>

#include "../boundary.h"

/* Room for what counts of a name. */
enum { WORD_BYTES = 80 };

static const char *given(const char *text)
{
    return text == NULL || text[0] == '\0' ? NULL : text;
}

static const char *const field_names[] = {
#define NAMED(field) #field,
    CONVENTION_FIELDS(NAMED)
#undef NAMED
};

const char *sinpos_convention_field(size_t i)
{
    BOUNDARY;
    return i < sizeof field_names / sizeof field_names[0] ? field_names[i] : NULL;
}

const char *sinpos_convention_name(const sinpos_convention *c)
{
    BOUNDARY;
    return c == NULL ? NULL : c->name;
}

const char *sinpos_convention_text(const sinpos_convention *c, const char *field)
{
    BOUNDARY;
    if (c == NULL || field == NULL)
        return NULL;
#define COMPARED(own)                                                                                                  \
    if (strcmp(field, #own) == 0)                                                                                      \
        return given(c->own);
    CONVENTION_FIELDS(COMPARED)
#undef COMPARED
    return NULL;
}

size_t sinpos_convention_parameters(const sinpos_convention *c)
{
    BOUNDARY;
    size_t n = 0;
    while (c != NULL && c->parameters != NULL && c->parameters[n].name != NULL)
        n++;
    return n;
}

const char *sinpos_convention_parameter(const sinpos_convention *c, size_t i, const char *field)
{
    BOUNDARY;
    if (field == NULL || i >= sinpos_convention_parameters(c))
        return NULL;
    const convention_parameter *p = &c->parameters[i];
    return strcmp(field, "name") == 0      ? p->name
           : strcmp(field, "default") == 0 ? p->fallback
           : strcmp(field, "role") == 0    ? p->role
           : strcmp(field, "meaning") == 0 ? p->meaning
                                           : NULL;
}

size_t sinpos_conventions_count(void)
{
    BOUNDARY;
    return n_conventions;
}

const sinpos_convention *sinpos_convention_at(size_t i)
{
    BOUNDARY;
    return i < n_conventions ? &convention_catalogue[i] : NULL;
}

static const convention_parameter *of_role(const sinpos_convention *c, const char *role)
{
    for (size_t k = 0; c->parameters != NULL && c->parameters[k].name != NULL; k++)
        if (strcmp(c->parameters[k].role, role) == 0)
            return &c->parameters[k];
    return NULL;
}

sinpos_rows_kind sinpos_convention_rows(const sinpos_convention *c)
{
    BOUNDARY;
    const convention_parameter *list = c == NULL ? NULL : of_role(c, "positions");
    const bool has_list = list != NULL && list->fallback != NULL && strcmp(list->fallback, "null") != 0;
    if (c == NULL || of_role(c, "length") != NULL)
        return c == NULL ? SINPOS_ROWS_OWN : SINPOS_ROWS_LENGTH;
    if (has_list && list->fallback[0] == '[' && list->fallback[1] != '[')
        return SINPOS_ROWS_LIST;
    const bool is_made =
        given(c->length) != NULL || given(c->grid) != NULL || has_list || (given(c->positions) != NULL && list == NULL);
    return is_made ? SINPOS_ROWS_OWN : SINPOS_ROWS_GIVEN;
}

/* What counts of a name: small letters and digits; rotary is rope. False: longer than any name. */
static int essence(const char *name, size_t n, char word[WORD_BYTES])
{
    size_t used = 0;
    for (size_t k = 0; k < n; k++) {
        if (used == WORD_BYTES - 1)
            return 0;
        if (name[k] != '_' && name[k] != '-')
            word[used++] = (char)tolower((unsigned char)name[k]);
        if (used >= 6 && memcmp(word + used - 6, "rotary", 6) == 0) {
            memcpy(word + used - 6, "rope", 4);
            used -= 2;
        }
    }
    word[used] = '\0';
    return 1;
}

/* Is word the essence of one of the words in n letters of list? */
static int has_word(const char *list, size_t n, const char *word)
{
    char own[WORD_BYTES];
    for (size_t k = 0, length; k < n; k += length + 1) {
        length = strcspn(list + k, " ");
        length = length < n - k ? length : n - k;
        if (essence(list + k, length, own) && strcmp(own, word) == 0)
            return 1;
    }
    return 0;
}

bool convention_is_named(const char *list, const char *name)
{
    char word[WORD_BYTES];
    return essence(name, strlen(name), word) && has_word(list, strlen(list), word);
}

const sinpos_convention *sinpos_convention_find(const char *name)
{
    BOUNDARY;
    char word[WORD_BYTES];
    if (name == NULL || !essence(name, strlen(name), word) || word[0] == '\0')
        return NULL;
    for (size_t i = 0; i < n_conventions; i++)
        if (strcmp(convention_catalogue[i].name, name) == 0)
            return &convention_catalogue[i];
    for (size_t i = 0; i < n_conventions; i++)
        if (has_word(convention_catalogue[i].name, strlen(convention_catalogue[i].name), word))
            return &convention_catalogue[i];
    for (size_t i = 0; i < n_conventions; i++) {
        const char *aliases = convention_catalogue[i].aliases;
        if (aliases != NULL && has_word(aliases, strlen(aliases), word))
            return &convention_catalogue[i];
    }
    return NULL;
}
