/* section_separation.c - how far apart rows are, and which become equal once rounded. */
#include "report.h"

enum { N_NEAR = 5 };

/* Positions times columns that are looked at, all encodings together. */
static const double work_most = 0x1p27;

static bool is_quick(const struct report *report)
{
    double work = 0;
    for (size_t i = 0; i < report->n; i++)
        work += (double)report->length * (double)report->encodings[i].encoding.dim;
    return work <= work_most;
}

/* ------------------------------------------------------------------------------------------------- nearest */

static void add_near(struct report *report, size_t encoding, const sinpos_near *near, size_t n)
{
    struct text_buffer *out = &report->body;
    for (size_t i = 0; i < n; i++) {
        buffer_format(out,
                      "<tr><th scope=\"row\" class=\"n\">%s%zu</th><td class=\"n\">%s</td><td class=\"n\">%s</td>"
                      "<td class=\"n\">%lld, %lld</td></tr>\n",
                      LETTER(report, encoding), i + 1, NUMBER(near[i].distance, 7), COUNT(near[i].offset),
                      (long long)near[i].earlier, (long long)near[i].later);
    }
}

static void add_nearest(struct report *report)
{
    static const struct html_column columns[] = {{"place", NULL, true},
                                                 {"distance", NULL, true},
                                                 {"offset", "positions", true},
                                                 {"for instance", NULL, true},
                                                 {NULL, NULL, false}};
    struct report_fact *fact = report_fact(report, "smallest_distance", "Smallest distance of two rows");
    report_table_begin(report, "Nearest rows", columns,
                       "The offsets at which exact rows are nearest, with one pair of positions.");
    for (size_t i = 0; i < report->n; i++) {
        sinpos_near near[N_NEAR];
        size_t n = N_NEAR;
        const sinpos_status status = sinpos_separation(report->encodings[i].encoding.plan, report->first,
                                                       report->length, near, &n, report->threads, progress_watch, NULL);
        if (status != SINPOS_OK && status != SINPOS_E_UNSUPPORTED)
            fail_status(status);
        if (status == SINPOS_E_UNSUPPORTED) {
            fact_set(fact, i, NAN, "takes too long");
        } else if (n > 0) {
            add_near(report, i, near, n);
            fact_set(fact, i, near[0].distance, "%.5g, at offset %s", near[0].distance, COUNT(near[0].offset));
        }
    }
    html_table_end(&report->body);
}

/* ---------------------------------------------------------------------------------------------- collisions */

static void add_distinct(struct report *report, size_t encoding, size_t type, const sinpos_distinct *distinct)
{
    struct text_buffer *out = &report->body;
    buffer_format(out, "<tr><th scope=\"row\">%s%s</th>", LETTER(report, encoding), report_types[type].name);
    if (distinct == NULL) {
        buffer_text(out, "<td class=\"n\">\u2013</td><td>the amplitude does not fit this type</td></tr>\n");
        return;
    }
    buffer_format(out, "<td class=\"n\">%s of %s</td><td>", COUNT(distinct->n_distinct), COUNT(report->length));
    if (distinct->has_collision) {
        buffer_format(out,
                      "<span class=\"bad verdict\">equal rows</span> from position %lld on, whose row is that of %lld",
                      (long long)distinct->later, (long long)distinct->earlier);
    } else {
        buffer_text(out, "<span class=\"good verdict\">all different</span>");
    }
    buffer_text(out, "</td></tr>\n");
}

static void add_fact(struct report_fact *fact, size_t encoding, const sinpos_distinct *all, size_t n)
{
    size_t equal = 0;
    const char *names[N_TYPES] = {""};
    for (size_t i = 0; i < n; i++) {
        for (size_t type = 0; type < N_TYPES && all[i].has_collision; type++)
            if (report_types[type].type == all[i].type)
                names[equal++] = report_types[type].name;
    }
    fact_set(fact, encoding, equal == 0, "%s%s%s%s%s", equal == 0 ? "in every type" : "not in ", names[0],
             equal > 1 ? ", " : "", equal > 1 ? names[1] : "", equal > 2 ? ", ..." : "");
}

static void add_types(struct report *report, struct report_fact *fact, size_t encoding)
{
    const struct report_encoding *own = &report->encodings[encoding];
    sinpos_collisions_options options = SINPOS_COLLISIONS_OPTIONS_INIT;
    sinpos_distinct all[N_TYPES];
    size_t n = 0;
    options.n_threads = report->threads;
    options.progress = progress_watch;
    for (size_t type = 0; type < N_TYPES; type++) {
        const sinpos_status status = sinpos_collisions(own->encoding.plan, report->first, report->length,
                                                       (unsigned)report_types[type].type, &options, &all[n]);
        if (status != SINPOS_OK && status != SINPOS_E_OVERFLOW)
            fail_status(status);
        add_distinct(report, encoding, type, status == SINPOS_OK ? &all[n] : NULL);
        n += status == SINPOS_OK;
    }
    add_fact(fact, encoding, all, n);
}

static void add_collisions(struct report *report)
{
    static const struct html_column columns[] = {
        {"type", NULL, false}, {"different rows", NULL, true}, {"verdict", NULL, false}, {NULL, NULL, false}};
    struct report_fact *fact = report_fact(report, "all_rows_different", "All rows different");
    fact->is_verdict = true;
    report_table_begin(report, "Different rows", columns,
                       "How many rows differ once they are rounded: equal means the same bits in "
                       "every column.");
    for (size_t i = 0; i < report->n; i++)
        add_types(report, fact, i);
    html_table_end(&report->body);
}

/* The figure makes up to five encodings, of up to four times the columns. */
static size_t figure_length(const struct report *report)
{
    double columns = 0;
    for (size_t i = 0; i < report->n; i++)
        columns += (double)report->encodings[i].encoding.dim;
    const double most = fmax(64, fmin(100000, 0x1p25 / columns));
    return report->length < 2 ? 2 : (double)report->length < most ? report->length : (size_t)most;
}

void section_separation(struct report *report)
{
    const struct report_figure figure = {
        .name = "separation", .sharing = SHARE_EACH, .length = figure_length(report), .is_from_zero = true};
    struct text_buffer *out = &report->body;
    buffer_text(out,
                "<p>A model is given rows that have been rounded to a type: what differs as real numbers may then be "
                "equal. How far apart rows are says how much rounding they bear.</p>\n");
    if (report->length < 2) {
        buffer_text(out, "<p>There is only one position, and nothing to compare.</p>\n");
        return;
    }
    if (is_quick(report)) {
        add_nearest(report);
        add_collisions(report);
    } else {
        buffer_text(out, "<p>So many rows take longer than a page should; this command prints it:</p>\n");
    }
    report_commands(report, "separate", "%s", buffer_string(&report->positions));
    report_figure_add(report, &figure);
}
