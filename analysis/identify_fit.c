/* identify_fit.c - one layout: its angles, its frequencies and positions, and how much speaks for it. */
#include "identify.h"

/* Rows that frequencies are found from: some at the beginning, one after the other, and some spread over the sample. */
#define NEAR_ROWS 12
#define SPREAD_ROWS 12

/* Frequencies that positions of many rows are read from. */
#define CLOCK_TONES 48

/* A frequency that is so far off is not the one of the schedule. */
#define BAD_SIGMAS 100

/* Steps that a schedule explains so badly have none. */
#define STEP_SIGMAS 3000

/* Least number of fast tones that may tell the formula, and how well they must fit. */
#define LEAST_PART 4
#define PART_SIGMAS 10

/* Frequencies that were found one by one must fit so well. */
#define EVEN_SIGMAS 100

void id_fit_free(id_fit *fit)
{
    id_layout_free(&fit->layout);
    free(fit->at);
    for (size_t a = 0; a < ID_MOST_AXES; a++) {
        free(fit->theta[a]);
        free(fit->p[a]);
    }
    *fit = (id_fit){0};
}

/* ------------------------------------------------------------------------------------------------ angles */

/* For each frequency of an axis a tone that has both columns; n_tones where there is none. */
static void whole_tones(const id_layout *layout, size_t axis, size_t *tone)
{
    for (size_t i = 0; i < layout->n_frequencies[axis]; i++) {
        tone[i] = layout->n_tones;
    }
    for (size_t k = layout->n_tones; k-- > 0;) {
        if (layout->axis[k] == axis && layout->sin_column[k] >= 0 && layout->cos_column[k] >= 0) {
            tone[layout->index[k]] = k;
        }
    }
}

static void row_angles(const id_layout *layout, const size_t *tone, size_t m, const double *x, double *angle)
{
    for (size_t i = 0; i < m; i++) {
        const size_t k = tone[i];
        const bool is_whole = k < layout->n_tones;
        const double s = is_whole ? x[layout->sin_column[k]] : NAN, c = is_whole ? x[layout->cos_column[k]] : NAN;
        angle[i] = isfinite(s) && isfinite(c) ? atan2(s, c) : NAN;
    }
}

/* Angles of the axes first .. last - 1, which have one schedule, one axis after the other. */
static sinpos_status make_problem(id_problem *problem, const id_fit *fit, const id_sample *sample, size_t first,
                                  size_t last)
{
    const size_t m = fit->layout.n_frequencies[first];
    size_t *tone = calloc(m + 1, sizeof *tone);
    sinpos_status status = id_problem_make(problem, m, fit->n_rows * (last - first));
    problem->unit = sample->unit;
    problem->noise = fit->noise;
    status = tone == NULL ? SINPOS_E_MEMORY : status;
    for (size_t a = first; a < last && status == SINPOS_OK; a++) {
        whole_tones(&fit->layout, a, tone);
        for (size_t i = 0; i < fit->n_rows; i++) {
            row_angles(&fit->layout, tone, m, sample->x + fit->at[i] * sample->dim,
                       problem->angle + ((a - first) * fit->n_rows + i) * m);
        }
    }
    free(tone);
    return status;
}

/* A row that equals one that is chosen tells nothing new. */
static void choose_row(id_fit *fit, const id_sample *sample, size_t at)
{
    const size_t bytes = sample->dim * sizeof *sample->x;
    for (size_t i = 0; i < fit->n_rows; i++) {
        if (memcmp(sample->x + fit->at[i] * sample->dim, sample->x + at * sample->dim, bytes) == 0) {
            return;
        }
    }
    fit->at[fit->n_rows++] = at;
}

static sinpos_status choose_rows(id_fit *fit, const id_sample *sample)
{
    const size_t most = NEAR_ROWS + SPREAD_ROWS;
    const size_t near = sample->n <= most ? sample->n : NEAR_ROWS, spread = sample->n <= most ? 0 : SPREAD_ROWS;
    fit->at = calloc(near + spread + 1, sizeof *fit->at);
    if (fit->at == NULL) {
        return SINPOS_E_MEMORY;
    }
    for (size_t i = 0; i < near; i++) {
        choose_row(fit, sample, i);
    }
    for (size_t i = 0; i < spread; i++) {
        choose_row(fit, sample, near + (i + 1) * (sample->n - 1 - near) / spread);
    }
    return SINPOS_OK;
}

/* ----------------------------------------------------------------------------------------------- solving */

