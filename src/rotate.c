/*
 * Rotary: pairs of other people's rows, turned by the angle of their position.
 *
 * The sines and cosines of a row are made once and used for all of its heads: from the centre of a block where rows are
 * consecutive, directly elsewhere. What the kernels cannot bound goes element by element.
 */
#include <math.h>
#include <string.h>

#include "internal.h"

typedef struct job {
    const sinpos_plan *plan;
    const sinpos_rows *rows;
    sinpos_direction direction;
    sinpos_type type;
    size_t bytes; /* of an element */
    size_t n_heads, ld_row, ld_head;
    char *x;
    bool divides; /* by amplitudes that are not all 1 */
    const kernels *k;
} job;

/* Stack of one range of rows. Heads are narrow: FEW tones are enough. */
typedef struct scratch {
    ALIGNED(64) double sine[FEW], cosine[FEW], sine_low[FEW], cosine_low[FEW]; /* of a row */
    ALIGNED(64) double centre_sine[FEW], centre_cosine[FEW];                   /* of a block's centre */
    ALIGNED(64) double bound_sin[FEW], bound_cos[FEW];
    ALIGNED(64) float limit[FEW], tie_limit[FEW], sine_floats[FEW], cosine_floats[FEW];
    ALIGNED(64) double amplitude[FEW], bound[FEW], slope[FEW]; /* where they are not the plan's */
    ALIGNED(64) ANY_ELEMENTS(FEW) sines, cosines;
    high_parts high;
} scratch;

/* --------------------------------------------------------------------------------------------- Single elements */

static double turned_element(const turned *what, size_t padded, double own, double other, bool cosine_column)
{
    if (!isfinite(own) || !isfinite(other))
        return NAN;
    const amplitude_power power = what->direction == SINPOS_INVERSE ? AMPLITUDE_INVERSE : AMPLITUDE_ONCE;
    const bool minus = cosine_column == (what->direction == SINPOS_FORWARD);
    return element_turn(what->plan, padded, what->p, power, own, minus ? -other : other, what->type);
}

/* The element nearest to all of value - error .. value + error, if there is one. */
static bool settles(double value, double error, sinpos_type type, double *result)
{
    if (type != SINPOS_F16 && type != SINPOS_BF16)
        return false; /* the kernel has tried */
    const double least = round_sum(value, -error, type), most = round_sum(value, error, type);
    *result = most;
    return isfinite(error) && memcmp(&least, &most, sizeof least) == 0;
}

void turned_redo(const turned *what, size_t lane, pair_lanes *p)
{
    for (size_t i = 0; i < LANES; i++) {
        const unsigned mask_u = p->mask_u >> i & 1, mask_v = p->mask_v >> i & 1;
        if (!(mask_u | mask_v) || what->plan->tone_of[what->first + lane + i] == UINT32_MAX)
            continue;
        const size_t padded = what->first + lane + i;
        if (mask_u && !settles(p->new_u[i], p->e_u[i], what->type, &p->new_u[i]))
            p->new_u[i] = turned_element(what, padded, p->u[i], p->v[i], true);
        if (mask_v && !settles(p->new_v[i], p->e_v[i], what->type, &p->new_v[i]))
            p->new_v[i] = turned_element(what, padded, p->v[i], p->u[i], false);
    }
}

static void turn_slowly(const job *j, const piece *p, const turned *what, char *row)
{
    for (size_t h = 0; h < j->n_heads; h++) {
        char *head = row + h * j->ld_head * j->bytes;
        for (size_t i = 0; i < p->count; i++) {
            const sinpos_tone *t = &j->plan->tones[j->plan->tone_of[p->first + i]];
            const size_t c = (size_t)t->cos_column, s = (size_t)t->sin_column;
            const double u = load_element(head, c, j->type), v = load_element(head, s, j->type);
            store_element(head, c, turned_element(what, p->first + i, u, v, true), j->type);
            store_element(head, s, turned_element(what, p->first + i, v, u, false), j->type);
        }
    }
}

