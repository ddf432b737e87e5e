#include "diff_turns.h"

/* Rows that a pairing is chosen from, and units that lengths and elements may differ by. */
#define MOST_ROWS ((size_t)512)
#define SOME_UNITS 16

typedef struct pair_of_columns {
    size_t first, second;
} pair_of_columns;

static pair_of_columns columns_of(size_t i, size_t m, bool is_halves)
{
    return is_halves ? (pair_of_columns){i, i + m} : (pair_of_columns){2 * i, 2 * i + 1};
}

static double unit_of(const diff_side *one, const diff_side *other)
{
    const double a = type_unit(one->type), b = type_unit(other->type);
    return a > b ? a : b;
}

/* Rows of both, piece after piece. */
typedef struct reading {
    const diff_side *before, *after;
    double *x, *y;
    size_t most, first, n;
} reading;

static sinpos_status begin(reading *r, const diff_side *before, const diff_side *after)
{
    *r = (reading){.before = before, .after = after, .most = diff_piece(before->dim)};
    r->x = malloc(2 * r->most * before->dim * sizeof *r->x);
    r->y = r->x == NULL ? NULL : r->x + r->most * before->dim;
    return r->x == NULL ? SINPOS_E_MEMORY : SINPOS_OK;
}

/* False at the end, and after an error. */
static bool next(reading *r, sinpos_status *status)
{
    r->first += r->n;
    r->n = r->before->n - r->first < r->most ? r->before->n - r->first : r->most;
    if (*status != SINPOS_OK || r->n == 0)
        return false;
    *status = diff_side_read(r->before, r->first, r->n, r->x);
    if (*status == SINPOS_OK)
        *status = diff_side_read(r->after, r->first, r->n, r->y);
    return *status == SINPOS_OK;
}

/* ------------------------------------------------------------------------------------------------ pairing */

/* Part of the pairs whose length is that of the input's, times amplitude. */
static double share_of(const reading *r, bool is_halves, double amplitude, double unit)
{
    const size_t dim = r->before->dim, m = dim / 2, every = r->n / MOST_ROWS + 1;
    size_t all = 0, same = 0;
    for (size_t row = 0; row < r->n; row += every)
        for (size_t i = 0; i < m; i++) {
            const pair_of_columns c = columns_of(i, m, is_halves);
            const double *x = r->x + row * dim, *y = r->y + row * dim;
            const double one = amplitude * hypot(x[c.first], x[c.second]), other = hypot(y[c.first], y[c.second]);
            all++;
            same += fabs(one - other) <= SOME_UNITS * unit * one;
        }
    return all == 0 ? 0 : (double)same / (double)all;
}

static double amplitude_of(const reading *r)
{
    double before = 0, after = 0;
    for (size_t i = 0; i < r->n * r->before->dim; i++) {
        before += r->x[i] * r->x[i];
        after += r->y[i] * r->y[i];
    }
    const double amplitude = before > 0 ? sqrt(after / before) : 1;
    return fabs(amplitude - 1) < 1e-2 * unit_of(r->before, r->after) * 1e2 ? 1 : amplitude;
}

static void choose_pairing(diff_turns *turns, const reading *r)
{
    const double unit = unit_of(r->before, r->after);
    turns->amplitude = amplitude_of(r);
    const double halves = share_of(r, true, turns->amplitude, unit);
    const double neighbours = share_of(r, false, turns->amplitude, unit);
    turns->is_halves = halves >= neighbours;
    turns->share = halves > neighbours ? halves : neighbours;
}

/* ------------------------------------------------------------------------------------------------- angles */

static void add_row(diff_turns *turns, const double *x, const double *y, size_t position)
{
    for (size_t i = 0; i < turns->m; i++) {
        const pair_of_columns c = columns_of(i, turns->m, turns->is_halves);
        const double u = x[c.first], v = x[c.second], s = y[c.first], t = y[c.second];
        turns->re[position * turns->m + i] += u * s + v * t;
        turns->im[position * turns->m + i] += u * t - v * s;
    }
}

sinpos_status diff_turns_take(diff_turns *turns, const diff_side *before, const diff_side *after, diff_heads heads)
{
    reading r;
    *turns = (diff_turns){.n = heads.n, .m = before->dim / 2};
    sinpos_status status = begin(&r, before, after);
    turns->re = calloc(turns->n, turns->m * sizeof *turns->re);
    turns->im = calloc(turns->n, turns->m * sizeof *turns->im);
    status = turns->re == NULL || turns->im == NULL ? SINPOS_E_MEMORY : status;
    while (next(&r, &status)) {
        if (r.first == 0)
            choose_pairing(turns, &r);
        for (size_t i = 0; i < r.n; i++)
            add_row(turns, r.x + i * before->dim, r.y + i * before->dim, (r.first + i) / heads.n_heads % heads.n);
    }
    for (size_t k = 0; k < turns->n * turns->m && status == SINPOS_OK; k++) {
        const double length = hypot(turns->re[k], turns->im[k]);
        turns->re[k] = length > 0 ? turns->re[k] / length : 1;
        turns->im[k] = length > 0 ? turns->im[k] / length : 0;
    }
    free(r.x);
    return status;
}

