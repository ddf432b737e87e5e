/* Symmetry and Taylor residuals: against a layer written out in long double, tables that must fail, arguments. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cases.h"

#include "attention.h"
#include "sinpos_analysis.h"

enum { SEED = 20240607, MOST = 8, DIM = 12 };

static void encoding_rows(double *rows, size_t n, size_t dim)
{
    sinpos_spec spec = SINPOS_SPEC_INIT;
    sinpos_plan *plan = NULL;
    spec.dim = dim;
    assert_int_equal(sinpos_plan_create(&plan, &spec), SINPOS_OK);
    assert_int_equal(sinpos_fill(plan, 0, n, SINPOS_F64, rows, dim), SINPOS_OK);
    sinpos_plan_destroy(plan);
}

/* ----------------------------------------------------------------------------- the layer, with whole matrices */

typedef struct weights {
    double q[DIM][DIM], k[DIM][DIM], v[DIM][DIM], readout[8][DIM], tokens[MOST][DIM];
} weights;

/* The library's own weights, column by column of the unit matrix. */
static weights weights_of(uint64_t seed)
{
    weights w;
    double unit[DIM][DIM] = {{0}}, out[DIM][3 * DIM];
    for (int i = 0; i < DIM; i++)
        unit[i][i] = 1;
    attention_project(&unit[0][0], DIM, DIM, DIM, seed, &out[0][0]);
    for (int i = 0; i < DIM; i++) {
        memcpy(w.q[i], out[i], sizeof w.q[i]);
        memcpy(w.k[i], out[i] + DIM, sizeof w.k[i]);
        memcpy(w.v[i], out[i] + 2 * DIM, sizeof w.v[i]);
    }
    for (uint64_t i = 0; i < 8; i++)
        attention_readout(DIM, i, seed, w.readout[i]);
    attention_tokens(NULL, MOST, DIM, seed, &w.tokens[0][0]);
    return w;
}

static long double bilinear(const long double *x, const long double *y, const weights *w)
{
    long double sum = 0;
    for (int h = 0; h < DIM; h++) {
        long double q = 0, k = 0;
        for (int c = 0; c < DIM; c++) {
            q += x[c] * w->q[c][h];
            k += y[c] * w->k[c][h];
        }
        sum += q * k;
    }
    return sum / sqrtl(DIM);
}

/* Output i of the layer on x, in long double, without any of the library's tricks. */
static void plain_output(const weights *w, long double x[][DIM], int n, int i, long double out[DIM])
{
    long double total = 0, e[MOST];
    for (int j = 0; j < n; j++)
        total += e[j] = expl(bilinear(x[i], x[j], w));
    for (int h = 0; h < DIM; h++) {
        out[h] = 0;
        for (int j = 0; j < n; j++)
            for (int c = 0; c < DIM; c++)
                out[h] += e[j] / total * x[j][c] * w->v[c][h];
    }
}

static long double plain_function(const weights *w, long double x[][DIM], int n, int which)
{
    long double sum = 0;
    for (int i = 0; i < n; i++) {
        long double out[DIM];
        plain_output(w, x, n, i, out);
        for (int h = 0; h < DIM; h++)
            sum += out[h] * w->readout[which][h] / n;
    }
    return sum;
}

/* ---------------------------------------------------------------------------------------------------- symmetry */

static void outputs_agree(void **state)
{
    (void)state;
    enum { N = 5 };
    static const size_t order[N] = {3, 0, 4, 1, 2};
    const weights w = weights_of(SEED);
    double p[N][DIM];
    long double x[2][N][DIM];
    sinpos_symmetry_result r;
    encoding_rows(&p[0][0], N, DIM);
    for (int i = 0; i < N; i++) {
        for (int c = 0; c < DIM; c++) {
            x[0][i][c] = (long double)w.tokens[i][c] + p[i][c];
            x[1][i][c] = (long double)w.tokens[order[i]][c] + p[i][c];
        }
    }
    long double out[2][N][DIM], pooled[2][DIM] = {{0}}, moved = 0, most = 0, pooled_moved = 0, pooled_most = 0;
    for (int which = 0; which < 2; which++) {
        for (int i = 0; i < N; i++) {
            plain_output(&w, x[which], N, i, out[which][i]);
            for (int c = 0; c < DIM; c++)
                pooled[which][c] += out[which][i][c] / N;
        }
    }
    for (int i = 0; i < N; i++) {
        for (int c = 0; c < DIM; c++) {
            moved = fmaxl(moved, fabsl(out[1][i][c] - out[0][order[i]][c]));
            most = fmaxl(most, fabsl(out[0][i][c]));
            pooled_moved = fmaxl(pooled_moved, fabsl(pooled[1][c] - pooled[0][c]));
            pooled_most = fmaxl(pooled_most, fabsl(pooled[0][c]));
        }
    }
    assert_int_equal(sinpos_symmetry(&p[0][0], N, DIM, DIM, NULL, order, SEED, &r), SINPOS_OK);
    assert_int_equal(r.n_orders, 1);
    assert_true(fabsl(r.equivariance_positions - moved / most) < 1e-13L);
    assert_true(fabsl(r.invariance_positions - pooled_moved / pooled_most) < 1e-13L);
    assert_true(r.equivariance_weakest == r.equivariance_positions && r.invariance_weakest == r.invariance_positions);
}

