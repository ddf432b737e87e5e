/* figures.c - figures of the catalogue on the page, with their numbers beside it. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "figure_csv.h"
#include "no_memory.h"
#include "report.h"
#include "svg_figure.h"

/* What a figure is made from, for one encoding. */
struct asked {
    const struct figure_entry *entry;
    const struct report_figure *wanted;
    struct positions offsets;
    sinpos_rows rows, offset_rows;
    double *positions, *offset_at;
};

static void asked_free(struct asked *asked)
{
    positions_free(&asked->offsets);
    free(asked->positions);
    free(asked->offset_at);
}

static void take_positions(struct asked *asked, const struct report *report)
{
    size_t length = asked->wanted->length == 0 ? asked->entry->length : asked->wanted->length;
    const int64_t first = asked->wanted->is_from_zero ? 0 : report->first;
    length = length > report->length && !asked->wanted->is_from_zero ? report->length : length;
    asked->rows = (sinpos_rows){.struct_size = sizeof(sinpos_rows), .n = length, .first = first};
    asked->positions = memory_take(length, sizeof *asked->positions);
    for (size_t i = 0; i < length; i++)
        asked->positions[i] = (double)(first + (int64_t)i);
}

static void take_offsets(struct asked *asked, const struct report *report)
{
    const char *text = asked->wanted->offsets != NULL ? asked->wanted->offsets : asked->entry->offsets;
    if (text == NULL)
        return;
    positions_offsets(&asked->offsets, report->options, text);
    positions_prepare(&asked->offsets, asked->offsets.n);
    asked->offset_at = memory_take(asked->offsets.n, sizeof *asked->offset_at);
    asked->offset_rows = positions_rows(&asked->offsets, 0, asked->offsets.n);
    for (size_t i = 0; i < asked->offset_rows.n; i++)
        asked->offset_at[i] = rows_number(&asked->offset_rows, i);
}

/* Options of sinpos plot that come after the encoding's. */
static void figure_options(struct text_buffer *out, const struct report *report, const struct asked *asked)
{
    if (asked->entry->length > 0) {
        if (asked->rows.first != 0)
            buffer_format(out, " --start %lld", (long long)asked->rows.first);
        buffer_format(out, " --length %zu", asked->rows.n);
    }
    if (asked->wanted->offsets != NULL)
        buffer_format(out, " --offsets %s", asked->wanted->offsets);
    if (asked->entry->context > 0)
        buffer_format(out, " --context %zu", report->context);
}

static bool is_fatal(sinpos_status status)
{
    return status == SINPOS_E_MEMORY || status == SINPOS_E_NULL || status == SINPOS_E_STOPPED;
}

/* Other statuses than these leave the page without the figure. */
static sinpos_status make_one(struct figure *figure, const struct report *report, const struct asked *asked,
                              size_t encoding)
{
    const struct encoding *own = &report->encodings[encoding].encoding;
    const struct figure_request request = {.name = encoding_name(own),
                                           .is_exact = own->is_exact,
                                           .spec = &own->spec,
                                           .plan = own->plan,
                                           .rows = &asked->rows,
                                           .positions = asked->positions,
                                           .step = 1,
                                           .offsets = &asked->offset_rows,
                                           .offset_at = asked->offset_at,
                                           .context = report->context,
                                           .smallest_base = encoding == 0 ? asked->wanted->smallest_base : 0,
                                           .threads = report->threads,
                                           .progress = progress_watch};
    const sinpos_status status = figure_make(figure, asked->entry, &request);
    if (is_fatal(status))
        fail_status(status);
    if (status == SINPOS_OK && asked->wanted->look != NULL)
        asked->wanted->look(asked->wanted->look_context, encoding, figure);
    return status;
}

/* ------------------------------------------------------------------------------------------------- numbers */

static void add_file(struct report *report, const struct figure *figure, const struct asked *asked, size_t encoding,
                     char name[FILE_NAME])
{
    const struct report_encoding *own = &report->encodings[encoding];
    RELEASED_BY(buffer_free) struct text_buffer command = {NULL, 0, 0, false};
    if (report->n_files == REPORT_FILES) {
        name[0] = '\0';
        return;
    }
    struct report_file *file = &report->files[report->n_files++];
    const char letter[2] = {own->letter[0], '\0'};
    snprintf(file->name, sizeof file->name, "%s%s%s.csv", asked->entry->name, report->n > 1 ? "-" : "", letter);
    buffer_format(&command, "sinpos plot %s", asked->entry->name);
    buffer_text(&command, buffer_string(&own->arguments));
    figure_options(&command, report, asked);
    figure_csv(&file->bytes, figure, buffer_string(&command), true);
    file->bytes.is_broken = file->bytes.is_broken || command.is_broken;
    snprintf(name, FILE_NAME, "%s", file->name);
}

