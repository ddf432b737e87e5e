#define _DEFAULT_SOURCE
#include "fuzz_reader.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "temporary.h"

#define MOST_FILES 4

static char folder[TEMPORARY_SIZE], paths[MOST_FILES][TEMPORARY_SIZE + 100];
static size_t n_paths;

static void remove_folder(void)
{
    for (size_t i = 0; i < n_paths; i++)
        (void)unlink(paths[i]);
    (void)rmdir(folder);
}

static const char *make_path(const char *name)
{
    char path[sizeof paths[0]];
    if (folder[0] == 0) {
        if (mkdtemp(temporary_name(folder, "")) == NULL)
            abort();
        (void)atexit(remove_folder);
    }
    (void)snprintf(path, sizeof path, "%s/%s", folder, name);
    for (size_t i = 0; i < n_paths; i++)
        if (strcmp(paths[i], path) == 0)
            return paths[i];
    if (n_paths == MOST_FILES)
        abort();
    return strcpy(paths[n_paths++], path);
}

const char *put_file(const uint8_t *data, size_t size, const char *name)
{
    const char *path = make_path(name);
    (void)unlink(path); /* a new file: to overwrite one makes some file systems write it out at once */
    FILE *f = fopen(path, "wb");
    if (f == NULL || fwrite(data, 1, size, f) != size || fclose(f) != 0)
        abort();
    return path;
}

static void check_error(sinpos_file_status status, const sinpos_file_error *error)
{
    if (error->status != status || error->message[0] == 0 || error->hint == NULL)
        abort();
    for (const char *c = error->message; *c; c++)
        if ((unsigned char)*c < 0x20 || *c == 0x7f)
            abort();
}

static void read_all(sinpos_reader *reader)
{
    static unsigned char buffer[8192];
    sinpos_file_error error = SINPOS_FILE_ERROR_INIT;
    size_t left = 0;
    const sinpos_array *array = sinpos_reader_array(reader);
    const size_t size = sinpos_element_bytes(array->element);
    if (size == 0 || array->n_dims > SINPOS_MAX_FILE_DIMS || sinpos_array_elements(array, &left) != SINPOS_FILE_OK)
        abort();
    /* From its end, which in a pipe is not a place, and which may be missing. */
    const sinpos_file_status last = sinpos_reader_read_at(reader, left > 0 ? left - 1 : 0, buffer, left > 0, &error);
    if (last != SINPOS_FILE_OK)
        check_error(last, &error);
    while (left > 0) {
        const size_t n = left < sizeof buffer / size ? left : sizeof buffer / size;
        const sinpos_file_status status = sinpos_reader_read(reader, buffer, n, &error);
        if (status != SINPOS_FILE_OK) {
            check_error(status, &error);
            return;
        }
        left -= n;
    }
    if (sinpos_reader_read(reader, buffer, 1, &error) == SINPOS_FILE_OK)
        abort();
}

static void read_path(const char *path, const sinpos_reader_options *options, size_t raw_bytes)
{
    sinpos_reader *reader = NULL;
    sinpos_file_error error = SINPOS_FILE_ERROR_INIT;
    const sinpos_file_status status = sinpos_reader_open(&reader, path, options, &error);
    if ((status == SINPOS_FILE_OK) != (reader != NULL))
        abort();
    if (status != SINPOS_FILE_OK) {
        check_error(status, &error);
        return;
    }
    const sinpos_array *array = sinpos_reader_array(reader);
    size_t n = 0;
    if (options != NULL && (sinpos_array_elements(array, &n) != SINPOS_FILE_OK || array->element != options->element ||
                            array->shape[1] != options->dim || n * sinpos_element_bytes(array->element) != raw_bytes))
        abort();
    read_all(reader);
    sinpos_reader_close(reader);
}

void read_as_file(const uint8_t *data, size_t size, const char *ending)
{
    char name[32];
    (void)snprintf(name, sizeof name, "input%s", ending);
    read_path(put_file(data, size, name), NULL, 0);
}

void read_as_raw(const uint8_t *data, size_t size, const sinpos_reader_options *options)
{
    read_path(put_file(data, size, "input.raw"), options, size);
}

/* Its bytes are there, and it is found by its name. */
static void visit_tensor(sinpos_model *model, size_t i)
{
    static unsigned char buffer[4096];
    sinpos_file_error error = SINPOS_FILE_ERROR_INIT;
    const sinpos_tensor *tensor = sinpos_model_tensor(model, i);
    const size_t some = tensor->bytes < sizeof buffer ? (size_t)tensor->bytes : sizeof buffer;
    if (tensor->file >= sinpos_model_files(model) || sinpos_model_find(model, tensor->name) != i)
        abort();
    if (sinpos_model_read(model, i, tensor->bytes - some, buffer, some, &error) != SINPOS_FILE_OK)
        abort();
    if (sinpos_model_read(model, i, tensor->bytes, buffer, 1, &error) == SINPOS_FILE_OK)
        abort();
}

static void visit_metadata(const sinpos_model *model)
{
    const sinpos_metadata *value;
    double largest = 0;
    for (size_t i = 0; (value = sinpos_model_metadata_at(model, i)) != NULL; i++) {
        if (value->text != NULL && value->text[value->n] != 0)
            abort();
        for (size_t k = 0; value->numbers != NULL && k < value->n; k++)
            largest = value->numbers[k] > largest ? value->numbers[k] : largest; /* every number is read */
        if (sinpos_model_metadata(model, value->name) == NULL)
            abort();
    }
    if (largest < 0)
        abort();
}

static void copy_file(const sinpos_model *model, size_t file)
{
    sinpos_rewriter *rewriter = NULL;
    sinpos_file_error error = SINPOS_FILE_ERROR_INIT;
    if (sinpos_rewriter_open(&rewriter, model, file, "/dev/null", &error) != SINPOS_FILE_OK ||
        sinpos_rewriter_commit(rewriter, &error) != SINPOS_FILE_OK)
        abort();
}

void read_as_model(const char *path)
{
    sinpos_model *model = NULL;
    sinpos_file_error error = SINPOS_FILE_ERROR_INIT;
    const sinpos_file_status status = sinpos_model_open(&model, path, &error);
    if ((status == SINPOS_FILE_OK) != (model != NULL))
        abort();
    if (status != SINPOS_FILE_OK) {
        check_error(status, &error);
        return;
    }
    for (size_t i = 0; i < sinpos_model_tensors(model); i++)
        visit_tensor(model, i);
    visit_metadata(model);
    (void)sinpos_model_nearest(model, "blk.0.attn_k.weight");
    copy_file(model, 0);
    sinpos_model_close(model);
}
