/* Frequencies as real numbers: a tone's theta and phase to any precision. */
#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "internal.h"

/* log2 (base / base_divisor) to a few bits relative, also where the two are near each other. */
static double log2_ratio(const sinpos_tone *t)
{
    const double ratio = t->base / t->base_divisor;
    if (ratio > 0.5 && ratio < 2)
        return log1p((t->base - t->base_divisor) / t->base_divisor) * 0x1.71547652b82fep0;
    return log2(t->base) - log2(t->base_divisor);
}

/* ---------------------------------------------------------------------------------------- Sums of doubles */

static const double *value_parts(const sinpos_tone *t)
{
    return t->more == NULL || t->schedule != SINPOS_EXPLICIT ? NULL : t->more->value;
}

static const double *amplitude_parts(const sinpos_tone *t)
{
    return t->more == NULL ? NULL : t->more->amplitude;
}

static bool any_part(const double *parts)
{
    static const double none[SINPOS_PARTS] = {0};
    if (parts == NULL || memcmp(parts, none, sizeof none) == 0)
        return false;
    bool any = false;
    for (int k = 0; k < SINPOS_PARTS; k++)
        any = any || parts[k] != 0;
    return any;
}

/* r = first + the parts, exact in SUM_LIMBS limbs, truncated to n where that is fewer. parts NULL: none. */
static void sum_parts(size_t n, double first, const double *parts, wide *r)
{
    if (!any_part(parts)) {
        wide_set_double(n, r, first);
        return;
    }
    wide_set_sum(SUM_LIMBS, r, first, parts, SINPOS_PARTS);
    if (n > SUM_LIMBS && r->sign != 0)
        wide_widen(n, r, SUM_LIMBS);
}

void tone_value(size_t n, const sinpos_tone *t, wide *r)
{
    sum_parts(n, t->value, value_parts(t), r);
}

void tone_amplitude(size_t n, const sinpos_tone *t, wide *r)
{
    sum_parts(n, t->amplitude, amplitude_parts(t), r);
}

void listen_coefficient(size_t n, const sinpos_listen *l, wide *r)
{
    sum_parts(n, 0, l->coefficient, r);
}

bool tone_amplitude_is_sum(const sinpos_tone *t)
{
    return any_part(amplitude_parts(t));
}

double tone_amplitude_size(const sinpos_tone *t)
{
    if (!tone_amplitude_is_sum(t))
        return fabs(t->amplitude);
    wide sum;
    double parts[2]; /* truncated: beyond a type's limit exactly where the sum is */
    tone_amplitude(SUM_LIMBS, t, &sum);
    wide_to_doubles(SUM_LIMBS, &sum, parts, 2);
    const bool rounds_to_infinity = fabs(parts[0]) >= DBL_MAX && fabs(parts[1]) >= 0x1p970;
    return rounds_to_infinity ? INFINITY : fabs(parts[0]);
}

void tone_amplitude_pair(const sinpos_tone *t, double pair[2])
{
    pair[0] = t->amplitude;
    pair[1] = 0;
    if (!tone_amplitude_is_sum(t))
        return;
    wide sum;
    double parts[3];
    tone_amplitude(SUM_LIMBS, t, &sum);
    wide_to_doubles(SUM_LIMBS, &sum, parts, 3);
    pair[0] = parts[0] + parts[1];
    if (isfinite(pair[0]))
        pair[1] = (parts[0] - pair[0]) + parts[1] + parts[2];
}

/* ----------------------------------------------------------------------------------------- What is refused */

/* log2 of the size of the sum, roughly; minus infinity for zero. */
static double log2_sum(double first, const double *parts)
{
    wide sum;
    double rest = 0;
    for (int k = 0; parts != NULL && k < SINPOS_PARTS; k++)
        rest += fabs(parts[k]);
    if (rest <= fabs(first) * 0x1p-50) /* less than what the logarithm rounds by */
        return log2(fabs(first));
    sum_parts(SUM_LIMBS, first, parts, &sum);
    return sum.sign == 0 ? -INFINITY : (double)sum.exponent - 64 + log2((double)sum.limb[0]);
}

/* log2 |theta|, roughly, for theta that is not zero. */
static double log2_theta(const sinpos_tone *t)
{
    const double size = log2(fabs(t->scale)) - log2(fabs(t->factor));
    if (t->schedule == SINPOS_EXPLICIT)
        return size + log2_sum(t->value, value_parts(t));
    const double e = (t->index + t->shift) / t->divisor;
    if (t->schedule == SINPOS_GEOMETRIC)
        return size - e * log2_ratio(t);
    return t->exponent == 0 ? size : size + t->exponent * log1p(-e) * 0x1.71547652b82fep0;
}

