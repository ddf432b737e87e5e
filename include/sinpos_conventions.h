/*
 * sinpos_conventions.h - every definition of a position encoding in use, by name, made exactly.
 *
 * A convention is data: the parameters of its source with their defaults, and formulas in them that say what the
 * frequencies are, which columns they go to and which coordinates the rows have. An encoding is a convention with
 * values for its parameters: it has a shape and is filled like a plan, row by row, each element rounded once.
 *
 *     sinpos_parameters *parameters;
 *     if (sinpos_parameters_create(&parameters) != SINPOS_OK) ...
 *     sinpos_parameters_set_number(parameters, "length", 1500);
 *     sinpos_parameters_set_number(parameters, "channels", 384);
 *     sinpos_encoding *encoding;
 *     sinpos_error error = SINPOS_ERROR_INIT;
 *     if (sinpos_encoding_create(&encoding, "whisper_sinusoids", parameters, SINPOS_F32, &error) != SINPOS_OK)
 *         ... error.message says why
 *     sinpos_encoding_fill(encoding, 0, 1500, SINPOS_F32, table, 384, 0);
 *
 * The catalogue is the folder conventions/, a file for each family; docs/conventions.md is made from it.
 * docs/architecture.md says how a formula becomes tones, CONTRIBUTING.md how to add a convention.
 */
#ifndef SINPOS_CONVENTIONS_H
#define SINPOS_CONVENTIONS_H

#include "sinpos.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ----------------------------------------------------------------------------------------- The catalogue */

typedef struct sinpos_convention sinpos_convention;

/*
 * sinpos_conventions_count(), sinpos_convention_at() - the catalogue, in the order of docs/conventions.md.
 * Returns the number of conventions; convention i, or NULL from that number on.  Cost O(1).
 * Source docs/conventions.md.  Since 0.1.
 */
SINPOS_API size_t sinpos_conventions_count(void);
SINPOS_API const sinpos_convention *sinpos_convention_at(size_t i);

/*
 * sinpos_convention_find() - the convention of a name or alias; case, underscores and hyphens do not count,
 * and rotary is rope.
 * Returns a constant, or NULL if nothing has that name.  Cost O(conventions).
 * Source docs/conventions.md.  Since 0.1.
 */
SINPOS_API const sinpos_convention *sinpos_convention_find(const char *name);

/*
 * sinpos_convention_name() - its name, a word with underscores.
 * Returns a constant string; NULL for NULL.  Cost O(1).  Source docs/conventions.md.  Since 0.1.
 */
SINPOS_API const char *sinpos_convention_name(const sinpos_convention *convention);

