/* The claims, and the call that decides them. */
#include <math.h>

#include "boundary.h"
#include "claims.h"
#include "claims_explain.h"
#include "crew.h"
#include "moments.h"

/* In the order of docs/mathematics.md. */
static const struct {
    sinpos_claim claim;
    claim_function *decide;
} list[N_CLAIMS] = {
    {{"definition", 1, "an element is sin or cos of position times theta_i", "elements that are not that, rounded once",
      EXPLAIN_DEFINITION, NAN, 0},
     claim_definition},
    {{"symmetry", 1, "attention without positions cannot distinguish orders, with them it can",
      "least change of the outputs that reordering makes", EXPLAIN_SYMMETRY, NAN, 0},
     claim_symmetry},
    {{"taylor", 1, "to second order only p_m' H p_n knows both positions",
      "how far the order of what is left over is from 3", EXPLAIN_TAYLOR, 0.1, 0},
     claim_taylor},
    {{"relative", 1, "<p_m, p_n> depends on m - n alone", "largest |<p_m, p_n> - g(m - n)|", EXPLAIN_RELATIVE, NAN, 0},
     claim_relative},
    {{"order-free", 1, "columns may stand in any order", "largest |<p_m, p_n> - g(m - n)| over orders of the columns",
      EXPLAIN_ORDER_FREE, NAN, 0},
     claim_order_free},
    {{"decay", 0, "g(k) tends to 0 as k grows", "largest |g| / g(0) in the upper half of the offsets", EXPLAIN_DECAY,
      0.5, 0},
     claim_decay},
    {{"schedules", 0, "almost any smooth monotone theta_t decays, and they differ as described",
      "largest size left: of the rows' upper half, of the schedules at 10^6", EXPLAIN_SCHEDULES, 0.5, 0},
     claim_schedules},
    {{"diagonal", 1, "for diagonal H, p_m' H p_n is a part in m - n and one in m + n", "largest error of that",
      EXPLAIN_DIAGONAL, NAN, 0},
     claim_diagonal},
    {{"general-H", 0, "of a full H only a dominant diagonal keeps m - n",
      "part of the variance, for a random H, that is not a function of m - n", EXPLAIN_GENERAL_H, 0.5, 0},
     claim_general_h},
    {{"covariance", 0, "the covariance of the columns is nearly diagonal",
      "part of the columns whose variance exceeds their covariances", EXPLAIN_COVARIANCE, 1, 1},
     claim_covariance},
    {{"periodic", 0, "every column is periodic", "columns that repeat on integers, of those that change at all",
      EXPLAIN_PERIODIC, NAN, 0},
     claim_periodic},
    {{"both", 1, "sine and cosine are both needed", "how badly one alone fails, as a part of the full size",
      EXPLAIN_BOTH, NAN, 0},
     claim_both},
    {{"injective", 1, "no two positions share a row", "smallest distance of two rows", EXPLAIN_INJECTIVE, NAN, 0},
     claim_injective},
    {{"scale-invariant", 1, "|p_t - p_(t+k)| does not depend on t", "largest ||p_t - p_(t+k)| - D(k)|",
      EXPLAIN_SCALE_INVARIANT, NAN, 0},
     claim_scale_invariant},
    {{"linear", 1, "p(t+k) = M_k p(t) with M_k of rotations", "largest |M_k p(t) - p(t+k)|", EXPLAIN_LINEAR, NAN, 0},
     claim_linear},
    {{"waves", 0, "the columns are waves of the frequencies stated", "largest error of a frequency found back, radians",
      EXPLAIN_WAVES, NAN, 0},
     claim_waves},
    {{"heatmap", 0, "later columns vary less", "tones that vary more than the one before", EXPLAIN_HEATMAP, NAN, 0},
     claim_heatmap},
    {{"distance", 0, "distances grow linearly with the offset",
      "part of their variance that a straight line leaves over", EXPLAIN_DISTANCE, 0.01, 0},
     claim_distance},
    {{"near-far", 0, "near positions differ in low dimensions, far ones only in high",
      "part of the first half of the tones in |p_0 - p_k|^2, at the longest k", EXPLAIN_NEAR_FAR, 0.25, 0},
     claim_near_far},
    {{"more-dims", 0, "longer inputs need more dimensions", "fewest columns with which neighbours are the nearest rows",
      EXPLAIN_MORE_DIMS, NAN, 0},
     claim_more_dims},
    {{"additive", 0, "adding positions does not spoil the tokens",
      "part of the tokens' variance that least squares recover", EXPLAIN_ADDITIVE, 0.5, 1},
     claim_additive},
    {{"fourier", 1, "the columns are tones of different frequencies",
      "largest part of a tone's energy more than two bins away from theta_i", EXPLAIN_FOURIER, 6.6e-4, 0},
     claim_fourier},
    {{"orthogonal", 0, "the columns are orthogonal", "largest correlation of two columns", EXPLAIN_ORTHOGONAL, 0, 0},
     claim_orthogonal},
    {{"attention", 0, "tokens and positions both take part in attention",
      "part of the squares of the scores in terms with positions", EXPLAIN_ATTENTION, NAN, 1},
     claim_attention},
};

