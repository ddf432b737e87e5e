/* Splits of H, moments, spans, recovery, attention terms: known answers, plain loops, planted structure, wrong inputs. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cases.h"

#include "linear.h"
#include "seeded.h"
#include "sinpos_analysis.h"

enum { SEED = 8231 };

static double noise(uint64_t stream, size_t i)
{
    return seeded_uniform(SEED, stream, i);
}

static sinpos_plan *plan_of(size_t dim, double base)
{
    sinpos_spec spec = SINPOS_SPEC_INIT;
    sinpos_plan *plan = NULL;
    spec.dim = dim;
    spec.base = base;
    assert_int_equal(sinpos_plan_create(&plan, &spec), SINPOS_OK);
    return plan;
}

static double *rows_of(const sinpos_plan *plan, size_t n)
{
    const size_t dim = sinpos_plan_dim(plan);
    double *rows = malloc(n * dim * sizeof *rows);
    assert_non_null(rows);
    assert_int_equal(sinpos_fill(plan, 0, n, SINPOS_F64, rows, dim), SINPOS_OK);
    return rows;
}

static sinpos_moments *moments_of(const double *rows, size_t n, size_t dim)
{
    sinpos_moments *m;
    assert_int_equal(sinpos_moments_create(&m, dim, 1), SINPOS_OK);
    assert_int_equal(sinpos_moments_add(m, n, SINPOS_F64, rows, dim), SINPOS_OK);
    return m;
}

/* Tests that need eigenvalues end early where there is no LAPACK. */
static int lacks_lapack(void)
{
    if (!linear_available())
        skip();
    return !linear_available();
}

/* -------------------------------------------------------------------------------------------------- the split */

/* Least squares by Gram-Schmidt over the indicators of all lines, diagonals first. */
static void plain_split(const double *a, size_t n, double share[3])
{
    const size_t cells = n * n, lines = 2 * n - 1;
    long double mean = 0, total = 0, part[2] = {0, 0};
    long double *basis = calloc((2 * lines + 1) * cells, sizeof *basis), *rest = malloc(cells * sizeof *rest);
    size_t used = 0;
    for (size_t i = 0; i < cells; i++)
        mean += a[i] / (long double)cells;
    for (size_t i = 0; i < cells; i++) {
        rest[i] = a[i] - mean;
        total += rest[i] * rest[i];
    }
    for (size_t line = 0; line < 2 * lines; line++) {
        long double *v = basis + used * cells, squares = 0, inner = 0;
        for (size_t m = 0; m < n; m++)
            for (size_t k = 0; k < n; k++)
                v[m * n + k] = line < lines ? m + n - 1 - k == line : m + k == line - lines;
        for (int twice = 0; twice < 2; twice++) {
            for (size_t b = 0; b < used; b++) {
                long double c = 0;
                for (size_t i = 0; i < cells; i++)
                    c += v[i] * basis[b * cells + i];
                for (size_t i = 0; i < cells; i++)
                    v[i] -= c * basis[b * cells + i];
            }
        }
        for (size_t i = 0; i < cells; i++)
            squares += v[i] * v[i];
        if (squares < 1e-12L)
            continue;
        for (size_t i = 0; i < cells; i++) {
            v[i] /= sqrtl(squares);
            inner += v[i] * rest[i];
        }
        part[line >= lines] += inner * inner;
        used++;
    }
    share[0] = (double)(part[0] / total);
    share[1] = (double)(part[1] / total);
    share[2] = (double)((total - part[0] - part[1]) / total);
    free(basis);
    free(rest);
}

static void split_is_a_projection(void **state)
{
    (void)state;
    static const size_t sizes[] = {2, 3, 4, 9, 14};
    enum { DIM = 6 };
    for (size_t which = 0; which < 5; which++) {
        const size_t n = sizes[which];
        double h[DIM * DIM], a[14 * 14], want[3], curve[27];
        sinpos_plan *plan = plan_of(DIM, 3);
        double *p = rows_of(plan, n);
        sinpos_split_result r;
        for (size_t i = 0; i < DIM * DIM; i++)
            h[i] = noise(1, i);
        for (size_t m = 0; m < n; m++) {
            for (size_t k = 0; k < n; k++) {
                a[m * n + k] = 0;
                for (size_t i = 0; i < DIM; i++)
                    for (size_t j = 0; j < DIM; j++)
                        a[m * n + k] += p[m * DIM + i] * h[i * DIM + j] * p[k * DIM + j];
            }
        }
        plain_split(a, n, want);
        assert_int_equal(sinpos_split(h, DIM, p, n, DIM, DIM, 1, curve, &r), SINPOS_OK);
        assert_true(fabs(r.difference - want[0]) < 1e-12 && fabs(r.sum - want[1]) < 1e-12);
        assert_true(fabs(r.rest - want[2]) < 1e-12 && fabs(r.difference + r.sum + r.rest - 1) < 1e-14);
        assert_true(fabs(curve[2 * n - 2] - a[(n - 1) * n]) < 1e-13 && fabs(curve[0] - a[n - 1]) < 1e-13);
        free(p);
        sinpos_plan_destroy(plan);
    }
}

