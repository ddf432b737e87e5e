/*
 * identify_start.c - the first position of consecutive rows, however far away.
 *
 * From row to row the angle of each tone grows by its step, and so a line through the rows gives its angle in the middle
 * of them, modulo whole turns, much nearer than one row does. The fastest tone may have made any number of turns. Each
 * number gives its whole angle, the steps then give that of the second tone, the two of them the ratio of frequencies,
 * and this ratio the angles of all slower tones, which must be there.
 */
#include "identify.h"

/* Rows away at most, and looks at the second tone: of starts that are whole numbers many are tried, of others few. */
#define MOST_START 0x1p20
#define MOST_LOOKS 0x1p18

/* Errors within which a tone is where it should be, and the largest that says anything, in turns. */
#define ALLOWED_SIGMAS 6
#define MOST_DOUBT (1.0 / 16)

#define LOG2_E 1.4426950408889634

/* Relative errors of angles in code that multiplies in float32. */
#define USUAL_GROWTH 0x1p-24

/* A step that is known no better may also have the other sign. */
#define LEAST_STEP_ERROR 0.1

/* Bits beyond the choice of the turns, and those with which no other start is looked for. */
#define LEAST_SAID 12
#define PLENTY 60

/* Turns of the second tone that are tried for each of the first. */
#define MOST_SECOND 64

typedef struct search {
    const id_steady *tone;
    size_t n, second; /* tones, and the first of another frequency than the fastest */
    double turn, middle;
    double growth; /* of errors with angles, as where code multiplies in float32 */
    bool is_whole; /* starts are whole numbers, and the first frequency is 1 */
    double *full;  /* (n) angles with whole turns */
    double tried, looks;
    id_start best;
} search;

static double square(double x)
{
    return x * x;
}

static double square_error(const search *s, size_t tone, double full)
{
    return square(s->tone[tone].angle_error) + square(s->growth * full);
}

static double off_turns(double turn, double angle)
{
    const double whole = angle / turn + 0x1.8p52; /* rounds, as in id_wrap() */
    return angle - turn * (whole - 0x1.8p52);
}

/* What it says that x, off by so much, is within a standard error of 0 rather than anywhere in `range`; in bits. */
static double bits_of(double range, double square_off, double square_of_error)
{
    return log2(range / sqrt(TWO_PI * square_of_error)) - square_off / (2 * square_of_error) * LOG2_E;
}

/* Are the tones after the second where the first two put them? What that says is counted in a second pass. */
static bool follow(search *s, bool counts, double *bits)
{
    const id_steady *tone = s->tone;
    const double first = s->full[0], share = sqrt(square_error(s, 0, first)) / fabs(first);
    for (size_t j = s->second + 1; j < s->n; j++) {
        const double before = s->full[j - 1],
                     part = (tone[j].index - tone[j - 1].index) / (tone[j - 1].index - tone[0].index);
        const double ratio = part == 1   ? before / first
                             : part == 0 ? 1
                                         : pow(before / first, part),
                     next = before * ratio;
        const double doubt = (1 + part) * ratio * sqrt(square_error(s, j - 1, before)) + part * share * fabs(next);
        const double error = square_error(s, j, next) + square(doubt), off = off_turns(s->turn, tone[j].angle - next);
        if (!(error < square(MOST_DOUBT * s->turn)) || off * off > square(ALLOWED_SIGMAS) * error)
            return false;
        s->full[j] = next + off;
        *bits += counts ? bits_of(s->turn, off * off, error) : 0;
    }
    return true;
}

/* ln |full| = ln |full_0| - slope index by least squares. */
static void set_slope(const search *s, id_start *start)
{
    double w = 0, x = 0, y = 0, xx = 0, xy = 0;
    for (size_t j = 0; j < s->n; j++) {
        const double index = s->tone[j].index, value = log(fabs(s->full[j]));
        const double weight = square(s->full[j]) / square_error(s, j, s->full[j]);
        w += weight;
        x += weight * index;
        y += weight * value;
        xx += weight * index * index;
        xy += weight * index * value;
    }
    const double spread = xx - x * x / w;
    start->slope = -(xy - x * y / w) / spread;
    start->slope_error = 3 / sqrt(spread);
    start->angle = copysign(exp(y / w + start->slope * x / w), s->full[0]);
}

/* How far the start is from a whole number. */
static double off_whole(const search *s)
{
    const double start = (s->tone[0].step < 0 ? -s->full[0] : s->full[0]) - s->middle;
    return off_turns(1, start);
}

