/*
 * identify_alone.c - cosines alone, or sines alone, at positions in no order.
 *
 * The slowest columns turn less than half a turn over all rows: their arc cosine is the angle, up to the unit of
 * positions (of sines less than a quarter turn to either side). These positions say nearly where the next faster column
 * is, whose frequency is known or searched for: an element leaves two angles in a turn, and the nearer one is meant. It
 * gives positions that are more exact, and so on to the fastest column. The frequencies must follow a formula, or one that
 * was slowed down or rounded: sums of any frequencies come near to much, and the rows of cosine transforms are such.
 */
#include "identify.h"
#include "owned.h"

/* Rows that frequencies are found from, and the fewest; the fewest columns. */
#define MOST_ROWS 96
#define LEAST_ROWS 8
#define LEAST_COLUMNS 6

/* A column whose elements stay on this side of -1, or of both extremes, turns less than half a turn. */
#define LEAST_LEFT 0.02

/* Part of the amplitude that the largest element has, where that is 1. */
#define NEAR_ONE 0.98

/* The slowest column that angles are read from turns by so many times what an element leaves in doubt. */
#define SURE_ANGLE 6

/* Ratios of neighbouring frequencies: where none is known, and around one that is. */
#define MOST_RATIO 16
#define NEAR_RATIO 0.01
#define KNOWN_RATIO 0.2

/* Radians of the farthest row from one frequency that is tried to the next, and how many of them are refined. */
#define SCAN_STEP 0.3
#define MOST_SCANNED 400000
#define TRIED 4

/* Part of the rows that must be near, in errors; a row in more doubt than this, in radians, says nothing. */
#define LEAST_NEAR 0.9
#define LEAST_TELLING 0.5
#define NEAR_SIGMAS 5
#define CLEAR_SIGMAS 4
#define MOST_DOUBT 0.4

/* Angles of float32 code, relative; and what an element near 0 leaves in doubt at least, in units of the type. */
#define SINGLE_ANGLE 0x1p-23
#define LEAST_ERROR 0.0625

/* Errors of fitted frequencies within which a formula must be, and what float32 rounds of them. */
#define LAW_ERRORS 12
#define LAW_ROUNDING 3e-7

/* Positions that are followed for one row. */
#define MOST_BRANCHES 8

/* What an element adds to the cost of a branch at most: it may be altered. */
#define MOST_COST 100

/* Angles nearer to the extremes are left to the elements themselves. */
#define LEAST_SLOPE 0.2

typedef struct alone {
    size_t m, n, start; /* columns, rows, the column that positions are read from */
    const double **x;   /* (n) elements of a row */
    double amplitude, unit, phase;
    double *theta, *error; /* (m) of the column that positions are read from: 1; relative errors */
    double *p, *sigma;     /* (n) */
    blocks memory;
} alone;

/* --------------------------------------------------------------------------------------------- one element */

id_reading id_read_cosine(double x, double angle, double phase, double unit)
{
    const double c = fmax(-1, fmin(1, x)), arc = acos(c), turned = id_wrap(angle - phase), error = unit * fabs(x);
    const double one = id_wrap(arc - turned), two = id_wrap(-arc - turned);
    const double slope = fmax(sqrt(1 - c * c), sqrt(2 * error) + 0x1p-40);
    const bool is_one = fabs(one) <= fabs(two);
    return (id_reading){is_one ? one : two, is_one ? two : one, (error + 0x1p-52) / slope};
}

static id_reading read_element(const alone *a, size_t row, size_t i, double theta)
{
    const double angle = theta * a->p[row];
    id_reading own = id_read_cosine(a->x[row][i] / a->amplitude, angle, a->phase, a->unit);
    own.sigma = fmax(own.sigma, LEAST_ERROR * a->unit) + SINGLE_ANGLE * fabs(angle);
    return own;
}

/* ------------------------------------------------------------------------------------------- one frequency */

/* How far a column is from the wave of that frequency. */
static double distance(const alone *a, size_t i, double theta)
{
    double sum = 0;
    for (size_t row = 0; row < a->n; row++) {
        const double doubt = theta * a->sigma[row];
        const double off = a->x[row][i] / a->amplitude - cos(theta * a->p[row] - a->phase);
        sum += isnan(off) ? 0 : off * off / (0.04 + doubt * doubt);
    }
    return sum;
}

