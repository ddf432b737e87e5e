/* command_convert.c - sinpos convert: the columns of an array, or the rows of q and k in a model. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "array_change.h"
#include "array_pieces.h"
#include "commands.h"
#include "convert.h"
#include "layout_columns.h"
#include "nearest_convention.h"
#include "no_memory.h"
#include "request.h"
#include "sinpos_conventions.h"
#include "written.h"

struct conversion {
    const struct options *options;
    const char *from, *to;
    struct input_array input;
    size_t *source; /* (dim): which column of the input each column of the output is */
    void *row;      /* room for one */
};

/* ------------------------------------------------------------------------------------------------ columns */

static const char *component_name(enum component component)
{
    return component == COMPONENT_ZERO ? "zero" : component == COMPONENT_SIN ? "sine" : "cosine";
}

static noreturn void fail_column(const struct conversion *conversion, struct column column)
{
    fail_option(conversion->options, OPTION_TO, "keep the order of sine and cosine where the width is odd",
                "needs the %s of frequency %zu, of which %.80s with %zu columns has no column",
                component_name(column.component), column.frequency, conversion->from, conversion->input.dim);
}

static void match_words(struct conversion *conversion)
{
    const size_t dim = conversion->input.dim;
    const sinpos_odd odd = conversion->options->spec.odd;
    OWNED struct column *from = memory_take(dim, sizeof *from), *to = memory_take(dim, sizeof *to);
    columns_make(conversion->from, dim, odd, from);
    columns_make(conversion->to, dim, odd, to);
    const size_t matched = columns_match(from, to, dim, conversion->source);
    if (matched != dim)
        fail_column(conversion, to[matched]);
}

static void match_columns(struct conversion *conversion)
{
    conversion->source = memory_take(conversion->input.dim, sizeof *conversion->source);
    conversion->row = pieces_allocate(conversion->input.row_bytes);
    if (is_convention(conversion->from))
        convert_named_columns(conversion->options, conversion->input.dim, conversion->input.n, conversion->source);
    else
        match_words(conversion);
}

/* ------------------------------------------------------------------------------------------------- pieces */

/* One size of element at a time, so that the compiler sees a plain copy. */
static void gather_row(const struct conversion *conversion, size_t size, const void *from, void *to)
{
    const size_t *source = conversion->source;
    for (size_t i = 0; i < conversion->input.dim; i++)
        if (size == 2)
            ((uint16_t *)to)[i] = ((const uint16_t *)from)[source[i]];
        else if (size == 4)
            ((uint32_t *)to)[i] = ((const uint32_t *)from)[source[i]];
        else
            ((uint64_t *)to)[i] = ((const uint64_t *)from)[source[i]];
}

static void gather_rows(void *context, size_t block, size_t row, size_t n, void *data)
{
    const struct conversion *conversion = context;
    const size_t row_bytes = conversion->input.row_bytes;
    (void)block;
    (void)row;
    for (char *at = data; n > 0; n--, at += row_bytes) {
        gather_row(conversion, sinpos_type_bytes(conversion->input.type), at, conversion->row);
        memcpy(at, conversion->row, row_bytes);
    }
}

static void convert_array(struct conversion *conversion)
{
    const struct options *options = conversion->options;
    const struct input_array *input = &conversion->input;
    input_open(&conversion->input, options->operands[0], options, false);
    if (options->given[OPTION_DIM] != NULL && options->spec.dim != input->dim) {
        fail_option(options, OPTION_DIM, "leave --dim out: the array gives it", "the array has %zu columns",
                    input->dim);
    }
    match_columns(conversion);
    const size_t n_rows = input->n_blocks * input->n;
    struct array_change change = {.options = options,
                                  .input = &conversion->input,
                                  .n_piece = n_rows == 0 ? 1 : rows_per_piece(input->row_bytes, n_rows),
                                  .work = gather_rows,
                                  .context = conversion,
                                  .from = conversion->from,
                                  .to = conversion->to};
    array_change_run(&change);
}

/* ------------------------------------------------------------------------------------------------ command */

/* What belongs to models only, said of an array. */
static void refuse_model_options(const struct options *options)
{
    static const enum option_id of_models[] = {OPTION_HEADS, OPTION_KV_HEADS, OPTION_ROTARY_DIM, OPTION_TENSORS,
                                               OPTION_SEED};
    refuse_options(options, of_models, sizeof of_models / sizeof of_models[0],
                   "leave it out, or say --from half --to pair", "belongs to the rows of a model, not to columns");
}

