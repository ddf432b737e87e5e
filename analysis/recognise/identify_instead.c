/*
 * identify_instead.c - a list of frequencies in place of a formula that makes few of the elements, and the other way.
 *
 * Frequencies that were rounded, or that a formula with unknown digits gave, are found one by one from all elements. The
 * list is kept where it makes the table: exactly, or with an arithmetic.
 */
#include "elements.h"
#include "identify.h"

/* Steps of least squares: of the nearer half of the rows, then of all. */
#define STEPS 3

/* An element that is so far off, per amplitude, says nothing. */
#define FAR 0.3

/* Part of the elements that must be wrong with the formula; parts that an arithmetic makes with the list. */
#define MANY_WRONG 0.02
#define LEAST_SHARE 0.99
#define LEAST_EQUAL 0.9

/* Elements that dropout left were divided: they are made to some units. */
static bool makes_all(const sinpos_identity *identity)
{
    const double near = ID_DROPPED_UNITS * type_unit(identity->type) * fabs(identity->amplitude);
    return identity->total.wrong == identity->n_altered ||
           (identity->dropped > 0 && identity->total.max_abs_error <= near) ||
           (identity->arithmetic[0] != '\0' && identity->arithmetic_share >= LEAST_SHARE &&
            (identity->dropped > 0 || identity->arithmetic_equal >= LEAST_EQUAL));
}

static bool is_worth(const sinpos_identity *identity, const id_sample *sample)
{
    const sinpos_identity_axis *axis = &identity->axis[0];
    return identity->n_axes == 1 && axis->law == SINPOS_LAW_GEOMETRIC && identity->positions == NULL &&
           axis->size == 0 && identity->noise == 0 && identity->arithmetic[0] == '\0' && sample->n > 1 &&
           (double)identity->total.wrong > MANY_WRONG * (double)identity->total.elements && !id_has_levels(identity) &&
           !(identity->dropped > 0 && makes_all(identity));
}

/* Rows up to this position are looked at. */
static double farthest(const sinpos_identity *identity)
{
    return fmax(fabs(id_position(identity, 0, 0)), fabs(id_position(identity, identity->n - 1, 0)));
}

/* One step of least squares: sums of slope * error and slope^2 for each frequency. */
static void step(const sinpos_identity *identity, const id_sample *sample, double *theta, double most, double *along,
                 double *squares)
{
    const size_t m = identity->axis[0].n_frequencies;
    const double a = identity->amplitude;
    memset(along, 0, m * sizeof *along);
    memset(squares, 0, m * sizeof *squares);
    for (size_t i = 0; i < sample->n; i++) {
        const double p = id_position(identity, sample->row[i], 0);
        for (size_t k = 0; k < 2 * identity->n_tones && fabs(p) <= most; k++) {
            const ptrdiff_t column = k % 2 == 0 ? identity->sin_column[k / 2] : identity->cos_column[k / 2];
            const size_t j = identity->tone_index[k / 2];
            const double angle = theta[j] * p, wave = k % 2 == 0 ? sin(angle) : cos(angle);
            const double slope = a * p * (k % 2 == 0 ? cos(angle) : -sin(angle));
            const double off = column == SINPOS_NO_COLUMN ? 0 : sample->x[i * sample->dim + (size_t)column] - a * wave;
            if (column == SINPOS_NO_COLUMN || !(fabs(off) <= FAR * fabs(a)))
                continue;
            along[j] += slope * off;
            squares[j] += slope * slope;
        }
    }
    for (size_t j = 0; j < m; j++)
        theta[j] += squares[j] > 0 ? along[j] / squares[j] : 0;
}

static sinpos_status fit(const sinpos_identity *identity, const id_sample *sample, double *theta)
{
    const size_t m = identity->axis[0].n_frequencies;
    double *along = malloc((2 * m + 1) * sizeof *along);
    if (along == NULL)
        return SINPOS_E_MEMORY;
    sinpos_status status = SINPOS_OK;
    for (int k = 0; k < 2 * STEPS && status == SINPOS_OK; k++) {
        step(identity, sample, theta, farthest(identity) / (k < STEPS ? 2 : 1), along, along + m);
        status = id_ask(sample->table);
    }
    free(along);
    return status;
}

