/* check_input.c - claims, thresholds, rows and words that sinpos check was given. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "array_pieces.h"
#include "check.h"
#include "matrix_file.h"
#include "no_memory.h"

/* ------------------------------------------------------------------------------------------------ which claims */

static size_t count_claims(void)
{
    size_t n = 0;
    while (sinpos_claim_at(n) != NULL)
        n++;
    return n;
}

static const char *claim_id_at(size_t i)
{
    return sinpos_claim_at(i)->id;
}

static noreturn void fail_claim(const char *name)
{
    char hint[200];
    const char *near = nearest_name(name, claim_id_at, count_claims());
    if (near != NULL)
        snprintf(hint, sizeof hint, "did you mean %s? 'sinpos check --help' lists the claims", near);
    else
        snprintf(hint, sizeof hint, "'sinpos check --help' lists the claims");
    fail(EXIT_USAGE, hint, name, "no such claim");
}

static size_t find_claim(const char *id, size_t n_all)
{
    size_t found = 0;
    while (found < n_all && strcmp(claim_id_at(found), id) != 0)
        found++;
    return found;
}

static bool is_chosen(const struct check *check, size_t claim)
{
    for (size_t i = 0; i < check->n_which; i++)
        if (check->which[i] == claim)
            return true;
    return false;
}

/* Those that are named, each once; all where none is. */
static void choose_claims(struct check *check)
{
    const struct options *options = check->options;
    const size_t n_all = count_claims(), room = options->n_operands > 0 ? options->n_operands : n_all;
    check->which = memory_take(room, sizeof *check->which);
    check->results = memory_take(room, sizeof *check->results);
    for (size_t i = 0; i < room; i++) {
        const size_t found = options->n_operands > 0 ? find_claim(options->operands[i], n_all) : i;
        if (found == n_all)
            fail_claim(options->operands[i]);
        if (!is_chosen(check, found))
            check->which[check->n_which++] = found;
    }
}

/* --------------------------------------------------------------------------------------------------- the rows */

static void check_start(const struct options *options)
{
    if (!options->start.is_integer) {
        fail_option(options, OPTION_START, "--phase moves all angles by a constant",
                    "must be a whole number: claims are about whole positions");
    }
}

static void read_table(struct check *check)
{
    struct input_array *input = &check->input;
    sinpos_file_error error = SINPOS_FILE_ERROR_INIT;
    if (input->n_blocks != 1 || input->n == 0) {
        fail(EXIT_FILE, "give one table, (n, dim)", input->path,
             input->n == 0 || input->n_blocks == 0 ? "holds no elements" : "holds %zu tables", input->n_blocks);
    }
    check->type = input->type;
    check->n = input->n;
    check->data = pieces_allocate(input->n * input->row_bytes);
    if (sinpos_reader_read(input->reader, check->data, input->n * input->dim, &error) != SINPOS_FILE_OK)
        fail_read(input->path, &error);
}

static void prepare_table(struct check *check)
{
    struct input_array *input = &check->input;
    input_open(input, check->table, check->options, check->request->convention != NULL);
    input_check_length(input, check->options);
    input_sines(input, check->request, 0, &check->encoding);
    encoding_range(&check->encoding);
    read_table(check);
}

static void prepare_rows(struct check *check)
{
    const struct known known = {.n_default = check->options->length};
    check->type = check->options->type;
    encoding_make_sines(&check->encoding, check->request, &known, (unsigned)check->type);
    check->n = check->encoding.positions.n;
    encoding_plan(&check->encoding);
    encoding_range(&check->encoding);
}

/* ------------------------------------------------------------------------------------------------- thresholds */

static noreturn void fail_threshold(const char *claim)
{
    char hint[400] = "these have a chosen one:";
    for (size_t i = 0; i < count_claims(); i++) {
        if (!isnan(sinpos_claim_at(i)->threshold)) {
            const size_t n = strlen(hint);
            snprintf(hint + n, sizeof hint - n, " %s", claim_id_at(i));
        }
    }
    fail(EXIT_USAGE, hint, claim, "its threshold is not a choice: it follows from rounding, or from the claim");
}