static void positions_break_it(void **state)
{
    (void)state;
    static const size_t dims[] = {1, 3, 8, 64, 512}, orders[] = {0, 0, 1, 5, 23, 119, 719, 5039};
    for (size_t d = 0; d < 5; d++) {
        for (size_t n = 2; n <= 7; n++) {
            sinpos_symmetry_result r;
            double *p = malloc(n * dims[d] * sizeof *p);
            encoding_rows(p, n, dims[d]);
            assert_int_equal(sinpos_symmetry(p, n, dims[d], dims[d], NULL, NULL, SEED, &r), SINPOS_OK);
            assert_int_equal(r.n_orders, orders[n]);
            assert_true(r.equivariance < 1e-13 && r.invariance < 1e-13);
            assert_true(r.equivariance_weakest > 1e-6 && r.invariance_weakest > 1e-9);
            assert_true(r.equivariance_positions >= r.equivariance_weakest);
            free(p);
        }
    }
}

/* Equal rows break nothing; two equal rows leave one exchange unseen. */
static void equal_rows(void **state)
{
    (void)state;
    enum { N = 4 };
    double p[N][DIM];
    sinpos_symmetry_result r;
    encoding_rows(&p[0][0], N, DIM);
    memcpy(p[2], p[1], sizeof p[2]);
    assert_int_equal(sinpos_symmetry(&p[0][0], N, DIM, DIM, NULL, NULL, SEED, &r), SINPOS_OK);
    assert_true(r.equivariance_positions > 1e-3 && r.equivariance_weakest < 1e-13 && r.invariance_weakest < 1e-13);
    for (int i = 0; i < N; i++)
        memcpy(p[i], p[3], sizeof p[i]);
    assert_int_equal(sinpos_symmetry(&p[0][0], N, DIM, DIM, NULL, NULL, SEED, &r), SINPOS_OK);
    assert_true(r.equivariance_positions < 1e-13 && r.invariance_positions < 1e-13);
}

static void chef(void **state)
{
    (void)state;
    static const char *words[] = {"the",   "chef", "who",    "had",  "prepared", "meal",  "with",
                                  "great", "care", "served", "dish", "to",       "guests"};
    static const char *second = "the chef served the dish to the guests who had prepared the meal with great care ";
    const uint32_t *tokens;
    const size_t *order, n = sinpos_symmetry_example(&tokens, &order);
    char text[200] = "";
    double p[16 * 32];
    sinpos_symmetry_result r;
    assert_int_equal(n, 16);
    assert_int_equal(sinpos_symmetry_example(NULL, NULL), 16);
    for (size_t i = 0; i < n; i++) {
        strcat(text, words[tokens[order[i]]]);
        strcat(text, " ");
    }
    assert_string_equal(text, second);
    encoding_rows(p, n, 32);
    assert_int_equal(sinpos_symmetry(p, n, 32, 32, tokens, order, SEED, &r), SINPOS_OK);
    assert_true(r.equivariance < 1e-13 && r.invariance < 1e-13);
    assert_true(r.equivariance_weakest > 1e-3 && r.invariance_weakest > 1e-3);
}

