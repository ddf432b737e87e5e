/*
 * Rotary: pairs of the caller's own rows, turned by the angle of their position. The factors of a row are made once and
 * used for all of its heads.
 */
#include <math.h>
#include <string.h>

#include "factors.h"

static void turn_slowly(const row_task *t, const piece *p, const redo *what, char *row)
{
    for (size_t h = 0; h < t->n_heads; h++) {
        char *head = row + h * t->ld_head * t->bytes;
        for (size_t i = 0; i < p->count; i++) {
            const size_t c = (size_t)tone_in(t, p, i)->cos_column, s = (size_t)tone_in(t, p, i)->sin_column;
            const double u = load_element(head, c, t->type), v = load_element(head, s, t->type);
            store_element(head, c, turned_element(what, p->first + i, u, v, true), t->type);
            store_element(head, s, turned_element(what, p->first + i, v, u, false), t->type);
        }
    }
}

/* ------------------------------------------------------------------------------------------------------- Heads */

/* The columns of a listed segment, to or from buffers where they stand side by side. */
static void copy_listed(const row_task *t, const piece *p, char *head, scratch *w, bool back)
{
    for (size_t i = 0; i < p->count; i++) {
        char *const sine = head + (size_t)tone_in(t, p, i)->sin_column * t->bytes, *const near_sine =
                                                                                       w->up + i * t->bytes;
        char *const cosine = head + (size_t)tone_in(t, p, i)->cos_column * t->bytes, *const near_cosine =
                                                                                         w->down + i * t->bytes;
        memcpy(back ? sine : near_sine, back ? near_sine : sine, t->bytes);
        memcpy(back ? cosine : near_cosine, back ? near_cosine : cosine, t->bytes);
    }
}

/* All heads of a row. */
static void turn_row(const row_task *t, const piece *p, scratch *w, const pair_factors *by, const redo *what, char *row)
{
    if (t->bytes == 2) {
        t->k->narrow(by->sine, p->padded, w->turn->sine_floats);
        t->k->narrow(by->cosine, p->padded, w->turn->cosine_floats);
    }
    if (p->s->pattern != COLUMNS_LISTED) {
        const heads all = {.at = in_row(t, p, row), .n = t->n_heads, .stride = t->ld_head * t->bytes};
        t->k->turn[t->kind](p->s->pattern == COLUMNS_PAIRS, by, p->count, &all, what);
        return;
    }
    const heads one = {.at = {.first = w->up, .second = w->down}, .n = 1};
    for (size_t h = 0; h < t->n_heads; h++) {
        char *const head = row + h * t->ld_head * t->bytes;
        copy_listed(t, p, head, w, false);
        t->k->turn[t->kind](false, by, p->count, &one, what);
        copy_listed(t, p, head, w, true);
    }
}

/* ----------------------------------------------------------------------------------------------------- Factors */

/* What the reciprocal r of a leaves over, where a is a + a_low. */
static double reciprocal_low(double a, double a_low, double r)
{
    return (fma(-r, a, 1) - r * a_low) / a;
}

/* F64: the sines and cosines themselves are divided. */
static void divide_pairs(const row_task *t, const piece *p, double *high, double *low, double *bound)
{
    for (size_t i = 0; i < p->padded; i++) {
        const double a = t->plan->amplitude[p->first + i], r = 1 / a, product = high[i] * r;
        const double a_low = t->plan->more != NULL ? t->plan->more->amplitude_low[p->first + i] : 0;
        low[i] = fma(high[i], r, -product) + (high[i] * reciprocal_low(a, a_low, r) + low[i] * r);
        high[i] = product;
        bound[i] *= fabs(r) * RECIPROCAL_ROOM;
    }
}

static void negate(double *x, size_t n)
{
    for (size_t i = 0; i < n; i++)
        x[i] = -x[i];
}

/*
 * unit_bound: UNIT_BOUND times the size of the factors. docs/numerics.md, section 7: results in double err by less than
 * 2.5 times the bound of the cosines, results in float by less than 1.07 2^-22, of the larger of |u| and |v|.
 */
static void set_limits(const row_task *t, const piece *p, scratch *w, const double *unit_bound)
{
    const double factor = t->kind == KERNEL_F32 ? TURN_LIMIT_F32 : TURN_LIMIT_16;
    if (t->kind == KERNEL_F64)
        return;
    for (size_t i = 0; i < p->padded; i++) {
        const double bound = unit_bound[i];
        w->limit[i] = (float)(w->bound_cos[i] * factor);
        const bool known = bound == 0 || bound >= LEAST_FLOAT_BOUND;
        w->turn->tie_limit[i] = known ? (float)(bound * (FLOAT_TURN_BOUND / UNIT_BOUND)) : INFINITY;
    }
}

/* -------------------------------------------------------------------------------------------------------- Rows */

