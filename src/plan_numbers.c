/* The numbers of a plan: exact frequencies, angles, amplitudes and bounds of its tones, and the rotation tables. */
#include <math.h>
#include <string.h>

#include "internal.h"

/* ------------------------------------------------------------------------------------------- Frequencies */

/* Powers of one base that differ in the index and the factor alone. */
static bool in_one_schedule(const sinpos_tone *a, const sinpos_tone *b)
{
    return a->schedule == SINPOS_GEOMETRIC && b->schedule == SINPOS_GEOMETRIC && a->base == b->base &&
           a->base_divisor == b->base_divisor && a->shift == b->shift && a->divisor == b->divisor &&
           a->scale == b->scale && a->scale != 0 && a->in_turns == b->in_turns;
}

static bool continues(const sinpos_tone *a, const sinpos_tone *b)
{
    return in_one_schedule(a, b) && b->index == a->index + 1 && fabs(b->index) < 0x1p52;
}

/* Copies of a cosine, or a cosine and its sine, as tones of their own. */
static bool repeats(const sinpos_tone *a, const sinpos_tone *b)
{
    if (a->schedule != SINPOS_EXPLICIT)
        return in_one_schedule(a, b) && a->index == b->index;
    const bool same_parts =
        (a->more == NULL && b->more == NULL) ||
        (a->more != NULL && b->more != NULL && memcmp(a->more->value, b->more->value, sizeof a->more->value) == 0);
    return b->schedule == SINPOS_EXPLICIT && a->value == b->value && a->scale == b->scale &&
           a->in_turns == b->in_turns && same_parts;
}

/* The recurrence of a geometric schedule: last is the F of the last tone, its factor left out. */
typedef struct chain {
    wide last, ratio;
    size_t steps; /* tones since last was made from the definition; 0: nothing is valid */
    bool has_ratio;
} chain;

static void start_chain(chain *c, const sinpos_tone *tone, bool same_schedule)
{
    sinpos_tone t = *tone;
    t.factor = 1;
    tone_turns(EXACT_LIMBS, &t, &c->last);
    c->steps = 1;
    c->has_ratio = c->has_ratio && same_schedule;
}

static void step_chain(chain *c, const sinpos_tone *tone)
{
    if (!c->has_ratio) {
        sinpos_tone t = *tone;
        t.index = t.factor = t.scale = 1;
        t.shift = 0;
        t.in_turns = 1;
        tone_turns(EXACT_LIMBS, &t, &c->ratio);
        c->has_ratio = true;
    }
    wide_mul(EXACT_LIMBS, &c->last, &c->last, &c->ratio);
    c->steps++;
}

/* F of every tone. A geometric schedule is two logarithms, two exponentials, and one product per tone. */
static void set_turns(sinpos_plan *plan)
{
    chain c;
    c.steps = 0;
    c.has_ratio = false;
    for (size_t i = 0; i < plan->n_padded; i++) {
        exact_turns *kept = &plan->turns[i];
        const size_t index = plan->tone_of[i];
        if (index == UINT32_MAX) {
            memset(kept, 0, sizeof *kept);
            continue;
        }
        const sinpos_tone *t = &plan->tones[index];
        const bool follows = c.steps > 0 && index > 0 && i > 0 && plan->tone_of[i - 1] == index - 1;
        const bool linked = follows && continues(t - 1, t);
        if (linked && c.steps < CHAIN_STEPS)
            step_chain(&c, t);
        else if (!follows || !repeats(t - 1, t))
            start_chain(&c, t, linked);
        if (t->factor == 1) {
            turns_from_wide(kept, &c.last);
            continue;
        }
        wide factor, quotient;
        wide_set_double(EXACT_LIMBS, &factor, t->factor);
        wide_div(EXACT_LIMBS, &quotient, &c.last, &factor);
        turns_from_wide(kept, &quotient);
    }
}

/* F exceeds what 320 bits can reduce, unless it is exact; or floats cannot hold the low halves of its rotations. */
static bool out_of_reach(const sinpos_tone *t, const exact_turns *f)
{
    const bool exact = t->schedule == SINPOS_EXPLICIT && t->in_turns && t->factor == 1 && t->more == NULL;
    return f->sign != 0 && (f->exponent < -60 || (f->exponent > 100 && !exact));
}

