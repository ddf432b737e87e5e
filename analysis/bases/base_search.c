/*
 * The smallest base that passes: from base 1 upward, stretch by stretch, each with an offset at which g is negative
 * over all of it. Offsets come from a pool of minima that are followed as the base grows; when the pool runs dry, or is
 * old, all offsets are looked at again.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base_tones.h"
#include "boundary.h"

enum { MOST_SINCE_SCAN = 32, TRIED = 3 };
#define SMALLEST_STEP 0x1p-42 /* of ln base */
#define DIGITS 11
#define FIRST_PART 4096 /* offsets looked at before all of them */

sinpos_status sinpos_base_begin(sinpos_base_certificate *certificate, const sinpos_base_query *query)
{
    BOUNDARY;
    if (certificate == NULL || query == NULL)
        return SINPOS_E_NULL;
    memset(certificate, 0, sizeof *certificate);
    certificate->query = *query;
    certificate->base_lower = 1;
    return base_query_check(query);
}

void sinpos_base_free(sinpos_base_certificate *certificate)
{
    BOUNDARY;
    if (certificate == NULL)
        return;
    free(certificate->steps);
    memset(certificate, 0, sizeof *certificate);
}

sinpos_status sinpos_base_extend(sinpos_base_certificate *certificate, size_t context)
{
    BOUNDARY;
    if (certificate == NULL)
        return SINPOS_E_NULL;
    if (certificate->outcome == SINPOS_BASE_OPEN || context < certificate->query.context ||
        context > SINPOS_BASE_MAX_CONTEXT)
        return SINPOS_E_VALUE;
    certificate->query.context = context;
    certificate->outcome = SINPOS_BASE_OPEN;
    certificate->base_upper = 0;
    certificate->robust = (sinpos_base_robust){0, 0, 0, 0};
    certificate->n_pool = certificate->since_scan = 0;
    certificate->reference = 0;
    return SINPOS_OK;
}

typedef struct search {
    sinpos_base_certificate *certificate;
    base_tones here; /* at the end of the last step */
    base_tones there;
    double *anchor;
    double goal;     /* where the search may end, for progress alone */
    crew whole, now; /* now: what is done counts as nothing until the next step */
} search;

static double end_of(const sinpos_base_certificate *c)
{
    return c->n_steps == 0 ? 1 : c->steps[c->n_steps - 1].end;
}

static sinpos_status append(sinpos_base_certificate *c, double end, int64_t offset)
{
    if (c->n_steps == c->room) {
        const size_t room = c->room == 0 ? 256 : 2 * c->room;
        sinpos_base_step *steps = room > SIZE_MAX / sizeof *steps ? NULL : realloc(c->steps, room * sizeof *steps);
        if (steps == NULL)
            return SINPOS_E_MEMORY;
        c->steps = steps;
        c->room = room;
    }
    c->steps[c->n_steps++] = (sinpos_base_step){end, offset};
    c->base_lower = end;
    c->violated_at = offset;
    return SINPOS_OK;
}

/* ----------------------------------------------------------------------------------------------------- one step */

/* Is g(k) < 0, by Taylor's theorem about the middle, from base to base e^width? */
static bool holds_over(search *s, int64_t k, double width)
{
    base_tones_set(&s->there, s->here.base * exp(width / 2));
    const double radius = width / 2 + 0x1p-50;
    const base_point p = base_point_at(&s->there, k, radius);
    return p.g + fabs(p.slope) * radius + p.curvature * radius * radius / 2 < -4 * p.error;
}

/* How far g(k) stays negative, by the expansion at the left end: where -g = slope x + curvature x^2 / 2. */
static double first_reach(const search *s, int64_t k)
{
    base_point p = base_point_at(&s->here, k, 0);
    const double depth = -p.g - 4 * p.error, most = log(SINPOS_BASE_MAX / s->here.base);
    const double far = 2 * depth / (p.slope + sqrt(p.slope * p.slope + 2 * p.curvature * depth));
    return depth <= 0 ? 0 : far < most ? far : most;
}

/* Nearly the longest width over which holds_over(); 0 if none is found. */
static double reach(search *s, int64_t k, double guess)
{
    double good = 0, bad = 2 * log(SINPOS_BASE_MAX / s->here.base) + SMALLEST_STEP;
    const double most = bad;
    for (int i = 0; i < 24 && bad > 1.05 * good; i++) {
        const double width = good == 0 ? guess : bad == most && 1.6 * good < bad ? 1.6 * good : (good + bad) / 2;
        if (holds_over(s, k, width)) {
            good = width;
        } else {
            bad = width;
            guess = width / 2;
        }
        if (guess < SMALLEST_STEP / 4)
            break;
    }
    return good;
}

/* Moves an offset of the pool to the least g nearby. Returns false where that is not negative. */
static bool follow(search *s, base_candidate *c)
{
    double g[BASE_BLOCK];
    const int64_t first = c->k <= BASE_BLOCK / 2 ? 1 : c->k - BASE_BLOCK / 2;
    base_block(&s->here, first, s->anchor, g);
    c->g = INFINITY;
    for (int64_t r = 0; r < BASE_BLOCK && first + r < (int64_t)s->here.context; r++) {
        if (g[r] < c->g) {
            c->g = g[r];
            c->k = first + r;
        }
    }
    return c->g < base_error(&s->here, c->k);
}

