/*
 * identify_orders.c - proposals for arrays as they are: copies of columns, columns in another order, rows of which the
 * first or the last ones are a table.
 */
#include "elements.h"
#include "identify_mend.h"
#include "sinpos_conventions.h"

/* Rows by which copies of columns are known. */
#define COPIED_ROWS 64

/* Part of the elements that may be wrong where no other order is tried. */
#define MOST_WRONG 0.02

/* An element is near by so much of the amplitude, and a row where so many elements are. */
#define NEAR 0.05
#define LEAST_NEAR 0.9

/* A pair lies on its circle to so many units. */
#define ROUND_UNITS 16

/* Half of the rows are a table of their own, or a quarter. */
#define PARTS 4
#define MOST_LOOKED_AT 6 /* beyond what other proposals took */

/* -------------------------------------------------------------------------------------------------- columns */

/* A column by its elements in some rows. */
typedef struct content {
    size_t column;
    const double *x;
    size_t n;
} content;

static int by_content(const void *a, const void *b)
{
    const content *one = a, *other = b;
    const int order = memcmp(one->x, other->x, one->n * sizeof *one->x);
    return order != 0 ? order : (one->column > other->column) - (one->column < other->column);
}

/* Half of the columns are copies of the others: the first ones of each kind, then the copies. */
sinpos_status id_find_copies(const id_view *view, size_t *columns, bool *are_copies)
{
    const size_t n = view->n < COPIED_ROWS ? view->n : COPIED_ROWS, dim = view->dim;
    content *all = calloc(dim + 1, sizeof *all);
    bool *is_copy = calloc(dim + 1, sizeof *is_copy);
    double *x = calloc(n * dim + dim, sizeof *x), *row = x == NULL ? NULL : x + n * dim;
    sinpos_status status = all == NULL || is_copy == NULL || x == NULL ? SINPOS_E_MEMORY : SINPOS_OK;
    for (size_t i = 0; i < n && status == SINPOS_OK; i++) {
        status = id_read_row(view, id_spread_row(view, n, i), row);
        for (size_t j = 0; j < dim; j++)
            x[j * n + i] = row[j];
    }
    for (size_t j = 0; j < dim && status == SINPOS_OK; j++)
        all[j] = (content){j, x + j * n, n};
    *are_copies = status == SINPOS_OK && dim % 2 == 0;
    if (*are_copies)
        qsort(all, dim, sizeof *all, by_content);
    for (size_t first = 0, last = 0; first < dim && *are_copies; first = last) {
        while (last < dim && memcmp(all[first].x, all[last].x, n * sizeof *x) == 0)
            last++;
        *are_copies = (last - first) % 2 == 0;
        for (size_t k = first + (last - first) / 2; k < last; k++)
            is_copy[all[k].column] = true;
    }
    for (size_t j = 0, own = 0, copy = dim / 2; j < dim && *are_copies; j++)
        columns[is_copy[j] ? copy++ : own++] = j;
    free(all);
    free(is_copy);
    free(x);
    return status;
}

/* Has each frequency two pairs, or some of them? */
bool id_knows_copies(const sinpos_identity *identity)
{
    bool does = identity->is_twice;
    for (size_t k = 1; k < identity->n_tones && !does; k++)
        does = identity->tone_index[k] == identity->tone_index[k - 1] &&
               identity->tone_axis[k] == identity->tone_axis[k - 1];
    return does;
}