static bool amplitude_out_of_reach(double a)
{
    return fabs(a) < 0x1p-300 || fabs(a) > 0x1p300;
}

static bool phase_out_of_reach(const sinpos_tone *t)
{
    if (t->more == NULL)
        return fabs(t->phase) > 0x1p100 || fabs(t->phase_turns) > 0x1p100;
    return tone_phase_exponent(t) > 100;
}

/* u = 4 F, and r, that modulo 4, as three doubles each. */
static void set_quarters(const exact_turns *f, double u[3], double r[3])
{
    wide w;
    turns_to_wide(f, 2, &w);
    wide_to_doubles(EXACT_LIMBS, &w, u, 3);
    memcpy(r, u, 3 * sizeof *r);
    if (fabs(u[0]) >= 2)
        plan_quarters(f, 0, r, 3);
}

/* The further coordinates of a tone; false if one of them is the ladder's. */
static bool set_further(sinpos_plan *plan, size_t i, const sinpos_tone *t)
{
    bool fast = true;
    further *to = plan->more->further + plan->more->further_of[i];
    for (size_t k = 0; t->more != NULL && k < t->more->n_listens; k++, to++) {
        wide f;
        listen_turns(EXACT_LIMBS, t, &t->more->listens[k], &f);
        turns_from_wide(&to->turns, &f);
        to->axis = t->more->listens[k].axis;
        fast = fast && (f.sign == 0 || f.exponent <= 100);
        set_quarters(&to->turns, to->u, to->r);
    }
    plan->more->further_of[i + 1] = (size_t)(to - plan->more->further);
    return fast;
}

static void set_phase(sinpos_plan *plan, size_t i, const sinpos_tone *t)
{
    double parts[2] = {0, 0};
    if (!phase_out_of_reach(t)) {
        wide turns;
        tone_phase(EXACT_LIMBS, t, &turns);
        exact_turns f;
        turns_from_wide(&f, &turns);
        plan_quarters(&f, 0, parts, 2);
    }
    plan->phase[0][i] = parts[0];
    plan->phase[1][i] = parts[1];
    const double eighths = MAGIC_EIGHTHS + parts[0];
    plan->phase_eighths[i] = eighths;
    plan->phase_rest[i] = parts[0] - (eighths - MAGIC_EIGHTHS) + parts[1];
}

static void set_tone_numbers(sinpos_plan *plan, size_t i, const sinpos_tone *t)
{
    double u[3], r[3], amplitude[2] = {t->amplitude, 0};
    const exact_turns *f = &plan->turns[i];
    if (t->more != NULL)
        tone_amplitude_pair(t, amplitude);
    const bool fits = plan->more == NULL || set_further(plan, i, t);
    const bool slow = !fits || out_of_reach(t, f) || amplitude_out_of_reach(amplitude[0]) || phase_out_of_reach(t);
    set_quarters(f, u, r);
    if (slow) { /* any finite angle will do: the infinite bound sends every element to element_round() */
        u[0] = r[0] = 1;
        u[1] = u[2] = r[1] = r[2] = 0;
    }
    for (int k = 0; k < 3; k++) {
        plan->u[k][i] = u[k];
        plan->r[k][i] = r[k];
    }
    plan->has_slow = plan->has_slow || slow;
    plan->amplitude[i] = slow ? 1 : amplitude[0];
    if (plan->more != NULL)
        plan->more->amplitude_low[i] = slow ? 0 : amplitude[1];
    plan->bound[i] = slow ? INFINITY : fabs(amplitude[0]) * UNIT_BOUND;
    plan->slope[i] = slow ? INFINITY : SLOPE_FACTOR * fabs(u[0]) * plan->bound[i];
    plan->unit_amplitude = plan->unit_amplitude && !slow && amplitude[0] == 1 && amplitude[1] == 0;
    if (!slow && fabs(u[0]) > plan->largest_u)
        plan->largest_u = fabs(u[0]);
    if (plan->has_phase)
        set_phase(plan, i, t);
}

