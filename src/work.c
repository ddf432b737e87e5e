/*
 * The work: rows of encodings into memory.
 *
 * Consecutive rows go by blocks of up to BLOCK: one anchor per tone and block, one rotation per element. Other rows are
 * evaluated directly. Rows that the kernels cannot bound go element by element.
 */
#include <math.h>
#include <string.h>

#include "internal.h"

/*
 * Below this many bytes the rows probably stay in cache, and ordinary stores serve whoever reads them next. Above it
 * consecutive rows of F32 and F64 are streamed where the processor likes that; the others are made more slowly than
 * memory takes them either way.
 */
#define STREAM_BYTES ((size_t)8 << 20)

typedef struct job {
    const sinpos_plan *plan;
    const sinpos_rows *rows;
    sinpos_operation operation;
    sinpos_type type;
    int kind; /* KERNEL_... */
    char *out;
    size_t ld;    /* elements */
    size_t bytes; /* of an element */
    bool stream;  /* whole cache lines go past the cache */
    bool far;     /* rows_go_far() */
    const kernels *k;
} job;

/* Stack of one range of rows. Most rows are of narrow elements at near positions: CHUNK tones, else FEW. */
typedef union room {
    struct {
        ALIGNED(64) double sine[CHUNK], cosine[CHUNK], bound_sin[CHUNK], bound_cos[CHUNK];
        ALIGNED(64) float limit[2 * CHUNK];
        ALIGNED(64) ANY_ELEMENTS(CHUNK) up, down; /* (2, CHUNK) of 4 bytes */
    } many;
    struct {
        ALIGNED(64) double sine[FEW], cosine[FEW], bound_sin[FEW], bound_cos[FEW], sine_low[FEW], cosine_low[FEW];
        ALIGNED(64) float limit[2 * FEW];
        ALIGNED(64) ANY_ELEMENTS(2 * FEW) up, down;
        high_parts high;
    } few;
} room;

/* What a piece of tones needs, in such a room. */
typedef struct scratch {
    size_t most; /* tones */
    double *sine, *cosine, *bound_sin, *bound_cos, *sine_low, *cosine_low;
    float *limit;
    char *up, *down;  /* (2, most) elements each */
    high_parts *high; /* NULL where no row goes far */
} scratch;

static scratch scratch_in(room *r, const job *j)
{
    if (!j->far && j->bytes <= sizeof(float))
        return (scratch){CHUNK, r->many.sine, r->many.cosine, r->many.bound_sin,   r->many.bound_cos,
                         NULL,  NULL,         r->many.limit,  (char *)&r->many.up, (char *)&r->many.down,
                         NULL};
    r->few.high.of = SIZE_MAX;
    return (scratch){FEW,
                     r->few.sine,
                     r->few.cosine,
                     r->few.bound_sin,
                     r->few.bound_cos,
                     r->few.sine_low,
                     r->few.cosine_low,
                     r->few.limit,
                     (char *)&r->few.up,
                     (char *)&r->few.down,
                     &r->few.high};
}

static char *row_of(const job *j, size_t row)
{
    return j->out + row * j->ld * j->bytes;
}

/* ------------------------------------------------------------------------------------- Where a row's tones go */

static destination in_row(const job *j, const piece *p, char *row)
{
    const segment *s = p->s;
    destination d = {.cos_first = s->cos_first, .store = j->stream ? STORE_STREAM : STORE};
    d.first = row + piece_column(p, false) * j->bytes;
    d.second = s->pattern == COLUMNS_PAIRS ? NULL : row + piece_column(p, true) * j->bytes;
    return d;
}

/* The second half of a buffer of two components. */
static size_t second_in(const job *j, const scratch *w)
{
    return w->most * j->bytes;
}

