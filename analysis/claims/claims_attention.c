/* Positions inside attention: who sees the order, what the second order says, which H keep the offset. */
#include <math.h>
#include <stdlib.h>

#include "claims.h"
#include "compensated.h"
#include "seeded.h"

/* ------------------------------------------------------------------------------------------------ symmetry */

enum { WORDS = 5 };

static sinpos_status tell_sentences(const claims *c, sinpos_claim_result *r)
{
    const uint32_t *tokens;
    const size_t *order, n = sinpos_symmetry_example(&tokens, &order);
    sinpos_symmetry_result result;
    if (c->kept.run < n)
        return SINPOS_OK;
    const sinpos_status status = sinpos_symmetry(c->rows, n, c->dim, c->dim, tokens, order, c->input->seed, &result);
    if (status == SINPOS_E_VALUE)
        return SINPOS_OK;
    claim_detail(r, "two_sentences_without_positions", result.invariance);
    claim_detail(r, "two_sentences_with_positions", result.invariance_positions);
    return status;
}

sinpos_status claim_symmetry(claims *c, sinpos_claim_result *r)
{
    sinpos_symmetry_result s;
    const size_t n = c->kept.run < WORDS ? c->kept.run : WORDS;
    const sinpos_status status = sinpos_symmetry(c->rows, n, c->dim, c->dim, NULL, NULL, c->input->seed, &s);
    if (status == SINPOS_E_VALUE) {
        claim_say(r, NAN, NAN, SINPOS_DOES_NOT_HOLD, "the rows are not finite, or too large for a softmax");
        return SINPOS_OK;
    }
    if (status != SINPOS_OK)
        return status;
    /* sums of n and of dim terms in another order; softmax and mean keep their relative errors */
    const double bound = (double)(8 * n + 2 * c->dim) * 0x1p-53;
    const double without = fmax(s.equivariance, s.invariance),
                 with = fmin(s.equivariance_weakest, s.invariance_weakest);
    if (without <= bound && with > bound)
        claim_say(r, with, bound, SINPOS_HOLDS,
                  "%zu orders of %zu tokens: outputs differ by %.2g without positions, by %.2g at least with them",
                  s.n_orders, n, without, with);
    else
        claim_say(r, with, bound, SINPOS_DOES_NOT_HOLD, "%s",
                  without <= bound ? "these rows do not break the symmetry: some order is not seen"
                                   : "the layer alone is not symmetric");
    claim_looked_at(r, n, c->dim);
    claim_detail(r, "equivariance_without_positions", s.equivariance);
    claim_detail(r, "invariance_without_positions", s.invariance);
    claim_detail(r, "equivariance_with_positions", s.equivariance_positions);
    claim_detail(r, "invariance_with_positions", s.invariance_positions);
    return tell_sentences(c, r);
}

/* -------------------------------------------------------------------------------------------------- taylor */

static void say_taylor(const claims *c, sinpos_claim_result *r, const sinpos_taylor_result *t)
{
    const double off = fabs(t->slope - 3);
    if (off <= c->chosen)
        claim_say(
            r, off, c->chosen, SINPOS_HOLDS,
            "what is left over shrinks like |p|^%.3g; at full size, %.2g of the tokens' norm, it is %.2g of the cross "
            "term",
            t->slope, t->norm_ratio, t->residual[0] / fabs(t->cross));
    else
        claim_say(r, off, c->chosen, SINPOS_DOES_NOT_HOLD, "%s",
                  t->slope == t->slope ? "what is left over is not of third order"
                                       : "the rows leave nothing but rounding: they have no effect");
    claim_detail(r, "slope", t->slope);
    claim_detail(r, "norm_of_positions_to_tokens", t->norm_ratio);
    claim_detail(r, "cross_term_share", t->cross_share);
    claim_detail(r, "cross_term", t->cross);
    claim_detail(r, "residual_at_full_size", t->residual[0]);
}

sinpos_status claim_taylor(claims *c, sinpos_claim_result *r)
{
    sinpos_taylor_result t;
    const size_t n = c->kept.run < 8 ? c->kept.run : 8;
    const sinpos_status status =
        sinpos_taylor(c->rows, n, c->dim, c->dim, NULL, 0, n / 2 - 1, n - 1, c->input->seed, &t);
    if (status == SINPOS_E_VALUE)
        claim_say(r, NAN, c->chosen, SINPOS_DOES_NOT_HOLD, "the rows are not finite, or too large for a softmax");
    else if (status == SINPOS_OK)
        say_taylor(c, r, &t);
    claim_looked_at(r, n, c->dim);
    return status == SINPOS_E_VALUE ? SINPOS_OK : status;
}

