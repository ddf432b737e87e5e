/* Functions that formulas may call. */
#include <math.h>
#include <string.h>

#include "formula.h"

/* Pixels of a long film: 3 GiB of coordinates. */
#define MOST_CELLS ((size_t)1 << 27)

/* Of dealt(): axes, and frequencies of each. */
enum { MAX_DEALT = 8, MOST_DEALT = 1 << 20 };

static bool is_name(const char *name, size_t n, const char *wanted)
{
    return strlen(wanted) == n && memcmp(name, wanted, n) == 0;
}

static bool refuse(scope *s, const char *name, size_t n)
{
    return scope_fail(s, SINPOS_E_VALUE, "%.*s() cannot be taken with these parameters", (int)n, name);
}

static bool new_list(scope *s, size_t n_dims, const size_t *shape, value *out, double **items)
{
    *out = (value){.kind = VALUE_LIST, .g = -1, .n_dims = n_dims};
    size_t n = 1;
    for (size_t k = 0; k < n_dims; k++) {
        out->shape[k] = shape[k];
        n *= shape[k];
    }
    *items = scope_list(s, n);
    out->items = *items;
    return *items != NULL || scope_fail(s, SINPOS_E_MEMORY, "out of memory");
}

/* -------------------------------------------------------------------------------------------------- of one number */

static bool is_odd(const real *whole)
{
    real two, half;
    real_set(&two, 2);
    const bool ok = real_divide(&half, whole, &two);
    real_floor(&half, &half);
    real_multiply(&half, &half, &two);
    return ok && real_compare(&half, whole) != 0;
}

static void rounded_half_even(real *r)
{
    real half, above, whole;
    real_set(&half, 0.5);
    real_add(&above, r, &half);
    real_floor(&whole, &above);
    if (real_compare(&whole, &above) == 0 && is_odd(&whole)) {
        real_set(&half, -1);
        real_add(&whole, &whole, &half);
    }
    *r = whole;
}

static bool of_number(scope *s, const char *name, size_t n, value *x, value *out, bool *known)
{
    static const struct {
        const char *name;
        bool (*function)(real *, const real *);
    } functions[] = {{"sqrt", real_sqrt}, {"exp", real_exp}, {"log", real_log}, {"log2", real_log2}};
    const size_t n_functions = sizeof functions / sizeof functions[0];
    real *r = &x->number;
    bool ok = true;
    *known = true;
    if (is_name(name, n, "floor")) {
        real_floor(r, r);
    } else if (is_name(name, n, "ceil")) {
        real_negate(r);
        real_floor(r, r);
        real_negate(r);
    } else if (is_name(name, n, "round")) {
        rounded_half_even(r);
    } else if (is_name(name, n, "abs")) {
        if (real_sign(r) < 0)
            real_negate(r);
    } else {
        size_t k = 0;
        while (k < n_functions && !is_name(name, n, functions[k].name))
            k++;
        *known = k < n_functions;
        ok = !*known || functions[k].function(r, r);
    }
    *out = *x;
    return ok || refuse(s, name, n);
}

/* --------------------------------------------------------------------------------------------------------- of lists */

/* slice(list, first, after): along the first dimension. */
static bool slice(scope *s, const value *arguments, value *out)
{
    const double first = real_to_double(&arguments[1].number), after = real_to_double(&arguments[2].number);
    *out = arguments[0];
    if (!(first >= 0 && after >= first && after <= (double)out->shape[0]))
        return scope_fail(s, SINPOS_E_VALUE, "a list has %zu items, too few for this convention", out->shape[0]);
    const size_t each = out->shape[0] == 0 ? 0 : value_items(out) / out->shape[0];
    out->items += each * (size_t)first;
    out->shape[0] = (size_t)(after - first);
    return true;
}

/* columns(list, k): k n numbers, coordinate after coordinate, as (n, k). */
static bool columns(scope *s, const value *list, double k, value *out)
{
    const size_t n_items = value_items(list);
    double *items;
    if (!(k >= 1 && k <= 64 && fmod((double)n_items, k) == 0))
        return scope_fail(s, SINPOS_E_SHAPE, "%zu numbers cannot be shared by %g coordinates", n_items, k);
    const size_t n_columns = (size_t)k, n = n_items / n_columns, shape[2] = {n, n_columns};
    if (!new_list(s, 2, shape, out, &items))
        return false;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n_columns; j++)
            items[i * n_columns + j] = list->items[j * n + i];
    return true;
}

