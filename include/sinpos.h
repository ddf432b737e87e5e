/*
 * sinpos.h - sinusoidal position encodings, exact to the last bit, at the speed of memory.
 *
 * An encoding is a list of tones. Tone k has a frequency theta_k (radians per unit of position), a phase, an
 * amplitude, its coordinate, the column its sine goes to and the column its cosine goes to:
 *
 *     out[row][sin_column[k]] = amplitude * sin(phase_k + p[row][axis_k] * theta_k)
 *     out[row][cos_column[k]] = amplitude * cos(phase_k + p[row][axis_k] * theta_k)
 *
 * The way through the library is short: fill in a sinpos_spec, make a sinpos_plan from it, and let any number of
 * threads fill tables or add to embeddings with that plan.
 *
 *     sinpos_spec spec = SINPOS_SPEC_INIT;                          // dim 512, base 10000, interleaved
 *     spec.dim = 768;
 *     sinpos_plan *plan;
 *     if (sinpos_plan_create(&plan, &spec) != SINPOS_OK) ...
 *     float *table = malloc(4096 * 768 * sizeof *table);
 *     if (sinpos_fill(plan, 0, 4096, SINPOS_F32, table, 768) != SINPOS_OK) ...
 *     sinpos_plan_destroy(plan);
 *
 * Promises, each covered by a test that carries its tag:
 *   [P1] Every element is the real-number value rounded once to nearest, ties to even, in the element type:
 *        the same bytes on every machine, compiler, instruction set and for every way of splitting the work.
 *   [P2] theta is a real number, not a double: base, shift, divisor, scale and factor are taken exactly.
 *   [P3] A plan is never written after its creation; any number of threads may use it at once.
 *   [P4] Work functions take no lock, allocate nothing and print nothing. (With n_threads > 1 threads are started.)
 *   [P5] On error the output is untouched. Columns dim .. ld-1 are never touched.
 *   [P6] The caller's rounding mode and flush-to-zero flags change nothing and are left as they were.
 *   [P7] An exact zero is +0. Subnormal numbers are kept. A nonzero value that rounds to zero keeps its sign.
 *
 * Sized structs begin with struct_size and can grow at their end in later versions. Their INIT macro sets it; fields
 * added later are zero there, and zero stands for the behaviour of before.
 *   The caller's structs: a smaller one is taken as having zeros in the fields that it lacks; a larger one is taken if
 *   all that this library does not know is zero, else refused with SINPOS_E_STRUCT, as is one smaller than that of 0.1.
 *   When the library writes into one it writes the fields that both sides know, and leaves struct_size and the rest.
 *   The library's structs, which it hands out by pointer: struct_size is the library's own. SINPOS_HAS() says whether a
 *   field is there.
 * Other structs keep their size for good.
 *
 * Stack: a function takes at most 48 KiB, as gcc and clang compile it with optimisation. Threads of 64 KiB will do.
 *
 * Requires gcc or clang on a 64-bit target, C11 or C++11, and IEEE 754 binary64 doubles. docs/numerics.md proves [P1].
 */
#ifndef SINPOS_H
#define SINPOS_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(SINPOS_STATIC) || !defined(__GNUC__) || defined(_WIN32) && !defined(SINPOS_BUILD)
#define SINPOS_API
#elif defined(_WIN32)
#define SINPOS_API __declspec(dllexport)
#else
#define SINPOS_API __attribute__((visibility("default")))
#endif

#if defined(__GNUC__)
#define SINPOS_MUST_CHECK __attribute__((warn_unused_result))
#else
#define SINPOS_MUST_CHECK
#endif

/* Is the field of a sized struct, by pointer, within its struct_size? */
#define SINPOS_HAS(pointer, field)                                                                                     \
    ((size_t)((const char *)(&(pointer)->field + 1) - (const char *)(pointer)) <= (pointer)->struct_size)

/* No such thing: an index that names none. */
#define SINPOS_NONE SIZE_MAX

/* ------------------------------------------------------------------------------------------------ Version */

#define SINPOS_VERSION_MAJOR 0
#define SINPOS_VERSION_MINOR 1
#define SINPOS_VERSION_PATCH 0
#define SINPOS_VERSION "0.1.0"
#define SINPOS_VERSION_NUMBER (SINPOS_VERSION_MAJOR * 1000000u + SINPOS_VERSION_MINOR * 1000u + SINPOS_VERSION_PATCH)

/*
 * sinpos_version() - version of the library that is running, as "MAJOR.MINOR.PATCH".
 * Returns a constant string; never NULL.  Cost O(1).  Source: the macro above.  Since 0.1.
 */
SINPOS_API const char *sinpos_version(void);

/*
 * sinpos_version_number() - the same as a number, to compare: MAJOR * 1000000 + MINOR * 1000 + PATCH.
 * Returns 1000 for 0.1.0; SINPOS_VERSION_NUMBER is that of this header.  Cost O(1).  Source: the macros above.  Since 0.1.
 */
SINPOS_API unsigned sinpos_version_number(void);

/*
 * sinpos_isa() - instruction set that the work functions use: "scalar", "neon", "avx2" or "avx512".
 * The best one that the processor and the library have, unless the environment variable SINPOS_ISA names a lower
 * one when the library is first used, or sinpos_isa_cap() was called.
 * Returns a constant string; never NULL.  Cost O(1).  Source: docs/architecture.md.  Since 0.1.
 */
