/* request_encoding.h - what a request asks for, made: a convention, or a plan and positions; both give rows. */
#pragma once

#include "request_parameters.h"

struct encoding {
    const struct request *request;
    sinpos_encoding_info info; /* convention is NULL where the general options state the encoding */
    sinpos_spec spec;          /* of one coordinate's columns; of a convention what is nearest to it */
    size_t dim;                /* of all */
    size_t n_axes;
    struct positions positions; /* of the rows; of a convention once encoding_make_sines() took them */
    const sinpos_plan *plan;
    sinpos_plan *own_plan;  /* NULL: that of the convention. Of one it has numbers rounded to double */
    sinpos_encoding *named; /* NULL: plan at positions */
    sinpos_replay *replay;  /* of the plan with stated roundings; NULL: none */
    double *own_theta;
    ptrdiff_t *columns; /* NULL: all; else (dim) columns of the definition, -1 for zeros */
    bool *is_negated;   /* NULL, or (info.n_columns): columns whose sign encoding_run() flips */
    bool is_exact;      /* spec has the same columns */
};

/*
 * Settles shape and positions, and checks everything that needs no plan. output: as --set output, or NULL. error: NULL,
 * or receives what the library refuses of a convention, which then makes it false instead of failing.
 */
bool encoding_make(struct encoding *encoding, const struct request *request, const struct known *known, unsigned types,
                   const char *output, sinpos_error *error);
/* The same, of rows that are sines and cosines at positions and nothing else. */
void encoding_make_sines(struct encoding *encoding, const struct request *request, const struct known *known,
                         unsigned types);
/*
 * Sines at as many positions as a convention needs, of one coordinate. sequence: its length, where frequencies depend on
 * it and no option states it; 1 stands for a short one.
 */
void encoding_make_alone(struct encoding *encoding, const struct request *request, unsigned types, size_t sequence);
/* Fails where a convention has several coordinates. */
void encoding_one_axis(const struct encoding *encoding);
/* Fails where a convention's rows are not consecutive whole positions. */
void encoding_range(const struct encoding *encoding);
/* Makes the plan. */
void encoding_plan(struct encoding *encoding);
/* Takes --negate, which only commands that fill have, once the shape is settled. */
void encoding_negate(struct encoding *encoding);
/* Makes room for pieces of up to n rows. */
void encoding_prepare(struct encoding *encoding, size_t n);

/* Fills with rows row .. row + n - 1, or adds them; encoding_prepare() comes first. */
sinpos_status encoding_run(struct encoding *encoding, sinpos_operation operation, size_t row, size_t n,
                           sinpos_type type, void *out, size_t n_threads);
/* As sinpos_encoding_rotate(). */
sinpos_status encoding_rotate(struct encoding *encoding, size_t row, size_t n, sinpos_direction direction,
                              size_t n_heads, sinpos_type type, void *data, size_t ld_row, size_t ld_head,
                              size_t n_threads);

/* The convention's name; NULL where the general options state the encoding. */
const char *encoding_name(const struct encoding *encoding);
/* "1496" or "(0, 2.5)" in text: the position of a row. False where rows of a convention are no positions alone. */
bool encoding_position_text(const struct encoding *encoding, size_t row, char text[POSITION_TEXT_BYTES]);
/* "3 x 4 x 16" in text, which is returned. */
#define ENCODING_SHAPE_BYTES 240
const char *encoding_shape_text(const struct encoding *encoding, char text[ENCODING_SHAPE_BYTES]);
/* About the error that encoding_make() received. */
noreturn void fail_convention(const struct request *request, const sinpos_error *error);
void encoding_free(struct encoding *encoding);
