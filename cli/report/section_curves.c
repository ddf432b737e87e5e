/* section_curves.c - the rows as they are, and what depends on the offset of two positions. */

#include "report.h"

enum { N_OFFSETS = 6 };

/* How far the first negative g is looked for. */
static const int64_t search_limit = (int64_t)1 << 20;

static const int64_t offsets[N_OFFSETS] = {1, 10, 100, 1000, 10000, 100000};

static void add_all(struct report *report, const struct report_figure *figures, size_t n)
{
    for (size_t i = 0; i < n; i++)
        report_figure_add(report, &figures[i]);
}

void section_rows(struct report *report)
{
    static const struct report_figure figures[] = {
        {.name = "waves", .sharing = SHARE_EACH},
        {.name = "heatmap", .sharing = SHARE_EACH, .dim_most = 2048},
        {.name = "spectrum", .sharing = SHARE_EACH},
        {.name = "gram", .sharing = SHARE_EACH, .dim_most = 256},
    };
    add_all(report, figures, sizeof figures / sizeof figures[0]);
}

/* -------------------------------------------------------------------------------------------------- offsets */

static void add_values(struct report *report, size_t encoding)
{
    struct text_buffer *out = &report->body;
    const struct report_encoding *own = &report->encodings[encoding];
    const sinpos_rows rows = {.struct_size = sizeof rows, .n = N_OFFSETS, .integers = offsets};
    const sinpos_rows zero = {.struct_size = sizeof zero, .n = 1};
    double g[N_OFFSETS], distance[N_OFFSETS], g_0;
    sinpos_status status = sinpos_kernel_values(own->encoding.plan, &rows, g, report->threads);
    status = status == SINPOS_OK ? sinpos_kernel_values(own->encoding.plan, &zero, &g_0, 1) : status;
    status =
        status == SINPOS_OK ? sinpos_distance_values(own->encoding.plan, &rows, distance, report->threads) : status;
    expect_ok(status);
    for (size_t i = 0; i < N_OFFSETS; i++) {
        buffer_format(out,
                      "<tr><th scope=\"row\" class=\"n\">%s%s</th><td class=\"n\">%s</td><td class=\"n\">%s</td>"
                      "<td class=\"n\">%s</td></tr>\n",
                      LETTER(report, encoding), COUNT(offsets[i]), NUMBER(g[i], 9),
                      NUMBER(g_0 != 0 ? g[i] / g_0 : NAN, 4), NUMBER(distance[i], 6));
    }
}

static void add_table(struct report *report)
{
    static const struct html_column columns[] = {{"offset <i>k</i>", "positions", true},
                                                 {"<i>g</i>(<i>k</i>)", NULL, true},
                                                 {"<i>g</i>(<i>k</i>) / <i>g</i>(0)", NULL, true},
                                                 {"distance", NULL, true},
                                                 {NULL, NULL, false}};
    report_table_begin(
        report, "Products and distances", columns,
        "Product <i>g</i>(<i>k</i>) and Euclidean distance of two rows that are <i>k</i> positions apart, "
        "wherever they stand.");
    for (size_t i = 0; i < report->n; i++)
        add_values(report, i);
    html_table_end(&report->body);
}

static void add_first_negative(struct report *report)
{
    struct report_fact *fact = report_fact(report, "first_negative", "First offset with g(k) below 0");
    for (size_t i = 0; i < report->n; i++) {
        int64_t offset;
        double g;
        expect_ok(sinpos_kernel_first_negative(report->encodings[i].encoding.plan, search_limit, &offset, &g,
                                               report->threads, progress_watch, NULL));
        if (offset == 0)
            fact_set(fact, i, NAN, "none below %s", COUNT(search_limit));
        else
            fact_set(fact, i, (double)offset, "%s", COUNT(offset));
    }
}

void section_curves(struct report *report)
{
    static const struct report_figure figures[] = {
        {.name = "kernel", .sharing = SHARE_OVERLAY, .column = 1},
        {.name = "decay", .sharing = SHARE_OVERLAY, .column = 1},
        {.name = "decay-log", .sharing = SHARE_OVERLAY, .column = 1},
        {.name = "distance-law", .sharing = SHARE_OVERLAY, .column = 1, .offsets = "1:4096"},
        {.name = "distance", .sharing = SHARE_EACH, .length = 256},
        {.name = "near-far", .sharing = SHARE_EACH},
    };
    struct text_buffer *out = &report->body;
    buffer_text(out, "<p>The product of two rows depends on their offset <i>k</i> alone: <i>g</i>(<i>k</i>) = \u2211 "
                     "<i>A</i>\u00B2 cos(<i>k</i> <i>\u03B8</i><sub><i>i</i></sub>). So does their distance, which is "
                     "not proportional to the offset: for a geometric schedule its square grows like the "
                     "logarithm.</p>\n");
    add_first_negative(report);
    add_table(report);
    report_commands(report, "kernel", " --offsets 1,10,100,1000,10000,100000");
    add_all(report, figures, sizeof figures / sizeof figures[0]);
}
