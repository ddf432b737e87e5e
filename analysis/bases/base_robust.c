/*
 * The base from which on every base passes. Above a certain base that is plain: most angles stay small, and the rest
 * cannot do worse than -1 each. From there down, boxes of offsets and of ln base are shown to hold no negative g, or are
 * split, until a base that fails ends it.
 */
#include <math.h>
#include <string.h>

#include "base_tones.h"
#include "boundary.h"
#include "two_pi.h"

enum { LANES = 8, LEVELS = 40 };
#define STRIP 0x1p-6 /* of ln base, for one thread at a time */
#define NARROWEST 0x1p-35

/* What halving the width of a box in ln base needs, for boxes of half width radius about some middle. */
typedef struct level {
    double radius;
    double *grow;   /* e^(e radius / 2): to the middle of the left half */
    double *shrink; /* e^(-e radius / 2): to that of the right half */
    double *first;  /* e^(e radius) - 1, not less */
    double *second; /* e^(e radius) - 1 - e radius, not less */
} level;

typedef struct boxes {
    const base_tones *t;
    size_t padded;    /* tones, with silent ones up to a multiple of LANES */
    double constant;  /* less one for each silent tone */
    double *exponent; /* (padded) */
    level levels[LEVELS];
    double floor; /* ln of a base that fails at floor_offset */
    int64_t floor_offset;
    uint64_t most; /* boxes for a strip */
    double top;    /* of the first strip of a batch */
    struct strip *strips;
    blocks memory;
} boxes;

typedef struct strip {
    double fails; /* largest ln base known to fail, at the offset */
    int64_t offset;
    double open; /* ln base up to which boxes were too narrow to go on with */
    uint64_t n_boxes;
    bool gave_up;
    double *turns; /* (LEVELS, padded) frequencies in turns at the middle of the box of each level */
} strip;

/* -------------------------------------------------------------------------------------------------------- one box */

typedef struct box {
    int64_t first, last;
    double middle; /* of ln base */
    int level;
} box;

typedef struct estimate {
    double least, centre;      /* a lower bound over the box; g at its middle */
    double by_offset, by_base; /* what the widths cost */
} estimate;

/* Taylor polynomials; for sizes up to pi / 2 wrong by less than 7e-12. */
static inline double short_sine(double y)
{
    const double z = y * y;
    return y * (1 + z * (-1. / 6 +
                         z * (1. / 120 +
                              z * (-1. / 5040 +
                                   z * (1. / 362880 +
                                        z * (-1. / 39916800 + z * (1. / 6227020800. + z * (-1. / 1307674368000.))))))));
}

static inline double short_cosine(double y)
{
    const double z = y * y;
    return 1 +
           z * (-1. / 2 +
                z * (1. / 24 + z * (-1. / 720 +
                                    z * (1. / 40320 + z * (-1. / 3628800 +
                                                           z * (1. / 479001600 + z * (-1. / 87178291200. +
                                                                                      z * (1. / 20922789888000.))))))));
}

typedef struct sums {
    double alone[LANES], centre[LANES], together[LANES], by_k[LANES], by_x[LANES], k_loss[LANES], x_loss[LANES];
} sums;

/*
 * Of one group of tones: with angle a at the middle, and t its change within the box, |t| <= w:
 * cos(a + t) >= max(-1, cos a - |sin a| w - w^2 / 2). Where w is small, the linear parts of t are added up before their
 * size is taken.
 */
