/*
 * Checks certificates about bases in ball arithmetic. This is the proof: it takes nothing from the search but the
 * certificate, and shares no code with it.
 */
#include <stdbool.h>
#include <stdlib.h>

#include "boundary.h"
#include "libraries_found.h"
#include "sinpos_analysis.h"

#ifdef SINPOS_HAVE_FLINT
#include "base_verify.h"

enum { FIRST_PRECISION = 80, LAST_PRECISION = 1280 };

/* Numbers of one thread. */
typedef struct room {
    arb_t exponent, theta, angle, sine, cosine, part;
    arb_t low, high, middle, radius, g, slope, curvature;
} room;

/* arb_init() or arb_clear() of all of them. */
static void each_number(room *r, void (*act)(arb_t))
{
    arb_ptr all[] = {r->exponent, r->theta,  r->angle,  r->sine, r->cosine, r->part,     r->low,
                     r->high,     r->middle, r->radius, r->g,    r->slope,  r->curvature};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        act(all[i]);
}

/* --------------------------------------------------------------------------------------------- g(k) < 0 over a step */

/* What the middle says of tone i: its cosine, slope sin(a) a e, and e^2 w (1 + w) with the widest angle w. */
static void add_tone(room *r, const sinpos_base_query *q, size_t i, int64_t k, slong precision)
{
    verify_exponent(r->exponent, q, i, precision);
    verify_theta(r->theta, q, r->exponent, r->middle, precision);
    arb_mul_si(r->angle, r->theta, k, precision);
    arb_sin_cos(r->sine, r->cosine, r->angle, precision);
    arb_add(r->g, r->g, r->cosine, precision);
    arb_mul(r->part, r->sine, r->angle, precision);
    arb_addmul(r->slope, r->part, r->exponent, precision);
    verify_theta(r->theta, q, r->exponent, r->low, precision);
    arb_mul_si(r->angle, r->theta, k, precision);
    arb_add_ui(r->part, r->angle, 1, precision);
    arb_mul(r->part, r->part, r->angle, precision);
    arb_mul(r->part, r->part, r->exponent, precision);
    arb_addmul(r->curvature, r->part, r->exponent, precision);
}

/* Taylor's theorem about the middle of ln b: g + |slope| r + curvature r^2 / 2 < 0. */
static bool step_fails(room *r, const sinpos_base_query *q, double from, double to, int64_t k, slong precision)
{
    arb_set_d(r->low, from);
    arb_log(r->low, r->low, precision);
    arb_set_d(r->high, to);
    arb_log(r->high, r->high, precision);
    arb_add(r->middle, r->low, r->high, precision);
    arb_mul_2exp_si(r->middle, r->middle, -1);
    arb_sub(r->radius, r->high, r->middle, precision);
    arb_set_d(r->g, q->constant);
    arb_zero(r->slope);
    arb_zero(r->curvature);
    for (size_t i = 0; i < q->n_tones; i++)
        add_tone(r, q, i, k, precision);
    arb_abs(r->slope, r->slope);
    arb_addmul(r->g, r->slope, r->radius, precision);
    arb_mul(r->part, r->radius, r->radius, precision);
    arb_mul_2exp_si(r->part, r->part, -1);
    arb_addmul(r->g, r->curvature, r->part, precision);
    return arb_is_negative(r->g);
}

/* -------------------------------------------------------------------------------------------- g(k) >= 0 at one base */

/* The frequencies at a base, to one precision. */
static void set_thetas(arb_ptr theta, const sinpos_base_query *q, double base, slong precision)
{
    arb_t log_base, exponent;
    arb_init(log_base);
    arb_init(exponent);
    arb_set_d(log_base, base);
    arb_log(log_base, log_base, precision);
    for (size_t i = 0; i < q->n_tones; i++) {
        verify_exponent(exponent, q, i, precision);
        verify_theta(theta + i, q, exponent, log_base, precision);
    }
    arb_clear(log_base);
    arb_clear(exponent);
}

static void set_g(room *r, const sinpos_base_query *q, arb_srcptr theta, int64_t k, slong precision)
{
    arb_set_d(r->g, q->constant);
    for (size_t i = 0; i < q->n_tones; i++) {
        arb_mul_si(r->angle, theta + i, k, precision);
        arb_cos(r->cosine, r->angle, precision);
        arb_add(r->g, r->g, r->cosine, precision);
    }
}