/* Frequencies one by one, where rows are steady and no formula fits. */
static sinpos_status solve_freely(id_solution *solution, const id_problem *problem, const id_problem *steps)
{
    double *room = malloc(((problem->m + 1) * (problem->n + 1) + 1) * sizeof *room);
    if (room == NULL) {
        return SINPOS_E_MEMORY;
    }
    solution->guess = (id_guess){ID_FREE, 0};
    memcpy(solution->theta, steps->angle, problem->m * sizeof *room);
    solution->residual = id_positions(problem, solution->theta, ID_MOST_TURNS / 16, solution->p, room);
    free(room);
    return SINPOS_OK;
}

/*
 * Do rows that follow each other have positions in equal steps, but for whole turns of the slowest tone? Where angles
 * step evenly and positions do not, a few frequencies were met by chance, with positions found one by one.
 */
static bool is_even(const id_solution *solution, const id_problem *problem, const size_t *row, double *room)
{
    double slowest = INFINITY, fastest = 0;
    for (size_t i = 0; i < problem->m; i++) {
        slowest = solution->theta[i] != 0 ? fmin(slowest, fabs(solution->theta[i])) : slowest;
        fastest = fmax(fastest, fabs(solution->theta[i]));
    }
    const double turn = ID_TWO_PI / slowest;
    size_t n = 0, even = 0;
    for (size_t i = 0; i + 1 < problem->n; i++) {
        if (row[i + 1] == row[i] + 1) {
            room[n++] = solution->p[i + 1] - solution->p[i];
        }
    }
    const double step = id_median(room, n);
    for (size_t i = 0; i < n; i++) {
        const double off = room[i] - step;
        even += fabs(off - turn * nearbyint(off / turn)) * fastest < 1;
    }
    return 4 * even >= 3 * n;
}

/* Frequencies one by one, if they fit with even positions where those of the formula are not even. */
static sinpos_status prefer_even(id_solution *solution, const id_problem *problem, const id_problem *steps,
                                 const size_t *row, bool *is_steady)
{
    id_solution other = {0};
    double *room = malloc((problem->n + 1) * sizeof *room);
    other.theta = malloc((problem->m + 1) * sizeof *other.theta);
    other.p = malloc((problem->n + 1) * sizeof *other.p);
    sinpos_status status = room == NULL || other.theta == NULL || other.p == NULL ? SINPOS_E_MEMORY : SINPOS_OK;
    if (status == SINPOS_OK && !is_even(solution, problem, row, room)) {
        status = solve_freely(&other, problem, steps);
        *is_steady = status == SINPOS_OK && other.residual < EVEN_SIGMAS && is_even(&other, problem, row, room);
        if (*is_steady) {
            const id_solution swap = *solution;
            *solution = other;
            other = swap;
        }
    }
    free(room);
    id_solution_free(&other);
    return status;
}

/* The fast tones alone, of which the first are `part`; false where they do not fit. */
static sinpos_status solve_part(id_solution *solution, const id_problem *problem, size_t part, bool *is_found)
{
    id_problem few = {0};
    id_solution own = {0};
    sinpos_status status = id_problem_make(&few, part, problem->n);
    for (size_t i = 0; i < part * problem->n && status == SINPOS_OK; i++) {
        few.angle[i] = problem->angle[i / part * problem->m + i % part];
    }
    few.m_all = problem->m;
    few.unit = problem->unit;
    few.noise = problem->noise;
    status = status != SINPOS_OK ? status : id_solve(&own, &few, NULL);
    *is_found =
        status == SINPOS_OK && own.residual < PART_SIGMAS && own.guess.family == ID_GEOMETRIC && own.guess.slope > 0;
    if (*is_found) {
        solution->guess = own.guess;
        solution->slope_error = own.slope_error;
        solution->residual = own.residual;
        memcpy(solution->p, own.p, problem->n * sizeof *own.p);
        for (size_t i = 0; i < problem->m; i++) {
            solution->theta[i] = exp(-own.guess.slope * (double)i);
        }
    }
    id_problem_free(&few);
    id_solution_free(&own);
    return status;
}

/* Of scaled rotary tables only the fast tones follow the formula. */
static sinpos_status solve_fast_tones(id_solution *solution, const id_problem *problem, bool *is_found)
{
    sinpos_status status = SINPOS_OK;
    *is_found = false;
    for (size_t part = problem->m / 2; part >= LEAST_PART && status == SINPOS_OK && !*is_found; part /= 2) {
        status = solve_part(solution, problem, part, is_found);
    }
    return status;
}

