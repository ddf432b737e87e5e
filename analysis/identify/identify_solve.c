/*
 * identify_solve.c - frequencies and positions from angles that are known modulo whole turns.
 *
 * With frequencies given, the slowest tone gives the position roughly, and each faster one more exactly, as hands of a
 * clock do. Frequencies that are powers (or multiples) of one number have one unknown, the slope; where slow tones have
 * not yet turned, their angles are in the ratio of the frequencies, which gives guesses. The guess that fits best is
 * then refined by least squares, positions eliminated.
 */
#include "identify.h"

/* A guess that fits so well needs no rival. */
#define GOOD_SIGMAS 6

/* Beyond, slow tones may have turned. */
#define NEAR_SIGMAS 50

/* Searched for in every row; more only in the first, where the next rows are near it. */
#define FEW_TURNS 48
#define MANY_TURNS 2000
#define TRIAL_ROWS 3

/* Three quarters of angles that nothing explains are nearer than 3/4 pi; a guess that leaves more than this is wrong. */
#define HOPELESS 1.0

/* A double of a larger angle does not give its place on the circle. */
#define MOST_FULL 0x1p44

/* Of more tones only some are looked at before one knows what they follow. */
#define MOST_TONES 1024
#define WORTH_SIGMAS 1e4

/* Relative errors of angles in code that multiplies in float32. */
#define USUAL_GROWTH 0x1p-24

/* Guesses near a slope that is known roughly, and how often the slowest tone may have turned with them. */
#define NEAR_DIGITS 4
#define NEAR_SLOPES 12
#define FAR_TURNS 1000

/* Of the least angle that gives a ratio. */
#define LEAST_SIGMAS 100

/* Tones that it takes to recognise an exact array. */
#define FEWEST_SHARP 4

sinpos_status id_problem_make(id_problem *problem, size_t m, size_t n)
{
    *problem = (id_problem){.m = m, .n = n, .m_all = m, .growth = USUAL_GROWTH};
    if (m > SIZE_MAX / sizeof(double) / (n + 1))
        return SINPOS_E_SHAPE;
    problem->angle = blocks_take(&problem->memory, m * n, sizeof *problem->angle);
    problem->order = blocks_take(&problem->memory, m, sizeof *problem->order);
    return blocks_status(&problem->memory);
}

sinpos_status id_problem_part(id_problem *some, const id_problem *problem, size_t m, size_t stride)
{
    const sinpos_status status = id_problem_make(some, m, problem->n);
    some->m_all = problem->m_all;
    some->unit = problem->unit;
    some->noise = problem->noise;
    some->left = problem->left;
    some->is_steady = problem->is_steady;
    for (size_t i = 0; i < m * problem->n && status == SINPOS_OK; i++)
        some->angle[i] = problem->angle[i / m * problem->m + i % m * stride];
    return status;
}

sinpos_status id_solution_make(id_solution *solution, const id_problem *problem)
{
    solution->memory = (blocks){0};
    solution->theta = blocks_take(&solution->memory, problem->m, sizeof *solution->theta);
    solution->p = blocks_take(&solution->memory, problem->n, sizeof *solution->p);
    return blocks_status(&solution->memory);
}

void id_make_theta(const id_guess *guess, double *theta, size_t m)
{
    for (size_t i = 0; i < m; i++)
        theta[i] = guess->family == ID_GEOMETRIC ? exp(-guess->slope * (double)i) : 1 + guess->slope * (double)i;
}

/* ------------------------------------------------------------------------------------------- positions */

/* The clock: from slow to fast, tones that disagree by much are passed over. */
static double read_clock(const id_problem *problem, const double *theta, const double *angle, double turns)
{
    double p = NAN, error = 0;
    for (size_t k = 0; k < problem->m; k++) {
        const size_t i = problem->order[k];
        if (isnan(angle[i]) || theta[i] == 0)
            continue;
        if (isnan(p)) {
            p = (angle[i] + turns * TWO_PI) / theta[i];
            error = id_sigma(problem, angle[i], theta[i] * p) / fabs(theta[i]);
            continue;
        }
        const double off = id_wrap(angle[i] - theta[i] * p), sigma = id_sigma(problem, angle[i], theta[i] * p);
        const double allowed = 12 * (fabs(theta[i]) * error + sigma);
        if (fabs(off) < fmax(1, allowed)) {
            p += off / theta[i];
            error = sigma / fabs(theta[i]);
        }
    }
    return p;
}

