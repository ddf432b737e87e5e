/* What the files that make an encoding share. */
#pragma once

#include "../internal.h"
#include "formula.h"
#include "parameters.h"
#include "replay.h"

enum { MAX_LEAD_DIMS = 8 };

/* More than any source makes, and seconds of work: what is asked by mistake is refused before it is begun. */
#ifdef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION /* minutes of work there, many times an hour */
#define MAX_FREQUENCIES ((size_t)1 << 12)
#else
#define MAX_FREQUENCIES ((size_t)1 << 20)
#endif
#define MAX_LISTED ((size_t)1 << 31) /* numbers of rows that are kept: 16 GiB */

/* Coordinate a of the convention is scale * x + shift, x being the sum of columns column .. column + n_parts - 1. */
typedef struct axis_map {
    real scale, shift;
    size_t column, n_parts;
} axis_map;

/* The rows of coordinates: from a range, a grid or a list. */
typedef struct row_set {
    size_t n;   /* without rows of zeros before and still rows after */
    size_t n_g; /* coordinates that formulas name */
    bool is_grid;
    size_t n_sizes, sizes[MAX_AXES_NAMED];
    const double *items; /* (n, n_g) of a list; NULL: range or grid */
    bool is_none;        /* nothing says which rows there are */
    bool keeps_shape;    /* whatever the convention makes of its own rows */
    bool is_foreign;     /* the list was given beside the parameters: its columns are those of the axes */
    real start, step;    /* of a range */
    size_t n_lead, lead[MAX_LEAD_DIMS];
    size_t n_zero_first, n_still_first, n_still_last;
    unsigned char *is_zero; /* (n), or NULL */
    double *g;              /* room for the coordinates of a row */
} row_set;

/* One frequency, before it has columns. Component 1 is the cosine where the two have different formulas. */
typedef struct frequency {
    size_t axis, n_listens;
    bool is_absent; /* passed over: its columns are 0 */
    sinpos_tone tone[2];
    sinpos_tone_more more[2];
    double theta[SINPOS_PARTS];                      /* of the formula, in radians */
    double slope[SINPOS_PARTS], phase[SINPOS_PARTS]; /* radians per unit of x, and at x = 0 */
} frequency;

/* What the formulas give for one component of a frequency: theta in radians or turns. */
typedef struct numbers {
    real theta, phase, phase_turns, amplitude;
    bool in_turns;
} numbers;

typedef struct build {
    scope s;
    const sinpos_convention *convention;
    const char *name; /* that it was found by */
    row_set rows;
    const char *const *coordinates; /* the formulas that apply; NULL: all coordinates of the rows */
    size_t n_axes;
    axis_map *maps;
    size_t n_columns_of_x;
    size_t *counts, *offsets; /* (n_axes) frequencies of each axis, and of those before */
    frequency *frequencies;
    size_t n_frequencies, every; /* only every so many of each list are made, and the last */
    bool has_components;         /* formulas name c */
    bool needs_angles;           /* frequency.theta, slope and phase are wanted */
    bool is_mixed;               /* every frequency depends on all axes */
    sinpos_listen *listens;
    bool is_negated;                 /* sign -1 */
    bool takes_as_given;             /* the coordinates of the plan are those of the rows */
    voices *v;                       /* of the encoding; NULL: exact */
    const sinpos_arithmetic *recipe; /* NULL: as published */
    struct schedule_guess *guess;    /* what the frequencies of the list at hand have in common */
    /* What replaces fields of the convention. */
    sinpos_convention own;
    bool has_amplitude, has_scale;
    real amplitude, scale;
    const char *one_axis_only; /* NULL, or what was replaced that several axes have no use for */
} build;

/* Overrides: override.c */
bool build_override(build *b, const sinpos_parameters *given);
/* Rows: rows.c */
bool build_rows(build *b, const sinpos_parameters *given);
bool build_maps(build *b, sinpos_encoding *e);
/* What coordinates are made of, for the frequency programs. */
bool build_given(build *b);
/* The numbers of one frequency: frequency_numbers.c */
bool build_numbers(build *b, numbers *x);
/* Theta times the factor that the caller states. */
void build_scaled(const build *b, real *theta);
/* Frequencies: frequencies.c */
bool build_frequencies(build *b);
/* Arithmetic: frequency_programs.c */
bool build_arithmetic(build *b, sinpos_encoding *e, const sinpos_parameters *given);
bool build_voice(build *b, size_t list, size_t i);
bool build_voices_ready(build *b);
/* Columns and plans: columns.c */
bool build_table(build *b, sinpos_encoding *e, unsigned types);
bool build_rotary(build *b, sinpos_encoding *e, unsigned types);
bool build_axes(build *b, sinpos_encoding *e);
bool build_output(build *b, sinpos_encoding *e, unsigned types);

/* Output rotated: rotate_rows.c */
sinpos_status fill_rotated(const sinpos_encoding *e, size_t first, size_t n, sinpos_type type, void *out, size_t ld,
                           size_t n_threads);

/* A text field that is a formula or a plain word. False: scope.error. */
bool build_word(build *b, const char *field, const char *fallback, char *word, size_t room);
bool build_size(build *b, const char *field, size_t fallback, size_t *size);

/* Coordinates as columns: column gets scale * x + shift. */
typedef struct raw_column {
    size_t column;
    size_t first, n_parts; /* columns of x */
    double scale[SINPOS_PARTS], shift[SINPOS_PARTS];
} raw_column;

struct sinpos_encoding {
    sinpos_encoding_info info;
    sinpos_plan *plan;                  /* what sinpos_encoding_plan() shows */
    voices *v;                          /* NULL: exact */
    sinpos_replay *replay, *replays[2]; /* of plan and planes, where v is not NULL */
    sinpos_plan *planes[2];             /* what fills the rows of each half, or NULL; may be plan */
    size_t n_planes, n_x;
    size_t n_zero_first, n_core, n_still;
    int64_t first;     /* of consecutive integers, where both lists are NULL */
    int64_t *integers; /* (n_core + n_still, n_x) */
    double *reals;
    unsigned char *is_zero; /* (n_core), or NULL */
    raw_column *raw;
    size_t n_raw;
    raw_column *axes;  /* (n_axes) what coordinates are */
    double *constants; /* output inv_freq */
    bool channel_first, result_is_half;
    size_t rotary_first, rotary_pairs, rotary_block; /* pairs of a block */
};