static void symmetry_arguments(void **state)
{
    (void)state;
    static const uint32_t same[3] = {5, 5, 5};
    static const size_t twice[3] = {0, 1, 1}, beyond[3] = {0, 1, 3}, identity[3] = {0, 1, 2};
    double p[8 * 4] = {0};
    sinpos_symmetry_result r = {.n_orders = 77};
    assert_int_equal(sinpos_symmetry(NULL, 3, 4, 4, NULL, NULL, 1, &r), SINPOS_E_NULL);
    assert_int_equal(sinpos_symmetry(p, 3, 4, 4, NULL, NULL, 1, NULL), SINPOS_E_NULL);
    assert_int_equal(sinpos_symmetry(p, 1, 4, 4, NULL, NULL, 1, &r), SINPOS_E_SHAPE);
    assert_int_equal(sinpos_symmetry(p, 8, 4, 4, NULL, NULL, 1, &r), SINPOS_E_SHAPE);
    assert_int_equal(sinpos_symmetry(p, 3, 0, 4, NULL, NULL, 1, &r), SINPOS_E_SHAPE);
    assert_int_equal(sinpos_symmetry(p, 3, 4, 3, NULL, NULL, 1, &r), SINPOS_E_SHAPE);
    assert_int_equal(sinpos_symmetry(p, 3, 4, 4, NULL, twice, 1, &r), SINPOS_E_VALUE);
    assert_int_equal(sinpos_symmetry(p, 3, 4, 4, NULL, beyond, 1, &r), SINPOS_E_VALUE);
    assert_int_equal(sinpos_symmetry(p, 3, 4, 4, NULL, identity, 1, &r), SINPOS_E_VALUE);
    assert_int_equal(sinpos_symmetry(p, 3, 4, 4, same, NULL, 1, &r), SINPOS_E_VALUE);
    p[5] = 1e300;
    assert_int_equal(sinpos_symmetry(p, 3, 4, 4, NULL, NULL, 1, &r), SINPOS_E_VALUE);
    p[5] = NAN;
    assert_int_equal(sinpos_symmetry(p, 3, 4, 4, NULL, NULL, 1, &r), SINPOS_E_VALUE);
    assert_int_equal(r.n_orders, 77);
}

/* ------------------------------------------------------------------------------------------------------ Taylor */

typedef struct mover {
    const weights *w;
    const double *p;
    int n, first, second, which;
} mover;

static long double moved(const mover *m, long double s, long double t)
{
    long double x[MOST][DIM];
    for (int i = 0; i < m->n; i++)
        for (int c = 0; c < DIM; c++)
            x[i][c] = m->w->tokens[i][c] + (i == m->first    ? s * m->p[i * DIM + c]
                                            : i == m->second ? t * m->p[i * DIM + c]
                                                             : 0);
    return plain_function(m->w, x, m->n, m->which);
}

/* The five terms by central differences in long double with one extrapolation: good to some 1e-11. */
static void difference_terms(const mover *m, long double out[5])
{
    long double d[2][5];
    for (int k = 0; k < 2; k++) {
        const long double h = k == 0 ? 2e-3L : 1e-3L, f = moved(m, 0, 0);
        d[k][0] = (moved(m, h, 0) - moved(m, -h, 0)) / (2 * h);
        d[k][1] = (moved(m, 0, h) - moved(m, 0, -h)) / (2 * h);
        d[k][2] = (moved(m, h, 0) - 2 * f + moved(m, -h, 0)) / (2 * h * h);
        d[k][3] = (moved(m, 0, h) - 2 * f + moved(m, 0, -h)) / (2 * h * h);
        d[k][4] = (moved(m, h, h) - moved(m, h, -h) - moved(m, -h, h) + moved(m, -h, -h)) / (4 * h * h);
    }
    for (int i = 0; i < 5; i++)
        out[i] = (4 * d[1][i] - d[0][i]) / 3;
}