/*
 * sinpos_convention_text() - a field of a convention, as text.
 *   field   one of the names below.
 * Returns a constant string; NULL if the convention does not have that field, or no such field exists.
 * Cost O(fields).  Source docs/conventions.md.  Since 0.1.
 *
 * Fields from `let` on are formulas (docs/architecture.md, "Formulas"): numbers, parameters, + - * / % ^ (power),
 * == != < <= > >=, and or not, a ? b : c, 'text', list[i], list[i][j], len(list), floor ceil round min max abs sqrt
 * exp log log2 pi, and what each field names below. Numbers are exact where they are rational or rational powers of
 * rationals, and carried to more than 300 bits elsewhere. A missing field has the default given below.
 *
 * Frequency i of axis a (both from 0) has `count` frequencies per axis, and makes one channel per component: component
 * 's' is amplitude sin(coordinate * theta + phase), 'c' the cosine. Channels are numbered by three nested loops.
 *
 *   name              a word with underscores
 *   aliases           further names, separated by blanks
 *   variants          "alias alias: parameter = value; ...": of these aliases that is the default
 *   summary           one line
 *   repository        "openai/whisper"
 *   path              "whisper/model.py"; further sources after "; "
 *   function          that makes it there
 *   weaknesses        one or two sentences: what goes wrong with it in practice
 *   apart             why it is not a function of the coordinates alone, and what sinpos makes instead
 *
 *   let               "h = floor(dim / 2); q = ...": names for all formulas that follow, in this order
 *   refuse            "dim % 2 == 1 => dim must be even; ...": refused with that message, first match
 *
 * Rows: the first of positions (unless null), grid, length that is there.
 *   positions         a list: (..., n) for one axis, (..., n, axes) for several; a number n for 0 .. n-1. A
 *                     parameter's name, or
 *                     columns(list, k): a list of k n numbers, coordinate after coordinate, as (n, k);
 *                     token_positions(tokens, padding): (rank among non-padding) + padding + 1, or padding
 *                     token_columns(tokens, padding): column + padding + 1, or padding for padding
 *                     mask_cells(mask, valid): per cell (y, x, y_last, x_last), 1-based counts of cells equal to
 *                     valid, and the last count of their column and row
 *                     grid_cells(sizes, m): per cell of each (t, h, w), (t, y, x), in blocks of m x m
 *   grid              "h, w": sizes, row-major, the first slowest; or one formula that is a list
 *   length            number of consecutive positions
 *   start             of the first; default 0
 *   step              default 1
 *   coordinates       "g1, g0": for each axis a formula in g0, g1, ... (index along the grid, or column of
 *                     positions), size0, size1, ... (of the grid); "*" (default): all of them in order. With one
 *                     formula every item of positions is a row. "G == 2 => g1, g0; 1 => g1, g0, g2, g3": the first
 *                     whose condition holds, G being the number of coordinates there are. Of positions given from
 *                     outside (the name `given` is then 1) column k is that of axis k
 *   zero_rows_first   rows of zeros before all others; default 0
 *   zero_row          of row r with g0, g1, ...: is it zero? default 0
 *   still_rows_first  rows with angle zero before them, after those of zeros; default 0
 *   still_rows_last   rows with angle zero after all others; default 0
 *
 * Columns. Formulas here may name a, i, n (count of axis a), A (number of axes), and c (1 for a cosine).
 *   count             frequencies of axis a
 *   turns             turns per unit of the coordinate, where this is there and not null; else
 *   theta             radians
 *   phase             radians; default 0
 *   phase_turns       turns; default 0
 *   amplitude         default 1
 *   mixed             1: frequency i depends on every axis a with a theta of its own; default 0
 *   nest              order of loops, outermost first: 'acf' 'afc' 'caf' 'cfa' 'fca' 'fac'; a formula too
 *   components        'sc' (default), 'cs', 's', 'c'
 *   raw               'first', 'last': the coordinates themselves are columns, before or after; default ''
 *   width             columns, raw ones included: longer lists of channels are cut, shorter padded
 *   pad               value of padding; default 0
 *   shape             "a, b": leading sizes of the result; "*" those of positions, "grid" those of the grid;
 *                     default: one, the number of rows
 *   channel_first     1: the columns come before the grid, (1, width, size0, ...); 2: without that 1; default 0
 *
 * Rotary.
 *   pairing           not rotary where it is absent. 'half' pairs columns j and j + n, 'pair' 2j and 2j + 1
 *   block             frequencies are paired in blocks of so many, each as `pairing` says in columns of its own, one
 *                     block after another; default: all frequencies are one block
 *   axis              axis of frequency i, where a does not give it: i then runs over all `count` frequencies. With
 *                     either, `count` is evaluated once, with a = 0
 *                     dealt(counts): a list of the axis of each frequency, where axis k gets counts[k] of them, dealt evenly
 *   rotary_first      first rotated column; default 0
 *   head_width        columns of q and k; default 2 x frequencies. Those not rotated stay as they are
 *   sign              -1: angles negated; default 1
 *   copies            how both copies of a cosine lie in cos_sin and sin_cos: 'half' or 'pair', or 'none': each cosine
 *                     stands once; default as `pairing`
 *   result            'half': input pairs 2j, 2j + 1, and the result in halves; default as `pairing`
 *   beside            1: output cos_sin and sin_cos is one table, side by side, not two; default 0
 *   output            what the source returns, as sinpos_output_name(); default table
 *
 * Arithmetic as published: docs/arithmetic.md. Without published_theta it is not known. The formulas name p, the
 * coordinate; x, the same before it is scaled and moved; p0 .. p3, all coordinates; and g0 .. g3, what they are
 * made of
 *   published_theta   frequency, rounding by rounding
 *   published_angle   from p and theta; default p * theta
 *   published_element from angle and c; default (c ? cos(angle) : sin(angle)) * amplitude
 *   published_product types in which x, queries or keys, is rotated. 'x': cosines, sines, products and sums in that
 *                     of x; 'f32': all in float32, the result cast; 'x, f32': cosines and sines in that of x, the
 *                     rest in float32; 'f32, f64': cosines and sines in float32, the rest in float64. Absent: not
 *                     recorded, and float32 alone is rotated
 *
 *   calls             "power_f32(base, i, d) = ...; ...": the functions that its formulas call
 */
