/* html.h - pieces of a page. What comes from users goes through html_text(), and nothing else does it for them. */
#ifndef HTML_H
#define HTML_H

#include "text_buffer.h"

/* Escapes what HTML reads, in text and in quoted attributes; control characters and broken UTF-8 become U+FFFD. */
void html_text(struct text_buffer *out, const char *text);
/* The same with a format, up to 2000 bytes. */
void html_words(struct text_buffer *out, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* "−1.25 × 10⁻⁷" with so many significant digits; a dash for NaN. */
void html_number(struct text_buffer *out, double number, int digits);
/* Digits in groups of three, from 10 000 on. */
void html_count(struct text_buffer *out, unsigned long long n);

/* The same as plain text, for terminals. */
enum { NUMBER_TEXT = 48 };
const char *count_text(char text[NUMBER_TEXT], unsigned long long n);

/* A command to copy; words are escaped. */
void html_command(struct text_buffer *out, const char *command);

/* Tables scroll within themselves where the page is narrow. caption: HTML. */
void html_table_begin(struct text_buffer *out, const char *label, const char *caption);
void html_table_end(struct text_buffer *out);

#endif