/* Least squares of angles, those that are far off weighing less. */
static double refine(const alone *a, size_t i, double theta, double *error)
{
    for (int pass = 0; pass < 8; pass++) {
        double up = 0, down = 0;
        for (size_t row = 0; row < a->n; row++) {
            const id_reading own = read_element(a, row, i, theta);
            const double sigma = hypot(own.sigma, theta * a->sigma[row]), z = own.off / (3 * sigma);
            const double weight = 1 / (sigma * sigma * (1 + z * z));
            if (isnan(own.off))
                continue;
            up += weight * a->p[row] * own.off;
            down += weight * a->p[row] * a->p[row];
        }
        theta += down > 0 ? up / down : 0;
        *error = down > 0 ? 1 / (sqrt(down) * fabs(theta)) : INFINITY;
    }
    return theta;
}

/* Do nearly all rows follow, enough of which say something? */
static bool follows(const alone *a, size_t i, double theta)
{
    size_t near = 0, known = 0, telling = 0;
    for (size_t row = 0; row < a->n; row++) {
        const id_reading own = read_element(a, row, i, theta);
        const double sigma = hypot(own.sigma, theta * a->sigma[row]);
        known += !isnan(own.off);
        telling += sigma < MOST_DOUBT;
        near += fabs(own.off) <= NEAR_SIGMAS * sigma + 1e-12;
    }
    return theta > 0 && (double)near >= LEAST_NEAR * (double)known && (double)telling >= LEAST_TELLING * (double)known;
}

/* Frequencies from low to high, the nearest of which are refined; theta stays 0 where none makes the column. */
static bool scan(alone *a, size_t i, double low, double high)
{
    double best[TRIED] = {0}, least[TRIED];
    const double step = SCAN_STEP / id_largest(a->p, a->n);
    const size_t n = (size_t)fmin((high - low) / step, (double)MOST_SCANNED / (double)a->n);
    for (size_t k = 0; k < TRIED; k++)
        least[k] = INFINITY;
    for (size_t k = 0; k <= n; k++) {
        const double theta = low + (double)k * step, own = distance(a, i, theta);
        size_t at = TRIED;
        for (; at > 0 && own < least[at - 1]; at--) {
            if (at < TRIED) {
                least[at] = least[at - 1];
                best[at] = best[at - 1];
            }
        }
        if (at < TRIED) {
            least[at] = own;
            best[at] = theta;
        }
    }
    for (size_t k = 0; k < TRIED; k++) {
        double error;
        const double theta = isfinite(least[k]) ? refine(a, i, best[k], &error) : 0;
        if (theta > 0 && follows(a, i, theta)) {
            a->theta[i] = theta;
            a->error[i] = error;
            return true;
        }
    }
    return false;
}

/* Positions as exactly as the column gives them, where it is clear which angle is meant. */
static void sharpen(alone *a, size_t i)
{
    const double theta = a->theta[i];
    for (size_t row = 0; row < a->n; row++) {
        const id_reading own = read_element(a, row, i, theta);
        const double by_theta = a->error[i] * theta * a->p[row];
        const double before = theta * a->sigma[row], both = hypot(before, hypot(own.sigma, by_theta));
        if (isnan(own.off) || fabs(own.other) < CLEAR_SIGMAS * both || fabs(own.off) > NEAR_SIGMAS * both)
            continue;
        const double share = before * before / (both * both);
        a->p[row] += share * own.off / theta;
        a->sigma[row] = sqrt(1 - share) * before / theta;
    }
}

/* ------------------------------------------------------------------------------------------------ columns */

/* The smallest element of a column of cosines, the size of the largest one of sines; over all rows of the sample. */
static double extreme(const id_sample *sample, size_t i, bool is_sine)
{
    double most = is_sine ? 0 : INFINITY;
    for (size_t row = 0; row < sample->n; row++) {
        const double x = sample->x[row * sample->dim + i];
        most = is_sine ? fmax(most, fabs(x)) : fmin(most, x);
    }
    return most;
}

