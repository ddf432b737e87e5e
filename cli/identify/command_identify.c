/* command_identify.c - sinpos identify: what made an array. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "array_file.h"
#include "array_pieces.h"
#include "identified.h"
#include "input_array.h"
#include "json_out.h"
#include "request.h"

/* Rows are read where they lie in the file; what comes through a pipe is copied before. */
struct source {
    sinpos_reader *reader;
    sinpos_model *model; /* in place of it, with the number of a tensor */
    size_t tensor;
    size_t dim;
    size_t row_bytes;
    char *copy;
    bool has_failed;
    sinpos_file_error error;
};

static sinpos_status read_rows(void *context, size_t first, size_t n, void *rows)
{
    struct source *source = context;
    const size_t from = first * source->row_bytes, bytes = n * source->row_bytes;
    if (source->copy != NULL) {
        memcpy(rows, source->copy + from, bytes);
        return SINPOS_OK;
    }
    const sinpos_file_status status =
        source->model != NULL
            ? sinpos_model_read(source->model, source->tensor, from, rows, bytes, &source->error)
            : sinpos_reader_read_at(source->reader, first * source->dim, rows, n * source->dim, &source->error);
    source->has_failed = status != SINPOS_FILE_OK;
    return source->has_failed ? SINPOS_E_VALUE : SINPOS_OK;
}

static int complain_source(const char *path, const struct source *source, sinpos_status status)
{
    return source->has_failed ? complain_read(path, &source->error) : complain_status(status);
}

/* Asks for no elements: what has no places is copied. */
static int load(struct source *source, const struct input_array *input)
{
    const size_t n = input->n_blocks * input->n;
    *source = (struct source){
        .reader = input->reader, .dim = input->dim, .row_bytes = input->row_bytes, .error = SINPOS_FILE_ERROR_INIT};
    if (sinpos_reader_read_at(input->reader, 0, NULL, 0, &source->error) == SINPOS_FILE_OK)
        return EXIT_DONE;
    source->copy = pieces_allocate(n * input->row_bytes);
    if (sinpos_reader_read(input->reader, source->copy, n * input->dim, &source->error) != SINPOS_FILE_OK)
        return complain_read(input->path, &source->error);
    return EXIT_DONE;
}

static sinpos_status look(struct identified *found, const sinpos_table *table, const struct options *options)
{
    return options->given[OPTION_ALL] != NULL ? sinpos_identify_all(&found->identity, table, options->threads)
                                              : sinpos_identify(&found->identity, table, options->threads);
}

static int identify(struct identified *found, const struct options *options, const struct input_array *input,
                    struct source *source)
{
    const sinpos_table table = {.n_dims = input->array->n_dims,
                                .shape = input->array->shape,
                                .type = input->type,
                                .read = read_rows,
                                .context = source};
    found->n_dims = input->array->n_dims;
    memcpy(found->shape, input->array->shape, sizeof found->shape);
    const sinpos_status status = look(found, &table, options);
    return status == SINPOS_OK ? identify_make_command(found) : complain_source(input->path, source, status);
}

static int open_and_identify(struct identified *found, const struct options *options)
{
    struct input_array input;
    struct source source = {0};
    int code = input_open(&input, found->path, options, false);
    if (code != EXIT_DONE)
        return code;
    if (input.n == 0 || input.n_blocks == 0)
        code = complain(EXIT_FILE, "there is nothing to identify", input.path, "holds no elements");
    code = code != EXIT_DONE ? code : load(&source, &input);
    code = code != EXIT_DONE ? code : identify(found, options, &input, &source);
    free(source.copy);
    input_close(&input);
    return code;
}

static int report(const struct identified *found, const struct options *options)
{
    if (options->given[OPTION_JSON] != NULL)
        identify_json(found);
    else
        identify_print(found);
    const int code = finish_output();
    return code != EXIT_DONE ? code : found->identity->is_sinusoidal ? EXIT_DONE : EXIT_CHECK;
}

static void found_free(struct identified *found)
{
    sinpos_identity_destroy(found->identity);
    buffer_free(&found->command);
    buffer_free(&found->as_published);
    *found = (struct identified){0};
}

