/* diff.c - the order in which two arrays are compared. */
#include "diff.h"
#include "diff_trial.h"

#include "boundary.h"

/* Arrays of which so much is alike are not unrelated. */
#define LEAST_ALIKE 0.8

void sinpos_difference_destroy(sinpos_difference *difference)
{
    BOUNDARY;
    if (difference == NULL)
        return;
    for (size_t k = 0; k < difference->n_causes; k++)
        free(difference->causes[k].columns);
    sinpos_identity_destroy(difference->a);
    sinpos_identity_destroy(difference->b);
    free(difference);
}

/* ------------------------------------------------------------------------------------------------- direct */

static sinpos_status try_runs(diff_job *job, const diff_runs *runs, diff_proposal *p)
{
    p->source = (diff_source){.side = &job->a, .runs = *runs};
    sinpos_status status = diff_match_make(job, &p->match);
    status = status != SINPOS_OK ? status : diff_take_partners(job, &p->source);
    status = status != SINPOS_OK ? status : diff_match_find(job, &p->match);
    if (status != SINPOS_OK)
        return status;
    p->is_set = p->match.near >= DIFF_NEAR;
    if (p->is_set)
        diff_settle_numbers(job, &p->source, &p->match);
    p->score = diff_score_sample(job, &p->source, &p->match);
    return SINPOS_OK;
}

/* A again and again, where B is longer. */
static void repeat(const diff_job *job, diff_runs *runs)
{
    const size_t n = job->a.n;
    runs->n = 0;
    for (size_t begin = 0; begin < job->b.n && runs->n < DIFF_RUNS; begin += n)
        runs->run[runs->n++] =
            (diff_run){.begin = begin, .n = job->b.n - begin < n ? job->b.n - begin : n, .first = 0, .step = 1};
}

/* B from A's own elements: rows as they stand, then rows that are found elsewhere. */
static sinpos_status find_direct(diff_job *job, diff_proposal *p)
{
    diff_runs runs = diff_same_rows(job);
    *p = (diff_proposal){0};
    sinpos_status status = try_runs(job, &runs, p);
    if (status != SINPOS_OK || (p->is_set && job->b.n <= job->a.n))
        return status;
    const bool is_longer = p->is_set;
    status = diff_find_runs(job, &runs);
    if (status == SINPOS_OK && runs.n == 0 && is_longer)
        repeat(job, &runs);
    if (status != SINPOS_OK || runs.n == 0 || (runs.n == 1 && runs.run[0].first == 0 && runs.run[0].step == 1))
        return status;
    diff_proposal other = {0};
    status = try_runs(job, &runs, &other);
    if (other.is_set)
        *p = other;
    return status;
}

/* --------------------------------------------------------------------------------------------------- finish */

/* All rows; and the row from which roundings differ. */
static sinpos_status compare_all(diff_job *job, diff_proposal *p)
{
    diff_source plain = p->source;
    sinpos_status status = SINPOS_OK;
    p->apart = SINPOS_NONE;
    if (p->source.side != NULL)
        return diff_verify(job, &p->source, &p->match, NULL, &p->score, &p->apart);
    plain.definition.positions = p->a_positions;
    plain.definition.arithmetic = p->rounding;
    plain.definition.plan = NULL;
    plain.definition.replay = NULL;
    status = diff_definition_plan(&plain.definition);
    if (status == SINPOS_OK)
        status = diff_verify(job, &p->source, &p->match, &plain, &p->score, &p->apart);
    diff_definition_free(&plain.definition);
    return status;
}

static sinpos_status finish(diff_job *job, const diff_proposal *p, bool is_swapped, sinpos_difference *out)
{
    out->elements = p->score.all;
    out->wrong = p->score.wrong;
    out->max_abs_error = p->score.max_abs_error;
    return diff_say(job, p, is_swapped, out);
}

/* Does B's definition make all of B? What it makes of A says nothing of noise in B, or of roundings that nobody knows. */
static bool makes_itself(const diff_side *side)
{
    const sinpos_identity *own = side->identity;
    return own != NULL && own->is_sinusoidal && own->noise == 0 && own->unexplained == 0;
}

/* A from B's definition, where A has none. */
static sinpos_status explain_a(diff_job *job, const diff_proposal *direct, sinpos_difference *out, bool *is_done)
{
    diff_job other = {.a = job->b, .b = job->a, .n_threads = job->n_threads};
    diff_proposal p = {0};
    sinpos_status status = diff_sample_take(&other);
    status = status != SINPOS_OK ? status : diff_search(&other, NULL, &p);
    if (status == SINPOS_OK && p.is_set)
        status = compare_all(&other, &p);
    *is_done = status == SINPOS_OK && p.is_set && makes_itself(&other.a) &&
               (!direct->is_set || (job->a.n >= job->b.n && diff_is_better(&p.score, &direct->score)));
    if (*is_done)
        status = finish(&other, &p, true, out);
    diff_proposal_free(&p);
    job->a.identity = other.b.identity;
    job->b.identity = other.a.identity;
    blocks_free(&other.memory);
    return status;
}

