/* command_add.c - sinpos add: embeddings plus encoding, passed through in pieces. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "input_array.h"
#include "interrupt.h"
#include "json_out.h"
#include "pieces.h"
#include "progress.h"

/* Below this, starting threads costs more than the work. */
#define THREADED_BYTES ((size_t)512 << 10)

struct addition {
    const struct options *options;
    const char *output;
    struct input_array input;
    struct positions positions;
    struct encoding encoding;
    sinpos_encoding *named; /* NULL: `encoding` at `positions` */
    sinpos_writer *writer;
    uint64_t bytes;
    double seconds;
};

/* Rows of one block. */
static int add_rows(struct addition *addition, size_t row, size_t n, void *data)
{
    const size_t n_threads = n * addition->input.row_bytes < THREADED_BYTES ? 1 : addition->options->threads;
    const size_t dim = addition->input.dim;
    const sinpos_type type = addition->input.type;
    sinpos_status status;
    if (addition->named != NULL) {
        status = sinpos_encoding_add(addition->named, row, n, type, data, dim, n_threads);
    } else {
        const sinpos_rows rows = positions_rows(&addition->positions, row, n);
        status = encoding_run(&addition->encoding, SINPOS_ADD, &rows, type, data, n_threads);
    }
    return status == SINPOS_OK ? EXIT_DONE : complain_status(status);
}

/* Rows that may belong to several blocks; positions begin anew with each. row counts over all blocks. */
static int add_piece(struct addition *addition, size_t row, size_t n, char *data)
{
    int code = EXIT_DONE;
    while (n > 0 && code == EXIT_DONE) {
        const size_t row_in_block = row % addition->input.n;
        const size_t left = addition->input.n - row_in_block;
        const size_t some = n < left ? n : left;
        code = add_rows(addition, row_in_block, some, data);
        data += some * addition->input.row_bytes;
        row += some;
        n -= some;
    }
    return code;
}

static int run_pieces(struct addition *addition, void *data, size_t n_piece)
{
    const size_t n_rows = addition->input.n_blocks * addition->input.n, dim = addition->input.dim;
    for (size_t row = 0; row < n_rows; row += n_piece) {
        const size_t n = n_rows - row < n_piece ? n_rows - row : n_piece;
        sinpos_file_error error;
        if (sinpos_reader_read(addition->input.reader, data, n * dim, &error) != SINPOS_FILE_OK) {
            return complain_read(addition->input.path, &error);
        }
        const int code = add_piece(addition, row, n, data);
        if (code != EXIT_DONE) {
            return code;
        }
        if (sinpos_writer_write(addition->writer, data, n * dim, &error) != SINPOS_FILE_OK) {
            return complain_write(addition->output, &error);
        }
        progress_advance((uint64_t)n * addition->input.row_bytes);
    }
    return EXIT_DONE;
}

static int run_all(struct addition *addition)
{
    const size_t n_piece = input_piece_rows(&addition->input, addition->named, addition->input.row_bytes);
    void *data = pieces_allocate(n_piece * addition->input.row_bytes);
    if (data == NULL) {
        return complain_memory();
    }
    int code = addition->named != NULL ? EXIT_DONE : positions_prepare(&addition->positions, n_piece);
    code = code != EXIT_DONE ? code : run_pieces(addition, data, n_piece);
    free(data);
    return code;
}

static bool ends_with(const char *text, const char *end)
{
    const size_t n = strlen(text), m = strlen(end);
    return n >= m && strcmp(text + n - m, end) == 0;
}

/* A tensor keeps its name where the output has names. */
static sinpos_writer_options writing_options(const struct addition *addition)
{
    const bool has_names = ends_with(addition->output, ".safetensors") || ends_with(addition->output, ".gguf");
    const char *name = sinpos_reader_tensor(addition->input.reader);
    return (sinpos_writer_options){.tensor = name == NULL ? addition->options->given[OPTION_TENSOR]
                                             : has_names  ? name
                                                          : NULL};
}