SINPOS_API const char *sinpos_isa(void);

/* ------------------------------------------------------------------------------------------------- Status */

/* Frozen: a value never changes its meaning and is never reused. */
typedef enum sinpos_status {
    SINPOS_OK = 0,
    SINPOS_E_NULL = 1,     /* a pointer that must not be NULL is NULL */
    SINPOS_E_SPEC = 2,     /* the specification is inconsistent or outside its ranges: sinpos_spec_check() says why */
    SINPOS_E_TYPE = 3,     /* no such element type, or one that the plan was not made for */
    SINPOS_E_SHAPE = 4,    /* a stride below dim, heads that overlap, sizes that do not fit or are beyond size_t */
    SINPOS_E_RANGE = 5,    /* a position is not finite, or not below 2^63 in size */
    SINPOS_E_MEMORY = 6,   /* out of memory */
    SINPOS_E_OVERFLOW = 7, /* the amplitude does not fit the element type */
    SINPOS_E_UNSUPPORTED = 8, /* not available here */
    SINPOS_E_STOPPED = 9,     /* the caller's progress function asked to stop */
    SINPOS_E_FILE = 10,       /* a temporary file could not be made, written or read */
    SINPOS_E_VALUE = 11,      /* an argument outside its range, or data that is not finite */
    SINPOS_E_NAME = 12,       /* no convention, parameter or arithmetic has this name */
    SINPOS_E_AXES = 13,       /* another number of coordinates than this needs */
    SINPOS_E_COLUMNS = 14,    /* a tone lacks its sine or its cosine, and this needs both */
    SINPOS_E_CAPACITY = 15,   /* there is room for fewer than there are */
    SINPOS_E_STRUCT = 16      /* struct_size is not set, or the struct asks for what this version does not know */
} sinpos_status;

/*
 * sinpos_strerror() - one short English sentence for a status, without a final stop.
 * Returns a constant string; for a number that is not a status, "unknown status".  Cost O(1).
 * Source: the list above.  Since 0.1.
 */
SINPOS_API const char *sinpos_strerror(sinpos_status status);

/* What was refused, for programs and for people. Sized; start from SINPOS_ERROR_INIT. */
typedef struct sinpos_error {
    size_t struct_size;
    size_t tone;          /* number of the tone in its list, or SINPOS_NONE */
    size_t n_axes;        /* SINPOS_E_AXES: how many coordinates a position must have; else 0 */
    sinpos_status status; /* as returned */
    char name[60];        /* what it is about: a field ("base"), a parameter ("embedding_dim"); "" where nothing
                              is to be named */
    char message[400];    /* one clause: "base must be positive and finite"; "" for SINPOS_OK */
    char hint[200];       /* what to do about it; "" where there is no advice */
} sinpos_error;

#define SINPOS_ERROR_INIT                                                                                              \
    {                                                                                                                  \
        sizeof(sinpos_error), SINPOS_NONE, 0, SINPOS_OK, "", "", ""                                                    \
    }

/*
 * sinpos_isa_cap() - use no instruction set better than the one named; NULL lifts the cap.
 * For tests and comparisons: the bytes do not depend on it. Calls already running keep what they began with.
 *   name     "scalar", "neon", "avx2" or "avx512"; the last three also with "-double" behind: without rows in float;
 *            "avx512-base": without AVX512_BF16.
 * Returns SINPOS_OK; SINPOS_E_UNSUPPORTED for an unknown name, or where this library or this processor has no such
 * set (nothing changes then).  Cost O(1).  Source: docs/architecture.md.  Since 0.1.
 */
SINPOS_API SINPOS_MUST_CHECK sinpos_status sinpos_isa_cap(const char *name);

/* ------------------------------------------------------------------------------------------ Element types */

/* Values are bits, so that a set of types is their OR. bfloat16 and float16 elements are uint16_t in memory. */
typedef enum sinpos_type {
    SINPOS_F64 = 1, /* IEEE binary64 */
    SINPOS_F32 = 2, /* IEEE binary32 */
    SINPOS_F16 = 4, /* IEEE binary16 */
    SINPOS_BF16 = 8 /* the upper half of binary32 */
} sinpos_type;

/*
 * sinpos_type_bytes() - bytes of one element.
 * Returns 8, 4, 2 or 2; 0 for a number that is not a type.  Cost O(1).  Source: IEEE 754.  Since 0.1.
 */
SINPOS_API size_t sinpos_type_bytes(sinpos_type type);

/* ------------------------------------------------------------------------------------------ Specification */

/* How the frequencies run, i = 0, 1, ..., n_frequencies - 1. All numbers are taken exactly as given. */
typedef enum sinpos_schedule {
    SINPOS_GEOMETRIC = 0, /* theta_i = scale * (base / base_divisor)^(-(i + shift) / divisor)       radians */
    SINPOS_POWER = 1,     /* theta_i = scale * (1 - (i + shift) / divisor)^exponent                 radians */
    SINPOS_OCTAVE = 2,    /* theta_i = scale * pi * 2^(i + shift)                                   radians */
    SINPOS_TURNS = 3,     /* theta_i = scale * 2 pi * theta[i], theta[] in turns per position               */
    SINPOS_EXPLICIT = 4   /* theta_i = scale * theta[i],        theta[] in radians per position             */
} sinpos_schedule;

