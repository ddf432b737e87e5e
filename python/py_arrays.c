/* Arrays of callers: what they are, and how their rows lie. */
#include "py_core.h"

#include <limits.h>
#include <math.h>
#include <string.h>

/* The letter of a format, or 0: native order, one number. */
static char letter_of(const char *format)
{
    const uint16_t one = 1;
    const char *native = *(const unsigned char *)&one == 1 ? "@=<" : "@=>";
    if (format == NULL)
        return 'B';
    if (*format != '\0' && strchr(native, *format) != NULL)
        format++;
    return format[0] != '\0' && format[1] == '\0' ? format[0] : '\0';
}

static sinpos_type type_of_letter(char letter)
{
    switch (letter) {
    case 'd': return SINPOS_F64;
    case 'f': return SINPOS_F32;
    case 'e': return SINPOS_F16;
    case 'H': return SINPOS_BF16;
    default: return (sinpos_type)0;
    }
}

void array_release(array *a)
{
    if (a->is_held) {
        PyBuffer_Release(&a->view);
        a->is_held = false;
    }
}

static bool hold(array *a, PyObject *object, int flags)
{
    a->is_held = PyObject_GetBuffer(object, &a->view, flags) == 0;
    return a->is_held;
}

bool array_take(array *a, PyObject *object, bool is_written)
{
    if (!hold(a, object, PyBUF_STRIDES | PyBUF_FORMAT | (is_written ? PyBUF_WRITABLE : 0)))
        return false;
    a->type = type_of_letter(letter_of(a->view.format));
    a->item = sinpos_type_bytes(a->type);
    if (a->item == 0 || (size_t)a->view.itemsize != a->item) {
        PyErr_Format(PyExc_TypeError, "elements must be float64, float32, float16, or uint16 for bfloat16, not '%s'",
                     a->view.format == NULL ? "B" : a->view.format);
        return false;
    }
    if (a->view.ndim < 1 || a->view.ndim > MOST_DIMS) {
        PyErr_SetString(PyExc_ValueError, "the array must have 1 to 32 dimensions, the last of which are the columns");
        return false;
    }
    const Py_ssize_t n = a->view.shape[a->view.ndim - 1];
    if (n > 1 && a->view.len > 0 && a->view.strides[a->view.ndim - 1] != (Py_ssize_t)a->item) {
        PyErr_SetString(PyExc_ValueError,
                        "the elements of a row must lie side by side: the last axis is strided; work on a copy");
        return false;
    }
    return true;
}

static bool take_flat(array *a, PyObject *object, bool is_written, char *letter, size_t *items)
{
    if (!hold(a, object, PyBUF_C_CONTIGUOUS | PyBUF_FORMAT | (is_written ? PyBUF_WRITABLE : 0)))
        return false;
    *letter = letter_of(a->view.format);
    *items = a->view.itemsize == 8 ? (size_t)a->view.len / 8 : 0;
    return true;
}

bool array_take_doubles(array *a, PyObject *object, bool is_written, size_t *items)
{
    char letter;
    if (!take_flat(a, object, is_written, &letter, items))
        return false;
    if (letter != 'd') {
        PyErr_SetString(PyExc_TypeError, "an array of float64 is needed");
        return false;
    }
    return true;
}

bool array_take_numbers(array *a, PyObject *object, bool *is_integer, size_t *items)
{
    char letter;
    if (!take_flat(a, object, false, &letter, items))
        return false;
    *is_integer = (letter == 'q' || letter == 'l') && a->view.itemsize == 8;
    if (!*is_integer && letter != 'd') {
        PyErr_SetString(PyExc_TypeError, "an array of int64 or float64 is needed");
        return false;
    }
    return true;
}

/* ------------------------------------------------------------------------------------------------ blocks, strides */

static bool is_among(int axis, const int *axes, int n)
{
    for (int k = 0; k < n; k++)
        if (axes[k] == axis)
            return true;
    return false;
}

void blocks_begin(blocks *b, const array *a, const int *skipped, int n_skipped)
{
    *b = (blocks){.at = a->view.buf, .n = 1};
    for (int axis = 0; axis < a->view.ndim - 1; axis++) {
        if (!is_among(axis, skipped, n_skipped)) {
            b->shape[b->n_axes] = (size_t)a->view.shape[axis];
            b->strides[b->n_axes] = a->view.strides[axis];
            b->n *= b->shape[b->n_axes++];
        }
    }
}

