/* sinpos._core.Identity: what made a table. */
#include "py_analysis.h"

#include <string.h>

typedef struct identity_object {
    PyObject_HEAD sinpos_identity *identity;
} identity_object;

static const sinpos_identity *self_identity(PyObject *self)
{
    return ((identity_object *)self)->identity;
}

static void identity_dealloc(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    sinpos_identity_destroy(((identity_object *)self)->identity);
    ((freefunc)PyType_GetSlot(type, Py_tp_free))(self);
    Py_DECREF(type);
}

/* ------------------------------------------------------------------------------------------------ making */

typedef struct memory {
    const char *data;
    size_t row_bytes;
    watch watch;
    double asked; /* when signals were handled last */
} memory;

/* Rows are read all along, by the calling thread, so this is where signals are handled. */
static sinpos_status read_rows(void *context, size_t first, size_t n, void *rows)
{
    memory *m = context;
    memcpy(rows, m->data + first * m->row_bytes, n * m->row_bytes);
    if (monotonic_seconds() - m->asked < SECONDS_OF_PIECE)
        return SINPOS_OK;
    const int stop = watch_progress(&m->watch, 0);
    m->asked = monotonic_seconds();
    return stop ? SINPOS_E_STOPPED : SINPOS_OK;
}

static PyObject *identify_array(core_state *state, const array *a, bool all, size_t n_threads)
{
    size_t shape[MOST_DIMS];
    for (int k = 0; k < a->view.ndim; k++)
        shape[k] = (size_t)a->view.shape[k];
    memory m = {.data = a->view.buf, .row_bytes = shape[a->view.ndim - 1] * a->item, .asked = monotonic_seconds()};
    const sinpos_table table = {
        .n_dims = (size_t)a->view.ndim, .shape = shape, .type = a->type, .read = read_rows, .context = &m};
    sinpos_identity *identity = NULL;
    watch_begin(&m.watch, NULL);
    const sinpos_status status =
        all ? sinpos_identify_all(&identity, &table, n_threads) : sinpos_identify(&identity, &table, n_threads);
    watch_end(&m.watch);
    if (status != SINPOS_OK)
        return raise_status(status);
    PyTypeObject *type = (PyTypeObject *)state->identity_type;
    identity_object *object = (identity_object *)((allocfunc)PyType_GetSlot(type, Py_tp_alloc))(type, 0);
    if (object == NULL) {
        sinpos_identity_destroy(identity);
        return NULL;
    }
    object->identity = identity;
    return (PyObject *)object;
}

/* identify(table, all, threads): table (..., n, dim) in C order */
PyObject *core_identify(PyObject *module, PyObject *const *args, Py_ssize_t n)
{
    array table = {0};
    size_t n_threads;
    PyObject *result = NULL;
    const int all = n == 3 ? PyObject_IsTrue(args[1]) : 0;
    if (all >= 0 && count_is(n, 3, 3, "identify") && array_take(&table, args[0], false) &&
        threads_of(args[2], &n_threads)) {
        if (table.view.ndim < 2 || !PyBuffer_IsContiguous(&table.view, 'C'))
            PyErr_SetString(PyExc_ValueError, "a table has two dimensions or more, in C order");
        else
            result = identify_array(core_state_of(module), &table, all == 1, n_threads);
    }
    array_release(&table);
    return result;
}

/* ------------------------------------------------------------------------------------------------ reading */

/* Takes value, also on failure. */
static bool put(PyObject *dict, const char *name, PyObject *value)
{
    const bool ok = dict != NULL && value != NULL && PyDict_SetItemString(dict, name, value) == 0;
    Py_XDECREF(value);
    return ok;
}

static PyObject *double_list(const double *values, size_t n)
{
    PyObject *list = PyList_New((Py_ssize_t)n);
    for (size_t k = 0; list != NULL && k < n; k++) {
        PyObject *item = PyFloat_FromDouble(values[k]);
        if (item == NULL || PyList_SetItem(list, (Py_ssize_t)k, item) != 0)
            Py_CLEAR(list);
    }
    return list;
}