SINPOS_API const char *sinpos_convention_text(const sinpos_convention *convention, const char *field);

/*
 * sinpos_convention_field() - the names of the fields, in the order above.
 * Returns name i, or NULL past the last.  Cost O(1).  Source: the list above.  Since 0.1.
 */
SINPOS_API const char *sinpos_convention_field(size_t i);

/*
 * sinpos_convention_parameters(), sinpos_convention_parameter() - the parameters of a convention, as its source has them.
 *   i       below sinpos_convention_parameters().
 *   field   name      "embedding_dim"; of an object's field "scaling_config.factor"
 *           default   as JSON: "10000", "null", "false", "\"bi\"", "[16, 56, 56]"; absent: a value is required
 *           role      "dim", "base", "length", "start", "positions", "grid", "amplitude": what the general options of that
 *                     name set; "" for none
 *           meaning   a few words: unit, range
 * Returns their number, 0 for NULL; a constant string, or NULL where there is none.  Cost O(parameters).
 * Source docs/conventions.md.  Since 0.1.
 */
SINPOS_API size_t sinpos_convention_parameters(const sinpos_convention *convention);
SINPOS_API const char *sinpos_convention_parameter(const sinpos_convention *convention, size_t i, const char *field);

/* What the rows of a convention are made of, where no positions are given. */
typedef enum sinpos_rows_kind {
    SINPOS_ROWS_OWN = 0,    /* its own parameters: a grid, boxes, a mask */
    SINPOS_ROWS_LENGTH = 1, /* its parameter of role length, and start where there is one: rows follow each other */
    SINPOS_ROWS_LIST = 2,   /* its parameter of role positions, a list of numbers with a default */
    SINPOS_ROWS_GIVEN = 3   /* nothing: positions, or length, start and step, are set in addition to its parameters */
} sinpos_rows_kind;

/*
 * sinpos_convention_rows() - which of these.
 * Returns the kind; SINPOS_ROWS_OWN for NULL.  Cost O(parameters).  Source docs/conventions.md.  Since 0.1.
 */
SINPOS_API sinpos_rows_kind sinpos_convention_rows(const sinpos_convention *convention);

/* --------------------------------------------------------------------------------------------- Parameters */

/* Values by name. */
typedef struct sinpos_parameters sinpos_parameters;

/*
 * sinpos_parameters_create(), sinpos_parameters_destroy() - an empty set; free it (NULL is fine).
 * Returns SINPOS_OK; SINPOS_E_NULL; SINPOS_E_MEMORY, and then *out is NULL.  Cost O(1).  Source: none needed.  Since 0.1.
 */
SINPOS_API SINPOS_MUST_CHECK sinpos_status sinpos_parameters_create(sinpos_parameters **out);
SINPOS_API void sinpos_parameters_destroy(sinpos_parameters *parameters);

/*
 * sinpos_parameters_set_null(), sinpos_parameters_set_flag(), sinpos_parameters_set_number(), sinpos_parameters_set_text(),
 * sinpos_parameters_set_list() - give a parameter a value; a later one replaces it. Names and values are copied.
 *   name     any of a convention's parameters; a usual word for what one of them is (dim, base, length, start);
 *            `output`; `arithmetic`; `positions`, or `length`, `start`, `step`, for rows given from outside. What the
 *            convention itself defines is replaced by override.amplitude (a number), override.scale (a factor on its
 *            frequencies), override.layout (interleaved or halves, one coordinate) and override.order (sin-cos or
 *            cos-sin).
 *   values   (shape[0], ..., shape[n_dims - 1]) row-major; n_dims 1 .. 8.
 * Returns SINPOS_OK; SINPOS_E_NULL; SINPOS_E_MEMORY; SINPOS_E_SHAPE; SINPOS_E_VALUE for a number that is not finite.
 * Cost O(size).  Source: none needed.  Since 0.1.
 */
