/* The tones of a family of encodings at one base, and g over blocks of offsets, in double. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base_tones.h"

enum { WAVE = 1 << 27 }; /* terms for each thread between two calls of progress: some hundredths of a second */

sinpos_status base_query_check(const sinpos_base_query *q)
{
    if (q->context < 1 || q->context > SINPOS_BASE_MAX_CONTEXT || q->n_tones < 1 || q->n_tones > SINPOS_BASE_MAX_TONES)
        return SINPOS_E_VALUE;
    if (!(q->divisor > 0) || !isfinite(q->divisor) || !(q->shift >= 0) || !isfinite(q->shift) || !(q->scale > 0) ||
        !(q->scale <= 1e6) || !(q->constant >= 0) || !isfinite(q->constant))
        return SINPOS_E_VALUE;
    return SINPOS_OK;
}

void base_tones_free(base_tones *t)
{
    free(t->exponent);
    *t = (base_tones){0};
}

sinpos_status base_tones_make(base_tones *t, const sinpos_base_query *query)
{
    const size_t n = query->n_tones;
    *t = (base_tones){.n = n, .context = query->context, .query = query};
    t->exponent = calloc(n * (2 + 2 * BASE_BLOCK + 2 * BASE_STRETCH), sizeof(double));
    if (t->exponent == NULL)
        return SINPOS_E_MEMORY;
    t->theta = t->exponent + n;
    t->near = t->theta + n;
    t->far = t->near + 2 * BASE_BLOCK * n;
    for (size_t i = 0; i < n; i++)
        t->exponent[i] = ((double)i + query->shift) / query->divisor;
    return SINPOS_OK;
}

static long double theta_at(const base_tones *t, size_t i, long double log_base)
{
    const long double exponent = ((long double)i + (long double)t->query->shift) / (long double)t->query->divisor;
    return (long double)t->query->scale * expl(-exponent * log_base);
}

void base_tones_set(base_tones *t, double base)
{
    const long double log_base = logl((long double)base);
    t->base = base;
    t->theta_sum = 0;
    for (size_t i = 0; i < t->n; i++) {
        t->theta[i] = (double)theta_at(t, i, log_base);
        t->theta_sum += t->theta[i];
    }
}

/* Cosine and sine of r step theta_i for r = 0 .. 127, from those of 16 multiples and of 8 multiples of 16. */
static void rotations(double theta, double step, double c[BASE_BLOCK], double s[BASE_BLOCK])
{
    double fine_c[16], fine_s[16];
    for (int r = 0; r < 16; r++) {
        fine_c[r] = cos(r * step * theta);
        fine_s[r] = sin(r * step * theta);
    }
    for (int a = 0; a < BASE_BLOCK / 16; a++) {
        const double ca = cos(16 * a * step * theta), sa = sin(16 * a * step * theta);
        for (int r = 0; r < 16; r++) {
            c[16 * a + r] = ca * fine_c[r] - sa * fine_s[r];
            s[16 * a + r] = sa * fine_c[r] + ca * fine_s[r];
        }
    }
}

void base_tones_tabulate(base_tones *t, bool far)
{
    double c[BASE_BLOCK], s[BASE_BLOCK];
    for (size_t i = 0; i < t->n; i++) {
        rotations(t->theta[i], 1, c, s);
        for (size_t chunk = 0; chunk < BASE_BLOCK / BASE_CHUNK; chunk++) {
            double *to = t->near + (chunk * t->n + i) * 2 * BASE_CHUNK;
            memcpy(to, c + chunk * BASE_CHUNK, BASE_CHUNK * sizeof *c);
            memcpy(to + BASE_CHUNK, s + chunk * BASE_CHUNK, BASE_CHUNK * sizeof *s);
        }
        if (far) {
            rotations(t->theta[i], BASE_BLOCK, c, s);
            for (size_t r = 0; r < BASE_STRETCH; r++) {
                t->far[2 * r * t->n + i] = c[r];
                t->far[(2 * r + 1) * t->n + i] = s[r];
            }
        }
    }
}

