/* command_identify.c - sinpos identify: what made an array. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "identify.h"
#include "input_array.h"
#include "json_out.h"
#include "pieces.h"

/* An array in memory. */
struct loaded {
    char *data;
    size_t row_bytes;
};

static sinpos_status read_rows(void *context, size_t first, size_t n, void *rows)
{
    const struct loaded *loaded = context;
    memcpy(rows, loaded->data + first * loaded->row_bytes, n * loaded->row_bytes);
    return SINPOS_OK;
}

static int load(struct loaded *loaded, struct input_array *input)
{
    const size_t n = input->n_blocks * input->n;
    sinpos_file_error error;
    loaded->row_bytes = input->row_bytes;
    loaded->data = pieces_allocate(n * input->row_bytes);
    if (loaded->data == NULL) {
        return complain_memory();
    }
    if (sinpos_reader_read(input->reader, loaded->data, n * input->dim, &error) != SINPOS_FILE_OK) {
        return complain_read(input->path, &error);
    }
    return EXIT_DONE;
}

static int identify(struct identified *found, const struct options *options, const struct input_array *input,
                    struct loaded *loaded)
{
    const sinpos_table table = {.n_dims = input->array->n_dims,
                                .shape = input->array->shape,
                                .type = input->type,
                                .read = read_rows,
                                .context = loaded};
    found->n_dims = input->array->n_dims;
    memcpy(found->shape, input->array->shape, sizeof found->shape);
    const sinpos_status status = sinpos_identify(&found->identity, &table, options->threads);
    return status == SINPOS_OK ? identify_make_command(found) : complain_status(status);
}

static int open_and_identify(struct identified *found, const struct options *options)
{
    struct input_array input;
    struct loaded loaded = {0};
    int code = input_open(&input, found->path, options);
    if (code != EXIT_DONE) {
        return code;
    }
    if (input.n == 0 || input.n_blocks == 0) {
        code = complain(EXIT_FILE, "there is nothing to identify", input.path, "holds no elements");
    }
    code = code != EXIT_DONE ? code : load(&loaded, &input);
    code = code != EXIT_DONE ? code : identify(found, options, &input, &loaded);
    free(loaded.data);
    input_close(&input);
    return code;
}

static int report(const struct identified *found, const struct options *options)
{
    if (options->given[OPTION_JSON] != NULL) {
        emit_object(NULL);
        identify_json(found);
        emit_close();
    } else {
        identify_print(found);
    }
    const int code = finish_output();
    return code != EXIT_DONE ? code : found->identity->is_sinusoidal ? EXIT_DONE : EXIT_CHECK;
}

static int command_run(const struct options *options)
{
    struct identified found = {.path = options->operands[0]};
    int code = open_and_identify(&found, options);
    code = code != EXIT_DONE ? code : report(&found, options);
    sinpos_identity_destroy(found.identity);
    buffer_free(&found.command);
    free(found.tensor);
    return code;
}

const struct command identify_command = {
    .name = "identify",
    .bit = COMMAND_IDENTIFY,
    .summary = "say what made an array, and how wrong it is",
    .usage = "FILE [options]",
    .description = "Looks at an array of any shape and tells, from its elements alone, the layout of its columns,\n"
                   "its frequencies, positions, amplitude and padding, which roundings made it, which named\n"
                   "conventions it is, the command that makes the exact array, and how far it is from that.\n"
                   "Exit 1 if it is not a sinusoidal encoding.",
    .examples = "  sinpos identify table.npy\n"
                "  sinpos identify model.safetensors --tensor encoder.embed_positions.weight\n",
    .n_operands_least = 1,
    .n_operands_most = 1,
    .run = command_run,
};
