/* Formulas of an arithmetic as programs: the steps that they take from a position to an element. */
#include <stdlib.h>
#include <string.h>

#include "step_program.h"

void program_free(program *p)
{
    free(p->steps);
    memset(p, 0, sizeof *p);
}

bool trace_theta(scope *s, trace *t, const char *formula, value *theta)
{
    s->trace = t;
    const bool ok = formula_value(s, formula, strlen(formula), theta);
    s->trace = NULL;
    if (ok && (theta->kind != VALUE_NUMBER || theta->reg != 0))
        return scope_fail(s, SINPOS_E_UNSUPPORTED, "its arithmetic is not known for these parameters");
    return ok;
}

/* sin(angle) or cos(angle), times the amplitude. */
static bool default_element(scope *s, const value *angle, const real *amplitude, value *made)
{
    real one;
    value factor = {.kind = VALUE_NUMBER, .g = -1, .number = *amplitude};
    real_set(&one, 1);
    *made = *angle;
    return trace_apply(s, s->loop[LOOP_c] != 0 ? STEP_COS : STEP_SIN, made, NULL) &&
           (real_compare(amplitude, &one) == 0 || trace_binary(s, '*', made, &factor));
}

static bool both(scope *s, const published *formulas, const real *amplitude, value *angle, value *made)
{
    const bool ok = formula_value(s, formulas->angle, strlen(formulas->angle), angle);
    if (!ok || angle->kind != VALUE_NUMBER)
        return ok && scope_fail(s, SINPOS_E_UNSUPPORTED, "its arithmetic is not known for these parameters");
    trace_bind_value(s->trace, "angle", angle);
    return is_blank(formulas->element) ? default_element(s, angle, amplitude, made)
                                       : formula_value(s, formulas->element, strlen(formulas->element), made);
}

static int only_wave(const trace *t, int angle)
{
    int wave = -1;
    for (int k = 0; k < t->n_steps; k++) {
        if (t->steps[k].kind == STEP_SIN || t->steps[k].kind == STEP_COS) {
            if (wave >= 0 || t->steps[k].a != angle || angle == 0)
                return -1;
            wave = k;
        }
    }
    return wave;
}

bool trace_program(scope *s, trace *t, const published *formulas, const value *theta, const real *amplitude,
                   program *out)
{
    value angle = {0}, made = {0};
    memset(out, 0, sizeof *out);
    trace_bind_value(t, "theta", theta);
    s->trace = t;
    const bool ok = both(s, formulas, amplitude, &angle, &made);
    s->trace = NULL;
    if (!ok)
        return false;
    if (made.kind != VALUE_NUMBER)
        return scope_fail(s, SINPOS_E_UNSUPPORTED, "its arithmetic is not known for these parameters");
    out->steps = malloc(((size_t)t->n_steps + 1) * sizeof *out->steps);
    if (out->steps == NULL)
        return scope_fail(s, SINPOS_E_MEMORY, "out of memory");
    memcpy(out->steps, t->steps, (size_t)t->n_steps * sizeof *out->steps);
    out->n_steps = t->n_steps;
    out->angle = angle.reg;
    out->angle_type = trace_type(angle.type);
    out->angle_number = trace_number(&angle);
    out->result = made.reg;
    out->result_number = trace_number(&made);
    out->wave = only_wave(t, angle.reg);
    return true;
}
