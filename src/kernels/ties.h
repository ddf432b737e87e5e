/*
 * The window in which the fast kernels doubt a rounding to float: 2^14 units in the last place of a double on both
 * sides of a tie, 28 zeros behind a 1 in the 29 bits that a float drops. bits + TIE_SHIFT has no bit of TIE_MASK
 * exactly in that window. docs/numerics.md, section 3.
 */
#ifndef SINPOS_TIES_H
#define SINPOS_TIES_H

#define TIE_WINDOW_LOG2 14
#define TIE_SHIFT ((1 << TIE_WINDOW_LOG2) - (1 << 28))
#define TIE_MASK ((1 << 29) - (2 << TIE_WINDOW_LOG2))

#endif
