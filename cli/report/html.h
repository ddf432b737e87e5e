/* html.h - pieces of a page. What comes from users goes through html_text(), and nothing else does it for them. */
#pragma once

#include "text_buffer.h"

/* Escapes what HTML reads, in text and in quoted attributes; control characters and broken UTF-8 become U+FFFD. */
void html_text(struct text_buffer *out, const char *text);
/* The same with a format. */
void html_words(struct text_buffer *out, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* These return text. Those in capitals give it room up to the end of the block. */

/* The same of a title or a name, in text. */
enum { ESCAPED_TEXT = 1600 };
const char *escaped_text(char text[ESCAPED_TEXT], const char *words);
#define ESCAPED(words) escaped_text((char[ESCAPED_TEXT]){""}, words)

/* "−1.25 × 10⁻⁷" as HTML, with so many significant digits; a dash for NaN. */
enum { NUMBER_TEXT = 120 };
const char *number_text(char text[NUMBER_TEXT], double number, int digits);
#define NUMBER(number, digits) number_text((char[NUMBER_TEXT]){""}, number, digits)

/* Digits in groups of three, from 10 000 on: for terminals too. */
const char *count_text(char text[NUMBER_TEXT], unsigned long long n);
#define COUNT(n) count_text((char[NUMBER_TEXT]){""}, (unsigned long long)(n))

/* A command to copy; words are escaped. */
void html_command(struct text_buffer *out, const char *command);

/* The head of a column, in HTML. */
struct html_column {
    const char *name; /* NULL after the last */
    const char *sub;  /* a line below it; NULL: none */
    bool is_number;
};

/* Tables scroll within themselves where the page is narrow. caption: HTML. */
void html_table_begin(struct text_buffer *out, const char *label, const char *caption);
/* Ends the head and begins the rows. */
void html_columns(struct text_buffer *out, const struct html_column *columns);
void html_table_end(struct text_buffer *out);
