/* What happens as the offset of two rows grows: decay, distances, which columns differ. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "claims.h"
#include "claims_law.h"
#include "compensated.h"

/* Pairs of rows that one offset is measured on: the first, the last and one between. */
enum { PAIRS = 3 };

static void choose_pairs(size_t run, size_t k, size_t later[PAIRS])
{
    later[0] = k;
    later[1] = run - 1;
    later[2] = k + (run - 1 - k) / 2;
}

/* Means over those pairs in the first run, for offsets 0 .. run - 1: products, or distances. */
static sinpos_status measure_curve(const claims *c, bool distance, double **curve)
{
    const size_t run = c->kept.run;
    double *out = *curve = malloc(run * sizeof *out);
    if (out == NULL)
        return SINPOS_E_MEMORY;
    for (size_t k = 0; k < run; k++) {
        size_t later[PAIRS];
        choose_pairs(run, k, later);
        out[k] = 0;
        for (size_t p = 0; p < PAIRS; p++) {
            const double *x = claims_row(c, later[p]), *y = claims_row(c, later[p] - k);
            out[k] += (distance ? compensated_distance(x, y, c->dim) : compensated_dot(x, y, c->dim)) / PAIRS;
        }
    }
    return SINPOS_OK;
}

/* ------------------------------------------------------------------------------------------------- decay */

/* Cosines that looking beyond the rows may cost; those of rational turns are made one by one. */
enum { BEYOND_TERMS = 1 << 25, BEYOND_TURNS = 1 << 20, BEYOND_OFFSETS = 1 << 18 };

/* Largest |curve| / curve[0] for first <= k < last. */
static double envelope(const double *curve, size_t first, size_t last)
{
    double most = 0;
    for (size_t k = first; k < last; k++)
        most = worse(most, fabs(curve[k]) / fabs(curve[0]));
    return most;
}

static double first_below_zero(const double *curve, size_t n)
{
    for (size_t k = 1; k < n; k++)
        if (curve[k] < 0)
            return (double)k;
    return NAN;
}

typedef struct beyond {
    double size; /* |g| / g(0), the largest beyond the rows */
    int64_t k, limit;
} beyond;

/* Of the stated encoding: offsets from the length of the table on, as many as are affordable. */
static sinpos_status look_beyond(const claims *c, beyond *b)
{
    const int64_t from = (int64_t)c->kept.run;
    bool has_turns = false;
    for (size_t i = 0; i < c->complete.n; i++)
        has_turns = has_turns || c->complete.tone[i].in_turns;
    const int64_t affordable = (has_turns ? BEYOND_TURNS : BEYOND_TERMS) / (int64_t)(c->complete.n + 1);
    const int64_t more = affordable < BEYOND_OFFSETS ? affordable : BEYOND_OFFSETS;
    *b = (beyond){NAN, 0, from};
    if (more < from || c->g0 == 0)
        return SINPOS_OK;
    sinpos_peak peak;
    b->limit = from + more;
    const sinpos_status status =
        sinpos_kernel_envelope(c->input->plan, &from, 1, b->limit, &peak, c->input->n_threads, NULL, NULL);
    b->size = fabs(peak.g) / c->g0;
    b->k = peak.offset;
    return status;
}

static void tell_envelopes(const double *curve, size_t run, sinpos_claim_result *r)
{
    static const char *const names[] = {"envelope_1_to_7",        "envelope_8_to_31",     "envelope_32_to_127",
                                        "envelope_128_to_511",    "envelope_512_to_2047", "envelope_2048_to_8191",
                                        "envelope_8192_to_32767", "envelope_32768_and_on"};
    size_t from = 1;
    for (size_t i = 0; i < 8 && from < run; i++) {
        const size_t to = i == 0 ? 8 : i == 7 ? run : 4 * from;
        claim_detail(r, names[i], envelope(curve, from, to < run ? to : run));
        from = to;
    }
}

static void say_decay(const claims *c, sinpos_claim_result *r, double last, const beyond *b)
{
    char back[100] = "";
    if (b->size == b->size)
        snprintf(back, sizeof back, "; beyond, it comes back to %.2g at %lld", b->size, (long long)b->k);
    if (last <= c->chosen)
        claim_say(r, last, c->chosen, SINPOS_HOLDS_ONLY_IF,
                  "offsets are below %zu: in their upper half |g| is at most %.2g g(0)%s", c->kept.run, last, back);
    else
        claim_say(r, last, c->chosen, SINPOS_DOES_NOT_HOLD, "|g| reaches %.2g g(0) between offsets %zu and %zu", last,
                  c->kept.run / 2, c->kept.run - 1);
}

