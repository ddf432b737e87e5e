/* What is found by going through g(k) from small offsets to large ones: signs, zeros, peaks. */
#include <math.h>

#include "boundary.h"
#include "crew.h"
#include "curve.h"

enum { CHUNK = 1 << 18, FIRST_CHUNK = 1 << 12, SECTIONS = 32 };

/* Goes through g(first), ..., g(limit - 1) in order, chunk by chunk. */
typedef struct scan {
    curve c;
    double *g; /* of a chunk, and of the offset before it */
    int64_t first, limit;
    crew crew;
    blocks memory;
} scan;

/* What is done with g[0 .. n-1], the values from `first` on; true ends the scan. */
typedef bool scan_visitor(void *context, int64_t first, const double *g, size_t n);

static sinpos_status scan_make(scan *s, const sinpos_plan *plan, int64_t first, int64_t limit, const crew *c)
{
    *s = (scan){.first = first, .limit = limit, .crew = *c};
    const sinpos_status status = curve_make(&s->c, plan, false);
    s->g = blocks_take(&s->memory, CHUNK, sizeof *s->g);
    return status == SINPOS_OK ? blocks_status(&s->memory) : status;
}

static void scan_free(scan *s)
{
    curve_free(&s->c);
    blocks_free(&s->memory);
}

static sinpos_status scan_run(scan *s, scan_visitor *visit, void *context)
{
    size_t chunk = FIRST_CHUNK; /* what is looked for may be near */
    for (int64_t k = s->first; k < s->limit;) {
        const size_t left = (size_t)(s->limit - k), n = left < chunk ? left : chunk;
        const sinpos_rows rows = {.struct_size = sizeof rows, .n = n, .first = k};
        sinpos_status status = curve_values(&s->c, &rows, s->g, s->crew.n_threads);
        if (status != SINPOS_OK)
            return status;
        if (visit(context, k, s->g, n))
            return SINPOS_OK;
        k += (int64_t)n;
        chunk = chunk < CHUNK ? 2 * chunk : CHUNK;
        status = crew_report(&s->crew, (double)(k - s->first) / (double)(s->limit - s->first));
        if (status != SINPOS_OK)
            return status;
    }
    return SINPOS_OK;
}

/* ---------------------------------------------------------------------------------------------- First negative */

typedef struct negative {
    double below;
    int64_t offset;
    double g;
} negative;

static bool visit_negative(void *context, int64_t first, const double *g, size_t n)
{
    negative *found = context;
    for (size_t i = 0; i < n; i++) {
        if (g[i] < found->below) {
            found->offset = first + (int64_t)i;
            found->g = g[i];
            return true;
        }
    }
    return false;
}

sinpos_status sinpos_kernel_first_negative(const sinpos_plan *plan, int64_t limit, int64_t *offset, double *g,
                                           size_t n_threads, sinpos_progress *progress, void *context)
{
    BOUNDARY;
    RELEASED_BY(scan_free) scan s = {0};
    if (plan == NULL || offset == NULL || g == NULL)
        return SINPOS_E_NULL;
    if (n_threads > 1024)
        return SINPOS_E_VALUE;
    const crew c = crew_of(n_threads, progress, context);
    sinpos_status status = scan_make(&s, plan, 1, limit, &c);
    negative found = {.below = -KERNEL_ERROR * s.c.total, .g = NAN};
    status = status == SINPOS_OK ? scan_run(&s, visit_negative, &found) : status;
    if (status != SINPOS_OK)
        return status;
    *offset = found.offset;
    *g = found.g;
    return SINPOS_OK;
}

/* ------------------------------------------------------------------------------------------------------- Zeros */

typedef struct crossings {
    double margin; /* values within it have no sign */
    int64_t last;  /* latest offset with a sign */
    bool is_negative, has_sign;
    int64_t *from, *to; /* (room) signs differ at these two, and there is none between */
    size_t room, n;
} crossings;

static bool visit_crossing(void *context, int64_t first, const double *g, size_t n)
{
    crossings *found = context;
    for (size_t i = 0; i < n && found->n < found->room; i++) {
        if (fabs(g[i]) <= found->margin)
            continue;
        const int64_t k = first + (int64_t)i;
        if (found->has_sign && found->is_negative != (g[i] < 0)) {
            found->from[found->n] = found->last;
            found->to[found->n++] = k;
        }
        found->has_sign = true;
        found->is_negative = g[i] < 0;
        found->last = k;
    }
    return found->n == found->room;
}

