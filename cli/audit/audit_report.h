/* audit_report.h - what sinpos audit found, for people and as JSON. */
#pragma once

#include "audit.h"

void audit_print(struct audit *audit);
/* One file: its object. Several: their sums, and a list of their objects. */
void audit_print_json(struct audit *audits, size_t n);
