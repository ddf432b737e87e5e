/* Figures of the tones: wavelengths, shares of the distance, spectra and products of columns. */
#include <math.h>
#include <stdlib.h>

#include "catalogue.h"
#include "plan_tones.h"

enum { CURVES_MOST = 8, SPECTRUM_POINTS = 1200, SPECTRUM_TONES = 6, SPECTRUM_MOST = 1 << 14, GRAM_MOST = 1024 };

static const double two_pi = 6.283185307179586;

/* ---------------------------------------------------------------------------------------------- the tones */

/* Sines of all tones, then cosines, of all rows, in float64; amplitude 1, no phase. The caller frees them. */
static sinpos_status tones_rows(double **out, const sinpos_tone *tones, size_t n, double scale, const sinpos_rows *rows,
                                size_t threads)
{
    OWNED_PLAN sinpos_plan *plan = NULL;
    OWNED sinpos_tone *own = calloc(n + 1, sizeof *own);
    *out = rows->n > SIZE_MAX / sizeof(double) / 2 / (n + 1) ? NULL : calloc(rows->n * 2 * n + 1, sizeof **out);
    sinpos_status status = own == NULL || *out == NULL ? SINPOS_E_MEMORY : SINPOS_OK;
    for (size_t i = 0; status == SINPOS_OK && i < n; i++) {
        own[i] = tones[i];
        own[i].scale *= scale;
        own[i].phase = own[i].phase_turns = 0;
        own[i].amplitude = 1;
        own[i].sin_column = (ptrdiff_t)i;
        own[i].cos_column = (ptrdiff_t)(n + i);
    }
    status = status == SINPOS_OK ? sinpos_plan_create_tones(&plan, 2 * n, 1, own, n, SINPOS_F64, NULL) : status;
    status = status == SINPOS_OK ? sinpos_run(plan, SINPOS_FILL, rows, SINPOS_F64, *out, 2 * n, threads) : status;
    if (status != SINPOS_OK) {
        free(*out);
        *out = NULL;
    }
    return status;
}

/* ------------------------------------------------------------------------------------------ wavelengths */

static void label_wavelengths(struct figure *figure, const struct figure_request *request, size_t within)
{
    figure_column_name(figure, 0, "tone");
    figure_column_name(figure, 1, "theta");
    figure_column_name(figure, 2, "wavelength within");
    figure_column_name(figure, 3, "wavelength beyond");
    struct figure_series *near = figure_series_add(figure, 2, "turns within the context: %zu tones", within);
    near->style = SERIES_POINTS;
    near->is_thick = figure->n_rows <= 200;
    near->colour = 0;
    struct figure_series *far = figure_series_add(figure, 3, "longer than the context: %zu", figure->n_rows - within);
    far->style = SERIES_POINTS;
    far->is_thick = near->is_thick;
    far->colour = 1;
    figure->legend_left = true;
    figure->x.is_whole = true;
    figure->y.is_log = true;
    figure_mark_add(figure, MARK_HORIZONTAL, 0, (double)request->context, "context %zu", request->context);
    figure->marks[0].colour = 6;
    FIGURE_TEXT(figure->title, "Wavelength of each tone against the context");
    FIGURE_TEXT(figure->subtitle, "%s", WORDS_OF(request));
    FIGURE_TEXT(figure->columns_note,
                "tone; theta (radians per position); wavelength 2 pi / theta (positions), in one column where it is at "
                "most the context of %zu, else in the other",
                request->context);
    figure_axes(figure, "tone i", "wavelength in positions");
}

sinpos_status figure_wavelengths(struct figure *figure, const struct figure_request *request)
{
    RELEASED_BY(plan_tones_free) struct plan_tones list = {NULL, NULL, 0};
    size_t within = 0;
    sinpos_status status = plan_tones_take(&list, request->plan);
    status = status == SINPOS_OK ? figure_lines(figure, list.n, 4) : status;
    for (size_t i = 0; status == SINPOS_OK && i < list.n; i++) {
        const double wavelength = list.theta[i] != 0 ? two_pi / fabs(list.theta[i]) : NAN;
        const bool is_within = wavelength <= (double)request->context;
        figure->columns[0].values[i] = (double)i;
        figure->columns[1].values[i] = list.theta[i];
        figure->columns[2].values[i] = is_within ? wavelength : NAN;
        figure->columns[3].values[i] = is_within ? NAN : wavelength;
        within += is_within;
    }
    if (status == SINPOS_OK)
        label_wavelengths(figure, request, within);
    return status;
}

