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
    &format_gguf,        &format_csv, &format_c_header, &format_raw, &format_zarr,
};

const char *sinpos_writer_endings(void)
{
    BOUNDARY;
#ifdef SINPOS_HAVE_JANSSON
    return ".npy .safetensors .gguf .csv .h .raw .zarr";
#else
    return ".npy .gguf .csv .h .raw .zarr";
#endif
}

static sinpos_file_status refuse_ending(const char *path, sinpos_file_error *error)
{
    if (has_ending(path, ".safetensors")) {
        return problem_set(error, SINPOS_FILE_E_REQUEST, "install Jansson and build again, or write .npy",
                           "this sinpos was built without Jansson, which .safetensors needs");
    }
    return problem_set(error, SINPOS_FILE_E_REQUEST,
                       "use a name that ends in .npy, .safetensors, .gguf, .csv, .h, .raw or .zarr",
                       "unsupported file extension");
}

/* NULL: the name has no format. Devices and pipes need none. */
static const struct format *choose_format(const char *path, bool is_in_place)
{
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++)
        if (has_ending(path, formats[i]->ending))
            return formats[i];
    return is_in_place ? &format_npy : NULL;
}

/* With the usual name where they have none. False: the options cannot be taken. */
static bool read_options(const sinpos_writer_options *options, sinpos_writer_options *own)
{
    *own = (sinpos_writer_options)SINPOS_WRITER_OPTIONS_INIT;
    const bool is_read = options == NULL || SIZED_READ(own, options, tensor);
    own->tensor = is_read && own->tensor != NULL ? own->tensor : DEFAULT_TENSOR;
    return is_read;
}

static bool has_fixed_places(const struct format *format)
{
    return format->elements == write_binary;
}

static sinpos_file_status check_part(const struct format *format, bool is_in_place, sinpos_file_error *error)
{
    if (is_in_place) {
        return problem_about(error, "part",
                             problem_set(error, SINPOS_FILE_E_REQUEST, "name a regular file",
                                         "cannot be resumed: it is not a regular file"));
    }
    return has_fixed_places(format)
               ? SINPOS_FILE_OK
               : problem_about(error, "part",
                               problem_set(error, SINPOS_FILE_E_REQUEST, "write .npy, .safetensors, .gguf or .raw",
                                           format->is_folder
                                               ? "a .zarr cannot be resumed: it is a folder of many files"
                                               : "a text cannot be resumed: its rows have no fixed places"));
}

/* What only a .zarr can be, and where it cannot be. */
static sinpos_file_status check_folder(const struct format *format, bool is_in_place,
                                       const sinpos_writer_options *options, sinpos_file_error *error)
{
    const char *field = options->zarr_format != 0 ? "zarr_format" : options->chunk_bytes != 0 ? "chunk_bytes" : NULL;
    if (!format->is_folder && field != NULL) {
        return problem_about(error, field,
                             problem_set(error, SINPOS_FILE_E_REQUEST, "use a name that ends in .zarr, or leave it out",
                                         "only a .zarr has versions and chunks"));
    }
    if (format->is_folder && is_in_place) {
        return problem_set(error, SINPOS_FILE_E_REQUEST, "name a folder that does not exist yet",
                           "is a device or pipe, and a .zarr is a folder");
    }
    return SINPOS_FILE_OK;
}

sinpos_file_status sinpos_writer_check(const char *path, const sinpos_array *array,
                                       const sinpos_writer_options *options, sinpos_file_error *error)
{
    BOUNDARY;
    if (!problem_begin(error))
        return SINPOS_FILE_E_STRUCT;
    if (path == NULL || array == NULL)
        return problem_set(error, SINPOS_FILE_E_NULL, "", "a path and an array are needed");
    sinpos_writer_options own;
    if (!read_options(options, &own))
        return problem_struct(error);
    bool is_in_place;
    sinpos_file_status status = output_in_place(path, &is_in_place, error);
    if (status != SINPOS_FILE_OK)
        return status;
    const struct format *format = choose_format(path, is_in_place);
    if (format == NULL)
        return refuse_ending(path, error);
    status = own.part == NULL ? SINPOS_FILE_OK : check_part(format, is_in_place, error);
    status = status == SINPOS_FILE_OK ? check_folder(format, is_in_place, &own, error) : status;
    if (status != SINPOS_FILE_OK)
        return status;
    size_t elements;
    if (sinpos_array_elements(array, &elements) != SINPOS_FILE_OK) {
        return problem_set(error, SINPOS_FILE_E_REQUEST, "ask for fewer rows or columns",
                           "the array is larger than any file can be");
    }
    if ((format->types & (unsigned)array->element) == 0) {
        return problem_set(error, SINPOS_FILE_E_REQUEST, format->refusal, "%s files cannot hold %s", format->ending,
                           sinpos_element_name(array->element));
    }
    return format->check == NULL ? SINPOS_FILE_OK : format->check(array, &own, error);
}

static void writer_free(sinpos_writer *writer)
{
    output_abandon(&writer->chunk);
    free(writer->tensor);
    free(writer->text);
    free(writer);
}

