/* What the laboratory (docs/lab.md) found of a sentence: data for claims_lab.c. */
#pragma once

#include <math.h>

#include "sinpos_analysis.h"

enum { MOST_LAB_DETAILS = 9 };

typedef struct lab_verdict {
    sinpos_verdict verdict;
    double value; /* mean of the first difference, in nats for a character */
    const char *why;
    size_t n_details;
    sinpos_claim_detail details[MOST_LAB_DETAILS]; /* means, and ends of their 95 % intervals */
} lab_verdict;
