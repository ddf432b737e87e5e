#include "input_array.h"

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
    if (array->n_dims < 2 || array->shape[array->n_dims - 1] == 0) {
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
    input->n = array->shape[array->n_dims - 2];
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
