/*
 * The window in which the fast kernels doubt a rounding to float: so many units in the last place of a double on both
 * sides of a tie, 28 zeros behind a 1 in the 29 bits that a float drops. bits + TIE_SHIFT has no bit of TIE_MASK
 * exactly in that window. docs/numerics.md, sections 3 and 7.
 */
#pragma once

#define TIE_WINDOW_LOG2 14  /* encodings */
#define TURN_WINDOW_LOG2 16 /* rotated pairs: wider, since their results are more often small beside their bounds */
#define TIE_SHIFT(window_log2) ((1 << (window_log2)) - (1 << 28))
#define TIE_MASK(window_log2) ((1 << 29) - (2 << (window_log2)))
