/*
 * The engine of all work on rows. The factors of a row are the sines and cosines of its tones, times the amplitudes, with
 * their bounds: work.c stores and adds them and their derivatives, rotate.c turns the caller's pairs with them.
 */
#pragma once

#include "internal.h"

/* What rotation needs beside the factors. */
typedef struct turn_scratch {
    ALIGNED(64) float tie_limit[FEW], sine_floats[FEW], cosine_floats[FEW];
    ALIGNED(64) double sine[FEW], cosine[FEW];                 /* of a row of a block */
    ALIGNED(64) double amplitude[FEW], bound[FEW], slope[FEW]; /* where they are not the plan's */
} turn_scratch;

/* What a piece of tones needs, on the stack of one range of rows. */
typedef struct scratch {
    size_t most;                                   /* tones */
    double *sine, *cosine, *bound_sin, *bound_cos; /* the factors of a row, or of the centre of a block */
    double *sine_low, *cosine_low;                 /* where most is FEW, as those below */
    float *limit;                                  /* (2, most); or the sines and cosines of rows in float */
    char *up, *down;                               /* (2, most) elements each, of 4 bytes at least */
    high_parts *high;
    turn_scratch *turn;
} scratch;

/* A call on rows: its arguments, and who does the work. */
typedef struct row_task row_task;
struct row_task {
    const sinpos_plan *plan;
    sinpos_rows rows;
    sinpos_operation operation; /* FILL or a gradient: which factors */
    bool adds, stream;          /* rows are added to; whole cache lines go past the cache */
    sinpos_direction direction; /* rotary: this and the next two */
    size_t n_heads, ld_head;
    bool divides; /* by amplitudes that are not all 1 */
    sinpos_type type;
    int kind;     /* KERNEL_... */
    size_t bytes; /* of an element */
    char *memory;
    size_t ld; /* elements from a row to the next */
    const kernels *k;
    size_t most_tones; /* CHUNK or FEW, in a piece */
    size_t most_rows;  /* that go through a piece before the next */
    bool by_blocks;
    /* Rows first_row .. first_row + count - 1 of a piece: around the centre of their block, or NULL: each directly. */
    void (*make)(const row_task *t, const piece *p, scratch *w, size_t first_row, size_t count, const int64_t *centre);
    void (*finish)(const row_task *t, char *row); /* after the last piece; may be NULL */
};

/* The checks that all work has in common; valid: the arguments of this kind of work are. */
sinpos_status task_read(row_task *t, const sinpos_plan *plan, const sinpos_rows *rows, bool valid, sinpos_type type,
                        size_t n_threads);
/* Checks memory and positions, and does the work. */
sinpos_status task_run(row_task *t, size_t n_threads);

/* Dividing by the amplitude instead of multiplying: its reciprocal is rounded, which the bound of the plan leaves room for. */
void invert_amplitudes(const row_task *t, const piece *p, turn_scratch *w, angles *a);
/* The factors at some angles; bounds in double take `scale`. */
void set_factors(const row_task *t, const piece *p, scratch *w, const angles *a, double scale);
/* The angles at a block's centre; *scale: what makes their bounds hold for all of its rows. */
angles centre_angles(const row_task *t, const piece *p, scratch *w, int64_t centre, double *scale);
/* The factors at a block's centre, with such bounds. */
angles set_centre(const row_task *t, const piece *p, scratch *w, int64_t centre);

static inline char *row_of(const row_task *t, size_t row)
{
    return t->memory + row * t->ld * t->bytes;
}

/* Where the tones of a piece lie in a row. */
static inline destination in_row(const row_task *t, const piece *p, char *row)
{
    return (destination){.first = row + piece_column(p, false) * t->bytes,
                         .second = p->s->pattern == COLUMNS_PAIRS ? NULL : row + piece_column(p, true) * t->bytes,
                         .cos_first = p->s->cos_first,
                         .store = t->stream ? STORE_STREAM : STORE};
}

/* plan_angles() as the task wants them; this and the next inline, for short rows. */
static inline void adapt_angles(const row_task *t, const piece *p, scratch *w, angles *a)
{
    a->operation = t->operation;
    if (t->divides)
        invert_amplitudes(t, p, w->turn, a);
}

/* The same at a position; false where the kernels do not reach it and elements go one by one. */
static inline bool angles_at_row(const row_task *t, const piece *p, scratch *w, position at, angles *a)
{
    adapt_angles(t, p, w, a);
    if (forced_rung() != 0 || (t->operation == SINPOS_GRADIENT_THETA && position_is_zero(at)))
        return false;
    return angles_at(t->plan, p->first, at, w->high, a);
}

/* But for the position. */
static inline redo redo_of(const row_task *t, const piece *p)
{
    return (redo){
        .plan = t->plan, .first = p->first, .type = t->type, .operation = t->operation, .direction = t->direction};
}

static inline const sinpos_tone *tone_in(const row_task *t, const piece *p, size_t i)
{
    return &t->plan->tones[t->plan->tone_of[p->first + i]];
}
