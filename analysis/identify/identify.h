/*
 * identify.h - what the files of sinpos_identify share.
 *
 * A table is looked at in this order. identify_narrow.c reads it as the type that its elements have. identify_sample.c
 * takes some of its rows as doubles. identify_layouts.c lists ways to pair its columns, (sine, cosine) of one
 * frequency, and to share the pairs among coordinates; those whose pairs lie on circles are kept. identify_fit.c turns
 * pairs into angles; identify_solve.c finds frequencies and positions with angle = frequency * position, modulo whole
 * turns, identify_start.c those of consecutive rows far away, identify_turns.c and identify_nearest.c those of rows in no order; identify_merge.c joins coordinates that are
 * one, identify_tones.c finds what does not follow them, identify_schedule.c says frequencies as a formula.
 * identify_rounded.c reads positions off rows that repeat, identify_angles.c frequencies off angles of sixteen bits,
 * identify_alone.c both off cosines that have no sines.
 * identify_rows.c says positions as a range, a grid or a list, identify_settle.c to the last digit where it is a list;
 * identify_list.c does so for listed frequencies, identify_lists.c for both together, identify_formula.c and
 * identify_room.c for the numbers of a formula. identify_evidence.c weighs what speaks for a fit, identify_model.c
 * makes the exact rows. identify_scaling.c knows how frequencies are slowed down. identify_verify.c compares rows,
 * identify_arithmetic.c replays known roundings, identify_published.c those of the conventions that fit.
 * identify_trial.c compares conventions with the array, identify_conventions.c those that fit what was found,
 * identify_source.c all of them where nothing was; identify_parameters.c proposes their values, identify_settings.c
 * writes these down. identify_instead.c lists frequencies where a formula makes too few elements. identify_frequencies.c finds the
 * formula of a list alone. identify_mend.c looks
 * again where much is left: identify_undo.c proposes dropout and a constant, identify_signs.c signs, identify_off.c
 * rows and columns to leave out, identify_match.c columns one by one, identify_orders.c copies, orders and ends,
 * identify_circles.c what lies on one circle, identify_left.c what no part holds. identify_proof.c makes the elements again with all that was named, and
 * counts what is left. The verdict is is_good()'s, from the fit; is_refuted() takes it back where the comparison of all
 * rows speaks against it (both in identify_one.c).
 */
#pragma once

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "complete_tones.h"
#include "two_pi.h"

#define ID_MOST_AXES 4

/* -------------------------------------------------------------------------------------------------- views */

/* A table as n rows of dim columns. */
typedef struct id_view {
    sinpos_view kind;
    size_t n, dim;
    sinpos_type type;
    const sinpos_table *table;    /* rows are read from it ... */
    char *data;                   /* ... or lie here, rearranged */
    const struct id_match *match; /* NULL, or what is done to its columns: samples have it undone */
} id_view;

/*
 * The i-th of some rows, from the first to the last. Rows evenly apart would have equal coordinates all through a square
 * grid of the wrong size, so every second one comes earlier.
 */
static inline size_t id_spread_row(const id_view *view, size_t n, size_t i)
{
    const size_t last = view->n - 1, even = n == 1 ? 0 : i * last / (n - 1), gap = n == 1 ? 0 : last / (n - 1);
    return i % 2 == 0 || i + 1 == n ? even : even - gap / 3;
}

sinpos_status id_view_make(id_view *view, const sinpos_table *table, sinpos_view kind, bool *is_possible);
sinpos_status id_view_read(const id_view *view, size_t first, size_t n, void *rows);
/* One row as doubles. */
sinpos_status id_read_row(const id_view *view, size_t row, double *x);

/* ------------------------------------------------------------------------------------------- narrow tables */

/* A table, read as the 16-bit type that its elements are numbers of. */
typedef struct id_narrow {
    const sinpos_table *wide;
    sinpos_table table; /* the wide one itself where its elements are not */
} id_narrow;

