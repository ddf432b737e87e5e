#include "svg_figure.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "colour_maps.h"
#include "error_line.h"
#include "html.h"
#include "no_memory.h"
#include "png_image.h"

enum { BAR_WIDTH = 14, LABEL_ROWS = 6 };

/* Sizes of drawings; a narrow one has a phone's width, so that its letters keep their size there. */
static const struct size {
    const char *class;
    double width, height, square_width, square_height;
    size_t tics_x, tics_y;
} sizes[] = {{"wide", 720, 400, 560, 500, 8, 7}, {"narrow", 350, 290, 350, 320, 5, 6}};

/* Mean width of a letter and height of a line, in the size of the text of drawings. */
static const double letter_width = 7.1, line_height = 16;

/* The rectangle that the data fill, and how numbers become points of it. */
struct frame {
    const struct size *size;
    double width, height; /* of the drawing */
    double left, right, top, bottom;
    double x_low, x_high, y_low, y_high;
    bool x_is_log, y_is_log, y_is_reversed;
};

static double within(double value)
{
    return value < -4000 ? -4000 : value > 4000 ? 4000 : value;
}

static double point_x(const struct frame *frame, double x)
{
    return within((frame->right - frame->left) * axis_part(x, frame->x_low, frame->x_high, frame->x_is_log));
}

static double point_y(const struct frame *frame, double y)
{
    const double up = axis_part(y, frame->y_low, frame->y_high, frame->y_is_log);
    return within((frame->bottom - frame->top) * (frame->y_is_reversed ? up : 1 - up));
}

static bool is_drawable(const struct frame *frame, double x, double y)
{
    return isfinite(x) && isfinite(y) && (!frame->x_is_log || x > 0) && (!frame->y_is_log || y > 0);
}

enum { LENGTH_TEXT = 32 };

/* A tenth of a pixel is enough; "12" for 12.0, and never "-0". Returns text. */
static const char *length_text(char text[LENGTH_TEXT], double length)
{
    const double tenths = rint(10 * length);
    snprintf(text, LENGTH_TEXT, fmod(tenths, 10) == 0 ? "%.0f" : "%.1f", tenths == 0 ? 0 : tenths / 10);
    return text;
}

#define LENGTH(length) length_text((char[LENGTH_TEXT]){""}, length)

/* anchor: "start", "middle" or "end" */
static void add_label(struct text_buffer *out, double x, double y, const char *anchor, const char *class,
                      const char *text)
{
    buffer_format(out, "<text x=\"%s\" y=\"%s\" text-anchor=\"%s\"%s%s%s>", LENGTH(x), LENGTH(y), anchor,
                  class[0] == '\0' ? "" : " class=\"", class, class[0] == '\0' ? "" : "\"");
    html_text(out, text);
    buffer_text(out, "</text>\n");
}

static void add_line(struct text_buffer *out, const char *class, double x1, double y1, double x2, double y2)
{
    buffer_format(out, "<line class=\"%s\" x1=\"%s\" y1=\"%s\" x2=\"%s\" y2=\"%s\"/>\n", class, LENGTH(x1), LENGTH(y1),
                  LENGTH(x2), LENGTH(y2));
}

/* ---------------------------------------------------------------------------------------------------- axes */

static double widest(const struct tic *tics, size_t n)
{
    size_t most = 1;
    for (size_t i = 0; i < n; i++) {
        const size_t letters = count_letters(tics[i].text);
        most = letters > most ? letters : most;
    }
    return letter_width * (double)most;
}

/* How wide the numbers beside the bar of colours are. */
static double bar_letters(const struct figure *figure)
{
    struct tic tics[FIGURE_TICS];
    return widest(tics, figure_tics(figure->cells_low, figure->cells_high, false, 6, tics));
}

static void make_frame(struct frame *frame, const struct figure *figure, const struct size *size)
{
    struct tic tics[FIGURE_TICS];
    const bool is_matrix = figure->kind == FIGURE_MATRIX, is_square = is_matrix && figure->is_square;
    *frame = (struct frame){.size = size,
                            .width = is_square ? size->square_width : size->width,
                            .height = is_square ? size->square_height : size->height};
    figure_range_x(figure, &frame->x_low, &frame->x_high);
    figure_range_y(figure, &frame->y_low, &frame->y_high);
    frame->x_is_log = figure->x.is_log;
    frame->y_is_log = figure->y.is_log;
    /* A matrix has its first row on top, like the array, unless it says otherwise by its axis. */
    frame->y_is_reversed = figure->y.is_reversed;
    frame->left = widest(tics, figure_axis_tics(&figure->y, frame->y_low, frame->y_high, size->tics_y, tics)) + 14;
    frame->right = frame->width - (is_matrix ? BAR_WIDTH + 27 + bar_letters(figure) : 16);
    frame->top = 28;
    frame->bottom = frame->height - 46;
}

