/*
 * oracle.h - what an element must be, computed with MPFR and GMP alone.
 *
 * A value is evaluated as an interval around an MPFR number; the interval is narrowed until it lies between two
 * neighbouring rounding boundaries of the element type, and only then rounded, once. Values that are rational numbers
 * (the only ones that could lie on a boundary) are found first by exact rational arithmetic and rounded exactly.
 * Nothing here is shared with the library. Not thread-safe: use processes.
 */
#ifndef SINPOS_TESTS_ORACLE_H
#define SINPOS_TESTS_ORACLE_H

#include <stdbool.h>
#include <stdint.h>

#include "sinpos.h"

typedef struct oracle_tone oracle_tone;

typedef struct oracle_position {
    bool is_real;
    int64_t integer;
    double real;
} oracle_position;

#define ORACLE_TYPES 4

static const sinpos_type oracle_types[ORACLE_TYPES] = {SINPOS_F64, SINPOS_F32, SINPOS_F16, SINPOS_BF16};

/* Elements are given as their bits, one for each type in the order of oracle_types. */
typedef struct oracle_pair {
    uint64_t sin_bits[ORACLE_TYPES];
    uint64_t cos_bits[ORACLE_TYPES];
} oracle_pair;

oracle_tone *oracle_tone_create(const sinpos_tone *tone);
void oracle_tone_destroy(oracle_tone *tone);

/* Where the row lies on the further coordinates of the tone (n_listens), from now on; only pointed to. */
void oracle_tone_place(oracle_tone *tone, const oracle_position *further);

/* Does the amplitude round to an infinity? */
bool oracle_amplitude_overflows(const sinpos_tone *tone, sinpos_type type);
bool oracle_amplitude_is_zero(const sinpos_tone *tone);

/* SINPOS_FILL or a gradient; only the types of the set are filled in. */
void oracle_evaluate(oracle_tone *tone, oracle_position position, sinpos_operation operation, unsigned types,
                     oracle_pair *pair);

/* in[0], in[1]: the elements of the sine and the cosine column; out: the same after M_k. */
void oracle_shift(oracle_tone *tone, int64_t k, sinpos_type type, const uint64_t in[2], uint64_t out[2]);

/* The same after sinpos_rotate() by the angle, its phase included, with the amplitude. */
void oracle_rotate(oracle_tone *tone, oracle_position position, sinpos_direction direction, sinpos_type type,
                   const uint64_t in[2], uint64_t out[2]);

/* x + e in the type, rounded once. */
uint64_t oracle_add(sinpos_type type, uint64_t x, uint64_t e);

/* theta in radians, rounded once to double. */
double oracle_theta(oracle_tone *tone);

/* a double rounded to the type; a double from the bits of an element (exact). */
uint64_t oracle_round_double(sinpos_type type, double value);
double oracle_to_double(sinpos_type type, uint64_t bits);
bool oracle_is_nan(sinpos_type type, uint64_t bits);
bool oracle_is_infinite(sinpos_type type, uint64_t bits);

/* -log2 of the distance between the element and the nearest boundary (tie) of the type; 0 for rational elements. */
double oracle_hardness(oracle_tone *tone, oracle_position position, bool cosine, sinpos_type type);

void oracle_cleanup(void);

/* Called, if set, before the oracle ends the program because it cannot decide a value. */
extern void (*oracle_on_failure)(void);

#endif