static sinpos_status solve(id_solution *solution, const id_problem *problem, const size_t *row, bool may_be_steady,
                           bool may_be_partly, bool *is_steady)
{
    id_problem steps = {0};
    id_solution of_steps = {0};
    sinpos_status status = may_be_steady ? id_steps(&steps, problem, row) : SINPOS_OK;
    *is_steady = status == SINPOS_OK && may_be_steady && steps.n == 1;
    if (*is_steady) {
        status = id_solve(&of_steps, &steps, NULL);
    }
    if (status == SINPOS_OK) {
        status = id_solve(solution, problem,
                          *is_steady && problem->m > 1 && of_steps.residual < STEP_SIGMAS ? &of_steps.guess : NULL);
    }
    bool is_found = false;
    if (status == SINPOS_OK && may_be_partly && solution->residual > BAD_SIGMAS) {
        status = solve_fast_tones(solution, problem, &is_found);
    }
    if (status == SINPOS_OK && *is_steady && solution->residual > 1000) {
        status = solve_freely(solution, problem, &steps);
    } else if (status == SINPOS_OK && *is_steady && problem->m > 1) {
        status = prefer_even(solution, problem, &steps, row, is_steady);
    }
    id_problem_free(&steps);
    id_solution_free(&of_steps);
    return status;
}

static sinpos_status keep(id_fit *fit, const id_solution *solution, size_t first, size_t last)
{
    const size_t m = fit->layout.n_frequencies[first];
    for (size_t a = first; a < last; a++) {
        fit->theta[a] = malloc((m + 1) * sizeof(double));
        fit->p[a] = malloc((fit->n_rows + 1) * sizeof(double));
        if (fit->theta[a] == NULL || fit->p[a] == NULL) {
            return SINPOS_E_MEMORY;
        }
        memcpy(fit->theta[a], solution->theta, m * sizeof(double));
        memcpy(fit->p[a], solution->p + (a - first) * fit->n_rows, fit->n_rows * sizeof(double));
        fit->guess[a] = solution->guess;
        fit->slope_error[a] = solution->slope_error;
    }
    return SINPOS_OK;
}

static sinpos_status solve_axes(id_fit *fit, const id_sample *sample, size_t first, size_t last, double *residual)
{
    id_problem problem = {0};
    id_solution solution = {0};
    size_t *row = calloc(fit->n_rows + 1, sizeof *row);
    bool is_steady = false;
    sinpos_status status = row == NULL ? SINPOS_E_MEMORY : make_problem(&problem, fit, sample, first, last);
    for (size_t i = 0; i < fit->n_rows && status == SINPOS_OK; i++) {
        row[i] = sample->row[fit->at[i]];
    }
    if (status == SINPOS_OK) {
        const bool is_one = fit->layout.n_axes == 1;
        status = solve(&solution, &problem, row, is_one, is_one && fit->layout.first == 0, &is_steady);
    }
    if (status == SINPOS_OK && !is_steady) {
        status = id_sharpen(&solution, &problem);
    }
    if (status == SINPOS_OK) {
        fit->is_steady = is_steady;
        *residual = solution.residual;
        status = keep(fit, &solution, first, last);
    }
    free(row);
    id_problem_free(&problem);
    id_solution_free(&solution);
    return status;
}

static bool has_equal_axes(const id_layout *layout)
{
    for (size_t a = 1; a < layout->n_axes; a++) {
        if (layout->n_frequencies[a] != layout->n_frequencies[0]) {
            return false;
        }
    }
    return true;
}

static void forget(id_fit *fit)
{
    for (size_t a = 0; a < ID_MOST_AXES; a++) {
        free(fit->theta[a]);
        free(fit->p[a]);
        fit->theta[a] = NULL;
        fit->p[a] = NULL;
    }
}

/* One schedule for all axes if that is good enough, else one for each. */
static sinpos_status solve_all(id_fit *fit, const id_sample *sample)
{
    double residual = INFINITY;
    sinpos_status status = SINPOS_OK;
    if (has_equal_axes(&fit->layout)) {
        status = solve_axes(fit, sample, 0, fit->layout.n_axes, &residual);
        if (status != SINPOS_OK || fit->layout.n_axes == 1 || residual < 100) {
            return status;
        }
        forget(fit);
    }
    for (size_t a = 0; a < fit->layout.n_axes && status == SINPOS_OK; a++) {
        status = solve_axes(fit, sample, a, a + 1, &residual);
    }
    return status;
}

/* ------------------------------------------------------------------------------------- other frequencies */

/* How far a frequency is off, in the middle of the rows, in sigmas. */
static double tone_residual(const id_problem *problem, const double *p, size_t tone, double theta, double *room)
{
    size_t n = 0;
    for (size_t row = 0; row < problem->n; row++) {
        const double angle = problem->angle[row * problem->m + tone], full = theta * p[row];
        if (!isnan(angle)) {
            room[n++] = fabs(id_wrap(angle - full)) / id_sigma(problem, angle, full);
        }
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
        if (next == problem->n) {
            return theta;
        }
        const double angle = problem->angle[next * problem->m + tone];
        theta = isnan(theta) ? angle / p[next] : theta + id_wrap(angle - theta * p[next]) / p[next];
        done = fabs(p[next]);
    }
}

