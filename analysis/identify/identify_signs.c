/*
 * identify_signs.c - columns that were negated: the negatives of what the explanation of the others has there; or those by
 * which pairs are waves in the first rows; or by which each frequency turns in proportion to the slower one before it.
 */
#include "elements.h"
#include "identify_mend.h"

/* Rows that are looked at. */
#define SOME_ROWS 256

/* A column is negated where so many rows are near the negative, by so much of the amplitude. */
#define LEAST_NEAR 0.8
#define NEAR 0.02

/* ---------------------------------------------------------------------------------- signs by an explanation */

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
    sinpos_status status = x == NULL ? SINPOS_E_MEMORY : id_read_some(view, before, n, x);
    for (size_t i = 0; i < n && status == SINPOS_OK; i++)
        status = sinpos_identity_rows(identity, id_spread_row(view, n, i), 1, SINPOS_F64, exact + i * dim, 1);
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
    status = status == SINPOS_OK && n > 0 && n < view->dim ? id_undo_make(undo, before, view) : status;
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
        status = id_undo_make(undo, NULL, view);
    for (size_t j = 0; j < view->dim && is_found && status == SINPOS_OK; j++) {
        undo->column[j].factor = sign[j];
        *is_proposed = *is_proposed || sign[j] < 0;
    }
    free(x);
    free(sign);
    return status;
}

/* ------------------------------------------------------------------------------------------ signs by slow tones */

/* Layouts that are tried, of those whose pairs lie on circles. */
#define MOST_LAYOUTS 12

/* Angles of the next frequency are so near, in radians, of three quarters of the rows; with other signs they are not. */
#define NEAR_ANGLE 0.3
#define NO_ANGLE 0.6

/* Frequencies of a coordinate that are known to stand in proportion. */
#define LEAST_KNOWN 3

typedef struct chain {
    const id_sample *sample;
    const id_layout *layout;
    const size_t *tone; /* (n) of one coordinate, slow ones first */
    size_t n;
    double *full, *next, *off; /* (rows) angle of the tone, whole turns included; NaN where it is unknown */
    double ratio;              /* of the next frequency to this one; 0 where it is not known yet */
    int *sign;                 /* (dim) */
} chain;

static double of(const chain *c, size_t row, ptrdiff_t column)
{
    return c->sample->x[row * c->sample->dim + (size_t)column];
}

/* Three quarters of the distances from what the ratio leads one to expect. */
static double look_at_signs(chain *c, size_t k, double ratio, int sine, int cosine)
{
    const id_layout *l = c->layout;
    size_t n = 0;
    for (size_t i = 0; i < c->sample->n; i++) {
        const double s = of(c, i, l->sin_column[k]) * sine, y = of(c, i, l->cos_column[k]) * cosine;
        const double expected = ratio * c->full[i], turned = id_wrap(atan2(s, y) - expected);
        c->next[i] = expected + turned;
        c->off[n] = fabs(turned);
        n += !isnan(turned);
    }
    return n == 0 ? INFINITY : id_select(c->off, n, (3 * n - 1) / 4);
}

/* Cosines of a slow tone are far from 0 and have one sign in most rows: 0 where they have not. */
static int sign_of_cosines(const chain *c, size_t k)
{
    const double far = c->layout->amplitude / 2;
    size_t n = 0, negative = 0, positive = 0;
    for (size_t i = 0; i < c->sample->n; i++) {
        const double y = of(c, i, c->layout->cos_column[k]);
        n += !isnan(y);
        negative += y < -far;
        positive += y > far;
    }
    const double least = LEAST_NEAR * (double)n;
    return (double)negative > least ? -1 : (double)positive > least ? 1 : 0;
}

/* Both angles are small: their ratio is that of sums. Its sign is that of the sines. */
static double ratio_of(const chain *c, const double *next)
{
    double both = 0, own = 0;
    for (size_t i = 0; i < c->sample->n; i++) {
        both += isnan(c->full[i] + next[i]) ? 0 : c->full[i] * next[i];
        own += isnan(c->full[i] + next[i]) ? 0 : c->full[i] * c->full[i];
    }
    return own > 0 ? both / own : 0;
}

static void step_to(chain *c, size_t k, int sine, int cosine)
{
    c->sign[c->layout->sin_column[k]] = sine;
    c->sign[c->layout->cos_column[k]] = cosine;
    double *const full = c->full;
    c->full = c->next;
    c->next = full;
}

/* The signs of the next tone; false where none, or several, are as expected. */
static bool follow(chain *c, size_t j)
{
    const size_t k = c->tone[j], before = c->tone[j - 1];
    const bool is_copy = c->layout->index[k] == c->layout->index[before];
    const double ratio = is_copy ? 1 : c->ratio;
    int best = -1;
    double least = INFINITY, second = INFINITY;
    for (int s = 0; s < 4; s++) {
        const double off = look_at_signs(c, k, ratio, s & 1 ? -1 : 1, s & 2 ? -1 : 1);
        second = off < least ? least : fmin(second, off);
        best = off < least ? s : best;
        least = fmin(least, off);
    }
    if (!(least <= NEAR_ANGLE && second >= NO_ANGLE))
        return false;
    (void)look_at_signs(c, k, ratio, best & 1 ? -1 : 1, best & 2 ? -1 : 1);
    if (!is_copy)
        c->ratio = ratio_of(c, c->next);
    step_to(c, k, best & 1 ? -1 : 1, best & 2 ? -1 : 1);
    return true;
}

