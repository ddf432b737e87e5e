/* words.h - lists of words in one text. */
#ifndef WORDS_H
#define WORDS_H

#include <stdbool.h>

/* Is the word among those of a list, with blanks between? */
bool list_has_word(const char *list, const char *word);

#endif
