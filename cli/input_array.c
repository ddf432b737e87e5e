#include "input_array.h"

#include "pieces.h"

#include <stdio.h>
#include <string.h>

static bool is_raw(const char *path)
{
    const size_t length = strlen(path);
    return length >= 4 && strcmp(path + length - 4, ".raw") == 0;
}

static int check_array(struct input_array *input, const struct options *options)
{
    const sinpos_array *array = input->array;
    const unsigned element = (unsigned)array->element;
    const unsigned floats = SINPOS_F64 | SINPOS_F32 | SINPOS_F16 | SINPOS_BF16;
    char why[200];
    if ((element & floats) == 0) {
        return complain(EXIT_FILE, "convert it to float32, float64, float16 or bfloat16", input->path,
                        "holds %s, not floating-point numbers", sinpos_element_name(array->element));
    }
    const size_t least = named_is_asked(options) ? 1 : 2;
    if (array->n_dims < least || array->shape[array->n_dims - 1] == 0) {
        return complain(EXIT_FILE, "reshape it to (n, dim)", input->path,
                        array->n_dims == 0   ? "holds one number, where rows and columns are needed"
                        : array->n_dims == 1 ? "has one dimension, where rows and columns are needed"
                                             : "has no columns");
    }
    input->type = (sinpos_type)element;
    if (options->given[OPTION_TYPE] != NULL && options->type != input->type) {
        snprintf(why, sizeof why, "the array holds %s", sinpos_element_name(array->element));
        return complain_option(options, OPTION_TYPE, "leave --type out: the array tells it", why);
    }
    return EXIT_DONE;
}

static void take_shape(struct input_array *input)
{
    const sinpos_array *array = input->array;
    input->dim = array->shape[array->n_dims - 1];
    input->n = array->n_dims < 2 ? 1 : array->shape[array->n_dims - 2];
    input->n_blocks = 1;
    for (size_t i = 0; i + 2 < array->n_dims; i++) {
        input->n_blocks = array->shape[i] == 0 ? 0 : input->n_blocks * array->shape[i];
    }
    input->row_bytes = input->dim * sinpos_type_bytes(input->type);
}

int input_open(struct input_array *input, const char *path, const struct options *options)
{
    const sinpos_reader_options reading = {
        .tensor = options->given[OPTION_TENSOR],
        .element = is_raw(path) ? (sinpos_element)options->type : 0,
        .dim = is_raw(path) && options->given[OPTION_DIM] != NULL ? options->spec.dim : 0,
    };
    sinpos_file_error error;
    *input = (struct input_array){.path = strcmp(path, "-") == 0 ? "standard input" : path};
    if (sinpos_reader_open(&input->reader, path, &reading, &error) != SINPOS_FILE_OK) {
        return complain_read(path, &error);
    }
    input->array = sinpos_reader_array(input->reader);
    const int code = check_array(input, options);
    if (code != EXIT_DONE) {
        input_close(input);
        return code;
    }
    take_shape(input);
    if (options->given[OPTION_LENGTH] != NULL && options->length != input->n) {
        char why[100];
        snprintf(why, sizeof why, "the array has %zu rows", input->n);
        input_close(input);
        return complain_option(options, OPTION_LENGTH, "leave --length out: the array tells it", why);
    }
    return EXIT_DONE;
}

void input_close(struct input_array *input)
{
    sinpos_reader_close(input->reader);
    input->reader = NULL;
}

int input_encoding(const struct input_array *input, const struct options *options, unsigned types,
                   struct positions *positions, struct encoding *encoding)
{
    int code = positions_make(positions, options);
    code = code != EXIT_DONE ? code : positions_set_length(positions, options, input->n);
    code = code != EXIT_DONE ? code : encoding_make(encoding, options, positions, input->dim, types);
    return code != EXIT_DONE ? code : encoding_plan(encoding);
}

/* --------------------------------------------------------------------------------------------------- conventions */

/* Do dimensions of the array before the last ones make n, multiplied from the last on? */
static bool product_is(const sinpos_array *array, size_t n_before, size_t n)
{
    size_t product = 1;
    for (size_t k = n_before; k > 0 && product < n && array->shape[k - 1] > 0; k--) {
        product *= array->shape[k - 1];
    }
    return product == n;
}

/* Is the array one or several of the encoding, be it with its rows in one dimension? */
static bool is_array_of(const sinpos_array *array, const sinpos_encoding_info *info)
{
    size_t first = 0;
    while (first + 1 < info->n_dims && info->shape[first] == 1) {
        first++;
    }
    const size_t n = info->n_dims - first, n_array = array->n_dims;
    bool same = n_array >= n;
    for (size_t k = 1; same && k <= n; k++) {
        same = array->shape[n_array - k] == info->shape[info->n_dims - k];
    }
    const bool same_columns = array->shape[n_array - 1] == info->n_columns;
    return same || (same_columns && n_array > 1 && array->shape[n_array - 2] == info->n_rows) ||
           (same_columns && n == 2 && product_is(array, n_array - 1, info->n_rows));
}

