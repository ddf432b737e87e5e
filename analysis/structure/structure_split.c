/* p_m' H p_n over a grid of positions: what depends on m - n, what on m + n, and the rest. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "boundary.h"
#include "complete_tones.h"
#include "linear.h"
#include "moments.h"

enum { BLOCK = 128, MOST_ROWS = 1 << 20, MOST_STEPS = 1000 };

/* ------------------------------------------------------------------------- by coefficients, over all integers */

static double at(const double *h, size_t ld, ptrdiff_t i, ptrdiff_t j)
{
    if (i == SINPOS_NO_COLUMN || j == SINPOS_NO_COLUMN)
        return 0;
    return h == NULL ? i == j : h[(size_t)i * ld + (size_t)j];
}

static double square(double x)
{
    return x * x;
}

/* Sum of squares of the block of H that a pair of tones uses. */
static double block_energy(const double *h, size_t ld, const sinpos_tone *a, const sinpos_tone *b)
{
    return square(at(h, ld, a->sin_column, b->sin_column)) + square(at(h, ld, a->sin_column, b->cos_column)) +
           square(at(h, ld, a->cos_column, b->sin_column)) + square(at(h, ld, a->cos_column, b->cos_column));
}

static void take_tone(const double *h, size_t ld, const sinpos_tone *tone, sinpos_coefficients *c)
{
    const ptrdiff_t s = tone->sin_column, k = tone->cos_column;
    const double ss = at(h, ld, s, s), cc = at(h, ld, k, k), sc = at(h, ld, s, k), cs = at(h, ld, k, s);
    const double weight = square(square(tone->amplitude)) / 8;
    c->difference += weight * (square(ss + cc) + square(sc - cs));
    c->sum += weight * (square(cc - ss) + square(sc + cs));
}

sinpos_status sinpos_split_coefficients(const sinpos_plan *plan, const double *h, size_t ld_h,
                                        sinpos_coefficients *result)
{
    BOUNDARY;
    size_t n = 0;
    sinpos_tone *tone;
    RELEASED_BY(blocks_free) blocks memory = {0};
    sinpos_coefficients c = {0};
    if (plan == NULL || result == NULL)
        return SINPOS_E_NULL;
    const size_t dim = sinpos_plan_dim(plan);
    if (sinpos_plan_axes(plan) != 1)
        return SINPOS_E_AXES;
    if (h != NULL && ld_h < dim)
        return SINPOS_E_SHAPE;
    if (h != NULL && !rows_are_within(h, dim, dim, ld_h))
        return SINPOS_E_VALUE;
    const sinpos_status status = tones_read(&memory, plan, &tone, &n);
    for (size_t i = 0; i < n && status == SINPOS_OK; i++) {
        take_tone(h, ld_h, &tone[i], &c);
        for (size_t j = 0; j < n && h != NULL; j++)
            if (i != j)
                c.rest += square(tone[i].amplitude * tone[j].amplitude) / 4 * block_energy(h, ld_h, &tone[i], &tone[j]);
    }
    c.total = c.difference + c.sum + c.rest;
    if (status == SINPOS_OK)
        *result = c;
    return status;
}

/* ------------------------------------------------------------------------------------------------ on the grid */

/*
 * Sums of a (n, n) matrix a over its lines: diagonals, k = m - n at k + n - 1, and antidiagonals, s = m + n at s. The first
 * element of each diagonal is taken off first, so that nothing cancels where a is a function of m - n.
 */
typedef struct grid {
    size_t n, lines;  /* 2 n - 1 of each kind */
    double *origin;   /* first element of each diagonal */
    double *sums;     /* of a - origin over diagonals */
    double *squares;  /* of (a - origin)^2 over diagonals */
    double *crossing; /* of a - origin over antidiagonals */
    double *lefts;    /* (n, dim) P H */
    double *block;    /* (BLOCK, n) rows of a */
    double *work[6];  /* (lines) each */
    blocks memory;
} grid;

static sinpos_status grid_make(grid *g, size_t n, size_t dim)
{
    const size_t lines = 2 * n - 1;
    double **const of_lines[] = {&g->origin, &g->sums, &g->squares, &g->crossing};
    *g = (grid){.n = n, .lines = lines};
    g->lefts = blocks_take(&g->memory, n, dim * sizeof(double));
    g->block = blocks_take(&g->memory, BLOCK, n * sizeof(double));
    for (size_t i = 0; i < 10; i++)
        *(i < 4 ? of_lines[i] : &g->work[i - 4]) = blocks_take(&g->memory, lines, sizeof(double));
    return blocks_status(&g->memory);
}

/* Elements on a line of either kind. */
static double count(const grid *g, size_t line)
{
    return (double)(line < g->n ? line + 1 : g->lines - line);
}

