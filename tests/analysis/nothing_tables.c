/* nothing_tables.c - tables that no sinusoidal encoding made, of many kinds. */
#include "nothing_tables.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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

/* ---------------------------------------------------------------------------------------------- independent */

static void make_normal(double *x, size_t n, size_t dim, random_state *state)
{
    for (size_t i = 0; i < n * dim; i++)
        x[i] = 0.02 * normal(state);
}

static void make_uniform(double *x, size_t n, size_t dim, random_state *state)
{
    for (size_t i = 0; i < n * dim; i++)
        x[i] = 2 * uniform(state) - 1;
}

static void make_signs(double *x, size_t n, size_t dim, random_state *state)
{
    for (size_t i = 0; i < n * dim; i++)
        x[i] = random_sign(state);
}

/* Each element the sine of an angle of its own. */
static void make_sines(double *x, size_t n, size_t dim, random_state *state)
{
    for (size_t i = 0; i < n * dim; i++)
        x[i] = sin(TWO_PI * uniform(state));
}

/* Pairs on circles, at random angles: no frequency explains them. */
static void make_circles(double *x, size_t n, size_t dim, random_state *state)
{
    for (size_t i = 0; i < n * dim; i++) {
        const double angle = TWO_PI * uniform(state);
        x[i] = sin(angle);
        if (i % dim + 1 < dim)
            x[++i] = cos(angle);
    }
}

/* Rows of length 1, as normalised embeddings are. */
static void make_unit_rows(double *x, size_t n, size_t dim, random_state *state)
{
    for (size_t i = 0; i < n; i++) {
        double square = 0;
        for (size_t j = 0; j < dim; j++) {
            x[i * dim + j] = normal(state);
            square += x[i * dim + j] * x[i * dim + j];
        }
        for (size_t j = 0; j < dim; j++)
            x[i * dim + j] /= sqrt(square);
    }
}

/* Weights of 4 or 8 bits, with a scale for each row. */
static void make_quantised(double *x, size_t n, size_t dim, random_state *state)
{
    const double levels = random_u64(state) % 2 ? 127 : 7;
    for (size_t i = 0; i < n; i++) {
        const double scale = exp(normal(state)) * 0.02;
        for (size_t j = 0; j < dim; j++)
            x[i * dim + j] = scale * fmax(-levels, fmin(levels, nearbyint(levels / 3 * normal(state))));
    }
}

/* A few ones among zeros. */
static void make_one_hot(double *x, size_t n, size_t dim, random_state *state)
{
    memset(x, 0, n * dim * sizeof *x);
    for (size_t i = 0; i < n; i++)
        x[i * dim + (random_u64(state) % 2 ? (uint64_t)i : random_u64(state)) % dim] = 1;
}

static void make_sparse(double *x, size_t n, size_t dim, random_state *state)
{
    const unsigned percent = 1 + (unsigned)random_below(state, 20);
    for (size_t i = 0; i < n * dim; i++)
        x[i] = random_chance(state, percent) ? normal(state) : 0;
}

/* -------------------------------------------------------------------------------------------------- trained */

/* Trained tables vary slowly from row to row, and columns have sizes of their own. */
static void make_smooth(double *x, size_t n, size_t dim, random_state *state)
{
    for (size_t j = 0; j < dim; j++) {
        double value = normal(state), slope = 0;
        const double size = exp(normal(state)) * 0.05;
        for (size_t i = 0; i < n; i++) {
            slope = 0.9 * slope + 0.1 * normal(state);
            value = 0.99 * value + slope;
            x[i * dim + j] = size * (value + 0.02 * normal(state));
        }
    }
}

static void make_walk(double *x, size_t n, size_t dim, random_state *state)
{
    const double keep = random_u64(state) % 2 ? 1 : 1 - exp(-6 * uniform(state));
    for (size_t j = 0; j < dim; j++) {
        double value = 0;
        for (size_t i = 0; i < n; i++) {
            value = keep * value + normal(state);
            x[i * dim + j] = value;
        }
    }
}