/* What the width may be, going by the size of one dimension: some conventions ask for half of it, or lose a column. */
static size_t width_of(size_t size, size_t guess)
{
    const size_t widths[] = {size, size / 2, size + 1, size > 0 ? size - 1 : 0};
    return guess < sizeof widths / sizeof widths[0] ? widths[guess] : 0;
}

static void take_grid(struct named_array *hint, const struct input_array *input, const struct options *options,
                      bool channel_first)
{
    const size_t n = named_grid_axes(options), n_after = channel_first ? 0 : 1;
    for (size_t k = 0; n > 0 && n + 1 <= input->array->n_dims && k < n; k++) {
        hint->sizes[k] = input->array->shape[input->array->n_dims - n_after - n + k];
    }
}

/* One way to understand the array. True: it fits, or something failed that is no matter of shapes. */
static bool try_hint(const struct input_array *input, const struct options *options, unsigned types,
                     const struct named_array *hint, sinpos_encoding **named, int *code)
{
    sinpos_error error = SINPOS_ERROR_INIT;
    *code = named_make(named, options, hint, types, NULL, &error);
    if (*code != EXIT_DONE) {
        return error.message[0] == '\0';
    }
    if (is_array_of(input->array, sinpos_encoding_info_get(*named))) {
        return true;
    }
    sinpos_encoding_destroy(*named);
    *named = NULL;
    return false;
}

enum { WIDTHS = 4, FEWER_ROWS = 3, WAYS = 3, PLACES = 3 };

/* Hint number k of those that are worth trying, the likely ones first. False: it is none. */
static bool make_hint(const struct input_array *input, const struct options *options, size_t k,
                      struct named_array *hint)
{
    const size_t n_dims = input->array->n_dims;
    const size_t way = k % WAYS, width = k / WAYS % WIDTHS, fewer = k / WAYS / WIDTHS % FEWER_ROWS,
                 place = k / WAYS / WIDTHS / FEWER_ROWS; /* of the columns, from the last dimension on */
    if (place >= n_dims || fewer >= input->n) {
        return false;
    }
    *hint = (struct named_array){.dim = width_of(input->array->shape[n_dims - 1 - place], width),
                                 .n_rows = input->n - fewer,
                                 .forces_rows = way == 2};
    if (way == 1) {
        take_grid(hint, input, options, place > 0);
    }
    return hint->dim > 0 && hint->dim <= SINPOS_MAX_DIM && (way != 1 || hint->sizes[0] > 0);
}

static int complain_shape(const struct input_array *input, const struct options *options, unsigned types)
{
    const struct named_array hint = {.dim = input->dim, .n_rows = input->n};
    char shape[SHAPE_TEXT_BYTES], own[NAMED_SHAPE_BYTES], words[160];
    sinpos_encoding *named;
    int code = named_make(&named, options, &hint, types, NULL, NULL);
    if (code == EXIT_DONE) {
        const sinpos_encoding_info *info = sinpos_encoding_info_get(named);
        snprintf(words, sizeof words,
                 "--set, --grid and --dim say which shape; 'sinpos conventions %.60s' has the words",
                 info->convention->name);
        code = complain(EXIT_USAGE, words, input->path, "is %s, and %s makes %s", shape_text(input->array, shape),
                        info->convention->name, named_shape_text(info, own));
        sinpos_encoding_destroy(named);
    }
    return code;
}

int input_named(struct input_array *input, const struct options *options, unsigned types, sinpos_encoding **named)
{
    bool settled = false;
    int code = EXIT_DONE;
    for (size_t k = 0; !settled && k < WAYS * WIDTHS * FEWER_ROWS * PLACES; k++) {
        struct named_array hint;
        settled = make_hint(input, options, k, &hint) && try_hint(input, options, types, &hint, named, &code);
    }
    if (!settled || code != EXIT_DONE) {
        return settled ? code : complain_shape(input, options, types);
    }
    const sinpos_encoding_info *info = sinpos_encoding_info_get(*named);
    size_t elements = 1;
    for (size_t k = 0; k < input->array->n_dims; k++) {
        elements *= input->array->shape[k];
    }
    input->dim = info->n_columns;
    input->n = info->n_rows;
    input->n_blocks = elements / input->dim / input->n;
    input->row_bytes = input->dim * sinpos_type_bytes(input->type);
    return EXIT_DONE;
}

size_t input_piece_rows(const struct input_array *input, const sinpos_encoding *named, size_t row_bytes)
{
    const size_t n_rows = input->n_blocks * input->n;
    const bool whole = named != NULL && sinpos_encoding_info_get(named)->is_channel_first;
    return n_rows == 0 ? 1 : whole ? input->n : rows_per_piece(row_bytes, n_rows);
}