/* ------------------------------------------------------------------------------------------------ diagonal */

/* A diagonal H over complete tones, what the formula needs of it, and room for one row. */
typedef struct diagonal {
    size_t n;
    double *h_sin, *h_cos; /* (n) */
    double *half_sum;      /* (n) A^2 (h_cos + h_sin) / 2 */
    double *half_difference;
    double *angles;        /* (2 n) */
    double *sums;          /* (n) cosines of the sum of two angles */
    double *x, *y;         /* (2 n) */
    sinpos_plan *sum_plan; /* cos((m + n) theta + 2 phase), tone i in column i */
    bool has_sum;          /* false: half_difference is 0 */
    double size;           /* sum of A^2 max |h| */
    blocks memory;
} diagonal;

static sinpos_status plan_sums(const claims *c, diagonal *d)
{
    OWNED sinpos_tone *own = calloc(d->n, sizeof *own);
    if (own == NULL)
        return SINPOS_E_MEMORY;
    for (size_t i = 0; i < d->n; i++) {
        own[i] = c->complete.tone[i];
        own[i].phase *= 2;
        own[i].phase_turns *= 2;
        own[i].amplitude = 1;
        own[i].sin_column = SINPOS_NO_COLUMN;
        own[i].cos_column = (ptrdiff_t)i;
    }
    return sinpos_plan_create_tones(&d->sum_plan, d->n, 1, own, d->n, SINPOS_F64, NULL);
}

static void set_diagonal(const claims *c, diagonal *d, bool equal)
{
    d->size = 0;
    d->has_sum = !equal;
    for (size_t i = 0; i < d->n; i++) {
        const double weight = c->complete.weight[i];
        d->h_cos[i] = seeded_uniform(c->input->seed, 31, i);
        d->h_sin[i] = equal ? d->h_cos[i] : seeded_uniform(c->input->seed, 32, i);
        d->half_sum[i] = weight * (d->h_cos[i] + d->h_sin[i]) / 2;
        d->half_difference[i] = weight * (d->h_cos[i] - d->h_sin[i]) / 2;
        d->size += weight * fmax(fabs(d->h_cos[i]), fabs(d->h_sin[i]));
    }
}

static sinpos_status diagonal_make(diagonal *d, const claims *c)
{
    const size_t n = c->complete.n;
    *d = (diagonal){.n = n};
    d->h_sin = blocks_take(&d->memory, n, sizeof(double));
    d->h_cos = blocks_take(&d->memory, n, sizeof(double));
    d->half_sum = blocks_take(&d->memory, n, sizeof(double));
    d->half_difference = blocks_take(&d->memory, n, sizeof(double));
    d->sums = blocks_take(&d->memory, n, sizeof(double));
    d->angles = blocks_take(&d->memory, 2 * n, sizeof(double));
    d->x = blocks_take(&d->memory, 2 * n, sizeof(double));
    d->y = blocks_take(&d->memory, 2 * n, sizeof(double));
    return d->memory.has_failed ? SINPOS_E_MEMORY : plan_sums(c, d);
}

/* p_m' H p_n by the rows. */
static double by_rows(const claims *c, diagonal *d, const double *x, const double *y)
{
    for (size_t i = 0; i < d->n; i++) {
        d->x[i] = d->h_sin[i] * x[sin_column(c, i)];
        d->x[d->n + i] = d->h_cos[i] * x[cos_column(c, i)];
        d->y[i] = y[sin_column(c, i)];
        d->y[d->n + i] = y[cos_column(c, i)];
    }
    return compensated_dot(d->x, d->y, 2 * d->n);
}

typedef struct split {
    double error;             /* of the formula */
    double difference2, sum2; /* squares of the two parts, added up */
} split;