/* The list in place of the formula; what it makes. */
static sinpos_status put(sinpos_identity *identity, const id_sample *sample, const id_view *view, const double *theta,
                         bool is_single)
{
    sinpos_identity_axis *axis = &identity->axis[0];
    for (size_t i = 0; i < axis->n_frequencies; i++)
        axis->theta[i] = is_single ? (double)(float)theta[i] : theta[i];
    axis->law = SINPOS_LAW_LIST;
    axis->scale = 1;
    axis->base = axis->divisor = axis->shift = 0;
    identity->rows_compared = identity->n_altered = 0;
    identity->arithmetic_also[0] = '\0';
    sinpos_status status = id_make_plan(identity, sample);
    status = status != SINPOS_OK ? status : id_verify(identity, view, false, 1);
    return status != SINPOS_OK ? status : id_name_arithmetic(identity, sample);
}

sinpos_status id_list_instead(sinpos_identity *identity, const id_sample *sample, const id_view *view)
{
    const size_t m = identity->axis[0].n_frequencies;
    if (!is_worth(identity, sample))
        return SINPOS_OK;
    sinpos_identity before = *identity;
    double *theta = malloc((m + 1) * sizeof *theta), *list = malloc((m + 1) * sizeof *list);
    sinpos_status status = theta == NULL || list == NULL ? SINPOS_E_MEMORY : SINPOS_OK;
    if (status == SINPOS_OK) {
        memcpy(theta, before.axis[0].theta, m * sizeof *theta);
        status = fit(identity, sample, theta);
    }
    identity->axis[0].theta = list;
    identity->plan = NULL;
    for (int is_single = 0; is_single < 2 && status == SINPOS_OK && (is_single == 0 || !makes_all(identity));
         is_single++)
        status = put(identity, sample, view, theta, is_single == 1);
    if (status == SINPOS_OK && makes_all(identity)) {
        free(before.axis[0].theta);
        sinpos_plan_destroy(before.plan);
    } else {
        sinpos_plan_destroy(identity->plan);
        free(list);
        *identity = before;
    }
    free(theta);
    return status == SINPOS_E_SPEC || status == SINPOS_E_OVERFLOW ? SINPOS_OK : status;
}

/* ------------------------------------------------------------------------------------------ a formula instead */

/* Frequencies follow a formula that is so near, part of the fastest; and it must make so many times more elements. */
#define NEAR_FORMULA 1e-3
#define BETTER 2

/* ln(theta) as a line in the index, by the absolute size of what is off. False where they are not near it. */
static bool find_line(const sinpos_identity_axis *axis, double *first, double *slope)
{
    double w = 0, wi = 0, wy = 0, wii = 0, wiy = 0, fastest = 0;
    bool is_near = axis->n_frequencies > 3;
    for (size_t k = 0; k < axis->n_frequencies && is_near; k++) {
        const double i = (double)k, y = log(axis->theta[k]), weight = axis->theta[k] * axis->theta[k];
        w += weight;
        wi += weight * i;
        wy += weight * y;
        wii += weight * i * i;
        wiy += weight * i * y;
        fastest = fmax(fastest, axis->theta[k]);
        is_near = axis->theta[k] > 0;
    }
    *slope = -(w * wiy - wi * wy) / (w * wii - wi * wi);
    *first = (wy + *slope * wi) / w;
    for (size_t k = 0; k < axis->n_frequencies && is_near; k++)
        is_near = fabs(axis->theta[k] - exp(*first - *slope * (double)k)) <= NEAR_FORMULA * fastest;
    return is_near && fabs(*slope) * (double)axis->n_frequencies > NEAR_FORMULA;
}

static sinpos_status try_formula(sinpos_identity *identity, const id_sample *sample, const id_view *view, double first,
                                 double slope)
{
    sinpos_identity_axis *axis = &identity->axis[0];
    const double scale = id_simple(exp(first), NEAR_FORMULA * exp(first));
    axis->law = SINPOS_LAW_GEOMETRIC;
    axis->divisor = (double)axis->n_frequencies;
    axis->base = exp(slope * axis->divisor);
    axis->scale = id_digits(scale) <= 3 ? scale : exp(first);
    identity->rows_compared = identity->n_altered = 0;
    identity->arithmetic_also[0] = '\0';
    sinpos_status status = id_make_plan(identity, sample);
    status = status != SINPOS_OK ? status : id_settle_formula(identity, sample);
    status = status != SINPOS_OK ? status : id_verify(identity, view, false, 1);
    return status != SINPOS_OK ? status : id_name_arithmetic(identity, sample);
}

