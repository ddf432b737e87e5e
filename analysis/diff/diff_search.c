/*
 * diff_search.c - proposals: A's definition with single numbers of B's, with every rounding, compared with the sample.
 *
 * A's own numbers come first. Else those of B, and where base and divisor both differ one of them alone, since
 * frequencies know but log(base) / divisor; then each changed number is set back, and stays so where B is made as well.
 */
#include "diff.h"
#include "diff_trial.h"

/* What a proposal may leave far off. */
#define MOST_FAR 0.02
#define NEAR_ANGLES 1e-3 /* of the amplitude */
/* Part of the elements that must be made roughly for columns to be known. */
#define LEAST_ROUGH 0.5
#define SURE_ROUGH 0.97

typedef enum number { START, STEP, BASE, DIVISOR, N_NUMBERS } number;

typedef struct numbers {
    double of[N_NUMBERS];
} numbers;

typedef struct search {
    diff_job *job;
    diff_definition own;    /* A's */
    diff_rounding rounding; /* of A */
    bool is_brief;          /* columns are looked for with the first rounding alone */
    diff_proposal *best;
} search;

void diff_proposal_free(diff_proposal *proposal)
{
    diff_definition_free(&proposal->source.definition);
}

static numbers numbers_of(const diff_definition *d)
{
    return (numbers){{d->start, d->step, d->base, d->divisor}};
}

static bool is_good(const diff_score *score)
{
    return score->all > 0 && (double)score->far <= MOST_FAR * (double)score->all;
}

/* No recipe makes the angles of B, but a proposal's exact angles are near: PyTorch's float32 angles, for example. */
static bool is_near(const search *s, const diff_score *score)
{
    const sinpos_identity *b = s->job->b.identity;
    const bool has_angles =
        b != NULL && b->is_sinusoidal && b->noise == 0 && (b->unexplained > 0 || b->published != NULL);
    return has_angles && score->all > 0 && score->max_abs_error <= NEAR_ANGLES * fabs(s->own.amplitude);
}

/* ----------------------------------------------------------------------------------------------- one proposal */

static sinpos_status make_partners(search *s, diff_proposal *p, diff_rounding rounding)
{
    diff_definition *d = &p->source.definition;
    d->positions = rounding.positions;
    d->arithmetic = rounding.arithmetic;
    sinpos_status status = diff_definition_plan(d);
    status = status != SINPOS_OK ? status : diff_take_partners(s->job, &p->source);
    if (status == SINPOS_OK || status == SINPOS_E_MEMORY)
        return status;
    for (size_t i = 0; i < s->job->sample.n * s->job->a.dim; i++)
        s->job->partner[i] = NAN; /* there is no such encoding */
    return SINPOS_OK;
}

/* Columns, with the first rounding that makes nearly all elements roughly. */
static sinpos_status find_columns(search *s, diff_proposal *p)
{
    const diff_rounding tried[] = {s->rounding,           {0, NULL},           {SINPOS_BF16, NULL}, {SINPOS_F16, NULL},
                                   {0, "bfloat16-theta"}, {0, "float16-theta"}};
    diff_match match;
    sinpos_status status = diff_match_make(s->job, &match);
    p->match.rough = -1;
    const size_t n = s->is_brief ? 1 : 6;
    for (size_t k = 0; k < n && p->match.rough < SURE_ROUGH && status == SINPOS_OK; k++) {
        if (k == 1 && s->rounding.positions == 0 && s->rounding.arithmetic == NULL)
            continue;
        status = make_partners(s, p, tried[k]);
        status = status != SINPOS_OK ? status : diff_match_find(s->job, &match);
        if (status == SINPOS_OK && match.rough > p->match.rough + 0.02) {
            const diff_match other = p->match;
            p->match = match;
            match = other;
            status = other.column == NULL ? diff_match_make(s->job, &match) : SINPOS_OK;
        }
    }
    return status;
}

/* The same with a rounding, and the columns again. */
static sinpos_status settle(search *s, diff_proposal *p, diff_rounding rounding)
{
    diff_match match;
    sinpos_status status = make_partners(s, p, rounding);
    status = status != SINPOS_OK ? status : diff_match_make(s->job, &match);
    status = status != SINPOS_OK ? status : diff_match_find(s->job, &match);
    if (status != SINPOS_OK)
        return status;
    if (match.near >= DIFF_NEAR)
        p->match = match;
    diff_settle_numbers(s->job, &p->source, &p->match);
    p->score = diff_score_sample(s->job, &p->source, &p->match);
    return SINPOS_OK;
}