static destination in_buffer(const job *j, const piece *p, const scratch *w, char *buffer)
{
    char *second = p->s->pattern == COLUMNS_PAIRS ? NULL : buffer + second_in(j, w);
    return (destination){.first = buffer,
                         .second = second,
                         .cos_first = p->s->cos_first,
                         .store = j->stream && p->s->pattern != COLUMNS_LISTED ? STORE_STREAM : STORE};
}

/* Can the kernel write the row itself, or must its output be copied or added from a buffer? */
static bool writes_row(const job *j, const segment *s)
{
    return j->operation != SINPOS_ADD && s->pattern != COLUMNS_LISTED;
}

static void put_listed(const job *j, const piece *p, char *row, const char *sines, const char *cosines)
{
    for (size_t i = 0; i < p->count; i++) {
        const sinpos_tone *t = &j->plan->tones[j->plan->tone_of[p->first + i]];
        const ptrdiff_t columns[2] = {t->sin_column, t->cos_column};
        const char *const from[2] = {sines + i * j->bytes, cosines + i * j->bytes};
        for (int c = 0; c < 2; c++) {
            if (columns[c] == SINPOS_NO_COLUMN)
                continue;
            char *to = row + (size_t)columns[c] * j->bytes;
            if (j->operation == SINPOS_ADD)
                j->k->add[j->kind](to, from[c], 1);
            else
                memcpy(to, from[c], j->bytes);
        }
    }
}

/* What in_buffer() holds goes to its row. */
static void deliver(const job *j, const piece *p, const scratch *w, char *row, const char *buffer)
{
    const char *second = buffer + second_in(j, w);
    if (p->s->pattern == COLUMNS_LISTED) {
        put_listed(j, p, row, buffer, second);
        return;
    }
    const destination d = in_row(j, p, row);
    if (p->s->pattern == COLUMNS_PAIRS) {
        j->k->add[j->kind](d.first, buffer, 2 * p->count);
    } else {
        j->k->add[j->kind](d.first, buffer, p->count);
        j->k->add[j->kind](d.second, second, p->count);
    }
}

/* Columns that no tone names: zero, or zero added. */
static void zero_columns(const job *j, char *row)
{
    const any_element zero = {0};
    for (size_t i = 0; i < j->plan->n_zero_columns; i++) {
        char *to = row + j->plan->zero_columns[i] * j->bytes;
        if (j->operation == SINPOS_ADD)
            j->k->add[j->kind](to, &zero, 1);
        else
            memcpy(to, &zero, j->bytes);
    }
}

/* ------------------------------------------------------------------------------------------- Element by element */

static void slow_tone(const job *j, size_t padded, position p, char *row)
{
    const sinpos_tone *t = &j->plan->tones[j->plan->tone_of[padded]];
    const ptrdiff_t columns[2] = {t->sin_column, t->cos_column};
    const bool derivative = j->operation == SINPOS_GRADIENT_POSITION || j->operation == SINPOS_GRADIENT_THETA;
    for (int c = 0; c < 2; c++) {
        if (columns[c] == SINPOS_NO_COLUMN)
            continue;
        const element e = {.cosine = (c == 1) != derivative,
                           .negated = derivative && c == 1,
                           .operation = derivative ? j->operation : SINPOS_FILL};
        const double value = element_round(j->plan, padded, p, e, j->type);
        any_element typed;
        store_element(&typed, 0, value, j->type);
        char *to = row + (size_t)columns[c] * j->bytes;
        if (j->operation == SINPOS_ADD)
            j->k->add[j->kind](to, &typed, 1);
        else
            memcpy(to, &typed, j->bytes);
    }
}

static void slow_piece(const job *j, const piece *p, position at, char *row)
{
    for (size_t i = 0; i < p->count; i++)
        slow_tone(j, p->first + i, at, row);
}

/* --------------------------------------------------------------------------------------------------- Angles */

static void two_doubles(position p, double parts[2])
{
    parts[0] = p.is_real ? p.real : (double)p.integer;
    parts[1] = p.is_real ? 0 : (double)(int64_t)((int128)p.integer - (int128)parts[0]);
}

