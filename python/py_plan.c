/* sinpos._core.Plan: frequencies and columns, and the work with positions that come later. */
#include "py_rotate.h"

#include <stdlib.h>
#include <string.h>

#include "spec_of_plan.h"

#define MOST_HELD ((size_t)4096) /* elements that are written with the GIL held: a few microseconds */

static const sinpos_plan *self_plan(PyObject *self)
{
    return ((plan_object *)self)->plan;
}

PyObject *plan_wrap(core_state *state, sinpos_plan *own, const sinpos_plan *plan, PyObject *owner)
{
    allocfunc allocate = (allocfunc)PyType_GetSlot((PyTypeObject *)state->plan_type, Py_tp_alloc);
    plan_object *object = (plan_object *)allocate((PyTypeObject *)state->plan_type, 0);
    if (object == NULL) {
        sinpos_plan_destroy(own);
        return NULL;
    }
    object->own = own;
    object->plan = own != NULL ? own : plan;
    object->owner = Py_XNewRef(owner);
    return (PyObject *)object;
}

const sinpos_plan *plan_of(core_state *state, PyObject *object)
{
    if (Py_TYPE(object) != (PyTypeObject *)state->plan_type) {
        PyErr_SetString(PyExc_TypeError, "a sinpos._core.Plan is needed");
        return NULL;
    }
    return self_plan(object);
}

static void plan_dealloc(PyObject *self)
{
    plan_object *object = (plan_object *)self;
    PyTypeObject *type = Py_TYPE(self);
    sinpos_plan_destroy(object->own);
    Py_XDECREF(object->owner);
    ((freefunc)PyType_GetSlot(type, Py_tp_free))(self);
    Py_DECREF(type);
}

/* ------------------------------------------------------------------------------------------------ making */

bool spec_parse(PyObject *args, sinpos_spec *spec, array *theta, array *factor)
{
    PyObject *theta_list, *factor_list;
    Py_ssize_t dim;
    int schedule, layout, order, odd;
    if (!PyArg_ParseTuple(args, "niiiiIdddddddddOO:Plan", &dim, &schedule, &layout, &order, &odd, &spec->types,
                          &spec->base, &spec->base_divisor, &spec->exponent, &spec->shift, &spec->divisor, &spec->scale,
                          &spec->amplitude, &spec->phase, &spec->phase_turns, &theta_list, &factor_list))
        return false;
    spec->dim = dim < 0 ? 0 : (size_t)dim;
    spec->schedule = (sinpos_schedule)schedule;
    spec->layout = (sinpos_layout)layout;
    spec->order = (sinpos_order)order;
    spec->odd = (sinpos_odd)odd;
    if ((theta_list != Py_None && !array_take_doubles(theta, theta_list, false, &spec->n_theta)) ||
        (factor_list != Py_None && !array_take_doubles(factor, factor_list, false, &spec->n_factor)))
        return false;
    spec->theta = theta_list == Py_None ? NULL : theta->view.buf;
    spec->factor = factor_list == Py_None ? NULL : factor->view.buf;
    return true;
}

static PyObject *plan_new(PyTypeObject *type, PyObject *args, PyObject *keywords)
{
    sinpos_spec spec = SINPOS_SPEC_INIT;
    array theta = {0}, factor = {0};
    sinpos_plan *plan = NULL;
    sinpos_error error = SINPOS_ERROR_INIT;
    PyObject *result = NULL;
    if (keywords != NULL && PyDict_Size(keywords) > 0) {
        PyErr_SetString(PyExc_TypeError, "Plan() takes no keywords");
        return NULL;
    }
    if (spec_parse(args, &spec, &theta, &factor)) {
        sinpos_status status = sinpos_spec_check(&spec, &error);
        if (status == SINPOS_OK) {
            PyThreadState *held = PyEval_SaveThread();
            status = sinpos_plan_create(&plan, &spec);
            PyEval_RestoreThread(held);
        }
        result = status == SINPOS_OK         ? plan_wrap(PyType_GetModuleState(type), plan, NULL, NULL)
                 : error.status != SINPOS_OK ? raise_error(&error)
                                             : raise_status(status);
    }
    array_release(&theta);
    array_release(&factor);
    return result;
}

