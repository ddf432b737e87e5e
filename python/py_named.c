/* sinpos._core.Named: a convention with values for its parameters. */
#include "py_core.h"

#include <stdio.h>

static void destroy(void *encoding)
{
    sinpos_encoding_destroy(encoding);
}

/* ------------------------------------------------------------------------------------------------ parameters */

static sinpos_status set_list(sinpos_parameters *parameters, const char *name, PyObject *value)
{
    RELEASED_BY(array_release) array list = {0};
    size_t n, shape[8] = {0};
    if (!array_take_doubles(&list, value, false, &n))
        return SINPOS_E_VALUE;
    for (int k = 0; k < list.view.ndim && k < 8; k++)
        shape[k] = (size_t)list.view.shape[k];
    return sinpos_parameters_set_list(parameters, name, list.view.buf, (size_t)list.view.ndim, shape);
}

static sinpos_status set_value(sinpos_parameters *parameters, const char *name, PyObject *value)
{
    if (value == Py_None)
        return sinpos_parameters_set_null(parameters, name);
    if (PyBool_Check(value))
        return sinpos_parameters_set_flag(parameters, name, PyObject_IsTrue(value));
    if (PyFloat_Check(value) || PyLong_Check(value)) {
        const double number = PyFloat_AsDouble(value);
        return PyErr_Occurred() ? SINPOS_E_VALUE : sinpos_parameters_set_number(parameters, name, number);
    }
    if (PyUnicode_Check(value)) {
        const char *text = text_of(value, name);
        return text == NULL ? SINPOS_E_VALUE : sinpos_parameters_set_text(parameters, name, text);
    }
    return set_list(parameters, name, value);
}

static bool set_item(sinpos_parameters *parameters, PyObject *key, PyObject *value)
{
    const char *name = text_of(key, "the name of a parameter");
    if (name == NULL)
        return false;
    const sinpos_status status = set_value(parameters, name, value);
    if (status != SINPOS_OK && !PyErr_Occurred()) {
        char message[200];
        snprintf(message, sizeof message, "%.80s: %s", name, sinpos_strerror(status));
        raise_words(status, message, NULL);
    }
    return status == SINPOS_OK;
}

/* Of a copy: the __float__ of a value may change the dict. */
static bool set_all(sinpos_parameters *parameters, PyObject *values)
{
    PyObject *key, *value;
    Py_ssize_t at = 0;
    while (PyDict_Next(values, &at, &key, &value))
        if (!set_item(parameters, key, value))
            return false;
    return true;
}

static PyObject *create(PyTypeObject *type, const char *convention, const sinpos_parameters *parameters, unsigned types)
{
    sinpos_encoding *encoding = NULL;
    sinpos_error error = SINPOS_ERROR_INIT;
    PyThreadState *held = PyEval_SaveThread();
    const sinpos_status status = sinpos_encoding_create(&encoding, convention, parameters, types, &error);
    PyEval_RestoreThread(held);
    return status == SINPOS_OK ? holder_new((PyObject *)type, encoding, destroy, NULL) : raise_error(&error);
}

static PyObject *named_new(PyTypeObject *type, PyObject *args, PyObject *keywords)
{
    const char *convention;
    PyObject *values, *result = NULL;
    unsigned types = 0;
    sinpos_parameters *parameters;
    if (keywords != NULL && PyDict_Size(keywords) > 0)
        return PyErr_Format(PyExc_TypeError, "Named() takes no keywords");
    if (!PyArg_ParseTuple(args, "sO!|I:Named", &convention, &PyDict_Type, &values, &types))
        return NULL;
    const sinpos_status status = sinpos_parameters_create(&parameters);
    if (status != SINPOS_OK)
        return raise_status(status);
    PyObject *copy = PyDict_Copy(values);
    if (copy != NULL && set_all(parameters, copy))
        result = create(type, convention, parameters, types);
    Py_XDECREF(copy);
    sinpos_parameters_destroy(parameters);
    return result;
}

/* ------------------------------------------------------------------------------------------------ reading */

static PyObject *size_item(const void *sizes, size_t k)
{
    return PyLong_FromSize_t(((const size_t *)sizes)[k]);
}

static PyObject *shape_tuple(const sinpos_encoding_info *info)
{
    PyObject *list = list_of(size_item, info->shape, info->n_dims);
    PyObject *shape = list == NULL ? NULL : PyList_AsTuple(list);
    Py_XDECREF(list);
    return shape;
}

static PyObject *named_info(PyObject *self, void *nothing)
{
    const sinpos_encoding_info *info = sinpos_encoding_info_get(held_by(self));
    (void)nothing;
    return Py_BuildValue("{s:s,s:s,s:N,s:n,s:n,s:n,s:n,s:n,s:n,s:N,s:N,s:n,s:N,s:N}", "convention",
                         sinpos_convention_name(info->convention), "output", sinpos_output_name(info->output), "shape",
                         shape_tuple(info), "n_rows", (Py_ssize_t)info->n_rows, "n_columns",
                         (Py_ssize_t)info->n_columns, "n_positions", (Py_ssize_t)info->n_positions, "n_axes",
                         (Py_ssize_t)info->n_axes, "n_zero_rows", (Py_ssize_t)info->n_zero_rows, "n_raw_columns",
                         (Py_ssize_t)info->n_raw_columns, "is_channel_first", PyBool_FromLong(info->is_channel_first),
                         "is_replayed", PyBool_FromLong(info->is_replayed), "head_width", (Py_ssize_t)info->head_width,
                         "depends_on_rows", PyBool_FromLong(info->depends_on_rows), "is_by_position",
                         PyBool_FromLong(info->is_by_position));
}

