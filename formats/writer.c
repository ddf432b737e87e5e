/* writer.c - the entry point of writing, and what the formats share of it. */
#include "boundary.h"
#include "format.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const struct format *const formats[] = {
    &format_npy,
#ifdef SINPOS_HAVE_JANSSON
    &format_safetensors,
#endif
    &format_gguf,        &format_csv, &format_c_header, &format_raw,
};

const char *sinpos_writer_endings(void)
{
    BOUNDARY;
#ifdef SINPOS_HAVE_JANSSON
    return ".npy .safetensors .gguf .csv .h .raw";
#else
    return ".npy .gguf .csv .h .raw";
#endif
}

static sinpos_file_status refuse_ending(const char *path, sinpos_file_error *error)
{
    if (has_ending(path, ".safetensors")) {
        return problem_set(error, SINPOS_FILE_E_REQUEST, "install Jansson and build again, or write .npy",
                           "this sinpos was built without Jansson, which .safetensors needs");
    }
    return problem_set(error, SINPOS_FILE_E_REQUEST,
                       "use a name that ends in .npy, .safetensors, .gguf, .csv, .h or .raw",
                       "unsupported file extension");
}

static const struct format *choose_format(const char *path)
{
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++)
        if (has_ending(path, formats[i]->ending))
            return formats[i];
    return output_in_place(path) ? &format_npy : NULL;
}

/* Its name is that of the tensor. False: the options cannot be taken. */
static bool read_options(const sinpos_writer_options *options, const char **tensor)
{
    sinpos_writer_options own = SINPOS_WRITER_OPTIONS_INIT;
    const bool is_read = options == NULL || SIZED_READ(&own, options, tensor);
    *tensor = is_read && own.tensor != NULL ? own.tensor : DEFAULT_TENSOR;
    return is_read;
}

sinpos_file_status sinpos_writer_check(const char *path, const sinpos_array *array,
                                       const sinpos_writer_options *options, sinpos_file_error *error)
{
    BOUNDARY;
    if (!problem_begin(error))
        return SINPOS_FILE_E_STRUCT;
    if (path == NULL || array == NULL)
        return problem_set(error, SINPOS_FILE_E_NULL, "", "a path and an array are needed");
    const char *tensor;
    if (!read_options(options, &tensor))
        return problem_struct(error);
    const struct format *format = choose_format(path);
    if (format == NULL)
        return refuse_ending(path, error);
    size_t elements;
    if (sinpos_array_elements(array, &elements) != SINPOS_FILE_OK) {
        return problem_set(error, SINPOS_FILE_E_REQUEST, "ask for fewer rows or columns",
                           "the array is larger than any file can be");
    }
    if ((format->types & (unsigned)array->element) == 0) {
        return problem_set(error, SINPOS_FILE_E_REQUEST, format->refusal, "%s files cannot hold %s", format->ending,
                           sinpos_element_name(array->element));
    }
    return format->check == NULL ? SINPOS_FILE_OK : format->check(array, tensor, error);
}

static void writer_free(sinpos_writer *writer)
{
    free(writer->tensor);
    free(writer->text);
    free(writer);
}

static sinpos_file_status begin(sinpos_writer *writer, const char *path, sinpos_file_error *error)
{
    const uint64_t bytes = (uint64_t)writer->elements * sinpos_element_bytes(writer->array.element);
    const sinpos_file_status status = output_open(&writer->output, path, bytes, ORDINARY_MODE, error);
    return status == SINPOS_FILE_OK && writer->format->begin != NULL ? writer->format->begin(writer, error) : status;
}

sinpos_file_status sinpos_writer_open(sinpos_writer **out, const char *path, const sinpos_array *array,
                                      const sinpos_writer_options *options, sinpos_file_error *error)
{
    BOUNDARY;
    if (out != NULL)
        *out = NULL;
    if (!problem_begin(error))
        return SINPOS_FILE_E_STRUCT;
    if (out == NULL)
        return problem_set(error, SINPOS_FILE_E_NULL, "", "no place for the writer was given");
    sinpos_file_status status = sinpos_writer_check(path, array, options, error);
    if (status != SINPOS_FILE_OK)
        return status;
    sinpos_writer *writer = calloc(1, sizeof *writer);
    if (writer == NULL)
        return problem_memory(error);
    writer->format = choose_format(path);
    writer->array = *array;
    writer->output.fd = -1;
    const char *tensor;
    (void)read_options(options, &tensor); /* sinpos_writer_check() took them */
    writer->tensor = strdup(tensor);
    writer->text = malloc(TEXT_BYTES);
    if (writer->tensor == NULL || writer->text == NULL ||
        sinpos_array_elements(array, &writer->elements) != SINPOS_FILE_OK) {
        writer_free(writer);
        return problem_memory(error);
    }
    status = begin(writer, path, error);
    if (status != SINPOS_FILE_OK) {
        sinpos_writer_abandon(writer);
        return status;
    }
    *out = writer;
    return SINPOS_FILE_OK;
}

