/* Tables with the roundings of somebody's code: what they are made of. */
#pragma once

#include "step_program.h"

/* A coordinate: scale times the sum of columns first .. first + n_parts - 1 of x, plus shift. */
typedef struct replay_axis {
    size_t first, n_parts;
    bool is_x; /* scale 1, shift 0, one column */
    double scale[SINPOS_PARTS], shift[SINPOS_PARTS];
} replay_axis;

/* One frequency: programs of its sine and its cosine. */
typedef struct voice {
    size_t axis;
    program of[2];
    bool shares; /* both have the same angle, of the common type, and one wave */
    double theta;
} voice;

typedef struct voices {
    size_t n, n_axes, n_x; /* n_x: columns of x */
    voice *all;
    replay_axis *axes;
    sinpos_type type; /* of the angles that are done together */
    double *g;        /* (rows, n_g) what coordinates are made of, or NULL */
    size_t n_g;
    sinpos_plan *unit, *far; /* sin x, cos x; sin 2^65 x, cos 2^65 x */
} voices;

bool voices_ready(voices *v); /* after all programs are there; false without memory */
void voices_free(voices *v);

/* A column: a component of a voice, or where there is none a number. */
typedef struct replay_column {
    size_t column, voice;
    int component; /* 0 sine, 1 cosine, 2 angle, -1 the number */
    bool negated;
    double number;
} replay_column;

/* In which types queries and keys, x, are turned; all of these are float32 where x is. */
typedef enum turning {
    TURNING_UNKNOWN,
    TURNING_X,       /* cosines, sines, products and sums in the type of x */
    TURNING_F32,     /* all in float32, the result cast */
    TURNING_X_F32,   /* cosines and sines in the type of x, products and sums in float32 */
    TURNING_F32_F64, /* cosines and sines in float32, products and sums in float64 */
    TURNING_NONE
} turning;

/* "x", "f32", "x, f32", or blank; false for other words. */
bool turning_read(const char *words, turning *t);

struct sinpos_replay {
    voices *v;
    voices own; /* v, where no encoding has them */
    turning turns;
    size_t dim, n_columns;
    replay_column *columns;
};

/* values: (n, 3) sine, cosine and angle of each voice in a row of the call. */
typedef void row_use(void *context, size_t row, const double *values);
/* The memory and the threads of calls of up to n_rows rows: there before anything is written. NULL without memory. */
typedef struct replay_room replay_room;
replay_room *replay_room_create(const voices *v, size_t n_rows, size_t n_threads);
void replay_room_destroy(replay_room *room);
/* Calls use() for every row. first: the row of v->g that row 0 has. */
void replay_each(replay_room *room, const sinpos_rows *rows, size_t first, row_use *use, void *context);
/* What sinpos_replay_run() refuses of rows and threads. */
sinpos_status replay_check(const sinpos_replay *r, const sinpos_rows *rows);

/* replay_rotate.c. SINPOS_OK where elements of the type can be rotated so. */
sinpos_status replay_turns(const sinpos_replay *r, sinpos_direction direction, sinpos_type type);
void replay_rotate_rows(const sinpos_replay *r, replay_room *room, const sinpos_rows *rows, size_t first,
                        sinpos_direction direction, size_t n_heads, sinpos_type type, void *x, size_t ld_row,
                        size_t ld_head);

/* first: the row of v->g that row 0 has. */
void replay_rows(const sinpos_replay *r, replay_room *room, sinpos_operation operation, const sinpos_rows *rows,
                 size_t first, sinpos_type type, void *out, size_t ld);

/* arithmetic.c: what a generic recipe knows of a frequency. */
typedef struct schedule_numbers {
    bool is_geometric; /* theta = scale base^(-(first + i) / divisor) */
    real base, first, divisor, scale, theta;
    real phase, amplitude; /* radians */
    double i;
} schedule_numbers;

bool recipe_voice(scope *s, trace *t, const sinpos_arithmetic *recipe, const schedule_numbers *x, voice *v);
bool voice_trace(scope *s, trace *t, const published *formulas, const real *amplitude, voice *v);
