/* Tables that are no sinusoidal encoding, and must not be taken for one: each kind in many shapes, seeds printed. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "random.h"
#include "sinpos_analysis.h"

#define TWO_PI 6.283185307179586

/* Tables of each kind. The sum over all kinds is above a thousand. */
#ifndef TABLES_EACH
#define TABLES_EACH 110
#endif

struct memory {
    const float *data;
    size_t dim;
};

static sinpos_status read_rows(void *context, size_t first, size_t n, void *rows)
{
    const struct memory *memory = context;
    memcpy(rows, memory->data + first * memory->dim, n * memory->dim * sizeof(float));
    return SINPOS_OK;
}

static double uniform(random_state *state)
{
    return ((double)(random_u64(state) >> 11) + 0.5) * 0x1p-53;
}

static double normal(random_state *state)
{
    return sqrt(-2 * log(uniform(state))) * cos(TWO_PI * uniform(state));
}

typedef void make_table(float *x, size_t n, size_t dim, random_state *state);

static void make_normal(float *x, size_t n, size_t dim, random_state *state)
{
    for (size_t i = 0; i < n * dim; i++) {
        x[i] = (float)(0.02 * normal(state));
    }
}

static void make_uniform(float *x, size_t n, size_t dim, random_state *state)
{
    for (size_t i = 0; i < n * dim; i++) {
        x[i] = (float)(2 * uniform(state) - 1);
    }
}

/* Trained tables vary slowly from row to row, and columns have sizes of their own. */
static void make_smooth(float *x, size_t n, size_t dim, random_state *state)
{
    for (size_t j = 0; j < dim; j++) {
        double value = normal(state), slope = 0;
        const double size = exp(normal(state)) * 0.05;
        for (size_t i = 0; i < n; i++) {
            slope = 0.9 * slope + 0.1 * normal(state);
            value = 0.99 * value + slope;
            x[i * dim + j] = (float)(size * (value + 0.02 * normal(state)));
        }
    }
}

/* Two waves and a random mixture: what is left of positions in many trained tables. */
static void make_low_rank(float *x, size_t n, size_t dim, random_state *state)
{
    const size_t rank = 1 + random_u64(state) % 6;
    memset(x, 0, n * dim * sizeof *x);
    for (size_t r = 0; r < rank; r++) {
        const double theta = uniform(state), phase = TWO_PI * uniform(state);
        for (size_t j = 0; j < dim; j++) {
            const double weight = normal(state);
            for (size_t i = 0; i < n; i++) {
                x[i * dim + j] += (float)(weight * sin(theta * (double)i + phase));
            }
        }
    }
}

/* Rows that are orthogonal, by Gram and Schmidt. */
static void make_orthogonal(float *x, size_t n, size_t dim, random_state *state)
{
    make_normal(x, n, dim, state);
    for (size_t i = 0; i < n; i++) {
        float *row = x + i * dim;
        for (size_t k = i < 24 ? 0 : i - 24; k < i && i < dim; k++) {
            double dot = 0, square = 0;
            for (size_t j = 0; j < dim; j++) {
                dot += (double)row[j] * (double)x[k * dim + j];
                square += (double)x[k * dim + j] * (double)x[k * dim + j];
            }
            for (size_t j = 0; j < dim; j++) {
                row[j] -= (float)(dot / square * (double)x[k * dim + j]);
            }
        }
    }
}

static void make_hadamard(float *x, size_t n, size_t dim, random_state *state)
{
    const uint64_t mask = random_u64(state), flip = random_u64(state);
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < dim; j++) {
            const uint64_t bits = (i ^ (mask & 1 ? flip & 7 : 0)) & j;
            x[i * dim + j] = __builtin_popcountll(bits) % 2 ? -1 : 1;
        }
    }
}

/* Cosines alone, with frequencies in even steps. */
static void make_dct(float *x, size_t n, size_t dim, random_state *state)
{
    const double offset = random_u64(state) % 2 ? 0.5 : 0;
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < dim; j++) {
            x[i * dim + j] = (float)cos(TWO_PI / 2 * (double)j * ((double)i + offset) / (double)n);
        }
    }
}

static void make_constant(float *x, size_t n, size_t dim, random_state *state)
{
    const float value = (float)(random_u64(state) % 3) - 1;
    for (size_t i = 0; i < n * dim; i++) {
        x[i] = value;
    }
}

