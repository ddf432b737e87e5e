/* Elements of arrays: their values, and the precision of their types. */
#pragma once

#include "sinpos.h"

/* n elements as doubles, exactly. */
void widen(double *out, const void *in, sinpos_type type, size_t n);

/* The same back: numbers of the type, which is a 16-bit one; others are rounded once. */
void narrow(void *out, const double *x, sinpos_type type, size_t n);

/* Of a set of types those that hold n numbers, and the narrowest of them that is no wider than `type`. */
unsigned types_that_hold(const double *x, size_t n, unsigned types);
sinpos_type narrowest_type(sinpos_type type, unsigned types);

typedef struct type_facts {
    int precision;      /* bits */
    int least_exponent; /* the smallest number is 2^this */
} type_facts;

type_facts type_facts_of(sinpos_type type);
const char *type_words(sinpos_type type); /* "float32" */
/* 2^-precision: rounding changes a number by at most this part of it. */
double type_unit(sinpos_type type);
/* x rounded once to a type, as a double. */
double round_to(double x, sinpos_type type);
/* Two reals up to amplitude in size that round to one number of the type are at most this far apart. */
double rounding_width(sinpos_type type, double amplitude);