static void add_group(sums *s, const double *turns, const double *exponent, const double *first, const double *second,
                      double k, double k_radius)
{
    for (int j = 0; j < LANES; j++) {
        const double at = k * turns[j], theta = turns[j] * TWO_PI, angle = at * TWO_PI;
        const double half = (at - ((at + 0x1.8p52) - 0x1.8p52)) * (TWO_PI / 2);
        const double sy = short_sine(half), cy = short_cosine(half);
        const double sine = 2 * sy * cy, cosine = 1 - 2 * sy * sy;
        const double k_part = theta * k_radius * (1 + first[j]), x_part = angle * first[j], w = k_part + x_part;
        const double alone = cosine - fabs(sine) * w - w * w / 2;
        const double low = alone > -1 ? alone : -1;
        const double is_slow = w < 0.5 ? 1 : 0;
        const double rest = theta * (k_radius * first[j] + k * second[j]);
        s->centre[j] += cosine;
        s->alone[j] += low;
        s->together[j] += is_slow * (cosine - w * w / 2 - fabs(sine) * rest) + (1 - is_slow) * low;
        s->by_k[j] += is_slow * sine * theta;
        s->by_x[j] += is_slow * sine * angle * exponent[j];
        s->k_loss[j] += k_part < 1 ? k_part : 1;
        s->x_loss[j] += x_part < 1 ? x_part : 1;
    }
}

static double total(const double lanes[LANES])
{
    return ((lanes[0] + lanes[1]) + (lanes[2] + lanes[3])) + ((lanes[4] + lanes[5]) + (lanes[6] + lanes[7]));
}

static estimate estimate_box(const boxes *all, const strip *s, const box *b)
{
    const level *l = &all->levels[b->level];
    const double *turns = s->turns + (size_t)b->level * all->padded;
    const int64_t k = b->first + (b->last - b->first) / 2;
    const double k_radius = (double)(b->last - k);
    sums sum = {{0}, {0}, {0}, {0}, {0}, {0}, {0}};
    for (size_t i = 0; i < all->padded; i += LANES)
        add_group(&sum, turns + i, all->exponent + i, l->first + i, l->second + i, (double)k, k_radius);
    const double together = total(sum.together) - fabs(total(sum.by_k)) * k_radius - fabs(total(sum.by_x)) * l->radius;
    const double alone = total(sum.alone);
    return (estimate){.least = all->constant + (together > alone ? together : alone),
                      .centre = all->constant + total(sum.centre),
                      .by_offset = total(sum.k_loss),
                      .by_base = total(sum.x_loss)};
}

/*
 * Frequencies have gone through 2 LEVELS roundings and an exponential of up to 18 or so (slower tones do not count), some
 * 120 times 2^-53 of the angle, and theta_sum is that of the lowest base; polynomials and sums, 10^-10 a tone.
 */
static double margin_at(const boxes *all, int64_t k)
{
    return (double)k * all->t->theta_sum * 0x1p-45 + (double)all->padded * 1e-10;
}

/* ----------------------------------------------------------------------------------------------------- all boxes */

static void split(const boxes *all, strip *s, const box *b, bool by_base);

/* Shows that g >= 0 over the box, or finds out how far up bases fail. */
static void settle_box(const boxes *all, strip *s, const box *b)
{
    const double radius = all->levels[b->level].radius;
    if (s->gave_up || b->middle + radius <= s->fails || ++s->n_boxes > all->most) {
        s->gave_up = s->gave_up || s->n_boxes > all->most;
        return;
    }
    const estimate e = estimate_box(all, s, b);
    const double margin = margin_at(all, b->last);
    if (e.least > margin)
        return;
    if (e.centre < -margin && b->middle > s->fails) {
        s->fails = b->middle;
        s->offset = b->first + (b->last - b->first) / 2;
    }
    const bool is_one = b->first == b->last, is_narrow = radius < NARROWEST || b->level == LEVELS - 1;
    if (is_one && is_narrow) {
        s->open = b->middle + radius > s->open ? b->middle + radius : s->open;
        return;
    }
    split(all, s, b, is_one || (!is_narrow && e.by_base > e.by_offset));
}

