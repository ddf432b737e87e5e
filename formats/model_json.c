/* model_json.c - what JSON files say of a model: which .safetensors holds which tensor, and config.json. */
#include "json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MOST_INDEX ((uint64_t)100 * 1000 * 1000)
#define MOST_CONFIG ((uint64_t)10 * 1000 * 1000)
#define MOST_NUMBERS 4096
#define LONGEST_KEY 256
#define DEEPEST 6

static sinpos_file_status parse(const char *text, size_t length, json_t **root, sinpos_file_error *error)
{
    if (json_is_bomb(text, length))
        return problem_corrupt(error, "has too many brackets");
    const sinpos_file_status status = json_read(text, length, root, "", error);
    if (status != SINPOS_FILE_OK)
        return status;
    if (!json_is_object(*root)) {
        json_decref(*root);
        *root = NULL;
        return problem_corrupt(error, "is not a JSON object");
    }
    return SINPOS_FILE_OK;
}

static sinpos_file_status load_open(struct sinpos_reader *reader, uint64_t most, json_t **root,
                                    sinpos_file_error *error)
{
    if (!reader->is_regular || reader->file_bytes > most)
        return problem_corrupt(error, "is larger than any such file can be, or not a regular file");
    const size_t length = (size_t)reader->file_bytes;
    OWNED char *text = malloc(length + 1);
    if (text == NULL)
        return problem_memory(error);
    sinpos_file_status status = reader_take(reader, text, length, error);
    status = status == SINPOS_FILE_OK ? parse(text, length, root, error) : status;
    return status;
}

static sinpos_file_status load(const char *path, uint64_t most, json_t **root, sinpos_file_error *error)
{
    struct sinpos_reader reader = {.fd = -1};
    sinpos_file_status status = reader_open_file(&reader, path, error);
    status = status == SINPOS_FILE_OK ? load_open(&reader, most, root, error) : status;
    if (reader.fd >= 0 && !reader.is_standard)
        close(reader.fd);
    return status;
}

/* ------------------------------------------------------------------------------------------------- index */

struct place {
    const char *file;
    const char *tensor;
};

static int compare_places(const void *a, const void *b)
{
    const struct place *p = a;
    const struct place *q = b;
    const int side = strcmp(p->file, q->file);
    return side != 0 ? side : strcmp(p->tensor, q->tensor);
}

/* A file beside the index: no path that leads elsewhere. */
static bool is_shard_name(const char *name)
{
    return is_good_name(name) && strchr(name, '/') == NULL && strchr(name, '\\') == NULL &&
           has_ending(name, ".safetensors");
}

static sinpos_file_status collect(json_t *map, struct place *places, sinpos_file_error *error)
{
    size_t n = 0;
    const char *tensor;
    json_t *value;
    json_object_foreach(map, tensor, value)
    {
        const char *file = json_string_value(value);
        if (file == NULL || !is_shard_name(file)) {
            return problem_set(error, SINPOS_FILE_E_CONTENT, "its files must be .safetensors in its folder",
                               "places tensor '%.80s' in '%.80s', which is not the name of a file in its folder",
                               tensor, file == NULL ? "?" : file);
        }
        places[n++] = (struct place){file, tensor};
    }
    qsort(places, n, sizeof *places, compare_places);
    return SINPOS_FILE_OK;
}

/* The tensors that the index places in the file that was added last: the first of places, as long as they name it. */
static sinpos_file_status add_shard(struct sinpos_model *model, const struct place *places, size_t n,
                                    sinpos_file_error *error)
{
    RELEASED_BY(contents_free) struct contents shard = {.n_tensors = 0};
    const size_t file = model->n_files - 1;
    sinpos_file_status status =
        model_blame(model->files[file], model_read_header(model->files[file], &shard, error), error);
    for (size_t i = 0; i < n && status == SINPOS_FILE_OK; i++) {
        const size_t found = contents_find(&shard, places[i].tensor);
        if (found == SINPOS_NO_TENSOR) {
            status =
                problem_set(error, SINPOS_FILE_E_CONTENT, "the index and its files do not belong together",
                            "places tensor '%.80s' in %.80s, which does not hold it", places[i].tensor, places[i].file);
            break;
        }
        sinpos_tensor tensor = shard.tensors[found];
        tensor.file = file;
        status = contents_add_tensor(&model->contents, &tensor, error);
    }
    for (size_t i = 0; file == 0 && i < shard.n_metadata && status == SINPOS_FILE_OK; i++)
        status = contents_add_metadata(&model->contents, &shard.metadata[i], error);
    return status;
}