/* own stays where it is while its table is used. */
sinpos_status id_narrow_table(id_narrow *own, const sinpos_table *table);
/* Of elements that are all whole multiples of it: few sizes, each many times. 0 where they are not. */
sinpos_status id_find_step(const sinpos_table *table, double *step);

/* ------------------------------------------------------------------------------------------------- sample */

/* Some rows of the table as doubles; rows of zeros and rows that are not finite are left out. */
typedef struct id_sample {
    size_t n, dim;
    size_t n_all;    /* rows of the table */
    size_t *row;     /* (n) their numbers, ascending */
    double *x;       /* (n, dim) */
    double *raw;     /* (n, dim) as they lie in the table; x itself unless something was done to it */
    double unit;     /* relative rounding of the type, 2^-24 for float32 */
    double flat;     /* errors of small elements too, as where a constant was taken away; per amplitude */
    size_t n_zero;   /* rows of zeros among those looked at ... */
    size_t *zero;    /* ... and their numbers */
    size_t n_looked; /* rows looked at */
    const sinpos_table *table;
    size_t *work; /* NULL, or angles that all proposals may yet look at in search of turns */
    blocks memory;
} id_sample;

/* Who reads the rows can end the work: a row is asked for before each longer step. */
sinpos_status id_ask(const sinpos_table *table);
sinpos_status id_sample_take(id_sample *sample, const id_view *view);
void id_sample_free(id_sample *sample);

/* ------------------------------------------------------------------------------------------------ layouts */

/* Which columns are the sine and the cosine of one frequency, which its coordinate, which frequency it is. */
typedef struct id_layout {
    sinpos_nest nest;
    bool cos_first;
    size_t first, width; /* the columns that hold waves */
    size_t n_axes, n_tones;
    size_t n_frequencies[ID_MOST_AXES];
    double axis_width[ID_MOST_AXES]; /* columns of an axis: where they lie in turn, its share of all */
    bool is_twice;                   /* rotary tables: each frequency has two pairs */
    ptrdiff_t *sin_column;           /* (n_tones) SINPOS_NO_COLUMN where an odd width lacks it */
    ptrdiff_t *cos_column;
    size_t *axis, *index;
    double circle; /* typical |sine^2 + cosine^2 - amplitude^2| / amplitude^2 ... */
    double worst;  /* ... and the largest; infinite where columns lack a partner */
    double amplitude;
} id_layout;

/* Columns, axes and indices of n tones. */
sinpos_status id_layout_make(id_layout *layout, size_t n);
void id_layout_free(id_layout *layout);
/* Three columns: one pair, and half of another. */
bool id_has_one_pair(const id_layout *layout);
/* The order of pairs of one coordinate, fast to slow. */
sinpos_nest id_nest_of(const id_layout *layout);
/* Columns at the end that are 0 in every one of several rows. */
size_t id_zero_columns(const id_sample *sample);
/* The one value of a column, unknown ones aside; NaN where there are several. */
double id_constant(const id_sample *sample, size_t column);
/* Layouts whose pairs lie on circles, simplest first; the caller frees each and the list. */
sinpos_status id_layouts(const id_sample *sample, bool only_twice, id_layout **layouts, size_t *n_layouts);
/* Pairs from the columns themselves, whatever their order. n_tones is 0 if too few columns have partners. */
sinpos_status id_layout_permuted(const id_sample *sample, id_layout *layout);

/* ----------------------------------------------------------------------------------------------- problems */

/* Angles of m frequencies in n rows, NaN where there is none, and how sure they are. */
typedef struct id_problem {
    size_t m, n;
    size_t m_all;      /* tones of the schedule, where these are the first of more; else m */
    double *angle;     /* (n, m) in -pi .. pi */
    size_t *order;     /* (m) tones from slow to fast */
    double unit;       /* of the type, relative */
    double noise;      /* absolute, beyond unit */
    double growth;     /* of errors with angles before whole turns went, as where these are float32 */
    size_t *left;      /* NULL, or how many angles may yet be looked at in search of turns */
    double first;      /* where the first row is about, or 0 */
    bool is_scattered; /* no row is near the one before: each is searched for */
    bool is_steady;    /* rows are steps apart: none is far from all others */
    blocks memory;
} id_problem;

