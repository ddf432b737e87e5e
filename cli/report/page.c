/* page.c - the list of sections, and the page around them. */
#include <stdlib.h>
#include <string.h>

#include "report.h"

const char report_mark[] = "<meta name=\"generator\" content=\"sinpos ";
const char report_file_mark[] = "# made by: sinpos ";

static const struct section {
    const char *id, *title;
    void (*make)(struct report *report);
} sections[] = {
    {"definition", "Definition", section_definition},
    {"exactness", "Exactness", section_exactness},
    {"claims", "Claims and verdicts", section_claims},
    {"rows", "The rows", section_rows},
    {"curves", "What the offset does", section_curves},
    {"separation", "Separation", section_separation},
    {"frequencies", "Wavelengths against the context", section_frequencies},
    {"bases", "Advice on the base", section_bases},
    {"arithmetics", "Errors of common arithmetics", section_arithmetics},
};

#define N_SECTIONS (sizeof sections / sizeof sections[0])

/* ------------------------------------------------------------------------------------------------- the page */

static void add_title(struct text_buffer *out, const struct report *report)
{
    if (report->options->given[OPTION_TITLE] != NULL) {
        html_text(out, report->options->given[OPTION_TITLE]);
    } else if (report->n == 1) {
        html_words(out, "Sinusoidal position encoding: %s", report->encodings[0].words);
    } else {
        static const char *const numbers[] = {"No", "One", "Two", "Three", "Four", "Five", "Six"};
        html_words(out, "%s sinusoidal position encodings compared", numbers[report->n]);
    }
}

