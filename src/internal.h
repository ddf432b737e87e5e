/* What the folders of the core share: the plan, the ladder of roundings, the kernels. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "boundary.h"
#include "bounds.h"
#include "compiler.h"
#include "exact/wide.h"
#include "sinpos.h"
#include "test_hooks.h"
#include "threads.h"

enum {
    ALL_TYPES = SINPOS_F64 | SINPOS_F32 | SINPOS_F16 | SINPOS_BF16,
    LANES = 8,  /* tones are padded to a multiple of this, the widest vector of doubles */
    REACH = 16, /* rows of a block are its centre + r, |r| <= REACH */
    BLOCK = 2 * REACH + 1,
    LEAST_BLOCK_ROWS = 4, /* a block costs its anchors: fewer rows than this are cheaper one by one */
    CHUNK = 512,          /* tones worked on at a time: what stack buffers hold, */
    FEW = 128,            /* and where each tone takes more of the stack */
    CACHE_LINE = 64,
    EXACT_LIMBS = 5, /* frequencies are kept to 320 bits */
    LAST_LIMBS = 72, /* the last rung: 4608 bits */
    SUM_SPAN = 600,  /* the terms of a sum lie within this power of two, */
    SUM_LIMBS = 11   /* and 600 + 53 + 3 bits hold it exactly */
};

/* ------------------------------------------------------------------------------------------------ Errors */

/* status.c. A refusal of what `name` is: SINPOS_E_SPEC, which is returned. */
sinpos_status error_set(sinpos_error *error, const char *name, const char *message);
/* Can the caller's error, or NULL, be written to? */
bool error_is_fit(const sinpos_error *error);
/* Copies the library's own to the caller's; where that has another status, the usual sentence. Returns status. */
sinpos_status error_give(sinpos_error *error, sinpos_error *own, sinpos_status status);

/* ------------------------------------------------------------------------------------------------- Tones */

/* The caller's specification, checked, as the library's own. */
sinpos_status spec_read(sinpos_spec *own, const sinpos_spec *spec, sinpos_error *error);
size_t spec_frequencies(const sinpos_spec *spec);
void spec_tone(const sinpos_spec *spec, size_t i, sinpos_tone *tone);
void spec_tones(const sinpos_spec *spec, sinpos_tone *tones, size_t n);
sinpos_status tone_check(const sinpos_tone *tone, sinpos_error *error);
double sinpos_type_limit(sinpos_type type);

/* theta in turns per position, F, to n limbs: relative error <= 2^(4 - 64 n). n <= WIDE_LIMBS - 2. */
void tone_turns(size_t n, const sinpos_tone *tone, wide *turns);

/* spec.c. Can each of these types hold such an amplitude? */
sinpos_status amplitude_check(double amplitude, unsigned types, sinpos_error *error);

/* The phase in turns to n limbs: absolute error <= 2^(8 - 64 n) times the largest of its terms, all below 2^exponent. */
void tone_phase(size_t n, const sinpos_tone *tone, wide *turns);
int64_t tone_phase_exponent(const sinpos_tone *tone);
bool tone_has_phase(const sinpos_tone *tone); /* false: it is zero */
/* Its terms in radians, and those in turns except for phase_turns / phase_divisor; exact from SUM_LIMBS on. */
void tone_phase_radians(size_t n, const sinpos_tone *tone, wide *radians);
void tone_phase_turns(size_t n, const sinpos_tone *tone, wide *turns);

/* The sums that a tone may hold, to n limbs; exact from SUM_LIMBS on. */
void tone_value(size_t n, const sinpos_tone *tone, wide *r);
void tone_amplitude(size_t n, const sinpos_tone *tone, wide *r);
void listen_coefficient(size_t n, const sinpos_listen *listen, wide *r);
bool tone_amplitude_is_sum(const sinpos_tone *tone);
/* |amplitude| truncated to double, or infinity where it rounds to that. */
double tone_amplitude_size(const sinpos_tone *tone);
/* The two doubles nearest to the amplitude, for amplitudes within 2^+-300: error <= 2^-104 relative. */
void tone_amplitude_pair(const sinpos_tone *tone, double pair[2]);

/* A further coordinate's frequency in turns, to n limbs, as tone_turns(). */
void listen_turns(size_t n, const sinpos_tone *tone, const sinpos_listen *listen, wide *turns);

