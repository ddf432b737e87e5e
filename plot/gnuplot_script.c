/*
 * gnuplot_script.c - the look of the figures: one style for all, from 300 pixels on.
 *
 * Sizes grow with the picture, so that a large one is the small one enlarged; below 900 x 600 text shrinks more slowly
 * than the picture. Texts are plain Unicode ("noenhanced"), so that no character of a title means anything to gnuplot.
 */
#include "gnuplot_script.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "colour_maps.h"
#include "figure_csv.h"

#define INK "#333333"
#define PALE "#DDDDDD"

bool picture_format_of(const char *path, enum picture_format *format)
{
    static const char *const endings[] = {".png", ".svg", ".pdf"};
    const size_t length = strlen(path);
    for (size_t i = 0; i < 3; i++) {
        if (length >= 4 && strcmp(path + length - 4, endings[i]) == 0) {
            *format = (enum picture_format)i;
            return true;
        }
    }
    return false;
}

/* -------------------------------------------------------------------------------------------------- sizes */

static double scale_of(const struct picture *picture)
{
    const double width = (double)picture->width / 900, height = (double)picture->height / 600;
    return width < height ? width : height;
}

static double font_size(const struct picture *picture)
{
    const double scale = scale_of(picture);
    return scale < 1 ? fmax(6.5, 11.5 * pow(scale, 0.55)) : 11.5 * scale;
}

static double line_width(const struct picture *picture, double width)
{
    const double scale = scale_of(picture);
    return width * (scale < 1 ? pow(scale, 0.4) : scale);
}

/* How many letters of the picture's font fit side by side. */
static double letters_across(const struct picture *picture)
{
    return (double)picture->width / (font_size(picture) * 96 / 72 * 0.56);
}

/* ------------------------------------------------------------------------------------------------ strings */

void script_string(struct text_buffer *out, const char *text)
{
    buffer_text(out, "\"");
    for (const char *p = text; *p != '\0'; p++) {
        const unsigned char c = (unsigned char)*p;
        if (c < 32 || c == '"' || c == '\\' || c == '`' || c == 127)
            buffer_format(out, "\\%03o", c);
        else
            buffer_add(out, p, 1);
    }
    buffer_text(out, "\"");
}

void script_path(struct text_buffer *out, const char *path)
{
    char beside[4200];
    if (path[0] == '/' || strncmp(path, "./", 2) == 0) {
        script_string(out, path);
        return;
    }
    snprintf(beside, sizeof beside, "./%s", path);
    script_string(out, beside);
}

/* ----------------------------------------------------------------------------------------------- terminal */

/* gnuplot makes it the title of .svg; it takes letters, digits and _ alone. */
static void add_name(struct text_buffer *out, const struct figure *figure)
{
    buffer_text(out, " name '");
    for (const char *c = figure->name; *c != '\0'; c++)
        buffer_add(out, *c == '-' ? "_" : c, 1);
    buffer_text(out, "'");
}

void script_terminal(struct text_buffer *out, const struct figure *figure, const struct picture *picture)
{
    const double size = font_size(picture);
    switch (picture->format) {
    case PICTURE_PNG:
        buffer_format(out, "set terminal pngcairo noenhanced size %zu,%zu font 'sans-serif,%.1f' linewidth %.2f\n",
                      picture->width, picture->height, size, line_width(picture, 1));
        break;
    case PICTURE_SVG: /* one unit is a pixel, and fonts are in pixels too */
        buffer_format(out,
                      "set terminal svg noenhanced size %zu,%zu font 'sans-serif,%.1f' linewidth %.2f "
                      "background 'white'",
                      picture->width, picture->height, size * 96 / 72, line_width(picture, 1));
        add_name(out, figure);
        buffer_text(out, "\n");
        break;
    case PICTURE_PDF:
        buffer_format(out,
                      "set terminal pdfcairo noenhanced size %.4fin,%.4fin font 'sans-serif,%.1f' fontscale 0.75 "
                      "linewidth %.2f background 'white'\n",
                      (double)picture->width / 96, (double)picture->height / 96, size, line_width(picture, 1.5));
        break;
    }
}

/* --------------------------------------------------------------------------------------------------- axes */

static void add_tics(struct text_buffer *out, char axis, const struct figure_axis *own, double low, double high,
                     size_t most)
{
    struct tic tics[FIGURE_TICS];
    const size_t n = figure_axis_tics(own, low, high, most, tics);
    buffer_format(out, "set %ctics scale 0.6,0.3 textcolor '" INK "' (", axis);
    for (size_t i = 0; i < n; i++)
        buffer_format(out, "%s\"%s\" %.15g %d", i == 0 ? "" : ", ", tics[i].text, tics[i].at, tics[i].text[0] == '\0');
    buffer_text(out, ")\n");
}

