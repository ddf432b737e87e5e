/* section_definition.c - the formula with the user's numbers, the frequencies, the first elements. */
#include <stdlib.h>
#include <string.h>

#include "no_memory.h"
#include "report.h"

enum { SHOWN_TONES = 9, SHOWN_ROWS = 6, SHOWN_COLUMNS = 6 };

static const double pi = 3.14159265358979323846;

/* ------------------------------------------------------------------------------------------------- formula */

/* "(i + 0.5)" or "i" */
static void add_index(struct text_buffer *out, const sinpos_spec *spec)
{
    if (spec->shift == 0) {
        buffer_text(out, "<i class=\"v\">i</i>");
        return;
    }
    buffer_text(out, "(<i class=\"v\">i</i> + ");
    report_parameter(out, spec->shift);
    buffer_text(out, ")");
}

static double divisor_of(const sinpos_spec *spec)
{
    return spec->divisor != 0         ? spec->divisor
           : spec->odd == SINPOS_ZERO ? (double)(spec->dim / 2)
                                      : (double)spec->dim / 2;
}

static void add_base(struct text_buffer *out, const sinpos_spec *spec)
{
    if (spec->base_divisor == 1) {
        report_parameter(out, spec->base);
        return;
    }
    buffer_text(out, "(");
    report_parameter(out, spec->base);
    buffer_text(out, " / ");
    report_parameter(out, spec->base_divisor);
    buffer_text(out, ")");
}

static void add_schedule(struct text_buffer *out, const sinpos_spec *spec)
{
    switch (spec->schedule) {
    case SINPOS_GEOMETRIC:
        add_base(out, spec);
        buffer_text(out, "<sup>\u2212");
        add_index(out, spec);
        buffer_text(out, "/");
        report_parameter(out, divisor_of(spec));
        buffer_text(out, "</sup>");
        break;
    case SINPOS_POWER:
        buffer_text(out, "(1 \u2212 ");
        add_index(out, spec);
        buffer_text(out, "/");
        report_parameter(out, divisor_of(spec));
        buffer_text(out, ")<sup>");
        report_parameter(out, spec->exponent);
        buffer_text(out, "</sup>");
        break;
    case SINPOS_OCTAVE:
        buffer_text(out, "\u03C0 \u00B7 2<sup>");
        add_index(out, spec);
        buffer_text(out, "</sup>");
        break;
    case SINPOS_TURNS: buffer_text(out, "2\u03C0 <i class=\"v\">q</i><sub><i>i</i></sub>"); break;
    case SINPOS_EXPLICIT: buffer_text(out, "<i class=\"v\">t</i><sub><i>i</i></sub>"); break;
    }
}

static void add_theta(struct text_buffer *out, const struct report_encoding *own)
{
    const sinpos_spec *spec = &own->encoding.spec;
    buffer_text(out, "<i class=\"v\">\u03B8</i><sub><i>i</i></sub> = ");
    if (spec->scale != 1) {
        report_parameter(out, spec->scale);
        buffer_text(out, " \u00B7 ");
    }
    add_schedule(out, spec);
    if (spec->n_factor > 0)
        buffer_text(out, " / <i class=\"v\">f</i><sub><i>i</i></sub>");
    buffer_format(out, ", \u2003<i class=\"v\">i</i> = 0, \u2026, %zu",
                  own->n_tones > 0 ? sinpos_spec_frequencies(spec) - 1 : 0);
}

static void add_element(struct text_buffer *out, const sinpos_spec *spec, bool is_second)
{
    const bool is_sine = (spec->order == SINPOS_SIN_COS) != is_second;
    const size_t first_half = spec->odd == SINPOS_ZERO ? spec->dim / 2 : spec->dim - spec->dim / 2;
    buffer_text(out, "<i class=\"v\">p</i><sub><i>k</i>, ");
    if (spec->layout == SINPOS_INTERLEAVED)
        buffer_text(out, is_second ? "2<i>i</i>+1" : "2<i>i</i>");
    else if (is_second)
        buffer_format(out, "<i>i</i>+%zu", first_half);
    else
        buffer_text(out, "<i>i</i>");
    buffer_text(out, "</sub> = ");
    if (spec->amplitude != 1) {
        report_parameter(out, spec->amplitude);
        buffer_text(out, "\u00A0");
    }
    buffer_text(out, is_sine ? "sin(" : "cos(");
    if (spec->phase != 0) {
        report_parameter(out, spec->phase);
        buffer_text(out, " + ");
    }
    if (spec->phase_turns != 0) {
        buffer_text(out, "2\u03C0 \u00B7 ");
        report_parameter(out, spec->phase_turns);
        buffer_text(out, " + ");
    }
    buffer_text(out, "<i class=\"v\">k</i>\u2009<i class=\"v\">\u03B8</i><sub><i>i</i></sub>)");
}

