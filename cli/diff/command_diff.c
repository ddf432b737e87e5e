/* command_diff.c - sinpos diff: are two arrays the same encoding, and if not, why. */
#include "commands.h"
#include "diff_report.h"
#include "identified.h"

#include <stdio.h>
#include <string.h>

/* Is that all there is: the layout, or the order of sine and cosine? */
static bool is_conversion(const sinpos_difference *found)
{
    bool is_all = found->n_causes > 0 && found->wrong == 0;
    for (size_t k = 0; k < found->n_causes; k++)
        is_all = is_all && (found->causes[k].kind == SINPOS_DIFF_LAYOUT || found->causes[k].kind == SINPOS_DIFF_ORDER);
    return is_all;
}

static void make_conversion(struct text_buffer *out, const struct diff_report *report)
{
    const sinpos_identity *a = report->found->a;
    bool is_halves = a != NULL && a->nest == SINPOS_NEST_ACF, is_cos_first = a != NULL && a->cos_first;
    bool to_halves, to_cos_first;
    for (size_t k = 0; k < report->found->n_causes; k++) {
        const sinpos_diff_cause *cause = &report->found->causes[k];
        if (cause->kind == SINPOS_DIFF_LAYOUT)
            is_halves = strcmp(cause->a_word, "halves") == 0;
        else
            is_cos_first = strcmp(cause->a_word, "cos-sin") == 0;
    }
    to_halves = is_halves;
    to_cos_first = is_cos_first;
    for (size_t k = 0; k < report->found->n_causes; k++)
        if (report->found->causes[k].kind == SINPOS_DIFF_LAYOUT)
            to_halves = !is_halves;
        else
            to_cos_first = !is_cos_first;
    buffer_text(out, "sinpos convert ");
    buffer_shell_word(out, report->a->name);
    buffer_format(out, " --from %s%s --to %s%s -o B.npy", is_halves ? "halves" : "interleaved",
                  is_cos_first ? ",cos-sin" : "", to_halves ? "halves" : "interleaved", to_cos_first ? ",cos-sin" : "");
}

/* " --arithmetic NAME" where a recipe makes every element. */
static bool remakes_all(const sinpos_identity *identity, struct identified *found)
{
    if (identity->columns != NULL || identity->first_row > 0 || identity->n_others > 0 ||
        identity->column_offset != NULL || identity->dropped > 0)
        return false; /* it makes a part, or lacks what was added */
    if (identity->total.wrong == 0)
        return true;
    if (identity->noise > 0 || identity->n_altered > 0 || identity->arithmetic_share < 1 || found->command.n == 0 ||
        sinpos_arithmetic_find(identity->arithmetic) == NULL)
        return false;
    buffer_format(&found->command, " --arithmetic %s", identity->arithmetic);
    return true;
}

/* The command of B's definition, or the one that turns A into B. */
static void make_command(struct diff_report *report, sinpos_identity **own)
{
    const sinpos_difference *found = report->found;
    const struct diff_input *b = report->b;
    struct identified identified = {.path = b->name, .identity = found->b};
    if (is_conversion(found) && report->a->is_file) {
        make_conversion(&report->command, report);
        return;
    }
    if (identified.identity == NULL) {
        const sinpos_status status = sinpos_identify(own, &b->table, b->threads);
        if (status != SINPOS_OK)
            fail_status(status);
        identified.identity = *own;
    }
    if (!identified.identity->is_sinusoidal)
        return;
    identify_make_command(&identified);
    if (remakes_all(identified.identity, &identified))
        buffer_text(&report->command, identified.command.n > 0 ? identified.command.bytes : "");
    buffer_free(&identified.command);
    buffer_free(&identified.as_published);
}

static sinpos_status compare(sinpos_difference **found, const struct options *options, struct diff_input input[2])
{
    if (options->given[OPTION_ROTATED] == NULL)
        return sinpos_diff(found, &input[0].table, &input[1].table, options->threads);
    struct diff_input unrotated = {0};
    const char *path = options->given[OPTION_INPUT];
    const bool has_heads = options->given[OPTION_HEADS] != NULL;
    const size_t n = has_heads && input[0].n_dims > 2 ? input[0].shape[input[0].n_dims - 3] : input[0].input.n;
    const size_t n_heads = has_heads ? options->heads : 1;
    if (path != NULL)
        diff_input_open_file(&unrotated, path, options, options->given[OPTION_TENSOR]);
    const sinpos_status status = sinpos_diff_rotated(
        found, &input[0].table, &input[1].table, path == NULL ? NULL : &unrotated.table, n, n_heads, options->threads);
    if (path != NULL)
        diff_input_close(&unrotated);
    return status;
}

static int command_run(const struct request *request)
{
    const struct options *options = request->options;
    struct diff_input input[2];
    sinpos_difference *found = NULL;
    sinpos_identity *identity = NULL;
    if (options->given[OPTION_ROTATED] == NULL)
        refuse_options(options, (const enum option_id[]){OPTION_INPUT, OPTION_HEADS}, 2, "add --rotated",
                       "is of rotated queries or keys");
    diff_input_open(input, options);
    const sinpos_status status = compare(&found, options, input);
    if (status == SINPOS_E_SHAPE)
        fail(EXIT_FILE, "rotated arrays have one shape, (..., n, d) with an even d", input[1].name,
             "has another shape than %s", input[0].name);
    if (status != SINPOS_OK)
        fail_status(status);
    struct diff_report report = {.a = &input[0], .b = &input[1], .found = found};
    const bool is_json = options->given[OPTION_JSON] != NULL;
    if (options->given[OPTION_ROTATED] == NULL && (is_json || found->b != NULL) && !(found->same && !is_json))
        make_command(&report, &identity);
    if (report.command.is_broken)
        fail_memory();
    if (is_json)
        diff_print_json(&report);
    else
        diff_print(&report);
    finish_output();
    const int code = found->same ? EXIT_DONE : EXIT_CHECK;
    buffer_free(&report.command);
    sinpos_identity_destroy(identity);
    sinpos_difference_destroy(found);
    for (size_t k = 0; k < 2; k++)
        diff_input_close(&input[k]);
    return code;
}

const struct command diff_command = {
    .name = "diff",
    .bit = COMMAND_DIFF,
    .summary = "say why two arrays are not the same encoding",
    .usage = "A B [options]",
    .description = "A and B are arrays, or one of them is the name of a convention, which then has the shape of the\n"
                   "other: NAME or NAME:KEY=VALUE,... . Prints each cause of a difference in one sentence: layout,\n"
                   "order, base, divisor, start, step, scale, signs, angles or positions of low precision, type, a\n"
                   "permutation of columns, and so on; then how many elements these do not explain. With --rotated\n"
                   "A and B are queries or keys after rotation. Exit 1 if any element differs, explained or not.",
    .examples = "  sinpos diff mine.npy theirs.npy\n"
                "  sinpos diff whisper_sinusoids model.safetensors --tensor encoder.embed_positions.weight\n"
                "  sinpos diff q_mine.npy q_theirs.npy --rotated --input q.npy\n",
    .n_operands_least = 2,
    .n_operands_most = 2,
    .run = command_run,
    .meanings = {[OPTION_TENSOR] = "name of the tensor, where a file has several",
                 [OPTION_HEADS] = "with --rotated: heads of a row: A is (..., n, H, D) (one, or each a block)"},
};