sinpos_status id_try_copies(sinpos_identity **identity, const id_view *view, size_t *columns, const id_way *way)
{
    const size_t half = view->dim / 2;
    sinpos_identity *other = NULL, *copy = NULL;
    bool are_copies = false;
    sinpos_status status = way->depth < ID_MOST_DEPTH ? id_find_copies(view, columns, &are_copies) : SINPOS_OK;
    if (status != SINPOS_OK || !are_copies)
        return status;
    id_part own = {.view = view, .n = view->n, .columns = columns, .n_columns = half}, twice = own;
    twice.columns = columns + half;
    status = id_identify_part(&other, &own, way);
    if (status == SINPOS_OK && other != NULL && other->is_sinusoidal)
        status = id_identify_part(&copy, &twice, way);
    for (size_t i = 0; copy != NULL && i <= copy->n_others; i++)
        (i == 0 ? copy : copy->others[i - 1])->is_copy = 1;
    if (status == SINPOS_OK && other != NULL)
        status = id_join(other, copy);
    else
        sinpos_identity_destroy(copy);
    const bool is_better = status == SINPOS_OK && other != NULL && other->is_sinusoidal && other->n_others > 0 &&
                           (*identity)->is_sinusoidal && !id_knows_copies(*identity);
    if (!is_better)
        return id_choose_if(identity, other, view, status);
    sinpos_identity_destroy(*identity);
    *identity = other;
    return SINPOS_OK;
}

static void move_numbers(double *x, const size_t *columns, size_t n, double *room)
{
    for (size_t j = 0; j < n && x != NULL; j++)
        room[columns[j]] = x[j];
    if (x != NULL)
        memcpy(x, room, n * sizeof *x);
}

/* A part that holds all columns in another order is the whole: its tones are in those columns. */
static sinpos_status fold_order(sinpos_identity *identity, const id_view *view)
{
    const size_t dim = identity->dim, *columns = identity->columns;
    if (columns == NULL || dim != view->dim || identity->n != view->n || identity->n_others > 0 ||
        identity->encoding != NULL || identity->published != NULL || identity->width != dim)
        return SINPOS_OK;
    double *room = malloc(dim * sizeof *room);
    if (room == NULL)
        return SINPOS_E_MEMORY;
    for (size_t k = 0; k < identity->n_tones; k++) {
        ptrdiff_t *const own[] = {&identity->sin_column[k], &identity->cos_column[k]};
        for (int c = 0; c < 2; c++)
            *own[c] = *own[c] == SINPOS_NO_COLUMN ? SINPOS_NO_COLUMN : (ptrdiff_t)columns[*own[c]];
    }
    move_numbers(identity->column_factor, columns, dim, room);
    move_numbers(identity->column_offset, columns, dim, room);
    free(room);
    free(identity->columns);
    identity->columns = NULL;
    identity->nest = SINPOS_NEST_PERMUTED;
    identity->is_twice = identity->is_twice_side_by_side = identity->cos_first = 0;
    id_forget_conventions(identity, 0);
    return id_plan_again(identity);
}

static size_t ordered_column(int kind, size_t j, size_t dim)
{
    const size_t half = dim / 2;
    return kind == 0 ? dim - 1 - j : kind == 1 ? j % 2 * half + j / 2 : j < half ? 2 * j : 2 * (j - half) + 1;
}

/* Do the frequencies of a convention rise as its source has them, or only with numbers that nobody gives it? */
static sinpos_status rises(const char *convention, bool *does)
{
    sinpos_encoding *encoding = NULL;
    sinpos_status status = sinpos_encoding_create(&encoding, convention, NULL, SINPOS_F64, NULL);
    size_t n = 0;
    double *theta = NULL;
    *does = true;
    if (status == SINPOS_OK)
        status = sinpos_plan_theta(sinpos_encoding_plan(encoding), NULL, 0, &n);
    if (status == SINPOS_OK && n > 0) {
        theta = malloc(n * sizeof *theta);
        status = theta == NULL ? SINPOS_E_MEMORY : sinpos_plan_theta(sinpos_encoding_plan(encoding), theta, n, &n);
        *does = status == SINPOS_OK && fabs(theta[n - 1]) > fabs(theta[0]);
    }
    free(theta);
    sinpos_encoding_destroy(encoding);
    return status == SINPOS_E_MEMORY ? status : SINPOS_OK;
}

