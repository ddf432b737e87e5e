/* command_add.c - sinpos add: embeddings plus encoding, passed through in pieces. */
#include "array_change.h"
#include "commands.h"

/* Below this, starting threads costs more than the work. */
#define THREADED_BYTES ((size_t)512 << 10)

struct addition {
    const struct options *options;
    struct input_array input;
    struct encoding encoding;
};

static void add_rows(void *context, size_t block, size_t row, size_t n, void *data)
{
    struct addition *addition = context;
    const size_t n_threads = n * addition->input.row_bytes < THREADED_BYTES ? 1 : addition->options->threads;
    (void)block; /* positions restart in each */
    expect_ok(encoding_run(&addition->encoding, SINPOS_ADD, row, n, addition->input.type, data, n_threads));
}

static int command_run(const struct request *request)
{
    const struct options *options = request->options;
    struct addition addition = {.options = options};
    struct input_array *input = &addition.input;
    struct encoding *encoding = &addition.encoding;
    array_change_check(options);
    input_open(input, options->operands[0], options, request->convention != NULL);
    input_encoding(input, request, (unsigned)input->type, encoding);
    if (encoding->info.output == SINPOS_OUTPUT_ROTATED) {
        fail(EXIT_USAGE, "'sinpos rotate' rotates queries and keys", encoding_name(encoding),
             "output rotated is nothing to add");
    }
    struct array_change change = {.options = options,
                                  .input = input,
                                  .n_piece = input_piece_rows(input, encoding, input->row_bytes),
                                  .work = add_rows,
                                  .context = &addition,
                                  .tensor = options->given[OPTION_TENSOR]};
    encoding_prepare(encoding, change.n_piece);
    array_change_run(&change);
    input_close(input);
    encoding_free(encoding);
    return EXIT_DONE;
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
        "tensors only the one chosen by --tensor is written. With --resume the same command goes on after it was\n"
        "killed: OUT.part and OUT.journal keep what is done, and IN must stay as it is until then.",
    .examples = "  sinpos add embeddings.npy -o encoded.npy\n"
                "  sinpos add model.safetensors --tensor embed.weight --start 512 -o encoded.safetensors\n"
                "  sinpos add mel.npy --convention whisper_sinusoids -o encoded.npy\n",
    .n_operands_least = 1,
    .n_operands_most = 1,
    .run = command_run,
};
