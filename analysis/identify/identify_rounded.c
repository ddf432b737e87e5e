/*
 * identify_rounded.c - positions that were rounded to bfloat16 or float16 so far away that rows repeat.
 *
 * From 2^bits on the type has no other positions than multiples of a power of two. Which rows equal the one before says
 * which type it was, and leaves few whole starts. With a start all positions are known: the first column, whose frequency
 * is 1, says which start it is. Then the ratio of two frequencies alone is unknown; the second one gives it up to whole
 * turns, and all others decide.
 */
#include "elements.h"
#include "identify.h"
#include "sinpos_conventions.h"

/* Distinct rows that are asked for, and that are looked at. */
#define LEAST_RUNS 3
#define MOST_ROWS 24

/* Starts that are looked at; beyond 2^8 or 2^11 numbers have so many bits more than the type. */
#define MOST_START ((int64_t)1 << 20)
#define MOST_DROP 13
#define MOST_HALF ((int64_t)65504)

/* The two types, by their significant bits. */
#define BITS_BF16 8
#define BITS_F16 11

/* Angles of float32 code: the frequency is rounded, and its product with the position. */
#define GROWTH 0x1p-23

/* Three quarters of the angles of a frequency, then of all, are so many sigmas near. */
#define NEAR_SIGMAS 12
#define GOOD_SIGMAS 4

/* Steps of least squares. */
#define STEPS 6

/* Angles that are looked at; rows of zeros and ones alone have as many near turns as one likes. */
#define MOST_LOOKED ((size_t)1 << 24)

/* Bases that may be tried with one number of digits, and how far they may be from the fitted one, relative. */
#define MOST_BASES 600
#define MOST_DIGITS 12
#define BASE_ERROR 0x1p-22

/* As a type of so many bits has it; half to even. */
static int64_t rounded(int64_t x, int bits)
{
    int size = 0;
    while (x >> size != 0)
        size++;
    const int drop = size - bits;
    if (drop <= 0)
        return x;
    const int64_t half = (int64_t)1 << (drop - 1), rest = x & (2 * half - 1), whole = x >> drop;
    const bool is_up = rest > half || (rest == half && (whole & 1) != 0);
    return (whole + is_up) << drop;
}

/* ------------------------------------------------------------------------------------------------- repeats */

typedef struct rounded_start {
    int64_t start;
    int bits;
} rounded_start;

/* Which of the rows of the sample equal the one before, and the starts that make it so. */
typedef struct runs {
    const id_sample *sample;
    bool *is_same; /* (n) */
    size_t n_runs;
    size_t changed; /* a row that differs from the one before, which equals its own predecessor; 0: none */
    rounded_start *starts;
    size_t n_starts;
    size_t left; /* angles that may yet be looked at */
} runs;

static bool follows(const id_sample *sample, size_t i)
{
    return i > 0 && sample->row[i] == sample->row[i - 1] + 1;
}

static sinpos_status find_runs(runs *r, const id_sample *sample)
{
    const size_t dim = sample->dim;
    *r = (runs){.sample = sample, .left = MOST_LOOKED, .is_same = malloc((sample->n + 1) * sizeof *r->is_same)};
    if (r->is_same == NULL)
        return SINPOS_E_MEMORY;
    for (size_t i = 0; i < sample->n; i++) {
        const double *x = sample->x + i * dim;
        r->is_same[i] = follows(sample, i) && memcmp(x, x - dim, dim * sizeof *x) == 0;
        r->n_runs += !r->is_same[i];
        if (r->changed == 0 && i > 1 && follows(sample, i) && !r->is_same[i] && r->is_same[i - 1])
            r->changed = i;
    }
    return SINPOS_OK;
}

static bool is_same_at(const runs *r, size_t i, int64_t start, int bits)
{
    const int64_t p = start + (int64_t)r->sample->row[i];
    return rounded(p, bits) == rounded(p - 1, bits);
}

/* Does a start repeat the rows that are repeated, and no others? */
static bool is_start(const runs *r, int64_t start, int bits)
{
    for (size_t i = 1; i < r->sample->n; i++)
        if (follows(r->sample, i) && is_same_at(r, i, start, bits) != r->is_same[i])
            return false;
    return true;
}