/* --------------------------------------------------------------------------------------------- Positions */

/* A position, exactly: an integer, or a double. */
typedef struct position {
    bool is_real;
    int64_t integer;
    double real;
    const int64_t *integers; /* all coordinates of its row, of one kind or the other, */
    const double *reals;     /* for tones that depend on several; both NULL where there is one */
} position;

/* A coordinate of a row. A real that is an integer becomes one: its angle is exact. */
position position_on(const int64_t *integers, const double *reals, size_t axis);
void wide_position(size_t n, position p, wide *r);
bool position_is_zero(position p);

/* -------------------------------------------------------------------------------------------------- Plan */

typedef enum column_pattern {
    COLUMNS_PAIRS, /* sine and cosine side by side, tone after tone */
    COLUMNS_SPLIT, /* sines side by side, cosines side by side */
    COLUMNS_LISTED /* anywhere, or missing */
} column_pattern;

/* Tones that depend on one coordinate and whose columns follow one pattern. */
typedef struct segment {
    size_t axis;
    size_t first; /* index into the plan's padded arrays, a multiple of LANES */
    size_t count;
    column_pattern pattern;
    bool cos_first;                   /* COLUMNS_PAIRS */
    ptrdiff_t sin_column, cos_column; /* of the first tone; COLUMNS_LISTED: see plan->tones */
} segment;

/* Tones of a segment that fit the buffers of a call: CHUNK or FEW, the last of a segment perhaps less. */
typedef struct piece {
    const segment *s;
    size_t first;  /* padded index */
    size_t offset; /* tones of the segment before it */
    size_t count, padded;
} piece;

/* The column where the sines of a piece begin, or its cosines. COLUMNS_PAIRS: where both do. */
static inline size_t piece_column(const piece *p, bool cosines)
{
    const segment *s = p->s;
    if (s->pattern == COLUMNS_PAIRS)
        return (size_t)(s->cos_first ? s->cos_column : s->sin_column) + 2 * p->offset;
    return (size_t)(cosines ? s->cos_column : s->sin_column) + p->offset;
}

/* F to EXACT_LIMBS limbs, relative error <= 2^-300. */
typedef struct exact_turns {
    int sign;
    int64_t exponent;
    uint64_t limb[EXACT_LIMBS];
} exact_turns;

/* A further coordinate that a tone depends on; u and r as in the plan. */
typedef struct further {
    size_t axis;
    exact_turns turns;
    double u[3], r[3];
} further;

/* What only plans have of which some tone has more. */
typedef struct plan_more {
    sinpos_tone_more *tones; /* (n_more), what plan->tones[].more point to */
    sinpos_listen *listens;  /* (n_further), what those point to */
    further *further;        /* (n_further) in the order of the padded tones */
    size_t *further_of;      /* (n_padded + 1): those of tone i end where those of i + 1 begin */
    double *amplitude_low;   /* (n_padded): what plan->amplitude leaves over */
} plan_more;

/*
 * Arrays over padded tones, LANES-aligned. Angles are in quarter turns: u = 4 F = u[0] + u[1] + u[2]; r is u mod 4,
 * nearest 0, for integer positions. bound is the absolute error E of a double result, amplitude included; infinite
 * for tones that the fast kernels cannot do.
 */
struct sinpos_plan {
    size_t dim, n_axes, n_tones, n_padded, n_segments, n_zero_columns, bytes;
    size_t n_more, n_further;
    unsigned types;
    double largest_amplitude;
    double largest_u; /* max |u| over the tones with a finite bound */
    bool has_phase;
    bool has_slow;      /* some bound is infinite */
    sinpos_tone *tones; /* (n_tones) in the user's order */
    uint32_t *tone_of;  /* (n_padded) index into tones; UINT32_MAX for padding */
    exact_turns *turns; /* (n_padded) */
    segment *segments;
    uint32_t *zero_columns;
    double *u[3], *r[3];
    uint64_t *turn_bits;   /* F modulo 1, times 2^64; only with SINPOS_BF16 */
    double *phase[2];      /* quarter turns; this and the next two are NULL if no tone has one */
    double *phase_rest;    /* its distance from a whole number of eighths of a quarter turn, */
    double *phase_eighths; /* and that number, as 1.5 2^49 + number / 8 */
    double *amplitude, *bound;
    double *slope;                       /* 4 |u| bound: the sine's error is also below slope |position| */
    double *u_after;                     /* (n_padded / LANES) largest |u| of this vector of tones and those after it */
    bool unit_amplitude;                 /* all of them are 1, and no bound is infinite */
    double *rotation_sin, *rotation_cos; /* (REACH + 1, n_padded): sin and cos of r theta */
    float *rotation_sin_low, *rotation_cos_low;       /* what the doubles leave over; only with SINPOS_F64 */
    float *rotation_sin_floats, *rotation_cos_floats; /* the doubles as floats; only with SINPOS_F16 or SINPOS_BF16 */
    plan_more *more;                                  /* NULL where no tone has more */
};

