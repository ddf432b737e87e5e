/* command_rotate.c - sinpos rotate: rotary encoding of queries or keys, passed through in pieces. */
#include <stdio.h>

#include "array_change.h"
#include "array_pieces.h"
#include "commands.h"

/* Below this, starting threads costs more than the work. */
#define THREADED_BYTES ((size_t)512 << 10)

struct rotation {
    const struct options *options;
    const struct request *request;
    struct input_array input; /* its columns are those of all heads */
    size_t n_heads, head;     /* heads of a row, and columns of each */
    sinpos_direction direction;
    struct encoding encoding;
};

static noreturn void fail_rotation(const struct rotation *r, sinpos_status status)
{
    const bool is_replayed = r->encoding.info.is_replayed;
    if (status == SINPOS_E_VALUE) {
        fail(EXIT_USAGE, "--transpose gives the gradient, also of erased rows", "--inverse",
             "there is none: the encoding erases some rows or has an amplitude of 0");
    }
    if (status == SINPOS_E_UNSUPPORTED && is_replayed) {
        fail(EXIT_USAGE, "--transpose rotates back by the same cosines and sines", "--inverse",
             "there is none of elements that were rounded");
    }
    if (status == SINPOS_E_TYPE && is_replayed) {
        fail(EXIT_USAGE, "convert it to float32, or name a recipe: docs/arithmetic.md lists them", r->input.path,
             "in which types the source rotates %s is not recorded", sinpos_element_name(r->input.array->element));
    }
    fail_status(status);
}

static void rotate_rows(void *context, size_t block, size_t row, size_t n, void *data)
{
    struct rotation *r = context;
    const size_t n_threads = n * r->input.row_bytes < THREADED_BYTES ? 1 : r->options->threads;
    (void)block; /* positions restart in each */
    const sinpos_status status = encoding_rotate(&r->encoding, row, n, r->direction, r->n_heads, r->input.type, data,
                                                 r->input.dim, r->head, n_threads);
    if (status != SINPOS_OK)
        fail_rotation(r, status);
}

/* ------------------------------------------------------------------------------------------------- shapes */

static void take_as_heads(struct rotation *r, size_t n_heads)
{
    struct input_array *input = &r->input;
    const sinpos_array *array = input->array;
    r->n_heads = n_heads;
    input->n = array->shape[array->n_dims - 3];
    input->n_blocks = input->n == 0 ? 0 : input->n_blocks / input->n;
    input->dim = n_heads * r->head;
    input->row_bytes = input->dim * sinpos_type_bytes(input->type);
}

/* (..., n, H, D) with --heads H, else (..., n, D). */
static void take_heads(struct rotation *r)
{
    const sinpos_array *array = r->input.array;
    char shape[SHAPE_TEXT_BYTES];
    r->head = array->shape[array->n_dims - 1];
    r->n_heads = 1;
    if (r->options->given[OPTION_HEADS] == NULL)
        return;
    r->n_heads = r->options->heads;
    if (array->n_dims < 3 || array->shape[array->n_dims - 2] != r->n_heads) {
        fail_option(r->options, OPTION_HEADS, "(..., H, n, D) needs no --heads: each head is a block",
                    "the array is %s, not (..., n, %zu, D)", shape_text(array, shape), r->n_heads);
    }
    take_as_heads(r, r->n_heads);
}

/* The length is that of the positions, not of whatever dimension comes before the columns. */
static void open_array(struct rotation *r)
{
    input_open(&r->input, r->options->operands[0], r->options, r->request->convention != NULL);
    take_heads(r);
    input_check_length(&r->input, r->options);
}

/*
 * Rows for n positions: those of a grid in two or three dimensions, or of all blocks; else (n, H, D), which nobody
 * said.
 */
static bool take_rows(struct rotation *r, size_t n)
{
    struct input_array *input = &r->input;
    const sinpos_array *array = input->array;
    size_t product = 1;
    for (size_t k = array->n_dims - (r->n_heads > 1 || r->options->given[OPTION_HEADS] != NULL ? 2 : 1); k-- > 0;) {
        product *= array->shape[k];
        if (product == n && n > 0) {
            input->n_blocks = input->n_blocks * input->n / n;
            input->n = n;
            return true;
        }
    }
    if (r->options->given[OPTION_HEADS] != NULL || array->n_dims < 3 || array->shape[array->n_dims - 3] != n || n == 0)
        return false;
    take_as_heads(r, array->shape[array->n_dims - 2]);
    return true;
}

/* -------------------------------------------------------------------------------------------- conventions */

/* A table of a length, not a list: of a shorter array it rotates the rows that there are. */
static bool is_longer_range(const struct rotation *r, const sinpos_encoding_info *info)
{
    sinpos_rows rows = SINPOS_ROWS_INIT;
    return info->n_positions > r->input.n && info->n_axes == 1 && info->n_zero_rows == 0 &&
           sinpos_encoding_positions(r->encoding.named, 0, r->input.n, &rows) == SINPOS_OK && rows.integers == NULL &&
           rows.reals == NULL;
}

static bool fits(struct rotation *r)
{
    const sinpos_encoding_info *info = &r->encoding.info;
    return info->head_width > 0 && info->head_width <= r->head &&
           (info->n_positions == r->input.n || take_rows(r, info->n_positions) || is_longer_range(r, info));
}

