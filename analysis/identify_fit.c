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

/* Bits that are charged for the choice of a layout, and for a slope. */
#define LAYOUT_BITS 16
#define SLOPE_BITS 32

/* A column of padding explained is worth as much as a coordinate less. */
#define PAD_BITS 8

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

static sinpos_status solve(id_solution *solution, const id_problem *problem, const size_t *row, bool may_be_steady,
                           bool *is_steady)
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
    if (status == SINPOS_OK && *is_steady && solution->residual > 1000) {
        status = solve_freely(solution, problem, &steps);
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
        status = solve(&solution, &problem, row, fit->layout.n_axes == 1, &is_steady);
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
        const double theta = tone_theta(&problem, fit->p[axis], i);
        if (tone_residual(&problem, fit->p[axis], i, theta, room) < BAD_SIGMAS / 4) {
            fit->theta[axis][i] = theta;
            fit->n_free[axis]++;
        }
    }
    free(room);
    id_problem_free(&problem);
    return status;
}

/* --------------------------------------------------------------------------------------------- evidence */

static double largest(const double *x, size_t n)
{
    double most = 0;
    for (size_t i = 0; i < n; i++) {
        most = fmax(most, fabs(x[i]));
    }
    return most;
}

/* What it takes to write the positions down, to the precision that the fastest tone asks for. */
static double position_bits(const id_fit *fit, double error)
{
    double bits = 0;
    for (size_t a = 0; a < fit->layout.n_axes; a++) {
        const double fastest = largest(fit->theta[a], fit->layout.n_frequencies[a]);
        const size_t n = fit->is_steady ? 2 : fit->n_rows;
        bits += (double)n * (2 + log2(1 + 2 * largest(fit->p[a], fit->n_rows) * fastest / error));
    }
    return bits;
}

/* Slopes are charged for their precision, lists of frequencies too. */
static double schedule_bits(const id_fit *fit, double error)
{
    double bits = LAYOUT_BITS;
    for (size_t a = 0; a < fit->layout.n_axes; a++) {
        const bool is_shared =
            a > 0 && fit->guess[a].family == fit->guess[0].family && fit->guess[a].slope == fit->guess[0].slope;
        const double each = fmax(SLOPE_BITS, -log2(error));
        bits += each * (double)fit->n_free[a];
        bits += is_shared ? 1 : each * (fit->guess[a].family == ID_FREE ? (double)fit->layout.n_frequencies[a] : 1);
    }
    return bits;
}

/* Columns beside the waves: padding is worth something; what is none is written down, element by element. */
static double other_bits(const id_fit *fit, const id_sample *sample, double error)
{
    const size_t end = fit->layout.first + fit->layout.width;
    const double column = (double)fit->n_rows * log2(fmin(1, error)) - 16;
    double bits = column * (double)fit->layout.first;
    for (size_t j = end; j < sample->dim; j++) {
        bool is_padding = true;
        for (size_t i = 1; i < sample->n && is_padding; i++) {
            is_padding = sample->x[i * sample->dim + j] == sample->x[j];
        }
        bits += !is_padding ? column : sample->x[j] == 0 ? PAD_BITS : 0;
    }
    return bits;
}

/* Distances of pairs from their places on the circle. */
static size_t distances(const id_fit *fit, const id_sample *sample, double *off)
{
    const id_layout *layout = &fit->layout;
    bool still[ID_MOST_AXES] = {false};
    size_t n = 0;
    for (size_t a = 0; a < layout->n_axes; a++) {
        still[a] = largest(fit->p[a], fit->n_rows) < 1e-9;
    }
    for (size_t i = 0; i < fit->n_rows; i++) {
        const double *x = sample->x + fit->at[i] * sample->dim;
        for (size_t k = 0; k < layout->n_tones; k++) {
            if (still[layout->axis[k]]) {
                continue; /* a coordinate that is 0 in every row explains nothing */
            }
            const double angle = fit->theta[layout->axis[k]][layout->index[k]] * fit->p[layout->axis[k]][i];
            const double s = layout->sin_column[k] < 0 ? sin(angle) : x[layout->sin_column[k]] / layout->amplitude;
            const double c = layout->cos_column[k] < 0 ? cos(angle) : x[layout->cos_column[k]] / layout->amplitude;
            off[n++] = hypot(s - sin(angle), c - cos(angle));
        }
    }
    return n;
}

/*
 * Each pair tells where on its circle it is, to so many bits; that it lies on the circle is no evidence of frequencies.
 * Pairs that are elsewhere cost what it takes to say so.
 */
static sinpos_status weigh(id_fit *fit, const id_sample *sample)
{
    double *off = malloc((2 * fit->layout.n_tones * fit->n_rows + 1) * sizeof *off);
    if (off == NULL) {
        return SINPOS_E_MEMORY;
    }
    const size_t n = distances(fit, sample, off);
    memcpy(off + n, off, n * sizeof *off);
    fit->error = n == 0 ? INFINITY : id_select(off + n, n, (3 * n - 1) / 4);
    const double error = 2 * fit->error + sample->unit;
    for (size_t i = 0; i < n; i++) {
        fit->bits += off[i] <= 16 * error ? -log2(fmin(1, fmax(error, off[i]) / 2)) : -8;
    }
    fit->bits -= position_bits(fit, error) + schedule_bits(fit, error);
    fit->bits += other_bits(fit, sample, error);
    free(off);
    return SINPOS_OK;
}

sinpos_status id_fit_layout(id_fit *fit, const id_sample *sample, id_layout *layout)
{
    *fit = (id_fit){.layout = *layout};
    *layout = (id_layout){0};
    fit->noise = fit->layout.circle > 16 * sample->unit ? fit->layout.circle / 2.5 : 0;
    sinpos_status status = choose_rows(fit, sample);
    status = status != SINPOS_OK ? status : solve_all(fit, sample);
    for (size_t a = 0; a < fit->layout.n_axes && status == SINPOS_OK; a++) {
        status = free_tones(fit, sample, a);
    }
    status = status != SINPOS_OK ? status : weigh(fit, sample);
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
        slowest = fmin(slowest, fabs(fit->theta[axis][i]));
    }
    const double turns = 2 * largest(fit->p[axis], fit->n_rows) * slowest / ID_TWO_PI + 2;
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
