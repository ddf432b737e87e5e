#include "facts.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct advice_fact *fact_add(struct advice *advice, double value, const char *id, ...)
{
    if (advice->n == advice->room) {
        const size_t room = advice->room == 0 ? 32 : 2 * advice->room;
        struct advice_fact *facts = realloc(advice->facts, room * sizeof *facts);
        advice->is_broken = advice->is_broken || facts == NULL;
        if (facts == NULL)
            return NULL;
        advice->facts = facts;
        advice->room = room;
    }
    struct advice_fact *fact = &advice->facts[advice->n++];
    va_list arguments;
    *fact = (struct advice_fact){.value = value};
    va_start(arguments, id);
    vsnprintf(fact->id, sizeof fact->id, id, arguments);
    va_end(arguments);
    return fact;
}

void fact_value(struct advice_fact *fact, const char *name, double number)
{
    if (fact != NULL && fact->n_values < ADVICE_VALUES)
        fact->values[fact->n_values++] = (struct advice_value){name, number};
}

void fact_say(struct advice *advice, struct advice_fact *fact, const char *format, ...)
{
    char text[600];
    va_list arguments;
    if (fact == NULL)
        return;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    const size_t n = fact->sentence == NULL ? 0 : strlen(fact->sentence), more = strlen(text) + 1;
    char *sentence = realloc(fact->sentence, n + more);
    advice->is_broken = advice->is_broken || sentence == NULL;
    if (sentence != NULL) {
        memcpy(sentence + n, text, more);
        fact->sentence = sentence;
    }
}

void fact_command(struct advice *advice, struct advice_fact *fact, struct text_buffer *command)
{
    advice->is_broken = advice->is_broken || command->is_broken || command->bytes == NULL;
    if (fact != NULL) {
        free(fact->command);
        fact->command = command->bytes;
    } else {
        buffer_free(command);
    }
    *command = (struct text_buffer){NULL, 0, 0, false};
}

void advice_free(struct advice *advice)
{
    for (size_t k = 0; k < advice->n; k++) {
        free(advice->facts[k].sentence);
        free(advice->facts[k].command);
    }
    free(advice->facts);
    *advice = (struct advice){NULL, 0, 0, false};
}