static angles angles_of(const job *j, const piece *p)
{
    angles a = plan_angles(j->plan, p->first, p->padded);
    a.operation = j->operation == SINPOS_ADD ? SINPOS_FILL : j->operation;
    return a;
}

/* The leading tones, in vectors, of which some are judged by the absolute bound: see slope in internal.h. */
static size_t count_absolute(const job *j, const piece *p, const angles *a)
{
    if (a->bound_is_absolute)
        return p->padded;
    const double *after = j->plan->u_after + p->first / LANES;
    size_t low = 0, high = p->padded / LANES; /* after[] does not increase */
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (SLOPE_FACTOR * a->reach * after[middle] < 1)
            high = middle;
        else
            low = middle + 1;
    }
    return low * LANES;
}

/* ------------------------------------------------------------------------------------------------- Direct rows */

static bool weight_is_zero(const job *j, position at)
{
    return j->operation == SINPOS_GRADIENT_THETA && !at.is_real && at.integer == 0;
}

static void direct_piece(const job *j, const piece *p, scratch *w, size_t row_index)
{
    char *row = row_of(j, row_index);
    const position at = rows_position(j->plan, j->rows, row_index, p->s->axis);
    angles a = angles_of(j, p);
    if (forced_rung() != 0 || weight_is_zero(j, at) || !angles_at(j->plan, p->first, at, w->high, &a)) {
        slow_piece(j, p, at, row);
        return;
    }
    two_doubles(at, a.weight);
    a.n_absolute = count_absolute(j, p, &a);
    const redo what = {.plan = j->plan, .first = p->first, .type = j->type, .operation = a.operation, .p = at};
    const bool straight = writes_row(j, p->s);
    const destination d = straight ? in_row(j, p, row) : in_buffer(j, p, w, w->up);
    j->k->direct(j->kind, p->s->pattern == COLUMNS_PAIRS, &a, p->count, &d, &what);
    if (!straight)
        deliver(j, p, w, row, w->up);
}

/* ------------------------------------------------------------------------------------------------ Blocks of rows */

static void set_limits(const job *j, const piece *p, const double *bound_sin, const double *bound_cos, float *limit)
{
    const bool pairs = p->s->pattern == COLUMNS_PAIRS;
    if (j->kind != KERNEL_F64)
        j->k->limits(j->kind, pairs, p->s->cos_first, bound_sin, bound_cos, limit, p->padded);
}

/* sines and cosines of the block's centre, and the bounds its rows are judged by. */
static void set_anchor(const job *j, const piece *p, scratch *w, int64_t centre, anchor *at)
{
    angles a = angles_of(j, p);
    angles_at_integer(j->plan, p->first, centre, w->high, &a);
    a.reach += REACH;
    if (j->kind == KERNEL_F64)
        j->k->anchor_dd(&a, w->sine, w->sine_low, w->cosine, w->cosine_low, w->bound_sin);
    else
        j->k->anchor(&a, w->sine, w->cosine, w->bound_sin);
    /* The product with a rotation: as good as its parts only where they are at their best (numerics.md, section 3). */
    const bool best = a.unit_amplitude && a.high[0] == NULL && a.phase[0] == NULL;
    const double scale = j->kind == KERNEL_F64 ? DD_BOUND : best ? 1 : ROTATED_FACTOR;
    for (size_t i = 0; i < p->padded; i++) {
        w->bound_cos[i] = a.bound[i] * scale;
        w->bound_sin[i] = j->kind == KERNEL_F64 ? w->bound_sin[i] : w->bound_sin[i] * scale;
    }
    set_limits(j, p, w->bound_sin, w->bound_cos, w->limit);
    *at = (anchor){w->sine, w->cosine, w->sine_low, w->cosine_low, w->bound_sin, w->bound_cos, w->limit};
}

