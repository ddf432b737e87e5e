/* command_check.c - sinpos check: what the literature claims of these encodings, decided by the rows. */
#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "input_array.h"
#include "json_out.h"
#include "pieces.h"
#include "progress.h"
#include "sinpos_analysis.h"

#define LINE_WIDTH 100

struct check {
    const struct options *options;
    struct positions positions;
    struct encoding encoding;
    struct input_array input;
    const char *table; /* NULL: the definition's rows */
    void *data;
    sinpos_type type;
    size_t n;
    size_t *which;
    size_t n_which;
    sinpos_claim_result *results;
    sinpos_check_rows rows;
};

/* ------------------------------------------------------------------------------------------------ which claims */

static size_t count_claims(void)
{
    size_t n = 0;
    while (sinpos_claim_at(n) != NULL) {
        n++;
    }
    return n;
}

static const char *claim_id_at(size_t i)
{
    return sinpos_claim_at(i)->id;
}

static int complain_claim(const char *name)
{
    char hint[200];
    const char *near = nearest_name(name, claim_id_at, count_claims());
    if (near != NULL) {
        snprintf(hint, sizeof hint, "did you mean %s? 'sinpos check --help' lists the claims", near);
    } else {
        snprintf(hint, sizeof hint, "'sinpos check --help' lists the claims");
    }
    return complain(EXIT_USAGE, hint, name, "no such claim");
}

static size_t find_claim(const char *id, size_t n_all)
{
    size_t found = 0;
    while (found < n_all && strcmp(claim_id_at(found), id) != 0) {
        found++;
    }
    return found;
}

static bool is_chosen(const struct check *check, size_t claim)
{
    for (size_t i = 0; i < check->n_which; i++) {
        if (check->which[i] == claim) {
            return true;
        }
    }
    return false;
}

/* Those that are named, each once; all where none is. */
static int choose_claims(struct check *check)
{
    const struct options *options = check->options;
    const size_t n_all = count_claims(), room = options->n_operands > 0 ? options->n_operands : n_all;
    check->which = calloc(room, sizeof *check->which);
    check->results = calloc(room, sizeof *check->results);
    if (check->which == NULL || check->results == NULL) {
        return complain_memory();
    }
    for (size_t i = 0; i < room; i++) {
        const size_t found = options->n_operands > 0 ? find_claim(options->operands[i], n_all) : i;
        if (found == n_all) {
            return complain_claim(options->operands[i]);
        }
        if (!is_chosen(check, found)) {
            check->which[check->n_which++] = found;
        }
    }
    return EXIT_DONE;
}

/* --------------------------------------------------------------------------------------------------- the rows */

static int check_start(const struct options *options)
{
    return options->start.is_integer ? EXIT_DONE
                                     : complain_option(options, OPTION_START, "--phase moves all angles by a constant",
                                                       "must be a whole number: claims are about whole positions");
}

static int read_table(struct check *check)
{
    struct input_array *input = &check->input;
    sinpos_file_error error = SINPOS_FILE_ERROR_INIT;
    if (input->n_blocks != 1 || input->n == 0) {
        return complain(EXIT_FILE, "give one table, (n, dim)", input->path,
                        input->n == 0 || input->n_blocks == 0 ? "holds no elements" : "holds %zu tables",
                        input->n_blocks);
    }
    check->type = input->type;
    check->n = input->n;
    check->data = pieces_allocate(input->n * input->row_bytes);
    if (check->data == NULL) {
        return complain_memory();
    }
    if (sinpos_reader_read(input->reader, check->data, input->n * input->dim, &error) != SINPOS_FILE_OK) {
        return complain_read(input->path, &error);
    }
    return EXIT_DONE;
}

static int prepare_table(struct check *check)
{
    int code = input_open(&check->input, check->table, check->options);
    code = code != EXIT_DONE ? code
                             : input_encoding(&check->input, check->options, 0, &check->positions, &check->encoding);
    code = code != EXIT_DONE ? code : encoding_range(&check->encoding, &check->positions, check->options);
    return code != EXIT_DONE ? code : read_table(check);
}

static int prepare_rows(struct check *check)
{
    const struct options *options = check->options;
    check->type = options->type;
    check->n = options->length;
    int code = positions_make(&check->positions, options);
    code = code != EXIT_DONE ? code : positions_set_length(&check->positions, options, options->length);
    code = code != EXIT_DONE ? code
                             : encoding_make(&check->encoding, options, &check->positions, 0, (unsigned)options->type);
    check->n = check->positions.n;
    code = code != EXIT_DONE ? code : encoding_plan(&check->encoding);
    return code != EXIT_DONE ? code : encoding_range(&check->encoding, &check->positions, options);
}

