/* identify_rows.c - positions as a range, a grid or a list, and the unit they are counted in. */
#include "elements.h"
#include "identify_match.h"

/* Part of the rows that must agree with a range or a grid. */
#define MOST 0.6

/* The same for positions that were rounded, and how far their start may be from where the middle ones put it. */
#define MOST_ROUNDED 0.95
#define MOST_STARTS 32

/* Turns of the slowest tone that are looked at for one after which all tones are where they were. */
#define MOST_TURNS 8

/* Of a turn and its multiples, relative. */
#define ROUNDING 0x1p-50

/* How likely may a start that is none be near a whole number? */
#define CHANCE 0.02

typedef struct context {
    sinpos_identity *identity;
    const id_fit *fit;
    const id_sample *sample;
    double *p[ID_MOST_AXES]; /* (sample->n) in units of 1 / theta_0 */
    double *room;
} context;

/* How far a position may be off: by the errors of the elements, and by roundings that grow with it. */
static double tolerance(const context *c, size_t axis, double p)
{
    double fastest = 0;
    for (size_t i = 0; i < c->fit->layout.n_frequencies[axis]; i++)
        fastest = fmax(fastest, fabs(c->fit->theta[axis][i]));
    const double error = 8 * c->fit->error + 4 * c->sample->unit;
    return error / fastest + fabs(p) * (c->fit->error < 1e-10 ? 1e-13 : 1e-6);
}

/* ------------------------------------------------------------------------------------------------- range */

static size_t agreeing(const context *c, size_t axis, double start, double step)
{
    size_t n = 0;
    for (size_t i = 0; i < c->sample->n; i++) {
        const double p = c->p[axis][i], want = start + step * (double)c->sample->row[i];
        n += fabs(p - want) <= fmin(4 * tolerance(c, axis, want) + 1e-9 * fabs(step), fabs(step) / 4);
    }
    return n;
}

/* How far the start is off: by roundings, which all rows share, but not by more than the steps leave in doubt. */
static double start_error(const context *c, double start, double step)
{
    const size_t n = c->sample->n;
    for (size_t i = 0; i < n; i++)
        c->room[i] = fabs(c->p[0][i] - start - step * (double)c->sample->row[i]);
    const double shown = id_select(c->room, n, (4 * n - 1) / 5);
    if (c->fit->noise > 0) /* which rows do not share */
        return fmax(4 * shown / sqrt((double)n), fabs(step) / 16);
    return fmin(tolerance(c, 0, start), fmax(2 * shown + tolerance(c, 0, 0), fabs(step) / 16));
}

/* By the formula that was named: a turn of the fitted one would be off after many. */
static double named_theta(const context *c, size_t i)
{
    const sinpos_identity_axis *axis = &c->identity->axis[0];
    switch (axis->law) {
    case SINPOS_LAW_GEOMETRIC: return pow(axis->base, -(double)i / axis->divisor);
    case SINPOS_LAW_LINEAR: return 1 + axis->increment * (double)i;
    case SINPOS_LAW_LIST: break;
    }
    return c->fit->theta[0][i];
}

/* A distance after which every tone is where it was: for a lone frequency, for powers of ten, for octaves. 0 if none. */
static double common_turn(const context *c)
{
    const size_t n = c->fit->layout.n_frequencies[0];
    double slowest = INFINITY;
    for (size_t i = 0; i < n; i++) {
        const double theta = fabs(named_theta(c, i));
        slowest = theta != 0 ? fmin(slowest, theta) : slowest;
    }
    for (int turns = 1; turns <= MOST_TURNS; turns++) {
        double off = 0;
        for (size_t i = 0; i < n; i++) {
            const double own = turns * named_theta(c, i) / slowest;
            off = fmax(off, fabs(own - nearbyint(own)));
        }
        if (off < 1e-6)
            return turns * TWO_PI / slowest;
    }
    return 0;
}

