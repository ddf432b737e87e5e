#include "text_figure.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "colour_maps.h"

enum { LINE_COLOURS = sizeof line_colours / sizeof line_colours[0], MAP_COLOURS = 33, NO_SERIES = FIGURE_SERIES };
enum { STRIP_LEAST = 3, STRIP_MOST = 8 };

/* The part of the text where the data are drawn. */
struct canvas {
    const struct figure *figure;
    const struct terminal *terminal;
    size_t columns, lines;
    size_t margin; /* left of it */
    double x_low, x_high, y_low, y_high;
    uint8_t *dots;    /* (lines, columns) bits of a Braille letter */
    uint16_t *owners; /* (lines, columns) a bit for each series that has dots there */
    bool has_letters;
};

/* ----------------------------------------------------------------------------------------------- letters */

static void add_blanks(struct text_buffer *out, size_t n)
{
    for (size_t i = 0; i < n; i++)
        buffer_text(out, " ");
}

/* At most so many letters of a text. */
static void add_cut(struct text_buffer *out, const char *text, size_t letters)
{
    size_t bytes = 0, n = 0;
    while (text[bytes] != '\0' && (n < letters || ((unsigned char)text[bytes] & 0xC0) == 0x80)) {
        n += ((unsigned char)text[bytes] & 0xC0) != 0x80;
        bytes++;
    }
    buffer_add(out, text, bytes);
}

/* A text in lines of at most so many letters, broken at blanks. */
static void add_wrapped(struct text_buffer *out, const char *text, size_t letters)
{
    while (*text != '\0') {
        size_t cut = 0, i = 0, n = 0;
        for (; text[i] != '\0' && n <= letters; i++) {
            n += ((unsigned char)text[i] & 0xC0) != 0x80;
            cut = text[i] == ' ' && n <= letters ? i : cut;
        }
        const size_t length = text[i] == '\0' && n <= letters ? i : cut == 0 ? i : cut;
        buffer_add(out, text, length);
        buffer_text(out, "\n");
        text += length + (text[length] == ' ');
    }
}

/* The code of the 6 x 6 x 6 cube that is nearest. */
static unsigned cube_code(unsigned colour)
{
    const unsigned red = (colour >> 16 & 255), green = (colour >> 8 & 255), blue = colour & 255;
    return 16 + 36 * ((red + 25) / 51) + 6 * ((green + 25) / 51) + (blue + 25) / 51;
}

/* ground is 38 for letters, 48 for what lies behind them. */
static void add_colour(struct text_buffer *out, const struct canvas *canvas, unsigned ground, unsigned colour)
{
    if (canvas->terminal->colours == TEXT_ALL_COLOURS)
        buffer_format(out, "\033[%u;2;%u;%u;%um", ground, colour >> 16 & 255, colour >> 8 & 255, colour & 255);
    else if (canvas->terminal->colours == TEXT_256_COLOURS)
        buffer_format(out, "\033[%u;5;%um", ground, cube_code(colour));
}

static void end_colour(struct text_buffer *out, const struct canvas *canvas)
{
    buffer_text(out, canvas->terminal->colours == TEXT_PLAIN ? "" : "\033[0m");
}

/* -------------------------------------------------------------------------------------------------- axes */

static double along(double value, double low, double high, bool is_log)
{
    if (is_log)
        return value > 0 ? (log(value) - log(low)) / (log(high) - log(low)) : NAN;
    return (value - low) / (high - low);
}

static double place_x(const struct canvas *canvas, double x)
{
    return along(x, canvas->x_low, canvas->x_high, canvas->figure->x.is_log);
}

/* From the top. */
static double place_y(const struct canvas *canvas, double y)
{
    const double up = along(y, canvas->y_low, canvas->y_high, canvas->figure->y.is_log);
    return canvas->figure->y.is_reversed ? up : 1 - up;
}

static size_t clip(double part, size_t n)
{
    return part <= 0 ? 0 : part >= 1 ? n - 1 : (size_t)(part * (double)n);
}

static void add_y_tics(struct canvas *canvas, struct tic *tics, size_t n, char (*texts)[TIC_TEXT])
{
    for (size_t i = 0; i < canvas->lines; i++)
        texts[i][0] = '\0';
    for (size_t i = 0; i < n; i++) {
        const double part = place_y(canvas, tics[i].at);
        if (tics[i].text[0] != '\0' && part >= 0 && part <= 1)
            memcpy(texts[clip(part, canvas->lines)], tics[i].text, TIC_TEXT);
    }
}

