/* Figures that show the rows of the table as they are. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "catalogue.h"
#include "plan_tones.h"

enum { CELLS_MOST = 1 << 22, WAVES_MOST = 8, WAVES_FINE = 8, WAVES_FINE_MOST = 500, POINTS_MOST = 1 << 20 };

static const char too_many_cells[] =
    "more than 4 million cells are too many for a figure; take fewer positions or columns";

/* ---------------------------------------------------------------------------------------------------- waves */

/* A column that is drawn: its tone, with no other column. */
struct wave {
    size_t column;
    bool is_cosine;
    double theta;
};

/* All columns of a narrow table; of a wide one the sines of tones spread over all. */
static size_t choose_waves(const struct plan_tones *list, size_t dim, struct wave waves[WAVES_MOST],
                           sinpos_tone own[WAVES_MOST])
{
    size_t n = 0;
    const bool takes_all = dim <= WAVES_MOST;
    const size_t wanted = takes_all || list->n < 6 ? list->n : 6;
    for (size_t i = 0; i < wanted; i++) {
        const size_t at = wanted == 1 ? 0 : i * (list->n - 1) / (wanted - 1);
        for (int is_cosine = 0; is_cosine < 2; is_cosine++) {
            const ptrdiff_t column = is_cosine ? list->tones[at].cos_column : list->tones[at].sin_column;
            if (column == SINPOS_NO_COLUMN || n == WAVES_MOST || (!takes_all && is_cosine))
                continue;
            waves[n] = (struct wave){(size_t)column, is_cosine == 1, list->theta[at]};
            own[n] = list->tones[at];
            own[n].sin_column = is_cosine ? SINPOS_NO_COLUMN : (ptrdiff_t)n;
            own[n].cos_column = is_cosine ? (ptrdiff_t)n : SINPOS_NO_COLUMN;
            n++;
        }
    }
    return n;
}

/* Values of the chosen columns, at the positions and at points between them. */
static sinpos_status fill_waves(struct figure *figure, const struct figure_request *request, const sinpos_tone *own,
                                size_t n, size_t fine)
{
    OWNED_PLAN sinpos_plan *plan = NULL;
    double *x = figure->columns[0].values;
    for (size_t i = 0; i < figure->n_rows; i++)
        x[i] = request->positions[i / fine] + (double)(i % fine) / (double)fine * request->step;
    OWNED double *rows = calloc(figure->n_rows * n + 1, sizeof *rows);
    sinpos_status status =
        rows == NULL ? SINPOS_E_MEMORY : sinpos_plan_create_tones(&plan, n, 1, own, n, SINPOS_F64, NULL);
    if (status == SINPOS_OK) {
        const sinpos_rows between = {.struct_size = sizeof between, .n = figure->n_rows, .reals = x};
        status =
            sinpos_run(plan, SINPOS_FILL, fine == 1 ? request->rows : &between, SINPOS_F64, rows, n, request->threads);
    }
    for (size_t i = 0; status == SINPOS_OK && i < figure->n_rows * n; i++)
        figure->columns[1 + i % n].values[i / n] = rows[i];
    return status;
}

static void label_waves(struct figure *figure, const struct figure_request *request, const struct wave *waves, size_t n,
                        size_t fine)
{
    figure_column_name(figure, 0, "position");
    for (size_t i = 0; i < n; i++) {
        const double period = waves[i].theta > 0 ? 2 * 3.14159265358979323846 / waves[i].theta : INFINITY;
        figure_column_name(figure, 1 + i, "column %zu", waves[i].column);
        struct figure_series *series = figure_series_add(figure, 1 + i, "column %zu: %s, period %.4g", waves[i].column,
                                                         waves[i].is_cosine ? "cosine" : "sine", period);
        series->style = fine == 1 && figure->n_rows <= 200 ? SERIES_LINE_POINTS : SERIES_LINE;
    }
    for (size_t i = 0; i < n && fine > 1 && figure->n_rows <= 200 * fine; i++) {
        struct figure_series *series = figure_series_add(figure, 1 + i, "%s", "");
        if (series != NULL) {
            series->style = SERIES_POINTS;
            series->every = fine;
            series->colour = i;
        }
    }
    FIGURE_TEXT(figure->title, "Columns of the encoding against the position");
    FIGURE_TEXT(figure->subtitle, "%s%s", WORDS_OF(request), fine > 1 ? "; dots at the positions of the table" : "");
    FIGURE_TEXT(figure->columns_note, "position (steps); columns of the encoding (pure numbers)%s",
                fine > 1 ? "; every eighth row is a row of the table, the others lie between" : "");
    figure_axes(figure, "position", "value");
    figure->legend_below = figure->has_strips = true;
}

sinpos_status figure_waves(struct figure *figure, const struct figure_request *request)
{
    struct wave waves[WAVES_MOST];
    sinpos_tone own[WAVES_MOST];
    RELEASED_BY(plan_tones_free) struct plan_tones list = {0};
    const size_t n_rows = request->rows->n;
    if (n_rows > POINTS_MOST)
        return figure_refuse(figure, "more than a million positions are too many for a figure; take fewer");
    const size_t fine = n_rows <= WAVES_FINE_MOST && fabs(request->positions[n_rows - 1]) < 0x1p40 ? WAVES_FINE : 1;
    sinpos_status status = plan_tones_take(&list, request->plan);
    if (status == SINPOS_OK) {
        const size_t n = choose_waves(&list, request->spec->dim, waves, own);
        status = figure_lines(figure, (n_rows - 1) * fine + 1, n + 1);
        status = status == SINPOS_OK ? fill_waves(figure, request, own, n, fine) : status;
        if (status == SINPOS_OK)
            label_waves(figure, request, waves, n, fine);
    }
    return status;
}

/* -------------------------------------------------------------------------------------------------- heatmap */

sinpos_status figure_heatmap(struct figure *figure, const struct figure_request *request)
{
    const size_t n = request->rows->n, dim = request->spec->dim;
    if (n > CELLS_MOST / dim)
        return figure_refuse(figure, "%s", too_many_cells);
    sinpos_status status = figure_matrix(figure, n, dim);
    if (status == SINPOS_OK) {
        status =
            sinpos_run(request->plan, SINPOS_FILL, request->rows, SINPOS_F64, figure->cells, dim, request->threads);
    }
    if (status != SINPOS_OK)
        return status;
    memcpy(figure->row_at, request->positions, n * sizeof *figure->row_at);
    for (size_t j = 0; j < dim; j++)
        figure->column_at[j] = (double)j;
    const double amplitude = fabs(request->spec->amplitude) > 0 ? fabs(request->spec->amplitude) : 1;
    figure->map = MAP_DIVERGING;
    figure->columns_alternate = true;
    figure->x.is_whole = true;
    figure->cells_low = -amplitude;
    figure->cells_high = amplitude;
    figure->y.is_reversed = request->step > 0;
    FIGURE_TEXT(figure->title, "The encoding: positions by columns");
    FIGURE_TEXT(figure->subtitle, "%s, %zu positions", WORDS_OF(request), n);
    FIGURE_TEXT(figure->columns_note,
                "position (steps), then one column for each column of the encoding (pure numbers)");
    figure_axes(figure, "column", "position");
    FIGURE_TEXT(figure->x.name, "column");
    FIGURE_TEXT(figure->y.name, "position");
    FIGURE_TEXT(figure->cells_label, "value");
    return SINPOS_OK;
}
