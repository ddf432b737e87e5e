/*
 * Work on memory that the caller vouches for: sums and rotations from one contiguous array into another, of batches whose
 * rows share their positions, and factors of rows that are kept. For callers to whom the time of one row counts.
 */
#include "py_core.h"

#define MOST_HELD ((size_t)4096)       /* elements that are written with the GIL held: a few microseconds */
#define LEAST_SLICED ((size_t)4 << 20) /* bytes of sums that take a workspace */

typedef struct memory_job {
    const sinpos_plan *plan;       /* or */
    const sinpos_factors *factors; /* rows of these */
    bool rotates;
    sinpos_direction direction;
    sinpos_type type;
    sinpos_arrays arrays;
    size_t n;
    positions where;
} memory_job;

static sinpos_status run_rows(void *context, size_t first, size_t n)
{
    const memory_job *job = context;
    const size_t item = sinpos_type_bytes(job->type), copies = job->arrays.n_batches * job->arrays.n_heads;
    sinpos_arrays a = job->arrays;
    if (first > 0) {
        a.out = (char *)a.out + first * a.ld_row * item;
        a.in = a.in == NULL ? NULL : (const char *)a.in + first * a.in_ld_row * item;
    }
    a.n_threads = threads_for(a.n_threads, n * copies * sinpos_plan_dim(job->plan) * item);
    if (job->factors != NULL)
        return sinpos_factors_rotate(job->factors, first, n, &a);
    const sinpos_rows rows = positions_rows(&job->where, first, n, sinpos_plan_axes(job->plan));
    return job->rotates ? sinpos_rotate_arrays(job->plan, &rows, job->direction, job->type, &a)
                        : sinpos_run_arrays(job->plan, SINPOS_ADD, &rows, job->type, &a);
}

/* In pieces, with the GIL given back. What is beyond the caches is added to a batch at a time; without memory it is as right. */
static sinpos_status run_large(memory_job *job, size_t row_elements)
{
    const bool is_sum = job->factors == NULL && !job->rotates;
    const bool is_large = job->n > LEAST_SLICED / (row_elements * sinpos_type_bytes(job->type));
    sinpos_arrays *a = &job->arrays;
    if (is_sum && is_large)
        a->workspace_bytes = sinpos_workspace_bytes(job->plan, job->type, a->n_threads);
    if (a->workspace_bytes > 0)
        a->workspace = PyMem_Malloc(a->workspace_bytes);
    const sinpos_status status = run_pieces(run_rows, job, job->n, row_elements);
    PyMem_Free(a->workspace);
    return status;
}

static PyObject *run_memory(memory_job *job)
{
    const size_t row = job->arrays.n_batches * job->arrays.n_heads * sinpos_plan_dim(job->plan);
    if (row == 0 || job->n <= MOST_HELD / row)
        return none_or_raise(run_rows(job, 0, job->n));
    const sinpos_status status = job->factors != NULL ? SINPOS_OK : positions_check(&job->where, job->n);
    return none_or_raise(status == SINPOS_OK ? run_large(job, row) : status);
}

/* The blocks of an array as batches of heads: two strides at most, which reach beyond a block, or one within its rows. */
static bool batches_of(const block_job *job, sinpos_arrays *a)
{
    const size_t item = job->out->item, rows = (job->n - 1) * job->ld + job->rows->dim;
    size_t counts[2] = {1, 1}, strides[2] = {0, 0};
    int levels = 0;
    for (int k = job->b.n_axes; k-- > 0;) {
        const size_t stride = (size_t)job->b.strides[k] / item, inner = levels == 0 ? 0 : levels - 1;
        if (job->b.shape[k] == 1)
            continue;
        if (job->b.strides[k] < 0 || stride * item != (size_t)job->b.strides[k])
            return false;
        if (levels > 0 && stride == strides[inner] * counts[inner]) {
            counts[inner] *= job->b.shape[k];
            continue;
        }
        if (levels == 2 || (levels == 1 && stride < strides[0] * counts[0]))
            return false;
        counts[levels] = job->b.shape[k];
        strides[levels++] = stride;
    }
    const bool within = levels == 1 && strides[0] >= job->rows->dim && job->ld >= strides[0] * counts[0];
    a->n_heads = counts[0];
    a->ld_head = strides[0];
    a->n_batches = counts[1];
    a->ld_batch = strides[1];
    return within || strides[0] >= rows;
}

