/*
 * identify_settle.c - listed positions, as exactly as the elements determine them.
 *
 * A list of positions comes from frequencies that were fitted, allows for the roundings of usual code and is written with
 * few digits. Where these are numbers that somebody writes, they are meant. Of others each row is looked at again with the
 * frequencies that were named, tones from slow to fast: the position stays if it fits the row as well as the best; a
 * coordinate that stands in the table or a float32 is taken if that is so of it; otherwise the best. Where positions exist
 * that make every element of the row as it is, the position becomes one of them.
 */
#include "elements.h"
#include "identify_match.h"

/* Tones of a coordinate that are looked at. */
#define MOST_TONES 48
#define FEWEST_TONES 2

/* Digits of a number that somebody writes, or of both numbers of a ratio; and which part of the positions are such. */
#define PLAIN_DIGITS 5
#define MOST 0.6

/* Off by more than this a position is not that of the row. */
#define MOST_ANGLE 0.5

/* Floats on either side of a position that are tried. */
#define SINGLES 3

/* In standard errors of the best position: which others fit the row as well. */
#define NEAR 2
#define NEAR_PLAIN 4
#define NEAR_SINGLE 3

/* One in so many elements of a row may be altered. */
#define MOST_ALTERED 16
/* Doubles to either side of a position that are tried, and so many steps where they make few of the rows. */
#define MOST_NUDGES 12
#define FEW_NUDGES 6

/* Each moves along lines. */
#define MOST_PASSES 4

#define TWO_PI_LOW 2.4492935982947064e-16 /* 2 pi - TWO_PI */

typedef struct wave {
    double theta, sigma;              /* sigma: of theta, relative */
    ptrdiff_t sin_column, cos_column; /* SINPOS_NO_COLUMN where sines or cosines are alone */
} wave;

typedef struct settling {
    size_t axis, m;
    wave waves[MOST_TONES];
    wave *all; /* (n_all) of the axis, from the slowest to the fastest */
    size_t n_all;
    id_interval *rooms; /* (2 n_all) */
    sinpos_type type;
    bool is_exact;                              /* elements may be exact: none is noisy, and doubles can judge them */
    bool is_alone;                              /* no tone has both columns */
    double phase;                               /* of sines alone, which are cosines of the angle less this */
    double angle[MOST_TONES], room[MOST_TONES]; /* angle: where columns are alone, the element per amplitude */
    double unit, amplitude;
    const double *offset; /* NULL, or what was added to each column */
    bool are_plain;       /* most positions are plain numbers: these are meant ... */
    bool are_whole;       /* ... or whole ones */
} settling;

/* ------------------------------------------------------------------------------------------------- tones */

static int by_theta(const void *a, const void *b)
{
    const double x = fabs(((const wave *)a)->theta), y = fabs(((const wave *)b)->theta);
    return (x > y) - (x < y);
}

static bool has_pairs(const sinpos_identity *identity)
{
    size_t k = 0;
    while (k < identity->n_tones &&
           (identity->sin_column[k] == SINPOS_NO_COLUMN || identity->cos_column[k] == SINPOS_NO_COLUMN))
        k++;
    return k < identity->n_tones;
}

