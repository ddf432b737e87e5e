/* kernel_continuum.h - the limit of g(k) / g(0) for ever more tones, and several of them side by side. */
#pragma once

#include "request_encoding.h"
#include "sinpos_analysis.h"

struct continuum {
    sinpos_theta *theta; /* NULL where there is none */
    double *value;       /* (n) of the offsets; NULL where there is none */
    double radius;       /* the largest of those that were reached */
    size_t n_unreached;  /* of the values: these are NaN */
    char why[200];       /* why there is none; "" if there is one */
    bool is_unwanted;
    sinpos_crossing crossing;
};

/* Finds theta(t) for --continuum, or that of the specification. What the user wrote must be right; else there is none. */
void continuum_choose(struct continuum *continuum, const struct options *options, const sinpos_spec *spec);
/* Evaluates it at all offsets; leaves `why` where that cannot be. */
void continuum_make(struct continuum *continuum, const struct options *options, struct positions *offsets);
void continuum_json(const struct continuum *continuum, size_t n);
void continuum_text(const struct continuum *continuum);
void continuum_free(struct continuum *continuum);

/* All of sinpos kernel --schedules. */
void schedules_report(const struct options *options);
