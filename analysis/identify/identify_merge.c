/*
 * identify_merge.c - several coordinates whose positions are multiples of each other are one.
 *
 * Free frequencies are found more easily in fewer columns, so that a layout of several coordinates may explain what one
 * has made: the positions of its coordinates are then those of the first, each times a number.
 */
#include "identify.h"

/* Radians of the fastest tone by which positions may be off. */
#define MOST_OFF 0.02

/* By what the positions of the first coordinate are multiplied; NaN where it is not one number. */
static double factor_of(const id_fit *fit, size_t axis)
{
    double up = 0, down = 0, fastest = 0;
    for (size_t i = 0; i < fit->n_rows; i++) {
        up += fit->p[axis][i] * fit->p[0][i];
        down += fit->p[0][i] * fit->p[0][i];
    }
    const double factor = up / down;
    for (size_t i = 0; i < fit->layout.n_frequencies[axis]; i++)
        fastest = fmax(fastest, fabs(fit->theta[axis][i]));
    for (size_t i = 0; i < fit->n_rows; i++)
        if (!(fabs(fit->p[axis][i] - factor * fit->p[0][i]) * fastest <= MOST_OFF))
            return NAN;
    return factor;
}

/* Tones in the order of their columns, as one coordinate has them. */
static void order_tones(id_layout *layout, double *theta)
{
    for (size_t i = 1; i < layout->n_tones; i++) {
        for (size_t k = i; k > 0 && layout->sin_column[k] < layout->sin_column[k - 1]; k--) {
            const ptrdiff_t sine = layout->sin_column[k], cosine = layout->cos_column[k];
            const double own = theta[k];
            layout->sin_column[k] = layout->sin_column[k - 1];
            layout->cos_column[k] = layout->cos_column[k - 1];
            theta[k] = theta[k - 1];
            layout->sin_column[k - 1] = sine;
            layout->cos_column[k - 1] = cosine;
            theta[k - 1] = own;
        }
    }
    for (size_t k = 0; k < layout->n_tones; k++) {
        layout->axis[k] = 0;
        layout->index[k] = k;
    }
}

/* Neighbours, or halves, or neither. */
sinpos_nest id_nest_of(const id_layout *layout)
{
    bool are_pairs = true, are_halves = true;
    for (size_t k = 0; k < layout->n_tones; k++) {
        const ptrdiff_t sine = layout->sin_column[k] - (ptrdiff_t)layout->first;
        const ptrdiff_t cosine = layout->cos_column[k] - (ptrdiff_t)layout->first;
        const ptrdiff_t own = (ptrdiff_t)k, m = (ptrdiff_t)layout->n_tones, low = sine < cosine ? sine : cosine;
        are_pairs = are_pairs && low == 2 * own && labs((long)(sine - cosine)) == 1;
        are_halves = are_halves && low == own && labs((long)(sine - cosine)) == m;
    }
    return are_pairs ? SINPOS_NEST_AFC : are_halves ? SINPOS_NEST_ACF : SINPOS_NEST_PERMUTED;
}

sinpos_status id_merge_axes(id_fit *fit, const id_sample *sample)
{
    id_layout *layout = &fit->layout, before = *layout;
    double factor[ID_MOST_AXES] = {1};
    bool are_one = before.n_axes > 1 && !before.is_twice && fit->n_rows > 1;
    for (size_t a = 0; a < before.n_axes && are_one; a++) {
        factor[a] = a == 0 ? 1 : factor_of(fit, a);
        are_one = fit->guess[a].family == ID_FREE && fit->n_free[a] == 0 && isfinite(factor[a]) && factor[a] != 0;
    }
    if (!are_one)
        return SINPOS_OK;
    double *theta = malloc((before.n_tones + 1) * sizeof *theta);
    if (theta == NULL)
        return SINPOS_E_MEMORY;
    for (size_t k = 0; k < before.n_tones; k++)
        theta[k] = fit->theta[before.axis[k]][before.index[k]] * factor[before.axis[k]];
    order_tones(layout, theta);
    layout->nest = id_nest_of(layout);
    layout->n_axes = 1;
    layout->n_frequencies[0] = before.n_tones;
    for (size_t a = 0; a < before.n_axes; a++) {
        free(fit->theta[a]);
        if (a > 0)
            free(fit->p[a]);
        fit->theta[a] = a == 0 ? theta : NULL;
        fit->p[a] = a == 0 ? fit->p[a] : NULL;
    }
    fit->guess[0] = (id_guess){.family = ID_FREE};
    return id_weigh(fit, sample);
}