bool blocks_add(const block_job *job, sinpos_status *status)
{
    memory_job own = {.plan = job->rows->plan,
                      .type = job->out->type,
                      .arrays = SINPOS_ARRAYS_INIT,
                      .n = job->n,
                      .where = *job->where};
    if (own.plan == NULL || job->rows->operation != SINPOS_ADD || !job->is_shared || job->b.n < 2 ||
        !batches_of(job, &own.arrays))
        return false;
    own.arrays.out = job->b.at;
    own.arrays.ld_row = job->ld;
    own.arrays.n_threads = job->n_threads;
    *status = run_large(&own, job->b.n * job->rows->dim);
    return true;
}

/* An address; of an array that is empty it may be 0. */
static bool address_of(PyObject *object, void **address)
{
    *address = PyLong_AsVoidPtr(object);
    return !PyErr_Occurred();
}

/* kind 0: the first position; 1, 2: int64, float64 at an address. */
static bool positions_of(PyObject *kind, PyObject *value, size_t n, size_t n_axes, positions *where)
{
    int64_t k, first = 0;
    void *list = NULL;
    if (!integer_of(kind, &k) || !(k == 0 ? integer_of(value, &first) : address_of(value, &list)))
        return false;
    if (k < 0 || k > 2 || (k != 0 && list == NULL && n > 0)) {
        raise_status(k < 0 || k > 2 ? SINPOS_E_SHAPE : SINPOS_E_NULL);
        return false;
    }
    *where = (positions){
        .held.view.buf = list, .is_list = k != 0, .is_integer = k == 1, .first = first, .n_items = n * n_axes};
    return true;
}

/* Both arrays, contiguous: (batches, heads, n, width), or (batches, n, heads, width) where heads lie within rows. */
static bool arrays_of(PyObject *const *args, bool heads_within, memory_job *job, size_t width)
{
    sinpos_arrays *a = &job->arrays;
    void *in;
    *a = (sinpos_arrays)SINPOS_ARRAYS_INIT;
    if (!address_of(args[0], &a->out) || !address_of(args[1], &in) || !size_of(args[2], "batches", &a->n_batches) ||
        !size_of(args[3], "heads", &a->n_heads) || !size_of(args[4], "n", &job->n))
        return false;
    a->in = in == a->out ? NULL : in;
    a->width = width;
    a->ld_head = a->in_ld_head = heads_within ? width : job->n * width;
    a->ld_row = a->in_ld_row = heads_within ? a->n_heads * width : width;
    a->ld_batch = a->in_ld_batch = a->n_heads * job->n * width;
    return true;
}

/* Reads (out, x, batches, heads, n, width, axis), the row axis -2 or -3. */
static bool heads_of(PyObject *const *args, memory_job *job)
{
    size_t width;
    int64_t axis;
    if (!size_of(args[5], "width", &width) || !integer_of(args[6], &axis))
        return false;
    if (width < sinpos_plan_dim(job->plan) || (axis != -2 && axis != -3)) {
        raise_status(SINPOS_E_SHAPE);
        return false;
    }
    return arrays_of(args, axis == -3, job, width);
}

/* sum_at(type, out, x, batches, heads, n, width, axis, kind, positions, threads): out = x + encoding. */
PyObject *plan_sum_at(PyObject *self, PyObject *const *args, Py_ssize_t n_args)
{
    memory_job job = {.plan = held_by(self)};
    if (!count_is(n_args, 11, 11, "sum_at") || !type_of(args[0], &job.type) || !heads_of(args + 1, &job) ||
        !positions_of(args[8], args[9], job.n, sinpos_plan_axes(job.plan), &job.where) ||
        !threads_of(args[10], &job.arrays.n_threads))
        return NULL;
    return run_memory(&job);
}

