/* options.h - the one parser of the command line. */
#pragma once

#include <stdbool.h>

#include "error_line.h"
#include "number.h"
#include "sinpos_analysis.h"
#include "spelling.h"

enum option_id {
    /* which encoding */
    OPTION_CONVENTION,
    OPTION_SET,
    OPTION_PARAMETERS,
    OPTION_FROM_CONFIG,
    OPTION_LAYERS,
    OPTION_STRICT,
    OPTION_DIM,
    OPTION_BASE,
    OPTION_BASE_DIVISOR,
    OPTION_SCHEDULE,
    OPTION_EXPONENT,
    OPTION_SHIFT,
    OPTION_DIVISOR,
    OPTION_SCALE,
    OPTION_THETA,
    OPTION_FACTOR,
    OPTION_LAYOUT,
    OPTION_ORDER,
    OPTION_ODD,
    OPTION_AMPLITUDE,
    OPTION_PHASE,
    OPTION_PHASE_TURNS,
    OPTION_COLUMNS,
    OPTION_NEGATE,
    OPTION_ARITHMETIC,
    /* which positions, which type */
    OPTION_START,
    OPTION_LENGTH,
    OPTION_STEP,
    OPTION_POSITIONS,
    OPTION_GRID,
    OPTION_ZERO_ROWS,
    OPTION_TYPE,
    /* what to do with it */
    OPTION_OUTPUT,
    OPTION_ZARR,
    OPTION_CHUNK,
    OPTION_TENSOR,
    OPTION_HASH,
    OPTION_TOLERANCE,
    OPTION_OFFSETS,
    OPTION_BY,
    OPTION_LIMIT,
    OPTION_CONTEXT,
    OPTION_PARTIAL,
    OPTION_STILL,
    OPTION_VERIFY,
    OPTION_RESUME,
    OPTION_PAUSE_AFTER,
    OPTION_PUBLISHED,
    OPTION_LENGTHS,
    OPTION_TRAIN,
    OPTION_ALPHA,
    OPTION_BETA,
    OPTION_TEXT,
    OPTION_DATA,
    OPTION_SCRIPT,
    OPTION_SIZE,
    OPTION_TITLE,
    OPTION_DATE,
    OPTION_COMPARE,
    OPTION_CONTINUUM,
    OPTION_SCHEDULES,
    OPTION_ONLY,
    OPTION_QUICK,
    OPTION_TABLE,
    OPTION_EXPLAIN,
    OPTION_THRESHOLD,
    OPTION_WORDS,
    OPTION_H,
    OPTION_WQ,
    OPTION_WK,
    OPTION_SEED,
    OPTION_DIM_TABLE, /* --table of separate, which takes no file */
    OPTION_DIMS,
    OPTION_TABLE_LENGTHS,
    OPTION_BASES,
    OPTION_WANTED,
    OPTION_NEAREST,
    OPTION_ROUNDED,
    OPTION_METHOD,
    OPTION_MEMORY,
    OPTION_TEMPORARY,
    OPTION_FROM,
    OPTION_TO,
    OPTION_HEADS,
    OPTION_INVERSE,
    OPTION_TRANSPOSE,
    OPTION_KV_HEADS,
    OPTION_ROTARY_DIM,
    OPTION_TENSORS,
    OPTION_ALL,
    OPTION_OTHER_TENSOR,
    OPTION_ROTATED,
    OPTION_INPUT,
    OPTION_JSON,
    OPTION_QUIET,
    OPTION_THREADS,
    OPTION_ISA,
    OPTION_HELP,
    N_OPTIONS
};

struct command;

struct options {
    const struct command *command;
    const char *given[N_OPTIONS]; /* text of the value, "" for a flag; NULL where the option was not given */
    const char **operands;        /* part of argv */
    size_t n_operands;
    const char *sets[64]; /* values of --set, in order */
    size_t n_sets;
    const char *thresholds[64]; /* values of --threshold, in order */
    size_t n_thresholds;
    sinpos_spec spec; /* all but theta and factor */
    sinpos_type type;
    sinpos_distinct_method method;
    struct number start, step;
    int64_t by;
    size_t length;
    double tolerance;
    size_t limit;
    size_t partial; /* 0: all columns */
    size_t pause_after;
    size_t seed;
    double train, alpha, beta; /* 0: not given */
    double wanted;
    size_t nearest;
    size_t memory_bytes;
    size_t zarr_format, chunk_bytes;    /* 0: not given */
    size_t heads, kv_heads, rotary_dim; /* 0: not given */
    size_t threads;                     /* 0: all processors */
};

/* Name, value and meaning of an option, for help. */
struct option_type {
    const char *name;     /* without the dashes */
    const char *argument; /* NULL for a flag */
    unsigned commands;    /* set of enum command_bit */
    const char *meaning;
    const char *(*set)(struct options *options, enum option_id id, const char *value); /* NULL: the text is enough */
};

extern const struct option_type option_types[N_OPTIONS];
/* For nearest_name(). */
const char *option_name_at(size_t i);

/* Parses what follows the command's name and applies --isa. argv must live as long as options. */
void options_parse(struct options *options, const struct command *command, int argc, char **argv);

/* Takes a value, which must live as long, as if the option had come last. */
void options_set(struct options *options, enum option_id id, const char *value);

/* Does the command know other arithmetics than the exact one? The others take that name alone. */
bool command_replays(const struct command *command);

/* Does --arithmetic leave the exact numbers? */
bool arithmetic_is_exact(const struct options *options);

/* Fails with EXIT_USAGE about the value of an option that was given. */
noreturn void fail_option(const struct options *options, enum option_id id, const char *hint, const char *why, ...)
    __attribute__((format(printf, 4, 5)));

/* Fails about the first of n options that was given, if one was. */
void refuse_options(const struct options *options, const enum option_id *ids, size_t n, const char *hint,
                    const char *why, ...) __attribute__((format(printf, 5, 6)));