/* Where no general formula says it. */
static void add_source(struct text_buffer *out, const sinpos_convention *convention)
{
    buffer_text(out, "<p>");
    html_text(out, sinpos_convention_text(convention, "summary"));
    buffer_text(out, " (<code>");
    html_text(out, sinpos_convention_text(convention, "repository"));
    buffer_text(out, "</code>, <code>");
    html_text(out, sinpos_convention_text(convention, "path"));
    buffer_text(out, "</code>). Its tones are listed below.</p>\n");
}

static void add_formula(struct text_buffer *out, const struct report_encoding *own)
{
    const sinpos_spec *spec = &own->encoding.spec;
    if (!own->encoding.is_exact) {
        add_source(out, own->encoding.info.convention);
        return;
    }
    buffer_text(out, "<div class=\"formula\">");
    add_element(out, spec, false);
    if (spec->dim > 1) {
        buffer_text(out, ", \u2003");
        add_element(out, spec, true);
    }
    buffer_text(out, "<br>\n");
    add_theta(out, own);
    buffer_text(out, "</div>\n<p>");
    buffer_text(out, "Row <i>k</i> belongs to position <i>k</i>; its ");
    html_count(out, spec->dim);
    buffer_text(out, spec->dim == 1 ? " column holds one tone" : " columns hold ");
    if (spec->dim > 1) {
        html_count(out, own->n_tones);
        buffer_text(out, own->n_tones == 1 ? " tone" : " tones");
        buffer_text(out, spec->layout == SINPOS_INTERLEAVED ? ", the two parts of a tone side by side"
                                                            : ", first all of the one part, then all of the other");
    }
    if (spec->dim % 2 == 1 && spec->dim > 1) {
        buffer_text(out,
                    spec->odd == SINPOS_ZERO ? "; the last column is zero" : "; the last tone lacks its second part");
    }
    buffer_text(out, ".");
    const char *theta = own->options.given[OPTION_THETA], *factor = own->options.given[OPTION_FACTOR];
    if (theta != NULL) {
        buffer_text(out, " The frequencies are those of <code>");
        html_text(out, theta);
        buffer_text(out, "</code>.");
    }
    if (factor != NULL) {
        buffer_text(out, " The divisors <i>f</i> are those of <code>");
        html_text(out, factor);
        buffer_text(out, "</code>.");
    }
    buffer_text(out, "</p>\n");
}

/* --------------------------------------------------------------------------------------------------- tones */

static void add_column(struct text_buffer *out, ptrdiff_t column)
{
    buffer_text(out, "<td class=\"n\">");
    if (column == SINPOS_NO_COLUMN)
        buffer_text(out, "\u2013");
    else
        buffer_format(out, "%td", column);
    buffer_text(out, "</td>");
}

static void add_tone(struct report *report, const struct report_encoding *own, size_t i)
{
    struct text_buffer *out = &report->body;
    const double theta = fabs(own->theta[i]);
    buffer_format(out, "<tr><th scope=\"row\" class=\"n\">%zu</th><td class=\"n\">", i);
    html_number(out, own->theta[i], 6);
    buffer_text(out, "</td><td class=\"n\">");
    html_number(out, theta > 0 ? 2 * pi / theta : INFINITY, 6);
    buffer_text(out, "</td><td class=\"n\">");
    html_number(out, theta * (double)report->context / (2 * pi), 4);
    buffer_text(out, "</td>");
    add_column(out, own->tones[i].sin_column);
    add_column(out, own->tones[i].cos_column);
    buffer_text(out, "</tr>\n");
}

