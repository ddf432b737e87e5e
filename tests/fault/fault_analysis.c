/* libsinpos-analysis without memory: each allocation of its functions fails in turn. FLINT and OpenBLAS keep theirs. */
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cases.h"
#include "sinpos_analysis.h"
#include "wrapped.h"

enum { DIM = 8, ROWS = 12, OUT = 1 << 16 };

static const uint8_t UNTOUCHED = 0xa5;

static sinpos_plan *plan, *lame; /* lame: its last tone has no cosine */
static double p[ROWS * DIM], words[ROWS * DIM];
static float table[64 * DIM];
static float usual[64 * DIM]; /* has a name, and roundings of its own */
static sinpos_moments *word_moments, *position_moments;

/* ----------------------------------------------------------------------------------------------- the functions */

static sinpos_status values(void *out)
{
    const sinpos_rows offsets = {20, NULL, NULL, -3};
    return sinpos_kernel_values(plan, &offsets, out, 1);
}

static sinpos_status values_at_reals(void *out)
{
    static const double at[5] = {0, 0.5, 3, 1e9, -7};
    const sinpos_rows offsets = {5, NULL, at, 0};
    return sinpos_kernel_values(plan, &offsets, out, 1);
}

static sinpos_status first_negative(void *out)
{
    int64_t offset;
    return sinpos_kernel_first_negative(plan, 5000, &offset, out, 1, NULL, NULL);
}

static sinpos_status zeros(void *out)
{
    size_t n;
    return sinpos_kernel_zeros(plan, 0, 500, out, 64, &n, 1, NULL, NULL);
}

static sinpos_status envelope(void *out)
{
    static const int64_t from[3] = {0, 10, 100};
    return sinpos_kernel_envelope(plan, from, 3, 500, out, 1, NULL, NULL);
}

static sinpos_status distances(void *out)
{
    static const int64_t at[4] = {0, 1, 7, 1000000};
    const sinpos_rows offsets = {4, at, NULL, 0};
    return sinpos_distance_values(plan, &offsets, out, 1);
}

static sinpos_status matrix(void *out)
{
    return sinpos_distance_matrix(lame, 0, 6, 6, out, 6, 1);
}

static sinpos_status matrix_at(void *out)
{
    static const int64_t at[4] = {0, 100, 7, 1000000};
    return sinpos_distance_matrix_at(lame, at, 4, out, 4, 1);
}

static sinpos_status theta_parse(void *out)
{
    sinpos_theta *theta = (sinpos_theta *)(uintptr_t)16;
    const sinpos_status status = sinpos_theta_parse(&theta, "pow(t, 2) + exp(-9.21*t)", NULL, NULL);
    if (status != SINPOS_OK) {
        assert_null(theta);
        return status;
    }
    *(double *)out = sinpos_theta_value(theta, 0.25);
    sinpos_theta_destroy(theta);
    return status;
}

static sinpos_status theta_of_spec(void *out)
{
    const sinpos_spec spec = SINPOS_SPEC_INIT;
    sinpos_theta *theta = (sinpos_theta *)(uintptr_t)16;
    const sinpos_status status = sinpos_theta_of_spec(&theta, &spec);
    if (status != SINPOS_OK) {
        assert_null(theta);
        return status;
    }
    *(double *)out = sinpos_theta_value(theta, 0.25);
    sinpos_theta_destroy(theta);
    return status;
}

static sinpos_status continuum(void *out)
{
    static const double x[2] = {0, 3};
    double radius[2];
    sinpos_theta *theta = NULL;
    sinpos_status status = sinpos_theta_parse(&theta, "1000^-t", NULL, NULL);
    status = status != SINPOS_OK ? status : sinpos_continuum_values(theta, x, 2, out, radius, 1, NULL, NULL);
    sinpos_theta_destroy(theta);
    return status;
}

static sinpos_status symmetry(void *out)
{
    return sinpos_symmetry(p, 3, DIM, DIM, NULL, NULL, 1, out);
}

static sinpos_status taylor(void *out)
{
    return sinpos_taylor(p, 4, DIM, DIM, NULL, 0, 1, 3, 1, out);
}

static sinpos_status hessian(void *out)
{
    return sinpos_attention_hessian(words, 4, DIM, DIM, 1, 3, 1, out, DIM);
}

static sinpos_status split(void *out)
{
    return sinpos_split(words, DIM, p, ROWS, DIM, DIM, 1, NULL, out);
}

