/* number_list.h - lists of columns, rows and frequencies as people type them. */
#pragma once

#include "array_file.h"
#include "options.h"

/* Reads the .npy that the option may name. loaded_array_free() frees what it holds. */
void index_list_load(struct loaded_array *file, const struct options *options, enum option_id id);
/*
 * Whole numbers below `end`: those of the file, or else "0,5,7", "A:B" for A .. B - 1; where has_none, also -1, which
 * stands for none of them, and -1xN for N such. The caller frees the list of *n.
 */
ptrdiff_t *index_list_make(size_t *n, const struct options *options, enum option_id id, size_t end, bool has_none,
                           const struct loaded_array *file);

/* Is the value of an option a list of numbers, "1,0.5,2e-3", and no file? */
bool is_real_list(const char *value);
/* Its numbers. The caller frees the list of *n. */
double *real_list_make(size_t *n, const struct options *options, enum option_id id);