/* Is g(k) of one sign for sure? Precision rises until it is, or ends. */
static bool g_is(room *r, const sinpos_base_query *q, double base, int64_t k, bool negative)
{
    bool is = false, known = false;
    arb_ptr theta = _arb_vec_init((slong)q->n_tones);
    for (slong precision = FIRST_PRECISION; precision <= LAST_PRECISION && !known; precision *= 2) {
        set_thetas(theta, q, base, precision);
        set_g(r, q, theta, k, precision);
        known = arb_is_negative(r->g) || arb_is_nonnegative(r->g);
        is = negative ? arb_is_negative(r->g) : arb_is_nonnegative(r->g);
    }
    _arb_vec_clear(theta, (slong)q->n_tones);
    return is;
}

/* ------------------------------------------------------------------------------------------------- work of threads */

typedef struct verifier {
    crew crew;
    double done, total; /* terms */
} verifier;

typedef struct work {
    const sinpos_base_certificate *c;
    arb_srcptr theta; /* at base_upper, to FIRST_PRECISION */
    size_t first;     /* step or offset that the range 0 .. is counted from */
    unsigned char *holds;
} work;

static void steps_range(void *context, size_t first, size_t count)
{
    const work *w = context;
    room r;
    each_number(&r, arb_init);
    for (size_t i = first; i < first + count; i++) {
        const size_t j = w->first + i;
        const double from = j == 0 ? 1 : w->c->steps[j - 1].end;
        bool fails = false;
        for (slong precision = FIRST_PRECISION; precision <= LAST_PRECISION && !fails; precision *= 2)
            fails = step_fails(&r, &w->c->query, from, w->c->steps[j].end, w->c->steps[j].offset, precision);
        w->holds[i] = fails;
    }
    each_number(&r, arb_clear);
    flint_cleanup();
}

static void offsets_range(void *context, size_t first, size_t count)
{
    const work *w = context;
    room r;
    each_number(&r, arb_init);
    for (size_t i = first; i < first + count; i++) {
        const int64_t k = (int64_t)(w->first + i);
        set_g(&r, &w->c->query, w->theta, k, FIRST_PRECISION);
        w->holds[i] = arb_is_nonnegative(r.g) || g_is(&r, &w->c->query, w->c->base_upper, k, false);
    }
    each_number(&r, arb_clear);
    flint_cleanup();
}

/* Runs job over 0 .. n - 1 in portions; at receives the first that does not hold, n if all do. */
static sinpos_status run_portions(verifier *v, work *w, thread_job *job, size_t n, size_t *at)
{
    const size_t n_tones = w->c->query.n_tones, portion = ((size_t)1 << 18) / n_tones + 16;
    const size_t threads = v->crew.n_threads;
    *at = n;
    w->holds = malloc(portion);
    if (w->holds == NULL)
        return SINPOS_E_MEMORY;
    sinpos_status status = SINPOS_OK;
    for (w->first = 0; w->first < n && *at == n && status == SINPOS_OK; w->first += portion) {
        const size_t count = n - w->first < portion ? n - w->first : portion;
        threads_run(threads, count, count / threads + 1, job, w);
        for (size_t i = count; i-- > 0;)
            *at = w->holds[i] ? *at : w->first + i;
        v->done += (double)count * (double)n_tones;
        status = crew_report(&v->crew, v->done / v->total);
    }
    free(w->holds);
    return status;
}

/* ------------------------------------------------------------------------------------------------- the certificate */

static bool refuse(sinpos_base_verdict *verdict, const char *why, size_t step, int64_t offset)
{
    *verdict = (sinpos_base_verdict){.holds = 0, .why = why, .step = step, .offset = offset};
    return false;
}

static bool steps_are_in_order(const sinpos_base_certificate *c, sinpos_base_verdict *verdict)
{
    double end = 1;
    for (size_t i = 0; i < c->n_steps; i++) {
        if (!(c->steps[i].end > end) || !(c->steps[i].end <= SINPOS_BASE_MAX))
            return refuse(verdict, "a step does not end above the one before it", i, 0);
        if (c->steps[i].offset < 1 || (uint64_t)c->steps[i].offset >= c->query.context)
            return refuse(verdict, "the offset of a step is not within the context", i, c->steps[i].offset);
        end = c->steps[i].end;
    }
    return true;
}