SINPOS_API SINPOS_MUST_CHECK sinpos_status sinpos_parameters_set_null(sinpos_parameters *parameters, const char *name);
SINPOS_API SINPOS_MUST_CHECK sinpos_status sinpos_parameters_set_flag(sinpos_parameters *parameters, const char *name,
                                                                      int value);
SINPOS_API SINPOS_MUST_CHECK sinpos_status sinpos_parameters_set_number(sinpos_parameters *parameters, const char *name,
                                                                        double value);
SINPOS_API SINPOS_MUST_CHECK sinpos_status sinpos_parameters_set_text(sinpos_parameters *parameters, const char *name,
                                                                      const char *value);
SINPOS_API SINPOS_MUST_CHECK sinpos_status sinpos_parameters_set_list(sinpos_parameters *parameters, const char *name,
                                                                      const double *values, size_t n_dims,
                                                                      const size_t *shape);

/* -------------------------------------------------------------------------------------------- Arithmetic */

/*
 * How somebody's code rounds, so that a model trained with its table can be served with that table. `exact`, the
 * default everywhere, rounds each element once. An arithmetic here is three formulas (docs/arithmetic.md), each
 * operation of which rounds to the type of its operands; functions are taken as correctly rounded, which expf, powf
 * and sinf of a given machine need not be in the last bit. The bytes are the same on every machine.
 *
 * Of a convention, `published` is the arithmetic of its source: the parameter `arithmetic` of an encoding takes that
 * word, exact, or one of the names here. The names here are for any tones; those that are not geometric have their
 * frequency rounded once.
 */
typedef struct sinpos_arithmetic sinpos_arithmetic;

/*
 * sinpos_arithmetics_count(), sinpos_arithmetic_at(), sinpos_arithmetic_find() - the arithmetics that have a name.
 * Returns their number; number i, NULL from that number on; that of a name or alias, or NULL.  Cost O(1).
 * Source docs/arithmetic.md.  Since 0.1.
 */
SINPOS_API size_t sinpos_arithmetics_count(void);
SINPOS_API const sinpos_arithmetic *sinpos_arithmetic_at(size_t i);
SINPOS_API const sinpos_arithmetic *sinpos_arithmetic_find(const char *name);

/*
 * sinpos_arithmetic_text() - a field of an arithmetic, as text.
 *   field   name      "float32-exp"
 *           aliases   further names, separated by blanks
 *           who       its steps, and whose code takes them
 *           theta, angle, element   formulas, as published_theta and so on of a convention
 *           product   of queries and keys, as published_product
 * Returns a constant string; NULL if the arithmetic does not have that field, or no such field exists.
 * Cost O(1).  Source docs/arithmetic.md.  Since 0.1.
 */
SINPOS_API const char *sinpos_arithmetic_text(const sinpos_arithmetic *arithmetic, const char *field);

/* The tones of a plan, ready to be computed as somebody's code does. */
typedef struct sinpos_replay sinpos_replay;

/*
 * sinpos_replay_create(), sinpos_replay_destroy() - a plan's tones with an arithmetic; free it (NULL is fine).
 *   out         receives it; NULL on error.
 *   plan        only read; may be destroyed afterwards.
 *   arithmetic  a name or alias of sinpos_arithmetic_at().
 * Returns SINPOS_OK; SINPOS_E_NULL; SINPOS_E_NAME; SINPOS_E_UNSUPPORTED for a tone that depends on
 * several coordinates; SINPOS_E_MEMORY.  Cost O(tones), about 0.1 ms each.  Source docs/arithmetic.md.  Since 0.1.
 */
SINPOS_API SINPOS_MUST_CHECK sinpos_status sinpos_replay_create(sinpos_replay **out, const sinpos_plan *plan,
                                                                const char *arithmetic);
SINPOS_API void sinpos_replay_destroy(sinpos_replay *replay);

/*
 * sinpos_replay_run() - as sinpos_run(), with these roundings; the result is then rounded to the element type.
 *   operation   SINPOS_FILL or SINPOS_ADD.
 * Returns as sinpos_run(); SINPOS_E_VALUE for another operation; SINPOS_E_MEMORY. Unlike sinpos_run() it allocates a
 * few rows for each thread.
 * Cost O(n * dim), some 130 ns an element.  Source docs/arithmetic.md.  Since 0.1.
 */