static sinpos_file_status add_shards(struct sinpos_model *model, const char *path, const struct place *places, size_t n,
                                     sinpos_file_error *error)
{
    const char *slash = strrchr(path, '/');
    const size_t folder_length = slash == NULL ? 0 : (size_t)(slash - path) + 1;
    sinpos_file_status status = SINPOS_FILE_OK;
    size_t end;
    for (size_t at = 0; at < n && status == SINPOS_FILE_OK; at = end) {
        for (end = at + 1; end < n && strcmp(places[end].file, places[at].file) == 0; end++) {
        }
        status = model_add_file(model, path, folder_length, places[at].file, error);
        status = status == SINPOS_FILE_OK ? add_shard(model, places + at, end - at, error) : status;
    }
    return status == SINPOS_FILE_OK ? contents_sort(&model->contents, error) : status;
}

sinpos_file_status model_read_index(struct sinpos_model *model, const char *path, sinpos_file_error *error)
{
    json_t *root = NULL;
    sinpos_file_status status = load(path, MOST_INDEX, &root, error);
    if (status != SINPOS_FILE_OK)
        return status;
    json_t *map = json_object_get(root, "weight_map");
    const size_t n = json_object_size(map);
    OWNED struct place *places = calloc(n + 1, sizeof *places);
    if (places == NULL) {
        status = problem_memory(error);
    } else if (n == 0) {
        status = problem_set(error, SINPOS_FILE_E_CONTENT, "check that this is the right file",
                             "has no weight_map, or an empty one");
    } else {
        status = collect(map, places, error);
        status = status == SINPOS_FILE_OK ? add_shards(model, path, places, n, error) : status;
    }
    json_decref(root);
    return status;
}

/* ------------------------------------------------------------------------------------------------ config */

static bool take_numbers(const json_t *list, sinpos_metadata *value, double numbers[MOST_NUMBERS])
{
    value->n = json_array_size(list);
    value->kind = SINPOS_METADATA_OTHER;
    for (size_t i = 0; i < value->n; i++) {
        const json_t *number = json_array_get(list, i);
        if (!json_is_number(number) || i >= MOST_NUMBERS)
            return false;
        numbers[i] = json_number_value(number);
    }
    value->kind = SINPOS_METADATA_NUMBERS;
    value->numbers = numbers;
    return true;
}

static sinpos_file_status add_value(struct sinpos_model *model, const char *key, const json_t *json,
                                    sinpos_file_error *error)
{
    double numbers[MOST_NUMBERS];
    sinpos_metadata value = {.name = key};
    if (json_is_string(json)) {
        value.text = json_string_value(json);
        value.n = json_string_length(json);
    } else if (json_is_array(json)) {
        (void)take_numbers(json, &value, numbers);
    } else if (json_is_integer(json) || json_is_boolean(json)) {
        value.kind = json_is_integer(json) ? SINPOS_METADATA_INTEGER : SINPOS_METADATA_BOOL;
        value.integer = json_is_integer(json) ? (int64_t)json_integer_value(json) : json_is_true(json);
        value.real = (double)value.integer;
    } else if (json_is_real(json)) {
        value.kind = SINPOS_METADATA_REAL;
        value.real = json_real_value(json);
    } else {
        return SINPOS_FILE_OK;
    }
    return contents_add_metadata(&model->contents, &value, error);
}

/* Members of members get the names of both, with a point between them. */
static sinpos_file_status add_object(struct sinpos_model *model, const char *prefix, json_t *object, unsigned depth,
                                     sinpos_file_error *error)
{
    const char *name;
    json_t *value;
    sinpos_file_status status = SINPOS_FILE_OK;
    json_object_foreach(object, name, value)
    {
        char key[LONGEST_KEY];
        const int length = snprintf(key, sizeof key, "%s.%s", prefix, name);
        if (status != SINPOS_FILE_OK || length < 0 || (size_t)length >= sizeof key || !is_good_name(name))
            continue;
        if (!json_is_object(value))
            status = add_value(model, key, value, error);
        else if (depth < DEEPEST)
            status = add_object(model, key, value, depth + 1, error);
    }
    return status;
}

sinpos_file_status model_read_config(struct sinpos_model *model, const char *path, sinpos_file_error *error)
{
    json_t *root = NULL;
    sinpos_file_status status = load(path, MOST_CONFIG, &root, error);
    if (status == SINPOS_FILE_OK) {
        status = add_object(model, "config", root, 1, error);
        json_decref(root);
    }
    return status;
}
