#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis_calls.h"
#include "cases.h"

enum { DIM = 8, ROWS = 12 };

static sinpos_plan *plan, *lame; /* lame: its last tone has no cosine */
static double p[ROWS * DIM], words[ROWS * DIM];
static float table[64 * DIM];
static float usual[64 * DIM]; /* has a name, and roundings of its own */
static sinpos_moments *word_moments, *position_moments;

/* ----------------------------------------------------------------------------------------------- the functions */

static sinpos_status values(void *out)
{
    const sinpos_rows offsets = {sizeof(sinpos_rows), 20, NULL, NULL, -3};
    return sinpos_kernel_values(plan, &offsets, out, 1);
}

static sinpos_status values_at_reals(void *out)
{
    static const double at[5] = {0, 0.5, 3, 1e9, -7};
    const sinpos_rows offsets = {sizeof(sinpos_rows), 5, NULL, at, 0};
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
    const sinpos_rows offsets = {sizeof(sinpos_rows), 4, at, NULL, 0};
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

static sinpos_status separation_part(void *out)
{
    size_t n = 5;
    return sinpos_separation_part(plan, 0, 200, 50, 150, out, &n, 1, NULL, NULL);
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
    double *const published = out;
    size_t n_published = 0;
    for (size_t i = 0; i < identity->n_conventions && i < 100; i++) {
        published[i] = identity->conventions[i].published;
        n_published += published[i] > 0;
    }
    assert_true(n_published > 0);
    status = sinpos_identity_rows(identity, 1, 3, SINPOS_F64, published + 100, 1);
    if (status == SINPOS_OK)
        status = sinpos_identity_rows_as_found(identity, 5, 3, SINPOS_F64, published + 100 + 3 * DIM, 1);
    sinpos_identity_destroy(identity);
    return status;
}

/* Names, texts and sizes; what there is of them. */
static sinpos_status words_of_functions(void *out)
{
    const uint32_t *tokens;
    const size_t *order;
    unsigned char *at = out;
    const char *texts[] = {sinpos_recipe_name(SINPOS_RECIPE_F32_POW),
                           sinpos_recipe_who(SINPOS_RECIPE_F32_POW),
                           sinpos_verdict_name(SINPOS_HOLDS),
                           sinpos_claim_at(0)->id,
                           sinpos_threshold_origin_name(SINPOS_THRESHOLD_GIVEN),
                           sinpos_defect_name(SINPOS_DEFECT_SIGN)};
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
        memcpy(at, texts[k], strlen(texts[k]));
        at += strlen(texts[k]);
    }
    const size_t sizes[] = {sinpos_symmetry_example(&tokens, &order), sinpos_moments_rows(word_moments), tokens[0],
                            order[0]};
    memcpy(at, sizes, sizeof sizes);
    sinpos_memory_handler_set(NULL);
    return SINPOS_OK;
}

static sinpos_status theta_text(void *out)
{
    sinpos_theta *theta = NULL;
    const sinpos_status status = sinpos_theta_parse(&theta, "0.1*t^3 - 1e-310", NULL, NULL);
    if (status == SINPOS_OK)
        strcpy(out, sinpos_theta_text(theta));
    sinpos_theta_destroy(theta);
    return status;
}

static sinpos_status crossing(void *out)
{
    sinpos_theta *theta = NULL;
    sinpos_crossing found;
    sinpos_status status = sinpos_theta_parse(&theta, "t^2", NULL, NULL);
    status = status != SINPOS_OK ? status : sinpos_continuum_crossing(theta, 20, &found, NULL, NULL);
    if (status == SINPOS_OK)
        memcpy(out, &(double[]){found.x, found.radius, found.searched}, 3 * sizeof(double));
    sinpos_theta_destroy(theta);
    return status;
}

static sinpos_status schedules(void *out)
{
    static const double x[3] = {1, 10, 50};
    sinpos_theta *both[2] = {NULL, NULL};
    size_t rank[6];
    double *const d = out;
    sinpos_status status = sinpos_theta_parse(&both[0], "1000^-t", NULL, NULL);
    status = status != SINPOS_OK ? status : sinpos_theta_parse(&both[1], "(1 - t)^3", NULL, NULL);
    status = status != SINPOS_OK
                 ? status
                 : sinpos_schedules_compare((const sinpos_theta *const *)both, 2, x, 3, d, d + 6, rank, 1, NULL, NULL);
    sinpos_theta_destroy(both[0]);
    sinpos_theta_destroy(both[1]);
    return status;
}

static sinpos_status tokens(void *out)
{
    return sinpos_random_tokens(7, ROWS, DIM, 3, out);
}

static sinpos_status query_key(void *out)
{
    return sinpos_query_key(words, DIM, p, DIM, 4, DIM, 1, out);
}

