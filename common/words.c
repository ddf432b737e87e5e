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

size_t utf8_bytes(const char *text)
{
    const unsigned char *p = (const unsigned char *)text;
    const size_t n = p[0] < 0x80                   ? 1
                     : p[0] >= 0xC2 && p[0] < 0xE0 ? 2
                     : p[0] >= 0xE0 && p[0] < 0xF0 ? 3
                     : p[0] >= 0xF0 && p[0] < 0xF5 ? 4
                                                   : 0;
    for (size_t i = 1; i < n; i++)
        if ((p[i] & 0xC0) != 0x80)
            return 0;
    const bool is_bad = (p[0] == 0xE0 && p[1] < 0xA0) || (p[0] == 0xED && p[1] > 0x9F) ||
                        (p[0] == 0xF0 && p[1] < 0x90) || (p[0] == 0xF4 && p[1] > 0x8F);
    return is_bad ? 0 : n;
}
