#include "subject.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

static void *allocate(size_t n, size_t size)
{
    void *p = calloc(n ? n : 1, size);
    if (p == NULL) {
        fprintf(stderr, "out of memory\n");
        exit(3);
    }
    return p;
}

#define PICK(r, list) ((list)[random_below((r), sizeof(list) / sizeof *(list))])

/* ------------------------------------------------------------------------------------- Random specifications */

static size_t random_dim(random_state *r)
{
    const size_t kind = random_below(r, 100);
    return 1 + random_below(r, kind < 60 ? 24 : kind < 85 ? 130 : 600);
}

static double random_base(random_state *r)
{
    static const double usual[] = {10000, 500000, 1e6, 100, 2, 3, 1, 0.5, 10, 500, 20, 1e-4, 0x1p40, 8, 81};
    const size_t kind = random_below(r, 100);
    if (kind < 70)
        return PICK(r, usual);
    if (kind < 80)
        return 1 + random_sign(r) * ldexp(1, -(int)(2 + random_below(r, 50)));
    return random_spread(r, kind < 95 ? -3 : -60, kind < 95 ? 30 : 60);
}

static double random_shift(random_state *r)
{
    static const double usual[] = {1, 0.5, -0.5, -3, 1.0 / 3, 2, 0.25};
    const size_t kind = random_below(r, 100);
    return kind < 65 ? 0 : kind < 90 ? PICK(r, usual) : random_sign(r) * random_spread(r, -60, 4);
}

static double random_divisor(random_state *r, double n)
{
    const double usual[] = {n - 1, n - 0.5, -n, n + 1, 1, 2, -3.5, n / 3, 2 * n};
    const size_t kind = random_below(r, 100);
    const double d = kind < 55 ? 0 : kind < 90 ? PICK(r, usual) : random_sign(r) * random_spread(r, 0, 9);
    return d;
}

static double random_scale(random_state *r)
{
    static const double usual[] = {-1, 1000, 1e-3, 6.283185307179586, 0.5, 2, 3, -0.125, 0.0625};
    const size_t kind = random_below(r, 1000);
    if (kind < 600)
        return 1;
    if (kind < 850)
        return PICK(r, usual);
    if (kind < 860)
        return 0;
    return random_sign(r) * (kind < 970 ? random_spread(r, -30, 30) : random_spread(r, -300, 300));
}

static double random_amplitude(random_state *r)
{
    static const double usual[] = {
        -1,         0.5,      2,        1 + 0x1p-24, 1 + 0x1p-11,       1 + 0x1p-8, 3 * 0x1p-24,
        0x1p-24,    0x1p-25,  0x1p-149, 0x1p-150,    3 * 0x1p-150,      0x1p-133,   0x1p-134,
        65504,      65519.99, 65520,    FLT_MAX,     DBL_MAX,           DBL_MIN,    0x1p-1074,
        -0x1p-1074, 0,        -0.0,     8,           22.627416997969522};
    const size_t kind = random_below(r, 100);
    if (kind < 55)
        return 1;
    if (kind < 85)
        return PICK(r, usual);
    return random_sign(r) * (kind < 95 ? random_spread(r, -20, 10) : random_spread(r, -1070, 900));
}

static double random_phase(random_state *r)
{
    static const double usual[] = {1.5707963267948966, -1.25, 3.141592653589793, 1, 1e-9, -0x1p-1074, 1e22};
    const size_t kind = random_below(r, 100);
    if (kind < 68)
        return 0;
    if (kind < 88)
        return PICK(r, usual);
    return random_sign(r) * (kind < 97 ? random_spread(r, -40, 8) : random_spread(r, -1000, 1000));
}

static double random_phase_turns(random_state *r)
{
    static const double usual[] = {0.25,     0.5,     -0.25, 0.125, 0.375,      -0.75,
                                   1.0 / 12, 1.0 / 3, 1,     7.25,  -0x1p-1074, 0.0625};
    const size_t kind = random_below(r, 100);
    if (kind < 65)
        return 0;
    if (kind < 90)
        return PICK(r, usual);
    return random_sign(r) * (kind < 98 ? random_spread(r, -40, 40) : random_spread(r, -1000, 1000));
}

