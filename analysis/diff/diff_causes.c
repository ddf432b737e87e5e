/* diff_causes.c - a proposal as a list of causes. */
#include "diff.h"

#include <stdio.h>

/* ------------------------------------------------------------------------------------------------ columns */

/* Columns of B for which that is so; all: an empty list. */
static sinpos_status list_columns(sinpos_diff_cause *cause, const size_t *columns, size_t n)
{
    cause->columns = malloc((n + 1) * sizeof *cause->columns);
    if (cause->columns == NULL)
        return SINPOS_E_MEMORY;
    memcpy(cause->columns, columns, n * sizeof *columns);
    cause->n_columns = n;
    return SINPOS_OK;
}

/* Is column c of A a sine, or a cosine, and of which tone? SINPOS_NONE where it is another. */
static size_t tone_of(const sinpos_identity *identity, ptrdiff_t c, bool is_cos)
{
    for (size_t k = 0; k < identity->n_tones; k++)
        if ((is_cos ? identity->cos_column[k] : identity->sin_column[k]) == c)
            return k;
    return SINPOS_NONE;
}

static bool has_component(const diff_job *job, const diff_match *match, bool is_cos, size_t copies)
{
    const sinpos_identity *identity = job->a.identity;
    const size_t n = identity->n_tones;
    bool is_all = job->b.dim == copies * n;
    for (size_t j = 0; j < job->b.dim && is_all; j++)
        is_all = match->column[j] >= 0 && tone_of(identity, match->column[j], is_cos) == j % n;
    return is_all;
}

/* "cos", "sin", "cos-cos" or "sin-sin", as --columns of sinpos table. */
static bool say_component(const diff_job *job, const diff_match *match, sinpos_difference *out)
{
    static const char *const words[] = {"sin", "cos", "sin-sin", "cos-cos"};
    if (job->a.identity == NULL || !job->a.identity->is_sinusoidal || match->how != DIFF_CHOSEN)
        return false;
    for (size_t k = 0; k < 4; k++)
        if (has_component(job, match, k % 2, 1 + k / 2)) {
            diff_cause_words(diff_cause_add(out, SINPOS_DIFF_COLUMNS, NAN, NAN, job->b.n), "both", words[k]);
            return true;
        }
    return false;
}

static sinpos_status say_columns(const diff_job *job, const diff_match *match, sinpos_difference *out, size_t *room)
{
    const size_t n = job->b.n;
    if (match->how == DIFF_SAME_COLUMNS)
        return SINPOS_OK;
    if (match->how == DIFF_NAMED) {
        if (match->from.is_halves != match->to.is_halves)
            diff_cause_words(diff_cause_add(out, SINPOS_DIFF_LAYOUT, NAN, NAN, n),
                             match->from.is_halves ? "halves" : "interleaved",
                             match->to.is_halves ? "halves" : "interleaved");
        if (match->from.is_cos_first != match->to.is_cos_first)
            diff_cause_words(diff_cause_add(out, SINPOS_DIFF_ORDER, NAN, NAN, n),
                             match->from.is_cos_first ? "cos-sin" : "sin-cos",
                             match->to.is_cos_first ? "cos-sin" : "sin-cos");
        return SINPOS_OK;
    }
    for (size_t j = 0; j < job->b.dim; j++)
        room[j] = match->column[j] < 0 ? SINPOS_NONE : (size_t)match->column[j];
    if (say_component(job, match, out))
        return SINPOS_OK;
    const bool is_permuted = match->how == DIFF_PERMUTED;
    sinpos_diff_cause *cause =
        diff_cause_add(out, is_permuted ? SINPOS_DIFF_PERMUTATION : SINPOS_DIFF_COLUMNS,
                       is_permuted ? NAN : (double)job->a.dim, is_permuted ? NAN : (double)job->b.dim, n);
    return list_columns(cause, room, job->b.dim);
}

static sinpos_status say_signs(const diff_job *job, const diff_match *match, sinpos_difference *out, size_t *room)
{
    size_t n = 0;
    for (size_t j = 0; j < job->b.dim; j++)
        if (match->sign[j] < 0)
            room[n++] = j;
    if (n == 0)
        return SINPOS_OK;
    sinpos_diff_cause *cause = diff_cause_add(out, SINPOS_DIFF_SIGN, 1, -1, job->b.n);
    return n == job->b.dim ? SINPOS_OK : list_columns(cause, room, n);
}

/* --------------------------------------------------------------------------------------------------- rows */

static void say_number(sinpos_difference *out, sinpos_diff_kind kind, double a, double b, size_t n)
{
    if (a != b)
        diff_cause_add(out, kind, a, b, n);
}

/* Does it go on where the one before the rows between left off? */
static bool goes_on(const diff_run *before, const diff_run *run)
{
    return run->step == before->step &&
           (ptrdiff_t)run->first == (ptrdiff_t)before->first + before->step * (ptrdiff_t)before->n;
}

