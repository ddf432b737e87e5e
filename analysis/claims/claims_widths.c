/* Do longer inputs need more columns? From how many on are neighbours the nearest rows? */
#include <math.h>
#include <stdlib.h>

#include "claims.h"
#include "claims_law.h"

/* Offsets that are looked at; every width up to so many tones is, and so many beyond the first good one. */
enum { MOST_OFFSETS = 1 << 24, EVERY_WIDTH = 128, WIDER = 24 };

/* An encoding with m of the tones, and how near its rows come. */
typedef struct width {
    size_t tones;
    double size;       /* sqrt(2 g(0)) */
    double neighbours; /* |p_0 - p_1| */
    double least;      /* the smallest |p_0 - p_k| */
    int64_t k;         /* there */
} width;

typedef struct widths {
    const claims *c;
    sinpos_tone *tone; /* (c->complete.n), of one width */
    size_t *chosen;    /* (c->complete.n) which of the tones these are */
    bool has_law;      /* the tones are those of one schedule */
    size_t n_offsets;
} widths;

/* Tone i of m: of the same schedule with m tones, or of those stated, evenly chosen. */
static sinpos_tone tone_of(const widths *w, size_t m, size_t i)
{
    const tones *all = &w->c->complete;
    sinpos_tone tone = all->tone[w->has_law ? i : w->chosen[i]];
    const double more = tone.divisor - (double)all->n; /* 0 for d / 2, -1 for d / 2 - 1 */
    if (w->has_law && tone.schedule != SINPOS_OCTAVE && fabs(more) <= 1)
        tone.divisor = fmax((double)m + more, 1);
    tone.sin_column = (ptrdiff_t)(2 * i);
    tone.cos_column = (ptrdiff_t)(2 * i + 1);
    return tone;
}

/* By the definition: the nearest of all rows, by their offset. */
static sinpos_status measure_defined(const widths *w, size_t m, width *own)
{
    OWNED_PLAN sinpos_plan *plan = NULL;
    sinpos_near near = {0}, first = {0};
    size_t one = 1;
    for (size_t i = 0; i < m; i++)
        w->tone[i] = tone_of(w, m, i);
    sinpos_status status = sinpos_plan_create_tones(&plan, 2 * m, 1, w->tone, m, SINPOS_F64, NULL);
    if (status == SINPOS_OK)
        status = sinpos_separation(plan, 0, w->n_offsets + 1, &near, &one, w->c->input->n_threads, NULL, NULL);
    if (status == SINPOS_OK)
        status = sinpos_separation(plan, 0, 2, &first, &one, 1, NULL, NULL);
    own->neighbours = first.distance;
    own->least = near.distance;
    own->k = near.offset;
    return status;
}

/* By the rows of a table, which have the first tone and all of them: from the first row to the others of its run. */
static void measure_rows(const widths *w, size_t m, width *own)
{
    const claims *c = w->c;
    const double *x = claims_row(c, 0);
    own->least = INFINITY;
    for (size_t k = 1; k < c->kept.run; k++) {
        const double *y = claims_row(c, k);
        double sum = 0;
        for (size_t i = 0; i < m; i++) {
            const size_t s = sin_column(c, w->chosen[i]), t = cos_column(c, w->chosen[i]);
            sum += (x[s] - y[s]) * (x[s] - y[s]) + (x[t] - y[t]) * (x[t] - y[t]);
        }
        if (k == 1)
            own->neighbours = sqrt(sum);
        if (!(sqrt(sum) >= own->least)) /* also where it is NaN */
            own->least = sqrt(sum), own->k = (int64_t)k;
    }
}

static sinpos_status measure_width(const widths *w, size_t m, width *own)
{
    double weight = 0;
    for (size_t i = 0; i < m; i++) {
        w->chosen[i] = (size_t)((double)i * (double)w->c->complete.n / (double)m);
        weight += w->c->complete.weight[w->chosen[i]];
    }
    *own = (width){.tones = m, .size = sqrt(2 * weight)};
    if (w->c->input->table == NULL || (m > 1 && m < w->c->complete.n))
        return measure_defined(w, m, own);
    measure_rows(w, m, own);
    return SINPOS_OK;
}