static void add_axis(struct text_buffer *out, const struct figure *figure, char axis, size_t most)
{
    double low, high;
    const struct figure_axis *own = axis == 'x' ? &figure->x : &figure->y;
    if (axis == 'x')
        figure_range_x(figure, &low, &high);
    else
        figure_range_y(figure, &low, &high);
    buffer_format(out, "set %clabel ", axis);
    script_string(out, own->label);
    buffer_format(out, " textcolor '" INK "'\n%sset logscale %c\n", own->is_log ? "" : "un", axis);
    buffer_format(out, "set %crange [%.15g:%.15g]\n", axis, own->is_reversed ? high : low,
                  own->is_reversed ? low : high);
    add_tics(out, axis, own, low, high, most);
}

static void add_axes(struct text_buffer *out, const struct figure *figure, const struct picture *picture)
{
    const double letters = letters_across(picture);
    const double lines = (double)picture->height / (font_size(picture) * 96 / 72 * 1.4);
    add_axis(out, figure, 'x', (size_t)fmin(12, fmax(2, letters / 10)));
    add_axis(out, figure, 'y', (size_t)fmin(10, fmax(2, lines / 3)));
    buffer_text(out, "set border 3 linecolor '" INK "' linewidth 1\nset tics nomirror out\n");
    if (figure->kind == FIGURE_LINES)
        buffer_text(out, "set grid xtics ytics linetype 1 linecolor '" PALE "' linewidth 0.7\n");
}

/* -------------------------------------------------------------------------------------------------- title */

/* Cuts a text that is too long for the picture between words; the rest goes to the next line. */
static size_t fitting(const char *text, double letters)
{
    size_t cut = 0, used = 0;
    for (size_t i = 0; text[i] != '\0'; i++) {
        used += ((unsigned char)text[i] & 0xC0) != 0x80;
        if (text[i] == ' ' && used <= (size_t)letters)
            cut = i;
    }
    return used <= (size_t)letters || cut == 0 ? strlen(text) : cut;
}

/* Up to two lines of one text, from the line given on; returns the next free line. */
static size_t add_text_lines(struct text_buffer *out, const char *text, double letters, size_t line, const char *style,
                             size_t first_label)
{
    while (*text != '\0') {
        char part[FIGURE_TITLE];
        const size_t length = fitting(text, letters);
        snprintf(part, sizeof part, "%.*s", (int)length, text);
        buffer_format(out, "set label %zu ", first_label + line);
        script_string(out, part);
        buffer_format(out, " at character 1, screen 1 offset 0,%.2f left %s\n", -0.9 - 1.15 * (double)line, style);
        text += length + (text[length] == ' ');
        line++;
    }
    return line;
}

static void add_title(struct text_buffer *out, const struct figure *figure, const struct picture *picture)
{
    char style[120];
    const double letters = letters_across(picture);
    const bool is_svg = picture->format == PICTURE_SVG; /* its fonts are in pixels, and it knows no ":Bold" */
    const double size = font_size(picture) * (is_svg ? 96.0 / 72 : 1);
    snprintf(style, sizeof style, "font 'sans-serif%s,%.1f' textcolor 'black'", is_svg ? "" : ":Bold",
             (is_svg ? 1.2 : 1.08) * size);
    size_t line = add_text_lines(out, figure->title, letters / 1.22, 0, style, 100);
    snprintf(style, sizeof style, "font 'sans-serif,%.1f' textcolor '" INK "'", 0.92 * size);
    line = add_text_lines(out, figure->subtitle, letters * 1.02, line, style, 100);
    buffer_format(out, "set tmargin at screen 1 - %.5f\n",
                  (1.1 + 1.15 * (double)line) * font_size(picture) * 1.33 * 1.22 / (double)picture->height);
}

/* -------------------------------------------------------------------------------------------------- lines */

