/* Moments of the rows and of seeded tokens: covariance, what their sum keeps apart, their shares of attention. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "attention.h"
#include "claims.h"
#include "seeded.h"

enum { MOST_TONES = 256, TOKENS = 2048, MOST_ROWS = 4096, COSINE_TOKENS = 256 };

/* The rows, on up to 2 MOST_TONES columns, and as many columns of tokens: the caller's, or random ones. */
typedef struct together {
    size_t n, n_rows, column[2 * MOST_TONES];
    size_t n_tokens;
    double *p, *x; /* (n_rows, n), (n_tokens, n) */
    sinpos_moments *positions, *words;
} together;

static void together_free(together *t)
{
    free(t->p);
    free(t->x);
    sinpos_moments_destroy(t->positions);
    sinpos_moments_destroy(t->words);
}

static sinpos_status take_positions(together *t, const claims *c)
{
    *t = (together){.n_rows = c->kept.run < MOST_ROWS ? c->kept.run : MOST_ROWS};
    t->n = claims_choose_columns(c, MOST_TONES, t->column);
    sinpos_status status = claims_gather(c, t->n_rows, t->n, t->column, &t->p);
    if (status == SINPOS_OK)
        status = sinpos_moments_create(&t->positions, t->n, c->input->n_threads);
    return status == SINPOS_OK ? sinpos_moments_add(t->positions, t->n_rows, SINPOS_F64, t->p, t->n) : status;
}

static void gather_words(together *t, const sinpos_check_input *input)
{
    for (size_t i = 0; i < t->n_tokens; i++)
        for (size_t j = 0; j < t->n; j++)
            t->x[i * t->n + j] = input->words[i * input->ld_words + t->column[j]];
}

static sinpos_status take_tokens(together *t, const claims *c)
{
    t->n_tokens = c->input->words == NULL ? TOKENS : c->input->n_words;
    t->x = malloc(t->n_tokens * t->n * sizeof *t->x);
    if (t->x == NULL)
        return SINPOS_E_MEMORY;
    if (c->input->words == NULL)
        attention_tokens(NULL, t->n_tokens, t->n, c->input->seed, t->x);
    else
        gather_words(t, c->input);
    const sinpos_status status = sinpos_moments_create(&t->words, t->n, c->input->n_threads);
    return status == SINPOS_OK ? sinpos_moments_add(t->words, t->n_tokens, SINPOS_F64, t->x, t->n) : status;
}

/* Numbers that are not finite or too large, and linear algebra that this build lacks, are verdicts here. */
static sinpos_status turn_into_verdict(sinpos_status status, sinpos_claim_result *r)
{
    if (status == SINPOS_E_VALUE)
        claim_say(r, NAN, NAN, SINPOS_DOES_NOT_HOLD, "the rows are all zero, not finite, or beyond 2^100");
    else if (status == SINPOS_E_UNSUPPORTED)
        claim_say(r, NAN, NAN, SINPOS_DOES_NOT_APPLY, "LAPACK is needed, and this build or machine lacks it");
    else
        return status;
    return SINPOS_OK;
}

/* -------------------------------------------------------------------------------------------- covariance */

static double dominant_columns(const sinpos_covariance_result *v)
{
    return rint(v->dominant_share * (double)v->dim);
}

/* "; of the words those of 5 of 64" */
static void name_words(char text[80], const sinpos_covariance_result *words)
{
    text[0] = '\0';
    if (words != NULL)
        snprintf(text, 80, "; of the words those of %.0f of %zu", dominant_columns(words), words->dim);
}