/* All must be finite. */
static const struct {
    const char *name;
    size_t at;
} tone_numbers[] = {
    {"base", offsetof(sinpos_tone, base)},
    {"base_divisor", offsetof(sinpos_tone, base_divisor)},
    {"exponent", offsetof(sinpos_tone, exponent)},
    {"index", offsetof(sinpos_tone, index)},
    {"shift", offsetof(sinpos_tone, shift)},
    {"divisor", offsetof(sinpos_tone, divisor)},
    {"scale", offsetof(sinpos_tone, scale)},
    {"factor", offsetof(sinpos_tone, factor)},
    {"value", offsetof(sinpos_tone, value)},
    {"phase", offsetof(sinpos_tone, phase)},
    {"phase_turns", offsetof(sinpos_tone, phase_turns)},
    {"amplitude", offsetof(sinpos_tone, amplitude)},
};

static const char *infinite_number(const sinpos_tone *t)
{
    for (size_t i = 0; i < sizeof tone_numbers / sizeof tone_numbers[0]; i++)
        if (!isfinite(*(const double *)((const char *)t + tone_numbers[i].at)))
            return tone_numbers[i].name;
    return NULL;
}

/* 1 - (index + shift) / divisor, exactly as far as its sign goes: -1, 0, 1. */
static int power_step_sign(const sinpos_tone *t)
{
    wide sum, part, divisor;
    wide_set_double(WIDE_LIMBS, &sum, t->index);
    wide_set_double(WIDE_LIMBS, &part, t->shift);
    wide_add(WIDE_LIMBS, &sum, &sum, &part);
    wide_set_double(WIDE_LIMBS, &divisor, t->divisor);
    wide_sub(WIDE_LIMBS, &sum, &divisor, &sum);
    return sum.sign * divisor.sign;
}

static bool parts_finite(const double *parts)
{
    bool finite = true;
    if (!any_part(parts))
        return true;
    for (int k = 0; k < SINPOS_PARTS; k++)
        finite = finite && isfinite(parts[k]);
    return finite;
}

static const char *infinite_more(const sinpos_tone_more *m)
{
    return !parts_finite(m->value)       ? "more.value"
           : !parts_finite(m->phase)     ? "more.phase"
           : !isfinite(m->phase_divisor) ? "more.phase_divisor"
           : !parts_finite(m->amplitude) ? "more.amplitude"
                                         : NULL;
}

/* Do the terms of a sum fit SUM_LIMBS? */
static bool sum_fits(double first, const double *parts)
{
    int least = INT_MAX, most = INT_MIN;
    if (!any_part(parts))
        return true;
    for (int k = -1; k < SINPOS_PARTS; k++) {
        int exponent;
        const double x = k < 0 ? first : parts[k];
        frexp(x, &exponent);
        least = x != 0 && exponent < least ? exponent : least;
        most = x != 0 && exponent > most ? exponent : most;
    }
    return most <= least || most - least <= SUM_SPAN;
}

static bool in_range(double log2_frequency)
{
    return log2_frequency >= -1074.5 && log2_frequency <= 600;
}

static const char apart[] = "the terms of a sum must be zero or within 2^600 of each other";
static const char beyond[] = "every frequency must be zero or between 2^-1074 and 2^600";

static sinpos_status refuse_listen(sinpos_error *error, size_t i, const char *field, const char *message)
{
    char name[60];
    snprintf(name, sizeof name, "more.listens[%zu].%s", i, field);
    return error_set(error, name, message);
}

static sinpos_status listen_check(const sinpos_listen *l, size_t i, sinpos_error *error)
{
    if (!parts_finite(l->coefficient))
        return refuse_listen(error, i, "coefficient", "the coefficient of a further coordinate must be finite");
    if (!isfinite(l->divisor) || l->divisor == 0)
        return refuse_listen(error, i, "divisor", "the divisor of a further coordinate must be finite and not zero");
    if (!sum_fits(0, l->coefficient))
        return refuse_listen(error, i, "coefficient", apart);
    const double size = log2_sum(0, l->coefficient) - log2(fabs(l->divisor));
    return size == -INFINITY || in_range(size) ? SINPOS_OK : refuse_listen(error, i, "coefficient", beyond);
}

/* No coordinate twice. */
static bool axes_differ(const sinpos_tone *t)
{
    unsigned char seen[SINPOS_MAX_AXES / 8] = {0};
    for (size_t i = 0; i <= t->more->n_listens; i++) {
        const size_t axis = i == 0 ? t->axis : t->more->listens[i - 1].axis;
        if (axis >= SINPOS_MAX_AXES || seen[axis / 8] >> axis % 8 & 1)
            return false;
        seen[axis / 8] |= (unsigned char)(1u << axis % 8);
    }
    return true;
}