static inline size_t padded_count(size_t n)
{
    return (n + LANES - 1) / LANES * LANES;
}

/* segments.c. Indices of the tones, stably sorted by coordinate; false if memory is short. */
bool tones_sort(const sinpos_tone *tones, size_t n, size_t n_axes, uint32_t *list);
/* The sorted tones as segments, of which there is room for n. */
void segments_lay_out(const sinpos_tone *tones, const uint32_t *list, size_t n, segment *segments, size_t *n_segments,
                      size_t *n_padded);
/* plan_numbers.c. All that follows from the tones and their order. */
void plan_set_numbers(sinpos_plan *plan);

/* The piece after *p, which begins as zeros, of at most `most` tones; false after the last. Inline, for short rows. */
static inline bool plan_next_piece(const sinpos_plan *plan, size_t most, piece *p)
{
    const segment *s = p->s;
    size_t offset = p->offset + p->count;
    if (plan->n_segments == 0)
        return false;
    if (s == NULL || offset == s->count) {
        s = s == NULL ? plan->segments : s + 1;
        offset = 0;
    }
    if (s == plan->segments + plan->n_segments)
        return false;
    const size_t left = s->count - offset, count = left < most ? left : most;
    *p = (piece){.s = s, .first = s->first + offset, .offset = offset, .count = count, .padded = padded_count(count)};
    return true;
}

/* coordinates.c. Does one of n padded tones depend on several coordinates? */
bool listens_further(const sinpos_plan *plan, size_t first, size_t n);
/*
 * The phases of n padded tones with what their further coordinates add at the position p: quarter turns as two doubles,
 * and arranged as plan->phase_rest, plan->phase_eighths. |error| < 2^-90.
 */
void further_phases(const sinpos_plan *plan, size_t first, size_t n, position p, double *const phase[2], double *rest,
                    double *eighths);

/* turns.c. 2^shift F as a wide number, and back. */
void turns_to_wide(const exact_turns *f, int64_t shift, wide *w);
void turns_from_wide(exact_turns *kept, const wide *f);
/* 2^shift * 4 F modulo 4, nearest 0, as doubles that add up to it. */
void plan_quarters(const exact_turns *f, int64_t shift, double *parts, size_t count);

/* ------------------------------------------------------------------------------------ Rounding one element */

/* theta in radians, rounded once to double. */
double element_theta(const sinpos_tone *tone);

/* value = amplitude * weight * f(angle): f is sine or cosine, perhaps negated; weight is 1, theta or p. */
typedef struct element {
    bool cosine, negated;
    sinpos_operation operation; /* FILL: weight 1; GRADIENT_POSITION: theta; GRADIENT_THETA: p */
} element;

double round_wide(size_t n, const wide *a, sinpos_type type);

/* The element of the type nearest to the real value, as a double (every type embeds in double). */
double element_round(const sinpos_plan *plan, size_t padded, position p, element e, sinpos_type type);

/* How often the amplitude is a factor of an element. */
typedef enum amplitude_power { AMPLITUDE_INVERSE = -1, AMPLITUDE_NONE = 0, AMPLITUDE_ONCE = 1 } amplitude_power;

/* The nearest to amplitude^power (u cos(phase + p theta) + v sin(phase + p theta)). */
double element_turn(const sinpos_plan *plan, size_t padded, position p, amplitude_power power, double u, double v,
                    sinpos_type type);

/* The nearest to u cos(k theta) + v sin(k theta); no phase, no amplitude. */
double element_rotate(const sinpos_plan *plan, size_t padded, int64_t k, double u, double v, sinpos_type type);