sinpos_status id_formula_instead(sinpos_identity *identity, const id_sample *sample, const id_view *view)
{
    const sinpos_identity_axis *axis = &identity->axis[0];
    double first, slope;
    if (identity->n_axes != 1 || axis->law != SINPOS_LAW_LIST || identity->scaling != SINPOS_SCALING_NONE ||
        identity->positions != NULL || axis->size > 0 || identity->total.wrong == 0 || identity->noise > 0 ||
        id_has_levels(identity) || !find_line(axis, &first, &slope))
        return SINPOS_OK;
    sinpos_identity before = *identity;
    identity->axis[0].theta = NULL;
    identity->plan = NULL;
    const sinpos_status status = try_formula(identity, sample, view, first, slope);
    const bool is_better = status == SINPOS_OK && (BETTER * identity->total.wrong < before.total.wrong ||
                                                   (makes_all(identity) && !makes_all(&before)));
    sinpos_identity *other = is_better ? &before : identity;
    free(other->axis[0].theta);
    sinpos_plan_destroy(other->plan);
    if (!is_better)
        *identity = before;
    return status == SINPOS_E_SPEC || status == SINPOS_E_OVERFLOW ? SINPOS_OK : status;
}

/* -------------------------------------------------------------------------------- a base with few digits instead */

/* Digits of such a base, and how far it may be from the one that was fitted. */
#define MOST_BASE_DIGITS 6
#define NEAR_BASE 0.05
#define LEAST_BASE_EQUAL 0.999

/* The rounder base makes these elements, with an arithmetic. */
static sinpos_status try_base(sinpos_identity *identity, const id_sample *sample, double base)
{
    sinpos_identity_axis *axis = &identity->axis[0];
    const double scale = axis->law == SINPOS_LAW_LIST ? axis->theta[0] : axis->scale;
    axis->base = base;
    axis->divisor = (double)axis->n_frequencies;
    axis->scale = fabs(scale - 1) < NEAR_BASE ? 1 : scale;
    axis->law = SINPOS_LAW_GEOMETRIC;
    axis->theta = NULL;
    identity->plan = NULL;
    identity->arithmetic_also[0] = '\0';
    const sinpos_status status = id_make_plan(identity, sample);
    return status != SINPOS_OK ? status : id_name_arithmetic(identity, sample);
}

/* The base of listed frequencies, or of the formula that they nearly follow; 0 where there is none. */
static double find_base(const sinpos_identity_axis *axis)
{
    double first, slope;
    if (axis->base > 1)
        return axis->base;
    return axis->law == SINPOS_LAW_LIST && find_line(axis, &first, &slope) && slope > 0
               ? exp(slope * (double)axis->n_frequencies)
               : 0;
}

sinpos_status id_base_instead(sinpos_identity *identity, const id_sample *sample, const id_view *view)
{
    const sinpos_identity_axis *axis = &identity->axis[0];
    const double near = find_base(axis);
    if (identity->n_axes != 1 || axis->law == SINPOS_LAW_LINEAR || identity->scaling != SINPOS_SCALING_NONE ||
        !(near > 1) || makes_all(identity) || identity->noise > 0 || identity->dropped > 0 || id_has_levels(identity))
        return SINPOS_OK;
    sinpos_status status = SINPOS_OK;
    double last = 0;
    for (int digits = 1; digits <= MOST_BASE_DIGITS && status == SINPOS_OK; digits++) {
        const double base = id_rounded(near, digits);
        sinpos_identity before = *identity;
        if (base == last || fabs(base - near) > NEAR_BASE * near)
            continue;
        last = base;
        status = try_base(identity, sample, base);
        const bool is_made = status == SINPOS_OK && identity->arithmetic_equal >= LEAST_BASE_EQUAL &&
                             identity->arithmetic_share == 1 && identity->arithmetic[0] != '\0';
        sinpos_identity *other = is_made ? &before : identity;
        free(other->axis[0].theta);
        sinpos_plan_destroy(other->plan);
        if (!is_made) {
            *identity = before;
            continue;
        }
        identity->rows_compared = identity->n_altered = 0;
        return id_verify(identity, view, false, 1);
    }
    return status == SINPOS_E_SPEC || status == SINPOS_E_OVERFLOW ? SINPOS_OK : status;
}
