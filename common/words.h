/* words.h - lists of words in one text, and letters. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Is the word among those of a list, with blanks between? */
bool list_has_word(const char *list, const char *word);
/* Bytes of the well-formed letter of UTF-8 that begins here; 0 where none does. */
size_t utf8_bytes(const char *text);