/* ------------------------------------------------------------------------------------------------------- Heads */

static heads heads_of(const job *j, const piece *p, char *row)
{
    const segment *s = p->s;
    heads x = {.cos_first = s->cos_first, .n = j->n_heads, .stride = j->ld_head * j->bytes};
    x.first = row + piece_column(p, false) * j->bytes;
    x.second = s->pattern == COLUMNS_PAIRS ? NULL : row + piece_column(p, true) * j->bytes;
    return x;
}

/* The columns of a listed segment, to or from buffers where they stand side by side. */
static void copy_listed(const job *j, const piece *p, char *head, scratch *w, bool back)
{
    for (size_t i = 0; i < p->count; i++) {
        const sinpos_tone *t = &j->plan->tones[j->plan->tone_of[p->first + i]];
        char *const sine = head + (size_t)t->sin_column * j->bytes, *const near_sine = (char *)&w->sines + i * j->bytes;
        char *const cosine = head + (size_t)t->cos_column * j->bytes, *const near_cosine =
                                                                          (char *)&w->cosines + i * j->bytes;
        memcpy(back ? sine : near_sine, back ? near_sine : sine, j->bytes);
        memcpy(back ? cosine : near_cosine, back ? near_cosine : cosine, j->bytes);
    }
}

static void turn_row(const job *j, const piece *p, scratch *w, const turned *what, char *row)
{
    const pair_factors by = {.sine = w->sine,
                             .cosine = w->cosine,
                             .sine_low = w->sine_low,
                             .cosine_low = w->cosine_low,
                             .bound_sin = w->bound_sin,
                             .bound_cos = w->bound_cos,
                             .sine_floats = w->sine_floats,
                             .cosine_floats = w->cosine_floats,
                             .tie_limit = w->tie_limit,
                             .limit = w->limit};
    if (j->bytes == 2) {
        j->k->narrow(w->sine, p->padded, w->sine_floats);
        j->k->narrow(w->cosine, p->padded, w->cosine_floats);
    }
    const int type = kernel_of(j->type);
    if (p->s->pattern != COLUMNS_LISTED) {
        const heads x = heads_of(j, p, row);
        j->k->turn(type, p->s->pattern == COLUMNS_PAIRS, &by, p->count, &x, what);
        return;
    }
    const heads one = {.first = &w->sines, .second = &w->cosines, .n = 1};
    for (size_t h = 0; h < j->n_heads; h++) {
        char *const head = row + h * j->ld_head * j->bytes;
        copy_listed(j, p, head, w, false);
        j->k->turn(type, false, &by, p->count, &one, what);
        copy_listed(j, p, head, w, true);
    }
}

/* ---------------------------------------------------------------------------------------------- Sines, cosines */

/* What the reciprocal r of a leaves over, where a is a + a_low. */
static double reciprocal_low(double a, double a_low, double r)
{
    return (fma(-r, a, 1) - r * a_low) / a;
}

/* Dividing by the amplitude instead of multiplying: its reciprocal is rounded, which the bound of the plan leaves room for. */
static void invert_amplitudes(const job *j, const piece *p, scratch *w)
{
    const sinpos_plan *plan = j->plan;
    for (size_t i = 0; i < p->padded; i++) {
        const double a = plan->amplitude[p->first + i], bound = plan->bound[p->first + i];
        w->amplitude[i] = j->type == SINPOS_F64 ? 1 : 1 / a;
        w->bound[i] = isfinite(bound) && bound > 0 ? fabs(w->amplitude[i]) * UNIT_BOUND : bound;
        w->slope[i] = isfinite(bound) ? SLOPE_FACTOR * fabs(plan->u[0][p->first + i]) * w->bound[i] : INFINITY;
    }
}

