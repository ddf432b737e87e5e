/*
 * identify_tones.c - frequencies one by one, from known positions: those that do not follow the schedule, and that of a
 * column whose partner an odd width cuts off.
 */
#include "identify.h"

/* A frequency that is so far off is not the one of the schedule; one that is so near is found. */
#define FOUND_SIGMAS (ID_BAD_SIGMAS / 4)

/* ------------------------------------------------------------------------------------------------- pairs */

/* How far a frequency is off, in the middle of the rows, in sigmas. */
static double tone_residual(const id_problem *problem, const double *p, size_t tone, double theta, double *room)
{
    size_t n = 0;
    for (size_t row = 0; row < problem->n; row++) {
        const double angle = problem->angle[row * problem->m + tone], full = theta * p[row];
        if (!isnan(angle))
            room[n++] = fabs(id_wrap(angle - full)) / id_sigma(problem, angle, full);
    }
    return n == 0 ? 0 : id_select(room, n, (3 * n - 1) / 4);
}

/* A frequency from known positions: from near rows roughly, from far ones more and more exactly. */
static double tone_theta(const id_problem *problem, const double *p, size_t tone)
{
    double theta = NAN, done = 0;
    for (;;) {
        size_t next = problem->n;
        for (size_t row = 0; row < problem->n; row++) {
            const bool is_farther = fabs(p[row]) > done && !isnan(problem->angle[row * problem->m + tone]);
            next = is_farther && (next == problem->n || fabs(p[row]) < fabs(p[next])) ? row : next;
        }
        if (next == problem->n)
            return theta;
        const double angle = problem->angle[next * problem->m + tone];
        theta = isnan(theta) ? angle / p[next] : theta + id_wrap(angle - theta * p[next]) / p[next];
        done = fabs(p[next]);
    }
}

/* Scaled rotary tables follow a formula for some of their frequencies only. */
static void free_tones(id_fit *fit, const id_problem *problem, double *room)
{
    const double *p = fit->p[0];
    for (size_t i = 0; i < problem->m && fit->n_rows > 3; i++) {
        if (!(tone_residual(problem, p, i, fit->theta[0][i], room) >= ID_BAD_SIGMAS))
            continue;
        const double last = fit->theta[0][i > 0 ? i - 1 : 0];
        const bool is_still = tone_residual(problem, p, i, 0, room) < 1;
        const double theta = is_still ? 0 : tone_theta(problem, p, i);
        const double next = last * exp(-fit->guess[0].slope); /* as slow as the tone before, by the formula */
        const bool is_next =
            fit->guess[0].family == ID_GEOMETRIC && i > 0 && tone_residual(problem, p, i, next, room) < FOUND_SIGMAS;
        if (is_still || tone_residual(problem, p, i, theta, room) < FOUND_SIGMAS) {
            fit->theta[0][i] = theta;
            fit->n_free[0]++;
            fit->n_cheap[0] += is_still || is_next;
        }
    }
}

/* ---------------------------------------------------------------------------------------- single columns */

/* A sine or a cosine without its partner, per amplitude, in rows from near to far. */
typedef struct lone {
    bool is_sine;
    size_t n;
    double *p, *x; /* (n) */
    double sigma;
} lone;

static double wave_at(const lone *l, double angle)
{
    return l->is_sine ? sin(angle) : cos(angle);
}

static double lone_residual(const lone *l, double theta, double *room)
{
    for (size_t i = 0; i < l->n; i++)
        room[i] = fabs(l->x[i] - wave_at(l, theta * l->p[i])) / (l->sigma + 0x1p-50 * fabs(theta * l->p[i]));
    return l->n == 0 ? 0 : id_select(room, l->n, (3 * l->n - 1) / 4);
}

/* Least squares over the first rows, over more of them each time. */
static double lone_refine(const lone *l, double theta)
{
    for (size_t n = 1; n <= l->n + 2; n++) {
        double up = 0, down = 0;
        for (size_t i = 0; i < n && i < l->n; i++) {
            const double angle = theta * l->p[i], slope = l->p[i] * (l->is_sine ? cos(angle) : -sin(angle));
            up += slope * (l->x[i] - wave_at(l, angle));
            down += slope * slope;
        }
        const double change = down > 0 ? up / down : 0;
        theta += fabs(change) < 0.5 * fabs(theta) ? change : 0;
    }
    return theta;
}

static void lone_try(const lone *l, double theta, double *best, double *least, double *room)
{
    const double refined[] = {theta, lone_refine(l, theta)};
    for (size_t i = 0; i < 2; i++) {
        const double residual = lone_residual(l, refined[i], room);
        if (isfinite(refined[i]) && residual < *least) {
            *least = residual;
            *best = refined[i];
        }
    }
}

/* From rows in even steps: x(p - h) + x(p + h) = 2 cos(theta h) x(p). */
static double lone_recurrence(const lone *l)
{
    double up = 0, down = 0, step = 0;
    for (size_t i = 1; i + 1 < l->n; i++) {
        const double before = l->p[i] - l->p[i - 1], after = l->p[i + 1] - l->p[i];
        step = step == 0 ? after : step;
        if (fabs(before - after) + fabs(after - step) <= 1e-6 * fabs(step)) {
            up += l->x[i] * (l->x[i - 1] + l->x[i + 1]);
            down += 2 * l->x[i] * l->x[i];
        }
    }
    return step != 0 && fabs(up) < down ? acos(up / down) / step : NAN;
}

