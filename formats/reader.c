/* reader.c - the entry point of reading, and what the formats share of it. */
#include "boundary.h"
#include "format.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct format *by_ending(const char *path)
{
    if (has_ending(path, ".npy"))
        return &format_npy;
#ifdef SINPOS_HAVE_JANSSON
    if (has_ending(path, ".safetensors"))
        return &format_safetensors;
#endif
    if (has_ending(path, ".gguf"))
        return &format_gguf;
    return has_ending(path, ".raw") ? &format_raw : NULL;
}

static sinpos_file_status refuse_ending(const char *path, sinpos_file_error *error)
{
    if (has_ending(path, ".safetensors")) {
        return problem_set(error, SINPOS_FILE_E_REQUEST, "install Jansson and build again, or use .npy",
                           "this sinpos was built without Jansson, which .safetensors needs");
    }
    if (has_ending(path, ".csv") || has_ending(path, ".h") || has_ending(path, ".zarr")) {
        return problem_set(error, SINPOS_FILE_E_REQUEST, "use .npy, .safetensors, .gguf or .raw to read from",
                           "this format is written but not read");
    }
    return problem_set(error, SINPOS_FILE_E_REQUEST, "use a file whose name ends in .npy, .safetensors, .gguf or .raw",
                       "unsupported file extension");
}

/* Standard input and pipes are recognised by how they begin. */
static sinpos_file_status sniff(struct sinpos_reader *reader, sinpos_file_error *error)
{
    while (reader->n_peeked < 9) {
        const ssize_t n = read_some(reader->fd, reader->peeked + reader->n_peeked, 9 - reader->n_peeked);
        if (n < 0)
            return problem_system(error, errno);
        if (n == 0)
            break;
        reader->n_peeked += (size_t)n;
    }
    if (reader->n_peeked >= 6 && memcmp(reader->peeked, "\x93NUMPY", 6) == 0)
        reader->format = &format_npy;
    else if (reader->n_peeked >= 4 && memcmp(reader->peeked, "GGUF", 4) == 0)
        reader->format = &format_gguf;
#ifdef SINPOS_HAVE_JANSSON
    else if (reader->n_peeked == 9 && reader->peeked[8] == '{')
        reader->format = &format_safetensors;
#endif
    if (reader->format != NULL)
        return SINPOS_FILE_OK;
    return problem_set(error, SINPOS_FILE_E_CONTENT, "send an array in .npy, .safetensors or .gguf format",
                       reader->n_peeked == 0 ? "is empty" : "is neither .npy, .safetensors nor .gguf");
}

static sinpos_file_status choose_format(struct sinpos_reader *reader, const char *path, sinpos_file_error *error)
{
    reader->format = by_ending(path);
    if (reader->format != NULL)
        return SINPOS_FILE_OK;
    if (reader->is_regular && !reader->is_standard)
        return refuse_ending(path, error);
    return sniff(reader, error);
}

static sinpos_file_status open_and_read_header(struct sinpos_reader *reader, const char *path, sinpos_file_error *error)
{
    sinpos_file_status status = reader_open_file(reader, path, error);
    status = status == SINPOS_FILE_OK ? choose_format(reader, path, error) : status;
    return status == SINPOS_FILE_OK ? reader->format->read_header(reader, error) : status;
}

static sinpos_file_status start(struct sinpos_reader *reader, const char *path, sinpos_file_error *error)
{
    sinpos_file_status status =
        model_is_several(path) ? model_read_tensor(reader, path, error) : open_and_read_header(reader, path, error);
    if (status == SINPOS_FILE_OK && sinpos_array_elements(&reader->array, &reader->elements) != SINPOS_FILE_OK) {
        status = problem_set(error, SINPOS_FILE_E_CONTENT, "the header is corrupt",
                             "its header states an array larger than any file can be");
    }
    reader->elements_left = reader->elements;
    if (status != SINPOS_FILE_OK || !reader->is_regular)
        return status;
    const off_t offset = lseek(reader->fd, 0, SEEK_CUR);
    if (offset < 0)
        return problem_system(error, errno);
    reader->first_byte = (uint64_t)offset - reader->n_peeked;
    return SINPOS_FILE_OK;
}

