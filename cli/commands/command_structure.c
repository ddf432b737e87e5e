/* command_structure.c - sinpos structure: H, covariances, spans and attention of words and positions. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "commands.h"
#include "no_memory.h"
#include "progress.h"
#include "structure.h"

#define MOST_DIM ((size_t)8192)
#define MOST_NUMBERS ((size_t)1 << 28) /* of the positions' rows: 2 GiB */
#define MOST_SPLIT ((size_t)4096)
#define MOST_SAMPLE ((size_t)1024)
#define RANDOM_WORDS ((size_t)8192)
#define PIECE_ROWS ((size_t)1024)
#define SHARE 0.99
#define TRIALS ((size_t)1000)

/* -------------------------------------------------------------------------------------------------- the inputs */

/* The dim of the first of the matrices given, 0 where there is none; all must agree. */
static size_t settle_dim(const struct structure *s)
{
    const struct matrix_file *const files[] = {&s->words, &s->table, &s->h_file, &s->query, &s->key};
    const char *by = "--dim";
    size_t dim = s->options->given[OPTION_DIM] != NULL ? s->options->spec.dim : 0;
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        if (files[i]->reader == NULL)
            continue;
        if (dim == 0) {
            dim = files[i]->dim;
            by = files[i]->path;
        } else if (files[i]->dim != dim) {
            char hint[300];
            snprintf(hint, sizeof hint, "all matrices must have the same columns; %.200s says how many", by);
            fail(EXIT_USAGE, hint, files[i]->path, "has %zu columns, where %zu are needed", files[i]->dim, dim);
        }
    }
    return dim;
}

static void check_h(const struct structure *s)
{
    const struct options *options = s->options;
    if (s->h_file.reader != NULL && s->h_file.n != s->h_file.dim) {
        fail(EXIT_FILE, "H is (dim, dim); give W_q and W_k as --wq and --wk", s->h_file.path,
             "is %zu x %zu, not square", s->h_file.n, s->h_file.dim);
    }
    if (s->h_file.reader != NULL && (s->query.reader != NULL || s->key.reader != NULL))
        fail_option(options, OPTION_H, "leave one out", "cannot be combined with --wq and --wk");
    if ((s->query.reader == NULL) != (s->key.reader == NULL)) {
        fail_option(options, s->query.reader == NULL ? OPTION_WK : OPTION_WQ,
                    "H = W_q' W_k needs both --wq FILE and --wk FILE",
                    s->query.reader == NULL ? "needs --wq" : "needs --wk");
    }
    if (s->query.reader != NULL && s->query.n != s->key.n) {
        fail(EXIT_FILE, "both are (head, dim); with shared keys, give the rows of one query head", s->key.path,
             "has %zu rows, and W_q has %zu", s->key.n, s->query.n);
    }
}

static void open_files(struct structure *s)
{
    const struct options *options = s->options;
    matrix_open(&s->words, options, OPTION_WORDS);
    matrix_open(&s->table, options, OPTION_TABLE);
    matrix_open(&s->h_file, options, OPTION_H);
    matrix_open(&s->query, options, OPTION_WQ);
    matrix_open(&s->key, options, OPTION_WK);
    check_h(s);
}

static void check_sizes(const struct structure *s)
{
    char what[80];
    if (s->dim > MOST_DIM) {
        snprintf(what, sizeof what, "%zu columns", s->dim);
        fail(EXIT_USAGE, "measure some of the columns", what,
             "are more than the %zu that are measured: time grows with the cube of their number", MOST_DIM);
    }
    if (s->n_positions > MOST_NUMBERS / s->dim) {
        snprintf(what, sizeof what, "%zu positions of %zu columns", s->n_positions, s->dim);
        fail(EXIT_USAGE, "choose a smaller --length, or fewer rows", what, "are more than the %zu that are held",
             MOST_NUMBERS / s->dim);
    }
    if (s->n_positions < 2)
        fail(EXIT_USAGE, "give at least two positions", "positions", "there is only one");
}