typedef enum sinpos_layout {
    SINPOS_INTERLEAVED = 0, /* columns 2i, 2i+1 belong to frequency i */
    SINPOS_HALVES = 1       /* all of the first component, then all of the second */
} sinpos_layout;

typedef enum sinpos_order {
    SINPOS_SIN_COS = 0, /* sine is the first component */
    SINPOS_COS_SIN = 1  /* cosine is the first component */
} sinpos_order;

/* What an odd dim means. */
typedef enum sinpos_odd {
    SINPOS_TRUNCATE = 0, /* ceil(dim/2) frequencies; the last one lacks its second component */
    SINPOS_ZERO = 1      /* floor(dim/2) frequencies; the last column is zero */
} sinpos_odd;

/* Largest dim, number of tones, and number of coordinates. */
#define SINPOS_MAX_DIM ((size_t)1 << 31)
#define SINPOS_MAX_AXES ((size_t)1 << 10)

/* What the user wants, for one coordinate. Sized; start from SINPOS_SPEC_INIT and change fields. */
typedef struct sinpos_spec {
    size_t struct_size;
    size_t dim; /* columns, 1 .. SINPOS_MAX_DIM */
    sinpos_schedule schedule;
    sinpos_layout layout;
    sinpos_order order;
    sinpos_odd odd;
    unsigned types;       /* set of sinpos_type the plan will be used with; 0 means all of them. Asking for
                                  fewer makes the plan smaller and faster to make */
    double base;          /* > 0, finite; may be 1 or less */
    double base_divisor;  /* > 0, finite; the base is base / base_divisor, a ratio of two doubles */
    double exponent;      /* of SINPOS_POWER; 0, or finite and at least 2^-60 in size */
    double shift;         /* added to the index i; finite. SINPOS_OCTAVE takes any real number */
    double divisor;       /* nonzero, finite; 0 stands for n: dim / 2 as a real number, and with SINPOS_ZERO
                                  floor(dim / 2) */
    double scale;         /* factor on every frequency; finite */
    double amplitude;     /* factor on every element, inside the one rounding; finite */
    double phase;         /* radians, taken exactly; finite */
    double phase_turns;   /* turns, taken exactly, added to phase; finite */
    const double *theta;  /* SINPOS_TURNS, SINPOS_EXPLICIT: (n_theta) frequencies; only read by
                                  sinpos_plan_create(), which copies them */
    size_t n_theta;       /* must be the number of frequencies that dim and odd give */
    const double *factor; /* NULL, or (n_factor) nonzero finite numbers: theta_i is divided by factor[i] */
    size_t n_factor;      /* the number of frequencies where factor is not NULL */
} sinpos_spec;

#define SINPOS_SPEC_INIT                                                                                               \
    {                                                                                                                  \
        sizeof(sinpos_spec), 512, SINPOS_GEOMETRIC, SINPOS_INTERLEAVED, SINPOS_SIN_COS, SINPOS_TRUNCATE, 0, 10000.0,   \
            1.0, 1.0, 0.0, 0.0, 1.0, 1.0, 0.0, 0.0, NULL, 0, NULL, 0                                                   \
    }

/*
 * sinpos_spec_frequencies() - number of frequencies that spec->dim and spec->odd give.
 * Returns ceil(dim/2) for SINPOS_TRUNCATE, floor(dim/2) for SINPOS_ZERO, 0 for NULL.  Cost O(1).
 * Source: sinpos_odd above.  Since 0.1.
 */
SINPOS_API size_t sinpos_spec_frequencies(const sinpos_spec *spec);

/*
 * sinpos_spec_check() - is the specification complete and within its ranges?
 *   spec     what to check.
 *   error    NULL, or receives what is wrong: error.name is the field.
 * Returns SINPOS_OK, SINPOS_E_NULL, SINPOS_E_STRUCT, SINPOS_E_SPEC, SINPOS_E_OVERFLOW (amplitude beyond a type asked for
 * by name).
 * Cost O(n_theta + n_factor).  Source: the ranges above.  Since 0.1.
 */
SINPOS_API SINPOS_MUST_CHECK sinpos_status sinpos_spec_check(const sinpos_spec *spec, sinpos_error *error);

/* Which of the components a tone lacks. */
#define SINPOS_NO_COLUMN ((ptrdiff_t)-1)

/*
 * A real number as the exact sum of doubles: six of them hold more than 300 bits. All terms of such a sum, the double
 * that it is added to included, are zero or within a factor 2^600 of each other.
 */
#define SINPOS_PARTS 6

/*
 * One more coordinate that a tone depends on: coordinate * coefficient / divisor is added to its angle. The tone's
 * scale and factor do not apply. Zero, or between 2^-1074 and 2^600 in size.
 */
typedef struct sinpos_listen {
    size_t axis;                      /* not the tone's own, and each but once */
    double coefficient[SINPOS_PARTS]; /* their sum; radians per unit, or turns where the tone is in turns */
    double divisor;                   /* nonzero; 1 for none */
} sinpos_listen;

/*
 * What few tones need. Zeros, and divisors of 1, change nothing. Rows are as fast as without it, but for tones that
 * depend on further coordinates, which take about 15 ns per element and coordinate. Sized: what later versions add to
 * tones is added here. Start from SINPOS_TONE_MORE_INIT.
 */