/* Tones of the axis, and some of them evenly from the slowest to the fastest. */
static sinpos_status choose_tones(settling *s, const sinpos_identity *identity)
{
    const sinpos_identity_axis *axis = &identity->axis[s->axis];
    wave *all = s->all = malloc((identity->n_tones + 1) * sizeof *all);
    size_t n = 0;
    s->rooms = malloc(2 * (identity->n_tones + 1) * sizeof *s->rooms);
    if (all == NULL || s->rooms == NULL)
        return SINPOS_E_MEMORY;
    s->is_alone = !has_pairs(identity);
    s->phase = identity->n_tones > 0 && identity->sin_column[0] != SINPOS_NO_COLUMN ? TWO_PI / 4 : 0;
    for (size_t k = 0; k < identity->n_tones; k++) {
        const ptrdiff_t sine = identity->sin_column[k], cosine = identity->cos_column[k];
        const double theta = identity->tone_axis[k] == s->axis ? axis->theta[identity->tone_index[k]] : 0;
        const bool has_columns = s->is_alone || (sine != SINPOS_NO_COLUMN && cosine != SINPOS_NO_COLUMN);
        if (theta != 0 && has_columns) {
            const bool is_exact = axis->law == SINPOS_LAW_LIST || identity->tone_index[k] == 0;
            all[n++] = (wave){theta, is_exact ? 0 : 0x1p-52, sine, cosine};
        }
    }
    if (n > 0)
        qsort(all, n, sizeof *all, by_theta);
    s->m = n < MOST_TONES ? n : MOST_TONES;
    for (size_t i = 0; i < s->m; i++)
        s->waves[i] = all[s->m == 1 ? 0 : i * (n - 1) / (s->m - 1)];
    s->n_all = n;
    return SINPOS_OK;
}

/* ------------------------------------------------------------------------------------------------ one row */

/* theta p without whole turns, with the product to twice the precision of a double. */
static double angle_at(double theta, double p)
{
    const double full = theta * p, low = fma(theta, p, -full), turns = nearbyint(full / TWO_PI);
    return fma(-turns, TWO_PI, full) - turns * TWO_PI_LOW + low;
}

/* The element of a tone, or the angle of its two. */
static double tone_of(const settling *s, const wave *w, const double *own)
{
    return s->is_alone ? own[w->sin_column == SINPOS_NO_COLUMN ? w->cos_column : w->sin_column] / s->amplitude
                       : atan2(own[w->sin_column], own[w->cos_column]);
}

static double off_from(const settling *s, const wave *w, double angle, double p)
{
    const double there = angle_at(w->theta, p);
    return s->is_alone ? id_read_cosine(angle, there, s->phase, s->unit).off : id_wrap(angle - there);
}

static double off_by(const settling *s, size_t i, double p)
{
    return off_from(s, &s->waves[i], s->angle[i], p);
}

static double sigma_of(const settling *s, size_t i, double p)
{
    const double unit = s->is_alone ? id_read_cosine(s->angle[i], 0, s->phase, s->unit).sigma : s->unit;
    return unit + s->waves[i].sigma * fabs(s->waves[i].theta * p);
}

/* Three quarters of the tones are within so many sigmas. */
static double distance(settling *s, double p)
{
    size_t n = 0;
    for (size_t i = 0; i < s->m; i++) {
        s->room[n] = fabs(off_by(s, i, p)) / sigma_of(s, i, p);
        n += !isnan(s->room[n]);
    }
    return n == 0 ? INFINITY : id_select(s->room, n, (3 * n - 1) / 4);
}

/* From slow tones to fast ones, which know better. */
static double read_clock(const settling *s, double p)
{
    double error = INFINITY;
    for (size_t i = 0; i < s->m; i++) {
        const double theta = s->waves[i].theta, off = off_by(s, i, p), sigma = sigma_of(s, i, p);
        if (fabs(off) < fmin(MOST_ANGLE, 12 * (fabs(theta) * error + sigma))) {
            p += off / theta;
            error = sigma / fabs(theta);
        }
    }
    return p;
}

/*
 * The mean over the tones that agree, and its standard error from their scatter: of tones with precision u = theta / sigma
 * that are off by z sigmas each one is off by z / u, and the slow ones say nothing of the fast ones.
 */