/* ------------------------------------------------------------------------------------------------- drawing */

static void add_drawing(struct text_buffer *out, const struct figure *figure)
{
    svg_figure(out, figure);
    svg_legend(out, figure);
}

static void add_link(struct text_buffer *out, const char *name)
{
    if (name[0] != '\0')
        buffer_format(out, " <a href=\"%s\">%s</a>", name, name);
}

/* Each picture under its own name. */
static void add_commands(struct report *report, const struct asked *asked, size_t n)
{
    struct text_buffer *out = &report->body;
    RELEASED_BY(buffer_free) struct text_buffer options = {NULL, 0, 0, false};
    figure_options(&options, report, asked);
    buffer_text(out, "<pre class=\"command\" tabindex=\"0\">");
    for (size_t i = 0; i < n; i++) {
        const struct report_encoding *own = &report->encodings[i];
        buffer_text(out, i == 0 ? "<code>" : "\n<code>");
        html_words(out, "sinpos plot %s", asked->entry->name);
        html_text(out, buffer_string(&own->arguments));
        html_text(out, buffer_string(&options));
        html_words(out, " -o %s%s%s.svg", asked->entry->name, n > 1 ? "-" : "", n > 1 ? own->letter : "");
        buffer_text(out, "</code>");
    }
    buffer_text(out, "</pre>\n");
    out->is_broken = out->is_broken || options.is_broken;
}

static void add_caption(struct report *report, const struct asked *asked, const struct figure *figure, bool says_which,
                        char (*names)[FILE_NAME], size_t n_names)
{
    struct text_buffer *out = &report->body;
    buffer_format(out, "<figcaption><b>Figure %zu.</b>", ++report->n_figures);
    buffer_text(out, " ");
    html_text(out, figure->title);
    buffer_text(out, says_which && figure->subtitle[0] != '\0' ? "; " : "");
    html_text(out, says_which ? figure->subtitle : "");
    buffer_text(out, ".");
    svg_means_note(out, figure);
    buffer_text(out, " Numbers:");
    for (size_t i = 0; i < n_names; i++)
        add_link(out, names[i]);
    buffer_text(out, "</figcaption>\n");
    add_commands(report, asked, n_names);
}

static void add_why_not(struct report *report, const struct figure *figure, const struct asked *asked,
                        sinpos_status status)
{
    buffer_format(&report->body, "<p class=\"note\">The figure \u2018%s\u2019 is not drawn: %s.</p>\n",
                  asked->entry->name,
                  ESCAPED(figure->why[0] != '\0'           ? figure->why
                          : status == SINPOS_E_UNSUPPORTED ? "this build lacks a library that it needs"
                                                           : sinpos_strerror(status)));
}

static void draw_first(struct report *report, const struct asked *asked)
{
    RELEASED_BY(figure_free) struct figure figure = {0};
    char name[1][FILE_NAME];
    const sinpos_status status = make_one(&figure, report, asked, 0);
    if (status != SINPOS_OK) {
        add_why_not(report, &figure, asked, status);
        return;
    }
    add_file(report, &figure, asked, 0, name[0]);
    buffer_text(&report->body, "<figure>\n");
    add_drawing(&report->body, &figure);
    add_caption(report, asked, &figure, true, name, 1);
    buffer_text(&report->body, "</figure>\n");
}

/* What is compared is drawn to one scale: the heights of curves, or the colours of cells. */
static void share_scale(struct figure *figures, size_t n)
{
    double low = INFINITY, high = -INFINITY, own_low, own_high;
    for (size_t i = 0; i < n; i++) {
        own_low = figures[i].cells_low;
        own_high = figures[i].cells_high;
        if (figures[i].kind == FIGURE_LINES)
            figure_range_y(&figures[i], &own_low, &own_high);
        low = fmin(low, own_low);
        high = fmax(high, own_high);
    }
    for (size_t i = 0; i < n; i++) {
        struct figure *own = &figures[i];
        double *ends[2] = {&own->cells_low, &own->cells_high};
        if (own->kind == FIGURE_LINES) {
            ends[0] = &own->y.low;
            ends[1] = &own->y.high;
        }
        *ends[0] = low;
        *ends[1] = high;
    }
}

