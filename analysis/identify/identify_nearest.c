/*
 * identify_nearest.c - any frequencies at positions in any order.
 *
 * Of n positions some pairs are so near to each other that slow tones have not turned between them: their differences
 * of angles are multiples of one list, the frequencies. Rows are then put beside their nearest neighbours, one after the
 * other, while the list follows from longer and longer distances; the faster tones follow from the positions.
 */
#include "identify.h"

/* Tones that decide how near two rows are. */
#define MOST_TONES 16
#define LEAST_TONES 3

/* Differences that are looked at, how many of them must agree, and the errors that are allowed. */
#define NEAREST 48
#define LEAST_AGREEING 6
#define ALLOWED_SIGMAS 6

/* The largest angle by which two rows that are near may differ. */
#define FARTHEST 2.5

/* Doubt of an angle at which rows are still given a place, and turns of the slowest tone that are looked at. */
#define MOST_DOUBT 0.3
#define MOST_TURNS 4096

/* Turns of a faster tone between the two nearest rows, and rows from which they must follow. */
#define FEW_TURNS 64
#define LEAST_ROWS 8

/* Angles that are looked at. */
#define MOST_WORK ((size_t)1 << 20)

/* Rounded angles of some hundred radians are off by so many units of elements. */
#define ROUNDED_ANGLES 256
#define MOST_ROUNDED 0x1p-12

/* Part of the rows that must find a place. */
#define MOST_PLACED 0.75

typedef struct rows {
    size_t n, m;
    const double *angle; /* (n, m) */
    double sigma;
    size_t n_tones, tone[MOST_TONES]; /* those that decide */
    double *theta;                    /* (m) NaN where it is not known */
    double *t;                        /* (n) positions, from the first row */
    bool *is_placed;                  /* (n) */
    double doubt;                     /* of frequencies, relative */
    size_t left;                      /* angles that may yet be looked at */
    blocks memory;
} rows;

static double turned(const rows *r, size_t from, size_t to, size_t tone)
{
    return r->angle[to * r->m + tone] - r->angle[from * r->m + tone];
}

/* ---------------------------------------------------------------------------------------------- differences */

/* Angles by which row b differs from row a. The largest; infinite beyond `most`, or where few are known. */
static double difference(const rows *r, size_t a, size_t b, double most, double *d)
{
    double largest = 0;
    size_t known = 0;
    for (size_t k = 0; k < r->n_tones; k++) {
        d[k] = id_wrap(turned(r, a, b, r->tone[k]));
        known += !isnan(d[k]);
        largest = isnan(d[k]) ? largest : fmax(largest, fabs(d[k]));
        if (largest > most)
            return INFINITY;
    }
    return 2 * known >= r->n_tones && known >= LEAST_TONES ? largest : INFINITY;
}

typedef struct nearest {
    size_t n;
    double size[NEAREST], d[NEAREST][MOST_TONES];
} nearest;

/* Of all pairs of rows, equal ones aside. */
static void find_nearest(nearest *list, const rows *r)
{
    double d[MOST_TONES];
    list->n = 0;
    for (size_t a = 0; a < r->n; a++) {
        for (size_t b = a + 1; b < r->n; b++) {
            const double size = difference(r, a, b, list->n < NEAREST ? FARTHEST : list->size[NEAREST - 1], d);
            if (!(size > 4 * ALLOWED_SIGMAS * r->sigma) || isinf(size))
                continue;
            size_t at = list->n < NEAREST ? list->n++ : NEAREST - 1;
            for (; at > 0 && list->size[at - 1] > size; at--) {
                list->size[at] = list->size[at - 1];
                memcpy(list->d[at], list->d[at - 1], sizeof d);
            }
            list->size[at] = size;
            memcpy(list->d[at], d, sizeof d);
        }
    }
}

/* The multiple of u that is nearest to d; NaN where d is none. */
static double multiple(const rows *r, const double *d, const double *u)
{
    double up = 0, down = 0;
    for (size_t k = 0; k < r->n_tones; k++) {
        const bool is_known = !isnan(d[k]) && !isnan(u[k]);
        up += is_known ? d[k] * u[k] : 0;
        down += is_known ? u[k] * u[k] : 0;
    }
    const double t = up / down, allowed = 2 * ALLOWED_SIGMAS * r->sigma * (1 + fabs(t));
    for (size_t k = 0; k < r->n_tones; k++)
        if (fabs(d[k] - t * u[k]) > allowed)
            return NAN;
    return t;
}

