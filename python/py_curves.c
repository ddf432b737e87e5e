/* Curves over the offset, and how far apart positions are. */
#include "py_analysis.h"

/* ------------------------------------------------------------------------------------------------ long work */

void watch_begin(watch *w, PyObject *callable)
{
    w->callable = callable;
    w->held = PyEval_SaveThread();
}

void watch_end(watch *w)
{
    PyEval_RestoreThread(w->held);
}

int watch_progress(void *context, double done)
{
    watch *w = context;
    PyEval_RestoreThread(w->held);
    int stop = PyErr_CheckSignals() != 0;
    if (!stop && w->callable != NULL && w->callable != Py_None) {
        PyObject *answer = PyObject_CallFunction(w->callable, "d", done);
        stop = answer == NULL;
        Py_XDECREF(answer);
    }
    w->held = PyEval_SaveThread();
    return stop;
}

/* ------------------------------------------------------------------------------------------------ curves */

typedef sinpos_status curve(const sinpos_plan *plan, const sinpos_rows *offsets, double *values, size_t n_threads);

typedef struct curve_job {
    curve *values_of;
    const sinpos_plan *plan;
    const positions *where;
    double *out;
    size_t n_threads;
} curve_job;

static sinpos_status curve_piece(void *context, size_t first, size_t n)
{
    const curve_job *job = context;
    const sinpos_rows offsets = positions_rows(job->where, first, n, 1);
    return job->values_of(job->plan, &offsets, job->out + first, job->n_threads);
}

static sinpos_status curve_run(curve_job *job, size_t n)
{
    size_t n_tones = 0;
    sinpos_status status = n == 0 ? curve_piece(job, 0, 0) : sinpos_plan_tones(job->plan, NULL, 0, &n_tones);
    if (status == SINPOS_OK && n > first_piece(n_tones))
        status = positions_check(job->where, n);
    return status == SINPOS_OK ? run_pieces(curve_piece, job, n, n_tones) : status;
}

/* (plan, out, offsets, threads=0) */
static PyObject *run_curve(curve *values_of, PyObject *module, PyObject *const *args, Py_ssize_t n_args)
{
    RELEASED_BY(array_release) array out = {0};
    RELEASED_BY(positions_release) positions where = {0};
    size_t n = 0;
    curve_job job = {.values_of = values_of, .where = &where};
    job.plan = count_is(n_args, 3, 4, "curve") ? plan_of(PyModule_GetState(module), args[0]) : NULL;
    if (job.plan == NULL || !array_take_doubles(&out, args[1], true, &n) || !positions_take(&where, args[2]) ||
        (n_args == 4 && !threads_of(args[3], &job.n_threads)))
        return NULL;
    job.out = out.view.buf;
    return none_or_raise(where.is_list && where.n_items != n ? SINPOS_E_SHAPE : curve_run(&job, n));
}

PyObject *core_kernel_values(PyObject *module, PyObject *const *args, Py_ssize_t n)
{
    return run_curve(sinpos_kernel_values, module, args, n);
}

PyObject *core_distance_values(PyObject *module, PyObject *const *args, Py_ssize_t n)
{
    return run_curve(sinpos_distance_values, module, args, n);
}

typedef struct matrix_job {
    const sinpos_plan *plan;
    double *out;
    size_t n, ld, n_threads;
} matrix_job;

static sinpos_status matrix_piece(void *context, size_t first, size_t n)
{
    const matrix_job *job = context;
    return sinpos_distance_matrix(job->plan, first, n, job->n, job->out + first * job->ld, job->ld, job->n_threads);
}

PyObject *core_distance_matrix(PyObject *module, PyObject *const *args, Py_ssize_t n_args)
{
    RELEASED_BY(array_release) array out = {0};
    matrix_job job = {.n = 0};
    job.plan = count_is(n_args, 3, 3, "distance_matrix") ? plan_of(PyModule_GetState(module), args[0]) : NULL;
    if (job.plan == NULL || !array_take(&out, args[1], true) || !threads_of(args[2], &job.n_threads))
        return NULL;
    if (out.view.ndim != 2 || out.type != SINPOS_F64 || out.view.shape[0] != out.view.shape[1])
        return PyErr_Format(PyExc_ValueError, "the matrix must be float64, (n, n)");
    if (!stride_elements(&out, 0, &job.ld))
        return NULL;
    job.n = (size_t)out.view.shape[0];
    job.out = out.view.buf;
    return none_or_raise(job.n == 0 ? matrix_piece(&job, 0, 0) : run_pieces(matrix_piece, &job, job.n, job.n));
}