/* H = I: a function of m - n alone. Sine and cosine with opposite signs: of m + n alone. */
static void split_of_diagonals(void **state)
{
    (void)state;
    enum { DIM = 32, N = 300 };
    sinpos_plan *plan = plan_of(DIM, 10000);
    double *p = rows_of(plan, N), h[DIM * DIM] = {0}, curve[2 * N - 1], g[N];
    const sinpos_rows offsets = {.struct_size = sizeof offsets, .n = N};
    sinpos_split_result r;
    sinpos_coefficients c;
    assert_int_equal(sinpos_split(NULL, 0, p, N, DIM, DIM, 1, curve, &r), SINPOS_OK);
    assert_true(fabs(r.difference - 1) < 1e-13 && fabs(r.sum) < 1e-25 && fabs(r.rest) < 1e-25);
    assert_int_equal(sinpos_kernel_values(plan, &offsets, g, 1), SINPOS_OK);
    for (size_t k = 0; k < N; k++)
        assert_true(fabs(curve[N - 1 + k] - g[k]) < 1e-13 && fabs(curve[N - 1 - k] - g[k]) < 1e-13);
    assert_int_equal(sinpos_split_coefficients(plan, NULL, 0, &c), SINPOS_OK);
    assert_true(c.sum == 0 && c.rest == 0 && c.total == c.difference && fabs(c.difference - DIM / 4.0) < 1e-13);
    for (size_t i = 0; i < DIM; i++)
        h[i * DIM + i] = i % 2 == 0 ? -1 : 1;
    assert_int_equal(sinpos_split(h, DIM, p, N, DIM, DIM, 1, NULL, &r), SINPOS_OK);
    assert_true(fabs(r.sum_alone - 1) < 1e-12 && fabs(r.rest) < 1e-12 && r.sum > 0.2);
    assert_int_equal(sinpos_split_coefficients(plan, h, DIM, &c), SINPOS_OK);
    assert_true(c.difference == 0 && c.rest == 0 && c.sum > 0);
    free(p);
    sinpos_plan_destroy(plan);
}

/* Over many periods the grid's shares become those of the coefficients. */
static void split_in_the_limit(void **state)
{
    (void)state;
    enum { DIM = 8, N = 3000 };
    sinpos_plan *plan = plan_of(DIM, 20);
    double *p = rows_of(plan, N), h[DIM * DIM];
    sinpos_split_result r;
    sinpos_coefficients c;
    for (size_t i = 0; i < DIM * DIM; i++)
        h[i] = noise(2, i) + 2 * (i % (DIM + 1) == 0);
    assert_int_equal(sinpos_split(h, DIM, p, N, DIM, DIM, 0, NULL, &r), SINPOS_OK);
    assert_int_equal(sinpos_split_coefficients(plan, h, DIM, &c), SINPOS_OK);
    assert_true(fabs(r.difference - c.difference / c.total) < 3e-3 && fabs(r.sum - c.sum / c.total) < 3e-3);
    assert_true(fabs(r.rest - c.rest / c.total) < 3e-3 && fabs(r.variance / c.total - 1) < 3e-3);
    assert_true(c.difference > 0 && c.sum > 0 && c.rest > 0);
    free(p);
    sinpos_plan_destroy(plan);
}

