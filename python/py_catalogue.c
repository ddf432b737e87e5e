/* The catalogue of conventions and arithmetics as dicts. */
#include "convention_fields.h"
#include "nearest_convention.h"
#include "py_core.h"

static PyObject *parameter_tuple(const void *convention, size_t k)
{
    return Py_BuildValue("zzzz", sinpos_convention_parameter(convention, k, "name"),
                         sinpos_convention_parameter(convention, k, "default"),
                         sinpos_convention_parameter(convention, k, "role"),
                         sinpos_convention_parameter(convention, k, "meaning"));
}

/* The formulas that the convention states, by the names of their fields. */
static PyObject *formula_dict(const sinpos_convention *c)
{
    struct convention_field fields[CONVENTION_FIELDS];
    const size_t n = convention_fields(c, fields);
    PyObject *dict = PyDict_New();
    for (size_t k = 0; dict != NULL && k < n; k++)
        if (!dict_put(dict, fields[k].name, PyUnicode_FromString(fields[k].text)))
            Py_CLEAR(dict);
    return dict;
}

static const char *text_in(const sinpos_convention *c, const char *field)
{
    const char *text = sinpos_convention_text(c, field);
    return text == NULL ? "" : text;
}

static PyObject *convention_dict(const sinpos_convention *c)
{
    return Py_BuildValue("{s:s,s:s,s:s,s:s,s:s,s:s,s:s,s:s,s:z,s:i,s:N,s:N}", "name", sinpos_convention_name(c),
                         "aliases", text_in(c, "aliases"), "variants", text_in(c, "variants"), "summary",
                         text_in(c, "summary"), "repository", text_in(c, "repository"), "path", text_in(c, "path"),
                         "function", text_in(c, "function"), "weaknesses", text_in(c, "weaknesses"), "apart",
                         sinpos_convention_text(c, "apart"), "rows", (int)sinpos_convention_rows(c), "parameters",
                         list_of(parameter_tuple, c, sinpos_convention_parameters(c)), "formulas", formula_dict(c));
}

static PyObject *convention_item(const void *nothing, size_t k)
{
    (void)nothing;
    return convention_dict(sinpos_convention_at(k));
}

PyObject *core_conventions(PyObject *module, PyObject *nothing)
{
    (void)module;
    (void)nothing;
    return list_of(convention_item, NULL, sinpos_conventions_count());
}

PyObject *core_convention_find(PyObject *module, PyObject *name)
{
    const char *text = text_of(name, "convention");
    (void)module;
    if (text == NULL)
        return NULL;
    const sinpos_convention *c = sinpos_convention_find(text);
    return c == NULL ? Py_NewRef(Py_None) : convention_dict(c);
}

PyObject *core_convention_near(PyObject *module, PyObject *name)
{
    char near[NEAREST_CONVENTIONS_BYTES];
    const char *text = text_of(name, "convention");
    (void)module;
    if (text == NULL)
        return NULL;
    return nearest_conventions(text, near) ? PyUnicode_FromString(near) : Py_NewRef(Py_None);
}

static PyObject *arithmetic_tuple(const void *nothing, size_t k)
{
    const sinpos_arithmetic *a = sinpos_arithmetic_at(k);
    (void)nothing;
    return Py_BuildValue("zzz", sinpos_arithmetic_text(a, "name"), sinpos_arithmetic_text(a, "aliases"),
                         sinpos_arithmetic_text(a, "who"));
}

PyObject *core_arithmetics(PyObject *module, PyObject *nothing)
{
    (void)module;
    (void)nothing;
    return list_of(arithmetic_tuple, NULL, sinpos_arithmetics_count());
}