static rotation rotation_by(const job *j, const piece *p, int64_t r)
{
    const size_t at = (size_t)r * j->plan->n_padded + p->first;
    rotation by = {.sine = j->plan->rotation_sin + at, .cosine = j->plan->rotation_cos + at, .r = r};
    if (j->kind == KERNEL_F64) {
        by.sine_low = j->plan->rotation_sin_low + at;
        by.cosine_low = j->plan->rotation_cos_low + at;
    }
    return by;
}

/* Rows centre + from .. centre + to of one block, the first of which is row first_row. */
static void block_piece(const job *j, const piece *p, scratch *w, int64_t centre, int64_t from, int64_t to,
                        size_t first_row)
{
    anchor at;
    set_anchor(j, p, w, centre, &at);
    const bool sums = j->operation == SINPOS_ADD && j->kind == KERNEL_F32 && p->s->pattern != COLUMNS_LISTED;
    const bool straight = sums || writes_row(j, p->s);
    const redo what = {
        .plan = j->plan, .first = p->first, .type = j->type, .operation = SINPOS_FILL, .p = {.integer = centre}};
    const int64_t furthest = -from > to ? -from : to;
    for (int64_t r = 0; r <= furthest; r++) {
        const bool has_up = r <= to, has_down = -r >= from && r != 0;
        char *up = has_up ? row_of(j, first_row + (size_t)(r - from)) : NULL;
        char *down = has_down ? row_of(j, first_row + (size_t)(-r - from)) : NULL;
        destination d_up = straight && has_up ? in_row(j, p, up) : in_buffer(j, p, w, w->up);
        destination d_down = straight && has_down ? in_row(j, p, down) : in_buffer(j, p, w, w->down);
        if (sums) {
            d_up.store = d_down.store = STORE_SUM;
            const size_t above = first_row + (size_t)((r < to ? r + 1 : 0) - from);
            const size_t below = first_row + (size_t)((-r > from ? -r - 1 : 0) - from);
            d_up.ahead = in_row(j, p, row_of(j, above)).first;
            d_down.ahead = in_row(j, p, row_of(j, below)).first;
        }
        const rotation by = rotation_by(j, p, r);
        j->k->rotate(j->kind, p->s->pattern == COLUMNS_PAIRS, &at, &by, p->count, &d_up, &d_down, &what);
        if (!straight && has_up)
            deliver(j, p, w, up, w->up);
        if (!straight && has_down)
            deliver(j, p, w, down, w->down);
    }
}

/* ------------------------------------------------------------------------------------------------ Ranges of rows */

static void range_of_piece(const job *j, const piece *p, scratch *w, size_t first_row, size_t count, int64_t centre,
                           bool block)
{
    if (block && count >= LEAST_BLOCK_ROWS) {
        const int64_t from = j->rows->first + (int64_t)first_row - centre;
        block_piece(j, p, w, centre, from, from + (int64_t)count - 1, first_row);
        return;
    }
    for (size_t i = 0; i < count; i++)
        direct_piece(j, p, w, first_row + i);
}

static void range_of_rows(const job *j, scratch *w, size_t first_row, size_t count, int64_t centre, bool block)
{
    for (piece next = {.s = NULL}; plan_next_piece(j->plan, w->most, &next);) {
        const piece p = next;
        range_of_piece(j, &p, w, first_row, count, centre, block);
    }
    for (size_t i = 0; i < count && j->plan->n_zero_columns > 0; i++)
        zero_columns(j, row_of(j, first_row + i));
}

