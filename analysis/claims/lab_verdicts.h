/* lab_verdicts.h - printed by gen/lab_verdicts.py from tests/data/lab/results.jsonl. */
#pragma once

#include "claims_lab.h"

static const lab_verdict lab_trainable = {
    SINPOS_DOES_NOT_APPLY,
    0.004374,
    "not decided: 5 seeds of small models, docs/lab.md",
    9,
    {{"theta_helps", 0.004374},
     {"theta_helps_low", -0.00667098},
     {"theta_helps_high", 0.015419},
     {"log_theta_helps", 0.009864},
     {"log_theta_helps_low", -0.00586614},
     {"log_theta_helps_high", 0.0255941},
     {"log_theta_1000_helps", 0.01047},
     {"log_theta_1000_helps_low", 0.00387878},
     {"log_theta_1000_helps_high", 0.0170612}},
};
static const lab_verdict lab_learned = {
    SINPOS_DOES_NOT_HOLD,
    -0.144564,
    "within the trained length the loss is lower with a learned table (5 seeds of small models, docs/lab.md)",
    6,
    {{"learned_within", -0.144564},
     {"learned_within_low", -0.181948},
     {"learned_within_high", -0.10718},
     {"learned_beyond", 0.193464},
     {"learned_beyond_low", 0.0936859},
     {"learned_beyond_high", 0.293242}},
};
