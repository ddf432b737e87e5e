/* subject.h - a plan to be tried, with everything the oracle must know of it. */
#ifndef SINPOS_TESTS_SUBJECT_H
#define SINPOS_TESTS_SUBJECT_H

#include "oracle.h"
#include "random.h"
#include "support.h"

#define SUBJECT_AXES 4 /* at most */

typedef struct subject {
    bool is_spec;
    sinpos_spec spec;
    double *theta, *factor; /* what the spec points to */
    size_t dim, n_axes, n_tones;
    unsigned types;
    sinpos_tone *tones;
    sinpos_tone_more *more; /* (n_tones), what they point to, and (n_tones, SUBJECT_AXES), what those point to */
    sinpos_listen *listens;
    oracle_tone **oracles; /* made when first needed */
    sinpos_plan *plan;
} subject;

/* Fills in everything but the plan. */
void subject_random(subject *s, random_state *r);
void subject_more(subject *s, random_state *r); /* a list of tones that have more */
void subject_default(subject *s, size_t dim, double base);

/* Makes the plan; the status of the library. */
sinpos_status subject_plan(subject *s);
oracle_tone *subject_oracle(subject *s, size_t tone);
void subject_print(FILE *f, const subject *s);
void subject_destroy(subject *s);

int64_t random_integer_position(subject *s, random_state *r);
double random_real_position(subject *s, random_state *r);
uint64_t random_element(random_state *r, sinpos_type type);

#endif
