/* command_structure.c - sinpos structure: H, covariances, spans and attention of words and positions. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

static int complain_dims(const struct matrix_file *file, const char *by, size_t dim)
{
    char hint[300];
    snprintf(hint, sizeof hint, "all matrices must have the same columns; %.200s says how many", by);
    return complain(EXIT_USAGE, hint, file->path, "has %zu columns, where %zu are needed", file->dim, dim);
}

/* The dim of the first of the matrices given, 0 where there is none; all must agree. */
static int settle_dim(struct structure *s, size_t *dim)
{
    struct matrix_file *const files[] = {&s->words, &s->table, &s->h_file, &s->query, &s->key};
    const char *by = "--dim";
    *dim = s->options->given[OPTION_DIM] != NULL ? s->options->spec.dim : 0;
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        if (files[i]->reader == NULL)
            continue;
        if (*dim == 0) {
            *dim = files[i]->dim;
            by = files[i]->path;
        } else if (files[i]->dim != *dim) {
            return complain_dims(files[i], by, *dim);
        }
    }
    return EXIT_DONE;
}

static int check_h(const struct structure *s)
{
    const struct options *options = s->options;
    if (s->h_file.reader != NULL && s->h_file.n != s->h_file.dim) {
        return complain(EXIT_FILE, "H is (dim, dim); give W_q and W_k as --wq and --wk", s->h_file.path,
                        "is %zu x %zu, not square", s->h_file.n, s->h_file.dim);
    }
    if (s->h_file.reader != NULL && (s->query.reader != NULL || s->key.reader != NULL))
        return complain_option(options, OPTION_H, "leave one out", "cannot be combined with --wq and --wk");
    if ((s->query.reader == NULL) != (s->key.reader == NULL)) {
        return complain_option(options, s->query.reader == NULL ? OPTION_WK : OPTION_WQ,
                               "H = W_q' W_k needs both --wq FILE and --wk FILE",
                               s->query.reader == NULL ? "needs --wq" : "needs --wk");
    }
    if (s->query.reader != NULL && s->query.n != s->key.n) {
        return complain(EXIT_FILE, "both are (head, dim); with shared keys, give the rows of one query head",
                        s->key.path, "has %zu rows, and W_q has %zu", s->key.n, s->query.n);
    }
    return EXIT_DONE;
}

static int open_files(struct structure *s)
{
    const struct options *options = s->options;
    int code = matrix_open(&s->words, options, OPTION_WORDS);
    code = code != EXIT_DONE ? code : matrix_open(&s->table, options, OPTION_TABLE);
    code = code != EXIT_DONE ? code : matrix_open(&s->h_file, options, OPTION_H);
    code = code != EXIT_DONE ? code : matrix_open(&s->query, options, OPTION_WQ);
    code = code != EXIT_DONE ? code : matrix_open(&s->key, options, OPTION_WK);
    return code != EXIT_DONE ? code : check_h(s);
}

static int check_sizes(const struct structure *s)
{
    char what[80];
    if (s->dim > MOST_DIM) {
        snprintf(what, sizeof what, "%zu columns", s->dim);
        return complain(EXIT_USAGE, "measure some of the columns", what,
                        "are more than the %zu that are measured: time grows with the cube of their number", MOST_DIM);
    }
    if (s->n_positions > MOST_NUMBERS / s->dim) {
        snprintf(what, sizeof what, "%zu positions of %zu columns", s->n_positions, s->dim);
        return complain(EXIT_USAGE, "choose a smaller --length, or fewer rows", what,
                        "are more than the %zu that are held", MOST_NUMBERS / s->dim);
    }
    if (s->n_positions < 2)
        return complain(EXIT_USAGE, "give at least two positions", "positions", "there is only one");
    return EXIT_DONE;
}

/* Everything that can be refused before any matrix is read. */
static int prepare(struct structure *s, const struct request *request)
{
    const struct options *options = s->options;
    size_t dim;
    int code = open_files(s);
    code = code != EXIT_DONE ? code : settle_dim(s, &dim);
    if (code != EXIT_DONE)
        return code;
    s->n_positions = s->table.reader != NULL                 ? s->table.n
                     : options->given[OPTION_LENGTH] == NULL ? 1024
                                                             : options->length;
    if (s->table.reader != NULL && options->given[OPTION_LENGTH] != NULL && options->length != s->table.n) {
        return complain_option(options, OPTION_LENGTH, "leave --length out: the table gives it",
                               "differs from the rows of the table");
    }
    const bool is_told = options->given[OPTION_DIM] == NULL && dim > 0;
    const struct known known = {
        .dim = is_told ? dim : 0, .n_rows = is_told ? s->n_positions : 0, .n_default = s->n_positions};
    code = encoding_make_sines(&s->encoding, request, &known, 0);
    s->dim = s->encoding.dim;
    if (code == EXIT_DONE && s->table.reader == NULL) {
        s->n_positions = s->encoding.positions.n;
    } else if (code == EXIT_DONE && s->encoding.positions.n != s->n_positions) {
        code = complain(EXIT_USAGE, "--set and --parameters say how many it has", encoding_name(&s->encoding),
                        "makes %zu rows, and the table has %zu", s->encoding.positions.n, s->n_positions);
    }
    if (code == EXIT_DONE && dim != 0 && dim != s->dim) { /* --theta gave another one */
        code = complain(EXIT_USAGE, "there must be a frequency for every two columns", "--theta",
                        "makes %zu columns, where %zu are needed", s->dim, dim);
    }
    code = code != EXIT_DONE ? code : check_sizes(s);
    return code != EXIT_DONE ? code : encoding_plan(&s->encoding);
}