static void split_arguments(void **state)
{
    (void)state;
    double p[8] = {0}, h[4] = {1, 0, 0, 1};
    sinpos_split_result r = {.mean = 77};
    sinpos_coefficients c = {.total = 77};
    sinpos_plan *plan = plan_of(2, 10000);
    assert_int_equal(sinpos_split(h, 2, NULL, 4, 2, 2, 1, NULL, &r), SINPOS_E_NULL);
    assert_int_equal(sinpos_split(h, 2, p, 4, 2, 2, 1, NULL, NULL), SINPOS_E_NULL);
    assert_int_equal(sinpos_split(h, 2, p, 1, 2, 2, 1, NULL, &r), SINPOS_E_SHAPE);
    assert_int_equal(sinpos_split(h, 1, p, 4, 2, 2, 1, NULL, &r), SINPOS_E_SHAPE);
    assert_int_equal(sinpos_split(h, 2, p, 4, 2, 1, 1, NULL, &r), SINPOS_E_SHAPE);
    assert_int_equal(sinpos_split(h, 2, p, 4, 2, 2, 1025, NULL, &r), SINPOS_E_VALUE);
    assert_int_equal(sinpos_split_coefficients(NULL, h, 2, &c), SINPOS_E_NULL);
    assert_int_equal(sinpos_split_coefficients(plan, h, 1, &c), SINPOS_E_SHAPE);
    p[3] = NAN;
    assert_int_equal(sinpos_split(h, 2, p, 4, 2, 2, 1, NULL, &r), SINPOS_E_VALUE);
    p[3] = 0;
    h[2] = 1e200;
    assert_int_equal(sinpos_split(h, 2, p, 4, 2, 2, 1, NULL, &r), SINPOS_E_VALUE);
    assert_int_equal(sinpos_split_coefficients(plan, h, 2, &c), SINPOS_E_VALUE);
    assert_true(r.mean == 77 && c.total == 77);
    assert_int_equal(sinpos_split(NULL, 0, p, 4, 2, 2, 1, NULL, &r), SINPOS_OK);
    assert_true(r.variance == 0 && isnan(r.difference));
    sinpos_plan_destroy(plan);
}

/* Equal rows: the products differ by rounding alone, if at all, and that is not a variance. */
static void equal_rows_have_no_variance(void **state)
{
    (void)state;
    enum { N = 40, DIM = 8 };
    static double h[DIM * DIM], p[N * DIM];
    sinpos_split_result r;
    uint64_t seed = 5;
    for (size_t i = 0; i < DIM * DIM; i++)
        h[i] = (double)(seed = seed * 6364136223846793005 + 1442695040888963407) * 0x1p-63 - 1;
    for (size_t i = 0; i < N * DIM; i++)
        p[i] = 1 + 0.1 * (double)(i % DIM);
    assert_int_equal(sinpos_split(h, DIM, p, N, DIM, DIM, 1, NULL, &r), SINPOS_OK);
    assert_true(r.variance == 0 && isnan(r.difference) && isnan(r.sum) && isnan(r.rest) && isnan(r.sum_alone));
}

/* H from jets against the cross term of the Taylor expansion, which moves along whole rows. */
static void hessian_of_attention(void **state)
{
    (void)state;
    static const size_t dims[] = {1, 5, 64, 100};
    for (size_t d = 0; d < 4; d++) {
        const size_t dim = dims[d];
        double *h = malloc(dim * dim * sizeof *h), *p = malloc(3 * dim * sizeof *p), cross = 0;
        sinpos_taylor_result r;
        for (size_t i = 0; i < 3 * dim; i++)
            p[i] = noise(3, i);
        assert_int_equal(sinpos_attention_hessian(NULL, 3, dim, 0, 0, 2, SEED, h, dim), SINPOS_OK);
        assert_int_equal(sinpos_taylor(p, 3, dim, dim, NULL, 0, 0, 2, SEED, &r), SINPOS_OK);
        for (size_t i = 0; i < dim; i++)
            for (size_t j = 0; j < dim; j++)
                cross += p[i] * h[i * dim + j] * p[2 * dim + j];
        assert_true(fabs(cross - r.cross) < 1e-12);
        free(h);
        free(p);
    }
    double h = 77, x[2] = {1, NAN};
    assert_int_equal(sinpos_attention_hessian(NULL, 2, 1, 0, 0, 1, 1, NULL, 1), SINPOS_E_NULL);
    assert_int_equal(sinpos_attention_hessian(NULL, 17, 1, 0, 0, 1, 1, &h, 1), SINPOS_E_SHAPE);
    assert_int_equal(sinpos_attention_hessian(NULL, 2, 1, 0, 1, 1, 1, &h, 1), SINPOS_E_VALUE);
    assert_int_equal(sinpos_attention_hessian(x, 2, 1, 1, 0, 1, 1, &h, 1), SINPOS_E_VALUE);
    assert_true(h == 77);
}

/* ------------------------------------------------------------------------------------------------- moments */

