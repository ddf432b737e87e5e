/* sinpos._core.Replay: the tones of a plan, computed as somebody's code does. */
#include "py_core.h"

static void destroy(void *replay)
{
    sinpos_replay_destroy(replay);
}

static PyObject *replay_new(PyTypeObject *type, PyObject *args, PyObject *keywords)
{
    PyObject *plan_argument;
    const char *arithmetic;
    sinpos_replay *replay = NULL;
    (void)keywords;
    if (!PyArg_ParseTuple(args, "Os:Replay", &plan_argument, &arithmetic))
        return NULL;
    const sinpos_plan *plan = plan_of(PyType_GetModuleState(type), plan_argument);
    if (plan == NULL)
        return NULL;
    PyThreadState *held = PyEval_SaveThread();
    const sinpos_status status = sinpos_replay_create(&replay, plan, arithmetic);
    PyEval_RestoreThread(held);
    if (status != SINPOS_OK) {
        return status == SINPOS_E_NAME
                   ? raise_words(status, "there is no arithmetic of that name", "sinpos.arithmetics() lists them")
                   : raise_status(status);
    }
    return holder_new((PyObject *)type, replay, destroy, plan_argument);
}

static sinpos_status replay_work(const void *object, int operation, const sinpos_rows *rows, sinpos_type type,
                                 void *out, size_t ld_out, size_t n_threads)
{
    return sinpos_replay_run(object, (sinpos_operation)operation, rows, type, out, ld_out, n_threads);
}

static row_job replay_job(PyObject *self, rows_work *work)
{
    const sinpos_plan *plan = held_by(((holder *)self)->owner);
    return (row_job){
        .work = work, .object = held_by(self), .dim = sinpos_plan_dim(plan), .n_axes = sinpos_plan_axes(plan)};
}

static PyObject *replay_run(PyObject *self, PyObject *const *args, Py_ssize_t n)
{
    const row_job job = replay_job(self, replay_work);
    return run_method(&job, args, n);
}

static sinpos_status rotate_heads(const void *object, int direction, const sinpos_rows *rows, sinpos_type type, void *x,
                                  size_t ld_row, size_t n_threads)
{
    const rotation *r = object;
    return sinpos_replay_rotate(r->object, rows, (sinpos_direction)direction, r->n_heads, type, x, ld_row, r->ld_head,
                                n_threads);
}

static PyObject *replay_rotate(PyObject *self, PyObject *const *args, Py_ssize_t n)
{
    const row_job job = replay_job(self, rotate_heads);
    return rotate_method(&job, args, n);
}

static PyMethodDef replay_methods[] = {
    {"run", (PyCFunction)(void (*)(void))replay_run, METH_FASTCALL,
     "run(operation, out, positions, threads=0)\n\nsinpos_replay_run() on every (n, dim) block of out."},
    {"rotate", (PyCFunction)(void (*)(void))replay_rotate, METH_FASTCALL,
     "rotate(x, positions, direction, row_axis, threads=0)\n\nsinpos_replay_rotate() on every block of x."},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot replay_slots[] = {
    {Py_tp_new, (void *)replay_new},
    {Py_tp_dealloc, (void *)holder_dealloc},
    {Py_tp_methods, replay_methods},
    {Py_tp_doc, (void *)"Replay(plan, arithmetic)\n\nA sinpos_replay. Immutable; threads may share it."},
    {0, NULL},
};

PyType_Spec replay_type_spec = {
    .name = "sinpos._core.Replay",
    .basicsize = sizeof(holder),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE,
    .slots = replay_slots,
};