/* The first angle as it is, the second with as many turns as the steps allow. */
static void try_seconds(search *s)
{
    const id_steady *fast = &s->tone[0], *next = &s->tone[s->second];
    const double ratio = next->step / fast->step, guess = s->full[0] * ratio;
    const double doubt = fabs(guess) * (fast->step_error / fabs(fast->step) + next->step_error / fabs(next->step));
    const double errors = sqrt(square_error(s, s->second, guess)) + sqrt(square_error(s, 0, s->full[0])) * fabs(ratio);
    const double reach = ALLOWED_SIGMAS * (doubt + errors), nearest = guess + off_turns(s->turn, next->angle - guess);
    const double most = fmin(floor(reach / s->turn), MOST_SECOND / 2);
    for (double k = -most; k <= most; k++) {
        double bits = 0;
        s->full[s->second] = nearest + k * s->turn;
        s->looks++;
        if (fabs(s->full[s->second] - guess) > reach || !(s->full[s->second] / s->full[0] > 0))
            continue;
        s->tried++;
        if (!follow(s, false, &bits))
            continue;
        (void)follow(s, true, &bits);
        const double whole = s->is_whole ? bits_of(1, square(off_whole(s)), square_error(s, 0, s->full[0])) : 0;
        id_start start = {.bits = bits + whole - log2(s->tried)};
        if (start.bits > s->best.bits) {
            set_slope(s, &start);
            s->best = start;
        }
    }
}

/* Other columns of the fastest tone. */
static bool follow_first(search *s)
{
    for (size_t j = 1; j < s->second; j++) {
        const double off = off_turns(s->turn, s->tone[j].angle - s->full[0]);
        if (fabs(off) > ALLOWED_SIGMAS * (s->tone[j].angle_error + s->tone[0].angle_error))
            return false;
        s->full[j] = s->full[0] + off;
    }
    return true;
}

static void try_turns(search *s)
{
    const id_steady *fast = &s->tone[0];
    const double most = MOST_START * fabs(fast->step) / s->turn;
    s->tried = s->looks = 0;
    for (double k = 0; k < 2 * most && s->best.bits < PLENTY && s->looks < MOST_LOOKS; k++) {
        s->full[0] = fast->angle + ((int64_t)k % 2 == 0 ? k / 2 : -(k + 1) / 2) * s->turn;
        const double error = square(ALLOWED_SIGMAS) * square_error(s, 0, s->full[0]);
        s->tried++;
        if (s->is_whole && square(off_whole(s)) > error)
            continue;
        if (square(s->full[0]) > error && follow_first(s))
            try_seconds(s);
    }
}

/* Do the steps follow a formula, as nearly as they are known? */
static bool are_steps_even(const search *s)
{
    const id_steady *first = &s->tone[0], *second = &s->tone[s->second];
    const double of_first = first->step_error / fabs(first->step);
    for (size_t j = s->second + 1; j < s->n; j++) {
        const id_steady *own = &s->tone[j];
        const double span = second->index - first->index, far = own->index - first->index;
        const double one = log(second->step / first->step) / span, other = log(own->step / first->step) / far;
        const double near = (second->step_error / fabs(second->step) + of_first) / span;
        if (!(fabs(one - other) <= ALLOWED_SIGMAS * (near + (own->step_error / fabs(own->step) + of_first) / far)))
            return own->step_error > LEAST_STEP_ERROR * fabs(own->step);
    }
    return true;
}

id_start id_find_start(const id_steady *tone, size_t n, double turn, double middle, double *room)
{
    search s = {.tone = tone, .n = n, .second = 1, .turn = turn, .middle = middle, .full = room};
    s.best.bits = LEAST_SAID;
    while (s.second < n && tone[s.second].index == tone[0].index)
        s.second++;
    if (n < 3 || s.second == n || !are_steps_even(&s))
        return (id_start){0};
    const bool may_be_whole = tone[0].index == 0 && fabs(fabs(tone[0].step) - 1) <= ALLOWED_SIGMAS * tone[0].step_error;
    for (int k = 0; k < 4 && s.best.bits == LEAST_SAID; k++) { /* as of exact tables first */
        s.growth = k < 2 ? 0 : USUAL_GROWTH;
        s.is_whole = k % 2 == 0;
        if (may_be_whole || !s.is_whole)
            try_turns(&s);
    }
    return s.best.bits == LEAST_SAID ? (id_start){0} : s.best;
}

