/* characters.c - UTF-8, and which of it may stand in names and on terminals. */
#include "boundary.h"
#include "format.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

size_t character_bytes(const unsigned char *p)
{
    const size_t n = p[0] < 0x80                    ? 1
                     : p[0] >= 0xc2 && p[0] <= 0xdf ? 2
                     : p[0] >> 4 == 0xe             ? 3
                     : p[0] >> 3 == 0x1e            ? 4
                                                    : 0;
    for (size_t i = 1; i < n; i++)
        if (p[i] >> 6 != 2)
            return 0;
    const bool is_overlong = (p[0] == 0xe0 && p[1] < 0xa0) || (p[0] == 0xf0 && p[1] < 0x90);
    const bool is_beyond = (p[0] == 0xed && p[1] >= 0xa0) || (p[0] == 0xf4 && p[1] >= 0x90) || p[0] > 0xf4;
    return n > 2 && (is_overlong || is_beyond) ? 0 : n;
}

bool is_control(const unsigned char *p)
{
    return *p < 0x20 || *p == 0x7f || (*p == 0xc2 && p[1] < 0xa0);
}

bool is_good_name(const char *name)
{
    const unsigned char *p = (const unsigned char *)name;
    size_t n = 0;
    for (; *p != '\0'; p += n) {
        n = character_bytes(p);
        if (n == 0 || is_control(p))
            return false;
    }
    return p != (const unsigned char *)name;
}

/* Marks that turn the direction of what follows, and separators of lines: what is shown would not be what is there. */
static bool is_deceptive(const unsigned char *p)
{
    const bool is_arabic_mark = p[0] == 0xd8 && p[1] == 0x9c; /* U+061C */
    const bool is_general =
        p[0] == 0xe2 && p[1] == 0x80 &&
        (p[2] == 0x8e || p[2] == 0x8f || (p[2] >= 0xa8 && p[2] <= 0xae));                 /* U+200E, 200F, 2028-202E */
    const bool is_isolate = p[0] == 0xe2 && p[1] == 0x81 && p[2] >= 0xa6 && p[2] <= 0xa9; /* U+2066-2069 */
    return is_arabic_mark || is_general || is_isolate;
}

const char *sinpos_printable(char *text, size_t room, const char *name)
{
    BOUNDARY;
    size_t used = 0;
    if (text == NULL || room == 0)
        return "";
    for (const unsigned char *p = (const unsigned char *)(name == NULL ? "" : name); *p != '\0';) {
        const size_t n = character_bytes(p);
        const bool is_shown = n > 0 && !is_control(p) && !is_deceptive(p);
        const size_t length = is_shown ? n : 1;
        if (used + length >= room)
            break;
        memcpy(text + used, is_shown ? (const char *)p : "?", length);
        used += length;
        p += n > 0 ? n : 1;
    }
    text[used] = '\0';
    return text;
}

char *joined_path(const char *folder, size_t folder_length, const char *separator, const char *name)
{
    const size_t room = folder_length + strlen(separator) + strlen(name) + 1;
    char *path = malloc(room);
    if (path != NULL)
        snprintf(path, room, "%.*s%s%s", (int)folder_length, folder, separator, name);
    return path;
}
