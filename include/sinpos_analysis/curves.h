/* curves.h - curves over the offset, their continuum, and the angles that other code rounds. Part of sinpos_analysis.h. */
#ifndef SINPOS_ANALYSIS_CURVES_H
#define SINPOS_ANALYSIS_CURVES_H

#include "progress.h"

#ifdef __cplusplus
extern "C" {
#endif

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

#ifdef __cplusplus
}
#endif

#endif
