/* One element of a table judged by arithmetic that shares nothing with the core: ball arithmetic, or double-double. */
#pragma once

#include <stdbool.h>

#include "sinpos.h"

typedef enum element_verdict {
    ELEMENT_RIGHT,
    ELEMENT_WRONG,
    ELEMENT_UNDECIDED /* nearer to the middle of two numbers of the type than the arithmetic can decide */
} element_verdict;

typedef struct element {
    const sinpos_tone *tone;
    bool is_cosine;
    int64_t position;
    sinpos_type type;
    double got;
} element;

typedef element_verdict element_judge(const element *e);

element_judge element_by_balls;         /* only where FLINT is */
element_judge element_by_double_double; /* everywhere */

/* The best of this build, and its name. */
extern element_judge *const element_judge_best;
extern const char *const element_arithmetic;

/* Distances from x to its neighbours in the type, and whether its last bit is even. False: x is not of the type. */
bool element_gaps(sinpos_type type, double x, double *below, double *above, bool *is_even);