static void moments_by_pieces(void **state)
{
    (void)state;
    enum { N = 2500, DIM = 5 };
    double rows[N * DIM], mean[DIM], covariance[DIM * DIM];
    float narrow[N * DIM];
    sinpos_moments *m;
    long double sums[DIM] = {0};
    for (size_t i = 0; i < N * DIM; i++) {
        narrow[i] = (float)(1e6 + noise(4, i) * (double)(1 + i % DIM));
        rows[i] = (double)narrow[i];
        sums[i % DIM] += rows[i] / N;
    }
    assert_int_equal(sinpos_moments_create(&m, DIM, 1), SINPOS_OK);
    assert_int_equal(sinpos_moments_read(m, mean, covariance), SINPOS_E_VALUE);
    assert_int_equal(sinpos_moments_add(m, 3, SINPOS_F32, narrow, DIM), SINPOS_OK);
    assert_int_equal(sinpos_moments_add(m, 0, SINPOS_F32, NULL, DIM), SINPOS_OK);
    assert_int_equal(sinpos_moments_add(m, N - 3, SINPOS_F64, rows + 3 * DIM, DIM), SINPOS_OK);
    assert_int_equal(sinpos_moments_rows(m), N);
    assert_int_equal(sinpos_moments_read(m, mean, covariance), SINPOS_OK);
    for (size_t i = 0; i < DIM; i++) {
        assert_true(fabsl(mean[i] - sums[i]) < 1e-9L);
        for (size_t j = 0; j < DIM; j++) {
            long double sum = 0;
            for (size_t r = 0; r < N; r++)
                sum += (rows[r * DIM + i] - sums[i]) * (rows[r * DIM + j] - sums[j]);
            assert_true(fabsl(sum / N - covariance[i * DIM + j]) < 1e-12L * 25);
        }
    }
    sinpos_moments_destroy(m);
    const uint16_t half[] = {0x3c00, 0xc000, 0x0001, 0x7c00, 0x7e00}, brain[] = {0x3f80, 0xc000, 0x0001};
    double wide[5];
    assert_int_equal(sinpos_widen(SINPOS_F16, half, 5, wide), SINPOS_OK);
    assert_true(wide[0] == 1 && wide[1] == -2 && wide[2] == 0x1p-24 && isinf(wide[3]) && isnan(wide[4]));
    assert_int_equal(sinpos_widen(SINPOS_BF16, brain, 3, wide), SINPOS_OK);
    assert_true(wide[0] == 1 && wide[1] == -2 && wide[2] == 0x1p-133);
    assert_int_equal(sinpos_widen((sinpos_type)3, brain, 3, wide), SINPOS_E_TYPE);
}

/* Columns that are powers of one another's signs: orthogonal, as in a Hadamard matrix. */
static void covariance_of_diagonal(void **state)
{
    (void)state;
    enum { N = 16, DIM = 4 };
    double rows[N * DIM];
    sinpos_covariance_result r;
    for (size_t i = 0; i < N; i++)
        for (size_t c = 0; c < DIM; c++)
            rows[i * DIM + c] = (double)(c + 1) * (i >> c & 1 ? 1 : -1);
    sinpos_moments *m = moments_of(rows, N, DIM);
    assert_int_equal(sinpos_covariance(m, &r), SINPOS_OK);
    assert_true(r.diagonal_share == 1 && isinf(r.diagonal_ratio) && r.dominant_share == 1);
    assert_true(r.largest_correlation == 0 && r.rms_cosine == 0 && r.n_constant == 0);
    assert_true(fabs(r.mean_norm - sqrt(30)) < 1e-14 && fabs(r.rms_norm - sqrt(30)) < 1e-14);
    sinpos_moments_destroy(m);

    for (size_t i = 0; i < N; i++) { /* columns 0 and 3 opposite, 1 constant */
        rows[i * DIM + 3] = -2 * rows[i * DIM];
        rows[i * DIM + 1] = 1e5;
    }
    m = moments_of(rows, N, DIM);
    assert_int_equal(sinpos_covariance(m, &r), SINPOS_OK);
    assert_true(fabs(r.largest_correlation - 1) < 1e-14 && r.largest_i == 0 && r.largest_j == 3 && r.n_constant == 1);
    assert_int_equal(r.histogram[0], 1);
    assert_int_equal(r.histogram[SINPOS_HISTOGRAM_BINS / 2], 2);
    assert_true(fabs(r.rms_correlation - sqrt(1 / 3.0)) < 1e-14 && fabs(r.mean_correlation - 1 / 3.0) < 1e-14);
    assert_true(fabs(r.diagonal_share - (1 + 81 + 16) / (1 + 81 + 16 + 2 * 4.0)) < 1e-12);
    assert_true(fabs(r.dominant_share - 0.5) < 1e-15); /* columns 2 and 3: 9 > 0, 4 > 2; 1 < 2, 0 = 0 */
    sinpos_moments_destroy(m);
}

