/* sinpos._core: the C library as Python objects over buffers. It uses only the public headers and does no mathematics. */
#include "py_analysis.h"

/* ------------------------------------------------------------------------------------------------ errors */

static PyObject *exception_of(sinpos_status status)
{
    switch (status) {
    case SINPOS_E_TYPE: return PyExc_TypeError;
    case SINPOS_E_RANGE:
    case SINPOS_E_OVERFLOW: return PyExc_OverflowError;
    case SINPOS_E_MEMORY: return PyExc_MemoryError;
    case SINPOS_E_STOPPED: return PyExc_KeyboardInterrupt;
    case SINPOS_E_FILE: return PyExc_OSError;
    case SINPOS_OK:
    case SINPOS_E_NULL:
    case SINPOS_E_SPEC:
    case SINPOS_E_SHAPE:
    case SINPOS_E_VALUE:
    case SINPOS_E_NAME:
    case SINPOS_E_AXES:
    case SINPOS_E_COLUMNS:
    case SINPOS_E_CAPACITY:
    case SINPOS_E_STRUCT:
    case SINPOS_E_UNSUPPORTED: break;
    }
    return PyExc_ValueError;
}

PyObject *raise_status(sinpos_status status)
{
    if (!PyErr_Occurred()) /* a signal's handler may have raised its own */
        PyErr_SetString(exception_of(status), sinpos_strerror(status));
    return NULL;
}

PyObject *raise_words(sinpos_status status, const char *message, const char *hint)
{
    if (message == NULL || message[0] == '\0')
        return raise_status(status);
    if (hint == NULL || hint[0] == '\0')
        PyErr_SetString(exception_of(status), message);
    else
        PyErr_Format(exception_of(status), "%s\nhint: %s", message, hint);
    return NULL;
}

/* The message for people; status, name and n_axes for programs. */
PyObject *raise_error(const sinpos_error *error)
{
    PyObject *of[3];
    static const char *const names[3] = {"status", "name", "n_axes"};
    raise_words(error->status, error->message, error->hint);
    PyObject *type, *raised, *trace;
    PyErr_Fetch(&type, &raised, &trace);
    PyErr_NormalizeException(&type, &raised, &trace);
    of[0] = PyLong_FromLong((long)error->status);
    of[1] = PyUnicode_FromString(error->name);
    of[2] = PyLong_FromSize_t(error->n_axes);
    bool ok = raised != NULL;
    for (int k = 0; k < 3; k++) {
        ok = ok && of[k] != NULL && PyObject_SetAttrString(raised, names[k], of[k]) == 0;
        Py_XDECREF(of[k]);
    }
    PyErr_Clear();
    PyErr_Restore(type, raised, trace);
    return NULL;
}

PyObject *none_or_raise(sinpos_status status)
{
    return status == SINPOS_OK ? Py_NewRef(Py_None) : raise_status(status);
}

/* ------------------------------------------------------------------------------------------------ functions */

static PyObject *core_isa(PyObject *module, PyObject *nothing)
{
    (void)module;
    (void)nothing;
    return PyUnicode_FromString(sinpos_isa());
}

static PyObject *core_isa_cap(PyObject *module, PyObject *name)
{
    const char *text = name == Py_None ? NULL : text_of(name, "isa");
    (void)module;
    return text == NULL && name != Py_None ? NULL : none_or_raise(sinpos_isa_cap(text));
}

static PyObject *core_strerror(PyObject *module, PyObject *number)
{
    int64_t value;
    (void)module;
    return integer_of(number, &value) ? PyUnicode_FromString(sinpos_strerror((sinpos_status)value)) : NULL;
}

