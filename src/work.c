/* The work: rows of encodings and of their derivatives into memory, or added to what is there. */
#include <string.h>

#include "factors.h"

/*
 * Below this many bytes the rows probably stay in cache, and ordinary stores serve whoever reads them next. Above it
 * blocks are streamed where the processor likes that, those of 16-bit types if they are made in float; other rows are made
 * more slowly than memory takes them either way.
 */
#define STREAM_BYTES ((size_t)8 << 20)

/*
 * Results of sums elsewhere are fetched before they are stored. Larger ones are probably pages that nobody has touched, as
 * C libraries map more than this anew each time: there fetching only costs.
 */
#define REUSED_BYTES ((size_t)32 << 20)

/* ------------------------------------------------------------------------------------- Where a row's tones go */

/* The second half of a buffer of two components. */
static size_t second_in(const row_task *t, const scratch *w)
{
    return w->most * t->bytes;
}

/* Of 16-bit types some elements are made again, and never in lines that were streamed: rows are made in the scratch. */
static bool streams_copies(const row_task *t)
{
    return t->stream && t->bytes == 2;
}

static destination in_buffer(const row_task *t, const piece *p, const scratch *w, char *buffer)
{
    const segment *s = p->s;
    return (destination){.first = buffer,
                         .second = s->pattern == COLUMNS_PAIRS ? NULL : buffer + second_in(t, w),
                         .first_operand = buffer,
                         .second_operand = buffer + second_in(t, w),
                         .cos_first = s->cos_first,
                         .store =
                             t->stream && !streams_copies(t) && s->pattern != COLUMNS_LISTED ? STORE_STREAM : STORE};
}

/* Can the kernel write the row itself, or must its output be copied or added from a buffer? */
static bool writes_row(const row_task *t, const segment *s)
{
    return !t->adds && s->pattern != COLUMNS_LISTED;
}

/* Copy k of a row: one of its heads in one of its batches. */
static const char *operand_copy(const row_task *t, size_t row, size_t k)
{
    return operand_of(t, row) + operand_offset(t, k / t->a.n_heads, k % t->a.n_heads);
}

static char *result_copy(const row_task *t, size_t row, size_t k)
{
    return row_of(t, row) + head_offset(t, k / t->a.n_heads, k % t->a.n_heads);
}

enum { FETCHED = 16 << 10 }; /* bytes ahead: 4 KiB reach 0.75 of the speed of x += c with 8 batches, these 0.85 */

/* n elements e, from a column on, are added to a row in each of its batches and heads; next: the row after it. */
static void add_columns(const row_task *t, size_t row, size_t next, size_t column, const void *e, size_t n)
{
    const size_t copies = t->a.n_batches * t->a.n_heads, skipped = column * t->bytes;
    const size_t distance = n * t->bytes < FETCHED ? FETCHED / (n * t->bytes) : 1;
    for (size_t k = 0; k < copies; k++) {
        const size_t later = k + distance, then = later < copies ? row : next, copy = later % copies;
        const fetched later_rows = {operand_copy(t, then, copy) + skipped,
                                    t->fetches_results ? result_copy(t, then, copy) + skipped : NULL};
        t->k->add[t->kind](result_copy(t, row, k) + skipped, operand_copy(t, row, k) + skipped, e, n, &later_rows);
    }
}

/* The same for whole rows of the columns of a plan, the rows of a batch after each other, elements `stride` bytes apart. */
static void add_rows(const row_task *t, size_t first, size_t n, const char *elements, size_t stride)
{
    const size_t copies = t->a.n_batches * t->a.n_heads, row_bytes = t->plan->dim * t->bytes;
    const size_t distance = row_bytes < FETCHED ? FETCHED / row_bytes : 1;
    for (size_t k = 0; k < copies; k++) {
        for (size_t i = 0; i < n; i++) {
            const size_t later = i + distance, steps = later / n;
            const size_t copy = (k + steps) % copies, row = first + later % n + (k + steps) / copies * n;
            const size_t then = row < t->rows.n ? row : first;
            const fetched later_row = {operand_copy(t, then, copy),
                                       t->fetches_results ? result_copy(t, then, copy) : NULL};
            t->k->add[t->kind](result_copy(t, first + i, k), operand_copy(t, first + i, k), elements + i * stride,
                               t->plan->dim, &later_row);
        }
    }
}