/* Scaled rotary tables follow a formula for some of their frequencies only. */
static sinpos_status free_tones(id_fit *fit, const id_sample *sample, size_t axis)
{
    id_problem problem = {0};
    sinpos_status status = make_problem(&problem, fit, sample, axis, axis + 1);
    double *room = malloc((fit->n_rows + 1) * sizeof *room);
    status = room == NULL ? SINPOS_E_MEMORY : status;
    for (size_t i = 0; i < problem.m && status == SINPOS_OK && fit->n_rows > 3; i++) {
        if (tone_residual(&problem, fit->p[axis], i, fit->theta[axis][i], room) < BAD_SIGMAS) {
            continue;
        }
        const double *p = fit->p[axis], *last = &fit->theta[axis][i > 0 ? i - 1 : 0];
        const bool is_still = tone_residual(&problem, p, i, 0, room) < 1;
        const double theta = is_still ? 0 : tone_theta(&problem, p, i);
        const double next = *last * exp(-fit->guess[axis].slope); /* as slow as the tone before, by the formula */
        const bool is_next = fit->guess[axis].family == ID_GEOMETRIC && i > 0 &&
                             tone_residual(&problem, p, i, next, room) < BAD_SIGMAS / 4;
        if (is_still || tone_residual(&problem, fit->p[axis], i, theta, room) < BAD_SIGMAS / 4) {
            fit->theta[axis][i] = theta;
            fit->n_free[axis]++;
            fit->n_cheap[axis] += is_still || is_next;
        }
    }
    free(room);
    id_problem_free(&problem);
    return status;
}

sinpos_status id_fit_layout(id_fit *fit, const id_sample *sample, id_layout *layout)
{
    *fit = (id_fit){.layout = *layout};
    *layout = (id_layout){0};
    fit->noise = fit->layout.circle > 16 * sample->unit ? fit->layout.circle / 2.5 : 0;
    sinpos_status status = choose_rows(fit, sample);
    status = status != SINPOS_OK ? status : solve_all(fit, sample);
    if (status == SINPOS_OK && fit->layout.n_axes == 1) {
        status = free_tones(fit, sample, 0);
    }
    status = status != SINPOS_OK ? status : id_weigh(fit, sample);
    if (status != SINPOS_OK) {
        id_fit_free(fit);
    }
    return status;
}

/* ---------------------------------------------------------------------------------------------- all rows */

/* How often the slowest tone may turn in other rows. */
static long turns_for(const id_fit *fit, size_t axis)
{
    double slowest = INFINITY;
    for (size_t i = 0; i < fit->layout.n_frequencies[axis]; i++) {
        const double theta = fabs(fit->theta[axis][i]);
        slowest = theta > 0 ? fmin(slowest, theta) : slowest;
    }
    const double turns = 2 * id_largest(fit->p[axis], fit->n_rows) * slowest / ID_TWO_PI + 2;
    return turns < ID_MOST_TURNS ? (long)turns : ID_MOST_TURNS;
}

sinpos_status id_fit_positions(const id_fit *fit, double unit, const double *x, size_t n, size_t dim, size_t axis,
                               double *p)
{
    const size_t all = fit->layout.n_frequencies[axis], m = all < CLOCK_TONES ? all : CLOCK_TONES;
    size_t *tone = calloc(all + 1, sizeof *tone), *some = calloc(m + 1, sizeof *some);
    double theta[CLOCK_TONES], *room = malloc((m + 1) * (n + 1) * sizeof *room);
    id_problem problem = {0};
    sinpos_status status = id_problem_make(&problem, m, n);
    if (tone == NULL || some == NULL || room == NULL) {
        status = SINPOS_E_MEMORY;
    }
    if (status == SINPOS_OK) {
        problem.unit = unit;
        problem.noise = fit->noise;
        whole_tones(&fit->layout, axis, tone);
        for (size_t i = 0; i < m; i++) {
            const size_t at = m == 1 ? 0 : i * (all - 1) / (m - 1);
            theta[i] = fit->theta[axis][at];
            some[i] = tone[at];
        }
        for (size_t i = 0; i < n; i++) {
            row_angles(&fit->layout, some, m, x + i * dim, problem.angle + i * m);
        }
        (void)id_positions(&problem, theta, turns_for(fit, axis), p, room);
    }
    id_problem_free(&problem);
    free(tone);
    free(some);
    free(room);
    return status;
}
