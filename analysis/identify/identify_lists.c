/*
 * identify_lists.c - listed frequencies together with listed positions and the amplitude.
 *
 * What an element asks of its frequency, its position and the amplitude is nearly linear. Each of these goes to the
 * middle of what all its elements leave, one kind after the other, until every element is made. Now and then elements
 * that are not made move both of their numbers.
 */
#include "identify.h"

/* Elements, and passes over them in elements. */
#define MOST_ELEMENTS ((size_t)1 << 17)
#define MOST_STEPS ((size_t)1 << 24)

/* After so many passes at most one in so many may be outside: else angles were rounded, and no numbers make them. */
#define TRIAL_PASSES 24
#define TRIAL_SHARE 4

/* So many passes without fewer elements outside than ever before end it. */
#define IDLE_PASSES 160

/* Of double an angle is rounded here as much as the elements are. */
#define LEAST_UNIT 0x1p-30

/* An element that is so far off, per amplitude, is altered. */
#define ALTERED 0.05

/* Elements as near to an extreme as this, per amplitude, say nothing of an angle, and only large ones of the amplitude. */
#define LEAST_SLOPE 1e-3
#define LEAST_LARGE 0.9

/* Changes that are nearly linear, relative. */
#define SMALL 0.01

typedef struct lists {
    sinpos_identity *identity;
    const id_sample *sample;
    double *theta[ID_MOST_AXES]; /* of each coordinate; all of the first where they are shared */
    double fastest[ID_MOST_AXES], farthest[ID_MOST_AXES];
    id_interval *of_theta[ID_MOST_AXES]; /* what all elements leave, relative */
    id_interval *of_p;                   /* (sample->n, n_axes) */
    id_interval of_amplitude;
    size_t n_elements, n_outside;
    blocks memory;
} lists;

static const id_interval any = {-INFINITY, INFINITY};

static id_interval both(id_interval a, id_interval b)
{
    return (id_interval){fmax(a.low, b.low), fmin(a.high, b.high)};
}

/* From x less what it is rounded by to x more that: changes of `size` for each of which it changes by `slope`. */
static id_interval changes(const lists *l, double x, double made, double slope, double rounding)
{
    const id_interval half = id_half_units(x, l->sample->unit, l->identity->type);
    const double one = (x - (x > 0 ? half.low : half.high) + rounding - made) / slope;
    const double other = (x + (x > 0 ? half.high : half.low) - rounding - made) / slope;
    return (id_interval){fmin(one, other), fmax(one, other)};
}

static bool is_outside(id_interval change)
{
    return change.low > 0 || change.high < 0;
}

/* Moves a frequency and a position, each by as much as it is in doubt, so that the element is made. */
static void move_both(const lists *l, double *theta, double *p, size_t axis, id_interval turn)
{
    const double of_theta = 1 / (*theta * l->farthest[axis]), of_p = 1 / (*p * l->fastest[axis]);
    const double share = of_theta * of_theta / (of_theta * of_theta + of_p * of_p);
    const double by = turn.low > 0 ? turn.low : turn.high;
    *theta *= 1 + by * share;
    *p *= 1 + by * (1 - share);
}