/* sin and cos of k theta as double-doubles, |error| <= 2^-74; false where 320 bits of theta do not give that. */
bool element_sincos(const sinpos_plan *plan, size_t padded, int64_t k, double sine[2], double cosine[2]);

/* RN of x (a double) in the type, and the bits of a double that the type can hold. */
double round_double(double x, sinpos_type type);
void store_element(void *out, size_t index, double value, sinpos_type type);
double load_element(const void *in, size_t index, sinpos_type type);

/* Memory for one element of any type, or for n of them, as what C calls objects of each. */
typedef union any_element {
    double f64;
    float f32;
    uint16_t f16;
} any_element;

#define ANY_ELEMENTS(n)                                                                                                \
    union {                                                                                                            \
        double f64[n];                                                                                                 \
        float f32[2 * (n)];                                                                                            \
        uint16_t f16[4 * (n)];                                                                                         \
    }

/* RN of high + low in the type: the sum is rounded once. */
double round_sum(double high, double low, sinpos_type type);

/* ----------------------------------------------------------------------------------------------- Kernels */

/*
 * The angles of one position over many tones, in quarter turns: low_position * low[] + high_position * high[]
 * (+ phase). An integer position that does not fit 2^40 is high_position * 2^32 + low_position.
 */
typedef struct angles {
    double low_position, high_position;
    const double *low[3], *high[3]; /* high[0] NULL: one part only; [2] is used by the double-double kernels */
    const uint64_t *turns;          /* of low_position, an integer: plan->turn_bits; else NULL */
    const double *phase[2];         /* phase[0] NULL: none */
    const double *phase_rest, *phase_eighths;
    const double *amplitude, *bound, *slope, *u[2];
    const double *amplitude_low; /* NULL for none; for the double-double kernels */
    bool unit_amplitude;         /* every amplitude is 1 and every bound finite */
    sinpos_operation operation;  /* FILL, or a gradient */
    double weight[2];            /* GRADIENT_THETA: the position as high + low */
    double reach;                /* largest |position| that the bound of the sine must cover */
    bool bound_is_absolute;      /* the sine's bound does not shrink with the angle, for any tone */
    size_t n_absolute;           /* nor for the first of them, a multiple of LANES */
    size_t n;                    /* tones, a multiple of LANES */
} angles;

/*
 * What the angles of a piece of tones need beside the plan, where rows_go_far(). 2^32 times the frequencies, in quarter
 * turns: for integers of two parts. Phases of one row: for further coordinates.
 */
typedef struct high_parts {
    ALIGNED(64) double u[3][FEW];
    ALIGNED(64) double phase[2][FEW], phase_rest[FEW], phase_eighths[FEW];
    size_t of; /* padded index that u[] was made for; SIZE_MAX: none */
} high_parts;

/* Do rows with positions up to `largest` in size need high_parts? */
bool rows_go_far(const sinpos_plan *plan, double largest);
/* What all positions share: the angles of `padded` tones from padded index `first` on, operation FILL. */
angles plan_angles(const sinpos_plan *plan, size_t first, size_t padded);
/* Sets the position; false where the kernels' reduction would not hold. It holds for every integer. */
bool angles_at(const sinpos_plan *plan, size_t first, position at, high_parts *high, angles *a);
void angles_at_integer(const sinpos_plan *plan, size_t first, int64_t at, high_parts *high, angles *a);

/* Who recomputes what a rounding test refuses. */
typedef struct redo {
    const sinpos_plan *plan;
    size_t first; /* padded index of lane 0 of the arrays */
    sinpos_type type;
    sinpos_operation operation; /* FILL, or a gradient */
    sinpos_direction direction; /* of pairs */
    position p;
} redo;

/* The element in the sine's column of a tone, or the cosine's, at the position p + offset. */
double element_in_column(const redo *what, int64_t offset, size_t padded, bool cosine_column);

/* Lanes of mask_sin, mask_cos: sine[], cosine[] get the rounded elements. The position is p + offset. */
void element_redo(const redo *what, int64_t offset, size_t lane, unsigned mask_sin, unsigned mask_cos, double *sine,
                  double *cosine);

/*
 * F16, BF16: sine[], cosine[] hold results of the kernels within e_sine[], e_cosine[] of the real values. They become
 * elements, or floats that round to the elements; by element_round() where that is in doubt.
 */