static void add_tones(struct report *report, const struct report_encoding *own)
{
    struct text_buffer *out = &report->body;
    const size_t n = own->n_tones, shown = n < SHOWN_TONES ? n : SHOWN_TONES;
    report_table_begin(report, "Frequencies",
                       "Frequencies and wavelengths%s; turns are those within the context of %zu positions.",
                       shown < n ? " of some tones" : "", report->context);
    buffer_text(out,
                "<thead><tr><th scope=\"col\" class=\"n\">tone <i>i</i></th>"
                "<th scope=\"col\" class=\"n\"><i>\u03B8</i><sub><i>i</i></sub><span class=\"sub\">rad / "
                "position</span></th>"
                "<th scope=\"col\" class=\"n\">wavelength<span class=\"sub\">positions</span></th>"
                "<th scope=\"col\" class=\"n\">turns<span class=\"sub\">in the context</span></th>"
                "<th scope=\"col\" class=\"n\">sine<span class=\"sub\">column</span></th>"
                "<th scope=\"col\" class=\"n\">cosine<span class=\"sub\">column</span></th></tr></thead>\n<tbody>\n");
    for (size_t i = 0; i < shown; i++)
        add_tone(report, own, shown == 1 ? 0 : i * (n - 1) / (shown - 1));
    buffer_text(out, "</tbody>\n");
    html_table_end(out);
}

/* ------------------------------------------------------------------------------------------------ elements */

static void add_rows(struct report *report, const struct report_encoding *own, const char *rows, size_t n_rows)
{
    struct text_buffer *out = &report->body;
    const size_t dim = own->encoding.dim, most = report->type == SINPOS_F64 ? 4 : SHOWN_COLUMNS,
                 shown = dim < most ? dim : most;
    const size_t bytes = sinpos_type_bytes(report->type);
    buffer_text(out, "<thead><tr><th scope=\"col\" class=\"n\">position</th>");
    for (size_t j = 0; j < shown; j++)
        buffer_format(out, "<th scope=\"col\" class=\"n\">column %zu</th>", j);
    buffer_text(out, "</tr></thead>\n<tbody>\n");
    for (size_t i = 0; i < n_rows; i++) {
        buffer_format(out, "<tr><th scope=\"row\" class=\"n\">%lld</th>", (long long)(report->first + (int64_t)i));
        for (size_t j = 0; j < shown; j++) {
            char text[SINPOS_DECIMAL_BYTES];
            sinpos_decimal(text, report->type, rows + (i * dim + j) * bytes);
            buffer_format(out, "<td class=\"n\">%s%s</td>", text[0] == '-' ? "\u2212" : "", text + (text[0] == '-'));
        }
        buffer_text(out, "</tr>\n");
    }
    buffer_text(out, "</tbody>\n");
}

static int add_elements(struct report *report, const struct report_encoding *own)
{
    const size_t dim = own->encoding.dim, n = report->length < SHOWN_ROWS ? report->length : SHOWN_ROWS;
    void *rows = memory_take(n * dim, sinpos_type_bytes(report->type));
    const sinpos_status status = sinpos_fill(own->encoding.plan, report->first, n, report->type, rows, dim);
    if (status == SINPOS_OK) {
        report_table_begin(report, "First elements",
                           "First elements, %s, in the fewest digits that read back as the same.",
                           sinpos_element_name((sinpos_element)report->type));
        add_rows(report, own, rows, n);
        html_table_end(&report->body);
    }
    free(rows);
    return status == SINPOS_OK ? EXIT_DONE : complain_status(status);
}

int section_definition(struct report *report)
{
    int code = EXIT_DONE;
    for (size_t i = 0; i < report->n && code == EXIT_DONE; i++) {
        const struct report_encoding *own = &report->encodings[i];
        if (report->n > 1) {
            buffer_text(&report->body, "<h3>");
            report_letter(&report->body, report, i);
            html_text(&report->body, own->words);
            buffer_text(&report->body, "</h3>\n");
        }
        add_formula(&report->body, own);
        if (own->n_tones > 0)
            add_tones(report, own);
        code = add_elements(report, own);
    }
    report_commands(report, "table", "%s", buffer_string(&report->positions));
    return code;
}
