/* Periods of the columns, and how much they vary. */
#include <math.h>
#include <stdlib.h>

#include "claims.h"
#include "two_pi.h"

/* ---------------------------------------------------------------------------------------------- periodic */

/* The smallest p with x[i] = x[i - p] for all i >= p, by the borders of Knuth, Morris and Pratt. */
static size_t smallest_period(const double *x, size_t n, size_t *border)
{
    border[0] = 0;
    for (size_t i = 1; i < n; i++) {
        size_t length = border[i - 1];
        while (length > 0 && x[i] != x[length])
            length = border[length - 1];
        border[i] = x[i] == x[length] ? length + 1 : 0;
    }
    return n - border[n - 1];
}

typedef struct periods {
    size_t repeat, constant; /* columns of complete tones that repeat within the rows, or never change */
    size_t longest;          /* of those that repeat */
} periods;

static void take_column(const claims *c, size_t column, double *x, size_t *border, periods *p)
{
    const size_t n = c->kept.run;
    for (size_t i = 0; i < n; i++)
        x[i] = claims_row(c, i)[column];
    const size_t period = smallest_period(x, n, border);
    if (period == 1)
        p->constant++;
    else if (period <= n / 2) {
        p->repeat++;
        p->longest = period > p->longest ? period : p->longest;
    }
}

static sinpos_status find_periods(const claims *c, periods *p)
{
    OWNED double *x = malloc(c->kept.run * sizeof *x);
    OWNED size_t *border = malloc(c->kept.run * sizeof *border);
    *p = (periods){0, 0, 0};
    for (size_t j = 0; j < c->complete.n && x != NULL && border != NULL; j++) {
        take_column(c, sin_column(c, j), x, border, p);
        take_column(c, cos_column(c, j), x, border, p);
    }
    return x == NULL || border == NULL ? SINPOS_E_MEMORY : SINPOS_OK;
}

static void tell_periods(const claims *c, sinpos_claim_result *r, const double *theta)
{
    double shortest = INFINITY, longest = 0;
    size_t beyond = 0;
    for (size_t j = 0; j < c->complete.n; j++) {
        const double period = TWO_PI / fabs(theta[j]);
        shortest = fmin(shortest, period);
        longest = fmax(longest, period);
        beyond += period > (double)c->input->n;
    }
    claim_detail(r, "shortest_period", shortest);
    claim_detail(r, "longest_period", longest);
    claim_detail(r, "tones_with_longer_period_than_the_table", (double)beyond);
}

static void say_periodic(const claims *c, sinpos_claim_result *r, const periods *p, double error, double bound,
                         size_t worst)
{
    const size_t columns = 2 * c->complete.n, moving = columns - p->constant;
    if (!(error <= bound))
        claim_say(r, (double)p->repeat, (double)moving, SINPOS_DOES_NOT_HOLD,
                  "column %zu has not the period 2 pi / theta, its frequency is off by %.3g", sin_column(c, worst),
                  error);
    else if (moving == 0)
        claim_say(r, (double)p->repeat, (double)moving, SINPOS_DOES_NOT_APPLY, "no column changes in %zu rows",
                  c->kept.run);
    else if (p->repeat == moving)
        claim_say(r, (double)p->repeat, (double)moving, SINPOS_HOLDS,
                  "the frequencies are rational turns: columns repeat on integers too, after %zu at most", p->longest);
    else
        claim_say(r, (double)p->repeat, (double)moving, SINPOS_HOLDS_ONLY_IF,
                  "positions are real: on integers %zu of %zu columns repeat in %zu rows", p->repeat, moving,
                  c->kept.run);
}

static sinpos_status decide_periodic(claims *c, sinpos_claim_result *r, double *work)
{
    const size_t n = c->complete.n;
    periods p;
    size_t worst, n_theta;
    double spread;
    sinpos_status status = claims_find_turns(c);
    if (status == SINPOS_OK)
        status = claims_angles(c, 1, work);
    if (status == SINPOS_OK)
        status = sinpos_plan_theta(c->angles, work + 2 * n, n, &n_theta);
    if (status == SINPOS_OK)
        status = find_periods(c, &p);
    if (status == SINPOS_OK)
        status = claims_sines_spread(c, &spread);
    if (status != SINPOS_OK)
        return status;
    const double error = claims_turns_error(c, work, &worst);
    say_periodic(c, r, &p, error, claims_turns_bound(c), worst);
    tell_periods(c, r, work + 2 * n);
    claim_looked_at(r, c->kept.run, c->dim);
    claim_detail(r, "columns_that_repeat_on_integers", (double)p.repeat);
    claim_detail(r, "columns_that_never_change", (double)p.constant);
    claim_detail(r, "frequency_error_rad", error);
    claim_detail(r, "sines_alone_product_spread", spread);
    return SINPOS_OK;
}

sinpos_status claim_periodic(claims *c, sinpos_claim_result *r)
{
    OWNED double *work = malloc(3 * c->complete.n * sizeof *work);
    return work == NULL ? SINPOS_E_MEMORY : decide_periodic(c, r, work);
}

/* ----------------------------------------------------------------------------------------------- heatmap */

/* Length of the way of (cosine, sine) of each tone over the rows, in parts of its amplitude and of the rows. */
static void find_ways(const claims *c, double *way)
{
    for (size_t j = 0; j < c->complete.n; j++)
        way[j] = 0;
    for (size_t i = 1; i < c->kept.run; i++) {
        const double *to = claims_row(c, i), *from = claims_row(c, i - 1);
        for (size_t j = 0; j < c->complete.n; j++) {
            const size_t s = sin_column(c, j), k = cos_column(c, j);
            way[j] += hypot(to[s] - from[s], to[k] - from[k]);
        }
    }
    for (size_t j = 0; j < c->complete.n; j++)
        way[j] /= sqrt(c->complete.weight[j]) * (double)(c->kept.run - 1);
}

sinpos_status claim_heatmap(claims *c, sinpos_claim_result *r)
{
    const size_t n = c->complete.n;
    size_t rises = 0, falls = 0, worst = 0;
    OWNED double *way = malloc(n * sizeof *way);
    if (way == NULL)
        return SINPOS_E_MEMORY;
    find_ways(c, way);
    /* a step between two points, each within u A + sqrt(2) tiny; two tones are compared; sums of run roundings */
    const double bound = 4 * (c->unit + 1.5 * c->tiny / sqrt(c->complete.weight[0])) + (double)c->kept.run * 0x1p-51;
    for (size_t j = 1; j < n; j++) {
        const bool rises_here = !(way[j] <= way[j - 1] + bound);
        worst = rises_here && rises == 0 ? j : worst;
        rises += rises_here;
        falls += way[j] < way[j - 1] - bound;
    }
    if (rises > 0)
        claim_say(r, (double)rises, 0, SINPOS_DOES_NOT_HOLD, "from column %zu to column %zu it varies more, not less",
                  sin_column(c, worst - 1), sin_column(c, worst));
    else if (falls == 0)
        claim_say(r, (double)rises, 0, SINPOS_DOES_NOT_HOLD, "no tone varies less than the one before it");
    else
        claim_say(r, (double)rises, 0, SINPOS_HOLDS,
                  "from tone to tone the columns vary less: a step moves %.2g of the amplitude in the first, %.2g in "
                  "the last",
                  way[0], way[n - 1]);
    claim_looked_at(r, c->kept.run, c->dim);
    claim_detail(r, "neighbours_that_fall", (double)falls);
    claim_detail(r, "first_tone_step", way[0]);
    claim_detail(r, "last_tone_step", way[n - 1]);
    return SINPOS_OK;
}