/* Distances of a row's angles in sigmas, but of tones that are not rotated; returns how many there are. */
static size_t row_distances(const id_problem *problem, const double *theta, const double *angle, double p, double *room)
{
    size_t n = 0;
    for (size_t i = 0; i < problem->m; i++) {
        if (!isnan(angle[i]) && theta[i] != 0) {
            const double full = theta[i] * p, off = fabs(full) < MOST_FULL ? fabs(id_wrap(angle[i] - full)) : TWO_PI;
            room[n++] = off / id_sigma(problem, angle[i], full);
        }
    }
    return n;
}

static double row_residual(const id_problem *problem, const double *theta, const double *angle, double p, double *room)
{
    const size_t n = row_distances(problem, theta, angle, p, room);
    return n == 0 ? 0 : id_select(room, n, (3 * n - 1) / 4);
}

/* Weighted mean over the tones that agree. */
static double polish(const id_problem *problem, const double *theta, const double *angle, double p, double *room)
{
    for (int pass = 0; pass < 2; pass++) {
        const double limit = 4 * row_residual(problem, theta, angle, p, room) + 1e-9;
        double up = 0, down = 0;
        for (size_t i = 0; i < problem->m; i++) {
            if (isnan(angle[i]))
                continue;
            const double full = theta[i] * p, off = id_wrap(angle[i] - full);
            const double sigma = id_sigma(problem, angle[i], full), weight = theta[i] / (sigma * sigma);
            if (fabs(off) <= limit * sigma) {
                up += weight * off;
                down += weight * theta[i];
            }
        }
        p += down > 0 ? up / down : 0;
    }
    return p;
}

/* The tone at that place from slow to fast, or the next one that moves and has an angle; m if there is none. */
static size_t next_tone(const id_problem *problem, const double *theta, const double *angle, size_t at)
{
    while (at < problem->m && (theta[problem->order[at]] == 0 || isnan(angle[problem->order[at]])))
        at++;
    return at;
}

/* A look at a few tones, each twice as far up as the one before. */
static bool may_turn(const id_problem *problem, const double *theta, const double *angle, double turns)
{
    const size_t first = next_tone(problem, theta, angle, 0);
    if (first == problem->m)
        return true;
    const size_t slowest = problem->order[first];
    double p = (angle[slowest] + turns * TWO_PI) / theta[slowest];
    double error = id_sigma(problem, angle[slowest], theta[slowest] * p) / fabs(theta[slowest]);
    for (size_t k = 1; first + k < problem->m; k *= 2) {
        const size_t at = next_tone(problem, theta, angle, first + k);
        if (at == problem->m)
            break;
        const size_t i = problem->order[at];
        const double off = id_wrap(angle[i] - theta[i] * p), sigma = id_sigma(problem, angle[i], theta[i] * p);
        if (isnan(off) || fabs(theta[i]) * error > 0.5)
            return problem->m <= 8; /* undecided: of many tones one should decide */
        if (fabs(off) > 0.3 + 12 * (fabs(theta[i]) * error + sigma))
            return false;
        p += off / theta[i];
        error = sigma / fabs(theta[i]);
    }
    return true;
}

/* The number of turns of the slowest tone, nearest to the hint, that makes the row fit, and the position that it gives. */
static double find_turns(const id_problem *problem, const double *theta, const double *angle, double hint, long reach,
                         double *position, double *room)
{
    double best = INFINITY, best_turns = hint;
    *position = NAN;
    for (long k = 0; k <= 2 * reach; k++) {
        const double turns = hint + (double)(k % 2 == 0 ? k / 2 : -(k + 1) / 2);
        if (k > 0 && !may_turn(problem, theta, angle, turns))
            continue;
        if (problem->left != NULL && *problem->left < problem->m)
            break;
        if (problem->left != NULL)
            *problem->left -= problem->m;
        const double p = read_clock(problem, theta, angle, turns);
        const double residual = reach == 0 ? 0 : row_residual(problem, theta, angle, p, room); /* 0: no other one */
        if (residual < best) {
            best = residual;
            best_turns = turns;
            *position = p;
        }
        if (residual < (reach > FEW_TURNS ? 1 : GOOD_SIGMAS)) /* of very many turns the best are wanted */
            break;
    }
    if (isnan(*position))
        *position = read_clock(problem, theta, angle, best_turns);
    return best_turns;
}