static void add_style(struct text_buffer *out, const struct figure_series *series)
{
    const size_t n_colours = sizeof line_colours / sizeof line_colours[0];
    const unsigned colour = line_colours[series->colour % n_colours];
    const double width = series->is_thick ? 2.6 : 1.7;
    static const char *const dashes[] = {"solid", "(8,5)", "(2,4)", "(2,10)"};
    switch (series->style) {
    case SERIES_POINTS:
        buffer_format(out, "with points pointtype 7 pointsize %.2f linecolor '#%06X'", series->is_thick ? 0.7 : 0.45,
                      colour);
        break;
    case SERIES_LINE_POINTS:
        buffer_format(out, "with linespoints pointtype 7 pointsize 0.4 linewidth %.1f linecolor '#%06X'", width,
                      colour);
        break;
    case SERIES_BAND:
        buffer_format(out, "with filledcurves fillstyle solid 0.16 noborder linecolor '#%06X'", colour);
        break;
    default:
        buffer_format(out, "with %s linewidth %.1f dashtype %s linecolor '#%06X'", series->is_steps ? "steps" : "lines",
                      width, dashes[series->style], colour);
    }
}

/* A step down to 0 leaves the picture of a log axis below. */
static void add_columns(struct text_buffer *out, const struct figure *figure, const struct figure_series *series)
{
    double low, high;
    if (series->is_steps && figure->y.is_log) {
        figure_range_y(figure, &low, &high);
        buffer_format(out, "data using 1:(column(%zu) > 0 ? column(%zu) : %.3g)", series->column + 1,
                      series->column + 1, low / 10);
        return;
    }
    buffer_format(out, "data using 1:%zu", series->column + 1);
    if (series->style == SERIES_BAND)
        buffer_format(out, ":%zu", series->column + 2);
}

static void add_series(struct text_buffer *out, const struct figure *figure, const struct figure_series *series)
{
    add_columns(out, figure, series);
    buffer_format(out, " skip %zu ", figure_csv_head_lines(figure));
    if (series->every > 1)
        buffer_format(out, "every %zu ", series->every);
    add_style(out, series);
    if (series->label[0] == '\0') {
        buffer_text(out, " notitle");
    } else {
        buffer_text(out, " title ");
        script_string(out, series->label);
    }
}

static void add_legend(struct text_buffer *out, const struct figure *figure)
{
    size_t labelled = 0;
    for (size_t i = 0; i < figure->n_series; i++)
        labelled += figure->series[i].label[0] != '\0';
    if (labelled == 0) {
        buffer_text(out, "unset key\n");
        return;
    }
    char place[60];
    snprintf(place, sizeof place, "inside %s %s", figure->legend_left ? "left" : "right",
             figure->legend_low ? "bottom" : "top");
    buffer_format(out, "set key %s Left reverse samplen 2.2 spacing 1.1 textcolor '" INK "' ",
                  figure->legend_below ? "below left horizontal height 0.7 width 2" : place);
    buffer_text(out, figure->legend_below ? "nobox\n"
                                          : "box linecolor '" PALE
                                            "' linewidth 0.5 opaque fillcolor 'white' maxrows 8\n");
}

/* How far to the right, 0 .. 1. */
static double mark_part(const struct figure *figure, double x)
{
    double low, high;
    figure_range_x(figure, &low, &high);
    return axis_part(x, low, high, figure->x.is_log);
}

static void add_mark(struct text_buffer *out, const struct figure *figure, const struct figure_mark *mark,
                     size_t number)
{
    const unsigned colour = line_colours[mark->colour % (sizeof line_colours / sizeof line_colours[0])];
    if (mark->kind == MARK_VERTICAL) {
        buffer_format(out, "set arrow %zu from first %.15g, graph 0 to first %.15g, graph 1 ", number, mark->x,
                      mark->x);
    } else if (mark->kind == MARK_HORIZONTAL) {
        buffer_format(out, "set arrow %zu from graph 0, first %.15g to graph 1, first %.15g ", number, mark->y,
                      mark->y);
    }
    if (mark->kind != MARK_POINT)
        buffer_format(out, "nohead linewidth 0.9 dashtype (4,4) linecolor '#%06X' back\n", colour);
    if (mark->label[0] == '\0' && mark->kind != MARK_POINT)
        return;
    buffer_format(out, "set label %zu ", number);
    script_string(out, mark->label);
    if (mark->kind == MARK_VERTICAL) {
        const bool is_left = mark_part(figure, mark->x) < 0.6;
        buffer_format(out, " at first %.15g, graph 0.05 offset %s,0 %s", mark->x, is_left ? "0.5" : "-0.5",
                      is_left ? "left" : "right");
    } else if (mark->kind == MARK_HORIZONTAL) {
        buffer_format(out, " at graph %.3f, first %.15g offset 0,0.5 %s", mark->x == 0 ? 0.01 : mark->x, mark->y,
                      mark->x < 0.34   ? "left"
                      : mark->x < 0.67 ? "center"
                                       : "right");
    } else {
        buffer_format(
            out, " at first %.15g, first %.15g offset 0.6,0.7 left point pointtype 7 pointsize 0.7 linecolor '#%06X'",
            mark->x, mark->y, colour);
    }
    buffer_format(out, " front textcolor '#%06X'\n", colour);
}