static void add_head(struct text_buffer *out, const struct report *report)
{
    buffer_text(out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n");
    buffer_text(out, report_mark);
    html_words(out, "%s report", sinpos_version());
    buffer_text(out, "\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>");
    add_title(out, report);
    buffer_text(out, "</title>\n<style>\n");
    for (size_t i = 0; report_style[i] != NULL; i++) {
        buffer_text(out, report_style[i]);
        buffer_text(out, "\n");
    }
    buffer_text(out, "</style>\n</head>\n<body>\n<a class=\"skip\" href=\"#main\">Skip to the report</a>\n");
}

static void add_position(struct text_buffer *out, int64_t position)
{
    buffer_format(out, "%s%lld", position < 0 ? "\u2212" : "", llabs((long long)position));
}

static void add_lead(struct text_buffer *out, const struct report *report)
{
    buffer_text(out, "<header>\n<h1>");
    add_title(out, report);
    buffer_text(out, "</h1>\n<p class=\"lead\">");
    if (report->options->given[OPTION_TITLE] != NULL && report->n == 1)
        html_words(out, "%s. ", report->encodings[0].words);
    buffer_text(out, report->length == 1 ? "Position " : "Positions ");
    add_position(out, report->first);
    if (report->length > 1) {
        buffer_text(out, " to ");
        add_position(out, report->first + (int64_t)(report->length - 1));
    }
    buffer_format(out, ", context of %s position%s.</p>\n<p class=\"meta\">sinpos %s", COUNT(report->context),
                  report->context == 1 ? "" : "s", sinpos_version());
    const char *date = report->options->given[OPTION_DATE]; /* digits and - */
    if (date != NULL)
        buffer_format(out, " \u00B7 <time datetime=\"%s\">%s</time>", date, date);
    buffer_text(out, "</p>\n</header>\n");
}

static void add_list_of_encodings(struct text_buffer *out, const struct report *report)
{
    if (report->n == 1)
        return;
    buffer_text(out, "<ul class=\"plain\">\n");
    for (size_t i = 0; i < report->n; i++) {
        buffer_format(out, "<li>%s%s", LETTER(report, i), ESCAPED(report->encodings[i].words));
        buffer_text(out, " <span class=\"note\">(");
        html_text(out, report->encodings[i].given);
        buffer_text(out, ")</span></li>\n");
    }
    buffer_text(out, "</ul>\n");
}

static const char *fact_class(const struct report_fact *fact, size_t encoding)
{
    const double number = fact->value[encoding].number;
    return !fact->is_verdict || isnan(number) ? "" : number == 0 ? " class=\"bad\"" : " class=\"good\"";
}

static void add_facts_alone(struct text_buffer *out, const struct report *report)
{
    buffer_text(out, "<dl class=\"facts\">\n");
    for (size_t i = 0; i < report->n_facts; i++) {
        const struct report_fact *fact = &report->facts[i];
        const bool is_hash = strlen(fact->value[0].text) == SHA256_TEXT_BYTES - 1;
        buffer_format(out, "<div%s><dt>%s</dt><dd%s>%s</dd></div>\n", is_hash ? " class=\"wide\"" : "",
                      ESCAPED(fact->label), is_hash ? " class=\"hash\"" : fact_class(fact, 0),
                      ESCAPED(fact->value[0].text));
    }
    buffer_text(out, "</dl>\n");
}

static void add_facts_compared(struct text_buffer *out, const struct report *report)
{
    html_table_begin(out, "Summary", "<b>In short</b>");
    buffer_text(out, "<thead><tr><td></td>");
    for (size_t i = 0; i < report->n; i++)
        buffer_format(out, "<th scope=\"col\">%s%s</th>", LETTER(report, i), ESCAPED(report->encodings[i].words));
    buffer_text(out, "</tr></thead>\n<tbody>\n");
    for (size_t i = 0; i < report->n_facts; i++) {
        const struct report_fact *fact = &report->facts[i];
        buffer_format(out, "<tr><th scope=\"row\">%s</th>", ESCAPED(fact->label));
        for (size_t j = 0; j < report->n; j++) {
            const bool is_hash = strlen(fact->value[j].text) == SHA256_TEXT_BYTES - 1;
            buffer_format(out, "<td%s>", is_hash ? " class=\"mono\"" : fact_class(fact, j));
            html_words(out, "%.*s%s", is_hash ? 12 : FACT_TEXT, fact->value[j].text, is_hash ? "\u2026" : "");
            buffer_text(out, "</td>");
        }
        buffer_text(out, "</tr>\n");
    }
    html_table_end(out);
}

static void add_contents(struct text_buffer *out)
{
    buffer_text(out, "<nav aria-labelledby=\"contents\">\n<h2 id=\"contents\">Contents</h2>\n<ol>\n");
    for (size_t i = 0; i < N_SECTIONS; i++)
        buffer_format(out, "<li><a href=\"#%s\">%s</a></li>\n", sections[i].id, sections[i].title);
    buffer_text(out, "<li><a href=\"#reproduce\">How to make this page again</a></li>\n</ol>\n</nav>\n");
}

static void add_end(struct text_buffer *out, const struct report *report)
{
    buffer_text(out,
                "<section aria-labelledby=\"reproduce\">\n<h2 id=\"reproduce\">How to make this page again</h2>\n");
    html_command(out, buffer_string(&report->command));
    buffer_text(out,
                "<p>The command under each table and figure makes that part again; the numbers of a figure are in the "
                "file linked there, in the same folder as this page.");
    if (report->options->given[OPTION_DATE] == NULL) {
        buffer_text(out,
                    " The page bears no date (<code>--date</code> puts one in), so that the same command makes the "
                    "same bytes.");
    }
    buffer_text(out,
                "</p>\n<p>Table elements and hashes are the same on every machine, with any compiler, instruction set "
                "and number of threads. What is measured in double precision (curves, claims, errors) may differ in "
                "the last digit shown where another C library or linear algebra library computes it.</p>\n"
                "</section>\n");
    buffer_text(out, "</main>\n<footer>\n<p>");
    html_words(out, "Made by sinpos %s. ", sinpos_version());
    buffer_text(out, "This page is one file: it loads nothing and runs no scripts.</p>\n</footer>\n</body>\n</html>\n");
}

static void make_section(struct report *report, const struct section *section)
{
    struct text_buffer *out = &report->body;
    buffer_format(out, "<section aria-labelledby=\"%s\">\n<h2 id=\"%s\">%s</h2>\n", section->id, section->id,
                  section->title);
    report_stage(report, section->title);
    section->make(report);
    progress_clear();
    buffer_text(out, "</section>\n");
}

void report_make(struct report *report, struct text_buffer *page)
{
    for (size_t i = 0; i < N_SECTIONS; i++)
        make_section(report, &sections[i]);
    add_head(page, report);
    add_lead(page, report);
    buffer_text(page, "<main id=\"main\">\n");
    add_list_of_encodings(page, report);
    if (report->n == 1)
        add_facts_alone(page, report);
    else
        add_facts_compared(page, report);
    add_contents(page);
    buffer_add(page, buffer_string(&report->body), report->body.n);
    add_end(page, report);
    if (page->is_broken || report->body.is_broken)
        fail_memory();
}
