/* command_identify.c - sinpos identify: what made an array. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "array_pieces.h"
#include "identified.h"
#include "input_array.h"
#include "json_out.h"
#include "kept.h"
#include "no_memory.h"
#include "report.h"
#include "request.h"
#include "row_source.h"

/* That sinpos_identify_frequencies() takes. */
#define MOST_FREQUENCIES 8192

static void identify(struct identified *found, const struct options *options, const sinpos_array *array,
                     struct row_source *source)
{
    const sinpos_table table = {.n_dims = array->n_dims,
                                .shape = array->shape,
                                .type = (sinpos_type)array->element,
                                .read = row_source_read,
                                .context = source};
    found->n_dims = array->n_dims;
    memcpy(found->shape, array->shape, sizeof found->shape);
    const sinpos_status status = options->given[OPTION_ALL] != NULL
                                     ? sinpos_identify_all(&found->identity, &table, options->threads)
                                     : sinpos_identify(&found->identity, &table, options->threads);
    if (status != SINPOS_OK)
        fail_status(status);
    identify_make_command(found);
}

static void found_free(struct identified *found)
{
    sinpos_identity_destroy(found->identity);
    identify_free_commands(found);
}

/* Numbers in one dimension are frequencies, if anything. */
static bool is_list(const sinpos_array *array)
{
    return array->n_dims == 1 && array->shape[0] > 0 && array->shape[0] <= MOST_FREQUENCIES;
}

/* Was there a formula? Nothing is reported without one where is_needed. */
static bool identify_list(const struct options *options, const char *path, const char *tensor,
                          struct row_source *source, const sinpos_array *array, bool is_needed)
{
    const sinpos_type type = (sinpos_type)array->element;
    const size_t n = array->shape[0];
    sinpos_frequency_list *found = NULL;
    void *list = memory_take(n, sinpos_type_bytes(type));
    (void)row_source_read(source, 0, 1, list);
    const sinpos_status status = sinpos_identify_frequencies(&found, list, n, type);
    free(list);
    if (status != SINPOS_OK)
        fail_status(status);
    const bool is_schedule = found->is_schedule;
    if (is_schedule || !is_needed)
        identify_report_list(path, tensor, found, options->given[OPTION_JSON] != NULL);
    sinpos_frequency_list_destroy(found);
    return is_schedule;
}

static int identify_array(const struct options *options, const char *path)
{
    struct identified found = {.path = path};
    struct input_array input;
    input_open(&input, found.path, options, true);
    if (input.n == 0 || input.n_blocks == 0)
        fail(EXIT_FILE, "there is nothing to identify", input.path, "holds no elements");
    if (input.array->n_dims == 1 && !is_list(input.array))
        fail(EXIT_FILE, "reshape it to (n, dim)", input.path, "has one dimension, and is too long for frequencies");
    struct row_source source =
        row_source_open(input.path, input.reader, input.n_blocks * input.n, input.dim, input.type);
    if (is_list(input.array)) {
        const bool is_schedule = identify_list(options, path, NULL, &source, input.array, false);
        free(source.copy);
        input_close(&input);
        return is_schedule ? EXIT_DONE : EXIT_CHECK;
    }
    identify(&found, options, input.array, &source);
    free(source.copy);
    input_close(&input);
    const bool is_sinusoidal = found.identity->is_sinusoidal;
    if (options->given[OPTION_JSON] != NULL)
        identify_json(&found);
    else
        identify_print(&found);
    found_free(&found);
    return is_sinusoidal ? EXIT_DONE : EXIT_CHECK;
}

/* ------------------------------------------------------------------------------------------------ models */

/* Floating-point numbers in rows of at least two. */
static bool may_be_table(const sinpos_tensor *tensor)
{
    const size_t n = tensor->array.n_dims;
    return is_float(tensor->array.element) && n >= 2 && tensor->array.shape[n - 1] >= 2 && tensor->bytes > 0;
}

static struct row_source source_of(const char *path, sinpos_model *model, size_t i)
{
    const sinpos_array *array = &sinpos_model_tensor(model, i)->array;
    const size_t dim = array->shape[array->n_dims - 1];
    return (struct row_source){
        .path = path, .model = model, .tensor = i, .row_bytes = dim * sinpos_type_bytes((sinpos_type)array->element)};
}

static struct identified identify_tensor(const struct options *options, const char *path, sinpos_model *model, size_t i)
{
    const sinpos_tensor *tensor = sinpos_model_tensor(model, i);
    struct identified found = {.path = path, .tensor = tensor->name};
    struct row_source source = source_of(path, model, i);
    identify(&found, options, &tensor->array, &source);
    return found;
}

/* A bias or a norm is no list of frequencies: only those that a formula makes are counted. */
static bool identify_tensor_list(const struct options *options, const char *path, sinpos_model *model, size_t i)
{
    const sinpos_tensor *tensor = sinpos_model_tensor(model, i);
    if (!is_float(tensor->array.element) || !is_list(&tensor->array))
        return false;
    struct row_source source = source_of(path, model, i);
    return identify_list(options, path, tensor->name, &source, &tensor->array, true);
}