static sinpos_status widen(void *out)
{
    static const float tiny[4] = {1e-45f, -1e-40f, 0.1f, 3e38f};
    return sinpos_widen(SINPOS_F32, tiny, 4, out);
}

static sinpos_status base_try(void *out)
{
    const sinpos_base_query asked = {.context = 20, .n_tones = 4, .divisor = 4, .scale = 1};
    sinpos_base_trial trial;
    memset(&trial, 0, sizeof trial);
    const sinpos_status status = sinpos_base_try(&asked, 350.7, &trial, 1, NULL, NULL);
    if (status == SINPOS_OK)
        memcpy(out, &trial, sizeof trial);
    return status;
}

static sinpos_status base_lengths(void *out)
{
    const sinpos_base_query asked = {.context = 20, .n_tones = 4, .divisor = 4, .scale = 1};
    sinpos_base_lengths lengths;
    sinpos_tone_length each[4];
    memset(&lengths, 0, sizeof lengths);
    memset(each, 0, sizeof each);
    const sinpos_status status = sinpos_base_lengths_at(&asked, 500, 64, 1, 32, &lengths, each);
    memcpy(out, &lengths, sizeof lengths);
    memcpy((char *)out + sizeof lengths, each, sizeof each);
    return status;
}

static sinpos_status base_extend(void *out)
{
    sinpos_base_certificate certificate;
    sinpos_status status = sinpos_base_begin(&certificate, &query);
    status = status != SINPOS_OK ? status : sinpos_base_search(&certificate, 1, NULL, NULL);
    status = status != SINPOS_OK ? status : sinpos_base_extend(&certificate, 30);
    status = status != SINPOS_OK ? status : sinpos_base_search(&certificate, 1, NULL, NULL);
    if (status == SINPOS_OK)
        *(double *)out = certificate.base_upper;
    sinpos_base_free(&certificate);
    return status;
}

static sinpos_status identify_frequencies(void *out)
{
    const float list[] = {1, 0.1F, 0.01F, 0.001F, 0.0001F, 0.00001F};
    sinpos_frequency_list *found = (sinpos_frequency_list *)(uintptr_t)16;
    const sinpos_status status = sinpos_identify_frequencies(&found, list, sizeof list / sizeof list[0], SINPOS_F32);
    if (status != SINPOS_OK) {
        assert_null(found);
        return status;
    }
    memcpy(out, &(double[]){found->base, found->divisor, (double)found->errors.wrong, found->exact[5]},
           4 * sizeof(double));
    sinpos_frequency_list_destroy(found);
    return status;
}

static sinpos_status identify_all(void *out)
{
    static const size_t shape[2] = {64, DIM};
    const sinpos_table asked = {2, shape, SINPOS_F32, read_table, NULL};
    sinpos_identity *identity = NULL;
    const sinpos_status status = sinpos_identify_all(&identity, &asked, 1);
    if (status == SINPOS_OK)
        memcpy(out, &(double[]){identity->axis[0].base, identity->bits, (double)identity->total.wrong},
               3 * sizeof(double));
    sinpos_identity_destroy(identity);
    return status;
}

/* A pair of tables, the second with 1 in place of each element of a column: what the causes leave. */
static sinpos_status read_changed(void *context, size_t first, size_t n, void *rows)
{
    const sinpos_status status = read_table(context, first, n, rows);
    for (size_t i = 0; i < n; i++)
        ((float *)rows)[i * DIM] *= -1;
    return status;
}

static void keep_difference(sinpos_difference *found, void *out)
{
    for (size_t k = 0; k < found->n_causes; k++)
        memcpy((char *)out + 200 * k, found->causes[k].text, sizeof found->causes[k].text);
    if (found->n_causes > 0)
        memcpy((char *)out + 4000, sinpos_diff_kind_name(found->causes[0].kind), 3);
    memcpy((char *)out + 8000, &found->wrong, sizeof found->wrong);
    sinpos_difference_destroy(found);
}

static sinpos_status diff(void *out)
{
    static const size_t shape[2] = {64, DIM};
    const sinpos_table a = {2, shape, SINPOS_F32, read_table, NULL}, b = {2, shape, SINPOS_F32, read_changed, NULL};
    sinpos_difference *found = (sinpos_difference *)(uintptr_t)16;
    const sinpos_status status = sinpos_diff(&found, &a, &b, 1);
    if (status == SINPOS_OK)
        keep_difference(found, out);
    else
        assert_null(found);
    return status;
}