/* Slow frequencies first, as no convention has them: columns may be in reverse order. */
sinpos_status id_is_rising(const sinpos_identity *identity, bool *is_rising)
{
    const sinpos_identity_axis *axis = &identity->axis[0];
    sinpos_status status = SINPOS_OK;
    *is_rising = identity->is_sinusoidal && identity->view == SINPOS_VIEW_ROWS && identity->n_axes == 1 &&
                 axis->law == SINPOS_LAW_GEOMETRIC && axis->base < 1;
    for (size_t i = 0; i < identity->n_conventions && *is_rising && status == SINPOS_OK; i++) {
        bool does;
        status = rises(identity->conventions[i].name, &does);
        *is_rising = !does;
    }
    return status;
}

/* All but altered elements, or an arithmetic does: its columns are in order. */
static bool makes_nearly_all(const sinpos_identity *identity)
{
    const bool is_replayed = identity->arithmetic[0] != '\0' && identity->arithmetic_share >= 1 - MOST_WRONG;
    return identity->is_sinusoidal && identity->columns == NULL &&
           (is_replayed || (double)identity->total.wrong <= MOST_WRONG * (double)identity->total.elements);
}

/* In reverse order; neighbours that were halves, and halves that were neighbours. */
sinpos_status id_try_orders(sinpos_identity **identity, const id_view *view, size_t *columns, const id_way *way)
{
    const size_t dim = view->dim;
    bool is_rising;
    sinpos_status status = id_is_rising(*identity, &is_rising);
    const int first = is_rising ? 0 : 1, last = is_rising ? 1 : 3;
    for (int kind = first; kind < last && dim % 2 == 0 && way->depth == 0 && status == SINPOS_OK; kind++) {
        id_part own = {.view = view, .n = view->n, .columns = columns, .n_columns = dim};
        sinpos_identity *other = NULL;
        if (kind > 0 && (id_is_plain(*identity) || makes_nearly_all(*identity)))
            break;
        for (size_t j = 0; j < dim; j++)
            columns[j] = ordered_column(kind, j, dim);
        status = id_identify_part(&other, &own, way);
        status = status == SINPOS_OK && other != NULL && other->is_sinusoidal ? fold_order(other, view) : status;
        is_rising = true;
        if (status == SINPOS_OK && other != NULL && kind == 0)
            status = id_is_rising(other, &is_rising);
        const bool is_reverse =
            !is_rising && status == SINPOS_OK && other->is_sinusoidal && other->total.wrong <= (*identity)->total.wrong;
        if (is_reverse) {
            sinpos_identity_destroy(*identity);
            *identity = other;
        } else {
            status = id_choose_if(identity, other, view, status);
        }
    }
    return status;
}

/* ----------------------------------------------------------------------------------------------------- rows */

static sinpos_status is_near(const sinpos_identity *identity, const id_view *view, size_t row, double *room, bool *near)
{
    double *x = room, *made = room + view->dim;
    size_t n = 0;
    sinpos_status status = id_read_row(view, row, x);
    status = status != SINPOS_OK ? status : sinpos_identity_rows_as_found(identity, row, 1, SINPOS_F64, made, 1);
    for (size_t j = 0; j < view->dim && status == SINPOS_OK; j++)
        n += fabs(x[j] - made[j]) <= NEAR * fabs(identity->amplitude) || (identity->dropped > 0 && x[j] == 0);
    *near = (double)n >= LEAST_NEAR * (double)view->dim;
    return status;
}

/* The rows around first .. last that what was found there goes on to. */
static sinpos_status extend(sinpos_identity *identity, const id_view *view, size_t *first, size_t *last)
{
    double *room = malloc(2 * view->dim * sizeof *room);
    sinpos_status status = room == NULL ? SINPOS_E_MEMORY : SINPOS_OK;
    bool near = true;
    identity->axis[0].start -= identity->axis[0].step * (double)*first;
    identity->n = view->n;
    while (status == SINPOS_OK && near && *last + 1 < view->n) {
        status = is_near(identity, view, *last + 1, room, &near);
        *last += near;
    }
    near = true;
    while (status == SINPOS_OK && near && *first > 0) {
        status = is_near(identity, view, *first - 1, room, &near);
        *first -= near;
    }
    free(room);
    return status;
}

