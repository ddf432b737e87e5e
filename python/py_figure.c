/* The figures of the command line as dicts: numbers, and how they are to be drawn. */
#include "catalogue.h"
#include "colour_maps.h"
#include "py_analysis.h"
#include "spec_of_plan.h"

#include <stdlib.h>

enum { ROWS_MOST = 1 << 22 };

static PyObject *entry_tuple(const void *nothing, size_t k)
{
    const struct figure_entry *entry = &figure_catalogue[k];
    (void)nothing;
    return Py_BuildValue("ssnnzn", entry->name, entry->summary, (Py_ssize_t)entry->dim, (Py_ssize_t)entry->length,
                         entry->offsets, (Py_ssize_t)entry->context);
}

PyObject *core_figures(PyObject *module, PyObject *nothing)
{
    (void)module;
    (void)nothing;
    return list_of(entry_tuple, NULL, figure_catalogue_n);
}

static PyObject *colour_text(const void *colours, size_t k)
{
    return PyUnicode_FromFormat("#%06x", ((const unsigned *)colours)[k]);
}

PyObject *core_colours(PyObject *module, PyObject *nothing)
{
    (void)module;
    (void)nothing;
    return Py_BuildValue(
        "{s:N,s:N,s:N}", "lines", list_of(colour_text, line_colours, sizeof line_colours / sizeof line_colours[0]),
        "diverging", list_of(colour_text, map_diverging, sizeof map_diverging / sizeof map_diverging[0]), "sequential",
        list_of(colour_text, map_sequential, sizeof map_sequential / sizeof map_sequential[0]));
}

/* ------------------------------------------------------------------------------------------------ as a dict */

static PyObject *doubles(const double *values, size_t n)
{
    return PyBytes_FromStringAndSize((const char *)values, (Py_ssize_t)(n * sizeof *values));
}

static PyObject *axis_dict(const struct figure_axis *axis)
{
    return Py_BuildValue("{s:s,s:s,s:N,s:N,s:N}", "label", axis->label, "name", axis->name, "is_log",
                         PyBool_FromLong(axis->is_log), "is_whole", PyBool_FromLong(axis->is_whole), "is_reversed",
                         PyBool_FromLong(axis->is_reversed));
}

static PyObject *column_tuple(const void *context, size_t k)
{
    const struct figure *figure = context;
    return Py_BuildValue("sN", figure->columns[k].name, doubles(figure->columns[k].values, figure->n_rows));
}

static PyObject *series_tuple(const void *context, size_t k)
{
    const struct figure *figure = context;
    static const char *const styles[] = {"line", "dashed", "dotted", "sparse", "points", "line points", "band"};
    const struct figure_series *series = &figure->series[k];
    return Py_BuildValue("nssnnNN", (Py_ssize_t)series->column, series->label, styles[series->style],
                         (Py_ssize_t)series->colour, (Py_ssize_t)(series->every > 1 ? series->every : 1),
                         PyBool_FromLong(series->is_thick), PyBool_FromLong(series->is_steps));
}

static PyObject *mark_tuple(const void *context, size_t k)
{
    const struct figure *figure = context;
    static const char *const kinds[] = {"vertical", "horizontal", "point"};
    const struct figure_mark *mark = &figure->marks[k];
    return Py_BuildValue("sddsn", kinds[mark->kind], mark->x, mark->y, mark->label, (Py_ssize_t)mark->colour);
}

static PyObject *range_tuple(const struct figure *figure, void (*range)(const struct figure *, double *, double *))
{
    double low, high;
    range(figure, &low, &high);
    return Py_BuildValue("dd", low, high);
}

static PyObject *matrix_dict(const struct figure *figure)
{
    if (figure->kind != FIGURE_MATRIX)
        return Py_NewRef(Py_None);
    return Py_BuildValue("{s:N,s:N,s:N,s:s,s:s,s:d,s:d,s:N,s:N,s:N}", "row_at", doubles(figure->row_at, figure->n_rows),
                         "column_at", doubles(figure->column_at, figure->n_columns), "cells",
                         doubles(figure->cells, figure->n_rows * figure->n_columns), "label", figure->cells_label,
                         "map", figure->map == MAP_DIVERGING ? "diverging" : "sequential", "low", figure->cells_low,
                         "high", figure->cells_high, "is_square", PyBool_FromLong(figure->is_square), "rows_alternate",
                         PyBool_FromLong(figure->rows_alternate), "columns_alternate",
                         PyBool_FromLong(figure->columns_alternate));
}

static PyObject *figure_dict(const struct figure *figure)
{
    const bool is_matrix = figure->kind == FIGURE_MATRIX;
    const char *legend = figure->legend_below ? "below"
                         : figure->legend_low ? (figure->legend_left ? "lower left" : "lower right")
                                              : (figure->legend_left ? "upper left" : "upper right");
    return Py_BuildValue("{s:s,s:s,s:s,s:s,s:N,s:N,s:N,s:N,s:s,s:N,s:N,s:N,s:N}", "name", figure->name, "title",
                         figure->title, "subtitle", figure->subtitle, "note", figure->columns_note, "x",
                         axis_dict(&figure->x), "y", axis_dict(&figure->y), "x_range",
                         range_tuple(figure, figure_range_x), "y_range", range_tuple(figure, figure_range_y), "legend",
                         legend, "columns", list_of(column_tuple, figure, is_matrix ? 0 : figure->n_columns), "series",
                         list_of(series_tuple, figure, figure->n_series), "marks",
                         list_of(mark_tuple, figure, figure->n_marks), "matrix", matrix_dict(figure));
}

