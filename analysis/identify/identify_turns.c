/*
 * identify_turns.c - frequencies in equal ratios from one row at any position.
 *
 * Two neighbouring tones give ratio and position, but for the turns that each has made. These are tried, fewest first;
 * the tones that follow must then be where the ratio puts them.
 */
#include "identify.h"

/* The largest frequency over the smallest, and the largest ratio of neighbours. */
#define MOST_SPAN 0x1p30
#define MOST_RATIO 16
#define LEAST_RATIO 1.001

/* Errors within which a tone is where it should be, and the largest distance that says anything. */
#define ALLOWED_SIGMAS 6
#define FARTHEST 0.6

/* What the tones that follow must say, in bits, beyond the choice of the turns. */
#define LEAST_SAID 24

#define MOST_TRIED 0x1p18

/* A double of a larger angle does not give its place on the circle. */
#define MOST_FULL 0x1p44

/* Angles of one row from slow to fast: tone 0 is the slowest, or the last one. */
typedef struct row_angles {
    const id_problem *problem;
    const double *angle;
    bool is_falling;
} row_angles;

static double angle_of(const row_angles *r, size_t j)
{
    return r->angle[r->is_falling ? r->problem->m - 1 - j : j];
}

/* ln of the ratio by least squares: ln full = ln p + j ln ratio, the faster the surer. */
static double ratio_of(const double *full, size_t n)
{
    double weight = 0, x = 0, y = 0, xx = 0, xy = 0;
    for (size_t j = 0; j < n; j++) {
        const double w = full[j] * full[j], value = log(fabs(full[j]));
        weight += w;
        x += w * (double)j;
        y += w * value;
        xx += w * (double)j * (double)j;
        xy += w * (double)j * value;
    }
    return (weight * xy - x * y) / (weight * xx - x * x);
}

/* Do all tones follow the first two, full[0] and full[1]? Their whole angles; bits are what they say. */
static bool follow(const row_angles *r, double *full, double *bits)
{
    *bits = 0;
    for (size_t j = 2; j < r->problem->m; j++) {
        const double before = full[j - 2], last = full[j - 1], next = last / before * last, angle = angle_of(r, j);
        full[j] = next;
        if (isnan(angle))
            continue;
        const double share =
            2 * id_sigma(r->problem, 1, last) / fabs(last) + id_sigma(r->problem, 1, before) / fabs(before);
        const double allowed = ALLOWED_SIGMAS * (id_sigma(r->problem, 1, next) + fabs(next) * share);
        if (!(allowed < FARTHEST && fabs(next) < MOST_FULL))
            return false;
        const double off = id_wrap(angle - next);
        if (fabs(off) > allowed)
            return false;
        full[j] = next + off;
        *bits += log2(TWO_PI / 2 / allowed);
    }
    return true;
}

typedef struct search {
    double most_ratio;
    double tried;
    double *full; /* (m) */
    id_guess *guess;
} search;

/* One row whose slowest tone has turned so often. */
static bool try_turns(search *s, const row_angles *r, double turns)
{
    const double first = angle_of(r, 0) + turns * TWO_PI, second = angle_of(r, 1), sign = first < 0 ? -1 : 1;
    if (!(fabs(first) > 0x1p6 * id_sigma(r->problem, 1, first)))
        return false;
    const double from = ceil((sign * first * LEAST_RATIO - sign * second) / TWO_PI);
    const double to = floor((sign * first * s->most_ratio - sign * second) / TWO_PI);
    for (double own = from; own <= to; own++) {
        double bits;
        s->full[0] = first;
        s->full[1] = second + sign * own * TWO_PI;
        s->tried++;
        if (follow(r, s->full, &bits) && bits > LEAST_SAID + log2(s->tried)) {
            const double slope = ratio_of(s->full, r->problem->m);
            *s->guess = (id_guess){.family = ID_GEOMETRIC, .slope = r->is_falling ? slope : -slope};
            return true;
        }
    }
    return false;
}

bool id_guess_by_turns(id_guess *guess, const id_problem *problem, double *room)
{
    const size_t m = problem->m;
    const double most = pow(MOST_SPAN, 1 / fmax(1, (double)m - 1));
    search s = {.most_ratio = fmin(most, MOST_RATIO), .full = room, .guess = guess};
    const double left = problem->left != NULL && *problem->left < MOST_TRIED ? (double)*problem->left : MOST_TRIED;
    bool is_found = false;
    for (long turns = 0; m > 3 && s.tried < left && turns < ID_MOST_TURNS && !is_found; turns++) {
        for (size_t i = 0; i < 4 * problem->n && !is_found; i++) {
            const row_angles r = {problem, problem->angle + i / 4 * m, i % 2 == 0};
            is_found = try_turns(&s, &r, (double)(i % 4 < 2 ? turns : -turns));
        }
    }
    if (problem->left != NULL)
        *problem->left -= s.tried < left ? (size_t)s.tried : *problem->left;
    return is_found;
}