static PyObject *axis_dict(const sinpos_identity_axis *a)
{
    static const char *const laws[] = {"geometric", "linear", "list"};
    return Py_BuildValue("{s:s,s:d,s:d,s:d,s:d,s:d,s:N,s:d,s:d,s:n,s:n}", "law", laws[a->law], "scale", a->scale,
                         "base", a->base, "divisor", a->divisor, "shift", a->shift, "increment", a->increment, "theta",
                         double_list(a->theta, a->n_frequencies), "start", a->start, "step", a->step, "size",
                         (Py_ssize_t)a->size, "stride", (Py_ssize_t)a->stride);
}

static PyObject *axis_list(const sinpos_identity *identity)
{
    PyObject *list = PyList_New(0);
    for (size_t k = 0; list != NULL && k < identity->n_axes && k < SINPOS_IDENTITY_AXES; k++) {
        PyObject *item = axis_dict(&identity->axis[k]);
        if (item == NULL || PyList_Append(list, item) != 0)
            Py_CLEAR(list);
        Py_XDECREF(item);
    }
    return list;
}

static PyObject *convention_list(const sinpos_identity *identity)
{
    PyObject *list = PyList_New(0);
    for (size_t k = 0; list != NULL && k < identity->n_conventions; k++) {
        PyObject *item = Py_BuildValue("zz", identity->conventions[k].name, identity->conventions[k].settings);
        if (item == NULL || PyList_Append(list, item) != 0)
            Py_CLEAR(list);
        Py_XDECREF(item);
    }
    return list;
}

static bool put_errors(PyObject *dict, const sinpos_identity_errors *e)
{
    return put(dict, "elements", PyLong_FromUnsignedLongLong(e->elements)) &&
           put(dict, "wrong", PyLong_FromUnsignedLongLong(e->wrong)) &&
           put(dict, "max_ulp", PyLong_FromUnsignedLongLong(e->max_ulp)) &&
           put(dict, "max_abs_error", PyFloat_FromDouble(e->max_abs_error));
}

static bool put_columns(PyObject *dict, const sinpos_identity *i)
{
    static const char *const nests[] = {"afc", "acf", "caf", "cfa", "fca", "fac", "permuted"};
    return put(dict, "nest", PyUnicode_FromString(nests[i->nest])) &&
           put(dict, "cos_first", PyBool_FromLong(i->cos_first)) &&
           put(dict, "is_twice", PyBool_FromLong(i->is_twice)) &&
           put(dict, "first_column", PyLong_FromSize_t(i->first_column)) &&
           put(dict, "width", PyLong_FromSize_t(i->width)) &&
           put(dict, "n_raw_first", PyLong_FromSize_t(i->n_raw_first)) &&
           put(dict, "n_raw_last", PyLong_FromSize_t(i->n_raw_last)) &&
           put(dict, "n_pad", PyLong_FromSize_t(i->n_pad)) &&
           put(dict, "pad_value", PyFloat_FromDouble(i->pad_value)) &&
           put(dict, "amplitude", PyFloat_FromDouble(i->amplitude)) && put(dict, "axes", axis_list(i));
}

static bool put_rows(PyObject *dict, const sinpos_identity *i)
{
    PyObject *list = i->positions == NULL ? Py_NewRef(Py_None) : double_list(i->positions, i->n * i->n_axes);
    PyObject *zero = PyList_New(0);
    for (size_t k = 0; zero != NULL && k < i->n_zero && k < SINPOS_IDENTITY_LISTED; k++) {
        PyObject *item = PyLong_FromSize_t(i->zero[k]);
        if (item == NULL || PyList_Append(zero, item) != 0)
            Py_CLEAR(zero);
        Py_XDECREF(item);
    }
    const bool ok = put(dict, "positions", list);
    return put(dict, "zero_rows", zero) && ok && put(dict, "n_zero", PyLong_FromSize_t(i->n_zero)) &&
           put(dict, "n_zero_first", PyLong_FromSize_t(i->n_zero_first)) &&
           put(dict, "rows_compared", PyLong_FromSize_t(i->rows_compared)) &&
           put(dict, "worst_row", PyLong_FromSize_t(i->worst_row)) &&
           put(dict, "worst_column", PyLong_FromSize_t(i->worst_column)) &&
           put(dict, "noise", PyFloat_FromDouble(i->noise)) &&
           put(dict, "n_altered", PyLong_FromUnsignedLongLong(i->n_altered));
}

