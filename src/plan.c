/* Making a plan: tones into segments, exact frequencies, and the rotation tables. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "internal.h"

enum { RUN = 8 }; /* shorter runs of columns are not worth a segment of their own */

/* ---------------------------------------------------------------------------------------------- Checking */

static sinpos_status take_column(ptrdiff_t column, const char *name, size_t dim, unsigned char *used,
                                 sinpos_error *error)
{
    if (column == SINPOS_NO_COLUMN)
        return SINPOS_OK;
    if (column < 0 || (size_t)column >= dim)
        return error_set(error, name, "a column must be below dim, or SINPOS_NO_COLUMN");
    if (used[column])
        return error_set(error, name, "another sine or cosine has this column");
    used[column] = 1;
    return SINPOS_OK;
}

static sinpos_status check_axes(const sinpos_tone *t, size_t n_axes, sinpos_error *error)
{
    if (t->axis >= n_axes)
        return error_set(error, "axis", "axis must be below n_axes");
    for (size_t i = 0; t->more != NULL && i < t->more->n_listens; i++)
        if (t->more->listens[i].axis >= n_axes)
            return error_set(error, "more.listens", "the axis of a further coordinate must be below n_axes");
    return SINPOS_OK;
}

static sinpos_status check_amplitude(const sinpos_tone *t, unsigned types, sinpos_error *error)
{
    const double amplitude = t->more == NULL ? fabs(t->amplitude) : tone_amplitude_size(t);
    for (unsigned type = 1; type <= SINPOS_BF16 && amplitude > 1; type <<= 1)
        if ((types & type) && amplitude > sinpos_type_limit((sinpos_type)type)) {
            error_set(error, "amplitude", "amplitude must not exceed the largest number of a type that was asked for");
            return error->status = SINPOS_E_OVERFLOW;
        }
    return SINPOS_OK;
}

/* The caller's tone as the library's own. */
static sinpos_status read_tone(sinpos_tone *own, sinpos_tone_more *more, const sinpos_tone *t, sinpos_error *error)
{
    *own = *t;
    if (t->more == NULL)
        return SINPOS_OK;
    own->more = more;
    if (SIZED_READ(more, t->more, n_listens))
        return SINPOS_OK;
    error_set(error, "more.struct_size",
              "struct_size must be sizeof(sinpos_tone_more), and unknown fields 0: "
              "start from SINPOS_TONE_MORE_INIT");
    return error->status = SINPOS_E_STRUCT;
}

/* known: the tone comes from a specification that was checked. */
static sinpos_status check_tone(const sinpos_tone *t, size_t dim, size_t n_axes, unsigned types, bool known,
                                unsigned char *used, sinpos_error *error)
{
    if (t->more != NULL && t->more->n_listens >= n_axes)
        return error_set(error, "more.n_listens", "n_listens must be less than the number of coordinates");
    sinpos_status status = known ? SINPOS_OK : tone_check(t, error);
    status = status != SINPOS_OK ? status : check_axes(t, n_axes, error);
    status = status != SINPOS_OK ? status : take_column(t->sin_column, "sin_column", dim, used, error);
    status = status != SINPOS_OK ? status : take_column(t->cos_column, "cos_column", dim, used, error);
    return status != SINPOS_OK ? status : check_amplitude(t, types, error);
}

/* ---------------------------------------------------------------------------------------------- Segments */

static size_t padded_count(size_t n)
{
    return (n + LANES - 1) / LANES * LANES;
}

/* How many tones from `list` on have the columns of the pattern that the first of them begins. */
static size_t run_length(const sinpos_tone *tones, const uint32_t *list, size_t n, ptrdiff_t step)
{
    const sinpos_tone *first = &tones[list[0]];
    if (first->sin_column < 0 || first->cos_column < 0)
        return 0;
    if (step == 2 && labs((long)(first->sin_column - first->cos_column)) != 1)
        return 0;
    size_t k = 1;
    while (k < n && tones[list[k]].axis == first->axis &&
           tones[list[k]].sin_column == first->sin_column + step * (ptrdiff_t)k &&
           tones[list[k]].cos_column == first->cos_column + step * (ptrdiff_t)k)
        k++;
    return k;
}

static size_t same_axis(const sinpos_tone *tones, const uint32_t *list, size_t n)
{
    size_t k = 1;
    while (k < n && tones[list[k]].axis == tones[list[0]].axis)
        k++;
    return k;
}