/* One coordinate, and no phase in a unit that another frequency would change. */
static bool is_retunable(const sinpos_tone *tone)
{
    const sinpos_tone_more *more = tone->more;
    if (more == NULL)
        return true;
    for (int part = 0; part < SINPOS_PARTS; part++)
        if (tone->in_turns && more->phase[part] != 0)
            return false;
    return more->n_listens == 0;
}

/* `more` is room for a copy of what the tone has beyond doubles, without its value. */
static void retune(sinpos_tone *tone, sinpos_tone_more *more, double theta)
{
    if (tone->more != NULL) {
        *more = *tone->more;
        memset(more->value, 0, sizeof more->value);
        tone->more = more;
    }
    tone->schedule = SINPOS_EXPLICIT;
    tone->in_turns = 0;
    tone->scale = tone->factor = 1;
    tone->value = theta;
}

/* The tones of a plan with other frequencies, in radians; all else stays. */
static sinpos_status plan_retuned(const sinpos_plan *plan, const double *theta, size_t n, sinpos_plan **out)
{
    size_t n_tones;
    sinpos_status status = sinpos_plan_tones(plan, NULL, 0, &n_tones);
    sinpos_tone *tones = malloc((n_tones + 1) * sizeof *tones);
    sinpos_tone_more *more = malloc((n_tones + 1) * sizeof *more);
    *out = NULL;
    status = tones == NULL || more == NULL         ? SINPOS_E_MEMORY
             : status == SINPOS_OK && n != n_tones ? SINPOS_E_SHAPE
                                                   : status;
    status = status == SINPOS_OK ? sinpos_plan_tones(plan, tones, n, &n_tones) : status;
    for (size_t k = 0; status == SINPOS_OK && k < n; k++) {
        status = is_retunable(&tones[k]) ? SINPOS_OK : SINPOS_E_UNSUPPORTED;
        retune(&tones[k], &more[k], theta[k]);
    }
    if (status == SINPOS_OK)
        status = sinpos_plan_create_tones(out, sinpos_plan_dim(plan), sinpos_plan_axes(plan), tones, n, 0, NULL);
    free(more);
    free(tones);
    return status;
}

static PyObject *plan_with_theta(PyObject *self, PyObject *list)
{
    array theta = {0};
    size_t n;
    sinpos_plan *made = NULL;
    PyObject *result = NULL;
    if (array_take_doubles(&theta, list, false, &n)) {
        PyThreadState *held = PyEval_SaveThread();
        const sinpos_status status = plan_retuned(self_plan(self), theta.view.buf, n, &made);
        PyEval_RestoreThread(held);
        result = status == SINPOS_OK ? plan_wrap(PyType_GetModuleState(Py_TYPE(self)), made, NULL, NULL)
                                     : raise_status(status);
    }
    array_release(&theta);
    return result;
}

static PyObject *plan_plain(PyObject *self, PyObject *nothing)
{
    sinpos_plan *made = NULL;
    (void)nothing;
    PyThreadState *held = PyEval_SaveThread();
    const bool has_memory = plain_plan(self_plan(self), 0, &made);
    PyEval_RestoreThread(held);
    if (!has_memory)
        return PyErr_NoMemory();
    return made == NULL ? Py_NewRef(self) : plan_wrap(PyType_GetModuleState(Py_TYPE(self)), made, NULL, NULL);
}

/* ------------------------------------------------------------------------------------------------ reading */

static PyObject *plan_dim(PyObject *self, void *nothing)
{
    (void)nothing;
    return PyLong_FromSize_t(sinpos_plan_dim(self_plan(self)));
}

static PyObject *plan_axes(PyObject *self, void *nothing)
{
    (void)nothing;
    return PyLong_FromSize_t(sinpos_plan_axes(self_plan(self)));
}

static PyObject *plan_bytes(PyObject *self, void *nothing)
{
    (void)nothing;
    return PyLong_FromSize_t(sinpos_plan_bytes(self_plan(self)));
}