static PyObject *named_plan(PyObject *self, void *nothing)
{
    (void)nothing;
    return plan_wrap(PyType_GetModuleState(Py_TYPE(self)), sinpos_encoding_plan(held_by(self)), self);
}

/* Rows as the plan has them: an int where they are consecutive, else bytes of int64 or float64. */
static PyObject *named_positions(PyObject *self, PyObject *nothing)
{
    const sinpos_encoding *encoding = held_by(self);
    const size_t n_axes = sinpos_plan_axes(sinpos_encoding_plan(encoding));
    const size_t n = sinpos_encoding_info_get(encoding)->n_positions - sinpos_encoding_info_get(encoding)->n_zero_rows;
    sinpos_rows rows = SINPOS_ROWS_INIT;
    (void)nothing;
    const sinpos_status status = sinpos_encoding_positions(encoding, 0, n, &rows);
    if (status != SINPOS_OK)
        return raise_status(status);
    const void *list = rows.integers != NULL ? (const void *)rows.integers : rows.reals;
    if (list == NULL)
        return PyLong_FromLongLong(rows.first);
    return Py_BuildValue("sN", rows.integers != NULL ? "int64" : "float64",
                         PyBytes_FromStringAndSize(list, (Py_ssize_t)(n * n_axes * 8)));
}

static PyObject *named_coordinates(PyObject *self, PyObject *object)
{
    const sinpos_encoding *encoding = held_by(self);
    const sinpos_encoding_info *info = sinpos_encoding_info_get(encoding);
    RELEASED_BY(array_release) array out = {0};
    size_t n;
    if (!array_take_doubles(&out, object, true, &n))
        return NULL;
    const size_t n_axes = info->n_axes > 0 ? info->n_axes : 1;
    return n % n_axes != 0 ? raise_status(SINPOS_E_SHAPE)
                           : none_or_raise(sinpos_encoding_coordinates(encoding, 0, n / n_axes, out.view.buf));
}

/* ------------------------------------------------------------------------------------------------ work */

static sinpos_status named_work(const void *object, int operation, const sinpos_rows *rows, sinpos_type type, void *out,
                                size_t ld_out, size_t n_threads)
{
    return operation == SINPOS_ADD
               ? sinpos_encoding_add(object, (size_t)rows->first, rows->n, type, out, ld_out, n_threads)
               : sinpos_encoding_fill(object, (size_t)rows->first, rows->n, type, out, ld_out, n_threads);
}

/* run(operation, out, first, threads=0): rows first, first + 1, ... of the encoding into every (n, n_columns) block */
static PyObject *named_run(PyObject *self, PyObject *const *args, Py_ssize_t n)
{
    const sinpos_encoding_info *info = sinpos_encoding_info_get(held_by(self));
    const row_job job = {.work = named_work,
                         .object = held_by(self),
                         .dim = info->n_columns,
                         .n_axes = 1,
                         .has_rows = true,
                         .n_rows = info->n_rows,
                         .is_whole = info->is_channel_first};
    return n >= 3 && !PyLong_Check(args[2]) ? raise_status(SINPOS_E_SHAPE) : run_method(&job, args, n);
}

static sinpos_status rotate_heads(const void *object, int direction, const sinpos_rows *rows, sinpos_type type, void *x,
                                  size_t ld_row, size_t n_threads)
{
    const rotation *r = object;
    return sinpos_encoding_rotate(r->object, (size_t)rows->first, rows->n, (sinpos_direction)direction, r->n_heads,
                                  type, x, ld_row, r->ld_head, n_threads);
}

/* rotate(x, first, direction, row_axis, threads=0): blocks have all positions of the encoding, each or one after another */
static PyObject *named_rotate(PyObject *self, PyObject *const *args, Py_ssize_t n)
{
    const sinpos_encoding_info *info = sinpos_encoding_info_get(held_by(self));
    const row_job job = {.work = rotate_heads,
                         .object = held_by(self),
                         .dim = info->head_width,
                         .n_axes = 1,
                         .has_rows = true,
                         .n_rows = info->n_positions};
    return n >= 2 && !PyLong_Check(args[1]) ? raise_status(SINPOS_E_SHAPE) : rotate_method(&job, args, n);
}

static PyMethodDef named_methods[] = {
    {"run", (PyCFunction)(void (*)(void))named_run, METH_FASTCALL,
     "run(operation, out, first, threads=0)\n\nRows first, first + 1, ... filled into or added to every block of out."},
    {"rotate", (PyCFunction)(void (*)(void))named_rotate, METH_FASTCALL,
     "rotate(x, first, direction, row_axis, threads=0)\n\nsinpos_encoding_rotate() on every block of x."},
    {"positions", named_positions, METH_NOARGS,
     "positions()\n\nWhat the plan takes: an int (the first, consecutive), or (\"int64\" or \"float64\", bytes)."},
    {"coordinates", named_coordinates, METH_O,
     "coordinates(out)\n\nWhat frequencies multiply, into float64 (n, n_axes)."},
    {NULL, NULL, 0, NULL},
};

static PyGetSetDef named_getters[] = {
    {"info", named_info, NULL, "shape and kind: a dict of the fields of sinpos_encoding_info", NULL},
    {"plan", named_plan, NULL, "its Plan", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyType_Slot named_slots[] = {
    {Py_tp_new, (void *)named_new},
    {Py_tp_dealloc, (void *)holder_dealloc},
    {Py_tp_methods, named_methods},
    {Py_tp_getset, named_getters},
    {Py_tp_doc,
     (void *)"Named(convention, parameters, types=0)\n\nA sinpos_encoding. Immutable; threads may share it."},
    {0, NULL},
};

PyType_Spec named_type_spec = {
    .name = "sinpos._core.Named",
    .basicsize = sizeof(holder),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE,
    .slots = named_slots,
};
