/* The numbers of one frequency: what the formulas of a convention say for the loops as they stand. */
#include <string.h>

#include "build.h"

void build_scaled(const build *b, real *theta)
{
    if (b->has_scale)
        real_multiply(theta, theta, &b->scale);
}

bool build_numbers(build *b, numbers *x)
{
    const sinpos_convention *c = b->convention;
    value v;
    x->in_turns = false;
    real_set(&x->phase, 0);
    real_set(&x->phase_turns, 0);
    real_set(&x->amplitude, 1);
    if (is_blank(c->theta) && is_blank(c->turns))
        return scope_fail(&b->s, SINPOS_E_SPEC, "%s states no frequencies", c->name);
    if (!is_blank(c->turns)) {
        if (!formula_value(&b->s, c->turns, strlen(c->turns), &v))
            return false;
        x->in_turns = v.kind == VALUE_NUMBER && v.g < 0;
        x->theta = v.number;
    }
    if (!x->in_turns && !formula_number(&b->s, is_blank(c->theta) ? c->turns : c->theta, &x->theta))
        return false;
    build_scaled(b, &x->theta);
    if (b->has_amplitude)
        x->amplitude = b->amplitude;
    else if (!is_blank(c->amplitude) && !formula_number(&b->s, c->amplitude, &x->amplitude))
        return false;
    return (is_blank(c->phase) || formula_number(&b->s, c->phase, &x->phase)) &&
           (is_blank(c->phase_turns) || formula_number(&b->s, c->phase_turns, &x->phase_turns));
}
