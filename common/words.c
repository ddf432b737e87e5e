#include "words.h"

#include <string.h>

bool list_has_word(const char *list, const char *word)
{
    const size_t n = strlen(word);
    for (; n > 0 && *list != '\0'; list += strcspn(list, " "), list += *list == ' ')
        if (strcspn(list, " ") == n && memcmp(list, word, n) == 0)
            return true;
    return false;
}