static void put_element(const row_task *t, size_t row, ptrdiff_t column, const void *one)
{
    if (column == SINPOS_NO_COLUMN)
        return;
    if (t->adds)
        add_columns(t, row, row, (size_t)column, one, 1);
    else
        memcpy(row_of(t, row) + (size_t)column * t->bytes, one, t->bytes);
}

static void stream_piece(const row_task *t, const piece *p, const scratch *w, size_t row, const char *buffer)
{
    const destination d = in_row(t, p, row_of(t, row));
    const bool pairs = p->s->pattern == COLUMNS_PAIRS;
    t->k->stream(d.first, buffer, (pairs ? 2 : 1) * p->count * t->bytes);
    if (!pairs)
        t->k->stream(d.second, buffer + second_in(t, w), p->count * t->bytes);
}

/* What in_buffer() holds goes to its row. */
static void deliver(const row_task *t, const piece *p, const scratch *w, size_t row, size_t next, const char *buffer)
{
    const char *second = buffer + second_in(t, w);
    if (p->s->pattern == COLUMNS_LISTED) {
        for (size_t i = 0; i < p->count; i++) {
            put_element(t, row, tone_in(t, p, i)->sin_column, buffer + i * t->bytes);
            put_element(t, row, tone_in(t, p, i)->cos_column, second + i * t->bytes);
        }
    } else if (t->stream) {
        stream_piece(t, p, w, row, buffer);
    } else if (p->s->pattern == COLUMNS_PAIRS) {
        add_columns(t, row, next, piece_column(p, false), buffer, 2 * p->count);
    } else {
        add_columns(t, row, next, piece_column(p, false), buffer, p->count);
        add_columns(t, row, next, piece_column(p, true), second, p->count);
    }
}

/* Columns that no tone names: zero, or zero added. */
static void zero_columns(const row_task *t, size_t row)
{
    const any_element zero = {0};
    for (size_t i = 0; i < t->plan->n_zero_columns; i++)
        put_element(t, row, (ptrdiff_t)t->plan->zero_columns[i], &zero);
    if (task_copies_beyond(t))
        copy_beyond(t, row);
}

/* ------------------------------------------------------------------------------------------------- Direct rows */

static void slow_element(const row_task *t, const redo *what, size_t padded, bool cosine_column, size_t row)
{
    const sinpos_tone *tone = &t->plan->tones[t->plan->tone_of[padded]];
    const ptrdiff_t column = cosine_column ? tone->cos_column : tone->sin_column;
    any_element typed;
    if (column == SINPOS_NO_COLUMN)
        return;
    store_element(&typed, 0, element_in_column(what, 0, padded, cosine_column), t->type);
    put_element(t, row, column, &typed);
}

static void two_doubles(position p, double parts[2])
{
    parts[0] = p.is_real ? p.real : (double)p.integer;
    parts[1] = p.is_real ? 0 : (double)(int64_t)((int128)p.integer - (int128)parts[0]);
}

