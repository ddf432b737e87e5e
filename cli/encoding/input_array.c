#include "input_array.h"

#include "array_pieces.h"
#include "owned.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void check_array(struct input_array *input, const struct options *options, bool may_be_row)
{
    const sinpos_array *array = input->array;
    const size_t least = may_be_row ? 1 : 2;
    check_floats(array, input->path);
    if (array->n_dims < least || array->shape[array->n_dims - 1] == 0) {
        fail(EXIT_FILE, "reshape it to (n, dim)", input->path,
             array->n_dims == 0   ? "holds one number, where rows and columns are needed"
             : array->n_dims == 1 ? "has one dimension, where rows and columns are needed"
                                  : "has no columns");
    }
    input->type = (sinpos_type)array->element;
    if (options->given[OPTION_TYPE] != NULL && options->type != input->type) {
        fail_option(options, OPTION_TYPE, "leave --type out: the array gives it", "the array holds %s",
                    sinpos_element_name(array->element));
    }
}

static void take_shape(struct input_array *input)
{
    const sinpos_array *array = input->array;
    input->dim = array->shape[array->n_dims - 1];
    input->n = array->n_dims < 2 ? 1 : array->shape[array->n_dims - 2];
    input->n_blocks = 1;
    for (size_t i = 0; i + 2 < array->n_dims; i++)
        input->n_blocks = array->shape[i] == 0 ? 0 : input->n_blocks * array->shape[i];
    input->row_bytes = input->dim * sinpos_type_bytes(input->type);
}

void input_open(struct input_array *input, const char *path, const struct options *options, bool may_be_row)
{
    const bool is_raw = ends_with(path, ".raw");
    const sinpos_reader_options reading = {
        .struct_size = sizeof reading,
        .tensor = options->given[OPTION_TENSOR],
        .element = is_raw ? (sinpos_element)options->type : 0,
        .dim = is_raw && options->given[OPTION_DIM] != NULL ? options->spec.dim : 0,
    };
    sinpos_file_error error = SINPOS_FILE_ERROR_INIT;
    *input = (struct input_array){.path = strcmp(path, "-") == 0 ? "standard input" : path};
    if (sinpos_reader_open(&input->reader, path, &reading, &error) != SINPOS_FILE_OK)
        fail_read(path, &error);
    input->array = sinpos_reader_array(input->reader);
    check_array(input, options, may_be_row);
    take_shape(input);
}

void input_check_length(const struct input_array *input, const struct options *options)
{
    if (options->given[OPTION_LENGTH] != NULL && options->length != input->n) {
        fail_option(options, OPTION_LENGTH, "leave --length out: the array gives it", "the array has %zu rows",
                    input->n);
    }
}

void input_close(struct input_array *input)
{
    sinpos_reader_close(input->reader);
    input->reader = NULL;
}

void input_sines(const struct input_array *input, const struct request *request, unsigned types,
                 struct encoding *encoding)
{
    const struct known known = {.dim = input->dim, .n_rows = input->n};
    encoding_make_sines(encoding, request, &known, types);
    encoding_plan(encoding);
}

/* --------------------------------------------------------------------------------------------------- conventions */

/* Do dimensions of the array before the last ones make n, multiplied from the last on? */
static bool product_is(const sinpos_array *array, size_t n_before, size_t n)
{
    size_t product = 1;
    for (size_t k = n_before; k > 0 && product < n && array->shape[k - 1] > 0; k--)
        product *= array->shape[k - 1];
    return product == n;
}

/* Dimensions that are the columns of a row: pairs and matrices have several. */
static size_t column_dims(const sinpos_encoding_info *info)
{
    const size_t k = info->output == SINPOS_OUTPUT_CIS ? 2 : info->output == SINPOS_OUTPUT_MATRIX ? 3 : 1;
    return k < info->n_dims ? k : info->n_dims;
}

/* Is the array one or several of the encoding, be it with its rows in one dimension? */
static bool is_array_of(const sinpos_array *array, const sinpos_encoding_info *info)
{
    size_t first = 0;
    while (first + 1 < info->n_dims && info->shape[first] == 1)
        first++;
    const size_t n = info->n_dims - first, n_array = array->n_dims;
    bool same = n_array >= n;
    for (size_t k = 1; same && k <= n; k++)
        same = array->shape[n_array - k] == info->shape[info->n_dims - k];
    const bool is_one_pair = column_dims(info) > 1 && info->n_columns == info->shape[info->n_dims - 1];
    const bool same_columns = array->shape[n_array - 1] == info->n_columns && !is_one_pair;
    return same || (same_columns && n_array > 1 && array->shape[n_array - 2] == info->n_rows) ||
           (same_columns && n == 2 && product_is(array, n_array - 1, info->n_rows));
}

