/* The schedule that the stated tones follow, if they follow one. */
#include "claims_law.h"

bool claims_follow_law(const claims *c)
{
    const sinpos_tone *first = &c->complete.tone[0];
    if (c->complete.n < 2 || first->schedule == SINPOS_EXPLICIT || first->in_turns)
        return false;
    for (size_t i = 0; i < c->complete.n; i++) {
        const sinpos_tone *tone = &c->complete.tone[i];
        if (tone->schedule != first->schedule || tone->in_turns || tone->base != first->base ||
            tone->base_divisor != first->base_divisor || tone->exponent != first->exponent ||
            tone->shift != first->shift || tone->divisor != first->divisor || tone->scale != first->scale ||
            tone->factor != 1 || tone->index != (double)i || tone->amplitude != first->amplitude)
            return false;
    }
    return true;
}

sinpos_status claims_theta(const claims *c, sinpos_theta **theta)
{
    sinpos_spec spec = SINPOS_SPEC_INIT;
    *theta = NULL;
    if (!claims_follow_law(c))
        return SINPOS_OK;
    const sinpos_tone *first = &c->complete.tone[0];
    spec.dim = 2 * c->complete.n;
    spec.schedule = first->schedule;
    spec.base = first->base;
    spec.base_divisor = first->base_divisor;
    spec.exponent = first->exponent;
    spec.shift = first->shift;
    spec.divisor = first->divisor;
    spec.scale = first->scale;
    const sinpos_status status = sinpos_theta_of_spec(theta, &spec);
    return status == SINPOS_E_MEMORY ? status : SINPOS_OK;
}
