/*
 * figure.h - what a figure is: numbers in columns, and how they are to be drawn.
 *
 * A figure is made once (catalogue.h) and written by any of three: as gnuplot source (gnuplot_script.c), as text for a
 * terminal (text_figure.c), as comma-separated numbers (figure_csv.c).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "owned.h"
#include "sinpos.h"

enum { FIGURE_LABEL = 128, FIGURE_TITLE = 240, FIGURE_SERIES = 12, FIGURE_MARKS = 16 };

enum figure_kind {
    FIGURE_LINES, /* columns against the first column */
    FIGURE_MATRIX /* cells: rows against columns, as colours */
};

struct figure_axis {
    char label[FIGURE_LABEL];
    char name[FIGURE_LABEL]; /* of the column with its coordinates: "position" */
    bool is_log;
    bool is_whole;    /* tics at whole numbers only */
    bool is_reversed; /* small numbers at the top */
    double low, high; /* NAN: as the data have it */
};

/* The first four show what lies below them, each more of it than the one before. */
enum series_style {
    SERIES_LINE,
    SERIES_DASHED,
    SERIES_DOTTED,
    SERIES_SPARSE, /* dots far apart */
    SERIES_POINTS,
    SERIES_LINE_POINTS,
    SERIES_BAND
};

/* A column that is drawn. A band lies between its column and the next one. */
struct figure_series {
    size_t column;
    char label[FIGURE_LABEL]; /* "" stays out of the legend */
    enum series_style style;
    size_t colour; /* index among the colours of lines */
    size_t every;  /* points at every so manieth row; 0 and 1: all */
    bool is_thick;
    bool is_steps; /* a value holds from its row to the next; on a log axis 0 lies below the picture */
};

enum mark_kind { MARK_VERTICAL, MARK_HORIZONTAL, MARK_POINT };

struct figure_mark {
    enum mark_kind kind;
    double x, y; /* of a horizontal one x is where its label stands, 0 .. 1 */
    char label[FIGURE_LABEL];
    size_t colour;
};

enum colour_map { MAP_SEQUENTIAL, MAP_DIVERGING };

struct figure_column {
    char name[FIGURE_LABEL];
    double *values; /* (n_rows); NAN is an empty field */
};

struct figure {
    enum figure_kind kind;
    char name[32];
    char title[FIGURE_TITLE], subtitle[FIGURE_TITLE];
    char columns_note[400]; /* what the columns are and in which units, for the head of the data */
    struct figure_axis x, y;
    size_t n_rows, n_columns;
    /* FIGURE_LINES: the first column is x */
    struct figure_column *columns;
    struct figure_series series[FIGURE_SERIES];
    size_t n_series;
    struct figure_mark marks[FIGURE_MARKS];
    size_t n_marks;
    /* where there is room for the legend: top right in the picture, or */
    bool legend_left, legend_low, legend_below;
    bool has_strips; /* as text, each series has axes of its own */
    /* FIGURE_MATRIX */
    double *row_at, *column_at; /* coordinates: (n_rows) on the y axis, (n_columns) on the x axis, in equal steps */
    double *cells;              /* (n_rows, n_columns) */
    char cells_label[FIGURE_LABEL];
    enum colour_map map;
    double cells_low, cells_high;
    bool is_square;
    bool rows_alternate, columns_alternate; /* between sine and cosine */
    /* why it was not made, one clause; "" where the status says all */
    char why[200];
};

/* Empty figures with room for their numbers; the numbers begin as zeros. SINPOS_E_MEMORY leaves nothing to free. */
sinpos_status figure_lines(struct figure *figure, size_t n_rows, size_t n_columns);
sinpos_status figure_matrix(struct figure *figure, size_t n_rows, size_t n_columns);
void figure_free(struct figure *figure);

void figure_column_name(struct figure *figure, size_t column, const char *name, ...)
    __attribute__((format(printf, 3, 4)));
/* Adds a series for a column; it may be changed before the next is added. NULL: there is no more room. */
struct figure_series *figure_series_add(struct figure *figure, size_t column, const char *label, ...)
    __attribute__((format(printf, 3, 4)));
void figure_mark_add(struct figure *figure, enum mark_kind kind, double x, double y, const char *label, ...)
    __attribute__((format(printf, 5, 6)));
/* Labels of both axes. */
void figure_axes(struct figure *figure, const char *x, const char *y);
void figure_text(char *text, size_t room, const char *format, ...) __attribute__((format(printf, 3, 4)));
#define FIGURE_TEXT(text, ...) figure_text(text, sizeof(text), __VA_ARGS__)
/* Says why there is no such figure. Returns SINPOS_E_VALUE. */
sinpos_status figure_refuse(struct figure *figure, const char *why, ...) __attribute__((format(printf, 2, 3)));

/* A title of the user's: what no picture can show becomes a blank or '?'. */
void figure_set_title(struct figure *figure, const char *title);

/* Ends of an axis: its own, or those of the data (finite values; above 0 on a log axis), widened a little for y. */
void figure_range_x(const struct figure *figure, double *low, double *high);
void figure_range_y(const struct figure *figure, double *low, double *high);

/* Where a value lies between the ends of an axis, 0 .. 1. */
double axis_part(double value, double low, double high, bool is_log);

/* Lines that cover others for long become dashed or dotted, so that all are seen. */
void figure_untangle(struct figure *figure);

/*
 * How many cells to draw where n of them share so many pixels: all where they have room, else means of several. Where
 * cells alternate, as sine and cosine columns do, a mean is of an even number: others would make stripes that the table
 * does not have.
 */
size_t figure_cells_to_draw(size_t n, double pixels, bool is_alternating);
/* The same figure with so many rows and columns of cells, each the mean of those that lie there; at most as many. */
sinpos_status figure_means(struct figure *means, const struct figure *figure, size_t n_rows, size_t n_columns);

/* Of one cell of a matrix, on its axes. */
double figure_cell_width(const struct figure *figure);
double figure_cell_height(const struct figure *figure);

/* Tics at round numbers; a log axis has powers of ten, and minor ones between. */
enum { FIGURE_TICS = 64, TIC_TEXT = 24 };
struct tic {
    double at;
    char text[TIC_TEXT]; /* "" for a minor one */
};
size_t figure_tics(double low, double high, bool is_log, size_t most, struct tic tics[FIGURE_TICS]);
/* The same for an axis of a figure, with what it asks for. */
size_t figure_axis_tics(const struct figure_axis *axis, double low, double high, size_t most,
                        struct tic tics[FIGURE_TICS]);
