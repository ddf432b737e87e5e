/* The catalogue within the library: sinpos_conventions.h explains the fields. */
#pragma once

#include <stdbool.h>

#include "sinpos_conventions.h"

/* Lists end with a row whose first field is NULL, or in lists of texts with NULL; the whole list is NULL where it is empty. */
typedef struct convention_parameter {
    const char *name, *fallback, *role, *meaning; /* fallback: the default; NULL: required */
} convention_parameter;

/* A name for the formulas that follow. */
typedef struct convention_let {
    const char *name, *formula;
} convention_let;

typedef struct convention_refusal {
    const char *condition, *message;
} convention_refusal;

/* Of these aliases, with blanks between, that is the default of a parameter. */
typedef struct convention_default {
    const char *names, *parameter, *formula;
} convention_default;

/* A formula for each axis, where the condition holds; condition "" is always true. */
typedef struct convention_coordinates {
    const char *condition;
    const char *const *formulas;
} convention_coordinates;

/* name(arguments) = body, for the formulas of a convention. */
typedef struct formula_function {
    const char *name;
    const char *const *arguments;
    size_t n_arguments;
    const char *body;
} formula_function;

/* clang-format off */
#define CONVENTION_FIELDS(FIELD) \
    FIELD(name) FIELD(aliases) FIELD(variants) FIELD(summary) FIELD(repository) FIELD(path) FIELD(function) \
    FIELD(weaknesses) FIELD(apart) FIELD(let) FIELD(refuse) FIELD(positions) FIELD(grid) FIELD(length) \
    FIELD(start) FIELD(step) FIELD(coordinates) FIELD(zero_rows_first) FIELD(zero_row) \
    FIELD(still_rows_first) FIELD(still_rows_last) FIELD(count) FIELD(turns) FIELD(theta) FIELD(phase) \
    FIELD(phase_turns) FIELD(amplitude) FIELD(mixed) FIELD(nest) FIELD(components) FIELD(raw) FIELD(width) \
    FIELD(pad) FIELD(shape) FIELD(channel_first) FIELD(pairing) FIELD(block) FIELD(axis) FIELD(rotary_first) \
    FIELD(head_width) FIELD(sign) FIELD(result) FIELD(copies) FIELD(beside) FIELD(output) FIELD(published_theta) \
    FIELD(published_angle) FIELD(published_element) FIELD(published_product) FIELD(calls)

struct sinpos_convention {
#define DECLARED(field) const char *field;
    CONVENTION_FIELDS(DECLARED)
#undef DECLARED
    const convention_parameter *parameters;
    const convention_let *lets;
    const convention_refusal *refusals;
    const convention_default *defaults;
    const convention_coordinates *coordinate_sets; /* NULL: all coordinates there are */
    const char *const *grid_sizes, *const *shape_sizes;
    const formula_function *functions; /* those that its formulas call */
};
/* clang-format on */

struct sinpos_arithmetic {
    const char *name, *aliases, *who, *theta, *angle, *element, *product;
};

extern const sinpos_convention convention_catalogue[];
extern const size_t n_conventions;

/* Is the name among the words of a list, with blanks between, by what counts of names? */
bool convention_is_named(const char *list, const char *name);
