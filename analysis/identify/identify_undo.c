/*
 * identify_undo.c - elements that were dropped, a constant that was added, columns that were negated: proposed from what
 * needs no order of rows.
 *
 * Dropout leaves zeros in all rows and columns, each by chance: these elements are unknown.
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

/* Dropout: part of the elements, and of the columns and rows that chance would give zeros; padding has more. */
#define LEAST_DROPPED 0.01
#define MOST_DROPPED 0.7
#define LEAST_HIT 0.7

typedef struct centre {
    double c, error, radius; /* radius: squared */
} centre;

/* Some rows of the view, from the first to the last; what `before` has dropped is NaN. */
static sinpos_status read_some(const id_view *view, const id_match *before, size_t n, double *x)
{
    sinpos_status status = SINPOS_OK;
    for (size_t i = 0; i < n && status == SINPOS_OK; i++) {
        status = id_read_row(view, n == 1 ? 0 : i * (view->n - 1) / (n - 1), x + i * view->dim);
        id_repair(before, x + i * view->dim);
    }
    return status;
}

/* Nothing is done to the columns; what `before` has dropped stays so. */
static sinpos_status make_undo(id_match *undo, const id_match *before, const id_view *view)
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
    sinpos_status status = x == NULL ? SINPOS_E_MEMORY : make_undo(undo, NULL, view);
    status = status != SINPOS_OK ? status : read_some(view, NULL, n, x);
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
    if (!(uu > 0))
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

