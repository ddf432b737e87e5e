/* The nearest rows, by offset. */
#pragma once

#include "separate_scan.h"

/* The pairs with the smallest distances so far, one for each offset, nearest first. */
typedef struct nearest {
    sinpos_near *at; /* distances in units of 2 unit of the set */
    size_t n, room;
    double enough; /* stop once one is below this */
} nearest;

void nearest_add(nearest *near, sinpos_near pair);

/* Over offsets from .. to - 1, of the first n_used tones of the set. */
sinpos_status nearest_offsets(const tone_set *set, size_t n_used, uint64_t from, uint64_t to, nearest *near,
                              const crew *c);
/* Those with a distance of at most limit; SINPOS_E_UNSUPPORTED if there are more than most. */
sinpos_status close_offsets(const tone_set *set, size_t n_used, uint64_t from, uint64_t to, double limit, size_t most,
                            offset_list *list, const crew *c);

/* Limits on |sin(k theta_i / 2)| of the complete tones, for some types. */
typedef struct tight_limits {
    size_t n_types; /* at most 4 */
    double *limit[4];
} tight_limits;

/* Offsets that keep within the limits of at least one type; the value is the set of them, 1 << their number. */
sinpos_status tight_offsets(const tone_set *set, const tight_limits *limits, uint64_t from, uint64_t to, size_t most,
                            offset_list *list, const crew *c);

/* As nearest_offsets() from offset 1, where tones lack a column: over pairs of positions first .. first + n - 1. */
sinpos_status nearest_pairs(const tone_set *set, int64_t first, size_t n, nearest *near, const crew *c);