bool blocks_differ(const blocks *b, const array *a)
{
    for (int k = 0; k < b->n_axes; k++) {
        if (a->view.len > 0 && b->shape[k] > 1 && b->strides[k] == 0) {
            PyErr_SetString(PyExc_ValueError, "the blocks of this array are all the same memory: work on a copy");
            return false;
        }
    }
    return true;
}

void blocks_next(blocks *b)
{
    b->index++;
    for (int k = b->n_axes; k-- > 0;) {
        b->at += b->strides[k];
        if (++b->digits[k] < b->shape[k])
            return;
        b->at -= b->strides[k] * (Py_ssize_t)b->shape[k];
        b->digits[k] = 0;
    }
}

bool stride_elements(const array *a, int axis, size_t *ld)
{
    const Py_ssize_t stride = a->view.strides[axis], item = (Py_ssize_t)a->item;
    const Py_ssize_t n_columns = a->view.shape[a->view.ndim - 1];
    *ld = (size_t)n_columns;
    if (a->view.shape[axis] <= 1 || a->view.len == 0)
        return true;
    if (stride < n_columns * item || stride % item != 0) {
        PyErr_SetString(PyExc_ValueError, stride <= 0 ? "rows run backwards or are all the same memory: work on a copy"
                                                      : "rows overlap, or do not begin at whole elements");
        return false;
    }
    *ld = (size_t)(stride / item);
    return true;
}

/* ------------------------------------------------------------------------------------------------ numbers */

bool integer_of(PyObject *object, int64_t *value)
{
    PyObject *whole = PyNumber_Index(object);
    if (whole == NULL)
        return false;
    int overflow;
    *value = PyLong_AsLongLongAndOverflow(whole, &overflow);
    Py_DECREF(whole);
    if (overflow != 0) {
        raise_status(SINPOS_E_RANGE);
        return false;
    }
    return !PyErr_Occurred();
}

bool choice_of(PyObject *object, int *choice)
{
    int64_t value;
    if (!integer_of(object, &value))
        return false;
    *choice = value < 0 || value > INT_MAX ? -1 : (int)value;
    return true;
}

bool type_of(PyObject *object, sinpos_type *type)
{
    int64_t value;
    if (!integer_of(object, &value))
        return false;
    *type = value < 0 || value > SINPOS_BF16 ? (sinpos_type)0 : (sinpos_type)value;
    if (sinpos_type_bytes(*type) == 0) {
        raise_status(SINPOS_E_TYPE);
        return false;
    }
    return true;
}

/* TypeError: what must be that, and is of the type it is. */
static void raise_type(const char *what, const char *wanted, PyObject *object)
{
    PyObject *name = PyType_GetName(Py_TYPE(object));
    if (name != NULL)
        PyErr_Format(PyExc_TypeError, "%s must be %s, not %U", what, wanted, name);
    Py_XDECREF(name);
}

const char *text_of(PyObject *object, const char *what)
{
    Py_ssize_t n = 0;
    if (!PyUnicode_Check(object)) {
        raise_type(what, "text", object);
        return NULL;
    }
    const char *text = PyUnicode_AsUTF8AndSize(object, &n);
    if (text != NULL && strlen(text) != (size_t)n) {
        PyErr_Format(PyExc_ValueError, "%s holds a zero character", what);
        return NULL;
    }
    return text;
}

bool size_of(PyObject *object, const char *what, size_t *size)
{
    int64_t value;
    if (!integer_of(object, &value)) {
        if (PyErr_ExceptionMatches(PyExc_OverflowError))
            PyErr_Format(PyExc_OverflowError, "%s is too large", what);
        else if (PyErr_ExceptionMatches(PyExc_TypeError))
            raise_type(what, "an integer", object);
        return false;
    }
    if (value < 0) {
        PyErr_Format(PyExc_ValueError, "%s must not be negative", what);
        return false;
    }
    *size = (size_t)value;
    return true;
}

bool threads_of(PyObject *object, size_t *n_threads)
{
    if (!size_of(object, "threads", n_threads))
        return false;
    if (*n_threads > 1024) {
        PyErr_SetString(PyExc_ValueError, "threads must be 0, for all processors, to 1024");
        return false;
    }
    return true;
}

size_t threads_for(size_t n_threads, size_t n_bytes)
{
    return n_threads == 0 && n_bytes < THREADED_BYTES ? 1 : n_threads;
}

