/*
 * diff_rotated.c - two arrays of rotated queries or keys.
 *
 * A pair of columns and the same pair before rotation give the angle of a frequency at a position, averaged over heads
 * and blocks. Where the lengths of the pairs agree, the pairing is known; from one position to the next the angle grows
 * by the frequency. Without the input, A takes its place, and angles are what B is rotated further.
 */
#include "diff_turns.h"

#include <stdio.h>

#include "boundary.h"
#include "two_pi.h"

/* Part of the pairs whose length must agree, and of the angles that must. */
#define LEAST_SHARE 0.9

/* Errors of angles that frequencies and starts are judged by. */
#define SAME_ANGLE 2e-3

typedef struct rotated {
    diff_turns a, b; /* what each is rotated by, from the input on */
    bool has_input;
    sinpos_difference *out;
    size_t n_rows; /* of B */
} rotated;

static const double usual_bases[] = {10000, 500000, 1000000, 100000, 1000, 100, 5000000, 8000000};
enum { N_BASES = sizeof usual_bases / sizeof usual_bases[0] };

static const char *pairing_word(const diff_turns *t)
{
    return t->is_halves ? "halves" : "interleaved";
}

/* --------------------------------------------------------------------------------------------- frequencies */

/* The base of geometric frequencies with divisor m, to as few digits as the angles determine; NaN where there is none. */
static double base_of(const double *theta, size_t m)
{
    if (m < 2 || !(theta[0] > 0) || !(theta[m - 1] > 0) || !(theta[m - 1] < theta[0]))
        return NAN;
    const double slope = log(theta[0] / theta[m - 1]) / (double)(m - 1), base = exp(slope * (double)m);
    for (size_t i = 0; i < m; i++)
        if (fabs(theta[i] / (theta[0] * exp(-slope * (double)i)) - 1) > 0.02)
            return NAN;
    for (int digits = 1; digits <= 6; digits++) {
        const double near = diff_to_digits(base, digits);
        if (fabs(log(near / base)) < 2e-3)
            return near;
    }
    return base;
}

static double nearly(double x)
{
    return fabs(x - nearbyint(x)) < 2e-3 * (1 + fabs(x)) ? nearbyint(x) : x;
}

/* How many steps of these frequencies the angles are; NaN where they are none. The slowest ones tell roughly. */
static double steps_of(const double *theta, const double *re, const double *im, size_t m)
{
    double steps = atan2(im[m - 1], re[m - 1]) / theta[m - 1];
    for (size_t k = m; k-- > 0;) {
        const double off = remainder(atan2(im[k], re[k]) - steps * theta[k], TWO_PI);
        steps += off / theta[k];
    }
    steps = nearly(steps);
    for (size_t k = 0; k < m; k++)
        if (fabs(remainder(atan2(im[k], re[k]) - steps * theta[k], TWO_PI)) > SAME_ANGLE * (1 + fabs(steps)))
            return NAN;
    return steps;
}

/* ------------------------------------------------------------------------------------------------- causes */

static void say_pairing(rotated *r)
{
    sinpos_diff_cause *cause = diff_cause_add(r->out, SINPOS_DIFF_LAYOUT, NAN, NAN, r->n_rows);
    diff_cause_words(cause, pairing_word(&r->a), pairing_word(&r->b));
    snprintf(cause->text, sizeof cause->text, "B pairs %s, A %s",
             r->b.is_halves ? "halves: columns j and j + d/2" : "neighbours: columns 2j and 2j + 1",
             r->b.is_halves ? "neighbours" : "halves");
}

static void say_start(rotated *r, double a, double b)
{
    const double by = b - a;
    sinpos_diff_cause *cause = diff_cause_add(r->out, SINPOS_DIFF_START, a, b, r->n_rows);
    if (fabs(by) == 1)
        snprintf(cause->text, sizeof cause->text, "B is A rotated one position %s", by > 0 ? "further" : "back");
    else
        snprintf(cause->text, sizeof cause->text, "B is A rotated %.10g positions %s", fabs(by),
                 by > 0 ? "further" : "back");
}

