#include "html.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "error_line.h"
#include "owned.h"
#include "words.h"

static const char *entity(unsigned char letter)
{
    switch (letter) {
    case '&': return "&amp;";
    case '<': return "&lt;";
    case '>': return "&gt;";
    case '"': return "&quot;";
    case '\'': return "&#39;";
    default: return NULL;
    }
}

void html_text(struct text_buffer *out, const char *text)
{
    while (*text != '\0') {
        const unsigned char first = (unsigned char)*text;
        const size_t n = utf8_bytes(text);
        const char *name = entity(first);
        if (name != NULL)
            buffer_text(out, name);
        else if (n == 0 || first < 0x20 || first == 0x7F || (first == 0xC2 && (unsigned char)text[1] < 0xA0))
            buffer_text(out, first == '\n' || first == '\t' ? " " : "\xEF\xBF\xBD");
        else
            buffer_add(out, text, n);
        text += n == 0 ? 1 : n;
    }
}

void html_words(struct text_buffer *out, const char *format, ...)
{
    char text[2000];
    va_list arguments;
    va_start(arguments, format);
    const int length = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    out->is_broken = out->is_broken || length < 0 || (size_t)length >= sizeof text;
    html_text(out, text);
}

const char *escaped_text(char text[ESCAPED_TEXT], const char *words)
{
    RELEASED_BY(buffer_free) struct text_buffer whole = {NULL, 0, 0, false};
    html_text(&whole, words);
    if (whole.is_broken)
        fail_memory();
    snprintf(text, ESCAPED_TEXT, "%s", buffer_string(&whole));
    return text;
}

/* ------------------------------------------------------------------------------------------------- numbers */

const char *count_text(char text[NUMBER_TEXT], unsigned long long n)
{
    char digits[24];
    const size_t length = (size_t)snprintf(digits, sizeof digits, "%llu", n);
    size_t used = 0;
    for (size_t i = 0; i < length; i++) {
        if (length > 4 && i > 0 && (length - i) % 3 == 0)
            used += (size_t)snprintf(text + used, NUMBER_TEXT - used, "\u202F");
        text[used++] = digits[i];
    }
    text[used] = '\0';
    return text;
}

const char *number_text(char text[NUMBER_TEXT], double number, int digits)
{
    char plain[48];
    const char *sign = number < 0 ? "\u2212" : "";
    const double size = fabs(number);
    const bool is_short = size >= 1e-3 && size < 1e6;
    snprintf(plain, sizeof plain, is_short ? "%.*g" : "%.*e", is_short ? digits : digits - 1, size);
    if (is_short && strchr(plain, 'e') != NULL)
        snprintf(plain, sizeof plain, "%.*e", digits - 1, size);
    char *e = strchr(plain, 'e');
    const int exponent = e == NULL ? 0 : atoi(e + 1);
    if (!isfinite(number)) {
        snprintf(text, NUMBER_TEXT, "%s%s", sign, isnan(number) ? "\u2013" : "\u221E");
    } else if (size == floor(size) && size < 1e7) {
        snprintf(text, NUMBER_TEXT, "%s%s", sign, COUNT(size));
    } else if (e == NULL) {
        snprintf(text, NUMBER_TEXT, "%s%s", sign, plain);
    } else {
        snprintf(text, NUMBER_TEXT, "%s%.*s\u00A0\u00D7\u00A010<sup>%s%d</sup>", sign, (int)(e - plain), plain,
                 exponent < 0 ? "\u2212" : "", abs(exponent));
    }
    return text;
}

/* ------------------------------------------------------------------------------------------------ commands */

void html_command(struct text_buffer *out, const char *command)
{
    buffer_text(out, "<pre class=\"command\" tabindex=\"0\"><code>");
    html_text(out, command);
    buffer_text(out, "</code></pre>\n");
}

/* -------------------------------------------------------------------------------------------------- tables */

void html_table_begin(struct text_buffer *out, const char *label, const char *caption)
{
    buffer_format(out,
                  "<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-label=\"%s\">\n"
                  "<table data-of=\"%s\">\n<caption><span>%s</span></caption>\n",
                  label, label, caption);
}

void html_columns(struct text_buffer *out, const struct html_column *columns)
{
    buffer_text(out, "<thead><tr>");
    for (; columns->name != NULL; columns++) {
        buffer_format(out, "<th scope=\"col\"%s>%s", columns->is_number ? " class=\"n\"" : "", columns->name);
        if (columns->sub != NULL)
            buffer_format(out, "<span class=\"sub\">%s</span>", columns->sub);
        buffer_text(out, "</th>");
    }
    buffer_text(out, "</tr></thead>\n<tbody>\n");
}

void html_table_end(struct text_buffer *out)
{
    buffer_text(out, "</tbody>\n</table>\n</div>\n");
}
