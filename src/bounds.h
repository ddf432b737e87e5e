/*
 * The bounds of docs/numerics.md, each in one place. Each changes with its proof: tests/oracle/error_budget.c computes
 * them again, and tests/oracle/near_ties.c puts values next to them.
 */
#pragma once

#include "kernels/ties.h"

/* ------------------------------------------------------------------------------- Errors, of amplitude 1 */

#define UNIT_BOUND 0x1p-50      /* [B1] sines and cosines evaluated directly */
#define DERIVATIVE_FACTOR 2     /* derivatives: of UNIT_BOUND times their weight */
#define ROTATED_FACTOR 2        /* [B3] rows of blocks, except for one part, no phase and amplitude 1 */
#define SLOPE_FACTOR 4          /* [B2] [B4] the sine of a small angle U p: of |U p| times the bound of the cosine */
#define DD_BOUND 0x1p-22        /* [B5] double-double: of what double has */
#define LADDER_DD_BOUND 0x1p-74 /* the same on the ladder, relative */
#define LADDER_DD_ANGLE 0x1p-90 /* what the angle may err by there, relative to the value */
#define SHIFT_DD_BOUND 0x1p-73  /* sinpos_shift(), of the sum of both sizes */
#define FLOAT_TURN_BOUND (1.09375 * 0x1p-22) /* [B9] pairs turned in float, of the larger of both */
#define FLOAT_ROW_BOUND (2.4375 * 0x1p-24)   /* [B10] [B11] rows in float, of amplitude 1 */
#define KEPT_BITS 298                        /* [B6] the frequencies and phases of a plan, relative */
#define CHAIN_STEPS 1024                     /* a geometric recurrence of frequencies starts again after so many */
#define TERMS_LOG2 2                         /* an angle's own product and its phase */
#define FURTHER_TERMS_LOG2 11                /* with further coordinates */

/* ------------------------------------------------------------------------------------- Rounding tests */

/*
 * What is further from zero than this many bounds is judged by its bits alone. F32: the bound is at most the window of
 * ties.h. F16, BF16: it is below half the last bit of the value as a float.
 */
#define LIMIT_F32 (0x1p53 / (1 << TIE_WINDOW_LOG2))
#define LIMIT_16 0x1p27
/* Pairs: results err by at most 2.5 [B8] times the bound of the cosines times the larger of both. */
#define TURNED_FACTOR 3
#define TURN_LIMIT_F32 (TURNED_FACTOR * (0x1p53 / (1 << TURN_WINDOW_LOG2)))
#define TURN_LIMIT_16 (TURNED_FACTOR * LIMIT_16)
/* Adding a bound rounds: so much more makes up for that; for pairs, for their products and sum as well. */
#define SUM_ROOM 1.125
#define TURNED_ROOM 1.5
#define RECIPROCAL_ROOM 1.125 /* double-doubles divided by the amplitude */
#define SUBNORMAL_ROOM 0x1.00001p0
/* The 16-bit types: less than this from a tie, results in float are not trusted, for products might vanish. */
#define LEAST_TIE_DISTANCE 0x1p-120f
#define MOST_TIE_DISTANCE                                                                                              \
    ((float)(FLOAT_TURN_BOUND * 0x1p126)) /* of a larger one the factor times the element may be 2^126 */
#define LEAST_FLOAT_BOUND 0x1p-150        /* bounds below it have no tie distance as a float */
/* Results in float are this many tie distances from zero at least: ties below a power of two are closer. */
#define TIE_QUARTERS(dropped) ((float)(1 << (25 - (dropped))))

/* Rows in float: value - E and this many E more hold the real value between them. */
#define FLOAT_ROW_WIDTH 2.203125
/* float16: with this E the interval is as wide as the floats are apart that 10 bits distinguish below 2^-14. */
#define FLOAT_ROW_LEAST_F16 0x1p-26

/* ------------------------------------------------------------------------------------------ Reduction */

/* Products of position and frequency that reduce() takes, in quarter turns; integers of one part. */
#define REDUCED_LIMIT 0x1p41
#define ONE_PART_LIMIT 0x1p40
#define FIXED_LIMIT 0x1p31 /* [B11] integers whose product with 64 bits of a frequency is an angle to 2^-34 turns */
#define LEAST_REAL 0x1p-300
/* Adding it rounds to eighths, whose number is in the lowest bits of the sum. */
#define MAGIC_EIGHTHS 0x1.8p49
