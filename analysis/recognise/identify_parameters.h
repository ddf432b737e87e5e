/* identify_parameters.h - values that parameters of conventions may have, given what was found. */
#pragma once

#include "identify.h"
#include "sinpos_conventions.h"

/* What was found, in the words of parameters. */
typedef struct id_facts {
    const sinpos_identity *identity;
    const sinpos_table *table;
    double dim, m;    /* columns of the array as it is; frequencies of an axis */
    double head;      /* columns of a head, for tables for rotation */
    double n, n_grid; /* rows; without rows of zeros at the beginning */
    size_t n_axes;
    double size[ID_MOST_AXES]; /* of a grid, slowest first; 0 without one */
    size_t n_still;            /* of them that have a single place */
    double slope;              /* ln of the ratio of frequencies */
    double scale, start, last; /* first frequency; first and last position as the angle of the first frequency */
    double zero;               /* first row of zeros, -1 for none */
    double bases[4];           /* for divisors m, m - 1, ...; those with few digits */
    size_t n_bases;
} id_facts;

/*
 * A value: a number, a word of JSON (true, null, "bi"), or a list; divisors are those of scaled frequencies, a mask has
 * `sizes` cells that are all `number`.
 */
typedef struct id_value {
    enum { ID_NUMBER, ID_WORD, ID_SIZES, ID_POSITIONS, ID_DIVISORS, ID_MASK } kind;
    double number;
    const char *word;
    size_t n_sizes;
    double sizes[ID_MOST_AXES + 2];
    double unit, shift; /* positions are angles of the first frequency / unit - shift; axes exchanged */
    bool exchanged;
} id_value;

#define ID_MOST_VALUES 8
#define ID_OWN_UNIT (-1.0)    /* the first frequency of the convention */
#define ID_MOST_PARAMETERS 64 /* those beyond keep their defaults */

/* Of a list of frequencies: by how much is number i slower than the formula? */
double id_divisor(const sinpos_identity_axis *axis, size_t i);
void id_facts_make(id_facts *facts, const sinpos_identity *identity, const sinpos_table *table);
/* Values of a parameter that are worth a try, likeliest first; 0 where only the default is. */
size_t id_values(const id_facts *facts, const sinpos_convention *convention, size_t parameter,
                 id_value values[ID_MOST_VALUES]);

/* Do its positions count the cells of a mask? The default, of which each item says what a cell is that counts; or NULL. */
const char *id_mask_of(const sinpos_convention *convention);

/* How much of the table the convention makes with the arithmetic of its source; adds that to the parameters. */
sinpos_status id_replay(const sinpos_identity *identity, sinpos_identity_convention *convention,
                        sinpos_parameters *parameters, const sinpos_table *table);
/* Names the source whose arithmetic reproduces the table, where it does so at least as well as a general recipe. */
void id_name_published(sinpos_identity *identity);