/* The fastest column that turns, as all slower ones, less than half a turn. False where none does. */
static bool find_start(alone *a, const id_sample *sample)
{
    const bool is_sine = a->phase != 0;
    size_t start = a->m;
    for (; start > 0; start--) {
        const double most = extreme(sample, start - 1, is_sine) / a->amplitude;
        if (is_sine ? most > 1 - LEAST_LEFT : most < LEAST_LEFT - 1)
            break;
    }
    if (start == a->m)
        return false;
    const double most = extreme(sample, start, is_sine) / a->amplitude;
    const double angle = is_sine ? asin(fmin(most, 1)) : acos(fmin(most, 1));
    a->start = start;
    return angle > SURE_ANGLE * (is_sine ? a->unit : sqrt(2 * a->unit));
}

/* The angle of an element that turned less than half a turn. */
static double slow_angle(const alone *a, double x, double *sigma)
{
    const double arc = acos(fmax(-1, fmin(1, x / a->amplitude))), angle = a->phase != 0 ? a->phase - arc : arc;
    *sigma = id_read_cosine(x / a->amplitude, angle, a->phase, a->unit).sigma;
    return angle;
}

/* Roughly the frequency of a column that turns less than half a turn, too: 0 where it shows none. */
static void read_slow(alone *a, size_t i)
{
    double up = 0, down = 0;
    for (size_t row = 0; row < a->n; row++) {
        double sigma;
        const double angle = slow_angle(a, a->x[row][i], &sigma), own = hypot(sigma, a->sigma[row]);
        up += isnan(angle) ? 0 : angle * a->p[row] / (own * own);
        down += isnan(angle) ? 0 : a->p[row] * a->p[row] / (own * own);
    }
    a->theta[i] = up > 0 ? up / down : 0;
    a->error[i] = up > 0 ? sqrt(down) / up : 1;
}

/* Positions from the column that turns nearly half a turn, and from these the frequencies of slower ones. */
static void read_start(alone *a)
{
    a->theta[a->start] = 1;
    a->error[a->start] = 0;
    for (size_t row = 0; row < a->n; row++)
        a->p[row] = slow_angle(a, a->x[row][a->start], &a->sigma[row]);
    for (size_t i = a->start + 1; i < a->m; i++)
        read_slow(a, i);
}

/* All again with the positions that the fastest columns gave: near what was found, or as faster columns go on. */
static void read_again(alone *a)
{
    for (size_t i = 0; i < a->m; i++) {
        const bool goes_on = i > a->start && i >= 2;
        const double next = goes_on ? a->theta[i - 1] * fmin(1, a->theta[i - 1] / a->theta[i - 2]) : a->theta[i];
        const double from = distance(a, i, a->theta[i]) < distance(a, i, next) ? a->theta[i] : next;
        const double theta = refine(a, i, from, &a->error[i]);
        a->theta[i] = theta > 0 && a->error[i] < 1 ? theta : from;
    }
}

/* The next faster column: near the ratio of the two before, or anywhere. */
static bool read_next(alone *a, size_t i)
{
    const double before = a->theta[i + 1];
    const bool has_two = i + 2 < a->m && a->theta[i + 2] > 0;
    const double ratio = has_two ? before / a->theta[i + 2] : 0,
                 error = has_two ? a->error[i + 1] + a->error[i + 2] : 1;
    const double near = fmax(NEAR_RATIO, 4 * error) * ratio;
    if (ratio >= 1 && error < KNOWN_RATIO && scan(a, i, before * fmax(1, ratio - near), before * (ratio + near)))
        return true;
    return scan(a, i, before, MOST_RATIO * before);
}

static bool read_columns(alone *a, const id_sample *sample)
{
    if (!find_start(a, sample))
        return false;
    read_start(a);
    for (size_t i = a->start; i-- > 0;) {
        if (!read_next(a, i))
            return false;
        sharpen(a, i);
    }
    read_again(a);
    return true;
}

/* --------------------------------------------------------------------------------------------------- laws */

/* Frequencies and positions in units of the first frequency. */
static void scale_to_first(alone *a)
{
    const double first = a->theta[0];
    for (size_t i = 0; i < a->m; i++)
        a->theta[i] /= first;
    for (size_t row = 0; row < a->n; row++) {
        a->p[row] *= first;
        a->sigma[row] *= first;
    }
}

/* Is the column as far from that frequency as its error allows? */
static bool is_near(const alone *a, size_t i, double theta)
{
    return !(fabs(log(a->theta[i] / theta)) > LAW_ERRORS * (a->error[i] + a->error[0]) + LAW_ROUNDING);
}