static sinpos_status diff_rotated(void *out)
{
    static const size_t shape[2] = {64, DIM};
    const sinpos_table a = {2, shape, SINPOS_F32, read_table, NULL}, b = {2, shape, SINPOS_F32, read_changed, NULL};
    sinpos_difference *found = (sinpos_difference *)(uintptr_t)16;
    const sinpos_status status = sinpos_diff_rotated(&found, &b, &a, NULL, 64, 1, 1);
    if (status == SINPOS_OK)
        keep_difference(found, out);
    else
        assert_null(found);
    return status;
}

/* ------------------------------------------------------------------------------------------------- the table */

const analysis_call analysis_calls[] = {
    {"kernel_values", "kernel_values", values, false, false, true},
    {"kernel_values of reals", "kernel_values", values_at_reals, false, false, true},
    {"kernel_first_negative", "kernel_first_negative", first_negative, false, false, true},
    {"kernel_zeros", "kernel_zeros", zeros, false, false, true},
    {"kernel_envelope", "kernel_envelope", envelope, false, false, true},
    {"distance_values", "distance_values", distances, false, false, true},
    {"distance_matrix", "distance_matrix", matrix, false, false, true},
    {"distance_matrix_at", "distance_matrix_at", matrix_at, false, false, true},
    {"theta_parse", "theta_parse theta_value theta_destroy", theta_parse, true, false, true},
    {"theta_of_spec", "theta_of_spec", theta_of_spec, true, false, true},
    {"continuum_values", "continuum_values", continuum, false, true, true},
    {"symmetry", "symmetry", symmetry, true, false, true},
    {"taylor", "taylor", taylor, true, false, true},
    {"attention_hessian", "attention_hessian", hessian, false, false, true},
    {"split", "split", split, true, false, true},
    {"split_coefficients", "split_coefficients", split_coefficients, true, false, true},
    {"moments", "moments_create moments_add moments_read moments_destroy", moments, true, false, true},
    {"covariance", "covariance", covariance, true, false, true},
    {"rank", "rank", rank, true, true, true},
    {"overlap", "overlap", overlap, true, true, true},
    {"recovery", "recovery", recovery, true, true, true},
    {"attention_terms", "attention_terms", attention_terms, true, false, true},
    {"pair_cosines", "pair_cosines", pair_cosines, true, false, true},
    {"nearest", "nearest", nearest, true, false, true},
    {"separation", "separation", separation, false, false, true},
    {"separation of an odd width", "separation", separation_lame, false, false, true},
    {"separation_part", "separation_part", separation_part, false, false, true},
    {"separation_lengths", "separation_lengths", separation_lengths, false, false, true},
    {"separation_rounded", "separation_rounded", separation_rounded, false, false, true},
    {"collisions by offsets", "collisions", collisions_by_offsets, false, false, true},
    {"collisions by hashes", "collisions", collisions_by_hashes, false, false, true},
    {"dim_needed", "dim_needed", dim_needed, false, false, true},
    {"rows_separation", "rows_separation", rows_separation, false, false, true},
    {"base_search", "base_begin base_search base_free", base_search, true, false, true},
    {"base_verify", "base_verify base_robust_find", base_verify, true, true, true},
    {"recipe_errors", "recipe_errors", recipe_errors, false, false, true},
    {"check", "check", check, true, false, true},
    {"identify", "identify identity_rows identity_rows_as_found identity_destroy", identify, false, false, true},
    {"identify_frequencies", "identify_frequencies frequency_list_destroy", identify_frequencies, false, false, true},
    {"names",
     "recipe_name recipe_who verdict_name defect_name claim_at threshold_origin_name symmetry_example moments_rows "
     "memory_handler_set",
     words_of_functions, false, false, false},
    {"theta_text", "theta_text", theta_text, false, false, false},
    {"continuum_crossing", "continuum_crossing", crossing, false, true, false},
    {"schedules_compare", "schedules_compare", schedules, false, true, false},
    {"random_tokens", "random_tokens", tokens, false, false, false},
    {"query_key", "query_key", query_key, false, false, false},
    {"widen", "widen", widen, false, false, false},
    {"base_try", "base_try", base_try, false, false, false},
    {"base_lengths_at", "base_lengths_at", base_lengths, false, false, false},
    {"base_extend", "base_extend", base_extend, false, false, false},
    {"identify_all", "identify_all", identify_all, false, false, false},
    {"diff", "diff diff_kind_name difference_destroy", diff, false, false, true},
    {"diff_rotated", "diff_rotated", diff_rotated, false, false, true},
};
const size_t n_analysis_calls = sizeof analysis_calls / sizeof *analysis_calls;

int analysis_calls_set_up(void **state)
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

int analysis_calls_tear_down(void **state)
{
    (void)state;
    sinpos_moments_destroy(word_moments);
    sinpos_moments_destroy(position_moments);
    sinpos_plan_destroy(plan);
    sinpos_plan_destroy(lame);
    return 0;
}
