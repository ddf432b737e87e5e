/* nothing_waves.c - tables that no sinusoidal encoding made: noise of other laws, waves that are no sinusoids. */
#include "generated.h"
#include "nothing_tables.h"
#include "support.h"

#include <math.h>
#include <stdlib.h>

#define PI 3.14159265358979324
#define TWO_PI 6.283185307179586

static double uniform(random_state *state)
{
    return ((double)(random_u64(state) >> 11) + 0.5) * 0x1p-53;
}

static double normal(random_state *state)
{
    return sqrt(-2 * log(uniform(state))) * cos(TWO_PI * uniform(state));
}

/* ---------------------------------------------------------------------------------------------------- drawing */

/* Small shapes are as frequent as large ones. */
static size_t draw_size(random_state *state, size_t least, size_t most)
{
    return (size_t)((double)least * exp(random_unit(state) * log((double)(most + 1) / (double)least)));
}

/* Most tables are float32; every twentieth is as large as can be, every tenth has three dimensions. */
static void draw_shape(nothing_table *table, random_state *state, uint64_t seed, size_t least)
{
    static const sinpos_type types[] = {SINPOS_F32, SINPOS_F32, SINPOS_F32, SINPOS_F16, SINPOS_BF16, SINPOS_F64};
    const size_t most = seed % 20 == 0 ? 512 : 96;
    *table = (nothing_table){.n_dims = seed % 10 == 3 ? 3 : 2};
    table->type = types[random_below(state, sizeof types / sizeof types[0])];
    table->shape[0] = draw_size(state, least, most);
    table->shape[1] = draw_size(state, least, most);
    table->shape[2] = least + random_below(state, 8);
    if (table->n_dims == 3 && random_u64(state) % 2) {
        table->shape[0] = 2;
        table->shape[2] = draw_size(state, least, most / 2);
    }
    table->dim = table->shape[table->n_dims - 1];
    table->n = table->n_dims == 2 ? table->shape[0] : table->shape[0] * table->shape[1];
}

void nothing_draw(nothing_table *table, size_t kind, uint64_t seed)
{
    random_state state = random_seed(seed, kind);
    draw_shape(table, &state, seed, nothing_kinds[kind].least);
    const size_t count = table->n * table->dim;
    double *x = malloc(count * sizeof *x);
    table->data = malloc(count * type_size(table->type));
    if (x == NULL || table->data == NULL)
        abort();
    nothing_kinds[kind].make(x, table->n, table->dim, &state);
    for (size_t i = 0; i < count; i++)
        store_bits(table->data, table->type, i, bits_of(x[i], table->type));
    free(x);
}

/* ------------------------------------------------------------------------------------------------------ noise */

void make_laplace(double *x, size_t n, size_t dim, random_state *state)
{
    for (size_t i = 0; i < n * dim; i++)
        x[i] = random_sign(state) * log(uniform(state));
}

void make_cauchy(double *x, size_t n, size_t dim, random_state *state)
{
    for (size_t i = 0; i < n * dim; i++)
        x[i] = tan(PI * (uniform(state) - 0.5));
}

void make_exponential(double *x, size_t n, size_t dim, random_state *state)
{
    for (size_t i = 0; i < n * dim; i++)
        x[i] = -0.1 * log(uniform(state));
}

/* The bits of multiplied row numbers, as numbers from -1 to 1. */
void make_hashes(double *x, size_t n, size_t dim, random_state *state)
{
    const uint32_t factor = (uint32_t)random_u64(state) | 1;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < dim; j++)
            x[i * dim + j] = (double)((uint32_t)(i + 1) * factor * (uint32_t)(2 * j + 1)) * 0x1p-31 - 1;
}

/* Numbers in order, down the rows or along them, or remainders of these. */
void make_integers(double *x, size_t n, size_t dim, random_state *state)
{
    const uint64_t choice = random_u64(state);
    const size_t remainder = 3 + random_below(state, 97);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < dim; j++) {
            const size_t number = choice & 1 ? i * dim + j : i + j;
            x[i * dim + j] = (double)(choice & 2 ? number : (number * number) % remainder);
        }
}

/* ------------------------------------------------------------------------------------------------------ waves */

/* Frequencies that grow from row to row, by a tenth of themselves at least. */
void make_chirps(double *x, size_t n, size_t dim, random_state *state)
{
    for (size_t j = 0; j < dim; j++) {
        const double theta = 0.02 + uniform(state), growth = (0.3 + uniform(state)) * theta / (double)n;
        const double phase = TWO_PI * uniform(state);
        for (size_t i = 0; i < n; i++) {
            const double p = (double)i;
            x[i * dim + j] = sin(theta * p + growth * p * p + phase);
        }
    }
}

