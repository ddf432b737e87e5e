/* sinpos._core.Replay: the tones of a plan, computed as somebody's code does. */
#include "py_rotate.h"

typedef struct replay_object {
    PyObject_HEAD sinpos_replay *replay;
    size_t dim, n_axes;
} replay_object;

static void replay_dealloc(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    sinpos_replay_destroy(((replay_object *)self)->replay);
    ((freefunc)PyType_GetSlot(type, Py_tp_free))(self);
    Py_DECREF(type);
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
    replay_object *object = (replay_object *)((allocfunc)PyType_GetSlot(type, Py_tp_alloc))(type, 0);
    if (object == NULL) {
        sinpos_replay_destroy(replay);
        return NULL;
    }
    object->replay = replay;
    object->dim = sinpos_plan_dim(plan);
    object->n_axes = sinpos_plan_axes(plan);
    return (PyObject *)object;
}

static sinpos_status replay_work(const void *object, int operation, const sinpos_rows *rows, sinpos_type type,
                                 void *out, size_t ld_out, size_t n_threads)
{
    return sinpos_replay_run(object, (sinpos_operation)operation, rows, type, out, ld_out, n_threads);
}

/* run(operation, out, positions, threads=0) */
static PyObject *replay_run(PyObject *self, PyObject *const *args, Py_ssize_t n)
{
    const replay_object *object = (replay_object *)self;
    int64_t operation;
    if (!count_is(n, 3, 4, "run") || !integer_of(args[0], &operation))
        return NULL;
    operation = operation < 0 || operation > 3 ? 99 : operation;
    const row_job job = {.work = replay_work,
                         .object = object->replay,
                         .operation = (int)operation,
                         .dim = object->dim,
                         .n_axes = object->n_axes};
    return run_on_blocks(&job, args + 1, n - 1);
}

static sinpos_status rotate_part(const void *replay, const rotation *r, const rotation_part *part)
{
    const sinpos_rows rows = rotation_rows(r, part);
    return sinpos_replay_rotate(replay, &rows, r->direction, part->n_heads, r->x.type, part->at, r->ld_row, r->ld_head,
                                part->n_threads);
}

/* rotate(x, positions, direction, row_axis, threads=0) */
static PyObject *replay_rotate(PyObject *self, PyObject *const *args, Py_ssize_t n)
{
    const replay_object *object = (replay_object *)self;
    return rotate_rows(rotate_part, object->replay, object->dim, object->n_axes, args, n);
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
    {Py_tp_dealloc, (void *)replay_dealloc},
    {Py_tp_methods, replay_methods},
    {Py_tp_doc, (void *)"Replay(plan, arithmetic)\n\nA sinpos_replay. Immutable; threads may share it."},
    {0, NULL},
};

PyType_Spec replay_type_spec = {
    .name = "sinpos._core.Replay",
    .basicsize = sizeof(replay_object),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE,
    .slots = replay_slots,
};
