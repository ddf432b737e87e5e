/* Objects that hold something of the C library; lists and dicts of what it says. */
#include "py_core.h"

PyObject *holder_new(PyObject *type, const void *held, release_held *release, PyObject *owner)
{
    allocfunc allocate = (allocfunc)PyType_GetSlot((PyTypeObject *)type, Py_tp_alloc);
    holder *object = (holder *)allocate((PyTypeObject *)type, 0);
    if (object == NULL) {
        if (release != NULL)
            release((void *)held);
        return NULL;
    }
    object->held = held;
    object->release = release;
    object->owner = Py_XNewRef(owner);
    return (PyObject *)object;
}

void holder_dealloc(PyObject *self)
{
    holder *object = (holder *)self;
    PyTypeObject *type = Py_TYPE(self);
    if (object->release != NULL)
        object->release((void *)object->held);
    Py_XDECREF(object->owner);
    ((freefunc)PyType_GetSlot(type, Py_tp_free))(self);
    Py_DECREF(type);
}

const void *held_by(PyObject *self)
{
    return ((holder *)self)->held;
}

/* ------------------------------------------------------------------------------------------------ lists, dicts */

PyObject *list_of(make_item *make, const void *context, size_t n)
{
    PyObject *list = PyList_New((Py_ssize_t)n);
    for (size_t k = 0; list != NULL && k < n; k++) {
        PyObject *item = make(context, k);
        if (item == NULL || PyList_SetItem(list, (Py_ssize_t)k, item) != 0)
            Py_CLEAR(list);
    }
    return list;
}

static PyObject *double_item(const void *values, size_t k)
{
    return PyFloat_FromDouble(((const double *)values)[k]);
}

PyObject *double_list(const double *values, size_t n)
{
    return list_of(double_item, values, n);
}

bool dict_put(PyObject *dict, const char *name, PyObject *value)
{
    const bool ok = dict != NULL && value != NULL && PyDict_SetItemString(dict, name, value) == 0;
    Py_XDECREF(value);
    return ok;
}
