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

#include "sinpos_analysis/bases.h"
#include "sinpos_analysis/claims.h"
#include "sinpos_analysis/curves.h"
#include "sinpos_analysis/diff.h"
#include "sinpos_analysis/frequencies.h"
#include "sinpos_analysis/identify.h"
#include "sinpos_analysis/progress.h"
#include "sinpos_analysis/separation.h"
#include "sinpos_analysis/structure.h"

#ifdef __cplusplus
extern "C" {
#endif

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

#ifdef __cplusplus
}
#endif

#endif