/* ----------------------------------------------------------------------------------------------- reading them */

static double *numbers(size_t n, size_t dim)
{
    return memory_take(n, dim * sizeof(double));
}

static int make_rows(struct structure *s)
{
    const struct options *options = s->options;
    const sinpos_type type = options->given[OPTION_TYPE] == NULL ? SINPOS_F64 : options->type;
    s->rows = numbers(s->n_positions, s->dim);
    void *raw = memory_take(s->n_positions, s->dim * sinpos_type_bytes(type));
    positions_prepare(&s->encoding.positions, s->n_positions);
    const sinpos_rows rows = positions_rows(&s->encoding.positions, 0, s->n_positions);
    sinpos_status status = sinpos_run(s->encoding.plan, SINPOS_FILL, &rows, type, raw, s->dim, options->threads);
    status = status == SINPOS_OK ? sinpos_widen(type, raw, s->n_positions * s->dim, s->rows) : status;
    free(raw);
    return status == SINPOS_OK ? EXIT_DONE : complain_status(status);
}

static int load_h(struct structure *s)
{
    if (s->h_file.reader != NULL)
        return matrix_load(&s->h_file, &s->h);
    if (s->query.reader == NULL)
        return EXIT_DONE;
    double *query = NULL, *key = NULL;
    int code = matrix_load(&s->query, &query);
    code = code != EXIT_DONE ? code : matrix_load(&s->key, &key);
    s->h = numbers(s->dim, s->dim);
    s->head = s->query.n;
    sinpos_status status = SINPOS_OK;
    if (code == EXIT_DONE)
        status = sinpos_query_key(query, s->dim, key, s->dim, s->head, s->dim, s->options->threads, s->h);
    if (code == EXIT_DONE && status == SINPOS_E_MEMORY) {
        code = complain_memory();
    } else if (code == EXIT_DONE && status != SINPOS_OK) {
        code = complain(EXIT_FILE, "their numbers must be at most 2^40 in size", s->query.path,
                        "its product with %s is too large", s->key.path);
    }
    free(query);
    free(key);
    return code;
}

static int read_piece(struct structure *s, size_t first, size_t n, double *rows)
{
    if (s->words.reader != NULL)
        return matrix_read(&s->words, n, rows);
    const sinpos_status status = sinpos_random_tokens(first, n, s->dim, s->seed, rows);
    return status == SINPOS_OK ? EXIT_DONE : complain_status(status);
}

static int read_words(struct structure *s)
{
    double *rows = numbers(PIECE_ROWS, s->dim);
    s->n_words = s->words.reader == NULL ? RANDOM_WORDS : s->words.n;
    s->n_sample = s->n_words < MOST_SAMPLE ? s->n_words : MOST_SAMPLE;
    s->sample = numbers(s->n_sample, s->dim);
    struct sample sample = {.rows = s->sample, .n = s->n_sample, .dim = s->dim, .n_all = s->n_words};
    int code = sinpos_moments_create(&s->word_moments, s->dim, s->options->threads) == SINPOS_OK ? EXIT_DONE
                                                                                                 : complain_memory();
    progress_begin("words", s->n_words * s->dim * sizeof *rows);
    for (size_t first = 0; first < s->n_words && code == EXIT_DONE; first += PIECE_ROWS) {
        const size_t n = s->n_words - first < PIECE_ROWS ? s->n_words - first : PIECE_ROWS;
        code = read_piece(s, first, n, rows);
        if (code == EXIT_DONE) {
            sample_rows(&sample, rows, first, n);
            const sinpos_status status = sinpos_moments_add(s->word_moments, n, SINPOS_F64, rows, s->dim);
            code = status == SINPOS_OK ? EXIT_DONE : complain_status(status);
        }
        progress_advance(n * s->dim * sizeof *rows);
    }
    progress_clear();
    free(rows);
    return code;
}

/* ------------------------------------------------------------------------------------------------ measurements */