/* Waves that all columns mix: what is left of positions in many trained tables. */
static void make_low_rank_waves(double *x, size_t n, size_t dim, random_state *state)
{
    const size_t rank = 1 + random_u64(state) % 6;
    memset(x, 0, n * dim * sizeof *x);
    for (size_t r = 0; r < rank; r++) {
        const double theta = uniform(state), phase = TWO_PI * uniform(state);
        for (size_t j = 0; j < dim; j++) {
            const double weight = normal(state);
            for (size_t i = 0; i < n; i++)
                x[i * dim + j] += weight * sin(theta * (double)i + phase);
        }
    }
}

static void make_low_rank(double *x, size_t n, size_t dim, random_state *state)
{
    const size_t rank = 1 + random_u64(state) % 4;
    double *left = malloc(n * sizeof *left);
    memset(x, 0, n * dim * sizeof *x);
    for (size_t r = 0; r < rank && left != NULL; r++) {
        for (size_t i = 0; i < n; i++)
            left[i] = normal(state);
        for (size_t j = 0; j < dim; j++) {
            const double right = normal(state);
            for (size_t i = 0; i < n; i++)
                x[i * dim + j] += left[i] * right;
        }
    }
    free(left);
}

/* Rows that are orthogonal to the 24 before, by Gram and Schmidt; of length 1 in every other table. */
static void make_orthogonal(double *x, size_t n, size_t dim, random_state *state)
{
    make_normal(x, n, dim, state);
    const bool has_length_1 = random_u64(state) % 2;
    for (size_t i = 0; i < n; i++) {
        double *row = x + i * dim, length = 0;
        for (size_t k = i < 24 ? 0 : i - 24; k < i && i < dim; k++) {
            double dot = 0, square = 0;
            for (size_t j = 0; j < dim; j++) {
                dot += row[j] * x[k * dim + j];
                square += x[k * dim + j] * x[k * dim + j];
            }
            for (size_t j = 0; j < dim; j++)
                row[j] -= dot / square * x[k * dim + j];
        }
        for (size_t j = 0; j < dim; j++)
            length += row[j] * row[j];
        for (size_t j = 0; j < dim && has_length_1; j++)
            row[j] /= sqrt(length);
    }
}

/* Two tones in each column, with phases of their own and some noise: brain waves, sounds. One tone is a true sinusoid. */
static void make_tones(double *x, size_t n, size_t dim, random_state *state)
{
    const double noise = random_u64(state) % 2 ? 0 : 0.1 * uniform(state);
    for (size_t j = 0; j < dim; j++) {
        const double slow = exp(-6 * uniform(state)), fast = 0.5 + uniform(state), phase = TWO_PI * uniform(state);
        for (size_t i = 0; i < n; i++) {
            const double p = (double)i;
            x[i * dim + j] = sin(slow * p + phase) + sin(fast * p - phase) + noise * normal(state);
        }
    }
}

/* Pairs on circles whose angles walk at random, by small steps or large ones. */
static void make_walking_angles(double *x, size_t n, size_t dim, random_state *state)
{
    const double size = exp(log(0.01) * uniform(state));
    for (size_t j = 0; j < dim; j += 2) {
        double angle = 0;
        for (size_t i = 0; i < n; i++) {
            angle += size * (uniform(state) - 0.5);
            x[i * dim + j] = sin(angle);
            if (j + 1 < dim)
                x[i * dim + j + 1] = cos(angle);
        }
    }
}

/* Random vectors that were rotated by their positions: keys as a cache has them. */
static void make_rotated(double *x, size_t n, size_t dim, random_state *state)
{
    make_normal(x, n, dim, state);
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < dim / 2; k++) {
            const double angle = (double)i * pow(10000, -2.0 * (double)k / (double)dim);
            double *a = x + i * dim + k, *b = a + dim / 2;
            const double old = *a;
            *a = old * cos(angle) - *b * sin(angle);
            *b = old * sin(angle) + *b * cos(angle);
        }
    }
}

/* ----------------------------------------------------------------------------------------------- transforms */