/* Elements as they stand. */
static void forget(diff_job *job, diff_proposal *p)
{
    p->source = (diff_source){.side = &job->a, .runs = diff_same_rows(job)};
    p->match.how = DIFF_SAME_COLUMNS;
    p->match.factor = 1;
    p->match.constant = p->match.dropped = 0;
    for (size_t j = 0; j < job->b.dim; j++) {
        p->match.column[j] = j < job->a.dim ? (ptrdiff_t)j : -1;
        p->match.sign[j] = 1;
    }
}

static sinpos_status say_unrelated(diff_job *job, diff_proposal *direct, sinpos_difference *out)
{
    const bool is_alike = job->a.dim == job->b.dim && direct->match.rough >= LEAST_ALIKE;
    forget(job, direct);
    sinpos_status status = compare_all(job, direct);
    status = status != SINPOS_OK ? status : finish(job, direct, false, out);
    if (!is_alike && status == SINPOS_OK) {
        out->n_causes = 0;
        diff_cause_add(out, SINPOS_DIFF_UNRELATED, NAN, NAN, job->b.n);
    }
    return status;
}

/* Has A a row for every one of B? */
static bool covers_all(const diff_job *job, const diff_proposal *direct)
{
    const size_t n = job->b.n - diff_foreign_rows(&direct->source.runs);
    return direct->score.all == (uint64_t)n * job->b.dim || direct->match.dropped >= DIFF_LEAST_DROPPED ||
           direct->match.how == DIFF_CHOSEN;
}

/* Is what a definition makes nearer than A's own elements, or as near and in more rows? */
static bool is_preferred(const diff_job *job, const diff_proposal *made, const diff_proposal *direct)
{
    const diff_score *one = &made->score, *other = &direct->score;
    if (!made->is_set || !direct->is_set)
        return made->is_set;
    return one->wrong < other->wrong || (!covers_all(job, direct) && !diff_is_better(other, one));
}

static sinpos_status explain(diff_job *job, sinpos_difference *out)
{
    diff_proposal direct, made = {0};
    bool is_done = false;
    sinpos_status status = diff_sample_take(job);
    status = status != SINPOS_OK ? status : find_direct(job, &direct);
    if (status == SINPOS_OK && direct.is_set)
        status = compare_all(job, &direct);
    if (status != SINPOS_OK)
        return status;
    if (direct.is_set && direct.score.wrong == 0 && covers_all(job, &direct))
        return finish(job, &direct, false, out);
    status = diff_search(job, direct.is_set && direct.source.runs.n > 1 ? &direct.source.runs : NULL, &made);
    if (status == SINPOS_OK && made.is_set)
        status = compare_all(job, &made);
    if (status == SINPOS_OK && is_preferred(job, &made, &direct)) {
        status = finish(job, &made, false, out);
        is_done = true;
    } else if (status == SINPOS_OK && !made.is_set) {
        status = explain_a(job, &direct, out, &is_done);
    }
    diff_proposal_free(&made);
    if (status != SINPOS_OK || is_done)
        return status;
    return direct.is_set ? finish(job, &direct, false, out) : say_unrelated(job, &direct, out);
}

sinpos_status sinpos_diff(sinpos_difference **out, const sinpos_table *a, const sinpos_table *b, size_t n_threads)
{
    BOUNDARY;
    diff_job job = {.n_threads = n_threads};
    bool is_same = false;
    if (out == NULL)
        return SINPOS_E_NULL;
    *out = NULL;
    sinpos_status status = n_threads > 1024 ? SINPOS_E_VALUE : diff_side_make(&job.a, a);
    status = status != SINPOS_OK ? status : diff_side_make(&job.b, b);
    sinpos_difference *found = status == SINPOS_OK ? calloc(1, sizeof *found) : NULL;
    if (found == NULL)
        return status != SINPOS_OK ? status : SINPOS_E_MEMORY;
    status = diff_compare(&job, &is_same);
    found->same = is_same;
    found->elements = (uint64_t)job.b.n * job.b.dim;
    if (status == SINPOS_OK && !is_same)
        status = explain(&job, found);
    diff_write_texts(found);
    found->a = job.a.identity;
    found->b = job.b.identity;
    blocks_free(&job.memory);
    if (status != SINPOS_OK) {
        sinpos_difference_destroy(found);
        return status;
    }
    *out = found;
    return SINPOS_OK;
}