static PyObject *plan_n_tones(PyObject *self, void *nothing)
{
    size_t n = 0;
    (void)nothing;
    const sinpos_status status = sinpos_plan_tones(self_plan(self), NULL, 0, &n);
    return status == SINPOS_OK ? PyLong_FromSize_t(n) : raise_status(status);
}

static PyObject *plan_theta(PyObject *self, PyObject *list)
{
    array out = {0};
    size_t n, n_tones = 0;
    PyObject *result = NULL;
    if (array_take_doubles(&out, list, true, &n)) {
        sinpos_status status = sinpos_plan_theta(self_plan(self), NULL, 0, &n_tones);
        status = status == SINPOS_OK && n != n_tones ? SINPOS_E_SHAPE : status;
        if (status == SINPOS_OK) {
            PyThreadState *held = PyEval_SaveThread();
            status = sinpos_plan_theta(self_plan(self), out.view.buf, n, &n_tones);
            PyEval_RestoreThread(held);
        }
        result = none_or_raise(status);
    }
    array_release(&out);
    return result;
}

static PyObject *tone_tuple(const sinpos_tone *tone)
{
    return Py_BuildValue("nnndddN", (Py_ssize_t)tone->sin_column, (Py_ssize_t)tone->cos_column, (Py_ssize_t)tone->axis,
                         tone->amplitude, tone->phase, tone->phase_turns, PyBool_FromLong(is_retunable(tone)));
}

static PyObject *plan_tones(PyObject *self, PyObject *nothing)
{
    size_t n = 0;
    (void)nothing;
    sinpos_status status = sinpos_plan_tones(self_plan(self), NULL, 0, &n);
    sinpos_tone *tones = malloc((n + 1) * sizeof *tones);
    status = tones == NULL         ? SINPOS_E_MEMORY
             : status == SINPOS_OK ? sinpos_plan_tones(self_plan(self), tones, n, &n)
                                   : status;
    PyObject *list = status == SINPOS_OK ? PyList_New((Py_ssize_t)n) : raise_status(status);
    for (size_t k = 0; list != NULL && k < n; k++) {
        PyObject *tuple = tone_tuple(&tones[k]);
        if (tuple == NULL || PyList_SetItem(list, (Py_ssize_t)k, tuple) != 0)
            Py_CLEAR(list);
    }
    free(tones);
    return list;
}

/* ------------------------------------------------------------------------------------------------ work */

static sinpos_status plan_work(const void *object, int operation, const sinpos_rows *rows, sinpos_type type, void *out,
                               size_t ld_out, size_t n_threads)
{
    return sinpos_run(object, (sinpos_operation)operation, rows, type, out, ld_out, n_threads);
}

static bool operation_of(PyObject *object, int *operation)
{
    int64_t value;
    if (!integer_of(object, &value))
        return false;
    *operation = value < 0 || value > 3 ? 99 : (int)value;
    return true;
}

static row_job plan_job(const sinpos_plan *plan, int operation)
{
    return (row_job){.work = plan_work,
                     .object = plan,
                     .operation = operation,
                     .dim = sinpos_plan_dim(plan),
                     .n_axes = sinpos_plan_axes(plan)};
}

/* run(operation, out, positions, threads=0) */
static PyObject *plan_run(PyObject *self, PyObject *const *args, Py_ssize_t n)
{
    const sinpos_plan *plan = self_plan(self);
    int operation;
    if (!count_is(n, 3, 4, "run") || !operation_of(args[0], &operation))
        return NULL;
    const row_job job = plan_job(plan, operation);
    return run_on_blocks(&job, args + 1, n - 1);
}

static bool address_of(PyObject *object, void **address)
{
    *address = PyLong_AsVoidPtr(object);
    return !PyErr_Occurred();
}

