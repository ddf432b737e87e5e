/*
 * identify_instead.c - a list of frequencies in place of a formula that makes few of the elements.
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

static bool is_worth(const sinpos_identity *identity, const id_sample *sample)
{
    const sinpos_identity_axis *axis = &identity->axis[0];
    return identity->n_axes == 1 && axis->law == SINPOS_LAW_GEOMETRIC && identity->positions == NULL &&
           axis->size == 0 && identity->noise == 0 && identity->dropped == 0 && identity->arithmetic[0] == '\0' &&
           sample->n > 1 && (double)identity->total.wrong > MANY_WRONG * (double)identity->total.elements &&
           !id_has_levels(identity);
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

static bool makes_all(const sinpos_identity *identity)
{
    return identity->total.wrong == 0 ||
           (identity->arithmetic[0] != '\0' && identity->arithmetic_share >= LEAST_SHARE &&
            identity->arithmetic_equal >= LEAST_EQUAL);
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
