/* identify.h - what made an array. Part of sinpos_analysis.h. */
#ifndef SINPOS_ANALYSIS_IDENTIFY_H
#define SINPOS_ANALYSIS_IDENTIFY_H

#include "progress.h"

#ifdef __cplusplus
extern "C" {
#endif

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
    int rounded_to;             /* list: 24, 11 or 8 significant bits, where each is a formula's, so rounded; else 0 */
    double rounded_scale, rounded_base, rounded_divisor; /* scale base^(-i / divisor) */
    double start, step;         /* of the rows, unless positions are listed */
    size_t size, stride;        /* values of a grid, and after how many rows it moves on; 0, 0 without grid */
    int has_turns;              /* scale, or a listed frequency, is pi times a short number, and meant exactly so */
} sinpos_identity_axis;

/* One element that differs. */
typedef struct sinpos_identity_element {
    size_t row, column;
    double got, want;
} sinpos_identity_element;

/* Rows and columns, first and last. */
typedef struct sinpos_identity_box {
    size_t first_row, last_row, first_column, last_column;
} sinpos_identity_box;

/* Errors against the exact table, over some rows. */
typedef struct sinpos_identity_errors {
    size_t first_row, last_row;
    uint64_t elements, wrong;   /* those that are not the exact value, rounded once */
    uint64_t max_ulp;
    double max_abs_error;
    double max_relative_error;  /* over the amplitude's size */
} sinpos_identity_errors;

/* A convention, and the parameters with which it makes the table. */
typedef struct sinpos_identity_convention {
    const char *name;
    char *settings; /* "key=value" lines, values as JSON; parameters that have their defaults are left out */
    double published;       /* part of some rows' elements that the arithmetic of its source makes to one unit, ... */
    double published_equal; /* ... and to the last bit; -1 where this was not asked or is not known */
    struct sinpos_encoding *source; /* NULL, or what makes it with that arithmetic */
    int is_exact;           /* without it, it makes what was found; else only its source's arithmetic is near the table */
} sinpos_identity_convention;

/* What a finding is about. */
typedef enum sinpos_defect_kind {
    SINPOS_DEFECT_SIGN = 0,       /* columns are negated */
    SINPOS_DEFECT_CONSTANT = 1,   /* value was added to columns */
    SINPOS_DEFECT_SCALE = 2,      /* columns were multiplied by value */
    SINPOS_DEFECT_DROPOUT = 3,    /* part `value` of the elements is 0 */
    SINPOS_DEFECT_ALTERED = 4,    /* single elements are far off */
    SINPOS_DEFECT_COLUMNS = 5,    /* columns are missing, twice, or another encoding's, or none's */
    SINPOS_DEFECT_STACKED = 6,    /* rows are another encoding's, or none's */
    SINPOS_DEFECT_ANGLES = 7,     /* angles were rounded */
    SINPOS_DEFECT_POSITIONS = 8,  /* positions were rounded */
    SINPOS_DEFECT_START = 9,      /* the first position is value */
    SINPOS_DEFECT_DIVISOR = 10,   /* the divisor is value, one less than the frequencies */
    SINPOS_DEFECT_NOISE = 11,     /* noise of standard deviation value was added */
    SINPOS_DEFECT_ORDER = 12,     /* columns are in no usual order */
    SINPOS_DEFECT_TYPE = 13       /* elements were rounded to a narrower type than the array's */
} sinpos_defect_kind;

/* A finding: where the table is not what one would make today, and what mends it. Rows and columns are the array's. */
typedef struct sinpos_defect {
    sinpos_defect_kind kind;
    size_t first_row, last_row, first_column, last_column; /* the smallest rectangle around it */
    size_t n_columns;     /* of these columns; listed in column[], as far as it goes */
    size_t column[SINPOS_IDENTITY_LISTED];
    uint64_t elements;    /* that it is about */
    double value;         /* see the kinds; 0 without meaning */
    char sentence[160];   /* what it is */
    char repair[160];     /* what mends it */
} sinpos_defect;

/*
 * sinpos_defect_name() - "sign", "constant", "scale", "dropout", "altered", "columns", "stacked", "angles", "positions",
 * "start", "divisor", "noise", "permutation" or "type".
 * Returns a constant string; NULL for another number.  Cost O(1).  Source: none needed.  Since 0.1.
 */
SINPOS_API const char *sinpos_defect_name(sinpos_defect_kind kind);