/*
 * theta is rounded once and its product with k once more, so an angle is wrong by 2^-52 of itself. The C library's
 * cosine is taken to be good to an ulp or so; the sum loses some ulps of the sum of the sizes.
 */
base_point base_point_at(const base_tones *t, int64_t k, double radius)
{
    const double n = (double)t->n;
    base_point p = {.g = t->query->constant, .error = (n + t->query->constant) * (n + 4) * 0x1p-53};
    for (size_t i = 0; i < t->n; i++) {
        const double e = t->exponent[i], angle = (double)k * t->theta[i];
        const double widest = radius == 0 ? angle : angle * exp(e * radius);
        const double off = angle * 0x1p-52, sine = sin(angle);
        p.g += cos(angle);
        p.slope += sine * angle * e;
        p.curvature += e * e * widest * (1 + widest);
        p.error += off * (fabs(sine) + off);
    }
    return p;
}

/* As above, with every sine 1. Sums and products of the tables: some 2^-46 for 128 tones. */
double base_error(const base_tones *t, int64_t k)
{
    return (double)k * t->theta_sum * 0x1p-51 + ((double)t->n + t->query->constant) * (8 + (double)t->n / 16) * 0x1p-51;
}

double base_exact_g(const base_tones *t, int64_t k, double *error)
{
    const long double log_base = logl((long double)t->base), n = (long double)t->n, epsilon = LDBL_EPSILON;
    long double g = (long double)t->query->constant, size = (n + g) * (n + 4);
    for (size_t i = 0; i < t->n; i++) {
        const long double angle = (long double)k * theta_at(t, i, log_base), sine = fabsl(sinl(angle));
        const long double off = angle * (3 + (long double)t->exponent[i] * log_base);
        g += cosl(angle);
        size += off * (sine + off * epsilon);
    }
    *error = (double)(size * 2 * epsilon + fabsl(g) * DBL_EPSILON);
    return (double)g;
}

/* g[r] = sum of C_i c_i[r] - S_i s_i[r] */
static void block_sums(const base_tones *t, const double *restrict anchor, double g[BASE_BLOCK])
{
    for (size_t chunk = 0; chunk < BASE_BLOCK / BASE_CHUNK; chunk++) {
        const double *restrict table = t->near + chunk * t->n * 2 * BASE_CHUNK;
        double sum[BASE_CHUNK];
        for (size_t r = 0; r < BASE_CHUNK; r++)
            sum[r] = t->query->constant;
        for (size_t i = 0; i < t->n; i++, table += 2 * BASE_CHUNK) {
            const double c = anchor[i], s = anchor[t->n + i];
            for (size_t r = 0; r < BASE_CHUNK; r++)
                sum[r] += c * table[r] - s * table[BASE_CHUNK + r];
        }
        memcpy(g + chunk * BASE_CHUNK, sum, sizeof sum);
    }
}

void base_block(const base_tones *t, int64_t k, double *anchor, double g[BASE_BLOCK])
{
    for (size_t i = 0; i < t->n; i++) {
        anchor[i] = cos((double)k * t->theta[i]);
        anchor[t->n + i] = sin((double)k * t->theta[i]);
    }
    block_sums(t, anchor, g);
}

/* ------------------------------------------------------------------------------------------------- all offsets */

static bool is_better(const base_candidate *a, const base_candidate *b)
{
    return a->score > b->score || (a->score == b->score && a->k < b->k);
}

static void keep(base_scan *scan, const base_candidate *c)
{
    if (scan->n == SINPOS_BASE_POOL && !is_better(c, &scan->best[scan->n - 1]))
        return;
    size_t at = scan->n < SINPOS_BASE_POOL ? scan->n++ : scan->n - 1;
    for (; at > 0 && is_better(c, &scan->best[at - 1]); at--)
        scan->best[at] = scan->best[at - 1];
    scan->best[at] = *c;
}