static double random_theta(random_state *r)
{
    static const double usual[] = {0,        1,      -1,        0.5,    0.25, 0.125,
                                   1.0 / 12, 3,      0x1p-1074, 1e-300, 1e-9, 3.14159265358979312,
                                   1e15,     0x1p60, -0.75,     0.0625, 1e-5};
    const size_t kind = random_below(r, 100);
    if (kind < 40)
        return PICK(r, usual);
    if (kind < 75)
        return random_unit(r);
    return random_sign(r) * (kind < 98 ? random_spread(r, -60, 40) : random_spread(r, -1000, 1000));
}

static double random_exponent(random_state *r)
{
    static const double usual[] = {1, 2, 0.5, 3, -1, 0, 1.5, 4, 10, -0.5, 0.25, 100};
    return random_chance(r, 80) ? PICK(r, usual) : random_sign(r) * random_spread(r, -8, 5);
}

static double random_frequency_factor(random_state *r)
{
    static const double usual[] = {1, 2, 3, 8, -1, 0.1, 12, 1e3, 1.0 / 3};
    return random_chance(r, 80) ? PICK(r, usual) : random_sign(r) * random_spread(r, -30, 30);
}

/* A power schedule keeps its argument above zero; a geometric one its frequencies within 2^+-900. */
static void tame(sinpos_spec *s, double n)
{
    const double d = s->divisor != 0 ? s->divisor : n;
    const double last = n + fabs(s->shift);
    if (s->schedule == SINPOS_POWER && (d <= 0 || n + s->shift >= d))
        s->divisor = n + fabs(s->shift) + 1;
    const double span = fabs((log2(s->base) - log2(s->base_divisor)) * last / d);
    if (s->schedule == SINPOS_GEOMETRIC && span > 900) {
        s->divisor = n;
        s->base_divisor = 1;
        s->shift = 0;
    }
    if (s->schedule == SINPOS_POWER && fabs(s->exponent) > 64)
        s->exponent = 2;
}

static void random_fields(sinpos_spec *s, random_state *r)
{
    static const sinpos_schedule schedules[] = {SINPOS_GEOMETRIC, SINPOS_GEOMETRIC, SINPOS_GEOMETRIC, SINPOS_GEOMETRIC,
                                                SINPOS_POWER,     SINPOS_OCTAVE,    SINPOS_TURNS,     SINPOS_EXPLICIT};
    *s = (sinpos_spec)SINPOS_SPEC_INIT;
    s->dim = random_dim(r);
    s->schedule = PICK(r, schedules);
    s->layout = random_chance(r, 50) ? SINPOS_HALVES : SINPOS_INTERLEAVED;
    s->order = random_chance(r, 50) ? SINPOS_SIN_COS : SINPOS_COS_SIN;
    s->odd = random_chance(r, 50) ? SINPOS_TRUNCATE : SINPOS_ZERO;
    s->types = random_chance(r, 60) ? 0 : 1 + (unsigned)random_below(r, 15);
    s->base = random_base(r);
    s->base_divisor = random_chance(r, 75) ? 1 : random_chance(r, 50) ? 3 : random_spread(r, -10, 10);
    s->exponent = random_exponent(r);
    s->shift = random_shift(r);
    const double n = (double)(s->dim + 1) / 2;
    s->divisor = random_divisor(r, floor(n));
    s->scale = random_scale(r);
    s->amplitude = random_amplitude(r);
    s->phase = random_phase(r);
    s->phase_turns = random_phase_turns(r);
    tame(s, n);
}

static void random_lists(subject *s, random_state *r)
{
    const size_t n = s->spec.odd == SINPOS_ZERO ? s->spec.dim / 2 : (s->spec.dim + 1) / 2;
    if (s->spec.schedule == SINPOS_TURNS || s->spec.schedule == SINPOS_EXPLICIT) {
        s->theta = allocate(n, sizeof *s->theta);
        for (size_t i = 0; i < n; i++)
            s->theta[i] = random_theta(r);
        s->spec.theta = s->theta;
        s->spec.n_theta = n;
    }
    if (random_chance(r, 20)) {
        s->factor = allocate(n, sizeof *s->factor);
        for (size_t i = 0; i < n; i++)
            s->factor[i] = random_frequency_factor(r);
        s->spec.factor = s->factor;
        s->spec.n_factor = n;
    }
}

