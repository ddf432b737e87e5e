/* lab_verdicts.h - printed by gen/lab_verdicts.py from tests/data/lab/results.jsonl. */
#pragma once

#include "claims_lab.h"

static const lab_verdict lab_trainable = {
    SINPOS_DOES_NOT_APPLY,
    NAN,
    "not decided: 0 seeds of small models, docs/lab.md",
    0,
    {{0}},
};
static const lab_verdict lab_learned = {
    SINPOS_DOES_NOT_APPLY,
    NAN,
    "not decided: 1 seeds of small models, docs/lab.md",
    0,
    {{0}},
};