typedef struct sinpos_tone_more {
    size_t struct_size;
    double value[SINPOS_PARTS];     /* SINPOS_EXPLICIT: the tone's value is this sum plus sinpos_tone.value */
    double phase[SINPOS_PARTS];     /* their sum is added to the phase; radians, or turns where the tone is in turns */
    double phase_divisor;           /* nonzero; divides phase_turns, so that a third of a turn can be said exactly */
    double amplitude[SINPOS_PARTS]; /* their sum is added to sinpos_tone.amplitude */
    const sinpos_listen *listens;   /* (n_listens) coordinates beside axis; NULL for none */
    size_t n_listens;
} sinpos_tone_more;

#define SINPOS_TONE_MORE_INIT                                                                                          \
    {                                                                                                                  \
        sizeof(sinpos_tone_more), {0}, {0}, 1.0, {0}, NULL, 0                                                          \
    }

/*
 * One tone, all numbers taken exactly as given. Its frequency is the real number
 *
 *     SINPOS_GEOMETRIC   scale * (base / base_divisor)^(-(index + shift) / divisor) / factor
 *     SINPOS_POWER       scale * (1 - (index + shift) / divisor)^exponent / factor
 *     SINPOS_EXPLICIT    scale * value / factor
 *
 * in radians per position, or in turns per position where in_turns is not 0. (SINPOS_OCTAVE and SINPOS_TURNS are
 * specifications, not tones: sinpos_spec_tones() writes them as the above in turns.) Start from SINPOS_TONE_INIT.
 */
typedef struct sinpos_tone {
    sinpos_schedule schedule; /* SINPOS_GEOMETRIC, SINPOS_POWER or SINPOS_EXPLICIT */
    int in_turns;             /* 0: radians; 1: turns */
    double base, base_divisor, exponent, index, shift, divisor, scale, factor;
    double value;       /* of SINPOS_EXPLICIT */
    double phase;       /* radians */
    double phase_turns; /* turns, added */
    double amplitude;
    size_t axis;          /* its coordinate, 0 .. n_axes-1 */
    ptrdiff_t sin_column; /* 0 .. dim-1, or SINPOS_NO_COLUMN */
    ptrdiff_t cos_column;
    const sinpos_tone_more *more; /* NULL for nearly all; only read by sinpos_plan_create_tones(), which copies it */
} sinpos_tone;

/* An explicit tone of frequency 0 and amplitude 1, on coordinate 0, with no column. */
#define SINPOS_TONE_INIT                                                                                               \
    {                                                                                                                  \
        SINPOS_EXPLICIT, 0, 1.0, 1.0, 1.0, 0.0, 0.0, 1.0, 1.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0, SINPOS_NO_COLUMN,           \
            SINPOS_NO_COLUMN, NULL                                                                                     \
    }

/*
 * sinpos_spec_tones() - the list of tones of a specification, to be edited: other columns, another coordinate,
 * amplitudes of one's own, several lists put together.
 *   spec     a specification that sinpos_spec_check() accepts.
 *   tones     room for capacity tones; sinpos_spec_frequencies(spec) are written.
 *   capacity  how many there is room for.
 * Returns SINPOS_OK, or as sinpos_spec_check(); SINPOS_E_CAPACITY, and then nothing is written.
 * Cost O(frequencies).  Source: the formulas above.  Since 0.1.  Example: examples/grid.c
 */
SINPOS_API SINPOS_MUST_CHECK sinpos_status sinpos_spec_tones(const sinpos_spec *spec, sinpos_tone *tones,
                                                             size_t capacity);

/* --------------------------------------------------------------------------------------------------- Plan */

/* Exact frequencies and rotation tables; immutable [P3]. */
typedef struct sinpos_plan sinpos_plan;

/*
 * sinpos_plan_create() - make the plan of a specification with one coordinate.
 *   out      receives the plan; NULL on error.
 *   spec     only read; may be freed afterwards.
 * Returns SINPOS_OK; SINPOS_E_NULL; SINPOS_E_STRUCT, SINPOS_E_SPEC, SINPOS_E_OVERFLOW as sinpos_spec_check();
 * SINPOS_E_MEMORY.
 * Cost   O(dim): time of about 250 rows; for dim 1024 0.40 MiB with all types, 0.26 MiB with SINPOS_F32.
 * Source Vaswani et al. 2017, arXiv:1706.03762, section 3.5; docs/numerics.md.  Since 0.1.  Example: examples/fill.c
 */
SINPOS_API SINPOS_MUST_CHECK sinpos_status sinpos_plan_create(sinpos_plan **out, const sinpos_spec *spec);

/*
 * sinpos_plan_create_tones() - make the plan of a list of tones, with any number of coordinates.
 *   out      receives the plan; NULL on error.
 *   dim      columns, 1 .. SINPOS_MAX_DIM. A column that no tone names is zero.
 *   n_axes   coordinates of a position, 1 .. SINPOS_MAX_AXES.
 *   tones    (n_tones), only read, with what their `more` point to; may be freed afterwards. No two may name the
 *            same column.
 *   n_tones  0 .. dim.
 *   types    set of sinpos_type, 0 for all.
 *   error    NULL, or receives what is wrong: error.tone is the tone's number, error.name its field.
 * Returns as sinpos_plan_create().  Cost O(dim).  Source docs/architecture.md.  Since 0.1.  Example: examples/grid.c
 */