/* Amplitudes that may be meant where elements are factor times A's. */
static size_t likely_factors(const search *s, double factor, double out[DIFF_LIKELY + 1])
{
    const sinpos_identity *b = s->job->b.identity;
    const size_t n = diff_likely_numbers(factor, 8 * type_unit(s->job->b.holds) * factor, out);
    if (b == NULL || !b->is_sinusoidal)
        return n;
    out[n] = b->amplitude / s->own.amplitude;
    return n + 1;
}

/* A factor inside the one rounding, where that makes more elements. */
static sinpos_status settle_amplitude(search *s, diff_proposal *p, diff_rounding rounding)
{
    double list[DIFF_LIKELY + 1];
    const diff_proposal before = *p;
    const size_t n = p->match.factor == 1 ? 0 : likely_factors(s, p->match.factor, list);
    double best = NAN;
    diff_score best_score = p->score;
    sinpos_status status = SINPOS_OK;
    for (size_t k = 0; k < n && best_score.wrong > 0 && status == SINPOS_OK; k++) {
        p->source.definition.amplitude = s->own.amplitude * list[k];
        p->match.factor = 1;
        status = make_partners(s, p, rounding);
        p->score = status == SINPOS_OK ? diff_score_sample(s->job, &p->source, &p->match) : p->score;
        if (status == SINPOS_OK && p->score.wrong < best_score.wrong) {
            best = list[k];
            best_score = p->score;
        }
    }
    if (n == 0 || status != SINPOS_OK)
        return status;
    p->source.definition.amplitude = s->own.amplitude * (isnan(best) ? 1 : best);
    p->match.factor = isnan(best) ? before.match.factor : 1;
    p->score = best_score;
    return make_partners(s, p, rounding);
}

static sinpos_status propose(search *s, const numbers *n, diff_proposal *p)
{
    *p = (diff_proposal){.source = {.definition = s->own}, .rounding = s->rounding.arithmetic};
    diff_definition *d = &p->source.definition;
    diff_rounding rounding = {0};
    diff_score score = {0};
    p->a_positions = s->rounding.positions;
    d->type = s->job->b.holds;
    d->plan = NULL;
    d->replay = NULL;
    d->start = n->of[START];
    d->step = n->of[STEP];
    d->base = n->of[BASE];
    d->divisor = n->of[DIVISOR];
    sinpos_status status = find_columns(s, p);
    if (status != SINPOS_OK || p->match.rough < LEAST_ROUGH)
        return status;
    if (p->match.constant != 0) /* a mean, until it is known as it was written */
        status = settle(s, p, rounding);
    if (status == SINPOS_OK)
        status = diff_find_rounding(s->job, &p->match, d, &s->rounding, &rounding, &score);
    if (status != SINPOS_OK || !(is_good(&score) || is_near(s, &score)))
        return status;
    p->is_set = true;
    status = settle(s, p, rounding);
    if (status == SINPOS_OK && p->match.constant != 0) { /* which is better known now */
        status = diff_find_rounding(s->job, &p->match, d, &s->rounding, &rounding, &score);
        status = status != SINPOS_OK ? status : settle(s, p, rounding);
    }
    status = status != SINPOS_OK ? status : settle_amplitude(s, p, rounding);
    p->is_set = is_good(&p->score) || is_near(s, &p->score);
    return status;
}

/* Takes the better one; frees the other. */
static void keep_better(search *s, diff_proposal *p)
{
    if (p->is_set && (!s->best->is_set || diff_is_better(&p->score, &s->best->score))) {
        diff_proposal_free(s->best);
        *s->best = *p;
    } else {
        diff_proposal_free(p);
    }
}

static sinpos_status try_numbers(search *s, const numbers *n)
{
    diff_proposal p;
    const sinpos_status status = propose(s, n, &p);
    if (status == SINPOS_OK)
        keep_better(s, &p);
    else
        diff_proposal_free(&p);
    return status;
}

/* ---------------------------------------------------------------------------------------- numbers of both */

static double nearly_whole(double x, double error)
{
    const double whole = nearbyint(x);
    return fabs(x - whole) <= error * (fabs(x) + 1) ? whole : x;
}