static void split(const boxes *all, strip *s, const box *b, bool by_base)
{
    if (!by_base) {
        const int64_t k = b->first + (b->last - b->first) / 2;
        const box low = {b->first, k, b->middle, b->level}, high = {k + 1, b->last, b->middle, b->level};
        settle_box(all, s, &high);
        settle_box(all, s, &low);
        return;
    }
    const level *l = &all->levels[b->level];
    const double *turns = s->turns + (size_t)b->level * all->padded;
    double *next = s->turns + (size_t)(b->level + 1) * all->padded;
    for (int right = 1; right >= 0; right--) {
        const box half = {b->first, b->last, b->middle + (right ? l->radius : -l->radius) / 2, b->level + 1};
        for (size_t i = 0; i < all->padded; i++)
            next[i] = turns[i] * (right ? l->shrink : l->grow)[i];
        settle_box(all, s, &half);
    }
}

static void strip_range(void *context, size_t first, size_t count)
{
    const boxes *all = context;
    for (size_t i = first; i < first + count; i++) {
        strip *s = &all->strips[i];
        const double middle = all->top - (double)i * STRIP - STRIP / 2;
        for (size_t j = 0; j < all->padded; j++)
            s->turns[j] = j < all->t->n ? all->t->query->scale * exp(-all->exponent[j] * middle) / TWO_PI : 0;
        s->fails = all->floor;
        s->offset = all->floor_offset;
        s->open = all->floor;
        s->n_boxes = 0;
        s->gave_up = false;
        for (int64_t k = 1; k < (int64_t)all->t->context; k *= 2) {
            const int64_t last = 2 * k - 1 < (int64_t)all->t->context ? 2 * k - 1 : (int64_t)all->t->context - 1;
            const box whole = {k, last, middle, 0};
            settle_box(all, s, &whole);
        }
    }
}

/* -------------------------------------------------------------------------------------------- the plain upper bound */

/* The least of what tones of constant frequency add, over the offsets. */
static double least_of_constant(const base_tones *t, size_t n_constant)
{
    double least = 1;
    for (size_t k = 1; n_constant > 0 && k < t->context; k++)
        least = fmin(least, cos((double)k * t->query->scale));
    return (double)n_constant * least;
}

/* A lower bound on g_b(k) over all offsets and all b >= base. */
static double plain_bound(base_tones *t, double base, size_t n_constant, double constant_part)
{
    const double k = (double)t->context - 1;
    double sum = t->query->constant + constant_part;
    base_tones_set(t, base);
    for (size_t i = n_constant; i < t->n; i++) {
        const double angle = k * t->theta[i];
        sum += angle < 3.14159 ? cos(angle) : -1;
    }
    return sum - 1e-9 * (double)t->n;
}

/* A base above which all pass for that reason; infinity if there is none to SINPOS_BASE_MAX. */
static double plain_top(base_tones *t)
{
    size_t n_constant = 0;
    while (n_constant < t->n && t->exponent[n_constant] == 0)
        n_constant++;
    const double constant_part = least_of_constant(t, n_constant);
    double low = 1, high = SINPOS_BASE_MAX;
    if (plain_bound(t, low, n_constant, constant_part) >= 0)
        return 1;
    if (plain_bound(t, high, n_constant, constant_part) < 0)
        return INFINITY;
    while (high > 1.0001 * low) {
        const double middle = sqrt(low) * sqrt(high);
        *(plain_bound(t, middle, n_constant, constant_part) < 0 ? &low : &high) = middle;
    }
    return high;
}

/* ------------------------------------------------------------------------------------------------------- from there */