SINPOS_API SINPOS_MUST_CHECK sinpos_status sinpos_plan_create_tones(sinpos_plan **out, size_t dim, size_t n_axes,
                                                                    const sinpos_tone *tones, size_t n_tones,
                                                                    unsigned types, sinpos_error *error);

/*
 * sinpos_plan_destroy() - free a plan that no thread uses any more; NULL is fine.
 * Returns nothing.  Cost O(1).  Source: none needed.  Since 0.1.
 */
SINPOS_API void sinpos_plan_destroy(sinpos_plan *plan);

/*
 * sinpos_plan_dim(), sinpos_plan_axes(), sinpos_plan_bytes() - columns, coordinates, memory held in bytes.
 * Returns the number; 0 for NULL.  Cost O(1).  Source: none needed.  Since 0.1.
 */
SINPOS_API size_t sinpos_plan_dim(const sinpos_plan *plan);
SINPOS_API size_t sinpos_plan_axes(const sinpos_plan *plan);
SINPOS_API size_t sinpos_plan_bytes(const sinpos_plan *plan);

/*
 * sinpos_plan_theta() - the frequencies, rounded once to double.
 *   theta_rad    NULL to ask how many there are, or room for capacity: radians per position, in the order of the tones.
 *   capacity     how many there is room for; ignored if theta_rad is NULL.
 *   n_tones      receives how many there are, also with SINPOS_E_CAPACITY.
 * Returns SINPOS_OK; SINPOS_E_NULL; SINPOS_E_CAPACITY, and then nothing is written.
 * Cost O(n_tones), about 1 us each.  Source docs/numerics.md.  Since 0.1.
 */
SINPOS_API SINPOS_MUST_CHECK sinpos_status sinpos_plan_theta(const sinpos_plan *plan, double *theta_rad,
                                                             size_t capacity, size_t *n_tones);

/*
 * sinpos_plan_tones() - the tones a plan was made of, exactly as given: to make a related plan.
 *   tones        NULL to ask how many there are, or room for capacity. Their `more` point into the plan and hold as long
 *                as it does.
 *   capacity, n_tones   as above.
 * Returns as sinpos_plan_theta().  Cost O(n_tones).  Source docs/architecture.md.  Since 0.1.
 */
SINPOS_API SINPOS_MUST_CHECK sinpos_status sinpos_plan_tones(const sinpos_plan *plan, sinpos_tone *tones,
                                                             size_t capacity, size_t *n_tones);

/* --------------------------------------------------------------------------------------------------- Work */

/*
 * sinpos_fill() - write the encodings of consecutive positions.
 *
 *     row i, tone k:  out[i*ld_out + sin_column[k]] = amplitude * sin(phase + (first + i) * theta[k])
 *                     out[i*ld_out + cos_column[k]] = amplitude * cos(phase + (first + i) * theta[k])
 *
 *   plan     from sinpos_plan_create(), with one coordinate; only read.
 *   first    position of row 0; first + n - 1 <= INT64_MAX and first > INT64_MIN.
 *   n        rows; 0 does nothing and succeeds.
 *   type     element type of out.
 *   out      (n, dim) row-major, caller's memory, aligned to one element.
 *   ld_out   row stride in elements, >= dim.
 *
 * Returns SINPOS_OK. On error out is untouched [P5]:  SINPOS_E_NULL  plan, or out with n > 0;  SINPOS_E_TYPE  no such
 * type, or not in the plan's set;  SINPOS_E_OVERFLOW  an amplitude that the type cannot hold;  SINPOS_E_SHAPE
 * ld_out < dim, or n * ld_out beyond size_t;  SINPOS_E_AXES  a plan with several coordinates;  SINPOS_E_RANGE  positions.
 * [P1]   Every element is the real-number value rounded once.
 * Cost   O(n * dim): one to two times memset on the same bytes for float32 and float64, two to four times for the 16-bit types.
 * Source Vaswani et al. 2017, arXiv:1706.03762, section 3.5.  Since 0.1.  Example: examples/fill.c
 */
SINPOS_API SINPOS_MUST_CHECK sinpos_status sinpos_fill(const sinpos_plan *plan, int64_t first, size_t n,
                                                       sinpos_type type, void *out, size_t ld_out);

/*
 * sinpos_fill_at() - as sinpos_fill(), for any integer positions.
 *   positions  (n, n_axes) row-major, each > INT64_MIN.
 *   n          rows.
 * Returns as sinpos_fill(); SINPOS_E_NULL also for positions.  [P1]
 * Cost   O(n * dim): three to five times memset.  Source as sinpos_fill().  Since 0.1.  Example: examples/scattered.c
 */
SINPOS_API SINPOS_MUST_CHECK sinpos_status sinpos_fill_at(const sinpos_plan *plan, const int64_t *positions, size_t n,
                                                          sinpos_type type, void *out, size_t ld_out);

/*
 * sinpos_fill_real() - as sinpos_fill(), for any real positions: time steps, coordinates in space.
 *   positions  (n, n_axes) row-major, finite, below 2^63 in size, each taken exactly.
 *   n          rows.
 * Returns as sinpos_fill(); SINPOS_E_NULL also for positions.  [P1]
 * Cost   O(n * dim).  Source as sinpos_fill().  Since 0.1.  Example: examples/scattered.c
 */
