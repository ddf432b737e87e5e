/* Columns against columns: how orthogonal are they, and does length help? */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "claims.h"

enum { MOST_COLUMNS = 256, LEVELS = 3 };

/* Columns of evenly chosen complete tones, and their Gram matrix over rows 0 .. n-1 for n = run/16, run/4, run. */
typedef struct gram {
    size_t n, column[MOST_COLUMNS];
    size_t rows[LEVELS];
    double *sum[LEVELS]; /* (n, n), the part j <= i */
    double *row;
    blocks memory;
} gram;

static void add_rows(const gram *g, const claims *c, size_t first, size_t last, double *sum)
{
    for (size_t m = first; m < last; m++) {
        for (size_t i = 0; i < g->n; i++)
            g->row[i] = claims_row(c, m)[g->column[i]];
        for (size_t i = 0; i < g->n; i++) {
            const double x = g->row[i];
            double *out = sum + i * g->n;
            for (size_t j = 0; j <= i; j++)
                out[j] += x * g->row[j];
        }
    }
}

static sinpos_status gram_make(gram *g, const claims *c)
{
    *g = (gram){.rows = {c->kept.run / 16, c->kept.run / 4, c->kept.run}};
    g->n = claims_choose_columns(c, MOST_COLUMNS / 2, g->column);
    g->row = blocks_take(&g->memory, g->n, sizeof(double));
    for (size_t level = 0; level < LEVELS; level++) {
        g->sum[level] = blocks_take(&g->memory, g->n * g->n, sizeof(double));
        if (g->memory.has_failed)
            return SINPOS_E_MEMORY;
        if (level > 0)
            memcpy(g->sum[level], g->sum[level - 1], g->n * g->n * sizeof(double));
        add_rows(g, c, level == 0 ? 0 : g->rows[level - 1], g->rows[level], g->sum[level]);
    }
    return SINPOS_OK;
}

/* -------------------------------------------------------------------------------------------- orthogonal */

typedef struct correlations {
    double largest, mean_square;
    size_t a, b;         /* columns of the largest */
    size_t pairs, small; /* pairs, and those below 0.1 */
} correlations;

/* x'y / (|x| |y|) of all pairs of columns that are not zero. */
static correlations correlate(const gram *g, size_t level)
{
    const double *sum = g->sum[level];
    correlations r = {0};
    for (size_t i = 0; i < g->n; i++)
        for (size_t j = 0; j < i; j++) {
            const double size = sqrt(sum[i * g->n + i]) * sqrt(sum[j * g->n + j]);
            if (size == 0)
                continue;
            const double value = fabs(sum[i * g->n + j] / size);
            if (!(value <= r.largest))
                r.a = g->column[j], r.b = g->column[i];
            r.largest = worse(r.largest, value);
            r.mean_square += value * value;
            r.small += value < 0.1;
            r.pairs++;
        }
    r.mean_square = r.pairs == 0 ? NAN : r.mean_square / (double)r.pairs;
    return r;
}

static void say_orthogonal(const claims *c, sinpos_claim_result *r, const gram *g, size_t twins)
{
    const correlations few = correlate(g, 0), some = correlate(g, 1), all = correlate(g, 2);
    const double rounding = 2 * c->unit + c->unit * c->unit + (double)c->kept.run * 0x1p-52;
    const double bound = c->is_given ? c->chosen : c->chosen + rounding;
    const double before = sqrt(few.mean_square), after = sqrt(all.mean_square);
    if (all.largest <= bound)
        claim_say(r, all.largest, bound, SINPOS_HOLDS, "no two columns correlate by more over these %zu rows",
                  c->kept.run);
    else if (twins > 0)
        claim_say(r, all.largest, bound, SINPOS_DOES_NOT_HOLD, "%zu %s, whatever the length", twins,
                  twins == 1 ? "tone is a copy of another" : "tones are copies of others");
    else if (after < before)
        claim_say(
            r, all.largest, bound, SINPOS_HOLDS_ONLY_IF,
            "rows are many: columns %zu and %zu still correlate; all pairs: %.2g root mean square, %.2g in %zu rows",
            all.a, all.b, after, before, g->rows[0]);
    else
        claim_say(r, all.largest, bound, SINPOS_DOES_NOT_HOLD,
                  "correlations do not fall with the rows: %.2g root mean square, %.2g in %zu rows", after, before,
                  g->rows[0]);
    claim_looked_at(r, c->kept.run, g->n);
    claim_detail(r, "rms_correlation", after);
    claim_detail(r, "rms_correlation_quarter_of_rows", sqrt(some.mean_square));
    claim_detail(r, "rms_correlation_sixteenth_of_rows", before);
    claim_detail(r, "largest_correlation_sixteenth_of_rows", few.largest);
    claim_detail(r, "pairs_below_0.1", (double)all.small / (double)all.pairs);
}

sinpos_status claim_orthogonal(claims *c, sinpos_claim_result *r)
{
    gram g;
    size_t twins = 0, pair[2];
    sinpos_status status = gram_make(&g, c);
    if (status == SINPOS_OK)
        status = claims_count_twins(c, &twins, pair);
    if (status == SINPOS_OK)
        say_orthogonal(c, r, &g, twins);
    blocks_free(&g.memory);
    return status;
}
