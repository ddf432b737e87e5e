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

static PyObject *claim_tuple(const void *nothing, size_t k)
{
    const sinpos_claim *c = sinpos_claim_at(k);
    (void)nothing;
    return Py_BuildValue("sNsssNN", c->id, PyBool_FromLong(c->must_hold), c->statement, c->measure, c->explain,
                         number_or_none(c->threshold), PyBool_FromLong(c->takes_words));
}

PyObject *core_claims(PyObject *module, PyObject *nothing)
{
    (void)module;
    (void)nothing;
    return list_of(claim_tuple, NULL, count_claims());
}

static PyObject *details_dict(const sinpos_claim_result *r)
{
    PyObject *dict = PyDict_New();
    for (size_t k = 0; dict != NULL && k < r->n_details; k++)
        if (!dict_put(dict, r->details[k].name, PyFloat_FromDouble(r->details[k].value)))
            Py_CLEAR(dict);
    return dict;
}

static PyObject *result_tuple(const void *results, size_t k)
{
    const sinpos_claim_result *r = (const sinpos_claim_result *)results + k;
    return Py_BuildValue("sddssNNsnn", r->claim->id, r->value, r->threshold, sinpos_verdict_name(r->verdict), r->why,
                         PyBool_FromLong(r->claim->must_hold), details_dict(r), sinpos_threshold_origin_name(r->origin),
                         (Py_ssize_t)r->n_rows, (Py_ssize_t)r->n_columns);
}

/* Indices of claims, int64; None: all n of them. */
static bool take_which(array *which, PyObject *object, size_t *n)
{
    bool is_integer = true;
    *n = count_claims();
    if (object != Py_None && !array_take_numbers(which, object, &is_integer, n))
        return false;
    if (!is_integer)
        PyErr_SetString(PyExc_TypeError, "claims must be given as integers");
    return is_integer;
}

/* None, or rows of as many columns as the plan has; `what` they must be. False with the exception set. */
static bool take_rows(array *rows, PyObject *object, const sinpos_check_input *input, bool are_words, size_t *ld)
{
    const size_t dim = sinpos_plan_dim(input->plan);
    if (object == Py_None)
        return true;
    if (!array_take(rows, object, false))
        return false;
    if (rows->view.ndim != 2 || (size_t)rows->view.shape[1] != dim ||
        (are_words && (rows->type != SINPOS_F64 || rows->view.shape[0] < 2))) {
        PyErr_Format(PyExc_ValueError,
                     are_words ? "words must have shape (n, %zu), with n of 2 or more"
                               : "the table must have shape (n, %zu)",
                     dim);
        return false;
    }
    return stride_elements(rows, 0, ld);
}

/* The rows that are judged, with their own type, and float64 embeddings of words. */
static bool take_arrays(array *table, PyObject *table_object, array *words, PyObject *words_object,
                        sinpos_check_input *input)
{
    if (!take_rows(table, table_object, input, false, &input->ld_table) ||
        !take_rows(words, words_object, input, true, &input->ld_words))
        return false;
    if (table->is_held) {
        input->n = (size_t)table->view.shape[0];
        input->type = table->type;
        input->table = table->view.buf;
    }
    if (words->is_held) {
        input->words = words->view.buf;
        input->n_words = (size_t)words->view.shape[0];
    }
    return true;
}

/* A number, or NaN for the claim's own, of each claim; None: no thresholds. */
static bool take_thresholds(array *thresholds, PyObject *object, sinpos_check_input *input)
{
    if (object == Py_None)
        return true;
    if (!array_take_doubles(thresholds, object, false, &input->n_thresholds))
        return false;
    if (input->n_thresholds != count_claims()) {
        PyErr_SetString(PyExc_ValueError, "there must be one threshold for each claim");
        return false;
    }
    input->thresholds = thresholds->view.buf;
    return true;
}

static PyObject *check_all(const sinpos_check_input *input, const size_t *which, size_t n, PyObject *callable)
{
    OWNED sinpos_claim_result *results = calloc(n + 1, sizeof *results);
    watch w;
    if (results == NULL)
        return PyErr_NoMemory();
    watch_begin(&w, callable);
    const sinpos_status status = sinpos_check(input, which, n, results, NULL, watch_progress, &w);
    watch_end(&w);
    return status == SINPOS_OK ? list_of(result_tuple, results, n) : raise_status(status);
}

PyObject *core_check(PyObject *module, PyObject *args)
{
    PyObject *plan, *table_object, *which_object, *callable, *threshold_object, *words_object, *result = NULL;
    long long first;
    unsigned long long seed;
    Py_ssize_t n, n_threads;
    size_t n_which;
    int type;
    RELEASED_BY(array_release) array table = {0}, words = {0}, thresholds = {0}, which = {0};
    if (!PyArg_ParseTuple(args, "OLniOOKnOOO:check", &plan, &first, &n, &type, &table_object, &which_object, &seed,
                          &n_threads, &callable, &threshold_object, &words_object))
        return NULL;
    sinpos_check_input input = {.plan = plan_of(PyModule_GetState(module), plan),
                                .first = first,
                                .n = n < 0 ? 0 : (size_t)n,
                                .type = (sinpos_type)type,
                                .seed = seed,
                                .n_threads = n_threads < 0 ? 2000 : (size_t)n_threads};
    if (input.plan != NULL && take_which(&which, which_object, &n_which) &&
        take_arrays(&table, table_object, &words, words_object, &input) &&
        take_thresholds(&thresholds, threshold_object, &input))
        result = check_all(&input, which.view.buf, n_which, callable);
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

PyObject *core_base(PyObject *module, PyObject *args)
{
    Py_ssize_t context, n_tones, n_threads;
    sinpos_base_query query = {0};
    RELEASED_BY(sinpos_base_free) sinpos_base_certificate certificate = {0};
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
    return status == SINPOS_OK ? certificate_dict(&certificate, is_checked, &verdict) : raise_status(status);
}