/* What stands left of a line, and the axis. */
static void add_line_head(struct text_buffer *out, const struct canvas *canvas, const char *text)
{
    add_blanks(out, canvas->margin - count_letters(text));
    buffer_text(out, text);
    buffer_text(out, text[0] == '\0' ? "│" : "┤");
}

static void add_x_axis(struct text_buffer *out, const struct canvas *canvas)
{
    struct tic tics[FIGURE_TICS];
    const size_t n = figure_axis_tics(&canvas->figure->x, canvas->x_low, canvas->x_high, canvas->columns / 12, tics);
    size_t at = 0;
    add_blanks(out, canvas->margin);
    buffer_text(out, "└");
    for (size_t column = 0; column < canvas->columns; column++) {
        bool has_tic = false;
        for (size_t i = 0; i < n; i++) {
            has_tic =
                has_tic || (tics[i].text[0] != '\0' && clip(place_x(canvas, tics[i].at), canvas->columns) == column);
        }
        buffer_text(out, has_tic ? "┬" : "─");
    }
    buffer_text(out, "\n");
    add_blanks(out, canvas->margin + 1);
    for (size_t i = 0; i < n; i++) {
        const size_t column = clip(place_x(canvas, tics[i].at), canvas->columns), length = count_letters(tics[i].text);
        const size_t first = column < length / 2 ? 0 : column - length / 2;
        if (length > 0 && (first > at || at == 0) && first + length <= canvas->columns + 1) {
            add_blanks(out, first - at);
            buffer_text(out, tics[i].text);
            at = first + length;
        }
    }
    buffer_text(out, "\n");
    const size_t length = count_letters(canvas->figure->x.label);
    add_blanks(out, canvas->margin + 1 + (length < canvas->columns ? (canvas->columns - length) / 2 : 0));
    add_cut(out, canvas->figure->x.label, canvas->columns);
    buffer_text(out, "\n");
}

/* ------------------------------------------------------------------------------------------------- curves */

static void set_dot(struct canvas *canvas, double across, double down, size_t series)
{
    static const uint8_t bits[4][2] = {{0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}};
    if (!(across >= 0 && across <= 1 && down >= 0 && down <= 1))
        return;
    const size_t x = clip(across, 2 * canvas->columns), y = clip(down, 4 * canvas->lines);
    const size_t cell = y / 4 * canvas->columns + x / 2;
    canvas->dots[cell] |= bits[y % 4][x % 2];
    canvas->owners[cell] |= (uint16_t)(series == NO_SERIES ? 0 : 1U << series);
}

static void draw_segment(struct canvas *canvas, const double from[2], const double to[2], size_t series, size_t gap)
{
    const double far =
        fmax(fabs(to[0] - from[0]) * 2 * (double)canvas->columns, fabs(to[1] - from[1]) * 4 * (double)canvas->lines);
    const size_t steps = !(far < 10000) ? 10000 : far < 1 ? 1 : (size_t)ceil(far);
    for (size_t i = 0; i <= steps; i++) {
        const double t = (double)i / (double)steps;
        if (gap == 0 || i % gap == 0)
            set_dot(canvas, from[0] + t * (to[0] - from[0]), from[1] + t * (to[1] - from[1]), series);
    }
}

/* On a log axis a step to 0 leaves the picture below. */
static double place_step(const struct canvas *canvas, double y)
{
    return canvas->figure->y.is_log && y == 0 ? 2 : place_y(canvas, y);
}

static void draw_step(struct canvas *canvas, const double from[2], const double to[2], size_t series)
{
    const double corner[2] = {to[0], from[1]};
    draw_segment(canvas, from, corner, series, 0);
    draw_segment(canvas, corner, to, series, 0);
}

static void draw_series(struct canvas *canvas, size_t number)
{
    const struct figure *figure = canvas->figure;
    const struct figure_series *series = &figure->series[number];
    const double *x = figure->columns[0].values, *y = figure->columns[series->column].values;
    const size_t every = series->every < 1 ? 1 : series->every;
    double last[2] = {NAN, NAN};
    for (size_t i = 0; i < figure->n_rows; i += every) {
        const double here[2] = {place_x(canvas, x[i]),
                                series->is_steps ? place_step(canvas, y[i]) : place_y(canvas, y[i])};
        if (isfinite(here[0]) && isfinite(here[1])) {
            if (series->style == SERIES_POINTS || !isfinite(last[1]))
                set_dot(canvas, here[0], here[1], number);
            else if (series->is_steps)
                draw_step(canvas, last, here, number);
            else
                draw_segment(canvas, last, here, number, 0);
        }
        memcpy(last, here, sizeof last);
    }
}