static bool follow_all(const alone *a, const double *theta)
{
    bool all = true;
    for (size_t i = 0; i < a->m && all; i++)
        all = is_near(a, i, theta[i]);
    return all;
}

/* theta_i = exp(-slope i), through all of them. */
static double find_slope(const alone *a)
{
    double up = 0, down = 0;
    for (size_t i = 1; i < a->m; i++) {
        const double k = (double)i, error = a->error[i] + a->error[0] + LAW_ROUNDING, weight = 1 / (error * error);
        up -= a->theta[i] > 0 && isfinite(error) ? weight * k * log(a->theta[i]) : 0;
        down += a->theta[i] > 0 && isfinite(error) ? weight * k * k : 0;
    }
    return up / down;
}

/* Frequencies that a known rule slowed down. */
static bool find_scaled(alone *a, double *theta)
{
    for (size_t k = 0; id_known_scaling(k, a->theta, a->m < 4 ? a->m : 4, theta, a->m); k++)
        if (!isnan(theta[0]) && follow_all(a, theta))
            return true;
    return false;
}

/* A formula that was rounded to few bits, which its errors show. */
static bool find_rounded(const alone *a, double *theta)
{
    id_rounded_law law;
    double reach = 0;
    for (size_t i = 0; i < a->m; i++)
        reach = fmax(reach, LAW_ERRORS * a->error[i] * a->theta[i]);
    id_find_rounded_law(&law, a->theta, a->m, a->m, reach);
    const bool is_found = law.bits > 0 && law.bits < 24 && law.scale == 1;
    for (size_t i = 0; i < a->m && is_found; i++)
        theta[i] = id_rounded_theta(&law, i);
    return is_found && follow_all(a, theta);
}

/* ---------------------------------------------------------------------------------------------------- fits */

/* Angles of all elements that show one. */
static void take_angles(const alone *a, id_problem *problem)
{
    for (size_t row = 0; row < a->n; row++) {
        for (size_t i = 0; i < a->m; i++) {
            const double angle = a->theta[i] * a->p[row], x = fabs(a->x[row][i] / a->amplitude);
            const bool is_clear = x < 1 && sqrt(1 - x * x) >= LEAST_SLOPE;
            problem->angle[row * a->m + i] = is_clear ? id_wrap(angle + read_element(a, row, i, a->theta[i]).off) : NAN;
        }
    }
}

/* Slope and positions from all columns at once. */
static sinpos_status settle_slope(alone *a, id_guess *guess, double *slope_error)
{
    id_problem problem = {0};
    id_solution solution = {.guess = *guess};
    sinpos_status status = id_problem_make(&problem, a->m, a->n);
    status = status != SINPOS_OK ? status : id_solution_make(&solution, &problem);
    double *room = blocks_take(&problem.memory, (a->m + 1) * (a->n + 1), sizeof *room);
    status = room == NULL ? SINPOS_E_MEMORY : status;
    if (status == SINPOS_OK) {
        problem.unit = 2 * a->unit;
        take_angles(a, &problem);
        memcpy(solution.theta, a->theta, a->m * sizeof *a->theta);
        memcpy(solution.p, a->p, a->n * sizeof *a->p);
        solution.residual = id_follow(&problem, solution.theta, solution.p, room);
        id_refine(&solution, &problem, room);
        status = id_sharpen(&solution, &problem);
    }
    if (status == SINPOS_OK) {
        memcpy(a->theta, solution.theta, a->m * sizeof *a->theta);
        memcpy(a->p, solution.p, a->n * sizeof *a->p);
        *guess = solution.guess;
        *slope_error = solution.slope_error;
    }
    blocks_free(&solution.memory);
    blocks_free(&problem.memory);
    return status;
}

/* A law that all columns follow; false where there is none. */
static bool find_law(alone *a, id_guess *guess, double *theta)
{
    scale_to_first(a);
    *guess = (id_guess){.family = ID_GEOMETRIC, .slope = find_slope(a)};
    id_make_theta(guess, theta, a->m);
    bool is_found = guess->slope > 0 && follow_all(a, theta);
    if (!is_found) {
        *guess = (id_guess){.family = ID_FREE};
        is_found = find_scaled(a, theta) || find_rounded(a, theta);
    }
    if (is_found)
        memcpy(a->theta, theta, a->m * sizeof *theta);
    return is_found;
}