/* Where the changed row is the first that rounds to a number one unit above `whole` units. */
static void add_start(runs *r, int64_t whole, int drop, int bits)
{
    const int64_t half = (int64_t)1 << (drop - 1), p = whole * 2 * half + half + (whole % 2 == 0);
    const int64_t start = p - (int64_t)r->sample->row[r->changed], last = start + (int64_t)r->sample->n_all - 1;
    if (start >= 0 && start <= MOST_START && (bits == BITS_BF16 || last <= MOST_HALF) && is_start(r, start, bits))
        r->starts[r->n_starts++] = (rounded_start){start, bits};
}

static sinpos_status find_starts(runs *r)
{
    static const int types[] = {BITS_BF16, BITS_F16};
    r->starts = malloc((size_t)MOST_DROP * (((size_t)1 << BITS_BF16) + ((size_t)1 << BITS_F16)) * sizeof *r->starts);
    if (r->starts == NULL)
        return SINPOS_E_MEMORY;
    for (size_t k = 0; k < sizeof types / sizeof types[0]; k++)
        for (int drop = 1; drop <= MOST_DROP; drop++)
            for (int64_t whole = (int64_t)1 << (types[k] - 1); whole < (int64_t)1 << types[k]; whole++)
                add_start(r, whole, drop, types[k]);
    return SINPOS_OK;
}

static void free_runs(runs *r)
{
    free(r->is_same);
    free(r->starts);
}

/* --------------------------------------------------------------------------------------------------- slope */

typedef struct trial {
    const id_problem *problem;
    const size_t *row; /* (n) rows of the table */
    double *p;         /* (n) their positions */
    double *room;      /* (m n) */
    size_t *left;      /* angles that may yet be looked at */
    int64_t start;
    int bits;
    double slope, residual;
} trial;

static bool spend(const trial *t, size_t angles)
{
    const bool is_enough = *t->left >= angles;
    *t->left -= is_enough ? angles : *t->left;
    return is_enough;
}

static double sigma_of(const id_problem *problem, double full)
{
    return problem->unit + problem->noise + GROWTH * fabs(full);
}

/* Three quarters of the angles of frequency i are within so many sigmas of those of theta. */
static double distance(const trial *t, size_t i, double theta)
{
    const id_problem *problem = t->problem;
    size_t n = 0;
    for (size_t row = 0; row < problem->n; row++) {
        const double full = theta * t->p[row], off = fabs(id_wrap(problem->angle[row * problem->m + i] - full));
        t->room[n] = off / sigma_of(problem, full);
        n += !isnan(off);
    }
    return n == 0 ? 0 : id_select(t->room, n, (3 * n - 1) / 4);
}

static double all_distances(const trial *t, double slope)
{
    const id_problem *problem = t->problem;
    size_t n = 0;
    for (size_t k = 0; k < problem->n * problem->m; k++) {
        const double full = exp(-slope * (double)(k % problem->m)) * t->p[k / problem->m];
        t->room[n] = fabs(id_wrap(problem->angle[k] - full)) / sigma_of(problem, full);
        n += !isnan(t->room[n]);
    }
    return n == 0 ? INFINITY : id_select(t->room, n, (3 * n - 1) / 4);
}

/* The positions are known: the slope alone is free. Returns its standard error, thrice. */
static double refine(const trial *t, double *slope)
{
    const id_problem *problem = t->problem;
    double error = INFINITY;
    for (int step = 0; step < STEPS; step++) {
        const double limit = 4 * all_distances(t, *slope) + 1;
        double up = 0, down = 0;
        for (size_t k = 0; k < problem->n * problem->m; k++) {
            const double i = (double)(k % problem->m), full = exp(-*slope * i) * t->p[k / problem->m];
            const double off = id_wrap(problem->angle[k] - full), sigma = sigma_of(problem, full);
            if (fabs(off) <= limit * sigma) {
                up -= i * full * off / (sigma * sigma);
                down += i * full * i * full / (sigma * sigma);
            }
        }
        *slope += down > 0 ? up / down : 0;
        error = down > 0 ? 3 / sqrt(down) : INFINITY;
    }
    return error;
}

