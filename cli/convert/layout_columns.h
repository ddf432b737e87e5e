/* layout_columns.h - which column of an encoding holds what, by the name of its layout, and how two of them differ. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "sinpos.h"

enum component { COMPONENT_ZERO, COMPONENT_SIN, COMPONENT_COS };

/* Two conventions differ in columns only where their lists are permutations of each other. */
struct column {
    size_t frequency;
    enum component component;
};

/* NULL for a name that columns_make() knows; else a clause that says what it must be. */
const char *columns_check(const char *name);

/*
 * Fills columns[dim] for a name that columns_check() accepts: interleaved or halves, sin-cos or cos-sin, or one of each
 * with a comma between them.
 */
void columns_make(const char *name, size_t dim, sinpos_odd odd, struct column *columns);

/*
 * source[i] receives the column of from that holds what column i of to holds. Returns dim, or the first column of to
 * that from has not.
 */
size_t columns_match(const struct column *from, const struct column *to, size_t dim, size_t *source);
