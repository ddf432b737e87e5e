/*
 * identify_evidence.c - how much speaks for a fit, in bits.
 *
 * Each pair gives its place on its circle more exactly than what is around it would; that it lies on the circle is no
 * evidence of frequencies. From this goes what it takes to write down the frequencies, the positions, and the pairs that
 * are elsewhere: what is left is how much shorter the table is with frequencies than without.
 */
#include "identify.h"

/* Bits that are charged for the choice of a layout of all columns, and for the choice of the columns. */
#define LAYOUT_BITS 7
#define WINDOW_BITS 3

/* The same for a slope, and for one that a usual base has. */
#define SLOPE_BITS 24
#define USUAL_BITS 6.2

/* A column of padding explained is worth as much as a coordinate less. */
#define PAD_BITS 8

/* To say in which eighth of the circle a pair is, and that a pair is elsewhere. */
#define EIGHTH_BITS 3
#define ELSEWHERE_BITS 8

/* --------------------------------------------------------------------------------------------- positions */

/* What it takes to write an integer down; infinite for what is none, beyond the tolerance. */
static double integer_bits(double x, double tolerance)
{
    return fabs(x - nearbyint(x)) <= tolerance && fabs(x) < 0x1p31 ? 3 + 2 * log2(1 + fabs(x)) : INFINITY;
}

typedef struct speeds {
    double slowest, fastest;
} speeds;

static speeds speeds_of(const id_fit *fit, size_t axis)
{
    speeds s = {INFINITY, 0};
    for (size_t i = 0; i < fit->layout.n_frequencies[axis]; i++) {
        s.slowest = fmin(s.slowest, fabs(fit->theta[axis][i]));
        s.fastest = fmax(s.fastest, fabs(fit->theta[axis][i]));
    }
    return s;
}

/*
 * What it takes to write a position down, to the precision that the fastest tone asks for: an integer, or one that
 * turns the fastest or the slowest tone by eighths of the circle, costs less.
 */
static double one_position_bits(double p, speeds theta, double error)
{
    const double full = 2 + log2(1 + 2 * fabs(p) * theta.fastest / error), eighth = TWO_PI / 8;
    const double allowed = error / theta.fastest + 0x1p-22 * fabs(p); /* angles may be rounded, too */
    const double fast = integer_bits(p * theta.fastest / eighth, allowed * theta.fastest / eighth);
    const double slow = integer_bits(p * theta.slowest / eighth, allowed * theta.slowest / eighth);
    const double integer = integer_bits(p, allowed + 1e-6 * fabs(p));
    return fmin(fmin(full, integer), fmin(fast, slow));
}

void id_find_line(const id_fit *fit, const size_t *row, double turn, double *room, double *start, double *step)
{
    const double *p = fit->p[0];
    *step = 0;
    for (size_t lag = 1; lag < fit->n_rows; lag *= 2) {
        size_t n = 0;
        for (size_t i = 0; i + lag < fit->n_rows; i++) {
            const double gap = (double)(row[fit->at[i + lag]] - row[fit->at[i]]), off = p[i + lag] - p[i] - *step * gap;
            if (lag > 1 || gap == 1)
                room[n++] = *step + (turn > 0 ? off - turn * nearbyint(off / turn) : off) / gap;
        }
        *step = n > 0 ? id_median(room, n) : *step;
    }
    for (size_t i = 0; i < fit->n_rows; i++) {
        const double off = p[i] - *step * (double)row[fit->at[i]];
        room[i] = turn > 0 ? off - turn * nearbyint((off - p[0]) / turn) : off;
    }
    *start = id_median(room, fit->n_rows);
}

/* As a start, a step, and how far each row is from there. */
static double line_bits(const id_fit *fit, const size_t *row, speeds theta, double error, double *room)
{
    const double turn = fit->layout.n_frequencies[0] == 1 ? TWO_PI / fabs(fit->theta[0][0]) : 0;
    double start, step;
    id_find_line(fit, row, turn, room, &start, &step);
    double bits = one_position_bits(start, theta, error) + one_position_bits(step, theta, error);
    for (size_t i = 0; i < fit->n_rows; i++) {
        const double off = fit->p[0][i] - start - step * (double)row[fit->at[i]];
        const double size = fabs(turn > 0 ? off - turn * nearbyint(off / turn) : off);
        const double rounding = 0x1p-22 * fabs(fit->p[0][i]);
        bits += log2(1 + fmax(0, size - rounding) * theta.fastest / error);
    }
    return bits;
}

