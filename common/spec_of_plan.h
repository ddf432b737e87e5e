/* spec_of_plan.h - the specification that says in general words what a plan is. */
#pragma once

#include <stdbool.h>

#include "sinpos.h"

/*
 * Fills spec, whose types are kept. *is_exact: it makes the same tones in the same columns. Else it lists the frequencies,
 * rounded to double, in *theta, which spec points to and the caller frees: good for approximations alone. False without
 * memory.
 */
bool spec_of_plan(const sinpos_plan *plan, sinpos_spec *spec, double **theta, bool *is_exact);

/*
 * Where tones of one coordinate need more than doubles, *plain is the same plan with frequencies, phases and amplitudes
 * rounded to double, for analyses take nothing else. NULL where the plan is plain, or cannot be so. False without memory.
 */
bool plain_plan(const sinpos_plan *plan, unsigned types, sinpos_plan **plain);