static PyMethodDef core_functions[] = {
    {"isa", core_isa, METH_NOARGS,
     "isa()\n--\n\nThe instruction set in use: \"scalar\", \"avx2\", \"avx512\" or \"neon\". The bytes do not depend "
     "on it.\n\n"
     ">>> import sinpos\n>>> sinpos.isa() in (\"scalar\", \"avx2\", \"avx512\", \"neon\")\nTrue\n"},
    {"isa_cap", core_isa_cap, METH_O, "isa_cap(name)\n\nUse none better than this one; None lifts the cap."},
    {"strerror", core_strerror, METH_O, "strerror(status)\n\nThe library's words for a status."},
    {"conventions", core_conventions, METH_NOARGS, "conventions()\n\nA dict for each convention."},
    {"convention", core_convention_find, METH_O, "convention(name)\n\nThe dict of a name or alias, or None."},
    {"convention_near", core_convention_near, METH_O,
     "convention_near(name)\n\nNames that this one may have meant, or None."},
    {"model_config", core_model_config, METH_VARARGS,
     "model_config(config, layers, convention, strict, has_width)\n\nconvention, parameters, assumed, about, why, "
     "hint."},
    {"arithmetics", core_arithmetics, METH_NOARGS, "arithmetics()\n\nname, aliases, who of each arithmetic."},
    {"kernel_values", (PyCFunction)(void (*)(void))core_kernel_values, METH_FASTCALL,
     "kernel_values(plan, out, offsets, threads=0)\n\ng(k) into float64."},
    {"distance_values", (PyCFunction)(void (*)(void))core_distance_values, METH_FASTCALL,
     "distance_values(plan, out, offsets, threads=0)\n\nD(k) into float64."},
    {"distance_matrix", (PyCFunction)(void (*)(void))core_distance_matrix, METH_FASTCALL,
     "distance_matrix(plan, out, threads)\n\nDistances into float64 (n, n)."},
    {"kernel_first_negative", (PyCFunction)(void (*)(void))core_kernel_first_negative, METH_FASTCALL,
     "kernel_first_negative(plan, limit, threads, progress)\n\n(offset, g) or None."},
    {"separation", (PyCFunction)(void (*)(void))core_separation, METH_FASTCALL,
     "separation(plan, first, n, count, threads, progress)\n\nA list of (distance, offset, earlier, later)."},
    {"separation_rounded", (PyCFunction)(void (*)(void))core_separation_rounded, METH_FASTCALL,
     "separation_rounded(plan, first, n, type, threads, progress)\n\n(distance, offset, earlier, later)."},
    {"collisions", (PyCFunction)(void (*)(void))core_collisions, METH_FASTCALL,
     "collisions(plan, first, n, type, threads, progress)\n\n(distinct, earlier, later), the latter None where all "
     "differ."},
    {"check", (PyCFunction)(void (*)(void))core_check, METH_VARARGS,
     "check(plan, first, n, type, table, which, seed, threads, progress, thresholds, words)\n\nA tuple for each "
     "claim."},
    {"claims", (PyCFunction)(void (*)(void))core_claims, METH_NOARGS,
     "claims()\n\nid, must_hold, statement, measure, explain of each claim."},
    {"base", (PyCFunction)(void (*)(void))core_base, METH_VARARGS,
     "base(context, n_tones, shift, divisor, scale, constant, robust, threads, progress)\n\nA dict."},
    {"identify", (PyCFunction)(void (*)(void))core_identify, METH_FASTCALL,
     "identify(table, all, threads)\n\nThe Identity of a table (..., n, dim) in C order."},
    {"identify_frequencies", (PyCFunction)(void (*)(void))core_identify_frequencies, METH_FASTCALL,
     "identify_frequencies(list)\n\nThe formula of a list (n,), a dict; empty where there is none."},
    {"advise", core_advise, METH_VARARGS,
     "advise(convention, plan, config, stated, layers, words, path, more, context, trained, threads, progress)\n\nA "
     "list "
     "of (id, value, values, sentence, command)."},
    {"diff", (PyCFunction)(void (*)(void))core_diff, METH_FASTCALL,
     "diff(a, b, threads)\n\n(same, causes, elements, wrong, max_abs_error) of two tables in C order."},
    {"diff_rotated", (PyCFunction)(void (*)(void))core_diff_rotated, METH_FASTCALL,
     "diff_rotated(a, b, input, positions, heads, threads)\n\nThe same of rotated queries or keys; input may be None."},
    {"figures", core_figures, METH_NOARGS, "figures()\n\nname, summary, dim, length, offsets, context of each figure."},
    {"colours", core_colours, METH_NOARGS, "colours()\n\nThe colours of lines, and two maps."},
    {"figure", core_figure, METH_VARARGS,
     "figure(name, plan, words, convention, n, positions, step, n_offsets, offsets, context, threads, progress)\n\nA "
     "figure's numbers, and how they are to be drawn."},
    {NULL, NULL, 0, NULL},
};

