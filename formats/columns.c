/* columns.c - arrays that lie column by column (fortran_order of .npy) are put into rows, in memory. */
#include "format.h"

#include <stdlib.h>
#include <string.h>

enum { PIECE_BYTES = 1 << 20 };

/* Where in the rows the next item of the file goes: its index, the first dimension fastest, and its place. */
struct walk {
    size_t n_dims, index[SINPOS_MAX_FILE_DIMS], stride[SINPOS_MAX_FILE_DIMS], place;
};

static void walk_begin(struct walk *w, const sinpos_array *array, size_t n_dims)
{
    *w = (struct walk){.n_dims = n_dims};
    size_t items = 1;
    for (size_t i = n_dims; i-- > 0;) {
        w->stride[i] = items;
        items *= array->shape[i];
    }
}

static void walk_on(struct walk *w, const sinpos_array *array)
{
    for (size_t i = 0; i < w->n_dims; i++) {
        w->place += w->stride[i];
        if (++w->index[i] < array->shape[i])
            return;
        w->place -= w->stride[i] * array->shape[i];
        w->index[i] = 0;
    }
}

static sinpos_file_status read_into(struct sinpos_reader *reader, unsigned char *piece, sinpos_file_error *error)
{
    const size_t parts = reader->is_complex ? 2 : 1;
    const size_t item = sinpos_element_bytes(reader->array.element) * parts, n = reader->elements / parts;
    const size_t most = PIECE_BYTES / item;
    struct walk w;
    walk_begin(&w, &reader->array, reader->array.n_dims - (parts - 1));
    for (size_t done = 0; done < n;) {
        const size_t some = n - done < most ? n - done : most;
        const sinpos_file_status status = reader_take(reader, piece, some * item, error);
        if (status != SINPOS_FILE_OK)
            return status;
        for (size_t k = 0; k < some; k++, walk_on(&w, &reader->array))
            memcpy(reader->rows + w.place * item, piece + k * item, item);
        done += some;
    }
    return SINPOS_FILE_OK;
}

sinpos_file_status columns_read(struct sinpos_reader *reader, sinpos_file_error *error)
{
    OWNED unsigned char *piece = malloc(PIECE_BYTES);
    reader->rows = malloc(reader->elements * sinpos_element_bytes(reader->array.element) + 1);
    const sinpos_file_status status =
        piece == NULL || reader->rows == NULL ? problem_memory(error) : read_into(reader, piece, error);
    if (status != SINPOS_FILE_OK) {
        free(reader->rows);
        reader->rows = NULL;
    }
    return status;
}