static double all_residual(const id_problem *problem, const double *theta, const double *p, double *room)
{
    size_t used = 0;
    for (size_t row = 0; row < problem->n; row++)
        used += row_distances(problem, theta, problem->angle + row * problem->m, p[row], room + used);
    return used == 0 ? INFINITY : id_select(room, used, (3 * used - 1) / 4);
}

static void read_positions(const id_problem *problem, const double *theta, long turns, double *p, double *room)
{
    id_order(theta, problem->m, problem->order);
    const size_t slowest = problem->n == 0 ? problem->m : next_tone(problem, theta, problem->angle, 0);
    double hint = slowest == problem->m ? 0 : nearbyint(problem->first * theta[problem->order[slowest]] / TWO_PI);
    for (size_t row = 0; row < problem->n; row++) {
        const double *angle = problem->angle + row * problem->m;
        const bool is_alone = row == 0 || turns < FEW_TURNS || problem->is_scattered;
        hint = find_turns(problem, theta, angle, problem->is_scattered ? 0 : hint, is_alone ? turns : 3, &p[row], room);
        p[row] = polish(problem, theta, angle, p[row], room);
        p[row] = isnan(p[row]) ? 0 : p[row];
    }
}

double id_positions(const id_problem *problem, const double *theta, long turns, double *p, double *room)
{
    read_positions(problem, theta, turns, p, room);
    return all_residual(problem, theta, p, room);
}

double id_follow(const id_problem *problem, const double *theta, double *p, double *room)
{
    for (size_t row = 0; row < problem->n; row++)
        p[row] = polish(problem, theta, problem->angle + row * problem->m, p[row], room);
    return all_residual(problem, theta, p, room);
}

/* Rows that do not fit as others do may have turned more often. */
static void search_bad_rows(id_solution *solution, const id_problem *problem, double *room)
{
    id_order(solution->theta, problem->m, problem->order);
    for (size_t row = 0; row < problem->n && solution->residual < NEAR_SIGMAS; row++) {
        const double *angle = problem->angle + row * problem->m;
        const double before = row_residual(problem, solution->theta, angle, solution->p[row], room);
        if (before > 8 * solution->residual + GOOD_SIGMAS) {
            double p;
            (void)find_turns(problem, solution->theta, angle, 0, MANY_TURNS, &p, room);
            p = polish(problem, solution->theta, angle, p, room);
            solution->p[row] = row_residual(problem, solution->theta, angle, p, room) < before ? p : solution->p[row];
        }
    }
}

/* ---------------------------------------------------------------------------------------------- slopes */

/* One step of Gauss and Newton. off = angle - theta p, and a change of slope moves p as well. */
static double slope_step(id_solution *solution, const id_problem *problem, double limit)
{
    double up = 0, down = 0;
    for (size_t row = 0; row < problem->n; row++) {
        const double *angle = problem->angle + row * problem->m, p = solution->p[row];
        double cross = 0, square = 0;
        for (int pass = 0; pass < 2; pass++) {
            for (size_t i = 0; i < problem->m; i++) {
                const double theta = solution->theta[i], full = theta * p;
                const double off = isnan(angle[i]) ? INFINITY : id_wrap(angle[i] - full);
                const double sigma = isnan(angle[i]) ? 1 : id_sigma(problem, angle[i], full);
                const double slope = solution->guess.family == ID_GEOMETRIC ? -(double)i * full : (double)i * p;
                const double weight = 1 / (sigma * sigma);
                if (!(fabs(off) <= limit * sigma))
                    continue;
                if (pass == 0) {
                    cross += weight * theta * slope;
                    square += weight * theta * theta;
                } else {
                    const double own = slope - theta * (square > 0 ? cross / square : 0);
                    up += weight * own * off;
                    down += weight * own * own;
                }
            }
        }
    }
    solution->slope_error = down > 0 ? 3 / sqrt(down) : INFINITY;
    return down > 0 ? up / down : 0;
}

