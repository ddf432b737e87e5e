/* identify_fit.c - one layout: its angles, its frequencies and positions, and how much speaks for it. */
#include "identify.h"

/* Rows that frequencies are found from: some at the beginning, one after the other, and some spread over the sample. */
#define NEAR_ROWS 12
#define SPREAD_ROWS 12

/* Frequencies that positions of many rows are read from. */
#define CLOCK_TONES 48

/* Steps that a schedule explains so badly have none. */
#define STEP_SIGMAS 3000

/* Positions as near as this with errors as small are right. */
#define GOOD_SIGMAS 1.5
#define FAR_POSITION 512

/* Least number of fast tones that may decide the formula, and how well they must fit. */
#define LEAST_PART 4
#define PART_SIGMAS 10

/* Frequencies that were found one by one must fit so well. */
#define EVEN_SIGMAS 100

/* Rows of which the nearest give frequencies one by one, and turns of the slowest that are looked at then. */
#define NEAREST_ROWS 200
#define NEAREST_TURNS 4000

/* A coordinate that is never farther from 0 says nothing. */
#define STILL 1e-9

/* A formula that is off by more, in units of the type and of the angles, is weighed against frequencies one by one. */
#define EXCELLENT 64

static void forget(id_fit *fit)
{
    for (size_t a = 0; a < ID_MOST_AXES; a++) {
        free(fit->theta[a]);
        free(fit->p[a]);
        fit->theta[a] = NULL;
        fit->p[a] = NULL;
    }
}

void id_fit_free(id_fit *fit)
{
    id_layout_free(&fit->layout);
    free(fit->at);
    forget(fit);
    *fit = (id_fit){0};
}

/* ------------------------------------------------------------------------------------------------ angles */