static sinpos_status tell_continuum(const claims *c, sinpos_claim_result *r)
{
    sinpos_theta *theta;
    sinpos_crossing crossing = {.x = NAN};
    sinpos_status status = claims_theta(c, &theta);
    if (status == SINPOS_OK && theta != NULL)
        status = sinpos_continuum_crossing(theta, 1e6, &crossing, NULL, NULL);
    sinpos_theta_destroy(theta);
    claim_detail(r, "continuum_crosses_zero_at", crossing.x);
    return status == SINPOS_E_VALUE || status == SINPOS_E_UNSUPPORTED ? SINPOS_OK : status;
}

sinpos_status claim_decay(claims *c, sinpos_claim_result *r)
{
    const size_t run = c->kept.run;
    OWNED double *curve = NULL;
    beyond b;
    sinpos_status status = measure_curve(c, false, &curve);
    if (status == SINPOS_OK)
        status = look_beyond(c, &b);
    if (status == SINPOS_OK) {
        claim_looked_at(r, run, c->dim);
        say_decay(c, r, envelope(curve, run / 2, run), &b);
        tell_envelopes(curve, run, r);
        claim_detail(r, "first_negative_offset", first_below_zero(curve, run));
        claim_detail(r, "largest_beyond_the_rows", b.size);
        claim_detail(r, "largest_beyond_at", (double)b.k);
        claim_detail(r, "looked_up_to", (double)b.limit);
        status = tell_continuum(c, r);
    }
    return status;
}

sinpos_status claims_last_envelope(const claims *c, double *last)
{
    OWNED double *curve = NULL;
    const sinpos_status status = measure_curve(c, false, &curve);
    if (status == SINPOS_OK)
        *last = envelope(curve, c->kept.run / 2, c->kept.run);
    return status;
}

/* ---------------------------------------------------------------------------------------------- distance */

/* Least squares of y against x; the part of the variance of y that is left. */
typedef struct line {
    double n, x, y, xx, xy, yy;
} line;

static void line_add(line *l, double x, double y)
{
    const double dx = x - l->x, dy = y - l->y;
    l->n++;
    l->x += dx / l->n;
    l->y += dy / l->n;
    l->xx += dx * (x - l->x);
    l->xy += dx * (y - l->y);
    l->yy += dy * (y - l->y);
}

static double line_left(const line *l)
{
    return (l->yy - l->xy * l->xy / l->xx) / l->yy;
}

sinpos_status claim_distance(claims *c, sinpos_claim_result *r)
{
    static const struct {
        size_t k;
        const char *name;
    } shown[] = {{1, "distance_1"},     {10, "distance_10"},   {100, "distance_100"},
                 {500, "distance_500"}, {999, "distance_999"}, {10000, "distance_10000"}};
    OWNED double *curve = NULL;
    line straight = {0}, logarithm = {0};
    const sinpos_status status = measure_curve(c, true, &curve);
    for (size_t k = 1; k < c->kept.run && status == SINPOS_OK; k++) {
        line_add(&straight, (double)k, curve[k]);
        line_add(&logarithm, log((double)k), curve[k] * curve[k]);
    }
    const double left = line_left(&straight), log_left = line_left(&logarithm);
    if (straight.yy == 0)
        claim_say(r, NAN, c->chosen, SINPOS_DOES_NOT_HOLD, "all distances are the same");
    else if (left <= c->chosen)
        claim_say(r, left, c->chosen, SINPOS_HOLDS, "over %zu rows distances grow along a straight line", c->kept.run);
    else
        claim_say(r, left, c->chosen, SINPOS_DOES_NOT_HOLD,
                  "a straight line leaves %.3g %% of their variance; their square against ln k leaves %.3g %%",
                  100 * left, 100 * log_left);
    claim_looked_at(r, c->kept.run, c->dim);
    claim_detail(r, "left_by_straight_line", left);
    claim_detail(r, "left_by_square_against_log", log_left);
    claim_detail(r, "slope_of_square_against_log", logarithm.xy / logarithm.xx);
    for (size_t i = 0; i < sizeof shown / sizeof *shown && status == SINPOS_OK; i++)
        if (shown[i].k < c->kept.run)
            claim_detail(r, shown[i].name, curve[shown[i].k]);
    return status;
}