sinpos_file_status sinpos_reader_open(sinpos_reader **out, const char *path, const sinpos_reader_options *options,
                                      sinpos_file_error *error)
{
    BOUNDARY;
    if (out != NULL)
        *out = NULL;
    if (!problem_begin(error))
        return SINPOS_FILE_E_STRUCT;
    if (out == NULL || path == NULL)
        return problem_set(error, SINPOS_FILE_E_NULL, "", "a path and a place for the reader are needed");
    struct sinpos_reader *reader = calloc(1, sizeof *reader);
    if (reader == NULL)
        return problem_memory(error);
    reader->fd = -1;
    const bool is_read = options == NULL || SIZED_READ(&reader->options, options, dim);
    const sinpos_file_status status = is_read ? start(reader, path, error) : problem_struct(error);
    if (status != SINPOS_FILE_OK) {
        sinpos_reader_close(reader);
        return status;
    }
    *out = reader;
    return SINPOS_FILE_OK;
}

const sinpos_array *sinpos_reader_array(const sinpos_reader *reader)
{
    BOUNDARY;
    return reader == NULL ? NULL : &reader->array;
}

const char *sinpos_reader_tensor(const sinpos_reader *reader)
{
    BOUNDARY;
    return reader == NULL ? NULL : reader->tensor;
}

/* Elements from number `first` on, which is the next. */
static sinpos_file_status take_elements(struct sinpos_reader *reader, size_t first, void *data, size_t n, size_t size,
                                        sinpos_file_error *error)
{
    if (!reader->is_by_columns)
        return reader_take(reader, data, n * size, error);
    const sinpos_file_status status = reader->rows == NULL ? columns_read(reader, error) : SINPOS_FILE_OK;
    if (status == SINPOS_FILE_OK)
        memcpy(data, reader->rows + first * size, n * size);
    return status;
}

sinpos_file_status sinpos_reader_read(sinpos_reader *reader, void *data, size_t n, sinpos_file_error *error)
{
    BOUNDARY;
    if (!problem_begin(error))
        return SINPOS_FILE_E_STRUCT;
    if (reader == NULL || (data == NULL && n > 0))
        return problem_set(error, SINPOS_FILE_E_NULL, "", "a reader and room are needed");
    if (n > reader->elements_left)
        return problem_set(error, SINPOS_FILE_E_REQUEST, "", "more elements than are left");
    const size_t size = sinpos_element_bytes(reader->array.element);
    const sinpos_file_status status =
        n == 0 ? SINPOS_FILE_OK : take_elements(reader, reader->elements - reader->elements_left, data, n, size, error);
    if (status != SINPOS_FILE_OK)
        return status;
    if (reader->is_big_endian != machine_is_big_endian())
        swap_bytes(data, n, size);
    reader->elements_left -= n;
    return SINPOS_FILE_OK;
}

sinpos_file_status sinpos_reader_read_at(sinpos_reader *reader, size_t first, void *data, size_t n,
                                         sinpos_file_error *error)
{
    BOUNDARY;
    if (!problem_begin(error))
        return SINPOS_FILE_E_STRUCT;
    if (reader == NULL || (data == NULL && n > 0))
        return problem_set(error, SINPOS_FILE_E_NULL, "", "a reader and room are needed");
    if (!reader->is_regular || reader->is_by_columns) {
        return problem_set(error, SINPOS_FILE_E_REQUEST, "read it from its beginning",
                           reader->is_regular ? "is stored column by column, which cannot be read row by row"
                                              : "is not a regular file, which random access needs");
    }
    if (first > reader->elements || n > reader->elements - first)
        return problem_set(error, SINPOS_FILE_E_REQUEST, "", "more elements than there are");
    const size_t size = sinpos_element_bytes(reader->array.element);
    const sinpos_file_status status =
        read_at(reader->fd, reader->first_byte + (uint64_t)first * size, data, n * size, error);
    if (status == SINPOS_FILE_OK && reader->is_big_endian != machine_is_big_endian())
        swap_bytes(data, n, size);
    return status;
}

void sinpos_reader_close(sinpos_reader *reader)
{
    BOUNDARY;
    if (reader == NULL)
        return;
    if (reader->fd >= 0 && !reader->is_standard)
        close(reader->fd);
    free(reader->tensor);
    free(reader->rows);
    free(reader);
}