typedef enum id_family { ID_GEOMETRIC, ID_LINEAR, ID_FREE } id_family;

/* theta_i = exp(-slope i) or 1 + slope i; or a list. */
typedef struct id_guess {
    id_family family;
    double slope;
    double error; /* of a slope that is known roughly */
} id_guess;

typedef struct id_solution {
    id_guess guess;
    double slope_error; /* of slope, generous */
    double *theta;      /* (m), theta_0 = 1 unless free */
    double *p;          /* (n) positions, in units of 1 / theta_0 */
    double residual;    /* three quarters of the angles are this near */
    blocks memory;
} id_solution;

static inline double id_wrap(double angle)
{
    const double whole = angle / TWO_PI + 0x1.8p52; /* rounds to an integer, if there are fewer than 2^51 turns */
    return angle - TWO_PI * (whole - 0x1.8p52);
}

/* How far an angle may be from the truth, given the angle as it is read and as it was before whole turns went. */
static inline double id_sigma(const id_problem *problem, double angle, double full)
{
    const double size = fabs(angle), far = problem->growth * fabs(full); /* fmin is a call */
    return problem->unit * (size < 1 ? size : 1) + problem->noise + (far < 0.01 ? far : 0.01) + 1e-16;
}

sinpos_status id_problem_make(id_problem *problem, size_t m, size_t n);
/* m of its tones, every stride-th from the first on. */
sinpos_status id_problem_part(id_problem *some, const id_problem *problem, size_t m, size_t stride);
/* theta and p for a problem; the rest stays. blocks_free(&solution->memory) frees them, and those of a problem alike. */
sinpos_status id_solution_make(id_solution *solution, const id_problem *problem);
/* The first m frequencies of a schedule. */
void id_make_theta(const id_guess *guess, double *theta, size_t m);

/* How often the slowest frequency may have turned; beyond, positions are not looked for. */
#define ID_MOST_TURNS 60000

/* Angles that are looked at in search of turns; an encoding takes a fifth of it, a mask of zeros and ones any number. */
#define ID_MOST_ANGLES ((size_t)1 << 22)

/*
 * Positions of all rows for given frequencies; `turns` is how far to search for the first. Returns the residual: three
 * quarters of the angles are within so many sigma.
 */
double id_positions(const id_problem *problem, const double *theta, long turns, double *p, double *room);
/* The same, near positions that are known. */
double id_follow(const id_problem *problem, const double *theta, double *p, double *room);
/* A geometric schedule from one row at any position, whose slowest tones may have turned. room: (m) */
bool id_guess_by_turns(id_guess *guess, const id_problem *problem, double *room);
/* Any frequencies, the first one 1, from rows at positions in no order. */
sinpos_status id_solve_nearest(double *theta, const id_problem *problem, bool *is_found);
/* Finds schedule and positions. What is known of the schedule comes first, and is searched for most turns. */
sinpos_status id_solve(id_solution *solution, const id_problem *problem, const id_guess *known);
/* A tone of consecutive rows: its angle in the middle of them, modulo turns, and by how much it grows from row to row. */
typedef struct id_steady {
    double angle, angle_error, step, step_error;
    double index; /* which frequency it is */
} id_steady;

typedef struct id_start {
    double slope, slope_error; /* theta_i = exp(-slope i), ... */
    double angle;              /* ... and the angle of theta_0 in the middle, whole turns included */
    double bits;               /* that speak for it, beyond what was tried */
} id_start;

/*
 * From tones in order, fast to slow, the first of which may have made any number of turns; angles are known modulo `turn`,
 * and `middle` is in rows. room: (n)
 */
id_start id_find_start(const id_steady *tone, size_t n, double turn, double middle, double *room);
/* The same for a problem whose rows are steps apart; residual is infinite where nothing is found. */
sinpos_status id_solve_steady(id_solution *solution, const id_problem *problem, const id_problem *steps,
                              const size_t *row, double *bits);