static angles angles_of(const job *j, const piece *p, scratch *w)
{
    angles a = plan_angles(j->plan, p->first, p->padded);
    if (j->divides) {
        invert_amplitudes(j, p, w);
        a.amplitude = w->amplitude;
        a.amplitude_low = NULL;
        a.bound = w->bound;
        a.slope = w->slope;
    }
    return a;
}

/*
 * unit_bound: UNIT_BOUND times the size of the factors. docs/numerics.md, section 7: results in double err by less than
 * 2.5 times the bound of the cosines, results in float by less than 1.07 2^-22, of the larger of |u| and |v|.
 */
static void set_limits(const job *j, const piece *p, scratch *w, const double *unit_bound)
{
    const double factor = j->type == SINPOS_F32 ? TURN_LIMIT_F32 : TURN_LIMIT_16;
    if (j->type == SINPOS_F64)
        return;
    for (size_t i = 0; i < p->padded; i++) {
        const double bound = unit_bound[i];
        w->limit[i] = (float)(w->bound_cos[i] * factor);
        const bool known = bound == 0 || bound >= LEAST_FLOAT_BOUND;
        w->tie_limit[i] = known ? (float)(bound * (FLOAT_TURN_BOUND / UNIT_BOUND)) : INFINITY;
    }
}