/* CLAIM=X */
static void take_threshold(struct check *check, const char *all, const char *text, size_t length)
{
    char word[200], what[220];
    snprintf(word, sizeof word, "%.*s", (int)(length < sizeof word ? length : sizeof word - 1), text);
    snprintf(what, sizeof what, "--threshold %.190s", all);
    char *equals = strchr(word, '=');
    double number;
    if (equals == NULL || equals == word)
        fail(EXIT_USAGE, "write it as in --threshold decay=0.3", what, "must be CLAIM=NUMBER");
    *equals = '\0';
    const size_t claim = find_claim(word, check->n_claims);
    if (claim == check->n_claims)
        fail_claim(word);
    if (isnan(sinpos_claim_at(claim)->threshold))
        fail_threshold(word);
    const char *why = parse_real(equals + 1, &number);
    if (why != NULL || number < 0)
        fail(EXIT_USAGE, "write it as in --threshold decay=0.3", what, "%s", why != NULL ? why : "must be 0 or more");
    check->thresholds[claim] = number;
}

static void take_thresholds(struct check *check)
{
    const struct options *options = check->options;
    check->n_claims = count_claims();
    check->thresholds = memory_take(check->n_claims, sizeof *check->thresholds);
    for (size_t i = 0; i < check->n_claims; i++)
        check->thresholds[i] = NAN;
    for (size_t i = 0; i < options->n_thresholds; i++) {
        for (const char *p = options->thresholds[i];; p++) {
            const size_t length = strcspn(p, ",");
            take_threshold(check, options->thresholds[i], p, length);
            p += length;
            if (*p == '\0')
                break;
        }
    }
}

/* ------------------------------------------------------------------------------------------------------- words */

#define WORDS_ELEMENTS ((size_t)1 << 26) /* that are held: 512 MB */
#define WORDS_PIECE ((size_t)1024)

/* All rows, or so many evenly spaced ones that they fit. */
static void read_words(struct check *check, struct matrix_file *file)
{
    const size_t most = WORDS_ELEMENTS / file->dim, dim = file->dim;
    const size_t n = file->n < most ? file->n : most;
    OWNED double *piece = memory_take(WORDS_PIECE, dim * sizeof *piece);
    check->words = memory_take(n, dim * sizeof *check->words);
    struct sample sample = {.rows = check->words, .n = n, .dim = dim, .n_all = file->n};
    for (size_t first = 0; first < file->n; first += WORDS_PIECE) {
        const size_t some = file->n - first < WORDS_PIECE ? file->n - first : WORDS_PIECE;
        matrix_read(file, some, piece);
        sample_rows(&sample, piece, first, some);
    }
    check->n_words = sample.n_taken;
}

static bool uses_words(const struct check *check)
{
    for (size_t i = 0; i < check->n_which; i++)
        if (sinpos_claim_at(check->which[i])->takes_words)
            return true;
    return false;
}

static void take_words(struct check *check)
{
    const struct options *options = check->options;
    struct matrix_file file;
    if (options->given[OPTION_WORDS] == NULL)
        return;
    if (!uses_words(check)) {
        fail_option(options, OPTION_WORDS, "leave it out, or name one of these claims",
                    "is for covariance, additive and attention");
    }
    matrix_open(&file, options, OPTION_WORDS);
    if (file.dim != check->encoding.dim) {
        fail(EXIT_USAGE, "words and positions are added: they must have the same columns", file.path,
             "has %zu columns, and the encoding has %zu", file.dim, check->encoding.dim);
    }
    if (file.n < 2)
        fail(EXIT_FILE, "give a table of embeddings, (words, columns)", file.path, "has only one row");
    read_words(check, &file);
    snprintf(check->words_path, sizeof check->words_path, "%s", file.path);
    check->n_words_held = file.n;
    matrix_close(&file);
}

void check_prepare(struct check *check)
{
    choose_claims(check);
    check_start(check->options);
    take_thresholds(check);
    if (check->table == NULL)
        prepare_rows(check);
    else
        prepare_table(check);
    take_words(check);
}

void check_free(struct check *check)
{
    input_close(&check->input);
    encoding_free(&check->encoding);
    free(check->data);
    free(check->thresholds);
    free(check->words);
    free(check->which);
    free(check->results);
}