static uint64_t byte_of(const sinpos_writer *writer, size_t element)
{
    return writer->first_byte + (uint64_t)element * sinpos_element_bytes(writer->array.element);
}

static sinpos_file_status open_output(sinpos_writer *writer, const char *path, const char *part,
                                      sinpos_file_error *error)
{
    const uint64_t bytes = byte_of(writer, writer->elements);
    if (writer->format->is_folder)
        return output_open_folder(&writer->output, path, bytes, error);
    return part == NULL ? output_open(&writer->output, path, bytes, ORDINARY_MODE, error)
                        : output_open_part(&writer->output, path, part, bytes, error);
}

static sinpos_file_status begin(sinpos_writer *writer, const char *path, const char *part, sinpos_file_error *error)
{
    struct output *output = &writer->output;
    sinpos_file_status status = open_output(writer, path, part, error);
    if (status == SINPOS_FILE_OK && writer->format->begin != NULL)
        status = writer->format->begin(writer, error);
    writer->first_byte = output->written;
    if (status == SINPOS_FILE_OK && output->is_part)
        status = output_resize(output, byte_of(writer, writer->elements), error);
    output->is_kept |= status == SINPOS_FILE_OK && output->is_part;
    return status;
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
    writer->format = choose_format(path, true); /* sinpos_writer_check() refused the others */
    writer->array = *array;
    writer->output.fd = writer->chunk.fd = -1;
    sinpos_writer_options own;
    (void)read_options(options, &own); /* sinpos_writer_check() took them */
    writer->tensor = strdup(own.tensor);
    writer->zarr_format = own.zarr_format == 0 ? 2 : own.zarr_format;
    writer->chunk_length = own.chunk_bytes;
    writer->text = malloc(TEXT_BYTES);
    if (writer->tensor == NULL || writer->text == NULL ||
        sinpos_array_elements(array, &writer->elements) != SINPOS_FILE_OK) {
        writer_free(writer);
        return problem_memory(error);
    }
    status = begin(writer, path, own.part, error);
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
    if (writer->output.is_part)
        writer->output.written = byte_of(writer, writer->elements_done);
    const sinpos_file_status status = n == 0 ? SINPOS_FILE_OK : writer->format->elements(writer, data, n, error);
    writer->elements_done += n;
    return status;
}

/* Is it a part, and does it have these elements? */
static sinpos_file_status check_places(const sinpos_writer *writer, size_t first, const void *data, size_t n,
                                       sinpos_file_error *error)
{
    if (writer == NULL || (data == NULL && n > 0))
        return problem_set(error, SINPOS_FILE_E_NULL, "", "a writer and data are needed");
    if (!writer->output.is_part)
        return problem_set(error, SINPOS_FILE_E_REQUEST, "open it with options->part",
                           "elements come one after another");
    if (first > writer->elements || n > writer->elements - first)
        return problem_set(error, SINPOS_FILE_E_REQUEST, "", "more elements than the shape has");
    return SINPOS_FILE_OK;
}

sinpos_file_status sinpos_writer_write_at(sinpos_writer *writer, size_t first, const void *data, size_t n,
                                          sinpos_file_error *error)
{
    BOUNDARY;
    if (!problem_begin(error))
        return SINPOS_FILE_E_STRUCT;
    const sinpos_file_status status = check_places(writer, first, data, n, error);
    if (status != SINPOS_FILE_OK || n == 0)
        return status;
    writer->output.written = byte_of(writer, first);
    return write_binary(writer, data, n, error);
}

sinpos_file_status sinpos_writer_read_at(sinpos_writer *writer, size_t first, void *data, size_t n,
                                         sinpos_file_error *error)
{
    BOUNDARY;
    if (!problem_begin(error))
        return SINPOS_FILE_E_STRUCT;
    sinpos_file_status status = check_places(writer, first, data, n, error);
    if (status != SINPOS_FILE_OK)
        return status;
    const size_t size = sinpos_element_bytes(writer->array.element);
    status = read_at(writer->output.fd, byte_of(writer, first), data, n * size, error);
    if (status == SINPOS_FILE_OK && machine_is_big_endian())
        swap_bytes(data, n, size);
    return status;
}

/* What follows the elements of a part, and its size. */
static sinpos_file_status end_part(sinpos_writer *writer, sinpos_file_error *error)
{
    writer->output.written = byte_of(writer, writer->elements);
    const sinpos_file_status status = writer->format->end == NULL ? SINPOS_FILE_OK : writer->format->end(writer, error);
    return status == SINPOS_FILE_OK ? output_resize(&writer->output, writer->output.written, error) : status;
}

static sinpos_file_status prepare_part(sinpos_writer *writer, sinpos_file_error *error)
{
    const sinpos_file_status status = writer->output.is_synced ? SINPOS_FILE_OK : end_part(writer, error);
    return status == SINPOS_FILE_OK ? output_prepare(&writer->output, error) : status;
}

static sinpos_file_status prepare(sinpos_writer *writer, sinpos_file_error *error)
{
    if (writer->output.is_part)
        return prepare_part(writer, error);
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
