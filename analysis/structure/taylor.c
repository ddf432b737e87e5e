/*
 * The second-order expansion of a pooled attention output in the positions of two tokens. Derivatives are exact: all
 * arithmetic is done on polynomials in the sizes s and t of the two perturbations, cut off after the second degree.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "attention.h"
#include "boundary.h"
#include "linear.h"
#include "moments.h"

enum { MOST_TOKENS = 256 };

/* v + s s + t t + ss s^2 + st s t + tt t^2 */
typedef struct jet {
    double v, s, t, ss, st, tt;
} jet;

static jet jet_add(jet a, jet b)
{
    return (jet){a.v + b.v, a.s + b.s, a.t + b.t, a.ss + b.ss, a.st + b.st, a.tt + b.tt};
}

static jet jet_scale(jet a, double factor)
{
    return (jet){a.v * factor, a.s * factor, a.t * factor, a.ss * factor, a.st * factor, a.tt * factor};
}

static jet jet_multiply(jet a, jet b)
{
    return (jet){a.v * b.v,
                 a.v * b.s + a.s * b.v,
                 a.v * b.t + a.t * b.v,
                 a.v * b.ss + a.s * b.s + a.ss * b.v,
                 a.v * b.st + a.s * b.t + a.t * b.s + a.st * b.v,
                 a.v * b.tt + a.t * b.t + a.tt * b.v};
}

/* f(a) for f with the value f0, the derivative f1 and half the second derivative f2 at a.v */
static jet jet_apply(jet a, double f0, double f1, double f2)
{
    return (jet){
        f0, f1 * a.s, f1 * a.t, f1 * a.ss + f2 * a.s * a.s, f1 * a.st + 2 * f2 * a.s * a.t, f1 * a.tt + f2 * a.t * a.t};
}

static jet jet_exp(jet a)
{
    const double e = exp(a.v);
    return jet_apply(a, e, e, e / 2);
}

static jet jet_inverse(jet a)
{
    const double i = 1 / a.v;
    return jet_apply(a, i, -i * i, i * i * i);
}

/* Queries, keys and read-out values of the tokens, and how those of two of them move. */
typedef struct model {
    size_t n, head, first, second;
    const double *tokens;    /* (n, 3 head) projected x */
    const double *positions; /* (2, 3 head) projected p_m, p_n */
    double readout[ATTENTION_HEAD];
    jet *values;  /* (n) scratch: read-out of each token's value */
    jet *weights; /* (n) scratch */
    double at_s, at_t;
} model;

/* Projected number c of token i as a polynomial around (at_s, at_t). */
static jet model_input(const model *m, size_t i, size_t c)
{
    const size_t width = 3 * m->head;
    jet a = {.v = m->tokens[i * width + c]};
    if (i == m->first) {
        a.s = m->positions[c];
        a.v += m->at_s * a.s;
    } else if (i == m->second) {
        a.t = m->positions[width + c];
        a.v += m->at_t * a.t;
    }
    return a;
}

static jet model_value(const model *m, size_t i)
{
    jet sum = {0};
    for (size_t c = 0; c < m->head; c++)
        sum = jet_add(sum, jet_scale(model_input(m, i, 2 * m->head + c), m->readout[c]));
    return sum;
}

static jet model_score(const model *m, size_t i, size_t j)
{
    jet sum = {0};
    for (size_t c = 0; c < m->head; c++)
        sum = jet_add(sum, jet_multiply(model_input(m, i, c), model_input(m, j, m->head + c)));
    return jet_scale(sum, 1 / sqrt((double)m->head));
}

/* sum over j of softmax(q_i' k_j / sqrt(head)) times the read-out of v_j */
static jet model_output(const model *m, size_t i)
{
    double most = -INFINITY;
    jet total = {0}, sum = {0};
    for (size_t j = 0; j < m->n; j++) {
        m->weights[j] = model_score(m, i, j);
        most = fmax(most, m->weights[j].v);
    }
    for (size_t j = 0; j < m->n; j++) {
        m->weights[j].v -= most;
        const jet e = jet_exp(m->weights[j]);
        total = jet_add(total, e);
        sum = jet_add(sum, jet_multiply(e, m->values[j]));
    }
    return jet_multiply(sum, jet_inverse(total));
}

