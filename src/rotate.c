/*
 * Rotary: pairs of the caller's own rows, turned by the angle of their position. The factors of a row are made once and
 * used for all of its heads.
 */
#include <math.h>
#include <string.h>

#include "factors.h"

/* One head of a row, in one of its batches: where it comes from and goes to. */
typedef struct head_place {
    const char *from;
    char *to;
} head_place;

static head_place head_at(const row_task *t, size_t row, size_t batch, size_t head)
{
    return (head_place){operand_of(t, row) + operand_offset(t, batch, head),
                        row_of(t, row) + head_offset(t, batch, head)};
}

static void turn_head_slowly(const row_task *t, const piece *p, const redo *what, head_place x)
{
    for (size_t i = 0; i < p->count; i++) {
        const size_t c = (size_t)tone_in(t, p, i)->cos_column, s = (size_t)tone_in(t, p, i)->sin_column;
        const double u = load_element(x.from, c, t->type), v = load_element(x.from, s, t->type);
        store_element(x.to, c, turned_element(what, p->first + i, u, v, true), t->type);
        store_element(x.to, s, turned_element(what, p->first + i, v, u, false), t->type);
    }
}

static void turn_slowly(const row_task *t, const piece *p, const redo *what, size_t row)
{
    for (size_t b = 0; b < t->a.n_batches; b++)
        for (size_t h = 0; h < t->a.n_heads; h++)
            turn_head_slowly(t, p, what, head_at(t, row, b, h));
}

/* ------------------------------------------------------------------------------------------------------- Heads */

/* Out of place: columns that no tone names. */
static void copy_others(const row_task *t, size_t row)
{
    for (size_t b = 0; b < t->a.n_batches; b++) {
        for (size_t h = 0; h < t->a.n_heads; h++) {
            const head_place x = head_at(t, row, b, h);
            for (size_t i = 0; i < t->plan->n_zero_columns; i++) {
                const size_t at = t->plan->zero_columns[i] * t->bytes;
                memcpy(x.to + at, x.from + at, t->bytes);
            }
        }
    }
    if (task_copies_beyond(t))
        copy_beyond(t, row);
}

/* The columns of a listed segment, from where they stand to buffers, side by side. */
static void gather_listed(const row_task *t, const piece *p, const char *head, scratch *w)
{
    for (size_t i = 0; i < p->count; i++) {
        memcpy(w->up + i * t->bytes, head + (size_t)tone_in(t, p, i)->sin_column * t->bytes, t->bytes);
        memcpy(w->down + i * t->bytes, head + (size_t)tone_in(t, p, i)->cos_column * t->bytes, t->bytes);
    }
}

static void scatter_listed(const row_task *t, const piece *p, char *head, const scratch *w)
{
    for (size_t i = 0; i < p->count; i++) {
        memcpy(head + (size_t)tone_in(t, p, i)->sin_column * t->bytes, w->up + i * t->bytes, t->bytes);
        memcpy(head + (size_t)tone_in(t, p, i)->cos_column * t->bytes, w->down + i * t->bytes, t->bytes);
    }
}

static void turn_listed(const row_task *t, const piece *p, scratch *w, const pair_factors *by, const redo *what,
                        size_t row)
{
    const destination aside = {.first = w->up, .second = w->down};
    const heads one = {.from = aside, .to = aside, .n = 1};
    for (size_t b = 0; b < t->a.n_batches; b++) {
        for (size_t h = 0; h < t->a.n_heads; h++) {
            const head_place x = head_at(t, row, b, h);
            gather_listed(t, p, x.from, w);
            t->k->turn[t->kind](false, by, p->count, &one, what);
            scatter_listed(t, p, x.to, w);
        }
    }
}

/* All heads of a row, in all batches. */
static void turn_row(const row_task *t, const piece *p, scratch *w, const pair_factors *by, const redo *what,
                     size_t row)
{
    if (p->s->pattern == COLUMNS_LISTED) {
        turn_listed(t, p, w, by, what, row);
        return;
    }
    const bool one_head = t->a.n_heads == 1; /* then batches go as heads */
    const size_t batches = one_head ? 1 : t->a.n_batches;
    heads x = {.n = one_head ? t->a.n_batches : t->a.n_heads,
               .from_stride = (one_head ? t->a.in_ld_batch : t->a.in_ld_head) * t->bytes,
               .to_stride = (one_head ? t->a.ld_batch : t->a.ld_head) * t->bytes};
    for (size_t b = 0; b < batches; b++) {
        const head_place first = head_at(t, row, b, 0);
        x.from = operand_in_row(t, p, first.from);
        x.to = in_row(t, p, first.to);
        t->k->turn[t->kind](p->s->pattern == COLUMNS_PAIRS, by, p->count, &x, what);
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

/* The factors are used, or kept. */
static void use_factors(const row_task *t, const piece *p, scratch *w, const pair_factors *by, const redo *what,
                        size_t row)
{
    if (t->bytes == 2) {
        t->k->narrow(by->sine, p->padded, w->turn->sine_floats);
        t->k->narrow(by->cosine, p->padded, w->turn->cosine_floats);
    }
    if (t->kept != NULL)
        keep_factors(t, p, row, by);
    else
        turn_row(t, p, w, by, what, row);
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
                if (t->kept != NULL)
                    keep_slow(t, p, row);
                else
                    turn_slowly(t, p, &what, row);
                continue;
            }
        }
        use_factors(t, p, w, &by, &what, row);
    }
}

