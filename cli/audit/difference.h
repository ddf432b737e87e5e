/* difference.h - how far elements are from what they should be. */
#ifndef DIFFERENCE_H
#define DIFFERENCE_H

#include <math.h>
#include <stdbool.h>

#include "sinpos.h"

#define ULP_INFINITE UINT64_MAX

/* Sums over any set of elements. */
struct difference {
    uint64_t elements;
    uint64_t wrong;       /* not equal to what they should be; -0 equals +0, NaN equals nothing */
    uint64_t max_ulp;     /* steps from one number of the type to the next; ULP_INFINITE for NaN */
    double max_abs_error; /* against the float64 value; infinite for NaN and infinities */
};

/* Takes element i of got, whose value is given, and of want (same type) in. Returns its distance in ulp. */
uint64_t difference_take(struct difference *difference, sinpos_type type, const void *got, const void *want, size_t i,
                         double value, double exact);
void difference_join(struct difference *difference, const struct difference *other);

#endif