/* The slow tones, then one after the other. Returns how many have signs. */
static size_t find_chain(chain *c)
{
    size_t j = 0;
    for (; j < c->n; j++) {
        const size_t k = c->tone[j];
        const int cosine = sign_of_cosines(c, k);
        if (cosine == 0)
            break;
        for (size_t i = 0; i < c->sample->n && j == 0; i++)
            c->full[i] = 0;
        (void)look_at_signs(c, k, 0, 1, cosine);
        const double ratio = j == 0 ? 1 : ratio_of(c, c->next);
        const bool is_copy = j > 0 && c->layout->index[k] == c->layout->index[c->tone[j - 1]];
        if (ratio == 0)
            break;
        for (size_t i = 0; i < c->sample->n && ratio < 0; i++)
            c->next[i] = -c->next[i];
        c->ratio = j == 0 ? 0 : is_copy ? c->ratio : fabs(ratio);
        step_to(c, k, ratio < 0 ? -1 : 1, cosine);
    }
    while (j < c->n && j > 1 && c->ratio != 0 && follow(c, j))
        j++;
    return j;
}

/* Tones of a coordinate, slow ones first. */
static size_t list_tones(const id_layout *layout, size_t axis, const id_sample *sample, size_t *tone)
{
    size_t n = 0;
    double first = 0, last = 0;
    for (size_t k = 0; k < layout->n_tones; k++) {
        if (layout->axis[k] != axis || layout->sin_column[k] < 0 || layout->cos_column[k] < 0)
            continue;
        size_t at = n++;
        for (; at > 0 && layout->index[tone[at - 1]] > layout->index[k]; at--)
            tone[at] = tone[at - 1];
        tone[at] = k;
    }
    for (size_t i = 0; i < sample->n && n > 0; i++) {
        const double a = sample->x[i * sample->dim + (size_t)layout->sin_column[tone[0]]];
        const double b = sample->x[i * sample->dim + (size_t)layout->sin_column[tone[n - 1]]];
        first += isnan(a) ? 0 : a * a;
        last += isnan(b) ? 0 : b * b;
    }
    for (size_t k = 0; k < n / 2 && last < first; k++) {
        const size_t other = tone[k];
        tone[k] = tone[n - 1 - k];
        tone[n - 1 - k] = other;
    }
    return n;
}

/* Of the sines of a coordinate the rarer sign is the negated one: positions may be negative. */
static void choose_sines(const chain *c, size_t n_known)
{
    size_t n = 0;
    for (size_t j = 0; j < n_known; j++)
        n += c->sign[c->layout->sin_column[c->tone[j]]] < 0;
    for (size_t j = 0; j < n_known && 2 * n > n_known; j++)
        c->sign[c->layout->sin_column[c->tone[j]]] *= -1;
}

/* Signs by one layout; how many columns are negative, or 0 where it shows none. */
static size_t find_slow_signs(chain *c, size_t *tone)
{
    size_t n_negative = 0;
    bool are_known = true;
    for (size_t j = 0; j < c->sample->dim; j++)
        c->sign[j] = 1;
    for (size_t a = 0; a < c->layout->n_axes && are_known; a++) {
        c->tone = tone;
        c->n = list_tones(c->layout, a, c->sample, tone);
        c->ratio = 0;
        const size_t n = find_chain(c);
        are_known = n >= LEAST_KNOWN || n == c->n;
        choose_sines(c, n);
    }
    for (size_t j = 0; j < c->sample->dim; j++)
        n_negative += c->sign[j] < 0;
    return are_known ? n_negative : 0;
}

static bool has_signs(const int *some, size_t n_some, const int *sign, size_t dim)
{
    bool has = false;
    for (size_t k = 0; k < n_some && !has; k++)
        has = memcmp(some + k * dim, sign, dim * sizeof *sign) == 0;
    return has;
}

sinpos_status id_undo_slow_signs(id_match *undo, const id_view *view, size_t which, bool *is_proposed)
{
    id_sample sample;
    id_layout *layouts = NULL;
    size_t n_layouts = 0, n_signs = 0;
    blocks memory = {0};
    *is_proposed = false;
    *undo = (id_match){0};
    if (view->dim < 6)
        return SINPOS_OK;
    sinpos_status status = id_sample_take(&sample, view);
    status = status == SINPOS_OK ? id_layouts(&sample, false, &layouts, &n_layouts) : status;
    chain c = {.sample = &sample};
    c.full = blocks_take(&memory, sample.n + 1, sizeof *c.full);
    c.next = blocks_take(&memory, sample.n + 1, sizeof *c.next);
    c.off = blocks_take(&memory, sample.n + 1, sizeof *c.off);
    int *some = blocks_take(&memory, (MOST_LAYOUTS + 1) * view->dim, sizeof *some);
    size_t *tone = blocks_take(&memory, view->dim, sizeof *tone);
    status = status == SINPOS_OK ? blocks_status(&memory) : status;
    for (size_t k = 0; k < n_layouts && k < MOST_LAYOUTS && n_signs <= which && status == SINPOS_OK; k++) {
        c.layout = &layouts[k];
        c.sign = some + n_signs * view->dim;
        n_signs += find_slow_signs(&c, tone) > 0 && !has_signs(some, n_signs, c.sign, view->dim);
    }
    *is_proposed = status == SINPOS_OK && n_signs > which;
    status = *is_proposed ? id_undo_make(undo, NULL, view) : status;
    for (size_t j = 0; j < view->dim && *is_proposed && status == SINPOS_OK; j++)
        undo->column[j].factor = some[which * view->dim + j];
    for (size_t k = 0; k < n_layouts; k++)
        id_layout_free(&layouts[k]);
    free(layouts);
    blocks_free(&memory);
    id_sample_free(&sample);
    return status;
}