static void take_grid(struct known *hint, const struct input_array *input, size_t n, size_t n_after)
{
    for (size_t k = 0; n > 0 && n + 1 <= input->array->n_dims && k < n; k++)
        hint->sizes[k] = input->array->shape[input->array->n_dims - n_after - n + k];
}

/* A parameter, and what came of it. */
struct trial {
    size_t parameter, made; /* 0: none yet */
};

/* The next value of a parameter that is to make `wanted`: in proportion, then on the line through two trials. */
static size_t next_value(struct trial *last, size_t parameter, size_t made, size_t wanted)
{
    const struct trial before = *last;
    double next = (double)parameter * (double)wanted / (double)made;
    *last = (struct trial){parameter, made};
    if (made == wanted || made == 0)
        return parameter;
    if (before.parameter > 0 && before.made != made) {
        next = (double)parameter + ((double)wanted - (double)made) * ((double)parameter - (double)before.parameter) /
                                       ((double)made - (double)before.made);
    }
    return next >= 1 && next < 0x1p53 ? (size_t)next : 1;
}

/* Rows of the encoding where it is one table or two of them, one after the other. */
static size_t rows_of_block(const sinpos_encoding_info *info)
{
    const size_t k = column_dims(info);
    return k < info->n_dims ? info->shape[info->n_dims - 1 - k] : 1;
}

/* What the array says of the encoding, once the encoding's form is known: its width, and its rows of a block. */
struct extent {
    size_t columns, rows;
};

static struct extent extent_of(const struct input_array *input, const sinpos_encoding_info *info)
{
    const sinpos_array *array = input->array;
    const size_t n = array->n_dims;
    if (info->is_channel_first) /* before a grid of all axes */
        return (struct extent){info->n_axes < n ? array->shape[n - 1 - info->n_axes] : input->dim, input->n};
    const size_t k = column_dims(info);
    size_t columns = 1;
    for (size_t i = 0; i < k && i < n; i++)
        columns *= array->shape[n - 1 - i];
    return (struct extent){columns, k < n ? array->shape[n - 1 - k] : 1};
}

/* The default of the parameter that is the width; 0 for none. */
static double default_width(const sinpos_convention *convention)
{
    const size_t i = parameter_with(convention, "role", "dim", 0);
    const char *fallback = sinpos_convention_parameter(convention, i, "default");
    return fallback != NULL ? strtod(fallback, NULL) : 0;
}

/* The width for so many columns, if columns grow in proportion to it as they do with the default. */
static size_t in_proportion(const sinpos_encoding_info *info, size_t columns)
{
    const double width = default_width(info->convention) * (double)columns / (double)info->n_columns;
    return width >= 1 && width <= (double)SINPOS_MAX_DIM ? (size_t)width : columns;
}

/*
 * After a refusal: the width that the array has in the form of the encoding, which defaults show, unless it was tried
 * before; else the one in proportion to the default; else half of it.
 */
static bool other_width(const struct input_array *input, const struct request *request, unsigned types, size_t before,
                        struct known *hint)
{
    struct known open = *hint;
    sinpos_error error = SINPOS_ERROR_INIT;
    RELEASED_BY(encoding_free) struct encoding plain = {0};
    const size_t refused = hint->dim;
    open.dim = 0;
    if (encoding_make(&plain, request, &open, types, NULL, &error)) {
        const sinpos_encoding_info *info = &plain.info;
        const size_t columns = extent_of(input, info).columns;
        hint->dim = columns != refused && columns != before ? columns : in_proportion(info, columns);
    }
    hint->dim = hint->dim != refused ? hint->dim : refused / 2;
    return hint->dim > 0;
}

enum { MOST_TRIES = 6 };

