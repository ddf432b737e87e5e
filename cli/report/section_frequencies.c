/* section_frequencies.c - which tones complete a turn within the context, and which never do. */
#include "report.h"

static const double pi = 3.14159265358979323846;

struct span {
    double shortest, longest; /* wavelengths in positions */
    size_t n_complete;        /* tones that complete a turn within the context */
    size_t n_quarter;         /* that do not even complete a quarter of one */
};

static struct span measure(const struct report_encoding *own, size_t context)
{
    struct span span = {.shortest = INFINITY};
    for (size_t i = 0; i < own->n_tones; i++) {
        const double theta = fabs(own->theta[i]);
        const double wavelength = theta > 0 ? 2 * pi / theta : INFINITY;
        span.shortest = fmin(span.shortest, wavelength);
        span.longest = fmax(span.longest, wavelength);
        span.n_complete += wavelength <= (double)context;
        span.n_quarter += wavelength > 4 * (double)context;
    }
    return span;
}

static void add_span(struct report *report, struct report_fact *fact, size_t encoding)
{
    struct text_buffer *out = &report->body;
    const struct report_encoding *own = &report->encodings[encoding];
    const struct span span = measure(own, report->context);
    buffer_format(out,
                  "<tr><th scope=\"row\">%s%s</th><td class=\"n\">%s</td><td class=\"n\">%s</td>"
                  "<td class=\"n\">%zu of %zu</td><td class=\"n\">%zu</td></tr>\n",
                  LETTER(report, encoding), ESCAPED(own->words), NUMBER(span.shortest, 5), NUMBER(span.longest, 5),
                  span.n_complete, own->n_tones, span.n_quarter);
    fact_set(fact, encoding, (double)span.n_complete, "%zu of %zu", span.n_complete, own->n_tones);
}

void section_frequencies(struct report *report)
{
    static const struct report_figure wavelengths = {.name = "wavelengths", .sharing = SHARE_EACH};
    static const struct html_column columns[] = {{"encoding", NULL, false},
                                                 {"shortest", "positions", true},
                                                 {"longest", "positions", true},
                                                 {"complete tones", "a turn or more", true},
                                                 {"slow tones", "below a quarter turn", true},
                                                 {NULL, NULL, false}};
    struct text_buffer *out = &report->body;
    struct report_fact *fact = report_fact(report, "complete_tones", "Tones that complete a turn within the context");
    buffer_text(out,
                "<p>A tone whose wavelength exceeds the context never completes a turn there: a model sees only part "
                "of its circle, and whatever lies beyond the context is new to it.</p>\n");
    report_table_begin(report, "Wavelengths", columns,
                       "Wavelengths 2\u03C0/<i>\u03B8</i> against a context of %zu positions.", report->context);
    for (size_t i = 0; i < report->n; i++)
        add_span(report, fact, i);
    html_table_end(out);
    report_figure_add(report, &wavelengths);
}