bool count_is(Py_ssize_t n, Py_ssize_t least, Py_ssize_t most, const char *function)
{
    if (n >= least && n <= most)
        return true;
    PyErr_Format(PyExc_TypeError, "%s() takes %zd to %zd arguments, and %zd were given", function, least, most, n);
    return false;
}

/* ------------------------------------------------------------------------------------------------ positions */

bool positions_take(positions *p, PyObject *object)
{
    *p = (positions){.is_list = !PyLong_Check(object)};
    return p->is_list ? array_take_numbers(&p->held, object, &p->is_integer, &p->n_items)
                      : integer_of(object, &p->first);
}

void positions_release(positions *p)
{
    array_release(&p->held);
}

sinpos_rows positions_rows(const positions *p, size_t first, size_t n, size_t n_axes)
{
    const size_t skipped = first * n_axes;
    const char *list = p->held.view.buf; /* NULL where there are none */
    if (!p->is_list)
        return (sinpos_rows){.struct_size = sizeof(sinpos_rows), .n = n, .first = p->first + (int64_t)first};
    if (skipped > 0)
        list += skipped * 8;
    return p->is_integer ? (sinpos_rows){.struct_size = sizeof(sinpos_rows), .n = n, .integers = (const void *)list}
                         : (sinpos_rows){.struct_size = sizeof(sinpos_rows), .n = n, .reals = (const void *)list};
}

static sinpos_status check_items(void *context, size_t first, size_t n)
{
    const positions *p = context;
    for (size_t i = first; i < first + n; i++) {
        const double real = p->is_integer ? 0 : ((const double *)p->held.view.buf)[i];
        if (p->is_integer ? ((const int64_t *)p->held.view.buf)[i] == INT64_MIN : !(fabs(real) < 0x1p63))
            return SINPOS_E_RANGE;
    }
    return SINPOS_OK;
}

sinpos_status positions_check(const positions *p, size_t n)
{
    positions own = *p;
    if (p->is_list)
        return run_pieces(check_items, &own, p->n_items, 1);
    const bool is_below = n == 0 || p->first <= 0 || n - 1 <= (uint64_t)(INT64_MAX - p->first);
    return p->first > INT64_MIN && n <= INT64_MAX && is_below ? SINPOS_OK : SINPOS_E_RANGE;
}

/* ------------------------------------------------------------------------------------------------ work on blocks */

/* Are all rows, of all dimensions, one stride apart? */
static bool is_one_block(const array *a, size_t *n, size_t *ld)
{
    Py_ssize_t stride = 0, rows = 1;
    for (int k = a->view.ndim - 1; k-- > 0;) {
        if (a->view.shape[k] == 1)
            continue;
        if (stride != 0 && a->view.strides[k] != stride * rows)
            return false;
        stride = stride != 0 ? stride : a->view.strides[k];
        rows *= a->view.shape[k];
    }
    const Py_ssize_t item = (Py_ssize_t)a->item, columns = a->view.shape[a->view.ndim - 1];
    *n = (size_t)rows;
    *ld = rows <= 1 ? (size_t)columns : (size_t)(stride / item);
    return rows <= 1 || (stride >= columns * item && stride % item == 0);
}

/* Rows first .. first + n - 1 of all blocks, of which the first lies in the block at hand. */
static sinpos_status run_piece(void *context, size_t first, size_t n)
{
    block_job *job = context;
    const row_job *rows = job->rows;
    sinpos_status status = SINPOS_OK;
    while (n > 0 && status == SINPOS_OK) {
        const size_t row = first - job->b.index * job->n, left = job->n - row, now = n < left ? n : left;
        const sinpos_rows where = positions_rows(job->where, job->is_shared ? row : first, now, rows->n_axes);
        status = rows->work(rows->object, rows->operation, &where, job->out->type,
                            job->b.at + row * job->ld * job->out->item, job->ld,
                            threads_for(job->n_threads, now * rows->dim * job->out->item));
        if (now == left)
            blocks_next(&job->b);
        first += now;
        n -= now;
    }
    return status;
}

static sinpos_status run_nothing(const block_job *job)
{
    const sinpos_rows none = positions_rows(job->where, 0, 0, job->rows->n_axes);
    return job->rows->work(job->rows->object, job->rows->operation, &none, job->out->type, job->b.at, job->ld, 1);
}

/* Blocks first .. first + n - 1, the first of which is at hand. */
static sinpos_status run_whole_blocks(void *context, size_t first, size_t n)
{
    block_job *job = context;
    sinpos_status status = SINPOS_OK;
    for (size_t k = 0; k < n && status == SINPOS_OK; k++)
        status = run_piece(job, (first + k) * job->n, job->n);
    return status;
}

