/* section_definition.c - the formula with the user's numbers, the frequencies, the first elements. */
#include <stdio.h>
#include <stdlib.h>

#include "no_memory.h"
#include "report.h"

enum { SHOWN_TONES = 9, SHOWN_ROWS = 6, SHOWN_COLUMNS = 6 };

static const double pi = 3.14159265358979323846;

/* ------------------------------------------------------------------------------------------------- formula */

enum { FORMULA = 4 * NUMBER_TEXT };

/* "(i + 0.5)" or "i" */
static const char *index_text(char text[FORMULA], const sinpos_spec *spec)
{
    snprintf(text, FORMULA, spec->shift == 0 ? "%s" : "(%s + %s)", "<i class=\"v\">i</i>", PARAMETER(spec->shift));
    return text;
}

static double divisor_of(const sinpos_spec *spec)
{
    return spec->divisor != 0         ? spec->divisor
           : spec->odd == SINPOS_ZERO ? (double)(spec->dim / 2)
                                      : (double)spec->dim / 2;
}

static const char *base_text(char text[FORMULA], const sinpos_spec *spec)
{
    snprintf(text, FORMULA, spec->base_divisor == 1 ? "%s" : "(%s / %s)", PARAMETER(spec->base),
             PARAMETER(spec->base_divisor));
    return text;
}

static void add_schedule(struct text_buffer *out, const sinpos_spec *spec)
{
    char index[FORMULA], base[FORMULA];
    index_text(index, spec);
    switch (spec->schedule) {
    case SINPOS_GEOMETRIC:
        buffer_format(out, "%s<sup>\u2212%s/%s</sup>", base_text(base, spec), index, PARAMETER(divisor_of(spec)));
        break;
    case SINPOS_POWER:
        buffer_format(out, "(1 \u2212 %s/%s)<sup>%s</sup>", index, PARAMETER(divisor_of(spec)),
                      PARAMETER(spec->exponent));
        break;
    case SINPOS_OCTAVE: buffer_format(out, "\u03C0 \u00B7 2<sup>%s</sup>", index); break;
    case SINPOS_TURNS: buffer_text(out, "2\u03C0 <i class=\"v\">q</i><sub><i>i</i></sub>"); break;
    case SINPOS_EXPLICIT: buffer_text(out, "<i class=\"v\">t</i><sub><i>i</i></sub>"); break;
    }
}

static void add_theta(struct text_buffer *out, const struct report_encoding *own)
{
    const sinpos_spec *spec = &own->encoding.spec;
    buffer_text(out, "<i class=\"v\">\u03B8</i><sub><i>i</i></sub> = ");
    if (spec->scale != 1)
        buffer_format(out, "%s \u00B7 ", PARAMETER(spec->scale));
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
    if (spec->amplitude != 1)
        buffer_format(out, "%s\u00A0", PARAMETER(spec->amplitude));
    buffer_text(out, is_sine ? "sin(" : "cos(");
    if (spec->phase != 0)
        buffer_format(out, "%s + ", PARAMETER(spec->phase));
    if (spec->phase_turns != 0)
        buffer_format(out, "2\u03C0 \u00B7 %s + ", PARAMETER(spec->phase_turns));
    buffer_text(out, "<i class=\"v\">k</i>\u2009<i class=\"v\">\u03B8</i><sub><i>i</i></sub>)");
}

/* Where no general formula says it. */
static void add_source(struct text_buffer *out, const sinpos_convention *convention)
{
    buffer_format(out, "<p>%s (<code>%s</code>, <code>%s</code>). Its tones are listed below.</p>\n",
                  ESCAPED(sinpos_convention_text(convention, "summary")),
                  ESCAPED(sinpos_convention_text(convention, "repository")),
                  ESCAPED(sinpos_convention_text(convention, "path")));
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
    buffer_format(out, "</div>\n<p>Row <i>k</i> belongs to position <i>k</i>; its %s", COUNT(spec->dim));
    if (spec->dim == 1) {
        buffer_text(out, " column holds one tone");
    } else {
        buffer_format(out, " columns hold %s tone%s, %s", COUNT(own->n_tones), own->n_tones == 1 ? "" : "s",
                      spec->layout == SINPOS_INTERLEAVED ? "the two parts of a tone side by side"
                                                         : "first all of the one part, then all of the other");
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

static const char *column_text(char text[24], ptrdiff_t column)
{
    snprintf(text, 24, column == SINPOS_NO_COLUMN ? "\u2013" : "%td", column);
    return text;
}

static void add_tone(struct report *report, const struct report_encoding *own, size_t i)
{
    const double theta = fabs(own->theta[i]);
    char sine[24], cosine[24];
    buffer_format(&report->body,
                  "<tr><th scope=\"row\" class=\"n\">%zu</th><td class=\"n\">%s</td><td class=\"n\">%s</td>"
                  "<td class=\"n\">%s</td><td class=\"n\">%s</td><td class=\"n\">%s</td></tr>\n",
                  i, NUMBER(own->theta[i], 6), NUMBER(theta > 0 ? 2 * pi / theta : INFINITY, 6),
                  NUMBER(theta * (double)report->context / (2 * pi), 4), column_text(sine, own->tones[i].sin_column),
                  column_text(cosine, own->tones[i].cos_column));
}

static void add_tones(struct report *report, const struct report_encoding *own)
{
    static const struct html_column columns[] = {{"tone <i>i</i>", NULL, true},
                                                 {"<i>\u03B8</i><sub><i>i</i></sub>", "rad / position", true},
                                                 {"wavelength", "positions", true},
                                                 {"turns", "in the context", true},
                                                 {"sine", "column", true},
                                                 {"cosine", "column", true},
                                                 {NULL, NULL, false}};
    const size_t n = own->n_tones, shown = n < SHOWN_TONES ? n : SHOWN_TONES;
    report_table_begin(report, "Frequencies", columns,
                       "Frequencies and wavelengths%s; turns are those within the context of %zu positions.",
                       shown < n ? " of some tones" : "", report->context);
    for (size_t i = 0; i < shown; i++)
        add_tone(report, own, shown == 1 ? 0 : i * (n - 1) / (shown - 1));
    html_table_end(&report->body);
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
}

static void add_elements(struct report *report, const struct report_encoding *own)
{
    const size_t dim = own->encoding.dim, n = report->length < SHOWN_ROWS ? report->length : SHOWN_ROWS;
    OWNED void *rows = memory_take(n * dim, sinpos_type_bytes(report->type));
    expect_ok(sinpos_fill(own->encoding.plan, report->first, n, report->type, rows, dim));
    report_table_begin(report, "First elements", NULL,
                       "First elements, %s, in the fewest digits that read back as the same.",
                       sinpos_element_name((sinpos_element)report->type));
    add_rows(report, own, rows, n);
    html_table_end(&report->body);
}

void section_definition(struct report *report)
{
    for (size_t i = 0; i < report->n; i++) {
        const struct report_encoding *own = &report->encodings[i];
        if (report->n > 1)
            buffer_format(&report->body, "<h3>%s%s</h3>\n", LETTER(report, i), ESCAPED(own->words));
        add_formula(&report->body, own);
        if (own->n_tones > 0)
            add_tones(report, own);
        add_elements(report, own);
    }
    report_commands(report, "table", "%s", buffer_string(&report->positions));
}
