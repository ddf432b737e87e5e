/*
 * Checks in ball arithmetic that every base above one passes: boxes of offsets and of ln base, whose g comes from
 * intervals alone, are split until it is not negative; from some base on, most angles stay small for good.
 */
#include "base_verify.h"

#include <math.h>
#include <stdlib.h>

enum { PRECISION = 80, DEPTH = 48 };
#define STRIP 0x1p-6 /* of ln base */
#define MOST_BOXES ((uint64_t)1 << 32)

/* Numbers of one thread, and what it found in its strip. */
typedef struct strip {
    arb_ptr theta; /* (DEPTH, n_tones) over the stretch of ln base of each depth */
    arb_t log_base, exponent, offset, angle, cosine, g;
    double from, to;
    uint64_t n_boxes;
    int64_t failed; /* offset; 0: none */
} strip;

typedef struct region {
    const sinpos_base_query *q;
    strip *strips;
} region;

/* arb_init() or arb_clear() of all but the frequencies. */
static void each_number(strip *s, void (*act)(arb_t))
{
    arb_ptr all[] = {s->log_base, s->exponent, s->offset, s->angle, s->cosine, s->g};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        act(all[i]);
}

/* The ball of all numbers from a to b. */
static void set_interval(arb_t x, double a, double b)
{
    arf_t low, high;
    arf_init(low);
    arf_init(high);
    arf_set_d(low, a);
    arf_set_d(high, b);
    arb_set_interval_arf(x, low, high, PRECISION);
    arf_clear(low);
    arf_clear(high);
}

typedef struct box {
    int64_t first, last; /* offsets */
    double from, to;     /* ln base */
    int depth;
} box;

/* The frequencies over the stretch of ln base of a box. */
static void enter(const sinpos_base_query *q, strip *s, const box *b)
{
    set_interval(s->log_base, b->from, b->to);
    for (size_t i = 0; i < q->n_tones; i++) {
        verify_exponent(s->exponent, q, i, PRECISION);
        verify_theta(s->theta + (size_t)b->depth * q->n_tones + i, q, s->exponent, s->log_base, PRECISION);
    }
}

static bool is_passing(const sinpos_base_query *q, strip *s, const box *b)
{
    arb_srcptr theta = s->theta + (size_t)b->depth * q->n_tones;
    set_interval(s->offset, (double)b->first, (double)b->last);
    arb_set_d(s->g, q->constant);
    for (size_t i = 0; i < q->n_tones; i++) {
        arb_mul(s->angle, theta + i, s->offset, PRECISION);
        arb_cos(s->cosine, s->angle, PRECISION);
        arb_add(s->g, s->g, s->cosine, PRECISION);
    }
    return arb_is_nonnegative(s->g);
}

/* Which width of the box makes its angles vary more? Rounding does not matter here. */
static bool varies_by_base(const sinpos_base_query *q, const strip *s, const box *b)
{
    arb_srcptr theta = s->theta + (size_t)b->depth * q->n_tones;
    double by_offset = 0, by_base = 0;
    for (size_t i = 0; i < q->n_tones; i++) {
        const double at = arf_get_d(arb_midref(theta + i), ARF_RND_NEAR);
        by_offset += fmin(1, at * (double)(b->last - b->first));
        by_base += fmin(1, at * (double)b->last * ((double)i + q->shift) / q->divisor * (b->to - b->from));
    }
    return by_base > by_offset;
}

static void check_box(const sinpos_base_query *q, strip *s, const box *b);

static void check_halves(const sinpos_base_query *q, strip *s, const box *b)
{
    const bool is_one = b->first == b->last;
    if (is_one || (b->depth < DEPTH - 1 && varies_by_base(q, s, b))) {
        const double middle = b->from + (b->to - b->from) / 2;
        const box left = {b->first, b->last, b->from, middle, b->depth + 1};
        const box right = {b->first, b->last, middle, b->to, b->depth + 1};
        enter(q, s, &left);
        check_box(q, s, &left);
        enter(q, s, &right);
        check_box(q, s, &right);
    } else {
        const int64_t middle = b->first + (b->last - b->first) / 2;
        const box low = {b->first, middle, b->from, b->to, b->depth};
        const box high = {middle + 1, b->last, b->from, b->to, b->depth};
        check_box(q, s, &low);
        check_box(q, s, &high);
    }
}

static void check_box(const sinpos_base_query *q, strip *s, const box *b)
{
    if (s->failed != 0 || is_passing(q, s, b))
        return;
    if ((b->first == b->last && b->depth == DEPTH - 1) || ++s->n_boxes > MOST_BOXES)
        s->failed = b->first;
    else
        check_halves(q, s, b);
}