static sinpos_status split_coefficients(void *out)
{
    return sinpos_split_coefficients(plan, words, DIM, out);
}

static sinpos_status moments(void *out)
{
    sinpos_moments *m = (sinpos_moments *)(uintptr_t)16;
    sinpos_status status = sinpos_moments_create(&m, DIM, 1);
    if (status != SINPOS_OK) {
        assert_null(m);
        return status;
    }
    status = sinpos_moments_add(m, ROWS, SINPOS_F64, p, DIM);
    status = status != SINPOS_OK ? status : sinpos_moments_add(m, 64, SINPOS_F32, table, DIM);
    status = status != SINPOS_OK ? status : sinpos_moments_read(m, NULL, out);
    sinpos_moments_destroy(m);
    return status;
}

static sinpos_status covariance(void *out)
{
    return sinpos_covariance(word_moments, out);
}

static sinpos_status rank(void *out)
{
    return sinpos_rank(word_moments, 1, NULL, out);
}

static sinpos_status overlap(void *out)
{
    return sinpos_overlap(word_moments, position_moments, 0.9, NULL, out);
}

static sinpos_status recovery(void *out)
{
    return sinpos_recovery(word_moments, position_moments, NULL, out);
}

static sinpos_status attention_terms(void *out)
{
    return sinpos_attention_terms(word_moments, position_moments, words, DIM, out);
}

static sinpos_status pair_cosines(void *out)
{
    return sinpos_pair_cosines(words, ROWS, DIM, NULL, 0, 0, DIM, 1, out);
}

static sinpos_status nearest(void *out)
{
    static const double map[DIM * DIM] = {1, 0, 0.5}, mean[DIM] = {0};
    const sinpos_sample some = {words, ROWS, DIM}, positions = {p, ROWS, DIM};
    return sinpos_nearest(&some, &positions, DIM, map, mean, mean, 20, 1, 1, out);
}

static sinpos_status separation(void *out)
{
    size_t n = 5;
    return sinpos_separation(plan, 0, 200, out, &n, 1, NULL, NULL);
}

static sinpos_status separation_lame(void *out)
{
    size_t n = 5;
    return sinpos_separation(lame, 0, 60, out, &n, 1, NULL, NULL);
}

static sinpos_status separation_lengths(void *out)
{
    static const size_t lengths[2] = {30, 100};
    return sinpos_separation_lengths(plan, 0, lengths, 2, out, 1, NULL, NULL);
}

static sinpos_status separation_rounded(void *out)
{
    return sinpos_separation_rounded(plan, 0, 200, SINPOS_F16, out, 1, NULL, NULL);
}

static sinpos_status collisions(void *out, sinpos_distinct_method method)
{
    sinpos_collisions_options options = SINPOS_COLLISIONS_OPTIONS_INIT;
    options.method = method;
    options.n_threads = 1;
    options.memory_bytes = (size_t)1 << 20;
    return sinpos_collisions(plan, 0, 300, SINPOS_F16 | SINPOS_BF16, &options, out);
}

static sinpos_status collisions_by_offsets(void *out)
{
    return collisions(out, SINPOS_DISTINCT_OFFSETS);
}

static sinpos_status collisions_by_hashes(void *out)
{
    return collisions(out, SINPOS_DISTINCT_HASHES);
}

static sinpos_status dim_needed(void *out)
{
    const sinpos_spec spec = SINPOS_SPEC_INIT;
    sinpos_near near;
    return sinpos_dim_needed(&spec, 50, 0.2, SINPOS_F32 | SINPOS_BF16, 32, out, &near, 1, NULL, NULL);
}

static sinpos_status rows_separation(void *out)
{
    sinpos_distinct distinct;
    return sinpos_rows_separation(table, 64, DIM, DIM, SINPOS_F32, out, &distinct, 1, NULL, NULL);
}

static const sinpos_base_query query = {.context = 20, .n_tones = 4, .divisor = 4, .scale = 1};

static sinpos_status base_search(void *out)
{
    sinpos_base_certificate certificate;
    sinpos_status status = sinpos_base_begin(&certificate, &query);
    status = status != SINPOS_OK ? status : sinpos_base_search(&certificate, 1, NULL, NULL);
    if (status == SINPOS_OK)
        *(double *)out = certificate.base_upper;
    sinpos_base_free(&certificate);
    return status;
}

