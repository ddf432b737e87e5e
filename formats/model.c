/* model.c - the tensors of a model, whatever number of files they lie in. */
#define _DEFAULT_SOURCE
#include "boundary.h"
#include "format.h"
#include "is_missing.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define INDEX_ENDING ".index.json"
#define INDEX_NAME "model.safetensors.index.json"
#define SINGLE_NAME "model.safetensors"
#define PART_ENDING_BYTES 20 /* "-00001-of-00003.gguf" */

/* ------------------------------------------------------------------------------------------------- paths */

enum presence { MISSING, THERE, UNKNOWN /* errno says why */ };

/* A folder of that name is not the file. */
static enum presence find_file(const char *folder, const char *name)
{
    char path[4096 + 64]; /* longer ones do not exist */
    struct stat status;
    const int n = snprintf(path, sizeof path, "%s/%s", folder, name);
    if (n <= 0 || (size_t)n >= sizeof path)
        return MISSING;
    if (stat(path, &status) != 0)
        return is_missing(errno) ? MISSING : UNKNOWN;
    return S_ISDIR(status.st_mode) ? MISSING : THERE;
}

static bool five_digits(const char *text, unsigned *number)
{
    *number = 0;
    for (int i = 0; i < 5; i++) {
        if (text[i] < '0' || text[i] > '9')
            return false;
        *number = *number * 10 + (unsigned)(text[i] - '0');
    }
    return true;
}

/* How many parts a .gguf has by its name; 1 for any other name. */
static unsigned count_parts(const char *path)
{
    const size_t length = strlen(path);
    unsigned part, n;
    if (length < PART_ENDING_BYTES)
        return 1;
    const char *end = path + length - PART_ENDING_BYTES;
    const bool is_part = end[0] == '-' && five_digits(end + 1, &part) && memcmp(end + 6, "-of-", 4) == 0 &&
                         five_digits(end + 10, &n) && strcmp(end + 15, ".gguf") == 0;
    return is_part && part >= 1 && part <= n ? n : 1;
}

bool model_is_several(const char *path)
{
    if (has_ending(path, INDEX_ENDING) || count_parts(path) > 1)
        return true;
    return find_file(path, INDEX_NAME) == THERE || find_file(path, SINGLE_NAME) == THERE;
}

/* ------------------------------------------------------------------------------------------------ opening */

static sinpos_file_status open_single(struct sinpos_model *model, const char *path, sinpos_file_error *error)
{
    const sinpos_file_status status = model_add_file(model, path, strlen(path), "", error);
    return status == SINPOS_FILE_OK ? model_read_header(path, &model->contents, error) : status;
}

/* The first part describes the model, the others themselves only. */
static sinpos_file_status add_part(struct sinpos_model *model, const char *path, bool is_first,
                                   sinpos_file_error *error)
{
    RELEASED_BY(contents_free) struct contents part = {.n_tensors = 0};
    sinpos_file_status status = model_read_header(path, &part, error);
    for (size_t i = 0; i < part.n_tensors && status == SINPOS_FILE_OK; i++) {
        sinpos_tensor tensor = part.tensors[i];
        tensor.file = model->n_files - 1;
        status = contents_add_tensor(&model->contents, &tensor, error);
    }
    for (size_t i = 0; is_first && i < part.n_metadata && status == SINPOS_FILE_OK; i++)
        status = contents_add_metadata(&model->contents, &part.metadata[i], error);
    return status;
}

static sinpos_file_status open_parts(struct sinpos_model *model, const char *path, unsigned n_parts,
                                     sinpos_file_error *error)
{
    sinpos_file_status status = SINPOS_FILE_OK;
    for (unsigned i = 1; i <= n_parts && status == SINPOS_FILE_OK; i++) {
        char name[PART_ENDING_BYTES + 1];
        snprintf(name, sizeof name, "-%05u-of-%05u.gguf", i % 100000, n_parts % 100000);
        status = model_add_file(model, path, strlen(path) - PART_ENDING_BYTES, name, error);
        if (status == SINPOS_FILE_OK) {
            const char *part = model->files[model->n_files - 1];
            status = model_blame(part, add_part(model, part, i == 1, error), error);
        }
    }
    if (status != SINPOS_FILE_OK || (status = contents_sort(&model->contents, error)) != SINPOS_FILE_OK)
        return status;
    const sinpos_metadata *count = contents_metadata(&model->contents, "split.count");
    if (count != NULL && count->integer != (int64_t)n_parts) {
        return problem_set(error, SINPOS_FILE_E_CONTENT, "check that the parts belong together",
                           "has split.count %lld, but its name says %u parts", (long long)count->integer, n_parts);
    }
    return SINPOS_FILE_OK;
}

