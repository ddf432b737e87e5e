/*
 * identify_circles.c - columns that lie on one circle with another column, and the rows in which they do.
 *
 * Positions may be in any order, and so may columns: what stands beside, before or behind a table lies on no circle. A
 * constant moves all circles alike: three rows of a pair show it.
 */
#include "elements.h"
#include "identify_mend.h"

/* Rows by which pairs are known; wider arrays are not searched. */
#define SOME_ROWS 64
#define WIDEST 1024

/* A sum of squares is that of the circle to so many units, 2 where both are rounded; rows that say which one it is. */
#define ROUND_UNITS 16
#define NARROW_UNITS 3
#define REFERENCES 6

/* Of a pair so many rows must be known, and so large a part of them on the circle; of a row so many pairs. */
#define LEAST_KNOWN 4
#define LEAST_SHARE 0.5
#define LEAST_NEAR 0.6

/* Columns of a fast tone and of a slow one vary by so much. */
#define FAST 0.3
#define SLOW 0.1

/*
 * A constant is looked for by so many triples of rows of each pair: the sums of their elements differ by so much of
 * their size, and the centres by two rows are one to so many units. So many must agree; narrower types do by chance.
 */
#define TRIPLES 6
#define LEAST_STEP 0.05
#define CENTRE_UNITS 32
#define LEAST_VOTES 5
#define WIDEST_UNIT 0x1p-20

typedef struct pair {
    double square; /* of the radius */
    double allowed;
    size_t a, b, near;
} pair;

typedef struct circles {
    const id_view *view;
    size_t n, dim;   /* rows and columns looked at */
    double *x;       /* (dim, n) */
    double *allowed; /* (dim) of sums of squares, relative: that of the type which a column's elements are numbers of */
    pair *pairs;
    size_t n_pairs;
    double centre; /* of all circles, in both columns: a constant that was added */
    double square; /* of the circle that holds most columns */
    size_t *partner;
    blocks memory;
} circles;

static bool is_near(double x, double y, double square, double allowed)
{
    return fabs(x * x + y * y - square) <= allowed * square;
}

/* Zeros may be dropped elements: unless they lie on the circle they say nothing. */
static bool is_known(double x, double y)
{
    return x != 0 && y != 0 && isfinite(x + y);
}

static bool is_constant(const circles *c, size_t column)
{
    const double *x = c->x + column * c->n;
    size_t i = 1;
    while (i < c->n && x[i] == x[0])
        i++;
    return i == c->n;
}

/* Are most elements numbers of so many bits? */
static bool has_bits(const circles *c, size_t column, int bits)
{
    const double *x = c->x + column * c->n;
    size_t n = 0;
    for (size_t i = 0; i < c->n; i++)
        n += id_to_bits(x[i], bits) == x[i];
    return (double)n > LEAST_SHARE * (double)c->n;
}

static double allowed_of(const circles *c, size_t column)
{
    const double unit = has_bits(c, column, 8) ? 0x1p-8 : has_bits(c, column, 11) ? 0x1p-11 : 0;
    return unit > 0 ? NARROW_UNITS * unit : ROUND_UNITS * type_unit(c->view->type);
}

static sinpos_status read_some(circles *c)
{
    double *row = malloc(c->dim * sizeof *row);
    sinpos_status status = row == NULL ? SINPOS_E_MEMORY : SINPOS_OK;
    for (size_t i = 0; i < c->n && status == SINPOS_OK; i++) {
        status = id_read_row(c->view, id_spread_row(c->view, c->n, i), row);
        for (size_t j = 0; j < c->dim; j++)
            c->x[j * c->n + i] = row[j];
    }
    free(row);
    return status;
}

/* Rows in which the pair lies on a circle, if they are enough. */
static size_t count_near(const circles *c, const pair *p)
{
    const double *x = c->x + p->a * c->n, *y = c->x + p->b * c->n;
    size_t near = 0, known = 0;
    for (size_t i = 0; i < c->n; i++) {
        const bool is = is_near(x[i], y[i], p->square, p->allowed);
        near += is;
        known += is || is_known(x[i], y[i]);
    }
    return known >= LEAST_KNOWN && (double)near >= LEAST_SHARE * (double)known ? near : 0;
}

static pair look_at(const circles *c, size_t a, size_t b)
{
    const double *x = c->x + a * c->n, *y = c->x + b * c->n;
    pair p = {.allowed = fmax(c->allowed[a], c->allowed[b]), .a = a, .b = b};
    for (size_t k = 0; k < REFERENCES && p.near == 0; k++) {
        const size_t i = (2 * k + 1) * c->n / (2 * REFERENCES);
        p.square = x[i] * x[i] + y[i] * y[i];
        p.near = is_known(x[i], y[i]) ? count_near(c, &p) : 0;
    }
    return p;
}