static int decide(struct check *check)
{
    const sinpos_check_input input = {.plan = check->encoding.plan,
                                      .first = positions_first(&check->positions),
                                      .n = check->n,
                                      .type = check->type,
                                      .table = check->data,
                                      .ld_table = check->encoding.dim,
                                      .seed = 1,
                                      .n_threads = check->options->threads};
    const sinpos_status status =
        sinpos_check(&input, check->which, check->n_which, check->results, &check->rows, NULL, NULL);
    return status == SINPOS_OK ? EXIT_DONE : complain_status(status);
}

static bool has_failed(const sinpos_claim_result *result)
{
    return result->claim->must_hold && result->verdict == SINPOS_DOES_NOT_HOLD;
}

static size_t count_failed(const struct check *check)
{
    size_t n = 0;
    for (size_t i = 0; i < check->n_which; i++) {
        n += has_failed(&check->results[i]);
    }
    return n;
}

/* ------------------------------------------------------------------------------------------------- for people */

static const char *number_text(char text[32], double number, int digits)
{
    if (isnan(number)) {
        snprintf(text, 32, "-");
    } else if (number == rint(number) && fabs(number) < 1e7) {
        snprintf(text, 32, "%.0f", number);
    } else {
        snprintf(text, 32, "%.*g", digits, number);
    }
    return text;
}

static void print_head(struct check *check)
{
    char span[POSITIONS_SPAN_BYTES];
    const sinpos_check_rows *rows = &check->rows;
    printf("%s: %zu x %zu %s, %s\n", check->table == NULL ? "the rows as defined" : SHOWN(check->input.path), check->n,
           check->encoding.dim, sinpos_element_name((sinpos_element)check->type),
           positions_span(&check->positions, span));
    if (rows->n_rows < check->n) {
        printf("looked at %zu rows: %zu runs of %zu, %zu apart\n", rows->n_rows, rows->n_runs, rows->run, rows->stride);
    }
}

static void print_claims(const struct check *check)
{
    char value[32], threshold[32];
    printf("\n%-16s %-14s %10s %10s  %s\n", "claim", "verdict", "measured", "threshold", "why");
    for (size_t i = 0; i < check->n_which; i++) {
        const sinpos_claim_result *result = &check->results[i];
        printf("%-16s %-14s %10s %10s  %s\n", result->claim->id, sinpos_verdict_name(result->verdict),
               number_text(value, result->value, 3), number_text(threshold, result->threshold, 3), result->why);
    }
}

/* Breaks a paragraph at blanks. */
static void print_wrapped(const char *text, int indent)
{
    const size_t width = LINE_WIDTH - (size_t)indent;
    while (*text != '\0') {
        size_t length = strlen(text);
        if (length > width) {
            length = width;
            while (length > 0 && text[length] != ' ') {
                length--;
            }
        }
        printf("%*s%.*s\n", indent, "", (int)length, text);
        text += length;
        text += strspn(text, " ");
    }
}

static void print_explanations(const struct check *check)
{
    for (size_t i = 0; i < check->n_which; i++) {
        const sinpos_claim_result *result = &check->results[i];
        char number[32];
        printf("\n%s: %s\n", result->claim->id, result->claim->statement);
        printf("  measured: %s\n", result->claim->measure);
        for (size_t j = 0; j < result->n_details; j++) {
            printf("    %-38s %s\n", result->details[j].name, number_text(number, result->details[j].value, 6));
        }
        print_wrapped(result->claim->explain, 2);
    }
}

static void print_close(const struct check *check)
{
    const size_t failed = count_failed(check);
    size_t must = 0;
    for (size_t i = 0; i < check->n_which; i++) {
        must += (size_t)check->results[i].claim->must_hold;
    }
    if (must == 0) {
        puts("\nnone of these has to hold for the encoding to be sound");
        return;
    }
    if (failed == 0) {
        printf("\n%zu claim%s that must hold: %s\n", must, must == 1 ? "" : "s",
               must == 1 ? "it is not refuted" : "none is refuted");
        return;
    }
    printf("\n%zu of %zu claims that must hold %s not:", failed, must, failed == 1 ? "does" : "do");
    for (size_t i = 0; i < check->n_which; i++) {
        if (has_failed(&check->results[i])) {
            printf(" %s", check->results[i].claim->id);
        }
    }
    puts(check->table == NULL ? "" : "\nthe table is not the encoding that the options state, or is damaged");
}