static void expand(subject *s)
{
    s->is_spec = true;
    s->dim = s->spec.dim;
    s->n_axes = 1;
    s->types = s->spec.types;
    s->tones = allocate(s->dim, sizeof *s->tones);
    s->n_tones = expand_spec(&s->spec, s->tones);
}

/* ------------------------------------------------------------------------------------------ Random tone lists */

static void random_tone(sinpos_tone *t, random_state *r, size_t n_axes)
{
    sinpos_spec s;
    do
        random_fields(&s, r);
    while (s.schedule == SINPOS_OCTAVE || s.schedule == SINPOS_TURNS);
    const double n = (double)s.dim / 2;
    *t = (sinpos_tone){.schedule = s.schedule,
                       .in_turns = random_chance(r, 30),
                       .base = s.base,
                       .base_divisor = s.base_divisor,
                       .exponent = s.exponent,
                       .shift = s.shift,
                       .index = (double)random_below(r, (size_t)n + 1),
                       .divisor = s.divisor != 0 ? s.divisor : n + 1,
                       .scale = s.scale,
                       .value = s.schedule == SINPOS_EXPLICIT ? random_theta(r) : 0,
                       .factor = random_chance(r, 70) ? 1 : random_frequency_factor(r),
                       .phase = s.phase,
                       .phase_turns = s.phase_turns,
                       .amplitude = s.amplitude,
                       .axis = random_below(r, n_axes),
                       .sin_column = SINPOS_NO_COLUMN,
                       .cos_column = SINPOS_NO_COLUMN};
}

/*
 * Parts that add up to something of the kind of x: finer and finer ones, as an irrational number is written; or any,
 * which may cancel what stands before them.
 */
static void random_parts(double parts[SINPOS_PARTS], random_state *r, double x, double other)
{
    const size_t kind = random_below(r, 100);
    for (int k = 0; k < SINPOS_PARTS; k++)
        parts[k] = 0;
    if (kind < 30)
        return;
    if (kind < 75 && x != 0) {
        const int least = ilogb(x);
        for (int k = 0; k < SINPOS_PARTS && least - 53 * (k + 1) > -1060; k++)
            parts[k] = random_sign(r) * random_spread(r, least - 53 * (k + 1) - 2, least - 53 * (k + 1));
    } else if (kind < 85) {
        parts[random_below(r, SINPOS_PARTS)] = -x;
    } else if (kind < 95) {
        parts[0] = -x;
        parts[1] = other;
        parts[2] = random_chance(r, 50) ? ldexp(other, -(int)random_below(r, 500)) : 0;
    } else {
        for (int k = 0; k < SINPOS_PARTS; k++)
            parts[k] = random_sign(r) * random_spread(r, -300, 290);
    }
}

static void random_listens(sinpos_tone *t, sinpos_tone_more *m, sinpos_listen *listens, random_state *r, size_t n_axes)
{
    static const double divisors[] = {1, 1, 1, 3, 12, -2, 0.1, 7};
    m->listens = listens;
    for (size_t axis = 0; axis < n_axes; axis++) {
        if (axis == t->axis || random_chance(r, 40))
            continue;
        sinpos_listen *l = &listens[m->n_listens++];
        const double value = random_theta(r);
        *l = (sinpos_listen){.axis = axis, .divisor = PICK(r, divisors)};
        random_parts(l->coefficient, r, value, random_theta(r));
        if (random_chance(r, 60)) {
            memset(l->coefficient, 0, sizeof l->coefficient);
            l->coefficient[random_below(r, SINPOS_PARTS)] = value;
        }
    }
}

/* The simple fractions of a turn, of which sums may be exact. */
static void tame_turns(sinpos_tone *t, sinpos_tone_more *m, sinpos_listen *listens, random_state *r)
{
    static const double few[] = {0, 1, 2, -1, 0.25, 0.5, 3, 5};
    *m = (sinpos_tone_more){.struct_size = sizeof(sinpos_tone_more),
                            .listens = listens,
                            .n_listens = m->n_listens,
                            .phase_divisor = random_chance(r, 50) ? 3 : 12};
    t->schedule = SINPOS_EXPLICIT;
    t->in_turns = 1;
    t->scale = 1;
    t->value = PICK(r, few);
    t->factor = random_chance(r, 50) ? 3 : 4;
    t->phase = 0;
    t->phase_turns = PICK(r, few);
    m->phase[0] = random_chance(r, 30) ? PICK(r, few) : 0;
    for (size_t k = 0; k < m->n_listens; k++) {
        memset(listens[k].coefficient, 0, sizeof listens[k].coefficient);
        listens[k].coefficient[k] = PICK(r, few);
        listens[k].divisor = random_chance(r, 50) ? 3 : 5;
    }
}

