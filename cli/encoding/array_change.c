#include "array_change.h"

#include <stdio.h>
#include <stdlib.h>

#include "array_file.h"
#include "array_pieces.h"
#include "command.h"
#include "json_out.h"
#include "owned.h"
#include "team.h"

/* Rows that may belong to several blocks; row counts over all of them. */
static void change_piece(struct array_change *change, size_t row, size_t n, char *data)
{
    const struct input_array *input = change->input;
    while (n > 0) {
        const size_t row_in_block = row % input->n;
        const size_t left = input->n - row_in_block;
        const size_t some = n < left ? n : left;
        change->work(change->context, row / input->n, row_in_block, some, data);
        data += some * input->row_bytes;
        row += some;
        n -= some;
    }
}

/* Rows of the input; of one that lies column by column they can only come in turn, and are in memory then. */
static void read_piece(struct array_change *change, size_t row, size_t n, void *data)
{
    const struct input_array *input = change->input;
    sinpos_file_error error = SINPOS_FILE_ERROR_INIT;
    sinpos_file_status status = SINPOS_FILE_OK;
    if (change->is_at_random)
        status = sinpos_reader_read_at(input->reader, row * input->dim, data, n * input->dim, &error);
    while (!change->is_at_random && change->next <= row && status == SINPOS_FILE_OK) {
        const size_t some = change->next == row ? n : change->n_piece;
        status = sinpos_reader_read(input->reader, data, some * input->dim, &error);
        change->next += some;
    }
    if (status != SINPOS_FILE_OK)
        fail_read(input->path, &error);
}

static void make_piece(void *context, size_t first, size_t n_elements, void *data)
{
    struct array_change *change = context;
    const size_t row = first / change->input->dim, n = n_elements / change->input->dim;
    read_piece(change, row, n, data);
    change_piece(change, row, n, data);
}

/* A tensor keeps its name where the output has names. */
static const char *tensor_name(const struct array_change *change, const char *path)
{
    const bool has_names = ends_with(path, ".safetensors") || ends_with(path, ".gguf");
    const char *name = sinpos_reader_tensor(change->input->reader);
    return name == NULL ? change->tensor : has_names ? name : NULL;
}

/* Can blocks be read in any order? A reader that reads ahead is faster where they come in turn. */
static bool has_places(const struct array_change *change)
{
    char nothing[1];
    return (team_is_many() || change->options->given[OPTION_RESUME] != NULL) &&
           sinpos_reader_read_at(change->input->reader, 0, nothing, 0, NULL) == SINPOS_FILE_OK;
}

static void json_report(const struct array_change *change)
{
    const sinpos_array *array = change->input->array;
    EMIT_OBJECT(NULL);
    emit_text("input", change->input->path);
    emit_text("file", change->options->given[OPTION_OUTPUT]);
    if (change->from != NULL) {
        emit_text("from", change->from);
        emit_text("to", change->to);
    }
    emit_sizes("shape", array->shape, array->n_dims);
    emit_text("type", sinpos_element_name(array->element));
    emit_unsigned("bytes", change->output.bytes);
    emit_real("seconds", change->output.seconds);
    if (change->from == NULL)
        emit_real("gb_per_s", output_rate(&change->output) / 1e9);
}

void array_change_check(const struct options *options)
{
    char hint[60];
    snprintf(hint, sizeof hint, "sinpos %s IN -o OUT", options->command->name);
    if (options->given[OPTION_OUTPUT] == NULL)
        fail(EXIT_USAGE, hint, "-o", "the name of the output file is missing");
    written_check(options);
}

void array_change_run(struct array_change *change)
{
    const struct input_array *input = change->input;
    const char *path = change->options->given[OPTION_OUTPUT];
    change->output = output_of(change->options);
    change->output.array = *input->array;
    change->output.tensor = tensor_name(change, path);
    change->output.bytes = (uint64_t)input->n_blocks * input->n * input->row_bytes;
    change->output.input = input->path;
    change->output.block_elements = change->n_piece * input->dim;
    change->output.context = change;
    change->output.make = make_piece;
    change->is_at_random = has_places(change);
    output_begin(&change->output, path);
    output_make(&change->output);
    output_end(&change->output);
    if (change->options->given[OPTION_JSON] != NULL)
        json_report(change);
    output_finish(&change->output);
}
