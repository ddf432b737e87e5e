/* diff() and diff_rotated() of sinpos._core: why two tables differ. */
#include "py_analysis.h"
#include "py_tables.h"

static PyObject *side_of(double number, const char *word)
{
    return word[0] != '\0'    ? PyUnicode_FromString(word)
           : number != number ? Py_NewRef(Py_None)
                              : PyFloat_FromDouble(number);
}

/* None where a column of B is none of A's. */
static PyObject *column(const void *columns, size_t k)
{
    const size_t c = ((const size_t *)columns)[k];
    return c == SINPOS_NONE ? Py_NewRef(Py_None) : PyLong_FromSize_t(c);
}

static PyObject *cause_tuple(const void *causes, size_t k)
{
    const sinpos_diff_cause *c = (const sinpos_diff_cause *)causes + k;
    return Py_BuildValue("(sNN(nn)Ns)", sinpos_diff_kind_name(c->kind), side_of(c->a, c->a_word),
                         side_of(c->b, c->b_word), (Py_ssize_t)c->first_row, (Py_ssize_t)c->last_row,
                         c->n_columns == 0 ? Py_NewRef(Py_None) : list_of(column, c->columns, c->n_columns), c->text);
}

static PyObject *difference_tuple(sinpos_difference *found)
{
    PyObject *tuple =
        Py_BuildValue("(NNKKd)", PyBool_FromLong(found->same), list_of(cause_tuple, found->causes, found->n_causes),
                      (unsigned long long)found->elements, (unsigned long long)found->wrong, found->max_abs_error);
    sinpos_difference_destroy(found);
    return tuple;
}

static bool is_table(const array *a)
{
    if (a->view.ndim >= 2 && PyBuffer_IsContiguous(&a->view, 'C'))
        return true;
    PyErr_SetString(PyExc_ValueError, "a table has two dimensions or more, in C order");
    return false;
}

PyObject *core_diff(PyObject *module, PyObject *const *args, Py_ssize_t n)
{
    array a = {0}, b = {0};
    size_t n_threads;
    PyObject *result = NULL;
    (void)module;
    if (count_is(n, 3, 3, "diff") && array_take(&a, args[0], false) && array_take(&b, args[1], false) &&
        threads_of(args[2], &n_threads) && is_table(&a) && is_table(&b)) {
        watched_table one, other;
        sinpos_difference *found = NULL;
        watch w;
        watch_begin(&w, NULL);
        const sinpos_status status =
            sinpos_diff(&found, watched_table_of(&one, &a, &w), watched_table_of(&other, &b, &w), n_threads);
        watch_end(&w);
        result = status == SINPOS_OK ? difference_tuple(found) : raise_status(status);
    }
    array_release(&a);
    array_release(&b);
    return result;
}

PyObject *core_diff_rotated(PyObject *module, PyObject *const *args, Py_ssize_t n)
{
    array a = {0}, b = {0}, input = {0};
    size_t n_threads, n_positions, n_heads;
    PyObject *result = NULL;
    (void)module;
    const bool has_input = n == 6 && args[2] != Py_None;
    if (count_is(n, 6, 6, "diff_rotated") && array_take(&a, args[0], false) && array_take(&b, args[1], false) &&
        (!has_input || array_take(&input, args[2], false)) && size_of(args[3], "positions", &n_positions) &&
        size_of(args[4], "heads", &n_heads) && threads_of(args[5], &n_threads) && is_table(&a) && is_table(&b) &&
        (!has_input || is_table(&input))) {
        watched_table one, other, before;
        sinpos_difference *found = NULL;
        watch w;
        watch_begin(&w, NULL);
        const sinpos_status status = sinpos_diff_rotated(
            &found, watched_table_of(&one, &a, &w), watched_table_of(&other, &b, &w),
            has_input ? watched_table_of(&before, &input, &w) : NULL, n_positions, n_heads, n_threads);
        watch_end(&w);
        result = status == SINPOS_OK ? difference_tuple(found) : raise_status(status);
    }
    array_release(&a);
    array_release(&b);
    array_release(&input);
    return result;
}