/* Rows in the order of Hadamard, or of a Gray code. Up to four are a basis of Fourier: quarter turns. */
static void make_hadamard(double *x, size_t n, size_t dim, random_state *state)
{
    const uint64_t mask = random_u64(state), flip = random_u64(state);
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < dim; j++) {
            const size_t row = mask & 2 ? i ^ i >> 1 : i;
            const uint64_t bits = (row ^ (mask & 1 ? flip & 7 : 0)) & j;
            x[i * dim + j] = __builtin_popcountll(bits) % 2 ? -1 : 1;
        }
    }
}

/* The same with columns in any order and of any sign. */
static void make_walsh(double *x, size_t n, size_t dim, random_state *state)
{
    for (size_t j = 0; j < dim; j++) {
        const uint64_t column = random_u64(state);
        const double sign = random_sign(state);
        for (size_t i = 0; i < n; i++)
            x[i * dim + j] = __builtin_popcountll(i & column & 1023) % 2 ? -sign : sign;
    }
}

/* Bits of the row's number, as 0 and 1 or as signs, plainly or as a Gray code. */
static void make_bits(double *x, size_t n, size_t dim, random_state *state)
{
    const uint64_t choice = random_u64(state);
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < dim; j++) {
            const size_t code = choice & 2 ? i ^ i >> 1 : i, bit = j < 63 ? code >> j & 1 : 0;
            x[i * dim + j] = choice & 1 ? (double)bit : bit ? 1 : -1;
        }
    }
}

/*
 * Cosines alone, with frequencies in even steps: DCT I, II and IV, in one size or orthonormal. Rows and columns are of
 * one square matrix: twice as many columns would hold the sines, too, and be a true encoding. So would one row or one
 * column be, which is why there are two.
 */
static void make_dct(double *x, size_t n, size_t dim, random_state *state)
{
    const uint64_t choice = random_u64(state);
    const double offset = choice & 1 ? 0.5 : 0, shift = choice & 2 ? 0.5 : 0;
    const double size = (double)(n > dim ? n : dim), first = choice & 4 && shift == 0 ? sqrt(0.5) : 1;
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < dim; j++) {
            const double wave = cos(PI * ((double)j + shift) * ((double)i + offset) / size);
            x[i * dim + j] = (j == 0 ? first : 1) * wave;
        }
    }
}

/* Sines alone, in the same way. */
static void make_dst(double *x, size_t n, size_t dim, random_state *state)
{
    const double offset = random_u64(state) % 2 ? 0.5 : 1, size = (double)(n > dim ? n : dim) + 1;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < dim; j++)
            x[i * dim + j] = sin(PI * (double)(j + 1) * ((double)i + offset) / size);
}

/* Steps of one height, each half as long as those before. */
static void make_haar(double *x, size_t n, size_t dim, random_state *state)
{
    const double size = exp(normal(state));
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < dim; j++) {
            size_t level = 0;
            while ((size_t)2 << level <= j)
                level++;
            const double at = (double)i / (double)n * (double)((size_t)1 << level) - (double)(j - ((size_t)1 << level));
            const double wave = at < 0 || at >= 1 ? 0 : at < 0.5 ? 1 : -1;
            x[i * dim + j] = size * (j == 0 ? 1 : wave);
        }
    }
}

/* ------------------------------------------------------------------------------------------------- constant */

static void make_constant(double *x, size_t n, size_t dim, random_state *state)
{
    const double value = (double)(random_u64(state) % 4) - 1, any = normal(state);
    for (size_t i = 0; i < n * dim; i++)
        x[i] = value < 2 ? value : any;
}

/* The same random row, again and again. */
static void make_equal_rows(double *x, size_t n, size_t dim, random_state *state)
{
    make_normal(x, 1, dim, state);
    for (size_t i = 1; i < n; i++)
        memcpy(x + i * dim, x, dim * sizeof *x);
}

/* The same random column, again and again. */
static void make_equal_columns(double *x, size_t n, size_t dim, random_state *state)
{
    for (size_t i = 0; i < n; i++) {
        const double value = normal(state);
        for (size_t j = 0; j < dim; j++)
            x[i * dim + j] = value;
    }
}