static void draw_marks(struct canvas *canvas)
{
    for (size_t i = 0; i < canvas->figure->n_marks; i++) {
        const struct figure_mark *mark = &canvas->figure->marks[i];
        const double x = place_x(canvas, mark->x), y = place_y(canvas, mark->y);
        const double from[2] = {mark->kind == MARK_VERTICAL ? x : 0, mark->kind == MARK_VERTICAL ? 0 : y};
        const double to[2] = {mark->kind == MARK_VERTICAL ? x : 1, mark->kind == MARK_VERTICAL ? 1 : y};
        if (mark->kind != MARK_POINT)
            draw_segment(canvas, from, to, NO_SERIES, 4);
    }
}

/* Where several series meet, cells side by side are of one after the other; NO_SERIES where there is only a mark. */
static size_t owner_of(const struct canvas *canvas, size_t cell)
{
    size_t n = 0, own[FIGURE_SERIES];
    for (size_t i = 0; i < FIGURE_SERIES; i++)
        if ((canvas->owners[cell] >> i & 1) != 0)
            own[n++] = i;
    return n == 0 ? NO_SERIES : own[(cell / canvas->columns + cell % canvas->columns) % n];
}

static void add_cell(struct text_buffer *out, const struct canvas *canvas, size_t cell)
{
    const uint8_t dots = canvas->dots[cell];
    const size_t owner = owner_of(canvas, cell);
    if (dots == 0) {
        buffer_text(out, " ");
    } else if (canvas->has_letters && owner != NO_SERIES) {
        const char letter = (char)('a' + owner);
        buffer_add(out, &letter, 1);
    } else {
        const char braille[3] = {(char)0xE2, (char)(0xA0 | dots >> 6), (char)(0x80 | (dots & 0x3F))};
        if (owner != NO_SERIES)
            add_colour(out, canvas, 38, line_colours[canvas->figure->series[owner].colour % LINE_COLOURS]);
        buffer_add(out, braille, sizeof braille);
        if (owner != NO_SERIES)
            end_colour(out, canvas);
    }
}

/* Bands are not lines, and what has no label repeats another series. */
static bool is_drawn(const struct figure_series *series)
{
    return series->style != SERIES_BAND && series->label[0] != '\0';
}

static void add_legend(struct text_buffer *out, const struct canvas *canvas)
{
    for (size_t i = 0; i < canvas->figure->n_series; i++) {
        const struct figure_series *series = &canvas->figure->series[i];
        if (!is_drawn(series))
            continue;
        add_blanks(out, canvas->margin + 1);
        add_colour(out, canvas, 38, line_colours[series->colour % LINE_COLOURS]);
        if (canvas->has_letters)
            buffer_format(out, "%c ", (char)('a' + i));
        else
            buffer_text(out, "⠶⠶ ");
        end_colour(out, canvas);
        add_cut(out, series->label, canvas->terminal->columns - canvas->margin - 4);
        buffer_text(out, "\n");
    }
    for (size_t i = 0; i < canvas->figure->n_marks; i++) {
        const struct figure_mark *mark = &canvas->figure->marks[i];
        if (mark->label[0] != '\0') {
            add_blanks(out, canvas->margin + 1);
            buffer_text(out, mark->kind == MARK_POINT ? "●  " : "⠂⠂ ");
            add_cut(out, mark->label, canvas->terminal->columns - canvas->margin - 4);
            buffer_text(out, "\n");
        }
    }
}

static size_t count_drawn(const struct figure *figure)
{
    size_t n = 0;
    for (size_t i = 0; i < figure->n_series; i++)
        n += is_drawn(&figure->series[i]);
    return n;
}

static void add_canvas(struct text_buffer *out, const struct canvas *canvas, char (*texts)[TIC_TEXT])
{
    for (size_t line = 0; line < canvas->lines; line++) {
        add_line_head(out, canvas, texts[line]);
        for (size_t column = 0; column < canvas->columns; column++)
            add_cell(out, canvas, line * canvas->columns + column);
        buffer_text(out, "\n");
    }
}

static void add_curves(struct text_buffer *out, struct canvas *canvas, char (*texts)[TIC_TEXT])
{
    const struct figure *figure = canvas->figure;
    canvas->has_letters = canvas->terminal->colours == TEXT_PLAIN && count_drawn(figure) > 1;
    draw_marks(canvas);
    for (size_t i = 0; i < figure->n_series; i++)
        if (is_drawn(&figure->series[i]))
            draw_series(canvas, i);
    add_canvas(out, canvas, texts);
    add_x_axis(out, canvas);
    add_legend(out, canvas);
}