/* Reports every tensor that is a table, and how many were compared. */
static int identify_model(const struct options *options, const char *path, sinpos_model *model)
{
    const bool is_json = options->given[OPTION_JSON] != NULL;
    size_t n_looked = 0, n_found = 0;
    if (is_json) {
        emit_object(NULL);
        emit_text("file", path);
        emit_array("tensors");
    }
    for (size_t i = 0; i < sinpos_model_tensors(model); i++) {
        if (identify_tensor_list(options, path, model, i)) {
            n_looked++;
            n_found++;
            if (!is_json)
                putchar('\n');
        }
        if (!may_be_table(sinpos_model_tensor(model, i)))
            continue;
        struct identified found = identify_tensor(options, path, model, i);
        n_looked++;
        if (found.identity->is_sinusoidal) {
            n_found++;
            if (is_json) {
                identify_json(&found);
            } else {
                identify_print(&found);
                putchar('\n');
            }
        }
        found_free(&found);
    }
    if (is_json) {
        emit_close();
        emit_bool("sinusoidal", n_found > 0);
        emit_unsigned("looked_at", n_looked);
        emit_close();
    } else {
        printf("%s: %zu of %zu tensors looked at are sinusoidal encodings\n", SHOWN(path), n_found, n_looked);
    }
    return n_found > 0 ? EXIT_DONE : EXIT_CHECK;
}

static int identify_file(const struct options *options, const char *path)
{
    sinpos_model *model = NULL;
    sinpos_file_error error = SINPOS_FILE_ERROR_INIT;
    const bool is_array = ends_with(path, ".npy") || ends_with(path, ".raw") || strcmp(path, "-") == 0;
    if (is_array || options->given[OPTION_TENSOR] != NULL ||
        sinpos_model_open(&model, path, &error) != SINPOS_FILE_OK || sinpos_model_tensors(model) == 1) {
        sinpos_model_close(model);
        return identify_array(options, path);
    }
    const int code = identify_model(options, path, model);
    sinpos_model_close(model);
    return code;
}

/* ------------------------------------------------------------------------------------------------ several files */

struct several {
    const struct options *options;
    struct record *reports; /* (n_operands) */
    int code;
};

static void make_report(void *context, size_t block, struct record *state, struct record *found)
{
    const struct several *all = context;
    RELEASED_BY(record_free) struct record text = {0};
    (void)state;
    capture_begin();
    const int code = identify_file(all->options, all->options->operands[block]);
    capture_end(&text);
    record_word(found, (uint64_t)code);
    record_bytes(found, text.bytes, text.n);
}

static void take_report(void *context, size_t block, struct record *found)
{
    struct several *all = context;
    size_t n;
    all->code = record_next_word(found) != EXIT_DONE ? EXIT_CHECK : all->code;
    const char *text = record_rest(found, &n);
    record_bytes(&all->reports[block], text, n);
}

/* Objects in a list, each line of them indented. */
static void print_objects(const struct several *all)
{
    fputs("{\n  \"files\": [", stdout);
    for (size_t i = 0; i < all->options->n_operands; i++) {
        const struct record *report = &all->reports[i];
        fputs(i == 0 ? "\n" : ",\n", stdout);
        for (size_t at = 0; at < report->n;) {
            const char *line = report->bytes + at;
            const size_t length = strcspn(line, "\n"), end = at + length + 1;
            printf("    %.*s%s", (int)length, line, end < report->n ? "\n" : "");
            at = end;
        }
    }
    fputs("\n  ]\n}\n", stdout);
}

static void print_reports(const struct several *all)
{
    for (size_t i = 0; i < all->options->n_operands; i++)
        printf("%s%s", i > 0 ? "\n" : "", all->reports[i].n == 0 ? "" : all->reports[i].bytes);
}

static int identify_several(const struct options *options)
{
    struct several all = {.options = options, .code = EXIT_DONE};
    struct kept kept = {
        .options = options, .n_blocks = options->n_operands, .context = &all, .make = make_report, .take = take_report};
    all.reports = memory_take(options->n_operands, sizeof *all.reports);
    kept_run(&kept);
    if (team_is_first()) {
        report_begin(options);
        if (options->given[OPTION_JSON] != NULL && options->n_operands > 1)
            print_objects(&all);
        else
            print_reports(&all);
        report_end(options);
        kept_end(&kept);
    }
    for (size_t i = 0; i < options->n_operands; i++)
        record_free(&all.reports[i]);
    free(all.reports);
    return all.code;
}

static int command_run(const struct request *request)
{
    const struct options *options = request->options;
    if (options->n_operands > 1 || team_is_many())
        return identify_several(options);
    report_begin(options);
    const int code = identify_file(options, options->operands[0]);
    report_end(options);
    return code;
}

const struct command identify_command = {
    .name = "identify",
    .bit = COMMAND_IDENTIFY,
    .summary = "identify which code produced an array, and measure its error",
    .usage = "FILE ... [options]",
    .description = "Reads an array of any shape and finds, from its elements alone, the layout of its columns,\n"
                   "its frequencies, positions, amplitude and padding, which roundings made it, which named\n"
                   "conventions it is, the command that makes the exact array, and how far it is from that:\n"
                   "by all rows up to 4 million elements, beyond by blocks of rows from the first to the last.\n"
                   "Of numbers in one dimension, frequencies as models keep them (inv_freq), it finds the formula.\n"
                   "Exit 1 if it is not a sinusoidal encoding; of several files, if one is not.",
    .examples = "  sinpos identify table.npy\n"
                "  sinpos identify model.safetensors --tensor encoder.embed_positions.weight\n",
    .n_operands_least = 1,
    .n_operands_most = (size_t)-1,
    .run = command_run,
    .meanings = {[OPTION_OUTPUT] = "where the report goes (standard output)"},
};
