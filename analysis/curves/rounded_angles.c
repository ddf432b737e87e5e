/*
 * rounded_angles.c - angles as common code computes them, and how wrong their cosines are.
 *
 * With x = p theta exactly and d = angle - x the cosine of the recipe's angle is cos x cos d - sin x sin d, where sin x and
 * cos x come from the core, for all tones at once, and d is small as long as the recipe is any good.
 */
#include <math.h>
#include <stdbool.h>

#include "boundary.h"
#include "complete_tones.h"
#include "crew.h"
#include "sinpos_conventions.h"

enum { CHUNK = 1024 };

#define SATURATED (2 - 1e-6)

/* What the core calls it. */
static const sinpos_arithmetic *arithmetic_of(sinpos_recipe recipe)
{
    static const char *const names[SINPOS_N_RECIPES] = {
        [SINPOS_RECIPE_F32_POW] = "float32-pow",
        [SINPOS_RECIPE_F32_EXP] = "float32-exp",
        [SINPOS_RECIPE_F32_RATIO_POW] = "float32-ratio-pow",
        [SINPOS_RECIPE_F32_REPEATED] = "float32-repeated",
        [SINPOS_RECIPE_F32_THETA] = "float32-theta",
        [SINPOS_RECIPE_F16_THETA] = "float16-theta",
        [SINPOS_RECIPE_BF16_THETA] = "bfloat16-theta",
        [SINPOS_RECIPE_BF16_POSITIONS] = "bfloat16-positions",
    };
    return (unsigned)recipe < SINPOS_N_RECIPES ? sinpos_arithmetic_find(names[recipe]) : NULL;
}

const char *sinpos_recipe_name(sinpos_recipe recipe)
{
    BOUNDARY;
    const sinpos_arithmetic *found = arithmetic_of(recipe);
    return found == NULL ? "unknown recipe" : sinpos_arithmetic_text(found, "name");
}

const char *sinpos_recipe_who(sinpos_recipe recipe)
{
    BOUNDARY;
    const sinpos_arithmetic *found = arithmetic_of(recipe);
    return found == NULL ? "" : sinpos_arithmetic_text(found, "who");
}

/* ------------------------------------------------------------------------------------------ frequencies */

/* To so many bits, to nearest even, with least the unit of subnormal numbers. */
static double round_to(double x, int bits, double least)
{
    int exponent;
    if (x == 0)
        return 0;
    frexp(x, &exponent);
    const double unit = fmax(ldexp(1, exponent - bits), least);
    return nearbyint(x / unit) * unit;
}

static double to_bf16(double x)
{
    return round_to(x, 8, 0x1p-133);
}

typedef struct angle_errors {
    sinpos_recipe recipe;
    size_t n;      /* tones */
    double *exact; /* (n) theta rounded to double */
    float *theta;  /* (n) as the recipe has it */
    sinpos_plan *plan;
    uint64_t first, last; /* positions of this pass */
    double *largest;      /* of each chunk */
    double *rows;         /* for each chunk at work CHUNK rows of 2 n */
    blocks memory;
} angle_errors;

static bool is_geometric(const sinpos_spec *spec)
{
    return spec->schedule == SINPOS_GEOMETRIC && spec->n_factor == 0;
}

/* Of F32_REPEATED the first frequency, then ratios. */
static sinpos_status round_theta(angle_errors *j, const sinpos_plan *plan)
{
    sinpos_replay *replay;
    size_t n;
    double *theta = blocks_take(&j->memory, j->n, sizeof *theta);
    sinpos_status status = theta == NULL ? SINPOS_E_MEMORY : SINPOS_OK;
    status = status == SINPOS_OK ? sinpos_replay_create(&replay, plan, sinpos_recipe_name(j->recipe)) : status;
    if (status == SINPOS_OK) {
        status = sinpos_replay_theta(replay, theta, j->n, &n);
        sinpos_replay_destroy(replay);
    }
    for (size_t i = 0; i < j->n && status == SINPOS_OK; i++)
        j->theta[i] = (float)theta[i];
    return status;
}

/* ----------------------------------------------------------------------------------------------- errors */

/* sin d and 1 - cos d for |d| <= 1/2, to 2^-54 relative. */
static void small_sincos(double d, double *sine, double *versine)
{
    const double z = d * d;
    *sine =
        d * (1 - z / 6 * (1 - z / 20 * (1 - z / 42 * (1 - z / 72 * (1 - z / 110 * (1 - z / 156 * (1 - z / 210)))))));
    *versine = z / 2 * (1 - z / 12 * (1 - z / 30 * (1 - z / 56 * (1 - z / 90 * (1 - z / 132 * (1 - z / 182))))));
}

static double cosine_error(double sine, double cosine, double angle, double exact_angle)
{
    const double d = angle - exact_angle;
    double sine_d, versine_d;
    if (fabs(d) <= 0.5) {
        small_sincos(d, &sine_d, &versine_d);
    } else {
        sine_d = sin(d);
        versine_d = 1 - cos(d);
    }
    const double value = cosine - cosine * versine_d - sine * sine_d;
    return fabs((double)(float)value - cosine);
}

/* The largest error in one row: position p, exact sines, then cosines. */
static double row_error(const angle_errors *j, uint64_t p, const double *row)
{
    const double position = (double)p;
    const float start = j->recipe == SINPOS_RECIPE_BF16_POSITIONS ? (float)to_bf16((float)p) : (float)p;
    double largest = 0;
    float angle = start;
    for (size_t i = 0; i < j->n; i++) {
        angle = j->recipe == SINPOS_RECIPE_F32_REPEATED ? angle * j->theta[i] : start * j->theta[i];
        const double error = cosine_error(row[i], row[j->n + i], angle, position * j->exact[i]);
        largest = error > largest ? error : largest;
    }
    return largest;
}

