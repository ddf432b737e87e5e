/* convention_fields.h - the formulas of a convention, one by one. */
#pragma once

#include "sinpos_conventions.h"

enum { CONVENTION_FIELDS = 42 };

struct convention_field {
    const char *name;  /* of the field of sinpos_convention */
    const char *label; /* for people */
    const char *text;
};

/* Those that say something, in the order in which they are read. Returns their number. */
size_t convention_fields(const sinpos_convention *c, struct convention_field fields[CONVENTION_FIELDS]);
