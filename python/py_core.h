/* py_core.h - what the files of sinpos._core share. CPython's limited API of 3.11: one binary for it and all later ones. */
#pragma once

#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030B0000
#include <Python.h>

#include <stdbool.h>

#include "owned.h"
#include "sinpos.h"
#include "sinpos_conventions.h"

/* Below this, starting threads costs more than the work. */
#define THREADED_BYTES ((size_t)512 << 10)
#define MOST_DIMS 32

enum { PLAN_TYPE, NAMED_TYPE, REPLAY_TYPE, IDENTITY_TYPE, FACTORS_TYPE, N_TYPES };

typedef struct core_state {
    PyObject *types[N_TYPES];
} core_state;

/* ------------------------------------------------------------------------------------------------ errors */

/* Sets the exception that a status stands for, in the library's own words. Returns NULL. */
PyObject *raise_status(sinpos_status status);
/* The same with words of one's own; `hint` may be "" or NULL. */
PyObject *raise_words(sinpos_status status, const char *message, const char *hint);
PyObject *raise_error(const sinpos_error *error);
/* None, or NULL with the exception set. */
PyObject *none_or_raise(sinpos_status status);

/* ------------------------------------------------------------------------------------------------ arrays */

/* An array that is held through the buffer protocol. Release it, whatever happened. */
typedef struct array {
    Py_buffer view;
    bool is_held;
    sinpos_type type; /* of elements: d, f, e are float64, float32, float16; H is bfloat16 */
    size_t item;      /* bytes of one */
} array;

/* Elements of an encoding; the last dimension must lie together. False with the exception set. */
bool array_take(array *a, PyObject *object, bool is_written);
/* (n) or more dimensions of float64 in C order; `items` receives their number. */
bool array_take_doubles(array *a, PyObject *object, bool is_written, size_t *items);
/* (n) or more dimensions of int64 or float64 in C order. */
bool array_take_numbers(array *a, PyObject *object, bool *is_integer, size_t *items);
void array_release(array *a);

/* Steps through all dimensions of an array but some. */
typedef struct blocks {
    char *at;     /* the block at hand */
    size_t n;     /* blocks there are */
    size_t index; /* of the block at hand */
    int n_axes;
    size_t shape[MOST_DIMS], digits[MOST_DIMS];
    Py_ssize_t strides[MOST_DIMS];
} blocks;

/* All dimensions but the last and those in `skipped` (n_skipped axes from 0). */
void blocks_begin(blocks *b, const array *a, const int *skipped, int n_skipped);
void blocks_next(blocks *b);
/* False with the exception set where a dimension has stride 0: its blocks would be changed several times. */
bool blocks_differ(const blocks *b, const array *a);

/* A stride in elements; false with the exception set where it runs backwards, or is not a whole number of elements. */
bool stride_elements(const array *a, int axis, size_t *ld);

/* Positions: an integer is that of the first row; otherwise an array of int64 or float64. */
typedef struct positions {
    array held;
    bool is_list, is_integer;
    int64_t first;
    size_t n_items;
} positions;

bool positions_take(positions *p, PyObject *object);
void positions_release(positions *p);
/* Nothing may be written before an error, so with several pieces all positions are looked at first: those of a list, or
   n consecutive ones. */
sinpos_status positions_check(const positions *p, size_t n);
/* Rows first .. first + n - 1 of those positions. */
sinpos_rows positions_rows(const positions *p, size_t first, size_t n, size_t n_axes);

/* 0 stands for all processors, except for one where there is little to do. False with the exception set. */
bool threads_of(PyObject *object, size_t *n_threads);
size_t threads_for(size_t n_threads, size_t n_bytes);

bool size_of(PyObject *object, const char *what, size_t *size);
/* Text without a zero in it; NULL with the exception set. */
const char *text_of(PyObject *object, const char *what);
bool integer_of(PyObject *object, int64_t *value);
/* An operation or a direction; what an int cannot hold is none of them. */
bool choice_of(PyObject *object, int *choice);
/* One element type: a set of several is refused. */
bool type_of(PyObject *object, sinpos_type *type);
/* False with the exception set unless there are so many arguments. */
bool count_is(Py_ssize_t n, Py_ssize_t least, Py_ssize_t most, const char *function);

/* ------------------------------------------------------------------------------------------------ pieces */

/* Signals are handled this often. */
#define SECONDS_OF_PIECE 0.05

double monotonic_seconds(void);

typedef sinpos_status piece_work(void *context, size_t first, size_t n);

/*
 * Rows 0 .. n-1 in order, without the GIL, in pieces of about a twentieth of a second; between them signals are handled:
 * SINPOS_E_STOPPED, with the exception set, where a handler raised. What may be refused is to be refused before: a piece
 * that fails leaves what was done.
 */
