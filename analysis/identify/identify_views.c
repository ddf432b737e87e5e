/* identify_views.c - an array of any shape as rows of columns. */
#include "elements.h"
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
    if (view->kind == SINPOS_VIEW_ROWS)
        return view->table->read(view->table->context, first, n, rows);
    const size_t own = view->table->shape[view->table->n_dims - 1], many = view->dim / own;
    return view->table->read(view->table->context, first * many, n * many, rows);
}

sinpos_status id_read_row(const id_view *view, size_t row, double *x)
{
    void *raw = malloc(view->dim * sizeof(double));
    const sinpos_status status = raw == NULL ? SINPOS_E_MEMORY : id_view_read(view, row, 1, raw);
    if (status == SINPOS_OK)
        widen(x, raw, view->type, view->dim);
    free(raw);
    return status;
}

/* Product of the sizes first .. last - 1, 0 where it is beyond size_t. */
static size_t product(const size_t *shape, size_t first, size_t last)
{
    size_t n = 1;
    for (size_t i = first; i < last; i++) {
        if (shape[i] != 0 && n > SIZE_MAX / 8 / shape[i])
            return 0;
        n *= shape[i];
    }
    return n;
}

/* As many elements, at most, are read at a time. */
#define PIECE_ELEMENTS ((size_t)1 << 18)

/* Elements of `size` bytes, (n, m) to columns of an array of `dim` columns: element (i, j) goes to row j, column i. */
static void transpose(char *to, size_t dim, const char *from, size_t n, size_t m, size_t size)
{
    for (size_t j = 0; j < m; j++) {
        char *row = to + j * dim * size;
        switch (size) {
        case 2:
            for (size_t i = 0; i < n; i++)
                memcpy(row + 2 * i, from + 2 * (i * m + j), 2);
            break;
        case 4:
            for (size_t i = 0; i < n; i++)
                memcpy(row + 4 * i, from + 4 * (i * m + j), 4);
            break;
        default:
            for (size_t i = 0; i < n; i++)
                memcpy(row + 8 * i, from + 8 * (i * m + j), 8);
        }
    }
}

/* The array (dim, n) as (n, dim): columns first ... first + k - 1 of the view in one piece. */
static sinpos_status read_transposed(id_view *view, size_t first, size_t k, char *piece)
{
    const size_t size = sinpos_type_bytes(view->type), many = view->n / view->table->shape[view->table->n_dims - 1];
    const sinpos_status status = view->table->read(view->table->context, first * many, k * many, piece);
    if (status == SINPOS_OK)
        transpose(view->data + first * size, view->dim, piece, k, view->n, size);
    return status;
}

/* The array (dim / columns, n, columns) as (n, dim): rows of one of its blocks. */
static sinpos_status read_beside(id_view *view, size_t block, size_t first, size_t k, char *piece)
{
    const size_t bytes = view->table->shape[view->table->n_dims - 1] * sinpos_type_bytes(view->type);
    const size_t row_bytes = view->dim * sinpos_type_bytes(view->type);
    const sinpos_status status = view->table->read(view->table->context, block * view->n + first, k, piece);
    for (size_t i = 0; i < k && status == SINPOS_OK; i++)
        memcpy(view->data + (first + i) * row_bytes + block * bytes, piece + i * bytes, bytes);
    return status;
}

static sinpos_status rearrange(id_view *view, bool transposed)
{
    const size_t size = sinpos_type_bytes(view->type), n = view->n, dim = view->dim;
    const size_t columns = view->table->shape[view->table->n_dims - 1], width = transposed ? n : columns;
    const size_t fit = PIECE_ELEMENTS / width + 1, all = transposed ? dim : n, most = fit < all ? fit : all;
    char *piece = malloc(most * width * size + 1);
    view->data = malloc(n * dim * size + 1);
    sinpos_status status = piece == NULL || view->data == NULL ? SINPOS_E_MEMORY : SINPOS_OK;
    for (size_t block = 0; block < (transposed ? 1 : dim / columns); block++) {
        for (size_t first = 0; first < all && status == SINPOS_OK; first += most) {
            const size_t k = all - first < most ? all - first : most;
            status = transposed ? read_transposed(view, first, k, piece) : read_beside(view, block, first, k, piece);
        }
    }
    free(piece);
    return status;
}

sinpos_status id_view_make(id_view *view, const sinpos_table *table, sinpos_view kind, bool *is_possible)
{
    const size_t *shape = table->shape, dims = table->n_dims, last = shape[dims - 1];
    size_t begin = 0; /* leading dimensions of size 1 do not count */
    while (begin + 2 < dims && shape[begin] == 1)
        begin++;
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
        return *is_possible ? rearrange(view, false) : SINPOS_OK;
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
    return *is_possible ? rearrange(view, true) : SINPOS_OK;
}
