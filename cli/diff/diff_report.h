/* diff_report.h - what sinpos diff found, for people and as JSON. */
#pragma once

#include "diff_input.h"
#include "text_buffer.h"

struct diff_report {
    const struct diff_input *a, *b;
    const sinpos_difference *found;
    struct text_buffer command; /* empty: there is none */
};

void diff_print(const struct diff_report *report);
void diff_print_json(const struct diff_report *report);
