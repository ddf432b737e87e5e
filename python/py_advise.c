/* What a context asks of a model's positions. */
#include "py_analysis.h"

#include <math.h>

#include "advice.h"
#include "model_config.h"
#include "parameter_list.h"

/* What the caller states, taken apart. */
typedef struct advised {
    struct advice_subject subject;
    config_value config, stated;
    struct parameter_list list;
} advised;

static PyObject *number_or_none(double number)
{
    return isfinite(number) ? PyFloat_FromDouble(number) : Py_NewRef(Py_None);
}

static PyObject *fact_tuple(const void *facts, size_t k)
{
    const struct advice_fact *fact = (const struct advice_fact *)facts + k;
    PyObject *values = PyDict_New();
    for (size_t i = 0; values != NULL && i < fact->n_values; i++)
        if (!dict_put(values, fact->values[i].name, number_or_none(fact->values[i].number)))
            Py_CLEAR(values);
    if (values == NULL)
        return NULL;
    return Py_BuildValue("sNNss", fact->id, number_or_none(fact->value), values, fact->sentence, fact->command);
}

/* The rules looked at the configuration before: what they refuse has been raised. */
static bool take_config(advised *a, PyObject *dict)
{
    struct model_config config;
    struct config_report report;
    if (!config_take(&a->config, dict))
        return false;
    a->subject.config = &a->config;
    int code = model_config_open(&config, &a->config, a->subject.layers, &report);
    if (code == CONFIG_DONE)
        code = parameter_list_config(&a->list, &config, sinpos_convention_find(a->subject.convention), false);
    if (code > 0)
        raise_words(SINPOS_E_VALUE, report.why, report.hint);
    if (code < 0)
        PyErr_NoMemory();
    return code == CONFIG_DONE;
}

static bool take_stated(advised *a, PyObject *dict)
{
    if (!config_take(&a->stated, dict))
        return false;
    for (size_t k = 0; k < a->stated.n; k++) {
        if (!parameter_list_add(&a->list, a->stated.names[k], a->stated.items[k])) {
            PyErr_NoMemory();
            return false;
        }
    }
    return true;
}

static PyObject *advise(advised *a, PyObject *callable)
{
    struct advice advice;
    sinpos_error error = SINPOS_ERROR_INIT;
    watch w;
    a->subject.parameters = a->subject.convention == NULL ? NULL : &a->list.object;
    a->subject.progress = watch_progress;
    a->subject.progress_context = &w;
    watch_begin(&w, callable);
    const sinpos_status status = advice_make(&advice, &a->subject, &error);
    watch_end(&w);
    PyObject *facts = NULL;
    if (status == SINPOS_OK)
        facts = list_of(fact_tuple, advice.facts, advice.n);
    else if (error.message[0] != '\0' && status != SINPOS_E_MEMORY)
        raise_error(&error);
    else
        raise_status(status);
    advice_free(&advice);
    return facts;
}

PyObject *core_advise(PyObject *module, PyObject *args)
{
    advised a = {.subject = {.more = ""}};
    PyObject *plan, *config, *stated, *callable, *facts = NULL;
    Py_ssize_t context, n_threads;
    core_state *state = PyModule_GetState(module);
    if (!PyArg_ParseTuple(args, "zOOOzzzsndnO:advise", &a.subject.convention, &plan, &config, &stated,
                          &a.subject.layers, &a.subject.words, &a.subject.path, &a.subject.more, &context,
                          &a.subject.trained, &n_threads, &callable))
        return NULL;
    a.subject.context = context < 0 ? 0 : (size_t)context;
    a.subject.n_threads = n_threads < 0 ? 2000 : (size_t)n_threads;
    const bool good = (plan == Py_None || (a.subject.plan = plan_of(state, plan)) != NULL) &&
                      (config == Py_None || take_config(&a, config)) && (stated == Py_None || take_stated(&a, stated));
    if (good)
        facts = advise(&a, callable);
    parameter_list_free(&a.list);
    config_free(&a.config);
    config_free(&a.stated);
    return facts;
}
