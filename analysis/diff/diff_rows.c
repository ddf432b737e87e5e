/*
 * diff_rows.c - which row of A is a row of B?
 *
 * The sum of |x|^3 over that of x^2 to the power 1.5 is the same for a row whose columns were permuted, negated or
 * scaled. Two neighbours of B that are found in A propose a first row and a step, which holds as far as the numbers agree.
 */
#include "diff.h"

/* Rows that are looked at. */
#define MOST_ELEMENTS ((size_t)1 << 23)
#define MOST_ROWS ((size_t)1 << 16)

/* Rows of A that one row of B may be. */
#define MOST_CANDIDATES 48

/* Fewer rows in one run prove nothing. */
#define LEAST_RUN 8

typedef struct signed_row {
    double sign; /* its number that columns do not change */
    size_t row;
} signed_row;

typedef struct finder {
    size_t n_a, n_b;     /* rows looked at */
    double *a, *b;       /* their numbers */
    signed_row *ordered; /* those of A, ascending */
    double tolerance;
} finder;

size_t diff_row_of(const diff_runs *runs, size_t row, size_t n_a)
{
    for (size_t k = 0; k < runs->n; k++) {
        const diff_run *run = &runs->run[k];
        if (row < run->begin || row - run->begin >= run->n)
            continue;
        if (run->first == SINPOS_NONE)
            return SINPOS_NONE;
        const ptrdiff_t at = (ptrdiff_t)run->first + run->step * (ptrdiff_t)(row - run->begin);
        return at < 0 || (size_t)at >= n_a ? SINPOS_NONE : (size_t)at;
    }
    return SINPOS_NONE;
}

size_t diff_first_known(const diff_runs *runs)
{
    size_t k = 0;
    while (k < runs->n && runs->run[k].first == SINPOS_NONE)
        k++;
    return k;
}

size_t diff_foreign_rows(const diff_runs *runs)
{
    size_t n = 0;
    for (size_t k = 0; k < runs->n; k++)
        n += runs->run[k].first == SINPOS_NONE ? runs->run[k].n : 0;
    return n;
}

diff_runs diff_same_rows(const diff_job *job)
{
    return (diff_runs){.n = 1, .run = {{.n = job->b.n, .step = 1}}};
}

static double number_of(const double *x, size_t dim)
{
    double square = 0, cube = 0;
    for (size_t j = 0; j < dim; j++) {
        square += x[j] * x[j];
        cube += x[j] * x[j] * fabs(x[j]);
    }
    return square > 0 ? cube / (square * sqrt(square)) : -1;
}

static sinpos_status take_numbers(const diff_side *side, double *out, size_t n)
{
    const size_t piece = diff_piece(side->dim);
    double *x = malloc(piece * side->dim * sizeof *x);
    sinpos_status status = x == NULL ? SINPOS_E_MEMORY : SINPOS_OK;
    for (size_t first = 0; first < n && status == SINPOS_OK; first += piece) {
        const size_t some = n - first < piece ? n - first : piece;
        status = diff_side_read(side, first, some, x);
        for (size_t i = 0; i < some && status == SINPOS_OK; i++)
            out[first + i] = number_of(x + i * side->dim, side->dim);
    }
    free(x);
    return status;
}

static int by_number(const void *one, const void *other)
{
    const signed_row *a = one, *b = other;
    return a->sign != b->sign ? (a->sign > b->sign) - (a->sign < b->sign) : (a->row > b->row) - (a->row < b->row);
}

static bool agree(const finder *f, size_t row_b, ptrdiff_t row_a, double tolerance)
{
    return row_a >= 0 && (size_t)row_a < f->n_a && fabs(f->b[row_b] - f->a[row_a]) <= tolerance * fabs(f->b[row_b]);
}

/* Rows of A like row i of B, the one of the same number first. */
static size_t candidates(const finder *f, size_t i, size_t out[MOST_CANDIDATES])
{
    const double least = f->b[i] - f->tolerance * fabs(f->b[i]);
    size_t low = 0, high = f->n_a, n = 0;
    if (agree(f, i, (ptrdiff_t)i, f->tolerance))
        out[n++] = i;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (f->ordered[middle].sign < least)
            low = middle + 1;
        else
            high = middle;
    }
    for (size_t k = low; k < f->n_a && n < MOST_CANDIDATES && agree(f, i, (ptrdiff_t)f->ordered[k].row, f->tolerance);
         k++)
        if (f->ordered[k].row != i)
            out[n++] = f->ordered[k].row;
    return n;
}