static void add_tics_x(struct text_buffer *out, const struct figure *figure, const struct frame *frame)
{
    struct tic tics[FIGURE_TICS];
    const size_t n = figure_axis_tics(&figure->x, frame->x_low, frame->x_high, frame->size->tics_x, tics);
    for (size_t i = 0; i < n; i++) {
        const double x = frame->left + point_x(frame, tics[i].at);
        const bool is_major = tics[i].text[0] != '\0';
        if (is_major && figure->kind == FIGURE_LINES)
            add_line(out, "grid", x, frame->top, x, frame->bottom);
        add_line(out, "tic", x, frame->bottom, x, frame->bottom + (is_major ? 5 : 3));
        if (is_major)
            add_label(out, x, frame->bottom + 19, "middle", "", tics[i].text);
    }
}

static void add_tics_y(struct text_buffer *out, const struct figure *figure, const struct frame *frame)
{
    struct tic tics[FIGURE_TICS];
    const size_t n = figure_axis_tics(&figure->y, frame->y_low, frame->y_high, frame->size->tics_y, tics);
    for (size_t i = 0; i < n; i++) {
        const double y = frame->top + point_y(frame, tics[i].at);
        const bool is_major = tics[i].text[0] != '\0';
        if (is_major && figure->kind == FIGURE_LINES)
            add_line(out, tics[i].at == 0 ? "grid zero" : "grid", frame->left, y, frame->right, y);
        add_line(out, "tic", frame->left - (is_major ? 5 : 3), y, frame->left, y);
        if (is_major)
            add_label(out, frame->left - 8, y + 4.5, "end", "", tics[i].text);
    }
}

static void add_axes(struct text_buffer *out, const struct figure *figure, const struct frame *frame)
{
    add_tics_y(out, figure, frame);
    add_tics_x(out, figure, frame);
    add_line(out, "axis", frame->left, frame->bottom, frame->right, frame->bottom);
    add_line(out, "axis", frame->left, frame->top, frame->left, frame->bottom);
    add_label(out, (frame->left + frame->right) / 2, frame->bottom + 40, "middle", "label", figure->x.label);
    add_label(out, 2, 15, "start", "label", figure->y.label);
}

/* --------------------------------------------------------------------------------------------------- lines */

/*
 * Where a curve has many points within a pixel, its first, lowest, highest and last show all there is to see; of these
 * one is left out where a straight line passes all near enough that are left out.
 */
struct point {
    double x, y;
    size_t order;
};

struct pen {
    struct text_buffer *out;
    bool is_down;
    long column;
    size_t n;
    struct point first, low, high, last;
    struct point from, to;        /* the line that is being drawn */
    bool has_line;                /* to is a point, and not yet written */
    double slope_low, slope_high; /* with which it passes all points since from */
};

static const double near_enough = 0.1;

static void write_point(struct pen *pen, struct point to)
{
    buffer_format(pen->out, "%c%s %s", pen->is_down ? 'L' : 'M', LENGTH(to.x), LENGTH(to.y));
    pen->is_down = true;
    pen->from = to;
}

static void end_line(struct pen *pen)
{
    if (pen->has_line) {
        write_point(pen, pen->to);
        pen->has_line = false;
    }
}

/* Ends the line where one to the new point would pass others too far off. */
static void pen_point(struct pen *pen, struct point to)
{
    if (!pen->is_down) {
        write_point(pen, to);
        return;
    }
    for (int try = 0; try < 2; try++) {
        const double dx = to.x - pen->from.x, dy = to.y - pen->from.y, room = near_enough / fabs(dx);
        if (!pen->has_line) {
            pen->slope_low = dx == 0 ? 1 : dy / dx - room;
            pen->slope_high = dx == 0 ? -1 : dy / dx + room;
            break;
        }
        const bool is_on = dx * (pen->to.x - pen->from.x) > 0 && fabs(dx) >= fabs(pen->to.x - pen->from.x);
        if (is_on && dy / dx >= pen->slope_low && dy / dx <= pen->slope_high) {
            pen->slope_low = fmax(pen->slope_low, dy / dx - room);
            pen->slope_high = fmin(pen->slope_high, dy / dx + room);
            break;
        }
        end_line(pen);
    }
    pen->to = to;
    pen->has_line = true;
}

