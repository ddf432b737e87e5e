/*
 * identify_permuted.c - pairs from the columns themselves, whatever their order.
 *
 * Two columns are a pair if the sum of their squares is the same in every row. Fast tones have one partner each; of slow
 * ones, whose cosines are all near 1, the order of the sines is that of the cosines.
 */
#include "identify.h"

/* Rows that pairs are tried on; wider tables are not searched. */
#define TRIED_ROWS 48
#define WIDEST 4096

/* In one row of so many a pair may be altered. */
#define FEW_ROWS 16

typedef struct columns {
    const id_sample *sample;
    size_t n, dim;
    double *x;       /* (dim, n) columns, one after the other */
    double *square;  /* (dim, n) */
    size_t *partner; /* (dim) dim where there is none, or more than one */
    double radius;   /* square of the amplitude */
    double allowed;
    blocks memory;
} columns;

static bool allocate(columns *c, const id_sample *sample)
{
    c->sample = sample;
    c->dim = sample->dim;
    c->n = sample->n < TRIED_ROWS ? sample->n : TRIED_ROWS;
    c->x = blocks_take(&c->memory, c->dim, c->n * sizeof *c->x);
    c->square = blocks_take(&c->memory, c->dim, c->n * sizeof *c->square);
    c->partner = blocks_take(&c->memory, c->dim, sizeof *c->partner);
    if (c->memory.has_failed)
        return false;
    for (size_t j = 0; j < c->dim; j++) {
        for (size_t i = 0; i < c->n; i++) {
            const double x = sample->x[i * c->dim + j];
            c->x[j * c->n + i] = x;
            c->square[j * c->n + i] = x * x;
            c->radius = fmax(c->radius, x * x);
        }
    }
    return true;
}

static bool is_circle(const columns *c, size_t a, size_t b)
{
    const double *x = c->square + a * c->n, *y = c->square + b * c->n;
    size_t off = 0;
    for (size_t i = 0; i < c->n && off <= c->n / FEW_ROWS; i++)
        off += fabs(x[i] + y[i] - c->radius) > c->allowed;
    return off <= c->n / FEW_ROWS;
}

/* The largest square is nearly that of the amplitude; the most frequent sum near it is exactly that. */
static void settle_radius(columns *c)
{
    const double largest = c->radius;
    double *sums = malloc((c->dim * 2 + 1) * sizeof *sums);
    size_t n = 0;
    for (size_t a = 0; sums != NULL && a < c->dim && n < c->dim; a++) {
        for (size_t b = a + 1; b < c->dim && n < 2 * c->dim; b++) {
            const double *x = c->square + a * c->n, *y = c->square + b * c->n, sum = x[0] + y[0];
            bool is_steady = fabs(sum - largest) < 0.05 * largest;
            for (size_t i = 1; i < c->n && is_steady; i++) /* what is unknown does not disturb */
                is_steady = !(fabs(x[i] + y[i] - sum) > c->allowed);
            if (is_steady)
                sums[n++] = sum;
        }
    }
    c->radius = n > 0 ? id_median(sums, n) : largest;
    free(sums);
}

static void find_partners(columns *c)
{
    for (size_t a = 0; a < c->dim; a++)
        c->partner[a] = c->dim;
    for (size_t a = 0; a < c->dim; a++) {
        size_t n = 0, last = c->dim;
        for (size_t b = 0; b < c->dim && n < 2; b++) {
            if (a != b && is_circle(c, a, b)) {
                n++;
                last = b;
            }
        }
        c->partner[a] = n == 1 ? last : c->dim;
    }
    for (size_t a = 0; a < c->dim; a++) /* both must agree */
        if (c->partner[a] < c->dim && c->partner[c->partner[a]] != a)
            c->partner[a] = c->dim;
}

/* A column, or a pair of them, by a size. */
typedef struct ranked {
    double size;
    size_t column, cosine;
} ranked;

static int largest_first(const void *a, const void *b)
{
    const double x = ((const ranked *)a)->size, y = ((const ranked *)b)->size;
    return (x < y) - (x > y);
}