/* Positions known up to whole turns: nearest to equal steps. */
static void unwrap(context *c, double turn)
{
    const size_t *row = c->sample->row;
    double step = NAN;
    for (size_t i = 1; i < c->sample->n && isnan(step); i++) {
        if (row[i] == row[i - 1] + 1) {
            step = c->p[0][i] - c->p[0][i - 1];
            step -= turn * nearbyint(step / turn);
        }
    }
    for (size_t i = 1; i < c->sample->n && !isnan(step); i++) {
        const double want = c->p[0][i - 1] + step * (double)(row[i] - row[i - 1]);
        c->p[0][i] += turn * nearbyint((want - c->p[0][i]) / turn);
    }
}

/* Steps from row to row, then over longer and longer distances. */
static double find_step(const context *c, size_t axis)
{
    const size_t *row = c->sample->row, n = c->sample->n;
    double step = NAN;
    for (size_t lag = 1; lag < n; lag *= 2) {
        size_t used = 0;
        for (size_t i = 0; i + lag < n; i++) {
            const double gap = (double)(row[i + lag] - row[i]);
            if (lag > 1 || gap == 1)
                c->room[used++] = (c->p[axis][i + lag] - c->p[axis][i]) / gap;
        }
        if (used > 0)
            step = id_median(c->room, used);
    }
    return step;
}

/* How far the rows say that the start is off. */
static double shown_error(const context *c, double start, double step)
{
    const size_t n = c->sample->n;
    for (size_t i = 0; i < n; i++)
        c->room[i] = fabs(c->p[0][i] - start - step * (double)c->sample->row[i]);
    return 4 * id_median(c->room, n) + tolerance(c, 0, 0);
}

/* A whole start that lies turns away, nearest first, where chance would find none; otherwise the start as it is. */
static double whole_start(double start, double error, double turn)
{
    for (double k = 1, near = error; turn > 0 && 4 * k * near < CHANCE; k++) {
        near = error + ROUNDING * k * turn;
        for (int side = 1; side >= -1; side -= 2) {
            const double moved = start + side * k * turn;
            if (fabs(moved - nearbyint(moved)) <= near && moved >= 0)
                return nearbyint(moved);
        }
    }
    return start;
}

static size_t agreeing_rounded(const context *c, double start, double step, int bits)
{
    size_t n = 0;
    for (size_t i = 0; i < c->sample->n; i++) {
        const double want = id_to_bits(start + (double)c->sample->row[i], bits) * step;
        n += fabs(c->p[0][i] - want) <= 4 * tolerance(c, 0, want);
    }
    return n;
}

/* Whole positions from a start on, each rounded to bfloat16 or float16? The arithmetic says which. */
static bool is_rounded_range(context *c, double start, double step)
{
    static const int types[] = {8, 11};
    sinpos_identity_axis *axis = &c->identity->axis[0];
    const double size = id_simple(fabs(step), 1e-2 * fabs(step)), near = nearbyint(start / size);
    size_t most = 0;
    for (size_t t = 0; t < sizeof types / sizeof types[0] && step > 0; t++) {
        for (int k = -MOST_STARTS; k <= MOST_STARTS; k++) {
            const size_t agree = agreeing_rounded(c, near + k, size, types[t]);
            axis->start = agree > most ? near + k : axis->start;
            most = agree > most ? agree : most;
        }
    }
    axis->scale = size;
    axis->step = 1;
    return (double)most >= MOST_ROUNDED * (double)c->sample->n;
}