void diff_turns_free(diff_turns *turns)
{
    free(turns->re);
    free(turns->im);
}

/* The angle over 2^k rows, each from that over half as many, which says how many whole turns there are. */
static double frequency_of(const diff_turns *turns, size_t i)
{
    const size_t m = turns->m;
    double theta = 0;
    for (size_t lag = 1; lag < turns->n; lag *= 2) {
        double re = 0, im = 0;
        for (size_t p = 0; p + lag < turns->n; p++) {
            const double *a = turns->re + i, *b = turns->im + i;
            re += a[(p + lag) * m] * a[p * m] + b[(p + lag) * m] * b[p * m];
            im += b[(p + lag) * m] * a[p * m] - a[(p + lag) * m] * b[p * m];
        }
        const double expected = theta * (double)lag;
        theta = (expected + remainder(atan2(im, re) - expected, 6.283185307179586)) / (double)lag;
    }
    return theta;
}

bool diff_turns_frequencies(const diff_turns *turns, double *theta)
{
    const size_t m = turns->m;
    size_t off = 0;
    if (turns->n < 2)
        return false;
    for (size_t i = 0; i < m; i++) {
        theta[i] = frequency_of(turns, i);
        const double first = atan2(turns->im[i], turns->re[i]);
        for (size_t p = 0; p < turns->n; p++) {
            const double angle = first + theta[i] * (double)p;
            off += hypot(turns->re[p * m + i] - cos(angle), turns->im[p * m + i] - sin(angle)) > 0.05;
        }
    }
    return off * 20 <= m * turns->n;
}

/* -------------------------------------------------------------------------------------------- comparisons */

static bool is_near(double got, double want, double size, double unit)
{
    return fabs(got - want) <= SOME_UNITS * unit * size;
}

static void turn(const double *in, double *out, size_t dim, const diff_turning *t, double position, bool is_halves)
{
    const size_t m = dim / 2;
    for (size_t i = 0; i < m; i++) {
        const pair_of_columns c = columns_of(i, m, is_halves);
        const double angle = position * pow(t->base, -(double)i / (double)m), u = in[c.first], v = in[c.second];
        out[c.first] = u * cos(angle) - v * sin(angle);
        out[c.second] = u * sin(angle) + v * cos(angle);
    }
}

sinpos_status diff_turned_share(const diff_side *a, const diff_side *b, diff_heads heads, const diff_turning *turning,
                                double *share)
{
    const size_t dim = a->dim, rows = a->n < MOST_ROWS ? a->n : MOST_ROWS;
    double *room = malloc(4 * dim * sizeof *room), *x = room, *y = room + dim, *out = room + 2 * dim;
    sinpos_status status = room == NULL ? SINPOS_E_MEMORY : SINPOS_OK;
    size_t near = 0, all = 0;
    for (size_t k = 0; k < rows && status == SINPOS_OK; k++) {
        const size_t row = k * (a->n / rows);
        const double position = (double)(row / heads.n_heads % heads.n), unit = unit_of(a, b);
        status = diff_side_read(a, row, 1, x);
        status = status != SINPOS_OK ? status : diff_side_read(b, row, 1, y);
        turn(x, out, dim, turning, -position, turning->is_halves);
        turn(out, out + dim, dim, turning, position, !turning->is_halves);
        for (size_t j = 0; j < dim && status == SINPOS_OK; j++) {
            all++;
            near += is_near(y[j], out[dim + j], fabs(y[j]) + 1 + position * 0.1, unit);
        }
    }
    free(room);
    *share = all == 0 ? 0 : (double)near / (double)all;
    return status;
}

/* What the angles of b, found from both, do not make: only elements that are far from their pair's rotation. */
sinpos_status diff_turned_rest(const diff_turns *a, const diff_turns *b, const diff_side *before,
                               const diff_side *after, diff_heads heads, sinpos_difference *out)
{
    const size_t dim = before->dim, m = dim / 2;
    const double unit = unit_of(before, after);
    reading r;
    sinpos_status status = begin(&r, before, after);
    (void)a;
    out->wrong = 0;
    out->max_abs_error = 0;
    while (b->re != NULL && b->share > 0.9 && next(&r, &status))
        for (size_t k = 0; k < r.n * m; k++) {
            const pair_of_columns c = columns_of(k % m, m, b->is_halves);
            const size_t at = (r.first + k / m) / heads.n_heads % heads.n * m + k % m;
            const double *x = r.x + k / m * dim, *y = r.y + k / m * dim, u = x[c.first], v = x[c.second];
            const double want[] = {b->amplitude * (u * b->re[at] - v * b->im[at]),
                                   b->amplitude * (u * b->im[at] + v * b->re[at])};
            const double got[] = {y[c.first], y[c.second]}, size = b->amplitude * hypot(u, v);
            for (int j = 0; j < 2; j++) {
                const double error = fabs(got[j] - want[j]);
                out->wrong += !is_near(got[j], want[j], size, unit);
                out->max_abs_error = error > out->max_abs_error ? error : out->max_abs_error;
            }
        }
    free(r.x);
    return status;
}