/* Positions of tokens: padding + 1 + (rank among tokens that are not padding, or column), or padding. */
static bool tokens(scope *s, const value *list, double padding, bool by_rank, value *out)
{
    double *items;
    if (!new_list(s, list->n_dims, list->shape, out, &items))
        return false;
    const size_t n_row = list->shape[list->n_dims - 1], n = value_items(list);
    for (size_t i = 0, rank = 0; i < n; i++) {
        const bool is_padding = list->items[i] == padding;
        rank = i % n_row == 0 ? 0 : rank;
        items[i] = is_padding ? padding : padding + 1 + (double)(by_rank ? rank : i % n_row);
        rank += !is_padding;
    }
    return true;
}

/* Per cell of (..., H, W): counts of cells equal to valid down to it and across to it, and the last of each. */
static bool mask_cells(scope *s, const value *mask, double valid, value *out)
{
    double *items;
    size_t shape[LIST_DIMS];
    if (mask->n_dims < 2 || mask->n_dims >= LIST_DIMS)
        return scope_fail(s, SINPOS_E_SHAPE, "a mask must have rows and columns");
    memcpy(shape, mask->shape, mask->n_dims * sizeof *shape);
    shape[mask->n_dims] = 4;
    const size_t height = shape[mask->n_dims - 2], width = shape[mask->n_dims - 1], n = value_items(mask);
    if (!new_list(s, mask->n_dims + 1, shape, out, &items))
        return false;
    for (size_t i = 0; i < n; i++) { /* running counts, then the last of each column and row */
        const size_t x = i % width, y = i / width % height;
        const double one = mask->items[i] == valid;
        items[4 * i] = one + (y > 0 ? items[4 * (i - width)] : 0);
        items[4 * i + 1] = one + (x > 0 ? items[4 * (i - 1) + 1] : 0);
    }
    for (size_t i = 0; i < n; i++) {
        const size_t x = i % width, y = i / width % height;
        items[4 * i + 2] = items[4 * (i + (height - 1 - y) * width)];
        items[4 * i + 3] = items[4 * (i + (width - 1 - x)) + 1];
    }
    return true;
}

/* Cells of all (t, h, w), or of one; 0 where they are not whole blocks, or more than can be listed. */
static size_t count_cells(const value *sizes, double m)
{
    double n = 0;
    for (size_t k = 0; k < value_items(sizes); k += 3) {
        const double *size = sizes->items + k;
        bool whole = true;
        for (size_t j = 0; j < 3; j++)
            whole = whole && size[j] >= 1 && size[j] < 0x1p31 && fmod(size[j], j == 0 ? 1 : m) == 0;
        n += whole ? size[0] * size[1] * size[2] : INFINITY;
    }
    return n <= (double)MOST_CELLS ? (size_t)n : 0;
}

/* Per cell (t, y, x): frame by frame, in each frame m x m blocks row by row, in each block cells row by row. */
static bool grid_cells(scope *s, const value *sizes, double m, value *out)
{
    double *item;
    const bool are_sizes = sizes->shape[sizes->n_dims - 1] == 3 && m >= 1 && m == floor(m);
    const size_t n = are_sizes ? count_cells(sizes, m) : 0, shape[2] = {n, 3};
    if (n == 0)
        return scope_fail(s, SINPOS_E_SHAPE, "grids must be frames, height and width, these two multiples of %.9g", m);
    if (!new_list(s, 2, shape, out, &item))
        return false;
    for (const double *size = sizes->items; size < sizes->items + value_items(sizes); size += 3) {
        const size_t cells = (size_t)(size[1] * size[2]), block = (size_t)m, each = block * block;
        const size_t across = (size_t)size[2] / block;
        for (size_t i = 0; i < (size_t)size[0] * cells; i++, item += 3) {
            const size_t in_frame = i % cells, b = in_frame / each, in_block = in_frame % each;
            item[0] = (double)(i / cells);
            item[1] = (double)(b / across * block + in_block / block);
            item[2] = (double)(b % across * block + in_block % block);
        }
    }
    return true;
}

/* Which of n axes the next frequency goes to: the least share of its count so far, not the last axis if another has one left. */
static size_t next_axis(const double *counts, const size_t *placed, size_t n, size_t last)
{
    size_t best = n;
    for (size_t pass = 0; pass < 2 && best == n; pass++) {
        for (size_t k = 0; k < n; k++) {
            const bool is_free = (double)placed[k] < counts[k] && (k != last || pass == 1);
            if (is_free && (best == n || (double)placed[k] / counts[k] < (double)placed[best] / counts[best]))
                best = k;
        }
    }
    return best;
}

