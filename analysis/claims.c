/* The claims, and the call that decides them. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include "claims.h"
#include "claims_explain.h"

static const sinpos_claim claims_list[N_CLAIMS] = {
    {"definition", 1, "an element is sin or cos of position times theta_i", "elements that are not that, rounded once",
     EXPLAIN_DEFINITION},
    {"relative", 1, "<p_m, p_n> depends on m - n alone", "largest |<p_m, p_n> - g(m - n)|", EXPLAIN_RELATIVE},
    {"order-free", 1, "columns may stand in any order", "largest |<p_m, p_n> - g(m - n)| over orders of the columns",
     EXPLAIN_ORDER_FREE},
    {"both", 1, "sine and cosine are both needed", "how badly one alone fails, as a part of the full size",
     EXPLAIN_BOTH},
    {"scale-invariant", 1, "|p_t - p_(t+k)| does not depend on t", "largest ||p_t - p_(t+k)| - D(k)|",
     EXPLAIN_SCALE_INVARIANT},
    {"linear", 1, "p(t+k) = M_k p(t) with M_k of rotations", "largest |M_k p(t) - p(t+k)|", EXPLAIN_LINEAR},
    {"waves", 0, "the columns are waves of the frequencies stated", "largest error of a frequency found back, radians",
     EXPLAIN_WAVES},
    {"fourier", 1, "the columns are tones of different frequencies",
     "tones without a single peak at theta_i, or that copy others", EXPLAIN_FOURIER},
};

static claim_function *const deciders[N_CLAIMS] = {
    claim_definition,      claim_relative, claim_order_free, claim_both,
    claim_scale_invariant, claim_linear,   claim_waves,      claim_fourier,
};

const char *sinpos_verdict_name(sinpos_verdict verdict)
{
    switch (verdict) {
    case SINPOS_HOLDS: return "holds";
    case SINPOS_HOLDS_ONLY_IF: return "holds only if";
    case SINPOS_DOES_NOT_HOLD: return "does not hold";
    case SINPOS_DOES_NOT_APPLY: return "does not apply";
    }
    return "unknown verdict";
}

const sinpos_claim *sinpos_claim_at(size_t index)
{
    return index < N_CLAIMS ? &claims_list[index] : NULL;
}

void claim_say(sinpos_claim_result *r, double value, double threshold, sinpos_verdict verdict, const char *why, ...)
{
    va_list arguments;
    r->value = value;
    r->threshold = threshold;
    r->verdict = verdict;
    va_start(arguments, why);
    vsnprintf(r->why, sizeof r->why, why, arguments);
    va_end(arguments);
}

void claim_detail(sinpos_claim_result *r, const char *name, double value)
{
    if (r->n_details < SINPOS_CLAIM_DETAILS)
        r->details[r->n_details++] = (sinpos_claim_detail){name, value};
}

static sinpos_status decide_all(claims *c, const size_t *which, size_t n, sinpos_claim_result *results,
                                sinpos_progress *progress, void *context)
{
    sinpos_status status = SINPOS_OK;
    for (size_t i = 0; i < n && status == SINPOS_OK; i++) {
        const size_t index = which == NULL ? i : which[i];
        results[i] = (sinpos_claim_result){.value = NAN, .threshold = NAN, .claim = &claims_list[index]};
        status = deciders[index](c, &results[i]);
        if (status == SINPOS_OK && progress != NULL && progress(context, (double)(i + 1) / (double)n) != 0)
            status = SINPOS_E_STOPPED;
    }
    return status;
}

static sinpos_status check_which(const size_t *which, size_t n_which)
{
    for (size_t i = 0; i < n_which && which != NULL; i++)
        if (which[i] >= N_CLAIMS)
            return SINPOS_E_SHAPE;
    return which == NULL && n_which < N_CLAIMS ? SINPOS_E_SHAPE : SINPOS_OK;
}

sinpos_status sinpos_check(const sinpos_check_input *input, const size_t *which, size_t n_which,
                           sinpos_claim_result *results, sinpos_check_rows *rows, sinpos_progress *progress,
                           void *context)
{
    claims c;
    if (input == NULL || input->plan == NULL || results == NULL)
        return SINPOS_E_NULL;
    sinpos_status status = check_which(which, n_which);
    if (status != SINPOS_OK)
        return status;
    status = claims_open(&c, input);
    if (status == SINPOS_OK && rows != NULL)
        *rows = c.kept;
    if (status == SINPOS_OK)
        status = decide_all(&c, which, which == NULL ? N_CLAIMS : n_which, results, progress, context);
    claims_close(&c);
    return status;
}