/* What only a later piece would refuse. */
static sinpos_status check_all(const block_job *job)
{
    const row_job *rows = job->rows;
    const size_t first = (size_t)job->where->first, n = job->is_shared ? job->n : job->n * job->b.n;
    if (rows->has_rows && (first > rows->n_rows || n > rows->n_rows - first))
        return SINPOS_E_RANGE;
    return positions_check(job->where, n);
}

sinpos_status run_blocks(block_job *job)
{
    const row_job *rows = job->rows;
    const size_t n = job->b.n * job->n;
    if (n == 0)
        return run_nothing(job);
    sinpos_status status = job->b.n > 1 || n > first_piece(rows->dim) ? check_all(job) : SINPOS_OK;
    return status != SINPOS_OK || blocks_add(job, &status) ? status
           : rows->is_whole ? run_pieces(run_whole_blocks, job, job->b.n, job->n * rows->dim)
                            : run_pieces(run_piece, job, n, rows->dim);
}

bool settle_positions(block_job *job, size_t n_rows)
{
    const size_t n_axes = job->rows->n_axes, n_items = job->where->n_items;
    job->is_shared = !job->where->is_list || n_items != n_rows * n_axes;
    if (!job->where->is_list || !job->is_shared || n_items == job->n * n_axes)
        return true;
    PyErr_Format(PyExc_ValueError, "%zu rows of %zu coordinates need as many positions, and %zu numbers came", job->n,
                 n_axes, n_items);
    return false;
}

/* Which positions which rows have. */
static bool settle_blocks(block_job *job)
{
    const array *a = job->out;
    const int row_axis = a->view.ndim - 2;
    size_t n_all = 0, ld_all = 0;
    const bool is_one = is_one_block(a, &n_all, &ld_all);
    size_t n_rows = 1;
    for (int k = 0; k < a->view.ndim - 1; k++)
        n_rows *= (size_t)a->view.shape[k];
    job->n = row_axis < 0 ? 1 : (size_t)a->view.shape[row_axis];
    if (!settle_positions(job, n_rows))
        return false;
    if (is_one && (!job->is_shared || n_rows == job->n)) {
        job->b = (blocks){.at = a->view.buf, .n = 1};
        job->n = n_all;
        job->ld = ld_all;
        return true;
    }
    blocks_begin(&job->b, a, &row_axis, row_axis < 0 ? 0 : 1);
    if (!blocks_differ(&job->b, a))
        return false;
    job->ld = job->rows->dim;
    return row_axis < 0 || stride_elements(a, row_axis, &job->ld);
}

sinpos_status run_on_memory(const row_job *rows, sinpos_type type, void *out, size_t n, size_t ld,
                            const positions *where, size_t n_threads)
{
    const array memory = {.type = type, .item = sinpos_type_bytes(type)};
    block_job job = {.rows = rows,
                     .out = &memory,
                     .where = where,
                     .b = {.at = out, .n = 1},
                     .n = n,
                     .ld = ld,
                     .n_threads = n_threads};
    return out == NULL && n > 0 ? SINPOS_E_NULL : run_blocks(&job);
}

static PyObject *run_on(block_job *job)
{
    const array *a = job->out;
    const size_t dim = job->rows->dim;
    if (a->view.shape[a->view.ndim - 1] != (Py_ssize_t)dim) {
        PyErr_Format(PyExc_ValueError, "the array has %zd columns, and the encoding %zu",
                     a->view.shape[a->view.ndim - 1], dim);
        return NULL;
    }
    return settle_blocks(job) ? none_or_raise(run_blocks(job)) : NULL;
}

PyObject *run_on_array(const row_job *rows, PyObject *const *args, Py_ssize_t n_args)
{
    RELEASED_BY(array_release) array out = {0};
    RELEASED_BY(positions_release) positions where = {0};
    block_job job = {.rows = rows, .out = &out, .where = &where};
    const bool is_taken = array_take(&out, args[0], true) && positions_take(&where, args[1]) &&
                          (n_args < 3 || threads_of(args[2], &job.n_threads));
    return is_taken ? run_on(&job) : NULL;
}

PyObject *run_method(const row_job *rows, PyObject *const *args, Py_ssize_t n_args)
{
    row_job job = *rows;
    if (!count_is(n_args, 3, 4, "run") || !choice_of(args[0], &job.operation))
        return NULL;
    return run_on_array(&job, args + 1, n_args - 1);
}