/* The next segment of the sorted list: how many tones it takes, and which pattern they have. */
static size_t next_segment(const sinpos_tone *tones, const uint32_t *list, size_t n, segment *s)
{
    const size_t all = same_axis(tones, list, n);
    size_t listed = 0;
    *s = (segment){.axis = tones[list[0]].axis, .pattern = COLUMNS_LISTED};
    while (listed < all) {
        const size_t pairs = run_length(tones, list + listed, all - listed, 2);
        const size_t split = run_length(tones, list + listed, all - listed, 1);
        const size_t run = pairs > split ? pairs : split;
        const bool worthwhile = run >= RUN || (run > 0 && run == all);
        if (worthwhile && listed > 0)
            return listed;
        if (worthwhile) {
            const sinpos_tone *first = &tones[list[0]];
            s->pattern = pairs >= split ? COLUMNS_PAIRS : COLUMNS_SPLIT;
            s->sin_column = first->sin_column;
            s->cos_column = first->cos_column;
            s->cos_first = first->cos_column < first->sin_column;
            return run;
        }
        listed += run > 0 ? run : 1;
    }
    return all;
}

/* Indices of the tones, stably sorted by coordinate. */
static bool sort_by_axis(const sinpos_tone *tones, size_t n, size_t n_axes, uint32_t *list)
{
    if (n_axes == 1) {
        for (size_t i = 0; i < n; i++)
            list[i] = (uint32_t)i;
        return true;
    }
    size_t *start = calloc(n_axes + 1, sizeof *start);
    if (start == NULL)
        return false;
    for (size_t i = 0; i < n; i++)
        start[tones[i].axis + 1]++;
    for (size_t a = 0; a < n_axes; a++)
        start[a + 1] += start[a];
    for (size_t i = 0; i < n; i++)
        list[start[tones[i].axis]++] = (uint32_t)i;
    free(start);
    return true;
}

static void lay_out(const sinpos_tone *tones, const uint32_t *list, size_t n, segment *segments, size_t *n_segments,
                    size_t *n_padded)
{
    *n_segments = *n_padded = 0;
    for (size_t done = 0; done < n;) {
        segment *s = &segments[(*n_segments)++];
        const size_t count = next_segment(tones, list + done, n - done, s);
        s->first = *n_padded;
        s->count = count;
        *n_padded += padded_count(count);
        done += count;
    }
}

/* -------------------------------------------------------------------------------------------- Allocation */

/* A part of the plan's one block: taken (base not NULL) or only counted. */
static void *part(char *base, size_t *at, size_t n, size_t bytes)
{
    void *here = base == NULL ? NULL : base + *at;
    *at += (n * bytes + 63) / 64 * 64;
    return here;
}

static void partition_more(sinpos_plan *plan, char *base, size_t *at)
{
    plan_more *more = part(base, at, 1, sizeof *plan->more), counted;
    plan->more = more;
    more = more == NULL ? &counted : more;
    more->tones = part(base, at, plan->n_more, sizeof *more->tones);
    more->listens = part(base, at, plan->n_further, sizeof *more->listens);
    more->further = part(base, at, plan->n_further, sizeof *more->further);
    more->further_of = part(base, at, plan->n_padded + 1, sizeof *more->further_of);
    more->amplitude_low = part(base, at, plan->n_padded, sizeof(double));
}

static void partition(sinpos_plan *plan, char *base, size_t *at)
{
    const size_t n = plan->n_padded;
    *at = (sizeof *plan + 63) / 64 * 64;
    plan->tones = part(base, at, plan->n_tones, sizeof *plan->tones);
    plan->tone_of = part(base, at, n, sizeof *plan->tone_of);
    plan->turns = part(base, at, n, sizeof *plan->turns);
    plan->segments = part(base, at, plan->n_segments, sizeof *plan->segments);
    plan->zero_columns = part(base, at, plan->n_zero_columns, sizeof *plan->zero_columns);
    for (int k = 0; k < 3; k++)
        plan->u[k] = part(base, at, n, sizeof(double));
    for (int k = 0; k < 3; k++)
        plan->r[k] = part(base, at, n, sizeof(double));
    for (int k = 0; k < 2; k++)
        plan->phase[k] = plan->has_phase ? part(base, at, n, sizeof(double)) : NULL;
    plan->phase_rest = plan->has_phase ? part(base, at, n, sizeof(double)) : NULL;
    plan->phase_eighths = plan->has_phase ? part(base, at, n, sizeof(double)) : NULL;
    plan->amplitude = part(base, at, n, sizeof(double));
    plan->bound = part(base, at, n, sizeof(double));
    plan->slope = part(base, at, n, sizeof(double));
    plan->u_after = part(base, at, n / LANES, sizeof(double));
    plan->rotation_sin = part(base, at, (REACH + 1) * n, sizeof(double));
    plan->rotation_cos = part(base, at, (REACH + 1) * n, sizeof(double));
    if (plan->types & SINPOS_F64) {
        plan->rotation_sin_low = part(base, at, (REACH + 1) * n, sizeof(float));
        plan->rotation_cos_low = part(base, at, (REACH + 1) * n, sizeof(float));
    }
    plan->more = NULL;
    if (plan->n_more > 0)
        partition_more(plan, base, at);
}

