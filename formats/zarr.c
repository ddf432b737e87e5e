/*
 * zarr.c - a folder with a JSON file that describes the array, and a file for each chunk. Written, not read.
 *
 * A chunk is a run of elements in the array's own order, so that one file is open at a time: it holds one index of each
 * dimension before chunk_axis, chunk_length of that one, and all of those behind it. All names lie in one folder, which is
 * synced once: version 3 has '.' between its indices too.
 */
#include "format.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define USUAL_CHUNK_BYTES ((size_t)8 << 20)
enum { JSON_ROOM = 2048, NAME_ROOM = 22 * SINPOS_MAX_FILE_DIMS + 4 };

static sinpos_file_status zarr_check(const sinpos_array *array, const sinpos_writer_options *options,
                                     sinpos_file_error *error)
{
    const int version = options->zarr_format;
    if (version != 0 && version != 2 && version != 3) {
        return problem_about(error, "zarr_format",
                             problem_set(error, SINPOS_FILE_E_REQUEST, "choose version 2 or 3",
                                         "there is no version %d of Zarr here", version));
    }
    if (array->element == SINPOS_ELEMENT_BF16 && version != 3) {
        return problem_about(error, "zarr_format",
                             problem_set(error, SINPOS_FILE_E_REQUEST, "write .safetensors, or version 3",
                                         "Zarr of version 2 cannot hold bfloat16"));
    }
    return SINPOS_FILE_OK;
}

static size_t at_least_1(size_t n)
{
    return n > 0 ? n : 1;
}

/* As many whole rows as fit; chunks of one length, but for the last, so that little is padded. */
static void lay_out(struct sinpos_writer *writer)
{
    const sinpos_array *array = &writer->array;
    const size_t most = writer->chunk_length == 0 ? USUAL_CHUNK_BYTES : writer->chunk_length;
    size_t bytes = sinpos_element_bytes(array->element), axis = array->n_dims;
    while (axis > 1 && at_least_1(array->shape[axis - 1]) <= most / bytes)
        bytes *= at_least_1(array->shape[--axis]);
    axis -= axis > 0;
    const size_t size = array->n_dims == 0 ? 1 : at_least_1(array->shape[axis]);
    const size_t fit = at_least_1(most / bytes), length = fit < size ? fit : size;
    const size_t n_chunks = (size - 1) / length + 1;
    writer->chunk_axis = axis;
    writer->chunk_length = (size - 1) / n_chunks + 1;
}

static size_t chunk_size(const struct sinpos_writer *writer, size_t axis)
{
    return axis < writer->chunk_axis    ? 1
           : axis == writer->chunk_axis ? writer->chunk_length
                                        : at_least_1(writer->array.shape[axis]);
}

static void put_shape(const struct sinpos_writer *writer, bool of_chunks, char *out)
{
    char *p = out;
    for (size_t i = 0; i < writer->array.n_dims; i++)
        p += sprintf(p, i > 0 ? ", %zu" : "%zu", of_chunks ? chunk_size(writer, i) : writer->array.shape[i]);
    *p = '\0';
}

static sinpos_file_status put_description(struct sinpos_writer *writer, sinpos_file_error *error)
{
    char json[JSON_ROOM], shape[NAME_ROOM], chunks[NAME_ROOM];
    const sinpos_element element = writer->array.element;
    const bool is_2 = writer->zarr_format == 2;
    put_shape(writer, false, shape);
    put_shape(writer, true, chunks);
    const int length =
        is_2 ? snprintf(
                   json, sizeof json,
                   "{\"zarr_format\": 2, \"shape\": [%s], \"chunks\": [%s], \"dtype\": \"<%s\", \"compressor\": null, "
                   "\"fill_value\": 0.0, \"order\": \"C\", \"filters\": null}\n",
                   shape, chunks, element_name_in(NPY_NAMES, element))
             : snprintf(json, sizeof json,
                        "{\"zarr_format\": 3, \"node_type\": \"array\", \"shape\": [%s], \"data_type\": \"%s\", "
                        "\"chunk_grid\": {\"name\": \"regular\", \"configuration\": {\"chunk_shape\": [%s]}}, "
                        "\"chunk_key_encoding\": {\"name\": \"default\", \"configuration\": {\"separator\": \".\"}}, "
                        "\"fill_value\": 0.0, \"codecs\": [{\"name\": \"bytes\", \"configuration\": {\"endian\": "
                        "\"little\"}}]}\n",
                        shape, sinpos_element_name(element), chunks);
    sinpos_file_status status = output_open_in(&writer->chunk, &writer->output, is_2 ? ".zarray" : "zarr.json", error);
    status = status == SINPOS_FILE_OK ? output_write(&writer->chunk, json, (size_t)length, error) : status;
    return status == SINPOS_FILE_OK ? output_end_in(&writer->chunk, error) : status;
}