/* The leading tones, in vectors, of which some are judged by the absolute bound: see slope in internal.h. */
static size_t count_absolute(const row_task *t, const piece *p, const angles *a)
{
    if (a->bound_is_absolute)
        return p->padded;
    const double *after = t->plan->u_after + p->first / LANES;
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

static void direct_row(const row_task *t, const piece *p, scratch *w, redo *what, size_t row)
{
    angles a = plan_angles(t->plan, p->first, p->padded);
    what->p = rows_position(t->plan, &t->rows, row, p->s->axis);
    if (!angles_at_row(t, p, w, what->p, &a)) {
        for (size_t i = 0; i < p->count; i++) {
            slow_element(t, what, p->first + i, false, row);
            slow_element(t, what, p->first + i, true, row);
        }
        return;
    }
    two_doubles(what->p, a.weight);
    a.n_absolute = count_absolute(t, p, &a);
    const bool straight = writes_row(t, p->s);
    destination d = straight ? in_row(t, p, row_of(t, row)) : in_buffer(t, p, w, w->up);
    d.store = STORE;
    t->k->direct[t->kind](p->s->pattern == COLUMNS_PAIRS, &a, p->count, &d, what);
    if (!straight)
        deliver(t, p, w, row, row, w->up);
}

/* ------------------------------------------------------------------------------------------------ Blocks of rows */

static rotation rotation_by(const row_task *t, const piece *p, int64_t r)
{
    const size_t at = (size_t)r * t->plan->n_padded + p->first;
    rotation by = {.sine = t->plan->rotation_sin + at, .cosine = t->plan->rotation_cos + at, .r = r};
    if (t->bytes == 2) {
        by.sine_floats = t->plan->rotation_sin_floats + at;
        by.cosine_floats = t->plan->rotation_cos_floats + at;
    }
    if (t->kind == KERNEL_F64) {
        by.sine_low = t->plan->rotation_sin_low + at;
        by.cosine_low = t->plan->rotation_cos_low + at;
    }
    return by;
}

static bool in_float(const row_task *t)
{
    return t->bytes == 2 && t->k->rows_in_float && t->plan->unit_amplitude;
}

/* Are the elements of a block added as they are made? */
static bool makes_sums(const row_task *t, const piece *p)
{
    const bool is_one = t->a.n_batches == 1 && t->a.n_heads == 1;
    return t->adds && is_one && p->s->pattern != COLUMNS_LISTED &&
           (t->kind == KERNEL_F32 || (t->kind == KERNEL_BF16 && in_float(t)));
}

/* What rows of 16-bit types are made of in float. */
static anchor floats_at(const row_task *t, const piece *p, scratch *w, const redo *what, anchor at)
{
    at.floats = (anchor_floats){.sine = w->limit,
                                .cosine = w->limit + w->most,
                                .minus_e = (float *)(void *)w->down + w->most, /* behind 2 most of 2 bytes */
                                .least_e = t->kind == KERNEL_F16 ? FLOAT_ROW_LEAST_F16 : 0};
    const angles a = centre_angles(t, p, w, what->p.integer, &at.floats.scale);
    at.bound = UNIT_BOUND * at.floats.scale;
    t->k->anchor_floats(&a, w->sine, w->cosine, w->bound_sin, &at.floats);
    return at;
}

/* The centre of a block, and what its rows are judged by; *made: with its own row, which is then in `row`. */
static anchor anchor_at(const row_task *t, const piece *p, scratch *w, const redo *what, const destination *row,
                        bool *made)
{
    const bool pairs = p->s->pattern == COLUMNS_PAIRS;
    anchor at = {w->sine, w->cosine, w->sine_low, w->cosine_low, w->bound_sin, w->bound_cos, .limit = w->limit};
    *made = false;
    if (in_float(t))
        return floats_at(t, p, w, what, at);
    double scale;
    const angles a = centre_angles(t, p, w, what->p.integer, &scale);
    if (t->kind == KERNEL_F32 && scale == 1) {
        const centre_parts keep = {w->sine, w->cosine, w->bound_sin, w->limit};
        *made = true;
        at.bound_cos = NULL;
        at.bound = UNIT_BOUND;
        t->k->centre_f32(pairs, &a, p->count, &keep, row, what);
        return at;
    }
    set_factors(t, p, w, &a, scale);
    if (t->kind != KERNEL_F64)
        t->k->limits(t->kind, pairs, p->s->cos_first, w->bound_sin, w->bound_cos, w->limit, p->padded);
    return at;
}

static void set_operands(const row_task *t, const piece *p, size_t row, destination *d)
{
    const destination from = operand_in_row(t, p, operand_of(t, row));
    d->first_operand = from.first;
    d->second_operand = from.second;
}

/* Rows centre + from .. centre + to of one block, the first of which is row `first`. */
typedef struct block {
    int64_t from, to;
    size_t first, centre;
} block;

/* The row that is wanted after centre + r, r >= 0, or after centre - r. */
static size_t row_after(const row_task *t, const piece *p, const block *b, int64_t r, bool is_down)
{
    if (is_down ? -r > b->from : r < b->to)
        return is_down ? b->centre - (size_t)r - 1 : b->centre + (size_t)r + 1;
    const size_t next_centre = b->first + (size_t)(b->to - b->from) + 1 + REACH;
    const bool is_last_piece = p->count == t->plan->n_tones;
    return is_last_piece && next_centre < t->rows.n ? next_centre - is_down : b->centre;
}

/* The centre with its row, where a kernel makes both. */
static anchor block_centre(const row_task *t, const piece *p, scratch *w, const redo *what, const block *b, bool *made)
{
    const bool straight = writes_row(t, p->s) && !t->stream;
    destination row = straight ? in_row(t, p, row_of(t, b->centre)) : in_buffer(t, p, w, w->up);
    row.store = STORE;
    const anchor at = anchor_at(t, p, w, what, &row, made);
    if (*made && !straight)
        deliver(t, p, w, b->centre, row_after(t, p, b, 0, false), w->up);
    return at;
}

/*
 * Where rows of a block go, above its centre or below; to a buffer alone unless they are `there`. For one row after another
 * place_row() changes what a row changes: a new struct for each would be copied before its members reach the cache.
 */
static destination block_destination(const row_task *t, const piece *p, scratch *w, bool is_down, bool there, bool sums)
{
    destination d = there ? in_row(t, p, t->a.out) : in_buffer(t, p, w, is_down ? w->down : w->up);
    if (t->stream) {
        d.first_operand = w->down;
        d.second_operand = w->down + second_in(t, w);
    }
    if (sums)
        d.store = STORE_SUM;
    return d;
}

/* The row centre + r, or centre - r. */
static inline void place_row(const row_task *t, const piece *p, const block *b, int64_t r, bool is_down, bool there,
                             destination *d)
{
    const size_t row = is_down ? b->centre - (size_t)r : b->centre + (size_t)r;
    if (there) {
        char *at = row_of(t, row);
        d->first = at + piece_column(p, false) * t->bytes;
        if (p->s->pattern != COLUMNS_PAIRS)
            d->second = at + piece_column(p, true) * t->bytes;
    }
    if (t->stream) /* where the next one's page lies is to be known by then */
        __builtin_prefetch(row_of(t, row_after(t, p, b, r, is_down)) + piece_column(p, false) * t->bytes, 0, 2);
    if (d->store == STORE_SUM) {
        d->ahead = operand_of(t, row_after(t, p, b, r, is_down)) + piece_column(p, false) * t->bytes;
        if (there)
            set_operands(t, p, row, d);
    }
}

static void block_rows(const row_task *t, const piece *p, scratch *w, const redo *what, const block *b)
{
    const bool pairs = p->s->pattern == COLUMNS_PAIRS;
    const bool sums = makes_sums(t, p);
    const bool straight = sums || (writes_row(t, p->s) && !streams_copies(t));
    const int64_t furthest = -b->from > b->to ? -b->from : b->to;
    destination to_up[2], to_down[2]; /* a buffer, and there */
    for (int there = 0; there < 2; there++) {
        to_up[there] = block_destination(t, p, w, false, there, sums);
        to_down[there] = block_destination(t, p, w, true, there, sums);
    }
    bool made;
    const anchor at = block_centre(t, p, w, what, b, &made);
    for (int64_t r = made; r <= furthest; r++) {
        const bool has_up = r <= b->to, has_down = -r >= b->from && r != 0;
        destination *d_up = &to_up[straight && has_up], *d_down = &to_down[straight && has_down];
        place_row(t, p, b, r, false, straight && has_up, d_up);
        place_row(t, p, b, r, true, straight && has_down, d_down);
        const rotation by = rotation_by(t, p, r);
        t->k->rotate[t->kind](pairs, &at, &by, p->count, d_up, d_down, what);
        if (straight)
            continue;
        const size_t up = b->centre + (size_t)r, down = b->centre - (size_t)r;
        const size_t above = row_after(t, p, b, r, false);
        if (has_up)
            deliver(t, p, w, up, has_down ? down : above, w->up);
        if (has_down)
            deliver(t, p, w, down, above, w->down);
    }
}

static void make_piece(const row_task *t, const piece *p, scratch *w, size_t first_row, size_t count,
                       const int64_t *centre)
{
    redo what = redo_of(t, p);
    if (centre != NULL) {
        const int64_t from = rows_integer(&t->rows, first_row) - *centre;
        const block b = {from, from + (int64_t)count - 1, first_row, first_row + (size_t)-from};
        what.p.integer = *centre;
        block_rows(t, p, w, &what, &b);
        return;
    }
    for (size_t i = 0; i < count; i++)
        direct_row(t, p, w, &what, first_row + i);
}

/* ------------------------------------------------------------------------------------- Sums through a workspace */

static size_t slice_stride(const sinpos_plan *plan, size_t bytes)
{
    return (plan->dim * bytes + CACHE_LINE - 1) / CACHE_LINE * CACHE_LINE;
}

/* Memory of a thread: the rows of a block; 0: longer than what stays in the second-level cache. */
static size_t slice_bytes(const sinpos_plan *plan, size_t bytes)
{
    enum { MOST = 256 << 10 };
    const size_t whole = plan->dim > MOST ? MOST + 1 : BLOCK * slice_stride(plan, bytes);
    return whole > MOST ? 0 : whole;
}

size_t sinpos_workspace_bytes(const sinpos_plan *plan, sinpos_type type, size_t n_threads)
{
    BOUNDARY;
    const size_t bytes = sinpos_type_bytes(type);
    if (plan == NULL || bytes == 0 || n_threads > MAX_THREADS)
        return 0;
    const size_t slice = slice_bytes(plan, bytes);
    return slice == 0 ? 0 : (n_threads == 0 ? threads_available() : n_threads) * (slice + CACHE_LINE);
}

static void add_group(const row_task *t, scratch *w, char *slice, const group *g)
{
    const size_t stride = slice_stride(t->plan, t->bytes);
    const group here = {.n = g->n, .is_block = g->is_block, .centre = g->centre};
    row_task fill = *t;
    fill.adds = false;
    fill.rows = rows_part(t->plan, &t->rows, g->first, g->n);
    fill.a.in = fill.a.out = slice;
    fill.a.n_batches = fill.a.n_heads = 1;
    fill.a.ld_row = fill.a.in_ld_row = stride / t->bytes;
    fill.finish = t->plan->n_zero_columns > 0 ? zero_columns : NULL;
    make_groups(&fill, w, &here, 1);
    add_rows(t, g->first, g->n, slice, stride);
    for (size_t i = 0; i < g->n && task_copies_beyond(t); i++)
        copy_beyond(t, g->first + i);
}

/* ---------------------------------------------------------------------------------------------------- The call */

/* Streaming stores want every piece of every row on a cache line of its own. */
static bool stream_aligned(const row_task *t)
{
    if ((uintptr_t)t->a.out % 64 != 0 || t->a.ld_row * t->bytes % 64 != 0)
        return false;
    for (size_t s = 0; s < t->plan->n_segments; s++) {
        const segment *seg = &t->plan->segments[s];
        if (seg->pattern == COLUMNS_LISTED)
            continue;
        const size_t a = (size_t)seg->sin_column * t->bytes, b = (size_t)seg->cos_column * t->bytes;
        const bool pairs = seg->pattern == COLUMNS_PAIRS;
        if (pairs ? (a < b ? a : b) % 64 != 0 : a % 64 != 0 || b % 64 != 0)
            return false;
    }
    return true;
}

/* has_stride: ld_row counts for one row too. */
static sinpos_status run(const sinpos_plan *plan, sinpos_operation operation, const sinpos_rows *given,
                         sinpos_type type, const sinpos_arrays *arrays, bool has_stride)
{
    const bool derives = operation == SINPOS_GRADIENT_POSITION || operation == SINPOS_GRADIENT_THETA;
    row_task t = {.operation = operation == SINPOS_ADD ? SINPOS_FILL : operation,
                  .adds = operation == SINPOS_ADD,
                  .most_rows = BLOCK,
                  .by_blocks = !derives,
                  .make = make_piece,
                  .add_group = add_group};
    sinpos_status status = task_read_arrays(&t, arrays);
    const bool is_one = t.a.n_batches == 1 && t.a.n_heads == 1 && is_in_place(&t);
    const bool valid = (unsigned)operation <= SINPOS_GRADIENT_THETA && (t.adds || is_one);
    if (status == SINPOS_OK)
        status = task_read(&t, plan, given, valid, type);
    if (status == SINPOS_OK)
        status = has_stride ? check_array(t.rows.n, plan->dim, t.a.ld_row, t.bytes) : task_check_arrays(&t);
    if (status != SINPOS_OK || task_is_empty(&t))
        return status;
    t.most_tones = t.bytes <= sizeof(float) ? CHUNK : FEW;
    t.finish = plan->n_zero_columns > 0 || task_copies_beyond(&t) ? zero_columns : NULL;
    const bool is_fast = t.bytes >= 4 || (kernels_active()->rows_in_float && plan->unit_amplitude);
    t.stream = operation == SINPOS_FILL && rows_make_blocks(plan, &t.rows) && is_fast && stream_aligned(&t) &&
               stores_pass_cache(t.rows.n * plan->dim * t.bytes >= STREAM_BYTES);
    const size_t bytes = t.rows.n * t.a.n_batches * t.a.n_heads * plan->dim * t.bytes;
    t.fetches_results = !is_in_place(&t) && bytes <= REUSED_BYTES;
    t.slice_bytes = t.adds && t.a.n_batches * t.a.n_heads > 1 ? slice_bytes(plan, t.bytes) : 0;
    return task_run(&t);
}

sinpos_status sinpos_run_arrays(const sinpos_plan *plan, sinpos_operation operation, const sinpos_rows *rows,
                                sinpos_type type, const sinpos_arrays *arrays)
{
    BOUNDARY;
    return run(plan, operation, rows, type, arrays, false);
}

sinpos_status sinpos_run(const sinpos_plan *plan, sinpos_operation operation, const sinpos_rows *rows, sinpos_type type,
                         void *out, size_t ld_out, size_t n_threads)
{
    BOUNDARY;
    const sinpos_arrays arrays = {.struct_size = sizeof arrays,
                                  .out = out,
                                  .n_batches = 1,
                                  .n_heads = 1,
                                  .ld_row = ld_out,
                                  .n_threads = n_threads};
    return run(plan, operation, rows, type, &arrays, true);
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

/* At positions of one of the two lists. */
static sinpos_status run_at(const sinpos_plan *plan, sinpos_operation operation, const int64_t *integers,
                            const double *reals, size_t n, sinpos_type type, void *out, size_t ld)
{
    if (integers == NULL && reals == NULL && n > 0)
        return SINPOS_E_NULL;
    return run_one(plan, operation, (sinpos_rows){.n = n, .integers = integers, .reals = reals}, type, out, ld);
}

sinpos_status sinpos_fill_at(const sinpos_plan *plan, const int64_t *positions, size_t n, sinpos_type type, void *out,
                             size_t ld_out)
{
    BOUNDARY;
    return run_at(plan, SINPOS_FILL, positions, NULL, n, type, out, ld_out);
}

sinpos_status sinpos_add_at(const sinpos_plan *plan, const int64_t *positions, size_t n, sinpos_type type, void *x,
                            size_t ld_x)
{
    BOUNDARY;
    return run_at(plan, SINPOS_ADD, positions, NULL, n, type, x, ld_x);
}

sinpos_status sinpos_fill_real(const sinpos_plan *plan, const double *positions, size_t n, sinpos_type type, void *out,
                               size_t ld_out)
{
    BOUNDARY;
    return run_at(plan, SINPOS_FILL, NULL, positions, n, type, out, ld_out);
}

sinpos_status sinpos_add_real(const sinpos_plan *plan, const double *positions, size_t n, sinpos_type type, void *x,
                              size_t ld_x)
{
    BOUNDARY;
    return run_at(plan, SINPOS_ADD, NULL, positions, n, type, x, ld_x);
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