/* ---------------------------------------------------------------------------------------------------- as JSON */

static void json_claim(const struct check *check, const sinpos_claim_result *result)
{
    emit_object(NULL);
    emit_text("id", result->claim->id);
    emit_real("value", result->value);
    emit_real("threshold", result->threshold);
    emit_text("verdict", sinpos_verdict_name(result->verdict));
    emit_text("why", result->why);
    emit_bool("must_hold", result->claim->must_hold);
    emit_text("statement", result->claim->statement);
    emit_text("measure", result->claim->measure);
    emit_object("details");
    for (size_t i = 0; i < result->n_details; i++) {
        emit_real(result->details[i].name, result->details[i].value);
    }
    emit_close();
    if (check->options->given[OPTION_EXPLAIN] != NULL) {
        emit_text("explain", result->claim->explain);
    }
    emit_close();
}

static void json_report(const struct check *check)
{
    emit_object(NULL);
    if (check->table == NULL) {
        emit_null("table");
    } else {
        emit_text("table", check->table);
    }
    emit_unsigned("dim", check->encoding.dim);
    emit_unsigned("length", check->n);
    emit_text("type", sinpos_element_name((sinpos_element)check->type));
    emit_object("rows");
    emit_unsigned("looked_at", check->rows.n_rows);
    emit_unsigned("runs", check->rows.n_runs);
    emit_unsigned("run_length", check->rows.run);
    emit_unsigned("run_stride", check->rows.stride);
    emit_close();
    emit_unsigned("failed", count_failed(check));
    emit_array("claims");
    for (size_t i = 0; i < check->n_which; i++) {
        json_claim(check, &check->results[i]);
    }
    emit_close();
    emit_close();
}

/* ---------------------------------------------------------------------------------------------------- command */

static void report(struct check *check)
{
    if (check->options->given[OPTION_JSON] != NULL) {
        json_report(check);
        return;
    }
    print_head(check);
    print_claims(check);
    if (check->options->given[OPTION_EXPLAIN] != NULL) {
        print_explanations(check);
    }
    print_close(check);
}

static int run(struct check *check)
{
    int code = choose_claims(check);
    code = code != EXIT_DONE ? code : check_start(check->options);
    code = code != EXIT_DONE ? code : check->table == NULL ? prepare_rows(check) : prepare_table(check);
    code = code != EXIT_DONE ? code : decide(check);
    if (code != EXIT_DONE) {
        return code;
    }
    report(check);
    code = finish_output();
    return code != EXIT_DONE ? code : count_failed(check) > 0 ? EXIT_CHECK : EXIT_DONE;
}

static int command_run(const struct options *options)
{
    struct check check = {.options = options, .table = options->given[OPTION_TABLE]};
    const int code = run(&check);
    input_close(&check.input);
    encoding_free(&check.encoding);
    positions_free(&check.positions);
    free(check.data);
    free(check.which);
    free(check.results);
    return code;
}

const struct command check_command = {
    .name = "check",
    .bit = COMMAND_CHECK,
    .summary = "decide by numbers what is claimed of an encoding",
    .usage = "[CLAIM ...] [options]",
    .description = "Decides what is claimed of sinusoidal encodings by the rows of the table: a measured number, the\n"
                   "threshold it is held against, a verdict and the reason. Without CLAIM all of them:\n"
                   "  definition symmetry taylor relative order-free decay schedules diagonal general-H covariance\n"
                   "  periodic both injective scale-invariant linear waves heatmap distance near-far more-dims\n"
                   "  additive fourier orthogonal attention\n"
                   "Without --table the rows are the exact ones; with it the options say what the table claims to be.\n"
                   "Exit code 1 if one of these does not hold: definition, symmetry, taylor, relative, order-free,\n"
                   "diagonal, injective, both, scale-invariant, linear, fourier.",
    .examples = "  sinpos check --dim 128\n"
                "  sinpos check linear fourier --base 500000 --type bf16 --explain\n"
                "  sinpos check --table theirs.npy --layout halves --json\n",
    .n_operands_least = 0,
    .n_operands_most = 1000,
    .run = command_run,
};