/* One series above the other, each under its label: letters cannot separate waves that cross all the time. */
static void add_strips(struct text_buffer *out, struct canvas *canvas, char (*texts)[TIC_TEXT])
{
    const struct figure *figure = canvas->figure;
    for (size_t i = 0; i < figure->n_series; i++) {
        if (!is_drawn(&figure->series[i]))
            continue;
        memset(canvas->dots, 0, canvas->lines * canvas->columns);
        memset(canvas->owners, 0, canvas->lines * canvas->columns * sizeof *canvas->owners);
        draw_series(canvas, i);
        add_blanks(out, canvas->margin + 1);
        add_cut(out, figure->series[i].label, canvas->columns);
        buffer_text(out, "\n");
        add_canvas(out, canvas, texts);
    }
    add_x_axis(out, canvas);
}

/* ----------------------------------------------------------------------------------------------- matrices */

/* The cell under the middle of a field of the picture, as a place in the colour map, 0 .. 1. */
static double field_part(const struct figure *figure, size_t line, size_t n_lines, size_t column, size_t n_columns)
{
    const size_t row = (2 * line + 1) * figure->n_rows / (2 * n_lines);
    const size_t cell = (2 * column + 1) * figure->n_columns / (2 * n_columns);
    const double value = figure->cells[row * figure->n_columns + cell];
    const double part = (value - figure->cells_low) / (figure->cells_high - figure->cells_low);
    return part >= 0 ? part <= 1 ? part : 1 : 0;
}

static unsigned map_colour(const struct figure *figure, double part)
{
    const unsigned *map = figure->map == MAP_DIVERGING ? map_diverging : map_sequential;
    return map[(size_t)(part * (MAP_COLOURS - 1) + 0.5)];
}

static const char *const shades[] = {" ", "░", "▒", "▓", "█"};

static const char *shade(double part)
{
    return shades[part >= 1 ? 4 : (size_t)(part * 5)];
}

/* In colour a letter is two fields, one above the other. */
static void add_field(struct text_buffer *out, const struct canvas *canvas, const struct figure *figure, size_t line,
                      size_t column)
{
    if (canvas->terminal->colours == TEXT_PLAIN) {
        buffer_text(out, shade(field_part(figure, line, canvas->lines, column, canvas->columns)));
        return;
    }
    const double upper = field_part(figure, 2 * line, 2 * canvas->lines, column, canvas->columns);
    const double lower = field_part(figure, 2 * line + 1, 2 * canvas->lines, column, canvas->columns);
    add_colour(out, canvas, 38, map_colour(figure, upper));
    add_colour(out, canvas, 48, map_colour(figure, lower));
    buffer_text(out, "▀");
}

static void add_scale(struct text_buffer *out, const struct canvas *canvas)
{
    const struct figure *figure = canvas->figure;
    add_blanks(out, canvas->margin + 1);
    buffer_format(out, "%.4g ", figure->cells_low);
    for (size_t i = 0; i < 20; i++) {
        if (canvas->terminal->colours == TEXT_PLAIN) {
            buffer_text(out, shades[i / 4]);
        } else {
            add_colour(out, canvas, 38, map_colour(figure, (double)i / 19));
            buffer_text(out, "█");
        }
    }
    end_colour(out, canvas);
    buffer_format(out, " %.4g  ", figure->cells_high);
    buffer_text(out, figure->cells_label);
    buffer_text(out, "\n");
}

/* No more cells than there are fields for; columns may share one where they must, but in pairs. */
static sinpos_status fit_cells(struct figure *means, const struct canvas *canvas)
{
    const struct figure *figure = canvas->figure;
    const double lines = (double)canvas->lines * (canvas->terminal->colours == TEXT_PLAIN ? 1 : 2);
    return figure_means(
        means, figure,
        figure_cells_to_draw(figure->n_rows, figure->rows_alternate ? 1.5 * lines : lines, figure->rows_alternate),
        figure_cells_to_draw(figure->n_columns, 1.5 * (double)canvas->columns, figure->columns_alternate));
}

