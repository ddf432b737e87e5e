/* encoding.h - from options to a plan. */
#ifndef ENCODING_H
#define ENCODING_H

#include "positions.h"
#include "sinpos_conventions.h"

struct encoding {
    sinpos_spec spec; /* of one coordinate's columns */
    size_t dim;       /* of all */
    size_t n_axes;
    double *theta, *factor;
    sinpos_plan *plan;
    sinpos_encoding *named; /* of a convention: it owns the plan, and spec states no frequencies */
};

/* Settles dim (array_dim, or 0 where no array tells it) and checks everything that needs no plan. */
int encoding_make(struct encoding *encoding, const struct options *options, const struct positions *positions,
                  size_t array_dim, unsigned types);
/* Makes the plan. */
int encoding_plan(struct encoding *encoding);
void encoding_free(struct encoding *encoding);

/* Complains about what the library refused. */
int complain_status(sinpos_status status);

#endif