static sinpos_status more_check(const sinpos_tone *t, sinpos_error *error)
{
    const sinpos_tone_more *m = t->more;
    if (m->n_listens >= SINPOS_MAX_AXES)
        return error_set(error, "more.n_listens", "n_listens must be less than the number of coordinates");
    if (m->n_listens > 0 && m->listens == NULL)
        return error_set(error, "more.listens", "listens must hold n_listens further coordinates");
    if (infinite_more(m) != NULL)
        return error_set(error, infinite_more(m), "every number of a tone must be finite");
    if (t->schedule != SINPOS_EXPLICIT && any_part(m->value))
        return error_set(error, "more.value", "only an explicit tone has a value to add to");
    if (m->phase_divisor == 0 || !isfinite(t->phase_turns / m->phase_divisor))
        return error_set(error, "more.phase_divisor",
                         "phase_divisor must not be zero, nor phase_turns / phase_divisor beyond the range of double");
    if (!sum_fits(t->value, m->value))
        return error_set(error, "more.value", apart);
    if (!sum_fits(t->amplitude, m->amplitude))
        return error_set(error, "more.amplitude", apart);
    if (!sum_fits(t->in_turns ? 0 : t->phase, m->phase))
        return error_set(error, "more.phase", apart);
    if (!axes_differ(t))
        return error_set(error, "more.listens", "a tone may depend on a coordinate only once");
    for (size_t i = 0; i < m->n_listens; i++)
        if (listen_check(&m->listens[i], i, error) != SINPOS_OK)
            return SINPOS_E_SPEC;
    return SINPOS_OK;
}

sinpos_status tone_check(const sinpos_tone *t, sinpos_error *error)
{
    if (infinite_number(t) != NULL)
        return error_set(error, infinite_number(t), "every number of a tone must be finite");
    if (t->more != NULL && more_check(t, error) != SINPOS_OK)
        return SINPOS_E_SPEC;
    if (t->factor == 0)
        return error_set(error, "factor", "factor must not be zero");
    if ((t->schedule == SINPOS_GEOMETRIC || t->schedule == SINPOS_POWER) && t->divisor == 0)
        return error_set(error, "divisor", "divisor must not be zero (dim/2 is zero, or a tone gives none)");
    if (t->schedule == SINPOS_GEOMETRIC && (!(t->base > 0) || !(t->base_divisor > 0)))
        return error_set(error, t->base > 0 ? "base_divisor" : "base", "base and base_divisor must be positive");
    if (t->schedule == SINPOS_POWER) {
        const int sign = power_step_sign(t);
        if (sign < 0 || (sign == 0 && t->exponent < 0))
            return error_set(error, "divisor",
                             "a power schedule needs 1 - (i + shift)/divisor >= 0, and > 0 where exponent < 0");
        if (t->exponent != 0 && fabs(t->exponent) < 0x1p-60)
            return error_set(error, "exponent", "exponent must be zero or at least 2^-60 in size");
    } else if (t->schedule != SINPOS_GEOMETRIC && t->schedule != SINPOS_EXPLICIT) {
        return error_set(error, "schedule", "a tone's schedule must be geometric, power or explicit");
    }
    const double size = log2_theta(t);
    const bool is_zero = t->scale == 0 || (t->schedule == SINPOS_EXPLICIT && size == -INFINITY) ||
                         (t->schedule == SINPOS_POWER && t->exponent > 0 && power_step_sign(t) == 0);
    if (!is_zero && !in_range(size))
        return error_set(error, t->schedule == SINPOS_EXPLICIT ? "value" : "", beyond);
    return SINPOS_OK;
}

/* r = (index + shift) / divisor. The sum is exact: its two terms span less than n limbs, or truncation is harmless. */
static OWN_FRAME void tone_exponent(size_t n, const sinpos_tone *t, wide *r)
{
    wide part;
    wide_set_double(n, r, t->index);
    wide_set_double(n, &part, t->shift);
    wide_add(n, r, r, &part);
    wide_set_double(n, &part, t->divisor);
    wide_div(n, r, r, &part);
}