static int by_square(const void *a, const void *b)
{
    const double x = ((const pair *)a)->square, y = ((const pair *)b)->square;
    return (x > y) - (x < y);
}

static sinpos_status find_pairs(circles *c)
{
    bool *is_fixed = blocks_take(&c->memory, c->dim, sizeof *is_fixed);
    size_t room = 0;
    for (size_t j = 0; j < c->dim && is_fixed != NULL; j++)
        is_fixed[j] = is_constant(c, j);
    for (size_t a = 0; a < c->dim && is_fixed != NULL; a++) {
        const sinpos_status status = id_ask(c->view->table);
        if (status != SINPOS_OK)
            return status;
        for (size_t b = a + 1; b < c->dim; b++) {
            const pair p = is_fixed[a] && is_fixed[b] ? (pair){0} : look_at(c, a, b);
            if (p.near == 0)
                continue;
            if (c->n_pairs == room) {
                room = 2 * room + 256;
                pair *more = realloc(c->pairs, room * sizeof *more);
                if (more == NULL)
                    return SINPOS_E_MEMORY;
                c->pairs = more;
            }
            c->pairs[c->n_pairs++] = p;
        }
    }
    if (c->n_pairs > 0)
        qsort(c->pairs, c->n_pairs, sizeof *c->pairs, by_square);
    return blocks_status(&c->memory);
}

/* The pairs first .. last - 1 whose columns are most, of one circle. */
static sinpos_status find_circle(circles *c, size_t *first, size_t *last)
{
    size_t *uses = blocks_take(&c->memory, c->dim, sizeof *uses), n = 0, most = 0;
    for (size_t i = 0, end = 0; i < c->n_pairs && uses != NULL; i++) {
        for (; end < c->n_pairs && c->pairs[end].square <= (1 + 2 * c->pairs[i].allowed) * c->pairs[i].square; end++) {
            n += uses[c->pairs[end].a]++ == 0;
            n += uses[c->pairs[end].b]++ == 0;
        }
        if (n > most) {
            most = n;
            *first = i;
            *last = end;
        }
        n -= --uses[c->pairs[i].a] == 0;
        n -= --uses[c->pairs[i].b] == 0;
    }
    return blocks_status(&c->memory);
}

static sinpos_status find_partners(circles *c)
{
    size_t first = 0, last = 0;
    const sinpos_status status = find_circle(c, &first, &last);
    size_t *near = blocks_take(&c->memory, c->dim, sizeof *near);
    c->partner = blocks_take(&c->memory, c->dim, sizeof *c->partner);
    for (size_t j = 0; j < c->dim && c->partner != NULL; j++)
        c->partner[j] = c->dim;
    for (size_t i = first; i < last && status == SINPOS_OK && near != NULL && c->partner != NULL; i++) {
        const pair *p = &c->pairs[i];
        c->square = c->pairs[first + (last - first) / 2].square;
        if (p->near > near[p->a]) {
            near[p->a] = p->near;
            c->partner[p->a] = p->b;
        }
        if (p->near > near[p->b]) {
            near[p->b] = p->near;
            c->partner[p->b] = p->a;
        }
    }
    return status == SINPOS_OK ? blocks_status(&c->memory) : status;
}

/* A column alone whose partner has a better one is there by chance. */
static bool is_chance(const circles *c, size_t column)
{
    const size_t other = c->partner[column];
    const bool is_alone =
        (column == 0 || c->partner[column - 1] == c->dim) && (column + 1 == c->dim || c->partner[column + 1] == c->dim);
    return other == c->dim || (is_alone && c->partner[other] != column);
}

/* Most pairs of the row lie on the circle. */
static bool is_round(const circles *c, const double *x)
{
    size_t near = 0, known = 0;
    for (size_t j = 0; j < c->dim; j++) {
        if (c->partner[j] == c->dim)
            continue;
        const double own = x[j] - c->centre, other = x[c->partner[j]] - c->centre;
        const bool is = is_near(own, other, c->square, fmax(c->allowed[j], c->allowed[c->partner[j]]));
        near += is;
        known += is || is_known(own, other);
    }
    return near > 0 && (double)near >= LEAST_NEAR * (double)known;
}

/* Rows of zeros are padding. */
static bool is_padding(const circles *c, const double *x)
{
    size_t j = 0;
    while (j < c->dim && x[j] == 0)
        j++;
    return j == c->dim;
}

