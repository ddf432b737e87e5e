/* What is said of a claim. */
#include <stdarg.h>
#include <stdio.h>

#include "claims_result.h"

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

void claim_looked_at(sinpos_claim_result *r, size_t n_rows, size_t n_columns)
{
    r->n_rows = n_rows;
    r->n_columns = n_columns;
}