static void take_rows(const grid *g, size_t first, size_t rows)
{
    for (size_t i = 0; i < rows; i++) {
        const size_t m = first + i;
        const double *row = g->block + i * g->n;
        for (size_t n = 0; n < g->n; n++) {
            const size_t k = m + g->n - 1 - n;
            if (m == 0 || n == 0)
                g->origin[k] = row[n];
            const double value = row[n] - g->origin[k];
            g->sums[k] += value;
            g->squares[k] += value * value;
            g->crossing[m + n] += value;
        }
    }
}

static void take_grid(grid *g, const double *h, size_t ld_h, const double *p, size_t ld_p, size_t dim)
{
    const linear_matrix rows = {p, ld_p, false}, right = {p, ld_p, true};
    if (h == NULL)
        for (size_t i = 0; i < g->n; i++)
            memcpy(g->lefts + i * dim, p + i * ld_p, dim * sizeof(double));
    else
        linear_product(g->n, dim, dim, 1, rows, (linear_matrix){h, ld_h, false}, 0, g->lefts, dim);
    for (size_t first = 0; first < g->n; first += BLOCK) {
        const size_t n = g->n - first < BLOCK ? g->n - first : BLOCK;
        linear_product(n, g->n, dim, 1, (linear_matrix){g->lefts + first * dim, dim, false}, right, 0, g->block, g->n);
        take_rows(g, first, n);
    }
}

/*
 * For each line the sum of x over the lines of the other kind that cross it: with d = |line - (n-1)| those are
 * d, d + 2, ..., 2n-2-d. The same for both kinds.
 */
static void cross(const grid *g, const double *x, double *prefix, double *out)
{
    for (size_t i = 0; i < g->lines; i++)
        prefix[i] = x[i] + (i < 2 ? 0 : prefix[i - 2]);
    for (size_t line = 0; line < g->lines; line++) {
        const size_t least = line < g->n - 1 ? g->n - 1 - line : line - (g->n - 1);
        out[line] = prefix[g->lines - 1 - least] - (least < 2 ? 0 : prefix[least - 2]);
    }
}

/* out = C x - M' C^-1 M x: what is left of functions of m + n once functions of m - n are projected out. */
static void apply_schur(const grid *g, const double *x, double *out)
{
    double *prefix = g->work[4], *inner = g->work[5];
    cross(g, x, prefix, inner);
    for (size_t i = 0; i < g->lines; i++)
        inner[i] /= count(g, i);
    cross(g, inner, prefix, out);
    for (size_t i = 0; i < g->lines; i++)
        out[i] = count(g, i) * x[i] - out[i];
}

/* Takes off what only rounding put there: constants on even and on odd lines are functions of m - n too. */
static void balance(const grid *g, double *r)
{
    for (size_t parity = 0; parity < 2 && parity < g->lines; parity++) {
        double sum = 0, counts = 0;
        for (size_t i = parity; i < g->lines; i += 2) {
            sum += r[i];
            counts += count(g, i);
        }
        for (size_t i = parity; i < g->lines; i += 2)
            r[i] -= count(g, i) * sum / counts;
    }
}

/* Inner product of r with C^-1 r, where z receives C^-1 r. */
static double precondition(const grid *g, const double *r, double *z)
{
    for (size_t i = 0; i < g->lines; i++)
        z[i] = r[i] / count(g, i);
    return linear_dot(r, z, g->lines);
}

/*
 * Energy of the best function of m + n in what is orthogonal to all functions of m - n: r' S^+ r by conjugate gradients.
 * r, the sums over antidiagonals of a less its diagonals' means, is overwritten.
 */
static double crossing_energy(const grid *g, double *r)
{
    double *z = g->work[1], *direction = g->work[2], *image = g->work[3];
    double energy = 0;
    balance(g, r);
    double rho = precondition(g, r, z);
    const double enough = 1e-28 * rho;
    memcpy(direction, z, g->lines * sizeof *z);
    for (size_t step = 0; step < MOST_STEPS && rho > enough; step++) {
        apply_schur(g, direction, image);
        const double curvature = linear_dot(direction, image, g->lines);
        if (!(curvature > 0))
            break;
        const double alpha = rho / curvature;
        energy += alpha * rho;
        for (size_t i = 0; i < g->lines; i++)
            r[i] -= alpha * image[i];
        balance(g, r);
        const double next = precondition(g, r, z);
        for (size_t i = 0; i < g->lines; i++)
            direction[i] = z[i] + next / rho * direction[i];
        rho = next;
    }
    return energy;
}

/* Mean of a over diagonal k. */
static double diagonal_mean(const grid *g, size_t k)
{
    return g->origin[k] + g->sums[k] / count(g, k);
}

static double grid_mean(const grid *g)
{
    double sum = 0;
    for (size_t k = 0; k < g->lines; k++)
        sum += count(g, k) * diagonal_mean(g, k);
    return sum / (double)g->n / (double)g->n;
}