static double best_position(settling *s, double p, double *error)
{
    p = read_clock(s, p);
    for (int pass = 0; pass < 3; pass++) {
        const double limit = 4 * distance(s, p) + 1;
        double up = 0, u2 = 0, u4 = 0, scatter = 0;
        for (size_t i = 0; i < s->m; i++) {
            const double sigma = sigma_of(s, i, p), u = s->waves[i].theta / sigma, z = off_by(s, i, p) / sigma;
            if (fabs(z) <= limit) {
                up += u * z;
                u2 += u * u;
                u4 += u * u * u * u;
                scatter += u * u * z * z;
            }
        }
        const double others = u4 > 0 ? u2 * u2 / u4 - 1 : 1; /* as many tones of equal weight, less one */
        p += u2 > 0 ? up / u2 : 0;
        *error = u2 > 0 ? fmax(sqrt(scatter / u4 / fmax(others, 1)), 0.25 / sqrt(u2)) : INFINITY;
    }
    return p;
}

static bool is_plain(double p)
{
    return id_digits(p) <= PLAIN_DIGITS || id_ratio_digits(p) <= PLAIN_DIGITS;
}

static bool is_whole(double p)
{
    return p == nearbyint(p);
}

static bool are_most(const sinpos_identity *identity, bool (*is)(double))
{
    const size_t n = identity->n * identity->n_axes;
    size_t n_such = 0;
    for (size_t i = 0; i < n; i++)
        n_such += is(identity->positions[i]);
    return (double)n_such >= MOST * (double)n;
}

/* raw is the coordinate that stands in the table, NAN where none does. */
static double settle(settling *s, double p, double raw)
{
    double error;
    if (s->are_plain && is_plain(p))
        return p;
    const double before = distance(s, p), best = best_position(s, p, &error), single = (double)(float)best;
    if (!(before * s->unit < MOST_ANGLE) || !(distance(s, best) < before) ||
        fabs(p - best) <= (is_plain(p) ? NEAR_PLAIN : NEAR) * error)
        return p;
    if (fabs(raw - best) <= NEAR_PLAIN * error)
        return raw;
    if (fabs(best) * 0x1p-24 >= error && fabs(single - best) <= NEAR_SINGLE * error)
        return single;
    return id_simple(best, error / 4);
}

/* By how much an angle may change so that its sine lies between two numbers, on its own branch or the next. */
static id_interval between_sines(double angle, double low, double high)
{
    const double turned = id_wrap(angle), half_turn = TWO_PI / 2;
    const bool falls = fabs(turned) > half_turn / 2;
    const double at = falls ? copysign(half_turn, turned) - turned : turned;
    const double below = low <= -1 ? -half_turn - asin(fmin(high, 1)) : asin(fmin(low, 1));
    const double above = high >= 1 ? half_turn - asin(fmax(low, -1)) : asin(fmax(high, -1));
    return falls ? (id_interval){at - above, at - below} : (id_interval){below - at, above - at};
}

/* By how much the position may change for the element of a column, the sine of this angle. */
static id_interval room_of(const settling *s, const double *own, ptrdiff_t column, double angle, double theta)
{
    if (column == SINPOS_NO_COLUMN)
        return (id_interval){-INFINITY, INFINITY};
    const double x = own[column], added = s->offset == NULL ? 0 : s->offset[column];
    id_interval half = id_half_units(x, type_unit(s->type), s->type);
    if (added != 0) { /* it was rounded before, and again with what was added */
        const double again = id_half_units(x + round_to(added, s->type), type_unit(s->type), s->type).high;
        half = (id_interval){half.low + again, half.high + again};
    }
    const double low = (x - (x > 0 ? half.low : half.high)) / s->amplitude;
    const double high = (x + (x > 0 ? half.high : half.low)) / s->amplitude;
    const id_interval room = between_sines(angle, fmin(low, high), fmax(low, high));
    return theta > 0 ? (id_interval){room.low / theta, room.high / theta}
                     : (id_interval){room.high / theta, room.low / theta};
}

static int by_width(const void *a, const void *b)
{
    const id_interval *x = a, *y = b;
    const double one = x->high - x->low, other = y->high - y->low;
    return (one < other) - (one > other);
}

/*
 * By how much p, which makes `made`, may change: then every element of the row is as it is. From elements that leave much room to those that
 * leave little; some may be altered and leave none. Empty where no position will do.
 */