/* ------------------------------------------------------------------------------------------------ making */

/* Positions or offsets: n of them, and the same as doubles. */
typedef struct figure_rows {
    positions where;
    sinpos_rows rows;
    double *at;
} figure_rows;

static bool figure_rows_take(figure_rows *r, PyObject *object, size_t n)
{
    if (!positions_take(&r->where, object))
        return false;
    n = r->where.is_list ? r->where.n_items : n;
    if (n == 0 || n > ROWS_MOST) {
        PyErr_Format(PyExc_ValueError, n == 0 ? "there is nothing to draw" : "%zu positions are too many for a figure",
                     n);
        return false;
    }
    r->rows = positions_rows(&r->where, 0, n, 1);
    r->at = malloc(n * sizeof *r->at);
    if (r->at == NULL) {
        PyErr_NoMemory();
        return false;
    }
    for (size_t i = 0; i < n; i++) {
        r->at[i] = r->rows.reals != NULL      ? r->rows.reals[i]
                   : r->rows.integers != NULL ? (double)r->rows.integers[i]
                                              : (double)r->rows.first + (double)i;
    }
    const sinpos_status status = positions_check(&r->where, n);
    if (status != SINPOS_OK)
        raise_status(status);
    return status == SINPOS_OK;
}

static void figure_rows_release(figure_rows *r)
{
    positions_release(&r->where);
    free(r->at);
}

typedef struct figure_job {
    struct figure_request request;
    figure_rows rows, offsets;
    sinpos_spec spec;
    array theta, factor;
    double *listed; /* frequencies of a plan that no words say */
} figure_job;

/* The words that say what the plan is: given, or found. */
static bool job_spec(figure_job *job, PyObject *words)
{
    const sinpos_spec usual = SINPOS_SPEC_INIT;
    job->spec = usual;
    if (words != Py_None && !PyTuple_Check(words)) {
        PyErr_SetString(PyExc_TypeError, "the words of a plan must be a tuple, or None");
        return false;
    }
    if (words != Py_None) {
        sinpos_error error = SINPOS_ERROR_INIT;
        job->request.is_exact = true;
        if (!spec_parse(words, &job->spec, &job->theta, &job->factor))
            return false;
        const sinpos_status status = sinpos_spec_check(&job->spec, &error);
        if (status != SINPOS_OK || job->spec.dim != sinpos_plan_dim(job->request.plan)) {
            raise_words(status != SINPOS_OK ? status : SINPOS_E_SPEC,
                        status != SINPOS_OK ? error.message : "the words of a plan are those of another", NULL);
            return false;
        }
        return true;
    }
    if (!spec_of_plan(job->request.plan, &job->spec, &job->listed, &job->request.is_exact)) {
        PyErr_NoMemory();
        return false;
    }
    return true;
}

static PyObject *job_run(figure_job *job, const struct figure_entry *entry, PyObject *callable)
{
    RELEASED_BY(figure_free) struct figure figure = {0};
    watch w;
    job->request.spec = &job->spec;
    job->request.rows = &job->rows.rows;
    job->request.positions = job->rows.at;
    job->request.offsets = &job->offsets.rows;
    job->request.offset_at = job->offsets.at;
    job->request.progress = watch_progress;
    job->request.progress_context = &w;
    watch_begin(&w, callable);
    const sinpos_status status = figure_make(&figure, entry, &job->request);
    watch_end(&w);
    if (status != SINPOS_OK) {
        if (status == SINPOS_E_UNSUPPORTED && !PyErr_Occurred()) /* by this build: a library is absent */
            PyErr_SetString(PyExc_NotImplementedError, figure.why);
        return PyErr_Occurred() ? NULL : raise_words(status, figure.why, NULL);
    }
    return figure_dict(&figure);
}

PyObject *core_figure(PyObject *module, PyObject *args)
{
    const char *name, *convention;
    PyObject *plan, *words, *rows, *offsets, *callable, *result = NULL;
    Py_ssize_t n, n_offsets, context, n_threads;
    figure_job job = {0};
    if (!PyArg_ParseTuple(args, "sOOznOdnOnnO:figure", &name, &plan, &words, &convention, &n, &rows, &job.request.step,
                          &n_offsets, &offsets, &context, &n_threads, &callable))
        return NULL;
    const struct figure_entry *entry = figure_find(name);
    if (entry == NULL || n < 0 || n_offsets < 0 || context < 0 || n_threads < 0 || n_threads > 1024) {
        PyErr_SetString(PyExc_ValueError, entry == NULL ? "no figure has this name"
                                                        : "length, context and threads must not be negative, and at "
                                                          "most 1024 threads");
        return NULL;
    }
    job.request.name = convention;
    job.request.context = (size_t)context;
    job.request.threads = (size_t)n_threads;
    job.request.plan = plan_of(PyModule_GetState(module), plan);
    if (job.request.plan != NULL && job_spec(&job, words) && figure_rows_take(&job.rows, rows, (size_t)n) &&
        figure_rows_take(&job.offsets, offsets, (size_t)n_offsets))
        result = job_run(&job, entry, callable);
    figure_rows_release(&job.rows);
    figure_rows_release(&job.offsets);
    array_release(&job.theta);
    array_release(&job.factor);
    free(job.listed);
    return result;
}
