/* encoding.h - from options to a plan. */
#ifndef ENCODING_H
#define ENCODING_H

#include "positions.h"
#include "request_parameters.h"
#include "sinpos_conventions.h"

struct encoding {
    sinpos_spec spec; /* of one coordinate's columns; of a named convention what is nearest to it */
    size_t dim;       /* of all */
    size_t n_axes;
    double *theta, *factor;
    ptrdiff_t *columns; /* NULL: all; else (dim) columns of the definition, -1 for zeros */
    const sinpos_plan *plan;
    sinpos_plan *own_plan;  /* NULL: that of named. Of a named convention it has numbers rounded to double */
    const char *arithmetic; /* NULL: exact */
    sinpos_replay *replay;  /* of the plan with that arithmetic, or NULL */
    sinpos_encoding *named; /* NULL: the spec says all */
    bool is_exact;          /* of a named convention: spec has the same columns */
};

/*
 * Settles dim (array_dim, or 0 where no array tells it) and checks everything that needs no plan. Of a named convention
 * the positions become its own.
 */
int encoding_make(struct encoding *encoding, const struct options *options, struct positions *positions,
                  size_t array_dim, unsigned types);
/*
 * As encoding_make() without positions: of a convention it has as many as it needs. sequence: its length, where frequencies
 * depend on it and no option states it; 1 stands for a short one.
 */
int encoding_make_alone(struct encoding *encoding, const struct options *options, unsigned types, size_t sequence);
/* The same, and there may be several coordinates. */
int encoding_make_axes(struct encoding *encoding, const struct options *options, unsigned types, size_t sequence);
/* Complains where a convention has several coordinates. */
int encoding_one_axis(const struct encoding *encoding, const struct options *options);
/* Complains where a convention's rows are no consecutive whole positions. */
int encoding_range(const struct encoding *encoding, const struct positions *positions, const struct options *options);
/* Makes the plan. */
int encoding_plan(struct encoding *encoding);
/* sinpos_run(), with the arithmetic that was asked for. */
sinpos_status encoding_run(const struct encoding *encoding, sinpos_operation operation, const sinpos_rows *rows,
                           sinpos_type type, void *out, size_t n_threads);
/* The convention's name; NULL where the general options state the encoding. */
const char *encoding_name(const struct encoding *encoding);
void encoding_free(struct encoding *encoding);

/* Complains about what the library refused. */
int complain_status(sinpos_status status);

#endif
