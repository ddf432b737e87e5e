/* writer_output.c - what the formats share of writing: elements in little-endian order, text through a buffer. */
#include "format.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Little-endian elements: as they are, or turned around through the text buffer. */
sinpos_file_status write_binary_to(struct sinpos_writer *writer, struct output *output, const void *data, size_t n,
                                   sinpos_file_error *error)
{
    const size_t size = sinpos_element_bytes(writer->array.element);
    if (!machine_is_big_endian())
        return output_write(output, data, n * size, error);
    const char *p = data;
    sinpos_file_status status = SINPOS_FILE_OK;
    while (n > 0 && status == SINPOS_FILE_OK) {
        const size_t some = n < TEXT_BYTES / size ? n : TEXT_BYTES / size;
        memcpy(writer->text, p, some * size);
        swap_bytes(writer->text, some, size);
        status = output_write(output, writer->text, some * size, error);
        p += some * size;
        n -= some;
    }
    return status;
}

sinpos_file_status write_binary(struct sinpos_writer *writer, const void *data, size_t n, sinpos_file_error *error)
{
    return write_binary_to(writer, &writer->output, data, n, error);
}

sinpos_file_status text_flush(struct sinpos_writer *writer, sinpos_file_error *error)
{
    const size_t used = writer->text_used;
    writer->text_used = 0;
    return used == 0 ? SINPOS_FILE_OK : output_write(&writer->output, writer->text, used, error);
}

sinpos_file_status text_put(struct sinpos_writer *writer, const char *text, size_t length, sinpos_file_error *error)
{
    if (length > TEXT_BYTES - writer->text_used) {
        const sinpos_file_status status = text_flush(writer, error);
        if (status != SINPOS_FILE_OK)
            return status;
    }
    if (length > TEXT_BYTES)
        return output_write(&writer->output, text, length, error);
    memcpy(writer->text + writer->text_used, text, length);
    writer->text_used += length;
    return SINPOS_FILE_OK;
}

sinpos_file_status text_format(struct sinpos_writer *writer, sinpos_file_error *error, const char *text, ...)
{
    char line[1024];
    va_list arguments;
    va_start(arguments, text);
    const int length = vsnprintf(line, sizeof line, text, arguments);
    va_end(arguments);
    if (length < 0 || (size_t)length >= sizeof line)
        return problem_set(error, SINPOS_FILE_E_REQUEST, "choose a shorter name", "a name is too long");
    return text_put(writer, line, (size_t)length, error);
}
