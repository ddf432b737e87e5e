#include "plot_json.h"

#include <math.h>

#include "json_out.h"

static void emit_axis(const char *name, const struct figure_axis *axis)
{
    EMIT_OBJECT(name);
    emit_text("label", axis->label);
    emit_bool("log", axis->is_log);
    emit_bool("whole", axis->is_whole);
    emit_bool("reversed", axis->is_reversed);
    emit_real("low", axis->low);
    emit_real("high", axis->high);
}

static const char *style_name(enum series_style style)
{
    switch (style) {
    case SERIES_LINE: return "line";
    case SERIES_DASHED: return "dashed";
    case SERIES_DOTTED: return "dotted";
    case SERIES_SPARSE: return "sparse";
    case SERIES_POINTS: return "points";
    case SERIES_LINE_POINTS: return "line-points";
    case SERIES_BAND: return "band";
    default: return NULL;
    }
}

static void emit_series(const struct figure_series *series)
{
    EMIT_OBJECT(NULL);
    emit_unsigned("column", series->column);
    emit_text("label", series->label);
    emit_text("style", style_name(series->style));
    emit_unsigned("colour", series->colour);
    emit_unsigned("every", series->every);
    emit_bool("thick", series->is_thick);
    emit_bool("steps", series->is_steps);
}

static void emit_mark(const struct figure_mark *mark)
{
    EMIT_OBJECT(NULL);
    emit_text("kind", mark->kind == MARK_VERTICAL     ? "vertical"
                      : mark->kind == MARK_HORIZONTAL ? "horizontal"
                                                      : "point");
    emit_real("x", mark->x);
    emit_real("y", mark->y);
    emit_text("label", mark->label);
    emit_unsigned("colour", mark->colour);
}

static void emit_lines(const struct figure *figure)
{
    emit_array("columns");
    for (size_t j = 0; j < figure->n_columns; j++) {
        EMIT_OBJECT(NULL);
        emit_text("name", figure->columns[j].name);
        emit_reals("values", figure->columns[j].values, figure->n_rows);
    }
    emit_close();
    emit_array("series");
    for (size_t i = 0; i < figure->n_series; i++)
        emit_series(&figure->series[i]);
    emit_close();
}

static void emit_matrix(const struct figure *figure)
{
    emit_reals("row_at", figure->row_at, figure->n_rows);
    emit_reals("column_at", figure->column_at, figure->n_columns);
    emit_text("cells_label", figure->cells_label);
    emit_real("cells_low", figure->cells_low);
    emit_real("cells_high", figure->cells_high);
    emit_text("map", figure->map == MAP_DIVERGING ? "diverging" : "sequential");
    emit_array("cells");
    for (size_t i = 0; i < figure->n_rows; i++)
        emit_reals(NULL, figure->cells + i * figure->n_columns, figure->n_columns);
    emit_close();
}

void plot_json(const struct figure *figure, const char *command)
{
    EMIT_OBJECT(NULL);
    emit_text("figure", figure->name);
    emit_text("kind", figure->kind == FIGURE_LINES ? "lines" : "matrix");
    emit_text("title", figure->title);
    emit_text("subtitle", figure->subtitle);
    emit_text("columns_note", figure->columns_note);
    emit_text("command", command);
    emit_axis("x", &figure->x);
    emit_axis("y", &figure->y);
    if (figure->kind == FIGURE_LINES)
        emit_lines(figure);
    else
        emit_matrix(figure);
    emit_array("marks");
    for (size_t i = 0; i < figure->n_marks; i++)
        emit_mark(&figure->marks[i]);
    emit_close();
}
