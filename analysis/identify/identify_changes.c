/* identify_changes.c - columns that were matched one by one as a fit, and what was done to them. */
#include "elements.h"
#include "identify_mend.h"

/* Bits for a column that is not where its neighbours lead one to expect it, beyond those of its number. */
#define ELSEWHERE_BITS 2

/* How near the part that dropout kept is to that of the elements that are there, and how well the amplitude shows it. */
#define NEAR_KEPT 0.05
#define KEPT_ERROR 1e-4

/* A start as near as this to a whole number is it, where too little is left to show more digits. */
#define NEAR_WHOLE 1e-6

typedef struct place {
    size_t index, column;
    bool is_sine;
} place;

static int by_index(const void *a, const void *b)
{
    const place *one = a, *other = b;
    return one->index != other->index ? (one->index > other->index) - (one->index < other->index)
                                      : (one->column > other->column) - (one->column < other->column);
}

/* The k-th sine or cosine of the places first .. last - 1; SINPOS_NO_COLUMN where there are fewer. */
static ptrdiff_t pick(const place *places, size_t first, size_t last, bool is_sine, size_t k)
{
    for (size_t i = first; i < last; i++)
        if (places[i].is_sine == is_sine && k-- == 0)
            return (ptrdiff_t)places[i].column;
    return SINPOS_NO_COLUMN;
}

static void add_tones(id_layout *layout, const place *places, size_t first, size_t last)
{
    for (size_t k = 0;; k++) {
        const ptrdiff_t sine = pick(places, first, last, true, k), cosine = pick(places, first, last, false, k);
        if (sine == SINPOS_NO_COLUMN && cosine == SINPOS_NO_COLUMN)
            return;
        layout->sin_column[layout->n_tones] = sine;
        layout->cos_column[layout->n_tones] = cosine;
        layout->index[layout->n_tones++] = places[first].index;
    }
}

/* Pairs of all frequencies, the sine before the cosine or after it in each. */
static bool are_pairs(const id_layout *layout)
{
    bool are = layout->n_tones > 1 && 2 * layout->n_tones == layout->width;
    for (size_t k = 0; k < layout->n_tones && are; k++)
        are = layout->index[k] == k && layout->sin_column[k] >= 0 && layout->cos_column[k] >= 0 &&
              (layout->cos_column[k] < layout->sin_column[k]) == (layout->cos_column[0] < layout->sin_column[0]);
    return are;
}

static sinpos_status make_layout(id_layout *layout, const id_match *match)
{
    place *places = calloc(match->dim + 1, sizeof *places);
    size_t n = 0;
    *layout =
        (id_layout){.nest = SINPOS_NEST_PERMUTED, .width = match->dim, .n_axes = 1, .amplitude = match->amplitude};
    sinpos_status status = places == NULL ? SINPOS_E_MEMORY : id_layout_make(layout, match->dim);
    for (size_t j = 0; j < match->dim && status == SINPOS_OK; j++)
        if (match->column[j].index >= 0)
            places[n++] = (place){(size_t)match->column[j].index, j, match->column[j].is_sine};
    if (status == SINPOS_OK) {
        qsort(places, n, sizeof *places, by_index);
        for (size_t first = 0, last = 0; first < n; first = last) {
            while (last < n && places[last].index == places[first].index)
                last++;
            add_tones(layout, places, first, last);
        }
        layout->n_frequencies[0] = n > 0 ? places[n - 1].index + 1 : 0;
        layout->axis_width[0] = 2 * layout->n_frequencies[0];
        layout->nest = are_pairs(layout) ? id_nest_of(layout) : SINPOS_NEST_PERMUTED;
        layout->cos_first = layout->nest != SINPOS_NEST_PERMUTED && layout->cos_column[0] < layout->sin_column[0];
    }
    free(places);
    return status;
}

static bool follows(const id_column *column, const id_column *before, ptrdiff_t step, bool other)
{
    return column->index == before->index + step && (column->is_sine == before->is_sine) != other;
}

