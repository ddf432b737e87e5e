/* py_rotate.h - queries or keys in place: blocks of rows of heads. */
#ifndef PY_ROTATE_H
#define PY_ROTATE_H

#include "py_core.h"

typedef struct rotation {
    array x;
    positions where;
    blocks b;
    size_t n, n_heads, width, ld_row, ld_head, n_axes, n_threads;
    sinpos_direction direction;
    bool is_shared; /* every block has the same positions */
} rotation;

/* Rows of one block, or of all blocks that follow each other. */
typedef struct rotation_part {
    size_t first; /* counted from the first row of the block if is_shared, else from that of all */
    size_t n, n_heads, n_threads;
    char *at;
} rotation_part;

typedef sinpos_status rotate_work(const void *object, const rotation *r, const rotation_part *part);

/* What x is; row_axis: -2 or -3. False with the exception set. */
bool rotation_take(rotation *r, PyObject *x, PyObject *row_axis);
bool direction_of(PyObject *object, sinpos_direction *direction);
/* Calls work on the rows of every block; first of all with no heads, so that it refuses what it must. */
PyObject *rotation_run(rotation *r, rotate_work *work, const void *object);

/* rotate(x, positions, direction, row_axis, threads=0) of what rotates heads of n_columns; the rows of a part. */
PyObject *rotate_rows(rotate_work *work, const void *object, size_t n_columns, size_t n_axes, PyObject *const *args,
                      Py_ssize_t n);
sinpos_rows rotation_rows(const rotation *r, const rotation_part *part);

/* Plan.rotate(x, positions, direction, row_axis, threads=0) */
PyObject *plan_rotate(PyObject *self, PyObject *const *args, Py_ssize_t n);

#endif
