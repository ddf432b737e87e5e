/* Arrays of callers: what they are, and how their rows lie. */
#include "py_core.h"

#include <math.h>
#include <string.h>

/* The letter of a format, or 0: native order, one number. */
static char letter_of(const char *format)
{
    const uint16_t one = 1;
    const char *native = *(const unsigned char *)&one == 1 ? "@=<" : "@=>";
    if (format == NULL) {
        return 'B';
    }
    if (*format != '\0' && strchr(native, *format) != NULL) {
        format++;
    }
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
    if (!hold(a, object, PyBUF_STRIDES | PyBUF_FORMAT | (is_written ? PyBUF_WRITABLE : 0))) {
        return false;
    }
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
    if (!hold(a, object, PyBUF_C_CONTIGUOUS | PyBUF_FORMAT | (is_written ? PyBUF_WRITABLE : 0))) {
        return false;
    }
    *letter = letter_of(a->view.format);
    *items = a->view.itemsize == 8 ? (size_t)a->view.len / 8 : 0;
    return true;
}

bool array_take_doubles(array *a, PyObject *object, bool is_written, size_t *items)
{
    char letter;
    if (!take_flat(a, object, is_written, &letter, items)) {
        return false;
    }
    if (letter != 'd') {
        PyErr_SetString(PyExc_TypeError, "an array of float64 is needed");
        return false;
    }
    return true;
}

bool array_take_numbers(array *a, PyObject *object, bool *is_integer, size_t *items)
{
    char letter;
    if (!take_flat(a, object, false, &letter, items)) {
        return false;
    }
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
    for (int k = 0; k < n; k++) {
        if (axes[k] == axis) {
            return true;
        }
    }
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
        if (++b->digits[k] < b->shape[k]) {
            return;
        }
        b->at -= b->strides[k] * (Py_ssize_t)b->shape[k];
        b->digits[k] = 0;
    }
}

bool stride_elements(const array *a, int axis, size_t *ld)
{
    const Py_ssize_t stride = a->view.strides[axis], item = (Py_ssize_t)a->item;
    const Py_ssize_t n_columns = a->view.shape[a->view.ndim - 1];
    *ld = (size_t)n_columns;
    if (a->view.shape[axis] <= 1 || a->view.len == 0) {
        return true;
    }
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
    if (whole == NULL) {
        return false;
    }
    int overflow;
    *value = PyLong_AsLongLongAndOverflow(whole, &overflow);
    Py_DECREF(whole);
    if (overflow != 0) {
        raise_status(SINPOS_E_RANGE);
        return false;
    }
    return !PyErr_Occurred();
}

bool type_of(PyObject *object, sinpos_type *type)
{
    int64_t value;
    if (!integer_of(object, &value)) {
        return false;
    }
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
    if (name != NULL) {
        PyErr_Format(PyExc_TypeError, "%s must be %s, not %U", what, wanted, name);
    }
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
        if (PyErr_ExceptionMatches(PyExc_OverflowError)) {
            PyErr_Format(PyExc_OverflowError, "%s is too large", what);
        } else if (PyErr_ExceptionMatches(PyExc_TypeError)) {
            raise_type(what, "an integer", object);
        }
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
    if (!size_of(object, "threads", n_threads)) {
        return false;
    }
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
    if (n >= least && n <= most) {
        return true;
    }
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
    if (!p->is_list) {
        return (sinpos_rows){.n = n, .first = p->first};
    }
    return p->is_integer ? (sinpos_rows){.n = n, .integers = (const int64_t *)p->held.view.buf + skipped}
                         : (sinpos_rows){.n = n, .reals = (const double *)p->held.view.buf + skipped};
}

/* ------------------------------------------------------------------------------------------------ work on blocks */

/* Are all rows, of all dimensions, one stride apart? */
static bool is_one_block(const array *a, size_t *n, size_t *ld)
{
    Py_ssize_t stride = 0, rows = 1;
    for (int k = a->view.ndim - 1; k-- > 0;) {
        if (a->view.shape[k] == 1) {
            continue;
        }
        if (stride != 0 && a->view.strides[k] != stride * rows) {
            return false;
        }
        stride = stride != 0 ? stride : a->view.strides[k];
        rows *= a->view.shape[k];
    }
    const Py_ssize_t item = (Py_ssize_t)a->item, columns = a->view.shape[a->view.ndim - 1];
    *n = (size_t)rows;
    *ld = rows <= 1 ? (size_t)columns : (size_t)(stride / item);
    return rows <= 1 || (stride >= columns * item && stride % item == 0);
}