/* Kind 0: from first on; 1: int64, 2: float64 at an address. */
static positions positions_at(const sinpos_plan *plan, int64_t kind, int64_t first, void *list, size_t n)
{
    return (positions){.held.view.buf = list,
                       .is_list = kind != 0,
                       .is_integer = kind == 1,
                       .first = first,
                       .n_items = n * sinpos_plan_axes(plan)};
}

/* run_at(operation, type, address, n, ld, kind, positions, threads): kind 0 first position, 1 int64, 2 float64 at an address. */
static PyObject *plan_run_at(PyObject *self, PyObject *const *args, Py_ssize_t n_args)
{
    int operation;
    int64_t type, kind, first = 0;
    size_t n, ld, n_threads;
    void *out, *list = NULL;
    if (!count_is(n_args, 8, 8, "run_at") || !operation_of(args[0], &operation) || !integer_of(args[1], &type) ||
        !address_of(args[2], &out) || !size_of(args[3], "n", &n) || !size_of(args[4], "ld", &ld) ||
        !integer_of(args[5], &kind) || !(kind == 0 ? integer_of(args[6], &first) : address_of(args[6], &list)) ||
        !threads_of(args[7], &n_threads))
        return NULL;
    if (kind < 0 || kind > 2 || (kind != 0 && list == NULL && n > 0))
        return raise_status(kind < 0 || kind > 2 ? SINPOS_E_SHAPE : SINPOS_E_NULL);
    const sinpos_plan *plan = self_plan(self);
    const row_job job = plan_job(plan, operation);
    const positions where = positions_at(plan, kind, first, list, n);
    return none_or_raise(run_on_memory(&job, (sinpos_type)type, out, n, ld, &where, n_threads));
}

/* rows_at(type, address, n, positions): as run_at(FILL, ...) for int64 at an address and rows that touch, with one thread;
   for callers to whom the time of one row counts, so that few elements are written with the GIL held. */
static PyObject *plan_rows_at(PyObject *self, PyObject *const *args, Py_ssize_t n_args)
{
    const sinpos_plan *plan = self_plan(self);
    const size_t dim = sinpos_plan_dim(plan);
    if (!count_is(n_args, 4, 4, "rows_at"))
        return NULL;
    const long type = PyLong_AsLong(args[0]);
    void *out = PyLong_AsVoidPtr(args[1]);
    const size_t n = PyLong_AsSize_t(args[2]);
    void *where = PyLong_AsVoidPtr(args[3]);
    if (PyErr_Occurred())
        return NULL;
    if (n <= MOST_HELD / dim)
        return none_or_raise(sinpos_fill_at(plan, where, n, (sinpos_type)type, out, dim));
    const row_job job = plan_job(plan, SINPOS_FILL);
    const positions rows = positions_at(plan, 1, 0, where, n);
    return none_or_raise(where == NULL ? SINPOS_E_NULL : run_on_memory(&job, (sinpos_type)type, out, n, dim, &rows, 1));
}

/* shift_matrix(k, out) */
static PyObject *plan_shift_matrix(PyObject *self, PyObject *const *args, Py_ssize_t n)
{
    array out = {0};
    int64_t k;
    size_t ld;
    PyObject *result = NULL;
    const Py_ssize_t dim = (Py_ssize_t)sinpos_plan_dim(self_plan(self));
    if (count_is(n, 2, 2, "shift_matrix") && integer_of(args[0], &k) && array_take(&out, args[1], true)) {
        if (out.view.ndim != 2 || out.view.shape[0] != dim || out.view.shape[1] != dim) {
            PyErr_Format(PyExc_ValueError, "the shape of the matrix must be (%zd, %zd)", dim, dim);
        } else if (stride_elements(&out, 0, &ld)) {
            PyThreadState *held = PyEval_SaveThread();
            const sinpos_status status = sinpos_shift_matrix(self_plan(self), k, out.type, out.view.buf, ld);
            PyEval_RestoreThread(held);
            result = none_or_raise(status);
        }
    }
    array_release(&out);
    return result;
}

typedef struct shift_job {
    const sinpos_plan *plan;
    int64_t k;
} shift_job;

