/* Smallest bases: published values, plain sums in long double, certificates that are right and that are not. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cases.h"

#include "sinpos_analysis.h"

static sinpos_base_query query_of(size_t context, size_t dim)
{
    return (sinpos_base_query){.context = context, .n_tones = dim / 2, .divisor = (double)dim / 2, .scale = 1};
}

static sinpos_base_certificate search_of(const sinpos_base_query *query, size_t n_threads)
{
    sinpos_base_certificate c;
    assert_int_equal(sinpos_base_begin(&c, query), SINPOS_OK);
    assert_int_equal(sinpos_base_search(&c, n_threads, NULL, NULL), SINPOS_OK);
    return c;
}

static bool has_proofs(void)
{
    const sinpos_base_query q = query_of(2, 4);
    sinpos_base_trial trial;
    return sinpos_base_try(&q, 2, &trial, 1, NULL, NULL) != SINPOS_E_UNSUPPORTED;
}

/* Is it a proof? Where nothing can be proved, that much is assumed. */
static bool is_proof(const sinpos_base_certificate *c)
{
    sinpos_base_verdict verdict;
    const sinpos_status status = sinpos_base_verify(c, 0, &verdict, 2, NULL, NULL);
    if (status == SINPOS_E_UNSUPPORTED)
        return true;
    assert_int_equal(status, SINPOS_OK);
    assert_true(verdict.holds || verdict.why[0] != '\0');
    return verdict.holds;
}

static long double plain_g(const sinpos_base_query *q, double base, int64_t k)
{
    long double g = q->constant;
    for (size_t i = 0; i < q->n_tones; i++)
        g += cosl(k * q->scale * powl(base, -(i + (long double)q->shift) / q->divisor));
    return g;
}

/* The first offset below the context with g < 0, 0 if there is none. */
static int64_t first_negative(const sinpos_base_query *q, double base)
{
    long double theta[64];
    for (size_t i = 0; i < q->n_tones; i++)
        theta[i] = q->scale * powl(base, -(i + (long double)q->shift) / q->divisor);
    for (int64_t k = 1; k < (int64_t)q->context; k++) {
        long double g = q->constant;
        for (size_t i = 0; i < q->n_tones; i++)
            g += cosl(k * theta[i]);
        if (g < 0)
            return k;
    }
    return 0;
}

static void published(void **state)
{
    (void)state;
    static const struct {
        size_t context;
        double base, digits;
    } known[] = {{1024, 4.3e3, 0.05e3}, {4096, 2.695234e4, 0.0000005e4}, {32768, 6.299783e5, 0.0000005e5}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        const sinpos_base_query q = query_of(known[i].context, 128);
        sinpos_base_certificate c = search_of(&q, 2);
        assert_int_equal(c.outcome, SINPOS_BASE_FOUND);
        assert_true(fabs(c.base_upper - known[i].base) <= known[i].digits);
        assert_true(c.base_lower < c.base_upper && c.base_upper - c.base_lower <= 1.01e-10 * c.base_upper);
        assert_true(plain_g(&q, c.base_lower, c.violated_at) < 0);
        assert_true(i > 1 || first_negative(&q, c.base_upper) == 0);
        assert_true(is_proof(&c));
        sinpos_base_free(&c);
    }
}

/* Every step, sampled at both ends and within, in long double. */
static void steps_by_sampling(void **state)
{
    (void)state;
    const sinpos_base_query q = {.context = 777, .n_tones = 20, .shift = 0.5, .divisor = 31, .scale = 0.75};
    sinpos_base_certificate c = search_of(&q, 1);
    double from = 1;
    assert_int_equal(c.outcome, SINPOS_BASE_FOUND);
    for (size_t i = 0; i < c.n_steps; i++) {
        for (int j = 0; j <= 8; j++)
            assert_true(plain_g(&q, from + j * (c.steps[i].end - from) / 8, c.steps[i].offset) < 0);
        from = c.steps[i].end;
    }
    assert_true(is_proof(&c));
    assert_int_equal(first_negative(&q, c.base_upper), 0);
    sinpos_base_free(&c);
}

