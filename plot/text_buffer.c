#include "text_buffer.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool make_room(struct text_buffer *buffer, size_t more)
{
    if (buffer->is_broken || more > SIZE_MAX / 4 || buffer->n > SIZE_MAX / 4) {
        buffer->is_broken = true;
        return false;
    }
    const size_t wanted = buffer->n + more + 1;
    if (wanted > buffer->room) {
        const size_t room = wanted < 4096 ? 4096 : 2 * wanted;
        char *bytes = realloc(buffer->bytes, room);
        buffer->is_broken = bytes == NULL;
        buffer->bytes = bytes == NULL ? buffer->bytes : bytes;
        buffer->room = bytes == NULL ? buffer->room : room;
    }
    return !buffer->is_broken;
}

void buffer_add(struct text_buffer *buffer, const void *bytes, size_t n)
{
    if (make_room(buffer, n)) {
        memcpy(buffer->bytes + buffer->n, bytes, n);
        buffer->n += n;
        buffer->bytes[buffer->n] = '\0';
    }
}

void buffer_text(struct text_buffer *buffer, const char *text)
{
    buffer_add(buffer, text, strlen(text));
}

void buffer_format(struct text_buffer *buffer, const char *format, ...)
{
    char text[2000];
    va_list arguments;
    va_start(arguments, format);
    const int length = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (length >= 0 && (size_t)length < sizeof text) {
        buffer_add(buffer, text, (size_t)length);
    } else if (length < 0 || !make_room(buffer, (size_t)length)) {
        buffer->is_broken = true;
    } else {
        va_start(arguments, format);
        buffer->n += (size_t)vsnprintf(buffer->bytes + buffer->n, (size_t)length + 1, format, arguments);
        va_end(arguments);
    }
}

void buffer_number(struct text_buffer *buffer, double number, bool is_exact)
{
    char text[32];
    if (isnan(number))
        return;
    const double plain = number == 0 ? 0 : number; /* no -0 */
    int length = snprintf(text, sizeof text, "%.*g", is_exact ? 15 : 9, plain);
    if (is_exact && strtod(text, NULL) != plain)
        length = snprintf(text, sizeof text, "%.17g", plain);
    buffer_add(buffer, text, (size_t)length);
}

void buffer_shell_word(struct text_buffer *out, const char *word)
{
    const bool is_plain = word[0] != '\0' && word[strspn(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                                               "0123456789_-+=.,:/@%")] == '\0';
    if (is_plain) {
        buffer_text(out, word);
        return;
    }
    buffer_text(out, "'");
    for (; *word != '\0'; word++)
        if (*word == '\'')
            buffer_text(out, "'\\''");
        else
            buffer_add(out, iscntrl((unsigned char)*word) ? "?" : word, 1);
    buffer_text(out, "'");
}

size_t count_letters(const char *text)
{
    size_t n = 0;
    for (; *text != '\0'; text++)
        n += ((unsigned char)*text & 0xC0) != 0x80;
    return n;
}

const char *buffer_string(const struct text_buffer *buffer)
{
    return buffer->bytes == NULL ? "" : buffer->bytes;
}

void buffer_free(struct text_buffer *buffer)
{
    free(buffer->bytes);
    *buffer = (struct text_buffer){NULL, 0, 0, false};
}
