#define _POSIX_C_SOURCE 200809L

#include "measure.h"

#include <stdlib.h>
#include <time.h>

double bench_clock(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

double bench_processor_clock(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a;
    const double y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(const double *values, size_t n)
{
    double sorted[MAX_TIMES];
    for (size_t i = 0; i < n; i++)
        sorted[i] = values[i];
    qsort(sorted, n, sizeof *sorted, ascending);
    return 0.5 * (sorted[(n - 1) / 2] + sorted[n / 2]);
}

double side_seconds(const struct side *side)
{
    double seconds[MAX_TIMES];
    for (unsigned i = 0; i < side->repeat; i++) {
        seconds[i] = side->seconds(side->job);
        if (seconds[i] < 0.0)
            return -1.0;
    }
    return median(seconds, side->repeat);
}

static bool run_pair(const struct side *first, const struct side *second, double *first_seconds, double *second_seconds)
{
    *first_seconds = side_seconds(first);
    *second_seconds = side_seconds(second);
    return *first_seconds > 0.0 && *second_seconds > 0.0;
}

static double gb_per_s(const struct side *side, double seconds)
{
    return 1e-9 * side->bytes / seconds;
}

bool measure(const struct side *ours, const struct side *theirs, bool lower_is_better, size_t n_pairs,
             struct figures *figures)
{
    double our_times[MAX_PAIRS], their_times[MAX_PAIRS], ratios[MAX_PAIRS];
    double unused;

    if (n_pairs == 0 || n_pairs > MAX_PAIRS || !run_pair(ours, theirs, &unused, &unused))
        return false;
    for (size_t i = 0; i < n_pairs; i++) {
        const bool ran = i % 2 == 0 ? run_pair(ours, theirs, &our_times[i], &their_times[i])
                                    : run_pair(theirs, ours, &their_times[i], &our_times[i]);
        if (!ran)
            return false;
        const double speed_up = their_times[i] / theirs->units / (our_times[i] / ours->units);
        ratios[i] = lower_is_better ? 1.0 / speed_up : speed_up;
    }
    figures->ratio = median(ratios, n_pairs);
    figures->lowest = figures->highest = ratios[0];
    for (size_t i = 1; i < n_pairs; i++) {
        if (ratios[i] < figures->lowest)
            figures->lowest = ratios[i];
        if (ratios[i] > figures->highest)
            figures->highest = ratios[i];
    }
    figures->ours_seconds = median(our_times, n_pairs);
    figures->ours_gb_per_s = gb_per_s(ours, figures->ours_seconds);
    figures->theirs_gb_per_s = gb_per_s(theirs, median(their_times, n_pairs));
    return true;
}
