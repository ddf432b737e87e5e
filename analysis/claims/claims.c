/* The claims, and the call that decides them. */
#include <math.h>

#include "boundary.h"
#include "claims.h"
#include "crew.h"
#include "moments.h"

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
    return index < N_CLAIMS ? &claims_list[index].claim : NULL;
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

/* Says so where there are fewer rows or tones than the claim needs. */
static bool has_too_few(const claims *c, const claim_decision *by, sinpos_claim_result *r)
{
    static const char *const and_tones[] = {"", " and a tone with sine and cosine", " and two tones"};
    static const char *const rows[] = {[2] = "two", [4] = "four", [8] = "eight", [16] = "sixteen", [32] = "32"};
    const double thresholds[] = {
        [THRESHOLD_NONE] = NAN, [THRESHOLD_CHOSEN] = c->chosen, [THRESHOLD_COLUMNS] = (double)c->dim};
    if (c->kept.run >= by->rows && c->complete.n >= by->tones && !(by->needs_size && c->g0 == 0))
        return false;
    claim_say(r, NAN, thresholds[by->threshold], SINPOS_DOES_NOT_APPLY, "%s rows%s are needed", rows[by->rows],
              and_tones[by->tones]);
    return true;
}

static sinpos_status decide_one(claims *c, size_t index, sinpos_claim_result *r)
{
    const double given = index < c->input->n_thresholds ? c->input->thresholds[index] : NAN;
    *r = (sinpos_claim_result){.value = NAN, .threshold = NAN, .claim = &claims_list[index].claim};
    claim_looked_at(r, c->kept.n_rows, c->dim);
    c->is_given = !isnan(given);
    c->chosen = c->is_given ? given : r->claim->threshold;
    r->origin = c->is_given                  ? SINPOS_THRESHOLD_GIVEN
                : isnan(r->claim->threshold) ? SINPOS_THRESHOLD_DERIVED
                                             : SINPOS_THRESHOLD_CHOSEN;
    const claim_decision *by = &claims_list[index].by;
    const bool is_definition = by->decide == claim_definition;
    if (!is_definition && squares_fit(c) && !squares_of_rows_fit(c)) {
        claim_say(r, NAN, NAN, SINPOS_DOES_NOT_APPLY, "squares of the rows are beyond the range of doubles");
        return SINPOS_OK;
    }
    if (!squares_fit(c) && !is_definition) {
        claim_say(r, NAN, NAN, SINPOS_DOES_NOT_APPLY, "squares of the amplitude are beyond the range of doubles");
        return SINPOS_OK;
    }
    const sinpos_status status = has_too_few(c, by, r) ? SINPOS_OK : by->decide(c, r);
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
        if (!isnan(given) && (i >= N_CLAIMS || isnan(claims_list[i].claim.threshold) || !isfinite(given) || given < 0))
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
