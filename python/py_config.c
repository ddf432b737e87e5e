/* What the configuration of a model states: a dict to the rules of ../models, and their answer back. */
#include "py_analysis.h"

#include <string.h>

#include "model_config.h"

/* ------------------------------------------------------------------------------------------------ dicts as trees */

/* Nothing here runs code of the caller's, which could change the dict. */

static bool put_value(config_value *value, PyObject *object, int depth);

static bool no_memory(void)
{
    PyErr_NoMemory();
    return false;
}

/* Text that C cannot hold is nothing that rules read. */
static const char *plain_text(PyObject *object)
{
    Py_ssize_t n = 0;
    const char *text = PyUnicode_Check(object) ? PyUnicode_AsUTF8AndSize(object, &n) : NULL;
    PyErr_Clear();
    return text != NULL && strlen(text) == (size_t)n ? text : NULL;
}

static void put_integer(config_value *value, PyObject *object)
{
    int overflow = 0;
    const long long whole = PyLong_AsLongLongAndOverflow(object, &overflow);
    value->kind = CONFIG_NUMBER;
    value->number = (double)whole;
    value->is_rounded = overflow != 0 || value->number >= 0x1p63 || (long long)value->number != whole;
}

static bool put_list(config_value *value, PyObject *list, int depth)
{
    const bool is_list = PyList_Check(list);
    const Py_ssize_t n = is_list ? PyList_Size(list) : PyTuple_Size(list);
    bool ok = config_put_items(value, CONFIG_LIST, (size_t)n) || no_memory();
    for (Py_ssize_t i = 0; i < n && ok; i++)
        ok = put_value(&value->items[i], is_list ? PyList_GetItem(list, i) : PyTuple_GetItem(list, i), depth + 1);
    return ok;
}

static bool put_dict(config_value *value, PyObject *dict, int depth)
{
    PyObject *key, *item;
    Py_ssize_t at = 0;
    size_t i = 0;
    bool ok = config_put_items(value, CONFIG_OBJECT, (size_t)PyDict_Size(dict)) || no_memory();
    while (ok && i < value->n && PyDict_Next(dict, &at, &key, &item)) {
        const char *name = plain_text(key);
        ok = config_put_name(value, i, name == NULL ? "" : name) || no_memory();
        ok = ok && put_value(&value->items[i], item, depth + 1);
        i++;
    }
    return ok;
}

static bool put_value(config_value *value, PyObject *object, int depth)
{
    const char *text = plain_text(object);
    if (depth > CONFIG_DEPTH) {
        PyErr_SetString(PyExc_ValueError, "the configuration is nested too deep");
        return false;
    }
    if (text != NULL)
        return config_put_text(value, text) || no_memory();
    if (PyDict_Check(object))
        return put_dict(value, object, depth);
    if (PyList_Check(object) || PyTuple_Check(object))
        return put_list(value, object, depth);
    if (PyLong_Check(object) && !PyBool_Check(object)) {
        put_integer(value, object);
        return true;
    }
    value->kind = object == Py_None       ? CONFIG_NULL
                  : object == Py_True     ? CONFIG_TRUE
                  : object == Py_False    ? CONFIG_FALSE
                  : PyFloat_Check(object) ? CONFIG_NUMBER
                                          : CONFIG_OTHER;
    value->number = value->kind == CONFIG_NUMBER ? PyFloat_AsDouble(object) : 0;
    return true;
}

bool config_take(config_value *value, PyObject *object)
{
    return put_value(value, object, 0);
}

/* ------------------------------------------------------------------------------------------------ answers */

static PyObject *number_item(const void *items, size_t k)
{
    return PyFloat_FromDouble(config_number((const config_value *)items + k));
}

static PyObject *object_of(const config_value *value)
{
    switch (value->kind) {
    case CONFIG_FALSE:
    case CONFIG_TRUE: return PyBool_FromLong(value->kind == CONFIG_TRUE);
    case CONFIG_NUMBER: return PyFloat_FromDouble(value->number);
    case CONFIG_TEXT: return PyUnicode_FromString(value->text);
    case CONFIG_LIST: return list_of(number_item, value->items, value->n);
    default: return Py_NewRef(Py_None);
    }
}

/* CONFIG_DONE, or another with the report filled, or -1 with the exception set. */
static int put_parameters(PyObject *dict, const struct model_config *config, const char *name, bool has_width)
{
    const sinpos_convention *convention = sinpos_convention_find(name);
    const char *output = model_config_output(convention);
    int code = output == NULL || dict_put(dict, "output", PyUnicode_FromString(output)) ? CONFIG_DONE : -1;
    for (size_t k = 0; k < sinpos_convention_parameters(convention) && code == CONFIG_DONE; k++) {
        const char *own = sinpos_convention_parameter(convention, k, "name");
        config_value value = {.kind = CONFIG_NONE};
        code = model_config_is_second_base(convention, k) ? CONFIG_DONE
                                                          : model_config_parameter(config, own, has_width, &value);
        if (code == CONFIG_DONE && value.kind != CONFIG_NONE)
            code = dict_put(dict, own, object_of(&value)) ? CONFIG_DONE : -1;
    }
    return code;
}

/* Names from the configuration may be cut within a character. */
static PyObject *shown(const char *text)
{
    return PyUnicode_DecodeUTF8(text, (Py_ssize_t)strlen(text), "replace");
}

/* (convention, parameters, assumed, about, why, hint): why is empty where all went well. */
static PyObject *answer(const config_value *all, const char *layers, const char *given, bool is_strict, bool has_width)
{
    struct model_config config;
    struct config_report report;
    const char *convention = NULL;
    PyObject *dict = PyDict_New();
    int code = dict == NULL ? -1 : model_config_open(&config, all, layers, &report);
    code = code == CONFIG_DONE ? model_config_convention(&config, given, is_strict, &convention) : code;
    code = code == CONFIG_DONE ? put_parameters(dict, &config, convention, has_width) : code;
    if (code < 0) {
        Py_XDECREF(dict);
        return NULL;
    }
    return Py_BuildValue("(zNNNNN)", convention, dict, shown(report.assumed), shown(report.about), shown(report.why),
                         shown(report.hint));
}

PyObject *core_model_config(PyObject *module, PyObject *args)
{
    PyObject *dict, *result = NULL;
    const char *layers, *given;
    int is_strict, has_width;
    RELEASED_BY(config_free) config_value all = {.kind = CONFIG_NONE};
    (void)module;
    if (!PyArg_ParseTuple(args, "O!zzpp:model_config", &PyDict_Type, &dict, &layers, &given, &is_strict, &has_width))
        return NULL;
    if (config_take(&all, dict))
        result = answer(&all, layers, given, is_strict != 0, has_width != 0);
    return result;
}