/* Above the smallest base that passes there are bases that fail: bisection would have gone astray. */
static void island(void **state)
{
    (void)state;
    const sinpos_base_query q = query_of(4096, 128);
    sinpos_base_certificate c = search_of(&q, 2);
    double base = c.base_upper;
    int64_t k = 0;
    while (k == 0 && base < 1.5 * c.base_upper) {
        base *= 1.002;
        k = first_negative(&q, base);
    }
    assert_int_equal(first_negative(&q, c.base_upper), 0);
    assert_true(k > 0);
    print_message("%.12g passes, %.12g fails at %d\n", c.base_upper, base, (int)k);
    sinpos_base_free(&c);
}

/* From robust.upper on all pass: proved in balls, and looked at; just below it one fails. */
static void robust(void **state)
{
    (void)state;
    static const size_t contexts[] = {3, 30, 300}, dims[] = {10, 32, 128};
    for (size_t i = 0; i < 9; i++) {
        const sinpos_base_query q = query_of(contexts[i % 3], dims[i / 3]);
        sinpos_base_certificate c = search_of(&q, 2);
        sinpos_base_verdict verdict;
        assert_int_equal(sinpos_base_robust_find(&c, 1 << 20, 1 + i % 3, NULL, NULL), SINPOS_OK);
        assert_true(c.robust.upper >= c.base_upper && c.robust.lower >= c.base_lower);
        assert_true(c.robust.upper <= c.robust.lower * (1 + 1e-7));
        assert_true(plain_g(&q, c.robust.lower, c.robust.offset) < 0);
        for (double base = c.robust.upper; base < 2 * c.robust.upper; base *= 1.05)
            assert_int_equal(first_negative(&q, base), 0);
        const sinpos_status status = sinpos_base_verify(&c, 1, &verdict, 2, NULL, NULL);
        if (status != SINPOS_E_UNSUPPORTED) {
            assert_int_equal(status, SINPOS_OK);
            assert_true(verdict.holds && verdict.robust);
            c.robust.upper = c.robust.lower * (1 - 1e-6);
            c.robust.lower = 0;
            assert_int_equal(sinpos_base_verify(&c, 1, &verdict, 2, NULL, NULL), SINPOS_OK);
            assert_false(verdict.holds);
        }
        sinpos_base_free(&c);
    }
}

/* With little work allowed what is said is less, and still true. */
static void robust_gives_up(void **state)
{
    (void)state;
    const sinpos_base_query q = query_of(1024, 128);
    sinpos_base_certificate c = search_of(&q, 2);
    double before = INFINITY;
    for (int effort = 10; effort <= 1 << 20; effort *= 8) {
        assert_int_equal(sinpos_base_robust_find(&c, (uint64_t)effort, 1, NULL, NULL), SINPOS_OK);
        assert_true(c.robust.upper <= before && c.robust.upper >= 6018.28085);
        before = c.robust.upper;
    }
    assert_true(before < 6018.2809);
    sinpos_base_free(&c);
}

static void one_base(void **state)
{
    (void)state;
    const sinpos_base_query q = query_of(4096, 128);
    sinpos_base_trial trial;
    const sinpos_status status = sinpos_base_try(&q, 10000, &trial, 2, NULL, NULL);
    if (status == SINPOS_E_UNSUPPORTED)
        skip();
    assert_int_equal(status, SINPOS_OK);
    assert_false(trial.passes);
    assert_int_equal(trial.offset, 1707); /* published */
    assert_true(fabs(trial.g - (double)plain_g(&q, 10000, 1707)) < 1e-9);
    assert_int_equal(sinpos_base_try(&q, 26952.339228, &trial, 1, NULL, NULL), SINPOS_OK);
    assert_true(trial.passes && trial.offset == 0);
    assert_int_equal(sinpos_base_try(&q, 0.5, &trial, 1, NULL, NULL), SINPOS_OK);
    assert_int_equal(trial.offset, first_negative(&q, 0.5));
    assert_int_equal(sinpos_base_try(&q, 0, &trial, 1, NULL, NULL), SINPOS_E_VALUE);
    assert_int_equal(sinpos_base_try(&q, NAN, &trial, 1, NULL, NULL), SINPOS_E_VALUE);
    assert_int_equal(sinpos_base_try(NULL, 2, &trial, 1, NULL, NULL), SINPOS_E_NULL);
}