static int write_sum(struct addition *addition)
{
    const sinpos_writer_options writing = writing_options(addition);
    sinpos_file_error error;
    if (interrupt_open(&addition->writer, addition->output, addition->input.array, &writing, &error) !=
        SINPOS_FILE_OK) {
        return complain_write(addition->output, &error);
    }
    const double began = seconds_now();
    if (addition->options->given[OPTION_QUIET] == NULL) {
        progress_begin(addition->output, addition->bytes);
    }
    const int code = run_all(addition);
    if (code != EXIT_DONE) {
        interrupt_abandon(addition->writer);
        return code;
    }
    if (interrupt_commit(addition->writer, &error) != SINPOS_FILE_OK) {
        return complain_write(addition->output, &error);
    }
    addition->seconds = seconds_now() - began;
    progress_clear();
    return EXIT_DONE;
}

static void json_report(const struct addition *addition)
{
    const sinpos_array *array = addition->input.array;
    emit_object(NULL);
    emit_text("input", addition->input.path);
    emit_text("file", addition->output);
    emit_array("shape");
    for (size_t i = 0; i < array->n_dims; i++) {
        emit_unsigned(NULL, array->shape[i]);
    }
    emit_close();
    emit_text("type", sinpos_element_name(array->element));
    emit_unsigned("bytes", addition->bytes);
    emit_real("seconds", addition->seconds);
    emit_real("gb_per_s", addition->seconds > 0 ? (double)addition->bytes / addition->seconds / 1e9 : 0);
    emit_close();
}

static int run(struct addition *addition)
{
    const struct options *options = addition->options;
    const bool wants_json = options->given[OPTION_JSON] != NULL;
    const bool to_stdout = strcmp(addition->output, "-") == 0;
    if (to_stdout && wants_json) {
        return complain(EXIT_USAGE, "write to a file, or leave --json out", "-o -",
                        "the array and --json cannot both go to standard output");
    }
    int code = input_open(&addition->input, options->operands[0], options);
    if (code == EXIT_DONE && named_is_asked(options)) {
        code = input_named(&addition->input, options, (unsigned)addition->input.type, &addition->named);
    } else if (code == EXIT_DONE) {
        code = input_encoding(&addition->input, options, (unsigned)addition->input.type, &addition->positions,
                              &addition->encoding);
    }
    if (code != EXIT_DONE) {
        return code;
    }
    addition->bytes = (uint64_t)addition->input.n_blocks * addition->input.n * addition->input.row_bytes;
    code = write_sum(addition);
    if (code != EXIT_DONE) {
        return code;
    }
    if (wants_json) {
        json_report(addition);
    }
    if (options->given[OPTION_QUIET] == NULL) {
        talk_written(to_stdout ? "standard output" : addition->output, addition->input.array, addition->bytes,
                     addition->seconds);
    }
    return finish_output();
}

static int command_run(const struct options *options)
{
    struct addition addition = {.options = options, .output = options->given[OPTION_OUTPUT]};
    if (addition.output == NULL) {
        return complain(EXIT_USAGE, "sinpos add IN -o OUT", "-o", "the name of the output file is missing");
    }
    const int code = run(&addition);
    input_close(&addition.input);
    sinpos_encoding_destroy(addition.named);
    encoding_free(&addition.encoding);
    positions_free(&addition.positions);
    return code;
}

const struct command add_command = {
    .name = "add",
    .bit = COMMAND_ADD,
    .summary = "add the encoding to an array of embeddings",
    .usage = "IN -o OUT [options]",
    .description =
        "IN holds embeddings, (..., n, D), as .npy, .safetensors, .gguf, .raw (with --dim and --type), or in a\n"
        "model of several files (its .index.json, or its folder); - is standard input. OUT = IN + encoding, in\n"
        "the type of IN, as if the table rounded to that type had been added. Positions begin anew with every\n"
        "(n, D) block; a convention of several coordinates takes (..., H, W, D), or (..., C, H, W) where its\n"
        "columns come first. The array may be larger than memory, and OUT may be IN. Of a file with several\n"
        "tensors only the one chosen by --tensor is written.",
    .examples = "  sinpos add embeddings.npy -o encoded.npy\n"
                "  sinpos add model.safetensors --tensor embed.weight --start 512 -o encoded.safetensors\n"
                "  sinpos add mel.npy --convention whisper_sinusoids -o encoded.npy\n",
    .n_operands_least = 1,
    .n_operands_most = 1,
    .run = command_run,
};