/* words is NULL where the caller gave none. */
static void say_covariance(const claims *c, sinpos_claim_result *r, const sinpos_covariance_result *v,
                           const sinpos_covariance_result *words)
{
    char other[80];
    const double least = words == NULL ? v->dominant_share : fmin(v->dominant_share, words->dominant_share);
    const double most = words == NULL ? v->dominant_share : fmax(v->dominant_share, words->dominant_share);
    name_words(other, words);
    if (least == 1)
        claim_say(r, least, c->chosen, SINPOS_HOLDS,
                  "each column's variance exceeds its covariances with all others together%s", other);
    else if (least >= c->chosen)
        claim_say(r, least, c->chosen, SINPOS_HOLDS,
                  "the variances of %.0f of %zu columns exceed their covariances together%s", dominant_columns(v),
                  v->dim, other);
    else if (v->dominant_share > 0 && !isfinite(v->diagonal_ratio))
        claim_say(r, least, c->chosen, SINPOS_HOLDS_ONLY_IF,
                  "columns change: %.0f of %zu have a variance, and no two columns a covariance%s", dominant_columns(v),
                  v->dim, other);
    else if (most > 0)
        claim_say(
            r, least, c->chosen, SINPOS_HOLDS_ONLY_IF,
            "columns are fast: the variances of %.0f of %zu exceed their covariances together; a mean one is %.2g "
            "times them%s",
            dominant_columns(v), v->dim, v->diagonal_ratio, other);
    else
        claim_say(r, least, c->chosen, SINPOS_DOES_NOT_HOLD,
                  "no column's variance exceeds its covariances together; correlations reach %.3g%s",
                  v->largest_correlation, other);
    claim_detail(r, "mean_variance_to_mean_covariance", isfinite(v->diagonal_ratio) ? v->diagonal_ratio : NAN);
    claim_detail(r, "diagonal_share_of_squares", v->diagonal_share);
    claim_detail(r, "rms_correlation", v->rms_correlation);
    claim_detail(r, "largest_correlation", v->largest_correlation);
    if (words == NULL)
        return;
    claim_detail(r, "words_dominant_share", words->dominant_share);
    claim_detail(r, "words_diagonal_share_of_squares", words->diagonal_share);
    claim_detail(r, "words_rms_correlation", words->rms_correlation);
    claim_detail(r, "words_largest_correlation", words->largest_correlation);
}

sinpos_status claim_covariance(claims *c, sinpos_claim_result *r)
{
    RELEASED_BY(together_free) together t = {0};
    sinpos_covariance_result v, words;
    const bool has_words = c->input->words != NULL;
    sinpos_status status = take_positions(&t, c);
    if (status == SINPOS_OK)
        status = sinpos_covariance(t.positions, &v);
    if (status == SINPOS_OK && has_words)
        status = take_tokens(&t, c);
    if (status == SINPOS_OK && has_words)
        status = sinpos_covariance(t.words, &words);
    if (status == SINPOS_OK)
        say_covariance(c, r, &v, has_words ? &words : NULL);
    claim_looked_at(r, t.n_rows, t.n);
    return turn_into_verdict(status, r);
}

/* ----------------------------------------------------------------------------------------------- additive */

/* Mean |cosine| of different seeded tokens; sqrt(2 / (pi dim)) for directions without preference. */
static sinpos_status random_cosine(uint64_t seed, size_t dim, double *mean)
{
    sinpos_cosines_result cosines;
    OWNED double *x = malloc(COSINE_TOKENS * dim * sizeof *x);
    if (x == NULL)
        return SINPOS_E_MEMORY;
    attention_tokens(NULL, COSINE_TOKENS, dim, seed, x);
    const sinpos_status status = sinpos_pair_cosines(x, COSINE_TOKENS, dim, NULL, 0, 0, dim, 1, &cosines);
    *mean = cosines.mean_size;
    return status;
}

typedef struct additive {
    sinpos_rank_result rank;
    sinpos_overlap_result overlap;
    sinpos_recovery_result recovery;
    sinpos_cosines_result cosines;
    double cosine_384, cosine_768;
} additive;

static sinpos_status measure_additive(const claims *c, together *t, additive *a)
{
    const size_t some = t->n_rows < COSINE_TOKENS ? t->n_rows : COSINE_TOKENS;
    const size_t tokens = t->n_tokens < COSINE_TOKENS ? t->n_tokens : COSINE_TOKENS;
    sinpos_status status = sinpos_rank(t->positions, 0, NULL, &a->rank);
    if (status == SINPOS_OK)
        status = sinpos_overlap(t->words, t->positions, 0.99, NULL, &a->overlap);
    if (status == SINPOS_OK)
        status = sinpos_recovery(t->words, t->positions, NULL, &a->recovery);
    if (status == SINPOS_OK)
        status = sinpos_pair_cosines(t->x, tokens, t->n, t->p, some, t->n, t->n, 1, &a->cosines);
    if (status == SINPOS_OK)
        status = random_cosine(c->input->seed, 384, &a->cosine_384);
    return status == SINPOS_OK ? random_cosine(c->input->seed, 768, &a->cosine_768) : status;
}