/* Do all frequencies follow from the second one? The error of its logarithm grows with their index. */
static bool is_slope(const trial *t, double slope, double error)
{
    for (size_t i = 1; i < t->problem->m; i++) {
        const double theta = exp(-slope * (double)i), far = theta * t->p[t->problem->n - 1];
        const double shared = (double)i * far * error / sigma_of(t->problem, far);
        if (distance(t, i, theta) > NEAR_SIGMAS * (1 + shared))
            return false;
    }
    return true;
}

/* All turns that the second frequency may have made in the last row. */
static void find_slope(trial *t, size_t second)
{
    const id_problem *problem = t->problem;
    const double far = t->p[problem->n - 1], angle = problem->angle[(problem->n - 1) * problem->m + second];
    for (double full = angle <= 0 ? angle + TWO_PI : angle; full < far && spend(t, problem->n); full += TWO_PI) {
        double slope = -log(full / far) / (double)second;
        if (distance(t, second, full / far) > NEAR_SIGMAS ||
            !is_slope(t, slope, sigma_of(problem, full) / (full * (double)second)))
            continue;
        if (!spend(t, (2 * STEPS + 1) * problem->n * problem->m))
            return;
        (void)refine(t, &slope);
        const double residual = all_distances(t, slope);
        if (residual < t->residual) {
            t->residual = residual;
            t->slope = slope;
        }
    }
}

static void place_rows(const trial *t)
{
    for (size_t row = 0; row < t->problem->n; row++)
        t->p[row] = (double)rounded(t->start + (int64_t)t->row[row], t->bits);
}

/* The type and the start with which the angles fit best. */
static sinpos_status find_start(trial *best, const runs *r)
{
    sinpos_status status = SINPOS_OK;
    for (size_t k = 0; k < r->n_starts && status == SINPOS_OK; k++) {
        trial own = *best;
        own.start = r->starts[k].start;
        own.bits = r->starts[k].bits;
        place_rows(&own);
        if (!spend(&own, own.problem->n))
            break;
        if (distance(&own, 0, 1) > NEAR_SIGMAS)
            continue;
        find_slope(&own, 1);
        *best = own.residual < best->residual ? own : *best;
        status = id_ask(r->sample->table);
    }
    return status;
}

/* ---------------------------------------------------------------------------------------------------- fit */

/* The first row of some runs, from the first to the last. */
static sinpos_status choose_rows(id_fit *fit, const runs *r)
{
    const size_t n = r->n_runs < MOST_ROWS ? r->n_runs : MOST_ROWS;
    size_t at = 0;
    fit->at = calloc(n + 1, sizeof *fit->at);
    for (size_t i = 0; i < r->sample->n && fit->at != NULL; i++)
        if (!r->is_same[i] && at++ >= fit->n_rows * (r->n_runs - 1) / (n - 1) && fit->n_rows < n)
            fit->at[fit->n_rows++] = i;
    return fit->at == NULL ? SINPOS_E_MEMORY : SINPOS_OK;
}

static sinpos_status keep(id_fit *fit, const trial *t)
{
    const size_t m = t->problem->m;
    fit->theta[0] = malloc((m + 1) * sizeof *fit->theta[0]);
    fit->p[0] = malloc((fit->n_rows + 1) * sizeof *fit->p[0]);
    if (fit->theta[0] == NULL || fit->p[0] == NULL)
        return SINPOS_E_MEMORY;
    for (size_t i = 0; i < m; i++)
        fit->theta[0][i] = exp(-t->slope * (double)i);
    memcpy(fit->p[0], t->p, fit->n_rows * sizeof *fit->p[0]);
    fit->guess[0] = (id_guess){.family = ID_GEOMETRIC, .slope = t->slope};
    fit->rounded_to = t->bits;
    fit->rounded_start = (double)t->start;
    return SINPOS_OK;
}