static sinpos_status make_alone(alone *a, const id_fit *fit, const id_sample *sample, bool is_sine)
{
    *a = (alone){.m = sample->dim, .n = fit->n_rows, .unit = sample->unit, .phase = is_sine ? TWO_PI / 4 : 0};
    const double most = id_largest(sample->x, sample->n * sample->dim);
    a->amplitude = most >= NEAR_ONE && most <= 1 + 4 * a->unit ? 1 : most;
    a->theta = blocks_take(&a->memory, a->m, sizeof *a->theta);
    a->error = blocks_take(&a->memory, a->m, sizeof *a->error);
    a->p = blocks_take(&a->memory, a->n, sizeof *a->p);
    a->sigma = blocks_take(&a->memory, a->n, sizeof *a->sigma);
    a->x = blocks_take(&a->memory, a->n, sizeof *a->x);
    for (size_t i = 0; i < a->n && !a->memory.has_failed; i++)
        a->x[i] = sample->x + fit->at[i] * sample->dim;
    return blocks_status(&a->memory);
}

/* Rows from the first to the last, and the one in which the slowest column has turned most. */
static sinpos_status choose_rows(id_fit *fit, const id_sample *sample)
{
    const size_t n = sample->n < MOST_ROWS ? sample->n : MOST_ROWS;
    size_t farthest = 0;
    fit->at = calloc(n + 1, sizeof *fit->at);
    fit->theta[0] = malloc((sample->dim + 1) * sizeof *fit->theta[0]);
    fit->p[0] = malloc((n + 1) * sizeof *fit->p[0]);
    if (fit->at == NULL || fit->theta[0] == NULL || fit->p[0] == NULL)
        return SINPOS_E_MEMORY;
    fit->n_rows = n;
    for (size_t i = 0; i < n; i++)
        fit->at[i] = n == 1 ? 0 : i * (sample->n - 1) / (n - 1);
    for (size_t row = 0; row < sample->n; row++) {
        const double own = sample->x[(row + 1) * sample->dim - 1], most = sample->x[(farthest + 1) * sample->dim - 1];
        farthest = own < most ? row : farthest;
    }
    if (n < sample->n)
        fit->at[n / 2] = farthest;
    return SINPOS_OK;
}

static sinpos_status make_layout(id_layout *layout, const alone *a)
{
    *layout = (id_layout){.nest = SINPOS_NEST_PERMUTED,
                          .width = a->m,
                          .n_axes = 1,
                          .n_tones = a->m,
                          .n_frequencies = {a->m},
                          .axis_width = {2 * (double)a->m},
                          .amplitude = a->amplitude};
    const sinpos_status status = id_layout_make(layout, a->m);
    for (size_t i = 0; i < a->m && status == SINPOS_OK; i++) {
        layout->sin_column[i] = a->phase != 0 ? (ptrdiff_t)i : SINPOS_NO_COLUMN;
        layout->cos_column[i] = a->phase != 0 ? SINPOS_NO_COLUMN : (ptrdiff_t)i;
        layout->index[i] = i;
    }
    return status;
}

static void alone_free(alone *a)
{
    blocks_free(&a->memory);
}

sinpos_status id_fit_alone(id_fit *fit, const id_sample *sample, bool is_sine)
{
    RELEASED_BY(alone_free) alone a = {0};
    *fit = (id_fit){.flat = sample->flat};
    if (sample->n < LEAST_ROWS || sample->dim < LEAST_COLUMNS)
        return SINPOS_OK;
    sinpos_status status = choose_rows(fit, sample);
    if (status == SINPOS_OK)
        status = make_alone(&a, fit, sample, is_sine);
    if (status != SINPOS_OK || !read_columns(&a, sample) || !find_law(&a, &fit->guess[0], fit->theta[0]))
        return status;
    status = make_layout(&fit->layout, &a);
    status = status != SINPOS_OK ? status : settle_slope(&a, &fit->guess[0], &fit->slope_error[0]);
    if (status != SINPOS_OK)
        return status;
    memcpy(fit->theta[0], a.theta, a.m * sizeof *a.theta);
    memcpy(fit->p[0], a.p, a.n * sizeof *a.p);
    fit->is_alone = true;
    return id_weigh(fit, sample);
}