static void say_additive(const claims *c, sinpos_claim_result *r, const additive *a, size_t n)
{
    const double words = a->recovery.words_r2, positions = a->recovery.positions_r2;
    if (positions != positions)
        claim_say(r, NAN, c->chosen, SINPOS_DOES_NOT_HOLD, "the rows do not differ: there is no position to recover");
    else if (words != words)
        claim_say(r, NAN, c->chosen, SINPOS_DOES_NOT_APPLY, "the words do not differ: there is none to recover");
    else
        claim_say(
            r, words, c->chosen, words >= c->chosen ? SINPOS_HOLDS : SINPOS_DOES_NOT_HOLD,
            "least squares recover %.2g of the tokens' variance and %.2g of the positions', which fill %zu of %zu "
            "dimensions",
            words, positions, a->rank.dims_99, n);
    claim_detail(r, "dimensions_with_99_percent", (double)a->rank.dims_99);
    claim_detail(r, "entropy_rank", a->rank.entropy_rank);
    claim_detail(r, "tokens_recovered_r2", a->recovery.words_r2);
    claim_detail(r, "positions_recovered_r2", a->recovery.positions_r2);
    claim_detail(r, "tokens_energy_in_span_of_positions", a->overlap.words_in_positions);
    claim_detail(r, "the_same_without_direction", a->overlap.words_in_positions_random);
    claim_detail(r, "smallest_principal_angle_rad", a->overlap.smallest_angle_rad);
    claim_detail(r, "largest_principal_angle_rad", a->overlap.largest_angle_rad);
    claim_detail(r, "mean_cosine_token_position", a->cosines.mean_size);
    claim_detail(r, "mean_cosine_random_384", a->cosine_384);
    claim_detail(r, "mean_cosine_random_768", a->cosine_768);
}

sinpos_status claim_additive(claims *c, sinpos_claim_result *r)
{
    RELEASED_BY(together_free) together t = {0};
    additive a;
    sinpos_status status = take_positions(&t, c);
    if (status == SINPOS_OK)
        status = take_tokens(&t, c);
    if (status == SINPOS_OK)
        status = measure_additive(c, &t, &a);
    if (status == SINPOS_OK)
        say_additive(c, r, &a, t.n);
    claim_looked_at(r, t.n_rows, t.n);
    return turn_into_verdict(status, r);
}

/* ---------------------------------------------------------------------------------------------- attention */

static sinpos_status random_terms(const claims *c, const together *t, sinpos_attention_result *terms)
{
    OWNED double *w = malloc(t->n * t->n * sizeof *w);
    if (w == NULL)
        return SINPOS_E_MEMORY;
    for (size_t i = 0; i < t->n * t->n; i++)
        w[i] = seeded_uniform(c->input->seed, 51, i) / sqrt((double)t->n);
    return sinpos_attention_terms(t->words, t->positions, w, t->n, terms);
}

static void say_attention(sinpos_claim_result *r, const sinpos_attention_result *same,
                          const sinpos_attention_result *random, size_t n)
{
    static const char *const names[] = {
        "identity_token_token", "identity_token_position", "identity_position_token", "identity_position_position",
        "random_token_token",   "random_token_position",   "random_position_token",   "random_position_position"};
    const double value = 1 - same->share[0], bound = (double)n * 0x1p-50; /* rounding of the shares */
    if (value > bound && random->share[0] < 1 - bound)
        claim_say(r, value, bound, SINPOS_HOLDS,
                  "terms with positions make %.2g of the squares of the scores with W = I, %.2g with random weights",
                  value, 1 - random->share[0]);
    else
        claim_say(r, value, bound, SINPOS_DOES_NOT_HOLD, "the rows take no part in attention");
    for (size_t i = 0; i < 8; i++)
        claim_detail(r, names[i], i < 4 ? same->share[i] : random->share[i - 4]);
}

sinpos_status claim_attention(claims *c, sinpos_claim_result *r)
{
    RELEASED_BY(together_free) together t = {0};
    sinpos_attention_result same, random;
    sinpos_status status = take_positions(&t, c);
    if (status == SINPOS_OK)
        status = take_tokens(&t, c);
    if (status == SINPOS_OK)
        status = sinpos_attention_terms(t.words, t.positions, NULL, 0, &same);
    if (status == SINPOS_OK)
        status = random_terms(c, &t, &random);
    if (status == SINPOS_OK)
        say_attention(r, &same, &random, t.n);
    claim_looked_at(r, t.n_rows, t.n);
    return turn_into_verdict(status, r);
}
