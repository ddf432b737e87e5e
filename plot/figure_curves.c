/* Figures over the offset of two positions: distances and g(k). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "catalogue.h"

enum { SQUARE_MOST = 2048, OFFSETS_MOST = 1 << 20, HORIZON = 100000, FARTHEST = 10000000 };

static const double euler_gamma = 0.57721566490153286;

/* A figure of curves over the offsets, with these in its first column. */
static sinpos_status begin_offsets(struct figure *figure, const struct figure_request *request, size_t n_columns)
{
    if (request->offsets->n > OFFSETS_MOST)
        return figure_refuse(figure, "more than a million offsets are too many for a figure; take fewer");
    const sinpos_status status = figure_lines(figure, request->offsets->n, n_columns);
    if (status == SINPOS_OK) {
        memcpy(figure->columns[0].values, request->offset_at, figure->n_rows * sizeof *request->offset_at);
        figure_column_name(figure, 0, "offset");
    }
    return status;
}

static bool all_positive(const struct figure *figure)
{
    for (size_t i = 0; i < figure->n_rows; i++)
        if (!(figure->columns[0].values[i] > 0))
            return false;
    return true;
}

/* ------------------------------------------------------------------------------------------------ distances */

/* D of the offsets 0, step, 2 step, ... */
static sinpos_status distances_by_step(const struct figure_request *request, size_t n, double *distance)
{
    OWNED double *offsets = calloc(n, sizeof *offsets);
    if (offsets == NULL)
        return SINPOS_E_MEMORY;
    for (size_t i = 0; i < n; i++)
        offsets[i] = (double)i * request->step;
    const sinpos_rows rows = {.struct_size = sizeof rows, .n = n, .reals = offsets};
    return sinpos_distance_values(request->plan, &rows, distance, request->threads);
}

static void label_distance(struct figure *figure, const struct figure_request *request)
{
    figure->is_square = true;
    figure->y.is_reversed = true;
    FIGURE_TEXT(figure->title, "Euclidean distance of every two positions");
    FIGURE_TEXT(figure->subtitle, "%s; it depends on the offset alone", WORDS_OF(request));
    FIGURE_TEXT(figure->columns_note,
                "position m (steps), then the distances |p_m - p_n| (pure numbers) for the positions n above them");
    figure_axes(figure, "position n", "position m");
    FIGURE_TEXT(figure->x.name, "n");
    FIGURE_TEXT(figure->y.name, "m");
    FIGURE_TEXT(figure->cells_label, "distance");
}

sinpos_status figure_distance(struct figure *figure, const struct figure_request *request)
{
    const size_t n = request->rows->n;
    if (n > SQUARE_MOST)
        return figure_refuse(figure, "more than %d positions are too many for a figure; take fewer", SQUARE_MOST);
    OWNED double *distance = calloc(n, sizeof *distance);
    sinpos_status status = distance == NULL ? SINPOS_E_MEMORY : figure_matrix(figure, n, n);
    status = status == SINPOS_OK ? distances_by_step(request, n, distance) : status;
    for (size_t i = 0; status == SINPOS_OK && i < n; i++) {
        figure->row_at[i] = figure->column_at[i] = request->positions[i];
        figure->cells_high = distance[i] > figure->cells_high ? distance[i] : figure->cells_high;
        for (size_t j = 0; j < n; j++)
            figure->cells[i * n + j] = distance[i < j ? j - i : i - j];
    }
    if (status == SINPOS_OK) {
        figure->map = MAP_SEQUENTIAL;
        figure->cells_high = figure->cells_high > 0 ? figure->cells_high : 1;
        label_distance(figure, request);
    }
    return status;
}

/* With a geometric schedule the square of the distance grows as 2 X / ln b (ln(k theta_0) + gamma): docs/mathematics.md. */
static bool law_of(const struct figure_request *request, double *factor, double *theta_0)
{
    const sinpos_spec *spec = request->spec;
    const double divisor = spec->divisor != 0 ? spec->divisor : (double)spec->dim / 2;
    const double log_base = log(spec->base) - log(spec->base_divisor);
    *factor = 2 * spec->amplitude * spec->amplitude * divisor / log_base;
    *theta_0 = spec->scale * exp(-log_base * spec->shift / divisor);
    return spec->schedule == SINPOS_GEOMETRIC && *factor > 0 && isfinite(*factor) && *theta_0 > 0 &&
           spec->n_factor == 0;
}

sinpos_status figure_distance_law(struct figure *figure, const struct figure_request *request)
{
    double factor, theta_0;
    const bool has_law = law_of(request, &factor, &theta_0);
    sinpos_status status = begin_offsets(figure, request, has_law ? 3 : 2);
    if (status == SINPOS_OK)
        status = sinpos_distance_values(request->plan, request->offsets, figure->columns[1].values, request->threads);
    if (status != SINPOS_OK)
        return status;
    for (size_t i = 0; i < figure->n_rows; i++) {
        if (has_law) {
            const double square = factor * (log(fabs(request->offset_at[i]) * theta_0) + euler_gamma);
            figure->columns[2].values[i] = square > 0 ? sqrt(square) : NAN;
        }
    }
    figure_column_name(figure, 1, "distance");
    figure_series_add(figure, 1, "distance D(k)")->is_thick = true;
    if (has_law) {
        figure_column_name(figure, 2, "law");
        figure_series_add(figure, 2, "√(%.5g (ln k + %.4f))", factor, log(theta_0) + euler_gamma)->style =
            SERIES_DASHED;
    }
    figure->legend_left = true;
    figure->x.is_log = all_positive(figure);
    figure->y.low = 0;
    FIGURE_TEXT(figure->title, "Distance of two positions against their offset");
    FIGURE_TEXT(figure->subtitle, "%s%s", WORDS_OF(request),
                has_law ? "; not linear: its square grows like the logarithm" : "");
    FIGURE_TEXT(figure->columns_note, "offset k (steps); distance |p_m - p_(m-k)| (pure number)%s",
                has_law ? "; the law (pure number)" : "");
    figure_axes(figure, "offset k", "distance");
    return SINPOS_OK;
}

