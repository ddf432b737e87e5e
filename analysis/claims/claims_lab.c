/* What training decides: measured once, with small models, for the schedule that the documents name. */
#include "claims.h"
#include "lab_verdicts.h"

/* 10000^(-2i/dim), all of it; what was trained from elsewhere says nothing of others. */
static bool is_what_was_trained(const claims *c)
{
    const size_t n = c->complete.n;
    for (size_t i = 0; i < n; i++) {
        const sinpos_tone *tone = &c->complete.tone[i];
        if (tone->schedule != SINPOS_GEOMETRIC || tone->in_turns || tone->base != 10000 || tone->base_divisor != 1 ||
            tone->shift != 0 || tone->scale != 1 || tone->factor != 1 || tone->divisor != (double)n ||
            tone->amplitude != 1 || tone->index != (double)i)
            return false;
    }
    return n > 0;
}

static sinpos_status say(const claims *c, sinpos_claim_result *r, const lab_verdict *found)
{
    if (!is_what_was_trained(c)) {
        claim_say(r, NAN, 0, SINPOS_DOES_NOT_APPLY, "models were trained with 10000^(-2i/dim) alone: docs/lab.md");
        return SINPOS_OK;
    }
    claim_looked_at(r, 0, 0);
    claim_say(r, found->value, 0, found->verdict, "%s", found->why);
    for (size_t i = 0; i < found->n_details; i++)
        claim_detail(r, found->details[i].name, found->details[i].value);
    return SINPOS_OK;
}

sinpos_status claim_trainable(claims *c, sinpos_claim_result *r)
{
    return say(c, r, &lab_trainable);
}

sinpos_status claim_learned(claims *c, sinpos_claim_result *r)
{
    return say(c, r, &lab_learned);
}
