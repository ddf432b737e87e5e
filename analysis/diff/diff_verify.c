/* diff_verify.c - elements of B against what a proposal makes: those of the sample, and all. */
#include "diff.h"

/* Narrowed where A holds less than B, and as B holds it where numbers are made anew. */
sinpos_type diff_common_type(const diff_job *job, const diff_source *source, const diff_match *match)
{
    const bool is_plain = match->factor == 1 && match->constant == 0;
    const bool is_narrow = type_unit(job->a.holds) > type_unit(job->b.holds);
    return source->side != NULL && is_plain && is_narrow ? job->a.holds : job->b.holds;
}

void diff_score_add(diff_score *score, double got, double want, double unit)
{
    const double error = fabs(got - want);
    score->all++;
    if (got == want || (isnan(got) && isnan(want)))
        return;
    score->wrong++;
    score->far += !(error <= 5 * unit * fabs(want) + 1e-300);
    const double shown = isnan(error) ? INFINITY : error;
    score->max_abs_error = shown > score->max_abs_error ? shown : score->max_abs_error;
}

/* Is there something to compare? A 0 of a table with dropout is not compared. */
static bool is_compared(const diff_match *match, const double *partner, size_t j, double got)
{
    if (match->column[j] < 0)
        return match->how != DIFF_CHOSEN;
    return !(match->dropped >= DIFF_LEAST_DROPPED && got == 0) && !isnan(partner[match->column[j]]);
}

static void score_row(diff_score *score, const diff_match *match, const double *partner, const double *x, size_t dim,
                      sinpos_type type)
{
    const double unit = type_unit(type);
    for (size_t j = 0; j < dim; j++)
        if (is_compared(match, partner, j, x[j]))
            diff_score_add(score, round_to(x[j], type),
                           match->column[j] < 0 ? NAN : round_to(diff_made(match, partner, j), type), unit);
}

diff_score diff_score_sample(const diff_job *job, const diff_source *source, const diff_match *match)
{
    const size_t da = job->a.dim, db = job->b.dim;
    const sinpos_type type = diff_common_type(job, source, match);
    diff_score score = {0};
    for (size_t i = 0; i < job->sample.n; i++)
        score_row(&score, match, job->partner + i * da, job->sample.x + i * db, db, type);
    return score;
}

/* Is an element off by more than a unit of 1? */
static bool is_apart(const diff_match *match, const double *partner, const double *x, size_t dim, double unit)
{
    for (size_t j = 0; j < dim; j++)
        if (match->column[j] >= 0 && is_compared(match, partner, j, x[j]) &&
            fabs(x[j] - diff_made(match, partner, j)) > 2 * unit * fabs(match->factor))
            return true;
    return false;
}

typedef struct piece {
    size_t n, *rows;
    double *partner, *x;
} piece;

static sinpos_status verify_piece(const diff_job *job, const diff_source *source, const diff_match *match, piece *p,
                                  diff_score *score)
{
    const sinpos_type type = diff_common_type(job, source, match);
    sinpos_status status = diff_source_rows(source, p->rows, p->n, p->partner, job->n_threads);
    for (size_t i = 0; i < p->n && status == SINPOS_OK; i++)
        score_row(score, match, p->partner + i * job->a.dim, p->x + i * job->b.dim, job->b.dim, type);
    return status;
}

static sinpos_status find_apart(const diff_job *job, const diff_source *plain, const diff_match *match, piece *p,
                                size_t *apart)
{
    const double unit = type_unit(job->b.holds);
    const sinpos_status status = diff_source_rows(plain, p->rows, p->n, p->partner, job->n_threads);
    for (size_t i = 0; i < p->n && status == SINPOS_OK && *apart == SINPOS_NONE; i++)
        if (is_apart(match, p->partner + i * job->a.dim, p->x + i * job->b.dim, job->b.dim, unit))
            *apart = p->rows[i];
    return status;
}

sinpos_status diff_verify(const diff_job *job, const diff_source *source, const diff_match *match,
                          const diff_source *plain, diff_score *score, size_t *apart)
{
    const size_t da = job->a.dim, db = job->b.dim, n = job->b.n, most = diff_piece(da > db ? da : db);
    piece p = {.rows = malloc(most * sizeof *p.rows)};
    p.partner = malloc(most * da * sizeof *p.partner);
    p.x = malloc(most * db * sizeof *p.x);
    const bool has_memory = p.rows != NULL && p.partner != NULL && p.x != NULL;
    sinpos_status status = has_memory ? SINPOS_OK : SINPOS_E_MEMORY;
    *score = (diff_score){0};
    *apart = SINPOS_NONE;
    for (size_t first = 0; first < n && status == SINPOS_OK; first += p.n) {
        p.n = n - first < most ? n - first : most;
        for (size_t i = 0; i < p.n; i++)
            p.rows[i] = first + i;
        status = diff_side_read(&job->b, first, p.n, p.x);
        status = status != SINPOS_OK ? status : verify_piece(job, source, match, &p, score);
        if (plain != NULL && *apart == SINPOS_NONE && status == SINPOS_OK)
            status = find_apart(job, plain, match, &p, apart);
    }
    free(p.rows);
    free(p.partner);
    free(p.x);
    return status;
}