static bool is_range(context *c, double turn)
{
    sinpos_identity_axis *axis = &c->identity->axis[0];
    const size_t n = c->sample->n;
    const double step = find_step(c, 0);
    if (n < 2 || !isfinite(step) || step == 0)
        return false;
    for (size_t i = 0; i < n; i++)
        c->room[i] = c->p[0][i] - step * (double)c->sample->row[i];
    const double start = id_median(c->room, n), size = fabs(step);
    const double error = start_error(c, start, step);
    if (fabs(step) <= 2 * error || (double)agreeing(c, 0, start, step) < MOST * (double)n)
        return is_rounded_range(c, start, step);
    const double span = (double)(c->sample->row[n - 1] - c->sample->row[0]);
    const double near = error * 2 / span + (c->fit->error < 1e-12 ? 1e-15 : 1e-9) * size;
    /* The first frequency may be rounded; a number with few digits is meant. */
    const double round = id_simple_angle(size, fmax(near, c->fit->error < 1e-10 ? 0 : 1.5e-7 * size));
    double turns, factor;
    const bool is_turn = id_is_turn(round, ID_SCALE_DIGITS, &turns, &factor);
    const double simple = id_digits(round) <= 4 || is_turn ? round : id_simple(size, near);
    const bool in_steps = simple >= 3 && simple == nearbyint(simple) && axis->law != SINPOS_LAW_LIST;
    axis->scale = in_steps ? 1 : simple;
    axis->step = in_steps ? copysign(simple, step) : copysign(1, step);
    axis->start = id_simple(start / axis->scale, 2 * error / axis->scale);
    if (axis->scale == 1 && axis->start != nearbyint(axis->start)) {
        const double shown = fmin(shown_error(c, start, step), 2 * error);
        const double whole = whole_start(start, shown, turn);
        axis->start = whole == nearbyint(whole) ? whole : id_simple(start, shown);
    }
    return true;
}

static bool find_range(context *c)
{
    const double turn = common_turn(c);
    if (id_has_one_pair(&c->fit->layout) && c->fit->is_steady) /* which gives positions up to its own turns */
        unwrap(c, TWO_PI / fabs(c->fit->theta[0][0]));
    if (c->fit->layout.n_frequencies[0] > 1 && is_range(c, turn))
        return true;
    if (turn > 0)
        unwrap(c, turn);
    return (turn > 0 || c->fit->layout.n_frequencies[0] == 1) && is_range(c, turn);
}

/* -------------------------------------------------------------------------------------------------- grid */

/* After how many rows does the coordinate change first? 0 if it never does. */
static size_t find_stride(const context *c, size_t axis)
{
    const double *p = c->p[axis];
    for (size_t i = 1; i < c->sample->n; i++)
        if (fabs(p[i] - p[0]) > 8 * tolerance(c, axis, fmax(fabs(p[i]), fabs(p[0]))))
            return c->sample->row[i] - c->sample->row[0];
    return 0;
}

static size_t grid_index(const sinpos_identity *identity, size_t axis, size_t row)
{
    const sinpos_identity_axis *own = &identity->axis[axis];
    return (row - identity->n_zero_first) / own->stride % own->size;
}

/* Sizes from strides, the fastest axis first. False where rows do not run through a grid. */
static bool find_sizes(sinpos_identity *identity)
{
    const size_t n = identity->n - identity->n_zero_first;
    size_t order[ID_MOST_AXES], n_moving = 0;
    for (size_t a = 0; a < identity->n_axes; a++) {
        identity->axis[a].size = 1;
        if (identity->axis[a].stride > 0) {
            size_t at = n_moving++;
            for (; at > 0 && identity->axis[order[at - 1]].stride > identity->axis[a].stride; at--)
                order[at] = order[at - 1];
            order[at] = a;
        }
    }
    if (n_moving == 0 || identity->axis[order[0]].stride != 1)
        return false;
    for (size_t i = 0; i < n_moving; i++) {
        const size_t stride = identity->axis[order[i]].stride;
        const size_t next = i + 1 < n_moving ? identity->axis[order[i + 1]].stride : n;
        if (next <= stride || next % stride != 0)
            return false;
        identity->axis[order[i]].size = next / stride;
    }
    return true;
}

