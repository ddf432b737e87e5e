/*
 * identify_list.c - listed frequencies, as exactly as the elements determine them.
 *
 * Each element leaves an interval for its frequency, half a unit in the last place to either side. A frequency that is
 * outside moves into what all elements leave; where nothing is left the table is not exact, and all stay.
 */
#include "elements.h"
#include "identify.h"

/* Digits of a number that somebody writes, or of both numbers of a ratio. */
#define PLAIN_DIGITS 5

/* An element that is so far off, per amplitude, is altered. */
#define ALTERED 0.05

/* Elements of double are computed no better here. */
#define LEAST_UNIT 0x1p-30

/* Elements as near to an extreme as this, per amplitude, determine no angle. */
#define LEAST_SLOPE 1e-3

/* Half a unit in the last place, towards zero and away from it. */
id_interval id_half_units(double x, double unit, sinpos_type type)
{
    int exponent;
    const double least = type == SINPOS_F16 ? 0x1p-25 : 0, part = fabs(frexp(x, &exponent));
    const double away = x == 0 ? least : fmax(ldexp(unit, exponent - 1), least);
    return (id_interval){part == 0.5 && away > least ? away / 2 : away, away};
}

/*
 * What the element of row i of the sample in a column leaves for changes of theta, which makes `made` of it, to within
 * `error`. False where it says nothing.
 */
static bool room_of(const sinpos_identity *identity, const id_sample *sample, size_t i, ptrdiff_t column, bool is_sine,
                    double theta, double made, double error, id_interval *room)
{
    const double p = id_position(identity, sample->row[i], 0), angle = theta * p, a = identity->amplitude;
    const double slope = is_sine ? cos(angle) : -sin(angle);
    if (fabs(slope) < LEAST_SLOPE || p == 0 || id_is_zero_row(identity, sample->row[i]))
        return false;
    const double x = sample->x[i * sample->dim + (size_t)column];
    if (isnan(x) || fabs(x - made) > ALTERED * a) /* unknown, or altered */
        return false;
    const id_interval half = id_half_units(x, sample->unit, identity->type);
    const double more = error + (identity->dropped > 0 ? ID_DIVIDED * half.high : 0);
    const double below = (x > 0 ? half.low : half.high) + more, above = (x > 0 ? half.high : half.low) + more;
    const double one = (x - made - below) / (a * p * slope), other = (x - made + above) / (a * p * slope);
    *room = (id_interval){fmin(one, other), fmax(one, other)};
    return true;
}

/* One that somebody writes, a float32, or the middle. */
static double between(double low, double high)
{
    const double middle = low + (high - low) / 2, half = (high - low) / 2, plain = id_simple(middle, half);
    const double single = (double)(float)middle;
    if (fabs(plain - middle) <= half && (id_digits(plain) <= PLAIN_DIGITS || id_ratio_digits(plain) <= PLAIN_DIGITS))
        return plain;
    return fabs(single - middle) <= half ? single : middle;
}

/* What the table leaves of each frequency; false where one has nothing left: the table is not exact. */
static bool find_room(const sinpos_identity *identity, const id_sample *sample, id_interval *left)
{
    const sinpos_identity_axis *axis = &identity->axis[0];
    for (size_t i = 0; i < axis->n_frequencies; i++)
        left[i] = (id_interval){-INFINITY, INFINITY};
    for (size_t k = 0; k < 2 * identity->n_tones; k++) {
        const ptrdiff_t column = k % 2 == 0 ? identity->sin_column[k / 2] : identity->cos_column[k / 2];
        const double theta = axis->theta[identity->tone_index[k / 2]];
        id_interval *own = &left[identity->tone_index[k / 2]], room;
        for (size_t i = 0; i < sample->n && column != SINPOS_NO_COLUMN; i++) {
            const double angle = theta * id_position(identity, sample->row[i], 0);
            const double made = identity->amplitude * (k % 2 == 0 ? sin(angle) : cos(angle));
            if (room_of(identity, sample, i, column, k % 2 == 0, theta, made, 0x1p-51 * (1 + fabs(angle)), &room))
                *own = (id_interval){fmax(own->low, room.low), fmin(own->high, room.high)};
        }
        if (!(own->low < own->high))
            return false;
    }
    return true;
}

sinpos_status id_settle_frequencies(sinpos_identity *identity, const id_sample *sample)
{
    sinpos_identity_axis *axis = &identity->axis[0];
    const bool is_listed = identity->n_axes == 1 && axis->law == SINPOS_LAW_LIST && identity->positions == NULL;
    if (!is_listed || sample->unit < LEAST_UNIT || !(identity->amplitude > 0))
        return SINPOS_OK;
    id_interval *left = malloc((axis->n_frequencies + 1) * sizeof *left);
    if (left == NULL)
        return SINPOS_E_MEMORY;
    if (find_room(identity, sample, left)) {
        for (size_t i = 0; i < axis->n_frequencies; i++)
            if (isfinite(left[i].low) && !(left[i].low <= 0 && 0 <= left[i].high))
                axis->theta[i] = between(axis->theta[i] + left[i].low, axis->theta[i] + left[i].high);
    }
    free(left);
    return SINPOS_OK;
}
