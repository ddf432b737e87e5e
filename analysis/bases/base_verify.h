/* What the files that check certificates share. */
#pragma once

#include <stdbool.h>

#include "balls.h"
#include "crew.h"

/* (i + shift) / divisor */
void verify_exponent(arb_t exponent, const sinpos_base_query *q, size_t i, slong precision);
/* scale * e^(-exponent * log_base) */
void verify_theta(arb_t theta, const sinpos_base_query *q, const arb_t exponent, const arb_t log_base, slong precision);

/* Does every base from this one on pass? Where it is not shown, offset receives where. */
sinpos_status verify_above(const crew *c, const sinpos_base_query *q, double base, bool *holds, int64_t *offset);
