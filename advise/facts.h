/* facts.h - facts as they are added. */
#pragma once

#include "advice.h"
#include "text_buffer.h"

/* The fact that follows the others, whose command is empty; NULL without memory. It stays until the next is added. */
struct advice_fact *fact_add(struct advice *advice, double value, const char *id, ...)
    __attribute__((format(printf, 3, 4)));
/* A further number under a name, which is a constant. Those of NULL are ignored, as in the following. */
void fact_value(struct advice_fact *fact, const char *name, double number);
/* Adds to the sentence. */
void fact_say(struct advice *advice, struct advice_fact *fact, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Takes the text of the buffer, which is freed. */
void fact_command(struct advice *advice, struct advice_fact *fact, struct text_buffer *command);
