/* Frequencies of a convention: formulas become tones without columns. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "build.h"

/* ------------------------------------------------------------------------------------------------- how many there are */

static bool count_axis(build *b, size_t a)
{
    b->s.is_set[LOOP_a] = true;
    b->s.loop[LOOP_a] = (double)a;
    const bool ok = formula_size(&b->s, b->convention->count, &b->counts[a]);
    b->s.is_set[LOOP_a] = false;
    if (ok && b->counts[a] > MAX_FREQUENCIES) {
        return scope_fail(&b->s, SINPOS_E_SHAPE, "%zu frequencies are too many; %zu is the most", b->counts[a],
                          MAX_FREQUENCIES);
    }
    return ok;
}

static bool count_all(build *b)
{
    const size_t n_lists = is_blank(b->convention->axis) && !b->is_mixed ? b->n_axes : 1;
    b->counts = calloc(b->n_axes + 1, sizeof *b->counts);
    b->offsets = calloc(b->n_axes + 1, sizeof *b->offsets);
    if (b->counts == NULL || b->offsets == NULL)
        return scope_fail(&b->s, SINPOS_E_MEMORY, "out of memory");
    for (size_t a = 0; a < n_lists; a++) {
        if (!count_axis(b, a))
            return false;
        b->offsets[a] = b->n_frequencies;
        b->n_frequencies += b->counts[a];
        if (b->n_frequencies > MAX_FREQUENCIES) {
            return scope_fail(&b->s, SINPOS_E_SHAPE, "%zu frequencies are too many; %zu is the most", b->n_frequencies,
                              MAX_FREQUENCIES);
        }
    }
    return true;
}

/* ---------------------------------------------------------------------------------------------------------- one tone */

static void put_real(const real *x, double *first, double more[SINPOS_PARTS], bool *needs_more)
{
    double parts[SINPOS_PARTS];
    *needs_more |= !real_to_parts(x, parts);
    *first = parts[0];
    memcpy(more, parts + 1, (SINPOS_PARTS - 1) * sizeof *more);
}

/* The number whose n-th power is x, whole unless n is 1; 0 if there is none. Products below 2^53 are exact. */
static double whole_root(double x, double n)
{
    const double root = round(pow(x, 1 / n));
    double power = 1, k = 0;
    if (n == 1 || root < 2 || x > 0x1p53)
        return n == 1 ? x : x == 1 ? 1 : 0;
    for (; k < n && power < x; k++)
        power *= root;
    return k == n && power == x ? root : 0;
}

/* 112^(15/15) is 112, and 10000^(1/4) is 10: a rational number of turns, which the core knows whole turns of. */
static void collapse(real *theta)
{
    real base, exponent, power, factor;
    if (theta->is_wide || !theta->is_power)
        return;
    real_set_ratio(&exponent, theta->exp_num, theta->exp_den);
    const double num = whole_root(theta->base_num, exponent.den), den = whole_root(theta->base_den, exponent.den);
    if (num == 0 || den == 0)
        return;
    real_set_ratio(&base, num, den);
    exponent.den = 1;
    real_set_ratio(&factor, theta->num, theta->den);
    if (real_power(&power, &base, &exponent, NULL) && real_is_rational(&power))
        real_multiply(theta, &power, &factor);
}

static void put_frequency(const real *theta, bool in_turns, sinpos_tone *t, sinpos_tone_more *more, bool *needs_more)
{
    t->in_turns = in_turns;
    if (theta->is_wide) {
        put_real(theta, &t->value, more->value, needs_more);
        return;
    }
    t->scale = theta->num;
    t->factor = theta->den;
    if (!theta->is_power) {
        t->value = theta->num;
        t->scale = 1;
        return;
    }
    t->schedule = SINPOS_GEOMETRIC;
    t->base = theta->base_num;
    t->base_divisor = theta->base_den;
    t->index = -theta->exp_num;
    t->divisor = theta->exp_den;
}