static void make_blocks(double *x, size_t n, size_t dim, random_state *state)
{
    const size_t high = 1 + random_below(state, 8), wide = 1 + random_below(state, 8);
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < dim; j++) {
            const bool is_corner = i % high == 0 && j % wide == 0;
            x[i * dim + j] = is_corner ? normal(state) : x[(i - i % high) * dim + j - j % wide];
        }
    }
}

/* A few random rows in turn. */
static void make_periodic(double *x, size_t n, size_t dim, random_state *state)
{
    const size_t period = 2 + random_below(state, 6);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < dim; j++)
            x[i * dim + j] = i < period ? normal(state) : x[(i - period) * dim + j];
}

/* -------------------------------------------------------------------------------------------------- formulas */

/* Element after element one more. */
static void make_ramp(double *x, size_t n, size_t dim, random_state *state)
{
    const double step = exp(log(0.001) * uniform(state));
    for (size_t i = 0; i < n * dim; i++)
        x[i] = step * (double)i;
}

/* A line in each column. */
static void make_lines(double *x, size_t n, size_t dim, random_state *state)
{
    for (size_t j = 0; j < dim; j++) {
        const double start = normal(state), step = normal(state) / (double)n;
        for (size_t i = 0; i < n; i++)
            x[i * dim + j] = start + step * (double)i;
    }
}

/* Powers, or the polynomials of Legendre, on -1 .. 1 or 0 .. 1. */
static void make_polynomials(double *x, size_t n, size_t dim, random_state *state)
{
    const bool is_legendre = random_u64(state) % 2, is_symmetric = random_u64(state) % 2;
    for (size_t i = 0; i < n; i++) {
        const double unit = ((double)i + 0.5) / (double)n, t = is_symmetric ? 2 * unit - 1 : unit;
        double before = 0, value = 1;
        for (size_t j = 0; j < dim; j++) {
            x[i * dim + j] = value;
            const double k = (double)j,
                         next = is_legendre ? ((2 * k + 1) * t * value - k * before) / (k + 1) : t * value;
            before = value;
            value = next;
        }
    }
}

/* The attention biases of ALiBi, and slopes alone where there is one row. */
static void make_alibi(double *x, size_t n, size_t dim, random_state *state)
{
    const size_t heads = (size_t)1 << random_below(state, 5);
    const double head = (double)(1 + random_below(state, heads)), slope = exp2(-8 * head / (double)heads);
    const bool is_by_head = random_u64(state) % 2;
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < dim; j++) {
            const double by_head = exp2(-8 * (double)(i + 1) / (double)n) * (double)j;
            x[i * dim + j] = is_by_head ? -by_head : -slope * fabs((double)i - (double)j);
        }
    }
}

/* Decays: states of recurrences, half-lives. */
static void make_decays(double *x, size_t n, size_t dim, random_state *state)
{
    const double least = 0.1 * uniform(state);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < dim; j++)
            x[i * dim + j] = exp(-least * (double)i * pow(100, -(double)j / (double)dim));
}

/* Bells around centres in even steps. */
static void make_bells(double *x, size_t n, size_t dim, random_state *state)
{
    const double width = exp(2 * uniform(state) - 3);
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < dim; j++) {
            const double off = ((double)i + 0.5) / (double)n - ((double)j + 0.5) / (double)dim;
            x[i * dim + j] = exp(-off * off / (2 * width * width));
        }
    }
}

/* Zeros and minus infinity, or a large number, above the diagonal. */
static void make_mask(double *x, size_t n, size_t dim, random_state *state)
{
    static const double values[] = {-INFINITY, -10000, 1, -1};
    const double value = values[random_u64(state) % 4];
    const size_t window = random_u64(state) % 2 ? n : 1 + random_below(state, n);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < dim; j++)
            x[i * dim + j] = j <= i && i - j < window ? 0 : value;
}

/* Random numbers along the diagonals, in circles or not. */
static void make_toeplitz(double *x, size_t n, size_t dim, random_state *state)
{
    const bool is_circular = random_u64(state) % 2;
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < dim; j++) {
            const bool is_first = i == 0 || (j == 0 && !is_circular);
            x[i * dim + j] = is_first ? normal(state) : x[(i - 1) * dim + (j + dim - 1) % dim];
        }
    }
}