/* The pooled read-out, around the perturbation sizes s and t. */
static jet model_evaluate(model *m, double at_s, double at_t)
{
    jet sum = {0};
    m->at_s = at_s;
    m->at_t = at_t;
    for (size_t i = 0; i < m->n; i++)
        m->values[i] = model_value(m, i);
    for (size_t i = 0; i < m->n; i++)
        sum = jet_add(sum, model_output(m, i));
    return jet_scale(sum, 1 / (double)m->n);
}

/* ------------------------------------------------------------------------------------------------ residuals */

/* Residuals are taken over several functions, so that no accidentally small third derivative shows. */
enum { FUNCTIONS = 8 };

static double expansion(const jet *f, double e)
{
    return f->v + e * (f->s + f->t) + e * e * (f->ss + f->st + f->tt);
}

static double root_mean_square(const double *a, size_t n)
{
    return sqrt(linear_dot(a, a, n) / (double)n);
}

static double cross_share(const jet *f)
{
    double terms[5][FUNCTIONS], sum = 0;
    for (size_t i = 0; i < FUNCTIONS; i++) {
        terms[0][i] = f[i].s;
        terms[1][i] = f[i].t;
        terms[2][i] = f[i].ss;
        terms[3][i] = f[i].tt;
        terms[4][i] = f[i].st;
    }
    for (size_t k = 0; k < 5; k++)
        sum += root_mean_square(terms[k], FUNCTIONS);
    return root_mean_square(terms[4], FUNCTIONS) / sum;
}

/* Slope of log residual against log eps over the last five levels at which rounding does not matter. */
static double fit_slope(const sinpos_taylor_result *r, double noise)
{
    size_t last = SINPOS_TAYLOR_LEVELS, n = 0;
    double sx = 0, sy = 0, sxx = 0, sxy = 0;
    while (last > 0 && !(r->residual[last - 1] > noise))
        last--;
    for (size_t k = last > 5 ? last - 5 : 0; k < last; k++) {
        const double x = log2(r->eps[k]), y = log2(r->residual[k]);
        if (!isfinite(y))
            continue;
        n++;
        sx += x;
        sy += y;
        sxx += x * x;
        sxy += x * y;
    }
    return n < 3 ? NAN : ((double)n * sxy - sx * sy) / ((double)n * sxx - sx * sx);
}

static void fill_result(model *m, uint64_t seed, sinpos_taylor_result *r)
{
    jet f[FUNCTIONS];
    double left[SINPOS_TAYLOR_LEVELS][FUNCTIONS];
    for (size_t i = 0; i < FUNCTIONS; i++) {
        attention_readout(m->head, i, seed, m->readout);
        f[i] = model_evaluate(m, 0, 0);
        for (size_t k = 0; k < SINPOS_TAYLOR_LEVELS; k++) {
            r->eps[k] = ldexp(1, -(int)k);
            left[k][i] = model_evaluate(m, r->eps[k], r->eps[k]).v - expansion(&f[i], r->eps[k]);
        }
    }
    for (size_t k = 0; k < SINPOS_TAYLOR_LEVELS; k++)
        r->residual[k] = root_mean_square(left[k], FUNCTIONS);
    r->value = f[0].v;
    r->linear_first = f[0].s;
    r->linear_second = f[0].t;
    r->square_first = f[0].ss;
    r->square_second = f[0].tt;
    r->cross = f[0].st;
    r->cross_share = cross_share(f);
    r->slope = fit_slope(r, 2048 * DBL_EPSILON * (1 + fabs(f[0].v)));
}

