/*
 * Where tests let the fast kernels err on purpose, within the bounds that docs/numerics.md admits or beyond them: right
 * before each rounding test. Only with -DSINPOS_KERNEL_ERROR; without it nothing of this is compiled.
 */
#pragma once

#include "internal.h"

#ifndef SINPOS_KERNEL_ERROR
#define ERR(...) ((void)0)
#else

typedef enum error_place {
    ERROR_DIRECT,         /* rows evaluated by themselves, in double */
    ERROR_ROTATED,        /* rows of blocks, in double */
    ERROR_DIRECT_FLOATS,  /* as the next, */
    ERROR_ROTATED_FLOATS, /* rows of blocks, in float: bound is E, value the middle of the interval */
    ERROR_DD,             /* both, in double-double */
    ERROR_TURNED,         /* pairs rotated in double */
    ERROR_TURNED_FLOATS,  /* pairs turned in float */
    ERROR_TURNED_DD,
    ERROR_LADDER_DD, /* the first rung of the ladder */
    ERROR_SHIFT_DD,
    ERROR_PLACES
} error_place;

/* A result of a kernel, and the bound by which it is about to be judged. */
typedef struct kernel_result {
    error_place place;
    const sinpos_plan *plan;
    size_t padded;
    position p;
    bool cosine;        /* the cosine's column */
    double bound;       /* ERROR_TURNED: what it errs by; ERROR_TURNED_FLOATS: the distance that a tie must keep */
    double value, *low; /* low: NULL except for double-doubles */
} kernel_result;

/* What takes the value's place; NULL: nothing errs. Set it while no other thread works. */
typedef double kernel_error(const kernel_result *r);
extern kernel_error *sinpos_internal_kernel_error;
/* The intervals value +- 2^error of the ladder's wide rungs, about to be rounded; NULL: nobody looks. */
typedef void wide_interval(size_t n, const wide *value, int64_t error);
extern wide_interval *sinpos_internal_wide_interval;

#define ERR(...) __VA_ARGS__
#endif