/* Everything that can be refused before any matrix is read. */
static void prepare(struct structure *s, const struct request *request)
{
    const struct options *options = s->options;
    open_files(s);
    const size_t dim = settle_dim(s);
    s->n_positions = s->table.reader != NULL                 ? s->table.n
                     : options->given[OPTION_LENGTH] == NULL ? 1024
                                                             : options->length;
    if (s->table.reader != NULL && options->given[OPTION_LENGTH] != NULL && options->length != s->table.n) {
        fail_option(options, OPTION_LENGTH, "leave --length out: the table gives it",
                    "differs from the rows of the table");
    }
    const bool is_told = options->given[OPTION_DIM] == NULL && dim > 0;
    const struct known known = {
        .dim = is_told ? dim : 0, .n_rows = is_told ? s->n_positions : 0, .n_default = s->n_positions};
    encoding_make_sines(&s->encoding, request, &known, 0);
    s->dim = s->encoding.dim;
    if (s->table.reader == NULL) {
        s->n_positions = s->encoding.positions.n;
    } else if (s->encoding.positions.n != s->n_positions) {
        fail(EXIT_USAGE, "--set and --parameters say how many it has", encoding_name(&s->encoding),
             "makes %zu rows, and the table has %zu", s->encoding.positions.n, s->n_positions);
    }
    if (dim != 0 && dim != s->dim) { /* --theta gave another one */
        fail(EXIT_USAGE, "there must be a frequency for every two columns", "--theta",
             "makes %zu columns, where %zu are needed", s->dim, dim);
    }
    check_sizes(s);
    encoding_plan(&s->encoding);
}

/* ----------------------------------------------------------------------------------------------- reading them */

static double *numbers(size_t n, size_t dim)
{
    return memory_take(n, dim * sizeof(double));
}

static void make_rows(struct structure *s)
{
    const struct options *options = s->options;
    const sinpos_type type = options->given[OPTION_TYPE] == NULL ? SINPOS_F64 : options->type;
    s->rows = numbers(s->n_positions, s->dim);
    OWNED void *raw = memory_take(s->n_positions, s->dim * sinpos_type_bytes(type));
    positions_prepare(&s->encoding.positions, s->n_positions);
    const sinpos_rows rows = positions_rows(&s->encoding.positions, 0, s->n_positions);
    expect_ok(sinpos_run(s->encoding.plan, SINPOS_FILL, &rows, type, raw, s->dim, options->threads));
    expect_ok(sinpos_widen(type, raw, s->n_positions * s->dim, s->rows));
}

static void load_h(struct structure *s)
{
    if (s->h_file.reader != NULL)
        s->h = matrix_load(&s->h_file);
    if (s->query.reader == NULL)
        return;
    OWNED double *query = matrix_load(&s->query), *key = matrix_load(&s->key);
    s->h = numbers(s->dim, s->dim);
    s->head = s->query.n;
    const sinpos_status status =
        sinpos_query_key(query, s->dim, key, s->dim, s->head, s->dim, s->options->threads, s->h);
    if (status == SINPOS_E_MEMORY)
        fail_memory();
    if (status != SINPOS_OK) {
        fail(EXIT_FILE, "their numbers must be at most 2^40 in size", s->query.path, "its product with %s is too large",
             s->key.path);
    }
}

static void read_words(struct structure *s)
{
    OWNED double *rows = numbers(PIECE_ROWS, s->dim);
    s->n_words = s->words.reader == NULL ? RANDOM_WORDS : s->words.n;
    s->n_sample = s->n_words < MOST_SAMPLE ? s->n_words : MOST_SAMPLE;
    s->sample = numbers(s->n_sample, s->dim);
    struct sample sample = {.rows = s->sample, .n = s->n_sample, .dim = s->dim, .n_all = s->n_words};
    if (sinpos_moments_create(&s->word_moments, s->dim, s->options->threads) != SINPOS_OK)
        fail_memory();
    progress_begin("words", s->n_words * s->dim * sizeof *rows);
    for (size_t first = 0; first < s->n_words; first += PIECE_ROWS) {
        const size_t n = s->n_words - first < PIECE_ROWS ? s->n_words - first : PIECE_ROWS;
        if (s->words.reader != NULL)
            matrix_read(&s->words, n, rows);
        else
            expect_ok(sinpos_random_tokens(first, n, s->dim, s->seed, rows));
        sample_rows(&sample, rows, first, n);
        expect_ok(sinpos_moments_add(s->word_moments, n, SINPOS_F64, rows, s->dim));
        progress_advance(n * s->dim * sizeof *rows);
    }
    progress_clear();
}

/* ------------------------------------------------------------------------------------------------ measurements */

/* Was it measured? It may not be defined for these matrices, or not be in this build. */
static bool settle(struct structure *s, sinpos_status status)
{
    if (status == SINPOS_E_UNSUPPORTED)
        s->has_lapack = false;
    else if (status != SINPOS_E_VALUE)
        expect_ok(status);
    return status == SINPOS_OK;
}

static void measure_split(struct structure *s)
{
    const size_t threads = s->options->threads;
    s->n_split = s->n_positions < MOST_SPLIT ? s->n_positions : MOST_SPLIT;
    s->curve = numbers(2, s->n_split);
    expect_ok(sinpos_split(s->h, s->dim, s->rows, s->n_split, s->dim, s->dim, threads, s->curve, &s->split));
    if (s->table.reader == NULL && s->encoding.n_axes == 1)
        s->has_coefficients = settle(s, sinpos_split_coefficients(s->encoding.plan, s->h, s->dim, &s->coefficients));
}