/* Parameters that give the shape of the array, by what the ones before gave. False: there are none. */
static bool solve(const struct input_array *input, const struct request *request, unsigned types, struct known hint,
                  struct encoding *encoding)
{
    struct trial width = {0}, rows = {0};
    bool is_refused = false;
    for (int tried = 0; tried < MOST_TRIES && hint.dim <= SINPOS_MAX_DIM; tried++) {
        sinpos_error error = SINPOS_ERROR_INIT;
        const struct known before = hint;
        encoding_free(encoding);
        if (!encoding_make(encoding, request, &hint, types, NULL, &error)) {
            if (is_refused || !other_width(input, request, types, width.parameter, &hint))
                return false;
            is_refused = true;
            continue;
        }
        const sinpos_encoding_info *info = &encoding->info;
        const struct extent wanted = extent_of(input, info);
        const bool has_rows = info->n_rows > 1 || wanted.rows <= 1; /* one row alone is that of any array */
        if (is_array_of(input->array, info) &&
            (has_rows || sinpos_convention_rows(info->convention) == SINPOS_ROWS_OWN))
            return true;
        const bool is_first = info->is_channel_first;
        const size_t n_made = is_first ? wanted.rows : rows_of_block(info);
        hint.dim = next_value(&width, hint.dim, is_first ? info->n_rows : info->n_columns, wanted.columns);
        hint.n_rows = next_value(&rows, hint.n_rows, n_made, wanted.rows);
        if (hint.dim == before.dim && hint.n_rows == before.n_rows)
            return false;
    }
    return false;
}

static noreturn void fail_shape(const struct input_array *input, const struct request *request, unsigned types,
                                struct encoding *encoding)
{
    const struct known hint = {.dim = input->dim, .n_rows = input->n};
    char shape[SHAPE_TEXT_BYTES], own[ENCODING_SHAPE_BYTES], words[160];
    encoding_free(encoding);
    encoding_make(encoding, request, &hint, types, NULL, NULL);
    const char *name = encoding_name(encoding);
    snprintf(words, sizeof words, "--set, --grid and --dim say which shape; 'sinpos conventions %.60s' has the words",
             name);
    fail(EXIT_USAGE, words, input->path, "is %s, and %s makes %s", shape_text(input->array, shape), name,
         encoding_shape_text(encoding, own));
}

/* The rows of the array as those of the encoding. */
static void take_rows(struct input_array *input, const sinpos_encoding_info *info)
{
    size_t elements = 1;
    for (size_t k = 0; k < input->array->n_dims; k++)
        elements *= input->array->shape[k];
    input->dim = info->n_columns;
    input->n = info->n_rows;
    input->n_blocks = elements / input->dim / input->n;
    input->row_bytes = input->dim * sinpos_type_bytes(input->type);
}

static void find_shape(struct input_array *input, const struct request *request, unsigned types,
                       struct encoding *encoding)
{
    enum { AS_ROWS, AS_GRID, AS_GRID_BEHIND_COLUMNS, AS_FORCED_ROWS, WAYS };
    const size_t n_dims = input->array->n_dims, n_grid = request_grid_axes(request);
    bool settled = false;
    for (int way = AS_ROWS; way < WAYS && !settled; way++) {
        const size_t place = way == AS_GRID_BEHIND_COLUMNS ? n_grid : 0;
        struct known hint = {.n_rows = input->n, .forces_rows = way == AS_FORCED_ROWS};
        if (place < n_dims)
            hint.dim = input->array->shape[n_dims - 1 - place];
        if (way == AS_GRID || way == AS_GRID_BEHIND_COLUMNS)
            take_grid(&hint, input, n_grid, place == 0);
        settled = hint.dim > 0 && hint.dim <= SINPOS_MAX_DIM &&
                  (way == AS_ROWS || way == AS_FORCED_ROWS || n_grid > 0) &&
                  solve(input, request, types, hint, encoding);
    }
    if (!settled)
        fail_shape(input, request, types, encoding);
    take_rows(input, &encoding->info);
}

void input_encoding(struct input_array *input, const struct request *request, unsigned types, struct encoding *encoding)
{
    input_check_length(input, request->options);
    if (request->convention == NULL)
        input_sines(input, request, types, encoding);
    else
        find_shape(input, request, types, encoding);
}

size_t input_piece_rows(const struct input_array *input, const struct encoding *encoding, size_t row_bytes)
{
    const size_t n_rows = input->n_blocks * input->n;
    return n_rows == 0 ? 1 : encoding->info.is_channel_first ? input->n : rows_per_piece(row_bytes, n_rows);
}