/* Start and step of an axis from the rows, and whether they agree with it. */
static bool find_values(context *c, size_t axis)
{
    sinpos_identity_axis *own = &c->identity->axis[axis];
    const size_t n = c->sample->n;
    size_t used = 0, agree = 0;
    own->stride = own->stride == 0 ? 1 : own->stride;
    for (size_t i = 0; i < n; i++)
        if (grid_index(c->identity, axis, c->sample->row[i]) == 0)
            c->room[used++] = c->p[axis][i];
    own->start = used == 0 ? 0 : id_median(c->room, used);
    used = 0;
    for (size_t i = 0; i < n; i++) {
        const size_t k = grid_index(c->identity, axis, c->sample->row[i]);
        if (k > 0)
            c->room[used++] = (c->p[axis][i] - own->start) / (double)k;
    }
    own->step = used == 0 ? 0 : id_median(c->room, used);
    for (size_t i = 0; i < n; i++) {
        const double want = own->start + own->step * (double)grid_index(c->identity, axis, c->sample->row[i]);
        agree += fabs(c->p[axis][i] - want) <= 4 * tolerance(c, axis, want);
    }
    return (double)agree >= MOST * (double)n;
}

/* Are steps pi times short ratios, where as numbers they are long? */
static bool are_parts_of_turn(const context *c)
{
    bool are = true;
    for (size_t a = 0; a < c->identity->n_axes; a++) {
        const double size = fabs(c->identity->axis[a].step), error = tolerance(c, a, size);
        const double part = id_simple(size / (TWO_PI / 2), error);
        const size_t digits = id_ratio_digits(part) < id_digits(part) ? id_ratio_digits(part) : id_digits(part);
        are = are && (c->identity->axis[a].size <= 1 || digits + 1 < id_digits(id_simple(size, error)));
    }
    return are;
}

/*
 * Frequencies of one ladder that are dealt to the axes in turn: axis a of n begins a / n of a rung further down. Then
 * its unit is that frequency.
 */
static bool deal_grid(context *c)
{
    sinpos_identity *identity = c->identity;
    double unit[ID_MOST_AXES], step = 0;
    bool are_equal = true, is_dealt = true;
    for (size_t a = 0; a < identity->n_axes; a++) {
        const sinpos_identity_axis *axis = &identity->axis[a];
        const double size = fabs(axis->step), error = 4 * tolerance(c, a, size),
                     shift = (double)a / (double)identity->n_axes;
        if (axis->law != SINPOS_LAW_GEOMETRIC || axis->base != identity->axis[0].base ||
            axis->divisor != identity->axis[0].divisor)
            return false;
        unit[a] = pow(axis->base, -shift / axis->divisor);
        if (axis->size <= 1)
            continue;
        step = step == 0 ? id_simple(size / unit[a], error / unit[a]) : step;
        is_dealt = is_dealt && fabs(size - step * unit[a]) <= error;
        are_equal = are_equal && fabs(size - step) <= error;
    }
    for (size_t a = 0; a < identity->n_axes && is_dealt && !are_equal; a++) {
        sinpos_identity_axis *axis = &identity->axis[a];
        const double error = tolerance(c, a, axis->start + axis->step * (double)axis->size) / unit[a];
        axis->shift = (double)a / (double)identity->n_axes;
        axis->scale = unit[a];
        axis->start = id_simple(axis->start / unit[a], error);
        axis->step = copysign(step, axis->step);
    }
    return is_dealt && !are_equal;
}

/* One step for all axes is the unit, if there is one. */
static void scale_grid(context *c)
{
    sinpos_identity *identity = c->identity;
    double scale = 0;
    bool is_one = true;
    for (size_t a = 0; a < identity->n_axes; a++) {
        const double size = fabs(identity->axis[a].step), error = tolerance(c, a, size);
        if (identity->axis[a].size > 1) {
            is_one = is_one && (scale == 0 || fabs(size - scale) <= 4 * error);
            scale = scale == 0 ? id_simple_angle(size, error) : scale;
        }
    }
    scale = is_one && scale > 0 ? scale : are_parts_of_turn(c) ? TWO_PI / 2 : 1;
    for (size_t a = 0; a < identity->n_axes; a++) {
        sinpos_identity_axis *axis = &identity->axis[a];
        const double error = tolerance(c, a, axis->start + axis->step * (double)axis->size) / scale;
        axis->scale = scale;
        axis->start = id_simple(axis->start / scale, error);
        axis->step = id_simple(axis->step / scale, error / (double)(axis->size > 1 ? axis->size - 1 : 1));
    }
}

