/*
 * identify_undo.c - elements that were dropped and a constant that was added: proposed from what needs no order of rows.
 *
 * Dropout leaves zeros in all rows and columns, each by chance: these elements are unknown.
 * The pairs of most layouts, halves of all columns or of equal blocks, or neighbours, lie on circles. A constant c moves all centres to (c, c), where
 * x^2 + y^2 = 2 c (x + y) + const; a line through the rows of each pair gives it.
 */
#include "elements.h"
#include "identify_mend.h"

/* Rows that are looked at. */
#define SOME_ROWS 256
#define LEAST_ROWS 8

/* Of a circle: how far off it rows may be, part of the squared radius; pairs that must agree; and the least constant, per radius. */
#define MOST_OFF 0.02
#define LEAST_PART 0.8
#define LEAST_CENTRE 1e-3

/* A pair that moves by less than this, per radius, has any centre. */
#define LEAST_SPREAD 1e-6
#define SURE 8

/* Dropout: part of the elements, and of the columns and rows that chance would give zeros; padding has more. */
#define LEAST_DROPPED 0.01
#define MOST_DROPPED 0.7
#define LEAST_HIT 0.7

typedef struct centre {
    double c, error, radius; /* radius: squared */
} centre;

sinpos_status id_read_some(const id_view *view, const id_match *before, size_t n, double *x)
{
    sinpos_status status = SINPOS_OK;
    for (size_t i = 0; i < n && status == SINPOS_OK; i++) {
        status = id_read_row(view, id_spread_row(view, n, i), x + i * view->dim);
        id_repair(before, view->type, x + i * view->dim);
    }
    return status;
}

sinpos_status id_undo_make(id_match *undo, const id_match *before, const id_view *view)
{
    *undo = (id_match){.dim = view->dim, .n_matched = view->dim, .is_layout = true, .amplitude = 1};
    undo->column = blocks_take(&undo->memory, view->dim, sizeof *undo->column);
    for (size_t j = 0; j < view->dim && undo->column != NULL; j++)
        undo->column[j] = (id_column){.factor = 1, .is_zero = before != NULL && before->column[j].is_zero};
    undo->dropped = before == NULL ? 0 : before->dropped;
    return blocks_all(&undo->memory);
}

/* ---------------------------------------------------------------------------------------------------- dropout */

/* Part of `all` that has at least one of `n` elements dropped. */
static double hit_by_chance(double share, size_t n, size_t all)
{
    return (double)all * -expm1((double)n * log1p(-share));
}

/* Part of the elements that are 0 where columns are not: 0 where rows and columns have them not by chance. */
static double find_share(const double *x, size_t n, id_match *undo)
{
    const size_t dim = undo->dim;
    size_t zeros = 0, columns = 0, rows = 0, n_live = 0, n_rows = 0;
    for (size_t j = 0; j < dim; j++) {
        size_t own = 0;
        for (size_t i = 0; i < n; i++)
            own += x[i * dim + j] == 0;
        undo->column[j].is_zero = own == n;
        n_live += own < n;
        columns += own > 0 && own < n;
    }
    for (size_t i = 0; i < n; i++) {
        size_t own = 0;
        for (size_t j = 0; j < dim; j++)
            own += x[i * dim + j] == 0 && !undo->column[j].is_zero;
        if ((double)own > MOST_DROPPED * (double)n_live)
            continue;
        zeros += own;
        rows += own > 0;
        n_rows++;
    }
    const double share = n_rows == 0 ? 0 : (double)zeros / ((double)n_rows * (double)n_live);
    return share < LEAST_DROPPED || share > MOST_DROPPED ||
                   (double)columns < LEAST_HIT * hit_by_chance(share, n_rows, n_live) ||
                   (double)rows < LEAST_HIT * hit_by_chance(share, n_live, n_rows)
               ? 0
               : share;
}

sinpos_status id_undo_dropout(id_match *undo, const id_view *view, bool *is_proposed)
{
    const size_t n = view->n < SOME_ROWS ? view->n : SOME_ROWS;
    *is_proposed = false;
    *undo = (id_match){0};
    if (n < LEAST_ROWS || view->dim < 6)
        return SINPOS_OK;
    double *x = malloc(n * view->dim * sizeof *x);
    sinpos_status status = x == NULL ? SINPOS_E_MEMORY : id_undo_make(undo, NULL, view);
    status = status != SINPOS_OK ? status : id_read_some(view, NULL, n, x);
    undo->dropped = status != SINPOS_OK ? 0 : find_share(x, n, undo);
    *is_proposed = undo->dropped > 0;
    free(x);
    return status;
}

/* --------------------------------------------------------------------------------------------------- constants */