static sinpos_status fit_runs(id_fit *fit, runs *r)
{
    id_problem problem = {0};
    sinpos_status status = choose_rows(fit, r);
    status = status != SINPOS_OK ? status : id_fit_problem(&problem, fit, r->sample, 0, 1);
    size_t *row = blocks_take(&problem.memory, fit->n_rows, sizeof *row);
    double *p = blocks_take(&problem.memory, fit->n_rows, sizeof *p);
    double *room = blocks_take(&problem.memory, fit->n_rows * (problem.m + 1), sizeof *room);
    trial t = {.problem = &problem, .row = row, .p = p, .room = room, .left = &r->left, .residual = INFINITY};
    status = status != SINPOS_OK ? status : blocks_status(&problem.memory);
    for (size_t i = 0; i < fit->n_rows && status == SINPOS_OK; i++)
        row[i] = r->sample->row[fit->at[i]];
    status = status != SINPOS_OK ? status : find_start(&t, r);
    if (status == SINPOS_OK && t.residual < GOOD_SIGMAS) {
        place_rows(&t);
        fit->slope_error[0] = refine(&t, &t.slope);
        status = keep(fit, &t);
        status = status != SINPOS_OK ? status : id_weigh(fit, r->sample);
    }
    blocks_free(&problem.memory);
    return status;
}

/* The first layout that explains all columns, or the one with most evidence; rounded_to stays 0 where none does. */
static sinpos_status fit_layouts(id_fit *best, runs *r, id_layout *layouts, size_t n)
{
    sinpos_status status = SINPOS_OK;
    bool is_whole = false;
    for (size_t i = 0; i < n && status == SINPOS_OK && !is_whole; i++) {
        id_fit fit = {.layout = layouts[i], .flat = r->sample->flat};
        if (fit.layout.n_axes != 1 || fit.layout.n_frequencies[0] < 2)
            continue;
        layouts[i] = (id_layout){0};
        status = fit_runs(&fit, r);
        if (status == SINPOS_OK && fit.rounded_to > 0 && fit.bits > best->bits) {
            const id_fit swap = *best;
            *best = fit;
            fit = swap;
            is_whole = best->layout.width == r->sample->dim;
        }
        id_fit_free(&fit);
    }
    return status;
}

sinpos_status id_fit_rounded(id_fit *fit, const id_sample *sample)
{
    runs r;
    id_layout *layouts = NULL;
    size_t n = 0;
    *fit = (id_fit){0};
    sinpos_status status = find_runs(&r, sample);
    if (status == SINPOS_OK && r.n_runs >= LEAST_RUNS && r.changed > 0)
        status = find_starts(&r);
    if (status == SINPOS_OK && r.n_starts > 0) {
        status = id_layouts(sample, false, &layouts, &n);
        status = status != SINPOS_OK ? status : fit_layouts(fit, &r, layouts, n);
    }
    for (size_t i = 0; i < n; i++)
        id_layout_free(&layouts[i]);
    free(layouts);
    free_runs(&r);
    if (status != SINPOS_OK)
        id_fit_free(fit);
    return status;
}

/* --------------------------------------------------------------------------------------------------- base */

typedef struct base_search {
    sinpos_identity *identity;
    const id_fit *fit;
    const id_sample *sample;
    size_t *at; /* (n) rows of the sample: those of the fit, then all that are distinct */
    double *p;  /* (n) their positions */
    size_t n;
    void *rows; /* (MOST_ROWS, dim) */
    double *made;
    double base, divisor; /* the best ones */
    size_t wrong;         /* elements that these do not make */
} base_search;

static void add_row(base_search *s, size_t i)
{
    s->at[s->n] = i;
    s->p[s->n++] = (double)rounded((int64_t)s->fit->rounded_start + (int64_t)s->sample->row[i], s->fit->rounded_to);
}

/* Elements of rows first .. first + n - 1 that the replay does not make. */
static sinpos_status count_in(const base_search *s, const sinpos_replay *replay, size_t first, size_t n, size_t *wrong)
{
    const sinpos_identity *identity = s->identity;
    const size_t dim = s->sample->dim;
    const sinpos_type type = s->sample->unit > type_unit(identity->type) ? SINPOS_F32 : identity->type;
    const sinpos_rows list = {.struct_size = sizeof list, .n = n, .reals = s->p + first};
    const sinpos_status status = sinpos_replay_run(replay, SINPOS_FILL, &list, type, s->rows, dim, 1);
    if (status != SINPOS_OK)
        return status;
    widen(s->made, s->rows, type, n * dim);
    for (size_t k = 0; k < 2 * identity->n_tones; k++) {
        const ptrdiff_t j = k % 2 == 0 ? identity->sin_column[k / 2] : identity->cos_column[k / 2];
        for (size_t i = 0; i < n && j != SINPOS_NO_COLUMN; i++)
            *wrong += s->made[i * dim + (size_t)j] != s->sample->x[s->at[first + i] * dim + (size_t)j];
    }
    return SINPOS_OK;
}

