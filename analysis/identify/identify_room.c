/*
 * identify_room.c - what the elements of a table leave for changes of the numbers of a formula.
 *
 * Each element leaves two inequalities, linear in the changes. Least squares come near to what all leave; then each
 * element that is outside its room pulls, in the metric of least squares, until none is.
 */
#include "identify_room.h"

/* For each margin: over all elements, and after each of these over those that pulled. */
#define MOST_SWEEPS 10
#define MOST_AGAIN 10
/* In standard errors: where a sweep moves less, elements pull in turn for ever. */
#define LEAST_MOVE 0x1p-10

static double off(const id_element *e, const double *change)
{
    double made = 0;
    for (int j = 0; j < ID_NUMBERS; j++)
        made += e->slope[j] * change[j];
    return made;
}

static bool is_altered(const id_room *room, const id_element *e, double made)
{
    const double half = (e->high - e->low) / 2;
    return fabs(made - e->low - half) > ID_ALTERED * (half > room->usual ? half : room->usual);
}

double id_room_distance(const id_room *room, const id_element *e, const double *change)
{
    const double half = (e->high - e->low) / 2;
    return fabs(off(e, change) - e->low - half) / fmax(half, room->usual);
}

bool id_room_is_free(const id_room *room, int j)
{
    return (room->free >> j & 1) != 0;
}

/* Solves the symmetric equations of the free numbers, by elimination; what is undetermined does not change. */
static void solve(const id_room *room, double a[ID_NUMBERS][ID_NUMBERS], double *b)
{
    double size[ID_NUMBERS];
    for (int j = 0; j < ID_NUMBERS; j++)
        size[j] = a[j][j];
    for (int j = 0; j < ID_NUMBERS; j++) {
        const bool is_known = id_room_is_free(room, j) && a[j][j] > 1e-13 * size[j] && a[j][j] > 0;
        for (int k = 0; k < ID_NUMBERS; k++) {
            const double factor = is_known && k != j ? a[k][j] / a[j][j] : 0;
            for (int l = 0; l < ID_NUMBERS; l++)
                a[k][l] -= factor * a[j][l];
            b[k] -= factor * b[j];
        }
        if (!is_known) {
            for (int k = 0; k < ID_NUMBERS; k++)
                a[j][k] = a[k][j] = 0;
            b[j] = 0;
        }
    }
    for (int j = 0; j < ID_NUMBERS; j++)
        b[j] = a[j][j] > 0 ? b[j] / a[j][j] : 0;
}

/* Of the middle of its room, the heavier the smaller that is. */
static void add_equation(const id_element *e, double a[ID_NUMBERS][ID_NUMBERS], double *b)
{
    const double half = (e->high - e->low) / 2, weight = 1 / (half * half), middle = e->low + half;
    for (int j = 0; j < ID_NUMBERS; j++) {
        b[j] += weight * e->slope[j] * middle;
        for (int k = 0; k < ID_NUMBERS; k++)
            a[j][k] += weight * e->slope[j] * e->slope[k];
    }
}

void id_room_least_squares(const id_room *room, double farthest, double *change)
{
    double a[ID_NUMBERS][ID_NUMBERS] = {{0}}, b[ID_NUMBERS] = {0};
    for (size_t i = 0; i < room->n; i++) {
        const id_element *e = &room->elements[i];
        if (id_room_distance(room, e, change) <= farthest)
            add_equation(e, a, b);
    }
    solve(room, a, b);
    memcpy(change, b, ID_NUMBERS * sizeof *change);
}

double id_room_far(id_room *room, const double *change)
{
    for (size_t i = 0; i < room->n; i++)
        room->distances[i] = id_room_distance(room, &room->elements[i], change);
    return room->n == 0 ? 0 : ID_ALTERED * fmax(1, id_median(room->distances, room->n));
}