/* ---------------------------------------------------------------------------------------------- near-far */

/* Part of |p_0 - p_k|^2, of complete tones, that the first half of them makes. */
static double lower_share(const claims *c, const double *x, const double *y)
{
    const size_t n = c->complete.n;
    double lower = 0, whole = 0;
    for (size_t j = 0; j < n; j++) {
        const double s = x[sin_column(c, j)] - y[sin_column(c, j)], k = x[cos_column(c, j)] - y[cos_column(c, j)];
        whole += s * s + k * k;
        lower += j < n / 2 ? s * s + k * k : 0;
    }
    return lower / whole;
}

/* May row k be read? The table ends, the definition does not. */
static bool row_exists(const claims *c, size_t k)
{
    const bool fits = c->input->first <= 0 || (uint64_t)INT64_MAX - (uint64_t)c->input->first >= k;
    return k < c->input->n || (c->input->table == NULL && fits);
}

/* Parts of the first half of the tones, of neighbours and at the longest offset whose rows differ. */
typedef struct lower_shares {
    double near, far;
    size_t far_k, last_k;
} lower_shares;

static sinpos_status find_lower_shares(const claims *c, sinpos_claim_result *r, lower_shares *found)
{
    static const struct {
        size_t k;
        const char *name;
    } shown[] = {{1, "lower_share_1"},
                 {10, "lower_share_10"},
                 {100, "lower_share_100"},
                 {1000, "lower_share_1000"},
                 {10000, "lower_share_10000"}};
    OWNED double *row = malloc(c->dim * sizeof *row);
    sinpos_status status = row == NULL ? SINPOS_E_MEMORY : SINPOS_OK;
    for (size_t i = 0; i < sizeof shown / sizeof *shown && status == SINPOS_OK && c->complete.n > 1; i++) {
        const size_t k = shown[i].k;
        if (!row_exists(c, k))
            continue;
        status = claims_read(c, k, 1, row);
        const double share = lower_share(c, claims_row(c, 0), row);
        claim_detail(r, shown[i].name, share);
        found->near = k == 1 ? share : found->near;
        found->far = share == share ? share : found->far; /* rows that differ */
        found->far_k = share == share ? k : found->far_k;
        found->last_k = k;
    }
    return status;
}

/* "Only in high ones": the first half of the tones makes at most the chosen part; and of neighbours all but that part. */
sinpos_status claim_near_far(claims *c, sinpos_claim_result *r)
{
    lower_shares s = {NAN, NAN, 0, 0};
    const sinpos_status status = find_lower_shares(c, r, &s);
    if (s.last_k < 2)
        claim_say(r, s.far, c->chosen, SINPOS_DOES_NOT_APPLY, "two tones and eleven rows are needed");
    else if (s.near != s.near)
        claim_say(r, s.near, c->chosen, SINPOS_DOES_NOT_HOLD, "the rows of positions 0 and 1 do not differ");
    else if (s.far_k < 2)
        claim_say(r, NAN, c->chosen, SINPOS_DOES_NOT_APPLY,
                  "the rows of positions 10, 100, ... are that of position 0");
    else if (s.near >= 1 - c->chosen && s.far <= c->chosen)
        claim_say(r, s.far, c->chosen, SINPOS_HOLDS,
                  "the first half of the tones makes %.3g of |p_0 - p_1|^2, and %.3g at offset %zu", s.near, s.far,
                  s.far_k);
    else if (s.near >= 1 - c->chosen)
        claim_say(r, s.far, c->chosen, SINPOS_HOLDS_ONLY_IF,
                  "positions are near: the first half of the tones makes %.3g of |p_0 - p_1|^2, and still %.3g at %zu",
                  s.near, s.far, s.far_k);
    else
        claim_say(r, s.far, c->chosen, SINPOS_DOES_NOT_HOLD,
                  "neighbours differ in the last tones too: the first half makes %.3g of |p_0 - p_1|^2", s.near);
    return status;
}
