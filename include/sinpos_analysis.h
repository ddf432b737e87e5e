/*
 * sinpos_analysis.h - what is true of an encoding: curves over the offset, separation of positions, bases, structure.
 *
 * The second library, libsinpos-analysis. It reads plans and arrays and returns numbers; it prints nothing. Functions
 * that need a library which this build lacks return SINPOS_E_UNSUPPORTED: rigorous integrals and proofs about bases
 * need FLINT (with Arb), linear algebra needs LAPACK.
 *
 * Where a plan is asked for it has one coordinate, and what is meant by it are its tones, k = 0, 1, ..., n_tones - 1,
 * with frequencies theta_k in radians per position and amplitudes A_k. A tone that has both its columns is complete.
 * A plan of which some tone has more (sinpos_tone_more) is refused with SINPOS_E_UNSUPPORTED.
 *
 * docs/mathematics.md has the formulas, their proofs and what the literature says of them.
 */
#ifndef SINPOS_ANALYSIS_H
#define SINPOS_ANALYSIS_H

#include "sinpos.h"

#ifdef __cplusplus
extern "C" {
#endif

/* --------------------------------------------------------------------------------------------------- Memory */

/*
 * sinpos_memory_handler_set() - what happens where FLINT gets no memory.
 *
 * Where memory of this library fails, functions return SINPOS_E_MEMORY. FLINT, and GMP and MPFR below it, cannot
 * return: they print a line and end the process by abort(). That concerns proofs about bases, rigorous integrals and
 * claims that are decided in ball arithmetic. With a handler they call it, in the thread that asked for memory.
 *
 *   handler    must not return, and must not leave by longjmp(): FLINT's own tables would stay half-made. It may call
 *              _exit(). NULL changes nothing.
 *
 * For programs, not for libraries: the memory functions of FLINT and GMP belong to the whole process. Call it before
 * anything uses them. OpenBLAS, where its memory or threads fail in the middle of a product, prints a line and calls
 * exit(1) or raises SIGINT, with or without a handler.
 * Returns nothing; does nothing in a build without FLINT.  Cost O(1).  Source: the manuals of FLINT and GMP.
 * Since 0.1.
 */
SINPOS_API void sinpos_memory_handler_set(void (*handler)(void));

/* ------------------------------------------------------------------------------------------------- Progress */

/*
 * Called now and then by functions that may take long, with the part done so far, 0 .. 1, always by the calling
 * thread, with rounding to nearest whatever the caller's mode. Returning anything but 0 stops the work, which then returns
 * SINPOS_E_STOPPED.
 */
typedef int sinpos_progress(void *context, double done);

/* --------------------------------------------------------------------------------------- Curves over the offset */

/*
 * sinpos_kernel_values() - the inner product of two rows by their offset.
 *
 *     g(k) = sum over complete tones of A_i^2 cos(k theta_i) = <p_m, p_(m-k)>          g(0) = dim / 2 where A = 1
 *
 *   plan       one coordinate. Tones that lack a column are left out: their products depend on m too.
 *   offsets    which k: consecutive, any integers, or reals.
 *   g          receives offsets->n numbers.
 *   n_threads  1 .. 1024; 0 stands for the number of processors. The bytes do not depend on it.
 * Returns SINPOS_OK; SINPOS_E_NULL; SINPOS_E_AXES for several coordinates; SINPOS_E_RANGE as sinpos_fill();
 * SINPOS_E_OVERFLOW for amplitudes whose squares a double cannot hold; SINPOS_E_MEMORY.  Error at most 1e-15 g(0), whatever k.
 * Integers have the same bytes in ranges, in lists and among reals, on every machine.
 * Cost   O(n * n_tones): n_tones multiplications for an offset of a range, 30 times as long for a real.
 * Source Su 2021, kexue.fm/archives/8231; docs/mathematics.md.  Since 0.1.
 */
SINPOS_API SINPOS_MUST_CHECK sinpos_status sinpos_kernel_values(const sinpos_plan *plan, const sinpos_rows *offsets,
                                                                double *g, size_t n_threads);

/*
 * sinpos_kernel_first_negative() - the smallest offset at which g is negative: up to there the inner product shows
 * near from far without a change of sign.
 *
 *     *offset = min { k : 1 <= k < limit, g(k) < 0 }         a value within 1e-15 g(0) of zero counts as zero
 *
 *   plan       one coordinate.
 *   limit      offsets from this one on are not looked at.
 *   offset     receives the offset; 0 if there is none.
 *   g          receives g(*offset); NaN if there is none.
 *   n_threads  1 .. 1024; 0 stands for the number of processors.
 *   progress   NULL, or see above.
 *   context    handed to progress.
 * Returns as sinpos_kernel_values(); SINPOS_E_STOPPED.  Cost O(k * n_tones) for the offset found, else for the limit.
 * Source Su 2021, kexue.fm/archives/8231; Xu et al. 2024, arXiv:2405.14591.  Since 0.1.
 */
SINPOS_API SINPOS_MUST_CHECK sinpos_status sinpos_kernel_first_negative(const sinpos_plan *plan, int64_t limit,
                                                                        int64_t *offset, double *g, size_t n_threads,
                                                                        sinpos_progress *progress, void *context);

/*
 * sinpos_kernel_zeros() - real numbers x with g(x) = 0 at which g changes its sign.
 *
 *     zeros[i] lies between two integers, of first .. limit - 1, that are neighbours and have g of different signs
 *
 *   first      where to begin; at least -2^52.
 *   limit      where to end; at most 2^52.
 *   zeros      (room) receives the first zeros, ascending, to |error| <= 1e-15 g(0) / |g'| + 2^-52 |x|. Two zeros
 *              between one integer and the next are not seen. Integers with |g| <= 1e-15 g(0) count as having no sign.
 *   n_zeros    receives how many there are, at most room.
 *   Other arguments as sinpos_kernel_first_negative().
 * Returns as sinpos_kernel_first_negative(); SINPOS_E_RANGE.  Cost O((limit - first) * n_tones), less when room is
 * used up before.  Source: the intermediate value theorem.  Since 0.1.
 */
SINPOS_API SINPOS_MUST_CHECK sinpos_status sinpos_kernel_zeros(const sinpos_plan *plan, int64_t first, int64_t limit,
                                                               double *zeros, size_t room, size_t *n_zeros,
                                                               size_t n_threads, sinpos_progress *progress,
                                                               void *context);

/* Where g is largest in size, and what it is there. */
typedef struct sinpos_peak {
    double g;
    int64_t offset;
} sinpos_peak;

/*
 * sinpos_kernel_envelope() - the largest |g| from an offset on: the running maximum of |g| from the right.
 *
 *     peaks[i] = the largest |g(k)| over from[i] <= k < limit, at the smallest such k
 *
 *   from       (n) offsets, ascending, not negative.
 *   limit      above all of them. A finite sum of cosines comes back arbitrarily near to g(0) some day (it is almost
 *              periodic), so that an envelope without a limit would be g(0) everywhere.
 *   peaks      (n) receives the peaks.
 *   Other arguments as sinpos_kernel_first_negative().
 * Returns as sinpos_kernel_first_negative(); SINPOS_E_VALUE if from is not as it must be.
 * Cost O((limit - from[0]) * n_tones).  Source: Bohr 1925 for the almost periodic.  Since 0.1.
 */
SINPOS_API SINPOS_MUST_CHECK sinpos_status sinpos_kernel_envelope(const sinpos_plan *plan, const int64_t *from, size_t n,
                                                                  int64_t limit, sinpos_peak *peaks, size_t n_threads,
                                                                  sinpos_progress *progress, void *context);

/*
 * sinpos_distance_values() - the Euclidean distance of two rows by their offset.
 *
 *     D(k) = sqrt(sum over complete tones of 4 A_i^2 sin^2(k theta_i / 2)) = |p_m - p_(m-k)|
 *
 *   Arguments and returns as sinpos_kernel_values(). No digits are lost for small k: relative error at most 1e-14.
 * Returns as sinpos_kernel_values().  Cost O(n * n_tones).  Source: |a - b|^2 of a rotation.  Since 0.1.
 */
SINPOS_API SINPOS_MUST_CHECK sinpos_status sinpos_distance_values(const sinpos_plan *plan, const sinpos_rows *offsets,
                                                                  double *distance, size_t n_threads);

/*
 * sinpos_distance_matrix() - the distances between consecutive positions, all of them or some rows.
 *
 *     out[i * ld_out + j] = D(first_row + i - j)       row first_row + i, column j of the (n, n) matrix
 *
 *   plan       one coordinate. Where the positions begin makes no difference.
 *   first_row  first row that is wanted.
 *   n_rows     how many rows; first_row + n_rows <= n.
 *   n          number of positions.
 *   out        (n_rows, n) row-major. Columns n .. ld_out-1 are not touched.
 *   ld_out     row stride in elements, >= n.
 *   n_threads  1 .. 1024; 0 stands for the number of processors. The bytes do not depend on it.
 * Returns as sinpos_distance_values(); SINPOS_E_SHAPE also for sizes. Relative error at most 1e-14.
 * Cost   O(n * n_tones) for the curve D(0), ..., D(n - 1), and copying: every row is a slice of it.
 * Source: the figure 3 that most introductions draw; docs/mathematics.md.  Since 0.1.
 */
SINPOS_API SINPOS_MUST_CHECK sinpos_status sinpos_distance_matrix(const sinpos_plan *plan, size_t first_row, size_t n_rows,
                                                                  size_t n, double *out, size_t ld_out, size_t n_threads);

/*
 * sinpos_distance_matrix_at() - the distances between any integer positions.
 *
 *     out[i * ld_out + j] = D(positions[i] - positions[j])
 *
 *   positions  (n) not further apart than 2^63 - 1.
 *   n          how many.
 *   out        (n, n) row-major.
 *   ld_out     row stride in elements, >= n.
 *   n_threads  as there.
 * Returns as sinpos_distance_matrix(); SINPOS_E_RANGE for positions too far apart.
 * Cost   O(min(n^2 / 2, largest - smallest position) * n_tones).  Source as there.  Since 0.1.
 */
SINPOS_API SINPOS_MUST_CHECK sinpos_status sinpos_distance_matrix_at(const sinpos_plan *plan, const int64_t *positions,
                                                                     size_t n, double *out, size_t ld_out,
                                                                     size_t n_threads);

/* ------------------------------------------------------------------------------------------------- Continuum */

/*
 * A frequency as a function of t, where tone i of h has t = i / h. The more tones, the nearer comes g(x) / g(0) to
 *
 *     f(x) = integral of cos(x theta(t)) over t from 0 to 1
 */
typedef struct sinpos_theta sinpos_theta;

/*
 * sinpos_theta_parse() - theta(t) as people write it: "10000^-t", "exp(-9.21*t)", "t^2", "sqrt(1 - t)".
 *   out      receives the function; NULL on error.
 *   text     t, decimal numbers (taken exactly), pi, e, + - * / ^ (also **; right to left), ( ), exp, log or ln, sqrt,
 *            sin, cos, pow(a, b). -t^2 is -(t^2).
 *   why      NULL, or receives a constant clause that says what is wrong; "" for SINPOS_OK.
 *   at       NULL, or receives how many characters were read before that.
 * Returns SINPOS_OK; SINPOS_E_NULL; SINPOS_E_VALUE; SINPOS_E_MEMORY.  Cost O(length).  Source: docs/mathematics.md.
 * Since 0.1.
 */
SINPOS_API SINPOS_MUST_CHECK sinpos_status sinpos_theta_parse(sinpos_theta **out, const char *text, const char **why,
                                                              size_t *at);

/*
 * sinpos_theta_of_spec() - theta(t) of a specification, with its index i = t dim / 2 made continuous.
 *
 *     geometric  scale (base / base_divisor)^(-(t dim/2 + shift) / divisor),  power and octave likewise
 *
 *   out      receives the function; NULL on error.
 *   spec     geometric, power or octave, without factor; numbers are taken exactly.
 * Returns SINPOS_OK; SINPOS_E_NULL; SINPOS_E_VALUE where the frequencies are a list, or dim is 1; as
 * sinpos_spec_check().  Cost O(dim).  Source: Su 2021, kexue.fm/archives/8231.  Since 0.1.
 */
SINPOS_API SINPOS_MUST_CHECK sinpos_status sinpos_theta_of_spec(sinpos_theta **out, const sinpos_spec *spec);

/*
 * sinpos_theta_destroy() - free a theta(t); NULL is fine.
 * Returns nothing.  Cost O(1).  Source: none needed.  Since 0.1.
 */
SINPOS_API void sinpos_theta_destroy(sinpos_theta *theta);

/*
 * sinpos_theta_text(), sinpos_theta_value() - theta(t) as text that sinpos_theta_parse() reads; its value in double.
 *   t        0 .. 1.
 * Returns a string valid until the function is destroyed, NULL for NULL; the value, in the plain arithmetic of the C
 * library, NaN for NULL.  Cost O(length).  Source: none needed.  Since 0.1.
 */
SINPOS_API const char *sinpos_theta_text(const sinpos_theta *theta);
SINPOS_API double sinpos_theta_value(const sinpos_theta *theta, double t);

/*
 * sinpos_continuum_values() - f(x) above, with a proved bound on its error.
 *
 *     |f(x[i]) - value[i]| <= radius[i]
 *
 *   theta      a real number for every t between 0 and 1, except that it may be infinite at the ends.
 *   x          (n) offsets, any reals up to 2^63 in size.
 *   value      (n)
 *   radius     (n) near 2^-55 for c exp(k t) and c (p + k t)^a with a > 0, by the cosine integral and the confluent
 *              hypergeometric function; others are integrated, to 2^-60 if the work allows it. It is bounded: some
 *              5 s for one value, about a minute for all of a call on one thread. Where x theta(t) goes up and down too
 *              often for that, radius is larger, up to 1.
 *   n_threads  1 .. 1024; 0 stands for the number of processors.
 *   progress   NULL, or see above.
 *   context    handed to progress.
 * Returns SINPOS_OK; SINPOS_E_NULL; SINPOS_E_RANGE for x; SINPOS_E_VALUE for n_threads, or where theta is not a real number;
 * SINPOS_E_MEMORY; SINPOS_E_STOPPED; SINPOS_E_UNSUPPORTED without FLINT.
 * Cost about 30 us each for the closed forms; integrals O(x) times 10 us.
 * Source: Abramowitz and Stegun 5.2.2, 13.2.1; Johansson 2018, arXiv:1802.07942.  Since 0.1.
 */
SINPOS_API SINPOS_MUST_CHECK sinpos_status sinpos_continuum_values(const sinpos_theta *theta, const double *x, size_t n,
                                                                   double *value, double *radius, size_t n_threads,
                                                                   sinpos_progress *progress, void *context);

/* Where f first becomes negative. */
typedef struct sinpos_crossing {
    double x;        /* a zero of f; NaN if none was found */
    double radius;   /* f changes its sign between x - radius and x + radius */
    double searched; /* up to there: the limit, or less if there is a zero or the work became too much */
} sinpos_crossing;

/*
 * sinpos_continuum_crossing() - the first x > 0 at which f changes its sign.
 *
 *     from x with f(x) = v > 0 it goes on by v / max |f'|, so that no change of sign is passed over, unless one and the
 *     next lie within 1e-7 x of each other
 *
 *   theta      as for sinpos_continuum_values().
 *   limit      how far to look; above 0.
 *   crossing   receives what was found.
 *   progress, context  as there.
 * Returns as sinpos_continuum_values(); SINPOS_E_VALUE also for limit.
 * Cost up to 20000 values, or some 5 s of integrals, 2000 at most.  Source: docs/mathematics.md.  Since 0.1.
 */
SINPOS_API SINPOS_MUST_CHECK sinpos_status sinpos_continuum_crossing(const sinpos_theta *theta, double limit,
                                                                     sinpos_crossing *crossing,
                                                                     sinpos_progress *progress, void *context);

/*
 * sinpos_schedules_compare() - who decays faster, near and far.
 *
 *     value[i * n_x + j] = f_i(x[j])
 *     size[i * n_x + j]  = root mean square of f_i over 33 offsets from x[j] / sqrt 2 to x[j] sqrt 2, in equal ratios,
 *                          so that a zero of f at x[j] does not look like decay
 *     rank[i * n_x + j]  = place of that size among all i, 1 for the smallest
 *
 * Where an integral was not reached to 1e-9, value and size are NaN; a rank is 0 where the size is NaN.
 *
 *   theta      (n) as for sinpos_continuum_values().
 *   x          (n_x) offsets above 0 and below 2^62.
 *   value, size, rank  (n, n_x) row-major.
 *   n_threads, progress, context  as there.
 * Returns as sinpos_continuum_values(); SINPOS_E_VALUE also for x.
 * Cost O(33 n n_x) values.  Source: Su 2021, kexue.fm/archives/8231, section on long-range decay.  Since 0.1.
 */
SINPOS_API SINPOS_MUST_CHECK sinpos_status sinpos_schedules_compare(const sinpos_theta *const *theta, size_t n,
                                                                    const double *x, size_t n_x, double *value,
                                                                    double *size, size_t *rank, size_t n_threads,
                                                                    sinpos_progress *progress, void *context);

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

/* -------------------------------------------------------------------------------------------------- Separation */

/* Two positions that are near each other. */
typedef struct sinpos_near {
    double distance; /* Euclidean distance of their rows */
    int64_t offset;  /* later - earlier > 0 */
    int64_t earlier, later;
} sinpos_near;

/*
 * sinpos_separation() - the smallest distances between two rows of n consecutive positions.
 *
 *     D(m, k) = |p_m - p_(m-k)|,   0 < k < n;   of complete tones alone D(k) = sqrt(4 sum A_i^2 sin^2(k theta_i / 2))
 *
 *   plan       one coordinate; exact rows, no type's rounding.
 *   first, n   positions first .. first + n - 1, all below 2^63 in size (2^62 where a tone lacks a column).
 *   near       (n_near) receives one pair for each of the offsets with the smallest distances, nearest first, at equal
 *              distances the smaller offset first. Where all tones are complete the pair is first, first + k.
 *   n_near     in: room, 1 .. 4096; out: how many there are, at most n - 1.
 *   n_threads  1 .. 1024; 0 stands for the number of processors. The results do not depend on it.
 *   progress   NULL, or called now and then with context.
 * Returns SINPOS_OK; SINPOS_E_NULL; SINPOS_E_AXES; SINPOS_E_VALUE for more than 1024 threads; SINPOS_E_RANGE;
 * SINPOS_E_VALUE for n_near; SINPOS_E_MEMORY; SINPOS_E_STOPPED; SINPOS_E_UNSUPPORTED where a tone lacks a column and
 * more than 2^36 sines would have to be compared (an odd width is well below; sines alone reach n = 2^15 or so).
 * Relative error of a distance at most 1e-14, and 0 exactly where the rows are equal.
 * Cost   O(n * some tones): offsets that a few tones keep apart are not looked at further.  Source docs/mathematics.md.
 * Since 0.1.
 */
SINPOS_API SINPOS_MUST_CHECK sinpos_status sinpos_separation(const sinpos_plan *plan, int64_t first, size_t n,
                                                             sinpos_near *near, size_t *n_near, size_t n_threads,
                                                             sinpos_progress *progress, void *context);

/*
 * sinpos_separation_lengths() - the smallest distance among the first n positions, for several n in one go.
 *   lengths    (n_lengths), each at least 2, in any order.
 *   near       (n_lengths) receives the nearest pair of positions first .. first + lengths[i] - 1.
 *   Other arguments as sinpos_separation().
 * Returns as sinpos_separation(); SINPOS_E_VALUE for a length below 2.  Cost as for the largest length, where all
 * tones are complete.  Source docs/mathematics.md.  Since 0.1.
 */
SINPOS_API SINPOS_MUST_CHECK sinpos_status sinpos_separation_lengths(const sinpos_plan *plan, int64_t first,
                                                                     const size_t *lengths, size_t n_lengths,
                                                                     sinpos_near *near, size_t n_threads,
                                                                     sinpos_progress *progress, void *context);

/*
 * sinpos_separation_rounded() - the smallest distance between two rows as a type holds them.
 *
 *     min over m and k of |round(p_m) - round(p_(m-k))|
 *
 *   type       of the plan's set.
 *   near       receives the nearest pair; of equally near ones that with the smallest offset, then the smallest
 *              earlier position.
 *   Other arguments as sinpos_separation().
 * Returns as sinpos_separation(); SINPOS_E_TYPE, SINPOS_E_OVERFLOW as sinpos_fill(); SINPOS_E_UNSUPPORTED where too
 * many offsets lie within the rounding of the smallest distance: more than 2^40 elements to be compared.
 * Relative error at most 1e-14.  Cost O(n * dim) for each offset whose distance is within the type's rounding,
 * 2^-p sqrt(dim), of the smallest: nearly always one.  Source docs/mathematics.md.  Since 0.1.
 */
SINPOS_API SINPOS_MUST_CHECK sinpos_status sinpos_separation_rounded(const sinpos_plan *plan, int64_t first, size_t n,
                                                                     sinpos_type type, sinpos_near *near,
                                                                     size_t n_threads, sinpos_progress *progress,
                                                                     void *context);

/* How to look for equal rows. */
typedef enum sinpos_distinct_method {
    SINPOS_DISTINCT_AUTO = 0,    /* whichever is faster */
    SINPOS_DISTINCT_OFFSETS = 1, /* which offsets could make rows equal? Then those pairs. Little memory */
    SINPOS_DISTINCT_HASHES = 2   /* a hash of every row, sorted, on disk where memory does not suffice */
} sinpos_distinct_method;

/* Sized; start from SINPOS_COLLISIONS_OPTIONS_INIT. */
typedef struct sinpos_collisions_options {
    size_t struct_size;
    sinpos_distinct_method method;
    size_t n_threads;          /* 1 .. 1024; 0: the number of processors */
    size_t memory_bytes;       /* for hashes, 16 bytes each; what is beyond goes to a file */
    const char *folder;        /* where that file is made; it has no name, and is gone with the process */
    sinpos_progress *progress; /* NULL, or called with context */
    void *context;
} sinpos_collisions_options;

#define SINPOS_COLLISIONS_OPTIONS_INIT                                                                                 \
    {                                                                                                                  \
        sizeof(sinpos_collisions_options), SINPOS_DISTINCT_AUTO, 0, (size_t)1 << 30, "/tmp", NULL, NULL                \
    }

/* How many rows differ. Equal means the same bits in every column. */
typedef struct sinpos_distinct {
    sinpos_type type;
    int has_collision;        /* are any two rows equal? Then: */
    int64_t earlier, later;   /* later is the first position whose row stood before, at the position earlier */
    uint64_t n_distinct;      /* different rows */
    uint64_t n_offsets;       /* by offsets: how many could not be excluded without looking at the rows */
    uint64_t temporary_bytes; /* by hashes: written to a file */
    sinpos_distinct_method method;
} sinpos_distinct;

/*
 * sinpos_collisions() - which rows of n consecutive positions are equal once rounded to a type?
 *   plan       one coordinate.
 *   first, n   positions first .. first + n - 1; by hashes n is at most 2^40.
 *   types      set of sinpos_type, of the plan's set.
 *   options    NULL for SINPOS_COLLISIONS_OPTIONS_INIT.
 *   distinct   receives one result for each type, in the order float64, float32, float16, bfloat16.
 * The results are proved, not probable: rows are counted as equal after all their elements were compared, and as
 * different only if their hashes differ or a tone's angle proves it. No result but method, n_offsets and
 * temporary_bytes depends on the options.
 * Returns SINPOS_OK; SINPOS_E_NULL; SINPOS_E_SHAPE; SINPOS_E_TYPE, SINPOS_E_OVERFLOW as sinpos_fill(); SINPOS_E_RANGE;
 * SINPOS_E_STRUCT; SINPOS_E_VALUE for an unknown method or n_threads; SINPOS_E_UNSUPPORTED where by offsets was asked for and
 * more than 4096 offsets remain; SINPOS_E_MEMORY; SINPOS_E_FILE, with errno set; SINPOS_E_STOPPED.
 * Cost   O(n) by offsets, of which few remain; O(n * dim) by hashes.  Source docs/mathematics.md.  Since 0.1.
 */
SINPOS_API SINPOS_MUST_CHECK sinpos_status sinpos_collisions(const sinpos_plan *plan, int64_t first, size_t n,
                                                             unsigned types, const sinpos_collisions_options *options,
                                                             sinpos_distinct *distinct);

/*
 * sinpos_dim_needed() - the smallest even number of columns with which n positions are well apart.
 *
 *     least dim in 2, 4, 6, ... dim_most with  D(k) >= wanted for 0 < k < n,  and all rows different in the types
 *
 *   spec       everything but its dim; geometric, power or octave, without factors: these have any number of tones.
 *   n          positions 0 .. n - 1.
 *   wanted     not negative. 0 asks for nothing but different rows.
 *   types      set of sinpos_type, 0 for none.
 *   dim_most   at least 2.
 *   dim        receives the answer; 0 if dim_most columns are not enough, or as many octaves as there can be.
 *   near       NULL, or receives the nearest pair at that dim.
 *   Larger dims need not all be good, as their frequencies are others; near dims nearly always are.
 * Returns SINPOS_OK; SINPOS_E_NULL; SINPOS_E_SPEC; SINPOS_E_VALUE; else as sinpos_separation() and sinpos_collisions().
 * Cost   O(n) for each dim that passes its smallest offsets.  Source docs/mathematics.md.  Since 0.1.
 */
SINPOS_API SINPOS_MUST_CHECK sinpos_status sinpos_dim_needed(const sinpos_spec *spec, size_t n, double wanted,
                                                             unsigned types, size_t dim_most, size_t *dim,
                                                             sinpos_near *near, size_t n_threads,
                                                             sinpos_progress *progress, void *context);

/*
 * sinpos_rows_separation() - nearest and equal rows of any array in memory.
 *   rows       (n, dim) row-major, finite.
 *   ld         row stride in elements, >= dim.
 *   near       NULL, or receives the nearest pair of rows, counted from 0; of equally near ones that with the smallest
 *              earlier row, then the smallest later one. Zeros of either sign are the same number here.
 *   distinct   NULL, or receives how many rows differ in their bits, by hashes in memory: 16 bytes for each row.
 *   Other arguments as sinpos_separation().
 * Returns SINPOS_OK; SINPOS_E_NULL; SINPOS_E_TYPE; SINPOS_E_SHAPE for n < 2, dim = 0, ld < dim, n * ld beyond size_t,
 * n beyond 2^40; SINPOS_E_VALUE for elements that are not finite; SINPOS_E_MEMORY; SINPOS_E_STOPPED. Relative error at most 1e-14.
 * Cost   near: O(n^2 * dim), though most pairs are left after some columns; distinct: O(n * dim).
 * Source: the definition.  Since 0.1.
 */
SINPOS_API SINPOS_MUST_CHECK sinpos_status sinpos_rows_separation(const void *rows, size_t n, size_t dim, size_t ld,
                                                                  sinpos_type type, sinpos_near *near,
                                                                  sinpos_distinct *distinct, size_t n_threads,
                                                                  sinpos_progress *progress, void *context);

/* ------------------------------------------------------------------------------------------------ Bases */

/*
 * A family of encodings that differ in their base b > 1 alone, and a context: offsets k = 0 .. context - 1. With
 *
 *     g_b(k) = constant + sum over i < n_tones of cos(k theta_i),    theta_i = scale * b^(-(i + shift) / divisor)
 *
 * a base passes if g_b(k) >= 0 for every offset of the context: then, as Xu et al. put it, a token is on average drawn
 * to tokens like itself wherever they stand. Every number is taken exactly, as in a plan.
 */
typedef struct sinpos_base_query {
    size_t context;  /* L, 1 .. SINPOS_BASE_MAX_CONTEXT */
    size_t n_tones;  /* h, 1 .. SINPOS_BASE_MAX_TONES; dim / 2 where all columns are rotated */
    double shift;    /* 0 or more */
    double divisor;  /* above 0; dim / 2 in most definitions */
    double scale;    /* above 0, at most 1e6; 1 / factor for linear interpolation */
    double constant; /* 0 or more: pairs of columns that are not rotated, where they are to count */
} sinpos_base_query;

#define SINPOS_BASE_MAX_CONTEXT ((size_t)1 << 26)
#define SINPOS_BASE_MAX_TONES ((size_t)1 << 15)
#define SINPOS_BASE_MAX 1e300 /* bases are looked for below this */
#define SINPOS_BASE_POOL 32

typedef enum sinpos_base_outcome {
    SINPOS_BASE_OPEN = 0,  /* the search has not ended */
    SINPOS_BASE_FOUND = 1, /* the smallest passing base lies between base_lower and base_upper */
    SINPOS_BASE_ANY = 2,   /* bases down to 1 pass: the context is too short to ask anything of them */
    SINPOS_BASE_NONE = 3,  /* no base up to base_lower passes, and it is SINPOS_BASE_MAX */
    SINPOS_BASE_GAP = 4    /* no base up to base_lower passes; beyond it double precision cannot decide */
} sinpos_base_outcome;

/* From the end of the step before (the first: from 1) to this end, every base has g_b(offset) < 0. */
typedef struct sinpos_base_step {
    double end;
    int64_t offset;
} sinpos_base_step;

/* From where on every base passes. */
typedef struct sinpos_base_robust {
    double upper;     /* every base from this one on passes; 0 if that was shown for none */
    double lower;     /* the largest base known to fail, 0 if none is known */
    int64_t offset;   /* where it fails */
    uint64_t n_boxes; /* looked at */
} sinpos_base_robust;

/* What a search found, and all that is needed to check it, or to go on with it. */
typedef struct sinpos_base_certificate {
    double base_lower;   /* every base from 1 to this one fails: the end of the last step, or just below it */
    double base_upper;   /* this base passes; 0 where there is none */
    int64_t violated_at; /* offset at which base_lower fails; 0 for SINPOS_BASE_ANY */
    sinpos_base_outcome outcome;
    sinpos_base_query query;
    sinpos_base_step *steps; /* (n_steps), ends rising */
    size_t n_steps, room;
    sinpos_base_robust robust; /* zeros until sinpos_base_robust_find() */
    int64_t pool[SINPOS_BASE_POOL]; /* of the search: offsets to try next */
    size_t n_pool, since_scan;
    double reference;
} sinpos_base_certificate;

/*
 * sinpos_base_begin() - an empty certificate for a query.
 *   certificate  receives it.
 *   query        only read.
 * Returns SINPOS_OK; SINPOS_E_NULL; SINPOS_E_VALUE for a number outside its range.  Cost O(1).
 * Source docs/mathematics.md.  Since 0.1.
 */
SINPOS_API SINPOS_MUST_CHECK sinpos_status sinpos_base_begin(sinpos_base_certificate *certificate,
                                                             const sinpos_base_query *query);

/*
 * sinpos_base_free() - free the steps; NULL is fine.
 * Returns nothing.  Cost O(1).  Source: none needed.  Since 0.1.
 */
SINPOS_API void sinpos_base_free(sinpos_base_certificate *certificate);

/*
 * sinpos_base_search() - look for the smallest base that passes, from 1 upward, in double precision.
 *
 *     bases 1 = b_0 < b_1 < ... < b_n: for each step an offset k < L with g_b(k) < 0 for all b in [b_(j-1), b_j]
 *
 * A passing base may lie below failing ones, so nothing is bisected: the steps leave no gap. What it finds is a proof
 * once sinpos_base_verify() has agreed.
 *   certificate  from sinpos_base_begin(), or of a search that was stopped, which then goes on as if it had not been:
 *                the same steps result. Consistent, with outcome SINPOS_BASE_OPEN, whenever progress is called.
 *   n_threads    1 .. 1024; 0 stands for the number of processors. The result does not depend on it.
 *   progress     NULL, or called several times a second.
 *   context      for progress.
 * Returns SINPOS_OK; SINPOS_E_NULL; SINPOS_E_VALUE; SINPOS_E_MEMORY; SINPOS_E_STOPPED.
 * base_upper exceeds base_lower by 1e-11 of itself or less, unless two offsets cross zero within that.
 * Cost   about O(L) steps, each O(n_tones) or, one in some 16, O(L n_tones): docs/mathematics.md has times.
 * Source Xu et al. 2024, arXiv:2405.14591, for the question.  Since 0.1.
 */
SINPOS_API SINPOS_MUST_CHECK sinpos_status sinpos_base_search(sinpos_base_certificate *certificate, size_t n_threads,
                                                              sinpos_progress *progress, void *context);

/*
 * sinpos_base_robust_find() - the base from which on every base passes, b**, which is not the smallest that passes.
 *
 *     g_b(k) >= 0 for all k < L and all b >= certificate->robust.upper
 *
 * Down from a base where that is plain, boxes [k, k'] x [ln b, ln b'] are shown to hold no negative g, or are split,
 * until a base fails: then lower and upper agree to 7 digits or more. Where the work allowed is used up before, upper is
 * as far as it came, and the bases between the two are undecided.
 *   certificate  of a search that has ended. Nothing below its base_lower is looked at. Receives robust.
 *   effort       boxes to look at in each 64th of ln b: 1e6 is a second or two.
 *   n_threads    1 .. 1024; 0 stands for the number of processors. The result does not depend on it.
 *   progress     NULL, or called now and then.
 *   context      for progress.
 * Returns SINPOS_OK; SINPOS_E_NULL; SINPOS_E_VALUE; SINPOS_E_MEMORY; SINPOS_E_STOPPED.
 * The errors of double arithmetic are bounded, given a C library whose exp is good to an ulp; sinpos_base_verify()
 * does without.
 * Cost   O(n_tones) a box.  Source docs/mathematics.md.  Since 0.1.
 */
SINPOS_API SINPOS_MUST_CHECK sinpos_status sinpos_base_robust_find(sinpos_base_certificate *certificate,
                                                                   uint64_t effort, size_t n_threads,
                                                                   sinpos_progress *progress, void *context);

typedef struct sinpos_base_verdict {
    int holds;       /* 1 or 0 */
    const char *why; /* for 0, a constant clause that says what does not hold */
    size_t step;     /* at which step */
    int64_t offset;  /* at which offset */
    int robust;      /* 1: every base from robust.upper on was shown to pass */
} sinpos_base_verdict;

/*
 * sinpos_base_verify() - check a certificate in ball arithmetic, with code that the search does not share.
 *
 *     that the steps follow each other from 1 to base_lower or beyond; for each step, by Taylor's theorem, that
 *     g_b(offset) < 0 over all of it; that g_b(k) >= 0 for all k < L at base_upper; that base_lower fails at violated_at
 *
 *   certificate  only read.
 *   robust       1: also that every base from robust.upper on passes and robust.lower fails, which takes longer; 0: not.
 *   verdict      receives what was found. holds = 1 is a proof, as far as Arb and the compiler are right.
 *   n_threads    1 .. 1024; 0 stands for the number of processors.
 *   progress     NULL, or called several times a second.
 *   context      for progress.
 * Returns SINPOS_OK, whatever the verdict; SINPOS_E_NULL; SINPOS_E_VALUE for a query outside its ranges;
 * SINPOS_E_VALUE for n_threads; SINPOS_E_MEMORY; SINPOS_E_STOPPED; SINPOS_E_UNSUPPORTED without FLINT.
 * Cost   O((L + n_steps) n_tones), about 1 us a term; with robust as many boxes as sinpos_base_robust_find(), each
 * some 100 times as long.
 * Source Johansson 2017, "Arb: efficient arbitrary-precision midpoint-radius interval arithmetic".  Since 0.1.
 */
SINPOS_API SINPOS_MUST_CHECK sinpos_status sinpos_base_verify(const sinpos_base_certificate *certificate,
                                                              int robust, sinpos_base_verdict *verdict, size_t n_threads,
                                                              sinpos_progress *progress, void *context);

/* Does one base pass? */
typedef struct sinpos_base_trial {
    int passes;         /* 1: g_b(k) >= 0 for all k < L; 0: not */
    int64_t offset;     /* the first where g is negative; 0 where there is none */
    double g;           /* g there, to some 1e-9 */
} sinpos_base_trial;

/*
 * sinpos_base_try() - does this base pass, and if not, where does it fail first? In ball arithmetic.
 *   query      only read.
 *   base       above 0, at most SINPOS_BASE_MAX; 1 and less are allowed.
 *   trial      receives the answer.
 *   n_threads, progress, context as in sinpos_base_verify().
 * Returns as sinpos_base_verify(); SINPOS_E_VALUE also for the base, and where 1280 bits cannot distinguish g from 0.
 * Cost   O(L n_tones), about 1 us a term, and less where it fails early.  Source as sinpos_base_search().  Since 0.1.
 */
SINPOS_API SINPOS_MUST_CHECK sinpos_status sinpos_base_try(const sinpos_base_query *query, double base,
                                                           sinpos_base_trial *trial, size_t n_threads,
                                                           sinpos_progress *progress, void *context);

/*
 * sinpos_base_extend() - take a certificate to a longer context: its steps hold there too, and the search goes on.
 *   certificate  of a search that has ended.
 *   context      not below that of the certificate, up to SINPOS_BASE_MAX_CONTEXT.
 * Returns SINPOS_OK; SINPOS_E_NULL; SINPOS_E_VALUE.  Cost O(1).  Source docs/mathematics.md.  Since 0.1.
 */
SINPOS_API SINPOS_MUST_CHECK sinpos_status sinpos_base_extend(sinpos_base_certificate *certificate, size_t context);

/* One tone of a base at a training length. */
typedef struct sinpos_tone_length {
    double period; /* 2 pi / theta, in positions */
    double turns;  /* train / period */
    double kept;   /* YaRN: 1 its frequency is kept, 0 it is divided by the factor, between: blended */
    double yarn_period;
} sinpos_tone_length;

/* What the literature's formulas say. */
typedef struct sinpos_base_lengths {
    size_t n_within_train;          /* tones whose period fits into the training length; twice that is the critical dimension */
    size_t n_within_context;        /* into the context */
    double shortest, longest;       /* periods */
    double factor;                  /* context / train */
    double interpolation_worst;     /* of sum h_j e^(i s theta_j), |h_j| <= 1, taken as linear between integers s: the largest
                                       error, sum of 1 - cos(theta_j / 2) */
    double interpolation_published; /* d / (32 ln b), given for it as a bound, which it is not */
    double ntk_base;                /* b factor^(X / (X - 1)): the slowest tone slows down by the factor; 0 for X <= 1 */
    double extrapolation_base;      /* base whose first tone beyond the critical dimension has the context for its period; or 0 */
    size_t n_kept, n_blended, n_interpolated; /* by YaRN */
    double attention_factor;        /* YaRN's factor on the logits' square root: 0.1 ln factor + 1 */
} sinpos_base_lengths;

/*
 * sinpos_base_lengths_at() - periods against lengths, by formula.
 *
 *     period_i = 2 pi / theta_i;  kept_i = clamp((train / period_i - alpha) / (beta - alpha), 0, 1)
 *     yarn_period_i = 2 pi / (theta_i (kept_i + (1 - kept_i) / factor)), factor = context / train where above 1
 *
 *   query      tones; context is the one wanted. Only read.
 *   base       above 1.
 *   train      training length in positions, 1 .. 2^53.
 *   alpha, beta  0 < alpha < beta: tones that turn less than alpha times within train are interpolated, those that turn more
 *              than beta times are kept. Published for Llama: 1 and 32.
 *   lengths    receives the answer.
 *   tones      NULL, or room for (n_tones).
 * Returns SINPOS_OK; SINPOS_E_NULL; SINPOS_E_VALUE.  Relative errors 1e-13.  Cost O(n_tones).
 * Source critical dimension and extrapolation: Liu et al. 2023, arXiv:2310.05209; interpolation: Chen et al. 2023,
 * arXiv:2306.15595, theorem 2.1; YaRN, NTK: Peng et al. 2023, arXiv:2309.00071.  Since 0.1.
 */
SINPOS_API SINPOS_MUST_CHECK sinpos_status sinpos_base_lengths_at(const sinpos_base_query *query, double base,
                                                                  double train, double alpha, double beta,
                                                                  sinpos_base_lengths *lengths,
                                                                  sinpos_tone_length *tones);

/*
 * sinpos_random_tokens() - rows first .. first + n - 1 of the seeded tokens that the functions above make: independent
 * entries, uniform with mean 0 and variance 1.
 *   rows       (n, dim), receives them.
 * Returns SINPOS_OK; SINPOS_E_NULL.  Cost O(n dim).  Source: SplitMix64.  Since 0.1.
 */
SINPOS_API SINPOS_MUST_CHECK sinpos_status sinpos_random_tokens(uint64_t first, size_t n, size_t dim, uint64_t seed,
                                                                double *rows);

/*
 * sinpos_query_key() - H = W_q' W_k, so that x' H y is the score of query W_q x and key W_k y.
 *   w_q, w_k   (head, dim) with strides ld_q, ld_k >= dim: a row makes one number of the query or key.
 *   h          (dim, dim), receives H.
 * Returns SINPOS_OK; SINPOS_E_NULL; SINPOS_E_SHAPE; SINPOS_E_VALUE for numbers that are not finite or beyond 2^40.
 * Cost   O(head dim^2).  Source Vaswani et al. 2017, arXiv:1706.03762, section 3.2.1.  Since 0.1.
 */
SINPOS_API SINPOS_MUST_CHECK sinpos_status sinpos_query_key(const double *w_q, size_t ld_q, const double *w_k, size_t ld_k,
                                                            size_t head, size_t dim, size_t n_threads, double *h);

/* -------------------------------------------------------------------------------------------- Common arithmetics */

/*
 * How other code forms the angle p theta_i, before it takes sine and cosine. fl() rounds to float32; each product, power
 * and exponential is rounded on its own. b, X, S, C are the base, divisor, shift and scale of a specification.
 */
typedef enum sinpos_recipe {
    SINPOS_RECIPE_F32_POW = 0,       /* fl(p fl(1 / fl(b^fl((i + S) / X)))) */
    SINPOS_RECIPE_F32_EXP = 1,       /* fl(p fl(exp(fl((i + S) fl(-ln b / X))))) */
    SINPOS_RECIPE_F32_RATIO_POW = 2, /* fl(p fl(r^(i + S))),  r = fl(b^fl(-1/X)) */
    SINPOS_RECIPE_F32_REPEATED = 3,  /* fl(...fl(fl(p r^S) r)... r), i times */
    SINPOS_RECIPE_F32_THETA = 4,     /* fl(p fl(theta_i)): of any schedule, as all that follow */
    SINPOS_RECIPE_F16_THETA = 5,     /* fl(p theta), theta rounded to float32, then to float16 */
    SINPOS_RECIPE_BF16_THETA = 6,    /* fl(p theta), theta rounded to float32, then to bfloat16 */
    SINPOS_RECIPE_BF16_POSITIONS = 7 /* fl(q fl(theta_i)), q = p rounded to bfloat16 */
} sinpos_recipe;

#define SINPOS_N_RECIPES 8
#define SINPOS_RECIPE_MOST ((uint64_t)1 << 40) /* positions */

/*
 * sinpos_recipe_name(), sinpos_recipe_who() - "float32-pow", as sinpos_arithmetic_find() of sinpos_conventions.h knows
 * it; how it goes and whose code does so.
 * Returns a constant string; "unknown recipe" and "" for another number.  Cost O(1).
 * Source: the code of the projects named.  Since 0.1.
 */
SINPOS_API const char *sinpos_recipe_name(sinpos_recipe recipe);
SINPOS_API const char *sinpos_recipe_who(sinpos_recipe recipe);

/*
 * sinpos_recipe_errors() - the largest error of the cosine over all positions below some, for a recipe.
 *
 *     error[j] = max over 0 <= p < below[j] and all tones of |fl(cos(angle)) - cos(p theta_i)|
 *
 *   spec       its frequencies count; columns, phase and amplitude do not.
 *   recipe     the first four need a geometric schedule without factors.
 *   below      (n_below) numbers of positions, ascending, 1 .. SINPOS_RECIPE_MOST.
 *   error      (n_below). The cosine of the recipe's angle is taken as exact and rounded once to float32. Once an error
 *              is within 1e-6 of 2, the largest there can be, no more positions are looked at.
 *   n_threads  1 .. 1024; 0 stands for the number of processors. The results do not depend on it.
 *   progress   NULL, or see above.
 *   context    handed to progress.
 * Returns SINPOS_OK; SINPOS_E_NULL; SINPOS_E_VALUE for recipe, n_threads or below; as
 * sinpos_spec_check(); SINPOS_E_UNSUPPORTED where the recipe has no meaning for the schedule; SINPOS_E_MEMORY;
 * SINPOS_E_STOPPED. Each error is right to 2^-50 p theta_0 and one rounding to float32.
 * Cost   O(below n_tones), about 3 ns each.  Source docs/mathematics.md, section "Common arithmetics".  Since 0.1.
 */
SINPOS_API SINPOS_MUST_CHECK sinpos_status sinpos_recipe_errors(const sinpos_spec *spec, sinpos_recipe recipe,
                                                                const uint64_t *below, size_t n_below, double *error,
                                                                size_t n_threads, sinpos_progress *progress,
                                                                void *context);

/* ------------------------------------------------------------------------------------------------- Claims */

/* What the literature says of these encodings, decided by the rows of a table. */
typedef enum sinpos_verdict {
    SINPOS_HOLDS = 0,
    SINPOS_HOLDS_ONLY_IF = 1,   /* under a condition that the reason states with its number */
    SINPOS_DOES_NOT_HOLD = 2,
    SINPOS_DOES_NOT_APPLY = 3   /* there is nothing to decide it by: one row, no complete tone, a library that this
                                   build lacks */
} sinpos_verdict;

/*
 * sinpos_verdict_name() - "holds", "holds only if", "does not hold" or "does not apply".
 * Returns a constant string; "unknown verdict" for another number.  Cost O(1).  Source: the list above.  Since 0.1.
 */
SINPOS_API const char *sinpos_verdict_name(sinpos_verdict verdict);

/* Where the threshold of a verdict comes from. */
typedef enum sinpos_threshold_origin {
    SINPOS_THRESHOLD_DERIVED = 0, /* it follows from the rounding of the type, or is part of the claim */
    SINPOS_THRESHOLD_CHOSEN = 1,  /* sinpos chose it; another choice may change the verdict */
    SINPOS_THRESHOLD_GIVEN = 2    /* the caller chose it */
} sinpos_threshold_origin;

/*
 * sinpos_threshold_origin_name() - "derived", "chosen" or "given".
 * Returns a constant string; "unknown origin" for another number.  Cost O(1).  Source: the list above.  Since 0.1.
 */
SINPOS_API const char *sinpos_threshold_origin_name(sinpos_threshold_origin origin);

typedef struct sinpos_claim {
    const char *id;        /* "relative" */
    int must_hold;         /* 1: an encoding of which it is false is broken, or not the one that was stated */
    const char *statement; /* one clause: what is claimed */
    const char *measure;   /* one clause: what the number is */
    const char *explain;   /* a paragraph: the mathematics, and where the literature is wrong */
    double threshold;      /* the one chosen, for which the caller may give another; NaN where it is derived */
    int takes_words;       /* 1: tokens take part, and the caller's own can replace the random ones */
} sinpos_claim;

/*
 * sinpos_claim_at() - the claims, one after the other.
 *   index    0, 1, ...
 * Returns a constant; NULL past the last.  Cost O(1).  Source docs/mathematics.md, section "Claims".  Since 0.1.
 */
SINPOS_API const sinpos_claim *sinpos_claim_at(size_t index);

/* An encoding that is stated, and the rows that are judged. */
typedef struct sinpos_check_input {
    const sinpos_plan *plan; /* what is stated; one coordinate */
    int64_t first;           /* the rows have positions first, first + 1, ..., first + n - 1 */
    size_t n;                /* rows, at least 1 */
    sinpos_type type;        /* of the rows */
    const void *table;       /* (n, dim) row-major, only read; NULL: the rows that the plan makes */
    size_t ld_table;         /* row stride in elements, >= dim */
    uint64_t seed;           /* of what is drawn at random */
    size_t n_threads;        /* 1 .. 1024; 0 stands for the number of processors */
    const double *thresholds; /* NULL, or (n_thresholds) by the index of the claim, at least 0; NaN: the chosen one */
    size_t n_thresholds;
    const double *words;     /* NULL: random tokens; or (n_words, dim) embeddings, at most 2^100 in size, only read */
    size_t n_words, ld_words; /* 2 rows or more; row stride in elements, >= dim */
} sinpos_check_input;

#define SINPOS_CLAIM_DETAILS 32
#define SINPOS_CLAIM_WHY_BYTES 240

typedef struct sinpos_claim_detail {
    const char *name; /* constant */
    double value;
} sinpos_claim_detail;

typedef struct sinpos_claim_result {
    double value;     /* the measured number; NaN where there is none */
    double threshold; /* what it is held against; NaN where there is nothing to hold it against */
    sinpos_verdict verdict;
    sinpos_threshold_origin origin; /* of the threshold */
    size_t n_rows, n_columns;       /* rows and columns that were looked at */
    char why[SINPOS_CLAIM_WHY_BYTES]; /* one clause */
    size_t n_details;
    sinpos_claim_detail details[SINPOS_CLAIM_DETAILS]; /* more numbers */
    const sinpos_claim *claim;
} sinpos_claim_result;

/* What was looked at. */
typedef struct sinpos_check_rows {
    size_t n_rows;  /* rows that were judged: n, or fewer where n * dim is beyond 2^23 */
    size_t n_runs;  /* they lie in so many runs of consecutive rows, */
    size_t run;     /* each of this length, */
    size_t stride;  /* and this many rows from the beginning of one to that of the next */
} sinpos_check_rows;

/*
 * sinpos_check() - decide claims by the rows of a table.
 *
 * Every number is computed from the rows; the plan only says what they should be. So a table that was computed badly,
 * damaged, or made for another encoding fails where it must. Thresholds follow from the rounding of the type: an element
 * x is right within u |x| + e, with u = 2^-53, 2^-24, 2^-11, 2^-8 for float64, float32, float16, bfloat16 and e half the
 * smallest subnormal number; no threshold is wider than the proof of docs/mathematics.md makes it. Some claims are vague,
 * as "decays": their threshold is chosen, the result says so, and the caller may give another.
 *
 *   input     see above.
 *   which     (n_which) indices of sinpos_claim_at(); NULL for all claims, in order.
 *   n_which   how many; with which = NULL, room in results.
 *   results   receives one result per claim.
 *   rows      NULL, or receives what was looked at.
 *   progress  NULL, or called after each claim, with context.
 * Returns SINPOS_OK, also where claims do not hold; SINPOS_E_NULL; SINPOS_E_AXES for several coordinates; SINPOS_E_SHAPE
 * for n = 0, ld_table, ld_words or fewer than 2 words; SINPOS_E_VALUE for n_threads, an index past the last, a threshold
 * that is negative, infinite, or given for a claim whose threshold is derived, or words that are not finite or beyond
 * 2^100; SINPOS_E_CAPACITY where results has too little room; SINPOS_E_TYPE; SINPOS_E_RANGE as sinpos_fill(); SINPOS_E_OVERFLOW; SINPOS_E_MEMORY; SINPOS_E_STOPPED.
 * Results are then undefined.
 * Cost   all claims of 4096 x 512 elements take about 2 s; more elements hardly take longer, because rows are sampled.
 * Source docs/mathematics.md, section "Claims".  Since 0.1.
 */
SINPOS_API SINPOS_MUST_CHECK sinpos_status sinpos_check(const sinpos_check_input *input, const size_t *which,
                                                        size_t n_which, sinpos_claim_result *results,
                                                        sinpos_check_rows *rows, sinpos_progress *progress,
                                                        void *context);

/* --------------------------------------------------------------------------------------------- Identification */

/* Which table, and how to get at its rows. */
typedef struct sinpos_table {
    size_t n_dims;
    const size_t *shape;  /* (n_dims) row-major; the last is the number of columns, n_dims >= 2 */
    sinpos_type type;
    /* Writes rows first .. first + n - 1, of all the rows there are, one after the other, to `rows`. */
    sinpos_status (*read)(void *context, size_t first, size_t n, void *rows);
    void *context;
} sinpos_table;

/* How an array is to be seen, so that rows are positions. */
typedef enum sinpos_view {
    SINPOS_VIEW_ROWS = 0,          /* all dimensions but the last are rows */
    SINPOS_VIEW_SIDE_BY_SIDE = 1,  /* (2, n, d): two tables, cosines and sines, side by side */
    SINPOS_VIEW_INNER = 2,         /* (n, a, b, ...): the first dimension is rows, the others are columns */
    SINPOS_VIEW_CHANNEL_FIRST = 3  /* (..., C, n) or (1, C, H, W), (C, H, W): columns come first */
} sinpos_view;

/* Three nested loops number the columns: a coordinates, f frequencies, c sine and cosine; the outermost comes first. */
typedef enum sinpos_nest {
    SINPOS_NEST_AFC = 0, /* interleaved */
    SINPOS_NEST_ACF = 1, /* halves */
    SINPOS_NEST_CAF = 2,
    SINPOS_NEST_CFA = 3,
    SINPOS_NEST_FCA = 4,
    SINPOS_NEST_FAC = 5,
    SINPOS_NEST_PERMUTED = 6 /* no such order: see sin_column and cos_column */
} sinpos_nest;

typedef enum sinpos_law {
    SINPOS_LAW_GEOMETRIC = 0, /* theta_i = scale base^(-i / divisor) */
    SINPOS_LAW_LINEAR = 1,    /* theta_i = scale (1 + increment i) */
    SINPOS_LAW_LIST = 2       /* theta_i = theta[i] */
} sinpos_law;

/* What slows frequencies down to stretch a context. */
typedef enum sinpos_scaling { SINPOS_SCALING_NONE = 0, SINPOS_SCALING_YARN = 1, SINPOS_SCALING_LLAMA3 = 2 } sinpos_scaling;

#define SINPOS_IDENTITY_AXES 4
#define SINPOS_IDENTITY_RANGES 8
#define SINPOS_IDENTITY_LISTED 16

/* The frequencies and positions of one coordinate. */
typedef struct sinpos_identity_axis {
    sinpos_law law;
    size_t n_frequencies;
    double scale, base, divisor, increment;
                                /* list: base and divisor are those of the formula that most follow; 0 where none */
    double shift;               /* geometric: if not 0, scale is base^(-shift / divisor) and nothing else */
    double *theta;              /* (n_frequencies) in radians per unit, scale included */
    double start, step;         /* of the rows, unless positions are listed */
    size_t size, stride;        /* values of a grid, and after how many rows it moves on; 0, 0 without grid */
} sinpos_identity_axis;

/* One element that differs. */
typedef struct sinpos_identity_element {
    size_t row, column;
    double got, want;
} sinpos_identity_element;

/* Errors against the exact table, over some rows. */
typedef struct sinpos_identity_errors {
    size_t first_row, last_row;
    uint64_t elements, wrong;   /* those that are not the exact value, rounded once */
    uint64_t max_ulp;
    double max_abs_error;
} sinpos_identity_errors;

/* A convention, and the parameters with which it makes the table. */
typedef struct sinpos_identity_convention {
    const char *name;
    char *settings; /* "key=value" lines, values as JSON; parameters that have their defaults are left out */
    double published;       /* part of some rows' elements that the arithmetic of its source makes to one unit, ... */
    double published_equal; /* ... and to the last bit; -1 where this was not asked or is not known */
} sinpos_identity_convention;

/* What made a table. Rows and columns are those of the view. */
typedef struct sinpos_identity {
    int is_sinusoidal;
    double bits;                /* of evidence beyond what was chosen to fit; negative where chance explains it */
    double residual;            /* three quarters of the elements of the sample are this near to the fit */
    sinpos_view view;
    size_t n, dim;
    sinpos_type type;
    size_t rows_looked_at, rows_compared;
    /* columns */
    sinpos_nest nest;
    int cos_first, is_twice;    /* is_twice: each frequency has two pairs, as in tables for rotation */
    int is_twice_side_by_side;  /* the two pairs are neighbours, not halves */
    size_t first_column, width; /* of the waves; raw coordinates before, raw coordinates or padding after */
    size_t n_raw_first, n_raw_last, n_pad;
    double pad_value;
    double amplitude;
    size_t n_tones;
    ptrdiff_t *sin_column, *cos_column; /* (n_tones) SINPOS_NO_COLUMN where one is missing */
    size_t *tone_axis, *tone_index;
    /* rows and frequencies */
    size_t n_axes;
    sinpos_identity_axis axis[SINPOS_IDENTITY_AXES];
    sinpos_scaling scaling;     /* of a list: theta_i = base^(-i / divisor), slowed down */
    double scaling_factor, scaling_context;
    int scaling_truncate;       /* YaRN: the bounds of its ramp are whole */
    double *positions;          /* NULL, or (n, n_axes): rows that are not a range and no grid */
    size_t n_zero;              /* rows of zeros ... */
    size_t zero[SINPOS_IDENTITY_LISTED]; /* ... the first of them, and how many stand at the very beginning */
    size_t n_zero_first;
    /* errors */
    sinpos_identity_errors total, range[SINPOS_IDENTITY_RANGES];
    size_t n_ranges, worst_row, worst_column;
    double noise;               /* 0, or the standard deviation of what was added */
    uint64_t n_altered;         /* elements far from all the others' errors */
    sinpos_identity_element altered[SINPOS_IDENTITY_LISTED];
    const char *arithmetic;     /* roundings that reproduce the table best, "" where none does */
    double arithmetic_share;    /* part of the sample's elements they reproduce to the last bit */
    char arithmetic_also[200];  /* others that do as well */
    char arithmetic_name[100];  /* "as published by ..." */
    const sinpos_identity_convention *published; /* NULL, or the one whose source computes so */
    size_t n_conventions;       /* conventions of sinpos_conventions.h that make this table */
    sinpos_identity_convention *conventions;
    sinpos_plan *plan;          /* its tones; positions in units of the axes */
} sinpos_identity;

/*
 * sinpos_identify() - what made a table, from its elements alone.
 *
 * Columns are paired, pairs become angles, and angles are explained as frequency times position, modulo whole turns;
 * the exact table of the explanation is then compared with the rows: with all of them up to 2^22 elements, beyond with
 * 2^22 / dim rows, at least 512, in 64 blocks from the first row to the last. rows_compared says how many, and errors are
 * counted in these alone. Noise and a few altered elements do not disturb it.
 * It is a sinusoidal encoding if the elements determine more bits than the explanation chose.
 *
 *   out        receives what was found, also where is_sinusoidal is 0; NULL on error.
 *   table      only read. Rows are read in any order, some of them several times, and before each longer step; what
 *              read() returns ends the work unless it is SINPOS_OK. Calls come from the calling thread.
 *   n_threads  1 .. 1024; 0 stands for the number of processors.
 * Returns SINPOS_OK; SINPOS_E_NULL; SINPOS_E_SHAPE; SINPOS_E_TYPE; SINPOS_E_MEMORY; what table->read() returns.
 * Cost   O(dim) for range and grid: some hundredths of a second. O(n * dim) where positions are neither.
 * Source docs/mathematics.md.  Since 0.1.  Example: cli/identify/command_identify.c
 */
SINPOS_API SINPOS_MUST_CHECK sinpos_status sinpos_identify(sinpos_identity **out, const sinpos_table *table,
                                                           size_t n_threads);

/*
 * sinpos_identify_all() - the same, and compares every row, however many there are.
 * Arguments as sinpos_identify().
 * Returns as sinpos_identify().  Cost that of sinpos_identify(), and a fill and a comparison of the table.
 * Source docs/mathematics.md.  Since 0.1.  Example: cli/identify/command_identify.c
 */
SINPOS_API SINPOS_MUST_CHECK sinpos_status sinpos_identify_all(sinpos_identity **out, const sinpos_table *table,
                                                               size_t n_threads);

/*
 * sinpos_identity_rows() - the exact rows of what was found.
 *   first, n   rows of the view, below identity->n.
 *   type       element type.
 *   out        (n, dim) row-major.
 * Returns as sinpos_run(); SINPOS_E_RANGE; SINPOS_E_VALUE where nothing was found.
 * Cost   O(n * dim).  Source as sinpos_identify().  Since 0.1.
 */
SINPOS_API SINPOS_MUST_CHECK sinpos_status sinpos_identity_rows(const sinpos_identity *identity, size_t first, size_t n,
                                                                sinpos_type type, void *out, size_t n_threads);

/*
 * sinpos_identity_destroy() - free it; NULL is fine.
 * Returns nothing.  Cost O(1).  Source: none needed.  Since 0.1.
 */
SINPOS_API void sinpos_identity_destroy(sinpos_identity *identity);

#ifdef __cplusplus
}
#endif

#endif