SINPOS_API SINPOS_MUST_CHECK sinpos_status sinpos_fill_real(const sinpos_plan *plan, const double *positions, size_t n,
                                                            sinpos_type type, void *out, size_t ld_out);

/*
 * sinpos_add(), sinpos_add_at(), sinpos_add_real() - x += encoding, in place, with no table.
 *
 *     x[i*ld_x + j] = round_type(x[i*ld_x + j] + e)      e: the element that the fill of the same name would write
 *
 *   x        (n, dim) row-major, caller's memory, aligned to one element.
 *   ld_x     row stride in elements, >= dim.
 *   Other arguments, returns and errors as the fill functions. The sum is rounded once to nearest even in the type
 *   of x: the bytes are those of adding a table from sinpos_fill(). NaN stays NaN.
 * Returns as sinpos_fill().  [P1] holds for the addend.
 * Cost   O(n * dim): about 1.3 times as long as x += constant.  Source as sinpos_fill().  Since 0.1.  Example: examples/add.c
 */
SINPOS_API SINPOS_MUST_CHECK sinpos_status sinpos_add(const sinpos_plan *plan, int64_t first, size_t n,
                                                      sinpos_type type, void *x, size_t ld_x);
SINPOS_API SINPOS_MUST_CHECK sinpos_status sinpos_add_at(const sinpos_plan *plan, const int64_t *positions, size_t n,
                                                         sinpos_type type, void *x, size_t ld_x);
SINPOS_API SINPOS_MUST_CHECK sinpos_status sinpos_add_real(const sinpos_plan *plan, const double *positions, size_t n,
                                                           sinpos_type type, void *x, size_t ld_x);

/* Which positions the rows of a call have. Sized; start from SINPOS_ROWS_INIT. */
typedef struct sinpos_rows {
    size_t struct_size;
    size_t n;                /* rows */
    const int64_t *integers; /* (n, n_axes), or NULL */
    const double *reals;     /* (n, n_axes), or NULL; at most one of the two is given */
    int64_t first;           /* with neither: row i has position first + i */
} sinpos_rows;

#define SINPOS_ROWS_INIT                                                                                               \
    {                                                                                                                  \
        sizeof(sinpos_rows), 0, NULL, NULL, 0                                                                          \
    }

typedef enum sinpos_operation {
    SINPOS_FILL = 0,              /* out = encoding */
    SINPOS_ADD = 1,               /* out = out + encoding */
    SINPOS_GRADIENT_POSITION = 2, /* out = d encoding / d position of the tone's coordinate */
    SINPOS_GRADIENT_THETA = 3     /* out = d encoding / d theta of the tone */
} sinpos_operation;

/*
 * sinpos_run() - any of the work, on several threads.
 *   operation, rows, type, out, ld_out   as in the functions above and below, which are this one with one thread.
 *   n_threads  1 .. 1024; 0 stands for the number of processors that this process may use: those of its affinity mask,
 *              or fewer where a control group limits them (read at first use). Rows are split into ranges; where a thread
 *              cannot be started the others do its work. The bytes do not depend on it [P1]. With more than one the
 *              caller cannot be cancelled (pthread_cancel) before all have ended.
 * Returns as sinpos_fill(); SINPOS_E_VALUE for an unknown operation, both kinds of positions or too many threads;
 * SINPOS_E_STRUCT for rows.
 * Cost   O(n * dim / n_threads).  Source docs/architecture.md.  Since 0.1.  Example: examples/add.c
 */
SINPOS_API SINPOS_MUST_CHECK sinpos_status sinpos_run(const sinpos_plan *plan, sinpos_operation operation,
                                                      const sinpos_rows *rows, sinpos_type type, void *out,
                                                      size_t ld_out, size_t n_threads);

/*
 * sinpos_gradient_position(), sinpos_gradient_theta() - exact derivatives of every element.
 *
 *     position:  out[i, sin_column[k]] =  amplitude * theta_k * cos(phase + p_i theta_k)
 *                out[i, cos_column[k]] = -amplitude * theta_k * sin(phase + p_i theta_k)
 *     theta:     out[i, sin_column[k]] =  amplitude * p_i * cos(phase + p_i theta_k)
 *                out[i, cos_column[k]] = -amplitude * p_i * sin(phase + p_i theta_k)
 *
 *   theta_k and p_i are of the tone's own coordinate, also where it depends on others.
 *   Arguments as sinpos_run() with one thread. An element beyond the type's range is an infinity, as IEEE 754 rounds.
 * Returns as sinpos_fill().  [P1]
 * Cost   O(n * dim).  Source: calculus.  Since 0.1.  Example: examples/gradient.c
 */
SINPOS_API SINPOS_MUST_CHECK sinpos_status sinpos_gradient_position(const sinpos_plan *plan, const sinpos_rows *rows,
                                                                    sinpos_type type, void *out, size_t ld_out);
SINPOS_API SINPOS_MUST_CHECK sinpos_status sinpos_gradient_theta(const sinpos_plan *plan, const sinpos_rows *rows,
                                                                 sinpos_type type, void *out, size_t ld_out);

