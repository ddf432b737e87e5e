/* unit.h - every work function behind one signature, so that what all of them promise is tested on all of them. */
#ifndef SINPOS_TESTS_UNIT_H
#define SINPOS_TESTS_UNIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cases.h"

#include "sinpos.h"
#include "support.h"

enum work {
    WORK_FILL,
    WORK_FILL_AT,
    WORK_FILL_REAL,
    WORK_ADD,
    WORK_ADD_AT,
    WORK_ADD_REAL,
    WORK_RUN, /* fill, two threads */
    WORK_GRADIENT_POSITION,
    WORK_GRADIENT_THETA,
    WORK_SHIFT,
    WORK_SHIFT_MATRIX,
    N_WORK
};

typedef struct work_call {
    const sinpos_plan *plan;
    int64_t first; /* or the shift */
    const int64_t *integers;
    const double *reals;
    size_t n; /* the matrix has dim rows whatever this is */
    sinpos_type type;
    void *out;
    size_t ld;
} work_call;

static inline const char *work_name(int work)
{
    static const char *const names[] = {"fill",           "fill_at",  "fill_real",   "add",
                                        "add_at",         "add_real", "run",         "gradient_position",
                                        "gradient_theta", "shift",    "shift_matrix"};
    return names[work];
}

static inline sinpos_status work_do(int work, const work_call *c)
{
    const sinpos_rows rows = {sizeof(sinpos_rows), c->n, NULL, NULL, c->first};
    switch (work) {
    case WORK_FILL: return sinpos_fill(c->plan, c->first, c->n, c->type, c->out, c->ld);
    case WORK_FILL_AT: return sinpos_fill_at(c->plan, c->integers, c->n, c->type, c->out, c->ld);
    case WORK_FILL_REAL: return sinpos_fill_real(c->plan, c->reals, c->n, c->type, c->out, c->ld);
    case WORK_ADD: return sinpos_add(c->plan, c->first, c->n, c->type, c->out, c->ld);
    case WORK_ADD_AT: return sinpos_add_at(c->plan, c->integers, c->n, c->type, c->out, c->ld);
    case WORK_ADD_REAL: return sinpos_add_real(c->plan, c->reals, c->n, c->type, c->out, c->ld);
    case WORK_RUN: return sinpos_run(c->plan, SINPOS_FILL, &rows, c->type, c->out, c->ld, 2);
    case WORK_GRADIENT_POSITION: return sinpos_gradient_position(c->plan, &rows, c->type, c->out, c->ld);
    case WORK_GRADIENT_THETA: return sinpos_gradient_theta(c->plan, &rows, c->type, c->out, c->ld);
    case WORK_SHIFT: return sinpos_shift(c->plan, c->first, c->n, c->type, c->out, c->ld);
    default: return sinpos_shift_matrix(c->plan, c->first, c->type, c->out, c->ld);
    }
}

static inline size_t work_rows(int work, const work_call *c)
{
    return work == WORK_SHIFT_MATRIX ? sinpos_plan_dim(c->plan) : c->n;
}

/* A plan of the usual kind; fails the test if there is none. */
static inline sinpos_plan *usual_plan(size_t dim, unsigned types)
{
    sinpos_spec s = SINPOS_SPEC_INIT;
    sinpos_plan *plan = NULL;
    s.dim = dim;
    s.types = types;
    assert_int_equal(sinpos_plan_create(&plan, &s), SINPOS_OK);
    assert_non_null(plan);
    return plan;
}

/* Bytes that are a moderate number in every type, so that they may also be added to and rotated. */
static inline void set_pattern(void *at, size_t bytes)
{
    memset(at, 0x3c, bytes);
}

static inline int is_pattern(const void *at, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        if (((const unsigned char *)at)[i] != 0x3c)
            return 0;
    return 1;
}

#endif