/* x^2 + y^2 as a line in x + y. The radius is negative where the rows lie on no circle. */
static centre find_centre(const double *x, const double *y, size_t n, size_t dim)
{
    double u = 0, v = 0, uu = 0, uv = 0, off = 0, count = 0;
    for (size_t i = 0; i < n; i++) {
        const bool is_known = !isnan(x[i * dim] + y[i * dim]);
        u += is_known ? x[i * dim] + y[i * dim] : 0;
        v += is_known ? x[i * dim] * x[i * dim] + y[i * dim] * y[i * dim] : 0;
        count += is_known;
    }
    u /= count;
    v /= count;
    for (size_t i = 0; i < n; i++) {
        const double a = x[i * dim] + y[i * dim] - u, b = x[i * dim] * x[i * dim] + y[i * dim] * y[i * dim] - v;
        uu += isnan(a) ? 0 : a * a;
        uv += isnan(a) ? 0 : a * b;
    }
    if (!(uu > LEAST_SPREAD * LEAST_SPREAD * v * count))
        return (centre){0, INFINITY, -1};
    const double slope = uv / uu;
    for (size_t i = 0; i < n; i++) {
        const double a = x[i * dim] + y[i * dim] - u, b = x[i * dim] * x[i * dim] + y[i * dim] * y[i * dim] - v;
        off += isnan(a) ? 0 : (b - slope * a) * (b - slope * a);
    }
    off = sqrt(off / count);
    const double c = slope / 2, radius = v - slope * u + 2 * c * c;
    return (centre){c, off / sqrt(uu) / 2 + 1e-300, off <= MOST_OFF * radius ? radius : -1};
}

/* Squared distance of the rows from (c, c); negative where it is not one. */
static double radius_around(const double *x, const double *y, size_t n, size_t dim, double c)
{
    double sum = 0, squares = 0, count = 0;
    for (size_t i = 0; i < n; i++) {
        const double a = x[i * dim] - c, b = y[i * dim] - c, own = a * a + b * b;
        sum += isnan(own) ? 0 : own;
        squares += isnan(own) ? 0 : own * own;
        count += !isnan(own);
    }
    const double mean = sum / count;
    return squares / count - mean * mean <= MOST_OFF * MOST_OFF * mean * mean ? mean : -1;
}

/* The first column of pair k, where columns lie in blocks of two halves; an odd width lacks the last partner. */
static size_t first_of(size_t k, size_t half)
{
    return k / half * 2 * half + k % half;
}

/* Rows of one number are padding: they lie on no circle. */
static void forget_padding(double *x, size_t n, size_t dim)
{
    for (size_t i = 0; i < n; i++) {
        double *row = x + i * dim;
        size_t j = 1;
        while (j < dim && row[j] == row[0])
            j++;
        for (size_t k = 0; k < dim && j == dim; k++)
            row[k] = NAN;
    }
}

/* One centre for most pairs, each with the column that is `half` further on: its constant, or 0. `room`: (dim) */
static double common_centre(const double *x, size_t n, size_t dim, size_t half, double unit, double *room)
{
    const size_t m = dim / 2;
    double weight = 0, sum = 0, squares = 0;
    size_t round = 0, same = 0;
    for (size_t k = 0; k < m; k++) {
        const centre own = find_centre(x + first_of(k, half), x + first_of(k, half) + half, n, dim);
        const double part = own.radius > 0 ? 1 / (own.error * own.error) : 0;
        round += own.radius > 0;
        weight += part;
        sum += part > 0 ? part * own.c : 0;
        squares += part > 0 ? part * own.c * own.c : 0;
    }
    const double c = sum / weight;
    /* Roundings of neighbouring rows of a slow pair are alike: what pairs differ by says how far off they are. */
    const double scatter = (squares - sum * c) / (double)(round > 1 ? round - 1 : 1);
    for (size_t k = 0; k < m; k++)
        room[k] = radius_around(x + first_of(k, half), x + first_of(k, half) + half, n, dim, c);
    const double radius = id_median(room, m), size = sqrt(radius);
    const double error = sqrt(fmax(scatter, 1) / weight) + unit * size / sqrt((double)n);
    for (size_t k = 0; k < m; k++)
        same += fabs(room[k] - radius) <= MOST_OFF * radius;
    return round < 3 || !(radius > 0) || (double)same < LEAST_PART * (double)m || !(fabs(c) > SURE * error) ||
                   !(fabs(c) > LEAST_CENTRE * size)
               ? 0
               : id_nice(c, 4 * error + unit * (size + fabs(c)));
}

sinpos_status id_undo_constant(id_match *undo, const id_match *before, const id_view *view, bool *is_proposed)
{
    const size_t n = view->n < SOME_ROWS ? view->n : SOME_ROWS;
    *is_proposed = false;
    *undo = (id_match){0};
    if (n < LEAST_ROWS || view->dim < 6)
        return SINPOS_OK;
    double *x = malloc((n + 1) * view->dim * sizeof *x), c = 0;
    sinpos_status status = x == NULL ? SINPOS_E_MEMORY : id_read_some(view, before, n, x);
    if (status == SINPOS_OK)
        forget_padding(x, n, view->dim);
    const size_t m = view->dim / 2;
    for (size_t n_blocks = 1; n_blocks <= m && status == SINPOS_OK && c == 0; n_blocks++)
        if (m % n_blocks == 0)
            c = common_centre(x, n, view->dim, n_blocks == 1 ? view->dim - m : m / n_blocks, type_unit(view->type),
                              x + n * view->dim);
    free(x);
    if (status == SINPOS_OK && c == 0)
        status = id_find_centre(view, &c);
    if (status != SINPOS_OK || c == 0 || !isfinite(c))
        return status;
    status = id_undo_make(undo, before, view);
    for (size_t j = 0; j < view->dim && status == SINPOS_OK; j++)
        undo->column[j].offset = c;
    *is_proposed = status == SINPOS_OK;
    return status;
}