/* Adds a phase in the unit given. */
static void put_phase(const real *phase, bool in_turns, sinpos_tone *t, sinpos_tone_more *more, bool *needs_more)
{
    double x;
    if (real_sign(phase) == 0)
        return;
    if (real_is_double(phase, &x)) {
        *(in_turns ? &t->phase_turns : &t->phase) = x;
    } else if (in_turns && real_is_rational(phase)) {
        t->phase_turns = phase->num;
        more->phase_divisor = phase->den;
        *needs_more = true;
    } else {
        double parts[SINPOS_PARTS];
        real_to_parts(phase, parts);
        memcpy(more->phase, parts, sizeof parts);
        *needs_more = true;
    }
}

/* A sum of doubles and the unit of what it stands for. */
static void to_listen(const real *theta, size_t axis, sinpos_listen *l)
{
    memset(l, 0, sizeof *l);
    l->axis = axis;
    l->divisor = 1;
    if (real_is_rational(theta)) {
        l->coefficient[0] = theta->num;
        l->divisor = theta->den;
    } else {
        real_to_parts(theta, l->coefficient);
    }
}

static sinpos_listen *listens_of(const build *b, const frequency *f)
{
    return b->listens == NULL ? NULL : b->listens + (size_t)(f - b->frequencies) * (b->n_columns_of_x - 1);
}

static void finish_tone(frequency *f, int component, bool needs_more)
{
    f->tone[component].more = needs_more ? &f->more[component] : NULL;
}

/* All phases in the unit of the frequency; in radians only where they are irrational. */
static void join_phases(numbers *x, const real *shift)
{
    real moved;
    real_multiply(&moved, &x->theta, shift);
    if (x->in_turns)
        real_add(&x->phase_turns, &x->phase_turns, &moved);
    else
        real_add(&x->phase, &x->phase, &moved);
}

static void make_tone(build *b, frequency *f, int component, const numbers *x, const real *slope)
{
    const axis_map *map = &b->maps[f->axis];
    sinpos_tone *t = &f->tone[component];
    sinpos_tone_more *more = &f->more[component];
    bool needs_more = false;
    *t = (sinpos_tone)SINPOS_TONE_INIT;
    t->axis = map->column;
    *more = (sinpos_tone_more)SINPOS_TONE_MORE_INIT;
    real frequency_of_x = *slope;
    if (x->in_turns)
        collapse(&frequency_of_x);
    put_frequency(&frequency_of_x, x->in_turns, t, more, &needs_more);
    if (x->in_turns && real_sign(&x->phase) != 0 && !real_is_rational(&x->phase_turns)) {
        real all, radians; /* both kinds, and one is irrational: as radians, which the tone must then be in */
        real_turns_to_radians(&radians, &x->phase_turns);
        real_add(&all, &x->phase, &radians);
        real_turns_to_radians(&radians, slope);
        t->schedule = SINPOS_EXPLICIT;
        t->scale = t->factor = 1;
        put_frequency(&radians, false, t, more, &needs_more);
        put_phase(&all, false, t, more, &needs_more);
    } else if (x->in_turns) {
        put_phase(&x->phase_turns, true, t, more, &needs_more);
        double radians;
        if (real_is_double(&x->phase, &radians))
            t->phase = radians;
    } else {
        real turns, all;
        double exact;
        if (real_is_double(&x->phase_turns, &exact)) {
            t->phase_turns = exact;
            put_phase(&x->phase, false, t, more, &needs_more);
        } else {
            real_turns_to_radians(&turns, &x->phase_turns);
            real_add(&all, &x->phase, &turns);
            put_phase(&all, false, t, more, &needs_more);
        }
    }
    put_real(&x->amplitude, &t->amplitude, more->amplitude, &needs_more);
    if (f->n_listens > 0) {
        more->listens = listens_of(b, f);
        more->n_listens = f->n_listens;
        needs_more = true;
    }
    finish_tone(f, component, needs_more);
}

static void put_listens(build *b, frequency *f, size_t axis, const real *slope, size_t first)
{
    const axis_map *map = &b->maps[axis];
    for (size_t k = first; k < map->n_parts; k++)
        to_listen(slope, map->column + k, &listens_of(b, f)[f->n_listens++]);
}