static sinpos_plan *allocate(const sinpos_plan *shape)
{
    sinpos_plan counted = *shape;
    size_t bytes;
    partition(&counted, NULL, &bytes);
    char *base = aligned_alloc(64, bytes);
    if (base == NULL)
        return NULL;
    sinpos_plan *plan = (sinpos_plan *)base;
    *plan = *shape;
    partition(plan, base, &plan->bytes);
    return plan;
}

/* ------------------------------------------------------------------------------------------- Frequencies */

static bool continues(const sinpos_tone *a, const sinpos_tone *b)
{
    return a->schedule == SINPOS_GEOMETRIC && b->schedule == SINPOS_GEOMETRIC && b->index == a->index + 1 &&
           fabs(b->index) < 0x1p52 && a->base == b->base && a->base_divisor == b->base_divisor &&
           a->shift == b->shift && a->divisor == b->divisor && a->scale == b->scale && a->scale != 0 &&
           a->in_turns == b->in_turns;
}

static void keep_turns(exact_turns *kept, const wide *f)
{
    kept->sign = f->sign;
    kept->exponent = f->sign == 0 ? 0 : f->exponent;
    for (size_t i = 0; i < EXACT_LIMBS; i++)
        kept->limb[i] = f->sign == 0 ? 0 : f->limb[i];
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
        const bool linked =
            c.steps > 0 && index > 0 && i > 0 && plan->tone_of[i - 1] == index - 1 && continues(t - 1, t);
        if (linked && c.steps < CHAIN_STEPS)
            step_chain(&c, t);
        else
            start_chain(&c, t, linked);
        if (t->factor == 1) {
            keep_turns(kept, &c.last);
            continue;
        }
        wide factor, quotient;
        wide_set_double(EXACT_LIMBS, &factor, t->factor);
        wide_div(EXACT_LIMBS, &quotient, &c.last, &factor);
        keep_turns(kept, &quotient);
    }
}

static void to_wide(const exact_turns *f, int64_t shift, wide *w)
{
    w->sign = f->sign;
    w->exponent = f->exponent + shift;
    memcpy(w->limb, f->limb, sizeof f->limb);
}