/* Frequencies of both are known: what differs? False where nothing simple does. */
static bool say_frequencies(rotated *r, const double *a, const double *b)
{
    const size_t m = r->a.m;
    bool is_same = true, is_back = true, is_ratio = true, is_still = true;
    for (size_t i = 0; i < m; i++) {
        is_same = is_same && fabs(a[i] - b[i]) <= 1e-4 * fabs(a[i]) + 1e-7;
        is_back = is_back && fabs(a[i] + b[i]) <= 1e-4 * fabs(a[i]) + 1e-7;
        is_still = is_still && fabs(b[i]) <= 1e-7;
        is_ratio = is_ratio && fabs(b[i] / b[0] * a[0] / a[i] - 1) <= 1e-3;
    }
    if (is_same)
        return true;
    if (is_back) {
        sinpos_diff_cause *cause = diff_cause_add(r->out, SINPOS_DIFF_SIGN, 1, -1, r->n_rows);
        snprintf(cause->text, sizeof cause->text, "B is rotated the other way");
        return true;
    }
    if (is_ratio || is_still) {
        diff_cause_add(r->out, SINPOS_DIFF_STEP, nearly(a[0]), is_still ? 0 : nearly(b[0]), r->n_rows);
        return true;
    }
    const double one = base_of(a, m), other = base_of(b, m);
    if (isnan(one) || isnan(other))
        diff_cause_add(r->out, SINPOS_DIFF_FREQUENCIES, NAN, NAN, r->n_rows);
    else
        diff_cause_add(r->out, SINPOS_DIFF_BASE, one, other, r->n_rows);
    return !isnan(one) && !isnan(other);
}

/* Angles of both from the input on. */
static sinpos_status say_both(rotated *r)
{
    const size_t m = r->a.m;
    double *theta = calloc(2 * m, sizeof *theta);
    if (theta == NULL)
        return SINPOS_E_MEMORY;
    if (r->a.is_halves != r->b.is_halves)
        say_pairing(r);
    if (fabs(r->b.amplitude / r->a.amplitude - 1) > 1e-4)
        diff_cause_add(r->out, SINPOS_DIFF_SCALE, r->a.amplitude, r->b.amplitude, r->n_rows);
    if (diff_turns_frequencies(&r->a, theta) && diff_turns_frequencies(&r->b, theta + m) &&
        say_frequencies(r, theta, theta + m)) {
        const double a = steps_of(theta, r->a.re, r->a.im, m), b = steps_of(theta + m, r->b.re, r->b.im, m);
        if (!isnan(a) && !isnan(b) && a != b)
            say_start(r, a, b);
    }
    free(theta);
    return SINPOS_OK;
}

/* ---------------------------------------------------------------------------------------- without an input */

static void theta_of_base(double base, size_t m, double *theta)
{
    for (size_t i = 0; i < m; i++)
        theta[i] = pow(base, -(double)i / (double)m);
}

/* The same further rotation in every row: k positions of some base. */
static bool say_further(rotated *r, double *theta)
{
    const diff_turns *t = &r->b;
    const size_t m = t->m;
    double further = NAN;
    for (size_t p = 1; p < t->n; p++)
        for (size_t i = 0; i < m; i++)
            if (hypot(t->re[p * m + i] - t->re[i], t->im[p * m + i] - t->im[i]) > SAME_ANGLE)
                return false;
    for (size_t k = 0; k < N_BASES && (isnan(further) || further != nearbyint(further)); k++) {
        theta_of_base(usual_bases[k], m, theta);
        further = steps_of(theta, t->re, t->im, m);
    }
    if (isnan(further)) { /* the base itself, from slow tones */
        const double last = atan2(t->im[m - 1], t->re[m - 1]), half = atan2(t->im[m / 2], t->re[m / 2]);
        const double slope = m > 2 ? log(half / last) / (double)(m - 1 - m / 2) : NAN;
        theta_of_base(exp(slope * (double)m), m, theta);
        further = slope > 0 ? steps_of(theta, t->re, t->im, m) : NAN;
    }
    if (!isnan(further) && further != 0)
        say_start(r, 0, further);
    return !isnan(further);
}