static id_interval room_for(const settling *s, const double *own, const double *made, double p)
{
    id_interval left = {-INFINITY, INFINITY};
    size_t n = 0, altered = 0;
    for (size_t i = 0; i < s->n_all; i++) {
        const wave *w = &s->all[i];
        const double angle = s->is_alone        ? angle_at(w->theta, p)
                             : s->amplitude > 0 ? atan2(made[w->sin_column], made[w->cos_column])
                                                : atan2(-made[w->sin_column], -made[w->cos_column]);
        s->rooms[n++] = room_of(s, own, w->cos_column, angle + TWO_PI / 4, w->theta);
        s->rooms[n++] = room_of(s, own, w->sin_column, angle, w->theta);
    }
    qsort(s->rooms, n, sizeof *s->rooms, by_width);
    for (size_t i = 0; i < n; i++) {
        const id_interval both = {fmax(left.low, s->rooms[i].low), fmin(left.high, s->rooms[i].high)};
        if (both.low <= both.high)
            left = both;
        else
            altered++;
    }
    return altered > n / MOST_ALTERED ? (id_interval){INFINITY, -INFINITY} : left;
}

/* The simplest position inside the room, of doubles near its middle. */
static double move_inside(const settling *s, const double *own, const double *made, double p)
{
    const id_interval left = room_for(s, own, made, p);
    const double half = (left.high - left.low) / 2, middle = p + left.low + half;
    const double tried[] = {p,      (double)(float)middle,       id_simple(middle, half / 2),
                            middle, nextafter(middle, INFINITY), nextafter(middle, -INFINITY)};
    for (size_t k = 0; k < sizeof tried / sizeof tried[0] && half >= 0 && isfinite(half); k++)
        if (tried[k] - p >= left.low && tried[k] - p <= left.high)
            return tried[k];
    return p;
}

/* ------------------------------------------------------------------------------------------------- a table */

static bool settle_rows(settling *s, sinpos_identity *identity, size_t first, size_t n, const double *x)
{
    bool has_changed = false;
    for (size_t row = 0; row < n; row++) {
        const double *own = x + row * identity->dim;
        double *p = &identity->positions[(first + row) * identity->n_axes + s->axis];
        size_t n_known = 0;
        for (size_t i = 0; i < s->m; i++) {
            s->angle[i] = tone_of(s, &s->waves[i], own);
            n_known += !isnan(s->angle[i]);
        }
        const bool is_known = !id_is_zero_row(identity, first + row) && n_known >= FEWEST_TONES;
        const double raw = identity->n_raw_first > 0  ? own[s->axis]
                           : identity->n_raw_last > 0 ? own[identity->dim - identity->n_raw_last + s->axis]
                                                      : NAN;
        const double settled = is_known ? settle(s, *p, raw) : *p;
        has_changed = has_changed || settled != *p;
        *p = settled;
    }
    return has_changed;
}

/* Of a row of zeros, or whole as most are: no other number is meant. */
static bool is_meant(const settling *s, const sinpos_identity *identity, size_t row, double p)
{
    return id_is_zero_row(identity, row) || (s->are_whole && is_whole(p));
}

/* Positions that make every element of their rows, where there are such. */
static sinpos_status move_rows(settling *s, sinpos_identity *identity, size_t first, size_t n, const double *x,
                               bool *has_changed)
{
    double *made = malloc(n * identity->dim * sizeof *made);
    sinpos_status status = made == NULL ? SINPOS_E_MEMORY : SINPOS_OK;
    bool is_moving = true;
    for (int pass = 0; pass < MOST_PASSES && is_moving && status == SINPOS_OK; pass++) {
        is_moving = false;
        status = sinpos_identity_rows(identity, first, n, SINPOS_F64, made, 1);
        for (size_t row = 0; row < n && status == SINPOS_OK; row++) {
            double *p = &identity->positions[(first + row) * identity->n_axes + s->axis];
            const double *own = x + row * identity->dim;
            const double moved =
                is_meant(s, identity, first + row, *p) ? *p : move_inside(s, own, made + row * identity->dim, *p);
            is_moving = is_moving || moved != *p;
            *p = moved;
        }
        *has_changed = *has_changed || is_moving;
    }
    free(made);
    return status;
}