static void pen_flush(struct pen *pen)
{
    if (pen->n == 0)
        return;
    const bool low_first = pen->low.order < pen->high.order;
    pen_point(pen, pen->first);
    if (pen->n > 2) {
        pen_point(pen, low_first ? pen->low : pen->high);
        pen_point(pen, low_first ? pen->high : pen->low);
    }
    if (pen->n > 1)
        pen_point(pen, pen->last);
    pen->n = 0;
}

static void pen_draw(struct pen *pen, double x, double y)
{
    const long column = lrint(x);
    if (pen->n > 0 && column != pen->column)
        pen_flush(pen);
    pen->last.x = x;
    pen->last.y = y;
    pen->last.order = pen->n;
    if (pen->n == 0) {
        pen->column = column;
        pen->first = pen->low = pen->high = pen->last;
    } else if (y < pen->low.y) {
        pen->low = pen->last;
    } else if (y > pen->high.y) {
        pen->high = pen->last;
    }
    pen->n++;
}

static void pen_lift(struct pen *pen)
{
    pen_flush(pen);
    end_line(pen);
    pen->is_down = false;
}

/* On a log axis a step to 0 leaves the drawing below. */
static double step_value(const struct frame *frame, double y)
{
    return frame->y_is_log && y == 0 ? frame->y_low / 10 : y;
}

static void add_curve(struct text_buffer *out, const struct figure *figure, const struct frame *frame,
                      const struct figure_series *series)
{
    const double *x = figure->columns[0].values, *y = figure->columns[series->column].values;
    struct pen pen = {.out = out};
    for (size_t i = 0; i < figure->n_rows; i++) {
        const double value = series->is_steps ? step_value(frame, y[i]) : y[i];
        if (!is_drawable(frame, x[i], value)) {
            pen_lift(&pen);
            continue;
        }
        if (series->is_steps && pen.n > 0)
            pen_draw(&pen, point_x(frame, x[i]), pen.last.y);
        pen_draw(&pen, point_x(frame, x[i]), point_y(frame, value));
    }
    pen_lift(&pen);
}

/* Between two columns: along the one and back along the other. */
static void add_band(struct text_buffer *out, const struct figure *figure, const struct frame *frame, size_t column)
{
    const double *x = figure->columns[0].values;
    struct pen pen = {.out = out};
    for (size_t i = 0; i < 2 * figure->n_rows; i++) {
        const bool is_back = i >= figure->n_rows;
        const size_t row = is_back ? 2 * figure->n_rows - 1 - i : i;
        const double y = figure->columns[column + is_back].values[row];
        if (is_drawable(frame, x[row], y))
            pen_draw(&pen, point_x(frame, x[row]), point_y(frame, y));
    }
    pen_lift(&pen);
    buffer_text(out, "Z");
}

/* A point is a line of no length with round ends. Of a series that is a sample fewer may do. */
static void add_points(struct text_buffer *out, const struct figure *figure, const struct frame *frame,
                       const struct figure_series *series)
{
    const double *x = figure->columns[0].values, *y = figure->columns[series->column].values;
    const size_t every = series->every > 1 ? series->every : 1;
    const double room = every > 1 && series->label[0] != '\0' ? 6 : 0;
    double last = -INFINITY;
    for (size_t i = 0; i < figure->n_rows; i += every) {
        if (is_drawable(frame, x[i], y[i]) && (room == 0 || point_x(frame, x[i]) >= last + room)) {
            last = point_x(frame, x[i]);
            buffer_format(out, "M%s %sh0", LENGTH(last), LENGTH(point_y(frame, y[i])));
        }
    }
}

static const char *style_class(const struct figure_series *series)
{
    switch (series->style) {
    case SERIES_DASHED: return series->is_thick ? "line dashed thick" : "line dashed";
    case SERIES_DOTTED: return series->is_thick ? "line dotted thick" : "line dotted";
    case SERIES_SPARSE: return series->is_thick ? "line sparse thick" : "line sparse";
    case SERIES_POINTS: return series->is_thick ? "points large" : "points";
    case SERIES_BAND: return "band";
    default: return series->is_thick ? "line thick" : "line";
    }
}