/* --------------------------------------------------------------------------------------------------- kernel */

struct by_size {
    int64_t size;
    size_t row;
};

static int compare_sizes(const void *a, const void *b)
{
    const struct by_size *first = a, *second = b;
    return (first->size > second->size) - (first->size < second->size);
}

/* The largest |g| from the size of each offset up to the limit, in the order of the rows. */
static sinpos_status envelope(const struct figure_request *request, int64_t limit, double *out)
{
    const size_t n = request->offsets->n;
    OWNED struct by_size *order = calloc(n + 1, sizeof *order);
    OWNED int64_t *from = calloc(n + 1, sizeof *from);
    OWNED sinpos_peak *peaks = calloc(n + 1, sizeof *peaks);
    sinpos_status status = order == NULL || from == NULL || peaks == NULL ? SINPOS_E_MEMORY : SINPOS_OK;
    if (status == SINPOS_OK) {
        for (size_t i = 0; i < n; i++)
            order[i] = (struct by_size){(int64_t)floor(fabs(request->offset_at[i])), i};
        qsort(order, n, sizeof *order, compare_sizes);
        for (size_t i = 0; i < n; i++)
            from[i] = order[i].size;
        status = sinpos_kernel_envelope(request->plan, from, n, limit, peaks, request->threads, request->progress,
                                        request->progress_context);
    }
    for (size_t i = 0; status == SINPOS_OK && i < n; i++)
        out[order[i].row] = fabs(peaks[i].g);
    return status;
}

/* The band below the axis is wide at the left, where nothing else is. */
static double lowest(const struct figure *figure)
{
    double low = 0;
    for (size_t i = 0; i < figure->n_rows; i++)
        low = fmin(low, figure->columns[1].values[i]);
    return fmax(-1.05, fmin(-0.35, 1.3 * low));
}

static void label_kernel(struct figure *figure, const struct figure_request *request, int64_t negative, int64_t limit)
{
    char until[TIC_TEXT];
    count_words((size_t)limit, until);
    figure_column_name(figure, 1, "g");
    figure_column_name(figure, 2, "envelope");
    figure_column_name(figure, 3, "minus envelope");
    struct figure_series *band = figure_series_add(figure, 2, "largest |g| from here to offset %s", until);
    band->style = SERIES_BAND;
    band->colour = 4;
    figure_series_add(figure, 1, "g(k) / g(0)")->colour = 0;
    FIGURE_TEXT(figure->title, "g(k), the product of two positions, against their offset");
    FIGURE_TEXT(figure->subtitle, "%s%s", WORDS_OF(request), negative == 0 ? "; never below 0 up to there" : "");
    FIGURE_TEXT(figure->columns_note,
                "offset k (steps); g(k)/g(0); the largest |g|/g(0) from k to below %lld; minus that (pure numbers)",
                (long long)limit);
    figure_axes(figure, "offset k", "g(k) / g(0)");
    figure_mark_add(figure, MARK_HORIZONTAL, 0, 0, "%s", "");
    figure->marks[0].colour = 6;
    if (negative > 0) {
        figure_mark_add(figure, MARK_VERTICAL, (double)negative, 0, "first below 0: k = %lld", (long long)negative);
        figure->marks[1].colour = 1;
    }
}

sinpos_status figure_kernel(struct figure *figure, const struct figure_request *request)
{
    double farthest = 0, at_zero, at_negative;
    int64_t negative = 0;
    sinpos_status status = begin_offsets(figure, request, 4);
    for (size_t i = 0; status == SINPOS_OK && i < figure->n_rows; i++)
        farthest = fmax(farthest, fabs(request->offset_at[i]));
    if (status == SINPOS_OK && farthest >= FARTHEST)
        return figure_refuse(figure, "offsets from 10^7 on take too long for an envelope");
    const int64_t limit = farthest < HORIZON / 4 ? HORIZON : 4 * (int64_t)farthest;
    status =
        status == SINPOS_OK ? kernel_shares(request, request->offsets, figure->columns[1].values, &at_zero) : status;
    status = status == SINPOS_OK ? sinpos_kernel_first_negative(request->plan, limit, &negative, &at_negative,
                                                                request->threads, NULL, NULL)
                                 : status;
    status = status == SINPOS_OK ? envelope(request, limit, figure->columns[2].values) : status;
    if (status != SINPOS_OK)
        return status;
    for (size_t i = 0; i < figure->n_rows; i++) {
        figure->columns[2].values[i] /= at_zero > 0 ? at_zero : 1;
        figure->columns[3].values[i] = -figure->columns[2].values[i];
    }
    figure->y.low = lowest(figure);
    label_kernel(figure, request, negative, limit);
    return SINPOS_OK;
}