/* ----------------------------------------------------------------------------------------------- all rows */

/* A position that a row may have, how far it may be off, and how badly its elements fit. */
typedef struct branch {
    double p, sigma, cost;
} branch;

/* Of branches that are one the cheaper, and of all the cheapest, are kept; cheapest first. */
static void add_branch(branch *list, size_t *n, branch own)
{
    for (size_t k = 0; k < *n; k++) {
        if (fabs(list[k].p - own.p) <= own.sigma) {
            list[k] = own.cost < list[k].cost ? own : list[k];
            return;
        }
    }
    size_t at = (*n)++;
    for (; at > 0 && own.cost < list[at - 1].cost; at--)
        list[at] = list[at - 1];
    list[at] = own;
    *n = *n > MOST_BRANCHES ? MOST_BRANCHES : *n;
}

/* To the angles that the element leaves; cosines do not show the sign of a position. */
static void follow_branch(branch *list, size_t *n, branch from, double theta, id_reading own, double least)
{
    const double before = theta * from.sigma, both = hypot(before, own.sigma), share = before * before / (both * both);
    const double offs[] = {own.off, own.other}, sigma = fmax(before * own.sigma / both / theta, 0x1p-53);
    for (size_t k = 0; k < 2; k++) {
        const double z = offs[k] / both, p = from.p + share * offs[k] / theta;
        if (p >= least - CLEAR_SIGMAS * sigma && (k == 0 || fabs(z) < CLEAR_SIGMAS))
            add_branch(list, n, (branch){p, sigma, from.cost + fmin(z * z, MOST_COST)});
    }
}

/* From the slowest column to the fastest. */
static double read_row(const id_fit *fit, double unit, const double *x, double farthest)
{
    const bool is_sine = fit->layout.sin_column[0] >= 0;
    const double phase = is_sine ? TWO_PI / 4 : 0, least = is_sine ? -INFINITY : 0;
    branch now[MOST_BRANCHES + 1], next[MOST_BRANCHES + 1];
    size_t n = 1, n_next;
    now[0] = is_sine ? (branch){0, farthest, 0} : (branch){farthest / 2, farthest / 2, 0};
    for (size_t i = fit->layout.n_tones; i-- > 0 && n > 0; n = n_next) {
        const double theta = fit->theta[0][i];
        n_next = 0;
        for (size_t k = 0; k < n; k++) {
            const double angle = theta * now[k].p;
            id_reading own = id_read_cosine(x[i] / fit->layout.amplitude, angle, phase, unit);
            own.sigma += SINGLE_ANGLE * fabs(angle);
            if (isnan(own.off) || theta == 0)
                add_branch(next, &n_next, now[k]);
            else
                follow_branch(next, &n_next, now[k], theta, own, least);
        }
        memcpy(now, next, n_next * sizeof *now);
    }
    return n > 0 ? now[0].p : NAN;
}

/* Least squares of the elements. */
static double polish(const id_fit *fit, const double *x, double p)
{
    const bool is_sine = fit->layout.sin_column[0] >= 0;
    for (int pass = 0; pass < 3; pass++) {
        double up = 0, down = 0;
        for (size_t i = 0; i < fit->layout.n_tones; i++) {
            const double theta = fit->theta[0][i], angle = theta * p;
            const double slope = theta * (is_sine ? cos(angle) : -sin(angle));
            const double off = x[i] / fit->layout.amplitude - (is_sine ? sin(angle) : cos(angle));
            up += isnan(off) || fabs(off) > 0.3 ? 0 : slope * off;
            down += isnan(off) || fabs(off) > 0.3 ? 0 : slope * slope;
        }
        p += down > 0 ? up / down : 0;
    }
    return p;
}

void id_alone_positions(const id_fit *fit, double unit, const double *x, size_t n, size_t dim, double *p)
{
    const bool is_sine = fit->layout.sin_column[0] >= 0;
    const double farthest = id_largest(fit->p[0], fit->n_rows);
    for (size_t i = 0; i < n; i++) {
        const double *own = x + i * dim, position = read_row(fit, unit, own, farthest);
        p[i] = polish(fit, own, position);
        p[i] = is_sine ? p[i] : fabs(p[i]);
    }
}