/* The difference of which most others are multiples; of equal ones the nearest. Their mean are the frequencies. */
static bool find_direction(rows *r, const nearest *list)
{
    size_t most = 0, best = 0;
    for (size_t i = 0; i < list->n; i++) {
        size_t n = 0;
        for (size_t k = 0; k < list->n; k++)
            n += !isnan(multiple(r, list->d[k], list->d[i]));
        best = n > most ? i : best;
        most = n > most ? n : most;
    }
    double u[MOST_TONES], up[MOST_TONES], down[MOST_TONES];
    memcpy(u, list->d[best], sizeof u);
    for (int pass = 0; pass < 3 && most >= LEAST_AGREEING; pass++) {
        memset(up, 0, sizeof up);
        memset(down, 0, sizeof down);
        for (size_t i = 0; i < list->n; i++) {
            const double t = multiple(r, list->d[i], u);
            for (size_t k = 0; k < r->n_tones; k++) {
                const bool is_known = !isnan(t) && !isnan(list->d[i][k]);
                up[k] += is_known ? t * list->d[i][k] : 0;
                down[k] += is_known ? t * t : 0;
            }
        }
        for (size_t k = 0; k < r->n_tones; k++)
            u[k] = up[k] / down[k];
    }
    double square = 0;
    for (size_t k = 0; k < r->n_tones; k++) {
        r->theta[r->tone[k]] = u[k];
        square = fmax(square, u[k] * u[k] * down[k]);
        if (!isfinite(u[k]))
            return false;
    }
    r->doubt = 2 * ALLOWED_SIGMAS * r->sigma / sqrt(square);
    return most >= LEAST_AGREEING;
}

/* --------------------------------------------------------------------------------------------------- places */

/* A frequency by least squares, from the rows that have a place, and the angle that it has at the first row. */
static double fit_tone(const rows *r, size_t tone, double theta, double *offset)
{
    double n = 0, x = 0, y = 0, xx = 0, xy = 0;
    for (size_t i = 0; i < r->n; i++) {
        const double angle = r->angle[i * r->m + tone], t = r->t[i];
        if (!r->is_placed[i] || isnan(angle))
            continue;
        const double full = theta * t + *offset + id_wrap(angle - *offset - theta * t);
        n++;
        x += t;
        y += full;
        xx += t * t;
        xy += t * full;
    }
    const double down = n * xx - x * x;
    if (!(n > 2 && down > 0))
        return theta;
    const double slope = (n * xy - x * y) / down;
    *offset = (y - slope * x) / n;
    return slope;
}

/* Frequencies and positions in turn, each from the other. */
static void refine(rows *r)
{
    for (size_t j = 0; j < r->m; j++) {
        double offset = r->angle[j];
        if (isnan(r->theta[j]) || isnan(offset))
            continue;
        r->theta[j] = fit_tone(r, j, r->theta[j], &offset);
    }
    for (size_t i = 1; i < r->n; i++) {
        double up = 0, down = 0;
        for (size_t j = 0; j < r->m && r->is_placed[i]; j++) {
            const double off = id_wrap(turned(r, 0, i, j) - r->theta[j] * r->t[i]);
            if (fabs(off) < 0.5) {
                up += r->theta[j] * off;
                down += r->theta[j] * r->theta[j];
            }
        }
        r->t[i] += down > 0 ? up / down : 0;
    }
}

/* The tones that decide, from slow to fast. */
static void order_tones(rows *r)
{
    for (size_t k = 1; k < r->n_tones; k++) {
        const size_t tone = r->tone[k];
        size_t at = k;
        for (; at > 0 && fabs(r->theta[r->tone[at - 1]]) > fabs(r->theta[tone]); at--)
            r->tone[at] = r->tone[at - 1];
        r->tone[at] = tone;
    }
}