typedef struct block_job {
    rows_work *work;
    const void *object;
    int operation;
    const array *out;
    const positions *where;
    size_t dim, n_axes, n, ld, n_threads;
    bool is_shared; /* every block has the same positions */
} block_job;

static sinpos_status run_all(const block_job *job, blocks *b)
{
    sinpos_status status = SINPOS_OK;
    const size_t n_threads = threads_for(job->n_threads, job->n * job->dim * job->out->item);
    for (; b->index < b->n && status == SINPOS_OK; blocks_next(b)) {
        const sinpos_rows rows =
            positions_rows(job->where, job->is_shared ? 0 : b->index * job->n, job->n, job->n_axes);
        status = job->work(job->object, job->operation, &rows, job->out->type, b->at, job->ld, n_threads);
    }
    return status;
}

bool positions_are_valid(const positions *p)
{
    for (size_t i = 0; i < p->n_items; i++) {
        const double real = p->is_integer ? 0 : ((const double *)p->held.view.buf)[i];
        if (p->is_integer ? ((const int64_t *)p->held.view.buf)[i] == INT64_MIN : !(fabs(real) < 0x1p63)) {
            return false;
        }
    }
    return true;
}

/* Which positions which rows have. */
static bool settle_blocks(block_job *job, blocks *b)
{
    const array *a = job->out;
    const int row_axis = a->view.ndim - 2;
    size_t n_all = 0, ld_all = 0;
    const bool is_one = is_one_block(a, &n_all, &ld_all);
    size_t n_rows = 1;
    for (int k = 0; k < a->view.ndim - 1; k++) {
        n_rows *= (size_t)a->view.shape[k];
    }
    job->n = row_axis < 0 ? 1 : (size_t)a->view.shape[row_axis];
    job->is_shared = true;
    if (job->where->is_list) {
        const size_t n_items = job->where->n_items;
        const bool is_for_all = n_items == n_rows * job->n_axes;
        job->is_shared = !is_for_all;
        if (!is_for_all && n_items != job->n * job->n_axes) {
            PyErr_Format(PyExc_ValueError, "%zu rows of %zu coordinates need as many positions, and %zu numbers came",
                         job->n, job->n_axes, n_items);
            return false;
        }
    }
    if (is_one && (!job->is_shared || n_rows == job->n)) {
        *b = (blocks){.at = a->view.buf, .n = 1};
        job->n = n_all;
        job->ld = ld_all;
        return true;
    }
    blocks_begin(b, a, &row_axis, row_axis < 0 ? 0 : 1);
    if (!blocks_differ(b, a)) {
        return false;
    }
    job->ld = job->dim;
    return row_axis < 0 || stride_elements(a, row_axis, &job->ld);
}

static PyObject *run_blocks(block_job *job)
{
    const array *a = job->out;
    blocks b;
    sinpos_status status;
    if (a->view.shape[a->view.ndim - 1] != (Py_ssize_t)job->dim) {
        PyErr_Format(PyExc_ValueError, "the array has %zd columns, and the encoding %zu",
                     a->view.shape[a->view.ndim - 1], job->dim);
        return NULL;
    }
    if (!settle_blocks(job, &b)) {
        return NULL;
    }
    PyThreadState *held = PyEval_SaveThread();
    status = b.n > 1 && !job->is_shared && !positions_are_valid(job->where) ? SINPOS_E_RANGE : run_all(job, &b);
    PyEval_RestoreThread(held);
    return none_or_raise(status);
}

PyObject *run_on_blocks(rows_work *work, const void *object, int operation, size_t dim, size_t n_axes,
                        PyObject *const *args, Py_ssize_t n_args)
{
    array out = {0};
    positions where = {0};
    block_job job = {.work = work,
                     .object = object,
                     .operation = operation,
                     .out = &out,
                     .where = &where,
                     .dim = dim,
                     .n_axes = n_axes};
    PyObject *result = NULL;
    if (array_take(&out, args[0], true) && positions_take(&where, args[1]) &&
        (n_args < 3 || threads_of(args[2], &job.n_threads))) {
        result = run_blocks(&job);
    }
    positions_release(&where);
    array_release(&out);
    return result;
}