/* The same random row, again and again. */
static void make_equal_rows(float *x, size_t n, size_t dim, random_state *state)
{
    make_normal(x, 1, dim, state);
    for (size_t i = 1; i < n; i++) {
        memcpy(x + i * dim, x, dim * sizeof *x);
    }
}

/* Pairs on circles, at random angles: no frequency explains them. */
static void make_circles(float *x, size_t n, size_t dim, random_state *state)
{
    for (size_t i = 0; i < n * dim / 2; i++) {
        const double angle = TWO_PI * uniform(state);
        x[2 * i] = (float)sin(angle);
        x[2 * i + 1] = (float)cos(angle);
    }
}

/* A few ones among zeros. */
static void make_one_hot(float *x, size_t n, size_t dim, random_state *state)
{
    memset(x, 0, n * dim * sizeof *x);
    for (size_t i = 0; i < n; i++) {
        x[i * dim + (random_u64(state) % 2 ? (uint64_t)i : random_u64(state)) % dim] = 1;
    }
}

/* Pairs on circles whose angles walk at random, by small steps or large ones. */
static void make_walking_angles(float *x, size_t n, size_t dim, random_state *state)
{
    const double size = exp(log(0.01) * uniform(state));
    for (size_t j = 0; j < dim / 2; j++) {
        double angle = 0;
        for (size_t i = 0; i < n; i++) {
            angle += size * (uniform(state) - 0.5);
            x[i * dim + 2 * j] = (float)sin(angle);
            x[i * dim + 2 * j + 1] = (float)cos(angle);
        }
    }
}

/* Element after element one more. */
static void make_ramp(float *x, size_t n, size_t dim, random_state *state)
{
    const double step = exp(log(0.001) * uniform(state));
    for (size_t i = 0; i < n * dim; i++) {
        x[i] = (float)(step * (double)i);
    }
}

static const struct {
    const char *name;
    make_table *make;
} kinds[] = {
    {"normal", make_normal},
    {"uniform", make_uniform},
    {"smooth", make_smooth},
    {"low rank", make_low_rank},
    {"orthogonal", make_orthogonal},
    {"Hadamard", make_hadamard},
    {"DCT", make_dct},
    {"constant", make_constant},
    {"equal rows", make_equal_rows},
    {"random angles", make_circles},
    {"one hot", make_one_hot},
    {"walking angles", make_walking_angles},
    {"ramp", make_ramp},
};

#define N_KINDS (sizeof kinds / sizeof kinds[0])

/* Small shapes are as frequent as large ones; every twentieth is as large as can be. */
static size_t draw_size(random_state *state, size_t least, bool is_large)
{
    const double most = is_large ? 512 : 96;
    const size_t size = (size_t)((double)least * exp(uniform(state) * log(most / (double)least)));
    return size / 2 * 2;
}

static int claims(size_t kind, uint64_t seed)
{
    random_state state = random_seed(seed, kind);
    const bool is_large = seed % 20 == 0;
    const size_t n = draw_size(&state, 2, is_large), dim = draw_size(&state, 2, is_large), shape[] = {n, dim};
    float *x = malloc(n * dim * sizeof *x);
    struct memory memory = {x, dim};
    const sinpos_table table = {2, shape, SINPOS_F32, read_rows, &memory};
    sinpos_identity *found;
    assert_non_null(x);
    kinds[kind].make(x, n, dim, &state);
    assert_int_equal(sinpos_identify(&found, &table, 1), SINPOS_OK);
    const int is_claimed = found->is_sinusoidal;
    if (is_claimed) {
        printf("%s, %zu x %zu, seed %llu: %.0f bits, nest %d, %zu axes, law %d, residual %.2g\n", kinds[kind].name, n,
               dim, (unsigned long long)seed, found->bits, (int)found->nest, found->n_axes, (int)found->axis[0].law,
               found->residual);
    }
    sinpos_identity_destroy(found);
    free(x);
    return is_claimed;
}

static void nothing_is_found(void **state)
{
    (void)state;
    int wrong = 0;
    printf("seeds 1 .. %d of each kind\n", TABLES_EACH);
    for (size_t kind = 0; kind < N_KINDS; kind++) {
        for (uint64_t seed = 1; seed <= TABLES_EACH; seed++) {
            wrong += claims(kind, seed);
        }
    }
    assert_int_equal(wrong, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(nothing_is_found)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