static void planted_rank(void **state)
{
    (void)state;
    if (lacks_lapack())
        return;
    enum { N = 400, DIM = 12, RANK = 3 };
    double rows[N * DIM] = {0}, values[DIM];
    sinpos_rank_result r;
    for (size_t i = 0; i < N; i++)
        for (size_t k = 0; k < RANK; k++)
            for (size_t c = 0; c < DIM; c++)
                rows[i * DIM + c] += noise(5, i * RANK + k) * noise(6, k * DIM + c);
    sinpos_moments *m = moments_of(rows, N, DIM);
    assert_int_equal(sinpos_rank(m, 0, values, &r), SINPOS_OK);
    assert_true(r.rank == RANK && r.dims_999 <= RANK && r.entropy_rank > 1 && r.entropy_rank <= RANK + 1e-9);
    double sum = 0;
    for (size_t c = 0; c < DIM; c++)
        sum += values[c];
    assert_true(values[0] >= values[1] && fabs(r.largest_share - values[0] / sum) < 1e-14);
    sinpos_moments_destroy(m);

    memset(rows, 0, sizeof rows); /* the rows of an orthogonal frame: all values equal */
    for (size_t c = 0; c < DIM; c++)
        rows[c * DIM + c] = c % 2 == 0 ? 3 : -3;
    m = moments_of(rows, DIM, DIM);
    assert_int_equal(sinpos_rank(m, 0, NULL, &r), SINPOS_OK);
    assert_true(r.rank == DIM && r.dims_99 == DIM && r.dims_90 == 11 && fabs(r.entropy_rank - DIM) < 1e-9);
    assert_true(fabs(r.participation - DIM) < 1e-9 && fabs(r.largest_share - 1.0 / DIM) < 1e-12);
    assert_int_equal(sinpos_rank(m, 1, NULL, &r), SINPOS_OK);
    assert_int_equal(r.rank, DIM - 1);
    sinpos_moments_destroy(m);
}

/* Words in the columns 0 .. 2, positions in the plane that makes a known angle with one of them. */
static void principal_angles(void **state)
{
    (void)state;
    if (lacks_lapack())
        return;
    enum { N = 64, DIM = 8 };
    const double tilt = 0.4;
    double words[N * DIM] = {0}, positions[N * DIM] = {0}, angles[DIM];
    sinpos_overlap_result r;
    for (size_t i = 0; i < N; i++) {
        const double along = noise(8, i);
        for (size_t c = 0; c < 3; c++)
            words[i * DIM + c] = noise(7, i * 3 + c);
        positions[i * DIM + 2] = along * cos(tilt);
        positions[i * DIM + 5] = along * sin(tilt);
        positions[i * DIM + 7] = noise(9, i);
    }
    sinpos_moments *a = moments_of(words, N, DIM), *b = moments_of(positions, N, DIM);
    assert_int_equal(sinpos_overlap(a, b, 1, angles, &r), SINPOS_OK);
    assert_int_equal(r.words_dims, 3);
    assert_int_equal(r.positions_dims, 2);
    assert_int_equal(r.n_angles, 2);
    assert_true(fabs(angles[0] - tilt) < 1e-12 && fabs(angles[1] - acos(0)) < 1e-12);
    assert_true(fabs(r.smallest_angle_rad - tilt) < 1e-12 && fabs(r.largest_angle_rad - acos(0)) < 1e-12);
    assert_true(fabs(r.overlap - cos(tilt) * cos(tilt) / 2) < 1e-12 && fabs(r.overlap_random - 3.0 / 8) < 1e-15);
    double inside = 0, total = 0;
    for (size_t i = 0; i < N * DIM; i++) {
        total += words[i] * words[i];
        inside += i % DIM == 2 ? words[i] * words[i] * cos(tilt) * cos(tilt) : 0;
    }
    assert_true(fabs(r.words_in_positions - inside / total) < 1e-12);
    assert_int_equal(sinpos_overlap(a, a, 1, NULL, &r), SINPOS_OK);
    assert_true(fabs(r.overlap - 1) < 1e-12 && r.largest_angle_rad < 1e-7 && fabs(r.words_in_positions - 1) < 1e-12);
    assert_int_equal(sinpos_overlap(a, b, 0, NULL, &r), SINPOS_E_VALUE);
    assert_int_equal(sinpos_overlap(a, b, NAN, NULL, &r), SINPOS_E_VALUE);
    sinpos_moments_destroy(a);
    sinpos_moments_destroy(b);
}

