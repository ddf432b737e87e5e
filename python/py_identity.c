/* sinpos._core.Identity: what made a table. */
#include "py_tables.h"

#include <string.h>

static void destroy(void *identity)
{
    sinpos_identity_destroy(identity);
}

/* ------------------------------------------------------------------------------------------------ making */

static sinpos_status read_rows(void *context, size_t first, size_t n, void *rows)
{
    watched_table *w = context;
    memcpy(rows, w->data + first * w->row_bytes, n * w->row_bytes);
    if (monotonic_seconds() - w->asked < SECONDS_OF_PIECE)
        return SINPOS_OK;
    const int stop = watch_progress(w->watch, 0);
    w->asked = monotonic_seconds();
    return stop ? SINPOS_E_STOPPED : SINPOS_OK;
}

const sinpos_table *watched_table_of(watched_table *watched, const array *a, watch *w)
{
    for (int k = 0; k < a->view.ndim; k++)
        watched->shape[k] = (size_t)a->view.shape[k];
    watched->data = a->view.buf;
    watched->row_bytes = watched->shape[a->view.ndim - 1] * a->item;
    watched->watch = w;
    watched->asked = monotonic_seconds();
    watched->table = (sinpos_table){.n_dims = (size_t)a->view.ndim,
                                    .shape = watched->shape,
                                    .type = a->type,
                                    .read = read_rows,
                                    .context = watched};
    return &watched->table;
}

static PyObject *identify_array(core_state *state, const array *a, bool all, size_t n_threads)
{
    watched_table watched;
    sinpos_identity *identity = NULL;
    watch w;
    watch_begin(&w, NULL);
    const sinpos_table *table = watched_table_of(&watched, a, &w);
    const sinpos_status status =
        all ? sinpos_identify_all(&identity, table, n_threads) : sinpos_identify(&identity, table, n_threads);
    watch_end(&w);
    return status == SINPOS_OK ? holder_new(state->types[IDENTITY_TYPE], identity, destroy, NULL)
                               : raise_status(status);
}

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
            result = identify_array(PyModule_GetState(module), &table, all == 1, n_threads);
    }
    array_release(&table);
    return result;
}

static const char *scaling_word(sinpos_scaling scaling)
{
    return scaling == SINPOS_SCALING_YARN ? "yarn" : scaling == SINPOS_SCALING_LLAMA3 ? "llama3" : NULL;
}

/* Empty where no formula makes the list. */
static PyObject *frequency_dict(sinpos_frequency_list *l)
{
    PyObject *dict =
        !l->is_schedule
            ? PyDict_New()
            : Py_BuildValue("{s:n,s:i,s:N,s:d,s:d,s:d,s:d,s:d,s:z,s:d,s:d,s:K,s:K,s:d,s:s,s:N,s:N}", "n",
                            (Py_ssize_t)l->n, "rounded_bits", l->rounded_to, "is_ascending",
                            PyBool_FromLong(l->is_ascending), "scale", l->scale, "base", l->base, "divisor", l->divisor,
                            "ntk_base", l->ntk_base, "ntk_factor", l->ntk_factor, "scaling", scaling_word(l->scaling),
                            "factor", l->scaling_factor, "context", l->scaling_context, "wrong",
                            (unsigned long long)l->errors.wrong, "max_ulp", (unsigned long long)l->errors.max_ulp,
                            "max_relative_error", l->errors.max_relative_error, "settings", l->settings, "is_published",
                            PyBool_FromLong(l->is_published), "exact", double_list(l->exact, l->n));
    sinpos_frequency_list_destroy(l);
    return dict;
}

PyObject *core_identify_frequencies(PyObject *module, PyObject *const *args, Py_ssize_t n)
{
    array list = {0};
    PyObject *result = NULL;
    (void)module;
    if (count_is(n, 1, 1, "identify_frequencies") && array_take(&list, args[0], false)) {
        sinpos_frequency_list *found = NULL;
        if (list.view.ndim != 1 || !PyBuffer_IsContiguous(&list.view, 'C')) {
            PyErr_SetString(PyExc_ValueError, "a list has one dimension, in C order");
        } else {
            const sinpos_status status =
                sinpos_identify_frequencies(&found, list.view.buf, (size_t)list.view.shape[0], list.type);
            result = status == SINPOS_OK ? frequency_dict(found) : raise_status(status);
        }
    }
    array_release(&list);
    return result;
}

/* ------------------------------------------------------------------------------------------------ reading */