/* How many rows of B follow this line, from its begin on. */
static size_t length_of(const finder *f, const diff_run *run)
{
    const double tolerance = f->tolerance < 1e-5 ? 8 * f->tolerance : f->tolerance; /* one row in many may be off */
    size_t n = 0;
    while (run->begin + n < f->n_b &&
           agree(f, run->begin + n, (ptrdiff_t)run->first + run->step * (ptrdiff_t)n, tolerance))
        n++;
    return n;
}

/* Do rows beyond the end of A follow, as far as the line goes? */
static bool leaves_a(const finder *f, const diff_run *run)
{
    const ptrdiff_t next = (ptrdiff_t)run->first + run->step * (ptrdiff_t)run->n;
    return next < 0 || (size_t)next >= f->n_a;
}

static diff_run longest(const finder *f, size_t begin)
{
    diff_run best = {.begin = begin, .n = 0, .step = 1};
    size_t one[MOST_CANDIDATES], two[MOST_CANDIDATES];
    const size_t n_one = candidates(f, begin, one), n_two = begin + 1 < f->n_b ? candidates(f, begin + 1, two) : 0;
    for (size_t i = 0; i < n_one; i++)
        for (size_t k = 0; k < n_two; k++) {
            diff_run run = {.begin = begin, .first = one[i], .step = (ptrdiff_t)two[k] - (ptrdiff_t)one[i]};
            run.n = run.step == 0 ? 0 : length_of(f, &run);
            best = run.n > best.n ? run : best;
        }
    return best;
}

/* The longest, or rows that A does not have, up to the next that it has. */
static diff_run next_run(const finder *f, size_t begin)
{
    const diff_run run = longest(f, begin);
    size_t end = begin + 1;
    if (run.n >= LEAST_RUN || run.n == f->n_b - begin)
        return run;
    while (end < f->n_b && longest(f, end).n < LEAST_RUN)
        end++;
    return (diff_run){.begin = begin, .n = end - begin, .first = SINPOS_NONE, .step = 1};
}

static void find(const finder *f, size_t n_b, diff_runs *runs)
{
    size_t begin = 0;
    while (begin < f->n_b && runs->n < DIFF_RUNS) {
        const diff_run run = next_run(f, begin);
        runs->run[runs->n++] = run;
        begin += run.n;
        if (run.first != SINPOS_NONE && leaves_a(f, &run) && runs->n == 1 && begin < f->n_b &&
            longest(f, begin).n < LEAST_RUN)
            begin = f->n_b; /* what follows, A does not have */
    }
    if (begin < f->n_b || 2 * diff_foreign_rows(runs) > f->n_b)
        runs->n = 0;
    if (runs->n > 0) {
        diff_run *last = &runs->run[runs->n - 1];
        last->n = n_b - last->begin;
    }
}

sinpos_status diff_find_runs(const diff_job *job, diff_runs *runs)
{
    const diff_side *a = &job->a, *b = &job->b;
    const size_t fit = MOST_ELEMENTS / (a->dim > b->dim ? a->dim : b->dim), most = fit < 64 ? 64 : fit;
    const size_t limit = most < MOST_ROWS ? most : MOST_ROWS;
    finder f = {.n_a = a->n < limit ? a->n : limit, .n_b = b->n < limit ? b->n : limit};
    const double unit_a = type_unit(a->holds), unit_b = type_unit(b->holds);
    f.tolerance = 4 * (unit_a > unit_b ? unit_a : unit_b) + 1e-13;
    f.a = malloc(f.n_a * sizeof *f.a);
    f.b = malloc(f.n_b * sizeof *f.b);
    f.ordered = malloc(f.n_a * sizeof *f.ordered);
    runs->n = 0;
    sinpos_status status = f.a == NULL || f.b == NULL || f.ordered == NULL ? SINPOS_E_MEMORY : SINPOS_OK;
    status = status != SINPOS_OK ? status : take_numbers(a, f.a, f.n_a);
    status = status != SINPOS_OK ? status : take_numbers(b, f.b, f.n_b);
    for (size_t i = 0; i < f.n_a && status == SINPOS_OK; i++)
        f.ordered[i] = (signed_row){f.a[i], i};
    if (status == SINPOS_OK) {
        qsort(f.ordered, f.n_a, sizeof *f.ordered, by_number);
        find(&f, b->n, runs);
    }
    free(f.a);
    free(f.b);
    free(f.ordered);
    return status;
}