static void check_given(const struct options *options)
{
    static const enum option_id needed[] = {OPTION_FROM, OPTION_TO, OPTION_OUTPUT};
    for (size_t i = 0; i < sizeof needed / sizeof needed[0]; i++)
        if (options->given[needed[i]] == NULL)
            fail_option(options, needed[i], "sinpos convert IN --from A --to B -o OUT", "is needed");
    written_check(options);
}

static const char *layout_at(size_t i)
{
    return i == 0 ? "interleaved" : "halves";
}

static const char both[] = "both are layouts, or both conventions; of the rows of a model both are half or pair";

static void check_name(const struct options *options, enum option_id id)
{
    char hint[400], near[NEAREST_CONVENTIONS_BYTES];
    const char *name = options->given[id], *why = is_convention(name) ? NULL : columns_check(name);
    const char *layout = nearest_name(name, layout_at, 2);
    if (why == NULL)
        return;
    const bool is_no_name = strcmp(name, "half") == 0 || strcmp(name, "pair") == 0 || strchr(name, ',') != NULL;
    const bool any = !is_no_name && (layout != NULL || nearest_conventions(name, near));
    snprintf(hint, sizeof hint, "did you mean %s?", layout != NULL ? layout : near);
    fail_option(options, id, any ? hint : both, "%s", why);
}

static void check_names(const struct options *options)
{
    check_name(options, OPTION_FROM);
    check_name(options, OPTION_TO);
    if (is_convention(options->given[OPTION_FROM]) != is_convention(options->given[OPTION_TO]))
        fail_option(options, OPTION_TO, both, "is of another kind than --from");
}

static int command_run(const struct request *request)
{
    const struct options *options = request->options;
    check_given(options);
    const char *from = options->given[OPTION_FROM], *to = options->given[OPTION_TO];
    if (is_pairing(from) && is_pairing(to)) {
        if (strcmp(from, to) == 0)
            fail_option(options, OPTION_TO, "say half or pair", "is the same as --from");
        static const enum option_id of_arrays[] = {OPTION_ZARR, OPTION_CHUNK};
        refuse_options(options, of_arrays, 2, "leave it out", "is for arrays; a model keeps its format");
        convert_model(options);
        return EXIT_DONE;
    }
    check_names(options);
    refuse_model_options(options);
    struct conversion conversion = {.options = options, .from = from, .to = to};
    convert_array(&conversion);
    input_close(&conversion.input);
    free(conversion.source);
    free(conversion.row);
    return EXIT_DONE;
}

const struct command convert_command = {
    .name = "convert",
    .bit = COMMAND_CONVERT,
    .summary = "reorder the columns of an array, or the rows of q and k in a model",
    .usage = "IN --from A --to B -o OUT [options]",
    .description =
        "Arrays: A and B are interleaved or halves, with ,cos-sin behind it where the cosine comes first; or\n"
        "two conventions that differ in columns only, by name, with parameters as NAME:KEY=VALUE,KEY=VALUE.\n"
        "Every row of IN, (..., n, D), is written with its columns in the order of B; values stay as they are.\n"
        "\n"
        "Models: A and B are half and pair, the two ways to rotate q and k: column i with i + R/2 (Hugging Face,\n"
        "GGML NEOX) or 2i with 2i + 1 (Meta, GGML NORMAL). IN is a .safetensors or .gguf file, an .index.json, or\n"
        "the folder of a model; OUT is a file of the same kind, or a new folder for a folder or several files.\n"
        "The rows of the weights and biases of q and k are moved within each head, also where one tensor holds\n"
        "q, k and v in the order that config.json or the format states, and those of their norms;\n"
        "all else is copied byte for byte, names and metadata too, and of a folder config.json, tokenizer and the\n"
        "other files in the folder. Quantised rows move as they are. Before OUT gets its name it is read again:\n"
        "attention scores by the old and the new weights must be the same.",
    .examples = "  sinpos convert table.npy --from halves --to interleaved -o interleaved.npy\n"
                "  sinpos convert table.npy --from whisper_sinusoids --to fairseq_sinusoidal -o fairseq.npy\n"
                "  sinpos convert llama/ --from half --to pair -o llama-pair/\n"
                "  sinpos convert qwen2.gguf --from half --to pair --heads 28 --kv-heads 4 -o pair.gguf\n",
    .n_operands_least = 1,
    .n_operands_most = 1,
    .run = command_run,
    .meanings = {[OPTION_SEED] = "of the vectors for the attention scores (1)",
                 [OPTION_OUTPUT] = "where to write; of a model a file of its kind, or a new folder"},
};