/* The same bounds whether a context is searched from the start or from a shorter one. */
static void extended(void **state)
{
    (void)state;
    const sinpos_base_query q = query_of(700, 40);
    sinpos_base_query longer = q;
    longer.context = 3000;
    sinpos_base_certificate c = search_of(&q, 1), whole = search_of(&longer, 1);
    assert_int_equal(sinpos_base_extend(&c, 699), SINPOS_E_VALUE);
    assert_int_equal(sinpos_base_extend(&c, 3000), SINPOS_OK);
    assert_int_equal(sinpos_base_search(&c, 1, NULL, NULL), SINPOS_OK);
    assert_true(c.base_lower == whole.base_lower && c.base_upper == whole.base_upper);
    assert_true(is_proof(&c));
    sinpos_base_free(&c);
    sinpos_base_free(&whole);
}

/* Llama 2: dim 128, base 10000, 4096 positions; its critical dimension is published as 92. */
static void lengths(void **state)
{
    (void)state;
    const sinpos_base_query q = query_of(32768, 128);
    sinpos_base_lengths l;
    sinpos_tone_length tones[64];
    assert_int_equal(sinpos_base_lengths_at(&q, 10000, 4096, 1, 32, &l, tones), SINPOS_OK);
    assert_int_equal(2 * l.n_within_train, 92);
    assert_int_equal(l.n_kept + l.n_blended + l.n_interpolated, 64);
    assert_true(fabs(l.ntk_base / 82684.62264 - 1) < 1e-6);                 /* 10000 * 8^(128/126) */
    assert_true(fabs(l.interpolation_published * 294.73 / 128 - 1) < 1e-4); /* d / 294.73, as published */
    assert_true(fabs(l.attention_factor - 1.2079441541679836) < 1e-12);
    assert_true(fabs(2 * acos(-1) * pow(l.extrapolation_base, 92. / 128) / 32768 - 1) < 1e-12);
    size_t within = 0;
    double worst = 0, before = 0;
    for (int i = 0; i < 64; i++) {
        const double theta = pow(10000, -i / 64.), turns = 4096 * theta / (2 * acos(-1));
        const double ramp = fmin(1, fmax(0, (turns - 1) / 31));
        within += turns >= 1;
        worst += 1 - cos(theta / 2);
        assert_true(fabs(tones[i].kept - ramp) < 1e-12);
        assert_true(fabs(2 * acos(-1) / tones[i].yarn_period / (theta * (ramp + (1 - ramp) / 8)) - 1) < 1e-12);
        assert_true(tones[i].period > before);
        before = tones[i].period;
    }
    assert_int_equal(l.n_within_train, within);
    assert_true(fabs(l.interpolation_worst - worst) < 1e-12);
    assert_true(worst > l.interpolation_published); /* which is therefore no bound */
    assert_int_equal(sinpos_base_lengths_at(&q, 1, 4096, 1, 32, &l, NULL), SINPOS_E_VALUE);
    assert_int_equal(sinpos_base_lengths_at(&q, 10000, 0, 1, 32, &l, NULL), SINPOS_E_VALUE);
    assert_int_equal(sinpos_base_lengths_at(&q, 10000, 4096, 32, 32, &l, NULL), SINPOS_E_VALUE);
    assert_int_equal(sinpos_base_lengths_at(NULL, 10000, 4096, 1, 32, &l, NULL), SINPOS_E_NULL);
}

static void shortest(void **state)
{
    (void)state;
    for (size_t dim = 2; dim <= 10; dim++) {
        for (size_t context = 1; context <= 24; context++) {
            sinpos_base_query q = query_of(context, dim);
            sinpos_base_certificate c = search_of(&q, 1);
            const sinpos_base_outcome wanted = context < 3   ? SINPOS_BASE_ANY
                                               : dim / 2 < 2 ? SINPOS_BASE_NONE
                                                             : SINPOS_BASE_FOUND;
            assert_int_equal(c.outcome, wanted);
            assert_true(wanted == SINPOS_BASE_NONE || first_negative(&q, c.base_upper) == 0);
            assert_true(is_proof(&c));
            sinpos_base_free(&c);
        }
    }
}

