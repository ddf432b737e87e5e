/*
 * The engine of all work on rows: arguments, rows by blocks and pieces, and the factors of a row.
 *
 * Rows at consecutive integers go by blocks of up to BLOCK: one anchor per tone and block, one rotation per element.
 * Other rows are evaluated directly. Rows that the kernels cannot bound go element by element.
 */
#include "factors.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

/* ------------------------------------------------------------------------------------------------------ Memory */

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
        turn_scratch turn;
    } few;
} room;

static scratch scratch_in(room *r, size_t most)
{
    if (most == CHUNK)
        return (scratch){.most = CHUNK,
                         .sine = r->many.sine,
                         .cosine = r->many.cosine,
                         .bound_sin = r->many.bound_sin,
                         .bound_cos = r->many.bound_cos,
                         .limit = r->many.limit,
                         .up = (char *)&r->many.up,
                         .down = (char *)&r->many.down};
    r->few.high.of = SIZE_MAX;
    return (scratch){.most = FEW,
                     .sine = r->few.sine,
                     .cosine = r->few.cosine,
                     .bound_sin = r->few.bound_sin,
                     .bound_cos = r->few.bound_cos,
                     .sine_low = r->few.sine_low,
                     .cosine_low = r->few.cosine_low,
                     .limit = r->few.limit,
                     .up = (char *)&r->few.up,
                     .down = (char *)&r->few.down,
                     .high = &r->few.high,
                     .turn = &r->few.turn};
}

/* ----------------------------------------------------------------------------------------------------- Factors */

void invert_amplitudes(const row_task *t, const piece *p, turn_scratch *w, angles *a)
{
    const sinpos_plan *plan = t->plan;
    for (size_t i = 0; i < p->padded; i++) {
        const double amplitude = plan->amplitude[p->first + i], bound = plan->bound[p->first + i];
        w->amplitude[i] = t->kind == KERNEL_F64 ? 1 : 1 / amplitude;
        w->bound[i] = isfinite(bound) && bound > 0 ? fabs(w->amplitude[i]) * UNIT_BOUND : bound;
        w->slope[i] = isfinite(bound) ? SLOPE_FACTOR * fabs(plan->u[0][p->first + i]) * w->bound[i] : INFINITY;
    }
    a->amplitude = w->amplitude;
    a->amplitude_low = NULL;
    a->bound = w->bound;
    a->slope = w->slope;
}

void set_factors(const row_task *t, const piece *p, scratch *w, const angles *a, double scale)
{
    if (t->kind == KERNEL_F64) {
        t->k->anchor_dd(a, w->sine, w->sine_low, w->cosine, w->cosine_low, w->bound_sin);
        for (size_t i = 0; i < p->padded; i++)
            w->bound_cos[i] = a->bound[i] * DD_BOUND;
        return;
    }
    t->k->anchor(a, w->sine, w->cosine, w->bound_sin);
    for (size_t i = 0; i < p->padded; i++)
        w->bound_cos[i] = a->bound[i] * scale;
    for (size_t i = 0; i < p->padded && scale != 1; i++)
        w->bound_sin[i] *= scale;
}

angles centre_angles(const row_task *t, const piece *p, scratch *w, int64_t centre, double *scale)
{
    angles a = plan_angles(t->plan, p->first, p->padded);
    adapt_angles(t, p, w, &a);
    angles_at_integer(t->plan, p->first, centre, w->high, &a);
    a.reach += REACH;
    /* The product with a rotation: as good as its parts only where they are at their best (numerics.md, section 3). */
    const bool best = a.unit_amplitude && a.high[0] == NULL && a.phase[0] == NULL;
    *scale = best ? 1 : ROTATED_FACTOR;
    return a;
}

angles set_centre(const row_task *t, const piece *p, scratch *w, int64_t centre)
{
    double scale;
    const angles a = centre_angles(t, p, w, centre, &scale);
    set_factors(t, p, w, &a, scale);
    return a;
}

/* -------------------------------------------------------------------------------------------------------- Rows */

enum { MOST_GROUPS = 32 };

sinpos_rows rows_part(const sinpos_plan *plan, const sinpos_rows *rows, size_t first, size_t n)
{
    sinpos_rows part = *rows;
    part.n = n;
    if (part.integers != NULL)
        part.integers += first * plan->n_axes;
    else if (part.reals != NULL)
        part.reals += first * plan->n_axes;
    else if (n > 0)
        part.first += (int64_t)first;
    return part;
}

void make_groups(const row_task *t, scratch *w, const group *groups, size_t n_groups)
{
    for (piece next = {.s = NULL}; plan_next_piece(t->plan, w->most, &next);) {
        const piece p = next;
        for (size_t g = 0; g < n_groups; g++)
            t->make(t, &p, w, groups[g].first, groups[g].n, groups[g].is_block ? &groups[g].centre : NULL);
    }
    for (size_t g = 0; g < n_groups && t->finish != NULL; g++)
        for (size_t i = 0; i < groups[g].n; i++)
            t->finish(t, groups[g].first + i);
}