void id_refine(id_solution *solution, const id_problem *problem, double *room)
{
    if (solution->guess.family == ID_FREE || problem->m < 2)
        return;
    for (int pass = 0; pass < 6; pass++) {
        const double limit = 4 * solution->residual + 4, before = solution->guess.slope;
        const double step = slope_step(solution, problem, limit);
        if (!(fabs(step) < 0.1 * fabs(before) + 1e-3))
            return;
        id_guess guess = solution->guess;
        guess.slope += step;
        id_make_theta(&guess, solution->theta, problem->m);
        const double residual = id_follow(problem, solution->theta, solution->p, room);
        if (!(residual <= solution->residual * 1.01 + 0.1)) {
            id_make_theta(&solution->guess, solution->theta, problem->m);
            solution->residual = id_follow(problem, solution->theta, solution->p, room);
            break;
        }
        solution->guess = guess;
        solution->residual = residual;
    }
    solution->slope_error *= fmax(1, solution->residual);
}

sinpos_status id_sharpen(id_solution *solution, id_problem *problem)
{
    const size_t m = problem->m, n = problem->n;
    id_solution other = *solution;
    sinpos_status status = id_solution_make(&other, problem);
    double *room = malloc((m * n + 1) * sizeof *room);
    status = room == NULL ? SINPOS_E_MEMORY : status;
    if (status == SINPOS_OK && m >= FEWEST_SHARP &&
        all_residual(problem, solution->theta, solution->p, room) < GOOD_SIGMAS) {
        memcpy(other.theta, solution->theta, m * sizeof *other.theta);
        memcpy(other.p, solution->p, n * sizeof *other.p);
        problem->growth = 0;
        const double before = all_residual(problem, solution->theta, solution->p, room);
        other.residual = id_follow(problem, other.theta, other.p, room);
        id_refine(&other, problem, room);
        problem->growth = USUAL_GROWTH;
        if (other.residual < before) {
            other.residual = all_residual(problem, other.theta, other.p, room);
            const id_solution swap = *solution;
            *solution = other;
            other = swap;
        }
    }
    free(room);
    blocks_free(&other.memory);
    return status;
}

/* ---------------------------------------------------------------------------------------------- guesses */

typedef struct guess_list {
    id_guess guess[160];
    size_t n;
} guess_list;

static void add(guess_list *list, id_family family, double slope)
{
    if (isfinite(slope) && slope != 0 && list->n < sizeof list->guess / sizeof list->guess[0])
        list->guess[list->n++] = (id_guess){.family = family, .slope = slope};
}

/* Angle of tone b over that of tone a, which is slower: the middle of the rows where a has moved. */
static double angle_ratio(const id_problem *problem, size_t a, size_t b, double *room)
{
    double largest = 0;
    size_t n = 0;
    for (size_t row = 0; row < problem->n; row++) {
        const double x = fabs(problem->angle[row * problem->m + a]);
        largest = x > largest ? x : largest;
    }
    for (size_t row = 0; row < problem->n; row++) {
        const double x = problem->angle[row * problem->m + a], y = problem->angle[row * problem->m + b];
        if (fabs(x) > 0.25 * largest && isfinite(y))
            room[n++] = y / x;
    }
    return n == 0 ? NAN : id_median(room, n);
}

/* The same from the row where tone a has moved least: others may have turned. */
static double least_ratio(const id_problem *problem, size_t a, size_t b)
{
    double least = INFINITY, ratio = NAN;
    for (size_t row = 0; row < problem->n; row++) {
        const double x = problem->angle[row * problem->m + a], y = problem->angle[row * problem->m + b];
        const double sure = LEAST_SIGMAS * id_sigma(problem, x, 0);
        if (fabs(x) > sure && fabs(x) < least && isfinite(y)) {
            least = fabs(x);
            ratio = y / x;
        }
    }
    return ratio;
}

