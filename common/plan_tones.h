/* plan_tones.h - all tones of a plan, with their frequencies. */
#pragma once

#include "owned.h"
#include "sinpos.h"

struct plan_tones {
    sinpos_tone *tones; /* (n) */
    double *theta;      /* (n) radians per position */
    size_t n;
};

/* To be freed either way. */
sinpos_status plan_tones_take(struct plan_tones *list, const sinpos_plan *plan);
void plan_tones_free(struct plan_tones *list);
