/*
 * erring.h - kernels that err on purpose: chosen elements of one row are put at a share of the largest error that
 * docs/numerics.md admits away from their real values, right before they are rounded.
 *
 * share within -1 .. 1: every element must be right. Far outside: the rounding tests must let wrong elements pass, or
 * they are looser than they need to be and the cases too easy.
 */
#ifndef SINPOS_TESTS_ERRING_H
#define SINPOS_TESTS_ERRING_H

#include "internal.h"
#include "kernel_error.h"

/* The element of a tone that is put elsewhere: its real value is high + low. */
typedef struct aim {
    bool cosine; /* in the cosine's column */
    double high, low;
    double bound[ERROR_PLACES]; /* the largest error admitted there; 0: the kernel's value stays */
} aim;

typedef struct erring {
    const sinpos_plan *plan;
    position p;
    const aim *aims; /* by the index of the tone */
    double share;
    uint64_t met[ERROR_PLACES];
    uint64_t below[ERROR_PLACES];  /* how often the kernels judged by less than the largest error admitted */
    uint64_t beyond[ERROR_PLACES]; /* how often they erred by more by themselves */
} erring;

/* Every result errs by this share of the bound by which it is about to be judged; 0: the kernels do as they like. */
void erring_everywhere(double share);
/* From now on; NULL: the kernels do as they like. */
void erring_set(erring *e);

#endif
