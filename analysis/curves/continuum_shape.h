/* What theta is, as far as that leads to a closed form of the continuum. Include only where SINPOS_HAVE_FLINT. */
#pragma once

#include <stdbool.h>

#include "balls.h"
#include "expression.h"

/* What theta is, as far as that leads to a closed form. */
typedef enum form {
    CONSTANT,         /* c */
    LINEAR,           /* p + k t */
    EXPONENTIAL_FORM, /* c exp(k t) */
    POWER_FORM,       /* c (p + k t)^a */
    OTHER
} form;

typedef struct shape {
    form form;
    arb_t c, k, p, a;
} shape;

/* arb_init() or arb_clear() of its numbers. */
void shape_each(shape *s, void (*act)(arb_t));
/* stack: theta->depth shapes; the result is the first. */
void shape_of(shape *stack, const sinpos_theta *theta, slong precision);

/* The integral of cos(x theta(t)) over t from 0 to 1, x > 0. False: there is no closed form. */
bool shape_continuum(arb_t value, shape *s, const arb_t x, slong precision);

/* The number of a step. */
void number_ball(arb_t ball, const sinpos_theta *theta, const step *s, slong precision);
