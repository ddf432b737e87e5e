/* chosen_columns.h - --columns: columns of a stated encoding, by number or by name, and several coordinates side by side. */
#pragma once

#include "request_encoding.h"

/* How many columns the definition has of which an array has array_dim chosen ones; 0 where --dim says so. */
size_t chosen_from(const struct options *options, size_t array_dim);
/* Columns of the definition that are chosen, -1 for zeros; NULL for all. The caller frees the list of *n. */
ptrdiff_t *chosen_columns(size_t *n, const struct encoding *encoding);
/* Makes own_plan, of the chosen columns of all coordinates. */
sinpos_status chosen_plan(struct encoding *encoding);