/* Several encodings one below the other. */
static void draw_each(struct report *report, const struct asked *asked, struct figure *figures, size_t n)
{
    struct text_buffer *out = &report->body;
    char names[REPORT_ENCODINGS][FILE_NAME];
    share_scale(figures, n);
    buffer_text(out, "<figure>\n");
    for (size_t i = 0; i < n; i++) {
        add_file(report, &figures[i], asked, i, names[i]);
        buffer_format(out, "<div class=\"panel\"><p>%s%s</p>\n", LETTER(report, i),
                      ESCAPED(report->encodings[i].words));
        add_drawing(out, &figures[i]);
        buffer_text(out, "</div>\n");
    }
    add_caption(report, asked, &figures[0], false, names, n);
    buffer_text(out, "</figure>\n");
}

static bool can_overlay(const struct report_figure *wanted, const struct figure *figures, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const struct figure *own = &figures[i];
        if (wanted->sharing != SHARE_OVERLAY || own->kind != FIGURE_LINES || own->n_columns <= wanted->column ||
            own->n_rows != figures[0].n_rows ||
            memcmp(own->columns[0].values, figures[0].columns[0].values, own->n_rows * sizeof(double)) != 0)
            return false;
    }
    return true;
}

/* One curve of each in one drawing. */
static void draw_overlay(struct report *report, const struct asked *asked, const struct figure *figures, size_t n)
{
    RELEASED_BY(figure_free) struct figure all = {0};
    char names[REPORT_ENCODINGS][FILE_NAME];
    const size_t bytes = figures[0].n_rows * sizeof(double);
    if (figure_lines(&all, figures[0].n_rows, 1 + n) != SINPOS_OK)
        fail_memory();
    memcpy(all.columns[0].values, figures[0].columns[0].values, bytes);
    all.x = figures[0].x;
    all.y = figures[0].y;
    all.y.low = figures[0].y.low == 0 ? 0 : NAN;
    all.y.high = NAN;
    figure_text(all.title, sizeof all.title, "%s", figures[0].title);
    figure_text(all.subtitle, sizeof all.subtitle, "%zu encodings", n);
    for (size_t i = 0; i < n; i++) {
        memcpy(all.columns[1 + i].values, figures[i].columns[asked->wanted->column].values, bytes);
        figure_series_add(&all, 1 + i, "%s: %.100s", report->encodings[i].letter, report->encodings[i].words);
        add_file(report, &figures[i], asked, i, names[i]);
    }
    figure_untangle(&all);
    buffer_text(&report->body, "<figure>\n");
    add_drawing(&report->body, &all);
    add_caption(report, asked, &all, false, names, n);
    buffer_text(&report->body, "</figure>\n");
}

static void draw_several(struct report *report, const struct asked *asked)
{
    struct figure figures[REPORT_ENCODINGS] = {{.kind = FIGURE_LINES}};
    size_t n = 0;
    sinpos_status status = SINPOS_OK;
    for (; n < report->n; n++) {
        status = make_one(&figures[n], report, asked, n);
        if (status != SINPOS_OK)
            break;
    }
    if (status != SINPOS_OK)
        add_why_not(report, &figures[n], asked, status);
    else if (can_overlay(asked->wanted, figures, n))
        draw_overlay(report, asked, figures, n);
    else
        draw_each(report, asked, figures, n);
    for (size_t i = 0; i < n; i++)
        figure_free(&figures[i]);
}

static bool is_too_wide(struct report *report, const struct report_figure *wanted)
{
    bool is_wide = false;
    for (size_t i = 0; i < report->n && wanted->dim_most > 0; i++)
        is_wide = is_wide || report->encodings[i].encoding.dim > wanted->dim_most;
    if (is_wide) {
        buffer_format(
            &report->body,
            "<p class=\"note\">The figure \u2018%s\u2019 is left out: it would have too many cells for a page. "
            "<code>sinpos plot %s</code> draws it.</p>\n",
            wanted->name, wanted->name);
    }
    return is_wide;
}

void report_figure_add(struct report *report, const struct report_figure *wanted)
{
    RELEASED_BY(asked_free) struct asked asked = {.entry = figure_find(wanted->name), .wanted = wanted};
    if (asked.entry == NULL || is_too_wide(report, wanted))
        return;
    take_positions(&asked, report);
    take_offsets(&asked, report);
    if (report->n == 1 || wanted->sharing == SHARE_FIRST)
        draw_first(report, &asked);
    else
        draw_several(report, &asked);
}