/* The rotation grows with the position: two bases whose frequencies differ by so much. */
static bool say_bases(rotated *r, double *theta)
{
    const size_t m = r->b.m;
    double *a = theta + m, *b = theta + 2 * m;
    if (!diff_turns_frequencies(&r->b, theta))
        return false;
    for (size_t i = 0; i < N_BASES; i++)
        for (size_t k = 0; k < N_BASES; k++) {
            bool is_all = i != k;
            theta_of_base(usual_bases[i], m, a);
            theta_of_base(usual_bases[k], m, b);
            for (size_t j = 0; j < m && is_all; j++)
                is_all = fabs(b[j] - a[j] - theta[j]) <= 1e-4 * fabs(a[j]) + 1e-6;
            if (!is_all)
                continue;
            diff_cause_add(r->out, SINPOS_DIFF_BASE, usual_bases[i], usual_bases[k], r->n_rows);
            const double start = steps_of(b, r->b.re, r->b.im, m);
            if (!isnan(start) && start != 0)
                say_start(r, 0, start);
            return true;
        }
    return false;
}

/* A's own frequencies once more, or back: another step, or the other way. */
static bool say_steps(rotated *r, double *theta)
{
    const size_t m = r->b.m;
    double *a = theta + m;
    if (!diff_turns_frequencies(&r->b, theta))
        return false;
    for (size_t k = 0; k < N_BASES; k++) {
        theta_of_base(usual_bases[k], m, a);
        const double more = nearly(theta[0]);
        bool is_all = more != 0;
        for (size_t j = 0; j < m && is_all; j++)
            is_all = fabs(more * a[j] - theta[j]) <= 1e-4 * fabs(theta[j]) + 1e-6;
        if (!is_all)
            continue;
        sinpos_diff_cause *cause = diff_cause_add(r->out, more == -2 ? SINPOS_DIFF_SIGN : SINPOS_DIFF_STEP, 1,
                                                  more == -2 ? -1 : 1 + more, r->n_rows);
        if (more == -2)
            snprintf(cause->text, sizeof cause->text, "B is rotated the other way");
        return true;
    }
    return false;
}

static sinpos_status say_alone(rotated *r, bool *is_found)
{
    double *theta = calloc(3 * r->b.m, sizeof *theta);
    if (theta == NULL)
        return SINPOS_E_MEMORY;
    if (fabs(r->b.amplitude - 1) > 1e-4)
        diff_cause_add(r->out, SINPOS_DIFF_SCALE, 1, r->b.amplitude, r->n_rows);
    *is_found = say_further(r, theta) || say_bases(r, theta) || say_steps(r, theta);
    free(theta);
    return SINPOS_OK;
}

/* -------------------------------------------------------------------------------------------------- order */

/* A rotated back by a usual base in one pairing, and forth in the other: is that B? */
static sinpos_status try_pairings(rotated *r, const diff_side *a, const diff_side *b, diff_heads heads, bool *is_found)
{
    sinpos_status status = SINPOS_OK;
    for (size_t k = 0; k < 2 * N_BASES && !*is_found && status == SINPOS_OK; k++) {
        const diff_turning turning = {.base = usual_bases[k / 2], .is_halves = k % 2 == 0};
        double share = 0;
        status = diff_turned_share(a, b, heads, &turning, &share);
        if (status != SINPOS_OK || share < LEAST_SHARE)
            continue;
        *is_found = true;
        r->a.is_halves = turning.is_halves;
        r->b.is_halves = !turning.is_halves;
        say_pairing(r);
    }
    return status;
}