/* What a measurement returned: done, not defined for these matrices, not in this build, or an error. */
static int settle(struct structure *s, sinpos_status status, bool *done)
{
    *done = status == SINPOS_OK;
    if (status == SINPOS_E_UNSUPPORTED) {
        s->has_lapack = false;
        return EXIT_DONE;
    }
    return status == SINPOS_OK || status == SINPOS_E_VALUE ? EXIT_DONE : complain_status(status);
}

static int measure_split(struct structure *s)
{
    const size_t threads = s->options->threads;
    s->n_split = s->n_positions < MOST_SPLIT ? s->n_positions : MOST_SPLIT;
    s->curve = numbers(2, s->n_split);
    sinpos_status status =
        sinpos_split(s->h, s->dim, s->rows, s->n_split, s->dim, s->dim, threads, s->curve, &s->split);
    if (status != SINPOS_OK)
        return complain_status(status);
    if (s->table.reader == NULL && s->encoding.n_axes == 1) {
        status = sinpos_split_coefficients(s->encoding.plan, s->h, s->dim, &s->coefficients);
        return settle(s, status, &s->has_coefficients);
    }
    return EXIT_DONE;
}

/* Where no H was given: that of an attention layer with random weights, to compare the identity with. */
static int measure_attention_split(struct structure *s)
{
    if (s->h != NULL)
        return EXIT_DONE;
    double *h = numbers(s->dim, s->dim);
    sinpos_status status = sinpos_attention_hessian(NULL, 2, s->dim, 0, 0, 1, s->seed, h, s->dim);
    if (status == SINPOS_OK) {
        status = sinpos_split(h, s->dim, s->rows, s->n_split, s->dim, s->dim, s->options->threads, NULL,
                              &s->attention_split);
    }
    free(h);
    return settle(s, status, &s->has_attention);
}

/* The columns over 16, 64, ... positions, and in the end the moments of all. */
static int measure_grams(struct structure *s)
{
    sinpos_status status = sinpos_moments_create(&s->position_moments, s->dim, s->options->threads);
    for (size_t n = 0, next = 16; n < s->n_positions && status == SINPOS_OK; n = next, next *= 4) {
        sinpos_covariance_result *all = &s->covariance[1];
        next = next > s->n_positions / 2 || s->n_grams + 1 == MOST_GRAMS ? s->n_positions : next;
        status = sinpos_moments_add(s->position_moments, next - n, SINPOS_F64, s->rows + n * s->dim, s->dim);
        status = status == SINPOS_OK ? sinpos_covariance(s->position_moments, all) : status;
        s->grams[s->n_grams++] = (struct gram){next, all->largest_cosine, all->rms_cosine};
    }
    return status == SINPOS_OK ? EXIT_DONE : complain_status(status);
}

static int measure_moments(struct structure *s)
{
    sinpos_status status = sinpos_covariance(s->word_moments, &s->covariance[0]);
    if (status == SINPOS_OK)
        status = sinpos_attention_terms(s->word_moments, s->position_moments, s->h, s->dim, &s->attention);
    if (status != SINPOS_OK)
        return complain_status(status);
    bool done[2];
    int code = settle(s, sinpos_rank(s->word_moments, 0, NULL, &s->rank[0]), &done[0]);
    if (code == EXIT_DONE && s->has_lapack)
        code = settle(s, sinpos_rank(s->position_moments, 0, NULL, &s->rank[1]), &done[1]);
    s->angles = numbers(1, s->dim);
    if (code == EXIT_DONE && s->has_lapack) {
        status = sinpos_overlap(s->word_moments, s->position_moments, SHARE, s->angles, &s->overlap);
        code = settle(s, status, &s->has_overlap);
    }
    return code;
}

static int measure_recovery(struct structure *s)
{
    double *map = numbers(s->dim, s->dim), *means = numbers(2, s->dim);
    int code = settle(s, sinpos_recovery(s->word_moments, s->position_moments, map, &s->recovery), &s->has_recovery);
    if (code == EXIT_DONE && s->has_recovery) {
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
        code = settle(s, status, &s->has_nearest);
    }
    free(map);
    free(means);
    return code;
}

/* Words and positions given as rows; the first dim of their columns. */
static int measure_cosines(struct structure *s, const char *what, size_t dim, const double *words, size_t n_words,
                           size_t ld_words, const double *positions, size_t n_positions, size_t ld)
{
    const size_t threads = s->options->threads;
    struct cosines *c = &s->cosines[s->n_cosines];
    *c = (struct cosines){.what = what, .dim = dim};
    const sinpos_cosines_result none = {NAN, NAN, NAN, NAN, 0};
    c->words = c->words_positions = c->positions = none;
    const sinpos_status status[3] = {
        sinpos_pair_cosines(words, n_words, ld_words, NULL, 0, 0, dim, threads, &c->words),
        sinpos_pair_cosines(words, n_words, ld_words, positions, n_positions, ld, dim, threads, &c->words_positions),
        sinpos_pair_cosines(positions, n_positions, ld, NULL, 0, 0, dim, threads, &c->positions)};
    for (size_t i = 0; i < 3; i++) {
        bool done;
        const int code = settle(s, status[i], &done);
        if (code != EXIT_DONE)
            return code;
    }
    s->n_cosines++;
    return EXIT_DONE;
}