/* B's numbers, in A's units. */
static numbers numbers_of_b(const diff_definition *a, const diff_definition *b)
{
    const sinpos_identity_axis *one = &a->identity->axis[0], *other = &b->identity->axis[0];
    const double unit =
        (b->is_rounded ? other->rounded_scale : other->scale) / (a->is_rounded ? one->rounded_scale : one->scale);
    numbers n = numbers_of(b);
    n.of[START] = nearly_whole(b->start * unit, 1e-9);
    n.of[STEP] = nearly_whole(b->step * unit, 1e-9);
    return n;
}

static bool is_found(const search *s)
{
    return s->best->is_set && s->best->score.wrong == 0;
}

static sinpos_status try_bases(search *s, const numbers *b, int least, int most)
{
    const double base = exp(log(b->of[BASE]) / b->of[DIVISOR] * s->own.divisor);
    numbers n = *b;
    sinpos_status status = SINPOS_OK;
    n.of[DIVISOR] = s->own.divisor;
    for (int digits = least; digits <= most && status == SINPOS_OK && !is_found(s); digits += 3) {
        n.of[BASE] = digits == 17 ? base : diff_to_digits(base, digits);
        if (fabs(n.of[BASE] / base - 1) < 1e-7)
            status = try_numbers(s, &n);
    }
    return status;
}

/* Divisor with A's base, if it is half a whole number; base with A's divisor, if it has few digits; both; that base. */
static sinpos_status try_laws(search *s, const numbers *b)
{
    numbers n = *b;
    const double slope = log(b->of[BASE]) / b->of[DIVISOR];
    n.of[BASE] = s->own.base;
    n.of[DIVISOR] = nearbyint(2 * log(s->own.base) / slope) / 2;
    const double error = fabs(log(s->own.base) / n.of[DIVISOR] / slope - 1);
    sinpos_status status = error < 1e-4 ? try_numbers(s, &n) : SINPOS_OK;
    status = status != SINPOS_OK ? status : try_bases(s, b, 2, 8);
    if (status == SINPOS_OK && !is_found(s))
        status = try_numbers(s, b);
    return status != SINPOS_OK ? status : try_bases(s, b, 11, 17);
}

/* Without each change in turn: is B made as well? */
static sinpos_status drop_changes(search *s)
{
    const numbers own = numbers_of(&s->own);
    sinpos_status status = SINPOS_OK;
    for (number k = START; k < N_NUMBERS && status == SINPOS_OK; k++) {
        numbers n = numbers_of(&s->best->source.definition);
        diff_proposal p;
        if (n.of[k] == own.of[k])
            continue;
        n.of[k] = own.of[k];
        status = propose(s, &n, &p);
        if (status == SINPOS_OK && p.is_set && !diff_is_better(&s->best->score, &p.score)) {
            diff_proposal_free(s->best);
            *s->best = p;
        } else {
            diff_proposal_free(&p);
        }
    }
    return status;
}

/* Numbers that are often mistaken for each other, where B has no definition. */
static sinpos_status try_usual(search *s)
{
    const numbers own = numbers_of(&s->own);
    const double m = (double)s->own.identity->n_tones, start = own.of[START], step = own.of[STEP];
    const struct {
        number number;
        double value;
    } usual[] = {{START, start + 1}, {START, start - 1}, {START, start + 2}, {START, start - 2}, {STEP, 2 * step},
                 {STEP, step / 2},   {STEP, -step},      {DIVISOR, m - 1},   {DIVISOR, m},       {DIVISOR, m + 1},
                 {BASE, 1e4},        {BASE, 5e5},        {BASE, 1e6},        {BASE, 1e5},        {BASE, 1e3},
                 {BASE, 100},        {BASE, 5e6}};
    sinpos_status status = SINPOS_OK;
    s->is_brief = true;
    for (size_t k = 0; k < sizeof usual / sizeof usual[0] && status == SINPOS_OK && !s->best->is_set; k++) {
        numbers n = own;
        n.of[usual[k].number] = usual[k].value;
        const bool is_of_rows = usual[k].number == START || usual[k].number == STEP;
        if (usual[k].value != own.of[usual[k].number] && (is_of_rows ? s->own.has_rows : s->own.has_law))
            status = try_numbers(s, &n);
    }
    s->is_brief = false;
    return status;
}