/* Rows from first_row on: those of a block, true, or some to be made directly. */
static bool next_rows(const row_task *t, bool blocks, size_t first_row, size_t count, size_t *n, int64_t *centre)
{
    if (blocks) {
        const size_t run = rows_in_run(&t->rows, first_row, count < BLOCK ? count : BLOCK);
        *n = rows_in_block(rows_integer(&t->rows, first_row), run, centre);
        if (run > 0 && *n >= LEAST_BLOCK_ROWS)
            return true;
    }
    for (*n = 1; *n < count && *n < t->most_rows; ++*n) {
        const size_t left = count - *n;
        if (blocks && left >= LEAST_BLOCK_ROWS &&
            rows_in_run(&t->rows, first_row + *n, LEAST_BLOCK_ROWS) == LEAST_BLOCK_ROWS)
            break;
    }
    return false;
}

/* Its own part of the workspace, on a cache line, or NULL. */
static char *take_slice(const row_task *t)
{
    if (t->slice_bytes == 0)
        return NULL;
    char *begin = (char *)t->a.workspace + -(uintptr_t)t->a.workspace % CACHE_LINE;
    return begin + t->slice_bytes * atomic_fetch_add_explicit(t->n_slices, 1, memory_order_relaxed);
}

static void make_range(void *context, size_t first_row, size_t count)
{
    const row_task *t = context;
    room memory;
    scratch w = scratch_in(&memory, t->most_tones);
    char *slice = take_slice(t);
    if (t->adds) { /* rows that do not exist are added to, too */
        memset(w.up, 0, 2 * w.most * t->bytes);
        memset(w.down, 0, 2 * w.most * t->bytes);
    }
    const bool blocks = t->by_blocks && rows_make_blocks(t->plan, &t->rows);
    const size_t most = t->goes_far ? MOST_GROUPS : 1; /* high_parts are made once for all of them */
    while (count > 0) {
        group groups[MOST_GROUPS];
        size_t n = 0;
        for (; n < most && count > 0; n++) {
            group *g = &groups[n];
            g->first = first_row;
            g->is_block = next_rows(t, blocks, first_row, count, &g->n, &g->centre);
            first_row += g->n;
            count -= g->n;
        }
        if (slice != NULL)
            t->add_group(t, &w, slice, groups);
        else
            make_groups(t, &w, groups, n);
    }
    if (t->stream)
        stream_fence();
}

/* --------------------------------------------------------------------------------------------------- Arguments */

sinpos_status check_type(const sinpos_plan *plan, sinpos_type type)
{
    if (sinpos_type_bytes(type) == 0 || !(plan->types & (unsigned)type))
        return SINPOS_E_TYPE;
    return plan->largest_amplitude > sinpos_type_limit(type) ? SINPOS_E_OVERFLOW : SINPOS_OK;
}

sinpos_status rows_read(sinpos_rows *own, const sinpos_rows *rows)
{
    if (rows == NULL)
        return SINPOS_E_NULL;
    if (!SIZED_READ(own, rows, first))
        return SINPOS_E_STRUCT;
    return own->integers != NULL && own->reals != NULL ? SINPOS_E_VALUE : SINPOS_OK;
}

sinpos_status task_read(row_task *t, const sinpos_plan *plan, const sinpos_rows *rows, bool valid, sinpos_type type)
{
    if (plan == NULL)
        return SINPOS_E_NULL;
    const sinpos_status status = rows_read(&t->rows, rows);
    if (status != SINPOS_OK)
        return status;
    if (!valid || t->a.n_threads > MAX_THREADS)
        return SINPOS_E_VALUE;
    t->plan = plan;
    t->type = type;
    t->kind = kernel_of(type);
    t->bytes = sinpos_type_bytes(type);
    return check_type(plan, type);
}

sinpos_status task_run(row_task *t)
{
    double largest;
    if (t->a.out == NULL)
        return SINPOS_E_NULL;
    const sinpos_status status = check_positions(t->plan, &t->rows, &largest);
    if (status != SINPOS_OK)
        return status;
    t->goes_far = rows_go_far(t->plan, largest);
    if (t->goes_far)
        t->most_tones = FEW;
    t->k = kernels_active();
    const size_t n_threads = t->a.n_threads == 0 ? threads_available() : t->a.n_threads;
    _Atomic size_t n_slices = 0;
    t->n_slices = &n_slices;
    const size_t given = t->a.workspace == NULL ? 0 : t->a.workspace_bytes;
    if (t->goes_far || given / n_threads < t->slice_bytes + CACHE_LINE)
        t->slice_bytes = 0;
    threads_run_in(t->a.pool, n_threads, t->rows.n, BLOCK, make_range, t);
    return SINPOS_OK;
}
