/* command_add.c - sinpos add: embeddings plus encoding, passed through in pieces. */
#include "commands.h"
#include "passage.h"
#include "pieces.h"

/* Below this, starting threads costs more than the work. */
#define THREADED_BYTES ((size_t)512 << 10)

struct addition {
    const struct options *options;
    struct input_array input;
    struct positions positions;
    struct encoding encoding;
    sinpos_encoding *named; /* NULL: `encoding` at `positions` */
};

static int add_rows(void *context, size_t block, size_t row, size_t n, void *data)
{
    struct addition *addition = context;
    const size_t n_threads = n * addition->input.row_bytes < THREADED_BYTES ? 1 : addition->options->threads;
    const size_t dim = addition->input.dim;
    const sinpos_type type = addition->input.type;
    sinpos_status status;
    (void)block; /* positions restart in each */
    if (addition->named != NULL) {
        status = sinpos_encoding_add(addition->named, row, n, type, data, dim, n_threads);
    } else {
        const sinpos_rows rows = positions_rows(&addition->positions, row, n);
        status = encoding_run(&addition->encoding, SINPOS_ADD, &rows, type, data, n_threads);
    }
    return status == SINPOS_OK ? EXIT_DONE : complain_status(status);
}

static int prepare_named(struct addition *addition)
{
    struct input_array *input = &addition->input;
    const int code = input_named(input, addition->options, (unsigned)input->type, &addition->named);
    const sinpos_encoding_info *info = sinpos_encoding_info_get(addition->named);
    return code == EXIT_DONE && info->output == SINPOS_OUTPUT_ROTATED
               ? complain(EXIT_USAGE, "'sinpos rotate' rotates queries and keys",
                          sinpos_convention_name(info->convention), "output rotated is nothing to add")
               : code;
}

static int prepare(struct addition *addition)
{
    const struct options *options = addition->options;
    struct input_array *input = &addition->input;
    const int code = input_open(input, options->operands[0], options);
    if (code != EXIT_DONE) {
        return code;
    }
    return named_is_asked(options)
               ? prepare_named(addition)
               : input_encoding(input, options, (unsigned)input->type, &addition->positions, &addition->encoding);
}

static int run(struct addition *addition, const char *output)
{
    struct passage passage = {.options = addition->options,
                              .output = output,
                              .input = &addition->input,
                              .work = add_rows,
                              .context = addition};
    int code = prepare(addition);
    if (code == EXIT_DONE) {
        passage.n_piece = input_piece_rows(&addition->input, addition->named, addition->input.row_bytes);
        code = addition->named != NULL ? EXIT_DONE : positions_prepare(&addition->positions, passage.n_piece);
    }
    return code != EXIT_DONE ? code : passage_run(&passage);
}

static int command_run(const struct options *options)
{
    struct addition addition = {.options = options};
    const char *output = passage_output(options);
    const int code = output == NULL ? EXIT_USAGE : run(&addition, output);
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
        "the type of IN, as if the table rounded to that type had been added. Positions restart in every\n"
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
