/* Arithmetic of an encoding: the formulas of its source, or a recipe, traced for every frequency. */
#include <stdlib.h>
#include <string.h>

#include "build.h"

/* theta_i = scale (base_num / base_den)^(first + i step), where the frequencies of a list agree on it. */
struct schedule_guess {
    bool is_geometric;
    real base, scale, first, step;
    numbers at; /* room */
    trace t;
    schedule_numbers x;
};

bool build_arithmetic(build *b, sinpos_encoding *e, const sinpos_parameters *given)
{
    const parameter *wanted = parameters_find(given, "arithmetic");
    if (wanted == NULL || scope_find(&b->s, "arithmetic", strlen("arithmetic")) != NULL || wanted->v.kind == VALUE_NULL)
        return true;
    const char *name = wanted->v.kind == VALUE_TEXT ? wanted->v.text : "";
    if (strcmp(name, "exact") == 0)
        return true;
    if (b->every > 1)
        return scope_fail(&b->s, SINPOS_E_UNSUPPORTED, "stated roundings are of all frequencies or of none");
    const bool is_published = strcmp(name, "published") == 0;
    b->recipe = is_published ? NULL : sinpos_arithmetic_find(name);
    if (!is_published && b->recipe == NULL) {
        return scope_fail_about(&b->s, SINPOS_E_NAME, "arithmetic",
                                "there is no arithmetic '%.40s': exact, published or a recipe", name);
    }
    if (is_published && is_blank(b->convention->published_theta)) {
        return scope_fail(&b->s, SINPOS_E_UNSUPPORTED, "how the source of %s rounds is not recorded",
                          b->convention->name);
    }
    e->info.is_replayed = 1;
    e->v = b->v = calloc(1, sizeof *b->v);
    b->guess = calloc(1, sizeof *b->guess);
    return (b->v != NULL && b->guess != NULL) || scope_fail(&b->s, SINPOS_E_MEMORY, "out of memory");
}

/* -------------------------------------------------------------------------------------------- schedule of a list */

/* theta of frequency i of the list at hand, its power apart: 0 where it is none. */
static bool power_at(build *b, double i, real *base, real *exponent, real *scale)
{
    numbers *x = &b->guess->at;
    b->s.loop[LOOP_i] = i;
    if (!build_numbers(b, x))
        return false;
    real_set(base, 0);
    real_set(exponent, 0);
    *scale = x->theta;
    if (!x->theta.is_wide && x->theta.is_power) {
        real_set_quotient(base, x->theta.base_num, x->theta.base_den);
        real_set_quotient(exponent, x->theta.exp_num, x->theta.exp_den);
        real_set_quotient(scale, x->theta.num, x->theta.den);
    }
    return true;
}

/* From frequency 0 and the first after it that is a power. */
static bool guess_schedule(build *b, size_t n)
{
    enum { TRIED = 6 };
    struct schedule_guess *g = b->guess;
    const double i_before = b->s.loop[LOOP_i];
    real base, exponent, scale, steps;
    bool ok = power_at(b, 0, &g->base, &g->first, &g->scale), found = false;
    real_set(&base, 0);
    for (size_t i = 1; ok && !found && i < n && i < TRIED; i++) {
        ok = power_at(b, (double)i, &base, &exponent, &scale);
        found = ok && real_sign(&base) != 0;
        if (found) {
            real_set(&steps, (double)i);
            real_subtract(&g->step, &exponent, &g->first);
            real_divide(&g->step, &g->step, &steps);
        }
    }
    b->s.loop[LOOP_i] = i_before;
    g->is_geometric = found && real_sign(&g->step) != 0 && real_compare(&scale, &g->scale) == 0 &&
                      (real_sign(&g->base) == 0 || real_compare(&base, &g->base) == 0);
    if (found)
        g->base = base;
    return ok;
}

/* Is theta what the guess says of frequency i? */
static bool fits_schedule(const struct schedule_guess *g, const real *theta, double i)
{
    real power, exponent;
    if (!g->is_geometric)
        return false;
    real_set(&exponent, i);
    real_multiply(&exponent, &exponent, &g->step);
    real_add(&exponent, &exponent, &g->first);
    if (!real_power(&power, &g->base, &exponent, NULL))
        return false;
    real_multiply(&power, &power, &g->scale);
    return real_compare(&power, theta) == 0;
}

