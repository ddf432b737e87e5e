/* figure_tangles.c - curves that lie on each other: the upper one lets the lower one be seen. */
#include <math.h>

#include "figure.h"

enum { LOOKS = 400 };

/* How high a series lies in the picture at so many rows, 0 to 1; NAN where it is not seen. */
static void heights(const struct figure *figure, const struct figure_series *series, double out[LOOKS])
{
    double low, high;
    const double *values = figure->columns[series->column].values;
    figure_range_y(figure, &low, &high);
    for (size_t i = 0; i < LOOKS; i++) {
        const double at = axis_part(values[i * figure->n_rows / LOOKS], low, high, figure->y.is_log);
        out[i] = at >= 0 && at <= 1 ? at : NAN;
    }
}

/* What share of the width lies between each of the looked at rows and the next. */
static void shares(const struct figure *figure, double out[LOOKS])
{
    double low, high;
    const double *x = figure->columns[0].values;
    figure_range_x(figure, &low, &high);
    for (size_t i = 0; i < LOOKS; i++) {
        const size_t next = (i + 1) * figure->n_rows / LOOKS;
        const double from = x[i * figure->n_rows / LOOKS], to = x[next < figure->n_rows ? next : figure->n_rows - 1];
        const double share = figure->x.is_log ? log(to / from) / log(high / low) : (to - from) / (high - low);
        out[i] = isfinite(share) ? fabs(share) : 0;
    }
}

/*
 * Does a curve lie on a good part of another? Where curves go up and down counts more than where they lie still: many meet
 * there, at 0 or at 1, and differ elsewhere.
 */
static bool covers(const double *upper, const double *lower, const double *share)
{
    double covered = 0, seen = 0;
    for (size_t i = 0; i < LOOKS; i++) {
        const size_t next = i + 1 < LOOKS && !isnan(lower[i + 1]) ? i + 1 : i;
        if (isnan(lower[i]))
            continue;
        const double length = fabs(lower[next] - lower[i]) + share[i] / 8;
        const bool is_covered = fabs(upper[i] - lower[i]) < 0.008 && fabs(upper[next] - lower[next]) < 0.008;
        seen += length;
        covered += is_covered ? length : 0;
    }
    return covered > seen / 4;
}

void figure_untangle(struct figure *figure)
{
    double at[FIGURE_SERIES][LOOKS], share[LOOKS];
    if (figure->n_rows < 2)
        return;
    shares(figure, share);
    for (size_t i = 0; i < figure->n_series; i++) {
        struct figure_series *own = &figure->series[i];
        enum series_style least = SERIES_LINE;
        heights(figure, own, at[i]);
        for (size_t j = 0; j < i; j++) {
            const enum series_style other = figure->series[j].style;
            if (other <= SERIES_SPARSE && other >= least && covers(at[i], at[j], share))
                least = other < SERIES_SPARSE ? other + 1 : SERIES_SPARSE;
        }
        own->style = own->style < least ? least : own->style;
    }
}
