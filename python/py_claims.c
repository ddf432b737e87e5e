/* Claims of the literature, decided by rows; bases for a context. */
#include <math.h>

#include "py_analysis.h"

static size_t count_claims(void)
{
    size_t n = 0;
    while (sinpos_claim_at(n) != NULL)
        n++;
    return n;
}

static PyObject *number_or_none(double number)
{
    return isnan(number) ? Py_NewRef(Py_None) : PyFloat_FromDouble(number);
}

PyObject *core_claims(PyObject *module, PyObject *nothing)
{
    PyObject *list = PyList_New(0);
    (void)module;
    (void)nothing;
    for (size_t k = 0; list != NULL && k < count_claims(); k++) {
        const sinpos_claim *c = sinpos_claim_at(k);
        PyObject *item = Py_BuildValue("sNsssNN", c->id, PyBool_FromLong(c->must_hold), c->statement, c->measure,
                                       c->explain, number_or_none(c->threshold), PyBool_FromLong(c->takes_words));
        if (item == NULL || PyList_Append(list, item) != 0)
            Py_CLEAR(list);
        Py_XDECREF(item);
    }
    return list;
}

static PyObject *details_dict(const sinpos_claim_result *r)
{
    PyObject *dict = PyDict_New();
    for (size_t k = 0; dict != NULL && k < r->n_details; k++) {
        PyObject *value = PyFloat_FromDouble(r->details[k].value);
        if (value == NULL || PyDict_SetItemString(dict, r->details[k].name, value) != 0)
            Py_CLEAR(dict);
        Py_XDECREF(value);
    }
    return dict;
}

static PyObject *result_tuple(const sinpos_claim_result *r)
{
    return Py_BuildValue("sddssNNsnn", r->claim->id, r->value, r->threshold, sinpos_verdict_name(r->verdict), r->why,
                         PyBool_FromLong(r->claim->must_hold), details_dict(r), sinpos_threshold_origin_name(r->origin),
                         (Py_ssize_t)r->n_rows, (Py_ssize_t)r->n_columns);
}

static PyObject *result_list(const sinpos_claim_result *results, size_t n)
{
    PyObject *list = PyList_New(0);
    for (size_t k = 0; list != NULL && k < n; k++) {
        PyObject *item = result_tuple(&results[k]);
        if (item == NULL || PyList_Append(list, item) != 0)
            Py_CLEAR(list);
        Py_XDECREF(item);
    }
    return list;
}

/* Indices from a sequence of numbers; false with the exception set. */
static bool take_which(PyObject *list, size_t *which, size_t n)
{
    for (size_t k = 0; k < n; k++) {
        PyObject *item = PySequence_GetItem(list, (Py_ssize_t)k);
        const bool ok = item != NULL && size_of(item, "claim", &which[k]);
        Py_XDECREF(item);
        if (!ok)
            return false;
    }
    return true;
}

/* The rows that are judged: None, or (n, dim) with its own type. */
static bool take_table(array *table, PyObject *object, sinpos_check_input *input)
{
    size_t ld;
    if (object == Py_None)
        return true;
    if (!array_take(table, object, false))
        return false;
    if (table->view.ndim != 2 || (size_t)table->view.shape[1] != sinpos_plan_dim(input->plan)) {
        PyErr_Format(PyExc_ValueError, "the table must have shape (n, %zu)", sinpos_plan_dim(input->plan));
        return false;
    }
    if (!stride_elements(table, 0, &ld))
        return false;
    input->n = (size_t)table->view.shape[0];
    input->type = table->type;
    input->table = table->view.buf;
    input->ld_table = ld;
    return true;
}

/* Embeddings of words: None, or float64 (n, dim), contiguous. */
static bool take_words(array *words, PyObject *object, sinpos_check_input *input)
{
    if (object == Py_None)
        return true;
    if (!array_take(words, object, false))
        return false;
    if (words->view.ndim != 2 || words->type != SINPOS_F64 || words->view.shape[0] < 2 ||
        (size_t)words->view.shape[1] != sinpos_plan_dim(input->plan)) {
        PyErr_Format(PyExc_ValueError, "words must have shape (n, %zu), with n of 2 or more",
                     sinpos_plan_dim(input->plan));
        return false;
    }
    input->words = words->view.buf;
    input->n_words = (size_t)words->view.shape[0];
    return stride_elements(words, 0, &input->ld_words);
}

/* A number, or NaN for the claim's own, of each claim; None: no thresholds. */
static bool take_thresholds(PyObject *list, double *thresholds, sinpos_check_input *input)
{
    if (list == Py_None)
        return true;
    const Py_ssize_t n = PySequence_Size(list);
    if (n != (Py_ssize_t)count_claims()) {
        PyErr_SetString(PyExc_ValueError, "there must be one threshold for each claim");
        return false;
    }
    for (Py_ssize_t k = 0; k < n; k++) {
        PyObject *item = PySequence_GetItem(list, k);
        thresholds[k] = item == NULL ? -1 : PyFloat_AsDouble(item);
        Py_XDECREF(item);
        if (PyErr_Occurred() != NULL)
            return false;
    }
    input->thresholds = thresholds;
    input->n_thresholds = (size_t)n;
    return true;
}