static void draw_lines(struct text_buffer *out, const struct figure *figure)
{
    add_legend(out, figure);
    for (size_t i = 0; i < figure->n_marks; i++)
        add_mark(out, figure, &figure->marks[i], i + 1);
    buffer_text(out, "plot ");
    for (size_t i = 0; i < figure->n_series; i++) {
        buffer_text(out, i == 0 ? "" : ", \\\n     ");
        add_series(out, figure, &figure->series[i]);
    }
    buffer_text(out, "\n");
}

/* ------------------------------------------------------------------------------------------------- matrix */

static void add_palette(struct text_buffer *out, const struct figure *figure, const struct picture *picture)
{
    const unsigned *map = figure->map == MAP_DIVERGING ? map_diverging : map_sequential;
    const size_t n = sizeof map_diverging / sizeof map_diverging[0];
    buffer_text(out, "set palette defined (");
    for (size_t i = 0; i < n; i++)
        buffer_format(out, "%s%s%zu '#%06X'", i == 0 ? "" : ", ", i > 0 && i % 8 == 0 ? "\\\n    " : "", i, map[i]);
    buffer_format(out, ")\nset cbrange [%.15g:%.15g]\nset cblabel ", figure->cells_low, figure->cells_high);
    script_string(out, figure->cells_label);
    buffer_format(out, " offset %s,0 textcolor '" INK "'\n", figure->is_square ? "2" : "0.5");
    const double lines = (double)picture->height / (font_size(picture) * 96 / 72 * 1.4);
    struct tic tics[FIGURE_TICS];
    const size_t n_tics =
        figure_tics(figure->cells_low, figure->cells_high, false, (size_t)fmin(8, fmax(2, lines / 3)), tics);
    buffer_text(out, "set cbtics scale 0.5 textcolor '" INK "' (");
    for (size_t i = 0; i < n_tics; i++)
        buffer_format(out, "%s\"%s\" %.15g", i == 0 ? "" : ", ", tics[i].text, tics[i].at);
    buffer_text(out, ")\n");
}

static void draw_matrix(struct text_buffer *out, const struct figure *figure, const struct picture *picture)
{
    add_palette(out, figure, picture);
    buffer_format(out, "unset key\n%s\n", figure->is_square ? "set size ratio 1" : "set size noratio");
    buffer_format(out, "plot data nonuniform matrix skip %zu with image notitle\n", figure_csv_head_lines(figure) - 1);
}

void script_drawing(struct text_buffer *out, const struct figure *figure, const struct picture *picture)
{
    buffer_text(out, "set encoding utf8\nset datafile separator comma\nset datafile missing NaN\n");
    add_axes(out, figure, picture);
    add_title(out, figure, picture);
    if (figure->kind == FIGURE_LINES)
        draw_lines(out, figure);
    else
        draw_matrix(out, figure, picture);
}

/* ---------------------------------------------------------------------------------------------- as a file */

void script_numbers(struct text_buffer *out, const struct figure *figure, const char *command)
{
    buffer_text(out, "$numbers << END_OF_NUMBERS\n");
    figure_csv(out, figure, command, true);
    buffer_text(out, "END_OF_NUMBERS\n");
}

void script_whole(struct text_buffer *out, const struct figure *figure, const struct picture *picture,
                  const char *command, const char *data, const char *output)
{
    static const char *const endings[] = {".png", ".svg", ".pdf"};
    char name[64];
    snprintf(name, sizeof name, "%s%s", figure->name, endings[picture->format]);
    buffer_format(out, "# %s: gnuplot source. Made by:\n#   ", figure->name);
    buffer_text(out, command);
    buffer_text(out, "\n# Draw it with: gnuplot FILE, or elsewhere with: gnuplot -e \"output='other");
    buffer_text(out, endings[picture->format]);
    buffer_text(out, "'\" FILE\n");
    if (data == NULL)
        script_numbers(out, figure, command);
    buffer_text(out, "if (!exists('data')) data = ");
    if (data == NULL)
        buffer_text(out, "'$numbers'");
    else
        script_path(out, data);
    buffer_text(out, "\nif (!exists('output')) output = ");
    script_path(out, output == NULL ? name : output);
    buffer_text(out, "\n\n");
    script_terminal(out, figure, picture);
    buffer_text(out, "set output output\n");
    script_drawing(out, figure, picture);
    buffer_text(out, "unset output\n");
}