SINPOS_API SINPOS_MUST_CHECK sinpos_status sinpos_replay_run(const sinpos_replay *replay, sinpos_operation operation,
                                                             const sinpos_rows *rows, sinpos_type type, void *out,
                                                             size_t ld_out, size_t n_threads);

/*
 * sinpos_replay_rotate() - as sinpos_rotate(), with these roundings: the table of cosines and sines, then
 * u cos - v sin and v cos + u sin for each pair, both products and the sum rounded to the types that the arithmetic's
 * `product` names. The bytes are the same on every machine.
 *   replay      of a plan whose tones all have both columns.
 *   direction   SINPOS_FORWARD or SINPOS_TRANSPOSE, which is what automatic differentiation computes.
 *   type        of x.
 * Returns as sinpos_rotate(); SINPOS_E_UNSUPPORTED for SINPOS_INVERSE, as rounded elements do not come back;
 * SINPOS_E_MEMORY.
 * Cost O(n * dim), some 130 ns for each cosine and sine, 20 ns for each element of x.  Source docs/arithmetic.md.
 * Since 0.1.
 */
SINPOS_API SINPOS_MUST_CHECK sinpos_status sinpos_replay_rotate(const sinpos_replay *replay, const sinpos_rows *rows,
                                                                sinpos_direction direction, size_t n_heads,
                                                                sinpos_type type, void *x, size_t ld_row,
                                                                size_t ld_head, size_t n_threads);

/*
 * sinpos_replay_theta() - the frequencies with their roundings; for float32-repeated the first, then the ratios.
 *   theta      NULL to ask how many there are, or room for capacity, in the order of the plan's tones.
 *   capacity   how many there is room for; ignored if theta is NULL.
 *   n_tones    receives how many there are, also with SINPOS_E_CAPACITY.
 * Returns SINPOS_OK; SINPOS_E_NULL; SINPOS_E_CAPACITY, and then nothing is written.
 * Cost O(n_tones).  Source docs/arithmetic.md.  Since 0.1.
 */
SINPOS_API SINPOS_MUST_CHECK sinpos_status sinpos_replay_theta(const sinpos_replay *replay, double *theta,
                                                               size_t capacity, size_t *n_tones);

/* --------------------------------------------------------------------------------------------- Encodings */

/* What is computed from the angles. d: head width or twice the frequencies; n: rows. */
typedef enum sinpos_output {
    SINPOS_OUTPUT_TABLE = 0,    /* (n, width), columns as the convention has them */
    SINPOS_OUTPUT_COS_SIN = 1,  /* (2, n, d): cosines, then sines, each twice as `pairing` says */
    SINPOS_OUTPUT_SIN_COS = 2,  /* (2, n, d) */
    SINPOS_OUTPUT_CIS = 3,      /* (n, d/2, 2): cosine and sine of each frequency */
    SINPOS_OUTPUT_MATRIX = 4,   /* (n, d/2, 2, 2): cos, -sin, sin, cos */
    SINPOS_OUTPUT_ANGLES = 5,   /* (n, d): the angles in radians, twice as `pairing` says */
    SINPOS_OUTPUT_INV_FREQ = 6, /* (d/2): theta in radians per unit */
    SINPOS_OUTPUT_ROTATED = 7   /* (n, d): x[r, j] = ((37 (r d + j) + 11) mod 64 - 32) / 16, rotated */
} sinpos_output;

/*
 * sinpos_output_name(), sinpos_output_find() - "table", "cos_sin", ...; and back.
 * Returns a constant string, NULL for a number that is not an output; 1 if there is such a name, else 0.  Cost O(1).
 * Source: the list above.  Since 0.1.
 */
SINPOS_API const char *sinpos_output_name(sinpos_output output);
SINPOS_API int sinpos_output_find(const char *name, sinpos_output *output);

typedef struct sinpos_encoding sinpos_encoding;

#define SINPOS_MAX_ENCODING_DIMS 10