/* What the other axes add to a frequency that depends on all of them. */
static bool mix(build *b, frequency *f, numbers *x)
{
    real theta, slope, moved;
    const char *formula = x->in_turns ? b->convention->turns : b->convention->theta;
    for (size_t a = 1; a < b->n_axes; a++) {
        b->s.loop[LOOP_a] = (double)a;
        if (!formula_number(&b->s, formula, &theta))
            return false;
        build_scaled(b, &theta);
        real_multiply(&slope, &theta, &b->maps[a].scale);
        put_listens(b, f, a, &slope, 0);
        real_multiply(&moved, &theta, &b->maps[a].shift);
        real *phase = x->in_turns ? &x->phase_turns : &x->phase;
        real_add(phase, phase, &moved);
    }
    b->s.loop[LOOP_a] = 0;
    return true;
}

static void put_angles(frequency *f, const numbers *x, const real *theta, const real *slope)
{
    real angle = *theta, angle_slope = *slope, phase;
    if (x->in_turns) {
        real_turns_to_radians(&angle, theta);
        real_turns_to_radians(&angle_slope, slope);
    }
    real_to_parts(&angle, f->theta);
    real_to_parts(&angle_slope, f->slope);
    real_turns_to_radians(&phase, &x->phase_turns);
    real_add(&phase, &phase, &x->phase);
    real_to_parts(&phase, f->phase);
}

static bool make_frequency(build *b, frequency *f, int component, bool negated)
{
    numbers x;
    real slope, theta;
    b->s.is_set[LOOP_c] = b->has_components;
    b->s.loop[LOOP_c] = component;
    if (!build_numbers(b, &x))
        return false;
    theta = x.theta;
    if (negated)
        real_negate(&x.theta);
    real_multiply(&slope, &x.theta, &b->maps[f->axis].scale);
    join_phases(&x, &b->maps[f->axis].shift);
    f->n_listens = 0;
    put_listens(b, f, f->axis, &slope, 1);
    if (b->is_mixed && !mix(b, f, &x))
        return false;
    make_tone(b, f, component, &x, &slope);
    if (component == 0 && b->needs_angles)
        put_angles(f, &x, &theta, &slope);
    return true;
}

/* ------------------------------------------------------------------------------------------------------------- all */

static bool axis_of(build *b, size_t *axis)
{
    if (is_blank(b->convention->axis))
        return true;
    if (!formula_size(&b->s, b->convention->axis, axis))
        return false;
    return *axis < b->n_axes ||
           scope_fail(&b->s, SINPOS_E_VALUE, "a frequency depends on coordinate %zu, and positions have %zu", *axis,
                      b->n_axes);
}

static bool is_negated(build *b, bool *negated)
{
    double sign = 1;
    *negated = false;
    if (!is_blank(b->convention->sign) && !formula_double(&b->s, b->convention->sign, &sign))
        return false;
    *negated = sign < 0;
    return true;
}

static bool has_powers_of_one_base(const sinpos_tone *a, const sinpos_tone *b)
{
    return a->schedule == SINPOS_GEOMETRIC && b->schedule == SINPOS_GEOMETRIC && a->base == b->base &&
           a->base_divisor == b->base_divisor && a->scale == b->scale && a->factor == b->factor &&
           a->in_turns == b->in_turns;
}

/* base^(-(index + k) / divisor) for every so many frequencies from f on: how many, and what index and divisor are. */
static size_t count_progression(const frequency *f, size_t n, size_t every, int component, double *index,
                                double *divisor)
{
    const sinpos_tone *first = &f[0].tone[component], *second = &f[every].tone[component];
    real exponent, step, x;
    size_t k = 2;
    if (!has_powers_of_one_base(first, second))
        return 1;
    real_set_ratio(&exponent, first->index, first->divisor);
    real_set_ratio(&step, second->index, second->divisor);
    real_subtract(&step, &step, &exponent);
    real_set(&x, 1);
    if (real_sign(&step) <= 0 || !real_divide(&x, &x, &step) || !real_is_double(&x, divisor) ||
        !real_divide(&x, &exponent, &step) || !real_is_double(&x, index) || fabs(*index) > 0x1p40)
        return 1;
    for (; k < n && has_powers_of_one_base(first, &f[k * every].tone[component]); k++) {
        const sinpos_tone *t = &f[k * every].tone[component];
        const double left = t->index * *divisor, right = (*index + (double)k) * t->divisor;
        if (left != right || fabs(left) > 0x1p52)
            break;
    }
    return k;
}

