/* difference.h - how far elements are from what they should be. */
#pragma once

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
    /* by difference_scale(); NaN where nothing has an amplitude */
    double max_relative_error; /* over the amplitude */
    double max_amplitude_ulp;  /* in units of the last place of a number as large as the amplitude */
};

/* What errors are measured by. An amplitude of 0 counts as 1; NaN: there is none, as of a list of frequencies. */
struct scale {
    sinpos_type type;
    double amplitude;
};

/* The unit: the step from one number of the type, as large as the amplitude, to the next. */
double scale_unit(const struct scale *scale);

/* Takes element i of got, whose value is given, and of want (same type) in. Returns its distance in ulp. */
uint64_t difference_take(struct difference *difference, sinpos_type type, const void *got, const void *want, size_t i,
                         double value, double exact);
/* Leaves what difference_scale() makes. */
void difference_join(struct difference *difference, const struct difference *other);
/* Measures max_abs_error. */
void difference_scale(struct difference *difference, const struct scale *scale);
/* Is an element off by more than so many ulp? */
bool difference_is_beyond(const struct difference *difference, double tolerance);