/* For each frequency of an axis a tone that has both columns; n_tones where there is none. */
static void whole_tones(const id_layout *layout, size_t axis, size_t *tone)
{
    for (size_t i = 0; i < layout->n_frequencies[axis]; i++)
        tone[i] = layout->n_tones;
    for (size_t k = layout->n_tones; k-- > 0;)
        if (layout->axis[k] == axis && layout->sin_column[k] >= 0 && layout->cos_column[k] >= 0)
            tone[layout->index[k]] = k;
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

sinpos_status id_fit_problem(id_problem *problem, const id_fit *fit, const id_sample *sample, size_t first, size_t last)
{
    const size_t m = fit->layout.n_frequencies[first];
    sinpos_status status = id_problem_make(problem, m, fit->n_rows * (last - first));
    size_t *tone = blocks_take(&problem->memory, m, sizeof *tone);
    problem->unit = sample->unit;
    problem->noise = fit->noise + fit->flat;
    problem->left = sample->work;
    status = tone == NULL ? SINPOS_E_MEMORY : status;
    for (size_t a = first; a < last && status == SINPOS_OK; a++) {
        whole_tones(&fit->layout, a, tone);
        for (size_t i = 0; i < fit->n_rows; i++) {
            row_angles(&fit->layout, tone, m, sample->x + fit->at[i] * sample->dim,
                       problem->angle + ((a - first) * fit->n_rows + i) * m);
        }
    }
    return status;
}

/* A row that equals one that is chosen adds nothing new. */
static void choose_row(id_fit *fit, const id_sample *sample, size_t at)
{
    const size_t bytes = sample->dim * sizeof *sample->x;
    for (size_t i = 0; i < fit->n_rows; i++)
        if (memcmp(sample->x + fit->at[i] * sample->dim, sample->x + at * sample->dim, bytes) == 0)
            return;
    fit->at[fit->n_rows++] = at;
}

sinpos_status id_fit_rows(id_fit *fit, const id_sample *sample)
{
    const size_t most = NEAR_ROWS + SPREAD_ROWS;
    const size_t near = sample->n <= most ? sample->n : NEAR_ROWS, spread = sample->n <= most ? 0 : SPREAD_ROWS;
    fit->at = calloc(near + spread + 1, sizeof *fit->at);
    if (fit->at == NULL)
        return SINPOS_E_MEMORY;
    for (size_t i = 0; i < near; i++)
        choose_row(fit, sample, i);
    for (size_t i = 0; i < spread; i++)
        choose_row(fit, sample, near + (i + 1) * (sample->n - 1 - near) / spread);
    return SINPOS_OK;
}

/* ----------------------------------------------------------------------------------------------- solving */

/* Frequencies one by one, where rows are steady and no formula fits: per row, so that positions go by rows. */
static sinpos_status solve_freely(id_solution *solution, const id_problem *problem, const id_problem *steps,
                                  const size_t *row)
{
    double *room = malloc(((problem->m + 1) * (problem->n + 1) + 1) * sizeof *room);
    if (room == NULL)
        return SINPOS_E_MEMORY;
    size_t left = ID_MOST_ANGLES;
    id_problem bounded = *problem;
    bounded.left = &left;
    solution->guess = (id_guess){.family = ID_FREE};
    for (size_t i = 0; i < problem->m; i++) /* a column without its partner is left to id_fit_tones */
        solution->theta[i] = isnan(steps->angle[i]) ? 0 : steps->angle[i];
    bounded.n = problem->n < 1 ? 0 : 1;
    (void)id_positions(&bounded, solution->theta, ID_MOST_TURNS / 16, solution->p, room);
    for (size_t i = 1; i < problem->n; i++)
        solution->p[i] = solution->p[0] + (double)(row[i] - row[0]);
    solution->residual = id_follow(problem, solution->theta, solution->p, room);
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
    const double turn = TWO_PI / slowest;
    size_t n = 0, even = 0;
    for (size_t i = 0; i + 1 < problem->n; i++)
        if (row[i + 1] == row[i] + 1)
            room[n++] = solution->p[i + 1] - solution->p[i];
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
    sinpos_status status = id_solution_make(&other, problem);
    double *room = malloc((problem->n + 1) * sizeof *room);
    status = room == NULL ? SINPOS_E_MEMORY : status;
    if (status == SINPOS_OK && !is_even(solution, problem, row, room)) {
        status = solve_freely(&other, problem, steps, row);
        *is_steady = status == SINPOS_OK && other.residual < EVEN_SIGMAS && is_even(&other, problem, row, room);
        if (*is_steady) {
            const id_solution swap = *solution;
            *solution = other;
            other = swap;
        }
    }
    free(room);
    blocks_free(&other.memory);
    return status;
}

/* The fast tones alone, of which the first are `part`; false where they do not fit. */
static sinpos_status solve_part(id_solution *solution, const id_problem *problem, size_t part, bool *is_found)
{
    id_problem few = {0};
    id_solution own = {0};
    sinpos_status status = id_problem_part(&few, problem, part, 1);
    status = status != SINPOS_OK ? status : id_solve(&own, &few, NULL);
    *is_found =
        status == SINPOS_OK && own.residual < PART_SIGMAS && own.guess.family == ID_GEOMETRIC && own.guess.slope > 0;
    if (*is_found) {
        solution->guess = own.guess;
        solution->slope_error = own.slope_error;
        solution->residual = own.residual;
        memcpy(solution->p, own.p, problem->n * sizeof *own.p);
        for (size_t i = 0; i < problem->m; i++)
            solution->theta[i] = exp(-own.guess.slope * (double)i);
    }
    blocks_free(&few.memory);
    blocks_free(&own.memory);
    return status;
}

/* Of scaled rotary tables only the fast tones follow the formula. */
static sinpos_status solve_fast_tones(id_solution *solution, const id_problem *problem, bool *is_found)
{
    sinpos_status status = SINPOS_OK;
    *is_found = false;
    for (size_t part = problem->m / 2; part >= LEAST_PART && status == SINPOS_OK && !*is_found; part /= 2)
        status = solve_part(solution, problem, part, is_found);
    return status;
}

/* Where positions are far away or badly known: those that angles in the middle of the rows give, if they fit as well. */
static sinpos_status prefer_start(id_solution *solution, const id_problem *problem, const id_problem *steps,
                                  const size_t *row)
{
    id_solution other = {0};
    double bits;
    if (solution->residual < GOOD_SIGMAS && fabs(solution->p[0]) < FAR_POSITION)
        return SINPOS_OK;
    const sinpos_status status = id_solve_steady(&other, problem, steps, row, &bits);
    if (status == SINPOS_OK && bits > 0 && other.residual < fmax(solution->residual, GOOD_SIGMAS)) {
        const id_solution swap = *solution;
        *solution = other;
        other = swap;
    }
    blocks_free(&other.memory);
    return status;
}

static sinpos_status solve(id_solution *solution, const id_problem *problem, const size_t *row, bool may_be_steady,
                           bool may_be_partly, bool *is_steady)
{
    id_problem steps = {0};
    id_solution of_steps = {0};
    sinpos_status status = may_be_steady ? id_steps(&steps, problem, row) : SINPOS_OK;
    *is_steady = status == SINPOS_OK && may_be_steady && steps.n == 1;
    steps.is_steady = true;
    if (*is_steady)
        status = id_solve(&of_steps, &steps, NULL);
    of_steps.guess.error = of_steps.slope_error;
    if (status == SINPOS_OK) {
        id_problem own = *problem;
        own.is_steady = *is_steady;
        status = id_solve(solution, &own,
                          *is_steady && problem->m > 1 && of_steps.residual < STEP_SIGMAS ? &of_steps.guess : NULL);
    }
    if (status == SINPOS_OK && *is_steady && problem->m > 2)
        status = prefer_start(solution, problem, &steps, row);
    bool is_found = false;
    if (status == SINPOS_OK && may_be_partly && solution->residual > ID_BAD_SIGMAS)
        status = solve_fast_tones(solution, problem, &is_found);
    if (status == SINPOS_OK && *is_steady && solution->residual > 1000)
        status = solve_freely(solution, problem, &steps, row);
    else if (status == SINPOS_OK && *is_steady && problem->m > 1)
        status = prefer_even(solution, problem, &steps, row, is_steady);
    blocks_free(&steps.memory);
    blocks_free(&of_steps.memory);
    return status;
}

static sinpos_status keep(id_fit *fit, const id_solution *solution, size_t first, size_t last)
{
    const size_t m = fit->layout.n_frequencies[first];
    for (size_t a = first; a < last; a++) {
        fit->theta[a] = malloc((m + 1) * sizeof(double));
        fit->p[a] = malloc((fit->n_rows + 1) * sizeof(double));
        if (fit->theta[a] == NULL || fit->p[a] == NULL)
            return SINPOS_E_MEMORY;
        memcpy(fit->theta[a], solution->theta, m * sizeof(double));
        memcpy(fit->p[a], solution->p + (a - first) * fit->n_rows, fit->n_rows * sizeof(double));
        fit->guess[a] = solution->guess;
        fit->slope_error[a] = solution->slope_error;
    }
    return SINPOS_OK;
}

/* Frequencies one by one, whatever formula fits; bad where rows are not steady. */
static sinpos_status solve_steps(id_solution *solution, const id_problem *problem, const size_t *row, bool *is_steady)
{
    id_problem steps = {0};
    sinpos_status status = id_solution_make(solution, problem);
    status = status != SINPOS_OK ? status : id_steps(&steps, problem, row);
    solution->residual = INFINITY;
    *is_steady = status == SINPOS_OK && steps.n == 1;
    if (*is_steady)
        status = solve_freely(solution, problem, &steps, row);
    blocks_free(&steps.memory);
    return status;
}

/* Frequencies one by one at positions in no order, from more rows than those of the fit. */
static sinpos_status solve_nearest(id_solution *solution, const id_problem *problem, const id_fit *fit,
                                   const id_sample *sample, size_t first, size_t last)
{
    id_fit more = {.layout = fit->layout, .noise = fit->noise, .flat = fit->flat};
    id_problem all = {0};
    bool is_found = false;
    const size_t most = NEAREST_ROWS / (last - first);
    more.n_rows = sample->n < most ? sample->n : most;
    more.at = calloc(more.n_rows + 1, sizeof *more.at);
    double *room = malloc(((problem->m + 1) * (problem->n + 1) + 1) * sizeof *room);
    sinpos_status status = more.at == NULL || room == NULL ? SINPOS_E_MEMORY : SINPOS_OK;
    for (size_t i = 0; i < more.n_rows && status == SINPOS_OK; i++)
        more.at[i] = i * sample->n / more.n_rows;
    id_solution other = {.residual = INFINITY, .guess = {.family = ID_FREE}};
    status = status != SINPOS_OK ? status : id_fit_problem(&all, &more, sample, first, last);
    status = status != SINPOS_OK ? status : id_solution_make(&other, problem);
    status = status != SINPOS_OK ? status : id_solve_nearest(other.theta, &all, &is_found);
    if (status == SINPOS_OK && is_found) {
        id_problem scattered = *problem;
        scattered.is_scattered = true;
        other.residual = id_positions(&scattered, other.theta, NEAREST_TURNS, other.p, room);
    }
    if (other.residual < solution->residual) {
        const id_solution swap = *solution;
        *solution = other;
        other = swap;
    }
    blocks_free(&other.memory);
    blocks_free(&all.memory);
    free(more.at);
    free(room);
    return status;
}

static sinpos_status solve_axes(id_fit *fit, const id_sample *sample, size_t first, size_t last, bool freely,
                                double *residual)
{
    id_problem problem = {0};
    id_solution solution = {0};
    size_t *row = calloc(fit->n_rows + 1, sizeof *row);
    bool is_steady = false;
    sinpos_status status = row == NULL ? SINPOS_E_MEMORY : id_fit_problem(&problem, fit, sample, first, last);
    for (size_t i = 0; i < fit->n_rows && status == SINPOS_OK; i++)
        row[i] = sample->row[fit->at[i]];
    if (status == SINPOS_OK) {
        const bool is_one = fit->layout.n_axes == 1;
        status = freely ? solve_steps(&solution, &problem, row, &is_steady)
                        : solve(&solution, &problem, row, is_one, is_one && fit->layout.first == 0, &is_steady);
    }
    if (status == SINPOS_OK && !is_steady && !freely && solution.residual > ID_BAD_SIGMAS)
        status = solve_nearest(&solution, &problem, fit, sample, first, last);
    if (status == SINPOS_OK && !is_steady)
        status = id_sharpen(&solution, &problem);
    if (status == SINPOS_OK) {
        fit->is_steady = is_steady;
        *residual = solution.residual;
        status = keep(fit, &solution, first, last);
    }
    free(row);
    blocks_free(&problem.memory);
    blocks_free(&solution.memory);
    return status;
}

static bool has_equal_axes(const id_layout *layout)
{
    for (size_t a = 1; a < layout->n_axes; a++)
        if (layout->n_frequencies[a] != layout->n_frequencies[0])
            return false;
    return true;
}

/* One schedule for all axes if that is good enough, else one for each. */
static sinpos_status solve_all(id_fit *fit, const id_sample *sample, bool freely)
{
    double residual = INFINITY;
    sinpos_status status = SINPOS_OK;
    if (has_equal_axes(&fit->layout)) {
        status = solve_axes(fit, sample, 0, fit->layout.n_axes, freely, &residual);
        if (status != SINPOS_OK || fit->layout.n_axes == 1 || residual < 100)
            return status;
        forget(fit);
    }
    for (size_t a = 0; a < fit->layout.n_axes && status == SINPOS_OK; a++)
        status = solve_axes(fit, sample, a, a + 1, freely, &residual);
    return status;
}

static bool is_still(const id_fit *fit, size_t a)
{
    return id_largest(fit->p[a], fit->n_rows) < STILL;
}

/* A coordinate that never changes from 0 has any frequencies: those of the next one. */
static void move_still(id_fit *fit)
{
    size_t other = 0;
    while (other < fit->layout.n_axes && is_still(fit, other))
        other++;
    for (size_t a = 0; a < fit->layout.n_axes && other < fit->layout.n_axes; a++) {
        if (!is_still(fit, a) || fit->guess[other].family == ID_FREE)
            continue;
        fit->guess[a] = fit->guess[other];
        fit->slope_error[a] = fit->slope_error[other];
        id_make_theta(&fit->guess[a], fit->theta[a], fit->layout.n_frequencies[a]);
    }
}

static sinpos_status fit_once(id_fit *fit, const id_sample *sample, bool freely)
{
    sinpos_status status = solve_all(fit, sample, freely);
    if (status == SINPOS_OK)
        move_still(fit);
    if (status == SINPOS_OK && fit->layout.n_axes == 1)
        status = id_fit_tones(fit, sample);
    return status != SINPOS_OK ? status : id_weigh(fit, sample);
}

/* Of a formula and frequencies one by one, for which more speaks. */
static sinpos_status try_freely(id_fit *fit, const id_sample *sample)
{
    id_fit other = {
        .layout = fit->layout, .at = fit->at, .n_rows = fit->n_rows, .noise = fit->noise, .flat = fit->flat};
    const sinpos_status status = fit_once(&other, sample, true);
    if (status == SINPOS_OK && other.is_steady && other.bits > fit->bits) {
        const id_fit swap = *fit;
        *fit = other;
        other = swap;
    }
    forget(&other);
    return status;
}

sinpos_status id_fit_layout(id_fit *fit, const id_sample *sample, id_layout *layout)
{
    *fit = (id_fit){.layout = *layout, .flat = sample->flat};
    *layout = (id_layout){0};
    fit->noise = fit->layout.circle > 16 * sample->unit ? fit->layout.circle / 2.5 : 0;
    sinpos_status status = id_fit_rows(fit, sample);
    status = status != SINPOS_OK ? status : fit_once(fit, sample, false);
    if (status == SINPOS_OK && fit->layout.n_axes == 1 && fit->guess[0].family != ID_FREE &&
        !(fit->error <= EXCELLENT * (sample->unit + 0x1p-52 * id_largest_angle(fit))))
        status = try_freely(fit, sample);
    if (status != SINPOS_OK)
        id_fit_free(fit);
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
    const double turns = 2 * id_largest(fit->p[axis], fit->n_rows) * slowest / TWO_PI + 2;
    return turns < ID_MOST_TURNS ? (long)turns : ID_MOST_TURNS;
}

sinpos_status id_fit_positions(const id_fit *fit, double unit, const double *x, size_t n, size_t dim, size_t axis,
                               double *p)
{
    const size_t all = fit->layout.n_frequencies[axis], m = all < CLOCK_TONES ? all : CLOCK_TONES;
    size_t some[CLOCK_TONES];
    double theta[CLOCK_TONES];
    id_problem problem = {0};
    if (fit->is_alone) {
        id_alone_positions(fit, unit, x, n, dim, p);
        return SINPOS_OK;
    }
    sinpos_status status = id_problem_make(&problem, m, n);
    size_t *tone = blocks_take(&problem.memory, all, sizeof *tone);
    double *room = blocks_take(&problem.memory, m + 1, (n + 1) * sizeof *room);
    status = status == SINPOS_OK ? blocks_status(&problem.memory) : status;
    if (status == SINPOS_OK) {
        problem.unit = unit;
        problem.noise = fit->noise + fit->flat;
        problem.is_scattered = !fit->is_steady;
        problem.first = fit->is_steady ? fit->p[axis][0] : 0;
        whole_tones(&fit->layout, axis, tone);
        for (size_t i = 0; i < m; i++) {
            const size_t at = m == 1 ? 0 : i * (all - 1) / (m - 1);
            theta[i] = fit->theta[axis][at];
            some[i] = tone[at];
        }
        for (size_t i = 0; i < n; i++)
            row_angles(&fit->layout, some, m, x + i * dim, problem.angle + i * m);
        (void)id_positions(&problem, theta, turns_for(fit, axis), p, room);
    }
    blocks_free(&problem.memory);
    return status;
}