static sinpos_file_status open_index(struct sinpos_model *model, const char *path, sinpos_file_error *error)
{
#ifdef SINPOS_HAVE_JANSSON
    return model_read_index(model, path, error);
#else
    (void)model;
    (void)path;
    return problem_set(error, SINPOS_FILE_E_REQUEST, "install Jansson and build again, or use .gguf",
                       "this sinpos was built without Jansson, which .safetensors needs");
#endif
}

static sinpos_file_status open_folder(struct sinpos_model *model, const char *folder, sinpos_file_error *error)
{
    const enum presence index = find_file(folder, INDEX_NAME);
    const enum presence single = index == MISSING ? find_file(folder, SINGLE_NAME) : MISSING;
    const bool is_index = index == THERE;
    if (index == UNKNOWN || single == UNKNOWN)
        return problem_system(error, errno);
    if (!is_index && single == MISSING) {
        return problem_set(error, SINPOS_FILE_E_REQUEST, "name a .safetensors, .gguf or .index.json file in it",
                           "is a folder without " INDEX_NAME " or " SINGLE_NAME);
    }
    OWNED char *path = joined_path(folder, strlen(folder), "/", is_index ? INDEX_NAME : SINGLE_NAME);
    if (path == NULL)
        return problem_memory(error);
    return is_index ? open_index(model, path, error) : open_single(model, path, error);
}

static sinpos_file_status open_any(struct sinpos_model *model, const char *path, sinpos_file_error *error)
{
    const unsigned n_parts = count_parts(path);
    struct stat there;
    const int number = stat(path, &there) == 0 ? 0 : errno;
    if (number != 0 && !is_missing(number))
        return problem_system(error, number);
    if (number == 0 && S_ISDIR(there.st_mode))
        return open_folder(model, path, error);
    if (has_ending(path, INDEX_ENDING))
        return open_index(model, path, error);
    if (n_parts > 1)
        return open_parts(model, path, n_parts, error);
    if (has_ending(path, ".safetensors") || has_ending(path, ".gguf"))
        return open_single(model, path, error);
    return number != 0
               ? problem_system(error, number)
               : problem_set(error, SINPOS_FILE_E_REQUEST, "a model is .safetensors, .gguf, .index.json or a folder",
                             "unsupported file extension");
}

sinpos_file_status sinpos_model_open(sinpos_model **out, const char *path, sinpos_file_error *error)
{
    BOUNDARY;
    if (out != NULL)
        *out = NULL;
    if (!problem_begin(error))
        return SINPOS_FILE_E_STRUCT;
    if (out == NULL || path == NULL)
        return problem_set(error, SINPOS_FILE_E_NULL, "", "a path and a place for the model are needed");
    struct sinpos_model *model = calloc(1, sizeof *model);
    if (model == NULL)
        return problem_memory(error);
    model->fd = -1;
    const sinpos_file_status status = open_any(model, path, error);
    if (status != SINPOS_FILE_OK) {
        sinpos_model_close(model);
        return status;
    }
    *out = model;
    return SINPOS_FILE_OK;
}

static void model_empty(struct sinpos_model *model)
{
    if (model->fd >= 0)
        close(model->fd);
    for (size_t i = 0; i < model->n_files; i++)
        free(model->files[i]);
    free(model->files);
    contents_free(&model->contents);
}

void sinpos_model_close(sinpos_model *model)
{
    BOUNDARY;
    if (model != NULL)
        model_empty(model);
    free(model);
}

sinpos_file_status model_read_tensor(struct sinpos_reader *reader, const char *path, sinpos_file_error *error)
{
    struct sinpos_model model = {.fd = -1};
    size_t chosen = 0;
    sinpos_file_status status = open_any(&model, path, error);
    status =
        status == SINPOS_FILE_OK ? contents_choose(&model.contents, reader->options.tensor, &chosen, error) : status;
    if (status == SINPOS_FILE_OK) {
        const sinpos_tensor *tensor = &model.contents.tensors[chosen];
        reader->array = tensor->array;
        reader->tensor = strdup(tensor->name);
        status =
            reader->tensor == NULL ? problem_memory(error) : reader_open_file(reader, model.files[tensor->file], error);
        status = status == SINPOS_FILE_OK ? reader_skip(reader, tensor->offset, error) : status;
    }
    model_empty(&model);
    return status;
}