/* Brightnesses 0 .. 255, or the same over 255: discs, an edge and some noise. */
static void make_image(double *x, size_t n, size_t dim, random_state *state)
{
    const double unit = random_u64(state) % 2 ? 1 : 255, noise = 6 * uniform(state);
    for (size_t i = 0; i < n * dim; i++)
        x[i] = 60 + 40 * (double)(i / dim) / (double)n + (i % dim > dim / 3 ? 30 : 0);
    for (size_t k = 0; k < 6; k++) {
        const double row = uniform(state) * (double)n, column = uniform(state) * (double)dim;
        const double radius = uniform(state) * (double)(n + dim) / 6, light = 120 * uniform(state) - 40;
        for (size_t i = 0; i < n * dim; i++)
            x[i] += hypot((double)(i / dim) - row, (double)(i % dim) - column) < radius ? light : 0;
    }
    for (size_t i = 0; i < n * dim; i++)
        x[i] = fmax(0, fmin(255, nearbyint(x[i] + noise * normal(state)))) / unit;
}

/* Probabilities: rows of attention. */
static void make_softmax(double *x, size_t n, size_t dim, random_state *state)
{
    const bool is_causal = random_u64(state) % 2;
    for (size_t i = 0; i < n; i++) {
        double sum = 0;
        for (size_t j = 0; j < dim; j++) {
            x[i * dim + j] = j > i && is_causal ? 0 : exp(2 * normal(state));
            sum += x[i * dim + j];
        }
        for (size_t j = 0; j < dim; j++)
            x[i * dim + j] /= sum;
    }
}

const nothing_kind nothing_kinds[] = {
    {"normal", 1, make_normal},
    {"uniform", 1, make_uniform},
    {"signs", 1, make_signs},
    {"sines of random angles", 1, make_sines},
    {"random angles", 1, make_circles},
    {"rows of length 1", 1, make_unit_rows},
    {"quantised", 1, make_quantised},
    {"one hot", 1, make_one_hot},
    {"sparse", 1, make_sparse},
    {"smooth", 1, make_smooth},
    {"random walk", 1, make_walk},
    {"low rank waves", 1, make_low_rank_waves},
    {"low rank", 1, make_low_rank},
    {"orthogonal", 1, make_orthogonal},
    {"tones", 1, make_tones},
    {"walking angles", 1, make_walking_angles},
    {"rotated", 1, make_rotated},
    {"Hadamard", 5, make_hadamard},
    {"Walsh", 5, make_walsh},
    {"bits", 1, make_bits},
    {"DCT", 2, make_dct},
    {"DST", 2, make_dst},
    {"Haar", 1, make_haar},
    {"constant", 1, make_constant},
    {"equal rows", 1, make_equal_rows},
    {"equal columns", 1, make_equal_columns},
    {"blocks", 1, make_blocks},
    {"periodic", 1, make_periodic},
    {"ramp", 1, make_ramp},
    {"lines", 1, make_lines},
    {"polynomials", 1, make_polynomials},
    {"ALiBi", 1, make_alibi},
    {"decays", 1, make_decays},
    {"bells", 1, make_bells},
    {"mask", 1, make_mask},
    {"Toeplitz", 1, make_toeplitz},
    {"image", 1, make_image},
    {"softmax", 1, make_softmax},
    {"Laplace", 1, make_laplace},
    {"Cauchy", 1, make_cauchy},
    {"exponential", 1, make_exponential},
    {"hashes", 1, make_hashes},
    {"integers", 5, make_integers},
    {"chirps", 5, make_chirps},
    {"many sines", 5, make_many_sines},
    {"Bessel", 5, make_bessel},
    {"wavelets", 5, make_wavelets},
    {"triangles", 5, make_triangles},
    {"squares", 5, make_squares},
    {"trained", 5, make_trained},
    {"gradient", 5, make_gradient},
    {"saturated", 5, make_saturated},
};

const size_t n_nothing_kinds = sizeof nothing_kinds / sizeof nothing_kinds[0];