/* Elements that a base does not make with float32 angles, as far as it may be the best. */
static sinpos_status count_wrong(const base_search *s, double base, double divisor, size_t *wrong)
{
    sinpos_replay *replay = NULL;
    *wrong = 0;
    s->identity->axis[0].base = base;
    s->identity->axis[0].divisor = divisor;
    sinpos_status status = id_ask(s->sample->table);
    status = status != SINPOS_OK ? status : id_make_plan(s->identity, s->sample);
    status = status != SINPOS_OK ? status : sinpos_replay_create(&replay, s->identity->plan, "float32-theta");
    for (size_t first = 0; first < s->n && *wrong < s->wrong && status == SINPOS_OK; first += MOST_ROWS)
        status = count_in(s, replay, first, s->n - first < MOST_ROWS ? s->n - first : MOST_ROWS, wrong);
    sinpos_replay_destroy(replay);
    return status;
}

/* All bases of so many digits near the fitted one, with a divisor. */
static sinpos_status try_digits(base_search *s, double divisor, int digits)
{
    const double middle = exp(s->fit->guess[0].slope * divisor), unit = pow(10, floor(log10(middle)) + 1 - digits);
    const double reach = middle * (BASE_ERROR + s->fit->slope_error[0] * divisor);
    const double first = ceil((middle - reach) / unit), last = floor((middle + reach) / unit);
    sinpos_status status = SINPOS_OK;
    for (double k = first; k <= last && last - first < MOST_BASES && s->wrong > 0 && status == SINPOS_OK; k++) {
        const double base = id_rounded(k * unit, digits);
        size_t wrong;
        status = count_wrong(s, base, divisor, &wrong);
        if (status == SINPOS_OK && wrong < s->wrong) {
            s->base = base;
            s->divisor = divisor;
            s->wrong = wrong;
        }
    }
    return status;
}

/* The base with the fewest digits that makes most elements. */
static sinpos_status find_base(base_search *s)
{
    sinpos_identity_axis *axis = &s->identity->axis[0];
    const double m = (double)axis->n_frequencies, w = (double)s->identity->width;
    const double divisors[] = {m, m - 1, w / 2, axis->divisor};
    s->base = axis->base;
    s->divisor = axis->divisor;
    size_t wrong;
    s->wrong = SIZE_MAX;
    sinpos_status status = count_wrong(s, s->base, s->divisor, &wrong);
    s->wrong = wrong;
    for (int digits = 1; digits <= MOST_DIGITS && status == SINPOS_OK; digits++)
        for (size_t d = 0; d < sizeof divisors / sizeof divisors[0] && s->wrong > 0 && status == SINPOS_OK; d++)
            status = try_digits(s, divisors[d], digits);
    axis->base = s->base;
    axis->divisor = s->divisor;
    return status != SINPOS_OK ? status : id_make_plan(s->identity, s->sample);
}

sinpos_status id_settle_rounded(sinpos_identity *identity, const id_fit *fit, const id_sample *sample)
{
    blocks memory = {0};
    runs r = {0};
    base_search s = {.identity = identity, .fit = fit, .sample = sample};
    if (identity->axis[0].law != SINPOS_LAW_GEOMETRIC || fit->guess[0].slope <= 0)
        return SINPOS_OK;
    s.at = blocks_take(&memory, fit->n_rows + sample->n, sizeof *s.at);
    s.p = blocks_take(&memory, fit->n_rows + sample->n, sizeof *s.p);
    s.rows = blocks_take(&memory, MOST_ROWS, sample->dim * sizeof(double));
    s.made = blocks_take(&memory, MOST_ROWS, sample->dim * sizeof *s.made);
    sinpos_status status = blocks_status(&memory);
    status = status != SINPOS_OK ? status : find_runs(&r, sample);
    for (size_t i = 0; i < fit->n_rows && status == SINPOS_OK; i++)
        add_row(&s, fit->at[i]);
    for (size_t i = 0; i < sample->n && status == SINPOS_OK; i++)
        if (!r.is_same[i])
            add_row(&s, i);
    status = status != SINPOS_OK ? status : find_base(&s);
    free_runs(&r);
    blocks_free(&memory);
    return status;
}