typedef struct needed {
    size_t tones;   /* from here on neighbours are the nearest rows; 0: not even with all */
    width fewest;   /* one tone */
    width narrower; /* the width tried before that one */
    width own;      /* that one */
    width all;
    size_t n_tried;
} needed;

/* Every width up to 128 tones, some beyond; once one is good, 24 more, and some beyond. */
static size_t next_width(const widths *w, const needed *s, size_t m)
{
    const size_t all = w->c->complete.n, since = s->tones == 0 ? 0 : m - s->tones;
    const size_t step = since >= WIDER ? m / 2 : m < EVERY_WIDTH ? 1 : m / 8;
    return m < all && m + step > all ? all : m + step;
}

static sinpos_status find_needed(const widths *w, needed *s)
{
    sinpos_status status = SINPOS_OK;
    *s = (needed){0};
    for (size_t m = 1; m <= w->c->complete.n && status == SINPOS_OK; m = next_width(w, s, m)) {
        const width last = s->all;
        status = measure_width(w, m, &s->all);
        s->n_tried++;
        if (m == 1)
            s->fewest = s->all;
        if (s->all.k != 1)
            s->tones = 0;
        else if (s->tones == 0)
            s->tones = m, s->narrower = last, s->own = s->all;
    }
    return status;
}

/* Rows that adding columns does not move apart, in parts of their size; 1e-9 is rounding. */
static bool more_do_not_help(const needed *s)
{
    return !(s->all.least / s->all.size > s->fewest.least / s->fewest.size * (1 + 1e-9));
}

static void say_more_dims(const widths *w, sinpos_claim_result *r, const needed *s)
{
    const double all = 2 * (double)s->all.tones, columns = 2 * (double)s->tones, dim = (double)w->c->dim;
    if (more_do_not_help(s))
        claim_say(r, 2, dim, SINPOS_DOES_NOT_HOLD,
                  "2 columns keep %zu rows as far apart as %.0f do, in parts of their size", w->n_offsets + 1, all);
    else if (s->tones == 0)
        claim_say(r, all, dim, SINPOS_HOLDS, "with all %.0f columns rows %lld apart are nearer than neighbours", all,
                  (long long)s->all.k);
    else if (s->tones == 1)
        claim_say(r, columns, dim, SINPOS_DOES_NOT_HOLD, "with 2 columns neighbours are the nearest of %zu rows",
                  w->n_offsets + 1);
    else
        claim_say(r, columns, dim, SINPOS_HOLDS_ONLY_IF,
                  "there are fewer than %.0f columns; from there on neighbours are the nearest of %zu rows", columns,
                  w->n_offsets + 1);
    claim_looked_at(r, w->n_offsets + 1, w->c->dim);
    claim_detail(r, "columns", all);
    claim_detail(r, "smallest_distance", s->all.least);
    claim_detail(r, "smallest_distance_at", (double)s->all.k);
    claim_detail(r, "fewest_columns", s->tones == 0 ? NAN : columns);
    claim_detail(r, "fewest_columns_smallest_distance", s->tones == 0 ? NAN : s->own.least);
    claim_detail(r, "narrower_columns", s->tones < 2 ? NAN : 2 * (double)s->narrower.tones);
    claim_detail(r, "narrower_distance_of_neighbours", s->tones < 2 ? NAN : s->narrower.neighbours);
    claim_detail(r, "narrower_smallest_distance", s->tones < 2 ? NAN : s->narrower.least);
    claim_detail(r, "narrower_smallest_distance_at", s->tones < 2 ? NAN : (double)s->narrower.k);
    claim_detail(r, "widths_tried", (double)s->n_tried);
}

sinpos_status claim_more_dims(claims *c, sinpos_claim_result *r)
{
    needed s;
    const size_t last = c->input->n - 1;
    widths w = {.c = c,
                .tone = calloc(c->complete.n, sizeof(sinpos_tone)),
                .chosen = calloc(c->complete.n, sizeof(size_t)),
                .has_law = claims_follow_law(c),
                .n_offsets = last < MOST_OFFSETS ? last : MOST_OFFSETS};
    const sinpos_status status = w.tone == NULL || w.chosen == NULL ? SINPOS_E_MEMORY : find_needed(&w, &s);
    if (status == SINPOS_OK)
        say_more_dims(&w, r, &s);
    free(w.tone);
    free(w.chosen);
    return status;
}