static bool find_grid(context *c)
{
    sinpos_identity *identity = c->identity;
    if (c->sample->n < 2 || identity->n_axes < 2)
        return false;
    for (size_t a = 0; a < identity->n_axes; a++)
        identity->axis[a].stride = find_stride(c, a);
    bool is_grid = find_sizes(identity);
    for (size_t a = 0; a < identity->n_axes && is_grid; a++)
        is_grid = find_values(c, a);
    if (is_grid && !deal_grid(c))
        scale_grid(c);
    for (size_t a = 0; a < identity->n_axes && !is_grid; a++)
        identity->axis[a].size = identity->axis[a].stride = 0;
    return is_grid;
}

/* -------------------------------------------------------------------------------------------------- list */

/* Digits it takes to write the positions in a unit. */
static size_t digits_in(const context *c, double unit)
{
    size_t digits = 0;
    const size_t n = c->sample->n < 64 ? c->sample->n : 64;
    for (size_t a = 0; a < c->identity->n_axes; a++) {
        for (size_t i = 0; i < n; i++) {
            const double p = c->p[a][i], simple = id_simple(p / unit, tolerance(c, a, p) / unit);
            const size_t decimal = id_digits(simple), ratio = id_ratio_digits(simple);
            digits += decimal < ratio ? decimal : ratio;
        }
    }
    return digits;
}

/* Radians, unless turns or half turns are simpler by far. */
static double best_unit(const context *c)
{
    const size_t plain = digits_in(c, 1), half = digits_in(c, TWO_PI / 2), whole = digits_in(c, TWO_PI);
    const size_t n = (c->sample->n < 64 ? c->sample->n : 64) * c->identity->n_axes, least = half < whole ? half : whole;
    return least + n < plain ? (half <= whole ? TWO_PI / 2 : TWO_PI) : 1;
}

static sinpos_status list_piece(context *c, const id_view *view, size_t first, size_t n, void *rows, double *x,
                                double *p)
{
    sinpos_identity *identity = c->identity;
    sinpos_status status = id_view_read(view, first, n, rows);
    if (status != SINPOS_OK)
        return status;
    widen(x, rows, view->type, n * view->dim);
    for (size_t i = 0; i < n; i++)
        id_repair(view->match, view->type, x + i * view->dim);
    for (size_t a = 0; a < identity->n_axes && status == SINPOS_OK; a++) {
        const double unit = identity->axis[a].scale;
        status = id_fit_positions(c->fit, c->sample->unit, x, n, view->dim, a, p);
        for (size_t i = 0; i < n && status == SINPOS_OK; i++) {
            const bool is_known = isfinite(p[i]) && fabs(p[i]) < 0x1p62;
            identity->positions[(first + i) * identity->n_axes + a] =
                is_known ? id_simple(p[i] / unit, tolerance(c, a, p[i]) / unit) : 0;
        }
    }
    return status;
}

/* Positions of every row. */
static sinpos_status make_list(context *c, const id_view *view)
{
    sinpos_identity *identity = c->identity;
    const size_t fit = ((size_t)1 << 18) / view->dim + 1, piece = fit < view->n ? fit : view->n;
    const double unit = best_unit(c);
    for (size_t a = 0; a < identity->n_axes; a++)
        identity->axis[a].scale = unit;
    identity->positions = calloc(view->n * identity->n_axes, sizeof *identity->positions);
    void *rows = malloc(piece * view->dim * sinpos_type_bytes(view->type));
    double *x = malloc(piece * view->dim * sizeof *x), *p = malloc(piece * sizeof *p);
    sinpos_status status = SINPOS_E_MEMORY;
    if (identity->positions != NULL && rows != NULL && x != NULL && p != NULL) {
        status = SINPOS_OK;
        for (size_t first = 0; first < view->n && status == SINPOS_OK; first += piece) {
            const size_t n = view->n - first < piece ? view->n - first : piece;
            status = list_piece(c, view, first, n, rows, x, p);
        }
    }
    free(rows);
    free(x);
    free(p);
    return status;
}