/* Does the row lie at t, roughly? Each tone says it more exactly than the slower ones. */
static bool is_at(rows *r, size_t row, double *t)
{
    double error = INFINITY;
    size_t far = 0, known = 0;
    for (size_t k = 0; k < r->n_tones; k++) {
        const double theta = r->theta[r->tone[k]], off = id_wrap(turned(r, 0, row, r->tone[k]) - theta * *t);
        const double own = 2 * ALLOWED_SIGMAS * r->sigma + r->doubt * fabs(theta * *t);
        if (isnan(off))
            continue;
        r->left -= r->left > 0;
        const bool is_near = isinf(error) || fabs(off) <= own + fabs(theta) * error;
        known++;
        far += !is_near;
        if (8 * far > r->n_tones)
            return false;
        if (is_near && own / fabs(theta) < error && own < 0.5) {
            *t += off / theta;
            error = own / fabs(theta);
        }
    }
    return known >= LEAST_TONES;
}

/* A place within `most` of the first row, the nearest one. */
static bool place_row(rows *r, size_t row, double most)
{
    const double slowest = r->theta[r->tone[0]], angle = id_wrap(turned(r, 0, row, r->tone[0]));
    const double turns = fmin(most * fabs(slowest) / TWO_PI, MOST_TURNS);
    for (int i = 0; i <= 2 * turns + 2 && !isnan(angle) && r->left > 0; i++) {
        double t = (angle + TWO_PI * (i % 2 == 0 ? i / 2 : -(i + 1) / 2)) / slowest;
        if (is_at(r, row, &t)) {
            r->t[row] = t;
            return true;
        }
    }
    return false;
}

/* Rows at distances at which frequencies are known well enough; these make them known better. How many have a place. */
static size_t place_rows(rows *r)
{
    size_t n = 1, before = 0;
    for (size_t i = 0; i < r->n; i++) {
        r->is_placed[i] = i == 0;
        r->t[i] = 0;
    }
    order_tones(r);
    while (n > before && n < r->n) {
        const double fastest = fabs(r->theta[r->tone[r->n_tones - 1]]), most = MOST_DOUBT / (r->doubt * fastest);
        before = n;
        double farthest = 0;
        for (size_t i = 1; i < r->n; i++) {
            r->is_placed[i] = r->is_placed[i] || place_row(r, i, most);
            farthest = fmax(farthest, r->is_placed[i] ? fabs(r->t[i]) : 0);
        }
        n = 0;
        for (size_t i = 0; i < r->n; i++)
            n += r->is_placed[i];
        refine(r);
        r->doubt = fmin(r->doubt, 2 * ALLOWED_SIGMAS * r->sigma / (farthest * fastest));
    }
    return n;
}

/* ---------------------------------------------------------------------------------------------- other tones */

/* Does a frequency make this tone, from the nearest rows to those far apart? It becomes more exact on the way. */
static bool follow_tone(rows *r, size_t tone, const size_t *pair, size_t n_pairs, double *theta)
{
    double error = INFINITY;
    size_t n = 0;
    for (size_t i = 0; i < n_pairs; i++) {
        const double t = r->t[pair[2 * i + 1]] - r->t[pair[2 * i]],
                     angle = turned(r, pair[2 * i], pair[2 * i + 1], tone);
        const double off = id_wrap(angle - *theta * t), own = ALLOWED_SIGMAS * 2 * r->sigma;
        r->left -= r->left > 0;
        if (isnan(off))
            continue;
        if (isfinite(error) && fabs(off) > fmin(1, 2 * own + error * fabs(t)))
            return false;
        *theta += off / t;
        error = own / fabs(t);
        n++;
    }
    return n >= LEAST_ROWS;
}

/* Pairs of rows, each a third farther apart than the one before, or more. */
static size_t list_pairs(const rows *r, size_t *pair, size_t most)
{
    size_t n = 0;
    double least = 8 * ALLOWED_SIGMAS * r->sigma / fabs(r->theta[r->tone[r->n_tones - 1]]); /* apart at all */
    for (; n < most; n++) {
        double best = INFINITY;
        for (size_t a = 0; a < r->n; a++) {
            for (size_t b = 0; b < a && r->is_placed[a]; b++) {
                const double t = fabs(r->t[a] - r->t[b]);
                if (r->is_placed[b] && t > least && t < best) {
                    best = t;
                    pair[2 * n] = b;
                    pair[2 * n + 1] = a;
                }
            }
        }
        if (isinf(best))
            break;
        least = best * 4 / 3;
    }
    return n;
}

