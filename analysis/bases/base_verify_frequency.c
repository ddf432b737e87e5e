/* One frequency of a query as a ball. */
#include "base_verify.h"

void verify_exponent(arb_t exponent, const sinpos_base_query *q, size_t i, slong precision)
{
    arb_t divisor;
    arb_init(divisor);
    arb_set_d(divisor, q->divisor);
    arb_set_d(exponent, q->shift);
    arb_add_ui(exponent, exponent, i, precision);
    arb_div(exponent, exponent, divisor, precision);
    arb_clear(divisor);
}

void verify_theta(arb_t theta, const sinpos_base_query *q, const arb_t exponent, const arb_t log_base, slong precision)
{
    arb_t scale;
    arb_init(scale);
    arb_set_d(scale, q->scale);
    arb_mul(theta, exponent, log_base, precision);
    arb_neg(theta, theta);
    arb_exp(theta, theta, precision);
    arb_mul(theta, theta, scale, precision);
    arb_clear(scale);
}