static void guess_from_slow(guess_list *list, const id_problem *problem, double *room)
{
    const size_t last = problem->m - 1;
    const double first = last > 0 ? least_ratio(problem, 0, 1) : NAN;
    add(list, ID_LINEAR, first > 1 ? first - 1 : NAN);
    for (size_t k = 1; k <= last; k = k < 4 ? k + 1 : 2 * k) {
        const double falling = angle_ratio(problem, last, last - k, room);
        const double rising = angle_ratio(problem, 0, k, room);
        add(list, ID_GEOMETRIC, falling > 1 ? log(falling) / (double)k : NAN);
        add(list, ID_GEOMETRIC, rising > 1 ? -log(rising) / (double)k : NAN);
        add(list, ID_LINEAR, rising > 1 ? (rising - 1) / (double)k : NAN);
    }
    for (size_t a = 1; a < last && a < 6; a++) { /* the slowest may not have moved, or have turned */
        const double falling = angle_ratio(problem, last - a, last - a - 1, room);
        const double rising = angle_ratio(problem, a, a + 1, room);
        add(list, ID_GEOMETRIC, falling > 1 ? log(falling) : NAN);
        add(list, ID_GEOMETRIC, rising > 1 ? -log(rising) : NAN);
    }
}

/* All, or those near a slope that is known roughly. */
static void guess_usual(guess_list *list, size_t m, const id_guess *near)
{
    static const double bases[] = {1e4, 5e5, 1e6, 100, 1e3, 1e5};
    const double n = (double)m;
    for (size_t i = 0; i < sizeof bases / sizeof bases[0]; i++) {
        const double slopes[] = {log(bases[i]) / n, m > 1 ? log(bases[i]) / (n - 1) : NAN, log(bases[i]) / (n - 0.5)};
        for (size_t k = 0; k < sizeof slopes / sizeof slopes[0]; k++)
            if (near == NULL || fabs(slopes[k] - near->slope) < 0.05 * fabs(near->slope))
                add(list, ID_GEOMETRIC, slopes[k]);
    }
    if (near == NULL && m <= 64)
        add(list, ID_GEOMETRIC, -log(2));
}

/* Bases with few digits, and slopes evenly, within the error of one that is known roughly: far starts need it exactly. */
static void guess_near(guess_list *list, size_t m, const id_guess *known)
{
    const double divisors[] = {(double)m, (double)m - 1}, size = fabs(known->slope);
    for (int digits = 1; digits <= NEAR_DIGITS && known->family == ID_GEOMETRIC; digits++) {
        for (size_t k = 0; k < sizeof divisors / sizeof divisors[0]; k++) {
            const double slope = log(id_rounded(exp(size * divisors[k]), digits)) / divisors[k];
            if (fabs(slope - size) <= known->error)
                add(list, ID_GEOMETRIC, copysign(slope, known->slope));
        }
    }
    for (int k = 1; k <= 2 * NEAR_SLOPES && known->family == ID_GEOMETRIC; k++)
        add(list, ID_GEOMETRIC, known->slope + (k % 2 == 0 ? k / 2 : -(k + 1) / 2) * known->error / NEAR_SLOPES);
}

/* ------------------------------------------------------------------------------------------------ solving */

/* Are angles anywhere in each of the first rows? Most guesses can be dropped so. */
static bool is_hopeless(const id_problem *problem, const double *theta, long turns, double *p, double *room)
{
    id_problem few = *problem;
    few.n = problem->n < TRIAL_ROWS ? problem->n : TRIAL_ROWS;
    read_positions(&few, theta, turns, p, room);
    for (size_t row = 0; row < few.n; row++) {
        const double *angle = problem->angle + row * problem->m;
        size_t n = 0;
        for (size_t i = 0; i < problem->m; i++)
            if (!isnan(angle[i]))
                room[n++] = fabs(id_wrap(angle[i] - theta[i] * p[row]));
        if (n == 0 || id_select(room, n, (3 * n - 1) / 4) < HOPELESS)
            return false;
    }
    return true;
}

