/*
 * diff_trial.c - which rounding of a definition makes an array: that of some tones in some rows, which is enough to know.
 *
 * Positions are exact or rounded to a narrow type; angles are exact or those of a recipe of the core.
 */
#include "diff_trial.h"

#include <string.h>

#define MOST_ROWS 48
#define MOST_TONES 24

typedef struct trial {
    const diff_job *job;
    const diff_match *match;
    const diff_definition *definition; /* of all tones */
    diff_definition some;              /* of these alone: sine and cosine side by side */
    sinpos_identity identity;          /* of some */
    sinpos_tone tones[MOST_TONES];
    ptrdiff_t column[2 * MOST_TONES]; /* of B; -1 for none */
    size_t m, n, rows[MOST_ROWS], at[MOST_ROWS];
    double made[MOST_ROWS * 2 * MOST_TONES];
} trial;

/* Which column of B is made of that column of the definition? */
static ptrdiff_t column_of_b(const trial *t, ptrdiff_t column)
{
    for (size_t j = 0; j < t->job->b.dim && column >= 0; j++)
        if (t->match->column[j] == column)
            return (ptrdiff_t)j;
    return -1;
}

static sinpos_status choose(trial *t)
{
    const sinpos_identity *identity = t->definition->identity;
    size_t n = identity->n_tones;
    sinpos_tone *all = calloc(n + 1, sizeof *all);
    const sinpos_status status = all == NULL ? SINPOS_E_MEMORY : sinpos_plan_tones(t->definition->plan, all, n, &n);
    const size_t m = n < MOST_TONES ? n : MOST_TONES;
    for (size_t k = 0; k < m && status == SINPOS_OK; k++) {
        sinpos_tone tone = all[m == 1 ? 0 : k * (n - 1) / (m - 1)];
        t->column[2 * t->m] = column_of_b(t, tone.sin_column);
        t->column[2 * t->m + 1] = column_of_b(t, tone.cos_column);
        tone.sin_column = (ptrdiff_t)(2 * t->m);
        tone.cos_column = (ptrdiff_t)(2 * t->m + 1);
        tone.more = NULL;
        t->tones[t->m++] = tone;
    }
    free(all);
    t->n = t->job->sample.n < MOST_ROWS ? t->job->sample.n : MOST_ROWS;
    for (size_t i = 0; i < t->n; i++) {
        t->at[i] = t->n == 1 ? 0 : i * (t->job->sample.n - 1) / (t->n - 1);
        t->rows[i] = t->job->sample.row[t->at[i]];
    }
    return status;
}

static diff_score score_of(const trial *t)
{
    const diff_match *match = t->match;
    const size_t db = t->job->b.dim, width = 2 * t->m;
    const sinpos_type type = t->job->b.holds;
    diff_score score = {0};
    for (size_t i = 0; i < t->n; i++)
        for (size_t c = 0; c < width; c++) {
            const double made = t->made[i * width + c];
            if (t->column[c] < 0 || isnan(made))
                continue;
            const size_t j = (size_t)t->column[c];
            const double got = t->job->sample.x[t->at[i] * db + j];
            if (match->dropped >= DIFF_LEAST_DROPPED && got == 0)
                continue;
            const double want = round_to(match->sign[j] * match->factor * made + match->constant, type);
            diff_score_add(&score, round_to(got, type), want, type_unit(type));
        }
    return score;
}

/* Scores one rounding; score->all stays 0 where the recipe does not apply. */
static sinpos_status try_one(trial *t, const diff_rounding *rounding, diff_score *score)
{
    diff_definition *some = &t->some;
    some->positions = rounding->positions;
    some->arithmetic = NULL;
    sinpos_replay_destroy(some->replay);
    some->replay = NULL;
    *score = (diff_score){0};
    sinpos_status status = SINPOS_OK;
    if (rounding->arithmetic != NULL)
        status = sinpos_replay_create(&some->replay, some->plan, rounding->arithmetic);
    if (status == SINPOS_OK)
        status = diff_definition_rows(some, t->rows, t->n, t->made, 1);
    if (status == SINPOS_OK)
        *score = score_of(t);
    return status == SINPOS_E_MEMORY ? status : SINPOS_OK;
}

bool diff_is_better(const diff_score *one, const diff_score *other)
{
    if (one->all == 0 || other->all == 0)
        return one->all > 0;
    const double far = (double)one->far / (double)one->all, other_far = (double)other->far / (double)other->all;
    const double wrong = (double)one->wrong / (double)one->all, other_wrong = (double)other->wrong / (double)other->all;
    return fabs(far - other_far) > 0.002 ? far < other_far : wrong < other_wrong - 0.002;
}

static sinpos_status try_all(trial *t, const diff_rounding *first, diff_rounding *best, diff_score *best_score)
{
    const size_t n = sinpos_arithmetics_count();
    const diff_rounding exact = {0};
    sinpos_status status = SINPOS_OK;
    best_score->all = 0;
    for (size_t k = 0; k < n + 4 && status == SINPOS_OK && (best_score->all == 0 || best_score->wrong > 0); k++) {
        static const sinpos_type types[] = {SINPOS_BF16, SINPOS_F16};
        const diff_rounding tried =
            k == 0   ? *first
            : k == 1 ? exact
            : k < 4  ? (diff_rounding){.positions = types[k - 2]}
                     : (diff_rounding){.arithmetic = sinpos_arithmetic_text(sinpos_arithmetic_at(k - 4), "name")};
        diff_score score;
        status = try_one(t, &tried, &score);
        if (status == SINPOS_OK && diff_is_better(&score, best_score)) {
            *best = tried;
            *best_score = score;
        }
    }
    return status;
}

sinpos_status diff_find_rounding(const diff_job *job, const diff_match *match, const diff_definition *definition,
                                 const diff_rounding *first, diff_rounding *best, diff_score *score)
{
    trial *t = calloc(1, sizeof *t);
    if (t == NULL)
        return SINPOS_E_MEMORY;
    t->job = job;
    t->match = match;
    t->definition = definition;
    t->some = *definition;
    t->some.plan = NULL;
    t->some.replay = NULL;
    sinpos_status status = choose(t);
    t->identity = *definition->identity;
    t->identity.dim = 2 * t->m;
    t->some.identity = &t->identity;
    if (status == SINPOS_OK)
        status = sinpos_plan_create_tones(&t->some.plan, 2 * t->m, t->identity.n_axes, t->tones, t->m,
                                          (unsigned)definition->type | SINPOS_F64, NULL);
    status = status != SINPOS_OK ? status : try_all(t, first, best, score);
    diff_definition_free(&t->some);
    free(t);
    return status;
}