/* One element: what it leaves of its numbers. */
static void look_at(lists *l, size_t i, size_t k, bool moves)
{
    sinpos_identity *identity = l->identity;
    const size_t tone = k / 2, axis = identity->tone_axis[tone], index = identity->tone_index[tone];
    const ptrdiff_t column = k % 2 == 0 ? identity->sin_column[tone] : identity->cos_column[tone];
    const size_t row = l->sample->row[i], at = row * identity->n_axes + axis;
    const double x = column == SINPOS_NO_COLUMN ? NAN : l->sample->x[i * l->sample->dim + (size_t)column];
    const double a = identity->amplitude, angle = l->theta[axis][index] * id_position(identity, row, axis);
    const double s = a * sin(angle), c = a * cos(angle), made = k % 2 == 0 ? s : c, slope = k % 2 == 0 ? c : -s;
    if (isnan(x) || (angle == 0 && k % 2 == 0) || fabs(x - made) > ALTERED * fabs(a))
        return;
    l->n_elements++;
    const id_interval of_amplitude = changes(l, x, made, made, 0);
    if (fabs(made) >= LEAST_LARGE * fabs(a))
        l->of_amplitude = both(l->of_amplitude, of_amplitude);
    if (fabs(slope) < LEAST_SLOPE * fabs(a)) {
        l->n_outside += is_outside(of_amplitude) && a != 1;
        return;
    }
    const id_interval turn = changes(l, x, made, slope * angle, 0x1p-51 * fabs(a * angle));
    if (turn.high < -SMALL || turn.low > SMALL)
        return;
    l->n_outside += is_outside(turn);
    if (moves && is_outside(turn) && identity->positions != NULL)
        move_both(l, &l->theta[axis][index], &identity->positions[at], axis, turn);
    l->of_theta[axis][index] = both(l->of_theta[axis][index], turn);
    l->of_p[i * identity->n_axes + axis] = both(l->of_p[i * identity->n_axes + axis], turn);
}

/* Coordinates that stand in the table. */
static void look_at_raw(lists *l, size_t i)
{
    const sinpos_identity *identity = l->identity;
    for (size_t a = 0; a < identity->n_raw_first + identity->n_raw_last; a++) {
        const size_t column = identity->n_raw_first > 0 ? a : identity->dim - identity->n_axes + a;
        const double x = l->sample->x[i * l->sample->dim + column], p = id_position(identity, l->sample->row[i], a);
        if (p == 0 || isnan(x))
            continue;
        const id_interval change = changes(l, x, p, p, 0);
        l->n_outside += is_outside(change);
        l->of_p[i * identity->n_axes + a] = both(l->of_p[i * identity->n_axes + a], change);
    }
}

static void look_at_all(lists *l, bool moves)
{
    sinpos_identity *identity = l->identity;
    l->n_elements = l->n_outside = 0;
    l->of_amplitude = any;
    for (size_t a = 0; a < identity->n_axes; a++)
        for (size_t j = 0; j < identity->axis[a].n_frequencies; j++)
            l->of_theta[a][j] = any;
    for (size_t i = 0; i < l->sample->n; i++) {
        for (size_t a = 0; a < identity->n_axes; a++)
            l->of_p[i * identity->n_axes + a] = any;
        if (id_is_zero_row(identity, l->sample->row[i]))
            continue;
        for (size_t k = 0; k < 2 * identity->n_tones; k++)
            look_at(l, i, k, moves);
        look_at_raw(l, i);
    }
}

static double middle(id_interval left)
{
    return isfinite(left.low) && isfinite(left.high) ? (left.low + left.high) / 2 : 0;
}

static void move_positions(lists *l)
{
    const size_t axes = l->identity->n_axes;
    for (size_t i = 0; i < l->sample->n * axes && l->identity->positions != NULL; i++)
        l->identity->positions[l->sample->row[i / axes] * axes + i % axes] *= 1 + middle(l->of_p[i]);
}

static void move_frequencies(lists *l)
{
    const sinpos_identity *identity = l->identity;
    for (size_t a = 0; a < identity->n_axes && (a == 0 || l->theta[a] != l->theta[0]); a++)
        for (size_t j = 0; j < identity->axis[a].n_frequencies; j++)
            l->theta[a][j] *= 1 + middle(l->of_theta[a][j]);
}

/* Passes until every element is made; false where that is not reached. */
static bool settle(lists *l)
{
    const bool has_amplitude = l->identity->amplitude != 1;
    size_t least = SIZE_MAX, best = 0;
    for (size_t pass = 0, steps = 0; steps < MOST_STEPS && pass < best + IDLE_PASSES;
         pass++, steps += l->n_elements + 1) {
        look_at_all(l, pass % 4 == 0);
        best = l->n_outside < least ? pass : best;
        least = l->n_outside < least ? l->n_outside : least;
        if (least == 0 || (pass > TRIAL_PASSES && TRIAL_SHARE * l->n_outside > l->n_elements))
            break;
        if (pass % 4 == 1)
            move_positions(l);
        else if (pass % 4 == 2)
            move_frequencies(l);
        else if (pass % 4 == 3 && has_amplitude && l->of_amplitude.low <= l->of_amplitude.high)
            l->identity->amplitude *= 1 + middle(l->of_amplitude);
        else if (pass % 4 == 3)
            move_positions(l);
    }
    return least == 0;
}