static sinpos_status compare(rotated *r, const diff_side *a, const diff_side *b, const diff_side *input,
                             diff_heads heads)
{
    bool is_found = false;
    sinpos_status status = diff_turns_take(&r->b, r->has_input ? input : a, b, heads);
    if (status == SINPOS_OK && r->has_input)
        status = diff_turns_take(&r->a, input, a, heads);
    if (status != SINPOS_OK)
        return status;
    if (r->has_input && r->a.share >= LEAST_SHARE && r->b.share >= LEAST_SHARE) {
        status = say_both(r);
        is_found = r->out->n_causes > 0;
    } else if (!r->has_input && r->b.share >= LEAST_SHARE) {
        status = say_alone(r, &is_found);
    } else if (!r->has_input) {
        status = try_pairings(r, a, b, heads, &is_found);
    }
    if (status == SINPOS_OK && !is_found && r->out->n_causes == 0)
        diff_cause_add(r->out, SINPOS_DIFF_UNRELATED, NAN, NAN, r->n_rows);
    return status;
}

/* Elements that differ, as they stand. */
static sinpos_status count(const diff_side *a, const diff_side *b, sinpos_difference *out)
{
    const size_t most = diff_piece(a->dim);
    double *x = malloc(most * a->dim * sizeof *x), *y = malloc(most * a->dim * sizeof *y);
    diff_score score = {0};
    sinpos_status status = x == NULL || y == NULL ? SINPOS_E_MEMORY : SINPOS_OK;
    for (size_t first = 0, n; first < a->n && status == SINPOS_OK; first += n) {
        n = a->n - first < most ? a->n - first : most;
        status = diff_side_read(a, first, n, x);
        status = status != SINPOS_OK ? status : diff_side_read(b, first, n, y);
        for (size_t i = 0; i < n * a->dim && status == SINPOS_OK; i++)
            diff_score_add(&score, y[i], x[i], type_unit(b->type));
    }
    free(x);
    free(y);
    out->elements = score.all;
    out->wrong = score.wrong;
    out->max_abs_error = score.max_abs_error;
    return status;
}

static sinpos_status check(diff_side side[3], const sinpos_table *const *tables, diff_heads heads)
{
    for (size_t k = 0; k < 3; k++) {
        const sinpos_status status = tables[k] == NULL ? SINPOS_OK : diff_side_make(&side[k], tables[k]);
        if (status != SINPOS_OK)
            return status;
        if (tables[k] != NULL && (side[k].n != side[0].n || side[k].dim != side[0].dim))
            return SINPOS_E_SHAPE;
    }
    const bool fits = heads.n > 0 && heads.n_heads > 0 && heads.n <= SIZE_MAX / heads.n_heads &&
                      side[0].n % (heads.n * heads.n_heads) == 0 && side[0].dim % 2 == 0;
    return fits ? SINPOS_OK : SINPOS_E_SHAPE;
}

sinpos_status sinpos_diff_rotated(sinpos_difference **out, const sinpos_table *a, const sinpos_table *b,
                                  const sinpos_table *input, size_t n, size_t n_heads, size_t n_threads)
{
    BOUNDARY;
    const sinpos_table *const tables[] = {a, b, input};
    const diff_heads heads = {n, n_heads};
    diff_side side[3] = {{0}};
    if (out == NULL || a == NULL || b == NULL)
        return SINPOS_E_NULL;
    *out = NULL;
    sinpos_status status = n_threads > 1024 ? SINPOS_E_VALUE : check(side, tables, heads);
    sinpos_difference *found = status == SINPOS_OK ? calloc(1, sizeof *found) : NULL;
    if (found == NULL)
        return status != SINPOS_OK ? status : SINPOS_E_MEMORY;
    status = count(&side[0], &side[1], found);
    found->same = found->wrong == 0 && side[0].type == side[1].type;
    rotated r = {.has_input = input != NULL, .out = found, .n_rows = side[1].n};
    if (status == SINPOS_OK && found->wrong > 0)
        status = compare(&r, &side[0], &side[1], &side[2], heads);
    if (status == SINPOS_OK && found->n_causes > 0 && found->causes[0].kind != SINPOS_DIFF_UNRELATED)
        status = diff_turned_rest(&r.a, &r.b, &side[input != NULL ? 2 : 0], &side[1], heads, found);
    diff_turns_free(&r.a);
    diff_turns_free(&r.b);
    diff_write_texts(found);
    if (status != SINPOS_OK) {
        sinpos_difference_destroy(found);
        return status;
    }
    *out = found;
    return SINPOS_OK;
}
