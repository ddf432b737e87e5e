/* sinpos._core.Plan: frequencies and columns, and the work with positions that come later. */
#include "py_core.h"

#include <stdlib.h>
#include <string.h>

#include "spec_of_plan.h"

#define MOST_HELD ((size_t)4096) /* elements that are written with the GIL held: a few microseconds */

static void destroy(void *plan)
{
    sinpos_plan_destroy(plan);
}

PyObject *plan_wrap(core_state *state, const sinpos_plan *plan, PyObject *owner)
{
    return holder_new(state->types[PLAN_TYPE], plan, owner == NULL ? destroy : NULL, owner);
}

static PyObject *wrap_beside(PyObject *self, const sinpos_plan *plan)
{
    return plan_wrap(PyType_GetModuleState(Py_TYPE(self)), plan, NULL);
}

const sinpos_plan *plan_of(core_state *state, PyObject *object)
{
    if (Py_TYPE(object) != (PyTypeObject *)state->types[PLAN_TYPE]) {
        PyErr_SetString(PyExc_TypeError, "a sinpos._core.Plan is needed");
        return NULL;
    }
    return held_by(object);
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
    RELEASED_BY(array_release) array theta = {0}, factor = {0};
    sinpos_plan *plan = NULL;
    sinpos_error error = SINPOS_ERROR_INIT;
    if (keywords != NULL && PyDict_Size(keywords) > 0)
        return PyErr_Format(PyExc_TypeError, "Plan() takes no keywords");
    if (!spec_parse(args, &spec, &theta, &factor))
        return NULL;
    sinpos_status status = sinpos_spec_check(&spec, &error);
    if (status == SINPOS_OK) {
        PyThreadState *held = PyEval_SaveThread();
        status = sinpos_plan_create(&plan, &spec);
        PyEval_RestoreThread(held);
    }
    return status == SINPOS_OK         ? plan_wrap(PyType_GetModuleState(type), plan, NULL)
           : error.status != SINPOS_OK ? raise_error(&error)
                                       : raise_status(status);
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
    OWNED sinpos_tone *tones = malloc((n_tones + 1) * sizeof *tones);
    OWNED sinpos_tone_more *more = malloc((n_tones + 1) * sizeof *more);
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
    return status;
}

static PyObject *plan_with_theta(PyObject *self, PyObject *list)
{
    RELEASED_BY(array_release) array theta = {0};
    size_t n;
    sinpos_plan *made = NULL;
    if (!array_take_doubles(&theta, list, false, &n))
        return NULL;
    PyThreadState *held = PyEval_SaveThread();
    const sinpos_status status = plan_retuned(held_by(self), theta.view.buf, n, &made);
    PyEval_RestoreThread(held);
    return status == SINPOS_OK ? wrap_beside(self, made) : raise_status(status);
}

static PyObject *plan_plain(PyObject *self, PyObject *nothing)
{
    sinpos_plan *made = NULL;
    (void)nothing;
    PyThreadState *held = PyEval_SaveThread();
    const bool has_memory = plain_plan(held_by(self), 0, &made);
    PyEval_RestoreThread(held);
    if (!has_memory)
        return PyErr_NoMemory();
    return made == NULL ? Py_NewRef(self) : wrap_beside(self, made);
}

/* ------------------------------------------------------------------------------------------------ reading */

typedef size_t number_of(const sinpos_plan *plan);

static PyObject *plan_number(PyObject *self, void *closure)
{
    number_of *const of = (number_of *)closure;
    return PyLong_FromSize_t(of(held_by(self)));
}

static PyObject *plan_n_tones(PyObject *self, void *nothing)
{
    size_t n = 0;
    (void)nothing;
    const sinpos_status status = sinpos_plan_tones(held_by(self), NULL, 0, &n);
    return status == SINPOS_OK ? PyLong_FromSize_t(n) : raise_status(status);
}

