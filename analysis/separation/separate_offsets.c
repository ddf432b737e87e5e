/* The offsets with the smallest distances, and all within a limit: a partial sum beyond the limit ends an offset. */
#include <math.h>
#include <stdlib.h>

#include "complete_tones.h"
#include "separate_offsets.h"

enum { SAMPLE = 128, FIRST_WAVE = 4 };

/* Some tones, whose squares alone keep most offsets beyond the bound. */
typedef struct search {
    const tone_set *set;
    size_t n_used;
    double bound;               /* offsets beyond it are of no interest; in units of 2 unit */
    const tight_limits *limits; /* NULL, or what to measure against; then bound is that of one tone */
    double sieved;              /* the bound that the sieve was made for */
    size_t *which;              /* (n_used) tones, those with the largest squares first */
    double *score;              /* (n_used) mean squares */
    sieve sieve;
    sinpos_plan *full;
    offset_scan scan;
    blocks memory;
} search;

static double measure_distance(const void *context, const double *row)
{
    const search *s = context;
    const double norm = tone_norm(s->set->ratio, row, s->n_used);
    return norm <= s->bound ? norm : -1;
}

static double measure_tightness(const void *context, const double *row)
{
    const search *s = context;
    unsigned types = 0;
    for (size_t t = 0; t < s->limits->n_types; t++) {
        const double *limit = s->limits->limit[t];
        bool fits = true;
        for (size_t i = 0; i < s->n_used && fits; i++)
            fits = fabs(row[i]) <= limit[i];
        types |= fits ? 1u << t : 0;
    }
    return types == 0 ? -1.0 : (double)types;
}

/* After this, search_close() even where it failed. */
static sinpos_status search_open(search *s, const tone_set *set, size_t n_used, const tight_limits *limits, size_t n,
                                 const crew *c)
{
    *s = (search){.set = set, .n_used = n_used, .bound = INFINITY, .limits = limits};
    s->which = blocks_take(&s->memory, n_used, sizeof *s->which);
    s->score = blocks_take(&s->memory, n_used, sizeof *s->score);
    if (s->memory.has_failed)
        return SINPOS_E_MEMORY;
    const sinpos_status status = tones_plan(&s->full, set->tone, NULL, n_used, 0.5, SINPOS_F64);
    if (status != SINPOS_OK)
        return status;
    s->scan = (offset_scan){.full = s->full,
                            .n_full = n_used,
                            .measure = limits == NULL ? measure_distance : measure_tightness,
                            .context = s,
                            .crew = c};
    return scan_open(&s->scan, n, n_used < SIEVE_MOST ? n_used : SIEVE_MOST);
}

static void search_close(search *s)
{
    blocks_free(&s->scan.memory);
    blocks_free(&s->memory);
    sieve_free(&s->sieve);
    sinpos_plan_destroy(s->full);
}

/* The mean squares of the tones, over offsets spread evenly. */
static sinpos_status score_tones(search *s, uint64_t from, uint64_t to)
{
    const size_t n = s->n_used;
    OWNED double *row = calloc(2 * n + 1, sizeof *row);
    sinpos_status status = row == NULL ? SINPOS_E_MEMORY : SINPOS_OK;
    for (size_t i = 0; i < n; i++)
        s->score[i] = 0;
    for (uint64_t j = 0; j < SAMPLE && status == SINPOS_OK; j++) {
        const int64_t offset = (int64_t)(from + (to - from) / SAMPLE * j + j % 2);
        status = sinpos_fill(s->full, offset, 1, SINPOS_F64, row, 2 * n);
        for (size_t i = 0; i < n; i++) {
            const double x = s->set->ratio[i] * row[i];
            s->score[i] += x * x / SAMPLE;
        }
    }
    return status;
}

/* which: the m tones with the largest scores first, by m selections from the rest. */
static void select_tones(search *s, size_t m)
{
    for (size_t i = 0; i < s->n_used; i++)
        s->which[i] = i;
    for (size_t i = 0; i < m; i++) {
        size_t best = i;
        for (size_t j = i + 1; j < s->n_used; j++)
            best = s->score[s->which[j]] > s->score[s->which[best]] ? j : best;
        const size_t chosen = s->which[best];
        s->which[best] = s->which[i];
        s->which[i] = chosen;
    }
}

/*
 * Of the tones with the largest squares, for a distance as many as reach twice the bound on average, and two more, so
 * that few offsets pass by chance; for limits on every tone eight, of which each lets few pass.
 */
static sinpos_status make_sieve(search *s, uint64_t from, uint64_t to)
{
    const size_t most = s->n_used < SIEVE_MOST ? s->n_used : SIEVE_MOST;
    const double wanted = s->limits == NULL ? 2 * s->bound * s->bound + 2 : 0;
    double sum = 0;
    size_t n = 0;
    sinpos_status status = score_tones(s, from, to);
    if (status != SINPOS_OK)
        return status;
    select_tones(s, most);
    for (; n < most && (n == 0 || sum < wanted || n % 8 != 0); n++)
        sum += s->score[s->which[n]];
    sieve_free(&s->sieve);
    status = sieve_make(&s->sieve, s->set, s->which, n);
    s->scan.sieve = &s->sieve;
    s->sieved = s->bound;
    return status;
}

static sinpos_status renew_sieve(search *s, uint64_t from, uint64_t to)
{
    const double ratio = s->bound / s->sieved;
    const bool is_stale = s->scan.sieve == NULL || (s->sieve.n > 8 && ratio * ratio < 0.5);
    sinpos_status status = SINPOS_OK;
    if (is_stale && s->n_used > 0 && s->bound < INFINITY && to - from > 16 * SAMPLE)
        status = make_sieve(s, from, to);
    sieve_bound(&s->sieve, s->limits == NULL ? s->bound : s->bound * sqrt((double)s->sieve.n));
    return status;
}