static bool claims_fit(const sinpos_base_certificate *c, sinpos_base_verdict *verdict)
{
    const double end = c->n_steps == 0 ? 1 : c->steps[c->n_steps - 1].end;
    const bool has_upper = c->base_upper != 0;
    if (!(c->base_lower >= 1 && c->base_lower <= end))
        return refuse(verdict, "the steps do not reach base_lower", 0, 0);
    if (has_upper && !(c->base_upper >= c->base_lower && c->base_upper <= SINPOS_BASE_MAX))
        return refuse(verdict, "base_upper is below base_lower", 0, 0);
    switch (c->outcome) {
    case SINPOS_BASE_FOUND:
        if (!has_upper || c->n_steps == 0)
            return refuse(verdict, "a bound is missing", 0, 0);
        break;
    case SINPOS_BASE_ANY:
        if (c->base_upper != 1 || c->base_lower != 1)
            return refuse(verdict, "the bounds are not 1", 0, 0);
        return true;
    case SINPOS_BASE_NONE:
        if (c->base_lower != SINPOS_BASE_MAX || has_upper)
            return refuse(verdict, "the steps do not reach the end of the search", 0, 0);
        break;
    case SINPOS_BASE_GAP:
        if (has_upper)
            return refuse(verdict, "an open search has no base_upper", 0, 0);
        return true;
    case SINPOS_BASE_OPEN:
    default: return refuse(verdict, "the search has not ended", 0, 0);
    }
    if (c->violated_at < 1 || (uint64_t)c->violated_at >= c->query.context)
        return refuse(verdict, "violated_at is not within the context", 0, c->violated_at);
    return true;
}

static sinpos_status check_steps(verifier *v, const sinpos_base_certificate *c, sinpos_base_verdict *verdict)
{
    work w = {.c = c};
    size_t at;
    const sinpos_status status = run_portions(v, &w, steps_range, c->n_steps, &at);
    if (at < c->n_steps)
        refuse(verdict, "g is not shown to be negative over a step", at, c->steps[at].offset);
    return status;
}

/* The first offset where g is not shown to be 0 or more; the context where there is none. */
static sinpos_status first_doubtful(verifier *v, const sinpos_base_certificate *c, size_t *at)
{
    work w = {.c = c};
    arb_ptr theta = _arb_vec_init((slong)c->query.n_tones);
    set_thetas(theta, &c->query, c->base_upper, FIRST_PRECISION);
    w.theta = theta;
    const sinpos_status status = run_portions(v, &w, offsets_range, c->query.context, at);
    _arb_vec_clear(theta, (slong)c->query.n_tones);
    return status;
}

static sinpos_status check_upper(verifier *v, const sinpos_base_certificate *c, sinpos_base_verdict *verdict)
{
    size_t at;
    const sinpos_status status = first_doubtful(v, c, &at);
    if (at < c->query.context)
        refuse(verdict, "g is not shown to be 0 or more at base_upper", 0, (int64_t)at);
    return status;
}

static void check_violation(const sinpos_base_certificate *c, sinpos_base_verdict *verdict)
{
    room r;
    each_number(&r, arb_init);
    if (!g_is(&r, &c->query, c->base_lower, c->violated_at, true))
        refuse(verdict, "g is not shown to be negative at base_lower and violated_at", 0, c->violated_at);
    each_number(&r, arb_clear);
}

static sinpos_status check_robust(verifier *v, const sinpos_base_certificate *c, sinpos_base_verdict *verdict)
{
    bool holds;
    int64_t offset;
    room r;
    if (c->robust.upper == 0)
        return SINPOS_OK;
    if (!(c->robust.upper >= 1 && c->robust.upper <= SINPOS_BASE_MAX)) {
        refuse(verdict, "robust_upper is not a base", 0, 0);
        return SINPOS_OK;
    }
    if (c->robust.lower != 0) {
        each_number(&r, arb_init);
        if (!(c->robust.lower >= 1) || !(c->robust.lower < c->robust.upper) ||
            !g_is(&r, &c->query, c->robust.lower, c->robust.offset, true))
            refuse(verdict, "g is not shown to be negative at robust_lower", 0, c->robust.offset);
        each_number(&r, arb_clear);
    }
    const sinpos_status status = verify_above(&v->crew, &c->query, c->robust.upper, &holds, &offset);
    if (status == SINPOS_OK && verdict->holds && !holds)
        refuse(verdict, "g is not shown to be 0 or more above robust_upper", 0, offset);
    verdict->robust = status == SINPOS_OK && holds;
    return status;
}