static double mean_norm(const double *rows, size_t n, size_t dim, size_t ld)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += sqrt(linear_dot(rows + i * ld, rows + i * ld, dim));
    return sum / (double)n;
}

/* All memory of one call. */
typedef struct room {
    double *tokens;    /* (n, dim), where none were given */
    double *projected; /* (n + 2, 3 head) */
    jet *jets;         /* (2 n) */
    blocks memory;
} room;

static sinpos_status room_make(room *r, size_t n, size_t dim)
{
    *r = (room){0};
    r->tokens = blocks_take(&r->memory, n * dim, sizeof *r->tokens);
    r->projected = blocks_take(&r->memory, (n + 2) * 3 * attention_head(dim), sizeof *r->projected);
    r->jets = blocks_take(&r->memory, 2 * n, sizeof *r->jets);
    return blocks_all(&r->memory);
}

static sinpos_status check(const double *p, size_t n, size_t dim, size_t ld_p, const double *x, size_t ld_x,
                           size_t first, size_t second, const sinpos_taylor_result *result)
{
    if (p == NULL || result == NULL)
        return SINPOS_E_NULL;
    if (n < 2 || n > MOST_TOKENS || dim == 0 || dim > SINPOS_MAX_DIM || ld_p < dim || (x != NULL && ld_x < dim) ||
        dim > SIZE_MAX / sizeof(double) / MOST_TOKENS / 4)
        return SINPOS_E_SHAPE;
    if (first >= n || second >= n || first == second || !rows_are_below(p, n, dim, ld_p, DBL_MAX) ||
        (x != NULL && !rows_are_below(x, n, dim, ld_x, DBL_MAX)))
        return SINPOS_E_VALUE;
    return SINPOS_OK;
}

static void model_make(model *m, const room *r, const double *x, size_t ld_x, const double *p, size_t ld_p, size_t dim,
                       uint64_t seed)
{
    const size_t width = 3 * m->head;
    double *positions = r->projected + m->n * width;
    attention_project(x, m->n, dim, ld_x, seed, r->projected);
    attention_project(p + m->first * ld_p, 1, dim, ld_p, seed, positions);
    attention_project(p + m->second * ld_p, 1, dim, ld_p, seed, positions + width);
    m->tokens = r->projected;
    m->positions = positions;
    m->values = r->jets;
    m->weights = r->jets + m->n;
}

sinpos_status sinpos_taylor(const double *p, size_t n, size_t dim, size_t ld_p, const double *x, size_t ld_x,
                            size_t first, size_t second, uint64_t seed, sinpos_taylor_result *result)
{
    BOUNDARY;
    room r;
    model m = {.n = n, .head = attention_head(dim), .first = first, .second = second};
    sinpos_taylor_result found;
    sinpos_status status = check(p, n, dim, ld_p, x, ld_x, first, second, result);
    if (status != SINPOS_OK)
        return status;
    status = room_make(&r, n, dim);
    if (status != SINPOS_OK)
        return status;
    if (x == NULL) {
        attention_tokens(NULL, n, dim, seed, r.tokens);
        x = r.tokens;
        ld_x = dim;
    }
    model_make(&m, &r, x, ld_x, p, ld_p, dim, seed);
    fill_result(&m, seed, &found);
    found.norm_ratio = mean_norm(p, n, dim, ld_p) / mean_norm(x, n, dim, ld_x);
    if (isfinite(found.value) && isfinite(found.residual[0]) && isfinite(found.cross))
        *result = found;
    else
        status = SINPOS_E_VALUE;
    blocks_free(&r.memory);
    return status;
}

/* -------------------------------------------------------------------------------------------------- Hessian */

/* f depends on a token through its query, its key and the read-out of its value: 2 head + 1 numbers. */
enum { INNER_MOST = 2 * ATTENTION_HEAD + 1, HESSIAN_TOKENS = 16 };