static void follow_pool(search *s)
{
    sinpos_base_certificate *c = s->certificate;
    size_t kept = 0;
    base_tones_tabulate(&s->here, false);
    for (size_t i = 0; i < c->n_pool; i++) {
        base_candidate candidate = {.k = c->pool[i]};
        bool is_new = follow(s, &candidate);
        for (size_t j = 0; j < kept; j++)
            is_new = is_new && c->pool[j] != candidate.k;
        if (is_new)
            c->pool[kept++] = candidate.k;
    }
    c->n_pool = kept;
}

static sinpos_status scan_for_pool(search *s)
{
    sinpos_base_certificate *c = s->certificate;
    base_scan scan;
    const sinpos_status status = base_scan_all(&scan, &s->here, &s->now);
    c->n_pool = status == SINPOS_OK ? scan.n : 0;
    for (size_t i = 0; i < c->n_pool; i++)
        c->pool[i] = scan.best[i].k;
    c->since_scan = 0;
    return status;
}

/* The offset of the pool that reaches farthest, and how far; 0 if none is negative for sure. */
static double best_of_pool(search *s, int64_t *offset)
{
    const sinpos_base_certificate *c = s->certificate;
    double guess[TRIED] = {0}, best = 0;
    int64_t tried[TRIED] = {0};
    for (size_t i = 0; i < c->n_pool; i++) {
        double far = first_reach(s, c->pool[i]);
        int64_t k = c->pool[i];
        for (int j = 0; j < TRIED; j++) {
            if (far > guess[j]) {
                const double far_before = guess[j];
                const int64_t k_before = tried[j];
                guess[j] = far;
                tried[j] = k;
                far = far_before;
                k = k_before;
            }
        }
    }
    for (int j = 0; j < TRIED && guess[j] > 0; j++) {
        const double far = reach(s, tried[j], guess[j]);
        if (far > best) {
            best = far;
            *offset = tried[j];
        }
    }
    return best;
}

/* The next step; width 0 where every offset is tried and none is negative for sure. */
static sinpos_status next_step(search *s, double *width, int64_t *offset)
{
    sinpos_base_certificate *c = s->certificate;
    base_tones_set(&s->here, end_of(c));
    follow_pool(s);
    *width = c->since_scan < MOST_SINCE_SCAN ? best_of_pool(s, offset) : 0;
    if (*width > c->reference / 2) {
        c->since_scan++;
        return SINPOS_OK;
    }
    const sinpos_status status = scan_for_pool(s);
    if (status == SINPOS_OK)
        *width = best_of_pool(s, offset);
    c->reference = *width;
    return status;
}

/* ------------------------------------------------------------------------------------------------------ the end */

/* The multiple of a unit of the last of DIGITS digits, at or below base (up false) or above it. */
static double rounded(double base, bool up)
{
    const double unit = pow(10, floor(log10(base)) - (DIGITS - 1));
    double n = up ? floor(base / unit) + 1 : floor(base / unit);
    const double scale = unit < 1 ? round(1 / unit) : 1;
    const double value = unit < 1 ? n / scale : n * unit;
    n += up && value <= base ? 1 : !up && value > base ? -1 : 0;
    return unit < 1 ? n / scale : n * unit;
}

/* Does this base pass? Doubles decide what they can, long doubles the rest; in doubt, no. */
static sinpos_status passes(search *s, double base, bool *yes, int64_t *least)
{
    base_scan scan;
    base_tones_set(&s->there, base);
    const sinpos_status status = base_scan_all(&scan, &s->there, &s->now);
    *yes = scan.least.k == 0 || scan.least.g > 4 * base_error(&s->there, (int64_t)s->there.context);
    *least = scan.least.k;
    if (status == SINPOS_OK && !*yes) {
        double error;
        const double g = base_exact_g(&s->there, scan.least.k, &error);
        /* Only the least is decided again: a second one as near to zero is for the next base to try. */
        *yes = g > error && scan.least.g > -base_error(&s->there, scan.least.k);
    }
    return status;
}

/* The first base above the last step, by rising distances, that passes. */
static sinpos_status settle(search *s)
{
    sinpos_base_certificate *c = s->certificate;
    const double end = end_of(c);
    double base = end;
    bool yes = false;
    for (int tries = 0; tries < 120 && !yes; tries++) {
        int64_t least;
        base = tries < 4 ? rounded(base, true) : base * (1 + ldexp(1e-11, tries / 2));
        if (!(base < SINPOS_BASE_MAX))
            break;
        const sinpos_status status = passes(s, base, &yes, &least);
        if (status != SINPOS_OK)
            return status;
    }
    c->base_upper = yes ? base : 0;
    c->base_lower = c->n_steps == 0 ? 1 : rounded(end, false);
    for (size_t i = c->n_steps; i > 0 && c->steps[i - 1].end >= c->base_lower; i--)
        c->violated_at = c->steps[i - 1].offset;
    c->outcome = yes ? SINPOS_BASE_FOUND : SINPOS_BASE_GAP;
    return SINPOS_OK;
}