/* r = base^-e as exp(-e ln base). */
static OWN_FRAME void geometric_step(size_t n, const sinpos_tone *t, const wide *e, wide *r)
{
    wide base;
    if (e->sign == 0) {
        wide_set_integer(n, r, 1);
        return;
    }
    wide_set_double(n, &base, t->base);
    wide_set_double(n, r, t->base_divisor);
    if (t->base_divisor != 1)
        wide_div(n, &base, &base, r);
    wide_log(n, r, &base);
    wide_mul(n, r, r, e);
    r->sign = -r->sign;
    wide_exp(n, r, r);
}

static OWN_FRAME void power_step(size_t n, const sinpos_tone *t, const wide *e, wide *r)
{
    wide step;
    wide_set_integer(n, r, 1);
    if (t->exponent == 0)
        return;
    wide_sub(n, &step, r, e);
    if (power_step_sign(t) == 0) {
        wide_zero(r);
    } else if (t->exponent == 1) {
        wide_copy(n, r, &step);
    } else {
        wide_log(n, &step, &step);
        wide_set_double(n, r, t->exponent);
        wide_mul(n, &step, &step, r);
        wide_exp(n, r, &step);
    }
}

void tone_turns(size_t n, const sinpos_tone *t, wide *turns)
{
    const size_t m = n + 1; /* one limb more than asked: what log, exp and cancellation cost stays in it */
    wide r, number;
    if (t->scale == 0) { /* the other numbers may be anything: no bound on the exponent follows from the domain */
        wide_zero(turns);
        return;
    }
    if (t->schedule == SINPOS_EXPLICIT) {
        tone_value(m, t, &r);
    } else {
        tone_exponent(m, t, &number);
        if (t->schedule == SINPOS_GEOMETRIC)
            geometric_step(m, t, &number, &r);
        else
            power_step(m, t, &number, &r);
    }
    if (t->scale != 1) {
        wide_set_double(m, &number, t->scale);
        wide_mul(m, &r, &r, &number);
    }
    wide_set_double(m, &number, t->factor);
    if (t->factor != 1)
        wide_div(m, &r, &r, &number);
    if (!t->in_turns) {
        wide_inverse_two_pi(m, &number);
        wide_mul(m, &r, &r, &number);
    }
    wide_copy(n, turns, &r);
}

bool tone_has_phase(const sinpos_tone *t)
{
    return t->phase != 0 || t->phase_turns != 0 || (t->more != NULL && any_part(t->more->phase));
}

/* |x| < 2^e */
static int64_t exponent_of(double x)
{
    int e;
    frexp(x, &e);
    return x == 0 ? INT32_MIN : e;
}

int64_t tone_phase_exponent(const sinpos_tone *t)
{
    int64_t e = exponent_of(t->phase), turns = exponent_of(t->phase_turns);
    if (t->more != NULL) {
        turns += 1 - exponent_of(t->more->phase_divisor);
        for (int k = 0; k < SINPOS_PARTS; k++)
            e = exponent_of(t->more->phase[k]) > e ? exponent_of(t->more->phase[k]) : e;
        e += 3; /* seven of them */
    }
    return turns > e ? turns : e;
}

void tone_phase_turns(size_t n, const sinpos_tone *t, wide *turns)
{
    sum_parts(n, 0, t->more != NULL && t->in_turns ? t->more->phase : NULL, turns);
}

void tone_phase_radians(size_t n, const sinpos_tone *t, wide *radians)
{
    sum_parts(n, t->phase, t->more != NULL && !t->in_turns ? t->more->phase : NULL, radians);
}

void tone_phase(size_t n, const sinpos_tone *t, wide *turns)
{
    wide part, radians, inverse;
    wide_set_double(n, turns, t->phase_turns);
    if (t->more != NULL && t->more->phase_divisor != 1) {
        wide_set_double(n, &part, t->more->phase_divisor);
        wide_div(n, turns, turns, &part);
    }
    if (t->more != NULL) {
        tone_phase_turns(n, t, &part);
        wide_add(n, turns, turns, &part);
    } else if (t->phase == 0) {
        return;
    }
    tone_phase_radians(n, t, &radians);
    if (radians.sign == 0)
        return;
    wide_inverse_two_pi(n, &inverse);
    wide_mul(n, &radians, &radians, &inverse);
    wide_add(n, turns, turns, &radians);
}

void listen_turns(size_t n, const sinpos_tone *t, const sinpos_listen *l, wide *turns)
{
    const size_t m = n + 1;
    wide r, number;
    listen_coefficient(m, l, &r);
    if (l->divisor != 1) {
        wide_set_double(m, &number, l->divisor);
        wide_div(m, &r, &r, &number);
    }
    if (!t->in_turns) {
        wide_inverse_two_pi(m, &number);
        wide_mul(m, &r, &r, &number);
    }
    wide_copy(n, turns, &r);
}