/* The slope again, from all angles, with positions. */
void id_refine(id_solution *solution, const id_problem *problem, double *room);
/* Slope and positions again, as where errors do not grow, if that is nearer. */
sinpos_status id_sharpen(id_solution *solution, id_problem *problem);
/* Angles from one row to the next where rows are steps apart: one row of them. n is 0 where rows are irregular. */
sinpos_status id_steps(id_problem *steps, const id_problem *problem, const size_t *row);

/* -------------------------------------------------------------------------------------------------- fits */

/* theta_i = scale base^(-i / divisor), rounded to so many significant bits. */
typedef struct id_rounded_law {
    double scale, base, divisor;
    int bits;
} id_rounded_law;

/* A layout with its frequencies and the positions of some rows. */
typedef struct id_fit {
    id_layout layout;
    size_t n_rows;
    size_t *at;                  /* (n_rows) which rows of the sample */
    double *theta[ID_MOST_AXES]; /* (n_frequencies) theta_0 = 1 unless the family is free */
    id_guess guess[ID_MOST_AXES];
    double slope_error[ID_MOST_AXES];
    double *p[ID_MOST_AXES];      /* (n_rows) */
    size_t n_free[ID_MOST_AXES];  /* frequencies that are not where the schedule has them, ... */
    size_t n_cheap[ID_MOST_AXES]; /* ... and those of them that are 0, or as slow as the one before */
    bool is_steady;               /* one step from each row to the next */
    bool is_alone;                /* cosines without sines, or the other way: rows are read by id_alone_positions() */
    int rounded_to;               /* 0, or significant bits of positions rounded_start + row ... */
    double rounded_start;         /* ... of which fit rows are distinct */
    bool has_rounded_angles;      /* products and elements are rounded to as many, and so are frequencies ... */
    id_rounded_law law;           /* ... of this law, where the family is not free */
    double noise, flat;
    double error;  /* three quarters of the elements are this near, per amplitude */
    double bits;   /* evidence, less what was chosen to fit, and: */
    double beside; /* part of bits that is for padding: it ranks layouts, and is not evidence of waves */
} id_fit;

void id_fit_free(id_fit *fit);
/* A frequency that is so far off is not the one of the schedule. */
#define ID_BAD_SIGMAS 100

/* Rows that frequencies are found from: n_rows and at. */
sinpos_status id_fit_rows(id_fit *fit, const id_sample *sample);
/* Takes the layout over. */
sinpos_status id_fit_layout(id_fit *fit, const id_sample *sample, id_layout *layout);
/* Positions that were rounded, by the rows that repeat; rounded_to stays 0 where nothing fits. */
sinpos_status id_fit_rounded(id_fit *fit, const id_sample *sample);
/*
 * Angles in bfloat16 or float16: of sines that are too, from position 0 or 1 on, or of sines in float32. rounded_to stays 0
 * where that makes nothing.
 */
sinpos_status id_fit_angles(id_fit *fit, const id_sample *sample);
/* Cosines alone, or sines alone, at positions in no order; is_alone stays false where that explains nothing. */
sinpos_status id_fit_alone(id_fit *fit, const id_sample *sample, bool is_sine);
/* Positions of rows of doubles, (n, dim), of such a fit. */
void id_alone_positions(const id_fit *fit, double unit, const double *x, size_t n, size_t dim, double *p);
/* From an angle to the nearest one at which cos(angle - phase) is x, to the next one, and what the rounding leaves in doubt. */
typedef struct id_reading {
    double off, other, sigma;
} id_reading;
id_reading id_read_cosine(double x, double angle, double phase, double unit);
/* Angles of the axes first .. last - 1, which have one schedule, one axis after the other. */
sinpos_status id_fit_problem(id_problem *problem, const id_fit *fit, const id_sample *sample, size_t first,
                             size_t last);
