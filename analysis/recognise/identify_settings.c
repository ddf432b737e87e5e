/* identify_settings.c - a convention and its parameters in words. */
#include "identify_trial.h"

#include <stdio.h>

typedef struct text {
    char *bytes;
    size_t n, room;
    bool is_broken;
} text;

static void add_text(text *t, const char *more)
{
    const size_t n = strlen(more);
    if (t->n + n + 1 > t->room && !t->is_broken) {
        const size_t room = 2 * (t->n + n) + 64;
        char *bytes = realloc(t->bytes, room);
        t->is_broken = bytes == NULL;
        t->bytes = bytes == NULL ? t->bytes : bytes;
        t->room = bytes == NULL ? t->room : room;
    }
    if (!t->is_broken) {
        memcpy(t->bytes + t->n, more, n + 1);
        t->n += n;
    }
}

static void add_number(text *t, double x)
{
    char decimal[40];
    snprintf(decimal, sizeof decimal, "%.15g", x);
    if (strtod(decimal, NULL) != x)
        snprintf(decimal, sizeof decimal, "%.17g", x);
    add_text(t, decimal);
}

static void add_positions(text *t, const id_trial *s, const id_value *value)
{
    const size_t axes = s->identity->n_axes;
    double *list = id_trial_positions(s, value);
    t->is_broken = t->is_broken || list == NULL;
    for (size_t i = 0; i < s->identity->n * axes && list != NULL; i++) {
        add_text(t, i == 0 ? axes > 1 ? "[[" : "[" : i % axes == 0 && axes > 1 ? "],[" : ",");
        add_number(t, list[i]);
    }
    add_text(t, axes > 1 ? "]]" : "]");
    free(list);
}

static bool is_default(const char *fallback, const id_value *value)
{
    if (fallback == NULL)
        return false;
    char *end;
    const double number = strtod(fallback, &end);
    return value->kind == ID_WORD
               ? value->word == NULL
               : value->kind == ID_NUMBER && *end == '\0' && end != fallback && number == value->number;
}

static void add_value(text *t, const id_trial *s, const char *name, const id_value *value)
{
    add_text(t, name);
    add_text(t, "=");
    switch (value->kind) {
    case ID_NUMBER: add_number(t, value->number); break;
    case ID_WORD: add_text(t, value->word); break;
    case ID_POSITIONS: add_positions(t, s, value); break;
    case ID_DIVISORS:
        for (size_t i = 0; i < s->identity->axis[0].n_frequencies; i++) {
            add_text(t, i == 0 ? "[" : ",");
            add_number(t, id_divisor(&s->identity->axis[0], i));
        }
        add_text(t, "]");
        break;
    case ID_MASK:
        for (size_t i = 0; i < (size_t)(value->sizes[0] * value->sizes[1]); i++) {
            const bool is_first = i % (size_t)value->sizes[1] == 0;
            add_text(t, i == 0 ? "[[" : is_first ? "],[" : ",");
            add_number(t, value->number);
        }
        add_text(t, "]]");
        break;
    case ID_SIZES:
        for (size_t i = 0; i < value->n_sizes; i++) {
            add_text(t, i == 0 ? "[" : ",");
            add_number(t, value->sizes[i]);
        }
        add_text(t, "]");
    }
    add_text(t, "\n");
}

sinpos_status id_trial_note(const id_trial *s)
{
    sinpos_identity *identity = s->identity;
    const size_t n = identity->n_conventions;
    sinpos_identity_convention *more = realloc(identity->conventions, (n + 1) * sizeof *more);
    text t = {0};
    if (more == NULL)
        return SINPOS_E_MEMORY;
    identity->conventions = more;
    add_text(&t, "");
    for (size_t i = 0; i < s->n_parameters; i++)
        if (s->n_values[i] > 0 &&
            !is_default(sinpos_convention_parameter(s->convention, i, "default"), &s->value[i][s->chosen[i]]))
            add_value(&t, s, sinpos_convention_parameter(s->convention, i, "name"), &s->value[i][s->chosen[i]]);
    if (s->positions_outside > 0) {
        const id_value outside = {
            .kind = ID_POSITIONS, .unit = 1, .shift = s->positions_outside == 2 ? s->facts->start : 0};
        add_value(&t, s, "positions", &outside);
    }
    if (id_trial_output(s) != NULL)
        add_value(&t, s, "output", &(id_value){.kind = ID_WORD, .word = id_trial_output(s)});
    if (t.is_broken) {
        free(t.bytes);
        return SINPOS_E_MEMORY;
    }
    more[n] = (sinpos_identity_convention){sinpos_convention_name(s->convention), t.bytes, -1, -1, NULL, s->is_strict};
    identity->n_conventions = n + 1;
    return SINPOS_OK;
}
