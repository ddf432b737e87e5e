#include "row_source.h"

#include <string.h>

#include "array_file.h"
#include "array_pieces.h"

struct row_source row_source_open(const char *path, sinpos_reader *reader, size_t n, size_t dim, sinpos_type type)
{
    struct row_source source = {.path = path, .reader = reader, .dim = dim, .row_bytes = dim * sinpos_type_bytes(type)};
    sinpos_file_error error = SINPOS_FILE_ERROR_INIT;
    if (sinpos_reader_read_at(reader, 0, NULL, 0, &error) == SINPOS_FILE_OK)
        return source;
    source.copy = pieces_allocate(n * source.row_bytes);
    if (sinpos_reader_read(reader, source.copy, n * dim, &error) != SINPOS_FILE_OK)
        fail_read(path, &error);
    return source;
}

sinpos_status row_source_read(void *context, size_t first, size_t n, void *rows)
{
    const struct row_source *source = context;
    const size_t from = first * source->row_bytes, bytes = n * source->row_bytes;
    sinpos_file_error error = SINPOS_FILE_ERROR_INIT;
    sinpos_file_status status = SINPOS_FILE_OK;
    if (source->copy != NULL)
        memcpy(rows, source->copy + from, bytes);
    else if (source->model != NULL)
        status = sinpos_model_read(source->model, source->tensor, from, rows, bytes, &error);
    else
        status = sinpos_reader_read_at(source->reader, first * source->dim, rows, n * source->dim, &error);
    if (status != SINPOS_FILE_OK)
        fail_read(source->path, &error);
    return SINPOS_OK;
}