/* Frequencies of the only axis that the schedule does not give. */
sinpos_status id_fit_tones(id_fit *fit, const id_sample *sample);
/* Start and step of a line through the positions; a lone frequency gives them up to whole turns, if `turn` is not 0. */
void id_find_line(const id_fit *fit, const size_t *row, double turn, double *room, double *start, double *step);
double id_largest_angle(const id_fit *fit);
/* Coordinates with free frequencies whose positions are multiples of each other become one. */
sinpos_status id_merge_axes(id_fit *fit, const id_sample *sample);
/* error, bits and beside. */
sinpos_status id_weigh(id_fit *fit, const id_sample *sample);
/* Positions of the axis in other rows of doubles, (n, dim). */
sinpos_status id_fit_positions(const id_fit *fit, double unit, const double *x, size_t n, size_t dim, size_t axis,
                               double *p);

/* ---------------------------------------------------------------------------------------------- utilities */

/* Element k of n numbers in ascending order; reorders them. */
double id_select(double *x, size_t n, size_t k);
/* Numbers of n elements from the smallest size to the largest; fast where they are nearly in order, either way. */
void id_order(const double *x, size_t n, size_t *order);
double id_median(double *x, size_t n);
double id_largest(const double *x, size_t n); /* in size */
typedef struct id_interval {
    double low, high;
} id_interval;

/* What dropout leaves was rounded before it was divided: so many half units more. */
#define ID_DIVIDED 2

/* ... and the last bits of the divisor are unknown: elements are made to so many units. */
#define ID_DROPPED_UNITS 4

/* Half a unit in the last place of x, towards zero and away from it. */
id_interval id_half_units(double x, double unit, sinpos_type type);
/* To so many significant digits, at most 17. */
double id_rounded(double x, int digits);
/* To so many significant bits. */
double id_to_bits(double x, int bits);
/* The number with the shortest decimal within error of x: 0.25, 1e-4; of equally short ones the nearest. */
double id_nice(double x, double error);
/* Digits of the shortest decimal of x. */
size_t id_digits(double x);
/* Are these no more than so many? */
bool id_has_digits(double x, size_t most);
/* Digits of both numbers of the ratio that x is; SIZE_MAX where it is none with a small divisor. */
size_t id_ratio_digits(double x);

/* An integer, a decimal or a ratio of small integers within error of x, if there is a simple one. */
double id_simple(double x, double error);

/* The same, or pi times such a number where that takes fewer digits. */
double id_simple_angle(double x, double error);
/* Is it pi times a number or a ratio of few digits? It is then turns / factor of a turn. */
bool id_is_turn(double x, size_t most, double *turns, double *factor);
/* Digits of a scale, or of a listed frequency, that is a part of a turn: it is meant exactly. */
#define ID_SCALE_DIGITS 2
#define ID_LISTED_DIGITS 4

/* ----------------------------------------------------------------------------------------------- findings */

/* Is the slope that of a usual base and divisor? */
bool id_is_usual(const id_guess *guess, double slope_error, size_t m);
/* Do n frequencies, known to within reach, follow a rounded law? Of so many columns; bits becomes 0 where they do not. */
void id_find_rounded_law(id_rounded_law *law, const double *theta, size_t n, size_t n_columns, double reach);
double id_rounded_theta(const id_rounded_law *law, size_t i);
/* law, base, divisor and increment; scale is 1. */
void id_name_law(sinpos_identity_axis *axis, const id_fit *fit, size_t a, double width);
/* Of listed frequencies, known to within reach: were they slowed down by a known rule? Then they are made by it. */
bool id_name_scaling(sinpos_identity *identity, sinpos_identity_axis *axis, double reach);
/*
 * Frequencies of m tones by the k-th rule of usual numbers; theta[0] is NaN where the fastest ones are others than n_fast
 * that are known. False behind the last.
 */