/* Rows that repeat others, or that A does not have. */
static void say_repeats(const diff_job *job, const diff_runs *runs, sinpos_difference *out)
{
    const diff_run *first = &runs->run[diff_first_known(runs)], *before = NULL;
    for (size_t k = 0; k < runs->n; k++) {
        const diff_run *run = &runs->run[k];
        const bool is_foreign = run->first == SINPOS_NONE;
        const bool is_usual = !is_foreign && (run == first || (before != NULL && goes_on(before, run)));
        before = is_foreign ? before : run;
        if (is_usual)
            continue;
        const double usual = (double)first->first + (double)first->step * ((double)run->begin - (double)first->begin);
        sinpos_diff_cause *cause = diff_cause_add(out, SINPOS_DIFF_STACKED, is_foreign ? NAN : usual,
                                                  is_foreign ? NAN : (double)run->first, job->b.n);
        cause->first_row = run->begin;
        cause->last_row = run->begin + run->n - 1;
    }
}

/* Rows of A that B has; as positions where A's are known. */
static void say_runs(const diff_job *job, const diff_runs *runs, sinpos_difference *out)
{
    diff_definition own;
    const diff_run *first = &runs->run[diff_first_known(runs)];
    const bool is_known =
        job->a.identity != NULL && diff_definition_of(&own, job->a.identity, job->a.holds) && own.has_rows;
    const double start = is_known ? own.start : 0, step = is_known ? own.step : 1;
    say_number(out, SINPOS_DIFF_START, start, start + step * (double)first->first, job->b.n);
    if (first->first > 0 && !is_known) {
        sinpos_diff_cause *cause = &out->causes[out->n_causes - 1];
        snprintf(cause->text, sizeof cause->text, "B starts %zu row%s later", first->first,
                 first->first == 1 ? "" : "s");
    }
    say_number(out, SINPOS_DIFF_STEP, step, step * (double)first->step, job->b.n);
    say_repeats(job, runs, out);
}

/* ---------------------------------------------------------------------------------------------- roundings */

/* The type that positions were rounded to, and the rest. */
static void rounding_words(sinpos_type positions, const char *arithmetic, const char **where, const char **angles)
{
    const bool is_bf16 = arithmetic != NULL && strcmp(arithmetic, "bfloat16-positions") == 0;
    const bool is_f16 = arithmetic != NULL && strcmp(arithmetic, "float16-positions") == 0;
    *where = is_bf16 ? "bfloat16" : is_f16 ? "float16" : positions != 0 ? type_words(positions) : "exact";
    *angles = is_bf16 || is_f16 || arithmetic == NULL ? "exact" : arithmetic;
}

static bool is_exact(const char *word)
{
    return strcmp(word, "exact") == 0;
}

/* ": they part at position 7", what diff_write_texts() puts behind who has which, when the sides are known. */
static void say_where(sinpos_diff_cause *c, const diff_definition *d)
{
    if (d->has_rows)
        snprintf(c->text, sizeof c->text, ": they part at position %.15g", d->start + d->step * (double)c->first_row);
    else
        snprintf(c->text, sizeof c->text, ": they part in row %zu", c->first_row);
}

/* The first row whose position is not of that type. */
static size_t first_rounded(const diff_definition *d, const char *const words[2], size_t n)
{
    diff_definition exact = *d;
    const sinpos_type type = strcmp(words[is_exact(words[0])], "bfloat16") == 0 ? SINPOS_BF16 : SINPOS_F16;
    exact.positions = 0;
    for (size_t row = 0; row < n; row++) {
        const double p = diff_position(&exact, row, 0);
        if (!isnan(p) && round_to(p, type) != p)
            return row;
    }
    return SINPOS_NONE;
}

static void say_rounding(const diff_job *job, const diff_proposal *p, sinpos_difference *out)
{
    const diff_definition *d = &p->source.definition;
    const char *where[2], *angles[2];
    rounding_words(p->a_positions, p->rounding, &where[0], &angles[0]);
    rounding_words(d->positions, d->arithmetic, &where[1], &angles[1]);
    const sinpos_diff_kind kinds[] = {SINPOS_DIFF_ANGLES, SINPOS_DIFF_POSITIONS};
    for (size_t k = 0; k < 2; k++) {
        const char *const *words = k == 0 ? angles : where;
        if (strcmp(words[0], words[1]) == 0)
            continue;
        sinpos_diff_cause *cause = diff_cause_add(out, kinds[k], NAN, NAN, job->b.n);
        diff_cause_words(cause, words[0], words[1]);
        const size_t apart = k == 0 ? p->apart : first_rounded(d, words, job->b.n);
        cause->first_row = apart == SINPOS_NONE ? 0 : apart;
        if (apart != SINPOS_NONE)
            say_where(cause, d);
    }
}