static bool are_shared(const sinpos_identity *identity)
{
    const sinpos_identity_axis *first = &identity->axis[0];
    const size_t bytes = first->n_frequencies * sizeof *first->theta;
    for (size_t a = 1; a < identity->n_axes; a++)
        if (identity->axis[a].n_frequencies != first->n_frequencies ||
            memcmp(identity->axis[a].theta, first->theta, bytes) != 0)
            return false;
    return true;
}

static bool may_settle(const sinpos_identity *identity, const id_sample *sample)
{
    bool are_lists = true;
    for (size_t a = 0; a < identity->n_axes; a++)
        are_lists = are_lists && identity->axis[a].law == SINPOS_LAW_LIST;
    const size_t elements = sample->n * 2 * identity->n_tones;
    return are_lists && sample->unit >= LEAST_UNIT && !(identity->noise > 0) && !(identity->dropped > 0) &&
           !id_has_levels(identity) && elements > 0 && elements <= MOST_ELEMENTS;
}

/* What is kept of the numbers, to go back to them; or the other way round. */
static void copy_numbers(const lists *l, double *kept, bool is_back)
{
    sinpos_identity *identity = l->identity;
    const size_t n = identity->positions == NULL ? 0 : identity->n * identity->n_axes;
    double *at = kept + 1;
    if (is_back)
        identity->amplitude = *kept;
    else
        *kept = identity->amplitude;
    memcpy(is_back && n > 0 ? identity->positions : at, is_back || n == 0 ? at : identity->positions, n * sizeof *at);
    at += n;
    for (size_t a = 0; a < identity->n_axes; at += identity->axis[a++].n_frequencies)
        memcpy(is_back ? identity->axis[a].theta : at, is_back ? at : identity->axis[a].theta,
               identity->axis[a].n_frequencies * sizeof *at);
}

sinpos_status id_settle_lists(sinpos_identity *identity, const id_sample *sample)
{
    if (!may_settle(identity, sample))
        return SINPOS_OK;
    lists l = {.identity = identity, .sample = sample};
    const bool is_shared = are_shared(identity);
    size_t numbers = 1 + (identity->positions == NULL ? 0 : identity->n * identity->n_axes);
    l.of_p = blocks_take(&l.memory, sample->n * identity->n_axes, sizeof *l.of_p);
    for (size_t a = 0; a < identity->n_axes; a++) {
        const size_t m = identity->axis[a].n_frequencies;
        numbers += m;
        l.theta[a] = identity->axis[is_shared ? 0 : a].theta;
        l.of_theta[a] = is_shared && a > 0 ? l.of_theta[0] : blocks_take(&l.memory, m, sizeof **l.of_theta);
        l.fastest[a] = id_largest(l.theta[a], m);
        for (size_t i = 0; i < sample->n; i++)
            l.farthest[a] = fmax(l.farthest[a], fabs(id_position(identity, sample->row[i], a)));
    }
    double *kept = blocks_take(&l.memory, numbers, sizeof *kept);
    sinpos_status status = blocks_status(&l.memory);
    if (status == SINPOS_OK) {
        copy_numbers(&l, kept, false);
        if (!settle(&l))
            copy_numbers(&l, kept, true);
        for (size_t a = 0; a < identity->n_axes; a++) {
            if (is_shared && a > 0)
                memcpy(identity->axis[a].theta, l.theta[0], identity->axis[a].n_frequencies * sizeof(double));
            identity->axis[a].scale = identity->axis[a].theta[0];
        }
        status = id_plan_again(identity);
    }
    blocks_free(&l.memory);
    return status;
}
