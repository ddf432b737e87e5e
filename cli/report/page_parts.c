/* page_parts.c - what sections write alike: facts, tables, letters, commands; the bar while they compute. */
#include <stdarg.h>
#include <stdio.h>

#include "report.h"

struct report_fact *report_fact(struct report *report, const char *key, const char *label)
{
    report->n_facts += report->n_facts < REPORT_FACTS;
    struct report_fact *fact = &report->facts[report->n_facts - 1];
    *fact = (struct report_fact){.key = key, .label = label};
    for (size_t i = 0; i < REPORT_ENCODINGS; i++)
        fact->value[i].number = NAN;
    return fact;
}

void fact_set(struct report_fact *fact, size_t encoding, double number, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(fact->value[encoding].text, FACT_TEXT, format, arguments);
    va_end(arguments);
    fact->value[encoding].number = number;
}

const char *letter_text(char text[LETTER_TEXT], const struct report *report, size_t encoding)
{
    if (report->n > 1) {
        snprintf(text, LETTER_TEXT, "<span class=\"letter c%zu\">%s</span> ", encoding,
                 report->encodings[encoding].letter);
    }
    return text;
}

void report_table_begin(struct report *report, const char *label, const struct html_column *columns,
                        const char *caption, ...)
{
    char text[1500], whole[1600];
    va_list arguments;
    va_start(arguments, caption);
    const int length = vsnprintf(text, sizeof text, caption, arguments);
    va_end(arguments);
    report->body.is_broken = report->body.is_broken || length < 0 || (size_t)length >= sizeof text;
    snprintf(whole, sizeof whole, "<b>Table %zu.</b> %s", ++report->n_tables, text);
    html_table_begin(&report->body, label, whole);
    if (columns != NULL)
        html_columns(&report->body, columns);
}

void report_commands(struct report *report, const char *command, const char *more, ...)
{
    char text[500];
    struct text_buffer *out = &report->body;
    va_list arguments;
    va_start(arguments, more);
    vsnprintf(text, sizeof text, more, arguments);
    va_end(arguments);
    buffer_text(out, "<pre class=\"command\" tabindex=\"0\">");
    for (size_t i = 0; i < report->n; i++) {
        buffer_text(out, i == 0 ? "<code>" : "\n<code>");
        html_words(out, "sinpos %s", command);
        html_text(out, buffer_string(&report->encodings[i].arguments));
        html_text(out, text);
        buffer_text(out, "</code>");
    }
    buffer_text(out, "</pre>\n");
}

const char *parameter_text(char text[NUMBER_TEXT], double number)
{
    char decimal[SINPOS_DECIMAL_BYTES];
    sinpos_decimal(decimal, SINPOS_F64, &number);
    snprintf(text, NUMBER_TEXT, "%s%s", decimal[0] == '-' ? "\u2212" : "", decimal + (decimal[0] == '-'));
    return text;
}

void report_stage(const struct report *report, const char *what)
{
    progress_clear();
    if (report->options->given[OPTION_QUIET] == NULL)
        progress_begin_part(what);
}