/* The factors of a row by itself; false where its elements go one by one. */
static bool set_row(const row_task *t, const piece *p, scratch *w, position at)
{
    const bool low_too = t->kind == KERNEL_F64;
    angles a = plan_angles(t->plan, p->first, p->padded);
    if (!angles_at_row(t, p, w, at, &a))
        return false;
    set_factors(t, p, w, &a, 1);
    if (low_too && t->divides) {
        divide_pairs(t, p, w->sine, w->sine_low, w->bound_sin);
        divide_pairs(t, p, w->cosine, w->cosine_low, w->bound_cos);
    }
    if (t->direction != SINPOS_FORWARD) {
        negate(w->sine, p->padded);
        if (low_too)
            negate(w->sine_low, p->padded);
    }
    set_limits(t, p, w, a.bound);
    return true;
}

static void turn_piece(const row_task *t, const piece *p, scratch *w, size_t first_row, size_t count,
                       const int64_t *centre)
{
    const sinpos_plan *plan = t->plan;
    const anchor middle = {.sine = w->sine, .cosine = w->cosine};
    turn_scratch *const own = w->turn;
    const pair_factors by = {.sine = centre != NULL ? own->sine : w->sine,
                             .cosine = centre != NULL ? own->cosine : w->cosine,
                             .sine_low = w->sine_low,
                             .cosine_low = w->cosine_low,
                             .bound_sin = w->bound_sin,
                             .bound_cos = w->bound_cos,
                             .sine_floats = own->sine_floats,
                             .cosine_floats = own->cosine_floats,
                             .tie_limit = own->tie_limit,
                             .limit = w->limit};
    redo what = redo_of(t, p);
    if (centre != NULL) {
        const angles a = set_centre(t, p, w, *centre);
        set_limits(t, p, w, a.bound);
    }
    for (size_t row = first_row; row < first_row + count; row++) {
        if (centre != NULL) {
            const int64_t r = rows_integer(&t->rows, row) - *centre;
            const size_t table = (size_t)(r < 0 ? -r : r) * plan->n_padded + p->first;
            const rotation step = {.sine = plan->rotation_sin + table, .cosine = plan->rotation_cos + table, .r = r};
            t->k->compose(&middle, &step, p->padded, t->direction == SINPOS_FORWARD ? 1 : -1, own->sine, own->cosine);
            what.p.integer = *centre + r;
        } else {
            const position at = rows_position(plan, &t->rows, row, p->s->axis);
            what.p = at;
            if (!set_row(t, p, w, at)) {
                turn_slowly(t, p, &what, row_of(t, row));
                continue;
            }
        }
        turn_row(t, p, w, &by, &what, row_of(t, row));
    }
}

/* --------------------------------------------------------------------------------------------------- Arguments */

/* Adds (count - 1) stride to *span, the elements that one of the inner things takes; false if they overlap or overflow. */
static bool extend(size_t count, size_t stride, size_t most, size_t *span)
{
    if (count <= 1)
        return true;
    if (stride < *span || stride > (most - *span) / (count - 1))
        return false;
    *span += (count - 1) * stride;
    return true;
}

bool heads_apart(size_t dim, size_t n, size_t n_heads, size_t ld_row, size_t ld_head, size_t bytes)
{
    const size_t most = SIZE_MAX / bytes;
    size_t span = dim;
    if (n > 1 && n_heads > 1 && ld_row < ld_head)
        return extend(n, ld_row, most, &span) && extend(n_heads, ld_head, most, &span);
    return extend(n_heads, ld_head, most, &span) && extend(n, ld_row, most, &span);
}

sinpos_status check_pairs(const sinpos_plan *plan, sinpos_direction direction, bool *divides)
{
    bool has_zero = false;
    for (size_t i = 0; i < plan->n_tones; i++) {
        const sinpos_tone *t = &plan->tones[i];
        if (t->sin_column == SINPOS_NO_COLUMN || t->cos_column == SINPOS_NO_COLUMN)
            return SINPOS_E_COLUMNS;
        has_zero = has_zero || tone_amplitude_size(t) == 0;
        *divides = *divides || (direction == SINPOS_INVERSE && (t->amplitude != 1 || tone_amplitude_is_sum(t)));
    }
    return has_zero && direction == SINPOS_INVERSE ? SINPOS_E_VALUE : SINPOS_OK;
}

sinpos_status sinpos_rotate(const sinpos_plan *plan, const sinpos_rows *given, sinpos_direction direction,
                            size_t n_heads, sinpos_type type, void *x, size_t ld_row, size_t ld_head, size_t n_threads)
{
    BOUNDARY;
    row_task t = {.direction = direction,
                  .n_heads = n_heads,
                  .ld_head = ld_head,
                  .memory = x,
                  .ld = ld_row,
                  .most_tones = FEW, /* heads are narrow */
                  .most_rows = 1,
                  .by_blocks = type != SINPOS_F64,
                  .make = turn_piece};
    sinpos_status status = task_read(&t, plan, given, (unsigned)direction <= SINPOS_TRANSPOSE, type, n_threads);
    if (status == SINPOS_OK)
        status = check_pairs(plan, direction, &t.divides);
    if (status != SINPOS_OK || t.rows.n == 0 || n_heads == 0)
        return status;
    if (!heads_apart(plan->dim, t.rows.n, n_heads, ld_row, ld_head, t.bytes))
        return SINPOS_E_SHAPE;
    return task_run(&t, n_threads);
}