/* Exponents in lowest terms, i/512 as 1/256 or 1/512, become i/512: the core then makes each with one product. */
static void join_progressions(frequency *f, size_t n, size_t every, int component)
{
    for (size_t start = 0, many; start + 1 < n; start += many) {
        double index, divisor;
        many = count_progression(f + start * every, n - start, every, component, &index, &divisor);
        for (size_t k = 0; many > 1 && k < many; k++) {
            sinpos_tone *t = &f[(start + k) * every].tone[component];
            t->index = index + (double)k;
            t->divisor = divisor;
        }
    }
}

static bool frequencies_of(build *b, size_t list, bool negated)
{
    scope *s = &b->s;
    s->loop[LOOP_a] = (double)list;
    s->loop[LOOP_n] = (double)b->counts[list];
    for (size_t i = 0; i < b->counts[list]; i++) {
        frequency *f = &b->frequencies[b->offsets[list] + i];
        s->loop[LOOP_i] = (double)i;
        f->axis = list;
        f->is_absent = i % b->every != 0 && i + 1 != b->counts[list];
        if (f->is_absent)
            continue;
        if (!axis_of(b, &f->axis))
            return false;
        s->loop[LOOP_a] = (double)f->axis;
        for (int component = 0; component < (b->has_components ? 2 : 1); component++)
            if (!make_frequency(b, f, component, negated))
                return false;
        if (b->v != NULL && !build_voice(b, list, i))
            return false;
    }
    const size_t n_made = b->counts[list] / b->every + (b->counts[list] % b->every != 0);
    for (int component = 0; component < (b->has_components ? 2 : 1); component++)
        join_progressions(&b->frequencies[b->offsets[list]], n_made, b->every, component);
    return true;
}

bool build_frequencies(build *b)
{
    const sinpos_convention *c = b->convention;
    scope *s = &b->s;
    bool negated;
    size_t is_mixed;
    if (!build_size(b, c->mixed, 0, &is_mixed))
        return false;
    b->is_mixed = is_mixed != 0;
    if (!count_all(b) || !is_negated(b, &negated))
        return false;
    b->has_components = formula_names(c->theta, "c") || formula_names(c->turns, "c") || formula_names(c->phase, "c") ||
                        formula_names(c->phase_turns, "c") || formula_names(c->amplitude, "c");
    b->frequencies = calloc(b->n_frequencies + 1, sizeof *b->frequencies);
    const bool listens = b->n_columns_of_x > b->n_axes || (b->is_mixed && b->n_axes > 1);
    b->listens = listens ? calloc(b->n_frequencies * (b->n_columns_of_x - 1) + 1, sizeof *b->listens) : NULL;
    if (b->frequencies == NULL || (listens && b->listens == NULL))
        return scope_fail(s, SINPOS_E_MEMORY, "out of memory");
    s->is_set[LOOP_i] = s->is_set[LOOP_a] = s->is_set[LOOP_n] = true;
    b->is_negated = negated;
    bool ok = true;
    const size_t n_lists = is_blank(c->axis) && !b->is_mixed ? b->n_axes : 1;
    for (size_t list = 0; list < n_lists && ok; list++)
        ok = frequencies_of(b, list, negated);
    s->is_set[LOOP_i] = s->is_set[LOOP_a] = s->is_set[LOOP_n] = s->is_set[LOOP_c] = false;
    return ok && (b->v == NULL || build_voices_ready(b));
}
