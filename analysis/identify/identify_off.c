/* identify_off.c - rows at the ends and columns that an explanation leaves far off: they may not belong to it. */
#include "elements.h"
#include "identify_mend.h"

/* An element is far off by this part of the amplitude; a row or column where so many of its elements are. */
#define FAR_OFF 0.05
#define MOST_NEAR 0.5

/* Rows that are looked at for columns. */
#define SOME_ROWS 128

typedef struct off {
    const sinpos_identity *identity;
    const id_view *view;
    void *raw;
    double *x, *exact;
} off;

/* Whether each element of a row is near what the explanation has there; what is dropped is. */
static sinpos_status look_at(const off *o, size_t row, bool *is_near, size_t *n_near)
{
    const size_t dim = o->view->dim;
    sinpos_status status = id_view_read(o->view, row, 1, o->raw);
    status = status != SINPOS_OK ? status : sinpos_identity_rows_as_found(o->identity, row, 1, SINPOS_F64, o->exact, 1);
    if (status != SINPOS_OK)
        return status;
    widen(o->x, o->raw, o->view->type, dim);
    *n_near = 0;
    for (size_t j = 0; j < dim; j++) {
        const double error = fabs(o->x[j] - o->exact[j]);
        is_near[j] = error <= FAR_OFF * fabs(o->identity->amplitude) || (o->identity->dropped > 0 && o->x[j] == 0);
        *n_near += is_near[j];
    }
    return SINPOS_OK;
}

/* The first row from `from` on, towards `to`, of which more than half is near. */
static sinpos_status find_near(const off *o, size_t from, size_t to, bool *is_near, size_t *row)
{
    for (size_t i = from;; i += to > from ? 1 : (size_t)-1) {
        size_t n_near;
        const sinpos_status status = look_at(o, i, is_near, &n_near);
        *row = i;
        if (status != SINPOS_OK || i == to || (double)n_near > MOST_NEAR * (double)o->view->dim)
            return status;
    }
}

static sinpos_status find_columns(const off *o, size_t first, size_t last, bool *is_near, size_t *count, bool *is_own)
{
    const size_t n = last - first + 1, some = n < SOME_ROWS ? n : SOME_ROWS;
    sinpos_status status = SINPOS_OK;
    memset(count, 0, o->view->dim * sizeof *count);
    for (size_t i = 0; i < some && status == SINPOS_OK; i++) {
        size_t n_near;
        status = look_at(o, first + (some == 1 ? 0 : i * (n - 1) / (some - 1)), is_near, &n_near);
        for (size_t j = 0; j < o->view->dim; j++)
            count[j] += is_near[j];
    }
    for (size_t j = 0; j < o->view->dim; j++)
        is_own[j] = (double)count[j] > MOST_NEAR * (double)some;
    return status;
}

sinpos_status id_find_off(const sinpos_identity *identity, const id_view *view, size_t *first, size_t *last,
                          bool *is_own)
{
    off o = {.identity = identity, .view = view};
    blocks memory = {0};
    o.raw = blocks_take(&memory, view->dim, sizeof(double));
    o.x = blocks_take(&memory, view->dim, sizeof *o.x);
    o.exact = blocks_take(&memory, view->dim, sizeof *o.exact);
    bool *is_near = blocks_take(&memory, view->dim, sizeof *is_near);
    size_t *count = blocks_take(&memory, view->dim, sizeof *count);
    sinpos_status status = blocks_status(&memory);
    status = status != SINPOS_OK ? status : find_near(&o, 0, view->n - 1, is_near, first);
    status = status != SINPOS_OK ? status : find_near(&o, view->n - 1, *first, is_near, last);
    status = status != SINPOS_OK ? status : find_columns(&o, *first, *last, is_near, count, is_own);
    blocks_free(&memory);
    return status;
}
