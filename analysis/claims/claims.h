/* The functions that decide claims, and what one of them measures for another. */
#pragma once

#include "claims_result.h"
#include "claims_rows.h"

typedef sinpos_status claim_function(claims *c, sinpos_claim_result *r);
claim_function claim_definition;
claim_function claim_relative, claim_order_free, claim_scale_invariant, claim_linear, claim_both;
claim_function claim_waves, claim_fourier, claim_periodic, claim_heatmap, claim_orthogonal, claim_covariance;
claim_function claim_schedules, claim_injective, claim_additive;
claim_function claim_decay, claim_distance, claim_near_far, claim_more_dims;
claim_function claim_symmetry, claim_taylor, claim_diagonal, claim_general_h, claim_attention;
claim_function claim_trainable, claim_learned;

#define N_CLAIMS 26

/* The threshold that is reported where rows or tones are too few. */
typedef enum few_threshold { THRESHOLD_NONE, THRESHOLD_ZERO, THRESHOLD_CHOSEN, THRESHOLD_COLUMNS } few_threshold;

/* How a claim is decided, and what that takes: rows in a run, complete tones, and whether these may all be 0. */
typedef struct claim_decision {
    claim_function *decide;
    size_t rows, tones;
    bool needs_size;
    few_threshold threshold;
} claim_decision;

typedef struct listed_claim {
    claim_decision by;
    sinpos_claim claim;
} listed_claim;

/* In the order of docs/mathematics.md. */
extern const listed_claim claims_list[N_CLAIMS];

/* Fills c->turns: the angle per row of each complete tone, in -pi .. pi, from the rows alone. */
sinpos_status claims_find_turns(claims *c);
/*
 * What rounding allows of it, and the largest difference in size from the angles of one row, with its tone: a wave and its
 * mirror image have one frequency.
 */
double claims_turns_bound(const claims *c);
double claims_turns_error(const claims *c, const double *one, size_t *worst);
/* Tones whose angle has the other sign. */
size_t claims_turns_backwards(const claims *c, const double *one);

/* How many complete tones have the columns of another, to the last bit; and one pair of them. */
sinpos_status claims_count_twins(const claims *c, size_t *twins, size_t pair[2]);

/* Half of what products of rows spread by at one offset, at most, with the sines alone, as a part of the rows' square. */
sinpos_status claims_sines_spread(const claims *c, double *spread);

/* Largest |<p_m, p_(m-k)>| / |p|^2 in the upper half of the offsets of a run. */
sinpos_status claims_last_envelope(const claims *c, double *last);
