/* What claims are decided by: the rows that are judged, the tones that are stated, the error that rounding allows. */
#pragma once

#include <stdbool.h>

#include "complete_tones.h"

enum { MOST_HOPS = 80 };

/* Two kept rows, k positions apart: rows i and i - back of those kept. */
typedef struct hop {
    int64_t k;
    size_t back;
    bool crosses; /* from one run to another */
} hop;

typedef struct claims {
    const sinpos_check_input *input;
    size_t dim;
    sinpos_tone *tone; /* all of the plan, (n_tones) */
    size_t n_tones;
    tones complete;      /* those with both columns */
    bool *is_other;      /* (dim) columns of half-tones, and those that no tone names ... */
    size_t n_other;      /* ... and how many they are */
    sinpos_plan *angles; /* sine of complete tone i in column i, its cosine in column complete.n + i, without phase */
    sinpos_check_rows kept;
    double *rows; /* (kept.n_rows, dim) */
    hop hops[MOST_HOPS];
    size_t n_hops;
    double g[MOST_HOPS], distance[MOST_HOPS]; /* as stated */
    double g0;                                /* sum of A^2 over complete tones */
    double norm2;                             /* the same with half-tones: no row has a larger square */
    double amplitude;                         /* the largest */
    double unit, tiny;                        /* an element x is right within unit |x| + tiny */
    double *own;         /* (complete.n) mean over rows of sine^2 + cosine^2 in the rows, A^2 as stated */
    double size2;        /* their sum, g(0) as stated */
    double most;         /* largest size of an element of the rows */
    size_t n_not_finite; /* elements of those rows */
    double *turns;       /* (complete.n) phase advance per row found in the rows; NULL until asked for */
    double chosen;       /* of the claim that is being decided: its threshold, where that is a choice */
    bool is_given;       /* by the caller */
    blocks memory;
} claims;

/* Fails with a sinpos_status; on success everything but turns is there. */
sinpos_status claims_open(claims *c, const sinpos_check_input *input);
void claims_close(claims *c);

static inline const double *claims_row(const claims *c, size_t i)
{
    return c->rows + i * c->dim;
}

/* Is there a kept row h->back before kept row i that is h->k positions before it? */
static inline bool hop_fits(const claims *c, const hop *h, size_t i)
{
    return h->crosses ? i >= h->back : i % c->kept.run >= h->back;
}

/* Position of a kept row. */
static inline int64_t claims_position(const claims *c, size_t i)
{
    return c->input->first + (int64_t)(i / c->kept.run * c->kept.stride + i % c->kept.run);
}

static inline size_t sin_column(const claims *c, size_t tone)
{
    return (size_t)c->complete.tone[tone].sin_column;
}

static inline size_t cos_column(const claims *c, size_t tone)
{
    return (size_t)c->complete.tone[tone].cos_column;
}

/* The columns of complete tones, evenly chosen where there are more than most_tones. Returns how many columns. */
size_t claims_choose_columns(const claims *c, size_t most_tones, size_t *column);
/* Those columns of the first n rows: (n, n_columns), to be freed. */
sinpos_status claims_gather(const claims *c, size_t n, size_t n_columns, const size_t *column, double **out);

/* Sines and cosines of k theta for the complete tones: (2 complete.n). */
sinpos_status claims_angles(const claims *c, int64_t k, double *out);

/* Rows row .. row + n - 1 of the table, or as the plan makes them (row may then be n or more), as doubles. */
sinpos_status claims_read(const claims *c, size_t row, size_t n, double *out);

/* The larger; NaN if either is one. */
static inline double worse(double a, double b)
{
    return a >= b || a != a ? a : b;
}