static void turn_kept_piece(const row_task *t, const piece *p, scratch *w, size_t first_row, size_t count,
                            const int64_t *centre)
{
    (void)centre;
    redo what = redo_of(t, p);
    for (size_t row = first_row; row < first_row + count; row++) {
        pair_factors by;
        what.p = rows_position(t->plan, &t->rows, row, p->s->axis);
        if (kept_factors(t, p, row, &by))
            turn_row(t, p, w, &by, &what, row);
        else
            turn_slowly(t, p, &what, row);
    }
}

/* --------------------------------------------------------------------------------------------------- Arguments */

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

static row_task rotation_task(sinpos_direction direction, sinpos_type type)
{
    return (row_task){.direction = direction,
                      .most_tones = FEW, /* heads are narrow */
                      .most_rows = 1,
                      .by_blocks = type != SINPOS_F64,
                      .make = turn_piece};
}

static sinpos_status read_rotation(row_task *t, const sinpos_plan *plan, const sinpos_rows *rows, sinpos_type type)
{
    const sinpos_status status = task_read(t, plan, rows, (unsigned)t->direction <= SINPOS_TRANSPOSE, type);
    return status == SINPOS_OK ? check_pairs(plan, t->direction, &t->divides) : status;
}

static sinpos_status run_rotation(row_task *t)
{
    const sinpos_status status = task_check_arrays(t);
    if (status != SINPOS_OK || task_is_empty(t))
        return status;
    if (!is_in_place(t) && (t->plan->n_zero_columns > 0 || task_copies_beyond(t)))
        t->finish = copy_others;
    return task_run(t);
}

static sinpos_status rotate(const sinpos_plan *plan, const sinpos_rows *rows, sinpos_direction direction,
                            sinpos_type type, const sinpos_arrays *arrays)
{
    row_task t = rotation_task(direction, type);
    sinpos_status status = task_read_arrays(&t, arrays);
    status = status == SINPOS_OK ? read_rotation(&t, plan, rows, type) : status;
    return status == SINPOS_OK ? run_rotation(&t) : status;
}

sinpos_status sinpos_rotate_arrays(const sinpos_plan *plan, const sinpos_rows *rows, sinpos_direction direction,
                                   sinpos_type type, const sinpos_arrays *arrays)
{
    BOUNDARY;
    return rotate(plan, rows, direction, type, arrays);
}

sinpos_status sinpos_rotate(const sinpos_plan *plan, const sinpos_rows *rows, sinpos_direction direction,
                            size_t n_heads, sinpos_type type, void *x, size_t ld_row, size_t ld_head, size_t n_threads)
{
    BOUNDARY;
    const sinpos_arrays arrays = {.struct_size = sizeof arrays,
                                  .out = x,
                                  .n_batches = 1,
                                  .n_heads = n_heads,
                                  .ld_row = ld_row,
                                  .ld_head = ld_head,
                                  .n_threads = n_threads};
    return rotate(plan, rows, direction, type, &arrays);
}

/* ------------------------------------------------------------------------------------------- Factors that are kept */

sinpos_status sinpos_factors_create(sinpos_factors **out, const sinpos_plan *plan, const sinpos_rows *rows,
                                    sinpos_direction direction, sinpos_type type)
{
    BOUNDARY;
    if (out == NULL)
        return SINPOS_E_NULL;
    *out = NULL;
    row_task t = rotation_task(direction, type);
    double largest;
    sinpos_status status = read_rotation(&t, plan, rows, type);
    if (status == SINPOS_OK && t.rows.n > 0)
        status = check_positions(plan, &t.rows, &largest);
    sinpos_factors *made = NULL;
    status = status == SINPOS_OK ? kept_create(&made, &t) : status;
    if (status != SINPOS_OK)
        return status;
    t.kept = &made->kept;
    t.rows = made->rows;
    t.a.out = made; /* nothing is rotated */
    t.a.n_threads = 1;
    status = t.rows.n > 0 ? task_run(&t) : SINPOS_OK;
    *out = made;
    return status;
}

sinpos_status sinpos_factors_rotate(const sinpos_factors *f, size_t first, size_t n, const sinpos_arrays *arrays)
{
    BOUNDARY;
    if (f == NULL)
        return SINPOS_E_NULL;
    row_task t = rotation_task(f->direction, f->type);
    sinpos_status status = task_read_arrays(&t, arrays);
    if (status == SINPOS_OK && (first > f->rows.n || n > f->rows.n - first))
        status = SINPOS_E_RANGE;
    if (status != SINPOS_OK)
        return status;
    kept_rows kept = f->kept;
    const sinpos_rows rows = rows_part(f->plan, &f->rows, first, n);
    kept.first = first;
    t.divides = f->divides;
    t.kept = &kept;
    t.by_blocks = false;
    t.make = turn_kept_piece;
    status = task_read(&t, f->plan, &rows, true, f->type);
    return status == SINPOS_OK ? run_rotation(&t) : status;
}
