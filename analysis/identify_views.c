/* identify_views.c - an array of any shape as rows of columns. */
#include "identify.h"

/* Arrays up to this many elements are rearranged in memory. */
#define MOST_REARRANGED ((size_t)1 << 26)

sinpos_status id_view_read(const id_view *view, size_t first, size_t n, void *rows)
{
    const size_t bytes = view->dim * sinpos_type_bytes(view->type);
    if (view->data != NULL) {
        memcpy(rows, view->data + first * bytes, n * bytes);
        return SINPOS_OK;
    }
    if (view->kind == SINPOS_VIEW_ROWS) {
        return view->table->read(view->table->context, first, n, rows);
    }
    const size_t own = view->table->shape[view->table->n_dims - 1], many = view->dim / own;
    return view->table->read(view->table->context, first * many, n * many, rows);
}

/* Product of the sizes first .. last - 1, 0 where it is beyond size_t. */
static size_t product(const size_t *shape, size_t first, size_t last)
{
    size_t n = 1;
    for (size_t i = first; i < last; i++) {
        if (shape[i] != 0 && n > SIZE_MAX / 16 / shape[i]) {
            return 0;
        }
        n *= shape[i];
    }
    return n;
}

/* Element (i, j) of the view is element (i, j) of `blocks` blocks side by side, or of the transposed array. */
static sinpos_status rearrange(id_view *view, const sinpos_table *table, bool transposed)
{
    const size_t size = sinpos_type_bytes(view->type), n = view->n, dim = view->dim;
    const size_t columns = table->shape[table->n_dims - 1], rows = n * dim / columns;
    char *all = malloc(n * dim * size + 1);
    view->data = malloc(n * dim * size + 1);
    sinpos_status status = all == NULL || view->data == NULL ? SINPOS_E_MEMORY : SINPOS_OK;
    status = status != SINPOS_OK ? status : table->read(table->context, 0, rows, all);
    for (size_t i = 0; i < n && status == SINPOS_OK; i++) {
        for (size_t j = 0; j < dim; j++) {
            const size_t at = transposed ? j * n + i : (j / columns * n + i) * columns + j % columns;
            memcpy(view->data + (i * dim + j) * size, all + at * size, size);
        }
    }
    free(all);
    return status;
}

sinpos_status id_view_make(id_view *view, const sinpos_table *table, sinpos_view kind, bool *is_possible)
{
    const size_t *shape = table->shape, dims = table->n_dims, last = shape[dims - 1];
    size_t begin = 0; /* leading dimensions of size 1 do not count */
    while (begin + 2 < dims && shape[begin] == 1) {
        begin++;
    }
    const size_t inner = dims - begin, all = product(shape, 0, dims);
    *view = (id_view){.kind = kind, .type = table->type, .table = table};
    *is_possible = all > 0;
    switch (kind) {
    case SINPOS_VIEW_ROWS:
        view->n = product(shape, 0, dims - 1);
        view->dim = last;
        return SINPOS_OK;
    case SINPOS_VIEW_SIDE_BY_SIDE:
        view->n = product(shape, begin + 1, dims - 1);
        view->dim = 2 * last;
        *is_possible = *is_possible && inner >= 3 && shape[begin] == 2 && all <= MOST_REARRANGED;
        return *is_possible ? rearrange(view, table, false) : SINPOS_OK;
    case SINPOS_VIEW_INNER:
        view->n = shape[begin];
        view->dim = product(shape, begin + 1, dims);
        *is_possible = *is_possible && inner >= 3 && last <= 4;
        return SINPOS_OK;
    case SINPOS_VIEW_CHANNEL_FIRST: break;
    }
    view->dim = shape[begin];
    view->n = product(shape, begin + 1, dims);
    *is_possible = *is_possible && view->n > 0 && all <= MOST_REARRANGED;
    return *is_possible ? rearrange(view, table, true) : SINPOS_OK;
}