/* Pairs that are not rotated make smaller bases pass, and at last all. */
static void constants(void **state)
{
    (void)state;
    double before = INFINITY;
    for (int constant = 0; constant <= 16; constant += 4) {
        sinpos_base_query q = query_of(512, 32);
        q.constant = constant;
        sinpos_base_certificate c = search_of(&q, 1);
        assert_true(c.base_upper <= before);
        before = c.base_upper;
        assert_true(is_proof(&c));
        sinpos_base_free(&c);
    }
    assert_true(before == 1);
}

static void corrupted(void **state)
{
    (void)state;
    const sinpos_base_query q = query_of(600, 64);
    if (!has_proofs())
        skip();
    sinpos_base_certificate c = search_of(&q, 1);
    assert_true(is_proof(&c));
    const sinpos_base_certificate right = c;
    const size_t middle = c.n_steps / 2;

    c.base_upper = c.base_lower;
    assert_false(is_proof(&c));
    c = right, c.base_upper *= 1 - 1e-6, c.base_lower = 1;
    assert_false(is_proof(&c));
    c = right, c.base_lower *= 1 + 1e-9;
    assert_false(is_proof(&c));
    c = right, c.violated_at--;
    assert_false(is_proof(&c));
    c = right, c.violated_at = 600;
    assert_false(is_proof(&c));
    c = right, c.query.context *= 2;
    assert_false(is_proof(&c));
    c = right, c.query.shift = 0.25;
    assert_false(is_proof(&c));
    c = right, c.query.divisor = 33;
    assert_false(is_proof(&c));
    c = right, c.outcome = SINPOS_BASE_NONE;
    assert_false(is_proof(&c));
    c = right, c.outcome = SINPOS_BASE_OPEN;
    assert_false(is_proof(&c));
    c = right, c.n_steps = middle;
    assert_false(is_proof(&c));

    c = right;
    const sinpos_base_step kept = c.steps[middle];
    c.steps[middle].end = c.steps[middle + 1].end * (1 - 1e-9); /* too long a step */
    assert_false(is_proof(&c));
    c.steps[middle] = kept;
    c.steps[middle].offset = 1; /* g(1) is positive: no tone turns by more than a radian */
    assert_false(is_proof(&c));
    c.steps[middle] = kept;
    c.steps[middle].offset = 0;
    assert_false(is_proof(&c));
    c.steps[middle] = kept;
    c.steps[middle].end = c.steps[middle - 1].end;
    assert_false(is_proof(&c));
    c.steps[middle].end = NAN;
    assert_false(is_proof(&c));
    assert_int_equal(sinpos_base_search((c.outcome = SINPOS_BASE_OPEN, &c), 1, NULL, NULL), SINPOS_E_VALUE);
    c.steps[middle] = kept;
    c.outcome = right.outcome;
    assert_true(is_proof(&c));
    sinpos_base_free(&c);
}

/* Claims that go beyond what the steps show by the least that can be, and those that just do not. */
static void to_the_edge(void **state)
{
    (void)state;
    const sinpos_base_query q = query_of(600, 64);
    if (!has_proofs())
        skip();
    sinpos_base_certificate c = search_of(&q, 1);
    const sinpos_base_certificate right = c;
    c.n_steps /= 2;
    const sinpos_base_step last = c.steps[c.n_steps - 1];
    c.base_lower = last.end;
    c.violated_at = last.offset;
    assert_true(plain_g(&q, last.end * (1 + 1e-12), last.offset) < 0);
    assert_true(is_proof(&c));
    c.base_lower = nextafter(last.end, INFINITY);
    assert_false(is_proof(&c));
    c.base_lower = last.end * (1 + 1e-12);
    assert_false(is_proof(&c));
    /* The context is an offset of a step, or one more; claimed is nothing but that 1 fails. */
    c = right;
    c.base_lower = 1;
    c.violated_at = 2;
    c.query.context = 0;
    for (size_t i = 0; i < c.n_steps; i++)
        c.query.context = c.query.context < (size_t)c.steps[i].offset ? (size_t)c.steps[i].offset : c.query.context;
    assert_false(is_proof(&c));
    c.query.context++;
    assert_true(is_proof(&c));
    c.violated_at = (int64_t)c.query.context;
    assert_false(is_proof(&c));
    sinpos_base_free(&c);
}