/* Columns without one partner: sines by size, cosines by what they lack. */
static bool pair_slow(columns *c)
{
    ranked *sines = blocks_take(&c->memory, c->dim, sizeof *sines);
    ranked *cosines = blocks_take(&c->memory, c->dim, sizeof *cosines);
    size_t n_sines = 0, n_cosines = 0;
    for (size_t j = 0; j < c->dim && sines != NULL && cosines != NULL; j++) {
        if (c->partner[j] < c->dim)
            continue;
        double least = INFINITY, most = 0;
        for (size_t i = 0; i < c->n; i++) {
            least = fmin(least, c->square[j * c->n + i]);
            most = fmax(most, c->square[j * c->n + i]);
        }
        if (most < c->radius / 2)
            sines[n_sines++] = (ranked){.size = most, .column = j};
        else
            cosines[n_cosines++] = (ranked){.size = c->radius - least, .column = j};
    }
    const bool all = sines != NULL && cosines != NULL && n_sines == n_cosines;
    if (all && n_sines > 0) {
        qsort(sines, n_sines, sizeof *sines, largest_first);
        qsort(cosines, n_cosines, sizeof *cosines, largest_first);
    }
    for (size_t i = 0; i < n_sines && all; i++) {
        c->partner[sines[i].column] = cosines[i].column;
        c->partner[cosines[i].column] = sines[i].column;
    }
    return all;
}

/* From row to row, in the middle of those that follow each other. */
static double find_step(const columns *c, size_t sine, size_t cosine, double *room)
{
    size_t n = 0;
    for (size_t i = 0; i + 1 < c->n; i++) {
        if (c->sample->row[i + 1] == c->sample->row[i] + 1) {
            const double *s = c->x + sine * c->n + i, *k = c->x + cosine * c->n + i;
            room[n] = id_wrap(atan2(s[1], k[1]) - atan2(s[0], k[0]));
            n += !isnan(room[n]);
        }
    }
    return n == 0 ? 0 : id_median(room, n);
}

/* Angles must rise, which separates sine from cosine; fast tones come first. */
static sinpos_status make_layout(columns *c, id_layout *layout)
{
    const size_t n = c->dim / 2;
    ranked *pairs = blocks_take(&c->memory, n, sizeof *pairs);
    double *room = blocks_take(&c->memory, c->n, sizeof *room);
    size_t k = 0;
    *layout = (id_layout){.nest = SINPOS_NEST_PERMUTED, .width = c->dim, .n_axes = 1, .n_frequencies = {n}};
    sinpos_status status = id_layout_make(layout, n);
    status = status == SINPOS_OK ? blocks_status(&c->memory) : status;
    for (size_t a = 0; a < c->dim && status == SINPOS_OK; a++) {
        const size_t b = c->partner[a];
        if (b > a) {
            const double step = find_step(c, a, b, room);
            pairs[k++] = step > 0 ? (ranked){step, a, b} : (ranked){-step, b, a};
        }
    }
    if (status == SINPOS_OK) {
        qsort(pairs, k, sizeof *pairs, largest_first);
        for (size_t i = 0; i < k; i++) {
            layout->sin_column[i] = (ptrdiff_t)pairs[i].column;
            layout->cos_column[i] = (ptrdiff_t)pairs[i].cosine;
            layout->index[i] = i;
        }
        layout->n_tones = k;
        layout->amplitude = sqrt(c->radius);
    }
    return status;
}

sinpos_status id_layout_permuted(const id_sample *sample, id_layout *layout)
{
    columns c = {0};
    sinpos_status status = SINPOS_OK;
    *layout = (id_layout){0};
    if (sample->dim % 2 != 0 || sample->dim < 4 || sample->dim > WIDEST || sample->n < 4)
        return SINPOS_OK;
    if (!allocate(&c, sample)) {
        status = SINPOS_E_MEMORY;
    } else {
        c.allowed = 16 * sample->unit * c.radius;
        settle_radius(&c);
        find_partners(&c);
        status = pair_slow(&c) ? make_layout(&c, layout) : SINPOS_OK;
    }
    blocks_free(&c.memory);
    if (status != SINPOS_OK)
        id_layout_free(layout);
    return status;
}