static PyObject *axis_dict(const void *axes, size_t k)
{
    static const char *const laws[] = {"geometric", "linear", "list"};
    const sinpos_identity_axis *a = (const sinpos_identity_axis *)axes + k;
    return Py_BuildValue("{s:s,s:d,s:d,s:d,s:d,s:d,s:N,s:d,s:d,s:n,s:n,s:i,s:d,s:d,s:d}", "law", laws[a->law], "scale",
                         a->scale, "base", a->base, "divisor", a->divisor, "shift", a->shift, "increment", a->increment,
                         "theta", double_list(a->theta, a->n_frequencies), "start", a->start, "step", a->step, "size",
                         (Py_ssize_t)a->size, "stride", (Py_ssize_t)a->stride, "rounded_bits", a->rounded_to,
                         "rounded_scale", a->rounded_scale, "rounded_base", a->rounded_base, "rounded_divisor",
                         a->rounded_divisor);
}

static PyObject *convention_tuple(const void *identity, size_t k)
{
    const sinpos_identity *i = identity;
    return Py_BuildValue("zz", i->conventions[k].name, i->conventions[k].settings);
}

static PyObject *zero_row(const void *identity, size_t k)
{
    return PyLong_FromSize_t(((const sinpos_identity *)identity)->zero[k]);
}

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Adds to dict, where it is one, what the new one holds. */
static PyObject *joined(PyObject *dict, PyObject *more)
{
    if (dict != NULL && (more == NULL || PyDict_Update(dict, more) != 0))
        Py_CLEAR(dict);
    Py_XDECREF(more);
    return dict;
}

static PyObject *errors_dict(const sinpos_identity *i)
{
    return Py_BuildValue("{s:K,s:K,s:K,s:d,s:d,s:s,s:d,s:N}", "elements", (unsigned long long)i->total.elements,
                         "wrong", (unsigned long long)i->total.wrong, "max_ulp", (unsigned long long)i->total.max_ulp,
                         "max_abs_error", i->total.max_abs_error, "max_relative_error", i->total.max_relative_error,
                         "arithmetic", i->arithmetic == NULL ? "" : i->arithmetic, "arithmetic_share",
                         i->arithmetic_share, "conventions", list_of(convention_tuple, i, i->n_conventions));
}

static PyObject *columns_dict(const sinpos_identity *i)
{
    static const char *const nests[] = {"afc", "acf", "caf", "cfa", "fca", "fac", "permuted"};
    return Py_BuildValue("{s:s,s:N,s:N,s:n,s:n,s:n,s:n,s:n,s:d,s:d,s:N}", "nest", nests[i->nest], "cos_first",
                         PyBool_FromLong(i->cos_first), "is_twice", PyBool_FromLong(i->is_twice), "first_column",
                         (Py_ssize_t)i->first_column, "width", (Py_ssize_t)i->width, "n_raw_first",
                         (Py_ssize_t)i->n_raw_first, "n_raw_last", (Py_ssize_t)i->n_raw_last, "n_pad",
                         (Py_ssize_t)i->n_pad, "pad_value", i->pad_value, "amplitude", i->amplitude, "axes",
                         list_of(axis_dict, i->axis, least(i->n_axes, SINPOS_IDENTITY_AXES)));
}

static PyObject *rows_dict(const sinpos_identity *i)
{
    return Py_BuildValue("{s:N,s:N,s:n,s:n,s:n,s:n,s:n,s:d,s:K,s:K}", "positions",
                         i->positions == NULL ? Py_NewRef(Py_None) : double_list(i->positions, i->n * i->n_axes),
                         "zero_rows", list_of(zero_row, i, least(i->n_zero, SINPOS_IDENTITY_LISTED)), "n_zero",
                         (Py_ssize_t)i->n_zero, "n_zero_first", (Py_ssize_t)i->n_zero_first, "rows_compared",
                         (Py_ssize_t)i->rows_compared, "worst_row", (Py_ssize_t)i->worst_row, "worst_column",
                         (Py_ssize_t)i->worst_column, "noise", i->noise, "n_altered", (unsigned long long)i->n_altered,
                         "unexplained", (unsigned long long)i->unexplained);
}

static PyObject *listed_column(const void *columns, size_t k)
{
    return PyLong_FromSize_t(((const size_t *)columns)[k]);
}

/* Numbers of the columns, where they do not follow each other. */
static PyObject *defect_columns(const sinpos_defect *d)
{
    return d->last_column - d->first_column + 1 == d->n_columns
               ? Py_NewRef(Py_None)
               : list_of(listed_column, d->column, least(d->n_columns, SINPOS_IDENTITY_LISTED));
}