static PyObject *plan_theta(PyObject *self, PyObject *list)
{
    RELEASED_BY(array_release) array out = {0};
    size_t n, n_tones = 0;
    if (!array_take_doubles(&out, list, true, &n))
        return NULL;
    sinpos_status status = sinpos_plan_theta(held_by(self), NULL, 0, &n_tones);
    status = status == SINPOS_OK && n != n_tones ? SINPOS_E_SHAPE : status;
    if (status == SINPOS_OK) {
        PyThreadState *held = PyEval_SaveThread();
        status = sinpos_plan_theta(held_by(self), out.view.buf, n, &n_tones);
        PyEval_RestoreThread(held);
    }
    return none_or_raise(status);
}

static PyObject *tone_tuple(const void *tones, size_t k)
{
    const sinpos_tone *tone = (const sinpos_tone *)tones + k;
    return Py_BuildValue("nnndddN", (Py_ssize_t)tone->sin_column, (Py_ssize_t)tone->cos_column, (Py_ssize_t)tone->axis,
                         tone->amplitude, tone->phase, tone->phase_turns, PyBool_FromLong(is_retunable(tone)));
}

static PyObject *plan_tones(PyObject *self, PyObject *nothing)
{
    size_t n = 0;
    (void)nothing;
    sinpos_status status = sinpos_plan_tones(held_by(self), NULL, 0, &n);
    OWNED sinpos_tone *tones = malloc((n + 1) * sizeof *tones);
    status = tones == NULL         ? SINPOS_E_MEMORY
             : status == SINPOS_OK ? sinpos_plan_tones(held_by(self), tones, n, &n)
                                   : status;
    return status == SINPOS_OK ? list_of(tone_tuple, tones, n) : raise_status(status);
}

/* ------------------------------------------------------------------------------------------------ work */

static sinpos_status plan_work(const void *object, int operation, const sinpos_rows *rows, sinpos_type type, void *out,
                               size_t ld_out, size_t n_threads)
{
    return sinpos_run(object, (sinpos_operation)operation, rows, type, out, ld_out, n_threads);
}

static row_job plan_job(const sinpos_plan *plan)
{
    return (row_job){.work = plan_work,
                     .object = plan,
                     .dim = sinpos_plan_dim(plan),
                     .n_axes = sinpos_plan_axes(plan),
                     .plan = plan};
}

static PyObject *plan_run(PyObject *self, PyObject *const *args, Py_ssize_t n)
{
    const row_job job = plan_job(held_by(self));
    return run_method(&job, args, n);
}

static sinpos_status rotate_heads(const void *object, int direction, const sinpos_rows *rows, sinpos_type type, void *x,
                                  size_t ld_row, size_t n_threads)
{
    const rotation *r = object;
    return sinpos_rotate(r->object, rows, (sinpos_direction)direction, r->n_heads, type, x, ld_row, r->ld_head,
                         n_threads);
}

static PyObject *plan_rotate(PyObject *self, PyObject *const *args, Py_ssize_t n)
{
    row_job job = plan_job(held_by(self));
    job.work = rotate_heads;
    job.plan = NULL;
    return rotate_method(&job, args, n);
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
    const sinpos_plan *plan = held_by(self);
    row_job job = plan_job(plan);
    int64_t type, kind, first = 0;
    size_t n, ld, n_threads;
    void *out, *list = NULL;
    if (!count_is(n_args, 8, 8, "run_at") || !choice_of(args[0], &job.operation) || !integer_of(args[1], &type) ||
        !address_of(args[2], &out) || !size_of(args[3], "n", &n) || !size_of(args[4], "ld", &ld) ||
        !integer_of(args[5], &kind) || !(kind == 0 ? integer_of(args[6], &first) : address_of(args[6], &list)) ||
        !threads_of(args[7], &n_threads))
        return NULL;
    if (kind < 0 || kind > 2 || (kind != 0 && list == NULL && n > 0))
        return raise_status(kind < 0 || kind > 2 ? SINPOS_E_SHAPE : SINPOS_E_NULL);
    const positions where = positions_at(plan, kind, first, list, n);
    return none_or_raise(run_on_memory(&job, (sinpos_type)type, out, n, ld, &where, n_threads));
}

