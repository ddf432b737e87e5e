/* lab_verdicts.h - printed by gen/lab_verdicts.py from tests/data/lab/results.jsonl. */
#pragma once

#include "claims_lab.h"

static const lab_verdict lab_trainable = {
    SINPOS_DOES_NOT_APPLY,
    0.002934,
    "not decided: 10 seeds of small models, docs/lab.md",
    9,
    {{"theta_helps", 0.002934},
     {"theta_helps_low", -0.00393798},
     {"theta_helps_high", 0.00980598},
     {"log_theta_helps", 0.009122},
     {"log_theta_helps_low", 0.00281225},
     {"log_theta_helps_high", 0.0154317},
     {"log_theta_1000_helps", 0.010638},
     {"log_theta_1000_helps_low", 0.00515316},
     {"log_theta_1000_helps_high", 0.0161228}},
};
static const lab_verdict lab_learned = {
    SINPOS_HOLDS_ONLY_IF,
    -0.145588,
    "beyond the trained length the loss is lower with a learned table; refuted: within the trained length the loss is lower with a learned table (10 seeds of small models, docs/lab.md)",
    6,
    {{"learned_within", -0.145588},
     {"learned_within_low", -0.160611},
     {"learned_within_high", -0.130565},
     {"learned_beyond", 0.220791},
     {"learned_beyond_low", 0.152684},
     {"learned_beyond_high", 0.288898}},
};