/* What made a table. Rows and columns are those of the view. */
typedef struct sinpos_identity {
    int is_sinusoidal;
    double bits;                /* of evidence beyond what was chosen to fit; negative where chance explains it */
    double residual;            /* three quarters of the elements of the sample are this near to the fit */
    sinpos_view view;
    size_t n, dim;
    sinpos_type type;           /* of the array, or a 16-bit one whose numbers all of its elements are */
    size_t rows_looked_at, rows_compared;
    /* columns */
    sinpos_nest nest;
    int cos_first, is_twice;    /* is_twice: each frequency has two pairs, as in tables for rotation */
    int is_twice_side_by_side;  /* the two pairs are neighbours, not halves */
    size_t first_column, width; /* of the waves; raw coordinates before, raw coordinates or padding after */
    size_t n_raw_first, n_raw_last, n_pad;
    size_t n_unknown;           /* columns beside the waves that nothing explains */
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
    const char *arithmetic;     /* that reproduces the table best: a name of sinpos_arithmetic_find(), or in words that it
                                   is exact, or as published by a convention; "" where none does */
    double arithmetic_share;    /* part of the sample's elements that it makes to one unit */
    char arithmetic_also[200];  /* others that do as well */
    char arithmetic_name[100];  /* "as published by ..." */
    const sinpos_identity_convention *published; /* NULL, or the one whose source computes so */
    size_t n_conventions;       /* conventions of sinpos_conventions.h that make this table */
    sinpos_identity_convention *conventions;
    sinpos_plan *plan;          /* its tones; positions in units of the axes */
    /* what is not as it should be */
    double *column_factor, *column_offset; /* (dim) NULL, or what a column was multiplied with, and what was then added */
    double dropped;             /* part of the elements that are 0 in place of what they should be */
    size_t n_defects;
    sinpos_defect *defects;
    /* part of an array: all that is said above is about these rows and columns */
    size_t first_row;           /* of n */
    size_t *columns;            /* (dim), or NULL: all */
    size_t n_others;            /* other parts of the array that are encodings */
    struct sinpos_identity **others;
    double arithmetic_equal;    /* part of the sample's elements that the arithmetic makes to the last bit */
    struct sinpos_encoding *encoding; /* NULL, or what conventions[0] makes, where that is nearer than the plan: rows and
                                         errors are then its own */
    uint64_t unexplained;       /* compared elements that nothing named makes, altered and dropped ones aside. Where this
                                   is not 0 the numbers are near those of the table, and may be others */
    int is_copy;                /* of another part: its columns hold the same elements as those of the first */
    sinpos_identity_box altered_box; /* the rows and columns of the altered elements; undefined where there are none */
    sinpos_type stored_type;    /* of the array; 0 for parts */
} sinpos_identity;

/*
 * sinpos_identify() - what made a table, from its elements alone.
 *
 * Columns are paired, pairs become angles, and angles are explained as frequency times position, modulo whole turns;
 * the exact table of the explanation is then compared with the rows: with all of them up to 2^22 elements, beyond with
 * 2^22 / dim rows, at least 512, in 64 blocks from the first row to the last. rows_compared says how many, and errors are
 * counted in these alone. Noise and a few altered elements do not disturb it.
 * Elements that dropout left at 0 are unknown. It is a sinusoidal encoding if the elements determine more bits than the explanation chose.
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
 * sinpos_identity_rows() - the exact rows of what was found: what the table should be.
 *   first, n   rows of the view, below identity->n.
 *   type       element type.
 *   out        (n, dim) row-major.
 * Returns as sinpos_run(); SINPOS_E_RANGE; SINPOS_E_VALUE where nothing was found.
 * Cost   O(n * dim).  Source as sinpos_identify().  Since 0.1.
 */
SINPOS_API SINPOS_MUST_CHECK sinpos_status sinpos_identity_rows(const sinpos_identity *identity, size_t first, size_t n,
                                                                sinpos_type type, void *out, size_t n_threads);

/*
 * sinpos_identity_rows_as_found() - the same, and then as the table has it: columns are negated, multiplied and added to
 * as column_factor and column_offset say, each in the type. Elements that were dropped are there.
 * Arguments as sinpos_identity_rows().
 * Returns as sinpos_identity_rows().  Cost O(n * dim).  Source as sinpos_identify().  Since 0.1.
 */
SINPOS_API SINPOS_MUST_CHECK sinpos_status sinpos_identity_rows_as_found(const sinpos_identity *identity, size_t first,
                                                                         size_t n, sinpos_type type, void *out,
                                                                         size_t n_threads);

/*
 * sinpos_identity_destroy() - free it; NULL is fine.
 * Returns nothing.  Cost O(1).  Source: none needed.  Since 0.1.
 */
SINPOS_API void sinpos_identity_destroy(sinpos_identity *identity);

#ifdef __cplusplus
}
#endif

#endif