/* The first row from `from` on, towards `to`, that lies on the circle, as the next one does; or padding before it. */
static sinpos_status find_row(const circles *c, size_t from, size_t to, size_t *row)
{
    const size_t step = to > from ? 1 : (size_t)-1;
    double *x = malloc(c->dim * sizeof *x);
    sinpos_status status = x == NULL ? SINPOS_E_MEMORY : SINPOS_OK;
    size_t padding = 0, before = 0; /* rows of zeros in succession, and those before the row that is on the circle */
    bool was = false, is = false;
    for (*row = from; status == SINPOS_OK; *row += step) {
        status = id_read_row(c->view, *row, x);
        was = is;
        before = was ? before : padding;
        is = status == SINPOS_OK && is_round(c, x);
        padding = status == SINPOS_OK && is_padding(c, x) ? padding + 1 : 0;
        if (is && was)
            *row -= step * (before + 1);
        if ((is && was) || *row == to)
            break;
    }
    free(x);
    return status;
}

/* ------------------------------------------------------------------------------------------------ constants */

/* x^2 + y^2 = 2 centre (x + y) + const: of rows i, k and l. NaN where they have not one centre. */
static double centre_of(const double *x, const double *y, size_t i, size_t k, size_t l, double unit)
{
    const size_t row[] = {i, k, l, i};
    double centre[3], size = 0, least = INFINITY;
    for (size_t r = 0; r < 3; r++) {
        const double a = x[row[r]], b = y[row[r]], other_a = x[row[r + 1]], other_b = y[row[r + 1]];
        const double step = a + b - other_a - other_b;
        centre[r] = ((a - other_a) * (a + other_a) + (b - other_b) * (b + other_b)) / step / 2;
        size = fmax(size, hypot(a, b));
        least = fmin(least, fabs(step));
    }
    const double off = fmax(fabs(centre[0] - centre[1]), fabs(centre[1] - centre[2]));
    return least > LEAST_STEP * size && off <= CENTRE_UNITS * unit * size ? (centre[0] + centre[1]) / 2 : NAN;
}

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The one of most; 0 where too few agree, or no constant was added. */
static double most_common(double *vote, size_t n, double near)
{
    size_t most = 0, first = 0;
    qsort(vote, n, sizeof *vote, by_size);
    for (size_t i = 0, end = 0; i < n; i++) {
        while (end < n && vote[end] <= vote[i] + near)
            end++;
        first = end - i > most ? i : first;
        most = end - i > most ? end - i : most;
    }
    const double centre = most < LEAST_VOTES ? 0 : vote[first + most / 2];
    return fabs(centre) <= near ? 0 : centre;
}

static double largest_of(const circles *c)
{
    double largest = 0;
    for (size_t k = 0; k < c->dim * c->n; k++)
        largest = isfinite(c->x[k]) ? fmax(largest, fabs(c->x[k])) : largest;
    return largest;
}

/* Of all pairs, whatever the other columns and the rows before and behind hold. */
static sinpos_status find_centre(circles *c)
{
    const double unit = type_unit(c->view->type), near = CENTRE_UNITS * unit * largest_of(c);
    const size_t room = 2 * TRIPLES * c->dim, gap = c->n / 4;
    double *vote = blocks_take(&c->memory, room, sizeof *vote);
    sinpos_status status = blocks_status(&c->memory);
    size_t n = 0;
    for (size_t a = 0; a < c->dim && unit <= WIDEST_UNIT && status == SINPOS_OK; a++) {
        status = id_ask(c->view->table);
        for (size_t b = a + 1; b < c->dim; b++)
            for (size_t t = 0; t < TRIPLES && n < room; t++) {
                const size_t i = t * c->n / (2 * TRIPLES);
                vote[n] = centre_of(c->x + a * c->n, c->x + b * c->n, i, i + gap, i + 2 * gap, unit);
                n += !isnan(vote[n]);
            }
    }
    c->centre = n == 0 ? 0 : id_nice(most_common(vote, n, near), near);
    for (size_t k = 0; k < c->dim * c->n && c->centre != 0; k++)
        c->x[k] -= c->centre;
    return status;
}

static bool are_searched(const id_view *view)
{
    return view->n >= ID_LEAST_ROWS && view->dim <= WIDEST;
}

static sinpos_status read_all(circles *c, const id_view *view)
{
    *c = (circles){.view = view, .n = view->n < SOME_ROWS ? view->n : SOME_ROWS, .dim = view->dim};
    c->x = blocks_take(&c->memory, c->dim, c->n * sizeof *c->x);
    c->allowed = blocks_take(&c->memory, c->dim, sizeof *c->allowed);
    const sinpos_status status = blocks_status(&c->memory);
    return status == SINPOS_OK ? read_some(c) : status;
}