static int stop_soon(void *context, double done)
{
    int *left = context;
    assert_true(done >= 0 && done <= 1);
    return (*left)-- <= 0;
}

static bool same(const sinpos_base_certificate *a, const sinpos_base_certificate *b)
{
    return a->base_lower == b->base_lower && a->base_upper == b->base_upper && a->violated_at == b->violated_at &&
           a->n_steps == b->n_steps && memcmp(a->steps, b->steps, a->n_steps * sizeof *a->steps) == 0 &&
           a->n_pool == b->n_pool && memcmp(a->pool, b->pool, a->n_pool * sizeof *a->pool) == 0;
}

static void stopped_and_threads(void **state)
{
    (void)state;
    const sinpos_base_query q = query_of(6000, 96);
    sinpos_base_certificate whole = search_of(&q, 1), pieces;
    assert_int_equal(sinpos_base_begin(&pieces, &q), SINPOS_OK);
    sinpos_status status = SINPOS_E_STOPPED;
    int stops = 0;
    for (; status == SINPOS_E_STOPPED && stops < 1000; stops++) {
        int left = 90; /* half of which go into the goal */
        status = sinpos_base_search(&pieces, 1 + stops % 3, stop_soon, &left);
    }
    assert_int_equal(status, SINPOS_OK);
    assert_true(stops > 3);
    assert_true(same(&whole, &pieces));
    sinpos_base_free(&whole);
    sinpos_base_free(&pieces);
}

static void arguments(void **state)
{
    (void)state;
    const sinpos_base_query good = query_of(100, 16);
    sinpos_base_certificate c;
    sinpos_base_verdict verdict;
    assert_int_equal(sinpos_base_begin(NULL, &good), SINPOS_E_NULL);
    assert_int_equal(sinpos_base_begin(&c, NULL), SINPOS_E_NULL);
    for (int i = 0; i < 12; i++) {
        sinpos_base_query q = good;
        const double wrong[] = {-1, 0, NAN, INFINITY};
        switch (i) {
        case 0: q.context = 0; break;
        case 1: q.context = SINPOS_BASE_MAX_CONTEXT + 1; break;
        case 2: q.n_tones = 0; break;
        case 3: q.n_tones = SINPOS_BASE_MAX_TONES + 1; break;
        case 4: q.shift = -0.5; break;
        case 5: q.shift = NAN; break;
        case 6: q.scale = 2e6; break;
        case 7: q.constant = -1; break;
        default: *(i % 2 ? &q.scale : &q.divisor) = wrong[i - 8];
        }
        assert_int_equal(sinpos_base_begin(&c, &q), SINPOS_E_VALUE);
    }
    assert_int_equal(sinpos_base_search(NULL, 1, NULL, NULL), SINPOS_E_NULL);
    assert_int_equal(sinpos_base_begin(&c, &good), SINPOS_OK);
    assert_int_equal(sinpos_base_search(&c, 1025, NULL, NULL), SINPOS_E_VALUE);
    assert_int_equal(sinpos_base_verify(&c, 0, NULL, 1, NULL, NULL), SINPOS_E_NULL);
    assert_int_equal(sinpos_base_verify(NULL, 0, &verdict, 1, NULL, NULL), SINPOS_E_NULL);
    assert_int_equal(sinpos_base_verify(&c, 0, &verdict, 1025, NULL, NULL), SINPOS_E_VALUE);
    sinpos_base_free(&c);
    sinpos_base_free(NULL);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest brief[] = {
        cmocka_unit_test(steps_by_sampling), cmocka_unit_test(robust),    cmocka_unit_test(lengths),
        cmocka_unit_test(shortest),          cmocka_unit_test(constants), cmocka_unit_test(corrupted),
        cmocka_unit_test(to_the_edge),       cmocka_unit_test(arguments),
    };
    const struct CMUnitTest others[] = {
        cmocka_unit_test(published), cmocka_unit_test(island),   cmocka_unit_test(robust_gives_up),
        cmocka_unit_test(one_base),  cmocka_unit_test(extended), cmocka_unit_test(stopped_and_threads),
    };
    const int failed = cmocka_run_group_tests(brief, NULL, NULL);
    return argc > 1 && strcmp(argv[1], "--brief") == 0 ? failed : failed + cmocka_run_group_tests(others, NULL, NULL);
}