static void set_padding(sinpos_plan *plan, size_t i)
{
    for (int k = 0; k < 3; k++)
        plan->u[k][i] = plan->r[k][i] = 0;
    plan->amplitude[i] = 1;
    plan->bound[i] = plan->slope[i] = 0;
    if (plan->has_phase)
        plan->phase[0][i] = plan->phase[1][i] = plan->phase_rest[i] = plan->phase_eighths[i] = 0;
    if (plan->more != NULL) {
        plan->more->amplitude_low[i] = 0;
        plan->more->further_of[i + 1] = plan->more->further_of[i];
    }
}

static void set_numbers(sinpos_plan *plan)
{
    plan->unit_amplitude = true;
    if (plan->more != NULL)
        plan->more->further_of[0] = 0;
    for (size_t i = 0; i < plan->n_padded; i++)
        if (plan->tone_of[i] == UINT32_MAX)
            set_padding(plan, i);
        else
            set_tone_numbers(plan, i, &plan->tones[plan->tone_of[i]]);
}

/* r / 4, times 2^64, to the nearest integer but for 2^-20 of it. */
static uint64_t bits_of_quarters(const double r[3])
{
    const double upper = nearbyint(r[0] * 0x1p30); /* exact, as is what is left */
    const double rest = (r[0] - upper * 0x1p-30) * 0x1p62 + r[1] * 0x1p62;
    return ((uint64_t)(int64_t)upper << 32) + (uint64_t)(int64_t)nearbyint(rest);
}

static void set_turn_bits(sinpos_plan *plan)
{
    for (size_t i = 0; i < plan->n_padded && plan->turn_bits != NULL; i++)
        plan->turn_bits[i] = bits_of_quarters((double[]){plan->r[0][i], plan->r[1][i], plan->r[2][i]});
}

/* Within each segment, from its end. */
static void set_u_after(sinpos_plan *plan)
{
    for (size_t s = 0; s < plan->n_segments; s++) {
        const size_t first = plan->segments[s].first / LANES, n = padded_count(plan->segments[s].count) / LANES;
        double largest = 0;
        for (size_t i = n; i-- > 0;) {
            for (size_t lane = 0; lane < LANES; lane++) {
                const double u = fabs(plan->u[0][(first + i) * LANES + lane]);
                largest = u > largest ? u : largest;
            }
            plan->u_after[first + i] = largest;
        }
    }
}

/* ---------------------------------------------------------------------------------------- Rotation tables */

static void set_rotations_of(sinpos_plan *plan, size_t first, size_t n, const kernels *k)
{
    ALIGNED(64) double ones[CHUNK], zeros[CHUNK], sine_low[CHUNK], cosine_low[CHUNK];
    for (size_t i = 0; i < n; i++) {
        ones[i] = 1;
        zeros[i] = 0;
    }
    for (size_t r = 0; r <= REACH; r++) {
        const angles a = {.low_position = (double)r,
                          .low = {plan->r[0] + first, plan->r[1] + first, plan->r[2] + first},
                          .amplitude = ones,
                          .bound = zeros,
                          .slope = zeros,
                          .u = {zeros, zeros},
                          .unit_amplitude = true,
                          .n = n};
        const size_t at = r * plan->n_padded + first;
        if (plan->types & SINPOS_F64) {
            k->anchor_dd(&a, plan->rotation_sin + at, sine_low, plan->rotation_cos + at, cosine_low, zeros);
            for (size_t i = 0; i < n; i++) {
                plan->rotation_sin_low[at + i] = (float)sine_low[i];
                plan->rotation_cos_low[at + i] = (float)cosine_low[i];
            }
        } else {
            k->anchor(&a, plan->rotation_sin + at, plan->rotation_cos + at, zeros);
        }
        if (plan->types & (SINPOS_F16 | SINPOS_BF16)) {
            k->narrow(plan->rotation_sin + at, n, plan->rotation_sin_floats + at);
            k->narrow(plan->rotation_cos + at, n, plan->rotation_cos_floats + at);
        }
    }
}

static void set_rotations(sinpos_plan *plan)
{
    const kernels *k = kernels_active();
    for (size_t first = 0; first < plan->n_padded; first += CHUNK) {
        const size_t left = plan->n_padded - first;
        set_rotations_of(plan, first, left < CHUNK ? left : CHUNK, k);
    }
}

void plan_set_numbers(sinpos_plan *plan)
{
    set_turns(plan);
    set_numbers(plan);
    set_turn_bits(plan);
    set_u_after(plan);
    set_rotations(plan);
}