const char *sinpos_verdict_name(sinpos_verdict verdict)
{
    BOUNDARY;
    switch (verdict) {
    case SINPOS_HOLDS: return "holds";
    case SINPOS_HOLDS_ONLY_IF: return "holds only if";
    case SINPOS_DOES_NOT_HOLD: return "does not hold";
    case SINPOS_DOES_NOT_APPLY: return "does not apply";
    }
    return "unknown verdict";
}

const char *sinpos_threshold_origin_name(sinpos_threshold_origin origin)
{
    BOUNDARY;
    switch (origin) {
    case SINPOS_THRESHOLD_DERIVED: return "derived";
    case SINPOS_THRESHOLD_CHOSEN: return "chosen";
    case SINPOS_THRESHOLD_GIVEN: return "given";
    }
    return "unknown origin";
}

const sinpos_claim *sinpos_claim_at(size_t index)
{
    BOUNDARY;
    return index < N_CLAIMS ? &list[index].claim : NULL;
}

/* Amplitudes whose squares or fourth powers leave the range of doubles: only single elements can be judged then. */
static bool squares_fit(const claims *c)
{
    return c->amplitude == 0 || (c->amplitude < 0x1p200 && c->amplitude > 0x1p-200);
}

/* The same of rows; those with elements that are not finite are judged, and found wanting. */
static bool squares_of_rows_fit(const claims *c)
{
    return c->n_not_finite > 0 || c->most == 0 || (c->most < 0x1p200 && c->most > 0x1p-200);
}

/* What is wrong with the rows as a whole is said before anything that follows from it. */
static void name_flaw(const claims *c, bool is_definition, sinpos_claim_result *r)
{
    if (r->verdict == SINPOS_DOES_NOT_HOLD && c->n_not_finite > 0)
        claim_say(r, r->value, r->threshold, r->verdict, "%zu elements of the rows are not finite", c->n_not_finite);
    else if (!is_definition && c->most == 0 && r->verdict != SINPOS_DOES_NOT_APPLY)
        claim_say(r, r->value, r->threshold,
                  r->verdict == SINPOS_DOES_NOT_HOLD ? SINPOS_DOES_NOT_HOLD : SINPOS_DOES_NOT_APPLY,
                  "the rows are all zero");
}