/* A token's projection moves along inner number a. */
static void unit_move(const model *m, size_t a, double *position)
{
    memset(position, 0, 3 * m->head * sizeof *position);
    if (a < 2 * m->head) {
        position[a] = 1;
        return;
    }
    const double squares = linear_dot(m->readout, m->readout, m->head);
    for (size_t c = 0; c < m->head; c++)
        position[a + c] = m->readout[c] / squares;
}

/* Second derivatives in the inner numbers of the two tokens, (inner, inner). */
static void inner_hessian(model *m, double *positions, double *inner_h)
{
    const size_t inner = 2 * m->head + 1, width = 3 * m->head;
    for (size_t a = 0; a < inner; a++) {
        unit_move(m, a, positions);
        for (size_t b = 0; b < inner; b++) {
            unit_move(m, b, positions + width);
            inner_h[a * inner + b] = model_evaluate(m, 0, 0).st;
        }
    }
}

/* z (dim, inner): how a token's entries make its inner numbers. */
static void inner_weights(const model *m, size_t dim, uint64_t seed, double *z)
{
    const size_t inner = 2 * m->head + 1;
    double weights[3 * ATTENTION_HEAD];
    for (size_t c = 0; c < dim; c++) {
        double *row = z + c * inner;
        attention_weights(c, dim, seed, weights);
        memcpy(row, weights, 2 * m->head * sizeof *row);
        row[inner - 1] = linear_dot(weights + 2 * m->head, m->readout, m->head);
    }
}

static sinpos_status hessian(model *m, size_t dim, uint64_t seed, double *h, size_t ld_h, blocks *memory)
{
    const size_t inner = 2 * m->head + 1;
    double *inner_h = blocks_take(memory, inner, inner * sizeof *inner_h);
    double *z = blocks_take(memory, dim, inner * sizeof *z), *half = blocks_take(memory, dim, inner * sizeof *half);
    double *positions = blocks_take(memory, 6 * m->head, sizeof *positions);
    if (memory->has_failed)
        return SINPOS_E_MEMORY;
    m->positions = positions;
    inner_hessian(m, positions, inner_h);
    inner_weights(m, dim, seed, z);
    linear_product(dim, inner, inner, 1, (linear_matrix){z, inner, false}, (linear_matrix){inner_h, inner, false}, 0,
                   half, inner);
    linear_product(dim, dim, inner, 1, (linear_matrix){half, inner, false}, (linear_matrix){z, inner, true}, 0, h,
                   ld_h);
    return SINPOS_OK;
}

sinpos_status sinpos_attention_hessian(const double *x, size_t n, size_t dim, size_t ld_x, size_t first, size_t second,
                                       uint64_t seed, double *h, size_t ld_h)
{
    BOUNDARY;
    room r;
    model m = {.n = n, .head = attention_head(dim), .first = first, .second = second};
    if (h == NULL)
        return SINPOS_E_NULL;
    if (n < 2 || n > HESSIAN_TOKENS || dim == 0 || dim >= LINEAR_MOST || ld_h < dim || ld_h >= LINEAR_MOST ||
        dim > SIZE_MAX / sizeof(double) / 2 / INNER_MOST || (x != NULL && ld_x < dim))
        return SINPOS_E_SHAPE;
    if (first >= n || second >= n || first == second || (x != NULL && !rows_are_below(x, n, dim, ld_x, DBL_MAX)))
        return SINPOS_E_VALUE;
    sinpos_status status = room_make(&r, n, dim);
    if (status != SINPOS_OK)
        return status;
    if (x == NULL)
        attention_tokens(NULL, n, dim, seed, r.tokens);
    attention_project(x == NULL ? r.tokens : x, n, dim, x == NULL ? dim : ld_x, seed, r.projected);
    attention_readout(m.head, 0, seed, m.readout);
    m.tokens = r.projected;
    m.values = r.jets;
    m.weights = r.jets + n;
    status = hessian(&m, dim, seed, h, ld_h, &r.memory);
    blocks_free(&r.memory);
    return status;
}