/* All pairs of columns, by the circles that they lie on. */
static sinpos_status look_at_all(circles *c, const id_view *view, bool are_moved)
{
    sinpos_status status = read_all(c, view);
    for (size_t j = 0; j < c->dim && status == SINPOS_OK; j++)
        c->allowed[j] = allowed_of(c, j);
    if (are_moved && status == SINPOS_OK)
        status = find_centre(c);
    return status == SINPOS_OK && !(are_moved && c->centre == 0) ? find_pairs(c) : status;
}

static void free_all(circles *c)
{
    free(c->pairs);
    blocks_free(&c->memory);
}

sinpos_status id_find_centre(const id_view *view, double *centre)
{
    circles c;
    *centre = 0;
    if (!are_searched(view))
        return SINPOS_OK;
    sinpos_status status = read_all(&c, view);
    status = status == SINPOS_OK ? find_centre(&c) : status;
    *centre = c.centre;
    free_all(&c);
    return status;
}

sinpos_status id_find_circles(const id_view *view, bool are_moved, size_t *first, size_t *last, bool *is_own)
{
    circles c;
    *first = *last = 0;
    memset(is_own, 0, view->dim * sizeof *is_own);
    if (!are_searched(view))
        return SINPOS_OK;
    sinpos_status status = look_at_all(&c, view, are_moved);
    status = status == SINPOS_OK ? find_partners(&c) : status;
    for (size_t j = 0; j < c.dim && status == SINPOS_OK; j++)
        is_own[j] = !is_chance(&c, j);
    if (status == SINPOS_OK && c.n_pairs > 0)
        status = find_row(&c, 0, view->n - 1, first);
    if (status == SINPOS_OK && c.n_pairs > 0)
        status = find_row(&c, view->n - 1, *first, last);
    free_all(&c);
    return status;
}

/* --------------------------------------------------------------------------------------------- one beside another */

/* The partner of each column that has one alone, which has no other either; dim where that is not so. */
static void find_only_partners(const circles *c, size_t *partner, size_t *count)
{
    for (size_t j = 0; j < c->dim; j++)
        partner[j] = c->dim;
    for (size_t i = 0; i < c->n_pairs; i++) {
        const pair *p = &c->pairs[i];
        count[p->a]++;
        count[p->b]++;
        partner[p->a] = p->b;
        partner[p->b] = p->a;
    }
    for (size_t j = 0; j < c->dim; j++)
        if (partner[j] < c->dim && (count[j] != 1 || count[partner[j]] != 1))
            partner[j] = c->dim;
}

/* Part of the largest square that a column varies by: a half where a tone turns, little where it is slow. */
static double variance_of(const circles *c, size_t column)
{
    const double *x = c->x + column * c->n;
    double sum = 0, squares = 0, largest = 0, n = 0;
    for (size_t i = 0; i < c->n; i++) {
        if (x[i] == 0 || !isfinite(x[i]))
            continue;
        n++;
        sum += x[i];
        squares += x[i] * x[i];
        largest = fmax(largest, x[i] * x[i]);
    }
    return largest > 0 ? (squares - sum * sum / n) / n / largest : 0;
}

/* Does no pair have columns on both sides? */
static bool is_between_pairs(const circles *c, const size_t *partner, size_t at)
{
    size_t j = 0;
    while (j < at && (partner[j] == c->dim || partner[j] < at))
        j++;
    return j == at;
}

static size_t distance_of(const size_t *partner, size_t column)
{
    return partner[column] > column ? partner[column] - column : column - partner[column];
}

sinpos_status id_find_cuts(const id_view *view, size_t most, size_t *cut, size_t *n_cuts)
{
    circles c;
    *n_cuts = 0;
    if (!are_searched(view))
        return SINPOS_OK;
    sinpos_status status = look_at_all(&c, view, false);
    size_t *partner = blocks_take(&c.memory, c.dim, sizeof *partner), before = c.dim;
    size_t *count = blocks_take(&c.memory, c.dim, sizeof *count);
    status = status == SINPOS_OK ? blocks_status(&c.memory) : status;
    if (status == SINPOS_OK)
        find_only_partners(&c, partner, count);
    for (size_t j = 0; j < c.dim && *n_cuts < most && status == SINPOS_OK; j++) {
        if (partner[j] == c.dim)
            continue;
        const bool is_faster = j > 0 && variance_of(&c, j) > FAST && variance_of(&c, j - 1) < SLOW;
        const bool is_other = before < c.dim && (is_faster || distance_of(partner, j) != distance_of(partner, before));
        if (is_other && is_between_pairs(&c, partner, j))
            cut[(*n_cuts)++] = j;
        before = j;
    }
    free_all(&c);
    return status;
}