static void strips_range(void *context, size_t first, size_t count)
{
    const region *r = context;
    const int64_t context_length = (int64_t)r->q->context;
    for (size_t i = first; i < first + count; i++) {
        strip *s = &r->strips[i];
        for (int64_t k = 1; k < context_length && s->failed == 0; k *= 2) {
            const int64_t last = 2 * k - 1 < context_length ? 2 * k - 1 : context_length - 1;
            const box whole = {k, last, s->from, s->to, 0};
            enter(r->q, s, &whole);
            check_box(r->q, s, &whole);
        }
    }
    flint_cleanup();
}

/* ---------------------------------------------------------------------------------------- from some base on, plainly */

/*
 * g >= constant + sum of cos((L - 1) theta_i), with -1 for angles that may reach pi, for all larger bases too: the angles
 * fall with the base and with the offset. Of a tone whose frequency is constant, the least over the offsets.
 */
static bool plainly_passes(const sinpos_base_query *q, strip *s, double log_base, const arb_t least)
{
    const box here = {1, 1, log_base, log_base, 0};
    bool passes;
    arb_t pi;
    arb_init(pi);
    arb_const_pi(pi, PRECISION);
    arb_set_d(s->g, q->constant);
    enter(q, s, &here);
    for (size_t i = 0; i < q->n_tones; i++) {
        arb_mul_ui(s->angle, s->theta + i, q->context - 1, PRECISION);
        if (i == 0 && q->shift == 0)
            arb_set(s->cosine, least);
        else if (arb_lt(s->angle, pi))
            arb_cos(s->cosine, s->angle, PRECISION);
        else
            arb_set_si(s->cosine, -1);
        arb_add(s->g, s->g, s->cosine, PRECISION);
    }
    passes = arb_is_nonnegative(s->g);
    arb_clear(pi);
    return passes;
}

static void set_least(arb_t least, const sinpos_base_query *q, strip *s)
{
    arb_one(least);
    for (size_t k = 1; q->shift == 0 && k < q->context; k++) {
        arb_set_d(s->angle, q->scale);
        arb_mul_ui(s->angle, s->angle, k, PRECISION);
        arb_cos(s->cosine, s->angle, PRECISION);
        arb_min(least, least, s->cosine, PRECISION);
    }
}

/* A double below ln base. */
static double log_below(double base)
{
    arb_t x;
    arf_t low;
    arb_init(x);
    arf_init(low);
    arb_set_d(x, base);
    arb_log(x, x, PRECISION);
    arb_get_lbound_arf(low, x, PRECISION);
    const double value = arf_get_d(low, ARF_RND_FLOOR);
    arb_clear(x);
    arf_clear(low);
    return value > 0 ? value : 0;
}

static sinpos_status go_up(const crew *c, region *r, double from, bool *holds, int64_t *offset)
{
    const size_t n_strips = c->n_threads;
    const double most = log(SINPOS_BASE_MAX);
    arb_t least;
    arb_init(least);
    set_least(least, r->q, &r->strips[0]);
    sinpos_status status = SINPOS_OK;
    *holds = false;
    for (double at = from; status == SINPOS_OK && !*holds && *offset == 0 && at <= most;
         at += (double)n_strips * STRIP) {
        if (plainly_passes(r->q, &r->strips[0], at, least)) {
            *holds = true;
            break;
        }
        for (size_t i = 0; i < n_strips; i++) {
            r->strips[i].from = at + (double)i * STRIP;
            r->strips[i].to = at + (double)(i + 1) * STRIP;
        }
        threads_run(n_strips, n_strips, 1, strips_range, r);
        for (size_t i = 0; i < n_strips && *offset == 0; i++)
            *offset = r->strips[i].failed;
        /* Half of what is left is done in about as long as the whole took so far. */
        status = crew_report(c, (at - from) / (at - from + 2));
    }
    arb_clear(least);
    return status;
}

sinpos_status verify_above(const crew *c, const sinpos_base_query *q, double base, bool *holds, int64_t *offset)
{
    const size_t n_strips = c->n_threads;
    region r = {.q = q, .strips = calloc(n_strips, sizeof(strip))};
    if (r.strips == NULL)
        return SINPOS_E_MEMORY;
    for (size_t i = 0; i < n_strips; i++) {
        r.strips[i].theta = _arb_vec_init((slong)(q->n_tones * DEPTH));
        each_number(&r.strips[i], arb_init);
    }
    *offset = 0;
    const sinpos_status status = go_up(c, &r, log_below(base), holds, offset);
    for (size_t i = 0; i < n_strips; i++) {
        _arb_vec_clear(r.strips[i].theta, (slong)(q->n_tones * DEPTH));
        each_number(&r.strips[i], arb_clear);
    }
    free(r.strips);
    return status;
}
