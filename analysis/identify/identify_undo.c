/*
 * identify_undo.c - a constant that was added, columns that were negated: proposed from what needs no order of rows.
 *
 * The pairs of most layouts, halves or neighbours, lie on circles. A constant c moves all centres to (c, c), where
 * x^2 + y^2 = 2 c (x + y) + const; a line through the rows of each pair gives it. A negated column leaves its circle and
 * is the negative of what the explanation of the other columns has there.
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
#define SURE 8

/* A column is negated where so many rows are near the negative, by so much of the amplitude. */
#define LEAST_NEAR 0.8
#define NEAR 0.02

typedef struct centre {
    double c, error, radius; /* radius: squared */
} centre;

/* Some rows of the view, from the first to the last. */
static sinpos_status read_some(const id_view *view, size_t n, double *x)
{
    sinpos_status status = SINPOS_OK;
    for (size_t i = 0; i < n && status == SINPOS_OK; i++)
        status = id_read_row(view, n == 1 ? 0 : i * (view->n - 1) / (n - 1), x + i * view->dim);
    return status;
}

/* x^2 + y^2 as a line in x + y. The radius is negative where the rows lie on no circle. */
static centre find_centre(const double *x, const double *y, size_t n, size_t dim)
{
    double u = 0, v = 0, uu = 0, uv = 0, off = 0;
    for (size_t i = 0; i < n; i++) {
        u += x[i * dim] + y[i * dim];
        v += x[i * dim] * x[i * dim] + y[i * dim] * y[i * dim];
    }
    u /= (double)n;
    v /= (double)n;
    for (size_t i = 0; i < n; i++) {
        const double a = x[i * dim] + y[i * dim] - u, b = x[i * dim] * x[i * dim] + y[i * dim] * y[i * dim] - v;
        uu += a * a;
        uv += a * b;
    }
    if (!(uu > 0))
        return (centre){0, INFINITY, -1};
    const double slope = uv / uu;
    for (size_t i = 0; i < n; i++) {
        const double a = x[i * dim] + y[i * dim] - u, b = x[i * dim] * x[i * dim] + y[i * dim] * y[i * dim] - v;
        off += (b - slope * a) * (b - slope * a);
    }
    off = sqrt(off / (double)n);
    const double c = slope / 2, radius = v - slope * u + 2 * c * c;
    return (centre){c, off / sqrt(uu) / 2 + 1e-300, off <= MOST_OFF * radius ? radius : -1};
}

/* Squared distance of the rows from (c, c); negative where it is not one. */
static double radius_around(const double *x, const double *y, size_t n, size_t dim, double c)
{
    double sum = 0, squares = 0;
    for (size_t i = 0; i < n; i++) {
        const double a = x[i * dim] - c, b = y[i * dim] - c, own = a * a + b * b;
        sum += own;
        squares += own * own;
    }
    const double mean = sum / (double)n;
    return squares / (double)n - mean * mean <= MOST_OFF * MOST_OFF * mean * mean ? mean : -1;
}

/* One centre for most pairs: its constant, or 0. `room`: (dim) */
static double common_centre(const double *x, size_t n, size_t dim, bool neighbours, double unit, double *room)
{
    const size_t m = dim / 2, step = neighbours ? 2 : 1, other = neighbours ? 1 : m;
    double weight = 0, sum = 0;
    size_t round = 0, same = 0;
    for (size_t k = 0; k < m; k++) {
        const centre own = find_centre(x + step * k, x + step * k + other, n, dim);
        round += own.radius > 0;
        weight += own.radius > 0 ? 1 / (own.error * own.error) : 0;
        sum += own.radius > 0 ? own.c / (own.error * own.error) : 0;
    }
    const double c = sum / weight;
    for (size_t k = 0; k < m; k++)
        room[k] = radius_around(x + step * k, x + step * k + other, n, dim, c);
    const double radius = id_median(room, m), size = sqrt(radius);
    const double error = 1 / sqrt(weight) + unit * size / sqrt((double)n);
    for (size_t k = 0; k < m; k++)
        same += fabs(room[k] - radius) <= MOST_OFF * radius;
    return round < 3 || !(radius > 0) || (double)same < LEAST_PART * (double)m || !(fabs(c) > SURE * error) ||
                   !(fabs(c) > LEAST_CENTRE * size)
               ? 0
               : id_nice(c, 4 * error + unit * (size + fabs(c)));
}

static sinpos_status make_undo(id_match *undo, const id_view *view)
{
    *undo = (id_match){.dim = view->dim, .n_matched = view->dim, .is_layout = true, .amplitude = 1};
    undo->column = blocks_take(&undo->memory, view->dim, sizeof *undo->column);
    for (size_t j = 0; j < view->dim && undo->column != NULL; j++)
        undo->column[j] = (id_column){.factor = 1};
    return blocks_all(&undo->memory);
}