/* Every word with every position, solved with the normal equations of the pairs themselves. */
static void recovery_by_pairs(void **state)
{
    (void)state;
    if (lacks_lapack())
        return;
    enum { WORDS = 30, POSITIONS = 20, DIM = 3 };
    double words[WORDS * DIM], positions[POSITIONS * DIM], map[DIM * DIM], word_mean[DIM], position_mean[DIM];
    sinpos_recovery_result r;
    for (size_t i = 0; i < WORDS * DIM; i++)
        words[i] = noise(10, i) + 5;
    for (size_t i = 0; i < POSITIONS * DIM; i++)
        positions[i] = noise(11, i) * (i % DIM == 0 ? 3 : 0.3);
    sinpos_moments *a = moments_of(words, WORDS, DIM), *b = moments_of(positions, POSITIONS, DIM);
    assert_int_equal(sinpos_recovery(a, b, map, &r), SINPOS_OK);
    assert_int_equal(sinpos_moments_read(a, word_mean, NULL), SINPOS_OK);
    assert_int_equal(sinpos_moments_read(b, position_mean, NULL), SINPOS_OK);
    double error = 0, nudged = 0, word_variance = 0, normal[DIM][DIM] = {{0}};
    for (size_t w = 0; w < WORDS; w++) {
        for (size_t p = 0; p < POSITIONS; p++) {
            double s[DIM], left[DIM];
            for (size_t c = 0; c < DIM; c++)
                s[c] = words[w * DIM + c] + positions[p * DIM + c] - word_mean[c] - position_mean[c];
            for (size_t c = 0; c < DIM; c++) {
                left[c] = words[w * DIM + c] - word_mean[c];
                word_variance += left[c] * left[c] / WORDS / POSITIONS;
                for (size_t j = 0; j < DIM; j++)
                    left[c] -= map[c * DIM + j] * s[j];
                error += left[c] * left[c] / WORDS / POSITIONS;
                nudged += (left[c] - 1e-3 * s[0]) * (left[c] - 1e-3 * s[0]) / WORDS / POSITIONS;
                for (size_t j = 0; j < DIM; j++)
                    normal[c][j] += left[c] * s[j] / WORDS / POSITIONS;
            }
        }
    }
    for (size_t c = 0; c < DIM; c++)
        for (size_t j = 0; j < DIM; j++)
            assert_true(fabs(normal[c][j]) < 1e-12); /* the residual is orthogonal to the sum: least squares */
    assert_true(fabs(error - r.error_variance) < 1e-12 && nudged > error);
    assert_true(fabs(word_variance - r.words_variance) < 1e-12 &&
                fabs(r.words_r2 - (1 - error / word_variance)) < 1e-12);
    assert_true(fabs(r.positions_r2 - (1 - error / r.positions_variance)) < 1e-12);
    sinpos_moments_destroy(a);
    sinpos_moments_destroy(b);
}

/* Words and positions in different columns are told apart completely; the same rows twice are not at all. */
static void recovery_extremes(void **state)
{
    (void)state;
    if (lacks_lapack())
        return;
    enum { N = 50, DIM = 6 };
    double words[N * DIM] = {0}, positions[N * DIM] = {0}, map[DIM * DIM], word_mean[DIM], position_mean[DIM];
    sinpos_recovery_result r;
    sinpos_nearest_result nearest;
    for (size_t i = 0; i < N; i++) {
        for (size_t c = 0; c < 3; c++) {
            words[i * DIM + c] = noise(12, i * 3 + c);
            positions[i * DIM + 3 + c] = 10 * noise(13, i * 3 + c);
        }
    }
    sinpos_moments *a = moments_of(words, N, DIM), *b = moments_of(positions, N, DIM);
    const sinpos_sample some_words = {words, N, DIM}, some_positions = {positions, N, DIM};
    assert_int_equal(sinpos_recovery(a, b, map, &r), SINPOS_OK);
    assert_true(fabs(r.words_r2 - 1) < 1e-12 && fabs(r.positions_r2 - 1) < 1e-12);
    assert_int_equal(sinpos_moments_read(a, word_mean, NULL), SINPOS_OK);
    assert_int_equal(sinpos_moments_read(b, position_mean, NULL), SINPOS_OK);
    assert_int_equal(
        sinpos_nearest(&some_words, &some_positions, DIM, map, word_mean, position_mean, 200, 1, 1, &nearest),
        SINPOS_OK);
    assert_true(nearest.words_recovered == 1 && nearest.positions_recovered == 1 && nearest.n_trials == 200);
    assert_int_equal(sinpos_recovery(a, a, map, &r), SINPOS_OK);
    assert_true(fabs(r.words_r2 - 0.5) < 1e-12 && fabs(r.positions_r2 - 0.5) < 1e-12);
    memset(map, 0, sizeof map);
    assert_int_equal(
        sinpos_nearest(&some_words, &some_positions, DIM, map, word_mean, position_mean, 500, 1, 1, &nearest),
        SINPOS_OK);
    assert_true(nearest.words_recovered < 0.1);
    sinpos_sample bad = some_words;
    bad.n = 0;
    assert_int_equal(sinpos_nearest(&bad, &some_positions, DIM, map, word_mean, position_mean, 5, 1, 1, &nearest),
                     SINPOS_E_SHAPE);
    words[7] = NAN;
    assert_int_equal(
        sinpos_nearest(&some_words, &some_positions, DIM, map, word_mean, position_mean, 5, 1, 1, &nearest),
        SINPOS_E_VALUE);
    sinpos_moments_destroy(a);
    sinpos_moments_destroy(b);
}