static void add_fields(struct text_buffer *out, struct canvas *canvas, char (*texts)[TIC_TEXT])
{
    RELEASED_BY(figure_free) struct figure means = {0};
    if (fit_cells(&means, canvas) != SINPOS_OK) {
        out->is_broken = true;
        return;
    }
    for (size_t line = 0; line < canvas->lines; line++) {
        add_line_head(out, canvas, texts[line]);
        for (size_t column = 0; column < canvas->columns; column++)
            add_field(out, canvas, &means, line, column);
        end_colour(out, canvas);
        buffer_text(out, "\n");
    }
    add_x_axis(out, canvas);
    add_scale(out, canvas);
}

/* ------------------------------------------------------------------------------------------------- the entry point */

/* Lines that are not canvas. */
static size_t other_lines(const struct figure *figure, size_t columns)
{
    size_t n = 5 + count_letters(figure->title) / columns + count_letters(figure->subtitle) / columns;
    if (figure->kind == FIGURE_MATRIX)
        return n + 2;
    for (size_t i = 0; i < figure->n_marks; i++)
        n += figure->marks[i].label[0] != '\0';
    return n + count_drawn(figure) + 1;
}

static bool is_in_strips(const struct figure *figure)
{
    return figure->kind == FIGURE_LINES && figure->has_strips && count_drawn(figure) > 1;
}

/* Of each strip; its label takes one line more. */
static size_t strip_lines(const struct canvas *canvas)
{
    const struct figure *figure = canvas->figure;
    const size_t columns = canvas->terminal->columns;
    const size_t other = 5 + count_letters(figure->title) / columns + count_letters(figure->subtitle) / columns;
    const size_t left = canvas->terminal->lines > other ? canvas->terminal->lines - other : 0;
    const size_t lines = left / count_drawn(figure);
    return lines <= STRIP_LEAST ? STRIP_LEAST : lines - 1 < STRIP_MOST ? lines - 1 : STRIP_MOST;
}

static void settle_canvas(struct canvas *canvas)
{
    const struct figure *figure = canvas->figure;
    const size_t other = other_lines(figure, canvas->terminal->columns);
    canvas->lines = is_in_strips(figure)                  ? strip_lines(canvas)
                    : canvas->terminal->lines > other + 8 ? canvas->terminal->lines - other
                                                          : 8;
    figure_range_x(figure, &canvas->x_low, &canvas->x_high);
    figure_range_y(figure, &canvas->y_low, &canvas->y_high);
}

static void settle_margin(struct canvas *canvas, char (*texts)[TIC_TEXT])
{
    struct tic tics[FIGURE_TICS];
    const size_t least = is_in_strips(canvas->figure) ? 3 : 2;
    const size_t n = figure_axis_tics(&canvas->figure->y, canvas->y_low, canvas->y_high,
                                      canvas->lines / 3 < least ? least : canvas->lines / 3, tics);
    add_y_tics(canvas, tics, n, texts);
    for (size_t line = 0; line < canvas->lines; line++) {
        const size_t length = count_letters(texts[line]);
        canvas->margin = length > canvas->margin ? length : canvas->margin;
    }
    canvas->columns = canvas->terminal->columns - canvas->margin - 2;
    if (canvas->figure->is_square && canvas->columns > 2 * canvas->lines)
        canvas->columns = 2 * canvas->lines;
}

static void add_body(struct text_buffer *out, struct canvas *canvas, char (*texts)[TIC_TEXT])
{
    if (is_in_strips(canvas->figure)) {
        add_strips(out, canvas, texts);
        return;
    }
    add_cut(out, canvas->figure->y.label, canvas->terminal->columns);
    buffer_text(out, "\n");
    if (canvas->figure->kind == FIGURE_LINES)
        add_curves(out, canvas, texts);
    else
        add_fields(out, canvas, texts);
}

void text_figure(struct text_buffer *out, const struct figure *figure, const struct terminal *terminal)
{
    struct canvas canvas = {.figure = figure, .terminal = terminal};
    settle_canvas(&canvas);
    OWNED char(*texts)[TIC_TEXT] = calloc(canvas.lines, sizeof *texts);
    canvas.dots = calloc(canvas.lines, terminal->columns);
    canvas.owners = calloc(canvas.lines, terminal->columns * sizeof *canvas.owners);
    if (texts == NULL || canvas.dots == NULL || canvas.owners == NULL) {
        out->is_broken = true;
    } else {
        settle_margin(&canvas, texts);
        add_wrapped(out, figure->title, terminal->columns);
        add_wrapped(out, figure->subtitle, terminal->columns);
        add_body(out, &canvas, texts);
    }
    free(canvas.dots);
    free(canvas.owners);
}