/* ------------------------------------------------------------------------------------------------- asking */

size_t sinpos_model_tensors(const sinpos_model *model)
{
    BOUNDARY;
    return model == NULL ? 0 : model->contents.n_tensors;
}

size_t sinpos_model_files(const sinpos_model *model)
{
    BOUNDARY;
    return model == NULL ? 0 : model->n_files;
}

const sinpos_tensor *sinpos_model_tensor(const sinpos_model *model, size_t i)
{
    BOUNDARY;
    return model == NULL || i >= model->contents.n_tensors ? NULL : &model->contents.tensors[i];
}

const char *sinpos_model_file(const sinpos_model *model, size_t i)
{
    BOUNDARY;
    return model == NULL || i >= model->n_files ? NULL : model->files[i];
}

size_t sinpos_model_find(const sinpos_model *model, const char *name)
{
    BOUNDARY;
    return model == NULL || name == NULL ? SINPOS_NO_TENSOR : contents_find(&model->contents, name);
}

const char *sinpos_model_nearest(const sinpos_model *model, const char *name)
{
    BOUNDARY;
    return model == NULL || name == NULL ? NULL : contents_nearest(&model->contents, name);
}

const sinpos_metadata *sinpos_model_metadata(const sinpos_model *model, const char *name)
{
    BOUNDARY;
    return model == NULL || name == NULL ? NULL : contents_metadata(&model->contents, name);
}

const sinpos_metadata *sinpos_model_metadata_at(const sinpos_model *model, size_t i)
{
    BOUNDARY;
    return model == NULL || i >= model->contents.n_metadata ? NULL : &model->contents.metadata[i];
}

sinpos_file_status sinpos_model_config(sinpos_model *model, sinpos_file_error *error)
{
    BOUNDARY;
    if (!problem_begin(error))
        return SINPOS_FILE_E_STRUCT;
    if (model == NULL)
        return problem_set(error, SINPOS_FILE_E_NULL, "", "a model is needed");
#ifdef SINPOS_HAVE_JANSSON
    const char *first = model->files[0], *slash = strrchr(first, '/');
    OWNED char *path = joined_path(first, slash == NULL ? 0 : (size_t)(slash - first) + 1, "", "config.json");
    if (path == NULL)
        return problem_memory(error);
    struct stat there;
    if (stat(path, &there) == 0)
        return model_blame(path, model_read_config(model, path, error), error);
    return is_missing(errno) ? SINPOS_FILE_OK : model_blame(path, problem_system(error, errno), error);
#else
    return problem_set(error, SINPOS_FILE_E_REQUEST, "install Jansson and build again",
                       "this sinpos was built without Jansson, which config.json needs");
#endif
}

/* ------------------------------------------------------------------------------------------------ reading */

static sinpos_file_status open_for_reading(struct sinpos_model *model, size_t file, sinpos_file_error *error)
{
    if (model->fd >= 0 && model->open_file == file)
        return SINPOS_FILE_OK;
    struct sinpos_reader reader = {.fd = -1};
    const sinpos_file_status status = reader_open_file(&reader, model->files[file], error);
    if (status != SINPOS_FILE_OK) {
        if (reader.fd >= 0)
            close(reader.fd);
        return status;
    }
    if (model->fd >= 0)
        close(model->fd);
    model->fd = reader.fd;
    model->open_file = file;
    return SINPOS_FILE_OK;
}

sinpos_file_status sinpos_model_read(sinpos_model *model, size_t i, uint64_t from, void *data, size_t bytes,
                                     sinpos_file_error *error)
{
    BOUNDARY;
    if (!problem_begin(error))
        return SINPOS_FILE_E_STRUCT;
    const sinpos_tensor *tensor = sinpos_model_tensor(model, i);
    if (tensor == NULL || (data == NULL && bytes > 0))
        return problem_set(error, SINPOS_FILE_E_NULL, "", "a model, one of its tensors and room are needed");
    if (from > tensor->bytes || bytes > tensor->bytes - from)
        return problem_set(error, SINPOS_FILE_E_REQUEST, "", "more bytes than the tensor has");
    const sinpos_file_status status = open_for_reading(model, tensor->file, error);
    return status == SINPOS_FILE_OK ? read_at(model->fd, tensor->offset + from, data, bytes, error) : status;
}
