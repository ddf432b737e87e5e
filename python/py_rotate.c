/* Rotation of queries and keys, blocks of them: where rows and heads lie, and how far apart. */
#include "py_core.h"

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

/* What x is. False with the exception set. */
static bool settle_heads(block_job *job, rotation *r, PyObject *row_axis)
{
    const array *x = job->out;
    int64_t axis;
    int row, head;
    if (!integer_of(row_axis, &axis) || !find_axes(x, axis, &row, &head) || !any_stride(x, row, &job->ld) ||
        !any_stride(x, head, &r->ld_head))
        return false;
    const int skipped[2] = {row, head};
    job->n = (size_t)x->view.shape[row];
    r->n_heads = head < 0 ? 1 : (size_t)x->view.shape[head];
    blocks_begin(&job->b, x, skipped, 2);
    return blocks_differ(&job->b, x);
}

/* First of all with no heads, so that the library refuses what it must before anything is written. */
static sinpos_status run_heads(block_job *job, const rotation *r)
{
    const size_t n = job->is_shared ? job->n : job->n * job->b.n;
    const sinpos_rows all = positions_rows(job->where, 0, n, job->rows->n_axes);
    const rotation none = {.object = r->object, .ld_head = r->ld_head};
    const sinpos_status status =
        job->rows->work(&none, job->rows->operation, &all, job->out->type, job->b.at, job->ld, 1);
    return status == SINPOS_OK ? run_blocks(job) : status;
}

PyObject *rotate_method(const row_job *rows, PyObject *const *args, Py_ssize_t n_args)
{
    rotation r = {.object = rows->object};
    row_job each = *rows;
    RELEASED_BY(array_release) array x = {0};
    RELEASED_BY(positions_release) positions where = {0};
    block_job job = {.rows = &each, .out = &x, .where = &where};
    each.object = &r;
    if (!count_is(n_args, 4, 5, "rotate") || !array_take(&x, args[0], true) || !settle_heads(&job, &r, args[3]) ||
        !positions_take(&where, args[1]) || !choice_of(args[2], &each.operation) ||
        (n_args == 5 && !threads_of(args[4], &job.n_threads)) || !settle_positions(&job, job.n * job.b.n))
        return NULL;
    const size_t width = (size_t)x.view.shape[x.view.ndim - 1];
    each.dim = r.n_heads * width;
    job.is_shared = rows->has_rows ? rows->n_rows == job.n : job.is_shared;
    if (width < rows->dim)
        return PyErr_Format(PyExc_ValueError, "a head has %zu columns, and %zu are to be rotated", width, rows->dim);
    return none_or_raise(run_heads(&job, &r));
}