/* ----------------------------------------------------------------------------------------------- near, far */

static void label_near_far(struct figure *figure, const struct figure_request *request, size_t n_tones)
{
    figure_column_name(figure, 0, "tones");
    for (size_t j = 1; j < figure->n_columns; j++) {
        figure_column_name(figure, j, "offset %.10g", request->offset_at[j - 1]);
        struct figure_series *series = figure_series_add(figure, j, "offset %.10g", request->offset_at[j - 1]);
        series->is_thick = true;
    }
    figure->legend_low = true;
    figure->x.is_whole = true;
    figure->y.low = 0;
    figure->y.high = 1.02;
    figure_mark_add(figure, MARK_VERTICAL, (double)n_tones / 2, 0, "%s", "");
    figure->marks[0].colour = 7;
    FIGURE_TEXT(figure->title, "Which tones separate two positions: the share of their squared distance");
    FIGURE_TEXT(figure->subtitle, "%s; vertical line: half of the tones", WORDS_OF(request));
    FIGURE_TEXT(figure->columns_note, "number of tones, counted from tone 0; the share of |p_m - p_(m-k)|^2 that lies "
                                      "in them (of 1), for each offset k");
    figure_axes(figure, "n, number of tones", "share of the first n tones");
}

/* Cumulative shares of sin^2(k theta / 2) A^2. */
static void add_shares(struct figure *figure, const struct plan_tones *list, const double *sines, size_t column)
{
    double *values = figure->columns[column].values, sum = 0;
    for (size_t i = 0; i < list->n; i++) {
        values[i] = sum;
        sum += list->tones[i].amplitude * list->tones[i].amplitude * sines[i] * sines[i];
    }
    values[list->n] = sum;
    for (size_t i = 0; i <= list->n; i++) {
        values[i] = sum > 0 ? values[i] / sum : NAN;
        figure->columns[0].values[i] = (double)i;
    }
}

sinpos_status figure_near_far(struct figure *figure, const struct figure_request *request)
{
    RELEASED_BY(plan_tones_free) struct plan_tones list = {NULL, NULL, 0};
    OWNED double *rows = NULL;
    if (request->offsets->n > CURVES_MOST)
        return figure_refuse(figure, "more than %d offsets make one figure unreadable", CURVES_MOST);
    sinpos_status status = plan_tones_take(&list, request->plan);
    status = status == SINPOS_OK ? figure_lines(figure, list.n + 1, request->offsets->n + 1) : status;
    status =
        status == SINPOS_OK ? tones_rows(&rows, list.tones, list.n, 0.5, request->offsets, request->threads) : status;
    if (status == SINPOS_OK) {
        for (size_t j = 0; j < request->offsets->n; j++)
            add_shares(figure, &list, rows + j * 2 * list.n, j + 1);
        label_near_far(figure, request, list.n);
    }
    return status;
}

/* ------------------------------------------------------------------------------------------------ spectrum */

/* Frequencies in equal ratios from 1/32 of a turn in n positions to pi, and those of the tones among them, ascending. */
static sinpos_status spectrum_grid(double *omega, size_t n_positions, const double *theta, size_t n_tones)
{
    const sinpos_status status = equal_ratios(two_pi / 32 / (double)n_positions, two_pi / 2, SPECTRUM_POINTS, omega);
    for (size_t i = 0; i < n_tones; i++) /* a frequency beyond the ends only repeats an end */
        omega[SPECTRUM_POINTS + i] = fmin(fmax(theta[i], omega[0]), omega[SPECTRUM_POINTS - 1]);
    qsort(omega, SPECTRUM_POINTS + n_tones, sizeof *omega, compare_doubles);
    return status;
}

/* Hann's window of n positions, from the same exact sines as all else. */
static sinpos_status window(double *weight, size_t n)
{
    double *rows;
    const sinpos_rows all = {.struct_size = sizeof all, .n = n};
    sinpos_tone turn = SINPOS_TONE_INIT;
    turn.in_turns = 1;
    turn.value = 1;
    turn.factor = (double)n;
    const sinpos_status status = tones_rows(&rows, &turn, 1, 1, &all, 1);
    for (size_t k = 0; status == SINPOS_OK && k < n; k++)
        weight[k] = 1 - rows[2 * k + 1];
    free(status == SINPOS_OK ? rows : NULL);
    return status;
}