/* ------------------------------------------------------------------------------------------------ attention */

static void four_terms(void **state)
{
    (void)state;
    enum { WORDS = 9, POSITIONS = 7, DIM = 4 };
    double rows[2][WORDS * DIM], w[DIM * DIM];
    const size_t n[2] = {WORDS, POSITIONS};
    sinpos_attention_result r;
    for (size_t i = 0; i < WORDS * DIM; i++) {
        rows[0][i] = noise(14, i) + 0.5;
        rows[1][i] = noise(15, i) * 0.3 - 0.1;
    }
    for (size_t i = 0; i < DIM * DIM; i++)
        w[i] = noise(16, i);
    sinpos_moments *a = moments_of(rows[0], WORDS, DIM), *b = moments_of(rows[1], POSITIONS, DIM);
    for (int identity = 0; identity < 2; identity++) {
        double want[4], visible[4], total = 0, all_visible = 0;
        for (int k = 0; k < 4; k++) {
            const int left = k / 2, right = k % 2;
            want[k] = visible[k] = 0;
            for (size_t m = 0; m < n[left]; m++) {
                double mean = 0, squares = 0;
                for (size_t j = 0; j < n[right]; j++) {
                    double term = 0;
                    for (size_t x = 0; x < DIM; x++)
                        for (size_t y = 0; y < DIM; y++)
                            term += rows[left][m * DIM + x] * (identity ? x == y : w[x * DIM + y]) *
                                    rows[right][j * DIM + y];
                    mean += term / (double)n[right];
                    squares += term * term / (double)n[right];
                }
                want[k] += squares / (double)n[left];
                visible[k] += (squares - mean * mean) / (double)n[left];
            }
            total += want[k];
            all_visible += visible[k];
        }
        assert_int_equal(sinpos_attention_terms(a, b, identity ? NULL : w, DIM, &r), SINPOS_OK);
        for (int k = 0; k < 4; k++) {
            assert_true(fabs(r.mean_square[k] - want[k]) < 1e-12 && fabs(r.visible[k] - visible[k]) < 1e-12);
            assert_true(fabs(r.share[k] - want[k] / total) < 1e-12);
            assert_true(fabs(r.visible_share[k] - visible[k] / all_visible) < 1e-12);
        }
    }
    w[3] = INFINITY;
    assert_int_equal(sinpos_attention_terms(a, b, w, DIM, &r), SINPOS_E_VALUE);
    assert_int_equal(sinpos_attention_terms(a, b, w, DIM - 1, &r), SINPOS_E_SHAPE);
    sinpos_moments_destroy(a);
    sinpos_moments_destroy(b);
}

static void cosines(void **state)
{
    (void)state;
    enum { N = 300, DIM = 50 };
    static double a[N * DIM], b[3 * DIM];
    sinpos_cosines_result r;
    for (size_t i = 0; i < N * DIM; i++)
        a[i] = noise(17, i);
    double squares = 0, largest = 0;
    for (size_t i = 0; i < N; i++) {
        for (size_t j = i + 1; j < N; j++) {
            double dot = 0, x = 0, y = 0;
            for (size_t c = 0; c < DIM; c++) {
                dot += a[i * DIM + c] * a[j * DIM + c];
                x += a[i * DIM + c] * a[i * DIM + c];
                y += a[j * DIM + c] * a[j * DIM + c];
            }
            squares += dot * dot / x / y;
            largest = fmax(largest, fabs(dot / sqrt(x) / sqrt(y)));
        }
    }
    assert_int_equal(sinpos_pair_cosines(a, N, DIM, NULL, 0, 0, DIM, 1, &r), SINPOS_OK);
    assert_int_equal(r.n, N * (N - 1) / 2);
    assert_true(fabs(r.rms - sqrt(squares / (double)r.n)) < 1e-13 && fabs(r.largest - largest) < 1e-13);
    assert_true(fabs(r.rms * sqrt(DIM) - 1) < 0.05);
    memcpy(b + DIM, a + DIM, DIM * sizeof *b); /* zeros, a row of a, its opposite */
    for (size_t c = 0; c < DIM; c++)
        b[2 * DIM + c] = -a[DIM + c];
    assert_int_equal(sinpos_pair_cosines(b, 3, DIM, NULL, 0, 0, DIM, 1, &r), SINPOS_OK);
    assert_true(r.n == 1 && fabs(r.mean + 1) < 1e-14);
    assert_int_equal(sinpos_pair_cosines(a, N, DIM, b, 3, DIM, DIM, 1, &r), SINPOS_OK);
    assert_true(r.n == 2 * N && fabs(r.mean) < 1e-15);
    assert_int_equal(sinpos_pair_cosines(b, 1, DIM, NULL, 0, 0, DIM, 1, &r), SINPOS_E_VALUE);
    assert_int_equal(sinpos_pair_cosines(a, N, DIM - 1, NULL, 0, 0, DIM, 1, &r), SINPOS_E_SHAPE);
}