static void work_range(void *context, size_t first_row, size_t count)
{
    const job *j = context;
    room memory;
    scratch w = scratch_in(&memory, j);
    if (j->operation == SINPOS_ADD) { /* rows that do not exist are added to, too */
        memset(w.up, 0, 2 * w.most * j->bytes);
        memset(w.down, 0, 2 * w.most * j->bytes);
    }
    const bool values = j->operation == SINPOS_FILL || j->operation == SINPOS_ADD;
    const bool blocks = values && rows_make_blocks(j->rows, first_row, count);
    while (count > 0) {
        int64_t centre = 0;
        size_t now = count < BLOCK ? count : BLOCK;
        if (blocks)
            now = rows_in_block(j->rows->first + (int64_t)first_row, count, &centre);
        range_of_rows(j, &w, first_row, now, centre, blocks);
        first_row += now;
        count -= now;
    }
    if (j->stream)
        stream_fence();
}

/* --------------------------------------------------------------------------------------------------- Arguments */

/* Is an (n, dim) array of row stride ld addressable? */
sinpos_status check_array(size_t n, size_t dim, size_t ld, size_t bytes)
{
    if (ld < dim || (n > 0 && ld > SIZE_MAX / bytes / n))
        return SINPOS_E_SHAPE;
    return SINPOS_OK;
}

sinpos_status check_type(const sinpos_plan *plan, sinpos_type type)
{
    if (sinpos_type_bytes(type) == 0 || !(plan->types & (unsigned)type))
        return SINPOS_E_TYPE;
    return plan->largest_amplitude > sinpos_type_limit(type) ? SINPOS_E_OVERFLOW : SINPOS_OK;
}

static bool stream_aligned(const job *j)
{
    return ((uintptr_t)j->out % 64 == 0) && j->ld * j->bytes % 64 == 0;
}

/* Streaming stores want every piece of every row on a cache line of its own. */
static bool pieces_aligned(const job *j)
{
    for (size_t s = 0; s < j->plan->n_segments; s++) {
        const segment *seg = &j->plan->segments[s];
        if (seg->pattern == COLUMNS_LISTED)
            continue;
        const size_t a = (size_t)seg->sin_column * j->bytes, b = (size_t)seg->cos_column * j->bytes;
        const bool pairs = seg->pattern == COLUMNS_PAIRS;
        if (pairs ? (a < b ? a : b) % 64 != 0 : a % 64 != 0 || b % 64 != 0)
            return false;
    }
    return true;
}

sinpos_status rows_read(sinpos_rows *own, const sinpos_rows *rows)
{
    if (rows == NULL)
        return SINPOS_E_NULL;
    if (!SIZED_READ(own, rows, first))
        return SINPOS_E_STRUCT;
    return own->integers != NULL && own->reals != NULL ? SINPOS_E_VALUE : SINPOS_OK;
}

sinpos_status sinpos_run(const sinpos_plan *plan, sinpos_operation operation, const sinpos_rows *given,
                         sinpos_type type, void *out, size_t ld_out, size_t n_threads)
{
    BOUNDARY;
    sinpos_rows own;
    const sinpos_rows *rows = &own;
    if (plan == NULL)
        return SINPOS_E_NULL;
    sinpos_status status = rows_read(&own, given);
    if (status == SINPOS_OK && ((unsigned)operation > SINPOS_GRADIENT_THETA || n_threads > MAX_THREADS))
        status = SINPOS_E_VALUE;
    if (status == SINPOS_OK)
        status = check_type(plan, type);
    if (status == SINPOS_OK)
        status = check_array(rows->n, plan->dim, ld_out, sinpos_type_bytes(type));
    if (status != SINPOS_OK || rows->n == 0)
        return status;
    if (out == NULL)
        return SINPOS_E_NULL;
    double largest;
    status = check_positions(plan, rows, &largest);
    if (status != SINPOS_OK)
        return status;
    job j = {.plan = plan,
             .rows = rows,
             .operation = operation,
             .type = type,
             .kind = kernel_of(type),
             .out = out,
             .ld = ld_out,
             .bytes = sinpos_type_bytes(type),
             .far = rows_go_far(plan, largest),
             .k = kernels_active()};
    const bool large = rows->n * plan->dim * j.bytes >= STREAM_BYTES;
    const bool consecutive = rows->integers == NULL && rows->reals == NULL;
    j.stream = operation == SINPOS_FILL && consecutive && j.bytes >= 4 && stream_aligned(&j) && pieces_aligned(&j) &&
               stores_pass_cache(large);
    threads_run(n_threads == 0 ? threads_available() : n_threads, rows->n, BLOCK, work_range, &j);
    return SINPOS_OK;
}