/* Where no H was given: that of an attention layer with random weights, to compare the identity with. */
static void measure_attention_split(struct structure *s)
{
    if (s->h != NULL)
        return;
    OWNED double *h = numbers(s->dim, s->dim);
    sinpos_status status = sinpos_attention_hessian(NULL, 2, s->dim, 0, 0, 1, s->seed, h, s->dim);
    if (status == SINPOS_OK) {
        status = sinpos_split(h, s->dim, s->rows, s->n_split, s->dim, s->dim, s->options->threads, NULL,
                              &s->attention_split);
    }
    s->has_attention = settle(s, status);
}

/* The columns over 16, 64, ... positions, and in the end the moments of all. */
static void measure_grams(struct structure *s)
{
    expect_ok(sinpos_moments_create(&s->position_moments, s->dim, s->options->threads));
    for (size_t n = 0, next = 16; n < s->n_positions; n = next, next *= 4) {
        sinpos_covariance_result *all = &s->covariance[1];
        next = next > s->n_positions / 2 || s->n_grams + 1 == MOST_GRAMS ? s->n_positions : next;
        expect_ok(sinpos_moments_add(s->position_moments, next - n, SINPOS_F64, s->rows + n * s->dim, s->dim));
        expect_ok(sinpos_covariance(s->position_moments, all));
        s->grams[s->n_grams++] = (struct gram){next, all->largest_cosine, all->rms_cosine};
    }
}

static void measure_moments(struct structure *s)
{
    expect_ok(sinpos_covariance(s->word_moments, &s->covariance[0]));
    expect_ok(sinpos_attention_terms(s->word_moments, s->position_moments, s->h, s->dim, &s->attention));
    settle(s, sinpos_rank(s->word_moments, 0, NULL, &s->rank[0]));
    if (s->has_lapack)
        settle(s, sinpos_rank(s->position_moments, 0, NULL, &s->rank[1]));
    s->angles = numbers(1, s->dim);
    if (s->has_lapack)
        s->has_overlap = settle(s, sinpos_overlap(s->word_moments, s->position_moments, SHARE, s->angles, &s->overlap));
}

static void measure_recovery(struct structure *s)
{
    OWNED double *map = numbers(s->dim, s->dim), *means = numbers(2, s->dim);
    s->has_recovery = settle(s, sinpos_recovery(s->word_moments, s->position_moments, map, &s->recovery));
    if (s->has_recovery) {
        const size_t n = s->n_positions < MOST_SAMPLE ? s->n_positions : MOST_SAMPLE;
        s->n_sampled_positions = n;
        const sinpos_sample words = {s->sample, s->n_sample, s->dim};
        const sinpos_sample positions = {s->rows, n, s->n_positions / n * s->dim};
        sinpos_status status = sinpos_moments_read(s->word_moments, means, NULL);
        status = status == SINPOS_OK ? sinpos_moments_read(s->position_moments, means + s->dim, NULL) : status;
        if (status == SINPOS_OK) {
            status = sinpos_nearest(&words, &positions, s->dim, map, means, means + s->dim, TRIALS, s->seed,
                                    s->options->threads, &s->nearest);
        }
        s->has_nearest = settle(s, status);
    }
}

/* Words and positions given as rows; the first dim of their columns. */
static void measure_cosines(struct structure *s, const char *what, size_t dim, const double *words, size_t n_words,
                            size_t ld_words, const double *positions, size_t n_positions, size_t ld)
{
    const size_t threads = s->options->threads;
    struct cosines *c = &s->cosines[s->n_cosines++];
    const sinpos_cosines_result none = {NAN, NAN, NAN, NAN, 0};
    *c = (struct cosines){.what = what, .dim = dim, .words = none, .words_positions = none, .positions = none};
    settle(s, sinpos_pair_cosines(words, n_words, ld_words, NULL, 0, 0, dim, threads, &c->words));
    settle(s, sinpos_pair_cosines(words, n_words, ld_words, positions, n_positions, ld, dim, threads,
                                  &c->words_positions));
    settle(s, sinpos_pair_cosines(positions, n_positions, ld, NULL, 0, 0, dim, threads, &c->positions));
}