void element_settle(const redo *what, int64_t offset, size_t lane, size_t lanes, double *sine, double *cosine,
                    const double *e_sine, const double *e_cosine);

/* What rows in float are made of: docs/numerics.md, section 3. sine NULL: they are not. */
typedef struct anchor_floats {
    float *sine, *cosine, *minus_e; /* minus_e: -E of the sines, */
    double scale, least_e;          /* which is least_e at least where it is not 0; scale: of the bounds, see [B3] */
} anchor_floats;

/* What is kept of a block's centre when its row is made, for the others. */
typedef struct centre_parts {
    double *sine, *cosine, *bound_sin;
    float *limit;
} centre_parts;

/* Scaled sines and cosines of one position; the low halves only for the double-double kernels. */
typedef struct anchor {
    const double *sine, *cosine, *sine_low, *cosine_low;
    const double *bound_sin, *bound_cos;
    const float *limit;   /* 2 n; not for F64: what is smaller in size is not judged by its bits */
    double bound;         /* of all cosines, where bound_cos is NULL or */
    anchor_floats floats; /* rows are made in float */
} anchor;

/* Where a row's two components go. COLUMNS_PAIRS: first alone, 2 n elements, and second is NULL. */
typedef struct destination {
    void *first, *second;
    /* STORE_SUM: what is added to, here or elsewhere; STORE_STREAM: room for the second of two rows, where it is made */
    void *first_operand, *second_operand;
    const char *ahead; /* STORE_SUM: memory that is wanted next, fetched while this row is computed */
    bool cos_first;
    enum {
        STORE,
        STORE_STREAM,
        STORE_SUM
    } store; /* past the cache; added to what is there, only by rotate_kernel of F32 */
} destination;

typedef struct rotation {
    const double *sine, *cosine; /* of r theta */
    const float *sine_low, *cosine_low, *sine_floats, *cosine_floats;
    int64_t r;
} rotation;

/* Rows centre + r and centre - r; count tones of them. pairs: COLUMNS_PAIRS, else COLUMNS_SPLIT. */
typedef void rotate_kernel(bool pairs, const anchor *centre, const rotation *by, size_t count, const destination *up,
                           const destination *down, const redo *what);
/* The row of a block's centre, stored ordinarily. One part, no phase, amplitudes of 1. */
typedef void centre_kernel(bool pairs, const angles *a, size_t count, const centre_parts *keep, const destination *out,
                           const redo *what);
/* The row of one position. */
typedef void direct_kernel(bool pairs, const angles *a, size_t count, const destination *out, const redo *what);

/*
 * The factors by which pairs turn: u, in the cosine's column, and v become u cosine - v sine and v cosine + u sine.
 * Amplitude and direction are in the factors.
 */
typedef struct pair_factors {
    const double *sine, *cosine, *sine_low, *cosine_low; /* the low halves only for F64 */
    const double *bound_sin, *bound_cos;
    const float *sine_floats, *cosine_floats; /* F16 and BF16: the same rounded, */
    const float *tie_limit;                   /* and the bound of float results, of the larger of |u|, |v| */
    const float *limit; /* not for F64: results below it times the larger of |u|, |v| are not judged by their bits */
} pair_factors;

/* Pairs, their results within e_u, e_v of the real values (not for F64), and the masks of those in doubt. */
typedef struct pair_lanes {
    double u[LANES], v[LANES], new_u[LANES], new_v[LANES], e_u[LANES], e_v[LANES];
    unsigned mask_u, mask_v;
} pair_lanes;

/* The rotated element in the cosine's column of a tone, or the sine's, where `own` lies, with `other` in its pair. */
double turned_element(const redo *what, size_t padded, double own, double other, bool cosine_column);
/* Lanes of mask_u, mask_v: new_u[], new_v[] get the rounded elements. */
void turned_redo(const redo *what, size_t lane, pair_lanes *pairs);

/* The tones' columns in every head of a row: where they come from and go to. */
typedef struct heads {
    destination from, to;             /* of the first head */
    size_t n, from_stride, to_stride; /* bytes */
} heads;

typedef void turn_kernel(bool pairs, const pair_factors *by, size_t count, const heads *x, const redo *what);
/* As many elements, wanted later and fetched meanwhile: to be read, and unless NULL to be written. */
typedef struct fetched {
    const char *read, *written;
} fetched;