/* One by one; those that were there before are only named. */
static double list_bits(const id_fit *fit, size_t axis, speeds theta, double error)
{
    const double *p = fit->p[axis];
    double bits = 0;
    for (size_t i = 0; i < fit->n_rows; i++) {
        const double own = one_position_bits(p[i], theta, error);
        size_t k = 0;
        while (k < i && fabs(p[i] - p[k]) * theta.fastest > error + 0x1p-22 * fabs(p[i]))
            k++;
        bits += k < i ? fmin(own, 1 + log2((double)i)) : own;
    }
    return bits;
}

static double position_bits(const id_fit *fit, const size_t *row, double error, double *room)
{
    double bits = 0;
    if (fit->rounded_to > 0) /* and 1 for the type */
        return 1 + integer_bits(fit->rounded_start, 0);
    for (size_t a = 0; a < fit->layout.n_axes; a++) {
        const speeds theta = speeds_of(fit, a);
        bits += list_bits(fit, a, theta, error);
        bits = fit->layout.n_axes == 1 && fit->n_rows > 2 ? fmin(bits, line_bits(fit, row, theta, error, room)) : bits;
    }
    return bits;
}

/* ------------------------------------------------------------------------------------- schedule, columns */

/* Slopes are charged for their precision, lists of frequencies too. */
static double schedule_bits(const id_fit *fit, double error)
{
    double bits = LAYOUT_BITS;
    for (size_t a = 0; a < fit->layout.n_axes; a++) {
        const bool is_shared =
            a > 0 && fit->guess[a].family == fit->guess[0].family && fit->guess[a].slope == fit->guess[0].slope;
        const size_t m = fit->layout.n_frequencies[a];
        const double each = fmax(SLOPE_BITS, -log2(error));
        const double slope = id_is_usual(&fit->guess[a], fit->slope_error[a], m) ? USUAL_BITS : each;
        bits += each * (double)(fit->n_free[a] - fit->n_cheap[a]) + (double)fit->n_cheap[a];
        bits += is_shared ? 1 : fit->guess[a].family == ID_FREE ? each * (double)m : slope;
    }
    return bits;
}

/* Do as many columns as there are coordinates hold these, all in one unit? */
static bool are_raw(const id_fit *fit, const id_sample *sample, size_t first, double error)
{
    double unit = 0, least = 0;
    for (size_t i = 0; i < fit->n_rows * fit->layout.n_axes; i++) {
        const size_t a = i % fit->layout.n_axes, row = i / fit->layout.n_axes;
        const double x = sample->x[fit->at[row] * sample->dim + first + a], p = fit->p[a][row];
        unit = fabs(p) > least && !isnan(x) ? x / p : unit;
        least = isnan(x) ? least : fmax(least, fabs(p));
    }
    for (size_t i = 0; i < fit->n_rows * fit->layout.n_axes; i++) {
        const size_t a = i % fit->layout.n_axes, row = i / fit->layout.n_axes;
        const double x = sample->x[fit->at[row] * sample->dim + first + a], p = fit->p[a][row];
        if (fabs(x - unit * p) > 1e-4 * (fabs(x) + 1e-2) + 4 * error * fabs(unit))
            return false;
    }
    return true;
}

/*
 * Columns beside the waves. Coordinates themselves cost nothing, columns that nothing explains are written down,
 * element by element. Both rank layouts, and are no evidence of waves, or against them.
 */