/* --------------------------------------------------------------------------------------------------- the search */

static sinpos_status search_make(search *s, sinpos_base_certificate *c, const crew *whole)
{
    *s = (search){.certificate = c, .whole = *whole, .now = crew_part(whole, 0, 0)};
    sinpos_status status = base_tones_make(&s->here, &c->query);
    status = status == SINPOS_OK ? base_tones_make(&s->there, &c->query) : status;
    s->anchor = calloc(c->query.n_tones, 2 * sizeof *s->anchor);
    return s->anchor == NULL ? SINPOS_E_MEMORY : status;
}

static void search_free(search *s)
{
    base_tones_free(&s->here);
    base_tones_free(&s->there);
    free(s->anchor);
}

/* Steps shorten as the offsets that matter grow, about as base^0.6. */
static double part_done(const search *s)
{
    const double part = pow(end_of(s->certificate) / s->goal, 0.6);
    return part < 0.99 ? part : 0.99;
}

/* passes(), where most bases fail early: longer and longer parts of the context. */
static sinpos_status passes_by_parts(search *s, double base, bool *yes)
{
    const size_t context = s->there.context;
    sinpos_status status = SINPOS_OK;
    int64_t least;
    s->there.context = FIRST_PART;
    *yes = true;
    while (status == SINPOS_OK && *yes && s->there.context < context) {
        status = passes(s, base, yes, &least);
        s->there.context *= 16;
    }
    s->there.context = context;
    return status == SINPOS_OK && *yes ? passes(s, base, yes, &least) : status;
}

/* The first of a coarse list of bases that passes; the search will end not far from it, or before. */
static sinpos_status set_goal(search *s)
{
    double base = end_of(s->certificate);
    bool yes = false;
    while (!yes && base < SINPOS_BASE_MAX) {
        base *= 1.25;
        const sinpos_status status = passes_by_parts(s, base, &yes);
        if (status != SINPOS_OK)
            return status;
    }
    s->goal = base;
    return SINPOS_OK;
}

/* The end of a step with as few digits as cost it no more than a 64th of its width: certificates get shorter. */
static double shortened(double end, double before)
{
    const double unit = pow(10, floor(log10((end - before) / 64)));
    const double scale = unit < 1 ? round(1 / unit) : 1;
    const double value = unit < 1 ? floor(end * scale) / scale : floor(end / unit) * unit;
    return value > before && value <= end ? value : end;
}

static sinpos_status search_run(search *s)
{
    sinpos_base_certificate *c = s->certificate;
    sinpos_status status = s->whole.progress == NULL ? SINPOS_OK : set_goal(s);
    while (status == SINPOS_OK && end_of(c) < SINPOS_BASE_MAX) {
        double width = 0;
        int64_t offset = 0;
        s->now = crew_part(&s->whole, part_done(s), 0);
        status = crew_report(&s->now, 0);
        status = status == SINPOS_OK ? next_step(s, &width, &offset) : status;
        if (status == SINPOS_OK && width < SMALLEST_STEP)
            return settle(s);
        const double end = s->here.base * exp(width) * (1 - 0x1p-51);
        if (status == SINPOS_OK)
            status = append(c, end < SINPOS_BASE_MAX ? shortened(end, s->here.base) : SINPOS_BASE_MAX, offset);
    }
    if (status == SINPOS_OK)
        c->outcome = SINPOS_BASE_NONE;
    return status;
}

/* What a file says may be anything. */
static bool is_in_order(const sinpos_base_certificate *c)
{
    for (size_t i = 0; i < c->n_steps; i++)
        if (!(c->steps[i].end > (i == 0 ? 1 : c->steps[i - 1].end)) || !(c->steps[i].end <= SINPOS_BASE_MAX))
            return false;
    return c->n_pool <= SINPOS_BASE_POOL && (c->n_steps == 0 || c->steps != NULL);
}

sinpos_status sinpos_base_search(sinpos_base_certificate *certificate, size_t n_threads, sinpos_progress *progress,
                                 void *context)
{
    BOUNDARY;
    RELEASED_BY(search_free) search s = {0};
    bool any = false;
    int64_t least;
    if (certificate == NULL)
        return SINPOS_E_NULL;
    if (n_threads > 1024)
        return SINPOS_E_VALUE;
    if (certificate->outcome != SINPOS_BASE_OPEN)
        return SINPOS_OK;
    sinpos_status status = base_query_check(&certificate->query);
    if (status != SINPOS_OK || !is_in_order(certificate))
        return SINPOS_E_VALUE;
    const crew c = crew_of(n_threads, progress, context);
    status = search_make(&s, certificate, &c);
    if (status == SINPOS_OK && certificate->n_steps == 0)
        status = passes(&s, 1, &any, &least);
    if (status == SINPOS_OK && any) {
        certificate->base_upper = 1;
        certificate->outcome = SINPOS_BASE_ANY;
    } else if (status == SINPOS_OK) {
        status = search_run(&s);
    }
    return status;
}
