/* Timing two sides against each other. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* One side of a comparison. */
struct side {
    double (*seconds)(void *job); /* does the job once; the time it took, or < 0 if it failed */
    void *job;
    double units;    /* what one job makes, in the unit in which the two sides are compared */
    double bytes;    /* what one job writes; 0 where a rate in bytes has no meaning */
    unsigned repeat; /* 1 .. MAX_TIMES: how often the job is done for one time, their median */
};

struct figures {
    double ratio; /* median over the pairs */
    double lowest, highest;
    double ours_gb_per_s, theirs_gb_per_s; /* from the median times; 0 where bytes is 0 */
    double ours_seconds;                   /* median time of one job */
};

enum { MAX_PAIRS = 15, MAX_TIMES = 200 };

double bench_clock(void);
double bench_processor_clock(void); /* of this thread */

/* The time of a side, or < 0 if it failed. A side that takes microseconds is repeated often, so that a run that another
   process interrupted does not count. */
double side_seconds(const struct side *side);

/*
 * Runs the sides in pairs of neighbours, first ours then theirs, then the other way round, after one
 * pair that is not counted. The ratio of a pair is theirs/ours in time per unit, or ours/theirs if
 * lower_is_better. Returns false if a side failed.
 */
bool measure(const struct side *ours, const struct side *theirs, bool lower_is_better, size_t n_pairs,
             struct figures *figures);