/* ------------------------------------------------------------------------------------------------------- lines */

/* Elements that are farther from the line, in units of the usual distance, are left out. */
#define FAR_SPREADS 6

/* Rounding errors of as many rows are one where the angle does not leave its unit. */
static double apart(double n, double step, double span, double unit)
{
    return fmin(n, 1 + fabs(step) * span / (2 * unit));
}

/* Angle and step of one tone at the middle of the rows; false where too few rows have it. room: (2 n) */
static bool find_line(id_steady *line, const id_problem *problem, const size_t *row, size_t tone, double step,
                      double middle, double *room)
{
    double *off = room, *size = room + problem->n, sines = 0, cosines = 0, n = 0, x = 0, xx = 0, y = 0, xy = 0, yy = 0;
    size_t known = 0;
    for (size_t i = 0; i < problem->n; i++) {
        off[i] = problem->angle[i * problem->m + tone] - step * ((double)row[i] - middle);
        sines += isnan(off[i]) ? 0 : sin(off[i]);
        cosines += isnan(off[i]) ? 0 : cos(off[i]);
    }
    const double angle = atan2(sines, cosines);
    for (size_t i = 0; i < problem->n; i++) {
        off[i] = id_wrap(off[i] - angle);
        if (!isnan(off[i]))
            size[known++] = fabs(off[i]);
    }
    const double limit = known == 0 ? 0 : FAR_SPREADS * id_median(size, known) + 1e-15;
    for (size_t i = 0; i < problem->n; i++) {
        if (!(fabs(off[i]) <= limit))
            continue;
        const double at = (double)row[i] - middle;
        n++;
        x += at;
        y += off[i];
        xx += at * at;
        xy += at * off[i];
        yy += off[i] * off[i];
    }
    const double square = xx - x * x / n, slope = (xy - x * y / n) / square;
    if (n < 4 || !(square > 0))
        return false;
    const double left = (yy - y * y / n - slope * (xy - x * y / n)) / (n - 2);
    const double spread = fmax(sqrt(fmax(left, 0)), id_sigma(problem, angle, 0) / 2);
    const double share = n / apart(n, step, (double)(row[problem->n - 1] - row[0]), problem->unit);
    line->angle = angle + y / n - slope * x / n;
    line->step = step + slope;
    line->angle_error = spread * sqrt(share / n);
    line->step_error = spread * sqrt(share / square);
    return true;
}

sinpos_status id_solve_steady(id_solution *solution, const id_problem *problem, const id_problem *steps,
                              const size_t *row, double *bits)
{
    const size_t m = problem->m, n = problem->n;
    blocks memory = {0};
    id_steady *tone = blocks_take(&memory, m, sizeof *tone);
    double *room = blocks_take(&memory, m * n + 2 * n + m + 1, sizeof *room);
    sinpos_status status = id_solution_make(solution, problem);
    status = status != SINPOS_OK ? status : blocks_status(&memory);
    solution->residual = INFINITY;
    *bits = 0;
    if (status == SINPOS_OK && m > 0 && n > 0) {
        const bool is_rising = fabs(steps->angle[0]) < fabs(steps->angle[m - 1]);
        double middle = 0;
        size_t known = 0;
        for (size_t i = 0; i < n; i++)
            middle += (double)row[i] / (double)n;
        for (size_t j = 0; j < m; j++) {
            const size_t at = is_rising ? m - 1 - j : j;
            if (find_line(&tone[known], problem, row, at, steps->angle[at], middle, room))
                tone[known++].index = (double)j;
        }
        const id_start start = id_find_start(tone, known, TWO_PI, middle, room);
        if (start.bits > 0) {
            const double last = (double)(m - 1), ratio = is_rising ? exp(-start.slope * last) : 1;
            const double step = tone[0].step * exp(start.slope * tone[0].index) * ratio;
            solution->guess = (id_guess){.family = ID_GEOMETRIC, .slope = is_rising ? -start.slope : start.slope};
            solution->slope_error = start.slope_error;
            id_make_theta(&solution->guess, solution->theta, m);
            for (size_t i = 0; i < n; i++)
                solution->p[i] = start.angle * ratio + step * ((double)row[i] - middle);
            solution->residual = id_follow(problem, solution->theta, solution->p, room);
            id_refine(solution, problem, room);
            *bits = start.bits;
        }
    }
    blocks_free(&memory);
    return status;
}