static void add_series(struct text_buffer *out, const struct figure *figure, const struct frame *frame,
                       const struct figure_series *series)
{
    const size_t colour = series->colour % (sizeof line_colours / sizeof line_colours[0]);
    buffer_format(out, "<path class=\"c%zu %s\" d=\"", colour, style_class(series));
    if (series->style == SERIES_BAND)
        add_band(out, figure, frame, series->column);
    else if (series->style == SERIES_POINTS)
        add_points(out, figure, frame, series);
    else
        add_curve(out, figure, frame, series);
    buffer_text(out, "\"/>\n");
    if (series->style == SERIES_LINE_POINTS) {
        buffer_format(out, "<path class=\"c%zu points\" d=\"", colour);
        add_points(out, figure, frame, series);
        buffer_text(out, "\"/>\n");
    }
}

/* Labels of vertical lines stand in rows, each in the first that has room. */
static double label_row(double ends[LABEL_ROWS], double begin, double length)
{
    for (size_t i = 0; i < LABEL_ROWS; i++) {
        if (ends[i] <= begin) {
            ends[i] = begin + length;
            return (double)i;
        }
    }
    return LABEL_ROWS - 1;
}

/* Where a label begins: where it should, or as near to that as it has room in the frame. */
static double label_begin(double begin, double length, double width)
{
    const double most = width - length - 2;
    return begin > most && most > 2 ? most : begin < 2 ? 2 : begin;
}

static void mark_vertical(struct text_buffer *out, const struct frame *frame, const struct figure_mark *mark,
                          double ends[LABEL_ROWS])
{
    const double width = frame->right - frame->left, height = frame->bottom - frame->top;
    const double x = point_x(frame, mark->x), length = letter_width * (double)count_letters(mark->label);
    const bool is_left = x + 6 + length > width;
    const double begin = label_begin(is_left ? x - 6 - length : x + 6, length, width);
    add_line(out, "at", x, 0, x, height);
    add_label(out, begin, height - 8 - line_height * label_row(ends, begin, length + 8), "start", "", mark->label);
}

static void mark_horizontal(struct text_buffer *out, const struct frame *frame, const struct figure_mark *mark)
{
    const double width = frame->right - frame->left, y = point_y(frame, mark->y);
    const double length = letter_width * (double)count_letters(mark->label), at = mark->x == 0 ? 6 : mark->x * width;
    const double begin = mark->x < 0.34 ? at : mark->x < 0.67 ? at - length / 2 : at - length;
    add_line(out, "at", 0, y, width, y);
    add_label(out, label_begin(begin, length, width), y < line_height + 4 ? y + line_height : y - 6, "start", "",
              mark->label);
}

static void mark_point(struct text_buffer *out, const struct frame *frame, const struct figure_mark *mark)
{
    const double width = frame->right - frame->left;
    const double x = point_x(frame, mark->x), y = point_y(frame, mark->y);
    const double length = letter_width * (double)count_letters(mark->label);
    const double begin = x + 10 + length > width ? x - 9 - length : x + 9;
    buffer_format(out, "<circle cx=\"%s\" cy=\"%s\" r=\"4\"/>\n", LENGTH(x), LENGTH(y));
    add_label(out, label_begin(begin, length, width), y < line_height + 9 ? y + line_height : y - 8, "start", "",
              mark->label);
}

static void add_mark(struct text_buffer *out, const struct frame *frame, const struct figure_mark *mark,
                     double ends[LABEL_ROWS])
{
    buffer_format(out, "<g class=\"mark c%zu\">\n", mark->colour % (sizeof line_colours / sizeof line_colours[0]));
    switch (mark->kind) {
    case MARK_VERTICAL: mark_vertical(out, frame, mark, ends); break;
    case MARK_HORIZONTAL: mark_horizontal(out, frame, mark); break;
    case MARK_POINT: mark_point(out, frame, mark); break;
    }
    buffer_text(out, "</g>\n");
}

