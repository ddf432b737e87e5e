#include "array_pieces.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "error_line.h"
#include "sinpos_analysis.h"

#define PIECE_BYTES ((size_t)8 << 20)

bool is_float(sinpos_element element)
{
    const unsigned floats = SINPOS_F64 | SINPOS_F32 | SINPOS_F16 | SINPOS_BF16;
    return ((unsigned)element & floats) != 0;
}

void check_floats(const sinpos_array *array, const char *path)
{
    if (!is_float(array->element)) {
        fail(EXIT_FILE, "convert it to float32, float64, float16 or bfloat16", path,
             "holds %s, not floating-point numbers", sinpos_element_name(array->element));
    }
}

size_t rows_per_piece(size_t row_bytes, size_t n_rows)
{
    const size_t fit = PIECE_BYTES / row_bytes;
    const size_t rows = fit > 0 ? fit : 1;
    return rows < n_rows ? rows : n_rows;
}

void *pieces_allocate(size_t bytes)
{
    void *room = bytes > SIZE_MAX - 64 ? NULL : aligned_alloc(64, (bytes / 64 + 1) * 64);
    if (room == NULL)
        fail_memory();
    return room;
}

const char *shape_text(const sinpos_array *array, char text[SHAPE_TEXT_BYTES])
{
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; i < array->n_dims && used + 32 < SHAPE_TEXT_BYTES; i++)
        used += (size_t)snprintf(text + used, SHAPE_TEXT_BYTES - used, i > 0 ? " x %zu" : "%zu", array->shape[i]);
    return text;
}

uint64_t count_nan(const void *elements, size_t n, sinpos_type type)
{
    double wide[256];
    uint64_t count = 0;
    for (size_t at = 0; at < n; at += 256) {
        const size_t some = n - at < 256 ? n - at : 256;
        if (sinpos_widen(type, (const char *)elements + at * sinpos_type_bytes(type), some, wide) != SINPOS_OK)
            return 0; /* of a type that is none */
        for (size_t i = 0; i < some; i++)
            count += isnan(wide[i]) != 0;
    }
    return count;
}