const char *sinpos_writer_temporary(const sinpos_writer *writer)
{
    BOUNDARY;
    return writer == NULL ? NULL : writer->output.temporary;
}

sinpos_file_status sinpos_writer_write(sinpos_writer *writer, const void *data, size_t n, sinpos_file_error *error)
{
    BOUNDARY;
    if (!problem_begin(error))
        return SINPOS_FILE_E_STRUCT;
    if (writer == NULL || (data == NULL && n > 0))
        return problem_set(error, SINPOS_FILE_E_NULL, "", "a writer and data are needed");
    if (n > writer->elements - writer->elements_done)
        return problem_set(error, SINPOS_FILE_E_REQUEST, "", "more elements than the shape has");
    const sinpos_file_status status = n == 0 ? SINPOS_FILE_OK : writer->format->elements(writer, data, n, error);
    writer->elements_done += n;
    return status;
}

static sinpos_file_status prepare(sinpos_writer *writer, sinpos_file_error *error)
{
    if (writer->elements_done != writer->elements) {
        return problem_set(error, SINPOS_FILE_E_REQUEST, "", "%zu of %zu elements were written", writer->elements_done,
                           writer->elements);
    }
    const bool ends = !writer->output.is_synced && writer->format->end != NULL;
    const sinpos_file_status status = ends ? writer->format->end(writer, error) : SINPOS_FILE_OK;
    return status == SINPOS_FILE_OK ? output_prepare(&writer->output, error) : status;
}

sinpos_file_status sinpos_writer_prepare(sinpos_writer *writer, sinpos_file_error *error)
{
    BOUNDARY;
    if (!problem_begin(error))
        return SINPOS_FILE_E_STRUCT;
    if (writer == NULL)
        return problem_set(error, SINPOS_FILE_E_NULL, "", "a writer is needed");
    return prepare(writer, error);
}

sinpos_file_status sinpos_writer_commit(sinpos_writer *writer, sinpos_file_error *error)
{
    BOUNDARY;
    if (!problem_begin(error)) {
        sinpos_writer_abandon(writer);
        return SINPOS_FILE_E_STRUCT;
    }
    if (writer == NULL)
        return problem_set(error, SINPOS_FILE_E_NULL, "", "a writer is needed");
    const sinpos_file_status status = output_commit(&writer->output, prepare(writer, error), error);
    writer_free(writer);
    return status;
}

void sinpos_writer_abandon(sinpos_writer *writer)
{
    BOUNDARY;
    if (writer != NULL) {
        output_abandon(&writer->output);
        writer_free(writer);
    }
}

sinpos_file_status sinpos_bytes_write(const char *path, const void *data, size_t n_bytes, sinpos_file_error *error)
{
    BOUNDARY;
    struct output output;
    if (!problem_begin(error))
        return SINPOS_FILE_E_STRUCT;
    if (path == NULL || (data == NULL && n_bytes > 0))
        return problem_set(error, SINPOS_FILE_E_NULL, "", "a path and data are needed");
    const sinpos_file_status status = output_open(&output, path, n_bytes, ORDINARY_MODE, error);
    if (status != SINPOS_FILE_OK)
        return status;
    return output_commit(&output, output_write(&output, data, n_bytes, error), error);
}

static sinpos_file_status copy_to(const char *to, int fd, sinpos_file_error *read_error, sinpos_file_error *error)
{
    struct output output;
    struct stat there;
    if (fd < 0 || fstat(fd, &there) != 0)
        return problem_system(read_error, errno);
    if (!S_ISREG(there.st_mode))
        return problem_set(read_error, SINPOS_FILE_E_REQUEST, "name a file", "is not a regular file");
    const sinpos_file_status status = output_open(&output, to, (uint64_t)there.st_size, there.st_mode & 0777, error);
    if (status != SINPOS_FILE_OK)
        return status;
    return output_commit(&output, output_copy(&output, fd, (uint64_t)there.st_size, read_error, error), error);
}

sinpos_file_status sinpos_file_copy(const char *from, const char *to, sinpos_file_error *error)
{
    BOUNDARY;
    sinpos_file_error read_error = SINPOS_FILE_ERROR_INIT;
    if (!problem_begin(error))
        return SINPOS_FILE_E_STRUCT;
    if (from == NULL || to == NULL)
        return problem_set(error, SINPOS_FILE_E_NULL, "", "two paths are needed");
    const int fd = open(from, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    const sinpos_file_status status = copy_to(to, fd, &read_error, error);
    if (read_error.status != SINPOS_FILE_OK) {
        problem_set(error, status, read_error.hint, "cannot be copied from %.200s: %.150s", from, read_error.message);
        if (error != NULL)
            error->system_errno = read_error.system_errno;
    }
    if (fd >= 0)
        close(fd);
    return status;
}