/* Random words, and the positions of the same definition with another dim. */
static void measure_random_cosines(struct structure *s, size_t dim)
{
    const size_t n = s->n_positions < MOST_SAMPLE ? s->n_positions : MOST_SAMPLE;
    sinpos_spec spec = s->encoding.spec;
    OWNED_PLAN sinpos_plan *plan = NULL;
    OWNED double *words = numbers(MOST_SAMPLE, dim), *rows = numbers(n, dim);
    spec.dim = dim;
    expect_ok(sinpos_plan_create(&plan, &spec));
    const sinpos_rows some = positions_rows(&s->encoding.positions, 0, n);
    expect_ok(sinpos_run(plan, SINPOS_FILL, &some, SINPOS_F64, rows, dim, s->options->threads));
    expect_ok(sinpos_random_tokens(0, MOST_SAMPLE, dim, s->seed, words));
    measure_cosines(s, "random tokens", dim, words, MOST_SAMPLE, dim, rows, n, dim);
}

static void measure_all_cosines(struct structure *s)
{
    const size_t n = s->n_positions < MOST_SAMPLE ? s->n_positions : MOST_SAMPLE;
    const bool is_scalable = s->table.reader == NULL && s->encoding.spec.theta == NULL && s->encoding.named == NULL &&
                             s->encoding.spec.divisor == 0 && s->encoding.spec.factor == NULL &&
                             s->encoding.n_axes == 1;
    if (s->words.reader != NULL || !is_scalable || (s->dim != 384 && s->dim != 768)) {
        const char *what = s->words.reader != NULL ? "words" : "random tokens";
        measure_cosines(s, what, s->dim, s->sample, s->n_sample, s->dim, s->rows, n, s->dim);
        if (s->words.reader != NULL && s->dim > 1) {
            measure_cosines(s, "words, first half of the columns", s->dim / 2, s->sample, s->n_sample, s->dim, s->rows,
                            n, s->dim);
        }
    }
    if (is_scalable) {
        measure_random_cosines(s, 384);
        measure_random_cosines(s, 768);
    }
}

static void measure(struct structure *s)
{
    s->has_lapack = true;
    measure_split(s);
    measure_attention_split(s);
    measure_grams(s);
    measure_moments(s);
    if (s->has_lapack)
        measure_recovery(s);
    measure_all_cosines(s);
}

/* ----------------------------------------------------------------------------------------------------- command */

static int command_run(const struct request *request)
{
    const double began = seconds_now();
    OWNED struct structure *s = memory_take(1, sizeof *s);
    s->options = request->options;
    s->seed = request->options->seed;
    prepare(s, request);
    if (s->table.reader != NULL)
        s->rows = matrix_load(&s->table);
    else
        make_rows(s);
    load_h(s);
    read_words(s);
    measure(s);
    s->seconds = seconds_now() - began;
    if (s->options->given[OPTION_JSON] != NULL)
        structure_json(s);
    else
        structure_print(s);
    struct matrix_file *const files[] = {&s->words, &s->table, &s->h_file, &s->query, &s->key};
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++)
        matrix_close(files[i]);
    double *const owned[] = {s->rows, s->h, s->sample, s->curve, s->angles};
    for (size_t i = 0; i < sizeof owned / sizeof owned[0]; i++)
        free(owned[i]);
    sinpos_moments_destroy(s->word_moments);
    sinpos_moments_destroy(s->position_moments);
    encoding_free(&s->encoding);
    return EXIT_DONE;
}

const struct command structure_command = {
    .name = "structure",
    .bit = COMMAND_STRUCTURE,
    .summary = "measure H, covariances, spans and attention of words and positions",
    .usage = "[--words FILE] [--H FILE | --wq FILE --wk FILE] [--table FILE] [options]",
    .description =
        "Measures what is assumed when positions are added to words: how much of p_m' H p_n depends on\n"
        "m - n, on m + n, or on neither; how diagonal the covariances are; norms; how many dimensions\n"
        "words and positions fill and how far their spans overlap; how well each is recovered from the sum;\n"
        "what each of the four terms of (x_m + p_m)' H (x_n + p_n) weighs; how orthogonal the columns are.\n"
        "\n"
        "Matrices are .npy, .safetensors or .gguf of any floating-point type; FILE.gguf:NAME names a tensor.\n"
        "A matrix of words may be larger than memory. Without --words there are 8192 seeded random tokens;\n"
        "without --table the rows are the definition's; without --H or --wq and --wk, H is the identity.\n"
        "W_q and W_k are (head, dim), as a linear layer stores them, and H = W_q' W_k.",
    .examples = "  sinpos structure --dim 768\n"
                "  sinpos structure --words model.safetensors:bert.embeddings.word_embeddings.weight\n"
                "  sinpos structure --words words.npy --table learned.npy --wq query.npy --wk key.npy --json\n",
    .run = command_run,
    .meanings = {[OPTION_TABLE] = "measure the rows of this array, not the exact ones",
                 [OPTION_LENGTH] = "number of positions (1024, or that of the table)",
                 [OPTION_TYPE] = "round the exact rows to f32, f64, f16 or bf16 first (f64)"},
};
