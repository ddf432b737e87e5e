/* Elements of arrays: their values, and the precision of their types. */
#pragma once

#include "sinpos.h"

/* n elements as doubles, exactly. */
void widen(double *out, const void *in, sinpos_type type, size_t n);

typedef struct type_facts {
    int precision;      /* bits */
    int least_exponent; /* the smallest number is 2^this */
} type_facts;

type_facts type_facts_of(sinpos_type type);
/* 2^-precision: rounding changes a number by at most this part of it. */
double type_unit(sinpos_type type);
/* x rounded once to a type, as a double. */
double round_to(double x, sinpos_type type);
/* Two reals up to amplitude in size that round to one number of the type are at most this far apart. */
double rounding_width(sinpos_type type, double amplitude);