/* The form of an encoding: an array, seen as n_rows rows of n_columns elements. Sized, and the library's. */
typedef struct sinpos_encoding_info {
    size_t struct_size;
    const sinpos_convention *convention;
    sinpos_output output;
    size_t n_dims;
    size_t shape[SINPOS_MAX_ENCODING_DIMS];
    size_t n_rows, n_columns; /* their product is that of the shape */
    size_t n_positions;       /* rows of coordinates, zero rows included */
    size_t n_axes;
    size_t n_zero_rows;   /* positions whose rows are zero by definition */
    size_t n_raw_columns; /* columns that are not a sine or cosine: coordinates, angles */
    int is_channel_first; /* not 0: rows are columns of the table, and columns positions */
    int is_replayed;      /* not 0: parameter `arithmetic` asks for stated roundings */
    size_t head_width;    /* rotary: columns of q and k; else 0 */
    int depends_on_rows;  /* not 0: frequencies or columns depend on which positions, or how many, there are */
    int is_by_position;   /* not 0: sinpos_encoding_plan() makes the row of any position, by sinpos_fill_at() or, for
                             output rotated, sinpos_rotate(): rows are its sines and cosines only, in its order, and
                             sinpos_encoding_positions() are those of the rows */
} sinpos_encoding_info;

/*
 * sinpos_encoding_create() - a convention with values for its parameters.
 *   out          receives the encoding; NULL on error.
 *   convention   a name or an alias.
 *   parameters   NULL, or values; missing ones have the convention's default. Only read.
 *   types        set of sinpos_type it will be filled with; 0 for all.
 *   error        NULL, or receives what is wrong.
 * Returns SINPOS_OK; SINPOS_E_NULL; SINPOS_E_MEMORY; SINPOS_E_NAME for an unknown convention, parameter or arithmetic;
 * SINPOS_E_VALUE for a missing parameter, or a value that the convention refuses: error.name is the parameter's, where
 * it is one alone; SINPOS_E_AXES for positions of another number of coordinates; SINPOS_E_SPEC, SINPOS_E_RANGE,
 * SINPOS_E_OVERFLOW as sinpos_plan_create_tones(); SINPOS_E_SHAPE for more than 2^20 frequencies, or rows that must be
 * listed and take more than 2^31 numbers; SINPOS_E_UNSUPPORTED for a convention that needs more than positions.
 * Cost O(columns + rows).  Source docs/conventions.md.  Since 0.1.  Example: examples/convention.c
 */
SINPOS_API SINPOS_MUST_CHECK sinpos_status sinpos_encoding_create(sinpos_encoding **out, const char *convention,
                                                                  const sinpos_parameters *parameters, unsigned types,
                                                                  sinpos_error *error);

/*
 * sinpos_encoding_create_sparse() - the same with every k-th frequency, for a cheap look.
 *   every        k > 0: of each axis the frequencies 0, k, 2k, ... and the last are made; the columns of the others
 *                are 0. 1 makes all. The rest as sinpos_encoding_create(): shape, rows, refusals.
 * Returns what sinpos_encoding_create() does; SINPOS_E_VALUE for every = 0; SINPOS_E_UNSUPPORTED with stated roundings
 * and every > 1.
 * Cost O(columns / every + rows).  Source: analysis/recognise/identify_conventions.c uses it so.  Since 0.1.
 */
SINPOS_API SINPOS_MUST_CHECK sinpos_status sinpos_encoding_create_sparse(sinpos_encoding **out, const char *convention,
                                                                         const sinpos_parameters *parameters,
                                                                         unsigned types, size_t every,
                                                                         sinpos_error *error);

/*
 * sinpos_encoding_destroy() - free an encoding that no thread uses any more; NULL is fine.
 * Returns nothing.  Cost O(1).  Source: none needed.  Since 0.1.
 */
SINPOS_API void sinpos_encoding_destroy(sinpos_encoding *encoding);

/*
 * sinpos_encoding_info_get() - shape and kind.
 * Returns a pointer valid as long as the encoding; NULL for NULL.  Cost O(1).  Source: none needed.  Since 0.1.
 */
SINPOS_API const sinpos_encoding_info *sinpos_encoding_info_get(const sinpos_encoding *encoding);