/*
 * sinpos_shift_matrix() - the matrix M_k with  encoding(p + k) = M_k encoding(p)  for every p (columns of numbers).
 *
 *     M[s][s] = M[c][c] = cos(k theta),  M[s][c] = sin(k theta),  M[c][s] = -sin(k theta)     s, c: a tone's columns
 *
 *   plan     with one coordinate; every tone has both columns.
 *   k        the shift, > INT64_MIN.
 *   type     element type of out.
 *   out      (dim, dim) row-major; all other elements, also of columns that are always zero, are zero.
 *   ld_out   row stride in elements, >= dim.
 * Returns as sinpos_fill(); SINPOS_E_COLUMNS for a tone that lacks a column.  [P1]
 * Cost   O(dim * dim).  Source: the sine and cosine of a sum of angles.  Since 0.1.  Example: examples/shift.c
 */
SINPOS_API SINPOS_MUST_CHECK sinpos_status sinpos_shift_matrix(const sinpos_plan *plan, int64_t k, sinpos_type type,
                                                               void *out, size_t ld_out);

/*
 * sinpos_shift() - apply M_k to every row of an array, in place: encodings of p become encodings of p + k.
 *
 *     x[s] <- round(x[s] * cos(k theta) + x[c] * sin(k theta)),   x[c] <- round(x[c] * cos(k theta) - x[s] * sin(k theta))
 *
 *   k        the shift, > INT64_MIN.
 *   n        rows.
 *   type     element type of x.
 *   x        (n, dim) row-major. Elements of columns that no tone names are left as they are.
 *   ld_x     row stride in elements, >= dim.
 * Returns as sinpos_fill(); SINPOS_E_COLUMNS for a tone that lacks a column. With finite x each new element is the
 * real-number value rounded once; an infinity or NaN in a pair makes both NaN.
 * Cost   O(n * dim).  Source as sinpos_shift_matrix().  Since 0.1.  Example: examples/shift.c
 */
SINPOS_API SINPOS_MUST_CHECK sinpos_status sinpos_shift(const sinpos_plan *plan, int64_t k, size_t n, sinpos_type type,
                                                        void *x, size_t ld_x);

/* ------------------------------------------------------------------------------------------------- Rotary */

typedef enum sinpos_direction {
    SINPOS_FORWARD = 0,  /* by the angle, times the amplitude */
    SINPOS_INVERSE = 1,  /* what undoes it: by minus the angle, divided by the amplitude */
    SINPOS_TRANSPOSE = 2 /* its gradient: by minus the angle, times the amplitude */
} sinpos_direction;

/*
 * sinpos_rotate() - rotary encoding of queries or keys, in place, exact: no table of sines is made.
 *
 *     forward:    u' = A (u cos t - v sin t)    v' = A (v cos t + u sin t)    u = x[i*ld_row + h*ld_head + cos_column[k]]
 *     transpose:  u' = A (u cos t + v sin t)    v' = A (v cos t - u sin t)    v = x[i*ld_row + h*ld_head + sin_column[k]]
 *     inverse:    the transpose divided by A^2                                t = phase_k + p_i theta_k, A = amplitude_k
 *
 * Pairs half a head apart are SINPOS_HALVES with SINPOS_COS_SIN, neighbours SINPOS_INTERLEAVED with SINPOS_COS_SIN.
 *
 *   plan       every tone has both columns; dim is the width of a head.
 *   rows       positions, as for sinpos_run(); all heads of a row share its position.
 *   n_heads    heads of each row.
 *   type       element type of x.
 *   x          caller's memory, aligned to one element. Elements of columns that no tone names are left as they are.
 *   ld_row     elements from a row to the next; ignored if there is one row.
 *   ld_head    elements from a head to the next; ignored if there is one head. Either may be the larger: (n, heads, dim)
 *              has ld_row = heads * dim and ld_head = dim, (heads, n, dim) has ld_row = dim and ld_head = n * dim.
 *   n_threads  as for sinpos_run(); the bytes do not depend on it.
 *
 * Returns SINPOS_OK; with no rows or no heads nothing is done. On error x is untouched [P5]: as sinpos_run();
 * SINPOS_E_SHAPE also for heads that overlap; SINPOS_E_COLUMNS a tone that lacks a column; SINPOS_E_VALUE also for an
 * unknown direction, or the inverse of an amplitude 0.
 * [P1] With finite u and v each new element is the real-number value rounded once; an infinity or NaN in a pair makes
 * both NaN.
 * Cost   O(n * n_heads * dim): about as long as x *= constant for float32 with several heads.
 * Source Su et al. 2021, arXiv:2104.09864, section 3.2.  Since 0.1.  Example: examples/rotate.c
 */
SINPOS_API SINPOS_MUST_CHECK sinpos_status sinpos_rotate(const sinpos_plan *plan, const sinpos_rows *rows,
                                                         sinpos_direction direction, size_t n_heads, sinpos_type type,
                                                         void *x, size_t ld_row, size_t ld_head, size_t n_threads);

/* ------------------------------------------------------------------------- Batches, layers, out of place */

/*
 * The caller's own threads. run() calls work(context) up to n times, on any threads at once, and returns when all calls have
 * returned. Each call does ranges of rows until none is left; what no call did the calling thread does. Bytes do not
 * depend on it. work() sets the library's floating-point environment and restores that of its thread.
 */
typedef struct sinpos_pool {
    void (*run)(void *pool, void (*work)(void *context), void *context, size_t n);
    void *pool;
} sinpos_pool;