static int run_array(const struct options *options)
{
    struct identified found = {.path = options->operands[0]};
    int code = open_and_identify(&found, options);
    code = code != EXIT_DONE ? code : report(&found, options);
    found_free(&found);
    return code;
}

/* ------------------------------------------------------------------------------------------------ models */

/* Floating-point numbers in rows of at least two. */
static bool may_be_table(const sinpos_tensor *tensor)
{
    const size_t n = tensor->array.n_dims;
    return is_float(tensor->array.element) && n >= 2 && tensor->array.shape[n - 1] >= 2 && tensor->bytes > 0;
}

static int identify_tensor(struct identified *found, const struct options *options, sinpos_model *model, size_t i)
{
    const sinpos_tensor *tensor = sinpos_model_tensor(model, i);
    const sinpos_array *array = &tensor->array;
    const sinpos_type type = (sinpos_type)array->element;
    struct source source = {.model = model,
                            .tensor = i,
                            .row_bytes = array->shape[array->n_dims - 1] * sinpos_type_bytes(type),
                            .error = SINPOS_FILE_ERROR_INIT};
    const sinpos_table table = {array->n_dims, array->shape, type, read_rows, &source};
    *found = (struct identified){.path = options->operands[0], .tensor = tensor->name, .n_dims = array->n_dims};
    memcpy(found->shape, array->shape, sizeof found->shape);
    const sinpos_status status = look(found, &table, options);
    return status == SINPOS_OK ? identify_make_command(found) : complain_source(options->operands[0], &source, status);
}

/* Reports every tensor that is a table, and how many were compared. */
static int identify_model(const struct options *options, sinpos_model *model)
{
    const bool is_json = options->given[OPTION_JSON] != NULL;
    size_t n_looked = 0, n_found = 0;
    int code = EXIT_DONE;
    if (is_json) {
        emit_object(NULL);
        emit_text("file", options->operands[0]);
        emit_array("tensors");
    }
    for (size_t i = 0; i < sinpos_model_tensors(model) && code == EXIT_DONE; i++) {
        struct identified found = {0};
        if (!may_be_table(sinpos_model_tensor(model, i)))
            continue;
        code = identify_tensor(&found, options, model, i);
        n_looked++;
        if (code == EXIT_DONE && found.identity->is_sinusoidal) {
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
    if (code != EXIT_DONE)
        return code;
    if (is_json) {
        emit_close();
        emit_bool("sinusoidal", n_found > 0);
        emit_unsigned("looked_at", n_looked);
        emit_close();
    } else {
        printf("%s: %zu of %zu tensors looked at are sinusoidal encodings\n", SHOWN(options->operands[0]), n_found,
               n_looked);
    }
    code = finish_output();
    return code != EXIT_DONE ? code : n_found > 0 ? EXIT_DONE : EXIT_CHECK;
}

static int command_run(const struct request *request)
{
    const struct options *options = request->options;
    const char *path = options->operands[0];
    sinpos_model *model = NULL;
    sinpos_file_error error = SINPOS_FILE_ERROR_INIT;
    const bool is_array = ends_with(path, ".npy") || ends_with(path, ".raw") || strcmp(path, "-") == 0;
    if (is_array || options->given[OPTION_TENSOR] != NULL ||
        sinpos_model_open(&model, path, &error) != SINPOS_FILE_OK || sinpos_model_tensors(model) == 1) {
        sinpos_model_close(model);
        return run_array(options);
    }
    const int code = identify_model(options, model);
    sinpos_model_close(model);
    return code;
}

const struct command identify_command = {
    .name = "identify",
    .bit = COMMAND_IDENTIFY,
    .summary = "identify which code produced an array, and measure its error",
    .usage = "FILE [options]",
    .description = "Reads an array of any shape and finds, from its elements alone, the layout of its columns,\n"
                   "its frequencies, positions, amplitude and padding, which roundings made it, which named\n"
                   "conventions it is, the command that makes the exact array, and how far it is from that:\n"
                   "by all rows up to 4 million elements, beyond by blocks of rows from the first to the last.\n"
                   "Exit 1 if it is not a sinusoidal encoding.",
    .examples = "  sinpos identify table.npy\n"
                "  sinpos identify model.safetensors --tensor encoder.embed_positions.weight\n",
    .n_operands_least = 1,
    .n_operands_most = 1,
    .run = command_run,
};