static void try_guess(id_solution *best, const id_problem *problem, const id_guess *guess, long turns, double *theta,
                      double *p, double *room)
{
    id_make_theta(guess, theta, problem->m);
    if (isfinite(best->residual) && turns < FEW_TURNS && is_hopeless(problem, theta, turns, p, room))
        return;
    const double residual = id_positions(problem, theta, turns, p, room);
    if (residual < best->residual * 0.999) {
        best->residual = residual;
        best->guess = *guess;
        memcpy(best->theta, theta, problem->m * sizeof *theta);
        memcpy(best->p, p, problem->n * sizeof *p);
    }
}

/* Rows in no order: each is searched for far and wide. */
static void try_far(id_solution *best, const id_problem *problem, const id_guess *guess, double *theta, double *p,
                    double *room)
{
    id_problem scattered = *problem;
    scattered.is_scattered = true;
    try_guess(best, &scattered, guess, MANY_TURNS, theta, p, room);
}

static void try_guesses(id_solution *best, const id_problem *problem, const guess_list *list, long turns, double *theta,
                        double *p, double *room)
{
    for (size_t i = 0; i < list->n && best->residual > 1.5; i++)
        try_guess(best, problem, &list->guess[i], turns, theta, p, room);
}

static void drop_bad_guesses(guess_list *list, const id_problem *few, double *theta, double *p, double *room)
{
    size_t kept = 0;
    for (size_t i = 0; i < list->n; i++) {
        id_make_theta(&list->guess[i], theta, few->m);
        if (id_positions(few, theta, FEW_TURNS - 1, p, room) < NEAR_SIGMAS)
            list->guess[kept++] = list->guess[i];
    }
    list->n = kept;
}

/* Slopes of so many tones apart. */
static void stretch(guess_list *list, size_t stride)
{
    for (size_t i = 0; i < list->n; i++)
        list->guess[i].slope *= (double)stride;
}

/* Guesses, tried on every stride-th tone. */
static void solve_by_guesses(id_solution *solution, const id_problem *problem, size_t stride, const id_guess *known,
                             double *theta, double *p, double *room)
{
    guess_list list = {.n = 0};
    guess_usual(&list, problem->m_all, NULL);
    stretch(&list, stride);
    const guess_list usual = list;
    list.n = 0;
    if (problem->m > 1)
        guess_from_slow(&list, problem, room);
    for (size_t i = 0; i < usual.n; i++)
        add(&list, usual.guess[i].family, usual.guess[i].slope);
    try_guesses(solution, problem, &list, 0, theta, p, room);
    if (known != NULL && solution->residual > NEAR_SIGMAS) {
        list.n = 0;
        guess_usual(&list, problem->m_all, known);
        add(&list, known->family, known->slope);
        stretch(&list, stride);
        try_guesses(solution, problem, &list, ID_MOST_TURNS, theta, p, room);
        list.n = 0;
        if (stride == 1 && (solution->residual > NEAR_SIGMAS || fabs(solution->p[0]) * USUAL_GROWTH > 0.01))
            guess_near(&list, problem->m_all, known);
        try_guesses(solution, problem, &list, FAR_TURNS, theta, p, room);
    }
    if (solution->residual > NEAR_SIGMAS && problem->n > 1) {
        id_problem few = *problem; /* a few rows show whether it is worth it */
        few.n = problem->n < TRIAL_ROWS ? problem->n : TRIAL_ROWS;
        list = usual;
        drop_bad_guesses(&list, &few, theta, p, room);
        try_guesses(solution, problem, &list, FEW_TURNS - 1, theta, p, room);
    }
    id_guess guess;
    if (solution->residual > NEAR_SIGMAS && !problem->is_steady && id_guess_by_turns(&guess, problem, room))
        try_far(solution, problem, &guess, theta, p, room);
}