/* Five to twelve sines in each column. */
void make_many_sines(double *x, size_t n, size_t dim, random_state *state)
{
    for (size_t i = 0; i < n * dim; i++)
        x[i] = 0;
    for (size_t j = 0; j < dim; j++) {
        const size_t count = 5 + random_below(state, 8);
        for (size_t k = 0; k < count; k++) {
            const double theta = PI * uniform(state), phase = TWO_PI * uniform(state), size = 0.3 + uniform(state);
            for (size_t i = 0; i < n; i++)
                x[i * dim + j] += size * sin(theta * (double)i + phase);
        }
    }
}

/* J_k of x by its integral over half a turn; the points are enough for the sizes that are drawn. */
static double bessel(size_t k, double x)
{
    enum { POINTS = 96 };
    double sum = 0;
    for (int i = 0; i < POINTS; i++) {
        const double t = PI * (i + 0.5) / POINTS;
        sum += cos((double)k * t - x * sin(t));
    }
    return sum / POINTS;
}

/* J_k of the row's number times a step, k the column's number. */
void make_bessel(double *x, size_t n, size_t dim, random_state *state)
{
    const double step = 0.02 + 10 / (double)n * uniform(state);
    const size_t first = random_below(state, 3);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < dim; j++)
            x[i * dim + j] = bessel(first + j % 20, step * (double)(i + 1 + j / 20));
}

/* Morlet's, or the Mexican hat, at places and scales of their own. */
void make_wavelets(double *x, size_t n, size_t dim, random_state *state)
{
    const bool is_hat = random_u64(state) % 2;
    for (size_t j = 0; j < dim; j++) {
        const double place = uniform(state) * (double)n, width = (double)n * (0.02 + 0.1 * uniform(state)) + 1;
        for (size_t i = 0; i < n; i++) {
            const double t = ((double)i - place) / width;
            x[i * dim + j] = exp(-t * t / 2) * (is_hat ? 1 - t * t : cos(5 * t));
        }
    }
}

/* Triangles, with slopes that a sinusoid does not have. */
void make_triangles(double *x, size_t n, size_t dim, random_state *state)
{
    for (size_t j = 0; j < dim; j++) {
        const double period = 3 + 20 * uniform(state), phase = uniform(state);
        for (size_t i = 0; i < n; i++) {
            const double turns = (double)i / period + phase;
            x[i * dim + j] = 4 * fabs(turns - floor(turns) - 0.5) - 1;
        }
    }
}

void make_squares(double *x, size_t n, size_t dim, random_state *state)
{
    for (size_t j = 0; j < dim; j++) {
        const double period = 3 + 20 * uniform(state), phase = uniform(state);
        for (size_t i = 0; i < n; i++)
            x[i * dim + j] = sin(TWO_PI * ((double)i / period + phase)) < 0 ? -1 : 1;
    }
}

/* A few smooth curves that all columns mix, and noise: what training leaves. */
void make_trained(double *x, size_t n, size_t dim, random_state *state)
{
    const size_t rank = 2 + random_below(state, 6);
    for (size_t i = 0; i < n * dim; i++)
        x[i] = 0.01 * normal(state);
    for (size_t k = 0; k < rank; k++) {
        const double place = uniform(state), width = 0.1 + 0.5 * uniform(state), size = 0.1 * exp(normal(state));
        for (size_t j = 0; j < dim; j++) {
            const double weight = size * normal(state);
            for (size_t i = 0; i < n; i++) {
                const double t = ((double)i / (double)n - place) / width;
                x[i * dim + j] += weight * tanh(t);
            }
        }
    }
}

/* Brightness that grows to one side. */
void make_gradient(double *x, size_t n, size_t dim, random_state *state)
{
    const double down = normal(state), along = normal(state), bend = normal(state), noise = 0.02 * uniform(state);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < dim; j++) {
            const double u = (double)i / (double)n, v = (double)j / (double)dim;
            x[i * dim + j] = down * u + along * v + bend * u * v + noise * normal(state);
        }
}

/* Sigmoids and logarithms of the row's number. */
void make_saturated(double *x, size_t n, size_t dim, random_state *state)
{
    const bool is_log = random_u64(state) % 2;
    for (size_t j = 0; j < dim; j++) {
        const double place = uniform(state) * (double)n, width = 1 + uniform(state) * (double)n / 4;
        for (size_t i = 0; i < n; i++)
            x[i * dim + j] = is_log ? log1p((double)i / width) : 1 / (1 + exp((place - (double)i) / width));
    }
}