/* The k-th double after p, before it where k is negative. */
static double beside(double p, int k)
{
    return p + k * (nextafter(fabs(p), INFINITY) - fabs(p));
}

static size_t count_wrong(const double *made, const double *x, size_t dim)
{
    size_t n = 0;
    for (size_t j = 0; j < dim; j++)
        n += made[j] != x[j];
    return n;
}

/* Elements of double know a position to some units in its last place: the one is taken that makes most of its row. */
static sinpos_status nudge_rows(const settling *s, sinpos_identity *identity, size_t first, size_t n, const double *x,
                                bool *has_changed)
{
    const size_t dim = identity->dim, axes = identity->n_axes;
    double *made = malloc(n * (dim + 2) * sizeof *made);
    size_t *wrong = malloc(n * sizeof *wrong), n_made = 0;
    sinpos_status status = made == NULL || wrong == NULL ? SINPOS_E_MEMORY : SINPOS_OK;
    double *before = made + n * dim, *best = before + n, *p = &identity->positions[first * axes + s->axis];
    for (size_t i = 0; i < n && status == SINPOS_OK; i++) {
        before[i] = best[i] = p[i * axes];
        wrong[i] = SIZE_MAX;
    }
    for (int step = 0; step <= 2 * MOST_NUDGES && n_made < n && status == SINPOS_OK; step++) {
        const int k = step % 2 == 0 ? -step / 2 : step / 2 + 1;
        for (size_t i = 0; i < n; i++)
            p[i * axes] = is_meant(s, identity, first + i, before[i]) ? before[i] : beside(before[i], k);
        status = sinpos_identity_rows_as_found(identity, first, n, SINPOS_F64, made, 1);
        for (size_t i = n_made = 0; i < n && status == SINPOS_OK; i++) {
            const size_t own = wrong[i] == 0 ? SIZE_MAX : count_wrong(made + i * dim, x + i * dim, dim);
            best[i] = own < wrong[i] ? p[i * axes] : best[i];
            wrong[i] = own < wrong[i] ? own : wrong[i];
            n_made += wrong[i] == 0;
        }
        if (step == FEW_NUDGES && 10 * n_made < n && axes == 1)
            break;
    }
    for (size_t i = 0; i < n && status == SINPOS_OK; i++) {
        *has_changed = *has_changed || best[i] != before[i];
        p[i * axes] = best[i];
    }
    free(made);
    free(wrong);
    return status;
}

/* Most positions of a coordinate are floats, and nobody writes such numbers: the others are too, though short decimals lie near. */
static bool are_single(const sinpos_identity *identity, size_t axis)
{
    size_t single = 0, plain = 0;
    for (size_t i = 0; i < identity->n; i++) {
        const double p = identity->positions[i * identity->n_axes + axis];
        single += p == (double)(float)p;
        plain += is_plain(p);
    }
    return 2 * single >= identity->n && 2 * plain < identity->n;
}

/*
 * The float next to p whose angle is that of the first frequency's columns. Of this frequency, 1, float32 code rounds no
 * angle; what it rounds of the others has moved p.
 */
static double nearest_single(const settling *s, const double *own, double p)
{
    const wave *first = &s->waves[s->m - 1];
    const double angle = tone_of(s, first, own), middle = (double)(float)p;
    const double step = (double)(nextafterf((float)fabs(p), INFINITY) - (float)fabs(p));
    double best = middle, least = INFINITY;
    for (int k = 0; k <= 2 * SINGLES && !isnan(angle); k++) {
        const double tried = middle + (k % 2 == 0 ? k / 2 : -(k + 1) / 2) * step;
        const double off = fabs(off_from(s, first, angle, tried));
        if (off < least - type_unit(s->type)) {
            least = off;
            best = tried;
        }
    }
    return best;
}

