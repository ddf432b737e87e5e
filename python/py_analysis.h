/* py_analysis.h - the functions of sinpos._core over the second library. */
#pragma once

#include "config_value.h"
#include "py_core.h"
#include "sinpos_analysis.h"

/* Long work asks now and then whether it is to stop: signals, and a callable of the caller. */
typedef struct watch {
    PyThreadState *held;
    PyObject *callable; /* NULL or None: none */
} watch;

void watch_begin(watch *w, PyObject *callable); /* gives the GIL up */
void watch_end(watch *w);
int watch_progress(void *context, double done);

extern PyType_Spec identity_type_spec;

PyObject *core_kernel_values(PyObject *module, PyObject *const *args, Py_ssize_t n);
PyObject *core_distance_values(PyObject *module, PyObject *const *args, Py_ssize_t n);
PyObject *core_distance_matrix(PyObject *module, PyObject *const *args, Py_ssize_t n);
PyObject *core_kernel_first_negative(PyObject *module, PyObject *const *args, Py_ssize_t n);
PyObject *core_separation(PyObject *module, PyObject *const *args, Py_ssize_t n);
PyObject *core_separation_rounded(PyObject *module, PyObject *const *args, Py_ssize_t n);
PyObject *core_collisions(PyObject *module, PyObject *const *args, Py_ssize_t n);
PyObject *core_check(PyObject *module, PyObject *args);
PyObject *core_claims(PyObject *module, PyObject *nothing);
PyObject *core_base(PyObject *module, PyObject *args);
PyObject *core_identify(PyObject *module, PyObject *const *args, Py_ssize_t n);
PyObject *core_identify_frequencies(PyObject *module, PyObject *const *args, Py_ssize_t n);
/* A tree of dicts, lists, numbers and texts, to be freed either way; False with the exception set. */
bool config_take(config_value *value, PyObject *object);
PyObject *core_advise(PyObject *module, PyObject *args);
PyObject *core_diff(PyObject *module, PyObject *const *args, Py_ssize_t n);
PyObject *core_diff_rotated(PyObject *module, PyObject *const *args, Py_ssize_t n);
PyObject *core_figures(PyObject *module, PyObject *nothing);
PyObject *core_colours(PyObject *module, PyObject *nothing);
PyObject *core_figure(PyObject *module, PyObject *args);