/* Random words, and the positions of the same definition with another dim. */
static int measure_random_cosines(struct structure *s, size_t dim)
{
    const size_t n = s->n_positions < MOST_SAMPLE ? s->n_positions : MOST_SAMPLE;
    struct encoding other = s->encoding;
    double *words = numbers(MOST_SAMPLE, dim), *rows = numbers(n, dim);
    other.spec.dim = dim;
    other.own_plan = NULL;
    sinpos_status status = sinpos_plan_create(&other.own_plan, &other.spec);
    if (status == SINPOS_OK) {
        const sinpos_rows some = positions_rows(&s->encoding.positions, 0, n);
        status = sinpos_run(other.own_plan, SINPOS_FILL, &some, SINPOS_F64, rows, dim, s->options->threads);
    }
    status = status == SINPOS_OK ? sinpos_random_tokens(0, MOST_SAMPLE, dim, s->seed, words) : status;
    const int code = status != SINPOS_OK
                         ? complain_status(status)
                         : measure_cosines(s, "random tokens", dim, words, MOST_SAMPLE, dim, rows, n, dim);
    sinpos_plan_destroy(other.own_plan);
    free(words);
    free(rows);
    return code;
}

static int measure_all_cosines(struct structure *s)
{
    const size_t n = s->n_positions < MOST_SAMPLE ? s->n_positions : MOST_SAMPLE;
    const bool is_scalable = s->table.reader == NULL && s->encoding.spec.theta == NULL && s->encoding.named == NULL &&
                             s->encoding.spec.divisor == 0 && s->encoding.spec.factor == NULL &&
                             s->encoding.n_axes == 1;
    int code = EXIT_DONE;
    if (s->words.reader != NULL || !is_scalable || (s->dim != 384 && s->dim != 768)) {
        const char *what = s->words.reader != NULL ? "words" : "random tokens";
        code = measure_cosines(s, what, s->dim, s->sample, s->n_sample, s->dim, s->rows, n, s->dim);
        if (code == EXIT_DONE && s->words.reader != NULL && s->dim > 1) {
            code = measure_cosines(s, "words, first half of the columns", s->dim / 2, s->sample, s->n_sample, s->dim,
                                   s->rows, n, s->dim);
        }
    }
    if (is_scalable) {
        code = code != EXIT_DONE ? code : measure_random_cosines(s, 384);
        code = code != EXIT_DONE ? code : measure_random_cosines(s, 768);
    }
    return code;
}

static int measure(struct structure *s)
{
    s->has_lapack = true;
    int code = measure_split(s);
    code = code != EXIT_DONE ? code : measure_attention_split(s);
    code = code != EXIT_DONE ? code : measure_grams(s);
    code = code != EXIT_DONE ? code : measure_moments(s);
    code = code != EXIT_DONE ? code : s->has_lapack ? measure_recovery(s) : EXIT_DONE;
    return code != EXIT_DONE ? code : measure_all_cosines(s);
}

/* ----------------------------------------------------------------------------------------------------- command */

static int run(struct structure *s, const struct request *request)
{
    const double began = seconds_now();
    int code = prepare(s, request);
    code = code != EXIT_DONE ? code : s->table.reader != NULL ? matrix_load(&s->table, &s->rows) : make_rows(s);
    code = code != EXIT_DONE ? code : load_h(s);
    code = code != EXIT_DONE ? code : read_words(s);
    code = code != EXIT_DONE ? code : measure(s);
    if (code != EXIT_DONE)
        return code;
    s->seconds = seconds_now() - began;
    if (s->options->given[OPTION_JSON] != NULL)
        structure_json(s);
    else
        structure_print(s);
    return finish_output();
}

static int command_run(const struct request *request)
{
    struct structure *s = memory_take(1, sizeof *s);
    s->options = request->options;
    s->seed = request->options->seed;
    const int code = run(s, request);
    struct matrix_file *const files[] = {&s->words, &s->table, &s->h_file, &s->query, &s->key};
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++)
        matrix_close(files[i]);
    double *const owned[] = {s->rows, s->h, s->sample, s->curve, s->angles};
    for (size_t i = 0; i < sizeof owned / sizeof owned[0]; i++)
        free(owned[i]);
    sinpos_moments_destroy(s->word_moments);
    sinpos_moments_destroy(s->position_moments);
    encoding_free(&s->encoding);
    free(s);
    return code;
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