static bool make_single(const settling *s, sinpos_identity *identity, size_t first, size_t n, const double *x)
{
    bool has_changed = false;
    for (size_t row = 0; row < n; row++) {
        double *p = &identity->positions[(first + row) * identity->n_axes + s->axis];
        const double before = *p;
        if (before != nearbyint(before) && !id_is_zero_row(identity, first + row))
            *p = nearest_single(s, x + row * identity->dim, before);
        has_changed = has_changed || *p != before;
    }
    return has_changed;
}

/* Rows as doubles, with what was done to their columns undone. */
static sinpos_status read_piece(const id_view *view, size_t first, size_t n, void *rows, double *x)
{
    const sinpos_status status = id_view_read(view, first, n, rows);
    if (status != SINPOS_OK)
        return status;
    widen(x, rows, view->type, n * view->dim);
    for (size_t i = 0; i < n; i++)
        id_repair(view->match, view->type, x + i * view->dim);
    return SINPOS_OK;
}

sinpos_status id_settle_positions(sinpos_identity *identity, const id_view *view, double error, bool *has_changed)
{
    const size_t fit = ((size_t)1 << 18) / view->dim + 1, piece = fit < view->n ? fit : view->n;
    *has_changed = false;
    if (identity->positions == NULL)
        return SINPOS_OK;
    const bool are_plain = are_most(identity, is_plain), are_whole = are_most(identity, is_whole);
    void *rows = malloc(piece * view->dim * sinpos_type_bytes(view->type));
    double *x = malloc(2 * piece * view->dim * sizeof *x), *raw = x == NULL ? NULL : x + piece * view->dim;
    sinpos_status status = rows == NULL || x == NULL ? SINPOS_E_MEMORY : SINPOS_OK;
    for (size_t a = 0; a < identity->n_axes && status == SINPOS_OK; a++) {
        settling s = {.axis = a,
                      .unit = error,
                      .are_plain = are_plain,
                      .are_whole = are_whole,
                      .type = view->type,
                      .amplitude = identity->amplitude,
                      .offset = identity->column_offset};
        const bool may_be_exact = !(identity->noise > 0) && !(identity->dropped > 0) && !id_has_levels(identity);
        const bool is_double = view->type == SINPOS_F64 && may_be_exact && error < 0x1p-50;
        s.is_exact = view->type != SINPOS_F64 && may_be_exact;
        status = choose_tones(&s, identity);
        for (size_t first = 0; first < view->n && s.m >= FEWEST_TONES && status == SINPOS_OK; first += piece) {
            const size_t n = view->n - first < piece ? view->n - first : piece;
            status = read_piece(view, first, n, rows, x);
            if (status == SINPOS_OK) {
                widen(raw, rows, view->type, n * view->dim);
                *has_changed = settle_rows(&s, identity, first, n, x) || *has_changed;
                status = s.is_exact  ? move_rows(&s, identity, first, n, x, has_changed)
                         : is_double ? nudge_rows(&s, identity, first, n, raw, has_changed)
                                     : SINPOS_OK;
            }
        }
        const bool is_single = s.m >= FEWEST_TONES && s.waves[s.m - 1].theta == 1 && view->type == SINPOS_F32 &&
                               !are_plain && may_be_exact && are_single(identity, a);
        for (size_t first = 0; first < view->n && is_single && status == SINPOS_OK; first += piece) {
            const size_t n = view->n - first < piece ? view->n - first : piece;
            status = read_piece(view, first, n, rows, x);
            *has_changed = (status == SINPOS_OK && make_single(&s, identity, first, n, x)) || *has_changed;
        }
        free(s.all);
        free(s.rooms);
    }
    free(rows);
    free(x);
    return status;
}