sinpos_status run_pieces(piece_work *work, void *context, size_t n, size_t row_elements);
/* Up to so many rows are one piece. */
size_t first_piece(size_t row_elements);

/* ------------------------------------------------------------------------------------------------ work on rows */

typedef sinpos_status rows_work(const void *object, int operation, const sinpos_rows *rows, sinpos_type type, void *out,
                                size_t ld_out, size_t n_threads);

/* Work on rows: what does it, and with what. */
typedef struct row_job {
    rows_work *work;
    const void *object;
    int operation;
    size_t dim, n_axes;
    bool has_rows; /* there are n_rows rows, and no positions */
    size_t n_rows;
    bool is_whole;           /* a part of the rows costs as much as all */
    const sinpos_plan *plan; /* whose rows they are, if nothing is done to them but sinpos_run(); else NULL */
} row_job;

/* The rows of every block of an array, and their positions. */
typedef struct block_job {
    const row_job *rows;
    const array *out;
    const positions *where;
    blocks b;
    size_t n, ld, n_threads; /* of a block */
    bool is_shared;          /* every block has the same positions */
} block_job;

/* Are the positions those of one block, or of all n_rows rows? False with the exception set. */
bool settle_positions(block_job *job, size_t n_rows);
sinpos_status run_blocks(block_job *job);
/* py_memory.c. Sums of a plan with blocks that share their positions, in one call: a row is made once. False: not these. */
bool blocks_add(const block_job *job, sinpos_status *status);

/* run(operation, out, positions, threads=0): work on every (n, dim) block of out, with positions for the rows of one block
   or for all rows. */
PyObject *run_method(const row_job *job, PyObject *const *args, Py_ssize_t n_args);
/* The same for (n, dim) at an address, with positions for all rows. */
sinpos_status run_on_memory(const row_job *rows, sinpos_type type, void *out, size_t n, size_t ld,
                            const positions *where, size_t n_threads);
/* (out, positions, threads=0) of a job that says its operation. */
PyObject *run_on_array(const row_job *job, PyObject *const *args, Py_ssize_t n_args);

/* What the work of rotate_method() gets as its object; its operation is a sinpos_direction. */
typedef struct rotation {
    const void *object;
    size_t n_heads, ld_head;
} rotation;

/* rotate(x, positions, direction, row_axis, threads=0) of heads of job->dim columns, each of n_rows rows where it has_rows. */
PyObject *rotate_method(const row_job *job, PyObject *const *args, Py_ssize_t n_args);

/* ------------------------------------------------------------------------------------------------ objects */

typedef void release_held(void *held);

/* An object around something of the C library. */
typedef struct holder {
    PyObject_HEAD const void *held;
    release_held *release; /* NULL: it is the owner's */
    PyObject *owner;       /* what must live as long, or NULL */
} holder;

/* NULL with the exception set, and what was to be held released. */
PyObject *holder_new(PyObject *type, const void *held, release_held *release, PyObject *owner);
void holder_dealloc(PyObject *self);
const void *held_by(PyObject *self);

extern PyType_Spec plan_type_spec, named_type_spec, replay_type_spec, factors_type_spec;

/* Methods of Plan in py_memory.c. */
PyObject *plan_sum_at(PyObject *self, PyObject *const *args, Py_ssize_t n_args);
PyObject *plan_rotate_at(PyObject *self, PyObject *const *args, Py_ssize_t n_args);
PyObject *plan_factors(PyObject *self, PyObject *const *args, Py_ssize_t n_args);

/* A Plan around plan; owner NULL: it is destroyed with the object. */
PyObject *plan_wrap(core_state *state, const sinpos_plan *plan, PyObject *owner);
/* The numbers of a specification, as Plan() takes them; lists are held by the arrays. False with the exception set. */
bool spec_parse(PyObject *args, sinpos_spec *spec, array *theta, array *factor);
/* The plan in a Plan; NULL with the exception set. */
const sinpos_plan *plan_of(core_state *state, PyObject *object);

/* ------------------------------------------------------------------------------------------------ lists, dicts */

typedef PyObject *make_item(const void *context, size_t k);

PyObject *list_of(make_item *make, const void *context, size_t n);
PyObject *double_list(const double *values, size_t n);
/* Takes value, also on failure. */
bool dict_put(PyObject *dict, const char *name, PyObject *value);

PyObject *core_conventions(PyObject *module, PyObject *nothing);
PyObject *core_convention_find(PyObject *module, PyObject *name);
PyObject *core_convention_near(PyObject *module, PyObject *name);
PyObject *core_arithmetics(PyObject *module, PyObject *nothing);
PyObject *core_model_config(PyObject *module, PyObject *args);
