/* command_check.c - sinpos check: what the literature claims of these encodings, decided by the rows. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "check.h"
#include "commands.h"
#include "json_out.h"
#include "owned.h"

#define LINE_WIDTH 100

static void decide(struct check *check)
{
    const sinpos_check_input input = {.plan = check->encoding.plan,
                                      .first = positions_first(&check->encoding.positions),
                                      .n = check->n,
                                      .type = check->type,
                                      .table = check->data,
                                      .ld_table = check->encoding.dim,
                                      .seed = check->options->seed,
                                      .thresholds = check->thresholds,
                                      .n_thresholds = check->n_claims,
                                      .words = check->words,
                                      .n_words = check->n_words,
                                      .ld_words = check->encoding.dim,
                                      .n_threads = check->options->threads};
    expect_ok(sinpos_check(&input, check->which, check->n_which, check->results, &check->rows, NULL, NULL));
}

static bool has_failed(const sinpos_claim_result *result)
{
    return result->claim->must_hold && result->verdict == SINPOS_DOES_NOT_HOLD;
}

static size_t count_failed(const struct check *check)
{
    size_t n = 0;
    for (size_t i = 0; i < check->n_which; i++)
        n += has_failed(&check->results[i]);
    return n;
}

/* ------------------------------------------------------------------------------------------------- for people */

static const char *number_text(char text[32], double number, int digits)
{
    if (isnan(number))
        snprintf(text, 32, "-");
    else if (number == rint(number) && fabs(number) < 1e7)
        snprintf(text, 32, "%.0f", number);
    else
        snprintf(text, 32, "%.*g", digits, number);
    return text;
}

static void print_head(struct check *check)
{
    char span[POSITIONS_SPAN_BYTES];
    const sinpos_check_rows *rows = &check->rows;
    printf("%s: %zu x %zu %s, %s\n", check->table == NULL ? "the rows as defined" : SHOWN(check->input.path), check->n,
           check->encoding.dim, sinpos_element_name((sinpos_element)check->type),
           positions_span(&check->encoding.positions, span));
    if (rows->n_rows < check->n)
        printf("looked at %zu rows: %zu runs of %zu, %zu apart\n", rows->n_rows, rows->n_runs, rows->run, rows->stride);
    if (check->words != NULL)
        printf("words: %zu of the %zu rows of %s\n", check->n_words, check->n_words_held, SHOWN(check->words_path));
}

/* " (512 of 4096 rows, 256 of 768 columns)" where the claim was decided by fewer than the head says, and by some. */
static const char *looked_at_text(char text[120], const struct check *check, const sinpos_claim_result *result)
{
    const bool has_looked = result->n_rows != 0;
    const bool fewer_rows = has_looked && result->n_rows < check->rows.n_rows;
    const bool fewer_columns = has_looked && result->n_columns < check->encoding.dim;
    char rows[60] = "", columns[60] = "";
    if (fewer_rows)
        snprintf(rows, sizeof rows, "%zu of %zu rows", result->n_rows, check->n);
    if (fewer_columns)
        snprintf(columns, sizeof columns, "%zu of %zu columns", result->n_columns, check->encoding.dim);
    snprintf(text, 120, fewer_rows || fewer_columns ? " (%s%s%s)" : "%s%s%s", rows,
             fewer_rows && fewer_columns ? ", " : "", columns);
    return text;
}

static void print_claims(const struct check *check)
{
    char value[32], threshold[32], looked_at[120];
    bool has_chosen = false;
    printf("\n%-16s %-14s %10s %10s  %s\n", "claim", "verdict", "measured", "threshold", "why");
    for (size_t i = 0; i < check->n_which; i++) {
        const sinpos_claim_result *result = &check->results[i];
        const bool is_chosen = result->origin == SINPOS_THRESHOLD_CHOSEN && !isnan(result->threshold);
        printf("%-16s %-14s %10s %10s%c %s%s\n", result->claim->id, sinpos_verdict_name(result->verdict),
               number_text(value, result->value, 3), number_text(threshold, result->threshold, 3),
               is_chosen ? '*' : ' ', result->why, looked_at_text(looked_at, check, result));
        has_chosen = has_chosen || is_chosen;
    }
    if (has_chosen)
        puts("* chosen by sinpos: another choice may change the verdict, as in --threshold decay=0.3");
}