/* ------------------------------------------------------------------------------------------------ the module */

static bool add_types(PyObject *module, core_state *state)
{
    static PyType_Spec *const specs[N_TYPES] = {&plan_type_spec, &named_type_spec, &replay_type_spec,
                                                &identity_type_spec, &factors_type_spec};
    for (size_t k = 0; k < N_TYPES; k++) {
        state->types[k] = PyType_FromModuleAndSpec(module, specs[k], NULL);
        if (state->types[k] == NULL || PyModule_AddType(module, (PyTypeObject *)state->types[k]) != 0)
            return false;
    }
    return true;
}

static bool add_number(PyObject *module, const char *name, long value)
{
    return PyModule_AddIntConstant(module, name, value) == 0;
}

static int core_exec(PyObject *module)
{
    const bool ok = add_types(module, PyModule_GetState(module)) &&
                    PyModule_AddStringConstant(module, "__version__", sinpos_version()) == 0 &&
                    add_number(module, "F64", SINPOS_F64) && add_number(module, "F32", SINPOS_F32) &&
                    add_number(module, "F16", SINPOS_F16) && add_number(module, "BF16", SINPOS_BF16) &&
                    add_number(module, "E_NAME", SINPOS_E_NAME) && add_number(module, "E_AXES", SINPOS_E_AXES) &&
                    add_number(module, "FILL", SINPOS_FILL) && add_number(module, "ADD", SINPOS_ADD) &&
                    add_number(module, "GRADIENT_POSITION", SINPOS_GRADIENT_POSITION) &&
                    add_number(module, "GRADIENT_THETA", SINPOS_GRADIENT_THETA) &&
                    add_number(module, "FORWARD", SINPOS_FORWARD) && add_number(module, "INVERSE", SINPOS_INVERSE) &&
                    add_number(module, "TRANSPOSE", SINPOS_TRANSPOSE);
    return ok ? 0 : -1;
}

static int core_traverse(PyObject *module, visitproc visit, void *arg)
{
    core_state *state = PyModule_GetState(module);
    for (size_t k = 0; state != NULL && k < N_TYPES; k++)
        Py_VISIT(state->types[k]);
    return 0;
}

static int core_clear(PyObject *module)
{
    core_state *state = PyModule_GetState(module);
    for (size_t k = 0; state != NULL && k < N_TYPES; k++)
        Py_CLEAR(state->types[k]);
    return 0;
}

static void core_free(void *module)
{
    core_clear(module);
}

static PyModuleDef_Slot core_slots[] = {
    {Py_mod_exec, (void *)core_exec},
    {0, NULL},
};

static struct PyModuleDef core_module = {
    PyModuleDef_HEAD_INIT,
    .m_name = "sinpos._core",
    .m_doc = "The C library behind sinpos: plans, named encodings and the work on buffers. Use the package, not this.",
    .m_size = sizeof(core_state),
    .m_methods = core_functions,
    .m_slots = core_slots,
    .m_traverse = core_traverse,
    .m_clear = core_clear,
    .m_free = core_free,
};

PyMODINIT_FUNC PyInit__core(void);

PyMODINIT_FUNC PyInit__core(void)
{
    return PyModuleDef_Init(&core_module);
}