static sinpos_status base_verify(void *out)
{
    sinpos_base_certificate certificate;
    sinpos_base_verdict verdict;
    sinpos_status status = sinpos_base_begin(&certificate, &query);
    status = status != SINPOS_OK ? status : sinpos_base_search(&certificate, 1, NULL, NULL);
    status = status != SINPOS_OK ? status : sinpos_base_robust_find(&certificate, 1 << 20, 1, NULL, NULL);
    status = status != SINPOS_OK ? status : sinpos_base_verify(&certificate, 1, &verdict, 1, NULL, NULL);
    if (status == SINPOS_OK)
        *(int *)out = verdict.holds;
    sinpos_base_free(&certificate);
    return status;
}

static sinpos_status recipe_errors(void *out)
{
    static const uint64_t below[2] = {10, 100};
    const sinpos_spec spec = SINPOS_SPEC_INIT;
    return sinpos_recipe_errors(&spec, SINPOS_RECIPE_F32_POW, below, 2, out, 1, NULL, NULL);
}

static sinpos_status check(void *out)
{
    enum { N_CLAIMS = 64 };
    size_t n = 0;
    while (sinpos_claim_at(n) != NULL)
        n++;
    assert_true(n < N_CLAIMS);
    const sinpos_check_input input = {
        .plan = plan, .n = 32, .type = SINPOS_F32, .table = table, .ld_table = DIM, .seed = 1, .n_threads = 1};
    static sinpos_claim_result results[N_CLAIMS];
    const sinpos_status status = sinpos_check(&input, NULL, n, results, NULL, NULL, NULL);
    for (size_t i = 0; i < n && status == SINPOS_OK; i++)
        ((double *)out)[i] = isnan(results[i].value) ? -(double)results[i].verdict - 1 : results[i].value;
    return status;
}

static sinpos_status read_table(void *context, size_t first, size_t n, void *rows)
{
    (void)context;
    memcpy(rows, usual + first * DIM, n * DIM * sizeof *usual);
    return SINPOS_OK;
}

static sinpos_status identify(void *out)
{
    static const size_t shape[2] = {64, DIM};
    const sinpos_table asked = {2, shape, SINPOS_F32, read_table, NULL};
    sinpos_identity *identity = (sinpos_identity *)(uintptr_t)16;
    sinpos_status status = sinpos_identify(&identity, &asked, 1);
    if (status != SINPOS_OK) {
        assert_null(identity);
        return status;
    }
    double published = 0;
    for (size_t i = 0; i < identity->n_conventions; i++)
        published += fmax(identity->conventions[i].published, 0);
    assert_true(published > 0);
    *(double *)out = published;
    status = sinpos_identity_rows(identity, 1, 3, SINPOS_F64, (double *)out + 1, 1);
    sinpos_identity_destroy(identity);
    return status;
}

/* ------------------------------------------------------------------------------------------------- the test */

static const struct function {
    const char *name;
    sinpos_status (*call)(void *out);
    bool keeps_out;   /* the header says that the result is untouched on error */
    bool needs_flint; /* or LAPACK */
} functions[] = {
    {"kernel_values", values, false, false},
    {"kernel_values of reals", values_at_reals, false, false},
    {"kernel_first_negative", first_negative, false, false},
    {"kernel_zeros", zeros, false, false},
    {"kernel_envelope", envelope, false, false},
    {"distance_values", distances, false, false},
    {"distance_matrix", matrix, false, false},
    {"distance_matrix_at", matrix_at, false, false},
    {"theta_parse", theta_parse, true, false},
    {"theta_of_spec", theta_of_spec, true, false},
    {"continuum_values", continuum, false, true},
    {"symmetry", symmetry, true, false},
    {"taylor", taylor, true, false},
    {"attention_hessian", hessian, false, false},
    {"split", split, true, false},
    {"split_coefficients", split_coefficients, true, false},
    {"moments", moments, true, false},
    {"covariance", covariance, true, false},
    {"rank", rank, true, true},
    {"overlap", overlap, true, true},
    {"recovery", recovery, true, true},
    {"attention_terms", attention_terms, true, false},
    {"pair_cosines", pair_cosines, true, false},
    {"nearest", nearest, true, false},
    {"separation", separation, false, false},
    {"separation of an odd width", separation_lame, false, false},
    {"separation_lengths", separation_lengths, false, false},
    {"separation_rounded", separation_rounded, false, false},
    {"collisions by offsets", collisions_by_offsets, false, false},
    {"collisions by hashes", collisions_by_hashes, false, false},
    {"dim_needed", dim_needed, false, false},
    {"rows_separation", rows_separation, false, false},
    {"base_search", base_search, true, false},
    {"base_verify", base_verify, true, true},
    {"recipe_errors", recipe_errors, false, false},
    {"check", check, true, false},
    {"identify", identify, false, false},
};
enum { N_FUNCTIONS = sizeof functions / sizeof *functions };

