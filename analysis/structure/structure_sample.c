/* Pairs of rows: cosines, and which row of a sample is nearest to what is recovered from a sum. */
#include <math.h>
#include <stdlib.h>

#include "boundary.h"
#include "linear.h"
#include "moments.h"
#include "seeded.h"

enum { BLOCK = 256 };

static bool fits(size_t n, size_t dim, size_t ld)
{
    return dim > 0 && ld >= dim && ld < LINEAR_MOST && n < LINEAR_MOST && ld <= SIZE_MAX / 16 / (n + 1);
}

/* Rows of length 1, those of length 0 left out; NULL without memory. */
static double *unit_rows(blocks *memory, const double *rows, size_t n, size_t dim, size_t ld, size_t *n_kept)
{
    double *out = blocks_take(memory, n, dim * sizeof *out);
    *n_kept = 0;
    for (size_t r = 0; r < n && out != NULL; r++) {
        double *to = out + *n_kept * dim;
        const double squares = linear_dot(rows + r * ld, rows + r * ld, dim);
        for (size_t c = 0; c < dim && squares > 0; c++)
            to[c] = rows[r * ld + c] / sqrt(squares);
        *n_kept += squares > 0;
    }
    return out;
}

typedef struct sums {
    double sum, sizes, squares, largest;
    size_t n;
} sums;

static void take_block(const double *block, size_t first, size_t rows, size_t columns, bool same, sums *s)
{
    for (size_t i = 0; i < rows; i++) {
        for (size_t j = same ? first + i + 1 : 0; j < columns; j++) {
            const double cosine = block[i * columns + j];
            s->sum += cosine;
            s->sizes += fabs(cosine);
            s->squares += cosine * cosine;
            s->largest = fmax(s->largest, fabs(cosine));
            s->n++;
        }
    }
}

static void all_pairs(const double *a, size_t n_a, const double *b, size_t n_b, size_t dim, bool same, double *block,
                      sums *s)
{
    for (size_t first = 0; first < n_a; first += BLOCK) {
        const size_t rows = n_a - first < BLOCK ? n_a - first : BLOCK;
        linear_product(rows, n_b, dim, 1, (linear_matrix){a + first * dim, dim, false}, (linear_matrix){b, dim, true},
                       0, block, n_b);
        take_block(block, first, rows, n_b, same, s);
    }
}

sinpos_status sinpos_pair_cosines(const double *a, size_t n_a, size_t ld_a, const double *b, size_t n_b, size_t ld_b,
                                  size_t dim, size_t n_threads, sinpos_cosines_result *result)
{
    BOUNDARY;
    const bool same = b == NULL;
    RELEASED_BY(blocks_free) blocks memory = {0};
    sums s = {0};
    if (a == NULL || result == NULL)
        return SINPOS_E_NULL;
    if (n_threads > 1024)
        return SINPOS_E_VALUE;
    if (!fits(n_a, dim, ld_a) || (!same && !fits(n_b, dim, ld_b)))
        return SINPOS_E_SHAPE;
    if (!rows_are_within(a, n_a, dim, ld_a) || (!same && !rows_are_within(b, n_b, dim, ld_b)))
        return SINPOS_E_VALUE;
    size_t kept_a = 0, kept_b = 0;
    const double *unit_a = unit_rows(&memory, a, n_a, dim, ld_a, &kept_a), *unit_b = unit_a;
    if (same)
        kept_b = kept_a;
    else
        unit_b = unit_rows(&memory, b, n_b, dim, ld_b, &kept_b);
    double *block = blocks_take(&memory, BLOCK, kept_b * sizeof *block);
    sinpos_status status = blocks_status(&memory);
    RELEASED_BY(linear_end) const int kept = linear_begin(n_threads);
    if (status == SINPOS_OK)
        all_pairs(unit_a, kept_a, unit_b, kept_b, dim, same, block, &s);
    if (status == SINPOS_OK && s.n == 0)
        status = SINPOS_E_VALUE;
    if (status == SINPOS_OK) {
        const double n = (double)s.n;
        *result = (sinpos_cosines_result){sqrt(s.squares / n), s.largest, s.sum / n, s.sizes / n, s.n};
    }
    return status;
}

/* ------------------------------------------------------------------------------------------------- recovery */

/* Trials, and what is recovered in each. */
typedef struct trials {
    size_t n, dim;
    size_t *word, *position; /* (n) which rows were added */
    double *sums;            /* (n, dim) w + p */
    double *words;           /* (n, dim) what the map makes of them */
    double *positions;       /* (n, dim) the rest */
    blocks memory;
} trials;

static sinpos_status trials_make(trials *t, size_t n, size_t dim)
{
    *t = (trials){.n = n, .dim = dim};
    t->word = blocks_take(&t->memory, n, sizeof(size_t));
    t->position = blocks_take(&t->memory, n, sizeof(size_t));
    t->sums = blocks_take(&t->memory, n, dim * sizeof(double));
    t->words = blocks_take(&t->memory, n, dim * sizeof(double));
    t->positions = blocks_take(&t->memory, n, dim * sizeof(double));
    return blocks_status(&t->memory);
}