/* F64: the sines and cosines themselves are divided. */
static void divide_pairs(const job *j, const piece *p, double *high, double *low, double *bound)
{
    for (size_t i = 0; i < p->padded; i++) {
        const double a = j->plan->amplitude[p->first + i], r = 1 / a, product = high[i] * r;
        const double a_low = j->plan->more != NULL ? j->plan->more->amplitude_low[p->first + i] : 0;
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

/* Of one position; false where the kernels cannot. */
static bool set_row(const job *j, const piece *p, scratch *w, position at)
{
    angles a = angles_of(j, p, w);
    if (forced_rung() != 0 || !angles_at(j->plan, p->first, at, &w->high, &a))
        return false;
    const bool low_too = j->type == SINPOS_F64;
    if (low_too)
        j->k->anchor_dd(&a, w->sine, w->sine_low, w->cosine, w->cosine_low, w->bound_sin);
    else
        j->k->anchor(&a, w->sine, w->cosine, w->bound_sin);
    for (size_t i = 0; i < p->padded; i++)
        w->bound_cos[i] = a.bound[i] * (low_too ? DD_BOUND : 1);
    if (low_too && j->divides) {
        divide_pairs(j, p, w->sine, w->sine_low, w->bound_sin);
        divide_pairs(j, p, w->cosine, w->cosine_low, w->bound_cos);
    }
    if (j->direction != SINPOS_FORWARD) {
        negate(w->sine, p->padded);
        if (low_too)
            negate(w->sine_low, p->padded);
    }
    set_limits(j, p, w, a.bound);
    return true;
}

/* ------------------------------------------------------------------------------------------------------- Rows */

static char *row_of(const job *j, size_t row)
{
    return j->x + row * j->ld_row * j->bytes;
}

static turned turned_at(const job *j, const piece *p, position at)
{
    return (turned){.plan = j->plan, .first = p->first, .type = j->type, .direction = j->direction, .p = at};
}

static void direct_row(const job *j, const piece *p, scratch *w, size_t row)
{
    const position at = rows_position(j->plan, j->rows, row, p->s->axis);
    const turned what = turned_at(j, p, at);
    if (set_row(j, p, w, at))
        turn_row(j, p, w, &what, row_of(j, row));
    else
        turn_slowly(j, p, &what, row_of(j, row));
}

/* A block's centre, and bounds that hold for all its rows (numerics.md, section 3). */
static void set_centre(const job *j, const piece *p, scratch *w, int64_t centre)
{
    angles a = angles_of(j, p, w);
    angles_at_integer(j->plan, p->first, centre, &w->high, &a);
    a.reach += REACH;
    j->k->anchor(&a, w->centre_sine, w->centre_cosine, w->bound_sin);
    const double scale = a.unit_amplitude && a.high[0] == NULL && a.phase[0] == NULL ? 1 : ROTATED_FACTOR;
    for (size_t i = 0; i < p->padded; i++) {
        w->bound_sin[i] *= scale;
        w->bound_cos[i] = a.bound[i] * scale;
    }
    set_limits(j, p, w, a.bound);
}

static void block_rows(const job *j, const piece *p, scratch *w, size_t first_row, size_t count, int64_t centre)
{
    const sinpos_plan *plan = j->plan;
    const anchor middle = {.sine = w->centre_sine, .cosine = w->centre_cosine};
    set_centre(j, p, w, centre);
    for (size_t i = 0; i < count; i++) {
        const position at = rows_position(plan, j->rows, first_row + i, 0);
        const int64_t r = at.integer - centre;
        const size_t table = (size_t)(r < 0 ? -r : r) * plan->n_padded + p->first;
        const rotation by = {.sine = plan->rotation_sin + table, .cosine = plan->rotation_cos + table, .r = r};
        const turned what = turned_at(j, p, at);
        j->k->compose(&middle, &by, p->padded, j->direction == SINPOS_FORWARD ? 1 : -1, w->sine, w->cosine);
        turn_row(j, p, w, &what, row_of(j, first_row + i));
    }
}

/* All pieces of some rows: of a block around its centre, or each by itself. */
static void turn_rows(const job *j, scratch *w, size_t first_row, size_t count, const int64_t *centre)
{
    for (piece next = {.s = NULL}; plan_next_piece(j->plan, FEW, &next);) {
        const piece p = next;
        if (centre != NULL)
            block_rows(j, &p, w, first_row, count, *centre);
        else
            direct_row(j, &p, w, first_row);
    }
}

static void turn_range(void *context, size_t first_row, size_t count)
{
    const job *j = context;
    scratch w;
    w.high.of = SIZE_MAX;
    const bool blocks = j->type != SINPOS_F64 && rows_make_blocks(j->rows, first_row, count);
    while (count > 0) {
        int64_t centre;
        size_t now = blocks ? rows_in_block(j->rows->first + (int64_t)first_row, count, &centre) : 1;
        if (now < LEAST_BLOCK_ROWS)
            now = 1;
        turn_rows(j, &w, first_row, now, now == 1 ? NULL : &centre);
        first_row += now;
        count -= now;
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
    sinpos_rows own;
    const sinpos_rows *rows = &own;
    if (plan == NULL)
        return SINPOS_E_NULL;
    sinpos_status status = rows_read(&own, given);
    if (status == SINPOS_OK && ((unsigned)direction > SINPOS_TRANSPOSE || n_threads > MAX_THREADS))
        status = SINPOS_E_VALUE;
    if (status != SINPOS_OK)
        return status;
    job j = {.plan = plan,
             .rows = rows,
             .direction = direction,
             .type = type,
             .bytes = sinpos_type_bytes(type),
             .n_heads = n_heads,
             .ld_row = ld_row,
             .ld_head = ld_head,
             .x = x};
    status = check_type(plan, type);
    if (status == SINPOS_OK)
        status = check_pairs(plan, direction, &j.divides);
    if (status != SINPOS_OK || rows->n == 0 || n_heads == 0)
        return status;
    if (!heads_apart(plan->dim, rows->n, n_heads, ld_row, ld_head, j.bytes))
        return SINPOS_E_SHAPE;
    if (x == NULL)
        return SINPOS_E_NULL;
    double largest;
    status = check_positions(plan, rows, &largest);
    if (status != SINPOS_OK)
        return status;
    j.k = kernels_active();
    threads_run(n_threads == 0 ? threads_available() : n_threads, rows->n, BLOCK, turn_range, &j);
    return SINPOS_OK;
}