static sinpos_file_status zarr_begin(struct sinpos_writer *writer, sinpos_file_error *error)
{
    lay_out(writer);
    return put_description(writer, error);
}

/* Elements of this dimension's one index, and of all that lies behind it. */
static size_t elements_behind(const struct sinpos_writer *writer, size_t axis)
{
    size_t n = 1;
    for (size_t i = axis + 1; i < writer->array.n_dims; i++)
        n *= writer->array.shape[i];
    return n;
}

/* "3.0", "c.3.0" in version 3: the chunk of which this is the first element. */
static void name_chunk(const struct sinpos_writer *writer, size_t element, char name[NAME_ROOM])
{
    const size_t n_dims = writer->array.n_dims;
    char *p = name;
    if (writer->zarr_format == 3)
        p += sprintf(p, n_dims > 0 ? "c." : "c");
    else if (n_dims == 0)
        p += sprintf(p, "0");
    for (size_t i = 0; i < n_dims; i++) {
        const size_t index = element / elements_behind(writer, i) % writer->array.shape[i];
        p += sprintf(p, i > 0 ? ".%zu" : "%zu", index / chunk_size(writer, i));
    }
}

/* Elements of a whole chunk; and of one that begins here, which has fewer at the end of its dimension. */
static size_t chunk_elements(const struct sinpos_writer *writer)
{
    return writer->chunk_length * (writer->array.n_dims == 0 ? 1 : elements_behind(writer, writer->chunk_axis));
}

static size_t elements_in_chunk(const struct sinpos_writer *writer, size_t *into, size_t element)
{
    const size_t all = chunk_elements(writer), n_dims = writer->array.n_dims;
    const size_t line = n_dims == 0 ? 1 : all / writer->chunk_length * writer->array.shape[writer->chunk_axis];
    const size_t begun = element % line / all * all;
    *into = element % line - begun;
    return line - begun < all ? line - begun : all;
}

static sinpos_file_status end_chunk(struct sinpos_writer *writer, sinpos_file_error *error)
{
    const uint64_t bytes = (uint64_t)chunk_elements(writer) * sinpos_element_bytes(writer->array.element);
    const sinpos_file_status status =
        writer->chunk.written < bytes ? output_resize(&writer->chunk, bytes, error) : SINPOS_FILE_OK;
    return status == SINPOS_FILE_OK ? output_end_in(&writer->chunk, error) : status;
}

/* Elements of one chunk, from this one on. */
static sinpos_file_status put_some(struct sinpos_writer *writer, size_t element, const void *data, size_t *n,
                                   sinpos_file_error *error)
{
    char name[NAME_ROOM];
    size_t into;
    const size_t all = elements_in_chunk(writer, &into, element);
    sinpos_file_status status = SINPOS_FILE_OK;
    *n = *n < all - into ? *n : all - into;
    if (into == 0) {
        name_chunk(writer, element, name);
        status = output_open_in(&writer->chunk, &writer->output, name, error);
    }
    status = status == SINPOS_FILE_OK ? write_binary_to(writer, &writer->chunk, data, *n, error) : status;
    return status == SINPOS_FILE_OK && into + *n == all ? end_chunk(writer, error) : status;
}

static sinpos_file_status zarr_elements(struct sinpos_writer *writer, const void *data, size_t n,
                                        sinpos_file_error *error)
{
    const size_t size = sinpos_element_bytes(writer->array.element);
    const char *p = data;
    size_t some;
    sinpos_file_status status = SINPOS_FILE_OK;
    for (size_t done = 0; done < n && status == SINPOS_FILE_OK; done += some) {
        some = n - done;
        status = put_some(writer, writer->elements_done + done, p + done * size, &some, error);
    }
    return status;
}

const struct format format_zarr = {
    .ending = ".zarr",
    .types = SINPOS_F64 | SINPOS_F32 | SINPOS_F16 | SINPOS_BF16,
    .refusal = "",
    .is_folder = true,
    .check = zarr_check,
    .begin = zarr_begin,
    .elements = zarr_elements,
};
