/*
 * sinpos_analysis.h - what is true of an encoding: curves over the offset, separation of positions, bases, structure.
 *
 * The second library, libsinpos-analysis. It reads plans and arrays and tells numbers; it prints nothing. Functions
 * that need a library which this build lacks return SINPOS_E_UNSUPPORTED: rigorous integrals and proofs about bases
 * need FLINT (with Arb), linear algebra needs LAPACK.
 *
 * Where a plan is asked for it has one coordinate, and what is meant by it are its tones, k = 0, 1, ..., n_tones - 1,
 * with frequencies theta_k in radians per position and amplitudes A_k. A tone that has both its columns is complete.
 *
 * docs/mathematics.md has the formulas, their proofs and what the literature says of them.
 */
#ifndef SINPOS_ANALYSIS_H
#define SINPOS_ANALYSIS_H

#include "sinpos.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ------------------------------------------------------------------------------------------------- Progress */

/*
 * Called now and then by functions that may take long, with the part done so far, 0 .. 1, always by the calling
 * thread. Returning anything but 0 stops the work, which then returns SINPOS_E_STOPPED.
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
 * Returns SINPOS_OK; SINPOS_E_NULL; SINPOS_E_SHAPE for several coordinates; SINPOS_E_RANGE as sinpos_fill();
 * SINPOS_E_MEMORY.  Error at most 1e-15 g(0), whatever k.
 * Cost   O(n * n_tones).  Source Su 2021, kexue.fm/archives/8231.  Since 0.1.
 */
SINPOS_API SINPOS_MUST_CHECK sinpos_status sinpos_kernel_values(const sinpos_plan *plan, const sinpos_rows *offsets,
                                                                double *g, size_t n_threads);

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

#ifdef __cplusplus
}
#endif

#endif