static void keep_least(base_scan *scan, const base_candidate *c)
{
    if (scan->least.k == 0 || c->g < scan->least.g || (c->g == scan->least.g && c->k < scan->least.k))
        scan->least = *c;
}

static void look_at_block(base_scan *scan, const base_tones *t, int64_t k, const double *g)
{
    const int64_t context = (int64_t)t->context;
    base_candidate c = {.g = INFINITY};
    for (int64_t r = k == 0 ? 1 : 0; r < BASE_BLOCK && k + r < context; r++) {
        if (g[r] < c.g) {
            c.g = g[r];
            c.k = k + r;
        }
    }
    if (c.k == 0)
        return;
    keep_least(scan, &c);
    const double error = base_error(t, c.k);
    if (c.g < error) {
        c.score = sqrt(c.g < -error ? -c.g : error) / (double)c.k;
        keep(scan, &c);
    }
}

/* Some stretches: a wave. */
typedef struct scan_work {
    const base_tones *t;
    base_scan *scans; /* of each stretch */
    double *room;     /* 4 n for each range */
    size_t first, per_range;
} scan_work;

static void scan_stretch(const base_tones *t, base_scan *scan, int64_t first, double *room)
{
    double *at = room, *anchor = room + 2 * t->n, g[BASE_BLOCK];
    const size_t n = t->n;
    for (size_t i = 0; i < n; i++) {
        at[i] = cos((double)first * t->theta[i]);
        at[n + i] = sin((double)first * t->theta[i]);
    }
    for (int64_t j = 0; j < BASE_STRETCH; j++) {
        const int64_t k = first + j * BASE_BLOCK;
        const double *c = t->far + 2 * (size_t)j * n, *s = c + n;
        if (k >= (int64_t)t->context)
            return;
        for (size_t i = 0; i < n; i++) {
            anchor[i] = at[i] * c[i] - at[n + i] * s[i];
            anchor[n + i] = at[n + i] * c[i] + at[i] * s[i];
        }
        block_sums(t, anchor, g);
        look_at_block(scan, t, k, g);
    }
}

static void scan_range(void *context, size_t first, size_t count)
{
    const scan_work *w = context;
    double *room = w->room + first / w->per_range * 4 * w->t->n;
    for (size_t i = first; i < first + count; i++)
        scan_stretch(w->t, &w->scans[i], (int64_t)(w->first + i) * BASE_BLOCK * BASE_STRETCH, room);
}

static void scan_wave(base_scan *scan, scan_work *w, size_t n, const crew *c)
{
    memset(w->scans, 0, n * sizeof *w->scans);
    w->per_range = crew_share(c, n, 1);
    threads_run(c->n_threads, n, w->per_range, scan_range, w);
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < w->scans[i].n; j++)
            keep(scan, &w->scans[i].best[j]);
        if (w->scans[i].least.k != 0)
            keep_least(scan, &w->scans[i].least);
    }
}

sinpos_status base_scan_all(base_scan *scan, base_tones *t, const crew *c)
{
    const size_t length = BASE_BLOCK * BASE_STRETCH, n = t->context / length + (t->context % length != 0);
    const size_t wanted = (WAVE / (length * t->n) + 1) * c->n_threads, wave = wanted < n ? wanted : n;
    scan_work w = {.t = t};
    RELEASED_BY(blocks_free) blocks memory = {0};
    memset(scan, 0, sizeof *scan);
    base_tones_tabulate(t, true);
    w.scans = blocks_take(&memory, wave, sizeof *w.scans);
    w.room = blocks_take(&memory, (c->n_threads + 1) * 4 * t->n, sizeof *w.room);
    sinpos_status status = blocks_status(&memory);
    while (status == SINPOS_OK && w.first < n) {
        const size_t now = n - w.first < wave ? n - w.first : wave;
        scan_wave(scan, &w, now, c);
        w.first += now;
        status = crew_report(c, (double)w.first / (double)n);
    }
    return status;
}