/* dealt(counts): the axis of each frequency, where axis k gets counts[k] of them, dealt out evenly. */
static bool dealt(scope *s, const value *counts, value *out)
{
    size_t placed[MAX_DEALT] = {0}, n_items = 0, last = SIZE_MAX;
    const size_t n = value_items(counts);
    double *item;
    for (size_t k = 0; k < n; k++) {
        const double x = counts->items[k];
        if (n > MAX_DEALT || x < 0 || x != floor(x) || x > MOST_DEALT) {
            return scope_fail(s, SINPOS_E_VALUE, "%d axes at most can be dealt a whole number of frequencies each",
                              MAX_DEALT);
        }
        n_items += (size_t)x;
    }
    if (!new_list(s, 1, &n_items, out, &item))
        return false;
    for (size_t i = 0; i < n_items; i++) {
        last = next_axis(counts->items, placed, n, last);
        placed[last]++;
        item[i] = (double)last;
    }
    return true;
}

/* sum(list), prod(list) of whole numbers and other doubles */
static bool fold(const value *list, bool adds, value *out)
{
    real x;
    value_number(out, adds ? 0 : 1);
    for (size_t k = 0; k < value_items(list); k++) {
        real_set(&x, list->items[k]);
        if (adds)
            real_add(&out->number, &out->number, &x);
        else
            real_multiply(&out->number, &out->number, &x);
    }
    return true;
}

static bool of_list(scope *s, const char *name, size_t n, value *v, size_t n_values, value *out, bool *known)
{
    const double second = n_values > 1 && v[1].kind == VALUE_NUMBER ? real_to_double(&v[1].number) : 0;
    *known = true;
    if (is_name(name, n, "len") && n_values == 1) {
        value_number(out, (double)v->shape[0]);
        return true;
    }
    if (is_name(name, n, "dims") && n_values == 1) {
        value_number(out, (double)v->n_dims);
        return true;
    }
    if ((is_name(name, n, "sum") || is_name(name, n, "prod")) && n_values == 1)
        return fold(v, name[0] == 's', out);
    if (is_name(name, n, "dealt") && n_values == 1)
        return dealt(s, v, out);
    if (is_name(name, n, "slice") && n_values == 3 && v[2].kind == VALUE_NUMBER)
        return slice(s, v, out);
    if (is_name(name, n, "columns") && n_values == 2)
        return columns(s, v, second, out);
    if (is_name(name, n, "token_positions") && n_values == 2)
        return tokens(s, v, second, true, out);
    if (is_name(name, n, "token_columns") && n_values == 2)
        return tokens(s, v, second, false, out);
    if (is_name(name, n, "mask_cells") && n_values == 2)
        return mask_cells(s, v, second, out);
    if (is_name(name, n, "grid_cells") && n_values == 2)
        return grid_cells(s, v, second, out);
    *known = false;
    return true;
}

static bool extreme(const char *name, const value *v, size_t n_values, value *out)
{
    const int wanted = name[1] == 'i' ? -1 : 1; /* min, max */
    *out = v[0];
    for (size_t k = 1; k < n_values; k++)
        if (real_compare(&v[k].number, &out->number) == wanted)
            *out = v[k];
    return true;
}

bool formula_call(scope *s, const char *name, size_t n_name, value *arguments, size_t n_arguments, value *out)
{
    bool known = false, all_numbers = true;
    for (size_t k = 0; k < n_arguments; k++) {
        all_numbers = all_numbers && arguments[k].kind == VALUE_NUMBER;
        if (arguments[k].kind == VALUE_NUMBER && arguments[k].g >= 0) {
            s->is_nonlinear = true;
            return scope_fail(s, SINPOS_E_SPEC, "a coordinate that does not enter linearly");
        }
    }
    if (all_numbers && (is_name(name, n_name, "min") || is_name(name, n_name, "max")))
        return extreme(name, arguments, n_arguments, out);
    if (is_name(name, n_name, "is_list") && n_arguments == 1) {
        value_number(out, arguments[0].kind == VALUE_LIST);
        return true;
    }
    bool ok = true;
    if (arguments[0].kind == VALUE_LIST)
        ok = of_list(s, name, n_name, arguments, n_arguments, out, &known);
    else if (all_numbers && n_arguments == 1)
        ok = of_number(s, name, n_name, &arguments[0], out, &known);
    return known ? ok : scope_fail(s, SINPOS_E_SPEC, "no function %.*s() takes what it is given", (int)n_name, name);
}