/* What it takes to write down which column is what, and what was done to it. */
static double column_bits(const id_match *match)
{
    const double each = log2((double)match->dim) + ELSEWHERE_BITS;
    size_t n_elsewhere = 0, n_negated = 0, n_levels = 0;
    for (size_t j = 0; j < match->dim; j++) {
        const id_column *column = &match->column[j];
        const bool is_next = j > 0 && (follows(column, column - 1, 1, false) || follows(column, column - 1, 0, true));
        n_elsewhere += !is_next && !(j > 1 && follows(column, column - 2, 1, false));
        n_negated += column->factor < 0;
        n_levels += match->has_levels;
    }
    const size_t n_other = match->dim - n_negated, n_signs = n_negated < n_other ? n_negated : n_other;
    return each * (double)(n_elsewhere + n_signs) + 48 * (double)n_levels;
}

static sinpos_status take_positions(id_fit *fit, const id_sample *sample, const id_match *match)
{
    const size_t m = fit->layout.n_frequencies[0];
    const double unit = match->is_formula ? match->theta[0] : 1;
    fit->guess[0] =
        (id_guess){.family = match->is_formula ? ID_GEOMETRIC : ID_FREE, .slope = match->is_formula ? match->slope : 0};
    fit->slope_error[0] = match->slope_error;
    fit->theta[0] = malloc((m + 1) * sizeof *fit->theta[0]);
    fit->p[0] = malloc((fit->n_rows + 1) * sizeof *fit->p[0]);
    if (fit->theta[0] == NULL || fit->p[0] == NULL)
        return SINPOS_E_MEMORY;
    for (size_t i = 0; i < m; i++)
        fit->theta[0][i] = match->is_formula ? exp(-match->slope * (double)i) : match->theta[i];
    for (size_t i = 0; i < fit->n_rows; i++)
        fit->p[0][i] = unit * (match->start + (double)sample->row[fit->at[i]]);
    fit->is_steady = true;
    return SINPOS_OK;
}

sinpos_status id_fit_match(id_fit *fit, const id_sample *sample, const id_match *match)
{
    *fit = (id_fit){.flat = sample->flat, .noise = match->residual > 16 * sample->unit ? match->residual : 0};
    sinpos_status status = make_layout(&fit->layout, match);
    status = status != SINPOS_OK ? status : id_fit_rows(fit, sample);
    status = status != SINPOS_OK ? status : take_positions(fit, sample, match);
    status = status != SINPOS_OK ? status : id_weigh(fit, sample);
    if (status != SINPOS_OK)
        id_fit_free(fit);
    else
        fit->bits -= column_bits(match);
    return status;
}

sinpos_status id_name_changes(sinpos_identity *identity, const id_match *match)
{
    const double kept = 1 / identity->amplitude; /* what dropout leaves is divided by it */
    bool has_factor = false, has_offset = false;
    identity->dropped = match->dropped;
    if (match->dropped > 0 && fabs(kept - 1 + match->dropped) < NEAR_KEPT)
        identity->amplitude = 1 / id_simple(kept, KEPT_ERROR);
    if (match->dropped > 0 && !match->is_layout && fabs(match->start - nearbyint(match->start)) < NEAR_WHOLE)
        identity->axis[0].start = nearbyint(match->start);
    for (size_t j = 0; j < match->dim; j++) {
        has_factor = has_factor || match->column[j].factor != 1;
        has_offset = has_offset || match->column[j].offset != 0;
    }
    if (!has_factor && !has_offset)
        return SINPOS_OK;
    identity->column_factor = calloc(match->dim, sizeof *identity->column_factor);
    identity->column_offset = has_offset ? calloc(match->dim, sizeof *identity->column_offset) : NULL;
    if (identity->column_factor == NULL || (has_offset && identity->column_offset == NULL))
        return SINPOS_E_MEMORY;
    for (size_t j = 0; j < match->dim; j++) {
        identity->column_factor[j] = match->column[j].factor;
        if (has_offset)
            identity->column_offset[j] = match->column[j].offset;
    }
    return SINPOS_OK;
}