static bool find_tone(rows *r, size_t tone, const size_t *pair, size_t n_pairs)
{
    const double t = r->t[pair[1]] - r->t[pair[0]], angle = turned(r, pair[0], pair[1], tone);
    for (int i = 0; i <= 2 * FEW_TURNS && r->left > 0; i++) {
        double theta = (id_wrap(angle) + TWO_PI * (i % 2 == 0 ? i / 2 : -(i + 1) / 2)) / t;
        if (follow_tone(r, tone, pair, n_pairs, &theta)) {
            r->theta[tone] = theta;
            return true;
        }
    }
    return false;
}

/* Positions by a tone that is faster than all before. */
static void sharpen(rows *r, size_t tone)
{
    double slower = 0;
    for (size_t j = 0; j < r->m; j++)
        slower = j != tone && !isnan(r->theta[j]) ? fmax(slower, fabs(r->theta[j])) : slower;
    for (size_t i = 1; i < r->n && fabs(r->theta[tone]) > slower; i++) {
        const double off = id_wrap(turned(r, 0, i, tone) - r->theta[tone] * r->t[i]);
        r->t[i] += r->is_placed[i] && fabs(off) < 0.5 ? off / r->theta[tone] : 0;
    }
}

/* Outwards from those that decided, each more exact than the one before. */
static bool find_tones(rows *r)
{
    enum { MOST_PAIRS = 64 };
    size_t pair[2 * MOST_PAIRS];
    const size_t n = list_pairs(r, pair, MOST_PAIRS), begin = r->tone[0];
    for (size_t i = 0; i < r->m && n > 0; i++) {
        const size_t j = begin + i < r->m ? begin + i : r->m - 1 - i;
        if (!isnan(r->theta[j]))
            continue;
        if (!find_tone(r, j, pair, n))
            return false;
        sharpen(r, j);
    }
    refine(r);
    return n > 0;
}

/* -------------------------------------------------------------------------------------------------- windows */

/* Tones first .. first + n - 1 decide, or some of them. */
static bool try_window(rows *r, nearest *list, size_t first, size_t n)
{
    r->n_tones = n < MOST_TONES ? n : MOST_TONES;
    for (size_t k = 0; k < r->n_tones; k++)
        r->tone[k] = first + k * n / r->n_tones;
    for (size_t j = 0; j < r->m; j++)
        r->theta[j] = NAN;
    const size_t work = 2 * r->n * r->n;
    if (r->left < work)
        return false;
    r->left -= work;
    find_nearest(list, r);
    return find_direction(r, list) && (double)place_rows(r) >= MOST_PLACED * (double)r->n && find_tones(r);
}

static sinpos_status allocate(rows *r, size_t n, size_t m)
{
    r->theta = blocks_take(&r->memory, m, sizeof *r->theta);
    r->t = blocks_take(&r->memory, n, sizeof *r->t);
    r->is_placed = blocks_take(&r->memory, n, sizeof *r->is_placed);
    return blocks_status(&r->memory);
}

/* All tones, then those at either end, where one turns slowly. */
static bool try_windows(rows *r, nearest *list)
{
    for (size_t n = r->m; n >= LEAST_TONES; n /= 2)
        if (try_window(r, list, 0, n) || (n < r->m && try_window(r, list, r->m - n, n)))
            return true;
    return false;
}

sinpos_status id_solve_nearest(double *theta, const id_problem *problem, bool *is_found)
{
    const size_t most = problem->left == NULL || *problem->left > MOST_WORK ? MOST_WORK : *problem->left;
    rows r = {.n = problem->n, .m = problem->m, .angle = problem->angle, .sigma = problem->unit, .left = most / 2};
    nearest *list = malloc(sizeof *list);
    sinpos_status status = allocate(&r, r.n, r.m);
    status = list == NULL ? SINPOS_E_MEMORY : status;
    *is_found = false;
    if (status == SINPOS_OK && r.n > LEAST_ROWS && !(problem->noise > 0)) {
        *is_found = try_windows(&r, list);
        if (!*is_found && ROUNDED_ANGLES * r.sigma < MOST_ROUNDED) {
            r.sigma *= ROUNDED_ANGLES;
            r.left += most / 2;
            *is_found = try_windows(&r, list);
        }
    }
    if (*is_found) { /* the first is 1; as most are positive */
        const double first = r.theta[0] != 0 ? r.theta[0] : 1;
        for (size_t j = 0; j < r.m; j++)
            theta[j] = r.theta[j] / first;
    }
    if (problem->left != NULL)
        *problem->left -= most - r.left;
    free(list);
    blocks_free(&r.memory);
    return status;
}