/* rows_at(type, address, n, positions): as run_at(FILL, ...) for int64 at an address and rows that touch, with one thread;
   for callers to whom the time of one row counts, so that few elements are written with the GIL held. */
static PyObject *plan_rows_at(PyObject *self, PyObject *const *args, Py_ssize_t n_args)
{
    const sinpos_plan *plan = held_by(self);
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
    const row_job job = plan_job(plan); /* of SINPOS_FILL, which is 0 */
    const positions rows = positions_at(plan, 1, 0, where, n);
    return none_or_raise(where == NULL ? SINPOS_E_NULL : run_on_memory(&job, (sinpos_type)type, out, n, dim, &rows, 1));
}

static PyObject *plan_shift_matrix(PyObject *self, PyObject *const *args, Py_ssize_t n)
{
    RELEASED_BY(array_release) array out = {0};
    int64_t k;
    size_t ld;
    const Py_ssize_t dim = (Py_ssize_t)sinpos_plan_dim(held_by(self));
    if (!count_is(n, 2, 2, "shift_matrix") || !integer_of(args[0], &k) || !array_take(&out, args[1], true))
        return NULL;
    if (out.view.ndim != 2 || out.view.shape[0] != dim || out.view.shape[1] != dim)
        return PyErr_Format(PyExc_ValueError, "the shape of the matrix must be (%zd, %zd)", dim, dim);
    if (!stride_elements(&out, 0, &ld))
        return NULL;
    PyThreadState *held = PyEval_SaveThread();
    const sinpos_status status = sinpos_shift_matrix(held_by(self), k, out.type, out.view.buf, ld);
    PyEval_RestoreThread(held);
    return none_or_raise(status);
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

static PyObject *plan_shift(PyObject *self, PyObject *const *args, Py_ssize_t n)
{
    shift_job job = {.plan = held_by(self)};
    PyObject *zero = PyLong_FromLong(0), *result = NULL;
    if (zero != NULL && count_is(n, 2, 2, "shift") && integer_of(args[0], &job.k)) {
        PyObject *const own[2] = {args[1], zero};
        const row_job rows = {.work = shift_work, .object = &job, .dim = sinpos_plan_dim(job.plan), .n_axes = 1};
        result = run_on_array(&rows, own, 2);
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
    {"sum_at", (PyCFunction)(void (*)(void))plan_sum_at, METH_FASTCALL,
     "sum_at(type, out, x, batches, heads, n, width, axis, kind, positions, threads)\n\nsinpos_run_arrays(SINPOS_ADD) "
     "on contiguous memory that the caller vouches for."},
    {"rotate_at", (PyCFunction)(void (*)(void))plan_rotate_at, METH_FASTCALL,
     "rotate_at(type, out, x, batches, heads, n, width, axis, direction, kind, positions, threads)\n\n"
     "sinpos_rotate_arrays() on contiguous memory that the caller vouches for."},
    {"factors", (PyCFunction)(void (*)(void))plan_factors, METH_FASTCALL,
     "factors(type, n, direction, kind, positions)\n\nThe Factors of n rows."},
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
    {"dim", plan_number, NULL, "columns", (void *)sinpos_plan_dim},
    {"axes", plan_number, NULL, "coordinates of a position", (void *)sinpos_plan_axes},
    {"bytes", plan_number, NULL, "memory held", (void *)sinpos_plan_bytes},
    {"n_tones", plan_n_tones, NULL, "tones", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyType_Slot plan_slots[] = {
    {Py_tp_new, (void *)plan_new},
    {Py_tp_dealloc, (void *)holder_dealloc},
    {Py_tp_methods, plan_methods},
    {Py_tp_getset, plan_getters},
    {Py_tp_doc,
     (void *)"Plan(dim, schedule, layout, order, odd, types, base, base_divisor, exponent, shift, divisor, scale,\n"
             "     amplitude, phase, phase_turns, theta, factor)\n\nA sinpos_plan. Immutable; threads may share it."},
    {0, NULL},
};

PyType_Spec plan_type_spec = {
    .name = "sinpos._core.Plan",
    .basicsize = sizeof(holder),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE,
    .slots = plan_slots,
};
