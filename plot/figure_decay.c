/* The decay of g: what schedules of frequencies make of it, in the continuum and in an encoding. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "catalogue.h"

enum { FINE = 4, FINE_MOST = 1000, THIN = 480, MANY_DOTS = 120, DOTS_EVERY = 4, WHOLE = 100, ROWS_MOST = 5000 };

/* Su 2021 compares these. */
static const char *const schedules[] = {"t", "t^2", "t^0.5", "10000^-t", "1000^-t", "100^-t"};
static const char *const schedule_labels[] = {"θ = t", "θ = t²", "θ = √t", "θ = 10000⁻ᵗ", "θ = 1000⁻ᵗ", "θ = 100⁻ᵗ"};

enum { N_SCHEDULES = sizeof schedules / sizeof schedules[0], FIRST = 2 };

/* The rows that are drawn: with points between on a linear axis, in equal ratios on a log one. 0: out of memory. */
static size_t choose_offsets(const struct figure_request *request, bool is_log, double *out)
{
    const double *at = request->offset_at;
    const size_t n = request->offsets->n;
    const bool is_range = request->offsets->integers == NULL && request->offsets->reals == NULL;
    size_t used = 0;
    if (is_log && n > THIN) {
        if (equal_ratios(at[0], at[n - 1], THIN, out) != SINPOS_OK)
            return 0;
        for (size_t i = 0; i < THIN; i++) {
            const double whole = is_range && out[i] >= WHOLE ? round(out[i]) : out[i];
            if (used == 0 || whole > out[used - 1])
                out[used++] = whole;
        }
        return used;
    }
    const size_t fine = is_range && !is_log && n <= FINE_MOST ? FINE : 1;
    for (size_t i = 0; i < (n - 1) * fine + 1 && used < ROWS_MOST; i++)
        out[used++] = at[i / fine] + (double)(i % fine) / (double)fine;
    return used;
}

static sinpos_status add_continuum(struct figure *figure, size_t column, const char *text,
                                   const struct figure_request *request)
{
    sinpos_theta *theta = NULL;
    OWNED double *radius = calloc(figure->n_rows + 1, sizeof *radius);
    sinpos_status status = radius == NULL ? SINPOS_E_MEMORY : sinpos_theta_parse(&theta, text, NULL, NULL);
    if (status == SINPOS_OK) {
        status =
            sinpos_continuum_values(theta, figure->columns[0].values, figure->n_rows, figure->columns[column].values,
                                    radius, request->threads, request->progress, request->progress_context);
    }
    if (status == SINPOS_E_UNSUPPORTED)
        FIGURE_TEXT(figure->why, "its integrals need FLINT, which this sinpos was built without");
    sinpos_theta_destroy(theta);
    return status;
}

static sinpos_status add_own(struct figure *figure, const struct figure_request *request)
{
    const sinpos_rows rows = {.struct_size = sizeof rows, .n = figure->n_rows, .reals = figure->columns[0].values};
    double at_zero;
    return kernel_shares(request, &rows, figure->columns[1].values, &at_zero);
}

static void label_decay(struct figure *figure, const struct figure_request *request, bool is_log)
{
    figure_column_name(figure, 0, "offset");
    figure_column_name(figure, 1, "encoding");
    for (size_t i = 0; i < N_SCHEDULES; i++) {
        figure_column_name(figure, FIRST + i, "%s", schedules[i]);
        struct figure_series *series = figure_series_add(figure, FIRST + i, "%s", schedule_labels[i]);
        series->colour = i;
        series->is_thick = i == 3;
        series->style = i < 3 ? SERIES_DASHED : SERIES_LINE;
    }
    struct figure_series *own = figure_series_add(figure, 1, "the encoding"); /* last: on top of what it follows */
    own->colour = 6;
    own->style = is_log ? SERIES_POINTS : SERIES_LINE;
    own->every = is_log && figure->n_rows > MANY_DOTS ? DOTS_EVERY : 1;
    figure_mark_add(figure, MARK_HORIZONTAL, 0, 0, "%s", "");
    figure->marks[0].colour = 7;
    figure->x.is_log = is_log;
    figure->legend_below = true;
    FIGURE_TEXT(figure->title, "Decay of g with the offset: ∫ cos(x θ(t)) dt over t from 0 to 1");
    FIGURE_TEXT(figure->subtitle, "the encoding: %s", WORDS_OF(request));
    FIGURE_TEXT(figure->columns_note, "offset (steps); g(k)/g(0) of the encoding; the integral of cos(x theta(t)) over "
                                      "t from 0 to 1, for each theta(t) (pure numbers)");
    figure_axes(figure, "offset", "g / g(0)");
}

static sinpos_status make_decay(struct figure *figure, const struct figure_request *request, bool is_log)
{
    OWNED double *offsets = calloc(ROWS_MOST, sizeof *offsets);
    if (offsets == NULL)
        return SINPOS_E_MEMORY;
    if (is_log && !(request->offset_at[0] > 0))
        return figure_refuse(figure, "on a log axis the offsets must begin above 0");
    if (!is_log && request->offsets->n > ROWS_MOST)
        return figure_refuse(figure, "more than 5000 offsets; take fewer");
    const size_t n = choose_offsets(request, is_log, offsets);
    sinpos_status status = n == 0 ? SINPOS_E_MEMORY : figure_lines(figure, n, FIRST + N_SCHEDULES);
    if (status == SINPOS_OK) {
        memcpy(figure->columns[0].values, offsets, n * sizeof *offsets);
        status = add_own(figure, request);
    }
    for (size_t i = 0; status == SINPOS_OK && i < N_SCHEDULES; i++)
        status = add_continuum(figure, FIRST + i, schedules[i], request);
    if (status == SINPOS_OK)
        label_decay(figure, request, is_log);
    return status;
}

sinpos_status figure_decay(struct figure *figure, const struct figure_request *request)
{
    return make_decay(figure, request, false);
}

sinpos_status figure_decay_log(struct figure *figure, const struct figure_request *request)
{
    return make_decay(figure, request, true);
}