sinpos_status id_solve(id_solution *solution, const id_problem *of, const id_guess *known)
{
    const size_t most = of->left != NULL && *of->left < ID_MOST_ANGLES ? *of->left : ID_MOST_ANGLES;
    size_t left = most;
    const size_t stride = of->m / MOST_TONES + 1;
    blocks memory = {0};
    double *theta = blocks_take(&memory, of->m, sizeof *theta), *p = blocks_take(&memory, of->n, sizeof *p);
    double *room = blocks_take(&memory, (of->m + 1) * (of->n + 1) + 1, sizeof *room);
    id_problem problem = *of, some = {0};
    problem.left = &left;
    *solution = (id_solution){.residual = INFINITY, .guess = {.family = ID_GEOMETRIC, .slope = 1}};
    sinpos_status status = id_solution_make(solution, of);
    status = status == SINPOS_OK ? blocks_status(&memory) : status;
    if (status == SINPOS_OK && stride > 1)
        status = id_problem_part(&some, &problem, (of->m + stride - 1) / stride, stride);
    if (status == SINPOS_OK && problem.m > 0) {
        solve_by_guesses(solution, stride > 1 ? &some : &problem, stride, known, theta, p, room);
        const bool is_worth = stride == 1 || solution->residual < WORTH_SIGMAS;
        if (stride > 1) {
            solution->guess.slope /= (double)stride;
            id_make_theta(&solution->guess, solution->theta, problem.m);
        }
        if (stride > 1 && is_worth) {
            id_order(solution->theta, problem.m, problem.order);
            solution->residual = id_follow(&problem, solution->theta, solution->p, room);
        }
        if (is_worth) {
            id_refine(solution, &problem, room);
            search_bad_rows(solution, &problem, room);
        }
    }
    if (of->left != NULL)
        *of->left -= most - left;
    blocks_free(&some.memory);
    blocks_free(&memory);
    return status;
}

/* ------------------------------------------------------------------------------------------------- steps */

/* Largest gap between rows that is a step; longer ones make it more exact. */
static double step_of(const id_problem *problem, const size_t *row, size_t tone, double *room)
{
    double step = NAN;
    for (size_t lag = 1; lag < problem->n; lag *= 2) {
        size_t n = 0;
        for (size_t i = 0; i + lag < problem->n; i++) {
            const double a = problem->angle[i * problem->m + tone], b = problem->angle[(i + lag) * problem->m + tone];
            const double gap = (double)(row[i + lag] - row[i]);
            if (isnan(a) || isnan(b) || (lag == 1 && gap != 1))
                continue;
            const double guess = isnan(step) ? 0 : step * gap;
            room[n++] = (guess + id_wrap(b - a - guess)) / gap;
        }
        if (n > 0)
            step = id_median(room, n);
    }
    return step;
}

static size_t n_steady(const id_problem *problem, const size_t *row, size_t tone, double step, size_t *n_pairs)
{
    size_t steady = 0;
    for (size_t i = 0; i + 1 < problem->n; i++) {
        const double a = problem->angle[i * problem->m + tone], b = problem->angle[(i + 1) * problem->m + tone];
        if (isnan(a) || isnan(b) || row[i + 1] != row[i] + 1)
            continue;
        (*n_pairs)++;
        const double sigma = 2 * problem->noise + 64 * problem->unit + 0.01;
        steady += fabs(id_wrap(b - a - step)) < fmin(sigma * 3, 1);
    }
    return steady;
}

sinpos_status id_steps(id_problem *steps, const id_problem *problem, const size_t *row)
{
    sinpos_status status = id_problem_make(steps, problem->m, 1);
    double *room = malloc((problem->n + 1) * sizeof *room);
    size_t steady = 0, pairs = 0;
    status = room == NULL ? SINPOS_E_MEMORY : status;
    for (size_t tone = 0; tone < problem->m && status == SINPOS_OK; tone++) {
        steps->angle[tone] = step_of(problem, row, tone, room);
        steady += n_steady(problem, row, tone, steps->angle[tone], &pairs);
    }
    free(room);
    steps->unit = problem->unit;
    steps->noise = problem->noise / fmax(1, sqrt((double)problem->n));
    double fastest = 0;
    for (size_t tone = 0; tone < problem->m && status == SINPOS_OK; tone++)
        fastest = fmax(fastest, fabs(steps->angle[tone]));
    if (pairs == 0 || 4 * steady < 3 * pairs || !(fastest > 1e-4))
        steps->n = 0;
    return status;
}