static noreturn void fail_unfit(const struct rotation *r)
{
    const sinpos_encoding_info *info = &r->encoding.info;
    char hint[160], shape[SHAPE_TEXT_BYTES];
    const char *name = sinpos_convention_name(info->convention);
    snprintf(hint, sizeof hint, "--positions, --grid and --set say otherwise; 'sinpos conventions %.60s' has the words",
             name);
    if (info->head_width > r->head) {
        fail(EXIT_USAGE, hint, r->input.path, "has heads of %zu columns, and %s rotates heads of %zu", r->head, name,
             info->head_width);
    }
    fail(EXIT_USAGE, hint, r->input.path, "is %s, which are not the %zu positions of %s",
         shape_text(r->input.array, shape), info->n_positions, name);
}

static bool make(struct rotation *r, const struct known *known, sinpos_error *error)
{
    encoding_free(&r->encoding);
    return encoding_make(&r->encoding, r->request, known, (unsigned)r->input.type, "rotated", error);
}

static void make_named(struct rotation *r)
{
    const size_t n = r->input.n;
    const struct known likely[] = {
        {.dim = r->head, .n_rows = n},
        {.dim = r->head, .n_rows = n, .forces_rows = true},
        {.dim = r->head, .n_rows = n * r->input.n_blocks, .forces_rows = true},
        {.dim = r->head, .n_rows = n > 0 ? n - 1 : 0}, /* and a row of zeros */
    };
    for (size_t k = 0; k < sizeof likely / sizeof likely[0]; k++) {
        sinpos_error error = SINPOS_ERROR_INIT;
        if (make(r, &likely[k], &error) && fits(r))
            return;
    }
    make(r, &likely[0], NULL);
    fail_unfit(r);
}

/* ----------------------------------------------------------------------------------------- general options */

/* All columns unless --dim says how many. */
static void make_stated(struct rotation *r)
{
    const struct request *request = r->request;
    if ((request->has_list || request->has_grid) && request->positions.n != r->input.n)
        take_rows(r, request->positions.n);
    make(r, &(struct known){.dim = r->head, .n_rows = r->input.n}, NULL);
    if (r->encoding.dim > r->head) {
        const bool has_dim = r->options->given[OPTION_DIM] != NULL;
        fail_option(r->options, has_dim ? OPTION_DIM : OPTION_THETA,
                    has_dim ? "--dim is how many of them are rotated" : "each frequency has two columns",
                    "more columns than the %zu of a head", r->head);
    }
    encoding_plan(&r->encoding);
}

/* ------------------------------------------------------------------------------------------------ command */

static void check_direction(struct rotation *r)
{
    const bool inverse = r->options->given[OPTION_INVERSE] != NULL;
    const bool transpose = r->options->given[OPTION_TRANSPOSE] != NULL;
    r->direction = inverse ? SINPOS_INVERSE : transpose ? SINPOS_TRANSPOSE : SINPOS_FORWARD;
    if (inverse && transpose)
        fail_option(r->options, OPTION_TRANSPOSE, "leave one of the two out", "cannot be combined with --inverse");
}

static int command_run(const struct request *request)
{
    struct rotation r = {.options = request->options, .request = request};
    array_change_check(r.options);
    check_direction(&r);
    open_array(&r);
    if (request->convention != NULL)
        make_named(&r);
    else
        make_stated(&r);
    struct array_change change = {.options = r.options,
                                  .input = &r.input,
                                  .n_piece = input_piece_rows(&r.input, &r.encoding, r.input.row_bytes),
                                  .work = rotate_rows,
                                  .context = &r,
                                  .tensor = r.options->given[OPTION_TENSOR]};
    encoding_prepare(&r.encoding, change.n_piece);
    array_change_run(&change);
    input_close(&r.input);
    encoding_free(&r.encoding);
    return EXIT_DONE;
}

const struct command rotate_command = {
    .name = "rotate",
    .bit = COMMAND_ROTATE,
    .summary = "apply a rotary encoding to queries or keys",
    .usage = "IN -o OUT [options]",
    .description =
        "IN holds queries or keys of any of the four types: (..., n, D), or (..., n, H, D) with --heads H.\n"
        "Every element of OUT is the rotated one, rounded once to the type of IN; no table of sines is made.\n"
        "With --arithmetic cosines, sines, products and sums are rounded as somebody's code rounds them.\n"
        "Without a convention columns j and j + D/2 are a pair (as Llama in Transformers has it), with\n"
        "--layout interleaved 2j and 2j + 1 (as the first Llama); --dim rotates the first columns of a head\n"
        "alone, and the others stay as they are. Each (n, D) block restarts at the first position unless\n"
        "positions for all blocks are given. The array may be larger than memory, and OUT may be IN.",
    .examples = "  sinpos rotate q.npy -o rotated.npy --base 500000 --start 512\n"
                "  sinpos rotate q.npy -o rotated.npy --heads 32 --from-config config.json\n"
                "  sinpos rotate k.npy -o rotated.npy --convention mlx_rope --set traditional=true\n"
                "  sinpos rotate rotated.npy -o q.npy --base 500000 --start 512 --inverse\n",
    .n_operands_least = 1,
    .n_operands_most = 1,
    .run = command_run,
    .meanings = {[OPTION_HEADS] = "heads of a row: IN is (..., n, H, D) (one, or each a block)",
                 [OPTION_CONVENTION] = "named definition (hf_rope where --set or --parameters are given)",
                 [OPTION_DIM] = "columns of a head that are rotated, the first ones (all)",
                 [OPTION_LAYOUT] = "which columns pair: interleaved 2j and 2j+1, halves j and j+D/2 (halves)",
                 [OPTION_AMPLITUDE] = "factor on what is rotated (1)",
                 [OPTION_OUTPUT] =
                     "where to write: .npy .safetensors .gguf .csv .h .raw .zarr; - is standard output (.npy)",
                 [OPTION_TENSOR] = "name of the tensor, where the file has several"},
};