static void draw(trials *t, const sinpos_sample *words, const sinpos_sample *positions, uint64_t seed)
{
    for (size_t i = 0; i < t->n; i++) {
        t->word[i] = (size_t)(seeded_bits(seed, 11, i) % words->n);
        t->position[i] = (size_t)(seeded_bits(seed, 12, i) % positions->n);
        for (size_t c = 0; c < t->dim; c++)
            t->sums[i * t->dim + c] =
                words->rows[t->word[i] * words->ld + c] + positions->rows[t->position[i] * positions->ld + c];
    }
}

/* words = mean + map (sum - mean of sums), positions = sum - words */
static void apply_map(trials *t, const double *map, const double *word_mean, const double *position_mean)
{
    const size_t dim = t->dim;
    for (size_t i = 0; i < t->n; i++)
        for (size_t c = 0; c < dim; c++)
            t->positions[i * dim + c] = t->sums[i * dim + c] - word_mean[c] - position_mean[c];
    linear_product(t->n, dim, dim, 1, (linear_matrix){t->positions, dim, false}, (linear_matrix){map, dim, true}, 0,
                   t->words, dim);
    for (size_t i = 0; i < t->n; i++) {
        for (size_t c = 0; c < dim; c++) {
            t->words[i * dim + c] += word_mean[c];
            t->positions[i * dim + c] = t->sums[i * dim + c] - t->words[i * dim + c];
        }
    }
}

/* Share of the trials in which no row of the sample is nearer than the right one, but by rounding. */
static sinpos_status nearest_share(const double *queries, const size_t *right, size_t n, const sinpos_sample *sample,
                                   size_t dim, double *share)
{
    OWNED double *scores = malloc((n + 1) * sample->n * sizeof *scores);
    size_t hits = 0;
    if (scores == NULL)
        return SINPOS_E_MEMORY;
    double *squares = scores + n * sample->n;
    for (size_t j = 0; j < sample->n; j++)
        squares[j] = linear_dot(sample->rows + j * sample->ld, sample->rows + j * sample->ld, dim);
    linear_product(n, sample->n, dim, 2, (linear_matrix){queries, dim, false},
                   (linear_matrix){sample->rows, sample->ld, true}, 0, scores, sample->n);
    for (size_t i = 0; i < n; i++) {
        const double *row = scores + i * sample->n;
        const double own = row[right[i]] - squares[right[i]];
        const double slack = 1e-12 * (fabs(row[right[i]]) + squares[right[i]]);
        bool hit = true;
        for (size_t j = 0; j < sample->n && hit; j++)
            hit = row[j] - squares[j] <= own + slack;
        hits += hit;
    }
    *share = (double)hits / (double)n;
    return SINPOS_OK;
}

static sinpos_status check_sample(const sinpos_sample *s, size_t dim)
{
    if (s == NULL || s->rows == NULL)
        return SINPOS_E_NULL;
    if (s->n == 0 || s->n > SINPOS_SAMPLE_MOST || !fits(s->n, dim, s->ld))
        return SINPOS_E_SHAPE;
    return rows_are_within(s->rows, s->n, dim, s->ld) ? SINPOS_OK : SINPOS_E_VALUE;
}

static sinpos_status fill_nearest(trials *t, const sinpos_sample *words, const sinpos_sample *positions,
                                  const double *map, const double *word_mean, const double *position_mean,
                                  sinpos_nearest_result *r)
{
    sinpos_status status = nearest_share(t->sums, t->word, t->n, words, t->dim, &r->words_plain);
    if (status == SINPOS_OK)
        status = nearest_share(t->sums, t->position, t->n, positions, t->dim, &r->positions_plain);
    apply_map(t, map, word_mean, position_mean);
    if (status == SINPOS_OK)
        status = nearest_share(t->words, t->word, t->n, words, t->dim, &r->words_recovered);
    if (status == SINPOS_OK)
        status = nearest_share(t->positions, t->position, t->n, positions, t->dim, &r->positions_recovered);
    return status;
}

sinpos_status sinpos_nearest(const sinpos_sample *words, const sinpos_sample *positions, size_t dim, const double *map,
                             const double *word_mean, const double *position_mean, size_t n_trials, uint64_t seed,
                             size_t n_threads, sinpos_nearest_result *result)
{
    BOUNDARY;
    trials t;
    sinpos_nearest_result found = {0};
    if (map == NULL || word_mean == NULL || position_mean == NULL || result == NULL)
        return SINPOS_E_NULL;
    if (n_trials == 0 || n_trials > SINPOS_SAMPLE_MOST || n_threads > 1024)
        return SINPOS_E_VALUE;
    sinpos_status status = check_sample(words, dim);
    status = status == SINPOS_OK ? check_sample(positions, dim) : status;
    if (status != SINPOS_OK)
        return status;
    status = trials_make(&t, n_trials, dim);
    RELEASED_BY(linear_end) const int kept = linear_begin(n_threads);
    if (status == SINPOS_OK) {
        draw(&t, words, positions, seed);
        status = fill_nearest(&t, words, positions, map, word_mean, position_mean, &found);
    }
    blocks_free(&t.memory);
    if (status == SINPOS_OK) {
        found.n_trials = n_trials;
        *result = found;
    }
    return status;
}