static sinpos_status boxes_make(boxes *all, const base_tones *t, size_t n_strips)
{
    const size_t padded = (t->n + LANES - 1) / LANES * LANES;
    *all = (boxes){.t = t, .padded = padded, .constant = t->query->constant - (double)(padded - t->n)};
    all->exponent = blocks_take(&all->memory, padded * (1 + 4 * LEVELS), sizeof(double));
    all->strips = blocks_take(&all->memory, n_strips, sizeof *all->strips);
    for (size_t i = 0; i < n_strips && all->strips != NULL; i++)
        all->strips[i].turns = blocks_take(&all->memory, padded * LEVELS, sizeof(double));
    if (all->memory.has_failed)
        return SINPOS_E_MEMORY;
    memcpy(all->exponent, t->exponent, t->n * sizeof(double));
    for (int i = 0; i < LEVELS; i++) {
        level *l = &all->levels[i];
        l->grow = all->exponent + padded * (size_t)(1 + 4 * i);
        l->shrink = l->grow + padded;
        l->first = l->shrink + padded;
        l->second = l->first + padded;
        l->radius = ldexp(STRIP / 2, -i);
        for (size_t j = 0; j < padded; j++) {
            const double y = all->exponent[j] * l->radius;
            l->grow[j] = exp(y / 2);
            l->shrink[j] = exp(-y / 2);
            l->first[j] = expm1(y) * (1 + 1e-12);
            l->second[j] = y * y / 2 * exp(y) * (1 + 1e-12);
        }
    }
    return SINPOS_OK;
}

/* Takes in a strip from the top down. Returns whether it is the last. */
static bool take_strip(const boxes *all, const strip *s, double bottom, sinpos_base_robust *result)
{
    const double end = s->fails > s->open ? s->fails : s->open;
    result->n_boxes += s->n_boxes;
    if (s->fails > all->floor) {
        result->lower = exp(s->fails);
        result->offset = s->offset;
    }
    if (!s->gave_up)
        result->upper = exp(end > bottom ? end : bottom) * (1 + 1e-11);
    return s->gave_up || end > bottom;
}

static sinpos_status go_down(boxes *all, double top, sinpos_base_robust *result, const crew *c)
{
    const size_t n_strips = c->n_threads;
    for (all->top = top; all->top > all->floor; all->top -= (double)n_strips * STRIP) {
        const sinpos_status status = crew_report(c, (top - all->top) / (top - all->floor));
        if (status != SINPOS_OK)
            return status;
        threads_run(n_strips, n_strips, 1, strip_range, all);
        for (size_t i = 0; i < n_strips; i++)
            if (take_strip(all, &all->strips[i], all->top - (double)(i + 1) * STRIP, result))
                return SINPOS_OK;
    }
    return SINPOS_OK;
}

static sinpos_status robust(base_tones *t, sinpos_base_certificate *c, uint64_t effort, const crew *whole)
{
    const double top = plain_top(t);
    boxes all;
    c->robust = (sinpos_base_robust){.lower = c->violated_at > 0 ? c->base_lower : 0, .offset = c->violated_at};
    if (isinf(top) || top <= 1) {
        c->robust.upper = isinf(top) ? 0 : 1;
        return SINPOS_OK;
    }
    c->robust.upper = top;
    base_tones_set(t, c->base_lower);
    sinpos_status status = boxes_make(&all, t, whole->n_threads);
    all.floor = log(c->base_lower);
    all.floor_offset = c->violated_at;
    all.most = effort;
    if (status == SINPOS_OK)
        status = go_down(&all, log(top) + 1e-9, &c->robust, whole);
    blocks_free(&all.memory);
    return status;
}

sinpos_status sinpos_base_robust_find(sinpos_base_certificate *certificate, uint64_t effort, size_t n_threads,
                                      sinpos_progress *progress, void *context)
{
    BOUNDARY;
    RELEASED_BY(base_tones_free) base_tones t = {0};
    if (certificate == NULL)
        return SINPOS_E_NULL;
    if (n_threads > 1024)
        return SINPOS_E_VALUE;
    if (base_query_check(&certificate->query) != SINPOS_OK || !(certificate->base_lower >= 1) ||
        certificate->outcome == SINPOS_BASE_OPEN)
        return SINPOS_E_VALUE;
    if (certificate->outcome == SINPOS_BASE_NONE)
        return SINPOS_OK;
    sinpos_status status = base_tones_make(&t, &certificate->query);
    const crew c = crew_of(n_threads, progress, context);
    if (status == SINPOS_OK)
        status = robust(&t, certificate, effort, &c);
    return status;
}