/*
 * sinpos_encoding_fill(), sinpos_encoding_add() - write rows; add them to an array, as sinpos_add() does.
 *   encoding   only read; any number of threads may share it.
 *   first, n   rows first .. first + n - 1 of info->n_rows.
 *   type       element type.
 *   out        (n, n_columns) row-major, caller's memory.
 *   ld_out     row stride in elements, >= n_columns.
 *   n_threads  as sinpos_run().
 * Returns as sinpos_run(); SINPOS_E_RANGE for rows that are not there; SINPOS_E_UNSUPPORTED for adding
 * what is rotated (see sinpos_encoding_rotate()).  [P1]
 * Cost O(n * n_columns).  Source docs/conventions.md.  Since 0.1.  Example: examples/convention.c
 */
SINPOS_API SINPOS_MUST_CHECK sinpos_status sinpos_encoding_fill(const sinpos_encoding *encoding, size_t first, size_t n,
                                                                sinpos_type type, void *out, size_t ld_out,
                                                                size_t n_threads);
SINPOS_API SINPOS_MUST_CHECK sinpos_status sinpos_encoding_add(const sinpos_encoding *encoding, size_t first, size_t n,
                                                               sinpos_type type, void *x, size_t ld_x,
                                                               size_t n_threads);

/*
 * sinpos_encoding_plan() - the tones of the convention, with columns as in output table (not rotary) or as in q and k
 * (rotary: cos_column is the first of each pair).
 * Returns a pointer valid as long as the encoding; NULL for NULL.  Cost O(1).  Source: none needed.  Since 0.1.
 */
SINPOS_API const sinpos_plan *sinpos_encoding_plan(const sinpos_encoding *encoding);

/*
 * sinpos_encoding_positions() - what the plan takes as positions of positions first .. first + n - 1.
 *   rows   receives them, from SINPOS_ROWS_INIT on; pointers are valid as long as the encoding.
 * Returns SINPOS_OK; SINPOS_E_NULL; SINPOS_E_RANGE; SINPOS_E_STRUCT.  Cost O(1).  Source: none needed.  Since 0.1.
 */
SINPOS_API SINPOS_MUST_CHECK sinpos_status sinpos_encoding_positions(const sinpos_encoding *encoding, size_t first,
                                                                     size_t n, sinpos_rows *rows);

/*
 * sinpos_encoding_coordinates() - what the frequencies of the convention multiply, rounded to double: to show people.
 *   first, n   positions first .. first + n - 1, as sinpos_encoding_positions() counts them.
 *   out        (n, info->n_axes) row-major.
 * Returns SINPOS_OK; SINPOS_E_NULL; SINPOS_E_RANGE.  Cost O(n * n_axes).  Source docs/conventions.md.  Since 0.1.
 */
SINPOS_API SINPOS_MUST_CHECK sinpos_status sinpos_encoding_coordinates(const sinpos_encoding *encoding, size_t first,
                                                                       size_t n, double *out);

/*
 * sinpos_encoding_rotate() - rotary encoding of queries or keys as the convention has it, in place: sinpos_rotate() with
 * its pairs, its order of the result and its rows of zeros, which erase.
 *   encoding   of a rotary convention, with an output other than table.
 *   first, n   positions first .. first + n - 1 of info->n_positions, one for each row of x.
 *   direction, n_heads, type, x, ld_row, ld_head, n_threads   as sinpos_rotate(). A head has info->head_width columns or
 *              more; further ones are left as they are.
 * Returns as sinpos_rotate(); SINPOS_E_RANGE for positions that are not there; SINPOS_E_UNSUPPORTED where nothing is to be
 * rotated; SINPOS_E_VALUE also for the inverse of a row of zeros; SINPOS_E_MEMORY where the result has another order than
 * the input. With another arithmetic than exact as sinpos_replay_rotate(), in the types of published_product.
 * [P1] as sinpos_rotate(), where the arithmetic is exact.
 * Cost O(n * n_heads * head_width).  Source docs/conventions.md.  Since 0.1.  Example: examples/rotate.c
 */
SINPOS_API SINPOS_MUST_CHECK sinpos_status sinpos_encoding_rotate(const sinpos_encoding *encoding, size_t first,
                                                                  size_t n, sinpos_direction direction, size_t n_heads,
                                                                  sinpos_type type, void *x, size_t ld_row,
                                                                  size_t ld_head, size_t n_threads);

#ifdef __cplusplus
}
#endif

#endif