/* ------------------------------------------------------------------------------------------------ nearest */

static bool is_nearer(const sinpos_near *a, const sinpos_near *b)
{
    return a->distance < b->distance || (a->distance == b->distance && a->offset < b->offset);
}

void nearest_add(nearest *near, sinpos_near pair)
{
    if (near->n == near->room && !is_nearer(&pair, &near->at[near->n - 1]))
        return;
    size_t i = near->n < near->room ? near->n++ : near->n - 1;
    for (; i > 0 && is_nearer(&pair, &near->at[i - 1]); i--)
        near->at[i] = near->at[i - 1];
    near->at[i] = pair;
}

static bool is_settled(const nearest *near)
{
    return near->n > 0 &&
           ((near->n == near->room && near->at[near->n - 1].distance == 0) || near->at[0].distance < near->enough);
}

/* ------------------------------------------------------------------------------------------------ searching */

/* Where offsets go that are found: the nearest ones, or else at most so many into a list. */
typedef struct goal {
    nearest *near;
    offset_list *list;
    size_t most;
} goal;

static sinpos_status take_found(const offset_scan *scan, const goal *g)
{
    for (size_t i = 0; i < scan->n_found && g->near != NULL; i++)
        nearest_add(g->near, (sinpos_near){.distance = scan->found[i].value, .offset = scan->found[i].offset});
    if (g->near != NULL)
        return SINPOS_OK;
    return scan->n_found > g->most - g->list->n ? SINPOS_E_UNSUPPORTED
                                                : offset_list_add(g->list, scan->found, scan->n_found);
}

static sinpos_status search_waves(search *s, uint64_t from, uint64_t to, const goal *g, const crew *c)
{
    const nearest *near = g->near;
    uint64_t wave = FIRST_WAVE;
    sinpos_status status = SINPOS_OK;
    for (uint64_t k = from; k < to && status == SINPOS_OK && !(near != NULL && is_settled(near)); wave *= 8) {
        wave = wave < s->scan.room ? wave : s->scan.room;
        const uint64_t n = to - k < wave ? to - k : wave;
        if (near != NULL)
            s->bound = near->n == near->room ? near->at[near->n - 1].distance : INFINITY;
        status = renew_sieve(s, k, to);
        status = status == SINPOS_OK ? scan_wave(&s->scan, (int64_t)k, (size_t)n) : status;
        status = status == SINPOS_OK ? take_found(&s->scan, g) : status;
        k += n;
        if (status == SINPOS_OK)
            status = crew_report(c, (double)(k - from) / (double)(to - from));
    }
    return status;
}

/* Offsets within bound, or limits, of the first n_used tones. */
static sinpos_status search_offsets(const tone_set *set, size_t n_used, const tight_limits *limits, double bound,
                                    uint64_t from, uint64_t to, const goal *g, const crew *c)
{
    search s;
    if (from >= to)
        return SINPOS_OK;
    const size_t n = to - from < SCAN_WAVE ? (size_t)(to - from) : SCAN_WAVE;
    sinpos_status status = search_open(&s, set, n_used, limits, n, c);
    s.bound = bound;
    if (status == SINPOS_OK)
        status = search_waves(&s, from, to, g, c);
    search_close(&s);
    return status;
}

sinpos_status nearest_offsets(const tone_set *set, size_t n_used, uint64_t from, uint64_t to, nearest *near,
                              const crew *c)
{
    const goal g = {.near = near};
    return search_offsets(set, n_used, NULL, INFINITY, from, to, &g, c);
}

sinpos_status close_offsets(const tone_set *set, size_t n_used, uint64_t from, uint64_t to, double limit, size_t most,
                            offset_list *list, const crew *c)
{
    const goal g = {.list = list, .most = most};
    return search_offsets(set, n_used, NULL, limit, from, to, &g, c);
}

/*
 * The limits of the types' loosest, tone by tone, become ratios: |sin| <= limit_i is ratio_i |sin| <= least limit. Of n
 * tones that keep it the sum of squares is at most n times its square.
 */
static double loosest_ratios(const tone_set *set, const tight_limits *limits, double *ratio)
{
    double least = INFINITY;
    for (int pass = 0; pass < 2; pass++) {
        for (size_t i = 0; i < set->n_complete; i++) {
            double loosest = 0;
            for (size_t t = 0; t < limits->n_types; t++)
                loosest = fmax(loosest, limits->limit[t][i]);
            if (pass == 0)
                least = fmin(least, loosest);
            else
                ratio[i] = least < loosest ? least / loosest : 1;
        }
    }
    return least * (1 + 0x1p-20);
}

sinpos_status tight_offsets(const tone_set *set, const tight_limits *limits, uint64_t from, uint64_t to, size_t most,
                            offset_list *list, const crew *c)
{
    const goal g = {.list = list, .most = most};
    tone_set own = *set;
    if (from >= to)
        return SINPOS_OK;
    own.ratio = calloc(set->n + 1, sizeof *own.ratio);
    if (own.ratio == NULL)
        return SINPOS_E_MEMORY;
    const double least = loosest_ratios(set, limits, own.ratio);
    /* from 1 on every offset passes */
    const sinpos_status status =
        least < 1 ? search_offsets(&own, set->n_complete, limits, least, from, to, &g, c) : SINPOS_E_UNSUPPORTED;
    free(own.ratio);
    return status;
}