bool id_known_scaling(size_t k, const double *fast, size_t n_fast, double *theta, size_t m);
/* Positions, where the columns gave them one by one; unit: angle per position of the first frequency. */
void id_name_known_rows(sinpos_identity *identity, const id_sample *sample, double start, double unit, double error);
/* start, step, size, stride, scale, or positions. */
sinpos_status id_name_rows(sinpos_identity *identity, const id_fit *fit, const id_sample *sample, const id_view *view);
/* Raw coordinates and padding. */
void id_name_columns(sinpos_identity *identity, const id_fit *fit, const id_sample *sample);
/* Tone k of the plan. */
sinpos_tone id_make_tone(const sinpos_identity *identity, size_t k);
/* theta of every axis, and the plan. */
sinpos_status id_make_plan(sinpos_identity *identity, const id_sample *sample);
/* The frequencies of a formula. */
sinpos_status id_formula_theta(sinpos_identity_axis *axis);
/* The plan alone, as where columns changed their places. */
sinpos_status id_plan_again(sinpos_identity *identity);
/* Listed frequencies of one coordinate, as exactly as the elements of an exact table determine them. */
sinpos_status id_settle_frequencies(sinpos_identity *identity, const id_sample *sample);
/* The same together with listed positions and the amplitude. */
sinpos_status id_settle_lists(sinpos_identity *identity, const id_sample *sample);
/* Amplitude, scale, base, divisor and start of a formula: those that make the elements, if some do. Makes the plan. */
sinpos_status id_settle_formula(sinpos_identity *identity, const id_sample *sample);
/* The base for positions that were rounded, which the exact ones do not show. Makes the plan. */
sinpos_status id_settle_rounded(sinpos_identity *identity, const id_fit *fit, const id_sample *sample);
/* The base for angles that were rounded. Makes the plan. */
sinpos_status id_settle_angles(sinpos_identity *identity, const id_fit *fit, const id_sample *sample);
/* Was each column multiplied by a number of its own? */
bool id_has_levels(const sinpos_identity *identity);
/* Listed positions, by the frequencies of the plan; error is that of usual elements, absolute. */
sinpos_status id_settle_positions(sinpos_identity *identity, const id_view *view, double error, bool *has_changed);
/* Rows against the exact ones; some of them where the table is large, unless all_rows. */
sinpos_status id_verify(sinpos_identity *identity, const id_view *view, bool all_rows, size_t n_threads);
/* Blocks of rows that are compared: their number, and rows first .. last - 1 of one. */
size_t id_compared_blocks(size_t n, size_t dim, bool all_rows);
void id_compared_block(size_t n, size_t dim, size_t n_blocks, size_t k, size_t *first, size_t *last);
/* Which known roundings reproduce the sample. */
sinpos_status id_name_arithmetic(sinpos_identity *identity, const id_sample *sample);
/* A list of frequencies in place of a formula that makes few of the elements, if the list makes them. */
sinpos_status id_list_instead(sinpos_identity *identity, const id_sample *sample, const id_view *view);
/* A formula in place of listed frequencies that make few of the elements, if it makes more. */
sinpos_status id_formula_instead(sinpos_identity *identity, const id_sample *sample, const id_view *view);
/* A base with fewer digits, if it makes the table with an arithmetic. */
sinpos_status id_base_instead(sinpos_identity *identity, const id_sample *sample, const id_view *view);
/* Another arithmetic that does as well. */
void id_add_also(sinpos_identity *identity, const char *name);
/* All conventions after the first n. */
void id_forget_conventions(sinpos_identity *identity, size_t n);
/* Which conventions make it; may_be_defaults: with their defaults first, then with values that were found. */
sinpos_status id_name_conventions(sinpos_identity *identity, const sinpos_table *table, const id_view *view,
                                  bool may_be_defaults);
/* Exact rows as the table has them: multiplied and added to. */
void id_damage_rows(const sinpos_identity *identity, size_t first, size_t n, sinpos_type type, void *rows);
/* Rows of positions, (n, dim), of an encoding whose columns come first: all are sines and cosines. */
sinpos_status id_encoding_positions(const struct sinpos_encoding *encoding, size_t first, size_t n, sinpos_type type,
                                    void *out, size_t dim, size_t n_threads);
/* Position of a row, in units of the axis. */
double id_position(const sinpos_identity *identity, size_t row, size_t axis);
bool id_is_zero_row(const sinpos_identity *identity, size_t row);