/* Variance of the antidiagonals' means: what a function of m + n alone explains. */
static double variance_of_sums(const grid *g, double mean)
{
    double *origins = g->work[0], sum = 0;
    cross(g, g->origin, g->work[4], origins);
    for (size_t s = 0; s < g->lines; s++)
        sum += square((origins[s] + g->crossing[s]) / count(g, s) - mean) * count(g, s);
    return sum / (double)g->n / (double)g->n;
}

/* 0 for a variance that is no more than rounding of equal numbers, each the sum of dim terms. */
static double above_rounding(const grid *g, size_t dim, double variance)
{
    double largest = 0;
    for (size_t k = 0; k < g->lines; k++)
        largest = fmax(largest, fabs(g->origin[k]));
    return variance > square((double)dim * DBL_EPSILON * largest) ? variance : 0;
}

static void fill_split(const grid *g, size_t dim, sinpos_split_result *r)
{
    const double cells = (double)g->n * (double)g->n;
    double between = 0, within = 0, *left = g->work[0], *means = g->work[1];
    r->mean = grid_mean(g);
    const double alone = variance_of_sums(g, r->mean);
    for (size_t k = 0; k < g->lines; k++) {
        between += count(g, k) * square(diagonal_mean(g, k) - r->mean);
        within += fmax(g->squares[k] - square(g->sums[k]) / count(g, k), 0);
        means[k] = g->sums[k] / count(g, k);
    }
    cross(g, means, g->work[4], left);
    for (size_t s = 0; s < g->lines; s++)
        left[s] = g->crossing[s] - left[s];
    const double crossing = fmin(crossing_energy(g, left), within);
    r->variance = above_rounding(g, dim, (between + within) / cells);
    const double whole = r->variance > 0 ? r->variance : NAN;
    r->difference = between / cells / whole;
    r->sum = crossing / cells / whole;
    r->rest = (within - crossing) / cells / whole;
    r->sum_alone = alone / whole;
}

static sinpos_status check(const double *h, size_t ld_h, const double *p, size_t n, size_t dim, size_t ld_p,
                           size_t n_threads, const sinpos_split_result *result)
{
    if (p == NULL || result == NULL)
        return SINPOS_E_NULL;
    if (n_threads > 1024)
        return SINPOS_E_VALUE;
    if (n < 2 || n > MOST_ROWS || dim == 0 || dim > LINEAR_MOST || ld_p < dim || ld_p > LINEAR_MOST ||
        (h != NULL && (ld_h < dim || ld_h > LINEAR_MOST)) || dim > SIZE_MAX / 8 / n)
        return SINPOS_E_SHAPE;
    return rows_are_within(p, n, dim, ld_p) && (h == NULL || rows_are_within(h, dim, dim, ld_h)) ? SINPOS_OK
                                                                                                 : SINPOS_E_VALUE;
}

sinpos_status sinpos_split(const double *h, size_t ld_h, const double *p, size_t n, size_t dim, size_t ld_p,
                           size_t n_threads, double *curve, sinpos_split_result *result)
{
    BOUNDARY;
    grid g;
    sinpos_status status = check(h, ld_h, p, n, dim, ld_p, n_threads, result);
    if (status != SINPOS_OK)
        return status;
    status = grid_make(&g, n, dim);
    if (status == SINPOS_OK) {
        RELEASED_BY(linear_end) const int kept = linear_begin(n_threads);
        take_grid(&g, h, ld_h, p, ld_p, dim);
        fill_split(&g, dim, result);
    }
    for (size_t k = 0; k < g.lines && curve != NULL && status == SINPOS_OK; k++)
        curve[k] = diagonal_mean(&g, k);
    blocks_free(&g.memory);
    return status;
}

/* ----------------------------------------------------------------------------------------------- W_q and W_k */

/* Sums of products of two such numbers stay below MOMENTS_LARGEST. */
#define LARGEST_WEIGHT 0x1p40

sinpos_status sinpos_query_key(const double *w_q, size_t ld_q, const double *w_k, size_t ld_k, size_t head, size_t dim,
                               size_t n_threads, double *h)
{
    BOUNDARY;
    if (w_q == NULL || w_k == NULL || h == NULL)
        return SINPOS_E_NULL;
    if (n_threads > 1024)
        return SINPOS_E_VALUE;
    if (head == 0 || head > MOST_ROWS || dim == 0 || dim > MOST_ROWS || ld_q < dim || ld_k < dim ||
        ld_q > LINEAR_MOST || ld_k > LINEAR_MOST)
        return SINPOS_E_SHAPE;
    if (!rows_are_below(w_q, head, dim, ld_q, LARGEST_WEIGHT) || !rows_are_below(w_k, head, dim, ld_k, LARGEST_WEIGHT))
        return SINPOS_E_VALUE;
    RELEASED_BY(linear_end) const int kept = linear_begin(n_threads);
    linear_product(dim, dim, head, 1, (linear_matrix){w_q, ld_q, true}, (linear_matrix){w_k, ld_k, false}, 0, h, dim);
    return SINPOS_OK;
}