/* ----------------------------------------------------------------------------------------------- all three */

static bool has_sines_alone(const sinpos_identity *identity)
{
    size_t k = 0;
    while (k < identity->n_tones && identity->cos_column[k] == SINPOS_NO_COLUMN)
        k++;
    return k == identity->n_tones && identity->n_axes == 1;
}

static void note_zero_rows(sinpos_identity *identity, const id_sample *sample)
{
    identity->n_zero = sample->n_zero;
    for (size_t i = 0; i < sample->n_zero && i < SINPOS_IDENTITY_LISTED; i++)
        identity->zero[i] = sample->zero[i];
    if (sample->n_zero == 1 && has_sines_alone(identity) && id_position(identity, sample->zero[0], 0) == 0)
        identity->n_zero = 0; /* position 0 */
    while (identity->n_zero_first < identity->n_zero && sample->zero[identity->n_zero_first] == identity->n_zero_first)
        identity->n_zero_first++;
}

bool id_is_zero_row(const sinpos_identity *identity, size_t row)
{
    const size_t n = identity->n_zero < SINPOS_IDENTITY_LISTED ? identity->n_zero : SINPOS_IDENTITY_LISTED;
    for (size_t i = 0; i < n; i++)
        if (identity->zero[i] == row)
            return true;
    return row < identity->n_zero_first;
}

double id_position(const sinpos_identity *identity, size_t row, size_t axis)
{
    const sinpos_identity_axis *own = &identity->axis[axis];
    if (identity->positions != NULL)
        return identity->positions[row * identity->n_axes + axis];
    if (own->size == 0)
        return own->start + own->step * (double)row;
    return row < identity->n_zero_first ? 0 : own->start + own->step * (double)grid_index(identity, axis, row);
}

void id_name_known_rows(sinpos_identity *identity, const id_sample *sample, double start, double unit, double error)
{
    sinpos_identity_axis *axis = &identity->axis[0];
    axis->start = start;
    axis->step = 1;
    axis->scale = fabs(unit - 1) <= error ? 1 : id_simple_angle(unit, error);
    note_zero_rows(identity, sample);
}

sinpos_status id_name_rows(sinpos_identity *identity, const id_fit *fit, const id_sample *sample, const id_view *view)
{
    context c = {.identity = identity, .fit = fit, .sample = sample};
    sinpos_status status = SINPOS_OK;
    if (fit->rounded_to > 0) {
        id_name_known_rows(identity, sample, fit->rounded_start, 1, 0);
        return SINPOS_OK;
    }
    c.room = malloc((sample->n + 1) * sizeof *c.room);
    status = c.room == NULL ? SINPOS_E_MEMORY : SINPOS_OK;
    for (size_t a = 0; a < identity->n_axes && status == SINPOS_OK; a++) {
        c.p[a] = malloc((sample->n + 1) * sizeof *c.p[a]);
        status = c.p[a] == NULL ? SINPOS_E_MEMORY
                                : id_fit_positions(fit, sample->unit, sample->x, sample->n, sample->dim, a, c.p[a]);
    }
    if (status == SINPOS_OK) {
        note_zero_rows(identity, sample);
        const bool is_found = identity->n_axes == 1 ? find_range(&c) : find_grid(&c);
        status = is_found ? SINPOS_OK : make_list(&c, view);
    }
    for (size_t a = 0; a < ID_MOST_AXES; a++)
        free(c.p[a]);
    free(c.room);
    return status;
}