void plan_quarters(const exact_turns *f, int64_t shift, double *parts, size_t count)
{
    wide w;
    to_wide(f, 2 + shift, &w);
    wide_reduce_mod_4(EXACT_LIMBS, &w);
    if (w.sign != 0 && w.exponent > 1) { /* |w| >= 2: take the multiple of 4 nearest to it away */
        wide quarter;
        w.exponent -= 2;
        wide_copy(EXACT_LIMBS, &quarter, &w);
        wide_round_to_integer(EXACT_LIMBS, &w, &quarter);
        if (w.sign != 0)
            w.exponent += 2;
    }
    wide_to_doubles(EXACT_LIMBS, &w, parts, count);
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
    to_wide(f, 2, &w);
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
        keep_turns(&to->turns, &f);
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
        exact_turns f = {.sign = turns.sign, .exponent = turns.exponent};
        if (turns.sign != 0)
            memcpy(f.limb, turns.limb, sizeof f.limb);
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
    const bool heard = plan->more == NULL || set_further(plan, i, t);
    const bool slow = !heard || out_of_reach(t, f) || amplitude_out_of_reach(amplitude[0]) || phase_out_of_reach(t);
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
    for (size_t i = 0; i < plan->n_padded; i++) {
        if (plan->tone_of[i] == UINT32_MAX)
            set_padding(plan, i);
        else
            set_tone_numbers(plan, i, &plan->tones[plan->tone_of[i]]);
    }
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

/* ---------------------------------------------------------------------------------------------- Creation */

static void set_tone_of(sinpos_plan *plan, const uint32_t *list)
{
    memset(plan->tone_of, 0xff, plan->n_padded * sizeof *plan->tone_of);
    for (size_t s = 0; s < plan->n_segments; s++) {
        memcpy(plan->tone_of + plan->segments[s].first, list, plan->segments[s].count * sizeof *list);
        list += plan->segments[s].count;
    }
}

static void set_zero_columns(sinpos_plan *plan, const unsigned char *used)
{
    size_t n = 0;
    for (size_t j = 0; n < plan->n_zero_columns; j++)
        if (!used[j])
            plan->zero_columns[n++] = (uint32_t)j;
}

/* The plan's tones point to the plan's own copies. */
static void copy_more(sinpos_plan *plan)
{
    size_t n = 0, n_listens = 0;
    for (size_t i = 0; i < plan->n_tones && plan->more != NULL; i++) {
        if (plan->tones[i].more == NULL)
            continue;
        sinpos_tone_more *own = &plan->more->tones[n++];
        if (!SIZED_READ(own, plan->tones[i].more, n_listens)) /* it was read before */
            continue;
        sinpos_listen *listens = plan->more->listens + n_listens;
        for (size_t k = 0; k < own->n_listens; k++)
            listens[k] = own->listens[k];
        n_listens += own->n_listens;
        own->listens = own->n_listens > 0 ? listens : NULL;
        plan->tones[i].more = own;
    }
}

static void fill_in(sinpos_plan *plan, const sinpos_tone *tones, const uint32_t *list, const segment *segments,
                    const unsigned char *used)
{
    if (plan->n_tones > 0) { /* else tones may be NULL, which memcpy must not see */
        memcpy(plan->tones, tones, plan->n_tones * sizeof *tones);
        memcpy(plan->segments, segments, plan->n_segments * sizeof *segments);
    }
    copy_more(plan);
    set_tone_of(plan, list);
    set_zero_columns(plan, used);
    set_turns(plan);
    set_numbers(plan);
    set_u_after(plan);
    set_rotations(plan);
}

/* Everything after the checks; used[j] tells whether a tone names column j. */
static sinpos_status create_checked(sinpos_plan **out, sinpos_plan *shape, const sinpos_tone *tones,
                                    const unsigned char *used)
{
    uint32_t *list = malloc((shape->n_tones + 1) * sizeof *list);
    segment *segments = malloc((shape->n_tones + 1) * sizeof *segments);
    sinpos_plan *plan = NULL;
    if (list != NULL && segments != NULL && sort_by_axis(tones, shape->n_tones, shape->n_axes, list)) {
        lay_out(tones, list, shape->n_tones, segments, &shape->n_segments, &shape->n_padded);
        plan = allocate(shape);
    }
    if (plan != NULL)
        fill_in(plan, tones, list, segments, used);
    free(list);
    free(segments);
    *out = plan;
    return plan != NULL ? SINPOS_OK : SINPOS_E_MEMORY;
}

/* What a checked tone adds to the shape of its plan. */
static void count_tone(sinpos_plan *shape, const sinpos_tone *t)
{
    const double amplitude = t->more == NULL ? fabs(t->amplitude) : tone_amplitude_size(t);
    if (amplitude > shape->largest_amplitude)
        shape->largest_amplitude = amplitude;
    shape->n_zero_columns -= (size_t)((t->sin_column != SINPOS_NO_COLUMN) + (t->cos_column != SINPOS_NO_COLUMN));
    shape->has_phase = shape->has_phase || tone_has_phase(t);
    shape->n_more += t->more != NULL;
    shape->n_further += t->more != NULL ? t->more->n_listens : 0;
}

static sinpos_status check_sizes(size_t dim, size_t n_axes, size_t n_tones, unsigned types, sinpos_error *error)
{
    if (dim == 0 || dim > SINPOS_MAX_DIM)
        return error_set(error, "dim", "dim must be between 1 and 2^31");
    if (n_axes == 0 || n_axes > SINPOS_MAX_AXES)
        return error_set(error, "n_axes", "n_axes must be between 1 and 1024");
    if (n_tones > dim)
        return error_set(error, "n_tones", "there must not be more tones than columns");
    if (types & ~(unsigned)ALL_TYPES)
        return error_set(error, "types", "types must be a set of element types");
    return SINPOS_OK;
}

static sinpos_status create(sinpos_plan **out, size_t dim, size_t n_axes, const sinpos_tone *tones, size_t n_tones,
                            unsigned types, bool known, sinpos_error *error)
{
    if (tones == NULL && n_tones > 0)
        return SINPOS_E_NULL;
    sinpos_status status = check_sizes(dim, n_axes, n_tones, types, error);
    if (status != SINPOS_OK)
        return status;
    unsigned char *used = calloc(dim, 1);
    if (used == NULL)
        return SINPOS_E_MEMORY;
    sinpos_plan shape = {
        .dim = dim, .n_axes = n_axes, .n_tones = n_tones, .types = types ? types : ALL_TYPES, .n_zero_columns = dim};
    for (size_t i = 0; i < n_tones && status == SINPOS_OK; i++) {
        sinpos_tone tone;
        sinpos_tone_more more;
        error->tone = i;
        status = read_tone(&tone, &more, &tones[i], error);
        status = status != SINPOS_OK ? status : check_tone(&tone, dim, n_axes, types, known, used, error);
        if (status == SINPOS_OK)
            count_tone(&shape, &tone);
    }
    if (status == SINPOS_OK)
        status = create_checked(out, &shape, tones, used);
    free(used);
    return status;
}

sinpos_status sinpos_plan_create_tones(sinpos_plan **out, size_t dim, size_t n_axes, const sinpos_tone *tones,
                                       size_t n_tones, unsigned types, sinpos_error *error)
{
    BOUNDARY;
    sinpos_error found = SINPOS_ERROR_INIT;
    if (out == NULL)
        return SINPOS_E_NULL;
    *out = NULL;
    if (!error_is_fit(error))
        return SINPOS_E_STRUCT;
    return error_give(error, &found, create(out, dim, n_axes, tones, n_tones, types, false, &found));
}

sinpos_status sinpos_spec_tones(const sinpos_spec *spec, sinpos_tone *tones, size_t capacity)
{
    BOUNDARY;
    sinpos_spec own;
    sinpos_error found;
    const sinpos_status status = spec_read(&own, spec, &found);
    if (status != SINPOS_OK)
        return status;
    const size_t n = sinpos_spec_frequencies(&own);
    if (capacity < n)
        return SINPOS_E_CAPACITY;
    if (tones == NULL && n > 0)
        return SINPOS_E_NULL;
    spec_tones(&own, tones, n);
    return SINPOS_OK;
}

sinpos_status sinpos_plan_create(sinpos_plan **out, const sinpos_spec *given)
{
    BOUNDARY;
    sinpos_spec spec;
    sinpos_error found;
    if (out == NULL)
        return SINPOS_E_NULL;
    *out = NULL;
    sinpos_status status = spec_read(&spec, given, &found);
    if (status != SINPOS_OK)
        return status;
    const size_t n = sinpos_spec_frequencies(&spec);
    sinpos_tone *tones = malloc((n + 1) * sizeof *tones);
    if (tones == NULL)
        return SINPOS_E_MEMORY;
    spec_tones(&spec, tones, n);
    /* a schedule between two ends that were checked is within range; lists are not that regular */
    const bool known = spec.factor == NULL && spec.theta == NULL;
    status = create(out, spec.dim, 1, tones, n, spec.types, known, &found);
    free(tones);
    return status;
}

void sinpos_plan_destroy(sinpos_plan *plan)
{
    BOUNDARY;
    free(plan);
}

size_t sinpos_plan_dim(const sinpos_plan *plan)
{
    BOUNDARY;
    return plan == NULL ? 0 : plan->dim;
}

size_t sinpos_plan_axes(const sinpos_plan *plan)
{
    BOUNDARY;
    return plan == NULL ? 0 : plan->n_axes;
}

size_t sinpos_plan_bytes(const sinpos_plan *plan)
{
    BOUNDARY;
    return plan == NULL ? 0 : plan->bytes;
}

/* What is asked of a list of the plan's tones: how many there are, and is there room for them? */
static sinpos_status count_tones(const sinpos_plan *plan, const void *list, size_t capacity, size_t *n_tones)
{
    if (plan == NULL || n_tones == NULL)
        return SINPOS_E_NULL;
    *n_tones = plan->n_tones;
    return list != NULL && capacity < plan->n_tones ? SINPOS_E_CAPACITY : SINPOS_OK;
}

sinpos_status sinpos_plan_theta(const sinpos_plan *plan, double *theta_rad, size_t capacity, size_t *n_tones)
{
    BOUNDARY;
    const sinpos_status status = count_tones(plan, theta_rad, capacity, n_tones);
    if (status != SINPOS_OK || theta_rad == NULL)
        return status;
    for (size_t i = 0; i < plan->n_padded; i++)
        if (plan->tone_of[i] != UINT32_MAX)
            theta_rad[plan->tone_of[i]] = element_theta(&plan->tones[plan->tone_of[i]]);
    return SINPOS_OK;
}

sinpos_status sinpos_plan_tones(const sinpos_plan *plan, sinpos_tone *tones, size_t capacity, size_t *n_tones)
{
    BOUNDARY;
    const sinpos_status status = count_tones(plan, tones, capacity, n_tones);
    if (status == SINPOS_OK && tones != NULL && plan->n_tones > 0)
        memcpy(tones, plan->tones, plan->n_tones * sizeof *tones);
    return status;
}