/* ---------------------------------------------------------------------------------------------------------- voices */

static void fill_numbers(struct schedule_guess *g, const numbers *x, double i)
{
    schedule_numbers *s = &g->x;
    s->is_geometric = fits_schedule(g, &x->theta, i);
    s->i = i;
    s->base = g->base;
    s->scale = g->scale;
    if (s->is_geometric) {
        real_set(&s->divisor, -1);
        real_divide(&s->divisor, &s->divisor, &g->step);
        real_divide(&s->first, &g->first, &g->step);
    } else {
        real_set(&s->base, 1);
        real_set(&s->divisor, 1);
        real_set(&s->first, 0);
        real_set(&s->scale, 1);
    }
    s->theta = x->theta;
    s->phase = x->phase_turns;
    s->amplitude = x->amplitude;
    if (x->in_turns) {
        real_turns_to_radians(&s->theta, &s->theta);
        if (s->is_geometric)
            real_turns_to_radians(&s->scale, &s->scale);
    }
    real_turns_to_radians(&s->phase, &s->phase);
    real_add(&s->phase, &s->phase, &x->phase);
}

static bool allocate_voices(build *b)
{
    voices *v = b->v;
    v->n_axes = b->n_axes;
    v->n_x = b->n_columns_of_x;
    v->all = calloc(b->n_frequencies + 1, sizeof *v->all);
    v->axes = calloc(b->n_axes + 1, sizeof *v->axes);
    if (v->all == NULL || v->axes == NULL)
        return scope_fail(&b->s, SINPOS_E_MEMORY, "out of memory");
    v->n = b->n_frequencies;
    for (size_t a = 0; a < b->n_axes; a++) {
        const axis_map *map = &b->maps[a];
        replay_axis *axis = &v->axes[a];
        real one;
        real_set(&one, 1);
        axis->first = map->column;
        axis->n_parts = map->n_parts;
        axis->is_x = map->n_parts == 1 && real_sign(&map->shift) == 0 && real_compare(&map->scale, &one) == 0;
        real_to_parts(&map->scale, axis->scale);
        real_to_parts(&map->shift, axis->shift);
    }
    return true;
}

/* Where sines and cosines have different formulas each has numbers of its own. */
static bool recipe_voices(build *b, double i, voice *v)
{
    struct schedule_guess *g = b->guess;
    for (int component = 0; component < (b->has_components ? 2 : 1); component++) {
        voice both = {.axis = v->axis};
        b->s.is_set[LOOP_c] = b->has_components;
        b->s.loop[LOOP_c] = component;
        if (!build_numbers(b, &g->at))
            return false;
        fill_numbers(g, &g->at, i);
        const bool ok = recipe_voice(&b->s, &g->t, b->recipe, &g->x, &both);
        if (component == 0) {
            *v = both;
        } else {
            program_free(&both.of[0]);
            program_free(&v->of[1]);
            v->of[1] = both.of[1];
        }
        if (!ok)
            return false;
    }
    return true;
}

bool build_voice(build *b, size_t list, size_t i)
{
    struct schedule_guess *g = b->guess;
    if (b->v->all == NULL && !allocate_voices(b))
        return false;
    voice *v = &b->v->all[b->offsets[list] + i];
    v->axis = b->frequencies[b->offsets[list] + i].axis;
    if (b->recipe != NULL && b->is_mixed) {
        return scope_fail(&b->s, SINPOS_E_UNSUPPORTED,
                          "frequencies of %s depend on several coordinates: no recipe "
                          "says how their products are added",
                          b->convention->name);
    }
    b->s.is_set[LOOP_c] = b->has_components;
    b->s.loop[LOOP_c] = 0;
    if (i == 0 && b->recipe != NULL && !guess_schedule(b, b->counts[list]))
        return false;
    if (b->recipe != NULL)
        return recipe_voices(b, (double)i, v);
    if (!build_numbers(b, &g->at))
        return false;
    const sinpos_convention *c = b->convention;
    const published formulas = {c->published_theta, c->published_angle, c->published_element};
    trace_clear(&g->t);
    return voice_trace(&b->s, &g->t, &formulas, &g->at.amplitude, v);
}

bool build_voices_ready(build *b)
{
    return (b->v->all != NULL || allocate_voices(b)) &&
           (voices_ready(b->v) || scope_fail(&b->s, SINPOS_E_MEMORY, "out of memory"));
}