static PyObject *defect_dict(const void *defects, size_t k)
{
    const sinpos_defect *d = (const sinpos_defect *)defects + k;
    return Py_BuildValue("{s:s,s:s,s:s,s:d,s:K,s:n,s:n,s:n,s:n,s:n,s:N}", "kind", sinpos_defect_name(d->kind), "what",
                         d->sentence, "repair", d->repair, "value", d->value, "elements",
                         (unsigned long long)d->elements, "first_row", (Py_ssize_t)d->first_row, "last_row",
                         (Py_ssize_t)d->last_row, "n_columns", (Py_ssize_t)d->n_columns, "first_column",
                         (Py_ssize_t)d->first_column, "last_column", (Py_ssize_t)d->last_column, "columns",
                         defect_columns(d));
}

/* The rows and columns of the array that this is about. */
static PyObject *part_dict(const sinpos_identity *i)
{
    return Py_BuildValue("{s:n,s:n,s:N}", "first_row", (Py_ssize_t)i->first_row, "rows", (Py_ssize_t)i->n, "columns",
                         i->columns == NULL ? Py_NewRef(Py_None) : list_of(listed_column, i->columns, i->dim));
}

static PyObject *other_part(const void *others, size_t k)
{
    return part_dict(((sinpos_identity *const *)others)[k]);
}

static PyObject *findings_dict(const sinpos_identity *i)
{
    return Py_BuildValue("{s:N,s:N,s:N}", "defects", list_of(defect_dict, i->defects, i->n_defects), "part",
                         part_dict(i), "others", list_of(other_part, i->others, i->n_others));
}

static PyObject *identity_info(PyObject *self, void *nothing)
{
    static const char *const views[] = {"rows", "side_by_side", "inner", "channel_first"};
    const sinpos_identity *i = held_by(self);
    (void)nothing;
    PyObject *dict = Py_BuildValue("{s:N,s:d,s:d,s:s,s:n,s:n}", "is_sinusoidal", PyBool_FromLong(i->is_sinusoidal),
                                   "bits", i->bits, "residual", i->residual, "view", views[i->view], "n",
                                   (Py_ssize_t)i->n, "dim", (Py_ssize_t)i->dim);
    return i->is_sinusoidal
               ? joined(joined(joined(joined(dict, columns_dict(i)), rows_dict(i)), errors_dict(i)), findings_dict(i))
               : dict;
}

static PyObject *identity_plan(PyObject *self, void *nothing)
{
    const sinpos_identity *identity = held_by(self);
    (void)nothing;
    if (identity->plan == NULL)
        return raise_words(SINPOS_E_VALUE, "nothing was found, so there is no plan", NULL);
    return plan_wrap(PyType_GetModuleState(Py_TYPE(self)), identity->plan, self);
}

static PyObject *identity_rows(PyObject *self, PyObject *const *args, Py_ssize_t n)
{
    const sinpos_identity *identity = held_by(self);
    array out = {0};
    size_t first;
    PyObject *result = NULL;
    if (count_is(n, 2, 2, "rows") && size_of(args[0], "first", &first) && array_take(&out, args[1], true)) {
        if (out.view.ndim != 2 || !PyBuffer_IsContiguous(&out.view, 'C') ||
            (size_t)out.view.shape[1] != identity->dim) {
            PyErr_Format(PyExc_ValueError, "out must have shape (n, %zu), in C order", identity->dim);
        } else {
            PyThreadState *held = PyEval_SaveThread();
            const sinpos_status status =
                sinpos_identity_rows(identity, first, (size_t)out.view.shape[0], out.type, out.view.buf, 0);
            PyEval_RestoreThread(held);
            result = none_or_raise(status);
        }
    }
    array_release(&out);
    return result;
}

static PyMethodDef identity_methods[] = {
    {"rows", (PyCFunction)(void (*)(void))identity_rows, METH_FASTCALL,
     "rows(first, out)\n\nThe exact rows of what was found, as the view has them, into (n, dim) in C order."},
    {NULL, NULL, 0, NULL},
};

static PyGetSetDef identity_getters[] = {
    {"info", identity_info, NULL, "what was found: a dict of the fields of sinpos_identity", NULL},
    {"plan", identity_plan, NULL, "its Plan; positions in units of the axes", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyType_Slot identity_slots[] = {
    {Py_tp_dealloc, (void *)holder_dealloc},
    {Py_tp_methods, identity_methods},
    {Py_tp_getset, identity_getters},
    {Py_tp_doc, (void *)"A sinpos_identity, from identify()."},
    {0, NULL},
};

PyType_Spec identity_type_spec = {
    .name = "sinpos._core.Identity",
    .basicsize = sizeof(holder),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .slots = identity_slots,
};