/* Amplitudes |sum w (cos + i sin) e^(-i k omega)| / n of the tones at every omega: 1 where omega is theta. */
static sinpos_status transform(struct figure *figure, const double *columns, size_t n_tones, size_t n, size_t threads)
{
    const size_t n_omega = figure->n_rows;
    const sinpos_rows all = {.struct_size = sizeof all, .n = n};
    OWNED double *weight = calloc(n, sizeof *weight), *waves = NULL;
    OWNED sinpos_tone *tones = calloc(n_omega, sizeof *tones);
    sinpos_status status = weight == NULL || tones == NULL ? SINPOS_E_MEMORY : window(weight, n);
    for (size_t j = 0; status == SINPOS_OK && j < n_omega; j++) {
        tones[j] = (sinpos_tone)SINPOS_TONE_INIT;
        tones[j].value = figure->columns[0].values[j];
    }
    status = status == SINPOS_OK ? tones_rows(&waves, tones, n_omega, 1, &all, threads) : status;
    for (size_t i = 0; status == SINPOS_OK && i < n_tones; i++) {
        for (size_t j = 0; j < n_omega; j++) {
            double real = 0, imaginary = 0;
            for (size_t k = 0; k < n; k++) {
                const double *tone = columns + k * 2 * n_tones + i, *wave = waves + k * 2 * n_omega + j;
                real += weight[k] * (tone[n_tones] * wave[n_omega] + tone[0] * wave[0]);
                imaginary += weight[k] * (tone[0] * wave[n_omega] - tone[n_tones] * wave[0]);
            }
            figure->columns[1 + i].values[j] = sqrt(real * real + imaginary * imaginary) / (double)n;
        }
    }
    return status;
}

static void label_spectrum(struct figure *figure, const struct figure_request *request, const size_t *which,
                           const double *theta, size_t n)
{
    figure_column_name(figure, 0, "omega");
    for (size_t i = 0; i < n; i++) {
        const double turns = theta[i] * (double)request->rows->n / two_pi;
        figure_column_name(figure, 1 + i, "tone %zu", which[i]);
        figure_series_add(figure, 1 + i, "tone %zu, %.3g turn%s", which[i], turns, turns == 1 ? "" : "s")->is_thick =
            true;
        if (theta[i] >= figure->columns[0].values[0] && theta[i] <= figure->columns[0].values[figure->n_rows - 1]) {
            figure_mark_add(figure, MARK_VERTICAL, theta[i], 0, "%s", "");
            figure->marks[figure->n_marks - 1].colour = i;
        }
    }
    figure->x.is_log = true;
    figure->y.low = 0;
    figure->legend_below = true;
    FIGURE_TEXT(figure->title, "Spectra of tones: each has amplitude 1 at its frequency");
    FIGURE_TEXT(figure->subtitle, "%s, %zu positions, Hann window; vertical lines: theta", WORDS_OF(request),
                request->rows->n);
    FIGURE_TEXT(figure->columns_note,
                "omega (radians per position); amplitude at omega of each tone, cosine + i sine (of 1), Hann window "
                "over %zu positions",
                request->rows->n);
    figure_axes(figure, "frequency in radians per position", "amplitude");
}

static sinpos_status refuse_spectrum(struct figure *figure, const struct figure_request *request)
{
    const size_t n = request->rows->n;
    if (n < 8 || n > SPECTRUM_MOST || request->positions[0] != 0 || request->step != 1)
        return figure_refuse(figure, "the positions must be 0, 1, ..., and 8 to %d of them", SPECTRUM_MOST);
    return SINPOS_OK;
}