static void weigh_others(id_fit *fit, const id_sample *sample, double error)
{
    const size_t first = fit->layout.first, end = first + fit->layout.width, n_axes = fit->layout.n_axes;
    const double column = (double)fit->n_rows * log2(fmin(1, error)) - 16;
    const double before = first == n_axes && are_raw(fit, sample, 0, error) ? 0 : column * (double)first;
    fit->bits += before;
    fit->beside += before;
    if (sample->dim - end == n_axes && are_raw(fit, sample, end, error))
        return;
    bool is_whole = first == 0;
    for (size_t j = end; j < sample->dim; j++) {
        const double value = id_constant(sample, j);
        is_whole = is_whole && !isnan(value);
        fit->bits += value == 0 ? PAD_BITS : !isnan(value) ? 0 : column;
        fit->beside += value == 0 ? PAD_BITS : !isnan(value) ? 0 : column;
    }
    fit->bits -= is_whole ? 0 : WINDOW_BITS;
}

/* ------------------------------------------------------------------------------------------------- pairs */

/* Where a pair is, per amplitude, and where the fit has it; a column that is cut off is 0 in both. */
typedef struct place {
    double s, c, fit_s, fit_c;
} place;

/* Angles seen so far, folded into an eighth of the circle, in steps of some errors. */
typedef struct angle_set {
    int64_t *step; /* 0 where there is none */
    size_t size, n;
} angle_set;

typedef struct evidence {
    const id_fit *fit;
    size_t m; /* tones */
    double error;
    place *places; /* (n_rows, m) */
    bool *is_idle; /* (m) explains nothing, or nothing new */
    angle_set seen;
    blocks memory;
} evidence;

static place place_of(const id_fit *fit, const id_sample *sample, size_t row, size_t k)
{
    const id_layout *layout = &fit->layout;
    const double *x = sample->x + fit->at[row] * sample->dim;
    const double angle = fit->theta[layout->axis[k]][layout->index[k]] * fit->p[layout->axis[k]][row];
    const bool has_s = layout->sin_column[k] >= 0, has_c = layout->cos_column[k] >= 0;
    return (place){
        .s = has_s ? x[layout->sin_column[k]] / layout->amplitude : 0,
        .c = has_c ? x[layout->cos_column[k]] / layout->amplitude : 0,
        .fit_s = has_s ? sin(angle) : 0,
        .fit_c = has_c ? cos(angle) : 0,
    };
}

/* How near a pair is to where one would look for it without frequencies: as in the rows before, or as its neighbour. */
static double plain_distance(const place *now, const place *before, const place *earlier, const place *neighbour)
{
    double near = 2;
    if (neighbour != NULL)
        near = fmin(near, hypot(now->s - neighbour->s, now->c - neighbour->c));
    if (before != NULL)
        near = fmin(near, hypot(now->s - before->s, now->c - before->c));
    if (earlier != NULL)
        near = fmin(near, hypot(now->s - 2 * before->s + earlier->s, now->c - 2 * before->c + earlier->c));
    return near;
}

/* Is the pair in all rows where one before it is, which has given all there is? */
static bool is_copy(const evidence *e, size_t k)
{
    for (size_t other = 0; other < k; other++) {
        size_t row = 0;
        while (row < e->fit->n_rows &&
               !(fabs(e->places[row * e->m + k].s - e->places[row * e->m + other].s) > e->error) &&
               !(fabs(e->places[row * e->m + k].c - e->places[row * e->m + other].c) > e->error))
            row++;
        if (row == e->fit->n_rows)
            return true;
    }
    return false;
}

/*
 * What it takes to write the angle down as one that was there before, in any eighth of the circle, or as a multiple of
 * an eighth; infinite if it is neither. Matrices of few values have few angles.
 */
static double repeat_bits(angle_set *seen, const place *now, double error)
{
    const double s = fabs(now->s), c = fabs(now->c), only = fmin(1, fmax(s, c));
    const double folded = fmin(s, c) == 0 ? fmin(acos(only), asin(only)) : atan2(fmin(s, c), fmax(s, c));
    const int64_t step = 1 + (int64_t)fmin(folded / (4 * error), 0x1p62);
    const bool is_simple = folded <= 2 * error || folded >= TWO_PI / 8 - 2 * error;
    size_t at = (size_t)((uint64_t)step * UINT64_C(0x9e3779b97f4a7c15) >> 20) & (seen->size - 1);
    while (seen->step[at] != 0 && seen->step[at] != step)
        at = (at + 1) & (seen->size - 1);
    const bool is_known = seen->step[at] == step;
    seen->n += !is_known;
    seen->step[at] = step;
    return is_simple ? EIGHTH_BITS : is_known ? EIGHTH_BITS + log2((double)seen->n) : INFINITY;
}