/* check(plan, first, n, type, table, which, seed, threads, progress, thresholds, words) */
PyObject *core_check(PyObject *module, PyObject *args)
{
    PyObject *plan, *table_object, *which_object, *callable, *threshold_list, *words_object, *result = NULL;
    long long first;
    unsigned long long seed;
    Py_ssize_t n, n_threads;
    int type;
    array table = {0}, words = {0};
    watch w;
    if (!PyArg_ParseTuple(args, "OLniOOKnOOO:check", &plan, &first, &n, &type, &table_object, &which_object, &seed,
                          &n_threads, &callable, &threshold_list, &words_object))
        return NULL;
    sinpos_check_input input = {.plan = plan_of(core_state_of(module), plan),
                                .first = first,
                                .n = n < 0 ? 0 : (size_t)n,
                                .type = (sinpos_type)type,
                                .seed = seed,
                                .n_threads = n_threads < 0 ? 2000 : (size_t)n_threads};
    if (input.plan == NULL)
        return NULL;
    const Py_ssize_t n_which = which_object == Py_None ? (Py_ssize_t)count_claims() : PySequence_Size(which_object);
    size_t *which = PyMem_Calloc((size_t)(n_which < 0 ? 0 : n_which) + 1, sizeof *which);
    sinpos_claim_result *results = PyMem_Calloc((size_t)(n_which < 0 ? 0 : n_which) + 1, sizeof *results);
    double *thresholds = PyMem_Calloc(count_claims(), sizeof *thresholds);
    if (which == NULL || results == NULL || thresholds == NULL) {
        PyErr_NoMemory();
    } else if (n_which >= 0 && take_table(&table, table_object, &input) && take_words(&words, words_object, &input) &&
               take_thresholds(threshold_list, thresholds, &input) &&
               (which_object == Py_None || take_which(which_object, which, (size_t)n_which))) {
        watch_begin(&w, callable);
        const sinpos_status status = sinpos_check(&input, which_object == Py_None ? NULL : which, (size_t)n_which,
                                                  results, NULL, watch_progress, &w);
        watch_end(&w);
        result = status == SINPOS_OK ? result_list(results, (size_t)n_which) : raise_status(status);
    }
    PyMem_Free(which);
    PyMem_Free(results);
    PyMem_Free(thresholds);
    array_release(&table);
    array_release(&words);
    return result;
}

/* ------------------------------------------------------------------------------------------------ bases */

static const char *outcome_name(sinpos_base_outcome outcome)
{
    switch (outcome) {
    case SINPOS_BASE_FOUND: return "found";
    case SINPOS_BASE_ANY: return "any";
    case SINPOS_BASE_NONE: return "none";
    case SINPOS_BASE_GAP: return "gap";
    case SINPOS_BASE_OPEN: break;
    }
    return "open";
}

static PyObject *certificate_dict(const sinpos_base_certificate *c, bool is_checked, const sinpos_base_verdict *verdict)
{
    return Py_BuildValue("{s:s,s:d,s:d,s:L,s:d,s:d,s:L,s:n,s:N,s:s,s:N}", "outcome", outcome_name(c->outcome),
                         "base_lower", c->base_lower, "base_upper", c->base_upper, "violated_at",
                         (long long)c->violated_at, "robust_base", c->robust.upper, "robust_fails", c->robust.lower,
                         "robust_violated_at", (long long)c->robust.offset, "steps", (Py_ssize_t)c->n_steps, "proved",
                         PyBool_FromLong(is_checked && verdict->holds), "why",
                         is_checked && !verdict->holds ? verdict->why : "", "robust_proved",
                         PyBool_FromLong(is_checked && verdict->holds && verdict->robust));
}

/* Search, robust base, proof; without FLINT there is no proof, and that is not an error. */
static sinpos_status settle(sinpos_base_certificate *c, bool wants_robust, sinpos_base_verdict *verdict,
                            bool *is_checked, size_t n_threads, watch *w)
{
    sinpos_status status = sinpos_base_search(c, n_threads, watch_progress, w);
    if (status == SINPOS_OK && wants_robust)
        status = sinpos_base_robust_find(c, (uint64_t)1 << 22, n_threads, watch_progress, w);
    if (status == SINPOS_OK) {
        status = sinpos_base_verify(c, wants_robust, verdict, n_threads, watch_progress, w);
        *is_checked = status == SINPOS_OK;
        status = status == SINPOS_E_UNSUPPORTED ? SINPOS_OK : status;
    }
    return status;
}

/* base(context, n_tones, shift, divisor, scale, constant, robust, threads, progress) */
PyObject *core_base(PyObject *module, PyObject *args)
{
    Py_ssize_t context, n_tones, n_threads;
    sinpos_base_query query = {0};
    sinpos_base_certificate certificate = {0};
    sinpos_base_verdict verdict = {0};
    PyObject *callable;
    int wants_robust;
    bool is_checked = false;
    watch w;
    (void)module;
    if (!PyArg_ParseTuple(args, "nnddddpnO:base", &context, &n_tones, &query.shift, &query.divisor, &query.scale,
                          &query.constant, &wants_robust, &n_threads, &callable))
        return NULL;
    query.context = context < 0 ? 0 : (size_t)context;
    query.n_tones = n_tones < 0 ? 0 : (size_t)n_tones;
    sinpos_status status = sinpos_base_begin(&certificate, &query);
    if (status != SINPOS_OK) {
        return raise_words(status,
                           "context must be 1 to 2^26, dim 2 to 65536; shift must be 0 or more, divisor above 0, scale "
                           "above 0 and at most 1e6",
                           NULL);
    }
    watch_begin(&w, callable);
    status = settle(&certificate, wants_robust, &verdict, &is_checked, n_threads < 0 ? 2000 : (size_t)n_threads, &w);
    watch_end(&w);
    PyObject *result =
        status == SINPOS_OK ? certificate_dict(&certificate, is_checked, &verdict) : raise_status(status);
    sinpos_base_free(&certificate);
    return result;
}