/* The pairs of one hop. Positions must not add up beyond 2^63. */
static sinpos_status split_hop(const claims *c, diagonal *d, const hop *h, split *s)
{
    sinpos_status status = claims_angles(c, h->k, d->angles);
    const double near = compensated_dot(d->half_sum, d->angles + d->n, d->n);
    for (size_t i = 0; i < c->kept.n_rows && status == SINPOS_OK; i++) {
        if (!hop_fits(c, h, i))
            continue;
        const int64_t m = claims_position(c, i), n = claims_position(c, i - h->back);
        double far = 0;
        if (d->has_sum) {
            status = sinpos_fill(d->sum_plan, m + n, 1, SINPOS_F64, d->sums, d->n);
            far = compensated_dot(d->half_difference, d->sums, d->n);
        }
        const double got = by_rows(c, d, claims_row(c, i), claims_row(c, i - h->back));
        s->error = worse(s->error, fabs(got - (near + far)));
        s->difference2 += near * near;
        s->sum2 += far * far;
    }
    return status;
}

static sinpos_status split_all(const claims *c, diagonal *d, split *s)
{
    sinpos_status status = SINPOS_OK;
    *s = (split){0, 0, 0};
    for (size_t i = 1; i < c->n_hops && status == SINPOS_OK; i += c->n_hops > 4 ? c->n_hops / 2 : 1)
        status = split_hop(c, d, &c->hops[i], s);
    return status;
}

/* With h = 1 - i / 2n: the part of the m - n term that is left at the longest offset, found in the rows. */
static double smooth_decay(const claims *c, diagonal *d)
{
    double size = 0;
    for (size_t i = 0; i < d->n; i++) {
        d->h_sin[i] = d->h_cos[i] = 1 - (double)i / (2 * (double)d->n);
        size += c->complete.weight[i] * d->h_sin[i];
    }
    return by_rows(c, d, claims_row(c, c->kept.run - 1), claims_row(c, 0)) / size;
}

static sinpos_status decide_diagonal(const claims *c, sinpos_claim_result *r, diagonal *d)
{
    split any, equal;
    const double u = c->unit;
    set_diagonal(c, d, false);
    const double bound = (2 * u + u * u + 0x1p-49) * d->size + 8 * c->tiny * sqrt((double)c->dim * c->norm2);
    sinpos_status status = split_all(c, d, &any);
    set_diagonal(c, d, true);
    if (status == SINPOS_OK)
        status = split_all(c, d, &equal);
    if (status != SINPOS_OK)
        return status;
    const double error = worse(any.error, equal.error), share = any.sum2 / (any.sum2 + any.difference2);
    if (error <= bound)
        claim_say(
            r, error, bound, SINPOS_HOLDS,
            "p_m' H p_n is a part in m - n and one in m + n (%.2g of the squares); with equal pairs none in m + n",
            share);
    else
        claim_say(r, error, bound, SINPOS_DOES_NOT_HOLD, "p_m' H p_n is more than its two parts, by %.3g", error);
    claim_detail(r, "error_any_diagonal", any.error);
    claim_detail(r, "error_equal_pairs", equal.error);
    claim_detail(r, "share_in_m_plus_n", share);
    claim_detail(r, "share_in_m_plus_n_equal_pairs", equal.sum2 / (equal.sum2 + equal.difference2));
    claim_detail(r, "smooth_diagonal_at_longest_offset", smooth_decay(c, d));
    return status;
}

sinpos_status claim_diagonal(claims *c, sinpos_claim_result *r)
{
    diagonal d;
    const int64_t first = c->input->first, last = claims_position(c, c->kept.n_rows - 1);
    if (last > INT64_MAX / 2 || first < -(INT64_MAX / 2)) {
        claim_say(r, NAN, NAN, SINPOS_DOES_NOT_APPLY, "m + n is beyond 2^63");
        return SINPOS_OK;
    }
    sinpos_status status = diagonal_make(&d, c);
    if (status == SINPOS_OK)
        status = decide_diagonal(c, r, &d);
    sinpos_plan_destroy(d.sum_plan);
    blocks_free(&d.memory);
    return status;
}

/* ----------------------------------------------------------------------------------------------- general-H */

enum { GRID = 96, GRID_TONES = 128 };

typedef double entry_function(const claims *c, size_t n, size_t i, size_t j); /* columns 2 tone + (is cosine), of n */

static double any_entry(const claims *c, size_t n, size_t i, size_t j)
{
    return seeded_uniform(c->input->seed, 41, i * n + j);
}

/* What commutes with the rotations: [a b; -b a] for each tone. */
static double commuting_entry(const claims *c, size_t n, size_t i, size_t j)
{
    (void)n;
    if (i / 2 != j / 2)
        return 0;
    const double a = seeded_uniform(c->input->seed, 42, i / 2), b = seeded_uniform(c->input->seed, 43, i / 2);
    return i == j ? a : i < j ? b : -b;
}