sinpos_status id_undo_constant(id_match *undo, const id_view *view, bool *is_proposed)
{
    const size_t n = view->n < SOME_ROWS ? view->n : SOME_ROWS;
    *is_proposed = false;
    *undo = (id_match){0};
    if (n < LEAST_ROWS || view->dim < 6)
        return SINPOS_OK;
    double *x = malloc((n + 1) * view->dim * sizeof *x), c = 0;
    sinpos_status status = x == NULL ? SINPOS_E_MEMORY : read_some(view, n, x);
    for (int neighbours = 0; neighbours < 2 && status == SINPOS_OK && c == 0; neighbours++)
        c = common_centre(x, n, view->dim, neighbours == 1, type_unit(view->type), x + n * view->dim);
    free(x);
    if (status != SINPOS_OK || c == 0 || !isfinite(c))
        return status;
    status = make_undo(undo, view);
    for (size_t j = 0; j < view->dim && status == SINPOS_OK; j++)
        undo->column[j].offset = c;
    *is_proposed = status == SINPOS_OK;
    return status;
}

/* ------------------------------------------------------------------------------------------------------ signs */

/* Listed frequencies of either sign: the sines of the rarer one are negated. */
static size_t find_backward(const sinpos_identity *identity, bool *is_negated)
{
    size_t n = 0;
    for (size_t k = 0; k < identity->n_tones; k++) {
        const sinpos_identity_axis *axis = &identity->axis[identity->tone_axis[k]];
        const bool is_backward = axis->law == SINPOS_LAW_LIST && axis->theta[identity->tone_index[k]] < 0;
        if (is_backward && identity->sin_column[k] != SINPOS_NO_COLUMN) {
            is_negated[identity->sin_column[k]] = true;
            n++;
        }
    }
    return 2 * n <= identity->n_tones ? n : 0;
}

/* Columns that are nearly everywhere the negative of what the explanation has. */
static sinpos_status find_negated(const sinpos_identity *identity, const id_view *view, bool *is_negated, size_t *found)
{
    const size_t n = view->n < SOME_ROWS ? view->n : SOME_ROWS, dim = view->dim;
    double *x = malloc(2 * n * dim * sizeof *x), *exact = x == NULL ? NULL : x + n * dim;
    sinpos_status status = x == NULL ? SINPOS_E_MEMORY : read_some(view, n, x);
    for (size_t i = 0; i < n && status == SINPOS_OK; i++)
        status =
            sinpos_identity_rows(identity, n == 1 ? 0 : i * (view->n - 1) / (n - 1), 1, SINPOS_F64, exact + i * dim, 1);
    for (size_t j = 0; j < dim && status == SINPOS_OK; j++) {
        const double offset = identity->column_offset == NULL ? 0 : identity->column_offset[j];
        const double near = NEAR * fabs(identity->amplitude);
        size_t is_near = 0, is_negative = 0;
        for (size_t i = 0; i < n; i++) {
            const double own = x[i * dim + j] - offset;
            is_near += fabs(own - exact[i * dim + j]) <= near;
            is_negative += fabs(own + exact[i * dim + j]) <= near;
        }
        const bool is_other = (double)is_negative >= LEAST_NEAR * (double)n && is_near < is_negative;
        *found += is_other && !is_negated[j];
        is_negated[j] = is_negated[j] || is_other;
    }
    free(x);
    return status;
}

sinpos_status id_undo_signs(id_match *undo, const sinpos_identity *identity, const id_view *view, bool *is_proposed)
{
    *is_proposed = false;
    *undo = (id_match){0};
    if (identity->plan == NULL || identity->view != SINPOS_VIEW_ROWS || identity->n_axes == 0)
        return SINPOS_OK;
    bool *is_negated = calloc(view->dim, sizeof *is_negated);
    if (is_negated == NULL)
        return SINPOS_E_MEMORY;
    size_t n = find_backward(identity, is_negated);
    sinpos_status status = n > 0 ? SINPOS_OK : find_negated(identity, view, is_negated, &n);
    status = status == SINPOS_OK && n > 0 && n < view->dim ? make_undo(undo, view) : status;
    for (size_t j = 0; j < view->dim && status == SINPOS_OK && undo->column != NULL; j++) {
        const bool was_negated = identity->column_factor != NULL && identity->column_factor[j] < 0;
        undo->column[j].factor = is_negated[j] != was_negated ? -1 : 1;
        undo->column[j].offset = identity->column_offset == NULL ? 0 : identity->column_offset[j];
        *is_proposed = true;
    }
    free(is_negated);
    return status;
}