static void pair_arguments(void **state)
{
    (void)state;
    double rows[6] = {1, 2, 3, 4, 5, 7}, nan_row[2] = {1, NAN}, huge[2] = {1, 1e200};
    sinpos_moments *two = moments_of(rows, 3, 2), *three = moments_of(rows, 2, 3), *empty, *none;
    sinpos_overlap_result o;
    sinpos_recovery_result v;
    sinpos_attention_result t;
    sinpos_covariance_result c;
    sinpos_rank_result k;
    assert_int_equal(sinpos_moments_create(&empty, 2, 1), SINPOS_OK);
    assert_int_equal(sinpos_moments_create(&none, 0, 1), SINPOS_E_SHAPE);
    assert_null(none);
    assert_int_equal(sinpos_moments_create(&none, (size_t)1 << 40, 1), SINPOS_E_SHAPE);
    assert_int_equal(sinpos_overlap(two, three, 0.99, NULL, &o), SINPOS_E_SHAPE);
    assert_int_equal(sinpos_recovery(two, three, NULL, &v), SINPOS_E_SHAPE);
    assert_int_equal(sinpos_attention_terms(two, three, NULL, 0, &t), SINPOS_E_SHAPE);
    assert_int_equal(sinpos_overlap(two, empty, 0.99, NULL, &o), SINPOS_E_VALUE);
    assert_int_equal(sinpos_recovery(NULL, two, NULL, &v), SINPOS_E_NULL);
    assert_int_equal(sinpos_covariance(empty, &c), SINPOS_E_VALUE);
    assert_int_equal(sinpos_rank(empty, 0, NULL, &k), SINPOS_E_VALUE);
    assert_int_equal(sinpos_moments_add(two, 1, SINPOS_F64, rows, 1), SINPOS_E_SHAPE);
    assert_int_equal(sinpos_moments_add(two, 1, (sinpos_type)5, rows, 2), SINPOS_E_TYPE);
    assert_int_equal(sinpos_moments_add(two, 1, SINPOS_F64, nan_row, 2), SINPOS_E_VALUE);
    assert_int_equal(sinpos_moments_add(three, 1, SINPOS_F64, NULL, 3), SINPOS_E_NULL);
    sinpos_moments_destroy(two);
    assert_int_equal(sinpos_moments_create(&two, 2, 1), SINPOS_OK);
    assert_int_equal(sinpos_moments_add(two, 1, SINPOS_F64, huge, 2), SINPOS_E_VALUE);
    sinpos_moments_destroy(two);
    sinpos_moments_destroy(three);
    sinpos_moments_destroy(empty);
    sinpos_moments_destroy(NULL);
}

/* The plain loops, and OpenBLAS where it is there, make the same products. */
static void products(void **state)
{
    (void)state;
    enum { M = 7, N = 5, K = 9 };
    double a[M * K], b[K * N], c[M * N];
    for (int i = 0; i < M * K; i++)
        a[i] = noise(18, (size_t)i);
    for (int i = 0; i < K * N; i++)
        b[i] = noise(19, (size_t)i);
    for (int way = 0; way < 4; way++) {
        const linear_matrix left = {a, way & 1 ? M : K, way & 1}, right = {b, way & 2 ? K : N, way & 2};
        for (int i = 0; i < M * N; i++)
            c[i] = 1;
        linear_product(M, N, K, 2, left, right, 3, c, N);
        for (int i = 0; i < M; i++) {
            for (int j = 0; j < N; j++) {
                double sum = 3;
                for (int k = 0; k < K; k++)
                    sum += 2 * (way & 1 ? a[k * M + i] : a[i * K + k]) * (way & 2 ? b[j * K + k] : b[k * N + j]);
                assert_true(fabs(sum - c[i * N + j]) < 1e-13);
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_rows_have_no_variance),
        cmocka_unit_test(split_is_a_projection),
        cmocka_unit_test(split_of_diagonals),
        cmocka_unit_test(split_in_the_limit),
        cmocka_unit_test(split_arguments),
        cmocka_unit_test(hessian_of_attention),
        cmocka_unit_test(moments_by_pieces),
        cmocka_unit_test(covariance_of_diagonal),
        cmocka_unit_test(planted_rank),
        cmocka_unit_test(principal_angles),
        cmocka_unit_test(recovery_by_pairs),
        cmocka_unit_test(recovery_extremes),
        cmocka_unit_test(four_terms),
        cmocka_unit_test(cosines),
        cmocka_unit_test(pair_arguments),
        cmocka_unit_test(products),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
