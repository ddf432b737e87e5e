#include "spec_of_plan.h"

#include <math.h>
#include <stdlib.h>

#include "plan_tones.h"

/* Do both have the same frequencies, compared as doubles, and the same of all else? */
static bool same_tones(const struct plan_tones *a, const struct plan_tones *b)
{
    bool same = a->n == b->n;
    for (size_t k = 0; same && k < a->n; k++) {
        const sinpos_tone *x = &a->tones[k], *y = &b->tones[k];
        same = a->theta[k] == b->theta[k] && x->sin_column == y->sin_column && x->cos_column == y->cos_column &&
               x->amplitude == y->amplitude && x->phase == y->phase && x->phase_turns == y->phase_turns;
    }
    return same;
}

/* *has_memory becomes false where memory fails. */
static bool makes_the_same(const sinpos_spec *spec, const struct plan_tones *wanted, bool *has_memory)
{
    OWNED_PLAN sinpos_plan *plan = NULL;
    RELEASED_BY(plan_tones_free) struct plan_tones tones = {NULL, NULL, 0};
    sinpos_status status = sinpos_spec_check(spec, NULL);
    status = status != SINPOS_OK ? status : sinpos_plan_create(&plan, spec);
    *has_memory = status != SINPOS_E_MEMORY && (status != SINPOS_OK || plan_tones_take(&tones, plan) == SINPOS_OK);
    return *has_memory && status == SINPOS_OK && same_tones(&tones, wanted);
}

/* Layout and order as the first tone shows them. */
static void take_columns(sinpos_spec *spec, const struct plan_tones *tones)
{
    const ptrdiff_t first = tones->tones[0].sin_column, second = tones->tones[0].cos_column;
    spec->order = first <= second ? SINPOS_SIN_COS : SINPOS_COS_SIN;
    spec->layout = llabs((long long)(first - second)) == 1 && spec->dim > 2 ? SINPOS_INTERLEAVED : SINPOS_HALVES;
    spec->layout = spec->dim <= 2 ? SINPOS_INTERLEAVED : spec->layout;
    spec->amplitude = tones->tones[0].amplitude;
    spec->phase = tones->tones[0].phase;
    spec->phase_turns = tones->tones[0].phase_turns;
    spec->odd = SINPOS_ZERO;
}

/* theta_k = scale base^(-k / divisor), with a base that people use where the ratio of frequencies allows it. */
static bool find_geometric(sinpos_spec *spec, const struct plan_tones *tones, bool *has_memory)
{
    const double half = (double)(spec->dim / 2), n = (double)tones->n;
    const double divisors[] = {half, n - 1, (double)spec->dim / 2, n, half - 1};
    const double ratio = tones->n > 1 ? log(tones->theta[0] / tones->theta[tones->n - 1]) / (n - 1) : log(10000) / half;
    spec->schedule = SINPOS_GEOMETRIC;
    spec->scale = tones->theta[0];
    for (size_t d = 0; *has_memory && d < sizeof divisors / sizeof divisors[0]; d++) {
        const double base = exp(ratio * divisors[d]), nearest = round(base);
        if (!(divisors[d] > 0) || !isfinite(base) || !(nearest > 0) || fabs(base / nearest - 1) > 1e-9)
            continue;
        spec->base = nearest;
        spec->divisor = divisors[d] == (double)spec->dim / 2 ? 0 : divisors[d];
        if (makes_the_same(spec, tones, has_memory))
            return true;
    }
    return false;
}

static bool is_plain(const struct plan_tones *tones, size_t n_axes)
{
    bool plain = n_axes == 1 && tones->n > 0;
    for (size_t k = 0; plain && k < tones->n; k++) {
        const sinpos_tone *t = &tones->tones[k];
        plain =
            (t->more == NULL || (t->more->n_listens == 0 && t->more->phase[0] == 0 && t->more->amplitude[0] == 0)) &&
            t->sin_column != SINPOS_NO_COLUMN && t->cos_column != SINPOS_NO_COLUMN;
    }
    return plain;
}

bool spec_of_plan(const sinpos_plan *plan, sinpos_spec *spec, double **theta, bool *is_exact)
{
    const sinpos_spec usual = SINPOS_SPEC_INIT;
    const unsigned types = spec->types;
    RELEASED_BY(plan_tones_free) struct plan_tones tones = {NULL, NULL, 0};
    bool has_memory = true;
    *theta = NULL;
    *is_exact = false;
    if (plan_tones_take(&tones, plan) != SINPOS_OK)
        return false;
    *spec = usual;
    spec->types = types;
    spec->dim = sinpos_plan_dim(plan);
    if (is_plain(&tones, sinpos_plan_axes(plan))) {
        take_columns(spec, &tones);
        *is_exact = find_geometric(spec, &tones, &has_memory);
    }
    if (has_memory && !*is_exact) {
        *spec = usual;
        spec->types = types;
        spec->schedule = SINPOS_EXPLICIT;
        spec->dim = 2 * tones.n;
        spec->n_theta = tones.n;
        spec->theta = *theta = tones.theta;
        tones.theta = NULL;
    }
    return has_memory;
}

static double sum(double first, const double more[SINPOS_PARTS])
{
    double rest = 0;
    for (size_t k = SINPOS_PARTS; k-- > 0;)
        rest += more[k];
    return first + rest;
}

static void make_plain(sinpos_tone *tone, double theta)
{
    const sinpos_tone_more *more = tone->more;
    if (more == NULL)
        return;
    const double phase = sum(0, more->phase), divisor = more->phase_divisor;
    tone->phase += tone->in_turns ? 0 : phase;
    tone->phase_turns = tone->phase_turns / divisor + (tone->in_turns ? phase : 0);
    tone->amplitude = sum(tone->amplitude, more->amplitude);
    tone->schedule = SINPOS_EXPLICIT;
    tone->in_turns = 0;
    tone->value = theta;
    tone->scale = tone->factor = 1;
    tone->more = NULL;
}

bool plain_plan(const sinpos_plan *plan, unsigned types, sinpos_plan **plain)
{
    RELEASED_BY(plan_tones_free) struct plan_tones tones = {NULL, NULL, 0};
    bool needs = false, can = sinpos_plan_axes(plan) == 1;
    *plain = NULL;
    if (plan_tones_take(&tones, plan) != SINPOS_OK)
        return false;
    for (size_t k = 0; k < tones.n; k++) {
        needs = needs || tones.tones[k].more != NULL;
        can = can && (tones.tones[k].more == NULL || tones.tones[k].more->n_listens == 0);
        make_plain(&tones.tones[k], tones.theta[k]);
    }
    return !needs || !can ||
           sinpos_plan_create_tones(plain, sinpos_plan_dim(plan), 1, tones.tones, tones.n, types, NULL) !=
               SINPOS_E_MEMORY;
}