static PyObject *identity_info(PyObject *self, void *nothing)
{
    static const char *const views[] = {"rows", "side_by_side", "inner", "channel_first"};
    const sinpos_identity *i = self_identity(self);
    PyObject *dict = PyDict_New();
    (void)nothing;
    const bool ok = put(dict, "is_sinusoidal", PyBool_FromLong(i->is_sinusoidal)) &&
                    put(dict, "bits", PyFloat_FromDouble(i->bits)) &&
                    put(dict, "residual", PyFloat_FromDouble(i->residual)) &&
                    put(dict, "view", PyUnicode_FromString(views[i->view])) &&
                    put(dict, "n", PyLong_FromSize_t(i->n)) && put(dict, "dim", PyLong_FromSize_t(i->dim)) &&
                    (!i->is_sinusoidal ||
                     (put_columns(dict, i) && put_rows(dict, i) && put_errors(dict, &i->total) &&
                      put(dict, "arithmetic", PyUnicode_FromString(i->arithmetic == NULL ? "" : i->arithmetic)) &&
                      put(dict, "arithmetic_share", PyFloat_FromDouble(i->arithmetic_share)) &&
                      put(dict, "conventions", convention_list(i))));
    if (!ok)
        Py_CLEAR(dict);
    return dict;
}

static PyObject *identity_plan(PyObject *self, void *nothing)
{
    (void)nothing;
    if (self_identity(self)->plan == NULL)
        return raise_words(SINPOS_E_VALUE, "nothing was found, so there is no plan", NULL);
    return plan_wrap(PyType_GetModuleState(Py_TYPE(self)), NULL, self_identity(self)->plan, self);
}

/* rows(first, out): out (n, dim) in C order, the exact rows of the view */
static PyObject *identity_rows(PyObject *self, PyObject *const *args, Py_ssize_t n)
{
    array out = {0};
    size_t first;
    PyObject *result = NULL;
    if (count_is(n, 2, 2, "rows") && size_of(args[0], "first", &first) && array_take(&out, args[1], true)) {
        if (out.view.ndim != 2 || !PyBuffer_IsContiguous(&out.view, 'C') ||
            (size_t)out.view.shape[1] != self_identity(self)->dim) {
            PyErr_Format(PyExc_ValueError, "out must have shape (n, %zu), in C order", self_identity(self)->dim);
        } else {
            PyThreadState *held = PyEval_SaveThread();
            const sinpos_status status =
                sinpos_identity_rows(self_identity(self), first, (size_t)out.view.shape[0], out.type, out.view.buf, 0);
            PyEval_RestoreThread(held);
            result = none_or_raise(status);
        }
    }
    array_release(&out);
    return result;
}

static PyMethodDef identity_methods[] = {
    {"rows", (PyCFunction)(void (*)(void))identity_rows, METH_FASTCALL,
     "rows(first, out)\n\nThe exact rows of what was found, into (n, dim)."},
    {NULL, NULL, 0, NULL},
};

static PyGetSetDef identity_getters[] = {
    {"info", identity_info, NULL, "what was found: a dict of the fields of sinpos_identity", NULL},
    {"plan", identity_plan, NULL, "its Plan; positions in units of the axes", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyType_Slot identity_slots[] = {
    {Py_tp_dealloc, (void *)identity_dealloc},
    {Py_tp_methods, identity_methods},
    {Py_tp_getset, identity_getters},
    {Py_tp_doc, (void *)"A sinpos_identity, from identify()."},
    {0, NULL},
};

PyType_Spec identity_type_spec = {
    .name = "sinpos._core.Identity",
    .basicsize = sizeof(identity_object),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .slots = identity_slots,
};
