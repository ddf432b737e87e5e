/* What is said of a claim: the verdict, numbers beside it, and what was looked at. */
#pragma once

#include "sinpos_analysis.h"

/* Sets all but the details. */
void claim_say(sinpos_claim_result *r, double value, double threshold, sinpos_verdict verdict, const char *why, ...)
    __attribute__((format(printf, 5, 6)));
void claim_detail(sinpos_claim_result *r, const char *name, double value);
/* What was looked at, where that is not all kept rows and all columns. */
void claim_looked_at(sinpos_claim_result *r, size_t n_rows, size_t n_columns);
