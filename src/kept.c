/* The factors of rows, kept: one block of memory, an array over the padded tones of all rows for each kind of number. */
#include <stdlib.h>
#include <string.h>

#include "factors.h"

/* Arrays one after the other in a block; base NULL: only measured. */
typedef struct layout {
    char *base;
    size_t bytes;
    bool overflows;
} layout;

static void *array_of(layout *l, size_t count, size_t size)
{
    enum { LINE = 64 };
    const size_t begin = l->bytes;
    if (size != 0 && count > (SIZE_MAX / 2 - begin) / size) {
        l->overflows = true;
        return NULL;
    }
    l->bytes = (begin + count * size + LINE - 1) / LINE * LINE;
    return l->base == NULL ? NULL : l->base + begin;
}

static size_t product_or_most(size_t a, size_t b)
{
    return b != 0 && a > SIZE_MAX / b ? SIZE_MAX : a * b;
}

/* Where everything lies, for the rows of a task. */
static void lay_out(layout *l, const row_task *t, sinpos_factors *f)
{
    const size_t n = product_or_most(t->rows.n, t->plan->n_padded);
    const bool is_wide = t->kind == KERNEL_F64;
    kept_rows *k = &f->kept;
    array_of(l, 1, sizeof *f);
    double **const doubles[] = {&k->sine, &k->cosine, &k->bound_sin, &k->bound_cos, &k->sine_low, &k->cosine_low};
    float **const floats[] = {&k->limit, &k->tie_limit, &k->sine_floats, &k->cosine_floats};
    for (size_t i = 0; i < (is_wide ? 6 : 4); i++)
        *doubles[i] = array_of(l, n, sizeof(double));
    for (size_t i = 0; i < (is_wide ? 0 : t->bytes == 2 ? 4 : 1); i++)
        *floats[i] = array_of(l, n, sizeof(float));
    k->is_slow = array_of(l, product_or_most(t->rows.n, t->plan->n_segments), sizeof(bool));
    const size_t n_listed = product_or_most(t->rows.n, t->plan->n_axes);
    if (t->rows.integers != NULL)
        f->rows.integers = array_of(l, n_listed, sizeof(int64_t));
    if (t->rows.reals != NULL)
        f->rows.reals = array_of(l, n_listed, sizeof(double));
}

sinpos_status kept_create(sinpos_factors **out, const row_task *t)
{
    sinpos_factors measured = {.rows = t->rows};
    layout l = {.base = NULL};
    lay_out(&l, t, &measured);
    sinpos_factors *f = l.overflows ? NULL : ALIGNED_ALLOC(l.bytes);
    if (f == NULL)
        return SINPOS_E_MEMORY;
    *f = (sinpos_factors){.plan = t->plan,
                          .rows = t->rows,
                          .direction = t->direction,
                          .type = t->type,
                          .divides = t->divides,
                          .bytes = l.bytes};
    l = (layout){.base = (char *)f};
    lay_out(&l, t, f);
    memset(f->kept.is_slow, 0, t->rows.n * t->plan->n_segments);
    const size_t listed = t->rows.n * t->plan->n_axes;
    if (t->rows.integers != NULL)
        memcpy((void *)(uintptr_t)f->rows.integers, t->rows.integers, listed * sizeof(int64_t));
    if (t->rows.reals != NULL)
        memcpy((void *)(uintptr_t)f->rows.reals, t->rows.reals, listed * sizeof(double));
    *out = f;
    return SINPOS_OK;
}

void sinpos_factors_destroy(sinpos_factors *f)
{
    BOUNDARY;
    ALIGNED_FREE(f);
}

size_t sinpos_factors_bytes(const sinpos_factors *f)
{
    BOUNDARY;
    return f == NULL ? 0 : f->bytes;
}

static bool *slow_flag(const row_task *t, const piece *p, size_t row)
{
    return &t->kept->is_slow[(t->kept->first + row) * t->plan->n_segments + (size_t)(p->s - t->plan->segments)];
}

void keep_slow(const row_task *t, const piece *p, size_t row)
{
    *slow_flag(t, p, row) = true;
}

bool kept_factors(const row_task *t, const piece *p, size_t row, pair_factors *by)
{
    const kept_rows *k = t->kept;
    const size_t at = (k->first + row) * t->plan->n_padded + p->first;
    *by = (pair_factors){
        .sine = k->sine + at, .cosine = k->cosine + at, .bound_sin = k->bound_sin + at, .bound_cos = k->bound_cos + at};
    if (t->kind == KERNEL_F64) {
        by->sine_low = k->sine_low + at;
        by->cosine_low = k->cosine_low + at;
    } else {
        by->limit = k->limit + at;
    }
    if (t->bytes == 2) {
        by->sine_floats = k->sine_floats + at;
        by->cosine_floats = k->cosine_floats + at;
        by->tie_limit = k->tie_limit + at;
    }
    return !*slow_flag(t, p, row);
}

static void copy_numbers(const void *to, const void *from, size_t bytes)
{
    if (to != NULL)
        memcpy((void *)(uintptr_t)to, from, bytes);
}

void keep_factors(const row_task *t, const piece *p, size_t row, const pair_factors *by)
{
    const size_t doubles = p->padded * sizeof(double), floats = p->padded * sizeof(float);
    pair_factors own;
    kept_factors(t, p, row, &own);
    copy_numbers(own.sine, by->sine, doubles);
    copy_numbers(own.cosine, by->cosine, doubles);
    copy_numbers(own.bound_sin, by->bound_sin, doubles);
    copy_numbers(own.bound_cos, by->bound_cos, doubles);
    copy_numbers(own.sine_low, by->sine_low, doubles);
    copy_numbers(own.cosine_low, by->cosine_low, doubles);
    copy_numbers(own.limit, by->limit, floats);
    copy_numbers(own.tie_limit, by->tie_limit, floats);
    copy_numbers(own.sine_floats, by->sine_floats, floats);
    copy_numbers(own.cosine_floats, by->cosine_floats, floats);
}