static double pair_bits(evidence *e, size_t row, size_t k)
{
    const size_t m = e->m;
    const place *now = &e->places[row * m + k];
    const double off = hypot(now->s - now->fit_s, now->c - now->fit_c);
    const bool is_known = !isnan(off) && (row == 0 || !isnan(now[-(ptrdiff_t)m].s + now[-(ptrdiff_t)m].c)) &&
                          (k == 0 || !isnan(now[-1].s + now[-1].c));
    if (!is_known)
        return 0; /* nor what one would look for without frequencies */
    const double plain =
        plain_distance(now, row > 0 ? now - m : NULL, row > 1 ? now - 2 * m : NULL, k > 0 ? now - 1 : NULL);
    const double told = log2(fmax(plain, e->error) / fmax(off, e->error)),
                 repeat = repeat_bits(&e->seen, now, e->error);
    return off <= 16 * e->error ? fmin(told, repeat) : -ELSEWHERE_BITS;
}

static sinpos_status allocate(evidence *e, const id_fit *fit)
{
    const size_t m = fit->layout.n_tones, n = m * fit->n_rows;
    *e = (evidence){.fit = fit, .m = m, .seen.size = 16};
    while (e->seen.size < 2 * n)
        e->seen.size *= 2;
    e->places = blocks_take(&e->memory, n, sizeof *e->places);
    e->is_idle = blocks_take(&e->memory, m, sizeof *e->is_idle);
    e->seen.step = blocks_take(&e->memory, e->seen.size, sizeof *e->seen.step);
    return blocks_status(&e->memory);
}

/* Places, and the error that three quarters of them have; what stays at 0 explains nothing. */
static double find_error(evidence *e, const id_sample *sample, double *room)
{
    const id_layout *layout = &e->fit->layout;
    size_t n = 0;
    for (size_t k = 0; k < e->m; k++) {
        e->is_idle[k] = id_largest(e->fit->p[layout->axis[k]], e->fit->n_rows) < 1e-9 ||
                        (layout->sin_column[k] < 0 && layout->cos_column[k] < 0);
    }
    for (size_t i = 0; i < e->m * e->fit->n_rows; i++) {
        const place at = place_of(e->fit, sample, i / e->m, i % e->m);
        e->places[i] = at;
        room[n] = hypot(at.s - at.fit_s, at.c - at.fit_c);
        n += !e->is_idle[i % e->m] && !isnan(room[n]);
    }
    return n == 0 ? INFINITY : id_select(room, n, (3 * n - 1) / 4);
}

static double all_pair_bits(evidence *e)
{
    double bits = 0;
    for (size_t k = 0; k < e->m; k++)
        e->is_idle[k] = e->is_idle[k] || is_copy(e, k);
    for (size_t i = 0; i < e->m * e->fit->n_rows; i++)
        bits += e->is_idle[i % e->m] ? 0 : pair_bits(e, i / e->m, i % e->m);
    return bits;
}

double id_largest_angle(const id_fit *fit)
{
    double most = 0;
    for (size_t a = 0; a < fit->layout.n_axes; a++)
        most = fmax(most, speeds_of(fit, a).fastest * id_largest(fit->p[a], fit->n_rows));
    return most;
}

sinpos_status id_weigh(id_fit *fit, const id_sample *sample)
{
    evidence e;
    sinpos_status status = allocate(&e, fit);
    double *room = blocks_take(&e.memory, (fit->layout.n_tones + 1) * (fit->n_rows + 1) + 1, sizeof *room);
    status = room == NULL ? SINPOS_E_MEMORY : status;
    if (status == SINPOS_OK) {
        fit->error = find_error(&e, sample, room);
        e.error = 2 * fit->error + sample->unit + 0x1p-50 * id_largest_angle(fit); /* angles are rounded here, too */
        fit->bits = isfinite(fit->error) ? all_pair_bits(&e) : 0;
        fit->bits -= position_bits(fit, sample->row, e.error, room) + schedule_bits(fit, e.error);
        weigh_others(fit, sample, e.error);
    }
    blocks_free(&e.memory);
    return status;
}