static void say_definition(const diff_job *job, const diff_proposal *p, sinpos_difference *out)
{
    const diff_definition *d = &p->source.definition;
    const sinpos_identity_axis *axis = &d->identity->axis[0];
    if (d->has_law) {
        say_number(out, SINPOS_DIFF_BASE, diff_base_of(d->identity), d->base, job->b.n);
        say_number(out, SINPOS_DIFF_DIVISOR, diff_divisor_of(d->identity), d->divisor, job->b.n);
    }
    if (d->has_rows) {
        say_number(out, SINPOS_DIFF_START, axis->start, d->start, job->b.n);
        say_number(out, SINPOS_DIFF_STEP, axis->step, d->step, job->b.n);
    }
    say_repeats(job, &d->runs, out);
    say_rounding(job, p, out);
}

static void say_types(const diff_job *job, sinpos_difference *out)
{
    const diff_side *a = &job->a, *b = &job->b;
    if (a->holds != b->holds)
        diff_cause_words(diff_cause_add(out, SINPOS_DIFF_TYPE, NAN, NAN, b->n), type_words(a->holds),
                         type_words(b->holds));
    else if (a->type != b->type)
        diff_cause_words(diff_cause_add(out, SINPOS_DIFF_TYPE, NAN, NAN, b->n), type_words(a->type),
                         type_words(b->type));
}

/* The number of fewest digits that is this one in the type of the elements: 0.1, where that is 0.1 as a float. */
static double as_written(double x, sinpos_type type)
{
    if (x == 0 || round_to(x, type) != x)
        return x;
    for (int digits = 1; digits < 17; digits++) {
        const double shorter = diff_to_digits(x, digits);
        if (round_to(shorter, type) == x)
            return shorter;
    }
    return x;
}

static void swap_sides(sinpos_difference *out)
{
    for (size_t k = 0; k < out->n_causes; k++) {
        sinpos_diff_cause *c = &out->causes[k];
        const double number = c->a;
        char word[sizeof c->a_word];
        c->a = c->b;
        c->b = number;
        memcpy(word, c->a_word, sizeof word);
        memcpy(c->a_word, c->b_word, sizeof word);
        memcpy(c->b_word, word, sizeof word);
    }
}

/* Are positions, or what columns are, to be said? */
static bool needs_identity(const diff_proposal *p)
{
    const diff_run *run = &p->source.runs.run[diff_first_known(&p->source.runs)];
    return p->source.side != NULL && (p->match.how == DIFF_CHOSEN || run->first != 0 || run->step != 1);
}

static double noise_of(const diff_side *side)
{
    return side->identity != NULL && side->identity->is_sinusoidal ? side->identity->noise : 0;
}

/* Of one of them: a definition makes what is below the noise. */
static void say_noise(const diff_job *job, sinpos_difference *out)
{
    const double a = noise_of(&job->a), b = noise_of(&job->b);
    if ((a > 0) != (b > 0))
        diff_cause_add(out, SINPOS_DIFF_NOISE, a, b, job->b.n);
}

sinpos_status diff_say(diff_job *job, const diff_proposal *p, bool is_swapped, sinpos_difference *out)
{
    const diff_match *match = &p->match;
    sinpos_status status = needs_identity(p) ? diff_identify(&job->a, job->n_threads) : SINPOS_OK;
    if (status != SINPOS_OK)
        return status;
    const sinpos_identity *identity = job->a.identity;
    const double own = identity != NULL && identity->is_sinusoidal ? identity->amplitude : 1;
    size_t *room = malloc((job->b.dim + 1) * sizeof *room);
    status = room == NULL ? SINPOS_E_MEMORY : say_columns(job, match, out, room);
    if (status == SINPOS_OK) {
        if (p->source.side != NULL)
            say_runs(job, &p->source.runs, out);
        else
            say_definition(job, p, out);
        const double made = p->source.side != NULL ? own : p->source.definition.amplitude;
        say_number(out, SINPOS_DIFF_SCALE, own, as_written(made * match->factor, job->b.holds), job->b.n);
        status = say_signs(job, match, out, room);
        say_number(out, SINPOS_DIFF_CONSTANT, 0, as_written(match->constant, job->b.holds), job->b.n);
        if (match->dropped >= DIFF_LEAST_DROPPED)
            diff_cause_add(out, SINPOS_DIFF_DROPOUT, 0, match->dropped, job->b.n);
        say_types(job, out);
        say_noise(job, out);
        if (out->n_causes == 0 && job->a.n != job->b.n)
            diff_cause_add(out, SINPOS_DIFF_LENGTH, (double)job->a.n, (double)job->b.n, job->b.n);
    }
    if (is_swapped)
        swap_sides(out);
    free(room);
    return status;
}