/* ---------------------------------------------------------------------------------------------------- One thread */

static sinpos_status run_one(const sinpos_plan *plan, sinpos_operation operation, sinpos_rows rows, sinpos_type type,
                             void *out, size_t ld)
{
    rows.struct_size = sizeof rows;
    return sinpos_run(plan, operation, &rows, type, out, ld, 1);
}

sinpos_status sinpos_fill(const sinpos_plan *plan, int64_t first, size_t n, sinpos_type type, void *out, size_t ld_out)
{
    BOUNDARY;
    return run_one(plan, SINPOS_FILL, (sinpos_rows){.n = n, .first = first}, type, out, ld_out);
}

sinpos_status sinpos_add(const sinpos_plan *plan, int64_t first, size_t n, sinpos_type type, void *x, size_t ld_x)
{
    BOUNDARY;
    return run_one(plan, SINPOS_ADD, (sinpos_rows){.n = n, .first = first}, type, x, ld_x);
}

static sinpos_status run_at(const sinpos_plan *plan, sinpos_operation operation, const int64_t *positions, size_t n,
                            sinpos_type type, void *out, size_t ld)
{
    if (positions == NULL && n > 0)
        return SINPOS_E_NULL;
    return run_one(plan, operation, (sinpos_rows){.n = n, .integers = positions}, type, out, ld);
}

static sinpos_status run_real(const sinpos_plan *plan, sinpos_operation operation, const double *positions, size_t n,
                              sinpos_type type, void *out, size_t ld)
{
    if (positions == NULL && n > 0)
        return SINPOS_E_NULL;
    return run_one(plan, operation, (sinpos_rows){.n = n, .reals = positions}, type, out, ld);
}

sinpos_status sinpos_fill_at(const sinpos_plan *plan, const int64_t *positions, size_t n, sinpos_type type, void *out,
                             size_t ld_out)
{
    BOUNDARY;
    return run_at(plan, SINPOS_FILL, positions, n, type, out, ld_out);
}

sinpos_status sinpos_add_at(const sinpos_plan *plan, const int64_t *positions, size_t n, sinpos_type type, void *x,
                            size_t ld_x)
{
    BOUNDARY;
    return run_at(plan, SINPOS_ADD, positions, n, type, x, ld_x);
}

sinpos_status sinpos_fill_real(const sinpos_plan *plan, const double *positions, size_t n, sinpos_type type, void *out,
                               size_t ld_out)
{
    BOUNDARY;
    return run_real(plan, SINPOS_FILL, positions, n, type, out, ld_out);
}

sinpos_status sinpos_add_real(const sinpos_plan *plan, const double *positions, size_t n, sinpos_type type, void *x,
                              size_t ld_x)
{
    BOUNDARY;
    return run_real(plan, SINPOS_ADD, positions, n, type, x, ld_x);
}

sinpos_status sinpos_gradient_position(const sinpos_plan *plan, const sinpos_rows *rows, sinpos_type type, void *out,
                                       size_t ld_out)
{
    BOUNDARY;
    return sinpos_run(plan, SINPOS_GRADIENT_POSITION, rows, type, out, ld_out, 1);
}

sinpos_status sinpos_gradient_theta(const sinpos_plan *plan, const sinpos_rows *rows, sinpos_type type, void *out,
                                    size_t ld_out)
{
    BOUNDARY;
    return sinpos_run(plan, SINPOS_GRADIENT_THETA, rows, type, out, ld_out, 1);
}