/* The identity, with all of a row's other entries together half as large. */
static double dominant_entry(const claims *c, size_t n, size_t i, size_t j)
{
    const double mean_size = 0.8660254037844386;
    return i == j ? 1 : any_entry(c, n, i, j) / (2 * mean_size * (double)n);
}

/* Part of the variance of p_m' H p_n over a grid of rows that no function of m - n explains. */
static sinpos_status not_relative(const claims *c, const double *p, size_t n_rows, size_t n, entry_function *entry,
                                  double *share, double *variance)
{
    sinpos_split_result found;
    OWNED double *h = malloc(n * n * sizeof *h);
    if (h == NULL)
        return SINPOS_E_MEMORY;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            h[i * n + j] = entry(c, n, i, j);
    const sinpos_status status = sinpos_split(h, n, p, n_rows, n, n, 1, NULL, &found);
    *share = status == SINPOS_OK ? 1 - found.difference : NAN;
    *variance = status == SINPOS_OK ? found.variance : NAN;
    return status == SINPOS_E_VALUE ? SINPOS_OK : status;
}

typedef struct general {
    double any, dominant, commuting, bound;
    bool is_constant;
} general;

static void say_general(const claims *c, sinpos_claim_result *r, const general *g)
{
    if (g->is_constant)
        claim_say(r, NAN, c->chosen, SINPOS_DOES_NOT_APPLY,
                  "p_m' H p_n is the same for all of these rows, whatever H is");
    else if (g->commuting != g->commuting)
        claim_say(r, NAN, c->chosen, SINPOS_DOES_NOT_HOLD, "the rows are not finite, or beyond 2^100");
    else if (!(g->commuting <= g->bound))
        claim_say(r, g->any, c->chosen, SINPOS_DOES_NOT_HOLD,
                  "not even H = [a b; -b a] per tone gives a function of m - n (%.2g)", g->commuting);
    else if (g->any > c->chosen && g->dominant < c->chosen)
        claim_say(
            r, g->any, c->chosen, SINPOS_HOLDS_ONLY_IF,
            "H is not full (%.2g of the variance is not a function of m - n) but has a dominant diagonal (%.2g), or "
            "[a b; -b a] per tone (%.1g)",
            g->any, g->dominant, fabs(g->commuting));
    else
        claim_say(r, g->any, c->chosen, SINPOS_DOES_NOT_HOLD,
                  "for these rows a full H leaves %.2g, a dominant diagonal %.2g", g->any, g->dominant);
    claim_detail(r, "full_not_relative", g->any);
    claim_detail(r, "dominant_diagonal_not_relative", g->dominant);
    claim_detail(r, "commuting_not_relative", g->commuting);
    claim_detail(r, "commuting_allowed", g->bound);
}

sinpos_status claim_general_h(claims *c, sinpos_claim_result *r)
{
    const size_t n_rows = c->kept.run < GRID ? c->kept.run : GRID;
    size_t column[2 * GRID_TONES];
    OWNED double *p = NULL;
    double variance = NAN, unused;
    general g = {NAN, NAN, NAN, NAN, false};
    const size_t n = claims_choose_columns(c, GRID_TONES, column);
    sinpos_status status = claims_gather(c, n_rows, n, column, &p);
    if (status == SINPOS_OK)
        status = not_relative(c, p, n_rows, n, commuting_entry, &g.commuting, &variance);
    if (status == SINPOS_OK)
        status = not_relative(c, p, n_rows, n, dominant_entry, &g.dominant, &unused);
    if (status == SINPOS_OK)
        status = not_relative(c, p, n_rows, n, any_entry, &g.any, &unused);
    /* each value is within (2u + u^2) sum A^2 (|a| + |b|) of the real one, |a| and |b| below sqrt(3); shares to 1e-12 */
    const double u = c->unit, tiny = 8 * c->tiny * sqrt((double)c->dim * c->norm2);
    const double error = (2 * u + u * u + 0x1p-48) * c->norm2 * 3.5 + tiny;
    g.bound = error * error / variance + 1e-12;
    g.is_constant = error * error >= variance; /* what varies could be rounding */
    say_general(c, r, &g);
    claim_looked_at(r, n_rows, n);
    return status;
}