/*
 * Where rows lie. Element j of head h of row i of batch b is out[b*ld_batch + i*ld_row + h*ld_head + j]; all heads and
 * batches of a row have its position. Sized; start from SINPOS_ARRAYS_INIT.
 */
typedef struct sinpos_arrays {
    size_t struct_size;
    void *out;                        /* the results, aligned to one element */
    const void *in;                   /* the operands; NULL: those in out, in place. Else memory apart from out */
    size_t n_batches, n_heads;        /* with 0 of either nothing is done */
    size_t ld_batch, ld_row, ld_head; /* of out, in elements, in any order of size; ignored where there is one */
    size_t in_ld_batch, in_ld_row, in_ld_head; /* of in */
    size_t width;            /* columns of a head, 0 for dim. Those that no tone names stay as they are,
                                                  or are copied from in; a sum adds 0 to those below dim */
    size_t n_threads;        /* as for sinpos_run() */
    const sinpos_pool *pool; /* NULL: threads are started */
    void *workspace;         /* NULL, or memory for sums of several batches or heads; any bytes, before and after */
    size_t workspace_bytes;  /* sinpos_workspace_bytes(); with less, or NULL, they are as right and slower */
} sinpos_arrays;

#define SINPOS_ARRAYS_INIT                                                                                             \
    {                                                                                                                  \
        sizeof(sinpos_arrays), NULL, NULL, 1, 1, 0, 0, 0, 0, 0, 0, 0, 1, NULL, NULL, 0                                 \
    }

/*
 * sinpos_workspace_bytes() - the memory with which sums of several batches or heads are fastest: 33 rows for each of
 * n_threads (0: the number of processors), which then go through one batch after the other. From some MiB of sums on they
 * take 10 to 35 % less time. The memory lies apart from all arrays and serves one call at a time, at any address.
 * Returns the bytes; 0 where rows are so long that none is of use, for NULL, no type, and more than 1024 threads.
 * Cost   O(1): 132 KiB a thread for 1024 columns of float32.  Source docs/decisions.md.  Since 0.1.  Example:
 * examples/batches.c
 */
SINPOS_API size_t sinpos_workspace_bytes(const sinpos_plan *plan, sinpos_type type, size_t n_threads);

/*
 * sinpos_run_arrays(), sinpos_rotate_arrays() - as sinpos_run() and sinpos_rotate(), for batches, out of place (into a
 * cache of keys), and on the caller's threads. The sines of a row are made once for all of its heads and batches.
 *   arrays   of SINPOS_FILL and the gradients: in is NULL, one batch, one head.
 * Returns as those; SINPOS_E_SHAPE for rows, heads or batches that overlap, or a width below dim; SINPOS_E_VALUE for what
 * the operation cannot have, or a pool without run(); SINPOS_E_STRUCT for arrays.  [P1] as those.
 * Cost   O(n * n_batches * n_heads * dim): 8 batches 1.1 to 1.4 times x += constant, the less with a workspace.  Source docs/architecture.md.  Since 0.1.
 * Example: examples/batches.c
 */
SINPOS_API SINPOS_MUST_CHECK sinpos_status sinpos_run_arrays(const sinpos_plan *plan, sinpos_operation operation,
                                                             const sinpos_rows *rows, sinpos_type type,
                                                             const sinpos_arrays *arrays);
SINPOS_API SINPOS_MUST_CHECK sinpos_status sinpos_rotate_arrays(const sinpos_plan *plan, const sinpos_rows *rows,
                                                                sinpos_direction direction, sinpos_type type,
                                                                const sinpos_arrays *arrays);

/* The sines and cosines of some rows, ready to rotate with: of a token, for all layers, queries and keys. Immutable [P3]. */
typedef struct sinpos_factors sinpos_factors;

/*
 * sinpos_factors_create(), sinpos_factors_destroy(), sinpos_factors_bytes() - make them; free them (NULL is fine); memory
 * held in bytes.
 *   out               receives them; NULL on error.
 *   plan              must live as long; every tone has both columns.
 *   rows              their positions, which are copied.
 *   direction, type   of the rotation.
 * Returns as sinpos_rotate(); SINPOS_E_MEMORY; sinpos_factors_bytes(): 0 for NULL.
 * Cost   O(n * dim): 36 to 48 bytes for each row and tone.  Source docs/architecture.md.  Since 0.1.
 * Example: examples/batches.c
 */
SINPOS_API SINPOS_MUST_CHECK sinpos_status sinpos_factors_create(sinpos_factors **out, const sinpos_plan *plan,
                                                                 const sinpos_rows *rows, sinpos_direction direction,
                                                                 sinpos_type type);
SINPOS_API void sinpos_factors_destroy(sinpos_factors *factors);
SINPOS_API size_t sinpos_factors_bytes(const sinpos_factors *factors);

/*
 * sinpos_factors_rotate() - the bytes of sinpos_rotate_arrays(), with rows first .. first + n - 1 of the factors.
 * Returns as sinpos_rotate_arrays(); SINPOS_E_RANGE for rows that are not there.  [P1]
 * Cost   O(n * n_batches * n_heads * dim).  Source docs/architecture.md.  Since 0.1.  Example: examples/batches.c
 */
SINPOS_API SINPOS_MUST_CHECK sinpos_status sinpos_factors_rotate(const sinpos_factors *factors, size_t first, size_t n,
                                                                 const sinpos_arrays *arrays);

#ifdef __cplusplus
}
#endif

#endif