static long some; /* allocations of a function that fail */
static uint8_t wanted[OUT], got[OUT], untouched[OUT];

/* One allocation fails; false: there were fewer. */
static bool fails(const struct function *f, long n)
{
    memset(got, UNTOUCHED, OUT);
    const long before = live;
    reset();
    failing_allocation = n;
    const sinpos_status status = f->call(got);
    failing_allocation = 0;
    const bool was_reached = allocations >= n;
    if (live != before)
        fail_msg("%s: allocation %ld fails: %ld blocks are left", f->name, n, live - before);
    if (status != (was_reached ? SINPOS_E_MEMORY : SINPOS_OK))
        fail_msg("%s: allocation %ld fails: %s", f->name, n, sinpos_strerror(status));
    if (status == SINPOS_OK && memcmp(got, wanted, OUT) != 0)
        fail_msg("%s: another result, the second time", f->name);
    if (status != SINPOS_OK && f->keeps_out && memcmp(got, untouched, OUT) != 0)
        fail_msg("%s: allocation %ld fails, and the result was written to", f->name, n);
    return was_reached;
}

static void every_allocation_fails(void **state)
{
    (void)state;
    memset(untouched, UNTOUCHED, OUT);
    for (size_t i = 0; i < N_FUNCTIONS; i++) {
        const struct function *f = &functions[i];
        long n = 1;
        memset(wanted, UNTOUCHED, OUT);
        reset();
        const sinpos_status status = f->call(wanted);
        if (f->needs_flint && status == SINPOS_E_UNSUPPORTED)
            continue;
        if (status != SINPOS_OK)
            fail_msg("%s: %s", f->name, sinpos_strerror(status));
        assert_true(allocations > 0);
        /* Searches allocate for each of the many that they try: some are enough. */
        for (const long all = allocations; fails(f, n);)
            n += n < some ? 1 : 1 + all / some;
    }
}

static int make(void **state)
{
    (void)state;
    sinpos_spec spec = SINPOS_SPEC_INIT;
    spec.dim = DIM;
    for (int k = 0; k < 64 * DIM; k++) {
        const float angle = (float)(k / DIM) * (float)pow(10000, -(double)(k % DIM / 2 * 2) / DIM);
        usual[k] = (float)(k % 2 == 0 ? sin((double)angle) : cos((double)angle));
    }
    spec.base = 100;
    if (sinpos_plan_create(&plan, &spec) != SINPOS_OK)
        return 1;
    spec.dim = DIM - 1;
    if (sinpos_plan_create(&lame, &spec) != SINPOS_OK || sinpos_fill(plan, 0, ROWS, SINPOS_F64, p, DIM) != SINPOS_OK ||
        sinpos_fill(plan, 0, 64, SINPOS_F32, table, DIM) != SINPOS_OK ||
        sinpos_random_tokens(0, ROWS, DIM, 1, words) != SINPOS_OK ||
        sinpos_moments_create(&word_moments, DIM, 1) != SINPOS_OK ||
        sinpos_moments_create(&position_moments, DIM, 1) != SINPOS_OK ||
        sinpos_moments_add(word_moments, ROWS, SINPOS_F64, words, DIM) != SINPOS_OK)
        return 1;
    return sinpos_moments_add(position_moments, ROWS, SINPOS_F64, p, DIM) != SINPOS_OK;
}

static int destroy(void **state)
{
    (void)state;
    sinpos_moments_destroy(word_moments);
    sinpos_moments_destroy(position_moments);
    sinpos_plan_destroy(plan);
    sinpos_plan_destroy(lame);
    return 0;
}

int main(int argc, char **argv)
{
    some = argc > 1 && strcmp(argv[1], "--brief") == 0 ? 30 : 150;
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_allocation_fails)};
    return cmocka_run_group_tests_name("fault_analysis", tests, make, destroy);
}
