/* The catalogue within the library: sinpos_conventions.h explains the fields. */
#ifndef SINPOS_CATALOGUE_H
#define SINPOS_CATALOGUE_H

#include "sinpos_conventions.h"

enum { MOST_PARAMETERS = 32 };

typedef struct convention_parameter {
    const char *name, *fallback, *role, *meaning; /* fallback: the default; NULL: required */
} convention_parameter;

/* clang-format off */
#define CONVENTION_FIELDS(FIELD) \
    FIELD(name) FIELD(aliases) FIELD(variants) FIELD(summary) FIELD(repository) FIELD(path) FIELD(function) \
    FIELD(weaknesses) FIELD(apart) FIELD(let) FIELD(refuse) FIELD(positions) FIELD(grid) FIELD(length) \
    FIELD(start) FIELD(step) FIELD(coordinates) FIELD(zero_rows_first) FIELD(zero_row) \
    FIELD(still_rows_first) FIELD(still_rows_last) FIELD(count) FIELD(turns) FIELD(theta) FIELD(phase) \
    FIELD(phase_turns) FIELD(amplitude) FIELD(mixed) FIELD(nest) FIELD(components) FIELD(raw) FIELD(width) \
    FIELD(pad) FIELD(shape) FIELD(channel_first) FIELD(pairing) FIELD(axis) FIELD(rotary_first) \
    FIELD(head_width) FIELD(sign) FIELD(result) FIELD(copies) FIELD(beside) FIELD(output) FIELD(published_theta) \
    FIELD(published_angle) FIELD(published_element) FIELD(published_product)

struct sinpos_convention {
#define DECLARED(field) const char *field;
    CONVENTION_FIELDS(DECLARED)
#undef DECLARED
    convention_parameter parameters[MOST_PARAMETERS]; /* up to the first with name NULL */
};
/* clang-format on */

struct sinpos_arithmetic {
    const char *name, *aliases, *who, *theta, *angle, *element, *product;
};

extern const sinpos_convention convention_catalogue[];
extern const size_t n_conventions;

/* "parameter = value", up to the next ';': what an alias says of its convention; NULL: nothing. */
const char *convention_variant(const sinpos_convention *convention, const char *name);

#endif
