#include "array_change.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "array_file.h"
#include "array_pieces.h"
#include "command.h"
#include "interrupt.h"
#include "json_out.h"
#include "progress.h"
#include "written.h"

/* Rows that may belong to several blocks; row counts over all of them. */
static int change_piece(struct array_change *change, size_t row, size_t n, char *data)
{
    const struct input_array *input = change->input;
    int code = EXIT_DONE;
    while (n > 0 && code == EXIT_DONE) {
        const size_t row_in_block = row % input->n;
        const size_t left = input->n - row_in_block;
        const size_t some = n < left ? n : left;
        code = change->work(change->context, row / input->n, row_in_block, some, data);
        data += some * input->row_bytes;
        row += some;
        n -= some;
    }
    return code;
}

static int run_pieces(struct array_change *change, void *data)
{
    const struct input_array *input = change->input;
    const size_t n_rows = input->n_blocks * input->n, dim = input->dim;
    for (size_t row = 0; row < n_rows; row += change->n_piece) {
        const size_t n = n_rows - row < change->n_piece ? n_rows - row : change->n_piece;
        sinpos_file_error error = SINPOS_FILE_ERROR_INIT;
        if (sinpos_reader_read(input->reader, data, n * dim, &error) != SINPOS_FILE_OK)
            return complain_read(input->path, &error);
        const int code = change_piece(change, row, n, data);
        if (code != EXIT_DONE)
            return code;
        if (sinpos_writer_write(change->writer, data, n * dim, &error) != SINPOS_FILE_OK)
            return complain_write(change->output, &error);
        progress_advance((uint64_t)n * input->row_bytes);
    }
    return EXIT_DONE;
}

static int run_all(struct array_change *change)
{
    void *data = pieces_allocate(change->n_piece * change->input->row_bytes);
    const int code = run_pieces(change, data);
    free(data);
    return code;
}

/* A tensor keeps its name where the output has names. */
static sinpos_writer_options writing_options(const struct array_change *change)
{
    const bool has_names = ends_with(change->output, ".safetensors") || ends_with(change->output, ".gguf");
    const char *name = sinpos_reader_tensor(change->input->reader);
    return (sinpos_writer_options){.struct_size = sizeof(sinpos_writer_options),
                                   .tensor = name == NULL ? change->tensor
                                             : has_names  ? name
                                                          : NULL};
}

static int write_changed(struct array_change *change)
{
    const sinpos_writer_options writing = writing_options(change);
    sinpos_file_error error = SINPOS_FILE_ERROR_INIT;
    if (interrupt_open(&change->writer, change->output, change->input->array, &writing, &error) != SINPOS_FILE_OK)
        return complain_write(change->output, &error);
    const double began = seconds_now();
    progress_begin(change->output, change->bytes);
    const int code = written_prepare(&change->writer, change->output, run_all(change));
    change->seconds = seconds_now() - began;
    progress_clear();
    return code;
}

static void json_report(const struct array_change *change)
{
    const sinpos_array *array = change->input->array;
    emit_object(NULL);
    emit_text("input", change->input->path);
    emit_text("file", change->output);
    if (change->from != NULL) {
        emit_text("from", change->from);
        emit_text("to", change->to);
    }
    emit_sizes("shape", array->shape, array->n_dims);
    emit_text("type", sinpos_element_name(array->element));
    emit_unsigned("bytes", change->bytes);
    emit_real("seconds", change->seconds);
    if (change->from == NULL)
        emit_real("gb_per_s", change->seconds > 0 ? (double)change->bytes / change->seconds / 1e9 : 0);
    emit_close();
}

const char *array_change_output(const struct options *options)
{
    const char *output = options->given[OPTION_OUTPUT];
    char hint[60];
    if (output == NULL) {
        snprintf(hint, sizeof hint, "sinpos %s IN -o OUT", options->command->name);
        complain(EXIT_USAGE, hint, "-o", "the name of the output file is missing");
        return NULL;
    }
    return written_check(options) == EXIT_DONE ? output : NULL;
}

int array_change_run(struct array_change *change)
{
    const struct input_array *input = change->input;
    change->bytes = (uint64_t)input->n_blocks * input->n * input->row_bytes;
    int code = write_changed(change);
    if (code == EXIT_DONE && change->options->given[OPTION_JSON] != NULL)
        json_report(change);
    code = written_finish(&change->writer, change->output, code);
    if (code == EXIT_DONE)
        written_talk(change->options, input->array, change->bytes, change->seconds);
    return code;
}