static sinpos_status decide_one(claims *c, size_t index, sinpos_claim_result *r)
{
    const double given = index < c->input->n_thresholds ? c->input->thresholds[index] : NAN;
    *r = (sinpos_claim_result){.value = NAN, .threshold = NAN, .claim = &list[index].claim};
    claim_looked_at(r, c->kept.n_rows, c->dim);
    c->is_given = !isnan(given);
    c->chosen = c->is_given ? given : r->claim->threshold;
    r->origin = c->is_given                  ? SINPOS_THRESHOLD_GIVEN
                : isnan(r->claim->threshold) ? SINPOS_THRESHOLD_DERIVED
                                             : SINPOS_THRESHOLD_CHOSEN;
    const bool is_definition = list[index].decide == claim_definition;
    if (!is_definition && squares_fit(c) && !squares_of_rows_fit(c)) {
        claim_say(r, NAN, NAN, SINPOS_DOES_NOT_APPLY, "squares of the rows are beyond the range of doubles");
        return SINPOS_OK;
    }
    if (!squares_fit(c) && !is_definition) {
        claim_say(r, NAN, NAN, SINPOS_DOES_NOT_APPLY, "squares of the amplitude are beyond the range of doubles");
        return SINPOS_OK;
    }
    const sinpos_status status = list[index].decide(c, r);
    if (status == SINPOS_OK)
        name_flaw(c, is_definition, r);
    return status;
}

static sinpos_status decide_all(claims *c, const size_t *which, size_t n, sinpos_claim_result *results,
                                const crew *whole)
{
    sinpos_status status = SINPOS_OK;
    for (size_t i = 0; i < n && status == SINPOS_OK; i++) {
        const size_t index = which == NULL ? i : which[i];
        status = decide_one(c, index, &results[i]);
        if (status == SINPOS_OK)
            status = crew_report(whole, (double)(i + 1) / (double)n);
    }
    return status;
}

static sinpos_status check_which(const size_t *which, size_t n_which)
{
    for (size_t i = 0; i < n_which && which != NULL; i++)
        if (which[i] >= N_CLAIMS)
            return SINPOS_E_VALUE;
    return which == NULL && n_which < N_CLAIMS ? SINPOS_E_CAPACITY : SINPOS_OK;
}

static sinpos_status check_thresholds(const sinpos_check_input *input)
{
    if (input->n_thresholds > 0 && input->thresholds == NULL)
        return SINPOS_E_NULL;
    for (size_t i = 0; i < input->n_thresholds; i++) {
        const double given = input->thresholds[i];
        if (!isnan(given) && (i >= N_CLAIMS || isnan(list[i].claim.threshold) || !isfinite(given) || given < 0))
            return SINPOS_E_VALUE;
    }
    return SINPOS_OK;
}

static sinpos_status check_words(const sinpos_check_input *input)
{
    const size_t dim = sinpos_plan_dim(input->plan);
    if (input->words == NULL)
        return input->n_words == 0 ? SINPOS_OK : SINPOS_E_NULL;
    if (input->n_words < 2 || input->ld_words < dim || input->n_words > SIZE_MAX / sizeof(double) / input->ld_words)
        return SINPOS_E_SHAPE;
    return rows_are_within(input->words, input->n_words, dim, input->ld_words) ? SINPOS_OK : SINPOS_E_VALUE;
}

static sinpos_status check_arguments(const sinpos_check_input *input, const size_t *which, size_t n_which)
{
    sinpos_status status = check_which(which, n_which);
    status = status == SINPOS_OK ? check_thresholds(input) : status;
    return status == SINPOS_OK ? check_words(input) : status;
}

sinpos_status sinpos_check(const sinpos_check_input *input, const size_t *which, size_t n_which,
                           sinpos_claim_result *results, sinpos_check_rows *rows, sinpos_progress *progress,
                           void *context)
{
    BOUNDARY;
    claims c;
    const crew whole = crew_of(1, progress, context);
    if (input == NULL || input->plan == NULL || results == NULL)
        return SINPOS_E_NULL;
    sinpos_status status = check_arguments(input, which, n_which);
    if (status != SINPOS_OK)
        return status;
    status = claims_open(&c, input);
    if (status == SINPOS_OK && rows != NULL)
        *rows = c.kept;
    if (status == SINPOS_OK)
        status = decide_all(&c, which, which == NULL ? N_CLAIMS : n_which, results, &whole);
    claims_close(&c);
    return status;
}