/* What the frequencies before would go on with, what rows in even steps give, and what each row gives by itself. */
static double lone_theta(const lone *l, const double *theta, size_t i, double *least, double *room)
{
    const double one = i > 0 ? theta[i - 1] : 1, two = i > 1 ? theta[i - 2] : one, usual = lone_recurrence(l);
    double best = 0;
    *least = lone_residual(l, 0, room);
    lone_try(l, one + (one - two), &best, least, room);
    lone_try(l, two != 0 ? one * one / two : one, &best, least, room);
    lone_try(l, copysign(usual, one), &best, least, room);
    lone_try(l, -copysign(usual, one), &best, least, room);
    for (size_t k = 0; k < l->n && *least >= 1; k++) {
        const double x = fmax(-1, fmin(1, l->x[k])), angle = l->is_sine ? asin(x) : copysign(acos(x), one * l->p[k]);
        if (l->p[k] != 0) {
            lone_try(l, angle / l->p[k], &best, least, room);
            lone_try(l, (copysign(TWO_PI / 2, x) - angle) / l->p[k], &best, least, room);
        }
    }
    return best;
}

static void lone_rows(lone *l, const id_fit *fit, const id_sample *sample, size_t tone)
{
    const id_layout *layout = &fit->layout;
    const ptrdiff_t column = layout->sin_column[tone] >= 0 ? layout->sin_column[tone] : layout->cos_column[tone];
    l->is_sine = layout->sin_column[tone] >= 0;
    l->n = 0;
    for (size_t i = 0; i < fit->n_rows; i++) {
        const double x = sample->x[fit->at[i] * sample->dim + (size_t)column] / layout->amplitude, p = fit->p[0][i];
        if (isnan(x))
            continue;
        size_t at = l->n++;
        for (; at > 0 && fabs(l->p[at - 1]) > fabs(p); at--) {
            l->p[at] = l->p[at - 1];
            l->x[at] = l->x[at - 1];
        }
        l->p[at] = p;
        l->x[at] = x;
    }
}

/* Is this tone a single column, of a frequency that no pair gives? */
static bool is_lone(const id_layout *layout, const id_problem *problem, size_t tone)
{
    bool is = (layout->sin_column[tone] >= 0) != (layout->cos_column[tone] >= 0);
    for (size_t row = 0; row < problem->n && is; row++)
        is = isnan(problem->angle[row * problem->m + layout->index[tone]]);
    return is;
}

/* Positions from one pair are known up to whole turns; rows in even steps have them on a line. */
static void unroll(id_fit *fit, const id_sample *sample, double *room)
{
    const double turn = TWO_PI / fabs(fit->theta[0][0]);
    double start, step;
    if (!id_has_one_pair(&fit->layout) || !fit->is_steady || !isfinite(turn))
        return;
    id_find_line(fit, sample->row, turn, room, &start, &step);
    for (size_t i = 0; i < fit->n_rows; i++) {
        double *p = &fit->p[0][i];
        *p += turn * nearbyint((start + step * (double)sample->row[fit->at[i]] - *p) / turn);
    }
}

/* Frequencies that no pair gives. */
static void lone_tones(id_fit *fit, const id_sample *sample, const id_problem *problem, lone *l, double *room)
{
    const id_layout *layout = &fit->layout;
    l->sigma = problem->unit + problem->noise;
    for (size_t k = 0; k < layout->n_tones; k++) {
        const size_t i = layout->index[k];
        if (!is_lone(layout, problem, k))
            continue;
        unroll(fit, sample, room);
        lone_rows(l, fit, sample, k);
        double least;
        const bool has_none = fit->guess[0].family == ID_FREE;
        const double formula = has_none ? INFINITY : lone_residual(l, fit->theta[0][i], room);
        const double theta = formula < ID_BAD_SIGMAS ? 0 : lone_theta(l, fit->theta[0], i, &least, room);
        if (has_none || (formula >= ID_BAD_SIGMAS && least < FOUND_SIGMAS && fit->n_rows > 3)) {
            fit->theta[0][i] = theta;
            fit->n_free[0] += !has_none;
        }
    }
}

/* A formula that two frequencies follow, and no other one, is none. */
static void forget_formula(id_fit *fit)
{
    if (fit->n_free[0] > 0 && fit->n_cheap[0] == 0 && fit->layout.n_frequencies[0] - fit->n_free[0] <= 2) {
        fit->guess[0] = (id_guess){.family = ID_FREE};
        fit->n_free[0] = 0;
    }
}

sinpos_status id_fit_tones(id_fit *fit, const id_sample *sample)
{
    id_problem problem = {0};
    double *room = malloc((fit->n_rows + 1) * 3 * sizeof *room);
    sinpos_status status = id_fit_problem(&problem, fit, sample, 0, 1);
    status = room == NULL ? SINPOS_E_MEMORY : status;
    if (status == SINPOS_OK) {
        lone l = {.p = room + fit->n_rows + 1, .x = room + 2 * (fit->n_rows + 1)};
        free_tones(fit, &problem, room);
        lone_tones(fit, sample, &problem, &l, room);
        forget_formula(fit);
    }
    free(room);
    blocks_free(&problem.memory);
    return status;
}
