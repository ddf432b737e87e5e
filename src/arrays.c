/* Arrays of callers: rows, heads and batches, their strides, and what is copied beside the columns of tones. */
#include <string.h>

#include "factors.h"

sinpos_status check_array(size_t n, size_t dim, size_t ld, size_t bytes)
{
    if (ld < dim || (n > 0 && ld > SIZE_MAX / bytes / n))
        return SINPOS_E_SHAPE;
    return SINPOS_OK;
}

/* So many things, each a stride from the one before. */
typedef struct level {
    size_t count, stride;
} level;

enum { LEVELS = 3 };

static void sort_levels(level levels[LEVELS])
{
    for (size_t i = 1; i < LEVELS; i++) {
        for (size_t k = i; k > 0 && levels[k].stride < levels[k - 1].stride; k--) {
            const level swapped = levels[k];
            levels[k] = levels[k - 1];
            levels[k - 1] = swapped;
        }
    }
}

/* Are all of them addressable, and no element in two of them unless they may overlap? */
static bool levels_fit(level levels[LEVELS], size_t width, size_t bytes, bool may_overlap)
{
    const size_t most = SIZE_MAX / bytes;
    size_t span = width;
    sort_levels(levels);
    for (size_t i = 0; i < LEVELS; i++) {
        const size_t steps = levels[i].count > 1 ? levels[i].count - 1 : 0, stride = levels[i].stride;
        if (steps == 0)
            continue;
        if ((stride < span && !may_overlap) || span > most || stride > (most - span) / steps)
            return false;
        span += steps * stride;
    }
    return span <= most;
}

bool heads_apart(size_t dim, size_t n, size_t n_heads, size_t ld_row, size_t ld_head, size_t bytes)
{
    level levels[LEVELS] = {{n, ld_row}, {n_heads, ld_head}, {1, 0}};
    return levels_fit(levels, dim, bytes, false);
}

sinpos_status task_read_arrays(row_task *t, const sinpos_arrays *arrays)
{
    if (arrays == NULL)
        return SINPOS_E_NULL;
    if (!SIZED_READ(&t->a, arrays, pool))
        return SINPOS_E_STRUCT;
    if (t->a.in == NULL) {
        t->a.in = t->a.out;
        t->a.in_ld_batch = t->a.ld_batch;
        t->a.in_ld_row = t->a.ld_row;
        t->a.in_ld_head = t->a.ld_head;
    }
    return t->a.pool != NULL && t->a.pool->run == NULL ? SINPOS_E_VALUE : SINPOS_OK;
}

sinpos_status task_check_arrays(const row_task *t)
{
    const sinpos_arrays *a = &t->a;
    const size_t width = a->width == 0 ? t->plan->dim : a->width;
    level out[LEVELS] = {{t->rows.n, a->ld_row}, {a->n_heads, a->ld_head}, {a->n_batches, a->ld_batch}};
    level in[LEVELS] = {{t->rows.n, a->in_ld_row}, {a->n_heads, a->in_ld_head}, {a->n_batches, a->in_ld_batch}};
    if (task_is_empty(t))
        return SINPOS_OK;
    if (width < t->plan->dim || !levels_fit(out, width, t->bytes, false) || !levels_fit(in, width, t->bytes, true))
        return SINPOS_E_SHAPE;
    return SINPOS_OK;
}

bool task_copies_beyond(const row_task *t)
{
    return !is_in_place(t) && t->a.width > t->plan->dim;
}

void copy_beyond(const row_task *t, size_t row)
{
    const size_t first = t->plan->dim * t->bytes, bytes = t->a.width * t->bytes - first;
    for (size_t b = 0; b < t->a.n_batches; b++)
        for (size_t h = 0; h < t->a.n_heads; h++)
            memcpy(row_of(t, row) + head_offset(t, b, h) + first, operand_of(t, row) + operand_offset(t, b, h) + first,
                   bytes);
}
