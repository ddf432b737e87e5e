/* structure.h - attention, the matrix H of p_m' H p_n, moments of words and positions. Part of sinpos_analysis.h. */
#ifndef SINPOS_ANALYSIS_STRUCTURE_H
#define SINPOS_ANALYSIS_STRUCTURE_H

#include "progress.h"

#ifdef __cplusplus
extern "C" {
#endif

/* -------------------------------------------------------------------------------- Attention: symmetry and Taylor */

/*
 * The layer of the two functions below: one head of scaled dot-product self-attention without a mask, of width
 * head = min(dim, 64), and a read-out that does not look at places, the mean of the outputs.
 *
 *     q_i = W_q' x_i,  k_i = W_k' x_i,  v_i = W_v' x_i,   a_ij = softmax over j of q_i' k_j / sqrt(head)
 *     out_i = sum over j of a_ij v_j,   pooled = mean over i of out_i
 *
 * The weights (dim, head) are seeded random numbers, uniform with variance 1 / dim; tokens that are not given are
 * seeded, uniform with variance 1 per entry. The same seed gives the same numbers everywhere.
 */
typedef struct sinpos_symmetry_result {
    double equivariance;            /* without positions, largest over the orders: outputs against permuted outputs */
    double invariance;              /* the same of the pooled read-out; both are rounding errors */
    double equivariance_positions;  /* with positions, largest over the orders */
    double invariance_positions;
    double equivariance_weakest;    /* with positions, smallest over the orders: how well the order that is seen least */
    double invariance_weakest;      /* is still seen. 0 or rounding where some order is not seen at all */
    size_t n_orders;                /* that were compared with the first: those that change the sequence */
} sinpos_symmetry_result;

/*
 * sinpos_symmetry() - can a self-attention layer distinguish orders of its inputs, without positions and with them?
 *
 * For each order: the layer's outputs on the sequence x_order[i] (+ p_i) against its outputs on x_i (+ p_i).
 *
 *     equivariance = max over i of |out_i(permuted) - out_order[i](first)| / max over i of |out_i(first)|
 *     invariance   = |pooled(permuted) - pooled(first)| / |pooled(first)|                   both in the largest entry
 *
 *   p          (n, dim) rows of the first n positions, added in float64; only read.
 *   n          length of the sequence: 2 .. 7 where all orders are tried, 2 .. 256 where one is given.
 *   ld_p       row stride in elements, >= dim.
 *   tokens     NULL: n different tokens; or (n) numbers of tokens. Equal numbers are equal tokens.
 *   order      NULL: all n! orders; or (n), a permutation of 0 .. n-1: place i holds the token that was at order[i].
 *   seed       of tokens and weights.
 *   result     receives the numbers; untouched on error.
 * Returns SINPOS_OK; SINPOS_E_NULL; SINPOS_E_SHAPE for n, dim, ld_p; SINPOS_E_VALUE for p that is not finite or so large
 * that the layer overflows, an order that is not a permutation, or orders that all leave the sequence as it is;
 * SINPOS_E_MEMORY.  Cost O(n! n^2 head + n^2 dim head); n = 7 takes about 0.1 s.
 * Source Su 2021, kexue.fm/archives/8231: f(x, y) = f(y, x).  Since 0.1.
 */
SINPOS_API SINPOS_MUST_CHECK sinpos_status sinpos_symmetry(const double *p, size_t n, size_t dim, size_t ld_p,
                                                           const uint32_t *tokens, const size_t *order, uint64_t seed,
                                                           sinpos_symmetry_result *result);

/*
 * sinpos_symmetry_example() - two sentences of the same 16 words in different orders, for sinpos_symmetry().
 * "The chef, who had prepared the meal with great care, served the dish to the guests" as tokens (its words, commas
 * left out), and the order that makes it "The chef served the dish to the guests, who had prepared the meal with great
 * care".
 *   tokens, order  NULL, or receive constant arrays of as many elements as are returned.
 * Returns 16.  Cost O(1).  Source Tavares 2024, "Transformers Breakdown: Sinusoidal Embeddings", section 1.1.  Since 0.1.
 */
SINPOS_API size_t sinpos_symmetry_example(const uint32_t **tokens, const size_t **order);

#define SINPOS_TAYLOR_LEVELS 16

typedef struct sinpos_taylor_result {
    double slope;         /* of log residual against log eps: 3 where the expansion holds; NaN where nothing is left of
                             the residual but rounding (p = 0, for instance) */
    double cross_share;   /* size of cross over the sum of the sizes of the five terms at eps = 1; NaN for p = 0 */
    double norm_ratio;    /* mean |p_i| / mean |x_i| over all n rows; infinite where all x_i are 0 */
    double value;         /* of one f: without positions */
    double linear_first;  /* p_m' df/dx_m */
    double linear_second; /* p_n' df/dx_n */
    double square_first;  /* p_m' d2f/dx_m2 p_m / 2 */
    double square_second; /* p_n' d2f/dx_n2 p_n / 2 */
    double cross;         /* p_m' d2f/dx_m dx_n p_n: the only one that knows both positions */
    double eps[SINPOS_TAYLOR_LEVELS];      /* 1, 1/2, 1/4, ... */
    double residual[SINPOS_TAYLOR_LEVELS]; /* size of (f at eps p - the expansion at eps p) */
} sinpos_taylor_result;

/*
 * sinpos_taylor() - the second-order expansion of attention in the positions of two tokens, and what it leaves over.
 *
 *     f(x_m + e p_m, x_n + e p_n) ~ value + e (linear_first + linear_second)
 *                                        + e^2 (square_first + square_second + cross)      residual O(e^3)
 *
 * f is the inner product of the pooled output above with a seeded random vector; m and n are two of its inputs, the
 * others stay as they are. Sizes are root mean squares over 8 such f; single numbers are those of the first. The
 * derivatives are exact (polynomial arithmetic, no differences).
 *   p          (n, dim) position rows, only read; ld_p is their stride, >= dim.
 *   n          tokens, 2 .. 256.
 *   x          NULL: seeded random tokens; or (n, dim) with stride ld_x.
 *   first, second   m and n: different, below n.
 *   seed       of tokens and weights.
 *   result     receives the numbers; untouched on error.
 * Returns SINPOS_OK; SINPOS_E_NULL; SINPOS_E_SHAPE; SINPOS_E_VALUE for rows that are not finite or so large that f
 * overflows, or for first and second; SINPOS_E_MEMORY.
 * Error of the terms: rounding, below 1e-12 of the largest one. Slopes are fitted to the five smallest eps whose residual
 * is above 2048 rounding errors of f.
 * Cost   O(n dim head + n^2 head).  Source Su 2021, kexue.fm/archives/8231.  Since 0.1.
 */
SINPOS_API SINPOS_MUST_CHECK sinpos_status sinpos_taylor(const double *p, size_t n, size_t dim, size_t ld_p,
                                                         const double *x, size_t ld_x, size_t first, size_t second,
                                                         uint64_t seed, sinpos_taylor_result *result);

/*
 * sinpos_attention_hessian() - H = d2f / dx_m dx_n of the same f, exactly, as a matrix: what p_m' H p_n is made of.
 *   x          NULL: seeded random tokens; or (n, dim) with stride ld_x.
 *   n          tokens, 2 .. 16.
 *   first, second   m and n: different, below n.
 *   seed       of tokens and weights.
 *   h          (dim, dim), ld_h >= dim; receives H. Its rank is at most 2 head + 1.
 * Returns as sinpos_taylor().  Cost O(dim^2 head + n^2 head^3).  Source Su 2021, kexue.fm/archives/8231.  Since 0.1.
 */
SINPOS_API SINPOS_MUST_CHECK sinpos_status sinpos_attention_hessian(const double *x, size_t n, size_t dim, size_t ld_x,
                                                                    size_t first, size_t second, uint64_t seed,
                                                                    double *h, size_t ld_h);

/* ---------------------------------------------------------------------------------- The matrix H of p_m' H p_n */

typedef struct sinpos_split_result {
    double difference; /* share of the variance that the best function of m - n explains */
    double sum;        /* what a function of m + n explains beyond that */
    double rest;       /* 1 - difference - sum: depends on m and n in no such way */
    double sum_alone;  /* what the best function of m + n explains alone */
    double variance;   /* of p_m' H p_n over the grid; 0, and the shares NaN, where it is no more than rounding */
    double mean;
} sinpos_split_result;

/*
 * sinpos_split() - how much of p_m' H p_n, 0 <= m, n < N, is a function of m - n, how much one of m + n?
 *
 * With a the (N, N) matrix P H P', T the matrices that are constant along diagonals and K those that are constant along
 * antidiagonals, Q_V the orthogonal projection onto V (sums of squares), and the mean of a taken off:
 *
 *     difference = |Q_T a|^2 / |a|^2,   sum = (|Q_(T+K) a|^2 - |Q_T a|^2) / |a|^2,   rest = |a - Q_(T+K) a|^2 / |a|^2
 *
 * What is constant, or alternates with the parity of m - n, is in both T and K and is counted in difference.
 *   h, ld_h    (dim, dim) row-major, ld_h >= dim; NULL stands for the identity.
 *   p, ld_p    (n, dim) rows of consecutive positions, ld_p >= dim.
 *   n          N: 2 .. 2^20.
 *   n_threads  of OpenBLAS, 1 .. 1024; 0 stands for the number of processors.
 *   curve      NULL, or room for 2 n - 1: the mean over each diagonal, k = m - n at [k + n - 1].
 *   result     receives the numbers; untouched on error.
 * Returns SINPOS_OK; SINPOS_E_NULL; SINPOS_E_SHAPE; SINPOS_E_VALUE for numbers that are not finite or beyond 2^100;
 * SINPOS_E_MEMORY.  Error of the shares below 1e-12.
 * Cost   O(n^2 dim + n dim^2), memory O(n dim).  Source docs/mathematics.md.  Since 0.1.
 */
SINPOS_API SINPOS_MUST_CHECK sinpos_status sinpos_split(const double *h, size_t ld_h, const double *p, size_t n, size_t dim,
                                                        size_t ld_p, size_t n_threads, double *curve,
                                                        sinpos_split_result *result);

typedef struct sinpos_coefficients {
    double difference, sum, rest; /* mean squares of the three parts of p_m' H p_n over all integers m, n */
    double total;                 /* of all of it: their sum, since the parts are orthogonal */
} sinpos_coefficients;

/*
 * sinpos_split_coefficients() - the same split over all integers, exactly, from H alone. With s, c the columns of tone i:
 *
 *     block (i, i):  (H_ss + H_cc)/2 cos((m-n) theta_i) + (H_sc - H_cs)/2 sin((m-n) theta_i)         difference
 *                  + (H_cc - H_ss)/2 cos((m+n) theta_i) + (H_sc + H_cs)/2 sin((m+n) theta_i)         sum
 *     blocks (i, j), i != j: products of waves of different frequencies                              rest
 *
 * times A_i A_j. The second part vanishes just where H_ss = H_cc and H_sc = -H_cs; for a diagonal H only the cosines are
 * left, and no rest. Means of squares are halves of the squared coefficients, provided that no frequency is a multiple
 * of pi, nor the sum or difference of two one of 2 pi (true of all geometric schedules with base > 1).
 *   plan       one coordinate.
 *   h, ld_h    (dim, dim), ld_h >= dim; NULL stands for the identity.
 *   result     receives the numbers; untouched on error.
 * Returns SINPOS_OK; SINPOS_E_NULL; SINPOS_E_SHAPE; SINPOS_E_VALUE; SINPOS_E_MEMORY.  Relative error below dim 1e-15.
 * Cost   O(dim^2).  Source Su 2021, kexue.fm/archives/8231, and the product-to-sum formulas.  Since 0.1.
 */
SINPOS_API SINPOS_MUST_CHECK sinpos_status sinpos_split_coefficients(const sinpos_plan *plan, const double *h, size_t ld_h,
                                                                     sinpos_coefficients *result);

/* ---------------------------------------------------------------------------- Moments of words and of positions */

/*
 * sinpos_widen() - elements of any type as doubles, exactly.
 *   from       n elements; to has room for n doubles.
 * Returns SINPOS_OK; SINPOS_E_NULL; SINPOS_E_TYPE.  Cost O(n).  Source: IEEE 754.  Since 0.1.
 */
SINPOS_API SINPOS_MUST_CHECK sinpos_status sinpos_widen(sinpos_type type, const void *from, size_t n, double *to);

/* Number, means, covariances and norms of rows, which come in pieces: a matrix larger than memory passes through. */
typedef struct sinpos_moments sinpos_moments;

/*
 * sinpos_moments_create() - begin with no rows.
 *   out        receives the moments; NULL on error.
 *   dim        columns; dim^2 doubles are held.
 *   n_threads  of OpenBLAS in all that is done with them, 1 .. 1024; 0 stands for the number of processors.
 * Returns SINPOS_OK; SINPOS_E_NULL; SINPOS_E_SHAPE; SINPOS_E_MEMORY.  Cost O(dim^2).  Source: none needed.  Since 0.1.
 */
SINPOS_API SINPOS_MUST_CHECK sinpos_status sinpos_moments_create(sinpos_moments **out, size_t dim, size_t n_threads);

/*
 * sinpos_moments_add() - take in more rows. After an error the moments can only be destroyed.
 *   n, type    rows (n, dim) of that type with stride ld >= dim, in elements.
 * Returns SINPOS_OK; SINPOS_E_NULL; SINPOS_E_TYPE; SINPOS_E_SHAPE; SINPOS_E_VALUE for an element that is not finite or
 * beyond 2^100 in size.  Sums are taken about the mean of the first rows: covariances lose no digits to the mean.
 * Cost   O(n dim^2): 30000 x 768 in about a second on two cores.  Source: textbook.  Since 0.1.
 */
SINPOS_API SINPOS_MUST_CHECK sinpos_status sinpos_moments_add(sinpos_moments *moments, size_t n, sinpos_type type,
                                                              const void *rows, size_t ld);

/*
 * sinpos_moments_rows(), sinpos_moments_read() - what there is so far.
 *   mean        NULL, or room for (dim).
 *   covariance  NULL, or room for (dim, dim): mean of (x - mean)(x - mean)', divided by n.
 * Returns the number of rows, 0 for NULL; SINPOS_OK, SINPOS_E_NULL, SINPOS_E_VALUE without rows.  Cost O(dim^2).
 * Source: textbook.  Since 0.1.
 */
SINPOS_API size_t sinpos_moments_rows(const sinpos_moments *moments);
SINPOS_API SINPOS_MUST_CHECK sinpos_status sinpos_moments_read(const sinpos_moments *moments, double *mean,
                                                               double *covariance);

/*
 * sinpos_moments_destroy() - free; NULL is fine.
 * Returns nothing.  Cost O(1).  Source: none needed.  Since 0.1.
 */
SINPOS_API void sinpos_moments_destroy(sinpos_moments *moments);

#define SINPOS_HISTOGRAM_BINS 20

typedef struct sinpos_covariance_result {
    double diagonal_share;      /* sum of C_ii^2 over sum of C_ij^2; 1 for a diagonal matrix, 1/dim for one of ones */
    double diagonal_ratio;      /* mean C_ii over mean |C_ij|, i != j; infinite for a diagonal matrix */
    double dominant_share;      /* of the columns: C_ii > sum over j != i of |C_ij| (strict diagonal dominance) */
    double rms_correlation;     /* of C_ij / sqrt(C_ii C_jj), i < j */
    double mean_correlation;    /* mean size of the same */
    double largest_correlation; /* largest size, at columns largest_i < largest_j */
    size_t largest_i, largest_j;
    size_t histogram[SINPOS_HISTOGRAM_BINS]; /* of the same, from -1 to 1 */
    size_t n_constant;          /* columns without variance: left out of the correlations */
    double rms_cosine;          /* of the columns themselves: X_i'X_j / |X_i||X_j|, i < j (the Gram matrix) */
    double largest_cosine;
    double mean_norm;           /* of the rows */
    double rms_norm;
    double norm_of_mean;
    size_t n, dim;
} sinpos_covariance_result;

/*
 * sinpos_covariance() - is the covariance C of the columns nearly diagonal?
 *   result     receives the numbers; untouched on error. Where there are no pairs of columns, ratios are NaN.
 * Returns SINPOS_OK; SINPOS_E_NULL; SINPOS_E_VALUE without rows; SINPOS_E_MEMORY.
 * Cost O(dim^2).  Source Su 2021, kexue.fm/archives/8231, who looked at BERT's.  Since 0.1.
 */
SINPOS_API SINPOS_MUST_CHECK sinpos_status sinpos_covariance(const sinpos_moments *moments,
                                                             sinpos_covariance_result *result);

typedef struct sinpos_rank_result {
    size_t dims_99;       /* dimensions that hold 99 % of the sum of the eigenvalues */
    size_t dims_90, dims_999;
    double entropy_rank;  /* exp(-sum of w_i ln w_i), w_i the eigenvalues over their sum */
    double participation; /* (sum of eigenvalues)^2 / sum of their squares */
    double largest_share; /* of the first eigenvalue */
    size_t rank;          /* eigenvalues above dim 2^-52 times the largest */
} sinpos_rank_result;

/*
 * sinpos_rank() - how many dimensions do the rows fill?
 *   centred    0: eigenvalues of the mean of x x'; else those of the covariance.
 *   values     NULL, or room for (dim): the eigenvalues, descending.
 * Returns SINPOS_OK; SINPOS_E_NULL; SINPOS_E_VALUE without rows; SINPOS_E_MEMORY; SINPOS_E_UNSUPPORTED without LAPACK.
 * Cost   O(dim^3).  Source Roy and Vetterli 2007, "The effective rank", for the entropy.  Since 0.1.
 */
SINPOS_API SINPOS_MUST_CHECK sinpos_status sinpos_rank(const sinpos_moments *moments, int centred, double *values,
                                                       sinpos_rank_result *result);

typedef struct sinpos_overlap_result {
    double overlap;               /* mean squared cosine of the principal angles: 0 orthogonal, 1 one holds the other */
    double overlap_random;        /* what random spans of these dimensions have: the larger one over dim */
    double words_in_positions;    /* part of the words' energy in the span of the positions, */
    double words_in_positions_random; /* and of words without direction: positions_dims / dim */
    double positions_in_words;
    double positions_in_words_random;
    double smallest_angle_rad, mean_angle_rad, largest_angle_rad;
    size_t n_angles;              /* the smaller number of dimensions */
    size_t words_dims, positions_dims;
} sinpos_overlap_result;

/*
 * sinpos_overlap() - principal angles between what words span and what positions span.
 *   words, positions   of the same dim.
 *   share      0 < share <= 1: a span is that of the fewest eigenvectors of the mean of x x' that hold this share of the
 *              energy; 1: all up to the rank.
 *   angles_rad NULL, or room for (dim): n_angles of them, ascending, 0 .. pi / 2.
 * Returns SINPOS_OK; SINPOS_E_NULL; SINPOS_E_SHAPE; SINPOS_E_VALUE without rows, with nothing but zeros, or for share;
 * SINPOS_E_MEMORY; SINPOS_E_UNSUPPORTED without LAPACK.  Error of an angle below 1e-7 rad.
 * Cost   O(dim^3).  Source Bjorck and Golub 1973, "Numerical methods for computing angles".  Since 0.1.
 */
SINPOS_API SINPOS_MUST_CHECK sinpos_status sinpos_overlap(const sinpos_moments *words, const sinpos_moments *positions,
                                                          double share, double *angles_rad,
                                                          sinpos_overlap_result *result);

typedef struct sinpos_recovery_result {
    double words_r2;       /* 1 - error_variance / words_variance */
    double positions_r2;
    double error_variance; /* mean |w - w^|^2, which equals mean |p - p^|^2, since both add up to the sum */
    double words_variance, positions_variance; /* traces of the covariances */
} sinpos_recovery_result;

/*
 * sinpos_recovery() - how well are word and position recovered from their sum by least squares?
 *
 *     s = w + p, each pair of a word and a position once:   w^ = mean w + L (s - mean s),  p^ = s - w^,
 *     L = C_w (C_w + C_p)^+        the affine map with the least mean |w - w^|^2; error = trace of L C_p
 *
 *   map        NULL, or room for L, (dim, dim).
 * Returns SINPOS_OK; SINPOS_E_NULL; SINPOS_E_SHAPE; SINPOS_E_VALUE without rows; SINPOS_E_MEMORY; SINPOS_E_UNSUPPORTED
 * without LAPACK.  R^2 of rows that are all equal is NaN.
 * Cost   O(dim^3).  Source: linear regression with the population's own covariances.  Since 0.1.
 */
SINPOS_API SINPOS_MUST_CHECK sinpos_status sinpos_recovery(const sinpos_moments *words, const sinpos_moments *positions,
                                                           double *map, sinpos_recovery_result *result);

typedef struct sinpos_attention_result { /* of the terms x_m'W x_n, x_m'W p_n, p_m'W x_n, p_m'W p_n, in this order */
    double share[4];         /* of the sum of their mean squares */
    double visible_share[4]; /* of the same without what is equal for all n, which softmax does not see */
    double mean_square[4];
    double visible[4];       /* mean over m of the variance over n */
} sinpos_attention_result;

/*
 * sinpos_attention_terms() - how much do words and positions weigh in (x_m + p_m)' W (x_n + p_n)?
 * Words and positions of m and of n are drawn independently from their rows; the means are exact, from the moments:
 * mean (a'W b)^2 = trace of M_a W M_b W', M_a the mean of a a'.
 *   w, ld_w    (dim, dim), ld_w >= dim, W_q' W_k of x_m' W_q' W_k x_n; NULL stands for the identity.
 * Returns SINPOS_OK; SINPOS_E_NULL; SINPOS_E_SHAPE; SINPOS_E_VALUE without rows or for w; SINPOS_E_MEMORY.
 * Shares of nothing (all rows zero) are NaN.
 * Cost   O(dim^3).  Source Ke, He, Liu 2021, "Rethinking positional encoding", for the four terms.  Since 0.1.
 */
SINPOS_API SINPOS_MUST_CHECK sinpos_status sinpos_attention_terms(const sinpos_moments *words,
                                                                  const sinpos_moments *positions, const double *w,
                                                                  size_t ld_w, sinpos_attention_result *result);

typedef struct sinpos_cosines_result {
    double rms;     /* 1 / sqrt(dim) for rows without direction */
    double largest; /* in size */
    double mean, mean_size;
    size_t n;       /* pairs */
} sinpos_cosines_result;

/*
 * sinpos_pair_cosines() - cosines between all pairs of rows: of a and b, or where b is NULL of different rows of a.
 * Rows of zeros are left out.
 *   a, b       (n_a, dim) and (n_b, dim), strides ld_a, ld_b >= dim.
 * Returns SINPOS_OK; SINPOS_E_NULL; SINPOS_E_SHAPE; SINPOS_E_VALUE for elements that are not finite or beyond 2^100 in
 * size, or no pair; SINPOS_E_MEMORY.  Cost O(n_a n_b dim).  Source: geometry.  Since 0.1.
 */
SINPOS_API SINPOS_MUST_CHECK sinpos_status sinpos_pair_cosines(const double *a, size_t n_a, size_t ld_a, const double *b,
                                                               size_t n_b, size_t ld_b, size_t dim, size_t n_threads,
                                                               sinpos_cosines_result *result);

#define SINPOS_SAMPLE_MOST ((size_t)65536)

/* Some rows: (n, dim), 1 <= n <= SINPOS_SAMPLE_MOST, stride ld >= dim. */
typedef struct sinpos_sample {
    const double *rows;
    size_t n, ld;
} sinpos_sample;

typedef struct sinpos_nearest_result {
    double words_recovered;     /* share of the trials in which w^ is nearest to the right word of the sample */
    double positions_recovered; /* and p^ to the right position */
    double words_plain;         /* the same with the sum itself in place of w^ and p^ */
    double positions_plain;
    size_t n_trials;
} sinpos_nearest_result;

/*
 * sinpos_nearest() - which word, which position was it? Sums of random words and positions of two samples, taken apart
 * by the map of sinpos_recovery(). Equal rows count as one.
 *   map, word_mean, position_mean   (dim, dim), (dim), (dim).
 *   n_trials   1 .. SINPOS_SAMPLE_MOST.
 *   seed       of the choice.
 * Returns SINPOS_OK; SINPOS_E_NULL; SINPOS_E_SHAPE; SINPOS_E_VALUE; SINPOS_E_MEMORY.
 * Cost   O(n_trials dim (dim + words->n + positions->n)).  Source: nearest neighbours.  Since 0.1.
 */
SINPOS_API SINPOS_MUST_CHECK sinpos_status sinpos_nearest(const sinpos_sample *words, const sinpos_sample *positions,
                                                          size_t dim, const double *map, const double *word_mean,
                                                          const double *position_mean, size_t n_trials, uint64_t seed,
                                                          size_t n_threads, sinpos_nearest_result *result);

#ifdef __cplusplus
}
#endif

#endif
