/* theta(t) as a program for a stack machine. */
#pragma once

#include "sinpos_analysis.h"

enum { MOST_STEPS = 256 };

typedef enum operator_code {
    PUSH_NUMBER,
    PUSH_T,
    PUSH_PI,
    PUSH_E,
    NEGATE,
    EXPONENTIAL,
    LOGARITHM,
    SQUARE_ROOT,
    SINE,
    COSINE,
    ADD, /* from here on of two operands */
    SUBTRACT,
    MULTIPLY,
    DIVIDE,
    RAISE
} operator_code;

typedef struct step {
    operator_code code;
    double number;     /* PUSH_NUMBER: the nearest double */
    ptrdiff_t decimal; /* where the number stands in `decimals`; -1: it is the double, exactly */
} step;

struct sinpos_theta {
    size_t n;
    size_t depth; /* largest number of operands on the stack */
    step steps[MOST_STEPS];
    char *decimals; /* each ends with a zero byte */
    char *text;
};
