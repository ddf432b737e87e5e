/* raw.c - the elements and nothing else, little-endian. */
#include "format.h"

static sinpos_file_status raw_read_header(struct sinpos_reader *reader, sinpos_file_error *error)
{
    const size_t size = sinpos_element_bytes(reader->options.element);
    const size_t dim = reader->options.dim;
    if (size == 0 || dim == 0 || dim > SIZE_MAX / size) {
        return problem_about(
            error, "dim",
            problem_set(error, SINPOS_FILE_E_REQUEST,
                        "state its row length and its element type: float64, float32, float16 or bfloat16",
                        "a .raw file does not state its shape and type"));
    }
    if (!reader->is_regular) {
        return problem_set(error, SINPOS_FILE_E_REQUEST, "use .npy for what comes through a pipe",
                           "the length of a .raw array is that of its file, and this is none");
    }
    const uint64_t row = (uint64_t)dim * size;
    if (reader->file_bytes % row != 0) {
        return problem_about(error, "dim",
                             problem_set(error, SINPOS_FILE_E_CONTENT, "check row length and element type",
                                         "its %llu bytes are not a whole number of rows of %llu bytes",
                                         (unsigned long long)reader->file_bytes, (unsigned long long)row));
    }
    reader->array = (sinpos_array){.element = reader->options.element, .n_dims = 2};
    reader->array.shape[0] = (size_t)(reader->file_bytes / row);
    reader->array.shape[1] = dim;
    return SINPOS_FILE_OK;
}

const struct format format_raw = {
    .ending = ".raw",
    .types = SINPOS_F64 | SINPOS_F32 | SINPOS_F16 | SINPOS_BF16,
    .refusal = "",
    .read_header = raw_read_header,
    .elements = write_binary,
};
