/* Values that a caller gave, by name. */
#pragma once

#include "catalogue.h"
#include "formula.h"

typedef struct parameter {
    char *name;
    char *text;    /* owned, of VALUE_TEXT */
    double *items; /* owned, of VALUE_LIST */
    value v;
} parameter;

struct sinpos_parameters {
    parameter *all;
    size_t n, n_room;
};

/* Is the word among those of a list, with blanks between? */
bool is_one_of(const char *list, const char *word);

const parameter *parameters_find(const sinpos_parameters *p, const char *name);

/* A word that override.c knows? */
bool is_override(const char *name);

/* Is there a parameter of that name, or one that this usual word names? */
bool parameter_is_known(const sinpos_convention *convention, const char *name);

/* What is given as `length`, `start` or `step` of the rows of a convention that has no such parameter; NULL: nothing. */
const parameter *parameters_of_rows(const sinpos_parameters *given, const sinpos_convention *convention,
                                    const char *name);

/*
 * Binds every parameter of the convention, found by that name, to what was given or to its default. `positions` and
 * `output` that are not parameters of it are left to the caller. False: scope.error.
 */
bool parameters_bind(scope *s, const sinpos_convention *convention, const char *name, const sinpos_parameters *given);