PyObject *core_kernel_first_negative(PyObject *module, PyObject *const *args, Py_ssize_t n)
{
    int64_t limit, offset = 0;
    size_t n_threads;
    double g = 0;
    watch w;
    const sinpos_plan *plan =
        count_is(n, 4, 4, "kernel_first_negative") ? plan_of(PyModule_GetState(module), args[0]) : NULL;
    if (plan == NULL || !integer_of(args[1], &limit) || !threads_of(args[2], &n_threads))
        return NULL;
    watch_begin(&w, args[3]);
    const sinpos_status status = sinpos_kernel_first_negative(plan, limit, &offset, &g, n_threads, watch_progress, &w);
    watch_end(&w);
    return status != SINPOS_OK ? raise_status(status)
           : offset == 0       ? Py_NewRef(Py_None)
                               : Py_BuildValue("Ld", (long long)offset, g);
}

/* ------------------------------------------------------------------------------------------------ separation */

static PyObject *near_tuple(const void *nears, size_t k)
{
    const sinpos_near *near = (const sinpos_near *)nears + k;
    return Py_BuildValue("dLLL", near->distance, (long long)near->offset, (long long)near->earlier,
                         (long long)near->later);
}

/* What is asked of consecutive rows. */
typedef struct row_range {
    const sinpos_plan *plan;
    int64_t first;
    size_t n, n_threads;
} row_range;

/* (plan, first, n, what is asked, threads, progress) */
static bool range_take(row_range *r, const char *function, PyObject *module, PyObject *const *args, Py_ssize_t n_args)
{
    r->plan = count_is(n_args, 6, 6, function) ? plan_of(PyModule_GetState(module), args[0]) : NULL;
    return r->plan != NULL && integer_of(args[1], &r->first) && size_of(args[2], "n", &r->n) &&
           threads_of(args[4], &r->n_threads);
}

#define MOST_NEAR 4096 /* the library refuses more before it writes any */

PyObject *core_separation(PyObject *module, PyObject *const *args, Py_ssize_t n_args)
{
    row_range r;
    size_t n_near;
    watch w;
    if (!range_take(&r, "separation", module, args, n_args) || !size_of(args[3], "count", &n_near))
        return NULL;
    OWNED sinpos_near *near = calloc(n_near <= MOST_NEAR ? n_near + 1 : 1, sizeof *near);
    if (near == NULL)
        return PyErr_NoMemory();
    watch_begin(&w, args[5]);
    const sinpos_status status =
        sinpos_separation(r.plan, r.first, r.n, near, &n_near, r.n_threads, watch_progress, &w);
    watch_end(&w);
    return status == SINPOS_OK ? list_of(near_tuple, near, n_near) : raise_status(status);
}

PyObject *core_separation_rounded(PyObject *module, PyObject *const *args, Py_ssize_t n_args)
{
    row_range r;
    sinpos_type type;
    sinpos_near near = {0};
    watch w;
    if (!range_take(&r, "separation_rounded", module, args, n_args) || !type_of(args[3], &type))
        return NULL;
    watch_begin(&w, args[5]);
    const sinpos_status status =
        sinpos_separation_rounded(r.plan, r.first, r.n, type, &near, r.n_threads, watch_progress, &w);
    watch_end(&w);
    return status == SINPOS_OK ? near_tuple(&near, 0) : raise_status(status);
}

PyObject *core_collisions(PyObject *module, PyObject *const *args, Py_ssize_t n_args)
{
    row_range r;
    sinpos_type type;
    sinpos_distinct distinct;
    sinpos_collisions_options options = SINPOS_COLLISIONS_OPTIONS_INIT;
    watch w;
    if (!range_take(&r, "collisions", module, args, n_args) || !type_of(args[3], &type))
        return NULL;
    options.n_threads = r.n_threads;
    options.progress = watch_progress;
    options.context = &w;
    watch_begin(&w, args[5]);
    const sinpos_status status = sinpos_collisions(r.plan, r.first, r.n, (unsigned)type, &options, &distinct);
    watch_end(&w);
    if (status != SINPOS_OK)
        return raise_status(status);
    return distinct.has_collision ? Py_BuildValue("KLL", (unsigned long long)distinct.n_distinct,
                                                  (long long)distinct.earlier, (long long)distinct.later)
                                  : Py_BuildValue("KOO", (unsigned long long)distinct.n_distinct, Py_None, Py_None);
}
