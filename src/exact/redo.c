/* What the rounding tests of the kernels refuse: element by element. */
#include <math.h>
#include <string.h>

#include "../internal.h"

static bool is_derivative(sinpos_operation operation)
{
    return operation == SINPOS_GRADIENT_POSITION || operation == SINPOS_GRADIENT_THETA;
}

double element_in_column(const redo *what, int64_t offset, size_t padded, bool cosine_column)
{
    position p = what->p;
    p.integer += offset;
    const bool derivative = is_derivative(what->operation);
    const element e = {
        .cosine = cosine_column != derivative, .negated = cosine_column && derivative, .operation = what->operation};
    return element_round(what->plan, padded, p, e, what->type);
}

void element_redo(const redo *what, int64_t offset, size_t lane, unsigned mask_sin, unsigned mask_cos, double *sine,
                  double *cosine)
{
    for (size_t i = 0; i < LANES; i++) {
        const size_t padded = what->first + lane + i;
        if (!((mask_sin | mask_cos) >> i & 1) || what->plan->tone_of[padded] == UINT32_MAX)
            continue;
        if (mask_sin >> i & 1)
            sine[i] = element_in_column(what, offset, padded, false);
        if (mask_cos >> i & 1)
            cosine[i] = element_in_column(what, offset, padded, true);
    }
}

/* The subnormal of float16 nearest to the real value, known to be within e of value; false if none is sure. */
static bool settle_subnormal_f16(double value, double e, double *result)
{
    const double units = fabs(value) * 0x1p24, nearest = nearbyint(units); /* both exact, except for the rounding */
    if (!(0.5 - fabs(units - nearest) > e * (SUBNORMAL_ROOM * 0x1p24)) || !(fabs(value) > e))
        return false;
    *result = copysign(nearest * 0x1p-24, value);
    return true;
}

/*
 * A float that rounds to the 16-bit element of the real value, known to be within e of value; false if none is sure.
 * Where RN(value) is a tie of the narrow type the float beside it on the value's side is taken.
 */
static bool settle_16(double value, double e, sinpos_type type, double *result)
{
    const unsigned dropped = type == SINPOS_F16 ? 13 : 16;
    const float nearest = (float)value;
    const double size = fabs(value), lost = value - (double)nearest;
    uint32_t bits;
    memcpy(&bits, &nearest, sizeof bits);
    if (type == SINPOS_F16 && size < 0x1p-14)
        return settle_subnormal_f16(value, e, result);
    if (size < e * LIMIT_16 || size < 0x1p-126)
        return false;
    if ((bits & ((1u << dropped) - 1)) == 1u << (dropped - 1)) {
        if (!(fabs(lost) > e))
            return false;
        bits += (lost > 0) == (value > 0) ? 1 : UINT32_MAX;
    }
    float beside;
    memcpy(&beside, &bits, sizeof beside);
    *result = (double)beside;
    return true;
}

void element_settle(const redo *what, int64_t offset, size_t lane, size_t lanes, double *sine, double *cosine,
                    const double *e_sine, const double *e_cosine)
{
    for (size_t i = 0; i < lanes; i++) {
        const size_t padded = what->first + lane + i;
        if (what->plan->tone_of[padded] == UINT32_MAX)
            continue;
        if (!settle_16(sine[i], e_sine[i], what->type, &sine[i]))
            sine[i] = element_in_column(what, offset, padded, false);
        if (!settle_16(cosine[i], e_cosine[i], what->type, &cosine[i]))
            cosine[i] = element_in_column(what, offset, padded, true);
    }
}

/* ------------------------------------------------------------------------------------------- Rotated pairs */

double turned_element(const redo *what, size_t padded, double own, double other, bool cosine_column)
{
    if (!isfinite(own) || !isfinite(other))
        return NAN;
    const amplitude_power power = what->direction == SINPOS_INVERSE ? AMPLITUDE_INVERSE : AMPLITUDE_ONCE;
    const bool minus = cosine_column == (what->direction == SINPOS_FORWARD);
    return element_turn(what->plan, padded, what->p, power, own, minus ? -other : other, what->type);
}

/* The element nearest to all of value - error .. value + error, if there is one. */
static bool settles(double value, double error, sinpos_type type, double *result)
{
    if (type != SINPOS_F16 && type != SINPOS_BF16)
        return false; /* the kernel has tried */
    const double least = round_sum(value, -error, type), most = round_sum(value, error, type);
    *result = most;
    return isfinite(error) && memcmp(&least, &most, sizeof least) == 0;
}

void turned_redo(const redo *what, size_t lane, pair_lanes *p)
{
    for (size_t i = 0; i < LANES; i++) {
        const unsigned mask_u = p->mask_u >> i & 1, mask_v = p->mask_v >> i & 1;
        if (!(mask_u | mask_v) || what->plan->tone_of[what->first + lane + i] == UINT32_MAX)
            continue;
        const size_t padded = what->first + lane + i;
        if (mask_u && !settles(p->new_u[i], p->e_u[i], what->type, &p->new_u[i]))
            p->new_u[i] = turned_element(what, padded, p->u[i], p->v[i], true);
        if (mask_v && !settles(p->new_v[i], p->e_v[i], what->type, &p->new_v[i]))
            p->new_v[i] = turned_element(what, padded, p->v[i], p->u[i], false);
    }
}