static void add_lines(struct text_buffer *out, const struct figure *figure, const struct frame *frame)
{
    double ends[LABEL_ROWS] = {0};
    buffer_format(out, "<svg x=\"%s\" y=\"%s\" width=\"%s\" height=\"%s\">\n", LENGTH(frame->left), LENGTH(frame->top),
                  LENGTH(frame->right - frame->left), LENGTH(frame->bottom - frame->top));
    for (size_t i = 0; i < figure->n_series; i++)
        add_series(out, figure, frame, &figure->series[i]);
    for (size_t i = 0; i < figure->n_marks; i++)
        add_mark(out, frame, &figure->marks[i], ends);
    buffer_text(out, "</svg>\n");
}

/* -------------------------------------------------------------------------------------------------- matrix */

static unsigned blend(unsigned a, unsigned b, double part_of_b)
{
    unsigned colour = 0;
    for (int shift = 16; shift >= 0; shift -= 8) {
        const double from = (double)(a >> shift & 255), to = (double)(b >> shift & 255);
        colour |= (unsigned)lrint(from + (to - from) * part_of_b) << shift;
    }
    return colour;
}

static void make_palette(const struct figure *figure, unsigned palette[PNG_COLOURS])
{
    const unsigned *map = figure->map == MAP_DIVERGING ? map_diverging : map_sequential;
    const size_t n = sizeof map_diverging / sizeof map_diverging[0];
    for (size_t i = 0; i < PNG_COLOURS; i++) {
        const double at = (double)i / (PNG_COLOURS - 1) * (double)(n - 1);
        const size_t low = at >= (double)(n - 1) ? n - 2 : (size_t)at;
        palette[i] = blend(map[low], map[low + 1], at - (double)low);
    }
}

/* Row 0 of the pixels is on top. */
static uint8_t *make_pixels(const struct figure *figure)
{
    uint8_t *pixels = memory_take(figure->n_rows, figure->n_columns);
    for (size_t i = 0; i < figure->n_rows * figure->n_columns; i++) {
        const size_t from_top = i / figure->n_columns, column = i % figure->n_columns;
        const size_t row = figure->y.is_reversed ? from_top : figure->n_rows - 1 - from_top;
        const double value = figure->cells[row * figure->n_columns + column];
        const double at = (value - figure->cells_low) / (figure->cells_high - figure->cells_low);
        pixels[i] = !(at > 0) ? 0 : at >= 1 ? PNG_COLOURS - 1 : (uint8_t)lrint(at * (PNG_COLOURS - 1));
    }
    return pixels;
}

static void add_image(struct text_buffer *out, const uint8_t *pixels, size_t width, size_t height,
                      const unsigned palette[PNG_COLOURS], double left, double top, double right, double bottom)
{
    const bool is_coarse = 2 * (double)width < right - left && 2 * (double)height < bottom - top;
    buffer_format(out, "<image%s preserveAspectRatio=\"none\" x=\"%s\" y=\"%s\" width=\"%s\" height=\"%s\" href=\"",
                  is_coarse ? " class=\"cells\"" : "", LENGTH(left), LENGTH(top), LENGTH(right - left),
                  LENGTH(bottom - top));
    png_data_address(out, pixels, width, height, palette);
    buffer_text(out, "\"/>\n");
}

static void add_colour_bar(struct text_buffer *out, const struct figure *figure, const struct frame *frame,
                           const unsigned palette[PNG_COLOURS])
{
    struct tic tics[FIGURE_TICS];
    uint8_t column[PNG_COLOURS];
    const double left = frame->right + 16, height = frame->bottom - frame->top;
    for (size_t i = 0; i < PNG_COLOURS; i++)
        column[i] = (uint8_t)(PNG_COLOURS - 1 - i);
    add_image(out, column, 1, PNG_COLOURS, palette, left, frame->top, left + BAR_WIDTH, frame->bottom);
    const size_t n = figure_tics(figure->cells_low, figure->cells_high, false, 6, tics);
    for (size_t i = 0; i < n; i++) {
        const double y = frame->bottom - height * axis_part(tics[i].at, figure->cells_low, figure->cells_high, false);
        add_line(out, "tic", left + BAR_WIDTH, y, left + BAR_WIDTH + 4, y);
        add_label(out, left + BAR_WIDTH + 7, y + 4.5, "start", "", tics[i].text);
    }
    add_label(out, frame->width - 2, 15, "end", "label", figure->cells_label);
}

