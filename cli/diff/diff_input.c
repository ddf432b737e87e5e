#include "diff_input.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "folder.h"
#include "nearest_convention.h"
#include "no_memory.h"

/* ------------------------------------------------------------------------------------------------- files */

void diff_input_open_file(struct diff_input *d, const char *path, const struct options *options, const char *tensor)
{
    struct options own = *options;
    own.given[OPTION_TENSOR] = tensor;
    d->name = path;
    d->is_file = true;
    input_open(&d->input, path, &own, false);
    if (d->input.n == 0 || d->input.n_blocks == 0)
        fail(EXIT_FILE, "there is nothing to compare", d->input.path, "holds no elements");
    d->n_dims = d->input.array->n_dims;
    memcpy(d->shape, d->input.array->shape, sizeof d->shape);
    d->source =
        row_source_open(d->input.path, d->input.reader, d->input.n_blocks * d->input.n, d->input.dim, d->input.type);
    d->table = (sinpos_table){
        .n_dims = d->n_dims, .shape = d->shape, .type = d->input.type, .read = row_source_read, .context = &d->source};
}

/* ------------------------------------------------------------------------------------------- conventions */

static sinpos_status read_convention(void *context, size_t first, size_t n, void *rows)
{
    struct diff_input *d = context;
    const size_t row_bytes = d->input.row_bytes;
    for (size_t at = 0; at < n;) {
        const size_t row = (first + at) % d->n_rows, left = d->n_rows - row, some = n - at < left ? n - at : left;
        encoding_prepare(&d->encoding, some);
        const sinpos_status status = encoding_run(&d->encoding, SINPOS_FILL, row, some, d->table.type,
                                                  (char *)rows + at * row_bytes, d->threads);
        if (status != SINPOS_OK)
            return status;
        at += some;
    }
    return SINPOS_OK;
}

/* What the rows of the convention are, both arrays then have. */
static void take_shape(struct diff_input *d, struct diff_input *other)
{
    d->n_rows = d->input.n;
    d->n_dims = 2;
    d->shape[0] = d->input.n * d->input.n_blocks;
    d->shape[1] = d->input.dim;
    d->table =
        (sinpos_table){.n_dims = 2, .shape = d->shape, .type = d->input.type, .read = read_convention, .context = d};
    other->n_dims = other->table.n_dims = 2;
    memcpy(other->shape, d->shape, sizeof d->shape);
}

static void make_convention(struct diff_input *d, const char *name, const struct options *options,
                            struct diff_input *other)
{
    d->name = name;
    d->threads = options->threads;
    d->words = strdup(name);
    if (d->words == NULL)
        fail_memory();
    d->input = other->input; /* its reader stays the other's */
    request_make_convention(&d->request, options, d->words, d->input.n);
    input_encoding(&d->input, &d->request, (unsigned)d->input.type, &d->encoding);
    take_shape(d, other);
}

/* ------------------------------------------------------------------------------------------------- which */

/* A name with an ending, or of something that exists, is a file. */
static bool is_file(const char *name)
{
    struct stat status;
    return strcmp(name, "-") == 0 || strchr(name, '/') != NULL || file_is_there(name, &status) ||
           (strrchr(name, '.') != NULL && strchr(name, ':') == NULL);
}

static void check_convention(const char *name)
{
    char word[100], near[NEAREST_CONVENTIONS_BYTES], hint[400];
    snprintf(word, sizeof word, "%.*s", (int)strcspn(name, ":"), name);
    if (sinpos_convention_find(word) != NULL)
        return;
    if (nearest_conventions(word, near))
        snprintf(hint, sizeof hint, "did you mean %s? 'sinpos conventions' lists them", near);
    else
        snprintf(hint, sizeof hint, "a file has an ending: .npy .safetensors .gguf; 'sinpos conventions' lists names");
    fail(EXIT_USAGE, hint, SHOWN(name), "no such file, and no such convention");
}

void diff_input_open(struct diff_input input[2], const struct options *options)
{
    const char *const *names = options->operands, *tensor = options->given[OPTION_TENSOR];
    const char *const tensors[] = {
        tensor, options->given[OPTION_OTHER_TENSOR] != NULL ? options->given[OPTION_OTHER_TENSOR] : tensor};
    const bool are_files[] = {is_file(names[0]), is_file(names[1])};
    memset(input, 0, 2 * sizeof *input);
    for (size_t k = 0; k < 2; k++)
        if (!are_files[k])
            check_convention(names[k]);
    if (!are_files[0] && !are_files[1]) {
        fail(EXIT_USAGE, "make one: sinpos table --convention NAME -o a.npy", names[0],
             "one of the two must be an array, which gives the shape");
    }
    for (size_t k = 0; k < 2; k++)
        if (are_files[k])
            diff_input_open_file(&input[k], names[k], options, tensors[k]);
    for (size_t k = 0; k < 2; k++)
        if (!are_files[k])
            make_convention(&input[k], names[k], options, &input[1 - k]);
}

void diff_input_close(struct diff_input *d)
{
    if (d->is_file) {
        input_close(&d->input);
    } else if (d->words != NULL) {
        encoding_free(&d->encoding);
        request_free(&d->request);
        free(d->words);
    }
    free(d->source.copy);
}
