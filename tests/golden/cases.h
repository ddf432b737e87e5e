/* cases.h - the arrays whose bytes every machine must reproduce. */
#ifndef SINPOS_TESTS_GOLDEN_CASES_H
#define SINPOS_TESTS_GOLDEN_CASES_H

#include "support.h"

typedef struct golden_case {
    char name[96];
    sinpos_spec spec;
    sinpos_operation operation;
    size_t heads;               /* 0: not rotated; else the array is (n, heads, dim) */
    sinpos_direction direction; /* of those rotated */
    int kind;                   /* 0 consecutive, 1 integers, 2 reals */
    int64_t first;
    size_t n;
    sinpos_type type;
    bool large; /* too slow for an emulated processor */
} golden_case;

/* How many cases there are; case i. What a spec points to is constant. */
size_t golden_count(void);
void golden_get(size_t i, golden_case *c);

/* The rows' positions, (n) of each kind; for kinds 1 and 2. */
void golden_positions(const golden_case *c, int64_t *integers, double *reals);

/* Elements of the array. */
size_t golden_size(const golden_case *c);

/*
 * A plan, and the array (n, dim); SINPOS_ADD adds to multiples of 1/64, and such are rotated. false if the library
 * refuses.
 */
bool golden_make(const golden_case *c, void *array, size_t n_threads);
void golden_before(const golden_case *c, void *array);

/* SHA-256 of the elements in little-endian order. */
void golden_hash(const golden_case *c, const void *array, char hex[65]);

#endif