/* No more cells than the drawing has room for: a browser would draw some of them, in stripes. */
static void fit_cells(const struct figure *figure, const struct frame *frame, size_t *n_rows, size_t *n_columns)
{
    *n_rows = figure_cells_to_draw(figure->n_rows, frame->bottom - frame->top, figure->rows_alternate);
    *n_columns = figure_cells_to_draw(figure->n_columns, frame->right - frame->left, figure->columns_alternate);
}

static void add_matrix(struct text_buffer *out, const struct figure *figure, const struct frame *frame)
{
    unsigned palette[PNG_COLOURS];
    RELEASED_BY(figure_free) struct figure means = {0};
    size_t n_rows, n_columns;
    fit_cells(figure, frame, &n_rows, &n_columns);
    if (figure_means(&means, figure, n_rows, n_columns) != SINPOS_OK)
        fail_memory();
    OWNED uint8_t *pixels = make_pixels(&means);
    make_palette(figure, palette);
    add_image(out, pixels, means.n_columns, means.n_rows, palette, frame->left, frame->top, frame->right,
              frame->bottom);
    add_colour_bar(out, figure, frame, palette);
}

/* ----------------------------------------------------------------------------------------------- the whole */

static void add_drawing(struct text_buffer *out, const struct figure *figure, const struct size *size)
{
    struct frame frame;
    make_frame(&frame, figure, size);
    buffer_format(out, "<svg class=\"drawing %s%s\" viewBox=\"0 0 %.0f %.0f\" role=\"img\" aria-label=\"", size->class,
                  figure->kind == FIGURE_MATRIX && figure->is_square ? " square" : "", frame.width, frame.height);
    html_text(out, figure->title);
    buffer_text(out, "; ");
    html_text(out, figure->subtitle);
    buffer_text(out, "\">\n");
    if (figure->kind == FIGURE_MATRIX) {
        add_matrix(out, figure, &frame);
        add_axes(out, figure, &frame);
    } else {
        add_axes(out, figure, &frame);
        add_lines(out, figure, &frame);
    }
    buffer_text(out, "</svg>\n");
}

void svg_means_note(struct text_buffer *out, const struct figure *figure)
{
    static const char *const screens[] = {"a wide screen", "a phone"};
    bool is_begun = false;
    for (size_t i = 0; figure->kind == FIGURE_MATRIX && i < sizeof sizes / sizeof sizes[0]; i++) {
        struct frame frame;
        size_t n_rows, n_columns;
        make_frame(&frame, figure, &sizes[i]);
        fit_cells(figure, &frame, &n_rows, &n_columns);
        const double in_one = (double)(figure->n_rows * figure->n_columns) / (double)(n_rows * n_columns);
        if (in_one > 1) {
            html_words(out, "%s the mean of %s%.0f cells on %s", is_begun ? "," : " Each colour is",
                       in_one == floor(in_one) ? "" : "about ", in_one, screens[i]);
            is_begun = true;
        }
    }
    buffer_text(out, is_begun ? "." : "");
}

void svg_figure(struct text_buffer *out, const struct figure *figure)
{
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        add_drawing(out, figure, &sizes[i]);
}

static void add_swatch(struct text_buffer *out, const struct figure_series *series)
{
    const size_t colour = series->colour % (sizeof line_colours / sizeof line_colours[0]);
    buffer_format(out,
                  "<svg class=\"swatch\" viewBox=\"0 0 28 10\" aria-hidden=\"true\"><path class=\"c%zu %s\" d=\"%s\"/>",
                  colour, style_class(series),
                  series->style == SERIES_BAND     ? "M0 0H28V10H0Z"
                  : series->style == SERIES_POINTS ? "M6 5h0M14 5h0M22 5h0"
                                                   : "M0 5H28");
    buffer_text(out, "</svg>");
}

void svg_legend(struct text_buffer *out, const struct figure *figure)
{
    size_t n = 0;
    for (size_t i = 0; i < figure->n_series && figure->kind == FIGURE_LINES; i++) {
        if (figure->series[i].label[0] == '\0')
            continue;
        buffer_text(out, n++ == 0 ? "<ul class=\"legend\">\n" : "");
        buffer_text(out, "<li>");
        add_swatch(out, &figure->series[i]);
        buffer_text(out, " ");
        html_text(out, figure->series[i].label);
        buffer_text(out, "</li>\n");
    }
    buffer_text(out, n > 0 ? "</ul>\n" : "");
}