void id_room_metric(const id_room *room, double metric[ID_NUMBERS][ID_NUMBERS])
{
    double equations[ID_NUMBERS][ID_NUMBERS] = {{0}}, sums[ID_NUMBERS] = {0};
    for (size_t i = 0; i < room->n; i++)
        add_equation(&room->elements[i], equations, sums);
    for (int column = 0; column < ID_NUMBERS; column++) {
        double a[ID_NUMBERS][ID_NUMBERS], b[ID_NUMBERS] = {0};
        memcpy(a, equations, sizeof a);
        b[column] = 1;
        solve(room, a, b);
        for (int j = 0; j < ID_NUMBERS; j++)
            metric[j][column] = id_room_is_free(room, column) ? b[j] : 0;
    }
}

/* How far an element lies outside its room, less a margin on either side; with its sign. */
static double outside(const id_element *e, double made, double margin)
{
    const double inner = margin * (e->high - e->low) / 2, low = e->low + inner - made, high = made - e->high + inner;
    return (low > 0 ? low : 0) - (high > 0 ? high : 0);
}

static void pull(const id_element *e, double metric[ID_NUMBERS][ID_NUMBERS], double out, double *change)
{
    double move[ID_NUMBERS] = {0}, size = 0;
    for (int j = 0; j < ID_NUMBERS; j++) {
        for (int k = 0; k < ID_NUMBERS; k++)
            move[j] += metric[j][k] * e->slope[k];
        size += e->slope[j] * move[j];
    }
    for (int j = 0; j < ID_NUMBERS && size > 0; j++)
        change[j] += out * move[j] / size;
}

/* One sweep over all elements, or over the n that pulled: each one that is outside pulls. How many these are. */
static size_t sweep(const id_room *room, size_t n, bool is_of_all, double metric[ID_NUMBERS][ID_NUMBERS], double margin,
                    double *change)
{
    size_t pulled = 0;
    for (size_t i = 0; i < n; i++) {
        const size_t at = is_of_all ? i : room->pulling[i];
        const id_element *e = &room->elements[at];
        const double made = off(e, change), out = outside(e, made, margin);
        if (out == 0 || is_altered(room, e, made))
            continue;
        pull(e, metric, out, change);
        room->pulling[pulled++] = at;
    }
    return pulled;
}

/* True where no element is outside its room any more. */
static bool move(const id_room *room, double metric[ID_NUMBERS][ID_NUMBERS], double margin, double *change)
{
    bool is_moving = true;
    for (int k = 0; k < MOST_SWEEPS && is_moving; k++) {
        double before[ID_NUMBERS];
        memcpy(before, change, sizeof before);
        size_t n = sweep(room, room->n, true, metric, margin, change);
        if (n == 0)
            return true;
        for (int again = 0; again < MOST_AGAIN && n > 0; again++)
            n = sweep(room, n, false, metric, margin, change);
        is_moving = false;
        for (int j = 0; j < ID_NUMBERS; j++)
            is_moving = is_moving || fabs(change[j] - before[j]) > LEAST_MOVE * sqrt(metric[j][j]);
    }
    return false;
}

id_interval id_room_for(const id_room *room, int j)
{
    id_interval left = {-INFINITY, INFINITY};
    const double none[ID_NUMBERS] = {0};
    for (size_t i = 0; i < room->n; i++) {
        const id_element *e = &room->elements[i];
        if (e->slope[j] == 0 || id_room_distance(room, e, none) > ID_ALTERED)
            continue;
        const double one = e->low / e->slope[j], other = e->high / e->slope[j];
        left.low = fmax(left.low, fmin(one, other));
        left.high = fmin(left.high, fmax(one, other));
    }
    return left;
}

void id_room_move_inside(const id_room *room, double *change)
{
    static const double margins[] = {0.3, 0.1, 0.03, 0.01, 3e-3, 1e-3, 3e-4, 1e-4, 1e-5, 0};
    double metric[ID_NUMBERS][ID_NUMBERS];
    const id_interval left = id_room_for(room, ID_SLOPE);
    if (room->free == 1u << ID_SLOPE && left.low <= left.high && isfinite(left.high - left.low)) {
        change[ID_SLOPE] = left.low + (left.high - left.low) / 2;
        return;
    }
    id_room_metric(room, metric);
    for (size_t m = 0; m < sizeof margins / sizeof margins[0] && !move(room, metric, margins[m], change); m++) {
    }
}
