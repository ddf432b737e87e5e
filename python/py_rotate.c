/* Rotation of queries and keys, blocks of them: where rows and heads lie, and how far apart. */
#include "py_rotate.h"

/* The axis of the rows, from the end, -2 or -3, and that of the heads beside it; -1: there is none. */
static bool find_axes(const array *x, int64_t row_axis, int *row, int *head)
{
    const int n = x->view.ndim;
    if (row_axis != -2 && row_axis != -3) {
        PyErr_SetString(PyExc_ValueError,
                        "the axis of the positions must be -2, as in (..., heads, n, dim), or -3, as in "
                        "(..., n, heads, dim)");
        return false;
    }
    if (n + row_axis < 0) {
        PyErr_Format(PyExc_ValueError, "an array of %d dimensions has no axis %d", n, (int)row_axis);
        return false;
    }
    *row = n + (int)row_axis;
    *head = row_axis == -3 ? n - 2 : n >= 3 ? n - 3 : -1;
    return true;
}

/* A stride of any whole number of elements that runs forward; one row has none. */
static bool any_stride(const array *x, int axis, size_t *ld)
{
    const Py_ssize_t stride = axis < 0 ? 0 : x->view.strides[axis], item = (Py_ssize_t)x->item;
    *ld = (size_t)x->view.shape[x->view.ndim - 1];
    if (axis < 0 || x->view.shape[axis] <= 1 || x->view.len == 0)
        return true;
    if (stride <= 0 || stride % item != 0) {
        PyErr_SetString(PyExc_ValueError, "rows or heads run backwards, or are all the same memory: work on a copy");
        return false;
    }
    *ld = (size_t)(stride / item);
    return true;
}

bool rotation_take(rotation *r, PyObject *x, PyObject *row_axis)
{
    int64_t axis;
    int row, head;
    if (!array_take(&r->x, x, true) || !integer_of(row_axis, &axis) || !find_axes(&r->x, axis, &row, &head) ||
        !any_stride(&r->x, row, &r->ld_row) || !any_stride(&r->x, head, &r->ld_head))
        return false;
    const int skipped[2] = {row, head};
    r->n = (size_t)r->x.view.shape[row];
    r->n_heads = head < 0 ? 1 : (size_t)r->x.view.shape[head];
    r->width = (size_t)r->x.view.shape[r->x.view.ndim - 1];
    blocks_begin(&r->b, &r->x, skipped, 2);
    return blocks_differ(&r->b, &r->x);
}

typedef struct rotation_job {
    rotation *r;
    rotate_work *work;
    const void *object;
} rotation_job;

/* Rows first .. first + n - 1 of all blocks, of which the first lies in the block at hand. */
static sinpos_status run_piece(void *context, size_t first, size_t n)
{
    const rotation_job *job = context;
    rotation *r = job->r;
    sinpos_status status = SINPOS_OK;
    while (n > 0 && status == SINPOS_OK) {
        const size_t row = first - r->b.index * r->n, left = r->n - row, now = n < left ? n : left;
        const rotation_part part = {.first = r->is_shared ? row : first,
                                    .n = now,
                                    .n_heads = r->n_heads,
                                    .n_threads = threads_for(r->n_threads, now * r->n_heads * r->width * r->x.item),
                                    .at = r->b.at + row * r->ld_row * r->x.item};
        status = job->work(job->object, r, &part);
        if (now == left)
            blocks_next(&r->b);
        first += now;
        n -= now;
    }
    return status;
}

PyObject *rotation_run(rotation *r, rotate_work *work, const void *object)
{
    rotation_job job = {.r = r, .work = work, .object = object};
    const size_t n = r->b.n * r->n;
    const rotation_part nothing = {.n = r->is_shared ? r->n : n, .n_threads = 1, .at = r->b.at};
    sinpos_status status = work(object, r, &nothing);
    if (status == SINPOS_OK && (r->b.n > 1 || r->n > first_piece(r->n_heads * r->width)))
        status = positions_check(&r->where, r->n);
    return none_or_raise(status == SINPOS_OK ? run_pieces(run_piece, &job, n, r->n_heads * r->width) : status);
}

static bool settle_positions(rotation *r, size_t n_axes)
{
    const size_t n_items = r->where.n_items;
    r->is_shared = !r->where.is_list || n_items == r->n * n_axes;
    if (r->is_shared || n_items == r->n * r->b.n * n_axes)
        return true;
    PyErr_Format(PyExc_ValueError, "%zu rows of %zu coordinates need as many positions, and %zu numbers came", r->n,
                 n_axes, n_items);
    return false;
}

bool direction_of(PyObject *object, sinpos_direction *direction)
{
    int64_t value;
    if (!integer_of(object, &value))
        return false;
    *direction = (sinpos_direction)(value < 0 || value > 2 ? 9 : value);
    return true;
}

/* (x, positions, direction, row_axis, threads=0) of what rotates heads of n_columns. */
PyObject *rotate_rows(rotate_work *work, const void *object, size_t n_columns, size_t n_axes, PyObject *const *args,
                      Py_ssize_t n)
{
    rotation r = {.n_axes = n_axes};
    PyObject *result = NULL;
    if (count_is(n, 4, 5, "rotate") && rotation_take(&r, args[0], args[3]) && positions_take(&r.where, args[1]) &&
        direction_of(args[2], &r.direction) && (n < 5 || threads_of(args[4], &r.n_threads)) &&
        settle_positions(&r, n_axes)) {
        if (r.width < n_columns)
            PyErr_Format(PyExc_ValueError, "a head has %zu columns, and %zu are to be rotated", r.width, n_columns);
        else
            result = rotation_run(&r, work, object);
    }
    positions_release(&r.where);
    array_release(&r.x);
    return result;
}

sinpos_rows rotation_rows(const rotation *r, const rotation_part *part)
{
    return positions_rows(&r->where, part->first, part->n, r->n_axes);
}

static sinpos_status rotate_part(const void *plan, const rotation *r, const rotation_part *part)
{
    const sinpos_rows rows = rotation_rows(r, part);
    return sinpos_rotate(plan, &rows, r->direction, part->n_heads, r->x.type, part->at, r->ld_row, r->ld_head,
                         part->n_threads);
}

PyObject *plan_rotate(PyObject *self, PyObject *const *args, Py_ssize_t n)
{
    const sinpos_plan *plan = ((plan_object *)self)->plan;
    return rotate_rows(rotate_part, plan, sinpos_plan_dim(plan), sinpos_plan_axes(plan), args, n);
}
