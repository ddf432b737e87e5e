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

/* What sinpos_factors holds: arrays over the padded tones of each row, and where elements go one by one. */
typedef struct kept_rows {
    double *sine, *cosine, *bound_sin, *bound_cos, *sine_low, *cosine_low;
    float *limit, *tie_limit, *sine_floats, *cosine_floats;
    bool *is_slow; /* (n, n_segments) */
    size_t first;  /* its row of the task's first */
} kept_rows;

/* Rows that are made together: those of a block around its centre, or each by itself. */
typedef struct group {
    size_t first, n;
    bool is_block;
    int64_t centre;
} group;

/* A call on rows: its arguments, and who does the work. */
typedef struct row_task row_task;
struct row_task {
    const sinpos_plan *plan;
    sinpos_rows rows;
    sinpos_operation operation; /* FILL or a gradient: which factors */
    bool adds, stream;          /* rows are added to; whole cache lines go past the cache */
    bool fetches_results;       /* sums: memory of results is fetched */
    sinpos_direction direction; /* rotary: this and the next */
    bool divides;               /* by amplitudes that are not all 1 */
    sinpos_type type;
    int kind;              /* KERNEL_... */
    size_t bytes;          /* of an element */
    sinpos_arrays a;       /* own: in is never NULL */
    const kept_rows *kept; /* rotary: where factors go, or come from */
    const kernels *k;
    size_t slice_bytes;       /* of a.workspace, for each range of rows; 0: none is used */
    _Atomic size_t *n_slices; /* that ranges have taken */
    size_t most_tones;        /* CHUNK or FEW, in a piece */
    size_t most_rows;         /* that go through a piece before the next */
    bool by_blocks, goes_far; /* high_parts are needed */
    /* Rows first_row .. first_row + count - 1 of a piece: around the centre of their block, or NULL: each directly. */
    void (*make)(const row_task *t, const piece *p, scratch *w, size_t first_row, size_t count, const int64_t *centre);
    void (*finish)(const row_task *t, size_t row); /* after the last piece; may be NULL */
    /* The rows of a group, made in a slice of the workspace, are added to one batch after the other. */
    void (*add_group)(const row_task *t, scratch *w, char *slice, const group *g);
};

/* All pieces of some groups, one piece after another. */
void make_groups(const row_task *t, scratch *w, const group *groups, size_t n_groups);
/* Some of the rows. */
sinpos_rows rows_part(const sinpos_plan *plan, const sinpos_rows *rows, size_t first, size_t n);

/* The checks that all work has in common, arrays aside; valid: the arguments of this kind of work are. */
sinpos_status task_read(row_task *t, const sinpos_plan *plan, const sinpos_rows *rows, bool valid, sinpos_type type);
/* arrays.c. The caller's arrays become the task's; what rows, heads and batches they have must be apart. */
sinpos_status task_read_arrays(row_task *t, const sinpos_arrays *arrays);
sinpos_status task_check_arrays(const row_task *t);
/* Out of place: does a head have columns beyond those of the plan? And these, copied. */
bool task_copies_beyond(const row_task *t);
void copy_beyond(const row_task *t, size_t row);
/* Checks memory and positions, and does the work. */
sinpos_status task_run(row_task *t);

/* Dividing by the amplitude instead of multiplying: its reciprocal is rounded, which the bound of the plan leaves room for. */
void invert_amplitudes(const row_task *t, const piece *p, turn_scratch *w, angles *a);
/* kept.c. Factors of rows, for sinpos_factors_rotate(). */
struct sinpos_factors {
    const sinpos_plan *plan;
    sinpos_rows rows; /* whose lists lie behind the factors */
    sinpos_direction direction;
    sinpos_type type;
    bool divides;
    kept_rows kept;
    size_t bytes;
};

/* Memory for the factors of a task's rows, and these copied. */
sinpos_status kept_create(sinpos_factors **out, const row_task *t);
void keep_factors(const row_task *t, const piece *p, size_t row, const pair_factors *by);
void keep_slow(const row_task *t, const piece *p, size_t row);
/* False where elements go one by one. */
bool kept_factors(const row_task *t, const piece *p, size_t row, pair_factors *by);

/* The factors at some angles; bounds in double take `scale`. */
void set_factors(const row_task *t, const piece *p, scratch *w, const angles *a, double scale);
/* The angles at a block's centre; *scale: what makes their bounds hold for all of its rows. */
angles centre_angles(const row_task *t, const piece *p, scratch *w, int64_t centre, double *scale);
/* The factors at a block's centre, with such bounds. */
angles set_centre(const row_task *t, const piece *p, scratch *w, int64_t centre);

/* A row in the memory of results, and in that of operands. */
static inline char *row_of(const row_task *t, size_t row)
{
    return (char *)t->a.out + row * t->a.ld_row * t->bytes;
}

static inline const char *operand_of(const row_task *t, size_t row)
{
    return (const char *)t->a.in + row * t->a.in_ld_row * t->bytes;
}

/* One of the heads of a row, in one of its batches: where it is from the first. */
static inline size_t head_offset(const row_task *t, size_t batch, size_t head)
{
    return (batch * t->a.ld_batch + head * t->a.ld_head) * t->bytes;
}

static inline size_t operand_offset(const row_task *t, size_t batch, size_t head)
{
    return (batch * t->a.in_ld_batch + head * t->a.in_ld_head) * t->bytes;
}

static inline bool task_is_empty(const row_task *t)
{
    return t->rows.n == 0 || t->a.n_batches == 0 || t->a.n_heads == 0;
}

static inline bool is_in_place(const row_task *t)
{
    return t->a.in == t->a.out;
}

/* Where the tones of a piece lie in a row. */
static inline destination in_row(const row_task *t, const piece *p, char *row)
{
    return (destination){.first = row + piece_column(p, false) * t->bytes,
                         .second = p->s->pattern == COLUMNS_PAIRS ? NULL : row + piece_column(p, true) * t->bytes,
                         .cos_first = p->s->cos_first,
                         .store = t->stream ? STORE_STREAM : STORE};
}

static inline destination operand_in_row(const row_task *t, const piece *p, const char *row)
{
    return in_row(t, p, (char *)(uintptr_t)row); /* which is only read */
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
