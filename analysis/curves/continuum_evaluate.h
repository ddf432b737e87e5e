/* One value of the continuum as a ball. Include only where SINPOS_HAVE_FLINT. */
#pragma once

#include <stdbool.h>

#include "continuum_shape.h"

/* Work is counted in units of about a third of a microsecond. */
#define MOST_WORK_OF_VALUE 0x1p24

typedef struct integrand {
    const sinpos_theta *theta;
    acb_ptr stack; /* (theta->depth) */
    arb_t x;
    size_t n_calls;
    bool not_real; /* theta was found to be not a real number somewhere in [0, 1] */
} integrand;

/* Room for one thread to evaluate theta. */
typedef struct evaluator {
    const sinpos_theta *theta;
    shape *shapes;
    integrand f;
    arb_t value;
    double variation; /* of theta from 0 to 1, about */
    double work;      /* of one value of the integrand */
    double most;      /* work in one integral */
} evaluator;

bool evaluator_make(evaluator *e, const sinpos_theta *theta, double variation, double most);
void evaluator_free(evaluator *e);
/* Into e->value; false if there is no closed form. */
bool evaluator_run(evaluator *e, double x);

/* theta(t), into stack[0]. With analytic it is finite only where theta is analytic on all of t. */
void theta_ball(acb_ptr stack, const sinpos_theta *theta, const acb_t t, int analytic, slong precision);
/* How far theta goes up and down, seen at many points: a number from below, where it does so often. */
double theta_variation(const sinpos_theta *theta);
/* theta at points inside (0, 1) must be a real number; its ends may be limits, as log(t) at 0. */
bool theta_is_real(const sinpos_theta *theta);

enum { CONTINUUM_PRECISION = 96 }; /* where the first try begins */