/* to[i] = round(x[i] + e[i]); to may be x. */
typedef void add_kernel(void *to, const void *x, const void *e, size_t n, const fetched *later);

enum { KERNEL_F64, KERNEL_F32, KERNEL_F16, KERNEL_BF16, KERNEL_TYPES };

static inline int kernel_of(sinpos_type type)
{
    return type == SINPOS_F64   ? KERNEL_F64
           : type == SINPOS_F32 ? KERNEL_F32
           : type == SINPOS_F16 ? KERNEL_F16
                                : KERNEL_BF16;
}

typedef struct kernels {
    bool rows_in_float; /* those of blocks, of 16-bit types */
    void (*anchor)(const angles *a, double *sine, double *cosine, double *bound_sin);
    /* amplitudes of 1 */
    void (*anchor_floats)(const angles *a, double *sine, double *cosine, double *bound_sin,
                          const anchor_floats *floats);
    void (*anchor_dd)(const angles *a, double *sine, double *sine_low, double *cosine, double *cosine_low,
                      double *bound_sin);
    /* anchor.limit, from the bounds of both and arranged as the columns are; not for F64 */
    void (*limits)(int type, bool pairs, bool cos_first, const double *bound_sin, const double *bound_cos, float *limit,
                   size_t n);
    centre_kernel *centre_f32;
    rotate_kernel *rotate[KERNEL_TYPES];
    direct_kernel *direct[KERNEL_TYPES];
    add_kernel *add[KERNEL_TYPES];
    void (*stream)(void *to, const void *from, size_t bytes);
    void (*narrow)(const double *from, size_t n, float *to);
    /* sines (times sign) and cosines of a row of a block; |by->r| is the row of the tables */
    void (*compose)(const anchor *centre, const rotation *by, size_t n, double sign, double *sine, double *cosine);
    turn_kernel *turn[KERNEL_TYPES];
} kernels;

/* The second of a set has no rows in float: to compare with. */
extern const kernels kernels_scalar[1], kernels_avx2[2], kernels_avx512[3], kernels_neon[2];

/* kernels_avx512_bf16.c, for the third of avx512. */
direct_kernel direct_bf16_native;

const kernels *kernels_active(void);

/* Should rows be stored past the cache? large: they fill more than is likely to stay there. */
bool stores_pass_cache(bool large);

/* ------------------------------------------------------------------------------------------ Arguments */

/* Is an (n, dim) array of row stride ld addressable? */
sinpos_status check_array(size_t n, size_t dim, size_t ld, size_t bytes);
sinpos_status check_type(const sinpos_plan *plan, sinpos_type type);
/* The caller's rows as the library's own. */
sinpos_status rows_read(sinpos_rows *own, const sinpos_rows *rows);
/* *largest becomes the largest size of a position. */
sinpos_status check_positions(const sinpos_plan *plan, const sinpos_rows *rows, double *largest);
/* Has every tone both columns, and can it be turned so? *divides: by amplitudes that are not all 1. */
sinpos_status check_pairs(const sinpos_plan *plan, sinpos_direction direction, bool *divides);
/* Are n rows of n_heads heads of dim elements addressable, and no element in two of them? */
bool heads_apart(size_t dim, size_t n, size_t n_heads, size_t ld_row, size_t ld_head, size_t bytes);

/* ----------------------------------------------------------------------------------------------- Rows */

/* The position of a row on a coordinate; reals that are integers become integers, whose angles are exact. */
position rows_position(const sinpos_plan *plan, const sinpos_rows *rows, size_t row, size_t axis);

/* The position of a row on the only coordinate; no reals. */
int64_t rows_integer(const sinpos_rows *rows, size_t row);

/* Can rows be rotated from the centres of blocks, where their positions are consecutive? */
bool rows_make_blocks(const sinpos_plan *plan, const sinpos_rows *rows);

/* How many rows from this one on, `most` at most, have consecutive positions; 0 where blocks would leave the integers. */
size_t rows_in_run(const sinpos_rows *rows, size_t row, size_t most);

/*
 * How many of `count` rows from position p on to take together, and their centre. Position 0 goes alone: there every
 * sine is zero, which a difference of products would only be nearly.
 */
size_t rows_in_block(int64_t p, size_t count, int64_t *centre);

/* Streaming stores of one thread become visible to others. */
void stream_fence(void);
