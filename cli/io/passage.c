#include "passage.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "array_file.h"
#include "commands.h"
#include "interrupt.h"
#include "json_out.h"
#include "pieces.h"
#include "progress.h"
#include "written.h"

/* Rows that may belong to several blocks; row counts over all of them. */
static int change_piece(struct passage *passage, size_t row, size_t n, char *data)
{
    const struct input_array *input = passage->input;
    int code = EXIT_DONE;
    while (n > 0 && code == EXIT_DONE) {
        const size_t row_in_block = row % input->n;
        const size_t left = input->n - row_in_block;
        const size_t some = n < left ? n : left;
        code = passage->work(passage->context, row / input->n, row_in_block, some, data);
        data += some * input->row_bytes;
        row += some;
        n -= some;
    }
    return code;
}

static int run_pieces(struct passage *passage, void *data)
{
    const struct input_array *input = passage->input;
    const size_t n_rows = input->n_blocks * input->n, dim = input->dim;
    for (size_t row = 0; row < n_rows; row += passage->n_piece) {
        const size_t n = n_rows - row < passage->n_piece ? n_rows - row : passage->n_piece;
        sinpos_file_error error = SINPOS_FILE_ERROR_INIT;
        if (sinpos_reader_read(input->reader, data, n * dim, &error) != SINPOS_FILE_OK) {
            return complain_read(input->path, &error);
        }
        const int code = change_piece(passage, row, n, data);
        if (code != EXIT_DONE) {
            return code;
        }
        if (sinpos_writer_write(passage->writer, data, n * dim, &error) != SINPOS_FILE_OK) {
            return complain_write(passage->output, &error);
        }
        progress_advance((uint64_t)n * input->row_bytes);
    }
    return EXIT_DONE;
}

static int run_all(struct passage *passage)
{
    void *data = pieces_allocate(passage->n_piece * passage->input->row_bytes);
    if (data == NULL) {
        return complain_memory();
    }
    const int code = run_pieces(passage, data);
    free(data);
    return code;
}

/* A tensor keeps its name where the output has names. */
static sinpos_writer_options writing_options(const struct passage *passage)
{
    const bool has_names = ends_with(passage->output, ".safetensors") || ends_with(passage->output, ".gguf");
    const char *name = sinpos_reader_tensor(passage->input->reader);
    return (sinpos_writer_options){.struct_size = sizeof(sinpos_writer_options),
                                   .tensor = name == NULL ? passage->tensor
                                             : has_names  ? name
                                                          : NULL};
}

static int write_changed(struct passage *passage)
{
    const sinpos_writer_options writing = writing_options(passage);
    sinpos_file_error error = SINPOS_FILE_ERROR_INIT;
    if (interrupt_open(&passage->writer, passage->output, passage->input->array, &writing, &error) != SINPOS_FILE_OK) {
        return complain_write(passage->output, &error);
    }
    const double began = seconds_now();
    progress_begin(passage->output, passage->bytes);
    const int code = written_prepare(&passage->writer, passage->output, run_all(passage));
    passage->seconds = seconds_now() - began;
    progress_clear();
    return code;
}

static void json_report(const struct passage *passage)
{
    const sinpos_array *array = passage->input->array;
    emit_object(NULL);
    emit_text("input", passage->input->path);
    emit_text("file", passage->output);
    if (passage->from != NULL) {
        emit_text("from", passage->from);
        emit_text("to", passage->to);
    }
    emit_shape(array->shape, array->n_dims);
    emit_text("type", sinpos_element_name(array->element));
    emit_unsigned("bytes", passage->bytes);
    emit_real("seconds", passage->seconds);
    if (passage->from == NULL) {
        emit_real("gb_per_s", passage->seconds > 0 ? (double)passage->bytes / passage->seconds / 1e9 : 0);
    }
    emit_close();
}

const char *passage_output(const struct options *options)
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

int passage_run(struct passage *passage)
{
    const struct input_array *input = passage->input;
    passage->bytes = (uint64_t)input->n_blocks * input->n * input->row_bytes;
    int code = write_changed(passage);
    if (code == EXIT_DONE && passage->options->given[OPTION_JSON] != NULL) {
        json_report(passage);
    }
    code = written_finish(&passage->writer, passage->output, code);
    if (code == EXIT_DONE) {
        written_talk(passage->options, input->array, passage->bytes, passage->seconds);
    }
    return code;
}