static void random_more(subject *s, size_t i, random_state *r)
{
    static const double divisors[] = {1, 1, 3, -7, 12, 0.1};
    sinpos_tone *t = &s->tones[i];
    sinpos_tone_more *m = &s->more[i];
    sinpos_listen *listens = s->listens + i * SUBJECT_AXES;
    *m = (sinpos_tone_more){.struct_size = sizeof(sinpos_tone_more), .phase_divisor = PICK(r, divisors)};
    if (t->schedule == SINPOS_EXPLICIT)
        random_parts(m->value, r, t->value, random_theta(r));
    random_parts(m->phase, r, t->in_turns ? 0.3 : t->phase, random_phase(r));
    random_parts(m->amplitude, r, t->amplitude, random_amplitude(r));
    if (random_chance(r, 60))
        random_listens(t, m, listens, r, s->n_axes);
    if (random_chance(r, 25))
        tame_turns(t, m, listens, r);
    t->more = m;
}

static void random_columns(subject *s, random_state *r)
{
    ptrdiff_t *columns = allocate(s->dim, sizeof *columns);
    for (size_t i = 0; i < s->dim; i++)
        columns[i] = (ptrdiff_t)i;
    for (size_t i = s->dim; i > 1; i--) {
        const size_t j = random_below(r, i);
        const ptrdiff_t c = columns[j];
        columns[j] = columns[i - 1];
        columns[i - 1] = c;
    }
    size_t next = 0;
    for (size_t i = 0; i < s->n_tones; i++) {
        if (next < s->dim && random_chance(r, 95))
            s->tones[i].sin_column = columns[next++];
        if (next < s->dim && random_chance(r, 95))
            s->tones[i].cos_column = columns[next++];
    }
    free(columns);
}

static void random_list(subject *s, random_state *r, unsigned having_more)
{
    s->dim = 1 + random_below(r, random_chance(r, 80) ? 30 : 150);
    s->n_axes = 1 + random_below(r, SUBJECT_AXES);
    s->n_tones = random_below(r, s->dim / 2 + 2);
    if (s->n_tones > s->dim)
        s->n_tones = s->dim;
    s->types = random_chance(r, 70) ? 0 : 1 + (unsigned)random_below(r, 15);
    s->tones = allocate(s->dim, sizeof *s->tones);
    s->more = allocate(s->dim, sizeof *s->more);
    s->listens = allocate(s->dim * SUBJECT_AXES, sizeof *s->listens);
    for (size_t i = 0; i < s->n_tones; i++) {
        random_tone(&s->tones[i], r, s->n_axes);
        if (random_chance(r, having_more))
            random_more(s, i, r);
    }
    random_columns(s, r);
}

/* ------------------------------------------------------------------------------------------------- Subjects */

void subject_random(subject *s, random_state *r)
{
    *s = (subject){0};
    if (random_chance(r, 20)) {
        random_list(s, r, random_chance(r, 70) ? 0 : 20);
    } else {
        random_fields(&s->spec, r);
        random_lists(s, r);
        expand(s);
    }
    s->oracles = allocate(s->n_tones, sizeof(oracle_tone *));
}

void subject_more(subject *s, random_state *r)
{
    *s = (subject){0};
    random_list(s, r, 100);
    s->oracles = allocate(s->n_tones, sizeof(oracle_tone *));
}

void subject_default(subject *s, size_t dim, double base)
{
    *s = (subject){.spec = SINPOS_SPEC_INIT};
    s->spec.dim = dim;
    s->spec.base = base;
    expand(s);
    s->oracles = allocate(s->n_tones, sizeof(oracle_tone *));
}

sinpos_status subject_plan(subject *s)
{
    if (s->is_spec)
        return sinpos_plan_create(&s->plan, &s->spec);
    return sinpos_plan_create_tones(&s->plan, s->dim, s->n_axes, s->tones, s->n_tones, s->types, NULL);
}

oracle_tone *subject_oracle(subject *s, size_t tone)
{
    if (s->oracles[tone] == NULL)
        s->oracles[tone] = oracle_tone_create(&s->tones[tone]);
    return s->oracles[tone];
}