/* Do the pairs of a row lie on the circle of what was found? */
static sinpos_status is_round(const sinpos_identity *identity, const id_view *view, size_t row, double *x, bool *is)
{
    const double size = fabs(identity->amplitude);
    size_t n = 0, near = 0;
    const sinpos_status status = id_read_row(view, row, x);
    for (size_t k = 0; k < identity->n_tones && status == SINPOS_OK; k++) {
        const ptrdiff_t sine = identity->sin_column[k], cosine = identity->cos_column[k];
        if (sine == SINPOS_NO_COLUMN || cosine == SINPOS_NO_COLUMN)
            continue;
        n++;
        near += fabs(hypot(x[sine], x[cosine]) - size) <= ROUND_UNITS * type_unit(view->type) * size;
    }
    *is = (double)near >= LEAST_NEAR * (double)n;
    return status;
}

/* The rows around first .. last whose pairs lie on the circle: positions are in no order that could go on. */
static sinpos_status extend_by_circles(const sinpos_identity *identity, const id_view *view, size_t *first,
                                       size_t *last)
{
    double *x = malloc(view->dim * sizeof *x);
    sinpos_status status = x == NULL ? SINPOS_E_MEMORY : SINPOS_OK;
    bool is = true;
    while (status == SINPOS_OK && is && *last + 1 < view->n) {
        status = is_round(identity, view, *last + 1, x, &is);
        *last += is;
    }
    is = true;
    while (status == SINPOS_OK && is && *first > 0) {
        status = is_round(identity, view, *first - 1, x, &is);
        *first -= is;
    }
    free(x);
    return status;
}

sinpos_status id_try_rows(sinpos_identity **identity, const id_view *view, size_t *columns, const id_way *way)
{
    size_t left = MOST_LOOKED_AT;
    id_way plain = *way, own_way = *way;
    plain.depth = ID_MOST_DEPTH - 1;
    plain.left = own_way.left = &left;
    bool *is_own = malloc(view->dim * sizeof *is_own);
    sinpos_status status = is_own == NULL ? SINPOS_E_MEMORY : SINPOS_OK;
    for (size_t j = 0; j < view->dim && is_own != NULL; j++)
        is_own[j] = true;
    for (int k = 0; k < PARTS && way->depth == 0 && status == SINPOS_OK && !id_is_covered(*identity, view); k++) {
        const size_t n = view->n >> (1 + k / 2);
        size_t first = k % 2 == 0 ? 0 : view->n - n, last = first + n - 1;
        id_part own = {.view = view, .first = first, .n = n, .columns = columns, .n_columns = view->dim};
        sinpos_identity *found = NULL, *other = NULL;
        for (size_t j = 0; j < view->dim; j++)
            columns[j] = j;
        if (n < ID_LEAST_ROWS)
            break;
        status = id_identify_part(&found, &own, &plain);
        const bool is_whole = status == SINPOS_OK && found != NULL && found->is_sinusoidal && found->columns == NULL &&
                              found->n == n && found->column_offset == NULL;
        const bool is_range = is_whole && found->positions == NULL && found->axis[0].size == 0 &&
                              found->encoding == NULL && found->n_zero == 0;
        if (is_range)
            status = extend(found, view, &first, &last);
        else if (is_whole)
            status = extend_by_circles(found, view, &first, &last);
        sinpos_identity_destroy(found);
        if (status == SINPOS_OK && is_whole && last - first + 1 < view->n)
            status = id_mend_part(&other, is_own, view, first, last, columns, &own_way);
        status = id_choose_if(identity, other, view, status);
    }
    free(is_own);
    return status;
}