sinpos_status figure_spectrum(struct figure *figure, const struct figure_request *request)
{
    RELEASED_BY(plan_tones_free) struct plan_tones list = {NULL, NULL, 0};
    sinpos_tone chosen[SPECTRUM_TONES];
    double theta[SPECTRUM_TONES];
    OWNED double *columns = NULL;
    size_t which[SPECTRUM_TONES];
    sinpos_status status = refuse_spectrum(figure, request);
    status = status == SINPOS_OK ? plan_tones_take(&list, request->plan) : status;
    const size_t n = list.n < SPECTRUM_TONES ? list.n : SPECTRUM_TONES;
    for (size_t i = 0; status == SINPOS_OK && i < n; i++) {
        which[i] = n == 1 ? 0 : i * (list.n - 1) / (n - 1);
        chosen[i] = list.tones[which[i]];
        theta[i] = fabs(list.theta[which[i]]);
    }
    status = status == SINPOS_OK ? figure_lines(figure, SPECTRUM_POINTS + n, n + 1) : status;
    status = status == SINPOS_OK ? spectrum_grid(figure->columns[0].values, request->rows->n, theta, n) : status;
    status = status == SINPOS_OK ? tones_rows(&columns, chosen, n, 1, request->rows, request->threads) : status;
    status = status == SINPOS_OK ? transform(figure, columns, n, request->rows->n, request->threads) : status;
    if (status == SINPOS_OK)
        label_spectrum(figure, request, which, theta, n);
    return status;
}

/* ---------------------------------------------------------------------------------------------------- gram */

/* Of (n, dim) rows the products of all columns, each divided by the lengths of both. */
static void gram_cells(struct figure *figure, const double *rows, size_t n, size_t dim)
{
    double *cells = figure->cells;
    for (size_t row = 0; row < n; row++) {
        const double *x = rows + row * dim;
        for (size_t i = 0; i < dim; i++)
            for (size_t j = i; j < dim; j++)
                cells[i * dim + j] += x[i] * x[j];
    }
    for (size_t i = 0; i < dim; i++) {
        for (size_t j = i + 1; j < dim; j++) {
            const double length = sqrt(cells[i * dim + i]) * sqrt(cells[j * dim + j]);
            cells[i * dim + j] = length > 0 ? cells[i * dim + j] / length : 0;
            cells[j * dim + i] = cells[i * dim + j];
        }
    }
    for (size_t i = 0; i < dim; i++) {
        cells[i * dim + i] = cells[i * dim + i] > 0 ? 1 : 0;
        figure->row_at[i] = figure->column_at[i] = (double)i;
    }
}

static void label_gram(struct figure *figure, const struct figure_request *request, double largest)
{
    figure->map = MAP_DIVERGING;
    figure->x.is_whole = figure->y.is_whole = true;
    figure->cells_low = -1;
    figure->cells_high = 1;
    figure->is_square = true;
    figure->rows_alternate = figure->columns_alternate = true;
    figure->y.is_reversed = true;
    FIGURE_TEXT(figure->title, "Products of the columns: how far from orthogonal");
    FIGURE_TEXT(figure->subtitle, "%s, %zu positions; largest off the diagonal %.3g", WORDS_OF(request),
                request->rows->n, largest);
    FIGURE_TEXT(
        figure->columns_note,
        "column, then its product with every column over %zu positions, divided by the lengths of both (-1 to 1)",
        request->rows->n);
    figure_axes(figure, "column", "column");
    FIGURE_TEXT(figure->x.name, "column");
    FIGURE_TEXT(figure->y.name, "column");
    FIGURE_TEXT(figure->cells_label, "cosine of the angle");
}

sinpos_status figure_gram(struct figure *figure, const struct figure_request *request)
{
    const size_t dim = request->spec->dim, n = request->rows->n;
    if (dim > GRAM_MOST || n > ((size_t)1 << 26) / dim)
        return figure_refuse(figure, "more than %d columns, or too many positions; take fewer", GRAM_MOST);
    OWNED double *rows = calloc(n * dim + 1, sizeof *rows);
    double largest = 0;
    sinpos_status status = rows == NULL ? SINPOS_E_MEMORY : figure_matrix(figure, dim, dim);
    status = status == SINPOS_OK
                 ? sinpos_run(request->plan, SINPOS_FILL, request->rows, SINPOS_F64, rows, dim, request->threads)
                 : status;
    if (status == SINPOS_OK) {
        gram_cells(figure, rows, n, dim);
        for (size_t i = 0; i < dim * dim; i++)
            largest = i / dim != i % dim && fabs(figure->cells[i]) > largest ? fabs(figure->cells[i]) : largest;
        label_gram(figure, request, largest);
    }
    return status;
}