/* The base with fewer digits, where that makes B as well: it was not known to the last. */
static sinpos_status simplify(search *s)
{
    const double base = s->best->source.definition.base;
    sinpos_status status = SINPOS_OK;
    for (int digits = 1; digits <= 8 && status == SINPOS_OK && s->best->is_set && base != s->own.base; digits++) {
        numbers n = numbers_of(&s->best->source.definition);
        diff_proposal p;
        n.of[BASE] = diff_to_digits(base, digits);
        if (n.of[BASE] == base)
            break;
        if (fabs(n.of[BASE] / base - 1) > 1e-5)
            continue;
        status = propose(s, &n, &p);
        if (status == SINPOS_OK && p.is_set && p.score.wrong <= s->best->score.wrong) {
            diff_proposal_free(s->best);
            *s->best = p;
            break;
        }
        diff_proposal_free(&p);
    }
    return status;
}

/* The rows of B that its definition makes are A's first ones; none are said where all are. */
static diff_runs rows_of_part(const sinpos_identity *b, size_t n_rows)
{
    const size_t end = b->first_row + b->n;
    diff_runs runs = {0};
    if (b->first_row == 0 && end >= n_rows)
        return runs;
    if (b->first_row > 0)
        runs.run[runs.n++] = (diff_run){.begin = 0, .n = b->first_row, .first = SINPOS_NONE, .step = 1};
    runs.run[runs.n++] = (diff_run){.begin = b->first_row, .n = b->n, .first = 0, .step = 1};
    if (end < n_rows)
        runs.run[runs.n++] = (diff_run){.begin = end, .n = n_rows - end, .first = SINPOS_NONE, .step = 1};
    return runs;
}

static sinpos_status try_numbers_of_b(search *s)
{
    diff_definition b;
    if (s->job->b.identity == NULL || !diff_numbers_of(&b, s->job->b.identity, s->job->b.holds))
        return SINPOS_OK;
    if (b.has_law != s->own.has_law || b.has_rows != s->own.has_rows)
        return SINPOS_OK;
    if (s->own.runs.n == 0)
        s->own.runs = rows_of_part(b.identity, s->job->b.n);
    numbers n = numbers_of_b(&s->own, &b);
    if (!s->own.has_rows) {
        n.of[START] = s->own.start;
        n.of[STEP] = s->own.step;
    }
    const bool has_other = s->own.has_law && n.of[BASE] != s->own.base;
    sinpos_status status = has_other ? try_laws(s, &n) : try_numbers(s, &n);
    status = status == SINPOS_OK && s->best->is_set ? drop_changes(s) : status;
    return status == SINPOS_OK && s->best->is_set ? simplify(s) : status;
}

/* ------------------------------------------------------------------------------------------------- search */

/* How A itself was rounded. */
static sinpos_status find_own_rounding(search *s)
{
    const diff_side *a = &s->job->a;
    const diff_rounding exact = {0};
    const diff_runs runs = s->own.runs;
    diff_job own = {.a = *a, .b = *a, .n_threads = s->job->n_threads};
    diff_match match;
    diff_score score = {0};
    if (a->identity->total.wrong == 0)
        return SINPOS_OK;
    sinpos_status status = diff_sample_take(&own);
    status = status != SINPOS_OK ? status : diff_match_make(&own, &match);
    for (size_t j = 0; j < a->dim && status == SINPOS_OK; j++) {
        match.column[j] = (ptrdiff_t)j;
        match.sign[j] = 1;
    }
    s->own.type = a->holds;
    s->own.runs.n = 0;
    status = status != SINPOS_OK ? status : diff_definition_plan(&s->own);
    if (status == SINPOS_OK)
        status = diff_find_rounding(&own, &match, &s->own, &exact, &s->rounding, &score);
    diff_definition_free(&s->own);
    s->own.runs = runs;
    blocks_free(&own.memory);
    return status;
}

sinpos_status diff_search(diff_job *job, const diff_runs *runs, diff_proposal *best)
{
    search s = {.job = job, .best = best};
    *best = (diff_proposal){0};
    sinpos_status status = diff_identify(&job->a, job->n_threads);
    status = status != SINPOS_OK ? status : diff_identify(&job->b, job->n_threads);
    if (status != SINPOS_OK || !diff_definition_of(&s.own, job->a.identity, job->b.holds))
        return status;
    if (runs != NULL)
        s.own.runs = *runs;
    status = find_own_rounding(&s);
    const numbers own = numbers_of(&s.own);
    status = status != SINPOS_OK ? status : try_numbers(&s, &own);
    if (status == SINPOS_OK && !best->is_set)
        status = try_numbers_of_b(&s);
    if (status == SINPOS_OK && !best->is_set)
        status = try_usual(&s);
    return status;
}