/* rotate_at(type, out, x, batches, heads, n, width, axis, direction, kind, positions, threads) */
PyObject *plan_rotate_at(PyObject *self, PyObject *const *args, Py_ssize_t n_args)
{
    memory_job job = {.plan = held_by(self), .rotates = true};
    int direction;
    if (!count_is(n_args, 12, 12, "rotate_at") || !type_of(args[0], &job.type) || !heads_of(args + 1, &job) ||
        !choice_of(args[8], &direction) ||
        !positions_of(args[9], args[10], job.n, sinpos_plan_axes(job.plan), &job.where) ||
        !threads_of(args[11], &job.arrays.n_threads))
        return NULL;
    job.direction = (sinpos_direction)direction;
    return run_memory(&job);
}

/* ------------------------------------------------------------------------------------------------ factors */

typedef struct held_factors {
    sinpos_factors *factors;
    const sinpos_plan *plan; /* the owner's */
    sinpos_type type;
} held_factors;

static void destroy_factors(void *held)
{
    held_factors *f = held;
    sinpos_factors_destroy(f->factors);
    PyMem_Free(f);
}

/* factors(type, n, direction, kind, positions) */
PyObject *plan_factors(PyObject *self, PyObject *const *args, Py_ssize_t n_args)
{
    const sinpos_plan *plan = held_by(self);
    sinpos_type type;
    size_t n;
    int direction;
    positions where;
    if (!count_is(n_args, 5, 5, "factors") || !type_of(args[0], &type) || !size_of(args[1], "n", &n) ||
        !choice_of(args[2], &direction) || !positions_of(args[3], args[4], n, sinpos_plan_axes(plan), &where))
        return NULL;
    held_factors *f = PyMem_Malloc(sizeof *f);
    if (f == NULL)
        return PyErr_NoMemory();
    const sinpos_rows rows = positions_rows(&where, 0, n, sinpos_plan_axes(plan));
    *f = (held_factors){.plan = plan, .type = type};
    const sinpos_status status = sinpos_factors_create(&f->factors, plan, &rows, (sinpos_direction)direction, type);
    if (status != SINPOS_OK) {
        PyMem_Free(f);
        return raise_status(status);
    }
    core_state *state = PyType_GetModuleState(Py_TYPE(self));
    return holder_new(state->types[FACTORS_TYPE], f, destroy_factors, self);
}

/* rotate_at(out, x, batches, heads, n, width, axis, threads): rows 0 .. n-1 of the factors. */
static PyObject *factors_rotate_at(PyObject *self, PyObject *const *args, Py_ssize_t n_args)
{
    const held_factors *f = held_by(self);
    memory_job job = {.plan = f->plan, .factors = f->factors, .type = f->type};
    if (!count_is(n_args, 8, 8, "rotate_at") || !heads_of(args, &job) || !threads_of(args[7], &job.arrays.n_threads))
        return NULL;
    return run_memory(&job);
}

static PyMethodDef factors_methods[] = {
    {"rotate_at", (PyCFunction)(void (*)(void))factors_rotate_at, METH_FASTCALL,
     "rotate_at(out, x, batches, heads, n, width, axis, threads)\n\nsinpos_factors_rotate() on memory that the caller "
     "vouches for."},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot factors_slots[] = {
    {Py_tp_dealloc, (void *)holder_dealloc},
    {Py_tp_methods, factors_methods},
    {Py_tp_doc, (void *)"A sinpos_factors, made by Plan.factors(). Immutable; threads may share it."},
    {0, NULL},
};

PyType_Spec factors_type_spec = {
    .name = "sinpos._core.Factors",
    .basicsize = sizeof(holder),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .slots = factors_slots,
};
