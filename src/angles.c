/* Positions of rows, and the angles that the kernels make of them. */
#include <math.h>

#include "internal.h"

/* --------------------------------------------------------------------------------------------------- Positions */

sinpos_status check_positions(const sinpos_plan *plan, const sinpos_rows *rows, double *largest)
{
    const bool is_list = rows->integers != NULL || rows->reals != NULL;
    if (is_list && rows->n > SIZE_MAX / sizeof(double) / plan->n_axes)
        return SINPOS_E_SHAPE;
    const size_t n = rows->n * plan->n_axes;
    double most = 0;
    if (rows->integers != NULL) {
        int64_t least_integer = 0, most_integer = 0;
        for (size_t i = 0; i < n; i++) {
            const int64_t p = rows->integers[i];
            least_integer = p < least_integer ? p : least_integer;
            most_integer = p > most_integer ? p : most_integer;
        }
        if (least_integer == INT64_MIN)
            return SINPOS_E_RANGE;
        most = (double)(-least_integer > most_integer ? -least_integer : most_integer);
    } else if (rows->reals != NULL) {
        for (size_t i = 0; i < n; i++) {
            const double size = fabs(rows->reals[i]);
            if (!(size < 0x1p63))
                return SINPOS_E_RANGE;
            most = size > most ? size : most;
        }
    } else {
        if (plan->n_axes != 1)
            return SINPOS_E_AXES;
        if (rows->first == INT64_MIN || (uint64_t)(rows->n - 1) > (uint64_t)INT64_MAX - (uint64_t)rows->first)
            return SINPOS_E_RANGE;
        const int64_t last = rows->first + (int64_t)(rows->n - 1);
        most = fmax(fabs((double)rows->first), fabs((double)last));
    }
    *largest = most;
    return SINPOS_OK;
}

position rows_position(const sinpos_plan *plan, const sinpos_rows *rows, size_t row, size_t axis)
{
    const size_t at = row * plan->n_axes;
    if (rows->integers != NULL)
        return position_on(rows->integers + at, NULL, axis);
    if (rows->reals != NULL)
        return position_on(NULL, rows->reals + at, axis);
    return (position){.integer = rows->first + (int64_t)row};
}

int64_t rows_integer(const sinpos_rows *rows, size_t row)
{
    return rows->integers != NULL ? rows->integers[row] : rows->first + (int64_t)row;
}

bool rows_make_blocks(const sinpos_plan *plan, const sinpos_rows *rows)
{
    return rows->reals == NULL && plan->n_axes == 1 && forced_rung() == 0;
}

size_t rows_in_run(const sinpos_rows *rows, size_t row, size_t most)
{
    const int64_t p = rows_integer(rows, row);
    size_t n = rows->integers != NULL ? 1 : most;
    while (n < most && (uint64_t)rows->integers[row + n] - (uint64_t)p == n)
        n++;
    return p > INT64_MIN + BLOCK && p < INT64_MAX - BLOCK - (int64_t)n ? n : 0;
}

size_t rows_in_block(int64_t p, size_t count, int64_t *centre)
{
    size_t n = count;
    if (p == 0)
        n = 1;
    else if (p < 0 && -p < BLOCK && n > (size_t)-p)
        n = (size_t)-p;
    *centre = p + (int64_t)(n / 2);
    return n;
}

/* ------------------------------------------------------------------------------------------------------ Angles */

angles plan_angles(const sinpos_plan *plan, size_t first, size_t padded)
{
    angles a = {.amplitude = plan->amplitude + first,
                .bound = plan->bound + first,
                .slope = plan->slope + first,
                .unit_amplitude = plan->unit_amplitude,
                .u = {plan->u[0] + first, plan->u[1] + first},
                .amplitude_low = plan->more != NULL ? plan->more->amplitude_low + first : NULL,
                .n = padded,
                .operation = SINPOS_FILL};
    if (plan->has_phase) {
        a.phase[0] = plan->phase[0] + first;
        a.phase[1] = plan->phase[1] + first;
        a.phase_rest = plan->phase_rest + first;
        a.phase_eighths = plan->phase_eighths + first;
    }
    a.bound_is_absolute = plan->has_phase || plan->has_slow;
    return a;
}

bool rows_go_far(const sinpos_plan *plan, double largest)
{
    return plan->n_further > 0 || largest >= ONE_PART_LIMIT;
}

/* Made when first needed: few callers go beyond 2^40. */
static void need_high(const sinpos_plan *plan, size_t first, size_t padded, high_parts *high)
{
    if (high->of == first)
        return;
    for (size_t i = 0; i < padded; i++) {
        double parts[3];
        plan_quarters(&plan->turns[first + i], 32, parts, 3);
        for (int k = 0; k < 3; k++)
            high->u[k][i] = parts[k];
    }
    high->of = first;
}

static void split_integer(int64_t p, double *high, double *low)
{
    const int64_t lower = (int32_t)(uint32_t)(uint64_t)p;
    *low = (double)lower;
    *high = (double)(int64_t)(((int128)p - lower) >> 32);
}

void angles_at_integer(const sinpos_plan *plan, size_t first, int64_t at, high_parts *high, angles *a)
{
    for (int k = 0; k < 3; k++)
        a->low[k] = plan->r[k] + first;
    a->low_position = (double)at;
    a->reach = fabs((double)at);
    const int64_t limit = (int64_t)ONE_PART_LIMIT; /* integers beyond it are split in two */
    if (at > -limit && at < limit) {
        a->turns = plan->turn_bits != NULL ? plan->turn_bits + first : NULL;
        return;
    }
    need_high(plan, first, a->n, high);
    for (int k = 0; k < 3; k++)
        a->high[k] = high->u[k];
    split_integer(at, &a->high_position, &a->low_position);
    a->bound_is_absolute = true;
}

static bool angles_at_real(const sinpos_plan *plan, size_t first, double at, angles *a)
{
    if (fabs(at) * plan->largest_u >= REDUCED_LIMIT || fabs(at) < LEAST_REAL)
        return false;
    for (int k = 0; k < 3; k++)
        a->low[k] = plan->u[k] + first;
    a->low_position = at;
    a->reach = fabs(at);
    return true;
}

/* Further coordinates become phases. */
static void add_further_phases(const sinpos_plan *plan, size_t first, position at, high_parts *parts, angles *a)
{
    double *const phase[2] = {parts->phase[0], parts->phase[1]};
    further_phases(plan, first, a->n, at, phase, parts->phase_rest, parts->phase_eighths);
    a->phase[0] = phase[0];
    a->phase[1] = phase[1];
    a->phase_rest = parts->phase_rest;
    a->phase_eighths = parts->phase_eighths;
    a->bound_is_absolute = true;
}

bool angles_at(const sinpos_plan *plan, size_t first, position at, high_parts *high, angles *a)
{
    if (at.is_real && !angles_at_real(plan, first, at.real, a))
        return false;
    if (!at.is_real)
        angles_at_integer(plan, first, at.integer, high, a);
    if (listens_further(plan, first, a->n))
        add_further_phases(plan, first, at, high, a);
    return true;
}