/* A zero between two offsets with different signs, by cutting the way between them into SECTIONS again and again. */
static sinpos_status refine(const curve *c, double from, double to, size_t n_threads, double *zero)
{
    double at[SECTIONS + 1], g[SECTIONS + 1];
    const sinpos_rows rows = {.struct_size = sizeof rows, .n = SECTIONS + 1, .reals = at};
    for (int round = 0; round < 13; round++) {
        for (int i = 0; i <= SECTIONS; i++)
            at[i] = i == SECTIONS ? to : from + (to - from) * i / SECTIONS;
        const sinpos_status status = curve_values(c, &rows, g, n_threads);
        if (status != SINPOS_OK)
            return status;
        int i = 0;
        while (i + 2 <= SECTIONS && (g[i + 1] < 0) == (g[0] < 0))
            i++;
        if (at[i] == from && at[i + 1] == to)
            break;
        from = at[i];
        to = at[i + 1];
    }
    *zero = from + (to - from) / 2;
    return SINPOS_OK;
}

static sinpos_status zeros_run(scan *s, crossings *found, double *zeros)
{
    sinpos_status status = scan_run(s, visit_crossing, found);
    for (size_t i = 0; i < found->n && status == SINPOS_OK; i++)
        status = refine(&s->c, (double)found->from[i], (double)found->to[i], 1, &zeros[i]);
    return status;
}

sinpos_status sinpos_kernel_zeros(const sinpos_plan *plan, int64_t first, int64_t limit, double *zeros, size_t room,
                                  size_t *n_zeros, size_t n_threads, sinpos_progress *progress, void *context)
{
    BOUNDARY;
    RELEASED_BY(scan_free) scan s = {0};
    if (plan == NULL || n_zeros == NULL || (zeros == NULL && room > 0))
        return SINPOS_E_NULL;
    if (n_threads > 1024)
        return SINPOS_E_VALUE;
    if (first < -(INT64_C(1) << 52) || limit > INT64_C(1) << 52)
        return SINPOS_E_RANGE;
    const crew c = crew_of(n_threads, progress, context);
    sinpos_status status = scan_make(&s, plan, first, room == 0 ? first : limit, &c);
    crossings found = {.margin = KERNEL_ERROR * s.c.total, .room = room};
    found.from = blocks_take(&s.memory, room, sizeof *found.from);
    found.to = blocks_take(&s.memory, room, sizeof *found.to);
    status = status == SINPOS_OK ? blocks_status(&s.memory) : status;
    if (status == SINPOS_OK)
        status = zeros_run(&s, &found, zeros);
    *n_zeros = status == SINPOS_OK ? found.n : 0;
    return status;
}

/* ---------------------------------------------------------------------------------------------------- Envelope */

typedef struct envelope {
    const int64_t *from;
    size_t n, at; /* from[at] is the last one that was passed */
    sinpos_peak *peaks;
} envelope;

static bool visit_peaks(void *context, int64_t first, const double *g, size_t n)
{
    envelope *e = context;
    for (size_t i = 0; i < n; i++) {
        const int64_t k = first + (int64_t)i;
        while (e->at + 1 < e->n && e->from[e->at + 1] <= k)
            e->at++;
        sinpos_peak *peak = &e->peaks[e->at];
        if (peak->offset < 0 || fabs(g[i]) > fabs(peak->g))
            *peak = (sinpos_peak){g[i], k};
    }
    return false;
}

/* From the largest of each stretch to the largest of it and all behind it. */
static void gather_peaks(sinpos_peak *peaks, size_t n)
{
    for (size_t i = n; i-- > 1;)
        if (peaks[i - 1].offset < 0 || fabs(peaks[i].g) > fabs(peaks[i - 1].g))
            peaks[i - 1] = peaks[i];
}

static bool is_ascending(const int64_t *from, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (from[i] < 0 || (i > 0 && from[i] < from[i - 1]))
            return false;
    return true;
}

sinpos_status sinpos_kernel_envelope(const sinpos_plan *plan, const int64_t *from, size_t n, int64_t limit,
                                     sinpos_peak *peaks, size_t n_threads, sinpos_progress *progress, void *context)
{
    BOUNDARY;
    RELEASED_BY(scan_free) scan s = {0};
    if (plan == NULL || ((from == NULL || peaks == NULL) && n > 0))
        return SINPOS_E_NULL;
    if (n_threads > 1024)
        return SINPOS_E_VALUE;
    if (!is_ascending(from, n) || (n > 0 && from[n - 1] >= limit))
        return SINPOS_E_VALUE;
    for (size_t i = 0; i < n; i++)
        peaks[i] = (sinpos_peak){0, -1};
    const crew c = crew_of(n_threads, progress, context);
    sinpos_status status = scan_make(&s, plan, n > 0 ? from[0] : limit, limit, &c);
    if (status == SINPOS_OK && n > 0) {
        envelope e = {.from = from, .n = n, .peaks = peaks};
        status = scan_run(&s, visit_peaks, &e);
        gather_peaks(peaks, n);
    }
    return status;
}
