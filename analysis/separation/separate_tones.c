/* The tones of a plan, complete ones first. */
#include "separate_tones.h"

#include <math.h>

#include "complete_tones.h"
#include "two_sum.h"

/* Complete tones first, each kind in its order. A tone without columns is left out. */
static void sort_tones(tone_set *set, const sinpos_tone *all, size_t n)
{
    for (int complete = 1; complete >= 0; complete--) {
        for (size_t i = 0; i < n; i++) {
            const bool any = all[i].sin_column != SINPOS_NO_COLUMN || all[i].cos_column != SINPOS_NO_COLUMN;
            if (any && tone_is_complete(&all[i]) == (complete == 1))
                set->tone[set->n++] = all[i];
        }
        set->n_complete = complete == 1 ? set->n : set->n_complete;
    }
    for (size_t i = 0; i < set->n; i++)
        set->unit = fmax(set->unit, fabs(set->tone[i].amplitude));
    set->unit = set->unit == 0 ? 1 : set->unit;
    for (size_t i = 0; i < set->n; i++)
        set->ratio[i] = fabs(set->tone[i].amplitude) / set->unit;
}

sinpos_status tone_set_make(tone_set *set, const sinpos_plan *plan)
{
    sinpos_tone *all;
    size_t n = 0;
    *set = (tone_set){.tone = NULL};
    sinpos_status status = tones_read(&set->memory, plan, &all, &n);
    set->tone = blocks_take(&set->memory, n, sizeof *set->tone);
    set->ratio = blocks_take(&set->memory, n, sizeof *set->ratio);
    status = status == SINPOS_OK ? blocks_status(&set->memory) : status;
    if (status == SINPOS_OK)
        sort_tones(set, all, n);
    else
        tone_set_free(set);
    return status;
}

void tone_set_free(tone_set *set)
{
    blocks_free(&set->memory);
    *set = (tone_set){.tone = NULL};
}

/* Sums of squares of terms no larger than about 1, compensated. */
static double sum_of_squares(const double *ratio, const double *x, size_t n, double factor)
{
    double sum = 0, rest = 0, lost;
    for (size_t i = 0; i < n; i++) {
        const double y = ratio[i] * x[i] * factor;
        sum = two_sum(sum, y * y, &lost);
        rest += lost;
    }
    return sum + rest;
}

double tone_norm(const double *ratio, const double *x, size_t n)
{
    const double sum = sum_of_squares(ratio, x, n, 1);
    if (sum > 0x1p-900)
        return sqrt(sum);
    double largest = 0;
    for (size_t i = 0; i < n; i++)
        largest = fmax(largest, fabs(ratio[i] * x[i]));
    if (largest == 0)
        return 0;
    int exponent;
    frexp(largest, &exponent);
    /* In two steps, as 2^-exponent may be beyond the range. */
    const double up = ldexp(1, -exponent > 1000 ? 1000 : -exponent);
    return sqrt(sum_of_squares(ratio, x, n, up)) / up;
}

sinpos_status range_check(const sinpos_plan *plan, int64_t first, size_t n, size_t n_threads)
{
    if (plan == NULL)
        return SINPOS_E_NULL;
    if (sinpos_plan_axes(plan) != 1)
        return SINPOS_E_AXES;
    if (n_threads > 1024)
        return SINPOS_E_VALUE;
    if (first == INT64_MIN || n > (uint64_t)INT64_MAX ||
        (n > 0 && first > 0 && (uint64_t)INT64_MAX - (uint64_t)first < n - 1))
        return SINPOS_E_RANGE;
    return SINPOS_OK;
}