/* One centre for most pairs: its constant, or 0. `room`: (dim) */
static double common_centre(const double *x, size_t n, size_t dim, bool neighbours, double unit, double *room)
{
    const size_t m = dim / 2, step = neighbours ? 2 : 1, other = neighbours ? 1 : m;
    double weight = 0, sum = 0, squares = 0;
    size_t round = 0, same = 0;
    for (size_t k = 0; k < m; k++) {
        const centre own = find_centre(x + step * k, x + step * k + other, n, dim);
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
        room[k] = radius_around(x + step * k, x + step * k + other, n, dim, c);
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
    sinpos_status status = x == NULL ? SINPOS_E_MEMORY : read_some(view, before, n, x);
    for (int neighbours = 0; neighbours < 2 && status == SINPOS_OK && c == 0; neighbours++)
        c = common_centre(x, n, view->dim, neighbours == 1, type_unit(view->type), x + n * view->dim);
    free(x);
    if (status != SINPOS_OK || c == 0 || !isfinite(c))
        return status;
    status = make_undo(undo, before, view);
    for (size_t j = 0; j < view->dim && status == SINPOS_OK; j++)
        undo->column[j].offset = c;
    *is_proposed = status == SINPOS_OK;
    return status;
}

/* ------------------------------------------------------------------------------------------------------ signs */

static bool turns_backward(const sinpos_identity *identity, size_t k)
{
    const sinpos_identity_axis *axis = &identity->axis[identity->tone_axis[k]];
    return axis->law == SINPOS_LAW_LIST && axis->theta[identity->tone_index[k]] < 0 &&
           identity->sin_column[k] != SINPOS_NO_COLUMN;
}

/* Listed frequencies of either sign: the sines of the rarer one are negated. */
static void find_backward(const sinpos_identity *identity, bool *is_backward)
{
    size_t n = 0;
    for (size_t k = 0; k < identity->n_tones; k++)
        n += turns_backward(identity, k);
    for (size_t k = 0; k < identity->n_tones && 2 * n <= identity->n_tones; k++)
        if (turns_backward(identity, k))
            is_backward[identity->sin_column[k]] = true;
}

/* Columns that are nearly everywhere the negative of what the explanation has. */
static sinpos_status find_negated(const sinpos_identity *identity, const id_match *before, const id_view *view,
                                  bool *is_negated)
{
    const size_t n = view->n < SOME_ROWS ? view->n : SOME_ROWS, dim = view->dim;
    double *x = malloc(2 * n * dim * sizeof *x), *exact = x == NULL ? NULL : x + n * dim;
    sinpos_status status = x == NULL ? SINPOS_E_MEMORY : read_some(view, before, n, x);
    for (size_t i = 0; i < n && status == SINPOS_OK; i++)
        status =
            sinpos_identity_rows(identity, n == 1 ? 0 : i * (view->n - 1) / (n - 1), 1, SINPOS_F64, exact + i * dim, 1);
    for (size_t j = 0; j < dim && status == SINPOS_OK; j++) {
        const double offset = identity->column_offset == NULL ? 0 : identity->column_offset[j];
        const double near = NEAR * fabs(identity->amplitude);
        size_t is_near = 0, is_negative = 0, n_known = 0;
        for (size_t i = 0; i < n; i++) {
            const double own = x[i * dim + j] - offset;
            is_near += fabs(own - exact[i * dim + j]) <= near;
            is_negative += fabs(own + exact[i * dim + j]) <= near;
            n_known += !isnan(own);
        }
        is_negated[j] = (double)is_negative >= LEAST_NEAR * (double)n_known && is_near < is_negative;
    }
    free(x);
    return status;
}

sinpos_status id_undo_signs(id_match *undo, const id_match *before, const sinpos_identity *identity,
                            const id_view *view, bool *is_proposed)
{
    *is_proposed = false;
    *undo = (id_match){0};
    if (identity->plan == NULL || identity->n_axes == 0 || !id_is_whole(identity, view))
        return SINPOS_OK;
    bool *is_backward = calloc(2 * view->dim, sizeof *is_backward);
    if (is_backward == NULL)
        return SINPOS_E_MEMORY;
    bool *is_negative = is_backward + view->dim;
    size_t n = 0;
    find_backward(identity, is_backward);
    sinpos_status status = find_negated(identity, before, view, is_negative);
    for (size_t j = 0; j < view->dim; j++)
        n += is_negative[j] != is_backward[j];
    status = status == SINPOS_OK && n > 0 && n < view->dim ? make_undo(undo, before, view) : status;
    for (size_t j = 0; j < view->dim && status == SINPOS_OK && undo->column != NULL; j++) {
        const bool was_negated = identity->column_factor != NULL && identity->column_factor[j] < 0;
        const bool is_now = is_negative[j] != is_backward[j];
        undo->column[j].factor = is_now ? -1 : 1;
        undo->column[j].offset = identity->column_offset == NULL ? 0 : identity->column_offset[j];
        *is_proposed = *is_proposed || is_now != was_negated;
    }
    free(is_backward);
    return status;
}

/* ---------------------------------------------------------------------------------------- signs by first rows */

/* Consecutive rows, and the first positions that are tried; pairs must be near waves from there, by so much of their size. */
#define FIRST_ROWS 8
#define FIRST_STARTS 3
#define NEAR_WAVE 0.05

typedef struct pairing {
    const double *x; /* (FIRST_ROWS, dim) */
    size_t dim;
    bool are_neighbours, cos_first;
} pairing;

static size_t sine_of(const pairing *p, size_t k)
{
    const size_t first = p->are_neighbours ? 2 * k : k, second = p->are_neighbours ? 2 * k + 1 : k + p->dim / 2;
    return p->cos_first ? second : first;
}

static size_t cosine_of(const pairing *p, size_t k)
{
    const size_t first = p->are_neighbours ? 2 * k : k, second = p->are_neighbours ? 2 * k + 1 : k + p->dim / 2;
    return p->cos_first ? first : second;
}

/* Radians from one row to the next, in size. */
static double find_step(const pairing *p, size_t k)
{
    double step = 0;
    for (size_t lag = 1; lag < FIRST_ROWS; lag = 2 * lag + 1) {
        const double *a = p->x, *b = p->x + lag * p->dim;
        const double turned = atan2(b[sine_of(p, k)], b[cosine_of(p, k)]) - atan2(a[sine_of(p, k)], a[cosine_of(p, k)]);
        step += id_wrap(turned - step * (double)lag) / (double)lag;
    }
    return fabs(step);
}

/* The sign by which a column is a wave; 0 where it is none. */
static int sign_of(const pairing *p, size_t column, double step, double start, bool is_sine, double size)
{
    double along = 0, worst = 0;
    for (size_t r = 0; r < FIRST_ROWS; r++) {
        const double angle = step * (start + (double)r);
        along += p->x[r * p->dim + column] * (is_sine ? sin(angle) : cos(angle));
    }
    for (size_t r = 0; r < FIRST_ROWS; r++) {
        const double angle = step * (start + (double)r), wave = size * (is_sine ? sin(angle) : cos(angle));
        worst = fmax(worst, fabs(p->x[r * p->dim + column] - (along < 0 ? -wave : wave)));
    }
    return !(worst <= NEAR_WAVE * size) ? 0 : along < 0 ? -1 : 1;
}

/* Are all pairs waves from that start, of these signs? */
static bool find_signs(const pairing *p, double start, int *sign)
{
    for (size_t k = 0; k < p->dim / 2; k++) {
        const size_t sine = sine_of(p, k), cosine = cosine_of(p, k);
        const double step = find_step(p, k), size = hypot(p->x[sine], p->x[cosine]);
        sign[sine] = sign_of(p, sine, step, start, true, size);
        sign[cosine] = sign_of(p, cosine, step, start, false, size);
        if (sign[sine] == 0 || sign[cosine] == 0)
            return false;
    }
    return true;
}

static sinpos_status read_first(const id_view *view, double *x)
{
    sinpos_status status = SINPOS_OK;
    for (size_t r = 0; r < FIRST_ROWS && status == SINPOS_OK; r++)
        status = id_read_row(view, r, x + r * view->dim);
    return status;
}

sinpos_status id_undo_first_signs(id_match *undo, const id_view *view, bool *is_proposed)
{
    *is_proposed = false;
    *undo = (id_match){0};
    if (view->n < FIRST_ROWS || view->dim % 2 != 0 || view->dim < 6)
        return SINPOS_OK;
    double *x = malloc(FIRST_ROWS * view->dim * sizeof *x);
    int *sign = malloc(view->dim * sizeof *sign);
    sinpos_status status = x == NULL || sign == NULL ? SINPOS_E_MEMORY : read_first(view, x);
    bool is_found = false;
    for (int k = 0; k < 4 * FIRST_STARTS && status == SINPOS_OK && !is_found; k++) {
        const pairing p = {x, view->dim, (k & 1) != 0, (k & 2) != 0};
        is_found = find_signs(&p, k / 4, sign);
    }
    if (is_found)
        status = make_undo(undo, NULL, view);
    for (size_t j = 0; j < view->dim && is_found && status == SINPOS_OK; j++) {
        undo->column[j].factor = sign[j];
        *is_proposed = *is_proposed || sign[j] < 0;
    }
    free(x);
    free(sign);
    return status;
}