/* Breaks a paragraph at blanks. */
static void print_wrapped(const char *text, int indent)
{
    const size_t width = LINE_WIDTH - (size_t)indent;
    while (*text != '\0') {
        size_t length = strlen(text);
        if (length > width) {
            length = width;
            while (length > 0 && text[length] != ' ')
                length--;
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
        for (size_t j = 0; j < result->n_details; j++)
            printf("    %-38s %s\n", result->details[j].name, number_text(number, result->details[j].value, 6));
        print_wrapped(result->claim->explain, 2);
    }
}

static void print_close(const struct check *check)
{
    const size_t failed = count_failed(check);
    size_t must = 0;
    for (size_t i = 0; i < check->n_which; i++)
        must += (size_t)check->results[i].claim->must_hold;
    if (must == 0) {
        puts("\nnone of these has to hold for the encoding to be sound");
        return;
    }
    if (failed == 0) {
        if (must == 1)
            puts("\nthe required claim holds");
        else
            printf("\nall %zu required claims hold\n", must);
        return;
    }
    printf("\n%zu of %zu required claims %s not hold:", failed, must, failed == 1 ? "does" : "do");
    for (size_t i = 0; i < check->n_which; i++)
        if (has_failed(&check->results[i]))
            printf(" %s", check->results[i].claim->id);
    puts(check->table == NULL ? "" : "\nthe table is not the encoding that the options state, or is damaged");
}

/* ---------------------------------------------------------------------------------------------------- as JSON */

static void json_claim(const struct check *check, const sinpos_claim_result *result)
{
    EMIT_OBJECT(NULL);
    emit_text("id", result->claim->id);
    emit_real("value", result->value);
    emit_real("threshold", result->threshold);
    emit_text("threshold_origin", sinpos_threshold_origin_name(result->origin));
    emit_text("verdict", sinpos_verdict_name(result->verdict));
    emit_text("why", result->why);
    emit_bool("must_hold", result->claim->must_hold);
    emit_text("statement", result->claim->statement);
    emit_text("measure", result->claim->measure);
    emit_object("looked_at");
    emit_unsigned("rows", result->n_rows);
    emit_unsigned("columns", result->n_columns);
    emit_close();
    emit_object("details");
    for (size_t i = 0; i < result->n_details; i++)
        emit_real(result->details[i].name, result->details[i].value);
    emit_close();
    if (check->options->given[OPTION_EXPLAIN] != NULL)
        emit_text("explain", result->claim->explain);
}

static void json_report(const struct check *check)
{
    EMIT_OBJECT(NULL);
    emit_text("table", check->table);
    emit_unsigned("dim", check->encoding.dim);
    emit_unsigned("length", check->n);
    emit_text("type", sinpos_element_name((sinpos_element)check->type));
    emit_object("rows");
    emit_unsigned("looked_at", check->rows.n_rows);
    emit_unsigned("runs", check->rows.n_runs);
    emit_unsigned("run_length", check->rows.run);
    emit_unsigned("run_stride", check->rows.stride);
    emit_close();
    emit_object("words");
    if (check->words == NULL) {
        emit_null("file");
        emit_unsigned("seed", check->options->seed);
    } else {
        emit_text("file", check->words_path);
        emit_unsigned("rows", check->n_words_held);
        emit_unsigned("looked_at", check->n_words);
    }
    emit_close();
    emit_unsigned("failed", count_failed(check));
    emit_array("claims");
    for (size_t i = 0; i < check->n_which; i++)
        json_claim(check, &check->results[i]);
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
    if (check->options->given[OPTION_EXPLAIN] != NULL)
        print_explanations(check);
    print_close(check);
}

static int command_run(const struct request *request)
{
    const struct options *options = request->options;
    RELEASED_BY(check_free)
    struct check check = {.options = options, .request = request, .table = options->given[OPTION_TABLE]};
    check_prepare(&check);
    decide(&check);
    report(&check);
    return count_failed(&check) == 0 ? EXIT_DONE : EXIT_CHECK;
}

const struct command check_command = {
    .name = "check",
    .bit = COMMAND_CHECK,
    .summary = "decide by numbers what is claimed of an encoding",
    .usage = "[CLAIM ...] [options]",
    .description =
        "Decides what is claimed of sinusoidal encodings by the rows of the table: a measured number, the\n"
        "threshold it is compared with, a verdict and the reason. Without CLAIM all of them:\n"
        "  definition symmetry taylor relative order-free decay schedules diagonal general-H covariance\n"
        "  periodic both injective scale-invariant linear waves heatmap distance near-far more-dims\n"
        "  additive fourier orthogonal attention trainable learned\n"
        "A threshold with * is a choice, and --threshold CLAIM=X makes another; the others follow from\n"
        "rounding or from the claim. --words takes embeddings of your own into covariance, additive, attention.\n"
        "Without --table the rows are the exact ones; with it the options say what the table claims to be.\n"
        "Exit code 1 if one of these does not hold: definition, symmetry, taylor, relative, order-free,\n"
        "diagonal, injective, both, scale-invariant, linear, fourier.",
    .examples = "  sinpos check --dim 128\n"
                "  sinpos check linear fourier --base 500000 --type bf16 --explain\n"
                "  sinpos check --table theirs.npy --layout halves --json\n",
    .n_operands_most = 1000,
    .run = command_run,
};