static void chunks_run(void *context, size_t first, size_t count)
{
    const angle_errors *j = context;
    double *rows = j->rows + first * CHUNK * 2 * j->n;
    for (size_t chunk = first; chunk < first + count; chunk++) {
        const uint64_t begin = j->first + chunk * CHUNK;
        const size_t n = j->last - begin < CHUNK ? (size_t)(j->last - begin) : CHUNK;
        double largest = sinpos_fill(j->plan, (int64_t)begin, n, SINPOS_F64, rows, 2 * j->n) == SINPOS_OK ? 0 : NAN;
        for (size_t row = 0; row < n; row++) {
            const double error = row_error(j, begin + row, rows + row * 2 * j->n);
            largest = error > largest ? error : largest;
        }
        j->largest[chunk] = largest;
    }
}

/* Largest error over first .. last - 1. */
static double pass(angle_errors *j, uint64_t first, uint64_t last, size_t n_threads)
{
    double largest = 0;
    while (first < last) {
        const uint64_t left = (last - first + CHUNK - 1) / CHUNK;
        const size_t chunks = left < n_threads ? (size_t)left : n_threads;
        j->first = first;
        j->last = last - first < chunks * CHUNK ? last : first + chunks * CHUNK;
        threads_run(n_threads, chunks, 1, chunks_run, j);
        for (size_t i = 0; i < chunks; i++)
            largest = j->largest[i] > largest ? j->largest[i] : largest;
        first = j->last;
    }
    return largest;
}

static sinpos_status all_passes(angle_errors *j, const uint64_t *below, size_t n_below, double *error, const crew *c)
{
    double largest = 0;
    uint64_t done = 0;
    sinpos_status status = SINPOS_OK;
    for (size_t i = 0; i < n_below && status == SINPOS_OK; i++) {
        if (largest < SATURATED)
            largest = fmax(largest, pass(j, done, below[i], c->n_threads));
        done = below[i];
        error[i] = largest;
        status = crew_report(c, (double)done / (double)below[n_below - 1]);
    }
    return status;
}

/* The plan of the definition, as sines, then cosines. */
static sinpos_status exact_plan(angle_errors *j, const sinpos_spec *spec)
{
    sinpos_spec wide = *spec;
    OWNED_PLAN sinpos_plan *plan = NULL;
    RELEASED_BY(tones_free) tones t = {0};
    wide.types = SINPOS_F64;
    wide.odd = SINPOS_TRUNCATE;
    wide.dim = 2 * sinpos_spec_frequencies(spec);
    if (wide.divisor == 0) /* what the width stood for */
        wide.divisor = spec->odd == SINPOS_ZERO ? (double)(spec->dim / 2) : (double)spec->dim / 2;
    sinpos_status status = sinpos_plan_create(&plan, &wide);
    if (status != SINPOS_OK)
        return status;
    status = tones_of_plan(&t, plan);
    j->n = t.n;
    j->exact = blocks_take(&j->memory, t.n, sizeof *j->exact);
    j->theta = blocks_take(&j->memory, t.n, sizeof *j->theta);
    status = status == SINPOS_OK ? blocks_status(&j->memory) : status;
    size_t n;
    status = status == SINPOS_OK ? sinpos_plan_theta(plan, j->exact, j->n, &n) : status;
    status = status == SINPOS_OK ? round_theta(j, plan) : status;
    status = status == SINPOS_OK ? tones_plan(&j->plan, t.tone, NULL, t.n, 1, SINPOS_F64) : status;
    return status;
}

static sinpos_status check(const sinpos_spec *spec, sinpos_recipe recipe, const uint64_t *below, size_t n_below,
                           const double *error, size_t n_threads)
{
    if (spec == NULL || (n_below > 0 && (below == NULL || error == NULL)))
        return SINPOS_E_NULL;
    const bool needs_geometric = recipe <= SINPOS_RECIPE_F32_REPEATED;
    if ((unsigned)recipe >= SINPOS_N_RECIPES || n_threads > 1024)
        return SINPOS_E_VALUE;
    for (size_t i = 0; i < n_below; i++)
        if (below[i] > SINPOS_RECIPE_MOST || below[i] == 0 || (i > 0 && below[i] <= below[i - 1]))
            return SINPOS_E_VALUE;
    const sinpos_status status = sinpos_spec_check(spec, NULL);
    return status != SINPOS_OK ? status : needs_geometric && !is_geometric(spec) ? SINPOS_E_UNSUPPORTED : SINPOS_OK;
}

sinpos_status sinpos_recipe_errors(const sinpos_spec *spec, sinpos_recipe recipe, const uint64_t *below, size_t n_below,
                                   double *error, size_t n_threads, sinpos_progress *progress, void *context)
{
    BOUNDARY;
    angle_errors j = {.recipe = recipe};
    sinpos_spec own;
    if (spec != NULL && !SIZED_READ(&own, spec, n_factor))
        return SINPOS_E_STRUCT;
    spec = spec == NULL ? NULL : &own;
    sinpos_status status = check(spec, recipe, below, n_below, error, n_threads);
    if (status != SINPOS_OK || n_below == 0)
        return status;
    const crew c = crew_of(n_threads, progress, context);
    status = exact_plan(&j, spec);
    if (status == SINPOS_OK) {
        j.largest = blocks_take(&j.memory, c.n_threads, sizeof *j.largest);
        j.rows = blocks_take(&j.memory, c.n_threads * CHUNK * 2, (j.n + 1) * sizeof(double));
        status = j.memory.has_failed ? SINPOS_E_MEMORY : all_passes(&j, below, n_below, error, &c);
    }
    sinpos_plan_destroy(j.plan);
    blocks_free(&j.memory);
    return status;
}