static sinpos_status shift_work(const void *object, int operation, const sinpos_rows *rows, sinpos_type type, void *out,
                                size_t ld_out, size_t n_threads)
{
    const shift_job *job = object;
    (void)operation;
    (void)n_threads;
    return sinpos_shift(job->plan, job->k, rows->n, type, out, ld_out);
}

/* shift(k, x) */
static PyObject *plan_shift(PyObject *self, PyObject *const *args, Py_ssize_t n)
{
    shift_job job = {.plan = self_plan(self)};
    PyObject *zero = PyLong_FromLong(0), *result = NULL;
    if (zero != NULL && count_is(n, 2, 2, "shift") && integer_of(args[0], &job.k)) {
        PyObject *const own[2] = {args[1], zero};
        const row_job rows = {.work = shift_work, .object = &job, .dim = sinpos_plan_dim(job.plan), .n_axes = 1};
        result = run_on_blocks(&rows, own, 2);
    }
    Py_XDECREF(zero);
    return result;
}

static PyMethodDef plan_methods[] = {
    {"run", (PyCFunction)(void (*)(void))plan_run, METH_FASTCALL,
     "run(operation, out, positions, threads=0)\n\nsinpos_run() on every (n, dim) block of out."},
    {"run_at", (PyCFunction)(void (*)(void))plan_run_at, METH_FASTCALL,
     "run_at(operation, type, address, n, ld, kind, positions, threads)\n\nsinpos_run() on memory that the caller "
     "vouches for."},
    {"rows_at", (PyCFunction)(void (*)(void))plan_rows_at, METH_FASTCALL,
     "rows_at(type, address, n, positions)\n\nsinpos_fill_at() for int64 at an address, into rows that touch."},
    {"rotate", (PyCFunction)(void (*)(void))plan_rotate, METH_FASTCALL,
     "rotate(x, positions, direction, row_axis, threads=0)\n\nsinpos_rotate() on every block of x."},
    {"shift_matrix", (PyCFunction)(void (*)(void))plan_shift_matrix, METH_FASTCALL,
     "shift_matrix(k, out)\n\nsinpos_shift_matrix()."},
    {"shift", (PyCFunction)(void (*)(void))plan_shift, METH_FASTCALL,
     "shift(k, x)\n\nsinpos_shift() on every block of x."},
    {"theta", plan_theta, METH_O, "theta(out)\n\nsinpos_plan_theta() into float64 (n_tones,)."},
    {"with_theta", plan_with_theta, METH_O,
     "with_theta(theta)\n\nThe Plan of the same columns with other frequencies, in radians, taken exactly."},
    {"plain", plan_plain, METH_NOARGS,
     "plain()\n\nThe Plan with frequencies rounded to double where its tones hold more, for analyses; else itself."},
    {"tones", plan_tones, METH_NOARGS,
     "tones()\n\nA tuple for each tone: sin_column, cos_column (-1: none), axis, amplitude, phase, phase_turns, "
     "is_retunable: takes any\nfrequency, as it depends on one coordinate."},
    {NULL, NULL, 0, NULL},
};

static PyGetSetDef plan_getters[] = {
    {"dim", plan_dim, NULL, "columns", NULL},
    {"axes", plan_axes, NULL, "coordinates of a position", NULL},
    {"bytes", plan_bytes, NULL, "memory held", NULL},
    {"n_tones", plan_n_tones, NULL, "tones", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyType_Slot plan_slots[] = {
    {Py_tp_new, (void *)plan_new},
    {Py_tp_dealloc, (void *)plan_dealloc},
    {Py_tp_methods, plan_methods},
    {Py_tp_getset, plan_getters},
    {Py_tp_doc,
     (void *)"Plan(dim, schedule, layout, order, odd, types, base, base_divisor, exponent, shift, divisor, scale,\n"
             "     amplitude, phase, phase_turns, theta, factor)\n\nA sinpos_plan. Immutable; threads may share it."},
    {0, NULL},
};

PyType_Spec plan_type_spec = {
    .name = "sinpos._core.Plan",
    .basicsize = sizeof(plan_object),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE,
    .slots = plan_slots,
};