void subject_print(FILE *f, const subject *s)
{
    if (s->is_spec)
        print_spec(f, &s->spec);
    else
        fprintf(f, "  list: dim=%zu n_axes=%zu n_tones=%zu types=%u\n", s->dim, s->n_axes, s->n_tones, s->types);
}

void subject_destroy(subject *s)
{
    sinpos_plan_destroy(s->plan);
    for (size_t i = 0; i < s->n_tones; i++)
        oracle_tone_destroy(s->oracles[i]);
    free(s->oracles);
    free(s->tones);
    free(s->more);
    free(s->listens);
    free(s->theta);
    free(s->factor);
}

/* ------------------------------------------------------------------------------------------------ Positions */

/* near a multiple of pi / theta, or of its half: a tiny sine, or a tiny cosine */
static double near_multiple(subject *s, random_state *r)
{
    if (s->n_tones == 0)
        return 0;
    const double theta = fabs(oracle_theta(subject_oracle(s, random_below(r, s->n_tones))));
    if (!(theta > 0) || theta > 1e300)
        return 1;
    const double unit = 1.5707963267948966 / theta;
    const double most = 0x1p62 / unit;
    if (!(most >= 1) || !(unit > 0))
        return 2;
    const double k = floor(random_spread(r, 0, most < 2 ? 0 : ilogb(most) > 60 ? 60 : ilogb(most) - 1));
    return random_sign(r) * k * unit;
}

int64_t random_integer_position(subject *s, random_state *r)
{
    const size_t kind = random_below(r, 100);
    if (kind < 30)
        return (int64_t)random_below(r, 4096);
    if (kind < 38)
        return -(int64_t)random_below(r, 4096);
    if (kind < 45)
        return INT64_MAX - (int64_t)random_below(r, 1000);
    if (kind < 50)
        return -INT64_MAX + (int64_t)random_below(r, 1000);
    if (kind < 60) {
        const double p = near_multiple(s, r);
        return fabs(p) < 0x1p62 ? (int64_t)nearbyint(p) : 0;
    }
    if (kind < 75)
        return (int64_t)random_below(r, (size_t)1 << 20);
    return random_int64_bits(r);
}

double random_real_position(subject *s, random_state *r)
{
    static const double usual[] = {
        0,    -0.0,    1,    0.5,   1e-300, 0x1p-1074, -1e-300, 0x1.fffffffffffffp62, -0x1.fffffffffffffp62,
        0.25, 0x1p-30, 1e18, 999.5, 1.0 / 3};
    const size_t kind = random_below(r, 100);
    if (kind < 20)
        return PICK(r, usual);
    if (kind < 40)
        return random_unit(r) * 1000;
    if (kind < 50)
        return (double)random_integer_position(s, r) * 0.5;
    if (kind < 60) {
        const double p = near_multiple(s, r);
        return fabs(p) < 0x1p62 ? p : 0;
    }
    if (kind < 70)
        return random_sign(r) * random_spread(r, -1073, 62);
    return random_sign(r) * random_spread(r, -60, 62);
}

uint64_t random_element(random_state *r, sinpos_type type)
{
    const size_t kind = random_below(r, 100);
    if (kind < 15) /* any bits: infinities, NaNs, subnormals */
        return random_u64(r) >> (64 - 8 * type_size(type));
    if (kind < 25)
        return oracle_round_double(type, random_sign(r) * 0.0);
    if (kind < 40)
        return oracle_round_double(type, random_sign(r) * random_spread(r, -30, 14));
    if (kind < 55) { /* near the largest or the least, where products leave the range */
        const double most = type == SINPOS_F64 ? 0x1p1021 : type == SINPOS_F16 ? 0x1p14 : 0x1p126;
        const double least = type == SINPOS_F64   ? 0x1p-1074
                             : type == SINPOS_F16 ? 0x1p-24
                             : type == SINPOS_F32 ? 0x1p-149
                                                  : 0x1p-133;
        const double size = random_unit(r) < 0.7 ? most * (1 + random_unit(r)) : least * (1 + 40 * random_unit(r));
        return oracle_round_double(type, random_sign(r) * size);
    }
    return oracle_round_double(type, random_sign(r) * random_unit(r) * 2);
}
