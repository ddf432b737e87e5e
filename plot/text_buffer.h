/* text_buffer.h - bytes that grow. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct text_buffer {
    char *bytes; /* NULL, or ended by a zero that n does not count */
    size_t n, room;
    bool is_broken; /* memory ran out; what follows is ignored */
};

void buffer_add(struct text_buffer *buffer, const void *bytes, size_t n);
void buffer_text(struct text_buffer *buffer, const char *text);
void buffer_format(struct text_buffer *buffer, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* With 9 digits, or exactly: 15 digits where they read back as the same double, else 17. Nothing for NaN. */
void buffer_number(struct text_buffer *buffer, double number, bool is_exact);
/* As a shell would read it; control characters as ?. */
void buffer_shell_word(struct text_buffer *out, const char *word);
/* How many letters a text in UTF-8 has. */
size_t count_letters(const char *text);
/* Its text; "" where it is empty. */
const char *buffer_string(const struct text_buffer *buffer);
void buffer_free(struct text_buffer *buffer);