static sinpos_status verify(verifier *v, const sinpos_base_certificate *c, bool robust, sinpos_base_verdict *verdict)
{
    const double h = (double)c->query.n_tones;
    sinpos_status status = SINPOS_OK;
    *verdict = (sinpos_base_verdict){.holds = 1, .why = ""};
    if (!claims_fit(c, verdict) || !steps_are_in_order(c, verdict))
        return SINPOS_OK;
    v->total = h * ((double)c->n_steps + (c->base_upper != 0 ? (double)c->query.context : 0));
    status = check_steps(v, c, verdict);
    if (status == SINPOS_OK && verdict->holds && c->base_upper != 0)
        status = check_upper(v, c, verdict);
    if (status == SINPOS_OK && verdict->holds && c->outcome == SINPOS_BASE_FOUND)
        check_violation(c, verdict);
    if (status == SINPOS_OK && verdict->holds && robust)
        status = check_robust(v, c, verdict);
    flint_cleanup();
    return status;
}

static sinpos_status try_base(verifier *v, const sinpos_base_certificate *c, sinpos_base_trial *trial)
{
    size_t at;
    v->total = (double)c->query.n_tones * (double)c->query.context;
    sinpos_status status = first_doubtful(v, c, &at);
    if (status == SINPOS_OK && at < c->query.context) {
        room r;
        each_number(&r, arb_init);
        trial->offset = (int64_t)at;
        status = g_is(&r, &c->query, c->base_upper, trial->offset, true) ? SINPOS_OK : SINPOS_E_VALUE;
        trial->g = arf_get_d(arb_midref(r.g), ARF_RND_NEAR);
        each_number(&r, arb_clear);
    }
    trial->passes = status == SINPOS_OK && at == c->query.context;
    flint_cleanup();
    return status;
}

#endif

sinpos_status sinpos_base_verify(const sinpos_base_certificate *certificate, int robust, sinpos_base_verdict *verdict,
                                 size_t n_threads, sinpos_progress *progress, void *context)
{
    BOUNDARY;
    if (certificate == NULL || verdict == NULL || (certificate->n_steps > 0 && certificate->steps == NULL))
        return SINPOS_E_NULL;
    if (n_threads > 1024)
        return SINPOS_E_VALUE;
    *verdict = (sinpos_base_verdict){.why = "not checked"};
    const sinpos_base_query *q = &certificate->query;
    sinpos_base_certificate empty;
    const sinpos_status status = sinpos_base_begin(&empty, q); /* its checks of the query */
    if (status != SINPOS_OK)
        return status;
#ifdef SINPOS_HAVE_FLINT
    verifier v = {.crew = crew_of(n_threads, progress, context)};
    return verify(&v, certificate, robust != 0, verdict);
#else
    (void)robust;
    (void)progress;
    (void)context;
    return SINPOS_E_UNSUPPORTED;
#endif
}

sinpos_status sinpos_base_try(const sinpos_base_query *query, double base, sinpos_base_trial *trial, size_t n_threads,
                              sinpos_progress *progress, void *context)
{
    BOUNDARY;
    sinpos_base_certificate c;
    if (query == NULL || trial == NULL)
        return SINPOS_E_NULL;
    if (n_threads > 1024)
        return SINPOS_E_VALUE;
    *trial = (sinpos_base_trial){0, 0, 0};
    const sinpos_status status = sinpos_base_begin(&c, query);
    if (status != SINPOS_OK || !(base > 0) || !(base <= SINPOS_BASE_MAX))
        return SINPOS_E_VALUE;
    c.base_upper = base;
#ifdef SINPOS_HAVE_FLINT
    verifier v = {.crew = crew_of(n_threads, progress, context)};
    return try_base(&v, &c, trial);
#else
    (void)progress;
    (void)context;
    return SINPOS_E_UNSUPPORTED;
#endif
}