static void derivatives(void **state)
{
    (void)state;
    enum { N = 4 };
    const weights w = weights_of(SEED);
    double p[N * DIM];
    long double terms[8][5], sums[5] = {0}, total = 0;
    sinpos_taylor_result r;
    encoding_rows(p, N, DIM);
    assert_int_equal(sinpos_taylor(p, N, DIM, DIM, NULL, 0, 1, 3, SEED, &r), SINPOS_OK);
    for (int which = 0; which < 8; which++) {
        const mover m = {&w, p, N, 1, 3, which};
        difference_terms(&m, terms[which]);
        for (int i = 0; i < 5; i++)
            sums[i] += terms[which][i] * terms[which][i];
    }
    const double got[5] = {r.linear_first, r.linear_second, r.square_first, r.square_second, r.cross};
    for (int i = 0; i < 5; i++) {
        assert_true(fabsl(got[i] - terms[0][i]) < 1e-10L);
        total += sqrtl(sums[i]);
    }
    assert_true(fabsl(r.cross_share - sqrtl(sums[4]) / total) < 1e-9L);
    for (int k = 0; k < SINPOS_TAYLOR_LEVELS; k++) {
        const long double e = ldexpl(1, -k);
        long double squares = 0;
        for (int which = 0; which < 8; which++) {
            const mover m = {&w, p, N, 1, 3, which};
            const long double *t = terms[which];
            const long double left =
                moved(&m, e, e) - moved(&m, 0, 0) - e * (t[0] + t[1]) - e * e * (t[2] + t[3] + t[4]);
            squares += left * left;
        }
        assert_true(r.eps[k] == (double)e && fabsl(sqrtl(squares / 8) - r.residual[k]) < 1e-10L * e);
    }
}

static void slopes(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        double p[6 * 256], x[6 * 256];
        sinpos_taylor_result r;
        encoding_rows(p, 6, 256);
        assert_int_equal(sinpos_taylor(p, 6, 256, 256, NULL, 0, 0, 5, seed, &r), SINPOS_OK);
        if (!(fabs(r.slope - 3) < 0.01))
            print_message("seed %d slope %.4f\n", (int)seed, r.slope);
        assert_true(fabs(r.slope - 3) < 0.01);
        assert_true(fabs(r.norm_ratio - sqrt(0.5)) < 0.02 && r.cross_share > 0 && r.cross_share < 1);
        for (int i = 0; i < 6 * 256; i++)
            x[i] = 100 * p[i];
        assert_int_equal(sinpos_taylor(p, 6, 256, 256, x, 256, 0, 5, seed, &r), SINPOS_OK);
        assert_true(fabs(r.norm_ratio - 0.01) < 1e-12);
    }
}

static void taylor_arguments(void **state)
{
    (void)state;
    double p[4 * 4] = {0}, x[4 * 4] = {0};
    sinpos_taylor_result r = {.slope = 77};
    assert_int_equal(sinpos_taylor(NULL, 4, 4, 4, NULL, 0, 0, 1, 1, &r), SINPOS_E_NULL);
    assert_int_equal(sinpos_taylor(p, 4, 4, 4, NULL, 0, 0, 1, 1, NULL), SINPOS_E_NULL);
    assert_int_equal(sinpos_taylor(p, 1, 4, 4, NULL, 0, 0, 1, 1, &r), SINPOS_E_SHAPE);
    assert_int_equal(sinpos_taylor(p, 257, 4, 4, NULL, 0, 0, 1, 1, &r), SINPOS_E_SHAPE);
    assert_int_equal(sinpos_taylor(p, 4, 4, 3, NULL, 0, 0, 1, 1, &r), SINPOS_E_SHAPE);
    assert_int_equal(sinpos_taylor(p, 4, 4, 4, x, 3, 0, 1, 1, &r), SINPOS_E_SHAPE);
    assert_int_equal(sinpos_taylor(p, 4, 4, 4, x, 4, 1, 1, 1, &r), SINPOS_E_VALUE);
    assert_int_equal(sinpos_taylor(p, 4, 4, 4, x, 4, 1, 4, 1, &r), SINPOS_E_VALUE);
    x[15] = INFINITY;
    assert_int_equal(sinpos_taylor(p, 4, 4, 4, x, 4, 0, 1, 1, &r), SINPOS_E_VALUE);
    x[15] = 1e200;
    p[3] = 1e200;
    assert_int_equal(sinpos_taylor(p, 4, 4, 4, x, 4, 0, 3, 1, &r), SINPOS_E_VALUE);
    assert_true(r.slope == 77);
    p[3] = 0;
    assert_int_equal(sinpos_taylor(p, 4, 4, 4, NULL, 0, 0, 1, 1, &r), SINPOS_OK);
    assert_true(isnan(r.slope) && isnan(r.cross_share) && r.cross == 0 && r.norm_ratio == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(outputs_agree), cmocka_unit_test(positions_break_it), cmocka_unit_test(equal_rows),
        cmocka_unit_test(chef),          cmocka_unit_test(symmetry_arguments), cmocka_unit_test(derivatives),
        cmocka_unit_test(slopes),        cmocka_unit_test(taylor_arguments),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
