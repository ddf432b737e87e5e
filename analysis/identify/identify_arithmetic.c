/*
 * identify_arithmetic.c - roundings of common code that reproduce a table.
 *
 * Angles are replayed step by step; sines and cosines are then taken in double and rounded, so that the last bit of
 * somebody's sinf is unknown: an element counts where it is at most one unit away.
 */
#include "identify.h"

#include <stdio.h>

/* Rows of the sample that are replayed. */
#define REPLAYED_ROWS 64

typedef enum recipe {
    RECIPE_DOUBLE,
    RECIPE_EXP,
    RECIPE_POW,
    RECIPE_REPEATED,
    RECIPE_BF16_POSITIONS,
    RECIPE_F16_POSITIONS,
    N_RECIPES
} recipe;

static const char *const names[N_RECIPES] = {
    "float64, then rounded",       "float32, frequency by exp",
    "float32, frequency by pow",   "float32, repeated multiplication",
    "float32, bfloat16 positions", "float32, float16 positions",
};

static double to_bits(double x, int bits)
{
    int exponent;
    if (x == 0)
        return 0;
    frexp(x, &exponent);
    const double unit = ldexp(1, exponent - bits);
    return nearbyint(x / unit) * unit;
}

/* Frequency i, or for repeated multiplication the ratio. */
static double frequency(const sinpos_identity_axis *axis, recipe r, size_t i)
{
    const float base = (float)axis->base, divisor = (float)axis->divisor, index = (float)i;
    const float slope = (float)(-log(axis->base) / axis->divisor);
    switch (r) {
    case RECIPE_DOUBLE: return axis->theta[i];
    case RECIPE_POW: return (double)((float)axis->scale * (1 / (float)pow((double)base, (double)(index / divisor))));
    case RECIPE_REPEATED: return pow((double)base, (double)(-1 / divisor));
    default: return (double)((float)axis->scale * (float)exp((double)(index * slope)));
    }
}

static double replayed_angle(const sinpos_identity_axis *axis, recipe r, double theta, size_t i, double p)
{
    float angle = (float)p;
    switch (r) {
    case RECIPE_DOUBLE: return theta * p;
    case RECIPE_REPEATED:
        for (size_t k = 0; k < i; k++)
            angle *= (float)theta;
        return (double)(angle * (float)axis->scale);
    case RECIPE_BF16_POSITIONS: return (double)((float)to_bits(p, 8) * (float)theta);
    case RECIPE_F16_POSITIONS: return (double)((float)to_bits(p, 11) * (float)theta);
    default: return (double)(angle * (float)theta);
    }
}

/* Part of the elements that a recipe makes, to one unit of the type. */
static double share(const sinpos_identity *identity, const id_sample *sample, recipe r)
{
    const size_t rows = sample->n < REPLAYED_ROWS ? sample->n : REPLAYED_ROWS;
    size_t good = 0, all = 0;
    for (size_t k = 0; k < identity->n_tones; k++) {
        const sinpos_identity_axis *axis = &identity->axis[identity->tone_axis[k]];
        const size_t i = identity->tone_index[k];
        const double theta = frequency(axis, r, i);
        for (size_t n = 0; n < rows; n++) {
            const size_t at = n * sample->n / rows;
            const double p = id_position(identity, sample->row[at], identity->tone_axis[k]);
            const double angle = replayed_angle(axis, r, theta, i, p);
            const double *x = sample->x + at * sample->dim;
            for (int c = 0; c < 2; c++) {
                const ptrdiff_t column = c == 0 ? identity->sin_column[k] : identity->cos_column[k];
                const double want = identity->amplitude * (c == 0 ? sin(angle) : cos(angle));
                if (column >= 0) {
                    all++;
                    good += fabs(x[column] - want) <= 2.5 * sample->unit * fabs(want) + 1e-300;
                }
            }
        }
    }
    return all == 0 ? 0 : (double)good / (double)all;
}

sinpos_status id_name_arithmetic(sinpos_identity *identity, const id_sample *sample)
{
    double shares[N_RECIPES] = {0}, best = 0;
    identity->arithmetic = "";
    identity->arithmetic_share = 1;
    if (identity->total.wrong == 0) {
        identity->arithmetic = "exact: each element rounded once";
        return SINPOS_OK;
    }
    if (identity->axis[0].law != SINPOS_LAW_GEOMETRIC || identity->noise > 0)
        return SINPOS_OK;
    for (int r = 0; r < N_RECIPES; r++) {
        shares[r] = share(identity, sample, (recipe)r);
        best = fmax(best, shares[r]);
    }
    for (int r = 0; r < N_RECIPES && best > 0.5; r++) {
        if (shares[r] < best - 0.002)
            continue;
        if (identity->arithmetic[0] == '\0') {
            identity->arithmetic = names[r];
            identity->arithmetic_share = shares[r];
        } else {
            const size_t used = strlen(identity->arithmetic_also);
            snprintf(identity->arithmetic_also + used, sizeof identity->arithmetic_also - used, "%s%s",
                     used > 0 ? "; " : "", names[r]);
        }
    }
    return SINPOS_OK;
}
